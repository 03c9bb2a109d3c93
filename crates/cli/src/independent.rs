//! `--independent`: the velocities to keep, or combinations of them.

use polhode::mechanics::System;
use polhode::model::{Model, QuasiVelocity};
use polhode::prelude::{Expr, Symbol};

/// What `--independent` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// Nothing, or velocities of the model.
    Velocities,
    /// Combinations of velocities, such as `omega[1]`: quasi-velocities.
    Combinations,
}

/// `--independent` overrides the model's own choice.
pub(crate) fn choose_independent(model: &mut Model, names: &[String]) -> Result<Chosen, String> {
    if names.is_empty() {
        return Ok(Chosen::Velocities);
    }
    let velocities = model.configuration.velocities().to_vec();
    let mut chosen: Vec<(String, Expr)> = Vec::new();
    for name in names {
        chosen.extend(components(model, name.trim())?);
    }
    if let Some((_, twice)) = chosen.iter().enumerate().find(|(i, (_, e))| chosen[..*i].iter().any(|(_, f)| e == f)) {
        return Err(format!("error: `{}` is named twice in --independent\n", twice.0));
    }
    let plain = |model: &Model, e: Expr| model.graph.as_symbol(e).filter(|s| velocities.contains(s));
    let symbols: Option<Vec<Symbol>> = chosen.iter().map(|(_, e)| plain(model, *e)).collect();
    if let Some(symbols) = symbols {
        model.independent = Some(symbols);
        return Ok(Chosen::Velocities);
    }
    let mut unnamed = 0;
    let mut quasi = Vec::new();
    for (name, definition) in chosen {
        let symbol = match plain(model, definition) {
            Some(velocity) => velocity,
            None if is_name(&name) => model.graph.symbol(&name),
            None => {
                unnamed += 1;
                model.graph.symbol(&format!("u[{unnamed}]"))
            }
        };
        quasi.push(QuasiVelocity { symbol, definition, span: Default::default() });
    }
    model.quasi_velocities = quasi;
    Ok(Chosen::Combinations)
}

/// A name with or without an index.
fn is_name(text: &str) -> bool {
    let head = text.split_once('[').map_or(text, |(head, _)| head);
    head.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

/// What a name or a formula means, component by component.
fn components(model: &mut Model, text: &str) -> Result<Vec<(String, Expr)>, String> {
    let velocities = model.configuration.velocities().to_vec();
    if let Some(s) = velocities.iter().find(|s| model.graph.name(**s) == text) {
        return Ok(vec![(text.to_string(), model.graph.var(*s))]);
    }
    let known: Vec<&str> = velocities.iter().map(|s| model.graph.name(*s)).collect();
    let refused =
        format!("error: `{text}` is not a velocity of this model\n  = its velocities are {}\n", known.join(", "));
    let mut graph = model.graph.clone();
    let Ok(found) = model.formula(&mut graph, text) else { return Err(refused) };
    if found.is_empty() || found.iter().any(|e| !graph.contains_any(*e, &velocities)) {
        return Err(refused);
    }
    model.graph = graph;
    let name = |k: usize| if found.len() == 1 { text.to_string() } else { format!("{text}[{}]", k + 1) };
    Ok(found.iter().enumerate().map(|(k, e)| (name(k), *e)).collect())
}

/// The combinations are as many as there are degrees of freedom, linear in the velocities, and independent of each other and of the constraints.
pub(crate) fn good_quasi_velocities(system: &mut System) -> Result<(), String> {
    match system.hamel_frame() {
        Ok(_) => Ok(()),
        Err(why) => Err(format!("error: this choice of --independent fails: {why}\n")),
    }
}
