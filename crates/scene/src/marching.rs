//! Surfaces f = 0 by marching tetrahedra.
//!
//! Space is cut into cubes, every cube into six tetrahedra along its diagonal, the same for all, so that faces of neighbours agree and the mesh
//! has no holes. On every edge between corners of different sign the root of f is found to the last digits; its normal is ∇f.
//! A tetrahedron has one or two triangles; their order follows from the order of its corners.

use crate::mesh::{Mesh, unit};
use polhode_geometry::dense::{V, add_scaled};
use rustc_hash::FxHashMap;

/// Cubes along the longest side of the box.
const CUBES: f64 = 26.0;

/// Bisections until a root has all digits of an f32, and some more.
const BISECTIONS: usize = 40;

/// How often a box that cuts the surface is enlarged, and by how much.
const ENLARGED: usize = 8;
const LARGER: f64 = 1.4;

/// The corners of a cube in the order of a path along its edges, for each order of the axes.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// f and ∇f at a point.
pub(crate) trait Level {
    /// f, not finite where it has no value.
    fn value(&mut self, x: &V) -> f64;
    /// ∇f.
    fn gradient(&mut self, x: &V) -> V;
}

/// The part of f = 0 around a centre: all of it where it is bounded, otherwise about as far as `reach`.
pub(crate) fn surface(level: &mut impl Level, centre: &V, reach: f64) -> Mesh {
    let mut half = 1.15 * reach;
    let mut bounds = None;
    for _ in 0..ENLARGED {
        let box_ = [add_scaled(centre, -half, &[1.0; 3]), add_scaled(centre, half, &[1.0; 3])];
        let found = march(level, &box_, 2.0 * half / CUBES);
        let [low, high] = found.bounds();
        let slack = half / 20.0;
        let inside = (0..3).all(|k| low[k] > box_[0][k] + slack && high[k] < box_[1][k] - slack);
        if inside && !found.triangles.is_empty() {
            let margin = 2.0 * half / CUBES;
            bounds = Some([add_scaled(&low, -margin, &[1.0; 3]), add_scaled(&high, margin, &[1.0; 3])]);
            break;
        }
        half *= LARGER;
    }
    // without bounds it is cut where the motion needs no more of it
    let half = 1.6 * reach;
    let bounds = bounds.unwrap_or([add_scaled(centre, -half, &[1.0; 3]), add_scaled(centre, half, &[1.0; 3])]);
    let longest = (0..3).map(|k| bounds[1][k] - bounds[0][k]).fold(0.0, f64::max);
    march(level, &bounds, longest / CUBES)
}

/// Marches through the cubes of side h that fill a box; the planes through the origin are among their faces.
fn march(level: &mut impl Level, bounds: &[V; 2], h: f64) -> Mesh {
    let first: [i64; 3] = std::array::from_fn(|k| (bounds[0][k] / h).floor() as i64);
    let count: [usize; 3] = std::array::from_fn(|k| ((bounds[1][k] / h).ceil() as i64 - first[k]).max(1) as usize + 1);
    let place = |n: [usize; 3]| -> V { std::array::from_fn(|k| (first[k] + n[k] as i64) as f64 * h) };
    let number = |n: [usize; 3]| (n[0] * count[1] + n[1]) * count[2] + n[2];
    let mut values = vec![f64::NAN; count.iter().product()];
    for i in 0..count[0] {
        for j in 0..count[1] {
            for k in 0..count[2] {
                values[number([i, j, k])] = level.value(&place([i, j, k]));
            }
        }
    }
    let mut sheet = Sheet { level, values, vertices: FxHashMap::default(), points: Vec::new(), triangles: Vec::new() };
    for i in 0..count[0] - 1 {
        for j in 0..count[1] - 1 {
            for k in 0..count[2] - 1 {
                for (path, order) in PATHS.iter().enumerate() {
                    let mut n = [i, j, k];
                    let mut corners = [(0, [0.0; 3]); 4];
                    corners[0] = (number(n), place(n));
                    for (step, axis) in order.iter().enumerate() {
                        n[*axis] += 1;
                        corners[step + 1] = (number(n), place(n));
                    }
                    if path >= 3 {
                        corners.swap(1, 2); // an odd order of the axes
                    }
                    sheet.tetrahedron(&corners);
                }
            }
        }
    }
    let Sheet { points, triangles, .. } = sheet;
    let normals = points.iter().map(|p| unit(&level.gradient(p)).unwrap_or([f64::NAN; 3])).collect();
    let dark = triangles
        .iter()
        .map(|t: &[u32; 3]| {
            let middle = |k: usize| t.iter().map(|v| points[*v as usize][k]).sum::<f64>();
            (0..3).filter(|k| middle(*k) < 0.0).count() % 2 == 1
        })
        .collect();
    Mesh::new(&points, normals, triangles, dark)
}

struct Sheet<'a, L> {
    level: &'a mut L,
    values: Vec<f64>,
    vertices: FxHashMap<[usize; 2], u32>,
    points: Vec<V>,
    triangles: Vec<[u32; 3]>,
}

impl<L: Level> Sheet<'_, L> {
    /// The triangles in a tetrahedron with corners in positive order.
    fn tetrahedron(&mut self, corners: &[(usize, V); 4]) {
        let values = corners.map(|(n, _)| self.values[n]);
        if values.iter().any(|f| f.is_nan()) {
            return;
        }
        let negative: Vec<usize> = (0..4).filter(|k| values[*k] < 0.0).collect();
        // even orders of the corners with these in front
        let alone = |k: usize| [[0, 1, 2, 3], [1, 0, 3, 2], [2, 0, 1, 3], [3, 0, 2, 1]][k];
        match negative[..] {
            [k] => {
                let [a, b, c, d] = alone(k);
                let t = [[a, b], [a, c], [a, d]].map(|e| self.root(corners, e));
                self.triangles.push(t);
            }
            [p, q] => {
                let [i, j, k, l] = match (p, q) {
                    (0, 1) => [0, 1, 2, 3],
                    (0, 2) => [0, 2, 3, 1],
                    (0, _) => [0, 3, 1, 2],
                    (1, 2) => [1, 2, 0, 3],
                    (1, _) => [1, 3, 2, 0],
                    _ => [2, 3, 0, 1],
                };
                let [a, b, c, d] = [[i, k], [i, l], [j, l], [j, k]].map(|e| self.root(corners, e));
                self.triangles.extend([[a, b, c], [a, c, d]]);
            }
            [_, _, _] => {
                let k = (0..4).find(|k| !negative.contains(k)).unwrap_or(0);
                let [a, b, c, d] = alone(k);
                let [x, y, z] = [[b, a], [c, a], [d, a]].map(|e| self.root(corners, e));
                self.triangles.push([x, z, y]);
            }
            _ => {}
        }
    }

    /// The vertex on an edge from a negative corner to another.
    fn root(&mut self, corners: &[(usize, V); 4], [from, to]: [usize; 2]) -> u32 {
        let ((m, mut a), (n, mut b)) = (corners[from], corners[to]);
        if let Some(known) = self.vertices.get(&[m, n]) {
            return *known;
        }
        for _ in 0..BISECTIONS {
            let middle = std::array::from_fn(|k| (a[k] + b[k]) / 2.0);
            if self.level.value(&middle) < 0.0 {
                a = middle;
            } else {
                b = middle;
            }
        }
        let vertex = self.points.len() as u32;
        self.points.push(std::array::from_fn(|k| (a[k] + b[k]) / 2.0));
        self.vertices.insert([m, n], vertex);
        vertex
    }
}
