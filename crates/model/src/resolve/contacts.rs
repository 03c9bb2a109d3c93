//! `[contact.NAME]`: what touches what, and how.
//!
//! A contact has two sides, each a boundary in axes of its own: those of a body, or of a piece of ground (`grounds`). Here they are
//! read; what two sides make of each other is in `touching`, the rows of no slip, what is reported and the events are in `contact_rows`.

use super::grounds::Ground;
use super::rolling::RollingBody;
use super::surfaces::Bounded;
use super::{Resolver, list};
use crate::contact::{Contact, Owner};
use crate::model::Cause;
use crate::syntax::{self, Key, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, closest};
use polhode_expr::Expr;
use polhode_geometry::{Boundary, Mat3, Vec3};

/// How a contact behaves; keys of `[contact.NAME]`, and of `[ground]` where that is the only one.
pub(super) const MANNERS: &[&str] =
    &["frictionless", "bilateral", "friction", "slides", "opens", "restitution", "stop_at", "about"];
/// How a contact behaves.
#[derive(Clone, Debug, Default)]
pub(super) struct Manner {
    pub(super) frictionless: bool,
    /// Where it is frictionless, if that is not everywhere.
    pub(super) smooth: Option<syntax::Value>,
    /// Whether it opens and closes, with what a landing returns.
    pub(super) opens: Option<Expr>,
    /// Whether it slides where it needs more friction than it has.
    pub(super) slides: bool,
    pub(super) bilateral: bool,
    pub(super) friction: Option<Expr>,
    pub(super) stop_at: Vec<Cause>,
}

/// A side before its point is known. Vectors are in its own axes, but for the position.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) owner: Owner,
    pub(super) name: String,
    pub(super) bounded: Bounded,
    pub(super) rotation: Mat3,
    pub(super) position: Vec3,
    pub(super) velocity: Vec3,
    pub(super) spin: Vec3,
    /// The velocity of the material is b₀ + b₁ × c₁ besides.
    pub(super) belt: Option<[Vec3; 2]>,
}

/// A contact of the model with what a run does about it.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) contact: Contact,
    /// Whether the point is a function of the configuration.
    pub(super) known: bool,
    /// Whether its rows are in the axes of the second side, or of the world where that is ground.
    pub(super) second_axes: bool,
    /// The normal out of the first side, in its axes, as the second side has it where the first is a chart: n of a chart changes its sign
    /// where a motion passes a pole of the parameters, and with it the normal force would.
    pub(super) facing: Vec3,
    /// What passes through zero where a motion comes to a pole of the parameters of a chart: n·(x_u × x_v), with n of the other side.
    pub(super) poles: Vec<(String, Expr)>,
    /// What becomes negative where the point leaves a cylinder of finite length: ℓ²/4 − z², with z along the axis.
    pub(super) ends: Vec<(String, Expr)>,
    /// The belt of the second side: velocity and spin.
    pub(super) belt: Option<[Vec3; 2]>,
    /// The distance between the sides, where a formula is known.
    pub(super) gap: Option<Expr>,
    pub(super) manner: Manner,
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
                Some(ground) => ground.side.name.clone(),
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
        self.add_contact("", body.span, first, ground.side, manner);
    }

    pub(super) fn contact_tables<'t>(&mut self, root: &'t Table) -> Vec<(&'t Key, &'t Table)> {
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

    pub(super) fn manner(&mut self, table: &Table, besides: &[&str], owner: &str) -> Manner {
        let known: Vec<&str> = besides.iter().chain(MANNERS).copied().collect();
        for (key, _) in table.iter() {
            self.known_key(key, &known, owner);
        }
        let smooth = table.get("frictionless").filter(|v| v.as_bool().is_none() && v.as_string().is_some()).cloned();
        let frictionless = smooth.is_none() && self.truth_of(table, "frictionless").unwrap_or(false);
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
                self.report(error.help(match frictionless {
                    true => "leave `friction` out, or `frictionless` for a contact that rolls, or write where it is frictionless: frictionless = \"c1[1] < 0\"",
                    false => "write frictionless = true for a contact that slides freely",
                }));
            }
        }
        let stop_at = self.causes(table);
        if let (true, None, Some((key, _))) = (stop_at.contains(&Cause::Slip), friction, table.entry("stop_at")) {
            let message = "a contact slips where it needs more friction than it has, but no friction is given";
            self.report(Diagnostic::error("missing-key", message).at(key.span, "").help("add friction = 0.5"));
        }
        let (opens, slides) = (self.opening(table, bilateral), self.sliding(table, friction));
        Manner { frictionless, smooth, opens, slides, bilateral, friction, stop_at }
    }

    /// `stop_at = ["lift-off", "slip"]`.
    fn causes(&mut self, table: &Table) -> Vec<Cause> {
        let Some((key, value)) = table.entry("stop_at") else { return Vec::new() };
        let items: Vec<&syntax::Value> = match &value.kind {
            ValueKind::Array(items) => items.iter().collect(),
            _ => vec![value],
        };
        let mut out = Vec::new();
        for item in items {
            match item.as_str().map(|word| (word, word.parse())) {
                Some((_, Ok(cause))) => out.push(cause),
                Some((other, Err(()))) => {
                    let known = Cause::ALL.map(Cause::name);
                    let error = Diagnostic::error("unknown-name", format!("`{other}` is nothing a run could stop at"));
                    let error = match closest(other, known) {
                        Some(near) => error.at(item.span, format!("did you mean `{near}`?")),
                        None => error.at(item.span, ""),
                    };
                    self.report(error.help(format!("known are {}", list(&known))));
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
        let ground = grounds.first().map(|g| g.side.name.clone());
        let mut sides = (0..self.rolling.len()).map(|b| self.rolling[b].side_name(0));
        let first = sides.next().unwrap_or_else(|| "wheel".to_owned());
        let other = ground.or_else(|| sides.next()).unwrap_or_else(|| "ground".to_owned());
        let help = format!("write between = [\"{first}\", \"{other}\"]");
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
        if let Some(ground) = grounds.iter().find(|g| g.side.name == wanted) {
            return Some(ground.side.clone());
        }
        let mut known: Vec<String> = grounds.iter().map(|g| g.side.name.clone()).collect();
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

    pub(super) fn body_side(&mut self, body: usize, surface: usize) -> Candidate {
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
}

impl RollingBody {
    /// What contacts call a surface.
    pub(super) fn side_name(&self, surface: usize) -> String {
        match &self.surfaces[surface].0 {
            Some(own) => format!("{}.{}", self.name, normalize_name(own)),
            None => self.name.clone(),
        }
    }
}
