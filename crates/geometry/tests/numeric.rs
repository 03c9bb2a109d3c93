//! Points of surfaces in doubles.

use crate::common;
use common::*;
use polhode_base::random::Random;
use polhode_expr::number::ratio;
use polhode_expr::{Graph, Symbol};
use polhode_geometry::numeric::{NumericError, NumericSurface, Regularity, SurfacePoint};
use polhode_geometry::*;

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// Is each wanted point found, and nothing else?
#[track_caller]
fn found(what: &str, got: &[SurfacePoint], wanted: &[[f64; 3]]) {
    assert_eq!(got.len(), wanted.len(), "{what}: {got:?}");
    for w in wanted {
        assert!(got.iter().any(|p| distance(&p.point, w) < 1e-10), "{what}: {w:?} in {got:?}");
    }
}

fn lengths(g: &mut Graph, names: [&str; 3], x: [f64; 3]) -> ([polhode_expr::Expr; 3], Vec<(Symbol, f64)>) {
    let e = names.map(|n| g.named(n));
    let values = names.iter().zip(x).map(|(n, x)| (g.find_symbol(n).unwrap(), x)).collect();
    (e, values)
}

/// Ellipsoid: c = (a²m₁, b²m₂, c²m₃)/√(a²m₁² + b²m₂² + c²m₃²); in a cavity, the opposite point.
#[test]
fn support_points_of_ellipsoids() {
    let mut g = Graph::new();
    let mut random = Random::new(21);
    for axes in [[2.0, 1.5, 1.0], [0.2, 0.03, 0.02], [10.0, 10.0, 1.0], [5.0, 0.02, 0.01]] {
        let ([a, b, c], values) = lengths(&mut g, ["a", "b", "c"], axes);
        let surface = Surface::from(Shape::Ellipsoid { a, b, c });
        let numeric = NumericSurface::new(&g, &surface, &values).unwrap();
        let cavity = NumericSurface::new(&g, &surface.inside(), &values).unwrap();
        for _ in 0..5 {
            let m = unit(&mut random);
            let scale = (0..3).map(|i| (axes[i] * m[i]).powi(2)).sum::<f64>().sqrt();
            let wanted: [f64; 3] = std::array::from_fn(|i| axes[i] * axes[i] * m[i] / scale);
            let got = numeric.points_with_normal(m.map(|x| 3.0 * x));
            found("ellipsoid", &got, &[wanted]);
            let sharpest = (axes[0] / axes[2]).powi(2);
            assert!(distance(&got[0].normal, &m) < 1e-13 * (1.0 + sharpest));
            found("cavity", &cavity.points_with_normal(m), &[wanted.map(|x| -x)]);
        }
    }
}

/// A torus has two points with a given normal, one of them on the inner side: ±R m_⊥/|m_⊥| + r m.
#[test]
fn support_points_of_a_torus_by_equation_and_by_meridian() {
    let mut g = Graph::new();
    let (major, minor) = (g.int(2), g.number(ratio(1, 2)));
    let torus = Surface::from(Shape::Torus { major, minor });
    let s = g.symbol("s");
    let angle = g.var(s);
    let (sin, cos) = (g.sin(angle), g.cos(angle));
    let out = g.mul(minor, cos);
    let profile = Profile::Curve { s, rho: g.add(major, out), z: g.mul(minor, sin) };
    let by_curve = Surface::from(Shape::Revolution(profile));
    let (numeric, curve) =
        (NumericSurface::new(&g, &torus, &[]).unwrap(), NumericSurface::new(&g, &by_curve, &[]).unwrap());
    let mut random = Random::new(22);
    for _ in 0..6 {
        let m = unit(&mut random);
        let flat = m[0].hypot(m[1]);
        let point =
            |sign: f64| [sign * 2.0 * m[0] / flat + 0.5 * m[0], sign * 2.0 * m[1] / flat + 0.5 * m[1], 0.5 * m[2]];
        found("torus", &numeric.points_with_normal(m), &[point(1.0), point(-1.0)]);
        let got = curve.points_with_normal(m);
        for sign in [1.0, -1.0] {
            assert!(got.iter().any(|p| distance(&p.point, &point(sign)) < 1e-9), "meridian: {got:?}");
        }
        assert!(got.iter().all(|p| p.parameters.is_some() && distance(&p.normal, &m) < 1e-12));
    }
}

/// Where the answer is a line or a plane of points, one of them; where there is none, none.
#[test]
fn support_points_that_are_not_isolated() {
    let mut g = Graph::new();
    let r = g.int(2);
    let plane = NumericSurface::new(&g, &Shape::Plane.into(), &[]).unwrap();
    let got = plane.points_with_normal([0.0, 0.0, 5.0]);
    assert_eq!(got.len(), 1);
    assert!(got[0].point[2].abs() < 1e-14);
    assert!(plane.points_with_normal([0.0, 0.0, -1.0]).is_empty());
    assert!(plane.points_with_normal([0.1, 0.0, 1.0]).is_empty());
    assert!(plane.points_with_normal([0.0; 3]).is_empty());
    assert!(plane.points_with_normal([f64::NAN; 3]).is_empty());
    let cylinder = NumericSurface::new(&g, &Shape::Cylinder { radius: r }.into(), &[]).unwrap();
    let got = cylinder.points_with_normal([0.6, -0.8, 0.0]);
    assert_eq!(got.len(), 1);
    assert!((got[0].point[0] - 1.2).abs() < 1e-12 && (got[0].point[1] + 1.6).abs() < 1e-12);
    assert!(cylinder.points_with_normal([0.6, 0.0, 0.8]).is_empty());
}

/// A surface that is not convex, |x|⁴ = x² + 4/3 y² + 6 z² (Poinsot's, exaggerated): every point found is
/// right, and along z, where the waist is, several are found.
#[test]
fn support_points_of_a_waisted_body() {
    let mut g = Graph::new();
    let at = ["x", "y", "z"].map(|n| g.symbol(n));
    let x = at.map(|s| g.var(s));
    let squares = x.map(|e| g.powi(e, 2));
    let all = g.sum(squares);
    let fourth = g.powi(all, 2);
    let f = g.linear([
        (fourth, ratio(1, 1)),
        (squares[0], ratio(-1, 1)),
        (squares[1], ratio(-4, 3)),
        (squares[2], ratio(-6, 1)),
    ]);
    let surface = Surface::from(Shape::Implicit { at, f });
    let numeric = NumericSurface::new(&g, &surface, &[]).unwrap().with_size(2.0);
    let mut random = Random::new(23);
    for _ in 0..6 {
        let m = unit(&mut random);
        let got = numeric.points_with_normal(m);
        assert!(!got.is_empty());
        for p in &got {
            let [x, y, z] = p.point.map(|x| x * x);
            assert!(((x + y + z).powi(2) - x - 4.0 / 3.0 * y - 6.0 * z).abs() < 1e-11);
            assert!(distance(&p.normal, &m) < 1e-12);
            assert!(matches!(numeric.regularity(p.point), Regularity::Regular(_)));
        }
    }
    let along_x = numeric.points_with_normal([1.0, 0.0, 0.0]);
    assert!(along_x.len() >= 3, "the waist and two bulges: {along_x:?}");
}

/// A placed ellipsoid: the point is Q c + t.
#[test]
fn placed_support_point() {
    let mut g = Graph::new();
    let ([a, b, c], values) = lengths(&mut g, ["a", "b", "c"], [0.2, 0.03, 0.02]);
    let (zero, one, shift) = (g.zero(), g.one(), g.number(ratio(1, 100)));
    // Quarter turn about x, as in a rattleback on its side.
    let minus = g.neg(one);
    let q = [[one, zero, zero], [zero, zero, minus], [zero, one, zero]];
    let surface = Surface::from(Shape::Ellipsoid { a, b, c }).placed(&mut g, q, [zero, zero, shift]);
    let numeric = NumericSurface::new(&g, &surface, &values).unwrap();
    found("placed", &numeric.points_with_normal([0.0, 0.0, -1.0]), &[[0.0, 0.0, 0.01 - 0.03]]);
    found("placed", &numeric.points_with_normal([0.0, 1.0, 0.0]), &[[0.0, 0.02, 0.01]]);
    assert_eq!(numeric.clone().points_with_normal([1.0, 0.0, 0.0])[0].parameters, None);
}

#[test]
fn projections() {
    let mut g = Graph::new();
    let ([a, b, c], values) = lengths(&mut g, ["a", "b", "c"], [2.0, 1.5, 1.0]);
    let ellipsoid = Surface::from(Shape::Ellipsoid { a, b, c });
    let numeric = NumericSurface::new(&g, &ellipsoid, &values).unwrap();
    let uv = parameters(&mut g);
    let chart = ellipsoid.chart(&mut g, uv).unwrap();
    // The nearest of many points of the surface, as an independent bound.
    let mut samples = Vec::new();
    for (i, j) in (0..30 * 60).map(|k| (k / 60, k % 60)) {
        let mut with = values.clone();
        with.extend([(uv[0], (i as f64 + 0.5) * 0.1047), (uv[1], j as f64 * 0.1047)]);
        let x = common::values(&g, &chart.position, &with);
        samples.push([x[0], x[1], x[2]]);
    }
    let mut random = Random::new(24);
    for _ in 0..8 {
        let p: [f64; 3] = std::array::from_fn(|_| random.short(-3.0, 3.0));
        let near = numeric.project(p).unwrap();
        let best = samples.iter().map(|s| distance(s, &p)).fold(f64::MAX, f64::min);
        let got = distance(&near.point, &p);
        assert!(got <= best + 1e-12 && got > best - 0.02, "{got} and {best}");
        // The line from p to its nearest point is along the normal.
        let gap: [f64; 3] = std::array::from_fn(|i| p[i] - near.point[i]);
        let along: f64 = (0..3).map(|i| gap[i] * near.normal[i]).sum();
        assert!((along.abs() - got).abs() < 1e-11);
    }
    // Onto a sphere: p/|p|. A saddle given by parameters: back from a point above it.
    let one = g.one();
    let sphere = NumericSurface::new(&g, &Shape::Sphere { radius: one }.into(), &[]).unwrap();
    let got = sphere.project([0.3, -0.2, 0.6]).unwrap().point;
    assert!(distance(&got, &[0.3 / 0.7, -0.2 / 0.7, 0.6 / 0.7]) < 1e-12);
    let [u, v] = uv.map(|s| g.var(s));
    let z = g.mul(u, v);
    let saddle = Surface::from(Shape::Parametric { parameters: uv, x: [u, v, z] });
    let numeric = NumericSurface::new(&g, &saddle, &[]).unwrap().with_domain([[-2.0, 2.0]; 2]);
    let n = [-0.5, 0.3, 1.0];
    let p: [f64; 3] = std::array::from_fn(|i| [-0.3, 0.5, -0.15][i] + 0.1 * n[i]);
    let got = numeric.project(p).unwrap();
    assert!(distance(&got.point, &[-0.3, 0.5, -0.15]) < 1e-12);
    assert!(matches!(numeric.regularity(got.point), Regularity::Regular(_)));
    assert!(matches!(numeric.regularity_at([0.1, 0.2]), Some(Regularity::Regular(_))));
    let Regularity::Off { distance } = numeric.regularity(p) else { panic!("above the saddle") };
    near("height", distance, 0.1 * n.iter().map(|x| x * x).sum::<f64>().sqrt(), 1e-12);
}

#[test]
fn regular_and_singular_points() {
    let mut g = Graph::new();
    let half_angle = g.number(ratio(1, 2));
    let cone = NumericSurface::new(&g, &Shape::Cone { half_angle }.into(), &[]).unwrap();
    assert_eq!(cone.regularity([0.0; 3]), Regularity::Singular);
    let (s, c) = 0.5f64.sin_cos();
    let Regularity::Regular(at) = cone.regularity([3.0 * s, 0.0, 3.0 * c]) else { panic!("a point of the cone") };
    assert!(distance(&at.normal, &[c, 0.0, -s]) < 1e-15);
    assert!(matches!(cone.regularity([1.0, 0.0, 0.0]), Regularity::Off { distance } if distance > 0.0));
    assert!(matches!(cone.regularity([0.0, 0.1, 1.0]), Regularity::Off { distance } if distance < 0.0));
    assert_eq!(cone.regularity_at([0.0, 0.0]), None, "it has an equation");
    let r = g.named("r");
    let sphere = Surface::from(Shape::Sphere { radius: r });
    let unbound = NumericSurface::new(&g, &sphere, &[]);
    assert!(matches!(unbound, Err(NumericError::NoValue(_))));
    assert!(!unbound.unwrap_err().to_string().is_empty());
    // The pole of a chart is no place to start from.
    let [u, v] = parameters(&mut g).map(|s| g.var(s));
    let (su, cu, sv, cv) = (g.sin(u), g.cos(u), g.sin(v), g.cos(v));
    let x = [g.mul(su, cv), g.mul(su, sv), cu];
    let uv = parameters(&mut g);
    let ball = NumericSurface::new(&g, &Shape::Parametric { parameters: uv, x }.into(), &[]).unwrap();
    assert_eq!(ball.regularity_at([0.0, 0.0]), Some(Regularity::Singular));
    assert!(matches!(ball.regularity_at([1.0, 0.0]), Some(Regularity::Regular(_))));
}
