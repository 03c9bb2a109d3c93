//! A ball that rolls between two rough walls: every collision reverses the velocity of the point that touches.

use polhode::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = builtin::find("ball-rough-wall").expect("built in");
    let (mut system, _warnings) = System::new(&Model::from_text(ball.text)?)?;
    let motion = system.compile()?.solve(&Run::until(10.0))?;

    let mut collisions = 0;
    for event in &motion.report.events {
        let Some(jump) = &event.jump else { continue };
        let [before, after] = jump.record.kinetic;
        println!(
            "t = {:.3}: {} ({:?}), energy {before:.4} → {after:.4}",
            event.sample.t(),
            event.name,
            jump.record.case
        );
        collisions += 1;
    }
    assert!(collisions > 1);
    assert_eq!(motion.report.stop, StopReason::End);
    Ok(())
}
