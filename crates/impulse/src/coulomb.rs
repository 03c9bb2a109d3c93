//! Impulses of dry friction: a rough region that throws back, and impacts with a coefficient of friction.
//!
//! **An edge.** A velocity enters a rough region, u = a·v > 0, and slips there, s = W v. Rolling without slipping from the
//! first moment would be [CortesEtAl2001, (10)], but if that velocity leads out of the region again, it was computed for a
//! region that is never entered, and the equations have no solution. What happens then depends on how roughness comes about. With
//! Coulomb friction in the limit μ → ∞ the impulse j of friction plays the role of time,
//!
//! ```text
//! dp/dj = −Wᵀ s/|s|,     depth = ∫ u dj,
//! ```
//!
//! and the motion ends when the slip dies (then it is that of (10)) or when the depth is 0 again, still slipping. If the slip
//! keeps its direction, as for a homogeneous ball, u is linear in j, and that is when u = −u₀.
//!
//! **An impact** [Routh1905; Keller1986]. Normal velocity u < 0 and slip s of a contact follow the normal impulse P,
//!
//! ```text
//! dp/dP = bₙᵀ − μ Bₜᵀ s/|s|  while it slips,
//! dp/dP = bₙᵀ + Bₜᵀ f,   f = −Cₜₜ⁻¹Cₜₙ   while it sticks, if |f| ≤ μ,
//! ```
//!
//! otherwise slip begins anew in the direction that it keeps. Restitution is that of energy \[Stronge1990\]: the work ∫ u dP of the
//! normal impulse gives back e² of what compression took, so that no impact creates energy, whatever slip does meanwhile. Where
//! slip keeps its direction this is Newton's u⁺ = −e u⁻.

use crate::collide::Contact;
use crate::jump::check_restitution;
use crate::metric::Metric;
use crate::rows::{DEPENDENT, Rows};
use crate::sliding::{End, Law, State};
use polhode_tape::Scalar;
use polhode_tape::dense::{add_scaled, dot, norm, one, zero};
use std::fmt;

/// How a rough region receives a velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on inside, without slip: (10) is right.
    Enters,
    /// It leaves again after the slip has died, with the velocity of (10).
    ThrownBack,
    /// It leaves again while slipping.
    ThrownBackSlipping,
}

/// What a rough edge does to a velocity.
#[derive(Clone, Debug)]
pub struct Edge<S> {
    /// v⁺.
    pub velocity: Vec<S>,
    /// Δp.
    pub impulse: Vec<S>,
    /// The slip afterwards.
    pub slip: Vec<S>,
    /// How it ended.
    pub outcome: Outcome,
    /// Energy lost, ∫ |s| dj.
    pub dissipated: S,
}

/// What a contact did during an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It slipped.
    Slide,
    /// It stuck.
    Stick,
    /// It slipped in a direction that it keeps, after its slip had died.
    SlideAnew,
}

/// What an impact with friction does to a velocity.
#[derive(Clone, Debug)]
pub struct Impact<S> {
    /// v⁺.
    pub velocity: Vec<S>,
    /// Δp.
    pub impulse: Vec<S>,
    /// The normal impulse P.
    pub normal: S,
    /// The impulses along the other rows; |…| ≤ μP.
    pub tangential: Vec<S>,
    /// Energy lost in the frame of the contact, ≥ 0.
    pub dissipated: S,
    /// What happened, in order.
    pub phases: Vec<Phase>,
}

/// Why friction has no answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FrictionError {
    /// A restitution outside [0, 1].
    Restitution(f64),
    /// A coefficient of friction that is negative or not finite.
    Coefficient(f64),
    /// The velocity does not enter the region, or does not approach the contact.
    Departs {
        /// The velocity along the entering direction, or along the normal.
        velocity: f64,
    },
    /// Friction has one or two rows that are independent of each other.
    Tangents {
        /// So many were given.
        count: usize,
    },
    /// The normal velocity cannot be reversed while friction holds the contact: it is wedged.
    Wedged,
    /// The slip does not come to an end within the steps that are tried.
    TooLong,
}

impl fmt::Display for FrictionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrictionError::Restitution(e) => {
                write!(f, "a coefficient of restitution lies between 0 and 1, this one is {e}")
            }
            FrictionError::Coefficient(mu) => write!(f, "a coefficient of friction is not negative, this one is {mu}"),
            FrictionError::Departs { velocity } => write!(f, "it is leaving, with velocity {velocity:e}"),
            FrictionError::Tangents { count } => {
                write!(f, "friction needs one or two independent tangential rows, there are {count}")
            }
            FrictionError::Wedged => write!(f, "the contact is wedged: no normal impulse reverses it"),
            FrictionError::TooLong => write!(f, "the slip does not come to an end"),
        }
    }
}

impl std::error::Error for FrictionError {}

/// Rows where the metric is the identity and the kept constraints are gone, and their products.
struct Straight<S> {
    n: usize,
    a: Vec<S>,
}

impl<S: Scalar> Straight<S> {
    fn new<'a>(metric: &Metric<S>, kept: Option<&Rows<S>>, rows: impl Iterator<Item = &'a [S]>) -> Self {
        let n = metric.dimension();
        let mut a = vec![];
        for row in rows {
            let mut x = vec![zero(); n];
            metric.straighten_covector(row, &mut x);
            for _ in 0..2 {
                for q in kept.map_or(&[][..], Rows::basis).chunks_exact(n) {
                    let c = dot(q, &x);
                    add_scaled(&mut x, -c, q);
                }
            }
            a.extend(x);
        }
        Straight { n, a }
    }

    fn row(&self, i: usize) -> &[S] {
        &self.a[i * self.n..(i + 1) * self.n]
    }

    fn c(&self, i: usize, j: usize) -> S {
        dot(self.row(i), self.row(j))
    }

    /// v + G⁻¹ Σ λᵢ wᵢ and the covector itself; `first` is the row of the first multiplier.
    fn push(&self, metric: &Metric<S>, v: &[S], first: usize, lambda: &[S]) -> (Vec<S>, Vec<S>) {
        let mut x = vec![zero(); self.n];
        for (i, l) in lambda.iter().enumerate() {
            add_scaled(&mut x, *l, self.row(first + i));
        }
        let (mut p, mut w) = (vec![zero(); self.n], vec![zero(); self.n]);
        metric.bend_covector(&x, &mut p);
        metric.bend(&x, &mut w);
        add_scaled(&mut w, one(), v);
        (w, p)
    }
}

/// A velocity enters a rough region along `entering` (a·v > 0), where the rows `w` slip; `kept` constraints hold throughout.
pub fn rough_edge<S: Scalar>(
    metric: &Metric<S>,
    kept: Option<&Rows<S>>,
    w: &[S],
    entering: &[S],
    v: &[S],
) -> Result<Edge<S>, FrictionError> {
    let n = metric.dimension();
    let u = dot(entering, v);
    if u.to_f64().is_nan() || u.to_f64() <= 0.0 {
        return Err(FrictionError::Departs { velocity: u.to_f64() });
    }
    let m = w.len() / n;
    let rows = Straight::new(metric, kept, w.chunks_exact(n).chain([entering]));
    let c: Vec<S> = (0..m * m).map(|k| rows.c(k / m, k % m)).collect();
    let s: Vec<S> = w.chunks_exact(n).map(|row| dot(row, v)).collect();
    let gamma: Vec<S> = (0..m).map(|i| rows.c(i, m)).collect();
    let mut state = State::new(s, u);
    let law = Law { alpha: vec![zero(); m], b: c, beta: zero(), gamma };
    let slipping = match state.slide(&law, |state| -state.y) {
        End::Dead => false,
        End::Event => true,
        End::TooLong => return Err(FrictionError::TooLong),
    };
    let lambda: Vec<S> = state.i.iter().map(|i| -*i).collect();
    let (velocity, impulse) = rows.push(metric, v, 0, &lambda);
    let slip = w.chunks_exact(n).map(|row| if slipping { dot(row, &velocity) } else { zero() }).collect();
    let outcome = match (slipping, state.u > zero()) {
        (true, _) => Outcome::ThrownBackSlipping,
        (false, true) => Outcome::Enters,
        (false, false) => Outcome::ThrownBack,
    };
    Ok(Edge { velocity, impulse, slip, outcome, dissipated: state.loss })
}

/// An impact of one contact with friction μ; `kept` constraints hold throughout.
pub fn impact<S: Scalar>(
    metric: &Metric<S>,
    kept: Option<&Rows<S>>,
    contact: &Contact<'_, S>,
    mu: S,
    v: &[S],
) -> Result<Impact<S>, FrictionError> {
    check_restitution(contact.restitution).map_err(|e| FrictionError::Restitution(e.0))?;
    if !(mu.to_f64() >= 0.0 && mu.is_finite()) {
        return Err(FrictionError::Coefficient(mu.to_f64()));
    }
    let n = metric.dimension();
    let all = contact.rows.len() / n.max(1);
    if !(2..=3).contains(&all) {
        return Err(FrictionError::Tangents { count: all.saturating_sub(1) });
    }
    let slip = |i: usize| dot(&contact.rows[i * n..(i + 1) * n], v) + contact.offset.get(i).copied().unwrap_or(zero());
    let u = slip(0);
    if u.to_f64().is_nan() || u.to_f64() >= 0.0 {
        return Err(FrictionError::Departs { velocity: u.to_f64() });
    }
    let rows = Straight::new(metric, kept, contact.rows.chunks_exact(n));
    let mut contact_motion = Motion::new(&rows, all - 1, mu, contact.restitution, u, (1..all).map(slip).collect())?;
    contact_motion.run()?;
    let Motion { state, phases, .. } = contact_motion;
    let mut lambda = vec![state.j];
    lambda.extend(&state.i);
    let (velocity, impulse) = rows.push(metric, v, 0, &lambda);
    let tangential = lambda.split_off(1);
    Ok(Impact { velocity, impulse, normal: state.j, tangential, dissipated: state.loss - state.y, phases })
}

/// The motion of a contact in the time of its normal impulse. `state.i` holds the tangential impulses, `state.loss` the work
/// of friction, `state.y` that of the normal impulse.
struct Motion<S> {
    law: Law<S>,
    stick: Vec<S>, // f
    mu: S,
    e: S,
    state: State<S>,
    compressed: Option<S>, // ∫ u dP when the normal velocity was 0
    phases: Vec<Phase>,
}

impl<S: Scalar> Motion<S> {
    fn new(rows: &Straight<S>, m: usize, mu: S, e: S, u: S, s: Vec<S>) -> Result<Self, FrictionError> {
        let c_tt: Vec<S> = (0..m * m).map(|k| rows.c(1 + k / m, 1 + k % m)).collect();
        let c_tn: Vec<S> = (0..m).map(|i| rows.c(1 + i, 0)).collect();
        let tangential = Metric::new(m, &c_tt).map_err(|_| FrictionError::Tangents { count: m })?;
        let stick = tangential.velocity(&c_tn).into_iter().map(|f| -f).collect();
        let law = Law {
            b: c_tt.iter().map(|c| mu * *c).collect(),
            gamma: c_tn.iter().map(|c| mu * *c).collect(),
            alpha: c_tn,
            beta: rows.c(0, 0),
        };
        Ok(Motion { law, stick, mu, e, state: State::new(s, u), compressed: None, phases: vec![] })
    }

    /// ∫ u dP at which the impact is over.
    fn target(&self, compressed: S) -> S {
        (one::<S>() - self.e) * (one::<S>() + self.e) * compressed
    }

    fn run(&mut self) -> Result<(), FrictionError> {
        loop {
            if norm(&self.state.s) == zero() || self.state.dead() {
                return self.run_straight();
            }
            if self.phases.last() != Some(&Phase::Slide) {
                self.phases.push(Phase::Slide);
            }
            let target = self.compressed.map(|c| self.target(c));
            // friction is −μ ∫ ŝ dP, its loss μ ∫ ρ dP: the integrals of this stretch are scaled afterwards
            let (i, loss) = (self.state.i.clone(), self.state.loss);
            self.state.i.fill(zero());
            self.state.loss = zero();
            let end = match target {
                None => self.state.slide(&self.law, |state| state.u),
                // done, or compressed again
                Some(t) => self.state.slide(&self.law, |state| {
                    let (done, again) = (state.y - t, -state.u);
                    if done > again { done } else { again }
                }),
            };
            for (sum, old) in self.state.i.iter_mut().zip(i) {
                *sum = old - self.mu * *sum;
            }
            self.state.loss = loss + self.mu * self.state.loss;
            match (end, target) {
                (End::TooLong, _) => return Err(FrictionError::TooLong),
                (End::Dead, _) => {}
                (End::Event, None) => {
                    self.compressed = Some(self.state.y);
                    if self.e == zero() {
                        return Ok(());
                    }
                }
                (End::Event, Some(t)) => {
                    if self.state.y >= t {
                        return Ok(());
                    }
                    self.compressed = None;
                }
            }
        }
    }

    /// No slip: it sticks, or slips in a direction that it keeps. Velocities are linear in P, and the end is known.
    fn run_straight(&mut self) -> Result<(), FrictionError> {
        self.state.s.fill(zero());
        let (direction, growth) = if norm(&self.stick) <= self.mu {
            self.phases.push(Phase::Stick);
            (self.stick.clone(), zero())
        } else {
            self.phases.push(Phase::SlideAnew);
            let (unit, growth) = self.kept_direction().ok_or(FrictionError::Wedged)?;
            (unit.iter().map(|s| -(self.mu * *s)).collect(), growth)
        };
        // du/dP = Cₙₙ + Cₙₜ·(tangential impulse per P); Cₙₜ is alpha
        let rate = self.law.beta + dot(&self.law.alpha, &direction);
        if rate.to_f64() <= DEPENDENT * S::EPSILON * self.law.beta.to_f64() {
            return Err(FrictionError::Wedged);
        }
        let state = &mut self.state;
        let half = S::from_f64(0.5);
        // y − u²/(2 rate) does not change: compression ends there
        let compressed = match self.compressed {
            Some(c) if state.u > zero() => c,
            _ => state.y - half * state.u * state.u / rate,
        };
        let target = (one::<S>() - self.e) * (one::<S>() + self.e) * compressed;
        let square = state.u * state.u + S::from_f64(2.0) * rate * (target - state.y);
        let end = if square > zero() { square.sqrt() } else { zero() };
        let p = (end - state.u) / rate;
        state.u = end;
        state.y = target;
        state.j = state.j + p;
        add_scaled(&mut state.i, p, &direction);
        state.loss = state.loss + half * self.mu * growth * p * p;
        Ok(())
    }

    /// ŝ and k > 0 with α − B ŝ = k ŝ: slip that begins at 0 and grows as k P.
    fn kept_direction(&self) -> Option<(Vec<S>, S)> {
        let (alpha, b) = (&self.law.alpha, &self.law.b);
        let growth = |s: &[S]| -> Vec<S> {
            let m = s.len();
            (0..m).map(|i| alpha[i] - dot(&b[i * m..(i + 1) * m], s)).collect()
        };
        if alpha.len() == 1 {
            let unit = vec![if alpha[0] > zero() { one::<S>() } else { -one::<S>() }];
            let k = growth(&unit)[0] * unit[0];
            return (k > zero()).then_some((unit, k));
        }
        // the angle at which the growth has no part across, searched around the circle
        const ANGLES: usize = 64;
        let direction = |angle: S| {
            let (sin, cos) = angle.sin_cos();
            vec![cos, sin]
        };
        let across = |angle: S| {
            let s = direction(angle);
            let g = growth(&s);
            s[0] * g[1] - s[1] * g[0]
        };
        let turn = S::constant(polhode_tape::Dd::PI) * S::from_f64(2.0 / ANGLES as f64);
        let mut best: Option<(Vec<S>, S)> = None;
        for i in 0..ANGLES {
            let (mut a, mut b) = (turn * S::from_f64(i as f64), turn * S::from_f64((i + 1) as f64));
            let (left, right) = (across(a), across(b));
            if (left < zero()) == (right < zero()) {
                continue;
            }
            // two roundings less than the digits of S in halvings
            for _ in 0..(-S::EPSILON.log2()) as usize {
                let middle = (a + b) * S::from_f64(0.5);
                if (across(middle) < zero()) == (left < zero()) { a = middle } else { b = middle }
            }
            let s = direction(b);
            let k = dot(&growth(&s), &s);
            if k > zero() && best.as_ref().is_none_or(|best| k > best.1) {
                best = Some((s, k));
            }
        }
        best
    }
}
