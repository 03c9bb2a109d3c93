//! `[initial.NAME]` of a body in contact: where it touches, how it is turned, how it moves.
//!
//! A contact has five degrees of freedom, and people fix them in different ways:
//!
//! | given | found |
//! | --- | --- |
//! | `rotation`, `touching` | the point of the body whose normal is −Rᵀν₁ |
//! | `contact`, `touching`, `tangent_body`, `tangent_ground`, `heading` | R: ν ↦ −ν₁, projected tangents onto each other, turned about ν₁ |
//! | `contact`, `rotation` | the point of the ground with normal −Rν |
//! | all three of `contact`, `touching`, `rotation` | nothing: they must fit |
//! | `position`, `rotation` | both points; the boundaries must touch |
//!
//! Without `touching` the other side is touched where its normal is upwards. `touching` and `tangent_ground` are in the axes of the
//! other side, `contact` and `tangent_body` in those of the body. Bodies are placed one after the other, each by its first contact with
//! the ground or with a body that stands already; its other contacts must then fit. What was given exactly is kept.

use super::bodies::short;
use super::placing::{Algebra, Exactly, Found, Look, M, Pose, V, doubles, vector};
use super::value::{Shape, Value};
use super::{Resolver, without_place};
use crate::contact::{Contact, ContactSide, Owner};
use crate::model::InitialValue;
use crate::syntax::{self, Key, Table, ValueKind};
use polhode_base::{Diagnostic, Span};
use polhode_expr::eval::Real;
use polhode_expr::{Expr, Symbol};
use polhode_geometry::numeric::{NumericSurface, Regularity};
use polhode_geometry::{Boundary, Piece, Relative, Shape as Form, Surface};
use rustc_hash::FxHashMap;

/// What was given is kept if it is exact to this.
const EXACT: f64 = 1e-45;
/// How far normals may be from opposite, in radians, where everything is given.
const FITTING: f64 = 1e-6;
/// How far boundaries may be apart, in units of their size, where positions are given.
const TOUCHING: f64 = 1e-8;
/// Relative curvature below this, in units of the trace, is singular.
const SINGULAR: f64 = 1e-9;

/// Relative curvature below this in every direction, in units of the size of the body, is none: the flat ends of a superquadric, which a
/// search for the point with a given normal only comes near to.
const FLAT: f64 = 1e-5;
/// Steps in which a gap is closed: each leaves about the square of what was there.
const CLOSING: usize = 8;

/// Points of a body that are looked at for overlaps.
const SPREAD: usize = 300;
/// How far they may reach into the other side, in units of the body's size.
const OVERLAP: f64 = 1e-3;

const KEYS: &[&str] = &[
    "touching",
    "c1",
    "contact",
    "c",
    "rotation",
    "R",
    "position",
    "x_O",
    "tangent_body",
    "tangent_ground",
    "heading",
    "omega",
    "Omega",
    "velocity",
    "V",
];

/// A quantity that was given.
#[derive(Clone, Debug)]
struct Given {
    entries: Vec<Expr>,
    span: Span,
    flag: Option<String>,
}

/// What was given for a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    any: bool,
    touching: Option<Given>,
    contact: Option<Given>,
    /// `contact = { normal = … }`: by its normal instead of its place.
    by_normal: bool,
    rotation: Option<Given>,
    position: Option<Given>,
    tangent_body: Option<Given>,
    tangent_ground: Option<Given>,
    heading: Option<Given>,
    spin: Option<Given>,
    /// Whether the spin is in world axes.
    world: bool,
    velocity: Option<Given>,
    /// Whether the velocity is in body axes.
    own_velocity: bool,
}

/// Everything that has been placed.
#[derive(Default)]
struct Placed {
    poses: FxHashMap<usize, Pose>,
    /// The points of the contacts that were found on the way.
    points: FxHashMap<usize, [Found; 2]>,
}

impl Resolver<'_> {
    /// Whether a key of `[initial]` or a flag is about a rolling body: which, and its name without the body's.
    pub(super) fn rolling_key(&self, name: &str) -> Option<(usize, String)> {
        for (b, body) in self.rolling.iter().enumerate() {
            if let Some(own) = name.strip_prefix(body.name.as_str()).and_then(|rest| rest.strip_prefix('.'))
                && KEYS.contains(&own)
            {
                return Some((b, own.to_owned()));
            }
        }
        let clash = self.configuration.factors().iter().any(|f| f.name == name && !f.velocities.is_empty());
        (self.rolling.len() == 1 && KEYS.contains(&name) && !clash).then(|| (0, name.to_owned()))
    }

    /// `[initial.NAME]`.
    pub(super) fn rolling_table(&mut self, table: &Table, start: &mut Start) {
        start.any = true;
        for (key, value) in table.iter() {
            if self.known_key(key, KEYS, "the start of a rolling body") {
                self.rolling_entry(key, &key.name, value, start);
            }
        }
    }

    pub(super) fn rolling_entry(&mut self, key: &Key, name: &str, value: &syntax::Value, start: &mut Start) {
        start.any = true;
        let mut value = value;
        if let ("contact" | "c", ValueKind::Table(table)) = (name, &value.kind) {
            for (key, _) in table.iter() {
                self.known_key(key, &["normal"], "a contact");
            }
            let Some(normal) = table.get("normal") else {
                let error = Diagnostic::error("missing-key", "this contact says neither a point nor a normal");
                self.report(
                    error.at(key.span, "").help("write contact = [x, y, z] or contact = { normal = [x, y, z] }"),
                );
                return;
            };
            value = normal;
            start.by_normal = true;
        }
        let Some((tree, result)) = self.formula(value) else { return };
        self.rolling_value(name, result, tree.span, None, start);
    }

    /// A flag takes the place of what the file says, also in other words.
    pub(super) fn rolling_flag(&mut self, name: &str, text: &str, start: &mut Start) {
        start.any = true;
        let shown = format!("--init {name}={text}");
        let Some(value) = self.flag_formula("--init", name, text) else { return };
        let own = self.rolling_key(name).unwrap_or_default().1;
        let from_file = |g: &Option<Given>| g.as_ref().is_some_and(|g| g.flag.is_none());
        if matches!(own.as_str(), "R" | "rotation") {
            if from_file(&start.contact) {
                start.contact = None;
            }
            (start.tangent_body, start.tangent_ground, start.heading) = (None, None, None);
        }
        if matches!(own.as_str(), "touching" | "c1") && from_file(&start.position) {
            start.position = None;
        }
        if matches!(own.as_str(), "c" | "contact") {
            start.by_normal = false;
            if from_file(&start.rotation) {
                start.rotation = None;
            }
        }
        self.rolling_value(&own, value, Span::default(), Some(shown), start);
    }

    fn rolling_value(&mut self, name: &str, value: Value, span: Span, flag: Option<String>, start: &mut Start) {
        let wanted = match name {
            "rotation" | "R" => Shape::Matrix(3, 3),
            "heading" => Shape::Scalar,
            _ => Shape::Vector(3),
        };
        let given = Given { entries: value.entries().to_vec(), span, flag };
        if value.shape() != wanted {
            let message = format!("`{name}` is {wanted}, but this is {}", value.shape());
            self.blame_given(&given, Diagnostic::error("wrong-dimension", message));
            return;
        }
        let what = format!("the initial value of `{name}`");
        let before = self.found.len();
        let constant = given.entries.iter().all(|e| self.constant(*e, span, &what).is_some());
        if let Some(shown) = &given.flag {
            for error in self.found.split_off(before) {
                self.found.push(without_place(error, shown));
            }
        }
        if !constant {
            return;
        }
        let place = match name {
            "touching" | "c1" => &mut start.touching,
            "contact" | "c" => &mut start.contact,
            "rotation" | "R" => &mut start.rotation,
            "position" | "x_O" => &mut start.position,
            "tangent_body" => &mut start.tangent_body,
            "tangent_ground" => &mut start.tangent_ground,
            "heading" => &mut start.heading,
            "velocity" | "V" => {
                start.own_velocity = name == "V";
                &mut start.velocity
            }
            _ => {
                start.world = name == "omega";
                &mut start.spin
            }
        };
        let word = |g: &Given| g.flag.as_ref().and_then(|f| f.split('=').next()).map(str::to_owned);
        if let (Some(first), Some(second)) = (place.as_ref().and_then(word), word(&given))
            && first != second
        {
            let message = format!("`{first}=…` and `{second}=…` are two values for the same quantity");
            self.report(Diagnostic::error("duplicate-value", message).help("leave one of them out"));
            return;
        }
        if let (Some(first), None) = (&*place, &given.flag) {
            let error =
                Diagnostic::error("duplicate-value", format!("`{name}` is given twice, perhaps in other words"))
                    .at(span, "given again here")
                    .also(first.span, "first given here");
            self.report(error);
            return;
        }
        *place = Some(given);
    }

    fn blame_given(&mut self, given: &Given, error: Diagnostic) {
        let error = match &given.flag {
            Some(shown) => without_place(error, shown),
            None => error.at(given.span, ""),
        };
        self.report(error);
    }

    /// The initial values of the bodies in contact.
    pub(super) fn start_rolling(&mut self, starts: &[Start], out: &mut Vec<InitialValue>) {
        if !starts.iter().any(|s| s.any) || self.touches.is_empty() {
            return;
        }
        // the sections before have been told what is wrong with them
        if self.parameters.iter().any(|p| !self.values.get(&p.symbol).is_some_and(|x| x.is_finite())) {
            return;
        }
        for given in starts.iter().filter_map(|s| s.rotation.as_ref()) {
            let numbers: Vec<f64> =
                given.entries.iter().filter_map(|e| self.graph.evaluate_f64(*e, &self.values).ok()).collect();
            if numbers.len() == 9 && !super::initial::is_rotation(&numbers) {
                let error = Diagnostic::error("not-a-rotation", "the initial rotation is not a rotation matrix")
                    .note("its columns are not three perpendicular unit vectors, or they are left-handed")
                    .help(
                        "write it as a product such as \"Rz(0.3)*Rx(1.1)\", or as quat(w, x, y, z), which is made unit",
                    );
                self.blame_given(given, error);
                return;
            }
        }
        self.place_all(starts, out);
    }

    fn place_all(&mut self, starts: &[Start], out: &mut Vec<InitialValue>) -> Option<()> {
        let parameters: Vec<(Symbol, Expr)> = self.parameters.iter().map(|p| (p.symbol, p.value)).collect();
        let exactly = Exactly::new(&self.graph, self.time, &parameters)?;
        let contacts: Vec<Contact> = self.touches.iter().map(|t| t.contact.clone()).collect();
        let mut placed = Placed::default();
        while placed.poses.len() < self.rolling.len() {
            let next = self.next_body(starts, &contacts, &placed);
            let Some((body, by)) = next else {
                if self.touches_edge_only(starts, &contacts, &placed) {
                    return None;
                }
                let left: Vec<&str> = (0..self.rolling.len())
                    .filter(|b| !placed.poses.contains_key(b))
                    .map(|b| self.rolling[b].name.as_str())
                    .collect();
                let verb = if left.len() == 1 { "starts" } else { "start" };
                let message = format!("nothing says where {} {verb}", super::list(&left));
                let span = self.rolling.iter().find(|b| b.name == left[0]).map_or(Span::default(), |b| b.span);
                self.report(
                    Diagnostic::error("no-contact", message)
                        .at(span, "")
                        .help(format!("add [initial.{}] with position = [x, y, z] and rotation", left[0])),
                );
                return None;
            };
            match by {
                Some((contact, mine)) => {
                    self.place_by_contact(&exactly, body, &starts[body], &contacts, contact, mine, &mut placed)?;
                }
                None => self.place_as_given(&exactly, body, &starts[body], &mut placed)?,
            }
        }
        for contact in &contacts {
            self.belt_stays_on_surface(&exactly, contact)?;
        }
        for k in 0..contacts.len() {
            self.fit_contact(&exactly, &contacts, k, starts, &mut placed)?;
        }
        self.put_bodies(&exactly, starts, &contacts, &placed, out)?;
        for (k, contact) in contacts.iter().enumerate() {
            self.look_at_curvature(&exactly, contact, &placed.points[&k], &placed)?;
            self.look_elsewhere(&exactly, contact, &placed)?;
        }
        Some(())
    }

    /// Reports a body that was told where it touches an edge, which does not say where it is; true if there is one.
    fn touches_edge_only(&mut self, starts: &[Start], contacts: &[Contact], placed: &Placed) -> bool {
        for body in (0..self.rolling.len()).filter(|b| !placed.poses.contains_key(b)) {
            let given = starts[body].touching.as_ref().or(starts[body].contact.as_ref());
            let edge = contacts
                .iter()
                .find(|c| matches!(c.sides[0].boundary, Boundary::Edge(_)) && c.sides[1].owner == Owner::Body(body));
            if let (Some(given), Some(contact)) = (given.cloned(), edge) {
                let (own, other) = (&self.rolling[body].name, &contact.sides[0].name);
                let message = format!(
                    "`{own}` touches the edge of `{other}`, which has no normal: a point of it does not say where `{own}` is"
                );
                let help = format!(
                    "write position = [x, y, z] of `{own}`, or place `{own}` first and say `touching` for `{other}`"
                );
                self.blame_given(&given, Diagnostic::error("no-contact", message).help(help));
                return true;
            }
        }
        false
    }

    /// The next body that can be placed: by its position, or by a contact (and which side of it is the body's).
    fn next_body(
        &self,
        starts: &[Start],
        contacts: &[Contact],
        placed: &Placed,
    ) -> Option<(usize, Option<(usize, usize)>)> {
        let free = |b: usize| !placed.poses.contains_key(&b);
        let given = (0..self.rolling.len()).find(|b| free(*b) && starts[*b].position.is_some());
        if let Some(body) = given {
            return Some((body, None));
        }
        for body in (0..self.rolling.len()).filter(|b| free(*b)) {
            for (k, contact) in contacts.iter().enumerate() {
                let Some(mine) = contact.sides.iter().position(|s| s.owner == Owner::Body(body)) else { continue };
                let stands = match contact.sides[1 - mine].owner {
                    Owner::Ground => true,
                    Owner::Body(other) => !free(other),
                };
                let edge = matches!(contact.sides[1 - mine].boundary, Boundary::Edge(_));
                if stands && !edge {
                    return Some((body, Some((k, mine))));
                }
            }
        }
        None
    }

    fn numeric(&self, side: &ContactSide) -> Option<NumericSurface> {
        let Boundary::Surface(surface) = side.boundary else { return None };
        let values: Vec<(Symbol, f64)> = self.values.iter().map(|(s, x)| (*s, *x)).collect();
        let mut numeric = NumericSurface::new(&self.graph, &surface, &values).ok()?;
        if let Some(size) = side.size {
            numeric = numeric.with_size(size);
        }
        Some(match side.domain {
            Some(domain) => numeric.with_domain(domain),
            None => numeric,
        })
    }

    fn look<'s>(&self, side: &'s ContactSide) -> Look<'s> {
        Look { piece: &side.piece, surface: self.numeric(side) }
    }

    /// Where the owner of a side stands at the start.
    fn pose(&self, exactly: &Exactly, side: &ContactSide, placed: &Placed) -> Option<Pose> {
        match side.owner {
            Owner::Body(b) => placed.poses.get(&b).cloned(),
            Owner::Ground => {
                let flat: Vec<Expr> = side.rotation.iter().flatten().copied().collect();
                let v = exactly.values(&self.graph, &flat)?;
                let rotation = std::array::from_fn(|i| std::array::from_fn(|j| v[3 * i + j].clone()));
                Some(Pose { rotation, position: vector(exactly.values(&self.graph, &side.position)?) })
            }
        }
    }

    fn given_rotation(&self, exactly: &Exactly, start: &Start) -> Option<Option<M>> {
        let Some(given) = &start.rotation else { return Some(None) };
        let v = exactly.values(&self.graph, &given.entries)?;
        Some(Some(std::array::from_fn(|i| std::array::from_fn(|j| v[3 * i + j].clone()))))
    }

    fn place_as_given(&mut self, exactly: &Exactly, body: usize, start: &Start, placed: &mut Placed) -> Option<()> {
        let a = Algebra { digits: exactly.digits };
        let rotation = self.given_rotation(exactly, start)?.unwrap_or_else(|| a.identity());
        let position = vector(exactly.values(&self.graph, &start.position.as_ref()?.entries)?);
        let useless = [&start.touching, &start.contact, &start.heading, &start.tangent_body, &start.tangent_ground];
        if let Some(given) = useless.into_iter().flatten().next() {
            let message = format!("`{}` is placed by its position already", self.rolling[body].name);
            let error = Diagnostic::error("duplicate-value", message)
                .help("leave out either `position`, or what says where it touches");
            self.blame_given(given, error);
            return None;
        }
        placed.poses.insert(body, Pose { rotation, position });
        Some(())
    }

    #[allow(clippy::too_many_arguments)]
    fn place_by_contact(
        &mut self,
        exactly: &Exactly,
        body: usize,
        start: &Start,
        contacts: &[Contact],
        contact: usize,
        mine: usize,
        placed: &mut Placed,
    ) -> Option<()> {
        let (own, other) = (&contacts[contact].sides[mine], &contacts[contact].sides[1 - mine]);
        let base = self.pose(exactly, other, placed)?;
        let (look, ground) = (self.look(own), self.look(other));
        let a = Algebra { digits: exactly.digits };
        // all below is in the axes of the other side
        let back = a.transpose(&base.rotation);
        let turn = self.given_rotation(exactly, start)?.map(|r| a.times(&back, &r));
        let edge = matches!(own.boundary, Boundary::Edge(_));
        if let (true, Some(given)) = (edge, &start.contact) {
            let error = Diagnostic::error("no-contact", "the point of an edge follows from its rotation")
                .help("leave `contact` out and say `rotation`");
            self.blame_given(given, error);
            return None;
        }

        // the point of the body, where it does not depend on the other side
        let mut at = match &start.contact {
            Some(given) if start.by_normal => {
                let v = exactly.values(&self.graph, &given.entries)?;
                let normal = a.unit(&vector(v));
                let found = exactly.with_normal(&self.graph, &look, &normal);
                if found.is_none() {
                    let error = Diagnostic::error("no-contact", "the body has no point with this normal");
                    self.blame_given(given, error);
                    return None;
                }
                found
            }
            Some(given) => Some(self.on_surface(exactly, &look, given, "the body", own.span)?),
            None => None,
        };
        let whose = if other.name == "ground" { "the ground".to_owned() } else { format!("`{}`", other.name) };
        let name = self.rolling[body].name.clone();
        let on_ground = match (&start.touching, &at, &turn) {
            (Some(given), _, _) => self.on_surface(exactly, &ground, given, &whose, other.span)?,
            (None, at, turn) => {
                let normal = match (at, turn) {
                    (Some(at), Some(turn)) => a.negative(&a.apply(turn, &at.normal)),
                    _ => a.apply(&back, &a.axis(2)),
                };
                let Some(found) = exactly.with_normal(&self.graph, &ground, &normal) else {
                    if self.starts_at_pole(&ground, &normal, &whose, other.span) {
                        return None;
                    }
                    let message = format!("no point of {whose} was found where `{name}` could touch it");
                    self.report(
                        Diagnostic::error("no-contact", message)
                            .at(self.rolling[body].span, "")
                            .help("say where it touches: touching = [x, y, z]"),
                    );
                    return None;
                };
                found
            }
        };
        let down = a.negative(&on_ground.normal);
        if at.is_none() {
            let given = turn.clone().unwrap_or_else(|| a.identity());
            let normal = a.apply(&a.transpose(&given), &down);
            at = exactly.with_normal(&self.graph, &look, &normal);
            if at.is_none() && self.starts_at_pole(&look, &normal, &format!("`{name}`"), own.span) {
                return None;
            }
        }
        let Some(at) = at else {
            let message = format!("no point of `{name}` has the normal that touches {whose}");
            self.report(
                Diagnostic::error("no-contact", message)
                    .at(self.rolling[body].span, "")
                    .help("turn the body, or say contact = [x, y, z] in body axes"),
            );
            return None;
        };
        let rotation = match (&turn, start.contact.is_some()) {
            (None, true) => self.between_tangents(exactly, start, &at.normal, &on_ground.normal)?,
            (turn, _) => {
                let turn = turn.clone().unwrap_or_else(|| a.identity());
                let normal = a.apply(&turn, &at.normal);
                let gap = a.size(&a.minus(&normal, &down));
                if gap > FITTING {
                    let angle = 2.0 * (gap / 2.0).min(1.0).asin();
                    let message =
                        format!("the normals of `{name}` and {whose} are not opposite: they are off by {angle:.3} rad");
                    let error = Diagnostic::error("no-contact", message)
                        .help("leave `rotation`, `contact` or `touching` out, and it is found");
                    match start.rotation.as_ref() {
                        Some(given) => self.blame_given(given, error),
                        None => self.report(error.at(self.rolling[body].span, "")),
                    }
                    return None;
                }
                a.turned_onto(&normal, &down, &turn)
            }
        };
        let centre = a.minus(&on_ground.point, &a.apply(&rotation, &at.point));
        let position = a.plus(&base.position, &a.apply(&base.rotation, &centre));
        placed.poses.insert(body, Pose { rotation: a.times(&base.rotation, &rotation), position });
        let points = if mine == 0 { [at, on_ground] } else { [on_ground, at] };
        placed.points.insert(contact, points);
        Some(())
    }

    /// Reports a start at a pole of the parameters of a surface; true if it is one.
    fn starts_at_pole(&mut self, look: &Look<'_>, normal: &V, whose: &str, span: Span) -> bool {
        let Some([u, v]) = look.surface.as_ref().and_then(|s| s.pole_towards(doubles(normal))) else { return false };
        let message = format!("{whose} would touch at a pole of its parameters, where there is no normal");
        let [u, v] = [u, v].map(|x| (x * 1e6).round() / 1e6 + 0.0);
        self.report(
            Diagnostic::error("not-regular", message)
                .at(span, format!("at about u = {u}, v = {v}"))
                .note("x_u × x_v vanishes there: the parameters have no definite rates, as longitude has none at the poles of a globe")
                .help("start elsewhere, choose parameters with their poles elsewhere, or write the surface by an equation: implicit = \"…\""),
        );
        true
    }

    /// Reports a belt that would leave its surface, or go through it.
    fn belt_stays_on_surface(&mut self, exactly: &Exactly, contact: &Contact) -> Option<()> {
        let side = &contact.sides[1];
        let look = self.look(side);
        let Some([velocity, spin]) = self.touches.iter().find(|t| t.contact.name == contact.name).and_then(|t| t.belt)
        else {
            return Some(());
        };
        let a = Algebra { digits: exactly.digits };
        let (velocity, spin) =
            (vector(exactly.values(&self.graph, &velocity)?), vector(exactly.values(&self.graph, &spin)?));
        let mut directions = vec![[0.3, 0.5, 0.8], [-0.6, 0.2, 0.7], [0.5, -0.7, -0.4], [0.9, 0.1, 0.2]];
        let feet = [[0.1, 0.2, 0.3], [-0.4, 0.3, 0.2]].map(|p| look.surface.as_ref()?.project(p));
        directions.extend(feet.into_iter().flatten().map(|foot| foot.normal));
        for direction in directions {
            let m = a.unit(&direction.map(|x| exactly.digits.double(x)));
            let Some(found) = exactly.with_normal(&self.graph, &look, &m) else { continue };
            let b = a.plus(&velocity, &a.cross(&spin, &found.point));
            let through = a.dot(&b, &found.normal).to_f64().value();
            if through.abs() > 1e-9 * a.size(&b).max(f64::MIN_POSITIVE) {
                let message = format!("the belt of `{}` does not move along its surface", side.name);
                self.report(
                    Diagnostic::error("belt-off-surface", message)
                        .at(side.span, "")
                        .note("a belt moves the material and leaves the surface where it is: a plane along itself, a cylinder or a surface of revolution about its axis")
                        .help("for ground that moves as a whole, write `position` and `rotation` as functions of t"),
                );
                return None;
            }
        }
        Some(())
    }

    /// Finds the points of a contact between bodies that stand, and whether they touch.
    fn fit_contact(
        &mut self,
        exactly: &Exactly,
        contacts: &[Contact],
        k: usize,
        starts: &[Start],
        placed: &mut Placed,
    ) -> Option<()> {
        if placed.points.contains_key(&k) {
            return Some(());
        }
        let contact = &contacts[k];
        let [first, second] = &contact.sides;
        let poses = [self.pose(exactly, first, placed)?, self.pose(exactly, second, placed)?];
        let looks = [self.look(first), self.look(second)];
        let found = exactly.meeting(&self.graph, [&looks[0], &looks[1]], [&poses[0], &poses[1]]);
        let names = format!("`{}` and `{}`", first.name, second.name);
        let Some(([at, on], gap)) = found.clone() else {
            let message = format!("no point was found where {names} touch");
            self.report(
                Diagnostic::error("no-contact", message)
                    .at(contact.span, "")
                    .help("place the body by `touching` and `rotation`, or check its `position`"),
            );
            return None;
        };
        let a = Algebra { digits: exactly.digits };
        let size = looks.iter().filter_map(|l| l.surface.as_ref()).map(NumericSurface::size).fold(0.0, f64::max);
        let apart = gap.to_f64().value();
        if apart.abs() > TOUCHING * size {
            let how = if apart > 0.0 { "are apart by" } else { "overlap by" };
            let closed = self.closed(exactly, [&looks[0], &looks[1]], &poses, found, TOUCHING * size);
            let gap = closed.as_ref().map_or(apart.abs(), |p| a.size(&a.minus(p, &poses[0].position)));
            let message = format!("{names} do not touch: they {how} {}", short(gap));
            let mut error = Diagnostic::error("no-contact", message).at(contact.span, "");
            if let (Owner::Body(b), Some(place)) = (first.owner, closed)
                && starts[b].position.is_some()
            {
                let [x, y, z] = doubles(&place).map(short);
                error = error.help(format!("they do with position = [{x}, {y}, {z}] of `{}`", first.name));
            }
            self.report(error);
            return None;
        }
        // the last digits of a position that was given
        if let Owner::Body(b) = first.owner
            && starts[b].position.is_some()
            && apart.abs() > EXACT
            && contacts[..k].iter().all(|c| c.sides.iter().all(|s| s.owner != first.owner))
        {
            let out = a.apply(&poses[1].rotation, &on.normal);
            let pose = placed.poses.get_mut(&b)?;
            pose.position = std::array::from_fn(|i| &pose.position[i] - &out[i] * &gap);
        }
        placed.points.insert(k, [at, on]);
        Some(())
    }

    /// Where the first body touches when it is moved along the normals that are met on the way. One step closes a gap to first order only.
    fn closed(
        &self,
        exactly: &Exactly,
        looks: [&Look<'_>; 2],
        poses: &[Pose; 2],
        found: Option<([Found; 2], Real)>,
        near: f64,
    ) -> Option<V> {
        let a = Algebra { digits: exactly.digits };
        let mut pose = poses[0].clone();
        let mut found = found;
        for _ in 0..CLOSING {
            let ([_, on], gap) = found?;
            let out = a.apply(&poses[1].rotation, &on.normal);
            pose.position = std::array::from_fn(|i| &pose.position[i] - &out[i] * &gap);
            found = exactly.meeting(&self.graph, looks, [&pose, &poses[1]]);
            if found.as_ref().is_some_and(|(_, gap)| gap.to_f64().value().abs() <= near) {
                return Some(pose.position);
            }
        }
        None
    }

    fn put_bodies(
        &mut self,
        exactly: &Exactly,
        starts: &[Start],
        contacts: &[Contact],
        placed: &Placed,
        out: &mut Vec<InitialValue>,
    ) -> Option<()> {
        let a = Algebra { digits: exactly.digits };
        for (b, start) in starts.iter().enumerate() {
            let body = self.rolling[b].clone();
            let pose = &placed.poses[&b];
            let span = start.spin.as_ref().or(start.touching.as_ref()).map_or(body.span, |g| g.span);
            let flat: Vec<Real> = pose.rotation.iter().flatten().cloned().collect();
            self.put(exactly, &body.positions[..9], &flat, start.rotation.as_ref(), span, out);
            self.put(exactly, &body.positions[9..], &pose.position, start.position.as_ref(), span, out);
            let back = a.transpose(&pose.rotation);
            let own_axes = |given: &Given, world: bool| {
                let v = vector(exactly.values(&self.graph, &given.entries)?);
                Some(if world { a.apply(&back, &v) } else { v })
            };
            let spin = match &start.spin {
                Some(given) => Some(own_axes(given, start.world)?),
                None => None,
            };
            let velocity = match &start.velocity {
                Some(given) => {
                    let v = own_axes(given, !start.own_velocity)?;
                    Some(self.along_surface(exactly, b, v, spin.as_ref(), contacts, placed)?)
                }
                None => None,
            };
            for (given, value, world, symbols) in [
                (&start.velocity, velocity, !start.own_velocity, &body.velocities[..3]),
                (&start.spin, spin, start.world, &body.velocities[3..]),
            ] {
                if let (Some(given), Some(value)) = (given, value) {
                    self.put(exactly, symbols, &value, Some(given).filter(|_| !world), given.span, out);
                }
            }
        }
        for (k, contact) in contacts.iter().enumerate() {
            let body = match contact.sides[0].owner {
                Owner::Body(b) => b,
                Owner::Ground => continue,
            };
            let start = &starts[body];
            for (side, found) in contact.sides.iter().zip(&placed.points[&k]) {
                let symbols = side.piece.coordinates().to_vec();
                if symbols.iter().all(|s| contact.carried.contains(s)) {
                    let given = start.contact.as_ref().filter(|_| !start.by_normal && symbols.len() == 3);
                    self.put(exactly, &symbols, &found.coordinates, given, contact.span, out);
                }
            }
        }
        Some(())
    }

    /// The velocity of a body whose only contact is frictionless, and with ground, without what would lift it off or press it in: that part
    /// follows from the contact. In body axes.
    fn along_surface(
        &self,
        exactly: &Exactly,
        body: usize,
        v: V,
        spin: Option<&V>,
        contacts: &[Contact],
        placed: &Placed,
    ) -> Option<V> {
        let a = Algebra { digits: exactly.digits };
        let touches = |c: &&Contact| c.sides.iter().any(|s| s.owner == Owner::Body(body));
        let mine: Vec<(usize, &Contact)> = contacts.iter().enumerate().filter(|(_, c)| touches(c)).collect();
        let [(k, contact)] = mine[..] else { return Some(v) };
        if !contact.frictionless || contact.sides[1].owner != Owner::Ground {
            return Some(v);
        }
        let [at, on] = &placed.points[&k];
        let ground = &contact.sides[1];
        let pose = self.pose(exactly, ground, placed)?;
        let moving = vector(exactly.values(&self.graph, &ground.velocity)?);
        let turning = vector(exactly.values(&self.graph, &ground.spin)?);
        let under = a.plus(&moving, &a.cross(&turning, &on.point));
        let under = a.apply(&a.transpose(&placed.poses[&body].rotation), &a.apply(&pose.rotation, &under));
        let zero = a.minus(&v, &v);
        let there = a.plus(&v, &a.cross(spin.unwrap_or(&zero), &at.point));
        let lift = a.dot(&a.minus(&there, &under), &at.normal);
        Some(std::array::from_fn(|i| &v[i] - &lift * &at.normal[i]))
    }

    /// Initial values, as they were given if that is the same.
    fn put(
        &mut self,
        exactly: &Exactly,
        symbols: &[Symbol],
        numbers: &[Real],
        given: Option<&Given>,
        span: Span,
        out: &mut Vec<InitialValue>,
    ) {
        let given = given.and_then(|g| Some((g.entries.clone(), exactly.values(&self.graph, &g.entries)?)));
        for (i, (symbol, number)) in symbols.iter().zip(numbers).enumerate() {
            let kept = given.as_ref().and_then(|(entries, values)| {
                let gap = exactly.digits.abs(&(&values[i] - number)).to_f64().value();
                (gap < EXACT).then(|| entries[i])
            });
            let value = kept.unwrap_or_else(|| self.graph.number(exactly.digits.exact(number)));
            out.push(InitialValue { symbol: *symbol, value, span });
        }
    }

    /// The point that was given, checked to lie on the surface and to be smooth there.
    fn on_surface(
        &mut self,
        exactly: &Exactly,
        look: &Look<'_>,
        given: &Given,
        whose: &str,
        place: Span,
    ) -> Option<Found> {
        let point = vector(exactly.values(&self.graph, &given.entries)?);
        let near = doubles(&point);
        let surface = look.surface.as_ref()?;
        let at = match surface.regularity(near) {
            Regularity::Regular(at) => at,
            Regularity::Off { distance } => {
                let nearest = surface.project(near).map(|p| p.point);
                // the distance to first order, where no nearest point was found
                let gap =
                    nearest.map_or(distance.abs(), |p| (0..3).map(|i| (p[i] - near[i]).powi(2)).sum::<f64>().sqrt());
                let side = if distance > 0.0 { "outside" } else { "inside the material" };
                let message = format!("this point is not on the surface of {whose}: it is {} {side}", short(gap));
                let mut error = Diagnostic::error("not-on-surface", message);
                if given.flag.is_none() {
                    error = error.also(place, "the surface");
                }
                if let Some(p) = nearest {
                    let size = p.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
                    let [x, y, z] = p.map(|x| if x.abs() < 1e-9 * size { 0.0 } else { short(x) });
                    error = error.help(format!("the nearest point of the surface is about [{x}, {y}, {z}]"));
                }
                self.blame_given(given, error);
                return None;
            }
            Regularity::Singular => {
                let message = format!(
                    "the surface of {whose} is not smooth at this point: it has no normal or no curvature there"
                );
                self.blame_given(given, Diagnostic::error("not-regular", message));
                return None;
            }
        };
        exactly.at_place(&self.graph, look, &at, &point)
    }

    /// R: ν ↦ −ν₁ and the projected tangents onto each other, turned by the heading about ν₁.
    fn between_tangents(&mut self, exactly: &Exactly, start: &Start, normal: &V, up: &V) -> Option<M> {
        let a = Algebra { digits: exactly.digits };
        let mut legs: Vec<V> = Vec::new();
        for (given, n) in [(&start.tangent_body, normal), (&start.tangent_ground, up)] {
            let tangent = match given {
                Some(given) => vector(exactly.values(&self.graph, &given.entries)?),
                // an axis that is far from the normal
                None if a.size(&a.projected(&a.axis(0), n)) > 0.1 => a.axis(0),
                None => a.axis(1),
            };
            let along = a.projected(&tangent, n);
            if a.size(&along) < 1e-9 * a.size(&tangent) || a.size(&tangent) == 0.0 {
                if let Some(given) = given {
                    let error = Diagnostic::error(
                        "not-tangent",
                        "this vector is along the normal, so that it gives no heading",
                    );
                    self.blame_given(given, error);
                }
                return None;
            }
            legs.push(a.unit(&along));
        }
        let (from, mut to) = (legs[0].clone(), legs[1].clone());
        if let Some(given) = &start.heading {
            let angle = exactly.values(&self.graph, &given.entries)?.remove(0);
            let g = &mut self.graph;
            let e = g.number(a.digits.exact(&angle));
            let (s, c) = (g.sin(e), g.cos(e));
            let turn = exactly.values(g, &[s, c])?;
            let side = a.cross(up, &to);
            to = std::array::from_fn(|i| &to[i] * &turn[1] + &side[i] * &turn[0]);
        }
        let (third, image) = (a.cross(normal, &from), a.cross(&to, up));
        Some(std::array::from_fn(|i| {
            std::array::from_fn(|j| &to[i] * &from[j] + &image[i] * &third[j] - &up[i] * &normal[j])
        }))
    }

    /// Warns of a body that reaches into what it touches elsewhere.
    fn look_elsewhere(&mut self, exactly: &Exactly, contact: &Contact, placed: &Placed) -> Option<()> {
        let a = Algebra { digits: exactly.digits };
        let [first, second] = &contact.sides;
        let (Some(body), Some(other)) = (self.numeric(first), self.numeric(second)) else { return Some(()) };
        let poses = [self.pose(exactly, first, placed)?, self.pose(exactly, second, placed)?];
        let back = a.transpose(&poses[1].rotation);
        let turn = a.times(&back, &poses[0].rotation);
        let origin = doubles(&a.apply(&back, &a.minus(&poses[0].position, &poses[1].position)));
        let turn = turn.map(|row| doubles(&row));
        let mut deepest = (-OVERLAP * body.size(), [0.0; 3]);
        for p in body.spread(SPREAD) {
            let seen = std::array::from_fn(|i| origin[i] + (0..3).map(|j| turn[i][j] * p[j]).sum::<f64>());
            if let Some((distance, _)) = other.signed_distance(seen)
                && distance < deepest.0
            {
                deepest = (distance, p);
            }
        }
        if deepest.0 < -OVERLAP * body.size() {
            let whose = if second.name == "ground" { "the ground".to_owned() } else { format!("`{}`", second.name) };
            let [x, y, z] = deepest.1.map(|x| (x * 1e3).round() / 1e3);
            let message = format!("`{}` does not fit: it reaches into {whose} away from the contact", first.name);
            self.report(
                Diagnostic::warning("does-not-fit", message)
                    .at(first.span, format!("at about [{x}, {y}, {z}]"))
                    .also(second.span, "which is too small or too narrow there")
                    .note("the equations hold, but a real body would touch elsewhere as well"),
            );
        }
        Some(())
    }

    /// Reports a relative curvature that is singular, and bodies that do not fit.
    fn look_at_curvature(
        &mut self,
        exactly: &Exactly,
        contact: &Contact,
        points: &[Found; 2],
        placed: &Placed,
    ) -> Option<()> {
        let [first, second] = &contact.sides;
        let shape = |side: &ContactSide| match side.boundary {
            Boundary::Surface(Surface { shape, .. }) => Some(shape),
            Boundary::Edge(_) => None,
        };
        if matches!((shape(first), shape(second)), (Some(Form::Cylinder { .. }), Some(Form::Plane))) {
            return Some(()); // along a line, which its two ends stand for
        }
        let mut values = exactly.values.clone();
        for (b, pose) in &placed.poses {
            let body = &self.rolling[*b];
            values.extend(body.positions[..9].iter().copied().zip(pose.rotation.iter().flatten().cloned()));
            values.extend(body.positions[9..].iter().copied().zip(pose.position.iter().cloned()));
        }
        for (side, found) in contact.sides.iter().zip(points) {
            values.extend(side.piece.coordinates().iter().copied().zip(found.coordinates.iter().cloned()));
        }
        let (determinant, trace) = match &contact.relative {
            Relative::Surfaces(c) => (c.determinant, c.trace),
            Relative::Edge { curvature, .. } => (*curvature, *curvature),
        };
        let edge = matches!(first.piece, Piece::Rim(_));
        let size = self.numeric(first).map_or(1.0, |s| s.size());
        let whose = if second.name == "ground" { "the ground".to_owned() } else { format!("`{}`", second.name) };
        let found = self.graph.evaluate(&exactly.digits, &[determinant, trace], &values).ok();
        let found = found.map(|v| [v[0].to_f64().value(), v[1].to_f64().value()]);
        let singular = match found {
            Some([k, _]) if edge => k.abs() <= SINGULAR,
            Some([det, trace]) => det.abs() <= SINGULAR * trace * trace || trace.abs() * size <= FLAT,
            None => true,
        };
        if singular {
            let message = format!("`{}` and {whose} touch along more than a point", first.name);
            self.report(
                Diagnostic::error("singular-contact", message)
                    .at(first.span, "")
                    .also(second.span, "has the opposite curvature in one direction, or no curvature here")
                    .note("then rolling does not determine how the point of contact moves"),
            );
            return None;
        }
        let [det, trace] = found?;
        if !edge && det > 0.0 && trace < 0.0 {
            let message = format!("`{}` does not fit into {whose}: it is less curved in every direction", first.name);
            self.report(
                Diagnostic::error("does-not-fit", message)
                    .at(first.span, "")
                    .also(second.span, "is smaller than the body, or the material is on the wrong side")
                    .help("make the cavity larger, or leave `inside` out"),
            );
            return None;
        }
        if det < 0.0 {
            let message = format!("`{}` does not fit: near the point of contact it is inside {whose}", first.name);
            self.report(
                Diagnostic::warning("does-not-fit", message)
                    .at(first.span, "")
                    .also(second.span, "is more curved in one direction")
                    .note("the equations hold, but a real body would touch elsewhere as well"),
            );
        }
        Some(())
    }
}
