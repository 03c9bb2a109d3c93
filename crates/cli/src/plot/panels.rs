//! The panels of figures: over time, phase portraits, tracks, sections.

use super::args::PlotOptions;
use super::quantities::{Finder, Quantity};
use super::words::{Wanted, split};
use super::{Drawn, Study};
use crate::Refusal;
use crate::run::files::ground;
use crate::run::time;
use polhode::model::Owner;
use polhode::plot::number::short;
use polhode::plot::svg::{Axis, Curve, Mark, Panel, Trace};
use polhode::prelude::*;
use polhode::simulate::SectionPoint;
use polhode::tape::Scalar;
use std::f64::consts::{PI, TAU};

/// Most marks of time on a track.
const MOST_TICKS: f64 = 400.0;

/// The quantities of all that is wanted.
pub(super) fn find_all(wanted: &[Wanted], finder: &Finder<'_>) -> Result<Vec<Vec<Quantity>>, Refusal> {
    let mut all = Vec::new();
    for w in wanted {
        let scalar = |text: &str| finder.scalar(text);
        all.push(match w {
            Wanted::Time(_) => w.quantities().into_iter().map(|t| finder.find(t)).collect::<Result<_, _>>()?,
            Wanted::Phase(..) | Wanted::Section { .. } => {
                w.quantities().into_iter().map(scalar).collect::<Result<_, _>>()?
            }
            Wanted::Track(points) => tracks(points, finder)?,
            Wanted::Curves | Wanted::Scene => Vec::new(),
        });
    }
    Ok(all)
}

/// Vectors of at least two components: those that are named, or the points of contact with the ground, or the coordinates x and y.
fn tracks(points: &[String], finder: &Finder<'_>) -> Result<Vec<Quantity>, Refusal> {
    let mut all = Vec::new();
    for point in points {
        let parts = split(point, ',');
        let track = match parts[..] {
            [x, y] => {
                let (x, y) = (finder.scalar(x)?, finder.scalar(y)?);
                Quantity { parts: [x.parts.clone(), y.parts].concat(), ..x }
            }
            _ => finder.find(point)?,
        };
        if track.parts.len() < 2 {
            return Err(Refusal::BadInput(format!(
                "error: `track {point}`: a track has two coordinates\n  = name a vector such as x_O, or a pair: track \"x,y\"\n"
            )));
        }
        all.push(Quantity { text: point.clone(), ..track });
    }
    if !all.is_empty() {
        return Ok(all);
    }
    let (model, compiled) = (finder.model, finder.compiled);
    let on_ground = |c: &&polhode::model::Contact| c.sides.iter().any(|s| s.owner == Owner::Ground);
    let mut contacts: Vec<String> = model.contacts.iter().filter(on_ground).map(|c| c.part("c1")).collect();
    if contacts.is_empty() {
        contacts = model.contacts.iter().map(|c| c.part("c1")).collect();
    }
    let found: Vec<Quantity> = contacts.iter().filter_map(|name| finder.find(name).ok()).collect();
    match (found.is_empty(), ground(model, compiled)) {
        (false, _) => Ok(found),
        (true, Some((x, y))) => {
            let parts = vec![("x".to_owned(), x), ("y".to_owned(), y)];
            Ok(vec![Quantity { text: "x,y".to_owned(), axis: Axis::new("", ""), parts, angle: false }])
        }
        (true, None) => Err(Refusal::BadInput(
            "error: the model has neither a point of contact nor coordinates x and y to draw a track of\n  \
             = name a vector or a pair of quantities: track x_O, track \"u,v\"\n"
                .to_owned(),
        )),
    }
}

/// The panels of one of the things that are wanted.
pub(super) fn panels(options: &PlotOptions, study: &Study, k: usize) -> Result<Vec<Panel>, Refusal> {
    let quantities = &study.quantities[k];
    match &study.wanted[k] {
        Wanted::Time(lists) => over_time(study, lists, quantities),
        Wanted::Phase(..) => {
            let (x, y) = (quantities[0].parts[0].1, quantities[1].parts[0].1);
            let curve = |d: &Drawn| curve(d, &d.name, Trace::Directed, |s| (s.number(x), s.number(y)));
            let axes = (quantities[0].axis.clone(), quantities[1].axis.clone());
            Ok(vec![Panel::phase(axes.0, axes.1, study.drawn.iter().map(curve).collect())])
        }
        Wanted::Track(_) => Ok(vec![track(options, study, quantities)?]),
        Wanted::Section { .. } => {
            let points = |d: &Drawn| section_points(study, d, k).into_iter().map(|(_, at)| at).collect();
            let dots = |d: &Drawn| Curve::new(&d.name, points(d)).of_value(d.value).drawn(Trace::Dots);
            let axes = (quantities[1].axis.clone(), quantities[2].axis.clone());
            Ok(vec![Panel::phase(axes.0, axes.1, study.drawn.iter().map(dots).collect())])
        }
        Wanted::Curves | Wanted::Scene => Ok(Vec::new()),
    }
}

/// A curve of one motion.
fn curve(drawn: &Drawn, name: &str, trace: Trace, at: impl Fn(&Sample) -> (f64, f64)) -> Curve {
    let points = drawn.samples.iter().map(at).collect();
    Curve::new(name, points).of_value(drawn.value).of_dash(drawn.dash).drawn(trace)
}

fn over_time(study: &Study, lists: &[Vec<String>], quantities: &[Quantity]) -> Result<Vec<Panel>, Refusal> {
    let mut panels = Vec::new();
    let mut rest = quantities;
    for list in lists {
        let (own, after) = rest.split_at(list.len());
        rest = after;
        let parts: Vec<&(String, usize)> = own.iter().flat_map(|q| &q.parts).collect();
        if parts.len() > 1 && study.drawn.len() > 1 {
            return Err(Refusal::BadInput(format!(
                "error: `{}` are {} curves of each of {} motions, which nobody can tell apart\n  = give each a panel: {}\n",
                list.join("+"),
                parts.len(),
                study.drawn.len(),
                own.iter().map(parts_of).collect::<Vec<_>>().join(",")
            )));
        }
        let curves = study.drawn.iter().flat_map(|d| {
            parts.iter().map(move |(name, k)| {
                let name = if d.name.is_empty() { name } else { &d.name };
                curve(d, name, Trace::Line, |s| (s.t(), s.number(*k)))
            })
        });
        // what several quantities are is said by the legend
        let axis = match own {
            [only] => only.axis.clone(),
            several => {
                let unit = &several[0].axis.unit;
                let common = several.iter().all(|q| q.axis.unit == *unit);
                Axis::new("", if common { unit.as_str() } else { "" })
            }
        };
        panels.push(Panel::time(axis.label, axis.unit, curves.collect()));
    }
    Ok(panels)
}

/// A quantity by its components.
fn parts_of(q: &Quantity) -> String {
    match q.parts.len() {
        1 => q.text.clone(),
        n => (1..=n).map(|i| format!("{}[{i}]", q.text)).collect::<Vec<_>>().join(","),
    }
}

fn track(options: &PlotOptions, study: &Study, points: &[Quantity]) -> Result<Panel, Refusal> {
    let several = points.len() > 1;
    let mut panel = Panel::track(("x", ""), ("y", ""), Vec::new());
    if let [only] = points
        && only.text.contains(',')
        && only.text != "x,y"
    {
        (panel.x, panel.y) = (Axis::new(&only.parts[0].0, ""), Axis::new(&only.parts[1].0, ""));
    }
    let every = options.ticks.as_ref().map(|text| time(&study.model, "--ticks", text)).transpose()?;
    for d in &study.drawn {
        for q in points {
            let (x, y) = (q.parts[0].1, q.parts[1].1);
            let name = match (several, d.name.is_empty()) {
                (true, true) => q.text.clone(),
                (true, false) => format!("{}, {}", q.text, d.name),
                (false, _) => d.name.clone(),
            };
            panel.curves.push(curve(d, &name, Trace::Line, |s| (s.number(x), s.number(y))));
            let Some(every) = every.map(|t| t.to_f64()) else { continue };
            let end = d.motion.end();
            if !(every > 0.0 && end.abs() / every <= MOST_TICKS) {
                return Err(Refusal::BadInput(format!(
                    "error: `--ticks {}`: marks every so often, up to {MOST_TICKS} of them\n  = for example: --ticks {}\n",
                    options.ticks.as_deref().unwrap_or_default(),
                    short(end.abs() / 10.0, 1)
                )));
            }
            // the end has a mark of its own
            let times =
                (1..(end.abs() / every * (1.0 - 1e-9) + 1.0) as u32).map(|k| (f64::from(k) * every).copysign(end));
            panel.marks.extend(times.filter_map(|t| {
                let s = d.motion.at(t.clamp(end.min(0.0), end.max(0.0)))?;
                Some(Mark { x: s.number(x), y: s.number(y), label: short(t, 4) })
            }));
        }
    }
    Ok(panel)
}

/// The places of sections among what is wanted.
pub(super) fn section_places(study: &Study) -> Vec<usize> {
    let wanted = study.wanted.iter().enumerate();
    wanted.filter(|(_, w)| matches!(w, Wanted::Section { .. })).map(|(k, _)| k).collect()
}

/// The crossings of one motion with their places in the plane; angles lie between −π and π.
pub(super) fn section_points<'a>(study: &Study, drawn: &'a Drawn, k: usize) -> Vec<(&'a SectionPoint, (f64, f64))> {
    let place = section_places(study).iter().position(|s| *s == k).unwrap_or_default();
    let Some(section) = drawn.sections.get(place) else { return Vec::new() };
    let (x, y) = (&study.quantities[k][1], &study.quantities[k][2]);
    let wrapped = |q: &Quantity, v: f64| if q.angle { (v + PI).rem_euclid(TAU) - PI } else { v };
    let at = |p: &SectionPoint| {
        let numbers = &p.numbers[section.surface + 1..];
        (wrapped(x, numbers[0]), wrapped(y, numbers[1]))
    };
    section.points.iter().map(|p| (p, at(p))).collect()
}

/// How long a figure that moves takes for a motion of some duration: its own time, within what one likes to watch.
pub(super) fn loop_seconds(duration: f64) -> f64 {
    duration.clamp(4.0, 20.0)
}
