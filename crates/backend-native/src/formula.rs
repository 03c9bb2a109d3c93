//! Formulas on values that write down their steps: `x * 2.0 + y` is two steps.

use crate::steps::{Binary, Function, SIGN, Steps, Unary, V};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Shl, Shr, Sub};

/// Where the steps of formulas go.
pub(crate) struct Writer<'s>(RefCell<&'s mut Steps>);

/// A value in a formula.
#[derive(Clone, Copy)]
pub(crate) struct X<'w> {
    pub(crate) v: V,
    writer: &'w Writer<'w>,
}

impl<'w> Writer<'w> {
    pub(crate) fn new(steps: &'w mut Steps) -> Writer<'w> {
        Writer(RefCell::new(steps))
    }

    pub(crate) fn value(&'w self, v: V) -> X<'w> {
        X { v, writer: self }
    }

    pub(crate) fn number(&'w self, x: f64) -> X<'w> {
        self.value(self.0.borrow_mut().constant(x))
    }

    pub(crate) fn bits(&'w self, bits: u64) -> X<'w> {
        self.value(self.0.borrow_mut().bits(bits))
    }

    /// `results` are those of the function where all `conditions` a ≤ b hold.
    pub(crate) fn mend(
        &'w self,
        function: Function,
        arguments: &[X<'w>],
        results: &[X<'w>],
        conditions: &[(X<'w>, X<'w>)],
    ) {
        let values = |list: &[X<'w>]| list.iter().map(|x| x.v).collect::<Vec<V>>();
        let conditions: Vec<(V, V)> = conditions.iter().map(|(a, b)| (a.v, b.v)).collect();
        self.0.borrow_mut().mend(function, &values(arguments), &values(results), &conditions);
    }
}

impl<'w> X<'w> {
    fn one(self, op: Unary) -> X<'w> {
        self.writer.value(self.writer.0.borrow_mut().one(op, self.v))
    }

    fn two(self, op: Binary, b: X<'w>) -> X<'w> {
        self.writer.value(self.writer.0.borrow_mut().two(op, self.v, b.v))
    }

    pub(crate) fn abs(self) -> X<'w> {
        self & self.writer.bits(!SIGN)
    }

    /// The sign bit alone.
    pub(crate) fn sign(self) -> X<'w> {
        self & self.writer.bits(SIGN)
    }

    /// The lesser of the two, b where one is undefined.
    pub(crate) fn min(self, b: X<'w>) -> X<'w> {
        self.two(Binary::Min, b)
    }

    /// The greater of the two, b where one is undefined.
    pub(crate) fn max(self, b: X<'w>) -> X<'w> {
        self.two(Binary::Max, b)
    }

    /// All bits one where self < b.
    pub(crate) fn less(self, b: X<'w>) -> X<'w> {
        self.two(Binary::Less, b)
    }

    /// All bits one where self ≤ b.
    pub(crate) fn less_or_equal(self, b: X<'w>) -> X<'w> {
        self.two(Binary::LessOrEqual, b)
    }

    /// b where the bits of self are zero.
    pub(crate) fn and_not(self, b: X<'w>) -> X<'w> {
        self.two(Binary::AndNot, b)
    }

    /// The sum of the bits as integers.
    pub(crate) fn add_bits(self, b: X<'w>) -> X<'w> {
        self.two(Binary::AddBits, b)
    }

    /// The difference of the bits as integers.
    pub(crate) fn sub_bits(self, b: X<'w>) -> X<'w> {
        self.two(Binary::SubBits, b)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident),*) => {$(
        impl<'w> $trait for X<'w> {
            type Output = X<'w>;
            fn $method(self, b: X<'w>) -> X<'w> {
                self.two(Binary::$op, b)
            }
        }
    )*};
}

operators!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

macro_rules! with_numbers {
    ($($trait:ident $method:ident),*) => {$(
        impl<'w> $trait<f64> for X<'w> {
            type Output = X<'w>;
            fn $method(self, b: f64) -> X<'w> {
                self.$method(self.writer.number(b))
            }
        }

        impl<'w> $trait<X<'w>> for f64 {
            type Output = X<'w>;
            fn $method(self, b: X<'w>) -> X<'w> {
                b.writer.number(self).$method(b)
            }
        }
    )*};
}

with_numbers!(Add add, Sub sub, Mul mul);

impl<'w> Shl<u8> for X<'w> {
    type Output = X<'w>;
    fn shl(self, n: u8) -> X<'w> {
        self.one(Unary::ShiftLeft(n))
    }
}

impl<'w> Shr<u8> for X<'w> {
    type Output = X<'w>;
    fn shr(self, n: u8) -> X<'w> {
        self.one(Unary::ShiftRight(n))
    }
}
