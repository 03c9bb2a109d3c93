//! Motions that can be solved: by functions that are known, by quadratures, by the group.
//!
//! A system with a symmetry group G has a reduced motion z(t), and the full motion follows from it by the group equation. Three things are solved here:
//!
//! | module | what is solved |
//! | --- | --- |
//! | [`linear`] | a shape variable in which the other velocities obey linear equations: second-order equations, constants, quadratures |
//! | [`returns`] | motions that return up to a symmetry: any time at once, holonomy, returns near a motion |
//! | [`steady`] | motions that the group carries along, q(t) = exp(tξ) q₀: families, circles, forces, stability |
//! | [`particular`] | motions that have formulas in t: free rotation, Poinsot's, Bobylev's and Joukovski's balls, equal ellipsoids |

mod budget;
pub mod linear;
pub mod particular;
pub mod returns;
pub mod steady;
