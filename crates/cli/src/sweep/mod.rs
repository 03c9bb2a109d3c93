//! `polhode sweep`: many motions of one model, a row for each.

pub(crate) mod args;
mod files;
pub(crate) mod picture;
mod progress;
mod shards;
mod summary;

use crate::args::assignments;
use crate::output::{render, warn};
use crate::{Refusal, input};
use args::{StudyOptions, SweepCommand, SweepOptions};
use polhode::base::SourceFile;
use polhode::model::syntax::decode_source;
use polhode::prelude::*;
use polhode::sweep::{Axis, BadDesign, Design, EngineKind, Keep, Plan, Points, Row, Spec, Study, StudyError, sha256};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Runs; the exit status is 3 when Ctrl-C ended it.
pub(crate) fn run(options: &SweepOptions) -> Result<(), Refusal> {
    match &options.command {
        Some(SweepCommand::Plan(options)) => shards::plan(options),
        Some(SweepCommand::Run(options)) => shards::run(options),
        Some(SweepCommand::Merge(options)) => shards::merge(options),
        Some(SweepCommand::Map(options)) => picture::draw(options),
        None => sweep(options),
    }
}

/// All motions at once.
fn sweep(options: &SweepOptions) -> Result<(), Refusal> {
    let begin = Instant::now();
    let json = options.study.changes.json;
    let mut plan = asked(&options.study)?;
    picture::keep_colour(&options.map, &mut plan.spec)?;
    let study = study_in(&plan, options.study.file.as_deref().and_then(Path::parent))?;
    let picture = picture::check(&options.map, &study)?;
    let outputs = files::outputs(&options.outputs, &plan, json)?;
    files::check(&outputs, options.map.map.as_deref(), &plan.spec, options.study.file.as_deref())?;
    let compile = begin.elapsed();
    let begin = Instant::now();
    let (total, stop) = (study.spec.design.len(), progress::listen());
    let mut progress = progress::Progress::new(total, 0, json);
    let mut rows: Vec<Row> = Vec::new();
    study.run(0..total, threads(options.threads), stop, &mut |_, more| {
        rows.extend(more);
        progress.done(rows.len() as u64);
        true
    });
    progress.end();
    let seconds = begin.elapsed();
    let mut table = polhode::sweep::table(&study.spec, &plan.spec.model, study.columns(), &rows);
    table.note("title", &study.title);
    let mut written = files::write(&outputs, &table)?;
    if let Some(picture) = picture {
        written.push(picture.write(&study.title, &table)?);
    }
    let told = summary::Told {
        study: &study,
        rows: &rows,
        table: &table,
        written: &written,
        compile: compile.as_secs_f64(),
        seconds: seconds.as_secs_f64(),
        threads: threads(options.threads),
    };
    told.tell(json, outputs.is_empty());
    match stop.load(Ordering::Relaxed) && (rows.len() as u64) < total {
        true => Err(Refusal::StoppedEarly(format!("interrupted: {} of {total} motions are done\n", rows.len()))),
        false => Ok(()),
    }
}

/// How many threads to use.
fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// What flags or a file ask for.
fn asked(options: &StudyOptions) -> Result<Plan, Refusal> {
    let keep = kept(&options.keep)?;
    let (settings, engine) = (options.settings.settings()?, options.engine.as_deref().and_then(EngineKind::from_name));
    let (set, init) = (assignments("--set", &options.changes.set)?, assignments("--init", &options.changes.init)?);
    if let Some(path) = &options.file {
        let mut plan = read_plan(path)?;
        // flags win over the file
        let spec = &mut plan.spec;
        spec.set.extend(set);
        spec.init.extend(init);
        if !keep.is_empty() {
            spec.keep = keep;
        }
        spec.settings = settings.over(&spec.settings);
        spec.engine = engine.or(spec.engine);
        return complete(plan, path.parent());
    }
    let model = options.model.clone().unwrap_or_default();
    let file = input::source(&model)?;
    let (bare, warnings) = Model::parse(file.name(), file.text(), &ParseOptions::default())
        .map_err(|r| render(&r.diagnostics, &r.source))?;
    warn(&render(&warnings, &bare.source));
    let number = |text: &str| number(&bare, text);
    let axes: Result<Vec<Axis>, BadDesign> = options.vary.iter().map(|text| Axis::read(text, &number)).collect();
    let points = match (options.random, options.sobol) {
        (Some(n), _) => Points::Random(n),
        (_, Some(n)) => Points::Sobol(n),
        _ => Points::None,
    };
    let design = axes.and_then(|axes| Design::new(axes, points, options.seed)).map_err(|e| bad_design(&e))?;
    let keep = if keep.is_empty() { Keep::usual() } else { keep };
    let spec = Spec { model, set, init, design, settings, engine, keep };
    complete(Plan { spec, model_sha256: None, version: None }, None)
}

/// The items of `--keep`.
fn kept(lists: &[String]) -> Result<Vec<Keep>, Refusal> {
    let lists: Result<Vec<Vec<Keep>>, _> = lists.iter().map(|list| Keep::read_list(list)).collect();
    Ok(lists.map_err(|e| format!("error: {e}\n"))?.concat())
}

/// A number, or a formula in the parameters of the model.
pub(crate) fn number(model: &Model, text: &str) -> Result<f64, String> {
    if let Ok(x) = text.parse() {
        return Ok(x);
    }
    let mut graph = model.graph.clone();
    let formula = model.formula(&mut graph, text).map_err(|r| {
        let first = r.diagnostics.iter().next().map(|d| d.message.clone()).unwrap_or_default();
        format!("`{text}`: {first}")
    })?;
    match (&formula[..], model.parameter_values()) {
        ([e], Ok(values)) => graph.evaluate_f64(*e, &values).map_err(|_| format!("`{text}` is no number")),
        _ => Err(format!("`{text}` is no number")),
    }
}

pub(crate) fn bad_design(error: &BadDesign) -> Refusal {
    let help = match error {
        BadDesign::Nothing => "  = say what: --vary theta=0.2..1.5:40\n".to_owned(),
        BadDesign::Unfilled(name) => {
            format!("  = give it a number of values, --vary {name}=FROM..TO:N, or fill ranges: --sobol 1024\n")
        }
        BadDesign::NoRange => "  = leave out the number of values: --vary NAME=FROM..TO\n".to_owned(),
        _ => String::new(),
    };
    Refusal::BadInput(format!("error: {error}\n{help}"))
}

/// A plan file, or a sweep file.
fn read_plan(path: &Path) -> Result<Plan, Refusal> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|e| format!("error: cannot read `{name}`: {e}\n"))?;
    let (file, diagnostics) = decode_source(&name, &bytes);
    if diagnostics.has_errors() {
        return Err(Refusal::BadInput(render(&diagnostics, &file)));
    }
    Plan::read(&file).map_err(|r| Refusal::BadInput(render(&r.diagnostics, &r.source)))
}

/// The text of the model of a plan: a built-in one, or a file beside the plan or here.
fn source(plan: &Plan, folder: Option<&Path>) -> Result<SourceFile, Refusal> {
    let name = &plan.spec.model;
    let beside = folder.map(|f| f.join(name)).filter(|path| builtin::find(name).is_none() && path.is_file());
    let file = match beside.as_deref().and_then(Path::to_str) {
        Some(path) => input::source(path)?,
        None => input::source(name)?,
    };
    Ok(file)
}

/// Checks the model against the plan, or notes which one it is.
fn complete(plan: Plan, folder: Option<&Path>) -> Result<Plan, Refusal> {
    let given = plan.spec.set.iter().chain(&plan.spec.init);
    if let Some((name, _)) = given.into_iter().find(|(name, _)| plan.spec.design.axes().iter().any(|a| a.name == *name))
    {
        return Err(Refusal::BadInput(format!(
            "error: `{name}` is varied and has a fixed value too\n  = leave out one of `--vary {name}=…` and `{name}=…` of --set or --init\n"
        )));
    }
    let sum = sha256::hex(source(&plan, folder)?.text().as_bytes());
    match &plan.model_sha256 {
        Some(known) if *known != sum => Err(Refusal::BadInput(format!(
            "error: the model `{}` is not the one that the plan was made for\n  = its checksum is {sum}\n  = make the plan again, or bring the old model back\n",
            plan.spec.model
        ))),
        _ => Ok(Plan { model_sha256: Some(sum), version: Some(env!("CARGO_PKG_VERSION").to_owned()), ..plan }),
    }
}

fn study_in(plan: &Plan, folder: Option<&Path>) -> Result<Study, Refusal> {
    Study::new(source(plan, folder)?, plan.spec.clone()).map_err(refused_study)
}

/// What is wrong with what is varied or kept.
pub(crate) fn refused_study(error: StudyError) -> Refusal {
    match error {
        StudyError::Plan(e) => (*e).into(),
        e => crate::advised(&e, e.help()),
    }
}
