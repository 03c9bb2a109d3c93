//! The two flags of a distribution at a point.
//!
//! ```text
//! derived flag     D⁽⁰⁾ = D,   D⁽ᵏ⁺¹⁾ = D⁽ᵏ⁾ + [D⁽ᵏ⁾, D⁽ᵏ⁾]                                 (1)
//! growth vector    D₁ = D,     D_{k+1} = D_k + [D, D_k]                                     (2)
//! ```
//!
//! Both are chains of modules of smooth fields; the numbers are the dimensions of their values at the point, which may
//! stay the same and grow again. A module with k generators whose values are independent at the point is free
//! around it, and these generators are all it needs; where values depend on each other more than elsewhere all
//! generators are kept, except for those that are combinations of others to the order in question.
//!
//! A flag at a special point is followed until it reaches its generic dimension, or until `exact.rs` proves that it never does; between
//! these it is not complete.
//!
//! Fields are power series around the point over an exact field, so the numbers are exact for the point; at a
//! generic point they are wrong with the probability that a random element of F_p is a root of a given polynomial.

use super::budget::{BRACKET_LENGTH, FLAG_GENERATORS, FLAG_MULTIPLICATIONS, MODULE_BRACKETS};
use super::exact;
use super::jet::{Jet, Shape};
use super::local::{Chart, Local};
use polhode_expr::{Expr, Graph, Symbol};
use polhode_mechanics::rank::field::{Double, Field, Residue, Span, pivots};
use polhode_mechanics::rank::place::{NoValue, Place, Values};
use polhode_mechanics::rank::{in_either_field, rank};
use polhode_model::Configuration;

/// Modules of at most this many coefficients are compared as modules, not only as spaces.
const SMALL_MODULE: usize = 420;

/// Forms on the configuration space, or on space-time when `time` is set.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    pub(super) configuration: Configuration,
    /// Time, when it is a coordinate: the last column of the rows.
    pub(super) time: Option<Symbol>,
    /// The forms, as coefficients of the velocities (and of dt).
    pub(super) rows: Vec<Vec<Expr>>,
}

/// The dimensions of a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// One number per step, without repetitions at the end.
    pub dimensions: Vec<usize>,
    /// Whether it is known that nothing follows.
    pub complete: bool,
}

impl Flag {
    pub(super) fn new(mut dimensions: Vec<usize>, complete: bool) -> Flag {
        while dimensions.len() > 1 && dimensions[dimensions.len() - 1] == dimensions[dimensions.len() - 2] {
            dimensions.pop();
        }
        Flag { dimensions, complete }
    }

    /// The last dimension.
    pub fn last(&self) -> usize {
        self.dimensions.last().copied().unwrap_or(0)
    }
}

/// Derived flag and growth vector at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// (1).
    pub derived: Flag,
    /// (2).
    pub growth: Flag,
}

/// What was found at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AtPoint {
    pub(super) rank: usize,
    /// Absent where the rank has fallen.
    pub(super) flags: Option<Flags>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Derived,
    Growth,
}

impl Forms {
    /// The rank of the forms at a place.
    pub(super) fn rank(&self, graph: &mut Graph, place: &Place) -> Result<usize, NoValue> {
        rank(graph, &self.rows, place)
    }

    /// The coefficients of the forms at a place.
    pub(super) fn values<F: Field>(&self, graph: &mut Graph, at: &mut Values<F>) -> Result<Vec<Vec<F>>, NoValue> {
        at.rows(graph, &self.rows)
    }

    /// Rank and flags at a place. `generic` are the flags elsewhere, absent while these are sought.
    pub(super) fn at(
        &self,
        graph: &mut Graph,
        place: &Place,
        rank: usize,
        generic: Option<&Flags>,
    ) -> Result<AtPoint, NoValue> {
        in_either_field(self.at_in::<Residue>(graph, place, rank, generic), || {
            self.at_in::<Double>(graph, place, rank, generic)
        })
    }

    fn at_in<F: Field>(
        &self,
        graph: &mut Graph,
        place: &Place,
        rank: usize,
        generic: Option<&Flags>,
    ) -> Result<AtPoint, NoValue> {
        let roots: Vec<Expr> = self.rows.iter().flatten().copied().collect();
        let chart = Chart::new(graph, &self.configuration, self.time, &roots)?;
        let mut best: Option<Flags> = None;
        for longest in [3, 5, 7, 9, 11, 13, BRACKET_LENGTH] {
            let Some(shape) = Shape::new(chart.len(), longest - 1) else { break };
            let mut local = Local::<F>::new(graph, chart.clone(), place, shape)?;
            let found = kernel(&mut local, graph, &self.rows, None)?;
            if found.rank < rank {
                return Ok(AtPoint { rank: found.rank, flags: None });
            }
            let mut grow = |kind: Kind, generic: Option<&Flag>, done: Option<&Flag>| match done {
                Some(flag) if flag.complete => flag.clone(),
                _ => {
                    let flag = follow(&local, &found.fields, kind, generic).0;
                    // once, when it is known not to be a matter of a few more brackets
                    let unsure = !flag.complete && generic.is_some() && longest == MODULE_BRACKETS + 1;
                    let exact = unsure.then(|| exact::flag::<F>(self, graph, &chart, place, kind)).flatten();
                    exact.unwrap_or(flag)
                }
            };
            let derived = grow(Kind::Derived, generic.map(|g| &g.derived), best.as_ref().map(|b| &b.derived));
            let growth = grow(Kind::Growth, generic.map(|g| &g.growth), best.as_ref().map(|b| &b.growth));
            let done = derived.complete && growth.complete;
            best = Some(match best {
                // a longer series may cost too much and end earlier
                Some(b) => Flags { derived: farther(b.derived, derived), growth: farther(b.growth, growth) },
                None => Flags { derived, growth },
            });
            if done {
                break;
            }
        }
        Ok(AtPoint { rank, flags: best })
    }

    /// Values at a generic place of fields that span the last term of the flags: the directions in which one can go.
    pub(super) fn closure(&self, graph: &mut Graph, place: &Place) -> Result<Vec<Vec<Residue>>, NoValue> {
        let roots: Vec<Expr> = self.rows.iter().flatten().copied().collect();
        let chart = Chart::new(graph, &self.configuration, self.time, &roots)?;
        for longest in [3, 5, 7, 9, 11, 13, BRACKET_LENGTH] {
            let Some(shape) = Shape::new(chart.len(), longest - 1) else { break };
            let mut local = Local::<Residue>::new(graph, chart.clone(), place, shape)?;
            let found = kernel(&mut local, graph, &self.rows, None)?;
            let (flag, values) = follow(&local, &found.fields, Kind::Derived, None);
            if flag.complete {
                return Ok(values);
            }
        }
        Err(NoValue::Outside)
    }

    /// Whether the form is one of contact: ω ∧ (dω)^k ≠ 0 on 2k + 1 dimensions.
    pub(super) fn is_contact(&self, graph: &mut Graph, place: &Place) -> Result<bool, NoValue> {
        let roots: Vec<Expr> = self.rows.iter().flatten().copied().collect();
        let chart = Chart::new(graph, &self.configuration, self.time, &roots)?;
        let Some(shape) = Shape::new(chart.len(), 1) else { return Ok(false) };
        let mut local = Local::<Residue>::new(graph, chart, place, shape)?;
        let found = kernel(&mut local, graph, &self.rows, None)?;
        let k = found.fields.len();
        if found.rank != 1 || k % 2 == 1 || k == 0 {
            return Ok(false);
        }
        let entries = local.series(graph, &self.rows[found.first])?;
        let moving: Vec<_> = found.fields.iter().map(|f| local.motion(f)).collect();
        let matrix = (0..k)
            .map(|i| {
                (0..k)
                    .map(|j| {
                        let b = local.bracket(&found.fields[i], &found.fields[j], (&moving[i], &moving[j]));
                        b.iter().zip(&entries).fold(Residue::ZERO, |s, (x, a)| s.plus(x[0].times(a[0])))
                    })
                    .collect()
            })
            .collect();
        Ok(pivots(matrix).len() == k)
    }
}

/// Of two beginnings of a flag the one that says more.
fn farther(a: Flag, b: Flag) -> Flag {
    let more = b.complete || b.last() > a.last() || (b.last() == a.last() && b.dimensions.len() > a.dimensions.len());
    if more { b } else { a }
}

/// A frame of the kernel of some forms.
pub(super) struct Kernel<F> {
    rank: usize,
    /// Row and velocity of each step of the solution.
    pub(super) pivots: Vec<(usize, usize)>,
    /// The product of the pivots: the determinant of the solved block, up to a sign that depends on the pivots only.
    pub(super) determinant: Jet<F>,
    /// A row that does not vanish at the point.
    first: usize,
    pub(super) fields: Vec<Vec<Jet<F>>>,
}

/// Solves the forms for as many velocities as they determine at the point, in power series; with these pivots, if they are given.
pub(super) fn kernel<F: Field>(
    local: &mut Local<F>,
    graph: &mut Graph,
    rows: &[Vec<Expr>],
    given: Option<&[(usize, usize)]>,
) -> Result<Kernel<F>, NoValue> {
    let n = local.chart.columns;
    let mut work: Vec<Vec<Jet<F>>> = Vec::new();
    for row in rows {
        work.push(local.series(graph, row)?);
    }
    let shape = &local.shape;
    let order = shape.order();
    let size = |jet: &Jet<F>| jet.iter().filter(|x| **x != F::ZERO).count();
    let mut solved: Vec<(usize, usize)> = Vec::new();
    let mut determinant = shape.constant(order, F::ONE);
    loop {
        let open = |i: usize| !solved.iter().any(|(r, _)| *r == i);
        let candidates = (0..work.len()).filter(|i| open(*i)).flat_map(|i| (0..n).map(move |j| (i, j)));
        let best = match given {
            Some(pivots) => pivots.get(solved.len()).copied(),
            None => candidates
                .filter(|(i, j)| work[*i][*j][0] != F::ZERO)
                .min_by_key(|(i, j)| (size(&work[*i][*j]), *i, *j)),
        };
        let Some((i, j)) = best else { break };
        determinant = shape.product(&determinant, &work[i][j]);
        let at = work[i][j][0].inverse().ok_or(NoValue::Pole)?;
        let inverse = shape.power(&work[i][j], (-1, 1), at).ok_or(NoValue::Pole)?;
        for c in 0..n {
            work[i][c] = if c == j { shape.constant(order, F::ONE) } else { shape.product(&work[i][c], &inverse) };
        }
        let pivot = work[i].clone();
        for row in work.iter_mut().enumerate().filter(|(r, _)| *r != i).map(|(_, row)| row) {
            let factor: Jet<F> = row[j].iter().map(|x| x.minus()).collect();
            if factor.iter().all(|x| *x == F::ZERO) {
                continue;
            }
            for c in 0..n {
                shape.add_product(&mut row[c], &factor, &pivot[c]);
            }
        }
        solved.push((i, j));
    }
    let free = (0..n).filter(|j| !solved.iter().any(|(_, p)| p == j));
    let fields = free
        .map(|f| {
            (0..n)
                .map(|c| match solved.iter().find(|(_, p)| *p == c) {
                    Some((i, _)) => work[*i][f].iter().map(|x| x.minus()).collect(),
                    None => shape.constant(order, if c == f { F::ONE } else { F::ZERO }),
                })
                .collect()
        })
        .collect();
    let first = solved.iter().map(|(i, _)| *i).min().unwrap_or(0);
    Ok(Kernel { rank: solved.len(), pivots: solved, determinant, first, fields })
}

/// A field with its motion in the chart.
#[derive(Clone)]
struct Moving<F> {
    field: Vec<Jet<F>>,
    motion: Vec<Jet<F>>,
}

/// Follows one of the flags as far as the order of the series allows; with it come independent values of its last term.
fn follow<F: Field>(
    local: &Local<F>,
    fields: &[Vec<Jet<F>>],
    kind: Kind,
    generic: Option<&Flag>,
) -> (Flag, Vec<Vec<F>>) {
    let shape = &local.shape;
    let n = local.chart.columns;
    let first: Vec<Moving<F>> = fields.iter().map(|f| Moving { field: f.clone(), motion: local.motion(f) }).collect();
    let (mut old, mut new): (Vec<Moving<F>>, Vec<Moving<F>>) = (Vec::new(), first.clone());
    let mut dimensions = vec![fields.len()];
    let mut work = 0usize;
    let value = |m: &Moving<F>| m.field.iter().map(|c| c[0]).collect::<Vec<F>>();
    let mut last: Vec<Vec<F>> = first.iter().map(value).collect();
    let expected = |step: usize| generic.map(|g| *g.dimensions.get(step).unwrap_or(&g.last()));
    if fields.is_empty() || generic.is_some_and(|g| g.last() == fields.len()) {
        return (Flag::new(dimensions, true), last);
    }
    for order in (0..shape.order()).rev() {
        let step = dimensions.len();
        // fields of D keep their full order, the others lose one with each bracket
        let pairs: Vec<(&Moving<F>, &Moving<F>)> = match kind {
            Kind::Growth => first.iter().flat_map(|x| new.iter().map(move |y| (x, y))).collect(),
            Kind::Derived => {
                let mut pairs: Vec<_> = old.iter().flat_map(|x| new.iter().map(move |y| (x, y))).collect();
                for (i, x) in new.iter().enumerate() {
                    pairs.extend(new[i + 1..].iter().map(|y| (x, y)));
                }
                pairs
            }
        };
        if pairs.len() > FLAG_GENERATORS {
            return (Flag::new(dimensions, false), last);
        }
        let len = shape.len(order);
        work += pairs.len() * 2 * n * local.chart.len().max(1) * shape.product_work(order);
        if work > FLAG_MULTIPLICATIONS {
            return (Flag::new(dimensions, false), last);
        }
        let mut module = Module::new(local, order);
        let all: Vec<Moving<F>> = old.iter().chain(&new).cloned().collect();
        all.iter().for_each(|m| {
            module.add(&m.field);
        });
        let mut found = Vec::new();
        for (x, y) in pairs {
            let field = local.bracket(&x.field, &y.field, (&x.motion, &y.motion));
            let field: Vec<Jet<F>> = field.iter().map(|c| c[..len].to_vec()).collect();
            if module.add(&field) {
                let motion = local.motion(&field);
                found.push(Moving { field, motion });
            }
        }
        if found.is_empty() && generic.is_some() {
            // closed as far as the series can tell
            return (Flag::new(dimensions, false), last);
        }
        let mut values = Span::new();
        let mut basis: Vec<(bool, Moving<F>)> = Vec::new();
        for (is_new, m) in all.iter().map(|m| (false, m)).chain(found.iter().map(|m| (true, m))) {
            if values.add(value(m)) {
                basis.push((is_new, m.clone()));
            }
        }
        let dimension = values.rank();
        last = basis.iter().map(|(_, m)| value(m)).collect();
        dimensions.push(dimension);
        match expected(step) {
            None if dimensions[step] == dimensions[step - 1] => return (Flag::new(dimensions, true), last),
            Some(_) if generic.is_some_and(|g| g.last() == dimension) => return (Flag::new(dimensions, true), last),
            None if dimension == n => return (Flag::new(dimensions, true), last),
            _ => {}
        }
        if expected(step).is_none_or(|r| r == dimension) {
            // free around the point: a basis is enough
            (old, new) = (Vec::new(), Vec::new());
            for (is_new, m) in basis {
                if is_new { new.push(m) } else { old.push(m) }
            }
        } else {
            (old, new) = (all, found);
        }
    }
    (Flag::new(dimensions, false), last)
}

/// The fields to some order that are combinations of given ones: with functions as coefficients where there are few of
/// them, with constants otherwise.
struct Module<'a, F> {
    local: &'a Local<F>,
    order: usize,
    whole: bool,
    span: Span<F>,
}

impl<'a, F: Field> Module<'a, F> {
    fn new(local: &'a Local<F>, order: usize) -> Module<'a, F> {
        let whole = local.chart.columns * local.shape.len(order) <= SMALL_MODULE;
        Module { local, order, whole, span: Span::new() }
    }

    /// Adds a generator; false if the module contains it already.
    fn add(&mut self, field: &[Jet<F>]) -> bool {
        let shape = &self.local.shape;
        let len = shape.len(self.order);
        let flat = |field: &[Jet<F>]| field.iter().flat_map(|c| c[..len].iter().copied()).collect::<Vec<F>>();
        let grown = self.span.add(flat(field));
        if grown && self.whole {
            let mut monomial = vec![F::ZERO; len];
            for k in 1..len {
                monomial[k] = F::ONE;
                let multiple: Vec<Jet<F>> = field.iter().map(|c| shape.product(&c[..len], &monomial)).collect();
                monomial[k] = F::ZERO;
                self.span.add(flat(&multiple));
            }
        }
        grown
    }
}
