//! A full turn of an angle s, as Fourier series.
//!
//! ```text
//! s = s₀ ± χ,      dt/dχ = 1/|ṡ| = √(G/2(E − V_eff))                                        (P3)
//! ```
//!
//! is analytic and of period 2π where w is: the trapezoidal rule converges geometrically, as between turning points.

use super::{NOISE, NotConverged, Path, Phase, Series};
use polhode_tape::{Dd, Scalar};

/// G and E − V_eff at a place.
pub(in crate::linear) struct Passing {
    pub(in crate::linear) inertia: Dd,
    pub(in crate::linear) excess: Dd,
}

impl Phase {
    /// From a start once round, with the rates of the quadratures at (s, ṡ).
    pub(in crate::linear) fn round(
        start: Dd,
        upward: bool,
        passing: &mut dyn FnMut(Dd) -> Passing,
        rates: &mut dyn FnMut(Dd, Dd) -> Vec<Dd>,
    ) -> Result<Phase, NotConverged> {
        Phase::converged(|n| Phase::round_with(start, upward, passing, rates, 2 * n))
    }

    fn round_with(
        start: Dd,
        upward: bool,
        passing: &mut dyn FnMut(Dd) -> Passing,
        rates: &mut dyn FnMut(Dd, Dd) -> Vec<Dd>,
        n: usize,
    ) -> Phase {
        let sign = if upward { Dd::ONE } else { -Dd::ONE };
        let step = Dd::PI * Dd::from(2.0) / Dd::from(n as f64);
        let turns: Vec<(Dd, Dd)> = (0..n).map(|j| (step * Dd::from(j as f64)).sin_cos()).collect();
        let mut time = Vec::with_capacity(n);
        let mut others: Vec<Vec<Dd>> = Vec::new();
        for j in 0..n {
            // between the points of the grid: the start may be a pole of the chart
            let s = start + sign * step * Dd::from(j as f64 + 0.5);
            let here = passing(s);
            let g = (here.inertia / (Dd::from(2.0) * here.excess)).sqrt();
            let found = rates(s, sign / g);
            others.resize(found.len(), Vec::new());
            others.iter_mut().zip(found).for_each(|(o, r)| o.push(r * g));
            time.push(g);
        }
        let time = series(&turns, &time, step);
        let size = |c: &Series| {
            let tail = |c: &[Dd]| c[3 * c.len() / 4..].iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()));
            tail(&c.even).max(tail(&c.odd))
        };
        let mean = time.even[0].to_f64().abs();
        let mut quadratures: Vec<Series> = others.iter().map(|o| series(&turns, o, step)).collect();
        // the time may be known long before what is gained in it
        let mut error = size(&time) / mean;
        for q in &mut quadratures {
            let largest = q.even.iter().chain(&q.odd).fold(mean, |m, x| m.max(x.to_f64().abs()));
            error = error.max(size(q) / largest);
            // nothing is gained that is less than the error
            if q.even[0].to_f64().abs() <= error.max(NOISE) * largest {
                q.even[0] = Dd::ZERO;
            }
        }
        let mut phase = Phase { path: Path::Round { start, upward }, time, quadratures, error, points: n / 2 };
        phase.trim(mean);
        if !error.is_finite() {
            phase.error = f64::NAN;
        }
        phase
    }
}

/// The coefficients of a function with values at χ_j = (j + ½) · 2π/n, from n values of sine and cosine at multiples of 2π/n.
fn series(turns: &[(Dd, Dd)], f: &[Dd], step: Dd) -> Series {
    let n = f.len();
    let (mut even, mut odd) = (Vec::with_capacity(n / 2), Vec::with_capacity(n / 2));
    for m in 0..n / 2 {
        let (mut c, mut s) = (Dd::ZERO, Dd::ZERO);
        for (j, f) in f.iter().enumerate() {
            let (sin, cos) = turns[m * j % n];
            c = c + *f * cos;
            s = s + *f * sin;
        }
        let scale = Dd::from(if m == 0 { 1.0 } else { 2.0 }) / Dd::from(n as f64);
        // back by half a step
        let (sin, cos) = (step * Dd::from(0.5 * m as f64)).sin_cos();
        even.push((c * cos - s * sin) * scale);
        odd.push((s * cos + c * sin) * scale);
    }
    Series { even, odd }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_special::elliptic::elliptic_k;

    /// θ̇²/2 − cos θ = E > 1 goes round in 4K(m)/√(2(E + 1)), m = 2/(E + 1).
    #[test]
    fn the_pendulum_goes_round() {
        for (energy, start, upward) in [(1.01, 0.3, true), (1.5, -2.0, false), (7.0, 0.0, true)] {
            let e = Dd::from(energy);
            let mut passing = |s: Dd| Passing { inertia: Dd::ONE, excess: e + s.sin_cos().1 };
            let mut rates = |s: Dd, v: Dd| vec![v, v * s.sin_cos().1];
            let phase = Phase::round(Dd::from(start), upward, &mut passing, &mut rates).expect("it goes round");
            let plus = Dd::from(2.0) * (e + Dd::ONE);
            let exact = Dd::from(4.0) * elliptic_k(Dd::from(4.0) / plus) / plus.sqrt();
            assert!(((phase.period() - exact) / exact).to_f64().abs() < 1e-28, "{energy}");
            let sign = Dd::from(if upward { 1.0 } else { -1.0 });
            let turn = phase.quadratures[0].advance() - sign * Dd::PI * Dd::from(2.0);
            assert!(turn.to_f64().abs() < 1e-28, "{turn}");
            assert!(phase.quadratures[1].advance().to_f64().abs() < 1e-28);
            let t = exact * Dd::from(0.7);
            let chi = phase.angle_at(t);
            assert!((phase.time(chi) - t).to_f64().abs() < 1e-27);
            let (s, v) = phase.state(chi);
            assert!((v * v * Dd::from(0.5) - s.sin_cos().1 - e).to_f64().abs() < 1e-26);
            // ∫ cos s ds = sin s
            let gained = phase.quadratures[1].integral(chi) - s.sin_cos().0 + Dd::from(start).sin_cos().0;
            assert!(gained.to_f64().abs() < 1e-26, "{gained}");
        }
    }

    /// ∫ dχ/(a + cos χ) = 2/√(a² − 1) arctan(√((a − 1)/(a + 1)) tan χ/2), while the time is χ itself: it is the quadrature that needs points.
    #[test]
    fn the_error_is_that_of_what_converges_last() {
        for a in [3.0, 1.05, 1.005] {
            let a = Dd::from(a);
            let mut passing = |_: Dd| Passing { inertia: Dd::ONE, excess: Dd::from(0.5) };
            let mut rates = |s: Dd, v: Dd| vec![v / (a + s.sin_cos().1), v * s.sin_cos().1];
            let phase = Phase::round(Dd::ZERO, true, &mut passing, &mut rates).expect("it converges");
            let chi = Dd::from(1.3);
            let (sin, cos) = (chi * Dd::from(0.5)).sin_cos();
            let angle = (((a - Dd::ONE) / (a + Dd::ONE)).sqrt() * sin).atan2(cos);
            let exact = angle * Dd::from(2.0) / (a * a - Dd::ONE).sqrt();
            let off = ((phase.quadratures[0].integral(chi) - exact) / phase.quadratures[0].advance()).to_f64().abs();
            // cancellation in a − 1 loses three digits
            assert!(off < 10.0 * phase.error.max(1e-28), "{a}: off by {off:e}, told {:e}", phase.error);
            // a gain that is nothing but rounding is none
            assert_eq!(phase.quadratures[1].advance(), Dd::ZERO);
        }
    }
}
