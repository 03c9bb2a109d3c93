//! Motions that return up to a symmetry: what a period does, and the full state at any time.

use super::integrals::Known;
use super::text::digits;
use crate::output::{bold, dim, emit, emit_json, heading};
use crate::run::json::{number, sample};
use crate::{Refusal, input, run};
use polhode::exact::returns::{NoReturn, ReturnOptions, ReturningMotion, returning};
use polhode::mechanics::{Form, System};
use polhode::model::Model;
use polhode::prelude::print;
use polhode::simulate::{CompileOptions, Group};
use polhode::tape::Dd;
use serde_json::{Map, Value, json};

use crate::args::PageFormat;

/// The motion from the initial state, or why it does not return.
pub(super) type Found = Result<ReturningMotion, NoReturn>;

/// Follows the motion of a model, in the form that its runs take.
pub(super) fn found(model: &Model) -> Result<(System, Found), Refusal> {
    let mut system = input::system(model)?;
    let form = model.run.form.as_ref().and_then(|name| name.parse::<Form>().ok());
    let compile = CompileOptions { form, ..CompileOptions::default() };
    let found = returning(&mut system, &ReturnOptions { compile, ..ReturnOptions::default() });
    Ok((system, found))
}

/// A motion of which this and its integrals are all that is known: text, LaTeX or JSON.
pub(super) fn show(
    model: &Model,
    system: &System,
    motion: &ReturningMotion,
    times: &[Dd],
    format: PageFormat,
    reasons: &[String],
    known: Option<&Known>,
) {
    match format {
        PageFormat::Text => {
            let mut out = heading(model, system);
            out += &format!("\n{}\n  {}\n", bold("solution"), kind(motion));
            out += &section(motion);
            out += &format!("\n{}\n", bold("symmetries"));
            let (used, left_out) = motion.generators();
            used.iter().for_each(|text| out += &format!("  {text}\n"));
            left_out.iter().for_each(|text| out += &format!("  {text} {}\n", dim("(not affine: not used)")));
            if used.is_empty() {
                out += "  none: the motion itself is periodic\n";
            }
            if let Some(known) = known {
                out += &known.section(system);
            }
            out += &no_formulas(reasons);
            if !times.is_empty() {
                out += &format!("\n{}\n", bold("values"));
            }
            times.iter().for_each(|t| out += &format!("  t = {t}\n{}", values(motion, *t)));
            emit(&(out + "\n"));
        }
        PageFormat::Latex => {
            let law = match motion.is_steady() {
                true => "s(t) = e^{t \\xi}\\, s(0)".to_owned(),
                false => {
                    let period = digits(motion.period());
                    format!("s(n T + \\tau) = h^n s(\\tau), \\qquad 0 \\le \\tau < T = {period}")
                }
            };
            emit(&format!("% {}\n\\[\n{law}\n\\]\n", kind(motion)));
        }
        PageFormat::Json => {
            let parameters: Map<String, Value> =
                motion.compiled().parameters.iter().map(|(n, x)| (n.clone(), number(*x))).collect();
            let mut out = json!({
                "model": model.name,
                "parameters": parameters,
                "kind": "returns",
                "solution": kind(motion),
                "not_linear": reasons,
                "returns": run::exact::document(motion),
                "samples": times.iter().map(|t| full(motion, *t)).collect::<Vec<_>>(),
            });
            if let Some(known) = known {
                out["integrals"] = known.entry(system);
            }
            emit_json(&out);
        }
    }
}

/// Why there are none.
pub(super) fn no_formulas(reasons: &[String]) -> String {
    let mut out = format!("\n{}\n", bold("no linear equations in one shape variable"));
    reasons.iter().for_each(|line| out += &format!("  {line}\n"));
    out
}

fn kind(motion: &ReturningMotion) -> &'static str {
    match motion.is_steady() {
        true => "the motion is steady, the flow of a symmetry: any time at once",
        false => "the reduced motion is periodic: any time at once",
    }
}

/// What a period does, in words.
pub(super) fn section(motion: &ReturningMotion) -> String {
    let mut out = format!("\n{}\n", bold("the whole motion, any time at once"));
    motion.holonomy().lines().iter().for_each(|line| out += &format!("  {line}\n"));
    out
}

/// The key `returns` of a document.
pub(super) fn document(found: &Found) -> Value {
    match found {
        Ok(motion) => run::exact::document(motion),
        Err(why) => json!({ "found": false, "message": why.to_string() }),
    }
}

/// Everything that a run reports at a time, for programs.
pub(super) fn full(motion: &ReturningMotion, t: Dd) -> Value {
    sample(&motion.at(t), &motion.compiled().variables)
}

/// Positions, velocities and observables at a time, for people.
pub(super) fn values(motion: &ReturningMotion, t: Dd) -> String {
    let sample = motion.at(t);
    let shown = |g: Group| matches!(g, Group::Position | Group::Velocity | Group::Derived);
    let mut out = String::new();
    for v in motion.compiled().variables.iter().filter(|v| shown(v.group)) {
        for (name, x) in v.columns().iter().zip(sample.digits(v)) {
            out += &format!("    {} = {}\n", print::unicode_name(name), digits(*x));
        }
    }
    out
}
