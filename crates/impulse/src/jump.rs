//! Constraints appear: the velocity jumps onto them, or is reflected by them.
//!
//! With the slip s = W v⁻ + w₀, C = W G⁻¹ Wᵀ and a restitution e (0: the constraints hold afterwards; 1: reflection)
//!
//! ```text
//! p⁺ = p⁻ − (1+e) Wᵀ C⁺ s,                       [CortesEtAl2001, (10)] for e = 0, w₀ = 0
//! x⁺ = x⁻ − (1+e) Q σ,      σ = Qᵀx⁻ + c,         the same without C⁻¹ (`rows`),
//! T⁺ − T⁻ = −½(1−e²) |σ|² + (1+e) c·σ,       |σ|² = sᵀC⁺s,
//! ```
//!
//! the first term being Carnot's loss (computed from the slip, not from the energies), the second the work of constraints
//! that move. Multipliers follow Δp = Wᵀλ.
//!
//! If nothing slips the velocity stays as it is, bit by bit. Not here: whether constraints that were computed for a region are
//! those of the region that v⁺ enters (`implicit`, `coulomb`).

use crate::metric::Metric;
use crate::rows::Rows;
use polhode_tape::Scalar;
use polhode_tape::dense::{add_scaled, dot, norm, one, refill, zero};
use std::fmt;

/// In roundings, relative to the speed in the kinetic metric: slips below this are none.
pub const NO_SLIP: f64 = 256.0;

/// A restitution outside [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadRestitution(
    /// The value.
    pub f64,
);

impl fmt::Display for BadRestitution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a coefficient of restitution lies between 0 and 1, this one is {}", self.0)
    }
}

impl std::error::Error for BadRestitution {}

pub(crate) fn check_restitution<S: Scalar>(e: S) -> Result<(), BadRestitution> {
    let value = e.to_f64();
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(BadRestitution(value)) }
}

/// What constraints do to a velocity. Using one again allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Jump<S> {
    /// v⁺.
    pub velocity: Vec<S>,
    /// Δp = p⁺ − p⁻.
    pub impulse: Vec<S>,
    /// s = W v⁻ + w₀, one for each row.
    pub slip: Vec<S>,
    /// λ with Δp = Wᵀλ, of least norm where rows depend on each other.
    pub multipliers: Vec<S>,
    /// The number of independent rows.
    pub rank: usize,
    /// ½(1−e²) sᵀC⁺s ≥ 0: the energy lost in the frame of the constraints.
    pub dissipated: S,
    /// The work of constraints that move, zero without offsets: T⁺ − T⁻ = `work` − `dissipated`.
    pub work: S,
    /// Did anything slip?
    pub jumped: bool,
    sigma: Vec<S>,
    x: Vec<S>,
}

impl<S: Scalar> Jump<S> {
    /// The jump of a velocity at rows.
    ///
    /// ```
    /// use polhode_impulse::{Jump, Metric, Rank, Rows};
    ///
    /// // a particle enters the region of dz = y dx at y = 1
    /// let metric = Metric::identity(3);
    /// let mut rows = Rows::new(&metric, &[-1.0, 0.0, 1.0], &[], Rank::Decide)?;
    /// let jump = Jump::new(&metric, &mut rows, &[2.0, 1.0, 3.0], 0.0)?;
    /// assert_eq!(jump.rank, 1);
    /// assert!((jump.velocity[0] - 2.5).abs() < 1e-15 && (jump.dissipated - 0.25).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(metric: &Metric<S>, rows: &mut Rows<S>, v: &[S], e: S) -> Result<Self, BadRestitution> {
        let mut jump = Jump::default();
        jump.set(metric, rows, v, e)?;
        Ok(jump)
    }

    /// The same, in the memory of an earlier one. `rows` are those of this `metric`.
    pub fn set(&mut self, metric: &Metric<S>, rows: &mut Rows<S>, v: &[S], e: S) -> Result<(), BadRestitution> {
        check_restitution(e)?;
        let n = metric.dimension();
        assert_eq!(v.len(), n, "a velocity of dimension {n}");
        let k = rows.rank();
        let f = one::<S>() + e;
        for (vector, length) in [
            (&mut self.x, n),
            (&mut self.velocity, n),
            (&mut self.impulse, n),
            (&mut self.sigma, k),
            (&mut self.slip, rows.count()),
            (&mut self.multipliers, rows.count()),
        ] {
            refill(vector, length);
        }
        self.rank = k;
        metric.straighten(v, &mut self.x);
        let mut work = zero::<S>();
        for j in 0..k {
            let c = rows.offset()[j];
            self.sigma[j] = dot(&rows.basis()[j * n..(j + 1) * n], &self.x) + c;
            work = work + f * c * self.sigma[j];
        }
        rows.slip(&self.x, &mut self.slip);
        let speed = norm(&self.x).to_f64() + norm(rows.offset()).to_f64();
        self.jumped = norm(&self.sigma).to_f64() > NO_SLIP * S::EPSILON * speed;
        (self.dissipated, self.work) = (zero(), zero());
        if !self.jumped {
            self.velocity.copy_from_slice(v);
            return Ok(());
        }
        self.dissipated = S::from_f64(0.5) * f * (one::<S>() - e) * dot(&self.sigma, &self.sigma);
        self.work = work;
        // Δx = −(1+e) Qσ; the velocity from the sum, the impulse from the difference, so that neither loses digits
        for s in &mut self.sigma {
            *s = -(f * *s);
        }
        rows.multipliers(&self.sigma, &mut self.multipliers);
        for j in 0..k {
            add_scaled(&mut self.x, self.sigma[j], &rows.basis()[j * n..(j + 1) * n]);
        }
        metric.bend(&self.x, &mut self.velocity);
        self.x.fill(zero());
        for j in 0..k {
            add_scaled(&mut self.x, self.sigma[j], &rows.basis()[j * n..(j + 1) * n]);
        }
        metric.bend_covector(&self.x, &mut self.impulse);
        Ok(())
    }
}
