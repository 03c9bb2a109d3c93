//! Random numbers that are the same on every run and every machine.
//!
//! ```text
//! s ← s + γ,   z = s,   z ← (z ⊕ z≫30) a,   z ← (z ⊕ z≫27) b,   out = z ⊕ z≫31        (SplitMix64)
//! ```
//!
//! The state counts in steps of γ, so number k of a sequence can be had without those before it ([`Random::after`]).
//! Verdicts, tests and printed digits depend on these sequences: whoever changes them changes results.
//!
//! Source: \[SteeleLeaFlood2014\]; the hash of names is FNV-1a.
//!
//! Not here: numbers of a sample of a sweep, which depend on its index alone (`sweep/src/philox.rs`), and seeds from the clock.

/// The step of the state.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The sequence of a seed without its first `count` numbers.
    #[must_use]
    pub const fn after(seed: u64, count: u64) -> Random {
        Random(seed.wrapping_add(count.wrapping_mul(GAMMA)))
    }

    /// The sequence of a name.
    #[must_use]
    pub fn named(name: &str) -> Random {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Random(name.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// An integer below n > 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number in [0, 1), with all 53 binary digits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number in [low, high) that is a short fraction: 31 binary digits times the length of the interval. As a rational number it
    /// keeps formulas small.
    pub fn short(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 33) as f64 / (1u64 << 31) as f64)
    }

    /// A double of any size and sign, special ones among them.
    pub fn any_double(&mut self) -> f64 {
        const SPECIAL: [f64; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            -2.2e-310,
            1e22,
        ];
        match self.below(4) {
            0 => SPECIAL[self.below(SPECIAL.len())],
            1 => f64::from_bits(self.bits()),
            _ => self.between(-3.0, 3.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        // the first numbers of seed 1234567, from the authors' program
        let mut random = Random::new(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([0; 3].map(|_| random.bits()), first);
        assert_eq!(Random::after(1_234_567, 2).bits(), first[2]);
    }

    #[test]
    fn names_have_their_own_sequences() {
        // FNV-1a of "a" is a published test vector
        assert_eq!(Random::named("a").0, 0xaf63_dc4c_8601_ec8c);
        assert_ne!(Random::named("m").unit(), Random::named("n").unit());
    }
}
