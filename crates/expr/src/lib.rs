//! Scalar expressions: one graph that knows few rules, and algebra that knows the rest.
//!
//! Work happens on two levels. The **graph** stores every distinct expression once, in a
//! light normal form: like terms collected, numbers folded, nothing multiplied out. It is
//! exact, it grows only by what is asked for, and an [`Expr`] is an index into it. What
//! the graph does not see, such as sin² + cos² = 1, belongs to the **ring** of polynomials
//! behind a set of expressions:
//!
//! ```text
//! Graph   Σ c t,  Π f^k,  sin, cos, exp, log, atan2, f(…)      built by the million
//! Ring    num / (content · Π fᵢ^eᵢ)  in  Q[x…, s, c]/(s² + c² − 1)   for what is shown
//! ```
//!
//! Equality needs neither: expressions are evaluated at random points of a prime field.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `graph` | [`Graph`], [`Expr`], [`Node`]: the store of expressions |
//! | `op` | constructors: sums, products, powers, functions, `expand` |
//! | `calculus` | derivatives along [`Rates`], substitution |
//! | [`equal`] | are two expressions the same function? a [`Verdict`] with its [`Evidence`] |
//! | [`field`] | null spaces over F_p, and rational numbers from residues |
//! | [`eval`] | slow, obvious evaluation in doubles and in many digits |
//! | `roots` | square roots as algebraic elements, for the verdicts of `equal` |
//! | `ring` | which polynomial variable stands for what; base angles |
//! | `canonical` | [`Fraction`]: the one canonical form, and `simplify_small` |
//! | `readable` | of the many equal ways to write a fraction, a short one |
//! | `abbreviate` | names for what occurs again and again: [`Abbreviated`] |
//! | `tree` | [`Tree`]: an expression in the shape in which it is shown |
//! | [`mod@print`] | Unicode, terminal layout, model syntax, LaTeX, JSON, source code |
//! | `matrix` | [`Matrix`], elimination and L D Lᵀ on the graph |
//! | [`number`] | exact rationals |
//!
//! ```
//! use polhode_expr::{Graph, Reading, print};
//!
//! let mut g = Graph::new();
//! let theta = g.symbol("theta");
//! let angle = g.var(theta);
//! let (s, c) = (g.sin(angle), g.cos(angle));
//!
//! // sin θ/(1 − cos² θ) is 1/sin θ: the graph keeps the quotient as it was built, …
//! let (one, cc) = (g.one(), g.powi(c, 2));
//! let below = g.sub(one, cc);
//! let (e, short) = (g.div(s, below), g.powi(s, -1));
//! assert_ne!(e, short);
//! // … the two are proved equal, and the readable form is the short one.
//! assert!(g.equal(e, short).is_equal());
//! let tree = g.readable(e, &Reading::default())?;
//! assert_eq!(print::text(&g, &tree), "1/sin θ");
//!
//! let slope = g.derivative(e, theta);
//! let tree = g.readable(slope, &Reading::default())?;
//! assert_eq!(print::ascii(&g, &tree), "-cos(theta)/sin(theta)^2");
//! # Ok::<(), polhode_expr::NotCanonical>(())
//! ```
//!
//! Whatever could grow without bound has a limit and says so: canonical forms end in
//! [`NotCanonical`], comparisons in [`Verdict::Undecided`], trees in `None`; a division by
//! zero is a node that has no value. No call panics on what a program can build.
//!
//! Not here: complex numbers, integration, limits, solving of nonlinear equations,
//! inequalities, assumptions beyond [`Graph::assume_positive`] and [`Relation`]; polynomial
//! algorithms (`polhode-poly`); reading text (`polhode-model`).

mod abbreviate;
mod budget;
mod calculus;
mod canonical;
pub mod equal;
pub mod eval;
pub mod field;
mod graph;
mod matrix;
pub mod number;
mod op;
pub mod print;
mod readable;
mod ring;
mod roots;
mod tree;
pub use abbreviate::Abbreviated;
pub use calculus::Rates;
pub use canonical::{Fraction, MAX_TERMS};
pub use equal::{Evidence, Verdict};
pub use graph::*;
pub use matrix::{
    Elimination, Matrix, ZeroTest, determinant, eliminate, inverse, solve_cofactors, solve_ldl, solve_lu,
};
pub use readable::Reading;
pub use ring::{AngleBasis, NotCanonical, Ring};
pub use tree::{Head, Tree};
