//! Expressions as a person writes them: an ordered tree for printing.
//!
//! The graph stores one normal form; people want an order, a sign and a fraction
//! bar in a particular place. A [`Tree`] fixes these and nothing else: printers
//! print it as it stands. Trees come from `readable.rs` (searched for shortness)
//! or from [`Tree::of`] (the stored form as it is).

use crate::graph::{Exponent, NamedFunction, Symbol};
use crate::number::Rational;

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
