//! A tape as steps that are one machine instruction each, still on values rather than registers.
//!
//! Values are computed once. Inputs and constants are values too; they have a home in memory and
//! no step computes them. The steps of a function of the tape with a limited domain end with a
//! [`Step::Mend`], which computes the results anew where an argument lies outside of it.

use std::collections::HashMap;

/// A value, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct V(pub(crate) u32);

impl V {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Input(u32),
    /// By its index among the constants.
    Constant(u32),
    Computed,
}

/// Of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Sqrt,
    /// Of the 64 bits.
    ShiftLeft(u8),
    ShiftRight(u8),
}

/// Of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    /// All bits of a lane one where a < b, zero elsewhere.
    Less,
    /// All bits of a lane one where a ≤ b, zero elsewhere.
    LessOrEqual,
    And,
    /// ¬a ∧ b.
    AndNot,
    Or,
    Xor,
    /// The sum of the 64 bits as integers.
    AddBits,
    /// The difference of the 64 bits as integers.
    SubBits,
}

impl Binary {
    pub(crate) fn commutes(self) -> bool {
        use Binary::*;
        // Min and Max of a zero or an undefined number depend on the order
        matches!(self, Add | Mul | And | Or | Xor | AddBits)
    }

    /// Does the instruction look at whole registers even for a single lane?
    pub(crate) fn is_bitwise(self) -> bool {
        use Binary::*;
        matches!(self, And | AndNot | Or | Xor | AddBits | SubBits)
    }
}

/// Of three operands, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fused {
    /// a b + c.
    MulAdd,
    /// a b − c.
    MulSub,
    /// c − a b.
    SubMul,
}

/// Functions whose results may have to be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Sin,
    Cos,
    SinCos,
    Exp,
    Log,
    Atan2,
}

/// Results of a function that hold where all conditions `a ≤ b` do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mend {
    pub(crate) function: Function,
    /// One or two.
    pub(crate) arguments: Vec<V>,
    /// One or two.
    pub(crate) results: Vec<V>,
    pub(crate) conditions: Vec<(V, V)>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    One {
        op: Unary,
        d: V,
        a: V,
    },
    Two {
        op: Binary,
        d: V,
        a: V,
        b: V,
    },
    Fused {
        op: Fused,
        d: V,
        a: V,
        b: V,
        c: V,
    },
    Mend(Mend),
    /// Writes an output.
    Store {
        output: u32,
        a: V,
    },
    /// A wide value from single ones.
    Pack {
        d: V,
        lanes: Vec<V>,
    },
    /// One number of a wide value.
    Unpack {
        d: V,
        a: V,
        lane: u8,
    },
}

impl Step {
    /// Looks at the values that are read.
    pub(crate) fn operands(&self, mut look: impl FnMut(V)) {
        match self {
            Step::One { a, .. } | Step::Store { a, .. } | Step::Unpack { a, .. } => look(*a),
            Step::Pack { lanes, .. } => lanes.iter().copied().for_each(look),
            Step::Two { a, b, .. } => [*a, *b].into_iter().for_each(look),
            Step::Fused { a, b, c, .. } => [*a, *b, *c].into_iter().for_each(look),
            Step::Mend(m) => {
                m.arguments.iter().chain(&m.results).for_each(|v| look(*v));
                m.conditions.iter().flat_map(|(a, b)| [*a, *b]).for_each(look);
            }
        }
    }
}

/// How many numbers a wide value has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SideBySide {
    Two,
    #[default]
    Four,
    Eight,
}

impl SideBySide {
    pub(crate) fn count(self) -> usize {
        match self {
            SideBySide::Two => 2,
            SideBySide::Four => 4,
            SideBySide::Eight => 8,
        }
    }
}

/// A program of steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) origins: Vec<Origin>,
    /// Which values are vectors of several numbers of a single point.
    pub(crate) wide: Vec<bool>,
    /// How many numbers they have.
    pub(crate) side_by_side: SideBySide,
    /// Bits of the constants.
    pub(crate) constants: Vec<u64>,
    known: HashMap<u64, V>,
}

impl Steps {
    /// None yet; wide values will have so many numbers.
    pub(crate) fn with(side_by_side: SideBySide) -> Steps {
        Steps { side_by_side, ..Steps::default() }
    }

    fn value(&mut self, origin: Origin) -> V {
        let v = V(u32::try_from(self.origins.len()).expect("fewer than 2³² values"));
        self.origins.push(origin);
        self.wide.push(false);
        v
    }

    fn wide_value(&mut self) -> V {
        let v = self.value(Origin::Computed);
        self.wide[v.index()] = true;
        v
    }

    pub(crate) fn input(&mut self, i: u32) -> V {
        self.value(Origin::Input(i))
    }

    pub(crate) fn constant(&mut self, x: f64) -> V {
        self.bits(x.to_bits())
    }

    pub(crate) fn bits(&mut self, bits: u64) -> V {
        if let Some(v) = self.known.get(&bits) {
            return *v;
        }
        let v = self.value(Origin::Constant(self.constants.len() as u32));
        self.constants.push(bits);
        self.known.insert(bits, v);
        v
    }

    pub(crate) fn one(&mut self, op: Unary, a: V) -> V {
        let d = self.value(Origin::Computed);
        self.steps.push(Step::One { op, d, a });
        d
    }

    /// Of two single values, or of two wide ones.
    pub(crate) fn two(&mut self, op: Binary, a: V, b: V) -> V {
        let d = if self.wide[a.index()] { self.wide_value() } else { self.value(Origin::Computed) };
        self.steps.push(Step::Two { op, d, a, b });
        d
    }

    /// Of three single values, or of three wide ones.
    pub(crate) fn fused(&mut self, op: Fused, a: V, b: V, c: V) -> V {
        let d = if self.wide[a.index()] { self.wide_value() } else { self.value(Origin::Computed) };
        self.steps.push(Step::Fused { op, d, a, b, c });
        d
    }

    pub(crate) fn pack(&mut self, lanes: Vec<V>) -> V {
        let d = self.wide_value();
        self.steps.push(Step::Pack { d, lanes });
        d
    }

    pub(crate) fn unpack(&mut self, a: V, lane: u8) -> V {
        let d = self.value(Origin::Computed);
        self.steps.push(Step::Unpack { d, a, lane });
        d
    }

    pub(crate) fn mend(&mut self, function: Function, arguments: &[V], results: &[V], conditions: &[(V, V)]) {
        self.steps.push(Step::Mend(Mend {
            function,
            arguments: arguments.to_vec(),
            results: results.to_vec(),
            conditions: conditions.to_vec(),
        }));
    }

    /// Are all inputs and outputs among so many?
    pub(crate) fn fit(&self, inputs: usize, outputs: usize) -> bool {
        let read = |o: &Origin| !matches!(o, Origin::Input(i) if *i as usize >= inputs);
        let written = |s: &Step| !matches!(s, Step::Store { output, .. } if *output as usize >= outputs);
        self.origins.iter().all(read) && self.steps.iter().all(written)
    }

    pub(crate) fn store(&mut self, output: u32, a: V) {
        self.steps.push(Step::Store { output, a });
    }

    pub(crate) fn add(&mut self, a: V, b: V) -> V {
        self.two(Binary::Add, a, b)
    }

    pub(crate) fn sub(&mut self, a: V, b: V) -> V {
        self.two(Binary::Sub, a, b)
    }

    pub(crate) fn mul(&mut self, a: V, b: V) -> V {
        self.two(Binary::Mul, a, b)
    }

    pub(crate) fn xor(&mut self, a: V, b: V) -> V {
        self.two(Binary::Xor, a, b)
    }

    /// −a.
    pub(crate) fn neg(&mut self, a: V) -> V {
        let sign = self.bits(SIGN);
        self.xor(a, sign)
    }
}

/// The sign bit.
pub(crate) const SIGN: u64 = 1 << 63;
