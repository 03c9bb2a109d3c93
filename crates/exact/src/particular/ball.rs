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

use super::body::RigidState;
use super::divided::Divided;
use super::quartic::Elliptic;
use super::series::Cosines;
use super::vector::{Mat3, Vec3, across, add, apply, back, cross, dot, scale, taking, turned, unit};
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

/// The functions of x.
#[derive(Clone, Copy)]
struct Parts<T> {
    gn: T,
    gz: T,
    wn: T,
    wz: T,
    u: T,
}

/// Constants of the motion.
#[derive(Clone, Debug)]
struct Constants {
    ball: Ball,
    k: Dd,
    /// G.
    moment: Vec3<Dd>,
    /// Plane: G·n, u√Δ, and z·ω + Mr²κx²/2Δ for A = C. Sphere: the constant part of G·n, w, g.
    c: [Dd; 3],
}

impl Constants {
    fn mr2(&self) -> Dd {
        self.ball.mass * self.ball.radius * self.ball.radius
    }

    fn parts(&self, x: Divided) -> Parts<Divided> {
        let Ball { across: a, along: c, rotor, .. } = self.ball;
        let (mr2, con) = (self.mr2(), Divided::constant);
        match self.ball.ground {
            Ground::Plane => {
                let delta = con(a * (c + mr2)) + (x * x).scale(mr2 * (c - a));
                let (u, wz) = if a == c {
                    (con(rotor), con(self.c[2]) - (x * x).scale(mr2 * rotor * Dd::from(0.5) / (a * (a + mr2))))
                } else {
                    let u = delta.sqrt().recip().scale(self.c[1]);
                    (u, (u - con(rotor)).scale(Dd::ONE / (c - a)))
                };
                let gn = con(self.c[0]);
                let wn = (gn - x * u).scale(Dd::ONE / a);
                let gz = wz.scale(c + mr2) - (x * wn).scale(mr2) + con(rotor);
                Parts { gn, gz, wn, wz, u }
            }
            Ground::Sphere(_) => {
                let big = x.scale(Dd::ONE / (self.k - Dd::ONE));
                let wn = con(self.c[1]) + big.scale(rotor / a);
                let gz =
                    con(self.c[2]) + (big.scale(self.c[1]) + (big * big).scale(rotor * Dd::from(0.5) / a)).scale(mr2);
                let gn = con(self.c[0]) + big.scale(self.k * rotor);
                let wz = (gz + (x * wn).scale(mr2) - con(rotor)).scale(Dd::ONE / (a + mr2));
                Parts { gn, gz, wn, wz, u: con(rotor) }
            }
        }
    }

    /// ẋ², (B4).
    fn square(&self, x: Divided) -> Divided {
        let p = self.parts(x);
        let g2 = dot(self.moment, self.moment);
        let gram = (Divided::constant(Dd::ONE) - x * x).scale(g2) - p.gn * p.gn - p.gz * p.gz
            + (p.gn * p.gz * x).scale(Dd::from(2.0));
        let factor = (Dd::ONE - self.k) / (self.ball.across + self.mr2());
        gram.scale(factor * factor)
    }

    fn square_at(&self, x: Dd) -> Dd {
        self.square(Divided::variable([x; 3])).at[0]
    }

    /// Derivatives of u and n·ω.
    fn slopes(&self, x: Dd, u: Dd) -> (Dd, Dd) {
        let Ball { across: a, along: c, rotor, .. } = self.ball;
        match self.ball.ground {
            Ground::Plane => {
                let mr2 = self.mr2();
                let delta = a * (c + mr2) + mr2 * (c - a) * x * x;
                let du = -(u * mr2 * (c - a) * x / delta);
                (du, -((u + x * du) / a))
            }
            Ground::Sphere(_) => (Dd::ZERO, rotor / (a * (self.k - Dd::ONE))),
        }
    }
}

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
    time: Cosines,
    alpha: Cosines,
    phi: Cosines,
    drift: Option<Drift>,
}

/// ∫ u √(1 − x²) e^{iφ} dt = Σ c_k ∫ e^{i(k + φ̄)s} ds on a plane.
#[derive(Clone, Debug)]
struct Drift {
    /// c_{−K} … c_K.
    coefficients: Vec<Dd>,
    /// φ̄, a whole number.
    turns: Dd,
}

impl BallMotion {
    /// The motion from a state; on a plane the centre may be anywhere at the height of the radius.
    pub fn new(ball: Ball, rotation: [[Dd; 3]; 3], omega: [Dd; 3], centre: [Dd; 3]) -> Result<BallMotion, NotSolved> {
        let (k, n) = match ball.ground {
            Ground::Plane => (Dd::ZERO, [Dd::ZERO, Dd::ZERO, -Dd::ONE]),
            Ground::Sphere(_) if ball.across != ball.along => return Err(NotSolved::NotHomogeneous),
            Ground::Sphere(r1) => {
                let outwards = unit(centre);
                let sign = if r1 > Dd::ZERO { -Dd::ONE } else { Dd::ONE };
                (ball.radius / (r1 + ball.radius), scale(sign, outwards))
            }
        };
        let z = apply(&rotation, [Dd::ZERO, Dd::ZERO, Dd::ONE]);
        let w = apply(&rotation, omega);
        let mr2 = ball.mass * ball.radius * ball.radius;
        let (wn, wz, x) = (dot(n, w), dot(z, w), dot(n, z));
        let u = (ball.along - ball.across) * wz + ball.rotor;
        let moment = add(add(scale(ball.across + mr2, w), scale(u, z)), scale(-(mr2 * wn), n));
        let (gn, gz) = (dot(moment, n), dot(moment, z));
        let c = match ball.ground {
            Ground::Plane => {
                let delta = ball.across * (ball.along + mr2) + mr2 * (ball.along - ball.across) * x * x;
                let spin = wz + mr2 * ball.rotor * x * x * Dd::from(0.5) / (ball.across * (ball.across + mr2));
                [gn, u * delta.sqrt(), spin]
            }
            Ground::Sphere(_) => {
                let big = x / (k - Dd::ONE);
                let spin = wn - ball.rotor * big / ball.across;
                let rest = spin * big + ball.rotor * big * big * Dd::from(0.5) / ball.across;
                [gn - k * ball.rotor * big, spin, gz - mr2 * rest]
            }
        };
        let constants = Constants { ball, k, moment, c };
        let turning = [-Dd::ONE, Dd::ONE].map(|end| zero_towards(&constants, x, end));
        let amplitude = (turning[1] - turning[0]) * Dd::from(0.5);
        if amplitude.to_f64() < 1e-12 {
            return Err(NotSolved::Steady);
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

    /// The Fourier coefficients of u √(1 − x²) e^{i(φ − φ̄s)}/ṡ, whose real part is even and whose imaginary part is odd.
    fn drift(&self) -> Result<Drift, NotSolved> {
        let mean = self.phi.mean();
        let turns = Dd::from(mean.to_f64().round());
        // the curve on S² is closed
        if (mean - turns).to_f64().abs() > 1e-20 {
            return Err(NotSolved::Separatrix);
        }
        let n = 2 * self.phi.coefficients.len().max(self.time.coefficients.len()).max(16);
        let step = Dd::PI / Dd::from(n as f64);
        let circle: Vec<(Dd, Dd)> = (0..2 * n).map(|j| (step * Dd::from(j as f64)).sin_cos()).collect();
        let samples: Vec<(Dd, Dd)> = (0..=n)
            .map(|j| {
                let s = step * Dd::from(j as f64);
                let (x, p, speed) = self.at_phase(s);
                let size = p.u * (Dd::ONE - x * x).sqrt() / speed;
                let (sin, cos) = self.phi.wave(s).sin_cos();
                (size * cos, size * sin)
            })
            .collect();
        let limit = n as i64 - 1;
        let coefficients = (-limit..=limit)
            .map(|k| {
                let sum = samples.iter().enumerate().fold(Dd::ZERO, |sum, (j, (even, odd))| {
                    let (sin, cos) = circle[(k * j as i64).rem_euclid(2 * n as i64) as usize];
                    let half = if j == 0 || j == n { 0.5 } else { 1.0 };
                    sum + (*even * cos + *odd * sin) * Dd::from(half)
                });
                sum / Dd::from(n as f64)
            })
            .collect();
        Ok(Drift { coefficients, turns })
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
        [self.alpha.mean() * turn, self.phi.mean() * turn]
    }

    /// How far the centre moves in a period on a plane.
    pub fn displacement(&self) -> Option<[Dd; 3]> {
        let drift = self.drift.as_ref()?;
        let turn = Dd::PI * Dd::from(2.0);
        Some(self.shift(drift, self.s0 + turn, self.period()))
    }

    /// n·z by elliptic functions, where the ball is homogeneous: Ẋ² is a quartic.
    pub fn elliptic(&self) -> Option<Elliptic> {
        let Constants { ball, k, moment, c } = &self.constants;
        if ball.across != ball.along {
            return None;
        }
        // in x itself: G·n, G·z and n·z as polynomials
        let (mr2, a, rotor) = (self.constants.mr2(), ball.across, ball.rotor);
        let one = Dd::ONE;
        let (gn, gz) = match ball.ground {
            // (B2) with u = κ
            Ground::Plane => {
                let half = mr2 * rotor * Dd::from(0.5) / (a * (a + mr2));
                let wz = [c[2], Dd::ZERO, -half];
                let wn = [c[0] / a, -(rotor / a)];
                let j = a + mr2;
                ([c[0], Dd::ZERO], [j * wz[0] + rotor, -(mr2 * wn[0]), j * wz[2] - mr2 * wn[1]])
            }
            Ground::Sphere(_) => {
                let f = one / (*k - one);
                ([c[0], *k * rotor * f], [c[2], mr2 * c[1] * f, mr2 * rotor * Dd::from(0.5) * f * f / a])
            }
        };
        let g2 = dot(*moment, *moment);
        let mut p = [Dd::ZERO; 5];
        let mut put = |degree: usize, value: Dd| p[degree] = p[degree] + value;
        put(0, g2);
        put(2, -g2);
        for (i, x) in gn.iter().enumerate() {
            gn.iter().enumerate().for_each(|(j, y)| put(i + j, -(*x * *y)));
            gz.iter().enumerate().for_each(|(j, y)| put(i + j + 1, *x * *y * Dd::from(2.0)));
        }
        for (i, x) in gz.iter().enumerate() {
            gz.iter().enumerate().for_each(|(j, y)| put(i + j, -(*x * *y)));
        }
        let factor = (one - *k) / (a + mr2);
        let p = p.map(|x| x * factor * factor);
        // s = 0 is x₂
        Elliptic::new(p, self.turning[1], -self.time.integral(self.s0))
    }

    /// The phase s at time t.
    fn phase(&self, t: Dd) -> Dd {
        self.time.inverse(self.time.integral(self.s0) + t)
    }

    /// The way of the centre from s₀ to s, which takes the time t.
    fn shift(&self, drift: &Drift, s: Dd, t: Dd) -> Vec3<Dd> {
        let (n, z, _) = self.start;
        let limit = (drift.coefficients.len() / 2) as i64;
        let (mut re, mut im) = (Dd::ZERO, Dd::ZERO);
        // from the azimuth at s₀
        let offset = self.phi.integral(self.s0);
        for (c, k) in drift.coefficients.iter().zip(-limit..) {
            let rate = Dd::from(k) + drift.turns;
            if rate == Dd::ZERO {
                let (sin, cos) = (-offset).sin_cos();
                (re, im) = (re + *c * (s - self.s0) * cos, im + *c * (s - self.s0) * sin);
                continue;
            }
            let (a, b) = ((rate * s - offset).sin_cos(), (rate * self.s0 - offset).sin_cos());
            (re, im) = (re + *c * (a.0 - b.0) / rate, im - *c * (a.1 - b.1) / rate);
        }
        // ẋ_O = r n × ω = (r/J)(n × G − u n × z)
        let Constants { ball, moment, .. } = &self.constants;
        let first = unit(cross(n, unit(across(z, n))));
        let second = cross(n, first);
        let waves = add(scale(re, first), scale(im, second));
        let straight = scale(t, cross(n, *moment));
        scale(ball.radius / (ball.across + self.constants.mr2()), add(straight, scale(-Dd::ONE, waves)))
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
        RigidState {
            rotation,
            omega,
            omega_rate: back(&rotation, w_rate),
            centre,
            contact: scale(ball.radius, seen),
            contact_rate,
            contact_in_world: add(centre, scale(ball.radius, n)),
        }
    }
}

/// The first zero of ẋ² from x towards an end.
fn zero_towards(constants: &Constants, x: Dd, end: Dd) -> Dd {
    const STEPS: i32 = 256;
    let mut inside = x;
    for j in 1..=STEPS {
        let share = Dd::from(f64::from(j) / f64::from(STEPS));
        let outside = x + (end - x) * share * share;
        if constants.square_at(outside) < Dd::ZERO || j == STEPS {
            let (mut a, mut b) = (inside, outside);
            for _ in 0..120 {
                let middle = (a + b) * Dd::from(0.5);
                if constants.square_at(middle) < Dd::ZERO { b = middle } else { a = middle }
            }
            return a;
        }
        inside = outside;
    }
    end
}
