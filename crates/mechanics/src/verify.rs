//! All forms give the same accelerations: compared at random states, in many digits.
//!
//! A form is a chain of its own: its frame, its elimination, its solve. At a random position,
//! time and admissible velocity each applicable form is evaluated in multi-precision, and the
//! largest difference of any acceleration or constraint force is reported, relative to the
//! largest value of its kind at that state, or to 1 where all of them are smaller.

use crate::forms::{Equations, Form, NotApplicable};
use crate::system::System;
use polhode_base::random::Random;
use polhode_expr::equal::random_state;
use polhode_expr::eval::{Digits, EvalError, Real};
use polhode_expr::{Expr, Symbol};
use polhode_model::Interval;
use rustc_hash::FxHashMap;

/// Decimal digits of the comparison.
pub const DIGITS: usize = 50;

/// What [`verify`] found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verification {
    /// The forms that were compared.
    pub forms: Vec<Form>,
    /// The forms that do not apply, with the reason.
    pub left_out: Vec<(Form, NotApplicable)>,
    /// Number of random states.
    pub states: usize,
    /// The largest relative difference of accelerations.
    pub accelerations: f64,
    /// The largest relative difference of constraint forces.
    pub reactions: f64,
}

impl Verification {
    /// Do all forms agree to within this relative difference?
    pub fn agrees(&self, tolerance: f64) -> bool {
        self.accelerations <= tolerance && self.reactions <= tolerance
    }
}

/// Compares all applicable forms at `states` random states.
pub fn verify(system: &mut System, states: usize) -> Result<Verification, EvalError> {
    let mut forms = Vec::new();
    let mut left_out = Vec::new();
    for form in Form::ALL {
        match system.equations(form) {
            Ok(equations) => forms.push(equations),
            Err(reason) => left_out.push((form, reason)),
        }
    }
    let n = system.configuration.velocities().len();
    let outputs: Vec<Vec<Expr>> = forms.iter().map(|f| outputs(system, f)).collect();
    let frame = system.voronets_frame();
    let on_d = frame.velocities(&mut system.graph);
    // Functions known by name only are given a shape: what holds for all of them holds for these.
    let closed = system.graph.with_stand_ins(&[outputs.concat(), on_d].concat());
    let (roots, on_d) = closed.split_at(outputs.len() * 2 * n);

    // Guard digits: elimination may lose some at a random state.
    let digits = Digits::decimal(DIGITS + 20);
    let mut random = Random::new(2006);
    let symbols: Vec<Symbol> = system.graph.free_symbols(&closed);
    let (mut accelerations, mut reactions) = (0f64, 0f64);
    let mut done = 0;
    let mut attempts = 0;
    while done < states {
        attempts += 1;
        let mut state: FxHashMap<Symbol, Real> = random_state(&system.graph, &symbols, &digits, &mut random);
        if attempts > done + 5 * states {
            at_home(system, &digits, &mut random, &mut state);
        }
        let evaluated = system.graph.evaluate(&digits, on_d, &state).and_then(|v| {
            state.extend(system.configuration.velocities().iter().copied().zip(v));
            system.graph.evaluate(&digits, roots, &state)
        });
        match evaluated {
            Ok(values) => {
                let forms: Vec<&[Real]> = values.chunks(2 * n).collect();
                accelerations = accelerations.max(spread(&forms, 0..n));
                reactions = reactions.max(spread(&forms, n..2 * n));
                done += 1;
            }
            Err(EvalError::Undefined(_)) if attempts < 50 * states => {}
            Err(e) => return Err(e),
        }
    }
    Ok(Verification { forms: forms.iter().map(|f| f.form).collect(), left_out, states, accelerations, reactions })
}

/// Moves a state into the domain of the model: its own parameters, and positions inside of their intervals.
fn at_home(system: &System, digits: &Digits, random: &mut Random, state: &mut FxHashMap<Symbol, Real>) {
    let (Ok(exact), Ok(values)) = (system.model.parameter_digits(), system.model.parameter_values()) else { return };
    state.extend(exact);
    for Interval { coordinate, low, high } in system.configuration.intervals() {
        let end = |e: Expr| system.graph.evaluate_f64(e, &values);
        if let (Ok(low), Ok(high)) = (end(low), end(high)) {
            state.insert(coordinate, digits.double(random.short(low, high)));
        }
    }
}

/// The accelerations and the constraint forces of one form, in the velocities.
fn outputs(system: &mut System, equations: &Equations) -> Vec<Expr> {
    let configuration = system.configuration.clone();
    let mut out = equations.accelerations(system);
    out.extend(equations.in_velocities(&mut system.graph, &configuration, &equations.reaction_force));
    out
}

/// The largest difference between the first form and the others, relative to the largest value (at least 1).
fn spread(forms: &[&[Real]], range: std::ops::Range<usize>) -> f64 {
    let mut worst = 0f64;
    let scale = forms[0][range.clone()].iter().map(|x| x.to_f64().value().abs()).fold(1f64, f64::max);
    for other in &forms[1..] {
        for (a, b) in forms[0][range.clone()].iter().zip(&other[range.clone()]) {
            let difference = (a - b).to_f64().value().abs() / scale;
            worst = if difference.is_nan() { f64::INFINITY } else { worst.max(difference) };
        }
    }
    worst
}
