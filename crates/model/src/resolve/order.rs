//! In which order definitions and bodies are read.
//!
//! A body may use definitions, and a definition the parts of a body, so neither section
//! comes first. Each entry is read after those that it needs:
//!
//! ```text
//! definition  needs  definitions above it, bodies
//! body        needs  definitions, other bodies
//! ```
//!
//! Definitions that contain parameters only are read before all of them, so that the surfaces of bodies and grounds can use them.
//!
//! A definition below is not waited for: using it is a mistake, told when the formula is
//! read. A cycle is a mistake of the file, told here with all of its links; its members are
//! known afterwards, but have no value.

use super::Resolver;
use super::bodies::Shaped;
use super::functions::is_function;
use super::names::clash;
use super::rolling::{is_homogeneous, is_rolling};
use super::scope::What;
use crate::syntax::{self, ExprKind, Key, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// The keys of a body that are formulas.
const FORMULAS: &[&str] = &[
    "mass",
    "inertia",
    "position",
    "rotation",
    "principal",
    "turned",
    "gyroscope",
    "momentum",
    "spin",
    "moment",
    "axis",
];

/// A definition or a body of the file.
struct Entry<'t> {
    key: &'t Key,
    /// The normalised name.
    name: String,
    sort: Sort<'t>,
}

#[derive(Clone, Copy)]
enum Sort<'t> {
    Definition(&'t syntax::Value),
    Body(&'t Table),
}

impl Entry<'_> {
    fn is_body(&self) -> bool {
        matches!(self.sort, Sort::Body(_))
    }

    /// Its name in a sentence.
    fn describe(&self) -> String {
        match self.sort {
            Sort::Definition(_) => format!("`{}`", self.name),
            Sort::Body(_) => format!("the body `{}`", self.name),
        }
    }
}

/// That an entry uses another one.
struct Need {
    on: usize,
    /// Where it does.
    span: Span,
}

/// Entries by the name that formulas give them.
#[derive(Default)]
struct Index {
    definitions: FxHashMap<String, usize>,
    bodies: FxHashMap<String, usize>,
}

impl Index {
    /// What a name in a formula leads to: `slip`, `disk.position`, or `disk` alone.
    fn find(&self, path: &str) -> Option<usize> {
        match path.split_once('.') {
            Some((root, _)) => self.bodies.get(root).copied(),
            None => self.definitions.get(path).or_else(|| self.bodies.get(path)).copied(),
        }
    }
}

impl Resolver<'_> {
    /// Reads `[define]` and the bodies; gives the latter in the order of the file.
    pub(super) fn read_definitions_and_bodies(&mut self, root: &Table) -> Vec<Shaped> {
        let entries = self.entries(root);
        let mut index = Index::default();
        for (k, entry) in entries.iter().enumerate() {
            let names = if entry.is_body() { &mut index.bodies } else { &mut index.definitions };
            names.entry(entry.name.clone()).or_insert(k);
        }
        let needs: Vec<Vec<Need>> = (0..entries.len()).map(|k| self.needs(&entries, k, &index)).collect();
        let Plan { order, cycles } = arrange(&needs);
        let mut circular = vec![false; entries.len()];
        for cycle in &cycles {
            self.report_cycle(&entries, cycle);
            for (k, _) in cycle {
                circular[*k] = true;
                self.without_value(&entries[*k]);
            }
        }
        let (mut definitions, mut bodies) = (Vec::new(), Vec::new());
        for k in order.into_iter().filter(|k| !circular[*k]) {
            let Entry { key, name, sort } = &entries[k];
            match sort {
                Sort::Definition(formula) => {
                    let known = self.constant_definitions.iter().find(|(span, _)| *span == key.span);
                    let definition = match known {
                        Some((_, definition)) => definition.clone(),
                        None => self.definition(key, formula),
                    };
                    definitions.extend(definition.map(|d| (k, d)));
                }
                Sort::Body(table) => bodies.extend(self.body(key, name, table).map(|b| (k, b))),
            }
        }
        definitions.sort_by_key(|(k, _)| *k);
        bodies.sort_by_key(|(k, _)| *k);
        self.definitions.extend(definitions.into_iter().map(|(_, d)| d));
        bodies.into_iter().map(|(_, b)| b).collect()
    }

    /// Reads the lines of `[define]` that contain parameters only, and definitions of this kind above them.
    pub(super) fn read_constant_definitions(&mut self, root: &Table) {
        for (_, section) in root.iter().filter(|(key, _)| matches!(key.name.as_str(), "define" | "definitions")) {
            let ValueKind::Table(table) = &section.kind else { continue };
            for (key, formula) in table.iter() {
                let mut names = Vec::new();
                names_of_value(formula, &mut names);
                let is_known = |(path, _): &(String, Span)| {
                    let what = self.scope.get(path).map(|binding| &binding.what);
                    matches!(what, Some(What::Parameter | What::Constant | What::Definition)) || is_function(path)
                };
                if formula.to_expr().is_ok() && names.iter().all(is_known) {
                    let definition = self.definition(key, formula);
                    self.constant_definitions.push((key.span, definition));
                }
            }
        }
    }

    fn entries<'t>(&mut self, root: &'t Table) -> Vec<Entry<'t>> {
        let mut entries: Vec<Entry<'t>> = Vec::new();
        for (_, table) in self.sections(root, &["define", "definitions"]) {
            for (key, formula) in table.iter() {
                let name = normalize_name(&key.name).into_owned();
                entries.push(Entry { key, name, sort: Sort::Definition(formula) });
            }
        }
        let mut bodies: FxHashMap<String, Span> = FxHashMap::default();
        for (_, table) in self.sections(root, &["body", "bodies"]) {
            for (key, value) in table.iter() {
                let ValueKind::Table(body) = &value.kind else {
                    let message = format!("a body is a table, but `{}` is {}", key.name, value.describe());
                    self.report(
                        Diagnostic::error("unexpected-value", message)
                            .at(key.span, "")
                            .help("give it a section of its own: [body.NAME]"),
                    );
                    continue;
                };
                let name = normalize_name(&key.name).into_owned();
                if let Some(first) = bodies.insert(name.clone(), key.span) {
                    let line = self.line(first);
                    let error = clash(format!("`{name}` is a body already"), key.span);
                    self.report(error.also(first, format!("first declared in line {line}")));
                    continue;
                }
                entries.push(Entry { key, name, sort: Sort::Body(body) });
            }
        }
        entries
    }

    /// The entries that entry number `k` uses and that have to be read before it.
    fn needs(&self, entries: &[Entry<'_>], k: usize, index: &Index) -> Vec<Need> {
        let mut names = Vec::new();
        match entries[k].sort {
            Sort::Definition(formula) => names_of_value(formula, &mut names),
            Sort::Body(table) => names_of_body(table, &mut names),
        }
        let mut needs = Vec::new();
        for (path, span) in names {
            // a coordinate may have parts that are called like those of a body
            let Some(on) = index.find(&path).filter(|_| self.scope.get(&path).is_none()) else {
                continue;
            };
            let below = !entries[k].is_body() && !entries[on].is_body() && on >= k;
            if !below {
                needs.push(Need { on, span });
            }
        }
        needs
    }

    fn report_cycle(&mut self, entries: &[Entry<'_>], cycle: &[(usize, Span)]) {
        let Some(((first, span), rest)) = cycle.split_first() else {
            return;
        };
        let what = entries[*first].describe();
        if rest.is_empty() {
            let message = format!("{what} is defined by itself");
            self.report(Diagnostic::error("circular-definition", message).at(*span, "used in its own definition"));
            return;
        }
        let around = cycle.iter().chain(&cycle[..1]);
        let chain: Vec<String> = around.map(|(k, _)| format!("`{}`", entries[*k].name)).collect();
        let link = |i: usize| {
            let (user, used) = (&entries[cycle[i].0], &entries[cycle[(i + 1) % cycle.len()].0]);
            format!("{} uses {}", user.describe(), used.describe())
        };
        let message = format!("{what} is defined by itself: {}", chain.join(" → "));
        let mut error = Diagnostic::error("circular-definition", message).at(*span, link(0));
        for (i, (_, span)) in cycle.iter().enumerate().skip(1) {
            error = error.also(*span, link(i));
        }
        self.report(error.help("one of them has to do without the next: write it in coordinates"));
    }

    /// Makes the names of an entry known, so that formulas with them say nothing.
    fn without_value(&mut self, entry: &Entry<'_>) {
        match entry.sort {
            Sort::Definition(_) => {
                if let Some(name) = self.declare(entry.key, "a definition") {
                    self.bind(&name, What::Definition, None, Some(entry.key.span));
                }
            }
            Sort::Body(_) => self.body_without_value(entry.key, &entry.name),
        }
    }
}

/// An order in which every entry comes after its needs, cycles apart.
struct Plan {
    order: Vec<usize>,
    /// Each with the places where its members use the next one; no two share a member.
    cycles: Vec<Vec<(usize, Span)>>,
}

/// Depth first, in the order of the file wherever the needs leave a choice.
fn arrange(needs: &[Vec<Need>]) -> Plan {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; needs.len()];
    let mut circular = vec![false; needs.len()];
    let mut plan = Plan { order: Vec::with_capacity(needs.len()), cycles: Vec::new() };
    for root in 0..needs.len() {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        // the entries being visited, each with the number of its needs looked at
        let mut path = vec![(root, 0)];
        while let Some((k, seen)) = path.last_mut() {
            let Some(need) = needs[*k].get(*seen) else {
                state[*k] = State::Done;
                plan.order.push(*k);
                path.pop();
                continue;
            };
            *seen += 1;
            match state[need.on] {
                State::New => {
                    state[need.on] = State::Open;
                    path.push((need.on, 0));
                }
                State::Open => {
                    let from = path.iter().position(|(k, _)| *k == need.on).unwrap_or(0);
                    let cycle = path[from..].iter().map(|(k, seen)| (*k, needs[*k][*seen - 1].span));
                    let cycle: Vec<(usize, Span)> = cycle.collect();
                    if !cycle.iter().any(|(k, _)| circular[*k]) {
                        cycle.iter().for_each(|(k, _)| circular[*k] = true);
                        plan.cycles.push(cycle);
                    }
                }
                State::Done => {}
            }
        }
    }
    plan
}

/// The names in the formulas of a body.
fn names_of_body(table: &Table, out: &mut Vec<(String, Span)>) {
    for (key, value) in table.iter().filter(|(key, _)| FORMULAS.contains(&key.name.as_str())) {
        match &value.kind {
            // of a body with a surface these are words, also where a body is called so
            _ if key.name == "inertia" && is_rolling(table) && is_homogeneous(value) => {}
            ValueKind::Table(inner) => names_of_body(inner, out),
            _ => names_of_value(value, out),
        }
    }
}

pub(super) fn names_of_value(value: &syntax::Value, out: &mut Vec<(String, Span)>) {
    // a formula that cannot be read is reported when its turn comes
    if let Ok(tree) = value.to_expr() {
        names_of(&tree, out);
    }
}

/// The names in a formula, those of functions among them, without primes, in the order written.
fn names_of(e: &syntax::Expr, out: &mut Vec<(String, Span)>) {
    match &e.kind {
        ExprKind::Number(_) => {}
        ExprKind::Name(name) => out.push((name.path.as_ref().to_owned(), e.span)),
        ExprKind::Neg(inner) => names_of(inner, out),
        ExprKind::Sum(terms) => terms.iter().for_each(|t| names_of(&t.expr, out)),
        ExprKind::Product(factors) => factors.iter().for_each(|f| names_of(&f.expr, out)),
        ExprKind::Power { base, exponent } => {
            names_of(base, out);
            names_of(exponent, out);
        }
        ExprKind::Call { function, args } => {
            out.push((function.name.to_string(), function.span));
            args.iter().for_each(|p| names_of(p, out));
        }
        ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => {
            parts.iter().for_each(|p| names_of(p, out));
        }
        ExprKind::Index { base, .. } => names_of(base, out),
        ExprKind::Compare { left, right, .. } => {
            names_of(left, out);
            names_of(right, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(needs: &[&[usize]]) -> (Vec<usize>, Vec<Vec<usize>>) {
        let need = |on: &usize| Need { on: *on, span: Span::default() };
        let needs: Vec<Vec<Need>> = needs.iter().map(|n| n.iter().map(need).collect()).collect();
        let Plan { order, cycles } = arrange(&needs);
        let cycles = cycles.iter().map(|c| c.iter().map(|(k, _)| *k).collect());
        (order, cycles.collect())
    }

    #[test]
    fn needs_come_first() {
        assert_eq!(plan(&[&[], &[0], &[1]]), (vec![0, 1, 2], vec![]));
        assert_eq!(plan(&[&[2], &[], &[1]]), (vec![1, 2, 0], vec![]));
    }

    #[test]
    fn cycles_are_found_once() {
        assert_eq!(plan(&[&[0]]).1, [[0]]);
        // 0 → 2 → 1 → 0, and 3 beside it
        assert_eq!(plan(&[&[2], &[0], &[1, 2], &[0]]).1, [[0, 2, 1]]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let n = 100_000;
        let needs: Vec<Vec<usize>> = (0..n).map(|k| if k + 1 < n { vec![k + 1] } else { vec![] }).collect();
        let needs: Vec<&[usize]> = needs.iter().map(Vec::as_slice).collect();
        assert_eq!(plan(&needs).0[0], n - 1);
    }
}
