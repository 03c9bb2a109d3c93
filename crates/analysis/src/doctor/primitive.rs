//! The functions among which the primitive of a closed form is looked for.
//!
//! Liouville's theorem says what it is made of \[Bronstein2005\]. With the denominator Π f^n of the form θ,
//!
//! ```text
//! h = N / Π f^(n−1) + Σ c_f log f + Σ c arcs,       deg N ≤ deg θ + 1 + deg Π f^(n−1)             (1)
//! ```
//!
//! with the arcs of `arcs.rs`. On the levels of integrals that are known, these are numbers like others: c may contain them, and f may be a
//! factor of them. Exponentials are never zero and stay as they are.

use super::ansatz::{EXPONENTS, Generators, Term, gradient};
use super::budget::INTEGRAL_TERMS;
use super::integrals::Search;
use polhode_expr::{AngleBasis, Exponent, Expr, Fraction, Function, Graph, MAX_TERMS, Node, Ring, Symbol};
use polhode_poly::{Monomial, Poly, factor};

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
    (terms.len() <= INTEGRAL_TERMS && terms.iter().all(fits))
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
pub(super) struct Shape<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) ring: Ring,
    fractions: Vec<Fraction>,
    /// f with the highest power n.
    denominator: Vec<(Poly, u32)>,
}

/// What a variable of the ring is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Atom {
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
    pub(super) fn atom(&self, graph: &Graph, v: usize) -> Atom {
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
            if next.len() > INTEGRAL_TERMS {
                return None;
            }
            products = next;
        }
        // products of two letters, if there is room
        let simple: Vec<Piece> = letters.iter().filter(|(d, _)| *d == 1).cloned().collect();
        for (i, (_, a)) in simple.iter().enumerate() {
            letters.extend(simple[..i].iter().map(|(_, b)| (2, [&a[..], b].concat())));
        }
        if products.len() * (letters.len() + 1) <= INTEGRAL_TERMS {
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
}

/// The degree of a polynomial in some variables together.
fn degree_in(p: &Poly, mask: &dyn Fn(usize) -> bool) -> i32 {
    let degree = |m: &Monomial| m.iter().filter(|(v, _)| mask(*v)).map(|(_, k)| i32::from(k)).sum();
    p.terms().iter().map(|(m, _)| degree(m)).max().unwrap_or(0)
}
