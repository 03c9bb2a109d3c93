//! Series by parts: fewer sums (J2) for the same coefficients.
//!
//! The series of a component y of the state can be had from that of another quantity z whose rate is shorter,
//!
//! ```text
//! z = y f,        ż = ẏ f + y ḟ,        y = z / f         where ẏ is divided by f,
//! z = y + κ m,    ż = ẏ + κ ṁ,          y = z − κ m       where terms of ẏ and κ ṁ cancel,              (P1)
//! ```
//!
//! and yf or m is a product that the rates need anyway. Momenta are such quantities. For the rolling disk,
//!
//! ```text
//! φ̈ = 2 θ̇ψ̇ / sin θ                        p = φ̇ sin θ          ṗ = θ̇ (2w − φ̇ cos θ)
//! ψ̈ = 5/3 θ̇φ̇ sin θ − φ̈ cos θ              w = ψ̇ + φ̇ cos θ      ẇ = 2/3 θ̇ p
//! ```
//!
//! two of eleven sums are saved. The state stays what it is; y is *given* by z, and so are its coefficients, for which
//! the last order needs the sums that lead from z to y. They are counted when it is decided what is worthwhile.
//! Nothing is divided by that the rates are not divided by.

use super::laurent::{self, Monomial};
use super::{JetProgram, Recurrence};
use polhode_tape::{Builder, Dd, Op, Tape, Value, passes};

/// Quantities that are tried at most; the disk has fewer.
const MOST_TRIED: usize = 100;

/// A field with such quantities.
#[derive(Clone, Debug)]
pub struct ByParts {
    /// Inputs t, the state, the quantities. Outputs are the rates of both; a component that is given has itself in place of
    /// its rate.
    pub(super) tape: Tape,
    /// Which components of the state are given.
    pub(super) given: Vec<bool>,
    /// Inputs t and the state, outputs the quantities.
    pub(super) start: Tape,
}

/// A quantity in place of a component.
struct Quantity {
    /// y.
    component: usize,
    relation: Relation,
    /// ż.
    rate: laurent::Sum,
}

/// The lines of (P1), in values of the tape.
#[derive(Clone, Copy)]
enum Relation {
    Product { product: Value, factor: Value },
    Shift { by: Value, times: Dd },
}

/// Is a rate divided by everything that a factor is a product of? Then dividing by the factor brings no new poles.
fn is_divided_by(rate: &laurent::Sum, factor: &Monomial) -> bool {
    let mut zeros = factor.iter().filter(|(_, e)| **e > 0).map(|(atom, _)| atom).peekable();
    zeros.peek().is_some() && zeros.all(|atom| rate.keys().any(|m| m.get(atom).is_some_and(|e| *e < 0)))
}

impl ByParts {
    /// Without any quantity.
    fn plain(field: &Tape) -> ByParts {
        let start = Tape { outputs: Vec::new(), ..field.clone() };
        ByParts { given: vec![false; field.outputs.len()], tape: field.clone(), start: passes::select(&start, &[]) }
    }

    /// Whatever makes series of an order cheapest.
    pub fn new(field: &Tape, order: usize) -> ByParts {
        let plain = ByParts::plain(field);
        let cost = plain.cost(order);
        let mut left = MOST_TRIED;
        plain.cheapest(cost, order, &mut left).1
    }

    /// Is a component of the state given by a quantity?
    pub fn is_given(&self, component: usize) -> bool {
        self.given[component]
    }

    /// The best that comes of this, whose cost is known, by quantities each of which is a gain; so many may be tried.
    fn cheapest(self, cost: usize, order: usize, left: &mut usize) -> (usize, ByParts) {
        let mut better = Vec::new();
        for quantity in self.quantities() {
            if *left == 0 {
                break;
            }
            *left -= 1;
            let other = self.with(&quantity);
            let less = other.cost(order);
            if less < cost {
                better.push((less, other));
            }
        }
        let mut best = (cost, self);
        for (less, other) in better {
            let (least, other) = other.cheapest(less, order, left);
            if least < best.0 {
                best = (least, other);
            }
        }
        best
    }

    /// The program of the state and the quantities.
    pub(super) fn program(&self) -> JetProgram {
        JetProgram::for_code(&constants_outside(&self.tape))
    }

    /// Terms of sums up to an order.
    fn cost(&self, order: usize) -> usize {
        let program = self.program();
        let mut needed = vec![false; program.tape.ops.len()];
        for (output, given) in program.tape.outputs.iter().zip(&self.given) {
            needed[output.value.index()] |= given;
        }
        for k in (0..needed.len()).rev().filter(|k| program.tape.ops[*k].is_work()) {
            if needed[k] {
                program.tape.ops[k].operands().for_each(|v| needed[v.index()] = true);
            }
        }
        let is_needed = |r: &&Recurrence| needed[r.value.index()];
        let last: usize = program.recurrences.iter().filter(is_needed).map(|r| r.sums.len()).sum();
        program.sums.len() * order * (order + 1) / 2 + last * (order + 1)
    }

    /// All quantities that (P1) allows for.
    fn quantities(&self) -> Vec<Quantity> {
        let tape = &self.tape;
        let values = laurent::values(tape);
        let mut found = Vec::new();
        for (place, op) in tape.ops.iter().enumerate() {
            let Op::Input(i @ 1..) = *op else { continue };
            let (y, component) = (Value(place as u32), i as usize - 1);
            if component >= self.given.len() {
                continue;
            }
            let depends = self.dependents(y);
            let rate = &values[tape.outputs[component].value.index()];
            for (k, product) in tape.ops.iter().enumerate() {
                let Op::Mul(a, b) = *product else { continue };
                let product = Value(k as u32);
                if laurent::single(&values[k]).is_none() {
                    continue;
                }
                let Some(change) = laurent::rate(tape, &values, &values[k]) else { continue };
                let factor = if a == y { b } else { a };
                if (a == y || b == y) && !depends[factor.index()] {
                    if laurent::single(&values[factor.index()]).is_some_and(|(m, _)| is_divided_by(rate, m)) {
                        let relation = Relation::Product { product, factor };
                        found.push(Quantity { component, relation, rate: change });
                    }
                } else if !depends[k] {
                    for (m, c) in rate {
                        let Some(other) = change.get(m) else { continue };
                        let times = -*c / *other;
                        let rest = laurent::plus(rate, times, &Monomial::new(), &change);
                        if rest.len() < rate.len() {
                            found.push(Quantity {
                                component,
                                relation: Relation::Shift { by: product, times },
                                rate: rest,
                            });
                        }
                    }
                }
            }
        }
        found
    }

    /// Which values depend on an input.
    fn dependents(&self, input: Value) -> Vec<bool> {
        let mut depends = vec![false; self.tape.ops.len()];
        depends[input.index()] = true;
        for (k, op) in self.tape.ops.iter().enumerate() {
            depends[k] |= op.operands().any(|v| depends[v.index()]);
        }
        depends
    }

    /// The same with one quantity more.
    fn with(&self, quantity: &Quantity) -> ByParts {
        let tape = &self.tape;
        let mut b = Builder::new();
        let inputs: Vec<Value> = tape.inputs.iter().map(|name| b.input(name.clone())).collect();
        let name = format!("{}*", tape.inputs[quantity.component + 1]);
        let z = b.input(&name);
        let mut copy = Rewriting { tape, b: &mut b, inputs, new: vec![None; tape.ops.len()] };
        let y = match quantity.relation {
            Relation::Product { product, factor } => {
                copy.new[product.index()] = Some(z);
                let factor = copy.of(factor);
                copy.b.div(z, factor)
            }
            Relation::Shift { by, times } => {
                let by = copy.of(by);
                let shift = copy.b.scale(by, times);
                copy.b.sub(z, shift)
            }
        };
        copy.inputs[quantity.component + 1] = y;
        let rate = copy.sum(&laurent::values(tape), &quantity.rate);
        let mut given = self.given.clone();
        given[quantity.component] = true;
        let outputs: Vec<Value> = tape.outputs.iter().map(|o| copy.of(o.value)).collect();
        for (i, (output, value)) in tape.outputs.iter().zip(outputs).enumerate() {
            b.output(output.name.clone(), if i == quantity.component { y } else { value });
        }
        b.output(format!("rate.{name}"), rate);
        ByParts { tape: passes::finish(b), given, start: self.start_with(quantity, &name) }
    }

    /// The start with one quantity more.
    fn start_with(&self, quantity: &Quantity, name: &str) -> Tape {
        let mut b = Builder::new();
        let inputs: Vec<Value> = self.start.inputs.iter().map(|name| b.input(name.clone())).collect();
        let before = passes::repeat(&self.start, &mut b, &inputs);
        let all: Vec<Value> = inputs.iter().chain(&before).copied().collect();
        let values = self.replay(&self.tape, &mut b, &all);
        let of = |v: Value| values[v.index()];
        let z = match quantity.relation {
            Relation::Product { product, .. } => of(product),
            Relation::Shift { by, times } => {
                let shift = b.scale(of(by), times);
                b.add(inputs[quantity.component + 1], shift)
            }
        };
        for (output, value) in self.start.outputs.iter().zip(before) {
            b.output(output.name.clone(), value);
        }
        b.output(name, z);
        passes::finish(b)
    }

    /// Writes a tape with the outputs of `self.tape` into a builder, given components as the inputs that they are.
    pub(super) fn replay(&self, tape: &Tape, b: &mut Builder, inputs: &[Value]) -> Vec<Value> {
        let mut known: Vec<Option<Value>> = vec![None; tape.ops.len()];
        for i in (0..self.given.len()).filter(|i| self.given[*i]) {
            known[tape.outputs[i].value.index()] = Some(inputs[i + 1]);
        }
        let mut new: Vec<Value> = Vec::with_capacity(tape.ops.len());
        for (op, known) in tape.ops.iter().zip(known) {
            let v = match (*op, known) {
                (_, Some(v)) => v,
                (Op::Input(i), None) => inputs[i as usize],
                (op, None) => b.emit(op.map(|a| new[a.index()])),
            };
            new.push(v);
        }
        new
    }
}

/// The tape with constant factors taken out of products, quotients and sums, where they meet others and become one.
fn constants_outside(tape: &Tape) -> Tape {
    let mut b = Builder::new();
    let inputs: Vec<Value> = tape.inputs.iter().map(|name| b.input(name.clone())).collect();
    let mut new: Vec<(Dd, Value)> = Vec::with_capacity(tape.ops.len());
    for op in &tape.ops {
        let of = |v: Value| new[v.index()];
        let constant = |b: &Builder, v: Value| if let Op::Constant(c) = b.op(v) { Some(c) } else { None };
        new.push(match *op {
            Op::Input(i) => (Dd::ONE, inputs[i as usize]),
            Op::Neg(x) => (-of(x).0, of(x).1),
            Op::Mul(x, y) => {
                let ((f, x), (g, y)) = (of(x), of(y));
                match (constant(&b, x), constant(&b, y)) {
                    (Some(c), _) => (f * g * c, y),
                    (_, Some(c)) => (f * g * c, x),
                    _ => (f * g, b.mul(x, y)),
                }
            }
            Op::Div(x, y) if of(y).0 != Dd::ZERO => (of(x).0 / of(y).0, b.div(of(x).1, of(y).1)),
            op @ (Op::Add(x, y) | Op::Sub(x, y)) => {
                let ((f, x), (g, y)) = (of(x), of(y));
                let g = if matches!(op, Op::Sub(..)) { -g } else { g };
                let outside = if f == Dd::ZERO || g == Dd::ONE { Dd::ONE } else { f };
                let (x, y) = (b.scale(x, f / outside), b.scale(y, g / outside));
                (outside, b.add(x, y))
            }
            op => (Dd::ONE, {
                let op = op.map(|v| b.scale(of(v).1, of(v).0));
                b.emit(op)
            }),
        });
    }
    for output in &tape.outputs {
        let (factor, value) = new[output.value.index()];
        let value = b.scale(value, factor);
        b.output(output.name.clone(), value);
    }
    passes::finish(b)
}

/// Writes values of a tape into a builder when they are asked for.
struct Rewriting<'a> {
    tape: &'a Tape,
    b: &'a mut Builder,
    inputs: Vec<Value>,
    new: Vec<Option<Value>>,
}

impl Rewriting<'_> {
    fn of(&mut self, v: Value) -> Value {
        if let Some(new) = self.new[v.index()] {
            return new;
        }
        let new = match self.tape.ops[v.index()] {
            Op::Input(i) => self.inputs[i as usize],
            op => {
                let op = op.map(|a| self.of(a));
                self.b.emit(op)
            }
        };
        self.new[v.index()] = Some(new);
        new
    }

    /// A sum, with what its terms have in common taken out.
    fn sum(&mut self, values: &[laurent::Sum], sum: &laurent::Sum) -> Value {
        let common = if sum.len() > 1 { laurent::common(sum) } else { Monomial::new() };
        let mut total = None;
        for (m, c) in sum {
            let term = self.product(values, &laurent::times(m, &common, -1));
            let term = self.b.scale(term, *c);
            total = Some(total.map_or(term, |total| self.b.add(total, term)));
        }
        let total = total.unwrap_or_else(|| self.b.constant(Dd::ZERO));
        let common = self.product(values, &common);
        self.b.mul(common, total)
    }

    /// A product of powers, by way of the largest that the tape has.
    fn product(&mut self, values: &[laurent::Sum], m: &Monomial) -> Value {
        let size = |m: &Monomial| m.values().map(|e| e.unsigned_abs()).sum::<u32>();
        let mut largest: Option<(usize, &Monomial, Dd)> = None;
        for (k, value) in values.iter().enumerate() {
            let Some((part, c)) = laurent::single(value) else { continue };
            let within = part.iter().all(|(atom, e)| m.get(atom).is_some_and(|own| own * e >= e * e));
            if within && size(part) > largest.map_or(0, |(_, m, _)| size(m)) {
                largest = Some((k, part, c));
            }
        }
        match largest {
            Some((k, part, c)) => {
                let value = self.of(Value(k as u32));
                let value = self.b.scale(value, Dd::ONE / c);
                let rest = self.product(values, &laurent::times(m, part, -1));
                self.b.mul(value, rest)
            }
            None => {
                // only powers with negative exponents are left
                let one = self.b.constant(Dd::ONE);
                m.iter().fold(one, |product, (atom, e)| {
                    let atom = self.of(*atom);
                    let power = self.b.powi(atom, -e);
                    self.b.div(product, power)
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Jets, plain};
    use super::*;
    use polhode_tape::{Interpreter, Kernel, Scalar};

    /// A disk that rolls: inputs t, θ, φ, ψ, θ̇, φ̇, ψ̇.
    const DISK: &str = "inputs t theta phi psi a b c
v0 = input a
v1 = input b
v2 = input c
v3 = input theta
v4 = sin v3
v5 = cos v3
v6 = mul v1 v5
v7 = const 1.25
v8 = mul v6 v7
v9 = const 1.5
v10 = mul v2 v9
v11 = add v8 v10
v12 = mul v1 v4
v13 = mul v11 v12
v14 = const 9.81
v15 = mul v5 v14
v16 = add v13 v15
v17 = const -0.8
v18 = mul v16 v17
v19 = mul v0 v2
v20 = div v19 v4
v21 = const 2.0
v22 = mul v20 v21
v23 = mul v5 v22
v24 = mul v0 v12
v25 = const 1.6666666666666667 -7.401486830834378e-17
v26 = mul v24 v25
v27 = sub v26 v23
outputs
  rate.theta = v0
  rate.phi = v1
  rate.psi = v2
  rate.a = v18
  rate.b = v22
  rate.c = v27
";

    fn tape(text: &str) -> Tape {
        text.parse().expect("a tape")
    }

    #[test]
    fn nothing_is_divided_by_that_the_rates_are_not_divided_by() {
        let (s, c) = (Value(1), Value(2));
        let rate: laurent::Sum = [(Monomial::from([(s, -1), (c, 1)]), Dd::ONE)].into();
        assert!(is_divided_by(&rate, &Monomial::from([(s, 1)])));
        assert!(is_divided_by(&rate, &Monomial::from([(s, 2), (c, -1)])));
        assert!(!is_divided_by(&rate, &Monomial::from([(s, 1), (c, 1)])), "cos may vanish where sin does not");
        assert!(!is_divided_by(&rate, &Monomial::from([(s, -1)])));
    }

    /// The coefficients of the state at a point, order by order.
    fn coefficients(program: impl FnOnce(&mut Builder, &[Value]) -> Vec<Vec<Value>>, point: &[f64]) -> Vec<f64> {
        let mut b = Builder::new();
        let inputs: Vec<Value> = (0..point.len()).map(|i| b.input(format!("x{i}"))).collect();
        let rows = program(&mut b, &inputs);
        rows.iter().flatten().enumerate().for_each(|(i, c)| b.output(format!("c{i}"), *c));
        let tape = passes::finish(b);
        let mut out = vec![0.0; tape.outputs.len()];
        Interpreter::new(&tape).evaluate(1, point, &mut out);
        out
    }

    /// Are the coefficients those of the field itself?
    fn agree(field: &Tape, parts: &ByParts, order: usize, point: &[f64]) {
        let plain = coefficients(|b, inputs| JetProgram::new(field).unroll(b, inputs, order, 1).0, point);
        let ours = coefficients(|b, inputs| parts.unroll(b, inputs, order), point);
        let n = field.outputs.len();
        for (k, (plain, ours)) in plain.chunks(n).zip(ours.chunks(n)).enumerate() {
            let size = plain.iter().fold(0.0_f64, |size, c| size.max(c.abs()));
            for i in 0..n {
                assert!(
                    (plain[i] - ours[i]).abs() < 1e-12 * size,
                    "order {}, component {i}: {plain:?} {ours:?}",
                    k + 1
                );
            }
        }
    }

    #[test]
    fn the_disk_has_its_momenta() {
        let field = tape(DISK);
        let parts = ByParts::new(&field, 16);
        assert_eq!(parts.given, [false, false, false, false, true, true]);
        // p = φ̇ sin θ, w = ψ̇ + φ̇ cos θ, in the order in which they were found
        let (theta, b, c) = (0.7_f64, 1.3, 2.1);
        let mut start = [0.0; 2];
        Interpreter::new(&parts.start).evaluate(1, &[0.0, theta, 0.0, 0.0, 0.2, b, c], &mut start);
        start.sort_by(f64::total_cmp);
        assert!((start[0] - b * theta.sin()).abs() < 1e-15 && (start[1] - (c + b * theta.cos())).abs() < 1e-15);
        assert_eq!((JetProgram::for_code(&field).sums.len(), parts.program().sums.len()), (9, 7));
        for order in [1, 2, 3, 7, 16] {
            agree(&field, &ByParts::new(&field, 16), order, &[0.0, theta, 0.3, 0.4, 0.2, b, c]);
        }
    }

    /// The last order needs more sums; for a low one that is more than what is saved.
    #[test]
    fn what_does_not_pay_is_left() {
        let field = tape(DISK);
        assert!(!ByParts::new(&field, 2).given.contains(&true));
        let pendulum = tape(
            "inputs t a w\nv0 = input w\nv1 = input a\nv2 = sin v1\nv3 = neg v2\noutputs\n  rate.a = v0\n  rate.w = v3\n",
        );
        let parts = ByParts::new(&pendulum, 20);
        assert_eq!(parts.tape, pendulum);
        agree(&pendulum, &parts, 20, &[0.0, 1.1, -0.4]);
    }

    /// The coefficients in double-double, order by order from 1 on.
    fn digits(parts: &ByParts, order: usize, point: &[Dd]) -> Vec<Dd> {
        let mut b = Builder::new();
        let inputs: Vec<Value> = (0..point.len()).map(|i| b.input(format!("x{i}"))).collect();
        let rows = parts.unroll(&mut b, &inputs, order);
        rows.iter().flatten().enumerate().for_each(|(i, c)| b.output(format!("c{i}"), *c));
        let tape = passes::finish(b);
        let mut out = vec![Dd::ZERO; tape.outputs.len()];
        Interpreter::new(&tape).call(point, &mut out);
        out
    }

    #[test]
    fn random_fields_have_the_series_of_their_jets() {
        let (mut with_products, mut with_shifts, mut with_several) = (0, 0, 0);
        for seed in 0..300 {
            let (field, point) = plain::field(seed);
            let order = 4 + (seed % 9) as usize;
            let parts = ByParts::new(&field, order);
            let n = field.outputs.len();
            let given = parts.given.iter().filter(|given| **given).count();
            assert_eq!(parts.start.outputs.len(), given, "seed {seed}: a quantity for each component that is given");
            assert_eq!(parts.tape.outputs.len(), n + given);
            assert!(parts.cost(order) <= ByParts::plain(&field).cost(order));
            let ours = digits(&parts, order, &point);
            let mut jets = Jets::<Dd>::new(JetProgram::new(&field), order);
            jets.evaluate(point[0], &point[1..]);
            let (_, state) = plain::motion(&field, &point, order);
            for k in 1..=order {
                let scale = state.iter().map(|y| plain::size(&y[..=k])).fold(1.0, f64::max);
                for i in 0..n {
                    let own = ours[(k - 1) * n + i];
                    for other in [jets.coefficients(k)[i], state[i][k]] {
                        let off = (own - other).abs().to_f64();
                        assert!(
                            off < 1e-23 * scale,
                            "seed {seed}, order {k}, y{i}: {own}, {other}\n{field}\n{parts:?}"
                        );
                    }
                }
            }
            let first = ByParts::plain(&field).quantities();
            let of_kind = |product: bool| {
                let kind = |q: &Quantity| matches!(q.relation, Relation::Product { .. }) == product;
                first.iter().any(|q| parts.given[q.component] && kind(q))
            };
            with_products += usize::from(of_kind(true));
            with_shifts += usize::from(of_kind(false));
            with_several += usize::from(given > 1);
        }
        // both lines of (P1), and one after the other
        assert!(
            with_products > 20 && with_shifts > 20 && with_several > 10,
            "{with_products} {with_shifts} {with_several}"
        );
    }

    /// Every quantity that is found serves, not only those that pay.
    #[test]
    fn all_quantities_give_the_same_series() {
        let mut tried = 0;
        for seed in 0..60 {
            let (field, point) = plain::field(seed);
            let (n, order) = (field.outputs.len(), 6);
            let (_, state) = plain::motion(&field, &point, order);
            let plainly = ByParts::plain(&field);
            for quantity in plainly.quantities() {
                tried += 1;
                let ours = digits(&plainly.with(&quantity), order, &point);
                for k in 1..=order {
                    let scale = state.iter().map(|y| plain::size(&y[..=k])).fold(1.0, f64::max);
                    for i in 0..n {
                        let off = (ours[(k - 1) * n + i] - state[i][k]).abs().to_f64();
                        assert!(off < 1e-23 * scale, "seed {seed}, order {k}, y{i}: off by {off:e}\n{field}");
                    }
                }
            }
        }
        assert!(tried > 100, "{tried}");
    }

    #[test]
    fn no_component_is_given_by_itself() {
        // ẋ = y cos y, ẏ = x sin y + y² cos y: y + κ x sin y would hold y itself
        let field = tape(
            "inputs t x y\nv0 = input y\nv1 = sin v0\nv2 = cos v0\nv3 = mul v0 v2\nv4 = input x\nv5 = mul v1 v4\n\
             v6 = mul v0 v3\nv7 = add v5 v6\noutputs\n  rate.x = v3\n  rate.y = v7\n",
        );
        let parts = ByParts::new(&field, 20);
        assert!(!parts.given[1]);
        agree(&field, &parts, 20, &[0.0, 0.3, 0.8]);
    }

    #[test]
    fn constants_meet_outside() {
        // 3 ((2x)(−y) + 4 xy/(5y)) = −6 xy + 2.4 x, …
        let field = tape(
            "inputs t x y\nv0 = input x\nv1 = input y\nv2 = const 2.0\nv3 = mul v0 v2\nv4 = neg v1\nv5 = mul v3 v4\n\
             v6 = const 4.0\nv7 = mul v0 v6\nv8 = const 5.0\nv9 = mul v1 v8\nv10 = div v7 v9\nv11 = add v5 v10\n\
             v12 = const 3.0\nv13 = mul v11 v12\nv14 = sub v0 v13\noutputs\n  rate.x = v13\n  rate.y = v14\n",
        );
        let outside = constants_outside(&field);
        let work = |tape: &Tape| tape.ops.iter().filter(|op| op.is_work()).count();
        assert!(work(&outside) < work(&field), "{outside}");
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        Interpreter::new(&field).evaluate(1, &[0.0, 0.7, 1.9], &mut a);
        Interpreter::new(&outside).evaluate(1, &[0.0, 0.7, 1.9], &mut b);
        assert!((0..2).all(|i| (a[i] - b[i]).abs() < 1e-14), "{a:?} {b:?}");
    }
}
