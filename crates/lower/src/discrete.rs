//! The discrete Lagrange–d'Alembert equations \[CortesMartinez2001\] as tapes.
//!
//! With the midpoint discrete Lagrangian of a step from q₀ to q₁,
//!
//! ```text
//! L_d(q₀, q₁) = h L(q_m, w, t + h/2),      q_m the midpoint,  w the mean velocity,        (L)
//! ```
//!
//! the momentum p that arrives at q₀, the next position and the multipliers μ satisfy
//!
//! ```text
//! p + D₁L_d(q₀, q₁) + ½ h F_m + Σ μ_ν A_ν(q₀) = 0,
//! A(q_m) w + a₀(q_m) = 0      (for a holonomic constraint: h(q₁) = 0),                   (D)
//! p⁺ = D₂L_d(q₀, q₁) + ½ h F_m.
//! ```
//!
//! A coordinate has q_m = ½(q₀ + q₁) and w = (q₁ − q₀)/h. A rotation has q₁ = q₀ ∘ (1, a)/|(1, a)|
//! with a = ½ h Ω (the Cayley map), and q_m = (q₀ + q₁)/|q₀ + q₁|; a body-fixed turn ξ of one end
//! changes the mean angular velocity and turns the midpoint by
//!
//! ```text
//! at q₀:  δΩ = −(ξ − a×ξ + a (a·ξ))/h,   η_m = ½ (ξ − b×ξ),
//! at q₁:  δΩ = +(ξ + a×ξ + a (a·ξ))/h,   η_m = ½ (ξ + b×ξ),      b = a/(1 + √(1 + a²)).
//! ```
//!
//! Plane and space motions are taken as coordinates and a rotation. p belongs to the constraint
//! covectors only up to Σ μ A, so the velocity at a node is the one that M v = p + Aᵀμ, A v = −a₀
//! determine.
//!
//! The unknowns of (D) are z = (coordinate rates and Ω, μ); the state is (positions, p).
//!
//! Both L_d and (D) are symmetric, so the order is 2; momenta of symmetries that the constraints leave alone are
//! kept to rounding. `crates/simulate/tests/discrete.rs` measures both.

use crate::expression::{Lowering, NotLowered};
use crate::state::{Place, Positions};
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Symbol};
use polhode_mechanics::System;
use polhode_model::PlaneMotion;
use polhode_tape::{Builder, Dd, Op, Tape, Value, passes};
use rustc_hash::FxHashMap;
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
    /// A factor of the configuration space for which no discrete velocity is defined here.
    Direction(String),
    /// A point that velocities carry along, such as a point of contact.
    Carried(String),
    /// The equations are no program.
    NotLowered(NotLowered),
}

impl fmt::Display for NotDiscrete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotDiscrete::Direction(name) => {
                write!(f, "the discrete method knows coordinates and rotations, but `{name}` is a direction (S2)")
            }
            NotDiscrete::Carried(name) => {
                write!(f, "the discrete method knows coordinates and rotations, but `{name}` is a point of contact")
            }
            NotDiscrete::NotLowered(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for NotDiscrete {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NotDiscrete::NotLowered(e) => Some(e),
            _ => None,
        }
    }
}

impl From<NotLowered> for NotDiscrete {
    fn from(e: NotLowered) -> Self {
        NotDiscrete::NotLowered(e)
    }
}

/// The system in coordinate rates and body angular velocities.
struct Chart {
    positions: Positions,
    /// One symbol per discrete velocity: coordinate rates and angular velocities.
    rates: Vec<Symbol>,
    /// For each place the first of its rates.
    first: Vec<usize>,
    /// The velocities of the model in terms of the rates.
    velocities: Vec<Expr>,
}

impl Chart {
    fn new(system: &mut System) -> Result<Chart, NotDiscrete> {
        let configuration = system.configuration.clone();
        if let Some(f) = configuration.factors().iter().find(|f| f.is_carried()) {
            return Err(NotDiscrete::Carried(f.name.clone()));
        }
        let positions = Positions::of(&configuration);
        let graph = &mut system.graph;
        let (mut rates, mut first) = (Vec::new(), Vec::new());
        let mut rate_of: FxHashMap<Symbol, Expr> = FxHashMap::default();
        for place in &positions.places {
            first.push(rates.len());
            match place {
                Place::Plain { symbol, .. } => {
                    let s = graph.symbol(&format!("rate of {}", graph.name(*symbol)));
                    rate_of.insert(*symbol, graph.var(s));
                    rates.push(s);
                }
                Place::Rotation { omega, .. } => rates.extend(omega),
                Place::Direction { vector, .. } => {
                    let name = graph.name(vector[0]).trim_end_matches("[1]").to_string();
                    return Err(NotDiscrete::Direction(name));
                }
            }
        }
        let mut velocities = Vec::new();
        for f in configuration.factors() {
            velocities.extend(f.coordinate().map(|x| rate_of[&x]));
            if let Some(PlaneMotion { place: [x, y], angle, .. }) = f.plane_motion() {
                let theta = graph.var(angle);
                let (s, c) = (graph.sin(theta), graph.cos(theta));
                let minus = graph.neg(s);
                for (p, q) in [(c, s), (minus, c)] {
                    let (p, q) = (graph.mul(p, rate_of[&x]), graph.mul(q, rate_of[&y]));
                    velocities.push(graph.add(p, q));
                }
                velocities.push(rate_of[&angle]);
            }
            let Some(turn) = f.rotation() else { continue };
            if let Some(shift) = f.translation() {
                for j in 0..3 {
                    let parts: Vec<Expr> = (0..3)
                        .map(|i| {
                            let r = graph.var(turn.matrix[3 * i + j]);
                            graph.mul(r, rate_of[&shift.place[i]])
                        })
                        .collect();
                    velocities.push(graph.sum(parts));
                }
            }
            velocities.extend(turn.omega.map(|s| graph.var(s)));
        }
        Ok(Chart { positions, rates, first, velocities })
    }

    /// Components on the rates of a covector given on the velocities: Σ_A c_A ∂v^A/∂rate_i.
    fn pull_back(&self, graph: &mut Graph, covector: &[Expr]) -> Vec<Expr> {
        (self.rates.iter())
            .map(|s| {
                let terms: Vec<Expr> = (self.velocities.iter().zip(covector))
                    .map(|(v, c)| {
                        let slope = graph.derivative(*v, *s);
                        graph.mul(slope, *c)
                    })
                    .collect();
                graph.sum(terms)
            })
            .collect()
    }
}

/// The expressions that (D) is made of, in positions and rates.
struct Parts {
    /// b_i(L): derivatives by position along the frame of the rates.
    push: Vec<Expr>,
    /// ∂L/∂rate_i.
    momentum: Vec<Expr>,
    /// F on the rates.
    force: Vec<Expr>,
    /// Independent rows on the rates.
    rows: Vec<Vec<Expr>>,
    /// A v + a₀.
    residuals: Vec<Expr>,
    /// h for rows of holonomic constraints.
    holonomic: Vec<Option<Expr>>,
}

impl Parts {
    fn new(system: &mut System, chart: &Chart, holonomic: &[(usize, Expr)]) -> Parts {
        let d = system.distribution.clone();
        let in_rates: FxHashMap<Symbol, Expr> =
            system.configuration.velocities().iter().copied().zip(chart.velocities.iter().copied()).collect();
        let graph = &mut system.graph;
        let lagrangian = graph.substitute(system.lagrangian, &in_rates);
        let force: Vec<Expr> = system.forces.iter().map(|f| graph.substitute(*f, &in_rates)).collect();
        let force = chart.pull_back(graph, &force);
        let momentum = chart.rates.iter().map(|s| graph.derivative(lagrangian, *s)).collect();
        let mut push = Vec::new();
        for place in &chart.positions.places {
            match place {
                Place::Plain { symbol, .. } => push.push(graph.derivative(lagrangian, *symbol)),
                Place::Rotation { matrix, .. } => {
                    for axis in 0..3 {
                        let turn = body_turn(graph, matrix, axis);
                        push.push(graph.along(lagrangian, &turn));
                    }
                }
                Place::Direction { .. } => unreachable!("refused before"),
            }
        }
        let (mut rows, mut residuals, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for r in &d.elimination.rows {
            let row = &d.rows[*r];
            rows.push(chart.pull_back(graph, &row.a));
            let mut terms = vec![row.a0];
            terms.extend(row.a.iter().zip(&chart.velocities).map(|(a, v)| graph.mul(*a, *v)));
            residuals.push(graph.sum(terms));
            let constraint = r.checked_sub(d.representation);
            held.push(holonomic.iter().find(|(c, _)| Some(*c) == constraint).map(|(_, h)| *h));
        }
        Parts { push, momentum, force, rows, residuals, holonomic: held }
    }
}

/// The vector field R ê_axis on the entries of a rotation.
fn body_turn(graph: &mut Graph, matrix: &[Symbol; 9], axis: usize) -> polhode_expr::Rates {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut rates = polhode_expr::Rates::default();
    for i in 0..3 {
        // Ṙ = R Ω̂ with Ω = e_axis: column j becomes column k, column k minus column j
        let (rj, rk) = (graph.var(matrix[3 * i + j]), graph.var(matrix[3 * i + k]));
        rates.insert(matrix[3 * i + j], rk);
        rates.insert(matrix[3 * i + k], graph.scale(rj, &int(-1)));
    }
    rates
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
        let unknowns = chart.rates.len() + multipliers;
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
        for (s, v) in chart.rates.iter().zip(self.z.clone()) {
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
    fn end_momenta(&mut self, chart: &Chart, parts: &Parts, end: f64) -> Result<Vec<Value>, NotLowered> {
        let momentum = self.l.values(&parts.momentum)?;
        let mut push = self.l.values(&parts.push)?;
        for (e, f) in push.iter_mut().zip(self.l.values(&parts.force)?) {
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
    let chart = Chart::new(system)?;
    let parts = Parts::new(system, &chart, holonomic);
    let mut state = chart.positions.names(&system.graph);
    state.extend(chart.rates.iter().map(|s| format!("momentum.{}", system.graph.name(*s).replace(' ', "."))));
    let multipliers = parts.rows.len();
    let unknowns = chart.rates.len() + multipliers;

    let mut step = Step::new(system, &chart, &state, multipliers);
    let t = step.t;
    let q0 = step.q0.clone();
    step.bind(system, &chart, t, &q0);
    let mut balance = step.p.clone();
    for (nu, row) in parts.rows.iter().enumerate() {
        for (i, a) in step.l.values(row)?.into_iter().enumerate() {
            let b = &mut step.l.builder;
            let push = b.mul(a, step.z[chart.rates.len() + nu]);
            balance[i] = b.add(balance[i], push);
        }
    }
    let end = step.l.builder.add(t, step.h);
    let q1 = step.q1.clone();
    step.bind(system, &chart, end, &q1);
    let mut closed = Vec::new();
    for h in &parts.holonomic {
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
    let first = step.end_momenta(&chart, &parts, -1.0)?;
    let residuals = step.l.values(&parts.residuals)?;
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
    let last = step.end_momenta(&chart, &parts, 1.0)?;
    for (name, value) in state.iter().zip(step.q1.clone().into_iter().chain(last)) {
        step.l.builder.output(format!("next.{name}"), value);
    }
    let update = passes::finish(step.l.builder);
    let (begin, reveal) = (begin(system, &chart, &parts, &state)?, reveal(system, &chart, &state)?);
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
fn begin(system: &mut System, chart: &Chart, parts: &Parts, names: &[String]) -> Result<Tape, NotLowered> {
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
            l.bind(chart.rates[rate], sum);
        }
    }
    let momenta = l.values(&parts.momentum)?;
    for (name, value) in names.iter().zip(values[..n].iter().copied().chain(momenta)) {
        l.builder.output(format!("begin.{name}"), value);
    }
    for (i, s) in chart.rates.iter().enumerate() {
        let rate = l.symbol(*s)?;
        l.builder.output(format!("guess.{}", i + 1), rate);
    }
    Ok(passes::finish(l.builder))
}

/// The velocity at a node: M v = p + Aᵀμ, A v = −a₀.
fn reveal(system: &mut System, chart: &Chart, names: &[String]) -> Result<Tape, NotLowered> {
    let velocities = system.configuration.velocities().to_vec();
    let graph = &mut system.graph;
    let p: Vec<Symbol> = chart.rates.iter().map(|s| graph.symbol(&format!("momentum {}", graph.name(*s)))).collect();
    // p_A = Σ_i p_i B_iA: the inverse of the pull-back, by solving ∂v/∂rate
    let n = velocities.len();
    let slopes = Matrix::from_fn(n, n, |i, a| graph.derivative(chart.velocities[a], chart.rates[i]));
    let rhs = Matrix::from_fn(n, 1, |i, _| graph.var(p[i]));
    let mut zero = polhode_expr::ZeroTest::new(graph);
    let inverse = polhode_expr::inverse(graph, &mut zero, &slopes).expect("rates and velocities determine each other");
    let momentum = inverse.mul(graph, &rhs).col(0);
    let nodes = system.velocities_of_momenta(&momentum);
    let (mut l, values) = declare(system, chart, names);
    p.iter().zip(&values[chart.positions.len..]).for_each(|(s, v)| l.bind(*s, *v));
    let revealed = l.values(&nodes)?;
    let velocities = velocities.iter().map(|s| system.graph.name(*s).to_string());
    let outputs = values[..chart.positions.len].iter().copied().chain(revealed);
    for (name, value) in names[..chart.positions.len].iter().cloned().chain(velocities).zip(outputs) {
        l.builder.output(format!("reveal.{name}"), value);
    }
    Ok(passes::finish(l.builder))
}
