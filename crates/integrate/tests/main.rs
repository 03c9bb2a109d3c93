//! The tests of `polhode-integrate` in one program, since every program links everything again.

mod batch;
mod drift;
mod events;
mod order;
mod problems;
mod roots;
mod taylor;
