//! What the tests of [Voronets1911, ch. III and IV] share.
//!
//! `algebra` lets formulas be written as they are printed; `motion` is the rolling body without charts along which they are
//! evaluated, and says how time derivatives are got; `chart` has the charts of the paper; `sphere`, `revolution` and
//! `surface` have the quantities of ch. III and ch. IV.

pub(crate) mod algebra;
pub(crate) mod chart;
pub(crate) mod motion;
pub(crate) mod revolution;
pub(crate) mod sphere;
pub(crate) mod surface;
