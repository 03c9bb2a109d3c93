//! The initial state of s, ṡ and w, the numbers of the levels, and the interval of s.

use super::{Course, DIGITS, NoMotion, State, scale};
use crate::linear::shape::Shape;
use polhode_expr::eval::{Digits, Real};
use polhode_expr::{Expr, Graph, Symbol};
use polhode_lower::dd;
use polhode_mechanics::System;
use polhode_mechanics::rank::parameter_values;
use polhode_model::{Interval, Model};
use polhode_tape::{Dd, Scalar};
use rustc_hash::FxHashMap;

/// An end of the interval counts as reached at this distance, relative to the distance of the start from it: nothing but rounding turns s so near to it.
const NEAR_END: f64 = 1e-26;

/// A start at this distance from an end, relative to the scale of s, is at it.
const AT_END: f64 = 1e-15;

/// What an end other than 0 is known to, with something to spare.
const RESOLUTION: f64 = 1e-28;

/// Where s may go.
pub(super) struct Ends {
    pub(super) low: Option<Dd>,
    pub(super) high: Option<Dd>,
    pub(super) angle: bool,
    exact: [Option<Expr>; 2], // both ends
}

impl Ends {
    /// The rates by ln σ of what has these rates by s, with s = low + σ and s = high − σ.
    pub(super) fn by_distance(
        &self,
        graph: &mut Graph,
        s: Symbol,
        logarithm: Symbol,
        rates: &[Expr],
    ) -> [Option<Vec<Expr>>; 2] {
        let x = graph.var(logarithm);
        let distance = graph.exp(x);
        let back = graph.neg(distance);
        let mut at = |end: Option<Expr>, step: Expr| {
            let place: FxHashMap<Symbol, Expr> = [(s, graph.add(end?, step))].into_iter().collect();
            let there = graph.substitute_all(rates, &place);
            Some(there.into_iter().map(|rate| graph.mul(rate, step)).collect())
        };
        [at(self.exact[0], distance), at(self.exact[1], back)]
    }

    pub(super) fn to(&self, upward: bool, start: Dd) -> Dd {
        let reach = if self.angle { Dd::PI * Dd::from(2.0) } else { Dd::from(1e3 * scale(start)) };
        let end = if upward { self.high } else { self.low };
        // not the end itself, which may be a pole
        let near = |end: Dd| Dd::from((NEAR_END * self.room(start)).max(RESOLUTION * end.to_f64().abs()));
        match (end, upward) {
            (Some(end), true) => end - near(end),
            (Some(end), false) => end + near(end),
            (None, true) => start + reach,
            (None, false) => start - reach,
        }
    }

    /// The distance from the nearest end, and not more than the scale of s.
    pub(super) fn room(&self, s: Dd) -> f64 {
        let distances = [self.low, self.high].into_iter().flatten().map(|end| (end - s).to_f64().abs());
        distances.fold(scale(s), f64::min)
    }

    /// A step in parts that are no longer than half of what is left to an end beyond it: V_eff may have a pole there that w has not.
    pub(super) fn parts(&self, from: Dd, to: Dd) -> Vec<(Dd, Dd)> {
        let end = if to > from { self.high } else { self.low };
        let mut out = Vec::new();
        let mut s = from;
        while let Some(end) = end
            && (to - s).to_f64().abs() > 0.75 * (end - s).to_f64().abs()
        {
            let next = s + (end - s) * Dd::from(0.5);
            out.push((s, next));
            s = next;
        }
        out.push((s, to));
        out
    }

    /// The end that s is at.
    pub(super) fn at(&self, s: Dd) -> Option<Dd> {
        let near = AT_END * scale(s);
        [self.low, self.high].into_iter().flatten().find(|end| (*end - s).to_f64().abs() <= near)
    }

    pub(super) fn course(&self, upward: bool) -> Course {
        match (if upward { self.high } else { self.low }, self.angle) {
            (Some(at), _) => Course::ReachesEnd { at },
            (None, true) => Course::GoesRound,
            (None, false) => Course::Unbounded { upward },
        }
    }
}

/// The interval of the variable.
pub(super) fn ends(system: &mut System, model: &Model, shape: &Shape) -> Result<Ends, NoMotion> {
    if shape.cosine.is_some() {
        let exact = [Some(system.graph.zero()), Some(system.graph.pi())];
        return Ok(Ends { low: Some(Dd::ZERO), high: Some(Dd::PI), angle: true, exact });
    }
    if shape.place.is_some() {
        let exact = [Some(system.graph.zero()), None];
        return Ok(Ends { low: Some(Dd::ZERO), high: None, angle: false, exact });
    }
    let values = model.parameter_digits().map_err(NoMotion::Undefined)?;
    let arithmetic = Digits::decimal(DIGITS);
    let interval = system.configuration.intervals().find(|i| i.coordinate == shape.variable);
    Ok(match interval {
        Some(Interval { low, high, .. }) => {
            let ends = system.graph.evaluate(&arithmetic, &[low, high], &values).map_err(NoMotion::Undefined)?;
            let exact = [Some(low), Some(high)];
            Ends { low: Some(dd(&ends[0])), high: Some(dd(&ends[1])), angle: false, exact }
        }
        None => {
            let factors = system.configuration.factors();
            let angle = factors.iter().filter(|f| f.coordinate().is_some()).any(|f| f.angle() == Some(shape.variable));
            Ends { low: None, high: None, angle, exact: [None; 2] }
        }
    })
}

/// s, ṡ and w at the start; an s that is no coordinate joins the values.
pub(super) fn start(
    system: &mut System,
    shape: &Shape,
    ends: &Ends,
    values: &mut FxHashMap<Symbol, Real>,
) -> Result<State, NoMotion> {
    let arithmetic = Digits::decimal(DIGITS);
    if let Some(place) = shape.place {
        let value = system.graph.evaluate(&arithmetic, &[place], values).map_err(NoMotion::Undefined)?.remove(0);
        values.insert(shape.variable, value);
    }
    let mut wanted = vec![system.graph.var(shape.variable), shape.speed_definition];
    wanted.extend(shape.unknowns.iter().map(|u| u.definition));
    let found = match system.graph.evaluate(&arithmetic, &wanted, values) {
        Ok(found) => found,
        Err(e) => {
            // at a pole of s its rate is 0/0
            let s = values.get(&shape.variable).map_or(Dd::ZERO, dd);
            let variable = system.graph.name(shape.variable).to_string();
            return Err(ends.at(s).map_or(NoMotion::Undefined(e), |at| NoMotion::AtEnd { variable, at }));
        }
    };
    let found: Vec<Dd> = found.iter().map(dd).collect();
    let gained = vec![Dd::ZERO; shape.quadratures.len()];
    Ok(State { s: found[0], speed: found[1], w: found[2..].to_vec(), gained })
}

/// Letters of levels, and their values.
type Levels = Vec<(Symbol, Dd)>;

/// Numbers for the parameters and for the levels, and the latter by themselves.
pub(super) fn constants(
    system: &mut System,
    shape: &Shape,
    values: &FxHashMap<Symbol, Real>,
) -> Result<(FxHashMap<Symbol, Expr>, Levels), NoMotion> {
    let arithmetic = Digits::decimal(DIGITS);
    let mut out = parameter_values(system);
    let mut levels = Vec::new();
    for (symbol, function) in &shape.levels {
        let value = system.graph.evaluate(&arithmetic, &[*function], values).map_err(NoMotion::Undefined)?.remove(0);
        // a level that is zero but for rounding was meant to be zero
        let exact = if value.to_f64().value().abs() < 1e-30 {
            system.graph.zero()
        } else {
            let r = arithmetic.exact(&value);
            system.graph.number(r)
        };
        levels.push((*symbol, if system.graph.is_zero(exact) { Dd::ZERO } else { dd(&value) }));
        out.insert(*symbol, exact);
    }
    Ok((out, levels))
}
