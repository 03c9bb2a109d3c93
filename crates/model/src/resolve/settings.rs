//! `[run]`: what a model says about its own simulation.

use super::{Resolver, list};
use crate::model::RunSettings;
use crate::syntax::{self, Table, ValueKind};
use polhode_base::{Diagnostic, closest};

const KEYS: &[&str] = &["until", "at", "samples", "rtol", "atol", "step", "precision", "method", "form"];

/// The most samples and digits that can be asked for.
const MAX_COUNT: f64 = 1e9;

impl Resolver<'_> {
    pub(super) fn read_run(&mut self, root: &Table) -> RunSettings {
        let mut run = RunSettings::default();
        for (_, table) in self.sections(root, &["run"]) {
            for (key, value) in table.iter() {
                if !self.known_key(key, KEYS, "[run]") {
                    continue;
                }
                match key.name.as_str() {
                    // backwards in time is a direction like any other
                    "until" => run.until = self.setting(value, "`until`", "a time other than 0", |x| x != 0.0),
                    "at" => match &value.kind {
                        ValueKind::Array(items) => {
                            run.at = items.iter().filter_map(|i| self.finite(i, "a time in `at`")).collect();
                        }
                        _ => run.at = self.finite(value, "`at`").into_iter().collect(),
                    },
                    "samples" => run.samples = self.count(value, "`samples`"),
                    "rtol" => run.rtol = self.positive(value, "`rtol`"),
                    "atol" => run.atol = self.positive(value, "`atol`"),
                    "step" => run.step = self.positive(value, "`step`"),
                    "precision" => run.precision = self.count(value, "`precision`"),
                    "method" => {
                        run.method = self.word_of(table, "method", &RunSettings::METHODS, |m| m).map(str::to_owned);
                    }
                    _ => run.form = self.word_of(table, "form", &RunSettings::FORMS, |f| f).map(str::to_owned),
                }
            }
        }
        run
    }

    fn finite(&mut self, value: &syntax::Value, what: &str) -> Option<f64> {
        let e = self.scalar_formula(value, what)?;
        self.constant(e, value.span, what)
    }

    /// A constant that is `fit`, which is to be `wanted`.
    fn setting(&mut self, value: &syntax::Value, what: &str, wanted: &str, fit: fn(f64) -> bool) -> Option<f64> {
        let number = self.finite(value, what)?;
        if fit(number) {
            return Some(number);
        }
        let message = format!("{what} is {wanted}, but here it is {number}");
        self.report(Diagnostic::error("bad-number", message).at(value.span, ""));
        None
    }

    fn positive(&mut self, value: &syntax::Value, what: &str) -> Option<f64> {
        self.setting(value, what, "a positive number", |x| x > 0.0)
    }

    fn count(&mut self, value: &syntax::Value, what: &str) -> Option<usize> {
        let whole = |x: f64| x.fract() == 0.0 && (1.0..=MAX_COUNT).contains(&x);
        self.setting(value, what, "a whole number from 1", whole).map(|x| x as usize)
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
        let words: Vec<&str> = known.iter().map(|k| word(*k)).collect();
        let error = Diagnostic::error("unexpected-value", format!("there is no {key} `{text}`"));
        let error = match closest(&text, words.iter().copied()) {
            Some(near) => {
                error.at(value.span, format!("did you mean `{near}`?")).suggest(value.span, format!("\"{near}\""))
            }
            None => error.at(value.span, ""),
        };
        self.report(error.help(format!("it is one of {}", list(&words))));
        None
    }
}
