//! Both solutions on an interval by analytic continuation, and the connection between its ends.
//!
//! The interval is covered by discs of half the radius of convergence: Frobenius series at its ends,
//! Taylor series (Frobenius series at an ordinary point) between. Where two discs meet, values and
//! derivatives give the matrix from one basis to the next,
//!
//! ```text
//! (y₁, y₂) = (φ₁, φ₂) C,     C = [φ₁ φ₂; φ₁′ φ₂′]⁻¹ [y₁ y₂; y₁′ y₂′],
//! ```
//!
//! and the last one is the connection matrix. Apparent singular points inside are centres of discs
//! themselves; other singular points inside are refused, because solutions branch there.

use super::equation::{BasisError, Equation};
use super::frobenius::{LocalBasis, Values};
use super::polynomial::{Number, Real, modulus};
use crate::budget::CONTINUATION_STEPS;
use crate::complex::Complex;
use polhode_tape::Scalar;

/// Both solutions of a basis at one end, on the whole interval.
#[derive(Clone, Debug)]
pub struct Solutions<S> {
    pieces: Vec<Piece<S>>,
    truncation: f64,
}

/// A disc, the end of its interval in the direction of travel, and yᵢ = Σⱼ `c[i][j]` φⱼ there.
#[derive(Clone, Debug)]
struct Piece<S> {
    end: S,
    basis: LocalBasis<S>,
    c: [[Complex<S>; 2]; 2],
}

/// Why solutions cannot be continued from one point to another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContinuationError<S> {
    /// The ends are the same point or not finite.
    NoInterval,
    /// A singular point inside the interval at which solutions branch.
    SingularBetween(S),
    /// There is no basis at one of the centres.
    Basis(BasisError<S>),
    /// Two singular points are so near that hundreds of discs would be needed.
    TooManySteps,
}

impl<S: Scalar> std::fmt::Display for ContinuationError<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoInterval => f.write_str("the ends are no interval"),
            Self::SingularBetween(x) => write!(f, "solutions branch at {} inside the interval", x.to_f64()),
            Self::Basis(e) => e.fmt(f),
            Self::TooManySteps => f.write_str("singular points are too near for continuation by Taylor steps"),
        }
    }
}

impl<S: Scalar + 'static> std::error::Error for ContinuationError<S> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ContinuationError::Basis(e) => Some(e),
            _ => None,
        }
    }
}

/// How far a disc reaches that no singular point limits.
const LARGEST_REACH: f64 = 4.0;

impl<S: Scalar> Equation<S> {
    /// The two solutions of the basis at `from`, continued to `to`.
    ///
    /// Both may be singular points or ordinary ones, in either order. At an ordinary point the basis is
    /// that of exponents 1 and 0: y₁ = t + …, y₂ = 1 + 0 t + ….
    pub fn solve(&self, from: S, to: S) -> Result<Solutions<S>, ContinuationError<S>> {
        let ((a, _), (b, _)) = (self.meant(from), self.meant(to));
        if !from.is_finite() || !to.is_finite() || a == b {
            return Err(ContinuationError::NoInterval);
        }
        let forward = a < b;
        let mut path = Path::start(self, a, forward, (b - a).abs().to_f64())?;
        for stop in self.stops(a, b, forward)? {
            path.travel(stop, false)?;
        }
        path.travel(b, true)?;
        let pieces = path.pieces.iter().map(Piece::converted).collect();
        Ok(Solutions { pieces, truncation: path.truncation })
    }

    /// Apparent singular points between a and b, in order.
    fn stops(&self, a: Real, b: Real, forward: bool) -> Result<Vec<Real>, ContinuationError<S>> {
        let (low, high) = if forward { (a, b) } else { (b, a) };
        let mut stops = Vec::new();
        for r in self.roots().iter().filter(|r| r.at.is_real() && r.at.re > low && r.at.re < high) {
            let local = super::local::Local::new(self.polynomials(), r.at, r.multiplicity, self.tolerance());
            let analytic = local
                .is_ok_and(|l| l.has_analytic_exponents() && !super::frobenius::has_logarithm(&l, self.tolerance()));
            if !analytic {
                return Err(ContinuationError::SingularBetween(S::constant(r.at.re.to_dd())));
            }
            stops.push(r.at.re);
        }
        if !forward {
            stops.reverse();
        }
        Ok(stops)
    }
}

/// A path under construction.
struct Path<'a, S> {
    equation: &'a Equation<S>,
    forward: bool,
    pieces: Vec<Piece<Real>>,
    centre: Real, // of the last disc
    truncation: f64,
}

impl<'a, S: Scalar> Path<'a, S> {
    fn start(equation: &'a Equation<S>, a: Real, forward: bool, length: f64) -> Result<Self, ContinuationError<S>> {
        let mut path = Path { equation, forward, pieces: Vec::new(), centre: a, truncation: 0.0 };
        let basis = path.basis(a, forward, length.min(LARGEST_REACH))?;
        let (one, zero) = (Number::from(Real::ONE), Number::default());
        let end = path.beyond(a, basis.reach());
        path.truncation = relative_tail(&basis);
        path.pieces.push(Piece { end, basis, c: [[one, zero], [zero, one]] });
        Ok(path)
    }

    fn basis(&self, centre: Real, forward: bool, reach: f64) -> Result<LocalBasis<Real>, ContinuationError<S>> {
        self.equation.wide_basis(centre, forward, reach).map_err(ContinuationError::Basis)
    }

    /// x + σ d.
    fn beyond(&self, x: Real, d: f64) -> Real {
        if self.forward { x + Real::from_f64(d) } else { x - Real::from_f64(d) }
    }

    fn radius(&self, x: Real) -> f64 {
        self.equation.distances(x).into_iter().fold(2.0 * LARGEST_REACH, f64::min)
    }

    /// Discs up to and including the one around `stop`, which is the last one if it is the `end`.
    fn travel(&mut self, stop: Real, end: bool) -> Result<(), ContinuationError<S>> {
        let last_reach = 0.5 * self.radius(stop);
        loop {
            let here = self.pieces.last().expect("a path has a first disc").end;
            let left = if self.forward { stop - here } else { here - stop }.to_f64();
            if left <= last_reach {
                // an end looks back along the path, an apparent point forward: it has no sides
                let forward = if end { !self.forward } else { self.forward };
                let basis = self.basis(stop, forward, last_reach)?;
                // inside both discs, also where the last one reaches beyond the stop
                let apart = modulus(Number::from(stop - self.centre)).min(last_reach);
                let here = if left > 0.25 * apart { here } else { self.beyond(stop, -0.5 * apart) };
                self.centre = stop;
                let beyond = if end { stop } else { self.beyond(stop, basis.reach()) };
                return self.join(here, basis, beyond);
            }
            if self.pieces.len() > CONTINUATION_STEPS {
                return Err(ContinuationError::TooManySteps);
            }
            // the farthest centre whose disc still holds this point: h = ½ R(x + σh)
            let (mut low, mut high) = (0.0, left.min(LARGEST_REACH));
            for _ in 0..40 {
                let h = 0.5 * (low + high);
                if h <= 0.5 * self.radius(self.beyond(here, h)) { low = h } else { high = h }
            }
            if low <= 1e-12 * left {
                return Err(ContinuationError::TooManySteps);
            }
            // short numbers, so that x − x₀ is exact in any type
            let centre = self.beyond(here, 0.98 * low).to_f64();
            let centre = Real::from_f64(f64::from(centre as f32));
            let centre =
                if modulus(Number::from(centre - here)) <= low { centre } else { self.beyond(here, 0.98 * low) };
            let reach = 0.5 * self.radius(centre);
            self.centre = centre;
            let basis = self.basis(centre, true, reach)?;
            let beyond = self.beyond(centre, reach);
            self.join(here, basis, beyond)?;
        }
    }

    /// The next disc, matched at a point of the last one.
    fn join(&mut self, here: Real, basis: LocalBasis<Real>, end: Real) -> Result<(), ContinuationError<S>> {
        let last = self.pieces.last_mut().expect("a path has a first disc");
        last.end = here;
        let y = last.values(here);
        let phi = basis.evaluate(here);
        let w = phi.wronskian();
        let c = [0, 1].map(|i| {
            // Cramer's rule
            let (f, d) = (y.y[i], y.dy[i]);
            [(f * phi.dy[1] - d * phi.y[1]) / w, (d * phi.y[0] - f * phi.dy[0]) / w]
        });
        // how much the inverse magnifies a relative error of the values
        let size = |a: Number, b: Number| modulus(a) * modulus(b);
        let condition = (size(phi.y[0], phi.dy[1]) + size(phi.y[1], phi.dy[0])) / modulus(w);
        self.truncation = self.truncation * condition.max(1.0) + relative_tail(&basis) * condition.max(1.0);
        self.pieces.push(Piece { end, basis, c });
        Ok(())
    }
}

fn relative_tail(basis: &LocalBasis<Real>) -> f64 {
    let [p, q] = basis.truncation();
    p.max(q)
}

impl<S: Scalar> Piece<S> {
    fn values(&self, x: S) -> Values<S> {
        self.mixed(self.basis.evaluate(x))
    }

    fn mixed(&self, phi: Values<S>) -> Values<S> {
        let mix = |f: [Complex<S>; 2], i: usize| self.c[i][0] * f[0] + self.c[i][1] * f[1];
        let both = |f: [Complex<S>; 2]| {
            let identity = self.c[0][1] == Complex::default() && self.c[1][0] == Complex::default();
            if identity { [self.c[0][0] * f[0], self.c[1][1] * f[1]] } else { [mix(f, 0), mix(f, 1)] }
        };
        Values { y: both(phi.y), dy: both(phi.dy) }
    }
}

impl Piece<Real> {
    fn converted<T: Scalar>(&self) -> Piece<T> {
        Piece {
            end: T::constant(self.end.to_dd()),
            basis: self.basis.converted(),
            c: self.c.map(|row| row.map(Complex::convert)),
        }
    }
}

impl<S: Scalar> Solutions<S> {
    /// Both solutions and their derivatives at x between the ends.
    pub fn evaluate(&self, x: S) -> Values<S> {
        let n = self.pieces.len();
        let forward = n == 1 || self.pieces[0].end < self.pieces[n - 1].end;
        let piece = self.pieces.iter().find(|p| if forward { x <= p.end } else { x >= p.end });
        piece.unwrap_or(&self.pieces[n - 1]).values(x)
    }

    /// The same at a distance d from the last end, inside its disc, where d is known better than x:
    /// solutions that are singular there depend on it.
    pub fn evaluate_near_last(&self, d: S) -> Values<S> {
        let last = &self.pieces[self.pieces.len() - 1];
        last.mixed(last.basis.evaluate_local(d))
    }

    /// The basis at the first end.
    pub fn first(&self) -> &LocalBasis<S> {
        &self.pieces[0].basis
    }

    /// The basis at the last end.
    pub fn last(&self) -> &LocalBasis<S> {
        &self.pieces[self.pieces.len() - 1].basis
    }

    /// `c` with yᵢ = Σⱼ `c[i][j]` zⱼ: solutions of the first end in those of the last.
    pub fn connection(&self) -> [[Complex<S>; 2]; 2] {
        self.pieces[self.pieces.len() - 1].c
    }

    /// The number of discs.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// An estimate of the relative truncation error at the last end: the bounds of all discs, magnified
    /// by the condition numbers of the matrices between them.
    pub fn truncation(&self) -> f64 {
        self.truncation
    }
}
