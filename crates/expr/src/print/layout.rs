//! Equations in the terminal, with fraction bars and broken lines.
//!
//! ```text
//!          M g r cos θ + φ̇ sin θ ((I₃ + M r²)(ψ̇ + φ̇ cos θ) − I₁ φ̇ cos θ)
//!   θ̈ = − ───────────────────────────────────────────────────────────────
//!                                I₁ + M r²
//! ```
//!
//! A right-hand side that is too wide is broken at the + and − of its sums, also
//! inside fractions and parentheses. Not here: how a single formula is set
//! (`text.rs`), the boxes themselves (`block.rs`).

use crate::graph::Graph;
use crate::print::block::{Block, display_width};
use crate::print::text::Typesetter;
use crate::tree::Tree;

/// Columns before every equation.
const INDENT: usize = 2;

/// In less than this many columns, breaking a line does more harm than good.
const NARROWEST: usize = 24;

/// Columns by which the continuation of a broken sum is moved to the right.
const HANG: usize = 2;

/// `lhs = rhs` in at most `width` columns, as far as the formula can be broken.
/// The left-hand side is text that is ready to be shown, such as `θ̈`.
pub fn equation(graph: &Graph, lhs: &str, rhs: &Tree, width: usize) -> String {
    equations(graph, &[(lhs, rhs)], width)
}

/// Several equations below each other, aligned at their equals signs.
pub fn equations(graph: &Graph, list: &[(&str, &Tree)], width: usize) -> String {
    let setter = Typesetter { graph, stacked: true };
    let left = list.iter().map(|(lhs, _)| display_width(lhs)).max().unwrap_or(0);
    let room = width.saturating_sub(INDENT + left + 3);
    // A column for the minus signs, when one of them stands before a fraction bar.
    let natural: Vec<Block> = list.iter().map(|(_, rhs)| setter.set(rhs, false)).collect();
    let signs = list.iter().zip(&natural).any(|((_, rhs), b)| matches!(rhs, Tree::Neg(_)) && !b.is_line());
    let mut blocks = Vec::new();
    for ((lhs, rhs), natural) in list.iter().zip(natural) {
        let lead = format!("{}{lhs} = ", " ".repeat(INDENT + left - display_width(lhs)));
        let block = match rhs {
            Tree::Neg(inner) if signs => {
                let inner = setter.fit_term(inner, room.saturating_sub(2), false);
                Block::row(&[Block::line("− "), inner])
            }
            _ if signs => Block::row(&[Block::line("  "), setter.fit(rhs, room.saturating_sub(2), false)]),
            _ if natural.width() <= room => natural,
            _ => setter.fit(rhs, room, false),
        };
        blocks.push((0, Block::row(&[Block::line(lead), block])));
    }
    Block::stack(blocks).into_text()
}

impl Typesetter<'_> {
    /// Sets a tree in at most `width` columns where it can be broken.
    fn fit(&self, tree: &Tree, width: usize, inside: bool) -> Block {
        let natural = self.set(tree, inside);
        if natural.width() <= width.max(NARROWEST) {
            return natural;
        }
        match tree {
            Tree::Sum(items) if items.len() > 1 => self.broken_sum(items, width, inside),
            Tree::Neg(inner) => self.signed(tree, true, self.fit_term(inner, width.saturating_sub(2), inside)),
            Tree::Quotient(over, under) => {
                let room = width.saturating_sub(2);
                Block::fraction(&self.fit(over, room, true), &self.fit(under, room, true))
            }
            Tree::Product(items) if items.len() > 1 => self.broken_product(items, width, inside),
            Tree::Power(base, k) if k.is_int() && matches!(**base, Tree::Sum(_)) => {
                self.raised(self.fit(base, width.saturating_sub(4), inside), false, *k)
            }
            _ => natural,
        }
    }

    /// A summand without its sign, in at most `width` columns.
    fn fit_term(&self, tree: &Tree, width: usize, inside: bool) -> Block {
        match tree {
            Tree::Sum(_) | Tree::Neg(_) => self.fit(tree, width.saturating_sub(2), inside).parenthesised(),
            tree => self.fit(tree, width, inside),
        }
    }

    /// Summands filled into lines that begin with their sign.
    fn broken_sum(&self, items: &[Tree], width: usize, inside: bool) -> Block {
        let mut lines: Vec<(usize, Block)> = Vec::new();
        let mut current: Option<Block> = None;
        for (i, tree) in items.iter().enumerate() {
            let indent = if lines.is_empty() { 0 } else { HANG };
            let bare = self.term(tree, inside);
            let next = self.signed(tree, i == 0, bare.clone());
            match current.take() {
                None => current = Some(self.opening(tree, i == 0, bare, width.saturating_sub(indent), inside)),
                Some(line) if indent + line.width() + next.width() <= width => {
                    current = Some(Block::row(&[line, next]))
                }
                Some(line) => {
                    lines.push((indent, line));
                    current = Some(self.opening(tree, false, bare, width.saturating_sub(HANG), inside));
                }
            }
        }
        let indent = if lines.is_empty() { 0 } else { HANG };
        lines.extend(current.map(|line| (indent, line)));
        Block::stack(lines)
    }

    /// A summand at the beginning of a line: `+ x`, broken itself when too wide.
    fn opening(&self, tree: &Tree, first: bool, bare: Block, width: usize, inside: bool) -> Block {
        let room = width.saturating_sub(if first { 0 } else { 2 });
        let block = if bare.width() <= room {
            bare
        } else {
            match tree {
                Tree::Neg(inner) => self.fit_term(inner, room.saturating_sub(first as usize * 2), inside),
                tree => self.fit_term(tree, room, inside),
            }
        };
        if first {
            return self.signed(tree, true, block);
        }
        let sign = if matches!(tree, Tree::Neg(_)) { "− " } else { "+ " };
        Block::row(&[Block::line(sign), block])
    }

    /// A product with its widest sum broken, or else with its factors on several lines.
    fn broken_product(&self, items: &[Tree], width: usize, inside: bool) -> Block {
        let mut factors: Vec<_> =
            items.iter().enumerate().map(|(i, t)| self.factor(t, items.get(i + 1), inside)).collect();
        let breakable = |t: &Tree| match t {
            Tree::Sum(_) => true,
            Tree::Power(base, k) => k.is_int() && matches!(**base, Tree::Sum(_)),
            _ => false,
        };
        let widest = (0..items.len()).filter(|i| breakable(&items[*i])).max_by_key(|i| factors[*i].block.width());
        if let Some(at) = widest {
            let others = self.juxtaposed(&factors).width() - factors[at].block.width();
            let room = width.saturating_sub(others + 2);
            // Narrower than half the line, a broken sum reads worse than broken factors.
            if room * 2 >= width {
                factors[at].block = match &items[at] {
                    sum @ Tree::Sum(_) => self.fit(sum, room, inside).parenthesised(),
                    power => self.fit(power, room + 2, inside),
                };
                return self.juxtaposed(&factors);
            }
        }
        let mut lines: Vec<(usize, Block)> = Vec::new();
        let mut from = 0;
        while from < items.len() {
            let (indent, lead) = if from == 0 { (0, "") } else { (HANG, "· ") };
            let room = width.saturating_sub(indent + display_width(lead));
            let mut to = from + 1;
            while to < items.len() && self.juxtaposed(&factors[from..=to]).width() <= room {
                to += 1;
            }
            let mut line = self.juxtaposed(&factors[from..to]);
            if to == from + 1 && line.width() > room && breakable(&items[from]) {
                line = match &items[from] {
                    sum @ Tree::Sum(_) => self.fit(sum, room.saturating_sub(2), inside).parenthesised(),
                    power => self.fit(power, room, inside),
                };
            }
            lines.push((indent, Block::row(&[Block::line(lead), line])));
            from = to;
        }
        Block::stack(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Expr;

    /// The right-hand side of the rolling disk's θ̈, as in Cendra & Díaz.
    fn disk(g: &mut Graph) -> (Tree, Tree) {
        let [i1, i3, m, grav, r, theta] = ["I1", "I3", "M", "g", "r", "theta"].map(|n| g.named(n));
        let [dtheta, dphi, dpsi] = ["theta'", "phi'", "psi'"].map(|n| g.named(n));
        let (s, c) = (g.sin(theta), g.cos(theta));
        let r2 = g.powi(r, 2);
        let mr2 = g.mul(m, r2);
        let a = g.add(i3, mr2);
        let pc = g.mul(dphi, c);
        let b = g.add(dpsi, pc);
        let ab = g.mul(a, b);
        let i1pc = g.mul(i1, pc);
        let inner = g.sub(ab, i1pc);
        let gyro = g.product([dphi, s, inner]);
        let weight = g.product([m, grav, r, c]);
        let numerator = g.add(weight, gyro);
        let d = g.add(i1, mr2);
        let q = g.div(numerator, d);
        let first = g.neg(q);
        let i3p = g.mul(i3, dpsi);
        let two = g.linear([(i3, crate::number::int(1)), (i1, crate::number::int(-2))]);
        let twop = g.mul(two, pc);
        let sum = g.add(i3p, twop);
        let over = g.mul(dtheta, sum);
        let under = g.mul(i1, s);
        let second = g.div(over, under);
        (Tree::of(g, first), Tree::of(g, second))
    }

    #[test]
    fn equations_look_like_the_paper() {
        let mut g = Graph::new();
        let (a, b) = disk(&mut g);
        let expected = "
         M g r cos θ + φ̇ sin θ ((I₃ + M r²)(ψ̇ + φ̇ cos θ) − I₁ φ̇ cos θ)
  θ̈ = − ───────────────────────────────────────────────────────────────
                                   I₁ + M r²

         θ̇ (I₃ ψ̇ + (I₃ − 2 I₁) φ̇ cos θ)
  φ̈ =   ────────────────────────────────
                    I₁ sin θ";
        assert_eq!(format!("\n{}", equations(&g, &[("θ̈", &a), ("φ̈", &b)], 100)), expected);
    }

    #[test]
    fn wide_sums_are_broken() {
        let mut g = Graph::new();
        let (a, b) = disk(&mut g);
        for width in 0..100 {
            let shown = equations(&g, &[("θ̈", &a), ("φ̈", &b)], width);
            assert!(shown.lines().all(|l| !l.ends_with(' ')), "{shown}");
            let widest = shown.lines().map(display_width).max().unwrap();
            assert!(width < 50 || widest <= width, "{width}\n{shown}");
        }
        let terms: Vec<Expr> = (1..=9).map(|i| g.named(&format!("q{i}"))).collect();
        let s = g.sum(terms);
        let tree = Tree::of(&g, s);
        assert_eq!(equation(&g, "s", &tree, 24), "  s = q₁ + q₂ + q₃ + q₄\n        + q₅ + q₆ + q₇\n        + q₈ + q₉");
    }

    #[test]
    fn small_fractions_inside_fractions_take_one_line() {
        let mut g = Graph::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| g.named(n));
        let half = g.scale(x, &crate::number::ratio(1, 2));
        let s = g.add(half, y);
        let root = g.sqrt(s);
        let q = g.div(root, z);
        let tree = Tree::of(&g, q);
        assert_eq!(equation(&g, "w", &tree, 80), "       √(y + x/2)\n  w = ────────────\n           z");
    }
}
