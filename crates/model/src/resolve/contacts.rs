//! `[ground]`, `[ground.NAME]` and `[contact.NAME]`: what touches what, and how.
//!
//! A contact has two sides, each a boundary in axes of its own: those of a body, or of a piece of ground that stands, or moves as
//! prescribed functions of time. In the axes of the first side, with G and d the rotation and the origin of the second
//! (polhode-geometry, `meeting`), no slip is
//!
//! ```text
//! u = V + Ω × c − G (V₁ + Ω₁ × c₁ + b) = 0            c₁ = Gᵀ(c − d)
//! ```
//!
//! where b is the velocity of the second side's material in its own axes, as of a belt. The multipliers of these rows are the force on
//! the first side in its axes. A contact that closes a loop, as the second of a ball between two plates, has the rows Gᵀu instead, in the axes of the
//! second side, or of the world where that is ground: one of its rows then tends to follow from the others, and in these axes it is the same one
//! all the time, also where the ground turns. So have the other contacts of its first side with the ground: of two parallel plates the rows
//! along the normal are then the same, and not only equal by way of Rᵀ R = 1, which an elimination does not see. A frictionless contact keeps only −ν·u = 0, with the normal force as multiplier.
//!
//! The point c is a function of the configuration where a formula is known; otherwise it is carried along,
//!
//! ```text
//! K ċ = ν × (Ω − G Ω₁) − S₂ w,     w = u + G b
//! ```
//!
//! A cylinder on a plane touches along a line, and counts as two contacts at the ends of its length.
//!
//! Source: [Voronets1911, §§4, 8], without charts, and with motions of the second side.

use super::rolling::RollingBody;
use super::scope::What;
use super::surfaces::Bounded;
use super::value::Value;
use super::{Resolver, list};
use crate::contact::{Contact, ContactSide, Correction, Owner};
use crate::model::{Action, Body, Constraint, Direction, Event};
use crate::syntax::{self, Key, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Boundary, Known, Mat3, Patch, Piece, Relative, Shape, Side, Stand, Surface, Vec3, linear};

/// How a contact behaves; keys of `[contact.NAME]`, and of `[ground]` where that is the only one.
const MANNERS: &[&str] = &["frictionless", "bilateral", "friction", "stop_at", "about"];
const GROUND_KEYS: &[&str] = &["surface", "position", "rotation", "belt", "about"];
const BELT_KEYS: &[&str] = &["velocity", "spin"];
/// A normal force is known to one part in this of the whole force; see [`Contact::slack`] for edges that lie nearly flat.
const ROUNDING: i64 = 500_000_000_000;
/// An edge at an angle below one part in this against what it touches lies flat: three quarters of the digits of its force are lost by then.
const LYING: i64 = 1_000_000;

/// A piece of ground. Vectors are in its own axes, but for the position.
#[derive(Clone, Debug)]
struct Ground {
    name: String,
    span: Span,
    bounded: Bounded,
    rotation: Mat3,
    position: Vec3,
    velocity: Vec3,
    spin: Vec3,
    /// The velocity of the material is b₀ + b₁ × c₁ besides.
    belt: Option<[Vec3; 2]>,
}

/// How a contact behaves.
#[derive(Clone, Debug, Default)]
struct Manner {
    frictionless: bool,
    bilateral: bool,
    friction: Option<Expr>,
    stop_at: Vec<String>,
}

/// A side before its point is known.
#[derive(Clone, Debug)]
struct Candidate {
    owner: Owner,
    name: String,
    bounded: Bounded,
    rotation: Mat3,
    position: Vec3,
    velocity: Vec3,
    spin: Vec3,
    belt: Option<[Vec3; 2]>,
}

/// A contact of the model with what a run does about it.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) contact: Contact,
    /// Whether the point is a function of the configuration.
    known: bool,
    /// Whether its rows are in the axes of the second side, or of the world where that is ground.
    second_axes: bool,
    /// The normal out of the first side, in its axes, as the second side has it where the first is a chart: n of a chart changes its sign
    /// where a motion passes a pole of the parameters, and with it the normal force would.
    facing: Vec3,
    /// What passes through zero where a motion comes to a pole of the parameters of a chart: n·(x_u × x_v), with n of the other side.
    poles: Vec<(String, Expr)>,
    /// What becomes negative where the point leaves a cylinder of finite length: ℓ²/4 − z², with z along the axis.
    ends: Vec<(String, Expr)>,
    /// The belt of the second side: velocity and spin.
    pub(super) belt: Option<[Vec3; 2]>,
    stop_at: Vec<String>,
}

impl Resolver<'_> {
    /// Adds the contacts, with the points that are carried along.
    pub(super) fn read_contacts(&mut self, root: &Table) {
        let (grounds, manner) = self.read_grounds(root);
        let Some(grounds) = grounds else { return };
        let given = self.contact_tables(root);
        if self.broken_contacts {
            return;
        }
        if self.rolling.is_empty() {
            if let Some(ground) = grounds.first() {
                let message = "there is a ground, but no body has a surface to touch it with";
                self.report(
                    Diagnostic::error("missing-key", message)
                        .at(ground.span, "")
                        .help("write surface = { sphere = 0.1 } in a [body.NAME]"),
                );
            }
            return;
        }
        if given.is_empty() {
            self.only_contact(grounds, manner);
            return;
        }
        for (_, table) in self.sections(root, &["ground"]) {
            if let Some((key, _)) = table.iter().find(|(k, _)| MANNERS.contains(&k.name.as_str()) && k.name != "about")
            {
                let message = format!("`{}` belongs to a contact, and this model names its contacts", key.name);
                self.report(
                    Diagnostic::error("unknown-key", message).at(key.span, "").help("move it under [contact.NAME]"),
                );
            }
        }
        for (key, table) in given {
            let manner = self.manner(table, &["between"], "a contact");
            let Some([first, second]) = self.between(key, table, &grounds) else { continue };
            let name = if self.declare_contact(key) { normalize_name(&key.name).into_owned() } else { continue };
            self.add_contact(&name, key.span, first, second, manner);
        }
    }

    fn declare_contact(&mut self, key: &Key) -> bool {
        let name = normalize_name(&key.name);
        let good = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let taken = self.rolling.iter().any(|b| b.name == *name) || self.scope.get(&name).is_some();
        if good && !taken {
            return true;
        }
        let message = if good {
            format!("`{name}` is the name of something else already, so it cannot be that of a contact")
        } else {
            format!("`{}` cannot be the name of a contact", key.name)
        };
        let help = match good {
            true => format!("call it [contact.{name}_contact], or by the names of both sides"),
            false => "a name is made of letters, digits and `_`, and does not begin with a digit".to_owned(),
        };
        self.report(Diagnostic::error("bad-name", message).at(key.span, "").help(help));
        false
    }

    /// The contact of a model that names none: the only body on the only ground.
    fn only_contact(&mut self, grounds: Vec<Ground>, manner: Manner) {
        let body = self.rolling[0].clone();
        if self.rolling.len() > 1 || grounds.len() > 1 || body.surfaces.len() > 1 {
            let message = "there are several surfaces, and nothing says which of them touch";
            let example = match grounds.first() {
                Some(ground) => ground.name.clone(),
                None => self.rolling[1].name.clone(),
            };
            self.report(
                Diagnostic::error("missing-section", message)
                    .at(body.span, "")
                    .help(format!("add [contact.NAME] with between = [\"{}\", \"{example}\"] for each", body.name)),
            );
            return;
        }
        let Some(ground) = grounds.into_iter().next() else {
            let message = format!("the body `{}` has a surface, but there is no ground to roll on", body.name);
            self.report(
                Diagnostic::error("missing-section", message)
                    .at(body.span, "")
                    .help("add a section [ground] with surface = \"plane\""),
            );
            return;
        };
        let first = self.body_side(0, 0);
        self.add_contact("", body.span, first, ground.side(), manner);
    }

    /// The pieces of ground, and how the contact with the only one behaves.
    fn read_grounds(&mut self, root: &Table) -> (Option<Vec<Ground>>, Manner) {
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

    fn ground(&mut self, key: &Key, name: &str, table: &Table) -> Option<Ground> {
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
        Some(Ground { name, span: key.span, bounded, rotation, position, velocity, spin, belt })
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

    fn contact_tables<'t>(&mut self, root: &'t Table) -> Vec<(&'t Key, &'t Table)> {
        let mut out = Vec::new();
        for (_, table) in self.sections(root, &["contact", "contacts"]) {
            for (key, value) in table.iter() {
                match &value.kind {
                    ValueKind::Table(inner) => out.push((key, inner)),
                    _ => {
                        let message = format!("a contact is a table, but here it is {}", value.describe());
                        self.report(
                            Diagnostic::error("unexpected-value", message)
                                .at(value.span, "")
                                .help("begin it with a line [contact.NAME]"),
                        );
                        self.broken_contacts = true;
                    }
                }
            }
        }
        out
    }

    fn manner(&mut self, table: &Table, besides: &[&str], owner: &str) -> Manner {
        let known: Vec<&str> = besides.iter().chain(MANNERS).copied().collect();
        for (key, _) in table.iter() {
            self.known_key(key, &known, owner);
        }
        let frictionless = self.truth_of(table, "frictionless").unwrap_or(false);
        let bilateral = self.truth_of(table, "bilateral").unwrap_or(false);
        let mut friction = None;
        if let Some(value) = table.get("friction")
            && let Some(e) = self.scalar_formula(value, "a coefficient of friction")
            && let Some(number) = self.constant(e, value.span, "a coefficient of friction")
        {
            if number > 0.0 && !frictionless {
                friction = Some(e);
            } else {
                let message = match frictionless {
                    true => "a frictionless contact has no coefficient of friction".to_owned(),
                    false => format!("a coefficient of friction is positive, but this is {number}"),
                };
                let error = Diagnostic::error("bad-number", message).at(value.span, "");
                self.report(error.help("write frictionless = true for a contact that slides freely"));
            }
        }
        let stop_at = self.causes(table);
        if let (true, None, Some((key, _))) = (stop_at.iter().any(|c| c == "slip"), friction, table.entry("stop_at")) {
            let message = "a contact slips where it needs more friction than it has, but no friction is given";
            self.report(Diagnostic::error("missing-key", message).at(key.span, "").help("add friction = 0.5"));
        }
        Manner { frictionless, bilateral, friction, stop_at }
    }

    /// `stop_at = ["lift-off", "slip"]`.
    fn causes(&mut self, table: &Table) -> Vec<String> {
        let Some((key, value)) = table.entry("stop_at") else { return Vec::new() };
        let items: Vec<&syntax::Value> = match &value.kind {
            ValueKind::Array(items) => items.iter().collect(),
            _ => vec![value],
        };
        let mut out = Vec::new();
        for item in items {
            match item.as_str() {
                Some(cause) if Event::CAUSES.contains(&cause) => out.push(cause.to_owned()),
                Some(other) => {
                    let error = Diagnostic::error("unknown-name", format!("`{other}` is nothing a run could stop at"));
                    let error = match closest(other, Event::CAUSES) {
                        Some(near) => error.at(item.span, format!("did you mean `{near}`?")),
                        None => error.at(item.span, ""),
                    };
                    self.report(error.help(format!("known are {}", list(&Event::CAUSES))));
                }
                None => {
                    let message = format!("`stop_at` is a list of texts, but here is {}", item.describe());
                    let error = Diagnostic::error("unexpected-value", message).at(key.span, "");
                    self.report(error.help("write stop_at = [\"lift-off\", \"slip\"]"));
                }
            }
        }
        out
    }

    /// The two sides, the first a body's.
    fn between(&mut self, key: &Key, table: &Table, grounds: &[Ground]) -> Option<[Candidate; 2]> {
        let help = "write between = [\"wheel\", \"ground\"]";
        let Some(value) = table.get("between") else {
            let message = format!("the contact `{}` does not say what touches", key.name);
            self.report(Diagnostic::error("missing-key", message).at(key.span, "").help(help));
            return None;
        };
        let names: Vec<&syntax::Value> = match &value.kind {
            ValueKind::Array(items) => items.iter().collect(),
            _ => Vec::new(),
        };
        let [first, second] = names[..] else {
            let message = "a contact is between two";
            self.report(Diagnostic::error("unexpected-value", message).at(value.span, "").help(help));
            return None;
        };
        let (first, second) = (self.side_named(first, grounds)?, self.side_named(second, grounds)?);
        let swap = match (first.owner, second.owner) {
            (Owner::Ground, Owner::Ground) => {
                let message = "both sides of this contact are ground: one of them must be a body";
                self.report(Diagnostic::error("unexpected-value", message).at(value.span, ""));
                return None;
            }
            (Owner::Body(a), Owner::Body(b)) if a == b => {
                let message = "both sides of this contact are the same body";
                self.report(Diagnostic::error("unexpected-value", message).at(value.span, ""));
                return None;
            }
            (Owner::Ground, Owner::Body(_)) => true,
            // the body that comes later in the file rests on the earlier one
            (Owner::Body(a), Owner::Body(b)) => a < b,
            (Owner::Body(_), Owner::Ground) => false,
        };
        let edges = [&first, &second].map(|s| matches!(s.bounded.boundary, Boundary::Edge(_)));
        let swap = match edges {
            [true, true] => {
                let message = "two edges touch in a point that neither determines: this is not supported";
                self.report(Diagnostic::error("edge-on-edge", message).at(value.span, ""));
                return None;
            }
            [true, false] => false,
            [false, true] => true,
            [false, false] => swap,
        };
        Some(if swap { [second, first] } else { [first, second] })
    }

    fn side_named(&mut self, value: &syntax::Value, grounds: &[Ground]) -> Option<Candidate> {
        let Some(text) = value.as_str() else {
            let message = format!("a side of a contact is a name, but here it is {}", value.describe());
            self.report(Diagnostic::error("unexpected-value", message).at(value.span, "").help("put it in quotes"));
            return None;
        };
        let wanted = normalize_name(text.trim()).into_owned();
        if let Some(ground) = grounds.iter().find(|g| g.name == wanted) {
            return Some(ground.side());
        }
        let mut known: Vec<String> = grounds.iter().map(|g| g.name.clone()).collect();
        for b in 0..self.rolling.len() {
            for s in 0..self.rolling[b].surfaces.len() {
                let name = self.rolling[b].side_name(s);
                let only = self.rolling[b].surfaces.len() == 1 && self.rolling[b].name == wanted;
                if name == wanted || only {
                    return Some(self.body_side(b, s));
                }
                known.push(name);
            }
        }
        let error = Diagnostic::error("unknown-name", format!("no body or ground has the surface `{text}`"));
        let error = match closest(&wanted, known.iter().map(String::as_str)) {
            Some(near) => error.at(value.span, format!("did you mean `{near}`?")),
            None => error.at(value.span, ""),
        };
        self.report(error.help(format!("known are {}", list(&known))));
        None
    }

    fn body_side(&mut self, body: usize, surface: usize) -> Candidate {
        let b = self.rolling[body].clone();
        let g = &mut self.graph;
        Candidate {
            owner: Owner::Body(body),
            name: b.side_name(surface),
            bounded: b.surfaces[surface].1.clone(),
            rotation: b.rotation,
            position: b.position(g),
            velocity: b.slide(g),
            spin: b.spin(g),
            belt: None,
        }
    }

    fn add_contact(&mut self, name: &str, span: Span, first: Candidate, second: Candidate, manner: Manner) {
        let g = &mut self.graph;
        let stand = stand_of(g, &first, &second);
        let known = Known::of(g, &first.bounded.boundary, &second.bounded.boundary, &stand);
        let plane = |b: &Bounded| matches!(b.boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
        if let (Boundary::Surface(Surface { shape: Shape::Cone { .. }, .. }), true) =
            (first.bounded.boundary, plane(&second.bounded))
        {
            let message = "a cone touches a plane along a line from its tip, and such a contact is not supported";
            self.report(
                Diagnostic::error("singular-contact", message)
                    .at(first.bounded.span, "")
                    .note("rolling in a point would leave it free to tip over the line")
                    .help("let it touch with the rim of its base and with a small ball at its tip, each in a contact of its own: surfaces = { base = { rim = 0.5, centre = [0, 0, 1] }, tip = { sphere = 0.01 } }"),
            );
            return;
        }
        let cylinder =
            |b: &Bounded| matches!(b.boundary, Boundary::Surface(Surface { shape: Shape::Cylinder { .. }, .. }));
        if !(cylinder(&first.bounded) && plane(&second.bounded)) {
            self.add_point_contact(name, span, first, second, manner, known);
            return;
        }
        let (Some(length), Some(known)) = (first.bounded.length, known) else {
            let message = "a cylinder touches a plane along a line, but it has no length";
            self.report(
                Diagnostic::error("singular-contact", message)
                    .at(first.bounded.span, "")
                    .help("write surface = { cylinder = 0.5, length = 1 }: it then touches at both ends of a line"),
            );
            return;
        };
        let g = &mut self.graph;
        let Boundary::Surface(Surface { placement, .. }) = first.bounded.boundary else { return };
        let axis = [g.zero(), g.zero(), g.one()];
        let axis = placement.map_or(axis, |p| linear::mat_vec(g, &p.rotation, &axis));
        for (end, sign) in [("1", 1), ("2", -1)] {
            let g = &mut self.graph;
            let half = g.scale(length, &ratio(sign, 2));
            let step = linear::scale(g, half, &axis);
            let point = linear::add(g, &known.point, &step);
            let known = Known { point, ..known };
            let name = if name.is_empty() { format!("end_{end}") } else { format!("{name}_{end}") };
            self.add_point_contact(&name, span, first.clone(), second.clone(), manner.clone(), Some(known));
        }
    }

    fn add_point_contact(
        &mut self,
        name: &str,
        span: Span,
        first: Candidate,
        second: Candidate,
        manner: Manner,
        known: Option<Known>,
    ) {
        let part = |n: &str| if name.is_empty() { n.to_owned() } else { format!("{name}.{n}") };
        let g = &mut self.graph;
        let stand = stand_of(g, &first, &second);
        let names = |g: &mut Graph, n: &str| {
            let at = [1, 2, 3].map(|i| g.symbol(&format!("{}[{i}]", part(n))));
            let parameters = [1, 2].map(|i| g.symbol(&format!("{}.uv[{i}]", part(n))));
            (at, parameters)
        };
        let (at, parameters) = names(g, "c");
        let (at1, parameters1) = names(g, "c1");
        let Ok(piece) = first.bounded.boundary.piece(g, at, parameters) else { return };
        let Ok(piece1) = second.bounded.boundary.piece(g, at1, parameters1) else { return };
        let Piece::Patch(patch1) = &piece1 else { return };
        let point = known.map_or(*piece.position(), |k| k.point);
        let by_chart = matches!(patch1, Patch::Chart(_));
        let point1 = if by_chart && known.is_none() { *patch1.position() } else { stand.back(g, &point) };
        // the boundaries where they touch
        let piece_here = match known {
            Some(_) => at_point(g, &first.bounded.boundary, &piece, &point),
            None => piece.clone(),
        };
        let normal1 =
            if by_chart { *patch1.normal() } else { at_coordinates(g, patch1.coordinates(), &point1, patch1.normal()) };
        let seen = linear::mat_vec(g, &stand.rotation, &normal1);
        let normal = match (&known, &piece_here) {
            (Some(k), _) => k.normal,
            (None, Piece::Patch(p)) => *p.normal(),
            (None, Piece::Rim(_)) => linear::neg(g, &seen),
        };
        let shape1 = seen_shape(g, &second.bounded.boundary, patch1, &point1, by_chart, &stand.rotation, &normal);
        let relative = Relative::new(g, &piece_here, normal, &shape1);
        let material = |g: &mut Graph, side: &Candidate, at: &Vec3| {
            let turning = linear::cross(g, &side.spin, at);
            linear::add(g, &side.velocity, &turning)
        };
        let moving = second.belt;
        let belt = match moving {
            Some([velocity, spin]) => {
                let turning = linear::cross(g, &spin, &point1);
                linear::add(g, &velocity, &turning)
            }
            None => linear::zero(g),
        };
        let (own, other) = (material(g, &first, &point), material(g, &second, &point1));
        let other = linear::mat_vec(g, &stand.rotation, &other);
        let over_axes = linear::sub(g, &own, &other);
        let seen_belt = linear::mat_vec(g, &stand.rotation, &belt);
        let slip = linear::sub(g, &over_axes, &seen_belt);
        let mut carried = Vec::new();
        let mut rate = linear::zero(g);
        if known.is_none() {
            let spin = linear::mat_vec(g, &stand.rotation, &second.spin);
            let spin = linear::sub(g, &first.spin, &spin);
            let turning = linear::cross(g, &normal, &spin);
            let sliding = if manner.frictionless { over_axes } else { seen_belt };
            let dragged = linear::mat_vec(g, &shape1, &sliding);
            let w = linear::sub(g, &turning, &dragged);
            rate = relative.velocity(g, &w);
            let rates = piece.rates(g, &rate);
            let plain = matches!(&piece, Piece::Patch(Patch::Implicit(_)));
            let coordinates = piece.coordinates().to_vec();
            let factor = part(if plain { "c" } else { "c.uv" });
            let points = coordinates.iter().copied().zip(rates).collect();
            self.configuration.carry(&mut self.graph, &factor, points);
            carried.extend(coordinates);
            if by_chart {
                let g = &mut self.graph;
                let over = linear::add(g, &rate, &sliding);
                let back = linear::mat_vec(g, &linear::transpose(&stand.rotation), &over);
                let rates = patch1.rates(g, &back);
                let points = parameters1.into_iter().zip(rates).collect();
                self.configuration.carry(&mut self.graph, &part("c1.uv"), points);
                carried.extend(parameters1);
            }
        }
        let correction = match known {
            Some(k) => Correction { shift: k.shift, turn: None, points: Vec::new() },
            None => correction(&mut self.graph, &piece, patch1, &stand, &point, &normal, &seen),
        };
        let mut ends = Vec::new();
        for (side, at) in [(&first, &point), (&second, &point1)] {
            let line =
                matches!(first.bounded.boundary, Boundary::Surface(Surface { shape: Shape::Cylinder { .. }, .. }))
                    && matches!(second.bounded.boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
            if let (Some(length), Boundary::Surface(Surface { placement, .. }), false) =
                (side.bounded.length, side.bounded.boundary, line)
            {
                let g = &mut self.graph;
                let own = placement.map_or(*at, |p| p.back(g, at));
                let (half, along) = (g.powi(length, 2), g.powi(own[2], 2));
                let half = g.scale(half, &ratio(1, 4));
                ends.push((side.name.clone(), g.sub(half, along)));
            }
        }
        let zero = self.graph.zero();
        let contact = Contact {
            name: name.to_owned(),
            sides: [first.at(piece, point, linear::zero(&self.graph)), second.at(piece1, point1, belt)],
            normal,
            slip,
            rate,
            relative,
            carried,
            correction,
            frictionless: manner.frictionless,
            bilateral: manner.bilateral,
            friction: manner.friction,
            constraints: 0..0,
            force: [zero; 3],
            normal_force: zero,
            span,
        };
        for (n, value) in [("c", point), ("c1", point1)] {
            self.bind_new(&part(n), Value::Vector(value.to_vec()), span);
        }
        let facing = match contact.sides[0].piece {
            Piece::Patch(Patch::Chart(_)) => linear::neg(&mut self.graph, &seen),
            _ => normal,
        };
        let poles = poles(&mut self.graph, &contact, &stand, &facing);
        let second_axes = self.closes_loop(&contact) && !is_line(&contact);
        if second_axes {
            for touch in self.touches.iter_mut().filter(|t| !is_line(&t.contact)) {
                let [a, b] = &touch.contact.sides;
                touch.second_axes |= a.owner == contact.sides[0].owner && b.owner == Owner::Ground;
            }
        }
        self.touches.push(Touch {
            contact,
            known: known.is_some(),
            second_axes,
            facing,
            poles,
            ends,
            belt: moving,
            stop_at: manner.stop_at,
        });
    }

    /// Whether the two sides of a contact are tied to each other by earlier contacts.
    fn closes_loop(&self, contact: &Contact) -> bool {
        let reach = |from: Owner| {
            let mut seen = vec![from];
            let mut k = 0;
            while k < seen.len() {
                for other in self.touches.iter().map(|t| &t.contact.sides) {
                    let owners = [other[0].owner, other[1].owner];
                    if let Some(i) = owners.iter().position(|o| *o == seen[k])
                        && !seen.contains(&owners[1 - i])
                    {
                        seen.push(owners[1 - i]);
                    }
                }
                k += 1;
            }
            seen
        };
        reach(contact.sides[0].owner).contains(&contact.sides[1].owner)
    }

    /// The rows of the contacts, once the rates of the positions are known.
    pub(super) fn contact_constraints(&mut self) -> Vec<Constraint> {
        let mut out = Vec::new();
        for k in 0..self.touches.len() {
            let touch = self.touches[k].clone();
            let contact = &touch.contact;
            let rate = match touch.known {
                true => {
                    let moved = self.graph.along_all(&contact.sides[0].point, &self.rates);
                    [moved[0], moved[1], moved[2]]
                }
                false => contact.rate,
            };
            let g = &mut self.graph;
            let before = self.touches[..k].iter().map(|t| &t.contact);
            let axes = match (touch.second_axes, contact.sides[1].owner) {
                (false, _) => contact.sides[0].rotation,
                (true, Owner::Body(_)) => contact.sides[1].rotation,
                (true, Owner::Ground) => match before.filter(|c| same_plane(c, contact)).last() {
                    Some(other) => along_plane(g, other, contact),
                    None => linear::identity(g),
                },
            };
            let mut rows: Vec<(String, Expr)> = Vec::new();
            if contact.frictionless {
                let apart = linear::dot(g, &contact.normal, &contact.slip);
                rows.push((contact.title("touching"), g.neg(apart)));
            } else {
                let slip = match touch.second_axes {
                    true => {
                        let world = linear::mat_vec(g, &contact.sides[0].rotation, &contact.slip);
                        linear::mat_vec(g, &linear::transpose(&axes), &world)
                    }
                    false => contact.slip,
                };
                rows.extend((0..3).map(|i| (contact.title(&format!("no slip {}", i + 1)), slip[i])));
            }
            let first = out.len();
            let multipliers: Vec<Symbol> =
                (0..rows.len()).map(|i| g.symbol(&format!("multiplier.{}", first + i + 1))).collect();
            let pull: Vec<Expr> = multipliers.iter().map(|s| g.var(*s)).collect();
            let (force, normal_force) = match pull[..] {
                [x, y, z] => {
                    let force = linear::mat_vec(g, &axes, &[x, y, z]);
                    let own = linear::mat_vec(g, &linear::transpose(&contact.sides[0].rotation), &force);
                    let own = if touch.second_axes { own } else { [x, y, z] };
                    let out = linear::dot(g, &touch.facing, &own);
                    (force, g.neg(out))
                }
                _ => {
                    let push = g.neg(pull[0]);
                    let own = linear::scale(g, push, &contact.normal);
                    (linear::mat_vec(g, &contact.sides[0].rotation, &own), pull[0])
                }
            };
            self.multipliers.extend(multipliers.iter().copied());
            self.accelerations.extend(multipliers);
            let span = contact.span;
            out.extend(rows.into_iter().map(|(name, residual)| Constraint { name, residual, holonomic: None, span }));
            let contact = &mut self.touches[k].contact;
            contact.rate = rate;
            contact.constraints = first..out.len();
            contact.force = force;
            contact.normal_force = normal_force;
        }
        out
    }

    /// `c`, `c1`, `force`, `normal_force` and `mu_required` of each contact.
    pub(super) fn contact_reports(&mut self) -> Vec<(String, Expr)> {
        let mut out = Vec::new();
        for touch in self.touches.clone() {
            let contact = &touch.contact;
            let moved = self.graph.along_all(&contact.sides[1].point, &self.rates);
            let rates = [contact.rate, [moved[0], moved[1], moved[2]]];
            let bent = rates.map(|r| self.graph.along_all(&r, &self.rates));
            let g = &mut self.graph;
            let speeds = rates.map(|r| linear::norm(g, &r));
            let curvatures: [Expr; 2] = std::array::from_fn(|i| {
                let across = linear::cross(g, &rates[i], &[bent[i][0], bent[i][1], bent[i][2]]);
                let (across, cube) = (linear::norm(g, &across), g.powi(speeds[i], 3));
                g.div(across, cube)
            });
            let mut parts = vec![
                ("c", Value::Vector(contact.sides[0].point.to_vec())),
                ("c1", Value::Vector(contact.sides[1].point.to_vec())),
                ("force", Value::Vector(contact.force.to_vec())),
                ("normal_force", Value::Scalar(contact.normal_force)),
                ("polhode_speed", Value::Scalar(speeds[0])),
                ("herpolhode_speed", Value::Scalar(speeds[1])),
            ];
            if !contact.frictionless {
                let (square, normal) = (contact.friction_squared(g), g.powi(contact.normal_force, 2));
                let ratio = g.div(square, normal);
                parts.push(("mu_required", Value::Scalar(g.sqrt(ratio))));
            }
            for (name, value) in &parts {
                let stem = contact.part(name);
                if contact.carried.iter().any(|s| self.graph.name(*s) == format!("{stem}[1]")) {
                    continue;
                }
                out.extend(value.entries().iter().enumerate().map(|(i, e)| (format!("{stem}{}", value.suffix(i)), *e)));
            }
            let more = [
                ("slip", Value::Vector(contact.slip.to_vec())),
                ("polhode_velocity", Value::Vector(rates[0].to_vec())),
                ("herpolhode_velocity", Value::Vector(rates[1].to_vec())),
                ("polhode_curvature", Value::Scalar(curvatures[0])),
                ("herpolhode_curvature", Value::Scalar(curvatures[1])),
                ("relative_curvature", Value::Scalar(contact.relative.determinant())),
            ];
            for (name, value) in parts.into_iter().chain(more) {
                let long = contact.part(name);
                if self.scope.get(&long).is_none() {
                    self.bind(&long, What::BodyPart, Some(value), Some(contact.span));
                }
            }
        }
        out
    }

    /// The contacts, with the indices of their bodies in the model.
    pub(super) fn finished_contacts(&mut self, bodies: &[Body]) -> Vec<Contact> {
        let rolling = std::mem::take(&mut self.rolling);
        let index = |b: usize| bodies.iter().position(|x| normalize_name(&x.name) == rolling[b].name);
        let mut out: Vec<Contact> = std::mem::take(&mut self.touches).into_iter().map(|t| t.contact).collect();
        for side in out.iter_mut().flat_map(|c| &mut c.sides) {
            if let Owner::Body(b) = side.owner {
                side.owner = Owner::Body(index(b).unwrap_or(b));
            }
        }
        out
    }

    /// Where a body would lift off or slip, and where the relative curvature is singular.
    pub(super) fn contact_events(&mut self) -> Vec<Event> {
        let mut out = Vec::new();
        for touch in self.touches.clone() {
            let contact = &touch.contact;
            let who = if contact.name.is_empty() { &contact.sides[0].name } else { &contact.name };
            let mut event = |cause: &'static str, name: String, function: Expr, direction: Direction| {
                // beyond a pole the parameters mean nothing, and of an edge that lies flat no point is the one that touches
                let stop = matches!(cause, "singular-chart" | "lies-flat" | "rolls-off")
                    || touch.stop_at.iter().any(|c| c == cause);
                let action = if stop { Action::Stop } else { Action::Record };
                out.push(Event { name, function, direction, action, cause: Some(cause), span: contact.span });
            };
            // first, so that it is found before what it would make of the forces
            for (side, function) in &touch.poles {
                let name = format!("`{side}` touches at a pole of its parameters");
                event("singular-chart", name, *function, Direction::Falling);
            }
            for (side, function) in &touch.ends {
                event("rolls-off", format!("{who} reaches an end of `{side}`"), *function, Direction::Falling);
            }
            let g = &mut self.graph;
            let slack = contact.slack(g);
            if !contact.bilateral {
                let margin = g.add(contact.normal_force, slack);
                event("lift-off", format!("{who} would lift off"), margin, Direction::Falling);
            }
            let g = &mut self.graph;
            if let Some(mu) = contact.friction {
                let limit = g.mul(mu, contact.normal_force);
                let limit = g.powi(limit, 2);
                let square = contact.friction_squared(g);
                let margin = g.sub(limit, square);
                // of an edge that lies nearly flat friction is as uncertain as the normal force
                let margin = match contact.flatness(g) {
                    Some(_) => {
                        let whole = linear::norm(g, &contact.force);
                        let slack = g.mul(whole, slack);
                        g.add(margin, slack)
                    }
                    None => margin,
                };
                event("slip", format!("{who} would slip"), margin, Direction::Falling);
            }
            let g = &mut self.graph;
            let plane = matches!(contact.sides[1].boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
            if let Some(flatness) = contact.flatness(g).filter(|_| plane) {
                let square = g.powi(flatness, 2);
                let limit = g.number(ratio(1, LYING * LYING));
                let margin = g.sub(square, limit);
                event("lies-flat", format!("{who} lies flat"), margin, Direction::Falling);
            } else if !always_convex(contact) {
                let name = match contact.name.is_empty() {
                    true => "singular relative curvature".to_owned(),
                    false => format!("{who}: singular relative curvature"),
                };
                event("singular-curvature", name, contact.relative.determinant(), Direction::Either);
            }
        }
        out
    }
}

/// n·(x_u × x_v) of the sides that are charts, with the normal n of the other side: positive, and zero at a pole of the parameters. An edge
/// has no normal of its own, so that |x_u × x_v| has to do.
fn poles(g: &mut Graph, contact: &Contact, stand: &Stand, facing: &Vec3) -> Vec<(String, Expr)> {
    let mut out = Vec::new();
    for (k, side) in contact.sides.iter().enumerate() {
        let Piece::Patch(Patch::Chart(chart)) = &side.piece else { continue };
        if !chart.parameters.iter().all(|s| contact.carried.contains(s)) {
            continue;
        }
        let function = match (k, &contact.sides[0].piece) {
            (1, Piece::Rim(_)) => chart.area,
            (0, _) => {
                let across = linear::cross(g, &chart.tangents[0], &chart.tangents[1]);
                linear::dot(g, facing, &across)
            }
            _ => {
                let back = linear::mat_vec(g, &linear::transpose(&stand.rotation), &contact.normal);
                let across = linear::cross(g, &chart.tangents[0], &chart.tangents[1]);
                let along = linear::dot(g, &back, &across);
                g.neg(along)
            }
        };
        out.push((side.name.clone(), function));
    }
    out
}

/// Both sides are planes or outsides of balls and ellipsoids: then the relative curvature is positive everywhere.
fn always_convex(contact: &Contact) -> bool {
    contact.sides.iter().all(|side| match side.boundary {
        Boundary::Surface(s) => {
            s.side == Side::Outside
                && matches!(
                    s.shape,
                    Shape::Plane | Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Spheroid { .. }
                )
        }
        Boundary::Edge(_) => false,
    }) || is_line(contact)
}

/// Whether this is an end of a line along which a cylinder touches a plane.
fn is_line(contact: &Contact) -> bool {
    let shape = |side: &ContactSide| match side.boundary {
        Boundary::Surface(s) => Some(s.shape),
        Boundary::Edge(_) => None,
    };
    matches!((shape(&contact.sides[0]), shape(&contact.sides[1])), (Some(Shape::Cylinder { .. }), Some(Shape::Plane)))
}

/// Whether two contacts are of the same body on the same plane, as of a cone that lies on its rim and its tip.
fn same_plane(a: &Contact, b: &Contact) -> bool {
    let plane = |c: &Contact| matches!(c.sides[1].boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
    let ground = |c: &Contact| c.sides[1].owner == Owner::Ground;
    plane(a)
        && plane(b)
        && ground(a)
        && ground(b)
        && a.sides[1].name == b.sides[1].name
        && a.sides[0].owner == b.sides[0].owner
}

/// Axes n × e, n, e as columns, with n the normal of a plane and e along it from one point of contact to the other: of no slip at the second
/// point the part along e follows from that at the first, wherever e has turned to.
fn along_plane(g: &mut Graph, first: &Contact, second: &Contact) -> Mat3 {
    let (body, ground) = (&second.sides[0], &second.sides[1]);
    let own = linear::sub(g, &body.point, &first.sides[0].point);
    let e = linear::mat_vec(g, &body.rotation, &own);
    let length = linear::norm(g, &e);
    let inverse = g.powi(length, -1);
    let e = linear::scale(g, inverse, &e);
    let up = match &ground.piece {
        Piece::Patch(p) => *p.normal(),
        Piece::Rim(r) => r.tangent,
    };
    let up = linear::mat_vec(g, &ground.rotation, &up);
    let across = linear::cross(g, &up, &e);
    linear::transpose(&[across, up, e])
}

/// How the second stands, seen from the first.
fn stand_of(g: &mut Graph, first: &Candidate, second: &Candidate) -> Stand {
    let back = linear::transpose(&first.rotation);
    let rotation = linear::mat_mul(g, &back, &second.rotation);
    let apart = linear::sub(g, &second.position, &first.position);
    Stand { rotation, origin: linear::mat_vec(g, &back, &apart) }
}

/// Expressions in the coordinates of a point, at this point.
fn at_coordinates<const N: usize>(
    g: &mut Graph,
    coordinates: &[Symbol],
    point: &Vec3,
    entries: &[Expr; N],
) -> [Expr; N] {
    let at = coordinates.iter().copied().zip(*point).collect();
    let moved = g.substitute_all(entries, &at);
    std::array::from_fn(|i| moved[i])
}

/// The first boundary at a known point.
fn at_point(g: &mut Graph, boundary: &Boundary, piece: &Piece, point: &Vec3) -> Piece {
    match piece {
        Piece::Patch(Patch::Implicit(p)) => {
            let mut here = p.as_ref().clone();
            here.normal = at_coordinates(g, &p.coordinates, point, &p.normal);
            here.shape = std::array::from_fn(|i| at_coordinates(g, &p.coordinates, point, &p.shape[i]));
            here.position = *point;
            Piece::Patch(Patch::Implicit(Box::new(here)))
        }
        Piece::Rim(r) => match boundary {
            Boundary::Edge(edge) => Piece::Rim(Box::new(edge.rim_through(g, r.parameter, point).unwrap_or(**r))),
            Boundary::Surface(_) => piece.clone(),
        },
        other => other.clone(),
    }
}

/// How a contact with carried points is closed: c ↦ c − ν f/|∇f|, then the first side turned by ν × (−G ν₁) about it and moved by
/// −G ν₁ f₁/|∇f₁|; the parameters of charts follow the nearest point.
fn correction(
    g: &mut Graph,
    piece: &Piece,
    patch1: &Patch,
    stand: &Stand,
    point: &Vec3,
    normal: &Vec3,
    seen: &Vec3,
) -> Correction {
    let mut points = Vec::new();
    if let Piece::Patch(Patch::Implicit(p)) = piece {
        let off = g.div(p.f, p.gradient_norm);
        let off = g.neg(off);
        let step = linear::scale(g, off, normal);
        points.extend(p.coordinates.into_iter().zip(step));
    }
    let point1 = stand.back(g, point);
    let gap = match patch1 {
        Patch::Implicit(p) => {
            let off = g.div(p.f, p.gradient_norm);
            at_coordinates(g, &p.coordinates, &point1, &[off])[0]
        }
        Patch::Chart(p) => {
            let apart = linear::sub(g, &point1, &p.position);
            let rates = p.rates(g, &apart);
            points.extend(p.parameters.into_iter().zip(rates));
            linear::dot(g, &apart, &p.normal)
        }
    };
    let back = g.neg(gap);
    let shift = linear::scale(g, back, seen);
    let turn = match piece {
        Piece::Patch(_) => {
            let across = linear::cross(g, normal, seen);
            Some(linear::neg(g, &across))
        }
        Piece::Rim(_) => None,
    };
    Correction { shift, turn, points }
}

/// G S₁ Gᵀ at the contact; of a sphere it is ±(1 − ννᵀ)/r in any axes.
fn seen_shape(
    g: &mut Graph,
    boundary: &Boundary,
    patch: &Patch,
    point: &Vec3,
    by_chart: bool,
    rotation: &Mat3,
    normal: &Vec3,
) -> Mat3 {
    if let Boundary::Surface(Surface { shape: Shape::Sphere { radius }, side, .. }) = boundary {
        let k = g.powi(*radius, -1);
        let k = if *side == Side::Inside { g.neg(k) } else { k };
        return std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let product = g.mul(normal[i], normal[j]);
                let one = if i == j { g.one() } else { g.zero() };
                let tangent = g.sub(one, product);
                g.mul(k, tangent)
            })
        });
    }
    let own: Mat3 = if by_chart {
        *patch.shape()
    } else {
        std::array::from_fn(|i| at_coordinates(g, patch.coordinates(), point, &patch.shape()[i]))
    };
    linear::conjugate(g, rotation, &own)
}

impl Ground {
    fn side(&self) -> Candidate {
        Candidate {
            owner: Owner::Ground,
            name: self.name.clone(),
            bounded: self.bounded.clone(),
            rotation: self.rotation,
            position: self.position,
            velocity: self.velocity,
            spin: self.spin,
            belt: self.belt,
        }
    }
}

impl Candidate {
    fn at(self, piece: Piece, point: Vec3, belt: Vec3) -> ContactSide {
        ContactSide {
            owner: self.owner,
            name: self.name,
            boundary: self.bounded.boundary,
            size: self.bounded.size,
            domain: self.bounded.domain,
            piece,
            point,
            rotation: self.rotation,
            position: self.position,
            velocity: self.velocity,
            spin: self.spin,
            belt,
            span: self.bounded.span,
        }
    }
}

impl RollingBody {
    /// What contacts call a surface.
    fn side_name(&self, surface: usize) -> String {
        match &self.surfaces[surface].0 {
            Some(own) => format!("{}.{}", self.name, normalize_name(own)),
            None => self.name.clone(),
        }
    }
}

impl Contact {
    /// `no slip 1`, with the name of the contact before it.
    fn title(&self, text: &str) -> String {
        if self.name.is_empty() { text.to_owned() } else { format!("{}: {text}", self.name) }
    }

    /// k/κ of an edge of curvature κ: the sine of its angle against a plane it touches, zero where it lies flat.
    fn flatness(&self, g: &mut Graph) -> Option<Expr> {
        let Relative::Edge { curvature, .. } = self.relative else { return None };
        let (Piece::Rim(rim), Boundary::Edge(edge)) = (&self.sides[0].piece, &self.sides[0].boundary) else {
            return None;
        };
        let rim = match self.carried.contains(&rim.parameter) {
            true => **rim,
            false => edge.rim_through(g, rim.parameter, &self.sides[0].point).unwrap_or(**rim),
        };
        let own = linear::norm(g, &rim.curvature_vector);
        Some(g.div(curvature, own))
    }

    /// How far rounding may take the normal force: a force without normal part is not one that changes its sign with every rounding.
    ///
    /// An edge at a small angle s against what it touches turns rounding ε of R into ε/s of c, its velocity w/k into one more factor, and
    /// its acceleration, which the force contains, into a third: ε/s³.
    fn slack(&self, g: &mut Graph) -> Expr {
        let whole = linear::norm(g, &self.force);
        let slack = g.scale(whole, &ratio(1, ROUNDING));
        let Some(flatness) = self.flatness(g) else { return slack };
        let square = g.powi(flatness, 2);
        let size = g.sqrt(square);
        let more = g.powi(size, -3);
        g.mul(slack, more)
    }

    /// The square of the friction, F − N n with n = −R ν.
    fn friction_squared(&self, g: &mut Graph) -> Expr {
        let out = linear::mat_vec(g, &self.sides[0].rotation, &self.normal);
        let along = linear::scale(g, self.normal_force, &out);
        let friction = linear::add(g, &self.force, &along);
        linear::dot(g, &friction, &friction)
    }
}
