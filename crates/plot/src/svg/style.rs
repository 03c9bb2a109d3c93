//! Colours, fonts and lines of figures.
//!
//! Seven colours of Okabe and Ito [OkabeIto2008] without yellow, which is too light for lines on
//! white; lighter ones of the same hues on dark ground. Rules carry the class of the root element, so
//! that figures put into a web page leave the page alone.

/// Curves beyond this number begin again at the first colour, dashed.
pub(super) const COLOURS: usize = 7;

/// Dash patterns of each round through the colours; the first is a full line.
pub(super) const DASHES: [&str; 4] = ["", "6 2.5", "1.5 2.5", "7 2.5 1.5 2.5"];

const LIGHT: [&str; COLOURS] = ["#0072b2", "#d55e00", "#009e73", "#b8588f", "#e69f00", "#46a6dc", "#555555"];
const DARK: [&str; COLOURS] = ["#4ba3dd", "#f2854a", "#35c79c", "#e39ac6", "#f3b73c", "#94d2f7", "#bbbbbb"];

/// Sizes of letters.
pub(super) const TITLE: f64 = 17.0;
pub(super) const SUBTITLE: f64 = 12.5;
pub(super) const LABEL: f64 = 13.0;
pub(super) const TICK: f64 = 11.0;
pub(super) const ENTRY: f64 = 12.0;
pub(super) const NOTE: f64 = 10.5;

/// The content of the `style` element.
pub(super) fn sheet() -> String {
    let rule = |selector: &str, body: &str| format!(".polhode {selector}{{{body}}}\n");
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
    css += &rule(".mark", "fill:#e4e4e4;stroke:#16181d");
    css += &rule(".start", "fill:#16181d");
    css += &colours(&DARK);
    css += "}\n";
    css
}

/// `cN` colours a line, `fN` an area.
fn colours(palette: &[&str; COLOURS]) -> String {
    let rule =
        |(i, colour): (usize, &&str)| format!(".polhode .c{i}{{stroke:{colour}}}.polhode .f{i}{{fill:{colour}}}\n");
    palette.iter().enumerate().map(rule).collect()
}
