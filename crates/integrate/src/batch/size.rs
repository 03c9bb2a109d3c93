//! How long a step a series is good for, by logarithms that are read off the bits of doubles.
//!
//! ```text
//! h = (h/ρ) min_k (n^(−½) Σ_k)^(−1/2k),        Σ_k = Σᵢ (ε y_{k,i})²/sᵢ²,        k = p − 1, p.          (B1)
//! ```
//!
//! A logarithm that is 0.09 off is divided by 2k, and the power is 0.7 % off: the step is, for k ≥ 10, by a percent at most. Nothing but additions,
//! multiplications and integers is used: the bits are the same on all machines.

/// log₂ x of a positive normal number, at most 0.09 less: the exponent, and the fraction in place of its logarithm.
pub(super) fn log2(x: f64) -> f64 {
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    const TWO_40: f64 = 1_099_511_627_776.0;
    // an integer below 2⁵² in the low bits of 2⁵²
    let integer = f64::from_bits(x.to_bits() >> 12 | TWO_52.to_bits()) - (TWO_52 + 1023.0 * TWO_40);
    integer * (1.0 / TWO_40)
}

/// 2ˣ for |x| < 1000, within 0.7 %.
pub(super) fn exp2(x: f64) -> f64 {
    const ONE: u64 = 1023 << 52;
    // of 2¹² + 1023 + x the exponent is shifted out, and that of 2ˣ comes to its place
    let bits = (x + (4096.0 + 1023.0)).to_bits() << 12;
    // a line between powers of 2, and 2^f/(1 + f) by a parabola
    let (line, f) = (f64::from_bits(bits), f64::from_bits(bits & (u64::MAX >> 12) | ONE) - 1.0);
    line * (1.0 - 0.2288 * f * (1.0 - f))
}

/// (B1) for one order p and norms of n components.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    exponents: [f64; 2], // −1/2k
    shifts: [f64; 2],    // the logarithm of n^(1/4k) h/ρ
}

impl Rule {
    pub(super) fn new(n: usize, order: usize, fraction: f64) -> Rule {
        let exponents = [order - 1, order].map(|k| -0.5 / k as f64);
        let shifts = exponents.map(|exponent| fraction.log2() - exponent * 0.5 * (n as f64).log2());
        Rule { exponents, shifts }
    }

    /// |h| from Σ_{p−1} and Σ_p; undefined where one of them is not finite.
    #[inline]
    pub(super) fn size(&self, before: f64, last: f64) -> f64 {
        let a = log2(before) * self.exponents[0] + self.shifts[0];
        let b = log2(last) * self.exponents[1] + self.shifts[1];
        exp2(if a < b { a } else { b }) + (before + last) * 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_powers_are_near() {
        for k in -4000..4000 {
            let x = f64::from(k) * 0.2377;
            let power = x.exp2();
            let less = x - log2(power);
            assert!((-1e-9..0.0861).contains(&less), "log₂ of 2^{x} is {less} less");
            assert!((exp2(x) / power - 1.0).abs() < 0.007, "2^{x} is {}", exp2(x));
        }
    }

    #[test]
    fn powers_grow() {
        let powers: Vec<f64> = (-3000..3000).map(|k| exp2(f64::from(k) * 1e-3)).collect();
        assert!(powers.windows(2).all(|w| w[0] < w[1]));
    }

    /// Of Σ_k = √n r^(−2k), the norm of a series whose radius is r.
    #[test]
    fn the_radius_of_a_geometric_series() {
        for (n, order, radius) in [(1, 12, 0.3), (8, 16, 2.0), (13, 25, 1e-3), (4, 8, 1e5_f64)] {
            let norm = |k: usize| (n as f64).sqrt() * radius.powi(-2 * k as i32);
            let size = Rule::new(n, order, 0.25).size(norm(order - 1), norm(order));
            assert!((size / (0.25 * radius) - 1.0).abs() < 0.02, "{size} at {radius}");
        }
    }

    #[test]
    fn what_is_not_finite_has_no_step() {
        let rule = Rule::new(8, 16, 0.25);
        for (before, last) in [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, 1.0)] {
            assert!(rule.size(before, last).is_nan());
        }
        assert!(rule.size(f64::MIN_POSITIVE, f64::MIN_POSITIVE) > 1e9);
    }
}
