//! Formulas as they are written: expressions and vectors with operators.
//!
//! A [`Graph`] wants to be named in every operation. Here it lies in the thread, so that a test reads like the page it
//! tests. A new graph makes the expressions of the one before it worthless, and using them is an error.

use crate::prelude::*;
use polhode_expr::number::{int, parse_decimal};
use std::cell::{Cell, RefCell};
use std::ops::{Add, Div, Index, Mul, Neg, Sub};

thread_local! {
    static GRAPH: RefCell<Graph> = RefCell::new(Graph::new());
    static GENERATION: Cell<u32> = const { Cell::new(0) };
}

/// Works with the graph of the thread.
pub(crate) fn with<T>(f: impl FnOnce(&mut Graph) -> T) -> T {
    GRAPH.with(|g| f(&mut g.borrow_mut()))
}

/// Makes this the graph of the thread.
pub(crate) fn put(graph: Graph) {
    GRAPH.with(|g| *g.borrow_mut() = graph);
    GENERATION.set(GENERATION.get() + 1);
}

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct X {
    expression: Expr,
    generation: u32,
}

/// The symbol with a name.
pub(crate) fn letter(name: &str) -> X {
    X::new(with(|g| g.named(name)))
}

/// A fraction.
pub(crate) fn ratio(n: i64, d: i64) -> X {
    X::from(n) / d
}

/// A decimal with any number of digits.
pub(crate) fn decimal(text: &str) -> X {
    let r = parse_decimal(text).unwrap_or_else(|| panic!("{text} is no number"));
    X::new(with(|g| g.number(r)))
}

/// π.
pub(crate) fn pi() -> X {
    X::new(with(|g| g.pi()))
}

/// A decimal, or a fraction of whole numbers.
pub(crate) fn fraction(text: &str) -> X {
    match text.split_once('/') {
        Some((n, d)) => decimal(n) / decimal(d),
        None => decimal(text),
    }
}

/// The angle of (x, y).
pub(crate) fn atan2(y: X, x: X) -> X {
    let (y, x) = (y.expr(), x.expr());
    X::new(with(|g| g.atan2(y, x)))
}

impl X {
    pub(crate) fn new(expression: Expr) -> X {
        X { expression, generation: GENERATION.get() }
    }

    /// The expression in the graph of the thread.
    pub(crate) fn expr(self) -> Expr {
        assert_eq!(self.generation, GENERATION.get(), "an expression of another graph");
        self.expression
    }

    pub(crate) fn symbol(self) -> Symbol {
        with(|g| g.as_symbol(self.expr())).expect("a symbol")
    }

    pub(crate) fn sqrt(self) -> X {
        X::new(with(|g| g.sqrt(self.expr())))
    }

    pub(crate) fn sin(self) -> X {
        X::new(with(|g| g.sin(self.expr())))
    }

    pub(crate) fn cos(self) -> X {
        X::new(with(|g| g.cos(self.expr())))
    }

    pub(crate) fn ln(self) -> X {
        X::new(with(|g| g.log(self.expr())))
    }

    pub(crate) fn sq(self) -> X {
        X::new(with(|g| g.powi(self.expr(), 2)))
    }

    /// ∂/∂s.
    pub(crate) fn d(self, s: X) -> X {
        let s = s.symbol();
        X::new(with(|g| g.derivative(self.expr(), s)))
    }

    /// With some symbols replaced.
    pub(crate) fn put(self, pairs: &[(X, X)]) -> X {
        let map = pairs.iter().map(|(s, x)| (s.symbol(), x.expr())).collect();
        X::new(with(|g| g.substitute(self.expr(), &map)))
    }

    /// Σ_i ∂/∂s_i · r_i.
    pub(crate) fn along(self, pairs: &[(X, X)]) -> X {
        let map = pairs.iter().map(|(s, x)| (s.symbol(), x.expr())).collect();
        X::new(with(|g| g.along(self.expr(), &map)))
    }
}

impl From<i64> for X {
    fn from(n: i64) -> X {
        X::new(with(|g| g.number(int(n))))
    }
}

impl Neg for X {
    type Output = X;
    fn neg(self) -> X {
        X::new(with(|g| g.neg(self.expr())))
    }
}

macro_rules! operator {
    ($($trait:ident $name:ident),*) => {$(
        impl $trait for X {
            type Output = X;
            fn $name(self, other: X) -> X {
                X::new(with(|g| g.$name(self.expr(), other.expr())))
            }
        }
        impl $trait<i64> for X {
            type Output = X;
            fn $name(self, other: i64) -> X {
                self.$name(X::from(other))
            }
        }
        impl $trait<X> for i64 {
            type Output = X;
            fn $name(self, other: X) -> X {
                X::from(self).$name(other)
            }
        }
    )*};
}
operator!(Add add, Sub sub, Mul mul, Div div);

/// A vector of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct V(pub(crate) [X; 3]);

impl V {
    /// The vector of the symbols name[1], name[2], name[3].
    pub(crate) fn named(name: &str) -> V {
        V([1, 2, 3].map(|i| letter(&format!("{name}[{i}]"))))
    }

    pub(crate) fn zero() -> V {
        V([X::from(0); 3])
    }

    pub(crate) fn dot(self, other: V) -> X {
        self[0] * other[0] + self[1] * other[1] + self[2] * other[2]
    }

    pub(crate) fn cross(self, other: V) -> V {
        let part = |i: usize, j: usize| self[i] * other[j] - self[j] * other[i];
        V([part(1, 2), part(2, 0), part(0, 1)])
    }

    pub(crate) fn map(self, f: impl FnMut(X) -> X) -> V {
        V(self.0.map(f))
    }

    /// ∂/∂s.
    pub(crate) fn d(self, s: X) -> V {
        self.map(|x| x.d(s))
    }

    /// Entry by entry.
    pub(crate) fn times(self, other: V) -> V {
        V([0, 1, 2].map(|i| self[i] * other[i]))
    }
}

impl Index<usize> for V {
    type Output = X;
    fn index(&self, i: usize) -> &X {
        &self.0[i]
    }
}

impl Add for V {
    type Output = V;
    fn add(self, other: V) -> V {
        V([0, 1, 2].map(|i| self[i] + other[i]))
    }
}

impl Sub for V {
    type Output = V;
    fn sub(self, other: V) -> V {
        V([0, 1, 2].map(|i| self[i] - other[i]))
    }
}

impl Neg for V {
    type Output = V;
    fn neg(self) -> V {
        self.map(X::neg)
    }
}

impl Mul<V> for X {
    type Output = V;
    fn mul(self, v: V) -> V {
        v.map(|x| self * x)
    }
}
