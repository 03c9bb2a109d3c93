//! Values in F_p at points with the same s.

use super::super::budget::{SLICE_POINTS, SLICES};
use super::variable::Variable;
use crate::noether::sample::{Parameters, rows_at, values};
use polhode_base::random::Random;
use polhode_expr::equal::{FieldPoint, NoValue};
use polhode_expr::field::Residue;
use polhode_expr::{Expr, Symbol};
use polhode_mechanics::system::System;

/// Values at points that share s and the parameters.
pub(super) struct Slice {
    origin: FieldPoint,
    kept: Vec<Symbol>,
    seed: u64,
    /// The rotation at the first point, with the row and column of the entry that is kept.
    entry: Option<([Symbol; 9], [Residue; 9], usize, usize)>,
    /// The pair that turns, at the first point.
    pair: Option<([Symbol; 2], [Residue; 2])>,
}

impl Slice {
    fn new(system: &mut System, on: &Variable, seed: u64) -> Option<Slice> {
        let parameters = Parameters::random(system, seed);
        let mut origin = FieldPoint::with_roots(&system.graph, seed);
        parameters.values.iter().for_each(|(p, v)| origin.set(*p, *v));
        let graph = &mut system.graph;
        let mut kept: Vec<Symbol> = parameters.values.iter().map(|(p, _)| *p).collect();
        let (mut entry, mut turned) = (None, None);
        match on {
            Variable::Coordinate(s) => {
                let x = graph.var(*s);
                let (sin, cos, exp) = (graph.sin(x), graph.cos(x), graph.exp(x));
                for e in [x, sin, cos, exp] {
                    // drawn here, they are the same at every point of the slice
                    origin.value(graph, e).ok()?;
                }
                kept.push(*s);
            }
            Variable::Entry { rotation, row, column, .. } => {
                let mut first = [Residue::ZERO; 9];
                for (value, s) in first.iter_mut().zip(rotation) {
                    let x = graph.var(*s);
                    *value = origin.value(graph, x).ok()?;
                }
                entry = Some((*rotation, first, *row, *column));
            }
            Variable::Turned { pair, along, .. } => {
                let mut first = [Residue::ZERO; 2];
                for (value, s) in first.iter_mut().zip(pair) {
                    let x = graph.var(*s);
                    *value = origin.value(graph, x).ok()?;
                }
                turned = Some((*pair, first));
                if let Some(s) = along {
                    let x = graph.var(*s);
                    origin.value(graph, x).ok()?;
                    kept.push(*s);
                }
            }
        }
        Some(Slice { origin, kept, seed: seed << 32, entry, pair: turned })
    }

    /// A slice on which the functions have values: whether a root of s exists in F_p is the same at all of its points.
    pub(super) fn with_values(system: &mut System, on: &Variable, seed: u64, functions: &[Expr]) -> Option<Slice> {
        for k in 0..SLICES {
            let mut slice = Slice::new(system, on, seed + (k << 10))?;
            for _ in 0..SLICE_POINTS {
                let mut point = slice.point(system);
                match values(system, &mut point, functions) {
                    Ok(_) => return Some(slice),
                    Err(NoValue::Outside) => return None,
                    Err(NoValue::Unlucky) => {}
                }
            }
        }
        None
    }

    /// A further point; a rotation is turned about the axes of the row and of the column, which keeps the entry.
    fn point(&mut self, system: &System) -> FieldPoint {
        self.seed += 1;
        let mut point = self.origin.sharing(&system.graph, &self.kept, self.seed);
        if let Some((symbols, first, row, column)) = &self.entry {
            let mut random = Random::new(self.seed);
            let left = turn(*row, Residue::random(&mut random));
            let right = turn(*column, Residue::random(&mut random));
            let turned = product(&product(&left, first), &right);
            symbols.iter().zip(turned).for_each(|(s, v)| point.set(*s, v));
        }
        if let Some((symbols, [x, y])) = self.pair {
            let matrix = turn(2, Residue::random(&mut Random::new(self.seed)));
            let row = |i: usize| matrix[3 * i] * x + matrix[3 * i + 1] * y;
            symbols.iter().zip([row(0), row(1)]).for_each(|(s, v)| point.set(*s, v));
        }
        point
    }

    pub(super) fn rows(&mut self, system: &mut System, functions: &[Expr], count: usize) -> Option<Vec<Vec<Residue>>> {
        rows_at(system, |system| self.point(system), functions, count)
    }
}

/// The turn about an axis by the angle with half-angle tangent u, row by row.
fn turn(axis: usize, u: Residue) -> [Residue; 9] {
    let scale = (Residue::ONE + u * u).inverse().unwrap_or(Residue::ONE);
    let (c, s) = ((Residue::ONE - u * u) * scale, (u + u) * scale);
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut out = [Residue::ZERO; 9];
    out[4 * axis] = Residue::ONE;
    (out[4 * j], out[4 * k]) = (c, c);
    (out[3 * j + k], out[3 * k + j]) = (-s, s);
    out
}

fn product(a: &[Residue; 9], b: &[Residue; 9]) -> [Residue; 9] {
    std::array::from_fn(|n| (0..3).map(|k| a[3 * (n / 3) + k] * b[3 * k + n % 3]).sum())
}
