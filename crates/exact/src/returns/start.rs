//! Where a search for a return begins: the equations, the group, steady motions; and why there is none.

use super::dynamics::Dynamics;
use super::ending::EndingMotion;
use super::group::Action;
use super::motion::ReturningMotion;
use super::search::{Pass, search};
use super::steadiness::{Speed, nearest};
use super::{NoReturn, ReturnOptions};
use polhode_integrate::Stepper;
use polhode_mechanics::{Form, System};
use polhode_simulate::{Compile, CompileOptions, Run, StopReason, Trajectory};
use polhode_tape::{Dd, Interpreter, Scalar};
use std::sync::Arc;

/// Below this part of the speed the motion across the orbits is no more than a stable steady motion bears: it stays as small as it is.
const STEADY: f64 = 1e-24;

/// Below this part the oscillation about a steady motion is looked at in double-doubles from the beginning.
const SMALL: f64 = 1e-4;

/// Below this part not even they resolve it.
const LOST: f64 = 1e-20;

/// Change of the energy, as part of its size, that is no rounding.
const DISSIPATED: f64 = 1e-7;

/// A motion that goes on by this part of the time at which equations in other velocities fail is not at its end there.
const BEYOND: f64 = 1e-3;

/// Follows the motion from the initial state of a model until it returns.
pub fn returning(system: &mut System, options: &ReturnOptions) -> Result<ReturningMotion, NoReturn> {
    let found = from_start(system, options);
    let (None, false, Err(NoReturn::Ends(end))) = (options.compile.form, options.compile.reduced, &found) else {
        return found;
    };
    // where constraints lose rank multipliers have no definite value, and the motion may go on all the same: quasi-velocities need no multipliers
    if end.compiled().program.form != Form::Multipliers || !end.is_failure() {
        return found;
    }
    let compile = CompileOptions { form: Some(Form::Hamel), ..options.compile.clone() };
    let (about, beyond) = (end.end().to_f64(), |t: f64| t > end.end().to_f64() * (1.0 + BEYOND));
    let reaches = |motion: &Trajectory| motion.report.stop == StopReason::End || beyond(motion.report.t);
    let run = Run { dense: false, ..Run::until(about * (1.0 + 2.0 * BEYOND)) };
    let goes_on = system.compile_with(&compile).ok().and_then(|c| c.solve(&run).ok()).is_some_and(|m| reaches(&m));
    match goes_on {
        true => from_start(system, &ReturnOptions { compile, ..options.clone() }),
        false => found,
    }
}

fn from_start(system: &mut System, options: &ReturnOptions) -> Result<ReturningMotion, NoReturn> {
    let (dynamics, action) = prepared(system, options)?;
    let start = dynamics.compiled.initial_state().to_vec();
    from_state(Arc::new(dynamics), Arc::new(action), &start, options)
}

/// The equations and the group.
pub(crate) fn prepared(system: &mut System, options: &ReturnOptions) -> Result<(Dynamics, Action), NoReturn> {
    if system.model.switches() {
        return Err(NoReturn::Switches);
    }
    let mut compiled = system.compile_with(&options.compile).map_err(NoReturn::NotCompiled)?;
    if compiled.tapes().is_none() && !compiled.switches() {
        let whole =
            CompileOptions { form: Some(Form::Multipliers), reduced: false, lift: None, ..options.compile.clone() };
        compiled = system.compile_with(&whole).map_err(NoReturn::NotCompiled)?;
    }
    let dynamics = Dynamics::new(compiled, system.configuration.positions())?;
    let action = Action::of(system, &dynamics);
    Ok((dynamics, action))
}

/// The motion from a state.
pub(crate) fn from_state(
    dynamics: Arc<Dynamics>,
    action: Arc<Action>,
    start: &[Dd],
    options: &ReturnOptions,
) -> Result<ReturningMotion, NoReturn> {
    let mut reader = dynamics.reader::<Dd>();
    let speed = Speed::of(&action, &mut reader, start);
    if !speed.across.is_finite() {
        return Err(NoReturn::Stops { t: 0.0, why: "the equations have no finite value at the start".into() });
    }
    let part = speed.across / speed.whole.max(f64::MIN_POSITIVE);
    let stable = || nearest(&dynamics, &action, start).is_some_and(|s| s.growth == 0.0);
    if speed.across <= speed.noise || part <= STEADY && stable() {
        let first = reader.symbols(start);
        return ReturningMotion::steady(dynamics, action, start, first, speed);
    }
    if part < LOST {
        return Err(NoReturn::NearlySteady { part });
    }
    let (mut not_symmetric, mut sensitive) = (None, None);
    let mut decide = |pass: Pass| match ReturningMotion::closed(&dynamics, &action, start, pass)? {
        Ok(motion) => Some(Ok(motion)),
        Err(why @ NoReturn::NotSymmetric { .. }) => {
            not_symmetric.get_or_insert(why);
            None
        }
        Err(why @ NoReturn::Sensitive { .. }) => {
            sensitive.get_or_insert(why);
            None
        }
        Err(why) => Some(Err(why)),
    };
    let found = if part < SMALL {
        search(&dynamics, &action, start, options, options.extended_steps, &mut decide)
    } else {
        let doubles: Vec<f64> = start.iter().map(|x| x.to_f64()).collect();
        match search(&dynamics, &action, &doubles, options, options.steps, &mut decide) {
            // doubles do not tell a separatrix from what is beside it, nor an oscillation that is faint
            Err(NoReturn::NearlySteady { .. }) => {
                search(&dynamics, &action, start, options, options.extended_steps, &mut decide)
            }
            Err(NoReturn::Settles { growth, .. }) if growth > 0.0 => {
                search(&dynamics, &action, start, options, options.extended_steps, &mut decide)
            }
            Err(why @ NoReturn::Stops { .. }) => match ends(&dynamics, start, &why) {
                Some(end) => Err(end),
                None => search(&dynamics, &action, start, options, options.extended_steps, &mut decide),
            },
            found => found,
        }
    };
    let why = match found {
        Ok(motion) => return motion,
        Err(NoReturn::Ends(end)) => return Err(NoReturn::Ends(end)),
        Err(why @ NoReturn::Settles { .. }) => not_symmetric.unwrap_or(why),
        Err(why) => not_symmetric.or(sensitive).unwrap_or(why),
    };
    Err(ends(&dynamics, start, &why).or_else(|| dissipation(&dynamics, start, &why)).unwrap_or(why))
}

/// Whether the motion ends before it has come back.
fn ends(dynamics: &Dynamics, start: &[Dd], why: &NoReturn) -> Option<NoReturn> {
    let compiled = &dynamics.compiled;
    // runs are those of the model
    if start != compiled.initial_state() {
        return None;
    }
    let about = match why {
        NoReturn::Stops { t, .. } => *t,
        NoReturn::Settles { searched, .. }
        | NoReturn::Leaves { searched }
        | NoReturn::Wanders { searched, .. }
        | NoReturn::Sensitive { t: searched, .. }
        | NoReturn::NotSymmetric { t: searched, .. }
            if compiled.events.iter().any(|e| e.terminal) =>
        {
            let motion = compiled.solve(&Run { dense: false, ..Run::until(*searched) }).ok()?;
            if motion.report.stop == StopReason::End {
                return None;
            }
            motion.report.t
        }
        _ => return None,
    };
    EndingMotion::about(dynamics, about).map(|m| NoReturn::Ends(Arc::new(m)))
}

/// Whether it is the energy that does not come back.
fn dissipation(dynamics: &Dynamics, start: &[Dd], why: &NoReturn) -> Option<NoReturn> {
    let (NoReturn::Settles { searched, .. } | NoReturn::Leaves { searched } | NoReturn::Wanders { searched, .. }) = why
    else {
        return None;
    };
    if dynamics.compiled.program.works.is_empty() {
        return None;
    }
    let y: Vec<f64> = start.iter().map(|x| x.to_f64()).collect();
    let mut stepper = dynamics.stepper(&y);
    while stepper.time() < *searched {
        stepper.step(*searched).ok()?;
    }
    let mut report = Interpreter::<f64>::new(dynamics.tapes().report);
    let mut energy = |y: &[f64]| {
        let mut numbers = vec![0.0; dynamics.tapes().report.outputs.len()];
        report.call(&[&[0.0], y].concat(), &mut numbers);
        numbers[dynamics.compiled.program.layout.energy]
    };
    let (from, to) = (energy(&y), energy(stepper.state()));
    (from - to > DISSIPATED * from.abs().max(to.abs())).then_some(NoReturn::Dissipates {
        from,
        to,
        searched: *searched,
    })
}
