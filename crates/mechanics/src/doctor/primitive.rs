//! The functions among which the primitive of a closed form is looked for.
//!
//! Liouville's theorem says what it is made of \[Bronstein2005\]. With the denominator Π f^n of the form θ,
//!
//! ```text
//! h = N / Π f^(n−1) + Σ c_f log f + Σ c arcs,       deg N ≤ deg θ + 1 + deg Π f^(n−1)             (1)
//! ```
//!
//! where a factor f = a v² + b v + c that is irreducible has besides its logarithm one *arc*. With Δ = b² − 4ac = ∓d z², d a number,
//!
//! ```text
//! (1/√d) atan2(2av + b, √d z),     (1/√d) log((2av + b − √d z)/(2av + b + √d z))/2                   (2)
//!     both with the derivative (z dy − y dz)/(y² ± d z²),   y = 2av + b.
//! ```
//!
//! v is a coordinate, or tan(α/2) = sin α/(1 + cos α) for an angle. On the levels of integrals that are known, these are numbers
//! like others: c may contain them, and f may be a factor of them. Exponentials are never zero and stay as they are.

use super::ansatz::{EXPONENTS, Generators, MOST_TERMS, StandIn, Term, gradient};
use super::integrals::Search;
use polhode_expr::number::{Rational, as_i64, ratio};
use polhode_expr::{AngleBasis, Exponent, Expr, Fraction, Function, Graph, MAX_TERMS, Node, Ring, Symbol};
use polhode_poly::{Monomial, Poly, factor, gcd};
use rustc_hash::FxHashMap;

/// Degree, and the powers of generators of a product.
type Piece = (u32, Vec<(usize, i32)>);

/// The generators and terms of (1) for a form; `None` where algebra does not reach, or there are too many terms.
pub(super) fn functions(
    search: &Search,
    graph: &mut Graph,
    theta: &[Expr],
    known: &[Expr],
) -> Option<(Generators, Vec<Term>)> {
    let mut roots: Vec<Expr> = theta.iter().chain(known).copied().collect();
    // logarithms and arcs that occur bring the poles of their derivatives
    let open = |e: &Expr| matches!(graph.node(*e), Node::Call(Function::Log, _) | Node::Atan2(..));
    let mut slopes: Vec<Expr> = graph.reachable(&roots).into_iter().filter(open).collect();
    slopes = slopes.into_iter().flat_map(|e| gradient(graph, search.forms, e)).collect();
    roots.extend(&slopes);
    let mut ring = Ring::new(graph, &roots, AngleBasis::Symbols, MAX_TERMS).ok()?;
    let mut fractions = ring.fractions(graph, &roots).ok()?;
    let mut levels = fractions.split_off(theta.len());
    let slopes = levels.split_off(known.len());
    let mut shape = Shape { search, ring, fractions, denominator: Vec::new() };
    shape.denominator = shape.common_denominator();
    let mut factors: Vec<Poly> = shape.denominator.iter().map(|(f, _)| f.clone()).collect();
    for level in &levels {
        factors.extend(factor(level.numerator()).factors.into_iter().map(|(f, _)| f));
    }
    for slope in &slopes {
        factors.extend(slope.denominator_factors().flat_map(|p| factor(p).factors).map(|(f, _)| f));
    }
    // x³ + y³ + z³ − 3xyz is no single factor beside x + y + z
    let parts: Vec<Poly> = factors.iter().flat_map(|f| factors.iter().filter_map(|g| f.div_exact(g))).collect();
    for p in parts.into_iter().filter(|p| !p.is_constant()) {
        if !factors.contains(&p) {
            factors.push(p);
        }
    }
    factors.retain(|f| shape.moves(graph, f));
    factors.dedup();
    let mut arcs = Vec::new();
    for f in &factors {
        shape.logarithms(graph, f, &mut arcs);
        shape.quadratic_arcs(graph, f, &mut arcs);
        shape.half_angle_arcs(graph, f, &mut arcs);
    }
    shape.root_arcs(graph, &mut arcs);
    let mut expressions = Vec::new();
    let mut terms = shape.quotients(graph, &mut expressions)?;
    // what the coefficients of arcs may be
    let mut coefficients: Vec<Piece> = vec![(0, Vec::new())];
    let letters: Vec<Expr> = search.parameters.iter().map(|p| graph.var(*p)).collect();
    for e in letters.into_iter().chain(known.iter().copied()) {
        let g = generator(&mut expressions, e);
        coefficients.push((1, vec![(g, 1)]));
    }
    for (i, (_, first)) in coefficients.clone().iter().enumerate().skip(1) {
        for (_, second) in coefficients.clone().iter().skip(1).take(i) {
            let both = if first == second { vec![(first[0].0, 2)] } else { [&first[..], &second[..]].concat() };
            coefficients.push((2, both));
        }
    }
    for arc in &arcs {
        let e = graph.var(arc.symbol);
        let g = generator(&mut expressions, e);
        for (degree, factors) in &coefficients {
            let factors = [&[(g, 1)], &factors[..]].concat();
            terms.push(Term { factors, degree: degree + 1, local: true });
        }
    }
    let fits = |t: &Term| t.factors.iter().all(|(_, k)| EXPONENTS.contains(k));
    (terms.len() <= MOST_TERMS && terms.iter().all(fits))
        .then(|| (Generators::with_stand_ins(graph, search.forms, expressions, arcs), terms))
}

fn generator(expressions: &mut Vec<Expr>, e: Expr) -> usize {
    match expressions.iter().position(|g| *g == e) {
        Some(i) => i,
        None => {
            expressions.push(e);
            expressions.len() - 1
        }
    }
}

/// What θ is made of.
struct Shape<'a> {
    search: &'a Search<'a>,
    ring: Ring,
    fractions: Vec<Fraction>,
    /// f with the highest power n.
    denominator: Vec<(Poly, u32)>,
}

/// What a variable of the ring is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atom {
    /// A coordinate, or time.
    Coordinate,
    /// A sine or cosine.
    Turn,
    Exponential,
    Root,
    Parameter,
    /// A logarithm, or another function of the constraints.
    Other,
}

impl Shape<'_> {
    fn atom(&self, graph: &Graph, v: usize) -> Atom {
        let e = self.ring.atoms()[v];
        match graph.node(e) {
            Node::Symbol(s) if self.is_coordinate(*s) => Atom::Coordinate,
            Node::Symbol(_) => Atom::Parameter,
            Node::Call(Function::Sin | Function::Cos, _) => Atom::Turn,
            Node::Call(Function::Exp, _) => Atom::Exponential,
            Node::Product { .. } => Atom::Root,
            _ => Atom::Other,
        }
    }

    fn is_coordinate(&self, s: Symbol) -> bool {
        self.search.forms.configuration.positions().contains(&s) || self.search.forms.time == Some(s)
    }

    /// Does a factor change, and can it vanish?
    fn moves(&self, graph: &Graph, f: &Poly) -> bool {
        let atoms = (0..self.ring.atoms().len()).filter(|v| f.degree(*v) > 0);
        let mut kinds = atoms.map(|v| self.atom(graph, v)).peekable();
        let lone_exponential = f.len() == 1 && kinds.clone().all(|k| k == Atom::Exponential);
        kinds.peek().is_some() && !lone_exponential && kinds.any(|k| k != Atom::Parameter)
    }

    fn common_denominator(&self) -> Vec<(Poly, u32)> {
        let mut out: Vec<(Poly, u32)> = Vec::new();
        for fraction in &self.fractions {
            let mut own: Vec<(Poly, u32)> = Vec::new();
            for (p, k) in fraction.denominator_powers() {
                for (f, m) in factor(p).factors {
                    match own.iter_mut().find(|(g, _)| *g == f) {
                        Some((_, n)) => *n += k * m,
                        None => own.push((f, k * m)),
                    }
                }
            }
            for (f, n) in own {
                match out.iter_mut().find(|(g, _)| *g == f) {
                    Some((_, most)) => *most = n.max(*most),
                    None => out.push((f, n)),
                }
            }
        }
        out
    }

    /// The degree of θ in some variables, as a fraction.
    fn degree(&self, mask: &dyn Fn(usize) -> bool) -> i32 {
        let one = |f: &Fraction| {
            let under: i32 = f.denominator_powers().map(|(p, k)| degree_in(p, mask) * k as i32).sum();
            degree_in(f.numerator(), mask) - under
        };
        self.fractions.iter().filter(|f| !f.is_zero()).map(one).max().unwrap_or(0)
    }

    /// N / Π f^(n−1): all products of powers up to the degrees of (1).
    fn quotients(&self, graph: &mut Graph, expressions: &mut Vec<Expr>) -> Option<Vec<Term>> {
        let kinds: Vec<Atom> = (0..self.ring.atoms().len()).map(|v| self.atom(graph, v)).collect();
        let is = |v: usize, kind: Atom| kinds[v] == kind;
        let lone = |f: &Poly| f.len() == 1 && (0..kinds.len()).all(|v| f.degree(v) == 0 || is(v, Atom::Exponential));
        let under: Vec<(&Poly, u32)> =
            self.denominator.iter().filter(|(f, n)| !lone(f) && *n > 1).map(|(f, n)| (f, n - 1)).collect();
        let over =
            |mask: &dyn Fn(usize) -> bool| -> i32 { under.iter().map(|(f, n)| degree_in(f, mask) * *n as i32).sum() };
        let highest = |mask: &dyn Fn(usize) -> bool, more: i32| (self.degree(mask) + more).max(0) + over(mask);
        let counted = |v: usize| !matches!(kinds[v], Atom::Exponential | Atom::Parameter);
        let total = ((self.degree(&counted) + 1).max(1) + over(&counted)) as u32;
        let mut groups: Vec<Vec<Piece>> = Vec::new();
        let powers = |expressions: &mut Vec<Expr>, e: Expr, range: std::ops::RangeInclusive<i32>, counts: bool| {
            let g = generator(expressions, e);
            range.filter(|k| *k != 0).map(|k| (if counts { k.unsigned_abs() } else { 0 }, vec![(g, k)])).collect()
        };
        let positions = self.search.forms.configuration.positions();
        let coordinates: Vec<Symbol> = positions.iter().copied().chain(self.search.forms.time).collect();
        for s in coordinates {
            let e = graph.var(s);
            let most = match self.ring.atoms().iter().position(|a| *a == e) {
                Some(v) => highest(&|w| w == v, 1),
                None if self.relevant(s) => 1,
                None => continue,
            };
            groups.push(powers(expressions, e, 1..=most, true));
        }
        for (s, c) in self.ring.angles() {
            let most = highest(&|v| v == s || v == c, 0);
            let (s, c) = (generator(expressions, self.ring.atoms()[s]), generator(expressions, self.ring.atoms()[c]));
            let turn = |k: i32| {
                [(k as u32, vec![(c, k)]), (k as u32, if k == 1 { vec![(s, 1)] } else { vec![(c, k - 1), (s, 1)] })]
            };
            groups.push((1..=most).flat_map(turn).collect());
        }
        let mut letters: Vec<Piece> = Vec::new();
        for (v, kind) in kinds.iter().enumerate() {
            let e = self.ring.atoms()[v];
            let own = |w: usize| w == v;
            match kind {
                Atom::Exponential => {
                    let least =
                        self.denominator.iter().filter(|(f, _)| lone(f) && f.degree(v) > 0).map(|(_, n)| *n as i32);
                    let least = -least.max().unwrap_or(0);
                    groups.push(powers(expressions, e, least..=highest(&own, 0), false));
                }
                Atom::Root => groups.push(powers(expressions, e, 1..=1, true)),
                Atom::Other => groups.push(powers(expressions, e, 1..=highest(&own, 1), true)),
                Atom::Parameter => {
                    let pieces: Vec<Piece> = powers(expressions, e, 1..=2, true);
                    letters.extend(pieces);
                }
                Atom::Coordinate | Atom::Turn => {}
            }
        }
        let mut products: Vec<Piece> = vec![(0, Vec::new())];
        for group in &groups {
            let mut next = products.clone();
            for (degree, factors) in &products {
                for (d, f) in group.iter().filter(|(d, _)| degree + d <= total) {
                    next.push((degree + d, [&factors[..], f].concat()));
                }
            }
            if next.len() > MOST_TERMS {
                return None;
            }
            products = next;
        }
        // products of two letters, if there is room
        let simple: Vec<Piece> = letters.iter().filter(|(d, _)| *d == 1).cloned().collect();
        for (i, (_, a)) in simple.iter().enumerate() {
            letters.extend(simple[..i].iter().map(|(_, b)| (2, [&a[..], b].concat())));
        }
        if products.len() * (letters.len() + 1) <= MOST_TERMS {
            let plain = products.clone();
            for (d, f) in &letters {
                products.extend(plain.iter().map(|(degree, factors)| (degree + d, [&factors[..], f].concat())));
            }
        }
        if !under.is_empty() {
            let parts: Vec<(Expr, Exponent)> =
                under.iter().map(|(f, n)| (self.ring.expand_to_expr(graph, f), Exponent::int(*n as i32))).collect();
            let q = graph.power_product(parts);
            let g = generator(expressions, q);
            products.iter_mut().for_each(|(_, f)| f.push((g, -1)));
        }
        let local = !under.is_empty();
        products.retain(|(_, f)| !f.is_empty());
        Some(products.into_iter().map(|(degree, factors)| Term { factors, degree, local }).collect())
    }

    /// Does any integral change along a coordinate that the form does not contain?
    fn relevant(&self, s: Symbol) -> bool {
        let velocities = self.search.forms.configuration.velocities();
        let factor = self.search.forms.configuration.factors().iter().find(|f| f.positions.contains(&s));
        match factor {
            Some(f) => {
                let columns: Vec<usize> =
                    f.velocities.iter().filter_map(|v| velocities.iter().position(|w| w == v)).collect();
                !columns.is_empty() && !self.search.is_free(&columns)
            }
            None => !self.search.is_free(&[velocities.len()]),
        }
    }

    /// log f, and those of 1 ± cos and 1 ± sin for the angles in f: sin² = (1 − cos)(1 + cos).
    fn logarithms(&self, graph: &mut Graph, f: &Poly, arcs: &mut Vec<StandIn>) {
        let e = self.ring.expand_to_expr(graph, f);
        let mut inside = vec![positive(graph, e)];
        for (s, c) in self.ring.angles() {
            if f.degree(s) == 0 && f.degree(c) == 0 {
                continue;
            }
            for v in [s, c] {
                let (one, x) = (graph.one(), self.ring.atoms()[v]);
                inside.extend([graph.add(one, x), graph.sub(one, x)]);
            }
        }
        for e in inside {
            let meaning = graph.log(e);
            let gradient = gradient(graph, self.search.forms, meaning);
            self.push(graph, meaning, gradient, arcs);
        }
    }

    fn push(&self, graph: &mut Graph, meaning: Expr, gradient: Vec<Expr>, arcs: &mut Vec<StandIn>) {
        if arcs.iter().all(|a| a.meaning != meaning) {
            let symbol = graph.symbol(&format!("#arc {}", meaning.index()));
            arcs.push(StandIn { symbol, meaning, gradient });
        }
    }

    /// (2) for y, z and the number ±d.
    fn arc(&self, graph: &mut Graph, y: Expr, z: Expr, d: i64, arcs: &mut Vec<StandIn>) {
        let size = graph.int(d.abs());
        let root = graph.sqrt(size);
        let wide = graph.mul(root, z);
        let plain = if d > 0 {
            graph.atan2(y, wide)
        } else {
            let (over, under) = (graph.sub(y, wide), graph.add(y, wide));
            let quotient = graph.div(over, under);
            let log = graph.log(quotient);
            graph.scale(log, &ratio(1, 2))
        };
        let meaning = graph.div(plain, root);
        let (dy, dz) = (gradient(graph, self.search.forms, y), gradient(graph, self.search.forms, z));
        let d = graph.int(d);
        let (yy, zz) = (graph.powi(y, 2), graph.powi(z, 2));
        let zz = graph.mul(d, zz);
        let under = graph.add(yy, zz);
        let slopes = dy
            .into_iter()
            .zip(dz)
            .map(|(dy, dz)| {
                let (a, b) = (graph.mul(z, dy), graph.mul(y, dz));
                let over = graph.sub(a, b);
                graph.div(over, under)
            })
            .collect();
        self.push(graph, meaning, slopes, arcs);
    }

    /// The arcs of a factor that is quadratic in a coordinate.
    fn quadratic_arcs(&self, graph: &mut Graph, f: &Poly, arcs: &mut Vec<StandIn>) {
        for v in 0..self.ring.atoms().len() {
            if f.degree(v) != 2 || self.atom(graph, v) != Atom::Coordinate {
                continue;
            }
            let [c, b, a] = &f.coefficients_in(v)[..] else { continue };
            let Some((d, z)) = discriminant(a, b, c) else { continue };
            if d == -1 {
                continue; // it would have been split
            }
            let Ok(ax) = a.add(a).mul(&Poly::variable(v)) else { continue };
            let (y, z) = without_common(&ax.add(b), &z);
            let (y, z) = (self.expression(graph, &y), self.expression(graph, &z));
            self.arc(graph, y, z, d, arcs);
        }
    }

    /// The arcs of A + B cos α + C sin α = ((A − B) t² + 2C t + A + B)/(1 + t²), t = tan(α/2).
    fn half_angle_arcs(&self, graph: &mut Graph, f: &Poly, arcs: &mut Vec<StandIn>) {
        for (s, c) in self.ring.angles() {
            if f.degree(s) > 1 || f.degree(c) > 1 || f.degree(s) + f.degree(c) == 0 {
                continue;
            }
            let zero = Poly::zero();
            let by_sine = f.coefficients_in(s);
            let plain = by_sine.first().unwrap_or(&zero).coefficients_in(c);
            let sine = by_sine.get(1).unwrap_or(&zero);
            if sine.degree(c) > 0 {
                continue;
            }
            let (constant, cosine) = (plain.first().unwrap_or(&zero), plain.get(1).unwrap_or(&zero));
            let (a, last) = (constant.sub(cosine), constant.add(cosine));
            let twice = sine.add(sine);
            let Some((d, z)) = discriminant(&a, &twice, &last) else { continue };
            let under = Poly::one().add(&Poly::variable(c));
            let (first, second) = (a.add(&a).mul(&Poly::variable(s)), twice.mul(&under));
            let (Ok(first), Ok(second), Ok(z)) = (first, second, z.mul(&under)) else { continue };
            let (y, z) = without_common(&first.add(&second), &z);
            let (y, z) = (self.expression(graph, &y), self.expression(graph, &z));
            self.arc(graph, y, z, d, arcs);
        }
    }

    /// ∫ dv/w for w = √(a v² + b v + c): an arc sine, or log(2av + b + 2√a w), for a = ±r². ∫ dv/(v w): an arc of w, or
    /// log(w + r), for c = ±r². r is a whole number.
    fn root_arcs(&mut self, graph: &mut Graph, arcs: &mut Vec<StandIn>) {
        for w in self.ring.atoms().to_vec() {
            let Node::Product { factors, .. } = graph.node(w).clone() else { continue };
            let [(base, _)] = &factors[..] else { continue };
            let Ok(fraction) = self.ring.fraction(graph, *base) else { continue };
            let p = fraction.numerator().clone();
            for v in 0..self.ring.atoms().len() {
                if p.degree(v) != 2 || self.atom(graph, v) != Atom::Coordinate {
                    continue;
                }
                let [c, b, a] = &p.coefficients_in(v)[..] else { continue };
                if let Some((c, root)) = square(c) {
                    let root = graph.int(root);
                    let meaning = if c < 0 {
                        graph.atan2(w, root)
                    } else {
                        let sum = graph.add(w, root);
                        graph.log(sum)
                    };
                    let slopes = gradient(graph, self.search.forms, meaning);
                    self.push(graph, meaning, slopes, arcs);
                }
                let Some((a, root)) = square(a) else { continue };
                let b = self.expression(graph, b);
                let y = graph.linear([(self.ring.atoms()[v], Rational::from(2 * a)), (b, Rational::from(1))]);
                let wide = graph.scale(w, &Rational::from(2 * root));
                let meaning = if a < 0 {
                    graph.atan2(y, wide)
                } else {
                    let sum = graph.add(y, wide);
                    graph.log(sum)
                };
                let slopes = gradient(graph, self.search.forms, meaning);
                self.push(graph, meaning, slopes, arcs);
            }
        }
    }

    fn expression(&self, graph: &mut Graph, p: &Poly) -> Expr {
        self.ring.expand_to_expr(graph, p)
    }
}

/// The degree of a polynomial in some variables together.
fn degree_in(p: &Poly, mask: &dyn Fn(usize) -> bool) -> i32 {
    let degree = |m: &Monomial| m.iter().filter(|(v, _)| mask(*v)).map(|(_, k)| i32::from(k)).sum();
    p.terms().iter().map(|(m, _)| degree(m)).max().unwrap_or(0)
}

/// (±d, z) with b² − 4ac = ∓d z², d a whole number without squares.
fn discriminant(a: &Poly, b: &Poly, c: &Poly) -> Option<(i64, Poly)> {
    let four = Poly::constant(4.into());
    let value = b.mul(b).ok()?.sub(&four.mul(a).ok()?.mul(c).ok()?);
    let split = factor(&value);
    let content = as_i64(&Rational::from(split.content))?;
    let (mut d, mut z) = (content.abs(), 1i64);
    for k in 2..1000 {
        while d % (k * k) == 0 {
            (d, z) = (d / (k * k), z * k);
        }
    }
    let mut root = Poly::constant(z.into());
    for (f, n) in split.factors {
        root = root.mul(&f.pow((n % 2 == 0).then_some(n / 2)?).ok()?).ok()?;
    }
    (d != 0).then_some((if content < 0 { d } else { -d }, root))
}

/// A whole number ±r² with r > 0.
fn square(p: &Poly) -> Option<(i64, i64)> {
    let a = p.as_constant().and_then(|a| as_i64(&Rational::from(a)))?;
    let root = (a.abs() as f64).sqrt().round() as i64;
    (root > 0 && root.checked_mul(root) == Some(a.abs())).then_some((a, root))
}

/// Both divided by what they share: their quotient is what counts.
fn without_common(y: &Poly, z: &Poly) -> (Poly, Poly) {
    let common = gcd(y, z);
    let over = |p: &Poly| p.div_exact(&common).unwrap_or_else(|| p.clone());
    (over(y), over(z))
}

/// A function or its negative: the one that is positive where all symbols are small and positive.
fn positive(graph: &mut Graph, e: Expr) -> Expr {
    let symbols = graph.free_symbols(&[e]);
    let values: FxHashMap<Symbol, f64> = symbols.iter().enumerate().map(|(i, s)| (*s, 0.5 + 0.1 * i as f64)).collect();
    match graph.evaluate_f64(e, &values) {
        Ok(x) if x < 0.0 => graph.neg(e),
        _ => e,
    }
}
