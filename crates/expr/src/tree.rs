//! Expressions as a person writes them: an ordered tree for printing.
//!
//! The graph stores one normal form; people want an order, a sign and a fraction
//! bar in a particular place. A [`Tree`] fixes these and nothing else: printers
//! print it as it stands. Trees come from `readable.rs` (searched for shortness)
//! or from [`Tree::of`] (the stored form as it is).
//!
//! The habits followed:
//!
//! ```text
//! product   number, √number, π, symbols, roots, functions, fractions, (sums);
//!           a sum of parameters alone is a coefficient:                     (I₃ − 2 I₁) φ̇ cos θ
//! symbols   by rank; of equal rank undotted first, masses, g, then by age:  M g r cos θ
//! sum       short terms first, a positive one in front:                     I₁ + M r²
//! quotient  negative powers and denominators of coefficients:               M r²/2
//! tangent   sinᵏ x / cosᵏ x = tanᵏ x
//! ```
//!
//! Not here: a search for a shorter form (`readable.rs`), any output (`print`).

use crate::graph::{Exponent, Expr, Function, Graph, NamedFunction, Node, Symbol};
use crate::number::{Rational, as_i64, int, is_negative};
use dashu_int::{IBig, UBig};

/// A function name that is printed as such.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Head {
    /// sin
    Sin,
    /// cos
    Cos,
    /// tan
    Tan,
    /// exp
    Exp,
    /// log
    Log,
}

/// An expression in the shape in which it is shown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Tree {
    /// A non-negative rational number (negative ones are [`Tree::Neg`]).
    Number(Rational),
    /// π.
    Pi,
    /// A symbol.
    Symbol(Symbol),
    /// Summands in the order in which they are shown; a [`Tree::Neg`] is subtracted.
    Sum(Vec<Tree>),
    /// The negative of something that is not itself a sum or a negative.
    Neg(Box<Tree>),
    /// Factors in the order in which they are shown; none is a product or a negative.
    Product(Vec<Tree>),
    /// Numerator over denominator.
    Quotient(Box<Tree>, Box<Tree>),
    /// A power with an exponent other than 0 and 1; ½ is a square root.
    Power(Box<Tree>, Exponent),
    /// An elementary function.
    Call(Head, Box<Tree>),
    /// atan2(y, x).
    Atan2(Box<Tree>, Box<Tree>),
    /// A function known by name, with the orders of its derivatives.
    Apply(NamedFunction, Vec<Tree>, Vec<u8>),
}

/// Stands for what [`Tree::of`] leaves out below [`Tree::MAX_DEPTH`]; printed as `…`.
pub(crate) const ELIDED: Symbol = Symbol(u32::MAX);

impl Tree {
    /// How many nodes of the graph a tree may contain one inside the other.
    /// Printers, `clone` and `drop` recurse, so depth is bounded where trees are made.
    pub const MAX_DEPTH: usize = 200;

    /// The stored form of `e` as a tree, with the default order.
    ///
    /// The tree of a graph with much sharing can be far larger than the graph: use
    /// [`Tree::of_limited`] where the size is unknown. What lies deeper than
    /// [`Tree::MAX_DEPTH`] is replaced by a symbol shown as `…`.
    pub fn of(graph: &Graph, e: Expr) -> Tree {
        Builder { graph, order: Order { graph, rank: &|_| 0 }, names: &Names::default() }.build(e, 0)
    }

    /// [`Tree::of`] with at most `max_nodes` nodes; `None` when the tree is larger,
    /// or deeper than [`Tree::MAX_DEPTH`].
    pub fn of_limited(graph: &Graph, e: Expr, max_nodes: usize) -> Option<Tree> {
        Tree::of_ranked(graph, e, &|_| 0, max_nodes)
    }

    /// [`Tree::of_limited`] with symbols ordered by `rank`, smallest first: parameters
    /// 0, coordinates 1, velocities 2, say. Equal ranks keep the default order.
    pub fn of_ranked(graph: &Graph, e: Expr, rank: &dyn Fn(Symbol) -> u32, max_nodes: usize) -> Option<Tree> {
        if !fits(graph, e, max_nodes) {
            return None;
        }
        let tree = Builder { graph, order: Order { graph, rank }, names: &Names::default() }.build(e, 0);
        (tree.nodes() <= max_nodes).then_some(tree)
    }

    /// The stored form of `e` with names in the place of what has one, but for `e` itself.
    pub(crate) fn of_named(graph: &Graph, e: Expr, rank: &dyn Fn(Symbol) -> u32, names: &Names) -> Tree {
        Builder { graph, order: Order { graph, rank }, names }.of_node(e, 0)
    }

    /// The same tree with its sums and products put into the order of [`Tree::of_ranked`].
    pub fn arranged(self, graph: &Graph, rank: &dyn Fn(Symbol) -> u32) -> Tree {
        Order { graph, rank }.arrange(self)
    }

    /// Minus this tree, with the sign where a person would put it.
    pub fn negated(self) -> Tree {
        match self {
            Tree::Neg(inner) => *inner,
            Tree::Number(r) if r.is_zero() => Tree::Number(r),
            Tree::Sum(terms) => Tree::Sum(terms.into_iter().map(Tree::negated).collect()),
            other => Tree::Neg(Box::new(other)),
        }
    }

    /// A rational number, negative ones as [`Tree::Neg`].
    pub fn number(r: Rational) -> Tree {
        if is_negative(&r) { Tree::Neg(Box::new(Tree::Number(-r))) } else { Tree::Number(r) }
    }

    /// How much there is to read: one for each binary operation, function call,
    /// power and root. Signs are free; `n` summands or factors cost `n − 1`.
    pub fn operations(&self) -> usize {
        let mut count = 0usize;
        let mut stack = vec![self];
        while let Some(tree) = stack.pop() {
            count += match tree {
                Tree::Number(_) | Tree::Pi | Tree::Symbol(_) | Tree::Neg(_) => 0,
                Tree::Sum(items) | Tree::Product(items) => items.len().saturating_sub(1),
                Tree::Quotient(..) | Tree::Power(..) | Tree::Call(..) | Tree::Atan2(..) | Tree::Apply(..) => 1,
            };
            tree.push_children(&mut stack);
        }
        count
    }

    /// Are all symbols of this tree among the given ones?
    pub fn contains_only(&self, symbols: &[Symbol]) -> bool {
        let mut stack = vec![self];
        while let Some(tree) = stack.pop() {
            if matches!(tree, Tree::Symbol(s) if !symbols.contains(s)) || matches!(tree, Tree::Apply(..)) {
                return false;
            }
            tree.push_children(&mut stack);
        }
        true
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        let mut count = 0;
        let mut stack = vec![self];
        while let Some(tree) = stack.pop() {
            count += 1;
            tree.push_children(&mut stack);
        }
        count
    }

    fn push_children<'a>(&'a self, stack: &mut Vec<&'a Tree>) {
        match self {
            Tree::Number(_) | Tree::Pi | Tree::Symbol(_) => {}
            Tree::Sum(items) | Tree::Product(items) | Tree::Apply(_, items, _) => stack.extend(items),
            Tree::Neg(a) | Tree::Power(a, _) | Tree::Call(_, a) => stack.push(a),
            Tree::Quotient(a, b) | Tree::Atan2(a, b) => stack.extend([&**a, &**b]),
        }
    }

    /// The expression this tree shows. `Tree::of(g, e).to_expr(g) == e` unless
    /// something was too deep to be shown, or divided by zero.
    pub fn to_expr(&self, graph: &mut Graph) -> Expr {
        enum Step<'a> {
            Enter(&'a Tree),
            Leave(&'a Tree),
        }
        let mut values: Vec<Expr> = Vec::new();
        let mut steps = vec![Step::Enter(self)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(tree) => {
                    let mut children = Vec::new();
                    tree.push_children(&mut children);
                    steps.push(Step::Leave(tree));
                    steps.extend(children.into_iter().rev().map(Step::Enter));
                }
                Step::Leave(tree) => {
                    let arity = match tree {
                        Tree::Number(_) | Tree::Pi | Tree::Symbol(_) => 0,
                        Tree::Sum(items) | Tree::Product(items) | Tree::Apply(_, items, _) => items.len(),
                        Tree::Neg(_) | Tree::Power(..) | Tree::Call(..) => 1,
                        Tree::Quotient(..) | Tree::Atan2(..) => 2,
                    };
                    let operands = values.split_off(values.len() - arity);
                    let value = tree.rebuild(graph, operands);
                    values.push(value);
                }
            }
        }
        values[0]
    }

    /// The expression of this node, given those of its children.
    fn rebuild(&self, graph: &mut Graph, operands: Vec<Expr>) -> Expr {
        match self {
            Tree::Number(r) => graph.number(r.clone()),
            Tree::Pi => graph.pi(),
            Tree::Symbol(ELIDED) => graph.named("…"),
            Tree::Symbol(s) => graph.var(*s),
            Tree::Sum(_) => graph.sum(operands),
            Tree::Product(_) => graph.product(operands),
            Tree::Neg(_) => graph.neg(operands[0]),
            Tree::Quotient(..) => graph.div(operands[0], operands[1]),
            Tree::Power(_, k) => graph.pow(operands[0], *k),
            Tree::Call(Head::Sin, _) => graph.sin(operands[0]),
            Tree::Call(Head::Cos, _) => graph.cos(operands[0]),
            Tree::Call(Head::Tan, _) => graph.tan(operands[0]),
            Tree::Call(Head::Exp, _) => graph.exp(operands[0]),
            Tree::Call(Head::Log, _) => graph.log(operands[0]),
            Tree::Atan2(..) => graph.atan2(operands[0], operands[1]),
            Tree::Apply(function, _, orders) => graph.intern(Node::Apply {
                function: *function,
                args: operands.into_boxed_slice(),
                orders: orders.clone().into_boxed_slice(),
            }),
        }
    }
}

/// Is the unfolded stored form small and shallow enough? Decided without unfolding it.
fn fits(graph: &Graph, e: Expr, max_nodes: usize) -> bool {
    let mut extent: rustc_hash::FxHashMap<Expr, (usize, usize)> = Default::default();
    for n in graph.reachable(&[e]) {
        let (mut size, mut depth) = (1usize, 0);
        graph.for_each_operand(n, |o| {
            let (s, d) = extent.get(&o).copied().unwrap_or((1, 0));
            size = size.saturating_add(s);
            depth = depth.max(d + 1);
        });
        extent.insert(n, (size, depth));
    }
    extent.get(&e).is_none_or(|&(size, depth)| size <= max_nodes && depth <= Tree::MAX_DEPTH)
}

/// Is the number better shown as a decimal (9.81) than as a fraction (3/8)?
/// True for terminating decimals whose denominator is a multiple of 10 or 25, or
/// is 5 below a numerator that no one writes as fifths.
pub(crate) fn is_decimal(r: &Rational) -> bool {
    let mut d = r.denominator().clone();
    let by = |n: u8| UBig::from(n);
    let tens = (&d % by(10)).is_zero() || (&d % by(25)).is_zero();
    let fifths = d == by(5) && r.numerator() > &IBig::from(10);
    for p in [2u8, 5] {
        let mut steps = 0;
        while (&d % by(p)).is_zero() {
            d = &d / by(p);
            steps += 1;
            if steps > 12 {
                return false;
            }
        }
    }
    d.is_one() && (tens || fifths)
}

/// Nodes that are shown by a name.
pub(crate) type Names = rustc_hash::FxHashMap<Expr, Symbol>;

/// Turns stored nodes into trees.
struct Builder<'a> {
    graph: &'a Graph,
    order: Order<'a>,
    names: &'a Names,
}

impl Builder<'_> {
    fn build(&self, e: Expr, depth: usize) -> Tree {
        match self.names.get(&e) {
            Some(name) => Tree::Symbol(*name),
            None => self.of_node(e, depth),
        }
    }

    fn of_node(&self, e: Expr, depth: usize) -> Tree {
        if depth > Tree::MAX_DEPTH {
            return Tree::Symbol(ELIDED);
        }
        match self.graph.node(e) {
            Node::Number(r) => Tree::number(r.clone()),
            Node::Pi => Tree::Pi,
            Node::Symbol(s) => Tree::Symbol(*s),
            Node::Sum { constant, terms } => {
                let mut items: Vec<Tree> = terms.iter().map(|(t, r)| self.term(*t, r, depth + 1)).collect();
                if !constant.is_zero() {
                    items.push(Tree::number(constant.clone()));
                }
                Tree::Sum(self.order.sum(items))
            }
            Node::Product { coefficient, factors } => self.factors(coefficient.clone(), factors.to_vec(), depth),
            Node::Call(f, a) => Tree::Call(head(*f), Box::new(self.build(*a, depth + 1))),
            Node::Atan2(y, x) => Tree::Atan2(Box::new(self.build(*y, depth + 1)), Box::new(self.build(*x, depth + 1))),
            Node::Apply { function, args, orders } => {
                let args = args.iter().map(|a| self.build(*a, depth + 1)).collect();
                Tree::Apply(*function, args, orders.to_vec())
            }
        }
    }

    /// `r · e` as sign, numerator and denominator.
    fn term(&self, e: Expr, r: &Rational, depth: usize) -> Tree {
        if depth > Tree::MAX_DEPTH {
            return Tree::Symbol(ELIDED);
        }
        match self.graph.node(e) {
            _ if r.is_one() => self.build(e, depth),
            Node::Product { coefficient, factors } if !self.names.contains_key(&e) => {
                self.factors(coefficient * r, factors.to_vec(), depth)
            }
            _ => self.factors(r.clone(), vec![(e, Exponent::ONE)], depth),
        }
    }

    /// A product as sign, numerator and denominator.
    fn factors(&self, mut coefficient: Rational, factors: Vec<(Expr, Exponent)>, depth: usize) -> Tree {
        let mut negative = is_negative(&coefficient);
        if negative {
            coefficient = -coefficient;
        }
        let (mut over, mut under) = (Vec::new(), Vec::new());
        if is_decimal(&coefficient) {
            over.push(Tree::Number(coefficient));
        } else {
            let (n, d) = coefficient.into_parts();
            if !n.is_one() {
                over.push(Tree::Number(Rational::from(n)));
            }
            if !d.is_one() {
                under.push(Tree::Number(Rational::from(d)));
            }
        }
        let (tangents, rest) = self.split_tangents(&factors);
        for (argument, k) in tangents {
            let argument = Box::new(self.build(argument, depth + 2));
            over.push(power(Tree::Call(Head::Tan, argument), k));
        }
        for (base, k) in rest {
            let base = self.build(base, depth + 1);
            match k.n.checked_neg() {
                Some(n) if k.n < 0 => under.push(power(base, Exponent { n, d: k.d })),
                _ => over.push(power(base, k)),
            }
        }
        // −(a − b) c reads better as (b − a) c; −g (1 − cos θ) does not.
        if negative
            && let Some(sum) = over.iter_mut().find_map(|t| match t {
                Tree::Sum(items) if turns_well(items) => Some(items),
                _ => None,
            })
        {
            *sum = self.order.sum(std::mem::take(sum).into_iter().map(Tree::negated).collect());
            negative = false;
        }
        let mut tree = self.order.product(over);
        if !under.is_empty() {
            tree = Tree::Quotient(Box::new(tree), Box::new(self.order.product(under)));
        }
        if negative { tree.negated_term() } else { tree }
    }

    /// Takes pairs sinᵏ(a) · cos⁻ᵏ(a), k > 0, out of a list of factors.
    #[allow(clippy::type_complexity)] // two lists of base and exponent
    fn split_tangents(&self, factors: &[(Expr, Exponent)]) -> (Vec<(Expr, Exponent)>, Vec<(Expr, Exponent)>) {
        let mut rest = factors.to_vec();
        let mut tangents = Vec::new();
        for (e, k) in factors {
            let Node::Call(Function::Sin, a) = *self.graph.node(*e) else { continue };
            let cosine = rest.iter().position(|(c, j)| {
                k.n > 0 && *self.graph.node(*c) == Node::Call(Function::Cos, a) && (j.n, j.d) == (-k.n, k.d)
            });
            if let Some(at) = cosine {
                rest.remove(at);
                rest.retain(|f| f != &(*e, *k));
                tangents.push((a, *k));
            }
        }
        (tangents, rest)
    }
}

impl Tree {
    /// Minus a term, without turning the signs of a sum that stands alone.
    fn negated_term(self) -> Tree {
        match self {
            Tree::Sum(_) => self.negated(),
            other => Tree::Neg(Box::new(other)),
        }
    }
}

fn head(f: Function) -> Head {
    match f {
        Function::Sin => Head::Sin,
        Function::Cos => Head::Cos,
        Function::Exp => Head::Exp,
        Function::Log => Head::Log,
    }
}

fn power(base: Tree, k: Exponent) -> Tree {
    if k == Exponent::ONE { base } else { Tree::Power(Box::new(base), k) }
}

/// May the signs of this sum be turned? It must have a negative term to come first,
/// and no positive number, which people like to see in front.
fn turns_well(items: &[Tree]) -> bool {
    items.iter().any(|t| matches!(t, Tree::Neg(_))) && !items.iter().any(|t| matches!(t, Tree::Number(_)))
}

/// A piece of the key by which trees are ordered.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Token {
    Class(u8),
    Size(usize),
    Symbol(u32, bool, u8, u32),
    Number(Rational),
}

/// The order of factors and summands.
struct Order<'a> {
    graph: &'a Graph,
    rank: &'a dyn Fn(Symbol) -> u32,
}

impl Order<'_> {
    /// Given rank, then primes, then habit (masses, gravity, the rest), then age.
    fn symbol_key(&self, s: Symbol) -> (u32, bool, u8, u32) {
        if s == ELIDED {
            return (u32::MAX, true, 0, s.0);
        }
        let name = self.graph.symbols.get(s.0 as usize).map_or("", |info| info.name.as_str());
        let letter = name.trim_end_matches(|c: char| c.is_ascii_digit()).split('_').next().unwrap_or("");
        let habit = match letter {
            "m" | "M" => 0,
            "g" => 1,
            _ => 2,
        };
        ((self.rank)(s), name.ends_with('\''), habit, s.0)
    }

    /// The class of a factor: see the table at the head of the module.
    fn class(tree: &Tree) -> u8 {
        match tree {
            Tree::Number(_) => 0,
            Tree::Power(base, k) => match &**base {
                Tree::Number(_) => 1,
                Tree::Sum(_) | Tree::Product(_) | Tree::Quotient(..) if !k.is_int() => 4,
                base => Self::class(base),
            },
            Tree::Pi => 2,
            Tree::Symbol(_) => 3,
            Tree::Apply(..) => 5,
            Tree::Call(..) | Tree::Atan2(..) => 6,
            Tree::Quotient(..) | Tree::Product(_) | Tree::Neg(_) => 7,
            Tree::Sum(_) => 8,
        }
    }

    /// Is the tree made of numbers and undotted symbols of rank 0 alone?
    fn is_coefficient(&self, tree: &Tree) -> bool {
        let mut stack = vec![tree];
        while let Some(t) = stack.pop() {
            match t {
                Tree::Call(..) | Tree::Atan2(..) | Tree::Apply(..) => return false,
                Tree::Symbol(s) if matches!(self.symbol_key(*s), (1.., ..) | (_, true, ..)) => return false,
                _ => t.push_children(&mut stack),
            }
        }
        true
    }

    /// Writes the key of a tree. Comparing keys item by item is a total order, in
    /// which `x` comes just before `x²`, and `sin x` just before `cos x`.
    fn push_key(&self, tree: &Tree, key: &mut Vec<Token>) {
        if let Tree::Product(items) = tree {
            return items.iter().for_each(|t| self.push_key(t, key));
        }
        let (base, exponent) = match tree {
            Tree::Power(base, k) => (&**base, k.to_rational()),
            other => (other, int(1)),
        };
        if let Tree::Sum(_) = base
            && exponent.is_int()
            && self.is_coefficient(base)
        {
            // Behind the parameters, before whatever moves.
            key.extend([Token::Class(3), Token::Symbol(0, false, u8::MAX, 0)]);
        }
        key.push(Token::Class(Self::class(tree)));
        match base {
            Tree::Number(r) => key.push(Token::Number(r.clone())),
            Tree::Pi => {}
            Tree::Symbol(s) => {
                let (rank, primed, habit, age) = self.symbol_key(*s);
                key.push(Token::Symbol(rank, primed, habit, age));
            }
            Tree::Sum(items) => {
                key.push(Token::Size(base.operations()));
                items.iter().for_each(|t| self.push_key(t, key));
            }
            Tree::Call(f, a) => {
                self.push_key(a, key);
                key.push(Token::Class(*f as u8));
            }
            Tree::Neg(a) | Tree::Power(a, _) => self.push_key(a, key),
            Tree::Quotient(a, b) | Tree::Atan2(a, b) => {
                self.push_key(a, key);
                self.push_key(b, key);
            }
            Tree::Product(items) => items.iter().for_each(|t| self.push_key(t, key)),
            Tree::Apply(f, args, orders) => {
                key.push(Token::Size(f.0 as usize));
                key.extend(orders.iter().map(|k| Token::Class(*k)));
                args.iter().for_each(|t| self.push_key(t, key));
            }
        }
        key.push(Token::Number(exponent));
    }

    fn key(&self, tree: &Tree) -> Vec<Token> {
        let mut key = Vec::new();
        self.push_key(tree, &mut key);
        key
    }

    /// Factors in order, as one tree.
    fn product(&self, mut factors: Vec<Tree>) -> Tree {
        if factors.len() > 1 {
            factors.sort_by_cached_key(|t| self.key(t));
        }
        match factors.len() {
            0 => Tree::Number(int(1)),
            1 => factors.swap_remove(0),
            _ => Tree::Product(factors),
        }
    }

    /// Summands in order: short ones first, then a positive one moved to the front.
    fn sum(&self, mut terms: Vec<Tree>) -> Vec<Tree> {
        terms.sort_by_cached_key(|t| match t {
            Tree::Neg(inner) => (t.operations(), self.key(inner)),
            _ => (t.operations(), self.key(t)),
        });
        if let Some(at) = terms.iter().position(|t| !matches!(t, Tree::Neg(_))) {
            terms[..=at].rotate_right(1);
        }
        terms
    }

    fn arrange(&self, tree: Tree) -> Tree {
        let boxed = |t: Box<Tree>| Box::new(self.arrange(*t));
        let all = |items: Vec<Tree>| items.into_iter().map(|t| self.arrange(t)).collect::<Vec<_>>();
        match tree {
            Tree::Number(_) | Tree::Pi | Tree::Symbol(_) => tree,
            Tree::Sum(items) => Tree::Sum(self.sum(all(items))),
            Tree::Product(items) => self.product(all(items)),
            Tree::Neg(a) => Tree::Neg(boxed(a)),
            Tree::Quotient(a, b) => Tree::Quotient(boxed(a), boxed(b)),
            Tree::Power(a, k) => Tree::Power(boxed(a), k),
            Tree::Call(f, a) => Tree::Call(f, boxed(a)),
            Tree::Atan2(a, b) => Tree::Atan2(boxed(a), boxed(b)),
            Tree::Apply(f, args, orders) => Tree::Apply(f, all(args), orders),
        }
    }
}

/// A number as people write it: `42`, `9.81` or `3/8`. The tree holds its sign.
pub(crate) fn number_text(r: &Rational) -> String {
    if as_i64(r).is_some() || r.is_int() || !is_decimal(r) {
        return r.to_string();
    }
    let mut places = 0usize;
    let mut scaled = r.clone();
    while !scaled.is_int() {
        scaled *= int(10);
        places += 1;
    }
    let sign = if is_negative(r) { "-" } else { "" };
    let digits = format!("{:0>width$}", scaled.numerator().to_string().trim_start_matches('-'), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::ratio;
    use crate::print::text;

    fn shown(g: &Graph, e: Expr) -> String {
        text(g, &Tree::of(g, e))
    }

    #[test]
    fn products_in_the_order_of_textbooks() {
        let mut g = Graph::new();
        let [theta, r, grav, m] = ["theta", "r", "g", "M"].map(|n| g.named(n));
        let c = g.cos(theta);
        let e = g.product([c, r, grav, m]);
        // The coordinate is older than the parameters, so only a rank puts it last.
        assert_eq!(shown(&g, e), "M g r cos θ");
        let x = g.product([theta, r, m]);
        assert_eq!(shown(&g, x), "M θ r");
        let angle = g.as_symbol(theta).unwrap();
        let ranked = Tree::of_ranked(&g, x, &|s| (s == angle) as u32, 100).unwrap();
        assert_eq!(text(&g, &ranked), "M r θ");
    }

    #[test]
    fn sums_begin_with_something_short_and_positive() {
        let mut g = Graph::new();
        let [i1, m, r, x] = ["I1", "M", "r", "x"].map(|n| g.named(n));
        let r2 = g.powi(r, 2);
        let mr2 = g.mul(m, r2);
        let e = g.add(mr2, i1);
        assert_eq!(shown(&g, e), "I₁ + M r²");
        let e = g.sub(mr2, i1);
        assert_eq!(shown(&g, e), "M r² − I₁");
        let one = g.one();
        let e = g.sub(x, one);
        assert_eq!(shown(&g, e), "x − 1");
        let e = g.sub(one, x);
        assert_eq!(shown(&g, e), "1 − x");
    }

    #[test]
    fn signs_move_into_differences() {
        let mut g = Graph::new();
        let [i1, i3, a, b] = ["I1", "I3", "a", "b"].map(|n| g.named(n));
        let d = g.sub(i3, i1);
        let e = g.product([d, a, b]);
        assert_eq!(shown(&g, e), "a b (I₃ − I₁)");
        let one = g.one();
        let c = g.cos(a);
        let lift = g.sub(one, c);
        let e = g.mul(lift, b);
        assert_eq!(shown(&g, e), "b (1 − cos a)");
    }

    #[test]
    fn fractions_and_tangents() {
        let mut g = Graph::new();
        let [m, r, x] = ["M", "r", "x"].map(|n| g.named(n));
        let r2 = g.powi(r, 2);
        let mr2 = g.mul(m, r2);
        let e = g.scale(mr2, &ratio(-1, 2));
        assert_eq!(shown(&g, e), "−M r²/2");
        let e = g.scale(mr2, &ratio(981, 100));
        assert_eq!(shown(&g, e), "9.81 M r²");
        let t = g.tan(x);
        assert_eq!(shown(&g, t), "tan x");
        let t2 = g.powi(t, 2);
        assert_eq!(shown(&g, t2), "tan²x");
        let cot = g.powi(t, -1);
        assert_eq!(shown(&g, cot), "(cos x)/sin x");
    }

    #[test]
    fn operations_are_counted_as_people_do() {
        let mut g = Graph::new();
        let [m, r, i1, x] = ["M", "r", "I1", "x"].map(|n| g.named(n));
        let r2 = g.powi(r, 2);
        let mr2 = g.mul(m, r2);
        let d = g.add(i1, mr2);
        assert_eq!(Tree::of(&g, r2).operations(), 1);
        assert_eq!(Tree::of(&g, d).operations(), 3);
        let s = g.sin(x);
        let q = g.div(s, d);
        let q = g.neg(q);
        assert_eq!(Tree::of(&g, q).operations(), 5);
    }

    #[test]
    fn trees_lead_back_to_the_expression() {
        let mut g = Graph::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| g.named(n));
        let two = g.int(2);
        let root = g.sqrt(two);
        let t = g.tan(x);
        let f = g.function("f");
        let fx = g.apply(f, vec![x, t]);
        let d = g.sub(y, z);
        let e = g.product([root, t, fx, d]);
        let a = g.atan2(e, x);
        let e = g.linear([(a, ratio(-3, 7)), (e, int(2)), (g.one(), ratio(1, 3))]);
        let p = g.pow(e, Exponent { n: -3, d: 2 });
        let ex = g.exp(p);
        let q = g.div(ex, d);
        for e in [e, p, q] {
            let tree = Tree::of(&g, e);
            assert_eq!(tree.to_expr(&mut g), e);
            assert_eq!(tree.clone().arranged(&g, &|_| 0), tree);
        }
    }

    #[test]
    fn limits() {
        let mut g = Graph::new();
        let mut e = g.named("x");
        let one = g.one();
        for _ in 0..100 {
            let s = g.add(e, one);
            let c = g.cos(e);
            e = g.mul(s, c); // doubles the tree each time
        }
        assert_eq!(Tree::of_limited(&g, e, 1_000_000), None);
        let mut e = g.named("x");
        for _ in 0..100_000 {
            e = g.sin(e);
        }
        assert_eq!(Tree::of_limited(&g, e, usize::MAX), None);
        assert!(text(&g, &Tree::of(&g, e)).contains('…'));
        let x = g.named("x");
        assert_eq!(Tree::of_limited(&g, x, 1), Some(Tree::of(&g, x)));
    }

    #[test]
    fn numbers_as_text() {
        for (r, expected) in [
            (int(42), "42"),
            (ratio(981, 100), "9.81"),
            (ratio(3, 8), "3/8"),
            (ratio(1, 5), "1/5"),
            (ratio(49, 5), "9.8"),
            (ratio(1, 3), "1/3"),
            (ratio(1, 1000), "0.001"),
            (ratio(7, 30), "7/30"),
        ] {
            assert_eq!(number_text(&r), expected);
        }
    }
}
