//! Homogeneous bodies against integrals over them, taken with the charts of their surfaces.

use crate::common;
use common::*;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::inertia::*;
use polhode_geometry::linear::*;
use polhode_geometry::*;
use std::f64::consts::PI;

/// Measure, centre and inertia about the centre of the image of a box, by Gauss and Legendre.
fn integrate(
    g: &mut Graph,
    x: &Vec3,
    element: Expr,
    domain: &[(Symbol, f64, f64)],
    with: &[(Symbol, f64)],
) -> Vec<f64> {
    let rules: Vec<Vec<(f64, f64)>> = domain.iter().map(|(_, low, high)| gauss_legendre(18, *low, *high)).collect();
    let mut points = vec![(with.to_vec(), 1.0)];
    for ((s, _, _), rule) in domain.iter().zip(&rules) {
        points = points
            .into_iter()
            .flat_map(|(at, w)| rule.iter().map(move |(x, k)| ([&at[..], &[(*s, *x)]].concat(), w * k)))
            .collect();
    }
    let roots = [x[0], x[1], x[2], element];
    let (mut m, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
    for (at, w) in points {
        let v = values(g, &roots, &at);
        let w = w * v[3].abs();
        m += w;
        for i in 0..3 {
            first[i] += w * v[i];
            for j in 0..3 {
                second[i][j] += w * v[i] * v[j];
            }
        }
    }
    let centre = first.map(|x| x / m);
    let moments: Vec<f64> = (0..3).map(|i| second[i][i] / m - centre[i] * centre[i]).collect();
    let total: f64 = moments.iter().sum();
    let mut out = vec![m];
    out.extend(centre);
    for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
        let product = second[i][j] / m - centre[i] * centre[j];
        out.push(if i == j { total - product } else { -product });
    }
    out
}

fn exact(g: &mut Graph, solid: Solid, with: &[(Symbol, f64)]) -> Vec<f64> {
    let p = solid.mass_properties(g);
    let mut roots = vec![p.measure];
    roots.extend(p.centre.iter().chain(p.inertia.iter().flatten()));
    values(g, &roots, with)
}

fn compare(what: &str, got: &[f64], wanted: &[f64]) {
    assert_eq!(got.len(), wanted.len());
    for (k, (a, b)) in got.iter().zip(wanted).enumerate() {
        near(&format!("{what} [{k}]"), *a, *b, 1e-9);
    }
}

#[test]
fn homogeneous_bodies() {
    let mut g = Graph::new();
    let uv = parameters(&mut g);
    let s = g.symbol("s");
    let depth = g.var(s);
    let [a, b, c] = ["a", "b", "c"].map(|n| g.named(n));
    let with: Vec<(Symbol, f64)> =
        ["a", "b", "c"].iter().zip([1.3, 0.7, 0.4]).map(|(n, x)| (g.find_symbol(n).unwrap(), x)).collect();
    let volume = |g: &mut Graph, x: &Vec3| {
        let columns = [s, uv[0], uv[1]].map(|p| x.map(|e| g.derivative(e, p)));
        det3(g, &columns)
    };
    let (one, turn) = ((s, 0.0, 1.0), 2.0 * PI);
    let sphere = |g: &mut Graph, shape: Shape| Surface::from(shape).chart(g, uv).unwrap();

    // Bodies about their centre: s times the surface.
    let ellipsoid = Shape::Ellipsoid { a, b, c };
    let cases = [
        ("ball", Shape::Sphere { radius: a }, Solid::Ball { radius: a }),
        ("ellipsoid", ellipsoid, Solid::Ellipsoid { a, b, c }),
        ("spheroid", Shape::Spheroid { a, c }, Solid::Spheroid { a, c }),
    ];
    for (name, shape, solid) in cases {
        let chart = sphere(&mut g, shape);
        let x = scale(&mut g, depth, &chart.position);
        let element = volume(&mut g, &x);
        let got = integrate(&mut g, &x, element, &[one, (uv[0], 0.0, PI), (uv[1], 0.0, turn)], &with);
        compare(name, &got, &exact(&mut g, solid, &with));
    }
    // Torus: the tube of radius s·minor.
    let thin = g.mul(depth, c);
    let x = sphere(&mut g, Shape::Torus { major: a, minor: thin }).position;
    let element = volume(&mut g, &x);
    let got = integrate(&mut g, &x, element, &[one, (uv[0], 0.0, turn), (uv[1], 0.0, turn)], &with);
    compare("torus", &got, &exact(&mut g, Solid::Torus { major: a, minor: c }, &with));
    // Cylinder of height b, cone of half angle c and height a.
    let x = sphere(&mut g, Shape::Cylinder { radius: thin }).position;
    let element = volume(&mut g, &x);
    let height = (uv[1], -0.35, 0.35);
    let got = integrate(&mut g, &x, element, &[one, (uv[0], 0.0, turn), height], &with);
    compare("cylinder", &got, &exact(&mut g, Solid::Cylinder { radius: c, height: b }, &with));
    let chart = sphere(&mut g, Shape::Cone { half_angle: c });
    let x = [g.mul(depth, chart.position[0]), g.mul(depth, chart.position[1]), chart.position[2]];
    let element = volume(&mut g, &x);
    let slant = (uv[1], 0.0, 1.3 / 0.4f64.cos());
    let got = integrate(&mut g, &x, element, &[one, (uv[0], 0.0, turn), slant], &with);
    compare("cone", &got, &exact(&mut g, Solid::Cone { half_angle: c, height: a }, &with));
    // Shells, by the area element of the chart.
    let shells = [
        ("spherical shell", Shape::Sphere { radius: a }, Solid::SphericalShell { radius: a }, PI, (0.0, turn)),
        (
            "torus shell",
            Shape::Torus { major: a, minor: c },
            Solid::TorusShell { major: a, minor: c },
            turn,
            (0.0, turn),
        ),
        ("tube", Shape::Cylinder { radius: c }, Solid::Tube { radius: c, height: b }, turn, (-0.35, 0.35)),
    ];
    for (name, shape, solid, u, v) in shells {
        let chart = sphere(&mut g, shape);
        let domain = [(uv[0], 0.0, u), (uv[1], v.0, v.1)];
        let got = integrate(&mut g, &chart.position, chart.area, &domain, &with);
        compare(name, &got, &exact(&mut g, solid, &with));
    }
    // Hoop and disk.
    let rim = Rim::circle(&mut g, uv[0], c);
    let got = integrate(&mut g, &rim.position, rim.speed, &[(uv[0], 0.0, turn)], &with);
    compare("hoop", &got, &exact(&mut g, Solid::Hoop { radius: c }, &with));
    let x = scale(&mut g, depth, &rim.position);
    let cc = g.product([c, c, depth]);
    let got = integrate(&mut g, &x, cc, &[one, (uv[0], 0.0, turn)], &with);
    compare("disk", &got, &exact(&mut g, Solid::Disk { radius: c }, &with));
}

/// About another point: the cone about its apex has the known A = 3/20 r² + 3/5 h².
#[test]
fn parallel_axes() {
    let mut g = Graph::new();
    let (half_angle, h) = (positive(&mut g, "alpha"), positive(&mut g, "h"));
    let cone = Solid::Cone { half_angle, height: h }.mass_properties(&mut g);
    let apex = [g.zero(); 3];
    let about = cone.inertia_about(&mut g, &apex);
    let slope = g.tan(half_angle);
    let r = g.mul(h, slope);
    let (rr, hh) = (g.powi(r, 2), g.powi(h, 2));
    let ratio = polhode_expr::number::ratio;
    let wanted = g.linear([(rr, ratio(3, 20)), (hh, ratio(3, 5))]);
    same(&mut g, "A", about[0][0], wanted);
    same(&mut g, "C", about[2][2], cone.inertia[2][2]);
    assert!(g.is_zero(about[0][1]));
}

#[test]
fn superquadrics() {
    let close = |what: &str, got: (f64, [f64; 3]), volume: f64, moments: [f64; 3]| {
        near(what, got.0, volume, 1e-12);
        for i in 0..3 {
            near(what, got.1[i], moments[i], 1e-12);
        }
    };
    // Ellipsoid
    let got = superquadric_mass_properties([1.3, 0.7, 0.4], 1.0, 1.0);
    let moments = [(0.49 + 0.16) / 5.0, (1.69 + 0.16) / 5.0, (1.69 + 0.49) / 5.0];
    close("ellipsoid", got, 4.0 / 3.0 * PI * 1.3 * 0.7 * 0.4, moments);
    // Octahedron |x| + |y| + |z| ≤ 1: ⟨x²⟩ = 1/10
    close("octahedron", superquadric_mass_properties([1.0; 3], 2.0, 2.0), 4.0 / 3.0, [0.2; 3]);
    // Bicone √(x² + y²) + |z| ≤ 1: ⟨ρ²⟩ = 3/10, ⟨z²⟩ = 1/10
    close("bicone", superquadric_mass_properties([1.0; 3], 2.0, 1.0), 2.0 / 3.0 * PI, [0.25, 0.25, 0.3]);
    // Nearly a box with half edges 1, 2, 3
    let (volume, moments) = superquadric_mass_properties([1.0, 2.0, 3.0], 1e-6, 1e-6);
    near("box", volume, 48.0, 1e-5);
    near("box", moments[0], 13.0 / 3.0, 1e-5);
}

#[test]
fn inertia_tensors_are_checked() {
    let diagonal = |a: f64, b: f64, c: f64| [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
    assert_eq!(check_inertia(&diagonal(3.0, 2.0, 4.0)), Ok([2.0, 3.0, 4.0]));
    assert_eq!(check_inertia(&diagonal(1.0, 1.0, 2.0)), Ok([1.0, 1.0, 2.0]), "a disk");
    let error = check_inertia(&diagonal(1.0, 4.0, 2.0)).unwrap_err();
    assert_eq!(error, InertiaError::Triangle { moments: [1.0, 2.0, 4.0] });
    assert_eq!(error.to_string(), "no body has the principal moments 1, 2, 4: 1 + 2 < 4");
    let error = check_inertia(&diagonal(1.0, -0.5, 1.0)).unwrap_err();
    assert_eq!(error.to_string(), "the principal moment -0.5 is not positive");
    assert!(matches!(check_inertia(&diagonal(0.0, 1.0, 1.0)), Err(InertiaError::NotPositive { .. })));
    let skew = [[1.0, 0.1, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let error = check_inertia(&skew).unwrap_err();
    assert_eq!(error, InertiaError::NotSymmetric { i: 0, j: 1 });
    assert_eq!(error.to_string(), "the entries (1, 2) and (2, 1) differ, or are not numbers");
    assert!(check_inertia(&diagonal(1.0, f64::NAN, 1.0)).is_err());
    // Hidden in a product of inertia: principal moments 1 and 3 in the plane, 1 across: 1 + 1 < 3.
    let hidden = [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]];
    assert!(matches!(check_inertia(&hidden), Err(InertiaError::Triangle { .. })));
}

#[test]
fn rims() {
    let mut g = Graph::new();
    let (s, r) = (g.symbol("s"), positive(&mut g, "r"));
    let circle = Rim::circle(&mut g, s, r);
    let general = Rim::new(&mut g, s, circle.position);
    same_all(&mut g, "tangent", &circle.tangent, &general.tangent);
    let (k, wanted) = (circle.curvature(&mut g), g.powi(r, -1));
    same(&mut g, "curvature", k, wanted);
    // The centre of curvature is the centre: x + r² κN = 0.
    let rr = g.powi(r, 2);
    let inward = scale(&mut g, rr, &circle.curvature_vector);
    let centre = add(&mut g, &circle.position, &inward);
    let zero = g.zero();
    same_all(&mut g, "centre", &centre, &[zero; 3]);
    let torsion = circle.torsion(&mut g);
    same(&mut g, "torsion", torsion, zero);
    // A wheel's axis is a possible normal of its rim, and so is the radius; a placed rim turns along.
    let (up, one) = ([zero, zero, g.one()], g.one());
    let radial = scale(&mut g, wanted, &circle.position);
    for normal in [up, radial] {
        let condition = circle.edge_condition(&mut g, &normal);
        same(&mut g, "edge", condition, zero);
    }
    let (q, t) = (rotation(&mut g, "Q"), vector(&mut g, "t"));
    let placed = circle.placed(&mut g, q, t);
    let axis = mat_vec(&mut g, &q, &up);
    let condition = placed.edge_condition(&mut g, &axis);
    same(&mut g, "edge of a placed rim", condition, zero);
    let length = dot(&mut g, &placed.tangent, &placed.tangent);
    same(&mut g, "unit tangent", length, one);
    let condition = placed.edge_condition(&mut g, &up);
    differ(&mut g, "not the old axis", condition, zero);
}
