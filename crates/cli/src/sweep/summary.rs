//! What a sweep has to tell.

use super::progress::duration;
use crate::output::{bold, dim, emit, emit_json};
use polhode::plot::number::{interval, short};
use polhode::plot::range::Extent;
use polhode::sweep::{EngineKind, Points, Row, Study, Way};
use polhode::table::Table;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Columns that are shown in the terminal.
const SHOWN_COLUMNS: usize = 24;

/// Reasons that are shown.
const REASONS: usize = 5;

/// Everything there is to tell.
pub(super) struct Told<'a> {
    pub(super) study: &'a Study,
    pub(super) rows: &'a [Row],
    pub(super) table: &'a Table,
    pub(super) written: &'a [String],
    pub(super) compile: f64,
    pub(super) seconds: f64,
    pub(super) threads: usize,
}

impl Told<'_> {
    /// As text, or as one document, which holds the rows if no file does.
    pub(super) fn tell(&self, json: bool, with_rows: bool) {
        match json {
            true => emit_json(&self.document(with_rows)),
            false => emit(&self.text()),
        }
    }

    fn counts(&self) -> Vec<(&'static str, usize)> {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for row in self.rows {
            let name = row.status.name();
            match counts.iter_mut().find(|(n, _)| *n == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        counts
    }

    fn document(&self, with_rows: bool) -> Value {
        let design = &self.study.spec.design;
        let status: Map<String, Value> = self.counts().into_iter().map(|(n, c)| (n.to_owned(), json!(c))).collect();
        let names: Vec<&str> = self.table.columns().iter().map(|c| c.name.as_str()).collect();
        let mut document = json!({
            "model": self.study.spec.model,
            "samples": design.len(),
            "seed": design.seed(),
            "varied": design.axes().iter().map(|a| a.name.clone()).collect::<Vec<_>>(),
            "columns": names,
            "report": {
                "done": self.rows.len(),
                "status": status,
                "way": way(self.study.way()).0,
                "engine": self.study.engine_kind().name(),
                "threads": self.threads,
                "compile_seconds": self.compile,
                "seconds": self.seconds,
                "files": self.written,
            },
        });
        if with_rows {
            let columns = self.table.columns();
            let rows: Vec<Value> = (self.rows.iter().enumerate())
                .map(|(i, row)| {
                    let cell = |c: &polhode::table::Column| match c.name.as_str() {
                        "status" => json!(row.status.name()),
                        "reason" => json!(row.reason),
                        _ => json!(c.values[i]),
                    };
                    let cells = columns.iter().map(|c| (c.name.clone(), cell(c)));
                    Value::Object(cells.collect())
                })
                .collect();
            document["rows"] = Value::Array(rows);
        }
        document
    }

    fn text(&self) -> String {
        let design = &self.study.spec.design;
        let mut out = format!("{}\n", bold(&self.study.title));
        let axes: Vec<String> = design
            .axes()
            .iter()
            .map(|a| if a.is_range() { a.name.clone() } else { format!("{} × {}", a.count(), a.name) })
            .collect();
        let points = match design.points() {
            Points::None => String::new(),
            Points::Random(n) => format!(" · {n} random points, seed {}", design.seed()),
            Points::Sobol(n) => format!(" · {n} points of Sobol's sequence, seed {}", design.seed()),
        };
        out += &dim(&format!("{} motions: {}{points}", design.len(), axes.join(", ")));
        let per = self.seconds / self.rows.len().max(1) as f64;
        out += "\n\n";
        // shards have been run elsewhere
        if self.threads > 0 {
            out += &format!(
                "  compiled in {}, ran in {} on {}: {} each; {}{}\n\n",
                duration(self.compile),
                duration(self.seconds),
                if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) },
                match per {
                    p if p < 1e-3 => format!("{:.0} µs", 1e6 * p),
                    p => duration(p),
                },
                way(self.study.way()).1,
                match self.study.engine_kind() {
                    EngineKind::Single => "",
                    EngineKind::Batch => ", motions side by side",
                }
            );
        }
        let width = self.table.columns().iter().map(|c| c.name.chars().count()).max().unwrap_or(0).clamp(8, 40);
        let kept = self.table.columns().iter().filter(|c| !matches!(c.name.as_str(), "status" | "reason"));
        let shown: Vec<_> = kept.collect();
        for column in shown.iter().take(SHOWN_COLUMNS) {
            let none = column.values.iter().filter(|x| x.is_nan()).count();
            let range = Extent::of(column.values.iter().copied()).map_or("–".to_owned(), interval);
            let none = if none > 0 { dim(&format!("   none in {none} rows")) } else { String::new() };
            out += &format!("  {:width$}  {range}{none}\n", column.name);
        }
        if shown.len() > SHOWN_COLUMNS {
            out += &dim(&format!("  … and {} more columns\n", shown.len() - SHOWN_COLUMNS));
        }
        let counts: Vec<String> = self.counts().into_iter().map(|(name, n)| format!("{n} {name}")).collect();
        out += &format!("\n  {:width$}  {}\n", "ended", counts.join(" · "));
        for (reason, count) in self.reasons().into_iter().take(REASONS) {
            out += &format!("  {:width$}  {} × {reason}\n", "", short(count as f64, 9));
        }
        out += &format!("\n  written: {}\n", self.written.join(", "));
        out
    }

    /// Why motions did not go as they should, the most frequent first.
    fn reasons(&self) -> Vec<(&str, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in self.rows.iter().filter(|r| !r.reason.is_empty()) {
            *counts.entry(&row.reason).or_default() += 1;
        }
        let mut reasons: Vec<(&str, usize)> = counts.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        reasons
    }
}

fn way(way: Way) -> (&'static str, &'static str) {
    match way {
        Way::Formulas => ("formulas", "equations compiled once"),
        Way::Parsed => ("parsed", "equations compiled once, starts solved one by one"),
        Way::Fresh => ("fresh", "equations compiled for every motion"),
    }
}
