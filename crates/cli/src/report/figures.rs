//! Curves of the motion for paper: coordinates, track and phase as in `polhode run --plot`, then what should stay constant.
//!
//! ```text
//! E(t) − E(0) − W(t),  W the work of forces, friction, moving constraints and jumps;      |residual| of each constraint
//! ```

use super::block;
use crate::run::drawing;
use crate::run::files::label;
use polhode::plot::svg::{Curve, Figure, Kind, Look, Panel};
use polhode::prelude::*;
use polhode::simulate::Group;
use polhode_web::document::Motion;
use serde_json::Value;

/// The figures are as wide as the text of a page of A4.
const LOOK: Look = Look::Paper { width: 180.0 };

/// Curves of one panel.
const MOST_CURVES: usize = 6;

/// All figures.
pub(super) fn blocks(motion: &Motion) -> Vec<Value> {
    let drawn = drawing(motion.model.clone(), motion.system.clone(), motion.trajectory.clone());
    let (mut over_time, in_plane): (Vec<Panel>, Vec<Panel>) =
        drawn.panels.into_iter().partition(|p| p.kind == Kind::Time);
    over_time.extend(energy(&motion.trajectory).into_iter().chain(residuals(motion)));
    // a figure is not broken: two small ones leave no page half empty
    let figures = [("Over time, the energy and the constraints last", over_time), ("In the plane", in_plane)];
    let shown = |(title, panels): (&str, Vec<Panel>)| {
        let figure = Figure { panels, events: drawn.events.clone(), look: LOOK, ..Figure::new("") };
        [block("heading", title), block("svg", &figure.svg())]
    };
    figures.into_iter().filter(|(_, panels)| !panels.is_empty()).flat_map(shown).collect()
}

/// By how much the energy and the work done disagree.
fn energy(motion: &Trajectory) -> Option<Panel> {
    let place = motion.compiled().program.layout.energy;
    let first = motion.samples.first()?.number(place);
    let points = motion.samples.iter().map(|s| (s.t(), s.number(place) - first - s.work().unwrap_or(0.0)));
    let label = if motion.compiled().program.works.is_empty() { "E − E(0)" } else { "E − E(0) − W" };
    Some(Panel::time(label, "", vec![Curve::new("E", points.collect())]))
}

fn residuals(motion: &Motion) -> Option<Panel> {
    let compiled = motion.trajectory.compiled();
    let numbers = compiled.variables.iter().filter(|v| v.group == Group::Residual);
    let curve = |(name, k): (String, usize)| {
        let points = motion.trajectory.samples.iter().map(|s| (s.t(), s.number(k)));
        Curve::new(label(&motion.model, &motion.system.graph, &name), points.collect())
    };
    let columns = numbers.flat_map(|v| v.columns().into_iter().zip(v.numbers.clone()));
    let curves: Vec<Curve> = columns.take(MOST_CURVES).map(curve).collect();
    (!curves.is_empty()).then(|| Panel::time("residual", "", curves))
}
