//! Frobenius series of both solutions at a regular singular or ordinary point, with logarithms and a
//! bound of what their truncation leaves out.
//!
//! With the letters of (R) in `local.rs` and L_j(r) = A_j r(r−1) + B_j r + C_j,
//!
//! ```text
//! y₁ = t^{r₁} Σ a_k t^k,   a₀ = 1,   L₀(k+r₁) a_k = − Σ_{j≥1} L_j(k−j+r₁) a_{k−j}
//! y₂ = t^{r₂} Σ b_k t^k + κ y₁ ln t
//! L₀(k+r₂) b_k = − Σ_{j≥1} L_j(k−j+r₂) b_{k−j} − κ Σ_j [A_j (2(k−n−j+r₁) − 1) + B_j] a_{k−n−j}
//! ```
//!
//! with b₀ = 1, and where n = r₁ − r₂ is an integer: b_n = 0 and κ from k = n; κ = 1 and b₀ = 0 if
//! n = 0. If n is no integer, κ = 0.
//!
//! **Truncation.** Divide (R) by A: θ²y + (β−1) θy + γ y = 0, θ = t d/dt, β = B/A, γ = C/A. Let ρ be less
//! than the distance R to the nearest other singular point, and M_β, M_γ, M_A bounds of |β_j| ρ^j, |γ_j| ρ^j
//! and of ρ^j times the coefficients of 1/A, for j ≥ 1: the first 256 coefficients are computed, the rest
//! follow from Cauchy's estimate on a circle between ρ and R, where |A| ≥ |A₀| Π(1 − |t|/|ξ|) over the other
//! singular points ξ. The truncated series (K terms) leaves a residual polynomial with as many terms as
//! A, B, C have; divided by A it is majorised by D t^K/(1 − t/ρ). Since |L₀(k+r)/A₀| ≥ k (k − |r₁−r₂|), the
//! tail u obeys, for k ≥ K,
//!
//! ```text
//! k |u_k| ≤ M Σ_{j≥1} ρ^{−j} |u_{k−j}| + D ρ^{−(k−K)}/(K−|r₁−r₂|),   M = (M_β (K+|r|) + M_γ)/(K−|r₁−r₂|)
//! |u(t)| ≤ E |t|^K (1 − |t|/ρ)^{−max(M,1)},   E = D/(K (K−|r₁−r₂|))                       (T)
//! ```
//!
//! because the right side of (T), as a series, satisfies the inequality with ≥. The part b of a
//! logarithmic solution has the tail of y₁ as a further source and one more power of (1 − |t|/ρ)⁻¹.
//! This is the method of majorants for residuals of \[Mezzarobba2019\] in its simplest form. Bounds are
//! evaluated in doubles and rounding of the 256-bit recursion is left out of them.

use super::local::Local;
use super::polynomial::{Number, Real, modulus};
use crate::budget::FROBENIUS_TERMS;
use crate::complex::Complex;
use polhode_tape::Scalar;

/// Both solutions at one point, in t = σ (x − x₀) for σ = ±1.
///
/// For real points: t > 0 is the side where powers and logarithms are real. Series whose exponents are
/// integers ≥ 0 and that have no logarithm hold on both sides.
#[derive(Clone, Debug)]
pub struct LocalBasis<S> {
    centre: [S; 2], // x₀ as an unevaluated sum, so that x − x₀ keeps its digits
    forward: bool,  // σ = 1
    exponents: [Complex<S>; 2],
    logarithm: Complex<S>, // κ
    scale: S,              // ℓ, a power of two: coefficients are those of s = t/ℓ
    coefficients: [Vec<Complex<S>>; 2],
    real: bool,
    reach: f64,
    radius: f64,
    truncation: [f64; 2],
}

/// Values and derivatives of two solutions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Values<S> {
    /// The solutions.
    pub y: [Complex<S>; 2],
    /// Their derivatives with respect to x.
    pub dy: [Complex<S>; 2],
}

impl<S: Scalar> Values<S> {
    /// y₁ y₂′ − y₂ y₁′.
    pub fn wronskian(&self) -> Complex<S> {
        self.y[0] * self.dy[1] - self.y[1] * self.dy[0]
    }
}

/// The series did not converge to the wanted precision with this many terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooManyTerms {
    /// The number of terms computed.
    pub terms: usize,
}

impl std::fmt::Display for TooManyTerms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} terms of the series are not enough", self.terms)
    }
}

impl std::error::Error for TooManyTerms {}

impl<S: Scalar> LocalBasis<S> {
    /// The exponents r₁ and r₂.
    pub fn exponents(&self) -> [Complex<S>; 2] {
        self.exponents
    }

    /// κ, the factor of y₁ ln t in y₂.
    pub fn logarithm(&self) -> Complex<S> {
        self.logarithm
    }

    /// The distance to the nearest other singular point: both series converge inside.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Up to here the truncation bound holds.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// A bound of |Σ_{k≥K}| of both series, the factor t^r left out, for |t| ≤ reach.
    pub fn truncation(&self) -> [f64; 2] {
        self.truncation
    }

    /// The number of terms of the series.
    pub fn terms(&self) -> usize {
        self.coefficients[0].len()
    }

    /// The coefficient of t^{k + r} in the series of solution 1 or 2 (`which` 0 or 1).
    pub fn coefficient(&self, which: usize, k: usize) -> Complex<S> {
        let power = (0..k).fold(S::from_f64(1.0), |p, _| p * self.scale);
        self.coefficients[which][k].scale(S::from_f64(1.0) / power)
    }

    /// t = σ (x − x₀).
    pub fn local_variable(&self, x: S) -> S {
        let t = (x - self.centre[0]) - self.centre[1];
        if self.forward { t } else { -t }
    }

    /// Both solutions and their derivatives at x.
    pub fn evaluate(&self, x: S) -> Values<S> {
        self.evaluate_local(self.local_variable(x))
    }

    /// The same at x₀ + σt, where t is known better than x; the derivative is that with respect to x.
    pub fn evaluate_local(&self, t: S) -> Values<S> {
        let (y1, d1) = self.series(0, t);
        let (mut y2, mut d2) = self.series(1, t);
        if self.logarithm != Complex::default() {
            // d/dt (y₁ ln t) = y₁′ ln t + y₁/t
            let log = t.ln();
            y2 = y2 + self.logarithm * y1.scale(log);
            d2 = d2 + self.logarithm * (d1.scale(log) + y1.scale(S::from_f64(1.0) / t));
        }
        let turn = |d: Complex<S>| if self.forward { d } else { -d };
        Values { y: [y1, y2], dy: [turn(d1), turn(d2)] }
    }

    /// t^r Σ c_k s^k and its derivative with respect to t.
    fn series(&self, which: usize, t: S) -> (Complex<S>, Complex<S>) {
        let (c, r) = (&self.coefficients[which], self.exponents[which]);
        let s = t / self.scale;
        let (f, slope) = if self.real {
            let (mut f, mut slope) = (S::default(), S::default());
            for c in c.iter().rev() {
                slope = slope * s + f;
                f = f * s + c.re;
            }
            (Complex::from(f), Complex::from(slope / self.scale))
        } else {
            let (mut f, mut slope) = (Complex::default(), Complex::default());
            for c in c.iter().rev() {
                slope = slope.scale(s) + f;
                f = f.scale(s) + *c;
            }
            (f, slope.scale(S::from_f64(1.0) / self.scale))
        };
        let n = r.re.to_f64();
        if r == Complex::default() {
            return (f, slope);
        }
        if r.is_real() && n.fract() == 0.0 && n.abs() <= 64.0 && r.re == S::from_f64(n) {
            // t^{n−1} by products, so that it is defined at t = 0 and for t < 0
            let below = power(t, n as i64 - 1);
            return (f.scale(below * t), f.scale(below * r.re) + slope.scale(below * t));
        }
        let factor = r.scale(t.ln()).exp();
        (factor * f, factor * (slope + r * f.scale(S::from_f64(1.0) / t)))
    }

    /// The same basis in another type.
    pub(crate) fn converted<T: Scalar>(&self) -> LocalBasis<T> {
        let to = |x: S| T::constant(x.to_dd());
        let series = |c: &Vec<Complex<S>>| c.iter().map(|z| z.convert()).collect();
        let first = to(self.centre[0]);
        let rest = T::constant((self.centre[0] - S::constant(first.to_dd())).to_dd());
        LocalBasis {
            centre: [first, rest],
            forward: self.forward,
            exponents: self.exponents.map(Complex::convert),
            logarithm: self.logarithm.convert(),
            scale: to(self.scale),
            coefficients: [series(&self.coefficients[0]), series(&self.coefficients[1])],
            real: self.real,
            reach: self.reach,
            radius: self.radius,
            truncation: self.truncation,
        }
    }
}

/// tⁿ.
fn power<S: Scalar>(t: S, n: i64) -> S {
    let p = (0..n.unsigned_abs()).fold(S::from_f64(1.0), |p, _| p * t);
    if n < 0 { S::from_f64(1.0) / p } else { p }
}

/// What a basis is made for.
pub(crate) struct Purpose<'a> {
    /// Where the point is, on the real axis.
    pub(crate) centre: Real,
    /// σ = 1.
    pub(crate) forward: bool,
    /// |t| up to which the series will be used.
    pub(crate) reach: f64,
    /// The other singular points, seen from this one, each as often as it is a root of p₂.
    pub(crate) others: &'a [f64],
    /// The relative truncation error that is allowed.
    pub(crate) allowed: f64,
    /// What counts as zero.
    pub(crate) tolerance: f64,
}

/// Whether y₂ has a logarithm.
pub(crate) fn has_logarithm(local: &Local, tolerance: f64) -> bool {
    let Some(n) = local.difference else { return false };
    let mut series = Recursion::new(local.clone(), tolerance);
    while series.b.len() <= n {
        series.step();
    }
    series.kappa != Number::default()
}

/// Coefficients of both solutions, one by one.
struct Recursion {
    local: Local,
    tolerance: f64,
    a: Vec<Number>,
    b: Vec<Number>,
    kappa: Number,
}

impl Recursion {
    fn new(local: Local, tolerance: f64) -> Self {
        let one = Number::from(Real::ONE);
        let equal = local.difference == Some(0);
        let (b, kappa) = if equal { (Number::default(), one) } else { (one, Number::default()) };
        Self { local, tolerance, a: vec![one], b: vec![b], kappa }
    }

    fn exponent(&self, which: usize, k: usize) -> Number {
        self.local.exponents[which] + Number::from(Real::integer(k as i64))
    }

    /// Σ_{j≥1} L_j(k−j+r) c_{k−j}, over the coefficients there are, and the sum of its moduli.
    fn pull(&self, which: usize, k: usize) -> (Number, f64) {
        let c = if which == 0 { &self.a } else { &self.b };
        let (mut sum, mut size) = (Number::default(), 0.0);
        for j in 1..=self.local.degree().min(k) {
            if let Some(c) = c.get(k - j) {
                let term = self.local.action(j, self.exponent(which, k - j)) * *c;
                size += modulus(term);
                sum = sum + term;
            }
        }
        (sum, size)
    }

    /// Σ_j [A_j (2(m−j+r₁) − 1) + B_j] a_{m−j}: what y₁ ln t adds at t^{m + r₁}.
    fn log_source(&self, m: usize) -> Number {
        let at = |p: &[Number], j: usize| p.get(j).copied().unwrap_or_default();
        let mut sum = Number::default();
        for j in 0..=self.local.degree().min(m) {
            if let Some(a) = self.a.get(m - j) {
                let r = self.exponent(0, m - j);
                let factor = at(&self.local.a, j) * (r + r - Number::from(Real::ONE)) + at(&self.local.b, j);
                sum = sum + factor * *a;
            }
        }
        sum
    }

    /// One more coefficient of both.
    fn step(&mut self) {
        let k = self.a.len();
        let a = -(self.pull(0, k).0 / self.local.action(0, self.exponent(0, k)));
        self.a.push(a);
        let n = self.local.difference;
        let (pull, size) = self.pull(1, k);
        let a0 = self.local.a[0];
        let b = if n == Some(k) {
            let limit = 64.0 * self.tolerance * size;
            if modulus(pull) > limit {
                self.kappa = -(pull / a0.scale(Real::integer(k as i64)));
            }
            Number::default()
        } else {
            let source = match n {
                Some(n) if k > n => self.kappa * self.log_source(k - n),
                _ => Number::default(),
            };
            -((pull + source) / self.local.action(0, self.exponent(1, k)))
        };
        self.b.push(b);
    }
}

/// Moduli of the power series of B/A, C/A and 1/A, and what bounds them beyond the last one kept.
struct Majorants {
    beta: Vec<f64>,
    gamma: Vec<f64>,
    inverse: Vec<f64>,
    numerators: [Vec<f64>; 3],
    others: Vec<f64>,
}

/// sup |f_j| ρ^j over j ≥ 1 for f = B/A, C/A, and over j ≥ 0 for 1/A.
struct Suprema {
    beta: f64,
    gamma: f64,
    inverse: f64,
}

const KEPT: usize = 256;

impl Majorants {
    fn new(local: &Local, others: &[f64]) -> Self {
        let small = |p: &[Number]| p.iter().map(|c| Complex::new(c.re.to_f64(), c.im.to_f64())).collect::<Vec<_>>();
        let (a, b, c) = (small(&local.a), small(&local.b), small(&local.c));
        let one = vec![Complex::from(1.0)];
        let quotient = |p: &[Complex<f64>]| {
            let mut q: Vec<Complex<f64>> = Vec::with_capacity(KEPT);
            for j in 0..KEPT {
                let start = p.get(j).copied().unwrap_or_default();
                let rest = (1..a.len().min(j + 1)).fold(start, |s, i| s - a[i] * q[j - i]);
                q.push(rest / a[0]);
            }
            // the recursion is stable on the scale of its largest terms
            q.iter().map(|c| 1.001 * c.abs()).collect::<Vec<_>>()
        };
        let moduli = |p: &[Complex<f64>]| p.iter().map(|c| c.abs()).collect();
        Self {
            beta: quotient(&b),
            gamma: quotient(&c),
            inverse: quotient(&one),
            numerators: [moduli(&b), moduli(&c), vec![1.0]],
            others: others.iter().map(|xi| *xi / 1.000_001).collect(),
        }
    }

    fn suprema(&self, leading: f64, rho: f64) -> Suprema {
        let nearest = self.others.iter().copied().fold(f64::INFINITY, f64::min);
        let circle = if nearest.is_finite() { 0.25 * rho + 0.75 * nearest } else { 2.0 * rho };
        let over_a = leading * self.others.iter().map(|xi| 1.0 - circle / xi).product::<f64>();
        let sup = |kept: &[f64], numerator: &[f64], from: usize| {
            let mut power = 1.0;
            let mut sup = 0.0f64;
            for (j, c) in kept.iter().enumerate() {
                if j >= from {
                    sup = sup.max(c * power);
                }
                power *= rho;
            }
            let cauchy = numerator.iter().rev().fold(0.0, |s, c| s * circle + c) / over_a;
            sup.max(cauchy * (rho / circle).powi(KEPT as i32))
        };
        Suprema {
            beta: sup(&self.beta, &self.numerators[0], 1),
            gamma: sup(&self.gamma, &self.numerators[1], 1),
            inverse: sup(&self.inverse, &self.numerators[2], 0),
        }
    }
}

/// Bounds of the tails of both series at |s| ≤ reach, by (T), with the best of a few radii ρ.
fn tails(r: &Recursion, majorants: &Majorants, reach: f64) -> [f64; 2] {
    let nearest = majorants.others.iter().copied().fold(f64::INFINITY, f64::min);
    let mut best = [f64::INFINITY; 2];
    for fraction in [0.35, 0.6, 0.8] {
        let rho =
            if nearest.is_finite() { reach + fraction * (nearest - reach) } else { reach * (1.5 + 5.0 * fraction) };
        let t = tails_with(r, majorants, reach, rho);
        for k in 0..2 {
            best[k] = best[k].min(t[k]);
        }
    }
    best
}

fn tails_with(r: &Recursion, majorants: &Majorants, reach: f64, rho: f64) -> [f64; 2] {
    let local = &r.local;
    let terms = r.a.len();
    let sup = majorants.suprema(modulus(local.a[0]), rho);
    let gap = modulus(local.exponents[0] - local.exponents[1]);
    let k = terms as f64;
    if k <= gap + 1.0 || rho <= reach {
        return [f64::INFINITY; 2];
    }
    let x = reach / rho;
    // Σ |residual_i| ρ^{i−K} times the bound of 1/A
    let residual =
        |to: usize, at: &dyn Fn(usize) -> f64| (terms..=to).rev().fold(0.0, |s, i| s * rho + at(i)) * sup.inverse;
    let growth = |which: usize| {
        let m = (sup.beta * (k + modulus(local.exponents[which])) + sup.gamma) / (k - gap);
        m.max(1.0)
    };
    let d1 = residual(terms + local.degree(), &|i| modulus(r.pull(0, i).0));
    let e1 = d1 / (k * (k - gap));
    let first = e1 * reach.powf(k) * (1.0 - x).powf(-growth(0));
    let n = local.difference.unwrap_or(0);
    let logarithmic = r.kappa != Number::default();
    let last = terms + local.degree() + if logarithmic { n } else { 0 };
    let d2 = residual(last, &|i| {
        let source = if logarithmic { r.kappa * r.log_source(i - n) } else { Number::default() };
        modulus(r.pull(1, i).0 + source)
    });
    let mut e2 = d2 / (k * (k - gap));
    let mut m = growth(1);
    if logarithmic {
        let n = n as f64;
        // (2θ − 1 + β) u₁, the source that the tail of y₁ is; |β₀| = |1 − r₁ − r₂|
        let beta = sup.beta.max(modulus(local.exponents[0] + local.exponents[1]) + 1.0);
        let c = (2.0 * (k + n) + 2.0 * modulus(local.exponents[0]) + 1.0 + beta) / (k - gap);
        e2 += modulus(r.kappa) * c * e1 * rho.powf(n) / k;
        m = m.max(growth(0)) + 1.0;
    }
    let second = e2 * reach.powf(k) * (1.0 - x).powf(-m);
    [first, second]
}

/// The basis at a point.
pub(crate) fn basis(local: &Local, purpose: &Purpose<'_>) -> Result<LocalBasis<Real>, TooManyTerms> {
    let exponent = purpose.reach.log2().ceil() as i64;
    let scale = Real::ONE.scaled(exponent);
    let signed = if purpose.forward { scale } else { -scale };
    let unit = scale.to_f64();
    let reach = purpose.reach / unit;
    let others: Vec<f64> = purpose.others.iter().map(|xi| xi / unit).collect();
    let mut r = Recursion::new(local.rescaled(signed), purpose.tolerance);
    let majorants = Majorants::new(&r.local, &others);
    let start = local.difference.unwrap_or(0).max(24);
    let mut bounds = [f64::INFINITY; 2];
    // the largest terms, against which the tails are measured
    let largest = |c: &[Number]| {
        let mut power = 1.0;
        c.iter().fold(0.0f64, |m, c| {
            let size = m.max(modulus(*c) * power);
            power *= reach;
            size
        })
    };
    while r.a.len() < FROBENIUS_TERMS {
        r.step();
        let n = r.a.len();
        if n > start && n.is_multiple_of(6) {
            bounds = tails(&r, &majorants, reach);
            let second = largest(&r.b).max(modulus(r.kappa));
            if bounds[0] <= purpose.allowed * largest(&r.a) && bounds[1] <= purpose.allowed * second {
                break;
            }
        }
    }
    if r.a.len() >= FROBENIUS_TERMS {
        return Err(TooManyTerms { terms: FROBENIUS_TERMS });
    }
    // the recursion runs in s: y₂ = s^{r₂} Σ b_k s^k + κ_s s^{r₁} Σ a_k s^k ln s. Times ℓ^{r₂}, and without
    // the multiple of y₁ that ln s = ln t − ln ℓ brings, it is y₂ in t with κ = κ_s ℓ^{−n}
    let n = local.difference.unwrap_or(0) as i64;
    let kappa = Number { re: r.kappa.re.scaled(-n * exponent), im: r.kappa.im.scaled(-n * exponent) };
    let b = r.b;
    let real =
        r.a.iter().chain(&b).all(|c| c.is_real()) && kappa.is_real() && local.exponents.iter().all(|e| e.is_real());
    Ok(LocalBasis {
        centre: [purpose.centre, Real::ZERO],
        forward: purpose.forward,
        exponents: local.exponents,
        logarithm: kappa,
        scale,
        coefficients: [r.a, b],
        real,
        reach: purpose.reach,
        radius: purpose.others.iter().copied().fold(f64::INFINITY, f64::min),
        truncation: bounds,
    })
}
