//! Ranges of forces and a list of events, as tables.

use super::block;
use polhode::plot::number::short;
use polhode::prelude::print;
use polhode::simulate::{Group, Variable};
use polhode_web::document::Motion;
use serde_json::{Value, json};

/// Digits of a number in a table.
const DIGITS: usize = 6;

/// The friction that a contact needs, after its name.
const FRICTION: &str = "mu_required";

/// Most events that are listed.
const MOST_EVENTS: usize = 100;

/// From where to where reactions and derived quantities go, and when.
pub(super) fn ranges(motion: &Motion) -> Vec<Value> {
    let (compiled, ranges) = (motion.trajectory.compiled(), &motion.trajectory.report.ranges);
    let normal = |friction: &Variable| {
        let name = friction.name.replace(FRICTION, "normal_force");
        compiled.variables.iter().find(|v| v.group == Group::Derived && v.name == name)
    };
    let unbounded: Vec<usize> = (compiled.variables.iter())
        .filter(|v| v.group == Group::Derived && v.name.ends_with(FRICTION))
        .filter(|v| normal(v).is_some_and(|n| ranges[n.numbers.start].comes_to_nothing()))
        .map(|v| v.numbers.start)
        .collect();
    let rows: Vec<[String; 5]> = (compiled.variables.iter())
        .filter(|v| matches!(v.group, Group::Derived | Group::Reaction))
        .flat_map(|v| v.columns().into_iter().zip(v.numbers.clone()).map(|(name, k)| (v.group, name, k)))
        .map(|(group, name, k)| {
            let range = &ranges[k];
            let name = if group == Group::Reaction { format!("reaction {name}") } else { print::unicode_name(&name) };
            let [low, low_at, high, high_at] =
                [range.low, range.low_at, range.high, range.high_at].map(|x| short(x, DIGITS));
            match unbounded.contains(&k) {
                true => [name, low, low_at, "no bound: the normal force vanishes".to_owned(), String::new()],
                false => [name, low, low_at, high, high_at],
            }
        })
        .collect();
    if rows.is_empty() {
        return vec![block("text", "nothing but the state is reported of this model")];
    }
    vec![json!({ "kind": "table", "head": ["quantity", "least", "at t", "most", "at t"], "rows": rows })]
}

/// What happened, and how it ended.
pub(super) fn events(motion: &Motion, end: &str) -> Vec<Value> {
    let report = &motion.trajectory.report;
    let rows: Vec<[String; 3]> = (report.events.iter().take(MOST_EVENTS))
        .map(|e| [short(e.sample.t(), DIGITS), e.name.clone(), e.crossing.to_owned()])
        .collect();
    let mut out = Vec::new();
    if !rows.is_empty() {
        out.push(json!({ "kind": "table", "head": ["t", "event", "how"], "rows": rows }));
    }
    let more = report.events.len().saturating_sub(MOST_EVENTS) as u64 + report.more_events;
    if more > 0 {
        out.push(block("text", &format!("and {more} more")));
    }
    out.push(block("text", &format!("ends at t = {}: {end}", short(report.t, DIGITS))));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_web::document::Wish;

    #[test]
    fn friction_has_no_bound_where_the_normal_force_vanishes() {
        let text = polhode::builtin::find("ball-on-ball").unwrap().text;
        let blocks = ranges(&Motion::of(&Wish::new("ball-on-ball.toml", text)).unwrap());
        let rows = blocks[0]["rows"].as_array().unwrap();
        let most = |name: &str| rows.iter().find(|r| r[0] == name).unwrap()[3].as_str().unwrap().to_owned();
        assert_eq!(most("balls.μ_required"), "no bound: the normal force vanishes");
        assert!(most("floor.μ_required").starts_with("0.04"));
    }
}
