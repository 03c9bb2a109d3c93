//! Figures as text: what [`super::layout`] has placed, written down.
//!
//! Coordinates have two decimals. Paths are relative after their first point; differences are those
//! of the rounded coordinates, so rounding does not add up.

use super::label::{Label, escape};
use super::layout::{Bar, Frame, LONG_SAMPLE, Layout, Slot, entry, event_label, visible};
use super::scale::gradient;
use super::style::{COLOURS, DASHES, Sizes, sheet};
use super::{Curve, Figure, Kind, Look, Shape, TO_MILLIMETRE, Trace, animate};
use crate::colour;
use crate::simplify;
use std::fmt::Write;

/// Where the first arrow head of a curve is, and the distance of the second one from it: in widths and heights of the curve.
const ARROWS: [f64; 2] = [0.35, 0.8];

/// Points of a curve that labels of marks keep away from.
const MOST_LOOKED_AT: usize = 2000;

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

/// The beginning of a file: its size, its title for programs, its colours and fonts, the ground, and the lines of title and subtitle.
pub(super) fn head(
    title: &str,
    look: Look,
    (width, height): (f64, f64),
    lines: [&[String]; 2],
    sizes: &Sizes,
) -> String {
    let mut page = Page(String::new());
    let on_page = |length: f64| match look {
        Look::Screen => number(length),
        Look::Paper { .. } => format!("{}mm", number(length / TO_MILLIMETRE)),
    };
    put!(
        page,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"polhode\" width=\"{}\" height=\"{}\" \
         viewBox=\"0 0 {} {}\" role=\"img\">",
        on_page(width),
        on_page(height),
        number(width),
        number(height)
    );
    put!(page, "<title>{}</title>", escape(title));
    put!(page, "<style>\n{}</style>", sheet(look));
    if look == Look::Screen {
        put!(page, "<rect class=\"ground\" width=\"{}\" height=\"{}\"/>", number(width), number(height));
    }
    let mut y = sizes.edge;
    for (class, lines, size, leading) in
        [("title", lines[0], sizes.title, 1.3), ("subtitle", lines[1], sizes.subtitle, 1.4)]
    {
        for line in lines {
            let (x, base) = (number(sizes.edge), number(y + size));
            put!(page, "<text class=\"{class}\" x=\"{x}\" y=\"{base}\">{}</text>", escape(line));
            y += leading * size;
        }
    }
    page.0
}

/// The whole figure.
pub(super) fn figure(figure: &Figure, layout: &Layout) -> String {
    let sizes = &layout.sizes;
    let size = (layout.width, layout.height);
    let mut page = Page(head(&figure.title, figure.look, size, [&layout.title, &layout.subtitle], sizes));
    if let Some(bar) = &layout.bar {
        key(&mut page, bar, sizes);
    }
    for placed in &layout.dashes {
        let y = layout.dashes_top + (placed.line + 1) as f64 * sizes.label_line - 0.35 * sizes.label_line;
        let pattern = pattern(placed.item);
        let data =
            format!("M{} {}h{}", number(placed.x), number(y - 0.35 * sizes.entry), number(LONG_SAMPLE * sizes.sample));
        put!(page, "<path class=\"curve plain\"{pattern} d=\"{data}\"/>");
        let x = number(placed.x + LONG_SAMPLE * sizes.sample + sizes.sample_gap);
        let text = Label::symbol(&figure.dashes[placed.item]).markup();
        put!(page, "<text class=\"entry\" x=\"{x}\" y=\"{}\">{text}</text>", number(y));
    }
    if let Some((x, y)) = layout.note {
        put!(
            page,
            "<text class=\"entry\" x=\"{}\" y=\"{}\">{}</text>",
            number(x),
            number(y),
            Label::symbol(&figure.note).markup()
        );
    }
    for slot in &layout.slots {
        panel(&mut page, figure, slot, sizes);
    }
    page.0 += "</svg>\n";
    page.0
}

/// The bar of colours.
fn key(page: &mut Page, bar: &Bar, sizes: &Sizes) {
    let Frame { x, y, width, height } = bar.frame;
    put!(page, "{}", gradient("polhode-key", false, Figure::shade));
    put!(
        page,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#polhode-key)\"/>",
        number(x),
        number(y),
        number(width),
        number(height)
    );
    let mut axis = format!("M{} {}h{}v{}h{}z", number(x), number(y), number(width), number(height), number(-width));
    for (value, text) in &bar.marks {
        let x = number(x + width * bar.range.fraction(*value));
        axis += &format!("M{x} {}v{}", number(bar.frame.bottom()), number(sizes.tick_length));
        let y = number(bar.frame.bottom() + sizes.numbers_drop);
        put!(page, "<text class=\"tick\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escape(text));
    }
    put!(page, "<path class=\"axis\" d=\"{axis}\"/>");
    let (x, y) = (number(x - 0.7 * sizes.entry_gap), number(y + height / 2.0 + 0.35 * sizes.label));
    put!(page, "<text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{}</text>", bar.label.markup());
}

fn panel(page: &mut Page, figure: &Figure, slot: &Slot, sizes: &Sizes) {
    put!(page, "<g>");
    if slot.panel.kind != Kind::Space {
        axes(page, figure, slot, sizes);
    }
    heading(page, slot, sizes);
    if slot.panel.kind == Kind::Time {
        events(page, figure, slot, sizes);
    }
    let Frame { x, y, width, height } = slot.frame;
    if slot.empty {
        let (x, y) = (number(x + width / 2.0), number(y + height / 2.0));
        put!(page, "<text class=\"note\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">no data</text>");
    }
    for layer in slot.panel.shapes.chunk_by(|a, b| a.glass == b.glass) {
        if let Some(covers) = layer[0].glass {
            put!(page, "<g opacity=\"{}\">", number(covers));
        }
        for same in layer.chunk_by(|a, b| a.is_face() && b.is_face() && a.fill == b.fill) {
            shapes(page, figure, same, slot);
        }
        if layer[0].glass.is_some() {
            put!(page, "</g>");
        }
    }
    // The first curve comes last, on top of the others.
    for (i, curve) in slot.panel.curves.iter().enumerate().rev() {
        draw_curve(page, figure, slot, sizes, (i, curve));
    }
    if slot.panel.kind == Kind::Track && figure.loop_seconds.is_none() {
        ends(page, figure, slot, sizes);
    }
    marks(page, slot, sizes);
    put!(page, "</g>");
}

/// The attributes that colour the line of a curve, and what belongs to it and has an area.
fn paint(figure: &Figure, i: usize, curve: &Curve) -> (String, String) {
    match curve.value.zip(figure.key_range()) {
        Some((value, range)) => {
            let colour = colour::hex(Figure::shade(range.fraction(figure.key_place(value))));
            (format!("stroke=\"{colour}\""), format!("fill=\"{colour}\""))
        }
        None => (format!("class=\"c{}\"", i % COLOURS), format!("class=\"f{}\"", i % COLOURS)),
    }
}

/// Several classes in one attribute.
fn with_class(class: &str, paint: &str) -> String {
    match paint.strip_prefix("class=\"") {
        Some(own) => format!("class=\"{class} {own}"),
        None => format!("class=\"{class}\" {paint}"),
    }
}

fn draw_curve(page: &mut Page, figure: &Figure, slot: &Slot, sizes: &Sizes, (i, curve): (usize, &Curve)) {
    let (line, area) = paint(figure, i, curve);
    if curve.trace == Trace::Dots {
        let data = dots(&curve.points, slot);
        if !data.is_empty() {
            let count: usize = slot.panel.curves.iter().map(|c| c.points.len()).sum();
            let style = format!("style=\"stroke-width:{}\"", number(dot_size(count) * sizes.mark));
            put!(page, "<path {} {style} d=\"{data}\"/>", with_class("dots", &line));
        }
        return;
    }
    let data = path(&curve.points, slot);
    if data.is_empty() {
        return;
    }
    let points: Vec<(f64, f64)> =
        super::layout::finite(&curve.points).map(|p| (across(slot, p.0), up(slot, p.1))).collect();
    match figure.loop_seconds.filter(|_| slot.panel.kind == Kind::Track) {
        Some(seconds) => {
            let line = with_class("curve", &line);
            page.0 += &animate::track(&points, &data, (&line, &area), 1.3 * sizes.mark, seconds);
        }
        None => put!(page, "<path {}{} d=\"{data}\"/>", with_class("curve", &line), dashes(i, curve)),
    }
    if curve.trace == Trace::Directed {
        for head in arrows(&points, sizes.arrow) {
            put!(page, "<path {area} d=\"{head}\"/>");
        }
    }
}

/// Arrow heads on a curve: not more than two, so that a curve that goes round many times is not covered with them.
fn arrows(points: &[(f64, f64)], size: f64) -> Vec<String> {
    let extent = |values: &dyn Fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(values);
        all.clone().fold(f64::NEG_INFINITY, f64::max) - all.fold(f64::INFINITY, f64::min)
    };
    let around = extent(&|p| p.0) + extent(&|p| p.1);
    let step = |w: &[(f64, f64)]| {
        let (dx, dy) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
        (dx, dy, (dx * dx + dy * dy).sqrt())
    };
    let whole: f64 = points.windows(2).map(|w| step(w).2).sum();
    if whole < 3.0 * size {
        return Vec::new();
    }
    let first = (ARROWS[0] * around).min(whole / 2.0);
    let mut places = vec![first];
    places.extend(Some(first + ARROWS[1] * around).filter(|s| *s < whole - size));
    let (mut heads, mut gone) = (Vec::new(), 0.0);
    for w in points.windows(2) {
        let (dx, dy, length) = step(w);
        while let Some(s) = places.first().copied().filter(|s| *s <= gone + length && length > 0.0) {
            places.remove(0);
            let (ux, uy, part) = (dx / length, dy / length, (s - gone) / length);
            let (x, y) = (w[0].0 + part * dx, w[0].1 + part * dy);
            let at = |along: f64, beside: f64| {
                let (along, beside) = (along * size, beside * size);
                format!("{} {}", number(x + along * ux - beside * uy), number(y + along * uy + beside * ux))
            };
            heads.push(format!("M{}L{}L{}L{}Z", at(0.5, 0.0), at(-0.5, 0.36), at(-0.3, 0.0), at(-0.5, -0.36)));
        }
        gone += length;
    }
    heads
}

/// The diameter of each of so many dots, in radii of a mark: many are small, a few are not to be overlooked.
fn dot_size(count: usize) -> f64 {
    match count {
        0..300 => 1.1,
        300..3000 => 0.75,
        _ => 0.5,
    }
}

/// Points as lines without length, whose round ends are dots. Those that fall on the same tenth of a unit are one.
fn dots(points: &[(f64, f64)], slot: &Slot) -> String {
    let tenth = |x: f64| (x * 10.0).round() as i64;
    let mut places: Vec<(i64, i64)> =
        super::layout::finite(points).map(|p| (tenth(across(slot, p.0)), tenth(up(slot, p.1)))).collect();
    places.sort_unstable();
    places.dedup();
    places.iter().map(|(x, y)| format!("M{} {}h0", decimal(*x, 1), decimal(*y, 1))).collect()
}

/// A line or an area of a panel in space, or several faces of one colour.
fn shapes(page: &mut Page, figure: &Figure, all: &[Shape], slot: &Slot) {
    let shape = &all[0];
    let place = |p: &(f64, f64)| (across(slot, p.0), up(slot, p.1));
    let closed = if shape.fill.is_some() { "z" } else { "" };
    let fill = shape.fill.map_or("none".to_owned(), colour::hex);
    let paint = match shape.line {
        _ if shape.is_face() => format!("class=\"face\" color=\"{fill}\""),
        Some((colour, width)) => {
            let (colour, width) = (colour::hex(colour), number(width));
            let dashes = if shape.dashed { " stroke-dasharray=\"1.6 3\"" } else { "" };
            format!("class=\"s\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}")
        }
        None => format!("fill=\"{fill}\""),
    };
    match figure.loop_seconds.filter(|_| !shape.frames.is_empty()) {
        None => {
            // a face has few points, and all of them are corners
            let data = |shape: &Shape| match shape.fill {
                Some(_) => steps(super::layout::finite(&shape.points).map(|p| place(&p)), 10.0),
                None => path(&shape.points, slot),
            };
            let data: Vec<String> = all.iter().map(data).filter(|d| !d.is_empty()).collect();
            if !data.is_empty() {
                put!(page, "<path {paint} d=\"{}{closed}\"/>", data.join(closed));
            }
        }
        Some(seconds) => {
            let frames = || shape.frames.iter().map(|f| steps(f.iter().map(place), 10.0) + closed);
            let (first, motion) = (frames().next().unwrap_or_default(), animate::path(frames(), seconds));
            put!(page, "<path {paint} d=\"{first}\">{motion}</path>");
        }
    }
}

fn axes(page: &mut Page, figure: &Figure, slot: &Slot, sizes: &Sizes) {
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
            axis += &format!("M{x} {bottom}v{}", number(sizes.tick_length));
            let y = number(f.bottom() + sizes.numbers_drop);
            put!(labels, "<text class=\"tick\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escape(text));
        }
    }
    for (value, text) in &slot.y.ticks.marks {
        let at = up(slot, *value);
        let y = number(at);
        let line = if *value == 0.0 { &mut zero } else { &mut grid };
        *line += &format!("M{left} {y}H{right}");
        axis += &format!("M{left} {y}h{}", number(-sizes.tick_length));
        let (x, y) = (number(f.x - sizes.tick_space + 1.0), number(at + 0.355 * sizes.tick));
        put!(labels, "<text class=\"tick\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{}</text>", escape(text));
    }
    for (class, data) in [("grid", grid), ("zero", zero), ("axis", axis)] {
        if !data.is_empty() && (class != "grid" || figure.look == Look::Screen) {
            put!(page, "<path class=\"{class}\" d=\"{data}\"/>");
        }
    }
    page.0 += &labels.0;
    if let Some(label) = slot.below.as_ref().filter(|label| !label.is_empty()) {
        let (x, y) = (number(f.x + f.width / 2.0), number(f.bottom() + sizes.label_drop));
        put!(page, "<text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", label.markup());
    }
}

/// The quantity and the legend.
fn heading(page: &mut Page, slot: &Slot, sizes: &Sizes) {
    let f = slot.frame;
    let above = slot.event_lines as f64 * sizes.event_line + (slot.lines - 1) as f64 * sizes.label_line;
    let first = f.y - above - 0.35 * sizes.label_line;
    if !slot.title.is_empty() {
        let (x, y) = (number(f.x), number(first));
        put!(page, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", slot.title.markup());
    }
    for placed in &slot.legend {
        let (y, curve) = (first + placed.line as f64 * sizes.label_line, &slot.panel.curves[placed.item]);
        let data = format!("M{} {}h{}", number(placed.x), number(y - 0.35 * sizes.entry), number(sizes.sample));
        put!(page, "<path class=\"curve c{}\"{} d=\"{data}\"/>", placed.item % COLOURS, dashes(placed.item, curve));
        let text = entry(&curve.name, f.width, sizes).markup();
        let x = number(placed.x + sizes.sample + sizes.sample_gap);
        put!(page, "<text class=\"entry\" x=\"{x}\" y=\"{}\">{text}</text>", number(y));
    }
}

fn events(page: &mut Page, figure: &Figure, slot: &Slot, sizes: &Sizes) {
    let f = slot.frame;
    for (i, event) in figure.events.iter().enumerate() {
        if !visible(event.t, slot.x.range) {
            continue;
        }
        let placed = slot.events.iter().find(|placed| placed.item == i);
        // From its label down; the layout keeps other labels out of its way.
        let top = f.y - placed.map_or(0.0, |placed| placed.line as f64 * sizes.event_line);
        let x = number(across(slot, event.t));
        let data = format!("M{x} {}V{}", number(top), number(f.bottom()));
        put!(page, "<path class=\"event\" d=\"{data}\"><title>{}</title></path>", escape(&event.label));
        if let Some(placed) = placed {
            let y = number(f.y - placed.line as f64 * sizes.event_line - 4.0);
            let text = event_label(&event.label, f.width, sizes).markup();
            let x = number(placed.x);
            put!(page, "<text class=\"note\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{text}</text>");
        }
    }
}

/// A ring at the start of each track and a disk at its end.
fn ends(page: &mut Page, figure: &Figure, slot: &Slot, sizes: &Sizes) {
    for (i, curve) in slot.panel.curves.iter().enumerate() {
        let mut finite = curve.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
        let Some(&start) = finite.next() else { continue };
        let end = finite.next_back().copied().unwrap_or(start);
        let (line, area) = paint(figure, i, curve);
        let place = |p: (f64, f64)| (number(across(slot, p.0)), number(up(slot, p.1)));
        let radius = |more: f64| number(sizes.mark + more);
        let (x, y) = place(end);
        put!(page, "<circle {area} cx=\"{x}\" cy=\"{y}\" r=\"{}\"><title>end</title></circle>", radius(0.4));
        let (line, (x, y)) = (with_class("start", &line), place(start));
        put!(page, "<circle {line} cx=\"{x}\" cy=\"{y}\" r=\"{}\"><title>start</title></circle>", radius(0.2));
    }
}

fn marks(page: &mut Page, slot: &Slot, sizes: &Sizes) {
    let f = slot.frame;
    let mut taken: Vec<Frame> = Vec::new();
    let on_page = |p: (f64, f64)| (across(slot, p.0), up(slot, p.1));
    let spots: Vec<(f64, f64)> = slot.panel.marks.iter().map(|m| on_page((m.x, m.y))).collect();
    let thinned = |c: &Curve| {
        let every = c.points.len().div_ceil(MOST_LOOKED_AT).max(1);
        super::layout::finite(&c.points).step_by(every).map(on_page).collect::<Vec<_>>()
    };
    let curves: Vec<(f64, f64)> = slot.panel.curves.iter().flat_map(thinned).collect();
    for mark in slot.panel.marks.iter().filter(|m| m.x.is_finite() && m.y.is_finite()) {
        let (x, y) = (across(slot, mark.x), up(slot, mark.y));
        let radius = number(sizes.mark);
        put!(page, "<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"{radius}\"/>", number(x), number(y));
        let text = Label::symbol(&mark.label);
        if text.is_empty() {
            continue;
        }
        // To the right and above, unless that is outside or another label is there.
        let (size, width) = (sizes.tick, text.width(sizes.tick));
        let (beside, above, level, below) = (0.55 * size, -0.45 * size, 0.36 * size, 1.18 * size);
        let sides = [above, below, level].map(|dy| [(beside, dy), (-beside, dy)]);
        let middle = [(0.0, above), (0.0, below)];
        let places = sides.as_flattened().iter().chain(&middle).map(|(dx, dy)| {
            let left = x + dx
                - if *dx > 0.0 {
                    0.0
                } else if *dx < 0.0 {
                    width
                } else {
                    width / 2.0
                };
            (*dx, *dy, Frame { x: left, y: y + dy - size, width, height: 1.18 * size })
        });
        let places: Vec<(f64, f64, Frame)> = places.collect();
        let outside = |b: &Frame| b.right() > f.right() || b.x < f.x || b.y < f.y || b.bottom() > f.bottom();
        let apart = |b: &Frame, c: &Frame| b.right() < c.x || c.right() < b.x || b.bottom() < c.y || c.bottom() < b.y;
        let within = |b: &Frame, p: &(f64, f64)| b.x < p.0 && p.0 < b.right() && b.y < p.1 && p.1 < b.bottom();
        // another label in the way is worse than a mark, and that worse than the curve
        let cost = |b: &Frame| {
            let labels = taken.iter().filter(|c| !apart(b, c)).count();
            let dots = spots.iter().filter(|p| within(b, p)).count();
            let crossed = curves.iter().filter(|p| within(b, p)).count();
            1000 * usize::from(outside(b)) + 100 * labels + 20 * dots + crossed.min(10)
        };
        let (dx, dy, place) = places.into_iter().min_by_key(|(.., b)| cost(b)).unwrap_or((0.0, 0.0, Frame::default()));
        taken.push(place);
        let anchor = match dx.partial_cmp(&0.0) {
            Some(std::cmp::Ordering::Greater) => "start",
            Some(std::cmp::Ordering::Less) => "end",
            _ => "middle",
        };
        let (x, y) = (number(x + dx), number(y + dy));
        put!(page, "<text class=\"halo\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>", text.markup());
    }
}

/// The dashes of a curve: its own where it is coloured by a value, otherwise those of its round through the colours.
fn dashes(place: usize, curve: &Curve) -> String {
    pattern(if curve.value.is_some() { curve.dash } else { place / COLOURS })
}

fn pattern(k: usize) -> String {
    match DASHES[k % DASHES.len()] {
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
    data.push_str(&decimal(hundredths, 2).replacen("0.", ".", usize::from(hundredths.abs() < 100)));
}

/// A line through all of the points, in parts of a unit: lines through as many points have data of the same form.
fn steps(points: impl Iterator<Item = (f64, f64)>, parts: f64) -> String {
    let digits = parts.log10().round() as usize;
    let (mut data, mut last) = (String::new(), None);
    for p in points {
        let next = ((p.0 * parts).round() as i64, (p.1 * parts).round() as i64);
        match last {
            None => data += &format!("M{} {}l", decimal(next.0, digits), decimal(next.1, digits)),
            Some((x, y)) => data += &format!("{} {} ", decimal(next.0 - x, digits), decimal(next.1 - y, digits)),
        }
        last = Some(next);
    }
    data.trim_end().to_owned()
}

pub(super) fn number(x: f64) -> String {
    decimal((x * 100.0).round() as i64, 2)
}

/// A whole number of parts, so many digits of which are behind the point, without zeros at its end.
pub(super) fn decimal(parts: i64, digits: usize) -> String {
    let one = 10i64.pow(digits as u32);
    let sign = if parts < 0 { "-" } else { "" };
    let text = format!("{sign}{}.{:0digits$}", parts.abs() / one, parts.abs() % one);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
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
