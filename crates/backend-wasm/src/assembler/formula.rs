//! Formulas that are written once for all evaluators: values that can be copied, each in a local.
//!
//! ```text
//! let f = Formula::new(c);
//! let (y, n) = exp::parts(f.value(x));
//! ```

use super::code::Code;
use super::expression::{Bits as _, Integer, Real, Type, Var, X, select};
use polhode_tape::elementary::{Bits, Condition, Number, SIGN};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Shl, Shr, Sub};

/// Where the code of formulas goes.
pub(crate) struct Formula<'c>(RefCell<&'c mut Code>);

/// A value of a formula.
#[derive(Clone, Copy)]
pub(crate) struct Local<'f, T> {
    pub(crate) v: Var<T>,
    formula: &'f Formula<'f>,
}

impl<'f> Formula<'f> {
    pub(crate) fn new(c: &'f mut Code) -> Formula<'f> {
        Formula(RefCell::new(c))
    }

    pub(crate) fn value<T>(&'f self, v: Var<T>) -> Local<'f, T> {
        Local { v, formula: self }
    }
}

impl<'f, T> Local<'f, T> {
    fn name<U: Type>(self, x: impl Into<X<U>>) -> Local<'f, U> {
        self.formula.value(self.formula.0.borrow_mut().name(x))
    }
}

macro_rules! operators {
    ($type:ty: $($trait:ident $method:ident),*) => {$(
        impl<'f> $trait for Local<'f, $type> {
            type Output = Local<'f, $type>;
            fn $method(self, b: Local<'f, $type>) -> Local<'f, $type> {
                self.name(self.v.$method(b.v))
            }
        }
    )*};
}

operators!(f64: Add add, Sub sub, Mul mul, Div div);
operators!(i64: BitAnd bitand, BitOr bitor, BitXor bitxor);

macro_rules! with_constants {
    ($type:ty, $constant:ty, $as:ty: $($trait:ident $method:ident),*) => {$(
        impl<'f> $trait<$constant> for Local<'f, $type> {
            type Output = Local<'f, $type>;
            fn $method(self, b: $constant) -> Local<'f, $type> {
                self.name(self.v.$method(<$as>::from(b)))
            }
        }
    )*};
}

with_constants!(f64, f64, f64: Add add, Sub sub, Mul mul);
with_constants!(i64, u8, u64: Shl shl, Shr shr);

impl<'f> BitXor for Local<'f, i32> {
    type Output = Local<'f, i32>;
    fn bitxor(self, b: Local<'f, i32>) -> Local<'f, i32> {
        self.name(self.v.differs(b.v))
    }
}

impl<'f> Number for Local<'f, f64> {
    type Bits = Local<'f, i64>;
    type Condition = Local<'f, i32>;

    fn number(self, x: f64) -> Self {
        self.name(x)
    }
    fn bits(self) -> Local<'f, i64> {
        self.name(self.v.bits())
    }
    fn least(self, b: Self) -> Self {
        self.name(self.v.least(b.v))
    }
    fn most(self, b: Self) -> Self {
        self.name(self.v.most(b.v))
    }
    fn is_less(self, b: Self) -> Local<'f, i32> {
        self.name(self.v.lt(b.v))
    }
    fn is_at_most(self, b: Self) -> Local<'f, i32> {
        self.name(self.v.le(b.v))
    }
    fn has_sign(self) -> Local<'f, i32> {
        self.name(self.v.bits().negative())
    }
    fn abs(self) -> Self {
        self.name(self.v.abs())
    }
    fn with_sign_of(self, b: Self) -> Self {
        self.name(self.v.copysign(b.v))
    }
}

impl<'f> Bits for Local<'f, i64> {
    type Number = Local<'f, f64>;

    fn word(self, bits: u64) -> Self {
        self.name(bits)
    }
    fn plus(self, b: Self) -> Self {
        self.name(self.v + b.v)
    }
    fn negative(self) -> Self {
        self.name(X::from(0u64) - self.v)
    }
    fn double(self) -> Local<'f, f64> {
        self.name(self.v.double())
    }
}

impl<'f> Condition for Local<'f, i32> {
    type Number = Local<'f, f64>;

    fn choose(self, first: f64, other: Self, second: f64) -> Local<'f, f64> {
        self.name(select::<f64>(self.v.into(), first, select(other.v.into(), second, 0.0)))
    }
    fn sign(self) -> Local<'f, i64> {
        self.name(select::<i64>(self.v.into(), SIGN, 0u64))
    }
}
