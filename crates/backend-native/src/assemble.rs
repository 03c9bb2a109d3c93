//! From steps to machine code: registers, spills, memory operands.
//!
//! The code is a function of C,
//!
//! ```text
//! code(inputs: rdi, outputs: rsi, scratch: rdx, stride: rcx, blocks: r8, wide scratch: r9)
//! ```
//!
//! For one lane it evaluates once, inputs and outputs side by side. For more it evaluates `blocks`
//! times, each time for the next lanes; columns are `stride` bytes apart. *Packed* code evaluates one
//! block whose columns are side by side, so that all places are known beforehand.
//!
//! Code for one lane may have wide values: several numbers of the same point. They share the registers and have
//! scratch memory of their own. A number is taken out of one by way of that memory.
//!
//! A program without branches knows its future, so that Belady's rule for replacing pages can be
//! followed: when a register is needed, it is taken from the value that is used again last. That
//! value goes to the scratch memory unless it is still somewhere in memory. A value in memory that is not
//! needed again, or not soon enough, is an operand from where it is. An output whose place is known is such a place in memory.

use crate::code;
use crate::encode::*;
use crate::level::Level;
use crate::steps::{Binary, Fused, Mend, Origin, SideBySide, Step, Steps, Unary, V};

/// How many points the code works on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    One,
    Two,
    Four,
    Eight,
}

impl Width {
    pub(crate) fn lanes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
            Width::Four => 4,
            Width::Eight => 8,
        }
    }

    /// Bytes of a value.
    fn bytes(self) -> i32 {
        8 * self.lanes() as i32
    }

    /// Of arithmetic.
    fn length(self) -> Length {
        match self {
            Width::One => Length::Scalar,
            Width::Two => Length::Xmm,
            Width::Four => Length::Ymm,
            Width::Eight => Length::Zmm,
        }
    }

    /// Of operations on bits.
    fn whole(self) -> Length {
        match self {
            Width::One | Width::Two => Length::Xmm,
            Width::Four => Length::Ymm,
            Width::Eight => Length::Zmm,
        }
    }
}

/// Code and what it needs.
#[derive(Clone, Debug)]
pub(crate) struct Assembled {
    pub(crate) bytes: Vec<u8>,
    /// Doubles of scratch memory.
    pub(crate) scratch: usize,
    /// The double among them that rdx points to: places on both sides of it have short addresses.
    pub(crate) middle: usize,
    /// Cache lines of wide scratch memory; r9 points to the middle one.
    pub(crate) wide_lines: usize,
}

/// Machine code for some steps.
pub(crate) fn assemble(steps: &Steps, level: Level, width: Width, columns: Columns) -> Assembled {
    Assembler::new(steps, level, width, columns).assemble()
}

/// Where the numbers of one input or output of several lanes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    /// Any number of points; columns are a stride apart that the caller tells.
    Strided,
    /// As many points as there are lanes.
    Packed,
}

/// The next use of a value that is not used again.
const NEVER: u32 = u32::MAX;

/// Predicates of comparisons.
const LESS: u8 = 1;
const LESS_OR_EQUAL: u8 = 2;
const NOT_LESS_OR_EQUAL: u8 = 6;

/// What happens when the conditions of a [`Mend`] fail, out of the way of the other code.
struct Detour {
    jumps: Vec<Jump>,
    back: usize,
    function: u64,
    arguments: Vec<u8>,
    results: Vec<u8>,
    /// Other registers in use.
    kept: Vec<u8>,
}

/// Places in scratch memory.
#[derive(Default)]
struct Slots {
    count: u32,
    free: Vec<u32>,
    /// Free after the present step, which may still read them.
    leaving: Vec<u32>,
}

impl Slots {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }
}

struct Assembler<'a> {
    steps: &'a Steps,
    width: Width,
    level: Level,
    bytes: Bytes,
    /// The register a value is in.
    register: Vec<Option<u8>>,
    /// The value a register has.
    holder: [Option<V>; 32],
    /// One bit for each register without a value.
    free: u32,
    /// The step in which a value is used next.
    next: Vec<u32>,
    /// The place in scratch memory that has a value.
    slot: Vec<Option<u32>>,
    single: Slots,
    wide: Slots,
    /// The wide place in which a single value stands, and where there.
    lane: Vec<Option<(u32, u8)>>,
    /// How many values stand in a wide place.
    tenants: Vec<u32>,
    /// The output that has a value, where its place is known.
    written: Vec<Option<u32>>,
    /// Are places of inputs and outputs known?
    fixed: bool,
    detours: Vec<Detour>,
}

impl<'a> Assembler<'a> {
    fn new(steps: &'a Steps, level: Level, width: Width, columns: Columns) -> Assembler<'a> {
        let n = steps.origins.len();
        Assembler {
            steps,
            width,
            level,
            bytes: Bytes::new(level == Level::Avx512),
            register: vec![None; n],
            holder: [None; 32],
            free: u32::MAX >> (32 - level.registers()),
            next: vec![NEVER; n],
            slot: vec![None; n],
            single: Slots::default(),
            wide: Slots::default(),
            lane: vec![None; n],
            tenants: Vec::new(),
            written: vec![None; n],
            fixed: width == Width::One || columns == Columns::Packed,
            detours: Vec::new(),
        }
    }

    fn assemble(mut self) -> Assembled {
        let following = self.following();
        let mut rest = following.iter();
        let mut after = Vec::new();
        for step in &self.steps.steps {
            after.clear();
            step.operands(|v| after.push((v, *rest.next().expect("one for each operand"))));
            self.step(step, &after);
            self.single.free.append(&mut self.single.leaving);
            self.wide.free.append(&mut self.wide.leaving);
        }
        self.end()
    }

    /// For every operand of every step the step in which it is used next. Sets `next` to the first
    /// uses.
    fn following(&mut self) -> Vec<u32> {
        let mut following = Vec::with_capacity(2 * self.steps.steps.len());
        for (k, step) in self.steps.steps.iter().enumerate().rev() {
            let first = following.len();
            step.operands(|v| following.push(self.next[v.index()]));
            following[first..].reverse();
            step.operands(|v| self.next[v.index()] = k as u32);
        }
        following.reverse();
        following
    }

    fn step(&mut self, step: &Step, after: &[(V, u32)]) {
        match step {
            Step::One { op, d, a } => {
                let a = self.ensure(*a);
                self.advance(after);
                let d = self.define(*d);
                let whole = self.width.whole();
                match op {
                    Unary::Sqrt => {
                        let length = self.width.length();
                        let first = if length == Length::Scalar { a } else { 0 };
                        self.bytes.vector(arithmetic(SQRT, length), length, d, first, Operand::Register(a), None);
                    }
                    Unary::ShiftLeft(n) => {
                        self.bytes.vector(SHIFT, whole, SHIFT_LEFT, d, Operand::Register(a), Some(*n));
                    }
                    Unary::ShiftRight(n) => {
                        self.bytes.vector(SHIFT, whole, SHIFT_RIGHT, d, Operand::Register(a), Some(*n));
                    }
                }
            }
            Step::Two { op, d, a, b } => {
                let (mut a, mut b) = ((*a, after[0].1), (*b, after[1].1));
                if op.commutes() && self.prefers_exchange(a, b) {
                    (a, b) = (b, a);
                }
                let left = self.ensure(a.0);
                let right = self.operand(b.0, b.1, op.is_bitwise());
                self.advance(after);
                let length = self.length(*d);
                let d = self.define(*d);
                self.binary(*op, length, d, left, right);
            }
            Step::Fused { op, d, a, b, c } => {
                let (mut a, mut b) = ((*a, after[0].1), (*b, after[1].1));
                if self.prefers_exchange(a, b) {
                    (a, b) = (b, a);
                }
                let length = self.length(*d);
                let whole = if length == Length::Scalar { Length::Xmm } else { length };
                let (left, sum) = (self.ensure(a.0), self.ensure(*c));
                let right = self.operand(b.0, b.1, false);
                // the result is computed in the register of c: in place where c is not needed again
                let alone = after[2].1 == NEVER && *c != a.0 && *c != b.0;
                let d = if alone {
                    self.advance(after);
                    self.define_in(*d, sum)
                } else {
                    let d = self.define(*d);
                    self.bytes.vector(MOVE, whole, d, 0, Operand::Register(sum), None);
                    self.advance(after);
                    d
                };
                let opcode = match op {
                    Fused::MulAdd => MUL_ADD,
                    Fused::MulSub => MUL_SUB,
                    Fused::SubMul => SUB_MUL,
                };
                self.bytes.vector(fused(opcode, length), length, d, left, right, None);
            }
            Step::Store { output, a } => {
                let register = self.ensure(*a);
                let place = self.column(RSI, *output);
                self.store(register, self.width.length(), place);
                if self.fixed {
                    self.written[a.index()] = Some(*output);
                }
                self.advance(after);
            }
            Step::Mend(mend) => self.mend(mend, after),
            Step::Pack { d, lanes } => self.pack(*d, lanes, after),
            Step::Unpack { d, a, lane } => self.unpack(*d, *a, *lane, after),
        }
    }

    /// How much of a register a value takes.
    fn length(&self, v: V) -> Length {
        match (self.steps.wide[v.index()], self.steps.side_by_side) {
            (false, _) => self.width.length(),
            (true, SideBySide::Two) => Length::Xmm,
            (true, SideBySide::Four) => Length::Ymm,
            (true, SideBySide::Eight) => Length::Zmm,
        }
    }

    fn pack(&mut self, d: V, lanes: &[V], after: &[(V, u32)]) {
        // all that is used again is in a register by then; the others may come from memory
        let fours: Vec<u8> = (lanes.chunks(4).enumerate())
            .map(|(k, four)| {
                let pairs: Vec<u8> = (four.chunks(2).enumerate())
                    .map(|(i, pair)| {
                        let first = self.ensure(pair[0]);
                        let second = self.operand(pair[1], after[4 * k + 2 * i + 1].1, false);
                        let low = self.take();
                        match second {
                            Operand::Register(_) => {
                                self.bytes.vector(UNPACK_LOW, Length::Xmm, low, first, second, None);
                            }
                            _ => self.bytes.vector(LOAD_HIGH, Length::Scalar, low, first, second, None),
                        }
                        low
                    })
                    .collect();
                if let [low, high] = pairs[..] {
                    self.bytes.vector(INSERT_QUARTER, Length::Ymm, low, low, Operand::Register(high), Some(1));
                    self.free |= 1 << high;
                }
                pairs[0]
            })
            .collect();
        if let [low, high] = fours[..] {
            self.bytes.evex(INSERT_HALF, Length::Zmm, low, low, Operand::Register(high), Some(1));
            self.free |= 1 << high;
        }
        self.advance(after);
        self.define_in(d, fours[0]);
    }

    fn unpack(&mut self, d: V, a: V, lane: u8, after: &[(V, u32)]) {
        if self.slot[a.index()].is_none() {
            let r = self.register[a.index()].expect("a value is somewhere until its last use");
            self.spill(a, r);
        }
        let place = self.slot[a.index()].expect("it was stored");
        self.tenants[place as usize] += 1;
        self.lane[d.index()] = Some((place, lane));
        self.advance(after);
    }

    /// One value less stands in a wide place.
    fn vacate(&mut self, place: u32) {
        let tenants = &mut self.tenants[place as usize];
        *tenants -= 1;
        if *tenants == 0 {
            self.wide.leaving.push(place);
        }
    }

    /// Copies a value from a register to scratch memory.
    fn spill(&mut self, v: V, r: u8) {
        let place = if self.steps.wide[v.index()] {
            let place = self.wide.take();
            self.tenants.resize(self.wide.count as usize, 0);
            self.tenants[place as usize] = 1;
            place
        } else {
            self.single.take()
        };
        self.slot[v.index()] = Some(place);
        let to = self.scratch_of(v, place);
        self.store(r, self.length(v), to);
    }

    fn scratch_of(&self, v: V, place: u32) -> Address {
        if self.steps.wide[v.index()] { self.wide_scratch(place) } else { self.scratch(place) }
    }

    fn wide_scratch(&self, place: u32) -> Address {
        Address::new(R9, from_middle(place) * 8 * self.steps.side_by_side.count() as i32)
    }

    /// Is b better to have in a register than a?
    fn prefers_exchange(&self, a: (V, u32), b: (V, u32)) -> bool {
        let in_register = |v: V| self.register[v.index()].is_some();
        match (in_register(a.0), in_register(b.0)) {
            (false, true) => true,
            (false, false) => self.is_constant(a.0) || (!self.is_constant(b.0) && b.1 < a.1),
            _ => false,
        }
    }

    fn is_constant(&self, v: V) -> bool {
        matches!(self.steps.origins[v.index()], Origin::Constant(_))
    }

    fn binary(&mut self, op: Binary, length: Length, d: u8, a: u8, b: Operand) {
        let whole = self.width.whole();
        let plain = |bytes: &mut Bytes, opcode| bytes.vector(arithmetic(opcode, length), length, d, a, b, None);
        let bits = |bytes: &mut Bytes, form| bytes.vector(form, whole, d, a, b, None);
        match op {
            Binary::Add => plain(&mut self.bytes, ADD),
            Binary::Sub => plain(&mut self.bytes, SUB),
            Binary::Mul => plain(&mut self.bytes, MUL),
            Binary::Div => plain(&mut self.bytes, DIV),
            Binary::Min => plain(&mut self.bytes, MIN),
            Binary::Max => plain(&mut self.bytes, MAX),
            Binary::And => bits(&mut self.bytes, AND),
            Binary::AndNot => bits(&mut self.bytes, AND_NOT),
            Binary::Or => bits(&mut self.bytes, OR),
            Binary::Xor => bits(&mut self.bytes, XOR),
            Binary::AddBits => bits(&mut self.bytes, ADD_BITS),
            Binary::SubBits => bits(&mut self.bytes, SUB_BITS),
            Binary::Less => self.compare(LESS, d, a, b),
            Binary::LessOrEqual => self.compare(LESS_OR_EQUAL, d, a, b),
        }
    }

    /// d = all ones or all zeros.
    fn compare(&mut self, predicate: u8, d: u8, a: u8, b: Operand) {
        let length = self.width.length();
        let form = arithmetic(COMPARE, length);
        match self.level {
            Level::Avx2 => self.bytes.vector(form, length, d, a, b, Some(predicate)),
            Level::Avx512 => {
                self.bytes.evex(form, length, MASK, a, b, Some(predicate));
                self.bytes.evex(MASK_TO_VECTOR, self.width.whole(), d, 0, Operand::Register(MASK), None);
            }
        }
    }

    fn mend(&mut self, mend: &Mend, after: &[(V, u32)]) {
        // a detour keeps single values only
        for r in 0..32 {
            if self.holder[usize::from(r)].is_some_and(|v| self.steps.wide[v.index()]) {
                self.evict(r);
            }
        }
        // whatever has to be loaded is loaded before the first jump: all jumps find the same registers
        for v in mend.arguments.iter().chain(&mend.results) {
            self.ensure(*v);
        }
        // a ≤ b fails where b is below a or they are unordered
        let scalar = self.width == Width::One;
        let sides: Vec<(u8, V)> = (mend.conditions.iter())
            .map(|(a, b)| if scalar { (self.ensure(*b), *a) } else { (self.ensure(*a), *b) })
            .collect();
        let spare = (!scalar && self.level == Level::Avx2).then(|| self.take());
        let register = |s: &Self, v: V| s.register[v.index()].expect("loaded before");
        let arguments: Vec<u8> = mend.arguments.iter().map(|v| register(self, *v)).collect();
        let results: Vec<u8> = mend.results.iter().map(|v| register(self, *v)).collect();
        let mut jumps = Vec::new();
        for (first, second) in sides {
            let second = match self.register[second.index()] {
                Some(r) => Operand::Register(r),
                None => self.home(second),
            };
            let length = self.width.length();
            let form = arithmetic(COMPARE, length);
            jumps.push(match (self.level, spare) {
                _ if scalar => {
                    self.bytes.vector(COMPARE_FLAGS, length, first, 0, second, None);
                    self.bytes.jump_when(When::Below)
                }
                (_, Some(spare)) => {
                    self.bytes.vector(form, length, spare, first, second, Some(NOT_LESS_OR_EQUAL));
                    self.bytes.vex(SIGNS, length, 0, 0, Operand::Register(spare), None); // to rax
                    self.bytes.test(RAX);
                    self.bytes.jump_when(When::NotZero)
                }
                (_, None) => {
                    self.bytes.evex(form, length, MASK, first, second, Some(NOT_LESS_OR_EQUAL));
                    self.bytes.vex(MASK_TEST, Length::Xmm, MASK, 0, Operand::Register(MASK), None);
                    self.bytes.jump_when(When::NotZero)
                }
            });
        }
        if let Some(spare) = spare {
            self.free |= 1 << spare;
        }
        // copies in memory are from before
        for v in &mend.results {
            self.single.free.extend(self.slot[v.index()].take());
            self.written[v.index()] = None;
        }
        self.advance(after);
        let kept = (0..32).filter(|r| self.holder[usize::from(*r)].is_some() && !results.contains(r)).collect();
        let function = code::slow(mend.function);
        self.detours.push(Detour { jumps, back: self.bytes.position(), function, arguments, results, kept });
    }

    /// After a step: when its operands are used next.
    fn advance(&mut self, after: &[(V, u32)]) {
        for (v, next) in after {
            self.next[v.index()] = *next;
            if *next == NEVER {
                if let Some(r) = self.register[v.index()].take() {
                    self.holder[usize::from(r)] = None;
                    self.free |= 1 << r;
                }
                if let Some(place) = self.slot[v.index()].take() {
                    if self.steps.wide[v.index()] {
                        self.vacate(place);
                    } else {
                        self.single.leaving.push(place);
                    }
                }
                if let Some((place, _)) = self.lane[v.index()].take() {
                    self.vacate(place);
                }
            }
        }
    }

    /// A register for a new value.
    fn define(&mut self, v: V) -> u8 {
        let r = self.take();
        self.define_in(v, r)
    }

    /// A certain register, which has no value, for a new one.
    fn define_in(&mut self, v: V, r: u8) -> u8 {
        self.free &= !(1 << r);
        self.holder[usize::from(r)] = Some(v);
        self.register[v.index()] = Some(r);
        r
    }

    /// The register of a value, which is loaded where it is in none.
    fn ensure(&mut self, v: V) -> u8 {
        if let Some(r) = self.register[v.index()] {
            return r;
        }
        let r = self.define(v);
        let home = self.home(v);
        self.load(r, self.length(v), home);
        r
    }

    /// A value as the operand that may be in memory; it is used again in step `following`.
    fn operand(&mut self, v: V, following: u32, bitwise: bool) -> Operand {
        if let Some(r) = self.register[v.index()] {
            return Operand::Register(r);
        }
        // operations on bits read 16 bytes even for one lane, which may go past the end of the
        // inputs, and wait for a double that was just stored
        let may_stay = self.width != Width::One || !bitwise || self.is_constant(v);
        if may_stay && !self.worth_a_register(following) { self.home(v) } else { Operand::Register(self.ensure(v)) }
    }

    fn worth_a_register(&self, following: u32) -> bool {
        following != NEVER && (self.free != 0 || self.last_needed().is_some_and(|(_, next)| following < next))
    }

    /// The register whose value is used again last, and when.
    fn last_needed(&self) -> Option<(u8, u32)> {
        let held = (0..self.level.registers()).filter_map(|r| Some((r, self.holder[usize::from(r)]?)));
        held.map(|(r, v)| (r, self.next[v.index()])).max_by_key(|(_, next)| *next)
    }

    /// A register without a value.
    fn take(&mut self) -> u8 {
        if self.free == 0 {
            let (r, _) = self.last_needed().expect("no step uses all registers");
            self.evict(r);
        }
        let r = self.free.trailing_zeros() as u8;
        self.free &= self.free - 1;
        r
    }

    fn evict(&mut self, r: u8) {
        let v = self.holder[usize::from(r)].take().expect("it has a value");
        if self.steps.origins[v.index()] == Origin::Computed && !self.is_in_memory(v) {
            self.spill(v, r);
        }
        self.register[v.index()] = None;
        self.free |= 1 << r;
    }

    fn is_in_memory(&self, v: V) -> bool {
        let k = v.index();
        self.slot[k].is_some() || self.written[k].is_some() || self.lane[k].is_some()
    }

    /// Where a value is in memory.
    fn home(&mut self, v: V) -> Operand {
        match self.steps.origins[v.index()] {
            Origin::Input(i) => Operand::Memory(self.column(RDI, i)),
            Origin::Constant(k) => match self.width {
                Width::Eight => Operand::Repeated(8 * k),
                width => Operand::Constant(width.bytes() as u32 * k),
            },
            Origin::Computed => Operand::Memory(if let Some(place) = self.slot[v.index()] {
                self.scratch_of(v, place)
            } else if let Some((place, lane)) = self.lane[v.index()] {
                let Address { displacement, .. } = self.wide_scratch(place);
                Address::new(R9, displacement + 8 * i32::from(lane))
            } else {
                let output = self.written[v.index()].expect("a value is somewhere until its last use");
                self.column(RSI, output)
            }),
        }
    }

    /// Slots lie in turn behind and before the middle.
    fn scratch(&self, slot: u32) -> Address {
        self.line(from_middle(slot))
    }

    fn line(&self, from_middle: i32) -> Address {
        Address::new(RDX, from_middle * self.width.bytes())
    }

    /// An input or output. Where columns are a stride apart, rax may be set.
    fn column(&mut self, base: Gpr, k: u32) -> Address {
        let by = |index: Gpr, scale: u8| Address { base, index: Some((index, scale)), displacement: 0 };
        match (self.width, k) {
            _ if self.fixed => Address::new(base, self.width.bytes() * k as i32),
            (_, 0) => Address::new(base, 0),
            (_, 1) => by(RCX, 0),
            (_, 2) => by(RCX, 1),
            (_, 4) => by(RCX, 2),
            (_, 8) => by(RCX, 3),
            _ => {
                self.bytes.multiply(RAX, RCX, k as i32);
                by(RAX, 0)
            }
        }
    }

    fn load(&mut self, r: u8, length: Length, from: Operand) {
        match from {
            Operand::Repeated(k) => self.bytes.vector(BROADCAST, length, r, 0, Operand::Constant(k), None),
            _ => self.bytes.vector(arithmetic(LOAD, length), length, r, 0, from, None),
        }
    }

    fn store(&mut self, r: u8, length: Length, to: Address) {
        self.bytes.vector(arithmetic(STORE, length), length, r, 0, Operand::Memory(to), None);
    }

    /// Ends the loop, and writes the detours and constants.
    fn end(mut self) -> Assembled {
        if !self.fixed {
            self.bytes.increase(RDI, self.width.bytes());
            self.bytes.increase(RSI, self.width.bytes());
            self.bytes.decrease(R8);
            let again = self.bytes.jump_when(When::NotZero);
            self.bytes.land(again, 0);
        }
        if self.width != Width::One || self.steps.wide.contains(&true) {
            self.bytes.clear_upper();
        }
        self.bytes.ret();
        let slots = self.single.count;
        let (before, behind) = (slots / 2, slots.div_ceil(2));
        let mut lines = slots;
        for detour in std::mem::take(&mut self.detours) {
            lines = lines.max(slots + RESULTS + 2 + detour.kept.len() as u32);
            self.detour(detour, behind);
        }
        let repeat = if self.width == Width::Eight { 1 } else { self.width.lanes() };
        let numbers = self.steps.constants.iter().flat_map(|x| std::iter::repeat_n(*x, repeat));
        // operations on bits read past the last constant of one lane
        let constants: Vec<u8> = numbers.chain([0]).flat_map(u64::to_le_bytes).collect();
        let bytes = self.bytes.finish(&constants);
        let lanes = self.width.lanes();
        let wide_lines = 2 * (self.wide.count as usize).div_ceil(2);
        Assembled { bytes, scratch: lines as usize * lanes, middle: before as usize * lanes, wide_lines }
    }

    /// Calls the slow function with arguments, then results, from line `area` on behind the slots.
    fn detour(&mut self, detour: Detour, area: u32) {
        let start = self.bytes.position();
        detour.jumps.into_iter().for_each(|jump| self.bytes.land(jump, start));
        let length = self.width.length();
        let results = |k: usize| (area + RESULTS + k as u32) as i32;
        let kept = |k: usize| (area + RESULTS + 2 + k as u32) as i32;
        for (k, r) in detour.arguments.iter().enumerate() {
            self.store(*r, length, self.line((area + k as u32) as i32));
        }
        for (k, r) in detour.kept.iter().enumerate() {
            self.store(*r, length, self.line(kept(k)));
        }
        if self.width != Width::One {
            self.bytes.clear_upper();
        }
        // seven registers and the return address keep the stack at a multiple of 16
        let saved = [RDI, RSI, RDX, RCX, R8, R9, RAX];
        saved.into_iter().for_each(|r| self.bytes.push(r));
        self.bytes.offset(RDI, RDX, self.line(area as i32).displacement);
        self.bytes.set(RSI, self.width.lanes() as u64);
        self.bytes.set(RAX, detour.function);
        self.bytes.call(RAX);
        saved.into_iter().rev().for_each(|r| self.bytes.pop(r));
        for (k, r) in detour.results.iter().enumerate() {
            self.load(*r, length, Operand::Memory(self.line(results(k))));
        }
        for (k, r) in detour.kept.iter().enumerate() {
            self.load(*r, length, Operand::Memory(self.line(kept(k))));
        }
        let back = self.bytes.jump();
        self.bytes.land(back, detour.back);
    }
}

/// Places in turn behind and before the middle.
fn from_middle(place: u32) -> i32 {
    let half = (place / 2) as i32;
    if place.is_multiple_of(2) { half } else { -1 - half }
}

/// The mask register in use.
const MASK: u8 = 1;
/// Lines of arguments before the results of a slow function.
const RESULTS: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    /// x + c₁, …, x + cₙ, and then their product from the first to the last.
    fn products(n: usize) -> Steps {
        let mut s = Steps::default();
        let x = s.input(0);
        let sums: Vec<V> = (1..=n)
            .map(|k| {
                let c = s.constant(k as f64);
                s.add(x, c)
            })
            .collect();
        let all = sums.into_iter().reduce(|p, q| s.mul(p, q)).expect("some");
        s.store(0, all);
        s
    }

    #[test]
    fn values_that_fit_stay_in_registers() {
        for (level, registers) in [(Level::Avx2, 16), (Level::Avx512, 32)] {
            assert_eq!(assemble(&products(registers), level, Width::One, Columns::Strided).scratch, 0);
            // x is an input and needs no place of its own
            assert_eq!(assemble(&products(registers + 1), level, Width::One, Columns::Strided).scratch, 1);
            assert_eq!(assemble(&products(registers + 20), level, Width::One, Columns::Strided).scratch, 20);
            assert_eq!(assemble(&products(registers + 20), level, Width::Four, Columns::Strided).scratch, 80);
        }
    }

    #[test]
    fn places_are_used_again() {
        let mut s = Steps::default();
        let x = s.input(0);
        for k in 0..100 {
            let c = s.constant(f64::from(k));
            let y = s.add(x, c);
            s.store(k, y);
        }
        assert_eq!(assemble(&s, Level::Avx2, Width::One, Columns::Strided).scratch, 0);
    }

    #[test]
    fn an_operand_in_memory_is_one_instruction() {
        let mut s = Steps::default();
        let (x, y) = (s.input(0), s.input(1));
        let sum = s.add(x, y);
        s.store(0, sum);
        let code = assemble(&s, Level::Avx2, Width::One, Columns::Strided).bytes;
        // vmovsd xmm0, [rdi]; vaddsd xmm0, xmm0, [rdi+8]; vmovsd [rsi], xmm0; ret
        assert_eq!(code[..14], [0xc5, 0xfb, 0x10, 0x07, 0xc5, 0xfb, 0x58, 0x47, 0x08, 0xc5, 0xfb, 0x11, 0x06, 0xc3]);
    }
}
