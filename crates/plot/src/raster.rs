//! Figures and maps as PNG: the SVG with all its letters, in pixels.
//!
//! The picture has twice as many pixels as the SVG has units, or as many as are asked for, on white, in the light colours. Letters are those of Polhode Sans, a subset of DejaVu Sans in `fonts/` which is part of
//! the program; fonts of the machine are not looked at, so the picture does not depend on them.
//!
//! What `resvg` reads otherwise than a browser, and what is done about it, all of it here:
//! - it skips `@media`, which leaves the light colours;
//! - families of fonts are whatever the machine has: `faces` looks at slant and weight alone;
//! - without decoders of pictures, most of which nobody needs here, it leaves out the cells of a map: `cells` draws them, on the ground and
//!   below everything else, as maps have them. The white ground of the SVG would hide them and is left out.
//!
//! Not here: SVG that others have written.

use crate::png;
use resvg::tiny_skia::{Color, FilterQuality, Pixmap, PixmapPaint, Transform};
use resvg::usvg::fontdb::{Database, ID};
use resvg::usvg::{Error, FontResolver, FontStyle, Group, ImageKind, Node, Options, Tree};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Pixels for each unit of the SVG.
pub const SCALE: f32 = 2.0;

/// Units of SVG to the metre: a unit is 1/96 inch. The density that is written into the file follows from it.
const TO_METRE: f64 = 96.0 / 0.0254;

/// Letters at least this heavy are bold.
const BOLD: u16 = 600;

/// The ground is drawn here, below the cells. One class more than the rule of the figure, which comes later.
const NO_GROUND: &str = "svg.polhode rect.ground{fill:none}";

/// A picture of pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// The file.
    pub png: Vec<u8>,
    /// Characters that the font has not: a box stands for each.
    pub missing: Vec<char>,
}

/// There are more than a million lines, dots and letters, or so many that the picture does not fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the picture has too many parts to be drawn in pixels")
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
/// If the text is no SVG of this crate.
pub fn of_svg(svg: &str) -> Result<Raster, TooLarge> {
    of_svg_at(svg, SCALE)
}

/// The same with so many pixels for each unit of the SVG.
///
/// # Panics
/// If the text is no SVG of this crate.
pub fn of_svg_at(svg: &str, scale: f32) -> Result<Raster, TooLarge> {
    let mut fonts = Database::new();
    let options = Options {
        font_resolver: faces(&mut fonts),
        fontdb: Arc::new(fonts),
        style_sheet: Some(NO_GROUND.into()),
        ..Options::default()
    };
    let tree = match Tree::from_str(svg, &options) {
        Ok(tree) => tree,
        Err(Error::ElementsLimitReached) => return Err(TooLarge),
        Err(error) => panic!("figures are SVG, but: {error}"),
    };
    let pixels = |length: f32| (length * scale).round() as u32;
    let mut page = Pixmap::new(pixels(tree.size().width()), pixels(tree.size().height())).ok_or(TooLarge)?;
    page.fill(Color::WHITE);
    let enlarged = Transform::from_scale(scale, scale);
    cells(tree.root(), enlarged, &mut page);
    resvg::render(&tree, enlarged, &mut page.as_mut());
    let mut missing = BTreeSet::new();
    find_missing(tree.root(), &mut missing);
    let encoded = page.encode_png().expect("pixels in memory can be written");
    Ok(Raster {
        png: png::with_density(&encoded, (f64::from(scale) * TO_METRE).round() as u32),
        missing: missing.into_iter().collect(),
    })
}

/// Loads the faces, and chooses between them: by slant and weight, and what a face has not from the upright one.
fn faces(fonts: &mut Database) -> FontResolver<'static> {
    let mut load = |data: &'static [u8]| fonts.load_font_source(resvg::usvg::fontdb::Source::Binary(Arc::new(data)))[0];
    let upright: ID = load(include_bytes!("../fonts/polhode-sans.ttf"));
    let oblique: ID = load(include_bytes!("../fonts/polhode-sans-oblique.ttf"));
    let bold: ID = load(include_bytes!("../fonts/polhode-sans-bold.ttf"));
    FontResolver {
        select_font: Box::new(move |font, _| {
            Some(match font.style() {
                FontStyle::Normal if font.weight() >= BOLD => bold,
                FontStyle::Normal => upright,
                FontStyle::Italic | FontStyle::Oblique => oblique,
            })
        }),
        // A whole line goes to this face if it has all of it: brackets and digits, which are never italic, shall not take the letters with them.
        select_fallback: Box::new(move |c, used, _| {
            let wanted = used[0] != oblique || c.is_alphabetic();
            (wanted && !used.contains(&upright)).then_some(upright)
        }),
    }
}

/// The pictures within the figure, each pixel with sharp edges.
fn cells(group: &Group, scale: Transform, page: &mut Pixmap) {
    let sharp = PixmapPaint { quality: FilterQuality::Nearest, ..PixmapPaint::default() };
    for node in group.children() {
        match node {
            Node::Group(group) => cells(group, scale, page),
            Node::Image(image) => {
                let ImageKind::PNG(data) = image.kind() else { continue };
                let picture = Pixmap::decode_png(data).expect("cells are a PNG");
                page.draw_pixmap(0, 0, picture.as_ref(), &sharp, scale.pre_concat(image.abs_transform()), None);
            }
            Node::Path(_) | Node::Text(_) => {}
        }
    }
}

/// Glyph 0 of a font is the box for what it has not.
fn find_missing(group: &Group, missing: &mut BTreeSet<char>) {
    for node in group.children() {
        match node {
            Node::Group(group) => find_missing(group, missing),
            Node::Text(text) => {
                let glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
                missing.extend(glyphs.filter(|g| g.id.0 == 0).flat_map(|g| g.text.chars()));
            }
            Node::Path(_) | Node::Image(_) => {}
        }
    }
}
