//! Corners of prescribed functions of time, such as |t − 1| in the motion of a ground.
//!
//! |y| is √(y²), which is smooth on either side of y = 0 and has no derivative there; so are other roots whose radicand touches zero. A
//! high-order step across such a time is wrong without a sign of it: the series of √(y²) goes on as y. Where y is a function of time alone
//! its zeros are known before the motion, and the integrator is stopped a few roundings before each and begun again behind it.
//!
//! Not here: corners that depend on the state, as |x|; they are where their model is not smooth.

use polhode_expr::{Expr, Graph, Node, Symbol};
use polhode_integrate::Finder;
use rustc_hash::FxHashMap;

/// Half the width of what is left out at a corner, in units of its time: a few roundings.
const GAP: f64 = 8.0 * f64::EPSILON;

/// Functions of time whose zeros are corners.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corners {
    /// `None` where there is nothing to look for.
    functions: Option<(Graph, Symbol, Vec<Expr>)>,
    parameters: FxHashMap<Symbol, f64>,
}

impl Corners {
    /// What `roots` contain of them.
    pub(crate) fn new(g: &Graph, time: Symbol, roots: &[Expr], parameters: FxHashMap<Symbol, f64>) -> Corners {
        let mut found: Vec<Expr> = Vec::new();
        for e in g.reachable(roots) {
            let Node::Product { factors, .. } = g.node(e) else { continue };
            for (base, _) in factors.iter().filter(|(_, k)| k.d % 2 == 0) {
                match g.node(*base) {
                    Node::Product { factors, .. } => found.extend(factors.iter().map(|(y, _)| *y)),
                    _ => found.push(*base),
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|e| {
            let used = g.free_symbols(&[*e]);
            used.contains(&time) && used.iter().all(|s| *s == time || parameters.contains_key(s))
        });
        if found.is_empty() {
            return Corners::default();
        }
        Corners { functions: Some((g.clone(), time, found)), parameters }
    }

    /// Are there functions of time that may have corners?
    pub(crate) fn any(&self) -> bool {
        self.functions.is_some()
    }

    /// The corners between 0 and `until`, in the order in which they are reached: from when to when they are left out.
    pub(crate) fn between(&self, until: f64) -> Vec<(f64, f64)> {
        let Some((g, time, functions)) = &self.functions else { return Vec::new() };
        let mut roots = Vec::new();
        let mut values = self.parameters.clone();
        for e in functions {
            let mut f = |t: f64| {
                values.insert(*time, t);
                g.evaluate_f64(*e, &values).unwrap_or(f64::NAN)
            };
            Finder::default().find(&mut f, 0.0, until, &mut roots);
        }
        let mut times: Vec<f64> =
            roots.into_iter().map(|r| r.t).filter(|t| *t != 0.0 && t.abs() < until.abs()).collect();
        times.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        times.dedup_by(|b, a| (*b - *a).abs() <= 4.0 * GAP * a.abs());
        times.into_iter().map(|t| (t * (1.0 - GAP), t * (1.0 + GAP))).collect()
    }
}
