//! `--at`: points to look at, and the initial position of the model.

use polhode::mechanics::System;
use polhode::model::Factor;
use polhode::prelude::{Expr, Model, Symbol};

/// A point with the text that names it.
pub(super) type Point = (String, Vec<(Symbol, Expr)>);

/// The points asked for, after the initial position if the model has one.
pub(super) fn points(system: &mut System, model: &Model, asked: &[String]) -> Result<Vec<Point>, String> {
    let mut out = Vec::new();
    out.extend(initial(system, model));
    for text in asked {
        let mut at: Vec<(Symbol, Expr)> = Vec::new();
        for part in split(text) {
            let (name, value) =
                part.split_once('=').ok_or_else(|| format!("error: `--at {text}` is not of the form NAME=EXPR,…\n"))?;
            let more = assignment(system, model, name.trim(), value.trim())?;
            if more.iter().any(|(s, _)| at.iter().any(|(known, _)| known == s)) {
                return Err(format!("error: `--at {text}` gives `{}` twice\n", name.trim()));
            }
            at.extend(more);
        }
        out.push((text.clone(), at));
    }
    Ok(out)
}

/// The parts between commas that stand outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut out) = (0i32, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.into_iter().filter(|p| !p.trim().is_empty()).collect()
}

fn assignment(system: &mut System, model: &Model, name: &str, value: &str) -> Result<Vec<(Symbol, Expr)>, String> {
    let positions = match model.configuration.factors().iter().find(|f| f.name == name && f.positions.len() > 1) {
        Some(f) => f.positions.clone(),
        None => {
            let known = |s: &Symbol| system.graph.name(*s) == name;
            let all = model.configuration.positions().iter().chain([&system.time]);
            all.copied().filter(|s| known(s)).collect()
        }
    };
    if positions.is_empty() {
        let known: Vec<&str> = model.configuration.factors().iter().map(|f| f.name.as_str()).collect();
        return Err(format!(
            "error: `{name}` is not a coordinate of this model\n  = its coordinates are {}, and t\n",
            known.join(", ")
        ));
    }
    let found = model.formula(&mut system.graph, value).map_err(|rejected| {
        let why: Vec<String> = rejected.diagnostics.iter().map(|d| d.message.clone()).collect();
        format!("error: `{value}` in --at has no value: {}\n", why.join("; "))
    })?;
    if found.len() != positions.len() {
        return Err(format!("error: `{name}` has {} components, `{value}` has {}\n", positions.len(), found.len()));
    }
    let moving = model.configuration.velocities();
    if found.iter().any(|e| system.graph.contains_any(*e, moving)) {
        return Err(format!("error: `{value}` in --at contains a velocity; a point has none\n"));
    }
    Ok(positions.into_iter().zip(found).collect())
}

/// The initial position, with the defaults for what is left out. There is none if the model gives no position, or one that was
/// computed in digits: a rotation that is none exactly is no point to be exact about.
fn initial(system: &mut System, model: &Model) -> Option<Point> {
    let positions = model.configuration.positions();
    if !model.initial.iter().any(|i| positions.contains(&i.symbol)) {
        return None;
    }
    let mut at: Vec<(Symbol, Expr)> = Vec::new();
    for f in model.configuration.factors() {
        let origin = f.origin();
        for (k, s) in f.positions.iter().enumerate() {
            let given = model.initial.iter().find(|i| i.symbol == *s).map(|i| i.value);
            let default = origin.as_ref().map(|x| system.graph.int(x[k]));
            at.extend(given.or(default).map(|e| (*s, e)));
        }
    }
    for turn in model.configuration.factors().iter().filter_map(Factor::rotation) {
        if !is_rotation(system, &turn.matrix, &at) {
            return None;
        }
    }
    Some(("the initial position".to_string(), at))
}

/// R Rᵀ = 1, exactly?
fn is_rotation(system: &mut System, entries: &[Symbol], at: &[(Symbol, Expr)]) -> bool {
    let value = |s: &Symbol| at.iter().find(|(t, _)| t == s).map(|(_, e)| *e);
    let Some(r) = entries.iter().map(value).collect::<Option<Vec<Expr>>>() else { return false };
    (0..3).all(|i| {
        (0..3).all(|j| {
            let g = &mut system.graph;
            let products: Vec<Expr> = (0..3).map(|k| g.mul(r[3 * i + k], r[3 * j + k])).collect();
            let unit = if i == j { g.one() } else { g.zero() };
            let sum = g.sum(products);
            let rest = g.sub(sum, unit);
            system.is_zero(rest)
        })
    })
}
