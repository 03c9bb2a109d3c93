//! Which form to integrate.
//!
//! Hamel's form has the fewest unknowns and keeps the constraints by construction, but its
//! quasi-velocities may fail to be coordinates on D somewhere: where det β vanishes. (A
//! direction on the sphere has no frame without such a place.) The multiplier form fails nowhere that the
//! constraints keep their rank. So: Hamel's form if det β keeps its sign and its size, more or less, at random positions
//! of the domain, else multipliers. Where rows were left out because they follow from the others on the surface
//! of holonomic constraints, those that are kept may become dependent there, and multipliers are no help.

use crate::charts::random_positions;
use crate::dense::determinant;
use crate::forms::Form;
use crate::system::System;
use polhode_expr::eval::Doubles;
use polhode_model::Model;

/// Positions at which det β is looked at.
const POSITIONS: usize = 60;

/// A determinant that is smaller than this part of its largest value vanishes somewhere, perhaps without a change of sign.
const SMALL: f64 = 0.02;

impl System {
    /// The form to integrate when the user has no preference.
    pub fn preferred_form(&mut self, model: &Model) -> Form {
        let Ok(frame) = self.hamel_frame() else { return Form::Multipliers };
        if !self.distribution.left_out.is_empty() {
            return Form::Hamel;
        }
        if model.parameter_values().is_err() {
            return Form::Multipliers;
        }
        let n = frame.n();
        let mut symbols = self.graph.free_symbols(frame.beta.entries());
        symbols.extend(self.configuration.positions());
        let (mut sign, mut least, mut largest) = (0.0, f64::MAX, 0.0);
        for at in random_positions(self, model, &symbols, POSITIONS) {
            let Ok(values) = self.graph.evaluate(&Doubles, frame.beta.entries(), &at) else { return Form::Multipliers };
            let d = determinant(values.chunks(n).map(<[f64]>::to_vec).collect());
            if d == 0.0 || d * sign < 0.0 {
                return Form::Multipliers;
            }
            sign = d.signum();
            (least, largest) = (d.abs().min(least), d.abs().max(largest));
        }
        if least < SMALL * largest {
            return Form::Multipliers;
        }
        Form::Hamel
    }
}
