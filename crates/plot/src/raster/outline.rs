//! Outlines in pixels: path data, circles and rectangles as lines, and what a pen covers that is drawn along them.
//!
//! What a pen covers is a union of polygons that all go round in one sense, so that the rule "winding number not zero" unites them:
//!
//! ```text
//! a quadrilateral for each segment  ∪  a tip, a wedge or an arc at each corner  ∪  half a disk at each round end
//! ```
//!
//! Not here: Bézier curves, which only letters have.

use std::f64::consts::PI;

/// A point of the page.
pub(super) type Point = (f64, f64);

/// Points joined by segments.
pub(super) struct Line {
    pub(super) points: Vec<Point>,
    /// Whether the last point is joined to the first.
    pub(super) closed: bool,
}

/// A pen.
pub(super) struct Stroke {
    pub(super) width: f64,
    pub(super) round_ends: bool,
    pub(super) round_corners: bool,
    /// Lengths that are drawn and left out in turn; empty for a full line.
    pub(super) dashes: Vec<f64>,
}

/// A tip that would stick out further than so many half widths is cut off, as SVG has it.
const LONGEST_TIP: f64 = 4.0;

/// How far polygons are from the circles that they stand for, in pixels.
const SLACK: f64 = 0.05;

/// The lines of path data in so many pixels to the unit.
pub(super) fn path(data: &str, unit: f64) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut at = (0.0, 0.0);
    let mut rest = data;
    let mut command = 'M';
    loop {
        rest = rest.trim_start_matches(' ');
        let Some(first) = rest.chars().next() else { return lines };
        if first.is_ascii_alphabetic() {
            (command, rest) = (first, &rest[1..]);
            if first.eq_ignore_ascii_case(&'z') {
                if let Some(line) = lines.last_mut() {
                    line.closed = true;
                    at = line.points[0];
                }
                continue;
            }
        }
        let mut number = || {
            let (x, after) = leading_number(rest)?;
            rest = after;
            Some(x * unit)
        };
        let (x, y) = match command.to_ascii_lowercase() {
            'h' => (number(), Some(if command == 'h' { 0.0 } else { at.1 })),
            'v' => (Some(if command == 'v' { 0.0 } else { at.0 }), number()),
            _ => (number(), number()),
        };
        let (Some(x), Some(y)) = (x, y) else { return lines };
        at = if command.is_ascii_lowercase() { (at.0 + x, at.1 + y) } else { (x, y) };
        match lines.last_mut().filter(|line| !command.eq_ignore_ascii_case(&'m') && !line.closed) {
            Some(line) => line.points.push(at),
            None => lines.push(Line { points: vec![at], closed: false }),
        }
        // pairs after the first are lines
        command = match command {
            'M' => 'L',
            'm' => 'l',
            other => other,
        };
    }
}

/// A number and what comes behind it; a sign or a second point separates as well as a blank.
fn leading_number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start_matches([' ', ',']);
    let mut points = 0;
    let ends = |(k, c): &(usize, char)| {
        points += usize::from(*c == '.');
        !(c.is_ascii_digit() || (*c == '.' && points == 1) || (*k == 0 && *c == '-'))
    };
    let end = text.char_indices().find(ends).map_or(text.len(), |(k, _)| k);
    Some((text[..end].parse().ok()?, &text[end..]))
}

pub(super) fn rectangle((x, y): Point, (wide, high): (f64, f64)) -> Line {
    Line { points: vec![(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)], closed: true }
}

pub(super) fn circle(centre: Point, radius: f64) -> Line {
    let mut points = arc(centre, radius, 0.0, 2.0 * PI);
    points.pop();
    Line { points, closed: true }
}

/// The lower and the upper corner around lines.
pub(super) fn bounds(lines: &[Line]) -> [Point; 2] {
    let all = || lines.iter().flat_map(|l| &l.points);
    let fold = |start: f64, pick: fn(f64, f64) -> f64| {
        (all().map(|p| p.0).fold(start, pick), all().map(|p| p.1).fold(start, pick))
    };
    [fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max)]
}

/// Points along an arc, both ends among them.
fn arc((x, y): Point, radius: f64, from: f64, turn: f64) -> Vec<Point> {
    let step = 2.0 * (1.0 - SLACK / radius.max(SLACK)).acos().clamp(0.05, PI / 4.0);
    let count = (turn.abs() / step).ceil().max(1.0);
    let place = |k: usize| {
        let (sin, cos) = (from + turn * k as f64 / count).sin_cos();
        (x + radius * cos, y + radius * sin)
    };
    (0..=count as usize).map(place).collect()
}

/// The polygons that a pen covers.
pub(super) fn stroked(lines: &[Line], stroke: &Stroke) -> Vec<Vec<Point>> {
    let mut areas = Vec::new();
    let long = stroke.dashes.iter().sum::<f64>() > 0.0;
    for line in lines {
        if long {
            dashed(line, &stroke.dashes).iter().for_each(|dash| pen(dash, stroke, &mut areas));
        } else {
            pen(line, stroke, &mut areas);
        }
    }
    areas
}

/// The pieces of a line that a pattern leaves.
fn dashed(line: &Line, dashes: &[f64]) -> Vec<Line> {
    let mut points = line.points.clone();
    points.extend(line.points.first().filter(|_| line.closed));
    let mut pieces = Vec::new();
    let mut piece = vec![points[0]];
    let (mut dash, mut left) = (0, dashes[0]);
    for w in points.windows(2) {
        let length = (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1);
        let mut gone = 0.0;
        while length - gone > left {
            gone += left;
            let part = gone / length;
            let at = (w[0].0 + part * (w[1].0 - w[0].0), w[0].1 + part * (w[1].1 - w[0].1));
            piece.push(at);
            if dash % 2 == 0 {
                pieces.push(Line { points: std::mem::take(&mut piece), closed: false });
            }
            piece = vec![at];
            dash += 1;
            left = dashes[dash % dashes.len()];
        }
        left -= length - gone;
        piece.push(w[1]);
    }
    if dash % 2 == 0 {
        pieces.push(Line { points: piece, closed: false });
    }
    pieces
}

/// A segment: its ends, and half a width to its left, as the page is seen.
#[derive(Clone, Copy)]
struct Segment {
    from: Point,
    to: Point,
    side: Point,
}

fn pen(line: &Line, stroke: &Stroke, areas: &mut Vec<Vec<Point>>) {
    let half = stroke.width / 2.0;
    let mut points = line.points.clone();
    points.extend(line.points.first().filter(|_| line.closed));
    points.dedup_by(|a, b| (a.0 - b.0).hypot(a.1 - b.1) < 1e-9);
    if points.len() < 2 {
        // a line without length has round ends and nothing between them
        if stroke.round_ends {
            areas.push(circle(points[0], half).points);
        }
        return;
    }
    let segment = |w: &[Point]| {
        let (dx, dy) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
        let scale = half / dx.hypot(dy);
        Segment { from: w[0], to: w[1], side: (-dy * scale, dx * scale) }
    };
    let segments: Vec<Segment> = points.windows(2).map(segment).collect();
    for s in &segments {
        let ((x, y), (u, v), (a, b)) = (s.from, s.to, s.side);
        areas.push(vec![(x - a, y - b), (u - a, v - b), (u + a, v + b), (x + a, y + b)]);
    }
    for w in segments.windows(2) {
        corner(&w[0], &w[1], stroke, areas);
    }
    let (first, last) = (segments[0], segments[segments.len() - 1]);
    if line.closed {
        corner(&last, &first, stroke, areas);
    } else if stroke.round_ends {
        let angle = |side: Point| side.1.atan2(side.0);
        areas.push(arc(first.from, half, angle(first.side), PI));
        areas.push(arc(last.to, half, angle(last.side), -PI));
        if let Some(end) = areas.last_mut() {
            end.reverse();
        }
    }
}

/// What is between two segments on the outer side of their corner.
fn corner(before: &Segment, after: &Segment, stroke: &Stroke, areas: &mut Vec<Vec<Point>>) {
    let ((ax, ay), (bx, by), (x, y)) = (before.side, after.side, after.from);
    let (turn, along) = (ax * by - ay * bx, ax * bx + ay * by);
    // where the line turns to the left, the outer side is on the right
    let sign = if turn > 0.0 { -1.0 } else { 1.0 };
    let (a, b) = ((sign * ax, sign * ay), (sign * bx, sign * by));
    let half = stroke.width / 2.0;
    let (from, to) = ((x + a.0, y + a.1), (x + b.0, y + b.1));
    let angle = -sign * turn.abs().atan2(along);
    let mut wedge = vec![(x, y)];
    if stroke.round_corners {
        wedge.extend(arc((x, y), half, a.1.atan2(a.0), angle));
    } else {
        wedge.push(from);
        // the tip is so far out as the sides are long together: 1/cos(angle/2) half widths
        let out = 1.0 / (angle / 2.0).cos().max(1e-9);
        if out <= LONGEST_TIP {
            let (mx, my) = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
            wedge.push((x + mx * out * out, y + my * out * out));
        }
        wedge.push(to);
    }
    // all pieces of a line go round in one sense
    if angle < 0.0 {
        wedge.reverse();
    }
    areas.push(wedge);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_paths_as_figures_write_it() {
        let lines = path("M1 2l.5-.25 0 1z M4 4h2v-1H3V2", 2.0);
        let points: Vec<&[Point]> = lines.iter().map(|l| l.points.as_slice()).collect();
        let second = [(8.0, 8.0), (12.0, 8.0), (12.0, 6.0), (6.0, 6.0), (6.0, 4.0)];
        assert_eq!(points, [&[(2.0, 4.0), (3.0, 3.5), (3.0, 5.5)][..], &second]);
        assert_eq!(lines.iter().map(|l| l.closed).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn dashes_begin_again_with_every_line() {
        let line = Line { points: vec![(0.0, 0.0), (5.0, 0.0), (5.0, 4.0)], closed: false };
        let pieces: Vec<Vec<Point>> = dashed(&line, &[2.0, 1.5]).into_iter().map(|l| l.points).collect();
        let third = vec![(5.0, 2.0), (5.0, 4.0)];
        assert_eq!(pieces, [vec![(0.0, 0.0), (2.0, 0.0)], vec![(3.5, 0.0), (5.0, 0.0), (5.0, 0.5)], third]);
    }

    fn area(polygon: &[Point]) -> f64 {
        let next = |k: usize| polygon[(k + 1) % polygon.len()];
        polygon.iter().enumerate().map(|(k, p)| p.0 * next(k).1 - p.1 * next(k).0).sum::<f64>() / 2.0
    }

    /// All pieces of a line go round in one sense, whatever it does: to the left, to the right, straight on and back.
    #[test]
    fn pieces_of_a_line_go_round_in_one_sense() {
        let points = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (20.0, 5.0), (30.0, 5.0), (40.0, 5.0), (25.0, 5.0)];
        for (round, closed) in [(true, true), (true, false), (false, true), (false, false)] {
            let line = Line { points: points.to_vec(), closed };
            let stroke = Stroke { width: 3.0, round_ends: round, round_corners: round, dashes: Vec::new() };
            let pieces = stroked(&[line], &stroke);
            assert!(pieces.len() > points.len());
            assert!(pieces.iter().all(|piece| area(piece) > -1e-9), "{pieces:?}");
        }
        let back = Line { points: vec![(0.0, 0.0), (5.0, 0.0), (2.0, 0.0)], closed: false };
        let stroke = Stroke { width: 2.0, round_ends: false, round_corners: true, dashes: Vec::new() };
        let [_, high] = bounds(
            &stroked(&[back], &stroke).into_iter().map(|points| Line { points, closed: true }).collect::<Vec<_>>(),
        );
        assert!((high.0 - 6.0).abs() < 0.1, "the round corner is beyond the turning point");
    }

    /// The tip of a right corner is √2 half widths out; that of a sharp one would be 10 and is cut off.
    #[test]
    fn tips_end_where_they_are_too_long() {
        let tip = |far: Point| {
            let line = Line { points: vec![(0.0, 0.0), (10.0, 0.0), far], closed: false };
            let stroke = Stroke { width: 2.0, round_ends: false, round_corners: false, dashes: Vec::new() };
            let pieces = stroked(&[line], &stroke).into_iter().map(|points| Line { points, closed: true });
            bounds(&pieces.collect::<Vec<_>>())[1].0
        };
        assert!((tip((10.0, 10.0)) - 11.0).abs() < 1e-9);
        assert!(tip((0.0, 2.0)) < 10.3);
    }
}
