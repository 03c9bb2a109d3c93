//! What is asked for: a model by its name or as a text, and numbers to change in it.
//!
//! A page changes initial values one number at a time, `Omega[3]`, where a model takes whole vectors, `Omega = [0, 0, -5]`. The other components
//! are those that the model would start with: [`formulas`] puts them together. A point of contact has to lie on its surface: where one of its
//! numbers is changed, those that are not follow (`closing`).
//!
//! What the command line says (`--set`, `--init`, and the settings of the run) is `given`: formulas, to which a page adds its numbers.

use super::numbers::{evaluated, given_starts};
use super::{Mistaken, closing};
use polhode::builtin;
use polhode::mechanics::{System, initial_state};
use polhode::model::{Model, ParseOptions, RunSettings, Setting};
use serde_json::{Map, Value, json};
use std::fmt;
use std::time::Instant;

/// Evenly spaced samples of a recorded motion, and of one that follows a slider.
const SAMPLES: usize = 1201;
const FOLLOWING: usize = 601;

/// A model with numbers to change.
#[derive(Clone, Debug)]
pub struct Wish {
    /// What messages call the file.
    pub file: String,
    /// The model file.
    pub text: String,
    /// Parameters, with formulas.
    pub set: Vec<(String, String)>,
    /// Initial values, with formulas: whole quantities, or single components such as `Omega[3]`.
    pub start: Vec<(String, String)>,
    /// What is wished about the run, before what the model says.
    pub settings: RunSettings,
    /// How many samples are recorded.
    pub samples: usize,
    /// How many numbers are recorded at most: columns times samples, those at events not counted.
    pub most_numbers: usize,
    /// A run that is not done by then ends there, and facts that are not known by then are left out.
    pub deadline: Option<Instant>,
}

/// Why a request is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadWish {
    /// It is not of the form that is expected: what is wrong.
    Malformed(String),
    /// There is no such built-in model.
    Unknown(String),
}

impl fmt::Display for BadWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadWish::Malformed(what) => write!(f, "the request is malformed: {what}"),
            BadWish::Unknown(name) => write!(f, "there is no built-in model `{name}`"),
        }
    }
}

impl std::error::Error for BadWish {}

impl Wish {
    /// A model file as it is.
    pub fn new(file: &str, text: &str) -> Wish {
        Wish {
            file: file.to_owned(),
            text: text.to_owned(),
            set: Vec::new(),
            start: Vec::new(),
            settings: RunSettings::default(),
            samples: SAMPLES,
            most_numbers: usize::MAX,
            deadline: None,
        }
    }

    /// What was changed in the model, as the command line says it.
    pub(super) fn given(&self) -> Value {
        given(&self.set, &self.start, &self.settings)
    }

    /// What tapes depend on besides the numbers of the model.
    pub(super) fn tapes(&self) -> Value {
        json!([self.text, words(&RunSettings { until: None, ..self.settings.clone() })])
    }

    /// With the samples of a motion that follows a slider: few enough to be there at once.
    pub fn following(self) -> Wish {
        Wish { samples: FOLLOWING, ..self }
    }

    /// The same request without the numbers that the page has changed.
    pub fn unchanged(request: &Value) -> Result<Wish, BadWish> {
        let mut request = request.clone();
        if let Some(entries) = request.as_object_mut() {
            entries.retain(|key, _| !matches!(key.as_str(), "set" | "start" | "until"));
        }
        Wish::from_json(&request)
    }

    /// From the request of a page: `{"name"}` or `{"text"}`, with `set`, `start` and `until`, on top of what is `given`.
    pub fn from_json(request: &Value) -> Result<Wish, BadWish> {
        let malformed = |what: &str| BadWish::Malformed(what.to_owned());
        let Some(request) = request.as_object() else { return Err(malformed("it is no object")) };
        let text = |key: &str| match request.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(BadWish::Malformed(format!("`{key}` is no text"))),
        };
        let mut wish = match (text("name")?, text("text")?) {
            (name, Some(text)) => {
                let name = name.unwrap_or("model");
                Wish::new(&format!("{}.toml", name.trim_end_matches(".toml")), text)
            }
            (Some(name), None) => {
                let found = builtin::find(name).ok_or_else(|| BadWish::Unknown(name.to_owned()))?;
                Wish::new(&format!("{name}.toml"), found.text)
            }
            (None, None) => return Err(malformed("it has neither `name` nor `text`")),
        };
        let given = request.get("given").cloned().unwrap_or_default();
        wish.set = over(formulas_of(&given, "set")?, numbers(request, "set")?);
        wish.start = over(formulas_of(&given, "init")?, numbers(request, "start")?);
        wish.settings = settings_of(&given)?;
        match request.get("until") {
            None | Some(Value::Null) => {}
            Some(t) => {
                let t = t.as_f64().filter(|t| t.is_finite()).ok_or_else(|| malformed("`until` is no number"))?;
                wish.settings.until = Some(t.to_string());
            }
        }
        Ok(wish)
    }

    /// What commands call the model: its name if it is built in, else that of its file.
    pub(super) fn argument(&self) -> &str {
        let name = self.short_name();
        match builtin::find(name).is_some_and(|b| b.text == self.text) {
            true => name,
            false => &self.file,
        }
    }

    /// The name of the model: that of its file without folder and ending.
    pub fn short_name(&self) -> &str {
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file);
        file.strip_suffix(".toml").unwrap_or(file)
    }
}

/// What the command line says of a model, for the requests of a page: see [`Wish::from_json`]. A page shows `flags` as they are.
pub fn given(set: &[(String, String)], init: &[(String, String)], settings: &RunSettings) -> Value {
    let until = settings.until.as_ref().and_then(|text| text.parse::<f64>().ok());
    let flags = RunSettings { until: None, ..settings.clone() }.flags();
    json!({ "set": set, "init": init, "until": until, "flags": flags, "run": words(settings) })
}

/// Settings by name, as flags have them.
fn words(settings: &RunSettings) -> Value {
    let said = Setting::ALL.into_iter().filter_map(|s| Some((s.name().to_owned(), json!(settings.words(s)?))));
    Value::Object(said.collect())
}

/// The settings that are given.
fn settings_of(given: &Value) -> Result<RunSettings, BadWish> {
    let mut settings = RunSettings::default();
    let Some(entries) = given["run"].as_object() else { return Ok(settings) };
    for (name, value) in entries {
        let malformed = |why: String| BadWish::Malformed(format!("`given.run.{name}`: {why}"));
        let setting = Setting::ALL.into_iter().find(|s| s.name() == name);
        let setting = setting.ok_or_else(|| malformed("there is no such setting".to_owned()))?;
        let words: Vec<String> =
            serde_json::from_value(value.clone()).map_err(|_| malformed("it is no list of texts".to_owned()))?;
        settings.put(setting, &words).map_err(|e| malformed(e.to_string()))?;
    }
    Ok(settings)
}

/// Both lists; of two entries with one name the second.
fn over(mut first: Vec<(String, String)>, second: Vec<(String, String)>) -> Vec<(String, String)> {
    first.retain(|(name, _)| second.iter().all(|(other, _)| other != name));
    first.extend(second);
    first
}

/// Pairs of a name and a formula.
fn formulas_of(given: &Value, key: &str) -> Result<Vec<(String, String)>, BadWish> {
    let malformed = || BadWish::Malformed(format!("`given.{key}` is no list of names with formulas"));
    match &given[key] {
        Value::Null => Ok(Vec::new()),
        list => serde_json::from_value(list.clone()).map_err(|_| malformed()),
    }
}

/// Numbers by name, as formulas.
fn numbers(request: &Map<String, Value>, key: &str) -> Result<Vec<(String, String)>, BadWish> {
    let entries = match request.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(entries)) => entries,
        Some(_) => return Err(BadWish::Malformed(format!("`{key}` is no object"))),
    };
    let number = |(name, x): (&String, &Value)| match x.as_f64().filter(|x| x.is_finite()) {
        Some(x) => Ok((name.clone(), x.to_string())),
        None => Err(BadWish::Malformed(format!("`{key}.{name}` is no number"))),
    };
    entries.iter().map(number).collect()
}

/// The quantity that a number is a component of, and which one: `Omega[3]` is (`Omega`, 3), `s[1]'` is (`s'`, 1).
fn component(name: &str) -> Option<(String, usize)> {
    let (stem, rest) = name.split_once('[')?;
    let (index, primes) = rest.split_once(']')?;
    let index = index.parse().ok().filter(|i| (1..=3).contains(i))?;
    primes.chars().all(|c| c == '\'').then(|| (format!("{stem}{primes}"), index))
}

/// Initial values by name.
type Formulas = Vec<(String, String)>;

/// Vectors by name.
type Vectors = Vec<(String, [f64; 3])>;

/// The model that was read last. A slider that moves one component asks for the same one again and again: to see where the others are.
#[derive(Debug, Default)]
pub(crate) struct LastRead(Option<(String, Model)>);

impl LastRead {
    fn model(&mut self, wish: &Wish, options: &ParseOptions) -> Result<&Model, Mistaken> {
        let key = json!([wish.file, wish.text, options.parameters, options.initial]).to_string();
        if self.0.as_ref().is_none_or(|(known, _)| *known != key) {
            self.0 = Some((key, Model::parse(&wish.file, &wish.text, options)?.0));
        }
        Ok(&self.0.as_ref().expect("it was read").1)
    }
}

/// The numbers of vectors by their names: `touching[1]`, ….
pub(super) fn components(vectors: &[(String, [f64; 3])]) -> Value {
    let one = |(stem, v): &(String, [f64; 3])| [0, 1, 2].map(|k| (component_of(stem, k + 1), json!(v[k])));
    Value::Object(vectors.iter().flat_map(one).collect())
}

/// `touching[1]`, `s[1]'`.
fn component_of(stem: &str, k: usize) -> String {
    let (plain, primes) = stem.split_at(stem.trim_end_matches('\'').len());
    format!("{plain}[{k}]{primes}")
}

/// The initial values as a model takes them: components of one vector together, those that are not wished as they are, or as they follow; and what these vectors are.
pub(super) fn formulas(
    wish: &Wish,
    options: &ParseOptions,
    read: &mut LastRead,
) -> Result<(Formulas, Vectors), Mistaken> {
    let mut placed = Vectors::new();
    let mut out: Vec<(String, String)> = Vec::new();
    let mut vectors: Vec<(String, [Option<String>; 3])> = Vec::new();
    for (name, formula) in &wish.start {
        match component(name) {
            None => out.push((name.clone(), formula.clone())),
            Some((stem, index)) => {
                let at = vectors.iter().position(|(s, _)| *s == stem).unwrap_or_else(|| {
                    vectors.push((stem, Default::default()));
                    vectors.len() - 1
                });
                vectors[at].1[index - 1] = Some(formula.clone());
            }
        }
    }
    if vectors.is_empty() {
        return Ok((out, placed));
    }
    let model = read.model(wish, &ParseOptions { initial: out.clone(), ..options.clone() })?;
    for (stem, wished) in vectors {
        // what was said of the whole vector is where the others stay
        let whole = out.iter().position(|(name, _)| *name == stem).map(|k| out.remove(k).1);
        let own = match (wished.iter().all(Option::is_some), whole) {
            (true, _) => None,
            (false, Some(text)) => evaluated(model, &text).and_then(|v| v.try_into().ok()),
            (false, None) => vector_at_start(model, &stem),
        };
        let parts: [String; 3] =
            std::array::from_fn(|k| wished[k].clone().unwrap_or_else(|| own.map_or(0.0, |v| v[k]).to_string()));
        let parts = match closed(model, &stem, &parts, wished.each_ref().map(Option::is_some)) {
            Some(point) => {
                placed.push((stem.clone(), point));
                point.map(|x| x.to_string())
            }
            None => parts,
        };
        out.push((stem, format!("[{}]", parts.join(", "))));
    }
    Ok((out, placed))
}

/// A point of contact that was moved, on its surface again; `None` for other vectors, and where nothing can follow.
fn closed(model: &Model, stem: &str, parts: &[String; 3], held: [bool; 3]) -> Option<[f64; 3]> {
    let start = given_starts(model).into_iter().find(|g| g.name == stem)?;
    let surface = closing::surface_of(model, &start)?;
    let [x, y, z] = parts.each_ref().map(|text| text.parse::<f64>().ok());
    closing::onto(&surface, [x?, y?, z?], held)
}

/// What a vector starts with: as the model file gives it, or as it comes out of that.
fn vector_at_start(model: &Model, stem: &str) -> Option<[f64; 3]> {
    if let Some(given) = given_starts(model).into_iter().find(|g| g.name == stem) {
        return given.values.try_into().ok();
    }
    let (mut system, _) = System::new(model).ok()?;
    let state = initial_state(&mut system, model).ok()??;
    let (plain, primes) = stem.split_at(stem.trim_end_matches('\'').len());
    let entry = |k: usize| {
        let symbol = system.graph.find_symbol(&format!("{plain}[{k}]{primes}"))?;
        state.values.get(&symbol).copied()
    };
    Some([entry(1)?, entry(2)?, entry(3)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn components_are_told_from_names() {
        assert_eq!(component("Omega[3]"), Some(("Omega".into(), 3)));
        assert_eq!(component("stone.Omega[1]"), Some(("stone.Omega".into(), 1)));
        assert_eq!(component("s[2]'"), Some(("s'".into(), 2)));
        assert_eq!(component("theta'"), None);
        assert_eq!(component("R[1,2]"), None);
        assert_eq!(component("x[9]"), None);
    }

    #[test]
    fn requests_are_read_with_care() {
        let wish = Wish::from_json(&json!({ "name": "rolling-disk", "set": { "r": 0.5 }, "until": 3 })).unwrap();
        assert_eq!((wish.short_name(), wish.settings.until.as_deref()), ("rolling-disk", Some("3")));
        assert_eq!(wish.set, [("r".to_owned(), "0.5".to_owned())]);
        let bad = |request: Value| Wish::from_json(&request).unwrap_err();
        assert_eq!(bad(json!({ "name": "nothing" })), BadWish::Unknown("nothing".into()));
        for request in [json!([]), json!({}), json!({ "text": 3 }), json!({ "name": "suslov", "set": { "a": "1" } })] {
            assert!(matches!(bad(request), BadWish::Malformed(_)));
        }
        assert!(matches!(bad(json!({ "name": "suslov", "until": "x" })), BadWish::Malformed(_)));
    }

    #[test]
    fn other_components_stay_as_they_are() {
        let text = builtin::find("rattleback").unwrap().text;
        let mut wish = Wish::new("rattleback.toml", text);
        wish.start = vec![("Omega[3]".into(), "4".into()), ("touching[1]".into(), "0.5".into())];
        let (found, placed) = formulas(&wish, &ParseOptions::default(), &mut LastRead::default()).unwrap();
        assert_eq!(found[0], ("Omega".to_owned(), "[0, 0, 4]".to_owned()));
        assert_eq!(found[1], ("touching".to_owned(), "[0.5, 0, 0]".to_owned()));
        assert_eq!(components(&placed), json!({ "touching[1]": 0.5, "touching[2]": 0.0, "touching[3]": 0.0 }));
    }

    #[test]
    fn a_point_of_contact_stays_on_its_surface() {
        let mut wish = Wish::new("bowl.toml", builtin::find("ball-in-paraboloid").unwrap().text);
        wish.start = vec![("touching[1]".into(), "0.6".into())];
        let (_, placed) = formulas(&wish, &ParseOptions::default(), &mut LastRead::default()).unwrap();
        let (name, [x, _, z]) = &placed[0];
        assert_eq!((name.as_str(), *x), ("touching", 0.6));
        assert!((z - 0.18).abs() < 1e-14, "z = {z}");
        assert!(crate::document::Warm::default().recorded_document(&wish).is_ok());
    }

    #[test]
    fn a_page_adds_its_numbers_to_what_is_given() {
        let request = json!({
            "name": "rattleback", "given": { "set": [["g", "9.81/2"]], "init": [["Omega", "[0, 1, -2*2]"]], "run": { "until": ["2"] } },
            "set": { "g": 3 }, "start": { "Omega[1]": 0.5 },
        });
        let wish = Wish::from_json(&request).unwrap();
        assert_eq!(
            (wish.settings.until.as_deref(), wish.set.clone()),
            (Some("2"), vec![("g".to_owned(), "3".to_owned())])
        );
        let (found, _) = formulas(&wish, &ParseOptions::default(), &mut LastRead::default()).unwrap();
        assert_eq!(found, [("Omega".to_owned(), "[0.5, 1, -4]".to_owned())]);
        let wrong = json!({ "name": "rattleback", "given": { "set": { "g": 1 } } });
        assert!(matches!(Wish::from_json(&wrong), Err(BadWish::Malformed(_))));
    }
}
