//! Curvatures against closed forms, and curves on surfaces.

use crate::common;
use common::*;
use polhode_base::random::Random;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph};
use polhode_geometry::curvature::*;
use polhode_geometry::linear::*;
use polhode_geometry::numeric::Principal;
use polhode_geometry::*;

/// The curvatures of the equation at the point (u, v) of the chart, and the chart.
fn on_chart(g: &mut Graph, surface: &Surface) -> (Curvatures, Chart) {
    let (uv, c) = (parameters(g), point(g));
    let (implicit, chart) = (surface.implicit(g, c).unwrap(), surface.chart(g, uv).unwrap());
    let k = Curvatures::new(g, &implicit.shape, &implicit.normal);
    let moved = at(g, c, &[k.mean, k.gauss, k.principal[0], k.principal[1]], &chart.position);
    let k = Curvatures { mean: moved[0], gauss: moved[1], principal: [moved[2], moved[3]] };
    let by_chart = Curvatures::new(g, &chart.shape, &chart.normal);
    same(g, "mean", k.mean, by_chart.mean);
    same(g, "Gauss", k.gauss, by_chart.gauss);
    // −(GD − 2FD′ + ED″)/2H² and (DD″ − D′²)/H²
    let ([e, f, h], [d, d1, d2]) = (chart.first, chart.second);
    let parts = [g.mul(h, d), g.mul(f, d1), g.mul(e, d2)];
    let above = g.linear([(parts[0], ratio(-1, 2)), (parts[1], ratio(1, 1)), (parts[2], ratio(-1, 2))]);
    let square = g.powi(chart.area, 2);
    let mean = g.div(above, square);
    same(g, "mean by the forms", k.mean, mean);
    let det = det2(g, &[[d, d1], [d1, d2]]);
    let gauss = g.div(det, square);
    same(g, "Gauss by the forms", k.gauss, gauss);
    (k, chart)
}

/// Mean and Gauss of given principal curvatures, in any order.
fn expect(g: &mut Graph, what: &str, k: &Curvatures, wanted: [Expr; 2]) {
    let (sum, product) = (g.add(wanted[0], wanted[1]), g.mul(wanted[0], wanted[1]));
    let mean = g.scale(sum, &ratio(1, 2));
    same(g, what, k.mean, mean);
    same(g, what, k.gauss, product);
    let (total, both) = (g.add(k.principal[0], k.principal[1]), g.mul(k.principal[0], k.principal[1]));
    same(g, what, total, sum);
    same(g, what, both, product);
}

#[test]
fn closed_forms() {
    let mut g = Graph::new();
    let [u, v] = parameters(&mut g).map(|s| g.var(s));
    let (zero, one) = (g.zero(), g.one());
    let shapes = shapes(&mut g);
    let shape = |name: &str| shapes.iter().find(|(n, _)| *n == name).unwrap().1;
    let [a, b, c, r] = ["a", "b", "c", "r"].map(|n| positive(&mut g, n));
    let minor = positive(&mut g, "minor");

    let (k, _) = on_chart(&mut g, &shape("plane"));
    assert_eq!((k.mean, k.gauss), (zero, zero));

    let (k, _) = on_chart(&mut g, &shape("sphere"));
    let inverse = g.powi(r, -1);
    expect(&mut g, "sphere", &k, [inverse, inverse]);
    same(&mut g, "sphere, k₁", k.principal[0], inverse);
    same(&mut g, "sphere, k₂", k.principal[1], inverse);

    let (k, _) = on_chart(&mut g, &shape("cylinder"));
    expect(&mut g, "cylinder", &k, [inverse, zero]);
    same(&mut g, "cylinder, k₁", k.principal[0], inverse);

    let (k, _) = on_chart(&mut g, &shape("torus"));
    let (s, major) = (g.sin(u), g.add(minor, a));
    let out = g.mul(minor, s);
    let rho = g.add(major, out);
    let (across, along) = (g.powi(minor, -1), g.div(s, rho));
    expect(&mut g, "torus", &k, [across, along]);
    same(&mut g, "torus, k₁", k.principal[0], across);

    let (k, _) = on_chart(&mut g, &shape("cone"));
    let half = g.scale(r, &ratio(1, 2));
    let slope = g.tan(half);
    let below = g.mul(v, slope);
    let inverse = g.powi(below, -1);
    expect(&mut g, "cone", &k, [inverse, zero]);

    // Ellipsoid: with h = (x²/a⁴ + y²/b⁴ + z²/c⁴)^(−1/2), K = h⁴/(abc)², M = h³(a² + b² + c² − |x|²)/2(abc)².
    let (k, chart) = on_chart(&mut g, &shape("ellipsoid"));
    let (squares, fourths) = ([a, b, c].map(|x| g.powi(x, 2)), [a, b, c].map(|x| g.powi(x, -4)));
    let xx = chart.position.map(|x| g.powi(x, 2));
    let level = dot(&mut g, &xx, &fourths);
    let volume = g.product(squares);
    let root = g.sqrt(level);
    let (h3, h4) = (g.powi(root, -3), g.powi(level, -2));
    let gauss = g.div(h4, volume);
    same(&mut g, "ellipsoid K", k.gauss, gauss);
    let (sum, far) = (g.sum(squares), g.sum(xx));
    let rest = g.sub(sum, far);
    let above = g.mul(h3, rest);
    let mean = g.div(above, volume);
    let mean = g.scale(mean, &ratio(1, 2));
    same(&mut g, "ellipsoid M", k.mean, mean);

    // Paraboloid: K = 1/(ab (1 + x²/a² + y²/b²)²).
    let (k, _) = on_chart(&mut g, &shape("paraboloid"));
    let (p, q) = (g.div(v, a), g.div(u, b));
    let (pp, qq) = (g.powi(p, 2), g.powi(q, 2));
    let w = g.sum([one, pp, qq]);
    let ww = g.powi(w, 2);
    let below = g.product([a, b, ww]);
    let gauss = g.powi(below, -1);
    same(&mut g, "paraboloid K", k.gauss, gauss);

    // Revolution: 1/(ρ√(1 + ρ′²)) along the parallels, −ρ″/(1 + ρ′²)^{3/2} along the meridians; ρ = a(1 + z²).
    let (k, _) = on_chart(&mut g, &shape("revolution"));
    let vv = g.powi(v, 2);
    let sum = g.add(one, vv);
    let rho = g.mul(a, sum);
    let (slope, bend) = (g.product([a, v]), g.scale(a, &ratio(-2, 1)));
    let slope = g.scale(slope, &ratio(2, 1));
    let ss = g.powi(slope, 2);
    let w = g.add(one, ss);
    let w = g.sqrt(w);
    let below = g.mul(rho, w);
    let (parallel, www) = (g.powi(below, -1), g.powi(w, 3));
    let meridian = g.div(bend, www);
    expect(&mut g, "revolution", &k, [parallel, meridian]);
}

/// A meridian left open, ρ = rho(z): the forms are those of the textbook, E = ρ², G = 1 + ρ′².
#[test]
fn open_meridian() {
    let mut g = Graph::new();
    let (uv, z) = (parameters(&mut g), g.symbol("z"));
    let function = g.function("rho");
    let height = g.var(z);
    let rho = g.apply(function, vec![height]);
    let surface: Surface = Shape::Revolution(Profile::Radius { z, rho }).into();
    let chart = surface.chart(&mut g, uv).unwrap();
    let v = g.var(uv[1]);
    let rho = g.apply(function, vec![v]);
    let slope = g.derivative(rho, uv[1]);
    let bend = g.derivative(slope, uv[1]);
    let (square, one) = (g.powi(slope, 2), g.one());
    let step = g.add(one, square);
    let e = g.powi(rho, 2);
    assert_eq!(chart.first, [e, g.zero(), step]);
    let k = Curvatures::new(&mut g, &chart.shape, &chart.normal);
    let below = g.powi(step, 2);
    let below = g.mul(below, rho);
    let gauss = g.div(bend, below);
    let gauss = g.neg(gauss);
    let closed = g.with_stand_ins(&[k.gauss, gauss]);
    same(&mut g, "K = −ρ″/(ρ(1 + ρ′²)²)", closed[0], closed[1]);
}

/// S t₁ = k₁ t₁, S t₂ = k₂ t₂ and t·St = 0 in the asymptotic directions, symbolically on a saddle.
#[test]
fn principal_and_asymptotic_directions() {
    let mut g = Graph::new();
    let uv = parameters(&mut g);
    let [a, b] = ["a", "b"].map(|n| positive(&mut g, n));
    let minus = g.neg(b);
    let saddle: Surface = Shape::Paraboloid { a, b: minus }.into();
    let chart = saddle.chart(&mut g, uv).unwrap();
    let k = Curvatures::new(&mut g, &chart.shape, &chart.normal);
    let t = principal_directions(&mut g, &chart.shape, &chart.normal, &chart.frame[0]);
    for i in 0..2 {
        let (image, wanted) = (mat_vec(&mut g, &chart.shape, &t[i]), scale(&mut g, k.principal[i], &t[i]));
        same_all(&mut g, "S t = k t", &image, &wanted);
    }
    let n = cross(&mut g, &t[0], &t[1]);
    same_all(&mut g, "right-handed", &n, &chart.normal);
    let (zero, one) = (g.zero(), g.one());
    for w in asymptotic_directions(&mut g, &k.principal, &t) {
        let image = mat_vec(&mut g, &chart.shape, &w);
        let (bend, length) = (dot(&mut g, &w, &image), dot(&mut g, &w, &w));
        same(&mut g, "t·St = 0", bend, zero);
        same(&mut g, "unit", length, one);
    }
    // Without a frame: a tangent vector from a hint.
    let hint = [zero, one, zero];
    let t = tangent(&mut g, &chart.normal, &hint);
    let (across, length) = (dot(&mut g, &t, &chart.normal), dot(&mut g, &t, &t));
    same(&mut g, "tangent", across, zero);
    same(&mut g, "unit", length, one);
}

/// Principal curvatures keep their digits next to an umbilic, where M² − K has lost them.
#[test]
fn nearly_umbilic() {
    let mut g = Graph::new();
    let c = point(&mut g);
    let (a, one) = (g.symbol("a"), g.one());
    let ea = g.var(a);
    let surface: Surface = Shape::Paraboloid { a: ea, b: one }.into();
    let implicit = surface.implicit(&mut g, c).unwrap();
    let k = Curvatures::new(&mut g, &implicit.shape, &implicit.normal);
    let gap = 1e-10;
    let with = [(a, 1.0 + gap), (c[0], 0.0), (c[1], 0.0), (c[2], 0.0)];
    let v = values(&g, &[k.principal[0], k.principal[1], k.mean, k.gauss], &with);
    let wanted = gap / (1.0 + gap);
    near("k₁ − k₂", (v[0] - v[1]) / wanted, 1.0, 1e-5);
    assert!((2.0 * (v[2] * v[2] - v[3]).abs().sqrt() / wanted - 1.0).abs() > 0.01, "the naive form fails here");
}

/// Doubles and expressions agree, at random points of an ellipsoid.
#[test]
fn numeric_principal_directions() {
    let mut g = Graph::new();
    let (uv, c) = (parameters(&mut g), point(&mut g));
    let [a, b, cc] = ["a", "b", "c"].map(|n| positive(&mut g, n));
    let surface: Surface = Shape::Ellipsoid { a, b, c: cc }.into();
    let (implicit, chart) = (surface.implicit(&mut g, c).unwrap(), surface.chart(&mut g, uv).unwrap());
    let k = Curvatures::new(&mut g, &implicit.shape, &implicit.normal);
    let mut roots: Vec<Expr> = implicit.normal.to_vec();
    roots.extend(implicit.shape.iter().flatten());
    roots.extend(k.principal);
    let names = ["a", "b", "c"].map(|n| g.find_symbol(n).unwrap());
    let mut random = Random::new(5);
    for _ in 0..20 {
        let mut with: Vec<_> = names.iter().map(|s| (*s, random.short(0.5, 2.0))).collect();
        with.extend([(uv[0], random.short(0.1, 3.0)), (uv[1], random.short(-3.0, 3.0))]);
        let x = values(&g, &chart.position, &with);
        with.extend(c.into_iter().zip(x));
        let v = values(&g, &roots, &with);
        let n = [v[0], v[1], v[2]];
        let s: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| v[3 + 3 * i + j]));
        let p = Principal::new(&n, &s);
        for i in 0..2 {
            near("k", p.curvatures[i], v[12 + i], 1e-12);
            let t = p.directions[i];
            for row in 0..3 {
                let image: f64 = (0..3).map(|j| s[row][j] * t[j]).sum();
                near("S t", image, p.curvatures[i] * t[row], 1e-12);
            }
        }
        assert_eq!(p.asymptotic_directions(), None, "an ellipsoid has none");
    }
    let saddle = Principal::new(&[0.0, 0.0, 1.0], &[[1.0, 0.5, 0.0], [0.5, -3.0, 0.0], [0.0; 3]]);
    for t in saddle.asymptotic_directions().unwrap() {
        near("t·St", t[0] * t[0] + t[0] * t[1] - 3.0 * t[1] * t[1], 0.0, 1e-15);
        near("unit", t.iter().map(|x| x * x).sum(), 1.0, 1e-15);
    }
}

/// κ_g of coordinate lines by three formulas; great circles are geodesics, parallels have cot u/r.
#[test]
fn geodesic_curvature_of_lines() {
    let mut g = Graph::new();
    let uv = parameters(&mut g);
    let (zero, one) = (g.zero(), g.one());
    for (name, surface) in shapes(&mut g).into_iter().filter(|(n, _)| !n.starts_with("superquadric")) {
        let chart = surface.chart(&mut g, uv).unwrap();
        let lines = chart.geodesic_curvatures(&mut g);
        for (i, w) in [[one, zero], [zero, one]].into_iter().enumerate() {
            let (velocity, acceleration) = (chart.velocity(&mut g, &w), chart.acceleration(&mut g, &w, &[zero, zero]));
            let bent = geodesic_curvature(&mut g, &chart.normal, &velocity, &acceleration);
            same(&mut g, name, lines[i], bent);
            // The acceleration across the surface is the normal curvature.
            let up = dot(&mut g, &acceleration, &chart.normal);
            let square = dot(&mut g, &velocity, &velocity);
            let towards = g.div(up, square);
            let k = normal_curvature(&mut g, &chart.shape, &velocity);
            same(&mut g, name, k, towards);
        }
        let gamma = chart.connection(&mut g);
        let by_frame = g.div(gamma[0], chart.root_e);
        same(&mut g, name, lines[0], by_frame);
    }
    let r = positive(&mut g, "r");
    let sphere = Surface::from(Shape::Sphere { radius: r }).chart(&mut g, uv).unwrap();
    let [meridian, parallel] = sphere.geodesic_curvatures(&mut g);
    let u = g.var(uv[0]);
    let tan = g.tan(u);
    let below = g.mul(r, tan);
    let wanted = g.powi(below, -1);
    same(&mut g, "meridian", meridian, zero);
    same(&mut g, "parallel", parallel, wanted);
}

/// Gauss–Bonnet: ∫ K dA = 4π over an ellipsoid and 0 over a torus.
#[test]
fn gauss_bonnet() {
    use std::f64::consts::PI;
    let mut g = Graph::new();
    let uv = parameters(&mut g);
    let [a, b, c] = [2, 3, 5].map(|n| g.int(n));
    let ellipsoid = Surface::from(Shape::Ellipsoid { a, b, c }).chart(&mut g, uv).unwrap();
    let torus = Surface::from(Shape::Torus { major: c, minor: a }).chart(&mut g, uv).unwrap();
    for (chart, turn, wanted) in [(ellipsoid, PI, 4.0 * PI), (torus, 2.0 * PI, 0.0)] {
        let k = Curvatures::new(&mut g, &chart.shape, &chart.normal);
        let integrand = g.mul(k.gauss, chart.area);
        let (mut total, n) = (0.0, 40);
        for (u, weight) in gauss_legendre(n, 0.0, turn) {
            for j in 0..n {
                let v = 2.0 * PI * j as f64 / n as f64;
                total += values(&g, &[integrand], &[(uv[0], u), (uv[1], v)])[0] * weight * 2.0 * PI / n as f64;
            }
        }
        near("∫ K dA", total, wanted, 1e-8);
    }
}
