//! What s does, by name, and why there may be no motion.

use super::super::phase::{LARGEST_ERROR, Phase};
use polhode_base::Diagnostics;
use polhode_expr::eval::EvalError;
use polhode_lower::NotLowered;
use polhode_tape::{Dd, Scalar};
use std::fmt;

/// Why a motion has no initial state or no numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NoMotion {
    /// The model gives no initial state.
    NoInitialState,
    /// It is wrong.
    Rejected(Diagnostics),
    /// A value does not exist at the initial state.
    Undefined(EvalError),
    /// A function has no numbers.
    NotLowered(NotLowered),
    /// The initial state is where the equations (L1) have a pole.
    SingularStart,
    /// The initial state is at an end of the interval of s: a body exactly on its axis.
    AtEnd {
        /// s.
        variable: String,
        /// Which end.
        at: Dd,
    },
}

impl fmt::Display for NoMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMotion::NoInitialState => f.write_str("the model has no initial state"),
            NoMotion::Rejected(d) => {
                f.write_str(d.iter().next().map_or("the initial state is wrong", |d| d.message.as_str()))
            }
            NoMotion::Undefined(e) => e.fmt(f),
            NoMotion::NotLowered(e) => e.fmt(f),
            NoMotion::AtEnd { variable, at } => write!(
                f,
                "the motion begins at {variable} = {}, a pole of this variable: its rate is not defined there",
                at.to_f64()
            ),
            NoMotion::SingularStart => f.write_str("the linear equations have a pole at the initial state"),
        }
    }
}

impl std::error::Error for NoMotion {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NoMotion::Undefined(e) => Some(e),
            NoMotion::NotLowered(e) => Some(e),
            _ => None,
        }
    }
}

/// What s does.
#[derive(Clone, Debug)]
pub enum Course {
    /// It oscillates between two turning points.
    Oscillation(Box<Oscillation>),
    /// It stays where it is.
    Steady {
        /// How far it goes, at most: zero but for rounding.
        amplitude: f64,
        /// The angular frequency of small oscillations, squared; negative where they grow.
        frequency_squared: Dd,
    },
    /// It comes to rest at a maximum of V_eff, in infinite time.
    Separatrix {
        /// Where.
        toward: Dd,
    },
    /// An angle that goes round, and the other velocities are the same after a turn.
    Circulation(Box<Oscillation>),
    /// It comes to the end of its interval, where (L1) has a pole.
    ReachesEnd {
        /// Which end.
        at: Dd,
    },
    /// The linear equations could not be followed to a turning point.
    Lost {
        /// How far they were.
        at: Dd,
    },
    /// An angle that goes round: the other velocities are not the same after a turn.
    GoesRound,
    /// No turning point was found to one side.
    Unbounded {
        /// To larger values?
        upward: bool,
    },
    /// It oscillates or goes round, but so near to a separatrix or to a pole that too few digits of the period are certain.
    Unresolved {
        /// The turning points; none where it goes round.
        between: Option<[Dd; 2]>,
        /// The error of the period, relative; infinite where nothing is known of it.
        error: f64,
    },
}

impl Course {
    /// The oscillation or the circulation: what has a period.
    pub fn periodic(&self) -> Option<&Oscillation> {
        match self {
            Course::Oscillation(o) | Course::Circulation(o) => Some(o),
            _ => None,
        }
    }

    /// With a larger error of the period.
    pub(super) fn blurred(mut self, more: f64) -> Course {
        let turning = matches!(self, Course::Oscillation(_));
        if let Course::Oscillation(o) | Course::Circulation(o) = &mut self {
            o.error += more;
            if o.error > LARGEST_ERROR {
                return Course::Unresolved { between: turning.then_some(o.turning), error: o.error };
            }
        }
        self
    }

    /// A word for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Course::Oscillation(_) => "oscillation",
            Course::Steady { .. } => "steady",
            Course::Separatrix { .. } => "separatrix",
            Course::Circulation(_) => "circulation",
            Course::ReachesEnd { .. } => "reaches-end",
            Course::Lost { .. } => "lost",
            Course::GoesRound => "goes-round",
            Course::Unbounded { .. } => "unbounded",
            Course::Unresolved { .. } => "unresolved",
        }
    }
}

/// One period of s: an oscillation, or a full turn.
#[derive(Clone, Debug)]
pub struct Oscillation {
    /// The turning points, the smaller first; where s goes round, the places between which it does once.
    pub turning: [Dd; 2],
    /// Whether s passes a pole of its interval, θ = 0 or π with cos θ = R_ij. It is counted on beyond: (−θ, φ, ψ) and (θ, φ + π, ψ + π) are the same place.
    pub passes_pole: bool,
    /// The period.
    pub period: Dd,
    /// What every quadrature gains in a period.
    pub advances: Vec<Dd>,
    /// The error of the period, relative: the last coefficients of the series, and what rounding makes of it.
    pub error: f64,
    /// Points on half a period that were needed.
    pub points: usize,
    pub(super) phase: Phase,
    pub(super) offset: Dd,       // the time since the lower turning point at t = 0
    pub(super) origins: Vec<Dd>, // the quadratures there
}

/// The reduced state at a time.
#[derive(Clone, Debug)]
pub struct State {
    /// s.
    pub s: Dd,
    /// ṡ.
    pub speed: Dd,
    /// w.
    pub w: Vec<Dd>,
    /// What the quadratures have gained since t = 0.
    pub gained: Vec<Dd>,
}
