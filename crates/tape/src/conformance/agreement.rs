//! Several evaluators of one tape, compared bit by bit at random points.

use super::random::INPUT_RANGE;
use super::same;
use crate::kernel::{Backend, Kernel};
use crate::tape::Tape;
use polhode_base::random::Random;

/// A tape made ready by somebody, with the name of the backend.
pub type Named = (String, Box<dyn Kernel>);

/// Makes a tape ready; panics if the backend does not take it.
pub fn named<B: Backend<Kernel: 'static>>(backend: &B, tape: &Tape) -> Named {
    (backend.name(), Box::new(super::prepare(backend, tape)))
}

/// Points in the order of a call; every 50th number is one that takes a slow path.
pub fn points(r: &mut Random, inputs: usize, lanes: usize) -> Vec<f64> {
    let slow = [f64::NAN, f64::INFINITY, 1e300, -1e9, 5e-324, -0.0];
    (0..inputs * lanes)
        .map(|_| if r.below(50) == 0 { slow[r.below(slow.len())] } else { r.between(INPUT_RANGE.0, INPUT_RANGE.1) })
        .collect()
}

/// Panics unless all give the bits of the first at random points, at some numbers of lanes; all undefined
/// results count as one.
pub fn assert_agreement(tape: &Tape, kernels: &mut [Named], r: &mut Random, lanes: &[usize]) {
    let (first, others) = kernels.split_first_mut().expect("something to compare");
    for &lanes in lanes {
        let inputs = points(r, tape.inputs.len(), lanes);
        let mut expected = vec![0.0; tape.outputs.len() * lanes];
        first.1.evaluate(lanes, &inputs, &mut expected);
        for (name, kernel) in &mut *others {
            let mut outputs = vec![0.0; expected.len()];
            kernel.evaluate(lanes, &inputs, &mut outputs);
            for (k, (y, z)) in outputs.iter().zip(&expected).enumerate() {
                let first = &first.0;
                assert!(same(*y, *z), "{name} with {lanes} lanes: {y:?}, {first} {z:?}, at {k} of\n{tape}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::passes::finish;
    use crate::reference::Reference;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn differences_are_found() {
        let tape = |constant: f64| {
            let mut b = Builder::new();
            let (x, c) = (b.input("x"), b.constant(constant));
            let y = b.mul(x, c);
            b.output("y", y);
            finish(b)
        };
        let agree = |other: f64| {
            let mut kernels = [named(&Reference, &tape(1.5)), named(&Reference, &tape(other))];
            let compare = || assert_agreement(&tape(1.5), &mut kernels, &mut Random::new(1), &[1, 3]);
            catch_unwind(AssertUnwindSafe(compare)).is_ok()
        };
        assert!(agree(1.5) && !agree(1.5f64.next_up()));
    }
}
