//! The tests of `polhode` in one program, since every program links everything again.

mod examples;
mod packages;
mod papers_page;
mod papers_table;
mod pictures;
mod readme;
mod references;
mod threads;
