//! Slow, obvious evaluation of expressions, in doubles and in many digits.
//!
//! One loop over the graph, generic over the arithmetic. It is used to check the
//! symbolic half and to compare forms of equations of motion at random states.

use crate::graph::{Exponent, Expr, Function, Graph, Node, Symbol};
use crate::number::{Rational, to_f64};
use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use rustc_hash::FxHashMap;
use std::fmt;

/// A number with as many digits as its [`Digits`] arithmetic works with.
pub type Real = FBig<HalfEven, 2>;

/// The operations evaluation needs. `None` means "not defined there".
pub trait Arithmetic {
    /// The numbers.
    type Value: Clone;
    /// A rational constant.
    fn number(&self, r: &Rational) -> Self::Value;
    /// π.
    fn pi(&self) -> Self::Value;
    /// Addition.
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Multiplication.
    fn mul(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// A rational power.
    fn pow(&self, a: &Self::Value, k: Exponent) -> Option<Self::Value>;
    /// An elementary function.
    fn call(&self, f: Function, a: &Self::Value) -> Option<Self::Value>;
    /// The angle of (x, y).
    fn atan2(&self, y: &Self::Value, x: &Self::Value) -> Option<Self::Value>;
    /// Is the value one to go on with, and no overflow?
    fn is_usable(&self, a: &Self::Value) -> bool;
}

/// Double precision.
#[derive(Clone, Copy, Debug)]
pub struct Doubles;

impl Arithmetic for Doubles {
    type Value = f64;
    fn number(&self, r: &Rational) -> f64 {
        to_f64(r)
    }
    fn pi(&self) -> f64 {
        std::f64::consts::PI
    }
    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }
    fn mul(&self, a: &f64, b: &f64) -> f64 {
        a * b
    }
    fn pow(&self, a: &f64, k: Exponent) -> Option<f64> {
        let p = match k {
            Exponent { n, d: 1 } => a.powi(n),
            Exponent { n, d: 2 } => a.sqrt().powi(n),
            Exponent { n, d } => a.powf(n as f64 / d as f64),
        };
        p.is_finite().then_some(p)
    }
    fn call(&self, f: Function, a: &f64) -> Option<f64> {
        let v = match f {
            Function::Sin => a.sin(),
            Function::Cos => a.cos(),
            Function::Exp => a.exp(),
            Function::Log => a.ln(),
        };
        v.is_finite().then_some(v)
    }
    fn atan2(&self, y: &f64, x: &f64) -> Option<f64> {
        (*y != 0.0 || *x != 0.0).then(|| y.atan2(*x))
    }
    fn is_usable(&self, a: &f64) -> bool {
        a.is_finite()
    }
}

/// Multi-precision with a fixed number of binary digits.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    bits: usize,
}

impl Digits {
    /// Arithmetic with at least this many decimal digits.
    pub fn decimal(digits: usize) -> Digits {
        Digits { bits: digits * 3322 / 1000 + 16 }
    }

    /// The double as an exact number of this arithmetic.
    pub fn double(&self, x: f64) -> Real {
        let exact = Real::try_from(if x.is_finite() { x } else { 0.0 }).unwrap_or_default();
        exact.with_precision(self.bits).value()
    }

    /// The number with our digits. Exact results of the library, such as cos 0 = 1, come
    /// without a precision, and later operations refuse them.
    fn rounded(&self, a: Real) -> Real {
        if a.precision() == self.bits { a } else { a.with_precision(self.bits).value() }
    }

    /// The number as a fraction, without rounding.
    pub fn exact(&self, a: &Real) -> Rational {
        let (significand, exponent) = (a.repr().significand().clone(), a.repr().exponent());
        match usize::try_from(exponent) {
            Ok(up) => Rational::from(significand << up),
            Err(_) => Rational::from_parts(significand, dashu_int::UBig::ONE << exponent.unsigned_abs()),
        }
    }

    /// |a|.
    pub fn abs(&self, a: &Real) -> Real {
        if a < &Real::ZERO { -a.clone() } else { a.clone() }
    }
}

/// Beyond this, exp overflows every use we have.
const LARGEST_EXPONENT: f64 = 1e5;

/// Numbers have at most this many binary places before or behind the point: beyond every
/// use we have, and few enough for those functions of the library that write them out.
const LARGEST_MAGNITUDE: u64 = 1 << 18;

/// Powers up to this one are multiplied out: the library's are right to the last digit, and take several times as long.
const FEW_FACTORS: u32 = 8;

/// Odd roots up to this one are taken as roots, others by logarithms.
const LARGEST_ROOT: i32 = 7;

/// An angle with more binary places than this before the point has lost too many behind it.
const LARGEST_ANGLE: i64 = 32;

/// The n with 2ⁿ⁻¹ ≤ |a| < 2ⁿ, for a ≠ 0.
fn magnitude(a: &Real) -> i64 {
    a.repr().exponent() as i64 + a.repr().digits() as i64
}

impl Arithmetic for Digits {
    type Value = Real;
    fn number(&self, r: &Rational) -> Real {
        let n = Real::from(r.numerator().clone()).with_precision(self.bits).value();
        if r.denominator().is_one() {
            return n;
        }
        let d = Real::from(dashu_int::IBig::from(r.denominator().clone())).with_precision(self.bits).value();
        n / d
    }
    fn pi(&self) -> Real {
        let one = self.number(&crate::number::int(1));
        let quarter = one.clone().atan2(&one);
        quarter * self.number(&crate::number::int(4))
    }
    fn add(&self, a: &Real, b: &Real) -> Real {
        a + b
    }
    fn mul(&self, a: &Real, b: &Real) -> Real {
        a * b
    }
    fn pow(&self, a: &Real, k: Exponent) -> Option<Real> {
        if a == &Real::ZERO {
            return (k.n > 0).then(|| a.clone());
        }
        if !k.is_int() && a < &Real::ZERO {
            return None;
        }
        if magnitude(a).unsigned_abs().saturating_mul(k.n.unsigned_abs().into()) > LARGEST_MAGNITUDE {
            return None;
        }
        let (mut base, mut d) = (a.clone(), k.d);
        while d % 2 == 0 {
            (base, d) = (base.sqrt(), d / 2);
        }
        let base = match d {
            1 => base,
            // an integer of d times as many digits
            3..=LARGEST_ROOT => self.rounded(base.nth_root(d as usize)),
            d => (base.ln() / self.number(&crate::number::int(d.into()))).exp(),
        };
        let power = match k.n.unsigned_abs() {
            n @ 1..=FEW_FACTORS => (1..n).fold(base.clone(), |power, _| power * &base),
            n => base.powi(n.into()),
        };
        let power = self.rounded(power);
        Some(if k.n < 0 { self.number(&crate::number::int(1)) / power } else { power })
    }
    fn call(&self, f: Function, a: &Real) -> Option<Real> {
        match f {
            Function::Sin | Function::Cos if a != &Real::ZERO && magnitude(a) > LARGEST_ANGLE => None,
            Function::Sin => Some(a.sin()),
            Function::Cos => Some(a.cos()),
            Function::Exp => (a.to_f64().value().abs() < LARGEST_EXPONENT).then(|| a.exp()),
            Function::Log => (a > &Real::ZERO).then(|| a.ln()),
        }
        .map(|v| self.rounded(v))
    }
    fn atan2(&self, y: &Real, x: &Real) -> Option<Real> {
        (y != &Real::ZERO || x != &Real::ZERO).then(|| self.rounded(y.atan2(x)))
    }
    fn is_usable(&self, a: &Real) -> bool {
        a == &Real::ZERO || (a.repr().is_finite() && magnitude(a).unsigned_abs() <= LARGEST_MAGNITUDE)
    }
}

/// Why an expression has no value at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// A symbol was given no value.
    Unbound(Symbol),
    /// A division by zero, the logarithm or root of a negative number, or an overflow.
    Undefined(Expr),
    /// A function that is known by name only.
    OpenFunction(Expr),
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EvalError::Unbound(_) => "a symbol of the expression was given no value",
            EvalError::Undefined(_) => "the expression is not defined at this point",
            EvalError::OpenFunction(_) => "the expression contains a function that is known by name only",
        })
    }
}

impl std::error::Error for EvalError {}

impl Graph {
    /// The values of expressions where the symbols have the given values.
    pub fn evaluate<A: Arithmetic>(
        &self,
        arithmetic: &A,
        roots: &[Expr],
        values: &FxHashMap<Symbol, A::Value>,
    ) -> Result<Vec<A::Value>, EvalError> {
        let mut v: FxHashMap<Expr, A::Value> = FxHashMap::default();
        for n in self.reachable(roots) {
            let undefined = || EvalError::Undefined(n);
            let out = match self.node(n) {
                Node::Number(r) => arithmetic.number(r),
                Node::Pi => arithmetic.pi(),
                Node::Symbol(s) => values.get(s).cloned().ok_or(EvalError::Unbound(*s))?,
                Node::Sum { constant, terms } => {
                    let mut total = arithmetic.number(constant);
                    for (t, r) in terms.iter() {
                        let term = if r.is_one() { v[t].clone() } else { arithmetic.mul(&v[t], &arithmetic.number(r)) };
                        total = arithmetic.add(&total, &term);
                    }
                    total
                }
                Node::Product { coefficient, factors } => {
                    let mut total = arithmetic.number(coefficient);
                    for (b, k) in factors.iter() {
                        let p = if *k == Exponent::ONE {
                            v[b].clone()
                        } else {
                            arithmetic.pow(&v[b], *k).ok_or_else(undefined)?
                        };
                        total = arithmetic.mul(&total, &p);
                    }
                    total
                }
                Node::Call(f, a) => arithmetic.call(*f, &v[a]).ok_or_else(undefined)?,
                Node::Atan2(y, x) => arithmetic.atan2(&v[y], &v[x]).ok_or_else(undefined)?,
                Node::Apply { .. } => return Err(EvalError::OpenFunction(n)),
            };
            if !arithmetic.is_usable(&out) {
                return Err(undefined());
            }
            v.insert(n, out);
        }
        Ok(roots.iter().map(|r| v[r].clone()).collect())
    }

    /// The value in doubles of an expression at the given point.
    pub fn evaluate_f64(&self, e: Expr, values: &FxHashMap<Symbol, f64>) -> Result<f64, EvalError> {
        Ok(self.evaluate(&Doubles, &[e], values)?[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_and_digits_agree() {
        let mut g = Graph::new();
        let sx = g.symbol("x");
        let x = g.var(sx);
        let pi = g.pi();
        let half = g.scale(x, &crate::number::ratio(1, 2));
        let parts = [g.sin(x), g.cos(half), g.exp(x), g.log(x), g.sqrt(x), g.powi(x, -3), g.atan2(x, pi)];
        let e = g.sum(parts);
        let low = g.evaluate_f64(e, &FxHashMap::from_iter([(sx, 1.25)])).unwrap();
        let d = Digits::decimal(50);
        let high = g.evaluate(&d, &[e], &FxHashMap::from_iter([(sx, d.double(1.25))])).unwrap();
        assert!((high[0].to_f64().value() - low).abs() < 1e-14);
    }

    #[test]
    fn exact_values_are_numbers_like_others() {
        let mut g = Graph::new();
        let sx = g.symbol("x");
        let x = g.var(sx);
        let (s, c, e) = (g.sin(x), g.cos(x), g.exp(x));
        let a = g.atan2(s, c);
        let sum = g.sum([s, c, e, a]);
        let inverse = g.powi(c, -1);
        let third = g.pow(e, Exponent { n: 1, d: 3 });
        let roots = [g.sqrt(sum), g.log(sum), g.sin(inverse), g.exp(third), g.atan2(c, e)];
        let total = g.sum(roots);
        let d = Digits::decimal(30);
        let at_zero = g.evaluate(&d, &[total], &FxHashMap::from_iter([(sx, d.double(0.0))])).unwrap();
        let expected = 2f64.sqrt() + 2f64.ln() + 1f64.sin() + 1f64.exp() + 1f64.atan2(1.0);
        assert!((at_zero[0].to_f64().value() - expected).abs() < 1e-14);
    }

    #[test]
    fn overflow_is_undefined() {
        let mut g = Graph::new();
        let sx = g.symbol("x");
        let x = g.var(sx);
        let big = g.powi(x, 300);
        let one = g.one();
        let (a, b) = (g.add(big, one), g.add(big, x));
        let e = g.mul(a, b);
        assert_eq!(g.evaluate_f64(e, &FxHashMap::from_iter([(sx, 10.0)])), Err(EvalError::Undefined(e)));
        let d = Digits::decimal(20);
        let huge = g.powi(x, i32::MAX);
        let lost = g.sin(huge);
        for x in [0.3, 10.0] {
            let at = FxHashMap::from_iter([(sx, d.double(x))]);
            assert!(matches!(g.evaluate(&d, &[lost], &at), Err(EvalError::Undefined(_))));
        }
    }

    #[test]
    fn fifty_digits_of_pi() {
        let d = Digits::decimal(50);
        let text = format!("{:.48}", d.pi().with_base_and_precision::<10>(60).value());
        assert!(text.starts_with("3.14159265358979323846264338327950288419716939937"), "{text}");
    }

    #[test]
    fn undefined_points_are_reported() {
        let mut g = Graph::new();
        let sx = g.symbol("x");
        let x = g.var(sx);
        let e = g.powi(x, -1);
        let at_zero = FxHashMap::from_iter([(sx, 0.0)]);
        assert_eq!(g.evaluate_f64(e, &at_zero), Err(EvalError::Undefined(e)));
        assert_eq!(g.evaluate_f64(e, &FxHashMap::default()), Err(EvalError::Unbound(sx)));
    }
}
