//! What a ball keeps, and the closed curve of its axis on a plane.
//!
//! On a plane G and n stand still in space, and (B2) gives G·z as a function F of n·z. So the axis z moves on the intersection of S² with
//!
//! ```text
//! G·z = F(n·z),    F(x) = (C + Mr²) z·ω − Mr² x n·ω + κ,                                            (B6)
//! ```
//!
//! a closed curve, which it goes round in one period.

use super::super::divided::Divided;
use super::super::vector::{apply, dot, scale};
use super::constants::Constants;
use super::{Ball, BallMotion, Ground};
use polhode_tape::{Dd, Scalar};

/// Times in a period at which the integrals are computed again.
const CHECKS: usize = 12;

impl BallMotion {
    /// The constants of the motion, with names: the moment about the contact in space, and u√Δ on a plane (the spin for A = C), w and g on a sphere.
    pub fn integrals(&self) -> Vec<(&'static str, Dd)> {
        self.constants.named()
    }

    /// The ball.
    pub fn ball(&self) -> Ball {
        self.constants.ball
    }

    /// The axis z, a unit vector in the axes of the body.
    pub fn axis(&self) -> [Dd; 3] {
        self.frame[2]
    }

    /// What it rolls on.
    pub fn ground(&self) -> Ground {
        self.constants.ball.ground
    }

    /// By how much they differ from that when they are computed from R and Ω at other times of a period, at most.
    pub fn kept(&self) -> f64 {
        let first = self.integrals();
        let step = self.period() / Dd::from(CHECKS as f64);
        let mut largest = 0.0f64;
        for j in 0..=CHECKS {
            let state = self.at(step * Dd::from(j as f64));
            let n = scale(Dd::ONE / self.constants.ball.radius, apply(&state.rotation, state.contact));
            let w = apply(&state.rotation, state.omega);
            let now = Constants::of(self.constants.ball, n, apply(&state.rotation, self.axis()), w).named();
            let changes = now.iter().zip(&first).map(|((_, a), (_, b))| (*a - *b).to_f64().abs());
            largest = changes.fold(largest, f64::max);
        }
        largest
    }

    /// F of (B6) on a plane; `None` on a sphere.
    pub fn level(&self, x: Dd) -> Option<Dd> {
        (self.constants.ball.ground == Ground::Plane).then(|| self.constants.parts(Divided::variable([x; 3])).gz.at[0])
    }

    /// What is left of (B6) for a direction, zero on the curve; `None` on a sphere.
    pub fn off_curve(&self, z: [Dd; 3]) -> Option<Dd> {
        let n = self.start.0;
        self.level(dot(n, z)).map(|level| dot(self.constants.moment, z) - level)
    }

    /// The closed curve on a plane: the axis at this many times of a period, the first and the last of which are the same; `None` on a sphere.
    pub fn curve(&self, points: usize) -> Option<Vec<[Dd; 3]>> {
        if self.constants.ball.ground != Ground::Plane {
            return None;
        }
        let step = self.period() / Dd::from(points.max(2) as f64 - 1.0);
        let axis = |j: usize| apply(&self.at(step * Dd::from(j as f64)).rotation, self.axis());
        Some((0..points.max(2)).map(axis).collect())
    }

    /// How often the axis goes round the vertical in a period, on a plane.
    pub fn windings(&self) -> Option<i32> {
        self.drift.as_ref().map(|d| d.turns.to_f64() as i32)
    }
}
