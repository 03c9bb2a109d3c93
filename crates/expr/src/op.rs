//! Constructors: sums, products, powers and functions in their stored form.
//!
//! Each constructor normalises what can be seen from its operands alone: it
//! flattens, collects like terms, folds numbers, pulls rational content out of
//! sums that become factors, and uses the parity and the exact values of the
//! functions. It never distributes a product over a sum, except a number.

use crate::budget::NUMBER_BITS;
use crate::graph::{Exponent, Expr, Function, Graph, NamedFunction, Node};
use crate::number::{Rational, as_i64, exact_sqrt, int, is_negative, pow_int, ratio};
use dashu_int::ops::{BitTest, Gcd};
use dashu_int::{IBig, UBig};
use rustc_hash::FxHashMap;

/// Products with more factors than this become one factor of a larger product. Otherwise
/// the chain rule on n functions one inside the other would need n²/2 factors.
const MAX_FACTORS: usize = 40;

/// The bits of numerator and denominator together.
fn bits(r: &Rational) -> usize {
    r.numerator().bit_len() + r.denominator().bit_len()
}

impl Graph {
    /// `a + b`.
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        self.sum([a, b])
    }

    /// `a − b`.
    pub fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        self.linear([(a, int(1)), (b, int(-1))])
    }

    /// `−a`.
    pub fn neg(&mut self, a: Expr) -> Expr {
        self.scale(a, &int(-1))
    }

    /// `a · b`.
    pub fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        self.product([a, b])
    }

    /// `a / b`. A zero divisor gives a node that evaluates nowhere, never a panic.
    pub fn div(&mut self, a: Expr, b: Expr) -> Expr {
        let inverse = self.powi(b, -1);
        self.mul(a, inverse)
    }

    /// `r · a` with a number `r`.
    pub fn scale(&mut self, a: Expr, r: &Rational) -> Expr {
        self.linear([(a, r.clone())])
    }

    /// The sum of the given expressions.
    pub fn sum(&mut self, items: impl IntoIterator<Item = Expr>) -> Expr {
        self.linear(items.into_iter().map(|e| (e, int(1))).collect::<Vec<_>>())
    }

    /// `Σ r·e` over pairs of an expression and a number.
    pub fn linear(&mut self, items: impl IntoIterator<Item = (Expr, Rational)>) -> Expr {
        let mut constant = int(0);
        let mut terms: Vec<(Expr, Rational)> = Vec::new();
        for (e, r) in items {
            if r.is_zero() {
                continue;
            }
            match self.node(e) {
                Node::Number(c) if constant.is_zero() || bits(&constant) + bits(c) + bits(&r) <= NUMBER_BITS => {
                    constant += c * r;
                }
                Node::Sum { constant: c, terms: inner } => {
                    constant += c * &r;
                    terms.extend(inner.iter().map(|(t, k)| (*t, k * &r)));
                }
                Node::Product { coefficient, factors } if !coefficient.is_one() => {
                    let (k, factors) = (coefficient * r, factors.clone());
                    let bare = self.bare_product(factors.into_vec());
                    terms.push((bare, k));
                }
                _ => terms.push((e, r)),
            }
        }
        terms.sort_by_key(|(e, _)| *e);
        let mut merged: Vec<(Expr, Rational)> = Vec::with_capacity(terms.len());
        for (e, r) in terms {
            match merged.last_mut() {
                Some((last, k)) if *last == e => *k += r,
                _ => merged.push((e, r)),
            }
        }
        merged.retain(|(_, r)| !r.is_zero());
        match (merged.len(), constant.is_zero()) {
            (0, _) => self.number(constant),
            (1, true) => {
                let (e, r) = merged.swap_remove(0);
                self.with_coefficient(e, r)
            }
            _ => self.intern(Node::Sum { constant, terms: merged.into_boxed_slice() }),
        }
    }

    /// `r · e` for a term `e` that carries no coefficient of its own and is not a sum.
    fn with_coefficient(&mut self, e: Expr, r: Rational) -> Expr {
        if r.is_one() {
            return e;
        }
        let factors = match self.node(e) {
            Node::Product { factors, .. } => factors.clone(),
            _ => Box::from([(e, Exponent::ONE)]),
        };
        self.intern(Node::Product { coefficient: r, factors })
    }

    /// A product with coefficient 1 of factors that are already in stored order.
    fn bare_product(&mut self, factors: Vec<(Expr, Exponent)>) -> Expr {
        match factors[..] {
            [] => self.one(),
            [(e, Exponent::ONE)] => e,
            _ => self.intern(Node::Product { coefficient: int(1), factors: factors.into_boxed_slice() }),
        }
    }

    /// The product of the given expressions.
    pub fn product(&mut self, items: impl IntoIterator<Item = Expr>) -> Expr {
        self.power_product(items.into_iter().map(|e| (e, Exponent::ONE)).collect::<Vec<_>>())
    }

    /// `Π e^k` over pairs of an expression and an exponent.
    pub fn power_product(&mut self, items: impl IntoIterator<Item = (Expr, Exponent)>) -> Expr {
        let mut coefficient = int(1);
        let mut factors: Vec<(Expr, Exponent)> = Vec::new();
        for (e, k) in items {
            self.push_factor(&mut coefficient, &mut factors, e, k);
        }
        let (mut merged, mut numbers_changed) = (Vec::new(), false);
        while !factors.is_empty() {
            factors.append(&mut merged);
            factors.sort_by_key(|(e, _)| *e);
            for (e, k) in std::mem::take(&mut factors) {
                match merged.last_mut() {
                    Some((last, have)) if *last == e => match have.checked_add(k) {
                        Some(total) => {
                            *have = total;
                            numbers_changed |= self.as_number(e).is_some();
                        }
                        None => {
                            // Too large for one exponent: x^k · x^k becomes (x^k)².
                            let have = *have;
                            merged.pop();
                            for k in [have, k] {
                                let power = self.bare_product(vec![(e, k)]);
                                factors.push((power, Exponent::ONE));
                            }
                        }
                    },
                    _ => merged.push((e, k)),
                }
            }
        }
        merged.retain(|(_, k)| k.n != 0);
        if numbers_changed {
            // √2·√2 has become 2¹: fold it into the coefficient.
            let (numbers, rest): (Vec<_>, Vec<_>) = merged.into_iter().partition(|(e, _)| self.as_number(*e).is_some());
            merged = rest;
            for (e, k) in numbers {
                self.push_factor(&mut coefficient, &mut merged, e, k);
            }
            merged.sort_by_key(|(e, _)| *e);
        }
        if coefficient.is_zero() {
            return self.zero();
        }
        if merged.is_empty() {
            return self.number(coefficient);
        }
        if let [(e, Exponent::ONE)] = merged[..]
            && matches!(self.node(e), Node::Sum { .. })
        {
            return self.linear([(e, coefficient)]);
        }
        if coefficient.is_one() {
            return self.bare_product(merged);
        }
        self.intern(Node::Product { coefficient, factors: merged.into_boxed_slice() })
    }

    /// Adds `e^k` to a list of factors, taking products, numbers and contents apart.
    fn push_factor(&mut self, coefficient: &mut Rational, factors: &mut Vec<(Expr, Exponent)>, e: Expr, k: Exponent) {
        if k.n == 0 {
            return;
        }
        match self.node(e).clone() {
            Node::Number(r) => self.push_number(coefficient, factors, &r, k),
            Node::Product { coefficient: c, factors: inner } if k.is_int() && inner.len() <= MAX_FACTORS => {
                let powers: Option<Vec<_>> = inner.iter().map(|(b, j)| j.checked_mul(k).map(|m| (*b, m))).collect();
                match powers {
                    Some(powers) => {
                        self.push_number(coefficient, factors, &c, k);
                        for (b, m) in powers {
                            self.push_power(coefficient, factors, b, m);
                        }
                    }
                    None => factors.push((e, k)),
                }
            }
            Node::Product { factors: inner, coefficient: c }
                if inner.len() == 1 && c.is_one() && inner[0].1.n == 1 && inner[0].1.d % 2 == 0 =>
            {
                // (b^(1/2))^k = b^(k/2): both sides are defined for b ≥ 0 only.
                match inner[0].1.checked_mul(k) {
                    Some(m) => self.push_power(coefficient, factors, inner[0].0, m),
                    None => factors.push((e, k)),
                }
            }
            Node::Sum { .. } if k.is_int() => {
                let (content, primitive) = self.split_content(e);
                self.push_number(coefficient, factors, &content, k);
                factors.push((primitive, k));
            }
            _ => factors.push((e, k)),
        }
    }

    /// Adds `b^m` for a base that is not a product: numbers are folded.
    fn push_power(&mut self, coefficient: &mut Rational, factors: &mut Vec<(Expr, Exponent)>, b: Expr, m: Exponent) {
        match self.as_number(b).cloned() {
            Some(r) => self.push_number(coefficient, factors, &r, m),
            None => factors.push((b, m)),
        }
    }

    /// Multiplies by `r^k`: into the coefficient where that is rational.
    fn push_number(
        &mut self,
        coefficient: &mut Rational,
        factors: &mut Vec<(Expr, Exponent)>,
        r: &Rational,
        k: Exponent,
    ) {
        if r.is_one() {
            return;
        }
        if r.is_zero() && k.n > 0 {
            *coefficient = int(0);
            return;
        }
        let room = NUMBER_BITS.saturating_sub(bits(coefficient));
        let fits = |n: i32| *r == int(-1) || bits(r).saturating_mul(n.unsigned_abs() as usize) <= room;
        if k.is_int() {
            if (fits(k.n) || (k.n == 1 && coefficient.is_one()))
                && let Some(p) = pow_int(r, k.n)
            {
                *coefficient *= p;
                return;
            }
        } else if k.d == 2
            && fits(k.n)
            && let Some(root) = exact_sqrt(r)
            && let Some(p) = pow_int(&root, k.n)
        {
            *coefficient *= p;
            return;
        }
        // r^k = r^⌊k⌋ · r^(k−⌊k⌋), so that √2·2 and 2^(3/2) are one node.
        let (whole, mut rest) = (k.n.div_euclid(k.d), k);
        if !k.is_int()
            && whole != 0
            && fits(whole)
            && let Some(p) = pow_int(r, whole)
        {
            *coefficient *= p;
            rest.n = k.n.rem_euclid(k.d);
        }
        let mut base = r.clone();
        if (rest.n, rest.d) == (1, 2)
            && let Some((outside, inside)) = split_square(r)
        {
            // √(q² m) = q √m, so that √8 and 2√2 are one node.
            *coefficient *= outside;
            base = inside;
        }
        let base = self.number(base);
        factors.push((base, rest));
    }

    /// Writes a sum as (rational content with sign) × (sum with coprime integer
    /// coefficients, the first of them positive).
    pub(crate) fn split_content(&mut self, e: Expr) -> (Rational, Expr) {
        let Node::Sum { constant, terms } = self.node(e) else {
            return (int(1), e);
        };
        let mut numerators = UBig::ZERO;
        let mut denominators = UBig::ONE;
        for r in terms.iter().map(|(_, r)| r).chain((!constant.is_zero()).then_some(constant)) {
            let n = r.numerator().clone().unsigned_abs_value();
            numerators = if numerators.is_zero() { n } else { numerators.gcd(&n) };
            let g = (&denominators).gcd(r.denominator());
            denominators = &denominators / g * r.denominator();
        }
        let mut content = Rational::from_parts(IBig::from(numerators), denominators);
        if is_negative(&terms[0].1) {
            content = -content;
        }
        if content.is_one() {
            return (content, e);
        }
        let inverse = int(1) / &content;
        let primitive = self.linear([(e, inverse)]);
        (content, primitive)
    }

    /// `a^n` with an integer `n`.
    pub fn powi(&mut self, a: Expr, n: i32) -> Expr {
        self.power_product([(a, Exponent::int(n))])
    }

    /// `a^k` with a rational `k`.
    pub fn pow(&mut self, a: Expr, k: Exponent) -> Expr {
        self.power_product([(a, k)])
    }

    /// `√a`.
    pub fn sqrt(&mut self, a: Expr) -> Expr {
        self.pow(a, Exponent { n: 1, d: 2 })
    }

    /// `a^b`: a rational power when `b` is a number, otherwise exp(b log a).
    pub fn power(&mut self, a: Expr, b: Expr) -> Expr {
        if let Some(k) = self.as_number(b).and_then(Exponent::from_rational) {
            return self.pow(a, k);
        }
        let log = self.log(a);
        let exponent = self.mul(b, log);
        self.exp(exponent)
    }

    /// Is the leading coefficient of the expression negative?
    fn leads_negative(&self, e: Expr) -> bool {
        match self.node(e) {
            Node::Number(r) => is_negative(r),
            Node::Sum { terms, .. } => is_negative(&terms[0].1),
            Node::Product { coefficient, .. } => is_negative(coefficient),
            _ => false,
        }
    }

    /// Splits `e = k·π/2 + rest` with the integer `k` taken as large as possible
    /// (only whole quarter turns are split off).
    fn split_quarter_turns(&mut self, e: Expr) -> (i64, Expr) {
        let pi = self.pi();
        let coefficient = match self.node(e) {
            Node::Pi => int(1),
            Node::Product { coefficient, factors } if factors[..] == [(pi, Exponent::ONE)] => coefficient.clone(),
            Node::Sum { terms, .. } => match terms.iter().find(|(t, _)| *t == pi) {
                Some((_, r)) => r.clone(),
                None => return (0, e),
            },
            _ => return (0, e),
        };
        match as_i64(&(coefficient.clone() * int(2))) {
            Some(k) => {
                let turned = self.scale(pi, &coefficient);
                (k, self.sub(e, turned))
            }
            None => (0, e),
        }
    }

    /// The multiple of π this is, when it is one.
    fn multiple_of_pi(&mut self, e: Expr) -> Option<Rational> {
        let pi = self.pi();
        match self.node(e) {
            Node::Pi => Some(int(1)),
            Node::Product { coefficient, factors } if factors[..] == [(pi, Exponent::ONE)] => Some(coefficient.clone()),
            _ => None,
        }
    }

    /// sin of a rational multiple of π with denominator 3, 4 or 6 in the first quadrant
    /// and its mirror images; other angles have no short exact value.
    fn exact_sine(&mut self, turns: &Rational) -> Option<Expr> {
        let half = ratio(1, 2);
        let in_half_turn = [
            (ratio(1, 6), 1),
            (ratio(1, 4), 2),
            (ratio(1, 3), 3),
            (ratio(2, 3), 3),
            (ratio(3, 4), 2),
            (ratio(5, 6), 1),
        ];
        // sin(π(r + n)) = (−1)ⁿ sin(πr) with 0 ≤ r < 1
        let whole = turns.floor();
        let sign = if (&whole % IBig::from(2)).is_zero() { int(1) } else { int(-1) };
        let r = turns - Rational::from(whole);
        let (_, square) = in_half_turn.iter().find(|(a, _)| *a == r)?;
        let radicand = self.int(*square);
        let root = self.sqrt(radicand);
        Some(self.scale(root, &(sign * half)))
    }

    /// sin.
    pub fn sin(&mut self, a: Expr) -> Expr {
        let (k, rest) = self.split_quarter_turns(a);
        match k.rem_euclid(4) {
            1 => return self.cos(rest),
            2 => {
                let s = self.sin(rest);
                return self.neg(s);
            }
            3 => {
                let c = self.cos(rest);
                return self.neg(c);
            }
            _ => {}
        }
        if self.is_zero(rest) {
            return self.zero();
        }
        if let Some(turns) = self.multiple_of_pi(rest)
            && turns.denominator() <= &UBig::from(6u8)
            && let Some(exact) = self.exact_sine(&turns)
        {
            return exact;
        }
        if self.leads_negative(rest) {
            let positive = self.neg(rest);
            let s = self.intern(Node::Call(Function::Sin, positive));
            return self.neg(s);
        }
        self.intern(Node::Call(Function::Sin, rest))
    }

    /// cos.
    pub fn cos(&mut self, a: Expr) -> Expr {
        let (k, rest) = self.split_quarter_turns(a);
        match k.rem_euclid(4) {
            1 => {
                let s = self.sin(rest);
                return self.neg(s);
            }
            2 => {
                let c = self.cos(rest);
                return self.neg(c);
            }
            3 => return self.sin(rest),
            _ => {}
        }
        if self.is_zero(rest) {
            return self.one();
        }
        if let Some(turns) = self.multiple_of_pi(rest)
            && turns.denominator() <= &UBig::from(6u8)
            && let Some(exact) = self.exact_sine(&(turns + ratio(1, 2)))
        {
            return exact;
        }
        let positive = if self.leads_negative(rest) { self.neg(rest) } else { rest };
        self.intern(Node::Call(Function::Cos, positive))
    }

    /// tan, stored as sin/cos.
    pub fn tan(&mut self, a: Expr) -> Expr {
        let (s, c) = (self.sin(a), self.cos(a));
        self.div(s, c)
    }

    /// exp.
    pub fn exp(&mut self, a: Expr) -> Expr {
        match self.node(a) {
            _ if self.is_zero(a) => self.one(),
            Node::Call(Function::Log, x) => *x,
            _ => self.intern(Node::Call(Function::Exp, a)),
        }
    }

    /// Natural logarithm.
    pub fn log(&mut self, a: Expr) -> Expr {
        match self.node(a) {
            _ if a == self.one() => self.zero(),
            Node::Call(Function::Exp, x) => *x,
            _ => self.intern(Node::Call(Function::Log, a)),
        }
    }

    /// The angle of the point (x, y).
    pub fn atan2(&mut self, y: Expr, x: Expr) -> Expr {
        let positive = |g: &Graph, e: Expr| g.as_number(e).is_some_and(|r| !is_negative(r) && !r.is_zero());
        if self.is_zero(y) && positive(self, x) {
            return self.zero();
        }
        self.intern(Node::Atan2(y, x))
    }

    /// A named function at the given arguments.
    pub fn apply(&mut self, function: NamedFunction, args: Vec<Expr>) -> Expr {
        let orders = vec![0; args.len()].into_boxed_slice();
        self.intern(Node::Apply { function, args: args.into_boxed_slice(), orders })
    }

    /// Multiplies out all products and positive integer powers of sums, as far as
    /// the result has at most `max_terms` terms; `None` beyond that.
    pub fn expand(&mut self, e: Expr, max_terms: usize) -> Option<Expr> {
        let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
        for n in self.reachable(&[e]) {
            let out = match self.node(n).clone() {
                Node::Sum { constant, terms } => {
                    let c = self.number(constant);
                    let items: Vec<_> =
                        std::iter::once((c, int(1))).chain(terms.iter().map(|(t, r)| (done[t], r.clone()))).collect();
                    self.linear(items)
                }
                Node::Product { coefficient, factors } => {
                    let mut acc = vec![self.number(coefficient)];
                    for (b, k) in factors.iter() {
                        let base = done[b];
                        let summands = self.summands(base);
                        if k.is_int() && k.n > 0 && summands.len() > 1 {
                            // (1 + √2)ⁿ stays short, but takes n steps.
                            if k.n as usize > max_terms {
                                return None;
                            }
                            for _ in 0..k.n {
                                if acc.len() * summands.len() > max_terms {
                                    return None;
                                }
                                let mut next = Vec::with_capacity(acc.len() * summands.len());
                                for &a in &acc {
                                    for &s in &summands {
                                        next.push(self.mul(a, s));
                                    }
                                }
                                let total = self.sum(next);
                                acc = self.summands(total);
                            }
                        } else {
                            let p = self.pow(base, *k);
                            acc = acc.into_iter().map(|a| self.mul(a, p)).collect();
                        }
                    }
                    self.sum(acc)
                }
                Node::Call(f, a) => self.call(f, done[&a]),
                Node::Atan2(y, x) => self.atan2(done[&y], done[&x]),
                _ => n,
            };
            if self.summands(out).len() > max_terms {
                return None;
            }
            done.insert(n, out);
        }
        Some(done[&e])
    }

    /// One of the four elementary functions.
    pub fn call(&mut self, f: Function, a: Expr) -> Expr {
        match f {
            Function::Sin => self.sin(a),
            Function::Cos => self.cos(a),
            Function::Exp => self.exp(a),
            Function::Log => self.log(a),
        }
    }

    /// The summands of a sum with their coefficients put in, or the expression itself.
    pub fn summands(&mut self, e: Expr) -> Vec<Expr> {
        let Node::Sum { constant, terms } = self.node(e).clone() else {
            return vec![e];
        };
        let mut out: Vec<Expr> = terms.into_iter().map(|(t, r)| self.with_coefficient(t, r)).collect();
        if !constant.is_zero() {
            let c = self.number(constant);
            out.push(c);
        }
        out
    }
}

/// √r = q √m with a rational q and a whole m without small square factors; `None` for
/// numbers that are negative, large, or of that form already.
fn split_square(r: &Rational) -> Option<(Rational, Rational)> {
    let n = u64::try_from(r.numerator()).ok()?;
    let d = u64::try_from(r.denominator()).ok()?;
    let (mut inside, mut outside) = (n.checked_mul(d)?, 1u64); // √(n/d) = √(n d)/d
    for p in (2..1000).take_while(|p| p * p <= n.max(d)) {
        while inside % (p * p) == 0 {
            inside /= p * p;
            outside *= p;
        }
    }
    let outside = Rational::from_parts(IBig::from(outside), UBig::from(d));
    (!outside.is_one()).then(|| (outside, Rational::from(inside)))
}

/// |n| as an unsigned integer.
trait UnsignedAbs {
    fn unsigned_abs_value(self) -> UBig;
}

impl UnsignedAbs for IBig {
    fn unsigned_abs_value(self) -> UBig {
        self.into_parts().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> (Graph, Expr, Expr, Expr) {
        let mut g = Graph::new();
        let (x, y, z) = (g.named("x"), g.named("y"), g.named("z"));
        (g, x, y, z)
    }

    #[test]
    fn like_terms_and_factors_are_collected() {
        let (mut g, x, y, _) = setup();
        let a = g.add(x, y);
        let b = g.sub(a, y);
        assert_eq!(b, x);
        let p = g.mul(x, x);
        let q = g.powi(x, 2);
        assert_eq!(p, q);
        let inverse = g.powi(x, -2);
        assert_eq!(g.mul(p, inverse), g.one());
    }

    #[test]
    fn content_leaves_factors() {
        let (mut g, x, y, z) = setup();
        let two = g.int(2);
        let sum = g.add(x, y);
        let double = g.mul(two, sum);
        let a = g.mul(double, z);
        let difference = g.neg(sum);
        let b = g.mul(difference, z);
        let total = g.linear([(a, int(1)), (b, int(2))]);
        assert_eq!(total, g.zero());
    }

    #[test]
    fn roots_of_numbers() {
        let (mut g, ..) = setup();
        let two = g.int(2);
        let r = g.sqrt(two);
        assert_eq!(g.mul(r, r), two);
        let nine = g.number(ratio(9, 4));
        let r = g.sqrt(nine);
        assert_eq!(g.as_number(r), Some(&ratio(3, 2)));
        let x = g.named("x");
        let root = g.sqrt(two);
        let p = g.mul(x, root);
        let (square, xx) = (g.powi(p, 2), g.powi(x, 2));
        assert_eq!(square, g.mul(two, xx));
        let eight = g.int(8);
        let a = g.sqrt(eight);
        let b = g.powi(a, 2);
        assert_eq!(b, eight);
        assert_eq!(a, g.scale(root, &int(2)));
        let half = g.number(ratio(1, 2));
        let inverse = g.sqrt(half);
        assert_eq!(inverse, g.powi(root, -1));
        assert_eq!(inverse, g.scale(root, &ratio(1, 2)));
        let third = Exponent { n: 1, d: 3 };
        let z = g.zero();
        assert_eq!(g.pow(z, third), z);
    }

    #[test]
    fn trigonometry_of_quarter_turns_and_signs() {
        let (mut g, x, ..) = setup();
        let pi = g.pi();
        let half = g.scale(pi, &ratio(1, 2));
        let a = g.add(x, half);
        let (s, c) = (g.sin(a), g.cos(x));
        assert_eq!(s, c);
        let m = g.neg(x);
        let (a, b) = (g.sin(m), g.sin(x));
        let b = g.neg(b);
        assert_eq!(a, b);
        let sixth = g.scale(pi, &ratio(1, 6));
        let s = g.sin(sixth);
        assert_eq!(g.as_number(s), Some(&ratio(1, 2)));
        let c = g.cos(pi);
        assert_eq!(g.as_number(c), Some(&int(-1)));
    }

    #[test]
    fn division_by_zero_is_a_node_not_a_panic() {
        let (mut g, x, ..) = setup();
        let z = g.zero();
        let q = g.div(x, z);
        assert_ne!(q, g.zero());
    }

    #[test]
    fn exponents_beyond_the_largest_are_nested() {
        let (mut g, x, ..) = setup();
        let mut e = x;
        for _ in 0..1000 {
            e = g.mul(e, e);
        }
        assert!(g.len() < 5000);
        let inverse = g.powi(e, -1);
        assert_eq!(g.mul(e, inverse), g.one());
        let lowest = g.powi(x, i32::MIN);
        let s = g.symbol("x");
        assert_ne!(g.derivative(lowest, s), g.zero());
    }

    #[test]
    fn numbers_do_not_grow_without_bound() {
        let (mut g, x, ..) = setup();
        let (mut square, mut sum) = (g.int(3), g.int(3));
        for _ in 0..100 {
            square = g.mul(square, square);
            let inverse = g.powi(sum, -1);
            sum = g.add(sum, inverse);
        }
        assert!(g.as_number(square).is_none() && g.as_number(sum).is_none());
        let long = g.powi(square, i32::MIN);
        assert_ne!(g.mul(long, x), x);
        let (one, two) = (g.one(), g.int(2));
        let root = g.sqrt(two);
        let base = g.add(one, root);
        let power = g.powi(base, i32::MAX);
        assert_eq!(g.expand(power, 100), None);
    }

    #[test]
    fn expansion() {
        let (mut g, x, y, _) = setup();
        let s = g.add(x, y);
        let d = g.sub(x, y);
        let p = g.mul(s, d);
        let e = g.expand(p, 100).unwrap();
        let (a, b) = (g.powi(x, 2), g.powi(y, 2));
        assert_eq!(e, g.sub(a, b));
        let big = g.powi(s, 50);
        assert_eq!(g.expand(big, 10), None);
    }
}
