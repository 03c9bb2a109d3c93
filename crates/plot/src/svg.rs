//! Figures of panels as SVG.
//!
//! A [`Figure`] is a title and a list of [`Panel`]s of three kinds: curves over time, which share
//! their time axis; phase portraits; and tracks, which have one scale for both axes and marks at
//! start and end. Events are hairlines through all panels over time, marks are points in one panel.
//!
//! Conventions of the picture:
//! - the quantity stands above its axis, upright unit behind it in brackets; a common power of ten is
//!   part of the unit, a common offset is taken off the quantity: *E* − 1 (10⁻¹³ J);
//! - single letters are italic, `x_1`, `x1` and `R[1,3]` have subscripts, `'` is a prime;
//! - colours are those of Okabe and Ito, which people with any colour vision can tell apart; with
//!   more curves than colours lines are dashed;
//! - dark on white, and light on dark where the viewer prefers that.
//!
//! ```
//! use polhode_plot::svg::{Curve, Figure, Panel};
//!
//! let t: Vec<f64> = (0..100).map(|i| f64::from(i) / 10.0).collect();
//! let x: Vec<f64> = t.iter().map(|t| t.cos()).collect();
//! let mut figure = Figure::new("Pendulum");
//! figure.panels.push(Panel::time("θ", "rad", vec![Curve::of_columns("θ", &t, &x)]));
//! assert!(figure.svg().starts_with("<svg"));
//! ```

mod draw;
mod label;
mod layout;
pub mod map;
mod style;

/// A quantity and its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// What is shown: `θ`, `x_1'`, `energy`.
    pub label: String,
    /// Its unit, `rad/s`, `m/s^2`; empty if it has none.
    pub unit: String,
}

impl Axis {
    /// A quantity and its unit.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into() }
    }
}

impl From<(&str, &str)> for Axis {
    fn from((label, unit): (&str, &str)) -> Self {
        Self::new(label, unit)
    }
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// For the legend of a panel with several curves.
    pub name: String,
    /// In order; a point that is not finite is a gap.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// A line through points.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points }
    }

    /// A line through the points of two columns, as far as both go.
    pub fn of_columns(name: impl Into<String>, x: &[f64], y: &[f64]) -> Self {
        Self::new(name, x.iter().copied().zip(y.iter().copied()).collect())
    }
}

/// A point of a panel that means something.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where it is.
    pub x: f64,
    /// Where it is.
    pub y: f64,
    /// What it means; may be empty.
    pub label: String,
}

/// A moment that means something.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When it is.
    pub t: f64,
    /// What it means; may be empty.
    pub label: String,
}

/// What a panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Curves over time.
    Time,
    /// One quantity against another.
    Phase,
    /// A path in a plane.
    Track,
}

/// One coordinate system with curves in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it shows.
    pub kind: Kind,
    /// The horizontal axis; panels over time have that of the figure.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Points that mean something.
    pub marks: Vec<Mark>,
}

impl Panel {
    /// Curves over time.
    pub fn time(label: impl Into<String>, unit: impl Into<String>, curves: Vec<Curve>) -> Self {
        let (x, y) = (Axis::new("t", "s"), Axis::new(label, unit));
        Self { kind: Kind::Time, x, y, curves, marks: Vec::new() }
    }

    /// One quantity against another.
    pub fn phase(x: impl Into<Axis>, y: impl Into<Axis>, curves: Vec<Curve>) -> Self {
        Self { kind: Kind::Phase, x: x.into(), y: y.into(), curves, marks: Vec::new() }
    }

    /// A path in a plane.
    pub fn track(x: impl Into<Axis>, y: impl Into<Axis>, curves: Vec<Curve>) -> Self {
        Self { kind: Kind::Track, x: x.into(), y: y.into(), curves, marks: Vec::new() }
    }
}

/// Panels with a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// In large letters.
    pub title: String,
    /// In small letters below; may be empty.
    pub subtitle: String,
    /// The axis of the panels over time.
    pub time: Axis,
    /// The panels; those over time come first in the picture.
    pub panels: Vec<Panel>,
    /// Hairlines through the panels over time.
    pub events: Vec<Event>,
}

impl Figure {
    /// A figure without panels; time is *t* in seconds.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            time: Axis::new("t", "s"),
            panels: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The picture.
    pub fn svg(&self) -> String {
        draw::figure(self, &layout::Layout::new(self))
    }
}
