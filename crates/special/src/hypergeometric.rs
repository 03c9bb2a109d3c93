//! Gauss's hypergeometric function ₂F₁(a, b; c; z) for real z < 1 and complex parameters.
//!
//! ```text
//! F(a, b; c; z) = Σ (a)ₙ (b)ₙ / ((c)ₙ n!) zⁿ                                                    (S)
//! F(a, b; c; z) = (1−z)^{c−a−b} F(c−a, c−b; c; z) = (1−z)^{−a} F(a, c−b; c; z/(z−1))            (E)
//! F(a, b; c; z) = π Γ(c) / sin πs · [ F(a, b; 1−s; 1−z) / (Γ(c−a) Γ(c−b) Γ(1−s))
//!                 − (1−z)^s F(c−a, c−b; 1+s; 1−z) / (Γ(a) Γ(b) Γ(1+s)) ],   s = c−a−b           (C)
//! ```
//!
//! and, where s = m is an integer ≥ 0,
//!
//! ```text
//! F = Γ(c) / (Γ(a+m) Γ(b+m)) Σ_{n<m} (a)ₙ (b)ₙ (m−n−1)! / n! (z−1)ⁿ
//!     − (z−1)^m Γ(c) / (Γ(a) Γ(b)) Σ (a+m)ₙ (b+m)ₙ / (n! (n+m)!) (1−z)ⁿ
//!       · [ ln(1−z) − ψ(n+1) − ψ(n+m+1) + ψ(a+n+m) + ψ(b+n+m) ]                                 (L)
//! ```
//!
//! These are the transformations of \[Olver2010, §15.8\]; with (E) they cover z < 1: the series (S) is
//! summed for |z| ≤ ½ only. z < −½ is brought to (0, 1) by the last form of (E), and z > ½ to 1 − z by (C) or (L). Integer
//! differences a − b, which matter for z → −∞, become integer s under (E). Where s is nearly an integer
//! the two terms of (C) nearly cancel; more digits make up for it, and below 2^(−45 N) with 64 N bits
//! the difference from (L) is part of the error bound.

use crate::ball::{Ball, EXACT, Task, evaluate, join, size, wide};
use crate::budget::HYPERGEOMETRIC_TERMS;
use crate::complex::Complex;
use crate::gamma::{digamma_ball, reciprocal_gamma_ball, sin_cos_pi};
use crate::wide::Wide;
use polhode_tape::{Dd, Scalar};
use std::ops::{Add, Mul};

/// F(a, b; c; z) for z < 1.
///
/// Undefined where c is 0, −1, −2, … (unless a or b is a non-positive integer that ends the series
/// before), for z ≥ 1, and where parameters of many hundreds leave nothing of 1024 bits.
pub fn hypergeometric<S: Scalar>(a: Complex<S>, b: Complex<S>, c: Complex<S>, z: S) -> Complex<S> {
    let [y] = evaluate(&AtPoint::new(a, b, c, z, 0));
    y
}

/// F(a, b; c; 1 − y) for y > 0, where 1 − z = y is known better than z: near its branch point F depends
/// on it.
pub fn hypergeometric_of_complement<S: Scalar>(a: Complex<S>, b: Complex<S>, c: Complex<S>, y: S) -> Complex<S> {
    let [f] = evaluate(&AtPoint { complement: true, ..AtPoint::new(a, b, c, y, 0) });
    f
}

/// dF/dz = (ab/c) F(a+1, b+1; c+1; z) for z < 1.
pub fn hypergeometric_derivative<S: Scalar>(a: Complex<S>, b: Complex<S>, c: Complex<S>, z: S) -> Complex<S> {
    let [y] = evaluate(&AtPoint::new(a, b, c, z, 1));
    y
}

struct AtPoint {
    a: Complex<Dd>,
    b: Complex<Dd>,
    c: Complex<Dd>,
    z: Dd, // or 1 − z
    complement: bool,
    derivative: u8,
}

impl AtPoint {
    fn new<S: Scalar>(a: Complex<S>, b: Complex<S>, c: Complex<S>, z: S, derivative: u8) -> Self {
        Self { a: a.convert(), b: b.convert(), c: c.convert(), z: z.to_dd(), complement: false, derivative }
    }
}

impl Task<1> for AtPoint {
    fn run<const N: usize>(&self) -> [Ball<N>; 1] {
        if ![self.a, self.b, self.c, Complex::from(self.z)].iter().all(|x| x.is_finite()) {
            return [Ball::unknown()];
        }
        let (a, b, c) = (wide(self.a), wide(self.b), wide(self.c));
        let z = Wide::constant(self.z);
        let y = Wide::ONE - z;
        let (z, y) = if self.complement { (y, z) } else { (z, y) };
        if self.derivative == 0 {
            return [gauss(a, b, c, z, y)];
        }
        let one = Complex::from(Wide::ONE);
        if c == Complex::default() {
            return [Ball::unknown()];
        }
        let factor = Ball::rounded(a * b) / Ball::exact(c);
        let d = factor * gauss(a + one, b + one, c + one, z, y);
        let symmetric = is_symmetric(a, b, c);
        [if symmetric { d.real_part() } else { d }]
    }
}

/// Whether F is real for real z: all parameters are, or a and b are conjugate and c is real.
fn is_symmetric<const N: usize>(a: Complex<Wide<N>>, b: Complex<Wide<N>>, c: Complex<Wide<N>>) -> bool {
    c.is_real() && ((a.is_real() && b.is_real()) || a == b.conj())
}

/// −n where x = −n is an integer ≤ 0.
fn non_positive_integer<const N: usize>(x: Complex<Wide<N>>) -> Option<u64> {
    if !x.is_real() {
        return None;
    }
    x.re.as_integer().filter(|n| *n <= 0 && *n > -6_000).map(|n| n.unsigned_abs())
}

/// F(a, b; c; z) with y = 1 − z given too, so that nothing is lost near z = 1.
pub(crate) fn gauss<const N: usize>(
    a: Complex<Wide<N>>,
    b: Complex<Wide<N>>,
    c: Complex<Wide<N>>,
    z: Wide<N>,
    y: Wide<N>,
) -> Ball<N> {
    if y.is_zero() || y.is_negative() {
        return Ball::unknown();
    }
    if z.is_zero() && non_positive_integer(c).is_none() {
        return Ball::real(Wide::ONE);
    }
    let value = gauss_any(a, b, c, z, y);
    if is_symmetric(a, b, c) { value.real_part() } else { value }
}

fn gauss_any<const N: usize>(
    a: Complex<Wide<N>>,
    b: Complex<Wide<N>>,
    c: Complex<Wide<N>>,
    z: Wide<N>,
    y: Wide<N>,
) -> Ball<N> {
    let end = [non_positive_integer(a), non_positive_integer(b)].into_iter().flatten().min();
    match (end, non_positive_integer(c)) {
        (None, Some(_)) => return Ball::unknown(),
        (Some(n), Some(pole)) if n > pole => return Ball::unknown(),
        (Some(_), _) => return power_series(a, b, c, z),
        _ => {}
    }
    let half = Wide::ONE.scaled(-1);
    if z.abs() <= half {
        return power_series(a, b, c, z);
    }
    let (ca, cb) = (c - a, c - b);
    let s = Ball::rounded(ca - b);
    if non_positive_integer(ca).is_some() || non_positive_integer(cb).is_some() {
        return Ball::power(y, s) * power_series(ca, cb, c, z);
    }
    if z.is_negative() {
        // (E): z/(z − 1) lies in (⅓, 1)
        let w = -(z / y);
        let rest = y.recip();
        let inner = if w <= half { power_series(a, cb, c, w) } else { near_one(a, cb, c, w, rest) };
        return Ball::power(y, -Ball::exact(a)) * inner;
    }
    near_one(a, b, c, z, y)
}

/// F for ½ < z < 1 by (C) or (L).
fn near_one<const N: usize>(
    a: Complex<Wide<N>>,
    b: Complex<Wide<N>>,
    c: Complex<Wide<N>>,
    z: Wide<N>,
    y: Wide<N>,
) -> Ball<N> {
    let (ca, cb) = (c - a, c - b);
    if non_positive_integer(a).is_some() || non_positive_integer(b).is_some() {
        return power_series(a, b, c, z);
    }
    if non_positive_integer(ca).is_some() || non_positive_integer(cb).is_some() {
        return Ball::power(y, Ball::rounded(ca - b)) * power_series(ca, cb, c, z);
    }
    let s = ca - b;
    let (m, rest) = s.re.split_integer();
    let distance = size(Complex::new(rest, s.im));
    let scale = size(a).max(size(b)).max(size(c)).max(1);
    let noise = scale + 6 - Wide::<N>::BITS;
    if distance > (-45 * N as i64).max(noise) {
        return connection(a, b, c, Ball { value: s, error: noise }, y);
    }
    if m.abs() > 2_000 {
        return Ball::unknown();
    }
    // s = m up to 2^distance: its effect is that of a derivative with respect to c
    let slip = if rest.is_zero() && s.im.is_zero() { EXACT } else { distance + 8 + scale };
    let value = if m >= 0 {
        logarithmic(a, b, m as u64, y)
    } else {
        let shift = Complex::from(Wide::integer(m));
        Ball::power(y, Ball::real(Wide::integer(m))) * logarithmic(a + shift, b + shift, m.unsigned_abs(), y)
    };
    value.blurred((slip + value.size()).max(EXACT))
}

/// (C).
fn connection<const N: usize>(
    a: Complex<Wide<N>>,
    b: Complex<Wide<N>>,
    c: Complex<Wide<N>>,
    s: Ball<N>,
    y: Wide<N>,
) -> Ball<N> {
    let one = Complex::from(Wide::ONE);
    let (ca, cb) = (c - a, c - b);
    let noise = size(a).max(size(b)).max(size(c)) + 3 - Wide::<N>::BITS;
    let rounded = |value| Ball { value, error: noise };
    let first = power_series(a, b, one - s.value, y)
        * reciprocal_gamma_ball(rounded(ca))
        * reciprocal_gamma_ball(rounded(cb))
        * reciprocal_gamma_ball(Ball::exact(one) - s);
    let second = Ball::power(y, s)
        * power_series(ca, cb, one + s.value, y)
        * reciprocal_gamma_ball(Ball::exact(a))
        * reciprocal_gamma_ball(Ball::exact(b))
        * reciprocal_gamma_ball(Ball::exact(one) + s);
    let (sine, _) = sin_cos_pi(s);
    let pi = Ball::rounded(Complex::from(Wide::pi()));
    (first - second) * pi / (sine * reciprocal_gamma_ball(Ball::exact(c)))
}

/// (L): F(a, b; a + b + m; 1 − y).
fn logarithmic<const N: usize>(a: Complex<Wide<N>>, b: Complex<Wide<N>>, m: u64, y: Wide<N>) -> Ball<N> {
    let shift = Complex::from(Wide::integer(m as i64));
    let (am, bm) = (a + shift, b + shift);
    let bits = Wide::<N>::BITS;
    let noise = size(am).max(size(bm)).max(size(a)).max(size(b)) + 3 - bits;
    let rounded = |value| Ball { value, error: noise };
    let conjugate = !a.is_real() && a == b.conj();
    let real = conjugate || (a.is_real() && b.is_real());
    let mirrored = |z: Ball<N>| Ball { value: z.value.conj(), error: z.error };
    // 1/(Γ(a) Γ(b)), and from it 1/(Γ(a+m) Γ(b+m))
    let over_a = reciprocal_gamma_ball(rounded(a));
    let over_gammas = over_a * if conjugate { mirrored(over_a) } else { reciprocal_gamma_ball(rounded(b)) };
    let over_gammas = if real { over_gammas.real_part() } else { over_gammas };

    // the finite sum, by (z − 1)ⁿ = (−y)ⁿ
    let finite = {
        let mut term = Ball::real(Wide::ONE);
        for k in 1..m {
            term = term * Ball::real(Wide::integer(k as i64)); // (m − 1)!
        }
        let mut sum = if m == 0 { Ball::real(Wide::ZERO) } else { term };
        for n in 0..m.saturating_sub(1) {
            let k = Complex::from(Wide::integer(n as i64));
            let ratio = rounded(a + k) * rounded(b + k) * Ball::real(-y);
            term = term * ratio / Ball::real(Wide::integer(((n + 1) * (m - n - 1)) as i64));
            sum = sum + term;
        }
        let mut rising = Ball::real(Wide::ONE);
        for n in 0..m {
            let k = Complex::from(Wide::integer(n as i64));
            rising = rising * rounded(a + k) * rounded(b + k);
        }
        sum * over_gammas / rising
    };

    // the infinite sum: terms uₙ hₙ with h₀ from digamma functions and hₙ₊₁ − hₙ rational
    // ψ(1) = −γ and ψ(m+1) = ψ(1) + 1 + ½ + … + 1/m
    let harmonic = (1..=m).fold(Wide::ZERO, |sum, k| sum + Wide::ONE.over(k));
    let minus_psi = Ball::rounded(Complex::from(Wide::euler().scaled(1) - harmonic)).blurred(8 - bits);
    let log = y.ln();
    let log = Ball { value: Complex::from(log), error: log.magnitude() + 8 - bits };
    let psi_a = digamma_ball(rounded(am));
    let psi_b = if conjugate { mirrored(psi_a) } else { digamma_ball(rounded(bm)) };
    let h = log + minus_psi + psi_a + psi_b;
    let start = if real { h.real_part() } else { h };
    let sum = if real {
        let mut f = LogSeries { m, y, u: Wide::ONE, h: start.value.re };
        let (p, q) = (am, bm);
        f.sum(start.error, p, q, |n| {
            let k = Wide::integer(n);
            let (x, y) = (p.re + k, q.re + k);
            (if conjugate { x * x + p.im * p.im } else { x * y }, x + y)
        })
    } else {
        let mut f = LogSeries { m, y, u: Complex::from(Wide::ONE), h: start.value };
        f.sum(start.error, am, bm, |n| {
            let k = Complex::from(Wide::integer(n));
            ((am + k) * (bm + k), am + bm + k + k)
        })
    };
    let mut scale = Ball::real(Wide::ONE);
    for k in 1..=m {
        scale = scale * Ball::real(-y) / Ball::real(Wide::integer(k as i64)); // (z − 1)^m / m!
    }
    let c = reciprocal_gamma_ball(rounded(am + b));
    (finite - sum * scale * over_gammas) / c
}

/// Real or complex terms of a series.
trait Term<const N: usize>: Copy + Add<Output = Self> + Mul<Output = Self> {
    fn zero() -> Self;
    fn one() -> Self;
    fn times(self, x: Wide<N>) -> Self;
    fn over(self, n: u64) -> Self;
    fn inverse(self) -> Self;
    fn real(x: Wide<N>) -> Self;
    fn complex(self) -> Complex<Wide<N>>;
    fn magnitude(self) -> i64;
}

impl<const N: usize> Term<N> for Wide<N> {
    fn zero() -> Self {
        Wide::ZERO
    }
    fn one() -> Self {
        Wide::ONE
    }
    fn times(self, x: Wide<N>) -> Self {
        self * x
    }
    fn over(self, n: u64) -> Self {
        Wide::over(&self, n)
    }
    fn inverse(self) -> Self {
        self.recip()
    }
    fn real(x: Wide<N>) -> Self {
        x
    }
    fn complex(self) -> Complex<Wide<N>> {
        Complex::from(self)
    }
    fn magnitude(self) -> i64 {
        Wide::magnitude(&self)
    }
}

impl<const N: usize> Term<N> for Complex<Wide<N>> {
    fn zero() -> Self {
        Complex::default()
    }
    fn one() -> Self {
        Complex::from(Wide::ONE)
    }
    fn times(self, x: Wide<N>) -> Self {
        self.scale(x)
    }
    fn over(self, n: u64) -> Self {
        Complex::new(self.re.over(n), self.im.over(n))
    }
    fn inverse(self) -> Self {
        Self::one() / self
    }
    fn real(x: Wide<N>) -> Self {
        Complex::from(x)
    }
    fn complex(self) -> Complex<Wide<N>> {
        self
    }
    fn magnitude(self) -> i64 {
        size(self)
    }
}

/// A bound of |(a+k)(b+k) / ((c+k)(d+k))| for all k ≥ n > −Re c, in doubles: each factor is 1 plus a
/// decreasing term.
struct RatioBound {
    ac: f64,
    bd: f64,
    c: f64,
    d: f64,
}

impl RatioBound {
    fn new<const N: usize>(a: Complex<Wide<N>>, b: Complex<Wide<N>>, c: Complex<Wide<N>>, d: Complex<Wide<N>>) -> Self {
        let distance = |x: Complex<Wide<N>>, y: Complex<Wide<N>>| {
            let z = x - y;
            z.re.to_f64().hypot(z.im.to_f64()) * 1.000_001
        };
        Self { ac: distance(a, c), bd: distance(b, d), c: c.re.to_f64(), d: d.re.to_f64() }
    }

    /// The bound from n on, if there is one.
    fn from(&self, n: i64) -> f64 {
        let (c, d) = (self.c + n as f64, self.d + n as f64);
        if c <= 0.0 || d <= 0.0 {
            return f64::INFINITY;
        }
        (1.0 + self.ac / c) * (1.0 + self.bd / d)
    }
}

/// (S), for any z of modulus below 1, or for any z when a or b ends it.
fn power_series<const N: usize>(a: Complex<Wide<N>>, b: Complex<Wide<N>>, c: Complex<Wide<N>>, z: Wide<N>) -> Ball<N> {
    let bound = RatioBound::new(a, b, c, Complex::from(Wide::ONE));
    let ends = non_positive_integer(a).is_some() || non_positive_integer(b).is_some();
    if !ends && bound.from(HYPERGEOMETRIC_TERMS) * z.abs().to_f64() >= 0.99 {
        return Ball::unknown();
    }
    if c.is_real() && ((a.is_real() && b.is_real()) || a == b.conj()) {
        let conjugate = !a.is_real();
        let square = a.im * a.im;
        let numerator = |n: i64| {
            let k = Wide::integer(n);
            let x = a.re + k;
            if conjugate { (x * x + square, 0) } else { (x * (b.re + k), slack(x.magnitude(), (b.re + k).magnitude())) }
        };
        let denominator = |n: i64| {
            let x = c.re + Wide::integer(n);
            (x, (-x.magnitude()).max(0))
        };
        return fraction_free(numerator, denominator, z, bound);
    }
    let at = |x: Complex<Wide<N>>, n: i64| x + Complex::from(Wide::integer(n));
    let numerator = |n| (at(a, n) * at(b, n), slack(size(at(a, n)), size(at(b, n))));
    let denominator = |n| (at(c, n), (-size(at(c, n))).max(0));
    fraction_free(numerator, denominator, z, bound)
}

/// How many bits the factors of a term have lost by lying near 0.
fn slack(p: i64, q: i64) -> i64 {
    (-p).clamp(0, 1 << 30) + (-q).clamp(0, 1 << 30)
}

/// Σ over a common denominator, so that nothing is divided before the end:
/// P/Q ← (P d + T)/(Q d), T the numerator of the next term.
fn fraction_free<const N: usize, T: Term<N>>(
    numerator: impl Fn(i64) -> (T, i64),
    denominator: impl Fn(i64) -> (T, i64),
    z: Wide<N>,
    bound: RatioBound,
) -> Ball<N> {
    let bits = Wide::<N>::BITS;
    let modulus = z.abs().to_f64();
    let (mut sum, mut term, mut common) = (T::one(), T::one(), T::one());
    let (mut largest, mut lost) = (1, 0);
    let mut n = 0;
    let tail = loop {
        let (p, lost_above) = numerator(n);
        let (q, lost_below) = denominator(n);
        if p.magnitude() < -(1 << 40) {
            break EXACT; // the series ends
        }
        let d = q.times(Wide::integer(n + 1));
        term = (term * p).times(z);
        common = common * d;
        sum = sum * d + term;
        lost += lost_above + lost_below;
        n += 1;
        let last = term.magnitude() - common.magnitude() + 2;
        largest = largest.max(last + lost);
        let ratio = bound.from(n) * modulus;
        if last < largest - bits - 8 && ratio < 0.99 {
            // |t_n| (r + r² + …) < 2⁷ |t_n|
            break last + 8;
        }
        if n > HYPERGEOMETRIC_TERMS {
            return Ball::unknown();
        }
    };
    let value = (sum * common.inverse()).complex();
    let roundings = 64 - i64::from((n as u64).leading_zeros()) + 7;
    Ball { value, error: join(largest.max(size(value)) + roundings - bits, tail) }
}

/// The infinite sum of (L).
struct LogSeries<const N: usize, T> {
    m: u64,
    y: Wide<N>,
    u: T,
    h: T,
}

impl<const N: usize, T: Term<N>> LogSeries<N, T> {
    /// Σ uₙ hₙ where `factors` gives (p + n)(q + n) and its derivative p + q + 2 n.
    fn sum(
        &mut self,
        error: i64,
        p: Complex<Wide<N>>,
        q: Complex<Wide<N>>,
        factors: impl Fn(i64) -> (T, T),
    ) -> Ball<N> {
        let bits = Wide::<N>::BITS;
        let bound = RatioBound::new(p, q, Complex::from(Wide::ONE), Complex::from(Wide::integer(self.m as i64 + 1)));
        let modulus = self.y.to_f64();
        if bound.from(HYPERGEOMETRIC_TERMS) * modulus >= 0.99 {
            return Ball::unknown();
        }
        let mut sum = T::zero();
        let (mut largest, mut largest_u, mut lost) = (-bits, 0, 0);
        let mut n = 0i64;
        let tail = loop {
            let term = self.u * self.h;
            sum = sum + term;
            let last = term.magnitude() + 2;
            largest = largest.max(last + lost).max(self.u.magnitude() + lost);
            largest_u = largest_u.max(self.u.magnitude() + lost);
            let ratio = bound.from(n) * modulus * (1.0 + 1.0 / (n as f64 + 1.0));
            if last.max(self.u.magnitude() + 2) < largest - bits - 8 && ratio < 0.99 {
                break last.max(self.u.magnitude() + 2) + 9;
            }
            if n > HYPERGEOMETRIC_TERMS {
                return Ball::unknown();
            }
            let (product, slope) = factors(n);
            lost += (-product.magnitude()).max(0);
            let (j, k) = (n as u64 + 1, n as u64 + 1 + self.m);
            let minus = -(Wide::integer((j + k) as i64).over(j).over(k));
            self.h = self.h + slope * product.inverse() + T::real(minus);
            self.u = (self.u * product).times(self.y).over(j).over(k);
            n += 1;
        };
        let roundings = 64 - i64::from((n as u64 + 1).leading_zeros()) + 9;
        let rounding = largest.max(largest_u + size(self.h.complex())) + roundings - bits;
        // the error of h₀ is that of every h
        let inherited = (error + largest_u + 3).max(EXACT);
        Ball { value: sum.complex(), error: join(join(rounding, inherited), tail) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(a: f64, b: f64, c: f64, z: f64) -> f64 {
        hypergeometric(a.into(), b.into(), c.into(), z).re
    }

    #[test]
    fn elementary_cases() {
        for z in [-1e6f64, -40.0, -3.0, -0.9, -0.3, 1e-9, 0.3, 0.6, 0.99, 1.0 - 1e-12] {
            // F(1, 1; 2; z) = −ln(1 − z)/z: s = 0; F(½, ½; 3/2; −z²) = arsinh(z)/z: a − b = 0
            assert!((f(1.0, 1.0, 2.0, z) / (-(-z).ln_1p() / z) - 1.0).abs() < 4e-16, "{z}");
            assert!((f(0.3, 1.7, 1.7, z) / (1.0 - z).powf(-0.3) - 1.0).abs() < 4e-16, "{z}");
            let w = z.abs();
            assert!((f(0.5, 0.5, 1.5, -w * w) / (w.asinh() / w) - 1.0).abs() < 4e-15, "{z}");
        }
        assert_eq!(f(-2.0, 3.0, 0.5, 0.125), 1.0 - 12.0 / 8.0 + 16.0 / 64.0);
        assert_eq!(f(0.3, 0.7, 0.5, 0.0), 1.0);
        // F(1, 1; 2; 1 − y) = −ln y/(1 − y)
        for y in [1e-300, 1e-20, 0.3, 1.0 - 1e-9, 7.0f64] {
            let [one, two] = [1.0, 2.0].map(Complex::from);
            let value = hypergeometric_of_complement(one, one, two, y).re;
            assert!((value / (-(y - 1.0).ln_1p() / (1.0 - y)) - 1.0).abs() < 4e-16 || y < 1e-15);
            assert!((value * (1.0 - y) / -y.ln() - 1.0).abs() < 4e-16 || (y - 1.0).abs() < 0.5);
        }
    }

    #[test]
    fn poles_and_branch_points_are_refused() {
        assert!(f(1.0, 2.0, -3.0, 0.5).is_nan());
        assert!(f(-4.0, 2.0, -3.0, 0.5).is_nan());
        assert!(f(-3.0, 2.0, -3.0, 0.5).is_finite());
        assert!(
            f(1.0, 2.0, 3.0, 1.0).is_nan() && f(1.0, 2.0, 3.0, 1.5).is_nan() && f(1.0, f64::NAN, 3.0, 0.5).is_nan()
        );
    }
}
