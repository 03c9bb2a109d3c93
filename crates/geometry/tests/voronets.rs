//! Chapter I of Voronets, equation by equation, with (34) and (35), on charts that are neither orthogonal nor lines of curvature
//! unless he asks for them. Misprints are asserted to be wrong.

use crate::common;
use common::*;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Rates};
use polhode_geometry::curvature::*;
use polhode_geometry::linear::*;
use polhode_geometry::*;

/// A skew chart without symmetry, (u + v/3, v, u²/2 + u v³/5 + v²), and the direction (du, dv).
fn skew(g: &mut Graph) -> (Chart, Vec2) {
    let uv = parameters(g);
    let [u, v] = uv.map(|s| g.var(s));
    let (uu, vv, vvv) = (g.powi(u, 2), g.powi(v, 2), g.powi(v, 3));
    let uvvv = g.mul(u, vvv);
    let x = g.linear([(u, ratio(1, 1)), (v, ratio(1, 3))]);
    let z = g.linear([(uu, ratio(1, 2)), (uvvv, ratio(1, 5)), (vv, ratio(1, 1))]);
    (Chart::new(g, uv, [x, v, z]), [positive(g, "du"), positive(g, "dv")])
}

fn unit(g: &mut Graph, chart: &Chart, direction: &Vec2) -> Vec2 {
    let ds = chart.speed(g, direction);
    direction.map(|x| g.div(x, ds))
}

fn times(g: &mut Graph, a: Expr, b: Expr, c: Expr, d: Expr) -> Expr {
    let (p, q) = (g.mul(a, b), g.mul(c, d));
    g.sub(p, q)
}

#[test]
fn eq_1_direction_cosines() {
    let mut g = Graph::new();
    let (chart, _) = skew(&mut g);
    let [[_, y_u, z_u], [_, y_v, z_v]] = chart.tangents;
    let minor = times(&mut g, y_u, z_v, z_u, y_v);
    let gamma = g.div(minor, chart.area);
    same(&mut g, "γ", chart.normal[0], gamma);
    let [e, f, h] = chart.first;
    let square = times(&mut g, e, h, f, f);
    let root = g.sqrt(square);
    same(&mut g, "H", chart.area, root);
}

/// The two lines before (2): H² ∂γ/∂u = (FD′ − GD) ∂x/∂u + (FD − ED′) ∂x/∂v, and with D′, D″ for v.
#[test]
fn before_eq_2_derivatives_of_the_normal() {
    let mut g = Graph::new();
    let (chart, _) = skew(&mut g);
    let ([e, f, h], [d, d1, d2]) = (chart.first, chart.second);
    let square = g.powi(chart.area, 2);
    for (s, p, q) in [(0, d, d1), (1, d1, d2)] {
        let coefficients = [times(&mut g, f, q, h, p), times(&mut g, f, p, e, q)];
        let right = combine(&mut g, &coefficients, &chart.tangents);
        let turned = chart.normal.map(|n| g.derivative(n, chart.parameters[s]));
        let left = scale(&mut g, square, &turned);
        same_all(&mut g, "H² ∂n", &left, &right);
    }
}

#[test]
fn eq_2_total_bending() {
    let mut g = Graph::new();
    let (chart, direction) = skew(&mut g);
    let bending = chart.bending(&mut g, &direction);
    // dn/ds × n
    let [du, dv] = unit(&mut g, &chart, &direction);
    let rates = Rates::from_iter(chart.parameters.into_iter().zip([du, dv]));
    let turned = chart.normal.map(|n| g.along(n, &rates));
    let wanted = cross(&mut g, &turned, &chart.normal);
    same_all(&mut g, "Ω", &bending.total, &wanted);
    // The printed components
    let [d, d1, d2] = chart.second;
    for i in 0..3 {
        let (x_u, x_v) = (chart.tangents[0][i], chart.tangents[1][i]);
        let (p, q) = (times(&mut g, d, x_v, d1, x_u), times(&mut g, d1, x_v, d2, x_u));
        let right = dot(&mut g, &[p, q], &[du, dv]);
        let left = g.mul(chart.area, bending.total[i]);
        same(&mut g, "(2)", left, right);
    }
    // Without a chart
    let free = Bending::new(&mut g, &chart.normal, &chart.shape, bending.tangent);
    same_all(&mut g, "Ω", &free.total, &bending.total);
    same_all(&mut g, "p", &free.sideways, &bending.sideways);
    same(&mut g, "twisting", free.twisting, bending.twisting);
    same(&mut g, "pure bending", free.pure, bending.pure);
}

#[test]
fn eq_3_projections() {
    let mut g = Graph::new();
    let (chart, direction) = skew(&mut g);
    let along = chart.bending_along_lines(&mut g, &direction);
    let [du, dv] = unit(&mut g, &chart, &direction);
    let ([e, f, h], [d, d1, d2]) = (chart.first, chart.second);
    for (i, p, q, root) in [(0, f, e, chart.root_e), (1, h, f, chart.root_g)] {
        let (a, b) = (times(&mut g, d, p, d1, q), times(&mut g, d1, p, d2, q));
        let above = dot(&mut g, &[a, b], &[du, dv]);
        let below = g.mul(chart.area, root);
        let right = g.div(above, below);
        same(&mut g, "(3)", along[i], right);
    }
}

#[test]
fn eq_4_tangent_and_eq_6() {
    let mut g = Graph::new();
    let (chart, direction) = skew(&mut g);
    let bending = chart.bending(&mut g, &direction);
    let one = g.one();
    let length = dot(&mut g, &bending.tangent, &bending.tangent);
    same(&mut g, "(4)", length, one);
    let w = unit(&mut g, &chart, &direction);
    let [e, f, h] = chart.first;
    let (k1, k2) = (dot(&mut g, &[e, f], &w), dot(&mut g, &[f, h], &w));
    let sum = dot(&mut g, &[k1, k2], &w);
    same(&mut g, "(6)", sum, one);
}

#[test]
fn eq_5_sideways_twisting_and_pure_bending() {
    let mut g = Graph::new();
    let (chart, direction) = skew(&mut g);
    let bending = chart.bending(&mut g, &direction);
    let p = cross(&mut g, &chart.normal, &bending.tangent);
    same_all(&mut g, "(5)", &bending.sideways, &p);
    let (s, p) = (dot(&mut g, &bending.total, &bending.tangent), dot(&mut g, &bending.total, &p));
    same(&mut g, "twisting", bending.twisting, s);
    same(&mut g, "pure bending", bending.pure, p);
    // As they are written out, with (du, dv)/ds = w
    let w @ [du, dv] = unit(&mut g, &chart, &direction);
    let ([e, f, h], [d, d1, d2]) = (chart.first, chart.second);
    for i in 0..3 {
        let (x_u, x_v) = (chart.tangents[0][i], chart.tangents[1][i]);
        let (a, b) = (times(&mut g, e, x_v, f, x_u), times(&mut g, f, x_v, h, x_u));
        let right = dot(&mut g, &[a, b], &w);
        let left = g.mul(chart.area, bending.sideways[i]);
        same(&mut g, "H cos(p, x)", left, right);
    }
    let squares = [g.powi(du, 2), g.mul(du, dv), g.powi(dv, 2)];
    let twist = [times(&mut g, d, f, d1, e), times(&mut g, d, h, d2, e), times(&mut g, d1, h, d2, f)];
    let (right, left) = (dot(&mut g, &twist, &squares), g.mul(chart.area, s));
    same(&mut g, "H Ω_s ds²", left, right);
    let twice = g.scale(d1, &ratio(2, 1));
    let right = dot(&mut g, &[d, twice, d2], &squares);
    same(&mut g, "Ω_p ds²", right, bending.pure);
    // Pure bending is the curvature of the normal section: a·n of the geodesic, whose (u″, v″) do not matter.
    let (zero, w) = (g.zero(), unit(&mut g, &chart, &direction));
    let acceleration = chart.acceleration(&mut g, &w, &[zero, zero]);
    let towards = dot(&mut g, &acceleration, &chart.normal);
    same(&mut g, "normal section", bending.pure, towards);
    // Along lines of curvature there is no twisting.
    let (uv, r, minor) = (parameters(&mut g), positive(&mut g, "r"), positive(&mut g, "minor"));
    let torus = Surface::from(Shape::Torus { major: r, minor }).chart(&mut g, uv).unwrap();
    let one = g.one();
    for line in [[one, zero], [zero, one]] {
        let twist = torus.bending(&mut g, &line).twisting;
        same(&mut g, "line of curvature", twist, zero);
    }
    let twist = torus.bending(&mut g, &[one, one]).twisting;
    differ(&mut g, "another direction", twist, zero);
}

/// Twisting is the torsion of the geodesic in the direction, up to sign: on a cylinder, of a helix.
#[test]
fn twisting_is_torsion_of_a_helix() {
    let mut g = Graph::new();
    let (uv, r, slope) = (parameters(&mut g), positive(&mut g, "r"), positive(&mut g, "slope"));
    let cylinder = Surface::from(Shape::Cylinder { radius: r }).chart(&mut g, uv).unwrap();
    let one = g.one();
    let bending = cylinder.bending(&mut g, &[one, slope]);
    let t = uv[0];
    let angle = g.var(t);
    let rise = g.mul(slope, angle);
    let (sin, cos) = (g.sin(angle), g.cos(angle));
    let x = [g.mul(r, cos), g.mul(r, sin), rise];
    let helix = Rim::new(&mut g, t, x);
    let (torsion, curvature) = (helix.torsion(&mut g), helix.curvature(&mut g));
    // Ω_s = s·(dn/ds × n) = −τ with Frenet's sign of today, positive for a right-handed helix.
    let minus = g.neg(torsion);
    same(&mut g, "Ω_s", bending.twisting, minus);
    let bent = g.neg(bending.pure);
    same(&mut g, "Ω_p", bent, curvature);
}

#[test]
fn eq_7_spinning_is_minus_geodesic_curvature() {
    let mut g = Graph::new();
    let (chart, _) = skew(&mut g);
    let [u, v] = chart.parameters.map(|s| g.var(s));
    // A field of directions (du, dv) = (1 + v, 2 + u²); its curves have second rates along the field.
    let (one, uu) = (g.one(), g.powi(u, 2));
    let two = g.int(2);
    let field = [g.add(one, v), g.add(two, uu)];
    let spinning = chart.spinning(&mut g, &field);
    let rates = Rates::from_iter(chart.parameters.into_iter().zip(field));
    let second = field.map(|e| g.along(e, &rates));
    let (velocity, acceleration) = (chart.velocity(&mut g, &field), chart.acceleration(&mut g, &field, &second));
    let bent = geodesic_curvature(&mut g, &chart.normal, &velocity, &acceleration);
    let minus = g.neg(bent);
    same(&mut g, "(7)", spinning, minus);
    // N = (∂_v k₁ − ∂_u k₂)/H; the line before (7) is printed with du/ds behind the first derivative.
    let w = unit(&mut g, &chart, &field);
    let [e, f, h] = chart.first;
    let (k1, k2) = (dot(&mut g, &[e, f], &w), dot(&mut g, &[f, h], &w));
    let (k1_v, k2_u) = (g.derivative(k1, chart.parameters[1]), g.derivative(k2, chart.parameters[0]));
    let bracket = g.sub(k1_v, k2_u);
    let written = g.div(bracket, chart.area);
    same(&mut g, "(7), written out", spinning, written);
    let spurious = times(&mut g, k1_v, w[0], k2_u, one);
    let printed = g.div(spurious, chart.area);
    differ(&mut g, "line before (7) as printed", spinning, printed);
    // N along the u line with v: E_v/(2E√G) for orthogonal lines, as used for (8).
    let (uv, r) = (chart.parameters, positive(&mut g, "r"));
    let sphere = Surface::from(Shape::Sphere { radius: r }).chart(&mut g, uv).unwrap();
    let zero = g.zero();
    let spin = sphere.spinning(&mut g, &[zero, one]);
    let tan = g.tan(u);
    let below = g.mul(r, tan);
    let inverse = g.powi(below, -1);
    let wanted = g.neg(inverse);
    same(&mut g, "parallel of a sphere", spin, wanted);
}

/// Bonnet's formula after (7), with h² = E f_v² − 2F f_u f_v + G f_u².
#[test]
fn after_eq_7_bonnet() {
    let mut g = Graph::new();
    let (chart, _) = skew(&mut g);
    let [su, sv] = chart.parameters;
    let (u, v) = (g.var(su), g.var(sv));
    let (uu, product) = (g.powi(u, 2), g.mul(u, v));
    let f = g.linear([(uu, ratio(1, 1)), (product, ratio(1, 2)), (v, ratio(1, 1))]);
    let spinning = chart.spinning_of_level(&mut g, f);
    let (f_u, f_v) = (g.derivative(f, su), g.derivative(f, sv));
    let [e, ff, h] = chart.first;
    let parts = [g.product([e, f_v, f_v]), g.product([ff, f_u, f_v]), g.product([h, f_u, f_u])];
    let square = g.linear([(parts[0], ratio(1, 1)), (parts[1], ratio(-2, 1)), (parts[2], ratio(1, 1))]);
    let root = g.sqrt(square);
    let (p, q) = (times(&mut g, e, f_v, ff, f_u), times(&mut g, ff, f_v, h, f_u));
    let (p, q) = (g.div(p, root), g.div(q, root));
    let (p, q) = (g.derivative(p, sv), g.derivative(q, su));
    let above = g.sub(p, q);
    let bonnet = g.div(above, chart.area);
    same(&mut g, "Bonnet", spinning, bonnet);
}

/// (8): the turning of the axes e₁, e₂, n along the surface, from their derivatives, on any chart; and its
/// printed form with lines of curvature.
#[test]
fn eq_8_turning_of_the_axes() {
    let mut g = Graph::new();
    let rates = [g.named("u'"), g.named("v'")];
    let (zero, uv) = (g.zero(), parameters(&mut g));
    let skewed = skew(&mut g).0;
    let spheroid = shapes(&mut g)[3].1.chart(&mut g, uv).unwrap();
    for chart in [&skewed, &spheroid] {
        let along = Rates::from_iter(chart.parameters.into_iter().zip(rates));
        let [e1, e2] = chart.frame;
        let turned = |g: &mut Graph, w: &Vec3| w.map(|e| g.along(e, &along));
        // The axes turn with −(σ₁, τ₁, n₁) in the body: ė₂·n = −σ₁, ṅ·e₁ = −τ₁, ė₁·e₂ = −n₁.
        let d = [turned(&mut g, &e2), turned(&mut g, &chart.normal), turned(&mut g, &e1)];
        let wanted = [(d[0], chart.normal), (d[1], e1), (d[2], e2)].map(|(d, w)| {
            let inner = dot(&mut g, &d, &w);
            g.neg(inner)
        });
        let got = chart.turning(&mut g, &rates);
        same_all(&mut g, "(8)", &got, &wanted);
    }
    let [e, _, h] = spheroid.first;
    let [d, _, d2] = spheroid.second;
    let (e_v, g_u) = (g.derivative(e, uv[1]), g.derivative(h, uv[0]));
    let (sigma, tau) = (g.div(d2, spheroid.root_g), g.div(d, spheroid.root_e));
    let sigma = g.neg(sigma);
    let above = times(&mut g, e_v, rates[0], g_u, rates[1]);
    let spin = g.div(above, spheroid.area);
    let printed = [g.mul(sigma, rates[1]), g.mul(tau, rates[0]), g.scale(spin, &ratio(1, 2))];
    let got = spheroid.turning(&mut g, &rates);
    same_all(&mut g, "(8) printed", &got, &printed);
    assert_eq!(spheroid.first[1], zero);
}

/// Two spheroids in contact with lines of curvature, and the symbols of the five rates.
fn spheroids(g: &mut Graph) -> (NeumannContact, Rates, [Expr; 5]) {
    let [a, c, a1, c1] = ["a", "c", "a1", "c1"].map(|n| positive(g, n));
    let names = ["u", "v", "theta", "u1", "v1"];
    let q = names.map(|n| g.symbol(n));
    for s in [q[0], q[3]] {
        g.assume_positive(s);
    }
    let body = Surface::from(Shape::Spheroid { a, c }).chart(g, [q[0], q[1]]).unwrap();
    let ground = Surface::from(Shape::Spheroid { a: a1, c: c1 }).chart(g, [q[3], q[4]]).unwrap();
    let theta = g.var(q[2]);
    let rates = names.map(|n| g.named(&format!("{n}'")));
    let along = Rates::from_iter(q.into_iter().zip(rates));
    (NeumannContact::new(g, body, ground, theta), along, rates)
}

/// Ω̂ = Rᵀ Ṙ for the rotation of the contact, all five rates free: (9) with (10).
#[test]
fn eq_9_and_10_angular_velocity() {
    let mut g = Graph::new();
    let (contact, along, [du, dv, dt, du1, dv1]) = spheroids(&mut g);
    let r = contact.rotation(&mut g);
    let moved = r.map(|row| row.map(|e| g.along(e, &along)));
    let hat = mat_mul(&mut g, &transpose(&r), &moved);
    let omega = [hat[2][1], hat[0][2], hat[1][0]];
    let [e1, e2] = contact.body.frame;
    let axes = [e1, e2, contact.body.normal];
    let wanted = axes.map(|e| dot(&mut g, &omega, &e));
    let got = contact.angular_velocity_of(&mut g, &[du, dv], dt, &[du1, dv1]);
    same_all(&mut g, "(9)", &got, &wanted);
    // (10): p = σα + τβ + nγ
    let pqr = combine(&mut g, &got, &axes);
    same_all(&mut g, "(10)", &pqr, &omega);

    // (9) in print, corrected, with lines of curvature; and the printed signs.
    let (b, w) = (&contact.body, &contact.ground);
    let (s, c) = (g.sin(contact.theta), g.cos(contact.theta));
    let parts = |g: &mut Graph, x: &Chart, p: Expr, q: Expr| {
        let (first, last) = (g.div(x.second[0], x.root_e), g.div(x.second[2], x.root_g));
        let (e_v, g_u) = (g.derivative(x.first[0], x.parameters[1]), g.derivative(x.first[2], x.parameters[0]));
        let above = times(g, e_v, p, g_u, q);
        let spin = g.div(above, x.area);
        (g.mul(first, p), g.mul(last, q), g.scale(spin, &ratio(1, 2)))
    };
    let (d, d2, spin) = parts(&mut g, b, du, dv);
    let (d_1, d2_1, spin_1) = parts(&mut g, w, du1, dv1);
    let [ds, dc, d2s, d2c] = [(d_1, s), (d_1, c), (d2_1, s), (d2_1, c)].map(|(x, y)| g.mul(x, y));
    let one = |n: i64| ratio(n, 1);
    let sigma = g.linear([(d2, one(-1)), (d2s, one(-1)), (dc, one(-1))]);
    let tau = g.linear([(d, one(1)), (ds, one(-1)), (d2c, one(1))]);
    let n = g.linear([(dt, one(-1)), (spin, one(1)), (spin_1, one(1))]);
    same_all(&mut g, "(9) corrected", &got, &[sigma, tau, n]);
    let tau = g.linear([(d, one(-1)), (ds, one(-1)), (d2c, one(1))]);
    let n = g.linear([(dt, one(1)), (spin, one(1)), (spin_1, one(1))]);
    differ(&mut g, "τ as printed", got[1], tau);
    differ(&mut g, "n as printed", got[2], n);
}

/// (11): Rᵀ ẋ_O for x_O = c₁ − R c; (12) makes it (13), r × ω.
#[test]
fn eq_11_12_13_velocity_of_the_centre() {
    let mut g = Graph::new();
    let (contact, along, [du, dv, dt, du1, dv1]) = spheroids(&mut g);
    let (b, w) = (&contact.body, &contact.ground);
    let r = contact.rotation(&mut g);
    let carried = mat_vec(&mut g, &r, &b.position);
    let centre = sub(&mut g, &w.position, &carried);
    let moved = centre.map(|e| g.along(e, &along));
    let wanted = mat_vec(&mut g, &transpose(&r), &moved);
    let components = contact.angular_velocity_of(&mut g, &[du, dv], dt, &[du1, dv1]);
    let axes = [b.frame[0], b.frame[1], b.normal];
    let omega = combine(&mut g, &components, &axes);
    let lever = cross(&mut g, &b.position, &omega);
    let (s, c) = (g.sin(contact.theta), g.cos(contact.theta));
    let [p, q, p1, q1] = [(b.root_e, du), (b.root_g, dv), (w.root_e, du1), (w.root_g, dv1)].map(|(x, y)| g.mul(x, y));
    let [ps, pc, qs, qc] = [(p1, s), (p1, c), (q1, s), (q1, c)].map(|(x, y)| g.mul(x, y));
    let one = |n: i64| ratio(n, 1);
    let along_1 = g.linear([(ps, one(-1)), (qc, one(1)), (p, one(-1))]);
    let bracket = |g: &mut Graph, sign: i64| {
        let along_2 = g.linear([(pc, one(sign)), (qs, one(1)), (q, one(-1))]);
        let slide = combine(g, &[along_1, along_2], &b.frame);
        add(g, &slide, &lever)
    };
    let corrected = bracket(&mut g, 1);
    same_all(&mut g, "(11)", &corrected, &wanted);
    let printed = bracket(&mut g, -1);
    differ(&mut g, "(11) as printed", printed[0], wanted[0]);

    // (12): √E₁ u̇₁ = −√E u̇ s + √G v̇ c, √G₁ v̇₁ = √E u̇ c + √G v̇ s
    let ground = mat_vec(&mut g, &contact.ground_rates, &[du, dv]);
    let (left, left1) = (g.mul(w.root_e, ground[0]), g.mul(w.root_g, ground[1]));
    let [ps, pc, qs, qc] = [(p, s), (p, c), (q, s), (q, c)].map(|(x, y)| g.mul(x, y));
    let (right, right1) = (g.sub(qc, ps), g.add(pc, qs));
    same_all(&mut g, "(12)", &[left, left1], &[right, right1]);
    // (13), and (56) for σ, τ, n
    let map = [("u1'", ground[0]), ("v1'", ground[1])];
    let map = map.into_iter().map(|(n, e)| (g.find_symbol(n).unwrap(), e)).collect();
    let rolling = g.substitute_all(&wanted, &map);
    let spin = contact.angular_velocity(&mut g, &[du, dv], dt);
    let moved = g.substitute_all(&components, &map);
    same_all(&mut g, "(56)", &spin, &[moved[0], moved[1], moved[2]]);
    let omega = combine(&mut g, &spin, &axes);
    let lever = cross(&mut g, &b.position, &omega);
    same_all(&mut g, "(13)", &[rolling[0], rolling[1], rolling[2]], &lever);
    // (13) in print has lost its τ
    let one = g.one();
    let without = combine(&mut g, &[spin[0], one, spin[2]], &axes);
    let printed = cross(&mut g, &b.position, &without);
    differ(&mut g, "(13) as printed", rolling[0], printed[0]);
}

/// (34), corrected: σ and τ of a rolling body with lines of curvature. Print has D₁″/G₁ + D₁/E₁ in σ, −√E u̇ cos ϑ in τ.
#[test]
fn eq_34_without_the_rates_on_the_ground() {
    let mut g = Graph::new();
    let (contact, _, [du, dv, dt, _, _]) = spheroids(&mut g);
    let (b, w) = (&contact.body, &contact.ground);
    let [sigma, tau, _] = contact.angular_velocity(&mut g, &[du, dv], dt);
    let (s, c) = (g.sin(contact.theta), g.cos(contact.theta));
    let bent = |g: &mut Graph, x: &Chart| [g.div(x.second[0], x.first[0]), g.div(x.second[2], x.first[2])];
    let ([de, d2g], [de1, d2g1]) = (bent(&mut g, b), bent(&mut g, w));
    let (p, q) = (g.mul(b.root_e, du), g.mul(b.root_g, dv));
    let [pc, ps, qc, qs] = [(p, c), (p, s), (q, c), (q, s)].map(|(x, y)| g.mul(x, y));
    let (difference, sum) = (g.sub(d2g1, de1), g.add(d2g1, de1));
    let sigma_with = |g: &mut Graph, k: Expr| {
        let own = g.add(d2g, d2g1);
        let (own, moved) = (g.mul(own, q), g.sub(qc, ps));
        let seen = g.product([k, moved, c]);
        g.sub(seen, own)
    };
    let tau_with = |g: &mut Graph, p_cos: Expr| {
        let own = g.add(de, de1);
        let (own, moved) = (g.mul(own, p), g.add(p_cos, qs));
        let seen = g.product([difference, moved, c]);
        g.add(own, seen)
    };
    let (corrected, printed) = (sigma_with(&mut g, difference), sigma_with(&mut g, sum));
    same(&mut g, "(34), σ", sigma, corrected);
    differ(&mut g, "(34), σ as printed", sigma, printed);
    let minus = g.neg(pc);
    let (corrected, printed) = (tau_with(&mut g, pc), tau_with(&mut g, minus));
    same(&mut g, "(34), τ", tau, corrected);
    differ(&mut g, "(34), τ as printed", tau, printed);
}

/// (35): the sphere with outward normal has E₁ = R₁², G₁ = R₁² sin² u₁ (the factor R₁² is missing in print),
/// D₁/E₁ = −1/R₁.
#[test]
fn eq_35_sphere() {
    let mut g = Graph::new();
    let (uv, r) = (parameters(&mut g), positive(&mut g, "R1"));
    let sphere = Surface::from(Shape::Sphere { radius: r }).chart(&mut g, uv).unwrap();
    let u = g.var(uv[0]);
    let s = g.sin(u);
    let (rr, ss) = (g.powi(r, 2), g.powi(s, 2));
    assert_eq!(sphere.first, [rr, g.zero(), g.mul(rr, ss)]);
    differ(&mut g, "(35) as printed", sphere.first[2], ss);
    let inverse = g.powi(r, -1);
    let minus = g.neg(inverse);
    let b = sphere.second_in_frame(&mut g);
    let zero = g.zero();
    same_matrix(&mut g, "D/E", &b, &[[minus, zero], [zero, minus]]);
}
