//! What is nearest, for every pixel of the page: the one way in which something hides something else.
//!
//! ```text
//! 1/d is an affine function of the page on a flat facet,      hidden  ⇔  d(point) − lift > d(buffer) at all pixels around it
//! ```
//!
//! with the depth d of [`Lens::see`](crate::camera::Lens). A curve lies on the surface and the facets are chords of it, so a curve is lifted towards the eye
//! by more than their distance.

use crate::camera::Seen;

/// Reciprocal depths of the nearest facets, a pixel for each unit of the page.
pub(crate) struct DepthBuffer {
    width: usize,
    height: usize,
    /// Zero where there is nothing.
    nearest: Vec<f32>,
}

impl DepthBuffer {
    pub(crate) fn new((width, height): (f64, f64)) -> DepthBuffer {
        let (width, height) = (width.max(1.0) as usize, height.max(1.0) as usize);
        DepthBuffer { width, height, nearest: vec![0.0; width * height] }
    }

    /// A convex facet, in triangles from its first corner.
    pub(crate) fn put(&mut self, corners: &[Seen]) {
        for k in 2..corners.len() {
            self.triangle([corners[0], corners[k - 1], corners[k]]);
        }
    }

    fn triangle(&mut self, [a, b, c]: [Seen; 3]) {
        let double = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if !double.is_finite() || double == 0.0 {
            return;
        }
        // pixels whose middle is inside
        let range = |low: f64, high: f64, most: usize| {
            let first = (low - 0.5).ceil().clamp(0.0, most as f64) as usize;
            first..((high - 0.5).floor() + 1.0).clamp(0.0, most as f64) as usize
        };
        let ys = [a.y, b.y, c.y];
        let [top, bottom] =
            [ys.iter().copied().fold(f64::INFINITY, f64::min), ys.iter().copied().fold(f64::NEG_INFINITY, f64::max)];
        let slope = |f: fn(&Seen) -> f64| {
            let (fa, fb, fc) = (f(&a), f(&b), f(&c));
            let dx = ((fb - fa) * (c.y - a.y) - (fc - fa) * (b.y - a.y)) / double;
            let dy = ((fc - fa) * (b.x - a.x) - (fb - fa) * (c.x - a.x)) / double;
            (dx, dy)
        };
        let (dx, dy) = slope(|s| 1.0 / s.depth);
        for row in range(top, bottom, self.height) {
            let y = row as f64 + 0.5;
            let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
            for (p, q) in [(a, b), (b, c), (c, a)] {
                if (p.y <= y) != (q.y <= y) {
                    let x = p.x + (q.x - p.x) * (y - p.y) / (q.y - p.y);
                    (left, right) = (left.min(x), right.max(x));
                }
            }
            if left > right {
                continue;
            }
            let start = 1.0 / a.depth + (y - a.y) * dy;
            for column in range(left, right, self.width) {
                let value = (start + (column as f64 + 0.5 - a.x) * dx) as f32;
                let pixel = &mut self.nearest[row * self.width + column];
                *pixel = pixel.max(value);
            }
        }
    }

    /// Whether a point is behind what is nearest, at its pixel and at those beside it: on an outline either side counts as seen.
    pub(crate) fn hides(&self, at: &Seen, lift: f64) -> bool {
        let behind = |(dx, dy): &(f64, f64)| {
            let (x, y) = ((at.x + dx).floor(), (at.y + dy).floor());
            let inside = (0.0..self.width as f64).contains(&x) && (0.0..self.height as f64).contains(&y);
            inside && f64::from(self.nearest[y as usize * self.width + x as usize]) * (at.depth - lift) > 1.0
        };
        [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)].iter().all(behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(x: f64, y: f64, depth: f64) -> Seen {
        Seen { x, y, depth }
    }

    /// A square from depth 2 on the left to depth 4 on the right: in between the reciprocal depth is linear.
    #[test]
    fn facets_hide_what_is_behind_them() {
        let mut buffer = DepthBuffer::new((40.0, 40.0));
        buffer.put(&[seen(5.0, 5.0, 2.0), seen(35.0, 5.0, 4.0), seen(35.0, 35.0, 4.0), seen(5.0, 35.0, 2.0)]);
        let depth = 1.0 / (0.5 * (1.0 / 2.0 + 1.0 / 4.0));
        assert!(
            buffer.hides(&seen(20.0, 20.0, depth + 0.2), 0.0) && !buffer.hides(&seen(20.0, 20.0, depth - 0.2), 0.0)
        );
        assert!(!buffer.hides(&seen(20.0, 20.0, depth + 0.2), 0.3), "lifted");
        assert!(!buffer.hides(&seen(2.0, 20.0, 9.0), 0.0) && !buffer.hides(&seen(-50.0, 900.0, 9.0), 0.0), "beside it");
        assert!(!buffer.hides(&seen(5.2, 20.0, 9.0), 0.0), "on its outline");
    }
}
