//! Printers: the same expression for people, papers and programs.
//!
//! | function | for | example |
//! | --- | --- | --- |
//! | [`text`] | one line of Unicode | `−M g r cos θ` |
//! | [`equation`], [`equations`] | the terminal, with fraction bars | see `layout.rs` |
//! | [`ascii`] | model files, reads back exactly | `-M*g*r*cos(theta)` |
//! | [`latex`], [`latex_equations`] | papers and web pages | `-M g r \cos\theta` |
//! | [`latex_equation`] | the same, broken into rows where it is wider than a page | `y = a \\\\ &\qquad {} + b` |
//! | [`json`] | other programs | `{"op":"neg","args":[…]}` |
//! | [`code`] | Python, C and Rust, sharing kept | `t1 = cos(theta)` |
//!
//! All but [`code`] print a [`Tree`](crate::Tree) as it stands; the order of terms is
//! decided where the tree is made. [`code`] reads the graph itself, because there
//! sharing matters and beauty does not.

mod ascii;
mod block;
mod broken;
mod code;
mod json;
mod latex;
mod layout;
mod names;
mod text;

pub use ascii::ascii;
pub use block::display_width;
pub use broken::{PAGE, latex_equation, latex_rows, latex_value, rows_environment};
pub use code::{Language, code};
pub use json::json;
pub use latex::{latex, latex_equations};
pub use layout::{equation, equations};
pub use names::{identifier, latex_name, latex_symbol, unicode_name, unicode_symbol};
pub use text::text;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Exponent, Graph, Symbol};
    use crate::tree::{ELIDED, Tree};

    /// The deepest trees that are made, through every printer, on the stack of a test.
    #[test]
    fn depth_does_not_exhaust_the_stack() {
        let mut g = Graph::new();
        let (x, y) = (g.named("x"), g.named("y"));
        let mut e = x;
        for i in 0..Tree::MAX_DEPTH {
            let s = g.add(e, y);
            let p = g.pow(s, Exponent { n: -3, d: 2 });
            e = if i % 2 == 0 { g.sin(p) } else { g.mul(p, x) };
            e = g.neg(e);
        }
        let tree = Tree::of(&g, e);
        assert!(text(&g, &tree).contains('…'));
        assert!(ascii(&g, &tree).contains('…'));
        assert!(latex(&g, &tree).contains("\\ldots"));
        assert!(json(&g, &tree).contains('…'));
        assert!(equation(&g, "e", &tree, 80).contains('…'));
        let back = tree.to_expr(&mut g);
        assert_ne!(back, e);
        assert!(code(&g, Language::Rust, "f", &[], &[("e", e)], "").contains("fn f("));
    }

    #[test]
    fn symbols_and_functions_of_another_graph_are_shown_as_dots() {
        let (mut other, g) = (Graph::new(), Graph::new());
        let x = other.named("x");
        let f = other.function("f");
        let e = other.apply(f, vec![x]);
        let tree = Tree::of(&other, e);
        assert_eq!(text(&g, &tree), "…(…)");
        assert_eq!(ascii(&g, &Tree::Symbol(ELIDED)), "…");
        assert_eq!(unicode_symbol(&g, Symbol(7)), "…");
    }
}
