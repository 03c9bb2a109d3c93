//! Formulas as trees.
//!
//! Sums, products and conditions are lists rather than pairs, so a sum of ten
//! thousand terms is one node and the height of a tree is bounded by the nesting the
//! author wrote ([`MAX_DEPTH`](super::MAX_DEPTH)); walking it by recursion is safe.
//! Children are shared, so a clone costs a counter.
//!
//! Parentheses leave no node of their own, except that `a + (b + c)` is a sum whose
//! second term is a sum. Names are normalised (`θ` is `theta`); what they stand
//! for is decided by the next stage.

use std::sync::Arc;

use polhode_base::Span;

use super::decimal::Decimal;

/// A formula or a part of one, with its place in the model file.
///
/// `==` compares spans as well; [`Expr::same_as`] does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it was written, without enclosing parentheses.
    pub span: Span,
}

/// The forms a formula can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `0.25`; never negative, a sign in front is [`ExprKind::Neg`].
    Number(Decimal),
    /// `theta`, `wheel.R`, `x'`.
    Name(Name),
    /// `-a`.
    Neg(Arc<Expr>),
    /// `a + b - c`: at least two terms, the first of them not subtracted.
    Sum(Arc<[Term]>),
    /// `a*b/c`, read from the left: at least two factors, the first not a divisor.
    Product(Arc<[Factor]>),
    /// `base^exponent`.
    Power {
        /// What is raised.
        base: Arc<Expr>,
        /// The power it is raised to.
        exponent: Arc<Expr>,
    },
    /// `f(a, b)`.
    Call {
        /// The name before the parenthesis.
        function: Ident,
        /// The arguments, possibly none.
        args: Arc<[Expr]>,
    },
    /// `v[1]`, `R[1, 3]`; indices count from 1.
    Index {
        /// What is indexed.
        base: Arc<Expr>,
        /// The indices, at least one.
        indices: Arc<[Expr]>,
    },
    /// `[a, b, c]`, at least one component; a matrix is a vector of rows.
    Vector(Arc<[Expr]>),
    /// `a < b`.
    Compare {
        /// Which comparison.
        op: CompareOp,
        /// Left-hand side.
        left: Arc<Expr>,
        /// Right-hand side.
        right: Arc<Expr>,
    },
    /// `a and b and c`: at least two conditions.
    And(Arc<[Expr]>),
    /// `a or b or c`: at least two conditions.
    Or(Arc<[Expr]>),
}

/// A name, possibly qualified by dots, possibly with primes for time derivatives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    /// The normalised name without primes, such as `theta` or `wheel.R`.
    pub path: Arc<str>,
    /// Number of primes: 0 the quantity, 1 its velocity, 2 its acceleration.
    pub primes: u32,
}

/// A name without primes, with its own place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The normalised name.
    pub name: Arc<str>,
    /// Where it was written.
    pub span: Span,
}

/// One term of an [`ExprKind::Sum`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// Whether the term is subtracted.
    pub negative: bool,
    /// The term without its sign.
    pub expr: Expr,
}

/// One factor of an [`ExprKind::Product`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factor {
    /// Whether the factor divides.
    pub divides: bool,
    /// The factor itself.
    pub expr: Expr,
}

/// A comparison of two scalars.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
}

/// `lhs = rhs`, as in a constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// Left of the equals sign.
    pub lhs: Expr,
    /// Right of the equals sign.
    pub rhs: Expr,
    /// Both sides.
    pub span: Span,
}

/// An interval such as `(0, pi)` or `[0, 1)`, the domain of a coordinate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Lower end.
    pub lower: Expr,
    /// Upper end.
    pub upper: Expr,
    /// Whether the lower end belongs to it (`[`).
    pub lower_closed: bool,
    /// Whether the upper end belongs to it (`]`).
    pub upper_closed: bool,
    /// The whole, with its brackets.
    pub span: Span,
}

/// A vector field such as `x*d/dy - y*d/dx + d/dphi`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorField {
    /// The terms in the order written, at least one.
    pub terms: Vec<FieldTerm>,
    /// All of them.
    pub span: Span,
}

/// One term `coefficient * d/ddirection` of a [`VectorField`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldTerm {
    /// The coefficient with its sign; the number 1 where none is written.
    pub coefficient: Expr,
    /// The coordinate in `d/dx`; the span covers all of `d/dx`.
    pub direction: Ident,
}

impl Expr {
    /// A node at a place.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// The number 1, as the coefficient that nobody wrote.
    pub fn one(span: Span) -> Self {
        Self::new(ExprKind::Number(Decimal::from(1)), span)
    }

    /// Whether two formulas are written alike, wherever they stand.
    pub fn same_as(&self, other: &Expr) -> bool {
        fn all(a: &[Expr], b: &[Expr]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_as(b))
        }
        use ExprKind as K;
        match (&self.kind, &other.kind) {
            (K::Number(a), K::Number(b)) => a == b,
            (K::Name(a), K::Name(b)) => a == b,
            (K::Neg(a), K::Neg(b)) => a.same_as(b),
            (K::Sum(a), K::Sum(b)) => {
                let same = |(a, b): (&Term, &Term)| a.negative == b.negative && a.expr.same_as(&b.expr);
                a.len() == b.len() && a.iter().zip(b.iter()).all(same)
            }
            (K::Product(a), K::Product(b)) => {
                let same = |(a, b): (&Factor, &Factor)| a.divides == b.divides && a.expr.same_as(&b.expr);
                a.len() == b.len() && a.iter().zip(b.iter()).all(same)
            }
            (K::Power { base: a, exponent: m }, K::Power { base: b, exponent: n }) => a.same_as(b) && m.same_as(n),
            (K::Call { function: f, args: a }, K::Call { function: g, args: b }) => f.name == g.name && all(a, b),
            (K::Index { base: a, indices: i }, K::Index { base: b, indices: j }) => a.same_as(b) && all(i, j),
            (K::Vector(a), K::Vector(b)) | (K::And(a), K::And(b)) | (K::Or(a), K::Or(b)) => all(a, b),
            (K::Compare { op, left, right }, K::Compare { op: o, left: l, right: r }) => {
                op == o && left.same_as(l) && right.same_as(r)
            }
            _ => false,
        }
    }
}

impl Name {
    /// A name without primes.
    pub fn plain(path: &str) -> Self {
        Self { path: path.into(), primes: 0 }
    }
}

impl VectorField {
    /// Whether two fields are written alike, wherever they stand.
    pub fn same_as(&self, other: &VectorField) -> bool {
        let same = |(a, b): (&FieldTerm, &FieldTerm)| {
            a.direction.name == b.direction.name && a.coefficient.same_as(&b.coefficient)
        };
        self.terms.len() == other.terms.len() && self.terms.iter().zip(&other.terms).all(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sameness_ignores_places() {
        let here = Expr::one(Span::new(0, 1));
        let there = Expr::one(Span::new(5, 6));
        assert!(here.same_as(&there));
        assert_ne!(here, there);
        let negative = Expr::new(ExprKind::Neg(Arc::new(here.clone())), Span::new(0, 2));
        assert!(!here.same_as(&negative));
    }
}
