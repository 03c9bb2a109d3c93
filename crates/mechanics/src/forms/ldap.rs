//! The Lagrange–d'Alembert–Poincaré equations: the frame equation in an invariant frame adapted to D = H ⊕ S.
//!
//! The fields of H come first, so that the first equations are the horizontal ones and those of S, the vertical ones or
//! *momentum equation*, follow. A model that states no symmetry is reduced by those that are found. See `reduction/` for the frame, [CendraDiaz2006, appendix] for the equations.

use super::{Equations, NotApplicable};
use crate::system::System;

pub(super) fn equations(system: &mut System) -> Result<Equations, NotApplicable> {
    let reduction = system.reduction_or_found().map_err(|reason| NotApplicable::NotReducible(reason.to_string()))?;
    Ok(reduction.equations(system))
}
