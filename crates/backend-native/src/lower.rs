//! From a tape to steps.
//!
//! Operations of a bundle become one step on wide values. A wide operand is a wide result where all of its numbers are
//! the numbers of one; else it is packed, and kept for the next bundle that wants the same. A number of a wide result
//! that anything else reads is unpacked.

use crate::contract::Contractions;
use crate::elementary;
use crate::steps::{Binary, Function, Fused, SideBySide, Steps, Unary, V};
use polhode_tape::{Bundle, Op, Scalar, Tape, Value};
use std::collections::HashMap;

/// The steps of a tape. Outputs are stored as soon as they are computed.
pub(crate) fn lower(tape: &Tape, contractions: &Contractions) -> Steps {
    lower_bundled(tape, contractions, &[], SideBySide::Four)
}

/// The same, with bundles of at most so many operations as wide steps.
pub(crate) fn lower_bundled(tape: &Tape, contractions: &Contractions, bundles: &[Bundle], most: SideBySide) -> Steps {
    let mut outputs: Vec<Vec<u32>> = vec![Vec::new(); tape.ops.len()];
    for (o, output) in tape.outputs.iter().enumerate() {
        outputs[output.value.index()].push(o as u32);
    }
    let mut lowering = Lowering {
        tape,
        contractions,
        live: tape.live(),
        outputs,
        values: vec![None; tape.ops.len()],
        lanes: vec![None; tape.ops.len()],
        packed: HashMap::new(),
        factors: HashMap::new(),
        s: Steps::with(most),
    };
    // each operation belongs to the first bundle that has it and whose last operation comes before any reader
    let mut reader = vec![usize::MAX; tape.ops.len()];
    for (k, op) in tape.ops.iter().enumerate().rev() {
        op.operands().for_each(|a| reader[a.index()] = k);
    }
    let mut bundle_of: Vec<Option<usize>> = vec![None; tape.ops.len()];
    let mut last = vec![0; bundles.len()];
    for (number, bundle) in bundles.iter().enumerate() {
        last[number] = bundle.values.iter().map(|v| v.index()).max().unwrap_or(0);
        let is_free = |v: &Value| bundle_of[v.index()].is_none() && reader[v.index()] > last[number];
        if bundle.values.len() <= most.count() && bundle.values.iter().all(is_free) && lowering.is_uniform(bundle) {
            bundle.values.iter().for_each(|v| bundle_of[v.index()] = Some(number));
        }
    }
    for k in 0..tape.ops.len() {
        match bundle_of[k] {
            Some(number) if last[number] == k => lowering.wide(&bundles[number]),
            Some(_) => {}
            None => lowering.single(k),
        }
    }
    lowering.s
}

struct Lowering<'a> {
    tape: &'a Tape,
    contractions: &'a Contractions,
    live: Vec<bool>,
    outputs: Vec<Vec<u32>>,
    values: Vec<Option<V>>,
    /// The wide value that has a value, and where in it.
    lanes: Vec<Option<(V, u8)>>,
    packed: HashMap<Vec<Value>, V>,
    /// The factors of products that are contracted, in the order of their bundle.
    factors: HashMap<&'a [Value], (&'a [Value], &'a [Value])>,
    s: Steps,
}

impl<'a> Lowering<'a> {
    /// The value as a single one.
    fn of(&mut self, a: Value) -> V {
        if let Some(v) = self.values[a.index()] {
            return v;
        }
        let (wide, lane) = self.lanes[a.index()].expect("operands come first and are live");
        let v = self.s.unpack(wide, lane);
        self.values[a.index()] = Some(v);
        v
    }

    /// a b + c and the like, where ab is the product that is contracted.
    fn fused(&mut self, op: Fused, product: Value, c: Value) -> V {
        match self.tape.ops[product.index()] {
            Op::Mul(a, b) => {
                let (a, b, c) = (self.of(a), self.of(b), self.of(c));
                self.s.fused(op, a, b, c)
            }
            _ => unreachable!("a product"),
        }
    }

    fn single(&mut self, k: usize) {
        if !self.live[k] || self.contractions.absorbs(k) {
            return;
        }
        let both = |s: &mut Self, op: fn(&mut Steps, V, V) -> V, a, b| {
            let (a, b) = (s.of(a), s.of(b));
            op(&mut s.s, a, b)
        };
        let one = |s: &mut Self, f: fn(&mut Steps, V) -> V, a| {
            let a = s.of(a);
            f(&mut s.s, a)
        };
        let v = match (self.tape.ops[k], self.contractions.product_of(k)) {
            (Op::Add(a, b), Some(p)) => self.fused(Fused::MulAdd, p, if p == a { b } else { a }),
            (Op::Sub(a, b), Some(p)) if p == a => self.fused(Fused::MulSub, p, b),
            (Op::Sub(a, _), Some(p)) => self.fused(Fused::SubMul, p, a),
            (Op::Input(i), _) => self.s.input(i),
            (Op::Constant(c), _) => self.s.constant(f64::constant(c)),
            (Op::Neg(a), _) => one(self, Steps::neg, a),
            (Op::Add(a, b), _) => both(self, Steps::add, a, b),
            (Op::Sub(a, b), _) => both(self, Steps::sub, a, b),
            (Op::Mul(a, b), _) => both(self, Steps::mul, a, b),
            (Op::Div(a, b), _) => both(self, |s, a, b| s.two(Binary::Div, a, b), a, b),
            (Op::Sqrt(a), _) => one(self, |s, a| s.one(Unary::Sqrt, a), a),
            (Op::Sin(a), _) if self.live.get(k + 1) == Some(&true) && self.tape.ops[k + 1] == Op::Cos(a) => {
                let a = self.of(a);
                let (sine, cosine) = elementary::sin_cos(&mut self.s, Function::SinCos, a);
                self.values[k + 1] = Some(cosine);
                sine
            }
            (Op::Sin(a), _) => one(self, |s, a| elementary::sin_cos(s, Function::Sin, a).0, a),
            (Op::Cos(_), _) if self.values[k].is_some() => self.of(Value(k as u32)),
            (Op::Cos(a), _) => one(self, |s, a| elementary::sin_cos(s, Function::Cos, a).1, a),
            (Op::Exp(a), _) => one(self, elementary::exp, a),
            (Op::Log(a), _) => one(self, elementary::log, a),
            (Op::Atan2(a, b), _) => both(self, elementary::atan2, a, b),
        };
        self.values[k] = Some(v);
        for o in std::mem::take(&mut self.outputs[k]) {
            self.s.store(o, v);
        }
    }

    /// Are the operations of a bundle all products, all sums or all contracted sums?
    fn is_uniform(&self, bundle: &Bundle) -> bool {
        let kind = |v: &Value, right: &Value| {
            let product = self.contractions.product_of(v.index());
            match self.tape.ops[v.index()] {
                Op::Mul(..) => Some((0, self.contractions.absorbs(v.index()))),
                Op::Add(..) if product == Some(*right) => Some((1, true)),
                Op::Add(..) if product.is_none() => Some((1, false)),
                _ => None,
            }
        };
        let mut kinds = bundle.values.iter().zip(&bundle.right).map(|(v, right)| kind(v, right));
        let first = kinds.next().flatten();
        first.is_some() && kinds.all(|k| k == first) && bundle.values.iter().all(|v| self.outputs[v.index()].is_empty())
    }

    /// Computes a bundle.
    fn wide(&mut self, bundle: &'a Bundle) {
        let first = bundle.values[0].index();
        if self.contractions.absorbs(first) {
            self.factors.insert(&bundle.values, (&bundle.left, &bundle.right));
            return;
        }
        let left = self.wide_operand(&bundle.left);
        let d = match (self.tape.ops[first], self.contractions.product_of(first)) {
            (Op::Mul(..), _) => {
                let right = self.wide_operand(&bundle.right);
                self.s.two(Binary::Mul, left, right)
            }
            (_, None) => {
                let right = self.wide_operand(&bundle.right);
                self.s.two(Binary::Add, left, right)
            }
            (_, Some(_)) => {
                let (a, b) = self.factors_of(&bundle.right);
                let (a, b) = (self.wide_operand(&a), self.wide_operand(&b));
                self.s.fused(Fused::MulAdd, a, b, left)
            }
        };
        for (lane, v) in bundle.values.iter().enumerate() {
            self.lanes[v.index()] = Some((d, lane as u8));
        }
    }

    fn factors_of(&self, products: &[Value]) -> (Vec<Value>, Vec<Value>) {
        if let Some((a, b)) = self.factors.get(products) {
            return (a.to_vec(), b.to_vec());
        }
        let factors = products.iter().map(|p| match self.tape.ops[p.index()] {
            Op::Mul(a, b) => (a, b),
            _ => unreachable!("a product"),
        });
        factors.unzip()
    }

    fn wide_operand(&mut self, numbers: &[Value]) -> V {
        let lane = |k: usize| self.lanes[numbers[k].index()];
        if let Some((wide, 0)) = lane(0)
            && (1..numbers.len()).all(|k| lane(k) == Some((wide, k as u8)))
        {
            return wide;
        }
        if let Some(v) = self.packed.get(numbers) {
            return *v;
        }
        // missing numbers are those of the first operation once more
        let count = self.s.side_by_side.count();
        let lanes = (0..count).map(|k| self.of(*numbers.get(k).unwrap_or(&numbers[0]))).collect();
        let v = self.s.pack(lanes);
        self.packed.insert(numbers.to_vec(), v);
        v
    }
}
