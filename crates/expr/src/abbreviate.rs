//! Names for what occurs again and again: large expressions as a page of short ones.
//!
//! ```text
//! y₁ = (a + b) c/(1 + (a + b)²)          z₁ = a + b,   z₂ = 1 + z₁²
//! y₂ = (a + b)/(1 + (a + b)²)      ⟶     y₁ = c z₁/z₂,   y₂ = z₁/z₂
//! ```
//!
//! A node of the graph gets a name if it is used more than once and is worth one, or if what it is part of would
//! become too large to be read. Every name is defined by those before it. Nothing is rewritten: with the definitions put in, the trees are
//! the stored form.

use crate::graph::{Expr, Graph, Symbol};
use crate::tree::{Names, Tree};
use rustc_hash::FxHashMap;

/// Nodes of what is worth a name, where it is used more than once.
const WORTH: usize = 7;

/// Nodes of one tree, about.
const LARGEST: usize = 90;

/// Nodes of a tree that nobody reads, such as a determinant that was multiplied out.
const UNREADABLE: usize = 300;

/// Letters for names, in the order in which they are tried.
const LETTERS: [&str; 6] = ["z", "s", "k", "c", "w", "aux_"];

/// Expressions by means of names.
#[derive(Clone, Debug)]
pub struct Abbreviated {
    /// The names in the order of their definitions.
    pub names: Vec<(Symbol, Tree)>,
    /// The expressions.
    pub trees: Vec<Tree>,
}

impl Graph {
    /// The expressions by means of at most so many names, with symbols ordered by `rank`; `None` where more are needed, or where something is
    /// too long to be read even so.
    pub fn abbreviated(&mut self, roots: &[Expr], rank: &dyn Fn(Symbol) -> u32, most: usize) -> Option<Abbreviated> {
        let named = self.worth_naming(roots);
        if named.len() > most {
            return None;
        }
        let taken =
            |g: &Graph, letter: &str| (1..=named.len()).any(|k| g.find_symbol(&format!("{letter}{k}")).is_some());
        let letter = LETTERS.into_iter().find(|l| !taken(self, l))?;
        let symbols = named.iter().enumerate().map(|(k, e)| (*e, self.symbol(&format!("{letter}{}", k + 1))));
        let names: Names = symbols.collect();
        let tree = |e: &Expr| Tree::of_named(self, *e, rank, &names);
        let definitions: Vec<(Symbol, Tree)> = named.iter().map(|e| (names[e], tree(e))).collect();
        let trees: Vec<Tree> = roots.iter().map(tree).collect();
        let readable = definitions.iter().map(|(_, t)| t).chain(&trees).all(|t| t.nodes() <= UNREADABLE);
        readable.then_some(Abbreviated { names: definitions, trees })
    }

    /// The nodes that get a name, operands first.
    fn worth_naming(&self, roots: &[Expr]) -> Vec<Expr> {
        let reachable = self.reachable(roots);
        let mut uses: FxHashMap<Expr, usize> = FxHashMap::default();
        for e in &reachable {
            self.for_each_operand(*e, |o| *uses.entry(o).or_default() += 1);
        }
        let mut size: FxHashMap<Expr, usize> = FxHashMap::default();
        let mut named = Vec::new();
        for e in reachable {
            let mut own = 1;
            self.for_each_operand(e, |o| own += size.get(&o).copied().unwrap_or(1));
            let used = uses.get(&e).copied().unwrap_or(0);
            // what nothing is made of stands for itself
            let worth = (used > 1 && own >= WORTH) || (used == 1 && own > LARGEST);
            if worth {
                named.push(e);
            }
            size.insert(e, if worth { 1 } else { own });
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::int;

    /// xₙ₊₁ = (xₙ + y)²/(xₙ − y) + cos xₙ: a tree that doubles with every step.
    fn nested(g: &mut Graph, steps: usize) -> Expr {
        let (mut x, y) = (g.named("x"), g.named("y"));
        for _ in 0..steps {
            let (p, m, c) = (g.add(x, y), g.sub(x, y), g.cos(x));
            let p = g.powi(p, 2);
            let q = g.div(p, m);
            x = g.add(q, c);
        }
        x
    }

    #[test]
    fn definitions_put_in_give_the_expression_back() {
        let mut g = Graph::new();
        let e = nested(&mut g, 12);
        let found = g.abbreviated(&[e], &|_| 0, 50).expect("few names");
        assert!(found.names.len() >= 10, "{}", found.names.len());
        assert!(found.names.iter().all(|(_, t)| t.nodes() < 2 * LARGEST));
        let mut values: FxHashMap<Symbol, Expr> = FxHashMap::default();
        let mut known: Vec<Symbol> = ["x", "y"].map(|n| g.symbol(n)).to_vec();
        for (name, tree) in &found.names {
            assert!(tree.contains_only(&known), "a name is defined by those before it");
            let written = tree.to_expr(&mut g);
            let value = g.substitute(written, &values);
            values.insert(*name, value);
            known.push(*name);
        }
        let written = found.trees[0].to_expr(&mut g);
        let whole = g.substitute(written, &values);
        assert_eq!(whole, e);
    }

    #[test]
    fn names_are_new() {
        let mut g = Graph::new();
        let taken = g.named("z1");
        let e = nested(&mut g, 5);
        let e = g.mul(taken, e);
        let found = g.abbreviated(&[e], &|_| 0, 50).expect("few names");
        assert!(found.names.iter().all(|(s, _)| g.name(*s).starts_with('s')));
    }

    #[test]
    fn too_many_names_are_none() {
        let mut g = Graph::new();
        let e = nested(&mut g, 12);
        assert!(g.abbreviated(&[e], &|_| 0, 3).is_none());
        let two = g.number(int(2));
        let found = g.abbreviated(&[two], &|_| 0, 0).expect("nothing to name");
        assert!(found.names.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_none() {
        let mut g = Graph::new();
        let parts: Vec<Expr> = (0..UNREADABLE).map(|i| g.named(&format!("x{i}"))).collect();
        let e = g.sum(parts);
        assert!(g.abbreviated(&[e], &|_| 0, 50).is_none());
    }
}
