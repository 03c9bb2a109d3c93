//! Pixels: polygons in a colour, with soft edges, and layers that are seen through.
//!
//! How much of a pixel is covered is the mean over [`ROWS`] lines through it of the length within the polygons, by the rule "winding number not zero".
//! Colours are laid over each other as in \[PorterDuff1984\]: C = αc + (1 − α)C′, with channels already multiplied by α.

use super::outline::Point;
use crate::colour::Rgb;
use crate::png::Picture;

/// Lines through each row of pixels.
const ROWS: usize = 8;

/// What polygons are filled with.
pub(super) struct Paint {
    pub(super) colour: Colour,
    /// How much of what is below is covered, from 0 to 1.
    pub(super) covers: f64,
}

pub(super) enum Colour {
    Plain(Rgb),
    /// From one place to another, along x or y, with stops from 0 to 1 between them.
    Scale {
        upright: bool,
        from: f64,
        to: f64,
        stops: Vec<(f64, Rgb)>,
    },
}

impl Colour {
    /// A scale that goes to the right, or up, over an area.
    pub(super) fn along([low, high]: [Point; 2], upright: bool, stops: Vec<(f64, Rgb)>) -> Self {
        let (from, to) = if upright { (high.1, low.1) } else { (low.0, high.0) };
        Colour::Scale { upright, from, to, stops }
    }

    fn at(&self, x: f64, y: f64) -> Rgb {
        match self {
            Colour::Plain(rgb) => *rgb,
            Colour::Scale { upright, from, to, stops } => {
                let u = (if *upright { y } else { x } - from) / (to - from);
                let k = stops.iter().position(|stop| stop.0 > u).unwrap_or(stops.len()).clamp(1, stops.len() - 1);
                let ((u0, a), (u1, b)) = (stops[k - 1], stops[k]);
                let part = ((u - u0) / (u1 - u0)).clamp(0.0, 1.0);
                std::array::from_fn(|i| (f64::from(a[i]) + part * (f64::from(b[i]) - f64::from(a[i]))).round() as u8)
            }
        }
    }
}

/// Pixels in rows from the top: red, green, blue, each multiplied by what the fourth number says is covered.
pub(super) struct Page {
    pub(super) width: usize,
    pub(super) height: usize,
    pixels: Vec<[u8; 4]>,
    /// Rows that something was drawn in.
    used: std::ops::Range<usize>,
}

/// A side of a polygon, from its first line on.
struct Side {
    first: usize,
    /// The line after its last one.
    end: usize,
    /// Where it crosses the line it has come to, and how much further to the right it is on the next one.
    x: f64,
    step: f64,
    /// Whether it goes down or up.
    turns: i32,
}

impl Page {
    pub(super) fn white(width: usize, height: usize) -> Self {
        Page { width, height, pixels: vec![[255; 4]; width * height], used: 0..height }
    }

    pub(super) fn clear(width: usize, height: usize) -> Self {
        Page { width, height, pixels: vec![[0; 4]; width * height], used: 0..0 }
    }

    /// Red, green and blue of all pixels of a page without holes.
    pub(super) fn rgb(&self) -> Vec<Rgb> {
        self.pixels.iter().map(|[r, g, b, _]| [*r, *g, *b]).collect()
    }

    /// What lies within any of the polygons.
    pub(super) fn fill(&mut self, areas: &[Vec<Point>], paint: &Paint) {
        let mut sides = self.sides(areas);
        sides.sort_unstable_by_key(|s| s.first);
        let Some(first) = sides.first().map(|s| s.first / ROWS) else { return };
        let last = sides.iter().map(|s| s.end).max().unwrap_or(0).div_ceil(ROWS);
        self.use_rows(first, last);
        let mut later = sides.into_iter().peekable();
        let mut crossed: Vec<Side> = Vec::new();
        let mut row = Row { changes: vec![0.0; self.width + 2], left: usize::MAX, right: 0 };
        for y in first..last {
            for line in y * ROWS..(y + 1) * ROWS {
                while let Some(side) = later.next_if(|s| s.first <= line) {
                    crossed.push(side);
                }
                crossed.retain(|s| s.end > line);
                crossed.sort_by(|a, b| a.x.total_cmp(&b.x));
                let (mut winding, mut start) = (0, 0.0);
                for side in &mut crossed {
                    if winding == 0 {
                        start = side.x;
                    }
                    winding += side.turns;
                    if winding == 0 {
                        row.add(start, side.x);
                    }
                    side.x += side.step;
                }
            }
            self.blend(y, &mut row, paint);
        }
    }

    /// The sides of polygons that cross lines of the page.
    fn sides(&self, areas: &[Vec<Point>]) -> Vec<Side> {
        let lines = (self.height * ROWS) as f64;
        let mut sides = Vec::new();
        for area in areas {
            for (k, a) in area.iter().enumerate() {
                let b = &area[(k + 1) % area.len()];
                let (turns, (top, bottom)) = if a.1 < b.1 { (1, (a, b)) } else { (-1, (b, a)) };
                // line k goes through the middle of its strip
                let line = |y: f64| (y * ROWS as f64 - 0.5).ceil().clamp(0.0, lines) as usize;
                let (first, end) = (line(top.1), line(bottom.1));
                if first < end && [a.0, a.1, b.0, b.1].iter().all(|x| x.is_finite()) {
                    let slope = (bottom.0 - top.0) / (bottom.1 - top.1);
                    let x = top.0 + slope * ((first as f64 + 0.5) / ROWS as f64 - top.1);
                    sides.push(Side { first, end, x, step: slope / ROWS as f64, turns });
                }
            }
        }
        sides
    }

    /// Colours a row of pixels, and clears what was known of it.
    fn blend(&mut self, y: usize, row: &mut Row, paint: &Paint) {
        let mut covered = 0.0;
        let pixels = &mut self.pixels[y * self.width..(y + 1) * self.width];
        for x in row.left..(row.right + 1).min(self.width) {
            covered += row.changes[x];
            let part = (f64::from(covered) * paint.covers * 255.0).round() as u32;
            if part > 0 {
                let rgb = paint.colour.at(x as f64 + 0.5, y as f64 + 0.5);
                pixels[x] = over([rgb[0], rgb[1], rgb[2], 255], part, pixels[x]);
            }
        }
        if row.left <= row.right {
            row.changes[row.left..=row.right].fill(0.0);
        }
        (row.left, row.right) = (usize::MAX, 0);
    }

    /// Lays a layer over the page, so much of which covers it.
    pub(super) fn lay(&mut self, layer: &Page, covers: f64) {
        let part = (covers * 255.0).round() as u32;
        self.use_rows(layer.used.start, layer.used.end);
        let range = layer.used.start * self.width..layer.used.end * self.width;
        for (below, above) in self.pixels[range.clone()].iter_mut().zip(&layer.pixels[range]) {
            if above[3] > 0 {
                *below = over(*above, part, *below);
            }
        }
    }

    /// Cells with sharp edges: each pixel has the colour of the cell that its middle is in.
    pub(super) fn cells(&mut self, (x, y): Point, (wide, high): (f64, f64), picture: &Picture) {
        let rows = picture.pixels.len() / picture.width;
        let place = |at: usize, from: f64, length: f64, count: usize| {
            let part = (at as f64 + 0.5 - from) / length;
            (0.0..1.0).contains(&part).then_some((part * count as f64) as usize)
        };
        let across: Vec<_> = (0..self.width).map(|k| place(k, x, wide, picture.width)).collect();
        for k in 0..self.height {
            let Some(row) = place(k, y, high, rows) else { continue };
            for (pixel, cell) in self.pixels[k * self.width..].iter_mut().zip(&across) {
                if let Some(cell) = cell {
                    let [r, g, b] = picture.pixels[row * picture.width + cell];
                    *pixel = [r, g, b, 255];
                }
            }
        }
    }

    fn use_rows(&mut self, first: usize, end: usize) {
        let used = &self.used;
        self.used = if used.is_empty() { first..end } else { used.start.min(first)..used.end.max(end) };
    }
}

/// How much of each pixel of a row is covered, as differences from pixel to pixel.
struct Row {
    changes: Vec<f32>,
    /// The first and the last difference that is not zero.
    left: usize,
    right: usize,
}

impl Row {
    /// Covers one of the lines between two places.
    fn add(&mut self, from: f64, to: f64) {
        self.edge(from, 1.0 / ROWS as f32);
        self.edge(to, -1.0 / ROWS as f32);
    }

    /// Everything to the right of a place.
    fn edge(&mut self, x: f64, weight: f32) {
        let x = x.clamp(0.0, (self.changes.len() - 2) as f64);
        let (pixel, part) = (x as usize, x.fract() as f32);
        self.changes[pixel] += weight * (1.0 - part);
        self.changes[pixel + 1] += weight * part;
        self.left = self.left.min(pixel);
        self.right = self.right.max(pixel + 1);
    }
}

/// A colour laid over another; `part` of 255 of it covers.
fn over(above: [u8; 4], part: u32, below: [u8; 4]) -> [u8; 4] {
    let left = 255 * 255 - u32::from(above[3]) * part;
    std::array::from_fn(|k| ((255 * u32::from(above[k]) * part + left * u32::from(below[k]) + 32512) / 65025) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn black(covers: f64) -> Paint {
        Paint { colour: Colour::Plain([0; 3]), covers }
    }

    fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> Vec<Point> {
        vec![(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    }

    fn greys(page: &Page) -> Vec<u8> {
        page.pixels.iter().map(|p| p[0]).collect()
    }

    #[test]
    fn pixels_are_as_dark_as_they_are_covered() {
        let mut page = Page::white(4, 2);
        page.fill(&[rectangle(0.25, 0.0, 2.5, 0.5)], &black(1.0));
        assert_eq!(greys(&page), [159, 127, 191, 255, 255, 255, 255, 255]);
        let mut page = Page::white(2, 1);
        page.fill(&[rectangle(-1e9, -1e9, 1e9, 1e9)], &black(0.5));
        assert_eq!(greys(&page), [127, 127]);
    }

    /// Where polygons overlap, nothing is covered twice; where they go round in opposite senses, they leave a hole.
    #[test]
    fn polygons_are_united() {
        let mut page = Page::white(3, 1);
        page.fill(&[rectangle(0.0, 0.0, 2.0, 1.0), rectangle(1.0, 0.0, 2.5, 1.0)], &black(0.4));
        assert_eq!(greys(&page), [153, 153, 204]);
        let mut hole = rectangle(1.0, 0.0, 2.0, 1.0);
        hole.reverse();
        let mut page = Page::white(3, 1);
        page.fill(&[rectangle(0.0, 0.0, 3.0, 1.0), hole], &black(1.0));
        assert_eq!(greys(&page), [0, 255, 0]);
    }

    /// What is drawn twice in a layer that is seen through does not show twice.
    #[test]
    fn layers_do_not_cover_themselves() {
        let (mut page, mut layer) = (Page::white(2, 1), Page::clear(2, 1));
        for _ in 0..2 {
            layer.fill(&[rectangle(0.0, 0.0, 1.0, 1.0)], &black(1.0));
        }
        page.lay(&layer, 0.4);
        assert_eq!(greys(&page), [153, 255]);
    }

    #[test]
    fn scales_go_upwards_and_to_the_right() {
        let shades = |upright, area: Vec<Point>| {
            let mut page = Page::white(2, 2);
            let colour =
                Colour::along([area[0], area[2]], upright, vec![(0.0, [0; 3]), (0.5, [100; 3]), (1.0, [200; 3])]);
            page.fill(&[area], &Paint { colour, covers: 1.0 });
            greys(&page)
        };
        assert_eq!(shades(true, rectangle(0.0, 0.0, 2.0, 2.0)), [150, 150, 50, 50]);
        assert_eq!(shades(false, rectangle(0.0, 0.0, 2.0, 2.0)), [50, 150, 50, 150]);
    }
}
