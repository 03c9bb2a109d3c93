//! The readable level: of the many equal ways to write a fraction, a short one.
//!
//! Truth comes from polynomials (`canonical.rs`); here only the writing is chosen. For
//! each fraction the candidates are
//!
//! - cos² replaced by 1 − sin², or not, for each angle;
//! - the numerator factored, then grouped: by a common factor pulled out of some of the
//!   terms, by parameter (like coefficients put together), by monomials of the rest;
//! - one fraction, or a sum of two with simpler denominators,
//!
//! ```text
//! N/(f g h) = P/(f h) + Q/(g h),   P = (N/g) at the zero of f,  Q = (N − P g)/f,     (P1)
//!   for f linear in a symbol that g does not contain, whenever P is a polynomial;
//! ```
//!
//! - base angles that are symbols, or those that occur;
//! - the canonical form as it is stored, with a number in front of each term.
//!
//! The one with the fewest operations ([`Tree::operations`]) wins. The search is greedy
//! with a little width and bounded by the number of terms, so it takes microseconds for
//! what a page can hold.

use crate::budget::GROUPED_TERMS;
use crate::canonical::{Fraction, MAX_TERMS, divide};
use crate::graph::{Exponent, Expr, Function, Graph, Node, Symbol};
use crate::number::{Rational, int, is_negative};
use crate::ring::{AngleBasis, NotCanonical, Ring};
use crate::tree::{Head, Tree};
use dashu_int::IBig;
use polhode_poly::factor::factor;
use polhode_poly::{Monomial, Poly};
use rustc_hash::FxHashMap;

/// How many variables to pull out are tried at the top of a search; fewer below.
const WIDTH: [usize; 3] = [4, 2, 1];

/// What a function is applied to may have this many nodes, written out.
const ATOM_NODES: usize = 2000;

/// Angles whose two representatives are both tried; with more, only all-or-nothing.
const ANGLES_TRIED: usize = 3;

/// What counts as a parameter: parameters come first in products and are collected.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Symbols that are constants of the problem.
    pub parameters: Vec<Symbol>,
}

impl Reading {
    /// Parameters first, then everything else.
    pub fn rank(&self, s: Symbol) -> u32 {
        u32::from(!self.parameters.contains(&s))
    }
}

impl Graph {
    /// The expression as a person would like to read it; an error when it is too large
    /// for canonical form (then [`Tree::of_ranked`] shows the stored form).
    pub fn readable(&mut self, e: Expr, reading: &Reading) -> Result<Tree, NotCanonical> {
        let mut best: Option<Tree> = None;
        let bases = if self.has_compound_angles(e) {
            &[AngleBasis::Symbols, AngleBasis::Occurring][..]
        } else {
            &[AngleBasis::Symbols]
        };
        let mut failure = NotCanonical::TooLarge;
        for basis in bases {
            let attempt = Ring::new(self, &[e], *basis, MAX_TERMS).and_then(|mut ring| {
                let f = ring.fraction(self, e)?;
                Writer::new(self, &ring, reading)?.write(&f)
            });
            match attempt {
                Ok(tree) => keep_shorter(&mut best, tree),
                Err(e) => failure = e,
            }
        }
        let rank = |s: Symbol| reading.rank(s);
        let best = best.map(|t| fewer_signs(t).arranged(self, &rank)).ok_or(failure)?;
        Ok(self.shorter_as_stored(e, &rank, best.operations()).unwrap_or(best))
    }

    /// The canonical form as it is stored, if that takes fewer operations: it writes
    /// x + 3/2 instead of (2 x + 3)/2, and tan x.
    fn shorter_as_stored(&mut self, e: Expr, rank: &dyn Fn(Symbol) -> u32, operations: usize) -> Option<Tree> {
        let canonical = self.canonical(e).ok()?;
        let tree = Tree::of_ranked(self, canonical, rank, 3 * operations + 3)?;
        (tree.operations() < operations).then_some(tree)
    }

    /// [`Graph::readable`], or the stored form when that is not possible; `None` when
    /// even the stored form has more than `max_nodes` nodes.
    pub fn readable_or_stored(&mut self, e: Expr, reading: &Reading, max_nodes: usize) -> Option<Tree> {
        match self.readable(e, reading) {
            Ok(tree) if tree.nodes() <= max_nodes => Some(tree),
            _ => Tree::of_ranked(self, e, &|s| reading.rank(s), max_nodes),
        }
    }

    /// The expression in its readable form, as an expression; unchanged when it has none.
    pub fn simplify(&mut self, e: Expr, reading: &Reading) -> Expr {
        match self.readable(e, reading) {
            Ok(tree) => tree.to_expr(self),
            Err(_) => e,
        }
    }

    /// Does a sine or cosine have an argument that is not a symbol?
    fn has_compound_angles(&self, e: Expr) -> bool {
        self.reachable(&[e]).into_iter().any(|n| match self.node(n) {
            Node::Call(Function::Sin | Function::Cos, a) => self.as_symbol(*a).is_none(),
            _ => false,
        })
    }
}

fn keep_shorter(best: &mut Option<Tree>, candidate: Tree) {
    let cost = |t: &Tree| (t.operations(), t.nodes());
    if best.as_ref().is_none_or(|b| cost(&candidate) < cost(b)) {
        *best = Some(candidate);
    }
}

/// Writes fractions of one ring as trees.
struct Writer<'a> {
    ring: &'a Ring,
    atoms: Vec<Tree>,
    /// Variables that are parameters, as a mask.
    parameters: u32,
    memo: std::cell::RefCell<FxHashMap<(Poly, usize), Tree>>,
}

impl<'a> Writer<'a> {
    fn new(graph: &Graph, ring: &'a Ring, reading: &Reading) -> Result<Writer<'a>, NotCanonical> {
        let tree = |e: Expr| Tree::of_limited(graph, e, ATOM_NODES).ok_or(NotCanonical::TooLarge);
        let mut atoms = Vec::new();
        let mut parameters = 0;
        for (v, e) in ring.atoms().iter().enumerate() {
            if graph.as_symbol(*e).is_some_and(|s| reading.parameters.contains(&s)) {
                parameters |= 1 << v;
            }
            atoms.push(match graph.node(*e) {
                Node::Call(f @ (Function::Sin | Function::Cos | Function::Exp | Function::Log), a) => {
                    let head = match f {
                        Function::Sin => Head::Sin,
                        Function::Cos => Head::Cos,
                        Function::Exp => Head::Exp,
                        Function::Log => Head::Log,
                    };
                    Tree::Call(head, Box::new(tree(*a)?))
                }
                _ => tree(*e)?,
            });
        }
        Ok(Writer { ring, atoms, parameters, memo: Default::default() })
    }

    fn write(&self, f: &Fraction) -> Result<Tree, NotCanonical> {
        if f.is_zero() {
            return Ok(Tree::Number(int(0)));
        }
        let whole = self.single(f)?;
        let mut best = Some(whole);
        for (p, q) in self.splits(f)? {
            let sum = add(self.single(&p)?, self.single(&q)?);
            keep_shorter(&mut best, sum);
            if let Some(tree) = self.shared(p, q)? {
                keep_shorter(&mut best, tree);
            }
        }
        best.ok_or(NotCanonical::TooLarge)
    }

    /// A sum of two fractions with what both numerators have in common in front: a (p/f + q/g).
    fn shared(&self, mut p: Fraction, mut q: Fraction) -> Result<Option<Tree>, NotCanonical> {
        let common = p.num.monomial_content().gcd(&q.num.monomial_content());
        let (Some(first), Some(second)) = (p.num.div_monomial(&common), q.num.div_monomial(&common)) else {
            return Ok(None);
        };
        (p.num, q.num) = (first, second);
        let mut factors = self.monomial(&common);
        if factors.is_empty() {
            return Ok(None);
        }
        factors.push(add(self.single(&p)?, self.single(&q)?));
        Ok(product(factors))
    }

    /// One fraction bar.
    fn single(&self, f: &Fraction) -> Result<Tree, NotCanonical> {
        let mut best = None;
        for num in self.representatives(&f.num)? {
            let (sign, tree) = self.polynomial(&num);
            let denominator = self.denominator(f)?;
            keep_shorter(&mut best, quotient(sign, tree, denominator));
        }
        best.ok_or(NotCanonical::TooLarge)
    }

    /// The numerator with cos² or sin² eliminated, angle by angle.
    fn representatives(&self, p: &Poly) -> Result<Vec<Poly>, NotCanonical> {
        let angles: Vec<_> = self.ring.angles.iter().filter(|a| p.degree(a.cos) > 1).collect();
        let mut out = vec![p.clone()];
        if angles.len() <= ANGLES_TRIED {
            for a in angles {
                for i in 0..out.len() {
                    out.push(self.ring.prefer_sine(&out[i], a)?);
                }
            }
        } else {
            let mut all = p.clone();
            for a in angles {
                all = self.ring.prefer_sine(&all, a)?;
            }
            out.push(all);
        }
        out.extend(self.ring.unit_vector_writings(p)?);
        out.sort_by_key(Poly::len);
        out.dedup();
        Ok(out)
    }

    fn denominator(&self, f: &Fraction) -> Result<Option<Tree>, NotCanonical> {
        let mut factors = Vec::new();
        if f.content != IBig::ONE {
            factors.push(Tree::Number(Rational::from(f.content.clone())));
        }
        for (p, k) in &f.den {
            let mut best = None;
            for r in self.representatives(p)? {
                let (negative, tree) = self.polynomial(&r);
                keep_shorter(&mut best, if negative { tree.negated() } else { tree });
            }
            factors.extend(best.map(|t| power(t, *k)));
        }
        Ok(product(factors))
    }

    /// The sign of a polynomial and the shortest tree found for its absolute value.
    fn polynomial(&self, p: &Poly) -> (bool, Tree) {
        let factored = factor(p);
        let negative = factored.content < IBig::ZERO;
        let content = if negative { -factored.content } else { factored.content };
        let mut sign = negative;
        let mut factors = Vec::new();
        if content != IBig::ONE {
            factors.push(Tree::Number(Rational::from(content)));
        }
        for (q, k) in &factored.factors {
            let mut tree = self.irreducible(q, 0);
            // A factor in which most terms are negative is shown with its sign reversed.
            if prefers_negation(&tree) {
                tree = tree.negated();
                sign ^= k % 2 == 1;
            }
            factors.push(power(tree, *k));
        }
        (sign, product(factors).unwrap_or(Tree::Number(int(1))))
    }

    /// A polynomial without common factors as a sum, grouped.
    fn irreducible(&self, p: &Poly, depth: usize) -> Tree {
        if p.len() <= 1 {
            return self.flat(p);
        }
        let width = WIDTH[depth.min(WIDTH.len() - 1)];
        if let Some(known) = self.memo.borrow().get(&(p.clone(), width)) {
            return known.clone();
        }
        let mut best = Some(self.flat(p));
        if p.len() > 2 && p.len() <= GROUPED_TERMS {
            for mask in [self.parameters, !self.parameters] {
                if let Some(tree) = self.by_like_coefficients(p, mask, depth) {
                    keep_shorter(&mut best, tree);
                }
            }
            for v in self.common_variables(p, width) {
                keep_shorter(&mut best, self.pulled_out(p, v, depth));
            }
        }
        let tree = best.unwrap_or_else(|| self.flat(p));
        self.memo.borrow_mut().insert((p.clone(), width), tree.clone());
        tree
    }

    /// A polynomial that may have common factors, at some depth of a search.
    fn grouped(&self, p: &Poly, depth: usize) -> Tree {
        let common = p.monomial_content();
        let content = p.content();
        let Some(rest) = p.div_monomial(&common) else { return self.flat(p) };
        let rest = rest.div_exact(&Poly::constant(content.clone())).unwrap_or(rest);
        let factored = if rest.len() <= GROUPED_TERMS { Some(factor(&rest)) } else { None };
        let mut factors = Vec::new();
        let mut negative = false;
        if content != IBig::ONE {
            factors.push(Tree::Number(Rational::from(content)));
        }
        factors.extend(self.monomial(&common));
        match factored {
            Some(f) if f.factors.len() > 1 || f.factors.iter().any(|(_, k)| *k > 1) => {
                negative ^= f.content < IBig::ZERO;
                for (q, k) in &f.factors {
                    let mut tree = self.irreducible(q, depth + 1);
                    if prefers_negation(&tree) {
                        tree = tree.negated();
                        negative ^= k % 2 == 1;
                    }
                    factors.push(power(tree, *k));
                }
            }
            _ => {
                let tree = self.irreducible(&rest, depth);
                if factors.is_empty() {
                    return tree;
                }
                let flipped = prefers_negation(&tree);
                negative ^= flipped;
                let tree = if flipped { tree.negated() } else { tree };
                if tree != Tree::Number(int(1)) {
                    factors.push(tree);
                }
            }
        }
        let tree = product(factors).unwrap_or(Tree::Number(int(1)));
        if negative { tree.negated() } else { tree }
    }

    /// The variables that occur in most, but not all, terms.
    fn common_variables(&self, p: &Poly, width: usize) -> Vec<usize> {
        let mut count: Vec<(usize, usize)> = (0..self.atoms.len())
            .map(|v| (p.terms().iter().filter(|(m, _)| m.exponent(v) > 0).count(), v))
            .filter(|(c, _)| *c >= 2 && *c < p.len())
            .collect();
        count.sort_by_key(|(c, v)| (std::cmp::Reverse(*c), *v));
        count.into_iter().take(width).map(|(_, v)| v).collect()
    }

    /// p = (terms with v) + (terms without), each grouped on its own.
    fn pulled_out(&self, p: &Poly, v: usize, depth: usize) -> Tree {
        let (with, without): (Vec<_>, Vec<_>) = p.terms().iter().cloned().partition(|(m, _)| m.exponent(v) > 0);
        let inner = self.grouped(&Poly::from_terms(with), depth + 1);
        add(inner, self.grouped(&Poly::from_terms(without), depth + 1))
    }

    /// Σ coefficient(masked variables) · monomial(others), with equal coefficients put together:
    /// (I₃ + M r²) ψ̇ + (I₃ + M r²) φ̇ cos θ becomes (I₃ + M r²)(ψ̇ + φ̇ cos θ).
    fn by_like_coefficients(&self, p: &Poly, mask: u32, depth: usize) -> Option<Tree> {
        let mut by_rest: Vec<(Monomial, Vec<(Monomial, IBig)>)> = Vec::new();
        for (m, c) in p.terms() {
            let (inside, outside) = m.split(mask);
            match by_rest.iter_mut().find(|(o, _)| *o == outside) {
                Some((_, list)) => list.push((inside, c.clone())),
                None => by_rest.push((outside, vec![(inside, c.clone())])),
            }
        }
        let mut by_coefficient: Vec<(Poly, Vec<(Monomial, IBig)>)> = Vec::new();
        for (outside, list) in by_rest {
            let coefficient = Poly::from_terms(list);
            let primitive = coefficient.primitive();
            let scale = coefficient.div_exact(&primitive)?.as_constant()?;
            match by_coefficient.iter_mut().find(|(q, _)| *q == primitive) {
                Some((_, monomials)) => monomials.push((outside, scale)),
                None => by_coefficient.push((primitive, vec![(outside, scale)])),
            }
        }
        if by_coefficient.len() < 2 {
            return None; // the whole polynomial again, since it has no factors
        }
        let mut total: Option<Tree> = None;
        for (coefficient, monomials) in by_coefficient {
            let inner = self.grouped(&Poly::from_terms(monomials), depth + 1);
            let outer = self.grouped(&coefficient, depth + 1);
            let term = multiply(outer, inner);
            total = Some(match total {
                Some(t) => add(t, term),
                None => term,
            });
        }
        total
    }

    /// All terms side by side.
    fn flat(&self, p: &Poly) -> Tree {
        let mut terms = Vec::with_capacity(p.len());
        for (m, c) in p.terms() {
            let negative = c < &IBig::ZERO;
            let absolute = if negative { -c.clone() } else { c.clone() };
            let mut factors = Vec::new();
            if absolute != IBig::ONE {
                factors.push(Tree::Number(Rational::from(absolute)));
            }
            factors.extend(self.monomial(m));
            let t = product(factors).unwrap_or(Tree::Number(int(1)));
            terms.push(if negative { t.negated() } else { t });
        }
        match terms.len() {
            0 => Tree::Number(int(0)),
            1 => terms.swap_remove(0),
            _ => Tree::Sum(terms),
        }
    }

    fn monomial(&self, m: &Monomial) -> Vec<Tree> {
        m.iter().map(|(v, k)| power(self.atoms[v].clone(), k as u32)).collect()
    }

    /// The ways (P1) of writing a fraction as a sum of two.
    fn splits(&self, f: &Fraction) -> Result<Vec<(Fraction, Fraction)>, NotCanonical> {
        let mut out = Vec::new();
        for (i, (first, k)) in f.den.iter().enumerate() {
            for (j, (second, l)) in f.den.iter().enumerate() {
                if i != j && *k == 1 && *l == 1 {
                    out.extend(self.split(f, i, first, j, second)?);
                }
            }
        }
        Ok(out)
    }

    fn split(
        &self,
        f: &Fraction,
        i: usize,
        first: &Poly,
        j: usize,
        second: &Poly,
    ) -> Result<Option<(Fraction, Fraction)>, NotCanonical> {
        let candidates = first.variables() & !second.variables() & self.parameters;
        for v in (0..self.atoms.len()).filter(|v| candidates >> v & 1 == 1) {
            if first.degree(v) != 1 {
                continue;
            }
            let parts = first.coefficients_in(v);
            let Some(slope) = parts[1].as_constant() else { continue };
            if slope != IBig::ONE && slope != IBig::from(-1) {
                continue;
            }
            // The zero of ±v + b is ∓b.
            let root = if slope == IBig::ONE { parts[0].neg() } else { parts[0].clone() };
            let at_root = f.num.substitute(v, &root, self.ring.max_terms)?;
            let Some((p, one)) = divide(self.ring, &self.ring.reduce(&at_root)?, second)? else { continue };
            if one != IBig::ONE {
                continue;
            }
            let rest = f.num.sub(&self.ring.reduce(&p.checked_mul(second, self.ring.max_terms)?)?);
            let Some((q, two)) = divide(self.ring, &rest, first)? else { continue };
            if two != IBig::ONE || p.is_zero() || q.is_zero() {
                continue;
            }
            let without = |n: usize, num: Poly| {
                let den = f.den.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, d)| d.clone()).collect();
                Fraction { num, content: f.content.clone(), den }.cancelled(self.ring)
            };
            return Ok(Some((without(j, p)?, without(i, q)?)));
        }
        Ok(None)
    }
}

/// Moves minus signs into differences where that makes fewer of them:
/// −a (b − c) becomes a (c − b).
fn fewer_signs(tree: Tree) -> Tree {
    match tree {
        Tree::Neg(inner) => {
            let inner = fewer_signs(*inner);
            absorb_sign(&inner).unwrap_or_else(|| inner.negated())
        }
        Tree::Sum(items) => Tree::Sum(items.into_iter().map(fewer_signs).collect()),
        Tree::Product(items) => Tree::Product(items.into_iter().map(fewer_signs).collect()),
        Tree::Quotient(a, b) => {
            let (a, b) = (fewer_signs(*a), fewer_signs(*b));
            // −a/b and a/−b read best with the sign in front of the bar.
            match (a, b) {
                (Tree::Neg(a), Tree::Neg(b)) => Tree::Quotient(a, b),
                (Tree::Neg(a), b) => fewer_signs(Tree::Quotient(a, Box::new(b)).negated()),
                (a, Tree::Neg(b)) => fewer_signs(Tree::Quotient(Box::new(a), b).negated()),
                (a, b) if prefers_negation(&b) => {
                    fewer_signs(Tree::Quotient(Box::new(a), Box::new(b.negated())).negated())
                }
                (a, b) => Tree::Quotient(Box::new(a), Box::new(b)),
            }
        }
        Tree::Power(base, k) => Tree::Power(Box::new(fewer_signs(*base)), k),
        other => other,
    }
}

/// −tree without a sign in front, if one of its factors is a sum with at least as many
/// subtracted as added terms.
fn absorb_sign(tree: &Tree) -> Option<Tree> {
    let flips = |t: &Tree| match t {
        Tree::Sum(terms) => 2 * signs(terms) >= terms.len(),
        _ => false,
    };
    match tree {
        Tree::Sum(_) if flips(tree) => Some(flipped(tree.clone())),
        Tree::Product(items) => {
            let at = items.iter().position(flips)?;
            let mut items = items.clone();
            items[at] = flipped(items[at].clone());
            Some(Tree::Product(items))
        }
        Tree::Quotient(a, b) => Some(Tree::Quotient(Box::new(absorb_sign(a)?), b.clone())),
        _ => None,
    }
}

/// −sum, with the sign taken into each term.
fn flipped(tree: Tree) -> Tree {
    match tree {
        Tree::Sum(terms) => Tree::Sum(
            terms
                .into_iter()
                .map(|t| match t {
                    Tree::Neg(inner) => *inner,
                    other => absorb_sign(&other).unwrap_or_else(|| other.negated()),
                })
                .collect(),
        ),
        other => other.negated(),
    }
}

fn signs(terms: &[Tree]) -> usize {
    terms.iter().filter(|t| matches!(t, Tree::Neg(_))).count()
}

/// More terms subtracted than added?
fn prefers_negation(tree: &Tree) -> bool {
    match tree {
        Tree::Sum(terms) => 2 * signs(terms) > terms.len(),
        Tree::Neg(_) => true,
        _ => false,
    }
}

fn power(tree: Tree, k: u32) -> Tree {
    match (tree, k) {
        (t, 1) => t,
        (Tree::Power(base, e), k) if e.checked_mul(Exponent::int(k as i32)).is_some() => {
            let total = e.checked_mul(Exponent::int(k as i32)).unwrap_or(e);
            if total == Exponent::ONE { *base } else { Tree::Power(base, total) }
        }
        (t, k) => Tree::Power(Box::new(t), Exponent::int(k as i32)),
    }
}

/// The product of factors; none for the empty product.
fn product(mut factors: Vec<Tree>) -> Option<Tree> {
    match factors.len() {
        0 => None,
        1 => factors.pop(),
        _ => {
            let mut flat = Vec::with_capacity(factors.len());
            let mut negative = false;
            for f in factors {
                let f = match f {
                    Tree::Neg(inner) => {
                        negative = !negative;
                        *inner
                    }
                    other => other,
                };
                match f {
                    Tree::Product(inner) => flat.extend(inner),
                    Tree::Number(r) if r.is_one() => {}
                    other => flat.push(other),
                }
            }
            let tree = match flat.len() {
                0 => Tree::Number(int(1)),
                1 => flat.swap_remove(0),
                _ => Tree::Product(flat),
            };
            Some(if negative { tree.negated() } else { tree })
        }
    }
}

fn multiply(a: Tree, b: Tree) -> Tree {
    let one = Tree::Number(int(1));
    match (a, b) {
        (a, b) if a == one => b,
        (a, b) if b == one => a,
        (a, b) => product(vec![a, b]).unwrap_or(one),
    }
}

fn add(a: Tree, b: Tree) -> Tree {
    let mut terms = Vec::new();
    for t in [a, b] {
        match t {
            Tree::Sum(inner) => terms.extend(inner),
            Tree::Number(r) if r.is_zero() => {}
            other => terms.push(other),
        }
    }
    match terms.len() {
        0 => Tree::Number(int(0)),
        1 => terms.swap_remove(0),
        _ => Tree::Sum(terms),
    }
}

/// ±num/den, with a sum over the bar shown with the sign that leaves fewer minus signs.
fn quotient(negative: bool, num: Tree, den: Option<Tree>) -> Tree {
    let mut negative = negative;
    let num = match num {
        Tree::Neg(inner) => {
            negative = !negative;
            *inner
        }
        Tree::Sum(_) if prefers_negation(&num) => {
            negative = !negative;
            num.negated()
        }
        other => other,
    };
    let tree = match den {
        None => num,
        Some(Tree::Number(d)) => match num {
            Tree::Number(n) => Tree::Number(n / d),
            num => Tree::Quotient(Box::new(num), Box::new(Tree::Number(d))),
        },
        Some(den) => Tree::Quotient(Box::new(num), Box::new(den)),
    };
    debug_assert!(!matches!(&tree, Tree::Number(r) if is_negative(r)), "signs are kept outside");
    if negative { tree.negated() } else { tree }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print;

    /// (2.6) of Cendra and Díaz comes out of its unsimplified form in one fraction.
    #[test]
    fn sine_cancels_against_one_minus_cosine_squared() {
        let mut g = Graph::new();
        let theta = g.named("theta");
        let (s, c) = (g.sin(theta), g.cos(theta));
        let one = g.one();
        let cc = g.powi(c, 2);
        let d = g.sub(one, cc);
        let e = g.div(s, d);
        let tree = g.readable(e, &Reading::default()).unwrap();
        assert_eq!(print::text(&g, &tree), "1/sin θ");
    }

    #[test]
    fn like_coefficients_are_collected() {
        let mut g = Graph::new();
        let names = ["I3", "M", "r"];
        let parameters = names.map(|n| g.symbol(n)).to_vec();
        let [i3, m, r] = names.map(|n| g.named(n));
        let (a, b) = (g.named("a"), g.named("b"));
        let rr = g.powi(r, 2);
        let mrr = g.mul(m, rr);
        let j = g.add(i3, mrr);
        let sum = g.add(a, b);
        let p = g.mul(j, sum);
        let extra = g.mul(i3, a);
        let e = g.add(p, extra);
        let expanded = g.expand(e, 100).unwrap();
        let tree = g.readable(expanded, &Reading { parameters }).unwrap();
        assert!(tree.operations() <= 8, "{}", print::text(&g, &tree));
        let back = tree.to_expr(&mut g);
        assert!(g.equal(back, e).is_equal());
    }

    #[test]
    fn partial_fractions_are_found() {
        let mut g = Graph::new();
        let names = ["A", "B"];
        let parameters = names.map(|n| g.symbol(n)).to_vec();
        let [a, b] = names.map(|n| g.named(n));
        let (x, y) = (g.named("x"), g.named("y"));
        let (p, q) = (g.div(x, a), g.div(y, b));
        let e = g.add(p, q);
        let tree = g.readable(e, &Reading { parameters }).unwrap();
        assert_eq!(tree.operations(), 3, "{}", print::text(&g, &tree));
    }
}
