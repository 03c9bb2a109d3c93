//! An ellipsoid on an equal one, in contact along their circular sections \[Voronets1911, §17\].
//!
//! The body is the mirror image of the ground in the plane of contact, that is the ground turned by π about the tangent of the circle. With the half axes a > b > c and the plane
//! through the middle axis e_y and q = (x̂, 0, ẑ) on the ellipsoid at the distance b,
//!
//! ```text
//! c = c₁ = b (cos φ q + sin φ e_y),   φ = φ₀ ∓ ω₀t/2,   ω = ω₀ N constant,   N = q × e_y,   O O₁ = 2b,                 (K1)
//! ```
//!
//! under the conditions
//!
//! | condition | |
//! | --- | --- |
//! | inertia | N is a principal axis: A = C is enough |
//! | force | along O O₁; how large it is does not matter, as O O₁ does not change |
//! | reaction | P(2b) − ½ M b ω₀² along O₁O, where P is the attraction: not negative where the contact can open |
//! | friction | μ ≥ √((a² − b²)(b² − c²))/(ac) |

use super::body::{Face, Rigid, RigidState};
use super::vector::{Vec3, add, apply, cross, dot, scale};
use polhode_tape::{Dd, Scalar};

/// Lengths that differ by less are equal.
const EQUAL: f64 = 1e-24;

/// The motion and its conditions.
#[derive(Clone, Debug)]
pub struct CircularSections {
    /// ω₀, with the sign that N gives it.
    pub rate: Dd,
    /// The radius of the circles, b.
    pub radius: Dd,
    /// N in the axes of body and ground.
    pub normal: [Dd; 3],
    /// P(2b) − ½ M b ω₀².
    pub reaction: Dd,
    /// The coefficient of friction that the motion needs at its worst place.
    pub friction: Dd,
    q: Vec3<Dd>,
    middle: Vec3<Dd>,
    phi: Dd,
}

impl CircularSections {
    /// The motion from the initial state of two equal ellipsoids, if it is on circular sections.
    pub(super) fn of(body: &Rigid) -> Option<CircularSections> {
        let [Face::Ellipsoid(own), Face::Ellipsoid(other)] = body.faces else { return None };
        if own != other {
            return None;
        }
        let mut order = [0, 1, 2];
        order.sort_by(|i, j| own[*j].to_f64().total_cmp(&own[*i].to_f64()));
        let [a, b, c] = order.map(|i| own[i]);
        let (a2, b2, c2) = (a * a, b * b, c * c);
        if !(a2 > b2 && b2 > c2) {
            return None;
        }
        // q²: x²/a² + z²/c² = x²/b² + z²/b²
        let x = (a2 * (b2 - c2) / (b2 * (a2 - c2))).sqrt();
        let z = (c2 * (a2 - b2) / (b2 * (a2 - c2))).sqrt();
        let place = |x: Dd, y: Dd, z: Dd| {
            let mut v = [Dd::ZERO; 3];
            (v[order[0]], v[order[1]], v[order[2]]) = (x, y, z);
            v
        };
        let middle = place(Dd::ZERO, Dd::ONE, Dd::ZERO);
        let start = &body.start;
        let q = [place(x, Dd::ZERO, z), place(x, Dd::ZERO, -z)].into_iter().find(|q| {
            let normal = cross(*q, middle);
            dot(normal, start.contact).to_f64().abs() <= EQUAL * b.to_f64()
        })?;
        let normal = cross(q, middle);
        let rate = dot(start.omega, normal);
        let phi = dot(start.contact, middle).atan2(dot(start.contact, q));
        let away = scale(Dd::ONE / (b + b), start.centre);
        let pull = -dot(body.force, away);
        let half = Dd::from(0.5);
        let motion = CircularSections {
            rate,
            radius: b,
            normal,
            reaction: pull - half * body.mass * b * rate * rate,
            friction: ((a2 - b2) * (b2 - c2)).sqrt() / (a * c),
            q,
            middle,
            phi,
        };
        // the state at t = 0 is that of the body
        let now = motion.at(Dd::ZERO);
        let pairs = [(now.omega, start.omega), (now.contact, start.contact), (now.centre, start.centre)];
        let rows = (0..3).map(|i| (now.rotation[i], start.rotation[i]));
        let same =
            pairs.into_iter().chain(rows).all(|(p, q)| (0..3).all(|i| (p[i] - q[i]).to_f64().abs() < EQUAL * 1e4));
        same.then_some(motion)
    }

    /// After 4π/ω₀ everything returns.
    pub fn period(&self) -> Dd {
        Dd::PI * Dd::from(4.0) / self.rate.abs()
    }

    /// q, e and N: unit vectors of the circle and its normal, in the body.
    pub(super) fn frame(&self) -> [[Dd; 3]; 3] {
        [self.q, self.middle, self.normal]
    }

    /// φ₀.
    pub(super) fn phase(&self) -> Dd {
        self.phi
    }

    /// The state at time t.
    pub fn at(&self, t: Dd) -> RigidState {
        let half = Dd::from(0.5);
        // the contact runs against the turning of the body, at half its speed: ċ = K⁻¹(ν × Ω), K twice the curvature of the ground
        let phi = self.phi - half * self.rate * t;
        let (sin, cos) = phi.sin_cos();
        let out = add(scale(cos, self.q), scale(sin, self.middle));
        let tangent = cross(self.normal, out);
        // 2 t tᵀ − 1
        let rotation = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| Dd::from(2.0) * tangent[i] * tangent[j] - if i == j { Dd::ONE } else { Dd::ZERO })
        });
        let contact = scale(self.radius, out);
        RigidState {
            rotation,
            omega: scale(self.rate, self.normal),
            omega_rate: [Dd::ZERO; 3],
            centre: add(contact, scale(-Dd::ONE, apply(&rotation, contact))),
            contact,
            contact_rate: scale(-(half * self.rate * self.radius), tangent),
            contact_in_world: contact,
        }
    }
}
