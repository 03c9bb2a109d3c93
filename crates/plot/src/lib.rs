//! Plots as SVG, as PNG and as characters.
//!
//! | module | what it makes |
//! | --- | --- |
//! | [`braille`] | curves and tracks for a terminal, two by four dots in each character |
//! | [`svg`] | figures of panels: against time, phase portraits, tracks, with events |
//! | [`svg::map`] | maps: one quantity over two others, in colours |
//! | `raster` | figures and maps as PNG, with letters; the feature `png` |
//! | [`colour`], [`png`] | colours for numbers, and pictures of them |
//! | [`ticks`], [`range`], [`number`] | axes: round marks, ranges with a margin, short numbers |
//! | [`simplify`] | fewer points for the same picture |
//!
//! Data goes in, text or bytes come out: no files, no terminal, no clock. The same data gives the same text.
//! A point with a coordinate that is not finite is a gap in its curve.
//!
//! ```
//! use polhode_plot::braille::sparkline;
//!
//! let points: Vec<(f64, f64)> = (0..=200).map(|i| f64::from(i) / 20.0).map(|t| (t, t.sin())).collect();
//! assert_eq!(sparkline(&points, 20, 1), ["⠒⠉⠉⠉⠉⠒⠢⢄⣀⣀⣀⡠⠔⠊⠉⠉⠉⠉⠒⠤"]);
//! ```

pub mod braille;
pub mod colour;
pub mod number;
pub mod png;
pub mod range;
#[cfg(feature = "png")]
pub mod raster;
pub mod simplify;
pub mod svg;
pub mod ticks;
