//! The tests of `polhode-cli` in one program, since every program links everything again.

mod budgets;
mod check;
mod common;
mod conserved;
mod constraints_page;
mod contact;
mod contract;
mod doors;
mod exact;
mod export;
mod neumann;
mod plot;
mod reduce;
mod run;
mod run_exact;
mod steady;
mod sweep;
mod symmetries;
mod systems;
mod view;
