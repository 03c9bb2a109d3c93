//! The motions in `filetests/trajectories` are motions of the models that they name.
//!
//! At every state of every file, in 60-digit arithmetic: the constraints hold, energy v ∂L/∂v − L,
//! the formulas without accelerations and points of contact that are functions of the configuration have the
//! values given, and the state at t = 0 is where the model starts. So names, signs and angles of model and data are the same.
//!
//! Not here: whether the states follow from each other, which takes equations of motion.

use polhode_base::SourceFile;
use polhode_expr::eval::{Arithmetic, Digits, Real};
use polhode_expr::number::parse_decimal;
use polhode_expr::{Expr, Symbol};
use polhode_model::syntax::{Table, Value, parse_document};
use polhode_model::{Model, ParseOptions};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

type Values = rustc_hash::FxHashMap<Symbol, Real>;

/// Decimal digits of the evaluation.
const DIGITS: usize = 60;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/trajectories")
}

fn number(text: &str) -> Real {
    let exact = parse_decimal(text).unwrap_or_else(|| panic!("{text} is no number"));
    Digits::decimal(DIGITS).number(&exact)
}

fn text<'t>(table: &'t Table, key: &str) -> &'t str {
    table.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("a text `{key}`"))
}

/// Names and numbers of an inner table; none where it is missing.
fn entries<'t>(table: &'t Table, key: &str) -> Vec<(&'t str, Real)> {
    let inner = table.get(key).and_then(Value::as_table);
    let entry =
        |(k, v): (&'t polhode_model::syntax::Key, &'t Value)| (k.name.as_str(), number(v.as_str().expect("digits")));
    inner.into_iter().flat_map(Table::iter).map(entry).collect()
}

fn tables<'t>(root: &'t Table, key: &str) -> Vec<&'t Table> {
    let list = root.get(key).and_then(Value::as_array).unwrap_or_default();
    list.iter().map(|v| v.as_table().expect("a table")).collect()
}

fn pairs(root: &Table, key: &str) -> Vec<(String, String)> {
    let list = root.get(key).and_then(Value::as_array).unwrap_or_default();
    let pair = |v: &Value| {
        let (name, formula) = v.as_str().and_then(|s| s.split_once('=')).expect("NAME=EXPR");
        (name.to_owned(), formula.to_owned())
    };
    list.iter().map(pair).collect()
}

/// A file beside what it says about its model.
struct Motion {
    model: Model,
    parameters: Values,
    /// By name of the component: an expression, `None` where it contains accelerations.
    formulas: Vec<(String, Option<Expr>)>,
    /// How far a value may be from the one given, relative to it where it is larger than 1.
    bound: Real,
}

impl Motion {
    fn new(root: &Table) -> Motion {
        let named = text(root, "model");
        let path = match named.strip_suffix(".toml") {
            Some(_) => folder().join(named),
            None => folder().join(format!("../../models/{named}.toml")),
        };
        let source = fs::read_to_string(path).expect("the model");
        let options =
            ParseOptions { parameters: pairs(root, "set"), initial: pairs(root, "init"), ..ParseOptions::default() };
        let (mut model, _) = Model::parse(named, &source, &options).unwrap_or_else(|e| panic!("{named}: {e}"));
        let mut parameters = Values::default();
        for p in &model.parameters {
            let value = model.graph.evaluate(&Digits::decimal(DIGITS), &[p.value], &parameters).expect("a number");
            parameters.insert(p.symbol, value[0].clone());
        }
        let mut known: BTreeSet<Symbol> = parameters.keys().copied().collect();
        known.extend(model.configuration.positions().iter().chain(model.configuration.velocities()));
        known.insert(model.time);
        let mut graph = model.graph.clone();
        let mut formulas = Vec::new();
        for (key, formula) in root.get("formulas").and_then(Value::as_table).into_iter().flat_map(Table::iter) {
            let formula = formula.as_str().expect("a formula in quotes");
            let parts = model.formula(&mut graph, formula).unwrap_or_else(|e| panic!("{named}: {e}"));
            for (k, e) in parts.iter().enumerate() {
                let name = if parts.len() == 1 { key.name.clone() } else { format!("{}[{}]", key.name, k + 1) };
                let still = graph.free_symbols(&[*e]).iter().all(|s| known.contains(s));
                formulas.push((name, still.then_some(*e)));
            }
        }
        model.graph = graph;
        let digits = root.get("digits").and_then(Value::as_number).and_then(|d| d.as_u32()).expect("digits");
        // a formula enlarges the rounding of the state that is put into it
        Motion { model, parameters, formulas, bound: number(&format!("1e{}", 3 - i64::from(digits))) }
    }

    fn evaluate(&self, e: Expr, values: &Values) -> Real {
        let found = self.model.graph.evaluate(&Digits::decimal(DIGITS), &[e], values);
        found.expect("a number").remove(0)
    }

    fn check(&self, found: &Real, expected: &Real, what: &str) {
        let digits = Digits::decimal(DIGITS);
        let (one, size) = (number("1"), digits.abs(expected));
        let scale = if size > one { size } else { one };
        let difference = digits.abs(&(found - expected));
        let shown = |x: &Real| x.to_f64().value();
        assert!(
            difference <= &self.bound * scale,
            "{what}: {} instead of {}, off by {}",
            shown(found),
            shown(expected),
            shown(&difference)
        );
    }

    /// The symbol of a name in a state, if it is one of a position or velocity.
    fn find(&self, name: &str) -> Option<Symbol> {
        let configuration = &self.model.configuration;
        let symbol = self.model.graph.find_symbol(name);
        let ours = |s: &Symbol| configuration.positions().contains(s) || configuration.velocities().contains(s);
        symbol.filter(ours)
    }

    fn symbol(&self, name: &str) -> Symbol {
        self.find(name).unwrap_or_else(|| panic!("{name} is neither position nor velocity"))
    }

    /// The values of all symbols at a state, with the velocities that the constraints give.
    fn values(&mut self, sample: &Table, what: &str) -> Values {
        let mut values = self.parameters.clone();
        values.insert(self.model.time, number(text(sample, "t")));
        let mut functions = Vec::new();
        for (name, value) in entries(sample, "state") {
            match self.find(name) {
                Some(symbol) => assert!(values.insert(symbol, value).is_none(), "{what}: {name} twice"),
                None => functions.push((name, value)),
            }
        }
        let positions = self.model.configuration.positions();
        assert!(positions.iter().all(|q| values.contains_key(q)), "{what}: a position is missing");
        let zero = self.model.graph.zero();
        for c in self.model.constraints.clone() {
            let used = self.model.graph.free_symbols(&[c.residual]);
            let missing: Vec<Symbol> = used.into_iter().filter(|s| !values.contains_key(s)).collect();
            let [v] = missing[..] else { continue };
            // residual = slope v + rest
            let slope = self.model.graph.derivative(c.residual, v);
            let rest = self.model.graph.substitute(c.residual, &[(v, zero)].into_iter().collect());
            let value = -(self.evaluate(rest, &values) / self.evaluate(slope, &values));
            values.insert(v, value);
        }
        let velocities = self.model.configuration.velocities();
        assert!(velocities.iter().all(|v| values.contains_key(v)), "{what}: a velocity is missing");
        for (name, expected) in functions {
            let mut graph = self.model.graph.clone();
            let found = self.model.formula(&mut graph, name).unwrap_or_else(|e| panic!("{what}: {e}"));
            self.model.graph = graph;
            self.check(&self.evaluate(found[0], &values), &expected, &format!("{what}: {name}"));
        }
        values
    }

    fn energy(&mut self) -> Expr {
        let lagrangian = self.model.lagrangian.expect("a Lagrangian");
        let velocities = self.model.configuration.velocities().to_vec();
        let graph = &mut self.model.graph;
        let terms: Vec<Expr> = velocities
            .iter()
            .map(|v| {
                let (momentum, v) = (graph.derivative(lagrangian, *v), graph.var(*v));
                graph.mul(momentum, v)
            })
            .collect();
        let twice = graph.sum(terms);
        graph.sub(twice, lagrangian)
    }

    /// What the model starts with is what the state at t = 0 says.
    fn starts(&mut self, values: &Values, what: &str) {
        let mut given = self.model.initial_positions();
        let is_velocity = |s: &Symbol| self.model.configuration.velocities().contains(s);
        given.extend(self.model.initial.iter().filter(|i| is_velocity(&i.symbol)).map(|i| (i.symbol, i.value)));
        for (symbol, e) in given {
            let name = self.model.graph.name(symbol).to_owned();
            let start = self.evaluate(e, values);
            self.check(&start, &values[&symbol], &format!("{what}: {name}"));
        }
    }
}

/// Checks one file; gives the number of values compared.
fn check(path: &Path) -> usize {
    let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let source = SourceFile::new(file.as_str(), fs::read_to_string(path).expect("a file"));
    let document = parse_document(&source);
    assert!(document.diagnostics.is_empty(), "{file}");
    let root = &document.root;
    let mut motion = Motion::new(root);
    let energy = motion.energy();
    let constraints = motion.model.constraints.clone();
    let mut compared = 0;
    for sample in tables(root, "at") {
        let time = text(sample, "t");
        let what = format!("{file} at {time}");
        let values = motion.values(sample, &what);
        if time == "0" {
            motion.starts(&values, &what);
        }
        for c in &constraints {
            for e in [Some(c.residual), c.holonomic].into_iter().flatten() {
                motion.check(&motion.evaluate(e, &values), &number("0"), &format!("{what}: {}", c.name));
                compared += 1;
            }
        }
        for (name, expected) in entries(sample, "derived") {
            let e = match motion.formulas.iter().find(|(n, _)| n == name) {
                Some((_, e)) => *e,
                None if name == "energy" => Some(energy),
                None => panic!("{what}: no formula for {name}"),
            };
            if let Some(e) = e {
                motion.check(&motion.evaluate(e, &values), &expected, &format!("{what}: {name}"));
                compared += 1;
            }
        }
        for (name, _) in entries(sample, "multipliers") {
            assert!(constraints.iter().any(|c| c.name == name), "{what}: no constraint {name}");
        }
        for (name, _) in entries(sample, "sensitivity") {
            motion.symbol(name);
        }
    }
    for event in tables(root, "event") {
        let mut graph = motion.model.graph.clone();
        let function = motion.model.formula(&mut graph, text(event, "when")).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(function.len(), 1, "{file}");
        for (name, _) in entries(event, "state") {
            motion.symbol(name);
        }
        number(text(event, "t"));
    }
    compared
}

#[test]
fn motions_are_of_their_models() {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    let compared: usize = paths.iter().map(|p| check(p)).sum();
    assert!(paths.len() >= 36 && compared > 500, "{} files, {compared} values", paths.len());
}
