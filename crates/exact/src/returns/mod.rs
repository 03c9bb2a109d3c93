//! Any time at once: motions that return up to a symmetry.
//!
//! Let a group G leave the equations alone, and let a motion s(t) come back to its start up to an element h of G:
//!
//! ```text
//! s(T) = h s(0)        ⇒        s(nT + τ) = hⁿ s(τ)    for every n and τ.                            (P)
//! ```
//!
//! Then one period is enough for all times. The reduced motion is periodic, with period T; h is what the group variables have gained by it, the
//! *holonomy*: the geometric and the dynamic phase together \[MarsdenEtAl1990\]. Nothing here needs the system to be integrable, a reduction to be written down, or G to act freely: s are
//! positions and velocities themselves, on which the group acts by affine maps, and T and h are found together.
//!
//! | step | file |
//! | --- | --- |
//! | what the symmetries do to positions and velocities | `group`, `found` |
//! | states and steps | `dynamics` |
//! | the first return, in doubles | `start`, `search` |
//! | whether a motion is steady, or tends to one that is | `steadiness` |
//! | motions that end before they return | `ending` |
//! | T, h and one period in double-doubles, and the motion at any time | `motion` |
//! | what h means: turns, centres, drift | `meaning` |
//! | a motion that returns near one that does not | `nearby`, `spectrum` |
//!
//! The cost of a time does not grow with it: n = ⌊t/T⌋ and τ = t − nT are found in double-doubles, where 10⁶ periods cost 6 of 31 digits; hⁿ comes from
//! the kept squares of h.
//!
//! ```
//! use polhode_exact::returns::{ReturnOptions, returning};
//! use polhode_mechanics::System;
//! use polhode_model::{Model, ParseOptions};
//!
//! // a skate that turns while it slides: a circle
//! let text = r#"
//! [coordinates]
//! x = "real"
//! y = "real"
//! phi = "angle"
//! [lagrangian]
//! kinetic = "(x'^2 + y'^2 + phi'^2)/2"
//! [constraints]
//! blade = "x'*sin(phi) = y'*cos(phi)"
//! [initial]
//! velocity = { x = 1, phi = 0.5 }
//! "#;
//! let (model, _) = Model::parse("skate.toml", text, &ParseOptions::default())?;
//! let (mut system, _) = System::new(&model)?;
//! let motion = returning(&mut system, &ReturnOptions::default())?;
//! assert!(motion.is_steady());
//! let late = motion.at(1e6);
//! assert!((late["x"] - 2.0 * (0.5e6_f64).sin()).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dynamics;
mod ending;
mod found;
mod group;
mod linear;
mod meaning;
mod motion;
mod nearby;
mod search;
mod spectrum;
mod start;
mod steadiness;

pub use ending::EndingMotion;
pub use meaning::{Centre, Gain, Holonomy, Turn};
pub use motion::ReturningMotion;
pub use nearby::{Nearby, NoNearby, nearby};
pub(crate) use start::prepared;
pub use start::returning;

use polhode_simulate::{CompileError, CompileOptions};
use std::fmt;
use std::sync::Arc;

/// How a return is looked for.
#[derive(Clone, Debug)]
pub struct ReturnOptions {
    /// How the system is compiled. A form whose frame needs several charts is replaced by multipliers.
    pub compile: CompileOptions,
    /// The latest time that is looked at.
    pub until: f64,
    /// Most steps of the search in doubles. A step is a small part of the time in which the motion changes, so that the search has a scale of its own.
    pub steps: usize,
    /// Most steps of the search in double-doubles, for motions near a steady one.
    pub extended_steps: usize,
    /// Near passes that are looked at in double-doubles before the search is given up.
    pub attempts: usize,
}

impl Default for ReturnOptions {
    fn default() -> ReturnOptions {
        ReturnOptions {
            compile: CompileOptions::default(),
            until: f64::INFINITY,
            steps: 2000,
            extended_steps: 300,
            attempts: 4,
        }
    }
}

/// Why no return was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NoReturn {
    /// The system cannot be compiled.
    NotCompiled(CompileError),
    /// Constraints come and go, or there are walls: what jumps does not return.
    Switches,
    /// The equations depend on time.
    DependsOnTime,
    /// Every choice of independent velocities fails somewhere.
    SeveralCharts,
    /// The motion ends.
    Stops {
        /// When.
        t: f64,
        /// Why.
        why: String,
    },
    /// It ends before it returns: at an event that ends runs, or where there is no way on.
    Ends(Arc<EndingMotion>),
    /// The energy changes, and nothing gives it back.
    Dissipates {
        /// The energy at the start.
        from: f64,
        /// At the end of the search.
        to: f64,
        /// When that was.
        searched: f64,
    },
    /// The motion tends to a steady one, or passes it so near that nothing is known of what comes then.
    Settles {
        /// How near it has come to that, in positions and velocities.
        distance: f64,
        /// When.
        at: f64,
        /// The rate at which deviations from the steady motion grow: more than 0 on a separatrix.
        growth: f64,
        /// How far was searched.
        searched: f64,
    },
    /// It goes farther and farther away.
    Leaves {
        /// How far was searched.
        searched: f64,
    },
    /// It stays around without coming back: quasi-periodic, or chaotic, or of a longer period.
    Wanders {
        /// How far was searched.
        searched: f64,
        /// The closest pass, as part of the largest distance.
        closest: f64,
        /// When that was.
        at: f64,
        /// When it passed nearer than ever before, the nearest first.
        passes: Vec<f64>,
    },
    /// It is so near to a steady motion that rounding hides the oscillation.
    NearlySteady {
        /// The speed across the orbits of the group, as part of the speed.
        part: f64,
    },
    /// It came back, but so sensitive to rounding that this means nothing.
    Sensitive {
        /// When it came back.
        t: f64,
        /// By how much small deviations of the start have grown until then.
        growth: f64,
    },
    /// It came back, but the equations there are not the same: an angle that forces tell from itself plus 2π.
    NotSymmetric {
        /// When it came back.
        t: f64,
        /// By how much the motions from there differ.
        difference: f64,
    },
}

impl fmt::Display for NoReturn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoReturn::NotCompiled(e) => e.fmt(f),
            NoReturn::Switches => f.write_str("constraints come and go, or there are walls: such a motion jumps"),
            NoReturn::DependsOnTime => f.write_str("the equations depend on time, so that no state comes back"),
            NoReturn::SeveralCharts => f.write_str("no choice of independent velocities serves the whole motion"),
            NoReturn::Stops { t, why } => write!(f, "the motion stops at t = {t}: {why}"),
            NoReturn::Ends(motion) => motion.fmt(f),
            NoReturn::Dissipates { from, to, searched } => {
                write!(f, "the energy changes from {from} to {to} by t = {searched}: the motion does not come back")
            }
            NoReturn::Settles { distance, at, growth, .. } if *growth > 0.0 => write!(
                f,
                "the motion lies on a separatrix, or too near to one: at t = {at} it is {distance:.1e} away from a steady motion, deviations from which grow at the rate {growth:.6}"
            ),
            NoReturn::Settles { distance, at, .. } => {
                write!(f, "the motion tends to a steady one: at t = {at} it is {distance:.1e} away from it")
            }
            NoReturn::Leaves { searched } => {
                write!(f, "the reduced motion goes farther and farther away, up to t = {searched}")
            }
            NoReturn::Wanders { searched, closest, at, .. } if closest.is_finite() => write!(
                f,
                "the reduced motion does not come back up to t = {searched} (closest: {closest:.1e} of its size at t = {at}): it is quasi-periodic, chaotic or of a longer period"
            ),
            NoReturn::Wanders { searched, .. } => {
                write!(f, "the reduced motion does not come back up to t = {searched}")
            }
            NoReturn::NearlySteady { part } => write!(
                f,
                "the motion is steady to {part:.1e}, and its oscillation about that is lost in rounding: start on the steady motion itself, or farther off"
            ),
            NoReturn::Sensitive { t, growth } => write!(
                f,
                "the motion comes back at t = {t}, but by rounding: deviations of the start have grown by a factor {growth:.1e} until then"
            ),
            NoReturn::NotSymmetric { t, difference } => write!(
                f,
                "the motion comes back at t = {t}, but goes on in another way (by {difference:.1e}): something tells an angle from itself plus a full turn"
            ),
        }
    }
}

impl std::error::Error for NoReturn {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NoReturn::NotCompiled(e) => Some(e),
            _ => None,
        }
    }
}
