//! Exact numbers: the rational constants of the graph.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// An exact rational number in lowest terms.
pub type Rational = RBig;

/// The rational `n/d`. The denominator must not be zero.
pub fn ratio(n: i64, d: i64) -> Rational {
    RBig::from_parts_signed(IBig::from(n), IBig::from(d))
}

/// The integer `n` as a rational.
pub fn int(n: i64) -> Rational {
    RBig::from(n)
}

/// Reads a decimal such as `9.81`, `1e-3` or `42` as the exact rational it denotes.
///
/// Exponents beyond ±400 are refused: no physical quantity needs them, and they
/// would make a number of any size out of a few characters.
pub fn parse_decimal(text: &str) -> Option<Rational> {
    let text: String = text.chars().filter(|c| *c != '_').collect();
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
        None => (&text[..], 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let negative = whole.starts_with('-');
    let digits: String = whole.trim_start_matches(['+', '-']).chars().chain(fraction.chars()).collect();
    if digits.is_empty() || digits.len() > 400 || !digits.bytes().all(|b| b.is_ascii_digit()) || exponent.abs() > 400 {
        return None;
    }
    let n: IBig = digits.parse().ok()?;
    let n = if negative { -n } else { n };
    let shift = exponent - fraction.len() as i32;
    let power = IBig::from(10).pow(shift.unsigned_abs() as usize);
    Some(if shift >= 0 { RBig::from(n * power) } else { RBig::from_parts_signed(n, power) })
}

/// `base` raised to an integer power; `None` for zero to a negative power.
pub fn pow_int(base: &Rational, exponent: i32) -> Option<Rational> {
    if exponent < 0 && base.is_zero() {
        return None;
    }
    let n = exponent.unsigned_abs() as usize;
    let (num, den) = (base.numerator().pow(n), IBig::from(base.denominator().pow(n)));
    Some(if exponent >= 0 { RBig::from_parts_signed(num, den) } else { RBig::from_parts_signed(den, num) })
}

/// The exact square root of a rational that is a perfect square.
pub fn exact_sqrt(x: &Rational) -> Option<Rational> {
    if x.numerator() < &IBig::ZERO {
        return None;
    }
    let root = |n: &UBig| -> Option<UBig> {
        use dashu_int::ops::SquareRoot;
        let r = n.sqrt();
        (&r * &r == *n).then_some(r)
    };
    let num = root(&x.numerator().clone().try_into().ok()?)?;
    let den = root(x.denominator())?;
    Some(RBig::from_parts(num.into(), den))
}

/// Is the number negative?
pub fn is_negative(x: &Rational) -> bool {
    x.numerator() < &IBig::ZERO
}

/// The value as an `i64`, when it is an integer that fits.
pub fn as_i64(x: &Rational) -> Option<i64> {
    if x.is_int() { i64::try_from(x.numerator()).ok() } else { None }
}

/// The nearest double.
pub fn to_f64(x: &Rational) -> f64 {
    x.to_f64().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(parse_decimal("9.81"), Some(ratio(981, 100)));
        assert_eq!(parse_decimal("1e-3"), Some(ratio(1, 1000)));
        assert_eq!(parse_decimal("-2.5E1"), Some(int(-25)));
        assert_eq!(parse_decimal("-0.5"), Some(ratio(-1, 2)));
        assert_eq!(parse_decimal("x"), None);
        assert_eq!(parse_decimal("1e999999999"), None);
    }

    #[test]
    fn square_roots_only_of_squares() {
        assert_eq!(exact_sqrt(&ratio(9, 4)), Some(ratio(3, 2)));
        assert_eq!(exact_sqrt(&int(2)), None);
        assert_eq!(exact_sqrt(&int(-4)), None);
    }
}
