//! `--neumann`: a rolling body in the parameters of its points of contact.

use crate::args::Coordinates;
use crate::output::{render, warn};
use polhode::base::closest;
use polhode::mechanics::sheet::{Left, Line, MAX_NODES, Section};
use polhode::model::{ChartChoice, Charts};
use polhode::prelude::*;

/// The model in the coordinates asked for; warnings go to standard error.
pub(crate) fn model(model: Model, options: &Coordinates) -> Result<Model, String> {
    let (model, warnings) = changed(model, options)?;
    warn(&warnings);
    Ok(model)
}

fn changed(model: Model, options: &Coordinates) -> Result<(Model, String), String> {
    let Some(charts) = options.chosen()? else { return Ok((model, String::new())) };
    match model.in_neumann_coordinates(charts) {
        Ok((changed, warnings)) => Ok((changed, render(&warnings, &model.source))),
        Err(rejected) => Err(render(&rejected.diagnostics, &rejected.source)),
    }
}

impl Coordinates {
    /// The charts, if the model is wanted in these coordinates.
    pub(crate) fn chosen(&self) -> Result<Option<Charts>, String> {
        self.neumann.then(|| charts(&self.charts)).transpose()
    }
}

fn charts(names: &[String]) -> Result<Charts, String> {
    let mut chosen = Vec::new();
    for name in names {
        let name = name.trim();
        let Some(choice) = ChartChoice::ALL.into_iter().find(|c| c.name() == name) else {
            let known = ChartChoice::ALL.map(ChartChoice::name);
            let hint = match closest(name, known) {
                Some(near) => format!("  = did you mean `{near}`?\n"),
                None => format!("  = there are {}\n", known.join(", ")),
            };
            return Err(format!("error: there is no chart `{name}`\n{hint}"));
        };
        chosen.push(choice);
    }
    match chosen[..] {
        [] => Ok(Charts::default()),
        [body] => Ok(Charts { body, ..Charts::default() }),
        [body, ground] => Ok(Charts { body, ground }),
        _ => Err("error: --charts takes the chart of the body and that of the ground\n".to_string()),
    }
}

/// What the letters of the coordinates mean: points of contact, fundamental quantities, spin.
pub(crate) fn charts_of(model: &Model, system: &mut System) -> Section {
    let reading = Reading { parameters: system.parameters.clone() };
    let mut lines = Vec::new();
    for (name, entries) in &model.definitions {
        for (i, e) in entries.iter().enumerate() {
            let name = if entries.len() == 1 { name.clone() } else { format!("{name}[{}]", i + 1) };
            let right = system.graph.readable_or_stored(*e, &reading, MAX_NODES);
            lines.push(Line { left: Left::Name(name), right, value: *e, remark: String::new() });
        }
    }
    let title = "points of contact, first fundamental forms, relative curvature, spin on e_u, e_v and the normal";
    Section { key: "charts", title: title.to_string(), lines }
}
