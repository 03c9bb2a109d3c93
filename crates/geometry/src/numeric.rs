//! Points of surfaces in doubles, for initial states: with a given normal, next to a given point.
//!
//! Both questions are Newton iterations on the surface that need ν and S only. A tangent step δ is followed
//! by steps −ν f/|∇f| back to the surface, with
//!
//! ```text
//! given normal m:   P m = 0                     (m·ν) S δ = P m
//! nearest to p:     P (p − c) = 0               (1 + h S) δ = P (p − c),   h = ν·(p − c)
//! ```
//!
//! (both from dν = S δ). The 2×2 systems are solved in the least-squares sense, so that flat
//! directions, as along the generators of a cylinder, are left alone. Steps are at most a fraction of
//! the size of the surface, and are halved until the error decreases: on a slender body curvature changes a
//! hundredfold within a step. Iterations start from many points, and all solutions found are kept.
//!
//! Not here: proofs that no solution was missed.

use crate::chart::Chart;
use crate::dense::{self, V};
use crate::implicit::Implicit;
use crate::linear::{Mat3, Vec3};
use crate::program::Program;
use crate::surface::{Missing, Profile, Shape, Surface};
use polhode_expr::eval::EvalError;
use polhode_expr::{Expr, Graph, Symbol};
use std::f64::consts::PI;
use std::fmt;

/// A point of a surface in doubles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The point.
    pub point: [f64; 3],
    /// The parameters, for a surface without an equation.
    pub parameters: Option<[f64; 2]>,
    /// The outward normal.
    pub normal: [f64; 3],
    /// S.
    pub shape: [[f64; 3]; 3],
}

/// Principal curvatures k₁ ≥ k₂ with unit vectors along their directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// k₁ ≥ k₂, positive where the material is convex.
    pub curvatures: [f64; 2],
    /// t₁ and t₂ with t₁ × t₂ = ν. At an umbilic they are any such pair.
    pub directions: [[f64; 3]; 2],
}

impl Principal {
    /// From ν and S.
    pub fn new(normal: &[f64; 3], shape: &[[f64; 3]; 3]) -> Principal {
        let basis @ [t, b] = dense::tangent_basis(normal);
        let (st, sb) = (dense::mat_vec(shape, &t), dense::mat_vec(shape, &b));
        let (curvatures, [c, s]) = dense::eigen2(dense::dot(&t, &st), dense::dot(&t, &sb), dense::dot(&b, &sb));
        let turned = |c: f64, s: f64| std::array::from_fn(|i| c * basis[0][i] + s * basis[1][i]);
        Principal { curvatures, directions: [turned(c, s), turned(-s, c)] }
    }

    /// The two directions without normal curvature; `None` where the surface is curved to one side.
    pub fn asymptotic_directions(&self) -> Option<[[f64; 3]; 2]> {
        let [k1, k2] = self.curvatures;
        if k1 < 0.0 || k2 > 0.0 || k1 == k2 {
            return None;
        }
        let (p, q) = ((-k2 / (k1 - k2)).sqrt(), (k1 / (k1 - k2)).sqrt());
        let [t1, t2] = self.directions;
        Some([q, -q].map(|q| std::array::from_fn(|i| p * t1[i] + q * t2[i])))
    }
}

/// Why a surface cannot be evaluated in doubles.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumericError {
    /// It has no representation.
    Missing(Missing),
    /// A parameter has no value, or a function is known by name only.
    NoValue(EvalError),
}

impl fmt::Display for NumericError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumericError::Missing(m) => m.fmt(f),
            NumericError::NoValue(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for NumericError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NumericError::Missing(e) => Some(e),
            NumericError::NoValue(e) => Some(e),
        }
    }
}

/// Is the surface smooth at a point?
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Regularity {
    /// Smooth, with a normal and finite curvature.
    Regular(SurfacePoint),
    /// The point is not on the surface, by about this signed distance (positive: outside the material).
    Off {
        /// The signed distance.
        distance: f64,
    },
    /// No normal, or no finite curvature.
    Singular,
}

/// Beyond this curvature, in units of the size of the surface, a point counts as singular.
const LARGEST_CURVATURE: f64 = 1e8;
/// A point this near to the surface, in units of its size, is on it.
const ON_SURFACE: f64 = 1e-9;
/// Newton steps from one start.
const STEPS: usize = 60;
/// Steps along the normal until a point is on the surface.
const LANDING: usize = 60;
/// How often a step is halved before it is taken whole.
const HALVINGS: i32 = 12;
/// Relative residual at which an iteration has converged.
const CONVERGED: f64 = 1e-13;
/// Solutions nearer to each other than this, in units of the size, are one.
const SAME: f64 = 1e-6;
/// Directions with less curvature than this, in units of the size, are flat.
const FLAT: f64 = 1e-9;
/// Inverse element of area, in units of the size, beyond which parameters are at a pole.
const AT_POLE: f64 = 1e6;
/// Rounds of the search for a pole; most of them halve its steps, to far below the resolution of a double.
const HALVED: usize = 120;
/// Starts per parameter of a chart.
const GRID: usize = 12;

/// A surface with numbers for its parameters.
#[derive(Clone, Debug)]
pub struct NumericSurface {
    program: Program,
    has_equation: bool,
    size: f64,
    origin: V,
    domain: [[f64; 2]; 2],
}

/// Where an iteration is: the coordinates, the point with ν and S, and what a chart adds.
struct Iterate {
    coordinates: Vec<f64>,
    at: SurfacePoint,
    /// Signed distance from the surface, to first order; 0 in a chart.
    distance: f64,
    /// xᵘ and xᵛ of a chart.
    dual: Option<[V; 2]>,
}

/// What an iteration looks for.
enum Goal {
    /// The point with this unit normal.
    Normal(V),
    /// The point nearest to this.
    Nearest(V),
}

/// One step of the iteration: (one + shape · S) δ = residual.
struct Aim {
    residual: V,
    /// What should decrease; unlike the residual it does not vanish at the opposite normal.
    error: f64,
    one: f64,
    shape: f64,
}

impl Goal {
    fn aim(&self, at: &SurfacePoint) -> Aim {
        match self {
            Goal::Normal(m) => {
                let along = dense::dot(m, &at.normal);
                let error = dense::norm(&dense::add_scaled(m, -1.0, &at.normal));
                Aim { residual: dense::add_scaled(m, -along, &at.normal), error, one: 0.0, shape: along.max(0.1) }
            }
            Goal::Nearest(p) => {
                let gap = dense::add_scaled(p, -1.0, &at.point);
                let height = dense::dot(&gap, &at.normal);
                let residual = dense::add_scaled(&gap, -height, &at.normal);
                Aim { residual, error: dense::norm(&residual), one: 1.0, shape: height }
            }
        }
    }
}

impl NumericSurface {
    /// The surface with these values of its parameters.
    pub fn new(g: &Graph, surface: &Surface, values: &[(Symbol, f64)]) -> Result<NumericSurface, NumericError> {
        // A copy, because a question in doubles should leave no symbols behind.
        let mut g = g.clone();
        let at = ["x", "y", "z"].map(|n| g.symbol(&format!("point of a surface {n}")));
        let parameters = ["u", "v"].map(|n| g.symbol(&format!("point of a surface {n}")));
        let flat = |m: &Mat3| m.iter().flatten().copied().collect::<Vec<Expr>>();
        let list = |v: &[Vec3]| v.iter().flatten().copied().collect::<Vec<Expr>>();
        let (program, has_equation) = match surface.implicit(&mut g, at) {
            Ok(Implicit { position, f, gradient_norm, normal, shape, .. }) => {
                let mut roots = list(&[position, normal]);
                roots.extend(flat(&shape));
                roots.push(g.div(f, gradient_norm));
                (Program::new(&g, &roots, &at, values), true)
            }
            Err(_) => {
                let chart = surface.chart(&mut g, parameters).map_err(NumericError::Missing)?;
                let Chart { position, normal, shape, dual, .. } = chart;
                let mut roots = list(&[position, normal]);
                roots.extend(flat(&shape));
                roots.extend(list(&dual));
                (Program::new(&g, &roots, &parameters, values), false)
            }
        };
        let program = program.map_err(NumericError::NoValue)?;
        let number = |e: Expr| Program::new(&g, &[e], &[], values).ok().and_then(|p| p.at(&[])).map(|v| v[0]);
        let lengths: Vec<f64> = surface.shape.lengths().into_iter().filter_map(number).map(f64::abs).collect();
        let size = lengths.iter().copied().fold(0.0, f64::max);
        let origin = surface.placement.map_or([0.0; 3], |p| p.translation.map(|e| number(e).unwrap_or(0.0)));
        let size = if size > 0.0 { size } else { 1.0 };
        Ok(NumericSurface { program, has_equation, size, origin, domain: [[-PI, PI]; 2] })
    }

    /// The origin of its own axes.
    pub(crate) fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// The distance of a point from a surface with an equation, to first order, and the normal of the level there; `None` for a chart or where
    /// there is none.
    pub fn signed_distance(&self, point: [f64; 3]) -> Option<(f64, [f64; 3])> {
        let at = self.at(point.to_vec()).filter(|_| self.has_equation)?;
        at.distance.is_finite().then_some((at.distance, at.at.normal))
    }

    /// About how large the surface is.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Says about how large the surface is, when its lengths do not: where searches start.
    pub fn with_size(self, size: f64) -> NumericSurface {
        NumericSurface { size, ..self }
    }

    /// Says where the parameters of a surface without an equation lie; otherwise −π to π.
    pub fn with_domain(self, domain: [[f64; 2]; 2]) -> NumericSurface {
        NumericSurface { domain, ..self }
    }

    fn at(&self, coordinates: Vec<f64>) -> Option<Iterate> {
        let v = self.program.at(&coordinates)?;
        let vector = |k: usize| -> V { std::array::from_fn(|i| v[k + i]) };
        let at = SurfacePoint {
            point: vector(0),
            parameters: (!self.has_equation).then(|| [coordinates[0], coordinates[1]]),
            normal: vector(3),
            shape: std::array::from_fn(|i| vector(6 + 3 * i)),
        };
        let (distance, dual) = if self.has_equation { (v[15], None) } else { (0.0, Some([vector(15), vector(18)])) };
        Some(Iterate { coordinates, at, distance, dual })
    }

    /// From these coordinates along the normal to the surface.
    fn landed(&self, coordinates: Vec<f64>) -> Option<Iterate> {
        let mut at = self.at(coordinates)?;
        for _ in 0..LANDING {
            if at.distance.abs() <= CONVERGED * self.size {
                return Some(at);
            }
            let down = at.distance.clamp(-self.size, self.size);
            at = self.at(dense::add_scaled(&at.at.point, -down, &at.at.normal).to_vec())?;
        }
        None
    }

    /// The iterate moved by a fraction of the tangent step δ, and back to the surface.
    fn moved(&self, from: &Iterate, step: &V, fraction: f64) -> Option<Iterate> {
        let (limit, length) = (0.3 * self.size, dense::norm(step));
        let shrink = fraction * if length > limit { limit / length } else { 1.0 };
        let coordinates = match &from.dual {
            None => dense::add_scaled(&from.at.point, shrink, step).to_vec(),
            Some(dual) => (0..2).map(|i| from.coordinates[i] + shrink * dense::dot(&dual[i], step)).collect(),
        };
        self.landed(coordinates)
    }

    /// Newton's method from one start.
    fn solve(&self, start: Vec<f64>, goal: &Goal) -> Option<SurfacePoint> {
        let mut at = self.landed(start)?;
        for _ in 0..STEPS {
            let Aim { residual, error, one, shape } = goal.aim(&at.at);
            let Principal { curvatures, directions } = Principal::new(&at.at.normal, &at.at.shape);
            let sharpest = curvatures[0].abs().max(curvatures[1].abs()) * self.size;
            // Errors of a direction are pure numbers, and rounding of the point turns it by the curvature;
            // errors of a position are lengths.
            let (unit, flat) = if one == 0.0 { (1.0 + 0.1 * sharpest, FLAT / self.size) } else { (self.size, FLAT) };
            if dense::norm(&residual) <= CONVERGED * unit {
                return Some(at.at);
            }
            let mut step = [0.0; 3];
            for (k, t) in curvatures.iter().zip(&directions) {
                let factor = one + shape * k;
                if factor.abs() > flat {
                    step = dense::add_scaled(&step, dense::dot(&residual, t) / factor, t);
                }
            }
            let better = (0..HALVINGS).find_map(|k| {
                let next = self.moved(&at, &step, 0.5f64.powi(k))?;
                (goal.aim(&next.at).error < error).then_some(next)
            });
            at = match better {
                Some(next) => next,
                None => self.moved(&at, &step, 1.0)?,
            };
        }
        None
    }

    /// Points to start from, in the coordinates of the representation.
    fn starts(&self) -> Vec<Vec<f64>> {
        if !self.has_equation {
            let place = |[low, high]: [f64; 2], i: usize| low + (high - low) * (i as f64 + 0.5) / GRID as f64;
            let grid = (0..GRID * GRID).map(|k| vec![place(self.domain[0], k / GRID), place(self.domain[1], k % GRID)]);
            return grid.collect();
        }
        let mut starts = Vec::new();
        for scale in [0.4, 1.0, 1.8] {
            for k in (0..27).filter(|k| *k != 13) {
                // Slightly askew, because planes of symmetry are bad places to start from.
                let d = [(k / 9) as f64 - 0.98, (k / 3 % 3) as f64 - 1.03, (k % 3) as f64 - 0.95];
                starts.push(dense::add_scaled(&self.origin, scale * self.size / dense::norm(&d), &d).to_vec());
            }
        }
        starts
    }

    /// Points here and there on the surface: where searches begin.
    pub fn scattered(&self) -> Vec<SurfacePoint> {
        self.starts().into_iter().filter_map(|s| self.landed(s)).map(|found| found.at).collect()
    }

    /// The points whose outward normal is along `direction`, all that were found.
    ///
    /// Where solutions form a curve or a surface (generators of a cylinder, a plane), only the one nearest
    /// to the origin of the surface is returned.
    pub fn points_with_normal(&self, direction: [f64; 3]) -> Vec<SurfacePoint> {
        let length = dense::norm(&direction);
        if !(length > 0.0 && length.is_finite()) {
            return Vec::new();
        }
        let m = dense::scaled(1.0 / length, &direction);
        let (mut isolated, mut family): (Vec<SurfacePoint>, Vec<SurfacePoint>) = (Vec::new(), Vec::new());
        for start in self.starts() {
            let found = self.solve(start, &Goal::Normal(m));
            let Some(p) = found.filter(|p| dense::dot(&m, &p.normal) > 0.0) else { continue };
            let [k1, k2] = Principal::new(&p.normal, &p.shape).curvatures;
            let list = if k1.abs().min(k2.abs()) * self.size < FLAT { &mut family } else { &mut isolated };
            let same = |q: &SurfacePoint| dense::norm(&dense::add_scaled(&p.point, -1.0, &q.point)) < SAME * self.size;
            if !list.iter().any(same) {
                list.push(p);
            }
        }
        isolated.extend(self.nearest(family, &self.origin));
        isolated
    }

    /// The parameters at which a chart reaches farthest along `direction`, if they are a pole: the normal is not defined there, so that
    /// [`points_with_normal`](NumericSurface::points_with_normal) does not find the point.
    pub fn pole_towards(&self, direction: [f64; 3]) -> Option<[f64; 2]> {
        if self.has_equation {
            return None;
        }
        let reach = |at: [f64; 2]| Some(dense::dot(&self.at(at.to_vec())?.at.point, &direction));
        let better = |a: &([f64; 2], f64), b: ([f64; 2], f64)| if b.1 > a.1 { b } else { *a };
        let starts = self.starts().into_iter().filter_map(|s| Some(([s[0], s[1]], reach([s[0], s[1]])?)));
        let mut best = starts.reduce(|a, b| better(&a, b))?;
        let mut steps = self.domain.map(|[low, high]| (high - low) / GRID as f64);
        for _ in 0..HALVED {
            let before = best.1;
            for (i, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
                let mut at = best.0;
                at[i] += sign * steps[i];
                if let Some(r) = reach(at) {
                    best = better(&best, (at, r));
                }
            }
            if best.1 <= before {
                steps = steps.map(|s| 0.5 * s);
            }
        }
        // |xᵘ||xᵛ| is 1/H up to the angle between the lines, and grows without bound at a pole
        let at = self.at(best.0.to_vec())?;
        let [p, q] = at.dual.map(|d| d.map(|w| dense::norm(&w)))?;
        (p * q * self.size * self.size > AT_POLE).then_some(best.0)
    }

    fn nearest(&self, points: Vec<SurfacePoint>, p: &V) -> Option<SurfacePoint> {
        let distance = |q: &SurfacePoint| dense::norm(&dense::add_scaled(&q.point, -1.0, p));
        points.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The point of the surface nearest to `p`, of all that were found; `None` when none was.
    pub fn project(&self, p: [f64; 3]) -> Option<SurfacePoint> {
        let mut starts = self.starts();
        if self.has_equation {
            starts.push(p.to_vec());
        }
        let found = starts.into_iter().filter_map(|s| self.solve(s, &Goal::Nearest(p))).collect();
        self.nearest(found, &p)
    }

    /// Is the surface smooth at this point of space?
    pub fn regularity(&self, point: [f64; 3]) -> Regularity {
        if self.has_equation { self.judge(point.to_vec()) } else { self.off(point) }
    }

    /// Is the surface smooth at these parameters? `None` for a surface with an equation, which has none.
    pub fn regularity_at(&self, parameters: [f64; 2]) -> Option<Regularity> {
        (!self.has_equation).then(|| self.judge(parameters.to_vec()))
    }

    /// A chart answers through its nearest point.
    fn off(&self, point: V) -> Regularity {
        match self.project(point) {
            None => Regularity::Singular,
            Some(at) => {
                let distance = dense::dot(&dense::add_scaled(&point, -1.0, &at.point), &at.normal);
                if distance.abs() > ON_SURFACE * self.size { Regularity::Off { distance } } else { self.smooth(at) }
            }
        }
    }

    fn judge(&self, coordinates: Vec<f64>) -> Regularity {
        match self.at(coordinates) {
            None => Regularity::Singular,
            Some(at) if at.distance.abs() > ON_SURFACE * self.size => Regularity::Off { distance: at.distance },
            Some(at) => self.smooth(at.at),
        }
    }

    fn smooth(&self, at: SurfacePoint) -> Regularity {
        let largest = at.shape.iter().flatten().fold(0f64, |s, x| s.max(x.abs()));
        if largest * self.size > LARGEST_CURVATURE { Regularity::Singular } else { Regularity::Regular(at) }
    }
}

impl Shape {
    /// The lengths that say how large the surface is.
    fn lengths(&self) -> Vec<Expr> {
        match *self {
            Shape::Sphere { radius } | Shape::Cylinder { radius } => vec![radius],
            Shape::Ellipsoid { a, b, c } | Shape::Superquadric { a, b, c, .. } => vec![a, b, c],
            Shape::Spheroid { a, c } => vec![a, c],
            Shape::Torus { major, minor } => vec![major, minor],
            Shape::Paraboloid { a, b } => vec![a, b],
            Shape::Revolution(Profile::Radius { .. } | Profile::Curve { .. })
            | Shape::Plane
            | Shape::Cone { .. }
            | Shape::Parametric { .. }
            | Shape::Implicit { .. } => Vec::new(),
        }
    }
}
