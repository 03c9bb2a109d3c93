//! `polhode run`: simulate a model and show what happened.

mod advice;
pub(crate) mod exact;
pub(crate) mod files;
pub(crate) mod json;
mod jumps;
pub(crate) mod progress;
mod summary;

use crate::args::{MotionOptions, RunOptions, assignments};
use crate::output::{emit, emit_json, render, warn};
use crate::{Refusal, input, list, neumann};
use polhode::base::closest;
use polhode::exact::returns::ReturningMotion;
use polhode::expr::eval::Digits;
use polhode::lower::dd;
use polhode::mechanics::Inconsistent;
use polhode::model::Owner;
use polhode::model::{Action, DIGITS, Event, RunSettings};
use polhode::plot::svg::Figure;
use polhode::prelude::*;
use polhode::simulate::{BadRun, CompileError};
use polhode::tape::{Dd, Scalar};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Final time when neither the model nor the user says one.
pub(crate) const UNTIL: f64 = 10.0;

/// Evenly spaced times when no times are asked for.
const SAMPLES: usize = 401;

/// The same for a drawing, so that no corners are seen.
pub(crate) const DRAWN_SAMPLES: usize = 2001;

/// So few samples of a run that ended early are too few to show.
const FEW: usize = 100;

/// Most evenly spaced times.
const MOST_SAMPLES: usize = 10_000_000;

/// Most digits that double-doubles are good for.
const MOST_DIGITS: usize = 30;

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
    let model = prepared(&options.motion, input::model(name, &options.motion.changes.parse_options()?)?)?;
    let run = wishes(options, &model)?;
    files::check(options, name)?;
    let begin = Instant::now();
    let mut system = input::system(&model)?;
    if run.chosen_method() == Method::Exact {
        return exact::run(options, model, system, run, begin);
    }
    let mut progress = progress::Progress::new(run.until.to_f64(), options.motion.changes.json);
    let mut solve = |compiled: Arc<Compiled>| {
        compiled.solve_with(&run, &mut |t| progress.step(t)).map(|motion| (motion, ())).map_err(|e| bad_run(&e))
    };
    let followed =
        follow(&options.motion, &model, &mut system, run.chosen_method(), &LookedAt::default(), begin, &mut solve)?;
    let Followed { mut motion, compile, integrate, .. } = followed;
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

/// The model as the flags of a motion want it: coordinates and events.
pub(crate) fn prepared(options: &MotionOptions, model: Model) -> Result<Model, Refusal> {
    let mut model = neumann::model_with_start(model, &options.coordinates)?;
    choose_events(options, &mut model)?;
    Ok(model)
}

/// What is looked at along a motion besides what is asked for by name.
#[derive(Default)]
pub(crate) struct LookedAt {
    /// Names and formulas.
    pub(crate) observables: Vec<(String, String)>,
    /// What drawings are made of.
    pub(crate) drawing: bool,
}

/// A motion with what came with it, and how long it took.
pub(crate) struct Followed<T> {
    pub(crate) motion: Trajectory,
    pub(crate) more: T,
    compile: Duration,
    integrate: Duration,
}

/// Compiles and solves; where equations that were chosen for the user fail, others are tried. `looked_at` is what is needed besides `--observe`.
pub(crate) fn follow<T>(
    options: &MotionOptions,
    model: &Model,
    system: &mut System,
    method: Method,
    looked_at: &LookedAt,
    begin: Instant,
    solve: &mut dyn FnMut(Arc<Compiled>) -> Result<(Trajectory, T), Refusal>,
) -> Result<Followed<T>, Refusal> {
    let mut compiled = |wanted| compile(options, model, system, method, looked_at, wanted);
    let first = match compiled(Wanted::First) {
        Err(Refusal::BadInput(_)) if options.reduced && options.lift.is_empty() => {
            warn("note: the reduced equations fail at the start; the full ones are taken\n");
            compiled(Wanted::Full)?
        }
        other => other?,
    };
    let (compile, begin) = (begin.elapsed(), Instant::now());
    let (motion, more) = solve(first)?;
    let followed = Followed { motion, more, compile, integrate: begin.elapsed() };
    let Some(wanted) = second_try(options, model, &followed.motion) else { return Ok(followed) };
    // our own choice of a form failed on the way: perhaps another one does not
    let begin = Instant::now();
    let Ok(second) = compiled(wanted) else { return Ok(followed) };
    let (compile, begin) = (begin.elapsed(), Instant::now());
    let (motion, more) = solve(second)?;
    if !motion.reaches_farther(&followed.motion) {
        return Ok(followed);
    }
    if options.reduced {
        let t = followed.motion.report.t;
        warn(&format!("note: the frame of the reduced equations fails at t = {t}; the full ones are taken\n"));
    }
    Ok(Followed { motion, more, compile, integrate: begin.elapsed() })
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

/// `--stop-at` and `--go-on`.
fn choose_events(options: &MotionOptions, model: &mut Model) -> Result<(), Refusal> {
    for (words, action) in [(&options.stop_at, Action::Stop), (&options.go_on, Action::Record)] {
        for word in words {
            // what cannot happen with these shapes may be asked for, as in the model file; slip needs friction
            let cause = Event::CAUSES.contains(&word.as_str()) && word != "slip" && !model.contacts.is_empty();
            if !cause && !model.events.iter().any(|e| e.is_called(word)) {
                if word == "slip" && model.contacts.iter().any(|c| !c.frictionless) {
                    return Err(advice::no_friction(model));
                }
                let mut names: Vec<&str> = model.events.iter().map(|e| e.name.as_str()).collect();
                names.extend(model.events.iter().filter_map(|e| e.cause));
                names.sort_unstable();
                names.dedup();
                return Err(unknown("event", word, &names));
            }
            let mut called = model.events.iter_mut().filter(|e| e.is_called(word)).peekable();
            let any = called.peek().is_some();
            let mut chosen = called.filter(|e| action == Action::Stop || !e.is_final()).peekable();
            if any && chosen.peek().is_none() {
                let message = format!(
                    "error: `--go-on {word}`: no run goes on from there\n  \
                     = the equations do not say how the point of contact would move\n"
                );
                return Err(message.into());
            }
            chosen.for_each(|e| e.action = action);
        }
    }
    Ok(())
}

/// What the flags and the `[run]` section of the model ask for; flags win.
fn wishes(options: &RunOptions, model: &Model) -> Result<Run, Refusal> {
    let settings = &model.run;
    let mut run = motion_wishes(&options.motion, model, latest(options, model))?;
    run.at = match options.at.is_empty() {
        true if options.samples.is_some() => Vec::new(),
        true => settings.at.iter().copied().map(decimal).collect(),
        false => options.at.iter().map(|text| time(model, "--at", text)).collect::<Result<_, _>>()?,
    };
    for contact in &model.contacts {
        run = run.integrate(&contact.part("polhode_speed")).integrate(&contact.part("herpolhode_speed"));
    }
    // A picture needs more times than a short list.
    let usual = if options.plot.is_some() { DRAWN_SAMPLES } else { SAMPLES };
    run.samples = options.samples.or(settings.samples).unwrap_or(usual);
    if run.samples == 0 {
        return Err("error: no samples are nothing to show\n  = ask for at least 1: --samples 1\n".to_owned().into());
    }
    if run.samples > MOST_SAMPLES {
        return Err(format!(
            "error: {} samples are more than anybody reads\n  = up to {MOST_SAMPLES} can be written\n",
            run.samples
        )
        .into());
    }
    Ok(run)
}

/// 0.7 in a file is the same time as 0.7 in a flag, which is read with all digits.
fn decimal(t: f64) -> Dd {
    t.to_string().parse().unwrap_or(Dd::from(t))
}

/// What the flags of a motion and the `[run]` section of the model ask for: a run that keeps nothing but its end. Without a final time it ends at `latest`.
pub(crate) fn motion_wishes(options: &MotionOptions, model: &Model, latest: Dd) -> Result<Run, Refusal> {
    let settings = &model.run;
    let until = match &options.until {
        Some(text) => time(model, "--until", text)?,
        None => settings.until.map(decimal).unwrap_or(latest),
    };
    let mut run = Run::until(until).sparse();
    if let Some(name) = options.method.as_ref().or(settings.method.as_ref()) {
        run.method = Method::from_name(name).ok_or_else(|| unknown("method", name, &Method::NAMES))?;
    }
    (run.rtol, run.atol) = (options.rtol.or(settings.rtol), options.atol.or(settings.atol));
    run.step = options.step.or(settings.step).filter(|_| options.step.is_some() || run.chosen_method().is_fixed_step());
    run.precision = match options.precision.or(settings.precision).unwrap_or(16) {
        0..=16 => Precision::Double,
        17..=MOST_DIGITS => Precision::DoubleDouble,
        digits => {
            let message = format!(
                "error: {digits} digits are more than can be computed here\n  = up to {MOST_DIGITS} can: --precision {MOST_DIGITS}\n"
            );
            return Err(message.into());
        }
    };
    run.project = options.project;
    if let Some(steps) = options.max_steps {
        run.step_limit = steps;
    }
    Ok(run)
}

/// The latest of the times asked for, or the usual final time.
fn latest(options: &RunOptions, model: &Model) -> Dd {
    let times = options.at.iter().filter_map(|text| time(model, "--at", text).ok());
    let latest = times.fold(None, |far: Option<Dd>, t| Some(far.filter(|f| f.abs() >= t.abs()).unwrap_or(t)));
    latest.unwrap_or(Dd::from(UNTIL))
}

/// A time given as a formula in the parameters, exactly.
pub(crate) fn time(model: &Model, flag: &str, text: &str) -> Result<Dd, Refusal> {
    let refuse = |why: &str| Refusal::BadInput(format!("error: `{flag} {text}`: {why}\n"));
    let mut graph = model.graph.clone();
    let formula = model.formula(&mut graph, text).map_err(|e| Refusal::BadInput(render(&e.diagnostics, &e.source)))?;
    let [e] = formula[..] else { return Err(refuse("a time is one number")) };
    match model.parameter_digits().and_then(|p| graph.evaluate(&Digits::decimal(DIGITS), &[e], &p)) {
        Ok(x) => Ok(dd(&x[0])),
        Err(_) => Err(refuse("a time is a number, or a formula in the parameters")),
    }
}

pub(crate) fn unknown(what: &str, name: &str, names: &[&str]) -> Refusal {
    let hint = match closest(name, names.iter().copied()) {
        Some(close) => format!("  = did you mean `{close}`?\n"),
        None if names.is_empty() => "  = the model has none\n".to_owned(),
        None => format!("  = there are {}\n", names.join(", ")),
    };
    Refusal::BadInput(format!("error: there is no {what} `{name}`\n{hint}"))
}

pub(crate) fn bad_run(error: &BadRun) -> Refusal {
    let help = match error {
        BadRun::NeedsStep(_) => "  = for example: --step 0.01\n",
        BadRun::NoFixedStep(_) => "  = for example: --rtol 1e-12; or a fixed-step method: --method gauss --step 0.01\n",
        BadRun::Precision(_) => "  = leave --method out, or leave --precision out\n",
        BadRun::Outside { .. } => "  = raise --until\n",
        _ => "",
    };
    Refusal::BadInput(format!("error: {error}\n{help}"))
}

fn compile(
    options: &MotionOptions,
    model: &Model,
    system: &mut System,
    method: Method,
    looked_at: &LookedAt,
    wanted: Wanted,
) -> Result<Arc<Compiled>, Refusal> {
    let mut wanted = compile_options(options, model, method, wanted)?;
    wanted.observables.extend_from_slice(&looked_at.observables);
    wanted.drawing = looked_at.drawing;
    let compiled = system.compile_with(&wanted).map_err(|error| match error {
        CompileError::NoInitialState => no_start(model),
        error @ CompileError::SingularStart(..) if wanted.reduced => Refusal::BadInput(format!(
            "error: {error}\n  = the invariant frame fails there; without --lift the full equations are taken\n"
        )),
        error => not_compiled(error),
    })?;
    if let Some(form) = wanted.form.filter(|f| *f != compiled.program.form && compiled.switches()) {
        warn(&format!(
            "note: constraints of this model come and go, and the {} form keeps them; the form with multipliers is taken\n",
            form.title()
        ));
    }
    Ok(compiled)
}

/// How the system is to be compiled.
fn compile_options(
    options: &MotionOptions,
    model: &Model,
    method: Method,
    wanted: Wanted,
) -> Result<CompileOptions, Refusal> {
    let form = match options.form.as_ref().or(model.run.form.as_ref()) {
        None => match wanted {
            Wanted::Form(form) => Some(form),
            Wanted::First | Wanted::Full => None,
        },
        Some(name) => Some(name.parse::<Form>().map_err(|()| unknown("form", name, &RunSettings::FORMS))?),
    };
    if let (Method::Discrete, Some(form)) = (method, form.filter(|f| *f != Form::Multipliers)) {
        let message = format!(
            "error: the discrete method has equations of its own, not those of the {} form\n  = leave --form out\n",
            form.title()
        );
        return Err(message.into());
    }
    if options.reduced && method == Method::Discrete {
        return Err(
            "error: the discrete method has equations of its own, which are not reduced\n  = leave --reduced out\n"
                .to_string()
                .into(),
        );
    }
    Ok(CompileOptions {
        form,
        inconsistent: if options.project { Inconsistent::Project } else { Inconsistent::Refuse },
        observables: observed(options, model)?,
        discrete: method == Method::Discrete,
        reduced: options.reduced && wanted == Wanted::First,
        lift: lifted(options),
        drawing: false,
    })
}

/// The positions of `--lift`; all of them without it.
fn lifted(options: &MotionOptions) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for list in &options.lift {
        // the comma of R[3,1] separates nothing
        let mut depth = 0;
        let separates = |c: char| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            c == ',' && depth == 0
        };
        names.extend(list.split(separates).map(|name| name.trim().to_owned()).filter(|name| name != "none"));
    }
    (!options.lift.is_empty()).then_some(names)
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

/// Which equations to compile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// What was asked for.
    First,
    /// The full ones in place of the reduced ones.
    Full,
    /// This form, after another one that was chosen for the user failed.
    Form(Form),
}

/// What to try when the equations that were chosen for the user failed on the way.
fn second_try(options: &MotionOptions, model: &Model, motion: &Trajectory) -> Option<Wanted> {
    let chosen = options.form.is_none() && model.run.form.is_none();
    let other = motion.other_form().filter(|_| chosen || options.reduced)?;
    Some(if options.reduced { Wanted::Full } else { Wanted::Form(other) })
}

/// The quantities of `--observe`; each has a name of its own.
fn observed(options: &MotionOptions, model: &Model) -> Result<Vec<(String, String)>, Refusal> {
    let list = assignments("--observe", &options.observe)?;
    for (i, (name, _)) in list.iter().enumerate() {
        let taken = model.graph.find_symbol(name).is_some()
            || name == "energy"
            || model.observables.iter().any(|(n, _)| n == name)
            || list[..i].iter().any(|(n, _)| n == name);
        if taken {
            return Err(
                format!("error: `--observe {name}=…`: the name `{name}` is taken\n  = choose another one\n").into()
            );
        }
    }
    Ok(list)
}
