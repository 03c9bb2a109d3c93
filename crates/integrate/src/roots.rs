//! All roots of a smooth function on an interval.
//!
//! The function is replaced by its interpolant in Chebyshev polynomials,
//!
//! ```text
//! f(t) ≈ p(x) = Σ_{k=0}^{n} c_k T_k(x),     t = ½(a + b) + ½(b − a) x,                     (R1)
//! ```
//!
//! through the points x_j = cos(πj/n) for n = 8, 16, 32, each set containing the one before, until
//! the last coefficients are negligible beside the largest |f|; where n = 32 does not suffice the
//! interval is split. As |T_k| ≤ 1,
//!
//! ```text
//! |c₀| > Σ_{k≥1} |c_k| + error     ⇒     p has one sign,                                   (R2)
//! ```
//!
//! which excludes most steps of a motion after nine values, and these need not be exact
//! (`Finder::outline`). They also tell which functions are all but straight lines, with one root or none. Otherwise (R2) is applied to p, p′ and
//! p″ on smaller and smaller pieces: a piece of one sign has no root, a monotone piece at most one,
//! a convex piece is cut at its extremum into two monotone ones. Where the values of p drown in
//! its own error, f is interpolated anew on that piece alone. Roots are polished on f itself.
//! Source for interpolation and for roots by subdivision: [Trefethen2013, ch. 3, 18].
//!
//! Roots belong to the half-open interval (a, b]: an exact zero at a belongs to the interval that
//! ends there. With b < a the interval is walked backwards; roots come in the order of the walk,
//! and `Rising` means rising along it.
//!
//! Not here: what the function is (`drive.rs` asks for guards along a step).

use std::f64::consts::PI;

/// Highest degree of an interpolant.
const DEGREE: usize = 32;
/// The last coefficients of an interpolant are this small beside the largest |f|.
const CONVERGED: f64 = 1e-11;
/// Rounding errors of an interpolant, relative to the sum of its coefficients.
const ROUNDING: f64 = 4e-16;
/// Where pieces are cut, in x: off the middle, so that the extremum of an even function does not
/// fall on a cut.
const CUT: f64 = 0.012_345_678_9;
/// An extremum this close to an end, in x, lies on it.
const END: f64 = 1e-9;
/// Secants are drawn through points at least this many tolerances apart.
const SECANT: f64 = 1e4;
/// Deepest nesting of cuts.
const DEPTH: u32 = 60;
/// Values of the function after which only changes of sign between known points are reported.
const EFFORT: usize = 50_000;

/// How the function meets zero, walking from a to b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// The sign is the same on both sides.
    Touching,
}

impl Crossing {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Crossing::Rising => "rising",
            Crossing::Falling => "falling",
            Crossing::Touching => "touching",
        }
    }

    /// That of a function that changes its sign.
    pub fn of_sign(rises: bool) -> Crossing {
        if rises { Crossing::Rising } else { Crossing::Falling }
    }
}

/// A root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// Where.
    pub t: f64,
    /// How.
    pub kind: Crossing,
}

/// What a few values tell of a function.
#[derive(Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one at a time, looked at where it is made")]
pub(crate) enum Outline {
    /// It has clearly no root: it is twice as far from zero as its values are apart, or (R2) holds with a quarter to spare.
    OneSign,
    /// Its derivative changes by less than half: it has no more than one root. With the coefficients of the function and of its derivative.
    Straight { c: [f64; DEGREE + 1], d: [f64; DEGREE + 1] },
    /// Anything may happen.
    Any,
}

/// Finds all roots of smooth functions. It holds tables only; nothing is allocated by a search
/// beyond what the list of roots needs.
#[derive(Clone, Debug)]
pub struct Finder {
    accuracy: f64,
    touching: f64,
    /// Times are multiples of this, whatever the size of those that are asked for.
    grain: f64,
    // cos(πj/32), j = 0 … 64
    cosines: [f64; 2 * DEGREE + 1],
    // T_k on the part of [−1, 1] before and after the cut, in the T_j of that part; j ≤ k
    before: Box<[[f64; DEGREE + 1]; DEGREE + 1]>,
    after: Box<[[f64; DEGREE + 1]; DEGREE + 1]>,
}

impl Default for Finder {
    fn default() -> Finder {
        Finder::new(0.0, 1e-13)
    }
}

/// A polynomial Σ c_k T_k(x) on a piece [s, e] of time, off from f by at most `error`.
#[derive(Clone, Copy)]
struct Piece {
    n: usize,
    c: [f64; DEGREE + 1],
    s: f64,
    e: f64,
    error: f64,
    /// Its part of the interval of interpolation, for the errors of derivatives.
    width: f64,
    depth: u32,
}

impl Piece {
    fn time(&self, x: f64) -> f64 {
        if x <= -1.0 {
            self.s
        } else if x >= 1.0 {
            self.e
        } else {
            0.5 * ((1.0 - x) * self.s + (1.0 + x) * self.e)
        }
    }

    /// (c₀, Σ_{k≥1} |c_k|).
    fn bound(c: &[f64]) -> (f64, f64) {
        (c[0], c[1..].iter().map(|c| c.abs()).sum())
    }

    /// Σ c_k T_k(x) by Clenshaw's recurrence.
    fn sum(c: &[f64], x: f64) -> f64 {
        let (mut u, mut v) = (0.0, 0.0);
        for &c in c[1..].iter().rev() {
            (u, v) = (2.0 * x * u - v + c, u);
        }
        x * u - v + c[0]
    }

    fn value(&self, x: f64) -> f64 {
        Piece::sum(&self.c[..=self.n], x)
    }

    /// Coefficients of the derivative: d_{k−1} = d_{k+1} + 2k c_k, and half of it for d₀.
    fn derivative(n: usize, c: &[f64; DEGREE + 1]) -> [f64; DEGREE + 1] {
        let mut d = [0.0; DEGREE + 1];
        for k in (1..=n).rev() {
            d[k - 1] = 2.0 * k as f64 * c[k] + if k < n { d[k + 1] } else { 0.0 };
        }
        d[0] *= 0.5;
        d
    }
}

/// What one search knows.
struct Search<'a> {
    finder: &'a Finder,
    f: &'a mut dyn FnMut(f64) -> f64,
    a: f64,
    b: f64,
    /// Largest |f| seen.
    scale: f64,
    values: usize,
    first: usize,
    out: &'a mut Vec<Root>,
}

impl Finder {
    /// Roots are found to `accuracy·|t|` in time, or to the last digits when it is 0; an extremum
    /// without change of sign is a contact when there |f| ≤ `touching` times the largest |f| of the
    /// interval.
    pub fn new(accuracy: f64, touching: f64) -> Finder {
        let mut cosines = [0.0; 2 * DEGREE + 1];
        for (j, c) in cosines.iter_mut().enumerate() {
            // exact zeros and exact symmetry
            let k = if j <= DEGREE { j } else { 2 * DEGREE - j };
            *c = match (2 * k).cmp(&DEGREE) {
                std::cmp::Ordering::Less => (PI * k as f64 / DEGREE as f64).cos(),
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Greater => -(PI * (DEGREE - k) as f64 / DEGREE as f64).cos(),
            };
        }
        Finder {
            accuracy,
            touching,
            grain: 0.0,
            cosines,
            before: part(0.5 * (1.0 + CUT), 0.5 * (CUT - 1.0)),
            after: part(0.5 * (1.0 - CUT), 0.5 * (CUT + 1.0)),
        }
    }

    /// Says that the function takes times in multiples of this only, as where they count from a late start: closer interpolation is in vain.
    pub fn set_grain(&mut self, grain: f64) {
        self.grain = grain;
    }

    /// Appends the roots of `f` in (a, b] to `out`, in the order met when walking from a to b.
    ///
    /// A function that is zero throughout has none. Where values are not finite nothing is
    /// reported; what lies on either side is still found.
    pub fn find(&mut self, f: &mut dyn FnMut(f64) -> f64, a: f64, b: f64, out: &mut Vec<Root>) {
        if a == b || !a.is_finite() || !b.is_finite() {
            return;
        }
        let first = out.len();
        Search { finder: self, f, a, b, scale: 0.0, values: 0, first, out }.interval(a, b, 0);
    }

    /// The times in [a, b] that values are first wanted at, from b to a without a itself.
    pub(crate) fn first_times(&self, a: f64, b: f64) -> [f64; 8] {
        std::array::from_fn(|j| {
            let x = self.cosines[j * DEGREE / 8];
            if j == 0 { b } else { 0.5 * ((1.0 - x) * a + (1.0 + x) * b) }
        })
    }

    /// What nine values of a function tell of it: those at [`Finder::first_times`], right to a few hundredths of what they change, and that at a.
    pub(crate) fn outline(&self, v: &[f64; 9]) -> Outline {
        let (low, high) = v.iter().fold((v[0], v[0]), |(low, high), v| (low.min(*v), high.max(*v)));
        if !v.iter().all(|v| v.is_finite()) {
            return Outline::Any;
        }
        let one_sign = low > 0.0 || high < 0.0;
        if one_sign && low.abs().min(high.abs()) >= 2.0 * (high - low) {
            return Outline::OneSign;
        }
        let mut values = [0.0; DEGREE + 1];
        values[..9].copy_from_slice(v);
        let c = self.coefficients(8, &values);
        let tail = c[6].abs().max(c[7].abs()).max(c[8].abs());
        let local = low.abs().max(high.abs());
        let (c0, rest) = Piece::bound(&c[..9]);
        if tail >= 0.01 * local {
            return Outline::Any;
        }
        if one_sign && c0.abs() > 1.25 * rest + 10.0 * tail + self.touching * local {
            return Outline::OneSign;
        }
        let d = Piece::derivative(8, &c);
        let (d0, drest) = Piece::bound(&d[..8]);
        // what is left out of a derivative grows with the square of the degree
        if d0.abs() > 2.0 * drest + 640.0 * tail { Outline::Straight { c, d } } else { Outline::Any }
    }

    /// Appends the root of a [`Outline::Straight`] function between a and b, where its values have opposite signs.
    pub(crate) fn find_straight(
        &mut self,
        f: &mut dyn FnMut(f64) -> f64,
        line: (&[f64; DEGREE + 1], &[f64; DEGREE + 1]),
        (a, fa): (f64, f64),
        (b, fb): (f64, f64),
        out: &mut Vec<Root>,
    ) {
        let (c, d) = (*line.0, line.1);
        let piece = Piece { n: 8, c, s: a, e: b, error: 0.0, width: 1.0, depth: 0 };
        let first = out.len();
        let mut search = Search { finder: self, f, a, b, scale: 0.0, values: 0, first, out };
        search.monotone(&piece, d, -1.0, fa, 1.0, fb);
    }

    /// Coefficients of the interpolant through `v[j] = f(x_j)`, j = 0 … n.
    fn coefficients(&self, n: usize, v: &[f64; DEGREE + 1]) -> [f64; DEGREE + 1] {
        let mut c = [0.0; DEGREE + 1];
        let stride = DEGREE / n;
        for k in 0..=n {
            let mut sum = 0.5 * (v[0] + if k % 2 == 0 { v[n] } else { -v[n] });
            for j in 1..n {
                sum += v[j] * self.cosines[(j * k % (2 * n)) * stride];
            }
            c[k] = sum * 2.0 / n as f64;
        }
        c[0] *= 0.5;
        c[n] *= 0.5;
        c
    }
}

/// T_k(α + βx), k = 0 … 32, in terms of T_j(x): rows by k, from the recurrence
/// T_{k+1}(z) = 2z T_k(z) − T_{k−1}(z).
fn part(beta: f64, alpha: f64) -> Box<[[f64; DEGREE + 1]; DEGREE + 1]> {
    let mut m = Box::new([[0.0; DEGREE + 1]; DEGREE + 1]);
    m[0][0] = 1.0;
    m[1][0] = alpha;
    m[1][1] = beta;
    for k in 1..DEGREE {
        for j in 0..=k + 1 {
            // x T_j = ½(T_{j+1} + T_{|j−1|})
            let below = if j == 0 { 0.0 } else { m[k][j - 1] * if j == 1 { 1.0 } else { 0.5 } };
            let above = if j < DEGREE { 0.5 * m[k][j + 1] } else { 0.0 };
            m[k + 1][j] = 2.0 * (alpha * m[k][j] + beta * (below + above)) - m[k - 1][j];
        }
    }
    m
}

/// Have the two numbers opposite signs? (Their product may be too small to say.)
fn opposite(a: f64, b: f64) -> bool {
    (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)
}

/// Two points between which f changes sign, in the order of the walk.
struct Bracket {
    lo: f64,
    flo: f64,
    hi: f64,
    fhi: f64,
}

impl Bracket {
    /// Takes in a value; tells whether it lies before the root.
    fn narrow(&mut self, t: f64, y: f64) -> bool {
        let before = opposite(y, if self.fhi == 0.0 { -self.flo } else { self.fhi });
        if before {
            (self.lo, self.flo) = (t, y);
        } else {
            (self.hi, self.fhi) = (t, y);
        }
        before
    }

    fn contains(&self, t: f64) -> bool {
        opposite(t - self.lo, t - self.hi)
    }
}

impl Search<'_> {
    fn eval(&mut self, t: f64) -> f64 {
        self.values += 1;
        (self.f)(t)
    }

    /// The roots of f in (s, e].
    fn interval(&mut self, s: f64, e: f64, depth: u32) {
        let mut v = [0.0; DEGREE + 1];
        let mut piece = Piece { n: 8, c: v, s, e, error: 0.0, width: 1.0, depth };
        let mut n = 8;
        // rounding of t moves the points of interpolation by this much in x
        let grain = (2.0 * f64::EPSILON * s.abs().max(e.abs())).max(self.finder.grain) / (e - s).abs();
        // x runs from 1 to −1 with j
        for j in 0..=n {
            v[j] = self.eval(piece.time(self.finder.cosines[j * DEGREE / n]));
        }
        loop {
            if !v[..=n].iter().all(|v| v.is_finite()) {
                let some = v[..=n].iter().any(|v| v.is_finite());
                // an edge beyond which there is nothing: what lies before it is still looked at
                if some && depth < DEPTH / 2 && self.values < EFFORT && !self.tiny(s, e) {
                    self.split(s, e, depth);
                }
                return;
            }
            let local = v[..=n].iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            if local == 0.0 {
                return;
            }
            self.scale = self.scale.max(local);
            piece.n = n;
            piece.c = self.finder.coefficients(n, &v);
            let tail = piece.c[n - n / 8 - 1..=n].iter().fold(0.0, |m: f64, c| m.max(c.abs()));
            let (c0, rest) = Piece::bound(&piece.c[..=n]);
            // coefficients decay at least as fast beyond n as they did up to it when n is enough
            // to see them decay at all
            let contact = self.finder.touching * self.scale;
            if tail < 0.01 * local && c0.abs() > rest + 10.0 * tail + contact {
                return;
            }
            piece.error = 4.0 * tail + ROUNDING * (c0.abs() + rest) + 4.0 * grain * rest;
            if tail <= (CONVERGED + grain) * local && (n == DEGREE || self.confirms(&piece)) {
                if depth > 0 && local <= self.finder.touching * self.scale && self.contact(&piece, &v) {
                    return;
                }
                self.pieces(&piece);
                return;
            }
            if n == DEGREE {
                if self.tiny(s, e) || depth >= DEPTH || self.values >= EFFORT || local <= 1e-13 * self.scale {
                    self.unresolved(s, e, v[n], v[0]);
                } else {
                    self.split(s, e, depth);
                }
                return;
            }
            for j in (1..=n).rev() {
                v[2 * j] = v[j];
            }
            n *= 2;
            for j in (1..n).step_by(2) {
                v[j] = self.eval(piece.time(self.finder.cosines[j * DEGREE / n]));
            }
        }
    }

    /// Does f agree with its interpolant between the points of interpolation? Polynomials of high
    /// degree can look like others of low degree on a few points.
    fn confirms(&mut self, p: &Piece) -> bool {
        let x = 0.062_831_853;
        (self.eval(p.time(x)) - p.value(x)).abs() <= 16.0 * p.error
    }

    fn split(&mut self, s: f64, e: f64, depth: u32) {
        let m = 0.5 * ((1.0 - CUT) * s + (1.0 + CUT) * e);
        self.interval(s, m, depth + 1);
        self.interval(m, e, depth + 1);
    }

    /// Is there hardly a number between s and e?
    fn tiny(&self, s: f64, e: f64) -> bool {
        (e - s).abs() <= (16.0 * f64::EPSILON * s.abs().max(e.abs())).max(8.0 * self.finder.grain)
    }

    /// All that can be said without an interpolant: a change of sign.
    fn unresolved(&mut self, s: f64, e: f64, fs: f64, fe: f64) {
        if opposite(fs, fe) || (fe == 0.0 && fs != 0.0) {
            self.polish(s, fs, e, fe, 0.5 * (s + e), (fe - fs) / (e - s));
        }
    }

    /// A stretch on which |f| is below the tolerance for contacts and has one sign: one contact,
    /// at the smallest |f|. False when there are signs to look at.
    fn contact(&mut self, piece: &Piece, v: &[f64; DEGREE + 1]) -> bool {
        let n = piece.n;
        if v[..=n].iter().any(|w| *w > 0.0) && v[..=n].iter().any(|w| *w < 0.0) {
            return false;
        }
        let least = (0..=n).min_by(|i, j| v[*i].abs().total_cmp(&v[*j].abs())).unwrap_or(0);
        let x = |j: usize| self.finder.cosines[j * DEGREE / n];
        let (mut lo, mut hi) = (piece.time(x((least + 1).min(n))), piece.time(x(least.saturating_sub(1))));
        // ternary search, by thirds
        for _ in 0..80 {
            let (p, q) = (lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0);
            if self.eval(p).abs() <= self.eval(q).abs() {
                hi = q;
            } else {
                lo = p;
            }
        }
        let mid = 0.5 * (lo + hi);
        let t = if self.eval(mid).abs() < v[least].abs() { mid } else { piece.time(x(least)) };
        // the smallest value on an edge belongs to the neighbour, if there is one
        let margin = 1e-6 * (piece.e - piece.s).abs();
        if (t - piece.s).abs() > margin && ((t - piece.e).abs() > margin || piece.e == self.b) {
            self.touch(t);
        }
        true
    }

    /// The roots of an interpolant.
    fn pieces(&mut self, p: &Piece) {
        let n = p.n;
        let (c0, rest) = Piece::bound(&p.c[..=n]);
        if c0.abs() > rest + p.error + self.finder.touching * self.scale {
            return;
        }
        let d = Piece::derivative(n, &p.c);
        let square = (n * n) as f64 * p.width;
        let (d0, drest) = Piece::bound(&d[..n]);
        if d0.abs() > drest + square * p.error {
            let (u, v) = (self.sided(p, -1.0), self.sided(p, 1.0));
            self.monotone(p, &d, -1.0, u, 1.0, v);
            return;
        }
        let dd = Piece::derivative(n - 1, &d);
        let (e0, erest) = Piece::bound(&dd[..n - 1]);
        if e0.abs() > erest + square * square * p.error {
            self.convex(p, &d, &dd);
            return;
        }
        if self.tiny(p.s, p.e) || p.depth >= DEPTH {
            let (fs, fe) = (self.eval(p.s), self.eval(p.e));
            self.unresolved(p.s, p.e, fs, fe);
        } else if p.width < 0.5 && c0.abs() + rest <= 64.0 * p.error {
            self.interval(p.s, p.e, p.depth + 1);
        } else {
            let m = p.time(CUT);
            for (table, s, e, part) in
                [(&self.finder.before, p.s, m, 0.5 * (1.0 + CUT)), (&self.finder.after, m, p.e, 0.5 * (1.0 - CUT))]
            {
                let mut c = [0.0; DEGREE + 1];
                for k in 0..=n {
                    for j in 0..=k {
                        c[j] += table[k][j] * p.c[k];
                    }
                }
                self.pieces(&Piece { c, s, e, width: p.width * part, depth: p.depth + 1, ..*p });
            }
        }
    }

    /// f at a point of a piece: the interpolant where its sign is beyond doubt, else f itself.
    fn sided(&mut self, p: &Piece, x: f64) -> f64 {
        let v = p.value(x);
        if v.abs() > p.error { v } else { self.eval(p.time(x)) }
    }

    /// A piece on which p″ has one sign: p′ has at most one root.
    fn convex(&mut self, p: &Piece, d: &[f64; DEGREE + 1], dd: &[f64; DEGREE + 1]) {
        let (d, dd) = (&d[..p.n], &dd[..p.n - 1]);
        // an extremum on the first point belongs to the interval before, one on the last point to this
        let mut lo = if p.s == self.a { -1.0 + END } else { -1.0 };
        let mut hi = if p.e == self.b { 1.0 + END } else { 1.0 };
        let (dlo, dhi) = (Piece::sum(d, lo), Piece::sum(d, hi));
        let (u, v) = (self.sided(p, -1.0), self.sided(p, 1.0));
        let mut full = [0.0; DEGREE + 1];
        full[..p.n].copy_from_slice(d);
        if !opposite(dlo, dhi) {
            self.monotone(p, &full, -1.0, u, 1.0, v);
            return;
        }
        // bracketed Newton for p′ = 0
        let mut x = lo - dlo * (hi - lo) / (dhi - dlo);
        for _ in 0..60 {
            let y = Piece::sum(d, x);
            if (y < 0.0) == (dlo < 0.0) {
                lo = x;
            } else {
                hi = x;
            }
            let mut next = x - y / Piece::sum(dd, x);
            if !(next > lo && next < hi) {
                next = 0.5 * (lo + hi);
            }
            let step = (next - x).abs();
            x = next;
            if step <= 1e-15 {
                break;
            }
        }
        let x = x.min(1.0);
        let t = p.time(x);
        let w = if x == 1.0 { v } else { self.sided(p, x) };
        // contact: one sign on both sides, which an exact zero at an end does not tell, bent away from zero
        let outer = if u == 0.0 { v } else { u };
        let bent = !opposite(u, v) && outer != 0.0 && !opposite(dd[0], outer);
        if bent && !opposite(w, outer) && w.abs() <= self.finder.touching * self.scale {
            // f may still cross beside the extremum of its interpolant when both are tiny
            let w = self.eval(t);
            if !opposite(w, outer) {
                self.touch(t);
                return;
            }
        }
        if x < 1.0 {
            self.monotone(p, &full, -1.0, u, x, w);
            self.monotone(p, &full, x, w, 1.0, v);
        } else {
            self.monotone(p, &full, -1.0, u, 1.0, v);
        }
    }

    /// At most one root in (lo, hi], where f has the values (or signs) u and v at the ends.
    fn monotone(&mut self, p: &Piece, d: &[f64; DEGREE + 1], lo: f64, u: f64, hi: f64, v: f64) {
        if u == 0.0 || (v != 0.0 && !opposite(u, v)) {
            return;
        }
        let d = &d[..p.n];
        let half = 0.5 * (p.e - p.s);
        if v == 0.0 {
            self.cross(p.time(hi), u);
            return;
        }
        // first the root of p: bracketed Newton
        let (mut l, mut h, mut x) = (lo, hi, lo - u * (hi - lo) / (v - u));
        for _ in 0..60 {
            let y = p.value(x);
            if (y < 0.0) == (u < 0.0) {
                l = x;
            } else {
                h = x;
            }
            let mut next = x - y / Piece::sum(d, x);
            if !(next > l && next < h) {
                next = 0.5 * (l + h);
            }
            let step = (next - x).abs();
            x = next;
            if step <= 1e-14 {
                break;
            }
        }
        self.polish(p.time(lo), u, p.time(hi), v, p.time(x), Piece::sum(d, x) / half);
    }

    /// The root of f between s and e, where f has opposite signs, from a guess and a slope there.
    /// It ends with a change of sign of f itself between neighbouring numbers, or numbers as near as
    /// the accuracy asks for.
    fn polish(&mut self, s: f64, fs: f64, e: f64, fe: f64, guess: f64, slope: f64) {
        let mut bracket = Bracket { lo: s, flo: fs, hi: e, fhi: fe };
        let tolerance = (self.finder.accuracy.max(f64::EPSILON) * guess.abs()).max(self.finder.grain);
        // Newton's method, then secants, as long as a step gains a digit
        let (mut t, mut last, mut slope) = (guess, (e - s).abs(), slope);
        let mut y = self.eval(t);
        let mut before = bracket.narrow(t, y);
        while y != 0.0 && last > tolerance {
            let step = y / slope;
            if !bracket.contains(t - step) || step.abs() > 0.1 * last {
                break;
            }
            let here = (t, y);
            (t, last) = (t - step, step.abs());
            y = self.eval(t);
            before = bracket.narrow(t, y);
            // near the root differences of values are rounding
            if last > SECANT * tolerance {
                slope = (y - here.1) / (t - here.0);
            }
        }
        // the other side of the root, not far from this one
        let mut reach = if e > s { 1.0 } else { -1.0 } * tolerance.max(f64::MIN_POSITIVE);
        while y != 0.0 {
            t = if before { bracket.lo + reach } else { bracket.hi - reach };
            if !bracket.contains(t) {
                break;
            }
            y = self.eval(t);
            if bracket.narrow(t, y) != before {
                break;
            }
            reach *= 8.0;
        }
        while y != 0.0 && (bracket.hi - bracket.lo).abs() > tolerance {
            t = bracket.lo + 0.5 * (bracket.hi - bracket.lo);
            if t == bracket.lo || t == bracket.hi {
                break;
            }
            y = self.eval(t);
            bracket.narrow(t, y);
        }
        self.cross(if bracket.flo.abs() < bracket.fhi.abs() { bracket.lo } else { bracket.hi }, fs);
    }

    /// Reports a crossing at t, where f had the sign of `before`. When f(a) is not zero but rounding
    /// puts the root there, it is the next number.
    fn cross(&mut self, t: f64, before: f64) {
        let next = if self.b > self.a { self.a.next_up() } else { self.a.next_down() };
        let t = if t == self.a { next } else { t };
        self.out.push(Root { t, kind: if before < 0.0 { Crossing::Rising } else { Crossing::Falling } });
    }

    /// Reports a contact, once: two with nothing but contact between them are one.
    fn touch(&mut self, t: f64) {
        if t == self.a {
            return;
        }
        if let Some(&Root { t: last, kind: Crossing::Touching }) = self.out[self.first..].last() {
            let (between, here, there) = (self.eval(0.5 * (t + last)), self.eval(t), self.eval(last));
            if between.abs() <= self.finder.touching * self.scale {
                if here.abs() < there.abs() {
                    let place = self.out.len() - 1;
                    self.out[place].t = t;
                }
                return;
            }
        }
        self.out.push(Root { t, kind: Crossing::Touching });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(f: impl Fn(f64) -> f64) -> bool {
        let finder = Finder::default();
        let times = finder.first_times(-1.0, 1.0);
        let mut v = [f(-1.0); 9];
        v[..8].iter_mut().zip(times).for_each(|(v, t)| *v = f(t));
        finder.outline(&v) == Outline::OneSign
    }

    /// a + cos(wt + p), also faster than nine values tell: never with a root, and mostly where it is slow and far from one.
    #[test]
    fn only_functions_without_roots_keep_their_sign() {
        let (mut clear, mut kept) = (0, 0);
        for i in 0..100 {
            for j in 0..40 {
                let (a, w, p) = (f64::from(j) * 0.1, f64::from(i) * 0.12, f64::from(i * j) * 0.7);
                let f = |t: f64| a + (w * t + p).cos();
                let values = || (0..=4000).map(|k| f(f64::from(k) / 2000.0 - 1.0));
                let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
                if keeps(f) {
                    assert!(low > 0.0 || high < 0.0, "{a} + cos({w} t + {p})");
                    kept += usize::from(low > 1.0 && w < 3.0);
                }
                clear += usize::from(low > 1.0 && w < 3.0);
            }
        }
        assert!(kept * 10 > clear * 6, "{kept} of {clear}");
    }

    /// The root of a function that is all but straight, from values that are right to two digits only.
    #[test]
    fn straight_functions_have_their_root_from_rough_values() {
        for j in 1..200 {
            let (root, bend) = (-1.0 + f64::from(j) * 0.01, f64::from(j % 7) * 0.03);
            let f = |t: f64| (t - root) * (1.0 + bend * t);
            let mut finder = Finder::default();
            let mut v = [f(-1.0); 9];
            let times = finder.first_times(-1.0, 1.0);
            v[..8].iter_mut().zip(times).for_each(|(v, t)| *v = f(t) + 0.02 * (1.0 - t * t));
            let Outline::Straight { c, d } = finder.outline(&v) else { panic!("{root}, {bend}") };
            let (mut out, mut count) = (Vec::new(), 0);
            let mut counted = |t: f64| {
                count += 1;
                f(t)
            };
            finder.find_straight(&mut counted, (&c, &d), (-1.0, f(-1.0)), (1.0, f(1.0)), &mut out);
            assert_eq!(out.len(), 1);
            assert!((out[0].t - root).abs() <= 4e-16, "{root}: {}", out[0].t);
            assert!(count <= 12, "{count} values");
        }
        let wave = |t: f64| (3.0 * t).sin();
        let v: Vec<f64> = Finder::default().first_times(-1.0, 1.0).into_iter().chain([-1.0]).map(wave).collect();
        assert_eq!(Finder::default().outline(&v.try_into().expect("nine")), Outline::Any);
    }

    #[test]
    fn values_that_are_not_finite_exclude_nothing() {
        assert!(keeps(|_| 1.0) && keeps(|t| t - 3.0));
        assert!(!keeps(|_| 0.0));
        assert!(!keeps(|t| if t > 0.9 { f64::NAN } else { 1.0 }));
        assert!(!keeps(|t| if t > 0.9 { f64::INFINITY } else { 1.0 }));
    }
}
