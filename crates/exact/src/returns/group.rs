//! The group on the space of positions and velocities, as affine maps.
//!
//! A generator X of a symmetry moves positions and velocities s by
//!
//! ```text
//! ṡ = A s + b,      so that its flow is      (s, 1) ↦ exp(t (A b; 0 0)) (s, 1),                     (A)
//! ```
//!
//! for cyclic coordinates and Euclidean motions: translations, turns of the plane with its headings, turns of rotation matrices from the left and
//! from the right with what belongs to the body. That (A) holds is decided exactly; a generator for which it does not is left out, which may
//! only cost returns. Matrices of commutators are added until the span closes.
//!
//! A full turn of an angle is a symmetry too, if no force or constraint tells θ from θ + 2π: differences of angles are taken modulo 2π, and
//! whether the equations allow it is tested on the motion ([`super::motion`]).

use super::dynamics::Dynamics;
use super::found::on_the_motion;
use super::linear::{Sparse, flow, length};
use crate::budget::GENERATORS;
use polhode_expr::eval::{Arithmetic, Digits};
use polhode_expr::{Expr, Symbol};
use polhode_lower::dd;
use polhode_mechanics::symmetry::Field;
use polhode_mechanics::{System, initial_state};
use polhode_model::{DIGITS, Factor};
use polhode_tape::dense::least_squares;
use polhode_tape::{Dd, Scalar};
use rustc_hash::FxHashMap;

/// Part of a matrix that must be left for it to be independent of others: entries are small whole numbers and parameters.
const INDEPENDENT: f64 = 1e-9;

/// Weight of coordinates that the group shifts, relative to the rest: a heading tells the turn at once, while velocities alone leave a choice of wells.
const SHIFTED: f64 = 100.0;

/// What the generators do to positions and velocities.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// Number of positions and velocities; homogeneous vectors have one component more.
    pub(crate) len: usize,
    /// Homogeneous matrices of the generators.
    pub(crate) generators: Vec<Sparse<Dd>>,
    /// Generators as they are written; those that were added to close the span have none.
    pub(crate) texts: Vec<String>,
    /// Generators that are not affine.
    pub(crate) left_out: Vec<String>,
    /// Which positions are angles.
    pub(crate) angles: Vec<bool>,
    /// Number of positions.
    positions: usize,
    /// The names of positions and velocities.
    pub(crate) names: Vec<String>,
    /// What the positions are.
    pub(crate) parts: Vec<Part>,
    weights: Vec<f64>,
}

/// A part of the positions.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A number.
    Plain {
        /// Where.
        at: usize,
    },
    /// The nine entries of a rotation.
    Rotation {
        /// Its name.
        name: String,
        /// Where they begin.
        at: usize,
    },
}

/// Points of a surface that agree to this part of their size are the same.
const SAME: f64 = 1e-25;

/// Which symbols are parameters of points of contact that a full turn brings back to the same point: longitudes, parameters of rims.
fn turning_parameters(system: &mut System, symbols: &[Symbol]) -> Vec<usize> {
    let model = system.model.clone();
    let Ok(Some(start)) = initial_state(system, &model) else { return Vec::new() };
    let digits = Digits::decimal(DIGITS);
    let quarter = digits.mul(&digits.pi(), &digits.double(0.5));
    let mut out = Vec::new();
    for side in model.contacts.iter().flat_map(|c| &c.sides) {
        let coordinates = side.piece.coordinates();
        // in space a point has coordinates that are no parameters
        if coordinates.len() > 2 {
            continue;
        }
        let point = |s: Symbol, quarters: f64| -> Option<Vec<Dd>> {
            let mut at = start.digits.clone();
            let moved = digits.add(at.get(&s)?, &digits.mul(&quarter, &digits.double(quarters)));
            at.insert(s, moved);
            let values = system.graph.evaluate(&digits, &side.piece.position()[..], &at).ok()?;
            Some(values.iter().map(dd).collect())
        };
        for s in coordinates {
            // the same after a turn from two places, and not the same for no other reason than that the parameter does nothing
            let pairs = [(0.0, 4.0), (0.25, 4.25)].map(|(a, b)| Some((point(*s, a)?, point(*s, b)?)));
            let far = |a: &[Dd], b: &[Dd]| length(&a.iter().zip(b).map(|(x, y)| *x - *y).collect::<Vec<_>>());
            let turns = pairs.iter().all(|p| p.as_ref().is_some_and(|(a, b)| far(a, b) <= SAME * length(a)));
            let Some(k) = symbols.iter().position(|t| t == s) else { continue };
            if turns
                && let [Some((a, _)), Some((b, _))] = &pairs
                && far(a, b) > SAME * length(a)
            {
                out.push(k);
            }
        }
    }
    out
}

impl Action {
    /// The symmetries that a model states, as far as they are, and those that are found.
    pub(crate) fn of(system: &mut System, dynamics: &Dynamics) -> Action {
        let mut fields: Vec<Field> = Vec::new();
        if !system.model.symmetries.is_empty()
            && let Ok(symmetry) = system.symmetry()
        {
            fields.extend(symmetry.fields);
        }
        fields.extend(system.suggested_symmetries());
        fields.retain(|f| !f.depends_on_time(&system.graph));
        let configuration = system.configuration.clone();
        let symbols: Vec<Symbol> =
            configuration.positions().iter().chain(configuration.velocities()).copied().collect();
        let mut angles = vec![false; symbols.len()];
        let mut parts = Vec::new();
        let mut at = 0;
        for factor in configuration.factors() {
            parts.extend(factor.rotation().map(|turn| Part::Rotation { name: turn.name.clone(), at }));
            let end = at + factor.positions.len();
            parts.extend((end - factor.besides_rotation().len()..end).map(|at| Part::Plain { at }));
            for s in &factor.positions {
                angles[at] = factor.angle() == Some(*s);
                at += 1;
            }
        }
        for at in turning_parameters(system, &symbols) {
            angles[at] = true;
        }
        let names = symbols.iter().map(|s| system.graph.name(*s).to_owned()).collect();
        let mut action = Action {
            len: symbols.len(),
            generators: Vec::new(),
            texts: Vec::new(),
            left_out: Vec::new(),
            angles,
            positions: configuration.positions().len(),
            names,
            parts,
            weights: Vec::new(),
        };
        for field in fields {
            match affine(system, &field, &symbols) {
                Some(matrix) if action.is_new(&matrix) => {
                    action.generators.push(matrix);
                    action.texts.push(field.text.clone());
                }
                Some(_) => {}
                None => action.left_out.push(field.text.clone()),
            }
        }
        if configuration.factors().iter().any(Factor::is_carried) {
            for matrix in on_the_motion(system, dynamics, &symbols) {
                if action.is_new(&matrix) {
                    action.texts.push(action.text(&matrix));
                    action.generators.push(matrix);
                }
            }
        }
        action.close();
        action.weights = action.weights_of();
        action
    }

    /// A generator that was found as a matrix: the rates of positions.
    fn text(&self, matrix: &Sparse<Dd>) -> String {
        let mut rates: Vec<(usize, String)> = Vec::new();
        for (i, j, x) in matrix.iter().filter(|(i, _, _)| *i < self.positions) {
            let x = x.to_f64();
            let term = match (self.names.get(*j), x) {
                (None, x) => format!("{x:+}"),
                (Some(name), 1.0) => format!("+{name}"),
                (Some(name), -1.0) => format!("-{name}"),
                (Some(name), x) => format!("{x:+}*{name}"),
            };
            match rates.iter_mut().find(|(k, _)| k == i) {
                Some((_, text)) => *text += &term,
                None => rates.push((*i, term)),
            }
        }
        let parts: Vec<String> =
            rates.iter().map(|(i, t)| format!("{}: {}", self.names[*i], t.trim_start_matches('+'))).collect();
        format!("on the motion: {}", parts.join(", "))
    }

    fn dense(&self, m: &Sparse<Dd>) -> Vec<f64> {
        let n = self.len + 1;
        let mut out = vec![0.0; n * n];
        m.iter().for_each(|(i, j, x)| out[i * n + j] += x.to_f64());
        out
    }

    /// Is the matrix no combination of the generators?
    fn is_new(&self, matrix: &Sparse<Dd>) -> bool {
        let columns: Vec<Vec<f64>> = self.generators.iter().map(|g| self.dense(g)).collect();
        let wanted = self.dense(matrix);
        let x = least_squares(&columns, &wanted, INDEPENDENT);
        let mut rest = wanted.clone();
        for (c, x) in columns.iter().zip(x) {
            rest.iter_mut().zip(c).for_each(|(r, c)| *r -= x * c);
        }
        length(&rest) > INDEPENDENT * length(&wanted).max(f64::MIN_POSITIVE)
    }

    /// Adds commutators.
    fn close(&mut self) {
        let mut i = 0;
        while i < self.generators.len() {
            for j in 0..i {
                let bracket = commutator(&self.generators[i], &self.generators[j]);
                if !bracket.is_empty() && self.generators.len() < GENERATORS && self.is_new(&bracket) {
                    self.generators.push(bracket);
                }
            }
            i += 1;
        }
    }

    fn weights_of(&self) -> Vec<f64> {
        let shifted = |i: usize| {
            let mut entries = self.generators.iter().flatten().filter(|(row, _, _)| *row == i).peekable();
            entries.peek().is_some() && entries.all(|(_, column, _)| *column == self.len)
        };
        (0..self.len).map(|i| if shifted(i) { SHIFTED } else { 1.0 }).collect()
    }

    /// Σ ξᵢ Gᵢ.
    pub(crate) fn combination<S: Scalar>(&self, xi: &[S]) -> Sparse<S> {
        let mut out = Sparse::new();
        for (g, x) in self.generators.iter().zip(xi).filter(|(_, x)| **x != S::default()) {
            out.extend(g.iter().map(|(i, j, e)| (*i, *j, S::constant(*e) * *x)));
        }
        out
    }

    /// Gᵢ w for every generator, without the last component.
    pub(crate) fn tangents<S: Scalar>(&self, w: &[S]) -> Vec<Vec<S>> {
        (self.generators.iter())
            .map(|g| {
                let mut out = vec![S::default(); self.len];
                g.iter().for_each(|(i, j, x)| out[*i] = out[*i] + S::constant(*x) * w[*j]);
                out
            })
            .collect()
    }

    /// s − w with angles modulo 2π.
    pub(crate) fn difference<S: Scalar>(&self, s: &[S], w: &[S]) -> Vec<S> {
        let turn = S::constant(Dd::PI + Dd::PI);
        (0..self.len)
            .map(|i| {
                let d = s[i] - w[i];
                match self.angles[i] {
                    true => d - turn * S::from_f64((d.to_f64() / turn.to_f64()).round()),
                    false => d,
                }
            })
            .collect()
    }

    fn weighted<S: Scalar>(&self, v: &[S]) -> Vec<S> {
        v.iter().zip(&self.weights).map(|(x, w)| *x * S::from_f64(*w)).collect()
    }

    /// The velocity along a motion that no generator accounts for, and the generators that account for the rest.
    pub(crate) fn across<S: Scalar>(&self, s: &[S], rate: &[S], cut: f64) -> (Vec<S>, Vec<S>) {
        let tangents = self.tangents(s);
        let xi = least_squares(&tangents, &rate[..self.len], cut);
        let mut rest = rate[..self.len].to_vec();
        for (t, x) in tangents.iter().zip(&xi) {
            rest.iter_mut().zip(t).for_each(|(r, t)| *r = *r - *t * *x);
        }
        (rest, xi)
    }

    /// The largest row sum of the linear part of Σ ξᵢ Gᵢ: by how much it turns.
    fn turning<S: Scalar>(&self, xi: &[S]) -> f64 {
        let mut rows = vec![0.0; self.len + 1];
        let combination = self.combination(xi);
        combination.iter().filter(|(_, j, _)| *j < self.len).for_each(|(i, _, x)| rows[*i] += x.to_f64().abs());
        rows.into_iter().fold(0.0, f64::max)
    }

    /// Does a step turn by more than any step that means something? Points near an axis ask for such turns, and their flows take as many series.
    pub(crate) fn turns_too_far<S: Scalar>(&self, xi: &[S]) -> bool {
        let turn = self.turning(xi);
        turn.is_nan() || turn > FARTHEST
    }

    /// Moves w within its orbit towards s: Gauss–Newton with halving. Every step is noted, as ξ with w ← exp(ξ) w. The distance left.
    pub(crate) fn approach<S: Scalar>(
        &self,
        s: &[S],
        w: &mut Vec<S>,
        iterations: usize,
        mut note: impl FnMut(&[S]),
    ) -> f64 {
        let measure = |w: &[S]| length(&self.weighted(&self.difference(s, w)));
        let mut distance = measure(w);
        for _ in 0..iterations {
            let tangents: Vec<Vec<S>> = self.tangents(w).iter().map(|t| self.weighted(t)).collect();
            let wanted = self.weighted(&self.difference(s, w));
            let mut xi = least_squares(&tangents, &wanted, rank::<S>());
            let turn = self.turning(&xi);
            if turn > FARTHEST {
                xi.iter_mut().for_each(|x| *x = *x * S::from_f64(FARTHEST / turn));
            }
            let mut better = None;
            for _ in 0..HALVINGS {
                let moved = flow(&self.combination(&xi), w);
                let now = measure(&moved);
                if now < distance {
                    better = Some((moved, now));
                    break;
                }
                xi.iter_mut().for_each(|x| *x = *x * S::from_f64(0.5));
            }
            let Some((moved, now)) = better else { break };
            note(&xi);
            let done = now > STALLED * distance;
            (*w, distance) = (moved, now);
            if done {
                break;
            }
        }
        length(&self.difference(s, w))
    }
}

/// Tangents shorter than this part of the longest are those of a generator that does not move the point: rounding makes them 10⁻¹⁶ in doubles, 10⁻³² in double-doubles.
/// A body tilted by 10⁻¹² out of a symmetric position is moved by 10⁻¹².
pub(crate) fn rank<S: Scalar>() -> f64 {
    if S::EPSILON > 1e-20 { 1e-9 } else { 1e-22 }
}

/// No step turns by more than this: points near an axis ask for turns that mean nothing.
const FARTHEST: f64 = 30.0;

/// Halvings of a step that does not come nearer.
const HALVINGS: usize = 6;

/// A step that leaves more than this part of the distance was the last one that pays.
const STALLED: f64 = 0.99;

fn commutator(a: &Sparse<Dd>, b: &Sparse<Dd>) -> Sparse<Dd> {
    let mut sum: FxHashMap<(usize, usize), Dd> = FxHashMap::default();
    for (x, y, sign) in [(a, b, Dd::ONE), (b, a, -Dd::ONE)] {
        for (i, k, p) in x {
            for (_, j, q) in y.iter().filter(|(row, _, _)| row == k) {
                let entry = sum.entry((*i, *j)).or_insert(Dd::ZERO);
                *entry = *entry + *p * *q * sign;
            }
        }
    }
    let mut out: Sparse<Dd> =
        sum.into_iter().filter(|(_, x)| x.to_f64().abs() > 1e-28).map(|((i, j), x)| (i, j, x)).collect();
    out.sort_by_key(|(i, j, _)| (*i, *j));
    out
}

/// The matrix of (A), if the field is affine: each rate is compared, exactly, with its own linear part at the origin.
pub(crate) fn affine(system: &mut System, field: &Field, symbols: &[Symbol]) -> Option<Sparse<Dd>> {
    let configuration = system.configuration.clone();
    let lifted = field.lifted(&mut system.graph, &configuration);
    let zero = system.graph.zero();
    let origin: FxHashMap<Symbol, Expr> = symbols.iter().map(|s| (*s, zero)).collect();
    let digits = system.model.parameter_digits().ok()?;
    let mut out = Sparse::new();
    for (i, s) in symbols.iter().enumerate() {
        let Some(rate) = lifted.get(s).copied() else { continue };
        let mut terms = Vec::new();
        let constant = system.graph.substitute(rate, &origin);
        terms.push((symbols.len(), constant)); // the last column
        for (j, other) in symbols.iter().enumerate() {
            if system.graph.contains_any(rate, &[*other]) {
                let slope = system.graph.derivative(rate, *other);
                terms.push((j, system.graph.substitute(slope, &origin)));
            }
        }
        let mut rest = rate;
        for (j, c) in &terms {
            let part = match symbols.get(*j) {
                Some(s) => {
                    let s = system.graph.var(*s);
                    system.graph.mul(*c, s)
                }
                None => *c,
            };
            rest = system.graph.sub(rest, part);
        }
        if !system.is_zero(rest) {
            return None;
        }
        for (j, c) in terms {
            if system.graph.is_zero(c) {
                continue;
            }
            let value = system.graph.evaluate(&Digits::decimal(DIGITS), &[c], &digits).ok()?;
            out.push((i, j, dd(&value[0])));
        }
    }
    Some(out)
}
