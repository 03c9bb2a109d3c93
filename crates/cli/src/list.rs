//! `polhode list` and `polhode show`.

use crate::args::{ListOptions, ShowOptions};
use crate::input;
use crate::output::{bold, dim};
use polhode::prelude::{Model, ParseOptions, builtin, print};
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn list(options: &ListOptions) -> Result<ExitCode, String> {
    let models: Vec<(&str, Model)> = builtin::ALL
        .iter()
        .filter_map(|b| Some((b.name, Model::parse(b.name, b.text, &ParseOptions::default()).ok()?.0)))
        .collect();
    if options.json {
        let items: Vec<_> = models
            .iter()
            .map(|(name, m)| json!({ "name": name, "title": m.title, "reference": m.reference, "fact": m.fact }))
            .collect();
        println!("{}", serde_json::to_string_pretty(&json!({ "models": items })).unwrap_or_default());
        return Ok(ExitCode::SUCCESS);
    }
    let column = |f: &dyn Fn(&(&str, Model)) -> usize| models.iter().map(f).max().unwrap_or(0);
    let (names, titles) = (column(&|(n, _)| n.len()), column(&|(_, m)| print::display_width(&m.title)));
    for (name, m) in &models {
        let pad = titles - print::display_width(&m.title);
        println!("{}  {}{}  {}", bold(&format!("{name:names$}")), m.title, " ".repeat(pad), dim(&m.reference));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn show(options: &ShowOptions) -> Result<ExitCode, String> {
    print!("{}", input::source(&options.model)?.text());
    Ok(ExitCode::SUCCESS)
}
