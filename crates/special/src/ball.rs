//! Values with an error bound, and evaluation that asks for more digits until the bound is small.
//!
//! A [`Ball`] is a complex number z with |z − truth| ≤ 2^error. Formulas made of a few large pieces,
//! gamma functions, powers and sums of series, are evaluated in balls; the sums themselves bring one
//! bound each (largest term, number of terms, tail). A function of the crate is a [`Task`] that can be
//! run with any number of digits, and [`evaluate`] runs it with 128, 256, 512 and 1024 bits until both
//! parts of the result are known to the precision of the caller's type. Cancellation, a nearby zero
//! or a nearly degenerate case cost time, not digits.
//!
//! The bounds follow the rounding errors by magnitude, with a few bits in reserve; they are not
//! proven line by line.

use crate::complex::Complex;
use crate::wide::Wide;
use polhode_tape::{Dd, Scalar};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// log₂ of an error that is none.
pub(crate) const EXACT: i64 = i64::MIN / 16;
/// log₂ of the error of a number that is not known at all.
pub(crate) const UNKNOWN: i64 = i64::MAX / 16;

/// A complex number known to ± 2^error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball<const N: usize> {
    pub(crate) value: Complex<Wide<N>>,
    pub(crate) error: i64,
}

/// log₂ of a bound of 2ᵃ + 2ᵇ.
pub(crate) fn join(a: i64, b: i64) -> i64 {
    let (a, b) = if a > b { (a, b) } else { (b, a) };
    if b <= EXACT { a } else { a + 1 }
}

/// The least n with |re|, |im| < 2ⁿ.
pub(crate) fn size<const N: usize>(z: Complex<Wide<N>>) -> i64 {
    z.re.magnitude().max(z.im.magnitude())
}

impl<const N: usize> Ball<N> {
    /// A number without error.
    pub(crate) fn exact(value: Complex<Wide<N>>) -> Self {
        Self { value, error: EXACT }
    }

    /// A real number without error.
    pub(crate) fn real(x: Wide<N>) -> Self {
        Self::exact(Complex::from(x))
    }

    /// A number that is off by a few units of its last digit.
    pub(crate) fn rounded(value: Complex<Wide<N>>) -> Self {
        Self { value, error: size(value) + 4 - Wide::<N>::BITS }
    }

    /// Nothing is known.
    pub(crate) fn unknown() -> Self {
        Self { value: Complex::default(), error: UNKNOWN }
    }

    /// log₂ of a bound of |z| and of all numbers in the ball.
    pub(crate) fn size(&self) -> i64 {
        (size(self.value) + 1).max(self.error + 1)
    }

    /// The same with a further error of 2^error.
    pub(crate) fn blurred(self, error: i64) -> Self {
        Self { value: self.value, error: join(self.error, error) }
    }

    /// e^z.
    pub(crate) fn exp(self) -> Self {
        // the error of the exponent, and that of an exponential of a large number
        let relative = join(self.error, size(self.value).max(0) + 8 - Wide::<N>::BITS);
        if relative > -2 {
            return Self::unknown();
        }
        let value = self.value.exp();
        Self { value, error: size(value) + 1 + relative + 1 }
    }

    /// xˢ of a real x > 0 with ln x known to its last digits.
    pub(crate) fn power(x: Wide<N>, s: Self) -> Self {
        let log = x.ln();
        let error = if log.is_zero() { EXACT } else { log.magnitude() + 8 - Wide::<N>::BITS };
        (s * Self { value: Complex::from(log), error }).exp()
    }

    /// The real part alone, for a value known to be real.
    pub(crate) fn real_part(self) -> Self {
        Self { value: Complex::from(self.value.re), error: self.error }
    }
}

impl<const N: usize> Neg for Ball<N> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, error: self.error }
    }
}

impl<const N: usize> Add for Ball<N> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        let value = self.value + b.value;
        let rounding = size(self.value).max(size(b.value)) + 2 - Wide::<N>::BITS;
        Self { value, error: join(join(self.error, b.error), rounding) }
    }
}

impl<const N: usize> Sub for Ball<N> {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        self + -b
    }
}

impl<const N: usize> Mul for Ball<N> {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let value = self.value * b.value;
        let (p, q) = (self.size(), b.size());
        let own = join((self.error + q).max(EXACT), (b.error + p).max(EXACT));
        Self { value, error: join(own, p + q + 3 - Wide::<N>::BITS) }
    }
}

impl<const N: usize> Div for Ball<N> {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        // |b| is at least 2^low
        let low = size(b.value) - 1;
        if b.error > low - 2 || b.value == Complex::default() {
            return Self::unknown();
        }
        let value = self.value / b.value;
        let own = join((self.error - low + 1).max(EXACT), (b.error - low + 1 + size(value) + 1).max(EXACT));
        Self { value, error: join(own, size(value) + 5 - Wide::<N>::BITS) }
    }
}

/// Something that can be evaluated with any number of digits.
pub(crate) trait Task<const K: usize> {
    /// The values with 64 N bits.
    fn run<const N: usize>(&self) -> [Ball<N>; K];
}

/// The values of a task to the precision of S, each part rounded once; undefined where 1024 bits do
/// not give them.
pub(crate) fn evaluate<S: Scalar, const K: usize>(task: &impl Task<K>) -> [Complex<S>; K] {
    // a few bits more than the type has: the rounding is then right but for one case in a hundred
    let bits = if S::EPSILON > 1e-20 { 60 } else { 114 };
    if bits == 60
        && let Some(y) = accepted(&task.run::<2>(), bits)
    {
        return y;
    }
    if let Some(y) = accepted(&task.run::<4>(), bits) {
        return y;
    }
    if let Some(y) = accepted(&task.run::<8>(), bits) {
        return y;
    }
    let last = task.run::<16>();
    accepted(&last, bits).unwrap_or_else(|| std::array::from_fn(|k| settled(&last[k], bits)))
}

/// The rounded values where both parts of each have enough bits.
fn accepted<S: Scalar, const N: usize, const K: usize>(balls: &[Ball<N>; K], bits: i64) -> Option<[Complex<S>; K]> {
    for b in balls {
        for part in [b.value.re, b.value.im] {
            // a part that vanishes does so by symmetry; one far below the other counts as 0
            let known = part.is_zero() || part.magnitude() - 1 - b.error >= bits;
            let negligible = b.error <= size(b.value) - 6 * bits;
            if b.error >= UNKNOWN / 2 || !(known || negligible) {
                return None;
            }
        }
    }
    if balls.iter().any(|b| b.value == Complex::default() && b.error > -8 * bits) {
        return None;
    }
    Some(std::array::from_fn(|k| settled(&balls[k], bits)))
}

/// The value with its unknown parts set to 0, or undefined when the larger part is not known.
fn settled<S: Scalar, const N: usize>(b: &Ball<N>, bits: i64) -> Complex<S> {
    let all = size(b.value);
    if b.error > all - 1 - bits && !(b.value == Complex::default() && b.error <= -8 * bits) {
        let none = S::from_f64(f64::NAN);
        return Complex::new(none, none);
    }
    let part = |x: Wide<N>| {
        if x.magnitude() - 1 - b.error >= bits { S::constant(x.to_dd()) } else { S::default() }
    };
    Complex::new(part(b.value.re), part(b.value.im))
}

/// A number of a caller's type, with all its digits.
pub(crate) fn wide<const N: usize>(z: Complex<Dd>) -> Complex<Wide<N>> {
    Complex::new(Wide::constant(z.re), Wide::constant(z.im))
}
