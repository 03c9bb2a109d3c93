//! `polhode list` and `polhode show`.

use crate::args::{ListOptions, ShowOptions};
use crate::output::{bold, dim, emit, emit_json};
use crate::{Refusal, input};
use polhode::prelude::{Model, ParseOptions, builtin, print};
use serde_json::json;

pub(crate) fn list(options: &ListOptions) -> Result<(), Refusal> {
    let models: Vec<(&str, Model)> = builtin::ALL
        .iter()
        .filter_map(|b| Some((b.name, Model::parse(b.name, b.text, &ParseOptions::default()).ok()?.0)))
        .collect();
    if options.json {
        let items: Vec<_> = models
            .iter()
            .map(|(name, m)| json!({ "name": name, "title": m.title, "reference": m.reference, "fact": m.fact }))
            .collect();
        emit_json(&json!({ "models": items }));
        return Ok(());
    }
    let column = |f: &dyn Fn(&(&str, Model)) -> usize| models.iter().map(f).max().unwrap_or(0);
    let (names, titles) = (column(&|(n, _)| n.len()), column(&|(_, m)| print::display_width(&m.title)));
    for (name, m) in &models {
        let pad = titles - print::display_width(&m.title);
        let name = bold(&format!("{name:names$}"));
        emit(&format!("{name}  {}{}  {}\n", m.title, " ".repeat(pad), dim(&m.reference)));
    }
    Ok(())
}

pub(crate) fn show(options: &ShowOptions) -> Result<(), Refusal> {
    emit(input::source(&options.model)?.text());
    Ok(())
}
