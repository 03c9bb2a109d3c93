//! What the tests share: named surfaces with positive lengths, exact comparison, evaluation in doubles.

use polhode_base::random::Random;
use polhode_expr::eval::Doubles;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Relation, Symbol};
use polhode_geometry::*;

pub(crate) fn positive(g: &mut Graph, name: &str) -> Expr {
    let s = g.symbol(name);
    g.assume_positive(s);
    g.var(s)
}

/// Parameters of charts: positive, because usual domains are, such as 0 < u < π.
pub(crate) fn parameters(g: &mut Graph) -> [Symbol; 2] {
    ["u", "v"].map(|n| {
        let s = g.symbol(n);
        g.assume_positive(s);
        s
    })
}

pub(crate) fn point(g: &mut Graph) -> [Symbol; 3] {
    ["c[1]", "c[2]", "c[3]"].map(|n| g.symbol(n))
}

pub(crate) fn vector(g: &mut Graph, name: &str) -> Vec3 {
    std::array::from_fn(|i| g.named(&format!("{name}[{}]", i + 1)))
}

/// Nine symbols that form a rotation.
pub(crate) fn rotation(g: &mut Graph, name: &str) -> Mat3 {
    let s: Vec<Symbol> = (0..9).map(|k| g.symbol(&format!("{name}[{},{}]", k / 3 + 1, k % 3 + 1))).collect();
    g.relate(Relation::Rotation(s.clone().try_into().unwrap()));
    std::array::from_fn(|i| std::array::from_fn(|j| g.var(s[3 * i + j])))
}

/// Every named shape that has both an equation and a chart.
pub(crate) fn shapes(g: &mut Graph) -> Vec<(&'static str, Surface)> {
    let [a, b, c, r] = ["a", "b", "c", "r"].map(|n| positive(g, n));
    let (minor, height) = (positive(g, "minor"), g.symbol("height"));
    let major = g.add(minor, a);
    let (half, three_halves) = (g.number(ratio(1, 2)), g.number(ratio(3, 2)));
    let half_angle = g.mul(half, r);
    let h = g.var(height);
    let (hh, one) = (g.powi(h, 2), g.one());
    let sum = g.add(hh, one);
    let rho = g.mul(a, sum);
    let shapes = [
        ("plane", Shape::Plane),
        ("sphere", Shape::Sphere { radius: r }),
        ("ellipsoid", Shape::Ellipsoid { a, b, c }),
        ("spheroid", Shape::Spheroid { a, c }),
        ("torus", Shape::Torus { major, minor }),
        ("cylinder", Shape::Cylinder { radius: r }),
        ("cone", Shape::Cone { half_angle }),
        ("paraboloid", Shape::Paraboloid { a, b }),
        ("superquadric with whole exponents", Shape::Superquadric { a, b, c, e1: half, e2: half }),
        ("superquadric", Shape::Superquadric { a, b, c, e1: half, e2: three_halves }),
        ("revolution", Shape::Revolution(Profile::Radius { z: height, rho })),
    ];
    shapes.into_iter().map(|(name, shape)| (name, shape.into())).collect()
}

#[track_caller]
pub(crate) fn same(g: &mut Graph, what: &str, a: Expr, b: Expr) {
    let verdict = g.equal(a, b);
    assert!(verdict.is_equal(), "{what}: {verdict:?}");
}

#[track_caller]
pub(crate) fn same_all<const N: usize>(g: &mut Graph, what: &str, a: &[Expr; N], b: &[Expr; N]) {
    for i in 0..N {
        same(g, &format!("{what} [{i}]"), a[i], b[i]);
    }
}

#[track_caller]
pub(crate) fn same_matrix<const N: usize>(g: &mut Graph, what: &str, a: &[[Expr; N]; N], b: &[[Expr; N]; N]) {
    for i in 0..N {
        same_all(g, &format!("{what} row {i}"), &a[i], &b[i]);
    }
}

#[track_caller]
pub(crate) fn differ(g: &mut Graph, what: &str, a: Expr, b: Expr) {
    let verdict = g.equal(a, b);
    assert!(matches!(verdict, polhode_expr::Verdict::Different(_)), "{what}: {verdict:?}");
}

/// Expressions of the implicit representation at the point x.
pub(crate) fn at(g: &mut Graph, coordinates: [Symbol; 3], e: &[Expr], x: &Vec3) -> Vec<Expr> {
    g.substitute_all(e, &coordinates.into_iter().zip(*x).collect())
}

pub(crate) fn vector_at(g: &mut Graph, coordinates: [Symbol; 3], e: &Vec3, x: &Vec3) -> Vec3 {
    at(g, coordinates, e, x).try_into().unwrap()
}

pub(crate) fn matrix_at(g: &mut Graph, coordinates: [Symbol; 3], m: &Mat3, x: &Vec3) -> Mat3 {
    m.map(|row| vector_at(g, coordinates, &row, x))
}

/// Values in doubles.
pub(crate) fn values(g: &Graph, e: &[Expr], with: &[(Symbol, f64)]) -> Vec<f64> {
    g.evaluate(&Doubles, e, &with.iter().copied().collect()).expect("defined")
}

#[track_caller]
pub(crate) fn near(what: &str, a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{what}: {a} and {b}");
}

/// A random unit vector.
pub(crate) fn unit(random: &mut Random) -> [f64; 3] {
    loop {
        let v: [f64; 3] = std::array::from_fn(|_| random.short(-1.0, 1.0));
        let n = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if n > 0.1 && n < 1.0 {
            return v.map(|x| x / n);
        }
    }
}

/// Nodes and weights of Gauss and Legendre on [low, high], by Newton's method on P_n.
pub(crate) fn gauss_legendre(n: usize, low: f64, high: f64) -> Vec<(f64, f64)> {
    let legendre = |x: f64| {
        let (mut p, mut q) = (1.0, x);
        for k in 2..=n {
            (p, q) = (q, ((2 * k - 1) as f64 * x * q - (k - 1) as f64 * p) / k as f64);
        }
        (q, n as f64 * (x * q - p) / (x * x - 1.0))
    };
    (0..n)
        .map(|i| {
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            for _ in 0..20 {
                let (p, slope) = legendre(x);
                x -= p / slope;
            }
            let slope = legendre(x).1;
            let half = 0.5 * (high - low);
            (low + half * (x + 1.0), half * 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}
