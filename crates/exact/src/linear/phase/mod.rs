//! One period of an oscillation between turning points a < b, as Fourier series.
//!
//! ```text
//! s = ½(a+b) − ½(b−a) cos χ,      dt/dχ = ½(b−a) |sin χ|/|ṡ| = ½(b−a)/√(2 K/G),   K = (E − V_eff)/sin²χ      (P1)
//! ```
//!
//! dt/dχ is even, of period 2π and analytic, so that its Fourier series and that of every rate times dt/dχ converge geometrically, and the trapezoidal rule
//! with them. E − V_eff is not taken as a difference, which loses its digits at the turning points: with V_eff′ = Σ v_n cos nχ
//!
//! ```text
//! E − V_eff = −½(b−a) Σ_m C_m (1 − cos mχ),    C_m = v_{m−1}/(2m) − v_{m+1}/(2m)   (C₁ = v₀ − v₂/2),    Σ_{m odd} C_m = 0
//! (1 − cos 2pχ)/sin²χ = 2 (sin pχ/sin χ)²,    (cos χ − cos mχ)/sin²χ = 2 sin(½(m+1)χ) sin(½(m−1)χ)/sin²χ.      (P2)
//! ```

mod round;

use polhode_tape::{Dd, Scalar};
pub(super) use round::Passing;

/// Points on half a period at first and at last.
const FIRST: usize = 16;
const LAST: usize = 2048;

/// Coefficients below this, relative to the mean, are rounding errors of double-doubles.
const NOISE: f64 = 1e-31;

/// Above this error the series counts as not converged.
const LARGEST_ERROR: f64 = 1e-18;

/// What (P1) needs at a place of the oscillation.
pub(super) struct Local {
    /// V_eff′.
    pub(super) slope: Dd,
    /// G.
    pub(super) inertia: Dd,
}

/// Fourier series of a quadrature: its rate times dt/dχ is Σ even_n cos nχ + Σ odd_n sin nχ.
#[derive(Clone, Debug)]
pub(super) struct Series {
    even: Vec<Dd>,
    odd: Vec<Dd>,
}

/// (P1) solved.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    path: Path,
    time: Series,
    pub(super) quadratures: Vec<Series>,
    /// The largest coefficient of the last quarter, relative to the mean.
    pub(super) error: f64,
    /// Points on half a period.
    pub(super) points: usize,
}

/// s by χ.
#[derive(Clone, Copy, Debug)]
enum Path {
    /// s = middle − half cos χ.
    Between { middle: Dd, half: Dd },
    /// s = start ± χ.
    Round { start: Dd, upward: bool },
}

/// The series did not converge.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotConverged {
    /// What the last coefficients are, relative to the mean.
    pub(super) error: f64,
}

impl Phase {
    /// Between turning points, with V_eff′ and G at s, and the rates of the quadratures at (s, ṡ).
    pub(super) fn new(
        turning: [Dd; 2],
        local: &mut dyn FnMut(Dd) -> Local,
        rates: &mut dyn FnMut(Dd, Dd) -> Vec<Dd>,
    ) -> Result<Phase, NotConverged> {
        Phase::converged(|n| Phase::with_points(turning, local, rates, n))
    }

    /// With more and more points, until the last coefficients are small.
    fn converged(mut with_points: impl FnMut(usize) -> Phase) -> Result<Phase, NotConverged> {
        let mut last = f64::INFINITY;
        let mut n = FIRST;
        loop {
            let phase = with_points(n);
            let error = phase.error;
            let settled = error <= NOISE || (error < 1e-22 && error > 0.1 * last);
            if settled || (n == LAST && error <= LARGEST_ERROR) {
                return Ok(phase);
            }
            if n == LAST || !error.is_finite() {
                return Err(NotConverged { error });
            }
            last = error;
            n *= 2;
        }
    }

    fn with_points(
        [a, b]: [Dd; 2],
        local: &mut dyn FnMut(Dd) -> Local,
        rates: &mut dyn FnMut(Dd, Dd) -> Vec<Dd>,
        n: usize,
    ) -> Phase {
        let table = Table::new(n);
        let (middle, half) = ((a + b) * Dd::from(0.5), (b - a) * Dd::from(0.5));
        let places: Vec<Dd> = (0..n).map(|j| middle - half * table.cos(1, j)).collect();
        let here: Vec<Local> = places.iter().map(|s| local(*s)).collect();
        let v = table.even(&here.iter().map(|l| l.slope).collect::<Vec<_>>());
        let c = coefficients_of_excess(&v);
        let mut time = Vec::with_capacity(n);
        let mut even: Vec<Vec<Dd>> = Vec::new();
        let mut odd: Vec<Vec<Dd>> = Vec::new();
        let mut largest = 0.0f64;
        for j in 0..n {
            let sine = table.sin(1, j);
            let k = table.excess_over_sine_squared(&c, j) * -half;
            let g = half / (Dd::from(2.0) * k / here[j].inertia).sqrt();
            let speed = half * sine / g;
            let (up, down) = (rates(places[j], speed), rates(places[j], -speed));
            if j == 0 {
                even = vec![Vec::with_capacity(n); up.len()];
                odd = even.clone();
            }
            for (q, (u, d)) in up.iter().zip(&down).enumerate() {
                let scale = g * Dd::from(0.5);
                even[q].push((*u + *d) * scale);
                odd[q].push((*u - *d) * scale);
            }
            largest = largest.max(g.to_f64().abs());
            time.push(g);
        }
        let time = Series { even: table.even(&time), odd: Vec::new() };
        let tail = |c: &[Dd]| c[3 * c.len() / 4..].iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()));
        let error = tail(&time.even) / time.even[0].to_f64().abs();
        let quadratures = even.iter().zip(&odd).map(|(e, o)| Series { even: table.even(e), odd: table.odd(o) });
        let path = Path::Between { middle, half };
        let mut phase = Phase { path, quadratures: quadratures.collect(), time, error, points: n };
        phase.trim(largest);
        if !error.is_finite() {
            phase.error = f64::NAN;
        }
        phase
    }

    /// Leaves out coefficients that are nothing but noise.
    fn trim(&mut self, scale: f64) {
        let small = 1e-33 * scale;
        let cut = |c: &mut Vec<Dd>| {
            while c.len() > 1 && c.last().is_some_and(|x| x.to_f64().abs() < small) {
                c.pop();
            }
        };
        cut(&mut self.time.even);
        cut(&mut self.time.odd);
        for q in &mut self.quadratures {
            cut(&mut q.even);
            cut(&mut q.odd);
        }
    }

    /// The period.
    pub(super) fn period(&self) -> Dd {
        self.time.advance()
    }

    /// χ in (−π, π] at (s, ṡ); 0 where s goes round, which starts there.
    pub(super) fn angle(&self, s: Dd, rising: bool) -> Dd {
        let Path::Between { middle, half } = self.path else { return Dd::ZERO };
        let x = (middle - s) / half;
        let square = Dd::ONE - x * x;
        let sine = if square.to_f64() > 0.0 { square.sqrt() } else { Dd::ZERO };
        let angle = sine.atan2(x);
        if rising { angle } else { -angle }
    }

    /// The time at χ, 0 at χ = 0.
    pub(super) fn time(&self, chi: Dd) -> Dd {
        self.time.integral(chi)
    }

    /// χ at a time between 0 and the period.
    pub(super) fn angle_at(&self, t: Dd) -> Dd {
        let mean = self.time.even[0];
        let sizes = |c: &[Dd]| c.iter().enumerate().skip(1).map(|(n, a)| a.to_f64().abs() / n as f64).sum::<f64>();
        let spread = sizes(&self.time.even) + 2.0 * sizes(&self.time.odd);
        let guess = t / mean;
        let width = spread / mean.to_f64();
        let (mut low, mut high) = (guess.to_f64() - width, guess.to_f64() + width);
        let mut chi = guess;
        // doubles first: Newton's steps, halving where they leave the bracket
        for _ in 0..60 {
            let (x, error) = (chi.to_f64(), (self.time.integral(chi) - t).to_f64());
            if error > 0.0 {
                high = x
            } else {
                low = x
            }
            let next = x - error / self.time.value(chi).to_f64();
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            let done = (next - x).abs() <= 1e-13 * (1.0 + x.abs());
            chi = Dd::from(next);
            if done {
                break;
            }
        }
        for _ in 0..2 {
            chi = chi - (self.time.integral(chi) - t) / self.time.value(chi);
        }
        chi
    }

    /// s and ṡ at χ.
    pub(super) fn state(&self, chi: Dd) -> (Dd, Dd) {
        match self.path {
            Path::Between { middle, half } => {
                let (sin, cos) = chi.sin_cos();
                (middle - half * cos, half * sin / self.time.value(chi))
            }
            Path::Round { start, upward } => {
                let sign = if upward { Dd::ONE } else { -Dd::ONE };
                (start + sign * chi, sign / self.time.value(chi))
            }
        }
    }
}

impl Series {
    /// What is gained in one period.
    pub(super) fn advance(&self) -> Dd {
        self.even[0] * Dd::PI * Dd::from(2.0)
    }

    /// The integral from 0 to χ.
    pub(super) fn integral(&self, chi: Dd) -> Dd {
        let mut sum = self.even[0] * chi;
        let mut turn = Turn::new(chi);
        for n in 1..self.even.len().max(self.odd.len()) {
            turn.next();
            let divisor = Dd::from(n as f64);
            if let Some(a) = self.even.get(n) {
                sum = sum + *a * turn.sin / divisor;
            }
            if let Some(b) = self.odd.get(n) {
                sum = sum + *b * (Dd::ONE - turn.cos) / divisor;
            }
        }
        sum
    }

    fn value(&self, chi: Dd) -> Dd {
        let mut sum = self.even[0];
        let mut turn = Turn::new(chi);
        for n in 1..self.even.len().max(self.odd.len()) {
            turn.next();
            if let Some(a) = self.even.get(n) {
                sum = sum + *a * turn.cos;
            }
            if let Some(b) = self.odd.get(n) {
                sum = sum + *b * turn.sin;
            }
        }
        sum
    }
}

/// cos nχ and sin nχ for n = 0, 1, ….
struct Turn {
    step: (Dd, Dd),
    sin: Dd,
    cos: Dd,
}

impl Turn {
    fn new(chi: Dd) -> Turn {
        Turn { step: chi.sin_cos(), sin: Dd::ZERO, cos: Dd::ONE }
    }

    fn next(&mut self) {
        let (s, c) = self.step;
        (self.sin, self.cos) = (self.sin * c + self.cos * s, self.cos * c - self.sin * s);
    }
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

/// cos(k π/(2N)): the points χ_j = (j + ½) π/N and their multiples.
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

    /// cos(m χ_j).
    fn cos(&self, m: usize, j: usize) -> Dd {
        self.cosines[m * (2 * j + 1) % (4 * self.n)]
    }

    /// sin(m χ_j).
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

    /// Σ C_m (1 − cos mχ)/sin²χ at χ_j by (P2).
    fn excess_over_sine_squared(&self, c: &[Dd], j: usize) -> Dd {
        let mut sum = Dd::ZERO;
        for (m, c) in c.iter().enumerate().skip(2) {
            let (p, q) = if m % 2 == 0 { (m / 2, m / 2) } else { (m.div_ceil(2), m / 2) };
            sum = sum + *c * self.sin(p, j) * self.sin(q, j);
        }
        let sine = self.sin(1, j);
        sum * Dd::from(2.0) / (sine * sine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_special::elliptic::elliptic_k;

    /// θ̇²/2 − cos θ = −cos A has the period 4K(sin²(A/2)).
    #[test]
    fn the_pendulum() {
        for amplitude in [1e-6, 0.1, 1.0, 2.5, 3.1] {
            let a = Dd::from(amplitude);
            let mut local = |s: Dd| Local { slope: s.sin_cos().0, inertia: Dd::ONE };
            let mut rates = |_: Dd, v: Dd| vec![v, v * v];
            let phase = Phase::new([-a, a], &mut local, &mut rates).expect("a pendulum swings");
            let sine = (a * Dd::from(0.5)).sin_cos().0;
            let exact = elliptic_k(sine * sine) * Dd::from(4.0);
            let error = ((phase.period() - exact) / exact).to_f64().abs();
            assert!(error < 1e-27, "{amplitude}: {error:e} with {} points", phase.points);
            // what s gains in a period, and back from χ
            assert!(phase.quadratures[0].advance().to_f64().abs() < 1e-25 * amplitude);
            let t = exact * Dd::from(0.3);
            let chi = phase.angle_at(t);
            assert!((phase.time(chi) - t).to_f64().abs() < 1e-28 * exact.to_f64());
            let (s, v) = phase.state(chi);
            let energy = v * v * Dd::from(0.5) - s.sin_cos().1 + a.sin_cos().1;
            assert!(energy.to_f64().abs() < 1e-26, "{amplitude}: {energy:?}");
            let moved = phase.quadratures[0].integral(chi) - (s + a);
            assert!(moved.to_f64().abs() < 1e-26, "{amplitude}: {moved:?}");
        }
    }
}
