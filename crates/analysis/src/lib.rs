//! What can be said about a system besides its equations of motion.
//!
//! ```text
//! System ─examine→ Report            System ─search→ conserved quantities, measures
//! System ─regularised→ System        System ─Structure::new→ (M, H, ω_H, E), its bracket, its quotient
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`doctor`] | rank, singular set, flags, integrals, classes, independent velocities |
//! | [`degenerate`] | constraints that vanish or become dependent somewhere, written without that |
//! | [`noether`] | conserved quantities, symmetries and invariant measures |
//! | [`hamiltonian`] | (M, H, ω_H, E), its bracket, its reduction |
//!
//! ```
//! use polhode_analysis::examine;
//! use polhode_mechanics::System;
//! use polhode_model::{Model, ParseOptions};
//!
//! let text = "[coordinates]\nx = 'real'\ny = 'real'\nz = 'real'\n[constraints]\ncontact = \"z' = y*x'\"";
//! let (model, _) = Model::parse("contact.toml", text, &ParseOptions::default())?;
//! let (mut system, _) = System::kinematic(&model)?;
//! let verdict = examine(&mut system);
//! assert_eq!(verdict.verdict().map(|v| v.classification.name()), Some("nonholonomic"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything here reads systems and equations as `polhode-mechanics` derives them; who wants equations only does not need it.
//!
//! Not here: equations of motion, their reduction (`polhode-mechanics`), motions that can be solved (`polhode-exact`).

pub mod degenerate;
pub mod doctor;
pub mod hamiltonian;
pub mod noether;

pub use degenerate::{regularised, starts_degenerate};
pub use doctor::{Report, examine, examine_at};
