//! Surfaces and edges of bodies and of the ground, as meshes.
//!
//! Those with a chart are meshed on its grid, all round where it closes and from pole to pole. Some have other charts here than in `geometry`:
//!
//! | what | chart | why |
//! | --- | --- | --- |
//! | paraboloid | (u cos v, u sin v, u² (cos² v/2a + sin² v/2b)) | cut along a circle |
//! | superquadric | sin u and the like to powers e as s (s² + ε)^((e−1)/2), ε = 10⁻³⁰ | all eight octants |
//! | edge | m + (1 − u²)(x(v) − m) + h u n | a thin body with this rim: m is its middle, n across it, h small |
//!
//! Infinite surfaces are cut to what the motion needs: `reach` has the points of contact along it, in the axes of the surface.

use crate::functions::Functions;
use crate::marching::{self, Level};
use crate::mesh::{Grid, Mesh, Ruler, unit};
use crate::solids::{CHECKS, LENS_CHECKS, MERIDIAN, ROUND, lens_ruler, rim_and_spokes};
use polhode_expr::number::{int, parse_decimal, ratio};
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::dense::{self, V, add_scaled, cross, norm};
use polhode_geometry::{Boundary, Curve, Edge, Mat3, Placement, Profile, Shape, Side, Surface, Vec3};
use polhode_model::ContactSide;
use std::f64::consts::{PI, TAU};

/// Vertices along a line of an infinite surface.
const LINE: usize = 33;

/// Half the thickness of a thin body with a rim, in parts of its radius.
const THIN: (i64, i64) = (1, 40);

/// What a motion needs of a surface.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// The points of contact, in the axes of the side.
    pub(crate) points: Vec<V>,
    /// How far beyond them it is drawn.
    pub(crate) margin: f64,
}

impl Reach {
    /// The points in the axes of a surface.
    fn in_axes(&self, f: &Functions, placement: Option<&Placement>) -> Reach {
        let Some((q, t)) = placement.and_then(|p| Some((f.matrix(&p.rotation)?, f.vector(&p.translation)?))) else {
            return self.clone();
        };
        let back = dense::transpose(&q);
        let points = self.points.iter().map(|p| dense::mat_vec(&back, &add_scaled(p, -1.0, &t))).collect();
        Reach { points, margin: self.margin }
    }

    fn range(&self, along: impl Fn(&V) -> f64) -> Option<[f64; 2]> {
        let mut values = self.points.iter().map(along).filter(|x| x.is_finite());
        let first = values.next()?;
        Some(values.fold([first; 2], |[low, high], x| [low.min(x), high.max(x)]))
    }
}

/// A chart with the part that is drawn.
struct Sheet {
    parameters: [Symbol; 2],
    x: Vec3,
    u: Ruler,
    v: Ruler,
    side: f64,
    checks: [usize; 2],
}

/// The mesh of a side of a contact, with the faces at the ends of a cylinder. `standing` is where ground at rest stands.
pub(crate) fn side_meshes(
    f: &mut Functions,
    side: &ContactSide,
    standing: Option<(Mat3, Vec3)>,
    reach: &Reach,
) -> Vec<Mesh> {
    let surface = match side.boundary {
        Boundary::Surface(surface) => surface,
        Boundary::Edge(edge) => return thin_body(f, &edge).into_iter().collect(),
    };
    let surface = match standing {
        Some((rotation, position)) => surface.placed(&mut f.graph, rotation, position),
        None => surface,
    };
    if let Shape::Implicit { .. } = surface.shape {
        return implicit(f, &surface, side.size, reach).into_iter().collect();
    }
    let own = reach.in_axes(f, surface.placement.as_ref());
    let body = standing.is_none() && matches!(side.owner, polhode_model::Owner::Body(_));
    let Some((sheet, caps)) = chart(f, &surface, side, &own, body) else { return Vec::new() };
    std::iter::once(sheet).chain(caps).filter_map(|s| mesh_of(f, &s)).collect()
}

/// The mesh of a surface that a drawing gives by its parameters.
pub(crate) fn drawn(f: &mut Functions, parameters: [Symbol; 2], x: Vec3, u: [f64; 2], v: [f64; 2]) -> Option<Mesh> {
    let (u, v) = closing(f, parameters, &x, [u, v])?;
    mesh_of(f, &Sheet { parameters, x, u, v, side: 1.0, checks: CHECKS })
}

fn mesh_of(f: &mut Functions, sheet: &Sheet) -> Option<Mesh> {
    let g = &mut f.graph;
    let mut outputs = sheet.x.to_vec();
    for s in sheet.parameters {
        outputs.extend(sheet.x.map(|e| g.derivative(e, s)));
    }
    let mut function = f.function(&sheet.parameters, &outputs).ok()?;
    let at = |u: f64, v: f64| {
        let y = function.at(&[u, v]);
        std::array::from_fn(|k| std::array::from_fn(|i| y[3 * k + i]))
    };
    let mut mesh = Mesh::on_grid(sheet.u, sheet.v, sheet.side, sheet.checks, at);
    let (tape, depends) = (f.tape(&sheet.parameters, &sheet.x).ok()?, f.depends(&sheet.x));
    mesh.grid = Some(Grid { tape, u: sheet.u, v: sheet.v, side: sheet.side, depends });
    (!mesh.triangles.is_empty()).then_some(mesh)
}

fn chart(
    f: &mut Functions,
    surface: &Surface,
    of: &ContactSide,
    reach: &Reach,
    body: bool,
) -> Option<(Sheet, Vec<Sheet>)> {
    let parameters = ["u of a mesh", "v of a mesh"].map(|n| f.graph.symbol(n));
    let mut side = if surface.side == Side::Inside { -1.0 } else { 1.0 };
    let mut checks = CHECKS;
    let poles = Ruler::open(0.0, PI, MERIDIAN);
    let (mut u, mut v) = (poles, Ruler::round(ROUND));
    let place = |g: &mut Graph, own: Vec3| surface.placement.map_or(own, |p| p.point(g, &own));
    let mut caps = Vec::new();
    let x = match surface.shape {
        Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Spheroid { .. } => {
            surface.point(&mut f.graph, parameters).ok()?
        }
        Shape::Torus { .. } => {
            u = Ruler::round(MERIDIAN - 1);
            checks = [4, 16];
            surface.point(&mut f.graph, parameters).ok()?
        }
        Shape::Plane => {
            (u, v) = plane(reach);
            checks = [1, 1];
            surface.point(&mut f.graph, parameters).ok()?
        }
        Shape::Cylinder { radius } => {
            let r = f.value(radius)?;
            let [low, high] = match of.length.and_then(|l| f.value(l)) {
                Some(length) => [-length / 2.0, length / 2.0],
                None if body => {
                    let most = reach.range(|p| p[2].abs()).map_or(0.0, |[_, m]| m) + 3.0 * r;
                    [-most, most]
                }
                None => reach.range(|p| p[2]).map_or([-r, r], |[a, b]| [a - reach.margin, b + reach.margin]),
            };
            (u, v) = (Ruler::round(ROUND), Ruler::open(low, high, LINE));
            checks = [8, 4];
            if body && side > 0.0 {
                caps = [low, high].iter().filter_map(|z| cap(&mut f.graph, surface, parameters, radius, *z)).collect();
            }
            surface.point(&mut f.graph, parameters).ok()?
        }
        Shape::Cone { .. } => {
            let far = reach.range(norm).map_or(0.0, |[_, m]| m) + reach.margin;
            (u, v) = (Ruler::round(ROUND), Ruler::open(0.0, far, LINE));
            checks = [8, 4];
            surface.point(&mut f.graph, parameters).ok()?
        }
        Shape::Paraboloid { a, b } => {
            let far = reach.range(|p| p[0].hypot(p[1])).map_or(0.0, |[_, m]| m) + reach.margin;
            u = Ruler::open(0.0, far, MERIDIAN);
            // here the normal of the chart is up, and that of the shape down
            side = -side;
            let g = &mut f.graph;
            let [radius, angle] = parameters.map(|s| g.var(s));
            let (s, c) = (g.sin(angle), g.cos(angle));
            let (x, y) = (g.mul(radius, c), g.mul(radius, s));
            let parts = [(x, a), (y, b)].map(|(x, a)| {
                let square = g.powi(x, 2);
                g.div(square, a)
            });
            let height = g.linear(parts.map(|p| (p, ratio(1, 2))));
            place(g, [x, y, height])
        }
        Shape::Superquadric { a, b, c, e1, e2 } => {
            let own = superquadric(&mut f.graph, parameters, [a, b, c], [e1, e2])?;
            place(&mut f.graph, own)
        }
        Shape::Revolution(profile) => {
            let along = profile_ruler(f, &profile, of.domain, reach)?;
            (u, v) = (Ruler::round(ROUND), along);
            checks = [8, 4];
            surface.point(&mut f.graph, parameters).ok()?
        }
        Shape::Parametric { .. } => {
            let x = surface.point(&mut f.graph, parameters).ok()?;
            let domain = of.domain.unwrap_or([[-PI, PI]; 2]);
            (u, v) = closing(f, parameters, &x, domain)?;
            x
        }
        Shape::Implicit { .. } => return None,
    };
    Some((Sheet { parameters, x, u, v, side, checks }, caps))
}

/// A square about the points of contact.
fn plane(reach: &Reach) -> (Ruler, Ruler) {
    let [x, y] = [0, 1].map(|k| reach.range(|p| p[k]).unwrap_or([0.0; 2]));
    let half = (x[1] - x[0]).max(y[1] - y[0]) / 2.0 + reach.margin;
    let about = |[low, high]: [f64; 2]| {
        let middle = (low + high) / 2.0;
        Ruler::open(middle - half, middle + half, 2)
    };
    (about(x), about(y))
}

/// The face of a cylinder at a height, outward along its axis.
fn cap(g: &mut Graph, surface: &Surface, parameters: [Symbol; 2], radius: Expr, z: f64) -> Option<Sheet> {
    let [u, v] = parameters.map(|s| g.var(s));
    let (s, c, rho) = (g.sin(v), g.cos(v), g.mul(radius, u));
    let own = [g.mul(rho, c), g.mul(rho, s), constant(g, z)?];
    let x = surface.placement.map_or(own, |p| p.point(g, &own));
    let side = if z > 0.0 { 1.0 } else { -1.0 };
    Some(Sheet { parameters, x, u: Ruler::open(0.0, 1.0, 5), v: Ruler::round(ROUND), side, checks: [1, 8] })
}

/// A number of an expression with the digits of a double.
fn constant(g: &mut Graph, x: f64) -> Option<Expr> {
    let number = parse_decimal(&format!("{x:e}"))?;
    Some(g.number(number))
}

/// (a s(u) c(v), b s(u) s(v), c c(u)), with s and c to the powers e₁ in u and e₂ in v.
fn superquadric(g: &mut Graph, parameters: [Symbol; 2], axes: Vec3, [e1, e2]: [Expr; 2]) -> Option<Vec3> {
    let tiny = parse_decimal("1e-30")?;
    let power = |g: &mut Graph, s: Expr, e: Expr| {
        let square = g.powi(s, 2);
        let (less, tiny) = (g.number(int(-1)), g.number(tiny.clone()));
        let (positive, less) = (g.add(square, tiny), g.add(e, less));
        let half = g.scale(less, &ratio(1, 2));
        let factor = g.power(positive, half);
        g.mul(s, factor)
    };
    let [u, v] = parameters.map(|s| g.var(s));
    let (su, cu, sv, cv) = (g.sin(u), g.cos(u), g.sin(v), g.cos(v));
    let (su, cu, sv, cv) = (power(g, su, e1), power(g, cu, e1), power(g, sv, e2), power(g, cv, e2));
    Some([g.product([axes[0], su, cv]), g.product([axes[1], su, sv]), g.mul(axes[2], cu)])
}

/// The part of a profile that is drawn.
fn profile_ruler(f: &mut Functions, profile: &Profile, domain: Option<[[f64; 2]; 2]>, reach: &Reach) -> Option<Ruler> {
    match *profile {
        Profile::Radius { z, rho } => {
            if let Some([_, [low, high]]) = domain {
                return Some(Ruler::open(low, high, 2 * LINE - 1));
            }
            let mut radius = f.function(&[z], &[rho]).ok()?;
            let [low, high] = reach.range(|p| p[2])?;
            let widths = reach.range(|p| p[0].hypot(p[1]))?;
            let wide = 1.6 * widths[1].max(reach.margin / 4.0);
            let narrow = 0.3 * widths[0];
            let step = (widths[1] + (high - low)) / 400.0;
            let mut drawn = |z: f64| {
                let rho = radius.at(&[z])[0];
                rho.is_finite() && rho <= wide && rho >= 0.0
            };
            let mut ends = [low, high];
            for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
                let first = *end;
                while drawn(*end + sign * step) && (*end - first).abs() < 3.0 * wide {
                    *end += sign * step;
                }
                // where it closes, or becomes too wide
                let mut bit = step;
                for _ in 0..60 {
                    bit /= 2.0;
                    if drawn(*end + sign * bit) {
                        *end += sign * bit;
                    }
                }
            }
            let mut narrowed = ends;
            // a funnel that never closes is cut where it is narrow
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                let closes =
                    radius.at(&[ends[k]])[0] < 1e-3 * widths[1] && (ends[k] - [low, high][k]).abs() < 2.9 * wide;
                while !closes && radius.at(&[narrowed[k]])[0] < narrow && narrowed[0] < low && narrowed[1] > high {
                    narrowed[k] += sign * step;
                }
            }
            Some(Ruler::open(narrowed[0], narrowed[1], 2 * LINE - 1))
        }
        Profile::Curve { s, rho, z } => {
            let count = 2 * LINE - 1;
            if let Some([_, [low, high]]) = domain {
                return Some(Ruler::open(low, high, count));
            }
            let mut curve = f.function(&[s], &[rho, z]).ok()?;
            const PARTS: usize = 720;
            let angle = |k: usize| TAU * k as f64 / PARTS as f64;
            let fine: Vec<bool> = (0..PARTS)
                .map(|k| curve.at(&[angle(k)]).iter().all(|x| x.is_finite()) && curve.at(&[angle(k)])[0] > 1e-9)
                .collect();
            if fine.iter().all(|x| *x) {
                let meets = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
                let first = curve.at(&[0.0]).to_vec();
                let closed = meets(&first, curve.at(&[TAU]));
                return Some(Ruler { from: 0.0, to: TAU, count, closed });
            }
            // the longest run of points off the axis, all round
            let start = fine.iter().position(|x| !x)?;
            let (mut best, mut run) = ((0, 0), 0);
            for k in 1..=PARTS {
                if fine[(start + k) % PARTS] {
                    run += 1;
                    if run > best.1 {
                        best = (start + k + 1 - run, run);
                    }
                } else {
                    run = 0;
                }
            }
            let (from, to) = (angle(best.0), angle(best.0 + best.1 - 1));
            // out to the axis
            let mut ends = [from, to];
            for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
                let mut bit = TAU / PARTS as f64;
                for _ in 0..60 {
                    bit /= 2.0;
                    let next = *end + sign * bit;
                    if curve.at(&[next])[0] >= 0.0 {
                        *end = next;
                    }
                }
            }
            (best.1 > 1).then(|| Ruler::open(ends[0], ends[1], count))
        }
    }
}

/// Rulers of a chart over a domain: closed where its ends meet, and half as long where it covers the surface twice.
fn closing(f: &mut Functions, parameters: [Symbol; 2], x: &Vec3, domain: [[f64; 2]; 2]) -> Option<(Ruler, Ruler)> {
    let mut point = f.function(&parameters, x).ok()?;
    let mut at = |u: f64, v: f64| -> V { std::array::from_fn(|k| point.at(&[u, v])[k]) };
    let [[u0, u1], [v0, v1]] = domain;
    const TRIED: [f64; 5] = [0.13, 0.29, 0.47, 0.71, 0.93];
    let part = |[a, b]: [f64; 2], k: f64| a + (b - a) * k;
    let size = TRIED
        .iter()
        .flat_map(|p| TRIED.map(|q| (*p, q)))
        .map(|(p, q)| norm(&at(part(domain[0], p), part(domain[1], q))));
    let size = size.filter(|x| x.is_finite()).fold(0.0, f64::max);
    let same = |a: V, b: V| norm(&add_scaled(&a, -1.0, &b)) < 1e-9 * size;
    let closed = [
        TRIED.iter().all(|q| same(at(u0, part(domain[1], *q)), at(u1, part(domain[1], *q)))),
        TRIED.iter().all(|p| same(at(part(domain[0], *p), v0), at(part(domain[0], *p), v1))),
    ];
    let (mut u, mut v) = (
        Ruler { from: u0, to: u1, count: if closed[0] { ROUND } else { LINE }, closed: closed[0] },
        Ruler { from: v0, to: v1, count: if closed[1] { ROUND } else { LINE }, closed: closed[1] },
    );
    if closed == [true, true] && u1 - u0 == v1 - v0 {
        let half = (u1 - u0) / 2.0;
        // the point opposite across the pole: (−u, v + π)
        let pairs: Vec<(f64, f64)> = TRIED.iter().flat_map(|p| TRIED.map(|q| (half * p, part(domain[1], q)))).collect();
        if pairs.iter().all(|(a, b)| same(at(*a, *b), at(-a, b + half))) {
            u = Ruler::open(0.0, half, MERIDIAN);
        } else if pairs.iter().all(|(a, b)| same(at(*b, *a), at(b + half, -a))) {
            v = Ruler::open(0.0, half, MERIDIAN);
        }
    }
    Some((u, v))
}

/// A thin body with this edge as its rim, with spokes.
fn thin_body(f: &mut Functions, edge: &Edge) -> Option<Mesh> {
    let parameters = ["u of a mesh", "v of a mesh"].map(|n| f.graph.symbol(n));
    let g = &mut f.graph;
    let (curve, middle, across, half) = match edge.curve {
        Curve::Circle { radius } => {
            let v = g.var(parameters[1]);
            let (s, c, zero) = (g.sin(v), g.cos(v), g.zero());
            let x = [g.mul(radius, c), g.mul(radius, s), zero];
            (x, [zero; 3], [zero, zero, g.one()], g.scale(radius, &ratio(THIN.0, THIN.1)))
        }
        Curve::Given { parameter, x } => {
            let v = g.var(parameters[1]);
            let x = g.substitute_all(&x, &[(parameter, v)].into_iter().collect());
            let x = [x[0], x[1], x[2]];
            let mut point = f.function(&parameters[1..], &x).ok()?;
            let points: Vec<V> = (0..ROUND)
                .map(|k| TAU * k as f64 / ROUND as f64)
                .map(|s| std::array::from_fn(|i| point.at(&[s])[i]))
                .collect();
            let middle: V = std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / ROUND as f64);
            let from = |k: usize| add_scaled(&points[k % ROUND], -1.0, &middle);
            let area = (0..ROUND).fold([0.0; 3], |sum, k| add_scaled(&sum, 1.0, &cross(&from(k), &from(k + 1))));
            let normal = unit(&area).unwrap_or([0.0, 0.0, 1.0]);
            let radius = (0..ROUND).map(|k| norm(&from(k))).fold(f64::INFINITY, f64::min);
            let g = &mut f.graph;
            let mut numbers = |v: V| -> Option<Vec3> {
                let [a, b, c] = v.map(|c| constant(g, c));
                Some([a?, b?, c?])
            };
            let (middle, normal) = (numbers(middle)?, numbers(normal)?);
            let half = radius * THIN.0 as f64 / THIN.1 as f64;
            (x, middle, normal, constant(g, half)?)
        }
    };
    let g = &mut f.graph;
    let u = g.var(parameters[0]);
    let (square, one) = (g.powi(u, 2), g.one());
    let (shrink, rise) = (g.sub(one, square), g.mul(u, half));
    let own: Vec3 = std::array::from_fn(|k| {
        let out = g.sub(curve[k], middle[k]);
        let (out, up) = (g.mul(shrink, out), g.mul(rise, across[k]));
        g.sum([middle[k], out, up])
    });
    let x = edge.placement.map_or(own, |p| p.point(g, &own));
    let sheet = Sheet { parameters, x, u: lens_ruler(), v: Ruler::round(ROUND), side: -1.0, checks: LENS_CHECKS };
    let mut mesh = mesh_of(f, &sheet)?;
    mesh.lines = rim_and_spokes();
    Some(mesh)
}

/// f and ∇f as functions.
struct Implicit {
    value: crate::functions::Function,
    gradient: crate::functions::Function,
}

impl Level for Implicit {
    fn value(&mut self, x: &V) -> f64 {
        self.value.at(x)[0]
    }

    fn gradient(&mut self, x: &V) -> V {
        let y = self.gradient.at(x);
        [y[0], y[1], y[2]]
    }
}

fn implicit(f: &mut Functions, surface: &Surface, size: Option<f64>, reach: &Reach) -> Option<Mesh> {
    let at = ["x of a mesh", "y of a mesh", "z of a mesh"].map(|n| f.graph.symbol(n));
    let level = surface.level(&mut f.graph, at).ok()?;
    let gradient = at.map(|s| f.graph.derivative(level, s));
    let centre = surface.placement.and_then(|p| f.vector(&p.translation)).unwrap_or_default();
    let far = reach.points.iter().map(|p| norm(&add_scaled(p, -1.0, &centre))).filter(|x| x.is_finite());
    let far = far.fold(size.unwrap_or(0.0), f64::max);
    let far = if far > 0.0 { far } else { 1.0 };
    let mut level = Implicit { value: f.function(&at, &[level]).ok()?, gradient: f.function(&at, &gradient).ok()? };
    let mesh = marching::surface(&mut level, &centre, far);
    (!mesh.triangles.is_empty()).then_some(mesh)
}
