//! `polhode run`: simulate a model and show what happened.

mod advice;
pub(crate) mod exact;
pub(crate) mod files;
pub(crate) mod json;
mod jumps;
pub(crate) mod progress;
mod summary;

use crate::args::RunOptions;
use crate::output::{emit, emit_json, render, warn};
use crate::{Refusal, input, list};
use polhode::exact::returns::ReturningMotion;
use polhode::lower::dd;
use polhode::model::{BadSetting, Owner};
use polhode::plot::svg::Figure;
use polhode::prelude::*;
use polhode::simulate::{CompileError, Followed, Ready};
use polhode::tape::{Dd, Scalar};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Evenly spaced times when no times are asked for.
const SAMPLES: usize = 401;

/// The same for a drawing, so that no corners are seen.
pub(crate) const DRAWN_SAMPLES: usize = 2001;

/// So few samples of a run that ended early are too few to show.
const FEW: usize = 100;

/// Everything a run has to show.
struct Finished {
    model: Model,
    system: System,
    motion: Trajectory,
    /// The samples that were asked for; the motion has more when a picture needs them.
    asked: Vec<Sample>,
    compile: Duration,
    integrate: Duration,
    /// The motion that was solved, with `--method exact`.
    solved: Option<ReturningMotion>,
}

/// Runs; the exit status is 3 when the motion stopped early.
pub(crate) fn run(options: &RunOptions) -> Result<(), Refusal> {
    let Some(name) = &options.model else { return nothing_to_run(options) };
    let mut plan = options.motion.plan(input::source(name)?)?;
    options.reported.put_into(&mut plan.settings)?;
    let mut ready = read(&plan, |_| files::check(options, name))?;
    let run = &mut ready.resolved.run;
    // A picture needs more times than a short list.
    let usual = if options.plot.is_some() { DRAWN_SAMPLES } else { SAMPLES };
    (run.dense, run.samples) = (false, if run.samples == 0 { usual } else { run.samples });
    for contact in &ready.model.contacts {
        run.integrals.extend(["polhode_speed", "herpolhode_speed"].map(|speed| contact.part(speed)));
    }
    let begin = Instant::now();
    if run.chosen_method() == Method::Exact {
        return exact::run(options, ready, begin);
    }
    let run = run.clone();
    let mut progress = progress::Progress::new(run.until.to_f64(), options.motion.changes.json);
    let mut solve = |compiled: Arc<Compiled>| Ok((compiled.solve_with(&run, &mut |t| progress.step(t))?, ()));
    let Timed { mut motion, compile, integrate, .. } = follow(&mut ready, begin, &mut solve)?;
    let Ready { model, system, .. } = ready;
    progress.end();

    if run.at.is_empty() {
        motion.show_early_end(FEW);
    }
    let asked = asked(&run, &motion);
    let finished = Finished { model, system, motion, asked, compile, integrate, solved: None };
    warn(&render(&advice::after(&finished.model, &finished.motion), &finished.model.source));
    show(options, &finished)?;
    match &finished.motion.report.stop {
        StopReason::End => Ok(()),
        stop => {
            let end = finished.motion.report.t;
            let missed: Vec<String> =
                run.at.iter().map(|t| t.to_f64()).filter(|t| t.abs() > end.abs()).map(|t| t.to_string()).collect();
            let note = match missed.is_empty() {
                true => String::new(),
                false => format!("  = not reached: t = {}\n", missed.join(", ")),
            };
            let tried = jumps::tried(&finished.model, &finished.motion);
            Err(Refusal::StoppedEarly(format!("stopped at t = {end}: {stop}\n{tried}{note}")))
        }
    }
}

/// Reads the model of a plan and what is wished about its motion; warnings go to standard error. In between, files are checked.
pub(crate) fn read(plan: &Plan, check: impl FnOnce(&Model) -> Result<(), Refusal>) -> Result<Ready, Refusal> {
    let (model, warnings) = plan.read()?;
    warn(&render(&warnings, &model.source));
    check(&model)?;
    let ready = Ready::new(model, Diagnostics::new(), &plan.settings)?;
    warn(&render(&ready.found, &ready.model.source));
    Ok(ready)
}

/// A motion with what came with it, and how long it took.
pub(crate) struct Timed<T> {
    pub(crate) motion: Trajectory,
    pub(crate) more: T,
    compile: Duration,
    integrate: Duration,
}

/// Why there is no motion: what is wrong with the system, or with what was asked of it.
enum Ended {
    NotCompiled(CompileError),
    Refused(Refusal),
}

impl From<CompileError> for Ended {
    fn from(error: CompileError) -> Ended {
        Ended::NotCompiled(error)
    }
}

/// Compiles and solves, with a clock.
pub(crate) fn follow<T>(
    ready: &mut Ready,
    begin: Instant,
    solve: &mut dyn FnMut(Arc<Compiled>) -> Result<(Trajectory, T), Refusal>,
) -> Result<Timed<T>, Refusal> {
    let mut mark = begin;
    let mut timed = |compiled: Arc<Compiled>| {
        let (compile, begin) = (mark.elapsed(), Instant::now());
        let (motion, more) = solve(compiled).map_err(Ended::Refused)?;
        mark = Instant::now();
        Ok((motion, (more, compile, mark - begin)))
    };
    let followed = ready.resolved.follow(&mut ready.system, &mut timed).map_err(|ended| match ended {
        Ended::Refused(refusal) => refusal,
        Ended::NotCompiled(CompileError::NoInitialState) => no_start(&ready.model),
        Ended::NotCompiled(error @ CompileError::SingularStart(..)) if ready.resolved.options.reduced => {
            Refusal::BadInput(format!(
                "error: {error}\n  = the invariant frame fails there; without --lift the full equations are taken\n"
            ))
        }
        Ended::NotCompiled(error) => not_compiled(error),
    })?;
    let Followed { motion, more: (more, compile, integrate), notes } = followed;
    notes.iter().for_each(|note| warn(&format!("note: {note}\n")));
    Ok(Timed { motion, more, compile, integrate })
}

/// The samples at the times that were asked for one by one, or all of them.
fn asked(run: &Run, motion: &Trajectory) -> Vec<Sample> {
    match run.at.is_empty() {
        true => motion.samples.clone(),
        false => motion.samples.iter().filter(|s| run.at.iter().any(|t| t.to_f64() == s.t())).cloned().collect(),
    }
}

/// Files, then JSON or text.
fn show(options: &RunOptions, finished: &Finished) -> Result<(), Refusal> {
    let written = files::write(options, finished)?;
    if options.motion.changes.json {
        emit_json(&json::document(finished));
    } else {
        emit(&summary::text(options, finished, &written));
    }
    Ok(())
}

/// The picture of `--plot`, of a motion that was computed elsewhere.
pub(crate) fn drawing(model: Model, system: System, motion: Trajectory) -> Figure {
    let (compile, integrate) = (Duration::ZERO, Duration::ZERO);
    files::figure(&Finished { model, system, motion, asked: Vec::new(), compile, integrate, solved: None })
}

fn nothing_to_run(options: &RunOptions) -> Result<(), Refusal> {
    let list = crate::args::ListOptions { json: options.motion.changes.json };
    list::list(&list)?;
    if !options.motion.changes.json {
        emit("\nrun one of them:  polhode run rolling-disk\nor a file of yours:  polhode run mine.toml\n");
    }
    Ok(())
}

/// A time given as a formula in the parameters, exactly.
pub(crate) fn time(model: &Model, flag: &str, text: &str) -> Result<Dd, Refusal> {
    Ok(dd(&model.time(flag, text)?))
}

pub(crate) fn unknown(what: &'static str, name: &str, names: &[&str]) -> Refusal {
    BadSetting::unknown(what, name, names.iter().copied()).into()
}

/// What a model without an initial state lacks.
pub(crate) fn no_start(model: &Model) -> Refusal {
    let body = model.contacts.first().and_then(|c| match c.sides[0].owner {
        Owner::Body(b) => model.bodies.get(b),
        Owner::Ground => None,
    });
    let Some(body) = body else { return not_compiled(CompileError::NoInitialState) };
    Refusal::BadInput(format!(
        "error: nothing says where `{0}` starts, so there is nothing to run\n  \
         = add [initial.{0}] with touching = [x, y, z] (where it touches the other side) or position = [x, y, z], \
         rotation = \"Rx(0.3)\" if it is turned, and omega = [0, 1, 0]\n  \
         = or give them here: --init \"touching=[0,0,0]\" --init \"omega=[0,1,0]\"\n",
        body.name
    ))
}

/// Why a system cannot be run.
pub(crate) fn not_compiled(error: CompileError) -> Refusal {
    match error {
        CompileError::Rejected(r) => Refusal::BadInput(render(&r.diagnostics, &r.source)),
        CompileError::NotApplicable(..) => Refusal::No(format!("error: {error}\n")),
        CompileError::NoInitialState => Refusal::BadInput(format!(
            "error: {error}\n  = add an [initial] section, or give velocities: --init \"x'=1\"\n"
        )),
        CompileError::SingularStart(..) => Refusal::BadInput(format!(
            "error: {error}\n  = its choice of independent velocities fails there; --form multipliers makes none\n"
        )),
        CompileError::NoSuchPosition(name, known) => {
            unknown("position", &name, &known.iter().map(String::as_str).collect::<Vec<_>>())
        }
        CompileError::NotSwitchable(_) => Refusal::No(format!("error: {error}\n")),
        _ => Refusal::BadInput(format!("error: {error}\n")),
    }
}
