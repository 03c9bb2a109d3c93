//! Sobol's sequence: points that fill a cube more evenly than random ones.
//!
//! Coordinate d of point i is the sum over the bits of i of direction numbers,
//!
//! ```text
//! x = ⊕_{k: bit k of i} v_k,      v_k = m_k / 2ᵏ,
//! m_k = 2a₁m_{k−1} ⊕ 4a₂m_{k−2} ⊕ … ⊕ 2ˢm_{k−s} ⊕ m_{k−s},
//! ```
//!
//! with a primitive polynomial xˢ + a₁xˢ⁻¹ + … + 1 over F₂ for each coordinate. Any point can be had by its index. A random shift of the digits,
//! x ⊕ r with one r for each coordinate from the seed, keeps all that is said below and makes the mean of a function over the points unbiased.
//!
//! The first 2ᵏ points have exactly one coordinate d in each of 2ᵏ equal intervals, for every d.
//!
//! Source: \[JoeKuo2008\], whose direction numbers these are.

use crate::budget::SOBOL_RANGES;
use crate::philox;

/// Digits of a coordinate: the points begin again after 2⁵² of them.
const DIGITS: usize = 52;

/// For each coordinate from the second on, the inner coefficients of the polynomial as bits, a₁ first, and m₁ … m_s.
const DIRECTIONS: [(u32, &[u64]); SOBOL_RANGES - 1] = [
    (0, &[1]),
    (1, &[1, 3]),
    (1, &[1, 3, 1]),
    (2, &[1, 1, 1]),
    (1, &[1, 1, 3, 3]),
    (4, &[1, 3, 5, 13]),
    (2, &[1, 1, 5, 5, 17]),
    (4, &[1, 1, 5, 5, 5]),
    (7, &[1, 1, 7, 11, 19]),
    (11, &[1, 1, 5, 1, 1]),
    (13, &[1, 1, 1, 3, 11]),
    (14, &[1, 3, 5, 5, 31]),
    (1, &[1, 3, 3, 9, 7, 49]),
    (13, &[1, 1, 1, 15, 21, 21]),
    (16, &[1, 3, 1, 13, 27, 49]),
    (19, &[1, 1, 1, 15, 7, 5]),
    (22, &[1, 3, 1, 15, 13, 25]),
    (25, &[1, 1, 5, 5, 19, 61]),
    (1, &[1, 3, 7, 11, 23, 15, 103]),
    (4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// The direction numbers of every coordinate, as integers of [`DIGITS`] digits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sobol {
    directions: Vec<[u64; DIGITS]>,
    shifts: Vec<u64>,
}

impl Sobol {
    /// For so many coordinates, at most [`SOBOL_RANGES`].
    pub(crate) fn new(dimension: usize, seed: u64) -> Sobol {
        let directions = (0..dimension).map(directions).collect();
        let shift = |d: usize| philox::bits(seed, 1, 0, d as u16) >> (64 - DIGITS);
        Sobol { directions, shifts: (0..dimension).map(shift).collect() }
    }

    /// Coordinate `d` of point `i`, in the middle of its digit.
    pub(crate) fn at(&self, i: u64, d: usize) -> f64 {
        let digits = (self.digits(i, d)) ^ self.shifts[d];
        (digits as f64 + 0.5) / (1u64 << DIGITS) as f64
    }

    fn digits(&self, i: u64, d: usize) -> u64 {
        let set = (0..DIGITS).filter(|k| i >> k & 1 == 1);
        set.fold(0, |x, k| x ^ self.directions[d][k])
    }
}

fn directions(coordinate: usize) -> [u64; DIGITS] {
    let mut m = [1u64; DIGITS];
    if let Some((a, first)) = coordinate.checked_sub(1).map(|c| DIRECTIONS[c]) {
        let s = first.len();
        m[..s].copy_from_slice(first);
        for k in s..DIGITS {
            m[k] = m[k - s] ^ m[k - s] << s;
            for j in 1..s {
                if a >> (s - 1 - j) & 1 == 1 {
                    m[k] ^= m[k - j] << j;
                }
            }
        }
    }
    std::array::from_fn(|k| m[k] << (DIGITS - 1 - k))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x has the order 2ˢ − 1 modulo each polynomial, which makes it primitive; and no two are the same.
    #[test]
    fn polynomials_are_primitive() {
        let mut seen = Vec::new();
        for (a, m) in DIRECTIONS {
            let s = m.len() as u32;
            let polynomial = 1u64 << s | u64::from(a) << 1 | 1;
            assert!(!seen.contains(&polynomial));
            seen.push(polynomial);
            let (mut x, mut order) = (1u64, 0u64);
            loop {
                x <<= 1;
                if x >> s & 1 == 1 {
                    x ^= polynomial;
                }
                order += 1;
                if x == 1 {
                    break;
                }
            }
            assert_eq!(order, (1 << s) - 1, "{polynomial:b}");
            for (k, m) in m.iter().enumerate() {
                assert!(m % 2 == 1 && *m < 2 << k, "an odd number below 2^{}", k + 1);
            }
        }
    }

    #[test]
    fn every_interval_has_one_point_in_every_coordinate() {
        for seed in [0, 7] {
            let sobol = Sobol::new(SOBOL_RANGES, seed);
            for d in 0..SOBOL_RANGES {
                let mut seen = [false; 256];
                (0..256).for_each(|i| seen[(sobol.at(i, d) * 256.0) as usize] = true);
                assert_eq!(seen, [true; 256], "coordinate {d}");
            }
        }
    }

    /// The first two coordinates are a (0, 2)-sequence: each box of area 1/64 has one of the first 64 points.
    #[test]
    fn the_first_two_fill_all_boxes() {
        let sobol = Sobol::new(2, 3);
        for k in 0..=6 {
            let (across, up) = (1u32 << k, 64u32 >> k);
            let mut seen = [false; 64];
            for i in 0..64 {
                let (x, y) = (sobol.at(i, 0) * f64::from(across), sobol.at(i, 1) * f64::from(up));
                seen[(x as u32 * up + y as u32) as usize] = true;
            }
            assert_eq!(seen, [true; 64], "{across} by {up}");
        }
    }

    /// Points of the unshifted sequence by hand: 0, 1/2, 1/4, 3/4 … and its second coordinate.
    #[test]
    fn the_first_points() {
        let sobol = Sobol { shifts: vec![0; 3], ..Sobol::new(3, 0) };
        let at = |i, d| sobol.digits(i, d) as f64 / (1u64 << DIGITS) as f64;
        assert_eq!([at(0, 0), at(1, 0), at(2, 0), at(3, 0)], [0.0, 0.5, 0.25, 0.75]);
        assert_eq!([at(0, 1), at(1, 1), at(2, 1), at(3, 1)], [0.0, 0.5, 0.75, 0.25]);
        assert_eq!([at(0, 2), at(1, 2), at(2, 2), at(3, 2)], [0.0, 0.5, 0.75, 0.25]);
        assert_eq!([at(4, 0), at(4, 1), at(4, 2)], [0.125, 0.625, 0.375]);
    }
}
