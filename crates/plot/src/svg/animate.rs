//! Figures that move, by SMIL: values at equal distances in time, with lines between them. No script, and no end.
//!
//! ```text
//! a track     its whole length pale, what has been gone through on top, a disk where it is now
//! a shape     the data of its path, one after the other
//! ```
//!
//! How much of a track has been gone through is a part of its length: `stroke-dashoffset` from 1 to 0 where `pathLength` is 1. A program that shows
//! no motion shows the whole track and the first place.

use super::draw::{decimal, number};
use std::fmt::Write;

/// Values per second of a track, and most of them.
const RATE: f64 = 20.0;
const TRACK_VALUES: usize = 400;

/// A point of the page.
type Point = (f64, f64);

/// The element that lets an attribute run through values.
fn run(attribute: &str, seconds: f64, values: &str) -> String {
    let seconds = number(seconds);
    format!(
        "<animate attributeName=\"{attribute}\" dur=\"{seconds}s\" repeatCount=\"indefinite\" values=\"{values}\"/>"
    )
}

/// Values joined as the attribute wants them.
fn list(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(";")
}

/// What moves of a track through points of the page: the part gone through with the data of the whole path, and the disk. `line` and `area` are the attributes of
/// their colours.
pub(super) fn track(points: &[Point], data: &str, (line, area): (&str, &str), radius: f64, seconds: f64) -> String {
    let mut length = vec![0.0];
    for w in points.windows(2) {
        let (dx, dy) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
        let last = length[length.len() - 1];
        length.push(last + (dx * dx + dy * dy).sqrt());
    }
    let whole = length[length.len() - 1];
    let count = ((seconds * RATE) as usize).clamp(2, TRACK_VALUES).min(points.len());
    let place = |k: usize| k * (points.len() - 1) / (count - 1).max(1);
    let mut out = format!("<path {line} opacity=\".25\" d=\"{data}\"/>\n");
    if whole > 0.0 {
        let left = |k: usize| decimal((1e4 * (1.0 - length[place(k)] / whole)).round() as i64, 4);
        let left = run("stroke-dashoffset", seconds, &list((0..count).map(left)));
        let _ = writeln!(out, "<path {line} pathLength=\"1\" stroke-dasharray=\"1 1\" d=\"{data}\">{left}</path>");
    }
    let (x, y) = points[0];
    let _ = writeln!(
        out,
        "<circle {area} cx=\"{}\" cy=\"{}\" r=\"{}\">{}{}</circle>",
        number(x),
        number(y),
        number(radius),
        run("cx", seconds, &list((0..count).map(|k| number(points[place(k)].0)))),
        run("cy", seconds, &list((0..count).map(|k| number(points[place(k)].1)))),
    );
    out
}

/// The motion of a path: its data at all times, the first one again at the end.
pub(super) fn path(frames: impl Iterator<Item = String>, seconds: f64) -> String {
    run("d", seconds, &list(frames))
}
