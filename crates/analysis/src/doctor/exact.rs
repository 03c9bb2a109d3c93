//! Proofs that the flags at a point end below their generic dimension.
//!
//! A truncated series cannot tell y⁵ from 0, so it never shows that brackets end. An identity does,
//!
//! ```text
//! u [G_i, G_j] = Σ_k c_k G_k,      u(point) ≠ 0,                                             (1)
//! ```
//!
//! with generators G of a module of fields and functions u, c that are smooth everywhere: polynomials in the coordinates, in the sines and
//! cosines of angles and in the entries of rotations. Where all brackets have one, the module is closed around the point and the values of the G there
//! are the end of the flag. (1) is linear in the coefficients of u and c; its equations are written down at random places of F_p until
//! more of them say nothing new. A bracket without (1) becomes a generator, which is never wrong.

use super::budget::{MODULE_BRACKETS, MODULE_DEGREES, MODULE_GENERATORS, MODULE_MONOMIALS, MODULE_UNKNOWNS};
use super::flag::{Flag, Forms, Kernel, Kind, kernel};
use super::jet::{Jet, Shape};
use super::local::{Chart, Local};
use polhode_expr::{Expr, Graph};
use polhode_mechanics::rank::field::{Field, Span};
use polhode_mechanics::rank::place::{NoValue, Place};

/// Places that have to add nothing before the equations count as all.
const CALM: usize = 2;

/// A field with its motion in the chart.
struct Moving<F> {
    field: Vec<Jet<F>>,
    motion: Vec<Jet<F>>,
}

/// A place with the generators there.
struct Sample<F> {
    local: Local<F>,
    generators: Vec<Moving<F>>,
    /// The values of the monomials of u and c.
    monomials: Vec<F>,
}

impl<F: Field> Sample<F> {
    fn bracket(&self, (i, j): (usize, usize)) -> Vec<Jet<F>> {
        let (x, y) = (&self.generators[i], &self.generators[j]);
        self.local.bracket(&x.field, &y.field, (&x.motion, &y.motion))
    }

    fn push(&mut self, field: Vec<Jet<F>>) {
        let motion = self.local.motion(&field);
        self.generators.push(Moving { field, motion });
    }

    fn value(&self, generator: usize) -> Vec<F> {
        constants(&self.generators[generator].field)
    }
}

fn constants<F: Field>(field: &[Jet<F>]) -> Vec<F> {
    field.iter().map(|c| c[0]).collect()
}

/// The search for (1).
struct Closure<'a, F> {
    forms: &'a Forms,
    graph: &'a mut Graph,
    chart: Chart,
    /// A place with nothing but the parameters fixed.
    generic: Place,
    /// The pivots with which the forms are solved, the same everywhere.
    pivots: Vec<(usize, usize)>,
    ansatz: Ansatz,
    /// Each generator after those of D as a bracket of earlier ones.
    recipes: Vec<(usize, usize)>,
    point: Sample<F>,
    others: Vec<Sample<F>>,
}

/// The monomials up to the degree, or to the highest that leaves few of them. Letters that are marked occur once at most.
fn monomials<F: Field>(letters: &[(F, bool)], degree: usize) -> Vec<F> {
    let mut out = vec![F::ONE];
    let mut level: Vec<(usize, F)> = vec![(0, F::ONE)];
    for _ in 0..degree {
        let raise = |(first, m): &(usize, F)| {
            let next = |i: usize| (i + usize::from(letters[i].1), m.times(letters[i].0));
            (*first..letters.len()).map(next).collect()
        };
        let raised: Vec<Vec<(usize, F)>> = level.iter().map(raise).collect();
        level = raised.concat();
        if out.len() + level.len() > MODULE_MONOMIALS {
            break;
        }
        out.extend(level.iter().map(|(_, m)| *m));
    }
    out
}

/// What u and c are polynomials in.
#[derive(Clone)]
struct Ansatz {
    /// With a mark for sines, whose squares are those of cosines.
    letters: Vec<(Expr, bool)>,
    degree: usize,
}

fn sample<F: Field>(
    forms: &Forms,
    graph: &mut Graph,
    chart: &Chart,
    place: &Place,
    pivots: Option<&[(usize, usize)]>,
    ansatz: &Ansatz,
) -> Result<(Sample<F>, Kernel<F>), NoValue> {
    let shape = Shape::new(chart.len(), MODULE_BRACKETS).ok_or(NoValue::Outside)?;
    let mut local = Local::<F>::new(graph, chart.clone(), place, shape)?;
    let (letters, once): (Vec<Expr>, Vec<bool>) = ansatz.letters.iter().copied().unzip();
    let values = local.series(graph, &letters)?.into_iter().map(|jet| jet[0]);
    let letters: Vec<(F, bool)> = values.zip(once).collect();
    let found = kernel(&mut local, graph, &forms.rows, pivots)?;
    let mut out = Sample { local, generators: Vec::new(), monomials: monomials(&letters, ansatz.degree) };
    // times the determinant, which does not vanish at the point: that leaves no denominators for u
    for f in &found.fields {
        let field = f.iter().map(|c| out.local.shape.product(c, &found.determinant)).collect();
        out.push(field);
    }
    Ok((out, found))
}

impl<F: Field> Closure<'_, F> {
    /// One more random place.
    fn sample(&mut self) -> Option<()> {
        let place = Place { seed: self.generic.seed + 1 + self.others.len() as u64, ..self.generic.clone() };
        let (mut s, _) =
            sample::<F>(self.forms, self.graph, &self.chart, &place, Some(&self.pivots), &self.ansatz).ok()?;
        for pair in &self.recipes {
            let field = s.bracket(*pair);
            s.push(field);
        }
        self.others.push(s);
        Some(())
    }

    /// Does the bracket of two generators obey (1)?
    fn is_member(&mut self, pair: (usize, usize)) -> Option<bool> {
        let m = self.point.monomials.len();
        let unknowns = m * (1 + self.point.generators.len());
        if unknowns > MODULE_UNKNOWNS {
            return None;
        }
        let (mut equations, mut calm, mut k) = (Span::new(), 0, 0);
        while calm < CALM {
            if k == self.others.len() {
                self.sample()?;
            }
            let s = &self.others[k];
            let bracket = constants(&s.bracket(pair));
            let fields: Vec<Vec<F>> = (0..s.generators.len()).map(|g| s.value(g)).collect();
            let mut news = false;
            for d in 0..bracket.len() {
                let coefficients = std::iter::once(bracket[d]).chain(fields.iter().map(|f| f[d]));
                let row = coefficients.flat_map(|c| s.monomials.iter().map(move |x| c.times(*x))).collect();
                news |= equations.add(row);
            }
            calm = if news { 0 } else { calm + 1 };
            k += 1;
        }
        // u(point) = 0 must not follow from the equations
        let mut at_point = vec![F::ZERO; unknowns];
        at_point[..m].copy_from_slice(&self.point.monomials);
        Some(equations.add(at_point))
    }

    fn flag(mut self, kind: Kind) -> Option<Flag> {
        let first = self.point.generators.len();
        let mut depths = vec![0; first];
        let mut values = Span::new();
        (0..first).for_each(|g| {
            values.add(self.point.value(g));
        });
        let mut dimensions = vec![values.rank()];
        let mut old = 0;
        while old < depths.len() {
            let now = depths.len();
            let with = if kind == Kind::Growth { first } else { now };
            let pairs = (0..with).flat_map(|i| (old..now).map(move |j| (i, j)));
            // both orders of a pair say the same
            for (i, j) in pairs.filter(|(i, j)| i < j) {
                let depth = 1 + usize::max(depths[i], depths[j]);
                if depth > MODULE_BRACKETS || depths.len() == MODULE_GENERATORS {
                    return None;
                }
                if self.is_member((i, j))? {
                    continue;
                }
                self.recipes.push((i, j));
                for s in self.others.iter_mut().chain([&mut self.point]) {
                    let field = s.bracket((i, j));
                    s.push(field);
                }
                values.add(self.point.value(depths.len()));
                depths.push(depth);
            }
            dimensions.push(values.rank());
            old = now;
        }
        Some(Flag::new(dimensions, true))
    }
}

/// The flag at a place where it ends below its generic dimension; `None` when (1) does not show it.
pub(super) fn flag<F: Field>(
    forms: &Forms,
    graph: &mut Graph,
    chart: &Chart,
    place: &Place,
    kind: Kind,
) -> Option<Flag> {
    let letters = chart.letters(graph);
    let mut generic = place.clone();
    let positions = forms.configuration.positions();
    generic.fixed.retain(|s, _| !positions.contains(s) && forms.time != Some(*s));
    MODULE_DEGREES.iter().find_map(|degree| {
        let ansatz = Ansatz { letters: letters.clone(), degree: *degree };
        let (point, found) = sample::<F>(forms, graph, chart, place, None, &ansatz).ok()?;
        let (recipes, others) = (Vec::new(), Vec::new());
        let (chart, generic, pivots) = (chart.clone(), generic.clone(), found.pivots);
        Closure { forms, graph, chart, generic, pivots, ansatz, recipes, point, others }.flag(kind)
    })
}
