//! The tests of `polhode-geometry` in one program, since every program links everything again.

mod common;
mod contact;
mod curvature;
mod inertia;
mod numeric;
mod surfaces;
mod voronets;
