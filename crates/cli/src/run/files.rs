//! Tables and pictures in files.

use super::Finished;
use crate::Refusal;
use crate::args::RunOptions;
use crate::picture::Format;
use crate::targets::{self, Target};
use polhode::model::Factor;
use polhode::plot::svg::{Curve, Event, Figure, Mark, Panel};
use polhode::prelude::*;
use polhode::simulate::{Group, Shape, Variable, table};
use polhode::table::Table;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a table in some format.
type Writer = fn(&Table, &mut BufWriter<std::fs::File>) -> io::Result<()>;

/// Most curves over time in one picture.
const MOST_PANELS: usize = 9;

/// Can the files that are asked for be written? Better known before a long run than after it.
pub(super) fn check(options: &RunOptions, model: &str) -> Result<(), Refusal> {
    let asked = [
        ("--csv", &options.csv, "csv"),
        ("--parquet", &options.parquet, "parquet"),
        ("--npz", &options.npz, "npz"),
        ("--plot", &options.plot, "svg"),
    ];
    let files: Vec<Target> = (asked.iter())
        .filter_map(|(option, path, ending)| Some(Target::new(option, path.as_deref()?, ending)))
        .collect();
    targets::check(&files, &[Path::new(model)])?;
    options.plot.as_deref().map(|path| Format::of("--plot", path)).transpose()?;
    for Target { path, .. } in files {
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(path);
        opened.map_err(|e| Refusal::BadInput(format!("error: cannot write `{}`: {e}\n", path.display())))?;
    }
    Ok(())
}

/// Writes the files that are asked for; their names.
pub(super) fn write(options: &RunOptions, finished: &Finished) -> Result<Vec<String>, Refusal> {
    let mut written = Vec::new();
    let formats: [(&Option<_>, Writer); 3] = [
        (&options.csv, |t, w| t.write_csv(w)),
        (&options.parquet, |t, w| t.write_parquet(w)),
        (&options.npz, |t, w| t.write_npz(w)),
    ];
    let mut rows = None;
    for (path, write) in formats {
        let Some(path) = path else { continue };
        let rows = rows.get_or_insert_with(|| table(finished.motion.compiled(), &finished.asked));
        save(path, |file| write(rows, file))?;
        written.push(path.display().to_string());
    }
    if let Some(path) = &options.plot {
        draw(path, figure(finished).svg())?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

/// Writes the picture that `--plot` asks for.
pub(crate) fn draw(path: &Path, svg: String) -> Result<(), Refusal> {
    let picture = Format::of("--plot", path)?.bytes(svg)?;
    save(path, |file| file.write_all(&picture))
}

/// Writes a file.
pub(crate) fn save(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<std::fs::File>) -> io::Result<()>,
) -> Result<(), Refusal> {
    let result = std::fs::File::create(path).and_then(|file| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        file.flush()
    });
    result.map_err(|e| Refusal::BadInput(format!("error: cannot write `{}`: {e}\n", path.display())))
}

/// What a reader calls a number. Points of contact keep the names that formulas have for them: c₁ would be both `c[1]` and `c1`.
pub(crate) fn label(model: &Model, graph: &Graph, name: &str) -> String {
    let stem = name.split('[').next().unwrap_or(name);
    if model.contacts.iter().any(|c| stem == c.part("c") || stem == c.part("c1")) {
        return name.to_owned();
    }
    match graph.find_symbol(name) {
        Some(symbol) => print::unicode_symbol(graph, symbol),
        None => print::unicode_name(name),
    }
}

/// The unit of an angle or of its velocity, or that which a parameter is given; empty where the model does not say it.
pub(crate) fn unit<'m>(model: &'m Model, name: &str) -> &'m str {
    if let Some(parameter) = model.parameters.iter().find(|p| model.graph.name(p.symbol) == name) {
        return parameter.unit.as_deref().unwrap_or_default();
    }
    let stem = name.trim_end_matches('\'');
    let angle = model.configuration.factors().iter().filter_map(Factor::angle).find(|s| model.graph.name(*s) == stem);
    match (angle, name.len() - stem.len()) {
        (Some(_), 0) => "rad",
        (Some(_), 1) => "rad/s",
        _ => "",
    }
}

/// Curves that belong into one panel: name of the panel, and a name and a number for each curve.
pub(super) struct Bundle {
    pub(super) label: String,
    pub(super) unit: String,
    pub(super) curves: Vec<(String, usize)>,
}

/// The curves over time, the most telling first: positions, independent velocities, numbers derived from them, the
/// other velocities, vectors. The entries of a rotation matrix tell nobody anything, and the body's angular velocity
/// says less than the world's.
pub(super) fn bundles(finished: &Finished) -> Vec<Bundle> {
    let compiled = finished.motion.compiled();
    let graph = &finished.system.graph;
    let independent: Vec<&str> = finished.system.independent_velocities().iter().map(|s| graph.name(*s)).collect();
    let rank = |v: &Variable| match (v.group, v.shape) {
        (_, Shape::Matrix) | (Group::Reaction | Group::Residual, _) => None,
        (Group::Velocity, Shape::Vector(_)) if v.name.ends_with("Omega") => None,
        (Group::Derived, _) if v.name == "energy" => None,
        (Group::Position, _) => Some(0),
        (Group::Velocity, Shape::Vector(_)) => Some(1),
        (Group::Velocity, Shape::Scalar) if independent.contains(&v.name.as_str()) => Some(1),
        (Group::Derived, Shape::Scalar) => Some(2),
        (Group::Velocity, _) => Some(3),
        (Group::Derived, _) => Some(4),
    };
    let model = &finished.model;
    let mut ranked: Vec<(u8, &Variable)> = compiled.variables.iter().filter_map(|v| Some((rank(v)?, v))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let bundle = |(_, v): (u8, &Variable)| Bundle {
        label: label(model, graph, &v.name),
        unit: unit(model, &v.name).to_owned(),
        curves: v.columns().iter().zip(v.numbers.clone()).map(|(n, k)| (label(model, graph, n), k)).collect(),
    };
    ranked.into_iter().map(bundle).collect()
}

/// The numbers of the two coordinates that a track on the ground has: real coordinates x and y.
pub(crate) fn ground(model: &Model, compiled: &Compiled) -> Option<(usize, usize)> {
    let real = |name: &str| {
        let factor = model.configuration.factors().iter().find(|f| f.name == name)?;
        factor.line()?;
        compiled.variables.iter().find(|v| v.name == name).map(|v| v.numbers.start)
    };
    Some((real("x")?, real("y")?))
}

/// Column `number` over time.
pub(super) fn over_time(samples: &[Sample], number: usize) -> Vec<(f64, f64)> {
    samples.iter().map(|s| (s.t(), s.number(number))).collect()
}

pub(super) fn figure(finished: &Finished) -> Figure {
    let samples = &finished.motion.samples;
    let title = if finished.model.title.is_empty() { &finished.model.name } else { &finished.model.title };
    let mut figure = Figure::new(title);
    figure.subtitle = finished.model.reference.clone();
    let bundles = bundles(finished);
    for b in bundles.iter().take(MOST_PANELS) {
        let curves = b.curves.iter().map(|(name, k)| Curve::new(name, over_time(samples, *k))).collect();
        figure.panels.push(Panel::time(&b.label, &b.unit, curves));
    }
    if let Some((x, y)) = ground(&finished.model, finished.motion.compiled()) {
        let points: Vec<(f64, f64)> = samples.iter().map(|s| (s.number(x), s.number(y))).collect();
        let ends = [(points.first(), "start"), (points.last(), "end")];
        let marks = ends.iter().filter_map(|(p, label)| p.map(|p| Mark { x: p.0, y: p.1, label: label.to_string() }));
        let marks = marks.collect();
        let mut panel = Panel::track(("x", ""), ("y", ""), vec![Curve::new("track", points)]);
        panel.marks = marks;
        figure.panels.push(panel);
    }
    if let Some((q, v)) = phase(finished) {
        let points = samples.iter().map(|s| (s.number(q.1), s.number(v.1))).collect();
        let graph = &finished.system.graph;
        let (q, v) = (label(&finished.model, graph, &q.0), label(&finished.model, graph, &v.0));
        figure.panels.push(Panel::phase((q.as_str(), ""), (v.as_str(), ""), vec![Curve::new("phase", points)]));
    }
    for e in &finished.motion.report.events {
        figure.events.push(Event { t: e.sample.t(), label: e.name.clone() });
    }
    figure
}

/// The first coordinate that turns back during the run, with its velocity: the one to draw a phase portrait of.
fn phase(finished: &Finished) -> Option<((String, usize), (String, usize))> {
    let variables = &finished.motion.compiled().variables;
    let ranges = &finished.motion.report.ranges;
    let scalars = variables.iter().filter(|v| v.group == Group::Position && v.shape == Shape::Scalar);
    scalars.filter(|v| !matches!(v.name.as_str(), "x" | "y")).find_map(|q| {
        let v = variables.iter().find(|v| v.name == format!("{}'", q.name))?;
        let range = ranges[v.numbers.start];
        let back = range.low < 0.0 && range.high > 0.0;
        back.then(|| ((q.name.clone(), q.numbers.start), (v.name.clone(), v.numbers.start)))
    })
}
