//! Gamma function, its logarithm and its logarithmic derivative, of a complex argument.
//!
//! ```text
//! ln Γ(z) = (z − ½) ln z − z + ½ ln 2π + Σ_{k=1}^{K−1} B_2k / (2k (2k−1) z^{2k−1}) + R_K
//! |R_K| ≤ |B_2K| / (2K (2K−1) |z|^{2K−1}) · sec^{2K}(½ arg z)
//! ψ(z) = ln z − 1/(2z) − Σ_{k=1}^{K−1} B_2k / (2k z^{2k}) + …
//! ```
//!
//! Stirling's series with its error bound, \[Olver2010, §5.11\], after z has been moved to the right by
//! Γ(z + 1) = z Γ(z) until |z| is large enough for the digits wanted; the left half-plane by
//! Γ(z) Γ(1 − z) = π / sin πz, \[Olver2010, §5.5\]. The Bernoulli numbers come from the tangent numbers,
//! whose recursion only adds positive numbers, \[BrentHarvey2013\].

use crate::ball::{Ball, EXACT, Task, evaluate, join, size, wide};
use crate::complex::Complex;
use crate::wide::Wide;
use polhode_tape::{Dd, Scalar};
use std::any::Any;
use std::sync::OnceLock;

/// Γ(z); undefined at 0, −1, −2, ….
pub fn gamma<S: Scalar>(z: Complex<S>) -> Complex<S> {
    run(z, Which::Gamma)
}

/// 1/Γ(z), which is 0 at 0, −1, −2, ….
pub fn reciprocal_gamma<S: Scalar>(z: Complex<S>) -> Complex<S> {
    run(z, Which::Reciprocal)
}

/// ln Γ(z): the branch that is real for z > 0 and continuous off the negative axis, and on the
/// negative axis that of the upper side.
pub fn ln_gamma<S: Scalar>(z: Complex<S>) -> Complex<S> {
    run(z, Which::Logarithm)
}

/// ψ(z) = Γ′(z)/Γ(z); undefined at 0, −1, −2, ….
pub fn digamma<S: Scalar>(z: Complex<S>) -> Complex<S> {
    run(z, Which::Digamma)
}

enum Which {
    Gamma,
    Reciprocal,
    Logarithm,
    Digamma,
}

struct AtPoint {
    z: Complex<Dd>,
    which: Which,
}

fn run<S: Scalar>(z: Complex<S>, which: Which) -> Complex<S> {
    let z = z.convert::<Dd>();
    let pole = z.is_real() && z.re.hi() <= 0.0 && wide::<4>(z).re.as_integer().is_some();
    if !z.is_finite() || (pole && !matches!(which, Which::Reciprocal)) {
        let none = S::from_f64(f64::NAN);
        return Complex::new(none, none);
    }
    if pole {
        return Complex::default();
    }
    let [y] = evaluate(&AtPoint { z, which });
    y
}

impl Task<1> for AtPoint {
    fn run<const N: usize>(&self) -> [Ball<N>; 1] {
        let z = Ball::exact(wide(self.z));
        let y = match self.which {
            Which::Gamma => Ball::real(Wide::ONE) / reciprocal_gamma_ball(z),
            Which::Reciprocal => reciprocal_gamma_ball(z),
            Which::Logarithm => ln_gamma_ball(z),
            Which::Digamma => digamma_ball(z),
        };
        let real = self.z.is_real() && !(matches!(self.which, Which::Logarithm) && self.z.re.hi() < 0.0);
        [if real { y.real_part() } else { y }]
    }
}

/// B₂, B₄, …: as many as Stirling's series uses with 64 N bits.
fn bernoulli<const N: usize>() -> &'static [Wide<N>] {
    static TABLES: [OnceLock<Box<dyn Any + Send + Sync>>; 17] = [const { OnceLock::new() }; 17];
    let table = TABLES[N].get_or_init(|| Box::new(bernoulli_numbers::<N>(16 * N as u64 + 2)));
    table.downcast_ref::<Vec<Wide<N>>>().expect("the table of N holds numbers of N limbs")
}

/// B₂ … B₂ₙ from the tangent numbers T_k: B_2k = (−1)^{k−1} 2k T_k / (4^k (4^k − 1)).
fn bernoulli_numbers<const N: usize>(n: u64) -> Vec<Wide<N>> {
    let mut t = vec![Wide::<N>::ONE];
    for k in 1..n {
        t.push(t[k as usize - 1].times(k));
    }
    for k in 1..n {
        for j in k..n {
            let (i, d) = (j as usize, j - k);
            t[i] = if d == 0 { t[i].times(2) } else { t[i - 1].times(d) + t[i].times(d + 2) };
        }
    }
    let number = |(k, t): (usize, &Wide<N>)| {
        let k = k as i64 + 1;
        let b = t.times(2 * k as u64).scaled(-2 * k) / (Wide::ONE.scaled(2 * k) - Wide::ONE);
        if k % 2 == 0 { -b } else { b }
    };
    t.iter().enumerate().map(number).collect()
}

/// How far z has to be from 0 for Stirling's series to give 64 N bits.
fn far_enough<const N: usize>() -> f64 {
    0.22 * Wide::<N>::BITS as f64
}

/// By how many steps to the right z is moved.
fn steps<const N: usize>(z: Complex<Wide<N>>) -> u64 {
    let (re, im, far) = (z.re.to_f64(), z.im.to_f64(), far_enough::<N>());
    if re >= 0.0 && re.hypot(im) >= far { 0 } else { (far - re).ceil().max(0.0) as u64 }
}

/// The sum over Bernoulli numbers in ln Γ and in −ψ, and log₂ of its error.
fn stirling_sums<const N: usize>(z: Complex<Wide<N>>) -> (Complex<Wide<N>>, Complex<Wide<N>>, i64) {
    let r = Complex::from(Wide::ONE) / z;
    let square = r * r;
    let (re, modulus) = (z.re.to_f64(), z.re.to_f64().hypot(z.im.to_f64()));
    // sec²(½ arg z)
    let widening = (2.0 * modulus / (modulus + re)).log2();
    let (mut log, mut psi) = (Complex::default(), Complex::default());
    let mut power = Complex::from(Wide::ONE);
    let mut left = 0;
    for (k, b) in bernoulli::<N>().iter().enumerate() {
        let k = k as u64 + 1;
        power = power * square; // z^{−2k}
        let term = Complex::new(power.re * *b, power.im * *b);
        let term = Complex::new(term.re.over(2 * k), term.im.over(2 * k));
        left = size(term) + 2 + (widening * k as f64).ceil() as i64;
        if left < -Wide::<N>::BITS {
            break;
        }
        psi = psi + term;
        log = log + Complex::new(term.re.over(2 * k - 1), term.im.over(2 * k - 1));
    }
    (log * z, psi, left + size(z).max(0) + 1)
}

/// ln Γ(z + n), n = steps(z), with an error bound.
fn ln_gamma_far<const N: usize>(z: Complex<Wide<N>>, n: u64) -> Ball<N> {
    let z = z + Complex::from(Wide::integer(n as i64));
    let (sum, _, left) = stirling_sums(z);
    let half = Wide::ONE.scaled(-1);
    let main = (z - Complex::from(half)) * z.ln();
    let rest = Complex::from((Wide::pi().scaled(1).ln()).scaled(-1)) + sum;
    let value = main - z + rest;
    Ball { value, error: join(left, size(main).max(size(z)).max(1) + 8 - Wide::<N>::BITS) }
}

/// z (z + 1) … (z + n − 1), and log₂ of its relative error when z is off by 2^error.
fn rising<const N: usize>(z: Ball<N>, n: u64) -> (Complex<Wide<N>>, i64) {
    let mut product = Complex::from(Wide::ONE);
    let mut nearest = 0; // log₂ of the distance to the nearest zero
    for j in 0..n {
        let factor = z.value + Complex::from(Wide::integer(j as i64));
        nearest = nearest.min(size(factor) - 1);
        product = product * factor;
    }
    let slip = join(z.error, size(z.value) + 2 - Wide::<N>::BITS);
    let log_n = 64 - i64::from(n.leading_zeros());
    (product, (slip - nearest + 2).max(4 - Wide::<N>::BITS) + log_n)
}

/// By what an error of z changes ln Γ(z) for Re z > 0, away from 0: |ψ| ≤ |z| there, amply.
fn slip<const N: usize>(z: Ball<N>) -> i64 {
    (z.error + size(z.value).max(2) + 1).max(EXACT)
}

/// Whether z lies so far to the left that the reflection is shorter than the way to the right.
fn is_left<const N: usize>(z: Complex<Wide<N>>) -> bool {
    z.re.to_f64() < -4.0
}

fn one_minus<const N: usize>(z: Ball<N>) -> Ball<N> {
    Ball::real(Wide::ONE) - z
}

/// sin πz and cos πz.
pub(crate) fn sin_cos_pi<const N: usize>(z: Ball<N>) -> (Ball<N>, Ball<N>) {
    let (s, c) = z.value.re.sin_cos_pi();
    let (sh, ch) = (Wide::pi() * z.value.im).sinh_cosh();
    let relative = (size(z.value).max(0) + 10 - Wide::<N>::BITS).max(EXACT);
    // an error of z is one of π |cos| or π |sin| times as much
    let slope = size(Complex::new(ch, sh)) + 3;
    let ball = |value: Complex<Wide<N>>| {
        let own = size(value) + relative;
        Ball { value, error: join(own, (z.error + slope).max(EXACT)) }
    };
    (ball(Complex::new(s * ch, c * sh)), ball(Complex::new(c * ch, -(s * sh))))
}

/// 1/Γ(z).
pub(crate) fn reciprocal_gamma_ball<const N: usize>(z: Ball<N>) -> Ball<N> {
    if z.value.re.magnitude() > 40 || z.value.im.magnitude() > 40 {
        return Ball::unknown();
    }
    if let Some(n @ 1..200) = z.value.re.as_integer()
        && z.value.is_real()
    {
        // 1/(n − 1)!, whose logarithm has a slope below ln n < 8
        let factorial = (1..n as u64).fold(Wide::ONE, |f, k| f.over(k));
        let relative = join((z.error + 3).max(EXACT), 8 - Wide::<N>::BITS);
        return Ball { value: Complex::from(factorial), error: factorial.magnitude() + relative };
    }
    if is_left(z.value) {
        // 1/Γ(z) = Γ(1 − z) sin(πz)/π
        let (s, _) = sin_cos_pi(z);
        return s / (reciprocal_gamma_ball(one_minus(z)) * Ball::rounded(Complex::from(Wide::pi())));
    }
    let n = steps(z.value);
    let (product, relative) = rising(z, n);
    let far = ln_gamma_far(z.value, n).blurred(slip(z));
    let far = (-far).exp();
    // (product)(1 + 2^relative), or 0 within the error of z when z is at a zero
    let rounded = size(product) + 1 + relative;
    far * Ball { value: product, error: if product == Complex::default() { zero_slip(z, n) } else { rounded } }
}

/// log₂ of how far the rising product can be from 0 when one factor of it vanishes.
fn zero_slip<const N: usize>(z: Ball<N>, n: u64) -> i64 {
    let log = (1..=n.max(1)).map(|k| (k as f64 + z.value.re.to_f64().abs()).log2()).sum::<f64>();
    (z.error + log as i64 + 2).max(EXACT)
}

/// ln Γ(z).
pub(crate) fn ln_gamma_ball<const N: usize>(z: Ball<N>) -> Ball<N> {
    if z.value.re.magnitude() > 40 || z.value.im.magnitude() > 200 {
        return Ball::unknown();
    }
    if is_left(z.value) {
        // ln Γ(z) = ln π − ln sin πz − ln Γ(1 − z), the logarithm of the sine continued from (0, 1)
        // through its half-plane: ln ½(1 − e^{±2πiz}) ∓ iπ(z − ½)
        let sign = if z.value.im.is_negative() { -1 } else { 1 };
        let i_pi = Complex::new(Wide::ZERO, Wide::pi() * Wide::integer(sign));
        let q = {
            let (s, c) = z.value.re.scaled(1).sin_cos_pi();
            let r = (-(Wide::pi().scaled(1) * z.value.im.abs())).exp();
            Complex::new(c * r, s * r * Wide::integer(sign))
        };
        let difference = Complex::from(Wide::ONE) - q;
        let shift = i_pi * (z.value - Complex::from(Wide::ONE.scaled(-1)));
        let log_sine = Complex::new(difference.re.scaled(-1), difference.im.scaled(-1)).ln() - shift;
        let error = 12 - Wide::<N>::BITS + size(shift).max(2) - size(difference).min(0);
        let slip = (z.error + 4 - size(difference).min(0)).max(EXACT);
        let log_sine = Ball { value: log_sine, error: join(error, slip) };
        let log_pi = Ball::rounded(Complex::from(Wide::pi().ln()));
        return log_pi - log_sine - ln_gamma_ball(one_minus(z));
    }
    let n = steps(z.value);
    let (product, relative) = rising(z, n);
    let far = ln_gamma_far(z.value, n).blurred(slip(z));
    if n == 0 {
        return far;
    }
    // the sum of the principal logarithms of the factors, from the logarithm of their product
    let turns: f64 = (0..n).map(|j| z.value.im.to_f64().atan2(z.value.re.to_f64() + j as f64)).sum();
    let log = product.ln();
    let turns = ((turns - log.im.to_f64()) / (2.0 * std::f64::consts::PI)).round() as i64;
    let log = Complex::new(log.re, log.im + Wide::pi().scaled(1) * Wide::integer(turns));
    let error = join(relative + 1, size(log).max(0) + 8 - Wide::<N>::BITS);
    far - Ball { value: log, error }
}

/// ψ(z).
pub(crate) fn digamma_ball<const N: usize>(z: Ball<N>) -> Ball<N> {
    if z.value.re.magnitude() > 40 || z.value.im.magnitude() > 200 {
        return Ball::unknown();
    }
    if is_left(z.value) {
        // ψ(z) = ψ(1 − z) − π cot πz; far from the axis cot πz is ∓i
        let pi = Ball::rounded(Complex::from(Wide::pi()));
        let im = z.value.im;
        let cot = if im.magnitude() > 24 {
            let minus = Wide::integer(if im.is_negative() { 1 } else { -1 });
            Ball { value: Complex::new(Wide::ZERO, minus), error: -Wide::<N>::BITS }
        } else {
            let (s, c) = sin_cos_pi(z);
            c / s
        };
        return digamma_ball(one_minus(z)) - pi * cot;
    }
    let n = steps(z.value);
    // Σ 1/(z + j) over the product of all z + j
    let (mut sum, mut product) = (Complex::default(), Complex::from(Wide::ONE));
    let mut largest = 0;
    for j in 0..n {
        let factor = z.value + Complex::from(Wide::integer(j as i64));
        largest = largest.max(1 - size(factor));
        sum = sum * factor + product;
        product = product * factor;
    }
    let sum = sum / product;
    let far = z.value + Complex::from(Wide::integer(n as i64));
    let (_, psi, left) = stirling_sums(far);
    let r = Complex::from(Wide::ONE) / far;
    let log = far.ln();
    let value = log - Complex::new(r.re.scaled(-1), r.im.scaled(-1)) - psi - sum;
    let rounding = size(log).max(largest).max(0) + 12 - Wide::<N>::BITS;
    // |ψ′| is at most 1/d² and some, d the distance to the nearest pole; shifting z rounds it too
    let slip = (join(z.error, size(z.value) + 2 - Wide::<N>::BITS) + 2 * largest + 3).max(EXACT);
    Ball { value, error: join(join(left, rounding), slip) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bernoulli_numbers_are_known() {
        let b = bernoulli::<4>();
        for (k, p, q) in [(1, 1.0, 6.0), (2, -1.0, 30.0), (6, -691.0, 2730.0), (10, -174_611.0, 330.0)] {
            assert!((b[k - 1].to_f64() * q / p - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn values_that_are_known() {
        let half = Complex::from(0.5);
        assert_eq!(gamma(half).re, 1.772_453_850_905_516); // √π
        assert_eq!(gamma(Complex::from(6.0)).re, 120.0);
        assert_eq!(ln_gamma(Complex::from(1.0)).re, 0.0);
        assert_eq!(ln_gamma(Complex::from(2.0)).re, 0.0);
        assert_eq!(digamma(Complex::from(1.0)).re, -0.577_215_664_901_532_9);
        assert_eq!(reciprocal_gamma(Complex::from(-3.0)), Complex::default());
        for z in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(gamma(Complex::from(z)).re.is_nan() && digamma(Complex::from(z)).re.is_nan());
        }
    }
}
