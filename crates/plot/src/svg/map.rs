//! Maps: one quantity over two others, in colours, with a bar that says what they mean.
//!
//! Numbers on one side of zero have a sequential scale, numbers on both sides a diverging one with zero in the middle; a few whole numbers, such as
//! counts, and words have a colour each; the few largest of many counts share one, lest they take all colours for themselves. Cells without a value are grey, and the legend says so. The cells of a grid are a small picture within the
//! figure; scattered points are dots.

use super::Axis;
use super::label::{Label, escape, wrap};
use super::layout::{EDGE, quantity, spaced};
use super::style::{SUBTITLE, TITLE, sheet};
use crate::colour::{self, NONE, Rgb};
use crate::number::{power_of_ten, short};
use crate::png;
use crate::range::{Extent, Range};
use crate::ticks::Ticks;
use std::fmt::Write;

/// The box of the map.
const BOX: (f64, f64) = (520.0, 400.0);
/// Width of the colour bar, and its distance from the box.
const BAR: (f64, f64) = (16.0, 22.0);
/// Room to the left of the box, for numbers; and to the right of the bar.
const LEFT: f64 = 68.0;
const RIGHT: f64 = 92.0;
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
        let width = LEFT + BOX.0 + BAR.1 + BAR.0 + RIGHT;
        let room = width - 2.0 * EDGE;
        let (title, subtitle) = (wrap(&self.title, room, TITLE), wrap(&self.subtitle, room, SUBTITLE));
        let top = EDGE + title.len() as f64 * 1.3 * TITLE + subtitle.len() as f64 * 1.4 * SUBTITLE + 34.0;
        let height = top + BOX.1 + 54.0;
        let mut page = String::new();
        let mut put = |text: std::fmt::Arguments| {
            let _ = writeln!(page, "{text}");
        };
        put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"polhode\" width=\"{width}\" height=\"{height:.1}\" \
             viewBox=\"0 0 {width} {height:.1}\" role=\"img\">\n<title>{}</title>\n<style>\n{}</style>\n\
             <rect class=\"ground\" width=\"{width}\" height=\"{height:.1}\"/>",
            escape(&self.title),
            sheet()
        ));
        let mut y = EDGE;
        for (class, lines, size, leading) in [("title", &title, TITLE, 1.3), ("subtitle", &subtitle, SUBTITLE, 1.4)] {
            for line in lines {
                let text = escape(line);
                put(format_args!("<text class=\"{class}\" x=\"{EDGE}\" y=\"{:.1}\">{text}</text>", y + size));
                y += leading * size;
            }
        }
        put(format_args!("{}", self.cells(&meaning, top)));
        put(format_args!("{}", self.axes(top)));
        put(format_args!("{}", self.legend(&meaning, &values, top)));
        page + "</svg>\n"
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

    fn cells(&self, meaning: &Meaning, top: f64) -> String {
        let palette = meaning.palette();
        match &self.cells {
            Cells::Grid(values) => {
                let picture = png::base64(&self.picture(values, meaning));
                format!(
                    "<image x=\"{LEFT}\" y=\"{top:.1}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
                     style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\" \
                     href=\"data:image/png;base64,{picture}\"/>",
                    BOX.0, BOX.1
                )
            }
            Cells::Points(points) => {
                let mut out = String::new();
                let size = (300.0 / (points.len().max(1) as f64).sqrt()).clamp(1.2, 5.0);
                for (x, y, value) in points {
                    let (px, py) = (LEFT + BOX.0 * self.x.fraction(*x), top + BOX.1 * (1.0 - self.y.fraction(*y)));
                    let fill = colour::hex(palette[usize::from(meaning.index(*value))]);
                    let _ = writeln!(out, "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"{size:.1}\" fill=\"{fill}\"/>");
                }
                out
            }
        }
    }

    fn axes(&self, top: f64) -> String {
        let (left, right, bottom) = (LEFT, LEFT + BOX.0, top + BOX.1);
        let mut out = String::new();
        let mut axis = format!("M{left} {top:.1}V{bottom:.1}H{right}V{top:.1}Z");
        let (marks, label) = self.x.marks(BOX.0);
        for (u, text) in marks {
            let x = left + BOX.0 * u;
            axis += &format!("M{x:.1} {bottom:.1}v4");
            let y = bottom + 16.0;
            let text = escape(&text);
            let _ =
                writeln!(out, "<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>");
        }
        let (x, y) = (left + BOX.0 / 2.0, bottom + 37.0);
        let _ = writeln!(
            out,
            "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
            label.markup()
        );
        let (marks, label) = self.y.marks(BOX.1);
        for (u, text) in marks {
            let y = bottom - BOX.1 * u;
            axis += &format!("M{left} {y:.1}h-4");
            let (x, y) = (left - 7.0, y + 3.9);
            let text = escape(&text);
            let _ = writeln!(out, "<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{text}</text>");
        }
        let _ = writeln!(out, "<text class=\"label\" x=\"{left}\" y=\"{:.1}\">{}</text>", top - 9.0, label.markup());
        let _ = write!(out, "<path class=\"axis\" d=\"{axis}\"/>");
        out
    }

    fn legend(&self, meaning: &Meaning, values: &[f64], top: f64) -> String {
        let (x, width) = (LEFT + BOX.0 + BAR.1, BAR.0);
        let mut out = String::new();
        let mut heading = Label::symbol(&self.quantity.label);
        let mut end = top;
        match meaning {
            Meaning::Scale { range, .. } => {
                let height = BOX.1 - 30.0;
                let stops: String = (0..=20)
                    .map(|k| {
                        let u = f64::from(k) / 20.0;
                        format!("<stop offset=\"{u}\" stop-color=\"{}\"/>", colour::hex(meaning.shade(u)))
                    })
                    .collect();
                let _ = writeln!(
                    out,
                    "<linearGradient id=\"polhode-scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">{stops}</linearGradient>\n\
                     <rect x=\"{x}\" y=\"{top:.1}\" width=\"{width}\" height=\"{height:.1}\" fill=\"url(#polhode-scale)\"/>"
                );
                let ticks = Ticks::new(*range, 8);
                let mut axis = format!("M{x} {top:.1}h{width}v{height:.1}h-{width}z");
                for (value, text) in &ticks.marks {
                    let y = top + height * (1.0 - range.fraction(*value));
                    axis += &format!("M{} {y:.1}h4", x + width);
                    let (x, y) = (x + width + 7.0, y + 3.9);
                    let _ = writeln!(out, "<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text));
                }
                let _ = writeln!(out, "<path class=\"axis\" d=\"{axis}\"/>");
                heading = quantity(&self.quantity, &ticks, BOX.0 / 2.0);
                end += height;
            }
            Meaning::Kinds(kinds) => {
                for (_, text, fill) in kinds.iter().rev() {
                    let _ = writeln!(out, "{}", sample(x, end, *fill, text));
                    end += 20.0;
                }
                end -= 6.0;
            }
        }
        if values.iter().any(|x| x.is_nan()) {
            let _ = writeln!(out, "{}", sample(x, end + 14.0, NONE, "no value"));
        }
        // above the bar and to the left of its numbers' end, where there is room
        let (right, y) = (x + width + RIGHT - EDGE, top - 9.0);
        let _ = write!(
            out,
            "<text class=\"label\" x=\"{right:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>",
            heading.markup()
        );
        out
    }
}

/// A coloured square with a word.
fn sample(x: f64, y: f64, fill: Rgb, text: &str) -> String {
    format!(
        "<rect class=\"axis\" style=\"fill:{}\" x=\"{x}\" y=\"{y:.1}\" width=\"{w}\" height=\"14\"/>\n\
         <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        colour::hex(fill),
        x + BAR.0 + 7.0,
        y + 11.0,
        Label::plain(text).cut_to(RIGHT - 12.0, 11.0).markup(),
        w = BAR.0
    )
}

impl MapAxis {
    /// First and last value, with half a cell beyond them where there are cells.
    fn ends(&self) -> (f64, f64) {
        let of = |x: f64| if self.spacing == Spacing::Log { x.abs().ln() } else { x };
        let n = self.values.len();
        if self.spacing == Spacing::List {
            return (0.0, n as f64);
        }
        let (a, b) = (of(self.values[0]), of(self.values[n - 1]));
        let half = if n > 2 { (b - a) / (n - 1) as f64 / 2.0 } else { 0.0 };
        match a == b {
            true => (a - 0.5, b + 0.5),
            false => (a - half, b + half),
        }
    }

    /// Where a value lies between the sides of the box.
    fn fraction(&self, x: f64) -> f64 {
        let (a, b) = self.ends();
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
    fn marks(&self, length: f64) -> (Vec<(f64, String)>, Label) {
        let plain = Label::symbol(&self.axis.label);
        let (a, b) = self.ends();
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
                let ticks = spaced(range, ((length / 60.0) as usize).clamp(3, 9), length);
                let label = quantity(&self.axis, &ticks, length);
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
        let (x, right) = (LEFT + BOX.0 / 2.0, LEFT + BOX.0);
        assert!(svg.contains(&format!("cx=\"{x:.1}\"")) && svg.contains(&format!("cx=\"{right:.1}\"")), "{svg}");
    }
}
