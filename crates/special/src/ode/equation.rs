//! An equation, its singular points and changes of its variable.

use super::frobenius::{self, LocalBasis, Purpose, TooManyTerms};
use super::local::Local;
use super::polynomial::{
    Number, Polynomial, Real, Root, deflated, modulus, order, product, roots, roots_of_factors, shifted_and_cleaned,
    tidied, trimmed,
};
use crate::complex::Complex;
use polhode_tape::Scalar;
use std::marker::PhantomData;

/// A real number as a sum of doubles that is not evaluated, the largest first: 256 bits of it are used.
pub type Sum = [f64; 6];

/// What rounding of given numbers does, in units of their last digit.
const ROUNDED: f64 = 256.0;

/// What 256 bits leave undecided, with room for the cancellation of a polynomial's terms.
const EXACT: f64 = 1e-55;

/// A sum of two coefficients that is smaller than this part of them is their rounding.
const CANCELLED: f64 = 1e-66;

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
#[non_exhaustive]
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
#[non_exhaustive]
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

impl<S: Scalar> std::error::Error for BasisError<S> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BasisError::Slow(e) => Some(e),
            _ => None,
        }
    }
}

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
        Self::from_polynomials([wide(p2), wide(p1), wide(p0)], ROUNDED * S::EPSILON)
    }

    /// The equation with these coefficients, which have no factor in common, and p₂ factored: the factors, each with its multiplicity, have no
    /// multiple root and no root in common.
    ///
    /// Which singular points there are is then not a matter of rounding.
    pub fn factored(p: [&[Sum]; 3], factors: &[(Vec<Sum>, usize)]) -> Result<Self, EquationError> {
        let all = || p.iter().copied().chain(factors.iter().map(|(f, _)| f.as_slice()));
        if all().any(|p| p.iter().flatten().any(|c| !c.is_finite())) {
            return Err(EquationError::NotFinite);
        }
        let wide = |p: &[Sum]| -> Polynomial {
            let number = |c: &Sum| c.iter().rev().fold(Real::ZERO, |sum, c| sum + Real::from_f64(*c));
            trimmed(p.iter().map(|c| Number::from(number(c))).collect())
        };
        let p = p.map(wide);
        let factors: Vec<(Polynomial, usize)> = factors.iter().map(|(f, n)| (wide(f), *n)).collect();
        let degree: usize = factors.iter().map(|(f, n)| f.len().saturating_sub(1) * n).sum();
        if p[0].len() != degree + 1 {
            return Err(EquationError::NotSecondOrder);
        }
        let roots = roots_of_factors(&factors, EXACT);
        Ok(Self { p, roots, tolerance: EXACT, marker: PhantomData })
    }

    fn from_polynomials(mut p: [Polynomial; 3], tolerance: f64) -> Result<Self, EquationError> {
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
        // the roots that are left are those of a polynomial with its leading coefficient
        if p[0].len() != 1 + found.iter().map(|r| r.multiplicity).sum::<usize>() {
            return Err(EquationError::NotSecondOrder);
        }
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

    /// Whether no two of the singular points are the same, as those of [`Equation::factored`] must be.
    pub fn has_simple_factors(&self) -> bool {
        let apart = |a: &Root, b: &Root| modulus(a.at - b.at) > 1e-25 * (modulus(a.at) + modulus(b.at));
        (self.roots.iter().enumerate()).all(|(i, a)| self.roots[..i].iter().all(|b| apart(a, b)))
    }

    /// The same equation in w = 1/x.
    pub fn at_infinity(&self) -> Self {
        let d = self.p.iter().map(Vec::len).max().unwrap_or(0);
        let one = Number::from(Real::ONE);
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
        let elsewhere = self.roots.iter().filter(|r| r.at != zero);
        let roots = elsewhere.map(|r| Root { at: one / r.at, multiplicity: r.multiplicity }).collect();
        self.changed([trimmed(q2), trimmed(uncancelled(&twice, &minus)), trimmed(p0)], roots)
    }

    /// The same equation in another variable, with the singular points that are not 0: polynomials without a common root stay so, but for 0.
    fn changed(&self, mut p: [Polynomial; 3], roots: Vec<Root>) -> Self {
        let common = p.iter().filter(|q| !q.is_empty()).map(|q| order(q)).min().unwrap_or(0);
        for q in p.iter_mut().filter(|q| !q.is_empty()) {
            q.drain(..common);
        }
        let mut roots = roots;
        let multiplicity = order(&p[0]);
        if multiplicity > 0 {
            roots.push(Root { at: Number::default(), multiplicity });
        }
        Self { p, roots: tidied(roots, self.tolerance), tolerance: self.tolerance, marker: PhantomData }
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
        let q1 = uncancelled(&two(&even2), &two(&product(&s, &odd1)));
        // of x and −x one: that with the positive real, else imaginary, part
        let chosen = |r: &&Root| {
            let (re, im) = (r.at.re, r.at.im);
            re > Real::ZERO || (re == Real::ZERO && im > Real::ZERO)
        };
        let roots = (self.roots.iter().filter(chosen))
            .map(|r| Root { at: r.at * r.at, multiplicity: r.multiplicity })
            .collect();
        Some(self.changed([trimmed(q2), trimmed(q1), trimmed(even0)], roots))
    }

    /// The singular points: the zeros of p₂, by their real and then imaginary parts, and ∞ if it is one.
    pub fn singular_points(&self) -> Vec<SingularPoint<S>> {
        let finite = self.roots.iter().map(|r| self.point(r.at, r.multiplicity, Place::Finite(r.at.convert())));
        let infinity = self.infinity();
        finite.chain([infinity]).filter(|p| p.kind != Kind::Ordinary).collect()
    }

    /// ∞, singular or not.
    pub(crate) fn infinity(&self) -> SingularPoint<S> {
        let there = self.at_infinity();
        let zero = Number::default();
        there.point(zero, there.multiplicity(zero), Place::Infinity)
    }

    /// How often x is a root of p₂.
    fn multiplicity(&self, x: Number) -> usize {
        self.roots.iter().find(|r| r.at == x).map_or(0, |r| r.multiplicity)
    }

    fn point(&self, at: Number, multiplicity: usize, place: Place<S>) -> SingularPoint<S> {
        let Ok(local) = Local::new(&self.p, at, multiplicity, self.tolerance) else {
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
        // x is a rounded number
        let tolerance = self.tolerance.max(ROUNDED * S::EPSILON);
        let near = |r: &&Root| r.at.is_real() && (r.at.re - x).abs().to_f64() <= tolerance * (1.0 + x.abs().to_f64());
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
        let at = Number::from(centre);
        let local = Local::new(&self.p, at, self.multiplicity(at), self.tolerance)
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

/// p + q, without what is left of coefficients that cancel.
fn uncancelled(p: &[Number], q: &[Number]) -> Polynomial {
    let at = |p: &[Number], k: usize| p.get(k).copied().unwrap_or_default();
    let each = (0..p.len().max(q.len())).map(|k| {
        let (a, b) = (at(p, k), at(q, k));
        let both = modulus(a) + modulus(b);
        if modulus(a + b) <= CANCELLED * both { Number::default() } else { a + b }
    });
    each.collect()
}

/// The polynomial after a division by x − root, without what an error of the root's 256 bits leaves; the leading coefficient stays.
fn without_dust(mut p: Polynomial) -> Polynomial {
    let largest = p.iter().fold(0.0f64, |m, c| m.max(modulus(*c)));
    let below = p.len().saturating_sub(1);
    for c in p.iter_mut().take(below) {
        if modulus(*c) <= 1e-60 * largest {
            *c = Number::default();
        }
    }
    p
}
