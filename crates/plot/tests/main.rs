//! The tests of `polhode-plot` in one program, since every program links everything again.

mod figures;
mod raster;
