//! A full turn of an angle s, as Fourier series.
//!
//! ```text
//! s = s₀ ± χ,      dt/dχ = 1/|ṡ| = √(G/2(E − V_eff))                                        (P3)
//! ```
//!
//! is analytic and of period 2π where w is: the trapezoidal rule converges geometrically, as between turning points.

use super::slow::{Place, Slow, width};
use super::{Local, NotConverged, Path, Phase, Series};
use polhode_tape::{Dd, Scalar};

/// Rounding of E − V_eff, relative to its largest value.
const ROUNDING: f64 = 1e-31;

/// Places of a turn where a slow one is looked for.
const LOOKS: usize = 256;

impl Phase {
    /// From a start once round, with the rates of the quadratures at (s, ṡ).
    pub(in crate::linear) fn round(
        start: Dd,
        upward: bool,
        local: &mut dyn FnMut(Dd) -> Local,
        rates: &mut dyn FnMut(Dd, Dd) -> Vec<Dd>,
    ) -> Result<Phase, NotConverged> {
        let sign = if upward { Dd::ONE } else { -Dd::ONE };
        let turn = Dd::PI * Dd::from(2.0);
        // the slowest place is at χ = π
        let least = slowest(start, local);
        let slow = {
            let mut excess = |s: Dd| local(s).excess.to_f64();
            let mut both = |d: f64| excess(least + Dd::from(d)).max(excess(least - Dd::from(d)));
            Slow::new(Place::Upper, Dd::from(width(&mut both)))
        };
        let ahead = Dd::PI - (least - start) * sign;
        let first = ahead - turn * Dd::from((ahead / turn).to_f64().floor());
        let path = Path::Round { start: start - sign * first, upward };
        Phase::converged(|n| round_with(path, &slow, local, rates, 2 * n))
    }
}

/// Where E − V_eff is least.
fn slowest(start: Dd, local: &mut dyn FnMut(Dd) -> Local) -> Dd {
    let step = Dd::PI * Dd::ratio(2, LOOKS as i64);
    // between the points of the grid: the start may be a pole of the chart
    let at = |k: usize| start + step * Dd::from(k as f64 + 0.5);
    let values: Vec<f64> = (0..LOOKS).map(|k| local(at(k)).excess.to_f64()).collect();
    let k = (0..LOOKS).min_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
    let (mut low, mut high) = (at(k) - step, at(k) + step);
    for _ in 0..110 {
        let middle = (low + high) * Dd::from(0.5);
        if local(middle).slope.to_f64() > 0.0 { low = middle } else { high = middle }
    }
    (low + high) * Dd::from(0.5)
}

fn round_with(
    path: Path,
    slow: &Slow,
    local: &mut dyn FnMut(Dd) -> Local,
    rates: &mut dyn FnMut(Dd, Dd) -> Vec<Dd>,
    n: usize,
) -> Phase {
    let Path::Round { start, upward } = path else { unreachable!("a turn") };
    let sign = if upward { Dd::ONE } else { -Dd::ONE };
    let step = Dd::PI * Dd::from(2.0) / Dd::from(n as f64);
    let turns: Vec<(Dd, Dd)> = (0..n).map(|j| (step * Dd::from(j as f64)).sin_cos()).collect();
    let mut time = Vec::with_capacity(n);
    let mut others: Vec<Vec<Dd>> = Vec::new();
    let (mut weighted, mut noisy, mut whole, mut most) = (0.0, 0.0, 0.0, 0.0f64);
    for j in 0..n {
        let (chi, room) = slow.at(step * Dd::from(j as f64 + 0.5));
        let s = start + sign * chi;
        let here = local(s);
        let g = (here.inertia / (Dd::from(2.0) * here.excess)).sqrt();
        let found = rates(s, sign / g);
        let g = g * room;
        others.resize(found.len(), Vec::new());
        others.iter_mut().zip(found).for_each(|(o, r)| o.push(r * g));
        let weight = 0.5 * g.to_f64() / here.excess.to_f64();
        weighted += weight;
        noisy += weight * here.noise;
        whole += g.to_f64();
        most = most.max(here.excess.to_f64());
        time.push(g);
    }
    let time = series(&turns, &time, step);
    let mean = time.even[0].to_f64().abs();
    let quadratures = others.iter().map(|o| series(&turns, o, step)).collect();
    Phase::new(path, slow.clone(), time, quadratures, (ROUNDING * most * weighted + noisy) / whole, n / 2, mean)
}

/// The coefficients of a function with values at (j + ½) · 2π/n, from n values of sine and cosine at multiples of 2π/n.
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
        for (more, start, upward) in [(1e-12, 0.5, true), (0.01, 0.3, true), (0.5, -2.0, false), (6.0, 0.0, true)] {
            let e = Dd::ONE + Dd::from(more);
            let mut local = |s: Dd| {
                let (sin, _) = ((s - Dd::PI) * Dd::from(0.5)).sin_cos();
                let excess = Dd::from(more) + Dd::from(2.0) * sin * sin;
                Local { slope: s.sin_cos().0, inertia: Dd::ONE, excess, noise: 0.0 }
            };
            let mut rates = |s: Dd, v: Dd| vec![v, v * s.sin_cos().1];
            let phase = Phase::round(Dd::from(start), upward, &mut local, &mut rates).expect("it goes round");
            let plus = Dd::from(2.0) * (e + Dd::ONE);
            let exact = Dd::from(4.0) * elliptic_k(Dd::from(4.0) / plus) / plus.sqrt();
            let error = ((phase.period() - exact) / exact).to_f64().abs();
            assert!(error <= phase.error.max(1e-28) && phase.error < 1e-18, "{more}: {error:e} for {:e}", phase.error);
            let sign = Dd::from(if upward { 1.0 } else { -1.0 });
            let turn = phase.quadratures[0].advance() - sign * Dd::PI * Dd::from(2.0);
            assert!(turn.to_f64().abs() < 1e-28, "{turn}");
            assert!(phase.quadratures[1].advance().to_f64().abs() < 1e-28);
            let t = exact * Dd::from(0.7);
            let psi = phase.angle_at(t);
            assert!((phase.time(psi) - t).to_f64().abs() < 1e-27);
            let (s, v) = phase.state(psi);
            assert!((v * v * Dd::from(0.5) - s.sin_cos().1 - e).to_f64().abs() < 1e-24);
            let first = phase.angle(Dd::from(start), upward);
            assert!((phase.state(first).0 - Dd::from(start)).to_f64().abs() < 1e-28);
            // ∫ cos s ds = sin s
            let gained = phase.quadratures[1].integral(psi) - phase.quadratures[1].integral(first);
            let gained = gained - s.sin_cos().0 + Dd::from(start).sin_cos().0;
            assert!(gained.to_f64().abs() < 1e-26, "{gained}");
        }
    }

    /// ∫ dχ/(a + cos χ) = 2/√(a² − 1) arctan(√((a − 1)/(a + 1)) tan χ/2), while the time is χ itself: it is the quadrature that needs points.
    #[test]
    fn the_error_is_that_of_what_converges_last() {
        for a in [3.0, 1.05, 1.005] {
            let a = Dd::from(a);
            let mut local = |_: Dd| Local { slope: Dd::ZERO, inertia: Dd::ONE, excess: Dd::from(0.5), noise: 0.0 };
            let mut rates = |s: Dd, v: Dd| vec![v / (a + s.sin_cos().1), v * s.sin_cos().1];
            let phase = Phase::round(Dd::ZERO, true, &mut local, &mut rates).expect("it converges");
            let (first, chi) = (phase.angle(Dd::ZERO, true), Dd::from(1.3));
            let there = phase.angle(chi, true);
            let (sin, cos) = (chi * Dd::from(0.5)).sin_cos();
            let angle = (((a - Dd::ONE) / (a + Dd::ONE)).sqrt() * sin).atan2(cos);
            let exact = angle * Dd::from(2.0) / (a * a - Dd::ONE).sqrt();
            let gained = phase.quadratures[0].integral(there) - phase.quadratures[0].integral(first);
            let off = ((gained - exact) / phase.quadratures[0].advance()).to_f64().abs();
            // cancellation in a − 1 loses three digits
            assert!(off < 10.0 * phase.error.max(1e-28), "{a}: off by {off:e}, told {:e}", phase.error);
            // a gain that is nothing but rounding is none
            assert_eq!(phase.quadratures[1].advance(), Dd::ZERO);
        }
    }
}
