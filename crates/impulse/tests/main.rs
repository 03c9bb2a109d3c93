//! The tests of `polhode-impulse` in one program, since every program links everything again.

mod common;
mod friction;
mod implicit;
mod limits;
mod papers;
mod properties;
mod reference;
