//! The formulas as they are shown: text, LaTeX and JSON from the same sections.

use super::second_order::{Rational, Riccati, SecondOrder};
use super::shape::Shape;
use polhode_expr::{Expr, Reading, Symbol, Tree, print};
use polhode_mechanics::System;
use polhode_mechanics::sheet::{Left, Line, MAX_NODES, Section};

impl Shape {
    /// The shape variable, the unknowns, (L1), (L2), the second-order equation, Riccati's, and the quadratures.
    pub fn sections(
        &self,
        system: &mut System,
        equation: Option<&SecondOrder>,
        riccati: Option<&Riccati>,
    ) -> Vec<Section> {
        let mut out = Vec::new();
        let s = print::unicode_symbol(&system.graph, self.variable);
        let mut lines = Vec::new();
        if let Some(entry) = self.cosine {
            let angle = system.graph.var(self.variable);
            let cosine = system.graph.cos(angle);
            let left = Left::Tree(Box::new(Tree::of(&system.graph, cosine)));
            lines.push(line(system, left, entry));
        }
        if let (None, Some(place)) = (self.cosine, self.place) {
            lines.push(line(system, Left::Symbol(self.variable), place));
        }
        for (symbol, function) in self.levels.clone() {
            lines.push(line(system, Left::Symbol(symbol), function));
        }
        for u in self.unknowns.clone() {
            if system.graph.as_symbol(u.definition) != Some(u.symbol) {
                lines.push(line(system, Left::Symbol(u.symbol), u.definition));
            }
        }
        push(&mut out, "variables", "variables".into(), lines);

        let mut lines = Vec::new();
        let w: Vec<Expr> = self.unknowns.iter().map(|u| system.graph.var(u.symbol)).collect();
        let slopes = self.matrix.mul_vec(&mut system.graph, &w);
        for ((u, slope), m) in self.unknowns.iter().zip(slopes).zip(&self.affine) {
            let e = system.graph.add(slope, *m);
            lines.push(line(system, Left::Slope(u.symbol, self.variable), e));
        }
        push(&mut out, "linear", format!("linear equations in {s}"), lines);

        if let Some(r) = riccati {
            let taken = system.graph.name(self.variable) == "rho";
            let symbol = system.graph.symbol(if taken { "sigma" } else { "rho" });
            let ratio = system.graph.var(symbol);
            let square = system.graph.powi(ratio, 2);
            let [a, b, c] = r.coefficients;
            let (first, second) = (system.graph.mul(b, ratio), system.graph.mul(c, square));
            let sum = system.graph.sum([a, first, second]);
            let quotient = system.graph.div(w[0], w[1]);
            let lines = vec![
                line(system, Left::Symbol(symbol), quotient),
                line(system, Left::Slope(symbol, self.variable), sum),
            ];
            push(&mut out, "riccati", "Riccati's equation".into(), lines);
        }
        if let Some(e) = equation {
            let lines = second_order(system, e, self.variable);
            push(&mut out, "second_order", "equation of second order".into(), lines);
        }
        let speed = system.graph.var(self.speed);
        let square = system.graph.powi(speed, 2);
        let product = system.graph.mul(self.inertia, square);
        let kinetic = system.graph.scale(product, &polhode_expr::number::ratio(1, 2));
        let energy = system.graph.add(kinetic, self.potential);
        let lines = vec![line(system, Left::Name("E".into()), energy)];
        push(&mut out, "energy", format!("energy: one degree of freedom, {s}"), lines);
        let mut lines = Vec::new();
        for q in self.quadratures.clone() {
            let symbol = system.graph.symbol(&format!("{}'", q.name));
            // one of the unknowns: nothing to say
            if system.graph.as_symbol(q.rate) != Some(symbol) {
                lines.push(line(system, Left::Symbol(symbol), q.rate));
            }
        }
        push(&mut out, "quadratures", "quadratures".into(), lines);
        out
    }
}

/// y, z, and p₂ y″ + p₁ y′ + p₀ y − p₂F/z′² = 0 term by term; in s where the right side is no function of z.
fn second_order(system: &mut System, e: &SecondOrder, s: Symbol) -> Vec<Line> {
    let mut lines = vec![line(system, Left::Name("y".into()), e.unknown)];
    let rational = e.rational.as_ref().filter(|r| r.right.is_some());
    let variable = match rational {
        Some(r) if r.variable != Rational::Plain => {
            let z = r.variable.expression(&mut system.graph, s);
            lines.push(line(system, Left::Symbol(r.symbol), z));
            r.symbol
        }
        _ => s,
    };
    let letter = print::unicode_symbol(&system.graph, variable);
    let latex = print::latex_symbol(&system.graph, variable);
    let ([p2, p1, p0], right) = match rational {
        Some(r) => (r.polynomials, r.right.unwrap_or(e.right)),
        None => ([system.graph.one(), e.in_s[0], e.in_s[1]], e.right),
    };
    let names = [
        (p2, format!("d²y/d{letter}²"), format!("\\frac{{d^2 y}}{{d {latex}^2}}")),
        (p1, format!("dy/d{letter}"), format!("\\frac{{d y}}{{d {latex}}}")),
        (p0, "y".to_string(), "y".to_string()),
    ];
    let reading = Reading { parameters: system.parameters.clone() };
    let mut terms = Vec::new();
    let mut values = Vec::new();
    let mut shown = true;
    for (p, name, latex) in names {
        let symbol = system.graph.symbol(&name);
        system.graph.set_latex(symbol, &latex);
        let y = system.graph.var(symbol);
        values.push(system.graph.mul(p, y));
        if system.graph.is_zero(p) {
            continue;
        }
        match system.graph.readable_or_stored(p, &reading, MAX_NODES) {
            Some(tree) => terms.push(times(tree, Tree::Symbol(symbol))),
            None => shown = false,
        }
    }
    if !system.graph.is_zero(right) {
        let minus = system.graph.neg(right);
        values.push(minus);
        match system.graph.readable_or_stored(minus, &reading, MAX_NODES) {
            Some(tree) => terms.push(tree),
            None => shown = false,
        }
    }
    let value = system.graph.sum(values);
    let right = shown.then_some(Tree::Sum(terms));
    lines.push(Line { left: Left::Zero, right, value, remark: String::new() });
    lines
}

/// A product with a derivative as its last factor.
fn times(p: Tree, y: Tree) -> Tree {
    match p {
        Tree::Number(n) if n == polhode_expr::number::int(1) => y,
        Tree::Neg(inner) => Tree::Neg(Box::new(times(*inner, y))),
        Tree::Product(mut factors) => {
            factors.push(y);
            Tree::Product(factors)
        }
        other => Tree::Product(vec![other, y]),
    }
}

fn push(out: &mut Vec<Section>, key: &'static str, title: String, lines: Vec<Line>) {
    if !lines.is_empty() {
        out.push(Section { key, title, lines });
    }
}

fn line(system: &mut System, left: Left, value: Expr) -> Line {
    let reading = Reading { parameters: system.parameters.clone() };
    let right = system.graph.readable_or_stored(value, &reading, MAX_NODES);
    Line { left, right, value, remark: String::new() }
}
