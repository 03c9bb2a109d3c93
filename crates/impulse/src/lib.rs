//! Impulses: what velocities do when constraints appear or contacts collide.
//!
//! Everything happens in one frame of velocities v ∈ ℝⁿ at one instant: a kinetic metric G, covectors p = G v, and rows W
//! with right sides w₀ that mean W v + w₀ = 0. Numbers are [`Scalar`](polhode_tape::Scalar)s, doubles or double-doubles.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`metric`] | [`Metric`]: G = L Lᵀ |
//! | [`rows`] | [`Rows`]: the space spanned by rows, its rank, multipliers and their ambiguity |
//! | [`jump`] | [`Jump`]: projection onto constraints that appear, with restitution; Carnot's loss |
//! | [`collide`] | [`Collision`]: contacts with restitution while constraints are kept |
//! | [`mod@limit`] | row spaces just after a singular point, from samples |
//! | [`series`] | the same from Taylor coefficients |
//! | [`coulomb`] | dry friction: rough regions that throw back, impacts with a coefficient of friction |
//! | [`implicit`] | constraints that depend on the velocity after the jump: no, one or many solutions |
//!
//! Not here: mechanics. Positions, symbols, events and regions are the caller's.

pub mod collide;
pub mod coulomb;
pub mod implicit;
pub mod jump;
pub mod limit;
pub mod metric;
pub mod rows;
pub mod series;
mod sliding;

pub use collide::{Collision, CollisionError, Contact};
pub use coulomb::{Edge, FrictionError, Impact, Outcome, Phase, impact, rough_edge};
pub use implicit::{Consistent, Solution, Verdict, consistent};
pub use jump::{BadRestitution, Jump};
pub use metric::{Metric, NotPositive};
pub use rows::{Rank, Rows, RowsError};
