//! `[symmetry]`: vector fields on the configuration space that leave the system unchanged, written down one by one or as the
//! left or right action of a factor on itself; and the horizontal fields of a connection.
//!
//! A factor that is a group acts on itself by g ↦ h g (left) and g ↦ g h (right). The fields of the right action are the base
//! frame; those of the left action are, for rotations, Ṙ = ê_k R, and for motions also the translations.

use super::Resolver;
use super::scope::What;
use super::value::Value;
use crate::configuration::{Factor, Kind, PlaneMotion};
use crate::model::Generator;
use crate::syntax::{StringLit, Table, ValueKind, normalize_name, parse_vector_field};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::{Expr, Symbol};

const KEYS: &[&str] = &["generators", "left", "right", "horizontal", "group", "about"];

/// What `[symmetry]` says.
#[derive(Default)]
pub(super) struct ReadSymmetry {
    pub(super) generators: Vec<Generator>,
    pub(super) horizontal: Vec<Generator>,
    pub(super) group: Option<String>,
}

impl Resolver<'_> {
    pub(super) fn read_symmetry(&mut self, root: &Table) -> ReadSymmetry {
        let mut out = ReadSymmetry::default();
        for (_, table) in self.sections(root, &["symmetry"]) {
            for (key, _) in table.iter() {
                self.known_key(key, KEYS, "[symmetry]");
            }
            out.group = self.text_of(table, "group").or(out.group);
            out.generators.extend(self.fields(table, "generators", "[\"d/dx\", \"x*d/dy - y*d/dx\"]"));
            out.horizontal.extend(self.fields(table, "horizontal", "[\"d/dtheta\", \"d/dphi\"]"));
            for (key, left) in [("left", true), ("right", false)] {
                for (name, span) in self.factor_names(table, key) {
                    out.generators.extend(self.action(&name, span, left));
                }
            }
        }
        out
    }

    /// A list of vector fields.
    fn fields(&mut self, table: &Table, key: &str, example: &str) -> Vec<Generator> {
        let Some(value) = table.get(key) else { return Vec::new() };
        let ValueKind::Array(items) = &value.kind else {
            let message = format!("`{key}` is a list of vector fields, but here it is {}", value.describe());
            self.report(
                Diagnostic::error("unexpected-value", message)
                    .at(value.span, "")
                    .help(format!("write {key} = {example}")),
            );
            return Vec::new();
        };
        let mut out = Vec::new();
        for item in items {
            let field = match &item.kind {
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
            out.extend(field);
        }
        out
    }

    /// The names in `left = ["R", "x"]`.
    fn factor_names(&mut self, table: &Table, key: &str) -> Vec<(String, Span)> {
        let Some(value) = table.get(key) else { return Vec::new() };
        let items = match &value.kind {
            ValueKind::Array(items) => &items[..],
            _ => std::slice::from_ref(value),
        };
        let mut out = Vec::new();
        for item in items {
            match &item.kind {
                ValueKind::String(literal) => out.push((literal.text().to_owned(), literal.span())),
                _ => {
                    let message = format!("`{key}` lists coordinates that are groups, but here is {}", item.describe());
                    let error = Diagnostic::error("unexpected-value", message).at(item.span, "");
                    self.report(error.help(format!("write {key} = [\"R\"]")));
                }
            }
        }
        out
    }

    /// The generators of a factor that acts on itself.
    fn action(&mut self, name: &str, span: Span, left: bool) -> Vec<Generator> {
        let known = normalize_name(name).into_owned();
        let Some(factor) = self.configuration.factors().iter().find(|f| f.name == known).cloned() else {
            let names: Vec<String> = self.configuration.factors().iter().map(|f| f.name.clone()).collect();
            let error = Diagnostic::error("unknown-name", format!("`{name}` is not a coordinate"));
            let error = match closest(name, names.iter().map(String::as_str)) {
                Some(near) => error.at(span, format!("did you mean `{near}`?")),
                None => error.at(span, "").help(format!("the coordinates are {}", names.join(", "))),
            };
            self.report(error);
            return Vec::new();
        };
        if factor.direction().is_some() {
            let message = format!("`{name}` is a direction, and directions are no group");
            let help = format!("write the turns that move it: {{ {name} = \"cross([0, 0, 1], {name})\" }}");
            self.report(Diagnostic::error("unexpected-value", message).at(span, "").help(help));
            return Vec::new();
        }
        let turns = factor.rotation().is_some() || factor.plane_motion().is_some();
        let fields = if left && turns { self.left_fields(&factor) } else { self.base_fields(&factor) };
        let side = if left { "left" } else { "right" };
        let several = fields.len() > 1;
        let text = |i: usize| if several { format!("{side} {name}[{}]", i + 1) } else { format!("d/d{name}") };
        fields.into_iter().enumerate().map(|(i, rates)| Generator { text: text(i), rates, span }).collect()
    }

    /// The fields of the base frame that belong to a factor.
    fn base_fields(&mut self, factor: &Factor) -> Vec<Vec<(Symbol, Expr)>> {
        let velocities = self.configuration.velocities().to_vec();
        let mut out = Vec::new();
        for v in &factor.velocities {
            let unit: Vec<Expr> =
                velocities.iter().map(|s| if s == v { self.graph.one() } else { self.graph.zero() }).collect();
            let rates = self.configuration.rates_along(&mut self.graph, &unit);
            out.push(factor.positions.iter().filter_map(|s| rates.get(s).map(|e| (*s, *e))).collect());
        }
        out
    }

    /// Translations, then turns g ↦ exp(ε ê_k) g.
    fn left_fields(&mut self, factor: &Factor) -> Vec<Vec<(Symbol, Expr)>> {
        let one = self.graph.one();
        if let Some(PlaneMotion { place: [x, y], angle, .. }) = factor.plane_motion() {
            let (vx, vy) = (self.graph.var(x), self.graph.var(y));
            let turn = vec![(x, self.graph.neg(vy)), (y, vx), (angle, one)];
            return vec![vec![(x, one)], vec![(y, one)], turn];
        }
        let (vectors, translations) = (columns(factor.tied()), factor.untied());
        let mut out: Vec<Vec<(Symbol, Expr)>> = translations.iter().map(|s| vec![(*s, one)]).collect();
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let mut rates = Vec::new();
            for column in vectors.iter().copied().chain(translations.first_chunk::<3>().copied()) {
                // e_k × v
                let (vi, vj) = (self.graph.var(column[i]), self.graph.var(column[j]));
                rates.push((column[i], self.graph.neg(vj)));
                rates.push((column[j], vi));
            }
            out.push(rates);
        }
        out
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
            _ if whole => {
                let kind = self.configuration.factors().iter().find(|f| f.name == name).map(|f| f.kind.clone());
                let help = match kind {
                    Some(Kind::Se2 | Kind::Se3) => {
                        format!("write left = [\"{name}\"] under [symmetry], or d/d{name}.… for one of its components")
                    }
                    Some(Kind::S2) => format!("give its rate in a table: {{ {name} = \"cross([0, 0, 1], {name})\" }}"),
                    _ => format!(
                        "give the rates of its components in a table, such as {{ {name} = \"hat([0, 0, 1])*{name}\" }} for a turn about z"
                    ),
                };
                error.at(span, "has more than one component").help(help)
            }
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

/// The columns of a matrix of symbols that is stored row by row.
fn columns(matrix: &[Symbol]) -> Vec<[Symbol; 3]> {
    (0..3).map(|j| [matrix[j], matrix[3 + j], matrix[6 + j]]).collect()
}
