//! Square roots as algebraic elements: exact verdicts about expressions that contain them.
//!
//! Every root in an expression is adjoined to the field of `equal.rs` as a letter,
//!
//! ```text
//! K ⊂ K[s₁] ⊂ K[s₁, s₂] ⊂ …        s_j² = r_j,   r_j an element of the ring below            (R1)
//! ```
//!
//! and the expression becomes Σ q_J Π_{j∈J} s_j with coefficients q_J in K, evaluated at random points of F_p. An element is a
//! pair a + b s of elements below, so that
//!
//! ```text
//! (a + b s)(c + d s) = (a c + b d r) + (a d + b c) s,     1/(a + b s) = (a − b s)/(a² − b² r).      (R2)
//! ```
//!
//! - If all q_J vanish, the expression is zero whatever the signs of the roots: it is zero.
//! - If it has an inverse, its norm, the product over all signs, is not zero: it is not zero, whatever the signs.
//! - Otherwise it is zero for some signs only, as √(x²) − x is, and numbers have to tell.
//!
//! Fourth roots are roots of roots. Other roots, and roots inside of sines, are not here.

use crate::budget::ADJOINED_ROOTS;
use crate::equal::{FieldPoint, NoValue};
use crate::field::{Residue, residue};
use crate::graph::{Expr, Graph, Node};
use rustc_hash::FxHashMap;

/// s_j.
#[derive(Clone, Debug)]
struct Generator {
    /// r_j.
    square: Element,
}

/// Σ q_J Π s_j: 2^k coefficients, those of s_k in the upper half. With bounds on the degrees of numerator and denominator in the random
/// choices and in the letters.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    coefficients: Vec<Residue>,
    pub(crate) num: f64,
    den: f64,
    pub(crate) loose: bool,
}

impl Element {
    fn scalar(v: Residue) -> Element {
        Element { coefficients: vec![v], num: 0.0, den: 0.0, loose: false }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.coefficients.iter().all(|c| c.is_zero())
    }
}

/// A random point of F_p, and the letters met so far.
#[derive(Clone, Debug)]
pub(crate) struct RootPoint {
    point: FieldPoint,
    generators: Vec<Generator>,
    /// Letters by what they are roots of, and of which degree.
    letters: FxHashMap<(Expr, i64), usize>,
    values: FxHashMap<Expr, Result<Element, NoValue>>,
}

impl RootPoint {
    pub(crate) fn new(graph: &Graph, seed: u64) -> RootPoint {
        RootPoint {
            point: FieldPoint::new(graph, seed),
            generators: Vec::new(),
            letters: FxHashMap::default(),
            values: FxHashMap::default(),
        }
    }

    /// No further root can be adjoined.
    pub(crate) fn is_full(&self) -> bool {
        self.generators.len() >= ADJOINED_ROOTS
    }

    /// Whether the element has an inverse: its norm down to F_p is not zero.
    pub(crate) fn is_invertible(&self, e: &Element) -> bool {
        self.inverted(&e.coefficients).is_some()
    }

    /// The value of an expression made of roots and of what F_p knows.
    pub(crate) fn element(&mut self, graph: &mut Graph, e: Expr) -> Result<Element, NoValue> {
        let mut pending = vec![e];
        while let Some(&n) = pending.last() {
            if self.values.contains_key(&n) {
                pending.pop();
                continue;
            }
            let found = match self.point.graded_value(graph, n) {
                Ok((v, num, den, loose)) => Ok(Element { coefficients: vec![v], num, den, loose }),
                Err(NoValue::Unlucky) => Err(NoValue::Unlucky),
                Err(NoValue::Outside) => {
                    if !matches!(graph.node(n), Node::Sum { .. } | Node::Product { .. }) {
                        Err(NoValue::Outside)
                    } else {
                        let before = pending.len();
                        graph.for_each_operand(n, |o| {
                            if !self.values.contains_key(&o) {
                                pending.push(o);
                            }
                        });
                        if pending.len() > before {
                            continue;
                        }
                        self.combined(graph, n)
                    }
                }
            };
            pending.pop();
            self.values.insert(n, found);
        }
        self.values.get(&e).cloned().unwrap_or(Err(NoValue::Outside))
    }

    /// A sum or product whose operands have their values.
    fn combined(&mut self, graph: &Graph, n: Expr) -> Result<Element, NoValue> {
        let operand = |point: &RootPoint, e: Expr| point.values.get(&e).cloned().unwrap_or(Err(NoValue::Outside));
        match graph.node(n) {
            Node::Sum { constant, terms } => {
                let mut out = Element::scalar(residue(constant).ok_or(NoValue::Unlucky)?);
                let mut excess = 0f64;
                for (t, r) in terms.iter() {
                    let x = operand(self, *t)?;
                    let r = residue(r).ok_or(NoValue::Unlucky)?;
                    let scaled: Vec<Residue> = x.coefficients.iter().map(|c| *c * r).collect();
                    out.coefficients = sum(&out.coefficients, &scaled);
                    excess = excess.max(x.num - x.den);
                    out.den += x.den;
                    out.loose |= x.loose;
                }
                out.num = out.den + excess;
                Ok(out)
            }
            Node::Product { coefficient, factors } => {
                let mut out = Element::scalar(residue(coefficient).ok_or(NoValue::Unlucky)?);
                for (b, k) in factors.iter() {
                    let base = operand(self, *b)?;
                    let base = match k.d {
                        1 => base,
                        2 => self.root(*b, 2, &base)?,
                        4 => {
                            let root = self.root(*b, 2, &base)?;
                            self.root(*b, 4, &root)?
                        }
                        _ => return Err(NoValue::Outside),
                    };
                    let base = if k.n < 0 { self.reciprocal(&base)? } else { base };
                    let power = self.power(&base, k.n.unsigned_abs());
                    out = self.product(&out, &power);
                }
                Ok(out)
            }
            _ => Err(NoValue::Outside),
        }
    }

    /// The letter whose square is the given element.
    fn root(&mut self, base: Expr, degree: i64, square: &Element) -> Result<Element, NoValue> {
        let j = match self.letters.get(&(base, degree)) {
            Some(j) => *j,
            None if self.is_full() => return Err(NoValue::Outside),
            None => {
                self.generators.push(Generator { square: square.clone() });
                self.letters.insert((base, degree), self.generators.len() - 1);
                self.generators.len() - 1
            }
        };
        let mut coefficients = vec![Residue::ZERO; 1 << (j + 1)];
        coefficients[1 << j] = Residue::ONE;
        Ok(Element { coefficients, num: square.num.max(square.den), den: 0.0, loose: square.loose })
    }

    /// a b. Where letters are squared their r comes in, whose denominators count.
    fn product(&self, a: &Element, b: &Element) -> Element {
        let squared = a.coefficients.len().min(b.coefficients.len()).trailing_zeros() as usize;
        let below: f64 = self.generators[..squared].iter().map(|g| g.square.den).sum();
        Element {
            coefficients: self.times(&a.coefficients, &b.coefficients),
            num: a.num + b.num + below,
            den: a.den + b.den + below,
            loose: a.loose || b.loose,
        }
    }

    fn power(&self, a: &Element, k: u32) -> Element {
        let (mut out, mut square, mut k) = (Element::scalar(Residue::ONE), a.clone(), k);
        while k > 0 {
            if k & 1 == 1 {
                out = self.product(&out, &square);
            }
            k >>= 1;
            if k > 0 {
                square = self.product(&square, &square);
            }
        }
        out
    }

    /// 1/a: the product of the other conjugates over the norm.
    fn reciprocal(&self, a: &Element) -> Result<Element, NoValue> {
        let coefficients = self.inverted(&a.coefficients).ok_or(NoValue::Unlucky)?;
        let conjugates = a.coefficients.len() as f64;
        let letters = a.coefficients.len().trailing_zeros() as usize;
        let below: f64 = self.generators[..letters].iter().map(|g| conjugates * g.square.den).sum();
        Ok(Element {
            coefficients,
            num: a.den + (conjugates - 1.0) * a.num + below,
            den: conjugates * a.num + below,
            loose: a.loose,
        })
    }

    /// (R2).
    fn times(&self, a: &[Residue], b: &[Residue]) -> Vec<Residue> {
        let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        if let [x] = a {
            return vec![*x * b[0]];
        }
        let half = a.len() / 2;
        let (low, high) = a.split_at(half);
        if b.len() <= half {
            return joined(&self.times(low, b), &self.times(high, b), half);
        }
        let (other_low, other_high) = b.split_at(half);
        let square = &self.generators[half.trailing_zeros() as usize].square.coefficients;
        let carried = self.times(&self.times(high, other_high), square);
        let even = sum(&self.times(low, other_low), &carried);
        let odd = sum(&self.times(low, other_high), &self.times(high, other_low));
        joined(&even, &odd, half)
    }

    /// (R2); `None` where the norm vanishes.
    fn inverted(&self, a: &[Residue]) -> Option<Vec<Residue>> {
        if let [x] = a {
            return Some(vec![x.inverse()?]);
        }
        let half = a.len() / 2;
        let (low, high) = a.split_at(half);
        if high.iter().all(|c| c.is_zero()) {
            return self.inverted(low);
        }
        let square = &self.generators[half.trailing_zeros() as usize].square.coefficients;
        let minus: Vec<Residue> = high.iter().map(|c| -*c).collect();
        let norm = sum(&self.times(low, low), &self.times(&self.times(high, &minus), square));
        let inverse = self.inverted(&norm)?;
        Some(joined(&self.times(low, &inverse), &self.times(&minus, &inverse), half))
    }
}

fn sum(a: &[Residue], b: &[Residue]) -> Vec<Residue> {
    let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    a.iter().enumerate().map(|(i, x)| *x + b.get(i).copied().unwrap_or_default()).collect()
}

/// a + b s, for a letter above all that occur in a and b.
fn joined(a: &[Residue], b: &[Residue], half: usize) -> Vec<Residue> {
    let mut out = vec![Residue::ZERO; 2 * half];
    out[..a.len()].copy_from_slice(a);
    out[half..half + b.len()].copy_from_slice(b);
    out
}

/// What one point says about an expression with roots.
pub(crate) enum Sign {
    /// Zero at this point, whatever the signs of the roots; with the bound d/p on the probability that it is none.
    Zero(f64),
    /// Not zero, whatever the signs.
    NotZero,
    /// Neither, or not to be told from one point.
    Unclear(NoValue),
}

impl RootPoint {
    /// Zero or not, as far as this point tells.
    pub(crate) fn sign(&mut self, graph: &mut Graph, e: Expr) -> Sign {
        match self.element(graph, e) {
            Ok(x) if x.is_zero() => Sign::Zero(x.num.max(1.0) / Residue::MODULUS as f64),
            Ok(x) if !x.loose && self.is_invertible(&x) => Sign::NotZero,
            Ok(_) => Sign::Unclear(NoValue::Outside),
            Err(e) => Sign::Unclear(e),
        }
    }
}
