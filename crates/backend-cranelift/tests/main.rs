//! The tests of `polhode-backend-cranelift` in one program, since every program links everything again.

mod conformance;
