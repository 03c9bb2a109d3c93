//! One line of Unicode, and the rules of setting mathematics that the
//! two-dimensional layout shares with it.
//!
//! ```text
//! M g r cos θ      −(I₁ + M r²)(ψ̇ + φ̇ cos θ)      sin²θ      √(x² + y²)
//! ```
//!
//! Factors stand side by side with a space; an argument that is a single symbol
//! needs no parentheses. The result is for reading: `ascii.rs` writes what a
//! parser can read.

use crate::graph::{Exponent, Graph};
use crate::print::block::Block;
use crate::print::names::{name_of, unicode_name};
use crate::tree::{Head, Tree, is_decimal, number_text};

/// The tree on one line.
pub fn text(graph: &Graph, tree: &Tree) -> String {
    Typesetter { graph, stacked: false }.set(tree, false).into_text()
}

/// Sets trees as blocks, with quotients as `a/b` or stacked over a bar.
pub(super) struct Typesetter<'a> {
    pub(super) graph: &'a Graph,
    /// Are quotients stacked?
    pub(super) stacked: bool,
}

/// A factor ready to stand beside others.
pub(super) struct Factor {
    pub(super) block: Block,
    enclosed: bool,
    numeral: bool,
}

impl Typesetter<'_> {
    /// Sets a tree. Inside a fraction, small fractions are written with a slash.
    pub(super) fn set(&self, tree: &Tree, inside: bool) -> Block {
        match tree {
            Tree::Number(r) if self.stacked && !inside && !r.is_int() && !is_decimal(r) => {
                Block::fraction(&Block::line(r.numerator().to_string()), &Block::line(r.denominator().to_string()))
            }
            Tree::Number(r) => Block::line(number_text(r)),
            Tree::Pi => Block::line("π"),
            Tree::Symbol(s) => Block::line(unicode_name(name_of(self.graph, *s))),
            Tree::Sum(items) => {
                let pieces: Vec<Block> =
                    items.iter().enumerate().map(|(i, t)| self.signed(t, i == 0, self.term(t, inside))).collect();
                if pieces.is_empty() { Block::line("0") } else { Block::row(&pieces) }
            }
            Tree::Neg(_) => self.signed(tree, true, self.term(tree, inside)),
            Tree::Product(items) => {
                let factors: Vec<Factor> =
                    items.iter().enumerate().map(|(i, t)| self.factor(t, items.get(i + 1), inside)).collect();
                self.juxtaposed(&factors)
            }
            Tree::Quotient(over, under) => self.quotient(over, under, inside),
            Tree::Power(base, k) => self.power(base, *k, inside),
            Tree::Call(head, a) => self.call(*head, "", a, false, inside),
            Tree::Atan2(y, x) => self.listed("atan2", &[(**y).clone(), (**x).clone()], inside),
            Tree::Apply(f, args, orders) => {
                let name = self.graph.functions.get(f.0 as usize).map_or("…", |n| n.as_str());
                self.listed(&self.derivative(&unicode_name(name), args, orders), args, inside)
            }
        }
    }

    /// The sign of a summand and its unsigned block: `− x` inside, `−x` in front.
    pub(super) fn signed(&self, tree: &Tree, first: bool, block: Block) -> Block {
        let sign = match (first, matches!(tree, Tree::Neg(_))) {
            (true, false) => return block,
            (true, true) if block.is_line() => "−",
            (true, true) => "− ",
            (false, true) => " − ",
            (false, false) => " + ",
        };
        Block::row(&[Block::line(sign), block])
    }

    /// A summand without its sign.
    pub(super) fn term(&self, tree: &Tree, inside: bool) -> Block {
        match tree {
            Tree::Neg(inner) => match &**inner {
                Tree::Sum(_) | Tree::Neg(_) => self.set(inner, inside).parenthesised(),
                inner => self.set(inner, inside),
            },
            Tree::Sum(_) => self.set(tree, inside).parenthesised(),
            tree => self.set(tree, inside),
        }
    }

    /// A factor, in parentheses where it needs them beside `next`.
    pub(super) fn factor(&self, tree: &Tree, next: Option<&Tree>, inside: bool) -> Factor {
        let enclose = |block: Block| Factor { block: block.parenthesised(), enclosed: true, numeral: false };
        let plain = |block: Block| Factor { block, enclosed: false, numeral: false };
        // sin θ x would read as sin(θ x).
        let close = next.is_some_and(|t| !matches!(leading(t), Tree::Sum(_) | Tree::Call(..) | Tree::Atan2(..)));
        match tree {
            Tree::Sum(_) | Tree::Neg(_) | Tree::Product(_) => enclose(self.set(tree, inside)),
            Tree::Quotient(..) => {
                let block = self.set(tree, inside);
                if block.is_line() { enclose(block) } else { plain(block) }
            }
            Tree::Number(r) if !r.is_int() && !is_decimal(r) => {
                let block = self.set(tree, inside);
                if block.is_line() { enclose(block) } else { plain(block) }
            }
            Tree::Number(_) => Factor { numeral: true, ..plain(self.set(tree, inside)) },
            Tree::Call(head, a) => plain(self.call(*head, "", a, close, inside)),
            Tree::Power(base, k) => match (&**base, script(*k)) {
                (Tree::Call(head, a), Some(k)) if takes_exponent(*head) && !k.starts_with('⁻') => {
                    plain(self.call(*head, &k, a, close, inside))
                }
                (Tree::Number(_), Some(_)) => Factor { numeral: true, ..plain(self.set(tree, inside)) },
                (Tree::Sum(_) | Tree::Product(_) | Tree::Quotient(..), Some(_)) => {
                    Factor { enclosed: true, ..plain(self.set(tree, inside)) }
                }
                _ => plain(self.set(tree, inside)),
            },
            _ => plain(self.set(tree, inside)),
        }
    }

    /// Factors side by side: `)(` touch, a number after another factor gets a dot.
    pub(super) fn juxtaposed(&self, factors: &[Factor]) -> Block {
        let mut pieces = Vec::new();
        for (i, factor) in factors.iter().enumerate() {
            if i > 0 {
                let touching = factors[i - 1].enclosed && factor.enclosed;
                pieces.push(Block::line(if factor.numeral {
                    " · "
                } else if touching {
                    ""
                } else {
                    " "
                }));
            }
            pieces.push(factor.block.clone());
        }
        if pieces.is_empty() { Block::line("1") } else { Block::row(&pieces) }
    }

    fn quotient(&self, over: &Tree, under: &Tree, inside: bool) -> Block {
        let small = inside && matches!(under, Tree::Number(_));
        let (a, b) = (self.set(over, true), self.set(under, true));
        if self.stacked && !(small && a.is_line() && b.is_line()) {
            return Block::fraction(&a, &b);
        }
        let enclose_over = match over {
            Tree::Sum(_) | Tree::Neg(_) | Tree::Quotient(..) => true,
            Tree::Number(r) => !r.is_int() && !is_decimal(r),
            tree => ends_bare(tree),
        };
        let enclose_under = match under {
            Tree::Symbol(_) | Tree::Pi | Tree::Call(..) | Tree::Atan2(..) | Tree::Apply(..) => false,
            Tree::Number(r) => !r.is_int() && !is_decimal(r),
            Tree::Power(..) => false,
            _ => true,
        };
        let a = if enclose_over { a.parenthesised() } else { a };
        let b = if enclose_under { b.parenthesised() } else { b };
        Block::row(&[a, Block::line("/"), b])
    }

    pub(super) fn power(&self, base: &Tree, k: Exponent, inside: bool) -> Block {
        if (k.n, k.d) == (1, 2) {
            let bare = match base {
                Tree::Symbol(_) | Tree::Pi => true,
                Tree::Number(r) => r.is_int(),
                _ => false,
            };
            let block = self.set(base, inside);
            return Block::row(&[Block::line("√"), if bare { block } else { block.parenthesised() }]);
        }
        let exponent = script(k);
        if let (Tree::Call(head, a), Some(exponent)) = (base, &exponent)
            && takes_exponent(*head)
            && k.n > 0
        {
            return self.call(*head, exponent, a, false, inside);
        }
        let bare = match base {
            Tree::Symbol(_) | Tree::Pi | Tree::Atan2(..) | Tree::Apply(..) => true,
            Tree::Number(r) => r.is_int() || is_decimal(r),
            Tree::Call(head, _) => !takes_exponent(*head),
            _ => false,
        };
        self.raised(self.set(base, inside), bare, k)
    }

    /// A base that is already set, with its exponent.
    pub(super) fn raised(&self, block: Block, bare: bool, k: Exponent) -> Block {
        let block = if bare { block } else { block.parenthesised() };
        match script(k) {
            Some(exponent) => block.raised(&exponent),
            None if block.is_line() => Block::row(&[block, Block::line(format!("^({}/{})", k.n, k.d))]),
            None => block.raised(&format!("{}/{}", k.n, k.d)),
        }
    }

    /// A function with its argument, and an exponent on its name: `sin²θ`.
    fn call(&self, head: Head, exponent: &str, a: &Tree, close: bool, inside: bool) -> Block {
        let name = format!("{}{exponent}", spelled(head));
        let block = self.set(a, inside);
        if close || !is_bare_argument(head, a) {
            return Block::row(&[Block::line(name), block.parenthesised()]);
        }
        let gap = if exponent.is_empty() { " " } else { "" };
        Block::row(&[Block::line(name + gap), block])
    }

    /// `name(a, b)`.
    fn listed(&self, name: &str, args: &[Tree], inside: bool) -> Block {
        let mut pieces = Vec::new();
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                pieces.push(Block::line(", "));
            }
            pieces.push(self.set(a, inside));
        }
        Block::row(&[Block::line(name), Block::row(&pieces).parenthesised()])
    }

    /// `f′` for one argument, `∂₁∂₂² f` or `∂_u f` for several.
    fn derivative(&self, name: &str, args: &[Tree], orders: &[u8]) -> String {
        match orders {
            [0] | [] => name.to_string(),
            [k @ 1..=3] => name.to_string() + ["′", "″", "‴"][*k as usize - 1],
            [k] => format!("{name}⁽{}⁾", superscript(*k as i64)),
            orders if orders.iter().all(|k| *k == 0) => name.to_string(),
            orders => {
                let letters = distinct_symbols(args);
                let mut out = String::new();
                for (i, k) in orders.iter().enumerate().filter(|(_, k)| **k > 0) {
                    let variable = match (letters, args.get(i)) {
                        (true, Some(Tree::Symbol(s))) => format!("_{}", unicode_name(name_of(self.graph, *s))),
                        _ => (i + 1)
                            .to_string()
                            .chars()
                            .filter_map(|c| char::from_u32(0x2080 + c.to_digit(10)?))
                            .collect(),
                    };
                    out += &format!("∂{variable}{} ", if *k > 1 { superscript(*k as i64) } else { String::new() });
                }
                out + name
            }
        }
    }
}

/// Are these symbols, each different from the others? Then they can name a derivative.
pub(super) fn distinct_symbols(args: &[Tree]) -> bool {
    args.iter().enumerate().all(|(i, a)| matches!(a, Tree::Symbol(_)) && !args[..i].contains(a))
}

/// The part of a factor that decides what it begins with.
fn leading(tree: &Tree) -> &Tree {
    match tree {
        Tree::Power(base, k) if k.d != 2 || k.n != 1 => base,
        other => other,
    }
}

/// Would a `/` after this be read as part of a function's argument?
fn ends_bare(tree: &Tree) -> bool {
    match tree {
        Tree::Call(head, a) => is_bare_argument(*head, a),
        Tree::Power(base, k) => k.n > 0 && k.is_int() && ends_bare(base),
        Tree::Product(items) => items.last().is_some_and(ends_bare),
        _ => false,
    }
}

fn is_bare_argument(head: Head, a: &Tree) -> bool {
    takes_exponent(head) && matches!(a, Tree::Symbol(_) | Tree::Pi)
}

/// sin²x is common; exp²x is not.
pub(super) fn takes_exponent(head: Head) -> bool {
    !matches!(head, Head::Exp)
}

fn spelled(head: Head) -> &'static str {
    match head {
        Head::Sin => "sin",
        Head::Cos => "cos",
        Head::Tan => "tan",
        Head::Exp => "exp",
        Head::Log => "ln",
    }
}

/// An integer exponent as raised digits.
pub(super) fn script(k: Exponent) -> Option<String> {
    k.is_int().then(|| superscript(k.n as i64))
}

fn superscript(n: i64) -> String {
    let raise = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => c.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(c),
    };
    n.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Expr;
    use crate::number::{int, ratio};

    fn shown(g: &Graph, e: Expr) -> String {
        text(g, &Tree::of(g, e))
    }

    #[test]
    fn equations_of_the_disk() {
        let mut g = Graph::new();
        let [i1, i3, m, r, theta] = ["I1", "I3", "M", "r", "theta"].map(|n| g.named(n));
        let [dphi, dpsi] = ["phi'", "psi'"].map(|n| g.named(n));
        let r2 = g.powi(r, 2);
        let mr2 = g.mul(m, r2);
        let a = g.add(i3, mr2);
        let c = g.cos(theta);
        let s = g.sin(theta);
        let pc = g.mul(dphi, c);
        let b = g.add(dpsi, pc);
        let ab = g.mul(a, b);
        let i1pc = g.mul(i1, pc);
        let inner = g.sub(ab, i1pc);
        let e = g.product([dphi, s, inner]);
        assert_eq!(shown(&g, e), "φ\u{307} sin θ ((I₃ + M r²)(ψ\u{307} + φ\u{307} cos θ) − I₁ φ\u{307} cos θ)");
        let d = g.add(i1, mr2);
        let q = g.div(e, d);
        let q = g.neg(q);
        assert!(shown(&g, q).ends_with("/(I₁ + M r²)"));
        let s2 = g.powi(s, 2);
        let e = g.mul(i1, s2);
        assert_eq!(shown(&g, e), "I₁ sin²θ");
        let e = g.powi(s2, -1);
        assert_eq!(shown(&g, e), "1/sin²θ");
    }

    #[test]
    fn roots_powers_and_functions() {
        let mut g = Graph::new();
        let [x, y] = ["x", "y"].map(|n| g.named(n));
        let (x2, y2) = (g.powi(x, 2), g.powi(y, 2));
        let n = g.add(x2, y2);
        let root = g.sqrt(n);
        assert_eq!(shown(&g, root), "√(x² + y²)");
        let p = g.pow(n, Exponent { n: 3, d: 2 });
        assert_eq!(shown(&g, p), "(x² + y²)^(3/2)");
        let q = g.div(x, p);
        assert_eq!(shown(&g, q), "x/(x² + y²)^(3/2)");
        let two = g.int(2);
        let r2 = g.sqrt(two);
        let e = g.product([r2, x]);
        let e = g.scale(e, &int(3));
        assert_eq!(shown(&g, e), "3 √2 x");
        let e = g.add(x, y);
        let e = g.cos(e);
        assert_eq!(shown(&g, e), "cos(x + y)");
        let e = g.powi(e, 3);
        assert_eq!(shown(&g, e), "cos³(x + y)");
        let e = g.exp(x);
        assert_eq!(shown(&g, e), "exp(x)");
        let e = g.log(x);
        assert_eq!(shown(&g, e), "ln x");
        let e = g.atan2(y, x);
        assert_eq!(shown(&g, e), "atan2(y, x)");
        let f = g.function("f");
        let args: Box<[Expr]> = Box::from([x, y]);
        let e = g.intern(crate::Node::Apply { function: f, args, orders: Box::from([1, 2]) });
        assert_eq!(shown(&g, e), "∂_x ∂_y² f(x, y)");
        let e = g.intern(crate::Node::Apply { function: f, args: Box::from([n]), orders: Box::from([2]) });
        assert_eq!(shown(&g, e), "f″(x² + y²)");
        let zero = g.zero();
        let e = g.div(x, zero);
        assert_eq!(shown(&g, e), "x/0");
    }

    #[test]
    fn hand_made_trees_are_unambiguous() {
        let mut g = Graph::new();
        let [x, y] = ["x", "y"].map(|n| Tree::Symbol(g.symbol(n)));
        let sin = |t: &Tree| Tree::Call(Head::Sin, Box::new(t.clone()));
        let number = |n, d| Tree::Number(ratio(n, d));
        let power = |t: &Tree, n, d| Tree::Power(Box::new(t.clone()), Exponent { n, d });
        let neg = |t: &Tree| Tree::Neg(Box::new(t.clone()));
        for (tree, expected) in [
            (Tree::Product(vec![sin(&x), y.clone()]), "sin(x) y"),
            (Tree::Product(vec![number(2, 1), number(3, 1)]), "2 · 3"),
            (Tree::Product(vec![number(1, 3), x.clone()]), "(1/3) x"),
            (Tree::Product(vec![neg(&x), y.clone()]), "(−x) y"),
            (power(&sin(&x), -1, 1), "(sin x)⁻¹"),
            (power(&power(&x, 2, 1), 1, 2), "√(x²)"),
            (power(&neg(&x), 2, 1), "(−x)²"),
            (neg(&Tree::Sum(vec![x.clone(), y.clone()])), "−(x + y)"),
            (Tree::Sum(vec![]), "0"),
            (Tree::Product(vec![]), "1"),
            (Tree::Quotient(Box::new(sin(&x)), Box::new(y.clone())), "(sin x)/y"),
        ] {
            assert_eq!(text(&g, &tree), expected);
        }
    }
}
