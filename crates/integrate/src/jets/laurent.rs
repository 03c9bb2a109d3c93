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

#[cfg(test)]
mod tests {
    use super::super::plain::{self, Series};
    use super::*;
    use polhode_tape::{Builder, Scalar};
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    /// Orders of the series below.
    const LENGTH: usize = 7;
    /// How many atoms there are.
    const ATOMS: u32 = 4;

    /// The series of a monomial of atoms with these.
    fn power(m: &Monomial, atoms: &[Series]) -> Series {
        let one = plain::constant(Dd::ONE, atoms[0].len());
        m.iter().fold(one, |product, (atom, e)| {
            let atom = &atoms[atom.index()];
            (0..e.abs()).fold(product, |product, _| match *e > 0 {
                true => plain::product(&product, atom),
                false => plain::quotient(&product, atom),
            })
        })
    }

    /// The series of a sum, and the largest coefficient of its terms.
    fn of(sum: &Sum, atoms: &[Series]) -> (Series, f64) {
        let zero = plain::constant(Dd::ZERO, atoms[0].len());
        sum.iter().fold((zero, 0.0), |(total, size), (m, c)| {
            let term = power(m, atoms);
            (plain::plus(&total, *c, &term), f64::max(size, c.to_f64().abs() * plain::size(&term)))
        })
    }

    /// Panics unless two series agree, compared with what was added up for them.
    fn agree(a: &[Dd], b: &[Dd], size: f64, what: &str) {
        let off = plain::size(&plain::plus(a, -Dd::ONE, b));
        assert!(off <= 1e-24 * size.max(plain::size(b)), "{what}: off by {off:e} of {size:e}\n{a:?}\n{b:?}");
    }

    /// What types of this file promise.
    fn is_reduced(sum: &Sum) -> bool {
        sum.iter().all(|(m, c)| *c != Dd::ZERO && m.values().all(|e| *e != 0))
    }

    fn monomial() -> impl Strategy<Value = Monomial> {
        let exponent = prop_oneof![-2..=-1, 1..=2];
        btree_map((0..ATOMS).prop_map(Value), exponent, 0..=3)
    }

    /// Few different coefficients, so that terms cancel.
    fn coefficient() -> impl Strategy<Value = Dd> {
        (prop_oneof![-3i64..=-1, 1i64..=3], 1i64..=3).prop_map(|(p, q)| Dd::ratio(p, q))
    }

    fn sum() -> impl Strategy<Value = Sum> {
        btree_map(monomial(), coefficient(), 0..=4)
    }

    fn atoms() -> impl Strategy<Value = Vec<Series>> {
        let first = prop_oneof![-1.5..-0.5, 0.5..1.5];
        let one = (first, vec(-1.0..1.0, LENGTH - 1));
        let series = one.prop_map(|(a, rest)| std::iter::once(a).chain(rest).map(Dd::from).collect::<Series>());
        vec(series, ATOMS as usize)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn monomials_are_products(a in monomial(), b in monomial(), e in -2i32..=2, atoms in atoms()) {
            let product = times(&a, &b, e);
            prop_assert!(product.values().all(|e| *e != 0));
            let factor = power(&b, &atoms);
            let wanted = (0..e.abs()).fold(power(&a, &atoms), |product, _| match e > 0 {
                true => plain::product(&product, &factor),
                false => plain::quotient(&product, &factor),
            });
            let ours = power(&product, &atoms);
            // the plain way goes by way of quotients that cancel
            let size = plain::size(&power(&a, &atoms)) * (1.0 + plain::size(&factor)).powi(2) * 1e4;
            agree(&ours, &wanted, size.max(plain::size(&wanted)), "a product");
            prop_assert_eq!(times(&product, &b, -e), a);
        }

        #[test]
        fn sums_are_sums(a in sum(), c in coefficient(), m in monomial(), b in sum(), atoms in atoms()) {
            let total = plus(&a, c, &m, &b);
            prop_assert!(is_reduced(&total));
            let ((first, size), (second, other)) = (of(&a, &atoms), of(&b, &atoms));
            let factor = power(&m, &atoms);
            let wanted = plain::plus(&first, c, &plain::product(&factor, &second));
            let size = size.max(other * plain::size(&factor) * c.to_f64().abs());
            agree(&of(&total, &atoms).0, &wanted, 1e4 * size, "a sum");
            // what was added goes without a trace
            let back = plus(&total, -c, &m, &b);
            prop_assert!(back.keys().eq(a.keys()), "{:?} and {:?}", back, a);
            prop_assert!(plus(&plus(&Sum::new(), c, &m, &b), -c, &m, &b).is_empty());
        }

        #[test]
        fn what_is_common_is_the_most(a in sum()) {
            let common = common(&a);
            prop_assert!(common.values().all(|e| *e != 0));
            let rest: Vec<Monomial> = a.keys().map(|m| times(m, &common, -1)).collect();
            // no term lacks an atom then, and none has one that all others have
            for atom in (0..ATOMS).map(Value).filter(|_| !rest.is_empty()) {
                let least = rest.iter().map(|m| m.get(&atom).copied().unwrap_or(0)).min();
                prop_assert_eq!(least, Some(0));
            }
            match single(&a) {
                Some((m, c)) => prop_assert!(a.len() == 1 && a[m] == c && *m == common),
                None => prop_assert!(a.len() != 1),
            }
        }

        #[test]
        fn values_and_rates_are_those_of_the_motion(seed: u64) {
            let (field, point) = plain::field(seed);
            let (series, _) = plain::motion(&field, &point, LENGTH);
            let all = values(&field);
            prop_assert_eq!(all.len(), field.ops.len());
            // what cancels in the tape is rounded there, and not in sums
            let scale = series.iter().map(|v| plain::size(v)).fold(1.0, f64::max);
            for (k, sum) in all.iter().enumerate() {
                prop_assert!(is_reduced(sum) && sum.len() <= LONGEST);
                let (ours, size) = of(sum, &series);
                agree(&ours, &series[k], scale * size.max(1.0), "a value");
                if let Some(rate) = rate(&field, &all, sum) {
                    prop_assert!(is_reduced(&rate) && rate.len() <= LONGEST);
                    let (ours, size) = of(&rate, &series);
                    agree(&ours[..LENGTH], &plain::rate(&series[k]), scale * size.max(1.0), "a rate");
                }
            }
        }
    }

    /// x sin x, (x sin x)/sin x, x/(2 sin x), 1/(1 + x) and the rates of the first two.
    #[test]
    fn quotients_of_single_terms_are_followed_and_others_are_atoms() {
        let mut b = Builder::new();
        b.input("t");
        let x = b.input("x");
        let [sine, cosine] = [Op::Sin(x), Op::Cos(x)].map(|op| b.emit(op));
        let product = b.emit(Op::Mul(x, sine));
        let back = b.emit(Op::Div(product, sine));
        let one = b.constant(Dd::ONE);
        let (two, more) = (b.constant(Dd::from(2)), b.emit(Op::Add(x, one)));
        let twice = b.emit(Op::Mul(sine, two));
        let half = b.emit(Op::Div(x, twice));
        let inverse = b.emit(Op::Div(one, more));
        b.output("rate.x", cosine);
        let field = b.into_raw();
        let all = values(&field);
        let of = |v: Value| &all[v.index()];
        let term = |atoms: &[(Value, i32)]| (Monomial::from_iter(atoms.iter().copied()), Dd::ONE);
        assert_eq!(*of(product), Sum::from([term(&[(x, 1), (sine, 1)])]));
        assert_eq!(*of(back), Sum::from([term(&[(x, 1)])]));
        assert_eq!(*of(half), Sum::from([(term(&[(x, 1), (sine, -1)]).0, Dd::ratio(1, 2))]));
        assert_eq!(*of(more), Sum::from([term(&[]), term(&[(x, 1)])]));
        assert_eq!(*of(inverse), Sum::from([term(&[(inverse, 1)])]));
        // (x sin x)˙ = cos x sin x + x cos² x
        let wanted = Sum::from([term(&[(cosine, 1), (sine, 1)]), term(&[(x, 1), (cosine, 2)])]);
        assert_eq!(rate(&field, &all, of(product)), Some(wanted));
        assert_eq!(rate(&field, &all, of(back)), Some(Sum::from([term(&[(cosine, 1)])])));
        assert_eq!(rate(&field, &all, of(inverse)), None);
        // numbers have a rate, and it is 0
        assert_eq!(rate(&field, &all, of(one)), Some(Sum::new()));
    }

    /// Only what a tape has is used: a sine without its cosine has no rate.
    #[test]
    fn a_sine_alone_has_no_rate() {
        let field: Tape = "inputs t x\nv0 = input x\nv1 = sin v0\noutputs\n  rate.x = v1\n".parse().unwrap();
        let all = values(&field);
        assert_eq!(rate(&field, &all, &all[1]), None);
        assert_eq!(rate(&field, &all, &all[0]), Some(all[1].clone()));
    }
}
