//! Transformations of tapes. Every pass maps well-formed tapes to well-formed tapes.
//!
//! | pass | what it does | values |
//! | --- | --- | --- |
//! | [`finish`] | tidies what was built: no dead code, short live ranges, sin beside cos | the same bits |
//! | [`finish_in_order`], [`finish_bundled`] | the same for programs whose order was chosen with care | the same bits |
//! | [`fix`] | turns inputs into constants | the same but for folding in double-double |
//! | [`select`] | keeps some outputs | the same bits |
//! | [`repeat`], [`replay`] | write a tape into another | the same bits |
//! | [`join`] | one program for the outputs of several | the same bits |
//! | [`optimise`], [`optimise_all`] | fewer and cheaper operations | the same real functions, rounded differently |
//! | [`jacobian`], [`with_jacobian`] | derivatives | new |

mod divisions;
mod factors;
mod jacobian;
mod order;
mod pairs;
mod products;
mod reciprocals;

pub use jacobian::{jacobian, with_jacobian};

use crate::build::Builder;
use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::tape::{Bundle, Bundled, Output, Tape};
use crate::verify::verify;
use std::panic::resume_unwind;
use std::thread;

/// A built program without dead code, with sin and cos of one angle side by side, and in an order
/// that keeps few values alive at a time.
pub fn finish(builder: Builder) -> Tape {
    let tape = order::depth_first(builder.into_raw());
    debug_assert_eq!(verify(&tape), Ok(()));
    tape
}

/// A built program without dead code, otherwise as it was built. The sine and the cosine of an angle must have
/// been emitted one after the other.
pub fn finish_in_order(builder: Builder) -> Tape {
    finish_bundled(builder, Vec::new()).tape
}

/// The same, with bundles of its values; those with dead members are dropped.
pub fn finish_bundled(builder: Builder, bundles: Vec<Bundle>) -> Bundled {
    let raw = builder.into_raw();
    let live = raw.live();
    let mut new: Vec<Value> = Vec::with_capacity(raw.ops.len());
    let mut ops: Vec<Op> = Vec::with_capacity(raw.ops.len());
    for (op, live) in raw.ops.iter().zip(&live) {
        new.push(Value(ops.len() as u32));
        if *live {
            ops.push(op.map(|a| new[a.index()]));
        }
    }
    let outputs = (raw.outputs.into_iter()).map(|o| Output { value: new[o.value.index()], ..o }).collect();
    let tape = Tape { inputs: raw.inputs, ops, outputs };
    debug_assert_eq!(verify(&tape), Ok(()));
    let renumbered = |values: Vec<Value>| values.into_iter().map(|v| new[v.index()]).collect();
    let bundles = (bundles.into_iter())
        .filter(|bundle| bundle.values.iter().all(|v| live[v.index()]))
        .map(|Bundle { values, left, right }| Bundle {
            values: renumbered(values),
            left: renumbered(left),
            right: renumbered(right),
        })
        .collect();
    Bundled { tape, bundles }
}

/// Writes a tape into a builder, where input i is `inputs[i]`: the new value of every old one.
pub fn replay(tape: &Tape, b: &mut Builder, inputs: &[Value]) -> Vec<Value> {
    let mut new: Vec<Value> = Vec::with_capacity(tape.ops.len());
    for op in &tape.ops {
        let v = match *op {
            Op::Input(i) => inputs[i as usize],
            op => b.emit(op.map(|a| new[a.index()])),
        };
        new.push(v);
    }
    new
}

/// Writes a tape into a builder, where input i is `inputs[i]`: the new values of its outputs.
pub fn repeat(tape: &Tape, b: &mut Builder, inputs: &[Value]) -> Vec<Value> {
    assert_eq!(tape.inputs.len(), inputs.len(), "a value for each input");
    let new = replay(tape, b, inputs);
    tape.outputs.iter().map(|o| new[o.value.index()]).collect()
}

/// The tape with some operations written differently: `rewrite(b, k, new)` gives the new value of
/// operation k, or nothing to keep the operation as it is; `new` has the values before k.
fn rewrite(tape: &Tape, mut rewrite: impl FnMut(&mut Builder, usize, &[Value]) -> Option<Value>) -> Tape {
    let mut b = Builder::with_room(tape.ops.len());
    let inputs: Vec<Value> = tape.inputs.iter().map(|name| b.input(name.clone())).collect();
    let mut new: Vec<Value> = Vec::with_capacity(tape.ops.len());
    for (k, op) in tape.ops.iter().enumerate() {
        let v = match *op {
            Op::Input(i) => inputs[i as usize],
            op => rewrite(&mut b, k, &new).unwrap_or_else(|| b.emit(op.map(|a| new[a.index()]))),
        };
        new.push(v);
    }
    for o in &tape.outputs {
        b.output(o.name.clone(), new[o.value.index()]);
    }
    finish(b)
}

/// The tape with some inputs fixed: they disappear from the inputs, and what depends on them
/// alone is folded.
pub fn fix(tape: &Tape, values: &[(usize, Dd)]) -> Tape {
    let mut b = Builder::with_room(tape.ops.len());
    let inputs: Vec<Value> = (tape.inputs.iter().enumerate())
        .map(|(i, name)| match values.iter().find(|(k, _)| *k == i) {
            Some((_, x)) => b.constant(*x),
            None => b.input(name.clone()),
        })
        .collect();
    let new = replay(tape, &mut b, &inputs);
    for o in &tape.outputs {
        b.output(o.name.clone(), new[o.value.index()]);
    }
    finish(b)
}

/// The program for some of the outputs, in the order given. The inputs stay.
pub fn select(tape: &Tape, outputs: &[usize]) -> Tape {
    let outputs = outputs.iter().map(|o| tape.outputs[*o].clone()).collect();
    order::depth_first(Tape { outputs, ..tape.clone() })
}

/// For each output of a tape, which inputs it depends on, ascending.
pub fn dependencies(tape: &Tape) -> Vec<Vec<usize>> {
    (0..tape.outputs.len())
        .map(|o| {
            let one = select(tape, &[o]);
            let inputs = one.ops.iter().filter_map(|op| if let Op::Input(i) = op { Some(*i as usize) } else { None });
            let mut inputs: Vec<usize> = inputs.collect();
            inputs.sort_unstable();
            inputs.dedup();
            inputs
        })
        .collect()
}

/// One program with the outputs of several, which computes what they share once. Inputs of the same
/// name are the same input; names of outputs must differ.
pub fn join(tapes: &[&Tape]) -> Tape {
    let mut b = Builder::new();
    let mut names: Vec<(&str, Value)> = Vec::new();
    for tape in tapes {
        let inputs: Vec<Value> = (tape.inputs.iter())
            .map(|name| match names.iter().find(|(n, _)| n == name) {
                Some((_, v)) => *v,
                None => {
                    let v = b.input(name.clone());
                    names.push((name, v));
                    v
                }
            })
            .collect();
        let new = replay(tape, &mut b, &inputs);
        for o in &tape.outputs {
            b.output(o.name.clone(), new[o.value.index()]);
        }
    }
    finish(b)
}

/// A program for the same functions that costs no more, and mostly less, by [`Tape::cost`].
///
/// Divisions are shared, reciprocals of products made of those of their factors, constants in
/// products and quotients gathered, signs absorbed, common factors taken out of sums and pairs of them shared by products. These identities hold for real
/// numbers, not for rounded ones: each result may change by a few roundings of its terms, and an
/// intermediate result may overflow where it did not (1/d for |d| < 10⁻³⁰⁸, a b in x/a/b). A step
/// that does not lower the cost is not taken.
pub fn optimise(tape: &Tape) -> Tape {
    let all = |t: &Tape| factors::take_out(&products::gather(&divisions::share(t)));
    let steps: [&dyn Fn(&Tape) -> Tape; 6] =
        [&all, &divisions::share, &reciprocals::share, &products::gather, &factors::take_out, &pairs::share];
    let mut best = tape.clone();
    // how many steps in a row were of no use; every other one lowers the cost
    let mut idle = 0;
    for step in steps.iter().cycle() {
        let t = step(&best);
        if t.cost() < best.cost() {
            (best, idle) = (t, 0);
        } else {
            idle += 1;
        }
        if idle == steps.len() {
            break;
        }
    }
    best
}

/// [`optimise`] for several programs side by side, each on a thread of its own where there are threads to be had.
pub fn optimise_all(tapes: &[Tape]) -> Vec<Tape> {
    thread::scope(|scope| {
        let begin = |t| thread::Builder::new().spawn_scoped(scope, move || optimise(t)).map_err(|_| optimise(t));
        let begun: Vec<Result<_, Tape>> = tapes.iter().map(begin).collect();
        let end = |begun: Result<thread::ScopedJoinHandle<'_, Tape>, Tape>| match begun {
            Ok(own) => own.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(tape) => tape,
        };
        begun.into_iter().map(end).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Interpreter;

    fn call(tape: &Tape, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; tape.outputs.len()];
        Interpreter::<f64>::new(tape).call(x, &mut y);
        y
    }

    fn tape(text: &str) -> Tape {
        text.parse().unwrap()
    }

    /// y = a sin x + b, z = cos x, w = b².
    fn sample() -> Tape {
        tape(
            "inputs x a b\n v0 = input x\n v1 = sin v0\n v2 = cos v0\n v3 = input a\n v4 = mul v1 v3\n v5 = input b\n \
             v6 = add v4 v5\n v7 = mul v5 v5\n outputs\n y = v6\n z = v2\n w = v7",
        )
    }

    #[test]
    fn fixed_inputs_fold() {
        let t = fix(&sample(), &[(0, Dd::ZERO), (2, Dd::from(3.0))]);
        assert_eq!(
            t,
            tape("inputs a\n v0 = const 3.0\n v1 = const 1.0\n v2 = const 9.0\n outputs\n y = v0\n z = v1\n w = v2")
        );
        let t = fix(&sample(), &[(1, Dd::from(2.0))]);
        assert_eq!(t.inputs, ["x", "b"]);
        assert_eq!(call(&t, &[0.5, 3.0]), call(&sample(), &[0.5, 2.0, 3.0]));
        // a value that is not a number stays one
        let t = fix(&sample(), &[(2, Dd::from(f64::NEG_INFINITY))]);
        assert_eq!(call(&t, &[0.5, 3.0]), [f64::NEG_INFINITY, 0.5f64.cos(), f64::INFINITY]);
        assert!(call(&fix(&sample(), &[(2, Dd::from(f64::NAN))]), &[0.5, 3.0])[2].is_nan());
    }

    #[test]
    fn selected_outputs() {
        let t = select(&sample(), &[2, 1]);
        assert_eq!((verify(&t), t.inputs.len(), t.work()), (Ok(()), 3, 2));
        assert_eq!(call(&t, &[0.5, 2.0, 3.0]), [9.0, 0.5f64.cos()]);
        assert!(t.reads(0) && !t.reads(1) && t.reads(2));
    }

    #[test]
    fn joined_programs_share() {
        let other = tape("inputs b x\n v0 = input x\n v1 = cos v0\n v2 = input b\n v3 = sub v1 v2\n outputs\n u = v3");
        let t = join(&[&sample(), &other]);
        assert_eq!((&t.inputs[..], t.work()), (&sample().inputs[..], sample().work() + 1));
        assert_eq!(call(&t, &[0.5, 2.0, 3.0])[3], 0.5f64.cos() - 3.0);
    }

    #[test]
    fn programs_side_by_side_are_optimised_as_alone() {
        let quotients = tape(
            "inputs x y d\n v0 = input x\n v1 = input y\n v2 = input d\n v3 = div v0 v2\n v4 = div v1 v2\n outputs\n p = v3\n q = v4",
        );
        let tapes = [sample(), quotients, sample()];
        assert_eq!(optimise_all(&tapes), tapes.each_ref().map(optimise));
        assert_eq!(optimise_all(&[]), []);
    }

    #[test]
    fn optimised_costs() {
        for (name, text, cost) in [
            // x/d, y/d, 1/d: one division
            (
                "divisions",
                "inputs x y d\n v0 = input x\n v1 = input y\n v2 = input d\n v3 = div v0 v2\n v4 = div v1 v2\n outputs\n p = v3\n q = v4",
                8,
            ),
            // x/a/b
            (
                "quotients",
                "inputs x a b\n v0 = input x\n v1 = input a\n v2 = input b\n v3 = div v0 v1\n v4 = div v3 v2\n outputs\n p = v4",
                7,
            ),
            // x/(a/b)
            (
                "inverse",
                "inputs x a b\n v0 = input x\n v1 = input a\n v2 = input b\n v3 = div v1 v2\n v4 = div v0 v3\n outputs\n p = v4",
                7,
            ),
            // x (1/d)
            (
                "reciprocal",
                "inputs x d\n v0 = input x\n v1 = input d\n v2 = const 1.0\n v3 = div v2 v1\n v4 = mul v0 v3\n outputs\n p = v4",
                6,
            ),
            // 3 ((2 x) y)
            (
                "constants",
                "inputs x y\n v0 = input x\n v1 = input y\n v2 = const 2.0\n v3 = mul v0 v2\n v4 = mul v3 v1\n v5 = const 3.0\n v6 = mul v4 v5\n outputs\n p = v6",
                2,
            ),
            // 2 (3/x)
            (
                "numerators",
                "inputs x\n v0 = input x\n v1 = const 3.0\n v2 = div v1 v0\n v3 = const 2.0\n v4 = mul v2 v3\n outputs\n p = v4",
                6,
            ),
            // −((x − y) z)
            (
                "signs",
                "inputs x y z\n v0 = input x\n v1 = input y\n v2 = sub v0 v1\n v3 = input z\n v4 = mul v2 v3\n v5 = neg v4\n outputs\n p = v5",
                2,
            ),
            // −(2 x)
            (
                "sign of a constant",
                "inputs x\n v0 = input x\n v1 = const 2.0\n v2 = mul v0 v1\n v3 = neg v2\n outputs\n p = v3",
                1,
            ),
            // x y − (z + x u) = x (y − u) − z
            (
                "factors",
                "inputs x y z u\n v0 = input x\n v1 = input y\n v2 = mul v0 v1\n v3 = input z\n v4 = input u\n v5 = mul v0 v4\n v6 = add v3 v5\n v7 = sub v2 v6\n outputs\n p = v7",
                3,
            ),
            // x/d, y/e, x/(d e), y/(d² e)
            (
                "products of divisors",
                "inputs x y d e\n v0 = input x\n v1 = input y\n v2 = input d\n v3 = input e\n v4 = div v0 v2\n v5 = div v1 v3\n \
                 v6 = mul v2 v3\n v7 = div v0 v6\n v8 = mul v2 v6\n v9 = div v1 v8\n outputs\n p = v4\n q = v5\n r = v7\n s = v9",
                18,
            ),
            // x/√d, y/d, x/(d √d): one root, one division
            (
                "powers of a root",
                "inputs x y d\n v0 = input x\n v1 = input y\n v2 = input d\n v3 = sqrt v2\n v4 = div v0 v3\n v5 = div v1 v2\n \
                 v6 = mul v2 v3\n v7 = div v0 v6\n outputs\n p = v4\n q = v5\n r = v7",
                16,
            ),
            // y/d, x/√d, x/(d √d): the root comes after the first division
            (
                "a root that comes late",
                "inputs x y d\n v0 = input x\n v1 = input y\n v2 = input d\n v3 = div v1 v2\n v4 = sqrt v2\n v5 = div v0 v4\n \
                 v6 = mul v2 v4\n v7 = div v0 v6\n outputs\n p = v3\n q = v5\n r = v7",
                16,
            ),
            // (x y) d, (x d) e: x d once
            (
                "a pair of factors",
                "inputs x y d e\n v0 = input x\n v1 = input y\n v2 = mul v0 v1\n v3 = input d\n v4 = mul v2 v3\n \
                 v5 = input e\n v6 = mul v3 v0\n v7 = mul v6 v5\n outputs\n p = v4\n q = v7",
                3,
            ),
            // 2 x/(4 d): one constant
            (
                "constants of a quotient",
                "inputs x d\n v0 = input x\n v1 = const 2.0\n v2 = mul v0 v1\n v3 = input d\n v4 = const 4.0\n \
                 v5 = mul v3 v4\n v6 = div v2 v5\n outputs\n p = v6",
                7,
            ),
            // 1/(d e) alone stays one division
            (
                "one product",
                "inputs d e\n v0 = input d\n v1 = input e\n v2 = mul v0 v1\n v3 = const 1.0\n v4 = div v3 v2\n v5 = div v3 v0\n outputs\n p = v4\n q = v5",
                13,
            ),
        ] {
            let t = tape(text);
            let o = optimise(&t);
            assert_eq!((o.cost(), verify(&o)), (cost, Ok(())), "{name}\n{o}");
            let x = [0.7, 1.3, 2.1, 0.4];
            for (a, b) in call(&t, &x[..t.inputs.len()]).iter().zip(call(&o, &x[..t.inputs.len()])) {
                assert!((a - b).abs() <= 1e-15 * a.abs(), "{name}: {a} and {b}");
            }
        }
    }
}
