//! `polhode plot`: figures of motions, for a paper or for the screen.

pub(crate) mod args;
mod motions;
mod panels;
mod quantities;
mod report;
mod space;
mod words;

use crate::picture::{Format, save};
use crate::run::progress::Progress;
use crate::run::{self, Timed, follow};
use crate::targets::{self, Target};
use crate::{Refusal, input, sweep};
use args::{Page, PlotCommand, PlotOptions, StyleChoice};
use motions::{Start, Starts};
use polhode::plot::svg::{Axis, Event, Figure, Look, MOST_DASHES};
use polhode::prelude::*;
use polhode::simulate::{Section, Sections};
use polhode::tape::Scalar;
use quantities::{Finder, Quantity};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use words::Wanted;

/// Samples of a curve for each step of the integrator, and most samples.
const PER_STEP: u64 = 8;
const MOST_SAMPLES: u64 = 40_001;

/// Widths that a page can have, in millimetres.
const WIDTHS: [f64; 2] = [30.0, 2000.0];

/// A motion that was followed.
pub(crate) struct Drawn {
    motion: Trajectory,
    samples: Vec<Sample>,
    /// In the order of what is wanted: the crossings of sections.
    sections: Vec<Section>,
    value: Option<f64>,
    /// Its place among the combinations of what is varied besides the first.
    dash: usize,
    name: String,
}

/// What all panels are made from.
pub(crate) struct Study {
    model: Model,
    wanted: Vec<Wanted>,
    /// The quantities of what is wanted, in the order in which they are written there.
    quantities: Vec<Vec<Quantity>>,
    drawn: Vec<Drawn>,
    starts: Starts,
}

/// Draws; the exit status is 3 when a motion stopped early.
pub(crate) fn run(options: &PlotOptions) -> Result<(), Refusal> {
    if let Some(PlotCommand::Map(table)) = &options.command {
        let look = look(&table.page)?;
        let file = ("--output", &table.output);
        return sweep::picture::draw_table(file, &table.table, &table.columns, table.page.title.clone(), look);
    }
    let name = options.model.as_deref().unwrap_or_default();
    let wanted = words::read(&options.words)?;
    let files = files(options, name, &wanted)?;
    let look = look(&options.page)?;
    let starts = Starts::new(options, name)?;
    space::check(&wanted, starts.list.len())?;
    let study = follow_all(options, name, wanted, starts)?;
    let mut pages = Vec::new();
    let share = if files.len() == 1 { study.wanted.len() } else { 1 };
    for (k, path) in files.iter().enumerate() {
        let figure = figure(options, &study, k * share..(k + 1) * share, look)?;
        let bytes = Format::of("--output", path)?.bytes_for(figure.svg(), look)?;
        save(path, &bytes)?;
        pages.push(path.display().to_string());
    }
    if let Some(path) = &options.csv {
        let table = report::section_table(&study);
        crate::run::files::save(path, |file| table.write_csv(file))?;
        pages.push(path.display().to_string());
    }
    report::tell(options, &study, &pages);
    report::early(&study)
}

/// The files to be written, one for all or one each. Better known to be possible before a long run than after it.
fn files(options: &PlotOptions, model: &str, wanted: &[Wanted]) -> Result<Vec<PathBuf>, Refusal> {
    let bad = |message: String| Err(Refusal::BadInput(message));
    let mut files = options.output.clone();
    if files.is_empty() {
        let stem = Path::new(model).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let kinds: Vec<&str> = wanted.iter().map(Wanted::kind).collect();
        files.push(PathBuf::from(format!("{stem}-{}.svg", kinds.join("-"))));
    }
    if files.len() != 1 && files.len() != wanted.len() {
        return bad(format!(
            "error: {} files are named for {} figures\n  = name one file for all of them, or one for each\n",
            files.len(),
            wanted.len()
        ));
    }
    let tables = options.csv.iter().map(|path| Target::new("--csv", path, "csv"));
    let all: Vec<Target> = files.iter().map(|path| Target::new("--output", path, "svg")).chain(tables).collect();
    targets::check(&all, &[Path::new(model)])?;
    for path in &files {
        let format = Format::of("--output", path)?;
        if options.animate && format == Format::Png {
            return bad(format!(
                "error: a PNG does not move\n  = write --output {}\n",
                path.with_extension("svg").display()
            ));
        }
    }
    if options.animate && !wanted.iter().any(Wanted::moves) {
        return bad("error: only tracks, curves and scenes move\n  = leave --animate out\n".to_owned());
    }
    let without = |word: &str| !wanted.iter().any(|w| w.kind() == word);
    for (given, option, word, what) in [
        (!options.at.is_empty(), "--at", "scene", "the times of a scene"),
        (options.ticks.is_some(), "--ticks", "track", "times on a track"),
    ] {
        if given && without(word) {
            return bad(format!(
                "error: `{option}` gives {what}, and there is none\n  = add `{word}`, or leave {option} out\n"
            ));
        }
    }
    if !(-90.0..=90.0).contains(&options.elevation) || !options.azimuth.is_finite() {
        return bad(format!(
            "error: nothing is seen from an azimuth of {} and an elevation of {} degrees\n  = an elevation is between -90, from below, and 90, from above\n",
            options.azimuth, options.elevation
        ));
    }
    let sections = wanted.iter().any(|w| matches!(w, Wanted::Section { .. }));
    if options.csv.is_some() && !sections {
        return bad("error: `--csv` writes the points of a section, and there is none\n  = `polhode run --csv` writes a motion\n".to_owned());
    }
    Ok(files)
}

/// How the page looks.
fn look(page: &Page) -> Result<Look, Refusal> {
    let text = page.width.trim();
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let factor = match &text[digits.len()..] {
        "mm" => Some(1.0),
        "cm" => Some(10.0),
        "in" => Some(25.4),
        "pt" => Some(25.4 / 72.0),
        _ => None,
    };
    let width = digits.trim().parse::<f64>().ok().zip(factor).map(|(x, f)| x * f);
    match (page.style, width.filter(|w| (WIDTHS[0]..=WIDTHS[1]).contains(w))) {
        (_, None) => Err(Refusal::BadInput(format!(
            "error: `--width {text}`: a width is a length from {}mm to {}mm\n  = for example: --width 85mm, --width 17cm, --width 5in\n",
            WIDTHS[0], WIDTHS[1]
        ))),
        (StyleChoice::Screen, _) => Ok(Look::Screen),
        (StyleChoice::Paper, Some(width)) => Ok(Look::Paper { width }),
    }
}

/// All motions.
fn follow_all(options: &PlotOptions, name: &str, wanted: Vec<Wanted>, starts: Starts) -> Result<Study, Refusal> {
    let mut texts: Vec<String> = wanted.iter().flat_map(|w| w.quantities()).map(str::to_owned).collect();
    texts.sort();
    texts.dedup();
    let (coloured, others) = (starts.coloured(), starts.others());
    let dashed = (2..=MOST_DASHES).contains(&others.len());
    let source = input::source(name)?;
    let read = |start: &Start| {
        let plan = Plan { values: start.options.clone(), ..options.motion.plan(source.clone())? };
        run::read(&plan, |_| Ok(()))
    };
    let mut first = Some(read(&starts.list[0])?);
    let model = first.as_ref().map(|ready| ready.model.clone()).expect("it was read");
    let mut study = Study { model, wanted, quantities: Vec::new(), drawn: Vec::new(), starts };
    let count = study.starts.list.len();
    let mut progress: Option<Progress> = None;
    for k in 0..count {
        let start = &study.starts.list[k];
        let mut ready = match first.take() {
            Some(ready) => ready,
            None => read(start)?,
        };
        let mut run = ready.resolved.run.clone();
        run.at.clear();
        run.samples = 0;
        if run.chosen_method() == Method::Exact {
            let message = "error: a figure follows motions by an integrator\n  = leave --method exact out, or draw an exact motion by `polhode run --method exact --plot FILE`\n";
            return Err(Refusal::BadInput(message.to_owned()));
        }
        run.dense = study.wanted.iter().any(|w| !matches!(w, Wanted::Section { .. }));
        let (from, whole) = (k as f64, count as f64);
        let until = run.until.to_f64();
        let progress = progress.get_or_insert_with(|| Progress::new(until * whole, options.motion.changes.json));
        let model = ready.model.clone();
        ready.resolved.options.observables.extend(quantities::observables(&model, &texts));
        ready.resolved.options.drawing = space::is_wanted(&study.wanted);
        let mut quantities = Vec::new();
        let mut solve = |mut compiled: Arc<Compiled>| {
            let finder = Finder { model: &model, compiled: &compiled, texts: &texts };
            quantities = panels::find_all(&study.wanted, &finder)?;
            let (watched, sections) = surfaces(options, &study.wanted, &quantities);
            Arc::make_mut(&mut compiled).watch(watched.clone());
            let mut sections = Sections::new(sections, watched.len());
            let mut step = |t: f64| progress.step(from * until + t);
            let observer = Some(&mut sections as &mut dyn polhode::simulate::Observer).filter(|_| !watched.is_empty());
            let motion = compiled.solve_observed(&run, &mut step, observer)?;
            Ok((motion, sections.list))
        };
        let Timed { motion, more: sections, .. } = follow(&mut ready, Instant::now(), &mut solve)?;
        if k == 0 {
            study.quantities = quantities;
            study.model = model;
        }
        let steps = motion.report.statistics.steps;
        let samples = match run.dense {
            true => motion.sampled((PER_STEP * steps).clamp(crate::run::DRAWN_SAMPLES as u64, MOST_SAMPLES) as usize),
            false => Vec::new(),
        };
        let value = start.values.first().copied().filter(|_| coloured);
        let said =
            study.starts.names.iter().zip(&start.texts).map(|(n, x)| format!("{} = {x}", crate::picture::readable(n)));
        let name = said.collect::<Vec<_>>().join(", ");
        let own = start.texts.get(1..).unwrap_or_default();
        let dash = others.iter().position(|o| o == own).filter(|_| dashed).unwrap_or_default();
        let interrupted = motion.report.stop == StopReason::Interrupted;
        study.drawn.push(Drawn { motion, samples, sections, value, dash, name });
        if interrupted {
            break;
        }
    }
    if let Some(progress) = progress {
        progress.end();
    }
    Ok(study)
}

/// The numbers that are watched for sections, and the sections, in the order of what is wanted.
fn surfaces(options: &PlotOptions, wanted: &[Wanted], quantities: &[Vec<Quantity>]) -> (Vec<usize>, Vec<Section>) {
    let (mut watched, mut sections) = (Vec::new(), Vec::new());
    for (w, q) in wanted.iter().zip(quantities) {
        if matches!(w, Wanted::Section { .. }) {
            sections.push(Section::new(watched.len(), options.direction));
            watched.extend(q.iter().map(|q| q.parts[0].1));
        }
    }
    (watched, sections)
}

/// What is varied, as the key says it: an initial value is not the quantity itself, which changes.
fn varied_label(study: &Study, name: &str) -> String {
    let label = crate::run::files::label(&study.model, &study.model.graph, name);
    if study.model.parameter(name).is_some() { label } else { format!("{label}(0)") }
}

/// Says what is varied besides the first: by dashes, or in words where there are too many or nothing but points.
fn tell_others(figure: &mut Figure, study: &Study, wanted: &[Wanted]) {
    let (others, names) = (study.starts.others(), &study.starts.names);
    if others.len() < 2 {
        return;
    }
    let labels: Vec<String> = names[1..].iter().map(|n| varied_label(study, n)).collect();
    let lines = wanted.iter().any(|w| !matches!(w, Wanted::Section { .. }));
    if others.len() <= MOST_DASHES && lines {
        let entry =
            |o: &Vec<String>| labels.iter().zip(o).map(|(l, x)| format!("{l} = {x}")).collect::<Vec<_>>().join(", ");
        figure.dashes = others.iter().map(entry).collect();
        return;
    }
    let range = |(k, label): (usize, &String)| {
        let mut values: Vec<&String> = Vec::new();
        others.iter().map(|o| &o[k]).for_each(|x| {
            if !values.contains(&x) {
                values.push(x)
            }
        });
        match &values[..] {
            [first, .., last] => format!("{label} = {first} … {last} ({} values)", values.len()),
            _ => format!("{label} = {}", values.first().map_or("", |x| x)),
        }
    };
    let said: Vec<String> = labels.iter().enumerate().map(range).collect();
    figure.note = format!("{}, in the same colours", said.join(", "));
}

/// A figure of some of what is wanted.
fn figure(options: &PlotOptions, study: &Study, which: std::ops::Range<usize>, look: Look) -> Result<Figure, Refusal> {
    let title = match (&options.page.title, look) {
        (Some(title), _) => title.clone(),
        (None, Look::Screen) if study.model.title.is_empty() => study.model.name.clone(),
        (None, Look::Screen) => study.model.title.clone(),
        (None, Look::Paper { .. }) => String::new(),
    };
    let mut figure = Figure::new(title);
    figure.look = look;
    if look == Look::Screen {
        figure.subtitle = study.model.reference.clone();
    }
    if study.drawn.iter().any(|d| d.value.is_some()) {
        let name = &study.starts.names[0];
        figure.key = Some(Axis::new(varied_label(study, name), crate::run::files::unit(&study.model, name)));
        figure.key_is_log = study.starts.log && study.drawn.iter().filter_map(|d| d.value).all(|x| x != 0.0);
        tell_others(&mut figure, study, &study.wanted[which.clone()]);
    }
    for k in which {
        figure.panels.extend(match study.wanted[k] {
            Wanted::Curves | Wanted::Scene => space::panels(options, study, k)?,
            _ => panels::panels(options, study, k)?,
        });
    }
    if let [only] = &study.drawn[..] {
        let events = only.motion.report.events.iter();
        figure.events = events.map(|e| Event { t: e.sample.t(), label: e.name.clone() }).collect();
    }
    if options.animate {
        let longest = study.drawn.iter().map(|d| d.motion.end().abs()).fold(0.0, f64::max);
        figure.loop_seconds = Some(panels::loop_seconds(longest));
    }
    Ok(figure)
}
