//! A motion that returns near one that does not: Newton's method on the return map.
//!
//! Wanted are a start y, a time T and an element g of the group with
//!
//! ```text
//! Φ_T(y) − g y = 0,      E(y) = E₀,      h(y) = 0,                                                   (N)
//! ```
//!
//! where Φ is the motion, E the energy (where it is kept) and h = 0 the constraints. Solutions come in families: along the motion, along the group, and with every integral F
//! that (N) does not fix. Since F(Φ_T(y)) = F(y) = F(g y), what is left of (N) has no part along dF but one of second order, and the derivative of (N) has as many
//! singular values zero as there are integrals and directions of families. So steps are the shortest ones of least squares, from the singular
//! value decomposition, without the values that are zero; T and the group are solved for together with y.
//!
//! | phase | numbers | derivative | step |
//! | --- | --- | --- | --- |
//! | approach | doubles | central differences, 10 digits | damped as by Levenberg and Marquardt |
//! | end | double-doubles | central differences in double-doubles, 20 digits | Newton's, with the same derivative as long as it serves |
//!
//! If no solution has the energy of the start, one of another energy is looked for.
//!
//! The eigenvalues of g⁻¹ ∂Φ_T on the directions that the constraints allow, Floquet's multipliers, tell the stability. Time, the group and the integrals give multipliers 1,
//! some of them in Jordan blocks, which rounding splits by its square root.

mod newton;

use super::dynamics::Dynamics;
use super::group::Action;
use super::linear::length;
use super::motion::ReturningMotion;
use super::start::{from_state, prepared};
use super::{NoReturn, ReturnOptions};
use newton::Newton;
use polhode_mechanics::System;
use polhode_tape::{Dd, Scalar};
use std::fmt;
use std::sync::Arc;

/// Near passes that are tried.
const GUESSES: usize = 6;

/// Part of its size by which the start may be moved.
const NEAR: f64 = 0.5;

/// Multipliers within this distance of the unit circle are on it: those of larger Jordan blocks are known to a root of 10⁻¹⁵.
const ON_CIRCLE: f64 = 1e-3;

/// A returning motion near the one that was asked for.
#[derive(Debug)]
pub struct Nearby {
    /// The motion.
    pub motion: ReturningMotion,
    /// How far its start is from the one asked for, in positions and velocities.
    pub distance: f64,
    /// Floquet's multipliers, the largest first.
    pub multipliers: Vec<(f64, f64)>,
    /// Newton steps.
    pub steps: usize,
}

impl Nearby {
    /// Does no multiplier leave the unit circle?
    pub fn is_stable(&self) -> bool {
        self.multipliers.first().is_none_or(|m| m.0.hypot(m.1) <= 1.0 + ON_CIRCLE)
    }
}

/// Why none was found.
#[derive(Debug)]
#[non_exhaustive]
pub enum NoNearby {
    /// The motion itself cannot be looked at.
    NotFollowed(NoReturn),
    /// The motion comes nowhere near its start, so that there is no period to begin with.
    NoPeriod(NoReturn),
    /// Newton's method does not converge.
    NoConvergence {
        /// What is left of (N).
        left: f64,
    },
    /// It leads away.
    Far {
        /// How far, in positions and velocities.
        distance: f64,
    },
}

impl fmt::Display for NoNearby {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoNearby::NotFollowed(why) => why.fmt(f),
            NoNearby::NoPeriod(why) => write!(f, "there is no period to begin with: {why}"),
            NoNearby::NoConvergence { left } => {
                write!(f, "Newton's method on the return map does not converge: {left:.1e} is left")
            }
            NoNearby::Far { distance } => {
                write!(f, "Newton's method on the return map leads away, by {distance:.1e}")
            }
        }
    }
}

impl std::error::Error for NoNearby {}

/// Looks for a motion that returns near that of the model, of about the given period, or of those of its near passes, the nearest first.
pub fn nearby(system: &mut System, options: &ReturnOptions, period: Option<f64>) -> Result<Nearby, NoNearby> {
    let (dynamics, action) = prepared(system, options).map_err(NoNearby::NotFollowed)?;
    let (dynamics, action) = (Arc::new(dynamics), Arc::new(action));
    let start = dynamics.compiled.initial_state().to_vec();
    let guesses = match period {
        Some(t) => vec![t],
        None => match from_state(dynamics.clone(), action.clone(), &start, options) {
            Ok(motion) => vec![motion.period().to_f64()],
            Err(NoReturn::Wanders { passes, .. }) if !passes.is_empty() => passes,
            Err(why) => return Err(NoNearby::NoPeriod(why)),
        },
    };
    let mut refused = None;
    for guess in guesses.into_iter().take(GUESSES) {
        match near(&dynamics, &action, &start, options, guess) {
            Ok(found) => return Ok(found),
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    Err(refused.unwrap_or(NoNearby::NoConvergence { left: f64::NAN }))
}

/// The one of about a period.
fn near(
    dynamics: &Arc<Dynamics>,
    action: &Arc<Action>,
    start: &[Dd],
    options: &ReturnOptions,
    guess: f64,
) -> Result<Nearby, NoNearby> {
    let mut newton = Newton::new(dynamics, action, start, guess, true)?;
    let approached = match newton.approach() {
        Err(_) if newton.keeps_energy() => {
            newton = Newton::new(dynamics, action, start, guess, false)?;
            newton.approach()
        }
        done => done,
    };
    let (point, steps) = approached?;
    let point = newton.end(point)?;
    let distance = newton.moved(&point);
    if distance > NEAR * length(&newton.first) {
        return Err(NoNearby::Far { distance });
    }
    let multipliers = newton.multipliers(&point).ok_or(NoNearby::NoConvergence { left: f64::NAN })?;
    let options = ReturnOptions { until: 1.01 * point.t.to_f64(), ..options.clone() };
    let motion = from_state(dynamics.clone(), action.clone(), &point.y, &options).map_err(NoNearby::NotFollowed)?;
    Ok(Nearby { motion, distance, multipliers, steps })
}
