//! Bars of colours: what the colours of curves and maps stand for.

use crate::colour::{self, Rgb};

/// Stops of a gradient.
const STOPS: u32 = 20;

/// A gradient that runs along a bar, from the smallest value on the left or below.
pub(super) fn gradient(id: &str, upright: bool, shade: impl Fn(f64) -> Rgb) -> String {
    let stop = |k: u32| {
        let u = f64::from(k) / f64::from(STOPS);
        format!("<stop offset=\"{u}\" stop-color=\"{}\"/>", colour::hex(shade(u)))
    };
    let stops: String = (0..=STOPS).map(stop).collect();
    let along = if upright { "x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"" } else { "x1=\"0\" y1=\"0\" x2=\"1\" y2=\"0\"" };
    format!("<linearGradient id=\"{id}\" {along}>{stops}</linearGradient>")
}
