//! `polhode export`: a page that needs no network, or a scene for other programs.

use crate::args::{ExportOptions, ModelOptions};
use crate::output::{emit, emit_json, render, warn};
use crate::targets::{self, Target};
use crate::{Refusal, input};
use polhode::mechanics::Form;
use polhode::prelude::{RunSettings, StopReason};
use polhode_web::document::{self, Mistaken, Motion, Wish};
use polhode_web::page;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Writes the files that are asked for.
pub(crate) fn run(options: &ExportOptions) -> Result<(), Refusal> {
    let model = &options.model.model;
    if options.html.is_none() && options.gltf.is_none() {
        let name = Path::new(model).file_stem().map_or("model".into(), |n| n.to_string_lossy());
        return Err(Refusal::BadInput(format!(
            "error: nothing says what to write\n  = a page: --html {name}.html; a scene: --gltf {name}.glb\n"
        )));
    }
    let asked = [("--html", &options.html, "html"), ("--gltf", &options.gltf, "glb")];
    let files: Vec<Target> = (asked.iter())
        .filter_map(|(option, path, ending)| Some(Target::new(option, path.as_deref()?, ending)))
        .collect();
    targets::check(&files, &[Path::new(model)])?;
    options.gltf.as_deref().map_or(Ok(()), binary)?;
    let wish = wish(&options.model, options.settings.settings()?)?;
    let limit = Duration::from_secs(options.time_limit);
    let mut written = Vec::new();
    let motion = match &options.html {
        Some(path) => {
            let (mut document, motion) = whole_document(&wish, limit)?;
            let dense = dense(&wish, &document, limit);
            match &dense {
                Some(dense) => record(&mut document, dense, &wish),
                None => record(&mut document, &motion, &few(&wish, &motion)),
            }
            let shown = dense.as_ref().unwrap_or(&motion);
            let page = fitting(&wish, document, shown, MOST_BYTES, &|d| page::alone(vec![d]));
            written.push(save(path, page.as_bytes())?);
            motion
        }
        None => Motion::of(&timed(&wish, limit)).map_err(refused)?,
    };
    if let Some(path) = &options.gltf {
        let Some(bytes) = motion.gltf() else {
            return Err(Refusal::No(format!(
                "nothing says what `{model}` looks like, so there is no scene\n  = add [[draw]] sections, or bodies with surfaces\n"
            )));
        };
        written.push(save(path, &bytes)?);
    }
    show(&written, options.model.changes.json);
    cut(&motion, limit)
}

/// Scenes are written in the binary form of glTF, which has a name of its own.
fn binary(path: &Path) -> Result<(), Refusal> {
    match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) {
        true => Ok(()),
        false => Err(Refusal::BadInput(format!(
            "error: `--gltf {}`: scenes are written as binary glTF, in files that end in .glb\n  = write --gltf {}\n",
            path.display(),
            path.with_extension("glb").display()
        ))),
    }
}

/// The wish, with an end to how long its motion may take.
fn timed(wish: &Wish, limit: Duration) -> Wish {
    Wish { deadline: Instant::now().checked_add(limit), ..wish.clone() }
}

/// A motion that took too long ends early: the page has it as far as it came.
pub(crate) fn cut(motion: &Motion, limit: Duration) -> Result<(), Refusal> {
    let report = &motion.trajectory.report;
    match report.stop == StopReason::Interrupted {
        true => Err(Refusal::StoppedEarly(format!(
            "stopped at t = {}: {}\n  = the files have the motion up to there; ask for less with --until, or wait longer with --time-limit\n",
            report.t,
            late(limit)
        ))),
        false => Ok(()),
    }
}

/// Why such a motion has ended.
pub(crate) fn late(limit: Duration) -> String {
    format!("the motion took longer than {} s", limit.as_secs())
}

/// Most bytes of a page, if something can be spared.
const MOST_BYTES: usize = 1_500_000;

/// Samples that are kept in any case, and where an engine has the others.
const FEWEST: usize = 100;
const FEWEST_BESIDE_ENGINE: usize = 20;

/// Vertices of a mesh where samples are not enough to spare, from one try to the next.
const VERTICES: [usize; 6] = [2800, 2000, 1400, 1000, 700, 500];

/// Bytes of one recorded number in a page: eight in base64.
const NUMBER: f64 = 8.0 * 4.0 / 3.0;

/// Samples of a motion that a page cannot compute again.
const DENSE: usize = 2401;

/// The motion with many samples, of which the page keeps those that there is room for: where it has no engine to compute what is between them.
fn dense(wish: &Wish, document: &Value, limit: Duration) -> Option<Motion> {
    let wish = Wish { samples: DENSE, ..timed(wish, limit) };
    document["engine"].is_null().then(|| Motion::of(&wish).ok()).flatten()
}

/// Samples where an engine computes others.
const BESIDE_ENGINE: usize = 601;

/// The wish for no more samples of a motion than a page with an engine needs.
fn few(wish: &Wish, motion: &Motion) -> Wish {
    let columns = motion.trajectory.compiled().program.report.outputs.len();
    Wish { most_numbers: BESIDE_ENGINE * columns, ..wish.clone() }
}

/// Puts a motion into a document, which says itself why it ended.
fn record(document: &mut Value, motion: &Motion, wish: &Wish) {
    let stop = document["recorded"]["stop"].take();
    document["recorded"] = motion.recorded(wish);
    document["recorded"]["stop"] = stop;
}

/// The page of a document, with fewer samples and then with coarser meshes if it had more bytes than that. A page with an engine computes
/// what is between samples.
pub(crate) fn fitting(
    wish: &Wish,
    mut document: Value,
    motion: &Motion,
    most_bytes: usize,
    page: &dyn Fn(Value) -> String,
) -> String {
    let mut whole = page(document.clone());
    let Some(excess) = whole.len().checked_sub(most_bytes) else { return whole };
    let columns = document["columns"].as_array().map_or(1, Vec::len).max(1);
    let numbers = motion.trajectory.samples.len() * columns;
    let fewest = if document["engine"].is_null() { FEWEST } else { FEWEST_BESIDE_ENGINE };
    let most_numbers = numbers.saturating_sub((excess as f64 / NUMBER) as usize + columns).max(fewest * columns);
    record(&mut document, motion, &Wish { most_numbers, ..wish.clone() });
    for most in VERTICES {
        whole = page(document.clone());
        if whole.len() <= most_bytes {
            return whole;
        }
        document["scene"]["meshes"] = motion.meshes(most);
    }
    page(document)
}

/// A file that was written, and its size.
pub(crate) struct Written {
    path: String,
    bytes: usize,
}

/// Says what was written.
pub(crate) fn show(written: &[Written], json: bool) {
    if json {
        let files: Vec<Value> = written.iter().map(|w| json!({ "path": w.path, "bytes": w.bytes })).collect();
        return emit_json(&json!({ "files": files }));
    }
    for w in written {
        emit(&format!("wrote {} ({} kB)\n", w.path, w.bytes.div_ceil(1000)));
    }
}

/// What the arguments ask for.
pub(crate) fn wish(options: &ModelOptions, settings: RunSettings) -> Result<Wish, Refusal> {
    let file = input::source(&options.model)?;
    let changes = options.changes.parse_options()?;
    let (set, start) = (changes.parameters, changes.initial);
    Ok(Wish { set, start, settings, ..Wish::new(file.name(), file.text()) })
}

/// The page document with equations and facts, and its motion. The motion, one form of the equations, and the facts have as much time each: a page can
/// do without the rest.
pub(crate) fn whole_document(wish: &Wish, limit: Duration) -> Result<(Value, Motion), Refusal> {
    let progress = Steps::new();
    progress.at("the motion");
    let (mut document, motion) = document::page_and_motion(&timed(wish, limit)).map_err(refused)?;
    if motion.trajectory.report.stop == StopReason::Interrupted {
        document["recorded"]["stop"]["text"] = late(limit).into();
    }
    let mut equations = Vec::new();
    for form in Form::ALL {
        progress.at(&format!("equations: {}", form.title()));
        let own = wish.clone();
        let found = within(limit, move || document::equations_document(&own, form));
        let why = || format!("they were not derived within {} s", limit.as_secs());
        equations.push(found.unwrap_or_else(|| Ok(document::no_equations(form, &why()))).map_err(refused)?);
    }
    document["equations"] = equations.into();
    progress.at("what is conserved");
    let (own, along) = (timed(wish, limit.mul_f64(FOUND)), motion.trajectory.clone());
    let facts = within(limit, move || document::facts_along(&own, &along));
    document["facts"] = facts.transpose().map_err(refused)?.unwrap_or(Value::Null);
    progress.end();
    Ok((document, motion))
}

/// The part of the time after which facts are those that are found.
const FOUND: f64 = 0.9;

/// What comes of a computation, if it is done in time. One that is not ends with the program.
fn within<T: Send + 'static>(time: Duration, compute: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(compute()));
    receive.recv_timeout(time).ok()
}

/// A model with mistakes.
pub(crate) fn refused(mistaken: Mistaken) -> Refusal {
    Refusal::BadInput(render(&mistaken.diagnostics, &mistaken.source))
}

/// A line on the terminal that says what is being done.
pub(crate) struct Steps {
    visible: bool,
}

impl Steps {
    pub(crate) fn new() -> Steps {
        Steps { visible: std::io::stderr().is_terminal() }
    }

    pub(crate) fn at(&self, what: &str) {
        if self.visible {
            warn(&format!("\r\x1b[2K  {what} …"));
        }
    }

    pub(crate) fn end(&self) {
        if self.visible {
            warn("\r\x1b[2K");
        }
    }
}

/// Writes a file.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<Written, Refusal> {
    let result = std::fs::File::create(path).and_then(|mut file| file.write_all(bytes));
    result.map_err(|e| Refusal::BadInput(format!("error: cannot write `{}`: {e}\n", path.display())))?;
    Ok(Written { path: path.display().to_string(), bytes: bytes.len() })
}
