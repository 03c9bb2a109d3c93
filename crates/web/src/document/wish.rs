//! What is asked for: a model by its name or as a text, and numbers to change in it.
//!
//! A page changes initial values one number at a time, `Omega[3]`, where a model takes whole vectors, `Omega = [0, 0, -5]`. The other components
//! are those that the model would start with: [`formulas`] puts them together.

use super::Mistaken;
use super::numbers::given_starts;
use polhode::builtin;
use polhode::mechanics::{System, initial_state};
use polhode::model::{Model, ParseOptions};
use serde_json::{Map, Value};
use std::fmt;
use std::time::Instant;

/// Evenly spaced samples of a recorded motion.
const SAMPLES: usize = 601;

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
    /// Final time, if it is not that of the model.
    pub until: Option<f64>,
    /// How many samples are recorded.
    pub samples: usize,
    /// How many numbers are recorded at most: columns times samples, those at events not counted.
    pub most_numbers: usize,
    /// A run that is not done by then ends there.
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
            until: None,
            samples: SAMPLES,
            most_numbers: usize::MAX,
            deadline: None,
        }
    }

    /// From the request of a page: `{"name"}` or `{"text"}`, with `set`, `start` and `until`.
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
        wish.set = numbers(request, "set")?;
        wish.start = numbers(request, "start")?;
        wish.until = match request.get("until") {
            None | Some(Value::Null) => None,
            Some(t) => Some(t.as_f64().filter(|t| t.is_finite()).ok_or_else(|| malformed("`until` is no number"))?),
        };
        Ok(wish)
    }

    /// The name of the model: that of its file without folder and ending.
    pub fn short_name(&self) -> &str {
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file);
        file.strip_suffix(".toml").unwrap_or(file)
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
pub(super) fn component(name: &str) -> Option<(String, usize)> {
    let (stem, rest) = name.split_once('[')?;
    let (index, primes) = rest.split_once(']')?;
    let index = index.parse().ok().filter(|i| (1..=3).contains(i))?;
    primes.chars().all(|c| c == '\'').then(|| (format!("{stem}{primes}"), index))
}

/// The initial values as a model takes them: components of one vector together, those that are not wished as they are.
pub(super) fn formulas(wish: &Wish, options: &ParseOptions) -> Result<Vec<(String, String)>, Mistaken> {
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
        return Ok(out);
    }
    let (model, _) = Model::parse(&wish.file, &wish.text, options)?;
    for (stem, wished) in vectors {
        let own = if wished.iter().all(Option::is_some) { None } else { vector_at_start(&model, &stem) };
        let parts: Vec<String> =
            (0..3).map(|k| wished[k].clone().unwrap_or_else(|| own.map_or(0.0, |v| v[k]).to_string())).collect();
        out.push((stem, format!("[{}]", parts.join(", "))));
    }
    Ok(out)
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
        assert_eq!((wish.short_name(), wish.until), ("rolling-disk", Some(3.0)));
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
        let found = formulas(&wish, &ParseOptions::default()).unwrap();
        assert_eq!(found[0], ("Omega".to_owned(), "[0, 0, 4]".to_owned()));
        assert_eq!(found[1], ("touching".to_owned(), "[0.5, 0, 0]".to_owned()));
    }
}
