//! The tests of `polhode-lower` in one program, since every program links everything again.

mod lowering;

/// What they name.
mod prelude {
    pub(crate) use polhode_expr::Expr;
    pub(crate) use polhode_mechanics::{Form, System, initial_state};
    pub(crate) use polhode_model::{Model, ParseOptions};
    pub(crate) use polhode_models as builtin;
}
