//! `when`, `from` and `until` of a constraint: where it holds.
//!
//! A comparison a > b stands for the side of the border a − b = 0 where that is positive; a < b for the other side of the same border, so that
//! regions that meet share it.

use super::{Resolver, list};
use crate::model::Event;
use crate::switching::{Border, Condition, Latch};
use crate::syntax::{self, CompareOp, ExprKind, Table, Value as Entry, ValueKind, parse_expr};
use polhode_base::ids::{EventId, IdVec, LatchId};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::Expr;

/// Something that is turned on and off, before events are known.
#[derive(Clone, Debug)]
pub(super) enum NamedLatch {
    /// By events, given by their names with their places.
    Events(Option<(String, Span)>, Option<(String, Span)>),
    /// By a contact; is it on at the start?
    Contact(bool),
}

impl Resolver<'_> {
    /// What the keys `when`, `from` and `until` of a table say together.
    pub(super) fn condition_of(&mut self, table: &Table) -> Option<Condition> {
        let mut parts = Vec::new();
        if let Some((_, value)) = table.entry("when") {
            parts.push(self.condition(value)?);
        }
        let word = |r: &mut Self, name: &str| {
            let (_, value) = table.entry(name)?;
            Some((r.text_of(table, name)?, value.span))
        };
        let (from, until) = (word(self, "from"), word(self, "until"));
        if from.is_some() || until.is_some() {
            parts.push(Condition::While(self.latches.push(NamedLatch::Events(from, until))));
        }
        match parts.len() {
            0 => None,
            1 => parts.pop(),
            _ => Some(Condition::All(parts)),
        }
    }

    /// A condition: a comparison, several joined by `and` and `or`, or a list of which all hold.
    pub(super) fn condition(&mut self, value: &Entry) -> Option<Condition> {
        if let ValueKind::Array(items) = &value.kind {
            let parts: Vec<Option<Condition>> = items.iter().map(|i| self.condition(i)).collect();
            return parts.into_iter().collect::<Option<Vec<_>>>().map(Condition::All);
        }
        let Some(literal) = value.as_string() else {
            let message = format!("a region is a comparison in quotes, but here it is {}", value.describe());
            let error = Diagnostic::error("unexpected-value", message).at(value.span, "");
            self.report(error.help("write \"x > 0\""));
            return None;
        };
        match parse_expr(literal) {
            Ok(tree) => self.condition_tree(&tree),
            Err(error) => {
                self.report(*error);
                None
            }
        }
    }

    fn condition_tree(&mut self, tree: &syntax::Expr) -> Option<Condition> {
        let all = |r: &mut Self, parts: &[syntax::Expr]| {
            let parts: Vec<Option<Condition>> = parts.iter().map(|p| r.condition_tree(p)).collect();
            parts.into_iter().collect::<Option<Vec<_>>>()
        };
        match &tree.kind {
            ExprKind::And(parts) => all(self, parts).map(Condition::All),
            ExprKind::Or(parts) => all(self, parts).map(Condition::Any),
            ExprKind::Compare { op: CompareOp::Equal, .. } => {
                let message = "a constraint holds in a region, which an equation does not describe";
                self.report(Diagnostic::error("unexpected-equation", message).at(tree.span, "").help("use < or >"));
                None
            }
            ExprKind::Compare { op, left, right } => {
                self.mentions_motion = false;
                let (a, b) = (self.eval(left), self.eval(right));
                let (a, b) = (self.border_side(&a?, left)?, self.border_side(&b?, right)?);
                if self.mentions_motion {
                    let message = "a region is described by positions and time, but this contains a velocity";
                    let help =
                        "a constraint that velocities switch needs an [[event]], and `from` or `until` with its name";
                    self.report(Diagnostic::error("unexpected-velocity", message).at(tree.span, "").help(help));
                    return None;
                }
                let function = self.graph.sub(a, b);
                let positive = matches!(op, CompareOp::Greater | CompareOp::GreaterEqual);
                self.border(function, positive, tree)
            }
            _ => {
                let message = "a region is described by comparisons, but this is a quantity";
                let error = Diagnostic::error("expected-condition", message).at(tree.span, "");
                self.report(error.help("write when = \"x > 0\", or several joined by `and` and `or`"));
                None
            }
        }
    }

    fn border_side(&mut self, value: &super::Value, tree: &syntax::Expr) -> Option<Expr> {
        if let Some(e) = value.scalar() {
            return Some(e);
        }
        let message = format!("a comparison is between scalars, but this is {}", value.shape());
        self.report(
            Diagnostic::error("wrong-dimension", message).at(tree.span, "").help("take a component, or a norm"),
        );
        None
    }

    /// The side of a border, which may be there already, also with the other sign.
    fn border(&mut self, function: Expr, positive: bool, tree: &syntax::Expr) -> Option<Condition> {
        let rate = self.graph.along(function, &self.rates);
        let zero = self.graph.zero();
        if self.graph.equal(rate, zero).is_equal() {
            let message = "this does not change along any motion, so it is no region";
            let help = "a region needs a position or `t`";
            self.report(Diagnostic::error("constant-condition", message).at(tree.span, "").help(help));
            return None;
        }
        let opposite = self.graph.neg(function);
        for (k, b) in self.borders.clone().enumerated() {
            for (same, e) in [(true, function), (false, opposite)] {
                if self.graph.equal(b.function, e).is_equal() {
                    return Some(Condition::Beside { border: k, positive: positive == same });
                }
            }
        }
        let text = self.text.slice(tree.span).to_owned();
        let border = self.borders.push(Border { function, text, span: tree.span });
        Some(Condition::Beside { border, positive })
    }

    /// The latches, with their events looked up.
    pub(super) fn finished_latches(&mut self, events: &IdVec<EventId, Event>) -> IdVec<LatchId, Latch> {
        let mut out = IdVec::new();
        for latch in std::mem::take(&mut self.latches) {
            let (from, until) = match latch {
                NamedLatch::Events(from, until) => (from, until),
                NamedLatch::Contact(on) => {
                    out.push(Latch::Contact { on });
                    continue;
                }
            };
            let mut find = |named: Option<(String, Span)>| {
                let (name, span) = named?;
                let found = events.find_id(|e| e.is_called(&name));
                if found.is_none() {
                    let error = Diagnostic::error("unknown-name", format!("there is no event `{name}`"));
                    let names: Vec<&str> = events.iter().map(|e| e.name.as_str()).collect();
                    self.report(match closest(&name, names.iter().copied()) {
                        Some(near) => error.at(span, format!("did you mean `{near}`?")),
                        None if names.is_empty() => error.at(span, "").help("describe it with an [[event]]"),
                        None => error.at(span, "").help(format!("the events are {}", list(&names))),
                    });
                }
                found
            };
            out.push(Latch::Events { from: find(from), until: find(until) });
        }
        out
    }
}
