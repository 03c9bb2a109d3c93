//! `[define]`, `[functions]`, `[quasi_velocities]`, `[observables]`, `independent`.

use super::Resolver;
use super::scope::What;
use super::value::Value;
use crate::model::QuasiVelocity;
use crate::syntax::{self, Key, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, Span};
use polhode_expr::{Expr, Symbol};

impl Resolver<'_> {
    /// One line of `[define]`; gives its name and components.
    pub(super) fn definition(&mut self, key: &Key, formula: &syntax::Value) -> Option<(String, Vec<Expr>)> {
        let name = self.declare(key, "a definition")?;
        self.declared_now = Some(name.clone());
        let value = self.formula(formula).map(|(_, value)| value);
        self.declared_now = None;
        let entries = value.as_ref().map(|v| v.entries().to_vec());
        self.bind(&name, What::Definition, value, Some(key.span));
        Some((name, entries?))
    }

    pub(super) fn read_functions(&mut self, root: &Table) {
        for (_, table) in self.sections(root, &["functions"]) {
            for (key, value) in table.iter() {
                let Some(name) = self.declare(key, "a function") else {
                    continue;
                };
                let arguments: Option<Vec<String>> = match &value.kind {
                    ValueKind::String(s) => Some(vec![s.text().to_owned()]),
                    ValueKind::Array(items) if !items.is_empty() && items.len() <= 16 => {
                        items.iter().map(|i| i.as_str().map(str::to_owned)).collect()
                    }
                    _ => None,
                };
                let Some(arguments) = arguments else {
                    let message = format!("the function `{name}` needs a list of its arguments");
                    self.report(
                        Diagnostic::error("unexpected-value", message)
                            .at(value.span, "")
                            .help(format!("write {name} = [\"x\"], or {name} = [\"x\", \"y\"]")),
                    );
                    continue;
                };
                let function = self.graph.function(&name);
                let what = What::Function(function, arguments.len());
                self.bind(&name, what, None, Some(key.span));
                self.functions.push((name, arguments));
            }
        }
    }

    pub(super) fn read_quasi_velocities(&mut self, root: &Table) -> Vec<QuasiVelocity> {
        let mut out = Vec::new();
        for (_, table) in self.sections(root, &["quasi_velocities", "quasi"]) {
            for (key, formula) in table.iter() {
                let Some(name) = self.declare(key, "a quasi-velocity") else {
                    continue;
                };
                self.declared_now = Some(name.clone());
                let value = self.formula(formula).map(|(_, value)| value);
                self.declared_now = None;
                let value = value.filter(|v| self.is_velocity(v, formula.span, &name));
                if let Some(value) = &value {
                    for (k, definition) in value.entries().iter().enumerate() {
                        let symbol = self.graph.symbol(&format!("{name}{}", value.suffix(k)));
                        let span = formula.span;
                        out.push(QuasiVelocity { symbol, definition: *definition, span });
                    }
                }
                self.bind(&name, What::QuasiVelocity, value, Some(key.span));
            }
        }
        out
    }

    fn is_velocity(&mut self, value: &Value, span: Span, name: &str) -> bool {
        if !self.no_accelerations(value.entries(), span, &format!("the quasi-velocity `{name}`")) {
            return false;
        }
        if let Some(k) = value.entries().iter().position(|e| self.has_velocity(&[*e]).is_none()) {
            let part = value.suffix(k);
            let message = format!("the quasi-velocity `{name}{part}` contains no velocity");
            self.report(
                Diagnostic::error("no-velocity", message)
                    .at(span, "")
                    .help("a quasi-velocity is a combination of velocities such as \"x'*cos(theta) + y'*sin(theta)\""),
            );
            return false;
        }
        true
    }

    pub(super) fn read_observables(&mut self, root: &Table) -> Vec<(String, Expr)> {
        let mut out: Vec<(String, Expr)> = Vec::new();
        for (_, table) in self.sections(root, &["observables"]) {
            for (key, formula) in table.iter() {
                let name = normalize_name(&key.name).into_owned();
                let Some((_, value)) = self.formula(formula) else {
                    continue;
                };
                for (k, e) in value.entries().iter().enumerate() {
                    out.push((format!("{name}{}", value.suffix(k)), *e));
                }
            }
        }
        out
    }

    /// `independent = ["theta'", "Omega[1]"]`.
    pub(super) fn read_independent(&mut self, root: &Table) -> (Option<Vec<Symbol>>, Option<Span>) {
        let Some((_, value)) = root.entry("independent") else {
            return (None, None);
        };
        let Some(items) = value.as_array().filter(|items| items.iter().all(|i| i.as_string().is_some())) else {
            let message = "`independent` is a list of velocities in quotes";
            self.report(
                Diagnostic::error("unexpected-value", message)
                    .at(value.span, "")
                    .help("write independent = [\"theta'\", \"phi'\"]"),
            );
            return (None, None);
        };
        let mut symbols: Vec<Symbol> = Vec::new();
        for item in items {
            let Some((tree, result)) = self.formula(item) else {
                continue;
            };
            for e in result.entries().to_vec() {
                let symbol = self.graph.as_symbol(e);
                match symbol.filter(|s| self.configuration.velocities().contains(s)) {
                    Some(s) if symbols.contains(&s) => {
                        let message = format!("`{}` is chosen twice", self.graph.name(s));
                        self.report(Diagnostic::error("not-a-velocity", message).at(tree.span, ""));
                    }
                    Some(s) => symbols.push(s),
                    None => {
                        let text = self.quote(tree.span);
                        let error =
                            Diagnostic::error("not-a-velocity", format!("{text} is not a velocity of the model"));
                        let names: Vec<&str> =
                            self.configuration.velocities().iter().map(|s| self.graph.name(*s)).collect();
                        let primed = format!("{}'", text.trim_matches('`'));
                        let error = if names.contains(&primed.as_str()) {
                            error.at(tree.span, format!("did you mean `{primed}`?")).suggest(tree.span, primed)
                        } else {
                            error.at(tree.span, "").help(format!("its velocities are {}", super::list(&names)))
                        };
                        self.report(error);
                        break;
                    }
                }
            }
        }
        (Some(symbols), Some(value.span))
    }
}
