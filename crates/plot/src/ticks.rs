//! Marks of an axis at multiples of 1, 2 or 5 times a power of ten.
//!
//! Marks are integers times powers of ten until the last moment: their labels are exact, and their
//! places are the doubles nearest to what the labels say.

use crate::number::{Decimal, Notation, magnitude, short};
use crate::range::{Extent, Range};

/// A distance between marks: 1, 2 or 5 times `10^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    factor: i128,
    exponent: i32,
}

/// The marks of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Place and label of each, in order.
    pub marks: Vec<(f64, String)>,
    /// What the labels stand for.
    pub notation: Notation,
}

impl Step {
    /// The smallest step with at most so many marks in the range, and at least two if that can be.
    pub fn new(range: Range, most: usize) -> Self {
        let most = most.max(1);
        let start = magnitude(range.width() / most as f64) - 1;
        let steps = (start..).flat_map(|exponent| [1, 2, 5].map(|factor| Self { factor, exponent }));
        let mut before = None;
        for step in steps {
            let (first, last) = step.multiples(range);
            let count = (last - first + 1).max(0) as usize;
            if count <= most {
                return if count < 2 { before.unwrap_or(step) } else { step };
            }
            before = Some(step);
        }
        unreachable!("a step above the range has at most one multiple in it")
    }

    /// The longer of two.
    pub fn max(self, other: Self) -> Self {
        if self.value() < other.value() { other } else { self }
    }

    /// The distance.
    pub fn value(self) -> f64 {
        self.times(1).value()
    }

    fn times(self, n: i128) -> Decimal {
        Decimal { digits: n * self.factor, exponent: self.exponent }
    }

    /// The first and the last multiple in the range; a mark may miss the end by rounding.
    fn multiples(self, range: Range) -> (i128, i128) {
        let (step, slack) = (self.value(), 1e-9);
        ((range.lo() / step - slack).ceil() as i128, (range.hi() / step + slack).floor() as i128)
    }
}

impl Ticks {
    /// At most so many marks.
    pub fn new(range: Range, most: usize) -> Self {
        Self::with_step(range, Step::new(range, most))
    }

    /// Marks at the multiples of a step.
    pub fn with_step(range: Range, step: Step) -> Self {
        let (first, last) = step.multiples(range);
        let decimals: Vec<Decimal> = (first..=last).map(|n| step.times(n)).collect();
        let Some(extent) = Extent::of(decimals.iter().map(|d| d.value())) else {
            return Self { marks: Vec::new(), notation: Notation::plain() };
        };
        let notation = Notation::new(extent, step.exponent);
        Self { marks: decimals.into_iter().map(|d| (d.value(), notation.label(d))).collect(), notation }
    }

    /// The one mark of a quantity that does not change.
    pub fn single(value: f64) -> Self {
        Self { marks: vec![(value, short(value, 6))], notation: Notation::plain() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64, most: usize) -> String {
        let ticks = Ticks::new(Range::new(lo, hi), most);
        let labels: Vec<&str> = ticks.marks.iter().map(|(_, label)| label.as_str()).collect();
        let mut text = labels.join(" ");
        if ticks.notation.exponent() != 0 {
            text += &format!(" e{}", ticks.notation.exponent());
        }
        if ticks.notation.offset().is_some() {
            text += &format!(" + {}", ticks.notation.offset_text());
        }
        text
    }

    #[test]
    fn marks_are_round() {
        for (lo, hi, most, expected) in [
            (0.0, 10.0, 6, "0 2 4 6 8 10"),
            (-1.05, 1.05, 5, "−1.0 −0.5 0.0 0.5 1.0"),
            (-1.05, 1.05, 4, "−1 0 1"),
            (0.32, 1.03, 4, "0.4 0.6 0.8 1.0"),
            (5.5, 14.5, 4, "6 8 10 12 14"),
            (0.0, 1e6, 5, "0.0 0.5 1.0 e6"),
            (9e4, 1.1e5, 3, "0.9 1.0 1.1 e5"),
            (0.0, 20000.0, 5, "0 5000 10000 15000 20000"),
            (-0.004, 0.004, 5, "−0.004 −0.002 0.000 0.002 0.004"),
            (0.0, 4e-4, 5, "0 1 2 3 4 e-4"),
            (2e-300, 3e-300, 3, "2.0 2.5 3.0 e-300"),
            (1.0 - 1.1e-13, 1.0 + 1.1e-13, 5, "−1.0 −0.5 0.0 0.5 1.0 e-13 + 1"),
            (1000.0001, 1000.0009, 5, "2 4 6 8 e-4 + 1000"),
            (299792457.0, 299792459.0, 3, "−3 −2 −1 + 299792460"),
        ] {
            assert_eq!(labels(lo, hi, most), expected, "{lo} {hi}");
        }
    }

    /// Every label, read as text and put through the notation, is the place of its mark.
    #[test]
    fn labels_say_where_the_marks_are() {
        for i in 0..4000_i32 {
            let centre = f64::from(i % 41 - 20) * 10_f64.powi(i % 13 - 6) * 1.234_567_89;
            let width = 10_f64.powf(f64::from(i % 97) / 8.0 - 9.0) * 1.7 * (1.0 + centre.abs());
            let range = Range::new(centre - width, centre + width);
            let most = 3 + i as usize % 8;
            let ticks = Ticks::new(range, most);
            assert!((2..=most + 2).contains(&ticks.marks.len()), "{range:?} {most}");
            let c = ticks.notation.offset().unwrap_or(0.0);
            for (x, label) in &ticks.marks {
                let label: f64 = label.replace('−', "-").parse().unwrap();
                let said = c + label * 10_f64.powi(ticks.notation.exponent());
                assert!((said - x).abs() <= 4e-16 * (x.abs() + c.abs()), "{range:?}: {said} at {x}");
                assert!((-1e-9..=1.0 + 1e-9).contains(&range.fraction(*x)));
            }
            let lengths = ticks.marks.iter().map(|(_, label)| label.trim_start_matches('−').len());
            assert!(lengths.max().unwrap() <= 8, "{ticks:?}");
        }
    }

    #[test]
    fn hostile_ranges_have_marks() {
        for values in [[f64::MAX, -f64::MAX], [0.0, 5e-324], [1.0, 1.0 + f64::EPSILON], [1e17, 1e17 + 16.0]] {
            let range = Extent::of(values).unwrap().with_margin(0.05);
            assert!(!Ticks::new(range, 5).marks.is_empty(), "{values:?}");
        }
    }
}
