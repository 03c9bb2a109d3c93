//! Steady motions: relative equilibria of any system with a symmetry.
//!
//! A motion is *steady* when the group carries it along,
//!
//! ```text
//! q(t) = exp(tξ) q₀,        ξ constant,                                                            (S0)
//! ```
//!
//! so that nothing is seen to change on the quotient: ż = 0 in the reduced equations. A disk that rolls on a circle at constant inclination is one, a
//! ball that goes round in a bowl, an egg that spins. Steady motions come in families; of each motion there are
//!
//! | what | from |
//! | --- | --- |
//! | the velocity ξ of the group, the state at any time | (S0) |
//! | the circles of points of contact and centres of mass | p̈ and ṗ along ξ |
//! | forces of contact and whatever else a model reports | its report |
//! | the dimension of its family | the kernel of the reduced linearisation |
//! | frequencies of small oscillations, growth rates | its other eigenvalues |
//!
//! Without a symmetry (S0) leaves rest: equilibria are steady motions with ξ = 0.
//!
//! The group is that of all Euclidean motions and cyclic coordinates that are symmetries, with what a model states besides: a disk whose paper reduces by
//! translations alone is still turned by rotations of the plane.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `problem` | (S1): the equations of steady motions as numeric programs |
//! | `generators` | the group |
//! | `quantities` | the expressions that these are made of |
//! | `newton`, `search` | Newton's method, from one start and from many |
//! | `nearest` | (S4): of a family the motion nearest to the initial state |
//! | `motion` | what is known of a motion |
//! | `linearisation` | (S2): what small disturbances do |
//! | `path` | circles |
//! | `algebra` | small matrices |
//!
//! Everything is computed in double-doubles: residuals are 10⁻²⁸ and less.

pub(crate) mod algebra;
mod generators;
mod linearisation;
mod motion;
mod nearest;
mod newton;
mod path;
pub(crate) mod problem;
pub(crate) mod quantities;
mod search;

pub use linearisation::Spectrum;
pub use motion::SteadyMotion;
pub use path::{Path, Shape};
pub use problem::Problem;

use polhode_base::Diagnostics;
use polhode_lower::NotLowered;
use polhode_mechanics::{Form, NotApplicable};
use polhode_model::Rejected;
use std::fmt;

/// A quantity and the value it is to have: formulas in the names of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Of positions and velocities: `theta`, `phi'`, `omega[3]`.
    pub quantity: String,
    /// A number, or a formula in the parameters.
    pub value: String,
}

impl Condition {
    /// `quantity = value`.
    pub fn new(quantity: &str, value: &str) -> Condition {
        Condition { quantity: quantity.to_string(), value: value.to_string() }
    }
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// What is prescribed.
    pub conditions: Vec<Condition>,
    /// Further points whose paths are wanted: a name, and a formula of two or three components.
    pub points: Vec<(String, String)>,
    /// Which form of the equations is solved; without a wish the one that would be run.
    pub form: Option<Form>,
}

impl Wish {
    /// Prescribes one more quantity.
    pub fn with(mut self, quantity: &str, value: &str) -> Wish {
        self.conditions.push(Condition::new(quantity, value));
        self
    }

    /// Asks for the path of one more point.
    pub fn point(mut self, name: &str, formula: &str) -> Wish {
        self.points.push((name.to_string(), formula.to_string()));
        self
    }
}

/// Why there is no search for steady motions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NotSteady {
    /// A symmetry that the model states is none.
    Refused(Diagnostics),
    /// Constraints come and go.
    Switches,
    /// The equations contain time.
    DependsOnTime,
    /// The model has no initial state to start from.
    NoInitialState,
    /// A formula is wrong, or the initial state is.
    Rejected(Rejected),
    /// The form does not apply.
    NotApplicable(Form, NotApplicable),
    /// The equations are no numeric program.
    NotLowered(NotLowered),
    /// What is prescribed is not a number.
    NotANumber(String),
    /// A point has two or three components.
    NotAPoint(String),
    /// There is no such quantity among those that are prescribed.
    NotPrescribed(String),
}

impl fmt::Display for NotSteady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotSteady::Refused(d) => f.write_str(d.iter().next().map_or("a symmetry is wrong", |d| d.message.as_str())),
            NotSteady::Switches => f.write_str(
                "the constraints of this model come and go, or it has walls: no motion of it is steady for all times",
            ),
            NotSteady::DependsOnTime => f.write_str("the equations of motion contain time"),
            NotSteady::NoInitialState => f.write_str("the model has no initial state to start the search from"),
            NotSteady::Rejected(e) => e.fmt(f),
            NotSteady::NotApplicable(form, why) => write!(f, "the {} form does not apply: {why}", form.title()),
            NotSteady::NotLowered(e) => e.fmt(f),
            NotSteady::NotANumber(text) => write!(f, "`{text}` is not a number"),
            NotSteady::NotAPoint(text) => write!(f, "`{text}` is no point: that has two or three components"),
            NotSteady::NotPrescribed(name) => write!(f, "`{name}` is not prescribed, so it cannot be varied"),
        }
    }
}

impl std::error::Error for NotSteady {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NotSteady::Rejected(e) => Some(e),
            NotSteady::NotApplicable(_, e) => Some(e),
            NotSteady::NotLowered(e) => Some(e),
            _ => None,
        }
    }
}
