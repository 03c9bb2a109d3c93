//! The numbers a tape can be evaluated in.

use crate::double_double::Dd;
use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number type with the operations of a tape.
///
/// Integrators are generic over it; `f64` and [`Dd`] implement it.
pub trait Scalar:
    Copy
    + Debug
    + PartialOrd
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// Half the distance from 1 to the next number: the relative error of one operation.
    const EPSILON: f64;
    /// The number nearest to a double-double.
    fn constant(x: Dd) -> Self;
    /// All digits, as a double-double.
    fn to_dd(self) -> Dd;
    /// The nearest double.
    fn to_f64(self) -> f64;
    /// A double, exactly.
    fn from_f64(x: f64) -> Self {
        Self::constant(Dd::from(x))
    }
    /// √x.
    fn sqrt(self) -> Self;
    /// (sin x, cos x).
    fn sin_cos(self) -> (Self, Self);
    /// eˣ.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The angle of the point (x, y), where `self` is y.
    fn atan2(self, x: Self) -> Self;
    /// |x|.
    fn abs(self) -> Self;
    /// Neither infinite nor undefined.
    fn is_finite(self) -> bool;
}

impl Scalar for f64 {
    const EPSILON: f64 = f64::EPSILON / 2.0;
    fn constant(x: Dd) -> f64 {
        x.hi()
    }
    fn to_dd(self) -> Dd {
        Dd::from(self)
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    fn sin_cos(self) -> (f64, f64) {
        f64::sin_cos(self)
    }
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    fn atan2(self, x: f64) -> f64 {
        f64::atan2(self, x)
    }
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
}
