//! Building tapes in which nothing is computed twice.
//!
//! Every operation goes through the [`Builder`], which knows the values it already has (hash
//! consing, with commutative operands in order), folds constants in double-double, and applies
//! the identities that hold for all finite numbers bit by bit or up to one rounding:
//!
//! ```text
//! x + 0 = x,  x − 0 = x,  1 x = x,  −1 x = −x,  x/1 = x,  0 x = 0,  x − x = 0,
//! −(−x) = x,  a + (−b) = a − b,  a − (−b) = a + b,  (−a) b = −(a b),  x/c = x (1/c),
//! sin(−x) = −sin x,  cos(−x) = cos x
//! ```

use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::scalar::Scalar;
use crate::tape::{Output, Tape};
use rustc_hash::FxHashMap;

/// What tells operations apart: constants by their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Constant(u64, u64),
    Op(u8, u32, u32),
}

pub(crate) fn key(op: &Op) -> Key {
    match *op {
        Op::Constant(c) => Key::Constant(c.hi().to_bits(), c.lo().to_bits()),
        Op::Input(i) => Key::Op(0, i, 0),
        Op::Neg(a) => Key::Op(1, a.0, 0),
        Op::Add(a, b) => Key::Op(2, a.0, b.0),
        Op::Sub(a, b) => Key::Op(3, a.0, b.0),
        Op::Mul(a, b) => Key::Op(4, a.0, b.0),
        Op::Div(a, b) => Key::Op(5, a.0, b.0),
        Op::Sqrt(a) => Key::Op(6, a.0, 0),
        Op::Sin(a) => Key::Op(7, a.0, 0),
        Op::Cos(a) => Key::Op(8, a.0, 0),
        Op::Exp(a) => Key::Op(9, a.0, 0),
        Op::Log(a) => Key::Op(10, a.0, 0),
        Op::Atan2(a, b) => Key::Op(11, a.0, b.0),
    }
}

/// A tape in the making.
#[derive(Clone, Default)]
pub struct Builder {
    tape: Tape,
    known: FxHashMap<Key, Value>,
}

impl Builder {
    /// An empty program.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// An empty program with room for so many operations.
    pub(crate) fn with_room(operations: usize) -> Builder {
        let mut builder = Builder::default();
        builder.tape.ops.reserve(operations);
        builder.known.reserve(operations);
        builder
    }

    /// Declares the next input.
    pub fn input(&mut self, name: impl Into<String>) -> Value {
        self.tape.inputs.push(name.into());
        self.push(Op::Input(self.tape.inputs.len() as u32 - 1))
    }

    /// Names a value as the next output.
    pub fn output(&mut self, name: impl Into<String>, value: Value) {
        self.tape.outputs.push(Output { name: name.into(), value });
    }

    /// The program so far, as it was built: [`passes::finish`](crate::passes::finish) makes it tidy.
    pub fn into_raw(self) -> Tape {
        self.tape
    }

    /// The operation behind a value.
    pub fn op(&self, v: Value) -> Op {
        self.tape.ops[v.index()]
    }

    fn push(&mut self, op: Op) -> Value {
        let next = Value(u32::try_from(self.tape.ops.len()).expect("fewer than 2³² operations"));
        let v = *self.known.entry(key(&op)).or_insert(next);
        if v == next {
            self.tape.ops.push(op);
        }
        v
    }

    fn as_constant(&self, v: Value) -> Option<Dd> {
        match self.op(v) {
            Op::Constant(c) => Some(c),
            _ => None,
        }
    }

    /// A number. Constants of a tape are finite: ±∞ becomes ±1/0 and an undefined number 0/0.
    pub fn constant(&mut self, x: impl Into<Dd>) -> Value {
        let x: Dd = x.into();
        if x.is_finite() {
            // one zero for the low part, so that equal numbers have equal bits
            let x = if x.lo() == 0.0 { Dd::from(x.hi()) } else { x };
            return self.push(Op::Constant(x));
        }
        let zero = self.push(Op::Constant(Dd::ZERO));
        let numerator = match x.hi() {
            h if h.is_nan() => zero,
            h => self.push(Op::Constant(Dd::from(h.signum()))),
        };
        self.push(Op::Div(numerator, zero))
    }

    /// Any operation, folded and simplified.
    pub fn emit(&mut self, op: Op) -> Value {
        match op {
            Op::Input(_) => self.push(op),
            Op::Constant(c) => self.constant(c),
            Op::Neg(a) => self.neg(a),
            Op::Add(a, b) => self.add(a, b),
            Op::Sub(a, b) => self.sub(a, b),
            Op::Mul(a, b) => self.mul(a, b),
            Op::Div(a, b) => self.div(a, b),
            Op::Sqrt(a) => self.unary(a, Op::Sqrt, Scalar::sqrt),
            Op::Sin(a) => match self.op(a) {
                Op::Neg(x) => {
                    let s = self.emit(Op::Sin(x));
                    self.neg(s)
                }
                _ => self.unary(a, Op::Sin, |x| x.sin_cos().0),
            },
            Op::Cos(a) => match self.op(a) {
                Op::Neg(x) => self.emit(Op::Cos(x)),
                _ => self.unary(a, Op::Cos, |x| x.sin_cos().1),
            },
            Op::Exp(a) => self.unary(a, Op::Exp, Scalar::exp),
            Op::Log(a) => self.unary(a, Op::Log, Scalar::ln),
            Op::Atan2(a, b) => match (self.as_constant(a), self.as_constant(b)) {
                (Some(y), Some(x)) => self.constant(Scalar::atan2(y, x)),
                _ => self.push(op),
            },
        }
    }

    fn unary(&mut self, a: Value, op: fn(Value) -> Op, fold: fn(Dd) -> Dd) -> Value {
        match self.as_constant(a) {
            Some(x) => self.constant(fold(x)),
            None => self.push(op(a)),
        }
    }

    /// −a.
    pub fn neg(&mut self, a: Value) -> Value {
        match self.op(a) {
            Op::Constant(x) => self.constant(-x),
            Op::Neg(x) => x,
            Op::Sub(x, y) => self.sub(y, x),
            _ => self.push(Op::Neg(a)),
        }
    }

    /// a + b.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        match (self.op(a), self.op(b)) {
            (Op::Constant(x), Op::Constant(y)) => self.constant(x + y),
            (Op::Constant(x), _) if x == Dd::ZERO => b,
            (_, Op::Constant(y)) if y == Dd::ZERO => a,
            (_, Op::Neg(y)) => self.sub(a, y),
            (Op::Neg(x), _) => self.sub(b, x),
            _ => self.push(Op::Add(a.min(b), a.max(b))),
        }
    }

    /// a − b.
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        match (self.op(a), self.op(b)) {
            _ if a == b => self.constant(Dd::ZERO),
            (Op::Constant(x), Op::Constant(y)) => self.constant(x - y),
            (Op::Constant(x), _) if x == Dd::ZERO => self.neg(b),
            (_, Op::Constant(y)) if y == Dd::ZERO => a,
            (_, Op::Neg(y)) => self.add(a, y),
            _ => self.push(Op::Sub(a, b)),
        }
    }

    /// a b.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        match (self.op(a), self.op(b)) {
            (Op::Constant(x), Op::Constant(y)) => self.constant(x * y),
            (Op::Constant(x), _) => self.scale(b, x),
            (_, Op::Constant(y)) => self.scale(a, y),
            (Op::Neg(x), Op::Neg(y)) => self.mul(x, y),
            (Op::Neg(x), _) => {
                let p = self.mul(x, b);
                self.neg(p)
            }
            (_, Op::Neg(y)) => {
                let p = self.mul(a, y);
                self.neg(p)
            }
            _ => self.push(Op::Mul(a.min(b), a.max(b))),
        }
    }

    /// c a.
    pub fn scale(&mut self, a: Value, c: impl Into<Dd>) -> Value {
        let c: Dd = c.into();
        if c == Dd::ZERO {
            return self.constant(Dd::ZERO);
        }
        if c == Dd::ONE {
            return a;
        }
        if c == -Dd::ONE {
            return self.neg(a);
        }
        match self.op(a) {
            Op::Constant(x) => self.constant(c * x),
            Op::Neg(x) => self.scale(x, -c),
            _ => {
                let k = self.constant(c);
                self.push(Op::Mul(a.min(k), a.max(k)))
            }
        }
    }

    /// a / b.
    pub fn div(&mut self, a: Value, b: Value) -> Value {
        match (self.op(a), self.op(b)) {
            (_, Op::Constant(y)) if y == Dd::ZERO => self.push(Op::Div(a, b)),
            (Op::Constant(x), Op::Constant(y)) => self.constant(x / y),
            (_, Op::Constant(y)) => self.scale(a, Dd::ONE / y),
            (Op::Constant(x), _) if x == Dd::ZERO => a,
            (Op::Neg(x), Op::Neg(y)) => self.div(x, y),
            (Op::Neg(x), _) => {
                let q = self.div(x, b);
                self.neg(q)
            }
            (_, Op::Neg(y)) => {
                let q = self.div(a, y);
                self.neg(q)
            }
            _ => self.push(Op::Div(a, b)),
        }
    }

    /// aⁿ by repeated squaring; a negative power is one division.
    pub fn powi(&mut self, a: Value, n: i32) -> Value {
        let (mut result, mut square, mut k) = (None, a, n.unsigned_abs());
        while k > 0 {
            if k & 1 == 1 {
                result = Some(result.map_or(square, |r| self.mul(r, square)));
            }
            k >>= 1;
            if k > 0 {
                square = self.mul(square, square);
            }
        }
        let one = self.constant(Dd::ONE);
        let power = result.unwrap_or(one);
        if n < 0 { self.div(one, power) } else { power }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::finish;

    #[test]
    fn identities() {
        let mut b = Builder::new();
        let (x, y) = (b.input("x"), b.input("y"));
        let (zero, one, minus) = (b.constant(0.0), b.constant(1), b.constant(-1));
        let (nx, ny) = (b.neg(x), b.neg(y));
        let (sum, difference, product) = (b.add(x, y), b.sub(x, y), b.mul(x, y));
        assert_eq!((b.add(x, zero), b.sub(x, zero), b.mul(x, one), b.div(x, one)), (x, x, x, x));
        assert_eq!((b.mul(minus, x), b.sub(zero, x), b.neg(nx), b.mul(x, zero)), (nx, nx, x, zero));
        assert_eq!((b.add(y, x), b.mul(y, x), b.sub(x, x)), (sum, product, zero));
        assert_eq!((b.add(x, ny), b.sub(x, ny), b.add(ny, x)), (difference, sum, difference));
        assert_eq!((b.mul(nx, ny), b.neg(difference)), (product, b.sub(y, x)));
        let (quarter, four) = (b.scale(x, 0.25), b.constant(4));
        assert_eq!((b.div(x, four), b.div(nx, ny)), (quarter, b.div(x, y)));
        let (sine, cosine) = (b.emit(Op::Sin(x)), b.emit(Op::Cos(x)));
        assert_eq!((b.emit(Op::Sin(nx)), b.emit(Op::Cos(nx))), (b.neg(sine), cosine));
        // constants are folded to all digits
        let three = b.constant(3);
        let third = b.div(one, three);
        assert_eq!(b.op(third), Op::Constant(Dd::ratio(1, 3)));
    }

    #[test]
    fn numbers_that_are_not_finite_stay_operations() {
        let mut b = Builder::new();
        let (zero, one) = (b.constant(0.0), b.constant(1.0));
        let inf = b.constant(f64::INFINITY);
        assert_eq!((b.op(inf), b.div(one, zero)), (Op::Div(one, zero), inf));
        let nan = b.constant(f64::NAN);
        assert_eq!((b.op(nan), b.div(zero, zero)), (Op::Div(zero, zero), nan));
        let x = b.constant(-1.0);
        assert_eq!(b.emit(Op::Sqrt(x)), nan);
    }

    #[test]
    fn powers() {
        // x¹³ = x⁸ x⁴ x: three squares, two products
        for (n, work) in [(0, 0), (1, 0), (2, 1), (13, 5), (-1, 1), (-13, 6), (i32::MIN, 32)] {
            let mut b = Builder::new();
            let x = b.input("x");
            let p = b.powi(x, n);
            b.output("p", p);
            let tape = finish(b);
            assert_eq!(tape.work(), work, "power {n}");
            let mut y = [0.0];
            crate::reference::Interpreter::<f64>::new(&tape).call(&[-0.5], &mut y);
            assert_eq!(y[0], (-0.5f64).powi(n));
        }
    }
}
