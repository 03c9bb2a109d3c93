//! One period of an oscillation between turning points a < b, or of a full turn, as Fourier series.
//!
//! ```text
//! x = ½(a+b) − ½(b−a) cos χ,      dt/dχ = ½(b−a) |sin χ|/|ẋ| = ½(b−a)/√(2 K/G),   K = (E − V_eff)/sin²χ      (P1)
//! ```
//!
//! in a coordinate x of the shape variable (`chart.rs`), with G and V_eff′ in x.
//! dt/dχ is even, of period 2π and analytic, so that its Fourier series and that of every rate times dt/dχ converge geometrically, and the trapezoidal rule
//! with them; where it has sharp peaks they are series in another phase ψ (`slow.rs`). E − V_eff is not taken as a difference, which loses its digits at the turning points: with
//! V_eff′ = Σ v_n cos nχ
//!
//! ```text
//! E − V_eff = −½(b−a) Σ_m C_m (1 − cos mχ),    C_m = v_{m−1}/(2m) − v_{m+1}/(2m)   (C₁ = v₀ − v₂/2),    Σ_{m odd} C_m = 0
//! (1 − cos 2pχ)/sin²χ = 2 (sin pχ/sin χ)²,    (cos χ − cos mχ)/sin²χ = 2 sin(½(m+1)χ) sin(½(m−1)χ)/sin²χ.      (P2)
//! ```
//!
//! The error of the period has two parts: the last coefficients, which show the rounding of what the series are made of as well, and ½ ∫ δK/K dt with the rounding δK, which is what
//! counts near a separatrix, together with δE V_eff″/V_eff′² at the turning points. That Σ_{m odd} C_m vanishes is a test of the turning points and belongs to δK.

mod between;
mod chart;
mod round;
mod slow;

use chart::Chart;
use polhode_tape::{Dd, Scalar};
use slow::Slow;

/// Points on half a period at first and at last.
const FIRST: usize = 16;
const LAST: usize = 2048;

/// Coefficients below this, relative to the largest, are rounding errors of double-doubles.
const NOISE: f64 = 1e-31;

/// Above this error a period is not given: all digits of doubles are to be right.
pub(super) const LARGEST_ERROR: f64 = 1e-16;

/// What (P1) needs at a place of the oscillation.
pub(super) struct Local {
    /// V_eff′.
    pub(super) slope: Dd,
    /// G.
    pub(super) inertia: Dd,
    /// E − V_eff, as it was followed from the start.
    pub(super) excess: Dd,
    /// What that is off by, beside the rounding of sums.
    pub(super) noise: f64,
}

/// Fourier series of a quadrature: its rate times dt/dψ is Σ even_n cos nψ + Σ odd_n sin nψ.
#[derive(Clone, Debug)]
pub(super) struct Series {
    even: Vec<Dd>,
    odd: Vec<Dd>,
}

/// (P1) solved.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    path: Path,
    slow: Slow,
    time: Series,
    pub(super) quadratures: Vec<Series>,
    /// The error of the period, relative.
    pub(super) error: f64,
    unsettled: f64, // the last coefficients of all series, relative
    /// Points on half a period.
    pub(super) points: usize,
}

/// s by χ.
#[derive(Clone, Copy, Debug)]
enum Path {
    /// x = middle − half cos χ.
    Between { chart: Chart, middle: Dd, half: Dd, turning: [Dd; 2] },
    /// s = start ± χ.
    Round { start: Dd, upward: bool },
}

/// The series did not converge, or rounding leaves too little of the period.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotConverged {
    /// The error, relative; infinite where there is no number.
    pub(super) error: f64,
}

/// The largest of the last quarter of coefficients.
fn tail(c: &[Dd]) -> f64 {
    let values = c[3 * c.len() / 4..].iter().map(|x| x.to_f64().abs());
    values.fold(0.0, |m, x| if x.is_nan() { x } else { m.max(x) })
}

/// Whether more points would not make last coefficients smaller: they are rounding errors.
fn settled(error: f64, last: f64) -> bool {
    error <= LARGEST_ERROR && error > 0.1 * last
}

impl Phase {
    /// With what rounding makes of the period, and the scale of the series.
    fn new(
        path: Path,
        slow: Slow,
        time: Series,
        mut quadratures: Vec<Series>,
        rounding: f64,
        points: usize,
        scale: f64,
    ) -> Phase {
        let largest = |c: &[Dd]| c.iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()));
        let own = tail(&time.even).max(tail(&time.odd)) / time.even[0].to_f64().abs();
        let mut unsettled = own;
        // the time may be known long before what is gained in it
        for q in &mut quadratures {
            let size = largest(&q.even).max(largest(&q.odd));
            let last = tail(&q.even).max(tail(&q.odd));
            // what is this small is no rate but its rounding
            if size > NOISE * scale {
                unsettled = unsettled.max(last / size);
            }
            // nothing is gained that is less than the error
            if q.even[0].to_f64().abs() <= last.max(NOISE * size.max(scale)) {
                q.even[0] = Dd::ZERO;
            }
        }
        let error = unsettled + rounding;
        let mut phase = Phase { path, slow, time, quadratures, error, unsettled, points };
        phase.trim(scale);
        phase
    }

    /// With more and more points, until the last coefficients are small.
    fn converged(mut with_points: impl FnMut(usize) -> Phase) -> Result<Phase, NotConverged> {
        let mut last = f64::INFINITY;
        let mut n = FIRST;
        loop {
            let phase = with_points(n);
            let left = phase.unsettled;
            if !phase.error.is_finite() || !left.is_finite() {
                return Err(NotConverged { error: f64::INFINITY });
            }
            if left <= NOISE || settled(left, last) || n == LAST {
                let error = phase.error.max(left);
                return if error <= LARGEST_ERROR { Ok(phase) } else { Err(NotConverged { error }) };
            }
            last = left;
            n *= 2;
        }
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

    /// ψ at (s, ṡ): in (−π, π] between turning points, in [0, 2π) where s goes round.
    pub(super) fn angle(&self, s: Dd, rising: bool) -> Dd {
        let (chart, middle, [a, b]) = match self.path {
            Path::Round { start, upward } => return self.slow.inverse(if upward { s - start } else { start - s }),
            Path::Between { chart, middle, turning, .. } => (chart, middle, turning),
        };
        // half sin χ from the distances, which vanish at the turning points themselves
        let x = chart.coordinate(s);
        let square = (x - a) * (b - x);
        let sine = if square.to_f64() > 0.0 { square.sqrt() } else { Dd::ZERO };
        let angle = self.slow.inverse(sine.atan2(middle - x));
        if rising { angle } else { -angle }
    }

    /// The time at ψ, 0 at ψ = 0.
    pub(super) fn time(&self, psi: Dd) -> Dd {
        self.time.integral(psi)
    }

    /// ψ at a time between 0 and the period.
    pub(super) fn angle_at(&self, t: Dd) -> Dd {
        let mean = self.time.even[0];
        let sizes = |c: &[Dd]| c.iter().enumerate().skip(1).map(|(n, a)| a.to_f64().abs() / n as f64).sum::<f64>();
        let spread = sizes(&self.time.even) + 2.0 * sizes(&self.time.odd);
        let guess = t / mean;
        let width = spread / mean.to_f64();
        let (mut low, mut high) = (guess.to_f64() - width, guess.to_f64() + width);
        let mut psi = guess;
        // doubles first: Newton's steps, halving where they leave the bracket
        for _ in 0..60 {
            let (x, error) = (psi.to_f64(), (self.time.integral(psi) - t).to_f64());
            if error > 0.0 {
                high = x
            } else {
                low = x
            }
            let next = x - error / self.time.value(psi).to_f64();
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            let done = (next - x).abs() <= 1e-13 * (1.0 + x.abs());
            psi = Dd::from(next);
            if done {
                break;
            }
        }
        for _ in 0..2 {
            psi = psi - (self.time.integral(psi) - t) / self.time.value(psi);
        }
        psi
    }

    /// s and ṡ at ψ.
    pub(super) fn state(&self, psi: Dd) -> (Dd, Dd) {
        let (chi, room) = self.slow.at(psi);
        let rate = room / self.time.value(psi);
        match self.path {
            Path::Between { chart, middle, half, .. } => {
                let (sin, cos) = chi.sin_cos();
                let (s, ds) = chart.place(middle - half * cos);
                (s, half * ds * sin * rate)
            }
            Path::Round { start, upward } => {
                let sign = if upward { Dd::ONE } else { -Dd::ONE };
                (start + sign * chi, sign * rate)
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
