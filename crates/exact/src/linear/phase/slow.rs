//! A phase ψ in the place of χ that gives room to places where the motion is slow.
//!
//! Beside a maximum of V_eff that is as high as E but for a little, dt/dχ is like 1/√(δ² + ε²), δ the distance: its Fourier series needs 1/ε terms. Jacobi's amplitude takes
//! such a place apart,
//!
//! ```text
//! φ = am(Kv/π | m),   dφ/dv = K/π dn,   dn² = m₁ + m cos²φ,   m₁ = 1 − m,                      (P4)
//! ```
//!
//! as the time of a pendulum does: with ε² ≈ m₁ the series in ψ needs ln(1/ε) times as many terms as one without slow places.
//!
//! ```text
//! slow at χ = π        χ = 2φ,                     v = ψ
//! slow at χ = 0        χ = π − 2φ,                 v = π − ψ
//! slow at both         χ = π/2 − φ,                v = π − 2ψ
//! slow at ±χ₀          tan ½χ = tan ½χ₀ tan ½φ,    v = 2ψ
//! ```
//!
//! All are odd in ψ, gain 2π with it, and have dχ/dψ = dn/a (χ by φ where it is slow within), a the arithmetic-geometric mean of 1 and √m₁. am is found by its
//! sequence [Olver2010, §22.20(ii)].

use polhode_tape::{Dd, Scalar};

/// Wider places need no room.
const WIDE: f64 = 1.0;

/// Where the motion is slow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Lower,
    Upper,
    Both,
    /// At ±χ₀.
    Within(Dd),
}

/// (P4).
#[derive(Clone, Debug)]
pub(super) struct Slow {
    place: Place,
    complement: Dd,      // m₁
    means: Vec<[Dd; 3]>, // a, b, c of the arithmetic-geometric mean; none: χ = ψ
}

impl Slow {
    /// χ = ψ.
    pub(super) fn nowhere() -> Slow {
        Slow { place: Place::Upper, complement: Dd::ONE, means: Vec::new() }
    }

    /// Slow at a place of half-width ε.
    pub(super) fn new(place: Place, width: Dd) -> Slow {
        let parameter = match place {
            Place::Lower | Place::Upper => width * width * Dd::from(0.25),
            Place::Both => width * width,
            Place::Within(at) => {
                let ratio = width / at.sin_cos().0;
                ratio * ratio
            }
        };
        if !(parameter.to_f64() > 0.0 && parameter.to_f64() < WIDE) {
            return Slow::nowhere();
        }
        let half = Dd::from(0.5);
        let mut means = vec![[Dd::ONE, parameter.sqrt(), (Dd::ONE - parameter).sqrt()]];
        while let Some([a, b, c]) = means.last().copied()
            && c.to_f64().abs() > f64::EPSILON * f64::EPSILON * a.to_f64()
        {
            means.push([(a + b) * half, (a * b).sqrt(), (a - b) * half]);
        }
        Slow { place, complement: parameter, means }
    }

    /// φ and dn/a at v.
    fn amplitude(&self, v: Dd) -> (Dd, Dd) {
        let last = self.means.len() - 1;
        let mut phi = v * Dd::from(0.5 * (1u64 << last) as f64);
        for [a, b, c] in self.means[1..].iter().rev() {
            let (sin, cos) = phi.sin_cos();
            // a² − c² = b²
            let (across, along) = (*c * sin, ((*a * cos) * (*a * cos) + (*b * sin) * (*b * sin)).sqrt());
            phi = (phi + across.atan2(along)) * Dd::from(0.5);
        }
        let (sin, cos) = phi.sin_cos();
        (phi, (cos * cos + self.complement * sin * sin).sqrt() / self.means[last][0])
    }

    /// χ and dχ/dψ.
    pub(super) fn at(&self, psi: Dd) -> (Dd, Dd) {
        if self.means.is_empty() {
            return (psi, Dd::ONE);
        }
        let (two, half) = (Dd::from(2.0), Dd::from(0.5));
        match self.place {
            Place::Upper => {
                let (phi, slope) = self.amplitude(psi);
                (phi * two, slope)
            }
            Place::Lower => {
                let (phi, slope) = self.amplitude(Dd::PI - psi);
                (Dd::PI - phi * two, slope)
            }
            Place::Both => {
                let (phi, slope) = self.amplitude(Dd::PI - psi * two);
                (Dd::PI * half - phi, slope)
            }
            Place::Within(at) => {
                let (phi, slope) = self.amplitude(psi * two);
                let turn = Dd::PI * two;
                let turns = turn * Dd::from((phi / turn).to_f64().round());
                let (sin, cos) = ((phi - turns) * half).sin_cos();
                let (s, c) = (at * half).sin_cos();
                let (up, along) = (s * sin, c * cos);
                (turns + up.atan2(along) * two, slope * s * c / (up * up + along * along))
            }
        }
    }

    /// ψ at χ.
    pub(super) fn inverse(&self, chi: Dd) -> Dd {
        if self.means.is_empty() {
            return chi;
        }
        // they agree at multiples of π
        let mut low = Dd::PI * Dd::from((chi / Dd::PI).to_f64().floor());
        let mut high = low + Dd::PI;
        for _ in 0..110 {
            let middle = (low + high) * Dd::from(0.5);
            if self.at(middle).0 < chi { low = middle } else { high = middle }
        }
        (low + high) * Dd::from(0.5)
    }
}

/// How far from a minimum of a positive function it is twice as large: the half-width of a slow place.
pub(super) fn width(value: &mut dyn FnMut(f64) -> f64) -> f64 {
    let least = value(0.0);
    let mut d = 1e-30;
    while d < 2.0 * WIDE && value(d) < 2.0 * least {
        d *= 2.0;
    }
    let (mut low, mut high) = (0.5 * d, d);
    for _ in 0..6 {
        let middle = 0.5 * (low + high);
        if value(middle) < 2.0 * least { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_special::elliptic::jacobi;

    /// am against Jacobi's functions, and dχ/dψ against differences.
    #[test]
    fn the_phase_is_an_amplitude() {
        let width = Dd::from(0.02);
        let slow = Slow::new(Place::Upper, width);
        let m = Dd::ONE - width * width * Dd::from(0.25);
        for psi in [0.3, 1.5, 3.0, 4.0] {
            let psi = Dd::from(psi);
            let u = psi / (Dd::from(2.0) * slow.means[slow.means.len() - 1][0]);
            let error = (slow.at(psi).0 - jacobi(u, m).am * Dd::from(2.0)).to_f64().abs();
            assert!(error < 1e-29, "{psi}: {error:e}");
        }
        for place in [Place::Upper, Place::Lower, Place::Both, Place::Within(Dd::from(0.4))] {
            let slow = Slow::new(place, Dd::from(1e-4));
            for psi in [-2.0, 0.1, 1.2, 2.9, 3.3] {
                let (x, h) = (Dd::from(psi), Dd::from(1e-9));
                let (chi, slope) = slow.at(x);
                let difference = (slow.at(x + h).0 - slow.at(x - h).0) / (h + h);
                let error = ((difference - slope) / slope).to_f64().abs();
                assert!(error < 1e-12, "{place:?}, {psi}: {error:e}");
                let back = slow.inverse(chi) - x;
                assert!(back.to_f64().abs() < 1e-27, "{place:?}, {psi}: {back}");
                let odd = slow.at(-x).0 + chi;
                assert!(odd.to_f64().abs() < 1e-29, "{place:?}, {psi}: {odd}");
            }
        }
    }
}
