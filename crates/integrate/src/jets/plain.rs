//! Series the plain way, for tests: lists of coefficients, and each operation by the equation that defines it.
//!
//! ```text
//! (ab)_k = Σ_{j=0}^{k} a_j b_{k−j},      q b = a,      r² = a,      s′ = a′ c,  c′ = −a′ s,      e′ = a′ e,      a ℓ′ = a′
//! ```
//!
//! Nothing is shared with (J2) and (J3): sums are written out, and a motion is begun anew for each of its orders. And random fields to try this with.

use polhode_tape::conformance::Random;
use polhode_tape::{Builder, Dd, Op, Scalar, Tape, Value, passes};

/// Coefficients from order 0 on.
pub(super) type Series = Vec<Dd>;

pub(super) fn constant(c: Dd, length: usize) -> Series {
    (0..length).map(|k| if k == 0 { c } else { Dd::ZERO }).collect()
}

fn number(k: usize) -> Dd {
    Dd::from(k as f64)
}

/// Σ_{j ∈ range} a_j b_{k−j}.
fn convolution(a: &[Dd], b: &[Dd], k: usize, range: std::ops::RangeInclusive<usize>) -> Dd {
    range.fold(Dd::ZERO, |sum, j| sum + a[j] * b[k - j])
}

/// As far as both are known.
pub(super) fn product(a: &[Dd], b: &[Dd]) -> Series {
    (0..a.len().min(b.len())).map(|k| convolution(a, b, k, 0..=k)).collect()
}

pub(super) fn quotient(a: &[Dd], b: &[Dd]) -> Series {
    let mut q = Series::new();
    for k in 0..a.len() {
        let known = q.iter().enumerate().fold(Dd::ZERO, |sum, (j, x)| sum + *x * b[k - j]);
        q.push((a[k] - known) / b[0]);
    }
    q
}

/// a + c b.
pub(super) fn plus(a: &[Dd], c: Dd, b: &[Dd]) -> Series {
    a.iter().zip(b).map(|(a, b)| *a + c * *b).collect()
}

/// a′, one order shorter.
pub(super) fn rate(a: &[Dd]) -> Series {
    (1..a.len()).map(|k| number(k) * a[k]).collect()
}

/// The series that begins with a value and has a rate.
fn integral(first: Dd, rate: &[Dd]) -> Series {
    std::iter::once(first).chain(rate.iter().enumerate().map(|(k, c)| *c / number(k + 1))).collect()
}

fn root(a: &[Dd]) -> Series {
    let mut r = vec![a[0].sqrt()];
    for k in 1..a.len() {
        let known = if k < 2 { Dd::ZERO } else { convolution(&r, &r, k, 1..=k - 1) };
        r.push((a[k] - known) / (number(2) * r[0]));
    }
    r
}

fn sine_and_cosine(a: &[Dd]) -> (Series, Series) {
    let (first, rate) = (a[0].sin_cos(), rate(a));
    let (mut s, mut c) = (vec![first.0], vec![first.1]);
    for k in 1..a.len() {
        let next = [convolution(&rate, &c, k - 1, 0..=k - 1), -convolution(&rate, &s, k - 1, 0..=k - 1)];
        s.push(next[0] / number(k));
        c.push(next[1] / number(k));
    }
    (s, c)
}

fn exponential(a: &[Dd]) -> Series {
    let rate = rate(a);
    let mut e = vec![a[0].exp()];
    for k in 1..a.len() {
        e.push(convolution(&rate, &e, k - 1, 0..=k - 1) / number(k));
    }
    e
}

fn angle(y: &[Dd], x: &[Dd]) -> Series {
    let turning = plus(&product(x, &rate(y)), -Dd::ONE, &product(y, &rate(x)));
    let square = plus(&product(x, x), Dd::ONE, &product(y, y));
    integral(Scalar::atan2(y[0], x[0]), &quotient(&turning, &square))
}

/// The series of all values of a tape whose inputs have these.
fn evaluated(tape: &Tape, inputs: &[Series]) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for op in &tape.ops {
        let of = |v: Value| all[v.index()].as_slice();
        all.push(match *op {
            Op::Input(i) => inputs[i as usize].clone(),
            Op::Constant(c) => constant(c, inputs[0].len()),
            Op::Neg(a) => of(a).iter().map(|a| -*a).collect(),
            Op::Add(a, b) => plus(of(a), Dd::ONE, of(b)),
            Op::Sub(a, b) => plus(of(a), -Dd::ONE, of(b)),
            Op::Mul(a, b) => product(of(a), of(b)),
            Op::Div(a, b) => quotient(of(a), of(b)),
            Op::Sqrt(a) => root(of(a)),
            Op::Sin(a) => sine_and_cosine(of(a)).0,
            Op::Cos(a) => sine_and_cosine(of(a)).1,
            Op::Exp(a) => exponential(of(a)),
            Op::Log(a) => integral(of(a)[0].ln(), &quotient(&rate(of(a)), of(a))),
            Op::Atan2(y, x) => angle(of(y), of(x)),
        });
    }
    all
}

/// The series of all values of a field along the motion through a point, t and the state, up to an order; and those of the state.
pub(super) fn motion(field: &Tape, point: &[Dd], order: usize) -> (Vec<Series>, Vec<Series>) {
    let mut inputs: Vec<Series> = point.iter().map(|x| vec![*x]).collect();
    for k in 0..order {
        let values = evaluated(field, &inputs);
        inputs[0].push(if k == 0 { Dd::ONE } else { Dd::ZERO });
        for (y, rate) in inputs[1..].iter_mut().zip(&field.outputs) {
            y.push(values[rate.value.index()][k] / number(k + 1));
        }
    }
    let values = evaluated(field, &inputs);
    (values, inputs.split_off(1))
}

/// The largest coefficient.
pub(super) fn size(series: &[Dd]) -> f64 {
    series.iter().fold(0.0, |size: f64, c| size.max(c.to_f64().abs()))
}

/// A random field with a point of its motion. Components and their sines and cosines are not near zero there, and are divided by.
///
/// Some rates are those that y has when yf or y + κm has a short one.
pub(super) fn field(seed: u64) -> (Tape, Vec<Dd>) {
    let mut r = Random::new(seed);
    let mut b = Builder::new();
    let n = 3 + r.below(3);
    let t = b.input("t");
    let state: Vec<Value> = (0..n).map(|i| b.input(format!("y{i}"))).collect();
    // sines and cosines of some components, for which rates are known
    let angles = 1 + r.below(n - 1);
    let turns: Vec<(Value, Value)> =
        state[..angles].iter().map(|y| (b.emit(Op::Sin(*y)), b.emit(Op::Cos(*y)))).collect();
    let mut pool: Vec<Value> = state.iter().copied().chain(turns.iter().flat_map(|(s, c)| [*s, *c])).collect();
    let divisors = pool.clone();
    for _ in 0..2 + r.below(8) {
        let (x, y) = (pool[r.below(pool.len())], pool[r.below(pool.len())]);
        let next = match r.below(12) {
            0 => b.add(x, y),
            1 => b.sub(x, y),
            2..=6 => b.mul(x, y),
            7 | 8 => {
                let [d, e] = [0, 0].map(|_| divisors[r.below(divisors.len())]);
                let d = if r.below(2) == 0 { b.mul(d, e) } else { b.scale(d, Dd::ratio(1 + r.below(5) as i64, 2)) };
                b.div(x, d)
            }
            9 => b.scale(x, Dd::ratio(r.below(9) as i64 - 4, 3)),
            10 => b.mul(t, x),
            _ => other(&mut b, &mut r, x),
        };
        pool.push(next);
    }
    let mut rates: Vec<Value> = Vec::new();
    for i in 0..n {
        let mut rate = pool[r.below(pool.len())];
        for _ in 0..r.below(3) {
            let term = pool[r.below(pool.len())];
            let term = b.scale(term, Dd::ratio(1 + r.below(5) as i64, 2));
            rate = b.add(rate, term);
        }
        if i > 0 && r.below(3) > 0 {
            // f and its rate, where that of its angle is known already
            let j = r.below(i.min(angles));
            let (s, c) = turns[j];
            let (f, change) = if r.below(2) == 0 { (s, b.mul(c, rates[j])) } else { (c, b.mul(s, rates[j])) };
            let change = if f == c { b.neg(change) } else { change };
            rate = if r.below(2) == 0 {
                // (yf)˙ = R, where R has yf in it
                let (product, turning) = (b.mul(state[i], f), b.mul(state[i], change));
                let wanted = b.add(rate, product);
                let rest = b.sub(wanted, turning);
                b.div(rest, f)
            } else {
                // (y + κ fx)˙ = R
                let k = r.below(i);
                let (product, first, second) = (b.mul(f, state[k]), b.mul(change, state[k]), b.mul(f, rates[k]));
                let change = b.add(first, second);
                let change = b.scale(change, Dd::ratio(1 + r.below(7) as i64, 3));
                let wanted = b.add(rate, product);
                b.sub(wanted, change)
            };
        }
        rates.push(rate);
    }
    rates.iter().enumerate().for_each(|(i, v)| b.output(format!("rate.y{i}"), *v));
    let mut point = vec![Dd::from(r.between(-1.0, 1.0))];
    point.extend((0..n).map(|_| Dd::from(r.between(0.5, 1.1))));
    (passes::finish(b), point)
}

/// One of the other operations, of a number that is positive.
fn other(b: &mut Builder, r: &mut Random, x: Value) -> Value {
    let (square, one) = (b.mul(x, x), b.constant(Dd::ONE));
    let more = b.add(square, one);
    let sine = b.emit(Op::Sin(x));
    b.emit([Op::Sqrt(more), Op::Log(more), Op::Exp(sine), Op::Atan2(more, x)][r.below(4)])
}

#[cfg(test)]
mod tests {
    use super::super::{JetProgram, Jets};
    use super::*;

    /// Written down anew, the recurrences give the same.
    #[test]
    fn jets_are_plain_series() {
        for seed in 0..200 {
            let (field, point) = field(seed);
            let (_, state) = motion(&field, &point, 10);
            let mut jets = Jets::<Dd>::new(JetProgram::new(&field), 10);
            jets.evaluate(point[0], &point[1..]);
            for k in 0..=10 {
                let scale = state.iter().map(|y| size(&y[..=k])).fold(1.0, f64::max);
                for (y, c) in state.iter().zip(jets.coefficients(k)) {
                    let off = (y[k] - *c).abs().to_f64();
                    assert!(off < 1e-23 * scale, "seed {seed}, order {k}: {} and {c}\n{field}", y[k]);
                }
            }
        }
    }
}
