//! Ranges of axes.
//!
//! ```text
//! fraction(x) = (x − lo)/(hi − lo)
//! ```
//!
//! maps a range onto [0, 1]. Numbers beyond ±10³⁰⁰ are drawn there, so that `hi − lo` is finite; for data in a narrow range `x − lo` is exact, and 1 ± 10⁻¹³ is drawn as well as ±1.

/// An interval with `lo < hi`, both finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    lo: f64,
    hi: f64,
}

/// The smallest and the largest of some numbers, both finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// Numbers beyond this are drawn here.
const LARGEST: f64 = 1e300;

impl Extent {
    /// Over the finite numbers, if there is one.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut finite = values.into_iter().filter(|x| x.is_finite()).map(|x| x.clamp(-LARGEST, LARGEST));
        let first = finite.next()?;
        Some(finite.fold(Self { min: first, max: first }, |e, x| Self { min: e.min.min(x), max: e.max.max(x) }))
    }

    /// Whether all numbers were the same.
    pub fn is_constant(self) -> bool {
        self.min == self.max
    }

    /// The range itself; a single number is put in the middle of one.
    pub fn tight(self) -> Range {
        self.with_margin(0.0)
    }

    /// The range with a margin on both sides, a fraction of its width.
    ///
    /// A single number gets a tenth of its size on both sides, zero gets ±1. Below eight units in
    /// the last place there is nothing to see but rounding, and the range does not become smaller.
    pub fn with_margin(self, margin: f64) -> Range {
        let size = self.min.abs().max(self.max.abs());
        let middle = self.min / 2.0 + self.max / 2.0;
        let half = (self.max - self.min) / 2.0;
        if self.is_constant() {
            let half = if size == 0.0 { 1.0 } else { (size / 10.0).max(f64::MIN_POSITIVE) };
            return Range::new(middle - half, middle + half);
        }
        let least = (4.0 * f64::EPSILON * size).max(f64::MIN_POSITIVE);
        if half < least {
            return Range::new(middle - least, middle + least);
        }
        let margin = margin * 2.0 * half;
        Range::new(self.min - margin, self.max + margin)
    }
}

impl Range {
    /// From `lo` to `hi`.
    ///
    /// # Panics
    /// If they are not finite or not in order: ranges of data come from [`Extent`].
    pub fn new(lo: f64, hi: f64) -> Self {
        assert!(lo < hi && (hi - lo).is_finite(), "a range from {lo} to {hi}");
        Self { lo, hi }
    }

    /// Its lower end.
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// Its upper end.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// Its width.
    pub fn width(self) -> f64 {
        self.hi - self.lo
    }

    /// Where `x` lies: 0 at the lower end, 1 at the upper.
    pub fn fraction(self, x: f64) -> f64 {
        (x.clamp(-LARGEST, LARGEST) - self.lo) / (self.hi - self.lo)
    }

    /// The range of the given width around the same middle.
    pub fn widened_to(self, width: f64) -> Self {
        let more = (width - self.width()) / 2.0;
        Self::new(self.lo - more, self.hi + more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(values: &[f64]) -> (f64, f64) {
        let r = Extent::of(values.iter().copied()).unwrap().with_margin(0.05);
        (r.lo(), r.hi())
    }

    #[test]
    fn margins_and_constants() {
        assert_eq!(range(&[0.0, 10.0]), (-0.5, 10.5));
        assert_eq!(range(&[0.0]), (-1.0, 1.0));
        assert_eq!(range(&[20.0, 20.0, f64::NAN]), (18.0, 22.0));
        assert_eq!(Extent::of([f64::NAN, f64::INFINITY]), None);
    }

    #[test]
    fn hostile_numbers_give_ranges() {
        for values in [
            &[f64::MAX, -f64::MAX][..],
            &[5e-324],
            &[0.0, 5e-324],
            &[1.0, 1.0 + f64::EPSILON],
            &[f64::MAX],
            &[-f64::MAX],
            &[f64::INFINITY, 1.0],
        ] {
            let (lo, hi) = range(values);
            assert!(lo < hi && (hi - lo).is_finite(), "{values:?}");
        }
    }
}
