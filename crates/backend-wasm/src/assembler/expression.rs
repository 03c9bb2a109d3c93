//! Expressions: code that leaves one value.

use super::writer::Function;
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Shl, Shr, Sub};
use wasm_encoder::{Encode, Ieee64, Instruction, MemArg, ValType};

/// What values can be.
pub(crate) trait Type: Copy {
    /// Its name in WebAssembly.
    const TYPE: ValType;
}

impl Type for f64 {
    const TYPE: ValType = ValType::F64;
}

impl Type for i32 {
    const TYPE: ValType = ValType::I32;
}

impl Type for i64 {
    const TYPE: ValType = ValType::I64;
}

/// Code that leaves one value.
#[derive(Clone, Debug)]
pub(crate) struct X<T> {
    code: Vec<u8>,
    value: PhantomData<T>,
}

/// A local of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Var<T> {
    pub(super) index: u32,
    value: PhantomData<T>,
}

/// A variable of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Global<T> {
    pub(super) index: u32,
    value: PhantomData<T>,
}

impl<T> Var<T> {
    pub(super) fn new(index: u32) -> Var<T> {
        Var { index, value: PhantomData }
    }
}

impl<T> Global<T> {
    pub(super) fn new(index: u32) -> Global<T> {
        Global { index, value: PhantomData }
    }
}

impl<T> X<T> {
    fn new(instruction: Instruction<'_>) -> X<T> {
        let mut code = Vec::new();
        instruction.encode(&mut code);
        X { code, value: PhantomData }
    }

    /// The code.
    pub(crate) fn into_code(self) -> Vec<u8> {
        self.code
    }

    fn then<U>(mut self, instruction: Instruction<'_>) -> X<U> {
        instruction.encode(&mut self.code);
        X { code: self.code, value: PhantomData }
    }

    fn with<U, V>(mut self, other: X<U>, instruction: Instruction<'_>) -> X<V> {
        self.code.extend(other.code);
        self.then(instruction)
    }
}

impl<T> From<Var<T>> for X<T> {
    fn from(v: Var<T>) -> X<T> {
        X::new(Instruction::LocalGet(v.index))
    }
}

impl<T> From<Global<T>> for X<T> {
    fn from(g: Global<T>) -> X<T> {
        X::new(Instruction::GlobalGet(g.index))
    }
}

impl From<f64> for X<f64> {
    fn from(x: f64) -> X<f64> {
        X::new(Instruction::F64Const(Ieee64::from(x)))
    }
}

impl From<i32> for X<i32> {
    fn from(x: i32) -> X<i32> {
        X::new(Instruction::I32Const(x))
    }
}

/// Addresses and numbers of things.
impl From<u32> for X<i32> {
    fn from(x: u32) -> X<i32> {
        X::from(x.cast_signed())
    }
}

impl From<u64> for X<i64> {
    fn from(x: u64) -> X<i64> {
        X::new(Instruction::I64Const(x.cast_signed()))
    }
}

/// A double is at a multiple of eight bytes.
pub(super) fn place(offset: u32) -> MemArg {
    MemArg { offset: offset.into(), align: 3, target: Default::default(), ordering: None }
}

/// The double at address + offset.
pub(crate) fn load(address: impl Into<X<i32>>, offset: u32) -> X<f64> {
    address.into().then(Instruction::F64Load(place(offset)))
}

/// The 64 bits at address + offset.
pub(crate) fn load_bits(address: impl Into<X<i32>>, offset: u32) -> X<i64> {
    address.into().then(Instruction::I64Load(place(offset)))
}

/// a where the condition holds, else b; both are computed.
pub(crate) fn select<T>(condition: X<i32>, a: impl Into<X<T>>, b: impl Into<X<T>>) -> X<T> {
    let (a, b): (X<T>, X<T>) = (a.into(), b.into());
    let both: X<T> = X { code: [a.code, b.code].concat(), value: PhantomData };
    both.with(condition, Instruction::Select)
}

impl Function {
    /// The value of a function that has one.
    pub(crate) fn of<T>(self, operands: &[Vec<u8>]) -> X<T> {
        X { code: operands.concat(), value: PhantomData::<T> }.then(Instruction::Call(self.0))
    }
}

/// Doubles.
pub(crate) trait Real: Into<X<f64>> {
    fn abs(self) -> X<f64> {
        self.into().then(Instruction::F64Abs)
    }

    fn sqrt(self) -> X<f64> {
        self.into().then(Instruction::F64Sqrt)
    }

    /// With the sign of another.
    fn copysign(self, sign: impl Into<X<f64>>) -> X<f64> {
        self.into().with(sign.into(), Instruction::F64Copysign)
    }

    fn eq(self, b: impl Into<X<f64>>) -> X<i32> {
        self.into().with(b.into(), Instruction::F64Eq)
    }

    fn ne(self, b: impl Into<X<f64>>) -> X<i32> {
        self.into().with(b.into(), Instruction::F64Ne)
    }

    fn lt(self, b: impl Into<X<f64>>) -> X<i32> {
        self.into().with(b.into(), Instruction::F64Lt)
    }

    fn le(self, b: impl Into<X<f64>>) -> X<i32> {
        self.into().with(b.into(), Instruction::F64Le)
    }

    fn gt(self, b: impl Into<X<f64>>) -> X<i32> {
        self.into().with(b.into(), Instruction::F64Gt)
    }

    fn ge(self, b: impl Into<X<f64>>) -> X<i32> {
        self.into().with(b.into(), Instruction::F64Ge)
    }

    /// The lesser; undefined where one is.
    fn least(self, b: impl Into<X<f64>>) -> X<f64> {
        self.into().with(b.into(), Instruction::F64Min)
    }

    /// The greater; undefined where one is.
    fn most(self, b: impl Into<X<f64>>) -> X<f64> {
        self.into().with(b.into(), Instruction::F64Max)
    }

    /// The integer part, of a number that is defined and not large.
    fn truncated(self) -> X<i32> {
        self.into().then(Instruction::I32TruncF64S)
    }

    /// Its bits.
    fn bits(self) -> X<i64> {
        self.into().then(Instruction::I64ReinterpretF64)
    }
}

impl<A: Into<X<f64>>> Real for A {}

/// Integers of 32 bits: numbers of things, addresses, conditions.
pub(crate) trait Integer: Into<X<i32>> {
    fn is(self, b: impl Into<X<i32>>) -> X<i32> {
        self.into().with(b.into(), Instruction::I32Eq)
    }

    fn differs(self, b: impl Into<X<i32>>) -> X<i32> {
        self.into().with(b.into(), Instruction::I32Ne)
    }

    fn below(self, b: impl Into<X<i32>>) -> X<i32> {
        self.into().with(b.into(), Instruction::I32LtS)
    }

    /// Neither this nor any other condition, where it is one.
    fn not(self) -> X<i32> {
        self.into().then(Instruction::I32Eqz)
    }

    fn and(self, b: impl Into<X<i32>>) -> X<i32> {
        self.into().with(b.into(), Instruction::I32And)
    }

    fn or(self, b: impl Into<X<i32>>) -> X<i32> {
        self.into().with(b.into(), Instruction::I32Or)
    }

    fn real(self) -> X<f64> {
        self.into().then(Instruction::F64ConvertI32S)
    }

    fn wide(self) -> X<i64> {
        self.into().then(Instruction::I64ExtendI32U)
    }
}

impl<A: Into<X<i32>>> Integer for A {}

/// Sixty-four bits.
pub(crate) trait Bits: Into<X<i64>> {
    /// The double of these bits.
    fn double(self) -> X<f64> {
        self.into().then(Instruction::F64ReinterpretI64)
    }

    /// The double nearest to the integer without sign.
    fn rounded(self) -> X<f64> {
        self.into().then(Instruction::F64ConvertI64U)
    }

    fn low(self) -> X<i32> {
        self.into().then(Instruction::I32WrapI64)
    }

    fn less(self, b: impl Into<X<i64>>) -> X<i32> {
        self.into().with(b.into(), Instruction::I64LtU)
    }

    fn negative(self) -> X<i32> {
        self.into().with(X::from(0u64), Instruction::I64LtS)
    }
}

impl<A: Into<X<i64>>> Bits for A {}

macro_rules! operators {
    ($type:ty: $($trait:ident $method:ident $instruction:ident),*) => {$(
        operators!(@ $type, X<$type>, $trait $method $instruction);
        operators!(@ $type, Var<$type>, $trait $method $instruction);
        operators!(@ $type, Global<$type>, $trait $method $instruction);
    )*};
    (@ $type:ty, $left:ty, $trait:ident $method:ident $instruction:ident) => {
        impl<B: Into<X<$type>>> $trait<B> for $left {
            type Output = X<$type>;
            fn $method(self, b: B) -> X<$type> {
                X::from(self).with(b.into(), Instruction::$instruction)
            }
        }
    };
}

operators!(f64: Add add F64Add, Sub sub F64Sub, Mul mul F64Mul, Div div F64Div);
operators!(i32: Add add I32Add, Sub sub I32Sub, Mul mul I32Mul);
operators!(i64: Add add I64Add, Sub sub I64Sub, Mul mul I64Mul, BitAnd bitand I64And, BitOr bitor I64Or,
    BitXor bitxor I64Xor, Shl shl I64Shl, Shr shr I64ShrU);

macro_rules! numbers_first {
    ($($trait:ident $method:ident),*) => {$(
        numbers_first!(@ X<f64>, $trait $method);
        numbers_first!(@ Var<f64>, $trait $method);
        numbers_first!(@ Global<f64>, $trait $method);
    )*};
    (@ $right:ty, $trait:ident $method:ident) => {
        impl $trait<$right> for f64 {
            type Output = X<f64>;
            fn $method(self, b: $right) -> X<f64> {
                X::from(self).$method(b)
            }
        }
    };
}

numbers_first!(Add add, Sub sub, Mul mul, Div div);

impl Neg for X<f64> {
    type Output = X<f64>;
    fn neg(self) -> X<f64> {
        self.then(Instruction::F64Neg)
    }
}

impl Neg for Var<f64> {
    type Output = X<f64>;
    fn neg(self) -> X<f64> {
        -X::from(self)
    }
}
