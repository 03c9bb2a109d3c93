//! The tests of `polhode-tape` in one program, since every program links everything again.

mod conformance;
mod double_double;
mod passes;
