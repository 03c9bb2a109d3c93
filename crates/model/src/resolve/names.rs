//! Declaring names, and what to say when a name cannot be found.

use super::contact_rows::OBSERVED;
use super::scope::What;
use super::value::Value;
use super::{Resolver, functions, list};
use crate::contact::{Contact, Owner};
use crate::syntax::{Key, Name, Table, normalize_name};
use polhode_base::{Diagnostic, Span, closest};
use polhode_geometry::linear;
use rustc_hash::FxHashMap;

/// The sections that declare names, with what their entries are.
const DECLARING: &[(&str, &str)] = &[
    ("parameters", "a parameter"),
    ("coordinates", "a coordinate"),
    ("functions", "a function"),
    ("define", "a definition"),
    ("definitions", "a definition"),
    ("quasi_velocities", "a quasi-velocity"),
    ("quasi", "a quasi-velocity"),
];

/// Every name that the file declares somewhere, read before any formula.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    names: FxHashMap<String, (&'static str, Span)>,
}

impl Declared {
    pub(super) fn collect(root: &Table) -> Declared {
        let mut names = FxHashMap::default();
        for (section, what) in DECLARING {
            let table = root.get(section).and_then(|v| v.as_table());
            for (key, _) in table.into_iter().flat_map(Table::iter) {
                let name = normalize_name(&key.name).into_owned();
                names.entry(name).or_insert((*what, key.span));
            }
        }
        Declared { names }
    }

    pub(super) fn get(&self, name: &str) -> Option<(&'static str, Span)> {
        self.names.get(name).copied()
    }
}

impl Resolver<'_> {
    /// The name that a key declares, if it is one and is still free.
    pub(super) fn declare(&mut self, key: &Key, what: &str) -> Option<String> {
        let name = normalize_name(&key.name).into_owned();
        let mut letters = name.chars();
        let starts = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if !starts || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
            let message = format!("`{}` cannot be the name of {what}", key.name);
            let help = if name.contains('\'') {
                "a name is declared without primes; its velocity comes along by itself"
            } else {
                "a name is made of letters, digits and `_`, and does not begin with a digit"
            };
            self.report(Diagnostic::error("bad-name", message).at(key.span, "").help(help));
            return None;
        }
        if functions::is_function(&name) {
            let message = format!("`{name}` is a function of formulas and cannot be {what}");
            self.report(clash(message, key.span));
            return None;
        }
        let Some(binding) = self.scope.get(&name) else {
            return Some(name);
        };
        let error = match (&binding.what, binding.span) {
            (What::Constant | What::Time, _) => {
                let meaning = match name.as_str() {
                    "t" => "time",
                    "pi" => "the number π",
                    _ => "pi/180",
                };
                clash(format!("`{name}` is {meaning} and cannot be {what}"), key.span)
            }
            (What::Component, _) => {
                clash(format!("`{name}` is the angular velocity of the rotation and cannot be {what}"), key.span)
            }
            (other, Some(first)) => {
                let message = format!("`{name}` is {} already, so it cannot be {what}", other.describe());
                let line = self.line(first);
                clash(message, key.span).also(first, format!("first declared in line {line}"))
            }
            (other, None) => clash(format!("`{name}` is {} already", other.describe()), key.span),
        };
        self.report(error);
        None
    }

    /// What a name stands for, with its primes.
    pub(super) fn lookup(&mut self, name: &Name, span: Span) -> Option<Value> {
        let path: &str = &name.path;
        let Some(binding) = self.scope.get(path).cloned() else {
            self.unknown_name(path, self.without_primes(span, name.primes));
            return None;
        };
        let primed = format!("{path}{}", "'".repeat(name.primes as usize));
        match binding.what {
            What::Parameter if name.primes > 0 => {
                let mut error = Diagnostic::error(
                    "velocity-of-parameter",
                    format!("`{path}` is a parameter and has no velocity `{primed}`"),
                )
                .at(span, "a parameter is constant")
                .help(format!("make `{path}` a coordinate, or define it as a function of `t` and write dt({path})"));
                if let Some(place) = binding.span.filter(|_| self.in_file()) {
                    error = error.also(place, "the parameter");
                }
                self.report(error);
                return None;
            }
            What::Constant | What::Time if name.primes > 0 => {
                let message = format!("`{path}` is {} and has no velocity", binding.what.describe());
                self.report(Diagnostic::error("velocity-of-parameter", message).at(span, ""));
                return None;
            }
            What::Group => {
                let parts = self.parts_of(path);
                let message = format!("`{path}` is a motion of space or plane; formulas use its parts");
                self.report(
                    Diagnostic::error("wrong-dimension", message)
                        .at(span, "")
                        .help(format!("the parts are {}", list(&parts))),
                );
                return None;
            }
            What::Function(_, arity) => {
                let message = format!("`{path}` is a function and needs its arguments");
                let arguments = vec!["…"; arity].join(", ");
                self.report(
                    Diagnostic::error("wrong-arguments", message)
                        .at(span, "")
                        .help(format!("write {path}({arguments})")),
                );
                return None;
            }
            _ => {}
        }
        let mut value = binding.value?;
        self.mentions_motion |= binding.moving || name.primes > 0;
        for _ in 0..name.primes.min(8) {
            value = self.time_derivative(&value, span)?;
        }
        Some(value)
    }

    /// The span of a name without the primes after it.
    fn without_primes(&self, span: Span, primes: u32) -> Span {
        let primes = primes as usize;
        if span.len() > primes && self.text.slice(span).ends_with(&"'".repeat(primes)) {
            return Span::new(span.start as usize, span.end as usize - primes);
        }
        span
    }

    /// Whether the formula at hand stands in the file rather than in a flag.
    pub(super) fn in_file(&self) -> bool {
        self.text.name() == self.source.name()
    }

    /// The only name that ends like this one: `force`, where a contact has no name of its own, for `ground.force`.
    fn named_elsewhere(&self, path: &str) -> Option<String> {
        let (_, last) = path.rsplit_once('.')?;
        let ends = |n: &&str| n.rsplit('.').next() == Some(last);
        let mut names = self.scope.names().filter(ends);
        let first = names.next()?;
        names.next().is_none().then(|| first.to_owned())
    }

    /// The names `path.…`.
    fn parts_of(&self, path: &str) -> Vec<String> {
        let prefix = format!("{path}.");
        let names = self.scope.names().filter(|n| n.starts_with(&prefix));
        names.map(str::to_owned).collect()
    }

    fn unknown_name(&mut self, path: &str, span: Span) {
        if !self.unknown.insert(path.to_owned()) {
            return;
        }
        if let Some(error) = self.declared_elsewhere(path, span) {
            self.report(error);
            return;
        }
        if let Some(error) = self.only_observed(path, span) {
            self.report(error);
            return;
        }
        let mut error = Diagnostic::error(
            "unknown-name",
            format!("unknown name `{path}`: not a parameter, coordinate or definition"),
        );
        if matches!(path, "Omega" | "omega") {
            let suffix = format!(".{path}");
            let qualified: Vec<&str> = self.scope.names().filter(|n| n.ends_with(&suffix)).collect();
            if !qualified.is_empty() {
                let (message, help) = match qualified[..] {
                    [only] => (
                        format!("`{path}` is short for the angular velocity of a single SO(3) coordinate"),
                        format!("write `{only}`"),
                    ),
                    _ => (
                        format!("`{path}` of which rotation? The model has several to choose from"),
                        format!("write one of {}", list(&qualified)),
                    ),
                };
                self.report(Diagnostic::error("unknown-name", message).at(span, "").help(help));
                return;
            }
        }
        let (root, part) = path.split_once('.').unwrap_or((path, ""));
        let parts = self.parts_of(root);
        if part.is_empty() && !parts.is_empty() {
            let message = format!("`{path}` is a body; formulas use its parts");
            let error = Diagnostic::error("wrong-dimension", message).at(span, "");
            self.report(error.help(format!("the parts are {}", list(&parts))));
            return;
        }
        // the parts of a coordinate are short: of these, only near misses of long ones count
        let near = self.scope.closest(path).filter(|_| part.len() != 1).map(str::to_owned);
        error = match near {
            Some(near) => error.at(span, format!("did you mean `{near}`?")).suggest(span, near),
            None if functions::is_function(path) => error
                .at(span, "a function")
                .help(format!("a function needs its arguments: {}", functions::signature(path))),
            None if path.contains('.') && !parts.is_empty() => {
                error.at(span, "").help(format!("`{root}` has the parts {}", list(&parts)))
            }
            None if self.named_elsewhere(path).is_some() => {
                let other = self.named_elsewhere(path).unwrap_or_default();
                error.at(span, format!("did you mean `{other}`?")).suggest(span, other)
            }
            None if path.contains('.') => {
                error.at(span, "").help(format!("there is no coordinate or body `{root}` with such parts"))
            }
            None if matches!(path, "e" | "i" | "inf") => error.at(span, "").help(match path {
                "e" => "for Euler's number write exp(1), for its powers exp(x)",
                "i" => "formulas are real; there is no imaginary unit",
                _ => "formulas contain finite numbers only",
            }),
            None if path.ends_with("_dot") => {
                let base = path.trim_end_matches("_dot");
                error.at(span, format!("the velocity of `{base}` is written `{base}'`"))
            }
            None => {
                error.at(span, "").help(format!("add `{path} = …` under [parameters], or define it under [define]"))
            }
        };
        self.report(error);
    }

    /// What to say about a name that a contact has after the motion is known, in a formula that the motion follows from.
    fn only_observed(&self, path: &str, span: Span) -> Option<Diagnostic> {
        let named = |c: &Contact| OBSERVED.iter().copied().find(|part| c.part(part) == path);
        let (contact, part) = self.touches.iter().find_map(|t| Some((&t.contact, named(&t.contact)?)))?;
        let message = format!("`{path}` is known in observables and events only");
        let error = Diagnostic::error("unknown-name", message).at(span, "");
        let Owner::Body(b) = contact.sides[0].owner else { return Some(error) };
        let body = &self.rolling[b].name;
        Some(match part {
            "slip" => {
                let [c, c1] = ["c", "c1"].map(|n| contact.part(n));
                let free = |n: &str| self.declared.get(n).is_none();
                let side = &contact.sides[1];
                let still = side.owner == Owner::Ground
                    && side.rotation == linear::identity(&self.graph)
                    && side.position == linear::zero(&self.graph)
                    && side.belt == linear::zero(&self.graph);
                let (point, besides) = match still {
                    // the axes of this ground are those of the world
                    true if free(&c1) => (c1, ""),
                    _ if free(&c) => (format!("{body}.x_O + {body}.R*{c}"), ", less the velocity of the other side there"),
                    _ => ("…".to_owned(), ", with the point of contact in the world for …"),
                };
                error.help(format!(
                    "write velocity_at({body}.x_O, {body}.R, {point}), the velocity of the material at the point of contact{besides}"
                ))
            }
            "force" | "normal_force" | "mu_required" => error
                .note("it follows from the motion, so that the motion cannot follow from it")
                .help("write a force in positions and velocities, such as a friction with the weight for the normal force"),
            _ => error.help("write it in positions and velocities"),
        })
    }

    /// What to say about a name that another section, or a later line, declares.
    fn declared_elsewhere(&mut self, path: &str, span: Span) -> Option<Diagnostic> {
        let (what, place) = self.declared.get(path)?;
        if !self.in_file() {
            let message = format!("`{path}` is {what}, and cannot be used here");
            return Some(Diagnostic::error("not-constant", message).at(span, ""));
        }
        let line = self.line(place);
        let same_section = self
            .declared_now
            .as_ref()
            .is_some_and(|defining| self.declared.get(defining).is_some_and(|(w, _)| w == what));
        if self.declared_now.as_deref() == Some(path) {
            let message = format!("`{path}` is defined by itself");
            return Some(Diagnostic::error("circular-definition", message).at(span, "used in its own definition"));
        }
        if self.constants_only {
            let message = format!("`{path}` is {what}; only parameters can be used here");
            if what != "a parameter" {
                let help = match what == "a definition" {
                    true => format!(
                        "make it a parameter, which may be a formula in others: `{path} = \"…\"` under [parameters]; \
                         a surface can use definitions as well, if they contain parameters only"
                    ),
                    false => "quantities that change with the motion belong under [define]".to_owned(),
                };
                let error = Diagnostic::error("not-constant", message).at(span, "").also(place, "declared here");
                return Some(error.help(help));
            }
        }
        let message = format!("`{path}` is used before it is defined, in line {line}");
        let help = if same_section {
            format!("names are known after the line that defines them: move `{path}` up")
        } else {
            format!("`{path}` is {what}, and these are read after what is defined here")
        };
        Some(
            Diagnostic::error("later-definition", message)
                .at(span, "not known yet")
                .also(place, "defined here")
                .help(help),
        )
    }

    /// Reports a call of something that is no function.
    pub(super) fn unknown_function(&mut self, name: &str, span: Span) {
        if let Some(binding) = self.scope.get(name) {
            let message = format!("`{name}` is {}, not a function", binding.what.describe());
            self.report(
                Diagnostic::error("unknown-function", message)
                    .at(span, "")
                    .help(format!("for a product write `{name}*(…)`")),
            );
            return;
        }
        let mut known: Vec<&str> = functions::names().collect();
        known.extend(self.functions.iter().map(|(n, _)| n.as_str()));
        let near = functions::other_name(name).or_else(|| closest(name, known));
        let near = near.map(str::to_owned);
        let error = Diagnostic::error("unknown-function", format!("there is no function `{name}`"));
        let error = match near {
            Some(near) => error.at(span, format!("did you mean `{near}`?")).suggest(span, near),
            None => error
                .at(span, "")
                .help(format!("a function left open is declared under [functions]: `{name} = [\"x\"]`")),
        };
        self.report(error);
    }
}

pub(super) fn clash(message: String, span: Span) -> Diagnostic {
    Diagnostic::error("name-clash", message).at(span, "").help("choose another name")
}
