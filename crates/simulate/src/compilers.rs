//! Who evaluates a tape in doubles.
//!
//! Compilers to machine code are asked one after the other:
//!
//! | compiler | makes code for |
//! | --- | --- |
//! | `polhode-backend-native` | x86-64 with AVX2 |
//! | `polhode-backend-cranelift` | what Cranelift knows, aarch64 among it; only with the feature `cranelift` |
//!
//! Where none of them has code for a tape, it is left to the vectorised interpreter, and where that has
//! not slots enough, to the reference. All but the last give the same bits, unless products are
//! contracted, which `polhode-backend-native` alone does.

#[cfg(feature = "cranelift")]
use polhode_backend_cranelift::{Cranelift, CraneliftKernel};
use polhode_backend_native::{Native, NativeKernel};
use polhode_backend_simd::Simd;
use polhode_tape::{Backend, Interpreter, Kernel, Tape};

/// A compiler to machine code.
#[derive(Clone, Copy, Debug)]
pub enum Compiler {
    /// For x86-64.
    Native(Native),
    /// For many processors.
    #[cfg(feature = "cranelift")]
    Cranelift(Cranelift),
}

impl Compiler {
    /// Machine code of a tape, if this compiler makes some. Code that disagrees with the interpreter is our mistake: a test
    /// fails at it, a user's run takes the interpreter.
    pub fn compile(&self, tape: &Tape) -> Option<Code> {
        match self {
            Compiler::Native(native) => {
                let made = native.prepare(tape);
                debug_assert!(
                    !matches!(made, Err(polhode_backend_native::NotAvailable::Wrong)),
                    "wrong code for\n{tape}"
                );
                made.ok().map(Code::Native)
            }
            #[cfg(feature = "cranelift")]
            Compiler::Cranelift(cranelift) => {
                let made = cranelift.prepare(tape);
                debug_assert!(
                    !matches!(made, Err(polhode_backend_cranelift::NotAvailable::Wrong)),
                    "wrong code for\n{tape}"
                );
                made.ok().map(Code::Cranelift)
            }
        }
    }

    /// The name of its backend.
    pub fn name(&self) -> String {
        match self {
            Compiler::Native(native) => native.name(),
            #[cfg(feature = "cranelift")]
            Compiler::Cranelift(cranelift) => cranelift.name(),
        }
    }
}

/// Machine code of a tape. Copies share it.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // code for x86-64, with its scratch memory, is what there is nearly always
pub enum Code {
    /// For x86-64.
    Native(NativeKernel),
    /// For many processors.
    #[cfg(feature = "cranelift")]
    Cranelift(CraneliftKernel),
}

impl Kernel for Code {
    fn inputs(&self) -> usize {
        match self {
            Code::Native(k) => k.inputs(),
            #[cfg(feature = "cranelift")]
            Code::Cranelift(k) => k.inputs(),
        }
    }

    fn outputs(&self) -> usize {
        match self {
            Code::Native(k) => k.outputs(),
            #[cfg(feature = "cranelift")]
            Code::Cranelift(k) => k.outputs(),
        }
    }

    #[inline]
    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        match self {
            Code::Native(k) => k.evaluate(lanes, inputs, outputs),
            #[cfg(feature = "cranelift")]
            Code::Cranelift(k) => k.evaluate(lanes, inputs, outputs),
        }
    }
}

/// Compilers in the order in which they are asked.
#[derive(Clone, Copy, Debug)]
pub struct Compilers([Option<Compiler>; 2]);

impl Compilers {
    /// Those of this machine: first the one for x86-64 as the caller wishes it, where there is one.
    pub fn new(native: Option<Native>) -> Compilers {
        #[cfg(feature = "cranelift")]
        let other = Cranelift::new().ok().map(Compiler::Cranelift);
        #[cfg(not(feature = "cranelift"))]
        let other = None;
        Compilers([native.map(Compiler::Native), other])
    }

    /// Those of this machine for a few points now and then amid other work.
    pub fn narrow() -> Compilers {
        Compilers::new(Native::new().ok().map(Native::narrow))
    }

    /// None, so that everything is interpreted.
    pub fn none() -> Compilers {
        Compilers([None; 2])
    }

    /// The one that is asked first.
    pub fn first(&self) -> Option<Compiler> {
        self.0.into_iter().flatten().next()
    }

    /// Machine code by the first that makes some.
    pub fn compile(&self, tape: &Tape) -> Option<Code> {
        self.0.iter().flatten().find_map(|compiler| compiler.compile(tape))
    }

    /// The fastest evaluator there is: machine code, else an interpreter.
    pub fn fastest(&self, tape: &Tape) -> Box<dyn Kernel> {
        match self.compile(tape) {
            Some(code) => Box::new(code),
            None => interpreted(tape),
        }
    }
}

/// The faster interpreter that takes the tape.
pub(crate) fn interpreted(tape: &Tape) -> Box<dyn Kernel> {
    match Simd::new().prepare(tape) {
        Ok(kernel) => Box::new(kernel),
        Err(_too_large) => Box::new(Interpreter::<f64>::new(tape)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_tape::{Builder, Op, passes};

    /// x sin x.
    fn tape() -> Tape {
        let mut b = Builder::new();
        let x = b.input("x");
        let sine = b.emit(Op::Sin(x));
        let y = b.mul(x, sine);
        b.output("y", y);
        passes::finish(b)
    }

    /// On a machine whose compiler for x86-64 is `native`.
    fn made(native: Option<Native>) -> Option<Code> {
        Compilers::new(native).compile(&tape())
    }

    #[test]
    fn code_for_this_family_of_processors_comes_first() {
        let Ok(native) = Native::new() else { return };
        assert!(matches!(made(Some(native)), Some(Code::Native(_))));
        assert!(matches!(Compilers::new(Some(native)).first(), Some(Compiler::Native(_))));
    }

    #[cfg(feature = "cranelift")]
    #[test]
    fn cranelift_comes_next_where_it_knows_the_processor() {
        let knows = Cranelift::new().is_ok();
        assert_eq!(matches!(made(None), Some(Code::Cranelift(_))), knows);
        assert_eq!(Compilers::new(None).first().is_some_and(|c| c.name().starts_with("cranelift ")), knows);
    }

    #[cfg(not(feature = "cranelift"))]
    #[test]
    fn nobody_comes_next() {
        assert!(made(None).is_none() && Compilers::new(None).first().is_none());
    }

    #[test]
    fn the_bits_are_the_same_whoever_evaluates() {
        let all = [Compilers::narrow(), Compilers::new(None), Compilers::none()];
        let mut kernels = all.map(|compilers| compilers.fastest(&tape()));
        for k in -300..300 {
            let x = f64::from(k) * 1.37;
            let [a, b, c] = kernels.each_mut().map(|kernel| {
                let mut y = [0.0];
                kernel.evaluate(1, &[x], &mut y);
                y[0].to_bits()
            });
            assert!(a == b && b == c, "at {x}");
        }
    }

    #[test]
    fn a_compiler_that_refuses_a_tape_is_passed_over() {
        let many = |n: u32| {
            let mut b = Builder::new();
            let mut x = b.input("x");
            (0..n).for_each(|_| x = b.emit(Op::Sqrt(x)));
            b.output("y", x);
            passes::finish(b)
        };
        // too long for Cranelift, and nobody else is asked
        let long = many(20_000);
        assert!(Compilers::new(None).compile(&long).is_none());
        let mut y = [0.0];
        Compilers::new(None).fastest(&long).evaluate(1, &[2.0], &mut y);
        assert_eq!(y, [1.0]);
    }
}
