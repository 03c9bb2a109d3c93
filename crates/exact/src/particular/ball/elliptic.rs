//! n·z of a homogeneous ball by elliptic functions: ẋ² is a quartic.

use super::super::quartic::Elliptic;
use super::super::vector::dot;
use super::constants::Constants;
use super::{BallMotion, Ground};
use polhode_tape::Dd;

impl BallMotion {
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
}
