//! A steady motion with all that is to be known of it.

use super::algebra::{Dense, exponential};
use super::linearisation::{Spectrum, linearise};
use super::newton::SOLVED;
use super::path::{Path, path};
use super::problem::{At, Problem};
use polhode_tape::{Dd, Interpreter, Scalar};

/// Velocities below this may be rest.
const SLOW: f64 = 1e-10;

/// By how much relative curvatures may differ from those at the start.
const EXTREME: f64 = 1e6;

/// Motions whose invariants differ by less are the same.
const SAME: f64 = 1e-9;

/// One steady motion.
#[derive(Clone, Debug)]
pub struct SteadyMotion {
    /// The state of the form that was solved.
    pub state: Vec<Dd>,
    /// All positions and velocities, in the order of [`Problem::symbols`].
    pub symbols: Vec<Dd>,
    /// ξ: how fast each generator of [`Problem::generators`] moves.
    pub velocity: Vec<Dd>,
    /// What is left of (S1).
    pub residual: f64,
    /// How far positions and velocities are from those of the initial state of the model, as vectors of numbers.
    pub distance: f64,
    /// The energy.
    pub energy: Dd,
    /// Functions on the quotient, with names.
    pub invariants: Vec<(String, Dd)>,
    /// Multipliers of the constraints.
    pub reactions: Vec<(String, Dd)>,
    /// The observables of the model.
    pub observables: Vec<(String, Dd)>,
    /// Where points go.
    pub paths: Vec<Path>,
    /// How many dimensions the family of steady motions has, those that the group makes of each other counted once.
    pub family: usize,
    /// How many of these the conditions leave open.
    pub open: usize,
    /// What small disturbances do.
    pub spectrum: Spectrum,
    affine: Option<Dense<Dd>>,
    positions: usize,
}

impl SteadyMotion {
    /// A position or velocity, by its place in [`Problem::symbols`], an observable or an invariant.
    pub fn value(&self, problem: &Problem, name: &str) -> Option<Dd> {
        let symbol = problem.symbols.iter().position(|s| s == name).map(|k| self.symbols[k]);
        let among = |list: &[(String, Dd)]| list.iter().find(|(n, _)| n == name).map(|(_, x)| *x);
        symbol
            .or_else(|| among(&self.observables))
            .or_else(|| among(&self.invariants))
            .or_else(|| among(&self.reactions))
    }

    /// The position symbols at time t, (S0): exp of a matrix where all generators are affine in the positions, as Euclidean motions are.
    pub fn positions_at(&self, t: Dd) -> Option<Vec<Dd>> {
        let rate = self.affine.as_ref()?;
        let e = exponential(&rate.scaled(t));
        let mut s = self.symbols[..self.positions].to_vec();
        s.push(Dd::ONE);
        let mut moved = e.apply(&s);
        moved.pop();
        Some(moved)
    }
}

impl Problem {
    /// Rest, if a motion is as slow as Newton's method leaves it where (S1) is quadratic in what it looks for.
    pub(super) fn at_rest(&self, tape: &mut Interpreter<Dd>, y: &[Dd], values: &[Dd]) -> Option<(Vec<Dd>, Vec<Dd>)> {
        if y[self.placed..].iter().any(|u| u.to_f64().abs() > SLOW) {
            return None;
        }
        let mut still = y.to_vec();
        still[self.placed..].iter_mut().for_each(|u| *u = Dd::ZERO);
        let xi = vec![Dd::ZERO; self.group()];
        let at = self.at(tape, &still);
        let left = self.residual(&at, &still, &xi, values).iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()));
        (left <= SOLVED).then_some((still, xi))
    }

    /// A solution in doubles or double-doubles in all digits, with all that is to be known of it.
    pub(super) fn completed<S: Scalar>(&self, y: &[S], xi: &[S], values: &[Dd]) -> Option<SteadyMotion> {
        let mut tape = Interpreter::<Dd>::new(&self.system);
        let (y, xi): (Vec<Dd>, Vec<Dd>) =
            (y.iter().map(|x| x.to_dd()).collect(), xi.iter().map(|x| x.to_dd()).collect());
        let (y, xi) = self.newton(&mut tape, &y, Some(&xi), values)?;
        let (y, xi) = self.at_rest(&mut tape, &y, values).unwrap_or((y, xi));
        let at = self.at(&mut tape, &y);
        let symbols: Vec<Dd> = self.parts.symbols.clone().map(|k| at.value(k)).collect();
        let inside = |(k, low, high): &(usize, f64, f64)| (*low..=*high).contains(&symbols[*k].to_f64());
        if !self.domains.iter().all(inside) {
            return None;
        }
        let r = self.residual(&at, &y, &xi, values);
        let reported = self.reported(&y);
        // where a sign could change a curvature vanishes or has no bound, and equations hold for want of meaning
        let alike = |now: f64, first: f64| first == 0.0 || (1.0 / EXTREME..EXTREME).contains(&(now / first));
        let kept = self.shown.signs.clone().zip(&self.signs).all(|(k, first)| alike(reported[k].to_f64(), *first));
        if !kept {
            return None;
        }
        let (family, open, spectrum) = linearise(self, &at, &y, &xi)?;
        let named = |names: &[String], range: std::ops::Range<usize>| -> Vec<(String, Dd)> {
            names.iter().cloned().zip(range.map(|k| reported[k])).collect()
        };
        let g = self.group();
        let each = 3 * (1 + g + g * g);
        let points = &reported[self.shown.points.clone()];
        let paths = self.points.iter().zip(points.chunks(each)).map(|(name, p)| path(name, p, &xi)).collect();
        let affine = self.affine.as_ref().map(|all| {
            let n = self.positions;
            Dense::from_fn(n + 1, n + 1, |i, j| {
                if i == n { Dd::ZERO } else { all.iter().zip(&xi).fold(Dd::ZERO, |s, (m, x)| s + *x * m[(i, j)]) }
            })
        });
        Some(SteadyMotion {
            residual: r.iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs())),
            distance: self.distance(&at),
            energy: reported[self.shown.energy],
            invariants: named(&self.invariants, self.shown.invariants.clone()),
            reactions: named(&self.reactions, self.shown.reactions.clone()),
            observables: named(&self.observables, self.shown.observables.clone()),
            positions: self.positions,
            state: y,
            symbols,
            velocity: xi,
            paths,
            family,
            open,
            spectrum,
            affine,
        })
    }
}

impl Problem {
    /// The same up to the group, as far as invariants tell, angles modulo full turns.
    pub(super) fn alike(&self, a: &SteadyMotion, b: &SteadyMotion) -> bool {
        let near = |x: f64, y: f64| (x - y).abs() <= SAME * (1.0 + x.abs());
        let turn = std::f64::consts::TAU;
        let angle = |name: &str| self.angles.iter().any(|k| self.symbols[*k] == name);
        let same = |(name, x): &(String, Dd), y: Dd| {
            let (x, y) = (x.to_f64(), y.to_f64());
            let turns = if angle(name) { turn * ((x - y) / turn).round() } else { 0.0 };
            near(x, y + turns)
        };
        near(a.energy.to_f64(), b.energy.to_f64()) && a.invariants.iter().zip(&b.invariants).all(|(x, y)| same(x, y.1))
    }

    /// The state with its angles less than half a turn from those of the initial state: full turns change nothing, or else Newton's method says so.
    pub(super) fn unwound(&self, at: &At<f64>, y: &[f64]) -> Vec<f64> {
        let mut out = y.to_vec();
        for k in &self.angles {
            let symbol = self.parts.symbols.start + k;
            let turns = ((at.value(symbol) - self.first[*k].to_f64()) / std::f64::consts::TAU).round();
            let alone = (0..self.state).filter(|c| at.slope(symbol, *c) != 0.0).collect::<Vec<_>>();
            if let [c] = alone[..]
                && at.slope(symbol, c) == 1.0
            {
                out[c] -= turns * std::f64::consts::TAU;
            }
        }
        out
    }
}
