//! The tests of `polhode-expr` in one program, since every program links everything again.

mod code_runs;
mod common;
mod fuzz;
mod half_angle_oracle;
mod latex_parses;
mod properties;
