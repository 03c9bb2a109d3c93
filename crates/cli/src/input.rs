//! Finding and reading models.

use crate::output::{render, warn};
use polhode::base::{SourceFile, closest};
use polhode::mechanics::System;
use polhode::model::syntax::decode_source;
use polhode::prelude::{Builtin, Diagnostics, Model, ParseOptions, builtin};
use std::path::Path;

/// The name and text of a model given by path or by built-in name.
pub(crate) fn source(model: &str) -> Result<SourceFile, String> {
    if let Some(Builtin { name, text }) = builtin::find(model) {
        return Ok(SourceFile::new(format!("{name}.toml"), text));
    }
    let path = Path::new(model);
    match std::fs::read(path) {
        Ok(bytes) => {
            let (file, diagnostics) = decode_source(model, &bytes);
            if diagnostics.has_errors() { Err(render(&diagnostics, &file)) } else { Ok(file) }
        }
        Err(error) => Err(not_found(model, path, &error)),
    }
}

fn not_found(model: &str, path: &Path, error: &std::io::Error) -> String {
    let looks_like_path = model.contains(['/', '\\']) || path.extension().is_some();
    if looks_like_path {
        return format!("error: cannot read `{model}`: {error}\n");
    }
    let hint = match closest(model, builtin::ALL.iter().map(|b| b.name)) {
        Some(name) => format!("  = did you mean `{name}`?\n"),
        None => String::new(),
    };
    format!(
        "error: there is no file and no built-in model `{model}`\n{hint}  = `polhode list` shows the built-in models\n"
    )
}

/// Reads and resolves a model; warnings go to standard error.
pub(crate) fn model(name: &str, options: &ParseOptions) -> Result<Model, String> {
    let file = source(name)?;
    match Model::parse(file.name(), file.text(), options) {
        Ok((model, warnings)) => {
            warn(&render(&warnings, &model.source));
            Ok(model)
        }
        Err(rejected) => Err(render(&rejected.diagnostics, &rejected.source)),
    }
}

/// The system of a model; warnings go to standard error.
pub(crate) fn system(model: &Model) -> Result<System, String> {
    let accept = |warnings: &Diagnostics| warn(&render(warnings, &model.source));
    match System::new(model) {
        Ok((system, warnings)) => {
            accept(&warnings);
            Ok(system)
        }
        Err(rejected) => Err(render(&rejected.diagnostics, &rejected.source)),
    }
}
