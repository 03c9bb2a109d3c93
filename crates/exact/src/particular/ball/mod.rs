//! A ball with an axis of symmetry and a rotor along it, on a plane or, if it is homogeneous, on a sphere: all motions, by quadratures.
//!
//! n is the unit vector from the centre O to the contact, z the axis, both in space; A and C the moments of inertia, κ the momentum of the rotor, r the radius of
//! the ball, R₁ that of the ground (negative for a hollow, infinite for a plane), k = r/(R₁ + r), J = A + Mr². The moment about the contact
//!
//! ```text
//! G = A ω + (C − A)(z·ω) z + Mr² (ω − n (n·ω)) + κ z                                               (B1)
//! ```
//!
//! is constant in space, and ṅ = k ω × n, ż = ω × z. All products are functions of x = n·z. On a plane, with Δ = A(C + Mr²) + Mr²(C − A)x²,
//!
//! ```text
//! u = (C − A) z·ω + κ,   u √Δ = const,   A n·ω = G·n − x u,   G·z = (C + Mr²) z·ω − Mr² x n·ω + κ,   G·n = const;       (B2)
//! ```
//!
//! on a sphere with A = C, X = x/(k − 1),
//!
//! ```text
//! n·ω = w + κX/A,   G·z = g + Mr²(wX + κX²/2A),   (1 − k) G·n + kκ x = const.                                           (B3)
//! ```
//!
//! (B2) is the integral v₀√Δ of \[CendraLacombaReartes2001\] with a rotor, (B3) Joukovski's case of \[Voronets1911, §15\]. Then
//!
//! ```text
//! J² ẋ² = (1 − k)² Gram(G, n, z) = (1 − k)² (G²(1 − x²) − (G·n)² − (G·z)² + 2 x G·n G·z),                                (B4)
//! ```
//!
//! x = x̄ + a cos s swings between two zeros, and every angle is an integral over s of a function of x:
//!
//! ```text
//! ṡ² = −ẋ²[x₁, x₂, x],     azimuth of n about z in the body: α̇ = −(1 − k)(z·ω − x n·ω)/(1 − x²),
//! plane: azimuth of z about n: φ̇ = (n·ω − x z·ω)/(1 − x²),    sphere: azimuth of n about G: φ̇ = k|G|(G·ω − G·n n·ω)/(G² − (G·n)²).   (B5)
//! ```
//!
//! On a plane G and n are fixed, so the axis runs along a closed curve on S², a level curve of the integrals; the centre drifts as the mean says.

mod constants;
mod curve;
mod drift;
mod elliptic;

use super::body::RigidState;
use super::divided::Divided;
use super::series::Cosines;
use super::vector::{Mat3, Vec3, across, add, apply, back, cross, dot, scale, taking, turned, unit};
use constants::{Constants, Parts, zero_towards};
use drift::Drift;
use polhode_tape::{Dd, Scalar};
use std::fmt;

/// What a ball rolls on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// The plane z = 0, from above.
    Plane,
    /// The sphere about the origin: its radius, negative for a hollow.
    Sphere(Dd),
}

/// A ball whose body axes are principal, the third one that of symmetry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// What it rolls on.
    pub ground: Ground,
    /// Its mass.
    pub mass: Dd,
    /// Its radius.
    pub radius: Dd,
    /// A: about axes across the axis.
    pub across: Dd,
    /// C: about the axis.
    pub along: Dd,
    /// κ: the momentum of the rotor along the axis.
    pub rotor: Dd,
}

/// Why a motion is not solved by quadratures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSolved {
    /// x stays: a steady motion.
    Steady,
    /// The axis passes through the contact, or the motion is near a separatrix: integrands are not smooth enough.
    Separatrix,
    /// On a sphere the ball must be homogeneous.
    NotHomogeneous,
}

impl fmt::Display for NotSolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotSolved::Steady => "the motion is steady: the axis keeps its angle",
            NotSolved::Separatrix => "the axis passes through the contact, or the motion is near a separatrix",
            NotSolved::NotHomogeneous => "on a sphere the quadratures need three equal moments of inertia",
        })
    }
}

impl std::error::Error for NotSolved {}

/// 1 − |n·z| of an axis that passes through the contact: rounding of the turning points.
const AT_CONTACT: f64 = 1e-24;

/// A motion of a ball for all times.
#[derive(Clone, Debug)]
pub struct BallMotion {
    constants: Constants,
    /// n, z and the centre at the start.
    start: (Vec3<Dd>, Vec3<Dd>, Vec3<Dd>),
    /// x₁, x₂.
    turning: [Dd; 2],
    s0: Dd,
    alpha0: Dd,
    /// Unit vectors in the axes of the body, the third one along the axis of symmetry.
    frame: Mat3<Dd>,
    time: Cosines,
    alpha: Cosines,
    phi: Cosines,
    drift: Option<Drift>,
}

impl BallMotion {
    /// The motion from a state; on a plane the centre may be anywhere at the height of the radius.
    pub fn new(ball: Ball, rotation: [[Dd; 3]; 3], omega: [Dd; 3], centre: [Dd; 3]) -> Result<BallMotion, NotSolved> {
        let n = match ball.ground {
            Ground::Plane => [Dd::ZERO, Dd::ZERO, -Dd::ONE],
            Ground::Sphere(_) if ball.across != ball.along => return Err(NotSolved::NotHomogeneous),
            Ground::Sphere(r1) => {
                let sign = if r1 > Dd::ZERO { -Dd::ONE } else { Dd::ONE };
                scale(sign, unit(centre))
            }
        };
        let z = apply(&rotation, [Dd::ZERO, Dd::ZERO, Dd::ONE]);
        let x = dot(n, z);
        let constants = Constants::of(ball, n, z, apply(&rotation, omega));
        let (k, moment) = (constants.k, constants.moment);
        let turning = [-Dd::ONE, Dd::ONE].map(|end| zero_towards(&constants, x, end));
        let amplitude = (turning[1] - turning[0]) * Dd::from(0.5);
        if amplitude.to_f64() < 1e-12 {
            return Err(NotSolved::Steady);
        }
        // where the axis passes through the contact, the angles about n and z leap
        if turning.iter().any(|x| Dd::ONE - x.abs() < Dd::from(AT_CONTACT)) {
            return Err(NotSolved::Separatrix);
        }
        let rate = (Dd::ONE - k) * dot(moment, cross(z, n));
        let inside = (x - turning[0]) * (turning[1] - x);
        let sine = if inside > Dd::ZERO { inside.sqrt() / amplitude } else { Dd::ZERO };
        let middle = (turning[0] + turning[1]) * Dd::from(0.5);
        let s0 = (if rate > Dd::ZERO { -sine } else { sine }).atan2((x - middle) / amplitude);
        let mut motion = BallMotion {
            start: (n, z, centre),
            turning,
            s0,
            alpha0: {
                let seen = back(&rotation, n);
                seen[1].atan2(seen[0])
            },
            constants,
            frame: [[Dd::ONE, Dd::ZERO, Dd::ZERO], [Dd::ZERO, Dd::ONE, Dd::ZERO], [Dd::ZERO, Dd::ZERO, Dd::ONE]],
            time: Cosines { coefficients: Vec::new() },
            alpha: Cosines { coefficients: Vec::new() },
            phi: Cosines { coefficients: Vec::new() },
            drift: None,
        };
        let series = Cosines::of(3, |s| motion.rates(s).to_vec()).ok_or(NotSolved::Separatrix)?;
        let [time, alpha, phi]: [Cosines; 3] = series.try_into().map_err(|_| NotSolved::Separatrix)?;
        (motion.time, motion.alpha, motion.phi) = (time, alpha, phi);
        if ball.ground == Ground::Plane {
            motion.drift = Some(motion.drift()?);
        }
        Ok(motion)
    }

    /// The same for a ball with any other axis of symmetry: a unit vector in the axes of the body.
    pub fn about(
        axis: [Dd; 3],
        ball: Ball,
        rotation: [[Dd; 3]; 3],
        omega: [Dd; 3],
        centre: [Dd; 3],
    ) -> Result<BallMotion, NotSolved> {
        // beside it, the axis of the body that follows the one nearest to it
        let nearest = (0..3).max_by(|i, j| axis[*i].to_f64().abs().total_cmp(&axis[*j].to_f64().abs())).unwrap_or(2);
        let mut next = [Dd::ZERO; 3];
        next[(nearest + 1) % 3] = Dd::ONE;
        let first = unit(across(next, axis));
        let frame = [first, cross(axis, first), axis];
        let mut motion = BallMotion::new(ball, rotation.map(|row| apply(&frame, row)), apply(&frame, omega), centre)?;
        motion.frame = frame;
        Ok(motion)
    }

    fn x(&self, s: Dd) -> Dd {
        let half = Dd::from(0.5);
        let [a, b] = self.turning;
        (a + b) * half + (b - a) * half * s.sin_cos().1
    }

    /// The functions of x on the nodes x₁, x₂, x(s), and ṡ.
    fn at_phase(&self, s: Dd) -> (Dd, Parts<Dd>, Dd) {
        let x = self.x(s);
        let nodes = Divided::variable([self.turning[0], self.turning[1], x]);
        let p = self.constants.parts(nodes);
        let last = |d: Divided| d.at[2];
        let parts = Parts { gn: last(p.gn), gz: last(p.gz), wn: last(p.wn), wz: last(p.wz), u: last(p.u) };
        (x, parts, (-self.constants.square(nodes).second).sqrt())
    }

    /// dt/ds, dα/ds, dφ/ds.
    fn rates(&self, s: Dd) -> [Dd; 3] {
        let (x, p, speed) = self.at_phase(s);
        let Constants { ball, k, moment, .. } = &self.constants;
        let beside = Dd::ONE - x * x;
        let alpha = -((Dd::ONE - *k) * (p.wz - x * p.wn) / beside);
        let phi = match ball.ground {
            Ground::Plane => (p.wn - x * p.wz) / beside,
            Ground::Sphere(_) => {
                let g2 = dot(*moment, *moment);
                let mr2 = self.constants.mr2();
                let gw = (g2 + mr2 * p.wn * p.gn - ball.rotor * p.gz) / (ball.across + mr2);
                *k * g2.sqrt() * (gw - p.gn * p.wn) / (g2 - p.gn * p.gn)
            }
        };
        [Dd::ONE / speed, alpha / speed, phi / speed]
    }

    /// The time after which x returns.
    pub fn period(&self) -> Dd {
        self.time.mean() * Dd::PI * Dd::from(2.0)
    }

    /// Between which values n·z swings.
    pub fn turning_points(&self) -> [Dd; 2] {
        self.turning
    }

    /// G, constant in space.
    pub fn moment(&self) -> [Dd; 3] {
        self.constants.moment
    }

    /// By how much the contact goes round the axis in the body, and the axis round the vertical (plane) or the contact round G (sphere), in a
    /// period.
    pub fn advances(&self) -> [Dd; 2] {
        let turn = Dd::PI * Dd::from(2.0);
        // the curve of the axis on a plane is closed
        let precession = self.drift.as_ref().map_or(self.phi.mean(), |drift| drift.turns);
        [self.alpha.mean() * turn, precession * turn]
    }

    /// How far the centre moves in a period on a plane.
    pub fn displacement(&self) -> Option<[Dd; 3]> {
        let drift = self.drift.as_ref()?;
        let turn = Dd::PI * Dd::from(2.0);
        Some(self.shift(drift, self.s0 + turn, self.period()))
    }

    /// The phase s at time t.
    fn phase(&self, t: Dd) -> Dd {
        self.time.inverse(self.time.integral(self.s0) + t)
    }

    /// The state at time t.
    pub fn at(&self, t: Dd) -> RigidState {
        let s = self.phase(t);
        let (x, p, speed) = self.at_phase(s);
        let Constants { ball, k, moment, .. } = &self.constants;
        let (n0, z0, centre0) = self.start;
        let phi = self.phi.integral(s) - self.phi.integral(self.s0);
        let half = Dd::from(0.5);
        let x_rate = -((self.turning[1] - self.turning[0]) * half * s.sin_cos().0 * speed);
        let beside = (Dd::ONE - x * x).sqrt();
        let (n, z) = match ball.ground {
            Ground::Plane => {
                let e = turned(unit(across(z0, n0)), n0, phi);
                (n0, add(scale(x, n0), scale(beside, e)))
            }
            Ground::Sphere(_) => {
                let length = dot(*moment, *moment).sqrt();
                let pole = unit(*moment);
                let e = turned(unit(across(n0, pole)), pole, phi);
                let n3 = p.gn / length;
                let n1 = (Dd::ONE - n3 * n3).sqrt();
                let z3 = p.gz / length;
                let z1 = (x - z3 * n3) / n1;
                // J ẋ/(1 − k) = G·(z × n)
                let z2 = -((ball.across + self.constants.mr2()) * x_rate / ((Dd::ONE - *k) * length * n1));
                let n = add(scale(n3, pole), scale(n1, e));
                (n, add(scale(z3, pole), add(scale(z1, e), scale(z2, cross(pole, e)))))
            }
        };
        let alpha = self.alpha0 + self.alpha.integral(s) - self.alpha.integral(self.s0);
        let (sin, cos) = alpha.sin_cos();
        let seen = [beside * cos, beside * sin, x];
        let axis = [Dd::ZERO, Dd::ZERO, Dd::ONE];
        let rotation: Mat3<Dd> = taking(axis, seen, z, n);
        let j = ball.across + self.constants.mr2();
        let mr2 = self.constants.mr2();
        let w = scale(Dd::ONE / j, add(*moment, add(scale(mr2 * p.wn, n), scale(-p.u, z))));
        let (du, dwn) = self.constants.slopes(x, p.u);
        let (n_rate, z_rate) = (scale(*k, cross(w, n)), cross(w, z));
        let turning = add(scale(mr2 * dwn * x_rate, n), scale(-(du * x_rate), z));
        let w_rate = scale(Dd::ONE / j, add(turning, add(scale(mr2 * p.wn, n_rate), scale(-p.u, z_rate))));
        let omega = back(&rotation, w);
        let contact_rate = scale(-((Dd::ONE - *k) * ball.radius), cross(omega, seen));
        let centre = match (ball.ground, &self.drift) {
            (Ground::Sphere(r1), _) => scale(-(r1 + ball.radius), n),
            (Ground::Plane, Some(drift)) => add(centre0, self.shift(drift, s, t)),
            (Ground::Plane, None) => centre0,
        };
        let own = |v: Vec3<Dd>| back(&self.frame, v);
        RigidState {
            rotation: rotation.map(own),
            omega: own(omega),
            omega_rate: own(back(&rotation, w_rate)),
            centre,
            contact: scale(ball.radius, own(seen)),
            contact_rate: own(contact_rate),
            contact_in_world: add(centre, scale(ball.radius, n)),
        }
    }
}
