//! Motions that one shape variable governs: linear equations in it, and one degree of freedom.
//!
//! ```text
//! dw/ds = M(s) w + m(s),       w ∈ ℝᵏ                                                          (L1)
//! ½ G(s) ṡ² + V_eff(s) = E,    V_eff = ½ wᵀW(s) w + βᵀw + V  along a solution of (L1)            (L2)
//! ```
//!
//! s is a coordinate, the angle between an axis of a body and one of space, or the distance from an axis. (L1) comes from equations of motion with ẇ = ṡ (M w + m): the disk
//! [CendraDiaz2006, (2.26)–(2.27)], [CushmanEtAl1995, (35)], every body of revolution on a plane and on a sphere [Voronets1911, §14]. Its solutions are the
//! linear integrals of the motion. With two w it is an equation of second order, which may be a known one.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `shape` | [`Shape`]: which s, which w, (L1), (L2) and what follows by quadrature, exactly |
//! | `levels` | functions of the position that keep their values |
//! | `view` | functions of (s, ṡ, w), and quadratures |
//! | `coordinates` | [`Reduced`]: the model's coordinates, or those of the points of contact |
//! | `second_order` | [`SecondOrder`]: one equation for one unknown, in a variable that makes it rational; [`Riccati`] |
//! | `constants` | [`Constants`]: C₁ and C₂ in the basis that the equation is known for |
//! | `continuation` | (L1) over an interval of s, in double-doubles |
//! | `phase` | Fourier series on one period: time, quadratures, and their inversion |
//! | `motion` | [`Motion`]: the course of s, its turning points, period and frequencies, the state at any time |
//! | `sheet` | the formulas as they are shown |

mod constants;
mod continuation;
mod coordinates;
mod levels;
mod motion;
mod phase;
mod second_order;
mod shape;
mod sheet;
mod view;

pub use constants::{Basis, Constants};
pub use coordinates::{Failed, Reduced, Tried, reduce_model};
pub use motion::{Course, Motion, NoMotion, Oscillation, State};
pub use second_order::{InRational, Rational, Riccati, SecondOrder, riccati, second_order, second_order_for};
pub use shape::{Quadrature, Shape, Unknown};

use polhode_mechanics::System;
use std::fmt;

/// Why a system has no linear reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotLinear {
    /// Forces, moving constraints or time change the energy.
    EnergyChanges,
    /// No coordinate, no distance from an axis and no entry of a rotation was found to make the equations linear.
    NoVariable,
    /// With this variable some of the velocities obey linear equations, but not all that there are.
    NotClosed {
        /// The variable.
        variable: String,
        /// Velocities that are governed, ṡ included.
        found: usize,
        /// Velocities that there are.
        wanted: usize,
    },
    /// The energy has a product of ṡ with other velocities.
    Coupled {
        /// The variable.
        variable: String,
    },
    /// The energy depends on more positions.
    EnergyDependsOnMore {
        /// The variable.
        variable: String,
    },
}

impl NotLinear {
    /// The larger, the nearer it came.
    fn rank(&self) -> usize {
        match self {
            NotLinear::EnergyChanges => 0,
            NotLinear::NoVariable => 1,
            NotLinear::NotClosed { found, .. } => 2 + found,
            NotLinear::EnergyDependsOnMore { .. } => 1000,
            NotLinear::Coupled { .. } => 1001,
        }
    }
}

impl fmt::Display for NotLinear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotLinear::EnergyChanges => f.write_str("forces, moving constraints or time change the energy"),
            NotLinear::NoVariable => {
                f.write_str("of the coordinates, the distances from an axis and the entries of a rotation that were tried, none was found to make the other velocities obey linear equations")
            }
            NotLinear::NotClosed { variable, found: 0, wanted } => {
                write!(f, "the linear equations that were found in {variable} do not determine the {wanted} velocities")
            }
            NotLinear::NotClosed { variable, found, wanted } => {
                write!(f, "linear equations in {variable} govern {found} of the {wanted} velocities")
            }
            NotLinear::Coupled { variable } => {
                write!(f, "the energy has products of the rate of {variable} with other velocities")
            }
            NotLinear::EnergyDependsOnMore { variable } => {
                write!(f, "the energy depends on more than {variable} and the velocities")
            }
        }
    }
}

impl std::error::Error for NotLinear {}

/// The linear reduction of a system, exact in its parameters.
pub fn linear_reduction(system: &mut System) -> Result<Shape, NotLinear> {
    shape::find(system)
}
