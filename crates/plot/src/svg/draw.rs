//! Figures as text: what [`super::layout`] has placed, written down.
//!
//! Coordinates have two decimals. Paths are relative after their first point; differences are those
//! of the rounded coordinates, so rounding does not add up.

use super::Figure;
use super::Kind;
use super::label::{Label, escape};
use super::layout::{
    EDGE, EVENT_LINE, Frame, LABEL_LINE, Layout, SAMPLE, SAMPLE_GAP, Slot, TICK_SPACE, entry, event_label, visible,
};
use super::style::{COLOURS, DASHES, SUBTITLE, TITLE, sheet};
use crate::simplify;
use std::fmt::Write;

/// Length of ticks, outside the box.
const TICK_LENGTH: f64 = 4.0;

/// The elements so far.
struct Page(String);

impl Page {
    fn element(&mut self, arguments: std::fmt::Arguments) {
        self.0.write_fmt(arguments).expect("a String takes everything");
        self.0.push('\n');
    }
}

macro_rules! put {
    ($page:expr, $($argument:tt)*) => { $page.element(format_args!($($argument)*)) };
}

/// The whole figure.
pub(super) fn figure(figure: &Figure, layout: &Layout) -> String {
    let mut page = Page(String::new());
    let (width, height) = (number(layout.width), number(layout.height));
    put!(
        page,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"polhode\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">"
    );
    put!(page, "<title>{}</title>", escape(&figure.title));
    put!(page, "<style>\n{}</style>", sheet());
    put!(page, "<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>");
    let mut y = EDGE;
    for (class, lines, size, leading) in
        [("title", &layout.title, TITLE, 1.3), ("subtitle", &layout.subtitle, SUBTITLE, 1.4)]
    {
        for line in lines {
            put!(
                page,
                "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
                number(EDGE),
                number(y + size),
                escape(line)
            );
            y += leading * size;
        }
    }
    for slot in &layout.slots {
        panel(&mut page, figure, slot);
    }
    page.0 += "</svg>\n";
    page.0
}

fn panel(page: &mut Page, figure: &Figure, slot: &Slot) {
    put!(page, "<g>");
    axes(page, slot);
    heading(page, slot);
    if slot.panel.kind == Kind::Time {
        events(page, figure, slot);
    }
    let Frame { x, y, width, height } = slot.frame;
    if slot.empty {
        let (x, y) = (number(x + width / 2.0), number(y + height / 2.0));
        put!(page, "<text class=\"note\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">no data</text>");
    }
    // The first curve comes last, on top of the others.
    for (i, curve) in slot.panel.curves.iter().enumerate().rev() {
        let data = path(&curve.points, slot);
        if !data.is_empty() {
            put!(page, "<path class=\"curve c{}\"{} d=\"{data}\"/>", i % COLOURS, dashes(i));
        }
    }
    if slot.panel.kind == Kind::Track {
        ends(page, slot);
    }
    marks(page, slot);
    put!(page, "</g>");
}

fn axes(page: &mut Page, slot: &Slot) {
    let f = slot.frame;
    let (left, right, top, bottom) = (number(f.x), number(f.right()), number(f.y), number(f.bottom()));
    let (mut grid, mut zero, mut axis) = (String::new(), String::new(), format!("M{left} {top}V{bottom}H{right}"));
    let mut labels = Page(String::new());
    for (value, text) in &slot.x.ticks.marks {
        let at = across(slot, *value);
        let x = number(at);
        // The edges of the box need no grid.
        if at > f.x + 0.5 && at < f.right() - 0.5 {
            grid += &format!("M{x} {top}V{bottom}");
        }
        if slot.numbers {
            axis += &format!("M{x} {bottom}v{}", number(TICK_LENGTH));
            let y = number(f.bottom() + TICK_LENGTH + 12.0);
            put!(labels, "<text class=\"tick\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escape(text));
        }
    }
    for (value, text) in &slot.y.ticks.marks {
        let at = up(slot, *value);
        let y = number(at);
        let line = if *value == 0.0 { &mut zero } else { &mut grid };
        *line += &format!("M{left} {y}H{right}");
        axis += &format!("M{left} {y}h{}", number(-TICK_LENGTH));
        let (x, y) = (number(f.x - TICK_SPACE + 1.0), number(at + 3.9));
        put!(labels, "<text class=\"tick\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{}</text>", escape(text));
    }
    for (class, data) in [("grid", grid), ("zero", zero), ("axis", axis)] {
        if !data.is_empty() {
            put!(page, "<path class=\"{class}\" d=\"{data}\"/>");
        }
    }
    page.0 += &labels.0;
    if let Some(label) = slot.below.as_ref().filter(|label| !label.is_empty()) {
        let (x, y) = (number(f.x + f.width / 2.0), number(f.bottom() + 33.0));
        put!(page, "<text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", label.markup());
    }
}

/// The quantity and the legend.
fn heading(page: &mut Page, slot: &Slot) {
    let f = slot.frame;
    let first = f.y - slot.event_lines as f64 * EVENT_LINE - (slot.lines - 1) as f64 * LABEL_LINE - 7.0;
    if !slot.title.is_empty() {
        let (x, y) = (number(f.x), number(first));
        put!(page, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", slot.title.markup());
    }
    for placed in &slot.legend {
        let y = first + placed.line as f64 * LABEL_LINE;
        let data = format!("M{} {}h{}", number(placed.x), number(y - 4.2), number(SAMPLE));
        put!(page, "<path class=\"curve c{}\"{} d=\"{data}\"/>", placed.item % COLOURS, dashes(placed.item));
        let text = entry(&slot.panel.curves[placed.item].name, f.width).markup();
        let x = number(placed.x + SAMPLE + SAMPLE_GAP);
        put!(page, "<text class=\"entry\" x=\"{x}\" y=\"{}\">{text}</text>", number(y));
    }
}

fn events(page: &mut Page, figure: &Figure, slot: &Slot) {
    let f = slot.frame;
    for (i, event) in figure.events.iter().enumerate() {
        if !visible(event.t, slot.x.range) {
            continue;
        }
        let placed = slot.events.iter().find(|placed| placed.item == i);
        // From its label down; the layout keeps other labels out of its way.
        let top = f.y - placed.map_or(0.0, |placed| placed.line as f64 * EVENT_LINE);
        let x = number(across(slot, event.t));
        let data = format!("M{x} {}V{}", number(top), number(f.bottom()));
        put!(page, "<path class=\"event\" d=\"{data}\"><title>{}</title></path>", escape(&event.label));
        if let Some(placed) = placed {
            let y = number(f.y - placed.line as f64 * EVENT_LINE - 4.0);
            let text = event_label(&event.label, f.width).markup();
            let x = number(placed.x);
            put!(page, "<text class=\"note\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{text}</text>");
        }
    }
}

/// A ring at the start of each track and a disk at its end.
fn ends(page: &mut Page, slot: &Slot) {
    for (i, curve) in slot.panel.curves.iter().enumerate() {
        let mut finite = curve.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
        let Some(&start) = finite.next() else { continue };
        let end = finite.next_back().copied().unwrap_or(start);
        let (colour, place) = (i % COLOURS, |p: (f64, f64)| (number(across(slot, p.0)), number(up(slot, p.1))));
        let (x, y) = place(end);
        put!(page, "<circle class=\"f{colour}\" cx=\"{x}\" cy=\"{y}\" r=\"3.6\"><title>end</title></circle>");
        let (x, y) = place(start);
        put!(page, "<circle class=\"start c{colour}\" cx=\"{x}\" cy=\"{y}\" r=\"3.4\"><title>start</title></circle>");
    }
}

fn marks(page: &mut Page, slot: &Slot) {
    let f = slot.frame;
    let mut taken: Vec<Frame> = Vec::new();
    for mark in slot.panel.marks.iter().filter(|m| m.x.is_finite() && m.y.is_finite()) {
        let (x, y) = (across(slot, mark.x), up(slot, mark.y));
        put!(page, "<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"3.2\"/>", number(x), number(y));
        let text = Label::symbol(&mark.label);
        if text.is_empty() {
            continue;
        }
        // To the right and above, unless that is outside or another label is there.
        let width = text.width(11.0);
        let places = [(6.0, -5.0), (-6.0, -5.0), (6.0, 13.0), (-6.0, 13.0)].map(|(dx, dy): (f64, f64)| {
            let left = if dx > 0.0 { x + dx } else { x + dx - width };
            (dx, dy, Frame { x: left, y: y + dy - 11.0, width, height: 13.0 })
        });
        let outside = |b: &Frame| b.right() > f.right() || b.x < f.x || b.y < f.y || b.bottom() > f.bottom();
        let apart = |b: &Frame, c: &Frame| b.right() < c.x || c.right() < b.x || b.bottom() < c.y || c.bottom() < b.y;
        let free = |b: &Frame| taken.iter().all(|c| apart(b, c));
        let inside = || places.iter().filter(|(.., b)| !outside(b));
        let chosen = inside().find(|(.., b)| free(b)).or_else(|| inside().next()).unwrap_or(&places[0]);
        let (dx, dy, place) = *chosen;
        taken.push(place);
        let anchor = if dx > 0.0 { "start" } else { "end" };
        let (x, y) = (number(x + dx), number(y + dy));
        put!(page, "<text class=\"halo\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>", text.markup());
    }
}

fn dashes(curve: usize) -> String {
    match DASHES[curve / COLOURS % DASHES.len()] {
        "" => String::new(),
        pattern => format!(" stroke-dasharray=\"{pattern}\""),
    }
}

fn across(slot: &Slot, x: f64) -> f64 {
    slot.frame.x + slot.x.range.fraction(x) * slot.frame.width
}

fn up(slot: &Slot, y: f64) -> f64 {
    slot.frame.bottom() - slot.y.range.fraction(y) * slot.frame.height
}

/// The data of a path through points, with as few of them as the picture needs.
fn path(points: &[(f64, f64)], slot: &Slot) -> String {
    let mut data = String::new();
    for run in points.split(|p| !(p.0.is_finite() && p.1.is_finite())).filter(|run| !run.is_empty()) {
        let run: Vec<(f64, f64)> = run.iter().map(|p| (across(slot, p.0), up(slot, p.1))).collect();
        let forwards = slot.panel.kind == Kind::Time && run.is_sorted_by(|p, q| p.0 <= q.0);
        let kept = if forwards { simplify::over_x(&run) } else { simplify::in_plane(&run) };
        let hundredths = |x: f64| (x * 100.0).round() as i64;
        let mut last = (hundredths(kept[0].0), hundredths(kept[0].1));
        data.push('M');
        coordinate(&mut data, last.0, false);
        coordinate(&mut data, last.1, true);
        data.push('l');
        let mut first = true;
        for p in &kept[1..] {
            let next = (hundredths(p.0), hundredths(p.1));
            if next == last {
                continue;
            }
            coordinate(&mut data, next.0 - last.0, !first);
            coordinate(&mut data, next.1 - last.1, true);
            (last, first) = (next, false);
        }
        if first {
            data += "0 0"; // a single point: its round ends are a dot
        }
    }
    data
}

/// Hundredths, as short as they can be; a sign separates as well as a blank.
fn coordinate(data: &mut String, hundredths: i64, separate: bool) {
    if separate && hundredths >= 0 {
        data.push(' ');
    }
    data.push_str(&decimal(hundredths).replacen("0.", ".", usize::from(hundredths.abs() < 100)));
}

fn number(x: f64) -> String {
    decimal((x * 100.0).round() as i64)
}

fn decimal(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, part) = (hundredths.abs() / 100, hundredths.abs() % 100);
    match part {
        0 => format!("{sign}{whole}"),
        part if part % 10 == 0 => format!("{sign}{whole}.{}", part / 10),
        part => format!("{sign}{whole}.{part:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::{Curve, Panel};

    #[test]
    fn coordinates_are_short() {
        for (x, text) in [(0.0, "0"), (-0.001, "0"), (1.5, "1.5"), (-0.07, "-0.07"), (12.345, "12.35"), (100.0, "100")]
        {
            assert_eq!(number(x), text);
        }
        let mut data = String::new();
        for hundredths in [5, -50, 0, 1000, -101] {
            coordinate(&mut data, hundredths, true);
        }
        assert_eq!(data, " .05-.5 0 10-1.01");
    }

    /// The points of path data, by the rules of SVG for `M` and `l`.
    fn decode(data: &str) -> Vec<Vec<(f64, f64)>> {
        let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
        for run in data.split('M').skip(1) {
            let (start, rest) = run.split_once('l').unwrap();
            let numbers = |text: &str| {
                let spaced = text.replace('-', " -");
                spaced.split_whitespace().map(|x| x.parse::<f64>().unwrap()).collect::<Vec<f64>>()
            };
            let start = numbers(start);
            let mut points = vec![(start[0], start[1])];
            for step in numbers(rest).chunks(2) {
                let last = points[points.len() - 1];
                points.push((last.0 + step[0], last.1 + step[1]));
            }
            runs.push(points);
        }
        runs
    }

    /// Every sample of every curve lies on the drawn path, to a tenth of a pixel.
    #[test]
    fn paths_go_where_the_data_is() {
        let t = || (0..=4000).map(|i| f64::from(i) / 400.0);
        let mut page = Figure::new("");
        let swing = t().map(|t| (t, (3.0 * t).sin() * (t - 4.0))).collect();
        page.panels.push(Panel::time("x", "", vec![Curve::new("x", swing)]));
        let loops = t().map(|t| (t.cos() + 0.3 * (5.0 * t).cos(), t.sin() - 0.3 * (5.0 * t).sin())).collect();
        page.panels.push(Panel::track(("x", ""), ("y", ""), vec![Curve::new("x", loops)]));
        let gaps = t().map(|t| (t, if t % 2.0 < 1.0 { t * t } else { f64::NAN })).collect();
        page.panels.push(Panel::time("x", "", vec![Curve::new("x", gaps)]));
        let layout = Layout::new(&page);
        for (slot, runs) in layout.slots.iter().zip([1, 6, 1]) {
            let points = &slot.panel.curves[0].points;
            let drawn = decode(&path(points, slot));
            assert_eq!(drawn.len(), runs);
            for p in points.iter().filter(|p| p.1.is_finite()) {
                let place = (across(slot, p.0), up(slot, p.1));
                let segments = drawn.iter().flat_map(|run| run.windows(2));
                let nearest = segments.map(|w| simplify::distance(place, w[0], w[1])).fold(f64::INFINITY, f64::min);
                assert!(nearest < 0.1, "{p:?} is {nearest} away");
            }
        }
    }

    /// The end of a closed track is where its start is.
    #[test]
    fn labels_of_marks_keep_out_of_each_others_way() {
        let mut page = Figure::new("");
        let mut panel = Panel::track(("x", ""), ("y", ""), vec![Curve::new("x", vec![(-1.0, -1.0), (1.0, 1.0)])]);
        let mark = |label: &str| crate::svg::Mark { x: 0.0, y: 0.0, label: label.into() };
        panel.marks = ["start", "end", "again", "more"].map(mark).to_vec();
        page.panels.push(panel);
        let svg = page.svg();
        let places = svg.lines().filter(|l| l.contains("\"halo\"")).map(|l| l.split_once('>').unwrap().0);
        let mut places: Vec<&str> = places.collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 4, "{places:?}");
    }

    #[test]
    fn tracks_have_one_scale_and_points_are_dots() {
        let mut page = Figure::new("");
        let points = vec![(0.0, 0.0), (3.0, 1.0), (f64::NAN, 0.0), (1.0, 1.0)];
        page.panels.push(Panel::track(("x", ""), ("y", ""), vec![Curve::new("x", points)]));
        let layout = Layout::new(&page);
        let slot = &layout.slots[0];
        let (x, y) = (across(slot, 1.0) - across(slot, 0.0), up(slot, 0.0) - up(slot, 1.0));
        assert!((x - y).abs() < 1e-2 * x, "{x} {y}");
        assert!(path(&slot.panel.curves[0].points, slot).ends_with("l0 0"));
    }
}
