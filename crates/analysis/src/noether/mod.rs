//! Conserved quantities: exact tests, searches, symmetries, invariant measures.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`flow`] | the motion as a vector field on D |
//! | [`mod@test`] | is a given function constant? |
//! | `basis`, `sample`, `fit` | coefficient functions; values in F_p; parameters from values |
//! | `linear` | integrals linear and quadratic in the velocities, with weights, and moving energies |
//! | [`ode`] | those whose coefficients solve a linear differential equation |
//! | [`mod@momentum`], [`origin`] | momenta of symmetries; which integrals come from them, and which do not |
//! | [`independence`] | which integrals say something that others do not |
//! | [`mod@search`] | all of this together |
//! | `powers`, `exponential`, [`measure`](mod@measure) | products of powers and exponentials; invariant measures and Chaplygin's multiplier |
//! | [`exception`](mod@exception) | parameters for which there is a measure after all |
//!
//! ```
//! use polhode_mechanics::System;
//! use polhode_analysis::noether::{Flow, Search, decide, search};
//! use polhode_model::{Model, ParseOptions};
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
//! "#;
//! let (model, _) = Model::parse("particle.toml", text, &ParseOptions::default())?;
//! let (mut system, _) = System::new(&model)?;
//! let flow = Flow::new(&mut system);
//! let wanted = model.formula(&mut system.graph, "x'*sqrt(1 + y^2)")?[0];
//! assert!(decide(&mut system, &flow, wanted).is_integral());
//!
//! let found = search(&mut system, &flow, &Search::default());
//! assert!(found.integrals.iter().any(|i| system.graph.equal(i.function, wanted).is_equal()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything that is reported was proved by the exact test of `polhode_expr::equal`, or says what else it rests on. What is not found
//! may still exist: a search is as large as its space of functions.

mod basis;
pub mod budget;
pub mod exception;
mod exponential;
mod fit;
pub mod flow;
pub mod independence;
mod linear;
pub mod measure;
pub mod momentum;
pub mod ode;
pub mod origin;
mod powers;
mod sample;
pub mod search;
pub mod test;

pub use basis::candidates;
pub use exception::{Exception, exception, measure_at_values};
pub use flow::Flow;
pub use independence::is_function_of;
pub use measure::{Measure, measure, reducing_multiplier};
pub use momentum::Momentum;
pub use ode::LinearSystem;
pub use origin::Origin;
pub use search::{Conserved, Covered, Family, Integral, Kind, Search, search, search_telling};
pub use test::{Answer, Ground, Outcome, decide, decide_at_values};
