//! Events on a motion that returns: those that would end it.
//!
//! The functions of most events are invariants of the group: what does not happen in one period never happens. Others change with what drifts, and are looked at for
//! some periods more; the motion is known as far as that.

use super::super::NoReturn;
use super::super::ending::EndingMotion;
use super::ReturningMotion;
use polhode_model::Direction;
use polhode_tape::{Dd, Interpreter, Scalar};
use std::sync::Arc;

/// Periods that are looked at where event functions change from one to the next.
const PERIODS: usize = 100;

/// Difference of event functions after a period, as part of their size, that is rounding.
const SAME: f64 = 1e-18;

impl ReturningMotion {
    /// The motion, with the time up to which it is known that no event ends it; or its end.
    pub(super) fn watched(mut self) -> Result<ReturningMotion, NoReturn> {
        let infos = self.dynamics.compiled.events.clone();
        if !infos.iter().any(|e| e.terminal) {
            return Ok(self);
        }
        let tape = self.dynamics.tapes().events.clone();
        let mut functions = Interpreter::<Dd>::new(&tape);
        let mut values = vec![Dd::ZERO; tape.outputs.len()];
        let looks = self.looks();
        let mut first: Vec<Vec<Dd>> = Vec::new();
        let mut before: Option<Vec<f64>> = None;
        for n in 0..PERIODS {
            let begin = Dd::from(n as f64) * self.period;
            let mut changed = false;
            for (k, look) in looks.iter().enumerate() {
                let t = begin + *look;
                let y = self.state(t);
                functions.call(&[&[t], &y[..]].concat(), &mut values);
                let now: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
                let crossed = infos.iter().enumerate().filter(|(_, e)| e.terminal).any(|(k, e)| match &before {
                    Some(before) => {
                        let (falls, rises) = (before[k] >= 0.0 && now[k] < 0.0, before[k] <= 0.0 && now[k] > 0.0);
                        match e.direction {
                            Direction::Falling => falls,
                            Direction::Rising => rises,
                            Direction::Either => falls || rises,
                        }
                    }
                    // contacts that are violated from the beginning
                    None => e.cause.is_some() && now[k] < 0.0,
                });
                if crossed && let Some(end) = EndingMotion::about(&self.dynamics.compiled, t.to_f64()) {
                    return Err(NoReturn::Ends(Arc::new(end)));
                }
                if n == 0 {
                    first.push(values.clone());
                } else {
                    let same = |i: usize| (values[i] - first[k][i]).to_f64().abs() <= SAME * now[i].abs().max(1.0);
                    changed |= !infos.iter().enumerate().filter(|(_, e)| e.terminal).all(|(i, _)| same(i));
                }
                before = Some(now);
            }
            if n > 0 && !changed {
                return Ok(self);
            }
        }
        self.watched_until = Some(Dd::from(PERIODS as f64) * self.period);
        Ok(self)
    }
}
