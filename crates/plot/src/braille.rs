//! Curves as braille characters: each cell has two by four dots, which are squares on a terminal.
//!
//! A curve against time marks, in every column of dots, the dots between its smallest and its largest
//! value there, with the line between samples counted in. Fast oscillations become bands with their
//! true height, and a single spike is seen. Half a dot is taken off at both ends of what a column
//! covers: slow curves stay one dot thick, and columns still touch.
//!
//! ```text
//! dots of a cell    0 3        character U+2800 + Σ 2^dot
//!                   1 4
//!                   2 5
//!                   6 7
//! ```

use crate::range::{Extent, Range};

/// A rectangle of dots, the first at the lower left.
#[derive(Clone, Debug)]
pub struct Canvas {
    width: usize,
    height: usize,
    cells: Vec<u8>, // one bit for each dot, rows from the top
}

impl Canvas {
    /// So many characters wide and high, without dots.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, cells: vec![0; width * height] }
    }

    /// Columns of dots.
    pub fn dots_across(&self) -> usize {
        2 * self.width
    }

    /// Rows of dots.
    pub fn dots_up(&self) -> usize {
        4 * self.height
    }

    /// Marks the dot in a column from the left and a row from below; outside there are none.
    pub fn mark(&mut self, column: usize, row: usize) {
        if column >= self.dots_across() || row >= self.dots_up() {
            return;
        }
        const BITS: [[u8; 4]; 2] = [[0, 1, 2, 6], [3, 4, 5, 7]];
        let from_top = self.dots_up() - 1 - row;
        self.cells[from_top / 4 * self.width + column / 2] |= 1 << BITS[column % 2][from_top % 4];
    }

    /// Draws `y` over `x`, where the ranges are the edges of the canvas.
    pub fn curve(&mut self, points: &[(f64, f64)], x: Range, y: Range) {
        let (across, up) = (self.dots_across(), self.dots_up());
        if across == 0 || up == 0 {
            return;
        }
        let place = |p: (f64, f64)| (x.fraction(p.0) * across as f64, y.fraction(p.1) * up as f64);
        let mut cover: Vec<Option<Extent>> = vec![None; across];
        for run in runs(points) {
            let ends = run.iter().zip(run.iter().skip(1).chain(run.last()));
            for (&p, &q) in ends {
                let (mut p, mut q) = (place(p), place(q));
                if p.0 > q.0 {
                    std::mem::swap(&mut p, &mut q);
                }
                let column = |x: f64| (x.floor() as usize).min(across - 1);
                for i in column(p.0.max(0.0))..=column(q.0.max(0.0)) {
                    let at = |x: f64| p.1 + (q.1 - p.1) * (x - p.0) / (q.0 - p.0);
                    let a = if p.0 < i as f64 { at(i as f64) } else { p.1 };
                    let b = if q.0 > (i + 1) as f64 { at((i + 1) as f64) } else { q.1 };
                    let known = cover[i].map_or([a, b], |e| [e.min, e.max]);
                    cover[i] = Extent::of([a, b].into_iter().chain(known));
                }
            }
        }
        for (i, extent) in cover.into_iter().enumerate() {
            let Some(Extent { min, max }) = extent else { continue };
            let trim = ((max - min) / 2.0).min(0.5);
            let row = |y: f64| (y.floor().max(0.0) as usize).min(up - 1);
            for j in row(min + trim)..=row((max - trim).max(min + trim)) {
                self.mark(i, j);
            }
        }
    }

    /// Draws a curve in the plane; coordinates are those of dots.
    pub fn line(&mut self, points: &[(f64, f64)]) {
        for run in runs(points) {
            let ends = run.iter().zip(run.iter().skip(1).chain(run.last()));
            for (p, q) in ends {
                let (dx, dy) = (q.0 - p.0, q.1 - p.1);
                let steps = dx.abs().max(dy.abs()).ceil().clamp(1.0, 1e6);
                for i in 0..=steps as usize {
                    let s = i as f64 / steps;
                    let (u, v) = ((p.0 + s * dx).round(), (p.1 + s * dy).round());
                    if u >= 0.0 && v >= 0.0 {
                        self.mark(u as usize, v as usize);
                    }
                }
            }
        }
    }

    /// The characters, a string for each row from the top; without dots they are blanks.
    pub fn rows(&self) -> Vec<String> {
        let character = |&cell: &u8| match cell {
            0 => ' ',
            dots => char::from_u32(0x2800 + u32::from(dots)).expect("256 braille characters"),
        };
        (0..self.height).map(|i| self.cells[i * self.width..][..self.width].iter().map(character).collect()).collect()
    }
}

/// Stretches of points that are finite.
fn runs(points: &[(f64, f64)]) -> impl Iterator<Item = &[(f64, f64)]> {
    points.split(|p| !(p.0.is_finite() && p.1.is_finite())).filter(|run| !run.is_empty())
}

fn finite(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    runs(points).flatten().copied()
}

/// One curve over its own range, in so many characters.
pub fn sparkline(points: &[(f64, f64)], width: usize, height: usize) -> Vec<String> {
    sparklines(&[points], width, height)
}

/// Values at equal distances.
pub fn sparkline_of_values(values: &[f64], width: usize, height: usize) -> Vec<String> {
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(i, &y)| (i as f64, y)).collect();
    sparkline(&points, width, height)
}

/// Several curves over the range they have together.
pub fn sparklines(curves: &[&[(f64, f64)]], width: usize, height: usize) -> Vec<String> {
    let mut canvas = Canvas::new(width, height);
    let all = || curves.iter().flat_map(|points| finite(points));
    if let (Some(x), Some(y)) = (Extent::of(all().map(|p| p.0)), Extent::of(all().map(|p| p.1))) {
        for points in curves {
            canvas.curve(points, x.tight(), y.tight());
        }
    }
    canvas.rows()
}

/// A curve in the plane, as large as it can be in so many characters with one scale for both axes.
///
/// What comes back is as wide and as high as the track: at most `width` by `height`.
pub fn track(points: &[(f64, f64)], width: usize, height: usize) -> Vec<String> {
    let x = Extent::of(finite(points).map(|p| p.0));
    let y = Extent::of(finite(points).map(|p| p.1));
    let (Some(x), Some(y)) = (x, y) else { return Vec::new() };
    if width == 0 || height == 0 {
        return Vec::new();
    }
    let room = [2 * width - 1, 4 * height - 1].map(|n| n as f64);
    let size = [x.max - x.min, y.max - y.min];
    // Dots per unit; a point has no size and any scale will do.
    let scale = (0..2).filter(|&i| size[i] > 0.0).map(|i| room[i] / size[i]).fold(f64::INFINITY, f64::min);
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let needed = [size[0] * scale, size[1] * scale].map(|dots| dots.round() as usize + 1);
    let mut canvas = Canvas::new(needed[0].div_ceil(2).min(width), needed[1].div_ceil(4).min(height));
    let place = |&(u, v): &(f64, f64)| ((u - x.min) * scale, (v - y.min) * scale);
    // Rows are filled from below; a remainder of empty dots is shared by top and bottom.
    let lift = ((canvas.dots_up() - needed[1].min(canvas.dots_up())) / 2) as f64;
    let dots: Vec<(f64, f64)> = points.iter().map(place).map(|(u, v)| (u, v + lift)).collect();
    canvas.line(&dots);
    canvas.rows()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over_time(n: usize, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (0..=n).map(|i| i as f64 / n as f64).map(|t| (t, f(t))).collect()
    }

    #[track_caller]
    fn same(found: &[String], expected: &str) {
        let expected: Vec<&str> =
            expected.trim_matches('\n').lines().map(|line| line.trim().trim_matches('|')).collect();
        assert!(found == expected, "found\n{}\nexpected\n{}", found.join("|\n"), expected.join("|\n"));
    }

    fn dots(rows: &[String]) -> Vec<usize> {
        let cells =
            |row: &String| row.chars().map(|c| if c == ' ' { 0 } else { (c as u32 - 0x2800).count_ones() }).sum();
        rows.iter()
            .map(|row| {
                let n: u32 = cells(row);
                n as usize
            })
            .collect()
    }

    #[test]
    fn every_dot_has_its_bit() {
        let mut seen = Vec::new();
        for column in 0..2 {
            for row in 0..4 {
                let mut canvas = Canvas::new(1, 1);
                canvas.mark(column, row);
                seen.push(canvas.rows()[0].clone());
            }
        }
        assert_eq!(seen.concat(), "⡀⠄⠂⠁⢀⠠⠐⠈");
    }

    #[test]
    fn slow_curves_are_one_dot_thick() {
        for slope in [0.0, 0.1, 0.3, 0.5, 0.9, 1.0] {
            let mut canvas = Canvas::new(20, 10);
            let line = [(0.0, 0.0), (40.0, 40.0 * slope)];
            canvas.curve(&line, Range::new(0.0, 40.0), Range::new(0.0, 40.0));
            assert_eq!(dots(&canvas.rows()).iter().sum::<usize>(), 40, "slope {slope}");
        }
    }

    /// A hundred thousand samples of a beat: no column may be lower than the envelope.
    #[test]
    fn fast_oscillations_keep_their_height() {
        let beat = |t: f64| (2.0 * std::f64::consts::PI * t).cos() * (5000.0 * t).sin();
        same(
            &sparkline(&over_time(100_000, beat), 24, 4),
            "
            |⣿⣷⣦⣄    ⣠⣴⣾⣿⣿⣷⣦⣄    ⣠⣴⣾⣿|
            |⣿⣿⣿⣿⣷⣄⣠⣾⣿⣿⣿⣿⣿⣿⣿⣿⣷⣄⣠⣾⣿⣿⣿⣿|
            |⣿⣿⣿⣿⡿⠋⠙⢿⣿⣿⣿⣿⣿⣿⣿⣿⡿⠋⠙⢿⣿⣿⣿⣿|
            |⣿⡿⠟⠋    ⠙⠻⢿⣿⣿⡿⠟⠋    ⠙⠻⢿⣿|",
        );
    }

    #[test]
    fn one_sample_is_enough_to_be_seen() {
        let spike = over_time(10_000, |t| if t == 0.5 { 1.0 } else { 0.0 });
        same(
            &sparkline(&spike, 10, 2),
            "
            |    ⢸⡇    |
            |⣀⣀⣀⣀⣸⣇⣀⣀⣀⣀|",
        );
    }

    #[test]
    fn curves() {
        same(
            &sparkline(&over_time(300, |t| (9.0 * t).sin()), 30, 3),
            "
            | ⣀⠔⠊⠉⠉⠉⠒⢄⡀            ⡠⠔⠉⠉⠉⠉⠒⢄|
            |⠊        ⠈⠢⡀        ⡠⠊        |
            |           ⠈⠒⠤⣀⣀⣀⡠⠔⠉          |",
        );
        same(
            &sparkline(&over_time(300, |t| (9.0 * t).sin()), 30, 1),
            "
            |⠒⠒⠉⠉⠉⠉⠉⠉⠑⠒⠢⠤⣀⣀⣀⣀⣀⣀⣀⠤⠤⠒⠊⠉⠉⠉⠉⠉⠉⠑|",
        );
        same(
            &sparkline_of_values(&[0.0, 1.0, 4.0, 9.0, 16.0], 8, 2),
            "
            |     ⢀⡠⠊|
            |⣀⣀⡠⠤⠒⠁  |",
        );
    }

    #[test]
    fn constants_gaps_and_nothing() {
        same(
            &sparkline_of_values(&[3.0; 5], 6, 1),
            "
            |⠒⠒⠒⠒⠒⠒|",
        );
        let n = f64::NAN;
        same(
            &sparkline_of_values(&[0.0, 1.0, n, n, 1.0, f64::INFINITY, 0.0, n, 0.5], 12, 1),
            "
            |⡰⠉    ⠁  ⡀ ⠐|",
        );
        same(&sparkline(&[], 4, 1), "|    |");
        same(&sparkline(&[(n, 1.0)], 4, 1), "|    |");
        assert!(sparkline(&[(0.0, 1.0)], 0, 0).is_empty());
        assert_eq!(dots(&sparkline(&[(0.0, 1.0)], 5, 1)), [1]);
        assert_eq!(dots(&sparkline(&[(0.0, f64::MAX), (1.0, -f64::MAX)], 5, 1)), [10]);
    }

    #[test]
    fn curves_share_a_range() {
        let (a, b) = (over_time(50, |t| t), over_time(50, |t| 1.0 - t));
        same(
            &sparklines(&[&a, &b], 8, 4),
            "
            |⠑⢄    ⡠⠊|
            |  ⠑⢄⡠⠊  |
            |  ⡠⠊⠑⢄  |
            |⡠⠊    ⠑⢄|",
        );
    }

    #[test]
    fn time_may_run_backwards() {
        let forwards = over_time(100, |t| t * t);
        let backwards: Vec<(f64, f64)> = forwards.iter().rev().copied().collect();
        assert_eq!(sparkline(&forwards, 12, 3), sparkline(&backwards, 12, 3));
    }

    #[test]
    fn tracks_have_one_scale() {
        let circle = over_time(200, |t| t).into_iter().map(|(t, _)| (7.0 * t).sin_cos()).collect::<Vec<_>>();
        same(
            &track(&circle, 40, 5),
            "
            | ⣠⠔⠊⠉⠉⠑⠲⣄ |
            |⡰⠁      ⠈⢇|
            |⡇        ⢸|
            |⠱⡀      ⢀⡎|
            | ⠙⠦⣄⣀⣀⡠⠔⠋ |",
        );
        let lying: Vec<(f64, f64)> = over_time(100, |t| (6.0 * t).sin() / 8.0);
        same(
            &track(&lying, 24, 8),
            "
            |    ⣀⡤⠤⢤⣀               |
            |⢀⡤⠒⠉     ⠉⠲⢄⡀           |
            |⠁           ⠙⠢⣄       ⢀⡤|
            |               ⠙⠒⠤⠤⠤⠖⠊⠁ |",
        );
        same(&track(&[(1.0, 1.0)], 10, 4), "|⠄|");
        assert!(track(&[], 10, 4).is_empty());
        assert_eq!(track(&[(0.0, 0.0), (0.0, 5.0)], 10, 2).len(), 2);
    }
}
