//! Polynomials with complex coefficients of 256 bits: shifts, roots with multiplicities.
//!
//! Coefficients come as doubles or double-doubles and may be rounded. What counts as zero is therefore
//! measured against what rounding of the given coefficients can do: a Taylor coefficient at x₀ is
//! negligible when it is below `tolerance` times the same coefficient of Σ |pᵢ| |x₀|ⁱ.

use crate::ball::size;
use crate::complex::Complex;
use crate::wide::Wide;
use polhode_tape::Scalar;

/// The working precision of equations: 256 bits.
pub(crate) type Real = Wide<4>;
/// Complex numbers of that precision.
pub(crate) type Number = Complex<Real>;
/// Coefficients, the constant first.
pub(crate) type Polynomial = Vec<Number>;

/// A root and how often it is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) at: Number,
    pub(crate) multiplicity: usize,
}

/// |z| as a double.
pub(crate) fn modulus(z: Number) -> f64 {
    z.re.to_f64().hypot(z.im.to_f64())
}

/// A complex number from doubles.
pub(crate) fn number(re: f64, im: f64) -> Number {
    Complex::new(Real::from_f64(re), Real::from_f64(im))
}

/// The polynomial without vanishing leading coefficients.
pub(crate) fn trimmed(mut p: Polynomial) -> Polynomial {
    while p.last().is_some_and(|c| *c == Number::default()) {
        p.pop();
    }
    p
}

/// p(x).
pub(crate) fn value(p: &[Number], x: Number) -> Number {
    p.iter().rev().fold(Number::default(), |sum, c| sum * x + *c)
}

/// p′.
pub(crate) fn derivative(p: &[Number]) -> Polynomial {
    p.iter().enumerate().skip(1).map(|(k, c)| c.scale(Real::integer(k as i64))).collect()
}

/// p q.
pub(crate) fn product(p: &[Number], q: &[Number]) -> Polynomial {
    if p.is_empty() || q.is_empty() {
        return Vec::new();
    }
    let mut out = vec![Number::default(); p.len() + q.len() - 1];
    for (i, a) in p.iter().enumerate() {
        for (j, b) in q.iter().enumerate() {
            out[i + j] = out[i + j] + *a * *b;
        }
    }
    out
}

/// p(x₀ + t) as a polynomial in t.
pub(crate) fn shifted(p: &[Number], x0: Number) -> Polynomial {
    let mut c = p.to_vec();
    for k in 0..c.len() {
        for i in (k..c.len() - 1).rev() {
            c[i] = c[i] + c[i + 1] * x0;
        }
    }
    c
}

/// p(x₀ + t) with negligible coefficients set to 0.
pub(crate) fn shifted_and_cleaned(p: &[Number], x0: Number, tolerance: f64) -> Polynomial {
    let scale: Polynomial = p.iter().map(|c| number(modulus(*c), 0.0)).collect();
    let scale = shifted(&scale, number(modulus(x0), 0.0));
    let mut c = shifted(p, x0);
    for (c, s) in c.iter_mut().zip(&scale) {
        if modulus(*c) <= tolerance * s.re.to_f64() {
            *c = Number::default();
        }
    }
    c
}

/// The number of vanishing coefficients before the first that does not; all of them for 0.
pub(crate) fn order(p: &[Number]) -> usize {
    p.iter().take_while(|c| **c == Number::default()).count()
}

/// p/(x − root), the rest left out.
pub(crate) fn deflated(p: &[Number], root: Number) -> Polynomial {
    let mut out = vec![Number::default(); p.len().saturating_sub(1)];
    let mut carry = Number::default();
    for k in (1..p.len()).rev() {
        carry = p[k] + carry * root;
        out[k - 1] = carry;
    }
    out
}

/// All roots: those of a cluster that the given coefficients do not tell apart count as one.
pub(crate) fn roots(p: &[Number], tolerance: f64) -> Vec<Root> {
    let p = trimmed(p.to_vec());
    let mut left = simple_roots(&p);
    let mut out = Vec::new();
    // the largest multiplicity first
    for k in (1..=left.len()).rev() {
        let mut i = 0;
        while left.len() >= k && i < left.len() {
            let mut near: Vec<usize> = (0..left.len()).collect();
            near.sort_by(|a, b| modulus(left[*a] - left[i]).total_cmp(&modulus(left[*b] - left[i])));
            near.truncate(k);
            let centre = near.iter().fold(Number::default(), |s, j| s + left[*j]);
            let centre = centre.scale(Real::ONE.over(k as u64));
            // the root must be that of this cluster: Newton's steps may have gone to another one. Errors δ of the coefficients
            // move the roots of a cluster apart by δ^(1/k), but their mean by δ alone
            let apart = near.iter().fold(0.0f64, |m, j| m.max(modulus(left[*j] - centre)));
            let reach = 0.5 * apart + tolerance * modulus(centre);
            let found = multiple_root(&p, centre, k, tolerance);
            match found.filter(|at| k == 1 || modulus(*at - centre) <= reach) {
                Some(at) => {
                    out.push(Root { at, multiplicity: k });
                    near.sort_unstable();
                    for j in near.into_iter().rev() {
                        left.remove(j);
                    }
                    i = 0;
                }
                None => i += 1,
            }
        }
    }
    tidied(out, tolerance)
}

/// The roots of a product of powers: no factor has a multiple root, and no two have one in common.
pub(crate) fn roots_of_factors(factors: &[(Polynomial, usize)], tolerance: f64) -> Vec<Root> {
    let mut out = Vec::new();
    for (factor, multiplicity) in factors {
        let factor = trimmed(factor.clone());
        for start in simple_roots(&factor) {
            let at = multiple_root(&factor, start, 1, tolerance).unwrap_or(start);
            out.push(Root { at, multiplicity: *multiplicity });
        }
    }
    tidied(out, tolerance)
}

/// Without parts that rounding alone can explain, by real and then imaginary parts.
pub(crate) fn tidied(mut out: Vec<Root>, tolerance: f64) -> Vec<Root> {
    for root in &mut out {
        let limit = tolerance * modulus(root.at);
        for part in [&mut root.at.re, &mut root.at.im] {
            if part.abs().to_f64() <= limit {
                *part = Real::ZERO;
            }
        }
    }
    out.sort_by(|a, b| {
        let key = |r: &Root| (r.at.re.to_f64(), r.at.im.to_f64());
        key(a).partial_cmp(&key(b)).expect("roots are finite")
    });
    out
}

/// The root of multiplicity k near a point, if the coefficients admit one: it is a simple root of the
/// derivative of order k − 1.
fn multiple_root(p: &[Number], start: Number, k: usize, tolerance: f64) -> Option<Number> {
    let mut q = p.to_vec();
    for _ in 1..k {
        q = derivative(&q);
    }
    let slope = derivative(&q);
    let mut x = start;
    for _ in 0..12 {
        let d = value(&slope, x);
        if d == Number::default() {
            return None;
        }
        let step = value(&q, x) / d;
        x = x - step;
        if size(step) < size(x) - Real::BITS + 8 {
            break;
        }
    }
    if k == 1 {
        return Some(x);
    }
    let local = shifted_and_cleaned(p, x, tolerance);
    (order(&local) >= k).then_some(x)
}

/// Approximations of all roots by simultaneous iteration, \[Aberth1973\].
fn simple_roots(p: &[Number]) -> Vec<Number> {
    let zeros = order(p);
    let p = &p[zeros.min(p.len())..];
    let mut out = vec![Number::default(); zeros];
    let n = p.len().saturating_sub(1);
    if n == 0 {
        return out;
    }
    let slope = derivative(p);
    // start on a circle of the mean modulus, at angles without symmetry
    let radius = (modulus(p[0]) / modulus(p[n])).powf(1.0 / n as f64);
    let mut x: Vec<Number> = (0..n)
        .map(|k| {
            let angle = 0.7 + 2.0 * std::f64::consts::PI * (k as f64 + 0.13) / n as f64;
            number(radius * angle.cos(), radius * angle.sin())
        })
        .collect();
    for _ in 0..400 {
        let mut moved = i64::MIN;
        for k in 0..n {
            let (f, d) = (value(p, x[k]), value(&slope, x[k]));
            if f == Number::default() {
                continue;
            }
            let newton = f / d;
            if !newton.is_finite() {
                continue;
            }
            let repulsion = (0..n)
                .filter(|j| *j != k && x[*j] != x[k])
                .fold(Number::default(), |s, j| s + Number::from(Real::ONE) / (x[k] - x[j]));
            let step = newton / (Number::from(Real::ONE) - newton * repulsion);
            if !step.is_finite() {
                continue;
            }
            x[k] = x[k] - step;
            moved = moved.max(size(step) - size(x[k]));
        }
        if moved < -120 {
            break;
        }
    }
    out.extend(x);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(c: &[f64]) -> Polynomial {
        c.iter().map(|c| number(*c, 0.0)).collect()
    }

    #[test]
    fn roots_with_multiplicities() {
        // x (1 + x²)² and (x − 0.1)³ (x + 2), the second with rounded coefficients
        let found = roots(&polynomial(&[0.0, 1.0, 0.0, 2.0, 0.0, 1.0]), 1e-13);
        let table: Vec<_> = found.iter().map(|r| (r.at.re.to_f64(), r.at.im.to_f64(), r.multiplicity)).collect();
        assert_eq!(table, [(0.0, -1.0, 2), (0.0, 0.0, 1), (0.0, 1.0, 2)]);
        let cube = [-0.001, 0.03, -0.3, 1.0];
        let p = product(&polynomial(&cube), &polynomial(&[2.0, 1.0]));
        let found = roots(&p, 1e-13);
        assert_eq!(found.iter().map(|r| r.multiplicity).collect::<Vec<_>>(), [1, 3]);
        assert!((found[1].at.re.to_f64() - 0.1).abs() < 1e-15 && (found[0].at.re.to_f64() + 2.0).abs() < 1e-15);
    }

    #[test]
    fn double_roots_do_not_draw_others() {
        // (39x²+25)² (39x²+625) (379x²+125): the mean of two simple roots leads Newton's steps to a double one
        let square = polynomial(&[25.0, 0.0, 39.0]);
        let p = product(&square, &square);
        let p = product(&p, &polynomial(&[625.0, 0.0, 39.0]));
        let p = product(&p, &polynomial(&[125.0, 0.0, 379.0]));
        let found = roots(&p, 1e-28);
        let table: Vec<_> = found.iter().map(|r| (r.at.re.to_f64(), r.multiplicity)).collect();
        assert_eq!(table, [(0.0, 1), (0.0, 2), (0.0, 1), (0.0, 1), (0.0, 2), (0.0, 1)]);
        for (k, x) in [(5, 625.0 / 39.0), (4, 25.0 / 39.0), (3, 125.0 / 379.0)] {
            let x: f64 = x;
            assert!((found[k].at.im.to_f64() - x.sqrt()).abs() < 1e-15);
            assert!((found[5 - k].at.im.to_f64() + x.sqrt()).abs() < 1e-15);
        }
    }

    #[test]
    fn near_roots_are_kept_apart() {
        let p = product(&polynomial(&[-1.0, 1.0]), &polynomial(&[-(1.0 + 1e-5), 1.0]));
        assert_eq!(roots(&p, 1e-13).len(), 2);
        assert_eq!(roots(&polynomial(&[3.0]), 1e-13).len(), 0);
    }
}
