//! Coordinates that are carried along by a turning frame.
//!
//! Where nothing depends on x and y, and a is an angle of the state,
//!
//! ```text
//! ẋ = p cos a − q sin a,   ẏ = p sin a + q cos a,        x + iy = x₀ + iy₀ + e^{ia} (u + iv),
//! u̇ = p + ȧ v,             v̇ = q − ȧ u,                  u = v = 0 at the beginning of a step.
//! ```
//!
//! The series of u and v need two sums of products where those of x, y, sin a and cos a need four. This is how the
//! group variables of a motion in the plane are reconstructed in the frame of the body. The angle may turn the other way,
//! −a for a.

use super::tapes::angles;
use polhode_tape::{Builder, Op, Tape, Value, passes};

/// Two coordinates in a turning frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// x and y.
    pub pair: [usize; 2],
    /// a.
    pub angle: usize,
    /// Is it −a?
    pub backwards: bool,
}

/// A field, with u and v in place of some x and y.
#[derive(Clone, Debug)]
pub struct Turning {
    /// Inputs t and the state, outputs its rates.
    pub field: Tape,
    /// Which are in place of others.
    pub turns: Vec<Turn>,
}

impl Turning {
    /// Finds all such coordinates.
    pub fn new(field: &Tape) -> Turning {
        let mut turning = Turning { field: field.clone(), turns: Vec::new() };
        for angle in angles(field) {
            if let Some((field, turn)) = turned(&turning.field, angle) {
                turning.field = field;
                turning.turns.push(turn);
            }
        }
        turning
    }

    /// The turn that a coordinate takes part in.
    pub fn of(&self, i: usize) -> Option<&Turn> {
        self.turns.iter().find(|turn| turn.pair.contains(&i))
    }
}

/// A value as p cos a + q sin a + r, each of which may be missing.
#[derive(Clone, Copy, Default)]
struct Parts {
    cos: Option<Value>,
    sin: Option<Value>,
    rest: Option<Value>,
}

impl Parts {
    fn free(rest: Value) -> Parts {
        Parts { rest: Some(rest), ..Parts::default() }
    }

    /// The value, if it has neither sine nor cosine.
    fn as_free(self) -> Option<Value> {
        self.rest.filter(|_| self.cos.is_none() && self.sin.is_none())
    }

    fn map(self, mut f: impl FnMut(Value) -> Value) -> Parts {
        Parts { cos: self.cos.map(&mut f), sin: self.sin.map(&mut f), rest: self.rest.map(f) }
    }

    fn plus(self, b: &mut Builder, other: Parts, add: fn(&mut Builder, Option<Value>, Value) -> Value) -> Parts {
        let mut sum = |x: Option<Value>, y: Option<Value>| match y {
            Some(y) => Some(add(b, x, y)),
            None => x,
        };
        Parts { cos: sum(self.cos, other.cos), sin: sum(self.sin, other.sin), rest: sum(self.rest, other.rest) }
    }
}

/// The field with the two coordinates that an angle carries along, if there are just two and nothing else needs its sine
/// or cosine.
fn turned(field: &Tape, angle: usize) -> Option<(Tape, Turn)> {
    let mut b = Builder::new();
    let inputs: Vec<Value> = field.inputs.iter().map(|name| b.input(name.clone())).collect();
    let mut read = vec![false; inputs.len()];
    let is_angle = |v: Value| field.ops[v.index()] == Op::Input(angle as u32 + 1);
    let mut parts: Vec<Option<Parts>> = Vec::with_capacity(field.ops.len());
    for op in &field.ops {
        op.operands().for_each(|v| {
            if let Op::Input(i) = field.ops[v.index()] {
                read[i as usize] = true;
            }
        });
        let one = b.constant(polhode_tape::Dd::ONE);
        let of = |v: Value| parts[v.index()];
        let value = match *op {
            Op::Input(i) => Some(Parts::free(inputs[i as usize])),
            Op::Cos(v) if is_angle(v) => Some(Parts { cos: Some(one), ..Parts::default() }),
            Op::Sin(v) if is_angle(v) => Some(Parts { sin: Some(one), ..Parts::default() }),
            Op::Neg(v) => of(v).map(|p| p.map(|v| b.neg(v))),
            Op::Add(x, y) => of(x).zip(of(y)).map(|(x, y)| x.plus(&mut b, y, |b, x, y| x.map_or(y, |x| b.add(x, y)))),
            Op::Sub(x, y) => {
                let minus = |b: &mut Builder, x: Option<Value>, y| match x {
                    Some(x) => b.sub(x, y),
                    None => b.neg(y),
                };
                of(x).zip(of(y)).map(|(x, y)| x.plus(&mut b, y, minus))
            }
            Op::Mul(x, y) => of(x).zip(of(y)).and_then(|(x, y)| match (x.as_free(), y.as_free()) {
                (Some(factor), _) => Some(y.map(|v| b.mul(factor, v))),
                (_, Some(factor)) => Some(x.map(|v| b.mul(v, factor))),
                _ => None,
            }),
            Op::Div(x, y) => of(x).zip(of(y)?.as_free()).map(|(x, divisor)| x.map(|v| b.div(v, divisor))),
            op => {
                let is_free = op.operands().all(|v| of(v).is_some_and(|p| p.as_free().is_some()));
                is_free.then(|| Parts::free(b.emit(op.map(|v| of(v).and_then(Parts::as_free).expect("just seen")))))
            }
        };
        parts.push(value);
    }
    // a rate may be a component of the state as it is
    for output in &field.outputs {
        if let Op::Input(i) = field.ops[output.value.index()] {
            read[i as usize] = true;
        }
    }
    let mut rates: Vec<Option<Value>> = Vec::with_capacity(field.outputs.len());
    let mut pair = Vec::new();
    for (i, output) in field.outputs.iter().enumerate() {
        let rate = parts[output.value.index()]?;
        rates.push(rate.as_free());
        if rate.as_free().is_none() {
            // nothing else may be in it, and nothing may depend on it
            (rate.rest.is_none() && !read[i + 1]).then_some(())?;
            pair.push((i, rate));
        }
    }
    let [(first, x), (second, y)] = pair[..] else { return None };
    let minus = |b: &mut Builder, v: Option<Value>| v.map(|v| b.neg(v));
    let backwards = if x.cos == y.sin && minus(&mut b, x.sin) == y.cos {
        false
    } else if x.cos == minus(&mut b, y.sin) && x.sin == y.cos {
        true
    } else {
        return None;
    };
    let (p, q, speed) = (x.cos, y.cos, rates[angle]?);
    let speed = if backwards { b.neg(speed) } else { speed };
    let (forth, back) = (b.mul(speed, inputs[second + 1]), b.mul(speed, inputs[first + 1]));
    rates[first] = Some(p.map_or(forth, |p| b.add(p, forth)));
    rates[second] = Some(match q {
        Some(q) => b.sub(q, back),
        None => b.neg(back),
    });
    for (output, rate) in field.outputs.iter().zip(rates) {
        b.output(output.name.clone(), rate?);
    }
    Some((passes::finish(b), Turn { pair: [first, second], angle, backwards }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Lanes, Progress, TaylorBatch};
    use crate::{Stepper, Taylor, Tolerance};
    use polhode_tape::{Backend, Interpreter};
    use std::convert::Infallible;

    struct Plain;

    impl Backend for Plain {
        type Kernel = Interpreter<f64>;
        type Error = Infallible;

        fn name(&self) -> String {
            "plain".to_string()
        }

        fn prepare(&self, tape: &Tape) -> Result<Interpreter<f64>, Infallible> {
            Ok(Interpreter::new(tape))
        }
    }

    /// A skate that is pushed and turns, with some operations of one's own: inputs t, x, y, a, s; ȧ = s/3, ṡ = −sin t.
    fn skate(rates: impl Fn(&mut Builder, [Value; 4], Value, Value) -> [Value; 2]) -> Tape {
        let mut b = Builder::new();
        let [t, x, y, a, s] = ["t", "x", "y", "a", "s"].map(|name| b.input(name));
        let (sine, cosine) = (b.emit(Op::Sin(a)), b.emit(Op::Cos(a)));
        let [along, across] = rates(&mut b, [x, y, a, s], sine, cosine);
        let third = b.constant(polhode_tape::Dd::from(1.0 / 3.0));
        let turn = b.mul(s, third);
        let push = b.emit(Op::Sin(t));
        let push = b.neg(push);
        for (name, v) in [("x'", along), ("y'", across), ("a'", turn), ("s'", push)] {
            b.output(name, v);
        }
        passes::finish(b)
    }

    /// ẋ = s cos a − 2 sin a, ẏ = ±(s sin a + 2 cos a).
    fn sliding(sign: f64) -> Tape {
        skate(|b, [_, _, _, s], sine, cosine| {
            let two = b.constant(polhode_tape::Dd::from(2.0));
            let (ahead, aside) = (b.mul(s, cosine), b.mul(two, sine));
            let x = b.sub(ahead, aside);
            let (ahead, aside) = (b.mul(s, sine), b.mul(cosine, two));
            let y = b.add(ahead, aside);
            [x, if sign < 0.0 { b.neg(y) } else { y }]
        })
    }

    #[test]
    fn pairs_that_turn_are_found() {
        for (sign, backwards) in [(1.0, false), (-1.0, true)] {
            let field = sliding(sign);
            let turning = Turning::new(&field);
            assert_eq!(turning.turns, [Turn { pair: [0, 1], angle: 2, backwards }]);
            assert!(!turning.field.ops.iter().any(|op| matches!(op, Op::Cos(_))), "no cosine is left");
        }
    }

    #[test]
    fn others_are_left_alone() {
        // the second coordinate is pulled back to zero; it is moved by cos² a; both go along the same direction
        let fields = [
            skate(|b, [_, y, _, s], sine, cosine| {
                let (ahead, aside) = (b.mul(s, cosine), b.mul(s, sine));
                [ahead, b.sub(aside, y)]
            }),
            skate(|b, [_, _, _, s], sine, cosine| {
                let (ahead, square) = (b.mul(s, cosine), b.mul(cosine, cosine));
                [ahead, b.mul(square, sine)]
            }),
            skate(|b, [_, _, _, s], _, cosine| {
                let ahead = b.mul(s, cosine);
                [ahead, b.neg(ahead)]
            }),
        ];
        for field in fields {
            let turning = Turning::new(&field);
            assert!(turning.turns.is_empty() && turning.of(0).is_none());
            assert_eq!(turning.field.to_string(), field.to_string());
        }
    }

    /// ż = x: a rate that is a component of the state reads it.
    #[test]
    fn a_rate_that_is_a_coordinate() {
        let mut b = Builder::new();
        let [_, x, _, a, _] = ["t", "x", "y", "a", "z"].map(|name| b.input(name));
        let (sine, cosine) = (b.emit(Op::Sin(a)), b.emit(Op::Cos(a)));
        let one = b.constant(polhode_tape::Dd::ONE);
        for (name, v) in [("x'", cosine), ("y'", sine), ("a'", one), ("z'", x)] {
            b.output(name, v);
        }
        assert!(Turning::new(&passes::finish(b)).turns.is_empty());
    }

    /// A batch that turns its frames ends where one motion without them does, and is in between where that is.
    #[test]
    fn the_motion_is_the_same() {
        let tolerance = Tolerance { relative: 1e-13, absolute: 1e-13 };
        for sign in [1.0, -1.0] {
            let field = sliding(sign);
            let start = [0.3, -0.2, 0.5, 1.5];
            let mut batch = TaylorBatch::<_, 4>::new(&Plain, &field, tolerance, &[]).expect("prepared");
            batch.begin(1, 0.0, &start, 7.0);
            let mut alone = Taylor::new(&field, 0.0, &start, tolerance, Vec::new());
            let mut y = [0.0; 4];
            while batch.progress(1) != Progress::Arrived {
                batch.step();
                assert!(!matches!(batch.progress(1), Progress::Failed(_)));
                let (from, to) = (batch.before(1), batch.time(1));
                for part in [0.3, 1.0] {
                    let t = from + part * (to - from);
                    while alone.time() < t {
                        alone.step(7.0).expect("it goes on");
                    }
                    alone.interpolate(t, &mut y);
                    for i in 0..4 {
                        assert!((batch.at(1, t, i) - y[i]).abs() < 1e-11, "{i} at {t}");
                    }
                }
            }
            batch.state(1, &mut y);
            let exact = alone.state();
            assert!((0..4).all(|i| (y[i] - exact[i]).abs() < 1e-12), "{y:?} {exact:?}");
        }
    }
}
