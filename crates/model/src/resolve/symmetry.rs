//! `[symmetry]`: vector fields on the configuration space that leave the system unchanged.

use super::Resolver;
use super::scope::What;
use super::value::Value;
use crate::model::Generator;
use crate::syntax::{StringLit, Table, ValueKind, normalize_name, parse_vector_field};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::{Expr, Symbol};

const KEYS: &[&str] = &["generators", "group", "about"];

impl Resolver<'_> {
    pub(super) fn read_symmetry(&mut self, root: &Table) -> (Vec<Generator>, Option<String>) {
        let mut generators = Vec::new();
        let mut group = None;
        for (_, table) in self.sections(root, &["symmetry"]) {
            for (key, _) in table.iter() {
                self.known_key(key, KEYS, "[symmetry]");
            }
            group = self.text_of(table, "group").or(group);
            let Some(value) = table.get("generators") else {
                continue;
            };
            let ValueKind::Array(items) = &value.kind else {
                let message = format!("`generators` is a list of vector fields, but here it is {}", value.describe());
                self.report(
                    Diagnostic::error("unexpected-value", message)
                        .at(value.span, "")
                        .help("write generators = [\"d/dx\", \"x*d/dy - y*d/dx\"]"),
                );
                continue;
            };
            for item in items {
                let generator = match &item.kind {
                    ValueKind::String(literal) => self.field(literal),
                    ValueKind::Table(rates) => self.rate_table(rates, item.span),
                    _ => {
                        let message = format!(
                            "a generator is a vector field in quotes or a table of rates, but here it is {}",
                            item.describe()
                        );
                        self.report(Diagnostic::error("unexpected-value", message).at(item.span, ""));
                        None
                    }
                };
                generators.extend(generator);
            }
        }
        (generators, group)
    }

    /// `x*d/dy - y*d/dx + d/dphi`.
    fn field(&mut self, literal: &StringLit) -> Option<Generator> {
        let field = match parse_vector_field(literal) {
            Ok(field) => field,
            Err(error) => {
                self.report(*error);
                return None;
            }
        };
        let mut rates: Vec<(Symbol, Expr)> = Vec::new();
        let mut sound = true;
        for term in &field.terms {
            let symbol = self.graph.find_symbol(&term.direction.name);
            let symbol = symbol.filter(|s| self.configuration.positions().contains(s));
            let Some(symbol) = symbol else {
                self.no_direction(&term.direction.name, term.direction.span);
                sound = false;
                continue;
            };
            let coefficient = match self.eval(&term.coefficient) {
                Some(Value::Scalar(e)) => e,
                Some(other) => {
                    let message = format!("the coefficient of a direction is a scalar, but this is {}", other.shape());
                    self.report(Diagnostic::error("wrong-dimension", message).at(term.coefficient.span, ""));
                    sound = false;
                    continue;
                }
                None => {
                    sound = false;
                    continue;
                }
            };
            sound &= self.resting(&[coefficient], term.coefficient.span, "a symmetry generator");
            match rates.iter_mut().find(|(s, _)| *s == symbol) {
                Some((_, e)) => *e = self.graph.add(*e, coefficient),
                None => rates.push((symbol, coefficient)),
            }
        }
        sound.then(|| Generator { text: literal.text().to_owned(), rates, span: literal.span() })
    }

    fn no_direction(&mut self, name: &str, span: Span) {
        let names: Vec<String> =
            self.configuration.positions().iter().map(|s| self.graph.name(*s).to_owned()).collect();
        let message = format!("`{name}` is not a coordinate to go along");
        let error = Diagnostic::error("unknown-name", message);
        let whole = matches!(self.scope.get(name), Some(b) if matches!(b.what, What::Coordinate | What::Group));
        let error = match closest(name, names.iter().map(String::as_str)) {
            _ if whole => error.at(span, "has more than one component").help(format!(
                "give the rates of its components in a table, such as {{ {name} = \"hat([0, 0, 1])*{name}\" }} for a turn about z"
            )),
            Some(near) => error.at(span, format!("did you mean `d/d{near}`?")),
            None => error.at(span, ""),
        };
        self.report(error);
    }

    /// `{ x = "-y", y = "x", R = "hat([0,0,1])*R" }`: the rate of each coordinate.
    fn rate_table(&mut self, table: &Table, span: Span) -> Option<Generator> {
        let mut rates = Vec::new();
        let mut sound = !table.is_empty();
        for (key, formula) in self.flattened(table) {
            let name = normalize_name(&key.name).into_owned();
            let target = match self.scope.get(&name) {
                Some(b) if !b.moving && matches!(b.what, What::Coordinate | What::Component) => b.value.clone(),
                _ => None,
            };
            let positions = self.configuration.positions().to_vec();
            let symbols: Option<Vec<Symbol>> = target.as_ref().and_then(|t| {
                let symbol = |e: &Expr| self.graph.as_symbol(*e).filter(|s| positions.contains(s));
                t.entries().iter().map(symbol).collect()
            });
            let (Some(target), Some(symbols)) = (target, symbols) else {
                self.no_direction(&name, key.span);
                sound = false;
                continue;
            };
            let Some((tree, value)) = self.formula(formula) else {
                sound = false;
                continue;
            };
            if value.shape() != target.shape() {
                let message = format!(
                    "the rate of `{name}` is {}, like `{name}` itself, but this is {}",
                    target.shape(),
                    value.shape()
                );
                self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
                sound = false;
                continue;
            }
            sound &= self.resting(value.entries(), tree.span, "a symmetry generator");
            let moved = symbols.into_iter().zip(value.entries().iter().copied());
            rates.extend(moved.filter(|(_, e)| !self.graph.is_zero(*e)));
        }
        let text = self.source.slice(span).to_owned();
        sound.then_some(Generator { text, rates, span })
    }
}
