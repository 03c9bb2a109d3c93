//! Truncated power series in several variables, with coefficients in an exact field.
//!
//! ```text
//! f(w) = Σ_{|α| ≤ r} f_α w^α                                                                (1)
//! ```
//!
//! A bracket of length k at a point needs derivatives of order k − 1 there and nothing else of the fields, so (1) is all
//! of a vector field that its flag at the point can see. Coefficients are sorted by degree: a series of lower
//! order is a prefix.

use super::budget::SERIES_PRODUCTS;
use polhode_expr::number::ratio;
use polhode_mechanics::rank::field::Field;

/// The monomials of [`Jet`]s in some variables up to some order, and how they multiply.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Number of monomials of degree at most d.
    counts: Vec<usize>,
    /// Degree of each monomial.
    degrees: Vec<usize>,
    /// For each monomial, the monomials it makes with those it may be multiplied with.
    products: Vec<Vec<u32>>,
    /// For each variable and monomial w^α: the monomial w^α/w_v and α_v, if α_v > 0.
    derivatives: Vec<Vec<Option<(u32, u32)>>>,
    /// For each variable, its monomial.
    variables: Vec<usize>,
}

/// Number of monomials of degree at most `d` in `n` variables, as far as it matters.
fn count(n: usize, d: usize) -> usize {
    let c = (1..=d).fold(1u128, |c, k| (c * (n + k) as u128 / k as u128).min(1 << 60));
    c as usize
}

impl Shape {
    /// The shape for `n` variables up to this order; `None` when it is too large.
    pub(super) fn new(n: usize, order: usize) -> Option<Shape> {
        if count(2 * n, order) > SERIES_PRODUCTS {
            return None;
        }
        let mut monomials: Vec<Vec<u8>> = vec![vec![0; n]];
        let mut counts = vec![1];
        let mut level = monomials.clone();
        for _ in 0..order {
            // each monomial once: raise no variable before the last one raised
            let mut next = Vec::new();
            for m in &level {
                let last = m.iter().rposition(|e| *e > 0).unwrap_or(0);
                for v in last..n {
                    let mut raised = m.clone();
                    raised[v] += 1;
                    next.push(raised);
                }
            }
            monomials.extend(next.iter().cloned());
            counts.push(monomials.len());
            level = next;
        }
        let index: rustc_hash::FxHashMap<&[u8], u32> =
            monomials.iter().enumerate().map(|(i, m)| (&m[..], i as u32)).collect();
        let degrees: Vec<usize> = monomials.iter().map(|m| m.iter().map(|e| *e as usize).sum()).collect();
        let products = monomials
            .iter()
            .zip(&degrees)
            .map(|(a, d)| {
                monomials[..counts[order - d]]
                    .iter()
                    .map(|b| {
                        let sum: Vec<u8> = a.iter().zip(b).map(|(x, y)| x + y).collect();
                        index[&sum[..]]
                    })
                    .collect()
            })
            .collect();
        let derivatives = (0..n)
            .map(|v| {
                monomials
                    .iter()
                    .map(|m| {
                        (m[v] > 0).then(|| {
                            let mut lowered = m.clone();
                            lowered[v] -= 1;
                            (index[&lowered[..]], u32::from(m[v]))
                        })
                    })
                    .collect()
            })
            .collect();
        let unit = |v: usize| (0..n).map(|k| u8::from(k == v)).collect::<Vec<u8>>();
        let variables = (0..n).map(|v| index.get(&unit(v)[..]).map_or(0, |i| *i as usize)).collect();
        Some(Shape { counts, degrees, products, derivatives, variables })
    }

    /// Number of coefficients of a series of this order.
    pub(super) fn len(&self, order: usize) -> usize {
        self.counts[order]
    }

    /// The highest order.
    pub(super) fn order(&self) -> usize {
        self.counts.len() - 1
    }

    /// Degree of a monomial.
    pub(super) fn degree(&self, monomial: usize) -> usize {
        self.degrees[monomial]
    }

    /// Multiplications of one product to this order.
    pub(super) fn product_work(&self, order: usize) -> usize {
        count(2 * self.variables.len(), order)
    }

    fn order_of(&self, len: usize) -> usize {
        self.degrees[len - 1]
    }
}

/// A series (1); its order is that of its last coefficient.
pub(super) type Jet<F> = Vec<F>;

/// Arithmetic of series of one shape.
impl Shape {
    /// A constant of the given order.
    pub(super) fn constant<F: Field>(&self, order: usize, c: F) -> Jet<F> {
        let mut out = vec![F::ZERO; self.len(order)];
        out[0] = c;
        out
    }

    /// c + w_v.
    pub(super) fn variable<F: Field>(&self, order: usize, c: F, v: usize) -> Jet<F> {
        let mut out = self.constant(order, c);
        if order > 0 {
            out[self.variables[v]] = F::ONE;
        }
        out
    }

    /// a += c b, to the order of a, which is no higher than that of b.
    pub(super) fn add_scaled<F: Field>(&self, a: &mut Jet<F>, b: &[F], c: F) {
        a.iter_mut().zip(b).for_each(|(x, y)| {
            if *y != F::ZERO {
                *x = x.plus(c.times(*y));
            }
        });
    }

    /// a += b c, to the order of a.
    pub(super) fn add_product<F: Field>(&self, a: &mut Jet<F>, b: &[F], c: &[F]) {
        let order = self.order_of(a.len());
        // the sparser factor outside
        let (b, c) = if nonzeros(b) <= nonzeros(c) { (b, c) } else { (c, b) };
        for (i, x) in b.iter().enumerate().take(a.len()) {
            if *x == F::ZERO {
                continue;
            }
            let room = self.counts[order - self.degrees[i]];
            for (y, k) in c[..room].iter().zip(&self.products[i]) {
                if *y != F::ZERO {
                    let k = *k as usize;
                    a[k] = a[k].plus(x.times(*y));
                }
            }
        }
    }

    /// The product, to the lower of the two orders.
    pub(super) fn product<F: Field>(&self, b: &[F], c: &[F]) -> Jet<F> {
        let mut out = vec![F::ZERO; b.len().min(c.len())];
        self.add_product(&mut out, b, c);
        out
    }

    /// ∂f/∂w_v, one order lower.
    pub(super) fn derivative<F: Field>(&self, f: &[F], v: usize) -> Jet<F> {
        let order = self.order_of(f.len());
        let mut out = vec![F::ZERO; self.len(order.saturating_sub(1))];
        for (x, d) in f.iter().zip(&self.derivatives[v]) {
            if let Some((to, k)) = d
                && *x != F::ZERO
            {
                out[*to as usize] = x.times(F::number(u64::from(*k)));
            }
        }
        out
    }

    /// Σ_k c_k δ^k for a series δ without constant term; `c` gives the coefficients.
    pub(super) fn compose<F: Field>(&self, delta: &[F], c: impl Fn(usize) -> F) -> Jet<F> {
        let order = self.order_of(delta.len());
        // Horner
        let mut out = self.constant(order, c(order));
        for k in (0..order).rev() {
            out = self.product(&out, delta);
            out[0] = out[0].plus(c(k));
        }
        out
    }

    /// f^k from the value c of f(0)^k, for f(0) ≠ 0: c (1 + δ)^k by the binomial series.
    pub(super) fn power<F: Field>(&self, f: &[F], k: (i64, i64), c: F) -> Option<Jet<F>> {
        let inverse = f[0].inverse()?;
        let mut delta: Jet<F> = f.iter().map(|x| x.times(inverse)).collect();
        delta[0] = F::ZERO;
        let order = self.order_of(f.len());
        let mut binomial = vec![c];
        for j in 0..order as i64 {
            // binom(k, j+1) = binom(k, j) (k − j)/(j + 1)
            let factor = F::rational(&ratio(k.0 - j * k.1, k.1 * (j + 1)))?;
            binomial.push(binomial[j as usize].times(factor));
        }
        Some(self.compose(&delta, |j| binomial[j]))
    }
}

fn nonzeros<F: Field>(a: &[F]) -> usize {
    a.iter().filter(|x| **x != F::ZERO).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_mechanics::rank::field::Residue;

    #[test]
    fn powers_multiply() {
        let shape = Shape::new(2, 5).unwrap();
        // f = 4 + x + 3 y, f^(1/2) with f(0)^(1/2) = 2
        let mut f: Jet<Residue> = shape.variable(5, Residue::new(4), 0);
        let y = shape.variable(5, Residue::new(0), 1);
        shape.add_scaled(&mut f, &y, Residue::new(3));
        let root = shape.power(&f, (1, 2), Residue::new(2)).unwrap();
        assert_eq!(shape.product(&root, &root), f);
        let inverse = shape.power(&f, (-1, 1), Residue::new(4).inverse().unwrap()).unwrap();
        assert_eq!(shape.product(&inverse, &f), shape.constant(5, Residue::new(1)));
    }

    #[test]
    fn derivatives_obey_leibniz() {
        let shape = Shape::new(3, 4).unwrap();
        let f: Jet<Residue> = (0..shape.len(4)).map(|i| Residue::new(i as u64 * 7 + 3)).collect();
        let g: Jet<Residue> = (0..shape.len(4)).map(|i| Residue::new(i as u64 * i as u64 + 1)).collect();
        for v in 0..3 {
            let left = shape.derivative(&shape.product(&f, &g), v);
            let mut right = shape.product(&shape.derivative(&f, v), &g);
            shape.add_product(&mut right, &f, &shape.derivative(&g, v));
            assert_eq!(left, right);
        }
    }

    #[test]
    fn shapes_too_large_are_refused() {
        assert!(Shape::new(40, 20).is_none());
        assert!(Shape::new(0, 5).is_some());
    }
}
