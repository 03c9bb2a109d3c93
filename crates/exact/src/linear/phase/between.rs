//! Between turning points: (P1) and (P2), and what of it is certain.

use super::chart::Chart;
use super::slow::{Place, Slow, width};
use super::{FIRST, LARGEST_ERROR, LAST, Local, NOISE, NotConverged, Path, Phase, Series, settled, tail};
use polhode_tape::{Dd, Scalar};

/// Rounding of V_eff′ and of E − V_eff, relative to their largest values.
const ROUNDING: f64 = 1e-31;

/// Where sin²χ is larger E − V_eff as it was followed is as good as (P2), and better beside the start.
const INSIDE: f64 = 0.1;

/// Places of half a period where slow ones are looked for.
const LOOKS: usize = 256;

/// E − V_eff between its zeros.
struct Well {
    chart: Chart,
    middle: Dd,
    half: Dd,
    turning: [Dd; 2],      // in x
    coefficients: Vec<Dd>, // C_m of (P2)
    noise: f64,            // of K
    edges: [Edge; 2],      // the turning points
}

/// What an error of E makes of the time near a turning point: V_eff″/V_eff′² of it, relative.
#[derive(Clone, Copy)]
struct Edge {
    sharpness: f64,
    noise: f64, // of E − V_eff there
}

impl Edge {
    fn new(chart: Chart, x: Dd, inward: Dd, local: &mut dyn FnMut(Dd) -> Local) -> Edge {
        let mut slope = |x: Dd| {
            let (s, ds) = chart.place(x);
            let here = local(s);
            ((here.slope * ds), here.noise)
        };
        let step = inward * Dd::from(1e-12);
        let ((first, noise), (second, _)) = (slope(x), slope(x + step));
        let curvature = ((second - first) / step).to_f64();
        Edge { sharpness: curvature.abs() / first.to_f64().powi(2), noise }
    }
}

impl Phase {
    /// Between turning points, with V_eff′, G and E − V_eff at s, and the rates of the quadratures at (s, ṡ). The ends of the interval are poles of V_eff.
    pub(in crate::linear) fn between(
        turning: [Dd; 2],
        ends: [Option<Dd>; 2],
        start: Dd,
        local: &mut dyn FnMut(Dd) -> Local,
        rates: &mut dyn FnMut(Dd, Dd) -> Vec<Dd>,
    ) -> Result<Phase, NotConverged> {
        let well = Well::new(turning, Chart::new(turning, ends), local)?;
        let slow = well.slow();
        Phase::converged(|n| well.phase(&slow, start, local, rates, n))
    }
}

impl Well {
    fn new([a, b]: [Dd; 2], chart: Chart, local: &mut dyn FnMut(Dd) -> Local) -> Result<Well, NotConverged> {
        let [a, b] = [a, b].map(|s| chart.coordinate(s));
        let (middle, half) = ((a + b) * Dd::from(0.5), (b - a) * Dd::from(0.5));
        let mut last = f64::INFINITY;
        let mut n = FIRST;
        loop {
            let table = Table::new(n);
            let slopes: Vec<Dd> = (0..n)
                .map(|j| {
                    let (s, ds) = chart.place(middle - half * table.cos(1, j));
                    local(s).slope * ds
                })
                .collect();
            let mut v = table.even(&slopes);
            let largest = v.iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()));
            let error = tail(&v) / largest;
            if error <= NOISE || settled(error, last) || (n == LAST && error <= LARGEST_ERROR) {
                while v.len() > 2 && v.last().is_some_and(|x| x.to_f64().abs() <= (0.1 * NOISE).max(error) * largest) {
                    v.pop();
                }
                let coefficients = coefficients_of_excess(&v);
                // V_eff is the same at both turning points
                let open = coefficients.iter().skip(1).step_by(2).fold(Dd::ZERO, |sum, c| sum + *c);
                let noise = 2.0 * open.to_f64().abs() + (4.0 * error + ROUNDING) * largest;
                let noise = noise * half.to_f64();
                let edges = [Edge::new(chart, a, half, local), Edge::new(chart, b, -half, local)];
                return Ok(Well { chart, middle, half, turning: [a, b], coefficients, noise, edges });
            }
            if n == LAST || !error.is_finite() {
                return Err(NotConverged { error });
            }
            last = error;
            n *= 2;
        }
    }

    /// K at χ by (P2), with U_{k−1} = sin kχ/sin χ.
    fn excess_over_sine_squared(&self, cos: Dd) -> Dd {
        let (mut before, mut here) = (Dd::ZERO, Dd::ONE); // U of q − 1, q = ⌊m/2⌋ = 1
        let twice = cos + cos;
        let mut sum = Dd::ZERO;
        for pair in self.coefficients.get(2..).unwrap_or_default().chunks(2) {
            let next = twice * here - before;
            let odd = pair.get(1).map_or(Dd::ZERO, |c| *c * next);
            sum = sum + (pair[0] * here + odd) * here;
            (before, here) = (here, next);
        }
        sum * Dd::from(-2.0) * self.half
    }

    fn k(&self, chi: Dd) -> f64 {
        self.excess_over_sine_squared(chi.sin_cos().1).to_f64()
    }

    /// Where K is small.
    fn slow(&self) -> Slow {
        let pi = Dd::PI;
        let at = |k: usize| pi * Dd::ratio(k as i64, LOOKS as i64);
        let values: Vec<f64> = (0..=LOOKS).map(|k| self.k(at(k))).collect();
        let ends = [width(&mut |d| self.k(Dd::from(d))), width(&mut |d| self.k(pi - Dd::from(d)))];
        let inside = (1..LOOKS).filter(|k| values[*k] <= values[k - 1] && values[*k] <= values[k + 1]);
        let inside = inside.min_by(|a, b| values[*a].total_cmp(&values[*b])).map(|k| {
            let least = self.least(at(k - 1), at(k + 1));
            (least, width(&mut |d| self.k(least + Dd::from(d)).max(self.k(least - Dd::from(d)))))
        });
        let [lower, upper] = ends;
        match inside {
            Some((least, width)) if width < lower.min(upper) => Slow::new(Place::Within(least), Dd::from(width)),
            _ if lower.max(upper) < 0.5 => Slow::new(Place::Both, Dd::from(lower.min(upper))),
            _ if lower < upper => Slow::new(Place::Lower, Dd::from(lower)),
            _ => Slow::new(Place::Upper, Dd::from(upper)),
        }
    }

    /// The minimum of K between two places, by the golden section.
    fn least(&self, mut low: Dd, mut high: Dd) -> Dd {
        let golden = Dd::from(0.618);
        for _ in 0..150 {
            let step = (high - low) * golden;
            let (first, second) = (high - step, low + step);
            let value = |chi: Dd| self.excess_over_sine_squared(chi.sin_cos().1);
            if value(first) < value(second) { high = second } else { low = first }
        }
        (low + high) * Dd::from(0.5)
    }

    fn phase(
        &self,
        slow: &Slow,
        start: Dd,
        local: &mut dyn FnMut(Dd) -> Local,
        rates: &mut dyn FnMut(Dd, Dd) -> Vec<Dd>,
        n: usize,
    ) -> Phase {
        let table = Table::new(n);
        let mut time = Vec::with_capacity(n);
        let (mut even, mut odd): (Vec<Vec<Dd>>, Vec<Vec<Dd>>) = Default::default();
        let mut points = Vec::with_capacity(n);
        for j in 0..n {
            let (chi, room) = slow.at(table.angle(j));
            let (sine, cosine) = chi.sin_cos();
            let (s, ds) = self.chart.place(self.middle - self.half * cosine);
            let here = local(s);
            let square = sine * sine;
            let followed = square.to_f64() > INSIDE;
            let k = if followed { here.excess / square } else { self.excess_over_sine_squared(cosine) };
            // dt/dχ
            let g = self.half * ds / (Dd::from(2.0) * k / here.inertia).sqrt();
            let speed = self.half * ds * sine / g;
            let (up, down) = (rates(s, speed), rates(s, -speed));
            even.resize(up.len(), Vec::new());
            odd.resize(up.len(), Vec::new());
            let scale = g * room * Dd::from(0.5);
            for (q, (u, d)) in up.iter().zip(&down).enumerate() {
                even[q].push((*u + *d) * scale);
                odd[q].push((*u - *d) * scale);
            }
            time.push(g * room);
            points.push(Point { s, k: k.to_f64(), square: square.to_f64(), followed, noise: here.noise });
        }
        let largest = time.iter().fold(0.0f64, |m, g| m.max(g.to_f64().abs()));
        let rounding = self.rounding(&points, &time, start);
        let time = Series { even: table.even(&time), odd: Vec::new() };
        let quadratures: Vec<Series> =
            even.iter().zip(&odd).map(|(e, o)| Series { even: table.even(e), odd: table.odd(o) }).collect();
        let path = Path::Between { chart: self.chart, middle: self.middle, half: self.half, turning: self.turning };
        Phase::new(path, slow.clone(), time, quadratures, rounding, n, largest)
    }

    /// What rounding of K and of E makes of the period, relative: ½ ∫ δK/K dt, and the edges.
    fn rounding(&self, points: &[Point], time: &[Dd], start: Dd) -> f64 {
        let split = points.partition_point(|p| p.s < start);
        // E − V_eff was followed from the start on: it is off by parts of its largest value on the way
        let mut most = vec![0.0f64; points.len()];
        let excess = |j: usize| points[j].k * points[j].square;
        let mut largest = 0.0f64;
        for j in split..points.len() {
            largest = largest.max(excess(j));
            most[j] = largest;
        }
        largest = 0.0;
        for j in (0..split).rev() {
            largest = largest.max(excess(j));
            most[j] = largest;
        }
        let (mut sum, mut whole) = (0.0, 0.0);
        for ((p, g), most) in points.iter().zip(time).zip(most) {
            let off = if p.followed { (ROUNDING * most + p.noise) / p.square } else { self.noise };
            sum += 0.5 * g.to_f64() * off / p.k;
            whole += g.to_f64();
        }
        let highest = (0..points.len()).map(excess).fold(0.0, f64::max);
        let edges = self.edges.iter().map(|e| e.sharpness * (ROUNDING * highest + e.noise));
        sum / whole + edges.sum::<f64>()
    }
}

/// One of the points of the series.
struct Point {
    s: Dd,
    k: f64,
    square: f64,
    followed: bool,
    noise: f64,
}

/// C_m of (P2); the first entry is no coefficient.
fn coefficients_of_excess(v: &[Dd]) -> Vec<Dd> {
    let mut c = vec![Dd::ZERO; v.len() + 1];
    let half = Dd::from(0.5);
    for (n, v) in v.iter().enumerate() {
        if n == 0 {
            c[1] = c[1] + *v;
            continue;
        }
        c[n + 1] = c[n + 1] + *v * half / Dd::from((n + 1) as f64);
        if n > 1 {
            c[n - 1] = c[n - 1] - *v * half / Dd::from((n - 1) as f64);
        }
    }
    c
}

/// cos(k π/(2N)): the points (j + ½) π/N and their multiples.
struct Table {
    n: usize,
    cosines: Vec<Dd>,
}

impl Table {
    fn new(n: usize) -> Table {
        let step = Dd::PI / Dd::from((2 * n) as f64);
        let quarter: Vec<Dd> = (0..=n).map(|k| (step * Dd::from(k as f64)).sin_cos().1).collect();
        let value = |k: usize| match k / n {
            0 => quarter[k],
            1 => -quarter[2 * n - k],
            2 => -quarter[k - 2 * n],
            _ => quarter[4 * n - k],
        };
        let mut cosines: Vec<Dd> = (0..4 * n).map(value).collect();
        (cosines[n], cosines[3 * n]) = (Dd::ZERO, Dd::ZERO);
        Table { n, cosines }
    }

    /// (j + ½) π/N.
    fn angle(&self, j: usize) -> Dd {
        Dd::PI * Dd::ratio(2 * j as i64 + 1, 2 * self.n as i64)
    }

    /// cos of m times a point.
    fn cos(&self, m: usize, j: usize) -> Dd {
        self.cosines[m * (2 * j + 1) % (4 * self.n)]
    }

    /// sin of the same.
    fn sin(&self, m: usize, j: usize) -> Dd {
        self.cosines[(m * (2 * j + 1) + 3 * self.n) % (4 * self.n)]
    }

    /// Cosine coefficients of an even function.
    fn even(&self, f: &[Dd]) -> Vec<Dd> {
        (0..self.n).map(|m| self.projected(f, m, |j| self.cos(m, j))).collect()
    }

    /// Sine coefficients of an odd function.
    fn odd(&self, f: &[Dd]) -> Vec<Dd> {
        (0..self.n).map(|m| self.projected(f, m, |j| self.sin(m, j))).collect()
    }

    fn projected(&self, f: &[Dd], m: usize, with: impl Fn(usize) -> Dd) -> Dd {
        let sum = f.iter().enumerate().fold(Dd::ZERO, |sum, (j, f)| sum + *f * with(j));
        sum * Dd::from(if m == 0 { 1.0 } else { 2.0 }) / Dd::from(self.n as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_special::elliptic::elliptic_k;

    /// K(m) with m₁ = 1 − m: π/2 over the arithmetic-geometric mean of 1 and √m₁.
    fn complete(complement: Dd) -> Dd {
        let (mut a, mut b) = (Dd::ONE, complement.sqrt());
        for _ in 0..12 {
            (a, b) = ((a + b) * Dd::from(0.5), (a * b).sqrt());
        }
        Dd::PI / (a + b)
    }

    /// θ̇²/2 − cos θ = −cos A has the period 4K(sin²(A/2)); the error figure is no smaller than the error.
    #[test]
    fn the_pendulum() {
        for left in [3.1, 2.5, 1.0, 0.04, 1e-3, 1e-5, 1e-7] {
            let left = Dd::from(left);
            let a = Dd::PI - left;
            let floor = (left * Dd::from(0.5)).sin_cos().0;
            let mut local = |s: Dd| {
                let (first, second) = (((a - s) * Dd::from(0.5)).sin_cos().0, ((a + s) * Dd::from(0.5)).sin_cos().0);
                Local { slope: s.sin_cos().0, inertia: Dd::ONE, excess: Dd::from(2.0) * first * second, noise: 0.0 }
            };
            let mut rates = |_: Dd, v: Dd| vec![v, v * v];
            let phase =
                Phase::between([-a, a], [None; 2], Dd::ZERO, &mut local, &mut rates).expect("a pendulum swings");
            let exact = complete(floor * floor) * Dd::from(4.0);
            let error = ((phase.period() - exact) / exact).to_f64().abs();
            assert!(error <= phase.error.max(1e-30), "{left}: {error:e} for {:e}", phase.error);
            assert!(phase.error < 1e-16 && phase.points <= 1024, "{left}: {:e}, {} points", phase.error, phase.points);
            if left > Dd::from(0.5) {
                assert!(error < 1e-27 && phase.error < 1e-26, "{left}: {error:e}, {:e}", phase.error);
                let whole = elliptic_k(Dd::ONE - floor * floor) * Dd::from(4.0);
                assert!(((whole - exact) / exact).to_f64().abs() < 1e-29);
                // what s gains in a period, and back from ψ
                assert!(phase.quadratures[0].advance().to_f64().abs() < 1e-25 * a.to_f64());
                let t = exact * Dd::from(0.3);
                let psi = phase.angle_at(t);
                assert!((phase.time(psi) - t).to_f64().abs() < 1e-28 * exact.to_f64());
                let (s, v) = phase.state(psi);
                let energy = v * v * Dd::from(0.5) - s.sin_cos().1 + a.sin_cos().1;
                assert!(energy.to_f64().abs() < 1e-26, "{left}: {energy:?}");
                let moved = phase.quadratures[0].integral(psi) - (s + a);
                assert!(moved.to_f64().abs() < 1e-26, "{left}: {moved:?}");
            }
        }
    }

    /// An oscillator in a plane, σ̇² = (σ² − a²)(b² − σ²)/σ², has the period π for all a < b, and σ² a mean of ½(a² + b²).
    #[test]
    fn turning_points_many_orders_apart() {
        for exponent in [1, 2, 4, 8, 12] {
            let (a, b) = (Dd::from(10.0f64.powi(-exponent)), Dd::ONE);
            let (aa, bb) = (a * a, b * b);
            let mut local = |s: Dd| Local {
                slope: s - aa * bb / (s * s * s),
                inertia: Dd::ONE,
                excess: (s - a) * (s + a) * (b - s) * (b + s) / (Dd::from(2.0) * s * s),
                noise: 0.0,
            };
            // a plane angle, which gains π
            let mut rates = |s: Dd, _: Dd| vec![a * b / (s * s), s * s];
            let ends = [Some(Dd::ZERO), None];
            let phase = Phase::between([a, b], ends, b, &mut local, &mut rates).expect("an oscillation");
            let off = |x: Dd, y: Dd| ((x - y) / y).to_f64().abs();
            let error = off(phase.period(), Dd::PI);
            assert!(error < 1e-28 && error <= phase.error.max(1e-30), "{exponent}: {error:e}, {:e}", phase.error);
            assert!(off(phase.quadratures[0].advance(), Dd::PI) < 1e-28, "{exponent}");
            assert!(off(phase.quadratures[1].advance(), (aa + bb) * Dd::PI * Dd::from(0.5)) < 1e-28, "{exponent}");
        }
    }
}
