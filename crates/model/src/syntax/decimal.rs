//! Numbers as they are written: exact decimals.
//!
//! `9.81` means 981/100 and nothing near it, so a number stays text until the
//! stage that has rationals takes it apart:
//!
//! ```text
//! value = ± digits · 10^exponent
//! ```

use std::fmt;
use std::sync::Arc;

/// Longest accepted number, in digits, and largest accepted power of ten.
///
/// Far beyond physics, and small enough that the exact rational stays cheap.
const LIMIT: usize = 1000;

/// An exact decimal number such as `1`, `-0.25` or `1e-3`, kept as text.
///
/// Invariant: the text is `-? digits (. digits)? (e -? digits)?`, without plus
/// signs, underscores or capital `E`. Equality is equality of this text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Decimal {
    text: Arc<str>,
}

/// A [`Decimal`] taken apart: `± digits · 10^exponent`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scientific {
    /// Whether there is a minus sign.
    pub negative: bool,
    /// Decimal digits without leading zeros; `"0"` for zero.
    pub digits: String,
    /// The power of ten.
    pub exponent: i32,
}

/// Why a text is not a [`Decimal`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecimalError {
    /// It does not have the form of a decimal number.
    Malformed,
    /// More than a thousand digits, or a power of ten beyond ±1000.
    OutOfRange,
}

impl fmt::Display for DecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DecimalError::Malformed => "not a decimal number",
            DecimalError::OutOfRange => "the number is too large or too small",
        })
    }
}

impl std::error::Error for DecimalError {}

impl Decimal {
    /// Reads a decimal as TOML and formulas write it (`1_000`, `+1`, `2.5E+3`).
    pub fn parse(text: &str) -> Result<Self, DecimalError> {
        let clean: String = text.chars().filter(|&c| c != '_').collect();
        let clean = clean.strip_prefix('+').unwrap_or(&clean);
        let (mantissa, exponent) = match clean.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (clean, None),
        };
        let unsigned = mantissa.strip_prefix('-').unwrap_or(mantissa);
        let (whole, fraction) = match unsigned.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (unsigned, None),
        };
        if !is_digits(whole) || !fraction.is_none_or(is_digits) {
            return Err(DecimalError::Malformed);
        }
        if unsigned.len() > LIMIT {
            return Err(DecimalError::OutOfRange);
        }
        let mut normal = mantissa.to_owned();
        if let Some(exponent) = exponent {
            let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
            let power = exponent.strip_prefix('-').unwrap_or(exponent);
            if !is_digits(power) {
                return Err(DecimalError::Malformed);
            }
            if power.parse::<usize>().map_or(true, |power| power > LIMIT) {
                return Err(DecimalError::OutOfRange);
            }
            normal.push('e');
            normal.push_str(exponent);
        }
        Ok(Self { text: normal.into() })
    }

    /// The number as text, in the form of the invariant.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is a minus sign.
    pub fn is_negative(&self) -> bool {
        self.text.starts_with('-')
    }

    /// The number without its minus sign.
    #[must_use]
    pub fn abs(&self) -> Self {
        match self.text.strip_prefix('-') {
            Some(text) => Self { text: text.into() },
            None => self.clone(),
        }
    }

    /// The value as `± digits · 10^exponent`.
    pub fn scientific(&self) -> Scientific {
        let (mantissa, power) = self.text.split_once('e').unwrap_or((&self.text, "0"));
        let unsigned = mantissa.strip_prefix('-').unwrap_or(mantissa);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        // both fit: the invariant bounds the power and the number of digits by LIMIT
        let power: i32 = power.parse().unwrap_or(0);
        let shift = i32::try_from(fraction.len()).unwrap_or(0);
        Scientific {
            negative: self.is_negative(),
            digits: if digits.is_empty() { "0".to_owned() } else { digits.to_owned() },
            exponent: power - shift,
        }
    }

    /// The value, if it is written as a natural number below 2³².
    pub fn as_u32(&self) -> Option<u32> {
        self.text.parse().ok()
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self { text: value.to_string().into() }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (bool, String, i32) {
        let parts = Decimal::parse(text).expect("a decimal").scientific();
        (parts.negative, parts.digits, parts.exponent)
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(parts("9.81"), (false, "981".into(), -2));
        assert_eq!(parts("1e-3"), (false, "1".into(), -3));
        assert_eq!(parts("-2.50E+2"), (true, "250".into(), 0));
        assert_eq!(parts("1_000"), (false, "1000".into(), 0));
        assert_eq!(parts("0.000"), (false, "0".into(), -3));
        assert_eq!(parts("+7"), (false, "7".into(), 0));
    }

    #[test]
    fn what_is_not_a_decimal() {
        for text in ["", "-", ".5", "1.", "1e", "e3", "0x1f", "inf", "1e1.5", "--1", "1.2.3"] {
            assert_eq!(Decimal::parse(text), Err(DecimalError::Malformed), "{text}");
        }
        assert_eq!(Decimal::parse("1e99999999999999999999"), Err(DecimalError::OutOfRange));
        assert_eq!(Decimal::parse(&"9".repeat(2000)), Err(DecimalError::OutOfRange));
    }

    #[test]
    fn small_naturals() {
        assert_eq!(Decimal::parse("3").map(|n| n.as_u32()), Ok(Some(3)));
        assert_eq!(Decimal::parse("3.0").map(|n| n.as_u32()), Ok(None));
        assert_eq!(Decimal::parse("-3").map(|n| n.abs().as_u32()), Ok(Some(3)));
    }
}
