//! The fastest evaluator of a tape.
//!
//! In doubles a tape runs as machine code where that can be had, else in an interpreter
//! ([`compilers`](crate::compilers)); in other numbers it runs in the reference interpreter.

use crate::compilers::{Code, Compilers, interpreted};
use polhode_integrate::SKETCHED;
use polhode_tape::{Interpreter, Kernel, Scalar, Tape};
use std::any::Any;
use std::sync::OnceLock;

/// The machine code of one tape: made at its first use in doubles, shared by all that run it, and
/// none where there can be none.
#[derive(Clone, Debug, Default)]
pub(crate) struct MachineCode(OnceLock<Option<Code>>);

/// A function of several numbers with several results.
pub(crate) trait Function<S> {
    /// Number of results.
    fn outputs(&self) -> usize;
    fn call(&mut self, inputs: &[S], outputs: &mut [S]);
    /// The same at [`LANES`] points, each input and each result side by side.
    fn call_many(&mut self, inputs: &[S], outputs: &mut [S]);
}

/// Points that are evaluated side by side.
pub(crate) const LANES: usize = SKETCHED;

impl<S: Scalar> Function<S> for Interpreter<S> {
    fn outputs(&self) -> usize {
        self.tape().outputs.len()
    }

    fn call(&mut self, inputs: &[S], outputs: &mut [S]) {
        Interpreter::call(self, inputs, outputs);
    }

    fn call_many(&mut self, inputs: &[S], outputs: &mut [S]) {
        let (mut point, mut result) =
            (vec![S::default(); inputs.len() / LANES], vec![S::default(); outputs.len() / LANES]);
        for l in 0..LANES {
            point.iter_mut().enumerate().for_each(|(i, x)| *x = inputs[i * LANES + l]);
            Interpreter::call(self, &point, &mut result);
            result.iter().enumerate().for_each(|(o, y)| outputs[o * LANES + l] = *y);
        }
    }
}

/// A kernel as a function.
struct InDoubles<K>(K);

impl<K: Kernel> Function<f64> for InDoubles<K> {
    fn outputs(&self) -> usize {
        self.0.outputs()
    }

    fn call(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        self.0.evaluate(1, inputs, outputs);
    }

    fn call_many(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        self.0.evaluate(LANES, inputs, outputs);
    }
}

impl MachineCode {
    /// The fastest evaluator in doubles. It is always asked for the same tape.
    pub(crate) fn kernel(&self, tape: &Tape) -> Box<dyn Kernel> {
        match self.0.get_or_init(|| Compilers::narrow().compile(tape)) {
            Some(code) => Box::new(code.clone()),
            None => interpreted(tape),
        }
    }

    /// The tape as a function in the numbers of a motion.
    pub(crate) fn function<S: Scalar>(&self, tape: &Tape) -> Box<dyn Function<S>> {
        let mut made: Option<Box<dyn Function<S>>> = None;
        // the two types are one where S is a double
        if let Some(made) = (&mut made as &mut dyn Any).downcast_mut::<Option<Box<dyn Function<f64>>>>() {
            *made = Some(Box::new(InDoubles(self.kernel(tape))));
        }
        made.unwrap_or_else(|| Box::new(Interpreter::<S>::new(tape)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_tape::{Builder, Dd, Op, passes};

    /// x sin x.
    fn tape() -> Tape {
        let mut b = Builder::new();
        let x = b.input("x");
        let sine = b.emit(Op::Sin(x));
        let y = b.mul(x, sine);
        b.output("y", y);
        passes::finish(b)
    }

    fn call<S: Scalar>(code: &MachineCode, x: S) -> S {
        let mut y = [S::default()];
        code.function(&tape()).call(&[x], &mut y);
        y[0]
    }

    #[test]
    fn without_machine_code_the_bits_are_the_same() {
        let (with, without) = (MachineCode::default(), MachineCode(OnceLock::from(None)));
        for k in -300..300 {
            let x = f64::from(k) * 1.37;
            assert_eq!(call(&with, x).to_bits(), call(&without, x).to_bits(), "at {x}");
        }
    }

    #[test]
    fn other_numbers_keep_their_digits() {
        let x = Dd::ratio(1, 3);
        let error = call(&MachineCode::default(), x) - x * x.sin_cos().0;
        assert_eq!(error.to_f64(), 0.0);
    }

    #[test]
    fn code_is_made_at_the_first_use_in_doubles() {
        let code = MachineCode::default();
        call(&code, Dd::ONE);
        assert!(code.0.get().is_none());
        call(&code, 1.0);
        assert!(code.0.get().is_some());
    }
}
