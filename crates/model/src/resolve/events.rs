//! `[[event]]`: what to look out for during a run.
//!
//! An event is a scalar function of the state, and happens where it passes through zero. A
//! comparison stands for the difference of its sides and the direction in which it becomes
//! true:
//!
//! ```text
//! a < b    a − b falling        a > b    a − b rising        a = b    a − b, either way
//! ```
//!
//! With `set`, positions jump there: velocities are then projected onto the constraints.
//!
//! Not here: finding the crossing.

use super::names::clash;
use super::{Resolver, Value};
use crate::configuration::Factor;
use crate::model::{Action, Direction, Event};
use crate::syntax::{
    self, CompareOp, ExprKind, StringLit, Table, ValueKind, normalize_name, parse_equation, parse_expr,
};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::{Expr, Symbol};

const KEYS: &[&str] = &["name", "when", "direction", "action", "set"];

/// The function of an event before it is checked.
struct When {
    function: Expr,
    /// What a comparison says about the direction.
    becomes: Option<Direction>,
    span: Span,
}

impl Resolver<'_> {
    pub(super) fn read_events(&mut self, root: &Table) -> Vec<Event> {
        let Some((key, value)) = root.entry("event") else {
            return Vec::new();
        };
        let items = match &value.kind {
            ValueKind::Array(items) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        let mut events: Vec<Event> = Vec::new();
        for item in items {
            let Some(table) = item.as_table() else {
                let message = format!("an event is a table, but here it is {}", item.describe());
                self.report(
                    Diagnostic::error("unexpected-value", message)
                        .at(key.span, "")
                        .help("begin each with a line [[event]]"),
                );
                break;
            };
            let Some(event) = self.event(table) else {
                continue;
            };
            match events.iter().find(|e| e.name == event.name) {
                Some(first) => {
                    let message = format!("two events are called `{}`", event.name);
                    self.report(
                        clash(message, event.span)
                            .also(first.span, "the first of them")
                            .help("give each a `name` of its own"),
                    );
                }
                None => events.push(event),
            }
        }
        events
    }

    fn event(&mut self, table: &Table) -> Option<Event> {
        let mut sound = true;
        for (key, _) in table.iter() {
            sound &= self.known_key(key, KEYS, "an event");
        }
        let name = self.text_of(table, "name");
        if let Some((_, value)) = table.entry("name")
            && name.as_deref().is_some_and(|n| n.trim().is_empty())
        {
            self.report(Diagnostic::error("bad-name", "the name of this event is empty").at(value.span, ""));
            sound = false;
        }
        let direction = self.word_of(table, "direction", &Direction::ALL, Direction::name);
        let action = self.word_of(table, "action", &Action::ALL, Action::name);
        let Some((_, value)) = table.entry("when") else {
            // a key that is not known may be a misspelt `when`
            if sound {
                self.report(
                    Diagnostic::error("missing-key", "this event does not say when it happens")
                        .at(table.span, "")
                        .help("write when = \"theta'\" for a zero of theta', or a comparison: when = \"theta < 0.1\""),
                );
            }
            return None;
        };
        let Some(literal) = value.as_string() else {
            let message = format!("`when` is a formula or a comparison in quotes, but here it is {}", value.describe());
            self.report(Diagnostic::error("unexpected-value", message).at(value.span, ""));
            return None;
        };
        let When { function, becomes, span } = self.when(literal)?;
        if !self.changes(function, span) {
            return None;
        }
        if let (Some(said), Some(becomes)) = (direction, becomes)
            && said == becomes.reversed()
            && said != becomes
        {
            let (_, place) = table.entry("direction")?;
            let message = format!("this comparison means {}, but `direction` says {}", becomes.name(), said.name());
            self.report(
                Diagnostic::error("unexpected-value", message)
                    .at(place.span, "")
                    .also(span, format!("becomes true with left side minus right side {}", becomes.name()))
                    .help("turn the comparison round, or leave `direction` out"),
            );
            return None;
        }
        let sets = match table.entry("set") {
            Some((_, value)) => self.sets(value)?,
            None => Vec::new(),
        };
        sound.then(|| Event {
            contact: None,
            name: name.unwrap_or_else(|| literal.text().trim().to_owned()),
            function,
            direction: direction.or(becomes).unwrap_or(Direction::Either),
            action: action.unwrap_or(Action::Record),
            span,
            cause: None,
            sets,
        })
    }

    /// `set = { psi = "alpha" }`: numbers among the coordinates, and what they become.
    fn sets(&mut self, value: &syntax::Value) -> Option<Vec<(Symbol, Expr)>> {
        let Some(table) = value.as_table() else {
            let message =
                format!("`set` is a table of coordinates and what they become, but here it is {}", value.describe());
            self.report(
                Diagnostic::error("unexpected-value", message)
                    .at(value.span, "")
                    .help("write set = { psi = \"alpha\" }"),
            );
            return None;
        };
        let mut out = Vec::new();
        for (key, value) in table.iter() {
            let name = normalize_name(&key.name);
            let plain = |f: &&Factor| f.coordinate().is_some() && f.name == name;
            let Some(symbol) = self.configuration.factors().iter().find(plain).map(|f| f.positions[0]) else {
                let names: Vec<String> = self.configuration.factors().iter().map(|f| f.name.clone()).collect();
                let error =
                    Diagnostic::error("unknown-name", format!("`{}` is no coordinate that can be set", key.name));
                self.report(match closest(&name, names.iter().map(String::as_str)).filter(|n| *n != name) {
                    Some(near) => error.at(key.span, format!("did you mean `{near}`?")),
                    None => {
                        error.at(key.span, "").help("numbers and angles can be set, rotations and velocities cannot")
                    }
                });
                return None;
            };
            let e = self.scalar_formula(value, "what a coordinate is set to")?;
            if self.mentions_motion {
                let message = "a coordinate is set to a function of positions and time, but this contains a velocity";
                self.report(Diagnostic::error("unexpected-velocity", message).at(value.span, ""));
                return None;
            }
            out.push((symbol, e));
        }
        Some(out)
    }

    /// The function that passes through zero, and in which direction if `when` says so.
    fn when(&mut self, literal: &StringLit) -> Option<When> {
        self.mentions_motion = false;
        let tree = match parse_expr(literal) {
            Ok(tree) => tree,
            Err(error) if error.code == "unexpected-equation" => match parse_equation(literal) {
                Ok(e) => return self.crossing(&e.lhs, &e.rhs, None, e.span),
                Err(error) => {
                    let own = "write an [[event]] of its own for each equation";
                    self.report(if error.code == "expected-equation" { error.help(own) } else { *error });
                    return None;
                }
            },
            Err(error) => {
                self.report(*error);
                return None;
            }
        };
        match &tree.kind {
            ExprKind::Compare { op, left, right } => {
                let becomes = match op {
                    CompareOp::Less | CompareOp::LessEqual => Some(Direction::Falling),
                    CompareOp::Greater | CompareOp::GreaterEqual => Some(Direction::Rising),
                    CompareOp::Equal => None,
                };
                self.crossing(left, right, becomes, tree.span)
            }
            ExprKind::And(_) | ExprKind::Or(_) => {
                let message = "an event is one comparison, but these are several";
                self.report(
                    Diagnostic::error("unexpected-condition", message)
                        .at(tree.span, "")
                        .help("write an [[event]] of its own for each"),
                );
                None
            }
            _ => {
                let function = self.eval(&tree)?;
                let function = self.scalar_event(&function, tree.span)?;
                Some(When { function, becomes: None, span: tree.span })
            }
        }
    }

    fn crossing(
        &mut self,
        left: &syntax::Expr,
        right: &syntax::Expr,
        becomes: Option<Direction>,
        span: Span,
    ) -> Option<When> {
        let (a, b) = (self.eval(left), self.eval(right));
        let (a, b) = (a?, b?);
        let (a, b) = (self.scalar_event(&a, left.span)?, self.scalar_event(&b, right.span)?);
        let function = self.graph.sub(a, b);
        Some(When { function, becomes, span })
    }

    fn scalar_event(&mut self, value: &Value, span: Span) -> Option<Expr> {
        if let Some(e) = value.scalar() {
            return Some(e);
        }
        let message = format!("an event is about scalars, but this is {}", value.shape());
        let help = "a crossing has one function: take a component, or a norm";
        self.report(Diagnostic::error("wrong-dimension", message).at(span, "").help(help));
        None
    }

    /// Reports a function that is the same whatever the motion; true if it can change.
    fn changes(&mut self, function: Expr, span: Span) -> bool {
        if self.graph.contains_any(function, &self.accelerations) {
            return true;
        }
        let rate = self.graph.along(function, &self.rates);
        let zero = self.graph.zero();
        if !self.graph.equal(rate, zero).is_equal() {
            return true;
        }
        self.report(
            Diagnostic::error("constant-event", "this does not change along any motion, so the event cannot happen")
                .at(span, "")
                .help("an event needs a position, a velocity or `t`"),
        );
        false
    }
}
