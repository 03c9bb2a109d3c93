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

use super::{ByParts, JetProgram, Series, SumKind};
use polhode_tape::{Builder, Bundle, Bundled, Dd, Op, Tape, Value, passes};

/// More orders together leave too few registers.
const MOST_TOGETHER: usize = 3;

/// A coefficient; none is zero.
type Coefficient = Option<Value>;

struct Unroller<'a, 'b> {
    program: &'a JetProgram,
    b: &'b mut Builder,
    order: usize,
    /// Components of the state whose values, rather than rates, are outputs of the tape.
    given: &'a [bool],
    /// Are factors multiplied with each other beforehand? That is less work, and rounded differently from the
    /// recurrences of single runs.
    gathered: bool,
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

/// v_k = r (p a_k + q b_k + Σ wᵢ sumᵢ), where r may be missing.
#[derive(Clone, Debug, Default)]
struct Factors {
    p: Coefficient,
    q: Coefficient,
    weights: Vec<Value>,
    r: Coefficient,
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
        let values = passes::replay(&self.tape, b, inputs);
        let unroller = Unroller::new(self, b, values, order, side_by_side);
        unroller.unroll()
    }
}

impl ByParts {
    /// The coefficients of the state, order by order from 1 on, written into a builder.
    pub fn unroll(&self, b: &mut Builder, inputs: &[Value], order: usize) -> Vec<Vec<Value>> {
        let program = self.program();
        let start = passes::repeat(&self.start, b, inputs);
        let inputs: Vec<Value> = inputs.iter().copied().chain(start).collect();
        let values = self.replay(&program.tape, b, &inputs);
        let plain = Unroller::new(&program, b, values, order, 1);
        let (mut all, _) = Unroller { given: &self.given, gathered: true, ..plain }.unroll();
        all.iter_mut().for_each(|row| row.truncate(self.given.len()));
        all
    }
}

impl<'a, 'b> Unroller<'a, 'b> {
    fn new(
        program: &'a JetProgram,
        b: &'b mut Builder,
        values: Vec<Value>,
        order: usize,
        side_by_side: usize,
    ) -> Unroller<'a, 'b> {
        let sums = &program.sums;
        let of_kind = |square: bool| -> Vec<usize> {
            (0..sums.len()).filter(|i| (sums[*i].kind == SumKind::Square) == square).collect()
        };
        let groups =
            [false, true].map(of_kind).iter().flat_map(|all| all.chunks(side_by_side)).map(<[usize]>::to_vec).collect();
        Unroller {
            program,
            order,
            given: &[],
            gathered: false,
            values,
            b,
            coefficients: vec![Vec::new(); program.tape.ops.len()],
            factors: Vec::with_capacity(program.recurrences.len()),
            groups,
            together: if side_by_side > 1 { 2 } else { MOST_TOGETHER },
            totals: vec![[None; MOST_TOGETHER]; sums.len()],
            bundles: Vec::new(),
        }
    }

    /// The highest order of sums.
    fn last(&self) -> usize {
        if self.given.contains(&true) { self.order } else { self.order - 1 }
    }

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
        // coefficients of the rates and their factors
        let mut rates: Vec<Option<(Value, Dd)>> =
            program.tape.outputs.iter().map(|o| Some((self.values[o.value.index()], Dd::ONE))).collect();
        let (zero, one) = (self.b.constant(Dd::ZERO), self.b.constant(Dd::ONE));
        for k in 1..=self.order {
            // (J1)
            let inverse = Dd::ONE / Dd::from(k as f64);
            let own: Vec<Coefficient> = (rates.iter())
                .map(|rate| rate.map(|(c, f)| self.scaled(c, f * inverse)).filter(|y| !self.is_zero(*y)))
                .collect();
            if k > self.last() {
                all.push(own.iter().map(|y| y.unwrap_or(zero)).collect());
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
            let mut row = own;
            for (i, o) in program.tape.outputs.iter().enumerate().filter(|(i, _)| self.given.get(*i) == Some(&true)) {
                row[i] = self.multiple(o.value, k);
            }
            all.push(row.into_iter().map(|y| y.unwrap_or(zero)).collect());
            rates = (program.tape.outputs.iter())
                .map(|o| match self.gathered {
                    true => self.unscaled(o.value, k),
                    false => self.multiple(o.value, k).map(|rate| (rate, Dd::ONE)),
                })
                .collect();
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
        self.unscaled(v, k).map(|(own, factor)| self.b.scale(own, factor))
    }

    /// The same, with a factor that is still to be multiplied with.
    fn unscaled(&self, v: Value, k: usize) -> Option<(Value, Dd)> {
        match self.program.series[v.index()] {
            Series::Constant => None,
            Series::Multiple { factor, of } => Some((self.own(of, k)?, factor)),
        }
    }

    /// k v_k, the coefficient of order k − 1 of the rate: that itself, where v is a component of the state.
    fn rate(&mut self, v: Value, k: usize) -> Coefficient {
        let program = self.program;
        match program.tape.ops[v.index()] {
            Op::Input(i @ 1..) if self.gathered && k == 1 => {
                Some(self.values[program.tape.outputs[i as usize - 1].value.index()])
            }
            Op::Input(i @ 1..) if self.gathered => self.multiple(program.tape.outputs[i as usize - 1].value, k - 1),
            _ => self.own(v, k).map(|c| self.b.scale(c, k as f64)),
        }
        .filter(|c| !self.is_zero(*c))
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
                Factors { p, q, ..Factors::default() }
            }
            Op::Mul(x, y) => {
                let (f, g, x, y) = (factor(x), factor(y), of(x), of(y));
                let p = f.map(|f| self.scaled(y, f));
                let q = g.map(|g| self.scaled(x, g));
                let weights = f.zip(g).map(|(f, g)| self.b.constant(f * g)).into_iter().collect();
                Factors { p, q, weights, r: None }
            }
            Op::Div(x, y) => {
                let (f, g, y) = (factor(x), factor(y), of(y));
                let one = self.b.constant(Dd::ONE);
                match g {
                    // −g/y₀ (v₀ b_k + sum − f/g a_k)
                    Some(g) if self.gathered => {
                        let scale = self.b.constant(-g);
                        let p = f.map(|f| self.b.constant(-(f / g)));
                        Factors { p, q: Some(own), weights: vec![one], r: Some(self.b.div(scale, y)) }
                    }
                    _ => {
                        let inverse = self.b.div(one, y);
                        let p = f.map(|f| self.scaled(inverse, f));
                        let weight = g.map(|g| self.scaled(inverse, -g));
                        let q = weight.map(|w| self.b.mul(own, w));
                        Factors { p, q, weights: weight.into_iter().collect(), r: None }
                    }
                }
            }
            Op::Sqrt(x) => {
                let f = factor(x);
                let half = self.b.constant(Dd::from(0.5));
                let half = self.b.div(half, own);
                let p = f.map(|f| self.scaled(half, f));
                let weight = self.b.neg(half);
                Factors { p, q: None, weights: vec![weight], r: None }
            }
            op @ (Op::Sin(x) | Op::Cos(x) | Op::Exp(x)) => {
                let f = factor(x).map(|f| if matches!(op, Op::Cos(_)) { -f } else { f });
                let other = companion.unwrap_or(own);
                let p = f.map(|f| self.scaled(other, f));
                let weights = f.map(|f| self.b.constant(f)).into_iter().collect();
                Factors { p, q: None, weights, r: None }
            }
            Op::Log(x) => {
                let (f, x) = (factor(x), of(x));
                let p = f.map(|f| {
                    let f = self.b.constant(f);
                    self.b.div(f, x)
                });
                let weights = p.map(|p| self.b.neg(p)).into_iter().collect();
                Factors { p, q: None, weights, r: None }
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
                Factors { p, q, weights, r: None }
            }
            Op::Input(_) | Op::Constant(_) | Op::Neg(_) => unreachable!("these have no recurrence"),
        }
    }

    fn scaled(&mut self, v: Value, factor: Dd) -> Value {
        let factor = self.b.constant(factor);
        self.b.mul(v, factor)
    }

    /// f (g v).
    fn scaled_twice(&mut self, v: Value, g: Dd, f: Dd) -> Value {
        if self.gathered {
            return self.scaled(v, f * g);
        }
        let v = self.scaled(v, g);
        self.scaled(v, f)
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
            let inverse = Dd::ONE / Dd::from(k as f64);
            let term = match (program.sums[i].kind, self.b.op(*weight)) {
                (SumKind::Rate, Op::Constant(weight)) => self.scaled_twice(sum, weight, inverse),
                (SumKind::Rate, _) => {
                    let term = self.b.mul(*weight, sum);
                    self.scaled(term, inverse)
                }
                _ => self.b.mul(*weight, sum),
            };
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
        if let Some((r, whole)) = factors.r.zip(total) {
            total = Some(self.b.mul(r, whole));
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
                    for more in 0..self.together.min(j).min(self.last() + 1 - k) {
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
            let x = if sum.kind == SumKind::Rate { self.rate(sum.left, j) } else { self.own(sum.left, j) };
            let (Some(x), Some(y)) = (x, self.own(sum.right, other)) else { continue };
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
