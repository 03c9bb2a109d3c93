//! Instruction sets.

use std::fmt;

/// What vectors the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What every processor of the architecture has: two doubles at a time on x86-64.
    Baseline,
    /// x86-64 with AVX2: four doubles.
    Avx2,
    /// x86-64 with AVX-512 (F, DQ and VL): eight doubles.
    Avx512,
}

/// The machine lacks an instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(pub Level);

impl Level {
    /// All levels, lowest first.
    pub const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// Does this machine have it?
    pub fn is_available(self) -> bool {
        match self {
            Level::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The highest level of this machine.
    pub fn best() -> Level {
        Level::ALL.into_iter().rev().find(|l| l.is_available()).unwrap_or(Level::Baseline)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        })
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this machine has no {}", self.0)
    }
}

impl std::error::Error for Unavailable {}
