//! The tests of `polhode-analysis` in one program, since every program links everything again.

mod constraint_doctor;
mod cushman;
mod cushman_structure;
mod disc;
mod hamiltonian;
#[allow(dead_code)] // the tests of mechanics use all of it
#[path = "../../mechanics/tests/papers/mod.rs"]
mod papers;

/// What most of them name.
mod prelude {
    pub(crate) use polhode_analysis::examine;
    pub(crate) use polhode_expr::{Expr, Graph, Reading, Symbol, Tree, Verdict, print};
    pub(crate) use polhode_mechanics::{Equations, Form, System};
    pub(crate) use polhode_model::{Model, ParseOptions};
    pub(crate) use polhode_models::{self as builtin};
}
