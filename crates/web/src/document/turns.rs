//! Other orientations of the start: turns about the axes of space.
//!
//! The nine entries of a rotation cannot be free one by one. A page turns it as a whole, R ← exp(φ x̂) R and likewise about y and z, and what is
//! tied to it follows: the centre of a rolling body, the points of contact that are carried along, whatever holonomic constraints contain. All
//! of them are zeros of one function of (t, positions, parameters), [`conditions`], which the engine of the page has as `holonomic`: the
//! holonomic constraints h, and for each contact what would bring it back (the gap along the normal, ν × G ν₁, the distance of the points from
//! their surfaces; for a rim t·ν).
//!
//! The page solves it by Newton's method with the shortest steps, δ = −Jᵀ(J Jᵀ)⁻¹ f. Here the same is tried with a small turn, so that turns
//! that no position can follow are not offered: a cylinder on a plane touches along a line and cannot be tipped.
//!
//! Angular velocities that are given keep their components in the body's axes. Where they are, the velocity of a centre that rolls follows from
//! them, also if the file gives it: `loose` are the velocities that are given up. Turns that the other
//! given ones contradict are not offered either.

use polhode::expr::{Expr, Graph, Symbol};
use polhode::lower::lower_functions;
use polhode::mechanics::{InitialState, System, solve_any};
use polhode::model::{Contact, Factor, Rotation};
use polhode::tape::Interpreter;
use polhode_geometry::{Patch, Piece, linear};
use serde_json::{Value, json};

/// How far a slider turns to both sides, in radians.
const FAR: f64 = 0.6;

/// The turn that is tried.
const TRIED: f64 = 0.02;

/// Steps of Newton's method; from a turn so small they are few.
const ITERATIONS: usize = 20;

/// Residual of what is satisfied.
const CLOSED: f64 = 1e-12;

/// Relative residual above which given velocities contradict a constraint: that of the page.
const CONTRADICTED: f64 = 1e-9;

/// The step of differences, as a part of the largest coordinate.
const STEP: f64 = 1e-6;

/// What vanishes at every admissible position, as far as it can be said without velocities.
pub(super) fn conditions(graph: &mut Graph, system: &System) -> Vec<Expr> {
    let model = &system.model;
    let mut out: Vec<Expr> = model.holding().filter_map(|c| c.holonomic).collect();
    for contact in model.contacts.iter().filter(|c| c.is_closed(&system.in_force)) {
        let correction = &contact.correction;
        out.extend(correction.shift);
        out.extend(correction.turn.into_iter().flatten());
        out.extend(correction.points.iter().map(|(_, change)| *change));
        // both ends of a line have one gap between them, but each has its own distance from what it touches
        if let (Piece::Patch(Patch::Implicit(p)), true) = (&contact.sides[1].piece, contact.carried.is_empty()) {
            let apart = graph.div(p.f, p.gradient_norm);
            let there = p.coordinates.iter().copied().zip(contact.sides[1].point).collect();
            out.push(graph.substitute(apart, &there));
        }
        // an edge turns as it likes, but its point is the one where it runs along what it touches
        if let (Piece::Rim(rim), false) = (&contact.sides[0].piece, contact.carried.is_empty()) {
            out.push(linear::dot(graph, &rim.tangent, &contact.normal));
        }
    }
    out
}

/// The positions that follow a turn, by their numbers: all but rotations and unit vectors.
pub(super) fn followers(system: &System) -> Vec<usize> {
    let number = |s: &Symbol| system.configuration.positions().iter().position(|p| p == s);
    let factors = system.configuration.factors().iter();
    factors.flat_map(Factor::untied).filter_map(number).collect()
}

/// The turns of every rotation of a system, for the list of initial values.
pub(super) fn of(system: &System, state: &InitialState) -> Vec<Value> {
    let turning = system.configuration.factors().iter().filter_map(|f| Some((f, f.rotation()?)));
    let turning: Vec<(&Factor, &Rotation)> = turning.collect();
    let number = |s: &Symbol| system.configuration.positions().iter().position(|p| p == s).unwrap_or_default();
    let mut trial = Trial::new(system, state);
    let mut out = Vec::new();
    for (factor, rotation) in &turning {
        let loose = loose(system, factor);
        let matrix = rotation.matrix.map(|s| number(&s));
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let name = match turning.len() {
                1 => format!("turn {axis}"),
                _ => format!("{}.turn {axis}", factor.name),
            };
            let turned = trial.as_mut().and_then(|t| t.turned(&matrix, k));
            let moves = turned.zip(trial.as_mut()).map(|(at, t)| t.moves(&at, &loose));
            let why = match moves {
                Some(true) => None,
                Some(false) => Some("turned like this its given velocities would violate a constraint"),
                None => Some("turned like this it would not touch as it has to"),
            };
            out.push(json!({
                "name": name, "value": 0.0, "kind": "turn", "given": true,
                "axis": ([0, 1, 2].map(|i| f64::from(u8::from(i == k)))), "matrix": matrix, "loose": loose,
                "about": format!("about the {axis} axis of space"),
                "free": why.is_none(), "why": why, "low": -FAR, "high": FAR, "where": "page",
            }));
        }
    }
    out
}

/// The velocities of a rolling body that follow from its angular velocity, if that is given.
fn loose<'a>(system: &'a System, factor: &Factor) -> Vec<&'a str> {
    let given = |s: &Symbol| system.model.initial.iter().any(|i| i.symbol == *s);
    let slides = system.model.contacts.iter().any(Contact::may_slide);
    match (factor.rotation(), factor.translation()) {
        (Some(turn), Some(shift)) if factor.in_contact() && !slides && turn.omega.iter().all(given) => {
            shift.velocity.iter().map(|s| system.graph.name(*s)).collect()
        }
        _ => Vec::new(),
    }
}

/// The start, to be turned.
struct Trial {
    conditions: Interpreter<f64>,
    /// (t, positions, parameters).
    start: Vec<f64>,
    /// Which of these follow.
    open: Vec<usize>,
    /// A, a₀ by rows.
    rows: Interpreter<f64>,
    /// The velocities by name, with their values if they are given.
    velocities: Vec<(String, Option<f64>)>,
}

impl Trial {
    /// `None` where the conditions are no functions of the position.
    fn new(system: &System, state: &InitialState) -> Option<Trial> {
        let mut graph = system.graph.clone();
        let conditions = conditions(&mut graph, system);
        let parameters = system.model.parameter_values().ok()?;
        let positions = system.configuration.positions();
        let inputs: Vec<Symbol> = [system.time].iter().chain(positions).chain(&system.parameters).copied().collect();
        let mut start = vec![0.0];
        start.extend(positions.iter().map(|s| state.values.get(s).copied().unwrap_or(f64::NAN)));
        start.extend(system.parameters.iter().map(|s| parameters.get(s).copied().unwrap_or(f64::NAN)));
        let rows: Vec<Expr> = system.distribution.rows.iter().flat_map(|r| r.a.iter().copied().chain([r.a0])).collect();
        let given = |s: &Symbol| system.model.initial.iter().any(|i| i.symbol == *s);
        let value = |s: &Symbol| state.values.get(s).copied().filter(|_| given(s));
        let velocities = system.configuration.velocities().iter();
        Some(Trial {
            rows: Interpreter::new(&lower_functions(&graph, &inputs, &rows).ok()?),
            velocities: velocities.map(|s| (system.graph.name(*s).to_owned(), value(s))).collect(),
            conditions: Interpreter::new(&lower_functions(&graph, &inputs, &conditions).ok()?),
            start,
            open: followers(system).into_iter().map(|i| i + 1).collect(),
        })
    }

    fn off(&mut self, at: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.conditions.tape().outputs.len()];
        self.conditions.call(at, &mut out);
        out
    }

    /// Whether velocities there obey the constraints, with the given ones that are not loose.
    fn moves(&mut self, at: &[f64], loose: &[&str]) -> bool {
        let mut flat = vec![0.0; self.rows.tape().outputs.len()];
        self.rows.call(at, &mut flat);
        let n = self.velocities.len();
        let known: Vec<Option<f64>> =
            (self.velocities.iter()).map(|(name, x)| x.filter(|_| !loose.contains(&name.as_str()))).collect();
        let open = |row: &[f64]| (0..n).filter(|j| known[*j].is_none()).map(|j| row[j]).collect();
        let rest = |row: &[f64]| (0..n).fold(row[n], |sum, j| sum + row[j] * known[j].unwrap_or(0.0));
        let a: Vec<Vec<f64>> = flat.chunks_exact(n + 1).map(open).collect();
        let b: Vec<f64> = flat.chunks_exact(n + 1).map(|row| -rest(row)).collect();
        let scale = b.iter().fold(1f64, |s, x| s.max(x.abs()));
        let (_, residual, _) = solve_any(&a, &b);
        residual.iter().all(|r| r.abs() <= CONTRADICTED * scale)
    }

    /// The positions after a small turn of this matrix about an axis, if the others can follow.
    fn turned(&mut self, matrix: &[usize; 9], axis: usize) -> Option<Vec<f64>> {
        let mut at = self.start.clone();
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let (sin, cos) = TRIED.sin_cos();
        for column in 0..3 {
            let [a, b] = [i, j].map(|row| 1 + matrix[3 * row + column]);
            (at[a], at[b]) = (cos * at[a] - sin * at[b], sin * at[a] + cos * at[b]);
        }
        let size = self.open.iter().fold(0f64, |s, k| s.max(at[*k].abs()));
        let step = STEP * if size > 0.0 { size } else { 1.0 };
        for _ in 0..ITERATIONS {
            let off = self.off(&at);
            let worst = off.iter().fold(0f64, |s, x| if x.is_finite() { s.max(x.abs()) } else { f64::INFINITY });
            if worst <= CLOSED {
                return Some(at);
            }
            if worst.is_infinite() {
                return None;
            }
            let slopes: Vec<Vec<f64>> = (self.open.clone().into_iter())
                .map(|k| {
                    let side = |x: f64| at.iter().enumerate().map(|(i, y)| if i == k { x } else { *y }).collect();
                    let [more, less]: [Vec<f64>; 2] = [side(at[k] + step), side(at[k] - step)];
                    let (more, less) = (self.off(&more), self.off(&less));
                    more.iter().zip(less).map(|(m, l)| (m - l) / (2.0 * step)).collect()
                })
                .collect();
            let product = |a: usize, b: usize| slopes.iter().map(|s| s[a] * s[b]).sum::<f64>();
            let square: Vec<Vec<f64>> =
                (0..off.len()).map(|a| (0..off.len()).map(|b| product(a, b)).collect()).collect();
            let (y, _, _) = solve_any(&square, &off);
            for (k, slope) in self.open.iter().zip(&slopes) {
                at[*k] -= slope.iter().zip(&y).map(|(s, y)| s * y).sum::<f64>();
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Wish, prepare};
    use polhode::mechanics::initial_state;

    fn turns_of(name: &str) -> Vec<Value> {
        let wish = Wish::new(&format!("{name}.toml"), polhode::builtin::find(name).unwrap().text);
        let mut prepared = prepare(&wish).unwrap();
        let state = initial_state(&mut prepared.system, &prepared.model).unwrap().unwrap();
        of(&prepared.system, &state)
    }

    #[test]
    fn bodies_can_be_turned() {
        for name in
            ["free-rigid-body", "suslov", "rattleback", "ellipsoid-on-plane", "torus-on-plane", "coin-in-funnel"]
        {
            let turns = turns_of(name);
            let names: Vec<&str> = turns.iter().map(|t| t["name"].as_str().unwrap()).collect();
            assert_eq!(names, ["turn x", "turn y", "turn z"], "{name}");
            assert!(turns.iter().all(|t| t["free"] == true), "{name}: {turns:?}");
        }
        assert_eq!(turns_of("rattleback")[1]["axis"], json!([0.0, 1.0, 0.0]));
        assert_eq!(turns_of("rattleback")[0]["matrix"], json!([0, 1, 2, 3, 4, 5, 6, 7, 8]));
    }

    #[test]
    fn a_velocity_that_rolling_gives_is_given_up() {
        assert_eq!(turns_of("ball-in-cylinder")[0]["loose"], json!(["V[1]", "V[2]", "V[3]"]));
        assert_eq!(turns_of("suslov")[0]["loose"], json!([]));
    }

    #[test]
    fn given_velocities_must_fit() {
        // the spin about the vertical is zero, and all components of the angular velocity are given
        let free: Vec<bool> = turns_of("veselova").iter().map(|t| t["free"].as_bool().unwrap()).collect();
        assert_eq!(free, [false, false, true]);
    }

    #[test]
    fn of_several_bodies_each_has_its_own() {
        let turns = turns_of("wheel-in-shell");
        assert_eq!(turns.len(), 6);
        assert_eq!((&turns[0]["name"], &turns[5]["name"]), (&json!("shell.turn x"), &json!("wheel.turn z")));
    }

    #[test]
    fn what_lies_along_a_line_cannot_be_tipped() {
        let text = "[gravity]\ng = 9.81\n[body.roller]\nmass = 1\nsurface = { cylinder = 0.5, length = 1 }\ninertia = [1, 1, 1]\n\
                    [ground]\nsurface = 'plane'\n[initial.roller]\nrotation = 'Rx(pi/2)'\nOmega = [0, 0, 1]\n[run]\nuntil = 1\n";
        let mut prepared = prepare(&Wish::new("roller.toml", text)).unwrap();
        let state = initial_state(&mut prepared.system, &prepared.model).unwrap().unwrap();
        let free: Vec<bool> = of(&prepared.system, &state).iter().map(|t| t["free"].as_bool().unwrap()).collect();
        assert_eq!(free, [false, true, true]);
    }

    #[test]
    fn models_in_angles_have_none() {
        assert!(turns_of("rolling-disk").is_empty());
    }
}
