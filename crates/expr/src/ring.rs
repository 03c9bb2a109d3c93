//! The ring behind a set of expressions: which polynomial variable stands for what.
//!
//! An expression is a rational function of *atoms*: symbols, sines and cosines of
//! base angles, exponentials, roots, and whatever is opaque to algebra (log, atan2,
//! named functions). The atoms obey
//!
//! ```text
//! s² + c² = 1          for each base angle
//! w² = b               for each root w = √b of a polynomial b
//! R Rᵀ = 1, cof R = R  for each rotation matrix
//! ```
//!
//! Angles such as θ + φ and 2θ are whole combinations of base angles, and their
//! sines are expanded by e^{i(α+β)} = e^{iα} e^{iβ}. There are two natural choices
//! of base angles, the symbols themselves or the angles that occur ([`AngleBasis`]);
//! a trailer's equations are shorter in the second.

use crate::budget::ARGUMENTS;
use crate::equal::linear_parts;
use crate::graph::{Exponent, Expr, Function, Graph, Node, Relation};
use crate::number::{Rational, as_i64, int};
use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};
use polhode_poly::{Ideal, Limits, MAX_VARS, Order, Poly, TooLarge};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// Which angles sines and cosines are expressed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AngleBasis {
    /// One base angle per symbol (or monomial) that occurs in an angle.
    Symbols,
    /// The angles that occur, as far as the others are whole combinations of them.
    Occurring,
}

/// Why expressions could not be brought to canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCanonical {
    /// More than 32 atoms.
    TooManyAtoms,
    /// More terms, or higher powers, than the limit allows.
    TooLarge,
    /// A denominator is identically zero.
    DivisionByZero,
    /// Roots in a denominator that depend on each other, such as √(xy) and √x √y.
    DependentRoots,
}

impl From<TooLarge> for NotCanonical {
    fn from(_: TooLarge) -> NotCanonical {
        NotCanonical::TooLarge
    }
}

impl std::fmt::Display for NotCanonical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NotCanonical::TooManyAtoms => "more than 32 independent quantities",
            NotCanonical::TooLarge => "more terms than can be shown",
            NotCanonical::DivisionByZero => "a denominator vanishes identically",
            NotCanonical::DependentRoots => "roots that depend on each other in a denominator",
        })
    }
}

/// A base angle with the polynomial variables of its sine and cosine.
#[derive(Clone, Debug)]
pub(crate) struct Angle {
    pub(crate) sin: usize,
    pub(crate) cos: usize,
    /// cos − 1 and cos + 1, whose product is −sin².
    pub(crate) half_angles: (Poly, Poly),
    parts: Vec<(Expr, Rational)>,
}

/// The variables of the polynomials that stand for a set of expressions.
#[derive(Clone, Debug)]
pub struct Ring {
    /// The expression behind each variable.
    atoms: Vec<Expr>,
    index: FxHashMap<Expr, usize>,
    pub(crate) angles: Vec<Angle>,
    exponentials: Vec<(Vec<(Expr, Rational)>, usize)>,
    /// Variables v with v² = polynomial, kept at degree one: sines and roots. The
    /// polynomial has variables of earlier entries only.
    quadratics: Vec<(usize, Poly)>,
    rotations: Vec<Arc<Ideal>>,
    /// Triples of variables whose squares add up to 1: last rows of rotations, unit vectors.
    unit_triples: Vec<[usize; 3]>,
    pub(crate) max_terms: usize,
}

/// Linear combinations of monomials, as produced by `linear_parts`.
type Parts = Vec<(Expr, Rational)>;

impl Ring {
    /// The ring of the given expressions.
    pub fn new(graph: &mut Graph, roots: &[Expr], basis: AngleBasis, max_terms: usize) -> Result<Ring, NotCanonical> {
        let mut ring = Ring {
            atoms: Vec::new(),
            index: FxHashMap::default(),
            angles: Vec::new(),
            exponentials: Vec::new(),
            quadratics: Vec::new(),
            rotations: Vec::new(),
            unit_triples: Vec::new(),
            max_terms,
        };
        let (mut turns, mut exps): (Vec<Parts>, Vec<Parts>) = (Vec::new(), Vec::new());
        let nodes = ring.algebraic_nodes(graph, roots);
        ring.add_rotations(graph, &nodes)?;
        for &n in &nodes {
            if let Node::Call(f, a) = *graph.node(n) {
                let list = match f {
                    Function::Sin | Function::Cos => &mut turns,
                    Function::Exp => &mut exps,
                    Function::Log => continue,
                };
                let parts = linear_parts(graph, a).unwrap_or_else(|| vec![(a, int(1))]);
                if !list.contains(&parts) {
                    list.push(parts);
                }
                if list.len() > ARGUMENTS {
                    return Err(NotCanonical::TooManyAtoms);
                }
            }
        }
        for &n in &nodes {
            let opaque = match graph.node(n) {
                Node::Symbol(_) | Node::Pi | Node::Atan2(..) | Node::Apply { .. } | Node::Call(Function::Log, _) => {
                    Some(n)
                }
                _ => None,
            };
            if let Some(atom) = opaque {
                ring.variable(atom)?;
            }
        }
        for parts in angle_basis(&turns, basis) {
            let angle = graph.linear(parts.clone());
            let (s, c) = (graph.sin(angle), graph.cos(angle));
            let (sin, cos) = (ring.variable(s)?, ring.variable(c)?);
            let half_angles =
                (Poly::from_table(&[(1, &[(cos, 1)]), (-1, &[])]), Poly::from_table(&[(1, &[(cos, 1)]), (1, &[])]));
            ring.quadratics.push((sin, one_minus_square(cos)));
            ring.angles.push(Angle { sin, cos, half_angles, parts });
        }
        for parts in angle_basis(&exps, AngleBasis::Symbols) {
            let argument = graph.linear(parts.clone());
            let e = graph.exp(argument);
            let v = ring.variable(e)?;
            ring.exponentials.push((parts, v));
        }
        Ok(ring)
    }

    /// The nodes that algebra looks into: not the arguments of opaque functions.
    pub(crate) fn algebraic_nodes(&self, graph: &Graph, roots: &[Expr]) -> Vec<Expr> {
        let mut seen = vec![false; graph.len()];
        let mut stack = roots.to_vec();
        while let Some(e) = stack.pop() {
            if std::mem::replace(&mut seen[e.index()], true) {
                continue;
            }
            if matches!(graph.node(e), Node::Sum { .. } | Node::Product { .. }) {
                graph.for_each_operand(e, |o| stack.push(o));
            }
        }
        (0..graph.len()).filter(|i| seen[*i]).map(|i| Expr(i as u32)).collect()
    }

    /// The variable of an atom, made on first use.
    pub(crate) fn variable(&mut self, atom: Expr) -> Result<usize, NotCanonical> {
        if let Some(&v) = self.index.get(&atom) {
            return Ok(v);
        }
        if self.atoms.len() == MAX_VARS {
            return Err(NotCanonical::TooManyAtoms);
        }
        self.atoms.push(atom);
        self.index.insert(atom, self.atoms.len() - 1);
        Ok(self.atoms.len() - 1)
    }

    /// The expression a variable stands for.
    pub(crate) fn atom(&self, variable: usize) -> Expr {
        self.atoms[variable]
    }

    /// The expressions behind all variables.
    pub fn atoms(&self) -> &[Expr] {
        &self.atoms
    }

    /// The variables that are reduced to degree one, with their squares, in an order in
    /// which a square has none of the variables before it: what is removed stays removed.
    pub(crate) fn quadratics(&self) -> impl Iterator<Item = (usize, &Poly)> {
        self.quadratics.iter().rev().map(|(v, square)| (*v, square))
    }

    /// Says that variable `w` squared is the polynomial `square`.
    pub(crate) fn add_root(&mut self, w: usize, square: Poly) {
        if !self.quadratics.iter().any(|(v, _)| *v == w) {
            self.quadratics.push((w, square));
        }
    }

    /// A rotation matrix or unit vector of which at least two entries occur brings its
    /// relations along. These variables come first, so that their ideals can be shared.
    fn add_rotations(&mut self, graph: &mut Graph, nodes: &[Expr]) -> Result<(), NotCanonical> {
        let mut relations = graph.relations().to_vec();
        relations.sort_by_key(|r| matches!(r, Relation::UnitVector(_)));
        for relation in relations {
            let symbols = match &relation {
                Relation::Rotation(s) => &s[..],
                Relation::UnitVector(s) => &s[..],
            };
            let present = nodes.iter().filter(|n| graph.as_symbol(**n).is_some_and(|s| symbols.contains(&s))).count();
            let first = self.atoms.len();
            if present < 2 || first + symbols.len() > MAX_VARS {
                continue;
            }
            for s in symbols {
                let e = graph.var(*s);
                self.variable(e)?;
            }
            let ideal = match relation {
                Relation::Rotation(_) => rotation_ideal(first),
                Relation::UnitVector(_) => sphere_ideal(first),
            };
            self.rotations.extend(ideal);
            let last = self.atoms.len();
            self.unit_triples.push([last - 3, last - 2, last - 1]);
        }
        Ok(())
    }

    /// sin and cos of an angle (as a stored argument) as polynomials.
    pub(crate) fn turn(&self, graph: &mut Graph, argument: Expr) -> Result<(Poly, Poly), NotCanonical> {
        let parts = linear_parts(graph, argument).unwrap_or_else(|| vec![(argument, int(1))]);
        let basis: Vec<&[(Expr, Rational)]> = self.angles.iter().map(|a| &a.parts[..]).collect();
        let whole = whole_combination(&parts, &basis).ok_or(NotCanonical::TooLarge)?;
        let (mut cos, mut sin) = (Poly::one(), Poly::zero());
        for (angle, k) in self.angles.iter().zip(whole) {
            let c = Poly::variable(angle.cos);
            let s = if k < 0 { Poly::variable(angle.sin).neg() } else { Poly::variable(angle.sin) };
            for _ in 0..k.unsigned_abs().min(200) {
                let next_cos = self.reduce(&cos.mul(&c)?.sub(&sin.mul(&s)?))?;
                sin = self.reduce(&cos.mul(&s)?.add(&sin.mul(&c)?))?;
                cos = next_cos;
            }
        }
        Ok((sin, cos))
    }

    /// exp of an argument as (numerator, denominator) monomials.
    pub(crate) fn exponential(&self, graph: &mut Graph, argument: Expr) -> Result<(Poly, Poly), NotCanonical> {
        let parts = linear_parts(graph, argument).unwrap_or_else(|| vec![(argument, int(1))]);
        let basis: Vec<&[(Expr, Rational)]> = self.exponentials.iter().map(|(p, _)| &p[..]).collect();
        let whole = whole_combination(&parts, &basis).ok_or(NotCanonical::TooLarge)?;
        let (mut num, mut den) = (Poly::one(), Poly::one());
        for ((_, v), k) in self.exponentials.iter().zip(whole) {
            let power = Poly::variable(*v).pow(u32::try_from(k.unsigned_abs()).map_err(|_| NotCanonical::TooLarge)?)?;
            if k >= 0 {
                num = num.mul(&power)?;
            } else {
                den = den.mul(&power)?;
            }
        }
        Ok((num, den))
    }

    /// The relations between the variables: s² + c² − 1, w² − b, and those of rotations and unit vectors.
    pub fn relations(&self) -> Vec<Poly> {
        let squares = self.quadratics.iter().filter_map(|(v, b)| Some(Poly::variable(*v).pow(2).ok()?.sub(b)));
        squares.chain(self.rotations.iter().flat_map(|ideal| ideal.basis())).collect()
    }

    /// The variables (sine, cosine) of each base angle.
    pub fn angles(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.angles.iter().map(|a| (a.sin, a.cos))
    }

    /// The normal form of a polynomial: sines and roots at most linear.
    pub fn reduce(&self, p: &Poly) -> Result<Poly, NotCanonical> {
        let mut p = p.clone();
        for (v, square) in self.quadratics() {
            if p.degree(v) > 1 {
                p = p.substitute_square(v, square, self.max_terms)?;
            }
        }
        Ok(p)
    }

    /// Reduces by the relations of rotation matrices and unit vectors: `p = out / denominator`.
    /// Not part of [`Ring::reduce`] because it can lengthen factored forms; it is
    /// applied to numerators, where it decides zero.
    pub(crate) fn reduce_rotations(&self, p: &Poly) -> (Poly, IBig) {
        let mut out = p.clone();
        let mut denominator = IBig::ONE;
        for ideal in &self.rotations {
            if let Ok((q, d)) = ideal.normal_form(&out) {
                out = q;
                denominator *= d;
            }
        }
        (out, denominator)
    }

    /// Does the ring have relations that [`Ring::reduce`] leaves out?
    pub(crate) fn has_rotations(&self) -> bool {
        !self.rotations.is_empty()
    }

    /// Other writings of a polynomial that contains squares of a unit vector's components:
    /// one of the three squares replaced by 1 minus the others.
    pub(crate) fn unit_vector_writings(&self, p: &Poly) -> Result<Vec<Poly>, NotCanonical> {
        let mut out = Vec::new();
        for &[a, b, c] in &self.unit_triples {
            for (v, others) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
                if p.degree(v) > 1 {
                    let square = Poly::from_table(&[(1, &[]), (-1, &[(others[0], 2)]), (-1, &[(others[1], 2)])]);
                    out.push(p.substitute_square(v, &square, self.max_terms)?);
                }
            }
        }
        Ok(out)
    }

    /// The same polynomial with cos² replaced by 1 − sin² for this angle instead.
    pub(crate) fn prefer_sine(&self, p: &Poly, angle: &Angle) -> Result<Poly, NotCanonical> {
        if p.degree(angle.cos) < 2 {
            return Ok(p.clone());
        }
        Ok(p.substitute_square(angle.cos, &one_minus_square(angle.sin), self.max_terms)?)
    }
}

pub(crate) fn one_minus_square(variable: usize) -> Poly {
    Poly::from_table(&[(1, &[]), (-1, &[(variable, 2)])])
}

/// The ideal of SO(3) in nine variables from `first` on, row by row: rows and columns
/// orthonormal, every entry its own cofactor. Computed once per place.
fn rotation_ideal(first: usize) -> Option<Arc<Ideal>> {
    static PLACES: [OnceLock<Option<Arc<Ideal>>>; 3] = [const { OnceLock::new() }; 3];
    PLACES.get(first / 9)?.get_or_init(|| rotation_basis(first).ok().and_then(groebner)).clone()
}

fn rotation_basis(first: usize) -> Result<Vec<Poly>, TooLarge> {
    let at = |i: usize, j: usize| Poly::variable(first + 3 * i + j);
    let mut out = Vec::new();
    for i in 0..3 {
        for j in i..3 {
            let delta = if i == j { Poly::one() } else { Poly::zero() };
            let mut columns = delta.neg();
            let mut rows = delta.neg();
            for k in 0..3 {
                columns = columns.add(&at(k, i).mul(&at(k, j))?);
                rows = rows.add(&at(i, k).mul(&at(j, k))?);
            }
            out.push(columns);
            out.push(rows);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let cofactor = at(a, c).mul(&at(b, d))?.sub(&at(a, d).mul(&at(b, c))?);
            out.push(cofactor.sub(&at(i, j)));
        }
    }
    Ok(out)
}

/// The ideal of the unit sphere in three variables from `first` on.
fn sphere_ideal(first: usize) -> Option<Arc<Ideal>> {
    let squares: Vec<(i64, [(usize, u8); 1])> = (0..3).map(|i| (1, [(first + i, 2)])).collect();
    let mut table: Vec<(i64, &[(usize, u8)])> = squares.iter().map(|(c, m)| (*c, &m[..])).collect();
    table.push((-1, &[]));
    groebner(vec![Poly::from_table(&table)])
}

fn groebner(generators: Vec<Poly>) -> Option<Arc<Ideal>> {
    Ideal::new(&generators, Order::GradedReverseLex, &Limits::default()).ok().map(Arc::new)
}

/// A basis of the lattice of angles: see [`AngleBasis`].
fn angle_basis(angles: &[Parts], basis: AngleBasis) -> Vec<Parts> {
    if basis == AngleBasis::Occurring {
        let mut chosen: Vec<&[(Expr, Rational)]> = Vec::new();
        for a in angles {
            if chosen.len() <= MAX_VARS / 2 && rational_combination(a, &chosen).is_none() {
                chosen.push(a);
            }
        }
        if angles.iter().all(|a| whole_combination(a, &chosen).is_some()) {
            return chosen.into_iter().map(<[_]>::to_vec).collect();
        }
    }
    let mut units: Vec<(Expr, UBig)> = Vec::new();
    for (monomial, r) in angles.iter().flatten() {
        match units.iter_mut().find(|(m, _)| m == monomial) {
            Some((_, d)) => {
                let g = (&*d).gcd(r.denominator());
                *d = &*d / g * r.denominator();
            }
            None => units.push((*monomial, r.denominator().clone())),
        }
    }
    units.into_iter().map(|(m, d)| vec![(m, Rational::from_parts(IBig::ONE, d))]).collect()
}

/// The coefficients of `target` in the given vectors, if it is a combination of them.
fn rational_combination(target: &[(Expr, Rational)], vectors: &[&[(Expr, Rational)]]) -> Option<Vec<Rational>> {
    let mut monomials: Vec<Expr> = vectors.iter().flat_map(|v| v.iter()).chain(target).map(|(m, _)| *m).collect();
    monomials.sort();
    monomials.dedup();
    let entry = |v: &[(Expr, Rational)], m: Expr| v.iter().find(|(x, _)| *x == m).map_or(int(0), |(_, r)| r.clone());
    let n = vectors.len();
    let mut rows: Vec<Vec<Rational>> =
        monomials.iter().map(|m| vectors.iter().map(|v| entry(v, *m)).chain([entry(target, *m)]).collect()).collect();
    let mut used = 0;
    for j in 0..n {
        // The vectors are independent, so every column has a pivot.
        let p = (used..rows.len()).find(|i| !rows[*i][j].is_zero())?;
        rows.swap(used, p);
        let inverse = int(1) / &rows[used][j];
        rows[used].iter_mut().for_each(|x| *x *= &inverse);
        for i in 0..rows.len() {
            if i != used && !rows[i][j].is_zero() {
                let factor = rows[i][j].clone();
                for k in j..=n {
                    let step = &factor * &rows[used][k];
                    rows[i][k] -= step;
                }
            }
        }
        used += 1;
    }
    rows[used..].iter().all(|r| r[n].is_zero()).then(|| (0..n).map(|i| rows[i][n].clone()).collect())
}

fn whole_combination(target: &[(Expr, Rational)], vectors: &[&[(Expr, Rational)]]) -> Option<Vec<i64>> {
    rational_combination(target, vectors)?.iter().map(as_i64).collect()
}

/// The exponent split as `q + remainder` with 0 ≤ remainder < 1.
pub(crate) fn split_exponent(k: Exponent) -> (i32, Exponent) {
    (k.n.div_euclid(k.d), Exponent { n: k.n.rem_euclid(k.d), d: k.d })
}
