//! The tests of `polhode-backend-simd` in one program, since every program links everything again.

mod accuracy;
mod bits;
mod conformance;
