//! The tests of `polhode-exact` in one program, since every program links everything again.

mod common;
mod disk_functions;
mod forces_and_ends;
mod linear;
mod linear_courses;
mod linear_equations;
mod nearby;
mod particular;
mod particular_balls;
mod returns;
mod steady_bodies;
mod steady_disk;
mod steady_search;
