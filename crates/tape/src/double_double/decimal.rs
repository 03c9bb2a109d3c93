//! Decimal text of double-doubles.
//!
//! A binary number has finitely many decimal digits, m/2ⁿ = m 5ⁿ/10ⁿ, so that all of them are at
//! hand: printing rounds them once, half to even. Reading takes the nearest double, subtracts it
//! from the text digit by digit, and takes the nearest double again.

use super::Dd;
use std::fmt::{self, Display, LowerExp};
use std::str::FromStr;

/// Digits after which [`Display`] and [`LowerExp`] round when no precision is asked for.
const SIGNIFICANT: usize = 32;

/// Text that is no decimal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotANumber(pub String);

impl Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}` is not a decimal number", self.0)
    }
}

impl std::error::Error for NotANumber {}

impl FromStr for Dd {
    type Err = NotANumber;

    /// Reads what doubles read; the result is the nearest double and the double nearest to the rest.
    fn from_str(text: &str) -> Result<Dd, NotANumber> {
        let hi: f64 = text.parse().map_err(|_| NotANumber(text.into()))?;
        if hi == 0.0 || !hi.is_finite() {
            return Ok(Dd::from(hi));
        }
        let lo = Decimal::read(text).minus(&Decimal::exactly(hi)).nearest();
        Ok(Dd { hi, lo: if lo == 0.0 { 0.0 } else { lo } })
    }
}

impl Display for Dd {
    /// 32 significant digits less trailing zeros, with an exponent when the number is below 10⁻⁵ or
    /// not below 10³². A precision is the number of digits behind the point.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.hi == 0.0 || !self.hi.is_finite() {
            return Display::fmt(&self.hi, f);
        }
        let all = Digits::of(*self);
        let body = match f.precision() {
            Some(p) => {
                let places = all.exponent + 1 + i32::try_from(p).unwrap_or(i32::MAX / 2);
                if places < 0 { Digits::zero(p) } else { all.rounded(places as usize) }.plain(Some(p))
            }
            None => {
                let digits = all.rounded(SIGNIFICANT).trimmed();
                if (-5..32).contains(&digits.exponent) { digits.plain(None) } else { digits.scientific() }
            }
        };
        f.pad_integral(self.hi > 0.0, "", &body)
    }
}

impl LowerExp for Dd {
    /// One digit before the point; the precision counts those behind it.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.hi == 0.0 || !self.hi.is_finite() {
            return LowerExp::fmt(&self.hi, f);
        }
        let all = Digits::of(*self);
        let digits = match f.precision() {
            Some(p) => all.rounded(p + 1),
            None => all.rounded(SIGNIFICANT).trimmed(),
        };
        f.pad_integral(self.hi > 0.0, "", &digits.scientific())
    }
}

/// Limbs of a [`Decimal`] are digits in this base.
const BASE: u64 = 1_000_000_000;

/// An exact decimal number ± Σ limbs[k] · 10^(9 (k + lowest)), least limb first.
#[derive(Clone, Debug, Default)]
struct Decimal {
    negative: bool,
    limbs: Vec<u64>,
    lowest: i32,
}

impl Decimal {
    /// A finite double.
    fn exactly(x: f64) -> Decimal {
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let m_twos = if m == 0 { 0 } else { (m.trailing_zeros() as i32).min((-e).max(0)) };
        let (m, e) = (m >> m_twos, e + m_twos);
        let mut d = Decimal { negative: x < 0.0, limbs: vec![m % BASE, m / BASE], lowest: 0 };
        if e >= 0 {
            d.multiply_power(2, e);
        } else {
            // m 2ᵉ = m 5ⁿ 10^(l − n) / 10ˡ with n = −e and l the next multiple of 9
            let n = -e;
            d.lowest = -((n + 8) / 9);
            d.multiply_power(5, n);
            d.multiply_power(10, -9 * d.lowest - n);
        }
        d
    }

    /// Text that reads as a double other than 0 and ∞.
    fn read(text: &str) -> Decimal {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i64 = exponent.parse().unwrap_or(0); // fits, or the double would be 0 or ∞
        let (whole, behind) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = (whole.bytes().chain(behind.bytes()).filter(u8::is_ascii_digit))
            .map(|b| b - b'0')
            .skip_while(|d| *d == 0)
            .collect();
        // the last digit stands for 10^last; fill up to a multiple of 9
        let last = exponent - behind.len() as i64;
        let lowest = last.div_euclid(9);
        let fill = (last - 9 * lowest) as usize;
        let filled: Vec<u8> = digits.into_iter().chain(std::iter::repeat_n(0, fill)).collect();
        let limbs = (filled.rchunks(9)).map(|c| c.iter().fold(0, |n, d| 10 * n + u64::from(*d))).collect();
        Decimal { negative: text.starts_with('-'), limbs, lowest: lowest as i32 }
    }

    /// Times factor^n.
    fn multiply_power(&mut self, factor: u64, n: i32) {
        let mut left = n;
        while left > 0 {
            // as many factors at once as fit beside a limb
            let chunk = left.min(9);
            let f = factor.pow(chunk as u32);
            let mut carry = 0;
            for limb in &mut self.limbs {
                let t = *limb * f + carry;
                (*limb, carry) = (t % BASE, t / BASE);
            }
            if carry > 0 {
                self.limbs.push(carry);
            }
            left -= chunk;
        }
    }

    /// The limb that stands for 10^(9 k).
    fn limb(&self, k: i32) -> i64 {
        usize::try_from(k - self.lowest).ok().and_then(|k| self.limbs.get(k)).map_or(0, |l| *l as i64)
    }

    fn minus(&self, b: &Decimal) -> Decimal {
        let lowest = self.lowest.min(b.lowest);
        let end = (self.lowest + self.limbs.len() as i32).max(b.lowest + b.limbs.len() as i32) + 1;
        let sign = |d: &Decimal| if d.negative { -1 } else { 1 };
        let column = |k: i32| sign(self) * self.limb(k) - sign(b) * b.limb(k);
        // the sign of a difference is that of its first column that does not vanish, unless the
        // columns below outweigh it; carrying both ways finds out
        let carried = |sign: i64| {
            let mut carry = 0;
            let limbs: Vec<u64> = (lowest..end)
                .map(|k| {
                    let t = sign * column(k) + carry;
                    carry = t.div_euclid(BASE as i64);
                    t.rem_euclid(BASE as i64) as u64
                })
                .collect();
            (carry >= 0).then_some(limbs)
        };
        match carried(1) {
            Some(limbs) => Decimal { negative: false, limbs, lowest },
            None => Decimal { negative: true, limbs: carried(-1).expect("one of ±x is not negative"), lowest },
        }
    }

    /// All digits, first to last.
    fn digits(&self) -> String {
        self.limbs.iter().rev().map(|l| format!("{l:09}")).collect()
    }

    fn nearest(&self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits(), 9 * self.lowest).parse().expect("digits are a number")
    }
}

/// d₀.d₁d₂… · 10^exponent with d₀ ≠ 0: the size of a number.
struct Digits {
    digits: Vec<u8>,
    exponent: i32,
}

impl Digits {
    /// All digits of a finite number other than 0.
    fn of(x: Dd) -> Digits {
        let d = Decimal::exactly(x.hi).minus(&Decimal::exactly(-x.lo));
        let text = d.digits();
        let zeros = text.bytes().take_while(|b| *b == b'0').count();
        let exponent = 9 * d.lowest + (text.len() - zeros) as i32 - 1;
        Digits { digits: text.bytes().skip(zeros).map(|b| b - b'0').collect(), exponent }
    }

    /// 0.00…, as it is printed with `places` digits behind the point.
    fn zero(places: usize) -> Digits {
        Digits { digits: Vec::new(), exponent: -(places as i32) - 1 }
    }

    /// To so many digits, half to even. Of none, a 1 remains in front of them when they round up.
    fn rounded(mut self, count: usize) -> Digits {
        if count >= self.digits.len() {
            self.digits.resize(count, 0);
            return self;
        }
        let beyond = self.digits.split_off(count);
        let tie = beyond[0] == 5 && beyond[1..].iter().all(|d| *d == 0);
        let odd = self.digits.last().is_some_and(|d| d % 2 == 1);
        if beyond[0] < 5 || (tie && !odd) {
            return self;
        }
        for d in self.digits.iter_mut().rev() {
            if *d < 9 {
                *d += 1;
                return self;
            }
            *d = 0;
        }
        self.digits.insert(0, 1);
        self.digits.truncate(count.max(1));
        self.exponent += 1;
        self
    }

    fn trimmed(mut self) -> Digits {
        let used = self.digits.iter().rposition(|d| *d != 0).map_or(1, |k| k + 1);
        self.digits.truncate(used);
        self
    }

    fn digit(&self, exponent: i32) -> char {
        let d = usize::try_from(self.exponent - exponent).ok().and_then(|k| self.digits.get(k));
        char::from(b'0' + d.copied().unwrap_or(0))
    }

    /// 123.45, with so many digits behind the point, or as many as there are.
    fn plain(&self, places: Option<usize>) -> String {
        let whole: String = (0..=self.exponent.max(0)).rev().map(|e| self.digit(e)).collect();
        let last = self.exponent - self.digits.len() as i32 + 1;
        let places = places.map_or((-last).max(0), |p| p as i32);
        let behind: String = (1..=places).map(|e| self.digit(-e)).collect();
        if behind.is_empty() { whole } else { format!("{whole}.{behind}") }
    }

    /// 1.2345e2.
    fn scientific(&self) -> String {
        let text: String = self.digits.iter().map(|d| char::from(b'0' + d)).collect();
        let (first, rest) = text.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{first}{point}{rest}e{}", self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_like_doubles_where_they_agree() {
        for x in [1.0, -1.5, 0.1 + 0.2, 123456.789, 1e22, -2.5e-3, 999.9999, 0.0, -0.0, f64::INFINITY, f64::NAN] {
            for p in [0, 1, 2, 5, 20] {
                assert_eq!(format!("{:.p$}", Dd::from(x)), format!("{x:.p$}"));
                assert_eq!(format!("{:12.p$e}", Dd::from(x)), format!("{x:12.p$e}"));
            }
            assert_eq!(format!("{:>40.3}|{:+.2}", Dd::from(x), Dd::from(x)), format!("{x:>40.3}|{x:+.2}"));
        }
        for x in [0.04, 0.05, 0.06, 0.5, 1.5, 0.25, 0.96, 9.96, 1e-9] {
            assert_eq!(format!("{:.1} {0:.0}", Dd::from(x)), format!("{x:.1} {x:.0}"));
        }
    }

    #[test]
    fn thirty_two_digits() {
        // π = 3.14159 26535 89793 23846 26433 83279 50288 4…
        assert_eq!(Dd::PI.to_string(), "3.1415926535897932384626433832795");
        assert_eq!(Dd::ratio(1, 3).to_string(), "0.33333333333333333333333333333333");
        assert_eq!(format!("{:.31}", Dd::ratio(-2, 3)), "-0.6666666666666666666666666666667");
        assert_eq!(Dd::from(1e300).to_string(), "1.0000000000000000525047602552044e300");
        assert_eq!(Dd::from(5e-324).to_string(), "4.9406564584124654417656879286822e-324");
        assert_eq!(Dd::from(1.0).to_string(), "1");
        assert_eq!(Dd::from(1e31).to_string(), "9999999999999999635896294965248");
        assert_eq!(Dd::from(0.25).to_string(), "0.25");
        assert_eq!(Dd::from(-1e-5).to_string(), "-0.000010000000000000000818030539140313");
    }

    #[test]
    fn reads_to_the_nearest() {
        let pi: Dd = "3.14159265358979323846264338327950288419716939937510582".parse().unwrap();
        assert_eq!(pi, Dd::PI);
        assert_eq!("0.1".parse::<Dd>().unwrap(), Dd::ratio(1, 10));
        assert_eq!("+1e2".parse::<Dd>().unwrap(), Dd::from(100.0));
        assert_eq!("000.0000250E+2".parse::<Dd>().unwrap(), "25e-4".parse::<Dd>().unwrap());
        assert_eq!("-1e-400".parse::<Dd>().unwrap().hi().to_bits(), (-0.0f64).to_bits());
        assert_eq!("1e99999999999999999999".parse::<Dd>().unwrap(), Dd::from(f64::INFINITY));
        assert!("nan".parse::<Dd>().unwrap().hi().is_nan());
        // one unit beyond 106 bits is seen
        let x: Dd =
            "1.00000000000000011102230246251565404236316680908203125000000000000000000000000001".parse().unwrap();
        assert_eq!((x.hi(), x.lo()), (1.0000000000000002, -1.1102230246251565e-16));
        for text in ["", "-", "1.2.3", "0x10", "1e", "one"] {
            assert_eq!(text.parse::<Dd>(), Err(NotANumber(text.into())));
        }
    }
}
