//! What the group element of one period means.
//!
//! With h as an affine map s ↦ L s + d of positions, the mean of many periods separates what is gained from what is turned,
//!
//! ```text
//! d = (1 − L) c + e,      L e = e,      so that      hⁿ s = c + Lⁿ (s − c) + n e:                    (M)
//! ```
//!
//! e is the gain of each period (an angle's advance, a drift), c a centre of what L turns. Motions of planes and of space are orthogonal maps, for which both are found
//! by least squares. A motion is bounded if nothing but angles has a gain.

use super::dynamics::Dynamics;
use super::group::{Action, Part};
use super::linear::Square;
use polhode_tape::dense::least_squares;
use polhode_tape::{Dd, Scalar};

/// A turn of one period smaller than this is none: its centre would be a trillion times farther away than the motion is wide.
const TURNED: f64 = 1e-12;

/// Coordinates and directions smaller than this are zero, as lengths and times of models go.
const ROUNDING: f64 = 1e-20;

/// A position that grows by the same amount in every period.
#[derive(Clone, Debug, PartialEq)]
pub struct Gain {
    /// Its name.
    pub name: String,
    /// Is it an angle?
    pub angle: bool,
    /// In one period.
    pub gain: Dd,
    /// On the average, in a unit of time.
    pub rate: Dd,
}

/// A rotation of one period.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// What is turned: a rotation, or coordinates.
    pub names: Vec<String>,
    /// Of a rotation: is it turned about axes of its own body, or of space?
    pub body: bool,
    /// The axis; a plane has none.
    pub axis: Option<[f64; 3]>,
    /// The angle in one period, from −π to π in a plane and from 0 to π in space.
    pub angle: Dd,
}

/// The point that a turn of coordinates leaves in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Centre {
    /// The coordinates.
    pub names: Vec<String>,
    /// Their values.
    pub point: Vec<Dd>,
}

/// What one period does to positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Holonomy {
    /// T.
    pub period: Dd,
    /// Is the motion steady, so that T is no more than a unit of time?
    pub steady: bool,
    /// e of (M).
    pub gains: Vec<Gain>,
    /// L.
    pub turns: Vec<Turn>,
    /// c.
    pub centres: Vec<Centre>,
}

impl Holonomy {
    pub(crate) fn of(dynamics: &Dynamics, action: &Action, map: &Square<Dd>, period: Dd, steady: bool) -> Holonomy {
        let n = action.len;
        let linear = |i: usize, j: usize| map.at(i, j);
        let rest = |i: usize, j: usize| if i == j { Dd::ONE - linear(i, j) } else { -linear(i, j) };
        let columns: Vec<Vec<Dd>> = (0..n).map(|j| (0..n).map(|i| rest(i, j)).collect()).collect();
        let shift: Vec<Dd> = (0..n).map(|i| map.at(i, n)).collect();
        // columns without a turn are rounding
        let columns: Vec<Vec<Dd>> = columns
            .into_iter()
            .map(|c| if c.iter().all(|x| x.to_f64().abs() < TURNED) { vec![Dd::ZERO; n] } else { c })
            .collect();
        let centre = least_squares(&columns, &shift, TURNED);
        let gain = |i: usize| (0..n).fold(shift[i], |sum, j| sum - columns[j][i] * centre[j]);
        let mut gains = Vec::new();
        for i in 0..dynamics.positions {
            let e = gain(i);
            if e.to_f64().abs() > TURNED * shift[i].to_f64().abs().max(1e-6) {
                let (name, angle) = (action.names[i].clone(), action.angles[i]);
                gains.push(Gain { name, angle, gain: e, rate: e / period });
            }
        }
        let mut out = Holonomy { period, steady, gains, turns: Vec::new(), centres: Vec::new() };
        out.turned_rotations(action, map);
        out.turned_coordinates(action, map, &centre);
        out
    }

    /// R ↦ A R B has the block A ⊗ Bᵀ.
    fn turned_rotations(&mut self, action: &Action, map: &Square<Dd>) {
        for part in &action.parts {
            let Part::Rotation { name, at } = part else { continue };
            let entry = |i: usize, k: usize, j: usize, l: usize| map.at(at + 3 * i + k, at + 3 * j + l);
            // a largest entry tells the scale of both factors
            let mut largest = (0.0, 0, 0, 0, 0);
            for index in 0..81 {
                let (i, k, j, l) = (index / 27, index / 9 % 3, index / 3 % 3, index % 3);
                let size = entry(i, k, j, l).to_f64().abs();
                if size > largest.0 {
                    largest = (size, i, k, j, l);
                }
            }
            let (_, i0, k0, j0, l0) = largest;
            let mut left = [[Dd::ZERO; 3]; 3];
            let mut right = [[Dd::ZERO; 3]; 3];
            for p in 0..3 {
                for q in 0..3 {
                    left[p][q] = entry(p, k0, q, l0);
                    right[q][p] = entry(i0, p, j0, q);
                }
            }
            for (body, matrix) in [(false, left), (true, right)] {
                if let Some((axis, angle)) = axis_and_angle(matrix) {
                    self.turns.push(Turn { names: vec![name.clone()], body, axis: Some(axis), angle });
                }
            }
        }
    }

    fn turned_coordinates(&mut self, action: &Action, map: &Square<Dd>, centre: &[Dd]) {
        for set in coupled(action, map) {
            let names: Vec<String> = set.iter().map(|i| action.names[*i].clone()).collect();
            let block = |i: usize, j: usize| map.at(set[i], set[j]);
            let (axis, angle) = match set.len() {
                2 => (None, block(1, 0).atan2(block(0, 0))),
                3 => {
                    let m = [0, 1, 2].map(|i| [0, 1, 2].map(|j| block(i, j)));
                    let Some((axis, angle)) = axis_and_angle(m) else { continue };
                    (Some(axis), angle)
                }
                _ => continue,
            };
            self.centres.push(Centre { names: names.clone(), point: set.iter().map(|i| clean(centre[*i])).collect() });
            self.turns.push(Turn { names, body: false, axis, angle });
        }
    }

    /// Does nothing but angles grow?
    pub fn is_bounded(&self) -> bool {
        self.gains.iter().all(|g| g.angle)
    }

    /// As sentences.
    pub fn lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        let number = |x: Dd| x.to_f64().to_string();
        match self.steady {
            true if self.gains.is_empty() && self.turns.is_empty() => {
                out.push("the motion is steady: nothing moves".to_owned());
                return out;
            }
            true => out.push("the motion is steady: a flow of the symmetry".to_owned()),
            false => out.push(format!("the reduced motion has the period {}", number(self.period))),
        }
        for g in &self.gains {
            out.push(match self.steady {
                true => format!("{} grows at the rate {}", g.name, number(g.rate)),
                false => {
                    format!("{} gains {} in each period, {} per unit of time", g.name, number(g.gain), number(g.rate))
                }
            });
        }
        for t in &self.turns {
            let names = t.names.join(", ");
            let rate = t.angle / self.period;
            let how = match self.steady {
                true => format!("at the rate {}", number(rate)),
                false => format!("by {} in each period", number(t.angle)),
            };
            let whose = if t.body { "its body's" } else { "the" };
            let about = match (t.axis, self.centres.iter().find(|c| c.names == t.names)) {
                (axis, Some(c)) => {
                    let point = c.point.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ");
                    let along = axis.map_or(String::new(), |a| format!(" along {}", vector(a)));
                    format!(" about ({point}){along}")
                }
                (Some(axis), None) => format!(" about {whose} axis {}", vector(axis)),
                (None, None) => String::new(),
            };
            out.push(format!("{names} turn{} {how}{about}", if t.names.len() == 1 { "s" } else { "" }));
        }
        let drifting: Vec<&str> = self.gains.iter().filter(|g| !g.angle).map(|g| g.name.as_str()).collect();
        out.push(match drifting.is_empty() {
            true => "the motion is bounded".to_owned(),
            false => format!(
                "the motion is unbounded: {} drift{}",
                drifting.join(", "),
                if drifting.len() == 1 { "s" } else { "" }
            ),
        });
        out
    }
}

/// Without what rounding leaves of zero.
fn clean(x: Dd) -> Dd {
    if x.to_f64().abs() < ROUNDING { Dd::ZERO } else { x }
}

fn vector(a: [f64; 3]) -> String {
    format!("({}, {}, {})", a[0], a[1], a[2])
}

/// Coordinates that h mixes with each other.
fn coupled(action: &Action, map: &Square<Dd>) -> Vec<Vec<usize>> {
    let plain: Vec<usize> =
        action.parts.iter().filter_map(|p| if let Part::Plain { at } = p { Some(*at) } else { None }).collect();
    let mixes = |i: usize, j: usize| map.at(i, j).to_f64().abs() > TURNED || map.at(j, i).to_f64().abs() > TURNED;
    let turns = |i: usize, j: usize| i == j && (map.at(i, i).to_f64() - 1.0).abs() > 0.5;
    let mut open = plain.clone();
    let mut out = Vec::new();
    while let Some(first) = open.first().copied() {
        let mut set = vec![first];
        let mut k = 0;
        open.remove(0);
        while k < set.len() {
            let i = set[k];
            let (with, without): (Vec<usize>, Vec<usize>) = open.iter().partition(|j| mixes(i, **j));
            set.extend(with);
            open = without;
            k += 1;
        }
        // half a turn mixes nothing: coordinates that change sign together belong together
        if set.len() == 1 && turns(first, first) {
            let (with, without): (Vec<usize>, Vec<usize>) = open.iter().partition(|j| turns(**j, **j));
            set.extend(with);
            open = without;
        }
        set.sort_unstable();
        if set.len() > 1 {
            out.push(set);
        }
    }
    out
}

/// Axis and angle of a rotation matrix up to a sign; `None` for the identity.
fn axis_and_angle(m: [[Dd; 3]; 3]) -> Option<([f64; 3], Dd)> {
    let det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    // a factor of a product of matrices is known up to a scale, whose cube the determinant is
    let scale = det.to_f64().cbrt();
    // one step of Newton makes the cube root good to all digits
    let s = Dd::from(scale);
    let s = s - (s * s * s - det) / (Dd::from(3.0) * s * s);
    let m = m.map(|row| row.map(|x| x / s));
    let skew = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    let sine = skew.iter().fold(Dd::ZERO, |sum, x| sum + *x * *x).sqrt() * Dd::from(0.5);
    let cosine = (m[0][0] + m[1][1] + m[2][2] - Dd::ONE) * Dd::from(0.5);
    let angle = sine.atan2(cosine);
    if angle.to_f64() <= TURNED {
        return None;
    }
    let mut axis = skew.map(|x| x.to_f64());
    if sine.to_f64() < 1e-8 {
        // half a turn: the columns of 1 + R are multiples of the axis
        let column = (0..3).max_by(|i, j| m[*i][*i].to_f64().total_cmp(&m[*j][*j].to_f64())).unwrap_or(0);
        axis = [0, 1, 2].map(|i| m[i][column].to_f64() + if i == column { 1.0 } else { 0.0 });
    }
    let size = axis.iter().fold(0.0, |s: f64, x| s.hypot(*x));
    // what is left of a component by rounding is none
    Some((axis.map(|x| if x.abs() < ROUNDING * size { 0.0 } else { x / size }), angle))
}
