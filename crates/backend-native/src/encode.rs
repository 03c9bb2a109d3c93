//! Machine instructions as bytes: the few forms that are needed, in VEX and EVEX encoding.
//!
//! ```text
//! VEX    C5 [R̄ v̄v̄v̄v̄ L pp]                                                opcode modrm … imm
//! VEX    C4 [R̄ X̄ B̄ mmmmm] [W v̄v̄v̄v̄ L pp]                                  opcode modrm … imm
//! EVEX   62 [R̄ X̄ B̄ R̄′ 0 mmm] [W v̄v̄v̄v̄ 1 pp] [z L′L b V̄′ aaa]              opcode modrm … imm
//! ```
//!
//! A bar means that the bit is stored inverted. VEX reaches 16 registers and 32 bytes, EVEX 32
//! registers and 64 bytes; the shorter one is taken where it suffices. Source: Intel 64 and IA-32
//! Architectures Software Developer's Manual, vol. 2, on VEX and EVEX prefixes.
//!
//! The 8-bit displacement of EVEX counts units of the memory operand rather than bytes.

/// A general register, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gpr(u8);

pub(crate) const RAX: Gpr = Gpr(0);
pub(crate) const RCX: Gpr = Gpr(1);
pub(crate) const RDX: Gpr = Gpr(2);
pub(crate) const RSI: Gpr = Gpr(6);
pub(crate) const RDI: Gpr = Gpr(7);
pub(crate) const R8: Gpr = Gpr(8);
pub(crate) const R9: Gpr = Gpr(9);

/// How much of a vector register an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// One double; the rest is carried along.
    Scalar,
    /// 16 bytes.
    Xmm,
    /// 32 bytes.
    Ymm,
    /// 64 bytes.
    Zmm,
}

impl Length {
    fn bytes(self) -> i32 {
        match self {
            Length::Scalar => 8,
            Length::Xmm => 16,
            Length::Ymm => 32,
            Length::Zmm => 64,
        }
    }

    /// L′L.
    fn bits(self) -> u8 {
        match self {
            Length::Scalar | Length::Xmm => 0,
            Length::Ymm => 1,
            Length::Zmm => 2,
        }
    }
}

/// A place in memory: `[base + scale·index + displacement]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) base: Gpr,
    /// A register and the logarithm of its scale.
    pub(crate) index: Option<(Gpr, u8)>,
    pub(crate) displacement: i32,
}

impl Address {
    pub(crate) fn new(base: Gpr, displacement: i32) -> Address {
        Address { base, index: None, displacement }
    }
}

/// The operand that may be in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Register(u8),
    Memory(Address),
    /// A constant behind the code, by its index in bytes from the first one.
    Constant(u32),
    /// One double of the constants, repeated in all lanes. EVEX only.
    Repeated(u32),
}

/// Mandatory prefixes (pp).
const P66: u8 = 1;
const PF3: u8 = 2;
const PF2: u8 = 3;

/// An instruction without its operands. EVEX.W is 1 in all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    prefix: u8,
    map: u8,
    opcode: u8,
    /// VEX.W.
    w: bool,
}

const fn form(prefix: u8, map: u8, opcode: u8) -> Form {
    Form { prefix, map, opcode, w: false }
}

pub(crate) const AND: Form = form(P66, 1, 0x54);
pub(crate) const AND_NOT: Form = form(P66, 1, 0x55);
pub(crate) const OR: Form = form(P66, 1, 0x56);
pub(crate) const XOR: Form = form(P66, 1, 0x57);
pub(crate) const ADD_BITS: Form = form(P66, 1, 0xd4);
pub(crate) const SUB_BITS: Form = form(P66, 1, 0xfb);
/// Shifts by a number: the register field says which, the target is in the place of an operand.
pub(crate) const SHIFT: Form = form(P66, 1, 0x73);
pub(crate) const SHIFT_LEFT: u8 = 6;
pub(crate) const SHIFT_RIGHT: u8 = 2;
/// Between registers.
pub(crate) const MOVE: Form = form(P66, 1, 0x28);
/// Compares two numbers and sets flags.
pub(crate) const COMPARE_FLAGS: Form = form(P66, 1, 0x2e);
/// Signs of all lanes to a general register. VEX only.
pub(crate) const SIGNS: Form = form(P66, 1, 0x50);
/// A mask register as a vector of ones and zeros. EVEX only.
pub(crate) const MASK_TO_VECTOR: Form = form(PF3, 2, 0x38);
/// Flags from a mask register, with itself as operand. VEX only.
pub(crate) const MASK_TEST: Form = form(P66, 1, 0x98);
/// The low doubles of two registers.
pub(crate) const UNPACK_LOW: Form = form(P66, 1, 0x14);
/// The low double of a register and one from memory.
pub(crate) const LOAD_HIGH: Form = form(P66, 1, 0x16);
/// The second 16 bytes of a register, by the immediate 1.
pub(crate) const INSERT_QUARTER: Form = form(P66, 3, 0x18);
/// The second 32 bytes of a register, by the immediate 1. EVEX only.
pub(crate) const INSERT_HALF: Form = form(P66, 3, 0x1a);
/// Broadcast of a double.
pub(crate) const BROADCAST: Form = form(P66, 2, 0x19);
/// Fused multiply-add by its opcode: one double or several, as the length says.
pub(crate) const fn fused(opcode: u8, length: Length) -> Form {
    Form { prefix: P66, map: 2, opcode: opcode + matches!(length, Length::Scalar) as u8, w: true }
}

/// d = a·b + d.
pub(crate) const MUL_ADD: u8 = 0xb8;
/// d = a·b − d.
pub(crate) const MUL_SUB: u8 = 0xba;
/// d = d − a·b.
pub(crate) const SUB_MUL: u8 = 0xbc;

/// Arithmetic by its opcode: double or doubles, as the length says.
pub(crate) const fn arithmetic(opcode: u8, length: Length) -> Form {
    form(if matches!(length, Length::Scalar) { PF2 } else { P66 }, 1, opcode)
}

pub(crate) const ADD: u8 = 0x58;
pub(crate) const MUL: u8 = 0x59;
pub(crate) const SUB: u8 = 0x5c;
pub(crate) const MIN: u8 = 0x5d;
pub(crate) const DIV: u8 = 0x5e;
pub(crate) const MAX: u8 = 0x5f;
pub(crate) const SQRT: u8 = 0x51;
pub(crate) const COMPARE: u8 = 0xc2;
pub(crate) const LOAD: u8 = 0x10;
pub(crate) const STORE: u8 = 0x11;

/// A displacement in units, if it is a whole number of them and fits a byte.
fn short(displacement: i32, unit: i32) -> Option<i8> {
    i8::try_from(displacement / unit).ok().filter(|_| displacement % unit == 0)
}

/// A jump whose target is not known yet.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub(crate) struct Jump {
    /// Where its 32-bit distance stands.
    at: usize,
}

/// Conditions of jumps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// Unsigned below, or unordered after a comparison of doubles.
    Below = 2,
    NotZero = 5,
}

/// Bytes of instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes {
    bytes: Vec<u8>,
    /// Where a distance to a constant stands, where its instruction ends, and which constant.
    constants: Vec<(usize, usize, u32)>,
    /// Does the machine know EVEX?
    evex: bool,
}

impl Bytes {
    /// None yet, for a machine with EVEX or without.
    pub(crate) fn new(evex: bool) -> Bytes {
        Bytes { evex, ..Bytes::default() }
    }

    /// How many there are.
    pub(crate) fn position(&self) -> usize {
        self.bytes.len()
    }

    /// An instruction `reg, vvvv, operand, imm`. What it does not use is 0. The length also gives
    /// the size of the memory operand.
    pub(crate) fn vector(
        &mut self,
        f: Form,
        length: Length,
        reg: u8,
        vvvv: u8,
        operand: Operand,
        immediate: Option<u8>,
    ) {
        let high = |r: u8| r >= 16;
        let wide =
            length == Length::Zmm || high(reg) || high(vvvv) || matches!(operand, Operand::Register(r) if high(r));
        // one byte more of prefix saves three of the displacement
        let near = |a: Address| short(a.displacement, 1).is_none() && short(a.displacement, length.bytes()).is_some();
        let shorter = self.evex && matches!(operand, Operand::Memory(a) if near(a));
        if wide || shorter || matches!(operand, Operand::Repeated(_)) {
            self.evex(f, length, reg, vvvv, operand, immediate);
        } else {
            self.vex(f, length, reg, vvvv, operand, immediate);
        }
    }

    /// As [`Bytes::vector`], whatever the registers are.
    pub(crate) fn evex(&mut self, f: Form, length: Length, reg: u8, vvvv: u8, operand: Operand, immediate: Option<u8>) {
        let bit = |value: u8, k: u8| (value >> k) & 1;
        let (x, b) = match operand {
            Operand::Register(r) => (bit(r, 4), bit(r, 3)),
            Operand::Memory(a) => (a.index.map_or(0, |(i, _)| bit(i.0, 3)), bit(a.base.0, 3)),
            Operand::Constant(_) | Operand::Repeated(_) => (0, 0),
        };
        let repeated = matches!(operand, Operand::Repeated(_));
        self.bytes.extend([
            0x62,
            (bit(!reg, 3) << 7) | (bit(!x, 0) << 6) | (bit(!b, 0) << 5) | (bit(!reg, 4) << 4) | f.map,
            0x80 | ((!vvvv & 15) << 3) | 4 | f.prefix,
            (length.bits() << 5) | (u8::from(repeated) << 4) | (bit(!vvvv, 4) << 3),
            f.opcode,
        ]);
        let unit = if repeated { 8 } else { length.bytes() };
        self.operand(reg & 7, operand, unit, immediate);
    }

    /// As [`Bytes::vector`], with registers below 16 and up to 32 bytes.
    pub(crate) fn vex(&mut self, f: Form, length: Length, reg: u8, vvvv: u8, operand: Operand, immediate: Option<u8>) {
        let low = |value: u8| u8::from(value < 8);
        let (x, b) = match operand {
            Operand::Register(r) => (1, low(r)),
            Operand::Memory(a) => (a.index.map_or(1, |(i, _)| low(i.0)), low(a.base.0)),
            Operand::Constant(_) | Operand::Repeated(_) => (1, 1),
        };
        let last = ((!vvvv & 15) << 3) | (length.bits() << 2) | f.prefix;
        if f.map == 1 && !f.w && x == 1 && b == 1 {
            self.bytes.extend([0xc5, (low(reg) << 7) | last]);
        } else {
            self.bytes.extend([0xc4, (low(reg) << 7) | (x << 6) | (b << 5) | f.map, (u8::from(f.w) << 7) | last]);
        }
        self.bytes.push(f.opcode);
        self.operand(reg & 7, operand, 1, immediate);
    }

    /// ModRM, SIB, displacement, immediate.
    fn operand(&mut self, reg: u8, operand: Operand, unit: i32, immediate: Option<u8>) {
        match operand {
            Operand::Register(r) => self.bytes.push(0xc0 | (reg << 3) | (r & 7)),
            Operand::Memory(a) => self.address(reg, a, unit),
            Operand::Constant(k) | Operand::Repeated(k) => {
                self.bytes.push((reg << 3) | 5); // [rip + distance]
                let at = self.position();
                self.bytes.extend([0; 4]);
                self.constants.push((at, at + 4 + usize::from(immediate.is_some()), k));
            }
        }
        self.bytes.extend(immediate);
    }

    fn address(&mut self, reg: u8, a: Address, unit: i32) {
        let base = a.base.0 & 7;
        debug_assert!(base != 4 && base != 5, "registers whose numbers mean something else here");
        let short = short(a.displacement, unit);
        let mode = match short {
            Some(0) => 0,
            Some(_) => 1,
            None => 2,
        };
        match a.index {
            None => self.bytes.push((mode << 6) | (reg << 3) | base),
            Some((index, scale)) => {
                self.bytes.extend([(mode << 6) | (reg << 3) | 4, (scale << 6) | ((index.0 & 7) << 3) | base]);
            }
        }
        match short {
            Some(0) => {}
            Some(d) => self.bytes.push(d.cast_unsigned()),
            None => self.bytes.extend(a.displacement.to_le_bytes()),
        }
    }

    /// d = a·k for general registers.
    pub(crate) fn multiply(&mut self, d: Gpr, a: Gpr, k: i32) {
        self.bytes.extend([self.rex(d, a), 0x69, 0xc0 | ((d.0 & 7) << 3) | (a.0 & 7)]);
        self.bytes.extend(k.to_le_bytes());
    }

    /// d += k.
    pub(crate) fn increase(&mut self, d: Gpr, k: i32) {
        self.bytes.extend([self.rex(RAX, d), 0x81, 0xc0 | (d.0 & 7)]);
        self.bytes.extend(k.to_le_bytes());
    }

    /// d −= 1, setting the zero flag.
    pub(crate) fn decrease(&mut self, d: Gpr) {
        self.bytes.extend([self.rex(RAX, d), 0xff, 0xc8 | (d.0 & 7)]);
    }

    /// d = a + k.
    pub(crate) fn offset(&mut self, d: Gpr, a: Gpr, k: i32) {
        self.bytes.extend([self.rex(d, a), 0x8d, 0x80 | ((d.0 & 7) << 3) | (a.0 & 7)]);
        self.bytes.extend(k.to_le_bytes());
    }

    /// d = k.
    pub(crate) fn set(&mut self, d: Gpr, k: u64) {
        self.bytes.extend([self.rex(RAX, d), 0xb8 | (d.0 & 7)]);
        self.bytes.extend(k.to_le_bytes());
    }

    /// Zero flag: is d zero?
    pub(crate) fn test(&mut self, d: Gpr) {
        self.bytes.extend([self.rex(d, d), 0x85, 0xc0 | ((d.0 & 7) << 3) | (d.0 & 7)]);
    }

    /// The prefix for 64 bits.
    fn rex(&self, reg: Gpr, rm: Gpr) -> u8 {
        0x48 | ((reg.0 >> 3) << 2) | (rm.0 >> 3)
    }

    pub(crate) fn push(&mut self, r: Gpr) {
        self.bytes.extend((r.0 >= 8).then_some(0x41));
        self.bytes.push(0x50 | (r.0 & 7));
    }

    pub(crate) fn pop(&mut self, r: Gpr) {
        self.bytes.extend((r.0 >= 8).then_some(0x41));
        self.bytes.push(0x58 | (r.0 & 7));
    }

    /// Calls the function whose address a register has.
    pub(crate) fn call(&mut self, r: Gpr) {
        self.bytes.extend((r.0 >= 8).then_some(0x41));
        self.bytes.extend([0xff, 0xd0 | (r.0 & 7)]);
    }

    pub(crate) fn ret(&mut self) {
        self.bytes.push(0xc3);
    }

    /// Clears the upper halves of all registers, without which older instructions are slow.
    pub(crate) fn clear_upper(&mut self) {
        self.bytes.extend([0xc5, 0xf8, 0x77]);
    }

    pub(crate) fn jump_when(&mut self, when: When) -> Jump {
        self.bytes.extend([0x0f, 0x80 | when as u8]);
        self.distance()
    }

    pub(crate) fn jump(&mut self) -> Jump {
        self.bytes.push(0xe9);
        self.distance()
    }

    fn distance(&mut self) -> Jump {
        let at = self.position();
        self.bytes.extend([0; 4]);
        Jump { at }
    }

    /// Lets a jump go to a position.
    pub(crate) fn land(&mut self, jump: Jump, position: usize) {
        self.write_distance(jump.at, jump.at + 4, position);
    }

    fn write_distance(&mut self, at: usize, from: usize, to: usize) {
        let distance = i32::try_from(to as i64 - from as i64).expect("code is far smaller than 2 GiB");
        self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
    }

    /// The code followed by its constants.
    pub(crate) fn finish(mut self, constants: &[u8]) -> Vec<u8> {
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0xcc); // a trap, should one get there
        let first = self.position();
        for (at, from, k) in std::mem::take(&mut self.constants) {
            self.write_distance(at, from, first + k as usize);
        }
        self.bytes.extend(constants);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Length::{Scalar, Xmm, Ymm, Zmm};
    use super::*;

    fn hex(emit: impl FnOnce(&mut Bytes)) -> String {
        let mut bytes = Bytes::default();
        emit(&mut bytes);
        bytes.bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<String>>().join(" ")
    }

    fn vector(f: Form, length: Length, reg: u8, vvvv: u8, operand: Operand, immediate: Option<u8>) -> String {
        hex(|b| b.vector(f, length, reg, vvvv, operand, immediate))
    }

    fn at(base: Gpr, displacement: i32) -> Operand {
        Operand::Memory(Address::new(base, displacement))
    }

    fn by(base: Gpr, index: Gpr, scale: u8) -> Operand {
        Operand::Memory(Address { base, index: Some((index, scale)), displacement: 0 })
    }

    /// The bytes that GNU as 2.44 writes.
    #[test]
    fn vectors_are_those_of_an_assembler() {
        let r = Operand::Register;
        let (sd, pd) = (|opcode| arithmetic(opcode, Scalar), |opcode| arithmetic(opcode, Ymm));
        // vaddsd xmm1, xmm2, xmm3 and xmm9, xmm2, xmm13
        assert_eq!(vector(sd(ADD), Scalar, 1, 2, r(3), None), "c5 eb 58 cb");
        assert_eq!(vector(sd(ADD), Scalar, 9, 2, r(13), None), "c4 41 6b 58 cd");
        // vmulsd xmm1 and xmm17, xmm2, [rdi+8]
        assert_eq!(vector(sd(MUL), Scalar, 1, 2, at(RDI, 8), None), "c5 eb 59 4f 08");
        assert_eq!(vector(sd(MUL), Scalar, 17, 2, at(RDI, 8), None), "62 e1 ef 08 59 4f 01");
        // vsubsd xmm1, xmm12 and xmm21, xmm30, [rdx+1024]
        assert_eq!(vector(sd(SUB), Scalar, 1, 12, at(RDX, 1024), None), "c5 9b 5c 8a 00 04 00 00");
        assert_eq!(vector(sd(SUB), Scalar, 21, 30, at(RDX, 1024), None), "62 e1 8f 00 5c aa 00 04 00 00");
        // vdivpd ymm8, ymm9, [rdi+rcx*4]; zmm8, zmm9, [rdi+rax]; zmm8, zmm29, [rdx+128] and [rdx+100]
        assert_eq!(vector(pd(DIV), Ymm, 8, 9, by(RDI, RCX, 2), None), "c5 35 5e 04 8f");
        assert_eq!(vector(pd(DIV), Zmm, 8, 9, by(RDI, RAX, 0), None), "62 71 b5 48 5e 04 07");
        assert_eq!(vector(pd(DIV), Zmm, 8, 29, at(RDX, 128), None), "62 71 95 40 5e 42 02");
        assert_eq!(vector(pd(DIV), Zmm, 8, 29, at(RDX, 100), None), "62 71 95 40 5e 82 64 00 00 00");
        // vsqrtsd xmm3, xmm4, xmm4; vsqrtpd zmm3, zmm24
        assert_eq!(vector(sd(SQRT), Scalar, 3, 4, r(4), None), "c5 db 51 dc");
        assert_eq!(vector(pd(SQRT), Zmm, 3, 0, r(24), None), "62 91 fd 48 51 d8");
        // vpsllq xmm5, xmm6, 63; vpsrlq zmm25, zmm6, 52; vpsrlq ymm5, ymm16, 1
        assert_eq!(vector(SHIFT, Xmm, SHIFT_LEFT, 5, r(6), Some(63)), "c5 d1 73 f6 3f");
        assert_eq!(vector(SHIFT, Zmm, SHIFT_RIGHT, 25, r(6), Some(52)), "62 f1 b5 40 73 d6 34");
        assert_eq!(vector(SHIFT, Ymm, SHIFT_RIGHT, 5, r(16), Some(1)), "62 b1 d5 28 73 d0 01");
        // vxorpd xmm1, xmm2, xmm3; vandpd ymm20, ymm2, ymm3; vpaddq zmm1, zmm2, zmm3; vpsubq xmm1, xmm2, xmm9
        assert_eq!(vector(XOR, Xmm, 1, 2, r(3), None), "c5 e9 57 cb");
        assert_eq!(vector(AND, Ymm, 20, 2, r(3), None), "62 e1 ed 28 54 e3");
        assert_eq!(vector(ADD_BITS, Zmm, 1, 2, r(3), None), "62 f1 ed 48 d4 cb");
        assert_eq!(vector(SUB_BITS, Xmm, 1, 2, r(9), None), "c4 c1 69 fb c9");
        // vucomisd xmm1, xmm2 and xmm18, [rsi]
        assert_eq!(vector(COMPARE_FLAGS, Scalar, 1, 0, r(2), None), "c5 f9 2e ca");
        assert_eq!(vector(COMPARE_FLAGS, Scalar, 18, 0, at(RSI, 0), None), "62 e1 fd 08 2e 16");
        // vcmpnlepd ymm1, ymm2, ymm3; vcmplepd k1, zmm2, zmm3; vcmpltsd k1, xmm2, [rdi+16]
        assert_eq!(vector(pd(COMPARE), Ymm, 1, 2, r(3), Some(6)), "c5 ed c2 cb 06");
        assert_eq!(vector(pd(COMPARE), Zmm, 1, 2, r(3), Some(2)), "62 f1 ed 48 c2 cb 02");
        let to_mask = hex(|b| b.evex(sd(COMPARE), Scalar, 1, 2, at(RDI, 16), Some(1)));
        assert_eq!(to_mask, "62 f1 ef 08 c2 4f 02 01");
        // vpmovm2q zmm17, k1 and xmm2, k1; vmovmskpd eax, ymm9; kortestb k1, k1
        assert_eq!(hex(|b| b.evex(MASK_TO_VECTOR, Zmm, 17, 0, r(1), None)), "62 e2 fe 48 38 c9");
        assert_eq!(hex(|b| b.evex(MASK_TO_VECTOR, Xmm, 2, 0, r(1), None)), "62 f2 fe 08 38 d1");
        assert_eq!(vector(SIGNS, Ymm, 0, 0, r(9), None), "c4 c1 7d 50 c1");
        assert_eq!(vector(MASK_TEST, Xmm, 1, 0, r(1), None), "c5 f9 98 c9");
        // vmovsd xmm10, [rdi+1016]; vmovsd [rsi+2040], xmm18; vmovupd [rsi+rcx*8], zmm3; vmovapd xmm1, xmm20
        assert_eq!(vector(sd(LOAD), Scalar, 10, 0, at(RDI, 1016), None), "c5 7b 10 97 f8 03 00 00");
        assert_eq!(vector(sd(STORE), Scalar, 18, 0, at(RSI, 2040), None), "62 e1 ff 08 11 96 f8 07 00 00");
        assert_eq!(vector(pd(STORE), Zmm, 3, 0, by(RSI, RCX, 3), None), "62 f1 fd 48 11 1c ce");
        assert_eq!(vector(MOVE, Xmm, 1, 0, r(20), None), "62 b1 fd 08 28 cc");
        // vfmadd231sd xmm1, xmm2, [rdi]; vfmadd231pd zmm1, zmm2, zmm31; vfnmadd231sd xmm1, xmm9, xmm2;
        // vfmsub231pd ymm1, ymm2, ymm3
        assert_eq!(vector(fused(MUL_ADD, Scalar), Scalar, 1, 2, at(RDI, 0), None), "c4 e2 e9 b9 0f");
        assert_eq!(vector(fused(MUL_ADD, Zmm), Zmm, 1, 2, r(31), None), "62 92 ed 48 b8 cf");
        assert_eq!(vector(fused(SUB_MUL, Scalar), Scalar, 1, 9, r(2), None), "c4 e2 b1 bd ca");
        assert_eq!(vector(fused(MUL_SUB, Ymm), Ymm, 1, 2, r(3), None), "c4 e2 ed ba cb");
    }

    #[test]
    fn the_others_are_too() {
        assert_eq!(hex(|b| b.multiply(RAX, RCX, 1000)), "48 69 c1 e8 03 00 00");
        assert_eq!(hex(|b| b.increase(RDI, 64)), "48 81 c7 40 00 00 00");
        assert_eq!(hex(|b| b.decrease(R8)), "49 ff c8");
        assert_eq!(hex(|b| b.offset(RDI, RDX, 4096)), "48 8d ba 00 10 00 00");
        assert_eq!(hex(|b| b.set(RAX, 0x1122_3344_5566_7788)), "48 b8 88 77 66 55 44 33 22 11");
        assert_eq!(hex(|b| b.test(RAX)), "48 85 c0");
        assert_eq!(hex(|b| b.push(R8)), "41 50");
        assert_eq!(hex(|b| b.pop(RDX)), "5a");
        assert_eq!(hex(|b| b.call(RAX)), "ff d0");
        assert_eq!(hex(Bytes::clear_upper), "c5 f8 77");
    }

    #[test]
    fn distances_are_counted_from_the_end_of_an_instruction() {
        let mut b = Bytes::default();
        let jump = b.jump_when(When::Below); // 6 bytes
        b.vector(arithmetic(COMPARE, Ymm), Ymm, 1, 2, Operand::Constant(32), Some(6)); // 9 bytes
        b.land(jump, 2);
        let bytes = b.finish(&[7; 64]);
        assert_eq!(bytes[..6], [0x0f, 0x82, 0xfc, 0xff, 0xff, 0xff]);
        assert_eq!(bytes[6..15], [0xc5, 0xed, 0xc2, 0x0d, 81, 0, 0, 0, 6]); // 64 + 32 − 15
        assert_eq!((bytes.len(), bytes[64]), (128, 7));
    }
}
