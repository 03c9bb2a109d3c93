//! What a nonholonomic particle conserves besides its energy: a candidate is decided, and all of a space of functions are found.

use polhode::analysis::noether::{Flow, Search, decide, search};
use polhode::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::from_text(
        r#"
        [coordinates]
        x = "real"
        y = "real"
        z = "real"
        [lagrangian]
        kinetic = "(x'^2 + y'^2 + z'^2)/2"
        [constraints]
        contact = "z' = y*x'"
        "#,
    )?;
    let (mut system, _warnings) = System::new(&model)?;
    let flow = Flow::new(&mut system);

    // translations along x are a symmetry, but the momentum x' is not constant: the constraint works on it
    let momentum = model.formula(&mut system.graph, "x'")?[0];
    assert!(!decide(&mut system, &flow, momentum).is_integral());
    let corrected = model.formula(&mut system.graph, "x'*sqrt(1 + y^2)")?[0];
    assert!(decide(&mut system, &flow, corrected).is_integral());

    let found = search(&mut system, &flow, &Search::default());
    for integral in &found.integrals {
        let tree = integral.tree.as_ref().expect("a short one");
        println!("{}", print::text(&system.graph, tree));
    }
    assert!(found.integrals.iter().any(|i| system.graph.equal(i.function, corrected).is_equal()));
    Ok(())
}
