//! Colours, fonts, lines and distances of figures, on a screen and on paper.
//!
//! Seven colours of Okabe and Ito [OkabeIto2008] without yellow, which is too light for lines on
//! white; lighter ones of the same hues on dark ground. Rules carry the class of the root element, so
//! that figures put into a web page leave the page alone.

use super::{FACE_EDGE, Look};

/// Curves beyond this number begin again at the first colour, dashed.
pub(super) const COLOURS: usize = 7;

/// Dash patterns of each round through the colours; the first is a full line.
pub(super) const DASHES: [&str; 4] = ["", "6 2.5", "1.5 2.5", "7 2.5 1.5 2.5"];

const LIGHT: [&str; COLOURS] = ["#0072b2", "#d55e00", "#009e73", "#b8588f", "#e69f00", "#46a6dc", "#555555"];
const DARK: [&str; COLOURS] = ["#4ba3dd", "#f2854a", "#35c79c", "#e39ac6", "#f3b73c", "#94d2f7", "#bbbbbb"];

/// Letters, lines and distances, in units of 1/96 inch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    pub(super) title: f64,
    pub(super) subtitle: f64,
    pub(super) label: f64,
    pub(super) tick: f64,
    pub(super) entry: f64,
    pub(super) note: f64,
    /// Space at the edges of the figure.
    pub(super) edge: f64,
    /// Between neighbouring cells.
    pub(super) gap: f64,
    /// Between rows.
    pub(super) row_gap: f64,
    /// From the box to the tick labels: the tick and some air.
    pub(super) tick_space: f64,
    /// Length of ticks, outside the box.
    pub(super) tick_length: f64,
    /// From the box down to the base line of its numbers, and of the quantity below them.
    pub(super) numbers_drop: f64,
    pub(super) label_drop: f64,
    /// A line with the quantity or with entries of the legend.
    pub(super) label_line: f64,
    /// A line with labels of events.
    pub(super) event_line: f64,
    /// Tick labels below a box.
    pub(super) numbers: f64,
    /// Tick labels below a box, and the quantity below them.
    pub(super) below: f64,
    /// Sample of a line in a legend, and its distances.
    pub(super) sample: f64,
    pub(super) sample_gap: f64,
    pub(super) entry_gap: f64,
    /// Length of the head of an arrow, and radius of a mark.
    pub(super) arrow: f64,
    pub(super) mark: f64,
    /// Height of the bar that says what colours mean.
    pub(super) bar: f64,
    /// Air between the numbers of an axis, and the room that each takes at least.
    pub(super) air: f64,
    pub(super) per_tick: f64,
    pub(super) per_tick_up: f64,
    /// Room for what the last number of an axis has beyond it, where the edge is too narrow for that.
    pub(super) overhang: f64,
}

/// On a screen.
pub(super) const SCREEN: Sizes = Sizes {
    title: 17.0,
    subtitle: 12.5,
    label: 13.0,
    tick: 11.0,
    entry: 12.0,
    note: 10.5,
    edge: 20.0,
    gap: 22.0,
    row_gap: 12.0,
    tick_space: 8.0,
    tick_length: 4.0,
    numbers_drop: 16.0,
    label_drop: 33.0,
    label_line: 20.0,
    event_line: 14.0,
    numbers: 20.0,
    below: 38.0,
    sample: 18.0,
    sample_gap: 5.0,
    entry_gap: 14.0,
    arrow: 8.0,
    mark: 3.2,
    bar: 9.0,
    air: 14.0,
    per_tick: 52.0,
    per_tick_up: 48.0,
    overhang: 0.0,
};

/// On paper: no letters below 7 points, which are 9⅓ units.
pub(super) const PAPER: Sizes = Sizes {
    title: 12.0,
    subtitle: 9.4,
    label: 10.7,
    tick: 9.4,
    entry: 9.4,
    note: 9.4,
    edge: 2.5,
    gap: 16.0,
    row_gap: 8.0,
    tick_space: 6.0,
    tick_length: 3.0,
    numbers_drop: 12.5,
    label_drop: 25.0,
    label_line: 16.0,
    event_line: 11.5,
    numbers: 15.0,
    below: 29.0,
    sample: 14.0,
    sample_gap: 3.5,
    entry_gap: 10.0,
    arrow: 6.5,
    mark: 2.4,
    bar: 6.5,
    air: 9.0,
    per_tick: 36.0,
    per_tick_up: 33.0,
    overhang: 7.0,
};

impl Sizes {
    /// Those of a look.
    pub(super) fn of(look: Look) -> &'static Sizes {
        match look {
            Look::Screen => &SCREEN,
            Look::Paper { .. } => &PAPER,
        }
    }
}

/// A rule for what is inside figures.
fn rule(selector: &str, body: &str) -> String {
    format!(".polhode {selector}{{{body}}}\n")
}

/// The content of the `style` element.
pub(super) fn sheet(look: Look) -> String {
    match look {
        Look::Screen => screen(),
        Look::Paper { .. } => paper(),
    }
}

/// Black on whatever the paper is, thin lines.
fn paper() -> String {
    let sizes = &PAPER;
    let mut css = String::new();
    let fonts = "Arial,'Helvetica Neue',Helvetica,'Liberation Sans',sans-serif";
    css += &rule("text", &format!("font:{}px {fonts};fill:#000", sizes.tick));
    css += &rule(".i", "font-style:italic");
    css += &rule(".title", &format!("font-size:{}px;font-weight:600", sizes.title));
    css += &rule(".label", &format!("font-size:{}px", sizes.label));
    css += &rule(".halo", "paint-order:stroke;stroke:#fff;stroke-width:2;stroke-linejoin:round");
    css += &rule(".zero,.polhode .axis,.polhode .event", "fill:none;stroke-width:.6");
    css += &rule(".zero", "stroke:#bbb");
    css += &rule(".axis", "stroke:#000");
    css += &rule(".event", "stroke:#666;stroke-dasharray:1.5 2");
    css += &rule(".curve", "fill:none;stroke-width:1;stroke-linejoin:round;stroke-linecap:round");
    css += &rule(".plain", "stroke:#000;stroke-linecap:butt");
    css += &rule(".dots", "fill:none;stroke-linecap:round");
    css += &space();
    css += &rule(".mark", "stroke-width:.8;fill:#000;stroke:#fff");
    css += &rule(".start", "stroke-width:1.1;fill:#fff");
    css + &colours(&LIGHT)
}

/// Dark on white, and light on dark where the viewer prefers that.
fn screen() -> String {
    let mut css = String::new();
    css += &rule(
        "text",
        "font:11px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Liberation Sans',Arial,sans-serif;fill:#222",
    );
    css += &rule(".i", "font-style:italic");
    css += &rule(".title", "font-size:17px;font-weight:600");
    css += &rule(".subtitle", "font-size:12.5px;fill:#666");
    css += &rule(".label", "font-size:13px");
    css += &rule(".entry", "font-size:12px");
    css += &rule(".tick,.polhode .note", "fill:#555");
    css += &rule(".note", "font-size:10.5px");
    css += &rule(".halo", "paint-order:stroke;stroke:#fff;stroke-width:3;stroke-linejoin:round");
    css += &rule(".ground", "fill:#fff");
    css += &rule(".grid,.polhode .zero,.polhode .axis,.polhode .event", "fill:none;stroke-width:1");
    css += &rule(".grid", "stroke:#ececec");
    css += &rule(".zero", "stroke:#cfcfcf");
    css += &rule(".axis", "stroke:#8a8a8a");
    css += &rule(".event", "stroke:#999;stroke-dasharray:2 3");
    css += &rule(".curve", "fill:none;stroke-width:1.4;stroke-linejoin:round;stroke-linecap:round");
    css += &rule(".plain", "stroke:#222;stroke-linecap:butt");
    css += &rule(".dots", "fill:none;stroke-linecap:round");
    css += &space();
    css += &rule(".mark", "stroke-width:1.2;fill:#222;stroke:#fff");
    css += &rule(".start", "stroke-width:1.6;fill:#fff");
    css += &colours(&LIGHT);
    css += "@media (prefers-color-scheme:dark){\n";
    css += &rule("text", "fill:#e4e4e4");
    css += &rule(".subtitle", "fill:#a0a0a0");
    css += &rule(".tick,.polhode .note", "fill:#b0b0b0");
    css += &rule(".halo", "stroke:#16181d");
    css += &rule(".ground", "fill:#16181d");
    css += &rule(".grid", "stroke:#2a2d34");
    css += &rule(".zero", "stroke:#464a53");
    css += &rule(".axis", "stroke:#80848c");
    css += &rule(".event", "stroke:#80848c");
    css += &rule(".plain", "stroke:#e4e4e4");
    css += &rule(".mark", "fill:#e4e4e4;stroke:#16181d");
    css += &rule(".start", "fill:#16181d");
    css += &colours(&DARK);
    css += "}\n";
    css
}

/// Faces and lines of panels in space.
fn space() -> String {
    let face = format!("fill:currentColor;stroke:currentColor;stroke-width:{FACE_EDGE}");
    rule(".s,.polhode .face", "stroke-linejoin:round;stroke-linecap:round") + &rule(".face", &face)
}

/// `cN` colours a line, `fN` an area.
fn colours(palette: &[&str; COLOURS]) -> String {
    let rule =
        |(i, colour): (usize, &&str)| format!(".polhode .c{i}{{stroke:{colour}}}.polhode .f{i}{{fill:{colour}}}\n");
    palette.iter().enumerate().map(rule).collect()
}
