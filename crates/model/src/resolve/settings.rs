//! `[run]`: what a model, or the plan of a sweep, says about how motions are run.

use super::{Resolver, list};
use crate::run::{BadSetting, RunSettings, Setting, Takes};
use crate::syntax::{self, Table, ValueKind};
use polhode_base::{Diagnostic, closest};

/// Somebody who reads settings from a file. By the table of [`Setting`] they mean what flags mean.
pub trait ReadSettings {
    /// Notes a mistake.
    fn report(&mut self, diagnostic: Diagnostic);

    /// The text of a number or of a formula in the parameters.
    fn formula_text(&mut self, value: &syntax::Value, what: &str) -> Option<String>;

    /// A number that is known already.
    fn number(&mut self, value: &syntax::Value, what: &str) -> Option<f64>;

    /// The settings of a table, in which there may be other keys too.
    fn settings(&mut self, table: &Table) -> RunSettings {
        let mut run = RunSettings::default();
        for (key, value) in table.iter() {
            let Some(setting) = Setting::ALL.into_iter().find(|s| s.name() == key.name) else { continue };
            let Some(words) = self.words(setting, value) else { continue };
            if let Err(error) = run.put(setting, &words) {
                self.report(diagnostic(&error, value));
            }
        }
        run
    }

    /// What flags would say.
    fn words(&mut self, setting: Setting, value: &syntax::Value) -> Option<Vec<String>> {
        let what = format!("`{}`", setting.name());
        let items: Vec<&syntax::Value> = match (&value.kind, setting.takes()) {
            (ValueKind::Array(items), Takes::Formulas | Takes::Texts) => items.iter().collect(),
            _ => vec![value],
        };
        let word = |item: &syntax::Value| match setting.takes() {
            Takes::Formula | Takes::Formulas => self.formula_text(item, &what),
            Takes::Number | Takes::Count => self.number(item, &what).map(|x| x.to_string()),
            Takes::Switch if item.as_bool().is_some() => item.as_bool().map(|yes| yes.to_string()),
            Takes::Switch | Takes::Word | Takes::Texts => {
                let text = item.as_str().map(str::to_owned);
                if text.is_none() {
                    let (wanted, help) = match setting.takes() {
                        Takes::Switch => ("`true` or `false`", "write `true` or `false` without quotes"),
                        _ => ("a text", "put it in quotes"),
                    };
                    let message = format!("{what} is {wanted}, but here it is {}", item.describe());
                    self.report(Diagnostic::error("unexpected-value", message).at(item.span, "").help(help));
                }
                text
            }
        };
        items.into_iter().map(word).collect()
    }
}

/// A mistake in a setting, where it is.
fn diagnostic(error: &BadSetting, value: &syntax::Value) -> Diagnostic {
    if let BadSetting::Unknown { what, name, known } = error {
        return unknown_word(what, name, known, value);
    }
    let code = if matches!(error, BadSetting::Wrong { .. }) { "bad-number" } else { "unexpected-value" };
    let out = Diagnostic::error(code, error.to_string()).at(value.span, "");
    match error.help() {
        Some(help) => out.help(help),
        None => out,
    }
}

/// A word that is none of those that a key can have.
fn unknown_word(what: &str, name: &str, known: &[String], value: &syntax::Value) -> Diagnostic {
    let out = Diagnostic::error("unexpected-value", format!("there is no {what} `{name}`"));
    let out = match closest(name, known.iter().map(String::as_str)) {
        Some(near) => out.at(value.span, format!("did you mean `{near}`?")).suggest(value.span, format!("\"{near}\"")),
        None => out.at(value.span, ""),
    };
    out.help(format!("it is one of {}", list(known)))
}

impl ReadSettings for Resolver<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        Resolver::report(self, diagnostic);
    }

    fn formula_text(&mut self, value: &syntax::Value, what: &str) -> Option<String> {
        let number = self.number(value, what)?;
        // a flag may ask for the start alone; a model that never moves is a mistake. Backwards in time is a direction like any other
        if number == 0.0 && what == "`until`" {
            let message = format!("{what} is a time other than 0, but here it is {number}");
            Resolver::report(self, Diagnostic::error("bad-number", message).at(value.span, ""));
            return None;
        }
        let text = value.as_str().map(str::to_owned);
        text.or_else(|| value.as_number().map(|number| number.to_string()))
    }

    fn number(&mut self, value: &syntax::Value, what: &str) -> Option<f64> {
        let e = self.scalar_formula(value, what)?;
        self.constant(e, value.span, what)
    }
}

impl Resolver<'_> {
    pub(super) fn read_run(&mut self, root: &Table) -> RunSettings {
        let known = Setting::ALL.map(Setting::name);
        let mut run = RunSettings::default();
        for (_, table) in self.sections(root, &["run"]) {
            for (key, _) in table.iter() {
                self.known_key(key, &known, "[run]");
            }
            run = self.settings(table);
        }
        run
    }

    /// One of the words a key can have.
    pub(super) fn word_of<T: Copy>(
        &mut self,
        table: &Table,
        key: &str,
        known: &[T],
        word: fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.text_of(table, key)?;
        let (_, value) = table.entry(key)?;
        if let Some(found) = known.iter().find(|k| word(**k) == text) {
            return Some(*found);
        }
        let words: Vec<String> = known.iter().map(|k| word(*k).to_owned()).collect();
        self.report(unknown_word(key, &text, &words, value));
        None
    }
}
