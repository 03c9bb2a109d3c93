//! Equation and chart of every named surface describe the same thing.

use crate::common;
use common::*;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph};
use polhode_geometry::linear::*;
use polhode_geometry::*;

/// The skew Monge chart (u + v/3, v, h) of z = h(x, y), and its equation.
fn skew_monge(g: &mut Graph) -> (Chart, Implicit) {
    let (uv, at) = (parameters(g), point(g));
    let [u, v] = uv.map(|s| g.var(s));
    let third = g.scale(v, &ratio(1, 3));
    let x = g.add(u, third);
    let height = |g: &mut Graph, x: Expr, y: Expr| {
        let (xx, yyy, xy) = (g.powi(x, 2), g.powi(y, 3), g.mul(x, y));
        g.linear([(xx, ratio(1, 2)), (yyy, ratio(1, 5)), (xy, ratio(-3, 4)), (x, ratio(1, 7))])
    };
    let h = height(g, x, v);
    let chart = Chart::new(g, uv, [x, v, h]);
    let c = at.map(|s| g.var(s));
    let h = height(g, c[0], c[1]);
    let f = g.sub(c[2], h);
    (chart, Implicit::new(g, at, f))
}

/// f(x(u, v)) = 0, ν = n, and S of both is the derivative of n along the chart.
fn agree(g: &mut Graph, name: &str, implicit: &Implicit, chart: &Chart) {
    let (zero, one, c) = (g.zero(), g.one(), implicit.coordinates);
    let f = at(g, c, &[implicit.f], &chart.position)[0];
    same(g, &format!("{name}: f = 0"), f, zero);
    let nu = vector_at(g, c, &implicit.normal, &chart.position);
    same_all(g, &format!("{name}: normal"), &nu, &chart.normal);
    let length = dot(g, &chart.normal, &chart.normal);
    same(g, &format!("{name}: unit normal"), length, one);
    let shape = matrix_at(g, c, &implicit.shape, &chart.position);
    for (i, s) in chart.parameters.into_iter().enumerate() {
        let turned = chart.normal.map(|e| g.derivative(e, s));
        let by_chart = mat_vec(g, &chart.shape, &chart.tangents[i]);
        same_all(g, &format!("{name}: S x_{i} of the chart"), &by_chart, &turned);
        let by_equation = mat_vec(g, &shape, &chart.tangents[i]);
        same_all(g, &format!("{name}: S x_{i} of the equation"), &by_equation, &turned);
    }
    let none = mat_vec(g, &shape, &nu);
    same_all(g, &format!("{name}: S ν"), &none, &[zero; 3]);
}

#[test]
fn equation_and_chart_agree() {
    let mut g = Graph::new();
    let (uv, c) = (parameters(&mut g), point(&mut g));
    for (name, surface) in shapes(&mut g) {
        let (implicit, chart) = (surface.implicit(&mut g, c).unwrap(), surface.chart(&mut g, uv).unwrap());
        agree(&mut g, name, &implicit, &chart);
    }
    let (chart, implicit) = skew_monge(&mut g);
    agree(&mut g, "skew Monge", &implicit, &chart);
}

#[test]
fn the_other_side() {
    let mut g = Graph::new();
    let (uv, c) = (parameters(&mut g), point(&mut g));
    for (name, surface) in shapes(&mut g).into_iter().filter(|(n, _)| !n.starts_with("superquadric")) {
        let cavity = surface.inside();
        assert_eq!(cavity.inside(), surface);
        let (implicit, chart) = (cavity.implicit(&mut g, c).unwrap(), cavity.chart(&mut g, uv).unwrap());
        agree(&mut g, name, &implicit, &chart);
        let (out_i, out_c) = (surface.implicit(&mut g, c).unwrap(), surface.chart(&mut g, uv).unwrap());
        let reversed = neg(&mut g, &out_i.normal);
        same_all(&mut g, name, &implicit.normal, &reversed);
        let reversed = neg(&mut g, &out_c.normal);
        same_all(&mut g, name, &chart.normal, &reversed);
        for i in 0..3 {
            let reversed = neg(&mut g, &out_c.shape[i]);
            same_all(&mut g, name, &chart.shape[i], &reversed);
        }
        assert_eq!(chart.parameters, [uv[1], uv[0]]);
    }
}

#[test]
fn charts_of_surfaces_of_revolution_are_lines_of_curvature() {
    let mut g = Graph::new();
    let uv = parameters(&mut g);
    let expected = ["plane", "sphere", "spheroid", "torus", "cylinder", "cone", "revolution"];
    for (name, surface) in shapes(&mut g) {
        let chart = surface.chart(&mut g, uv).unwrap();
        assert_eq!(chart.has_curvature_lines(&mut g), expected.contains(&name), "{name}");
    }
}

/// The forms that the constructor takes from known lengths are those of the definitions.
#[test]
fn fundamental_forms_by_definition() {
    let mut g = Graph::new();
    let uv = parameters(&mut g);
    for (name, surface) in shapes(&mut g) {
        let chart = surface.chart(&mut g, uv).unwrap();
        let [x_u, x_v] = chart.tangents;
        let first = [dot(&mut g, &x_u, &x_u), dot(&mut g, &x_u, &x_v), dot(&mut g, &x_v, &x_v)];
        same_all(&mut g, name, &chart.first, &first);
        let second = chart.second_derivatives.map(|w| dot(&mut g, &w, &chart.normal));
        same_all(&mut g, name, &chart.second, &second);
        let pairs = [(x_u, x_u), (x_u, x_v), (x_v, x_v)];
        let by_shape = pairs.map(|(a, b)| curvature::second_form(&mut g, &chart.shape, &a, &b));
        same_all(&mut g, name, &chart.second, &by_shape);
        let across = cross(&mut g, &x_u, &x_v);
        let outward = scale(&mut g, chart.area, &chart.normal);
        same_all(&mut g, name, &outward, &across);
        let [e1, e2] = chart.frame;
        let n = cross(&mut g, &e1, &e2);
        same_all(&mut g, name, &n, &chart.normal);
        let (a, back) = (chart.frame_matrix(&mut g), chart.frame_inverse(&mut g));
        let unity = mat_mul(&mut g, &a, &back);
        let one = identity(&g);
        same_matrix(&mut g, name, &unity, &one);
        for (column, w) in [(0, x_u), (1, x_v)] {
            let again = combine(&mut g, &[a[0][column], a[1][column]], &chart.frame);
            same_all(&mut g, name, &again, &w);
        }
        let gamma = chart.connection(&mut g);
        for (i, s) in chart.parameters.into_iter().enumerate() {
            let turned = e1.map(|e| g.derivative(e, s));
            let along = dot(&mut g, &e2, &turned);
            same(&mut g, name, gamma[i], along);
        }
        // ċ = V: the rates of u and v belong to the velocity.
        let rates = [g.named("u'"), g.named("v'")];
        let velocity = chart.velocity(&mut g, &rates);
        let again = chart.rates(&mut g, &velocity);
        same_all(&mut g, name, &again, &rates);
    }
}

#[test]
fn second_form_in_the_frame_is_minus_the_shape_operator() {
    let mut g = Graph::new();
    let (chart, implicit) = skew_monge(&mut g);
    assert!(!chart.has_curvature_lines(&mut g));
    let b = chart.second_in_frame(&mut g);
    let shape = matrix_at(&mut g, implicit.coordinates, &implicit.shape, &chart.position);
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let image = mat_vec(&mut g, &shape, &chart.frame[j]);
        let inner = dot(&mut g, &chart.frame[i], &image);
        let minus = g.neg(inner);
        same(&mut g, "B", b[i][j], minus);
    }
}

/// Gauss: K from E, F, G alone; Codazzi's two equations with Christoffel symbols xᵏ·x_ij.
#[test]
fn gauss_and_codazzi() {
    let mut g = Graph::new();
    let uv = parameters(&mut g);
    let skew = skew_monge(&mut g).0;
    let mut charts = vec![("skew Monge", skew)];
    for (name, surface) in shapes(&mut g).into_iter().filter(|(n, _)| !n.starts_with("superquadric")) {
        charts.push((name, surface.chart(&mut g, uv).unwrap()));
    }
    for (name, chart) in charts {
        let [d, d1, d2] = chart.second;
        let det = det2(&mut g, &[[d, d1], [d1, d2]]);
        let square = g.powi(chart.area, 2);
        let gauss = g.div(det, square);
        let intrinsic = chart.intrinsic_curvature(&mut g);
        same(&mut g, &format!("{name}: Gauss"), intrinsic, gauss);
        // christoffel[k][ij] with ij = uu, uv, vv
        let gamma: [[Expr; 3]; 2] = chart.dual.map(|w| chart.second_derivatives.map(|x| dot(&mut g, &w, &x)));
        let [u, v] = chart.parameters;
        let (d_v, d1_u) = (g.derivative(d, v), g.derivative(d1, u));
        let (d1_v, d2_u) = (g.derivative(d1, v), g.derivative(d2, u));
        let codazzi = |g: &mut Graph, lhs: [Expr; 2], a: Expr, b: [Expr; 2], c: Expr| {
            let (left, middle) = (g.sub(lhs[0], lhs[1]), g.sub(b[0], b[1]));
            let (p, q, r) = (g.mul(d, a), g.mul(d1, middle), g.mul(d2, c));
            let right = g.linear([(p, ratio(1, 1)), (q, ratio(1, 1)), (r, ratio(-1, 1))]);
            same(g, &format!("{name}: Codazzi"), left, right);
        };
        codazzi(&mut g, [d_v, d1_u], gamma[0][1], [gamma[1][1], gamma[0][0]], gamma[1][0]);
        codazzi(&mut g, [d1_v, d2_u], gamma[0][2], [gamma[1][2], gamma[0][1]], gamma[1][1]);
    }
}

#[test]
fn placed_surfaces() {
    let mut g = Graph::new();
    let (uv, c) = (parameters(&mut g), point(&mut g));
    let (q, t) = (rotation(&mut g, "Q"), vector(&mut g, "t"));
    for (name, surface) in shapes(&mut g).into_iter().filter(|(n, _)| ["ellipsoid", "torus", "cone"].contains(n)) {
        let placed = surface.placed(&mut g, q, t);
        let (implicit, chart) = (placed.implicit(&mut g, c).unwrap(), placed.chart(&mut g, uv).unwrap());
        agree(&mut g, name, &implicit, &chart);
        let own = surface.chart(&mut g, uv).unwrap();
        let turned = mat_vec(&mut g, &q, &own.normal);
        same_all(&mut g, name, &chart.normal, &turned);
        let x = mat_vec(&mut g, &q, &own.position);
        let x = add(&mut g, &x, &t);
        same_all(&mut g, name, &chart.position, &x);
        // The same from the moved equation, without using that Q is a rotation.
        let direct = Implicit::new(&mut g, c, implicit.f);
        same_all(&mut g, name, &implicit.gradient, &direct.gradient);
        same_matrix(&mut g, name, &implicit.hessian, &direct.hessian);
        same_all(&mut g, name, &implicit.normal, &direct.normal);
    }
    // Two motions one after the other are one motion.
    let r = positive(&mut g, "r");
    let sphere: Surface = Shape::Sphere { radius: r }.into();
    let (p, s) = (rotation(&mut g, "P"), vector(&mut g, "s"));
    let twice = sphere.placed(&mut g, q, t).placed(&mut g, p, s);
    let implicit = twice.implicit(&mut g, c).unwrap();
    let centre = mat_vec(&mut g, &p, &t);
    let centre = add(&mut g, &centre, &s);
    let offset = sub(&mut g, &implicit.position, &centre);
    let (square, rr) = (dot(&mut g, &offset, &offset), g.powi(r, 2));
    let f = g.sub(square, rr);
    let f = g.scale(f, &ratio(1, 2));
    same(&mut g, "sphere placed twice", implicit.f, f);
}

/// Without an equation: a meridian curve, compared with the torus; a given parametrisation with the cone.
#[test]
fn surfaces_given_by_the_user() {
    let mut g = Graph::new();
    let (uv, c) = (parameters(&mut g), point(&mut g));
    let (s, major, minor) = (g.symbol("s"), positive(&mut g, "R"), positive(&mut g, "r"));
    let angle = g.var(s);
    let (sin, cos) = (g.sin(angle), g.cos(angle));
    let out = g.mul(minor, cos);
    let profile = Profile::Curve { s, rho: g.add(major, out), z: g.mul(minor, sin) };
    let by_curve: Surface = Shape::Revolution(profile).into();
    assert_eq!(by_curve.implicit(&mut g, c), Err(Missing::Equation));
    let chart = by_curve.chart(&mut g, uv).unwrap();
    let torus: Surface = Shape::Torus { major, minor }.into();
    let implicit = torus.implicit(&mut g, c).unwrap();
    let nu = vector_at(&mut g, c, &implicit.normal, &chart.position);
    // R + r cos v > 0 for a ring torus; here v < 2 and the radii are drawn from (0.4, 2).
    let deep = g.scale(minor, &ratio(6, 1));
    let map = [(g.find_symbol("R").unwrap(), deep)].into_iter().collect();
    let (nu, n) = (g.substitute_all(&nu, &map), g.substitute_all(&chart.normal, &map));
    for i in 0..3 {
        same(&mut g, "counterclockwise meridian", nu[i], n[i]);
    }
    assert!(chart.has_curvature_lines(&mut g));

    let (p, q) = (g.symbol("p"), g.symbol("q"));
    let (a, b) = (g.var(p), g.var(q));
    let ab = g.mul(a, b);
    let given: Surface = Shape::Parametric { parameters: [p, q], x: [a, b, ab] }.into();
    let chart = given.chart(&mut g, uv).unwrap();
    let patch = given.patch(&mut g, c, uv).unwrap();
    assert_eq!(patch, Patch::Chart(Box::new(chart.clone())));
    assert_eq!(patch.coordinates(), uv);
    let f = {
        let [x, y, z] = c.map(|s| g.var(s));
        let xy = g.mul(x, y);
        g.sub(z, xy)
    };
    let own = ["x", "y", "z"].map(|n| g.symbol(n));
    let names = own.map(|s| g.var(s));
    let renamed = g.substitute(f, &c.into_iter().zip(names).collect());
    let implicit = Surface::from(Shape::Implicit { at: own, f: renamed });
    assert_eq!(implicit.chart(&mut g, uv), Err(Missing::Parametrisation));
    let implicit = implicit.implicit(&mut g, c).unwrap();
    assert_eq!(implicit.f, f);
    agree(&mut g, "saddle", &implicit, &chart);
    assert_eq!(Surface::from(Shape::Plane).elliptic_chart(&mut g, uv), Err(Missing::Parametrisation));
}

/// The short cases of S: exact zeros for a plane, nothing to project for sphere and cylinder.
#[test]
fn simple_operators_stay_simple() {
    let mut g = Graph::new();
    let (c, r) = (point(&mut g), positive(&mut g, "r"));
    let plane = Surface::from(Shape::Plane).implicit(&mut g, c).unwrap();
    assert_eq!(plane.shape, [[g.zero(); 3]; 3]);
    assert_eq!(plane.normal, [g.zero(), g.zero(), g.one()]);
    let cylinder = Surface::from(Shape::Cylinder { radius: r }).implicit(&mut g, c).unwrap();
    assert!((0..3).all(|i| g.is_zero(cylinder.shape[2][i]) && g.is_zero(cylinder.shape[i][2])));
    let sphere = Surface::from(Shape::Sphere { radius: r }).implicit(&mut g, c).unwrap();
    let product = g.mul(sphere.normal[0], sphere.normal[1]);
    let entry = g.div(product, sphere.gradient_norm);
    let entry = g.neg(entry);
    assert_eq!(sphere.shape[0][1], entry);
    let uv = parameters(&mut g);
    let chart = Surface::from(Shape::Sphere { radius: r }).chart(&mut g, uv).unwrap();
    let u = g.var(uv[0]);
    let (su, cu) = (g.sin(u), g.cos(u));
    assert_eq!((chart.root_e, chart.normal[2]), (r, cu));
    assert_eq!(chart.root_g, g.mul(r, su));
    assert_eq!(chart.second[0], g.neg(r));
    assert_eq!(chart.connection(&mut g), [g.zero(), cu]);
}
