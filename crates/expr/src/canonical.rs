//! The canonical level: rational functions with sin² + cos² = 1 and common factors cancelled.
//!
//! A [`Fraction`] is a numerator, multiplied out and reduced, over a denominator kept
//! as a product of factors:
//!
//! ```text
//! num / (content · Π fᵢ^eᵢ)
//! ```
//!
//! Cancelling happens in the ring Q[x…, s, c]/(s² + c² − 1), which has no unique
//! factorisation, so a polynomial GCD alone does not see that sin θ divides
//! 1 − cos² θ. Division there is decided through the norm: with f = F₀ + F₁ s and
//! f̄ = F₀ − F₁ s,
//!
//! ```text
//! f | p   ⇔   N | p f̄,     N = f f̄ = F₀² − F₁² (1 − c²) free of s,          (C1)
//! ```
//!
//! and N divides A + B s exactly when it divides A and B. The same holds for roots,
//! w² = b. [`Fraction::normal`] gives the one unique form (denominator free of sines
//! and roots, coprime to the numerator); what is shown to people is chosen in
//! `readable.rs` among the equal forms.

use crate::graph::{Exponent, Expr, Function, Graph, Node};
use crate::number::{Rational, int};
use crate::ring::{AngleBasis, NotCanonical, Ring, split_exponent};
use dashu_int::IBig;
use dashu_int::ops::Gcd;
use polhode_poly::factor::factor;
use polhode_poly::{Poly, gcd};
use rustc_hash::FxHashMap;

/// Most terms a polynomial may have before canonical form is given up: more than this
/// nobody reads, and what is not read need not be canonical.
pub const MAX_TERMS: usize = 600;

/// A rational function of the atoms of a [`Ring`]; see the module head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub(crate) num: Poly,
    pub(crate) content: IBig,
    pub(crate) den: Vec<(Poly, u32)>,
}

impl Fraction {
    fn polynomial(num: Poly) -> Fraction {
        Fraction { num, content: IBig::ONE, den: Vec::new() }
    }

    fn constant(r: &Rational) -> Fraction {
        Fraction {
            num: Poly::constant(r.numerator().clone()),
            content: IBig::from(r.denominator().clone()),
            den: Vec::new(),
        }
    }

    /// Is it zero?
    pub fn is_zero(&self) -> bool {
        self.num.is_zero()
    }

    /// The numerator.
    pub fn numerator(&self) -> &Poly {
        &self.num
    }

    /// The factors of the denominator that are not numbers.
    pub fn denominator_factors(&self) -> impl Iterator<Item = &Poly> {
        self.den.iter().map(|(f, _)| f)
    }

    /// The factors of the denominator that are not numbers, with their powers.
    pub fn denominator_powers(&self) -> impl Iterator<Item = (&Poly, u32)> {
        self.den.iter().map(|(f, k)| (f, *k))
    }

    /// Number of terms of numerator and denominator factors together.
    pub fn size(&self) -> usize {
        self.num.len() + self.den.iter().map(|(f, _)| f.len()).sum::<usize>()
    }

    fn add(&self, other: &Fraction, ring: &Ring) -> Result<Fraction, NotCanonical> {
        if self.is_zero() {
            return Ok(other.clone());
        }
        if other.is_zero() {
            return Ok(self.clone());
        }
        let mut den = self.den.clone();
        for (f, k) in &other.den {
            match den.iter_mut().find(|(g, _)| g == f) {
                Some((_, have)) => *have = (*have).max(*k),
                None => den.push((f.clone(), *k)),
            }
        }
        let divisor = IBig::from((&self.content).gcd(&other.content));
        let content = &self.content / &divisor * &other.content;
        let lifted = |x: &Fraction| -> Result<Poly, NotCanonical> {
            let mut p = x.num.scale(&(&content / &x.content));
            for (f, k) in &den {
                let have = x.den.iter().find(|(g, _)| g == f).map_or(0, |(_, k)| *k);
                for _ in have..*k {
                    p = ring.reduce(&p.checked_mul(f, ring.max_terms)?)?;
                }
            }
            Ok(p)
        };
        let num = lifted(self)?.add(&lifted(other)?);
        Fraction { num, content, den }.cancelled(ring)
    }

    fn mul(&self, other: &Fraction, ring: &Ring) -> Result<Fraction, NotCanonical> {
        if self.is_zero() || other.is_zero() {
            return Ok(Fraction::polynomial(Poly::zero()));
        }
        let swap = |num: &Poly, content: &IBig, den: &[(Poly, u32)]| {
            Fraction { num: num.clone(), content: content.clone(), den: den.to_vec() }.cancelled(ring)
        };
        let (a, b) = (swap(&self.num, &other.content, &other.den)?, swap(&other.num, &self.content, &self.den)?);
        let num = ring.reduce(&a.num.checked_mul(&b.num, ring.max_terms)?)?;
        let mut den = a.den;
        for (f, k) in b.den {
            match den.iter_mut().find(|(g, _)| *g == f) {
                Some((_, have)) => *have += k,
                None => den.push((f, k)),
            }
        }
        Fraction { num, content: a.content * b.content, den }.cancelled(ring)
    }

    fn negated(mut self) -> Fraction {
        self.num = self.num.neg();
        self
    }

    fn inverse(&self, ring: &Ring) -> Result<Fraction, NotCanonical> {
        if self.is_zero() {
            return Err(NotCanonical::DivisionByZero);
        }
        let mut num = Poly::constant(self.content.clone());
        for (f, k) in &self.den {
            for _ in 0..*k {
                num = ring.reduce(&num.checked_mul(f, ring.max_terms)?)?;
            }
        }
        let factored = factor(&self.num);
        let mut content = factored.content;
        if content < IBig::ZERO {
            num = num.neg();
            content = -content;
        }
        Fraction { num, content, den: factored.factors }.cancelled(ring)
    }

    fn pow(&self, k: i32, ring: &Ring) -> Result<Fraction, NotCanonical> {
        let base = if k < 0 { self.inverse(ring)? } else { self.clone() };
        let mut out = Fraction::polynomial(Poly::one());
        for _ in 0..k.unsigned_abs() {
            out = out.mul(&base, ring)?;
        }
        Ok(out)
    }

    /// Cancels what numerator and denominator have in common.
    pub(crate) fn cancelled(mut self, ring: &Ring) -> Result<Fraction, NotCanonical> {
        if ring.has_rotations() && !self.num.is_zero() {
            let (num, d) = ring.reduce_rotations(&self.num);
            self.num = num;
            self.content *= d;
        }
        if self.num.is_zero() {
            return Ok(Fraction::polynomial(Poly::zero()));
        }
        if merge_half_angles(&mut self.den, ring) {
            self.num = self.num.neg();
        }
        let mut kept: Vec<(Poly, u32)> = Vec::new();
        let mut work = std::mem::take(&mut self.den);
        while let Some((f, mut k)) = work.pop() {
            while k > 0 {
                let divided = match divide(ring, &self.num, &f)? {
                    None if f.len() == 1 => divide_rewritten(ring, &self.num, &f)?,
                    other => other,
                };
                let Some((quotient, scale)) = divided else { break };
                self.num = quotient;
                self.content *= scale;
                k -= 1;
            }
            if k == 0 {
                continue;
            }
            let common = gcd(&self.num, &f);
            if !common.is_constant()
                && common != f
                && let Some(rest) = f.div_exact(&common)
            {
                work.push((rest, k));
                work.push((common.primitive(), k));
                continue;
            }
            match kept.iter_mut().find(|(g, _)| *g == f) {
                Some((_, have)) => *have += k,
                None => kept.push((f, k)),
            }
        }
        kept.sort_by(|(a, _), (b, _)| (a.len(), a.terms()).cmp(&(b.len(), b.terms())));
        self.den = kept;
        if self.content < IBig::ZERO {
            self.content = -self.content;
            self.num = self.num.neg();
        }
        let common = IBig::from((&self.num.content()).gcd(&self.content));
        if common != IBig::ONE {
            self.content /= &common;
            self.num = self.num.div_exact(&Poly::constant(common)).unwrap_or(self.num);
        }
        Ok(self)
    }

    /// The unique form: (numerator, denominator) multiplied out, the denominator free of
    /// sines and roots and coprime to the numerator, its leading coefficient positive.
    pub fn normal(&self, ring: &Ring) -> Result<(Poly, Poly), NotCanonical> {
        let mut num = self.num.clone();
        let mut den = Poly::constant(self.content.clone());
        for (f, k) in &self.den {
            for _ in 0..*k {
                den = ring.reduce(&den.checked_mul(f, ring.max_terms)?)?;
            }
        }
        for (v, _) in ring.quadratics() {
            if den.degree(v) > 0 {
                let conjugate = conjugate(&den, v)?;
                den = ring.reduce(&den.checked_mul(&conjugate, ring.max_terms)?)?;
                if den.is_zero() {
                    return Err(NotCanonical::DependentRoots);
                }
                num = ring.reduce(&num.checked_mul(&conjugate, ring.max_terms)?)?;
            }
        }
        let mask = ring.quadratics().fold(0u32, |m, (v, _)| m | 1 << v);
        let mut common = den.clone();
        for part in num.coefficients_by(mask) {
            common = gcd(&common, &part);
        }
        if let (Some(n), Some(d)) = (num.div_exact(&common), den.div_exact(&common)) {
            (num, den) = (n, d);
        }
        if den.has_negative_leading_coefficient() {
            (num, den) = (num.neg(), den.neg());
        }
        Ok((num, den))
    }
}

impl Ring {
    /// Turns an expression into a fraction of this ring.
    pub fn fraction(&mut self, graph: &mut Graph, e: Expr) -> Result<Fraction, NotCanonical> {
        Ok(self.fractions(graph, &[e])?.swap_remove(0))
    }

    /// Turns expressions that share parts into fractions of this ring.
    pub fn fractions(&mut self, graph: &mut Graph, roots: &[Expr]) -> Result<Vec<Fraction>, NotCanonical> {
        let mut done: FxHashMap<Expr, Fraction> = FxHashMap::default();
        for n in self.algebraic_nodes(graph, roots) {
            let out = self.node_fraction(graph, n, &done)?;
            done.insert(n, out);
        }
        Ok(roots.iter().map(|r| done[r].clone()).collect())
    }

    /// Solves `A x = b` for a square regular matrix by elimination with fractions, the
    /// shortest pivot first; `None` when the matrix is singular.
    pub fn solve(&self, a: &[Vec<Fraction>], b: &[Fraction]) -> Result<Option<Vec<Fraction>>, NotCanonical> {
        let n = b.len();
        let mut rows: Vec<Vec<Fraction>> =
            a.iter().zip(b).map(|(row, y)| row.iter().chain([y]).cloned().collect()).collect();
        let mut pivots: Vec<(usize, usize)> = Vec::with_capacity(n);
        while pivots.len() < n {
            let open = |i: usize, j: usize| !pivots.iter().any(|(r, c)| *r == i || *c == j);
            let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let best = entries
                .filter(|(i, j)| open(*i, *j) && !rows[*i][*j].is_zero())
                .min_by_key(|(i, j)| (rows[*i][*j].size(), rows[*i].iter().filter(|e| !e.is_zero()).count()));
            let Some((i, j)) = best else { return Ok(None) };
            let inverse = rows[i][j].inverse(self)?;
            for r in (0..n).filter(|r| *r != i && !pivots.iter().any(|(done, _)| done == r)) {
                if rows[r][j].is_zero() {
                    continue;
                }
                let factor = rows[r][j].mul(&inverse, self)?.negated();
                for c in 0..=n {
                    if !rows[i][c].is_zero() {
                        let step = factor.mul(&rows[i][c], self)?;
                        rows[r][c] =
                            if c == j { Fraction::polynomial(Poly::zero()) } else { rows[r][c].add(&step, self)? };
                    }
                }
            }
            pivots.push((i, j));
        }
        let mut x = vec![Fraction::polynomial(Poly::zero()); n];
        for &(i, j) in pivots.iter().rev() {
            let mut value = rows[i][n].clone();
            for c in (0..n).filter(|c| *c != j && !rows[i][*c].is_zero()) {
                value = value.add(&rows[i][c].mul(&x[c], self)?.negated(), self)?;
            }
            x[j] = value.mul(&rows[i][j].inverse(self)?, self)?;
        }
        Ok(Some(x))
    }

    fn node_fraction(
        &mut self,
        graph: &mut Graph,
        n: Expr,
        done: &FxHashMap<Expr, Fraction>,
    ) -> Result<Fraction, NotCanonical> {
        Ok(match graph.node(n).clone() {
            Node::Number(r) => Fraction::constant(&r),
            Node::Sum { constant, terms } => {
                let mut total = Fraction::constant(&constant);
                // Terms without denominators first: they are added without any cancelling.
                let mut scaled: Vec<Fraction> = Vec::with_capacity(terms.len());
                for (t, r) in terms.iter() {
                    scaled.push(done[t].mul(&Fraction::constant(r), self)?);
                }
                scaled.sort_by_key(|f| f.den.len());
                for f in scaled {
                    total = total.add(&f, self)?;
                    if total.num.len() > self.max_terms {
                        return Err(NotCanonical::TooLarge);
                    }
                }
                total
            }
            Node::Product { coefficient, factors } => {
                let mut total = Fraction::constant(&coefficient);
                for (b, k) in factors.iter() {
                    let (whole, rest) = split_exponent(*k);
                    if whole != 0 {
                        if whole.unsigned_abs() > 100 {
                            return Err(NotCanonical::TooLarge);
                        }
                        total = total.mul(&done[b].pow(whole, self)?, self)?;
                    }
                    if rest.n != 0 {
                        total = total.mul(&self.root(graph, *b, rest, &done[b])?, self)?;
                    }
                }
                total
            }
            Node::Call(f @ (Function::Sin | Function::Cos), a) => {
                let (sin, cos) = self.turn(graph, a)?;
                Fraction::polynomial(if f == Function::Sin { sin } else { cos })
            }
            Node::Call(Function::Exp, a) => {
                let (num, den) = self.exponential(graph, a)?;
                let den = if den.is_one() { vec![] } else { factor(&den).factors };
                Fraction { num, content: IBig::ONE, den }
            }
            Node::Symbol(_) | Node::Pi | Node::Atan2(..) | Node::Apply { .. } | Node::Call(Function::Log, _) => {
                Fraction::polynomial(Poly::variable(self.variable(n)?))
            }
        })
    }

    /// `b^k` with 0 < k < 1: a power of the atom b^(1/d).
    fn root(&mut self, graph: &mut Graph, b: Expr, k: Exponent, base: &Fraction) -> Result<Fraction, NotCanonical> {
        let atom = graph.pow(b, Exponent { n: 1, d: k.d });
        let w = self.variable(atom)?;
        if k.d == 2 && base.den.is_empty() && base.content == IBig::ONE {
            self.add_root(w, base.num.clone());
        }
        let exponent = u32::try_from(k.n).map_err(|_| NotCanonical::TooLarge)?;
        Ok(Fraction::polynomial(Poly::variable(w).pow(exponent)?))
    }
}

/// p with the sign of variable v reversed.
fn conjugate(p: &Poly, v: usize) -> Result<Poly, NotCanonical> {
    let mut parts = p.coefficients_in(v);
    for part in parts.iter_mut().skip(1).step_by(2) {
        *part = part.neg();
    }
    Ok(Poly::from_coefficients(v, &parts)?)
}

/// `p / f` in the ring by (C1): `Some((q, n))` with p/f = q/n, or `None` if f does not divide p.
pub(crate) fn divide(ring: &Ring, p: &Poly, f: &Poly) -> Result<Option<(Poly, IBig)>, NotCanonical> {
    if let Some(q) = p.div_exact(f) {
        return Ok(Some((q, IBig::ONE)));
    }
    for (v, _) in ring.quadratics() {
        if f.degree(v) == 0 {
            continue;
        }
        let bar = conjugate(f, v)?;
        let norm = ring.reduce(&f.checked_mul(&bar, ring.max_terms)?)?;
        if norm.is_zero() || norm.degree(v) > 0 {
            return Ok(None);
        }
        let lifted = ring.reduce(&p.checked_mul(&bar, ring.max_terms)?)?;
        let content = norm.content();
        let primitive = norm.primitive();
        let sign = if norm.has_negative_leading_coefficient() { IBig::from(-1) } else { IBig::ONE };
        return Ok(divide(ring, &lifted, &primitive)?.map(|(q, n)| (q, n * content * sign)));
    }
    Ok(None)
}

/// The same for a power of an entry of a rotation or of a direction, which the normal form of p may hide: with γ² = 1 for a row γ,
/// 1 − γ₂² − γ₃² is divisible by γ₁.
fn divide_rewritten(ring: &Ring, p: &Poly, f: &Poly) -> Result<Option<(Poly, IBig)>, NotCanonical> {
    for writing in ring.unit_vector_writings(p)? {
        if let Some(q) = writing.div_exact(f) {
            return Ok(Some(ring.reduce_rotations(&ring.reduce(&q)?)));
        }
    }
    Ok(None)
}

/// (cos θ − 1)(cos θ + 1) in a denominator becomes −sin² θ; true when a sign is left over.
fn merge_half_angles(den: &mut Vec<(Poly, u32)>, ring: &Ring) -> bool {
    let mut negative = false;
    for angle in &ring.angles {
        let (minus, plus) = &angle.half_angles;
        let find = |den: &[(Poly, u32)], f: &Poly| den.iter().position(|(g, _)| g == f);
        let (Some(i), Some(j)) = (find(den, minus), find(den, plus)) else { continue };
        let k = den[i].1.min(den[j].1);
        den[i].1 -= k;
        den[j].1 -= k;
        let sine = Poly::variable(angle.sin);
        match find(den, &sine) {
            Some(s) => den[s].1 += 2 * k,
            None => den.push((sine, 2 * k)),
        }
        den.retain(|(_, k)| *k > 0);
        negative ^= k % 2 == 1;
    }
    negative
}

impl Graph {
    /// The canonical form of an expression, as an expression: `num/den` multiplied out.
    pub fn canonical(&mut self, e: Expr) -> Result<Expr, NotCanonical> {
        let mut ring = Ring::new(self, &[e], AngleBasis::Symbols, MAX_TERMS)?;
        let f = ring.fraction(self, e)?;
        let (num, den) = f.normal(&ring)?;
        let (num, den) = (ring.expand_to_expr(self, &num), ring.expand_to_expr(self, &den));
        Ok(self.div(num, den))
    }
}

impl Ring {
    /// A polynomial as a sum of products on the graph.
    pub fn expand_to_expr(&self, graph: &mut Graph, p: &Poly) -> Expr {
        let mut items = Vec::with_capacity(p.len());
        for (m, c) in p.terms() {
            let factors: Vec<_> = m.iter().map(|(v, k)| (self.atom(v), Exponent::int(k as i32))).collect();
            items.push((graph.power_product(factors), Rational::from(c.clone())));
        }
        graph.linear(items)
    }

    /// A fraction on the graph: factored where that is known, otherwise multiplied out.
    pub(crate) fn to_expr(&self, graph: &mut Graph, f: &Fraction) -> Expr {
        let factored = factor(&f.num);
        let scale = Rational::from_parts_signed(factored.content.clone(), f.content.clone());
        let mut items: Vec<(Expr, Exponent)> = Vec::new();
        for (p, k) in &factored.factors {
            items.push((self.expand_to_expr(graph, p), Exponent::int(*k as i32)));
        }
        for (p, k) in &f.den {
            items.push((self.expand_to_expr(graph, p), Exponent::int(-(*k as i32))));
        }
        let product = graph.power_product(items);
        graph.linear([(product, scale)])
    }
}

impl Graph {
    /// Simplifies a small expression through its canonical form; larger ones, and those
    /// that do not get shorter, are left as they are.
    pub fn simplify_small(&mut self, e: Expr) -> Expr {
        self.simplify_within(e, 120, 60)
    }

    /// The canonical form as an expression, whether it is shorter or not; `None` where that exceeds the limits of [`Graph::simplify_within`].
    pub fn canonical_within(&mut self, e: Expr, max_nodes: usize, max_terms: usize) -> Option<Expr> {
        if self.reachable(&[e]).len() > max_nodes {
            return None;
        }
        let mut ring = Ring::new(self, &[e], AngleBasis::Symbols, max_terms).ok()?;
        let f = ring.fraction(self, e).ok()?;
        Some(ring.to_expr(self, &f))
    }

    /// [`Graph::simplify_small`] with limits of one's own: on the nodes of the expression,
    /// and on the terms of any polynomial on the way.
    pub fn simplify_within(&mut self, e: Expr, max_nodes: usize, max_terms: usize) -> Expr {
        let size = |g: &Graph, e: Expr| g.reachable(&[e]).len();
        let before = size(self, e);
        if before < 4 || before > max_nodes {
            return e;
        }
        let simplified = Ring::new(self, &[e], AngleBasis::Symbols, max_terms).and_then(|mut ring| {
            let f = ring.fraction(self, e)?;
            Ok(ring.to_expr(self, &f))
        });
        match simplified {
            Ok(s) if size(self, s) < before || matches!(self.node(s), Node::Number(_)) => s,
            _ => e,
        }
    }
}

impl Fraction {
    /// The fraction as a rational number, if it is one.
    pub fn as_number(&self) -> Option<Rational> {
        if !self.den.is_empty() {
            return None;
        }
        let n = self.num.as_constant()?;
        Some(Rational::from_parts_signed(n, self.content.clone()) * int(1))
    }
}

impl Graph {
    /// Multiplies a vector by the least common denominator of its entries and divides
    /// out what they have in common: a polynomial vector along the same line. Vectors
    /// that cannot be brought to canonical form come back as they are.
    pub fn primitive_vector(&mut self, vector: &[Expr]) -> Vec<Expr> {
        self.try_primitive_vector(vector).unwrap_or_else(|_| vector.to_vec())
    }

    fn try_primitive_vector(&mut self, vector: &[Expr]) -> Result<Vec<Expr>, NotCanonical> {
        let mut ring = Ring::new(self, vector, AngleBasis::Symbols, MAX_TERMS)?;
        let mut entries = ring.fractions(self, vector)?;
        let mut den: Vec<(Poly, u32)> = Vec::new();
        let mut content = IBig::ONE;
        for f in &entries {
            let g = IBig::from((&content).gcd(&f.content));
            content = &content / g * &f.content;
            for (p, k) in &f.den {
                match den.iter_mut().find(|(q, _)| q == p) {
                    Some((_, have)) => *have = (*have).max(*k),
                    None => den.push((p.clone(), *k)),
                }
            }
        }
        let mut multiplier = Poly::constant(content);
        for (p, k) in &den {
            for _ in 0..*k {
                multiplier = ring.reduce(&multiplier.checked_mul(p, ring.max_terms)?)?;
            }
        }
        let scale = Fraction::polynomial(multiplier);
        let mut common = Poly::zero();
        for f in &mut entries {
            *f = f.mul(&scale, &ring)?;
            common = gcd(&common, &f.num);
        }
        Ok(entries
            .iter()
            .map(|f| {
                let num = f.num.div_exact(&common).unwrap_or_else(|| f.num.clone());
                ring.to_expr(self, &Fraction { num, ..f.clone() })
            })
            .collect())
    }
}
