//! Riemann's scheme, and which classical equation it is.
//!
//! For an equation whose singular points are all regular, the exponents add up to
//!
//! ```text
//! Σ (r₁ + r₂) = m − 1        over the m finite singular points and ∞        (Fuchs)
//! ```
//!
//! Three singular points determine the equation: with exponents (ρ, ρ′) at x₀, (σ, σ′) at x₁ and
//! (τ, τ′) at x∞, \[Olver2010, §15.11(i)\],
//!
//! ```text
//! y = (x−x₀)^ρ (x−x₁)^σ (x−x∞)^{−ρ−σ} F(ρ+σ+τ, ρ+σ+τ′; 1+ρ−ρ′; z),   z = (x−x₀)(x₁−x∞)/((x−x∞)(x₁−x₀))
//! ```
//!
//! If two of the differences ρ−ρ′, σ−σ′, τ−τ′ are ± the same number μ, solutions are Legendre functions of
//! order μ and degree ν, where 2ν+1 is the third difference: μ = 0 is Legendre's own equation. Four
//! points are Heun's equation, \[Olver2010, §31.2\], with z taking three of them to 0, 1, ∞ and the fourth to a:
//!
//! ```text
//! w″ + (γ/z + δ/(z−1) + ε/(z−a)) w′ + (αβ z − q)/(z (z−1) (z−a)) w = 0
//! ```
//!
//! The accessory parameter q is read off the invariant I = Q − P′/2 − P²/4 of y″ + P y′ + Q y = 0, which
//! a Möbius map multiplies by (dz/dx)⁻².
//!
//! Nothing is called by a name that has not been put back: parameters must be finite, γ + δ + ε = α + β + 1, and the invariant of the named
//! equation, pulled back, must be that of the given one at points without symmetry. For three points with the differences λ, μ, ν at 0, 1, ∞
//!
//! ```text
//! I = (1 − λ²)/(4z²) + (1 − μ²)/(4(1−z)²) + (1 − λ² − μ² + ν²)/(4z(1−z)).
//! ```
//!
//! A point whose exponents differ by 1 and that has no logarithm is ordinary up to a power: where no more than two others are left, solutions are
//! elementary.

use super::equation::{Equation, Kind, Place, SingularPoint};
use super::polynomial::{Number, Real, derivative, modulus, number, value};
use crate::complex::Complex;
use polhode_tape::Scalar;

/// Singular points with their exponents.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme<S> {
    /// The singular points.
    pub points: Vec<SingularPoint<S>>,
    /// |Σ exponents − (m − 1)|, which is rounding error; `None` where a point is irregular.
    pub fuchs_defect: Option<f64>,
}

/// z = (x − x₀)(x₁ − x∞)/((x − x∞)(x₁ − x₀)), the map that takes three points to 0, 1, ∞.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moebius<S> {
    /// Goes to 0.
    pub zero: Place<S>,
    /// Goes to 1.
    pub one: Place<S>,
    /// Goes to ∞.
    pub pole: Place<S>,
}

impl<S: Scalar> Moebius<S> {
    /// z(x).
    pub fn apply(&self, x: Complex<S>) -> Complex<S> {
        let difference = |x: Complex<S>, p: Place<S>| match p {
            Place::Finite(p) => x - p,
            Place::Infinity => Complex::from(S::from_f64(1.0)),
        };
        let ratio = |x: Complex<S>| difference(x, self.zero) / difference(x, self.pole);
        match self.one {
            Place::Finite(one) => ratio(x) / ratio(one),
            Place::Infinity => ratio(x),
        }
    }
}

/// The classical equation that an equation is.
#[derive(Clone, Debug, PartialEq)]
pub enum Recognised<S> {
    /// At most two singular points, both regular, up to powers: powers, and logarithms of one ratio.
    Elementary,
    /// Legendre's equation of this degree and order, up to powers: the points that go to z = 0 and 1 are
    /// ξ = 1 and −1, ξ = 1 − 2z.
    Legendre {
        /// ν, with Re ν ≥ −½.
        degree: Complex<S>,
        /// μ, with Re μ ≥ 0.
        order: Complex<S>,
        /// z(x).
        map: Moebius<S>,
    },
    /// The hypergeometric equation, up to powers.
    Hypergeometric {
        /// a, b.
        upper: [Complex<S>; 2],
        /// c.
        lower: Complex<S>,
        /// ρ and σ, the powers of x − x₀ and x − x₁ taken out.
        powers: [Complex<S>; 2],
        /// z(x).
        map: Moebius<S>,
    },
    /// Heun's equation, up to powers.
    Heun {
        /// The fourth singular point.
        a: Complex<S>,
        /// q.
        accessory: Complex<S>,
        /// α, β.
        upper: [Complex<S>; 2],
        /// γ, δ, ε.
        lower: [Complex<S>; 3],
        /// z(x).
        map: Moebius<S>,
        /// How many of the four points are apparent.
        apparent: usize,
        /// What the equation is in the variable x², if it is even.
        in_square: Option<Box<Recognised<S>>>,
    },
    /// Other equations whose singular points are all regular.
    Fuchsian {
        /// How many, ∞ included.
        points: usize,
        /// How many of them are apparent.
        apparent: usize,
        /// What the equation is in the variable x², if it is even.
        in_square: Option<Box<Recognised<S>>>,
    },
    /// An irregular singular point.
    Irregular,
}

impl<S: Scalar> Equation<S> {
    /// The singular points, their exponents, and the check of Fuchs's relation.
    pub fn riemann_scheme(&self) -> Scheme<S> {
        let points = self.singular_points();
        let irregular = points.iter().any(|p| p.kind == Kind::Irregular);
        let mut total = Number::default();
        let mut finite = 0;
        let infinity = self.infinity();
        for p in points.iter().filter(|p| p.place != Place::Infinity).chain([&infinity]) {
            finite += usize::from(p.place != Place::Infinity);
            total = p.exponents.iter().fold(total, |sum, r| sum + r.convert());
        }
        let defect = modulus(total - number(finite as f64 - 1.0, 0.0));
        Scheme { points, fuchs_defect: (!irregular).then_some(defect) }
    }

    /// Which classical equation this is.
    pub fn recognise(&self) -> Recognised<S> {
        let points = self.singular_points();
        if points.iter().any(|p| p.kind == Kind::Irregular) {
            return Recognised::Irregular;
        }
        let apparent = points.iter().filter(|p| p.kind == Kind::Apparent).count();
        let one = Complex::from(S::from_f64(1.0));
        let like_ordinary = |p: &&SingularPoint<S>| {
            p.exponents[0] - p.exponents[1] == one && p.kind == Kind::Regular { logarithm: false }
        };
        if points.len() - points.iter().filter(like_ordinary).count() <= 2 {
            return Recognised::Elementary;
        }
        let in_square = || self.in_square().map(|e| Box::new(e.recognise()));
        let named = match points.len() {
            3 => Some(three(&points, 16.0 * self.tolerance().max(256.0 * S::EPSILON))),
            4 => Some(self.heun(&points, apparent, in_square())),
            _ => None,
        };
        let general = || Recognised::Fuchsian { points: points.len(), apparent, in_square: in_square() };
        named.filter(|r| self.is(r, &points)).unwrap_or_else(general)
    }

    /// Whether a named equation, pulled back, is this one.
    fn is(&self, named: &Recognised<S>, points: &[SingularPoint<S>]) -> bool {
        let one = Number::from(Real::ONE);
        let quarter = |z: Number| z.scale(Real::ONE.scaled(-2));
        // half of the digits: a wrong name is wrong in the first
        let near = |a: Number, b: Number| modulus(a - b) <= S::EPSILON.sqrt() * (modulus(a) + modulus(b));
        let (map, invariant): (_, Box<dyn Fn(Number) -> Number>) = match named {
            Recognised::Legendre { map, .. } | Recognised::Hypergeometric { map, .. } => {
                let square = |place: Place<S>| {
                    let p = points.iter().find(|p| p.place == place);
                    let [r1, r2] = p.map_or([one; 2], |p| p.exponents.map(Complex::convert));
                    (r1 - r2) * (r1 - r2)
                };
                let [l, m, n] = [map.zero, map.one, map.pole].map(square);
                let of = move |z: Number| {
                    let (u, v) = (one / z, one / (one - z));
                    quarter((one - l) * u * u + (one - m) * v * v + (one - l - m + n) * u * v)
                };
                (map, Box::new(of))
            }
            Recognised::Heun { a, accessory, upper, lower, map, .. } => {
                let (a, q): (Number, Number) = (a.convert(), accessory.convert());
                let (upper, lower) = (upper.map(Complex::convert), lower.map(Complex::convert));
                let sums = (lower[0] + lower[1] + lower[2], upper[0] + upper[1] + one);
                if !modulus(a).is_finite() || !modulus(q).is_finite() || !near(sums.0, sums.1) {
                    return false;
                }
                let of = move |z: Number| {
                    let rest = (upper[0] * upper[1] * z - q) / (z * (z - one) * (z - a));
                    without_last(z, a, lower) + rest
                };
                (map, Box::new(of))
            }
            _ => return true,
        };
        let wide = map_to_wide(map);
        let spread = self.spread();
        [(0.61, 0.29), (-0.83, 0.41), (0.17, -1.37)].iter().all(|(re, im)| {
            let x = number(re * spread, im * spread);
            let (z, dz) = along(&wide, x);
            near(self.invariant(x), invariant(z) * dz * dz)
        })
    }

    /// The largest modulus of a finite singular point, or 1.
    fn spread(&self) -> f64 {
        let largest = self.roots().iter().fold(0.0, |m: f64, r| m.max(modulus(r.at)));
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// I at x.
    fn invariant(&self, x: Number) -> Number {
        let [p2, p1, p0] = [0, 1, 2].map(|k| value(&self.polynomials()[k], x));
        let slope = |k: usize| value(&derivative(&self.polynomials()[k]), x);
        let p = p1 / p2;
        let dp = (slope(1) * p2 - p1 * slope(0)) / (p2 * p2);
        invariant(p, dp, p0 / p2)
    }

    fn heun(
        &self,
        points: &[SingularPoint<S>],
        apparent: usize,
        in_square: Option<Box<Recognised<S>>>,
    ) -> Recognised<S> {
        // ∞ stays where it is singular, and an apparent point is the fourth
        let mut points: Vec<SingularPoint<S>> = points.to_vec();
        points.sort_by_key(|p| (p.kind == Kind::Apparent, p.place == Place::Infinity));
        let fourth = if points[3].kind == Kind::Apparent && points[3].place != Place::Infinity { 3 } else { 2 };
        let fourth = points.remove(fourth);
        if let Some(k) = points.iter().position(|p| p.place == Place::Infinity) {
            points.swap(k, 2);
        }
        let [p0, p1, pole] = [0, 1, 2].map(|k| points[k]);
        let map = Moebius { zero: p0.place, one: p1.place, pole: pole.place };
        let wide = map_to_wide(&map);
        let a = match fourth.place {
            Place::Finite(x) => wide.apply(x.convert()),
            Place::Infinity => unreachable!("∞ is the last of the points or apparent, and goes to ∞"),
        };
        let exponents = |p: &SingularPoint<S>| p.exponents.map(|r| r.convert::<Real>());
        let one = Number::from(Real::ONE);
        // the exponent of smaller real part is taken out where it does not vanish, else none
        let taken = |p: &SingularPoint<S>| {
            let [r1, r2] = exponents(p);
            if r1 == Number::default() { (r1, r2) } else { (r2, r1) }
        };
        let mut shift = Number::default();
        let mut lower = [Number::default(); 3];
        for (k, p) in [&p0, &p1, &fourth].into_iter().enumerate() {
            let (r, other) = taken(p);
            shift = shift + r;
            lower[k] = one + r - other;
        }
        let upper = exponents(&pole).map(|r| r + shift);
        let q = self.accessory(&wide, a, upper, lower);
        Recognised::Heun {
            a: a.convert(),
            accessory: q.convert(),
            upper: upper.map(Complex::convert),
            lower: lower.map(Complex::convert),
            map,
            apparent,
            in_square,
        }
    }

    /// q from the invariants at a point away from all singular ones.
    fn accessory(&self, map: &Moebius<Real>, a: Number, upper: [Number; 2], lower: [Number; 3]) -> Number {
        let spread = self.spread();
        let (z, dz) = along(map, number(0.37 * spread, 0.73 * spread));
        let one = Number::from(Real::ONE);
        let rest = self.invariant(number(0.37 * spread, 0.73 * spread)) / (dz * dz) - without_last(z, a, lower);
        upper[0] * upper[1] * z - rest * z * (z - one) * (z - a)
    }
}

/// Q − P′/2 − P²/4.
fn invariant(p: Number, dp: Number, q: Number) -> Number {
    q - dp.scale(Real::ONE.scaled(-1)) - (p * p).scale(Real::ONE.scaled(-2))
}

/// The invariant of Heun's equation without its Q.
fn without_last(z: Number, a: Number, lower: [Number; 3]) -> Number {
    let one = Number::from(Real::ONE);
    let (mut p, mut dp) = (Number::default(), Number::default());
    for (place, exponent) in [Number::default(), one, a].into_iter().zip(lower) {
        let r = one / (z - place);
        p = p + exponent * r;
        dp = dp - exponent * r * r;
    }
    invariant(p, dp, Number::default())
}

/// z and dz/dx = z (1/(x − zero) − 1/(x − pole)).
fn along(map: &Moebius<Real>, x: Number) -> (Number, Number) {
    let z = map.apply(x);
    let over = |p: Place<Real>| match p {
        Place::Finite(p) => Number::from(Real::ONE) / (x - p),
        Place::Infinity => Number::default(),
    };
    (z, z * (over(map.zero) - over(map.pole)))
}

fn map_to_wide<S: Scalar>(map: &Moebius<S>) -> Moebius<Real> {
    let wide = |p: Place<S>| match p {
        Place::Finite(x) => Place::Finite(x.convert()),
        Place::Infinity => Place::Infinity,
    };
    Moebius { zero: wide(map.zero), one: wide(map.one), pole: wide(map.pole) }
}

/// Legendre's or the hypergeometric equation.
fn three<S: Scalar>(points: &[SingularPoint<S>], tolerance: f64) -> Recognised<S> {
    let difference = |p: &SingularPoint<S>| p.exponents[0] - p.exponents[1];
    // differences are defined up to sign; r₁ is the larger, so only imaginary ones can differ in it
    let equal = |p: &SingularPoint<S>, q: &SingularPoint<S>| {
        let (d, e) = (difference(p), difference(q));
        let near = |z: Complex<S>| z.abs().to_f64() <= tolerance * (1.0 + d.abs().to_f64());
        near(d - e) || near(d + e)
    };
    let mut points = points.to_vec();
    // the last place is that of ∞ if it is singular
    points.sort_by_key(|p| p.place == Place::Infinity);
    for pole in (0..3).rev() {
        let [p, q] = [(pole + 1) % 3, (pole + 2) % 3];
        if equal(&points[p], &points[q]) {
            // the right end of an interval is ξ = 1
            let (right, left) = if p > q { (p, q) } else { (q, p) };
            let half = S::from_f64(0.5);
            let degree = (difference(&points[pole]) - Complex::from(S::from_f64(1.0))).scale(half);
            let map = Moebius { zero: points[right].place, one: points[left].place, pole: points[pole].place };
            return Recognised::Legendre { degree, order: difference(&points[p]), map };
        }
    }
    let taken = |p: &SingularPoint<S>| {
        let [r1, r2] = p.exponents;
        if r1 == Complex::default() { (r1, r2) } else { (r2, r1) }
    };
    let ((rho, rho2), (sigma, _)) = (taken(&points[0]), taken(&points[1]));
    let upper = points[2].exponents.map(|t| t + rho + sigma);
    let lower = Complex::from(S::from_f64(1.0)) + rho - rho2;
    let map = Moebius { zero: points[0].place, one: points[1].place, pole: points[2].place };
    Recognised::Hypergeometric { upper, lower, powers: [rho, sigma], map }
}
