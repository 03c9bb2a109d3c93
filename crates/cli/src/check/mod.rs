//! `polhode check`: the constraint doctor.

mod json;
mod points;
mod regions;
mod symmetries;
mod text;

use crate::args::CheckOptions;
use crate::independent::{Chosen, choose_independent, good_quasi_velocities};
use crate::output::{emit, emit_json, heading, render, warn};
use crate::{Refusal, input, neumann};
use polhode::analysis::doctor::PointReport;
use polhode::analysis::{examine, examine_at};
use polhode::base::{Diagnostics, SourceFile};
use polhode::mechanics::{NotReducible, System, initial_state};
use polhode::prelude::{Expr, Model, Reading, Tree};
use symmetries::Symmetries;

/// Most nodes of a formula that is still shown.
const MOST_NODES: usize = 400;

pub(crate) fn run(options: &CheckOptions) -> Result<(), Refusal> {
    let parse_options = options.model.changes.parse_options()?;
    let file = input::source(&options.model.model)?;
    let (model, mut found) = match Model::parse(file.name(), file.text(), &parse_options) {
        Ok(parsed) => parsed,
        Err(rejected) => return Err(refuse(options, &rejected.source, &rejected.diagnostics)),
    };
    let mut model = neumann::model(model, &options.coordinates)?;
    let chosen = choose_independent(&mut model, &options.independent)?;
    // Errors that only concern the dynamics (a bad kinetic energy) still leave constraints to report.
    let built = if model.lagrangian.is_some() { System::new(&model) } else { System::kinematic(&model) };
    let mut system = match built {
        Ok((system, warnings)) => {
            found.extend(warnings);
            system
        }
        Err(rejected) => {
            found.extend(rejected.diagnostics);
            return Err(refuse(options, &model.source, &found));
        }
    };
    if let Err(rejected) = initial_state(&mut system, &model) {
        found.extend(rejected.diagnostics);
        return Err(refuse(options, &model.source, &found));
    }
    let mut not_reduced = None;
    if model.lagrangian.is_some() && !model.symmetries.is_empty() {
        match stated_symmetry(&mut system) {
            Ok(why) => not_reduced = why,
            Err(wrong) => {
                found.extend(wrong);
                return Err(refuse(options, &model.source, &found));
            }
        }
    }
    let points = points::points(&mut system, &model, &options.at)?;
    let mut report = examine(&mut system);
    if chosen == Chosen::Combinations {
        good_quasi_velocities(&mut system)?;
        report.take_quasi_velocities(&mut system);
    }
    let symmetries = Symmetries::of(&mut system, &model, not_reduced);
    let points: Vec<(String, PointReport)> =
        points.into_iter().map(|(name, at)| (name, examine_at(&mut system, &report, &at))).collect();
    let regions = regions::of(&system);
    warn(&render(&found, &model.source));
    if options.model.changes.json {
        let mut document = json::report(&report, &points, &symmetries, &mut system, &found, &model.source);
        regions::document(&regions, &mut document);
        emit_json(&document);
    } else {
        let page = text::page(&report, &points, &symmetries, &mut system, regions::lines(&regions));
        emit(&(heading(&model, &system) + &page));
    }
    Ok(())
}

/// The generators are symmetries, and the horizontal fields a connection; with why they do not reduce the system all the same.
fn stated_symmetry(system: &mut System) -> Result<Option<String>, Diagnostics> {
    system.symmetry()?;
    match system.reduction() {
        Err(NotReducible::Refused(wrong)) => Err(wrong),
        Err(why) => Ok(Some(why.to_string())),
        Ok(_) => Ok(None),
    }
}

/// A model with errors: the answer is no.
fn refuse(options: &CheckOptions, file: &SourceFile, diagnostics: &Diagnostics) -> Refusal {
    if options.model.changes.json {
        emit_json(&serde_json::json!({ "ok": false, "diagnostics": json::diagnostics(diagnostics, file) }));
    }
    Refusal::No(render(diagnostics, file))
}

/// A formula in its shortest form.
fn readable(system: &mut System, e: Expr) -> Option<Tree> {
    let reading = Reading { parameters: system.parameters.clone() };
    system.graph.readable_or_stored(e, &reading, MOST_NODES)
}
