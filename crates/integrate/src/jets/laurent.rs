//! Values of a tape as sums of products of powers,
//!
//! ```text
//! v = Σ c a₁^e₁ a₂^e₂ …,        eᵢ … integers,
//! ```
//!
//! of *atoms*: inputs, sines and cosines, and whatever else is no sum, product or quotient of such. Sums that get long are
//! atoms too.

use polhode_tape::{Dd, Op, Tape, Value};
use std::collections::BTreeMap;

/// Longer sums are not followed.
const LONGEST: usize = 12;
/// Sums of coefficients that are smaller than this part of what was added are zero.
const ROUNDING: f64 = 1e-28;

/// Atoms and their exponents, which are not zero.
pub(super) type Monomial = BTreeMap<Value, i32>;

/// Coefficients, which are not zero.
pub(super) type Sum = BTreeMap<Monomial, Dd>;

/// The product of two monomials, the second to a power.
pub(super) fn times(a: &Monomial, b: &Monomial, power: i32) -> Monomial {
    let mut product = a.clone();
    for (atom, e) in b {
        let exponent = product.entry(*atom).or_insert(0);
        *exponent += e * power;
        if *exponent == 0 {
            product.remove(atom);
        }
    }
    product
}

/// a + c m b.
pub(super) fn plus(a: &Sum, c: Dd, m: &Monomial, b: &Sum) -> Sum {
    let mut sum = a.clone();
    for (monomial, coefficient) in b {
        let (monomial, term) = (times(monomial, m, 1), *coefficient * c);
        let before = sum.get(&monomial).copied().unwrap_or(Dd::ZERO);
        let after = before + term;
        if after.hi().abs() <= ROUNDING * term.hi().abs() {
            sum.remove(&monomial);
        } else {
            sum.insert(monomial, after);
        }
    }
    sum
}

/// What all terms have in common.
pub(super) fn common(sum: &Sum) -> Monomial {
    let mut terms = sum.keys();
    let mut common = terms.next().cloned().unwrap_or_default();
    for term in terms {
        let atoms: Vec<Value> = common.keys().chain(term.keys()).copied().collect();
        let exponent = |m: &Monomial, atom: &Value| m.get(atom).copied().unwrap_or(0);
        common = atoms.iter().map(|atom| (*atom, exponent(&common, atom).min(exponent(term, atom)))).collect();
        common.retain(|_, e| *e != 0);
    }
    common
}

/// The only term of a sum.
pub(super) fn single(sum: &Sum) -> Option<(&Monomial, Dd)> {
    let mut terms = sum.iter();
    terms.next().filter(|_| sum.len() == 1).map(|(m, c)| (m, *c))
}

/// All values of a tape.
pub(super) fn values(tape: &Tape) -> Vec<Sum> {
    let one = Monomial::new();
    let mut all: Vec<Sum> = Vec::with_capacity(tape.ops.len());
    for (k, op) in tape.ops.iter().enumerate() {
        let of = |v: Value| &all[v.index()];
        let sum = match *op {
            Op::Constant(c) if c == Dd::ZERO => Some(Sum::new()),
            Op::Constant(c) => Some(Sum::from([(one.clone(), c)])),
            Op::Neg(a) => Some(plus(&Sum::new(), -Dd::ONE, &one, of(a))),
            Op::Add(a, b) => Some(plus(of(a), Dd::ONE, &one, of(b))),
            Op::Sub(a, b) => Some(plus(of(a), -Dd::ONE, &one, of(b))),
            Op::Mul(a, b) if of(a).len() * of(b).len() <= LONGEST => {
                Some(of(a).iter().fold(Sum::new(), |sum, (m, c)| plus(&sum, *c, m, of(b))))
            }
            Op::Div(a, b) => single(of(b)).map(|(m, c)| plus(&Sum::new(), Dd::ONE / c, &times(&one, m, -1), of(a))),
            _ => None,
        };
        let own = || Sum::from([(Monomial::from([(Value(k as u32), 1)]), Dd::ONE)]);
        all.push(sum.filter(|sum| sum.len() <= LONGEST).unwrap_or_else(own));
    }
    all
}

/// The rate of a sum, where those of all of its atoms are known.
pub(super) fn rate(tape: &Tape, values: &[Sum], sum: &Sum) -> Option<Sum> {
    let mut total = Sum::new();
    for (m, c) in sum {
        for (atom, e) in m {
            let rest = times(m, &Monomial::from([(*atom, 1)]), -1);
            total = plus(&total, *c * Dd::from(*e), &rest, &atom_rate(tape, values, *atom)?);
        }
    }
    (total.len() <= LONGEST).then_some(total)
}

fn atom_rate(tape: &Tape, values: &[Sum], atom: Value) -> Option<Sum> {
    let one = Monomial::new();
    let beside = |op: Op| {
        let place = tape.ops.iter().position(|other| *other == op)?;
        Some(Monomial::from([(Value(place as u32), 1)]))
    };
    let (angle, other, sign) = match tape.ops[atom.index()] {
        Op::Input(0) => return Some(Sum::from([(one, Dd::ONE)])),
        Op::Input(i) => return Some(values[tape.outputs[i as usize - 1].value.index()].clone()),
        Op::Sin(a) => (a, beside(Op::Cos(a))?, Dd::ONE),
        Op::Cos(a) => (a, beside(Op::Sin(a))?, -Dd::ONE),
        _ => return None,
    };
    let speed = rate(tape, values, &values[angle.index()])?;
    Some(plus(&Sum::new(), sign, &other, &speed))
}
