//! The tests of `polhode-model` in one program, since every program links everything again.

mod diagnostics;
mod functions;
mod language;
mod mutations;
mod point_forces;
mod trajectories;
