//! The tests of `polhode-poly` in one program, since every program links everything again.

mod flint_oracle;
mod properties;
