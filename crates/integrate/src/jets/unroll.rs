//! The recurrences (J1), (J3) up to an order as one tape, for compilers.
//!
//! ```text
//! inputs  t, y₁ … yₙ        outputs  y_{k,i}, order by order from k = 1
//! ```
//!
//! Nothing is looped and nothing is looked up: coefficients that vanish leave no trace, factors of
//! one are not multiplied.
//!
//! Sums of one order do not depend on each other. [`JetProgram::bundled`] tells which operations of several sums are
//! alike, so that a compiler can do them in one vector even for a single motion.

use super::{JetProgram, Series, SumKind};
use polhode_tape::{Builder, Bundle, Bundled, Dd, Op, Tape, Value, passes};

/// More orders together leave too few registers.
const MOST_TOGETHER: usize = 3;

/// A coefficient; none is zero.
type Coefficient = Option<Value>;

struct Unroller<'a, 'b> {
    program: &'a JetProgram,
    b: &'b mut Builder,
    order: usize,
    /// Order 0 of each value.
    values: Vec<Value>,
    /// By value and order, for values that series refer to; those of order 0 are in `values`.
    coefficients: Vec<Vec<Coefficient>>,
    /// Factors that belong to order 0, by recurrence.
    factors: Vec<Factors>,
    /// Sums that are added up side by side.
    groups: Vec<Vec<usize>>,
    /// Orders whose sums are begun together.
    together: usize,
    /// By sum, what there is of it for the orders that were begun together.
    totals: Vec<[Coefficient; MOST_TOGETHER]>,
    bundles: Vec<Bundle>,
}

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
        self.bundled(order, 1).tape
    }

    /// The same, with operations on up to so many numbers side by side.
    pub fn bundled(&self, order: usize, side_by_side: usize) -> Bundled {
        let mut b = Builder::new();
        let inputs: Vec<Value> = self.tape.inputs.iter().map(|name| b.input(name)).collect();
        let (coefficients, bundles) = self.unroll(&mut b, &inputs, order, side_by_side);
        for (k, coefficients) in coefficients.into_iter().enumerate() {
            for (name, c) in self.tape.inputs[1..].iter().zip(coefficients) {
                b.output(format!("{name}[{}]", k + 1), c);
            }
        }
        passes::finish_bundled(b, bundles)
    }

    /// Writes the recurrences into a builder: the coefficients of the state, order by order from 1 on, and what
    /// can be done side by side.
    pub fn unroll(
        &self,
        b: &mut Builder,
        inputs: &[Value],
        order: usize,
        side_by_side: usize,
    ) -> (Vec<Vec<Value>>, Vec<Bundle>) {
        let of_kind = |square: bool| -> Vec<usize> {
            (0..self.sums.len()).filter(|i| (self.sums[*i].kind == SumKind::Square) == square).collect()
        };
        let groups =
            [false, true].map(of_kind).iter().flat_map(|all| all.chunks(side_by_side)).map(<[usize]>::to_vec).collect();
        let unroller = Unroller {
            program: self,
            order,
            values: passes::replay(&self.tape, b, inputs),
            b,
            coefficients: vec![Vec::new(); self.tape.ops.len()],
            factors: Vec::with_capacity(self.recurrences.len()),
            groups,
            together: if side_by_side > 1 { 2 } else { MOST_TOGETHER },
            totals: vec![[None; MOST_TOGETHER]; self.sums.len()],
            bundles: Vec::new(),
        };
        unroller.unroll()
    }
}

impl Unroller<'_, '_> {
    fn unroll(mut self) -> (Vec<Vec<Value>>, Vec<Bundle>) {
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
            self.add_up(k);
            for r in 0..program.recurrences.len() {
                let v = program.recurrences[r].value.index();
                let next = self.next(r, k);
                self.coefficients[v].push(next);
            }
            rates = program.tape.outputs.iter().map(|o| self.multiple(o.value, k)).collect();
        }
        (all, self.bundles)
    }

    fn is_zero(&self, v: Value) -> bool {
        matches!(self.b.op(v), Op::Constant(c) if c == Dd::ZERO)
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
        let op = program.tape.ops[recurrence.value.index()];
        let factors = std::mem::take(&mut self.factors[r]);
        let (mut total, mut late) = (None, Vec::new());
        for (place, (i, weight)) in recurrence.sums.clone().zip(&factors.weights).enumerate() {
            let Some(sum) = self.finished(i, k) else { continue };
            let mut term = self.b.mul(*weight, sum);
            if program.sums[i].kind == SumKind::Rate {
                let inverse = self.b.constant(Dd::ONE / Dd::from(k as f64));
                term = self.b.mul(inverse, term);
            }
            // ⟨v′,w⟩ of an angle is the last of all
            if place == 0 && !(matches!(op, Op::Atan2(..)) && recurrence.sums.len() == 1) {
                total = Some(term);
            } else {
                late.push(term);
            }
        }
        // the operand that was computed last comes last
        let mut linear: Vec<(Value, Value)> = Vec::with_capacity(2);
        for (operand, factor) in op.operands().zip([factors.p, factors.q]) {
            if let (Some(factor), Series::Multiple { of, .. }) = (factor, program.series[operand.index()]) {
                linear.extend(self.own(of, k).map(|c| (c, factor)));
            }
        }
        linear.sort_by_key(|(c, _)| c.0);
        for (c, factor) in linear {
            let term = self.b.mul(c, factor);
            total = Some(self.plus(total, term));
        }
        for term in late {
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

    /// Brings the sums (J2) of order k up to date.
    ///
    /// Sums of several orders are begun together, with all terms that are known by then: they multiply the same
    /// coefficients with neighbouring ones, so that a machine need not load them again. Terms 2, 3, … come before the
    /// first, which has to wait longest.
    fn add_up(&mut self, k: usize) {
        if k == 1 {
            return;
        }
        let ahead = (k - 2) % self.together;
        let begun = k - ahead;
        for group in 0..self.groups.len() {
            if ahead == 0 {
                self.groups[group].iter().for_each(|i| self.totals[*i] = [None; MOST_TOGETHER]);
                for j in 2..k {
                    // order k + more has known terms from j = more + 1 on
                    for more in 0..self.together.min(j).min(self.order - k) {
                        self.term(group, j, k + more, more);
                    }
                }
                self.term(group, 1, k, 0);
            } else {
                for late in begun.max(k.div_ceil(2))..k {
                    self.term(group, late, k, ahead);
                    if 2 * late != k {
                        self.term(group, k - late, k, ahead);
                    }
                }
            }
        }
    }

    /// Adds a_j b_{k−j} to the sums of a group that were begun `ahead` orders before, to those of squares where j < k − j.
    fn term(&mut self, group: usize, j: usize, k: usize, ahead: usize) {
        let other = k - j;
        let (mut left, mut right, mut before, mut who) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for place in 0..self.groups[group].len() {
            let i = self.groups[group][place];
            let sum = self.program.sums[i];
            if sum.kind == SumKind::Square && j >= other {
                return;
            }
            let (Some(mut x), Some(y)) = (self.own(sum.left, j), self.own(sum.right, other)) else { continue };
            if sum.kind == SumKind::Rate {
                let times = self.b.constant(Dd::from(j as f64));
                x = self.b.mul(x, times);
            }
            left.push(x);
            right.push(y);
            before.push(self.totals[i][ahead]);
            who.push(i);
        }
        let products: Vec<Value> = left.iter().zip(&right).map(|(x, y)| self.b.mul(*x, *y)).collect();
        let mut after = Vec::with_capacity(who.len());
        for (place, i) in who.iter().enumerate() {
            let total = self.plus(before[place], products[place]);
            self.totals[*i][ahead] = Some(total);
            after.push(total);
        }
        // what was computed just now goes its way alone, which is shorter
        let is_fresh = j.max(other) + 1 == k;
        if who.len() > 1 && !is_fresh {
            self.bundles.push(Bundle { values: products.clone(), left, right });
            if let Some(before) = before.into_iter().collect::<Option<Vec<Value>>>() {
                self.bundles.push(Bundle { values: after, left: before, right: products });
            }
        }
    }

    /// A sum (J2) of order k, without its weight.
    fn finished(&mut self, i: usize, k: usize) -> Coefficient {
        if k == 1 {
            return None;
        }
        let total = self.totals[i][(k - 2) % self.together];
        let sum = self.program.sums[i];
        if sum.kind != SumKind::Square {
            return total;
        }
        let twice = total.map(|total| self.b.add(total, total));
        let middle = if k.is_multiple_of(2) { self.own(sum.left, k / 2) } else { None };
        let Some(middle) = middle else { return twice };
        let square = self.b.mul(middle, middle);
        Some(self.plus(twice, square))
    }
}
