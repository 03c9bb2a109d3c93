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
//!
//! Here it is read, and bodies are placed in an order that works; `standing` places one, `start_checks` looks at the result.

use super::placing::{Exactly, Found, Look, M, Pose, vector};
use super::value::{Shape, Value};
use super::{Resolver, without_place};
use crate::contact::{Contact, ContactSide, Owner};
use crate::model::InitialValue;
use crate::syntax::{self, Key, Table, ValueKind};
use polhode_base::{Diagnostic, Span};
use polhode_expr::{Expr, Symbol};
use polhode_geometry::Boundary;
use polhode_geometry::numeric::NumericSurface;
use rustc_hash::FxHashMap;

/// What was given is kept if it is exact to this.
pub(super) const EXACT: f64 = 1e-45;
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
pub(super) struct Given {
    pub(super) entries: Vec<Expr>,
    pub(super) span: Span,
    pub(super) flag: Option<String>,
}

/// What was given for a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    pub(super) any: bool,
    pub(super) touching: Option<Given>,
    pub(super) contact: Option<Given>,
    /// `contact = { normal = … }`: by its normal instead of its place.
    pub(super) by_normal: bool,
    pub(super) rotation: Option<Given>,
    pub(super) position: Option<Given>,
    pub(super) tangent_body: Option<Given>,
    pub(super) tangent_ground: Option<Given>,
    pub(super) heading: Option<Given>,
    pub(super) spin: Option<Given>,
    /// Whether the spin is in world axes.
    pub(super) world: bool,
    pub(super) velocity: Option<Given>,
    /// Whether the velocity is in body axes.
    pub(super) own_velocity: bool,
}

/// Everything that has been placed.
#[derive(Default)]
pub(super) struct Placed {
    pub(super) poses: FxHashMap<usize, Pose>,
    /// The points of the contacts that were found on the way.
    pub(super) points: FxHashMap<usize, [Found; 2]>,
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
        if matches!(own.as_str(), "position" | "x_O") {
            let others = [&mut start.touching, &mut start.contact];
            others.into_iter().filter(|other| from_file(other)).for_each(|other| *other = None);
            start.by_normal &= start.contact.is_some();
            (start.tangent_body, start.tangent_ground, start.heading) = (None, None, None);
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

    pub(super) fn blame_given(&mut self, given: &Given, error: Diagnostic) {
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
                if let Some(alone) = self.lacks_contact(starts, &contacts, &placed) {
                    self.report(alone);
                    return None;
                }
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
        self.look_at_slip(&exactly, &placed, out);
        for (k, contact) in contacts.iter().enumerate() {
            let Some(points) = placed.points.get(&k).cloned() else { continue };
            self.look_at_curvature(&exactly, contact, &points, &placed)?;
            self.look_elsewhere(&exactly, contact, &placed)?;
        }
        Some(())
    }

    /// What to say about a body that is told how it touches, but has no contact.
    fn lacks_contact(&self, starts: &[Start], contacts: &[Contact], placed: &Placed) -> Option<Diagnostic> {
        let touches = |b: usize| contacts.iter().any(|c| c.sides.iter().any(|s| s.owner == Owner::Body(b)));
        let alone = (0..self.rolling.len()).find(|b| !placed.poses.contains_key(b) && !touches(*b))?;
        let body = &self.rolling[alone];
        let given = starts[alone].touching.as_ref().or(starts[alone].contact.as_ref());
        let mut others = (0..self.rolling.len()).filter(|b| *b != alone).map(|b| self.rolling[b].side_name(0));
        let other = others.next_back().unwrap_or_else(|| "ground".to_owned());
        let message = format!("`{}` has no contact, so that nothing says what it touches", body.name);
        let error = Diagnostic::error("missing-section", message).at(body.span, "");
        let error = match given.filter(|g| g.flag.is_none()) {
            Some(given) => error.also(given.span, "touches what?"),
            None => error,
        };
        Some(error.help(format!(
            "add [contact.NAME] with between = [\"{}\", \"{other}\"], or a `position` if it touches nothing",
            body.side_name(0)
        )))
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
            // what may be open says less about where a body is
            let opens = |c: &Contact| c.changes.as_ref().is_some_and(|c| c.closed.is_some());
            let (open, closed): (Vec<_>, Vec<_>) = contacts.iter().enumerate().partition(|(_, c)| opens(c));
            for (k, contact) in closed.into_iter().chain(open) {
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

    pub(super) fn numeric(&self, side: &ContactSide) -> Option<NumericSurface> {
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

    pub(super) fn look<'s>(&self, side: &'s ContactSide) -> Look<'s> {
        Look { piece: &side.piece, surface: self.numeric(side) }
    }

    /// Where the owner of a side stands at the start.
    pub(super) fn pose(&self, exactly: &Exactly, side: &ContactSide, placed: &Placed) -> Option<Pose> {
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

    pub(super) fn given_rotation(&self, exactly: &Exactly, start: &Start) -> Option<Option<M>> {
        let Some(given) = &start.rotation else { return Some(None) };
        let v = exactly.values(&self.graph, &given.entries)?;
        Some(Some(std::array::from_fn(|i| std::array::from_fn(|j| v[3 * i + j].clone()))))
    }
}
