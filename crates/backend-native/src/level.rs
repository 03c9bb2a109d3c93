//! Instruction sets, and whether they are there.

use std::fmt;

/// What the machine code may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// AVX2: 16 registers of four doubles.
    Avx2,
    /// AVX-512 (F, DQ and VL): 32 registers of eight doubles.
    Avx512,
}

impl Level {
    /// All levels, lowest first.
    pub const ALL: [Level; 2] = [Level::Avx2, Level::Avx512];

    /// Does this machine have it?
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Level::Avx2 => is_x86_feature_detected!("avx2"),
            Level::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        };
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    /// The highest level of this machine, if it has any.
    pub fn best() -> Option<Level> {
        Level::ALL.into_iter().rev().find(|l| l.is_available())
    }

    /// How many vector registers there are.
    pub(crate) fn registers(self) -> u8 {
        match self {
            Level::Avx2 => 16,
            Level::Avx512 => 32,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        })
    }
}
