//! Rolling along meridians \[Voronets1911, §17\]: a body of revolution on a surface of revolution, both axes in one plane for ever.
//!
//! In that plane two curves roll on each other. With arcs σ = −σ₁ + const, curvatures κ, κ₁ and normals at the angles α, α₁,
//!
//! ```text
//! Θ = α₁ + π − α,     Θ̇ = (κ + κ₁) σ̇₁,     ½ (A + Mρ²) Θ̇² + W = E,                                                    (M1)
//! ```
//!
//! so that σ̇₁² = P(σ₁) = 2(E − W)/((A + Mρ²)(κ + κ₁)²) and t is a quadrature. Arcs of ellipses are elliptic integrals E(β | 1 − a²/c²). Between two zeros of P the body rocks,
//! σ₁ = mean + amplitude · cos s, and t(s) is a cosine series.

use super::body::{Face, Rigid, RigidState};
use super::residual::Test;
use super::series::Cosines;
use super::vector::{Vec3, across, add, apply, back, cross, dot, scale, unit};
use polhode_mechanics::System;
use polhode_special::elliptic::elliptic_e_incomplete;
use polhode_tape::{Dd, Scalar};

/// Vectors of the plane that should vanish have at most this size.
const FLAT: f64 = 1e-24;

/// A curve in its plane, by its arc, with dx/dσ a quarter turn ahead of the normal.
#[derive(Clone, Copy, Debug)]
enum Curve {
    Line,
    /// Signed radius.
    Circle(Dd),
    /// Half axes across and along the axis, height of the middle.
    Ellipse([Dd; 3]),
}

/// A point of a curve.
#[derive(Clone, Copy, Debug)]
struct Spot {
    point: [Dd; 2],
    normal: [Dd; 2],
    curvature: Dd,
}

impl Curve {
    fn of(face: Face) -> Option<Curve> {
        Some(match face {
            Face::Plane => Curve::Line,
            Face::Sphere(r) => Curve::Circle(r),
            Face::Spheroid(e) => Curve::Ellipse(e),
            Face::Ellipsoid(_) | Face::Other => return None,
        })
    }

    /// dσ/dβ on an ellipse.
    fn speed([a, c, _]: [Dd; 3], beta: Dd) -> Dd {
        let (sin, cos) = beta.sin_cos();
        (a * a * sin * sin + c * c * cos * cos).sqrt()
    }

    fn arc([a, c, _]: [Dd; 3], beta: Dd) -> Dd {
        c * elliptic_e_incomplete(beta, Dd::ONE - a * a / (c * c))
    }

    /// The arc at a point.
    fn arc_of(self, p: [Dd; 2]) -> Dd {
        match self {
            Curve::Line => -p[0],
            Curve::Circle(r) => r * (p[1] / r).atan2(p[0] / r),
            Curve::Ellipse(e) => Curve::arc(e, ((p[1] - e[2]) / e[1]).atan2(p[0] / e[0])),
        }
    }

    fn at(self, sigma: Dd) -> Spot {
        match self {
            Curve::Line => Spot { point: [-sigma, Dd::ZERO], normal: [Dd::ZERO, Dd::ONE], curvature: Dd::ZERO },
            Curve::Circle(r) => {
                let (sin, cos) = (sigma / r).sin_cos();
                Spot { point: [r * cos, r * sin], normal: [cos, sin], curvature: Dd::ONE / r }
            }
            Curve::Ellipse(e) => {
                let [a, c, h] = e;
                // the arc grows with β, by at least the smaller half axis
                let mut beta = sigma * Dd::from(2.0) / (a + c);
                for _ in 0..60 {
                    let step = (Curve::arc(e, beta) - sigma) / Curve::speed(e, beta);
                    beta = beta - step;
                    if step.to_f64().abs() < 1e-30 * (1.0 + beta.to_f64().abs()) {
                        break;
                    }
                }
                let w = Curve::speed(e, beta);
                let (sin, cos) = beta.sin_cos();
                Spot {
                    point: [a * cos, h + c * sin],
                    normal: [c * cos / w, a * sin / w],
                    curvature: a * c / (w * w * w),
                }
            }
        }
    }
}

/// A body that rocks along meridians.
#[derive(Clone, Debug)]
pub struct Meridian {
    body: Curve,
    ground: Curve,
    /// In-plane axes and normal of the plane: of the world, of the body.
    world: [Vec3<Dd>; 3],
    own: [Vec3<Dd>; 3],
    /// σ + σ₁.
    sum: Dd,
    /// A, M, E.
    energy: [Dd; 3],
    turning: [Dd; 2],
    time: Cosines,
    phase: Dd,
}

impl Meridian {
    /// The motion from the initial state, if it is one along meridians that rocks.
    pub(super) fn of(system: &System, rigid: &Rigid, test: &Test) -> Option<Meridian> {
        let moments = rigid.principal()?;
        if moments[0] != moments[1] || rigid.rotor.iter().any(|x| *x != Dd::ZERO) {
            return None;
        }
        let [body, ground] = [Curve::of(rigid.faces[0])?, Curve::of(rigid.faces[1])?];
        let start = &rigid.start;
        let up = [Dd::ZERO, Dd::ZERO, Dd::ONE];
        // Ω is the normal of the plane, and both axes lie in it
        let size = dot(start.omega, start.omega);
        if size == Dd::ZERO {
            return None;
        }
        let turning = unit(apply(&start.rotation, start.omega));
        let flat = |v: Vec3<Dd>| dot(v, turning).to_f64().abs() < FLAT;
        let axis = apply(&start.rotation, up);
        if !(flat(up) && flat(axis) && flat(start.contact_in_world) && flat(start.centre)) {
            return None;
        }
        // world (X, Z, Y) with Y = Z × X; a counterclockwise turn in (X, Z) is one about −Y
        let world = [cross(turning, up), up, turning];
        let y = back(&start.rotation, turning);
        let own = [cross(y, up), up, y];
        let plane = |v: Vec3<Dd>, axes: &[Vec3<Dd>; 3]| [dot(v, axes[0]), dot(v, axes[1])];
        let sigma = body.arc_of(plane(start.contact, &own));
        let sigma1 = ground.arc_of(plane(start.contact_in_world, &world));
        let (now, _) = rigid.symbols(system, start)?;
        let mut motion = Meridian {
            body,
            ground,
            world,
            own,
            sum: sigma + sigma1,
            energy: [moments[0], rigid.mass, test.energy(&now)],
            turning: [Dd::ZERO; 2],
            time: Cosines { coefficients: Vec::new() },
            phase: Dd::ZERO,
        };
        let energy = motion.energy[2];
        let square = |sigma1: Dd| -> Option<Dd> {
            let state = motion.state(sigma1, Dd::ZERO);
            let (symbols, _) = rigid.symbols(system, &state)?;
            let (p, q) = motion.spots(sigma1);
            let bend = p.curvature + q.curvature;
            let lever = moments[0] + rigid.mass * dot(state.contact, state.contact);
            Some(Dd::from(2.0) * (energy - test.energy(&symbols)) / (lever * bend * bend))
        };
        let scale_of = {
            let (p, q) = motion.spots(sigma1);
            Dd::ONE / (p.curvature + q.curvature)
        };
        // Ω along Y is −Θ̇
        let speed = -(size.sqrt() * scale_of);
        let ends = [-1.0, 1.0]
            .map(|direction| zero(&square, sigma1, Dd::from(direction) * scale_of.abs() * Dd::from(1.0 / 64.0)));
        let turning = [ends[0]?, ends[1]?];
        let half = Dd::from(0.5);
        let (middle, amplitude) = ((turning[0] + turning[1]) * half, (turning[1] - turning[0]) * half);
        let series = Cosines::of(1, |s| {
            let (sin, cos) = s.sin_cos();
            let p = square(middle + amplitude * cos).unwrap_or(Dd::ZERO);
            vec![amplitude * sin / p.sqrt()]
        })?;
        let inside = (sigma1 - turning[0]) * (turning[1] - sigma1);
        let sine = if inside > Dd::ZERO { inside.sqrt() / amplitude } else { Dd::ZERO };
        motion.phase = (if speed > Dd::ZERO { -sine } else { sine }).atan2((sigma1 - middle) / amplitude);
        motion.turning = turning;
        motion.time = series.into_iter().next()?;
        Some(motion)
    }

    fn spots(&self, sigma1: Dd) -> (Spot, Spot) {
        (self.body.at(self.sum - sigma1), self.ground.at(sigma1))
    }

    /// The state at a place, with a speed; Ω̇ is left out.
    fn state(&self, sigma1: Dd, speed: Dd) -> RigidState {
        let (p, q) = self.spots(sigma1);
        let lift = |v: [Dd; 2], axes: &[Vec3<Dd>; 3]| add(scale(v[0], axes[0]), scale(v[1], axes[1]));
        // e^{iΘ} = −n₁ n̄
        let cos = -(q.normal[0] * p.normal[0] + q.normal[1] * p.normal[1]);
        let sin = -(q.normal[1] * p.normal[0] - q.normal[0] * p.normal[1]);
        let to = [lift([cos, sin], &self.world), lift([-sin, cos], &self.world), self.world[2]];
        let rotation =
            [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).fold(Dd::ZERO, |s, k| s + to[k][i] * self.own[k][j])));
        let contact = lift(p.point, &self.own);
        let contact_in_world = lift(q.point, &self.world);
        let tangent = lift([-p.normal[1], p.normal[0]], &self.own);
        RigidState {
            rotation,
            omega: scale(-((p.curvature + q.curvature) * speed), self.own[2]),
            omega_rate: [Dd::ZERO; 3],
            centre: add(contact_in_world, scale(-Dd::ONE, apply(&rotation, contact))),
            contact,
            contact_rate: scale(-speed, tangent),
            contact_in_world,
        }
    }

    /// The period of rocking.
    pub fn period(&self) -> Dd {
        self.time.mean() * Dd::PI * Dd::from(2.0)
    }

    /// The arcs on the ground at which the body turns back.
    pub fn turning_points(&self) -> [Dd; 2] {
        self.turning
    }

    /// S, A, M and E of (M1).
    pub(super) fn letters(&self) -> [Dd; 4] {
        let [across, mass, energy] = self.energy;
        [self.sum, across, mass, energy]
    }

    /// The state at time t, without Ω̇.
    pub fn at(&self, t: Dd) -> RigidState {
        let s = self.time.inverse(self.time.integral(self.phase) + t);
        let half = Dd::from(0.5);
        let (middle, amplitude) =
            ((self.turning[0] + self.turning[1]) * half, (self.turning[1] - self.turning[0]) * half);
        let (sin, cos) = s.sin_cos();
        // dσ₁/dt = −amplitude sin s / (dt/ds)
        let speed = -(amplitude * sin / self.time.value(s));
        self.state(middle + amplitude * cos, speed)
    }

    /// The normal of the plane, in the body.
    pub(super) fn normal(&self) -> Vec3<Dd> {
        self.own[2]
    }
}

/// The first zero of P from a place, in steps; `None` where there is none within a turn of the curves.
fn zero(square: &impl Fn(Dd) -> Option<Dd>, from: Dd, step: Dd) -> Option<Dd> {
    let mut inside = from;
    for _ in 0..400 {
        let outside = inside + step;
        if square(outside)? < Dd::ZERO {
            let (mut a, mut b) = (inside, outside);
            for _ in 0..115 {
                let middle = (a + b) * Dd::from(0.5);
                if square(middle)? < Dd::ZERO { b = middle } else { a = middle }
            }
            return Some(a);
        }
        inside = outside;
    }
    None
}

/// The part of a vector that should vanish in motions along meridians.
pub(super) fn off_plane(v: Vec3<Dd>, normal: Vec3<Dd>) -> f64 {
    let beside = across(v, normal);
    dot(beside, beside).sqrt().to_f64()
}
