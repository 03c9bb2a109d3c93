//! The discrete Lagrange–d'Alembert equations as tapes.
//!
//! [`Principle`] has the equations (L) and (D), in coordinate rates and Ω. What is left to do is the step of a quaternion. A rotation has
//! q₁ = q₀ ∘ (1, a)/|(1, a)| with a = ½ h Ω (the Cayley map), and q_m = (q₀ + q₁)/|q₀ + q₁|; a body-fixed turn ξ of one end
//! changes the mean angular velocity and turns the midpoint by
//!
//! ```text
//! at q₀:  δΩ = −(ξ − a×ξ + a (a·ξ))/h,   η_m = ½ (ξ − b×ξ),
//! at q₁:  δΩ = +(ξ + a×ξ + a (a·ξ))/h,   η_m = ½ (ξ + b×ξ),      b = a/(1 + √(1 + a²)).
//! ```
//!
//! The unknowns of (D) are z = (coordinate rates and Ω, μ); the state is (positions, p).

use crate::expression::{Lowering, NotLowered};
use crate::state::{Place, Positions};
use polhode_expr::Expr;
use polhode_mechanics::System;
use polhode_mechanics::discrete::{NoPrinciple, Principle};
use polhode_tape::{Builder, Dd, Op, Tape, Value, passes};
use std::fmt;

/// The tapes of one discrete step. Inputs end with the parameters.
#[derive(Clone, Debug)]
pub struct Discrete {
    /// Names of the components of the state: positions, momenta.
    pub state: Vec<String>,
    /// Number of unknowns of a step.
    pub unknowns: usize,
    /// (t, h, state, z, p) → the left sides of (D).
    pub residual: Tape,
    /// (t, h, state, z, p) → their derivatives by z, row by row.
    pub jacobian: Tape,
    /// (t, h, state, z, p) → the next state.
    pub update: Tape,
    /// (t, state of the multiplier form, p) → state, then a guess for the coordinate rates and Ω.
    pub begin: Tape,
    /// (t, state, p) → state of the multiplier form.
    pub reveal: Tape,
}

/// Why a system has no discrete equations of this kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotDiscrete {
    /// The principle does not apply.
    NoPrinciple(NoPrinciple),
    /// The equations are no program.
    NotLowered(NotLowered),
}

impl fmt::Display for NotDiscrete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotDiscrete::NoPrinciple(e) => e.fmt(f),
            NotDiscrete::NotLowered(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for NotDiscrete {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NotDiscrete::NoPrinciple(e) => Some(e),
            NotDiscrete::NotLowered(e) => Some(e),
        }
    }
}

impl From<NoPrinciple> for NotDiscrete {
    fn from(e: NoPrinciple) -> Self {
        NotDiscrete::NoPrinciple(e)
    }
}

impl From<NotLowered> for NotDiscrete {
    fn from(e: NotLowered) -> Self {
        NotDiscrete::NotLowered(e)
    }
}

/// The principle with the places of its positions in the state.
struct Chart {
    principle: Principle,
    positions: Positions,
    /// For each place the first of its rates.
    first: Vec<usize>,
}

impl Chart {
    fn new(system: &mut System, holonomic: &[(usize, Expr)]) -> Result<Chart, NoPrinciple> {
        let principle = Principle::new(system, holonomic)?;
        let positions = Positions::of(&system.configuration);
        let first = positions.places.iter().map(|p| match p {
            Place::Plain { symbol: s, .. }
            | Place::Rotation { matrix: [s, ..], .. }
            | Place::Direction { vector: [s, ..], .. } => principle.first[s],
        });
        Ok(Chart { first: first.collect(), principle, positions })
    }
}

fn cross(b: &mut Builder, u: [Value; 3], v: [Value; 3]) -> [Value; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
        let (p, q) = (b.mul(u[i], v[j]), b.mul(u[j], v[i]));
        b.sub(p, q)
    })
}

fn dot(b: &mut Builder, u: [Value; 3], v: [Value; 3]) -> Value {
    (0..3)
        .fold(None, |sum: Option<Value>, i| {
            let term = b.mul(u[i], v[i]);
            Some(sum.map_or(term, |s| b.add(s, term)))
        })
        .expect("three terms")
}

/// One discrete step while it is lowered.
struct Step<'g> {
    l: Lowering<'g>,
    t: Value,
    h: Value,
    /// Components of q₀, p and z.
    q0: Vec<Value>,
    p: Vec<Value>,
    z: Vec<Value>,
    q1: Vec<Value>,
    parameters: Vec<Value>,
}

impl<'g> Step<'g> {
    fn new(system: &'g System, chart: &Chart, names: &[String], multipliers: usize) -> Step<'g> {
        let mut l = Lowering::new(&system.graph);
        let t = l.builder.input("t");
        let h = l.builder.input("h");
        let x: Vec<Value> = names.iter().map(|n| l.builder.input(n.clone())).collect();
        let unknowns = chart.principle.rates.len() + multipliers;
        let z: Vec<Value> = (0..unknowns).map(|i| l.builder.input(format!("z.{}", i + 1))).collect();
        let parameters =
            system.parameters.iter().map(|s| l.builder.input(format!("p.{}", system.graph.name(*s)))).collect();
        let (q0, p) = (x[..chart.positions.len].to_vec(), x[chart.positions.len..].to_vec());
        let mut step = Step { l, t, h, q1: q0.clone(), q0, p, z, parameters };
        step.end_point(chart);
        step
    }

    /// a = ½ h Ω and √(1 + a²).
    fn cayley(&mut self, rate: usize) -> ([Value; 3], Value) {
        let b = &mut self.l.builder;
        let half = b.scale(self.h, 0.5);
        let a = [0, 1, 2].map(|i| b.mul(half, self.z[rate + i]));
        let square = dot(b, a, a);
        let one = b.constant(Dd::ONE);
        let sum = b.add(one, square);
        (a, b.emit(Op::Sqrt(sum)))
    }

    /// q₁ from q₀ and the rates.
    fn end_point(&mut self, chart: &Chart) {
        for (place, &rate) in chart.positions.places.iter().zip(&chart.first) {
            match place {
                Place::Plain { at, .. } => {
                    let step = self.l.builder.mul(self.h, self.z[rate]);
                    self.q1[*at] = self.l.builder.add(self.q0[*at], step);
                }
                Place::Rotation { at, .. } => {
                    let (a, length) = self.cayley(rate);
                    let q: [Value; 4] = std::array::from_fn(|i| self.q0[at + i]);
                    // q ∘ (1, a) = q + q ∘ (0, a), and q ∘ (0, a) is twice the rate of the quaternion
                    let turn = crate::state::quaternion_rate(&mut self.l.builder, q, a);
                    for i in 0..4 {
                        let b = &mut self.l.builder;
                        let step = b.scale(turn[i], 2.0);
                        let sum = b.add(q[i], step);
                        self.q1[at + i] = b.div(sum, length);
                    }
                }
                Place::Direction { .. } => unreachable!("refused before"),
            }
        }
    }

    /// Binds time, parameters, rates and the positions with these components.
    fn bind(&mut self, system: &System, chart: &Chart, t: Value, q: &[Value]) {
        self.l.forget();
        self.l.bind(system.time, t);
        chart.positions.bind(&mut self.l, q);
        for (s, v) in chart.principle.rates.iter().zip(self.z.clone()) {
            self.l.bind(*s, v);
        }
        for (s, v) in system.parameters.iter().zip(self.parameters.clone()) {
            self.l.bind(*s, v);
        }
    }

    /// Components of the midpoint.
    fn midpoint(&mut self, chart: &Chart) -> Vec<Value> {
        let mut m = self.q0.clone();
        let b = &mut self.l.builder;
        for place in &chart.positions.places {
            match place {
                Place::Plain { at, .. } => {
                    let sum = b.add(self.q0[*at], self.q1[*at]);
                    m[*at] = b.scale(sum, 0.5);
                }
                Place::Rotation { at, .. } => {
                    let sum: [Value; 4] = std::array::from_fn(|i| b.add(self.q0[at + i], self.q1[at + i]));
                    let square = sum.map(|x| b.mul(x, x)).into_iter().reduce(|x, y| b.add(x, y)).expect("four");
                    let length = b.emit(Op::Sqrt(square));
                    (0..4).for_each(|i| m[at + i] = b.div(sum[i], length));
                }
                Place::Direction { .. } => unreachable!("refused before"),
            }
        }
        m
    }

    fn mid_time(&mut self) -> Value {
        let half = self.l.builder.scale(self.h, 0.5);
        self.l.builder.add(self.t, half)
    }

    /// D₁L_d + ½ h F (for `end` = −1) or D₂L_d + ½ h F (for +1), at the midpoint.
    fn end_momenta(&mut self, chart: &Chart, end: f64) -> Result<Vec<Value>, NotLowered> {
        let momentum = self.l.values(&chart.principle.momentum)?;
        let mut push = self.l.values(&chart.principle.push)?;
        for (e, f) in push.iter_mut().zip(self.l.values(&chart.principle.force)?) {
            *e = self.l.builder.add(*e, f);
        }
        let half = self.l.builder.scale(self.h, 0.5);
        let mut out = Vec::new();
        for (place, &rate) in chart.positions.places.iter().zip(&chart.first) {
            match place {
                Place::Plain { .. } => {
                    let b = &mut self.l.builder;
                    let change = b.mul(half, push[rate]);
                    let main = b.scale(momentum[rate], end);
                    out.push(b.add(change, main));
                }
                Place::Rotation { .. } => {
                    let (a, length) = self.cayley(rate);
                    let b = &mut self.l.builder;
                    let one = b.constant(Dd::ONE);
                    let below = b.add(one, length);
                    let tilt = a.map(|x| b.div(x, below));
                    let take = |v: &[Value]| [v[rate], v[rate + 1], v[rate + 2]];
                    let (e, p) = (take(&push), take(&momentum));
                    // transposed: ξ·(p ± p×a + a (a·p)) and ξ·½(e ± e×b)
                    let (pa, eb, along) = (cross(b, p, a), cross(b, e, tilt), dot(b, a, p));
                    for i in 0..3 {
                        let radial = b.mul(along, a[i]);
                        let straight = b.add(p[i], radial);
                        let main = b.scale(straight, end);
                        let main = b.add(main, pa[i]);
                        let side = b.scale(eb[i], end);
                        let turned = b.add(e[i], side);
                        let change = b.mul(half, turned);
                        out.push(b.add(main, change));
                    }
                }
                Place::Direction { .. } => unreachable!("refused before"),
            }
        }
        Ok(out)
    }
}

/// Lowers the discrete equations of a system; `holonomic` as in [`Watched`](crate::Watched).
pub fn lower_discrete(system: &mut System, holonomic: &[(usize, Expr)]) -> Result<Discrete, NotDiscrete> {
    let chart = Chart::new(system, holonomic)?;
    let mut state = chart.positions.names(&system.graph);
    state.extend(chart.principle.rates.iter().map(|s| format!("momentum.{}", system.graph.name(*s).replace(' ', "."))));
    let multipliers = chart.principle.rows.len();
    let unknowns = chart.principle.rates.len() + multipliers;

    let mut step = Step::new(system, &chart, &state, multipliers);
    let t = step.t;
    let q0 = step.q0.clone();
    step.bind(system, &chart, t, &q0);
    let mut balance = step.p.clone();
    for (nu, row) in chart.principle.rows.iter().enumerate() {
        for (i, a) in step.l.values(row)?.into_iter().enumerate() {
            let b = &mut step.l.builder;
            let push = b.mul(a, step.z[chart.principle.rates.len() + nu]);
            balance[i] = b.add(balance[i], push);
        }
    }
    let end = step.l.builder.add(t, step.h);
    let q1 = step.q1.clone();
    step.bind(system, &chart, end, &q1);
    let mut closed = Vec::new();
    for h in &chart.principle.holonomic {
        closed.push(match h {
            Some(h) => {
                let value = step.l.value(*h)?;
                Some(step.l.builder.div(value, step.h))
            }
            None => None,
        });
    }
    let (t, m) = (step.mid_time(), step.midpoint(&chart));
    step.bind(system, &chart, t, &m);
    let first = step.end_momenta(&chart, -1.0)?;
    let residuals = step.l.values(&chart.principle.residuals)?;
    for (i, (p, d)) in balance.into_iter().zip(first).enumerate() {
        let sum = step.l.builder.add(p, d);
        step.l.builder.output(format!("balance.{}", i + 1), sum);
    }
    for (nu, (residual, position)) in residuals.into_iter().zip(closed).enumerate() {
        step.l.builder.output(format!("constraint.{}", nu + 1), position.unwrap_or(residual));
    }
    let residual = passes::finish(step.l.builder);
    let z: Vec<usize> = (0..unknowns).map(|i| 2 + state.len() + i).collect();
    let jacobian = passes::jacobian(&residual, &z);

    let mut step = Step::new(system, &chart, &state, multipliers);
    let (t, m) = (step.mid_time(), step.midpoint(&chart));
    step.bind(system, &chart, t, &m);
    let last = step.end_momenta(&chart, 1.0)?;
    for (name, value) in state.iter().zip(step.q1.clone().into_iter().chain(last)) {
        step.l.builder.output(format!("next.{name}"), value);
    }
    let update = passes::finish(step.l.builder);
    let (begin, reveal) = (begin(system, &chart, &state)?, reveal(system, &chart, &state)?);
    Ok(Discrete { state, unknowns, residual, jacobian, update, begin, reveal })
}

/// Declares time, the given components and the parameters.
fn declare<'g>(system: &'g System, chart: &Chart, names: &[String]) -> (Lowering<'g>, Vec<Value>) {
    let mut l = Lowering::new(&system.graph);
    l.input(system.time);
    let values: Vec<Value> = names.iter().map(|n| l.builder.input(n.clone())).collect();
    chart.positions.bind(&mut l, &values[..chart.positions.len]);
    for s in &system.parameters {
        l.input(*s);
    }
    (l, values)
}

/// p = ∂L/∂rate at a node.
fn begin(system: &mut System, chart: &Chart, names: &[String]) -> Result<Tape, NotLowered> {
    let n = chart.positions.len;
    let velocities = system.configuration.velocities();
    let mut inputs = names[..n].to_vec();
    inputs.extend(velocities.iter().map(|s| system.graph.name(*s).to_string()));
    // the rates: anchor times velocities
    let anchor = system.configuration.anchor(&mut system.graph);
    let (mut l, values) = declare(system, chart, &inputs);
    velocities.iter().zip(&values[n..]).for_each(|(s, v)| l.bind(*s, *v));
    for (place, &rate) in chart.positions.places.iter().zip(&chart.first) {
        if let Place::Plain { symbol, .. } = place {
            let row = system.configuration.positions().iter().position(|s| s == symbol).expect("a position");
            let mut sum = l.builder.constant(Dd::ZERO);
            for (a, v) in values[n..].iter().enumerate() {
                let b = l.value(anchor[(row, a)])?;
                let term = l.builder.mul(b, *v);
                sum = l.builder.add(sum, term);
            }
            l.bind(chart.principle.rates[rate], sum);
        }
    }
    let momenta = l.values(&chart.principle.momentum)?;
    for (name, value) in names.iter().zip(values[..n].iter().copied().chain(momenta)) {
        l.builder.output(format!("begin.{name}"), value);
    }
    for (i, s) in chart.principle.rates.iter().enumerate() {
        let rate = l.symbol(*s)?;
        l.builder.output(format!("guess.{}", i + 1), rate);
    }
    Ok(passes::finish(l.builder))
}

/// The velocity at a node.
fn reveal(system: &mut System, chart: &Chart, names: &[String]) -> Result<Tape, NotLowered> {
    let (p, nodes) = chart.principle.revealed(system);
    let (mut l, values) = declare(system, chart, names);
    p.iter().zip(&values[chart.positions.len..]).for_each(|(s, v)| l.bind(*s, *v));
    let revealed = l.values(&nodes)?;
    let velocities = system.configuration.velocities().iter().map(|s| system.graph.name(*s).to_string());
    let outputs = values[..chart.positions.len].iter().copied().chain(revealed);
    for (name, value) in names[..chart.positions.len].iter().cloned().chain(velocities).zip(outputs) {
        l.builder.output(format!("reveal.{name}"), value);
    }
    Ok(passes::finish(l.builder))
}
