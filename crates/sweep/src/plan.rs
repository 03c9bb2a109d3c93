//! A sweep as a file: simple enough to write by hand.
//!
//! ```toml
//! model = "rolling-disk"
//! keep  = ["max(theta)", "drift"]
//! seed  = 1
//!
//! [vary]
//! theta  = { from = 0.2, to = 1.5, count = 40 }
//! "psi'" = { from = 0.5, to = 50, count = 40, scale = "log" }
//! M      = [1, 2, 5]
//! ```
//!
//! `random = N` or `sobol = N` fill axes without a count. `[set]`, `[init]` and `[run]` have the flags of the same names. A plan that the program has
//! written has the number of samples, the version and the checksum of the model besides, and is complete: whoever has it and the model has the sweep.

use crate::design::{Axis, BadDesign, Design, Points, Scale, Values};
use crate::engine::EngineKind;
use crate::keep::Keep;
use crate::sha256;
use crate::spec::Spec;
use polhode_base::{Diagnostic, Diagnostics, SourceFile, Span, closest, quoted};
use polhode_model::run::Takes;
use polhode_model::syntax::{Key, Table, Value, ValueKind, parse_document};
use polhode_model::{ReadSettings, Rejected, Setting};
use std::fmt::Write;

/// A sweep as a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What it is asked to do.
    pub spec: Spec,
    /// The checksum of the text of the model, if it is given.
    pub model_sha256: Option<String>,
    /// The version of the program that wrote it.
    pub version: Option<String>,
}

const KEYS: [&str; 12] =
    ["polhode", "model", "model_sha256", "samples", "seed", "random", "sobol", "keep", "set", "init", "run", "vary"];
/// In `[run]`, besides what a model can say there.
const ENGINE: &str = "engine";
const AXIS: [&str; 4] = ["from", "to", "count", "scale"];

impl Plan {
    /// The text of the plan, always the same for the same plan.
    pub fn text(&self) -> String {
        let Plan { spec, model_sha256, version } = self;
        let mut out =
            String::from("# A sweep: polhode sweep run PLAN --shard K/N, then polhode sweep merge PLAN DIR\n");
        let mut put = |key: &str, value: String| {
            let _ = writeln!(out, "{key} = {value}");
        };
        version.iter().for_each(|v| put("polhode", quoted(v)));
        put("model", quoted(&spec.model));
        model_sha256.iter().for_each(|sum| put("model_sha256", quoted(sum)));
        put("samples", spec.design.len().to_string());
        // TOML has whole numbers up to 2⁶³ − 1
        let seed = spec.design.seed();
        put("seed", if i64::try_from(seed).is_ok() { seed.to_string() } else { quoted(&seed.to_string()) });
        match spec.design.points() {
            Points::None => {}
            Points::Random(n) => put("random", n.to_string()),
            Points::Sobol(n) => put("sobol", n.to_string()),
        }
        let keep: Vec<String> = spec.keep.iter().map(|k| quoted(&k.to_string())).collect();
        put("keep", format!("[{}]", keep.join(", ")));
        for (name, list) in [("set", &spec.set), ("init", &spec.init)] {
            if !list.is_empty() {
                let _ = writeln!(out, "\n[{name}]");
                list.iter().for_each(|(name, formula)| {
                    let _ = writeln!(out, "{} = {}", quoted(name), quoted(formula));
                });
            }
        }
        let written = |setting: Setting| {
            let words = spec.settings.words(setting)?;
            let value = match setting.takes() {
                Takes::Formula | Takes::Word => quoted(&words[0]),
                Takes::Number | Takes::Count | Takes::Switch => words[0].clone(),
                Takes::Formulas | Takes::Texts => {
                    format!("[{}]", words.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(", "))
                }
            };
            Some((setting.name(), value))
        };
        let mut run: Vec<(&str, String)> = Setting::ALL.into_iter().filter_map(written).collect();
        run.extend(spec.engine.map(|e| (ENGINE, quoted(e.name()))));
        if !run.is_empty() {
            let _ = writeln!(out, "\n[run]");
        }
        for (name, value) in run {
            let _ = writeln!(out, "{name} = {value}");
        }
        let _ = writeln!(out, "\n[vary]");
        for axis in spec.design.axes() {
            let scale = |s: &Scale| if *s == Scale::Log { ", scale = \"log\"" } else { "" };
            let values = match &axis.values {
                Values::Grid { from, to, count, scale: s } => {
                    format!("{{ from = {from:?}, to = {to:?}, count = {count}{} }}", scale(s))
                }
                Values::Range { from, to, scale: s } => format!("{{ from = {from:?}, to = {to:?}{} }}", scale(s)),
                Values::List(list) => {
                    let list: Vec<String> = list.iter().map(|x| format!("{x:?}")).collect();
                    format!("[{}]", list.join(", "))
                }
            };
            let _ = writeln!(out, "{} = {values}", quoted(&axis.name));
        }
        out
    }

    /// The checksum of the plan: that of its text as the program writes it, whatever its layout was.
    pub fn checksum(&self) -> String {
        sha256::hex(self.text().as_bytes())
    }

    /// Reads a plan.
    pub fn read(file: &SourceFile) -> Result<Plan, Rejected> {
        let document = parse_document(file);
        let mut reader = Reader { diagnostics: document.diagnostics };
        let plan = if reader.diagnostics.has_errors() { None } else { reader.plan(&document.root) };
        match plan {
            Some(plan) if !reader.diagnostics.has_errors() => Ok(plan),
            _ => Err(Rejected { source: file.clone(), diagnostics: reader.diagnostics }),
        }
    }
}

struct Reader {
    diagnostics: Diagnostics,
}

impl ReadSettings for Reader {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn formula_text(&mut self, value: &Value, _what: &str) -> Option<String> {
        self.formula(value)
    }

    fn number(&mut self, value: &Value, _what: &str) -> Option<f64> {
        self.literal(value)
    }
}

impl Reader {
    fn wrong(&mut self, value: &Value, wanted: &str) {
        let message = format!("here {wanted} is wanted, but this is {}", value.describe());
        self.report(Diagnostic::error("unexpected-value", message).at(value.span, ""));
    }

    fn known(&mut self, key: &Key, known: &[&str]) {
        if known.contains(&key.name.as_str()) {
            return;
        }
        let error = Diagnostic::error("unknown-key", format!("there is no `{}` here", key.name));
        self.report(match closest(&key.name, known.iter().copied()) {
            Some(near) => error.at(key.span, format!("did you mean `{near}`?")).suggest(key.span, near),
            None => error.at(key.span, "").help(format!("there are {}", known.join(", "))),
        });
    }

    fn literal(&mut self, value: &Value) -> Option<f64> {
        match value.as_number() {
            Some(x) => x.to_string().parse().ok(),
            None => {
                self.wrong(value, "a number");
                None
            }
        }
    }

    fn whole(&mut self, value: &Value) -> Option<u64> {
        let x = value.as_number().map(|x| x.to_string()).or_else(|| value.as_str().map(str::to_owned));
        let x = x.and_then(|text| text.parse().ok());
        if x.is_none() {
            self.wrong(value, "a whole number, 0 or more,");
        }
        x
    }

    fn word(&mut self, value: &Value) -> Option<String> {
        let word = value.as_str().map(str::to_owned);
        if word.is_none() {
            self.wrong(value, "a string");
        }
        word
    }

    /// A formula: a string, or a number.
    fn formula(&mut self, value: &Value) -> Option<String> {
        match value.as_number() {
            Some(x) => Some(x.to_string()),
            None => self.word(value),
        }
    }

    fn table<'a>(&mut self, value: &'a Value) -> Option<&'a Table> {
        let table = value.as_table();
        if table.is_none() {
            self.wrong(value, "a table");
        }
        table
    }

    fn plan(&mut self, root: &Table) -> Option<Plan> {
        root.iter().for_each(|(key, _)| self.known(key, &KEYS));
        let word = |r: &mut Reader, key: &str| root.get(key).and_then(|v| r.word(v));
        let whole = |r: &mut Reader, key: &str| root.get(key).and_then(|v| r.whole(v));
        let (version, model_sha256) = (word(self, "polhode"), word(self, "model_sha256"));
        let (seed, random, sobol) = (whole(self, "seed"), whole(self, "random"), whole(self, "sobol"));
        let Some(model) = word(self, "model") else {
            if root.get("model").is_none() {
                let error = Diagnostic::error("missing-key", "the plan does not say which model");
                self.report(error.help("write model = \"rolling-disk\", or the path of a file"));
            }
            return None;
        };
        let mut lists = [Vec::new(), Vec::new()];
        for (name, list) in ["set", "init"].into_iter().zip(&mut lists) {
            let Some(table) = root.get(name).and_then(|v| self.table(v)) else { continue };
            for (key, value) in table.iter() {
                list.extend(self.formula(value).map(|formula| (key.name.clone(), formula)));
            }
        }
        let [set, init] = lists;
        let run = root.get("run").and_then(|v| self.table(v));
        let settings = run.map(|t| self.settings(t)).unwrap_or_default();
        let engine = run.and_then(|t| self.engine(t));
        let keep = self.keep(root.get("keep"));
        let Some((key, value)) = root.entry("vary") else {
            let error = Diagnostic::error("missing-key", "the plan does not say what is varied");
            self.report(error.help("add [vary] with lines such as theta = { from = 0.2, to = 1.5, count = 40 }"));
            return None;
        };
        let axes = self.table(value)?.iter().filter_map(|(k, v)| self.axis(k, v)).collect();
        let points = match (random, sobol) {
            (Some(_), Some(_)) => {
                let error = Diagnostic::error("unexpected-value", "points are random or Sobol's, not both");
                self.report(error.help("leave `random` or `sobol` out"));
                return None;
            }
            (Some(n), None) => Points::Random(n),
            (None, Some(n)) => Points::Sobol(n),
            (None, None) => Points::None,
        };
        if self.diagnostics.has_errors() {
            return None;
        }
        let design = match Design::new(axes, points, seed.unwrap_or(0)) {
            Ok(design) => design,
            Err(e) => {
                self.report(bad_design(&e, key.span));
                return None;
            }
        };
        if let Some(samples) = root.get("samples")
            && self.whole(samples).is_some_and(|n| n != design.len())
        {
            let message = format!("the axes make {} samples", design.len());
            self.report(Diagnostic::error("unexpected-value", message).at(samples.span, "").help("leave it out"));
        }
        Some(Plan { spec: Spec { model, set, init, design, settings, engine, keep }, model_sha256, version })
    }

    /// Who runs motions; all other keys of `[run]` are settings.
    fn engine(&mut self, table: &Table) -> Option<EngineKind> {
        let known: Vec<&str> = Setting::ALL.map(Setting::name).into_iter().chain([ENGINE]).collect();
        table.iter().for_each(|(key, _)| self.known(key, &known));
        let value = table.get(ENGINE)?;
        let engine = value.as_str().and_then(EngineKind::from_name);
        if engine.is_none() {
            self.wrong(value, "\"batch\" or \"single\"");
        }
        engine
    }

    fn keep(&mut self, value: Option<&Value>) -> Vec<Keep> {
        let Some(value) = value else { return Keep::usual() };
        let Some(list) = value.as_array() else {
            self.wrong(value, "a list of strings");
            return Vec::new();
        };
        let mut keep = Vec::new();
        for item in list {
            let Some(text) = self.word(item) else { continue };
            match Keep::read(&text) {
                Ok(k) => keep.push(k),
                Err(e) => self.report(Diagnostic::error("unexpected-value", e.why).at(item.span, "")),
            }
        }
        keep
    }

    fn axis(&mut self, key: &Key, value: &Value) -> Option<Axis> {
        let name = key.name.clone();
        if let ValueKind::Array(list) = &value.kind {
            let list = list.iter().filter_map(|v| self.literal(v)).collect();
            return Some(Axis { name, values: Values::List(list) });
        }
        let table = match &value.kind {
            ValueKind::Table(table) => table,
            _ => {
                self.wrong(value, "{ from = …, to = …, count = … } or a list");
                return None;
            }
        };
        table.iter().for_each(|(key, _)| self.known(key, &AXIS));
        let mut end = |which: &str| match table.get(which) {
            Some(value) => self.literal(value),
            None => {
                let error = Diagnostic::error("missing-key", format!("`{name}` has no `{which}`"));
                self.report(error.at(key.span, ""));
                None
            }
        };
        let (from, to) = (end("from")?, end("to")?);
        let scale = match table.get("scale").map(|v| (v.as_str(), v)) {
            None | Some((Some("linear"), _)) => Scale::Linear,
            Some((Some("log"), _)) => Scale::Log,
            Some((_, v)) => {
                self.wrong(v, "\"linear\" or \"log\"");
                return None;
            }
        };
        let values = match table.get("count") {
            Some(count) => Values::Grid { from, to, count: self.whole(count)?, scale },
            None => Values::Range { from, to, scale },
        };
        Some(Axis { name, values })
    }
}

fn bad_design(error: &BadDesign, span: Span) -> Diagnostic {
    let d = Diagnostic::error("unexpected-value", error.to_string()).at(span, "");
    match error {
        BadDesign::Unfilled(_) => d.help("give it a count, or say random = 1000 or sobol = 1024"),
        BadDesign::NoRange => d.help("leave out the count of an axis, or leave out `random` and `sobol`"),
        _ => d,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Plan, Rejected> {
        Plan::read(&SourceFile::new("plan.toml", text))
    }

    const PLAN: &str = r#"
model = "rolling-disk"
keep = ["max(theta)", "reversals(phi', 0.5)", "drift"]
seed = "18446744073709551615"
sobol = 64
[set]
M = "2*3"
r = 0.5
[init]
"psi'" = "w"
[run]
until = "2*pi"
rtol = 1e-9
max_steps = 1000
engine = "single"
[vary]
theta = { from = 0.2, to = 1.5, count = 40 }
w = { from = 0.5, to = 50, scale = "log" }
g = [1, 2.5, 1e-3]
"#;

    #[test]
    fn plans_read_back() {
        let plan = read(PLAN).unwrap();
        assert_eq!(plan.spec.design.len(), 40 * 3 * 64);
        assert_eq!(plan.spec.design.seed(), u64::MAX);
        assert_eq!(plan.spec.set, [("M".to_owned(), "2*3".to_owned()), ("r".to_owned(), "0.5".to_owned())]);
        let whole = Plan { version: Some("0.1.0".into()), model_sha256: Some("ab".into()), ..plan };
        let again = read(&whole.text()).unwrap();
        assert_eq!(again, whole);
        assert_eq!(again.checksum(), whole.checksum());
        let other = read(&PLAN.replace("1e-9", "1e-8")).unwrap();
        assert_ne!(other.checksum(), read(PLAN).unwrap().checksum());
    }

    #[test]
    fn mistakes_have_places() {
        let told = |from: &str, to: &str| {
            assert!(PLAN.contains(from));
            read(&PLAN.replace(from, to)).unwrap_err().to_string()
        };
        assert!(
            told("rtol", "rtoll").contains("plan.toml:13:1") && told("rtol", "rtoll").contains("did you mean `rtol`?")
        );
        assert!(told("count = 40", "count = 4.5").contains("a whole number"));
        assert!(told("\"log\"", "\"lag\"").contains("\"linear\" or \"log\""));
        assert!(told("\"single\"", "\"double\"").contains("\"batch\" or \"single\""));
        assert!(told("sobol = 64\n", "").contains("`w` has a range"));
        assert!(told("from = 0.2, ", "").contains("`theta` has no `from`"));
        assert!(told("model = \"rolling-disk\"", "").contains("which model"));
        assert!(told("seed", "samples = 5\nseed").contains("the axes make 7680 samples"));
    }
}
