//! Reductions computed while a motion goes on.
//!
//! Every step is looked at in eight places: its ends, places very near to them, and four in between. Of Taylor series and DOP853 a step is
//! a small part of every oscillation that is resolved, so that an extremum or a zero shows between two of them; it is then refined on the dense output: a zero by the
//! Illinois method, an extremum by parabolas and golden sections. An extremum that lies nearer to the end of a step than a millionth of it is taken there,
//! which changes it by 10⁻¹² of what the step bends.
//!
//! Two zeros between neighbouring places are not seen; the events of a model are found rigorously.

use polhode_simulate::{ObservedStep, Observer};

/// Where a step is looked at.
const PLACES: [f64; 8] = [0.0, 1e-6, 0.2, 0.4, 0.6, 0.8, 1.0 - 1e-6, 1.0];

/// Refinements of a zero or an extremum; both methods converge faster than linearly and need about ten.
const REFINEMENTS: usize = 60;

/// What is followed of one number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Follow {
    /// The largest value of sign·x, and when it was first reached but for drift: at t, with `then`.
    Extreme { sign: f64, best: f64, then: f64, t: f64 },
    /// Changes of sign by more than a level.
    Signs(Signs),
}

/// Changes of sign.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signs {
    level: f64,
    /// The side on which it was last.
    side: f64,
    pub(crate) count: u64,
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// The same of the changes to the positive side.
    rising: (u64, f64, f64),
}

impl Signs {
    /// The mean time between changes to the positive side.
    pub(crate) fn period(&self) -> f64 {
        let (count, first, last) = self.rising;
        if count > 1 { (last - first).abs() / (count - 1) as f64 } else { f64::NAN }
    }

    fn change(&mut self, t: f64, side: f64) {
        self.side = side;
        self.count += 1;
        if self.first.is_nan() {
            self.first = t;
        }
        self.last = t;
        if side > 0.0 {
            let (count, first, _) = self.rising;
            self.rising = (count + 1, if count == 0 { t } else { first }, t);
        }
    }
}

impl Follow {
    pub(crate) fn largest() -> Follow {
        Follow::Extreme { sign: 1.0, best: f64::NEG_INFINITY, then: f64::NEG_INFINITY, t: f64::NAN }
    }

    pub(crate) fn smallest() -> Follow {
        Follow::Extreme { sign: -1.0, best: f64::NEG_INFINITY, then: f64::NEG_INFINITY, t: f64::NAN }
    }

    pub(crate) fn signs(level: f64) -> Follow {
        let (first, last, rising) = (f64::NAN, f64::NAN, (0, f64::NAN, f64::NAN));
        Follow::Signs(Signs { level, side: 0.0, count: 0, first, last, rising })
    }
}

/// Follows some of the numbers that are watched.
#[derive(Clone, Debug)]
pub(crate) struct Reducer {
    /// What is followed, of which number.
    pub(crate) follow: Vec<(usize, Follow)>,
    numbers: usize,
    values: Vec<f64>,
}

impl Reducer {
    /// `numbers` is how many are watched.
    pub(crate) fn new(follow: Vec<(usize, Follow)>, numbers: usize) -> Reducer {
        Reducer { follow, numbers, values: vec![0.0; numbers * PLACES.len()] }
    }
}

impl Observer for Reducer {
    fn step(&mut self, step: &mut dyn ObservedStep) {
        if self.follow.is_empty() {
            return;
        }
        let (start, end) = (step.start(), step.end());
        let times = PLACES.map(|u| if u == 1.0 { end } else { start + u * (end - start) });
        step.at_eight(&times, &mut self.values);
        let mut scratch = vec![0.0; self.numbers];
        for (k, follow) in &mut self.follow {
            let values = &self.values[*k * PLACES.len()..][..PLACES.len()];
            let mut at = |t: f64| {
                step.at(t, &mut scratch);
                scratch[*k]
            };
            match follow {
                Follow::Extreme { sign, best, then, t } => extreme(*sign, &times, values, &mut at, best, (then, t)),
                Follow::Signs(signs) => follow_signs(signs, &times, values, &mut at),
            }
        }
    }
}

/// Extrema that differ by less, as parts of their size, count as equal.
const DRIFT: f64 = 1e-10;

fn extreme(
    sign: f64,
    times: &[f64; 8],
    values: &[f64],
    at: &mut dyn FnMut(f64) -> f64,
    best: &mut f64,
    (then, when): (&mut f64, &mut f64),
) {
    let mut take = |t: f64, x: f64, nearby: f64| {
        // of maxima that differ by what an integration drifts, the time is that of the first; but a top is better than a place near to it
        let is_same_top = x > *then && (t - *when).abs() <= nearby;
        if x > *then + DRIFT * x.abs() || !then.is_finite() && x > *then || is_same_top {
            (*then, *when) = (x, t);
        }
        if x > *best {
            *best = x;
        }
        *best
    };
    for k in 0..times.len() {
        let x = sign * values[k];
        let so_far = take(times[k], x, 1.5 * (times[1] - times[0]).abs());
        if k == 0 || k + 1 == times.len() {
            continue;
        }
        let (before, after) = (sign * values[k - 1], sign * values[k + 1]);
        if x >= before && x >= after && x < f64::INFINITY && (x > before || x > after) {
            let mut f = |t: f64| sign * at(t);
            // the parabola through the three says how much there is to win
            let vertex = parabola([times[k - 1], times[k], times[k + 1]], [before, x, after]);
            if vertex.is_some_and(|(_, top)| top + (top - x) > so_far) {
                let (t, x) = maximum(&mut f, [times[k - 1], times[k], times[k + 1]], x);
                take(t, x, 1.5 * (times[k + 1] - times[k - 1]).abs());
            }
        }
    }
}

/// Where the parabola through three points, the middle one highest, has its top, and its height.
fn parabola(t: [f64; 3], x: [f64; 3]) -> Option<(f64, f64)> {
    let (a, b) = (t[0] - t[1], t[2] - t[1]);
    let (p, q) = ((x[0] - x[1]) / a, (x[2] - x[1]) / b);
    let bend = (q - p) / (b - a);
    let slope = p - bend * a;
    (bend != 0.0 && bend.is_finite()).then(|| {
        let u = -slope / (2.0 * bend);
        (t[1] + u, x[1] + u * (slope + bend * u))
    })
}

/// The maximum in a bracket, by parabolas where they help and golden sections where they do not.
fn maximum(f: &mut dyn FnMut(f64) -> f64, [mut a, mut b, mut c]: [f64; 3], top: f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    let (mut fa, mut fb, mut fc) = (f(a), top, f(c));
    // below the root of the rounding of doubles a value at its maximum does not change
    let enough = 1e-9 * (c - a).abs();
    for k in 0..REFINEMENTS {
        if (c - a).abs() <= enough {
            break;
        }
        let guess = parabola([a, b, c], [fa, fb, fc]).map(|(t, _)| t);
        let inside = |t: &f64| (*t - a) * (*t - c) < 0.0 && (*t - b).abs() > 0.2 * enough;
        // every third step a golden section, so that the bracket shrinks from both sides
        let t = guess
            .filter(|t| k % 3 != 2 && inside(t))
            .unwrap_or_else(|| if (c - b).abs() > (b - a).abs() { b + GOLDEN * (c - b) } else { b - GOLDEN * (b - a) });
        if t == b || t == a || t == c {
            break;
        }
        let ft = f(t);
        let beyond = (t - b) * (c - a) > 0.0;
        match (ft > fb, beyond) {
            (true, true) => (a, fa, b, fb) = (b, fb, t, ft),
            (true, false) => (c, fc, b, fb) = (b, fb, t, ft),
            (false, true) => (c, fc) = (t, ft),
            (false, false) => (a, fa) = (t, ft),
        }
    }
    (b, fb)
}

fn follow_signs(signs: &mut Signs, times: &[f64; 8], values: &[f64], at: &mut dyn FnMut(f64) -> f64) {
    for k in 0..times.len() {
        let x = values[k];
        let side = if x > signs.level {
            1.0
        } else if x < -signs.level {
            -1.0
        } else {
            continue;
        };
        if signs.side == 0.0 {
            signs.side = side;
        } else if side != signs.side {
            let goal = side * signs.level;
            let t = match k.checked_sub(1) {
                // it has jumped there
                None => times[0],
                Some(j) => root(&mut |t| at(t) - goal, [times[j], times[k]], [values[j] - goal, x - goal]),
            };
            signs.change(t, side);
        }
    }
}

/// A zero between two places where the signs differ, by the Illinois method.
fn root(f: &mut dyn FnMut(f64) -> f64, [mut a, mut b]: [f64; 2], [mut fa, mut fb]: [f64; 2]) -> f64 {
    if fa == 0.0 || fa * fb > 0.0 {
        return a;
    }
    for _ in 0..REFINEMENTS {
        let t = (a * fb - b * fa) / (fb - fa);
        let inside = (t - a) * (t - b) < 0.0;
        if !inside {
            break;
        }
        let ft = f(t);
        if ft * fb <= 0.0 {
            (a, fa) = (b, fb);
        } else {
            fa /= 2.0;
        }
        (b, fb) = (t, ft);
        if ft == 0.0 || (b - a).abs() <= 4.0 * f64::EPSILON * b.abs() {
            break;
        }
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of x(t) = sin t − 0.3 and y(t) = t.
    struct Wave {
        start: f64,
        end: f64,
    }

    impl ObservedStep for Wave {
        fn start(&self) -> f64 {
            self.start
        }
        fn end(&self) -> f64 {
            self.end
        }
        fn at_eight(&mut self, times: &[f64; 8], numbers: &mut [f64]) {
            for (l, t) in times.iter().enumerate() {
                (numbers[l], numbers[8 + l]) = (t.sin() - 0.3, *t);
            }
        }
        fn at(&mut self, t: f64, numbers: &mut [f64]) {
            numbers.copy_from_slice(&[t.sin() - 0.3, t]);
        }
    }

    fn reduced(follow: Vec<(usize, Follow)>, steps: &[f64]) -> Reducer {
        let mut r = Reducer::new(follow, 2);
        for w in steps.windows(2) {
            r.step(&mut Wave { start: w[0], end: w[1] });
        }
        r
    }

    /// Maxima that only drift apart count as equal; the time is that of the top, not of a place near to it.
    #[test]
    fn of_equal_extrema_the_first() {
        let steps: Vec<f64> = (0..40).map(|k| 0.5 * f64::from(k)).collect();
        let r = reduced(vec![(0, Follow::largest())], &steps);
        let Follow::Extreme { t, .. } = &r.follow[0].1 else { panic!() };
        assert!((t - std::f64::consts::FRAC_PI_2).abs() < 1e-6, "{t}");
    }

    #[test]
    fn extrema_are_found_between_the_places() {
        use std::f64::consts::FRAC_PI_2;
        // steps of many lengths, so that the maximum lies anywhere in them: near the ends too
        for length in [0.31, 0.7, 1.1, FRAC_PI_2, FRAC_PI_2 * (1.0 + 3e-7), FRAC_PI_2 * (1.0 - 3e-7)] {
            let steps: Vec<f64> = (0..=(7.0 / length) as usize).map(|k| k as f64 * length).collect();
            let r = reduced(vec![(0, Follow::largest()), (0, Follow::smallest()), (1, Follow::largest())], &steps);
            let Follow::Extreme { best, t, .. } = &r.follow[0].1 else { panic!() };
            assert!((best - 0.7).abs() < 1e-12 && (t - FRAC_PI_2).abs() < 2e-6, "{length}: {best} at {t}");
            let Follow::Extreme { best, t, .. } = &r.follow[1].1 else { panic!() };
            assert!((best - 1.3).abs() < 1e-12 && (t - 3.0 * FRAC_PI_2).abs() < 2e-6, "{length}: {best} at {t}");
            let Follow::Extreme { best, t, .. } = &r.follow[2].1 else { panic!() };
            assert_eq!((best, t), (steps.last().unwrap(), steps.last().unwrap()));
        }
    }

    #[test]
    fn zeros_reversals_and_periods() {
        use std::f64::consts::{PI, TAU};
        let steps: Vec<f64> = (0..=40).map(|k| f64::from(k) * 0.63).collect();
        let r = reduced(vec![(0, Follow::signs(0.0)), (0, Follow::signs(0.6)), (0, Follow::signs(0.75))], &steps);
        let signs: Vec<&Signs> =
            r.follow.iter().map(|(_, f)| if let Follow::Signs(s) = f { s } else { panic!() }).collect();
        let first = 0.3f64.asin();
        // from −0.3 up at 0.305, down at π − 0.305, … : eight by t = 25.2
        assert_eq!(signs[0].count, 8);
        assert!((signs[0].first - first).abs() < 1e-14);
        assert!((signs[0].last - (PI - first + 3.0 * TAU)).abs() < 1e-13, "{}", signs[0].last);
        assert!((signs[0].period() - TAU).abs() < 1e-13);
        // beyond ±0.6: first up (that is where it begins to count), then down through −0.6
        let down = PI + 0.3f64.asin();
        assert!((signs[1].first - down).abs() < 1e-13, "{}", signs[1].first);
        assert_eq!(signs[2].count, 0, "it never comes above 0.75");
    }
}
