//! Symmetries: vector fields on Q that leave L and D alone, lifted to M.
//!
//! The lift of Y to TQ moves the quasi-velocities by the brackets with the frame,
//!
//! ```text
//! Y^M = Y − ξ^b ⟨β^a, [Y, e_b]⟩ ∂_a,      ⟨β^α, [Y, e_b]⟩ = 0 when Y preserves D.                      (M7)
//! ```

use super::distributional::Distributional;
use polhode_expr::{Expr, Rates};
use polhode_mechanics::frame::{Frame, Leg};
use polhode_mechanics::symmetry::Field;
use polhode_mechanics::system::System;
use polhode_model::Generator;
use std::fmt;

/// A symmetry, lifted to M.
#[derive(Clone, Debug)]
pub struct Lift {
    /// As written in the model.
    pub text: String,
    /// Y^M as a derivation of functions on M.
    pub rates: Rates,
    /// Its components on e_1 … e_n, ∂_1 … ∂_k.
    pub components: Vec<Expr>,
}

/// Why a vector field is no symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoSymmetry {
    /// The rates do not belong to a motion of the configuration space.
    NotTangent(String),
    /// Something changes along it.
    Changes {
        /// The field as written.
        text: String,
        /// "the Lagrangian", "the constraints".
        what: &'static str,
    },
    /// It depends on time.
    ChangesWithTime(String),
    /// The ranks of the distributions could not be determined: an entry has no value at random points.
    NoRank,
}

impl fmt::Display for NoSymmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSymmetry::NotTangent(text) => write!(f, "`{text}` does not stay in the configuration space"),
            NoSymmetry::Changes { text, what } => write!(f, "`{text}` changes {what}"),
            NoSymmetry::ChangesWithTime(text) => write!(f, "`{text}` depends on time"),
            NoSymmetry::NoRank => f.write_str("the formulas have no values at random points"),
        }
    }
}

impl std::error::Error for NoSymmetry {}

impl Lift {
    /// Lifts a generator of the model, after a look at whether it is a symmetry.
    pub fn new(system: &mut System, d: &Distributional, generator: &Generator) -> Result<Lift, NoSymmetry> {
        let text = generator.text.clone();
        let Some(field) = Field::of(system, generator) else { return Err(NoSymmetry::NotTangent(text)) };
        if let Some((what, _)) = system.changed_by(&field) {
            return Err(NoSymmetry::Changes { text, what });
        }
        if field.depends_on_time(&system.graph) {
            return Err(NoSymmetry::ChangesWithTime(text));
        }
        let frame = &d.equation.frame;
        let moved = fibre_rates(system, frame, &field.components);
        let mut components = frame.beta.mul_vec(&mut system.graph, &field.components);
        components.extend(&moved);
        let components = components.into_iter().map(|e| tidy(system, e)).collect();
        let mut rates = field.rates;
        rates.extend(frame.xi.iter().copied().zip(moved));
        Ok(Lift { text, rates, components })
    }
}

/// Zero as a function becomes the number 0; short expressions are simplified.
pub(super) fn tidy(system: &mut System, e: Expr) -> Expr {
    if system.is_zero(e) { system.graph.zero() } else { system.graph.simplify_small(e) }
}

/// −ξ^b ⟨β^a, [Y, e_b]⟩.
fn fibre_rates(system: &mut System, frame: &Frame, field: &[Expr]) -> Vec<Expr> {
    // Y takes the place of the drift, whose brackets the frame knows; nothing depends on time here.
    let frame = Frame { e0: field.to_vec(), ..frame.clone() };
    let (configuration, time) = (system.configuration.clone(), system.time);
    let graph = &mut system.graph;
    let mut moved: Vec<Vec<Expr>> = vec![Vec::new(); frame.k];
    for b in 0..frame.k {
        let c = frame.bracket(graph, &configuration, time, Leg::Drift, Leg::Field(b));
        let xi = graph.var(frame.xi[b]);
        for (a, parts) in moved.iter_mut().enumerate() {
            let part = graph.mul(c[a], xi);
            parts.push(graph.neg(part));
        }
    }
    moved.into_iter().map(|parts| graph.sum(parts)).collect()
}
