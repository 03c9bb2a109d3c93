//! The tests of `polhode-special` in one program, since every program links everything again.

mod equations;
mod functions;
mod identities;
