//! A run as one JSON document: see `docs/command-line.md`.

use super::Finished;
use super::jumps;
use polhode::prelude::*;
use polhode::simulate::{Group, Shape, Variable};
use polhode::tape::{Dd, Scalar};
use serde_json::{Map, Number, Value, json};

/// A number that reads back to the same double, or all digits of a longer one.
pub(crate) fn number(x: Dd) -> Value {
    if !x.is_finite() {
        return Value::Null;
    }
    if x.lo() == 0.0 {
        return Number::from_f64(x.to_f64()).map_or(Value::Null, Value::Number);
    }
    x.to_string().parse::<Number>().map_or(Value::Null, Value::Number)
}

fn value(variable: &Variable, sample: &Sample) -> Value {
    let numbers = sample.digits(variable);
    match variable.shape {
        Shape::Scalar => number(numbers[0]),
        Shape::Vector(_) => numbers.iter().map(|x| number(*x)).collect(),
        Shape::Matrix => numbers.chunks(3).map(|row| row.iter().map(|x| number(*x)).collect::<Value>()).collect(),
    }
}

fn group(sample: &Sample, variables: &[Variable], wanted: &[Group]) -> Value {
    let chosen = variables.iter().filter(|v| wanted.contains(&v.group));
    Value::Object(chosen.map(|v| (v.name.clone(), value(v, sample))).collect())
}

pub(crate) fn state(sample: &Sample, variables: &[Variable]) -> Value {
    group(sample, variables, &[Group::Position, Group::Velocity])
}

/// What is reported at one time.
pub(crate) fn sample(sample: &Sample, variables: &[Variable]) -> Value {
    json!({
        "t": number(sample.time()),
        "state": state(sample, variables),
        "derived": group(sample, variables, &[Group::Derived]),
        "reactions": group(sample, variables, &[Group::Reaction]),
    })
}

/// Constraints without a multiplier of their own: they follow from the others, and the share of each is not unique.
fn redundant(compiled: &Compiled) -> Vec<&str> {
    let has = |i: usize| compiled.program.reactions.contains(&i);
    compiled.constraints.iter().enumerate().filter(|(i, _)| !has(*i)).map(|(_, name)| name.as_str()).collect()
}

/// The document.
pub(super) fn document(finished: &Finished) -> Value {
    let motion = &finished.motion;
    let (compiled, report) = (motion.compiled(), &motion.report);
    let variables = &compiled.variables;
    let parameters: Map<String, Value> = compiled.parameters.iter().map(|(n, x)| (n.clone(), number(*x))).collect();
    let mut stop = json!({ "reason": report.stop.name(), "t": report.t });
    match &report.stop {
        StopReason::Event(name) => stop["event"] = json!(name),
        StopReason::Domain { coordinate, .. } => stop["coordinate"] = json!(coordinate),
        StopReason::Impasse(refusal) => stop["candidates"] = json!(jumps::candidates(motion, refusal)),
        _ => {}
    }
    stop["message"] = json!(report.stop.to_string());
    let events: Vec<Value> = (report.events.iter())
        .map(|e| {
            let kind = compiled.events[e.event].kind.name();
            let mut event = json!({
                "t": number(e.sample.time()), "kind": kind, "name": e.name, "crossing": e.crossing,
                "state": state(&e.sample, variables),
            });
            if let Some(cause) = compiled.events[e.event].cause {
                event["cause"] = json!(cause.name());
            }
            if let Some(jumped) = &e.jump {
                event["jump"] = jumps::document(motion, e, jumped);
            }
            event
        })
        .collect();
    let work: Map<String, Value> = report.work.iter().map(|(n, w)| (n.to_string(), json!(w))).collect();
    let integrals: Map<String, Value> = report.integrals.iter().map(|(n, x)| (n.clone(), json!(x))).collect();
    let mut method = json!({ "name": report.method.title(), "form": compiled.program.form.name() });
    let details = [
        ("order", report.order.map(|p| json!(p))),
        ("rtol", report.rtol.map(|x| json!(x))),
        ("step", report.step.map(|h| json!(h))),
    ];
    details.into_iter().filter_map(|(key, value)| Some((key, value?))).for_each(|(key, value)| method[key] = value);
    let mut document = json!({
        "model": finished.model.name,
        "parameters": parameters,
        "samples": finished.asked.iter().map(|s| sample(s, variables)).collect::<Vec<_>>(),
        "report": {
            "stop": stop,
            "method": method,
            "energy": report.energy,
            "energy_change": report.energy_change,
            "energy_error": report.energy_error,
            "work": work,
            "constraint_residual": report.constraint_residual,
            "redundant_constraints": redundant(compiled),
            "chart_changes": report.chart_changes,
            "steps": report.statistics.steps,
            "rejected": report.statistics.rejected,
            "evaluations": report.statistics.evaluations,
            "events": events,
            "more_events": report.more_events,
            "jumps": report.jumps,
            "integrals": integrals,
            "compile_seconds": finished.compile.as_secs_f64(),
            "seconds": finished.integrate.as_secs_f64(),
        }
    });
    if let Some(solved) = &finished.solved {
        document["report"]["exact"] = super::exact::document(solved);
    }
    if let Some((driving, driven)) = compiled.reduction() {
        document["report"]["reduced"] =
            json!({ "driving": driving, "following": driven, "left_out": compiled.left_out() });
    }
    document
}
