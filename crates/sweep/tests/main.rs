//! The tests of `polhode-sweep` in one program, since every program links everything again.

mod sweep;

/// What most of them name.
mod prelude {
    pub(crate) use polhode_mechanics::System;
    pub(crate) use polhode_model::{Model, ParseOptions};
    pub(crate) use polhode_models as builtin;
    pub(crate) use polhode_simulate::{Compile, Run};
}
