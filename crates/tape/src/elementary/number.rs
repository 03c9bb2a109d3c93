//! What the formulas are written over.
//!
//! A machine has 64 bits that are now a double, now an integer, and conditions; these are three types here, so that
//! languages that tell them apart can be written too. Constants are made *beside* a value, since values that write
//! something down know where.

use super::SIGN;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Shl, Shr, Sub};

/// A double.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// The same 64 bits as an integer.
    type Bits: Bits<Number = Self>;
    /// What comparisons give.
    type Condition: Condition<Number = Self>;

    /// A constant.
    fn number(self, x: f64) -> Self;
    /// The bits.
    fn bits(self) -> Self::Bits;
    /// The lesser of two that are defined; of others at most one.
    fn least(self, b: Self) -> Self;
    /// The greater of two that are defined; of others at most one.
    fn most(self, b: Self) -> Self;
    /// self < b.
    fn is_less(self, b: Self) -> Self::Condition;
    /// self ≤ b.
    fn is_at_most(self, b: Self) -> Self::Condition;
    /// Is the sign bit set?
    fn has_sign(self) -> Self::Condition;

    /// |x|.
    #[inline(always)]
    fn abs(self) -> Self {
        let bits = self.bits();
        (bits & bits.word(!SIGN)).double()
    }
    /// |x| with the sign of another.
    #[inline(always)]
    fn with_sign_of(self, b: Self) -> Self {
        let b = b.bits();
        (self.abs().bits() | (b & b.word(SIGN))).double()
    }
}

/// Sixty-four bits.
pub trait Bits:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u8, Output = Self>
    + Shr<u8, Output = Self>
{
    /// What they are the bits of.
    type Number;

    /// A constant.
    fn word(self, bits: u64) -> Self;
    /// The sum modulo 2⁶⁴.
    fn plus(self, b: Self) -> Self;
    /// Zero minus this, modulo 2⁶⁴.
    fn negative(self) -> Self;
    /// The double.
    fn double(self) -> Self::Number;
}

/// True or false.
pub trait Condition: Copy + BitXor<Output = Self> {
    /// What was compared.
    type Number: Number;

    /// The first where this is true, else the second where the other is, else 0.
    fn choose(self, first: f64, other: Self, second: f64) -> Self::Number;
    /// A sign bit where this is true, else zero.
    fn sign(self) -> <Self::Number as Number>::Bits;
}

impl Number for f64 {
    type Bits = u64;
    type Condition = bool;

    #[inline(always)]
    fn number(self, x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn least(self, b: f64) -> f64 {
        if self < b { self } else { b }
    }
    #[inline(always)]
    fn most(self, b: f64) -> f64 {
        if self > b { self } else { b }
    }
    #[inline(always)]
    fn is_less(self, b: f64) -> bool {
        self < b
    }
    #[inline(always)]
    fn is_at_most(self, b: f64) -> bool {
        self <= b
    }
    #[inline(always)]
    fn has_sign(self) -> bool {
        self.is_sign_negative()
    }
}

impl Bits for u64 {
    type Number = f64;

    #[inline(always)]
    fn word(self, bits: u64) -> u64 {
        bits
    }
    #[inline(always)]
    fn plus(self, b: u64) -> u64 {
        self.wrapping_add(b)
    }
    #[inline(always)]
    fn negative(self) -> u64 {
        self.wrapping_neg()
    }
    #[inline(always)]
    fn double(self) -> f64 {
        f64::from_bits(self)
    }
}

impl Condition for bool {
    type Number = f64;

    #[inline(always)]
    fn choose(self, first: f64, other: bool, second: f64) -> f64 {
        if self {
            first
        } else if other {
            second
        } else {
            0.0
        }
    }
    #[inline(always)]
    fn sign(self) -> u64 {
        if self { SIGN } else { 0 }
    }
}
