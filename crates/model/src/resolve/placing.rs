//! Where boundaries touch, in many digits.
//!
//! Points are found in doubles and then by Newton's method in [`WORKING`] digits. On one surface, for a given normal m,
//!
//! ```text
//! δ − ν f/|∇f|,     (S + ννᵀ) δ = P m/(m·ν)
//! ```
//!
//! and on an edge, s ↦ s − x′·m/x″·m. For two boundaries that stand still, the residual is the sum of the normals
//! seen from the first, r = P(ν + G ν₁), or t·G ν₁ for an edge, and
//!
//! ```text
//! K δ = −r,     K = S + G S₁ Gᵀ,        k δ = −r,   k = t·S₂ t + κN·G ν₁
//! ```
//!
//! so that f(c) = 0, f₁(c₁) = 0 and Rν = −ν₁ hold to as many digits as a run can ask for.

use polhode_expr::eval::{Arithmetic, Digits, Doubles, Real};
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::numeric::{NumericSurface, Principal, Regularity, SurfacePoint};
use polhode_geometry::{Patch, Piece, Rim};
use rustc_hash::FxHashMap;
use std::f64::consts::PI;

/// Digits of the iterations; five more than those of the initial state.
const WORKING: usize = 60;
/// Iterations from doubles at most. The digits double each time, but where a curvature is infinite: there they come one by one.
const ITERATIONS: usize = 40;
/// After a step so small, in units of the coordinates, the next one would be below the working digits.
const LAST_STEP: f64 = 1e-28;
/// Iterations for two boundaries, which may start far away.
const SEARCH: usize = 60;
/// Residual at which a search has ended.
const FOUND: f64 = 1e-52;
/// What a convergent iteration leaves of a zero is below this, and would underflow when squared.
const NOTHING: f64 = 1e-70;
/// Curvature below this, in units of the size, is that of a flat direction: a double has no more of it than rounding.
const FLAT: f64 = 1e-12;
/// A normal as near to the wanted one as doubles can tell: 1 minus the cosine of their angle.
const SAME_NORMAL: f64 = 1e-12;
/// The rough search for a meeting ends when the point moves by less than this, in units of the size: Newton's method does the rest.
const ROUGH: f64 = 1e-3;
/// Residual of a search that ran out of steps and may still be believed: all digits that a run of 30 asks for.
const SETTLED: f64 = 1e-30;
/// Pivots below this, relative to the largest, are rounding of the doubles from which an iteration starts.
const NO_PIVOT: f64 = 1e-12;
/// Points of an edge at which a search looks.
const SAMPLES: usize = 256;

pub(super) type V = [Real; 3];
pub(super) type M = [V; 3];

/// Where a body or a piece of ground stands.
#[derive(Clone, Debug)]
pub(super) struct Pose {
    pub(super) rotation: M,
    pub(super) position: V,
}

/// A side of a contact that can be looked at.
pub(super) struct Look<'a> {
    pub(super) piece: &'a Piece,
    /// In doubles; `None` for an edge.
    pub(super) surface: Option<NumericSurface>,
}

/// The numbers of a model in working digits.
pub(super) struct Exactly {
    pub(super) digits: Digits,
    pub(super) values: FxHashMap<Symbol, Real>,
}

/// What an iteration looks for.
pub(super) enum Goal {
    Point(V),
    Normal(V),
}

/// A point of a boundary in working digits.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// c, (u, v) or s.
    pub(super) coordinates: Vec<Real>,
    pub(super) point: V,
    /// The outward normal; of an edge, that of what it touches, reversed.
    pub(super) normal: V,
}

impl Exactly {
    /// The parameters in working digits, at time 0.
    pub(super) fn new(g: &Graph, time: Symbol, parameters: &[(Symbol, Expr)]) -> Option<Exactly> {
        let digits = Digits::decimal(WORKING);
        let mut values = FxHashMap::default();
        values.insert(time, digits.number(&int(0)));
        for (symbol, value) in parameters {
            let v = g.evaluate(&digits, &[*value], &values).ok()?.remove(0);
            values.insert(*symbol, v);
        }
        Some(Exactly { digits, values })
    }

    pub(super) fn values(&self, g: &Graph, entries: &[Expr]) -> Option<Vec<Real>> {
        g.evaluate(&self.digits, entries, &self.values).ok()
    }

    /// Newton's method of the module head.
    fn refined(&self, g: &Graph, patch: &Patch, mut coordinates: Vec<Real>, goal: &Goal) -> Option<Found> {
        let a = Algebra { digits: self.digits };
        let mut roots: Vec<Expr> = patch.position().iter().chain(patch.normal()).copied().collect();
        roots.extend(patch.shape().iter().flatten());
        match patch {
            Patch::Implicit(p) => roots.extend([p.f, p.gradient_norm]),
            Patch::Chart(p) => roots.extend(p.dual.iter().flatten()),
        }
        let mut values = self.values.clone();
        for _ in 0..ITERATIONS {
            values.extend(patch.coordinates().iter().copied().zip(coordinates.iter().cloned()));
            let found = g.evaluate(&self.digits, &roots, &values).ok()?;
            let part = |k: usize| vector(found[k..k + 3].to_vec());
            let (point, normal) = (part(0), part(3));
            let tangent = match goal {
                Goal::Point(p) => a.minus(p, &point),
                Goal::Normal(m) => {
                    let along = a.dot(m, &normal);
                    if along <= Real::ZERO {
                        return None;
                    }
                    let rest = a.projected(m, &normal).map(|x| x / &along);
                    let matrix: M = std::array::from_fn(|i| {
                        std::array::from_fn(|j| &found[6 + 3 * i + j] + &normal[i] * &normal[j])
                    });
                    a.solved(matrix, rest)
                }
            };
            let next: Vec<Real> = match patch {
                Patch::Implicit(_) => {
                    let down = &found[15] / &found[16];
                    let tangent = match goal {
                        Goal::Point(_) => [0, 0, 0].map(|k| self.digits.number(&int(k))),
                        Goal::Normal(_) => tangent,
                    };
                    (0..3).map(|i| &point[i] + &tangent[i] - &down * &normal[i]).collect()
                }
                Patch::Chart(_) => (0..2).map(|k| &coordinates[k] + a.dot(&part(15 + 3 * k), &tangent)).collect(),
            };
            let next: Vec<Real> = next.into_iter().map(|x| self.rounded(x)).collect();
            let (size, change) = (largest(coordinates.iter()), next.iter().zip(&coordinates).map(|(x, y)| x - y));
            let last = largest(change.collect::<Vec<_>>().iter()) <= LAST_STEP * if size > 0.0 { size } else { 1.0 };
            coordinates = next;
            if last {
                break;
            }
        }
        values.extend(patch.coordinates().iter().copied().zip(coordinates.iter().cloned()));
        let found = g.evaluate(&self.digits, &roots[..6], &values).ok()?;
        let (point, normal) = (vector(found[..3].to_vec()), vector(found[3..].to_vec()));
        Some(Found { coordinates, point, normal })
    }
}

/// The largest absolute value.
fn largest<'a>(list: impl Iterator<Item = &'a Real>) -> f64 {
    list.fold(0.0, |m, x| x.to_f64().value().abs().max(m))
}

impl Exactly {
    /// Zero for what a convergent iteration has left of it, which may be too small to be squared.
    fn rounded(&self, x: Real) -> Real {
        let tiny = x.to_f64().value().abs() < NOTHING;
        if tiny { self.digits.number(&int(0)) } else { x }
    }

    /// The point of a boundary with this outward normal that reaches farthest along it.
    pub(super) fn with_normal(&self, g: &Graph, look: &Look<'_>, normal: &V) -> Option<Found> {
        let m = doubles(normal);
        match (look.piece, &look.surface) {
            (Piece::Patch(patch), Some(surface)) => {
                let reach = |p: &SurfacePoint| -> f64 { (0..3).map(|i| p.point[i] * m[i]).sum() };
                let found = surface.points_with_normal(m);
                let mut at = found.into_iter().max_by(|p, q| reach(p).total_cmp(&reach(q)))?;
                // on a plane or along a generator all points will do: that next to the origin is the one
                let principal = Principal::new(&at.normal, &at.shape);
                let mut near = at.point;
                for (k, t) in principal.curvatures.iter().zip(&principal.directions) {
                    if k.abs() * surface.size() < FLAT {
                        let along: f64 = (0..3).map(|i| near[i] * t[i]).sum();
                        near = std::array::from_fn(|i| near[i] - along * t[i]);
                    }
                }
                if near != at.point
                    && let Regularity::Regular(foot) = surface.regularity(near)
                    && (0..3).map(|i| foot.normal[i] * m[i]).sum::<f64>() > 1.0 - SAME_NORMAL
                {
                    at = foot;
                }
                if matches!(surface.regularity(at.point), Regularity::Singular) {
                    return None;
                }
                self.refined(g, patch, start_of(&at, patch, None, self), &Goal::Normal(normal.clone()))
            }
            (Piece::Rim(rim), _) => self.on_edge(g, rim, normal),
            _ => None,
        }
    }

    /// The point of a boundary at this place, which is on it.
    pub(super) fn at_place(&self, g: &Graph, look: &Look<'_>, at: &SurfacePoint, place: &V) -> Option<Found> {
        let Piece::Patch(patch) = look.piece else { return None };
        self.refined(g, patch, start_of(at, patch, Some(place), self), &Goal::Point(place.clone()))
    }

    /// The point of an edge that reaches farthest along m: of several, improved in doubles and then in all digits.
    fn on_edge(&self, g: &Graph, rim: &Rim, m: &V) -> Option<Found> {
        let (mut roughly, towards) = (doubles_of(&self.values), doubles(m));
        let mut reach = |s: f64| -> Option<f64> {
            roughly.insert(rim.parameter, s);
            let at = g.evaluate(&Doubles, &rim.position, &roughly).ok()?;
            Some((0..3).map(|i| at[i] * towards[i]).sum())
        };
        let mut best: Option<(f64, f64)> = None;
        for k in 0..SAMPLES {
            let s = 2.0 * PI * k as f64 / SAMPLES as f64 - PI;
            let reach = reach(s)?;
            if best.is_none_or(|(r, _)| reach > r) {
                best = Some((reach, s));
            }
        }
        let mut copy = g.clone();
        let second = rim.derivative.map(|e| copy.derivative(e, rim.parameter));
        let bending = Bending { graph: &copy, parameter: rim.parameter, derivatives: [rim.derivative, second] };
        let mut s = best?.1;
        for _ in 0..ITERATIONS {
            let (slope, bend) = bending.along(&Doubles, &mut roughly, s, &towards)?;
            if bend == 0.0 {
                return None;
            }
            s -= slope / bend;
        }
        let mut values = self.values.clone();
        let mut s = self.digits.double(s);
        for _ in 0..ITERATIONS {
            let (slope, bend) = bending.along(&self.digits, &mut values, s.clone(), m)?;
            if bend == Real::ZERO {
                return None;
            }
            let step = slope / bend;
            let last = step.to_f64().value().abs() <= LAST_STEP;
            s = self.rounded(s - step);
            if last {
                break;
            }
        }
        values.insert(rim.parameter, s.clone());
        let point = vector(g.evaluate(&self.digits, &rim.position, &values).ok()?);
        Some(Found { point, coordinates: vec![s], normal: m.clone() })
    }

    /// Where two boundaries touch that stand like this, and by how much they are apart: positive where there is a gap.
    pub(super) fn meeting(&self, g: &Graph, looks: [&Look<'_>; 2], poses: [&Pose; 2]) -> Option<([Found; 2], Real)> {
        let a = Algebra { digits: self.digits };
        let back = a.transpose(&poses[0].rotation);
        let turn = a.times(&back, &poses[1].rotation);
        let origin = a.apply(&back, &a.minus(&poses[1].position, &poses[0].position));
        let turned_back = a.transpose(&turn);
        let (Piece::Patch(patch1), Some(surface1)) = (looks[1].piece, &looks[1].surface) else { return None };

        // from the origin of the first to the nearest point of the second, and on from there
        let mut place: V = [0, 0, 0].map(|k| self.digits.number(&int(k)));
        let mut first: Option<Found> = None;
        let mut near = None;
        for _ in 0..12 {
            let seen = a.apply(&turned_back, &a.minus(&place, &origin));
            let foot = surface1.project(doubles(&seen))?;
            let out = foot.normal.map(|x| self.digits.double(x));
            let towards = a.negative(&a.apply(&turn, &out));
            let found = self.with_normal(g, looks[0], &a.unit(&towards))?;
            let moved = first.as_ref().map_or(f64::MAX, |f| a.size(&a.minus(&f.point, &found.point)));
            place = match &first {
                // half the way, so that a second side that is more curved does not throw the point about
                Some(f) => std::array::from_fn(|i| (&f.point[i] + &found.point[i]) / self.digits.number(&int(2))),
                None => found.point.clone(),
            };
            first = Some(found);
            near = Some(foot);
            if moved < ROUGH * surface1.size() {
                break;
            }
        }
        let (mut first, near) = (first?, near?);
        let mut coordinates1 = start_of(&near, patch1, None, self);
        let mut roots1: Vec<Expr> = patch1.position().iter().chain(patch1.normal()).copied().collect();
        roots1.extend(patch1.shape().iter().flatten());
        match patch1 {
            Patch::Implicit(p) => roots1.extend([p.f, p.gradient_norm]),
            Patch::Chart(p) => roots1.extend(p.dual.iter().flatten()),
        }
        for step in 0..SEARCH {
            // the second boundary at the point next to the first
            let seen = a.apply(&turned_back, &a.minus(&first.point, &origin));
            if let Patch::Implicit(_) = patch1 {
                coordinates1 = seen.to_vec();
            }
            let mut values = self.values.clone();
            values.extend(patch1.coordinates().iter().copied().zip(coordinates1.iter().cloned()));
            let found = g.evaluate(&self.digits, &roots1, &values).ok()?;
            let part = |k: usize| vector(found[k..k + 3].to_vec());
            let (point1, normal1) = (part(0), part(3));
            let mut rest = 0.0;
            let gap = match patch1 {
                Patch::Implicit(_) => &found[15] / &found[16],
                Patch::Chart(_) => {
                    let apart = a.minus(&seen, &point1);
                    let change: Vec<Real> = (0..2).map(|k| a.dot(&part(15 + 3 * k), &apart)).collect();
                    rest = change.iter().map(|x| x.to_f64().value().abs()).fold(0.0, f64::max);
                    coordinates1 = coordinates1.iter().zip(change).map(|(u, d)| u + d).collect();
                    a.dot(&apart, &normal1)
                }
            };
            let shape1: M = std::array::from_fn(|i| part(6 + 3 * i));
            let shape1 = a.times(&a.times(&turn, &shape1), &turned_back);
            let down = a.apply(&turn, &normal1);
            let (moved, residual) = self.step(g, looks[0].piece, &first, &down, &shape1)?;
            first = moved;
            if residual.max(rest) < FOUND || step + 1 == SEARCH {
                let settled = residual.max(rest) < SETTLED;
                let point1 = match patch1 {
                    Patch::Implicit(_) => a.minus(&seen, &normal1.clone().map(|x| x * &gap)).map(|x| self.rounded(x)),
                    Patch::Chart(_) => point1,
                };
                let coordinates = match patch1 {
                    Patch::Implicit(_) => point1.to_vec(),
                    Patch::Chart(_) => coordinates1,
                };
                let second = Found { coordinates, point: point1, normal: normal1 };
                return settled.then_some(([first, second], gap));
            }
        }
        None
    }

    /// One step of the first boundary towards the normal −`down`, and the residual before it.
    fn step(&self, g: &Graph, piece: &Piece, from: &Found, down: &V, shape1: &M) -> Option<(Found, f64)> {
        let a = Algebra { digits: self.digits };
        let mut values = self.values.clone();
        values.extend(piece.coordinates().iter().copied().zip(from.coordinates.iter().cloned()));
        match piece {
            Piece::Patch(patch) => {
                let mut roots: Vec<Expr> = patch.position().iter().chain(patch.normal()).copied().collect();
                roots.extend(patch.shape().iter().flatten());
                match patch {
                    Patch::Implicit(p) => roots.extend([p.f, p.gradient_norm]),
                    Patch::Chart(p) => roots.extend(p.dual.iter().flatten()),
                }
                let found = g.evaluate(&self.digits, &roots, &values).ok()?;
                let part = |k: usize| vector(found[k..k + 3].to_vec());
                let (point, normal) = (part(0), part(3));
                let sum: V = std::array::from_fn(|i| &normal[i] + &down[i]);
                let residual = a.projected(&sum, &normal);
                let matrix: M = std::array::from_fn(|i| {
                    std::array::from_fn(|j| &found[6 + 3 * i + j] + &shape1[i][j] + &normal[i] * &normal[j])
                });
                let step = a.negative(&a.solved(matrix, residual.clone()));
                let step = a.projected(&step, &normal);
                let mut size = a.size(&residual);
                let coordinates: Vec<Real> = match patch {
                    Patch::Implicit(_) => {
                        let off = &found[15] / &found[16];
                        size = size.max(off.to_f64().value().abs());
                        (0..3).map(|i| &point[i] + &step[i] - &off * &normal[i]).collect()
                    }
                    Patch::Chart(_) => (0..2).map(|k| &from.coordinates[k] + a.dot(&part(15 + 3 * k), &step)).collect(),
                };
                let coordinates: Vec<Real> = coordinates.into_iter().map(|x| self.rounded(x)).collect();
                values.extend(piece.coordinates().iter().copied().zip(coordinates.iter().cloned()));
                let moved = g.evaluate(&self.digits, &roots[..6], &values).ok()?;
                let (point, normal) = (vector(moved[..3].to_vec()), vector(moved[3..].to_vec()));
                Some((Found { coordinates, point, normal }, size))
            }
            Piece::Rim(rim) => {
                let mut roots: Vec<Expr> = rim.tangent.iter().chain(&rim.curvature_vector).copied().collect();
                roots.push(rim.speed);
                let found = g.evaluate(&self.digits, &roots, &values).ok()?;
                let (tangent, bend) = (vector(found[..3].to_vec()), vector(found[3..6].to_vec()));
                let residual = a.dot(&tangent, down);
                let k = a.dot(&tangent, &a.apply(shape1, &tangent)) + a.dot(&bend, down);
                if k == Real::ZERO {
                    return None;
                }
                let size = residual.to_f64().value().abs();
                let s = self.rounded(&from.coordinates[0] - residual / k / &found[6]);
                values.insert(rim.parameter, s.clone());
                let point = vector(g.evaluate(&self.digits, &rim.position, &values).ok()?);
                Some((Found { coordinates: vec![s], point, normal: a.negative(down) }, size))
            }
        }
    }
}

/// An edge s ↦ x(s) with its first two derivatives.
struct Bending<'a> {
    graph: &'a Graph,
    parameter: Symbol,
    derivatives: [[Expr; 3]; 2],
}

impl Bending<'_> {
    /// x′·m and x″·m.
    fn along<A: Arithmetic>(
        &self,
        arithmetic: &A,
        values: &mut FxHashMap<Symbol, A::Value>,
        s: A::Value,
        m: &[A::Value; 3],
    ) -> Option<(A::Value, A::Value)> {
        values.insert(self.parameter, s);
        let v = self.graph.evaluate(arithmetic, self.derivatives.as_flattened(), values).ok()?;
        let dot = |v: &[A::Value]| {
            let part = |i: usize| arithmetic.mul(&v[i], &m[i]);
            arithmetic.add(&arithmetic.add(&part(0), &part(1)), &part(2))
        };
        Some((dot(&v[..3]), dot(&v[3..])))
    }
}

fn doubles_of(values: &FxHashMap<Symbol, Real>) -> FxHashMap<Symbol, f64> {
    values.iter().map(|(s, x)| (*s, x.to_f64().value())).collect()
}

/// The coordinates from which an iteration starts.
fn start_of(at: &SurfacePoint, patch: &Patch, exact: Option<&V>, exactly: &Exactly) -> Vec<Real> {
    match (patch, at.parameters, exact) {
        (Patch::Chart(_), Some(parameters), _) => parameters.iter().map(|x| exactly.digits.double(*x)).collect(),
        (_, _, Some(point)) => point.to_vec(),
        _ => at.point.iter().map(|x| exactly.digits.double(*x)).collect(),
    }
}

pub(super) fn vector(v: Vec<Real>) -> V {
    <[Real; 3]>::try_from(v).unwrap_or_default()
}

pub(super) fn doubles(v: &V) -> [f64; 3] {
    std::array::from_fn(|i| v[i].to_f64().value())
}

/// Vectors in working digits.
pub(super) struct Algebra {
    pub(super) digits: Digits,
}

impl Algebra {
    pub(super) fn dot(&self, a: &V, b: &V) -> Real {
        &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
    }
    pub(super) fn cross(&self, a: &V, b: &V) -> V {
        [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &a[i] * &b[j] - &a[j] * &b[i])
    }
    pub(super) fn minus(&self, a: &V, b: &V) -> V {
        std::array::from_fn(|i| &a[i] - &b[i])
    }
    pub(super) fn negative(&self, a: &V) -> V {
        std::array::from_fn(|i| -a[i].clone())
    }
    pub(super) fn size(&self, a: &V) -> f64 {
        self.dot(a, a).to_f64().value().sqrt()
    }
    pub(super) fn unit(&self, a: &V) -> V {
        let square = self.dot(a, a);
        let length = if square > Real::ZERO { square.sqrt() } else { self.digits.number(&int(1)) };
        std::array::from_fn(|i| &a[i] / &length)
    }
    /// a without its part along the unit vector n.
    pub(super) fn projected(&self, a: &V, n: &V) -> V {
        let along = self.dot(a, n);
        std::array::from_fn(|i| &a[i] - &along * &n[i])
    }
    pub(super) fn axis(&self, k: usize) -> V {
        std::array::from_fn(|i| self.digits.number(&int(i64::from(i == k))))
    }
    pub(super) fn identity(&self) -> M {
        std::array::from_fn(|i| self.axis(i))
    }
    pub(super) fn transpose(&self, m: &M) -> M {
        std::array::from_fn(|i| std::array::from_fn(|j| m[j][i].clone()))
    }
    pub(super) fn apply(&self, m: &M, v: &V) -> V {
        std::array::from_fn(|i| self.dot(&m[i], v))
    }
    pub(super) fn plus(&self, a: &V, b: &V) -> V {
        std::array::from_fn(|i| &a[i] + &b[i])
    }
    pub(super) fn times(&self, m: &M, n: &M) -> M {
        let columns = self.transpose(n);
        std::array::from_fn(|i| std::array::from_fn(|j| self.dot(&m[i], &columns[j])))
    }
    /// The least rotation that takes the unit vector a to b, after R: 1 + w× + w×²/(1 + a·b) with w = a × b.
    pub(super) fn turned_onto(&self, a: &V, b: &V, r: &M) -> M {
        let w = self.cross(a, b);
        let scale = self.digits.number(&int(1)) + self.dot(a, b);
        let columns = self.transpose(r);
        let turned: M = std::array::from_fn(|k| {
            let once = self.cross(&w, &columns[k]);
            let twice = self.cross(&w, &once);
            std::array::from_fn(|i| &columns[k][i] + &once[i] + &twice[i] / &scale)
        });
        self.transpose(&turned)
    }
    /// A solution of m x = b by elimination with full pivoting; unknowns that nothing determines are 0.
    pub(super) fn solved(&self, mut m: M, mut b: V) -> V {
        let zero = self.digits.number(&int(0));
        let size = |x: &Real| x.to_f64().value().abs();
        let mut order = [0, 1, 2];
        let mut largest = 0.0;
        let mut rank = 3;
        for k in 0..3 {
            let places = (k..3).flat_map(|i| (k..3).map(move |j| (i, j)));
            let (i, j) = places.max_by(|p, q| size(&m[p.0][p.1]).total_cmp(&size(&m[q.0][q.1]))).unwrap_or((k, k));
            largest = f64::max(largest, size(&m[i][j]));
            if size(&m[i][j]) <= NO_PIVOT * largest {
                rank = k;
                break;
            }
            m.swap(k, i);
            b.swap(k, i);
            m.iter_mut().for_each(|row| row.swap(k, j));
            order.swap(k, j);
            for i in k + 1..3 {
                let factor = &m[i][k] / &m[k][k];
                for j in k..3 {
                    m[i][j] = &m[i][j] - &factor * &m[k][j];
                }
                b[i] = &b[i] - &factor * &b[k];
            }
        }
        let mut x = [zero.clone(), zero.clone(), zero];
        for k in (0..rank).rev() {
            let mut sum = b[k].clone();
            for j in k + 1..rank {
                sum -= &m[k][j] * &x[order[j]];
            }
            x[order[k]] = sum / &m[k][k];
        }
        x
    }
}
