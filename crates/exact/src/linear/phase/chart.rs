//! A coordinate x of the shape variable in which turning points of any distances from the ends of its interval are alike.
//!
//! At an end of the interval V_eff has a pole, A/σ² with the distance σ, and the motion beside it is that of a point in a plane that passes the origin at a small distance: its turning
//! points may be many orders of magnitude apart. In x = ln σ it is no more than a wide oscillation.

use polhode_tape::{Dd, Scalar};

/// Turning points whose distances from an end differ by no more than this factor are far from it.
const FAR: f64 = 4.0;

/// s by x.
#[derive(Clone, Copy, Debug)]
pub(super) enum Chart {
    /// s = x.
    Plain,
    /// s = low + eˣ.
    Above(Dd),
    /// s = high − e⁻ˣ.
    Below(Dd),
    /// (s − low)/(high − s) = eˣ.
    Within(Dd, Dd),
}

impl Chart {
    /// For an oscillation in an interval with or without ends.
    pub(super) fn new([a, b]: [Dd; 2], [low, high]: [Option<Dd>; 2]) -> Chart {
        let low = low.filter(|end| ((b - *end) / (a - *end)).to_f64() > FAR);
        let high = high.filter(|end| ((*end - a) / (*end - b)).to_f64() > FAR);
        match (low, high) {
            (None, None) => Chart::Plain,
            (Some(low), None) => Chart::Above(low),
            (None, Some(high)) => Chart::Below(high),
            (Some(low), Some(high)) => Chart::Within(low, high),
        }
    }

    /// s and ds/dx.
    pub(super) fn place(self, x: Dd) -> (Dd, Dd) {
        match self {
            Chart::Plain => (x, Dd::ONE),
            Chart::Above(low) => {
                let e = x.exp();
                (low + e, e)
            }
            Chart::Below(high) => {
                let e = (-x).exp();
                (high - e, e)
            }
            Chart::Within(low, high) => {
                let e = x.exp();
                let whole = Dd::ONE + e;
                let (below, above) = (e / whole, Dd::ONE / whole);
                let s = if x.to_f64() < 0.0 { low + (high - low) * below } else { high - (high - low) * above };
                (s, (high - low) * below * above)
            }
        }
    }

    /// x.
    pub(super) fn coordinate(self, s: Dd) -> Dd {
        match self {
            Chart::Plain => s,
            Chart::Above(low) => (s - low).ln(),
            Chart::Below(high) => -(high - s).ln(),
            Chart::Within(low, high) => ((s - low) / (high - s)).ln(),
        }
    }
}
