//! How near a motion is to a steady one.
//!
//! Steady motions are flows of the symmetry. With the element ξ of the algebra that follows the motion best,
//!
//! ```text
//! F(y) = ṡ(y) − A_ξ s(y)                                                                            (F)
//! ```
//!
//! is the speed across the orbits of the group, and F = 0 on a steady motion. Whether a motion that has become slow tends to one is decided there: Newton's method on (F),
//! in y and ξ together, leads to the steady motion, and the eigenvalues of (∂s)⁻¹ ∂F on the directions that the constraints allow tell which deviations
//! from it grow and which die out.

use super::dynamics::{Dynamics, Reader};
use super::group::{Action, rank};
use super::linear::length;
use super::spectrum::eigenvalues;
use crate::steady::algebra::Dense;
use polhode_tape::dense::least_squares;
use polhode_tape::{Dd, Scalar};

/// Part of the size of the state by which components are moved to see what rounding does: small, and far above rounding.
const NUDGE: f64 = 1e-12;

/// Roundings of double-doubles that the start of a steady motion may have gone through.
const ROUNDINGS: f64 = 1e3;

/// Step of differences, as part of the size of the state: truncation and rounding leave 20 digits.
const DIFFERENCE: f64 = 1e-10;

/// Most steps of Newton's method to a steady motion.
const STEPS: usize = 12;

/// Singular values below this part of the largest are those of families of steady motions.
const FAMILY: f64 = 1e-5;

/// A step shorter than this part of the size of the state was the last one.
const ARRIVED: f64 = 1e-12;

/// A constraint whose violation changes by less than this in every direction holds by itself.
const HELD: f64 = 1e-12;

/// Eigenvalues nearer to the imaginary axis than this part of the largest are on it: rounding splits the Jordan blocks of families by its roots.
const ON_AXIS: f64 = 1e-3;

/// The speed of a state across the orbits.
pub(crate) struct Speed {
    /// |F|.
    pub(crate) across: f64,
    /// |ṡ|.
    pub(crate) whole: f64,
    /// What rounding of the state makes of |F|.
    pub(crate) noise: f64,
    /// ξ.
    pub(crate) xi: Vec<Dd>,
}

impl Speed {
    /// Looks at a state.
    pub(crate) fn of(action: &Action, reader: &mut Reader<Dd>, y: &[Dd]) -> Speed {
        let (f, mut xi, whole) = across(action, reader, y);
        let rounding = ROUNDINGS * Dd::EPSILON / NUDGE;
        let mut noise = ROUNDINGS * Dd::EPSILON * whole;
        let mut drift = noise;
        // components that are zero have been through sums of the others
        let size = y.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
        let nudge = Dd::from(NUDGE * if size > 0.0 { size } else { 1.0 });
        for j in 0..y.len() {
            let mut beside = y.to_vec();
            beside[j] = beside[j] + nudge;
            let (other, _, fast) = across(action, reader, &beside);
            let change: Vec<Dd> = other.iter().zip(&f).map(|(a, b)| *a - *b).collect();
            noise += rounding * length(&change);
            drift += rounding * (fast - whole).abs();
        }
        // a motion that rests but for rounding follows no flow
        if whole <= noise + drift {
            xi.iter_mut().for_each(|x| *x = Dd::ZERO);
        }
        Speed { across: length(&f), whole, noise, xi }
    }
}

/// F, ξ and |ṡ|.
fn across(action: &Action, reader: &mut Reader<Dd>, y: &[Dd]) -> (Vec<Dd>, Vec<Dd>, f64) {
    let s = reader.symbols(y);
    let rate = reader.symbol_rates(y);
    let (rest, xi) = action.across(&s, &rate, rank::<Dd>());
    (rest, xi, length(&rate))
}

/// A steady motion near a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steady {
    /// How far away it is, in positions and velocities.
    pub(crate) distance: f64,
    /// Positions and velocities of the state.
    pub(crate) size: f64,
    /// The rate at which deviations grow: 0 if none does.
    pub(crate) growth: f64,
    /// The rate at which deviations die out: 0 if none does.
    pub(crate) decay: f64,
}

/// The steady motion that Newton's method finds from a state, if it finds one.
pub(crate) fn nearest(dynamics: &Dynamics, action: &Action, state: &[Dd]) -> Option<Steady> {
    let mut reader = dynamics.reader::<Dd>();
    let first = reader.symbols(state);
    let size = length(&first);
    let mut y = state.to_vec();
    let mut arrived = false;
    for _ in 0..STEPS {
        let l = Linearised::at(dynamics, action, &mut reader, &y)?;
        let step = l.step()?;
        let moved = step.iter().fold(0.0, |sum: f64, x| sum.hypot(*x));
        for (x, v) in step.iter().zip(&l.directions) {
            y.iter_mut().zip(v).for_each(|(y, v)| *y = *y + Dd::from(x * v));
        }
        for unit in dynamics.compiled.program.positions.units() {
            let long = y[unit.clone()].iter().fold(Dd::ZERO, |sum, x| sum + *x * *x).sqrt();
            y[unit].iter_mut().for_each(|x| *x = *x / long);
        }
        // a step that is longer than the state leads nowhere near
        if moved.is_nan() || moved > size {
            return None;
        }
        if moved < ARRIVED * size {
            arrived = true;
            break;
        }
    }
    if !arrived {
        return None;
    }
    let distance = length(&action.difference(&reader.symbols(&y), &first));
    let rates = Linearised::at(dynamics, action, &mut reader, &y)?.spectrum()?;
    let largest = rates.first().map_or(0.0, |x| x.0.hypot(x.1));
    let beyond = |x: f64| if x > ON_AXIS * largest { x } else { 0.0 };
    let growth = rates.iter().map(|x| beyond(x.0)).fold(0.0, f64::max);
    let decay = rates.iter().map(|x| beyond(-x.0)).fold(0.0, f64::max);
    Some(Steady { distance, size, growth, decay })
}

/// (F) near a state.
struct Linearised {
    directions: Vec<Vec<f64>>,
    /// F and the violation of constraints.
    values: Vec<f64>,
    /// ∂F, ∂s and the derivatives of the violation in these directions.
    slopes: Vec<Vec<f64>>,
    starts: Vec<Vec<f64>>,
    sides: Vec<Vec<f64>>,
    tangents: Vec<Vec<f64>>,
}

impl Linearised {
    fn at(dynamics: &Dynamics, action: &Action, reader: &mut Reader<Dd>, y: &[Dd]) -> Option<Linearised> {
        let doubles: Vec<f64> = y.iter().map(|x| x.to_f64()).collect();
        let directions = dynamics.directions(&doubles);
        let (f, xi, _) = across(action, reader, y);
        let field = action.combination(&xi);
        let mut followed = |y: &[Dd]| -> (Vec<Dd>, Vec<Dd>) {
            let s = reader.symbols(y);
            let mut f = reader.symbol_rates(y);
            field.iter().filter(|(i, _, _)| *i < action.len).for_each(|(i, j, x)| f[*i] = f[*i] - *x * s[*j]);
            (f, s)
        };
        let to_doubles = |v: &[Dd]| -> Vec<f64> { v.iter().map(|x| x.to_f64()).collect() };
        let h = Dd::from(DIFFERENCE * length(&doubles).max(1.0));
        let (mut slopes, mut starts, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        for v in &directions {
            let beside = |h: Dd| -> Vec<Dd> { y.iter().zip(v).map(|(y, v)| *y + h * Dd::from(*v)).collect() };
            let (over, under) = (beside(h), beside(-h));
            let slope = |p: &[Dd], q: &[Dd]| -> Vec<f64> {
                p.iter().zip(q).map(|(p, q)| ((*p - *q) / (h + h)).to_f64()).collect()
            };
            let ((fa, sa), (fb, sb)) = (followed(&over), followed(&under));
            slopes.push(slope(&fa, &fb));
            starts.push(slope(&sa[..action.len], &sb[..action.len]));
            sides.push(slope(&dynamics.violation(&over), &dynamics.violation(&under)));
        }
        let values: Vec<f64> = f.iter().chain(&dynamics.violation(y)).map(|x| x.to_f64()).collect();
        let tangents = action.tangents(&reader.symbols(y)).iter().map(|t| to_doubles(t)).collect();
        let out = Linearised { directions, values, slopes, starts, sides, tangents };
        let finite = out.values.iter().chain(out.slopes.iter().flatten()).all(|x| x.is_finite());
        finite.then_some(out)
    }

    /// The shortest step to F = 0 on the constraints, with ξ.
    fn step(&self) -> Option<Vec<f64>> {
        let mut columns: Vec<Vec<f64>> =
            self.slopes.iter().zip(&self.sides).map(|(f, s)| [&f[..], s].concat()).collect();
        let rest = self.values.len() - self.slopes.first()?.len();
        for t in &self.tangents {
            let long = length(t);
            if long > 0.0 {
                columns.push(t.iter().map(|x| -x / long).chain(vec![0.0; rest]).collect());
            }
        }
        let svd = Dense::from_fn(columns[0].len(), columns.len(), |i, j| columns[j][i]).svd();
        let wanted: Vec<f64> = self.values.iter().map(|x| -x).collect();
        let mut out = svd.solve(&wanted, svd.rank(FAMILY), 0.0);
        out.truncate(self.directions.len());
        Some(out)
    }

    /// The eigenvalues, largest first.
    fn spectrum(&self) -> Option<Vec<(f64, f64)>> {
        let n = self.directions.len();
        let columns: Vec<Vec<f64>> = self.slopes.iter().map(|f| least_squares(&self.starts, f, HELD)).collect();
        let matrix = Dense::from_fn(n, n, |i, j| columns[j][i]);
        let sides = Dense::from_fn(self.sides[0].len(), n, |i, j| self.sides[j][i]).svd();
        let held = sides.values.iter().filter(|s| **s > HELD).count();
        let allowed = sides.null_space(held);
        let within = allowed.transpose().mul(&matrix.mul(&allowed));
        let rows: Vec<Vec<f64>> =
            (0..within.rows).map(|i| (0..within.cols).map(|j| within[(i, j)]).collect()).collect();
        eigenvalues(&rows)
    }
}
