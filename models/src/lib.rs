//! The models that come with Polhode: the `.toml` files of this folder.
//!
//! ```
//! let disk = polhode_models::find("rolling-disk").expect("built in");
//! assert!(disk.text.contains("[constraints]"));
//! ```

/// A model file that is part of the library.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name: that of the file without the ending.
    pub name: &'static str,
    /// The file itself.
    pub text: &'static str,
}

/// All built-in models, by name.
pub const ALL: &[Builtin] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The built-in model with this name.
pub fn find(name: &str) -> Option<Builtin> {
    ALL.iter().copied().find(|b| b.name == name)
}
