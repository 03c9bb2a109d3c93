//! Which types go from thread to thread: a sweep or a server of its own needs to know.

use polhode::prelude::*;

fn shared<T: Send + Sync>() {}

/// What is read and derived, what runs, and what comes of it.
#[test]
fn public_types_are_send_and_sync() {
    shared::<(Model, ParseOptions, Diagnostics, SourceFile, Builtin, polhode::model::Rejected)>();
    shared::<(Graph, Expr, Symbol, Tree, Verdict, Reading)>();
    shared::<(System, Equations, Frame, Form, Sheet, polhode::analysis::Report)>();
    shared::<(polhode::analysis::noether::Conserved, polhode::analysis::noether::Search)>();
    shared::<(CompileOptions, Compiled, Run, Method, Precision, polhode::simulate::CompileError)>();
    shared::<(Trajectory, Sample, StopReason, polhode::simulate::BadRun)>();
    shared::<(polhode::sweep::Study, polhode::sweep::Spec, polhode::sweep::Row, polhode::sweep::StudyError)>();
    shared::<(polhode::scene::Scene, polhode::table::Table, polhode::tape::Tape)>();
}
