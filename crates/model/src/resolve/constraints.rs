//! `[constraints]`: equations between velocities, or between positions.
//!
//! An equation that mentions a velocity is a velocity constraint `left − right = 0`.
//! One that does not is holonomic, h(q, t) = 0, and constrains the velocity by dh/dt = 0.
//! Vector equations give one constraint per component. With `when`, `from` and `until` a constraint comes and goes: see `regions`.

use super::Resolver;
use super::value::Value;
use crate::model::Constraint;
use crate::syntax::{self, ExprKind, Key, StringLit, Table, ValueKind, parse_equation, parse_expr};
use polhode_base::{Diagnostic, Span};
use polhode_expr::Expr;

const KEYS: &[&str] = &["holonomic", "velocity", "when", "from", "until", "limit", "restitution", "about"];
/// Keys that are no equation.
const BESIDES: &[&str] = &["when", "from", "until", "limit", "restitution", "about"];
/// What perfect roughness may be the limit of.
const LIMITS: &[&str] = &["coulomb"];

/// What the form of an entry says about the constraint.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Any,
    Holonomic,
    Velocity,
}

impl Resolver<'_> {
    pub(super) fn read_constraints(&mut self, root: &Table) -> Vec<Constraint> {
        let mut out = Vec::new();
        let Some((key, value)) = root.entry("constraints") else {
            return out;
        };
        match &value.kind {
            ValueKind::Table(table) => {
                for (key, value) in table.iter() {
                    self.constraint(key, &key.name, value, &mut out);
                }
            }
            ValueKind::Array(items) => {
                for (k, item) in items.iter().enumerate() {
                    self.constraint(key, &format!("c{}", k + 1), item, &mut out);
                }
            }
            _ => {
                let message =
                    format!("`constraints` is a section or a list of equations, but here it is {}", value.describe());
                self.report(
                    Diagnostic::error("unexpected-value", message)
                        .at(value.span, "")
                        .help("write [constraints] with lines such as roll = \"x' = r*psi'\""),
                );
            }
        }
        out
    }

    fn constraint(&mut self, key: &Key, name: &str, value: &syntax::Value, out: &mut Vec<Constraint>) {
        match &value.kind {
            ValueKind::String(literal) => self.equation(name, literal, Sort::Any, out),
            ValueKind::Array(items) => {
                for (k, item) in items.iter().enumerate() {
                    match item.as_string() {
                        Some(literal) => {
                            let name = format!("{name}[{}]", k + 1);
                            self.equation(&name, literal, Sort::Any, out);
                        }
                        None => self.not_an_equation(name, item),
                    }
                }
            }
            ValueKind::Table(table) => {
                let mut any = false;
                let first = out.len();
                for (k, entry) in table.iter() {
                    let known = self.known_key(k, KEYS, "a constraint");
                    let besides = BESIDES.contains(&k.name.as_str());
                    any |= !besides;
                    if !known || besides {
                        continue;
                    }
                    let sort = if k.name == "holonomic" { Sort::Holonomic } else { Sort::Velocity };
                    match entry.as_string() {
                        Some(literal) => self.equation(name, literal, sort, out),
                        None => self.not_an_equation(name, entry),
                    }
                }
                if let Some(when) = self.condition_of(table) {
                    out[first..].iter_mut().for_each(|c| c.when = Some(when.clone()));
                }
                if self.word_of(table, "limit", LIMITS, |l| l).is_some() {
                    out[first..].iter_mut().for_each(|c| c.coulomb = true);
                }
                if let Some(e) = self.blow_of(table) {
                    out[first..].iter_mut().for_each(|c| c.restitution = Some(e));
                }
                if !any {
                    let message = format!("the constraint \"{name}\" has no equation");
                    self.report(
                        Diagnostic::error("missing-key", message)
                            .at(key.span, "")
                            .help("write { holonomic = \"x^2 + y^2 = 1\" } or { velocity = \"x' = y\" }"),
                    );
                }
            }
            _ => self.not_an_equation(name, value),
        }
    }

    /// The restitution of a constraint that is a blow where its region is entered; with 0 it is an ordinary one.
    fn blow_of(&mut self, table: &Table) -> Option<Expr> {
        let (key, value) = table.entry("restitution")?;
        let e = self.wall_number(table, "restitution", "between 0 and 1", |x| (0.0..=1.0).contains(&x))?;
        let other =
            ["from", "until", "limit"].into_iter().find_map(|name| table.entry(name).map(|(key, _)| (name, key)));
        if table.entry("when").is_none() {
            let message = "`restitution` acts where a region is entered, and this constraint has no region";
            let error = Diagnostic::error("missing-key", message).at(key.span, "");
            self.report(error.help("add when = \"x > 0\""));
            return None;
        }
        if let Some((name, other)) = other {
            let message =
                format!("`restitution` acts where a region is entered, and does not go together with `{name}`");
            self.report(Diagnostic::error("unexpected-condition", message).at(other.span, ""));
            return None;
        }
        (self.constant(e, value.span, "`restitution`")? != 0.0).then_some(e)
    }

    fn not_an_equation(&mut self, name: &str, value: &syntax::Value) {
        let message =
            format!("the constraint \"{name}\" is an equation in quotes, but here it is {}", value.describe());
        self.report(Diagnostic::error("unexpected-value", message).at(value.span, ""));
    }

    fn equation(&mut self, name: &str, literal: &StringLit, sort: Sort, out: &mut Vec<Constraint>) {
        self.mentions_motion = false;
        // `holonomic = "x^2 + y^2 - 1"` may leave `= 0` out
        let alone = match sort {
            Sort::Holonomic => parse_expr(literal).ok(),
            _ => None,
        };
        let (residual, span) = match alone {
            Some(tree) => (self.eval(&tree), tree.span),
            None => match parse_equation(literal) {
                Ok(equation) => (self.difference(&equation), equation.span),
                Err(error) => {
                    self.report(*error);
                    return;
                }
            },
        };
        let Some(residual) = residual else { return };
        let what = format!("the constraint \"{name}\"");
        if !self.no_accelerations(residual.entries(), span, &what) {
            return;
        }
        let holonomic = !self.mentions_motion;
        if sort == Sort::Holonomic && !holonomic {
            let message = format!("{what} is called holonomic, but contains a velocity");
            let error = Diagnostic::error("unexpected-velocity", message).at(span, "");
            self.report(error.help("a holonomic constraint relates positions; write the others as plain equations"));
            return;
        }
        if sort == Sort::Velocity && holonomic {
            let message = format!("{what} contains no velocity");
            self.report(
                Diagnostic::error("no-velocity", message)
                    .at(span, "")
                    .help("write { holonomic = \"…\" } for an equation between positions"),
            );
            return;
        }
        for (k, e) in residual.entries().to_vec().into_iter().enumerate() {
            let row = format!("{name}{}", residual.suffix(k));
            if let Some(constraint) = self.row(row, e, holonomic, span) {
                out.push(constraint);
            }
        }
    }

    fn row(&mut self, name: String, e: Expr, holonomic: bool, span: Span) -> Option<Constraint> {
        if !holonomic {
            return Some(Constraint::new(name, e, span));
        }
        let positions = self.configuration.positions().to_vec();
        if !self.graph.contains_any(e, &positions) {
            let message =
                format!("the constraint \"{name}\" contains no velocity and no position that it could constrain");
            self.report(
                Diagnostic::error("no-velocity", message)
                    .at(span, "")
                    .help("a constraint is an equation between velocities, or between positions"),
            );
            return None;
        }
        let residual = self.graph.along(e, &self.rates);
        Some(Constraint { holonomic: Some(e), ..Constraint::new(name, residual, span) })
    }

    /// Left side minus right side; a plain 0 stands for a vector of zeros as well.
    fn difference(&mut self, equation: &syntax::Equation) -> Option<Value> {
        let (left, right) = (self.eval(&equation.lhs), self.eval(&equation.rhs));
        let (left, right) = (left?, right?);
        let is_zero = |e: &syntax::Expr| matches!(&e.kind, ExprKind::Number(d) if d.text().chars().all(|c| matches!(c, '0' | '.')));
        if left.shape() == right.shape() {
            let entries = left.entries().iter().zip(right.entries()).map(|(a, b)| self.graph.sub(*a, *b)).collect();
            return Some(left.with_entries(entries));
        }
        if is_zero(&equation.rhs) {
            return Some(left);
        }
        if is_zero(&equation.lhs) {
            let entries = right.entries().to_vec();
            let entries = entries.iter().map(|e| self.graph.neg(*e)).collect();
            return Some(right.with_entries(entries));
        }
        let (a, b) = (left.shape(), right.shape());
        let message = format!(
            "the sides of the equation do not match: {a} ({}) on the left and {} ({}) on the right",
            self.operand(&equation.lhs),
            b.after(a),
            self.operand(&equation.rhs)
        );
        self.report(Diagnostic::error("wrong-dimension", message).at(equation.span, ""));
        None
    }
}
