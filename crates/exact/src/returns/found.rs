//! Symmetries that are seen in the equations of motion as numbers.
//!
//! Algebra decides symmetries as identities in all symbols. Where a contact point is carried along, a turn of a round body about its axis is a symmetry only for the points that are
//! in contact, and where a surface has fractional powers no exact test exists. So for systems with carried positions Euclidean motions are also tried on the vector field F itself: a combination G
//! of affine candidates is a symmetry if at admissible states s
//!
//! ```text
//! G s is tangent to the admissible states,      DF(s) G s = G F(s),      dE(s) G s = 0.               (F)
//! ```
//!
//! All are linear in G; the last one, with the energy E, leaves out what would lift a body off its ground. They are evaluated by differences in double-doubles at states with positions of the motion and arbitrary velocities; the combinations that satisfy
//! them have small rational coefficients, which are rounded to these. What is found is used like the rest, and tested with the rest: the return itself must hold to all digits.

use super::dynamics::{Dynamics, Reader};
use super::group::affine;
use super::linear::{Sparse, apply};
use crate::budget::{FIELD_CANDIDATES, FIELD_DENOMINATOR};
use polhode_base::random::Random;
use polhode_expr::{Graph, Rates, Symbol};
use polhode_integrate::Stepper;
use polhode_mechanics::System;
use polhode_mechanics::symmetry::Field;
use polhode_model::Factor;
use polhode_tape::dense::null_space;
use polhode_tape::{Dd, Interpreter, Scalar, passes};

/// States at which (F) is evaluated.
const STATES: usize = 8;

/// Step of the differences, as part of the size of the state: its square is the error.
const DIFFERENCE: f64 = 1e-8;

/// What is smaller than this is zero in (F), where the differences have 15 digits.
const ZERO: f64 = 1e-9;

/// The combinations of candidates that satisfy (F).
pub(crate) fn on_the_motion(system: &mut System, dynamics: &Dynamics, symbols: &[Symbol]) -> Vec<Sparse<Dd>> {
    let candidates = candidates(system, symbols);
    if candidates.is_empty() || candidates.len() > FIELD_CANDIDATES {
        return Vec::new();
    }
    let Some(states) = states(dynamics) else { return Vec::new() };
    let mut reader = dynamics.reader::<Dd>();
    let mut entry = Interpreter::<Dd>::new(dynamics.tapes().entry);
    let energy = passes::select(dynamics.tapes().report, &[dynamics.compiled.program.layout.energy]);
    let mut energy = Interpreter::<Dd>::new(&energy);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for y in &states {
        let columns: Option<Vec<Vec<f64>>> =
            candidates.iter().map(|g| violation(dynamics, &mut reader, (&mut entry, &mut energy), y, g)).collect();
        let Some(columns) = columns else { return Vec::new() };
        rows.extend((0..columns[0].len()).map(|i| columns.iter().map(|c| c[i]).collect()));
    }
    let combined = |coefficients: Vec<Dd>| {
        let mut out = Sparse::new();
        for (g, x) in candidates.iter().zip(&coefficients).filter(|(_, x)| **x != Dd::ZERO) {
            out.extend(g.iter().map(|(i, j, e)| (*i, *j, *e * *x)));
        }
        out
    };
    null_space(rows, candidates.len(), ZERO).into_iter().filter_map(|v| rational(&v)).map(combined).collect()
}

/// What is left of (F).
fn violation(
    dynamics: &Dynamics,
    reader: &mut Reader<Dd>,
    (entry, energy): (&mut Interpreter<Dd>, &mut Interpreter<Dd>),
    y: &[Dd],
    g: &Sparse<Dd>,
) -> Option<Vec<f64>> {
    let s = reader.symbols(y);
    let mut rate = reader.symbol_rates(y);
    rate.push(Dd::ZERO);
    let (moved, turned) = (apply(g, &s), apply(g, &rate));
    let step = Dd::from(DIFFERENCE);
    let mut beside = |sign: Dd| {
        let there: Vec<Dd> = s.iter().zip(&moved).map(|(s, d)| *s + sign * step * *d).collect();
        let y = dynamics.state(entry, &there);
        let mut e = [Dd::ZERO];
        energy.call(&[&[Dd::ZERO], &y[..]].concat(), &mut e);
        (reader.symbols(&y), reader.symbol_rates(&y), e)
    };
    let (a, b) = (beside(Dd::ONE), beside(-Dd::ONE));
    let slope = |a: &[Dd], b: &[Dd], wanted: &[Dd]| -> Vec<f64> {
        let each = a.iter().zip(b).zip(wanted);
        each.map(|((a, b), w)| ((*a - *b) / (step + step) - *w).to_f64()).collect()
    };
    let mut out = slope(&a.0, &b.0, &moved);
    out.extend(slope(&a.1, &b.1, &turned));
    out.extend(slope(&a.2, &b.2, &[Dd::ZERO]));
    out.iter().all(|x| x.is_finite()).then_some(out)
}

/// Positions of the motion with velocities of no special kind.
fn states(dynamics: &Dynamics) -> Option<Vec<Vec<Dd>>> {
    let mut stepper =
        dynamics.stepper(&dynamics.compiled.initial_state().iter().map(|x| x.to_f64()).collect::<Vec<_>>());
    let unknowns = dynamics.compiled.program.unknowns.clone();
    let mut random = Random::new(1);
    let mut out = Vec::new();
    for _ in 0..STATES {
        for _ in 0..3 {
            stepper.step(f64::MAX).ok()?;
        }
        let mut y: Vec<Dd> = stepper.state().iter().map(|x| Dd::from(*x)).collect();
        for k in unknowns.clone() {
            y[k] = y[k] + Dd::from(random.between(-0.5, 0.5));
        }
        out.push(y);
    }
    Some(out)
}

/// The vector with small rational entries that this one is, if it is.
fn rational(v: &[f64]) -> Option<Vec<Dd>> {
    let near = |x: &f64| {
        (1..=FIELD_DENOMINATOR).find_map(|q| {
            let p = (x * q as f64).round();
            ((x - p / q as f64).abs() < 1e3 * ZERO).then(|| Dd::ratio(p as i64, q))
        })
    };
    v.iter().map(near).collect()
}

/// Euclidean motions of every factor by itself, as far as they are affine.
fn candidates(system: &mut System, symbols: &[Symbol]) -> Vec<Sparse<Dd>> {
    let factors = system.configuration.factors().to_vec();
    let mut rates: Vec<Rates> = Vec::new();
    for f in &factors {
        rates.extend(motions(&mut system.graph, f));
    }
    let fields: Vec<Field> = rates.into_iter().filter_map(|r| Field::new(system, "", r)).collect();
    fields.iter().filter_map(|f| affine(system, f, symbols)).collect()
}

fn motions(graph: &mut Graph, f: &Factor) -> Vec<Rates> {
    let shifts = |graph: &mut Graph, positions: &[Symbol]| -> Vec<Rates> {
        positions.iter().map(|s| Rates::from_iter([(*s, graph.one())])).collect()
    };
    let mut out = Vec::new();
    if f.interval().is_some() || f.plane_motion().is_some() {
        return out;
    }
    out.extend(shifts(graph, f.untied()));
    if let Some(turn) = f.rotation() {
        for k in 0..3 {
            let mut rates = left(graph, &turn.matrix, 3, k);
            if let Some(shift) = f.translation() {
                rates.extend(left(graph, &shift.place, 1, k));
            }
            out.push(rates);
        }
        out.extend((0..3).map(|k| right(graph, &turn.matrix, k)));
    } else if f.positions.len() == 3 {
        // a direction, or a point that is carried
        out.extend((0..3).map(|k| left(graph, &f.positions, 1, k)));
    }
    out
}

/// e_k × v for the columns of three rows of entries.
fn left(graph: &mut Graph, entries: &[Symbol], width: usize, k: usize) -> Rates {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let mut rates = Rates::default();
    for c in 0..width {
        let (a, b) = (graph.var(entries[i * width + c]), graph.var(entries[j * width + c]));
        let minus = graph.neg(b);
        rates.extend([(entries[i * width + c], minus), (entries[j * width + c], a)]);
    }
    rates
}

/// R ê_k.
fn right(graph: &mut Graph, entries: &[Symbol], k: usize) -> Rates {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let mut rates = Rates::default();
    for row in 0..3 {
        let (a, b) = (graph.var(entries[3 * row + i]), graph.var(entries[3 * row + j]));
        let minus = graph.neg(a);
        rates.extend([(entries[3 * row + i], b), (entries[3 * row + j], minus)]);
    }
    rates
}
