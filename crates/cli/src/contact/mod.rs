//! `polhode contact`: Jacobians, kinematics and forces of contacts, at the start or along the motion.

mod json;
mod text;

use crate::args::ContactOptions;
use crate::output::{emit, emit_json};
use crate::run::{Timed, follow, not_compiled};
use crate::{Refusal, input, run};
use polhode::base::closest;
use polhode::prelude::*;
use polhode::simulate::contact::Contacts;
use polhode::simulate::{ContactKinematics, Ready};
use polhode::tape::{Dd, Scalar};
use std::sync::Arc;
use std::time::Instant;

/// What there is to show.
struct Finished {
    model: Model,
    system: System,
    motion: Trajectory,
    /// The names of the velocities: the columns of Jacobians.
    velocities: Vec<String>,
    /// The motion at the times asked for, and the contacts that were asked for.
    instants: Vec<(Sample, Contacts)>,
}

/// Shows the contacts; the exit status is 3 when the motion ends before the times asked for.
pub(crate) fn run(options: &ContactOptions) -> Result<(), Refusal> {
    let mut plan = Plan::of(input::source(&options.model.model)?).settings(options.settings.settings()?);
    plan.values = options.model.changes.parse_options()?;
    plan.settings.at = if options.at.is_empty() { vec!["0".to_owned()] } else { options.at.clone() };
    let mut wanted = Vec::new();
    let mut ready = run::read(&plan, |model| {
        wanted = chosen(options, model)?;
        Ok(())
    })?;
    // the motion goes to the last of these times, however far the model would run
    let run = &mut ready.resolved.run;
    let latest = run.at.iter().copied().fold(Dd::ZERO, |far, t| if t.abs() > far.abs() { t } else { far });
    (run.until, run.samples, run.dense) = (latest, 0, false);
    let run = run.clone();
    let mut solve = |compiled: Arc<Compiled>| Ok((compiled.solve(&run)?, ()));
    let Timed { motion, .. } = follow(&mut ready, Instant::now(), &mut solve)?;
    let Ready { model, mut system, .. } = ready;
    let mut kinematics = ContactKinematics::new(&mut system).map_err(not_compiled)?;
    let velocities = kinematics.velocities().to_vec();
    let instants = (motion.samples.iter())
        .map(|sample| {
            let mut now = kinematics.at_sample(sample).clone();
            now.contacts.retain(|c| wanted.contains(&c.name));
            (sample.clone(), now)
        })
        .collect();
    let finished = Finished { model, system, motion, velocities, instants };
    if options.model.changes.json {
        emit_json(&json::document(&finished));
    } else {
        emit(&text::text(options, &finished));
    }
    match &finished.motion.report.stop {
        StopReason::End => Ok(()),
        stop => Err(Refusal::StoppedEarly(format!("stopped at t = {}: {stop}\n", finished.motion.report.t))),
    }
}

/// The names of the contacts to show.
fn chosen(options: &ContactOptions, model: &Model) -> Result<Vec<String>, Refusal> {
    let names: Vec<&str> = model.contacts.iter().map(|c| c.name.as_str()).collect();
    if names.is_empty() {
        let message = "error: the model has no contact\n  = a contact is between a [body.NAME] with a surface and a [ground], or another such body\n";
        return Err(Refusal::BadInput(message.to_owned()));
    }
    if let Some(unknown) = options.contact.iter().find(|n| !names.contains(&n.as_str())) {
        let hint = match (closest(unknown, names.iter().copied()), &names[..]) {
            (_, [""]) => "  = the only contact has no name: leave --contact out\n".to_owned(),
            (Some(close), _) => format!("  = did you mean `{close}`?\n"),
            (None, _) => format!("  = there are {}\n", names.join(", ")),
        };
        return Err(Refusal::BadInput(format!("error: there is no contact `{unknown}`\n{hint}")));
    }
    Ok(names
        .into_iter()
        .filter(|n| options.contact.is_empty() || options.contact.iter().any(|c| c == n))
        .map(str::to_owned)
        .collect())
}
