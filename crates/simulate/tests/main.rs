//! The tests of `polhode-simulate` in one program, since every program links everything again.

mod blows;
mod changing_rank;
mod charts;
mod common;
mod conserved;
mod contact;
mod contacts;
mod discrete;
mod impacts;
mod landing;
mod motions;
mod moving;
mod multirolling;
mod neumann;
mod neumann_route;
mod newton;
mod reduced_lift;
mod reduced_runs;
mod rolling;
mod rolling_facts;
mod rolling_forces;
mod run;
mod series_by_parts;
mod singular_contacts;
mod sliding;
mod trajectories;
mod voronets_any_chart;
mod voronets_any_surface;
mod voronets_gyroscope;
mod voronets_instant;
mod voronets_integrals;
mod voronets_moments;
mod voronets_particular_solutions;
mod voronets_poinsot;
mod voronets_revolution;
mod voronets_rod;
mod voronets_sphere;

/// What most of them name.
mod prelude {
    pub(crate) use polhode_base::SourceFile;
    pub(crate) use polhode_expr::{Expr, Graph, Symbol, Verdict};
    pub(crate) use polhode_mechanics::{Form, System, initial_state, verify};
    pub(crate) use polhode_model::{Model, ParseOptions};
    pub(crate) use polhode_models as builtin;
    pub(crate) use polhode_simulate::{
        Compile, CompileOptions, Compiled, Method, Precision, Run, Sample, StopReason, Trajectory,
    };
}
