//! A solution as a picture: V_eff with the energy and the turning points, and s over time.

use super::Solution;
use polhode::exact::linear::Course;
use polhode::plot::svg::{Curve, Figure, Mark, Panel};
use polhode::prelude::print;
use polhode::tape::{Dd, Scalar};

/// Points of a curve.
const POINTS: usize = 400;

/// Periods that are drawn.
const PERIODS: f64 = 3.0;

/// How far beyond the turning points V_eff is drawn, in parts of the distance between them.
const BEYOND: f64 = 0.12;

/// The picture of an oscillation or of what goes round; `None` where s does something else.
pub(super) fn svg(solution: &mut Solution) -> Option<String> {
    let model = &solution.reduced.model;
    let graph = &solution.reduced.system.graph;
    let name = print::unicode_symbol(graph, solution.reduced.shape.variable);
    let motion = solution.motion.as_mut().ok()?;
    let o = motion.course.periodic()?.clone();
    let turns = matches!(motion.course, Course::Oscillation(_));
    let mut figure = Figure::new(if model.title.is_empty() { &model.name } else { &model.title });
    figure.subtitle = model.reference.clone();

    let times = (0..=POINTS).map(|k| PERIODS * o.period.to_f64() * k as f64 / POINTS as f64);
    let points: Vec<(f64, f64)> =
        times.filter_map(|t| motion.at(Dd::from(t)).map(|state| (t, state.s.to_f64()))).collect();
    figure.panels.push(Panel::time(&name, "", vec![Curve::new(&name, points)]));

    let [a, b] = o.turning.map(|s| s.to_f64());
    let [known_low, known_high] = motion.known();
    let beyond = if turns { BEYOND * (b - a) } else { 0.0 };
    let (low, high) = ((a - beyond).max(known_low), (b + beyond).min(known_high));
    let places = (0..=POINTS).map(|k| low + (high - low) * k as f64 / POINTS as f64);
    let potential: Vec<(f64, f64)> = places.map(|s| (s, motion.potential(s))).collect();
    let energy = motion.energy.to_f64();
    let level = Curve::new("E", vec![(low, energy), (high, energy)]);
    let mut panel = Panel::phase((name.as_str(), ""), ("V_eff", ""), vec![Curve::new("V_eff", potential), level]);
    if turns {
        panel.marks = [a, b].map(|s| Mark { x: s, y: energy, label: String::new() }).to_vec();
    }
    figure.panels.push(panel);
    Some(figure.svg())
}
