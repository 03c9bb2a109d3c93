//! Figures and maps as PNG: the SVG with all its letters, in pixels.
//!
//! ```text
//! SVG ─markup→ elements with their style ─outline, font→ polygons ─paint→ pixels ─png→ file
//! ```
//!
//! The picture has twice as many pixels as the SVG has units, or as many as are asked for, on white, in the light colours. Letters are those of Polhode Sans, a
//! subset of DejaVu Sans in `fonts/` that is part of the program. Fonts of the machine are not looked at, so the picture is the same on every machine.
//!
//! Not here: SVG that others have written. What figures and maps of this crate contain is read, and nothing else; of a figure that moves, the beginning is drawn.

mod font;
mod markup;
mod outline;
mod paint;

use crate::png;
use markup::{Element, Figure, Part};
use outline::{Line, Stroke};
use paint::{Colour, Page, Paint};
use std::collections::BTreeSet;
use std::fmt;

/// Pixels for each unit of the SVG.
pub const SCALE: f32 = 2.0;

/// Units of SVG to the metre: a unit is 1/96 inch. The density that is written into the file follows from it.
const TO_METRE: f64 = 96.0 / 0.0254;

/// Most pixels of a picture: with four bytes for each they are one gibibyte.
const MOST_PIXELS: f64 = (1u32 << 28) as f64;

/// A picture of pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// The file.
    pub png: Vec<u8>,
    /// Characters that the font does not have: a box stands for each.
    pub missing: Vec<char>,
}

/// There are so many pixels that the picture does not fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the picture is too large to be drawn in pixels")
    }
}

impl std::error::Error for TooLarge {}

/// A figure or a map of this crate, [`SCALE`] times as large.
///
/// ```
/// use polhode_plot::{raster, svg::Figure};
///
/// let raster = raster::of_svg(&Figure::new("Träge Masse").svg()).unwrap();
/// assert!(raster.png.starts_with(b"\x89PNG") && raster.missing.is_empty());
/// ```
///
/// # Panics
/// If the text is not an SVG of this crate.
pub fn of_svg(svg: &str) -> Result<Raster, TooLarge> {
    of_svg_at(svg, SCALE)
}

/// The same with so many pixels for each unit of the SVG.
///
/// # Panics
/// If the text is not an SVG of this crate.
pub fn of_svg_at(svg: &str, scale: f32) -> Result<Raster, TooLarge> {
    let figure = Figure::read(svg);
    let scale = f64::from(scale);
    let [width, height] = figure.size.map(|length| (length * scale).round());
    if !(width >= 1.0 && height >= 1.0 && width * height <= MOST_PIXELS) {
        return Err(TooLarge);
    }
    let mut canvas = Canvas {
        unit: scale * figure.unit,
        pages: vec![(Page::white(width as usize, height as usize), 1.0)],
        missing: BTreeSet::new(),
        figure: &figure,
    };
    figure.parts.iter().for_each(|part| canvas.draw(part));
    let (page, _) = canvas.pages.swap_remove(0);
    Ok(Raster {
        png: png::rgb(page.width, &page.rgb(), (scale * TO_METRE).round() as u32),
        missing: canvas.missing.into_iter().collect(),
    })
}

/// What is drawn on.
struct Canvas<'a> {
    figure: &'a Figure<'a>,
    /// Pixels for a unit of the view box.
    unit: f64,
    /// The page, and above it the groups that are open, with how much each covers.
    pages: Vec<(Page, f64)>,
    missing: BTreeSet<char>,
}

impl Canvas<'_> {
    fn draw(&mut self, part: &Part<'_>) {
        match part {
            Part::Element(element) => self.element(element),
            Part::Group(covers) => {
                let layer = Page::clear(self.pages[0].0.width, self.pages[0].0.height);
                self.pages.push((layer, *covers));
            }
            Part::GroupEnd => {
                if let Some((layer, covers)) = self.pages.pop() {
                    self.page().lay(&layer, covers);
                }
            }
        }
    }

    fn page(&mut self) -> &mut Page {
        let last = self.pages.len() - 1;
        &mut self.pages[last].0
    }

    fn element(&mut self, element: &Element<'_>) {
        let number = |name: &str| element.number(name) * self.unit;
        match element.name {
            "path" => {
                let lines = outline::path(element.attribute("d").unwrap_or_default(), self.unit);
                self.shape(element, &lines);
            }
            "rect" => {
                let [x, y, wide, high] = ["x", "y", "width", "height"].map(number);
                self.shape(element, &[outline::rectangle((x, y), (wide, high))]);
            }
            "circle" => {
                let [x, y, radius] = ["cx", "cy", "r"].map(number);
                self.shape(element, &[outline::circle((x, y), radius)]);
            }
            "image" => {
                let [x, y, wide, high] = ["x", "y", "width", "height"].map(number);
                let data = element.attribute("href").and_then(|h| h.strip_prefix("data:image/png;base64,"));
                if let Some(picture) = data.and_then(|data| png::read(&png::from_base64(data)?)) {
                    self.page().cells((x, y), (wide, high), &picture);
                }
            }
            "text" => self.text(element),
            _ => {}
        }
    }

    /// The area of lines, and the lines themselves.
    fn shape(&mut self, element: &Element<'_>, lines: &[Line]) {
        let paint = |name, default| self.paint(element, name, default, lines);
        let (fill, line) = (paint("fill", "#000"), paint("stroke", "none"));
        if let Some(fill) = fill {
            let areas: Vec<_> = lines.iter().map(|l| l.points.clone()).collect();
            self.page().fill(&areas, &fill);
        }
        if let Some(line) = line {
            let areas = outline::stroked(lines, &self.stroke(element));
            self.page().fill(&areas, &line);
        }
    }

    fn stroke(&self, element: &Element<'_>) -> Stroke {
        let is = |name, value| element.style(name) == Some(value);
        let dashes = element.style("stroke-dasharray").unwrap_or_default();
        // a pattern along the length of the whole path is there for its motion alone
        let dashes = if element.attribute("pathLength").is_some() { "" } else { dashes };
        Stroke {
            width: element.style("stroke-width").and_then(|w| w.parse().ok()).unwrap_or(1.0) * self.unit,
            round_ends: is("stroke-linecap", "round"),
            round_corners: is("stroke-linejoin", "round"),
            dashes: dashes.split(' ').filter_map(|d| d.parse().ok()).map(|d: f64| d * self.unit).collect(),
        }
    }

    /// The colour of an area or a line; `None` for none.
    fn paint(&self, element: &Element<'_>, name: &str, default: &str, lines: &[Line]) -> Option<Paint> {
        let value = match element.style(name).unwrap_or(default) {
            "currentColor" => element.style("color").unwrap_or("#000"),
            value => value,
        };
        let colour = match value.strip_prefix("url(#").and_then(|id| id.strip_suffix(')')) {
            Some(id) => {
                let gradient = self.figure.gradients.iter().find(|g| g.id == id)?;
                Colour::along(outline::bounds(lines), gradient.upright, gradient.stops.clone())
            }
            None => Colour::Plain(markup::colour(value)?),
        };
        let covers = element.style("opacity").and_then(|o| o.parse().ok()).unwrap_or(1.0);
        Some(Paint { colour, covers })
    }

    fn text(&mut self, element: &Element<'_>) {
        let at = ["x", "y"].map(|name| element.number(name) * self.unit);
        let spans = element.spans(self.unit);
        let anchor = match element.style("text-anchor") {
            Some("middle") => 0.5,
            Some("end") => 1.0,
            _ => 0.0,
        };
        let set = font::set(&spans, (at[0], at[1]), anchor);
        self.missing.extend(set.missing);
        // only halos have lines, and these are below the letters
        if let Some(halo) = self.paint(element, "stroke", "none", &[]) {
            let closed = set.areas.iter().map(|points| Line { points: points.clone(), closed: true });
            let areas = outline::stroked(&closed.collect::<Vec<_>>(), &self.stroke(element));
            self.page().fill(&areas, &halo);
        }
        if let Some(fill) = self.paint(element, "fill", "#000", &[]) {
            self.page().fill(&set.areas, &fill);
        }
    }
}
