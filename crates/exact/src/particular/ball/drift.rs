//! The way of the centre of a ball on a plane.
//!
//! ẋ_O = r n × ω = (r/J)(n × G − u n × z): a straight line and an integral of u √(1 − x²) e^{iφ}, by Fourier series in s.

use super::super::vector::{Vec3, across, add, cross, scale, unit};
use super::constants::Constants;
use super::{BallMotion, NotSolved};
use polhode_tape::{Dd, Scalar};

/// ∫ u √(1 − x²) e^{iφ} dt = Σ c_k ∫ e^{i(k + φ̄)s} ds on a plane.
#[derive(Clone, Debug)]
pub(super) struct Drift {
    /// c_{−K} … c_K.
    pub(super) coefficients: Vec<Dd>,
    /// φ̄, a whole number.
    pub(super) turns: Dd,
}

impl BallMotion {
    /// The Fourier coefficients of u √(1 − x²) e^{i(φ − φ̄s)}/ṡ, whose real part is even and whose imaginary part is odd.
    pub(super) fn drift(&self) -> Result<Drift, NotSolved> {
        let mean = self.phi.mean();
        let turns = Dd::from(mean.to_f64().round());
        // the curve on S² is closed
        if (mean - turns).to_f64().abs() > 1e-20 {
            return Err(NotSolved::Separatrix);
        }
        let n = 2 * self.phi.coefficients.len().max(self.time.coefficients.len()).max(16);
        let step = Dd::PI / Dd::from(n as f64);
        let circle: Vec<(Dd, Dd)> = (0..2 * n).map(|j| (step * Dd::from(j as f64)).sin_cos()).collect();
        let samples: Vec<(Dd, Dd)> = (0..=n)
            .map(|j| {
                let s = step * Dd::from(j as f64);
                let (x, p, speed) = self.at_phase(s);
                let size = p.u * (Dd::ONE - x * x).sqrt() / speed;
                let (sin, cos) = self.phi.wave(s).sin_cos();
                (size * cos, size * sin)
            })
            .collect();
        let limit = n as i64 - 1;
        let coefficients = (-limit..=limit)
            .map(|k| {
                let sum = samples.iter().enumerate().fold(Dd::ZERO, |sum, (j, (even, odd))| {
                    let (sin, cos) = circle[(k * j as i64).rem_euclid(2 * n as i64) as usize];
                    let half = if j == 0 || j == n { 0.5 } else { 1.0 };
                    sum + (*even * cos + *odd * sin) * Dd::from(half)
                });
                sum / Dd::from(n as f64)
            })
            .collect();
        Ok(Drift { coefficients, turns })
    }

    /// The way of the centre from s₀ to s, which takes the time t.
    pub(super) fn shift(&self, drift: &Drift, s: Dd, t: Dd) -> Vec3<Dd> {
        let (n, z, _) = self.start;
        let limit = (drift.coefficients.len() / 2) as i64;
        let (mut re, mut im) = (Dd::ZERO, Dd::ZERO);
        // from the azimuth at s₀
        let offset = self.phi.integral(self.s0);
        for (c, k) in drift.coefficients.iter().zip(-limit..) {
            let rate = Dd::from(k) + drift.turns;
            if rate == Dd::ZERO {
                let (sin, cos) = (-offset).sin_cos();
                (re, im) = (re + *c * (s - self.s0) * cos, im + *c * (s - self.s0) * sin);
                continue;
            }
            let (a, b) = ((rate * s - offset).sin_cos(), (rate * self.s0 - offset).sin_cos());
            (re, im) = (re + *c * (a.0 - b.0) / rate, im - *c * (a.1 - b.1) / rate);
        }
        // ẋ_O = r n × ω = (r/J)(n × G − u n × z)
        let Constants { ball, moment, .. } = &self.constants;
        let first = unit(cross(n, unit(across(z, n))));
        let second = cross(n, first);
        let waves = add(scale(re, first), scale(im, second));
        let straight = scale(t, cross(n, *moment));
        scale(ball.radius / (ball.across + self.constants.mr2()), add(straight, scale(-Dd::ONE, waves)))
    }
}
