//! Legendre functions of complex degree on the cut, −1 < x < 1 (Ferrers functions).
//!
//! ```text
//! P_ν(x) = F(−ν, ν+1; 1; (1−x)/2)
//! Q_ν(x) = √π [ cos(½πν) Γ(½ν+1)/Γ(½ν+½) w₂ − ½ sin(½πν) Γ(½ν+½)/Γ(½ν+1) w₁ ]
//! w₁ = F(−½ν, ½ν+½; ½; x²),    w₂ = x F(½−½ν, ½ν+1; 3/2; x²)
//! ```
//!
//! \[Olver2010, §14.3(i), §14.3(iii)\] at order 0. Both solve (1−x²) y″ − 2x y′ + ν(ν+1) y = 0, and
//! (1−x²)(P Q′ − P′ Q) = 1. Degrees ν = −½ + iτ are those of conical functions: P is real there. Q has
//! poles at ν = −1, −2, …; P_ν(−x) is a second solution for every degree that is not an integer.
//!
//! Near the end points x says little about 1 − x; [`legendre_p_of_angle`] takes x = cos θ by its angle.

use crate::ball::{Ball, Task, evaluate, size, wide};
use crate::complex::Complex;
use crate::gamma::{reciprocal_gamma_ball, sin_cos_pi};
use crate::hypergeometric::gauss;
use crate::wide::Wide;
use polhode_tape::{Dd, Scalar};

/// P_ν(x) for −1 < x ≤ 1.
pub fn legendre_p<S: Scalar>(degree: Complex<S>, x: S) -> Complex<S> {
    of(degree, x, Which::P)
}

/// dP_ν/dx for −1 < x ≤ 1.
pub fn legendre_p_derivative<S: Scalar>(degree: Complex<S>, x: S) -> Complex<S> {
    of(degree, x, Which::DerivativeOfP)
}

/// Q_ν(x) for −1 < x < 1; undefined for ν = −1, −2, ….
pub fn legendre_q<S: Scalar>(degree: Complex<S>, x: S) -> Complex<S> {
    of(degree, x, Which::Q)
}

/// dQ_ν/dx for −1 < x < 1; undefined for ν = −1, −2, ….
pub fn legendre_q_derivative<S: Scalar>(degree: Complex<S>, x: S) -> Complex<S> {
    of(degree, x, Which::DerivativeOfQ)
}

/// The conical function P_{−½+iτ}(x), which is real, for −1 < x ≤ 1.
pub fn conical_p<S: Scalar>(tau: S, x: S) -> S {
    legendre_p(Complex::new(S::from_f64(-0.5), tau), x).re
}

/// P_ν(cos θ) and its derivative with respect to θ, for 0 ≤ θ < π.
pub fn legendre_p_of_angle<S: Scalar>(degree: Complex<S>, theta: S) -> (Complex<S>, Complex<S>) {
    let [p, d] = evaluate(&OfAngle { degree: degree.convert(), theta: theta.to_dd() });
    (p, d)
}

enum Which {
    P,
    DerivativeOfP,
    Q,
    DerivativeOfQ,
}

struct AtPoint {
    degree: Complex<Dd>,
    x: Dd,
    which: Which,
}

fn of<S: Scalar>(degree: Complex<S>, x: S, which: Which) -> Complex<S> {
    let [y] = evaluate(&AtPoint { degree: degree.convert(), x: x.to_dd(), which });
    y
}

impl Task<1> for AtPoint {
    fn run<const N: usize>(&self) -> [Ball<N>; 1] {
        let inside = self.x.hi().abs() <= 1.0 && self.x > -Dd::ONE;
        if !inside || !self.degree.is_finite() {
            return [Ball::unknown()];
        }
        let (nu, x) = (wide::<N>(self.degree), Wide::constant(self.x));
        [match self.which {
            Which::P => p(nu, (Wide::ONE - x).scaled(-1), (Wide::ONE + x).scaled(-1)),
            Which::DerivativeOfP => dp(nu, (Wide::ONE - x).scaled(-1), (Wide::ONE + x).scaled(-1)),
            Which::Q => q(nu, x, false),
            Which::DerivativeOfQ => q(nu, x, true),
        }]
    }
}

/// Whether P_ν is real: ν is, or ν = −½ + iτ.
fn is_real<const N: usize>(nu: Complex<Wide<N>>) -> bool {
    nu.is_real() || nu.re == -Wide::ONE.scaled(-1)
}

/// P_ν at z = (1−x)/2, y = (1+x)/2.
fn p<const N: usize>(nu: Complex<Wide<N>>, z: Wide<N>, y: Wide<N>) -> Ball<N> {
    let one = Complex::from(Wide::ONE);
    let value = gauss(-nu, nu + one, one, z, y);
    if is_real(nu) { value.real_part() } else { value }
}

/// dP_ν/dx = ½ ν(ν+1) F(1−ν, ν+2; 2; z).
fn dp<const N: usize>(nu: Complex<Wide<N>>, z: Wide<N>, y: Wide<N>) -> Ball<N> {
    let one = Complex::from(Wide::ONE);
    let half = Ball::real(Wide::ONE.scaled(-1));
    let value = half * Ball::exact(nu) * Ball::rounded(nu + one) * gauss(one - nu, nu + one + one, one + one, z, y);
    if is_real(nu) { value.real_part() } else { value }
}

/// Q_ν(x) or its derivative.
fn q<const N: usize>(nu: Complex<Wide<N>>, x: Wide<N>, derivative: bool) -> Ball<N> {
    let one = Complex::from(Wide::ONE);
    let half = one.scale(Wide::ONE.scaled(-1));
    let h = nu * half;
    let (z, y) = (x * x, (Wide::ONE - x) * (Wide::ONE + x));
    let (a1, b1, c1) = (-h, h + half, half);
    let (a2, b2, c2) = (half - h, h + one, half + one);
    let real = |z: Wide<N>| Ball::rounded(Complex::from(z));
    let slope = |a, b, c: Complex<Wide<N>>| {
        Ball::rounded(a) * Ball::rounded(b) / Ball::exact(c) * gauss(a + one, b + one, c + one, z, y)
    };
    let (w1, w2) = if derivative {
        // d/dx F(x²) = 2x F′
        let even = real(x.scaled(1)) * slope(a1, b1, c1);
        let odd = gauss(a2, b2, c2, z, y) + real(z.scaled(1)) * slope(a2, b2, c2);
        (even, odd)
    } else {
        (gauss(a1, b1, c1, z, y), real(x) * gauss(a2, b2, c2, z, y))
    };
    let (s, c) = sin_cos_pi(Ball::exact(h));
    let (over_first, over_second) =
        (reciprocal_gamma_ball(Ball::rounded(h + half)), reciprocal_gamma_ball(Ball::rounded(h + one)));
    let root = real(Wide::pi().sqrt());
    let value = root * (c * over_first / over_second * w2 - Ball::exact(half) * s * over_second / over_first * w1);
    if nu.is_real() { value.real_part() } else { value }
}

struct OfAngle {
    degree: Complex<Dd>,
    theta: Dd,
}

impl Task<2> for OfAngle {
    fn run<const N: usize>(&self) -> [Ball<N>; 2] {
        let inside = self.theta.hi() >= 0.0 && self.theta < Dd::PI;
        if !inside || !self.degree.is_finite() {
            return [Ball::unknown(); 2];
        }
        let nu = wide::<N>(self.degree);
        let theta = Wide::constant(self.theta);
        let (s, c) = theta.scaled(-1).sin_cos();
        let (value, slope) = (p(nu, s * s, c * c), dp(nu, s * s, c * c));
        let sine = Ball::rounded(Complex::from((s * c).scaled(1)));
        // θ is exact; s² and c² are off by a few units of the last place of 1 or by their own
        let blur = 6 - Wide::<N>::BITS;
        let second = {
            // (1−x²) P″ = 2x P′ − ν(ν+1) P
            let bound = (slope.size() + 2).max(value.size() + 2 * size(nu).max(1) + 1);
            bound - 2 * size(sine.value)
        };
        let near = size(sine.value).min(0);
        let slope = slope.blurred(second + blur + near);
        let value = value.blurred(slope.size() + blur + near);
        [value, -(sine * slope)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_and_their_companions() {
        for x in [-0.999, -0.6, -1e-3, 0.0, 0.4, 0.9, 1.0 - 1e-12] {
            let (two, one, zero) = (Complex::from(2.0), Complex::from(1.0), Complex::from(0.0));
            let exact = (Dd::from(3.0) * Dd::from(x) * Dd::from(x) - Dd::ONE) * Dd::from(0.5);
            assert_eq!(legendre_p(two, x).re, exact.hi());
            assert!((legendre_p_derivative(two, x).re - 3.0 * x).abs() <= 4e-16 * x.abs());
            let artanh = 0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p().copysign(x);
            assert!((legendre_q(zero, x).re - artanh).abs() <= 4e-16 * artanh.abs());
            assert!((legendre_q(one, x).re - (x * artanh - 1.0)).abs() < 4e-15);
        }
        assert!(legendre_q(Complex::from(-1.0), 0.3).re.is_nan() && legendre_p(Complex::from(0.3), -1.0).re.is_nan());
        assert_eq!(legendre_p(Complex::new(0.3, 0.2), 1.0), Complex::from(1.0));
    }

    #[test]
    fn angles_and_cosines_agree() {
        for theta in [0.0, 1e-5, 0.3, 1.5, 3.0] {
            let nu = Complex::new(Dd::from(-0.5), Dd::from(1.0408));
            let t = Dd::from(theta);
            let (s, c) = t.sin_cos();
            let (p, d) = legendre_p_of_angle(nu, t);
            assert!(((p - legendre_p(nu, c)).abs() / p.abs()).to_f64() < 1e-29);
            let slope = legendre_p_derivative(nu, c).scale(-s);
            assert!((d - slope).abs().to_f64() <= 1e-29 * d.abs().to_f64());
        }
    }
}
