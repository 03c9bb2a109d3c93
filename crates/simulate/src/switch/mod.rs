//! Constraints that come and go during a run, and collisions.
//!
//! A run is in one *mode* at a time: a set of constraints in force. Each mode has a chart of its own, in the form with multipliers, whose unknowns are
//! all velocities, so that states mean the same in every mode. Between modes stands a jump of the velocities, a projection in the kinetic metric
//! (`polhode_impulse`):
//!
//! ```text
//! event ─→ which borders and walls are met ─→ predict the new sides with unchanged velocities
//!       ─→ project, or reflect ─→ does the outgoing motion enter what was assumed? ─→ go on, or say why not
//! ```
//!
//! Source: \[CortesEtAl2001\], §5, with the gaps of the printed theory closed: the constraints after the jump depend on where the motion goes, so that
//! there may be no consistent jump, or several, and neither is passed over.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `modes` | the modes of a model, compiled when they are first needed |
//! | `collisions` | walls |
//! | `switcher` | what happens at an event |
//! | `rolling` | contacts that open and close, roll and slide |
//! | `onset` | how slip begins and ends |
//! | `opening` | how a gap opens |
//! | `cone` | closed contacts with dry friction in collisions elsewhere |
//! | `tangents` | the slip along a wall |
//! | `degenerate` | limits of constraints that say nothing at the place itself |
//! | `departure` | when a motion that rested began to leave |
//! | `crawl` | motions that get nowhere where the constraints lose rank |
//! | `blow` | constraints with restitution |
//! | `back` | runs backwards in time |
//! | `record` | what is told about it |

mod back;
mod blow;
mod collisions;
mod cone;
mod crawl;
mod degenerate;
mod departure;
mod modes;
mod onset;
mod opening;
mod record;
mod rolling;
mod switcher;
mod tangents;

pub(crate) use modes::{Switching, compile_switching};
pub use record::{Candidate, JumpCase, JumpRecord, Refusal};
pub(crate) use switcher::{Outcome, Switcher};
