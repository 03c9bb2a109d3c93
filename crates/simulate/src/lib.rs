//! Motions: compile a system, solve it, look at the result.
//!
//! ```text
//! System ─compile→ Compiled ─solve(Run)→ Trajectory: samples, dense motion, report, table
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`compile`] | [`Compile`], [`Compiled`]: a system ready to run |
//! | [`compilers`] | who evaluates a tape: machine code where there is some, or an interpreter |
//! | [`run`] | [`Run`]: what a run is asked to do |
//! | [`solve`] | running it |
//! | `state` | components of a state, and where it belongs |
//! | `chart`, `atlas` | independent velocities, and changing them on the way |
//! | [`switch`] | constraints that come and go, and collisions |
//! | `second` | another form, where the one that was chosen fails on the way |
//! | [`trajectory`] | [`Trajectory`], [`Report`]: what comes of it |
//! | [`sample`] | [`Sample`]: all values at one time |
//! | [`tapes`] | [`Tapes`]: what other solvers need |
//! | [`variable`] | [`Variable`]: what the values are |
//! | [`observer`] | [`Observer`]: who is shown every step |
//! | [`section`] | [`Sections`]: where a motion crosses surfaces |
//! | [`plan`] | [`Plan`]: everything that decides a motion, and the road from it to the motion |
//! | [`rerun`] | [`Rerun`]: new parameter values and starts, without recompiling |
//! | [`detective`] | integrals proposed by motions, decided by algebra |
//! | [`contact`] | [`ContactKinematics`]: contact Jacobians and contact kinematics at any state |
//!
//! ```
//! use polhode_mechanics::System;
//! use polhode_model::{Model, ParseOptions};
//! use polhode_simulate::{Compile, Run};
//!
//! let text = r#"
//! [coordinates]
//! x = "real"
//! y = "real"
//! z = "real"
//! [lagrangian]
//! kinetic = "(x'^2 + y'^2 + z'^2)/2"
//! [constraints]
//! contact = "z' = y*x'"
//! [initial]
//! position = { y = 0.5 }
//! velocity = { x = 1, y = 2 }
//! "#;
//! let (model, _) = Model::parse("particle.toml", text, &ParseOptions::default())?;
//! let (mut system, _) = System::new(&model)?;
//! let motion = system.compile()?.solve(&Run::until(10.0))?;
//!
//! // x' √(1 + y²) is conserved
//! let kept = |t| motion.at(t).map(|s| s["x'"] * (1.0 + s["y"] * s["y"]).sqrt());
//! assert!((kept(10.0).unwrap() - kept(0.0).unwrap()).abs() < 1e-13);
//! assert!(motion.report.energy_error < 1e-13);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not here: files, the terminal, clocks.

mod atlas;
mod budget;
mod chart;
pub mod compile;
pub mod compilers;
pub mod contact;
mod corners;
pub mod detective;
mod evaluator;
pub mod observer;
pub mod plan;
mod recorder;
pub mod rerun;
pub mod run;
pub mod sample;
mod second;
pub mod section;
pub mod side_by_side;
pub mod solve;
mod state;
pub mod switch;
pub mod tapes;
pub mod trajectory;
pub mod variable;

pub use compile::{Compile, CompileError, CompileOptions, Compiled, EventInfo, EventKind};
pub use contact::ContactKinematics;
pub use observer::{ObservedStep, Observer};
pub use plan::{Followed, Note, Plan, PlanError, Ready, Resolved};
pub use rerun::{Formulas, Likeness, Numbers, Rerun, Unfit};
pub use run::{BadRun, Method, Precision, Run};
pub use sample::Sample;
pub use section::{Section, SectionPoint, Sections};
pub use side_by_side::SideBySide;
pub use switch::{Candidate, JumpCase, JumpRecord, Refusal};
pub use tapes::{Assembled, Tapes};
pub use trajectory::{EventRecord, Jumped, Report, Span, StopReason, Trajectory, table};
pub use variable::{Group, Shape, Variable};
