//! Fewer points for the same picture.
//!
//! Coordinates are those of the picture. [`over_x`] first reduces each column of half a unit to its
//! first, lowest, highest and last point: where a curve oscillates faster than that it is a band, and
//! its edges are kept. Then both functions leave out points that lie within [`TOLERANCE`] of the line
//! between those that stay:
//!
//! ```text
//! keep the point farthest from the chord if it is farther than the tolerance; repeat on both sides
//! ```
//!
//! [Ramer1972; DouglasPeucker1973]. It works on blocks, whose ends stay, so that a curve of a million
//! points that all must stay does not take the square of that.

/// How far the picture may be from the curve.
pub const TOLERANCE: f64 = 0.06;

const COLUMN: f64 = 0.5;
const BLOCK: usize = 2048;

/// A point of the picture.
pub type Point = (f64, f64);

/// For curves over a horizontal axis that do not turn back.
pub fn over_x(points: &[Point]) -> Vec<Point> {
    let mut kept = Vec::new();
    let column = |p: &Point| (p.0 / COLUMN).floor();
    for run in points.chunk_by(|p, q| column(p) == column(q)) {
        if run.len() <= 4 {
            kept.extend(run);
            continue;
        }
        let by_height = |&i: &usize, &j: &usize| run[i].1.total_cmp(&run[j].1);
        let lowest = (0..run.len()).min_by(by_height).expect("five points");
        let highest = (0..run.len()).max_by(by_height).expect("five points");
        let mut four = [0, lowest.min(highest), lowest.max(highest), run.len() - 1].to_vec();
        four.dedup();
        kept.extend(four.into_iter().map(|i| run[i]));
    }
    in_plane(&kept)
}

/// For curves that go anywhere.
pub fn in_plane(points: &[Point]) -> Vec<Point> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut stays = vec![false; points.len()];
    let mut start = 0;
    while start + 1 < points.len() {
        let end = (start + BLOCK).min(points.len() - 1);
        mark(points, start, end, &mut stays);
        start = end;
    }
    points.iter().zip(stays).filter_map(|(&p, stays)| stays.then_some(p)).collect()
}

fn mark(points: &[Point], start: usize, end: usize, stays: &mut [bool]) {
    stays[start] = true;
    stays[end] = true;
    let mut open = vec![(start, end)];
    while let Some((a, b)) = open.pop() {
        let (mut farthest, mut at) = (TOLERANCE, None);
        for i in a + 1..b {
            let distance = distance(points[i], points[a], points[b]);
            if distance > farthest {
                (farthest, at) = (distance, Some(i));
            }
        }
        if let Some(i) = at {
            stays[i] = true;
            open.extend([(a, i), (i, b)]);
        }
    }
}

/// From a point to a segment.
pub(crate) fn distance(p: Point, a: Point, b: Point) -> f64 {
    let (ux, uy) = (b.0 - a.0, b.1 - a.1);
    let (vx, vy) = (p.0 - a.0, p.1 - a.1);
    let square = ux * ux + uy * uy;
    let s = if square > 0.0 { ((ux * vx + uy * vy) / square).clamp(0.0, 1.0) } else { 0.0 };
    let (dx, dy) = (vx - s * ux, vy - s * uy);
    // Not hypot: a square root is rounded the same way everywhere.
    (dx * dx + dy * dy).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest distance of a point of the curve from the picture.
    fn error(curve: &[Point], picture: &[Point]) -> f64 {
        let nearest = |&p: &Point| picture.windows(2).map(|w| distance(p, w[0], w[1])).fold(f64::INFINITY, f64::min);
        curve.iter().map(nearest).fold(0.0, f64::max)
    }

    #[test]
    fn smooth_curves_keep_their_shape_in_few_points() {
        let wave: Vec<Point> =
            (0..=20_000).map(|i| f64::from(i) / 40.0).map(|x| (x, 80.0 * (x / 25.0).sin())).collect();
        let picture = over_x(&wave);
        assert!(picture.len() < 250, "{}", picture.len());
        assert!(error(&wave, &picture) < 0.1);
        assert_eq!((picture[0], picture[picture.len() - 1]), (wave[0], wave[20_000]));

        let spiral: Vec<Point> =
            (0..=20_000).map(|i| f64::from(i) / 500.0).map(|s| (4.0 * s * s.cos(), 4.0 * s * s.sin())).collect();
        let picture = in_plane(&spiral);
        assert!(picture.len() < 800, "{}", picture.len());
        assert!(error(&spiral, &picture) <= TOLERANCE);
    }

    #[test]
    fn bands_keep_their_edges() {
        let band: Vec<Point> = (0..100_000).map(|i| (f64::from(i) / 200.0, f64::from(i * 7919 % 10_007))).collect();
        let picture = over_x(&band);
        assert!(picture.len() <= 4 * 1000, "{}", picture.len());
        let heights = || picture.iter().map(|p| p.1);
        assert_eq!((heights().fold(f64::INFINITY, f64::min), heights().fold(0.0, f64::max)), (0.0, 10_006.0));
    }

    #[test]
    fn straight_lines_and_turns() {
        let line: Vec<Point> = (0..10_000).map(|i| (f64::from(i), 2.0 * f64::from(i))).collect();
        assert_eq!(in_plane(&line).len(), 2 + (10_000 - 2) / BLOCK);
        let there_and_back = [(0.0, 0.0), (5.0, 0.0), (10.0, 0.0), (4.0, 0.0)];
        assert_eq!(in_plane(&there_and_back), [(0.0, 0.0), (10.0, 0.0), (4.0, 0.0)]);
        assert_eq!(in_plane(&[(1.0, 1.0); 5]), [(1.0, 1.0); 2]);
        assert!(in_plane(&[]).is_empty());
    }
}
