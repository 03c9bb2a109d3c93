//! Elementary functions of [`Wide`] numbers.
//!
//! Arguments are reduced to a small interval, halved until a Taylor series of a dozen or so terms is
//! enough, and the doublings are undone in a form that keeps the relative error:
//! eˣ − 1 =: E with E(2x) = E (2 + E), and v = cos − 1 with v(2x) = 2 v (2 + v). Logarithm and angle
//! correct the value of the standard library by one exponential or rotation.

use super::Wide;
use super::constants::{EULER, LN_2, PI};
use polhode_tape::Scalar;

impl<const N: usize> Wide<N> {
    fn from_table(table: &[u64], exponent: i64) -> Self {
        let mut digits = [0; N];
        for k in 0..N {
            digits[N - 1 - k] = table[k];
        }
        Self { negative: false, exponent, digits }
    }

    /// π.
    pub(crate) fn pi() -> Self {
        Self::from_table(&PI, 2)
    }

    /// ln 2.
    pub(crate) fn ln_2() -> Self {
        Self::from_table(&LN_2, 0)
    }

    /// Euler's constant γ.
    pub(crate) fn euler() -> Self {
        Self::from_table(&EULER, 0)
    }

    /// sin πx and cos πx: nothing is lost near integers.
    pub(crate) fn sin_cos_pi(&self) -> (Self, Self) {
        let half = self.scaled(1);
        let (n, rest) = half.split_integer();
        quarter_turns(n, core(Self::pi() * rest.scaled(-1)))
    }

    /// sinh x and cosh x.
    pub(crate) fn sinh_cosh(&self) -> (Self, Self) {
        if self.magnitude() < 0 {
            // e^x − 1 = E gives sinh x = (E + E/(1 + E))/2 without cancellation
            let e = exp_minus_one(*self);
            let other = e / (Self::ONE + e);
            return ((e + other).scaled(-1), Self::ONE + (e - other).scaled(-1));
        }
        let e = self.exp();
        let r = e.recip();
        ((e - r).scaled(-1), (e + r).scaled(-1))
    }

    /// ln(1 + x) for |x| < 2⁻¹⁰ by its series.
    fn ln_near_one(x: Self) -> Self {
        // 2 artanh(x/(2 + x))
        let q = x / (Self::integer(2) + x);
        series_of_odd_powers(q, false).scaled(1)
    }
}

/// q ∓ q³/3 + q⁵/5 ∓ …: arc tangent where `alternating`, else its hyperbolic counterpart.
fn series_of_odd_powers<const N: usize>(q: Wide<N>, alternating: bool) -> Wide<N> {
    if q.is_zero() {
        return q;
    }
    let bits = (-2 * q.magnitude()).max(1);
    let terms = (Wide::<N>::BITS + 8) / bits + 1;
    let square = if alternating { -q.squared() } else { q.squared() };
    let mut sum = Wide::ZERO;
    for k in (0..=terms as u64).rev() {
        sum = Wide::ONE.over(2 * k + 1) + square * sum;
    }
    q * sum
}

/// How often to halve, and how many terms of Σ xⁿ/n! are then enough.
fn effort(bits: i64, magnitude: i64) -> (i64, u64) {
    let halvings = ((bits as f64).sqrt() * 0.7) as i64;
    let halvings = (halvings + magnitude).max(0);
    let small = (halvings - magnitude) as f64;
    let (mut n, mut have) = (1.0, small);
    while have < bits as f64 + 4.0 {
        n += 1.0;
        have += small + f64::log2(n);
    }
    (halvings, n as u64)
}

/// eˣ − 1 for |x| < 1.
fn exp_minus_one<const N: usize>(x: Wide<N>) -> Wide<N> {
    if x.is_zero() {
        return x;
    }
    let (halvings, terms) = effort(Wide::<N>::BITS, x.magnitude());
    let r = x.scaled(-halvings);
    let mut sum = Wide::ONE;
    for n in (2..=terms).rev() {
        sum = Wide::ONE + (r * sum).over(n);
    }
    let mut e = r * sum;
    for _ in 0..halvings {
        e = e.scaled(1) + e.squared();
    }
    e
}

/// eˣ.
pub(super) fn exp<const N: usize>(x: Wide<N>) -> Wide<N> {
    if x.magnitude() > 36 {
        return if x.is_negative() { Wide::ZERO } else { Wide::ONE / Wide::ZERO };
    }
    let n = (x.to_f64() * std::f64::consts::LOG2_E).round() as i64;
    let rest = x - Wide::ln_2() * Wide::integer(n);
    (Wide::ONE + exp_minus_one(rest)).scaled(n)
}

/// ln x for x > 0.
pub(super) fn ln<const N: usize>(x: Wide<N>) -> Wide<N> {
    if x.is_zero() || x.is_negative() || !x.is_finite() {
        return Wide::ONE / Wide::ZERO;
    }
    // x = 2ⁿ f, f about 1
    let f = Wide { exponent: 0, ..x };
    let n = x.exponent;
    let (f, n) = if f.to_f64() < std::f64::consts::FRAC_1_SQRT_2 { (f.scaled(1), n - 1) } else { (f, n) };
    let rest = f - Wide::ONE;
    let log = if rest.magnitude() < -10 {
        Wide::ln_near_one(rest)
    } else {
        let guess = Wide::from_f64(f.to_f64().ln());
        guess + Wide::ln_near_one(f * exp(-guess) - Wide::ONE)
    };
    if n == 0 { log } else { log + Wide::ln_2() * Wide::integer(n) }
}

/// sin and cos of |x| ≤ 1 or so.
fn core<const N: usize>(x: Wide<N>) -> (Wide<N>, Wide<N>) {
    if x.is_zero() {
        return (x, Wide::ONE);
    }
    let (halvings, terms) = effort(Wide::<N>::BITS, x.magnitude());
    let r = x.scaled(-halvings);
    let square = -r.squared();
    let (mut s, mut v) = (Wide::ONE, Wide::ONE);
    for k in (1..=terms / 2 + 1).rev() {
        s = Wide::ONE + (square * s).over(2 * k * (2 * k + 1));
        v = Wide::ONE + (square * v).over((2 * k + 1) * (2 * k + 2));
    }
    let (mut s, mut v) = (r * s, (square * v).scaled(-1));
    for _ in 0..halvings {
        s = (s + s * v).scaled(1);
        v = (v.scaled(1) + v.squared()).scaled(1);
    }
    (s, Wide::ONE + v)
}

/// sin and cos of an angle with n quarter turns added.
fn quarter_turns<const N: usize>(n: i64, (s, c): (Wide<N>, Wide<N>)) -> (Wide<N>, Wide<N>) {
    match n.rem_euclid(4) {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// sin x and cos x for |x| < 2⁶⁰.
pub(super) fn sin_cos<const N: usize>(x: Wide<N>) -> (Wide<N>, Wide<N>) {
    if x.magnitude() > 60 {
        let none = Wide::ONE / Wide::ZERO;
        return (none, none);
    }
    let mut n = (x.to_f64() * std::f64::consts::FRAC_2_PI).round() as i64;
    let mut rest = x;
    // n times a piece of π of N − 1 limbs is exact
    let pieces = 1 + N.div_ceil(N - 1);
    for k in 0..pieces {
        let mut digits = [0; N];
        for j in 0..N - 1 {
            digits[N - 1 - j] = PI.get(k * (N - 1) + j).copied().unwrap_or(0);
        }
        let piece = Wide::normalised(false, 1 - (64 * k * (N - 1)) as i64, digits, 0);
        let product = piece.times(n.unsigned_abs());
        rest = if n < 0 { rest + product } else { rest - product };
    }
    // the quotient of doubles may be one off beyond 2⁵³
    while rest.magnitude() > 0 {
        let quarter = Wide::pi().scaled(-1);
        let backwards = rest.is_negative();
        n += if backwards { -1 } else { 1 };
        rest = if backwards { rest + quarter } else { rest - quarter };
    }
    quarter_turns(n, core(rest))
}

/// The angle of the point (x, y).
pub(super) fn atan2<const N: usize>(y: Wide<N>, x: Wide<N>) -> Wide<N> {
    if y.is_zero() {
        return if x.is_negative() { Wide::pi() } else { Wide::ZERO };
    }
    if x.is_zero() {
        let quarter = Wide::pi().scaled(-1);
        return if y.is_negative() { -quarter } else { quarter };
    }
    if !x.is_negative() && y.magnitude() - x.magnitude() < -10 {
        return series_of_odd_powers(y / x, true);
    }
    // bring both to the range of doubles, and rotate by the angle found there
    let scale = -y.magnitude().max(x.magnitude());
    let (x, y) = (x.scaled(scale), y.scaled(scale));
    let guess = Wide::from_f64(y.to_f64().atan2(x.to_f64()));
    let (s, c) = sin_cos(guess);
    guess + series_of_odd_powers((y * c - x * s) / (x * c + y * s), true)
}
