//! `[coordinates]`: the factors of the configuration space and the names they bring.

use super::scope::What;
use super::value::{Spin, Turn, Value};
use super::{Resolver, rolling};
use crate::configuration::{Configuration, Kind};
use crate::syntax::{self, Key, StringLit, Table, ValueKind, parse_interval};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::{Expr, Matrix, Symbol};

const KEYS: &[&str] = &["kind", "latex", "about"];
const KINDS: &[&str] = &["real", "angle", "SO(3)", "SE(2)", "SE(3)", "S2"];

/// A coordinate that has been read but not added yet.
struct Wanted {
    name: String,
    kind: Kind,
    latex: Option<String>,
    span: Span,
}

impl Resolver<'_> {
    pub(super) fn read_coordinates(&mut self, root: &Table) {
        let sections = self.sections(root, &["coordinates"]);
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut any = false;
        self.constants_only = true;
        for (_, table) in &sections {
            for (key, value) in table.iter() {
                any = true;
                self.coordinate(key, value, &mut wanted);
            }
        }
        self.constants_only = false;
        if sections.is_empty() && root.get("coordinates").is_none() {
            any |= self.rotations_of_bodies(root, &mut wanted);
        }
        if !any && !rolling::rolls(root) && !rolling::lacks_surface(root) {
            self.report(
                Diagnostic::error("missing-section", "the model has no coordinates")
                    .help("add a section [coordinates] with lines such as `x = \"real\"` or `theta = \"angle\"`"),
            );
        }
        let rotations = wanted.iter().filter(|w| w.kind == Kind::So3).count();
        for w in wanted {
            self.add_coordinate(w, rotations == 1);
        }
        if rolling::rolls(root) {
            self.read_constant_definitions(root);
        }
        self.read_rolling_bodies(root);
        self.read_contacts(root);
        self.set_rates();
    }

    fn coordinate(&mut self, key: &Key, value: &syntax::Value, wanted: &mut Vec<Wanted>) {
        let Some(name) = self.declare(key, "a coordinate") else {
            return;
        };
        self.bind(&name, What::Coordinate, None, Some(key.span));
        let (kind, latex) = match &value.kind {
            ValueKind::Table(table) => {
                for (k, _) in table.iter() {
                    self.known_key(k, KEYS, "a coordinate");
                }
                (table.get("kind"), self.text_of(table, "latex"))
            }
            _ => (Some(value), None),
        };
        let kind = match kind.map(|v| (v, v.as_string())) {
            Some((_, Some(literal))) => self.kind(&name, literal),
            Some((value, None)) => {
                let message =
                    format!("the kind of the coordinate `{name}` is a text, but here it is {}", value.describe());
                let error = Diagnostic::error("bad-kind", message).at(value.span, "");
                self.report(error.help(format!("write {name} = \"real\", or another kind: {}", kinds())));
                None
            }
            None => {
                let message = format!("the coordinate `{name}` has no kind");
                let error = Diagnostic::error("missing-key", message).at(key.span, "");
                self.report(error.help(format!("write {name} = {{ kind = \"angle\", … }}")));
                None
            }
        };
        if let Some(kind) = kind {
            wanted.push(Wanted { name, kind, latex, span: key.span });
        }
    }

    fn kind(&mut self, name: &str, literal: &StringLit) -> Option<Kind> {
        let text = literal.text().trim();
        if text.starts_with(['(', '[', ']']) {
            return self.interval(name, literal);
        }
        // SO(3), SO3, so(3) and S^2, S² are written by different hands
        let plain: String = text
            .chars()
            .filter(|c| c.is_alphanumeric())
            .map(|c| match c {
                '²' => '2',
                '³' => '3',
                _ => c.to_ascii_lowercase(),
            })
            .collect();
        let kind = match plain.as_str() {
            "real" => Kind::Real,
            "angle" => Kind::Angle,
            "so3" => Kind::So3,
            "se2" => Kind::Se2,
            "se3" => Kind::Se3,
            "s2" => Kind::S2,
            _ => {
                let message = format!("`{text}` is not a kind of coordinate");
                let error = Diagnostic::error("bad-kind", message);
                let near = match plain.as_str() {
                    "r" | "line" | "number" | "length" | "float" => Some("real"),
                    "circle" | "s1" | "so2" | "rotation2" => Some("angle"),
                    "rotation" | "sphere3" => Some("SO(3)"),
                    "sphere" | "direction" | "unit" => Some("S2"),
                    "plane" | "pose2" => Some("SE(2)"),
                    "pose" | "motion" => Some("SE(3)"),
                    _ => closest(text, KINDS.iter().copied()),
                };
                let error = match near {
                    Some(near) => error.at(literal.span(), format!("did you mean `{near}`?")),
                    None => error.at(literal.span(), ""),
                };
                self.report(error.help(format!("the kinds are {}", kinds())));
                return None;
            }
        };
        Some(kind)
    }

    fn interval(&mut self, name: &str, literal: &StringLit) -> Option<Kind> {
        let interval = match parse_interval(literal) {
            Ok(interval) => interval,
            Err(error) => {
                self.report(*error);
                return None;
            }
        };
        let mut ends = Vec::new();
        for end in [&interval.lower, &interval.upper] {
            let value = self.eval(end);
            let what = format!("an end of the interval of `{name}`");
            match value {
                Some(Value::Scalar(e)) => ends.push(self.constant(e, end.span, &what).map(|x| (e, x))),
                Some(other) => {
                    let message = format!("{what} is a number, but this is {}", other.shape());
                    self.report(Diagnostic::error("wrong-dimension", message).at(end.span, ""));
                    ends.push(None);
                }
                None => ends.push(None),
            }
        }
        let (low, high) = (ends[0]?, ends[1]?);
        if low.1 >= high.1 {
            let message = format!("the interval of `{name}` is empty: {} is not below {}", low.1, high.1);
            self.report(Diagnostic::error("bad-kind", message).at(interval.span, "").help("write the lower end first"));
            return None;
        }
        Some(Kind::Interval(low.0, high.0))
    }

    /// In a model without `[coordinates]`, a body with `rotation = "R"` brings the
    /// coordinate `R` on SO(3) along: a body that turns about a fixed point.
    fn rotations_of_bodies(&mut self, root: &Table, wanted: &mut Vec<Wanted>) -> bool {
        let bodies = ["body", "bodies"].into_iter().filter_map(|n| root.get(n)?.as_table());
        let mut any = false;
        for value in bodies.flat_map(Table::iter).filter_map(|(_, body)| body.as_table()?.get("rotation")) {
            let Some(literal) = value.as_string() else { continue };
            let key = Key { name: literal.text().trim().to_owned(), span: literal.span() };
            let simple = key.name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !simple || self.declared.get(&key.name).is_some() || wanted.iter().any(|w| w.name == key.name) {
                continue;
            }
            if let Some(name) = self.declare(&key, "a coordinate") {
                any = true;
                wanted.push(Wanted { name, kind: Kind::So3, latex: None, span: key.span });
            }
        }
        any
    }

    fn add_coordinate(&mut self, w: Wanted, only_rotation: bool) {
        let name = &w.name;
        let prefix = if only_rotation { String::new() } else { format!("{name}.") };
        if let Kind::Interval(low, _) = w.kind
            && self.graph.evaluate_f64(low, &self.values).is_ok_and(|x| x >= 0.0)
        {
            let symbol = self.graph.symbol(name);
            self.graph.assume_positive(symbol);
        }
        self.configuration.add(&mut self.graph, name, w.kind.clone(), &prefix);
        let Some(factor) = self.configuration.factors().last().cloned() else {
            return;
        };
        let x: Vec<Expr> = factor.positions.iter().map(|s| self.graph.var(*s)).collect();
        let v: Vec<Expr> = factor.velocities.iter().map(|s| self.graph.var(*s)).collect();
        let span = Some(w.span);
        match w.kind {
            Kind::Real | Kind::Angle | Kind::Interval(..) => {
                self.bind(name, What::Coordinate, Some(Value::Scalar(x[0])), span);
                if let Some(latex) = &w.latex {
                    self.name_velocity(factor.positions[0], factor.velocities[0], latex);
                }
            }
            Kind::So3 => {
                let turn = self.bind_rotation(name, &x, &v, span);
                self.bind(name, What::Coordinate, Some(turn), span);
                if only_rotation {
                    for short in ["Omega", "omega"] {
                        self.reserved_by_rotation(short, name);
                        let long = format!("{name}.{short}");
                        let value = self.scope.get(&long).and_then(|b| b.value.clone());
                        self.bind(short, What::Component, value, span);
                    }
                }
            }
            Kind::Se3 => {
                self.bind(name, What::Group, None, span);
                let turn = self.bind_rotation(name, &x[..9], &v[3..], span);
                self.part(name, "R", turn, span);
                self.part(name, "p", Value::Vector(x[9..].to_vec()), span);
                self.part(name, "V", Value::Vector(v[..3].to_vec()), span);
            }
            Kind::Se2 => {
                self.bind(name, What::Group, None, span);
                let (s, c) = (self.graph.sin(x[2]), self.graph.cos(x[2]));
                let minus = self.graph.neg(s);
                let matrix = Matrix::from_rows(vec![vec![c, minus], vec![s, c]]);
                let spin = Spin { world: vec![v[2]], body: vec![v[2]] };
                self.part(name, "x", Value::Scalar(x[0]), span);
                self.part(name, "y", Value::Scalar(x[1]), span);
                self.part(name, "theta", Value::Scalar(x[2]), span);
                self.part(name, "p", Value::Vector(x[..2].to_vec()), span);
                self.part(name, "R", Value::Matrix(matrix, Some(Turn { spin: Some(spin) })), span);
                self.part(name, "V", Value::Vector(v[..2].to_vec()), span);
                self.part(name, "Omega", Value::Scalar(v[2]), span);
            }
            Kind::S2 | Kind::Carried | Kind::Rolling => self.bind(name, What::Coordinate, Some(Value::Vector(x)), span),
        }
    }

    /// Reports a parameter or coordinate that has the name of an angular velocity.
    fn reserved_by_rotation(&mut self, short: &str, rotation: &str) {
        let Some(binding) = self.scope.get(short) else { return };
        let message = format!(
            "`{short}` is the angular velocity of the rotation `{rotation}` and cannot be {}",
            binding.what.describe()
        );
        if let Some(span) = binding.span {
            self.report(Diagnostic::error("name-clash", message).at(span, "").help("choose another name"));
        }
    }

    /// Binds `name.Omega` (body) and `name.omega` = R Ω (world); gives the matrix.
    fn bind_rotation(&mut self, name: &str, x: &[Expr], v: &[Expr], span: Option<Span>) -> Value {
        let matrix = Matrix::from_fn(3, 3, |i, j| x[3 * i + j]);
        let world = matrix.mul_vec(&mut self.graph, v);
        self.part(name, "Omega", Value::Vector(v.to_vec()), span);
        self.part(name, "omega", Value::Vector(world.clone()), span);
        let spin = Spin { world, body: v.to_vec() };
        Value::Matrix(matrix, Some(Turn { spin: Some(spin) }))
    }

    fn part(&mut self, name: &str, part: &str, value: Value, span: Option<Span>) {
        self.bind(&format!("{name}.{part}"), What::Component, Some(value), span);
    }

    fn name_velocity(&mut self, position: Symbol, velocity: Symbol, latex: &str) {
        self.graph.set_latex(position, latex);
        self.graph.set_latex(velocity, &format!("\\dot{{{latex}}}"));
        let acceleration = Configuration::acceleration(&mut self.graph, velocity);
        self.graph.set_latex(acceleration, &format!("\\ddot{{{latex}}}"));
    }
}

fn kinds() -> String {
    let quoted: Vec<String> = KINDS.iter().map(|k| format!("`{k}`")).collect();
    format!("{} or an interval such as `(0, pi)`", quoted.join(", "))
}
