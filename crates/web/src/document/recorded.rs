//! A run for a page: the same numbers as those of `polhode run`.
//!
//! The columns of a sample are the outputs of the report tape, in their order. Samples are evenly spaced, with those at events between them,
//! before and after a jump; where there is no room for all, as many as there is room for (`choice`).

use super::choice::{self, Samples};
use super::comments::Comments;
use super::wish::Wish;
use super::{Mistaken, Prepared};
use crate::base64::doubles;
use polhode::base::{Diagnostic, Diagnostics, SourceFile};
use polhode::prelude::*;
use polhode::simulate::{BadRun, CompileError, EventRecord, Group, PlanError};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Instant;

/// So few samples of a run that ended early are too few to show.
const FEW: usize = 100;

/// Most events that are told one by one.
const MOST_EVENTS: usize = 200;

/// Whether samples have the numbers that drawings are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawing {
    Reported,
    LeftOut,
}

/// Runs the model.
pub(super) fn run(prepared: &mut Prepared, wish: &Wish, drawing: Drawing) -> Result<Trajectory, Mistaken> {
    let mut resolved = prepared.resolved.clone();
    resolved.options.drawing = drawing == Drawing::Reported;
    let run = &prepared.resolved.run;
    let mut solve = |compiled: Arc<Compiled>| Ok::<_, PlanError>((solved(run, &compiled, wish)?, ()));
    let followed = resolved.follow(&mut prepared.system, &mut solve);
    followed.map(|f| shown(f.motion)).map_err(|error| refused(prepared, error))
}

/// A motion as it is shown: one that ended early with enough samples.
pub(super) fn shown(mut motion: Trajectory) -> Trajectory {
    motion.show_early_end(FEW);
    motion
}

/// Why there is no motion.
pub(super) fn refused(prepared: &Prepared, error: PlanError) -> Mistaken {
    mistaken(error, &prepared.model.source, &prepared.found)
}

/// The same of a text about which something was found before.
pub(super) fn mistaken(error: PlanError, source: &SourceFile, found: &Diagnostics) -> Mistaken {
    let help = error.help();
    let one = match error {
        PlanError::Rejected(rejected) => return rejected.into(),
        PlanError::NotCompiled(error @ CompileError::NoInitialState) => {
            Diagnostic::error("no-initial-state", error.to_string())
                .help("add an [initial] section with the velocities, or [initial.BODY] for a body that rolls")
        }
        PlanError::NotCompiled(error) => Diagnostic::error("not-compiled", error.to_string()),
        PlanError::BadRun(_) | PlanError::Setting(_) => Diagnostic::error("not-run", error.to_string()),
    };
    let one = match help {
        Some(help) => one.help(help),
        None => one,
    };
    Mistaken::with(source, found.clone(), one)
}

/// The motion of a compiled model.
pub(super) fn solved(run: &Run, compiled: &Arc<Compiled>, wish: &Wish) -> Result<Trajectory, BadRun> {
    let mut go_on = |_: f64| wish.deadline.is_none_or(|end| Instant::now() < end);
    compiled.solve_with(run, &mut go_on)
}

/// The numbers of one sample. Those that no variable has are for drawing alone.
pub(super) fn columns(prepared: &Prepared, compiled: &Compiled) -> Vec<Value> {
    let comments = Comments::of(&prepared.model.source);
    let mut out: Vec<Value> = compiled
        .program
        .report
        .outputs
        .iter()
        .map(|o| {
            json!({
                "name": o.name, "group": "hidden", "about": Value::Null
            })
        })
        .collect();
    for v in &compiled.variables {
        let (group, prefix) = match v.group {
            Group::Position => ("position", ""),
            Group::Velocity => ("velocity", ""),
            Group::Derived => ("derived", ""),
            Group::Reaction => ("reaction", "reaction "),
            Group::Residual => ("residual", "residual "),
        };
        for (name, place) in v.columns().into_iter().zip(v.numbers.clone()) {
            let told = prefix.is_empty();
            let about = comments.about(&name).filter(|_| told);
            out[place] = json!({ "name": format!("{prefix}{name}"), "group": group, "about": about });
            if let Some(latex) = comments.latex(&name).filter(|_| told) {
                out[place]["latex"] = latex.into();
            }
        }
    }
    out
}

/// The motion.
pub(super) fn document(motion: &Trajectory, wish: &Wish) -> Value {
    let columns = motion.compiled().program.report.outputs.len();
    let rows = rows(motion, wish.most_numbers / columns.max(1));
    let numbers = rows.iter().flat_map(|s| (0..columns).map(|k| s.number(k)));
    let report = &motion.report;
    let work: Map<String, Value> = report.work.iter().map(|(n, w)| ((*n).to_owned(), json!(w))).collect();
    json!({
        "count": rows.len(),
        "t": doubles(rows.iter().map(|s| s.t())),
        "values": doubles(numbers),
        "work": works(&rows).map(doubles),
        "events": report.events.iter().take(MOST_EVENTS).map(|e| event(motion, e)).collect::<Vec<_>>(),
        "more_events": report.events.len().saturating_sub(MOST_EVENTS) as u64 + report.more_events,
        "stop": { "reason": report.stop.name(), "t": report.t, "text": report.stop.to_string() },
        "report": {
            "energy": report.energy,
            "energy_change": report.energy_change,
            "energy_error": report.energy_error,
            "constraint_residual": report.constraint_residual,
            "work": work,
            "steps": report.statistics.steps,
            "evaluations": report.statistics.evaluations,
            "jumps": report.jumps,
            "method": report.method.title(),
            "form": motion.compiled().program.form.title(),
            "rtol": report.rtol,
            "ranges": report.ranges.iter().map(|r| [r.low, r.low_at, r.high, r.high_at]).collect::<Vec<_>>(),
        },
    })
}

/// The work done until each sample, where there is any.
fn works<'a>(rows: &'a [&Sample]) -> Option<impl Iterator<Item = f64> + 'a> {
    let any = rows.iter().any(|s| s.work().is_some_and(|w| w != 0.0));
    any.then(|| rows.iter().map(|s| s.work().unwrap_or(f64::NAN)))
}

/// Samples in the order of time, those of events among them; of two at the same time the one of the event, which is where it is. Of samples that
/// are too many those that show the motion best are left, and all of events.
fn rows(motion: &Trajectory, most: usize) -> Vec<&Sample> {
    let told = motion.report.events.iter().take(MOST_EVENTS);
    let around: Vec<&Sample> = told
        .flat_map(|e| [Some(&e.sample), e.jump.as_ref().map(|j| &j.after)])
        .flatten()
        .filter(|s| s.is_finite())
        .collect();
    let happens = |t: f64| around.iter().any(|e| e.t() == t);
    let mut rows: Vec<&Sample> =
        motion.samples.iter().filter(|s| !happens(s.t())).chain(around.iter().copied()).collect();
    rows.sort_by(|a, b| a.t().abs().total_cmp(&b.t().abs()));
    let most = most.saturating_add(around.len());
    if rows.len() <= most {
        return rows;
    }
    let compiled = motion.compiled();
    // residuals are rounding errors, which no choice of samples makes smoother
    let noise: Vec<usize> =
        compiled.variables.iter().filter(|v| v.group == Group::Residual).flat_map(|v| v.numbers.clone()).collect();
    let columns: Vec<usize> = (0..compiled.program.report.outputs.len()).filter(|k| !noise.contains(k)).collect();
    let times: Vec<f64> = rows.iter().map(|s| s.t()).collect();
    let values: Vec<f64> = rows.iter().flat_map(|s| columns.iter().map(|k| s.number(*k))).collect();
    let last = rows.len() - 1;
    let stay: Vec<usize> = (0..=last).filter(|k| *k == 0 || *k == last || happens(times[*k])).collect();
    choice::chosen(&Samples { times: &times, values: &values }, &stay, most).into_iter().map(|k| rows[k]).collect()
}

fn event(motion: &Trajectory, e: &EventRecord) -> Value {
    let info = &motion.compiled().events[e.event];
    let text = match &e.jump {
        Some(jumped) => {
            let loss = jumped.record.kinetic[0] - jumped.record.kinetic[1];
            let what = jumped.record.case.name().replace('-', " ");
            let change =
                if jumped.record.jumped { format!("energy changes by {:.4e}", -loss) } else { "no jump".into() };
            format!("{}: {what}, {change}", e.name)
        }
        None => e.name.clone(),
    };
    json!({ "t": e.sample.t(), "name": e.name, "kind": info.kind.name(), "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::prepare;

    fn motion_of(name: &str, change: impl Fn(&mut Wish)) -> Trajectory {
        let mut wish = Wish::new(&format!("{name}.toml"), polhode::builtin::find(name).unwrap().text);
        change(&mut wish);
        run(&mut prepare(&wish).unwrap(), &wish, Drawing::LeftOut).unwrap()
    }

    #[test]
    fn samples_are_those_of_a_run() {
        let motion = motion_of("rolling-disk", |w| w.samples = 11);
        let own = rows(&motion, 1000);
        let (model, _) = Model::parse(
            "rolling-disk.toml",
            polhode::builtin::find("rolling-disk").unwrap().text,
            &ParseOptions::default(),
        )
        .unwrap();
        let (mut system, _) = System::new(&model).unwrap();
        let same = system.compile().unwrap().solve(&Run::until(10.0).samples(11)).unwrap();
        assert_eq!(own.len(), 11 + motion.report.events.len());
        for s in &same.samples {
            let mine = own.iter().find(|m| m.t() == s.t()).unwrap();
            assert_eq!(mine["theta"].to_bits(), s["theta"].to_bits());
        }
        let told = document(&motion, &Wish::new("", ""));
        assert_eq!((&told["count"], &told["stop"]["reason"]), (&json!(own.len()), &json!("end")));
    }

    #[test]
    fn of_too_many_samples_some_are_left() {
        let motion = motion_of("rolling-disk", |w| w.samples = 101);
        let few = rows(&motion, 30);
        assert!(few.len() <= 30 + motion.report.events.len(), "{}", few.len());
        assert_eq!((few[0].t(), few.last().unwrap().t()), (0.0, 10.0));
    }

    #[test]
    fn the_books_are_closed_at_every_sample() {
        let motion = motion_of("tippe-top", |_| {});
        let energy = motion.compiled().program.layout.energy;
        let rows = rows(&motion, 1000);
        let lost = motion.report.energy_change.abs();
        assert!(lost > 1e-3, "sliding costs energy: {lost}");
        let off = |s: &&Sample| (s.number(energy) - rows[0].number(energy) - s.work().unwrap()).abs();
        let worst = rows.iter().map(off).fold(0.0, f64::max);
        assert!(worst < 1e-6 * lost, "{worst}");
        assert!(!document(&motion, &Wish::new("", ""))["work"].is_null());
        let rolling = motion_of("rolling-disk", |w| w.samples = 11);
        assert!(document(&rolling, &Wish::new("", ""))["work"].is_null());
    }

    #[test]
    fn jumps_have_two_rows() {
        let motion = motion_of("ball-rough-wall", |_| {});
        let rows = rows(&motion, 1000);
        let jump = motion.report.events.iter().find(|e| e.jump.is_some()).expect("it meets a wall");
        assert_eq!(rows.iter().filter(|s| s.t() == jump.sample.t()).count(), 2);
        assert!(rows.windows(2).all(|w| w[0].t() <= w[1].t()));
    }

    #[test]
    fn columns_are_those_of_the_report() {
        let wish = Wish::new("rolling-disk.toml", polhode::builtin::find("rolling-disk").unwrap().text);
        let mut prepared = prepare(&wish).unwrap();
        let motion = run(&mut prepared, &wish, Drawing::LeftOut).unwrap();
        let found = columns(&prepared, motion.compiled());
        assert_eq!(found.len(), motion.compiled().program.report.outputs.len());
        assert_eq!(found[motion.compiled().program.layout.energy]["name"], "energy");
        assert_eq!(found[0], json!({ "name": "theta", "group": "position", "about": "axis against the vertical" }));
        assert!(found.iter().any(|c| c["name"] == "reaction no slip x" && c["group"] == "reaction"));
    }

    #[test]
    fn a_run_that_takes_too_long_keeps_what_it_has() {
        let motion = motion_of("rolling-disk", |w| {
            w.settings.until = Some("1e6".into());
            w.deadline = Some(Instant::now() + std::time::Duration::from_millis(50));
        });
        assert_eq!(motion.report.stop, StopReason::Interrupted);
        assert!(!motion.samples.is_empty());
    }
}
