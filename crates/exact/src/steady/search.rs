//! Newton's method for (S1), damped as Levenberg and Marquardt do.
//!
//! (S1) has more equations than unknowns, and its solutions are never alone: the group moves them, and they come in families. A step is
//!
//! ```text
//! δ = −(JᵀJ + κ|r|²)⁻¹ Jᵀ r,
//! ```
//!
//! the shortest one where J has a kernel; with the damping in proportion to |r|² convergence is quadratic even then, as long as the rank of J
//! does not change \[YamashitaFukushima2001\]. A start is first brought to where the relations and conditions hold, and these weigh as much as the rates, so that
//! it stays there. The search runs in doubles, what it finds is completed in double-doubles.

use super::NotSteady;
use super::algebra::{Dense, exponential};
use super::linearisation::{Spectrum, linearise};
use super::path::{Path, path};
use super::problem::{At, Problem};
use polhode_expr::random::Random;
use polhode_tape::{Dd, Interpreter, Scalar};

/// Steps of one search.
const STEPS: usize = 80;

/// Steps to where the conditions hold.
const ADMISSION: usize = 20;

/// Starts besides that of the model.
const STARTS: usize = 60;

/// How far positions are moved for another start.
const SHAKE: f64 = 0.6;

/// Residuals that a solution may have, in units of the largest term.
const SOLVED: f64 = 1e-25;

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
    /// All steady motions found, the one nearest to the initial state of the model first.
    pub fn solve(&self) -> Vec<SteadyMotion> {
        self.solve_for(&self.values)
    }

    /// The same for other values of what is prescribed.
    pub fn solve_for(&self, values: &[Dd]) -> Vec<SteadyMotion> {
        let mut found: Vec<SteadyMotion> = Vec::new();
        let mut random = Random::new(17);
        let doubles: Vec<f64> = self.start.iter().map(|x| x.to_f64()).collect();
        let mut tape = Interpreter::<f64>::new(&self.system);
        let wanted: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
        for k in 0..=STARTS {
            let start = match k {
                0 => doubles.clone(),
                // the same places, then others too
                k => self.disturbed(&doubles, if k % 2 == 0 { SHAKE } else { 0.0 }, &wanted, &mut random),
            };
            let start = self.admitted(&mut tape, start, &wanted);
            let Some((y, xi)) = self.newton(&mut tape, &start, None, &wanted) else { continue };
            let Some(motion) = self.completed(&y, &xi, values) else { continue };
            if found.iter().any(|other| alike(other, &motion)) {
                continue;
            }
            // what is left open has a continuum of motions: this one stands for it
            if motion.open > 0 {
                found.push(motion);
                break;
            }
            found.push(motion);
            // backwards: often a steady motion too
            let mut back = y.clone();
            back[self.placed..].iter_mut().for_each(|u| *u = -*u);
            let start = self.admitted(&mut tape, back, &wanted);
            let back = self.newton(&mut tape, &start, None, &wanted);
            let back = back.and_then(|(y, xi)| self.completed(&y, &xi, values));
            if let Some(back) = back.filter(|m| !found.iter().any(|other| alike(other, m))) {
                found.push(back);
            }
        }
        found
    }

    /// The steady motion that Newton's method leads to from the state of another.
    pub fn near(&self, start: &SteadyMotion, values: &[Dd]) -> Option<SteadyMotion> {
        let y: Vec<f64> = start.state.iter().map(|x| x.to_f64()).collect();
        let xi: Vec<f64> = start.velocity.iter().map(|x| x.to_f64()).collect();
        let wanted: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
        let mut tape = Interpreter::<f64>::new(&self.system);
        let (y, xi) = self.newton(&mut tape, &y, Some(&xi), &wanted)?;
        self.completed(&y, &xi, values)
    }

    /// One of the prescribed quantities at several values: each branch that begins at the first value is followed. The outer list is over
    /// branches; `None` where a branch has ended.
    pub fn table(&self, quantity: &str, at: &[Dd]) -> Result<Vec<Vec<Option<SteadyMotion>>>, NotSteady> {
        let which = self.conditions.iter().position(|c| c.quantity == quantity);
        let which = which.ok_or_else(|| NotSteady::NotPrescribed(quantity.to_string()))?;
        let put = |x: Dd| {
            let mut values = self.values.clone();
            values[which] = x;
            values
        };
        let Some(first) = at.first() else { return Ok(Vec::new()) };
        let mut branches = Vec::new();
        for motion in self.solve_for(&put(*first)) {
            let mut branch = vec![Some(motion)];
            for x in &at[1..] {
                let next = branch.last().and_then(Option::as_ref).and_then(|m| self.near(m, &put(*x)));
                branch.push(next);
            }
            branches.push(branch);
        }
        Ok(branches)
    }

    /// The values that conditions were given with.
    pub fn values(&self) -> &[Dd] {
        &self.values
    }

    /// A state that is some way from another: velocities of the size that there are, positions about one.
    fn disturbed(&self, y: &[f64], shake: f64, wanted: &[f64], random: &mut Random) -> Vec<f64> {
        let speed = y.iter().chain(wanted).fold(1.0f64, |m, x| m.max(x.abs()));
        // steady motions of one kind may be much faster than those of another
        let speed = speed * 10f64.powf(random.between(-1.5, 1.5));
        let mut draw = |size: f64| random.between(-size, size);
        let positions = self.placed;
        y.iter().enumerate().map(|(k, x)| if k < positions { x + draw(shake) } else { draw(speed) }).collect()
    }

    /// A state near another where the relations hold and what is prescribed has its values, as nearly as that can be had.
    fn admitted(&self, tape: &mut Interpreter<f64>, start: Vec<f64>, wanted: &[f64]) -> Vec<f64> {
        let n = self.symbols.len();
        let none = vec![0.0; self.group()];
        let mut y = start;
        for _ in 0..ADMISSION {
            let at = self.at(tape, &y);
            let r: Vec<f64> = self.residual(&at, &y, &none, wanted)[n..].iter().map(|x| -x).collect();
            if r.iter().all(|x| x.abs() <= 1e-13) || r.iter().any(|x| !x.is_finite()) {
                break;
            }
            let all = self.jacobian(&at, &y, &none, 1.0);
            let svd = Dense::from_fn(r.len(), self.state, |i, j| all[(n + i, j)]).svd();
            let step = svd.solve(&r, svd.rank(1e-10), 0.0);
            y.iter_mut().zip(step).for_each(|(y, d)| *y += d);
        }
        y
    }

    /// How much relations and conditions weigh: rates are products of two velocities.
    fn weight<S: Scalar>(&self, values: &[S]) -> f64 {
        let fastest = values.iter().fold(1.0f64, |m, x| m.max(x.to_f64().abs()));
        fastest * fastest
    }

    /// r, without weights.
    fn residual<S: Scalar>(&self, at: &At<S>, y: &[S], xi: &[S], values: &[S]) -> Vec<S> {
        let n = self.symbols.len();
        let mut r: Vec<S> = (0..n)
            .map(|k| {
                let rate = at.value(self.parts.rates.start + k);
                xi.iter().enumerate().fold(rate, |r, (i, x)| r - *x * at.value(self.parts.fields.start + i * n + k))
            })
            .collect();
        r.extend(self.parts.relations.clone().map(|k| at.value(k)));
        r.extend(self.units.iter().map(|u| y[u.clone()].iter().fold(S::from_f64(-1.0), |s, x| s + *x * *x)));
        r.extend(self.parts.prescribed.clone().zip(values).map(|(k, v)| at.value(k) - *v));
        r
    }

    /// ∂r/∂(y, ξ), with a weight on relations and conditions.
    pub(super) fn jacobian<S: Scalar>(&self, at: &At<S>, y: &[S], xi: &[S], weight: f64) -> Dense<S> {
        let weight = S::from_f64(weight);
        let (n, g) = (self.symbols.len(), self.group());
        let relations = self.parts.relations.len();
        let units = self.units.len();
        let rows = n + relations + units + self.parts.prescribed.len();
        Dense::from_fn(rows, self.state + g, |row, col| {
            if col >= self.state {
                let i = col - self.state;
                return if row < n { -at.value(self.parts.fields.start + i * n + row) } else { S::default() };
            }
            if row < n {
                let rate = at.slope(self.parts.rates.start + row, col);
                return xi
                    .iter()
                    .enumerate()
                    .fold(rate, |s, (i, x)| s - *x * at.slope(self.parts.fields.start + i * n + row, col));
            }
            let row = row - n;
            if row < relations {
                return weight * at.slope(self.parts.relations.start + row, col);
            }
            let row = row - relations;
            if row < units {
                return if self.units[row].contains(&col) { weight * (y[col] + y[col]) } else { S::default() };
            }
            weight * at.slope(self.parts.prescribed.start + row - units, col)
        })
    }

    /// ξ for which |ṡ − Xξ| is least.
    fn best_velocity<S: Scalar>(&self, at: &At<S>) -> Vec<S> {
        let n = self.symbols.len();
        let x = Dense::from_fn(n, self.group(), |k, i| at.value(self.parts.fields.start + i * n + k));
        let rates: Vec<S> = self.parts.rates.clone().map(|k| at.value(k)).collect();
        let svd = x.svd();
        svd.solve(&rates, svd.rank(S::EPSILON.sqrt()), S::default())
    }

    /// A solution from a start; `None` where the search gets stuck.
    fn newton<S: Scalar>(
        &self,
        tape: &mut Interpreter<S>,
        start: &[S],
        xi: Option<&[S]>,
        values: &[S],
    ) -> Option<(Vec<S>, Vec<S>)> {
        let size = |r: &[S]| r.iter().fold(S::default(), |s, x| s + *x * *x).to_f64();
        let weight = self.weight(values);
        let weighted = |at: &At<S>, y: &[S], xi: &[S]| {
            let mut r = self.residual(at, y, xi, values);
            r[self.symbols.len()..].iter_mut().for_each(|x| *x = *x * S::from_f64(weight));
            r
        };
        let mut y = start.to_vec();
        let mut at = self.at(tape, &y);
        let mut xi = xi.map_or_else(|| self.best_velocity(&at), <[S]>::to_vec);
        let mut r = weighted(&at, &y, &xi);
        let mut merit = size(&r);
        let mut kappa = 1e-2;
        let mut stuck = 0;
        for _ in 0..STEPS {
            if !merit.is_finite() {
                return None;
            }
            let scale = self.scale(&at, &xi, values);
            if merit.sqrt() <= 4.0 * S::EPSILON * scale * weight {
                break;
            }
            let svd = self.jacobian(&at, &y, &xi, weight).svd();
            let rank = svd.rank(S::EPSILON.powf(0.75));
            let minus: Vec<S> = r.iter().map(|x| -*x).collect();
            let mut accepted = false;
            for _ in 0..12 {
                let step = svd.solve(&minus, rank, S::from_f64(kappa * merit));
                let moved: Vec<S> = y.iter().zip(&step).map(|(y, d)| *y + *d).collect();
                let turned: Vec<S> = xi.iter().zip(&step[self.state..]).map(|(x, d)| *x + *d).collect();
                let there = self.at(tape, &moved);
                let left = weighted(&there, &moved, &turned);
                let next = size(&left);
                if next.is_finite() && next < merit {
                    stuck = if next > 0.25 * merit { stuck + 1 } else { 0 };
                    (y, xi, at, r, merit) = (moved, turned, there, left, next);
                    kappa = (kappa * 0.1).max(1e-12);
                    accepted = true;
                    break;
                }
                kappa *= 10.0;
            }
            // rounding, or a minimum that is no zero
            if !accepted || stuck > 25 {
                break;
            }
        }
        let solved = SOLVED * (S::EPSILON / Dd::EPSILON);
        (merit.sqrt() <= solved * self.scale(&at, &xi, values) * weight).then_some((y, xi))
    }

    /// The largest terms of (S1).
    fn scale<S: Scalar>(&self, at: &At<S>, xi: &[S], values: &[S]) -> f64 {
        let all = self.parts.rates.clone().map(|k| at.value(k).to_f64());
        let all = all.chain(values.iter().map(|x| x.to_f64())).chain(xi.iter().map(|x| x.to_f64()));
        all.fold(1.0f64, |m, x| m.max(x.abs()))
    }

    /// Rest, if a motion is as slow as Newton's method leaves it where (S1) is quadratic in what it looks for.
    fn at_rest(&self, tape: &mut Interpreter<Dd>, y: &[Dd], values: &[Dd]) -> Option<(Vec<Dd>, Vec<Dd>)> {
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

    /// A solution in doubles in all digits, with all that is to be known of it.
    fn completed(&self, y: &[f64], xi: &[f64], values: &[Dd]) -> Option<SteadyMotion> {
        let mut tape = Interpreter::<Dd>::new(&self.system);
        let (y, xi): (Vec<Dd>, Vec<Dd>) =
            (y.iter().map(|x| Dd::from(*x)).collect(), xi.iter().map(|x| Dd::from(*x)).collect());
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

/// The same up to the group, as far as invariants tell.
fn alike(a: &SteadyMotion, b: &SteadyMotion) -> bool {
    let near = |x: Dd, y: Dd| (x - y).to_f64().abs() <= SAME * (1.0 + x.to_f64().abs());
    near(a.energy, b.energy) && a.invariants.iter().zip(&b.invariants).all(|(x, y)| near(x.1, y.1))
}
