//! `[parameters]`: named constants, with overrides from the command line.

use super::scope::What;
use super::value::Value;
use super::{Resolver, list};
use crate::model::Parameter;
use crate::syntax::{self, Key, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::Expr;

const KEYS: &[&str] = &["value", "latex", "unit", "about"];

impl Resolver<'_> {
    pub(super) fn read_parameters(&mut self, root: &Table) {
        self.constants_only = true;
        self.introduce();
        for (_, table) in self.sections(root, &["parameters"]) {
            for (key, value) in table.iter() {
                self.parameter(key, value);
            }
        }
        self.gravity_parameter(root);
        self.constants_only = false;
        self.unused_overrides();
    }

    fn parameter(&mut self, key: &Key, value: &syntax::Value) {
        let Some(name) = self.declare(key, "a parameter") else {
            return;
        };
        let (mut latex, mut unit, mut about) = (None, None, None);
        let formula = match &value.kind {
            ValueKind::Table(table) => {
                for (k, _) in table.iter() {
                    self.known_key(k, KEYS, "a parameter");
                }
                latex = self.text_of(table, "latex");
                unit = self.text_of(table, "unit");
                about = self.text_of(table, "about");
                match table.get("value") {
                    Some(value) => value,
                    None => {
                        let message = format!("the parameter `{name}` has no value");
                        self.report(
                            Diagnostic::error("missing-key", message)
                                .at(key.span, "")
                                .help(format!("write {name} = {{ value = 1.0, … }}")),
                        );
                        self.bind(&name, What::Parameter, None, Some(key.span));
                        return;
                    }
                }
            }
            _ => value,
        };
        self.declared_now = Some(name.clone());
        let value = self.parameter_value(&name, formula);
        self.declared_now = None;
        self.add_parameter(&name, value, key.span);
        if let Some(last) = self.parameters.last_mut()
            && self.graph.name(last.symbol) == name
        {
            last.unit = unit;
            last.about = about;
            if let Some(latex) = latex {
                self.graph.set_latex(last.symbol, &latex);
            }
        }
    }

    /// The value of a parameter, from the file or from the last flag that sets it.
    fn parameter_value(&mut self, name: &str, formula: &syntax::Value) -> Option<Expr> {
        let flag = self.options.parameters.iter().rev().find(|(n, _)| normalize_name(n) == name);
        let (value, span) = match flag {
            Some((given, text)) => {
                let given = given.clone();
                let text = text.clone();
                let value = self.flag_formula("--set", &given, &text)?;
                let before = self.found.len();
                let e = self.single_number(name, value, Span::default())?;
                let checked = self.constant(e, Span::default(), &format!("the parameter `{name}`"));
                for error in self.found.split_off(before) {
                    let error = super::without_place(error, &format!("--set {given}={text}"));
                    self.report(error);
                }
                return checked.map(|_| e);
            }
            None => {
                if matches!(formula.kind, ValueKind::Bool(_)) {
                    let message = format!("the parameter `{name}` is a number, but here it is a truth value");
                    self.report(Diagnostic::error("unexpected-value", message).at(formula.span, ""));
                    return None;
                }
                let (tree, value) = self.formula(formula)?;
                (value, tree.span)
            }
        };
        let e = self.single_number(name, value, span)?;
        self.constant(e, span, &format!("the parameter `{name}`"))?;
        Some(e)
    }

    fn single_number(&mut self, name: &str, value: Value, span: Span) -> Option<Expr> {
        if let Value::Scalar(e) = value {
            return Some(e);
        }
        let message = format!("the parameter `{name}` is a single number, but this is {}", value.shape());
        let help = if super::ABOVE_SECTIONS.contains(&name) {
            format!("`{name}` belongs to the whole model: put it above the first [section]")
        } else {
            "name its components one by one, and put the vector together under [define]".to_owned()
        };
        self.report(Diagnostic::error("wrong-dimension", message).at(span, "").help(help));
        None
    }

    /// The parameters that the text does not have. They come first, so that all others may be set to functions of them.
    fn introduce(&mut self) {
        for (name, text) in &self.options.introduced {
            let name = normalize_name(name);
            let Some(Value::Scalar(value)) = self.flag_formula("--vary", &name, text) else { continue };
            let symbol = self.graph.symbol(&name);
            let var = self.graph.var(symbol);
            self.bind(&name, What::Parameter, Some(Value::Scalar(var)), None);
            self.set_value(symbol, value);
            self.parameters.push(Parameter { symbol, value, unit: None, about: None, span: Span::default() });
        }
    }

    fn add_parameter(&mut self, name: &str, value: Option<Expr>, span: Span) {
        let symbol = self.graph.symbol(name);
        let var = self.graph.var(symbol);
        // functions of other parameters have become numbers with these; what is no rational number keeps its letter, for the sake of exact tests
        let number = value.filter(|e| self.options.at_values && self.graph.as_number(*e).is_some());
        let bound = value.map(|_| Value::Scalar(number.unwrap_or(var)));
        self.bind(name, What::Parameter, bound, Some(span));
        let Some(value) = value else { return };
        if self.set_value(symbol, value) > 0.0 {
            self.graph.assume_positive(symbol);
        }
        self.parameters.push(Parameter { symbol, value, unit: None, about: None, span });
    }

    /// `[gravity] g = 9.81` makes `g` a parameter when the name is free, so that it can
    /// be set from the command line and keeps its letter in equations.
    fn gravity_parameter(&mut self, root: &Table) {
        let Some((key, value)) = root.get("gravity").and_then(|v| v.as_table()).and_then(|t| t.entry("g")) else {
            return;
        };
        if value.as_number().is_some() && self.scope.get("g").is_none() && self.declared.get("g").is_none() {
            let given = self.parameter_value("g", value);
            self.add_parameter("g", given, key.span);
        }
    }

    /// Every flag must have met its parameter.
    fn unused_overrides(&mut self) {
        for (name, text) in &self.options.parameters {
            let normal = normalize_name(name);
            let names = self.scope.names_of(|w| *w == What::Parameter);
            if names.contains(&&*normal) {
                continue;
            }
            let message = format!("in `--set {name}={text}`: the model has no parameter `{name}`");
            let error = Diagnostic::error("unknown-name", message);
            let error = match closest(&normal, names.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None if names.is_empty() => error.help("the model has no parameters"),
                None => error.help(format!("its parameters are {}", list(&names))),
            };
            self.report(error);
        }
    }
}
