//! The tests of `polhode-backend-wasm` in one program, since every program links everything again.

mod common;
mod conformance;
mod engine;
mod motions;
