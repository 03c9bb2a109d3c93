//! Letters as outlines: TrueType faces of `fonts/`, read as far as these need it, and lines of text set in them.
//!
//! ```text
//! cmap: character → glyph      hmtx: glyph → advance      loca, glyf: glyph → closed quadratic splines      [OpenType2019]
//! ```
//!
//! An accent stands over the middle of its letter: as high as it is drawn, which fits letters as high as an x, and higher by what the letter is higher.
//! In slanted faces "over" follows the slant.
//!
//! Not here: kerning and ligatures, which these faces do not have, and scripts from right to left.

use super::outline::Point;
use std::collections::BTreeSet;

/// Letters of one kind within a line of text.
pub(super) struct Span {
    pub(super) text: String,
    /// Pixels to the em.
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) italic: bool,
    /// How far it is moved against the end of the span before it, in pixels.
    pub(super) shift: (f64, f64),
}

/// A line of text.
pub(super) struct Set {
    /// The outlines of all letters.
    pub(super) areas: Vec<Vec<Point>>,
    /// What no face has.
    pub(super) missing: BTreeSet<char>,
}

const UPRIGHT: Face = Face { data: include_bytes!("../../fonts/polhode-sans.ttf"), slant: 0.0 };
const OBLIQUE: Face = Face { data: include_bytes!("../../fonts/polhode-sans-oblique.ttf"), slant: 0.194 };
const BOLD: Face = Face { data: include_bytes!("../../fonts/polhode-sans-bold.ttf"), slant: 0.0 };

/// How far splines are from the segments that stand for them, in pixels.
const SLACK: f64 = 0.05;

/// Glyphs within glyphs within glyphs.
const DEEPEST: usize = 4;

/// Sets a line: its beginning, its middle or its end is at a point, for an anchor of 0, ½ or 1.
pub(super) fn set(spans: &[Span], at: Point, anchor: f64) -> Set {
    let mut set = Set { areas: Vec::new(), missing: BTreeSet::new() };
    let mut pen = at;
    for span in spans {
        pen = (pen.0 + span.shift.0, pen.1 + span.shift.1);
        let letters: Vec<char> = span.text.chars().filter(|c| !is_invisible(*c)).collect();
        for cluster in letters.chunk_by(|_, next| is_accent(*next)) {
            pen.0 += set.cluster(cluster, span, pen);
        }
    }
    let back = anchor * (pen.0 - at.0);
    set.areas.iter_mut().flatten().for_each(|p| p.0 -= back);
    set
}

impl Set {
    /// A letter with its accents; returns its advance.
    fn cluster(&mut self, letters: &[char], span: &Span, pen: Point) -> f64 {
        let preferred = if span.italic {
            &OBLIQUE
        } else if span.bold {
            &BOLD
        } else {
            &UPRIGHT
        };
        let has_all = |face: &&Face| letters.iter().all(|c| face.glyph(*c) != 0);
        let face = Some(preferred).filter(has_all).unwrap_or(&UPRIGHT);
        let scale = span.size / face.em();
        let mut place = |glyph: usize, (dx, dy): Point| {
            let to_page = |p: Point| (pen.0 + (p.0 + dx) * scale, pen.1 - (p.1 + dy) * scale);
            for contour in face.contours(glyph, DEEPEST) {
                self.areas.push(flattened(&contour.into_iter().map(|(p, on)| (to_page(p), on)).collect::<Vec<_>>()));
            }
        };
        // a letter under an accent has no dot of its own
        let first = match letters[0] {
            'i' if letters.len() > 1 && face.glyph('ı') != 0 => 'ı',
            c => c,
        };
        let base = face.glyph(first);
        place(base, (0.0, 0.0));
        let [first, mut lowest, end, mut highest] = face.bounds(base).unwrap_or([0.0; 4]);
        let middle = (lowest + highest) / 2.0;
        let x_height = face.bounds(face.glyph('x')).map_or(0.0, |b| b[3]);
        for accent in &letters[1..] {
            let glyph = face.glyph(*accent);
            let Some([left, low, right, high]) = face.bounds(glyph) else { continue };
            let above = high > 0.0;
            let up = if above { (highest - x_height).max(0.0) } else { lowest.min(0.0) };
            let lean = face.slant * ((low + high) / 2.0 + up - middle);
            place(glyph, ((first + end) / 2.0 + lean - (left + right) / 2.0, up));
            if above {
                highest = high + up;
            } else {
                lowest = low + up;
            }
        }
        self.missing.extend(letters.iter().filter(|c| face.glyph(**c) == 0));
        face.advance(base) * scale
    }
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}')
}

/// What steers the setting of text and is not a letter itself.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Points of splines as a polygon: points off the curve are control points, and halfway between two of them is one on it.
fn flattened(points: &[(Point, bool)]) -> Vec<Point> {
    let middle = |a: Point, b: Point| ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    let n = points.len();
    let start = points.iter().position(|(_, on)| *on).unwrap_or(0);
    let (first, on) = points[start];
    let first = if on { first } else { middle(first, points[n - 1].0) };
    let mut line = vec![first];
    let mut control: Option<Point> = None;
    let from = usize::from(on);
    for k in from..=n {
        let (p, on) = if k == n { (first, true) } else { points[(start + k) % n] };
        let last = line[line.len() - 1];
        match (control, on) {
            (None, true) => line.push(p),
            (None, false) => control = Some(p),
            (Some(c), on) => {
                spline(&mut line, last, c, if on { p } else { middle(c, p) });
                control = (!on).then_some(p);
            }
        }
    }
    line
}

fn spline(line: &mut Vec<Point>, a: Point, c: Point, b: Point) {
    let bend = (a.0 - 2.0 * c.0 + b.0).hypot(a.1 - 2.0 * c.1 + b.1);
    let count = (bend / (4.0 * SLACK)).sqrt().ceil().max(1.0);
    for k in 1..=count as usize {
        let t = k as f64 / count;
        let (u, v, w) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
        line.push((u * a.0 + v * c.0 + w * b.0, u * a.1 + v * c.1 + w * b.1));
    }
}

/// A TrueType file.
struct Face {
    data: &'static [u8],
    /// How far letters lean to the right for each unit upwards.
    slant: f64,
}

/// A point of a contour in units of the face, and whether the curve goes through it.
type Knot = (Point, bool);

impl Face {
    fn u16(&self, at: usize) -> usize {
        usize::from(u16::from_be_bytes([self.data[at], self.data[at + 1]]))
    }

    fn i16(&self, at: usize) -> f64 {
        f64::from(i16::from_be_bytes([self.data[at], self.data[at + 1]]))
    }

    fn u32(&self, at: usize) -> usize {
        self.u16(at) << 16 | self.u16(at + 2)
    }

    /// Where a table begins.
    fn table(&self, name: &[u8; 4]) -> usize {
        let records = (0..self.u16(4)).map(|k| 12 + 16 * k);
        records.into_iter().find(|r| &self.data[*r..r + 4] == name).map_or(0, |r| self.u32(r + 8))
    }

    fn em(&self) -> f64 {
        self.u16(self.table(b"head") + 18) as f64
    }

    /// The glyph of a character, 0 for none: by segments of the Basic Multilingual Plane (format 4), which has all characters of these faces.
    fn glyph(&self, c: char) -> usize {
        let (code, cmap) = (c as usize, self.table(b"cmap"));
        let tables = (0..self.u16(cmap + 2)).map(|k| cmap + self.u32(cmap + 8 + 8 * k));
        let Some(table) = tables.into_iter().find(|t| self.u16(*t) == 4).filter(|_| code < 0xffff) else { return 0 };
        let doubled = self.u16(table + 6);
        let (ends, starts) = (table + 14, table + 16 + doubled);
        let (deltas, offsets) = (starts + doubled, starts + 2 * doubled);
        let Some(k) = (0..doubled).step_by(2).find(|k| code <= self.u16(ends + k)) else { return 0 };
        let start = self.u16(starts + k);
        if code < start {
            return 0;
        }
        let (delta, offset) = (self.u16(deltas + k), self.u16(offsets + k));
        if offset == 0 {
            return (code + delta) & 0xffff;
        }
        match self.u16(offsets + k + offset + 2 * (code - start)) {
            0 => 0,
            glyph => (glyph + delta) & 0xffff,
        }
    }

    fn advance(&self, glyph: usize) -> f64 {
        let known = self.u16(self.table(b"hhea") + 34);
        self.u16(self.table(b"hmtx") + 4 * glyph.min(known - 1)) as f64
    }

    /// Where the description of a glyph begins, if it is not blank.
    fn description(&self, glyph: usize) -> Option<usize> {
        let (loca, glyf) = (self.table(b"loca"), self.table(b"glyf"));
        let long = self.u16(self.table(b"head") + 50) == 1;
        let offset = |k: usize| if long { self.u32(loca + 4 * k) } else { 2 * self.u16(loca + 2 * k) };
        (offset(glyph) < offset(glyph + 1)).then(|| glyf + offset(glyph))
    }

    /// Left, low, right and high end of a glyph.
    fn bounds(&self, glyph: usize) -> Option<[f64; 4]> {
        self.description(glyph).map(|at| [2, 4, 6, 8].map(|k| self.i16(at + k)))
    }

    fn contours(&self, glyph: usize, depth: usize) -> Vec<Vec<Knot>> {
        let Some(at) = self.description(glyph).filter(|_| depth > 0) else { return Vec::new() };
        match self.i16(at) {
            count if count >= 0.0 => self.simple(at + 10, count as usize),
            _ => self.composite(at + 10, depth),
        }
    }

    fn simple(&self, at: usize, count: usize) -> Vec<Vec<Knot>> {
        let ends: Vec<usize> = (0..count).map(|k| self.u16(at + 2 * k) + 1).collect();
        let points = ends.last().copied().unwrap_or(0);
        let mut at = at + 2 * count;
        at += 2 + self.u16(at); // instructions
        let mut flags = Vec::with_capacity(points);
        while flags.len() < points {
            let flag = self.data[at];
            at += 1;
            let mut times = 1;
            if flag & 8 != 0 {
                times += usize::from(self.data[at]);
                at += 1;
            }
            flags.extend(std::iter::repeat_n(flag, times));
        }
        let mut coordinates = |short: u8, same: u8| {
            let mut x = 0.0;
            let step = |flag: &u8| {
                match (flag & short != 0, flag & same != 0) {
                    (true, positive) => {
                        let size = f64::from(self.data[at]);
                        x += if positive { size } else { -size };
                        at += 1;
                    }
                    (false, true) => {}
                    (false, false) => {
                        x += self.i16(at);
                        at += 2;
                    }
                }
                x
            };
            flags.iter().map(step).collect::<Vec<f64>>()
        };
        let (x, y) = (coordinates(2, 16), coordinates(4, 32));
        let knots: Vec<Knot> = (0..points).map(|k| ((x[k], y[k]), flags[k] & 1 != 0)).collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts.zip(&ends).map(|(start, end)| knots[start..*end].to_vec()).filter(|c| c.len() > 1).collect()
    }

    /// Glyphs moved, and turned or scaled, by a matrix.
    fn composite(&self, mut at: usize, depth: usize) -> Vec<Vec<Knot>> {
        let mut all = Vec::new();
        loop {
            let (flags, glyph) = (self.u16(at), self.u16(at + 2));
            let (dx, dy) = match flags & 1 != 0 {
                true => (self.i16(at + 4), self.i16(at + 6)),
                false => (f64::from(self.data[at + 4] as i8), f64::from(self.data[at + 5] as i8)),
            };
            at += if flags & 1 != 0 { 8 } else { 6 };
            let fixed = |k: usize| self.i16(at + 2 * k) / 16384.0;
            let (matrix, length) = match flags {
                f if f & 0x08 != 0 => ([fixed(0), 0.0, 0.0, fixed(0)], 2),
                f if f & 0x40 != 0 => ([fixed(0), 0.0, 0.0, fixed(1)], 4),
                f if f & 0x80 != 0 => ([fixed(0), fixed(1), fixed(2), fixed(3)], 8),
                _ => ([1.0, 0.0, 0.0, 1.0], 0),
            };
            at += length;
            let [a, b, c, d] = matrix;
            for contour in self.contours(glyph, depth - 1) {
                let moved = |((x, y), on): Knot| ((a * x + c * y + dx, b * x + d * y + dy), on);
                all.push(contour.into_iter().map(moved).collect());
            }
            if flags & 0x20 == 0 {
                return all;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, italic: bool, anchor: f64) -> Set {
        let span = Span { text: text.into(), size: 100.0, bold: false, italic, shift: (0.0, 0.0) };
        set(&[span], (0.0, 0.0), anchor)
    }

    fn bounds(areas: &[Vec<Point>]) -> [f64; 4] {
        let all = || areas.iter().flatten();
        let x = || all().map(|p| p.0);
        let y = || all().map(|p| -p.1);
        let least = |v: &mut dyn Iterator<Item = f64>| v.fold(f64::INFINITY, f64::min);
        let most = |v: &mut dyn Iterator<Item = f64>| v.fold(f64::NEG_INFINITY, f64::max);
        [least(&mut x()), least(&mut y()), most(&mut x()), most(&mut y())]
    }

    /// The em of DejaVu Sans is 2048 units; its capital I is 604 wide, with a stem 201 wide from the base line to 1493.
    #[test]
    fn a_letter_is_where_it_belongs() {
        let ends = bounds(&line("I", false, 0.0).areas);
        let expected = [201.0, 0.0, 403.0, 1493.0].map(|x| x * 100.0 / 2048.0);
        assert!(ends.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.06), "{ends:?} {expected:?}");
        let ends = [0.5, 1.0].map(|anchor| bounds(&line("I", false, anchor).areas)[0]);
        let moved = [0.5, 1.0].map(|anchor| (201.0 - 604.0 * anchor) * 100.0 / 2048.0);
        assert!(ends.iter().zip(moved).all(|(a, b)| (a - b).abs() < 0.06), "{ends:?} {moved:?}");
    }

    /// A dot is over the middle of its letter, clear of it, and a second one clear of the first.
    #[test]
    fn accents_are_over_their_letters() {
        for (letter, italic) in [("x", false), ("θ", false), ("M", false), ("θ", true)] {
            let [left, _, right, top] = bounds(&line(letter, italic, 0.0).areas);
            let mut above = top;
            for accents in ["\u{307}", "\u{307}\u{307}"] {
                let whole = line(&format!("{letter}{accents}"), italic, 0.0).areas;
                let [x0, y0, x1, y1] = bounds(&whole[whole.len() - 1..]);
                assert!(y0 > above + 2.0 && y0 < above + 16.0, "{letter}: {y0} over {above}");
                let lean = if italic { 0.194 * ((y0 + y1) / 2.0 - top / 2.0) } else { 0.0 };
                assert!(((x0 + x1 - left - right) / 2.0 - lean).abs() < 1.0, "{letter}");
                above = y1;
            }
        }
        assert_eq!(line("i\u{307}", false, 0.0).areas.len(), 2, "the dot of an i gives way");
    }
}
