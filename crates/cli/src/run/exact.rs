//! `polhode run --method exact`: the motion at any times at once, if it returns up to a symmetry.

use super::{Finished, asked, no_start, not_compiled, show};
use crate::Refusal;
use crate::args::RunOptions;
use crate::run::json::number;
use polhode::exact::returns::{EndingMotion, NoReturn, ReturnOptions, ReturningMotion, returning};
use polhode::model::Setting;
use polhode::prelude::*;
use polhode::simulate::{CompileError, Ready, Resolved};
use polhode::tape::Scalar;
use serde_json::{Value, json};
use std::time::Instant;

/// What an exact motion has nothing to do with.
const UNFIT: [Setting; 6] =
    [Setting::Step, Setting::Rtol, Setting::Atol, Setting::Reduced, Setting::Lift, Setting::MaxSteps];

/// Solves and shows.
pub(super) fn run(options: &RunOptions, ready: Ready, begin: Instant) -> Result<(), Refusal> {
    let Ready { model, mut system, resolved: Resolved { mut run, options: compile }, .. } = ready;
    let flags = &options.motion.settings;
    if let Some(setting) = UNFIT.into_iter().find(|s| flags.has(*s)) {
        let flag = setting.flag();
        let message =
            format!("error: an exact motion is not integrated\n  = leave {flag} out, or leave --method exact out\n");
        return Err(message.into());
    }
    // no time is too late, on either side of the start; without --until it is the latest that ends the run
    if !flags.has(Setting::Until) {
        let latest = run.at.iter().copied().fold(run.until, |far, t| if t.abs() > far.abs() { t } else { far });
        run.until = latest;
    }
    if !run.until.is_finite() || run.at.iter().any(|t| !t.is_finite()) {
        return Err("error: a time is a finite number\n".to_owned().into());
    }
    let wanted = ReturnOptions { compile, ..ReturnOptions::default() };
    let found = returning(&mut system, &wanted);
    let (compile, begin) = (begin.elapsed(), Instant::now());
    let (motion, solved) = match found {
        Ok(solved) => {
            let unknown = run.at.iter().chain([&run.until]).find_map(|t| Some((*t, solved.unknown(*t)?)));
            if let Some((t, why)) = unknown {
                return Err(Refusal::BadInput(too_far(t, &why)));
            }
            (solved.trajectory(&run), Some(solved))
        }
        Err(NoReturn::Ends(ending)) => (ending.trajectory(&run).ok_or_else(|| beyond(&ending))?, None),
        Err(why) => return Err(refused(&model, why)),
    };
    let integrate = begin.elapsed();
    let asked = asked(&run, &motion);
    let finished = Finished { model, system, motion, asked, compile, integrate, solved };
    show(options, &finished)
}

/// What to say of a time that is too far away.
pub(crate) fn too_far(t: polhode::tape::Dd, why: &str) -> String {
    format!("error: there is no state at t = {t}: the time is {why}\n")
}

/// What to say of times after the end of a motion.
pub(crate) fn beyond(ending: &EndingMotion) -> Refusal {
    Refusal::StoppedEarly(format!(
        "error: {ending}, before it has returned\n  = there are values at times from 0 to that: see --at and --until\n"
    ))
}

/// Why there is no exact motion, and what to do instead.
fn refused(model: &Model, why: NoReturn) -> Refusal {
    match why {
        NoReturn::NotCompiled(CompileError::NoInitialState) => no_start(model),
        NoReturn::NotCompiled(error) => not_compiled(error),
        why @ NoReturn::Stops { .. } => Refusal::StoppedEarly(format!(
            "error: {why}, before it has returned\n  = leave --method exact out: the run goes as far as the motion does\n"
        )),
        why => Refusal::BadInput(format!(
            "error: there is no exact motion from this start: {why}\n  = leave --method exact out: --method taylor integrates it\n"
        )),
    }
}

/// What one period does, for programs.
pub(crate) fn document(solved: &ReturningMotion) -> Value {
    let h = solved.holonomy();
    let (used, left_out) = solved.generators();
    let rate = |x: polhode::tape::Dd| number(x / h.period);
    json!({
        "found": true,
        "steady": h.steady,
        "period": if h.steady { Value::Null } else { number(h.period) },
        "residual": solved.residual(),
        "error": solved.error(),
        "bounded": h.is_bounded(),
        "gains": h.gains.iter().map(|g| json!({
            "name": g.name, "angle": g.angle, "per_period": if h.steady { Value::Null } else { number(g.gain) }, "rate": number(g.rate),
        })).collect::<Vec<_>>(),
        "turns": h.turns.iter().map(|t| json!({
            "names": t.names, "about": if t.body { "body" } else { "space" }, "axis": t.axis,
            "angle": if h.steady { Value::Null } else { number(t.angle) }, "rate": rate(t.angle),
        })).collect::<Vec<_>>(),
        "centres": h.centres.iter().map(|c| json!({
            "names": c.names, "point": c.point.iter().map(|x| number(*x)).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "symmetries": used,
        "not_affine": left_out,
        "text": h.lines(),
    })
}
