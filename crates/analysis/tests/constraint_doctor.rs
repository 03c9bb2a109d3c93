//! The constraint doctor against constraints whose properties are known.
//!
//! `data/constraints.json` are systems from the literature with answers that were found in other ways (SymPy, singular values, the rank
//! of the end-point map, Jean's recursion for trailers); `data/more_constraints.json` are small systems whose answers can
//! be worked out by hand. Coefficients, flags, ranks and integrals are compared exactly: integrals by the span of their
//! differentials, determinants up to a constant.

use crate::prelude::*;
use polhode_analysis::doctor::{Flags, Integral};
use polhode_analysis::{Report, examine_at};
use polhode_expr::equal::FieldPoint;
use polhode_expr::field::{Residue, independent_rows};
use polhode_expr::{Function, Node, Rates};
use serde_json::Value;
use std::collections::BTreeSet;

const SYSTEMS: &str = include_str!("data/constraints.json");
const MORE: &str = include_str!("data/more_constraints.json");

fn systems(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("valid JSON")
}

fn texts(v: &Value) -> Vec<String> {
    v.as_array().map(|a| a.iter().map(|x| x.as_str().unwrap().to_string()).collect()).unwrap_or_default()
}

fn numbers(v: &Value) -> Vec<usize> {
    v.as_array().expect("a list").iter().map(|x| x.as_u64().unwrap() as usize).collect()
}

/// The model file of an entry.
fn model_text(entry: &Value) -> String {
    let mut out = String::from("[parameters]\n");
    for (name, value) in entry["parameters"].as_object().unwrap() {
        out += &format!("{name} = \"{}\"\n", value.as_str().unwrap());
    }
    out += "[coordinates]\n";
    for (name, kind) in entry["coordinates"].as_object().unwrap() {
        out += &format!("{name} = \"{}\"\n", kind.as_str().unwrap());
    }
    out += "[constraints]\n";
    for (i, c) in texts(&entry["constraints"]).iter().enumerate() {
        out += &format!("c{} = \"{c}\"\n", i + 1);
    }
    out
}

fn kinematic(text: &str) -> (Model, System) {
    let (model, _) =
        Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let (system, _) = System::kinematic(&model).unwrap_or_else(|e| panic!("{text}\n{e}"));
    (model, system)
}

/// A point such as `x=0,R=Rz(0.3)`, with no commas inside the values.
fn point(model: &Model, system: &mut System, text: &str) -> Vec<(Symbol, Expr)> {
    let mut out = Vec::new();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').expect("NAME=EXPR");
        let found = model.formula(&mut system.graph, value).unwrap();
        match model.configuration.factors().iter().find(|f| f.name == name.trim()) {
            Some(f) => out.extend(f.positions.iter().copied().zip(found)),
            None => out.push((system.graph.find_symbol(name.trim()).unwrap(), found[0])),
        }
    }
    out
}

/// The derivatives of a function along the base frame and along time.
fn gradient(system: &mut System, h: Expr) -> Vec<Expr> {
    let n = system.configuration.velocities().len();
    let (zero, one) = (system.graph.zero(), system.graph.one());
    let mut out: Vec<Expr> = (0..n)
        .map(|a| {
            let unit: Vec<Expr> = (0..n).map(|k| if k == a { one } else { zero }).collect();
            let rates = system.configuration.clone().rates_along(&mut system.graph, &unit);
            system.graph.along(h, &rates)
        })
        .collect();
    out.push(system.graph.derivative(h, system.time));
    out
}

/// The rank of vectors at a random point where all of them have values.
fn rank(system: &mut System, rows: &[Vec<Expr>]) -> usize {
    // logarithms and arcs are independent of everything else
    let rows: Vec<Vec<Expr>> = rows
        .iter()
        .map(|r| {
            system.graph.rebuild(r, |g, n| {
                let open = matches!(g.node(n), Node::Call(Function::Log, _) | Node::Atan2(..));
                open.then(|| g.named(&format!("log {}", n.index())))
            })
        })
        .collect();
    for seed in 1..200 {
        let mut at = FieldPoint::with_roots(&system.graph, seed);
        let values: Option<Vec<Vec<Residue>>> =
            rows.iter().map(|r| r.iter().map(|e| at.value(&mut system.graph, *e).ok()).collect()).collect();
        if let Some(values) = values {
            return independent_rows(values).len();
        }
    }
    // √3 is no element of the field
    let symbols = system.graph.free_symbols(&rows.concat());
    let values = symbols.iter().enumerate().map(|(i, s)| (*s, 0.31 + (0.618 * i as f64).fract())).collect();
    let number = |e: &Expr| system.graph.evaluate_f64(*e, &values).expect("a value");
    rank_of_numbers(rows.iter().map(|r| r.iter().map(number).collect()).collect())
}

/// By elimination with the largest pivots; entries are of order one, and 1e-9 is far above their rounding errors.
fn rank_of_numbers(mut rows: Vec<Vec<f64>>) -> usize {
    let mut rank = 0;
    while let Some((i, j)) = (rank..rows.len())
        .flat_map(|i| (0..rows[i].len()).map(move |j| (i, j)))
        .max_by(|(i, j), (k, l)| rows[*i][*j].abs().total_cmp(&rows[*k][*l].abs()))
        .filter(|(i, j)| rows[*i][*j].abs() > 1e-9)
    {
        rows.swap(rank, i);
        let pivot = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let c = row[j] / pivot[j];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= c * p);
        }
        rank += 1;
    }
    rank
}

/// The parameters at their values, for substitution.
fn parameter_values(model: &Model, system: &mut System) -> Rates {
    let mut out = Rates::default();
    for p in &model.parameters {
        let value = system.graph.substitute(p.value, &out);
        out.insert(p.symbol, value);
    }
    out
}

/// Differentials of the functions found span those of the functions wanted.
fn same_integrals(name: &str, model: &Model, system: &mut System, found: &[Integral], wanted: &[String], frozen: bool) {
    let values = parameter_values(model, system);
    let rows = |system: &mut System, h: Expr| {
        let h = system.graph.substitute(h, &values);
        let mut g = gradient(system, h);
        if frozen {
            g.pop();
        }
        g
    };
    let ours: Vec<Vec<Expr>> = found.iter().map(|i| rows(system, i.expression)).collect();
    let mut theirs = Vec::new();
    for text in wanted {
        let h = model.formula(&mut system.graph, text).unwrap()[0];
        theirs.push(rows(system, h));
    }
    let all: Vec<Vec<Expr>> = ours.iter().chain(&theirs).cloned().collect();
    let counts = [rank(system, &ours), rank(system, &theirs), rank(system, &all)];
    assert_eq!(counts, [wanted.len(); 3], "{name}: integrals, theirs and both together");
}

fn same_flags(name: &str, found: Option<&Flags>, derived: &Value, growth: &Value) {
    let found = found.unwrap_or_else(|| panic!("{name}: no flags"));
    assert_eq!(found.derived.dimensions, numbers(derived), "{name}: derived flag");
    assert_eq!(found.growth.dimensions, numbers(growth), "{name}: growth vector");
    assert!(found.derived.complete && found.growth.complete, "{name}: flags are complete");
}

/// What both tables have.
fn compare(entry: &Value) -> (Model, System, Report) {
    let name = entry["id"].as_str().unwrap();
    let (model, mut system) = kinematic(&model_text(entry));
    let report = examine(&mut system);
    assert_eq!(report.rank as u64, entry["rank"].as_u64().unwrap(), "{name}: rank");
    assert_eq!(report.degrees_of_freedom, report.dimension - report.rank, "{name}: degrees of freedom");
    assert_eq!(report.redundant, texts(&entry["redundant"]), "{name}: redundant");
    same_flags(name, report.linear.as_ref().map(|l| &l.flags), &entry["derived_flag"], &entry["growth_vector"]);
    if let Some(st) = entry["space_time"].as_array() {
        same_flags(&format!("{name} in space-time"), report.space_time.as_ref().map(|l| &l.flags), &st[0], &st[1]);
    }
    let verdict = report.verdict().unwrap();
    assert_eq!(verdict.classification.name(), entry["classification"].as_str().unwrap(), "{name}: classification");
    assert_eq!(verdict.count as u64, entry["count"].as_u64().unwrap(), "{name}: number of integrals");
    assert_eq!(report.integrals.len(), verdict.count, "{name}: all integrals are found");
    if entry["integrals"].is_array() {
        same_integrals(name, &model, &mut system, &report.integrals, &texts(&entry["integrals"]), false);
    }
    if let Some(scope) = entry["scope"].as_str() {
        let local = report.integrals.iter().any(|i| i.local);
        assert_eq!(if local { "local" } else { "global" }, scope, "{name}: scope of the integrals");
    }
    for p in entry["points"].as_array().unwrap_or(&Vec::new()) {
        let text = p["at"].as_str().unwrap();
        let at = point(&model, &mut system, text);
        let found = examine_at(&mut system, &report, &at);
        assert_eq!(found.rank, Some(report.rank), "{name} at {text}: rank");
        same_flags(&format!("{name} at {text}"), found.linear.as_ref(), &p["derived_flag"], &p["growth_vector"]);
    }
    (model, system, report)
}

/// The parts of the singular set that contain a point.
fn parts_at(system: &mut System, report: &Report, at: &[(Symbol, Expr)], values: &Rates) -> Vec<usize> {
    let map: Rates = at.iter().copied().collect();
    let parts = report.singular.components.clone().unwrap();
    let mut out = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let mut inside = true;
        for e in &part.equations {
            let e = system.graph.substitute(*e, &map);
            let e = system.graph.substitute(e, values);
            inside &= system.is_zero(e);
        }
        if inside {
            out.push(i);
        }
    }
    out
}

#[test]
fn systems_of_the_literature() {
    for entry in systems(SYSTEMS) {
        let name = entry["id"].as_str().unwrap();
        if let Some(code) = entry["refused"].as_str() {
            let (model, _) = Model::parse("test.toml", &model_text(&entry), &ParseOptions::default()).unwrap();
            let refused = System::kinematic(&model).unwrap_err();
            assert!(refused.diagnostics.iter().any(|d| d.code == code), "{name} is refused as {code}");
            continue;
        }
        let (model, mut system, report) = compare(&entry);
        assert_eq!(report.affine, entry["affine"].as_bool().unwrap(), "{name}: affine");
        assert_eq!(report.rheonomic, entry["rheonomic"].as_bool().unwrap(), "{name}: time");
        assert_eq!(report.removable, texts(&entry["removable"]), "{name}: each alone removable");
        assert_eq!(report.time_matters(), entry["time_matters"].as_bool(), "{name}: time matters");
        assert_eq!(report.reactions_work(), entry["time_matters"].is_boolean(), "{name}: reactions");
        if entry["frozen_integrals"].is_array() {
            let wanted = texts(&entry["frozen_integrals"]);
            same_integrals(name, &model, &mut system, &report.frozen_integrals, &wanted, true);
        }
        let values = parameter_values(&model, &mut system);
        let mut hit = BTreeSet::new();
        for s in entry["singular"].as_array().unwrap() {
            let at = point(&model, &mut system, s["at"].as_str().unwrap());
            let parts = parts_at(&mut system, &report, &at, &values);
            assert!(!parts.is_empty(), "{name}: the rank falls at {}", s["at"]);
            let rank = s["rank"].as_u64().unwrap() as usize;
            assert_eq!(examine_at(&mut system, &report, &at).rank, Some(rank), "{name} at {}: rank", s["at"]);
            let components = report.singular.components.as_ref().unwrap();
            assert!(parts.iter().any(|i| components[*i].rank == rank), "{name}: rank of the part");
            hit.extend(parts);
        }
        let components = report.singular.components.as_ref().unwrap();
        assert_eq!(hit.len(), components.len(), "{name}: no other singular points");
        let removable = components.iter().any(|c| c.removable);
        assert_eq!(removable, entry["removable_singularity"] == true, "{name}: removable");
        let poles: Vec<String> =
            report.singular.poles.iter().map(|e| print::ascii(&system.graph, &Tree::of(&system.graph, *e))).collect();
        assert_eq!(poles, texts(&entry["poles"]), "{name}: poles of the text");
        for class in texts(&entry["classes"]) {
            assert!(report.classes.contains(&class), "{name} is {class}: {:?}", report.classes);
        }
        determinants(name, &entry, &model, &mut system, &report, &values);
    }
}

/// The determinants of choices of velocities, up to constants.
fn determinants(name: &str, entry: &Value, model: &Model, system: &mut System, report: &Report, values: &Rates) {
    for d in entry["determinants"].as_array().unwrap() {
        let wanted: BTreeSet<String> = texts(&d[0]).into_iter().collect();
        let all = [&report.choice].into_iter().chain(&report.other_choices);
        let choice = all.into_iter().find(|c| c.velocities.iter().cloned().collect::<BTreeSet<_>>() == wanted);
        let choice = choice.unwrap_or_else(|| panic!("{name}: {wanted:?} is among the choices"));
        let theirs = model.formula(&mut system.graph, d[1].as_str().unwrap()).unwrap()[0];
        let ratio = system.graph.div(choice.determinant, theirs);
        let ratio = system.graph.substitute(ratio, values);
        let at = |system: &mut System, seed: u64| {
            FieldPoint::with_roots(&system.graph, seed).value(&mut system.graph, ratio).unwrap()
        };
        let (a, b) = (at(system, 3), at(system, 4));
        assert!(a == b && !a.is_zero(), "{name}: determinant of {wanted:?}");
    }
}

#[test]
fn systems_worked_out_by_hand() {
    for entry in systems(MORE) {
        let (_, mut system, report) = compare(&entry);
        let name = entry["id"].as_str().unwrap();
        if let Some(wanted) = entry["equations"].as_array() {
            let mut found = Vec::new();
            for part in report.singular.components.clone().expect("solved") {
                let mut equations = Vec::new();
                for e in part.equations {
                    let tree = system.graph.readable(e, &Reading::default()).unwrap();
                    equations.push(print::ascii(&system.graph, &tree));
                }
                equations.sort();
                found.push(equations);
            }
            found.sort();
            let mut wanted: Vec<Vec<String>> = wanted.iter().map(texts).collect();
            wanted.iter_mut().for_each(|e| e.sort());
            wanted.sort();
            assert_eq!(found, wanted, "{name}: singular set");
        }
    }
}

/// Flags belong to the distribution: neither other combinations of the constraints nor other coordinates change them.
#[test]
fn flags_do_not_depend_on_the_writing() {
    let coordinates = "[coordinates]\nx = 'real'\ny = 'real'\nz = 'real'\nw = 'real'\n";
    let flags = |constraints: &[&str], at: &str| {
        let lines: String = constraints.iter().enumerate().map(|(i, c)| format!("c{i} = \"{c}\"\n")).collect();
        let (model, mut system) = kinematic(&format!("{coordinates}[constraints]\n{lines}"));
        let report = examine(&mut system);
        let at = point(&model, &mut system, at);
        let there = examine_at(&mut system, &report, &at);
        (report.linear.unwrap().flags, there.linear)
    };
    let plain = flags(&["z' = y^2*x'", "w' = z*x'"], "y=0,z=1");
    // other combinations, one of them with a coefficient that does not vanish
    let combined = ["(2 + x^2)*(z' - y^2*x') + 3*(w' - z*x') = 0", "z' - y^2*x' + 2*(w' - z*x') = 0"];
    assert_eq!(flags(&combined, "y=0,z=1"), plain);
    // z = Z + x y and w = W + Z², with the old letters for the new coordinates
    let moved = ["z' + x*y' + y*x' = y^2*x'", "w' + 2*z*z' = (z + x*y)*x'"];
    assert_eq!(flags(&moved, "y=0,z=1"), plain);
    assert_ne!(Some(plain.0), plain.1, "the point is a special one");
}

/// n trailers: the flag grows by ones at generic points, and by Fibonacci's numbers where all are at right angles [Jean1996].
#[test]
fn trailers() {
    for (n, degree) in [(1, 3), (2, 5), (3, 8), (4, 13)] {
        let mut text = String::from("[coordinates]\nx = 'real'\ny = 'real'\n");
        (0..=n).for_each(|i| text += &format!("a{i} = 'angle'\n"));
        text += "[constraints]\n";
        for k in 0..=n {
            let lengths: String = (1..=k).map(|i| format!(" + cos(a{k} - a{i})*a{i}'")).collect();
            text += &format!("c{k} = \"sin(a{k})*x' - cos(a{k})*y'{lengths} = 0\"\n");
        }
        let (model, mut system) = kinematic(&text);
        let report = examine(&mut system);
        let flags = &report.linear.as_ref().unwrap().flags;
        let by_ones: Vec<usize> = (2..=n + 3).collect();
        assert_eq!((&flags.derived.dimensions, &flags.growth.dimensions), (&by_ones, &by_ones));
        let right: Vec<String> = (0..=n).map(|i| format!("a{i}={}*pi/2", n - i)).collect();
        let at = point(&model, &mut system, &right.join(","));
        let there = examine_at(&mut system, &report, &at).linear.unwrap();
        assert_eq!(there.derived.dimensions, by_ones);
        assert_eq!(there.growth.dimensions.len(), degree, "{n} trailers: {:?}", there.growth.dimensions);
        assert!(there.growth.complete);
    }
}

/// z' = f(y) x' with f of order k at the point has the growth vector (2, …, 2, 3) with k twos. A flag that stays at 2 for good is told from one
/// that has not grown yet, and what is beyond the longest brackets is left open.
#[test]
fn flags_that_grow_late() {
    let at = |coefficient: &str, place: &str| {
        let text = format!(
            "[coordinates]\nx = 'real'\ny = 'real'\nu = 'angle'\nz = 'real'\n[constraints]\nc = \"z' = ({coefficient})*x'\"\n"
        );
        let (model, mut system) = kinematic(&text);
        let report = examine(&mut system);
        let place = point(&model, &mut system, place);
        examine_at(&mut system, &report, &place).linear.unwrap()
    };
    let late = |k: usize| [vec![3; k], vec![4]].concat();
    for (coefficient, place, order) in [
        ("y^4", "y=0", 4),
        ("y^5", "y=0", 5),
        ("y^9", "y=0", 9),
        ("sin(u)^5", "u=0", 5),
        ("sin(u)^5", "u=pi", 5),
        ("(1-cos(u))^3", "u=0", 6),
        ("x^3*y^3", "x=0,y=0", 6),
    ] {
        let found = at(coefficient, place);
        assert_eq!(found.growth.dimensions, late(order), "{coefficient} at {place}");
        assert!(found.growth.complete && found.derived.complete, "{coefficient} at {place}");
    }
    // z = 0 is a leaf
    for (coefficient, place) in
        [("z*y", "z=0"), ("z*y^3", "z=0"), ("sin(z)*y", "z=0,y=0"), ("z*sin(u)/(2+y)", "z=0,u=0,y=0")]
    {
        let found = at(coefficient, place);
        assert_eq!(found.growth.dimensions, [3], "{coefficient} at {place}");
        assert!(found.growth.complete && found.derived.complete, "{coefficient} at {place}");
    }
    let beyond = at("y^40", "y=0");
    assert_eq!((beyond.growth.dimensions, beyond.growth.complete), (vec![3], false));
}

/// Functions that may depend on each other are left open instead of being taken for independent ones; roots of different things are not.
#[test]
fn functions_that_may_be_tied() {
    let report = |coefficient: &str, place: &str| {
        let text = format!(
            "[coordinates]\nx = 'real'\ny = 'real'\nz = 'real'\n[constraints]\nc = \"z' = ({coefficient})*x'\"\n"
        );
        let (model, mut system) = kinematic(&text);
        let report = examine(&mut system);
        let place = point(&model, &mut system, place);
        let there = examine_at(&mut system, &report, &place);
        (report.tied, report.linear.is_some(), there.tied, there.linear.map(|f| f.growth.dimensions))
    };
    for coefficient in
        ["y+abs(y)", "asin(y)+acos(y)", "sqrt(2+x)*sqrt(2+y) - sqrt((2+x)*(2+y))", "log(y^2)-2*log(abs(y))"]
    {
        assert_eq!(report(coefficient, "y=1/2"), (true, false, true, None), "{coefficient}");
    }
    assert_eq!(report("(y^3-2)^2", "y=2^(1/3)"), (false, true, true, None));
    assert_eq!(report("(y^2-2)^2", "y=sqrt(2)"), (false, true, false, Some(vec![2, 2, 3])));
    for coefficient in ["sqrt(1+x^2)*sqrt(1+y^2)", "asin(y)", "log(x)+log(y)", "y/sqrt(x^2+y^2)", "sqrt(2)*y + sqrt(3)"]
    {
        let (tied, decided, ..) = report(coefficient, "x=1");
        assert_eq!((tied, decided), (false, true), "{coefficient}");
    }
}
