//! Carlson's symmetric elliptic integrals R_F, R_C, R_J, R_D.
//!
//! ```text
//! R_F(x, y, z)    = ½ ∫₀^∞ dt / √((t+x)(t+y)(t+z))
//! R_J(x, y, z, p) = 3/2 ∫₀^∞ dt / ((t+p) √((t+x)(t+y)(t+z))),   R_D(x, y, z) = R_J(x, y, z, z)
//! R_C(x, y)       = R_F(x, y, y)
//! ```
//!
//! The duplication theorem x → (x + λ)/4, λ = √x√y + √y√z + √z√x, brings the arguments together by
//! a factor 4 per step; then a Taylor polynomial of degree 7 in their deviations ends it,
//! \[Carlson1995\], \[Olver2010, §19.36(i)\]. Nothing is subtracted, so the error stays at a few units of
//! the last working digit. Where p < 0, R_C and R_J are Cauchy principal values, by \[Olver2010, §19.20(iii)\] and
//! \[Olver2010, §19.2(iv)\].

use crate::ball::{Ball, Task, evaluate};
use crate::complex::Complex;
use crate::wide::Wide;
use polhode_tape::{Dd, Scalar};

/// R_F(x, y, z) for x, y, z ≥ 0 of which at most one vanishes.
pub fn carlson_rf<S: Scalar>(x: S, y: S, z: S) -> S {
    of([x, y, z, z], Which::F)
}

/// R_C(x, y) for x ≥ 0 and y ≠ 0; the principal value for y < 0.
pub fn carlson_rc<S: Scalar>(x: S, y: S) -> S {
    of([x, y, y, y], Which::C)
}

/// R_J(x, y, z, p) for x, y, z ≥ 0 of which at most one vanishes, and p ≠ 0; the principal value for
/// p < 0.
pub fn carlson_rj<S: Scalar>(x: S, y: S, z: S, p: S) -> S {
    of([x, y, z, p], Which::J)
}

/// R_D(x, y, z) for x, y ≥ 0 not both 0, and z > 0.
pub fn carlson_rd<S: Scalar>(x: S, y: S, z: S) -> S {
    of([x, y, z, z], Which::D)
}

enum Which {
    F,
    C,
    J,
    D,
}

struct AtPoint {
    x: [Dd; 4],
    which: Which,
}

fn of<S: Scalar>(x: [S; 4], which: Which) -> S {
    let [y] = evaluate(&AtPoint { x: x.map(S::to_dd), which });
    y.re
}

impl Task<1> for AtPoint {
    fn run<const N: usize>(&self) -> [Ball<N>; 1] {
        let [x, y, z, p] = self.x.map(Wide::<N>::constant);
        let zeros = [x, y, z].iter().filter(|v| v.is_zero()).count();
        let bad = |v: &Wide<N>| v.is_negative();
        if self.x.iter().any(|v| !v.is_finite()) {
            return [Ball::unknown()];
        }
        [match self.which {
            Which::F if zeros > 1 || [x, y, z].iter().any(bad) => Ball::unknown(),
            Which::F => rounded(rf(x, y, z)),
            Which::C if y.is_zero() || bad(&x) => Ball::unknown(),
            Which::C => rounded(rc(x, y)),
            Which::D if z.is_zero() || (x.is_zero() && y.is_zero()) || [x, y, z].iter().any(bad) => Ball::unknown(),
            Which::D => rounded(rd(x, y, z)),
            Which::J if zeros > 1 || p.is_zero() || [x, y, z].iter().any(bad) => Ball::unknown(),
            Which::J => rj(x, y, z, p),
        }]
    }
}

/// A real value that is off by 2⁸ units of its last place at most.
pub(crate) fn rounded<const N: usize>(x: Wide<N>) -> Ball<N> {
    Ball { value: Complex::from(x), error: x.magnitude() + 8 - Wide::<N>::BITS }
}

/// p/q.
fn ratio<const N: usize>(p: i64, q: u64) -> Wide<N> {
    Wide::integer(p).over(q)
}

/// R_F.
pub(crate) fn rf<const N: usize>(mut x: Wide<N>, mut y: Wide<N>, mut z: Wide<N>) -> Wide<N> {
    loop {
        let a = (x + y + z).over(3);
        let (dx, dy) = ((a - x) / a, (a - y) / a);
        let dz = -(dx + dy);
        let worst = dx.magnitude().max(dy.magnitude()).max(dz.magnitude());
        if 8 * worst < -Wide::<N>::BITS - 4 {
            let e2 = dx * dy - dz * dz;
            let e3 = dx * dy * dz;
            let sum = Wide::ONE - e2.over(10) + e3.over(14) + (e2 * e2).over(24)
                - e2 * e3 * ratio(3, 44)
                - e2 * e2 * e2 * ratio(5, 208)
                + e3 * e3 * ratio(3, 104)
                + e2 * e2 * e3.over(16);
            return sum / a.sqrt();
        }
        let (p, q, r) = (x.sqrt(), y.sqrt(), z.sqrt());
        let lambda = p * (q + r) + q * r;
        (x, y, z) = ((x + lambda).scaled(-2), (y + lambda).scaled(-2), (z + lambda).scaled(-2));
    }
}

/// R_C, by its principal value for y < 0.
pub(crate) fn rc<const N: usize>(x: Wide<N>, y: Wide<N>) -> Wide<N> {
    if y.is_negative() {
        // √(x/(x − y)) R_C(x − y, −y)
        let sum = x - y;
        return (x / sum).sqrt() * rc(sum, -y);
    }
    rf(x, y, y)
}

/// R_C(1, 1 + e) = arctan(√e)/√e for e > −1.
fn rc_near_one<const N: usize>(e: Wide<N>) -> Wide<N> {
    if e.magnitude() < -12 {
        // Σ (−e)ⁿ/(2n + 1)
        let terms = (Wide::<N>::BITS + 4) / -e.magnitude() + 1;
        let mut sum = Wide::ZERO;
        for n in (0..=terms as u64).rev() {
            sum = Wide::ONE.over(2 * n + 1) - e * sum;
        }
        return sum;
    }
    let root = e.abs().sqrt();
    if e.is_negative() {
        // artanh(r)/r, r = √−e, with 1 − r = (1 + e)/(1 + r)
        let above = Wide::ONE + root;
        return (above * above / (Wide::ONE + e)).ln().scaled(-1) / root;
    }
    root.atan2(Wide::ONE) / root
}

/// Σ of degree 7 in the deviations, common to R_J and R_D.
fn quintic_tail<const N: usize>(e2: Wide<N>, e3: Wide<N>, e4: Wide<N>, e5: Wide<N>) -> Wide<N> {
    let square = e2 * e2;
    Wide::ONE - e2 * ratio(3, 14) + e3.over(6) + square * ratio(9, 88) - e4 * ratio(3, 22) - e2 * e3 * ratio(9, 52)
        + e5 * ratio(3, 26)
        - (square * e2).scaled(-4)
        + e3 * e3 * ratio(3, 40)
        + e2 * e4 * ratio(3, 20)
        + square * e3 * ratio(45, 272)
        - (e3 * e4 + e2 * e5) * ratio(9, 68)
}

/// R_D.
pub(crate) fn rd<const N: usize>(mut x: Wide<N>, mut y: Wide<N>, mut z: Wide<N>) -> Wide<N> {
    let (mut sum, mut halvings) = (Wide::ZERO, 0);
    loop {
        let a = (x + y + z.times(3)).over(5);
        let (dx, dy) = ((a - x) / a, (a - y) / a);
        let dz = -(dx + dy).over(3);
        let worst = dx.magnitude().max(dy.magnitude()).max(dz.magnitude());
        if 8 * worst < -Wide::<N>::BITS - 4 {
            let (xy, zz) = (dx * dy, dz * dz);
            let e2 = xy - zz.times(6);
            let e3 = (xy.times(3) - zz.times(8)) * dz;
            let e4 = (xy - zz).times(3) * zz;
            let e5 = xy * zz * dz;
            return (quintic_tail(e2, e3, e4, e5) / (a * a.sqrt())).scaled(-halvings) + sum.times(3);
        }
        let (p, q, r) = (x.sqrt(), y.sqrt(), z.sqrt());
        let lambda = p * (q + r) + q * r;
        sum = sum + (r * (z + lambda)).recip().scaled(-halvings);
        halvings += 2;
        (x, y, z) = ((x + lambda).scaled(-2), (y + lambda).scaled(-2), (z + lambda).scaled(-2));
    }
}

/// R_J for p > 0.
pub(crate) fn rj_positive<const N: usize>(x: Wide<N>, y: Wide<N>, z: Wide<N>, p: Wide<N>) -> Wide<N> {
    let delta = (p - x) * (p - y) * (p - z);
    let (mut x, mut y, mut z, mut p) = (x, y, z, p);
    let (mut sum, mut halvings) = (Wide::ZERO, 0);
    loop {
        let a = (x + y + z + p.scaled(1)).over(5);
        let (dx, dy, dz) = ((a - x) / a, (a - y) / a, (a - z) / a);
        let dp = -(dx + dy + dz).scaled(-1);
        let worst = dx.magnitude().max(dy.magnitude()).max(dz.magnitude()).max(dp.magnitude());
        if 8 * worst < -Wide::<N>::BITS - 4 {
            let (xyz, pp) = (dx * dy * dz, dp * dp);
            let e2 = dx * dy + dy * dz + dz * dx - pp.times(3);
            let e3 = xyz + (e2 * dp).scaled(1) + (pp * dp).scaled(2);
            let e4 = (xyz.scaled(1) + e2 * dp + (pp * dp).times(3)) * dp;
            let e5 = xyz * pp;
            return (quintic_tail(e2, e3, e4, e5) / (a * a.sqrt())).scaled(-halvings) + sum.times(6);
        }
        let (rx, ry, rz, rp) = (x.sqrt(), y.sqrt(), z.sqrt(), p.sqrt());
        let lambda = rx * (ry + rz) + ry * rz;
        let d = (rp + rx) * (rp + ry) * (rp + rz);
        // e = δ 4^{−3n}/d²
        let e = delta.scaled(-3 * halvings) / (d * d);
        sum = sum + (rc_near_one(e) / d).scaled(-halvings);
        halvings += 2;
        (x, y, z, p) =
            ((x + lambda).scaled(-2), (y + lambda).scaled(-2), (z + lambda).scaled(-2), (p + lambda).scaled(-2));
    }
}

/// R_J, by its principal value for p < 0.
pub(crate) fn rj<const N: usize>(x: Wide<N>, y: Wide<N>, z: Wide<N>, p: Wide<N>) -> Ball<N> {
    if !p.is_negative() {
        return rounded(rj_positive(x, y, z, p));
    }
    // with x ≤ y ≤ z, q = −p and P = (z (x + y + q) − x y)/(z + q):
    // (q + z) R_J(x, y, z, −q) = (P − z) R_J(x, y, z, P) − 3 R_F(x, y, z)
    //                            + 3 √(x y z/(x y + P q)) R_C(x y + P q, P q)
    let mut ordered = [x, y, z];
    ordered.sort_by(|a, b| a.partial_cmp(b).expect("wide numbers are ordered"));
    let [x, y, z] = ordered;
    let q = -p;
    let p = (z * (x + y + q) - x * y) / (z + q);
    let pq = p * q;
    let sum = x * y + pq;
    let first = rounded((z - x) * (y - z) / (z + q)) * rounded(rj_positive(x, y, z, p)); // P − z, factored
    let second = rounded(rf(x, y, z).times(3));
    let third = rounded((x * y * z / sum).sqrt().times(3) * rc(sum, pq));
    (first - second + third) / rounded(q + z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms() {
        let pi = std::f64::consts::PI;
        assert_eq!(carlson_rf(2.0, 2.0, 2.0), 0.5f64.sqrt());
        assert_eq!(carlson_rc(0.0, 0.25), pi);
        assert_eq!(carlson_rc(2.25, 2.0), 2f64.ln());
        assert!((carlson_rc(0.25, -2.0) * 3.0 - 2f64.ln()).abs() < 2e-16);
        assert_eq!(carlson_rd(4.0, 4.0, 4.0), 0.125);
        assert_eq!(carlson_rj(4.0, 4.0, 4.0, 4.0), 0.125);
        assert!(carlson_rf(0.0, 0.0, 1.0).is_nan() && carlson_rf(-1.0, 1.0, 1.0).is_nan());
        assert!(carlson_rj(1.0, 1.0, 1.0, 0.0).is_nan() && carlson_rd(1.0, 2.0, 0.0).is_nan());
    }
}
