//! Where a picture is taken from: a point in space, its place on the page and how far it is.
//!
//! ```text
//! e = m + d (cos ε cos α, cos ε sin α, sin ε),    (right, up, depth) = (r·(x − e), u·(x − e), f·(x − e)),    page = s (right, −up)/depth
//! ```
//!
//! with the azimuth α and the elevation ε, α from the first of two directions across `up`.

use polhode_geometry::dense::{V, add_scaled, cross, dot};

/// From which direction a scene is seen, and how large the page is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// About the vertical, from the x axis, in radians.
    pub azimuth: f64,
    /// Above the horizontal, in radians.
    pub elevation: f64,
    /// The distance, in units of the radius of what is seen: less is more perspective.
    pub distance: f64,
    /// Of the page.
    pub width: f64,
    /// Of the page.
    pub height: f64,
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { azimuth: -1.05, elevation: 0.45, distance: 4.5, width: 800.0, height: 500.0 }
    }
}

/// A camera that is set up.
#[derive(Clone, Debug)]
pub(crate) struct Lens {
    eye: V,
    right: V,
    up: V,
    pub(crate) forward: V,
    scale: f64,
    shift: [f64; 2],
    page: (f64, f64),
}

/// A point of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) depth: f64,
}

impl Lens {
    /// Looks at all these points, which fill the page but for a margin.
    pub(crate) fn new(camera: &Camera, up: &V, points: &[V], margin: f64) -> Lens {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in points {
            for k in 0..3 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        let middle: V = std::array::from_fn(|k| if low[k] > high[k] { 0.0 } else { (low[k] + high[k]) / 2.0 });
        let far = |p: &V| polhode_geometry::dense::norm(&add_scaled(p, -1.0, &middle));
        let radius = points.iter().map(far).fold(0.0, f64::max).max(1e-9);
        let first = if up[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let along = add_scaled(&first, -dot(&first, up), up);
        let along = crate::mesh::unit(&along).unwrap_or([1.0, 0.0, 0.0]);
        let across = cross(up, &along);
        let (se, ce) = camera.elevation.sin_cos();
        let (sa, ca) = camera.azimuth.sin_cos();
        let out: V = std::array::from_fn(|k| ce * (ca * along[k] + sa * across[k]) + se * up[k]);
        let forward = out.map(|x| -x);
        let right = crate::mesh::unit(&cross(&forward, up)).unwrap_or(across);
        let eye = add_scaled(&middle, camera.distance.max(1.2) * radius, &out);
        let mut lens = Lens {
            eye,
            right,
            up: cross(&right, &forward),
            forward,
            scale: 1.0,
            shift: [0.0; 2],
            page: (camera.width, camera.height),
        };
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for p in points {
            let s = lens.see(p);
            low = [low[0].min(s.x), low[1].min(s.y)];
            high = [high[0].max(s.x), high[1].max(s.y)];
        }
        let page = [camera.width - 2.0 * margin, camera.height - 2.0 * margin];
        let fits = (0..2).map(|k| page[k] / (high[k] - low[k]).max(1e-9)).fold(f64::INFINITY, f64::min);
        if fits.is_finite() {
            lens.scale = fits;
            let size = [camera.width, camera.height];
            lens.shift = std::array::from_fn(|k| size[k] / 2.0 - fits * (low[k] + high[k]) / 2.0);
        }
        lens
    }

    /// The same lens elsewhere.
    pub(crate) fn moved(&self, by: &V) -> Lens {
        Lens { eye: add_scaled(&self.eye, 1.0, by), ..self.clone() }
    }

    pub(crate) fn see(&self, p: &V) -> Seen {
        let from = add_scaled(p, -1.0, &self.eye);
        let depth = dot(&self.forward, &from).max(1e-9);
        let x = self.shift[0] + self.scale * dot(&self.right, &from) / depth;
        let y = self.shift[1] - self.scale * dot(&self.up, &from) / depth;
        Seen { x, y, depth }
    }

    /// Width and height of the page.
    pub(crate) fn page(&self) -> (f64, f64) {
        self.page
    }

    /// Units of the page for a length at a depth.
    pub(crate) fn size(&self, length: f64, depth: f64) -> f64 {
        self.scale * length / depth
    }

    /// The direction towards the eye.
    pub(crate) fn towards(&self, p: &V) -> V {
        crate::mesh::unit(&add_scaled(&self.eye, -1.0, p)).unwrap_or(self.forward.map(|x| -x))
    }

    /// A direction of the page in space: right, up and towards the eye.
    pub(crate) fn direction(&self, [right, up, near]: [f64; 3]) -> V {
        std::array::from_fn(|k| right * self.right[k] + up * self.up[k] - near * self.forward[k])
    }
}
