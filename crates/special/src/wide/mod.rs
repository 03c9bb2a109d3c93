//! Binary floating point of 64 N bits on the stack: the working precision of this crate.
//!
//! ```text
//! x = ± 0.d₁d₂…  · 2^exponent,   ½ ≤ 0.d₁d₂… < 1  or  x = 0
//! ```
//!
//! Results are truncated, not rounded: one operation is off by at most 4 units of the last of 64 N
//! bits, a function by at most 64 while its argument is of moderate size. Functions of this crate are
//! evaluated with 128 bits first and with more where cancellation asks for it (`ball.rs`), so what a
//! caller sees is rounded once.
//!
//! There are no infinities of the usual kind: a division by zero gives a number whose exponent says
//! that it is not one, [`Wide::is_finite`].
//!
//! Not here: subnormal numbers, signed zeros, correct rounding.

mod constants;
mod functions;

use polhode_tape::{Dd, Scalar};
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// ± 0.digits · 2^exponent, the digits little-endian with the top bit set, or all zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide<const N: usize> {
    negative: bool,
    exponent: i64,
    digits: [u64; N],
}

/// Exponents from here on mean that a number is not one.
const INFINITE: i64 = 1 << 40;

impl<const N: usize> Wide<N> {
    /// The bits of a number.
    pub(crate) const BITS: i64 = 64 * N as i64;
    /// 0.
    pub(crate) const ZERO: Self = Self { negative: false, exponent: 0, digits: [0; N] };
    /// 1.
    pub(crate) const ONE: Self = Self { negative: false, exponent: 1, digits: Self::TOP };

    const TOP: [u64; N] = {
        let mut d = [0; N];
        d[N - 1] = 1 << 63;
        d
    };

    /// Whether it is 0.
    #[inline]
    pub(crate) fn is_zero(&self) -> bool {
        self.digits[N - 1] == 0
    }

    /// Whether it is below 0.
    #[inline]
    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// The least n with |x| < 2ⁿ; for 0 a number below all others that occur.
    #[inline]
    pub(crate) fn magnitude(&self) -> i64 {
        if self.is_zero() { -INFINITE * 4 } else { self.exponent }
    }

    /// Times 2ⁿ.
    #[inline]
    pub(crate) fn scaled(mut self, n: i64) -> Self {
        self.exponent += n;
        self
    }

    /// An integer, exactly.
    pub(crate) fn integer(n: i64) -> Self {
        let mut digits = [0; N];
        digits[N - 1] = n.unsigned_abs();
        Self::normalised(n < 0, 64, digits, 0)
    }

    /// The digits moved up until the top bit is set; `guard` follows them.
    #[inline]
    fn normalised(negative: bool, exponent: i64, mut digits: [u64; N], mut guard: u64) -> Self {
        let mut shift = 0;
        while digits[N - 1] == 0 {
            if shift == N as i64 + 1 {
                return Self::ZERO;
            }
            for k in (1..N).rev() {
                digits[k] = digits[k - 1];
            }
            (digits[0], guard) = (guard, 0);
            shift += 1;
        }
        let bits = digits[N - 1].leading_zeros();
        if bits > 0 {
            for k in (1..N).rev() {
                digits[k] = digits[k] << bits | digits[k - 1] >> (64 - bits);
            }
            digits[0] = digits[0] << bits | guard >> (64 - bits);
        }
        Self { negative, exponent: exponent - 64 * shift - i64::from(bits), digits }
    }

    /// The digits moved down by `shift` ≤ 64 N bits, and the 64 bits after them.
    #[inline]
    fn moved_down(&self, shift: u64) -> ([u64; N], u64) {
        let (limbs, bits) = ((shift / 64) as usize, (shift % 64) as u32);
        let at = |k: usize| if k < N { self.digits[k] } else { 0 };
        let part = |k: usize| if bits == 0 { at(k) } else { at(k) >> bits | at(k + 1) << (64 - bits) };
        let mut out = [0; N];
        for (k, d) in out.iter_mut().enumerate() {
            *d = part(k + limbs);
        }
        let guard = match limbs {
            0 if bits == 0 => 0,
            0 => self.digits[0] << (64 - bits),
            _ => part(limbs - 1),
        };
        (out, guard)
    }

    /// |a| against |b|.
    fn compare_magnitudes(&self, b: &Self) -> Ordering {
        match (self.is_zero(), b.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            _ => {}
        }
        self.exponent.cmp(&b.exponent).then_with(|| self.digits.iter().rev().cmp(b.digits.iter().rev()))
    }

    /// Times an integer.
    pub(crate) fn times(&self, n: u64) -> Self {
        if n == 0 || self.is_zero() {
            return Self::ZERO;
        }
        let (mut digits, mut carry) = ([0; N], 0);
        for k in 0..N {
            let p = u128::from(self.digits[k]) * u128::from(n) + u128::from(carry);
            (digits[k], carry) = (p as u64, (p >> 64) as u64);
        }
        if carry == 0 {
            return Self::normalised(self.negative, self.exponent, digits, 0);
        }
        let guard = digits[0];
        for k in 1..N {
            digits[k - 1] = digits[k];
        }
        digits[N - 1] = carry;
        Self::normalised(self.negative, self.exponent + 64, digits, guard)
    }

    /// Divided by an integer.
    pub(crate) fn over(&self, n: u64) -> Self {
        if self.is_zero() || n == 1 {
            return *self;
        }
        if n == 0 {
            return *self / Self::ZERO;
        }
        let (mut digits, mut rest) = ([0; N], 0u64);
        for k in (0..N).rev() {
            let p = u128::from(rest) << 64 | u128::from(self.digits[k]);
            let q = p / u128::from(n);
            digits[k] = q as u64;
            rest = (p - q * u128::from(n)) as u64;
        }
        let guard = ((u128::from(rest) << 64) / u128::from(n)) as u64;
        Self::normalised(self.negative, self.exponent, digits, guard)
    }

    /// 1/x.
    pub(crate) fn recip(&self) -> Self {
        if self.is_zero() {
            return Self { exponent: INFINITE, ..Self::ONE };
        }
        let b = Self { negative: false, exponent: 0, digits: self.digits };
        let mut r = Self::from_f64(1.0 / b.to_f64());
        let mut bits = 50;
        while bits < Self::BITS {
            r = r + r * (Self::ONE - b * r);
            bits *= 2;
        }
        Self { negative: self.negative, exponent: r.exponent - self.exponent, digits: r.digits }
    }

    fn times_reciprocal_of(self, b: Self) -> Self {
        self * b.recip()
    }

    /// x².
    pub(crate) fn squared(&self) -> Self {
        *self * *self
    }

    /// The nearest integer, and what is left.
    pub(crate) fn split_integer(&self) -> (i64, Self) {
        if self.magnitude() > 62 {
            return (0, *self);
        }
        let mut n = self.to_f64().round() as i64;
        let mut rest = *self - Self::integer(n);
        // a number of 54 bits or more may round to a double one away
        while rest.compare_magnitudes(&Self::ONE.scaled(-1)) == Ordering::Greater {
            let step = if rest.negative { -1 } else { 1 };
            n += step;
            rest = rest - Self::integer(step);
        }
        (n, rest)
    }

    /// Whether it is an integer, and which.
    pub(crate) fn as_integer(&self) -> Option<i64> {
        let (n, rest) = self.split_integer();
        rest.is_zero().then_some(n)
    }
}

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<const N: usize> PartialEq for Wide<N> {
    fn eq(&self, b: &Self) -> bool {
        self.partial_cmp(b) == Some(Ordering::Equal)
    }
}

impl<const N: usize> PartialOrd for Wide<N> {
    fn partial_cmp(&self, b: &Self) -> Option<Ordering> {
        let sign = |x: &Self| if x.is_zero() { 0 } else { 1 - 2 * i32::from(x.negative) };
        Some(sign(self).cmp(&sign(b)).then_with(|| {
            let order = self.compare_magnitudes(b);
            if self.negative { order.reverse() } else { order }
        }))
    }
}

impl<const N: usize> Neg for Wide<N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self }
    }
}

impl<const N: usize> Add for Wide<N> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        if self.negative == b.negative {
            let (a, b) = if self.magnitude() >= b.magnitude() { (self, b) } else { (b, self) };
            let shift = a.exponent - b.exponent;
            if b.is_zero() || shift > Self::BITS {
                return a;
            }
            let (low, _) = b.moved_down(shift as u64);
            let (mut digits, mut carry) = (a.digits, false);
            for k in 0..N {
                let (s, c1) = digits[k].overflowing_add(low[k]);
                let (s, c2) = s.overflowing_add(u64::from(carry));
                (digits[k], carry) = (s, c1 | c2);
            }
            if carry {
                for k in 0..N {
                    digits[k] = digits[k] >> 1 | if k + 1 < N { digits[k + 1] << 63 } else { 1 << 63 };
                }
            }
            return Self { negative: a.negative, exponent: a.exponent + i64::from(carry), digits };
        }
        let (a, b) = match self.compare_magnitudes(&b) {
            Ordering::Equal => return Self::ZERO,
            Ordering::Greater => (self, b),
            Ordering::Less => (b, self),
        };
        let shift = a.exponent - b.exponent;
        if b.is_zero() || shift > Self::BITS {
            return a;
        }
        let (low, guard) = b.moved_down(shift as u64);
        let (guard, mut borrow) = 0u64.overflowing_sub(guard);
        let mut digits = a.digits;
        for k in 0..N {
            let (s, c1) = digits[k].overflowing_sub(low[k]);
            let (s, c2) = s.overflowing_sub(u64::from(borrow));
            (digits[k], borrow) = (s, c1 | c2);
        }
        Self::normalised(a.negative, a.exponent, digits, guard)
    }
}

impl<const N: usize> Sub for Wide<N> {
    type Output = Self;
    #[inline]
    fn sub(self, b: Self) -> Self {
        self + -b
    }
}

impl<const N: usize> Mul for Wide<N> {
    type Output = Self;
    #[inline]
    fn mul(self, b: Self) -> Self {
        if self.is_zero() || b.is_zero() {
            return Self::ZERO;
        }
        // column by column; those below the guard and the one under it are left out
        let (mut digits, mut guard) = ([0; N], 0);
        let (mut low, mut high) = (0u128, 0u64);
        for column in N - 2..2 * N - 1 {
            for i in (column + 1).saturating_sub(N)..=column.min(N - 1) {
                let (s, c) = low.overflowing_add(u128::from(self.digits[i]) * u128::from(b.digits[column - i]));
                low = s;
                high += u64::from(c);
            }
            match column.checked_sub(N) {
                Some(k) => digits[k] = low as u64,
                None => guard = low as u64,
            }
            low = low >> 64 | u128::from(high) << 64;
            high = 0;
        }
        digits[N - 1] = low as u64;
        Self::normalised(self.negative != b.negative, self.exponent + b.exponent, digits, guard)
    }
}

impl<const N: usize> Div for Wide<N> {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        self.times_reciprocal_of(b)
    }
}

impl<const N: usize> Scalar for Wide<N> {
    const EPSILON: f64 =
        if 64 * N > 1022 { f64::MIN_POSITIVE } else { f64::from_bits((1023u64.saturating_sub(64 * N as u64)) << 52) };

    fn constant(x: Dd) -> Self {
        Self::from_f64(x.hi()) + Self::from_f64(x.lo())
    }

    fn to_dd(self) -> Dd {
        let hi = self.to_f64();
        if !hi.is_finite() || hi == 0.0 {
            return Dd::from(hi);
        }
        Dd::new(hi, (self - Self::from_f64(hi)).to_f64())
    }

    fn to_f64(self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let sign = if self.negative { -1.0 } else { 1.0 };
        if self.exponent > 1025 {
            return sign * f64::INFINITY;
        }
        if self.exponent < -1100 {
            return sign * 0.0;
        }
        let top = self.digits[N - 1];
        let rest = top & 0x7ff;
        let below = self.digits[..N - 1].iter().any(|d| *d != 0);
        let mut mantissa = top >> 11;
        if rest > 0x400 || (rest == 0x400 && (below || mantissa & 1 == 1)) {
            mantissa += 1;
        }
        let power = self.exponent - 53;
        let half = power / 2; // two factors: neither leaves the range of doubles
        sign * mantissa as f64 * power_of_two(half) * power_of_two(power - half)
    }

    fn from_f64(x: f64) -> Self {
        if x == 0.0 {
            return Self::ZERO;
        }
        if !x.is_finite() {
            return Self { negative: x < 0.0, exponent: INFINITE, digits: Self::TOP };
        }
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let (mantissa, power) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let mut digits = [0; N];
        digits[N - 1] = mantissa;
        Self::normalised(x < 0.0, power + 64, digits, 0)
    }

    fn sqrt(self) -> Self {
        if self.is_zero() || self.negative {
            return Self::ZERO;
        }
        let odd = self.exponent.rem_euclid(2);
        let x = Self { negative: false, exponent: odd, digits: self.digits };
        let mut r = Self::from_f64(1.0 / x.to_f64().sqrt());
        let mut bits = 50;
        while bits < Self::BITS / 2 {
            r = r + (r * (Self::ONE - x * r.squared())).scaled(-1);
            bits *= 2;
        }
        let root = x * r;
        let root = root + (r * (x - root.squared())).scaled(-1);
        root.scaled((self.exponent - odd) / 2)
    }

    fn sin_cos(self) -> (Self, Self) {
        functions::sin_cos(self)
    }

    fn exp(self) -> Self {
        functions::exp(self)
    }

    fn ln(self) -> Self {
        functions::ln(self)
    }

    fn atan2(self, x: Self) -> Self {
        functions::atan2(self, x)
    }

    fn abs(self) -> Self {
        Self { negative: false, ..self }
    }

    fn is_finite(self) -> bool {
        self.exponent < INFINITE / 2
    }
}

/// 2ⁿ for −1022 ≤ n ≤ 1023.
fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number<const N: usize>() -> impl Strategy<Value = Wide<N>> {
        (any::<bool>(), -90i64..60, proptest::collection::vec(any::<u64>(), N), 0..4u8).prop_map(
            |(negative, exponent, limbs, kind)| {
                let mut digits = [0; N];
                digits.copy_from_slice(&limbs);
                if kind == 0 {
                    digits[..N - 1].fill(0); // few digits
                }
                if kind == 1 {
                    digits[..N - 1].fill(u64::MAX); // long carries
                }
                digits[N - 1] |= 1 << 63;
                Wide { negative, exponent, digits }
            },
        )
    }

    /// |x − y| ≤ 2^slack units of the last bit of `scale`.
    fn close<const N: usize>(x: Wide<N>, y: Wide<N>, scale: Wide<N>, slack: i64) -> bool {
        (x - y).magnitude() <= scale.magnitude() - Wide::<N>::BITS + slack
    }

    fn laws<const N: usize>(a: Wide<N>, b: Wide<N>) -> Result<(), TestCaseError> {
        let larger = if a.abs() > b.abs() { a } else { b };
        prop_assert!(close(a + b - b, a, larger, 2), "{a:?} + {b:?}");
        prop_assert!(close((a + b) * (a - b), a * a - b * b, larger * larger, 3), "{a:?} {b:?}");
        prop_assert!(close(a / b * b, a, a, 4), "{a:?} / {b:?}");
        prop_assert!(close(a.abs().sqrt().squared(), a.abs(), a, 4), "√{a:?}");
        prop_assert!(close(a.times(12_345_678_901).over(12_345_678_901), a, a, 2));
        prop_assert_eq!(a.times(3), a + a + a);
        // functions at a number of moderate size
        let x = a.scaled(-a.exponent + a.exponent % 4);
        prop_assert!(close(x.exp().ln(), x, if x.abs() > Wide::ONE { x } else { Wide::ONE }, 8), "ln exp {x:?}");
        prop_assert!(close(a.abs().ln().exp(), a.abs(), a, 14), "exp ln {a:?}");
        let (s, c) = a.sin_cos();
        prop_assert!(close(s * s + c * c, Wide::ONE, Wide::ONE, 6), "sin² + cos² at {a:?}");
        let (s, c) = x.sin_cos();
        let (s2, c2) = (x + x).sin_cos();
        prop_assert!(close(s2, (s * c).scaled(1), Wide::ONE, 8) && close(c2, c * c - s * s, Wide::ONE, 8), "at {x:?}");
        let (sa, ca) = b.atan2(a).sin_cos();
        prop_assert!(close(sa * a, ca * b, larger, 8), "atan2({b:?}, {a:?})");
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn laws_2(a in number::<2>(), b in number::<2>()) { laws(a, b)?; }
        #[test]
        fn laws_4(a in number::<4>(), b in number::<4>()) { laws(a, b)?; }
        #[test]
        fn laws_16(a in number::<16>(), b in number::<16>()) { laws(a, b)?; }

        #[test]
        fn doubles_and_double_doubles_pass_through(hi in any::<f64>(), lo in -1.0..1.0) {
            if hi.is_finite() {
                prop_assert_eq!(Wide::<2>::from_f64(hi).to_f64(), hi);
            }
            if hi.is_normal() && (1e-290..1e300).contains(&hi.abs()) {
                let x = Dd::new(hi, hi * lo * 2f64.powi(-53));
                prop_assert_eq!(Wide::<3>::constant(x).to_dd(), x);
            }
        }

        #[test]
        fn functions_agree_with_doubles(x in -700.0f64..700.0) {
            let w = Wide::<2>::from_f64(x);
            prop_assert!((w.exp().to_f64() / x.exp() - 1.0).abs() < 4e-16);
            prop_assert!((w.sin_cos().0.to_f64() - x.sin()).abs() < 4e-16);
            prop_assert!((w.abs().ln().to_f64() - x.abs().ln()).abs() < 2e-15);
        }
    }
}
