//! Equations as they are shown: sections of lines, each a left side and a readable tree.
//!
//! The forms give expressions; a [`Sheet`] gives them names, an order and their readable
//! form, once, for all outputs (terminal, LaTeX, JSON). Source code is different: it is
//! written from the graph itself, where sharing is kept ([`Sheet::code`]).

use crate::forms::{Balance, Equations, Form};
use crate::system::System;
use polhode_expr::number::int;
use polhode_expr::print::{self, Language};
use polhode_expr::{Expr, Graph, Reading, Symbol, Tree};

/// Trees with more nodes than this are not shown; their size is reported instead.
pub const MAX_NODES: usize = 500;

/// The stored form is only shown when it is this small: it is not made for reading.
const MAX_STORED_NODES: usize = 150;

/// A longer momentum is not written inside d/dt ( ).
const LONGEST_RATE: usize = 70;

/// Equations with longer left sides are not aligned at their equals signs, and neither are
/// those with remarks, which stand above their line.
const LONGEST_ALIGNED: usize = 24;

/// d/dt in LaTeX.
const RATE: &str = "\\frac{d}{dt}";

/// The left side of a line.
#[derive(Clone, Debug)]
pub enum Left {
    /// A symbol.
    Symbol(Symbol),
    /// The zero of a constraint row.
    Zero,
    /// A named quantity such as `Theta` or `K_x`.
    Name(String),
    /// Something of two names, such as the bracket {a, b}.
    Pair(Pairing, String, String),
    /// d/dt of something.
    Rate(Box<Tree>),
    /// The derivative of the first symbol by the second.
    Slope(Symbol, Symbol),
    /// An expression.
    Tree(Box<Tree>),
    /// A component of a geometric object on named coordinates, such as J(x, p_x, p_y).
    Component(Object, Vec<String>),
}

/// What a [`Left::Component`] is a component of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// det ω_H.
    Determinant,
    /// The Jacobiator.
    Jacobiator,
    /// The reduced form ω̄.
    ReducedForm,
}

impl Object {
    /// As text, in LaTeX, and in plain letters.
    fn names(self) -> [&'static str; 3] {
        match self {
            Object::Determinant => ["det ω_H", "\\det\\omega_H", "det omega_H"],
            Object::Jacobiator => ["J", "J", "J"],
            Object::ReducedForm => ["ω̄", "\\bar\\omega", "omega_bar"],
        }
    }
}

/// A name with arguments in parentheses, if there are any.
fn applied(head: &str, arguments: Vec<String>) -> String {
    if arguments.is_empty() { head.to_string() } else { format!("{head}({})", arguments.join(", ")) }
}

/// What two names are put together to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// {a, b}
    Poisson,
    /// [a, b]
    Commutator,
    /// B(a, b)
    Curvature,
}

impl Pairing {
    /// What stands before and behind the two, as text and as LaTeX.
    fn fences(self) -> [&'static str; 4] {
        match self {
            Pairing::Poisson => ["{", "}", "\\left\\{", "\\right\\}"],
            Pairing::Commutator => ["[", "]", "\\left[", "\\right]"],
            Pairing::Curvature => ["B(", ")", "B\\left(", "\\right)"],
        }
    }
}

/// One equation.
#[derive(Clone, Debug)]
pub struct Line {
    /// Left side.
    pub left: Left,
    /// Right side; absent when it is too large to be shown.
    pub right: Option<Tree>,
    /// The expression behind the right side.
    pub value: Expr,
    /// A remark, such as the name of a constraint.
    pub remark: String,
}

/// Lines that belong together.
#[derive(Clone, Debug)]
pub struct Section {
    /// Key in JSON.
    pub key: &'static str,
    /// Heading for people.
    pub title: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// All that is shown of one form.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Which form.
    pub form: Form,
    /// The sections in the order in which they are shown.
    pub sections: Vec<Section>,
    /// Distinct nodes in accelerations and reactions.
    pub nodes: usize,
}

impl Sheet {
    /// Prepares equations for showing.
    pub fn new(system: &mut System, equations: &Equations) -> Sheet {
        let reading = Reading { parameters: system.parameters.clone() };
        let mut writer = Writer { system, equations, reading };
        let sections = vec![
            writer.constraints(),
            writer.definitions(),
            writer.quantities(),
            writer.balance(),
            writer.rates(),
            writer.reactions(),
        ];
        let roots: Vec<Expr> =
            equations.rates.iter().copied().chain(equations.reactions.iter().map(|r| r.value)).collect();
        let nodes = system.graph.reachable(&roots).len();
        Sheet { form: equations.form, sections: sections.into_iter().filter(|s| !s.lines.is_empty()).collect(), nodes }
    }

    /// How many formulas are too long to be shown.
    pub fn not_shown(&self) -> usize {
        self.sections.iter().flat_map(|s| &s.lines).filter(|l| l.right.is_none()).count()
    }

    /// Writes the formulas that are too long to be shown by means of at most `most` names, which get a section of their own: all of them, or
    /// the accelerations alone where that takes too many. What is too long even so is left out, and so are long balances of momentum, which the
    /// accelerations solve. The result is how many equations are left out.
    pub fn abbreviate(&mut self, system: &mut System, most: usize) -> usize {
        let reading = Reading { parameters: system.parameters.clone() };
        let all = |key: &str| key != "balance";
        let solved = |key: &str| key == "accelerations";
        for wanted in [&all as &dyn Fn(&str) -> bool, &solved] {
            let sections = self.sections.iter_mut().filter(|s| wanted(s.key));
            let mut long: Vec<&mut Line> = sections.flat_map(|s| &mut s.lines).filter(|l| l.right.is_none()).collect();
            let roots: Vec<Expr> = long.iter().map(|l| l.value).collect();
            let found =
                if roots.is_empty() { None } else { system.graph.abbreviated(&roots, &|s| reading.rank(s), most) };
            let Some(found) = found else { continue };
            long.iter_mut().zip(found.trees).for_each(|(line, tree)| line.right = Some(tree));
            let define = |(name, tree)| {
                let value = system.graph.var(name);
                Line { left: Left::Symbol(name), right: Some(tree), value, remark: String::new() }
            };
            let lines = found.names.into_iter().map(define).collect();
            self.sections.push(Section { key: "abbreviations", title: "abbreviations".into(), lines });
            break;
        }
        let left_out = self.not_shown();
        self.sections.iter_mut().for_each(|s| s.lines.retain(|l| l.right.is_some()));
        self.sections.retain(|s| !s.lines.is_empty());
        left_out
    }

    /// The section with this key.
    pub fn section(&self, key: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.key == key)
    }

    /// Aligned text with fraction bars.
    pub fn text(&self, graph: &Graph, width: usize) -> String {
        let mut out = String::new();
        for section in &self.sections {
            out += &section.title;
            out += "\n";
            out += &section.text(graph, width);
            out += "\n";
        }
        out
    }

    /// LaTeX: one `aligned` environment per section.
    pub fn latex(&self, graph: &Graph) -> String {
        let mut out = String::new();
        for section in &self.sections {
            out += &format!("% {}\n\\[\n{}\n\\]\n", section.title, section.latex(graph));
        }
        out
    }

    /// Source code of a function from state and parameters to the rates of the positions and of
    /// the unknowns, and the multipliers: all that an integrator needs.
    pub fn code(system: &mut System, equations: &Equations, language: Language, name: &str) -> String {
        let positions = system.configuration.positions().to_vec();
        let kinematics = system.configuration.motion_along(&mut system.graph, system.time, &equations.velocities);
        let graph = &system.graph;
        let unknowns = &equations.unknowns;
        let mut outputs: Vec<(String, Expr)> = Vec::new();
        for s in positions.iter().chain(unknowns) {
            let rate = match unknowns.iter().position(|u| u == s) {
                Some(i) => equations.rates[i],
                None => kinematics.get(s).copied().unwrap_or(graph.zero()),
            };
            outputs.push((format!("{}'", graph.name(*s)), rate));
        }
        outputs.extend(equations.reactions.iter().map(|r| (graph.name(r.symbol).to_string(), r.value)));
        let used = graph.free_symbols(&outputs.iter().map(|(_, e)| *e).collect::<Vec<_>>());
        let kind = if equations.form == Form::Hamilton { "momentum" } else { "velocity" };
        let mut inputs: Vec<(Symbol, &str)> = positions.iter().map(|s| (*s, "position")).collect();
        inputs.extend(unknowns.iter().map(|s| (*s, kind)));
        if used.contains(&system.time) {
            inputs.push((system.time, "time"));
        }
        inputs.extend(system.parameters.iter().filter(|s| used.contains(s)).map(|s| (*s, "parameter")));
        let outputs: Vec<(&str, Expr)> = outputs.iter().map(|(n, e)| (n.as_str(), *e)).collect();
        let doc = format!(
            "Equations of motion in the form of {}: rates of the positions and of the unknowns, then the multipliers.",
            equations.form.title()
        );
        print::code(graph, language, name, &inputs, &outputs, &doc)
    }
}

impl Section {
    /// The section as aligned text.
    pub fn text(&self, graph: &Graph, width: usize) -> String {
        let lefts: Vec<String> = self.lines.iter().map(|l| l.left.text(graph)).collect();
        let one_by_one = self.lines.iter().any(|l| !l.remark.is_empty())
            || lefts.iter().any(|l| print::display_width(l) > LONGEST_ALIGNED);
        if one_by_one {
            let mut out = String::new();
            for (line, left) in self.lines.iter().zip(&lefts) {
                if !line.remark.is_empty() {
                    out += &format!("  {}\n", line.remark);
                }
                out += &line.body(graph, left, width);
            }
            return out;
        }
        if self.lines.iter().all(|l| l.right.is_some()) {
            let list: Vec<(&str, &Tree)> = lefts
                .iter()
                .zip(&self.lines)
                .filter_map(|(l, line)| line.right.as_ref().map(|r| (l.as_str(), r)))
                .collect();
            return print::equations(graph, &list, width) + "\n";
        }
        self.lines.iter().zip(&lefts).map(|(line, left)| line.body(graph, left, width)).collect()
    }

    /// The section as one LaTeX environment: aligned at the equals signs, unless an equation is wider than a page.
    pub fn latex(&self, graph: &Graph) -> String {
        let broken: Vec<Vec<String>> = self.lines.iter().map(|l| l.latex_rows(graph)).collect();
        if broken.iter().any(|rows| rows.len() > 1) {
            return print::rows_environment(&broken.concat());
        }
        let row = |l: &Line| format!("{} &= {}", l.left.latex(graph), l.right_latex(graph));
        let rows: Vec<String> = self.lines.iter().map(row).collect();
        format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n"))
    }
}

impl Line {
    /// The right side on one row, or how large it is.
    fn right_latex(&self, graph: &Graph) -> String {
        match &self.right {
            Some(tree) => print::latex(graph, tree),
            None => format!("\\text{{({} nodes)}}", graph.reachable(&[self.value]).len()),
        }
    }

    /// The equation in LaTeX: on several rows where it is wider than a page of A4.
    pub fn latex_rows(&self, graph: &Graph) -> Vec<String> {
        let left = match &self.left {
            Left::Rate(tree) => (RATE.to_owned(), Some(&**tree)),
            left => (left.latex(graph), None),
        };
        match &self.right {
            Some(tree) => print::latex_rows(graph, (&left.0, left.1), tree, print::PAGE),
            None => vec![format!("{} = {}", self.left.latex(graph), self.right_latex(graph))],
        }
    }
}

impl Line {
    fn body(&self, graph: &Graph, left: &str, width: usize) -> String {
        if let (Left::Rate(momentum), Some(tree)) = (&self.left, &self.right)
            && print::display_width(left) > LONGEST_RATE
        {
            // d/dt of something long: the momentum gets a name and a line of its own.
            let name = "π";
            return print::equation(graph, name, momentum, width)
                + "\n"
                + &print::equation(graph, &format!("d/dt {name}"), tree, width)
                + "\n\n";
        }
        match &self.right {
            Some(tree) => print::equation(graph, left, tree, width) + "\n",
            None => {
                let left = if print::display_width(left) > LONGEST_RATE { "d/dt (…)" } else { left };
                let nodes = graph.reachable(&[self.value]).len();
                format!("  {left} = … ({nodes} shared nodes)\n")
            }
        }
    }
}

impl Left {
    /// As Unicode text.
    pub fn text(&self, graph: &Graph) -> String {
        match self {
            Left::Symbol(s) => print::unicode_symbol(graph, *s),
            Left::Zero => "0".to_string(),
            Left::Name(n) => print::unicode_name(n),
            Left::Pair(kind, a, b) => {
                let [open, close, ..] = kind.fences();
                format!("{open}{}, {}{close}", print::unicode_name(a), print::unicode_name(b))
            }
            Left::Component(object, names) => {
                applied(object.names()[0], names.iter().map(|n| print::unicode_name(n)).collect())
            }
            Left::Slope(a, b) => format!("d{}/d{}", print::unicode_symbol(graph, *a), print::unicode_symbol(graph, *b)),
            Left::Tree(tree) => print::text(graph, tree),
            Left::Rate(tree) => {
                let inner = print::text(graph, tree);
                if matches!(**tree, Tree::Symbol(_)) { format!("d/dt {inner}") } else { format!("d/dt ({inner})") }
            }
        }
    }

    /// As LaTeX.
    pub fn latex(&self, graph: &Graph) -> String {
        match self {
            Left::Symbol(s) => print::latex_symbol(graph, *s),
            Left::Zero => "0".to_string(),
            Left::Name(n) => print::latex_name(n),
            Left::Pair(kind, a, b) => {
                let [.., open, close] = kind.fences();
                format!("{open}{}, {}{close}", print::latex_name(a), print::latex_name(b))
            }
            Left::Component(object, names) => {
                applied(object.names()[1], names.iter().map(|n| print::latex_name(n)).collect())
            }
            Left::Slope(a, b) => {
                format!("\\frac{{d {}}}{{d {}}}", print::latex_symbol(graph, *a), print::latex_symbol(graph, *b))
            }
            Left::Tree(tree) => print::latex(graph, tree),
            Left::Rate(tree) => {
                let inner = print::latex(graph, tree);
                if matches!(**tree, Tree::Symbol(_)) {
                    format!("{RATE} {inner}")
                } else {
                    format!("{RATE}\\left({inner}\\right)")
                }
            }
        }
    }

    /// In the syntax of model files.
    pub fn plain(&self, graph: &Graph) -> String {
        match self {
            Left::Symbol(s) => graph.name(*s).to_string(),
            Left::Zero => "0".to_string(),
            Left::Name(n) => n.clone(),
            Left::Pair(kind, a, b) => {
                let [open, close, ..] = kind.fences();
                format!("{open}{a}, {b}{close}")
            }
            Left::Component(object, names) => applied(object.names()[2], names.clone()),
            Left::Slope(a, b) => format!("d({})/d({})", graph.name(*a), graph.name(*b)),
            Left::Tree(tree) => print::ascii(graph, tree),
            Left::Rate(tree) => format!("dt({})", print::ascii(graph, tree)),
        }
    }
}

impl Line {
    /// A line for an expression of a system.
    pub fn new(system: &mut System, left: Left, value: Expr) -> Line {
        let reading = Reading { parameters: system.parameters.clone() };
        Line { left, right: readable_tree(system, &reading, value), value, remark: String::new() }
    }
}

struct Writer<'a> {
    system: &'a mut System,
    equations: &'a Equations,
    reading: Reading,
}

impl Writer<'_> {
    fn tree(&mut self, e: Expr) -> Option<Tree> {
        readable_tree(self.system, &self.reading, e)
    }

    fn line(&mut self, left: Left, value: Expr, remark: String) -> Line {
        Line { left, right: self.tree(value), value, remark }
    }

    /// The velocities that follow from the unknowns; for multipliers, the rows as they are, without 0 = 0.
    fn constraints(&mut self) -> Section {
        let velocities = self.system.configuration.velocities().to_vec();
        let mut lines = Vec::new();
        if self.equations.form == Form::Multipliers {
            let d = self.system.distribution.clone();
            for row in &d.rows {
                let graph = &mut self.system.graph;
                let mut parts = vec![row.a0];
                for (s, a) in velocities.iter().zip(&row.a) {
                    let v = graph.var(*s);
                    parts.push(graph.mul(*a, v));
                }
                let value = graph.sum(parts);
                let line = self.line(Left::Zero, value, String::new());
                // rows that are not in force, or say nothing
                if line.right != Some(Tree::Number(int(0))) {
                    lines.push(line);
                }
            }
        } else {
            for (s, e) in velocities.iter().zip(self.equations.velocities.clone()) {
                if self.system.graph.as_symbol(e) != Some(*s) {
                    lines.push(self.line(Left::Symbol(*s), e, String::new()));
                }
            }
        }
        let title =
            if self.equations.form == Form::Multipliers { "constraints" } else { "velocities on the constraints" };
        Section { key: "constraints", title: title.into(), lines }
    }

    fn definitions(&mut self) -> Section {
        let lines =
            self.equations.definitions.iter().map(|(s, e)| self.line(Left::Symbol(*s), *e, String::new())).collect();
        let title = if self.equations.form == Form::Hamilton { "momenta" } else { "quasi-velocities" };
        Section { key: "definitions", title: title.into(), lines }
    }

    fn quantities(&mut self) -> Section {
        let lines = self
            .equations
            .named
            .iter()
            .map(|n| {
                let left =
                    match n.name.strip_prefix('{').and_then(|x| x.strip_suffix('}')).and_then(|x| x.split_once(", ")) {
                        Some((a, b)) => Left::Pair(Pairing::Poisson, a.into(), b.into()),
                        None => Left::Name(n.name.clone()),
                    };
                self.line(left, n.value, String::new())
            })
            .collect();
        let title = match self.equations.form {
            Form::Hamilton => "Hamiltonian and almost-Poisson brackets",
            _ => "Lagrangian on the constraints (Θ) and momenta across them (K)",
        };
        Section { key: "quantities", title: title.into(), lines }
    }

    fn balance(&mut self) -> Section {
        let lines = self.equations.balance.iter().map(|b| self.balance_line(b)).collect();
        Section { key: "balance", title: "balance of momentum".into(), lines }
    }

    fn balance_line(&mut self, b: &Balance) -> Line {
        let graph = &mut self.system.graph;
        let motion = graph.sum([b.lagrangian, b.bracket, b.force]);
        let value = graph.add(motion, b.constraint);
        let left = match self.tree(b.momentum) {
            Some(tree) => Left::Rate(Box::new(tree)),
            None => Left::Name(format!("p_{}", self.system.graph.name(b.velocity))),
        };
        // The constraint force stays apart: it reads as a reaction.
        let right = self.tree(motion);
        let right = if self.system.graph.is_zero(b.constraint) {
            right
        } else {
            right.zip(self.tree(b.constraint)).map(|(a, c)| sum(a, c))
        };
        Line { left, right, value, remark: String::new() }
    }

    fn rates(&mut self) -> Section {
        let mut lines = Vec::new();
        for (s, e) in self.equations.unknowns.iter().zip(&self.equations.rates) {
            let name = format!("{}'", self.system.graph.name(*s));
            let symbol = self.system.graph.symbol(&name);
            lines.push(self.line(Left::Symbol(symbol), *e, String::new()));
        }
        let title = if self.equations.form == Form::Hamilton { "Hamilton's equations" } else { "accelerations" };
        Section { key: "accelerations", title: title.into(), lines }
    }

    fn reactions(&mut self) -> Section {
        let reactions = self.equations.reactions.clone();
        let lines = reactions
            .into_iter()
            .map(|r| self.line(Left::Symbol(r.symbol), r.value, format!("\"{}\"", r.name)))
            .collect();
        Section { key: "reactions", title: "reactions of the constraints".into(), lines }
    }
}

/// The readable form of an expression, or its stored form where that is small; `None` when both are too long.
pub fn readable_tree(system: &mut System, reading: &Reading, e: Expr) -> Option<Tree> {
    if system.is_zero(e) {
        return Some(Tree::number(int(0)));
    }
    match system.graph.readable(e, reading) {
        Ok(tree) if tree.nodes() <= MAX_NODES => Some(tree),
        _ => Tree::of_ranked(&system.graph, e, &|s| reading.rank(s), MAX_STORED_NODES),
    }
}

fn sum(a: Tree, b: Tree) -> Tree {
    let flat = |t: Tree| match t {
        Tree::Sum(items) => items,
        Tree::Number(r) if r.is_zero() => vec![],
        other => vec![other],
    };
    let mut items = flat(a);
    items.extend(flat(b));
    match items.len() {
        0 => Tree::number(int(0)),
        1 => items.swap_remove(0),
        _ => Tree::Sum(items),
    }
}
