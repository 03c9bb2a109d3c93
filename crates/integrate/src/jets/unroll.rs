//! The recurrences (J1), (J3) up to an order as one tape, for compilers.
//!
//! ```text
//! inputs  t, y₁ … yₙ        outputs  y_{k,i}, order by order from k = 1
//! ```
//!
//! Nothing is looped and nothing is looked up: coefficients that vanish leave no trace, factors of
//! one are not multiplied, and j a_j of an angle that is a component of the state is a coefficient
//! of its rate, which is there already. The terms of a sum that involve the order before come last,
//! so that the others need not wait for it.

use super::{JetProgram, Series, SumKind};
use polhode_tape::{Builder, Dd, Op, Tape, Value, passes};

/// A coefficient; none is zero.
type Coefficient = Option<Value>;

struct Unroller<'a, 'b> {
    program: &'a JetProgram,
    b: &'b mut Builder,
    /// Order 0 of each value.
    values: Vec<Value>,
    /// By value and order, for values that series refer to; those of order 0 are in `values`.
    coefficients: Vec<Vec<Coefficient>>,
    /// j a_j by value and order, for left operands of rates that are no components of the state.
    slopes: Vec<Vec<Coefficient>>,
    /// Factors that belong to order 0, by recurrence.
    factors: Vec<Factors>,
    /// By sum, what is known of orders that were begun together.
    begun: Vec<[Coefficient; TOGETHER]>,
    order: usize,
}

/// Orders whose sums are begun together.
const TOGETHER: usize = 3;

/// v_k = p a_k + q b_k + Σ wᵢ sumᵢ.
#[derive(Clone, Debug, Default)]
struct Factors {
    p: Coefficient,
    q: Coefficient,
    weights: Vec<Value>,
}

impl JetProgram {
    /// The coefficients of orders 1 … `order` of the state as functions of time and state.
    pub fn unrolled(&self, order: usize) -> Tape {
        let mut b = Builder::new();
        let inputs: Vec<Value> = self.tape.inputs.iter().map(|name| b.input(name)).collect();
        for (k, coefficients) in self.unroll(&mut b, &inputs, order).into_iter().enumerate() {
            for (name, c) in self.tape.inputs[1..].iter().zip(coefficients) {
                b.output(format!("{name}[{}]", k + 1), c);
            }
        }
        passes::finish_in_order(b)
    }

    /// Writes the recurrences into a builder: the coefficients of the state, order by order from 1 on.
    pub fn unroll(&self, b: &mut Builder, inputs: &[Value], order: usize) -> Vec<Vec<Value>> {
        let values = passes::replay(&self.tape, b, inputs);
        let n = self.tape.ops.len();
        let factors = Vec::with_capacity(self.recurrences.len());
        let (coefficients, slopes) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let begun = vec![[None; TOGETHER]; self.sums.len()];
        Unroller { program: self, b, values, coefficients, slopes, factors, begun, order }.unroll()
    }
}

impl Unroller<'_, '_> {
    fn unroll(mut self) -> Vec<Vec<Value>> {
        let program = self.program;
        let states: Vec<(usize, usize)> = (program.tape.ops.iter().enumerate())
            .filter_map(|(k, op)| if let Op::Input(i) = op { Some((k, *i as usize)) } else { None })
            .collect();
        for r in 0..program.recurrences.len() {
            let factors = self.order_zero_factors(r);
            self.factors.push(factors);
        }
        let mut all = Vec::with_capacity(self.order);
        let mut rates: Vec<Coefficient> =
            program.tape.outputs.iter().map(|o| Some(self.values[o.value.index()])).collect();
        let (zero, one) = (self.b.constant(Dd::ZERO), self.b.constant(Dd::ONE));
        for k in 1..=self.order {
            // (J1)
            let inverse = self.b.constant(Dd::ONE / Dd::from(k as f64));
            let own: Vec<Coefficient> = (rates.iter())
                .map(|rate| rate.map(|rate| self.b.mul(rate, inverse)).filter(|y| !self.is_zero(*y)))
                .collect();
            all.push(own.iter().map(|y| y.unwrap_or(zero)).collect());
            if k == self.order {
                break;
            }
            for (value, input) in &states {
                let y = if *input == 0 { (k == 1).then_some(one) } else { own[*input - 1] };
                self.coefficients[*value].push(y);
            }
            for r in 0..program.recurrences.len() {
                let v = program.recurrences[r].value.index();
                let next = self.next(r, k);
                self.coefficients[v].push(next);
                if self.has_slopes(v) {
                    let times = self.b.constant(Dd::from(k as f64));
                    let slope = next.map(|c| self.b.mul(c, times));
                    self.slopes[v].push(slope);
                }
            }
            rates = program.tape.outputs.iter().map(|o| self.multiple(o.value, k)).collect();
        }
        all
    }

    fn is_zero(&self, v: Value) -> bool {
        matches!(self.b.op(v), Op::Constant(c) if c == Dd::ZERO)
    }

    /// Is j a_j of a value needed that is no component of the state?
    fn has_slopes(&self, v: usize) -> bool {
        self.program.sums.iter().any(|s| s.kind == SumKind::Rate && s.left.index() == v)
    }

    /// The coefficient of order k ≥ 1 of a value with a recurrence, of the time or of a component of the state.
    fn own(&self, v: Value, k: usize) -> Coefficient {
        self.coefficients[v.index()][k - 1]
    }

    /// The coefficient of order k ≥ 1 of any value.
    fn multiple(&mut self, v: Value, k: usize) -> Coefficient {
        match self.program.series[v.index()] {
            Series::Constant => None,
            Series::Multiple { factor, of } => {
                let own = self.own(of, k)?;
                let factor = self.b.constant(factor);
                Some(self.b.mul(factor, own))
            }
        }
    }

    /// j a_j.
    fn slope(&mut self, a: Value, j: usize) -> Coefficient {
        match self.program.tape.ops[a.index()] {
            Op::Input(0) => self.own(a, j),
            Op::Input(i) => {
                let rate = self.program.tape.outputs[i as usize - 1].value;
                if j == 1 { Some(self.values[rate.index()]) } else { self.multiple(rate, j - 1) }
            }
            _ => self.slopes[a.index()][j - 1],
        }
    }

    fn series_factor(&self, v: Value) -> Option<Dd> {
        match self.program.series[v.index()] {
            Series::Constant => None,
            Series::Multiple { factor, .. } => Some(factor),
        }
    }

    /// The factors of (J3), without those of operands that are constant.
    fn order_zero_factors(&mut self, r: usize) -> Factors {
        let program = self.program;
        let recurrence = &program.recurrences[r];
        let of = |v: Value| self.values[v.index()];
        let (own, companion) = (of(recurrence.value), recurrence.companion.map(of));
        let factor = |v: Value| self.series_factor(v);
        match program.tape.ops[recurrence.value.index()] {
            op @ (Op::Add(x, y) | Op::Sub(x, y)) => {
                let (f, g) = (factor(x), factor(y));
                let p = f.map(|f| self.b.constant(f));
                let q = g.map(|g| self.b.constant(if matches!(op, Op::Sub(..)) { -g } else { g }));
                Factors { p, q, weights: Vec::new() }
            }
            Op::Mul(x, y) => {
                let (f, g, x, y) = (factor(x), factor(y), of(x), of(y));
                let p = f.map(|f| self.scaled(y, f));
                let q = g.map(|g| self.scaled(x, g));
                let weights = f.zip(g).map(|(f, g)| self.b.constant(f * g)).into_iter().collect();
                Factors { p, q, weights }
            }
            Op::Div(x, y) => {
                let (f, g, y) = (factor(x), factor(y), of(y));
                let one = self.b.constant(Dd::ONE);
                let inverse = self.b.div(one, y);
                let p = f.map(|f| self.scaled(inverse, f));
                let weight = g.map(|g| self.scaled(inverse, -g));
                let q = weight.map(|w| self.b.mul(own, w));
                Factors { p, q, weights: weight.into_iter().collect() }
            }
            Op::Sqrt(x) => {
                let f = factor(x);
                let half = self.b.constant(Dd::from(0.5));
                let half = self.b.div(half, own);
                let p = f.map(|f| self.scaled(half, f));
                let weight = self.b.neg(half);
                Factors { p, q: None, weights: vec![weight] }
            }
            op @ (Op::Sin(x) | Op::Cos(x) | Op::Exp(x)) => {
                let f = factor(x).map(|f| if matches!(op, Op::Cos(_)) { -f } else { f });
                let other = companion.unwrap_or(own);
                let p = f.map(|f| self.scaled(other, f));
                let weights = f.map(|f| self.b.constant(f)).into_iter().collect();
                Factors { p, q: None, weights }
            }
            Op::Log(x) => {
                let (f, x) = (factor(x), of(x));
                let p = f.map(|f| {
                    let f = self.b.constant(f);
                    self.b.div(f, x)
                });
                let weights = p.map(|p| self.b.neg(p)).into_iter().collect();
                Factors { p, q: None, weights }
            }
            Op::Atan2(y, x) => {
                let (f, g, x, y) = (factor(y), factor(x), of(x), of(y));
                let h = recurrence.companion.and_then(|w| self.series_factor(w));
                let one = self.b.constant(Dd::ONE);
                let inverse = self.b.div(one, companion.expect("w of an angle"));
                let scaled = |s: &mut Self, v: Value, f: Dd| {
                    let v = s.b.mul(v, inverse);
                    s.scaled(v, f)
                };
                let p = f.map(|f| scaled(self, x, f));
                let q = g.map(|g| scaled(self, y, -g));
                let mut weights = Vec::new();
                if let Some((f, g)) = f.zip(g) {
                    weights.push(self.scaled(inverse, f * g));
                    weights.push(self.scaled(inverse, -(f * g)));
                }
                weights.extend(h.map(|h| self.scaled(inverse, -h)));
                Factors { p, q, weights }
            }
            Op::Input(_) | Op::Constant(_) | Op::Neg(_) => unreachable!("these have no recurrence"),
        }
    }

    fn scaled(&mut self, v: Value, factor: Dd) -> Value {
        let factor = self.b.constant(factor);
        self.b.mul(v, factor)
    }

    /// v_k by (J3).
    fn next(&mut self, r: usize, k: usize) -> Coefficient {
        let program = self.program;
        let recurrence = &program.recurrences[r];
        let factors = std::mem::take(&mut self.factors[r]);
        let mut total = None;
        for (i, weight) in recurrence.sums.clone().zip(&factors.weights) {
            let Some(sum) = self.sum(i, k) else { continue };
            let mut term = self.b.mul(*weight, sum);
            if program.sums[i].kind == SumKind::Rate {
                let inverse = self.b.constant(Dd::ONE / Dd::from(k as f64));
                term = self.b.mul(inverse, term);
            }
            total = Some(self.plus(total, term));
        }
        // the operand that was computed last comes last
        let mut operands = program.tape.ops[recurrence.value.index()].operands();
        let mut linear: Vec<(Value, Value)> = Vec::with_capacity(2);
        for factor in [factors.p, factors.q] {
            let operand = operands.next();
            if let (Some(factor), Some(operand)) = (factor, operand) {
                if let Series::Multiple { of, .. } = program.series[operand.index()] {
                    linear.extend(self.own(of, k).map(|c| (c, factor)));
                }
            }
        }
        linear.sort_by_key(|(c, _)| c.0);
        for (c, factor) in linear {
            let term = self.b.mul(c, factor);
            total = Some(self.plus(total, term));
        }
        self.factors[r] = factors;
        total
    }

    fn plus(&mut self, total: Coefficient, term: Value) -> Value {
        match total {
            Some(total) => self.b.add(total, term),
            None => term,
        }
    }

    /// A sum (J2) of order k, without its weight.
    ///
    /// Several orders are begun together, with the terms that are known by then: neighbouring orders
    /// multiply the same coefficients with neighbouring ones, so that a machine need not load them again.
    fn sum(&mut self, i: usize, k: usize) -> Coefficient {
        let begun = k - (k - 1) % TOGETHER;
        if k == begun {
            let mut totals = [None; TOGETHER];
            // what was computed last comes last
            let wanted = TOGETHER.min(self.order - k);
            for j in (2..k).chain([1]) {
                for (more, total) in totals[..wanted].iter_mut().enumerate() {
                    self.term(i, j, k + more, k - 1, total);
                }
            }
            self.begun[i] = totals;
        }
        let mut total = self.begun[i][k - begun];
        for later in begun.max(k.div_ceil(2))..k {
            self.term(i, k - later, k, k - 1, &mut total);
            if 2 * later != k {
                self.term(i, later, k, k - 1, &mut total);
            }
        }
        match self.program.sums[i].kind {
            SumKind::Square => total.map(|total| self.b.add(total, total)),
            SumKind::Product | SumKind::Rate => total,
        }
    }

    /// Adds a_j b_{k−j} where both orders are at most `known`. Of a square every pair is taken once, for half the sum.
    fn term(&mut self, i: usize, j: usize, k: usize, known: usize, total: &mut Coefficient) {
        let sum = self.program.sums[i];
        let Some(other) = k.checked_sub(j).filter(|other| (1..=known).contains(other) && j <= known) else { return };
        let x = match sum.kind {
            SumKind::Square if j > other => return,
            SumKind::Rate => self.slope(sum.left, j),
            SumKind::Square | SumKind::Product => self.own(sum.left, j),
        };
        let (Some(x), Some(y)) = (x, self.own(sum.right, other)) else { return };
        let mut product = self.b.mul(x, y);
        if sum.kind == SumKind::Square && j == other {
            let half = self.b.constant(Dd::from(0.5));
            product = self.b.mul(half, product);
        }
        *total = Some(self.plus(*total, product));
    }
}
