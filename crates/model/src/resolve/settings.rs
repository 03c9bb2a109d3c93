//! `[run]` and `[[event]]`: what a model says about its own simulation.

use super::Resolver;
use crate::model::RunSettings;
use crate::syntax::{self, Table, ValueKind};
use polhode_base::Diagnostic;

const KEYS: &[&str] = &["until", "rtol", "atol", "at", "method", "form"];

impl Resolver<'_> {
    pub(super) fn read_run(&mut self, root: &Table) -> RunSettings {
        let mut run = RunSettings::default();
        for (_, table) in self.sections(root, &["run"]) {
            for (key, value) in table.iter() {
                if !self.known_key(key, KEYS, "[run]") {
                    continue;
                }
                match key.name.as_str() {
                    "until" => run.until = self.setting(value, "`until`"),
                    "rtol" => run.rtol = self.setting(value, "`rtol`"),
                    "atol" => run.atol = self.setting(value, "`atol`"),
                    "at" => match &value.kind {
                        ValueKind::Array(items) => {
                            run.at = items.iter().filter_map(|i| self.setting(i, "a time in `at`")).collect();
                        }
                        _ => run.at = self.setting(value, "`at`").into_iter().collect(),
                    },
                    "method" => run.method = self.text_of(table, "method"),
                    _ => run.form = self.text_of(table, "form"),
                }
            }
        }
        run
    }

    fn setting(&mut self, value: &syntax::Value, what: &str) -> Option<f64> {
        let e = self.scalar_formula(value, what)?;
        self.constant(e, value.span, what)
    }

    pub(super) fn read_events(&mut self, root: &Table) -> Vec<Table> {
        let Some((key, value)) = root.entry("event") else {
            return Vec::new();
        };
        let items = match &value.kind {
            ValueKind::Array(items) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        let tables: Option<Vec<Table>> = items.iter().map(|i| i.as_table().cloned()).collect();
        tables.unwrap_or_else(|| {
            let message = format!("an event is a table, but here it is {}", value.describe());
            self.report(
                Diagnostic::error("unexpected-value", message)
                    .at(key.span, "")
                    .help("begin each with a line [[event]]"),
            );
            Vec::new()
        })
    }
}
