//! Triangles with normals, on grids of parameters where there is a chart.
//!
//! The vertex (i, j) of a grid has the number i·n_v + j and the parameters
//!
//! ```text
//! u_i = u₀ + (u₁ − u₀) i/(n_u − 1),    or i/n_u where the grid closes on itself; and so for v
//! ```
//!
//! Rows that shrink to a point keep all their vertices, and lose the triangles without area: a mesh whose vertices are computed anew for other
//! parameters has the same triangles.

use polhode_geometry::dense::{V, add_scaled, cross, dot, norm};
use polhode_tape::Tape;

/// Parameters of the vertices of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruler {
    /// The first.
    pub from: f64,
    /// The last, or where the first comes again.
    pub to: f64,
    /// How many vertices there are.
    pub count: usize,
    /// Whether the grid closes on itself.
    pub closed: bool,
}

impl Ruler {
    /// From one end to the other.
    pub fn open(from: f64, to: f64, count: usize) -> Ruler {
        Ruler { from, to, count, closed: false }
    }

    /// All round.
    pub fn round(count: usize) -> Ruler {
        Ruler { from: 0.0, to: std::f64::consts::TAU, count, closed: true }
    }

    /// The parameter of a vertex.
    pub fn at(&self, i: usize) -> f64 {
        let part = i as f64 / self.cells() as f64;
        self.from * (1.0 - part) + self.to * part
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        if self.closed { self.count } else { self.count - 1 }
    }
}

/// How the vertices of a mesh are arranged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows {
    /// Along the first parameter.
    pub u: Ruler,
    /// Along the second.
    pub v: Ruler,
    /// −1 where the normal is against x_u × x_v.
    pub side: f64,
}

/// How the vertices of a grid are computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// (u, v, parameters of the model) ↦ (x, y, z).
    pub tape: Tape,
    /// The first parameter of the surface.
    pub u: Ruler,
    /// The second.
    pub v: Ruler,
    /// −1 where the normal is against x_u × x_v.
    pub side: f64,
    /// The parameters of the model that it depends on.
    pub depends: Vec<String>,
}

/// A surface of triangles, counterclockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Where the vertices are.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, out of the material.
    pub normals: Vec<[f32; 3]>,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Which triangles have the darker of two shades.
    pub dark: Vec<bool>,
    /// Lines between vertices: rims, spokes, edges.
    pub lines: Vec<[u32; 2]>,
    /// How the vertices are arranged, if in rows and columns.
    pub rows: Option<Rows>,
    /// How the vertices are computed, for a grid.
    pub grid: Option<Grid>,
}

impl Mesh {
    /// A vertex.
    pub fn point(&self, k: u32) -> V {
        self.positions[k as usize].map(f64::from)
    }

    /// The normal at a vertex.
    pub fn normal(&self, k: u32) -> V {
        self.normals[k as usize].map(f64::from)
    }

    /// The smallest and the largest coordinates of what is drawn.
    pub fn bounds(&self) -> [V; 2] {
        let mut out = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for k in self.triangles.iter().flatten() {
            let p = self.point(*k);
            for i in 0..3 {
                out[0][i] = out[0][i].min(p[i]);
                out[1][i] = out[1][i].max(p[i]);
            }
        }
        out
    }

    /// A mesh from points and their normals, of which those that are not finite are found from the triangles around.
    pub(crate) fn new(points: &[V], normals: Vec<V>, triangles: Vec<[u32; 3]>, dark: Vec<bool>) -> Mesh {
        let mut normals = normals;
        let missing: Vec<bool> = normals.iter().map(|n| !n.iter().all(|x| x.is_finite())).collect();
        if missing.contains(&true) {
            let sums = around(points, &triangles);
            for (k, n) in normals.iter_mut().enumerate().filter(|(k, _)| missing[*k]) {
                *n = unit(&sums[k]).unwrap_or([0.0, 0.0, 1.0]);
            }
        }
        let narrow = |p: &V| p.map(|x| if x.is_finite() { x as f32 } else { 0.0 });
        Mesh {
            positions: points.iter().map(narrow).collect(),
            normals: normals.iter().map(narrow).collect(),
            triangles,
            dark,
            lines: Vec::new(),
            rows: None,
            grid: None,
        }
    }

    /// A mesh on a grid. `at` gives the point and the vectors along the two parameters; `checks` are the fields of the two shades.
    pub(crate) fn on_grid(
        u: Ruler,
        v: Ruler,
        side: f64,
        checks: [usize; 2],
        mut at: impl FnMut(f64, f64) -> [V; 3],
    ) -> Mesh {
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        for i in 0..u.count {
            for j in 0..v.count {
                let [x, along, across] = at(u.at(i), v.at(j));
                let normal = cross(&along, &across);
                // a pole has one of the two vectors zero, up to rounding
                let regular = norm(&normal) > 1e-7 * norm(&along).max(norm(&across)).powi(2);
                points.push(x);
                normals.push(unit(&normal).filter(|_| regular).map_or([f64::NAN; 3], |n| n.map(|c| side * c)));
            }
        }
        let size = points.iter().filter(|p| p.iter().all(|c| c.is_finite())).map(norm).fold(0.0, f64::max);
        let apart = |a: u32, b: u32| {
            let gap = norm(&add_scaled(&points[a as usize], -1.0, &points[b as usize]));
            gap > 1e-7 * size
        };
        let (mut triangles, mut dark) = (Vec::new(), Vec::new());
        for i in 0..u.cells() {
            for j in 0..v.cells() {
                let number = |i: usize, j: usize| ((i % u.count) * v.count + j % v.count) as u32;
                let corners = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
                let shade = (i * checks[0] / u.cells() + j * checks[1] / v.cells()) % 2 == 1;
                for [a, b, c] in [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|k: usize| corners[k])) {
                    if apart(a, b) && apart(b, c) && apart(c, a) {
                        triangles.push(if side > 0.0 { [a, b, c] } else { [a, c, b] });
                        dark.push(shade);
                    }
                }
            }
        }
        Mesh { rows: Some(Rows { u, v, side }), ..Mesh::new(&points, normals, triangles, dark) }
    }
}

/// The sum of the normals of the triangles around every vertex, by their areas. Vertices in the same place share it.
fn around(points: &[V], triangles: &[[u32; 3]]) -> Vec<V> {
    let size = points.iter().map(norm).filter(|x| x.is_finite()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let key = |p: &V| p.map(|x| (x / size * 1e6).round() as i64);
    let mut sums: rustc_hash::FxHashMap<[i64; 3], V> = rustc_hash::FxHashMap::default();
    for t in triangles {
        let [a, b, c] = t.map(|k| points[k as usize]);
        let area = cross(&add_scaled(&b, -1.0, &a), &add_scaled(&c, -1.0, &a));
        for p in [a, b, c] {
            let sum = sums.entry(key(&p)).or_default();
            *sum = add_scaled(sum, 1.0, &area);
        }
    }
    points.iter().map(|p| sums.get(&key(p)).copied().unwrap_or_default()).collect()
}

/// a/|a|.
pub(crate) fn unit(a: &V) -> Option<V> {
    let square = dot(a, a);
    (square > 0.0 && square.is_finite()).then(|| a.map(|x| x / square.sqrt()))
}
