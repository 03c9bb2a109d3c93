//! Pictures in files: SVG or PNG, by the ending of the name.

use crate::Refusal;
use crate::output::warn;
use polhode::plot::raster;
use std::path::Path;

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
        if self == Format::Svg {
            return Ok(svg.into_bytes());
        }
        let picture = raster::of_svg(&svg).map_err(|e| format!("error: {e}\n  = write an SVG\n"))?;
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
