//! Taylor series of a motion, from the operations of its tape.
//!
//! Along a solution of ẏ = f(t, y) every value v of the tape is a function of time. Its *jet* is
//! the list of normalised derivatives v_k = v⁽ᵏ⁾/k!, and that of the state follows from that of
//! the rates,
//!
//! ```text
//! y_{k+1} = f_k / (k + 1).                                                                 (J1)
//! ```
//!
//! For each operation v_k follows from the coefficients 0 … k of its operands [JorbaZou2005, §2].
//! The terms of order k are pulled out of the convolutions, which then only reach back to orders
//! that are complete,
//!
//! ```text
//! ⟨a,b⟩ = Σ_{j=1}^{k−1} a_j b_{k−j},      ⟨a′,b⟩ = Σ_{j=1}^{k−1} j a_j b_{k−j}             (J2)
//! ```
//!
//! so that for k ≥ 1 every operation is *linear* in the new coefficients, with factors that belong
//! to order 0 and stay the same for all k:
//!
//! ```text
//! v = a ± b          v_k = a_k ± b_k
//! v = a b            v_k = b₀ a_k + a₀ b_k + ⟨a,b⟩
//! v = a²             v_k = 2a₀ a_k + ⟨a,a⟩
//! v = a / b          v_k = (a_k − v₀ b_k − ⟨b,v⟩) / b₀
//! v = √a             v_k = (a_k − ⟨v,v⟩) / 2v₀
//! v = sin a          v_k =  c₀ a_k + ⟨a′,c⟩/k            c = cos a
//! v = cos a          v_k = −s₀ a_k − ⟨a′,s⟩/k            s = sin a                         (J3)
//! v = eᵃ             v_k = v₀ a_k + ⟨a′,v⟩/k
//! v = ln a           v_k = (a_k − ⟨v′,a⟩/k) / a₀
//! v = atan2(y, x)    v_k = (x₀ y_k − y₀ x_k + (⟨y′,x⟩ − ⟨x′,y⟩ − ⟨v′,w⟩)/k) / w₀
//!                                                        w = x² + y²
//! ```
//!
//! One order is thus three plain loops without any choice in them: all sums (J2), eight at a time
//! and each over whole vectors of eight; all operations (J3) as v_k = p a_k + q b_k + sum; and the
//! storing of what later sums need. Squares take half of their sum.
//!
//! [`JetProgram`] is what is known before any number is: which values vary, which are multiples of
//! others from order 1 on, and which sums there are. [`Jets`] carries it out in any [`Scalar`].
//!
//! [`ByParts`] finds quantities by which the same coefficients need fewer sums; batches use it.
//!
//! Not here: how long a step the series is good for (`taylor.rs`).

mod laurent;
mod parts;
#[cfg(test)]
mod plain;
mod program;
mod sums;
mod unroll;

pub use parts::ByParts;
pub use program::{JetProgram, Recurrence, Series, Sum, SumKind};

use polhode_tape::{Op, Scalar, Value};
use sums::{Block, LANES, Row, convolve, convolve_squares, gather};

/// An operation (J3) at orders k ≥ 1: its slot becomes p·a + (q·b + sum), where a is the operand
/// that was computed last, so that the rest need not wait for it.
#[derive(Clone, Copy, Debug)]
struct Tangent<S> {
    p: S,
    q: S,
    a: u32,
    b: u32,
    sum: u32,
    /// Are a and b the second and the first operand?
    swapped: bool,
}

impl<S: Copy> Tangent<S> {
    /// Sets the factors of the first and the second operand.
    fn set(&mut self, first: S, second: S) {
        (self.p, self.q) = if self.swapped { (second, first) } else { (first, second) };
    }
}

/// Room for the series of one motion, up to a fixed order.
///
/// Slots are the numbers of one order: slot 0 is always zero, then time, then the components of the
/// state, then one for each operation in the order of computation.
#[derive(Clone, Debug)]
pub struct Jets<S> {
    program: JetProgram,
    order: usize,
    n: usize,
    // order 0
    values: Vec<S>,
    work: Vec<u32>,       // the operations that compute something
    nonlinear: Vec<u32>,  // recurrences whose factors depend on order 0
    factors: Vec<[S; 2]>, // factors of the series of the operands, by recurrence
    first: Vec<u32>,      // by recurrence, its first tangent
    // orders 1 …
    tangents: Vec<Tangent<S>>,
    slots: Vec<S>,
    sums: Vec<S>, // the last is always zero
    products: Vec<Block<S>>,
    squares: Vec<Block<S>>,
    place: Vec<u32>,      // by sum of the program, where it is in `sums`
    rates: Vec<(u32, S)>, // slot and factor of each rate
    inverse: Vec<S>,      // 1/k
    coefficients: Vec<S>, // order by order
}

impl<S: Scalar> Jets<S> {
    /// Makes room for the coefficients 0 … `order`, where the order is at least 1.
    pub fn new(program: JetProgram, order: usize) -> Jets<S> {
        assert!(order >= 1, "a series has at least its rates");
        let n = program.dimension();
        let (zero, one) = (S::default(), S::from_f64(1.0));

        // sums by kind, products before rates so that few blocks have both
        let mut place = vec![0u32; program.sums.len()];
        let rank = |kind: SumKind| match kind {
            SumKind::Product => 0,
            SumKind::Rate => 1,
            SumKind::Square => 2,
        };
        let mut by_kind: Vec<usize> = (0..program.sums.len()).collect();
        by_kind.sort_by_key(|i| rank(program.sums[*i].kind));
        let squares_from = by_kind.iter().filter(|i| program.sums[**i].kind != SumKind::Square).count();
        let (products, squares) = by_kind.split_at(squares_from);
        let padded = products.len().div_ceil(LANES) * LANES;
        products.iter().enumerate().for_each(|(at, i)| place[*i] = at as u32);
        squares.iter().enumerate().for_each(|(at, i)| place[*i] = (padded + at) as u32);
        let room = padded + squares.len().div_ceil(LANES) * LANES;

        // slots and tangents
        let mut slot = vec![0u32; program.tape.ops.len()];
        for (k, op) in program.tape.ops.iter().enumerate() {
            match op {
                Op::Input(i) if program.series[k] != Series::Constant => slot[k] = 1 + i,
                _ => {}
            }
        }
        let mut tangents: Vec<Tangent<S>> = Vec::new();
        let mut factors = Vec::new();
        let mut first = Vec::new();
        let mut nonlinear = Vec::new();
        let base = (2 + n) as u32;
        for (number, r) in program.recurrences.iter().enumerate() {
            let operand = |v: Value, slot: &[u32]| match program.series[v.index()] {
                Series::Constant => (0, zero),
                Series::Multiple { factor, of } => (slot[of.index()], S::constant(factor)),
            };
            let op = program.tape.ops[r.value.index()];
            let mut operands = op.operands();
            let (a, f) = operands.next().map_or((0, zero), |v| operand(v, &slot));
            let (b, g) = operands.next().map_or((0, zero), |v| operand(v, &slot));
            first.push(tangents.len() as u32);
            let none = room as u32;
            let sum = |i: usize| if r.sums.len() > i { place[r.sums.start + i] } else { none };
            let mut push = |a: u32, b: u32, sum: u32, p: S, q: S| {
                let swapped = b > a;
                tangents.push(match swapped {
                    false => Tangent { p, q, a, b, sum, swapped },
                    true => Tangent { p: q, q: p, a: b, b: a, sum, swapped },
                });
                base + tangents.len() as u32 - 1
            };
            slot[r.value.index()] = match op {
                Op::Add(..) => push(a, b, none, f, g),
                Op::Sub(..) => push(a, b, none, f, -g),
                Op::Atan2(..) => {
                    let both = r.sums.len() == 3;
                    let u = push(a, b, if both { sum(0) } else { none }, zero, zero);
                    let u = if both { push(u, 0, sum(1), one, zero) } else { u };
                    push(u, 0, sum(r.sums.len() - 1), one, zero)
                }
                _ => push(a, b, sum(0), zero, zero),
            };
            if !matches!(op, Op::Add(..) | Op::Sub(..)) {
                nonlinear.push(number as u32);
            }
            factors.push([f, g]);
        }

        let block = |chunk: &[usize]| {
            let lane =
                |l: usize, of: fn(&Sum) -> Value| chunk.get(l).map_or(0, |i| slot[of(&program.sums[*i]).index()]);
            Block {
                left: std::array::from_fn(|l| lane(l, |s| s.left)),
                right: std::array::from_fn(|l| lane(l, |s| s.right)),
                rate: std::array::from_fn(|l| chunk.get(l).is_some_and(|i| program.sums[*i].kind == SumKind::Rate)),
                rated: chunk.iter().any(|i| program.sums[*i].kind == SumKind::Rate),
                a: vec![Row([zero; LANES]); order],
                b: vec![Row([zero; LANES]); order],
                weight: [zero; LANES],
            }
        };
        let products = products.chunks(LANES).map(block).collect();
        let squares = squares.chunks(LANES).map(block).collect();
        let rates = (program.tape.outputs.iter())
            .map(|o| match program.series[o.value.index()] {
                Series::Constant => (0, zero),
                Series::Multiple { factor, of } => (slot[of.index()], S::constant(factor)),
            })
            .collect();
        let values =
            (program.tape.ops.iter()).map(|op| if let Op::Constant(c) = op { S::constant(*c) } else { zero }).collect();
        let work = (0..program.tape.ops.len() as u32).filter(|k| program.tape.ops[*k as usize].is_work()).collect();
        Jets {
            order,
            n,
            values,
            work,
            nonlinear,
            factors,
            first,
            slots: vec![zero; base as usize + tangents.len()],
            tangents,
            sums: vec![zero; room + 1],
            products,
            squares,
            place,
            rates,
            inverse: (0..=order).map(|k| one / S::from_f64(k.max(1) as f64)).collect(),
            coefficients: vec![zero; (order + 1) * n],
            program,
        }
    }

    /// The program.
    pub fn program(&self) -> &JetProgram {
        &self.program
    }

    /// The highest order.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The coefficients of order k of the state, as of the last [`Jets::evaluate`].
    pub fn coefficients(&self, k: usize) -> &[S] {
        &self.coefficients[k * self.n..][..self.n]
    }

    pub(crate) fn coefficients_mut(&mut self, k: usize) -> &mut [S] {
        &mut self.coefficients[k * self.n..][..self.n]
    }

    /// ẏ at (t, y). The coefficients of the series are kept.
    pub fn rates(&mut self, t: S, y: &[S], dy: &mut [S]) {
        self.order_zero(t, y);
        for (dy, o) in dy.iter_mut().zip(&self.program.tape.outputs) {
            *dy = self.values[o.value.index()];
        }
    }

    /// The series of the motion through (t, y).
    pub fn evaluate(&mut self, t: S, y: &[S]) {
        let n = self.n;
        self.order_zero(t, y);
        self.prepare_factors();
        self.coefficients[..n].copy_from_slice(y);
        for (i, o) in self.program.tape.outputs.iter().enumerate() {
            self.coefficients[n + i] = self.values[o.value.index()];
        }
        self.slots[1] = S::from_f64(1.0);
        for k in 1..self.order {
            self.slots[2..2 + n].copy_from_slice(&self.coefficients[k * n..][..n]);
            let (products, squares) = self.sums.split_at_mut(self.products.len() * LANES);
            convolve(&self.products, k, self.inverse[k], products);
            convolve_squares(&self.squares, k, squares);
            propagate(&self.tangents, &self.sums, &mut self.slots, 2 + n);
            self.products.iter_mut().for_each(|block| block.store(k, &self.slots));
            self.squares.iter_mut().for_each(|block| gather(&self.slots, &block.left, &mut block.a[k - 1].0));
            let inverse = self.inverse[k + 1];
            for (y, (slot, factor)) in self.coefficients[(k + 1) * n..][..n].iter_mut().zip(&self.rates) {
                *y = self.slots[*slot as usize] * *factor * inverse;
            }
            // time has the coefficients t, 1, 0, 0, …
            self.slots[1] = S::default();
        }
    }

    /// All values at one point.
    fn order_zero(&mut self, t: S, y: &[S]) {
        let values = &mut self.values[..];
        for (k, op) in self.program.tape.ops.iter().enumerate() {
            if let Op::Input(i) = *op {
                values[k] = if i == 0 { t } else { y[i as usize - 1] };
            }
        }
        for &k in &self.work {
            let k = k as usize;
            let v = |a: Value| values[a.index()];
            values[k] = match self.program.tape.ops[k] {
                Op::Neg(a) => -v(a),
                Op::Add(a, b) => v(a) + v(b),
                Op::Sub(a, b) => v(a) - v(b),
                Op::Mul(a, b) => v(a) * v(b),
                Op::Div(a, b) => v(a) / v(b),
                Op::Sqrt(a) => v(a).sqrt(),
                Op::Sin(a) => {
                    let (sin, cos) = v(a).sin_cos();
                    values[k + 1] = cos;
                    sin
                }
                // beside its sine
                Op::Cos(_) => continue,
                Op::Exp(a) => v(a).exp(),
                Op::Log(a) => v(a).ln(),
                Op::Atan2(a, b) => v(a).atan2(v(b)),
                Op::Input(_) | Op::Constant(_) => continue,
            };
        }
    }

    /// The factors p, q and the weights of the sums, from order 0.
    fn prepare_factors(&mut self) {
        let one = S::from_f64(1.0);
        let program = &self.program;
        for &number in &self.nonlinear {
            let number = number as usize;
            let r = &program.recurrences[number];
            let [f, g] = self.factors[number];
            let v = |a: Value| self.values[a.index()];
            let own = v(r.value);
            let companion = r.companion.map_or(own, v);
            // v_k = p a_k + q b_k + r·sum
            let (p, q, weight) = match program.tape.ops[r.value.index()] {
                Op::Mul(a, b) => (v(b) * f, v(a) * g, f * g),
                Op::Div(_, b) => {
                    let inverse = one / v(b);
                    let weight = -(g * inverse);
                    (f * inverse, own * weight, weight)
                }
                Op::Sqrt(_) => {
                    let half = S::from_f64(0.5) / own;
                    (f * half, S::default(), -half)
                }
                Op::Sin(_) => (f * companion, S::default(), f),
                Op::Cos(_) => (-(f * companion), S::default(), -f),
                Op::Exp(_) => (f * own, S::default(), f),
                Op::Log(a) => (f / v(a), S::default(), -(f / v(a))),
                Op::Atan2(y, x) => {
                    let inverse = one / companion;
                    let w = r.companion.map_or(Series::Constant, |w| program.series[w.index()]);
                    let h = if let Series::Multiple { factor, .. } = w { S::constant(factor) } else { S::default() };
                    let weights = [f * g * inverse, -(f * g * inverse), -(h * inverse)];
                    let used = if r.sums.len() == 3 { &weights[..] } else { &weights[2..] };
                    for (i, weight) in r.sums.clone().zip(used) {
                        set_weight(&mut self.products, &mut self.squares, self.place[i], *weight);
                    }
                    self.tangents[self.first[number] as usize].set(f * v(x) * inverse, -(g * v(y) * inverse));
                    continue;
                }
                Op::Input(_) | Op::Constant(_) | Op::Neg(_) | Op::Add(..) | Op::Sub(..) => continue,
            };
            self.tangents[self.first[number] as usize].set(p, q);
            if let Some(i) = r.sums.clone().next() {
                set_weight(&mut self.products, &mut self.squares, self.place[i], weight);
            }
        }
    }
}

/// All operations (J3), into the slots from `base` on.
fn propagate<S: Scalar>(tangents: &[Tangent<S>], sums: &[S], slots: &mut [S], base: usize) {
    for (i, t) in tangents.iter().enumerate() {
        let (a, b) = (slots[t.a as usize], slots[t.b as usize]);
        slots[base + i] = t.p * a + (t.q * b + sums[t.sum as usize]);
    }
}

fn set_weight<S: Scalar>(products: &mut [Block<S>], squares: &mut [Block<S>], place: u32, weight: S) {
    let (block, lane) = (place as usize / LANES, place as usize % LANES);
    let block = if block < products.len() { &mut products[block] } else { &mut squares[block - products.len()] };
    block.weight[lane] = weight;
}
