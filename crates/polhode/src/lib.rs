//! Polhode: a workbench for nonholonomic mechanics.
//!
//! Systems whose velocities are constrained, above all bodies that roll without slipping:
//! write the Lagrangian and the constraints as text, get the equations of motion in every
//! classical form, provably equal to each other.
//!
//! ```
//! use polhode::prelude::*;
//!
//! let text = r#"
//! title = "A skate on ice"
//! [parameters]
//! m = 1.0
//! J = 0.5
//! [coordinates]
//! x = "real"
//! y = "real"
//! theta = "angle"
//! [lagrangian]
//! kinetic = "m/2*(x'^2 + y'^2) + J/2*theta'^2"
//! [constraints]
//! blade = "x'*sin(theta) = y'*cos(theta)"
//! [initial]
//! velocity = { x = 1, theta = 0.3 }
//! "#;
//! let model = Model::parse("skate.toml", text, &ParseOptions::default())?.0;
//! let (mut system, _warnings) = System::new(&model)?;
//! assert_eq!(system.degrees_of_freedom(), 2);
//!
//! // Hamel's form chooses the forward speed as quasi-velocity: it stays constant.
//! let hamel = system.equations(Form::Hamel)?;
//! let sheet = Sheet::new(&mut system, &hamel);
//! println!("{}", sheet.text(&system.graph, 100));
//! assert!(hamel.rates.iter().all(|rate| system.is_zero(*rate)));
//!
//! // All forms agree, at random states, in 50 digits.
//! let verification = verify(&mut system, 3)?;
//! assert!(verification.agrees(1e-45));
//!
//! // Ten seconds of its motion, to the last digits: what `polhode run skate.toml --until 10` computes.
//! # #[cfg(feature = "simulate")] {
//! let motion = Plan::new("skate.toml", text).until(10).solve()?;
//! let middle = motion.at(5.0).expect("within the run");
//! assert!((middle["theta"] - 5.0 * 0.3).abs() < 1e-13);
//! assert!(motion.report.energy_error < 1e-14);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crates behind this one, each with a page of its own. Equations need `expr` (expressions), `geometry` (surfaces that touch), `model` (the model
//! language), `mechanics` (frames and forms) and `base` (diagnostics); these are always here, with the built-in models. The others are features, all but
//! the last two on by default:
//!
//! | feature | what it brings |
//! | --- | --- |
//! | `analysis` | what is said about a system besides its equations: constraints, conserved quantities, brackets |
//! | `simulate` | motions: `tape` (numeric programs), `lower` (equations to tapes), `backend_simd` (tapes in vectors), `integrate` (integrators and events), `simulate` (compile and solve) |
//! | `exact` | motions that can be solved: `exact`, with the functions of `special` |
//! | `sweep` | ensembles: `sweep` |
//! | `scene` | what models look like: `scene` |
//! | `plot`, `table` | files: figures as SVG; CSV, npz, Parquet |
//! | `png` | figures as PNG besides |
//! | `cranelift` | machine code on processors other than x86-64 |

pub use polhode_base as base;
pub use polhode_expr as expr;
pub use polhode_geometry as geometry;
pub use polhode_mechanics as mechanics;
pub use polhode_model as model;
pub use polhode_models as builtin;

#[cfg(feature = "analysis")]
pub use polhode_analysis as analysis;

#[cfg(feature = "simulate")]
pub use {
    polhode_backend_simd as backend_simd, polhode_integrate as integrate, polhode_lower as lower,
    polhode_simulate as simulate, polhode_tape as tape,
};

#[cfg(feature = "exact")]
pub use {polhode_exact as exact, polhode_special as special};

#[cfg(feature = "plot")]
pub use polhode_plot as plot;
#[cfg(feature = "scene")]
pub use polhode_scene as scene;
#[cfg(feature = "sweep")]
pub use polhode_sweep as sweep;
#[cfg(feature = "table")]
pub use polhode_table as table;

/// What most programs need.
pub mod prelude {
    pub use crate::builtin::{self, Builtin};
    #[cfg(feature = "analysis")]
    pub use polhode_analysis::examine;
    pub use polhode_base::{Diagnostics, SourceFile, Style};
    pub use polhode_expr::{Expr, Graph, Reading, Symbol, Tree, Verdict, print};
    pub use polhode_mechanics::{Equations, Form, Frame, Sheet, System, initial_state, verify};
    pub use polhode_model::{Model, ParseOptions, RunSettings};
    #[cfg(feature = "simulate")]
    pub use polhode_simulate::{
        Compile, CompileOptions, Compiled, Method, Plan, Precision, Run, Sample, StopReason, Trajectory,
    };
}
