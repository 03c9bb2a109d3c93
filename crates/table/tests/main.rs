//! The tests of `polhode-table` in one program, since every program links everything again.

mod readers;
