//! Numbers as they are set: a minus sign that is one, powers of ten as 10⁻³.
//!
//! [`Notation`] is how all numbers of an axis are written,
//!
//! ```text
//! x = offset + label · 10^exponent,
//! ```
//!
//! with a number of decimals they share. The offset is used when labels would need more than six
//! digits to differ, as in 1 ± 10⁻¹³; it is then the roundest number in the range or near it. The
//! arithmetic is that of integers times powers of ten, so labels are exact.

use crate::range::Extent;

/// More digits than this in a label, and the axis gets an offset.
const MOST_DIGITS: i32 = 6;
/// Powers of ten that are written out: 0.001 to 99999.
const PLAIN: std::ops::Range<i32> = -3..5;

/// The exponent of the leading digit: ⌊log₁₀ |x|⌋, exactly.
pub(crate) fn magnitude(x: f64) -> i32 {
    let text = format!("{x:e}");
    text.split_once('e').and_then(|(_, e)| e.parse().ok()).expect("a finite number is written with an exponent")
}

/// `digits · 10^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) digits: i128,
    pub(crate) exponent: i32,
}

impl Decimal {
    /// The nearest double.
    pub(crate) fn value(self) -> f64 {
        format!("{}e{}", self.digits, self.exponent).parse().expect("the syntax of numbers")
    }

    /// Written out with the given number of decimals, all of which it has.
    fn fixed(self, decimals: i32) -> String {
        let zeros = (self.exponent + decimals).max(0) as usize;
        let digits = format!(
            "{}{}",
            self.digits.unsigned_abs(),
            if self.digits == 0 { String::new() } else { "0".repeat(zeros) }
        );
        let digits = format!("{digits:0>width$}", width = decimals as usize + 1);
        let (whole, part) = digits.split_at(digits.len() - decimals as usize);
        let sign = if self.digits < 0 { "−" } else { "" };
        if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
    }

    /// Written out as short as it can be.
    fn shortest(mut self) -> String {
        while self.digits != 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.exponent += 1;
        }
        match self.exponent {
            _ if self.digits == 0 => "0".into(),
            e if e >= PLAIN.end => match self.digits {
                1 => power_of_ten(e),
                -1 => format!("−{}", power_of_ten(e)),
                digits => format!("{}·{}", minus(&digits.to_string()), power_of_ten(e)),
            },
            e => self.fixed((-e).max(0)),
        }
    }
}

/// With a minus sign in place of the hyphen.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// An integer as an exponent: −13 is ⁻¹³.
pub fn superscript(n: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32('⁰' as u32 + (c as u32 - '0' as u32)).expect("superscripts follow each other"),
    };
    n.to_string().chars().map(digit).collect()
}

/// 10⁻³.
pub fn power_of_ten(n: i32) -> String {
    format!("10{}", superscript(n))
}

/// A number to so many significant digits, without zeros at the end: 0.35, 12345, 1.2·10⁻⁷, 10⁶.
///
/// Digits before the point are all shown.
pub fn short(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return if x.is_nan() {
            "NaN"
        } else if x > 0.0 {
            "∞"
        } else {
            "−∞"
        }
        .into();
    }
    let scientific = format!("{:.*e}", digits.max(1) - 1, x);
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent was asked for");
    let exponent: i32 = exponent.parse().expect("an integer");
    let trim = |text: &str| {
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
        minus(if text == "-0" { "0" } else { text })
    };
    if x == 0.0 || PLAIN.contains(&exponent) {
        return trim(&format!("{:.*}", (digits as i32 - 1 - exponent).max(0) as usize, x));
    }
    match trim(mantissa).as_str() {
        "1" => power_of_ten(exponent),
        "−1" => format!("−{}", power_of_ten(exponent)),
        mantissa => format!("{mantissa}·{}", power_of_ten(exponent)),
    }
}

/// The range of a quantity, to about a hundredth of its width: `0.35 … 1.00`,
/// `1 + (−1.20 … 0.80)·10⁻¹³`. A constant is one number.
pub fn interval(extent: Extent) -> String {
    let Extent { min, max } = extent;
    if extent.is_constant() {
        return short(min, 6);
    }
    let unit = magnitude((max - min).max(f64::MIN_POSITIVE) / 50.0);
    let notation = Notation::new(extent, unit);
    let [lo, hi] = [min, max].map(|x| notation.label_of(x));
    let body = format!("{lo} … {hi}");
    match (notation.offset.is_some(), notation.exponent) {
        (false, 0) => body,
        (false, e) => format!("({body})·{}", power_of_ten(e)),
        (true, 0) => format!("{} + ({body})", notation.offset_text()),
        (true, e) => format!("{} + ({body})·{}", notation.offset_text(), power_of_ten(e)),
    }
}

/// How the numbers of an axis are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notation {
    offset: Option<Decimal>,
    exponent: i32,
    unit: i32, // labels are multiples of 10^unit
}

impl Notation {
    /// For multiples of `10^unit` between two numbers.
    pub(crate) fn new(extent: Extent, unit: i32) -> Self {
        let Extent { min, max } = extent;
        let size = magnitude(min.abs().max(max.abs()));
        let offset = (size - unit >= MOST_DIGITS).then(|| roundest(min, max, size)).filter(|c| c.digits != 0);
        let c = offset.map_or(0.0, Decimal::value);
        // Rounded to the unit first, because 9.99 may be shown as 10.
        let largest = (min - c).abs().max((max - c).abs()) / Decimal { digits: 1, exponent: unit }.value();
        let size = unit + magnitude(largest.round().max(1.0));
        // 0.002 and 1.0002 are written out, 0.0005 and 1.2345678 are not.
        let decimals = if size < 0 { 3 } else { 5 };
        let exponent = if PLAIN.contains(&size) && -unit <= decimals { 0 } else { size };
        Self { offset, exponent, unit }
    }

    /// Numbers as they are.
    pub(crate) fn plain() -> Self {
        Self { offset: None, exponent: 0, unit: 0 }
    }

    /// The power of ten that labels are to be multiplied with.
    pub fn exponent(&self) -> i32 {
        self.exponent
    }

    /// What is to be added to labels, if anything.
    pub fn offset(&self) -> Option<f64> {
        self.offset.map(Decimal::value)
    }

    /// The offset as it is written; its sign is part of it.
    pub fn offset_text(&self) -> String {
        self.offset.map_or_else(|| "0".into(), Decimal::shortest)
    }

    /// The label of a multiple of `10^unit`.
    pub(crate) fn label(&self, tick: Decimal) -> String {
        let rescale = |d: Decimal| d.digits * 10_i128.pow((d.exponent - self.unit).max(0) as u32);
        let digits = rescale(tick) - self.offset.map_or(0, rescale);
        let decimals = (self.exponent - self.unit).max(0);
        Decimal { digits, exponent: self.unit - self.exponent }.fixed(decimals)
    }

    /// The label of the multiple of `10^unit` next to a number.
    fn label_of(&self, x: f64) -> String {
        let x = x - self.offset().unwrap_or(0.0);
        let scaled = format!("{:.0}", x / Decimal { digits: 1, exponent: self.unit }.value());
        let digits = scaled.parse().unwrap_or(0);
        let decimals = (self.exponent - self.unit).max(0);
        Decimal { digits, exponent: self.unit - self.exponent }.fixed(decimals)
    }
}

/// The multiple of the largest power of ten that is no farther from the range than ten times its width.
fn roundest(min: f64, max: f64, size: i32) -> Decimal {
    let (middle, width) = (min / 2.0 + max / 2.0, max - min);
    let candidates = (size - 17..=size + 1).rev().map(|exponent| {
        let step = Decimal { digits: 1, exponent }.value();
        Decimal { digits: (middle / step).round() as i128, exponent }
    });
    let near = |c: &Decimal| (min - c.value()).abs().max((max - c.value()).abs()) <= 10.0 * width;
    candidates.into_iter().find(near).unwrap_or(Decimal { digits: 0, exponent: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers() {
        for (x, digits, text) in [
            (0.0, 3, "0"),
            (-0.0, 3, "0"),
            (0.35, 3, "0.35"),
            (1.0, 3, "1"),
            (-9.81, 3, "−9.81"),
            (12345.6, 3, "12346"),
            (99999.9, 3, "10⁵"),
            (123456.0, 3, "1.23·10⁵"),
            (0.001, 3, "0.001"),
            (0.0009996, 3, "0.001"),
            (1e-13, 3, "10⁻¹³"),
            (-1e6, 3, "−10⁶"),
            (2.5e-300, 3, "2.5·10⁻³⁰⁰"),
            (1.0 / 3.0, 5, "0.33333"),
            (f64::NEG_INFINITY, 3, "−∞"),
            (f64::NAN, 3, "NaN"),
        ] {
            assert_eq!(short(x, digits), text);
        }
        assert_eq!(superscript(-1_234_567_890), "⁻¹²³⁴⁵⁶⁷⁸⁹⁰");
    }

    #[test]
    fn intervals() {
        for (min, max, text) in [
            (0.35, 1.0, "0.35 … 1.00"),
            (-1.0, 1.0, "−1.00 … 1.00"),
            (-9.874, 9.81, "−9.9 … 9.8"),
            (0.0, 1000.0, "0 … 1000"),
            (0.0, 123456.0, "(0.00 … 1.23)·10⁵"),
            (-2e-8, 1e-8, "(−2.00 … 1.00)·10⁻⁸"),
            (2.0, 2.0, "2"),
            (1e5, 1e5 + 1.0, "10⁵ + (0.00 … 1.00)"),
            (0.0, 9.9999999, "0.0 … 10.0"),
        ] {
            assert_eq!(interval(Extent { min, max }), text);
        }
        let narrow = Extent { min: 1.0 - 1.2e-13, max: 1.0 + 0.8e-13 };
        assert_eq!(interval(narrow), "1 + (−1.20 … 0.80)·10⁻¹³");
        let negative = Extent { min: -9.8100002, max: -9.8100001 };
        assert_eq!(interval(negative), "−9.81 + (−2.00 … −1.00)·10⁻⁷");
    }

    #[test]
    fn offsets_are_round_and_near() {
        let d = |digits, exponent| Decimal { digits, exponent };
        assert_eq!(roundest(0.9999, 1.0001, 0), d(1, 0));
        assert_eq!(roundest(2.71829, 2.71831, 0), d(27183, -4));
        assert_eq!(roundest(-9.8100002, -9.8100001, 0), d(-981, -2));
        assert_eq!(roundest(1000.0002, 1000.0008, 3), d(1, 3));
        assert_eq!(roundest(99.9999, 100.0001, 2), d(1, 2));
    }
}
