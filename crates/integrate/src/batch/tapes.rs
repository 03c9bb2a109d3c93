//! Steps of integrators as tapes.

use super::turning::{Turn, Turning};
use crate::dop853::coefficients as table;
use crate::jets::ByParts;
use crate::stepper::{Tolerance, Unit};
use crate::taylor::effective;
use polhode_tape::{Builder, Dd, Op, Tape, Value, passes};

/// y + rest + increment as a number and what it misses.
fn add(b: &mut Builder, (y, rest): (Value, Value), increment: Value) -> (Value, Value) {
    let more = b.add(rest, increment);
    let sum = b.add(y, more);
    let taken = b.sub(sum, y);
    let kept = b.sub(sum, taken);
    let (lost, missed) = (b.sub(y, kept), b.sub(more, taken));
    (sum, b.add(lost, missed))
}

/// Makes vectors unit again: u ← u + (1/|u| − 1) u.
fn renormalise(b: &mut Builder, units: &[Unit], state: &mut [(Value, Value)]) {
    let one = b.constant(Dd::ONE);
    for unit in units {
        let squares: Vec<Value> = unit.clone().map(|i| b.mul(state[i].0, state[i].0)).collect();
        let square = squares.into_iter().reduce(|a, c| b.add(a, c)).expect("units are not empty");
        let length = b.emit(Op::Sqrt(square));
        // 1/|u| − 1 = (1 − |u|²)/(|u| (1 + |u|))
        let (over, sum) = (b.sub(one, square), b.add(one, length));
        let under = b.mul(length, sum);
        let factor = b.div(over, under);
        for i in unit.clone() {
            let more = b.mul(factor, state[i].0);
            state[i] = add(b, state[i], more);
        }
    }
}

fn names(b: &mut Builder, prefix: &str, n: usize) -> Vec<Value> {
    (0..n).map(|i| b.input(format!("{prefix}{i}"))).collect()
}

/// All coefficients of the series of a motion and norms that tell how long a step it is good for: inputs t, y; outputs the
/// coefficients order by order from 1 on, and of the last two of p orders
///
/// ```text
/// Σ_k = Σᵢ (ε y_{k,i})²/sᵢ²,        sᵢ² = absolute² + relative² yᵢ²,
/// ```
///
/// whose roots, but for a factor n^¼, are smooth and at most n^¼ away from the largest term; 1 takes the place of yᵢ in
/// unit vectors. Where coordinates turn, the coefficients are those of u and v.
pub fn series_and_norms(turning: &Turning, order: usize, tolerance: Tolerance, units: &[Unit]) -> Tape {
    let field = &turning.field;
    let n = field.outputs.len();
    let epsilon = effective(tolerance, f64::EPSILON);
    let mut b = Builder::new();
    let inputs: Vec<Value> = field.inputs.iter().map(|name| b.input(name.clone())).collect();
    let zero = b.constant(Dd::ZERO);
    let mut begin = inputs.clone();
    turning.turns.iter().flat_map(|turn| turn.pair).for_each(|i| begin[1 + i] = zero);
    // quotients come first, where the processor has to wait for sines and cosines anyway
    let one = b.constant(Dd::ONE);
    // the scale of ε² that makes s = 1 where y = 0
    let unit = (tolerance.absolute / epsilon).powi(2);
    let (floor, relative) =
        (b.constant(Dd::from(unit.max(1e-200))), b.constant(Dd::from((tolerance.relative / epsilon).powi(2))));
    let inverses: Vec<Value> = (0..n)
        .map(|i| {
            let size = if units.iter().any(|u| u.contains(&i)) { one } else { b.mul(inputs[1 + i], inputs[1 + i]) };
            let scaled = b.mul(size, relative);
            let scale = b.add(scaled, floor);
            b.div(one, scale)
        })
        .collect();
    let coefficients = ByParts::new(field, order).unroll(&mut b, &begin, order);
    for (k, row) in coefficients.iter().enumerate() {
        row.iter().enumerate().for_each(|(i, c)| b.output(format!("y{i}[{}]", k + 1), *c));
    }
    for k in [order - 1, order] {
        let mut sum = b.constant(Dd::from(f64::MIN_POSITIVE));
        for (c, inverse) in coefficients[k - 1].iter().zip(&inverses) {
            let square = b.mul(*c, *c);
            let term = b.mul(square, *inverse);
            sum = b.add(sum, term);
        }
        b.output(format!("norm[{k}]"), sum);
    }
    passes::finish_in_order(b)
}

/// h/ρ for an order.
pub(super) fn fraction(epsilon: f64, order: usize) -> f64 {
    epsilon.powf(1.0 / (order - 1) as f64) * (-0.7 / (order - 1) as f64).exp()
}

/// y + h(y₁ + h(y₂ + …)): inputs the coefficients order by order from 1 on, a norm, h, t, y, and what rounding took
/// from y; outputs the last two after the step, and the sum of y there, which is not finite where a component is not. What
/// turns is turned to where its angle has come.
pub fn series_sum(n: usize, order: usize, turns: &[Turn], units: &[Unit]) -> Tape {
    let mut b = Builder::new();
    let coefficients: Vec<Vec<Value>> = (1..=order).map(|k| names(&mut b, &format!("y[{k}]"), n)).collect();
    b.input("norm"); // stands between them
    let h = b.input("h");
    b.input("t"); // so does this
    let (y, rest) = (names(&mut b, "y", n), names(&mut b, "rest", n));
    let mut increments: Vec<Value> = (0..n)
        .map(|i| {
            let mut sum = coefficients[order - 1][i];
            for c in coefficients[..order - 1].iter().rev() {
                let product = b.mul(sum, h);
                sum = b.add(product, c[i]);
            }
            b.mul(sum, h)
        })
        .collect();
    for turn in turns {
        let (angle, _) = add(&mut b, (y[turn.angle], rest[turn.angle]), increments[turn.angle]);
        let (sine, cosine) = (b.emit(Op::Sin(angle)), b.emit(Op::Cos(angle)));
        let sine = if turn.backwards { b.neg(sine) } else { sine };
        let [u, v] = turn.pair.map(|i| increments[i]);
        let (uc, vs, us, vc) = (b.mul(u, cosine), b.mul(v, sine), b.mul(u, sine), b.mul(v, cosine));
        (increments[turn.pair[0]], increments[turn.pair[1]]) = (b.sub(uc, vs), b.add(us, vc));
    }
    let mut state: Vec<(Value, Value)> = (0..n).map(|i| add(&mut b, (y[i], rest[i]), increments[i])).collect();
    renormalise(&mut b, units, &mut state);
    state.iter().enumerate().for_each(|(i, (y, _))| b.output(format!("y{i}"), *y));
    state.iter().enumerate().for_each(|(i, (_, rest))| b.output(format!("rest{i}"), *rest));
    let whole = state.iter().map(|(y, _)| *y).reduce(|sum, y| b.add(sum, y)).expect("some component");
    b.output("whole", whole);
    passes::finish_in_order(b)
}

/// A step of DOP853: inputs t, h, y, what rounding took from y, the slope there, and sine and cosine of each of the
/// [`angles`]; outputs the last four after the step, and the eighth root of the error as `dop853.rs` has it, but for its scale,
///
/// ```text
/// sᵢ² = absolute² + relative² (yᵢ² + yᵢ⁺²)/2,
/// ```
///
/// which is smooth and at most √2 away from the other. The error is not finite where a result is not.
///
/// Sines and cosines of components of the state are taken at the ends of a step only. Within it they are
/// integrated like the state, (sin a)˙ = ȧ cos a, (cos a)˙ = −ȧ sin a: two sums of slopes in place of two functions. Stage values that no rate depends on are not computed at all.
pub fn dop853_step(field: &Tape, tolerance: Tolerance, units: &[Unit]) -> Tape {
    let n = field.outputs.len();
    assert_eq!(field.inputs.len(), n + 1, "inputs are t and the state, outputs its rates");
    let mut b = Builder::new();
    let (t, h) = (b.input("t"), b.input("h"));
    let (y, rest, slope) = (names(&mut b, "y", n), names(&mut b, "rest", n), names(&mut b, "slope", n));
    let rotors = Rotors { field, angles: angles(field) };
    let mut start = y.clone();
    start.extend(names(&mut b, "circle", 2 * rotors.angles.len()));
    let mut first = slope;
    rotors.add_rates(&mut b, &start[n..], &mut first);
    let mut stages = vec![first];
    let rows: [(&[usize], &[f64]); 11] = [
        (&table::A2.stages, &table::A2.weights),
        (&table::A3.stages, &table::A3.weights),
        (&table::A4.stages, &table::A4.weights),
        (&table::A5.stages, &table::A5.weights),
        (&table::A6.stages, &table::A6.weights),
        (&table::A7.stages, &table::A7.weights),
        (&table::A8.stages, &table::A8.weights),
        (&table::A9.stages, &table::A9.weights),
        (&table::A10.stages, &table::A10.weights),
        (&table::A11.stages, &table::A11.weights),
        (&table::A12.stages, &table::A12.weights),
    ];
    for (stage, (which, weights)) in rows.into_iter().enumerate() {
        let time = after(&mut b, t, h, table::C[stage + 1]);
        // Σ (h a) k + y, so that every term is one instruction
        let state: Vec<Value> =
            (0..start.len()).map(|i| weighted(&mut b, &stages, which, weights, h, i, Some(start[i]))).collect();
        stages.push(rotors.rates(&mut b, time, &state));
    }
    let mut state: Vec<(Value, Value)> = Vec::with_capacity(n);
    let mut sums = Vec::with_capacity(n);
    let one = b.constant(Dd::ONE);
    for i in 0..n {
        let sum = weighted(&mut b, &stages, &table::B.stages, &table::B.weights, one, i, None);
        let increment = b.mul(sum, h);
        state.push(add(&mut b, (y[i], rest[i]), increment));
        sums.push(sum);
    }
    let (mut e3, mut e5) = (b.constant(Dd::ZERO), b.constant(Dd::ZERO));
    let floor = b.constant(Dd::from(tolerance.absolute.powi(2).max(f64::MIN_POSITIVE)));
    let half = b.constant(Dd::from(0.5 * tolerance.relative.powi(2)));
    for i in 0..n {
        let (before, after) = (b.mul(y[i], y[i]), b.mul(state[i].0, state[i].0));
        let both = b.add(before, after);
        let scaled = b.mul(both, half);
        let scale = b.add(scaled, floor);
        let inverse = b.div(one, scale);
        let third = weighted(&mut b, &stages, &table::B3.stages, &table::B3.weights, one, i, None);
        let third = b.sub(sums[i], third);
        let fifth = weighted(&mut b, &stages, &table::E5.stages, &table::E5.weights, one, i, None);
        for (sum, difference) in [(&mut e3, third), (&mut e5, fifth)] {
            let square = b.mul(difference, difference);
            let term = b.mul(square, inverse);
            *sum = b.add(*sum, term);
        }
    }
    // h² e₅²/(n (e₅ + e₃/100)), whose 16th root is wanted; the smallest number keeps 0/0 out
    let (hundredth, tiny) = (b.constant(Dd::from(0.01 * n as f64)), b.constant(Dd::from(f64::MIN_POSITIVE)));
    let number = b.constant(Dd::from(n as f64));
    let (part, whole) = (b.mul(e3, hundredth), b.mul(e5, number));
    let both = b.add(whole, part);
    let both = b.add(both, tiny);
    let over = b.mul(h, e5);
    let over = b.mul(over, over);
    let mut root = b.div(over, both);
    for _ in 0..4 {
        root = b.emit(Op::Sqrt(root));
    }
    renormalise(&mut b, units, &mut state);
    let time = after(&mut b, t, h, 1.0);
    let mut end: Vec<Value> = state.iter().map(|(y, _)| *y).collect();
    for i in &rotors.angles {
        let (sine, cosine) = (b.emit(Op::Sin(end[*i])), b.emit(Op::Cos(end[*i])));
        end.extend([sine, cosine]);
    }
    let slope = rotors.rates(&mut b, time, &end);
    // nothing that is finite is large enough to matter here
    let least = b.constant(Dd::from(1e-300));
    for k in &slope[..n] {
        let trace = b.mul(*k, least);
        root = b.add(root, trace);
    }
    state.iter().enumerate().for_each(|(i, (y, _))| b.output(format!("y{i}"), *y));
    state.iter().enumerate().for_each(|(i, (_, rest))| b.output(format!("rest{i}"), *rest));
    slope[..n].iter().enumerate().for_each(|(i, k)| b.output(format!("slope{i}"), *k));
    end[n..].iter().enumerate().for_each(|(i, x)| b.output(format!("circle{i}"), *x));
    b.output("root", root);
    passes::finish_in_order(b)
}

/// The components of the state of which a field takes a sine or a cosine.
pub fn angles(field: &Tape) -> Vec<usize> {
    let mut angles: Vec<usize> = (field.ops.iter())
        .filter_map(|op| match op {
            Op::Sin(a) | Op::Cos(a) => match field.ops[a.index()] {
                Op::Input(i) if i > 0 => Some(i as usize - 1),
                _ => None,
            },
            _ => None,
        })
        .collect();
    angles.sort_unstable();
    angles.dedup();
    angles
}

/// A field whose sines and cosines of components of the state are components themselves.
struct Rotors<'a> {
    field: &'a Tape,
    angles: Vec<usize>,
}

impl Rotors<'_> {
    /// The rates of the state and of all sines and cosines, which stand behind it in pairs.
    fn rates(&self, b: &mut Builder, time: Value, state: &[Value]) -> Vec<Value> {
        let n = self.field.outputs.len();
        let mut new: Vec<Value> = Vec::with_capacity(self.field.ops.len());
        for op in &self.field.ops {
            let circle = |a: Value| match self.field.ops[a.index()] {
                Op::Input(i) if i > 0 => self.angles.iter().position(|angle| *angle == i as usize - 1),
                _ => None,
            };
            let v = match *op {
                Op::Input(0) => time,
                Op::Input(i) => state[i as usize - 1],
                Op::Sin(a) if circle(a).is_some() => state[n + 2 * circle(a).expect("just seen")],
                Op::Cos(a) if circle(a).is_some() => state[n + 2 * circle(a).expect("just seen") + 1],
                op => b.emit(op.map(|a| new[a.index()])),
            };
            new.push(v);
        }
        let mut rates: Vec<Value> = self.field.outputs.iter().map(|o| new[o.value.index()]).collect();
        self.add_rates(b, &state[n..], &mut rates);
        rates
    }

    /// Adds those of sines and cosines to the rates of the state.
    fn add_rates(&self, b: &mut Builder, circles: &[Value], rates: &mut Vec<Value>) {
        for (angle, pair) in self.angles.iter().zip(circles.chunks_exact(2)) {
            let rate = rates[*angle];
            let (sine, cosine) = (b.mul(rate, pair[1]), b.mul(rate, pair[0]));
            let cosine = b.neg(cosine);
            rates.extend([sine, cosine]);
        }
    }
}

/// t + c h.
fn after(b: &mut Builder, t: Value, h: Value, c: f64) -> Value {
    let c = b.constant(Dd::from(c));
    let part = b.mul(c, h);
    b.add(t, part)
}

/// Σⱼ (h wⱼ) kⱼ, component i, and what it is added to.
fn weighted(
    b: &mut Builder,
    stages: &[Vec<Value>],
    which: &[usize],
    weights: &[f64],
    h: Value,
    i: usize,
    to: Option<Value>,
) -> Value {
    let mut sum = to;
    for (stage, weight) in which.iter().zip(weights) {
        let weight = b.constant(Dd::from(*weight));
        let weight = b.mul(weight, h);
        let term = b.mul(weight, stages[*stage][i]);
        sum = Some(match sum {
            Some(sum) => b.add(sum, term),
            None => term,
        });
    }
    sum.expect("some stage")
}
