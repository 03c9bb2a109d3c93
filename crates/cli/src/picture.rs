//! Pictures in files: SVG or PNG, by the ending of the name.

use crate::Refusal;
use crate::output::warn;
use polhode::plot::raster;
use polhode::plot::svg::Look;
use polhode::prelude::print;
use std::io::Write;
use std::path::Path;

/// Pixels for each unit of a figure on paper: 576 to the inch.
const PAPER: f32 = 6.0;

/// How a picture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Svg,
    Png,
}

impl Format {
    /// By the ending of the name; a name without one is an SVG. `option` is what the name was given to.
    pub(crate) fn of(option: &str, path: &Path) -> Result<Format, Refusal> {
        match path.extension().map(|e| e.to_string_lossy().to_lowercase()).as_deref() {
            None | Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            Some(_) => {
                let [svg, png] = ["svg", "png"].map(|ending| path.with_extension(ending).display().to_string());
                Err(Refusal::BadInput(format!(
                    "error: `{option} {}`: pictures are written as SVG or PNG\n  = write {option} {svg} or {option} {png}\n",
                    path.display(),
                )))
            }
        }
    }

    /// The content of the file, of a figure or map as SVG.
    pub(crate) fn bytes(self, svg: String) -> Result<Vec<u8>, Refusal> {
        self.bytes_for(svg, Look::Screen)
    }

    /// The same, on paper with as many pixels as printers want.
    pub(crate) fn bytes_for(self, svg: String, look: Look) -> Result<Vec<u8>, Refusal> {
        if self == Format::Svg {
            return Ok(svg.into_bytes());
        }
        let scale = if look == Look::Screen { raster::SCALE } else { PAPER };
        let picture = raster::of_svg_at(&svg, scale).map_err(|e| format!("error: {e}\n  = write an SVG\n"))?;
        if !picture.missing.is_empty() {
            let characters: Vec<String> = picture.missing.iter().map(|c| format!("`{c}`")).collect();
            warn(&format!(
                "warning: the letters of PNG pictures have no {}; boxes stand for them\n  = write an SVG\n",
                characters.join(", ")
            ));
        }
        Ok(picture.png)
    }
}

/// Writes a picture.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    crate::run::files::save(path, |file| file.write_all(bytes))
}

/// A formula as a reader writes it: names in Greek letters, with dots.
pub(crate) fn readable(formula: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
    let mut out = String::new();
    let mut rest = formula;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| part(c) != part(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // the names of functions stay as they are
        let named = part(first) && first.is_alphabetic() && !after.starts_with('(');
        out += &if named { print::unicode_name(word) } else { word.replace('*', "·").replace('-', "−") };
        rest = after;
    }
    out
}
