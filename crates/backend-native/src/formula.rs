//! Formulas on values that write down their steps: `x * 2.0 + y` is two steps.

use crate::steps::{Binary, Function, SIGN, Steps, Unary, V};
use polhode_tape::elementary::{Bits, Condition, Number};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Shl, Shr, Sub};

/// Where the steps of formulas go.
pub(crate) struct Writer<'s>(RefCell<&'s mut Steps>);

/// A value in a formula: a double, its bits, or a condition, all of whose bits are one or zero.
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

impl<'w> Number for X<'w> {
    type Bits = X<'w>;
    type Condition = X<'w>;

    fn number(self, x: f64) -> X<'w> {
        self.writer.number(x)
    }
    fn bits(self) -> X<'w> {
        self
    }
    fn least(self, b: X<'w>) -> X<'w> {
        self.two(Binary::Min, b)
    }
    fn most(self, b: X<'w>) -> X<'w> {
        self.two(Binary::Max, b)
    }
    fn is_less(self, b: X<'w>) -> X<'w> {
        self.two(Binary::Less, b)
    }
    fn is_at_most(self, b: X<'w>) -> X<'w> {
        self.two(Binary::LessOrEqual, b)
    }
    fn has_sign(self) -> X<'w> {
        (self >> 63).negative()
    }
}

impl<'w> Bits for X<'w> {
    type Number = X<'w>;

    fn word(self, bits: u64) -> X<'w> {
        self.writer.bits(bits)
    }
    fn plus(self, b: X<'w>) -> X<'w> {
        self.two(Binary::AddBits, b)
    }
    fn negative(self) -> X<'w> {
        self.word(0).two(Binary::SubBits, self)
    }
    fn double(self) -> X<'w> {
        self
    }
}

impl<'w> Condition for X<'w> {
    type Number = X<'w>;

    fn choose(self, first: f64, other: X<'w>, second: f64) -> X<'w> {
        (self & self.number(first)) | self.two(Binary::AndNot, other & self.number(second))
    }
    fn sign(self) -> X<'w> {
        self & self.word(SIGN)
    }
}
