//! Legendre's elliptic integrals, of the parameter m = k².
//!
//! ```text
//! F(φ | m) = ∫₀^φ dθ / Δ,  E(φ | m) = ∫₀^φ Δ dθ,  D(φ | m) = ∫₀^φ sin²θ dθ / Δ,
//! Π(n; φ | m) = ∫₀^φ dθ / ((1 − n sin²θ) Δ),      Δ = √(1 − m sin²θ)
//! ```
//!
//! in Carlson's forms, \[Olver2010, §19.25(i)\], with s = sin φ, c = cos φ and Δ² = c² + (1−m) s²:
//!
//! ```text
//! F = s R_F(c², Δ², 1),   D = s³/3 R_D(c², Δ², 1),   E = F − m D,   Π = F + n s³/3 R_J(c², Δ², 1, 1 − n s²)
//! ```
//!
//! for |φ| ≤ π/2, and by f(φ + jπ) = f(φ) + 2 j f(π/2) elsewhere, \[Olver2010, §19.2(ii)\]. K is π/2 over an
//! arithmetic-geometric mean. The parameter may be any number below 1; for m ≥ 1 the angle must stay where
//! Δ > 0. Where n sin²θ passes 1 within the range of integration, Π is a principal value.

use crate::ball::{Ball, Task, evaluate};
use crate::carlson::{rd, rf, rj, rounded};
use crate::complex::Complex;
use crate::wide::Wide;
use polhode_tape::{Dd, Scalar};

/// K(m) = F(π/2 | m), m < 1.
pub fn elliptic_k<S: Scalar>(m: S) -> S {
    complete(Which::F, S::default(), m)
}

/// E(m) = E(π/2 | m), m ≤ 1.
pub fn elliptic_e<S: Scalar>(m: S) -> S {
    complete(Which::E, S::default(), m)
}

/// D(m) = D(π/2 | m) = (K − E)/m, m < 1.
pub fn elliptic_d<S: Scalar>(m: S) -> S {
    complete(Which::D, S::default(), m)
}

/// Π(n | m) = Π(n; π/2 | m), m < 1, n ≠ 1; a principal value for n > 1.
pub fn elliptic_pi<S: Scalar>(n: S, m: S) -> S {
    complete(Which::Pi, n, m)
}

/// F(φ | m).
pub fn elliptic_f_incomplete<S: Scalar>(phi: S, m: S) -> S {
    incomplete(Which::F, S::default(), phi, m)
}

/// E(φ | m).
pub fn elliptic_e_incomplete<S: Scalar>(phi: S, m: S) -> S {
    incomplete(Which::E, S::default(), phi, m)
}

/// D(φ | m).
pub fn elliptic_d_incomplete<S: Scalar>(phi: S, m: S) -> S {
    incomplete(Which::D, S::default(), phi, m)
}

/// Π(n; φ | m).
pub fn elliptic_pi_incomplete<S: Scalar>(n: S, phi: S, m: S) -> S {
    incomplete(Which::Pi, n, phi, m)
}

#[derive(Clone, Copy, PartialEq)]
enum Which {
    F,
    E,
    D,
    Pi,
}

struct Complete {
    which: Which,
    n: Dd,
    m: Dd,
}

struct Incomplete {
    which: Which,
    n: Dd,
    phi: Dd,
    m: Dd,
}

fn complete<S: Scalar>(which: Which, n: S, m: S) -> S {
    let [y] = evaluate(&Complete { which, n: n.to_dd(), m: m.to_dd() });
    y.re
}

fn incomplete<S: Scalar>(which: Which, n: S, phi: S, m: S) -> S {
    let [y] = evaluate(&Incomplete { which, n: n.to_dd(), phi: phi.to_dd(), m: m.to_dd() });
    y.re
}

impl Task<1> for Complete {
    fn run<const N: usize>(&self) -> [Ball<N>; 1] {
        let fine = self.n.is_finite() && self.m.is_finite() && self.m <= Dd::ONE && self.n != Dd::ONE;
        if !fine || (self.m == Dd::ONE && self.which != Which::E) {
            return [Ball::unknown()];
        }
        [quarter(self.which, Wide::constant(self.n), Wide::constant(self.m))]
    }
}

/// The arithmetic-geometric mean of 1 and b > 0.
fn mean_with_one<const N: usize>(b: Wide<N>) -> Wide<N> {
    let (mut a, mut b) = (Wide::ONE, b);
    // the next difference is half a square of this one over the sum
    while 2 * ((a - b).magnitude() - a.magnitude()) > -Wide::<N>::BITS {
        (a, b) = ((a + b).scaled(-1), (a * b).sqrt());
    }
    (a + b).scaled(-1)
}

/// The integral over a quarter turn; for m = 1 only that of E.
fn quarter<const N: usize>(which: Which, n: Wide<N>, m: Wide<N>) -> Ball<N> {
    let rest = Wide::ONE - m;
    if rest.is_zero() {
        return Ball::real(Wide::ONE);
    }
    let k = || rounded(Wide::pi().scaled(-1) / mean_with_one(rest.sqrt()));
    let d = || rounded(rd(Wide::ZERO, rest, Wide::ONE).over(3));
    match which {
        Which::F => k(),
        Which::D => d(),
        Which::E => k() - Ball::real(m) * d(),
        Which::Pi => {
            let third = rj(Wide::ZERO, rest, Wide::ONE, Wide::ONE - n) / Ball::real(Wide::integer(3));
            k() + Ball::real(n) * third
        }
    }
}

impl Task<1> for Incomplete {
    fn run<const N: usize>(&self) -> [Ball<N>; 1] {
        if !(self.n.is_finite() && self.phi.is_finite() && self.m.is_finite()) {
            return [Ball::unknown()];
        }
        let (n, m, phi) = (Wide::<N>::constant(self.n), Wide::constant(self.m), Wide::constant(self.phi));
        if phi.magnitude() > 58 {
            return [Ball::unknown()];
        }
        let (turns, _) = (phi / Wide::pi()).split_integer();
        // |φ − jπ| decides by itself: its sine and cosine lose nothing
        let (s, c) = phi.sin_cos();
        let (s, c) = if turns % 2 == 0 { (s, c) } else { (-s, -c) };
        let first = first_quarter(self.which, n, s, c, m);
        if turns == 0 {
            return [first];
        }
        if self.m > Dd::ONE || (self.m == Dd::ONE && self.which != Which::E) || self.n == Dd::ONE {
            return [Ball::unknown()];
        }
        [first + Ball::real(Wide::integer(2 * turns)) * quarter(self.which, n, m)]
    }
}

/// The integral from 0 to φ with |φ| ≤ π/2, from sin φ and cos φ.
fn first_quarter<const N: usize>(which: Which, n: Wide<N>, s: Wide<N>, c: Wide<N>, m: Wide<N>) -> Ball<N> {
    if s.is_zero() {
        return Ball::real(Wide::ZERO);
    }
    let bits = Wide::<N>::BITS;
    let (s2, c2) = (s * s, c * c);
    let delta = c2 + (Wide::ONE - m) * s2;
    let noise = m.magnitude().max(1) + 8 - bits;
    let loses = m > Wide::ONE; // Δ² is a difference
    if delta.is_negative() || delta.is_zero() || (loses && delta.magnitude() < noise + 2) {
        return Ball::unknown();
    }
    // an error ε of Δ² costs ε/Δ at most, one of cos² likewise
    let blur = if loses { noise - delta.magnitude() / 2 } else { 8 - bits };
    let ball = |x: Wide<N>| rounded(x).blurred(x.magnitude() + 4 + blur);
    let f = || ball(s * rf(c2, delta, Wide::ONE));
    let cube = s * s2;
    let d = || ball((cube * rd(c2, delta, Wide::ONE)).over(3));
    match which {
        Which::F => f(),
        Which::D => d(),
        Which::E => f() - Ball::real(m) * d(),
        Which::Pi => {
            let p = c2 + (Wide::ONE - n) * s2;
            // p is a difference for n > 1
            let slip = n.magnitude().max(1) + 6 - bits - p.magnitude();
            if p.is_zero() || slip > -4 {
                return Ball::unknown();
            }
            let r = rj(c2, delta, Wide::ONE, p);
            let third = rounded(cube.over(3)) * r.blurred(r.size() + 4 + blur.max(slip));
            f() + Ball::real(n) * third
        }
    }
}

/// The Jacobi functions at one argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jacobi<S> {
    /// sin am u.
    pub sn: S,
    /// cos am u.
    pub cn: S,
    /// √(1 − m sn²).
    pub dn: S,
    /// The amplitude: F(am u | m) = u, continuous in u.
    pub am: S,
}

/// sn, cn, dn and am of real u and any real parameter m = k².
///
/// Landen's descending transformation, \[Olver2010, §22.7(i)\], for 0 ≤ m < 1,
///
/// ```text
/// sn = (1+k₁) s/(1+k₁s²),  cn = c d/(1+k₁s²),  dn = (1−k₁s²)/(1+k₁s²),  k₁ = (1−k′)/(1+k′),
/// ```
///
/// s, c, d those of u/(1+k₁) and k₁, until they are sine and cosine. Whole periods drop out there:
/// K = π/2 Π(1+k₁). Negative m and m > 1 come from (0, 1) by \[Olver2010, §22.17\].
pub fn jacobi<S: Scalar>(u: S, m: S) -> Jacobi<S> {
    let [sn, cn, dn, am] = evaluate(&AtArgument { u: u.to_dd(), m: m.to_dd() });
    Jacobi { sn: sn.re, cn: cn.re, dn: dn.re, am: am.re }
}

struct AtArgument {
    u: Dd,
    m: Dd,
}

impl Task<4> for AtArgument {
    fn run<const N: usize>(&self) -> [Ball<N>; 4] {
        if !(self.u.is_finite() && self.m.is_finite()) {
            return [Ball::unknown(); 4];
        }
        let (u, m) = (Wide::<N>::constant(self.u), Wide::constant(self.m));
        let one = Ball::real(Wide::ONE);
        if m == Wide::ONE {
            let (sinh, cosh) = u.sinh_cosh();
            let loss = u.magnitude().max(0) + 8 - Wide::<N>::BITS;
            let ball = |x: Wide<N>| Ball { value: Complex::from(x), error: x.magnitude() + loss };
            let sech = ball(cosh.recip());
            return [ball(sinh / cosh), sech, sech, ball(sinh.atan2(Wide::ONE))];
        }
        if m > Wide::ONE {
            // sn(u | m) = sn(ku | 1/m)/k, and cn and dn exchange their roles
            let k = m.sqrt();
            let [sn, cn, dn, _] = landen(rounded(k * u), m.recip(), ((m - Wide::ONE) / m).sqrt());
            let sn = sn / rounded(k);
            return [sn, dn, cn, angle(sn, dn, 0)];
        }
        if m.is_negative() {
            // u′ = u √(1−m), m′ = −m/(1−m): sn = sd/√(1−m), cn = cd, dn = nd
            let k = (Wide::ONE - m).sqrt();
            let [sn, cn, dn, turns] = landen(rounded(k * u), -(m / (k * k)), k.recip());
            let (sn, cn, dn) = (sn / dn / rounded(k), cn / dn, one / dn);
            return [sn, cn, dn, angle(sn, cn, turns.value.re.to_f64() as i64)];
        }
        let [sn, cn, dn, turns] = landen(Ball::real(u), m, (Wide::ONE - m).sqrt());
        [sn, cn, dn, angle(sn, cn, turns.value.re.to_f64() as i64)]
    }
}

/// The angle with this sine and cosine, after so many full turns.
fn angle<const N: usize>(s: Ball<N>, c: Ball<N>, turns: i64) -> Ball<N> {
    let first = s.value.re.atan2(c.value.re);
    let rounding = rounded(first).error;
    let first = Ball { value: Complex::from(first), error: rounding };
    // an error of sine and cosine is one of the angle; where the sine is small it is the sine's alone
    let slip = s.error.max(c.error + s.size()) + 2;
    first.blurred(slip) + Ball::real(Wide::integer(turns)) * rounded(Wide::pi().scaled(1))
}

/// sn, cn, dn for 0 ≤ m < 1, k′ = √(1−m), and the number of whole periods 4K nearest to u.
fn landen<const N: usize>(u: Ball<N>, m: Wide<N>, complement: Wide<N>) -> [Ball<N>; 4] {
    const DEPTH: usize = 64;
    let bits = Wide::<N>::BITS;
    let mut moduli = [(Wide::ZERO, Wide::ZERO); DEPTH]; // k₁ and 1 − k₁
    let (mut k2, mut k_prime, mut depth) = (m, complement, 0);
    let mut v = u.value.re;
    while k2.magnitude() > -bits - 4 {
        if depth == DEPTH {
            return [Ball::unknown(); 4];
        }
        let sum = Wide::ONE + k_prime;
        let k1 = k2 / (sum * sum); // (1 − k′)/(1 + k′) without the difference
        moduli[depth] = (k1, k_prime.scaled(1) / sum);
        v = v / (Wide::ONE + k1);
        (k2, k_prime) = (k1 * k1, k_prime.sqrt().scaled(1) / sum);
        depth += 1;
    }
    if v.magnitude() > 58 {
        return [Ball::unknown(); 4];
    }
    let blur = |x: Wide<N>| {
        let own = v.magnitude() + 10 - bits;
        let inherited = u.error;
        Ball { value: Complex::from(x), error: own.max(inherited) + 1 }
    };
    let (s, c) = v.sin_cos();
    let turns = {
        let whole = (v - s.atan2(c)) / Wide::pi().scaled(1);
        Ball::real(Wide::integer(whole.split_integer().0))
    };
    let one = Ball::real(Wide::ONE);
    let (mut s, mut c, mut d) = (blur(s), blur(c), one);
    for (k1, rest) in moduli[..depth].iter().rev() {
        let (k1, rest) = (rounded(*k1), rounded(*rest));
        let denominator = one + k1 * s * s;
        // 1 − k₁ s² = (1 − k₁) + k₁ c²
        let next = (rest + k1 * c * c) / denominator;
        (s, c, d) = ((one + k1) * s / denominator, c * d / denominator, next);
    }
    [s, c, d, turns]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_moduli() {
        let half_pi = std::f64::consts::FRAC_PI_2;
        assert_eq!(
            [elliptic_k(0.0), elliptic_e(0.0), elliptic_e(1.0), elliptic_d(0.0)],
            [half_pi, half_pi, 1.0, half_pi / 2.0]
        );
        assert_eq!(elliptic_pi(0.0, 0.3), elliptic_k(0.3));
        for x in [elliptic_k(1.0), elliptic_k(1.5), elliptic_pi(1.0, 0.5), elliptic_f_incomplete(2.0, 1.0)] {
            assert!(x.is_nan());
        }
        assert!(elliptic_f_incomplete(0.6, 4.0).is_nan(), "sin² 0.6 > ¼");
        assert_eq!(elliptic_f_incomplete(-0.7, 0.0), -0.7);
        for u in [-9.0, -0.3, 0.0, 1e-9, 2.0, 77.0f64] {
            let (circular, hyperbolic) = (jacobi(u, 0.0), jacobi(u, 1.0));
            assert!((circular.sn - u.sin()).abs() < 2e-16 && (circular.am - u).abs() <= u.abs() * 1e-16);
            assert_eq!([circular.dn, hyperbolic.sn], [1.0, u.tanh()]);
            assert!((hyperbolic.cn * u.cosh() - 1.0).abs() < 1e-15);
        }
    }
}
