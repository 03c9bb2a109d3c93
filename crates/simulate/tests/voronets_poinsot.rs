//! [Voronets1911, §12]: a body bounded by the inverse of its ellipsoid of inertia rolls on a sphere as if it were free.
//!
//! The motion and its time derivatives: `neumann/motion.rs`. The sphere has the radius 1/(2d), d the distance of
//! Poinsot's invariable plane, passes through O and lies within the surface; n points towards O.

use crate::neumann;

use neumann::algebra::{V, X, ratio};
use neumann::chart::{Chart, ON_BODY, rate};
use neumann::motion::Motion;
use neumann::sphere::{Body, Sphere};

/// The surface of the paper in the coordinates that it gives, with A = 1, B = 4/3, C = 2.
fn shell() -> Sphere {
    let text = crate::prelude::builtin::find("poinsot-on-sphere").expect("built in").text;
    let mut motion = Motion::new(text, &[0.0, 0.4, 0.8, 1.2]);
    let inertia = V([X::from(1), ratio(4, 3), X::from(2)]);
    // a² = 1/A, …; the inverse point y = x/ρ² lies on the ellipsoid A x² + B y² + C z² = 1
    let squares = inertia.map(|a| 1 / a);
    let [p, q, r] = squares.0;
    let c = motion.c;
    let y = 1 / c.dot(c) * c;
    let octant = V([0, 1, 2].map(|i| motion.sign(&format!("octant {i}"), y[i])));
    let sum = p + q + r - y.dot(y);
    let product = p * q * r * inertia.times(y).dot(inertia.times(y));
    // the smaller root is u: n towards O
    let root = -octant[0] * octant[1] * octant[2] * (sum.sq() - 4 * product).sqrt();
    let u = motion.letter(ON_BODY.u, (sum + root) / 2, 2);
    let v = motion.letter(ON_BODY.v, (sum - root) / 2, 2);
    let part = |a: X, b: X, c: X| (a * (a - u) * (a - v) / ((a - b) * (a - c))).sqrt() / (p + q + r - u - v);
    let chart = Chart::new(u, v, octant.times(V([part(p, q, r), part(q, r, p), part(r, p, q)])));
    motion.hold("position in the coordinates of the paper", chart.x, c);
    let body = Body { r1: ratio(61, 39).sqrt() / 2, mass: X::from(1), inertia, kappa: X::from(0) };
    Sphere::new(motion, chart, body, |_| X::from(0))
}

/// n = const and u v = const solve (40) with U = 0; the body turns about O, which is at rest, and the sphere does not push.
#[test]
fn section_12_poinsot() {
    let s = shell();
    let (motion, chart) = (&s.motion, &s.chart);
    let (left, right) = (s.left_sides(), s.right_sides());
    for i in 0..3 {
        motion.holds(&format!("(40), {}", i + 1), left[i], right[i]);
    }
    motion.constant("n", s.n);
    motion.vanishes("ṅ", rate(s.n, 1));
    motion.constant("u v", chart.u * chart.v);
    motion.varies("u", chart.u);
    (0..3).for_each(|i| motion.constant("O", motion.centre[i]));
    (0..3).for_each(|i| motion.vanishes("force of the sphere", motion.reaction[i]));
    let w = motion.omega;
    (0..3).for_each(|i| motion.vanishes("ω along O M", w.cross(motion.c)[i]));
    let torque = s.inertia.times(w).cross(w);
    motion.hold("Euler's equations", s.inertia.times(motion.omega_rate), torque);
    motion.holds("ε = −ρ²/2R₁", chart.epsilon(), -(chart.rho2() / (2 * s.r1)));
    // the sphere passes through O
    motion.holds("O₁O = R₁", motion.centre.dot(motion.centre), s.r1.sq());
    // the plane of Poinsot: A x y + … = 1 touches at y = c/ρ², its distance is 1/√(Σ A²y²)
    let y = 1 / chart.rho2() * chart.x;
    let normal = s.inertia.times(y);
    motion.holds("R₁ = 1/2d", 4 * s.r1.sq(), normal.dot(normal));
}
