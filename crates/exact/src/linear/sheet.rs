//! The formulas as they are shown: text, LaTeX and JSON from the same sections.

use super::second_order::{Rational, Riccati, SecondOrder};
use super::shape::Shape;
use polhode_expr::{Expr, Reading};
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
        let s = system.graph.name(self.variable).to_string();
        let mut lines = Vec::new();
        if let Some(entry) = self.cosine {
            lines.push(line(system, format!("cos({s})"), entry));
        }
        for u in self.unknowns.clone() {
            if system.graph.as_symbol(u.definition) != Some(u.symbol) {
                lines.push(line(system, system.graph.name(u.symbol).to_string(), u.definition));
            }
        }
        push(&mut out, "unknowns", "variables".into(), lines);

        let mut lines = Vec::new();
        let w: Vec<Expr> = self.unknowns.iter().map(|u| system.graph.var(u.symbol)).collect();
        let slopes = self.matrix.mul_vec(&mut system.graph, &w);
        for ((u, slope), m) in self.unknowns.iter().zip(slopes).zip(&self.affine) {
            let e = system.graph.add(slope, *m);
            let name = system.graph.name(u.symbol).to_string();
            lines.push(line(system, derivative(&name, &s), e));
        }
        push(&mut out, "linear", format!("linear equations in {s}"), lines);

        if let Some(r) = riccati {
            let ratio = system.graph.named("ratio");
            let square = system.graph.powi(ratio, 2);
            let [a, b, c] = r.coefficients;
            let (first, second) = (system.graph.mul(b, ratio), system.graph.mul(c, square));
            let sum = system.graph.sum([a, first, second]);
            let quotient = system.graph.div(w[0], w[1]);
            let lines = vec![line(system, "ratio".into(), quotient), line(system, derivative("ratio", &s), sum)];
            push(&mut out, "riccati", "Riccati's equation".into(), lines);
        }
        if let Some(e) = equation {
            out.extend(second_order(system, e, &s));
        }
        let speed = system.graph.var(self.speed);
        let square = system.graph.powi(speed, 2);
        let product = system.graph.mul(self.inertia, square);
        let kinetic = system.graph.scale(product, &polhode_expr::number::ratio(1, 2));
        let energy = system.graph.add(kinetic, self.potential);
        let lines = vec![line(system, "E".into(), energy)];
        push(&mut out, "energy", format!("energy: one degree of freedom, {s}"), lines);
        let lines = self
            .quadratures
            .clone()
            .into_iter()
            .map(|q| {
                let name = format!("{}'", q.name);
                line(system, name, q.rate)
            })
            .collect();
        push(&mut out, "quadratures", "quadratures".into(), lines);
        out
    }
}

fn second_order(system: &mut System, e: &SecondOrder, s: &str) -> Vec<Section> {
    let mut lines = vec![line(system, "y".into(), e.unknown)];
    let letter = match &e.rational {
        None => s.to_string(),
        Some(r) => {
            if r.variable != Rational::Plain {
                let symbol = system.graph.find_symbol(s).unwrap_or(r.symbol);
                let z = r.variable.expression(&mut system.graph, symbol);
                let name = system.graph.name(r.symbol).to_string();
                lines.push(line(system, name, z));
            }
            system.graph.name(r.symbol).to_string()
        }
    };
    let slope = system.graph.named(&derivative("y", &letter));
    let second = system.graph.named(&format!("d^2y/d{letter}^2"));
    let y = system.graph.named("y");
    let [p2, p1, p0] = match &e.rational {
        Some(r) => r.polynomials,
        None => [system.graph.one(), e.in_s[0], e.in_s[1]],
    };
    let terms = [(p2, second), (p1, slope), (p0, y)].map(|(p, y)| system.graph.mul(p, y));
    let sum = system.graph.sum(terms);
    let right = if e.rational.is_none() { e.right } else { system.graph.zero() };
    let rest = system.graph.sub(sum, right);
    lines.push(Line { left: Left::Zero, ..line(system, String::new(), rest) });
    let mut out = Vec::new();
    push(&mut out, "second_order", "equation of second order".into(), lines);
    out
}

fn derivative(of: &str, by: &str) -> String {
    format!("d{of}/d{by}")
}

fn push(out: &mut Vec<Section>, key: &'static str, title: String, lines: Vec<Line>) {
    if !lines.is_empty() {
        out.push(Section { key, title, lines });
    }
}

fn line(system: &mut System, name: String, value: Expr) -> Line {
    let reading = Reading { parameters: system.parameters.clone() };
    let right = system.graph.readable_or_stored(value, &reading, MAX_NODES);
    Line { left: Left::Name(name), right, value, remark: String::new() }
}
