//! Identities that hold for every system, on random ones.
//!
//! A random system has three or four coordinates, a position-dependent mass matrix, terms linear in the
//! velocities, a potential, forces, and one or two constraints, affine and time-dependent among them.

use polhode_mechanics::{Form, FrameEquation, Leg, System, verify};
use polhode_model::{Model, ParseOptions};
use proptest::prelude::*;

/// A coefficient that depends on position (and time).
const COEFFICIENTS: [&str; 8] = ["1", "q1", "sin(q2)", "cos(q1 + q2)", "q1*q2", "q3^2", "sin(t)*q1", "2 - cos(q3)"];

#[derive(Clone, Debug)]
struct Random {
    n: usize,
    rows: Vec<Vec<usize>>,
    drift: Vec<Option<usize>>,
    kinetic: Vec<usize>,
    linear: usize,
    force: usize,
}

fn systems() -> impl Strategy<Value = Random> {
    let pick = 0..COEFFICIENTS.len();
    (3..=4usize, 1..=2usize).prop_flat_map(move |(n, m)| {
        let row = proptest::collection::vec(pick.clone(), n - m);
        (
            proptest::collection::vec(row, m),
            proptest::collection::vec(proptest::option::of(pick.clone()), m),
            proptest::collection::vec(pick.clone(), n),
            pick.clone(),
            pick.clone(),
        )
            .prop_map(move |(rows, drift, kinetic, linear, force)| Random {
                n,
                rows,
                drift,
                kinetic,
                linear,
                force,
            })
    })
}

impl Random {
    /// The model as text: the last coordinates are the dependent ones.
    fn text(&self) -> String {
        let (n, m) = (self.n, self.rows.len());
        let mut out = String::from("[parameters]\nm = 1.3\n[coordinates]\n");
        (1..=n).for_each(|i| out += &format!("q{i} = \"real\"\n"));
        let kinetic: Vec<String> = (1..=n)
            .map(|i| format!("m/2*(2 + ({})^2)*q{i}'^2", COEFFICIENTS[self.kinetic[i - 1]]))
            .chain([format!("q1'*q2'/3 + ({})*q1'", COEFFICIENTS[self.linear])])
            .collect();
        out += &format!("[lagrangian]\nL = \"{} - q1^2*q3 - cos(q2)\"\n", kinetic.join(" + "));
        out += &format!("[forces]\nq1 = \"-({})*q1'\"\n[constraints]\n", COEFFICIENTS[self.force]);
        for (k, row) in self.rows.iter().enumerate() {
            let mut terms: Vec<String> =
                row.iter().enumerate().map(|(j, c)| format!("({})*q{}'", COEFFICIENTS[*c], j + 1)).collect();
            terms.extend(self.drift[k].map(|c| COEFFICIENTS[c].to_string()));
            out += &format!("c{k} = \"q{}' = {}\"\n", n - m + k + 1, terms.join(" + "));
        }
        out
    }

    fn system(&self) -> System {
        let text = self.text();
        let (model, _) = Model::parse("random.toml", &text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        System::new(&model).unwrap_or_else(|e| panic!("{e}\n{text}")).0
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_forms_agree(random in systems()) {
        let found = verify(&mut random.system(), 2).expect("defined");
        prop_assert!(found.agrees(1e-45), "{found:?}\n{}", random.text());
    }

    /// β E = 1, A E_D = 0, A e₀ + a₀ = 0 for both kinds of frame.
    #[test]
    fn frames_are_adapted(random in systems()) {
        let mut s = random.system();
        let frames = [s.voronets_frame(), s.hamel_frame().expect("own choice")];
        for frame in frames {
            let product = frame.beta.mul(&mut s.graph, &frame.e);
            for i in 0..frame.n() {
                for j in 0..frame.n() {
                    let expected = if i == j { s.graph.one() } else { s.graph.zero() };
                    prop_assert!(s.graph.equal(product[(i, j)], expected).is_equal());
                }
            }
            for row in s.distribution.rows.clone() {
                for a in 0..frame.k {
                    let parts: Vec<_> = frame.e.col(a).iter().zip(&row.a).map(|(e, r)| s.graph.mul(*e, *r)).collect();
                    let along = s.graph.sum(parts);
                    prop_assert!(s.is_zero(along));
                }
                let mut parts: Vec<_> = frame.e0.iter().zip(&row.a).map(|(e, r)| s.graph.mul(*e, *r)).collect();
                parts.push(row.a0);
                let drift = s.graph.sum(parts);
                prop_assert!(s.is_zero(drift));
            }
        }
    }

    /// c_ij^k = −c_ji^k, with the drift among the legs.
    #[test]
    fn brackets_are_skew(random in systems()) {
        let mut s = random.system();
        let frame = s.voronets_frame();
        let (configuration, time) = (s.configuration.clone(), s.time);
        let legs: Vec<Leg> = std::iter::once(Leg::Drift).chain((0..frame.n()).map(Leg::Field)).collect();
        for &i in &legs {
            for &j in &legs {
                let (ij, ji) = (
                    frame.bracket(&mut s.graph, &configuration, time, i, j),
                    frame.bracket(&mut s.graph, &configuration, time, j, i),
                );
                for (a, b) in ij.iter().zip(&ji) {
                    let sum = s.graph.add(*a, *b);
                    prop_assert!(s.is_zero(sum));
                }
            }
        }
    }

    /// d/dt (v·∂L/∂v − L) = ⟨F + reaction, v⟩ − ∂L/∂t, with the accelerations of the multiplier form.
    #[test]
    fn energy_balance(random in systems()) {
        let mut s = random.system();
        let equations = s.equations(Form::Multipliers).expect("applies");
        let velocities = s.configuration.velocities().to_vec();
        let g = &mut s.graph;
        let v: Vec<_> = velocities.iter().map(|x| g.var(*x)).collect();
        let mut parts = vec![g.neg(s.lagrangian)];
        for (x, symbol) in v.iter().zip(&velocities) {
            let p = g.derivative(s.lagrangian, *symbol);
            parts.push(g.mul(p, *x));
        }
        let energy = g.sum(parts);
        let mut motion = s.configuration.motion(g, s.time);
        motion.extend(velocities.iter().copied().zip(equations.rates.iter().copied()));
        let change = g.along(energy, &motion);
        let explicit = g.derivative(s.lagrangian, s.time);
        let mut work = vec![g.neg(explicit)];
        for (a, x) in v.iter().enumerate() {
            let total = g.add(s.forces[a], equations.reaction_force[a]);
            work.push(g.mul(total, *x));
        }
        let power = g.sum(work);
        prop_assert!(s.graph.equal(change, power).is_equal());
    }

    /// The mass matrix of D is symmetric.
    #[test]
    fn mass_is_symmetric(random in systems()) {
        let mut s = random.system();
        let frame = s.hamel_frame().expect("own choice");
        let h = FrameEquation::new(&mut s, frame);
        for a in 0..h.frame.k {
            for b in 0..a {
                prop_assert!(s.graph.equal(h.mass[(a, b)], h.mass[(b, a)]).is_equal());
            }
        }
    }
}
