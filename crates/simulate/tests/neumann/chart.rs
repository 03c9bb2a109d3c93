//! Charts by hand: positions as the paper gives them, and the fundamental quantities of Gauss from their derivatives.
//!
//! Nothing here is taken from `polhode_geometry`.

use super::algebra::{V, X, atan2, letter};
use super::motion::Motion;

/// A chart x(u, v) with its fundamental quantities, as functions of u and v.
pub(crate) struct Chart {
    pub(crate) u: X,
    pub(crate) v: X,
    /// The position, seen from the centre of mass or the origin.
    pub(crate) x: V,
    pub(crate) x_u: V,
    pub(crate) x_v: V,
    /// E, F, G.
    pub(crate) e: X,
    pub(crate) f: X,
    pub(crate) g: X,
    /// D, D′, D″.
    pub(crate) d: X,
    pub(crate) d1: X,
    pub(crate) d2: X,
    /// √E, √G.
    pub(crate) re: X,
    pub(crate) rg: X,
    /// (α, α′, α″), (β, β′, β″), (γ, γ′, γ″): the axes u, v, n of (1).
    pub(crate) alpha: V,
    pub(crate) beta: V,
    pub(crate) gamma: V,
}

impl Chart {
    /// The chart with the parameters u and v, which must be symbols.
    pub(crate) fn new(u: X, v: X, x: V) -> Chart {
        let (x_u, x_v) = (x.d(u), x.d(v));
        let across = x_u.cross(x_v);
        let gamma = 1 / across.dot(across).sqrt() * across;
        let (e, g) = (x_u.dot(x_u), x_v.dot(x_v));
        let (re, rg) = (e.sqrt(), g.sqrt());
        Chart {
            u,
            v,
            x,
            x_u,
            x_v,
            e,
            f: x_u.dot(x_v),
            g,
            d: x_u.d(u).dot(gamma),
            d1: x_u.d(v).dot(gamma),
            d2: x_v.d(v).dot(gamma),
            re,
            rg,
            alpha: 1 / re * x_u,
            beta: 1 / rg * x_v,
            gamma,
        }
    }

    /// ρ².
    pub(crate) fn rho2(&self) -> X {
        self.x.dot(self.x)
    }

    /// ρ ρ_u.
    pub(crate) fn rho_u(&self) -> X {
        self.rho2().d(self.u) / 2
    }

    /// ρ ρ_v.
    pub(crate) fn rho_v(&self) -> X {
        self.rho2().d(self.v) / 2
    }

    /// ε.
    pub(crate) fn epsilon(&self) -> X {
        self.x.dot(self.gamma)
    }

    /// ∂E/∂v and ∂G/∂u.
    pub(crate) fn slopes(&self) -> (X, X) {
        (self.e.d(self.v), self.g.d(self.u))
    }

    /// (E_v u̇ − G_u v̇)/(2√(EG)), the n₁ of (8).
    pub(crate) fn turning(&self, du: X, dv: X) -> X {
        let (e_v, g_u) = self.slopes();
        (e_v * du - g_u * dv) / (2 * self.re * self.rg)
    }
}

/// The ellipsoid in elliptic coordinates, [Voronets1911, §17]: x = a √(a² − u) √(a² − v)/(√(a² − b²) √(a² − c²)), …
/// with the signs of the octant.
pub(crate) fn elliptic(u: X, v: X, axes: [X; 3], octant: V, centre: V) -> Chart {
    Chart::new(u, v, centre + octant.times(elliptic_position(u, v, axes)))
}

fn elliptic_position(u: X, v: X, axes: [X; 3]) -> V {
    let [p, q, r] = axes.map(X::sq);
    let part = |a: X, p: X, q: X, r: X| a * ((p - u) * (p - v) / ((p - q) * (p - r))).sqrt();
    V([part(axes[0], p, q, r), part(axes[1], q, r, p), part(axes[2], r, p, q)])
}

/// Names of a chart's letters.
pub(crate) struct Names<'a> {
    pub(crate) u: &'a str,
    pub(crate) v: &'a str,
}

/// The letters of a body's surface.
pub(crate) const ON_BODY: Names = Names { u: "u", v: "v" };
/// The letters of the ground's surface.
pub(crate) const ON_GROUND: Names = Names { u: "u1", v: "v1" };

/// Elliptic coordinates of a point x of an ellipsoid as letters of the motion, with rates of second order. For n along
/// `side` times the outward normal u is the larger or the smaller of the two roots of
///
/// ```text
/// u + v = a² + b² + c² − ρ²,    u v = a²b²c² (x²/a⁴ + y²/b⁴ + z²/c⁴)
/// ```
pub(crate) fn elliptic_letters(
    motion: &mut Motion,
    names: &Names,
    axes: [X; 3],
    centre: V,
    point: V,
    side: i64,
) -> Chart {
    let x = point - centre;
    let octant = V([0, 1, 2].map(|i| motion.sign(&format!("sign of {} {i}", names.u), x[i])));
    let [p, q, r] = axes.map(X::sq);
    let sum = p + q + r - x.dot(x);
    let product = p * q * r * (x[0].sq() / p.sq() + x[1].sq() / q.sq() + x[2].sq() / r.sq());
    let root = side * octant[0] * octant[1] * octant[2] * (sum.sq() - 4 * product).sqrt();
    let u = motion.letter(names.u, (sum + root) / 2, 2);
    let v = motion.letter(names.v, (sum - root) / 2, 2);
    let chart = elliptic(u, v, axes, octant, centre);
    motion.hold("position in elliptic coordinates", chart.x, point);
    chart
}

/// The sphere of §10, x₁ = R₁ sin u₁ cos v₁, …; for n₁ towards its centre v₁ is replaced by −v₁.
pub(crate) fn sphere_letters(
    motion: &mut Motion,
    names: &Names,
    radius: X,
    point: V,
    side: i64,
    order: usize,
) -> Chart {
    let [x, y, z] = point.0;
    let u = motion.letter(names.u, atan2((x.sq() + y.sq()).sqrt(), z), order);
    let v = motion.letter(names.v, side * atan2(y, x), order);
    let chart = Chart::new(u, v, radius * V([u.sin() * v.cos(), side * (u.sin() * v.sin()), u.cos()]));
    motion.hold("position on the sphere", chart.x, point);
    chart
}

/// The angle ϑ with e_u = −sin ϑ e_u₁ + cos ϑ e_v₁, as a letter.
pub(crate) fn theta_letter(motion: &mut Motion, body: &Chart, ground: &Chart) -> X {
    let along = motion.world(body.alpha);
    let theta = atan2(-along.dot(ground.alpha), along.dot(ground.beta));
    motion.hold("n = −n₁", motion.world(body.gamma), -ground.gamma);
    motion.letter("theta", theta, 2)
}

/// The rate of a letter of a motion: u', u''.
pub(crate) fn rate(x: X, order: usize) -> X {
    let symbol = x.symbol();
    let name = super::algebra::with(|g| g.name(symbol).to_string());
    letter(&format!("{name}{}", "'".repeat(order)))
}
