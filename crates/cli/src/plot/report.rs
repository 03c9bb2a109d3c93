//! What is said about figures: text, JSON, and the points of sections as a table.

use super::args::PlotOptions;
use super::words::Wanted;
use super::{Drawn, Study, panels};
use crate::Refusal;
use crate::output::{emit, emit_json};
use polhode::integrate::Crossing;
use polhode::prelude::*;
use polhode::table::{Column, Table};
use serde_json::{Value, json};

/// The points of all sections as a table.
pub(super) fn section_table(study: &Study) -> Table {
    let mut table = Table::new(&study.model.name);
    let (mut motion, mut t, mut rising) = (Vec::new(), Vec::new(), Vec::new());
    let (mut which, mut x, mut y) = (Vec::new(), Vec::new(), Vec::new());
    let mut varied: Vec<Vec<f64>> = vec![Vec::new(); study.starts.names.len()];
    let mut names = None;
    for (s, k) in panels::section_places(study).into_iter().enumerate() {
        let q = &study.quantities[k];
        names.get_or_insert_with(|| (q[1].text.clone(), q[2].text.clone()));
        for (m, drawn) in study.drawn.iter().enumerate() {
            for (point, at) in panels::section_points(study, drawn, k) {
                motion.push((m + 1) as f64);
                which.push((s + 1) as f64);
                t.push(point.t);
                rising.push(f64::from(u8::from(point.rising)));
                x.push(at.0);
                y.push(at.1);
                varied.iter_mut().zip(&study.starts.list[m].values).for_each(|(column, v)| column.push(*v));
            }
        }
    }
    let (name_x, name_y) = names.unwrap_or_default();
    let several = panels::section_places(study).len() > 1;
    let (name_x, name_y) = if several { ("x".to_owned(), "y".to_owned()) } else { (name_x, name_y) };
    let mut columns = vec![("motion".to_owned(), motion)];
    if several {
        columns.push(("section".to_owned(), which));
    }
    columns.extend(study.starts.names.iter().map(|n| format!("start {n}")).zip(varied));
    columns.extend([("t".to_owned(), t), (name_x, x), (name_y, y), ("rising".to_owned(), rising)]);
    for (name, values) in columns {
        let again = Column::new(format!("{name} (2)"), values.clone());
        if table.push(Column::new(name, values)).is_err() {
            let _ = table.push(again);
        }
    }
    table
}

/// What was drawn: text or JSON.
pub(super) fn tell(options: &PlotOptions, study: &Study, written: &[String]) {
    let sections = panels::section_places(study);
    if options.motion.changes.json {
        let motion = |(k, d): (usize, &Drawn)| {
            let start = &study.starts.list[k];
            let varied: serde_json::Map<String, Value> =
                study.starts.names.iter().cloned().zip(start.texts.iter().map(|x| json!(x))).collect();
            json!({ "varied": varied, "stop": d.motion.report.stop.name(), "t": d.motion.report.t })
        };
        let section = |k: &usize| {
            let Wanted::Section { written, .. } = &study.wanted[*k] else { return Value::Null };
            let q = &study.quantities[*k];
            let mut points = Vec::new();
            for (m, drawn) in study.drawn.iter().enumerate() {
                for (point, (x, y)) in panels::section_points(study, drawn, *k) {
                    let crossing = Crossing::of_sign(point.rising).name();
                    points.push(json!({
                        "motion": m + 1, "t": point.t, "crossing": crossing, "x": x, "y": y,
                    }));
                }
            }
            json!({ "surface": written, "x": q[1].text, "y": q[2].text, "points": points })
        };
        emit_json(&json!({
            "model": study.model.name,
            "figures": study.wanted.iter().map(Wanted::kind).collect::<Vec<_>>(),
            "files": written,
            "motions": study.drawn.iter().enumerate().map(motion).collect::<Vec<_>>(),
            "sections": sections.iter().map(section).collect::<Vec<_>>(),
        }));
        return;
    }
    let mut out = String::new();
    for k in sections {
        let Wanted::Section { written, .. } = &study.wanted[k] else { continue };
        let points: usize = study.drawn.iter().map(|d| panels::section_points(study, d, k).len()).sum();
        let motions = study.drawn.len();
        let of = if motions == 1 { String::new() } else { format!(" of {motions} motions") };
        out += &format!("section {written}: {points} point{}{of}\n", if points == 1 { "" } else { "s" });
        if points == 0 {
            let Wanted::Section { surface, .. } = &study.wanted[k] else { continue };
            out += &format!(
                "  = nothing crosses it so: try --direction both, a longer --until, or look at its left side minus its right: time \"{surface}\"\n"
            );
        }
    }
    for file in written {
        out += &format!("wrote {file}\n");
    }
    emit(&out);
}

/// Motions that ended before their time.
pub(super) fn early(study: &Study) -> Result<(), Refusal> {
    let stopped: Vec<&Drawn> = study.drawn.iter().filter(|d| d.motion.report.stop != StopReason::End).collect();
    let Some(first) = stopped.first() else { return Ok(()) };
    let report = &first.motion.report;
    let (t, stop) = (report.t, &report.stop);
    let message = match study.drawn.len() {
        1 => format!("stopped at t = {t}: {stop}\n"),
        n => format!("{} of {n} motions stopped early; {} at t = {t}: {stop}\n", stopped.len(), first.name),
    };
    Err(Refusal::StoppedEarly(message))
}
