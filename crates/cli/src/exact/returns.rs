//! Motions that return up to a symmetry: what a period does, and the full state at any time.

use super::integrals::Known;
use super::steady;
use super::text::digits;
use crate::output::{bold, dim, emit, emit_json, heading};
use crate::run::exact::{beyond, too_far};
use crate::run::json::{number, sample};
use crate::{Refusal, input, run};
use polhode::exact::returns::{EndingMotion, NoReturn, ReturnOptions, ReturningMotion, returning};
use polhode::exact::steady::SteadyMotion;
use polhode::mechanics::System;
use polhode::model::{Model, RunSettings};
use polhode::prelude::print;
use polhode::simulate::{CompileOptions, Compiled, Group, Resolved, Sample};
use polhode::tape::Dd;
use serde_json::{Map, Value, json};

use crate::args::PageFormat;

/// The whole motion from the initial state, where it returns or ends, and its values at the times asked for.
pub(super) struct Whole {
    pub(super) found: Result<ReturningMotion, NoReturn>,
    moments: Vec<Sample>,
}

/// Follows the motion of a model, in the form that its runs take. Times at which there is no state are refused.
pub(super) fn found(model: &Model, times: &[Dd]) -> Result<(System, Whole), Refusal> {
    let mut system = input::system(model)?;
    let resolved = Resolved::new(&mut model.clone(), &RunSettings::default())?;
    // a solved motion is neither that of discrete equations nor reduced
    let compile = CompileOptions { discrete: false, reduced: false, lift: None, ..resolved.options };
    let found = returning(&mut system, &ReturnOptions { compile, ..ReturnOptions::default() });
    let moments = match &found {
        Ok(motion) => {
            if let Some((t, why)) = times.iter().find_map(|t| Some((*t, motion.unknown(*t)?))) {
                return Err(Refusal::BadInput(too_far(t, &why)));
            }
            times.iter().map(|t| motion.at(*t)).collect()
        }
        Err(NoReturn::Ends(ending)) => ending.at(times).ok_or_else(|| beyond(ending))?,
        Err(_) => Vec::new(),
    };
    Ok((system, Whole { found, moments }))
}

impl Whole {
    /// The motion, if it ends before it returns.
    pub(super) fn ending(&self) -> Option<&EndingMotion> {
        match &self.found {
            Err(NoReturn::Ends(ending)) => Some(ending),
            _ => None,
        }
    }

    fn compiled(&self) -> Option<&Compiled> {
        match &self.found {
            Ok(motion) => Some(motion.compiled()),
            Err(NoReturn::Ends(ending)) => Some(ending.compiled()),
            Err(_) => None,
        }
    }

    /// Whether there are values.
    pub(super) fn is_known(&self) -> bool {
        self.compiled().is_some()
    }

    /// What a period does, in words, or how the motion ends.
    pub(super) fn section(&self) -> String {
        match &self.found {
            Ok(motion) => section(motion),
            Err(NoReturn::Ends(ending)) => {
                format!(
                    "\n{}\n  {ending}\n  values are those of an integration with 30 digits\n",
                    bold("the whole motion")
                )
            }
            Err(_) => String::new(),
        }
    }

    /// The key `returns` of a document.
    pub(super) fn document(&self) -> Value {
        match &self.found {
            Ok(motion) => run::exact::document(motion),
            Err(why) => {
                let mut out = json!({ "found": false, "message": why.to_string() });
                if let Some(ending) = self.ending() {
                    out["ends"] = end(ending);
                }
                out
            }
        }
    }

    /// Everything that a run reports at the i-th time, for programs.
    pub(super) fn full(&self, i: usize) -> Option<Value> {
        let moment = self.moments.get(i)?;
        let mut out = sample(moment, &self.compiled()?.variables);
        if let Ok(motion) = &self.found {
            // of the digits that follow, those beyond it mean nothing
            out["error"] = json!(motion.error_at(moment.time()));
        }
        Some(out)
    }

    /// Positions, velocities and observables at the i-th time, for people.
    pub(super) fn values(&self, i: usize) -> Option<String> {
        let line = |(name, x): (String, Dd)| format!("    {} = {}\n", print::unicode_name(&name), digits(x));
        Some(self.named_values(i)?.into_iter().map(line).collect())
    }

    /// The same by name.
    pub(super) fn named_values(&self, i: usize) -> Option<Vec<(String, Dd)>> {
        let (sample, compiled) = (self.moments.get(i)?, self.compiled()?);
        let shown = |g: Group| matches!(g, Group::Position | Group::Velocity | Group::Derived);
        let variables = compiled.variables.iter().filter(|v| shown(v.group));
        let columns = variables.map(|v| v.columns().into_iter().zip(sample.digits(v).to_vec()).collect::<Vec<_>>());
        Some(columns.flatten().collect())
    }
}

/// When a motion ends, and why, for programs.
pub(super) fn end(ending: &EndingMotion) -> Value {
    json!({ "t": number(ending.end()), "error": ending.error(), "reason": ending.why().name(), "message": ending.why().to_string() })
}

/// A motion of which this and its integrals are all that is known: text, LaTeX or JSON.
pub(super) fn show(
    model: &Model,
    system: &System,
    whole: &Whole,
    times: &[Dd],
    format: PageFormat,
    reasons: &[String],
    (known, steady): (Option<&Known>, Option<&SteadyMotion>),
) {
    match format {
        PageFormat::Text => {
            let mut out = heading(model, system);
            out += &format!("\n{}\n  {}\n", bold("solution"), kind(whole));
            out += &whole.section();
            out += &steady.map(steady::small).unwrap_or_default();
            if let Ok(motion) = &whole.found {
                out += &format!("\n{}\n", bold("symmetries"));
                let (used, left_out) = motion.generators();
                used.iter().for_each(|text| out += &format!("  {text}\n"));
                left_out.iter().for_each(|text| out += &format!("  {text} {}\n", dim("(not affine: not used)")));
                if used.is_empty() {
                    out += "  none: the motion itself is periodic\n";
                }
            }
            if let Some(known) = known {
                out += &known.section(system);
            }
            out += &no_formulas(reasons);
            if !times.is_empty() {
                out += &format!("\n{}\n", bold("values"));
            }
            let each = times.iter().enumerate();
            each.for_each(|(i, t)| out += &format!("  t = {t}\n{}", whole.values(i).unwrap_or_default()));
            emit(&(out + "\n"));
        }
        PageFormat::Latex => {
            let law = match &whole.found {
                Ok(motion) if !motion.is_steady() => {
                    let period = digits(motion.period());
                    format!("s(n T + \\tau) = h^n s(\\tau), \\qquad 0 \\le \\tau < T = {period}")
                }
                Ok(_) => "s(t) = e^{t \\xi}\\, s(0)".to_owned(),
                Err(_) => {
                    let end = whole.ending().map_or_else(String::new, EndingMotion::end_digits);
                    format!("s(t), \\qquad 0 \\le t < {end}")
                }
            };
            let mut out = super::latex::heading(kind(whole)) + &format!("\\[\n{law}\n\\]\n");
            if let Ok(motion) = &whole.found {
                out += &super::latex::sentences(motion.holonomy().lines().iter().map(String::as_str));
            }
            let each = times.iter().enumerate();
            each.for_each(|(i, t)| out += &latex_values(*t, &whole.named_values(i).unwrap_or_default()));
            emit(&out);
        }
        PageFormat::Json => {
            let named = whole.compiled().map_or(&[][..], |c| &c.parameters);
            let parameters: Map<String, Value> = named.iter().map(|(n, x)| (n.clone(), number(*x))).collect();
            let mut out = json!({
                "model": model.name,
                "parameters": parameters,
                "kind": if whole.found.is_ok() { "returns" } else { "ends" },
                "solution": kind(whole),
                "not_linear": reasons,
                "returns": whole.document(),
                "samples": (0..times.len()).filter_map(|i| whole.full(i)).collect::<Vec<_>>(),
            });
            if let Some(known) = known {
                out["integrals"] = known.entry(system);
            }
            if let Some(m) = steady {
                out["small_disturbances"] = steady::spectrum(m);
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

fn kind(whole: &Whole) -> &'static str {
    match &whole.found {
        Ok(motion) if motion.is_steady() => "the motion is steady, the flow of a symmetry: any time at once",
        Ok(_) => "the reduced motion is periodic: any time at once",
        Err(_) => "none: the motion ends before it returns",
    }
}

/// What a period does, in words.
fn section(motion: &ReturningMotion) -> String {
    let mut out = format!("\n{}\n", bold("the whole motion, any time at once"));
    motion.holonomy().lines().into_iter().chain(motion.warning()).for_each(|line| out += &format!("  {line}\n"));
    out
}

/// Values at a time as an equation of many lines.
pub(super) fn latex_values(t: Dd, values: &[(String, Dd)]) -> String {
    let row = |(name, x): &(String, Dd)| format!("{} &= {}", print::latex_name(name), digits(*x));
    let rows = values.iter().map(row).collect::<Vec<_>>().join(" \\\\\n");
    format!("\\noindent Values at $t = {t}$:\n\\[\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n\\]\n")
}
