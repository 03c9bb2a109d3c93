//! Meshes that are small enough to be sent.
//!
//! A surface without a chart comes as very many triangles. Vertices in one cell of a cubic lattice become one, at their mean and with their mean
//! normal, and triangles that lose a side vanish; the lattice is made wider until few enough vertices are left. Of a mesh on a grid every
//! second row or column is left out; it stays a grid, which can be computed anew for other parameters.

use polhode::scene::{Grid, Mesh, Ruler};
use std::borrow::Cow;
use std::collections::HashMap;

/// Most vertices of a mesh in a page, if it need not be smaller.
pub(super) const VERTICES: usize = 4000;

/// Cells along the longest side, at first.
const CELLS: f32 = 96.0;

/// How much wider cells become when there are still too many vertices.
const WIDER: f32 = 0.85;

/// The mesh, or one with at most so many vertices.
pub(super) fn coarse(mesh: &Mesh, most: usize) -> Cow<'_, Mesh> {
    if mesh.positions.len() <= most {
        return Cow::Borrowed(mesh);
    }
    if let Some(grid) = &mesh.grid {
        return thinned(mesh, grid, most);
    }
    let mut cells = CELLS;
    loop {
        let fewer = clustered(mesh, cells);
        if fewer.positions.len() <= most || cells < 2.0 {
            return Cow::Owned(fewer);
        }
        cells *= WIDER;
    }
}

/// Which rows and columns of a grid are kept: every first, second, fourth.
const STRIDES: [[usize; 2]; 4] = [[1, 2], [2, 2], [2, 4], [4, 4]];

/// Cells that a grid keeps along each side.
const FEWEST_CELLS: usize = 8;

/// With fewer rows and columns, as far as they can be left out.
fn thinned<'a>(mesh: &'a Mesh, grid: &Grid, most: usize) -> Cow<'a, Mesh> {
    let rulers = [&grid.u, &grid.v];
    let fits = |strides: &[usize; 2]| {
        let even =
            |(ruler, n): (&&Ruler, &usize)| *n == 1 || ruler.cells() % n == 0 && ruler.cells() / n >= FEWEST_CELLS;
        rulers.iter().zip(strides).all(even)
    };
    let left = |[a, b]: [usize; 2]| grid.u.count.div_ceil(a) * grid.v.count.div_ceil(b);
    let mut possible = STRIDES.into_iter().filter(fits).peekable();
    let mut strides = None;
    while let Some(s) = possible.next() {
        strides = Some(s);
        if left(s) <= most || possible.peek().is_none() {
            break;
        }
    }
    strides.map_or(Cow::Borrowed(mesh), |s| Cow::Owned(every(mesh, grid, s)))
}

/// With every n-th row and every m-th column. Vertices between them become the one before: of the triangles of a wider cell those of its last small one
/// are left, and the others lose a side.
fn every(mesh: &Mesh, grid: &Grid, [n, m]: [usize; 2]) -> Mesh {
    let (columns, fewer) = (grid.v.count, grid.v.count.div_ceil(m));
    let number = |v: u32| ((v as usize / columns / n) * fewer + v as usize % columns / m) as u32;
    let kept = (0..mesh.positions.len()).filter(|v| (v / columns).is_multiple_of(n) && (v % columns).is_multiple_of(m));
    let mut out = Mesh::default();
    for v in kept {
        out.positions.push(mesh.positions[v]);
        out.normals.push(mesh.normals[v]);
    }
    connect(&mut out, mesh, number);
    let wider = |ruler: Ruler, n: usize| Ruler { count: ruler.count.div_ceil(n), ..ruler };
    out.grid = Some(Grid { u: wider(grid.u, n), v: wider(grid.v, m), ..grid.clone() });
    out
}

/// The triangles and lines of a mesh whose vertices have other numbers now, without those that lost a side.
fn connect(out: &mut Mesh, mesh: &Mesh, number: impl Fn(u32) -> u32) {
    for (triangle, dark) in mesh.triangles.iter().zip(&mesh.dark) {
        let [a, b, c] = triangle.map(&number);
        if a != b && b != c && c != a {
            out.triangles.push([a, b, c]);
            out.dark.push(*dark);
        }
    }
    out.lines = mesh.lines.iter().map(|l| l.map(&number)).filter(|[a, b]| a != b).collect();
}

/// With one vertex for each cell.
fn clustered(mesh: &Mesh, cells: f32) -> Mesh {
    let all = mesh.positions.iter();
    let least = all.clone().fold([f32::MAX; 3], |m, p| [0, 1, 2].map(|i| m[i].min(p[i])));
    let most = all.clone().fold([f32::MIN; 3], |m, p| [0, 1, 2].map(|i| m[i].max(p[i])));
    let longest = (0..3).fold(f32::MIN_POSITIVE, |l, i| l.max(most[i] - least[i]));
    let cell = |p: &[f32; 3]| [0, 1, 2].map(|i| ((p[i] - least[i]) / longest * cells) as i32);
    let mut places: HashMap<[i32; 3], u32> = HashMap::new();
    let mut out = Mesh::default();
    let mut counts: Vec<f32> = Vec::new();
    let add = |sum: &mut [f32; 3], x: &[f32; 3]| (0..3).for_each(|i| sum[i] += x[i]);
    let number: Vec<u32> = (mesh.positions.iter().zip(&mesh.normals))
        .map(|(p, n)| {
            let k = *places.entry(cell(p)).or_insert_with(|| {
                out.positions.push([0.0; 3]);
                out.normals.push([0.0; 3]);
                counts.push(0.0);
                counts.len() as u32 - 1
            });
            add(&mut out.positions[k as usize], p);
            add(&mut out.normals[k as usize], n);
            counts[k as usize] += 1.0;
            k
        })
        .collect();
    for (k, count) in counts.iter().enumerate() {
        out.positions[k] = out.positions[k].map(|x| x / count);
        let length = out.normals[k].iter().map(|x| x * x).sum::<f32>().sqrt();
        out.normals[k] = if length > 0.0 { out.normals[k].map(|x| x / length) } else { [0.0, 0.0, 1.0] };
    }
    connect(&mut out, mesh, |v| number[v as usize]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of n × n points with the normal upwards.
    fn square(n: u32) -> Mesh {
        let mut mesh = Mesh::default();
        for i in 0..n {
            for j in 0..n {
                mesh.positions.push([i as f32 / n as f32, j as f32 / n as f32, 0.0]);
                mesh.normals.push([0.0, 0.0, 1.0]);
                if i + 1 < n && j + 1 < n {
                    let v = i * n + j;
                    mesh.triangles.extend([[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]);
                    mesh.dark.extend([false, true]);
                }
            }
        }
        mesh.lines.push([0, n - 1]);
        mesh
    }

    #[test]
    fn grids_lose_rows_and_columns_and_stay_closed() {
        let (rows, columns) = (33u32, 64u32);
        let mut sphere = Mesh::default();
        let tape = polhode::tape::Tape::default();
        let ruler = Ruler::open(0.0, std::f64::consts::PI, rows as usize);
        let round = Ruler::round(columns as usize);
        for i in 0..rows {
            for j in 0..columns {
                let (u, v) = (ruler.at(i as usize), round.at(j as usize));
                let p = [u.sin() * v.cos(), u.sin() * v.sin(), u.cos()].map(|x| x as f32);
                sphere.positions.push(p);
                sphere.normals.push(p);
                if i + 1 < rows {
                    let [a, b] = [i * columns + j, i * columns + (j + 1) % columns];
                    sphere.triangles.extend([[a, a + columns, b], [b, a + columns, b + columns]]);
                    sphere.dark.extend([false, true]);
                }
            }
        }
        sphere.grid = Some(Grid { tape, u: ruler, v: round, side: 1.0, depends: Vec::new() });
        for (most, vertices) in [(2000, 33 * 32), (1000, 17 * 32), (300, 17 * 16), (10, 9 * 16)] {
            let fewer = coarse(&sphere, most);
            assert_eq!(fewer.positions.len(), vertices);
            let volume: f32 = (fewer.triangles.iter())
                .map(|t| {
                    let [a, b, c] = t.map(|v| fewer.positions[v as usize]);
                    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
                    (0..3).map(|i| a[i] * cross[i]).sum::<f32>() / 6.0
                })
                .sum();
            assert!((volume - 4.19).abs() < 0.3, "{volume}");
        }
        // and it can be computed anew: its vertices are where the rulers say
        let fewer = coarse(&sphere, 1000);
        let grid = fewer.grid.as_ref().unwrap();
        assert_eq!(grid.u.count * grid.v.count, fewer.positions.len());
        let whole = sphere.grid.as_ref().unwrap();
        let (i, j) = (grid.u.count / 2, grid.v.count / 3);
        let strides = [whole.u.cells() / grid.u.cells(), whole.v.cells() / grid.v.cells()];
        assert!((grid.u.at(i) - whole.u.at(strides[0] * i)).abs() < 1e-12);
        assert!((grid.v.at(j) - whole.v.at(strides[1] * j)).abs() < 1e-12);
        let old = sphere.positions[strides[0] * i * whole.v.count + strides[1] * j];
        assert_eq!(fewer.positions[i * grid.v.count + j], old);
    }

    #[test]
    fn large_meshes_become_smaller_and_stay_where_they_are() {
        let small = square(50);
        assert!(matches!(coarse(&small, VERTICES), Cow::Borrowed(_)));
        let large = square(200);
        let fewer = coarse(&large, VERTICES);
        assert!(fewer.positions.len() <= VERTICES && fewer.positions.len() > VERTICES / 4, "{}", fewer.positions.len());
        assert_eq!((fewer.triangles.len(), fewer.lines.len()), (fewer.dark.len(), 1));
        assert!(fewer.normals.iter().all(|n| *n == [0.0, 0.0, 1.0]));
        let area: f32 = (fewer.triangles.iter())
            .map(|t| {
                let [a, b, c] = t.map(|v| fewer.positions[v as usize]);
                ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0
            })
            .sum();
        assert!((area - 0.97).abs() < 0.05, "{area}");
    }
}
