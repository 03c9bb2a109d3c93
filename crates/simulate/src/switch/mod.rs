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
//! What a run needs for this has three parts, and one value leads back to its driver (`solve`):
//!
//! ```text
//! event ─→ look: the numbers of this instant ─→ law: sides + look + velocity → course ─→ Transition ─→ driver
//!                                               ledger: what is remembered ─────┘
//! ```
//!
//! | file | what it holds |
//! | --- | --- |
//! | `modes` | the modes of a model, compiled when they are first needed |
//! | `look` | the numbers at one instant, by name |
//! | `law` | what all laws use, and the state from which a motion goes on |
//! | `border` | laws: borders between regions |
//! | `blow` | constraints with restitution |
//! | `collisions` | walls |
//! | `tangents` | the slip along a wall |
//! | `rolling` | contacts that open and close, roll and slide |
//! | `onset` | how slip begins and ends |
//! | `opening` | how a gap opens |
//! | `cone` | closed contacts with dry friction in collisions elsewhere |
//! | `degenerate` | limits of constraints that say nothing at the place itself |
//! | `departure` | when a motion that rested began to leave |
//! | `back` | runs backwards in time |
//! | `crawl` | motions that get nowhere where the constraints lose rank |
//! | `ledger` | sides, collisions that pile up, contacts that change again and again |
//! | `transition` | which law answers an event, and what the driver is told |
//! | `record` | what is told about it |

mod back;
mod blow;
mod border;
mod collisions;
mod cone;
mod crawl;
mod degenerate;
mod departure;
mod law;
mod ledger;
mod look;
mod modes;
mod onset;
mod opening;
mod record;
mod rolling;
mod tangents;
mod transition;

pub(crate) use modes::{Switching, compile_switching};
pub use record::{Candidate, JumpCase, JumpRecord, Refusal};
pub(crate) use transition::{Outcome, Switch, Transition};
