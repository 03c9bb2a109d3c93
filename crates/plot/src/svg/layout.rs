//! Where the panels of a figure are.
//!
//! Panels over time fill a grid of one column for up to five of them, two for up to eight, three for
//! more; all have the same time axis, with numbers below the last panel of each column. Up to two
//! other panels stand beside a single column; more of them stand below, as do all with several
//! columns.
//!
//! Within a grid all boxes are equally wide: the gutter on the left holds the widest label of any. On paper the width is given, and in a narrow
//! column all panels stand below each other. A bar that says what colours mean lies above all panels.

use super::label::{Label, Style};
use super::style::Sizes;
use super::{Axis, Curve, Figure, Kind, Panel, label};
use crate::number::{Notation, power_of_ten, short};
use crate::range::{Extent, Range};
use crate::ticks::{Step, Ticks};
use std::cmp::Ordering;

/// Lines of event labels; more events than fit have a hairline only.
const EVENT_LINES: usize = 3;
/// A rectangle on the page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Frame {
    pub(super) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// An axis of a panel with its marks.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub(super) range: Range,
    pub(super) ticks: Ticks,
}

/// Something above a box: a legend entry or the label of an event.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) item: usize,
    pub(super) x: f64,
    pub(super) line: usize,
}

/// A panel on the page.
pub(super) struct Slot<'a> {
    pub(super) panel: &'a Panel,
    pub(super) frame: Frame,
    pub(super) x: Scale,
    pub(super) y: Scale,
    /// The quantity of the vertical axis.
    pub(super) title: Label,
    /// Whether the horizontal axis has numbers.
    pub(super) numbers: bool,
    /// The quantity of the horizontal axis, where it is said.
    pub(super) below: Option<Label>,
    pub(super) legend: Vec<Placed>,
    /// Lines that the legend needs, with the one of the quantity.
    pub(super) lines: usize,
    /// Labels of events, on lines just above the box.
    pub(super) events: Vec<Placed>,
    pub(super) event_lines: usize,
    pub(super) empty: bool,
}

/// Paper narrower than this has one column of panels.
const NARROW: f64 = 480.0;
/// Boxes on paper are at least so high.
const LOW: f64 = 54.0;

/// The bar that says what colours mean.
pub(super) struct Bar {
    /// Its quantity, to the left of it.
    pub(super) label: Label,
    pub(super) frame: Frame,
    pub(super) range: Range,
    /// Places and texts.
    pub(super) marks: Vec<(f64, String)>,
}

/// Samples of dashes are so many times as long as those of colours.
pub(super) const LONG_SAMPLE: f64 = 1.6;

/// All panels on the page.
pub(super) struct Layout<'a> {
    pub(super) sizes: Sizes,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: Vec<String>,
    pub(super) subtitle: Vec<String>,
    pub(super) bar: Option<Bar>,
    /// What dashes mean, on lines below a height.
    pub(super) dashes: Vec<Placed>,
    pub(super) dashes_top: f64,
    /// Where the note is.
    pub(super) note: Option<(f64, f64)>,
    pub(super) slots: Vec<Slot<'a>>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(figure: &'a Figure) -> Self {
        let time: Vec<&Panel> = figure.panels.iter().filter(|p| p.kind == Kind::Time).collect();
        let other: Vec<&Panel> = figure.panels.iter().filter(|p| p.kind != Kind::Time).collect();
        let sizes = *Sizes::of(figure.look);
        let paper = figure.look.paper_width();
        let narrow = paper.is_some_and(|width| width < NARROW);
        let columns = match time.len() {
            _ if narrow => 1,
            0..=5 => 1,
            6..=8 => 2,
            _ => 3,
        };
        let beside = columns == 1 && !narrow && !time.is_empty() && (1..=2).contains(&other.len());
        let width: f64 = match (time.len(), other.len()) {
            _ if paper.is_some() => paper.unwrap_or_default(),
            _ if beside => 960.0,
            (0, 0 | 1) => 560.0,
            (0, 2 | 4) => 860.0,
            (1..=5, 0) => 720.0,
            _ if columns < 3 && !time.is_empty() => 960.0,
            _ => 1120.0,
        };
        let inner = width - 2.0 * sizes.edge - sizes.overhang;
        let title = label::wrap(&figure.title, inner, sizes.title * 1.08); // semibold is wider
        let subtitle = label::wrap(&figure.subtitle, inner, sizes.subtitle);
        let mut y = sizes.edge + title.len() as f64 * 1.3 * sizes.title + subtitle.len() as f64 * 1.4 * sizes.subtitle;
        if !(title.is_empty() && subtitle.is_empty()) {
            y += 0.5 * sizes.edge.max(12.0);
        }
        let bar = bar(figure, (sizes.edge, y, inner), &sizes);
        if let Some(bar) = &bar {
            y = bar.frame.bottom() + sizes.below - sizes.tick;
        }
        let dashes_top = y;
        let (dashes, lines) = dash_entries(figure, (sizes.edge, inner), &sizes);
        y += lines as f64 * sizes.label_line;
        let note = (!figure.note.is_empty()).then_some((sizes.edge, y + 0.65 * sizes.label_line));
        if note.is_some() {
            y += sizes.label_line;
        }
        if lines > 0 || note.is_some() {
            y += 0.4 * sizes.label_line;
        }

        let duration = time_range(figure, &time);
        let box_height = match (time.len(), beside) {
            (n, _) if paper.is_some() => {
                let part = [0.0, 0.58, 0.32, 0.25].get(n).copied().unwrap_or(0.2);
                let column = if beside { 0.6 * inner } else { inner / columns as f64 };
                (part * column).max(LOW)
            }
            (1, true) => 300.0,
            (2, true) => 170.0,
            (_, true) => 120.0,
            (1, false) => 320.0,
            (2, false) => 190.0,
            (3, false) => 150.0,
            _ => 120.0,
        };
        let mut slots = Vec::new();
        if beside {
            let left = if other.len() == 1 { 0.54 } else { 0.6 } * inner;
            let heights = |_: usize, _: f64| box_height;
            let (cells, bottom) =
                grid(figure, &time, 1, (sizes.edge, y, left - sizes.gap / 2.0), duration, &sizes, &heights);
            slots.extend(cells);
            // The boxes beside fill the same height.
            let overhead: f64 =
                other.len() as f64 * (sizes.label_line + sizes.below) + (other.len() - 1) as f64 * sizes.row_gap;
            let least = if paper.is_some() { 2.0 * LOW } else { 150.0 };
            let each = ((bottom - y - overhead) / other.len() as f64).max(least);
            let area = (sizes.edge + left + sizes.gap / 2.0, y, inner - left - sizes.gap / 2.0);
            // A track in a box much higher than wide would be lost in it.
            let heights = |i: usize, width: f64| match other[i].kind {
                Kind::Track | Kind::Space => each.min(wanted_height(other[i], width).max(width)),
                _ => each,
            };
            let (cells, beside_bottom) = grid(figure, &other, 1, area, duration, &sizes, &heights);
            slots.extend(cells);
            y = bottom.max(beside_bottom);
        } else {
            if !time.is_empty() {
                let area = (sizes.edge, y, inner);
                let (cells, bottom) = grid(figure, &time, columns, area, duration, &sizes, &|_, _| box_height);
                slots.extend(cells);
                y = bottom;
            }
            if !other.is_empty() {
                if !time.is_empty() {
                    y += sizes.gap;
                }
                let columns = match other.len() {
                    _ if narrow => 1,
                    1 => 1,
                    2 | 4 => 2,
                    _ => 3,
                };
                let heights = |row: usize, width: f64| {
                    let panels = other.iter().skip(row * columns).take(columns);
                    panels.map(|p| wanted_height(p, width)).fold(0.0, f64::max)
                };
                let (cells, bottom) = grid(figure, &other, columns, (sizes.edge, y, inner), duration, &sizes, &heights);
                slots.extend(cells);
                y = bottom;
            }
        }
        let height = (y + sizes.edge).round();
        Self { sizes, width, height, title, subtitle, bar, dashes, dashes_top, note, slots }
    }
}

/// The bar of colours at the top of an area with left edge, upper edge and width, if there are curves with values.
fn bar(figure: &Figure, (left, top, width): (f64, f64, f64), sizes: &Sizes) -> Option<Bar> {
    let range = figure.key_range()?;
    let room = 0.55 * width;
    let axis = figure.key.as_ref()?;
    let (marks, label) = match figure.key_is_log {
        true => {
            let negative = figure.panels.iter().flat_map(|p| &p.curves).filter_map(|c| c.value).any(|x| x < 0.0);
            let bare = Ticks { marks: Vec::new(), notation: Notation::plain() };
            (log_marks(range, negative, room, sizes), quantity(axis, &bare, 0.35 * width, sizes))
        }
        false => {
            let ticks = spaced(range, ((room / 40.0) as usize).clamp(2, 9), room, sizes);
            let label = quantity(axis, &ticks, 0.35 * width, sizes);
            (ticks.marks, label)
        }
    };
    let x = (left + label.width(sizes.label) + sizes.entry_gap).max(left + 30.0).round() + 0.5;
    let frame = Frame { x, y: top.round() + 0.5 + sizes.tick_length, width: room.floor(), height: sizes.bar };
    Some(Bar { label, frame, range, marks })
}

/// Beyond so many powers of ten these are written as such.
const MOST_PLAIN: f64 = 4.0;

/// Marks of a logarithmic key, at logarithms of 1, 2 and 5 times powers of ten, or of powers of ten where these would run into each other. Of negative values
/// those nearer to zero have the larger place.
fn log_marks(range: Range, negative: bool, room: f64, sizes: &Sizes) -> Vec<(f64, String)> {
    let (low, high) = if negative { (-range.hi(), -range.lo()) } else { (range.lo(), range.hi()) };
    let sign = if negative { -1.0 } else { 1.0 };
    let marks = |digits: &[f64], every: i32| -> Vec<(f64, String)> {
        let powers = (low.floor() as i32..=high.ceil() as i32).filter(|e| e % every == 0);
        let all = powers.flat_map(|e| digits.iter().map(move |d| (d.log10() + f64::from(e), *d, e)));
        let inside = all.filter(|(place, ..)| (low - 1e-9..=high + 1e-9).contains(place));
        let text = |d: f64, e: i32| match high - low > MOST_PLAIN && d == 1.0 {
            true => format!("{}{}", if negative { "−" } else { "" }, power_of_ten(e)),
            false => short(sign * d * 10f64.powi(e), 2),
        };
        inside.map(|(place, d, e)| (sign * place, text(d, e))).collect()
    };
    let wide = |marks: &[(f64, String)]| {
        let mut places: Vec<(f64, f64)> =
            marks.iter().map(|(x, t)| (room * range.fraction(*x), Label::plain(t).width(sizes.tick))).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        places.windows(2).all(|w| w[1].0 - w[0].0 > (w[0].1 + w[1].1) / 2.0 + 0.3 * sizes.air)
    };
    let tried = [(&[1.0, 2.0, 5.0][..], 1), (&[1.0, 3.0], 1), (&[1.0], 1), (&[1.0], 2), (&[1.0], 5), (&[1.0], 20)];
    let fitting = tried.iter().map(|(digits, every)| marks(digits, *every)).find(|m| wide(m));
    let ends = || [low, high].map(|p| (sign * p, short(sign * 10f64.powf(p), 2))).to_vec();
    fitting.filter(|m| m.len() > 1).unwrap_or_else(ends)
}

/// Entries of dashes, and how many lines they take.
fn dash_entries(figure: &Figure, (left, width): (f64, f64), sizes: &Sizes) -> (Vec<Placed>, usize) {
    let (mut placed, mut x, mut line) = (Vec::new(), left, 0);
    for (item, name) in figure.dashes.iter().enumerate() {
        let own = LONG_SAMPLE * sizes.sample + sizes.sample_gap + Label::symbol(name).width(sizes.entry);
        if x + own > left + width && x > left {
            (x, line) = (left, line + 1);
        }
        placed.push(Placed { item, x, line });
        x += own + sizes.entry_gap;
    }
    let lines = if placed.is_empty() { 0 } else { line + 1 };
    (placed, lines)
}

/// The range of time of all curves, without a margin.
fn time_range(figure: &Figure, panels: &[&Panel]) -> Range {
    let curves = panels.iter().flat_map(|p| &p.curves).flat_map(|c| finite(&c.points)).map(|p| p.0);
    let marks = panels.iter().flat_map(|p| &p.marks).map(|m| m.x);
    let extent = Extent::of(curves.chain(marks)).or_else(|| Extent::of(figure.events.iter().map(|e| e.t)));
    extent.map_or(Range::new(0.0, 1.0), Extent::tight)
}

pub(super) fn finite(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite())
}

/// What is in a panel, or the part of the plane that is asked for.
pub(super) fn extents(panel: &Panel) -> Option<(Extent, Extent)> {
    if panel.window.is_some() {
        return panel.window;
    }
    let marks = || panel.marks.iter().map(|m| (m.x, m.y)).filter(|p| p.0.is_finite() && p.1.is_finite());
    let shapes = || panel.shapes.iter().flat_map(|s| finite(&s.points).chain(s.frames.iter().flat_map(|f| finite(f))));
    let all = || panel.curves.iter().flat_map(|c| finite(&c.points)).chain(marks()).chain(shapes());
    Some((Extent::of(all().map(|p| p.0))?, Extent::of(all().map(|p| p.1))?))
}

/// Tracks are as high as they are, within reason.
fn wanted_height(panel: &Panel, width: f64) -> f64 {
    let ratio = match (panel.kind, extents(panel)) {
        (Kind::Track, Some((x, y))) if x.max > x.min => ((y.max - y.min) / (x.max - x.min)).clamp(0.35, 0.9),
        (Kind::Space, Some((x, y))) if x.max > x.min => ((y.max - y.min) / (x.max - x.min)).clamp(0.2, 1.0),
        (Kind::Track | Kind::Space, _) => 0.9,
        _ => 0.72,
    };
    ratio * width
}

/// Panels in rows of `columns`, in an area with left edge, upper edge and width; returns the lower
/// edge as well. `heights` gives the height of the boxes of a row of boxes of some width.
fn grid<'a>(
    figure: &Figure,
    panels: &[&'a Panel],
    columns: usize,
    (left, top, width): (f64, f64, f64),
    duration: Range,
    sizes: &Sizes,
    heights: &dyn Fn(usize, f64) -> f64,
) -> (Vec<Slot<'a>>, f64) {
    let cell = (width - sizes.gap * (columns - 1) as f64) / columns as f64;
    // The gutter depends on the labels, for equal scales these on the width of the box, and that on
    // the gutter: a few rounds, in which it only grows.
    let mut gutter: f64 = match panels.iter().all(|p| p.kind == Kind::Space) {
        true => 0.0,
        false => 2.0 * sizes.tick + sizes.tick_space,
    };
    let mut scales: Vec<(Scale, Scale)> = Vec::new();
    for _ in 0..3 {
        let box_width = cell - gutter;
        scales = panels
            .iter()
            .enumerate()
            .map(|(i, p)| axes(p, duration, (box_width, heights(i / columns, box_width)), sizes))
            .collect();
        let numbers = scales.iter().flat_map(|(_, y)| &y.ticks.marks);
        let widest = numbers.map(|(_, text)| Label::plain(text).width(sizes.tick));
        gutter = gutter.max(widest.fold(0.0, f64::max) + sizes.tick_space);
    }
    let box_width = cell - gutter;

    let mut slots = Vec::with_capacity(panels.len());
    let mut y = top;
    for (row, group) in panels.chunks(columns).enumerate() {
        let first = slots.len();
        for (column, panel) in group.iter().enumerate() {
            let i = row * columns + column;
            let (x_scale, y_scale) = scales[i].clone();
            let frame = Frame {
                x: (left + column as f64 * (cell + sizes.gap) + gutter).round() + 0.5,
                width: box_width.floor(),
                height: heights(row, box_width).round(),
                y: 0.0, // known when the row is complete
            };
            // Panels over time have numbers at the foot of each column, and say that they are time in
            // the last row.
            let drawn = panel.kind != Kind::Space;
            let numbers = drawn && (panel.kind != Kind::Time || i + columns >= panels.len());
            let last_row = (row + 1) * columns >= panels.len();
            let below = (drawn && (panel.kind != Kind::Time || last_row)).then(|| {
                let axis = if panel.kind == Kind::Time { &figure.time } else { &panel.x };
                quantity(axis, &x_scale.ticks, box_width, sizes)
            });
            let title = quantity(&panel.y, &y_scale.ticks, box_width, sizes);
            let (legend, lines) = legend(figure, panel, &title, frame, sizes);
            let (events, event_lines) = match row {
                0 if panel.kind == Kind::Time => event_labels(figure, duration, frame, sizes),
                _ => (Vec::new(), 0),
            };
            let empty = extents(panel).is_none();
            slots.push(Slot {
                panel,
                frame,
                x: x_scale,
                y: y_scale,
                title,
                numbers,
                below,
                legend,
                lines,
                events,
                event_lines,
                empty,
            });
        }
        let above = |slot: &Slot| slot.lines as f64 * sizes.label_line + slot.event_lines as f64 * sizes.event_line;
        y += slots[first..].iter().map(above).fold(0.0, f64::max);
        for slot in &mut slots[first..] {
            slot.frame.y = y.round() + 0.5;
        }
        y = slots[first].frame.bottom();
        let below = |slot: &Slot| match slot {
            Slot { below: Some(_), .. } => sizes.below,
            Slot { numbers: true, .. } => sizes.numbers,
            _ => 0.0,
        };
        y += slots[first..].iter().map(below).fold(0.0, f64::max);
        if (row + 1) * columns < panels.len() {
            y += sizes.row_gap;
        }
    }
    (slots, y)
}

/// Ranges and marks of the axes of a panel, for a box of some size.
fn axes(panel: &Panel, duration: Range, (width, height): (f64, f64), sizes: &Sizes) -> (Scale, Scale) {
    let unit = Extent { min: 0.0, max: 1.0 };
    let (x, y) = extents(panel).unwrap_or((unit, unit));
    let most_x = ((width / sizes.per_tick) as usize).clamp(2, 10);
    let most_y = ((2.5 + height / sizes.per_tick_up) as usize).clamp(3, 8);
    let y_range = y.with_margin(0.06);
    let y_ticks = || if y.is_constant() { Ticks::single(y.min) } else { Ticks::new(y_range, most_y) };
    match panel.kind {
        Kind::Time => {
            let time = Scale { range: duration, ticks: spaced(duration, most_x, width, sizes) };
            (time, Scale { range: y_range, ticks: y_ticks() })
        }
        Kind::Phase => {
            let range = x.with_margin(0.05);
            let ticks = if x.is_constant() { Ticks::single(x.min) } else { spaced(range, most_x, width, sizes) };
            (Scale { range, ticks }, Scale { range: y_range, ticks: y_ticks() })
        }
        Kind::Space => {
            let (x, y) = same_scale(x, y, width, height);
            let bare = |range| Scale { range, ticks: Ticks { marks: Vec::new(), notation: Notation::plain() } };
            (bare(x), bare(y))
        }
        Kind::Track => {
            let (x, y) = same_scale(x, y, width, height);
            // One step for both, unless a short side would be left with one mark.
            let (step_x, step_y) = (Step::new(x, most_x.min(7)), Step::new(y, most_y));
            let scale = |range, own| {
                let ticks = Ticks::with_step(range, step_x.max(step_y));
                let ticks = if ticks.marks.len() < 2 { Ticks::with_step(range, own) } else { ticks };
                Scale { range, ticks }
            };
            (scale(x, step_x), scale(y, step_y))
        }
    }
}

/// Marks whose labels have some air between them.
pub(super) fn spaced(range: Range, most: usize, width: f64, sizes: &Sizes) -> Ticks {
    let mut most = most;
    loop {
        let ticks = Ticks::new(range, most);
        let widest = ticks.marks.iter().map(|(_, text)| Label::plain(text).width(sizes.tick)).fold(0.0, f64::max);
        if most <= 2 || ticks.marks.len() as f64 * (widest + sizes.air) <= width {
            return ticks;
        }
        most -= 1;
    }
}

/// Ranges with the same number of units in a pixel.
fn same_scale(x: Extent, y: Extent, width: f64, height: f64) -> (Range, Range) {
    let margin = 1.12;
    let sizes = [(x.max - x.min) * margin / width, (y.max - y.min) * margin / height];
    // Nothing to see below rounding; a point at rest gets the range that constants get.
    let around = |e: Extent| e.min.abs().max(e.max.abs());
    let least = 64.0 * f64::EPSILON * around(x).max(around(y)) / width.min(height);
    let mut per_pixel = sizes[0].max(sizes[1]).max(least).max(f64::MIN_POSITIVE);
    if x.is_constant() && y.is_constant() {
        per_pixel = x.tight().width().max(y.tight().width()) / width.min(height);
    }
    let centred = |e: Extent, size: f64| {
        let (middle, half) = (e.min / 2.0 + e.max / 2.0, per_pixel * size / 2.0);
        Range::new(middle - half, middle + half)
    };
    (centred(x, width), centred(y, height))
}

/// The quantity of an axis: *E* − 1 (10⁻¹³ J). Where it is too wide the name is cut: without offset,
/// power and unit the numbers would be wrong.
pub(super) fn quantity(axis: &Axis, ticks: &Ticks, width: f64, sizes: &Sizes) -> Label {
    let notation = &ticks.notation;
    let mut rest = Label::default();
    if let Some(offset) = notation.offset() {
        rest.push(Style::Upright, if offset < 0.0 { " + " } else { " − " });
        rest.push(Style::Upright, notation.offset_text().trim_start_matches('−'));
    }
    if notation.exponent() != 0 || !axis.unit.is_empty() {
        rest.push(Style::Upright, " (");
        if notation.exponent() != 0 {
            rest.push_power_of_ten(notation.exponent());
            rest.push(Style::Upright, if axis.unit.is_empty() { "" } else { " " });
        }
        rest.append(Label::unit(&axis.unit));
        rest.push(Style::Upright, ")");
    }
    let mut label = Label::symbol(&axis.label).cut_to(width - rest.width(sizes.label), sizes.label);
    label.append(rest);
    label
}

/// Entries after the quantity, and on further lines where it is full.
fn legend(figure: &Figure, panel: &Panel, title: &Label, frame: Frame, sizes: &Sizes) -> (Vec<Placed>, usize) {
    let told = |curve: &Curve| curve.value.is_some() && figure.key.is_some();
    if panel.curves.len() < 2 || panel.curves.iter().all(told) {
        return (Vec::new(), 1);
    }
    let title_width = title.width(sizes.label);
    let mut x = frame.x + if title_width > 0.0 { title_width + 1.5 * sizes.entry_gap } else { 0.0 };
    let (mut placed, mut line) = (Vec::new(), 0);
    for (item, curve) in panel.curves.iter().enumerate() {
        let width = sizes.sample + sizes.sample_gap + entry(&curve.name, frame.width, sizes).width(sizes.entry);
        if x + width > frame.right() && x > frame.x {
            (x, line) = (frame.x, line + 1);
        }
        placed.push(Placed { item, x, line });
        x += width + sizes.entry_gap;
    }
    (placed, line + 1)
}

/// The text of an entry of the legend.
pub(super) fn entry(name: &str, width: f64, sizes: &Sizes) -> Label {
    Label::symbol(name).cut_to(width - sizes.sample - sizes.sample_gap, sizes.entry)
}

/// The text of an event.
pub(super) fn event_label(name: &str, width: f64, sizes: &Sizes) -> Label {
    Label::plain(name).cut_to(width, sizes.note)
}

/// Labels that end at their hairlines, pushed inside the box, on the lowest line where neither a
/// label nor the hairline below one is in the way.
fn event_labels(figure: &Figure, duration: Range, frame: Frame, sizes: &Sizes) -> (Vec<Placed>, usize) {
    let mut order: Vec<usize> = (0..figure.events.len()).collect();
    order.retain(|&i| visible(figure.events[i].t, duration) && !figure.events[i].label.is_empty());
    order.sort_by(|&i, &j| figure.events[i].t.total_cmp(&figure.events[j].t));
    let mut placed: Vec<Placed> = Vec::new();
    for item in order {
        let event = &figure.events[item];
        let width = event_label(&event.label, frame.width, sizes).width(sizes.note);
        let hairline = |item: usize| frame.x + duration.fraction(figure.events[item].t) * frame.width;
        let x = hairline(item).max(frame.x + width);
        let fits = |line: usize| {
            placed.iter().all(|other| match other.line.cmp(&line) {
                Ordering::Equal => other.x + 6.0 <= x - width,
                Ordering::Greater => hairline(other.item) + 3.0 <= x - width,
                Ordering::Less => other.x <= hairline(item),
            })
        };
        if let Some(line) = (0..EVENT_LINES).find(|&line| fits(line)) {
            placed.push(Placed { item, x, line });
        }
    }
    let lines = placed.iter().map(|p| p.line + 1).max().unwrap_or(0);
    (placed, lines)
}

/// Whether a moment is on the axis.
pub(super) fn visible(t: f64, duration: Range) -> bool {
    (0.0..=1.0).contains(&duration.fraction(t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::style::SCREEN;

    #[test]
    fn a_long_name_is_cut_and_what_numbers_mean_is_not() {
        let ticks = Ticks::new(Range::new(-9.81 - 1e-12, -9.81 + 1e-12), 5);
        let said = |name: &str, width: f64| quantity(&Axis::new(name, "m/s^2"), &ticks, width, &SCREEN).markup();
        let meaning = "+ 9.81 (10<tspan font-size=\"75%\" dy=\"-0.51em\">−12</tspan>";
        assert!(said("E", 400.0).starts_with("<tspan class=\"i\">E</tspan>"));
        let long = "a name that goes on for much longer than there is room".repeat(2);
        for width in [400.0, 200.0, 100.0] {
            let text = said(&long, width);
            assert!(
                text.contains('…')
                    && text.contains(meaning)
                    && text.ends_with("2</tspan><tspan dy=\"0.38em\">)</tspan>"),
                "{text}"
            );
        }
    }

    #[test]
    fn logarithmic_keys_have_round_marks_in_their_places() {
        let texts = |low: f64, high: f64| {
            let marks = log_marks(Range::new(low, high), false, 200.0, &SCREEN);
            for (place, text) in &marks {
                assert!((low - 1e-9..=high + 1e-9).contains(place), "{text} at {place}");
            }
            marks.into_iter().map(|m| m.1).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(texts(-1.0, 0.15), "0.1 0.2 0.5 1");
        assert_eq!(texts(0.0, 5.0), "10⁰ 10¹ 10² 10³ 10⁴ 10⁵");
        assert_eq!(texts(-12.0, 3.0), "10⁻¹⁰ 10⁻⁵ 10⁰");
        assert_eq!(texts(0.31, 0.32), "2 2.1", "no round number: both ends");
        let negative = log_marks(Range::new(-2.0, 0.0), true, 200.0, &SCREEN);
        assert!(negative.iter().any(|(place, text)| *place == -1.0 && text == "−10"), "{negative:?}");
    }

    #[test]
    fn panels_that_share_a_window_have_one_scale() {
        let square = |size: f64| {
            let points = vec![(0.0, 0.0), (size, 0.0), (size, size), (0.0, size)];
            Panel::space("", vec![super::super::Shape { points, fill: Some([0; 3]), ..Default::default() }])
        };
        let mut figure = Figure::new("");
        figure.panels = vec![square(1.0), square(3.0)];
        let widths = |figure: &Figure| Layout::new(figure).slots.iter().map(|s| s.x.range.width()).collect::<Vec<_>>();
        assert_ne!(widths(&figure)[0], widths(&figure)[1]);
        Panel::share_window(&mut figure.panels);
        assert_eq!(widths(&figure)[0], widths(&figure)[1]);
    }

    #[test]
    fn labels_of_events_keep_out_of_each_others_way() {
        let mut figure = Figure::new("");
        let times = [0.0, 0.01, 0.3, 0.32, 0.34, 0.36, 0.6, 0.99, 1.0];
        figure.events = times.iter().map(|&t| super::super::Event { t, label: format!("event {t}") }).collect();
        let frame = Frame { x: 100.0, y: 0.0, width: 500.0, height: 100.0 };
        let (placed, lines) = event_labels(&figure, Range::new(0.0, 1.0), frame, &SCREEN);
        assert!(lines <= EVENT_LINES && placed.len() >= 6, "{placed:?}");
        let span = |p: &Placed| {
            let width = event_label(&figure.events[p.item].label, frame.width, &SCREEN).width(SCREEN.note);
            assert!(p.x - width >= frame.x && p.x <= frame.right());
            (p.x - width, p.x)
        };
        for p in &placed {
            for q in placed.iter().filter(|q| q.item != p.item) {
                let ((a, b), (c, d)) = (span(p), span(q));
                assert!(p.line != q.line || b < c || d < a, "{p:?} and {q:?} overlap");
                let hairline = frame.x + figure.events[q.item].t * frame.width;
                assert!(q.line <= p.line || hairline <= a || hairline >= b, "the hairline of {q:?} crosses {p:?}");
            }
        }
    }
}
