//! Figures of panels as SVG.
//!
//! A [`Figure`] is a title and a list of [`Panel`]s of four kinds: curves over time, which share
//! their time axis; phase portraits; tracks, which have one scale for both axes and marks at
//! start and end; and views of bodies in space, without axes. Events are hairlines through all panels over time, marks are points in one panel.
//! Curves of several motions are coloured by a value of each, with a bar above the panels that says what colours mean.
//!
//! A figure looks as on a screen or as in a journal ([`Look`]): as wide as a column there, black, without ground and grid. It may move: then tracks are drawn in time.
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

mod animate;
mod draw;
mod label;
mod layout;
pub mod map;
mod scale;
mod style;

use crate::colour::{self, Rgb};
use crate::range::{Extent, Range};

/// Where a figure is to be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Look {
    /// On a screen: on a ground, with a grid, in light or dark colours.
    #[default]
    Screen,
    /// In a journal: so many millimetres wide, black, without ground and grid, no letters below 7 points.
    Paper {
        /// Millimetres.
        width: f64,
    },
}

/// Units of a figure to the millimetre: 96 to the inch.
const TO_MILLIMETRE: f64 = 96.0 / 25.4;

impl Look {
    /// The width on paper in units of the figure, 1/96 inch.
    fn paper_width(self) -> Option<f64> {
        match self {
            Look::Screen => None,
            Look::Paper { width } => Some((width * TO_MILLIMETRE).clamp(100.0, 10_000.0)),
        }
    }
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trace {
    /// As a line.
    #[default]
    Line,
    /// As a line with arrow heads in the order of its points.
    Directed,
    /// As points that nothing connects.
    Dots,
}

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

/// A line through points, or points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// For the legend of a panel with several curves.
    pub name: String,
    /// In order; a point that is not finite is a gap.
    pub points: Vec<(f64, f64)>,
    /// What its colour stands for, where the figure has a key; otherwise curves are coloured in turn.
    pub value: Option<f64>,
    /// Which of [`Figure::dashes`] it belongs to, where there are any.
    pub dash: usize,
    /// How it is drawn.
    pub trace: Trace,
}

impl Curve {
    /// A line through points.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, value: None, dash: 0, trace: Trace::Line }
    }

    /// The same with a value that its colour stands for.
    pub fn of_value(mut self, value: Option<f64>) -> Self {
        self.value = value;
        self
    }

    /// The same with the dashes of one of [`Figure::dashes`].
    pub fn of_dash(mut self, dash: usize) -> Self {
        self.dash = dash;
        self
    }

    /// The same drawn in some way.
    pub fn drawn(mut self, trace: Trace) -> Self {
        self.trace = trace;
        self
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

/// Dash patterns that can be told apart, a full line among them.
pub const MOST_DASHES: usize = style::DASHES.len();

/// The width of the edges of a face that are to close the gaps between it and its neighbours.
pub const FACE_EDGE: f64 = 0.6;

/// A line or an area of a panel in space, where everything has its colour. Those that come later cover those before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// In order; a point that is not finite is a gap.
    pub points: Vec<(f64, f64)>,
    /// The colour of the area within.
    pub fill: Option<Rgb>,
    /// The colour of the line, and its width as a multiple of that of curves.
    pub line: Option<(Rgb, f64)>,
    /// Whether the line is dashed: what is hidden.
    pub dashed: bool,
    /// For what is seen through: how much of what is behind it is covered. Those that follow each other with the same number are one layer, which does not cover
    /// itself.
    pub glass: Option<f64>,
    /// Where the points are later, at equal distances in time: for figures that move. Each has as many as there are points.
    pub frames: Vec<Vec<(f64, f64)>>,
}

impl Shape {
    /// Whether it is an area whose edges have its colour: there are many of them.
    fn is_face(&self) -> bool {
        self.frames.is_empty() && self.fill.is_some() && self.line == self.fill.map(|colour| (colour, FACE_EDGE))
    }
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
    /// Bodies in space, as they are seen: shapes with one scale, without axes.
    Space,
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
    /// Lines and areas below the curves.
    pub shapes: Vec<Shape>,
    /// What part of the plane is seen, where that is not what there is in it: panels with the same one have the same scale.
    pub window: Option<(Extent, Extent)>,
}

impl Panel {
    /// Curves over time.
    pub fn time(label: impl Into<String>, unit: impl Into<String>, curves: Vec<Curve>) -> Self {
        let (x, y) = (Axis::new("t", "s"), Axis::new(label, unit));
        Self::new(Kind::Time, x, y, curves)
    }

    /// One quantity against another.
    pub fn phase(x: impl Into<Axis>, y: impl Into<Axis>, curves: Vec<Curve>) -> Self {
        Self::new(Kind::Phase, x.into(), y.into(), curves)
    }

    /// A path in a plane.
    pub fn track(x: impl Into<Axis>, y: impl Into<Axis>, curves: Vec<Curve>) -> Self {
        Self::new(Kind::Track, x.into(), y.into(), curves)
    }

    /// Bodies in space, with a title.
    pub fn space(title: impl Into<String>, shapes: Vec<Shape>) -> Self {
        let y = Axis::new(title, "");
        Self { shapes, ..Self::new(Kind::Space, Axis::new("", ""), y, Vec::new()) }
    }

    fn new(kind: Kind, x: Axis, y: Axis, curves: Vec<Curve>) -> Self {
        Self { kind, x, y, curves, marks: Vec::new(), shapes: Vec::new(), window: None }
    }

    /// Lets panels show the same part of the plane: all that is in any of them.
    pub fn share_window(panels: &mut [Panel]) {
        let around = |a: Extent, b: Extent| Extent { min: a.min.min(b.min), max: a.max.max(b.max) };
        let extents = panels.iter().filter_map(layout::extents);
        let window = extents.reduce(|a, b| (around(a.0, b.0), around(a.1, b.1)));
        panels.iter_mut().for_each(|panel| panel.window = window);
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
    /// What the colours of curves with values stand for.
    pub key: Option<Axis>,
    /// Whether the key is logarithmic; its values have one sign.
    pub key_is_log: bool,
    /// What the dashes of curves with values stand for, one for each pattern; up to [`MOST_DASHES`].
    pub dashes: Vec<String>,
    /// What else is to be said about the curves, in one line below the key; may be empty.
    pub note: String,
    /// Where it is to be seen.
    pub look: Look,
    /// For a figure that moves: after so many seconds it begins again. The points of its tracks lie at equal distances in time.
    pub loop_seconds: Option<f64>,
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
            key: None,
            key_is_log: false,
            dashes: Vec::new(),
            note: String::new(),
            look: Look::Screen,
            loop_seconds: None,
        }
    }

    /// The range of the values that colours stand for.
    fn key_range(&self) -> Option<Range> {
        self.key.as_ref()?;
        let values = self.panels.iter().flat_map(|p| &p.curves).filter_map(|c| c.value);
        Extent::of(values.map(|x| self.key_place(x))).map(Extent::tight)
    }

    /// Where a value is along the key: it, or its logarithm, which grows with it where values are negative as well.
    fn key_place(&self, value: f64) -> f64 {
        if self.key_is_log { value.signum() * value.abs().log10() } else { value }
    }

    /// The colour at a place between the smallest and the largest value: without the lightest ones, which are not seen as lines on white.
    fn shade(fraction: f64) -> Rgb {
        colour::sequential(0.9 * fraction.clamp(0.0, 1.0))
    }

    /// The picture.
    pub fn svg(&self) -> String {
        draw::figure(self, &layout::Layout::new(self))
    }
}
