//! Turning points: the zeros of E − V_eff next to s₀.

use super::start::Ends;
use super::{Course, Motion};
use polhode_tape::{Dd, Scalar};

/// Places within a step where E − V_eff is looked at.
const LOOKS: usize = 12;

/// Steps of (L1) to one side.
const MOST_STEPS: usize = 400;

/// V_eff counts as touching E, and not crossing it, when it comes this near, relative to its scale.
const TOUCHING: f64 = 1e-22;

/// How E − V_eff is computed.
pub(super) struct Excess {
    pub(super) start: Dd,
    pub(super) kinetic: Dd,
    pub(super) small: bool,
    pub(super) depth: f64,
}

impl Motion {
    /// E − V_eff.
    fn excess(&mut self, of: &Excess, s: Dd) -> Dd {
        if !of.small {
            return self.energy - self.effective(s).value;
        }
        let (middle, half) = ((of.start + s) * Dd::from(0.5), (s - of.start) * Dd::from(0.5));
        let mut sum = Dd::ZERO;
        for (x, weight) in gauss() {
            sum = sum + *weight * (self.effective(middle - half * *x).slope + self.effective(middle + half * *x).slope);
        }
        of.kinetic - sum * half
    }

    /// The first zero of E − V_eff to one side.
    pub(super) fn turning(&mut self, of: &Excess, upward: bool, ends: &Ends) -> Result<Dd, Course> {
        let end = ends.to(upward, of.start);
        let mut below = of.start;
        for _ in 0..MOST_STEPS {
            let Ok((from, to)) = self.continuation.extend(upward, end) else {
                return Err(ends.course(upward));
            };
            for k in 1..=LOOKS {
                let s = from + (to - from) * Dd::ratio(k as i64, LOOKS as i64);
                let x = self.excess(of, s);
                if !x.is_finite() {
                    return Err(ends.course(upward));
                }
                // where G has a pole the coordinate ends: z = ±l of a pendulum that swings through its lowest point
                if self.effective(s).inertia.to_f64() < 0.0 {
                    return Err(Course::ReachesEnd { at: self.pole_of_inertia(below, s) });
                }
                if x.to_f64() <= 0.0 {
                    return self.refined(of, below, s);
                }
                self.touches(of, below, s)?;
                below = s;
            }
            if to == end {
                return Err(ends.course(upward));
            }
        }
        Err(ends.course(upward))
    }

    /// Where G changes its sign between two places.
    fn pole_of_inertia(&mut self, from: Dd, to: Dd) -> Dd {
        let (mut low, mut high) = (from, to);
        for _ in 0..110 {
            let middle = (low + high) * Dd::from(0.5);
            if self.effective(middle).inertia.to_f64() > 0.0 { low = middle } else { high = middle }
        }
        low
    }

    /// A minimum of E − V_eff between two places, where it is as good as zero.
    fn touches(&mut self, of: &Excess, from: Dd, to: Dd) -> Result<(), Course> {
        let rising = |m: &mut Motion, s: Dd| m.effective(s).slope.to_f64() * (to - from).to_f64();
        if !(rising(self, from) > 0.0 && rising(self, to) < 0.0) {
            return Ok(());
        }
        // V_eff has a maximum between them
        let (mut low, mut high) = (from, to);
        for _ in 0..110 {
            let middle = (low + high) * Dd::from(0.5);
            if rising(self, middle) > 0.0 { low = middle } else { high = middle }
        }
        let left = self.excess(of, low).to_f64();
        if left.abs() <= TOUCHING * of.depth {
            return Err(Course::Separatrix { toward: low });
        }
        Ok(())
    }

    /// The zero between a place where E − V_eff is positive and one where it is not.
    fn refined(&mut self, of: &Excess, inside: Dd, outside: Dd) -> Result<Dd, Course> {
        let (mut low, mut high) = (inside, outside);
        for _ in 0..60 {
            let middle = (low + high) * Dd::from(0.5);
            if self.excess(of, middle).to_f64() > 0.0 { low = middle } else { high = middle }
        }
        let mut s = low;
        for _ in 0..4 {
            let (x, slope) = (self.excess(of, s), self.effective(s).slope);
            let next = s + x / slope;
            if !next.is_finite() || (next - s).to_f64().abs() > 2.0 * (high - low).to_f64().abs() {
                break;
            }
            s = next;
        }
        // a zero of E − V_eff and of its slope at once is reached in infinite time
        let here = self.effective(s);
        let reach = here.slope.to_f64().powi(2);
        if here.second.to_f64() < 0.0 && reach <= TOUCHING * of.depth * here.second.to_f64().abs() {
            return Err(Course::Separatrix { toward: s });
        }
        Ok(s)
    }
}

/// Positive nodes and weights of Gauss and Legendre's rule with 20 points, for double-doubles: the error for an analytic function on
/// a short interval is below their resolution.
fn gauss() -> &'static [(Dd, Dd)] {
    static RULE: std::sync::OnceLock<Vec<(Dd, Dd)>> = std::sync::OnceLock::new();
    RULE.get_or_init(|| {
        let n = 20;
        (0..n / 2)
            .map(|i| {
                let mut x = Dd::from((std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos());
                let mut slope = Dd::ONE;
                for _ in 0..6 {
                    // P_n and P_n′ by recurrence
                    let (mut p, mut before) = (x, Dd::ONE);
                    for k in 2..=n {
                        let k = Dd::from(k as f64);
                        let next = ((k + k - Dd::ONE) * x * p - (k - Dd::ONE) * before) / k;
                        (before, p) = (p, next);
                    }
                    slope = Dd::from(n as f64) * (x * p - before) / (x * x - Dd::ONE);
                    x = x - p / slope;
                }
                let weight = Dd::from(2.0) / ((Dd::ONE - x * x) * slope * slope);
                (x, weight)
            })
            .collect()
    })
}
