//! The values of all variables at one time.

use crate::compile::Compiled;
use crate::variable::{Group, Variable};
use polhode_tape::{Dd, Scalar};
use std::ops::Index;
use std::sync::Arc;

/// The values of all variables at one time, in as many digits as were computed.
#[derive(Clone, Debug)]
pub struct Sample {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) t: Dd,
    pub(crate) doubles: Vec<f64>,
    pub(crate) digits: Vec<Dd>,
    /// The work done on the way, where books were kept.
    pub(crate) work: Option<f64>,
}

impl Sample {
    pub(crate) fn new(compiled: &Arc<Compiled>, t: Dd, digits: Vec<Dd>) -> Sample {
        Sample {
            compiled: compiled.clone(),
            t,
            doubles: digits.iter().map(|x| x.to_f64()).collect(),
            digits,
            work: None,
        }
    }

    /// The work done from the start until then by forces, moving constraints, friction, jumps and explicit time, which the energy changes by.
    /// `None` for samples that were interpolated after the run.
    pub fn work(&self) -> Option<f64> {
        self.work
    }

    /// The time.
    pub fn t(&self) -> f64 {
        self.t.to_f64()
    }

    /// The time with all digits.
    pub fn time(&self) -> Dd {
        self.t
    }

    /// Has every number a finite value? At an end of an interval accelerations may have none.
    pub fn is_finite(&self) -> bool {
        self.doubles.iter().all(|x| x.is_finite())
    }

    /// The numbers of a variable.
    pub fn numbers(&self, variable: &Variable) -> &[f64] {
        &self.doubles[variable.numbers.clone()]
    }

    /// A number by its place, as in [`Variable::numbers`].
    pub fn number(&self, place: usize) -> f64 {
        self.doubles[place]
    }

    /// The numbers of a variable with all digits.
    pub fn digits(&self, variable: &Variable) -> &[Dd] {
        &self.digits[variable.numbers.clone()]
    }

    /// One number by its name: `theta`, `theta'`, `R[1,3]`, `Omega[2]`, `energy`. Positions,
    /// velocities and derived quantities are looked up, in this order.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.place(name).map(|i| self.doubles[i])
    }

    /// One number with all digits.
    pub fn get_digits(&self, name: &str) -> Option<Dd> {
        self.place(name).map(|i| self.digits[i])
    }

    /// The reaction force of a constraint: its multiplier.
    pub fn reaction(&self, constraint: &str) -> Option<f64> {
        self.reaction_place(constraint).map(|i| self.doubles[i])
    }

    /// The reaction force of a constraint with all digits.
    pub fn reaction_digits(&self, constraint: &str) -> Option<Dd> {
        self.reaction_place(constraint).map(|i| self.digits[i])
    }

    fn reaction_place(&self, constraint: &str) -> Option<usize> {
        let of = |v: &&Variable| v.group == Group::Reaction && v.name == constraint;
        self.compiled.variables.iter().find(of).map(|v| v.numbers.start)
    }

    fn place(&self, name: &str) -> Option<usize> {
        // the symbol of a velocity of a unit vector is `s[1]'`, its column `s'[1]`
        let swapped = name.strip_suffix("]'").and_then(|n| n.split_once('[')).map(|(s, i)| format!("{s}'[{i}]"));
        let name = swapped.as_deref().unwrap_or(name);
        let seen = |v: &&Variable| matches!(v.group, Group::Position | Group::Velocity | Group::Derived);
        let stem = name.split('[').next().unwrap_or(name);
        for v in self.compiled.variables.iter().filter(seen) {
            if v.name != name && v.name != stem {
                continue;
            }
            if let Some(k) = v.columns().iter().position(|c| c == name) {
                return Some(v.numbers.start + k);
            }
        }
        None
    }
}

impl Index<&str> for Sample {
    type Output = f64;

    /// Panics when there is no such number; [`Sample::get`] does not.
    fn index(&self, name: &str) -> &f64 {
        match self.place(name) {
            Some(i) => &self.doubles[i],
            None => panic!("no number `{name}` in this motion"),
        }
    }
}
