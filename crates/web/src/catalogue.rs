//! The built-in models with their pictures.

use polhode::builtin;
use polhode::model::{Model, ParseOptions};
use serde_json::{Value, json};
use std::sync::OnceLock;

/// A small picture of a model.
#[derive(Clone, Copy, Debug)]
pub struct Picture {
    /// The model.
    pub name: &'static str,
    /// The kind of file.
    pub kind: &'static str,
    /// The file.
    pub bytes: &'static [u8],
}

/// All pictures of `assets/thumbnails/`.
const PICTURES: &[Picture] = include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// The picture of a model.
pub fn picture(name: &str) -> Option<Picture> {
    PICTURES.iter().copied().find(|p| p.name == name)
}

/// Names, titles, references and facts of all models, read once.
pub fn catalogue() -> &'static Value {
    static LIST: OnceLock<Value> = OnceLock::new();
    LIST.get_or_init(|| {
        let read = |b: &builtin::Builtin| Model::parse(b.name, b.text, &ParseOptions::default()).ok();
        let entry = |b: &builtin::Builtin| {
            let (model, _) = read(b)?;
            let picture = picture(b.name).map(|p| format!("picture/{}", p.name));
            Some(json!({
                "name": b.name, "title": model.title, "reference": model.reference, "fact": model.fact, "picture": picture,
            }))
        };
        builtin::ALL.iter().filter_map(entry).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_listed() {
        let list = catalogue().as_array().unwrap();
        assert_eq!(list.len(), builtin::ALL.len());
        assert!(list.iter().all(|m| !m["title"].as_str().unwrap().is_empty()));
    }
}
