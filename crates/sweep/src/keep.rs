//! What is kept of a motion.
//!
//! | written | columns | meaning |
//! | --- | --- | --- |
//! | `X` or `final(X)` | `final(X)` | the value at the end |
//! | `final` | all scalars and vectors of the state | the same |
//! | `min(X)`, `max(X)` | `min(X)`, `t_min(X)` | the extremum, and when |
//! | `range(X)` | `range(X)` | largest minus smallest value |
//! | `crossings(X)` | `crossings(X)`, `t_first(X)`, `t_last(X)` | zeros of X, first and last one |
//! | `reversals(X)`, `reversals(X, H)` | `reversals(X)`, `t_reversal(X)` | changes of sign, the first one; with H those from below −H to above H and back |
//! | `period(X)` | `period(X)` | mean time between zeros in which X rises |
//! | `events`, `event(NAME)` | `count(NAME)`, `t_event(NAME)` | events of the model |
//! | `lyapunov` | `lyapunov` | largest Lyapunov exponent |
//! | `drift` | `drift` | largest error of the energy balance |
//! | `steps` | `steps` | steps of the integrator |
//!
//! X is a variable of the motion, such as `theta'` or `R[3,3]`, or a formula in the names of the model.

use crate::design::split;
use std::fmt;

/// A quantity of one variable or formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Of {
    /// Its value at the end.
    Final,
    /// Its smallest value.
    Min,
    /// Its largest value.
    Max,
    /// Largest minus smallest.
    Range,
    /// Its zeros.
    Crossings,
    /// Its changes of sign by more than this.
    Reversals(f64),
    /// The mean time between zeros at which it rises.
    Period,
}

impl Of {
    const ALL: [Of; 7] = [Of::Final, Of::Min, Of::Max, Of::Range, Of::Crossings, Of::Reversals(0.0), Of::Period];

    /// The word before the parenthesis.
    fn name(self) -> &'static str {
        match self {
            Of::Final => "final",
            Of::Min => "min",
            Of::Max => "max",
            Of::Range => "range",
            Of::Crossings => "crossings",
            Of::Reversals(_) => "reversals",
            Of::Period => "period",
        }
    }
}

/// What is kept of a motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Keep {
    /// A quantity of a variable or formula.
    Of(Of, String),
    /// All scalars and vectors of the state, at the end.
    Final,
    /// All events of the model.
    Events,
    /// One event of the model.
    Event(String),
    /// The largest Lyapunov exponent.
    Lyapunov,
    /// The largest error of the energy balance.
    Drift,
    /// The number of steps.
    Steps,
}

/// What is a single word.
const WORDS: [Keep; 5] = [Keep::Final, Keep::Events, Keep::Lyapunov, Keep::Drift, Keep::Steps];

impl Keep {
    fn word(&self) -> Option<&'static str> {
        match self {
            Keep::Final => Some("final"),
            Keep::Events => Some("events"),
            Keep::Lyapunov => Some("lyapunov"),
            Keep::Drift => Some("drift"),
            Keep::Steps => Some("steps"),
            Keep::Of(..) | Keep::Event(_) => None,
        }
    }
}

/// Something that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadKeep {
    /// As written.
    pub text: String,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for BadKeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`--keep {}`: {}", self.text, self.why)
    }
}

impl std::error::Error for BadKeep {}

impl Keep {
    /// What is kept when nothing is said.
    pub fn usual() -> Vec<Keep> {
        vec![Keep::Final, Keep::Events, Keep::Drift]
    }

    /// Reads a list with commas.
    pub fn read_list(text: &str) -> Result<Vec<Keep>, BadKeep> {
        split(text, ',').into_iter().filter(|t| !t.trim().is_empty()).map(|t| Keep::read(t.trim())).collect()
    }

    /// Reads one item.
    pub fn read(text: &str) -> Result<Keep, BadKeep> {
        let bad = |why: String| BadKeep { text: text.to_owned(), why };
        if let Some(word) = WORDS.into_iter().find(|w| w.word() == Some(text)) {
            return Ok(word);
        }
        let call = text.strip_suffix(')').and_then(|t| t.split_once('('));
        // what closes at the end has to be what was opened there: max(a) - min(b) is a formula
        let call = call.filter(|(_, inner)| {
            let mut depth = 0;
            inner.chars().all(|c| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                depth >= 0
            })
        });
        let Some((word, inner)) = call else { return Ok(Keep::Of(Of::Final, text.to_owned())) };
        let inner = inner.trim();
        if word == "event" {
            return Ok(Keep::Event(inner.trim_matches('"').to_owned()));
        }
        let Some(of) = Of::ALL.into_iter().find(|of| of.name() == word) else {
            return match meant(word) {
                Some(item) => Err(bad(format!("there is no `{word}`; write `{}`", item.replace('X', inner)))),
                // a function of the model language, as in sin(theta)
                None => Ok(Keep::Of(Of::Final, text.to_owned())),
            };
        };
        let mut parts = split(inner, ',');
        let of = match (of, &parts[..]) {
            (Of::Reversals(_), [_, level]) => {
                let level: f64 = level.trim().parse().map_err(|_| bad(format!("`{}` is no number", level.trim())))?;
                if !(level >= 0.0 && level.is_finite()) {
                    return Err(bad("the second number is how far X has to come beyond zero, 0 or more".to_owned()));
                }
                parts.truncate(1);
                Of::Reversals(level)
            }
            (of, _) => of,
        };
        match parts[..] {
            [x] if !x.trim().is_empty() => Ok(Keep::Of(of, x.trim().to_owned())),
            _ => Err(bad(format!("`{word}` takes one variable or formula"))),
        }
    }

    /// Its columns in tables; none for what is written out first (`final`, `events`).
    pub fn columns(&self) -> Vec<String> {
        match self {
            Keep::Of(Of::Min, x) => vec![self.to_string(), format!("t_min({x})")],
            Keep::Of(Of::Max, x) => vec![self.to_string(), format!("t_max({x})")],
            Keep::Of(Of::Crossings, x) => vec![self.to_string(), format!("t_first({x})"), format!("t_last({x})")],
            Keep::Of(Of::Reversals(_), _) => {
                let name = self.to_string();
                let first = format!("t_{}", name.replacen("reversals", "reversal", 1));
                vec![name, first]
            }
            Keep::Event(name) => vec![format!("count({name})"), format!("t_event({name})")],
            Keep::Of(Of::Final | Of::Range | Of::Period, _) | Keep::Lyapunov | Keep::Drift | Keep::Steps => {
                vec![self.to_string()]
            }
            Keep::Final | Keep::Events => Vec::new(),
        }
    }

    /// The variable or formula it is about.
    pub fn formula(&self) -> Option<&str> {
        match self {
            Keep::Of(_, x) => Some(x),
            _ => None,
        }
    }
}

/// The item behind a word that users of other programs, or readers of the columns, may write.
fn meant(word: &str) -> Option<&'static str> {
    Some(match word {
        "maximum" | "t_max" => "max(X)",
        "minimum" | "t_min" => "min(X)",
        "zeros" | "roots" | "t_first" | "t_last" => "crossings(X)",
        "t_reversal" => "reversals(X)",
        "count" | "t_event" => "event(X)",
        "last" | "end" => "final(X)",
        _ => return None,
    })
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::Of(Of::Reversals(level), x) if *level != 0.0 => write!(f, "reversals({x}, {level})"),
            Keep::Of(of, x) => write!(f, "{}({x})", of.name()),
            Keep::Event(name) => write!(f, "event({name})"),
            word => f.write_str(word.word().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_read_back() {
        let text = "final, theta', max(theta), min(R[3,3]), range(x), crossings(omega[3]), reversals(omega[3], 0.5), \
                    reversals(v), period(theta'), events, event(it turns back), lyapunov, drift, steps";
        let list = Keep::read_list(text).unwrap();
        assert_eq!(list.len(), 14);
        let again: Vec<Keep> = list.iter().map(|k| Keep::read(&k.to_string()).unwrap()).collect();
        assert_eq!(list, again);
        assert_eq!(list[3], Keep::Of(Of::Min, "R[3,3]".into()));
        assert_eq!(list[6], Keep::Of(Of::Reversals(0.5), "omega[3]".into()));
    }

    #[test]
    fn formulas_are_final_values() {
        let formula = |t: &str| Keep::read(t).unwrap();
        assert_eq!(formula("sin(theta)"), Keep::Of(Of::Final, "sin(theta)".into()));
        assert_eq!(formula("max(a) - min(b)"), Keep::Of(Of::Final, "max(a) - min(b)".into()));
        assert_eq!(formula("max(cos(a)*(b + c))"), Keep::Of(Of::Max, "cos(a)*(b + c)".into()));
        assert!(Keep::read("max(a, b)").is_err() && Keep::read("max()").is_err());
        let other = Keep::read("maximum(theta')").unwrap_err().to_string();
        assert_eq!(other, "`--keep maximum(theta')`: there is no `maximum`; write `max(theta')`");
        assert!(Keep::read("reversals(a, -1)").is_err() && Keep::read("reversals(a, x)").is_err());
    }
}
