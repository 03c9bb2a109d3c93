//! Homogeneous bodies: measure, mass centre, inertia tensor per unit mass; and whether a tensor can be one.
//!
//! ```text
//! I = ⟨|x|² 1 − x xᵀ⟩ about the mass centre,    about a point at d from it:  I + |d|² 1 − d dᵀ
//! ```
//!
//! Moments of inertia A ≤ B ≤ C of a body satisfy A > 0 and A + B ≥ C, with equality for a plane figure.
//!
//! Superquadrics have no elementary volume; theirs is numeric only, through
//!
//! ```text
//! ∫ xᵖ y^q zʳ dV = 2/(p+q+2) a^{p+1} b^{q+1} c^{r+1} e₁ e₂ B((r+1)e₁/2, (p+q+2)e₁/2 + 1) B((q+1)e₂/2, (p+1)e₂/2)
//! ```
//!
//! for even p, q, r: slices z = const are scaled superellipses, and both integrals are Dirichlet's.

use crate::dense;
use crate::linear::{self, Mat3, Vec3, fraction};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph};
use std::fmt;

/// A homogeneous body. Axes of symmetry are z; the origin is the centre, the apex for a cone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solid {
    /// A full ball.
    Ball {
        /// Its radius.
        radius: Expr,
    },
    /// A thin hollow sphere.
    SphericalShell {
        /// Its radius.
        radius: Expr,
    },
    /// A full ellipsoid.
    Ellipsoid {
        /// Half axis along x.
        a: Expr,
        /// Half axis along y.
        b: Expr,
        /// Half axis along z.
        c: Expr,
    },
    /// A full ellipsoid of revolution.
    Spheroid {
        /// Radius of the equator.
        a: Expr,
        /// Half axis along z.
        c: Expr,
    },
    /// A full torus.
    Torus {
        /// Distance of the centres of the tube from the axis.
        major: Expr,
        /// Radius of the tube.
        minor: Expr,
    },
    /// A thin hollow torus.
    TorusShell {
        /// Distance of the centres of the tube from the axis.
        major: Expr,
        /// Radius of the tube.
        minor: Expr,
    },
    /// A full cylinder, −h/2 ≤ z ≤ h/2.
    Cylinder {
        /// Its radius.
        radius: Expr,
        /// Its height h.
        height: Expr,
    },
    /// A thin cylindrical tube without lids, −h/2 ≤ z ≤ h/2.
    Tube {
        /// Its radius.
        radius: Expr,
        /// Its height h.
        height: Expr,
    },
    /// A full cone, 0 ≤ z ≤ h, apex at the origin.
    Cone {
        /// The angle between axis and generators.
        half_angle: Expr,
        /// Its height h.
        height: Expr,
    },
    /// A thin disk in the plane z = 0.
    Disk {
        /// Its radius.
        radius: Expr,
    },
    /// A thin hoop in the plane z = 0.
    Hoop {
        /// Its radius.
        radius: Expr,
    },
}

/// What a homogeneous body contributes to the equations of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MassProperties {
    /// Volume, or area of a shell or disk, or length of a hoop.
    pub measure: Expr,
    /// The mass centre.
    pub centre: Vec3,
    /// The inertia tensor about the mass centre, per unit mass.
    pub inertia: Mat3,
}

impl MassProperties {
    /// The inertia tensor per unit mass about another point.
    pub fn inertia_about(&self, g: &mut Graph, point: &Vec3) -> Mat3 {
        let d = linear::sub(g, &self.centre, point);
        let square = linear::dot(g, &d, &d);
        let products = linear::outer(g, &d, &d);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let step = if i == j { g.sub(square, products[i][j]) } else { g.neg(products[i][j]) };
                g.add(self.inertia[i][j], step)
            })
        })
    }
}

impl Solid {
    /// Measure, mass centre and inertia, exactly.
    pub fn mass_properties(&self, g: &mut Graph) -> MassProperties {
        let zero = g.zero();
        let pi = g.pi();
        // n/d π Π factors
        let measure = |g: &mut Graph, n: i64, d: i64, factors: &[Expr]| {
            let product = g.product(factors.iter().copied().chain([pi]));
            fraction(g, product, n, d)
        };
        // Σ n/d x² over the three
        let squares = |g: &mut Graph, items: &[(i64, i64, Expr)]| {
            let items: Vec<_> = items.iter().map(|(n, d, x)| (g.powi(*x, 2), ratio(*n, *d))).collect();
            g.linear(items)
        };
        let mut centre = [zero; 3];
        let (measure, moments) = match *self {
            Solid::Ball { radius: r } => {
                let i = squares(g, &[(2, 5, r)]);
                (measure(g, 4, 3, &[r, r, r]), [i, i, i])
            }
            Solid::SphericalShell { radius: r } => {
                let i = squares(g, &[(2, 3, r)]);
                (measure(g, 4, 1, &[r, r]), [i, i, i])
            }
            Solid::Ellipsoid { a, b, c } => {
                let moments = [(b, c), (c, a), (a, b)].map(|(p, q)| squares(g, &[(1, 5, p), (1, 5, q)]));
                (measure(g, 4, 3, &[a, b, c]), moments)
            }
            Solid::Spheroid { a, c } => return Solid::Ellipsoid { a, b: a, c }.mass_properties(g),
            Solid::Torus { major, minor } => {
                let across = squares(g, &[(1, 2, major), (5, 8, minor)]);
                let along = squares(g, &[(1, 1, major), (3, 4, minor)]);
                (measure(g, 2, 1, &[pi, major, minor, minor]), [across, across, along])
            }
            Solid::TorusShell { major, minor } => {
                let across = squares(g, &[(1, 2, major), (5, 4, minor)]);
                let along = squares(g, &[(1, 1, major), (3, 2, minor)]);
                (measure(g, 4, 1, &[pi, major, minor]), [across, across, along])
            }
            Solid::Cylinder { radius: r, height: h } => {
                let across = squares(g, &[(1, 4, r), (1, 12, h)]);
                let along = squares(g, &[(1, 2, r)]);
                (measure(g, 1, 1, &[r, r, h]), [across, across, along])
            }
            Solid::Tube { radius: r, height: h } => {
                let across = squares(g, &[(1, 2, r), (1, 12, h)]);
                let along = squares(g, &[(1, 1, r)]);
                (measure(g, 2, 1, &[r, h]), [across, across, along])
            }
            Solid::Cone { half_angle, height: h } => {
                let slope = g.tan(half_angle);
                let r = g.mul(h, slope);
                centre[2] = fraction(g, h, 3, 4);
                let across = squares(g, &[(3, 20, r), (3, 80, h)]);
                let along = squares(g, &[(3, 10, r)]);
                (measure(g, 1, 3, &[r, r, h]), [across, across, along])
            }
            Solid::Disk { radius: r } => {
                let (across, along) = (squares(g, &[(1, 4, r)]), squares(g, &[(1, 2, r)]));
                (measure(g, 1, 1, &[r, r]), [across, across, along])
            }
            Solid::Hoop { radius: r } => {
                let (across, along) = (squares(g, &[(1, 2, r)]), squares(g, &[(1, 1, r)]));
                (measure(g, 2, 1, &[r]), [across, across, along])
            }
        };
        let inertia = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { moments[i] } else { zero }));
        MassProperties { measure, centre, inertia }
    }
}

/// Volume and principal moments per unit mass of a homogeneous superquadric (`Shape::Superquadric`), in doubles.
pub fn superquadric_mass_properties(axes: [f64; 3], e1: f64, e2: f64) -> (f64, [f64; 3]) {
    let moment = |p: f64, q: f64, r: f64| {
        let [a, b, c] = axes;
        2.0 / (p + q + 2.0)
            * a.powf(p + 1.0)
            * b.powf(q + 1.0)
            * c.powf(r + 1.0)
            * e1
            * e2
            * beta((r + 1.0) * e1 / 2.0, (p + q + 2.0) * e1 / 2.0 + 1.0)
            * beta((q + 1.0) * e2 / 2.0, (p + 1.0) * e2 / 2.0)
    };
    let volume = moment(0.0, 0.0, 0.0);
    let [x, y, z] = [moment(2.0, 0.0, 0.0), moment(0.0, 2.0, 0.0), moment(0.0, 0.0, 2.0)].map(|m| m / volume);
    (volume, [y + z, z + x, x + y])
}

/// Euler's B(p, q), for positive arguments.
fn beta(p: f64, q: f64) -> f64 {
    (log_gamma(p) + log_gamma(q) - log_gamma(p + q)).exp()
}

/// log Γ(x), x > 0: Stirling's series Σ B₂ₖ/(2k(2k−1)x²ᵏ⁻¹) after x has been raised above 15 by Γ(x + 1) = x Γ(x).
fn log_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 15.0 {
        product *= x;
        x += 1.0;
    }
    let coefficients = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let series = coefficients.iter().rev().fold(0.0, |s, c| s / (x * x) + c) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - product.ln()
}

/// Why a matrix is not the inertia tensor of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum InertiaError {
    /// The entries (i, j) and (j, i) differ, or one of them is not a number.
    NotSymmetric {
        /// Row.
        i: usize,
        /// Column.
        j: usize,
    },
    /// The smallest principal moment is not positive.
    NotPositive {
        /// It.
        moment: f64,
    },
    /// The largest principal moment exceeds the sum of the others.
    Triangle {
        /// The principal moments, smallest first.
        moments: [f64; 3],
    },
}

impl fmt::Display for InertiaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InertiaError::NotSymmetric { i, j } => {
                let (i, j) = (i + 1, j + 1);
                write!(f, "the entries ({i}, {j}) and ({j}, {i}) differ, or are not numbers")
            }
            InertiaError::NotPositive { moment } => write!(f, "the principal moment {moment} is not positive"),
            InertiaError::Triangle { moments: [a, b, c] } => {
                write!(f, "no body has the principal moments {a}, {b}, {c}: {a} + {b} < {c}")
            }
        }
    }
}

impl std::error::Error for InertiaError {}

/// Relative rounding allowed in symmetry and triangle inequality: a disk has A + B = C exactly.
const ROUNDING: f64 = 1e-12;

/// The principal moments, smallest first, of a tensor that is symmetric, positive, and satisfies the triangle
/// inequality; otherwise what fails first.
pub fn check_inertia(inertia: &[[f64; 3]; 3]) -> Result<[f64; 3], InertiaError> {
    let size = inertia.iter().flatten().fold(0f64, |s, x| s.max(x.abs()));
    for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
        let gap = inertia[i][j] - inertia[j][i];
        if !inertia[i][j].is_finite() || gap.is_nan() || gap.abs() > ROUNDING * size {
            return Err(InertiaError::NotSymmetric { i, j });
        }
    }
    let moments @ [a, b, c] = dense::eigenvalues3(inertia);
    if a <= 0.0 {
        return Err(InertiaError::NotPositive { moment: a });
    }
    if c - a - b > ROUNDING * c {
        return Err(InertiaError::Triangle { moments });
    }
    Ok(moments)
}
