//! Homogeneous bodies and shells with a boundary of any smooth shape, in doubles.
//!
//! For a body that is star-shaped about the origin of its surface, with the distance r(d) to the boundary in the direction d,
//!
//! ```text
//! solid:  ∫ dV = ∫ r³/3,   ∫ x dV = ∫ r⁴/4 d,   ∫ x xᵀ dV = ∫ r⁵/5 d dᵀ         over the unit sphere
//! shell:  dA = r²/(ν·d),   with x = r d
//! ```
//!
//! by Gauss's rule in the height and equal angles around the axis, which converges exponentially for smooth boundaries; the result is believed
//! if half as many points give the same.

use crate::dense::{self, V};
use crate::numeric::NumericSurface;
use std::f64::consts::PI;

/// Heights at first; the angles are twice as many.
const FIRST: usize = 24;
/// Doublings of the grid.
const DOUBLINGS: usize = 3;
/// Relative difference of two grids at which the finer one is believed.
const AGREEMENT: f64 = 1e-11;
/// How near to the origin the boundary may come, in sizes.
const NEAREST: f64 = 1e-3;
/// Newton's steps for the nodes of Gauss's rule, which lie between −1 and 1, end below this.
const LAST_DIGIT: f64 = 1e-16;
/// How far out the boundary is looked for, in sizes.
const FARTHEST: f64 = 1e3;

/// What a homogeneous body contributes, per unit mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumericMass {
    /// Volume or area.
    pub measure: f64,
    /// The mass centre.
    pub centre: [f64; 3],
    /// The inertia tensor about the mass centre, per unit mass.
    pub inertia: [[f64; 3]; 3],
}

impl NumericSurface {
    /// The body inside the surface, or the surface itself as a thin shell; `None` if it has no equation, is not star-shaped about its own
    /// origin, not closed, or not smooth enough for ten digits.
    pub fn homogeneous(&self, shell: bool) -> Option<NumericMass> {
        let mut coarse = self.moments(FIRST, shell)?;
        for k in 1..=DOUBLINGS {
            let fine = self.moments(FIRST << k, shell)?;
            let size = self.size();
            let same = |a: f64, b: f64, unit: f64| (a - b).abs() <= AGREEMENT * unit;
            let agree = same(fine.measure, coarse.measure, fine.measure)
                && (0..3).all(|i| same(fine.centre[i], coarse.centre[i], size))
                && (0..9).all(|m| {
                    let (i, j) = (m / 3, m % 3);
                    same(fine.inertia[i][j], coarse.inertia[i][j], fine.inertia[i][i] + fine.inertia[j][j])
                });
            if agree {
                return Some(fine);
            }
            coarse = fine;
        }
        None
    }

    fn moments(&self, heights: usize, shell: bool) -> Option<NumericMass> {
        let angles = 2 * heights;
        let (mut measure, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for (z, weight) in gauss(heights) {
            for k in 0..angles {
                let phi = 2.0 * PI * (k as f64 + 0.5) / angles as f64;
                let across = (1.0 - z * z).sqrt();
                let d: V = [across * phi.cos(), across * phi.sin(), z];
                let (r, normal) = self.boundary(&d)?;
                let w = weight * 2.0 * PI / angles as f64;
                let slope = dense::dot(&normal, &d);
                if slope <= 0.0 {
                    return None;
                }
                let [zeroth, once, twice] = match shell {
                    false => [r.powi(3) / 3.0, r.powi(4) / 4.0, r.powi(5) / 5.0],
                    true => [r.powi(2) / slope, r.powi(3) / slope, r.powi(4) / slope],
                };
                measure += w * zeroth;
                for i in 0..3 {
                    first[i] += w * once * d[i];
                    for j in 0..3 {
                        second[i][j] += w * twice * d[i] * d[j];
                    }
                }
            }
        }
        let mean: V = first.map(|x| x / measure);
        let spread = |i: usize, j: usize| second[i][j] / measure - mean[i] * mean[j];
        let trace: f64 = (0..3).map(|i| spread(i, i)).sum();
        let inertia =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { trace - spread(i, i) } else { -spread(i, j) }));
        let origin = self.origin();
        let centre = std::array::from_fn(|i| origin[i] + mean[i]);
        Some(NumericMass { measure, centre, inertia })
    }

    /// Points all over a closed surface that is star-shaped about its own origin; none for others.
    pub fn spread(&self, count: usize) -> Vec<[f64; 3]> {
        let origin = self.origin();
        let mut out = Vec::new();
        for k in 0..count {
            // equal areas, turned by the golden angle
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
            let (across, phi) = ((1.0 - z * z).sqrt(), k as f64 * PI * (3.0 - 5f64.sqrt()));
            let d = [across * phi.cos(), across * phi.sin(), z];
            match self.boundary(&d) {
                Some((r, _)) => out.push(dense::add_scaled(&origin, r, &d)),
                None => return Vec::new(),
            }
        }
        out
    }

    /// The distance of the boundary in a direction, and the normal there.
    fn boundary(&self, d: &V) -> Option<(f64, V)> {
        let origin = self.origin();
        let at = |r: f64| self.signed_distance(dense::add_scaled(&origin, r, d));
        // the origin itself may be a critical point
        let (mut low, mut high) = (NEAREST * self.size(), self.size());
        if at(low)?.0 >= 0.0 {
            return None;
        }
        while at(high)?.0 < 0.0 {
            low = high;
            high *= 1.5;
            if high > FARTHEST * self.size() {
                return None;
            }
        }
        let mut r = 0.5 * (low + high);
        for _ in 0..100 {
            let (distance, normal) = at(r)?;
            if distance < 0.0 {
                low = r;
            } else {
                high = r;
            }
            let slope = dense::dot(&normal, d);
            let next = r - distance / slope;
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            if (next - r).abs() <= 4.0 * f64::EPSILON * r {
                return Some((next, normal));
            }
            r = next;
        }
        let (_, normal) = at(r)?;
        Some((r, normal))
    }
}

/// Nodes and weights of Gauss's rule on (−1, 1), by Newton's method on Legendre's polynomial.
fn gauss(n: usize) -> Vec<(f64, f64)> {
    let legendre = |x: f64| {
        let (mut p, mut q) = (1.0, x);
        for k in 2..=n {
            let k = k as f64;
            (p, q) = (q, ((2.0 * k - 1.0) * x * q - (k - 1.0) * p) / k);
        }
        (q, n as f64 * (x * q - p) / (x * x - 1.0))
    };
    (0..n)
        .map(|i| {
            let mut x = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            for _ in 0..100 {
                let (value, slope) = legendre(x);
                let step = value / slope;
                x -= step;
                if step.abs() < LAST_DIGIT {
                    break;
                }
            }
            let (_, slope) = legendre(x);
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inertia::{Solid, superquadric_mass_properties};
    use crate::surface::{Shape, Surface};
    use polhode_expr::Graph;
    use polhode_expr::number::ratio;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-11 * b.abs().max(1e-2), "{a} {b}");
    }

    #[test]
    fn ellipsoids_and_tori_of_the_table() {
        let mut g = Graph::new();
        let [a, b, c] = [(2, 1), (3, 2), (1, 1)].map(|(n, d)| g.number(ratio(n, d)));
        let surface = Surface::from(Shape::Ellipsoid { a, b, c });
        let found = NumericSurface::new(&g, &surface, &[]).unwrap().homogeneous(false).unwrap();
        let exact = Solid::Ellipsoid { a, b, c }.mass_properties(&mut g);
        let value = |g: &Graph, e| g.evaluate_f64(e, &Default::default()).unwrap();
        close(found.measure, value(&g, exact.measure));
        for i in 0..3 {
            close(found.inertia[i][i], value(&g, exact.inertia[i][i]));
            assert!(found.centre[i].abs() < 1e-13);
        }
    }

    #[test]
    fn a_spherical_shell_seen_from_elsewhere() {
        let mut g = Graph::new();
        let r = g.number(ratio(1, 2));
        let shift = [ratio(1, 10), ratio(0, 1), ratio(-1, 5)].map(|x| g.number(x));
        let turn = crate::linear::identity(&g);
        let surface = Surface::from(Shape::Sphere { radius: r }).placed(&mut g, turn, shift);
        let found = NumericSurface::new(&g, &surface, &[]).unwrap().homogeneous(true).unwrap();
        close(found.measure, PI);
        for (x, y) in found.centre.iter().zip([0.1, 0.0, -0.2]) {
            assert!((x - y).abs() < 1e-13);
        }
        close(found.inertia[0][0], 2.0 / 3.0 * 0.25);
    }

    #[test]
    fn what_is_not_closed_or_not_star_shaped_is_refused() {
        let mut g = Graph::new();
        let (one, third) = (g.one(), g.number(ratio(1, 3)));
        for shape in [Shape::Plane, Shape::Cylinder { radius: one }, Shape::Torus { major: one, minor: third }] {
            assert!(NumericSurface::new(&g, &Surface::from(shape), &[]).unwrap().homogeneous(false).is_none());
        }
    }

    #[test]
    fn superquadrics_with_whole_exponents() {
        // e = 1/2: x⁴ + y⁴ + z⁴ = 1, which is smooth
        let mut g = Graph::new();
        let one = g.one();
        let (volume, moments) = superquadric_mass_properties([1.0; 3], 0.5, 0.5);
        let at = ["x", "y", "z"].map(|n| g.symbol(n));
        let fourth: Vec<_> = at
            .iter()
            .map(|s| {
                let x = g.var(*s);
                (g.powi(x, 4), ratio(1, 1))
            })
            .collect();
        let sum = g.linear(fourth);
        let f = g.sub(sum, one);
        let level = Surface::from(Shape::Implicit { at, f });
        let found = NumericSurface::new(&g, &level, &[]).unwrap().homogeneous(false).unwrap();
        close(found.measure, volume);
        close(found.inertia[2][2], moments[2]);
    }
}
