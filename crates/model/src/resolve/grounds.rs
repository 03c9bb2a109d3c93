//! `[ground]` and `[ground.NAME]`: surfaces that stand, or move as prescribed functions of time.
//!
//! With its rotation R(t) and position p(t), a piece of ground has the velocity Rᵀṗ and the angular velocity Ω in its own axes, RᵀṘ a = Ω × a.
//! A belt moves the material besides, by b₀ + b₁ × c₁, and leaves the surface where it is.

use super::Resolver;
use super::contacts::{Candidate, MANNERS, Manner};
use super::value::Value;
use crate::contact::Owner;
use crate::syntax::{self, Key, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, Span};
use polhode_expr::{Expr, Symbol};
use polhode_geometry::{Boundary, Mat3, Vec3, linear};

const GROUND_KEYS: &[&str] = &["surface", "position", "rotation", "belt", "about"];
const BELT_KEYS: &[&str] = &["velocity", "spin"];
/// A piece of ground.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    pub(super) span: Span,
    pub(super) side: Candidate,
}

impl Resolver<'_> {
    /// The pieces of ground, and how the contact with the only one behaves.
    pub(super) fn read_grounds(&mut self, root: &Table) -> (Option<Vec<Ground>>, Manner) {
        let mut out = Vec::new();
        let mut manner = Manner::default();
        for (section, table) in self.sections(root, &["ground"]) {
            let pieces: Vec<(&Key, &Table)> = table
                .iter()
                .filter(|(k, _)| !GROUND_KEYS.contains(&k.name.as_str()) && !MANNERS.contains(&k.name.as_str()))
                .filter_map(|(k, v)| Some((k, v.as_table()?)))
                .collect();
            if !pieces.is_empty() && table.get("surface").is_none() {
                for (key, piece) in pieces {
                    for (k, _) in piece.iter() {
                        self.known_key(k, GROUND_KEYS, "a piece of ground");
                    }
                    match self.ground(key, &key.name, piece) {
                        Some(ground) => out.push(ground),
                        None => return (None, manner),
                    }
                }
                continue;
            }
            manner = self.manner(table, GROUND_KEYS, "[ground]");
            match self.ground(section, "ground", table) {
                Some(ground) => out.push(ground),
                None => return (None, manner),
            }
        }
        (Some(out), manner)
    }

    pub(super) fn ground(&mut self, key: &Key, name: &str, table: &Table) -> Option<Ground> {
        let owner = if name == "ground" { "the ground".to_owned() } else { format!("`{name}`") };
        let Some(value) = table.get("surface") else {
            let error = Diagnostic::error("missing-key", format!("{owner} has no surface"));
            self.report(error.at(key.span, "").help("write surface = \"plane\""));
            return None;
        };
        self.constants_only = true;
        let bounded = self.surface(&owner, value);
        self.constants_only = false;
        let bounded = bounded?;
        if let Boundary::Edge(_) = bounded.boundary {
            let message = format!("{owner} is an edge, but only bodies touch with edges");
            self.report(Diagnostic::error("edge-on-edge", message).at(bounded.span, ""));
            return None;
        }
        let g = &self.graph;
        let (mut rotation, mut position) = (linear::identity(g), linear::zero(g));
        if let Some(value) = table.get("position") {
            position = self.prescribed(value, &format!("the position of {owner}"))?;
        }
        if let Some(value) = table.get("rotation") {
            let (tree, turn) = self.formula(value)?;
            let Value::Matrix(m, Some(_)) = &turn else {
                let message = format!("the rotation of {owner} is a rotation matrix, but this is {}", turn.shape());
                self.report(
                    Diagnostic::error("wrong-dimension", message).at(tree.span, "").help("write it as \"Rz(w*t)\""),
                );
                return None;
            };
            self.of_time_only(turn.entries(), tree.span, &format!("the rotation of {owner}"))?;
            rotation = std::array::from_fn(|i| std::array::from_fn(|j| m[(i, j)]));
        }
        let belt = match table.get("belt").map(|v| (v, &v.kind)) {
            Some((_, ValueKind::Table(inner))) => {
                for (k, _) in inner.iter() {
                    self.known_key(k, BELT_KEYS, "a belt");
                }
                let mut parts = [linear::zero(&self.graph); 2];
                for (part, key) in parts.iter_mut().zip(BELT_KEYS) {
                    if let Some(value) = inner.get(key) {
                        *part = self.prescribed(value, &format!("the {key} of a belt"))?;
                    }
                }
                Some(parts)
            }
            Some((value, _)) => {
                let message = format!("a belt is a table, but here it is {}", value.describe());
                self.report(
                    Diagnostic::error("unexpected-value", message)
                        .at(value.span, "")
                        .help("write belt = { velocity = [1, 0, 0] } or belt = { spin = [0, 0, \"w\"] }"),
                );
                return None;
            }
            None => None,
        };
        let time = self.time;
        let g = &mut self.graph;
        let back = linear::transpose(&rotation);
        let moving = position.map(|e| g.derivative(e, time));
        let velocity = linear::mat_vec(g, &back, &moving);
        let turning: Mat3 = rotation.map(|row| row.map(|e| g.derivative(e, time)));
        let rate = linear::mat_mul(g, &back, &turning);
        // Rᵀ Ṙ v = Ω × v
        let spin = [rate[2][1], rate[0][2], rate[1][0]].map(|e| g.simplify_small(e));
        self.has_value_at_start(&owner, table, [&position, &velocity, &spin], &rotation, belt.as_ref())?;
        let name = normalize_name(name).into_owned();
        let side = Candidate { owner: Owner::Ground, name, bounded, rotation, position, velocity, spin, belt };
        Some(Ground { span: key.span, side })
    }

    /// Reports a prescribed motion without a value, or without a velocity, at t = 0.
    fn has_value_at_start(
        &mut self,
        owner: &str,
        table: &Table,
        [position, velocity, spin]: [&Vec3; 3],
        rotation: &Mat3,
        belt: Option<&[Vec3; 2]>,
    ) -> Option<()> {
        let mut values = self.values.clone();
        values.insert(self.time, 0.0);
        // a parameter without a value has been reported where it is written
        if self.parameters.iter().any(|p| !values.get(&p.symbol).is_some_and(|x| x.is_finite())) {
            return Some(());
        }
        let turn: Vec<Expr> = rotation.iter().flatten().copied().collect();
        let belt: Vec<Expr> = belt.iter().flat_map(|b| b.iter().flatten()).copied().collect();
        let parts: [(&str, &str, &[Expr]); 5] = [
            ("position", "the position", position),
            ("rotation", "the rotation", &turn),
            ("position", "the velocity, the derivative of its position,", velocity),
            ("rotation", "the angular velocity, the derivative of its rotation,", spin),
            ("belt", "the belt", &belt),
        ];
        for (key, what, entries) in parts {
            let finite = |e: &Expr| self.graph.evaluate_f64(*e, &values).is_ok_and(f64::is_finite);
            if let (false, Some(value)) = (entries.iter().all(finite), table.get(key)) {
                let message = format!("{what} of {owner} has no value at t = 0, where motions begin");
                self.report(
                    Diagnostic::error("bad-number", message)
                        .at(value.span, "")
                        .help("shift the time, as in log(1 + t), or smooth a corner, as sqrt(t^2 + eps^2) for abs(t)"),
                );
                return None;
            }
        }
        Some(())
    }

    /// A vector that depends on time and parameters only.
    fn prescribed(&mut self, value: &syntax::Value, what: &str) -> Option<Vec3> {
        let (tree, result) = self.formula(value)?;
        let Value::Vector(v) = &result else {
            let message = format!("{what} is a vector of 3 components, but this is {}", result.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
            return None;
        };
        let Ok(v) = <Vec3>::try_from(v.as_slice()) else {
            let message = format!("{what} is a vector of 3 components, but this is {}", result.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
            return None;
        };
        self.of_time_only(&v, tree.span, what)?;
        Some(v)
    }

    fn of_time_only(&mut self, entries: &[Expr], span: Span, what: &str) -> Option<()> {
        let used = self.graph.free_symbols(entries);
        let allowed = |s: &Symbol| *s == self.time || self.parameters.iter().any(|p| p.symbol == *s);
        let Some(other) = used.iter().find(|s| !allowed(s)) else { return Some(()) };
        let message = format!("{what} is prescribed, so that it cannot contain `{}`", self.graph.name(*other));
        let error = Diagnostic::error("not-constant", message).at(span, "");
        self.report(error.help("use parameters and `t` only"));
        None
    }
}
