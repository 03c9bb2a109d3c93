//! Maps: one quantity over two others, in colours, with a bar that says what they mean.
//!
//! Numbers on one side of zero have a sequential scale, numbers on both sides a diverging one with zero in the middle; a few whole numbers, such as
//! counts, and words have a colour each; the few largest of many counts share one, lest they take all colours for themselves. Cells without a value are grey, and the legend says so. The cells of a grid are a small picture within the
//! figure; scattered points are dots.
//!
//! Nothing that is said is cut while there is room for it on the page: long labels go on in further lines, the quantity of the colours stands above that of the
//! vertical axis where both do not fit beside each other, and kinds with long names are listed below the map.

use super::draw::head;
use super::label::{Label, escape, wrap};
use super::layout::{quantity, spaced};
use super::scale::gradient;
use super::style::Sizes;
use super::{Axis, Look};
use crate::colour::{self, NONE, Rgb};
use crate::number::{power_of_ten, short};
use crate::png;
use crate::range::{Extent, Range};
use crate::ticks::Ticks;
use std::fmt::Write;

/// Air around scattered points, as a part of the range of their axis.
const AIR: f64 = 0.04;
/// So many different whole numbers have a colour each.
const FEW: usize = 10;
/// Of more different whole numbers the largest share a colour, if no larger part of the cells has them.
const RARE: f64 = 0.15;
/// Numbers on the other side of zero count beyond this part of the largest.
const BOTH_SIDES: f64 = 0.02;
/// Colours of a scale; the last ones of the palette are for what has no value.
const SHADES: usize = 250;
/// Pixels that the picture of the cells has at least on its longer side.
const PICTURE: usize = 600;

/// Where everything is.
struct Places {
    sizes: &'static Sizes,
    /// Left edge of the box, its width and its height.
    left: f64,
    wide: f64,
    high: f64,
    /// Width of the colour bar, and its distance from the box.
    bar: f64,
    bar_gap: f64,
    /// Room to the right of the bar.
    right: f64,
    /// Room for one line above the box, and for the numbers and one line below it.
    above: f64,
    below: f64,
    /// Whether kinds are listed below, since their names are long.
    listed_below: bool,
}

impl Places {
    fn new(look: Look, meaning: &Meaning) -> Places {
        let sizes = Sizes::of(look);
        let words = match meaning {
            Meaning::Scale { .. } => 0.0,
            Meaning::Kinds(kinds) => {
                kinds.iter().map(|(_, text, _)| Label::plain(text).width(sizes.tick)).fold(0.0, f64::max)
            }
        };
        let Some(width) = look.paper_width() else {
            let listed_below = words > 92.0 - sizes.tick_space;
            let (left, wide, high) = (68.0, 520.0, 400.0);
            let (bar, bar_gap, right) = if listed_below { (16.0, 0.0, sizes.edge) } else { (16.0, 22.0, 92.0) };
            return Places { sizes, left, wide, high, bar, bar_gap, right, above: 34.0, below: 54.0, listed_below };
        };
        let (left, bar) = (44.0, 10.0);
        let listed_below = words > width / 4.0;
        let (bar_gap, right) = if listed_below { (0.0, 0.0) } else { (12.0, words.max(34.0) + 8.0) };
        let wide = width - left - bar - bar_gap - right;
        let high = (0.78 * wide).round();
        Places { sizes, left, wide, high, bar, bar_gap, right, above: 20.0, below: 32.0, listed_below }
    }

    /// Left edge of the bar.
    fn bar_left(&self) -> f64 {
        self.left + self.wide + self.bar_gap
    }

    fn width(&self) -> f64 {
        self.bar_left() + self.bar + self.right
    }

    /// The right edge of what may be written.
    fn edge(&self) -> f64 {
        self.width() - self.sizes.edge.min(4.0)
    }

    /// Height of the bar of a scale.
    fn bar_height(&self) -> f64 {
        self.high - 2.0 * self.sizes.tick - 8.0
    }

    /// From one line of labels to the next.
    fn line(&self) -> f64 {
        1.4 * self.sizes.label
    }

    /// From one kind to the next.
    fn row(&self) -> f64 {
        1.8 * self.sizes.tick
    }
}

/// How the values of an axis follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// By equal differences.
    Linear,
    /// By equal ratios.
    Log,
    /// As a list, each with its own label.
    List,
}

/// An axis of a map with its values in order.
#[derive(Clone, Debug, PartialEq)]
pub struct MapAxis {
    /// What it is.
    pub axis: Axis,
    /// Its values; for scattered points its two ends.
    pub values: Vec<f64>,
    /// How they follow each other.
    pub spacing: Spacing,
}

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// A value for each pair: all x of the first y first.
    Grid(Vec<f64>),
    /// x, y and value of scattered points.
    Points(Vec<(f64, f64, f64)>),
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// In large letters.
    pub title: String,
    /// In small letters below; may be empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: MapAxis,
    /// The vertical axis.
    pub y: MapAxis,
    /// What the colours show.
    pub quantity: Axis,
    /// The values; not a number where there is none.
    pub cells: Cells,
    /// The words that whole numbers stand for, with these.
    pub words: Vec<(f64, String)>,
    /// Where it is to be seen.
    pub look: Look,
}

/// What colours mean.
enum Meaning {
    /// From the smallest to the largest.
    Scale { range: Range, diverging: bool },
    /// One each.
    Kinds(Vec<(f64, String, Rgb)>),
}

impl Meaning {
    fn new(map: &Map, values: &[f64]) -> Meaning {
        let mut different: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
        different.sort_by(f64::total_cmp);
        different.dedup();
        if !map.words.is_empty() {
            let word = |x: f64| map.words.iter().find(|(k, _)| *k == x).map_or_else(|| short(x, 4), |(_, w)| w.clone());
            return Meaning::Kinds(
                different.iter().enumerate().map(|(k, x)| (*x, word(*x), colour::kind(k))).collect(),
            );
        }
        if !different.is_empty() && different.len() <= FEW && different.iter().all(|x| x.fract() == 0.0) {
            let last = (different.len() - 1).max(1) as f64;
            let shade = |k: usize| colour::sequential(k as f64 / last);
            return Meaning::Kinds(different.iter().enumerate().map(|(k, x)| (*x, short(*x, 6), shade(k))).collect());
        }
        let whole = different.iter().all(|x| x.fract() == 0.0);
        let rare = |limit: f64| values.iter().filter(|x| **x > limit).count() as f64 <= RARE * values.len() as f64;
        if whole && different.len() > FEW && rare(different[FEW - 2]) {
            let shade = |k: usize| colour::sequential(k as f64 / (FEW - 1) as f64);
            let name = |k: usize, x: f64| if k + 1 == FEW { format!("≥ {}", short(x, 6)) } else { short(x, 6) };
            let kinds = different.iter().take(FEW).enumerate();
            return Meaning::Kinds(kinds.map(|(k, x)| (*x, name(k, *x), shade(k))).collect());
        }
        let extent = Extent::of(different).unwrap_or(Extent { min: 0.0, max: 1.0 });
        let size = extent.min.abs().max(extent.max.abs());
        let diverging = extent.min < -BOTH_SIDES * size && extent.max > BOTH_SIDES * size;
        let range = if diverging { Range::new(-size, size) } else { extent.tight() };
        Meaning::Scale { range, diverging }
    }

    /// The place in the palette.
    fn index(&self, x: f64) -> u8 {
        match self {
            _ if x.is_nan() => u8::MAX,
            Meaning::Scale { range, .. } => (range.fraction(x).clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as u8,
            // what is larger than all kinds belongs to the last one
            Meaning::Kinds(kinds) => kinds.iter().rposition(|(k, ..)| *k <= x).map_or(u8::MAX, |k| k.min(254) as u8),
        }
    }

    fn shade(&self, u: f64) -> Rgb {
        match self {
            Meaning::Scale { diverging: true, .. } => colour::diverging(u),
            _ => colour::sequential(u),
        }
    }

    fn palette(&self) -> Vec<Rgb> {
        let mut palette: Vec<Rgb> = match self {
            Meaning::Scale { .. } => (0..SHADES).map(|k| self.shade(k as f64 / (SHADES - 1) as f64)).collect(),
            Meaning::Kinds(kinds) => kinds.iter().take(255).map(|(.., colour)| *colour).collect(),
        };
        palette.resize(256, NONE);
        palette
    }
}

impl Map {
    fn values(&self) -> Vec<f64> {
        match &self.cells {
            Cells::Grid(values) => values.clone(),
            Cells::Points(points) => points.iter().map(|p| p.2).collect(),
        }
    }

    /// The picture with axes and colour bar.
    pub fn svg(&self) -> String {
        let values = self.values();
        let meaning = Meaning::new(self, &values);
        let places = Places::new(self.look, &meaning);
        let (sizes, width) = (places.sizes, places.width());
        let room = width - 2.0 * sizes.edge;
        let (title, subtitle) = (wrap(&self.title, room, sizes.title), wrap(&self.subtitle, room, sizes.subtitle));
        let said = self.said(&meaning, &places);
        let rows = if places.listed_below { self.listed(&meaning, &values, &places) } else { Vec::new() };
        let lines = title.len() as f64 * 1.3 * sizes.title + subtitle.len() as f64 * 1.4 * sizes.subtitle;
        let more = |lines: usize| lines.saturating_sub(1) as f64 * places.line();
        let top = sizes.edge + lines + places.above + more(said.above);
        let under = top + places.high + places.below + more(said.x.len());
        let list: f64 = rows.iter().map(|r| r.1.len() as f64 * 1.3 * sizes.tick + 0.5 * sizes.tick).sum();
        let height = under + list + if rows.is_empty() { 0.0 } else { places.line() };
        let mut page = head(&self.title, self.look, (width, height), [&title, &subtitle], sizes);
        let legend = match places.listed_below {
            false => self.legend(&meaning, &values, &places, top),
            true => list_of_kinds(&rows, &places, under, said.colours.first()),
        };
        for part in [self.cells(&meaning, &places, top), self.axes(&places, top), said.markup(&places, top), legend] {
            page += &part;
            page.push('\n');
        }
        page + "</svg>\n"
    }

    /// The quantities of both axes and of the colours, each on as many lines as it needs.
    fn said(&self, meaning: &Meaning, places: &Places) -> Said {
        let Places { sizes, left, wide, high, .. } = *places;
        let x_room = 2.0 * (left + wide / 2.0 - sizes.edge).min(places.edge() - left - wide / 2.0);
        let x = self.x.marks(wide, self.air(), sizes).1.lines(x_room, sizes.label);
        let y = self.y.marks(high, self.air(), sizes).1;
        let colours = match meaning {
            Meaning::Scale { range, .. } => quantity(&self.quantity, &bar_ticks(*range, places), f64::INFINITY, sizes),
            Meaning::Kinds(_) => Label::symbol(&self.quantity.label),
        };
        let (y_width, width) = (y.width(sizes.label), colours.width(sizes.label));
        let beside_bar = width <= places.edge() - places.bar_left();
        let start = if beside_bar { places.bar_left() } else { places.edge() - width };
        let one_line = left + y_width + sizes.label <= start;
        let y = y.lines(places.edge() - left, sizes.label);
        let colours = match places.listed_below {
            true => vec![colours],
            false => colours.lines(places.edge() - sizes.edge, sizes.label),
        };
        let above = match () {
            () if places.listed_below => y.len(),
            () if one_line => 1,
            () => y.len() + colours.len(),
        };
        Said { x, y, colours, one_line, beside_bar, above }
    }

    /// The kinds with the lines of their names, for a list below the map.
    fn listed(&self, meaning: &Meaning, values: &[f64], places: &Places) -> Vec<(Rgb, Vec<Label>)> {
        let Meaning::Kinds(kinds) = meaning else { return Vec::new() };
        let size = places.sizes.tick;
        let room = places.edge() - places.left - places.bar - places.sizes.tick_space;
        let mut rows: Vec<(Rgb, Vec<Label>)> =
            kinds.iter().rev().map(|(_, text, fill)| (*fill, Label::plain(text).lines(room, size))).collect();
        if values.iter().any(|x| x.is_nan()) {
            rows.push((NONE, vec![Label::plain("no value")]));
        }
        rows
    }

    /// The cells, several pixels each, since some programs blur what they enlarge.
    fn picture(&self, values: &[f64], meaning: &Meaning) -> Vec<u8> {
        let (w, h) = (self.x.values.len(), self.y.values.len());
        let times = PICTURE.div_ceil(w.max(h)).max(1);
        let mut pixels = Vec::with_capacity(w * h * times * times);
        for row in values.chunks_exact(w).rev() {
            let line: Vec<u8> = row.iter().flat_map(|x| std::iter::repeat_n(meaning.index(*x), times)).collect();
            (0..times).for_each(|_| pixels.extend(&line));
        }
        png::indexed(w * times, h * times, &meaning.palette(), &pixels)
    }

    fn cells(&self, meaning: &Meaning, places: &Places, top: f64) -> String {
        let (left, wide, high) = (places.left, places.wide, places.high);
        let palette = meaning.palette();
        match &self.cells {
            Cells::Grid(values) => {
                let picture = png::base64(&self.picture(values, meaning));
                format!(
                    "<image x=\"{left}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" preserveAspectRatio=\"none\" \
                     style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\" \
                     href=\"data:image/png;base64,{picture}\"/>"
                )
            }
            Cells::Points(points) => {
                let mut out = String::new();
                let size =
                    (0.58 * wide / (points.len().max(1) as f64).sqrt()).clamp(0.1 * places.sizes.tick, wide / 104.0);
                for (x, y, value) in points {
                    let (u, v) = (self.x.fraction(*x, self.air()), self.y.fraction(*y, self.air()));
                    let (px, py) = (left + wide * u, top + high * (1.0 - v));
                    let fill = colour::hex(palette[usize::from(meaning.index(*value))]);
                    let _ = writeln!(out, "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"{size:.1}\" fill=\"{fill}\"/>");
                }
                out
            }
        }
    }

    /// How far the axes go beyond the values at their ends: points at the edge are to be seen whole.
    fn air(&self) -> f64 {
        match self.cells {
            Cells::Grid(_) => 0.0,
            Cells::Points(_) => AIR,
        }
    }

    fn axes(&self, places: &Places, top: f64) -> String {
        let Places { sizes, left, wide, high, .. } = *places;
        let (right, bottom, tick) = (left + wide, top + high, sizes.tick_length);
        let mut out = String::new();
        let mut axis = format!("M{left} {top:.1}V{bottom:.1}H{right:.1}V{top:.1}Z");
        let (marks, _) = self.x.marks(wide, self.air(), sizes);
        for (u, text) in marks {
            let x = left + wide * u;
            axis += &format!("M{x:.1} {bottom:.1}v{tick}");
            let y = bottom + sizes.numbers_drop;
            let text = escape(&text);
            let _ =
                writeln!(out, "<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>");
        }
        let (marks, _) = self.y.marks(high, self.air(), sizes);
        for (u, text) in marks {
            let y = bottom - high * u;
            axis += &format!("M{left} {y:.1}h-{tick}");
            let (x, y) = (left - sizes.tick_space + 1.0, y + 0.355 * sizes.tick);
            let text = escape(&text);
            let _ = writeln!(out, "<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{text}</text>");
        }
        let _ = write!(out, "<path class=\"axis\" d=\"{axis}\"/>");
        out
    }

    fn legend(&self, meaning: &Meaning, values: &[f64], places: &Places, top: f64) -> String {
        let (sizes, x, width) = (places.sizes, places.bar_left(), places.bar);
        let mut out = String::new();
        let mut end = top;
        match meaning {
            Meaning::Scale { range, .. } => {
                let height = places.bar_height();
                let _ = writeln!(
                    out,
                    "{}\n<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width}\" height=\"{height:.1}\" fill=\"url(#polhode-scale)\"/>",
                    gradient("polhode-scale", true, |u| meaning.shade(u))
                );
                let ticks = bar_ticks(*range, places);
                let mut axis = format!("M{x:.1} {top:.1}h{width}v{height:.1}h-{width}z");
                for (value, text) in &ticks.marks {
                    let y = top + height * (1.0 - range.fraction(*value));
                    axis += &format!("M{:.1} {y:.1}h{}", x + width, sizes.tick_length);
                    let (x, y) = (x + width + sizes.tick_space - 1.0, y + 0.355 * sizes.tick);
                    let _ = writeln!(out, "<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text));
                }
                let _ = writeln!(out, "<path class=\"axis\" d=\"{axis}\"/>");
                end += height;
            }
            Meaning::Kinds(kinds) => {
                for (_, text, fill) in kinds.iter().rev() {
                    let _ = writeln!(out, "{}", sample(places, (x, end), *fill, &[Label::plain(text)]));
                    end += places.row();
                }
                end -= 0.5 * sizes.tick;
            }
        }
        if values.iter().any(|x| x.is_nan()) {
            let _ = writeln!(out, "{}", sample(places, (x, end + 1.2 * sizes.tick), NONE, &[Label::plain("no value")]));
        }
        out
    }
}

/// What is written about the axes and the colours.
struct Said {
    x: Vec<Label>,
    y: Vec<Label>,
    colours: Vec<Label>,
    /// Whether the vertical axis and the colours have room on one line, and the colours above their bar.
    one_line: bool,
    beside_bar: bool,
    /// Lines above the box.
    above: usize,
}

impl Said {
    fn markup(&self, places: &Places, top: f64) -> String {
        let Places { sizes, left, wide, high, .. } = *places;
        let mut out = String::new();
        let mut write = |label: &Label, x: f64, y: f64, anchor: &str| {
            let text = label.markup();
            let _ =
                writeln!(out, "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
        };
        for (k, line) in self.x.iter().enumerate() {
            let y = top + high + sizes.label_drop + 0.3 * sizes.label + k as f64 * places.line();
            write(line, left + wide / 2.0, y, "middle");
        }
        let above = |lines: usize| top - 0.7 * sizes.label - lines as f64 * places.line();
        for (k, line) in self.y.iter().rev().enumerate() {
            write(line, left, above(k), "start");
        }
        if !places.listed_below {
            let lower = if self.one_line { 0 } else { self.y.len() };
            for (k, line) in self.colours.iter().rev().enumerate() {
                let (x, anchor) = if self.beside_bar { (places.bar_left(), "start") } else { (places.edge(), "end") };
                write(line, x, above(lower + k), anchor);
            }
        }
        out
    }
}

/// The marks of the bar that says what colours mean.
fn bar_ticks(range: Range, places: &Places) -> Ticks {
    Ticks::new(range, ((places.bar_height() / (4.2 * places.sizes.tick)) as usize).clamp(3, 8))
}

/// Kinds below a map, one below the other.
fn list_of_kinds(rows: &[(Rgb, Vec<Label>)], places: &Places, under: f64, heading: Option<&Label>) -> String {
    let (left, sizes) = (places.left, places.sizes);
    let mut out = String::new();
    if let Some(heading) = heading {
        let y = under + sizes.label;
        let _ = writeln!(out, "<text class=\"label\" x=\"{left}\" y=\"{y:.1}\">{}</text>", heading.markup());
    }
    let mut y = under + places.line();
    for (fill, lines) in rows {
        let _ = writeln!(out, "{}", sample(places, (left, y), *fill, lines));
        y += lines.len() as f64 * 1.3 * sizes.tick + 0.5 * sizes.tick;
    }
    out
}

/// A coloured square with words beside it, a line or several.
fn sample(places: &Places, (x, y): (f64, f64), fill: Rgb, lines: &[Label]) -> String {
    let (w, size, fill) = (places.bar, places.sizes.tick, colour::hex(fill));
    let high = 1.27 * size;
    let mut out = format!(
        "<rect class=\"axis\" style=\"fill:{fill}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w}\" height=\"{high:.1}\"/>"
    );
    for (k, line) in lines.iter().enumerate() {
        let (x, y) = (x + w + places.sizes.tick_space - 1.0, y + size + k as f64 * 1.3 * size);
        let _ = write!(out, "\n<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", line.markup());
    }
    out
}

impl MapAxis {
    /// First and last value, with half a cell beyond them where there are cells, or with air around points.
    fn ends(&self, air: f64) -> (f64, f64) {
        let of = |x: f64| if self.spacing == Spacing::Log { x.abs().ln() } else { x };
        let n = self.values.len();
        if self.spacing == Spacing::List {
            return (0.0, n as f64);
        }
        let (a, b) = (of(self.values[0]), of(self.values[n - 1]));
        let half = if n > 2 { (b - a) / (n - 1) as f64 / 2.0 } else { air * (b - a) };
        match a == b {
            true => (a - 0.5, b + 0.5),
            false => (a - half, b + half),
        }
    }

    /// Where a value lies between the sides of the box.
    fn fraction(&self, x: f64, air: f64) -> f64 {
        let (a, b) = self.ends(air);
        match self.spacing {
            Spacing::Linear => (x - a) / (b - a),
            Spacing::Log => (x.abs().ln() - a) / (b - a),
            Spacing::List => {
                let k = self.values.iter().position(|v| *v == x).unwrap_or(0);
                (k as f64 + 0.5) / b
            }
        }
    }

    /// Marks with their fractions, and the label of the axis.
    fn marks(&self, length: f64, air: f64, sizes: &Sizes) -> (Vec<(f64, String)>, Label) {
        let plain = Label::symbol(&self.axis.label);
        let (a, b) = self.ends(air);
        match self.spacing {
            Spacing::List => {
                let every = self.values.len().div_ceil(12);
                let shown = self.values.iter().enumerate().step_by(every);
                (shown.map(|(k, x)| ((k as f64 + 0.5) / b, short(*x, 4))).collect(), plain)
            }
            Spacing::Log => {
                let sign = if self.values[0] < 0.0 { "−" } else { "" };
                let (low, high) = (a.min(b) / std::f64::consts::LN_10, a.max(b) / std::f64::consts::LN_10);
                // within two decades 2 and 5 are marked as well
                let digits: &[f64] = if high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let mut marks = Vec::new();
                for e in low.floor() as i32..=high.ceil() as i32 {
                    for d in digits {
                        let u = ((d.ln() + f64::from(e) * std::f64::consts::LN_10) - a) / (b - a);
                        if (-1e-9..=1.0 + 1e-9).contains(&u) {
                            let x = d * 10f64.powi(e);
                            let text = if digits.len() > 1 { short(x, 2) } else { power_of_ten(e) };
                            marks.push((u, format!("{sign}{text}")));
                        }
                    }
                }
                (marks, plain)
            }
            Spacing::Linear => {
                let range = Range::new(a.min(b), a.max(b));
                let most = (length / (5.5 * sizes.tick)) as usize;
                let ticks = spaced(range, most.clamp(3, 9), length, sizes);
                let label = quantity(&self.axis, &ticks, f64::INFINITY, sizes);
                (ticks.marks.iter().map(|(x, text)| ((x - a) / (b - a), text.clone())).collect(), label)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(values: Vec<f64>) -> Map {
        let axis = |name: &str, values: Vec<f64>, spacing| MapAxis { axis: Axis::new(name, ""), values, spacing };
        Map {
            title: "t".into(),
            subtitle: String::new(),
            x: axis("x", vec![0.0, 1.0, 2.0], Spacing::Linear),
            y: axis("y", vec![1.0, 10.0], Spacing::Log),
            quantity: Axis::new("q", ""),
            cells: Cells::Grid(values),
            words: Vec::new(),
            look: Look::Screen,
        }
    }

    /// Everything that stands on a map, without its markup.
    fn texts(svg: &str) -> String {
        let inside = svg.split("<text").skip(1).filter_map(|t| t.split_once('>')?.1.split_once("</text>"));
        let bare = |t: &str| t.split('<').map(|p| p.rsplit('>').next().unwrap_or_default()).collect::<String>();
        inside.map(|(t, _)| bare(t)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn long_labels_go_on_in_further_lines() {
        let mut long = map(vec![0.5, 1.5, 2.5, 0.0, 1.0, 1.25]);
        long.look = Look::Paper { width: 85.0 };
        let words = |word: &str| format!("{word} ").repeat(12).trim().to_owned();
        (long.x.axis, long.y.axis) = (Axis::new(words("across"), ""), Axis::new(words("upwards"), ""));
        long.quantity = Axis::new(words("colours"), "m");
        for words_of_kinds in [vec![], vec![(0.0, words("first")), (1.0, words("second"))]] {
            long.words = words_of_kinds;
            let said = texts(&long.svg());
            assert!(!said.contains('…'), "{said}");
            for word in ["across", "upwards", "colours"] {
                assert_eq!(said.matches(word).count(), 12, "{said}");
            }
            for (_, text) in &long.words {
                let word = text.split(' ').next().unwrap();
                assert_eq!(said.matches(word).count(), 12, "{said}");
            }
        }
    }

    #[test]
    fn counts_have_a_colour_each() {
        let svg = map(vec![0.0, 1.0, 2.0, 0.0, 1.0, f64::NAN]).svg();
        for word in [">0</text>", ">1</text>", ">2</text>", ">no value</text>"] {
            assert!(svg.contains(word), "{word}");
        }
    }

    #[test]
    fn rare_large_counts_share_a_colour() {
        let mut values: Vec<f64> = (0..12).map(f64::from).collect();
        let counts = map(values.clone());
        assert!(matches!(Meaning::new(&counts, &values), Meaning::Scale { .. }), "3 of 12 are not rare");
        values.extend([0.0; 12]);
        let Meaning::Kinds(kinds) = Meaning::new(&counts, &values) else { panic!() };
        let names: Vec<&str> = kinds.iter().map(|(_, name, _)| name.as_str()).collect();
        assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "≥ 9"]);
        let meaning = Meaning::Kinds(kinds);
        assert_eq!([0.0, 8.0, 9.0, 11.0].map(|x| meaning.index(x)), [0, 8, 9, 9]);
    }

    #[test]
    fn both_sides_of_zero_have_a_white_middle() {
        let both = map(vec![-1.5, 1.0, 0.0, 0.5, 0.3, 1.0]);
        let Meaning::Scale { range, diverging } = Meaning::new(&both, &both.values()) else { panic!() };
        assert!(diverging && range.lo() == -1.5 && range.hi() == 1.5);
        let one = map(vec![-1e-3, 1.0, 0.0, 0.5, 0.3, 1.0]);
        assert!(matches!(Meaning::new(&one, &one.values()), Meaning::Scale { diverging: false, .. }));
    }

    /// The first row of values is the lowest one of the picture.
    #[test]
    fn rows_go_upwards() {
        let values = [0.0, 0.0, 0.0, 1.5, 1.5, 1.5];
        let meaning = Meaning::Scale { range: Range::new(0.0, 1.5), diverging: false };
        let picture = map(values.to_vec()).picture(&values, &meaning);
        assert_eq!((meaning.index(0.0), meaning.index(1.5), meaning.index(f64::NAN)), (0, 249, 255));
        // the first pixel of the file is the upper left one: byte 1 of the first row, as a literal of nine bits
        let data = picture.windows(4).position(|w| w == b"IDAT").unwrap() + 6;
        let bit = |k: usize| u32::from(picture[data + k / 8] >> (k % 8) & 1);
        let literal = (11..20).fold(0, |x, k| x << 1 | bit(k));
        assert_eq!(literal - 0x190 + 144, 249);
    }

    #[test]
    fn points_lie_where_they_are() {
        let mut dots = map(Vec::new());
        dots.x.values = vec![0.0, 2.0];
        dots.cells = Cells::Points(vec![(1.0, 1.0, 0.25), (2.0, 10.0, 0.5)]);
        let svg = dots.svg();
        let Places { left, wide, .. } = Places::new(Look::Screen, &Meaning::new(&dots, &dots.values()));
        let (x, right) = (left + wide / 2.0, left + wide * (1.0 + AIR) / (1.0 + 2.0 * AIR));
        assert!(svg.contains(&format!("cx=\"{x:.1}\"")) && svg.contains(&format!("cx=\"{right:.1}\"")), "{svg}");
    }
}
