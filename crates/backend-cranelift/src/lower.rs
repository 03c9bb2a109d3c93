//! From a tape to CLIF, Cranelift's intermediate language.
//!
//! A tape becomes one function with a loop over blocks of one or two points:
//!
//! ```text
//! f(x, y, stride, blocks):   do { the operations; x += block; y += block } while (blocks −= 1) ≠ 0
//! ```
//!
//! where input i of a block stands at x + i·stride and output o at y + o·stride. Each operation is
//! one instruction on `f64` or `f64x2`. The elementary functions are called, for a block at a time; sin a
//! and cos a, which stand side by side in a tape, in one call.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, F64X2};
use cranelift_codegen::ir::{
    AbiParam, FuncRef, Function as Clif, InstBuilder, MemFlagsData, Signature, StackSlot, StackSlotData, StackSlotKind,
    Type, Value as V,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use polhode_tape::{Op, Scalar, Tape, Value};

/// Points of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    One,
    Two,
}

impl Width {
    pub(crate) fn lanes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
        }
    }

    /// The type of all values.
    fn values(self) -> Type {
        match self {
            Width::One => F64,
            Width::Two => F64X2,
        }
    }
}

/// What code calls.
///
/// For one point functions take and return doubles, except that sine and cosine together take the
/// place where they are to be written. For two points they all take a place for two pairs, where the
/// operands stand and then the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Sin,
    Cos,
    SinCos,
    Exp,
    Log,
    Atan2,
}

impl Function {
    /// In the order of declaration.
    pub(crate) const ALL: [Function; 6] =
        [Function::Sin, Function::Cos, Function::SinCos, Function::Exp, Function::Log, Function::Atan2];

    pub(crate) fn name(self, width: Width) -> String {
        format!("polhode {self:?} {width:?}")
    }

    pub(crate) fn signature(self, width: Width, config: TargetFrontendConfig) -> Signature {
        let place = config.pointer_type();
        let (takes, gives): (&[Type], &[Type]) = match (width, self) {
            (Width::Two, _) => (&[place], &[]),
            (Width::One, Function::SinCos) => (&[F64, place], &[]),
            (Width::One, Function::Atan2) => (&[F64, F64], &[F64]),
            (Width::One, Function::Sin | Function::Cos | Function::Exp | Function::Log) => (&[F64], &[F64]),
        };
        signature(config, takes, gives)
    }
}

fn signature(config: TargetFrontendConfig, takes: &[Type], gives: &[Type]) -> Signature {
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend(takes.iter().copied().map(AbiParam::new));
    signature.returns.extend(gives.iter().copied().map(AbiParam::new));
    signature
}

/// Of the functions that are made: inputs, outputs, bytes between columns, blocks.
pub(crate) fn entry(config: TargetFrontendConfig) -> Signature {
    signature(config, &[config.pointer_type(); 4], &[])
}

/// Writes a tape as the body of a function with the signature [`entry`]. `declare` makes a function
/// known to it that it may call.
pub(crate) fn lower(
    config: TargetFrontendConfig,
    tape: &Tape,
    width: Width,
    clif: &mut Clif,
    mut declare: impl FnMut(Function, &mut Clif) -> FuncRef,
) {
    clif.signature = entry(config);
    let callees = Function::ALL.map(|f| declare(f, clif));
    let mut context = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(clif, &mut context);

    let (first, body, done) = (b.create_block(), b.create_block(), b.create_block());
    b.append_block_params_for_function_params(first);
    b.switch_to_block(first);
    let [x, y, stride, blocks] = b.block_params(first)[..] else { unreachable!("four parameters") };
    b.ins().jump(body, &[x.into(), y.into(), blocks.into()]);

    let [x, y, left] = [0; 3].map(|_| b.append_block_param(body, config.pointer_type()));
    b.switch_to_block(body);
    let place = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 32, 4));
    let mut lowering = Lowering { b: &mut b, config, width, callees, place, stride };
    lowering.operations(tape, x, y);

    let block = 8 * width.lanes() as i64;
    let (x, y) = (b.ins().iadd_imm_s(x, block), b.ins().iadd_imm_s(y, block));
    let left = b.ins().iadd_imm_s(left, -1);
    let more = b.ins().icmp_imm_s(IntCC::NotEqual, left, 0);
    b.ins().brif(more, body, &[x.into(), y.into(), left.into()], done, &[]);
    b.switch_to_block(done);
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(config);
}

struct Lowering<'a, 'f> {
    b: &'a mut FunctionBuilder<'f>,
    config: TargetFrontendConfig,
    width: Width,
    callees: [FuncRef; Function::ALL.len()],
    /// Where operands and results of functions stand.
    place: StackSlot,
    stride: V,
}

impl Lowering<'_, '_> {
    fn operations(&mut self, tape: &Tape, x: V, y: V) {
        let mut values: Vec<V> = Vec::with_capacity(tape.ops.len());
        let mut cosine = None;
        for (k, op) in tape.ops.iter().enumerate() {
            let v = |a: Value| values[a.index()];
            let value = match *op {
                Op::Input(i) => self.load(x, i as usize),
                Op::Constant(c) => self.constant(f64::constant(c)),
                Op::Neg(a) => self.b.ins().fneg(v(a)),
                Op::Add(a, b) => self.b.ins().fadd(v(a), v(b)),
                Op::Sub(a, b) => self.b.ins().fsub(v(a), v(b)),
                Op::Mul(a, b) => self.b.ins().fmul(v(a), v(b)),
                Op::Div(a, b) => self.b.ins().fdiv(v(a), v(b)),
                Op::Sqrt(a) => self.b.ins().sqrt(v(a)),
                Op::Sin(a) if tape.ops.get(k + 1) == Some(&Op::Cos(a)) => {
                    let [s, c] = self.call(Function::SinCos, [v(a), v(a)]);
                    cosine = Some(c);
                    s
                }
                Op::Sin(a) => self.call(Function::Sin, [v(a), v(a)])[0],
                Op::Cos(a) => match cosine.take() {
                    Some(c) => c,
                    None => self.call(Function::Cos, [v(a), v(a)])[0],
                },
                Op::Exp(a) => self.call(Function::Exp, [v(a), v(a)])[0],
                Op::Log(a) => self.call(Function::Log, [v(a), v(a)])[0],
                Op::Atan2(a, b) => self.call(Function::Atan2, [v(a), v(b)])[0],
            };
            values.push(value);
        }
        for (o, output) in tape.outputs.iter().enumerate() {
            self.store(values[output.value.index()], y, o);
        }
    }

    /// The place of a column.
    fn column(&mut self, base: V, k: usize) -> V {
        let offset = self.b.ins().imul_imm_s(self.stride, k as i64);
        self.b.ins().iadd(base, offset)
    }

    /// How memory is read and written: doubles lie at multiples of eight bytes, and pairs of them too.
    fn flags(&self) -> MemFlagsData {
        let flags = MemFlagsData::new().with_notrap();
        if self.width == Width::One { flags.with_aligned() } else { flags }
    }

    fn load(&mut self, x: V, i: usize) -> V {
        let place = self.column(x, i);
        // inputs are no outputs: they do not change
        let flags = self.flags().with_readonly().with_can_move();
        self.b.ins().load(self.width.values(), flags, place, 0)
    }

    fn store(&mut self, value: V, y: V, o: usize) {
        let place = self.column(y, o);
        let flags = self.flags();
        self.b.ins().store(flags, value, place, 0);
    }

    fn constant(&mut self, c: f64) -> V {
        let c = self.b.ins().f64const(c);
        match self.width {
            Width::One => c,
            Width::Two => self.b.ins().splat(F64X2, c),
        }
    }

    /// One or two results. Functions of one number get it twice.
    fn call(&mut self, function: Function, [a, b]: [V; 2]) -> [V; 2] {
        let callee = self.callees[function as usize];
        let pointer = self.config.pointer_type();
        let place = self.b.ins().stack_addr(pointer, self.place, 0);
        let flags = MemFlagsData::trusted();
        match (self.width, function) {
            (Width::One, Function::SinCos) => {
                self.b.ins().call(callee, &[a, place]);
                [0, 8].map(|at| self.b.ins().load(F64, flags, place, at))
            }
            (Width::One, _) => {
                let operands: &[V] = if function == Function::Atan2 { &[a, b] } else { &[a] };
                let call = self.b.ins().call(callee, operands);
                [self.b.inst_results(call)[0]; 2]
            }
            (Width::Two, _) => {
                self.b.ins().store(flags, a, place, 0);
                if function == Function::Atan2 {
                    self.b.ins().store(flags, b, place, 16);
                }
                self.b.ins().call(callee, &[place]);
                [0, 16].map(|at| self.b.ins().load(F64X2, flags, place, at))
            }
        }
    }
}
