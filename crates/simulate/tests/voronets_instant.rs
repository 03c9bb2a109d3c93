//! One instant of an ellipsoid on an ellipsoid in Neumann's coordinates, [Voronets1911, §§4, 16], against numbers that
//! were computed elsewhere, from Newton's and Euler's equations in 60 digits.
//!
//! The body (2, 3/2, 1), homogeneous, of mass 1, touches the fixed ellipsoid (3, 5/2, 2); U = −O₁O²/2. The second rates contain the
//! frame equation.

use crate::neumann;

use neumann::algebra::{V, X, decimal, ratio};
use neumann::chart::{ON_BODY, ON_GROUND, elliptic_letters, rate};
use neumann::motion::Motion;
use neumann::surface::Surface;

const MODEL: &str = r#"
[body.ellipsoid]
mass    = 1
surface = { ellipsoid = [2, "3/2", 1] }
inertia = "solid"
[ground]
surface   = { ellipsoid = [3, "5/2", 2] }
bilateral = true
[lagrangian]
potential = "norm2(x_O)/2"
[initial.ellipsoid]
contact  = ["6/13", "6/13", "12/13"]
touching = "[1, 1, 2]/sqrt(1/9 + 4/25 + 1)"
rotation = [["8.9667670733173448291191074814191e-01", "2.3163715669537250522277178544627e-01", "-3.7724674971005704874852677957826e-01"],
            ["2.0202173543193315756692172139758e-01", "-9.7238206663770543946968966649802e-01", "-1.1687743535197451086060405698171e-01"],
            ["-3.9390113092220106805727564089498e-01", "2.8589230830304314205699612237790e-02", "-9.1870809016724272604620049665596e-01"]]
Omega    = ["1/2", "1/3", "1/2"]
"#;

#[test]
fn every_number_of_the_reference() {
    let mut motion = Motion::new(MODEL, &[0.0]);
    let (c, c1) = (motion.c, motion.c1);
    let axes = [X::from(2), ratio(3, 2), X::from(1)];
    let body = elliptic_letters(&mut motion, &ON_BODY, axes, V::zero(), c, 1);
    let axes = [X::from(3), ratio(5, 2), X::from(2)];
    let ground = elliptic_letters(&mut motion, &ON_GROUND, axes, V::zero(), c1, 1);
    let inertia = V([ratio(13, 20), X::from(1), ratio(5, 4)]);
    let s = Surface::new(motion, body, ground, (X::from(1), inertia), |x| -(x.dot(x) / 2));
    let (b, w) = (&s.body, &s.ground);
    let [sigma, tau, n] = s.spin;
    let expected = [
        ("u", b.u, "3.851231787625996612345308673"),
        ("v", b.v, "2.120661703498263742684277126"),
        ("ϑ", s.angle, "-1.079880808476410986634817896"),
        ("u₁", w.u, "8.609771756778923294564253488"),
        ("v₁", w.v, "5.919948522941356425715466792"),
        ("u̇", s.du, "0.2634263281512608470813710956"),
        ("v̇", s.dv, "-0.2600184226258040292034425951"),
        ("u̇₁", s.du1, "0.1189354032183573038310253446"),
        ("v̇₁", s.dv1, "0.4308737495076419559308190428"),
        ("σ", sigma, "-0.4128434192280979072711360597"),
        ("τ", tau, "-0.2453156419751874551088588969"),
        ("n", n, "0.6168400587781777301524027089"),
        ("ϑ̇", s.dt, "-0.7097907730313864026344954404"),
        ("ü", rate(b.u, 2), "0.5131952870656658113633651634"),
        ("v̈", rate(b.v, 2), "0.05250256388752232864099131314"),
        ("ϑ̈", rate(s.angle, 2), "-0.58828385915923450975779259"),
        ("σ̇", rate(sigma, 1), "0.3394368604251048958656900387"),
        ("τ̇", rate(tau, 1), "-0.5557849226528134813857496137"),
        ("ṅ", rate(n, 1), "-0.06382779025946609029792102837"),
        ("E", b.e, "2.453194522544022494112523277"),
        ("E₁", w.e, "1.363914879713184682730005333"),
        ("G", b.g, "3.368169686354527063777693953"),
        ("G₁", w.g, "2.039634922183724652195858519"),
        ("D", b.d, "-0.6686795751986059372130987897"),
        ("D₁", w.d, "-0.3328373866884488250043581928"),
        ("D″", b.d2, "-1.667279070070279119939260719"),
        ("D₁″", w.d2, "-0.7238873436581230028721118939"),
        ("ε", b.epsilon(), "1.049749627302498828041179883"),
        ("ε₁", w.epsilon(), "2.101050420472665641506569682"),
        ("ρ²", b.rho2(), "1.278106508875739644970414201"),
        ("ρ₁²", w.rho2(), "4.720279720279720279720279720"),
    ];
    for (label, x, value) in expected {
        // ϑ̈ is known to 22 digits
        let tolerance = if label == "ϑ̈" { 1e-21 } else { 1e-25 };
        let error = (s.motion.values(x - decimal(value)).swap_remove(0)).to_f64().value().abs();
        assert!(error < tolerance, "{label}: off by {error:e}");
    }
    // and (57) at this instant
    let (left, right) = (s.left_sides(), s.right_sides());
    (0..3).for_each(|i| s.motion.holds("(57)", left[i], right[i]));
}
