//! Contacts that come to where their relative curvature is zero, infinite or indefinite.

use crate::prelude::*;
use polhode_base::ids::EventId;
use polhode_model::Action;

fn solve(text: &str, run: &Run, change: impl FnOnce(&mut Model)) -> Trajectory {
    let mut model =
        Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e}")).0;
    change(&mut model);
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    system.compile().unwrap_or_else(|e| panic!("{e}")).solve(run).expect("a sound run")
}

#[test]
fn a_rim_that_comes_to_lie_all_around_in_its_bowl_ends_there() {
    // a rim of radius 0.8 in a sphere of radius 1 lies all around where its plane is 0.6 from the centre; fixed steps would jump over it
    let text = "[gravity]\ng = 9.81\n[body.b]\nmass = 1\ninertia = \"solid\"\nsurface = { rim = 0.8 }\n[ground]\n\
                surface = { sphere = 1, inside = true }\n[initial.b]\ntouching = [0, 0, -1]\nrotation = \"Rx(1.0)\"\n\
                omega = [3, 0, 0]\n";
    let fixed = Run { step: Some(0.001), method: Method::Gauss(3), ..Run::until(5.0).sparse() };
    for run in [Run::until(5.0).sparse(), fixed] {
        let motion = solve(text, &run, |_| ());
        assert!(matches!(motion.report.stop, StopReason::SingularContact { .. }), "{:?}", motion.report.stop);
        let height: f64 = (1..=3)
            .map(|i| {
                let [x, r] = [format!("x_O[{i}]"), format!("R[{i},3]")].map(|n| motion.last.get(&n).expect("a number"));
                x * r
            })
            .sum();
        assert!((height.abs() - 0.6).abs() < 2e-6, "{height}");
        let event = motion.report.events.last().expect("it is among the events");
        assert_eq!(motion.compiled().events[event.event].cause, Some(polhode_model::Cause::SingularCurvature));
    }
}

#[test]
fn a_superquadric_ends_where_its_curvature_is_not_regular() {
    for (e, how) in [("1.2", "infinite"), ("1.05", "infinite"), ("0.95", "zero"), ("0.7", "zero")] {
        let text = format!(
            "[gravity]\ng = 9.81\n[body.b]\nmass = 1\ninertia = [0.3, 0.35, 0.4]\n\
             surface = {{ superquadric = [0.7, 0.6, 0.5, {e}, {e}] }}\n[ground]\nsurface = \"plane\"\n[initial.b]\n\
             touching = [0, 0, 0]\nrotation = \"Rx(0.4)*Ry(0.3)\"\nomega = [0.5, 0.3, 1]\n"
        );
        let motion = solve(&text, &Run { step_limit: 2000, ..Run::until(10.0).sparse() }, |_| ());
        let stop = &motion.report.stop;
        assert!(matches!(stop, StopReason::SingularContact { event } if event.contains(how)), "e = {e}: {stop}");
        let nearest = (1..=3).map(|i| motion.last.get(&format!("c[{i}]")).expect("c").abs()).fold(1.0, f64::min);
        assert!(nearest < 1e-6, "e = {e}: {nearest}");
        assert!(motion.report.energy_error < 1e-11, "e = {e}: {}", motion.report.energy_error);
    }
}

#[test]
fn indefinite_curvature_is_an_event() {
    // an ellipsoid whose flat side is less curved than the hollow in one direction
    let text = "[gravity]\ng = 9.81\n[body.b]\nmass = 1\ninertia = \"solid\"\nsurface = { ellipsoid = [1, 0.6, 0.5] }\n\
                [ground]\nsurface = { sphere = 1.6, inside = true }\n[initial.b]\ntouching = [0, 0, -1.6]\n\
                rotation = \"Ry(0.1)\"\nomega = [0.1, 4, 0.2]\n";
    let about = |motion: &Trajectory| {
        let of = |k: EventId| motion.compiled().events[k].cause == Some(polhode_model::Cause::IndefiniteCurvature);
        let found = motion.report.events.iter().find(|e| of(e.event)).expect("the event");
        (found.sample.t(), found.crossing)
    };
    let run = Run::until(1.0).sparse();
    let motion = solve(text, &run, |_| ());
    assert_eq!(about(&motion), (0.0, "from the start"));
    assert!(motion.report.t > 0.0, "it goes on");
    // where it ends is an event too
    assert!(matches!(motion.report.stop, StopReason::SingularContact { .. }), "{:?}", motion.report.stop);
    let last = motion.report.events.last().expect("events");
    assert_eq!((last.crossing, last.sample.t()), ("approached", motion.report.t));

    let stopped = solve(text, &run, |model| {
        model.events.iter_mut().filter(|e| e.is_called("indefinite-curvature")).for_each(|e| e.action = Action::Stop);
    });
    assert_eq!((stopped.report.t, about(&stopped)), (0.0, (0.0, "from the start")));

    // in a plane of symmetry a motion passes: the curvature across it vanishes at a definite time, and nothing else happens
    let across = "[gravity]\ng = 0\n[body.b]\nmass = 1\ninertia = \"solid\"\nsurface = { ellipsoid = [0.6, 1, 0.5] }\n\
                  [ground]\nsurface = { sphere = 1.8, inside = true }\n[initial.b]\ntouching = [0, 0, -1.8]\n\
                  rotation = \"Ry(pi/2)\"\nomega = [0, 1, 0]\n";
    let motion = solve(across, &Run::until(1.0).sparse(), |_| ());
    let (t, crossing) = about(&motion);
    assert!(t > 0.0 && crossing == "falling", "{t} {crossing}");
    assert_eq!(motion.report.stop, StopReason::End);
}
