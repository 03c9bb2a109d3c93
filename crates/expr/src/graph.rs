//! The expression graph: every distinct scalar expression is one node.
//!
//! Nodes are stored once ("hash-consed"), so equal subexpressions share their
//! node and an [`Expr`] is a small index that is equal exactly when the stored
//! form is equal. The stored form is *light*: like terms and like factors are
//! collected, numbers are folded, and nothing is ever multiplied out.
//!
//! ```text
//! Sum      c₀ + Σ cᵢ tᵢ        cᵢ ≠ 0 rational, tᵢ distinct, none a sum or a number
//! Product  c · Π fᵢ^eᵢ         c ≠ 0, eᵢ ≠ 0 rational, fᵢ distinct, none a product
//! ```
//!
//! Constructors are in `op.rs`. Not here: mathematics that needs more than one
//! node to see a zero, such as sin² + cos² = 1 (`equal.rs`, `canonical.rs`).

use crate::number::{Rational, int};
use rustc_hash::FxHashMap;
use std::fmt;

/// A node of a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(pub(crate) u32);

impl Expr {
    /// Position of the node in its graph; operands come before the nodes that use them.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A named unknown: parameter, coordinate, velocity, time, …
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// Position of the symbol in the order in which the symbols of its graph were made.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function known by name only, such as a profile `f(u)` left open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NamedFunction(pub(crate) u32);

/// The exponent of a factor: a rational in lowest terms with positive denominator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Exponent {
    /// Numerator.
    pub n: i32,
    /// Denominator, positive.
    pub d: i32,
}

impl Exponent {
    /// The exponent 1.
    pub const ONE: Exponent = Exponent { n: 1, d: 1 };

    /// `n/d` in lowest terms; `None` when a part does not fit.
    pub fn new(n: i64, d: i64) -> Option<Exponent> {
        if d == 0 {
            return None;
        }
        let (mut a, mut b) = (n.unsigned_abs(), d.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let g = i128::from(a) * i128::from(d.signum());
        Some(Exponent { n: i32::try_from(i128::from(n) / g).ok()?, d: i32::try_from(i128::from(d) / g).ok()? })
    }

    /// An integer exponent.
    pub fn int(n: i32) -> Exponent {
        Exponent { n, d: 1 }
    }

    /// From a rational number, when it is small enough.
    pub fn from_rational(r: &Rational) -> Option<Exponent> {
        Exponent::new(i64::try_from(r.numerator()).ok()?, i64::try_from(r.denominator()).ok()?)
    }

    /// Is it an integer?
    pub fn is_int(self) -> bool {
        self.d == 1
    }

    pub(crate) fn checked_add(self, o: Exponent) -> Option<Exponent> {
        Exponent::new(self.n as i64 * o.d as i64 + o.n as i64 * self.d as i64, self.d as i64 * o.d as i64)
    }

    pub(crate) fn checked_mul(self, o: Exponent) -> Option<Exponent> {
        Exponent::new(self.n as i64 * o.n as i64, self.d as i64 * o.d as i64)
    }

    /// As a rational number.
    pub fn to_rational(self) -> Rational {
        crate::number::ratio(self.n as i64, self.d as i64)
    }
}

/// A transcendental function of one argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Function {
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Exponential.
    Exp,
    /// Natural logarithm.
    Log,
}

/// What a node is made of. See the module head for what is normalised.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A rational constant.
    Number(Rational),
    /// The number π.
    Pi,
    /// A named unknown.
    Symbol(Symbol),
    /// `constant + Σ coefficient · term`.
    Sum {
        /// The rational summand.
        constant: Rational,
        /// The other summands with their coefficients.
        terms: Box<[(Expr, Rational)]>,
    },
    /// `coefficient · Π base^exponent`.
    Product {
        /// The rational factor.
        coefficient: Rational,
        /// The other factors with their exponents.
        factors: Box<[(Expr, Exponent)]>,
    },
    /// sin, cos, exp or log of an argument.
    Call(Function, Expr),
    /// The angle of the point (x, y), in (−π, π]: `Atan2(y, x)`.
    Atan2(Expr, Expr),
    /// A function known by name, differentiated `orders[i]` times in argument `i`.
    Apply {
        /// Which function.
        function: NamedFunction,
        /// Its arguments.
        args: Box<[Expr]>,
        /// How often it is differentiated with respect to each.
        orders: Box<[u8]>,
    },
}

/// Symbols that are not independent of each other. Random states used to decide
/// equality respect these relations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Nine symbols, row by row, form a rotation matrix.
    Rotation([Symbol; 9]),
    /// Three symbols form a unit vector.
    UnitVector([Symbol; 3]),
}

/// How a symbol is named and shown.
#[derive(Clone, Debug)]
pub(crate) struct SymbolInfo {
    pub(crate) name: String,
    pub(crate) latex: Option<String>,
    pub(crate) positive: bool,
}

/// The store of all expressions of one problem.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Expr>,
    pub(crate) symbols: Vec<SymbolInfo>,
    symbol_names: FxHashMap<String, Symbol>,
    pub(crate) functions: Vec<String>,
    relations: Vec<Relation>,
}

impl Default for Graph {
    fn default() -> Self {
        Graph::new()
    }
}

impl Graph {
    /// An empty graph that knows the numbers 0 and 1.
    pub fn new() -> Graph {
        let mut g = Graph {
            nodes: Vec::new(),
            index: FxHashMap::default(),
            symbols: Vec::new(),
            symbol_names: FxHashMap::default(),
            functions: Vec::new(),
            relations: Vec::new(),
        };
        g.number(int(0));
        g.number(int(1));
        g
    }

    /// Number of nodes stored.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: a graph knows 0 and 1 from the start.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node behind an expression.
    pub fn node(&self, e: Expr) -> &Node {
        &self.nodes[e.0 as usize]
    }

    pub(crate) fn intern(&mut self, node: Node) -> Expr {
        if let Some(&e) = self.index.get(&node) {
            return e;
        }
        let e = Expr(u32::try_from(self.nodes.len()).expect("fewer than 2³² nodes"));
        self.nodes.push(node.clone());
        self.index.insert(node, e);
        e
    }

    /// The constant 0.
    pub fn zero(&self) -> Expr {
        Expr(0)
    }

    /// The constant 1.
    pub fn one(&self) -> Expr {
        Expr(1)
    }

    /// A rational constant.
    pub fn number(&mut self, r: Rational) -> Expr {
        self.intern(Node::Number(r))
    }

    /// An integer constant.
    pub fn int(&mut self, n: i64) -> Expr {
        self.number(int(n))
    }

    /// π.
    pub fn pi(&mut self) -> Expr {
        self.intern(Node::Pi)
    }

    /// The symbol with this name, made on first use.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(&s) = self.symbol_names.get(name) {
            return s;
        }
        let s = Symbol(self.symbols.len() as u32);
        self.symbols.push(SymbolInfo { name: name.to_string(), latex: None, positive: false });
        self.symbol_names.insert(name.to_string(), s);
        s
    }

    /// The expression that is just this symbol.
    pub fn var(&mut self, s: Symbol) -> Expr {
        self.intern(Node::Symbol(s))
    }

    /// [`Graph::symbol`] and [`Graph::var`] in one.
    pub fn named(&mut self, name: &str) -> Expr {
        let s = self.symbol(name);
        self.var(s)
    }

    /// The symbol with this name, if there is one.
    pub fn find_symbol(&self, name: &str) -> Option<Symbol> {
        self.symbol_names.get(name).copied()
    }

    /// The name a symbol was made with, such as `theta'`.
    pub fn name(&self, s: Symbol) -> &str {
        &self.symbols[s.0 as usize].name
    }

    /// Number of symbols made so far.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// Sets how LaTeX shows the symbol (otherwise derived from its name).
    pub fn set_latex(&mut self, s: Symbol, latex: &str) {
        self.symbols[s.0 as usize].latex = Some(latex.to_string());
    }

    /// Says that a symbol stands for positive numbers only (masses, lengths), so
    /// that random states of numeric comparisons stay where roots are real.
    pub fn assume_positive(&mut self, s: Symbol) {
        self.symbols[s.0 as usize].positive = true;
    }

    /// A function known by name only.
    pub fn function(&mut self, name: &str) -> NamedFunction {
        if let Some(i) = self.functions.iter().position(|f| f == name) {
            return NamedFunction(i as u32);
        }
        self.functions.push(name.to_string());
        NamedFunction(self.functions.len() as u32 - 1)
    }

    /// The name of a named function.
    pub fn function_name(&self, f: NamedFunction) -> &str {
        &self.functions[f.0 as usize]
    }

    /// Says that symbols are tied to each other.
    pub fn relate(&mut self, relation: Relation) {
        if !self.relations.contains(&relation) {
            self.relations.push(relation);
        }
    }

    /// The relations between symbols that were declared.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The rational number this expression is, if it is one.
    pub fn as_number(&self, e: Expr) -> Option<&Rational> {
        match self.node(e) {
            Node::Number(r) => Some(r),
            _ => None,
        }
    }

    /// The symbol this expression is, if it is one.
    pub fn as_symbol(&self, e: Expr) -> Option<Symbol> {
        match self.node(e) {
            Node::Symbol(s) => Some(*s),
            _ => None,
        }
    }

    /// Is it the constant 0, as stored? (See `equal.rs` for zero as a function.)
    pub fn is_zero(&self, e: Expr) -> bool {
        e == self.zero()
    }

    /// Calls `f` on the operands of a node.
    pub fn for_each_operand(&self, e: Expr, mut f: impl FnMut(Expr)) {
        match self.node(e) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => {}
            Node::Sum { terms, .. } => terms.iter().for_each(|(t, _)| f(*t)),
            Node::Product { factors, .. } => factors.iter().for_each(|(b, _)| f(*b)),
            Node::Call(_, a) => f(*a),
            Node::Atan2(y, x) => {
                f(*y);
                f(*x);
            }
            Node::Apply { args, .. } => args.iter().for_each(|a| f(*a)),
        }
    }

    /// All nodes the given expressions are built from, operands first.
    pub fn reachable(&self, roots: &[Expr]) -> Vec<Expr> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<Expr> = roots.to_vec();
        while let Some(e) = stack.pop() {
            if !std::mem::replace(&mut seen[e.index()], true) {
                self.for_each_operand(e, |o| stack.push(o));
            }
        }
        (0..self.nodes.len() as u32).map(Expr).filter(|e| seen[e.index()]).collect()
    }

    /// The symbols the given expressions contain, in order of creation.
    pub fn free_symbols(&self, roots: &[Expr]) -> Vec<Symbol> {
        let mut found: Vec<Symbol> = self.reachable(roots).iter().filter_map(|e| self.as_symbol(*e)).collect();
        found.sort();
        found
    }

    /// Does the stored form of `e` contain one of these symbols?
    pub fn contains_any(&self, e: Expr, symbols: &[Symbol]) -> bool {
        self.free_symbols(&[e]).iter().any(|s| symbols.contains(s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_reduced() {
        assert_eq!(Exponent::new(2, -4), Some(Exponent { n: -1, d: 2 }));
        assert_eq!(Exponent::new(0, 5), Some(Exponent { n: 0, d: 1 }));
        assert_eq!(Exponent::new(1, 0), None);
        assert_eq!(Exponent::new(i64::MIN, i64::MIN), Some(Exponent::ONE));
        assert_eq!(Exponent::new(i64::MIN, -1), None);
    }

    #[test]
    fn equal_expressions_are_one_node() {
        let mut g = Graph::new();
        let (x, y) = (g.named("x"), g.named("y"));
        let a = g.mul(x, y);
        let b = g.mul(y, x);
        assert_eq!(a, b);
        let before = g.len();
        g.mul(x, y);
        assert_eq!(g.len(), before);
    }
}
