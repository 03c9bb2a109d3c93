//! Contacts that change during a run: `opens`, `restitution`, `slides`, and `frictionless` in places.
//!
//! Such a contact is one set of rows of which those of its present state are in force:
//!
//! ```text
//! open      none
//! rolls     u = 0, three rows                                    closed and rough
//! slides    −ν·u = 0, with the force −μN s/|s| against the slip s      closed and not rough
//!           −ν·u = 0                                                     closed, where dry friction has places without it
//! ```
//!
//! *Closed* is a latch, that of the wall which an open contact is; *rough* is a latch under dry friction, and a region where the ground is smooth in places.

use super::Resolver;
use super::contacts::Touch;
use super::placing::Exactly;
use super::regions::NamedLatch;
use super::starting::Placed;
use crate::contact::{Changes, Contact};
use crate::model::InitialValue;
use crate::switching::{Condition, Friction, Wall};
use crate::syntax::Table;
use polhode_base::Diagnostic;
use polhode_base::ids::{IdVec, LatchId};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Vec3, linear};
use rustc_hash::FxHashMap;

/// A slip below one part in this, of the speeds it is the difference of and of the unit of speed, is none.
const NO_SLIP: i64 = 100_000_000_000;

/// A velocity at the start that is off by more than this part of the speeds it is the difference of is a slip.
const SLIPS: f64 = 1e-9;

/// Where the rows of a contact are in force.
#[derive(Clone, Debug, Default)]
pub(super) struct Manners {
    pub(super) closed: Option<LatchId>,
    pub(super) rolls: Option<LatchId>,
    pub(super) rough: Option<Condition>,
}

impl Manners {
    /// Where it is closed, and `part` holds.
    pub(super) fn closed_and(&self, part: Option<Condition>) -> Option<Condition> {
        let closed = self.closed.map(Condition::While);
        match (closed, part) {
            (Some(a), Some(b)) => Some(Condition::All(vec![a, b])),
            (a, b) => a.or(b),
        }
    }

    /// Where it does not slide, if it does at times.
    pub(super) fn sticks(&self) -> Option<Condition> {
        match (self.rolls.map(Condition::While), self.rough.clone()) {
            (Some(rolls), Some(rough)) => Some(rough.and(rolls)),
            (rolls, rough) => rolls.or(rough),
        }
    }

    /// Where it slides, of a contact that does so at times; under dry friction not where there is none.
    pub(super) fn slides(&self) -> Option<Condition> {
        let slides = |c: Condition| Condition::Not(Box::new(c));
        match (self.rolls.map(Condition::While), self.rough.clone()) {
            (Some(rolls), Some(rough)) => Some(rough.and(slides(rolls))),
            (rolls, rough) => rolls.or(rough).map(slides),
        }
    }

    /// Where dry friction has a place without it.
    pub(super) fn smooth(&self) -> Option<Condition> {
        self.rolls.and(self.rough.clone()).map(|c| Condition::Not(Box::new(c)))
    }
}

impl Resolver<'_> {
    /// `opens` and `restitution`: what a landing returns, of a contact that opens.
    pub(super) fn opening(&mut self, table: &Table, bilateral: bool) -> Option<Expr> {
        let opens = self.truth_of(table, "opens");
        let given = self.wall_number(table, "restitution", "between 0 and 1", |x| (0.0..=1.0).contains(&x));
        let (key, _) = table.entry("restitution").or(table.entry("opens").filter(|_| opens == Some(true)))?;
        let contrary = match (bilateral, opens) {
            (true, _) => "a bilateral contact holds, so it does not open",
            (_, Some(false)) => "a contact that does not open has no landing",
            _ => return Some(given.unwrap_or(self.graph.zero())),
        };
        self.report(
            Diagnostic::error("unexpected-value", contrary).at(key.span, "").help("leave one of the two keys out"),
        );
        None
    }

    /// `slides`.
    pub(super) fn sliding(&mut self, table: &Table, friction: Option<Expr>) -> bool {
        let slides = self.truth_of(table, "slides").unwrap_or(false);
        if let (true, None, None, Some((key, _))) = (slides, friction, table.get("friction"), table.entry("slides")) {
            let message = "a contact slides where it needs more friction than it has, but no friction is given";
            self.report(
                Diagnostic::error("missing-key", message)
                    .at(key.span, "")
                    .help("add friction = 0.5, or write frictionless = true for a contact that slides freely"),
            );
        }
        slides && friction.is_some()
    }

    /// Where the rows of a contact are in force, with latches for what it turns on and off.
    pub(super) fn manners_of(&mut self, touch: &Touch) -> Manners {
        let mut out = Manners::default();
        let latch = |latches: &mut IdVec<LatchId, NamedLatch>| Some(latches.push(NamedLatch::Contact(true)));
        if touch.manner.opens.is_some() {
            match touch.gap {
                Some(_) => out.closed = latch(&mut self.latches),
                None => {
                    let [first, second] = &touch.contact.sides;
                    let message = format!(
                        "how far `{}` and `{}` are apart is no formula of their positions, so that this contact cannot open",
                        first.name, second.name
                    );
                    self.report(
                        Diagnostic::error("no-gap", message)
                            .at(touch.contact.span, "")
                            .note("formulas are known for spheres, ellipsoids and rims on planes, and for spheres and rims on or in spheres and spheres on or in cylinders")
                            .help("leave `opens` and `restitution` out, or write stop_at = [\"lift-off\"]"),
                    );
                }
            }
        }
        if touch.manner.slides {
            out.rolls = latch(&mut self.latches);
        }
        if let Some(smooth) = &touch.manner.smooth {
            out.rough = self.condition(smooth).map(|c| c.opposite());
        }
        out
    }

    /// The walls that open contacts are.
    pub(super) fn contact_walls(&mut self) -> Vec<Wall> {
        let mut out = Vec::new();
        for touch in &self.touches {
            let contact = &touch.contact;
            let Some(Changes { closed: Some(closed), gap: Some(gap), restitution, rough, push, .. }) = &contact.changes
            else {
                continue;
            };
            let name = if contact.name.is_empty() { &contact.sides[0].name } else { &contact.name };
            out.push(Wall {
                name: name.clone(),
                gap: *gap,
                slip: if contact.frictionless { Vec::new() } else { contact.slip.to_vec() },
                restitution: *restitution,
                friction: contact.friction,
                lasting: Some(*closed),
                constraints: contact.constraints,
                push: Some(*push),
                rough: rough.clone(),
                changes: None,
                span: contact.span,
            });
        }
        out
    }

    /// Whether a contact that opens does so at the start, by this distance at least.
    pub(super) fn starts_open(&mut self, exactly: &Exactly, contact: &Contact, placed: &Placed, apart: f64) -> bool {
        let Some(Changes { closed: Some(closed), gap: Some(gap), .. }) = contact.changes else { return false };
        let values = self.start_numbers(exactly, placed, &[]);
        let open = self.graph.evaluate_f64(gap, &values).is_ok_and(|gap| gap > apart);
        if open {
            self.latches[closed] = NamedLatch::Contact(false);
        }
        open
    }

    /// Looks whether contacts slip at the start, or are leaving.
    pub(super) fn look_at_slip(&mut self, exactly: &Exactly, placed: &Placed, given: &[InitialValue]) {
        let values = self.start_numbers(exactly, placed, given);
        for touch in self.touches.clone() {
            let contact = &touch.contact;
            let Some(changes) = &contact.changes else { continue };
            let first = &contact.sides[0];
            let mut parts = contact.slip.to_vec();
            parts.extend(contact.normal);
            parts.extend(first.velocity);
            let g = &mut self.graph;
            parts.extend(linear::cross(g, &first.spin, &first.point));
            // what is not given follows from the constraints, and then it does not slip
            let Ok(x) = g.evaluate(&polhode_expr::eval::Doubles, &parts, &values) else { continue };
            let size = x[6..].iter().fold(0.0, |s: f64, x| s.max(x.abs()));
            let out: f64 = (0..3).map(|i| x[i] * x[3 + i]).sum();
            let slip = (0..3).map(|i| (x[i] - out * x[3 + i]).abs()).fold(0.0, f64::max);
            if let (Some(closed), true) = (changes.closed, out < -SLIPS * size) {
                self.latches[closed] = NamedLatch::Contact(false);
            }
            if let (Some(rolls), true) = (changes.rolls, slip > SLIPS * size) {
                self.latches[rolls] = NamedLatch::Contact(false);
            }
        }
    }

    /// Parameters, time, where bodies are placed, and what was given, in doubles.
    fn start_numbers(&self, exactly: &Exactly, placed: &Placed, given: &[InitialValue]) -> FxHashMap<Symbol, f64> {
        let mut values: FxHashMap<Symbol, f64> = exactly.values.iter().map(|(s, x)| (*s, x.to_f64().value())).collect();
        for (b, pose) in &placed.poses {
            let numbers = pose.rotation.iter().flatten().chain(&pose.position).map(|x| x.to_f64().value());
            values.extend(self.rolling[*b].positions.iter().copied().zip(numbers));
        }
        for item in given {
            if let Ok(x) = self.graph.evaluate_f64(item.value, &values) {
                values.insert(item.symbol, x);
            }
        }
        values
    }
}

/// s = u − ν ν·u: of a slip that nearly dies, rounding along the normal would be a large part.
fn along(g: &mut Graph, contact: &Contact) -> Vec3 {
    let out = linear::dot(g, &contact.normal, &contact.slip);
    let across = linear::scale(g, out, &contact.normal);
    linear::sub(g, &contact.slip, &across)
}

/// s·s − ε², with ε the smallest slip that is one.
pub(super) fn slipping(g: &mut Graph, contact: &Contact) -> Expr {
    let first = &contact.sides[0];
    let turning = linear::cross(g, &first.spin, &first.point);
    let slip = along(g, contact);
    let square = linear::dot(g, &slip, &slip);
    let speeds = [linear::dot(g, &first.velocity, &first.velocity), linear::dot(g, &turning, &turning)];
    beyond_least(g, square, speeds)
}

/// s·s − ε², ε² being a part of the squares of speeds and of the unit of speed.
pub(super) fn beyond_least(g: &mut Graph, square: Expr, speeds: impl IntoIterator<Item = Expr>) -> Expr {
    let one = g.one();
    let speeds = g.sum(speeds.into_iter().chain([one]));
    let small = ratio(1, NO_SLIP);
    let limit = g.scale(speeds, &small);
    let limit = g.scale(limit, &small);
    g.sub(square, limit)
}

/// The friction of a contact that slides, with symbols for its direction.
pub(super) fn friction(g: &mut Graph, contact: &Contact, coefficient: Expr) -> Friction {
    let direction = (1..=3).map(|i| g.symbol(&contact.part(&format!("sliding.{i}")))).collect();
    Friction { coefficient, slip: along(g, contact).to_vec(), direction }
}

/// The force on the first side in its axes while it slides: λ(−ν − μ s/|s|).
pub(super) fn sliding_force(g: &mut Graph, contact: &Contact, friction: Option<&Friction>, push: Expr) -> Vec3 {
    let mut force = linear::neg(g, &contact.normal);
    if let Some(Friction { coefficient, direction, .. }) = friction {
        let along: Vec3 = std::array::from_fn(|i| g.var(direction[i]));
        let drag = linear::scale(g, *coefficient, &along);
        force = linear::sub(g, &force, &drag);
    }
    linear::scale(g, push, &force)
}
