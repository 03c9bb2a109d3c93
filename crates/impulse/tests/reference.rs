//! Jumps and collisions with known answers: `filetests/impulses`.

use crate::common;

use common::{Entry, read, same};
use polhode_impulse::{Collision, Contact, Jump, Metric, Rank, Rows};
use polhode_tape::{Dd, Scalar};

fn check_rank_changes<S: Scalar>() -> usize {
    let table = read(include_str!("../../../filetests/impulses/ranks.txt"));
    for entry in &table {
        let name = &entry.name;
        let n = entry.numbers::<S>("p_minus").len();
        let metric = Metric::new(n, &entry.numbers::<S>("g")).expect("a metric");
        let mut rows = Rows::new(&metric, &entry.numbers("rows"), &[], Rank::Decide).expect("rows");
        let v: Vec<S> = entry.numbers("velocity_minus");
        let jump = Jump::new(&metric, &mut rows, &v, entry.number("restitution")).expect("a jump");
        assert_eq!(jump.jumped, entry.number::<f64>("jump") == 1.0, "{name}");
        same!(metric.momentum(&v), entry.numbers("p_minus"), "{name}: p⁻");
        same!(metric.momentum(&jump.velocity), entry.numbers("p_plus"), "{name}: p⁺");
        same!(jump.velocity, entry.numbers("velocity_plus"), "{name}: v⁺");
        same!([jump.dissipated], entry.numbers("energy_loss"), "{name}: loss");
        same!([metric.energy(&v)], entry.numbers("energy_minus"), "{name}: T⁻");
        same!([metric.energy(&jump.velocity)], entry.numbers("energy_plus"), "{name}: T⁺");
        if let Some(p) = entry.get::<S>("projector") {
            same!(rows.projector(&metric), p, "{name}: P");
        }
    }
    table.len()
}

#[test]
fn changes_of_rank() {
    assert_eq!(check_rank_changes::<f64>(), 11);
    assert_eq!(check_rank_changes::<Dd>(), 11);
}

/// The ball in (ẋ, ẏ, ω), G = m diag(1, 1, k², k², k²), rows ẋ − rω_y and ẏ + rω_x.
fn half_plane<S: Scalar>(entry: &Entry) -> (Metric<S>, Vec<S>) {
    let [m, r, k2]: [S; 3] = entry.numbers("m_r_k2").try_into().expect("three numbers");
    let (zero, one) = (S::from_f64(0.0), S::from_f64(1.0));
    let mut g = vec![zero; 25];
    for (i, x) in [m, m, m * k2, m * k2, m * k2].into_iter().enumerate() {
        g[6 * i] = x;
    }
    let w = vec![one, zero, zero, -r, zero, zero, one, r, zero, zero];
    (Metric::new(5, &g).expect("a metric"), w)
}

fn check_half_plane<S: Scalar>() -> usize {
    let table = read(include_str!("../../../filetests/impulses/half-plane.txt"));
    for entry in &table {
        let name = &entry.name;
        let (metric, w) = half_plane::<S>(entry);
        let mut rows = Rows::new(&metric, &w, &[], Rank::Decide).expect("rows");
        let v: Vec<S> = entry.numbers("velocity_minus");
        let jump = Jump::new(&metric, &mut rows, &v, S::from_f64(0.0)).expect("a jump");
        same!(jump.velocity, entry.numbers("velocity_plus"), "{name}: v⁺");
        same!([jump.dissipated], entry.numbers("energy_loss"), "{name}: loss");
        assert_eq!(jump.jumped, entry.number::<f64>("energy_loss") != 0.0, "{name}");
        if let Some(p) = entry.get::<S>("p_plus") {
            same!(metric.momentum(&jump.velocity), p, "{name}: p⁺");
            same!(jump.slip, entry.numbers("slip_minus"), "{name}: slip");
            same!(jump.multipliers, entry.numbers("floor_impulse"), "{name}: impulse");
            assert_eq!(jump.velocity[0].to_f64() > 0.0, entry.number::<f64>("enters") == 1.0, "{name}");
        }
    }
    table.len()
}

#[test]
fn half_planes() {
    assert_eq!(check_half_plane::<f64>(), 6);
    assert_eq!(check_half_plane::<Dd>(), 6);
}

/// A ball in (ω, ẋ) ∈ ℝ⁶ with inertia I₁ + (I₃ − I₁) zzᵀ, M; rows of the velocity ẋ + ω × ρ of a point ρ from the centre.
struct Ball<S> {
    metric: Metric<S>,
    r: S,
}

impl<S: Scalar> Ball<S> {
    fn new(entry: &Entry) -> Self {
        let [i1, i3, m, r]: [S; 4] = entry.numbers("i1_i3_m_r").try_into().expect("four numbers");
        let z: Vec<S> = entry.numbers("z0");
        let mut g = vec![S::from_f64(0.0); 36];
        for i in 0..3 {
            for j in 0..3 {
                g[6 * i + j] = (i3 - i1) * z[i] * z[j];
            }
            g[7 * i] = g[7 * i] + i1;
            g[7 * (i + 3)] = m;
        }
        Ball { metric: Metric::new(6, &g).expect("a metric"), r }
    }

    /// ⟨d, ẋ + ω × rρ⟩ as a row: ⟨d, ω × ρ⟩ = ⟨ω, ρ × d⟩.
    fn row(&self, d: [S; 3], rho: [S; 3]) -> [S; 6] {
        let c = cross(rho, d).map(|x| self.r * x);
        [c[0], c[1], c[2], d[0], d[1], d[2]]
    }

    /// The point that touches the floor is at rest.
    fn floor(&self) -> Vec<S> {
        let down = [0.0, 0.0, -1.0].map(S::from_f64);
        unit_vectors().into_iter().flat_map(|d| self.row(d, down)).collect()
    }

    /// A rough wall in direction n: normal velocity, horizontal and vertical slip.
    fn wall(&self, n: [S; 3]) -> Vec<S> {
        let up = [0.0, 0.0, 1.0].map(S::from_f64);
        [n.map(|x| -x), cross(up, n), up].into_iter().flat_map(|d| self.row(d, n)).collect()
    }

    /// (ω, ẋ) of a ball that rolls: ẋ = r ω × e₃.
    fn rolling(&self, omega: &[S]) -> Vec<S> {
        vec![omega[0], omega[1], omega[2], self.r * omega[1], -self.r * omega[0], S::from_f64(0.0)]
    }
}

fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit_vectors<S: Scalar>() -> [[S; 3]; 3] {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|d| d.map(S::from_f64))
}

fn check_walls<S: Scalar>() -> usize {
    let table = read(include_str!("../../../filetests/impulses/walls.txt"));
    for entry in &table {
        let name = &entry.name;
        let ball = Ball::<S>::new(entry);
        let normals: Vec<S> = entry.numbers("wall_normals");
        let walls: Vec<Vec<S>> = normals.chunks(3).map(|n| ball.wall([n[0], n[1], n[2]])).collect();
        let restitution = entry.number("restitution");
        let contacts: Vec<_> = walls.iter().map(|rows| Contact { rows, offset: &[], restitution }).collect();
        let v = ball.rolling(&entry.numbers::<S>("omega_minus"));
        let c = Collision::new(&ball.metric, &ball.floor(), &[], &contacts, &v).expect("a collision");
        same!(c.velocity, ball.rolling(&entry.numbers::<S>("omega_plus")), "{name}: v⁺");
        assert_eq!(c.rounds, 1, "{name}");
        let (before, after) = (ball.metric.energy(&v), ball.metric.energy(&c.velocity));
        if let Some(energy) = entry.get::<S>("energy_minus") {
            same!([before, after], [energy[0], entry.number("energy_plus")], "{name}: T");
        }
        same!([c.dissipated], [before - after], "{name}: Carnot");
        if let Some(rank) = entry.get::<f64>("rank") {
            assert_eq!(c.rank as f64, rank[0], "{name}: rank");
        }
        // the impulses along the rows are those of the momentum
        let mut p = vec![S::from_f64(0.0); 6];
        let floor = ball.floor();
        let all =
            floor.chunks(6).zip(&c.kept).chain((0..walls.len()).flat_map(|i| walls[i].chunks(6).zip(c.contact(i))));
        for (row, lambda) in all {
            for j in 0..6 {
                p[j] = p[j] + *lambda * row[j];
            }
        }
        same!(p, c.impulse, "{name}: Δp");
    }
    table.len()
}

#[test]
fn walls() {
    assert_eq!(check_walls::<f64>(), 29);
    assert_eq!(check_walls::<Dd>(), 29);
}

/// Floor friction, floor normal, wall normal and vertical friction of the wall share one direction.
#[test]
fn single_impulses_of_a_wall_are_not_unique() {
    let table = read(include_str!("../../../filetests/impulses/walls.txt"));
    let ball = Ball::<f64>::new(&table[1]);
    let wall = ball.wall([1.0, 0.0, 0.0]);
    let contact = Contact { rows: &wall, offset: &[], restitution: 1.0 };
    let v = ball.rolling(&table[1].numbers::<f64>("omega_minus"));
    let c = Collision::new(&ball.metric, &ball.floor(), &[], &[contact], &v).expect("a collision");
    assert_eq!(c.unique(0), [false, true, false], "only the horizontal friction is determined");
    let [direction] = c.ambiguity().try_into().expect("one direction");
    // rows: floor x, y, z, wall −x, y, z. An impulse on the ball along +x has weight −1 on the row −ẋ.
    let scale = direction[0];
    let unit: Vec<f64> = direction.iter().map(|x| x / scale).collect();
    for (x, expected) in unit.iter().zip([1.0, 0.0, 1.0, 1.0, 0.0, -1.0]) {
        assert!((x - expected).abs() < 1e-14, "{unit:?}");
    }
}
