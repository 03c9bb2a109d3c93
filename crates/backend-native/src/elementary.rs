//! sin, cos, exp, ln and atan2 as steps.
//!
//! The formulas are those of [`polhode_tape::elementary`] on values that write down their steps. Where an argument lies
//! outside the domain of a formula, the functions of [`polhode_backend_simd::elementary`] are called.

use crate::formula::Writer;
use crate::steps::{Function, Steps, V};
use polhode_tape::elementary::atan2::Sides;
use polhode_tape::elementary::sin_cos::Angle;
use polhode_tape::elementary::{self as formulas, Number};

/// sin x and cos x; only those that the function names are defined for all x.
pub(crate) fn sin_cos(steps: &mut Steps, function: Function, x: V) -> (V, V) {
    let writer = Writer::new(steps);
    let x = writer.value(x);
    let turned = Angle::of(x).turned();
    let results = match function {
        Function::Sin => vec![turned.sin()],
        Function::Cos => vec![turned.cos()],
        _ => vec![turned.sin(), turned.cos()],
    };
    writer.mend(function, &[x], &results, &formulas::sin_cos::domain(x));
    (results[0].v, results[results.len() - 1].v)
}

/// eˣ.
pub(crate) fn exp(steps: &mut Steps, x: V) -> V {
    let writer = Writer::new(steps);
    let x = writer.value(x);
    let result = formulas::exp::exp(x);
    writer.mend(Function::Exp, &[x], &[result], &formulas::exp::domain(x));
    result.v
}

/// The natural logarithm.
pub(crate) fn log(steps: &mut Steps, x: V) -> V {
    let writer = Writer::new(steps);
    let x = writer.value(x);
    let result = formulas::log::log(x);
    writer.mend(Function::Log, &[x], &[result], &formulas::log::domain(x));
    result.v
}

/// The angle of the point (x, y).
pub(crate) fn atan2(steps: &mut Steps, y: V, x: V) -> V {
    let writer = Writer::new(steps);
    let (y, x) = (writer.value(y), writer.value(x));
    let sides = Sides::of(y, x);
    let result = sides.angle(y, x.has_sign());
    writer.mend(Function::Atan2, &[y, x], &[result], &sides.domain());
    result.v
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::Step;

    /// How many steps a function takes, without the one that mends.
    fn steps(write: impl FnOnce(&mut Steps, V, V)) -> usize {
        let mut steps = Steps::default();
        let (a, b) = (steps.input(0), steps.input(1));
        write(&mut steps, a, b);
        steps.steps.iter().filter(|s| !matches!(s, Step::Mend(_))).count()
    }

    #[test]
    fn functions_take_no_more_steps_than_they_did() {
        let counts = [
            steps(|s, a, _| _ = sin_cos(s, Function::Sin, a)),
            steps(|s, a, _| _ = sin_cos(s, Function::Cos, a)),
            steps(|s, a, _| _ = sin_cos(s, Function::SinCos, a)),
            steps(|s, a, _| _ = exp(s, a)),
            steps(|s, a, _| _ = log(s, a)),
            steps(|s, a, b| _ = atan2(s, a, b)),
        ];
        assert_eq!(counts, [62, 63, 67, 40, 34, 79]);
    }
}
