//! Constraints that depend on the velocity after the jump.
//!
//! The constraints just after a singular point are those along the arc that leaves it, so that the jump is an equation for v⁺:
//!
//! ```text
//! v⁺ = P(v⁺) v⁻,       P(v) = projection onto the kernel of rows(v).        [CortesEtAl2001, (10)], read carefully
//! ```
//!
//! It may have no solution (a ball that is thrown back by the rough half-plane), several, or a continuum (x dy − y dx at the
//! origin, where every direction is right). All that are found are returned; nothing is chosen. The rule for a choice, if
//! one is wanted: a velocity that satisfies the constraints of its own continuation does not jump ([`Consistent::unchanged`]).
//!
//! The search is Newton's method from many starts, with the least step where the derivative is singular (its singular values come
//! from one-sided Jacobi rotations). A solution with a singular derivative counts as one of a continuum if another is found
//! beside it in the singular direction. Rows may be discontinuous in v, or undefined for some v. A search can miss solutions.

use crate::metric::Metric;
use crate::rows::{Rank, Rows};
use polhode_base::random::Random;
use polhode_tape::Scalar;
use polhode_tape::dense::{add_scaled, dot, norm, one, scale, zero};

/// In roundings, relative to the speed before: what is left of the equation at a solution.
const SOLVED: f64 = 4096.0;

/// Singular values below this part of the largest count as zero: the derivative is a quotient of differences, good to two thirds
/// of the digits.
const SINGULAR: f64 = 1e-5;

/// Solutions closer than this, relative to the speed before, are one.
const SAME: f64 = 1e-6;

/// How far along the singular direction another solution is sought, relative to the speed before.
const BESIDE: f64 = 1e-3;

/// Newton steps from one start, and halvings of one step.
const STEPS: usize = 60;
const HALVINGS: usize = 12;

/// A velocity that satisfies the constraints of its own continuation.
#[derive(Clone, Debug)]
pub struct Solution<S> {
    /// v⁺.
    pub velocity: Vec<S>,
    /// No other solutions are near it.
    pub isolated: bool,
}

/// How many solutions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// None was found.
    None,
    /// One.
    Unique,
    /// So many, all isolated.
    Several(usize),
    /// Some are not isolated.
    Continuum,
}

/// All velocities that were found.
#[derive(Clone, Debug)]
pub struct Consistent<S> {
    /// In the order of decreasing speed; of a continuum some members.
    pub solutions: Vec<Solution<S>>,
    /// v⁻ is one of them: going on without a jump is consistent.
    pub unchanged: bool,
}

impl<S> Consistent<S> {
    /// How many there are.
    pub fn verdict(&self) -> Verdict {
        match self.solutions.len() {
            0 => Verdict::None,
            _ if self.solutions.iter().any(|s| !s.isolated) => Verdict::Continuum,
            1 => Verdict::Unique,
            count => Verdict::Several(count),
        }
    }
}

/// Solves v⁺ = P(v⁺) v⁻. `rows(v, w)` fills `w` with the rows for the arc that leaves with v, and says whether it could.
///
/// `starts` directions are tried besides v⁻, −v⁻ and the axes, always the same ones.
pub fn consistent<S: Scalar>(
    metric: &Metric<S>,
    before: &[S],
    starts: usize,
    rows: impl FnMut(&[S], &mut Vec<S>) -> bool,
) -> Consistent<S> {
    let n = metric.dimension();
    let mut x = vec![zero(); n];
    metric.straighten(before, &mut x);
    let speed = norm(&x);
    let mut equation =
        Equation { metric, x, speed: speed.to_f64(), rows, w: vec![], space: Rows::default(), v: vec![zero(); n] };
    let mut found: Vec<(Vec<S>, bool)> = vec![];
    let mut unchanged = false;
    for index in 0..starts + 2 + 2 * n {
        let mut x = start(n, index, &equation.x);
        let length = norm(&x);
        if length == zero() {
            continue;
        }
        scale(&mut x, speed / length);
        if index == 0 {
            unchanged = equation.residual(&x).is_some_and(|f| equation.solved(&f));
        }
        // the direction itself, and what it makes of v⁻
        let image = equation.project(&x);
        for x in [Some(x), image].into_iter().flatten() {
            let Some(x) = equation.newton(x) else { continue };
            if found.iter().all(|(other, _)| distance(&x, other) > SAME * equation.speed) {
                let isolated = equation.isolated(&x);
                found.push((x, isolated));
            }
        }
    }
    found.sort_by(|a, b| norm(&b.0).to_f64().total_cmp(&norm(&a.0).to_f64()));
    let velocity = |x: &[S]| {
        let mut v = vec![zero(); n];
        metric.bend(x, &mut v);
        v
    };
    let solutions = found.iter().map(|(x, isolated)| Solution { velocity: velocity(x), isolated: *isolated }).collect();
    Consistent { solutions, unchanged }
}

/// Directions: v⁻, −v⁻, the axes both ways, then points spread by a fixed generator.
fn start<S: Scalar>(n: usize, index: usize, before: &[S]) -> Vec<S> {
    let mut x = vec![zero(); n];
    match index {
        0 => x.copy_from_slice(before),
        1 => add_scaled(&mut x, -one::<S>(), before),
        _ if index < 2 + 2 * n => x[(index - 2) / 2] = if index.is_multiple_of(2) { one() } else { -one::<S>() },
        _ => {
            let mut random = Random::after(0, index as u64 * 64 * 12);
            for x in &mut x {
                // twelve uniform numbers make a normal one, and normal components a uniform direction
                let sum: f64 = (0..12).map(|_| random.unit()).sum();
                *x = S::from_f64(sum - 6.0);
            }
        }
    }
    x
}

fn distance<S: Scalar>(a: &[S], b: &[S]) -> f64 {
    let mut difference = a.to_vec();
    add_scaled(&mut difference, -one::<S>(), b);
    norm(&difference).to_f64()
}

/// F(x) = x − P(x) x⁻ where the metric is the identity.
struct Equation<'a, S, R> {
    metric: &'a Metric<S>,
    x: Vec<S>,
    speed: f64,
    rows: R,
    w: Vec<S>,
    space: Rows<S>,
    v: Vec<S>,
}

impl<S: Scalar, R: FnMut(&[S], &mut Vec<S>) -> bool> Equation<'_, S, R> {
    /// P(x) x⁻.
    fn project(&mut self, x: &[S]) -> Option<Vec<S>> {
        self.metric.bend(x, &mut self.v);
        self.w.clear();
        if !(self.rows)(&self.v, &mut self.w) {
            return None;
        }
        self.space.set(self.metric, &self.w, &[], Rank::Decide).ok()?;
        let mut image = self.x.clone();
        for q in self.space.basis().chunks_exact(image.len().max(1)) {
            let c = dot(q, &image);
            add_scaled(&mut image, -c, q);
        }
        Some(image)
    }

    fn residual(&mut self, x: &[S]) -> Option<Vec<S>> {
        let mut f = self.project(x)?;
        for (f, x) in f.iter_mut().zip(x) {
            *f = *x - *f;
        }
        Some(f)
    }

    fn solved(&self, f: &[S]) -> bool {
        norm(f).to_f64() <= SOLVED * S::EPSILON * self.speed
    }

    /// A solution, from a start.
    fn newton(&mut self, mut x: Vec<S>) -> Option<Vec<S>> {
        let mut f = self.residual(&x)?;
        for _ in 0..STEPS {
            if self.solved(&f) {
                return Some(x);
            }
            let step = self.derivative(&x)?.least_solution(&f);
            let size = norm(&f);
            let mut factor = one::<S>();
            let mut accepted = None;
            for _ in 0..HALVINGS {
                let mut next = x.clone();
                add_scaled(&mut next, -factor, &step);
                if let Some(g) = self.residual(&next).filter(|g| norm(g) < size) {
                    accepted = Some((next, g));
                    break;
                }
                factor = factor * S::from_f64(0.5);
            }
            (x, f) = accepted?;
        }
        None
    }

    /// DF, by central differences.
    fn derivative(&mut self, x: &[S]) -> Option<Singular<S>> {
        let n = x.len();
        let h = S::from_f64(S::EPSILON.cbrt() * self.speed);
        let over = one::<S>() / (h + h);
        let mut columns = vec![];
        for j in 0..n {
            let mut at = x.to_vec();
            at[j] = x[j] + h;
            let mut column = self.residual(&at)?;
            at[j] = x[j] - h;
            let minus = self.residual(&at)?;
            add_scaled(&mut column, -one::<S>(), &minus);
            scale(&mut column, over);
            columns.push(column);
        }
        Some(Singular::new(columns))
    }

    /// Is no other solution beside it, in the directions that the derivative does not see?
    fn isolated(&mut self, x: &[S]) -> bool {
        let Some(derivative) = self.derivative(x) else { return true };
        let step = BESIDE * self.speed;
        !derivative.unseen().any(|direction| {
            [step, -step].into_iter().any(|step| {
                let mut beside = x.to_vec();
                add_scaled(&mut beside, S::from_f64(step), direction);
                let other = self.newton(beside);
                other.is_some_and(|other| (0.1 * step.abs()..10.0 * step.abs()).contains(&distance(&other, x)))
            })
        })
    }
}

/// A V = U Σ by one-sided Jacobi rotations: the columns of A V are orthogonal.
struct Singular<S> {
    image: Vec<Vec<S>>, // columns of U Σ
    v: Vec<Vec<S>>,     // columns of V
    largest: f64,
}

impl<S: Scalar> Singular<S> {
    fn new(mut columns: Vec<Vec<S>>) -> Self {
        let n = columns.len();
        let mut v: Vec<Vec<S>> =
            (0..n).map(|i| (0..n).map(|j| if i == j { one() } else { zero() }).collect()).collect();
        // sweeps converge quadratically; a dozen is more than ever needed
        for _ in 0..12 {
            for p in 0..n {
                for q in p + 1..n {
                    let (a, b, c) =
                        (dot(&columns[p], &columns[p]), dot(&columns[q], &columns[q]), dot(&columns[p], &columns[q]));
                    if c.abs() <= S::from_f64(S::EPSILON) * (a * b).sqrt() {
                        continue;
                    }
                    let zeta = (b - a) / (c + c);
                    let root = (one::<S>() + zeta * zeta).sqrt();
                    let t = one::<S>() / (if zeta < zero() { zeta - root } else { zeta + root });
                    let cos = one::<S>() / (one::<S>() + t * t).sqrt();
                    for matrix in [&mut columns, &mut v] {
                        let (left, right) = matrix.split_at_mut(q);
                        for (x, y) in left[p].iter_mut().zip(&mut right[0]) {
                            (*x, *y) = (cos * (*x - t * *y), cos * (t * *x + *y));
                        }
                    }
                }
            }
        }
        let largest = columns.iter().map(|c| norm(c).to_f64()).fold(0.0, f64::max);
        Singular { image: columns, v, largest }
    }

    fn seen(&self, j: usize) -> bool {
        norm(&self.image[j]).to_f64() > SINGULAR * self.largest
    }

    /// The least y for which |A y − f| is least.
    fn least_solution(&self, f: &[S]) -> Vec<S> {
        let mut y = vec![zero(); f.len()];
        for j in (0..self.v.len()).filter(|j| self.seen(*j)) {
            let u = &self.image[j];
            add_scaled(&mut y, dot(u, f) / dot(u, u), &self.v[j]);
        }
        y
    }

    fn unseen(&self) -> impl Iterator<Item = &Vec<S>> {
        (0..self.v.len()).filter(|j| !self.seen(*j)).map(|j| &self.v[j])
    }
}
