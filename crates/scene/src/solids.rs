//! Meshes of solids of size 1, to be stretched: those of [`Solid`].

use crate::mesh::{Mesh, Ruler};
use polhode_geometry::dense::V;
use polhode_model::Solid;

/// Vertices from pole to pole, and round the axis.
pub(crate) const MERIDIAN: usize = 33;
pub(crate) const ROUND: usize = 64;

/// Fields of two shades from pole to pole, and round the axis.
pub(crate) const CHECKS: [usize; 2] = [4, 8];

/// The mesh of a solid.
pub(crate) fn solid(solid: Solid) -> Mesh {
    match solid {
        Solid::Ball => ball(1.0),
        Solid::Box => cube(),
        Solid::Cylinder => cylinder(),
        Solid::Disk => disk(),
    }
}

/// (sin u cos v, sin u sin v, cos u), r times as large.
pub(crate) fn ball(r: f64) -> Mesh {
    let u = Ruler::open(0.0, std::f64::consts::PI, MERIDIAN);
    Mesh::on_grid(u, Ruler::round(ROUND), 1.0, CHECKS, |u, v| {
        let (su, cu) = sin_cos(u);
        let (sv, cv) = sin_cos(v);
        [[su * cv, su * sv, cu], [cu * cv, cu * sv, -su], [-su * sv, su * cv, 0.0]].map(|x: V| x.map(|c| r * c))
    })
}

/// The faces meet in edges: every face has vertices of its own.
fn cube() -> Mesh {
    let (mut points, mut normals, mut triangles, mut lines) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for axis in 0..3 {
        for sign in [-0.5, 0.5] {
            let first = points.len() as u32;
            for (p, q) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
                let mut x = [0.0; 3];
                x[axis] = sign;
                // a right-handed frame of the face, seen from outside
                x[(axis + 1) % 3] = p * 2.0 * sign;
                x[(axis + 2) % 3] = q;
                points.push(x);
                normals.push(std::array::from_fn(|k| if k == axis { 2.0 * sign } else { 0.0 }));
            }
            triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            lines.extend((0..4).map(|k| [first + k, first + (k + 1) % 4]));
        }
    }
    let dark = (0..triangles.len()).map(|k| (k / 2) % 2 == 1).collect();
    Mesh { lines, ..Mesh::new(&points, normals, triangles, dark) }
}

/// Mantle and two faces, each with vertices of its own.
fn cylinder() -> Mesh {
    let (mut points, mut normals, mut triangles, mut dark, mut lines) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let n = ROUND as u32;
    let around = |k: u32| sin_cos(std::f64::consts::TAU * f64::from(k) / f64::from(n));
    let shade = |k: u32| k * CHECKS[1] as u32 / n % 2 == 1;
    for z in [-0.5, 0.5] {
        for k in 0..n {
            let (s, c) = around(k);
            points.push([c, s, z]);
            normals.push([c, s, 0.0]);
        }
    }
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.extend([[k, next, n + next], [k, n + next, n + k]]);
        dark.extend([shade(k), shade(k)]);
        lines.extend([[k, next], [n + k, n + next]]);
    }
    // faces in rings, so that no triangle is long
    for z in [-0.5, 0.5] {
        let first = points.len() as u32;
        for ring in 0..RINGS {
            for k in 0..n {
                let ((s, c), rho) = (around(k), 1.0 - f64::from(ring) / f64::from(RINGS));
                points.push([rho * c, rho * s, z]);
                normals.push([0.0, 0.0, 2.0 * z]);
            }
        }
        points.push([0.0, 0.0, z]);
        normals.push([0.0, 0.0, 2.0 * z]);
        let middle = first + RINGS * n;
        let mut put = |t: [u32; 3], k: u32| {
            triangles.push(if z > 0.0 { t } else { [t[0], t[2], t[1]] });
            dark.push(shade(k));
        };
        for ring in 0..RINGS {
            for k in 0..n {
                let [a, b] = [k, (k + 1) % n].map(|k| first + ring * n + k);
                if ring + 1 == RINGS {
                    put([a, b, middle], k);
                } else {
                    put([a, b, b + n], k);
                    put([a, b + n, a + n], k);
                }
            }
        }
    }
    Mesh { lines, ..Mesh::new(&points, normals, triangles, dark) }
}

/// ((1 − z²) cos v, (1 − z²) sin v, z): two shallow cones with a round rim, and spokes.
fn disk() -> Mesh {
    let mut mesh = Mesh::on_grid(lens_ruler(), Ruler::round(ROUND), -1.0, LENS_CHECKS, |z, v| {
        let ((s, c), rho) = (sin_cos(v), 1.0 - z * z);
        [[rho * c, rho * s, z], [-2.0 * z * c, -2.0 * z * s, 1.0], [-rho * s, rho * c, 0.0]]
    });
    mesh.lines = rim_and_spokes();
    mesh
}

/// Sides of a stick and of a cone.
const SIDES: u32 = 24;

/// A cylinder of radius 1 and length 1 along z, about the origin, with few facets.
pub(crate) fn stick() -> Mesh {
    tapered(1.0)
}

/// A cone of radius 1 below and length 1 along z, about the origin.
pub(crate) fn cone() -> Mesh {
    tapered(0.0)
}

/// A round stick of radius 1 below and of another above: mantle and faces, each with vertices of its own.
fn tapered(above: f64) -> Mesh {
    let (mut points, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    let around = |k: u32| sin_cos(std::f64::consts::TAU * f64::from(k) / f64::from(SIDES));
    let tilt = (1.0 + (1.0 - above).powi(2)).sqrt();
    for (z, rho) in [(-0.5, 1.0), (0.5, above)] {
        for k in 0..SIDES {
            let (s, c) = around(k);
            points.push([rho * c, rho * s, z]);
            normals.push([c / tilt, s / tilt, (1.0 - above) / tilt]);
        }
    }
    for k in 0..SIDES {
        let next = (k + 1) % SIDES;
        triangles.push([k, next, SIDES + next]);
        if above > 0.0 {
            triangles.push([k, SIDES + next, SIDES + k]);
        }
    }
    for (z, rho) in [(-0.5, 1.0), (0.5, above)].into_iter().filter(|(_, rho)| *rho > 0.0) {
        let first = points.len() as u32;
        points.extend((0..SIDES).map(|k| [rho * around(k).1, rho * around(k).0, z]));
        normals.extend((0..SIDES).map(|_| [0.0, 0.0, 2.0 * z]));
        let fan = (1..SIDES - 1).map(|k| [first, first + k, first + k + 1]);
        triangles.extend(fan.map(|[a, b, c]| if z > 0.0 { [a, b, c] } else { [a, c, b] }));
    }
    let dark = vec![false; triangles.len()];
    Mesh::new(&points, normals, triangles, dark)
}

/// Vertices of a thin body from one face to the other; the rim is in the middle.
pub(crate) fn lens_ruler() -> Ruler {
    Ruler::open(-1.0, 1.0, LENS)
}

/// Rings of the face of a cylinder.
const RINGS: u32 = 8;

const LENS: usize = 17;
pub(crate) const LENS_CHECKS: [usize; 2] = [1, 8];
const SPOKES: usize = 8;

/// The rim of a thin body on the grid of [`lens_ruler`], and spokes on both faces.
pub(crate) fn rim_and_spokes() -> Vec<[u32; 2]> {
    let number = |i: usize, j: usize| (i * ROUND + j % ROUND) as u32;
    let mut lines: Vec<[u32; 2]> = (0..ROUND).map(|j| [number(LENS / 2, j), number(LENS / 2, j + 1)]).collect();
    for k in 0..SPOKES {
        let j = k * ROUND / SPOKES;
        lines.extend((0..LENS - 1).map(|i| [number(i, j), number(i + 1, j)]));
    }
    lines
}

/// Exact at the quarters, so that poles and seams meet.
fn sin_cos(a: f64) -> (f64, f64) {
    let clean = |x: f64| if x.abs() < 1e-15 { 0.0 } else { x };
    (clean(a.sin()), clean(a.cos()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_geometry::dense::{add_scaled, cross, dot, norm};
    use std::collections::HashMap;

    /// The volume of a mesh whose edges are all there once in each direction.
    fn volume(mesh: &Mesh) -> f64 {
        let key = |k: u32| mesh.point(k).map(|x| (x * 1e5).round() as i64);
        let mut edges: HashMap<[[i64; 3]; 2], i32> = HashMap::new();
        for t in &mesh.triangles {
            for k in 0..3 {
                let (a, b) = (key(t[k]), key(t[(k + 1) % 3]));
                *edges.entry([a, b]).or_default() += 1;
                *edges.entry([b, a]).or_default() -= 1;
            }
        }
        assert!(edges.values().all(|n| *n == 0));
        let part = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| mesh.point(k));
            dot(&a, &cross(&b, &c)) / 6.0
        };
        mesh.triangles.iter().map(part).sum()
    }

    #[test]
    fn sticks_are_closed() {
        let pi = std::f64::consts::PI;
        assert!((volume(&stick()) / pi - 1.0).abs() < 0.02 && (volume(&cone()) / (pi / 3.0) - 1.0).abs() < 0.02);
    }

    #[test]
    fn solids_are_closed_with_their_normals_outward() {
        let pi = std::f64::consts::PI;
        // the disk has ∫ π (1 − z²)² dz = 16π/15
        for (which, expected) in
            [(Solid::Ball, 4.0 / 3.0 * pi), (Solid::Box, 1.0), (Solid::Cylinder, pi), (Solid::Disk, 16.0 / 15.0 * pi)]
        {
            let mesh = solid(which);
            assert!((volume(&mesh) / expected - 1.0).abs() < 0.01, "{which:?}: {}", volume(&mesh));
            for t in &mesh.triangles {
                let [a, b, c] = t.map(|k| mesh.point(k));
                let area = cross(&add_scaled(&b, -1.0, &a), &add_scaled(&c, -1.0, &a));
                assert!(
                    t.iter().all(|k| dot(&mesh.normal(*k), &area) > 0.0 && (norm(&mesh.normal(*k)) - 1.0).abs() < 1e-6)
                );
            }
        }
    }
}
