//! Free rotation of a rigid body, by Jacobi's functions \[Whittaker1937, §69\].
//!
//! With the moments I_a, I_b, I_c (I_b in the middle, c that of the largest and the smallest about which the motion goes round: L² > 2E I_b for the
//! largest, L² < 2E I_b for the smallest)
//!
//! ```text
//! Ω_a = A cn τ,   Ω_b = B sn τ,   Ω_c = C dn τ,   τ = p t + τ₀,
//! A² = (2E I_c − L²)/(I_a (I_c − I_a)),   B² = (2E I_c − L²)/(I_b (I_c − I_b)),   C² = (L² − 2E I_a)/(I_c (I_c − I_a)),
//! p² = (I_c − I_b)(L² − 2E I_a)/(I_a I_b I_c),   m = (I_b − I_a)(2E I_c − L²)/((I_c − I_b)(L² − 2E I_a)),          (E1)
//! ```
//!
//! and the axis c goes round L by the angle
//!
//! ```text
//! ψ = L t/I_c + L (2E − L²/I_c)/(L² − I_c²C²) · [Π(n; am τ | m) − Π(n; am τ₀ | m)]/p,   n = −m I_c²C²/(L² − I_c²C²).     (E2)
//! ```

use super::vector::{Mat3, Vec3, apply, cross, dot, taking, turned, unit};
use polhode_special::elliptic::{elliptic_f_incomplete, elliptic_k, elliptic_pi_incomplete, jacobi};
use polhode_tape::{Dd, Scalar};

/// Squared amplitudes below this part of the whole: the body turns about a principal axis.
const PERMANENT: f64 = 1e-28;

/// The rotation of a free body for all times.
#[derive(Clone, Debug)]
pub struct FreeRotation {
    inertia: [Dd; 3],
    omega: [Dd; 3],
    rotation: Mat3<Dd>,
    /// Nothing where the body turns about one axis for ever.
    wobble: Option<Wobble>,
}

/// (E1), (E2).
#[derive(Clone, Debug)]
struct Wobble {
    axes: [usize; 3],
    amplitudes: [Dd; 3],
    rate: Dd,
    phase: Dd,
    parameter: Dd,
    /// ψ = steady t + turn (Π(n; am) − Π₀).
    steady: Dd,
    turn: Dd,
    characteristic: Dd,
    start: Dd,
}

/// Rotation and angular velocity, both in body axes but for the rotation, which leads to the world's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned<S> {
    /// Body to world, row by row.
    pub rotation: [[S; 3]; 3],
    /// Ω in body axes.
    pub omega: [S; 3],
}

impl FreeRotation {
    /// From the principal moments and the state at t = 0; the axes of the body are principal ones.
    pub fn new(inertia: [Dd; 3], omega: [Dd; 3], rotation: [[Dd; 3]; 3]) -> FreeRotation {
        FreeRotation { inertia, omega, rotation, wobble: wobble(inertia, omega) }
    }

    /// The time after which Ω returns, if it changes.
    pub fn period(&self) -> Option<Dd> {
        let w = self.wobble.as_ref()?;
        let k = elliptic_k(w.parameter);
        k.is_finite().then(|| Dd::from(4.0) * k / w.rate.abs())
    }

    /// Does it turn about one axis for ever?
    pub fn is_permanent(&self) -> bool {
        self.wobble.is_none()
    }

    /// The letters of (E1) and (E2), in this order: a, b, c as numbers of axes; A, B, C; p, τ₀, m; L, I_c; N, n, ψ₀.
    pub(super) fn letters(&self) -> Option<([usize; 3], [Dd; 11])> {
        let w = self.wobble.as_ref()?;
        let [a, b, c] = w.amplitudes;
        let l = self.momentum();
        let (length, third) = (dot(l, l).sqrt(), self.inertia[w.axes[2]]);
        let since = -(w.turn * w.start);
        let all = [a, b, c, w.rate, w.phase, w.parameter, length, third, w.turn, w.characteristic, since];
        Some((w.axes.map(|i| i + 1), all))
    }

    /// Its angular velocity at t = 0, in body axes.
    pub(super) fn omega(&self) -> [Dd; 3] {
        self.omega
    }

    /// Rotation and Ω at time t. Near the axis in the middle phases are sensitive: all of it is computed in double-doubles and rounded at the end.
    pub fn at<S: Scalar>(&self, t: S) -> Turned<S> {
        let Turned { rotation, omega } = self.precisely(t.to_dd());
        Turned { rotation: rotation.map(|row| row.map(S::constant)), omega: omega.map(S::constant) }
    }

    fn precisely(&self, t: Dd) -> Turned<Dd> {
        let Some(w) = &self.wobble else {
            // Ω stays, and so does its direction in space
            let rate = dot(self.omega, self.omega).sqrt();
            if rate == Dd::ZERO {
                return Turned { rotation: self.rotation, omega: self.omega };
            }
            let axis = unit(apply(&self.rotation, self.omega));
            let columns = [0, 1, 2].map(|j| turned([0, 1, 2].map(|i| self.rotation[i][j]), axis, rate * t));
            return Turned { rotation: [0, 1, 2].map(|i| [0, 1, 2].map(|j| columns[j][i])), omega: self.omega };
        };
        let f = jacobi(w.rate * t + w.phase, w.parameter);
        let mut omega = [Dd::ZERO; 3];
        for (k, part) in [f.cn, f.sn, f.dn].into_iter().enumerate() {
            omega[w.axes[k]] = w.amplitudes[k] * part;
        }
        let psi = w.steady * t + w.turn * (elliptic_pi_incomplete(w.characteristic, f.am, w.parameter) - w.start);
        let momentum = |o: Vec3<Dd>| [0, 1, 2].map(|i| self.inertia[i] * o[i]);
        let mut axis = [Dd::ZERO; 3];
        axis[w.axes[2]] = Dd::ONE;
        let fixed = unit(self.momentum());
        let pole = turned(apply(&self.rotation, axis), fixed, psi);
        Turned { rotation: taking(unit(momentum(omega)), axis, fixed, pole), omega }
    }

    /// I⁻¹(IΩ × Ω), Euler's equations.
    pub fn acceleration(&self, omega: [Dd; 3]) -> [Dd; 3] {
        let l = [0, 1, 2].map(|i| self.inertia[i] * omega[i]);
        let torque = cross(l, omega);
        [0, 1, 2].map(|i| torque[i] / self.inertia[i])
    }

    /// The angular momentum in space, which stays.
    pub fn momentum(&self) -> [Dd; 3] {
        apply(&self.rotation, [0, 1, 2].map(|i| self.inertia[i] * self.omega[i]))
    }
}

fn wobble(inertia: [Dd; 3], omega: [Dd; 3]) -> Option<Wobble> {
    let l = [0, 1, 2].map(|i| inertia[i] * omega[i]);
    let (l2, e2) = (dot(l, l), dot(l, omega));
    // permanent rotation: IΩ ∥ Ω
    let torque = cross(l, omega);
    if dot(torque, torque).to_f64() <= PERMANENT * (l2 * dot(omega, omega)).to_f64() {
        return None;
    }
    let mut axes = [0, 1, 2];
    axes.sort_by(|i, j| inertia[*i].to_f64().total_cmp(&inertia[*j].to_f64()));
    if l2 < e2 * inertia[axes[1]] {
        axes.swap(0, 2);
    }
    let [a, b, c] = axes.map(|i| inertia[i]);
    let (near, far) = (e2 * c - l2, l2 - e2 * a);
    let third = (far / (c * (c - a))).sqrt();
    let negative = omega[axes[2]] < Dd::ZERO;
    let third = if negative { -third } else { third };
    let amplitudes = [(near / (a * (c - a))).sqrt(), (near / (b * (c - b))).sqrt(), third];
    let parameter = (b - a) * near / ((c - b) * far);
    // even permutations are right-handed; with c the smallest the order turns round
    let even = (axes[1] + 3 - axes[0]) % 3 == 1;
    let speed = ((c - b) * far / (a * b * c)).sqrt();
    let rate = if (even == (c > b)) != negative { speed } else { -speed };
    let angle = (omega[axes[1]] / amplitudes[1]).atan2(omega[axes[0]] / amplitudes[0]);
    let phase = elliptic_f_incomplete(angle, parameter);
    let length = l2.sqrt();
    let polar = c * c * third * third;
    let rest = l2 - polar;
    let characteristic = -(parameter * polar / rest);
    Some(Wobble {
        axes,
        amplitudes,
        rate,
        phase,
        parameter,
        steady: length / c,
        turn: length * (e2 - l2 / c) / (rest * rate),
        characteristic,
        start: elliptic_pi_incomplete(characteristic, angle, parameter),
    })
}

#[cfg(test)]
mod tests {
    use super::super::vector::back;
    use super::*;

    fn near(a: Dd, b: Dd, tolerance: f64) {
        assert!((a - b).to_f64().abs() <= tolerance, "{a} for {b}");
    }

    /// Angular momentum in space and Ṙ = R Ω̂ by central differences of sixth order: the step 2⁻⁴⁰ᐟ⁷ leaves rounding 10⁻²⁶.
    #[test]
    fn rotations_obey_their_equations() {
        let cases = [
            ([1.0, 2.0, 3.5], [0.3, -0.2, 1.1]),
            ([1.0, 2.0, 3.5], [-0.9, 0.2, 0.1]),
            ([3.5, 1.0, 2.0], [0.4, 0.5, -1.5]),
            ([2.0, 3.5, 1.0], [0.5, 0.1, -1.5]),
            ([2.0, 2.0, 3.0], [0.4, -0.6, 0.9]),
            ([2.0, 3.0, 3.0], [0.4, -0.6, 0.9]),
            ([2.0, 2.0, 2.0], [0.4, -0.6, 0.9]),
        ];
        for (inertia, omega) in cases {
            let put = |v: [f64; 3]| v.map(Dd::from);
            let r0 =
                taking(put([0.0, 0.0, 1.0]), put([1.0, 0.0, 0.0]), unit(put([1.0, 2.0, 2.0])), put([0.3, 0.1, -1.0]));
            let body = FreeRotation::new(put(inertia), put(omega), r0);
            let at0 = body.at(Dd::ZERO);
            (0..3).for_each(|i| near(at0.omega[i], Dd::from(omega[i]), 1e-30));
            (0..9).for_each(|k| near(at0.rotation[k / 3][k % 3], r0[k / 3][k % 3], 1e-29));
            for t in [0.7, 5.0, -31.0] {
                let t = Dd::from(t);
                let now = body.at(t);
                let l = apply(&now.rotation, [0, 1, 2].map(|i| body.inertia[i] * now.omega[i]));
                (0..3).for_each(|i| near(l[i], body.momentum()[i], 1e-28));
                let h = Dd::from(1.0 / 1024.0);
                let weights = [(1, 0.75), (2, -0.15), (3, 1.0 / 60.0)];
                let moved = weights.map(|(k, w)| (body.at(t + h * Dd::from(k)), body.at(t - h * Dd::from(k)), w));
                let slope = |get: &dyn Fn(&Turned<Dd>) -> Dd| {
                    moved.iter().fold(0.0, |s, (p, q, w)| s + w * (get(p) - get(q)).to_f64()) * 1024.0
                };
                let acceleration = body.acceleration(now.omega);
                for i in 0..3 {
                    let error = slope(&|x| x.omega[i]) - acceleration[i].to_f64();
                    assert!(error.abs() < 1e-13, "{inertia:?} Ω̇: {error:e}");
                    let rate =
                        cross(now.omega, back(&now.rotation, [0, 1, 2].map(|k| Dd::from(f64::from(u8::from(k == i))))));
                    for j in 0..3 {
                        // row i of R turns as −Ω × row
                        let error = slope(&|x| x.rotation[i][j]) + rate[j].to_f64();
                        assert!(error.abs() < 1e-13, "{inertia:?} Ṙ: {error:e}");
                    }
                }
                let coarse = body.at(t.to_f64());
                (0..3).for_each(|i| assert!((coarse.omega[i] - now.omega[i].to_f64()).abs() < 1e-13));
            }
        }
    }
}
