//! Which form to integrate.
//!
//! Hamel's form has the fewest unknowns and keeps the constraints by construction, but its
//! quasi-velocities may fail to be coordinates on D somewhere: where det β vanishes. (A
//! direction on the sphere has no frame without such a place.) The multiplier form fails nowhere that the
//! constraints keep their rank. So: Hamel's form if det β keeps its sign at random positions
//! of the domain, else multipliers.

use crate::dense::determinant;
use crate::forms::Form;
use crate::surface::inside;
use crate::system::System;
use polhode_expr::Symbol;
use polhode_expr::equal::random_state;
use polhode_expr::eval::{Digits, Doubles};
use polhode_expr::random::Random;
use polhode_model::{Kind, Model};
use rustc_hash::FxHashMap;
use std::f64::consts::PI;

/// Positions at which det β is looked at.
const POSITIONS: usize = 60;

impl System {
    /// The form to integrate when the user has no preference.
    pub fn preferred_form(&mut self, model: &Model) -> Form {
        let Ok(frame) = self.hamel_frame() else { return Form::Multipliers };
        let Ok(parameters) = model.parameter_values() else { return Form::Multipliers };
        let n = frame.n();
        let mut symbols = self.graph.free_symbols(frame.beta.entries());
        symbols.extend(self.configuration.positions());
        let mut random = Random::new(7);
        let mut sign = 0.0;
        for _ in 0..POSITIONS {
            let drawn = random_state(&self.graph, &symbols, &Digits::decimal(20), &mut random);
            let mut at: FxHashMap<Symbol, f64> = drawn.iter().map(|(s, x)| (*s, x.to_f64().value())).collect();
            for factor in model.configuration.factors() {
                if matches!(factor.kind, Kind::Real | Kind::Angle | Kind::Interval(..) | Kind::Se2) {
                    factor.positions.iter().for_each(|s| _ = at.insert(*s, random.between(-PI, PI)));
                }
            }
            at.extend(parameters.iter().map(|(s, x)| (*s, *x)));
            if !inside(self, model, &at) {
                continue;
            }
            let Ok(values) = self.graph.evaluate(&Doubles, frame.beta.entries(), &at) else { return Form::Multipliers };
            let d = determinant(values.chunks(n).map(<[f64]>::to_vec).collect());
            if d == 0.0 || d * sign < 0.0 {
                return Form::Multipliers;
            }
            sign = d.signum();
        }
        Form::Hamel
    }
}
