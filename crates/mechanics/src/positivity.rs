//! Is the kinetic energy positive where it has to be?
//!
//! The motion is determined when the mass matrix is positive definite on D. Three ways of
//! failing are told apart, because they call for different repairs: no energy at all along
//! some admissible direction, no energy along one that becomes admissible somewhere, and
//! negative energy (a parameter with the wrong sign).

use crate::dense::not_positive_direction;
use crate::equation::FrameEquation;
use crate::frame::Frame;
use crate::surface::{inside, zeros};
use crate::system::{System, plain};
use polhode_base::random::Random;
use polhode_base::{Diagnostic, Diagnostics, Span};
use polhode_expr::equal::random_state;
use polhode_expr::eval::{Digits, Doubles};
use polhode_expr::{Expr, Graph, Matrix, Symbol, eliminate};
use polhode_model::Model;
use rustc_hash::FxHashMap;

/// Random states at which positivity is tried.
const STATES: usize = 12;

pub(crate) fn check(system: &mut System, model: &Model, diagnostics: &mut Diagnostics) {
    // Positive on all of TQ is positive on D, and needs no frame.
    let full = system.mass_matrix();
    if not_positive_somewhere(system, model, &full).is_none() {
        return;
    }
    let span = model.lagrangian_span.unwrap_or_default();
    let frame = system.voronets_frame();
    let h = FrameEquation::new(system, frame);
    let k = h.frame.k;
    let all: Vec<usize> = (0..k).collect();
    let mass = h.mass.select(&all, &all);
    if let Some(null) = null_vector(system, &mass) {
        let v: Vec<Expr> = (0..h.frame.n())
            .map(|a| {
                let parts: Vec<Expr> = (0..k).map(|i| system.graph.mul(h.frame.e[(a, i)], null[i])).collect();
                system.graph.sum(parts)
            })
            .collect();
        let direction = describe(system, &v);
        let message = format!("the kinetic energy is degenerate: no energy in the admissible direction {direction}");
        diagnostics.push(
            Diagnostic::error("degenerate-kinetic-energy", message)
                .at(span, "does not determine the motion")
                .help("give every admissible direction a mass or inertia, or fix it by a constraint"),
        );
        return;
    }
    if let Some(null) = null_vector(system, &full)
        && let Some(d) = degenerate_somewhere(system, model, &null, span)
    {
        diagnostics.push(d);
        return;
    }
    if let Some((direction, value)) = not_positive_somewhere(system, model, &mass) {
        diagnostics.push(negative(system, model, &h.frame, &direction, value, span));
    }
}

/// A direction along which the symmetric matrix vanishes identically.
fn null_vector(system: &mut System, mass: &Matrix) -> Option<Vec<Expr>> {
    let graph = &mut system.graph;
    let none = Matrix::zeros(graph, mass.rows(), 0);
    let size = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let solved = eliminate(graph, &mut system.zero, mass, &none, size);
    let &free = solved.free.first()?;
    let mut v = vec![graph.zero(); mass.cols()];
    v[free] = graph.one();
    for (i, &p) in solved.pivots.iter().enumerate() {
        v[p] = solved.solution[(i, 0)];
    }
    Some(graph.primitive_vector(&v))
}

/// `x' = 1, y' = -1` for the non-zero components of a direction.
fn describe(system: &mut System, v: &[Expr]) -> String {
    let names = system.configuration.velocities().to_vec();
    let mut parts = Vec::new();
    for (s, e) in names.iter().zip(v) {
        if !system.graph.is_zero(*e) {
            let simple = system.graph.simplify_small(*e);
            parts.push(format!("{} = {}", system.graph.name(*s), plain(&system.graph, simple)));
        }
    }
    parts.join(", ")
}

/// The direction without energy must not become admissible anywhere: A n ≠ 0 on the domain.
fn degenerate_somewhere(system: &mut System, model: &Model, null: &[Expr], span: Span) -> Option<Diagnostic> {
    let rows = system.distribution.independent_rows();
    let crossing: Vec<Expr> =
        rows.mul_vec(&mut system.graph, null).into_iter().map(|e| system.graph.simplify_small(e)).collect();
    let zero = zeros(system, model, &crossing, 1).pop()?;
    let direction = describe(system, null);
    let conditions: Vec<String> = crossing
        .iter()
        .filter(|e| !system.graph.is_zero(**e))
        .map(|e| format!("{} = 0", plain(&system.graph, *e)))
        .collect();
    let involved = system.graph.free_symbols(&crossing);
    let place: Vec<String> = involved
        .iter()
        .filter(|s| !system.parameters.contains(s))
        .map(|s| format!("{} = {:.4}", system.graph.name(*s), zero[s]))
        .collect();
    let place = place.join(", ");
    Some(
        Diagnostic::error(
            "degenerate-kinetic-energy",
            format!("the kinetic energy is degenerate (singular): no energy in the direction {direction}"),
        )
        .at(span, "does not determine the motion everywhere")
        .note(format!("on the constraint space it is degenerate where {}", conditions.join(" and ")))
        .note(format!("for example at {place}"))
        .help("give the direction a mass or inertia of its own"),
    )
}

/// A direction without positive energy, at one of some random states with the model's own
/// parameter values.
fn not_positive_somewhere(system: &mut System, model: &Model, mass: &Matrix) -> Option<(Vec<f64>, f64)> {
    let parameters = model.parameter_values().ok()?;
    let digits = Digits::decimal(20);
    let mut random = Random::new(3);
    let symbols = system.graph.free_symbols(mass.entries());
    for _ in 0..STATES {
        let drawn = random_state(&system.graph, &symbols, &digits, &mut random);
        let mut at: FxHashMap<Symbol, f64> = drawn.iter().map(|(s, x)| (*s, x.to_f64().value())).collect();
        at.extend(parameters.iter().map(|(s, x)| (*s, *x)));
        if !inside(system, model, &at) {
            continue;
        }
        let Ok(values) = system.graph.evaluate(&Doubles, mass.entries(), &at) else { continue };
        let matrix: Vec<Vec<f64>> = values.chunks(mass.cols().max(1)).map(<[f64]>::to_vec).collect();
        if let Some(found) = not_positive_direction(&matrix) {
            return Some(found);
        }
    }
    None
}

fn negative(system: &System, model: &Model, frame: &Frame, direction: &[f64], value: f64, span: Span) -> Diagnostic {
    let parameters = model.parameter_values().unwrap_or_default();
    let largest = direction.iter().fold(0f64, |m, x| m.max(x.abs()));
    let along: Vec<String> = frame
        .xi
        .iter()
        .zip(direction)
        .filter(|(_, x)| x.abs() > 1e-9 * largest)
        .map(|(s, x)| format!("{} = {:.3}", system.graph.name(*s), x / largest))
        .collect();
    let used = system.graph.free_symbols(&[system.lagrangian]);
    let culprits: Vec<_> = model
        .parameters
        .iter()
        .filter(|p| used.contains(&p.symbol) && parameters.get(&p.symbol).is_some_and(|x| *x <= 0.0))
        .collect();
    let word = if value < 0.0 { "negative" } else { "zero" };
    let what = match culprits.first() {
        Some(p) => format!(
            "the kinetic energy is not positive: with {} = {} it is {word}",
            system.graph.name(p.symbol),
            parameters[&p.symbol]
        ),
        None => format!("the kinetic energy is not positive: with these parameters it is {word}"),
    };
    let d = Diagnostic::error("kinetic-energy-not-positive", format!("{what} along {}", along.join(", ")));
    match culprits.first() {
        Some(p) => d.at(p.span, "this value").also(span, "the kinetic energy"),
        None => d.at(span, "the kinetic energy"),
    }
    .help("masses and moments of inertia are positive")
}
