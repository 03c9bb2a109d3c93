//! Relative curvature and the motion of the contact point.

use crate::common;
use common::*;
use polhode_base::random::Random;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::linear::*;
use polhode_geometry::*;

fn patch(g: &mut Graph, surface: Surface, at: [Symbol; 3]) -> Patch {
    Patch::Implicit(Box::new(surface.implicit(g, at).unwrap()))
}

/// Ball r on a plane: V = r ν × Ω. On a ball R: V = ν × Ω/(1/r + 1/R); in a hollow R: 1/r − 1/R.
#[test]
fn balls() {
    let mut g = Graph::new();
    let (c, c1) = (point(&mut g), ["c1[1]", "c1[2]", "c1[3]"].map(|n| g.symbol(n)));
    let (r, big) = (positive(&mut g, "r"), positive(&mut g, "R"));
    let (rot, omega) = (rotation(&mut g, "R"), vector(&mut g, "Omega"));
    let body = patch(&mut g, Shape::Sphere { radius: r }.into(), c);
    // The point of the body with normal ν, of the ground with −R ν.
    let nu_names = ["n[1]", "n[2]", "n[3]"].map(|n| g.symbol(n));
    g.relate(polhode_expr::Relation::UnitVector(nu_names));
    let nu = nu_names.map(|s| g.var(s));
    let (down, minus) = (mat_vec(&mut g, &rot, &nu), g.neg(big));
    let x = scale(&mut g, r, &nu);
    let x1 = scale(&mut g, minus, &down);
    let w = cross(&mut g, &nu, &omega);
    let (p, q) = (g.powi(r, -1), g.powi(big, -1));
    let sphere: Surface = Shape::Sphere { radius: big }.into();
    let grounds: [(Surface, Vec3, Expr); 3] = [
        (Shape::Plane.into(), [g.zero(); 3], p),
        (sphere, x1, g.add(p, q)),
        (sphere.inside(), neg(&mut g, &x1), g.sub(p, q)),
    ];
    for (surface, x1, relative) in grounds {
        let ground = patch(&mut g, surface, c1);
        let contact = Contact::new(&mut g, &body, &rot, &ground);
        let velocity = contact.velocity(&mut g, &omega);
        let mut map: Vec<(Symbol, Expr)> = c.into_iter().zip(x).collect();
        map.extend(c1.into_iter().zip(x1));
        let map = map.into_iter().collect();
        let got = g.substitute_all(&velocity, &map);
        let wanted = w.map(|e| g.div(e, relative));
        same_all(&mut g, "V", &[got[0], got[1], got[2]], &wanted);
        let (det, square) = (g.substitute(contact.determinant, &map), g.powi(relative, 2));
        same(&mut g, "det K", det, square);
        assert_eq!(body.rates(&mut g, &velocity), velocity.to_vec());
        assert!(body.constraint().is_some());
    }
}

/// Contact along lines and planes is recognised, contact in a point is not mistaken for it.
#[test]
fn degenerate_contacts() {
    let mut g = Graph::new();
    let (c, c1) = (point(&mut g), ["c1[1]", "c1[2]", "c1[3]"].map(|n| g.symbol(n)));
    let rot = rotation(&mut g, "R");
    let plane = patch(&mut g, Shape::Plane.into(), c1);
    for (name, surface) in shapes(&mut g).into_iter().filter(|(n, _)| !n.starts_with("superquadric")) {
        let body = patch(&mut g, surface, c);
        let contact = Contact::new(&mut g, &body, &rot, &plane);
        assert_eq!(contact.is_degenerate(&mut g), ["plane", "cylinder", "cone"].contains(&name), "{name}");
    }
}

/// The body in a skew chart on an ellipsoid in its chart: expressions of the state (u, v, ϑ, u₁, v₁).
struct Pair {
    g: Graph,
    coordinates: [Symbol; 5],
    contact: NeumannContact,
    body: Implicit,
    ground: Implicit,
}

fn pair() -> Pair {
    let mut g = Graph::new();
    let coordinates = ["u", "v", "theta", "u1", "v1"].map(|n| g.symbol(n));
    let [u, v, theta] = [0, 1, 2].map(|i| g.var(coordinates[i]));
    let (uu, vv, uvv) = (g.powi(u, 2), g.powi(v, 2), g.product([u, v]));
    // Convex upwards: z = −(u + v/3)²/2 − …; outward normal up.
    let x = g.linear([(u, ratio(1, 1)), (v, ratio(1, 3))]);
    let z = g.linear([(uu, ratio(-1, 2)), (vv, ratio(-3, 4)), (uvv, ratio(1, 5))]);
    let chart = Chart::new(&mut g, [coordinates[0], coordinates[1]], [x, v, z]);
    let c = point(&mut g);
    let [cx, cy, cz] = c.map(|s| g.var(s));
    let back = g.linear([(cx, ratio(1, 1)), (cy, ratio(-1, 3))]);
    let map = [(coordinates[0], back), (coordinates[1], cy)].into_iter().collect();
    let height = g.substitute(z, &map);
    let f = g.sub(cz, height);
    let body = Implicit::new(&mut g, c, f);
    let [a, b, d] = [3, 4, 5].map(|n| g.int(n));
    let ellipsoid: Surface = Shape::Ellipsoid { a, b, c: d }.into();
    let ground_chart = ellipsoid.chart(&mut g, [coordinates[3], coordinates[4]]).unwrap();
    let c1 = ["c1[1]", "c1[2]", "c1[3]"].map(|n| g.symbol(n));
    let ground = ellipsoid.implicit(&mut g, c1).unwrap();
    let contact = NeumannContact::new(&mut g, chart, ground_chart, theta);
    Pair { g, coordinates, contact, body, ground }
}

/// Both routes give the same contact velocity and the same det K, at random states.
#[test]
fn chart_free_and_neumann_agree() {
    let Pair { mut g, coordinates, contact, body, ground } = pair();
    let omega = vector(&mut g, "Omega");
    let rot = contact.rotation(&mut g);
    let axes = [contact.body.frame[0], contact.body.frame[1], contact.body.normal];
    let components = axes.map(|e| dot(&mut g, &omega, &e));
    let (rates, theta_rate, ground_rates) = contact.contact_rates(&mut g, components);
    let (velocity, velocity1) = (contact.body.velocity(&mut g, &rates), contact.ground.velocity(&mut g, &ground_rates));
    let again = contact.angular_velocity(&mut g, &rates, theta_rate);
    let det = contact.determinant(&mut g);

    let (b, w) = (Patch::Implicit(Box::new(body.clone())), Patch::Implicit(Box::new(ground.clone())));
    let free = Contact::new(&mut g, &b, &rot, &w);
    let v = free.velocity(&mut g, &omega);
    let mut map: Vec<(Symbol, Expr)> = body.coordinates.into_iter().zip(contact.body.position).collect();
    map.extend(ground.coordinates.into_iter().zip(contact.ground.position));
    let map = map.into_iter().collect();
    let v: Vec3 = g.substitute_all(&v, &map).try_into().unwrap();
    let free_det = g.substitute(free.determinant, &map);
    // The inverse of K + ννᵀ by cofactors
    let nn = outer(&mut g, &free.normal, &free.normal);
    let full = mat_add(&mut g, &free.curvature, &nn);
    let inverse = inverse3(&mut g, &full);
    let right = cross(&mut g, &free.normal, &omega);
    let by_inverse = mat_vec(&mut g, &inverse, &right);
    let by_inverse: Vec3 = g.substitute_all(&by_inverse, &map).try_into().unwrap();
    let carried = mat_vec(&mut g, &rot, &v);
    let down = mat_vec(&mut g, &rot, &contact.body.normal);

    let mut left: Vec<Expr> = Vec::new();
    left.extend(velocity.iter().chain(&velocity1).chain(&by_inverse).chain(&again).chain(&down));
    left.push(det);
    let up = neg(&mut g, &contact.ground.normal);
    let mut right: Vec<Expr> = Vec::new();
    right.extend(v.iter().chain(&carried).chain(&v).chain(&components).chain(&up));
    right.push(free_det);
    let mut random = Random::new(9);
    for _ in 0..20 {
        let names = ["Omega[1]", "Omega[2]", "Omega[3]"].map(|n| g.find_symbol(n).unwrap());
        let mut with: Vec<(Symbol, f64)> = names.iter().map(|s| (*s, random.short(-2.0, 2.0))).collect();
        with.extend(coordinates.iter().map(|s| (*s, random.short(0.3, 1.2))));
        let (l, r) = (values(&g, &left, &with), values(&g, &right, &with));
        for i in 0..l.len() {
            near(&format!("quantity {i}"), l[i], r[i], 1e-11);
        }
        assert!(l[l.len() - 1] > 0.0, "convex on convex");
    }
    // ν ⊥ V, exactly in the tangent plane of the body.
    let across = dot(&mut g, &contact.body.normal, &velocity);
    let zero = g.zero();
    same(&mut g, "V is tangent", across, zero);
}

/// R of the contact is a rotation, as an identity.
#[test]
fn rotation_of_the_contact() {
    let Pair { mut g, contact, .. } = pair();
    let rot = contact.rotation(&mut g);
    let square = mat_mul(&mut g, &rot, &transpose(&rot));
    let one = identity(&g);
    same_matrix(&mut g, "R Rᵀ", &square, &one);
    let det = det3(&mut g, &rot);
    same(&mut g, "det R", det, one[0][0]);
}

/// One instant of an ellipsoid (2, 3/2, 1) on an ellipsoid (3, 5/2, 2) in elliptic coordinates, from an
/// independent computation in multi-precision (reference data `voronets`, `neumann_instant`).
#[test]
fn reference_instant_of_two_ellipsoids() {
    let mut g = Graph::new();
    let names = ["u", "v", "theta", "u1", "v1"].map(|n| g.symbol(n));
    let theta = g.var(names[2]);
    let number = |g: &mut Graph, n: i64, d: i64| g.number(ratio(n, d));
    let [a, b, c] = [(2, 1), (3, 2), (1, 1)].map(|(n, d)| number(&mut g, n, d));
    let [a1, b1, c1] = [(3, 1), (5, 2), (2, 1)].map(|(n, d)| number(&mut g, n, d));
    let (small, big) =
        (Surface::from(Shape::Ellipsoid { a, b, c }), Surface::from(Shape::Ellipsoid { a: a1, b: b1, c: c1 }));
    let body = small.elliptic_chart(&mut g, [names[0], names[1]]).unwrap();
    let ground = big.elliptic_chart(&mut g, [names[3], names[4]]).unwrap();
    let state = [3.851231787626, 2.12066170349826, -1.07988080847641, 8.60977175677892, 5.91994852294136];
    let with: Vec<(Symbol, f64)> = names.into_iter().zip(state).collect();
    let check = |g: &Graph, what: &str, e: &[Expr], wanted: &[f64]| {
        for (got, wanted) in values(g, e, &with).iter().zip(wanted) {
            near(what, *got, *wanted, 1e-12);
        }
    };
    check(&g, "c", &body.position, &[0.461538461538462, 0.461538461538462, 0.923076923076923]);
    check(&g, "c₁", &ground.position, &[0.886968593983624, 0.886968593983624, 1.77393718796725]);
    check(&g, "E, F, G", &body.first, &[2.45319452254402, 0.0, 3.36816968635453]);
    check(&g, "E₁, F₁, G₁", &ground.first, &[1.36391487971318, 0.0, 2.03963492218372]);
    check(&g, "D, D′, D″", &body.second, &[-0.668679575198606, 0.0, -1.66727907007028]);
    check(&g, "D₁, D₁′, D₁″", &ground.second, &[-0.332837386688449, 0.0, -0.723887343658123]);
    // The roots taken for E and G are those of the definition.
    for chart in [&body, &ground] {
        for i in 0..2 {
            let square = dot(&mut g, &chart.tangents[i], &chart.tangents[i]);
            let v = values(&g, &[square, chart.first[2 * i]], &with);
            near("E by definition", v[0], v[1], 1e-13);
        }
    }
    let distance = dot(&mut g, &body.position, &body.normal);
    check(&g, "ε", &[distance], &[1.0497496273025]);
    let (axes, contact) =
        ([body.frame[0], body.frame[1], body.normal], NeumannContact::new(&mut g, body.clone(), ground, theta));
    let rot = contact.rotation(&mut g);
    let wanted = [
        [0.896676707331734, 0.231637156695372, -0.377246749710057],
        [0.202021735431933, -0.972382066637705, -0.116877435351975],
        [-0.393901130922201, 0.0285892308303043, -0.918708090167243],
    ];
    for i in 0..3 {
        check(&g, "R", &rot[i], &wanted[i]);
    }
    let omega = [number(&mut g, 1, 2), number(&mut g, 1, 3), number(&mut g, 1, 2)];
    let components = axes.map(|e| dot(&mut g, &omega, &e));
    check(&g, "σ, τ, n", &components, &[-0.412843419228098, -0.245315641975187, 0.616840058778178]);
    let (rates, theta_rate, ground_rates) = contact.contact_rates(&mut g, components);
    check(&g, "u̇, v̇", &rates, &[0.263426328151261, -0.260018422625804]);
    check(&g, "ϑ̇", &[theta_rate], &[-0.709790773031386]);
    check(&g, "u̇₁, v̇₁", &ground_rates, &[0.118935403218357, 0.430873749507642]);
}
