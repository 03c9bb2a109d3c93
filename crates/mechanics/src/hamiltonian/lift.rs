//! Symmetries: vector fields on Q that leave L and D alone, lifted to M.
//!
//! The lift of Y to TQ moves the quasi-velocities by the brackets with the frame,
//!
//! ```text
//! Y^M = Y − ξ^b ⟨β^a, [Y, e_b]⟩ ∂_a,      ⟨β^α, [Y, e_b]⟩ = 0 when Y preserves D.                      (M7)
//! ```

use super::distributional::Distributional;
use super::linear::dot;
use crate::frame::{Frame, Leg};
use crate::system::System;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Rates};
use polhode_model::{Generator, Kind};
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
pub enum NoSymmetry {
    /// The rates do not belong to a motion of the configuration space.
    NotTangent(String),
    /// The Lagrangian changes along it.
    Lagrangian(String),
    /// The constraints change along it.
    Constraints(String),
    /// The ranks of the distributions could not be determined: an entry has no value at random points.
    NoRank,
}

impl fmt::Display for NoSymmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSymmetry::NotTangent(text) => write!(f, "`{text}` does not stay in the configuration space"),
            NoSymmetry::Lagrangian(text) => write!(f, "the Lagrangian changes along `{text}`"),
            NoSymmetry::Constraints(text) => write!(f, "the constraints change along `{text}`"),
            NoSymmetry::NoRank => f.write_str("the formulas have no values at random points"),
        }
    }
}

impl std::error::Error for NoSymmetry {}

impl Lift {
    /// Lifts a generator of the model, after a look at whether it is a symmetry.
    pub fn new(system: &mut System, d: &Distributional, generator: &Generator) -> Result<Lift, NoSymmetry> {
        let text = generator.text.clone();
        let Some(field) = in_base_frame(system, generator) else { return Err(NoSymmetry::NotTangent(text)) };
        let base = Frame::base(&system.graph, &system.configuration);
        let moved = fibre_rates(system, &base, &field).0;
        let configuration = system.configuration.clone();
        let mut rates = configuration.rates_along(&mut system.graph, &field);
        rates.extend(configuration.velocities().iter().copied().zip(moved));
        let change = system.graph.along(system.lagrangian, &rates);
        if !system.is_zero(change) {
            return Err(NoSymmetry::Lagrangian(text));
        }

        let frame = &d.equation.frame;
        let (moved, across) = fibre_rates(system, frame, &field);
        if across.into_iter().any(|e| !system.is_zero(e)) {
            return Err(NoSymmetry::Constraints(text));
        }
        let mut components = frame.beta.mul_vec(&mut system.graph, &field);
        components.extend(&moved);
        let components = components.into_iter().map(|e| tidy(system, e)).collect();
        let mut rates = configuration.rates_along(&mut system.graph, &field);
        rates.extend(frame.xi.iter().copied().zip(moved));
        Ok(Lift { text, rates, components })
    }
}

/// Zero as a function becomes the number 0; short expressions are simplified.
pub(super) fn tidy(system: &mut System, e: Expr) -> Expr {
    if system.is_zero(e) { system.graph.zero() } else { system.graph.simplify_small(e) }
}

/// The components of a generator on the base frame. The columns of the anchor are orthogonal, of length √2 for the
/// turns of a rotation (nine entries move) and 1 otherwise.
fn in_base_frame(system: &mut System, generator: &Generator) -> Option<Vec<Expr>> {
    let configuration = system.configuration.clone();
    let anchor = configuration.anchor(&mut system.graph);
    let rate = |s| generator.rates.iter().find(|(p, _)| *p == s).map(|(_, e)| *e);
    let graph = &mut system.graph;
    let wanted: Vec<Expr> = configuration.positions().iter().map(|s| rate(*s).unwrap_or(graph.zero())).collect();
    let turns: Vec<bool> = configuration
        .factors()
        .iter()
        .flat_map(|f| {
            let first = match f.kind {
                Kind::So3 => 0,
                Kind::Se3 | Kind::Rolling => 3,
                _ => f.velocities.len(),
            };
            (0..f.velocities.len()).map(move |i| i >= first)
        })
        .collect();
    let field: Vec<Expr> = (0..anchor.cols())
        .map(|a| {
            let sum = dot(graph, &anchor.col(a), &wanted);
            if turns[a] { graph.scale(sum, &ratio(1, 2)) } else { sum }
        })
        .collect();
    let field: Vec<Expr> = field.into_iter().map(|e| tidy(system, e)).collect();
    let reached = anchor.mul_vec(&mut system.graph, &field);
    for (a, b) in reached.into_iter().zip(wanted) {
        let off = system.graph.sub(a, b);
        if !system.is_zero(off) {
            return None;
        }
    }
    Some(field)
}

/// −ξ^b ⟨β^a, [Y, e_b]⟩, and the components ⟨β^α, [Y, e_b]⟩ that must vanish.
fn fibre_rates(system: &mut System, frame: &Frame, field: &[Expr]) -> (Vec<Expr>, Vec<Expr>) {
    // Y takes the place of the drift, whose brackets the frame knows; nothing depends on time here.
    let frame = Frame { e0: field.to_vec(), ..frame.clone() };
    let (configuration, time) = (system.configuration.clone(), system.time);
    let graph = &mut system.graph;
    let mut moved: Vec<Vec<Expr>> = vec![Vec::new(); frame.k];
    let mut across = Vec::new();
    for b in 0..frame.k {
        let c = frame.bracket(graph, &configuration, time, Leg::Drift, Leg::Field(b));
        let xi = graph.var(frame.xi[b]);
        for (a, parts) in moved.iter_mut().enumerate() {
            let part = graph.mul(c[a], xi);
            parts.push(graph.neg(part));
        }
        across.extend_from_slice(&c[frame.k..]);
    }
    (moved.into_iter().map(|parts| graph.sum(parts)).collect(), across)
}
