//! The tests of `polhode-mechanics` in one program, since every program links everything again.

mod cendra_diaz;
mod cendra_lacomba_reartes;
mod cortes;
mod identities;
mod models;
mod papers;
mod reduction;
mod reference_systems;
mod voronets;
mod voronets_quasi;
mod voronets_rotor;

/// What most of them name.
mod prelude {
    pub(crate) use polhode_base::Style;
    pub(crate) use polhode_expr::{Expr, Graph, Symbol, Tree, Verdict};
    pub(crate) use polhode_mechanics::{Equations, Form, Frame, Sheet, System, initial_state, verify};
    pub(crate) use polhode_model::{Model, ParseOptions};
    pub(crate) use polhode_models::{self as builtin, Builtin};
}
