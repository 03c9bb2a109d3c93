//! What is known of the series of a tape before any number is.

use polhode_tape::{Builder, Dd, Op, Output, Tape, Value, passes};
use std::ops::Range;

/// The coefficients of order k ≥ 1 of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Series {
    /// All zero: the value does not depend on time.
    Constant,
    /// `factor` times those of another value, or of the value itself. Negations, multiples and
    /// sums with constants are such.
    Multiple {
        /// The factor.
        factor: Dd,
        /// A value with a recurrence of its own, the time, or a component of the state.
        of: Value,
    },
}

/// Which of the sums (J2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumKind {
    /// ⟨a,b⟩.
    Product,
    /// ⟨a′,b⟩.
    Rate,
    /// ⟨a,a⟩.
    Square,
}

/// A sum (J2) over the series of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Which.
    pub kind: SumKind,
    /// a.
    pub left: Value,
    /// b.
    pub right: Value,
}

/// A value whose coefficients are computed by (J3), by the line that belongs to its operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// The value.
    pub value: Value,
    /// The cosine of a sine, the sine of a cosine, w of an angle.
    pub companion: Option<Value>,
    /// Its sums, in the order of (J3), without those that vanish because an operand is constant.
    pub sums: Range<usize>,
}

/// A tape with inputs t, y₁ … yₙ and outputs ẏ₁ … ẏₙ, prepared for (J1) and (J3).
#[derive(Clone, Debug, PartialEq)]
pub struct JetProgram {
    /// The tape with the companions of (J3) added: order 0. Values below are values of this tape.
    pub tape: Tape,
    /// The series of each value.
    pub series: Vec<Series>,
    /// The values that are computed at each order, in order.
    pub recurrences: Vec<Recurrence>,
    /// Their sums.
    pub sums: Vec<Sum>,
}

impl JetProgram {
    /// Prepares a tape.
    ///
    /// Panics unless the tape has one input more than it has outputs.
    pub fn new(tape: &Tape) -> JetProgram {
        assert_eq!(tape.inputs.len(), tape.outputs.len() + 1, "inputs are t and the state, outputs its rates");
        let tape = with_companions(tape);
        let varies = varying(&tape);
        let mut program = JetProgram { series: Vec::new(), recurrences: Vec::new(), sums: Vec::new(), tape };
        for k in 0..program.tape.ops.len() {
            let series = if varies[k] { program.prepare(Value(k as u32)) } else { Series::Constant };
            program.series.push(series);
        }
        program
    }

    /// The same for [`JetProgram::unroll`], with quotients in place of products with reciprocals: fewer sums, rounded differently.
    pub fn for_code(tape: &Tape) -> JetProgram {
        JetProgram::new(&with_quotients(tape))
    }

    /// The number of components of the state.
    pub fn dimension(&self) -> usize {
        self.tape.outputs.len()
    }

    fn constant(&self, v: Value) -> Option<Dd> {
        match self.tape.ops[v.index()] {
            Op::Constant(c) => Some(c),
            _ => None,
        }
    }

    /// The series of a value that varies.
    fn prepare(&mut self, v: Value) -> Series {
        let own = Series::Multiple { factor: Dd::ONE, of: v };
        let scaled = |series: Series, by: Dd| match series {
            Series::Multiple { factor, of } => Series::Multiple { factor: factor * by, of },
            Series::Constant => Series::Constant,
        };
        let of = |program: &Self, a: Value| program.series[a.index()];
        let base = |program: &Self, a: Value| match of(program, a) {
            Series::Multiple { of, .. } => of,
            Series::Constant => a,
        };
        let start = self.sums.len();
        let mut companion = None;
        match self.tape.ops[v.index()] {
            Op::Input(_) => return own,
            Op::Constant(_) => return Series::Constant,
            Op::Neg(a) => return scaled(of(self, a), -Dd::ONE),
            op @ (Op::Add(a, b) | Op::Sub(a, b)) => {
                let right = if matches!(op, Op::Sub(..)) { scaled(of(self, b), -Dd::ONE) } else { of(self, b) };
                match (of(self, a), right) {
                    (Series::Constant, s) | (s, Series::Constant) => return s,
                    (Series::Multiple { factor: f, of: x }, Series::Multiple { factor: g, of: y }) if x == y => {
                        return Series::Multiple { factor: f + g, of: x };
                    }
                    _ => {}
                }
            }
            Op::Mul(a, b) => match (self.constant(a), self.constant(b)) {
                (Some(c), _) => return scaled(of(self, b), c),
                (_, Some(c)) => return scaled(of(self, a), c),
                _ if of(self, a) == Series::Constant || of(self, b) == Series::Constant => {}
                _ => {
                    let (left, right) = (base(self, a), base(self, b));
                    let kind = if left == right { SumKind::Square } else { SumKind::Product };
                    self.sums.push(Sum { kind, left, right });
                }
            },
            Op::Div(a, b) => match self.constant(b) {
                Some(c) if c != Dd::ZERO => return scaled(of(self, a), Dd::ONE / c),
                _ if of(self, b) == Series::Constant => {}
                _ => self.sums.push(Sum { kind: SumKind::Product, left: base(self, b), right: v }),
            },
            Op::Sqrt(_) => self.sums.push(Sum { kind: SumKind::Square, left: v, right: v }),
            Op::Sin(a) | Op::Cos(a) => {
                let other = if matches!(self.tape.ops[v.index()], Op::Sin(_)) { v.0 + 1 } else { v.0 - 1 };
                companion = Some(Value(other));
                self.sums.push(Sum { kind: SumKind::Rate, left: base(self, a), right: Value(other) });
            }
            Op::Exp(a) => self.sums.push(Sum { kind: SumKind::Rate, left: base(self, a), right: v }),
            Op::Log(a) => self.sums.push(Sum { kind: SumKind::Rate, left: v, right: base(self, a) }),
            Op::Atan2(y, x) => {
                let w = Value(v.0 - 1);
                companion = Some(w);
                if of(self, y) != Series::Constant && of(self, x) != Series::Constant {
                    let (y, x) = (base(self, y), base(self, x));
                    self.sums.push(Sum { kind: SumKind::Rate, left: y, right: x });
                    self.sums.push(Sum { kind: SumKind::Rate, left: x, right: y });
                }
                self.sums.push(Sum { kind: SumKind::Rate, left: v, right: base(self, w) });
            }
        }
        self.recurrences.push(Recurrence { value: v, companion, sums: start..self.sums.len() });
        own
    }
}

/// The tape with quotients in place of products with reciprocals: a/s is one sum (J2), a·(1/s) is two, or one more for
/// all that share 1/s.
fn with_quotients(tape: &Tape) -> Tape {
    let mut b = Builder::new();
    let inputs: Vec<Value> = tape.inputs.iter().map(|name| b.input(name.clone())).collect();
    let mut place: Vec<Value> = Vec::with_capacity(tape.ops.len());
    for op in &tape.ops {
        let quotient = |b: &Builder, v: Value| match b.op(v) {
            Op::Div(over, under) if matches!(b.op(over), Op::Constant(_)) => Some((over, under)),
            _ => None,
        };
        let new = match *op {
            Op::Input(i) => inputs[i as usize],
            Op::Mul(x, y) => {
                let (x, y) = (place[x.index()], place[y.index()]);
                let constant = |v: Value| matches!(b.op(v), Op::Constant(_));
                match (quotient(&b, x), quotient(&b, y)) {
                    _ if constant(x) || constant(y) => b.mul(x, y),
                    (_, Some((over, under))) => {
                        let scaled = b.mul(x, over);
                        b.div(scaled, under)
                    }
                    (Some((over, under)), None) => {
                        let scaled = b.mul(y, over);
                        b.div(scaled, under)
                    }
                    (None, None) => b.mul(x, y),
                }
            }
            op => b.emit(op.map(|a| place[a.index()])),
        };
        place.push(new);
    }
    tape.outputs.iter().for_each(|o| b.output(o.name.clone(), place[o.value.index()]));
    passes::finish(b)
}

/// The tape with sin and cos of an angle always together, in this order, and w = x² + y² directly
/// before each atan2(y, x).
fn with_companions(tape: &Tape) -> Tape {
    let mut ops: Vec<Op> = Vec::with_capacity(tape.ops.len());
    let mut place: Vec<Value> = Vec::with_capacity(tape.ops.len());
    let mut pairs: Vec<(Value, Value)> = Vec::new(); // angle, its sine
    for op in &tape.ops {
        let op = op.map(|a| place[a.index()]);
        let mut push = |op: Op| {
            ops.push(op);
            Value(ops.len() as u32 - 1)
        };
        place.push(match op {
            Op::Sin(a) | Op::Cos(a) => {
                let sine = (pairs.iter().find(|(angle, _)| *angle == a)).map(|(_, sine)| *sine).unwrap_or_else(|| {
                    let sine = push(Op::Sin(a));
                    push(Op::Cos(a));
                    pairs.push((a, sine));
                    sine
                });
                if matches!(op, Op::Sin(_)) { sine } else { Value(sine.0 + 1) }
            }
            Op::Atan2(y, x) => {
                let (x2, y2) = (push(Op::Mul(x, x)), push(Op::Mul(y, y)));
                push(Op::Add(x2, y2));
                push(op)
            }
            op => push(op),
        });
    }
    let outputs = tape.outputs.iter().map(|o| Output { name: o.name.clone(), value: place[o.value.index()] }).collect();
    Tape { inputs: tape.inputs.clone(), ops, outputs }
}

/// Which values depend on time. A component of the state whose rate is the constant 0 does not.
fn varying(tape: &Tape) -> Vec<bool> {
    let zero = |v: Value| matches!(tape.ops[v.index()], Op::Constant(c) if c == Dd::ZERO);
    let mut varies = vec![false; tape.ops.len()];
    for (k, op) in tape.ops.iter().enumerate() {
        varies[k] = match *op {
            Op::Input(0) => true,
            Op::Input(i) => !zero(tape.outputs[i as usize - 1].value),
            _ => op.operands().any(|a| varies[a.index()]),
        };
    }
    varies
}
