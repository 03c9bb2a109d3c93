//! LaTeX of formulas, in the subset that both LaTeX with amsmath and KaTeX accept.
//!
//! ```text
//! -\frac{M g r \cos\theta}{I_{1} + M r^{2}}      \sin^{2}\theta      \dot{\varphi}
//! ```
//!
//! Single letters stand side by side as printers of mathematics do; a thin space
//! `\,` keeps words and the arguments of functions from running into what follows.
//! Equations that are wider than a page are in `broken.rs`. `tools/katex-check` feeds formulas to KaTeX in its strict mode.

use crate::graph::{Exponent, Graph};
use crate::print::names::{latex_name, latex_symbol};
use crate::print::text::{distinct_symbols, takes_exponent};
use crate::tree::{Head, Tree, is_decimal, number_text};

/// The tree in LaTeX, without `$` around it.
pub fn latex(graph: &Graph, tree: &Tree) -> String {
    Writer { graph }.tree(tree)
}

/// Several equations in one `aligned` environment, aligned at their equals signs.
/// The left-hand sides are LaTeX already.
pub fn latex_equations(graph: &Graph, list: &[(&str, &Tree)]) -> String {
    let lines: Vec<String> = list.iter().map(|(lhs, rhs)| format!("{lhs} &= {}", latex(graph, rhs))).collect();
    format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", lines.join(" \\\\\n"))
}

pub(super) struct Writer<'a> {
    pub(super) graph: &'a Graph,
}

impl Writer<'_> {
    pub(super) fn tree(&self, tree: &Tree) -> String {
        match tree {
            Tree::Number(r) if r.is_int() || is_decimal(r) => number_text(r),
            Tree::Number(r) => format!("\\frac{{{}}}{{{}}}", r.numerator(), r.denominator()),
            Tree::Pi => "\\pi".to_string(),
            Tree::Symbol(s) => latex_symbol(self.graph, *s),
            Tree::Sum(items) if items.is_empty() => "0".to_string(),
            Tree::Sum(items) => {
                let mut out = String::new();
                for (i, t) in items.iter().enumerate() {
                    let negative = matches!(t, Tree::Neg(_));
                    out += match (i == 0, negative) {
                        (true, false) => "",
                        (true, true) => "-",
                        (false, false) => " + ",
                        (false, true) => " - ",
                    };
                    out += &self.term(t);
                }
                out
            }
            Tree::Neg(_) => format!("-{}", self.term(tree)),
            Tree::Product(items) => self.product(items),
            Tree::Quotient(over, under) => format!("\\frac{{{}}}{{{}}}", self.tree(over), self.tree(under)),
            Tree::Power(base, k) => self.power(base, *k),
            Tree::Call(head, a) => self.call(*head, "", a),
            Tree::Atan2(y, x) => format!("\\operatorname{{atan2}}{}", self.arguments(&[(**y).clone(), (**x).clone()])),
            Tree::Apply(f, args, orders) => {
                let name = self.graph.functions.get(f.0 as usize).map_or("…", |n| n.as_str());
                self.derivative(&latex_name(name), args, orders) + &self.arguments(args)
            }
        }
    }

    /// A summand without its sign.
    fn term(&self, tree: &Tree) -> String {
        match tree {
            Tree::Neg(inner) => match &**inner {
                Tree::Sum(_) | Tree::Neg(_) => enclosed(&self.tree(inner)),
                inner => self.tree(inner),
            },
            Tree::Sum(_) => enclosed(&self.tree(tree)),
            tree => self.tree(tree),
        }
    }

    fn product(&self, items: &[Tree]) -> String {
        let mut out = String::new();
        for (i, t) in items.iter().enumerate() {
            let factor = match t {
                Tree::Sum(_) | Tree::Neg(_) | Tree::Product(_) => enclosed(&self.tree(t)),
                t => self.tree(t),
            };
            if i > 0 {
                out += self.gap(&items[i - 1], t, &factor);
            }
            out += &factor;
        }
        if items.is_empty() { "1".to_string() } else { out }
    }

    /// What stands between two factors.
    fn gap(&self, left: &Tree, right: &Tree, written: &str) -> &'static str {
        let base = |t: &Tree| match t {
            Tree::Power(base, _) => (**base).clone(),
            other => other.clone(),
        };
        let is_word = |t: &Tree| match base(t) {
            Tree::Symbol(s) => latex_symbol(self.graph, s).contains("\\mathrm{"),
            _ => false,
        };
        let is_function = |t: &Tree| matches!(base(t), Tree::Call(..) | Tree::Atan2(..));
        if written.starts_with(|c: char| c.is_ascii_digit()) {
            " \\cdot "
        } else if is_word(left) || is_word(right) || (is_function(left) && !is_function(right)) {
            " \\, "
        } else {
            " "
        }
    }

    fn power(&self, base: &Tree, k: Exponent) -> String {
        if k.n == 1 && k.d > 1 {
            let index = if k.d == 2 { String::new() } else { format!("[{}]", k.d) };
            return format!("\\sqrt{index}{{{}}}", self.tree(base));
        }
        let exponent = if k.is_int() { k.n.to_string() } else { format!("{}/{}", k.n, k.d) };
        // Not written twice: in sin²(sin²(…)) that would double at each step.
        if let Tree::Call(head, a) = base
            && takes_exponent(*head)
            && k.is_int()
            && k.n > 0
        {
            return self.call(*head, &format!("^{{{exponent}}}"), a);
        }
        let written = self.tree(base);
        match base {
            // A superscript of its own, in braces so that the two do not clash.
            Tree::Symbol(_) if written.contains(['^', '\'']) => format!("{{{written}}}^{{{exponent}}}"),
            Tree::Symbol(_) | Tree::Pi => format!("{written}^{{{exponent}}}"),
            Tree::Number(r) if r.is_int() || is_decimal(r) => format!("{written}^{{{exponent}}}"),
            _ => format!("{}^{{{exponent}}}", enclosed(&written)),
        }
    }

    fn call(&self, head: Head, exponent: &str, a: &Tree) -> String {
        let name = function(head);
        let argument = self.tree(a);
        let bare = takes_exponent(head) && matches!(a, Tree::Symbol(_) | Tree::Pi) && !argument.contains('.');
        if !bare {
            return format!("{name}{exponent}{}", enclosed(&argument));
        }
        let gap = if exponent.is_empty() && argument.starts_with(|c: char| c.is_ascii_alphabetic()) { " " } else { "" };
        format!("{name}{exponent}{gap}{argument}")
    }

    fn arguments(&self, args: &[Tree]) -> String {
        enclosed(&args.iter().map(|a| self.tree(a)).collect::<Vec<_>>().join(", "))
    }

    /// `f'` for one argument; `\partial_{u}^{2} f` for several, with the number of the
    /// argument where it is not a symbol.
    fn derivative(&self, name: &str, args: &[Tree], orders: &[u8]) -> String {
        if orders.iter().all(|k| *k == 0) {
            return name.to_string();
        }
        if let [k] = orders {
            return match k {
                1..=3 => format!("{{{name}}}{}", "'".repeat(*k as usize)),
                k => format!("{{{name}}}^{{({k})}}"),
            };
        }
        let letters = distinct_symbols(args);
        let mut out = String::new();
        for (i, k) in orders.iter().enumerate().filter(|(_, k)| **k > 0) {
            let variable = match (letters, args.get(i)) {
                (true, Some(t)) => self.tree(t),
                _ => (i + 1).to_string(),
            };
            let power = if *k > 1 { format!("^{{{k}}}") } else { String::new() };
            out += &format!("\\partial_{{{variable}}}{power} ");
        }
        out + name
    }
}

/// The command of a function.
pub(super) fn function(head: Head) -> &'static str {
    match head {
        Head::Sin => "\\sin",
        Head::Cos => "\\cos",
        Head::Tan => "\\tan",
        Head::Exp => "\\exp",
        Head::Log => "\\ln",
    }
}

pub(super) fn enclosed(tex: &str) -> String {
    format!("\\left({tex}\\right)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Expr, Node};
    use crate::number::ratio;

    fn shown(g: &Graph, e: Expr) -> String {
        latex(g, &Tree::of(g, e))
    }

    #[test]
    fn formulas() {
        let mut g = Graph::new();
        let [m, grav, r, theta, i1, phi] = ["M", "g", "r", "theta", "I1", "phi"].map(|n| g.named(n));
        let (s, c) = (g.sin(theta), g.cos(theta));
        let r2 = g.powi(r, 2);
        let mr2 = g.mul(m, r2);
        let d = g.add(i1, mr2);
        let w = g.product([m, grav, r, c]);
        let q = g.div(w, d);
        let q = g.neg(q);
        assert_eq!(shown(&g, q), "-\\frac{M g r \\cos\\theta}{I_{1} + M r^{2}}");
        let s2 = g.powi(s, 2);
        let p = g.product([s2, d, c]);
        assert_eq!(shown(&g, p), "\\left(I_{1} + M r^{2}\\right) \\sin^{2}\\theta \\cos\\theta");
        let lift = g.add(i1, c);
        let p = g.mul(s, lift);
        assert_eq!(shown(&g, p), "\\sin\\theta \\, \\left(I_{1} + \\cos\\theta\\right)");
        let a = g.add(theta, phi);
        let e = g.cos(a);
        assert_eq!(shown(&g, e), "\\cos\\left(\\theta + \\varphi\\right)");
        let e = g.sin(r);
        assert_eq!(shown(&g, e), "\\sin r");
        let root = g.sqrt(d);
        assert_eq!(shown(&g, root), "\\sqrt{I_{1} + M r^{2}}");
        let e = g.pow(d, Exponent { n: 3, d: 2 });
        assert_eq!(shown(&g, e), "\\left(I_{1} + M r^{2}\\right)^{3/2}");
        let e = g.pow(r, Exponent { n: 1, d: 3 });
        assert_eq!(shown(&g, e), "\\sqrt[3]{r}");
        let e = g.atan2(r, m);
        assert_eq!(shown(&g, e), "\\operatorname{atan2}\\left(r, M\\right)");
        let e = g.scale(r, &ratio(2, 3));
        assert_eq!(shown(&g, e), "\\frac{2 r}{3}");
        let e = g.number(ratio(-1, 3));
        assert_eq!(shown(&g, e), "-\\frac{1}{3}");
    }

    #[test]
    fn words_and_superscripts_keep_their_distance() {
        let mut g = Graph::new();
        let [x, speed, star] = ["x", "speed", "k"].map(|n| g.named(n));
        let k = g.as_symbol(star).unwrap();
        g.set_latex(k, "k^{*}");
        let e = g.product([speed, x]);
        assert_eq!(shown(&g, e), "x \\, \\mathrm{speed}");
        let e = g.powi(star, 2);
        assert_eq!(shown(&g, e), "{k^{*}}^{2}");
        let tree = Tree::Product(vec![Tree::Number(ratio(2, 1)), Tree::Number(ratio(3, 1))]);
        assert_eq!(latex(&g, &tree), "2 \\cdot 3");
    }

    #[test]
    fn derivatives_of_open_functions() {
        let mut g = Graph::new();
        let [u, v] = ["u", "v"].map(|n| g.named(n));
        let f = g.function("f");
        let mut apply = |args: &[Expr], orders: &[u8]| {
            let node = Node::Apply { function: f, args: Box::from(args), orders: Box::from(orders) };
            let e = g.intern(node);
            shown(&g, e)
        };
        assert_eq!(apply(&[u], &[0]), "f\\left(u\\right)");
        assert_eq!(apply(&[u], &[2]), "{f}''\\left(u\\right)");
        assert_eq!(apply(&[u], &[5]), "{f}^{(5)}\\left(u\\right)");
        assert_eq!(apply(&[u, v], &[1, 2]), "\\partial_{u} \\partial_{v}^{2} f\\left(u, v\\right)");
        assert_eq!(apply(&[u, u], &[0, 1]), "\\partial_{2} f\\left(u, u\\right)");
    }

    #[test]
    fn aligned_equations() {
        let mut g = Graph::new();
        let x = g.named("x");
        let tree = Tree::of(&g, x);
        assert_eq!(
            latex_equations(&g, &[("a", &tree), ("b", &tree)]),
            "\\begin{aligned}\na &= x \\\\\nb &= x\n\\end{aligned}"
        );
    }
}
