//! An equation, its singular points and changes of its variable.

use super::frobenius::{self, LocalBasis, Purpose, TooManyTerms};
use super::local::Local;
use super::polynomial::{
    Number, Polynomial, Real, Root, deflated, modulus, order, product, roots, shifted_and_cleaned, sum, trimmed,
};
use crate::complex::Complex;
use polhode_tape::Scalar;
use std::marker::PhantomData;

/// p₂ y″ + p₁ y′ + p₀ y = 0 with real coefficients, common factors removed.
#[derive(Clone, Debug)]
pub struct Equation<S> {
    p: [Polynomial; 3], // p₂, p₁, p₀
    roots: Vec<Root>,   // of p₂
    tolerance: f64,     // what rounding of the coefficients can do
    marker: PhantomData<S>,
}

/// Why coefficients are no equation of second order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EquationError {
    /// p₂ is zero.
    NotSecondOrder,
    /// A coefficient is infinite or undefined.
    NotFinite,
}

impl std::fmt::Display for EquationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotSecondOrder => "the coefficient of y″ vanishes",
            Self::NotFinite => "a coefficient is not finite",
        })
    }
}

impl std::error::Error for EquationError {}

/// Why there is no Frobenius basis at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BasisError<S> {
    /// The point is an irregular singular point.
    Irregular(S),
    /// The series does not converge in reasonable time.
    Slow(TooManyTerms),
}

impl<S: Scalar> std::fmt::Display for BasisError<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Irregular(x) => write!(f, "{} is an irregular singular point", x.to_f64()),
            Self::Slow(e) => e.fmt(f),
        }
    }
}

impl<S: Scalar> std::error::Error for BasisError<S> {}

/// A point of the Riemann sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place<S> {
    /// A complex number.
    Finite(Complex<S>),
    /// ∞.
    Infinity,
}

/// What a point is to an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Both coefficients of the normalised equation are analytic.
    Ordinary,
    /// A singular point of the coefficients at which all solutions are analytic.
    Apparent,
    /// A regular singular point.
    Regular {
        /// Whether solutions have a logarithm there.
        logarithm: bool,
    },
    /// Neither.
    Irregular,
}

/// A point and its exponents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingularPoint<S> {
    /// Where.
    pub place: Place<S>,
    /// What.
    pub kind: Kind,
    /// r₁ and r₂ with Re r₁ ≥ Re r₂, in powers of x − x₀ or of 1/x; undefined where irregular.
    pub exponents: [Complex<S>; 2],
}

impl<S: Scalar> Equation<S> {
    /// The equation with these coefficients, the constant term of each polynomial first.
    pub fn new(p2: &[S], p1: &[S], p0: &[S]) -> Result<Self, EquationError> {
        if [p2, p1, p0].iter().any(|p| p.iter().any(|c| !c.is_finite())) {
            return Err(EquationError::NotFinite);
        }
        let wide = |p: &[S]| trimmed(p.iter().map(|c| Number::from(Real::constant(c.to_dd()))).collect());
        Self::from_polynomials([wide(p2), wide(p1), wide(p0)], 256.0 * S::EPSILON)
    }

    pub(crate) fn from_polynomials(mut p: [Polynomial; 3], tolerance: f64) -> Result<Self, EquationError> {
        if p[0].is_empty() {
            return Err(EquationError::NotSecondOrder);
        }
        let mut found = roots(&p[0], tolerance);
        // factors that all three have in common
        for root in &mut found {
            let common = p
                .iter()
                .filter(|q| !q.is_empty())
                .map(|q| order(&shifted_and_cleaned(q, root.at, tolerance)))
                .min()
                .unwrap_or(0)
                .min(root.multiplicity);
            for q in &mut p {
                for _ in 0..common {
                    *q = without_dust(deflated(q, root.at));
                }
            }
            root.multiplicity -= common;
        }
        found.retain(|r| r.multiplicity > 0);
        Ok(Self { p, roots: found, tolerance, marker: PhantomData })
    }

    pub(crate) fn polynomials(&self) -> &[Polynomial; 3] {
        &self.p
    }

    pub(crate) fn roots(&self) -> &[Root] {
        &self.roots
    }

    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The same equation in w = 1/x.
    pub fn at_infinity(&self) -> Self {
        let d = self.p.iter().map(Vec::len).max().unwrap_or(0);
        let zero = Number::default();
        // w^d p(1/w), with room for the powers that follow
        let reversed = |p: &Polynomial| -> Polynomial {
            let mut q = vec![zero; d - p.len()];
            q.extend(p.iter().rev());
            q
        };
        let raised = |p: &Polynomial, k: usize| -> Polynomial {
            let mut q = vec![zero; k];
            q.extend(p);
            q
        };
        let [p2, p1, p0] = [0, 1, 2].map(|k| reversed(&self.p[k]));
        // y′ = −w² Y′, y″ = w⁴ Y″ + 2 w³ Y′
        let q2 = raised(&p2, 4);
        let twice: Polynomial = raised(&p2, 3).iter().map(|c| *c + *c).collect();
        let minus: Polynomial = raised(&p1, 2).iter().map(|c| -*c).collect();
        let q = [trimmed(q2), trimmed(sum(&twice, &minus)), trimmed(p0)];
        Self::from_polynomials(q, self.tolerance).expect("the leading coefficient is that of p₂ reversed")
    }

    /// The same equation in s = x², if it is even: unchanged under x → −x.
    ///
    /// Its solutions are the even ones at an ordinary x = 0, and √s times a series, the odd ones.
    pub fn in_square(&self) -> Option<Self> {
        // p₂(−x) : −p₁(−x) : p₀(−x) = p₂ : p₁ : p₀; the factor can only be ±1
        let parity = |p: &Polynomial, odd: usize| p.iter().skip(1 - odd).step_by(2).all(|c| *c == Number::default());
        let even = |odd: usize| parity(&self.p[0], odd) && parity(&self.p[1], 1 - odd) && parity(&self.p[2], odd);
        // times x where p₂ and p₀ are odd
        let odd = [0, 1].into_iter().find(|odd| even(*odd))?;
        let by_x = |p: &Polynomial| -> Polynomial {
            let mut q = vec![Number::default(); odd];
            q.extend(p);
            q
        };
        let [p2, p1, p0] = [0, 1, 2].map(|k| by_x(&self.p[k]));
        let halved = |p: &[Number]| -> Polynomial { p.iter().step_by(2).copied().collect() };
        // y′ = 2x Y′, y″ = 4 s Y″ + 2 Y′
        let (even2, even0) = (halved(&p2), halved(&p0));
        let odd1: Polynomial = halved(p1.get(1..).unwrap_or_default());
        let s = [Number::default(), Number::from(Real::ONE)];
        let four = |p: Polynomial| -> Polynomial { p.iter().map(|c| c.scale(Real::integer(4))).collect() };
        let two = |p: &[Number]| -> Polynomial { p.iter().map(|c| *c + *c).collect() };
        let q2 = four(product(&s, &even2));
        let q1 = sum(&two(&even2), &two(&product(&s, &odd1)));
        Self::from_polynomials([trimmed(q2), trimmed(q1), trimmed(even0)], self.tolerance).ok()
    }

    /// The singular points: the zeros of p₂, by their real and then imaginary parts, and ∞ if it is one.
    pub fn singular_points(&self) -> Vec<SingularPoint<S>> {
        let finite = self.roots.iter().map(|r| self.point(r.at, Place::Finite(r.at.convert())));
        let infinity = self.infinity();
        finite.chain([infinity]).filter(|p| p.kind != Kind::Ordinary).collect()
    }

    /// ∞, singular or not.
    pub(crate) fn infinity(&self) -> SingularPoint<S> {
        self.at_infinity().point(Number::default(), Place::Infinity)
    }

    fn point(&self, at: Number, place: Place<S>) -> SingularPoint<S> {
        let Ok(local) = Local::new(&self.p, at, self.tolerance) else {
            let none = S::from_f64(f64::NAN);
            return SingularPoint { place, kind: Kind::Irregular, exponents: [Complex::new(none, none); 2] };
        };
        let logarithm = frobenius::has_logarithm(&local, self.tolerance);
        let kind = match (logarithm, local.has_analytic_exponents()) {
            (false, true) if local.is_like_ordinary() => Kind::Ordinary,
            (false, true) => Kind::Apparent,
            _ => Kind::Regular { logarithm },
        };
        SingularPoint { place, kind, exponents: local.exponents.map(Complex::convert) }
    }

    /// The singular point that x is meant to be, else x itself.
    pub(crate) fn meant(&self, x: S) -> (Real, bool) {
        let x = Real::constant(x.to_dd());
        let near =
            |r: &&Root| r.at.is_real() && (r.at.re - x).abs().to_f64() <= self.tolerance * (1.0 + x.abs().to_f64());
        match self.roots.iter().find(near) {
            Some(r) => (r.at.re, true),
            None => (x, false),
        }
    }

    /// Distances to the other singular points, each as often as it is a root of p₂.
    pub(crate) fn distances(&self, x: Real) -> Vec<f64> {
        let mut out = Vec::new();
        for r in &self.roots {
            let d = modulus(r.at - Number::from(x));
            if d > self.tolerance * (1.0 + x.abs().to_f64()) {
                out.extend(std::iter::repeat_n(d, r.multiplicity));
            }
        }
        out
    }

    /// Both solutions at a real point, for x on the side of larger (`forward`) or smaller values, with the
    /// truncation bound holding up to `reach` (which is cut to half the radius of convergence).
    pub fn local_basis(&self, at: S, forward: bool, reach: f64) -> Result<LocalBasis<S>, BasisError<S>> {
        self.wide_basis(self.meant(at).0, forward, reach).map(|b| b.converted())
    }

    pub(crate) fn wide_basis(
        &self,
        centre: Real,
        forward: bool,
        reach: f64,
    ) -> Result<LocalBasis<Real>, BasisError<S>> {
        let local = Local::new(&self.p, Number::from(centre), self.tolerance)
            .map_err(|_| BasisError::Irregular(S::constant(centre.to_dd())))?;
        let others = self.distances(centre);
        let radius = others.iter().copied().fold(f64::INFINITY, f64::min);
        let purpose = Purpose {
            centre,
            forward,
            reach: reach.min(0.5 * radius),
            others: &others,
            allowed: S::EPSILON * 2f64.powi(-20),
            tolerance: self.tolerance,
        };
        frobenius::basis(&local, &purpose).map_err(BasisError::Slow)
    }
}

/// The polynomial after a division by x − root, without what an error of the root's 256 bits leaves.
fn without_dust(mut p: Polynomial) -> Polynomial {
    let largest = p.iter().fold(0.0f64, |m, c| m.max(modulus(*c)));
    for c in &mut p {
        if modulus(*c) <= 1e-60 * largest {
            *c = Number::default();
        }
    }
    p
}
