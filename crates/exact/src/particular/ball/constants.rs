//! The functions of x = n·z that the integrals of a ball leave, (B2)–(B4).

use super::super::divided::Divided;
use super::super::vector::{Vec3, add, dot, scale};
use super::{Ball, Ground};
use polhode_tape::{Dd, Scalar};

/// The functions of x.
#[derive(Clone, Copy)]
pub(super) struct Parts<T> {
    pub(super) gn: T,
    pub(super) gz: T,
    pub(super) wn: T,
    pub(super) wz: T,
    pub(super) u: T,
}

/// Constants of the motion.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    pub(super) ball: Ball,
    pub(super) k: Dd,
    /// G.
    pub(super) moment: Vec3<Dd>,
    /// Plane: G·n, u√Δ, and z·ω + Mr²κx²/2Δ for A = C. Sphere: the constant part of G·n, w, g.
    pub(super) c: [Dd; 3],
}

impl Constants {
    /// From n, z and ω in space.
    pub(super) fn of(ball: Ball, n: Vec3<Dd>, z: Vec3<Dd>, w: Vec3<Dd>) -> Constants {
        let k = match ball.ground {
            Ground::Plane => Dd::ZERO,
            Ground::Sphere(r1) => ball.radius / (r1 + ball.radius),
        };
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
        Constants { ball, k, moment, c }
    }

    /// What is constant, with names: G in space and the integrals of (B2) or (B3).
    pub(super) fn named(&self) -> Vec<(&'static str, Dd)> {
        let [g1, g2, g3] = self.moment;
        let mut out = vec![("G1", g1), ("G2", g2), ("G3", g3)];
        match self.ball.ground {
            Ground::Plane if self.ball.across == self.ball.along => out.push(("spin", self.c[2])),
            Ground::Plane => out.push(("u_sqrt_Delta", self.c[1])),
            Ground::Sphere(_) => out.extend([("w", self.c[1]), ("g", self.c[2])]),
        }
        out
    }

    pub(super) fn mr2(&self) -> Dd {
        self.ball.mass * self.ball.radius * self.ball.radius
    }

    pub(super) fn parts(&self, x: Divided) -> Parts<Divided> {
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
    pub(super) fn square(&self, x: Divided) -> Divided {
        let p = self.parts(x);
        let g2 = dot(self.moment, self.moment);
        let gram = (Divided::constant(Dd::ONE) - x * x).scale(g2) - p.gn * p.gn - p.gz * p.gz
            + (p.gn * p.gz * x).scale(Dd::from(2.0));
        let factor = (Dd::ONE - self.k) / (self.ball.across + self.mr2());
        gram.scale(factor * factor)
    }

    pub(super) fn square_at(&self, x: Dd) -> Dd {
        self.square(Divided::variable([x; 3])).at[0]
    }

    /// Derivatives of u and n·ω.
    pub(super) fn slopes(&self, x: Dd, u: Dd) -> (Dd, Dd) {
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

/// The first zero of ẋ² from x towards an end.
pub(super) fn zero_towards(constants: &Constants, x: Dd, end: Dd) -> Dd {
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
