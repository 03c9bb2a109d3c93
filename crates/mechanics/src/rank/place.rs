//! Points of the configuration space with exact values.
//!
//! A [`Place`] fixes some symbols, by expressions in the others; what it leaves open is drawn at random from F_p. "Generic" is
//! the place that fixes nothing but the parameters. A function of a quantity that algebra cannot look into (a logarithm, π outside
//! of an angle) has a random value of its own, as it is independent of everything else at a generic point.

use super::field::Field;
use polhode_expr::equal::FieldPoint;
use polhode_expr::number::{Rational, int};
use polhode_expr::{Expr, Function, Graph, Node, Symbol};
use rustc_hash::FxHashMap;

/// Some symbols with what they are replaced by, and the seed of the others.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// What some symbols are replaced by.
    pub fixed: FxHashMap<Symbol, Expr>,
    /// Where the values of the others come from.
    pub seed: u64,
}

impl Place {
    /// Fixes more symbols; what they are replaced by may contain each other, but not in a circle.
    pub fn fix(&mut self, graph: &mut Graph, more: &[(Symbol, Expr)]) {
        self.fixed.extend(more.iter().copied());
        let symbols: Vec<Symbol> = self.fixed.keys().copied().collect();
        for _ in 0..symbols.len() {
            let open: Vec<Symbol> =
                symbols.iter().copied().filter(|s| graph.contains_any(self.fixed[s], &symbols)).collect();
            if open.is_empty() {
                break;
            }
            let known = self.fixed.clone();
            for s in open {
                let e = graph.substitute(self.fixed[&s], &known);
                self.fixed.insert(s, e);
            }
        }
    }
}

/// Why something has no value at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// A denominator vanishes there.
    Pole,
    /// A square root outside of the field.
    Root,
    /// It is made of something that has no power series here: open functions, carried positions.
    Outside,
}

/// Values of expressions at a place.
pub struct Values<F> {
    /// The place.
    pub place: Place,
    point: FieldPoint,
    known: FxHashMap<Expr, F>,
}

impl<F: Field> Values<F> {
    /// None yet.
    pub fn new(graph: &Graph, place: &Place) -> Values<F> {
        Values { place: place.clone(), point: FieldPoint::new(graph, place.seed), known: FxHashMap::default() }
    }

    /// The values of rows of expressions.
    pub fn rows(&mut self, graph: &mut Graph, rows: &[Vec<Expr>]) -> Result<Vec<Vec<F>>, NoValue> {
        rows.iter().map(|row| row.iter().map(|e| self.value(graph, *e)).collect()).collect()
    }

    /// The value of an expression in the symbols of the model.
    pub fn value(&mut self, graph: &mut Graph, e: Expr) -> Result<F, NoValue> {
        let placed = if self.place.fixed.is_empty() { e } else { graph.substitute(e, &self.place.fixed) };
        self.placed(graph, placed)
    }

    /// The value of an expression in what the place leaves open.
    pub fn placed(&mut self, graph: &mut Graph, e: Expr) -> Result<F, NoValue> {
        if let Some(v) = self.known.get(&e) {
            return Ok(*v);
        }
        let v = match graph.node(e).clone() {
            Node::Number(r) => F::rational(&r).ok_or(NoValue::Pole)?,
            Node::Sum { constant, terms } => {
                let mut total = F::rational(&constant).ok_or(NoValue::Pole)?;
                for (t, r) in terms.iter() {
                    let (t, r) = (self.placed(graph, *t)?, F::rational(r).ok_or(NoValue::Pole)?);
                    total = total.plus(t.times(r));
                }
                total
            }
            Node::Product { coefficient, factors } => {
                let mut total = F::rational(&coefficient).ok_or(NoValue::Pole)?;
                for (b, k) in factors.iter() {
                    let base = self.placed(graph, *b)?;
                    let p = match k.d {
                        1 => base.power(i64::from(k.n)).ok_or(NoValue::Pole)?,
                        2 => base.root().ok_or(NoValue::Root)?.power(i64::from(k.n)).ok_or(NoValue::Pole)?,
                        _ if base == F::ZERO || base == F::ONE => base,
                        _ => self.stand_in(graph, *b)?.power(i64::from(k.n)).ok_or(NoValue::Pole)?,
                    };
                    total = total.times(p);
                }
                total
            }
            Node::Call(f @ (Function::Sin | Function::Cos), a) => self.turn(graph, f, a)?,
            Node::Symbol(_) => self.drawn(graph, e)?,
            Node::Call(Function::Exp, _) => match self.drawn(graph, e) {
                Ok(v) => v,
                Err(_) => self.stand_in(graph, e)?,
            },
            Node::Pi | Node::Call(Function::Log, _) | Node::Atan2(..) => self.stand_in(graph, e)?,
            Node::Apply { .. } => self.drawn(graph, e)?,
        };
        self.known.insert(e, v);
        Ok(v)
    }

    /// sin or cos of an angle, with the multiple of π in it split off.
    fn turn(&mut self, graph: &mut Graph, f: Function, a: Expr) -> Result<F, NoValue> {
        let pi = graph.pi();
        let turns: Rational = match graph.node(a) {
            Node::Sum { terms, .. } => terms.iter().find(|(t, _)| *t == pi).map_or(int(0), |(_, r)| r.clone()),
            _ => int(0),
        };
        if turns.is_zero() {
            let e = graph.call(f, a);
            return match self.drawn(graph, e) {
                Ok(v) => Ok(v),
                Err(_) => {
                    // an angle that is no polynomial turns by itself
                    let angle = self.stand_in_symbol(graph, a);
                    let e = graph.call(f, angle);
                    self.drawn(graph, e)
                }
            };
        }
        let whole = graph.scale(pi, &turns);
        let rest = graph.sub(a, whole);
        let parts = [graph.sin(whole), graph.cos(whole), graph.sin(rest), graph.cos(rest)];
        let mut v = [F::ZERO; 4];
        for (x, e) in v.iter_mut().zip(parts) {
            *x = self.placed(graph, e)?;
        }
        let [sw, cw, sr, cr] = v;
        Ok(match f {
            Function::Sin => sw.times(cr).plus(cw.times(sr)),
            _ => cw.times(cr).plus(sw.times(sr).minus()),
        })
    }

    /// The random value of an expression.
    pub fn drawn(&mut self, graph: &mut Graph, e: Expr) -> Result<F, NoValue> {
        self.point.value(graph, e).map(F::new).map_err(|_| NoValue::Outside)
    }

    fn stand_in_symbol(&mut self, graph: &mut Graph, e: Expr) -> Expr {
        graph.named(&format!("#{}", e.index()))
    }

    /// The value of an expression that is independent of everything else.
    fn stand_in(&mut self, graph: &mut Graph, e: Expr) -> Result<F, NoValue> {
        let s = self.stand_in_symbol(graph, e);
        self.drawn(graph, s)
    }
}
