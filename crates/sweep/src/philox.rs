//! Random numbers by their index: Philox-4×32 with ten rounds.
//!
//! A counter of 128 bits and a key of 64 give four random words, by ten rounds of
//!
//! ```text
//! (x₀, x₁, x₂, x₃) → (hi(M₁x₂) ⊕ x₁ ⊕ k₀,  lo(M₁x₂),  hi(M₀x₀) ⊕ x₃ ⊕ k₁,  lo(M₀x₀)),     k → k + W
//! ```
//!
//! There is no state: number `d` of sample `i` depends on the seed, `i` and `d` alone, whoever asks for it.
//!
//! Source: \[SalmonEtAl2011\].

const M: [u64; 2] = [0xd251_1f53, 0xcd9e_8d57];
const W: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

fn philox(mut x: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let (a, b) = (M[0] * u64::from(x[0]), M[1] * u64::from(x[2]));
        x = [(b >> 32) as u32 ^ x[1] ^ k[0], b as u32, (a >> 32) as u32 ^ x[3] ^ k[1], a as u32];
        k = [k[0].wrapping_add(W[0]), k[1].wrapping_add(W[1])];
    }
    x
}

/// 64 random bits: number `d` of sample `i`. Streams with different `purpose` have nothing in common.
pub(crate) fn bits(seed: u64, purpose: u16, i: u64, d: u16) -> u64 {
    let counter = [i as u32, (i >> 32) as u32, u32::from(d), u32::from(purpose)];
    let x = philox(counter, [seed as u32, (seed >> 32) as u32]);
    u64::from(x[0]) | u64::from(x[1]) << 32
}

/// The middle of one of the 2⁵² equal parts of (0, 1).
pub(crate) fn unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that come with the authors' code.
    #[test]
    fn known_answers() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = u32::MAX;
        assert_eq!(philox([ones; 4], [ones; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(philox(pi, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn units_lie_inside() {
        assert!(unit(0) > 0.0 && unit(u64::MAX) < 1.0);
    }
}
