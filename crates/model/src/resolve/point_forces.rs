//! `[[force]]`: forces at points, and torques.
//!
//! There are two readings of "the force f at the point p", and they differ where p is not fixed in the body:
//!
//! ```text
//! at                  power f·ṗ                      p is a point that moves, as a hook of a rope does
//! at, on = "ball"     power f·(v_O + ω × (p − x_O))  the material of the ball that is at p now
//! ```
//!
//! The point of contact of a ball on a floor moves with the velocity of its centre, so that by the first reading friction there would have no
//! moment. Such a point without `on` is warned of (`force-point`): it is not fixed in any body of which it is made, found at a random
//! configuration, since for a point a fixed in the body ṗ = v_O + ω × R a holds on rotations R only.

use super::Resolver;
use super::bodies::PARTS;
use super::order::names_of_value;
use super::scope::What;
use super::value::{Value, add, cross, sub};
use crate::contact::Owner;
use crate::syntax::{self, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, Span};
use polhode_expr::{Expr, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

const FORCE_KEYS: &[&str] = &["at", "force", "torque", "on", "about"];
/// Velocities that differ by less than this, at values of about 1, are the same but for rounding.
const SAME: f64 = 1e-9;

/// A body as forces see it; vectors of the world.
struct Acted {
    name: String,
    position: Vec<Expr>,
    velocity: Vec<Expr>,
    /// None for a body without rotation.
    omega: Option<Vec<Expr>>,
    /// Its position has two components in the file, its rotation is an angle.
    planar: bool,
}

impl Resolver<'_> {
    /// `[[force]]` tables.
    pub(super) fn read_point_forces(&mut self, root: &Table, terms: &mut [Vec<Expr>]) {
        let Some((key, value)) = root.entry("force") else {
            return;
        };
        let tables: Vec<&Table> = match &value.kind {
            ValueKind::Array(items) if items.iter().all(|i| i.as_table().is_some()) => {
                items.iter().filter_map(|i| i.as_table()).collect()
            }
            ValueKind::Table(table) => vec![table],
            _ => {
                let message = "a force is a table with `force` and `at` or `on`, or with `torque` and `on`";
                self.report(
                    Diagnostic::error("unexpected-value", message)
                        .at(key.span, "")
                        .help("begin each with a line [[force]]"),
                );
                return;
            }
        };
        for table in tables {
            for (k, _) in table.iter() {
                self.known_key(k, FORCE_KEYS, "a force");
            }
            if table.get("force").is_none() && table.get("torque").is_none() {
                self.no_force(table);
                continue;
            }
            let body = match table.get("on") {
                Some(on) => self.body_named(on),
                None => None,
            };
            if body.is_none() && table.get("on").is_some_and(|on| self.is_broken_body(on)) {
                continue;
            }
            if let Some(force) = table.get("force") {
                self.point_force(root, table, force, body.as_ref(), terms);
            }
            if let Some(torque) = table.get("torque") {
                self.torque(table, torque, body.as_ref(), terms);
            }
        }
    }

    fn no_force(&mut self, table: &Table) {
        let has = ["at", "on"].into_iter().find(|k| table.get(k).is_some());
        let message = match has {
            Some(has) => format!("this force has `{has}`, but neither `force` nor `torque`"),
            None => "this force has neither `force` nor `torque`".to_owned(),
        };
        self.report(
            Diagnostic::error("missing-key", message)
                .at(table.span, "")
                .help("write at = \"position\" and force = \"[…]\", or torque = \"[…]\" and on = \"R\""),
        );
    }

    /// The body that `on` names, if it names one.
    fn body_named(&self, on: &syntax::Value) -> Option<Acted> {
        let name = normalize_name(on.as_str()?.trim()).into_owned();
        self.acted(&name)
    }

    /// Whether `on` names a body whose parts have no value, which has been told why.
    fn is_broken_body(&self, on: &syntax::Value) -> bool {
        let name = on.as_str().map(|s| normalize_name(s.trim()).into_owned()).unwrap_or_default();
        self.scope.get(&format!("{name}.{}", PARTS[0])).is_some_and(|b| b.value.is_none())
    }

    fn acted(&self, name: &str) -> Option<Acted> {
        let part = |n: &str| {
            let binding = self.scope.get(&format!("{name}.{n}")).filter(|b| b.value.is_some())?;
            match &binding.value {
                Some(Value::Vector(v)) if v.len() == 3 => Some(v.clone()),
                _ => None,
            }
        };
        let [position, velocity, rotation, omega, _] = PARTS;
        let body = self.scope.get(&format!("{name}.{position}"))?;
        (body.what == What::BodyPart).then_some(())?;
        let (position, velocity, omega) = (part(position)?, part(velocity)?, part(omega));
        let turns = self.scope.get(&format!("{name}.{rotation}")).is_some();
        let zero = |e: &Expr| self.graph.is_zero(*e);
        let planar = zero(&position[2]) && omega.as_ref().is_none_or(|w| zero(&w[0]) && zero(&w[1]));
        Some(Acted { name: name.to_owned(), position, velocity, omega: omega.filter(|_| turns), planar })
    }

    fn point_force(
        &mut self,
        root: &Table,
        table: &Table,
        force: &syntax::Value,
        body: Option<&Acted>,
        terms: &mut [Vec<Expr>],
    ) {
        let at = table.get("at");
        let (Some((tree, force)), at_given) = (self.formula(force), at.map(|v| self.formula(v))) else {
            return;
        };
        if !self.no_accelerations(force.entries(), tree.span, "a force") {
            return;
        }
        let Some(body) = body else {
            // `on` may be the rotation of a torque in the same table
            let Some(at) = at else {
                let error = match table.get("on").filter(|_| table.get("torque").is_none()) {
                    Some(on) => self.no_body(on),
                    None => Diagnostic::error("missing-key", "this force has `force` but no `at`")
                        .at(table.span, "")
                        .help("write at = \"[x, y, z]\" for a point, or on = \"ball\" for the mass centre of a body"),
                };
                self.report(error);
                return;
            };
            let Some(Some((at_tree, point))) = at_given else { return };
            if let Some(on) = table.get("on").filter(|_| table.get("torque").is_none()) {
                let error = self.no_body(on);
                self.report(error);
                return;
            }
            let Some(velocity) = self.time_derivative(&point, at_tree.span) else { return };
            if !self.no_accelerations(velocity.entries(), at_tree.span, "the velocity of this point") {
                return;
            }
            let name = self.quote(at_tree.span);
            self.paired(&force, &velocity, tree.span, name.trim_matches('`'), terms);
            if force.shape() == velocity.shape() {
                self.moves_through_bodies(root, at, &point, &velocity, at_tree.span);
            }
            return;
        };
        let place = match at_given {
            Some(Some((at_tree, point))) => match self.in_space(&point, body, at_tree.span, "the point") {
                Some(point) => point,
                None => return,
            },
            Some(None) => return,
            None => body.position.clone(),
        };
        let Some(force) = self.in_space(&force, body, tree.span, "the force") else { return };
        let velocity = self.material_velocity(body, &place);
        self.paired(&Value::Vector(force), &Value::Vector(velocity), tree.span, &body.name, terms);
    }

    /// Three components; two will do for a body in the plane.
    fn in_space(&mut self, value: &Value, body: &Acted, span: Span, what: &str) -> Option<Vec<Expr>> {
        match value {
            Value::Vector(v) if v.len() == 3 => Some(v.clone()),
            Value::Vector(v) if v.len() == 2 && body.planar => Some(vec![v[0], v[1], self.graph.zero()]),
            other => {
                let message =
                    format!("{what} on `{}` is a vector of 3 components, but this is {}", body.name, other.shape());
                self.report(Diagnostic::error("wrong-dimension", message).at(span, ""));
                None
            }
        }
    }

    /// v_O + ω × (p − x_O).
    fn material_velocity(&mut self, body: &Acted, point: &[Expr]) -> Vec<Expr> {
        let Some(omega) = &body.omega else { return body.velocity.clone() };
        let g = &mut self.graph;
        let arm = sub(g, point, &body.position);
        let turning = cross(g, omega, &arm);
        add(g, &body.velocity, &turning)
    }

    fn torque(&mut self, table: &Table, torque: &syntax::Value, body: Option<&Acted>, terms: &mut [Vec<Expr>]) {
        let Some(on) = table.get("on") else {
            self.report(
                Diagnostic::error("missing-key", "this force has `torque` but no `on`")
                    .at(table.span, "")
                    .help("write on = \"ball\", the body, or on = \"R\", the rotation or angle that it turns"),
            );
            return;
        };
        // a name of its own comes first: a coordinate may be called like a body
        let name = on.as_str().map(|s| normalize_name(s.trim()).into_owned()).unwrap_or_default();
        if let Some(body) = body.filter(|_| self.scope.get(&name).is_none()) {
            let Some((tree, torque)) = self.formula(torque) else { return };
            if !self.no_accelerations(torque.entries(), tree.span, "a torque") {
                return;
            }
            let Some(omega) = &body.omega else {
                let message = format!("a torque turns a body, but `{name}` has no rotation");
                self.report(Diagnostic::error("no-velocity", message).at(on.span, ""));
                return;
            };
            let spin = match torque {
                Value::Scalar(_) if body.planar => Value::Scalar(omega[2]),
                _ => Value::Vector(omega.clone()),
            };
            self.paired(&torque, &spin, tree.span, &name, terms);
            return;
        }
        let (torque, place) = (self.formula(torque), self.formula(on));
        let (Some((tree, torque)), Some((on_tree, turned))) = (torque, place) else { return };
        if !self.no_accelerations(torque.entries(), tree.span, "a force") {
            return;
        }
        let Some(spin) = self.spin_of(&turned, &on_tree) else { return };
        let spin = match spin.world[..] {
            [w] => Value::Scalar(w),
            _ => Value::Vector(spin.world),
        };
        if self.no_accelerations(spin.entries(), on_tree.span, "the velocity of this point") {
            let name = self.quote(on_tree.span);
            self.paired(&torque, &spin, tree.span, name.trim_matches('`'), terms);
        }
    }

    /// What to say about an `on` that is no body, where a force needs one.
    fn no_body(&self, on: &syntax::Value) -> Diagnostic {
        let bodies = self.body_names();
        let error = Diagnostic::error("unknown-name", "`on` of a force is the name of a body, and this is none")
            .at(on.span, "");
        match bodies.is_empty() {
            true => error.help("leave `on` out: the force then acts at the point `at`"),
            false => error.help(format!("the bodies are {}", super::list(&bodies))),
        }
    }

    fn body_names(&self) -> Vec<String> {
        let suffix = format!(".{}", PARTS[0]);
        let names = self.scope.names_of(|w| *w == What::BodyPart).into_iter();
        names.filter_map(|n| n.strip_suffix(&suffix)).map(str::to_owned).collect()
    }

    /// Warns of a point that is made of a rotating body's place, or is a point of contact, and is fixed in no body.
    fn moves_through_bodies(&mut self, root: &Table, at: &syntax::Value, point: &Value, velocity: &Value, span: Span) {
        let Some(mentioned) = self.bodies_in(root, at) else { return };
        let (Value::Vector(p), Value::Vector(w)) = (point, velocity) else { return };
        let bodies: Vec<Acted> = self.body_names().iter().filter_map(|n| self.acted(n)).collect();
        let values = self.a_configuration();
        let size = p.len();
        for body in bodies {
            let mut place = p.clone();
            place.resize(3, self.graph.zero());
            let material = self.material_velocity(&body, &place);
            let gap = |i: usize| {
                let [a, b] = [w[i], material[i]].map(|e| self.graph.evaluate_f64(e, &values));
                Some((a.ok()? - b.ok()?).abs())
            };
            let gaps: Option<Vec<f64>> = (0..size).map(gap).collect();
            // what has no value at a random configuration cannot be judged
            if gaps.is_none_or(|gaps| gaps.iter().all(|x| *x < SAME)) {
                return;
            }
        }
        let message = "this point is not fixed in a body, and the force acts on the point";
        self.report(
            Diagnostic::warning("force-point", message)
                .at(span, "moves through the material")
                .note("its power is the force times the velocity of the point, so that its moment on a body is not what it would be on the material there")
                .help(format!("add on = \"{mentioned}\" for a force on the material of the body that is at this point")),
        );
    }

    /// A body with a rotation whose place, or whose point of contact, is used in a formula.
    fn bodies_in(&self, root: &Table, at: &syntax::Value) -> Option<String> {
        let [position, ..] = PARTS;
        let turns = |name: &str| self.acted(name).is_some_and(|b| b.omega.is_some());
        let mut seen = FxHashSet::default();
        let mut names = Vec::new();
        names_of_value(at, &mut names);
        while let Some((path, _)) = names.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            if let (None, Some(body)) = (path.find('.'), self.rolling.first().filter(|_| path == "x_O"))
                && self.rolling.len() == 1
                && self.declared.get(&path).is_none()
            {
                return Some(body.name.clone());
            }
            if let Some((body, part)) = path.rsplit_once('.')
                && (part == position || part == "x_O")
                && turns(body)
            {
                return Some(body.to_owned());
            }
            for touch in &self.touches {
                let contact = &touch.contact;
                let here = ["c", "c1"].iter().any(|n| contact.part(n) == path && self.declared.get(n).is_none());
                if let (true, Owner::Body(b)) = (here, contact.sides[0].owner) {
                    return Some(self.rolling[b].name.clone());
                }
            }
            for section in ["define", "definitions"] {
                let table = root.get(section).and_then(|v| v.as_table());
                let formula = table.into_iter().flat_map(Table::iter).find(|(k, _)| normalize_name(&k.name) == path);
                if let Some((_, formula)) = formula {
                    names_of_value(formula, &mut names);
                }
            }
        }
        None
    }

    /// Values of about 1 for all symbols of the model, on the rotations and directions where these are.
    fn a_configuration(&self) -> FxHashMap<Symbol, f64> {
        let mut values = self.values.clone();
        // multiples of the golden ratio mod 1 are spread evenly, and have no relations with the numbers of a model
        let mut turn = 0.3_f64;
        let mut next = || {
            turn = (turn + 0.618_033_988_749_894_9).fract();
            turn + 0.2
        };
        values.insert(self.time, next());
        for v in self.configuration.velocities() {
            values.insert(*v, next());
        }
        for factor in self.configuration.factors() {
            let mut numbers: Vec<f64> = factor.positions.iter().map(|_| next()).collect();
            if factor.rotation().is_some() {
                numbers[..9].copy_from_slice(&a_rotation([next(), next(), next(), next()]));
            } else if factor.direction().is_some() {
                let size = numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
                numbers.iter_mut().for_each(|x| *x /= size);
            }
            values.extend(factor.positions.iter().copied().zip(numbers));
        }
        values
    }
}

/// The rotation of a quaternion of any length, row by row.
fn a_rotation([w, x, y, z]: [f64; 4]) -> [f64; 9] {
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    [
        1.0 - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        1.0 - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        1.0 - s * (x * x + y * y),
    ]
}
