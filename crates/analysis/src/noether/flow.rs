//! The motion on D as a vector field: what every position, quasi-velocity and the time change by.
//!
//! ```text
//! X = ∂_t + e₀ + ξ^a e_a + ξ̇^a(q, ξ, t) ∂/∂ξ^a          v = e₀ + ξ^a e_a
//! ```
//!
//! A function f(q, v, t) is restricted to D first and differentiated along X afterwards, which is its time derivative on every motion.

use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol};
use polhode_mechanics::forms::{Equations, Form};
use polhode_mechanics::rank::parameter_values;
use polhode_mechanics::system::System;
use polhode_model::Configuration;
use rustc_hash::FxHashMap;

/// The vector field X of the module head.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The equations of motion in quasi-velocities.
    pub equations: Equations,
    /// X on positions, quasi-velocities and time.
    pub rates: Rates,
    /// Velocities and accelerations as functions of positions and quasi-velocities.
    on_d: FxHashMap<Symbol, Expr>,
    /// The numbers that were put in for parameters; see [`Flow::at_values`].
    pub(crate) values: FxHashMap<Symbol, Expr>,
}

impl Flow {
    /// The motion of a system, in the quasi-velocities of Hamel's form.
    pub fn new(system: &mut System) -> Flow {
        let equations = match system.equations(Form::Hamel) {
            Ok(equations) => equations,
            // quasi-velocities of the model that are no coordinates on D, or friction that only multipliers know
            Err(_) => match system.equations(Form::Voronets) {
                Ok(equations) => equations,
                Err(_) => on_constraints(system),
            },
        };
        let (configuration, time) = (system.configuration.clone(), system.time);
        let graph = &mut system.graph;
        let mut rates = configuration.motion_along(graph, time, &equations.velocities);
        rates.extend(equations.unknowns.iter().copied().zip(equations.rates.iter().copied()));
        let accelerations = graph.along_all(&equations.velocities, &rates);
        let mut on_d = FxHashMap::default();
        for (a, v) in configuration.velocities().iter().enumerate() {
            on_d.insert(*v, equations.velocities[a]);
            on_d.insert(Configuration::acceleration(graph, *v), accelerations[a]);
        }
        Flow { equations, rates, on_d, values: FxHashMap::default() }
    }

    /// The same motion with the values of the model put in for its parameters.
    pub fn at_values(&self, system: &mut System) -> Flow {
        let values = parameter_values(system);
        let graph = &mut system.graph;
        let mut out = self.clone();
        let frame = &mut out.equations.frame;
        for m in [&mut frame.e, &mut frame.beta] {
            *m = Matrix::from_fn(m.rows(), m.cols(), |i, j| graph.substitute(m[(i, j)], &values));
        }
        frame.e0 = graph.substitute_all(&frame.e0, &values);
        out.equations.velocities = graph.substitute_all(&self.equations.velocities, &values);
        out.equations.rates = graph.substitute_all(&self.equations.rates, &values);
        for e in out.rates.values_mut().chain(out.on_d.values_mut()) {
            *e = graph.substitute(*e, &values);
        }
        out.values = values;
        out
    }

    /// Functions of position, velocity and acceleration as functions on D.
    pub fn on_d(&self, graph: &mut Graph, functions: &[Expr]) -> Vec<Expr> {
        graph.substitute_all(functions, &self.on_d)
    }

    /// The time derivatives of functions on D.
    pub fn rates_of(&self, graph: &mut Graph, functions: &[Expr]) -> Vec<Expr> {
        graph.along_all(functions, &self.rates)
    }

    /// The quasi-velocities ξ as functions of position and velocity.
    pub(crate) fn shown_unknowns(&self, system: &mut System) -> Vec<Expr> {
        let unknowns: Vec<Expr> = self.equations.unknowns.iter().map(|s| system.graph.var(*s)).collect();
        let definitions = self.equations.definitions.iter().copied().collect();
        system.graph.substitute_all(&unknowns, &definitions)
    }

    /// A function on D in the velocities of the model, with no quasi-velocity that was chosen by the program.
    pub fn shown(&self, system: &mut System, f: Expr) -> Expr {
        let own: Vec<Symbol> = system.quasi_velocities.iter().map(|(s, _)| *s).collect();
        let chosen = |s: &Symbol| !own.contains(s) && !system.configuration.velocities().contains(s);
        if !self.equations.unknowns.iter().any(chosen) {
            return f;
        }
        let configuration = system.configuration.clone();
        self.equations.in_velocities(&mut system.graph, &configuration, &[f])[0]
    }
}

/// What positions change by along each field of the base frame. A unit vector s is moved along the sphere, by the tangential
/// part e_i − s_i s of each axis: what s does off the sphere has no meaning, and |s|² = 1 may have been used.
pub(crate) fn directions(system: &mut System) -> Vec<Rates> {
    let configuration = system.configuration.clone();
    let graph = &mut system.graph;
    let (zero, one) = (graph.zero(), graph.one());
    let n = configuration.velocities().len();
    let mut fields = vec![vec![zero; n]; n];
    fields.iter_mut().enumerate().for_each(|(a, field)| field[a] = one);
    let mut first = 0;
    for factor in configuration.factors() {
        if let Some(s) = factor.direction() {
            let s = s.map(|s| graph.var(s));
            for i in 0..3 {
                for j in 0..3 {
                    let normal = graph.mul(s[i], s[j]);
                    fields[first + i][first + j] = graph.sub(if i == j { one } else { zero }, normal);
                }
            }
        }
        first += factor.velocities.len();
    }
    fields.iter().map(|field| configuration.rates_along(graph, field)).collect()
}

/// The accelerations of the form with multipliers on D, in independent velocities.
fn on_constraints(system: &mut System) -> Equations {
    let all = system.equations(Form::Multipliers).unwrap_or_else(|_| unreachable!("multipliers always apply"));
    let frame = system.voronets_frame();
    let velocities = frame.velocities(&mut system.graph);
    let symbols = system.configuration.velocities().to_vec();
    let on_d: FxHashMap<Symbol, Expr> = symbols.iter().copied().zip(velocities.iter().copied()).collect();
    let g = &mut system.graph;
    let accelerations = g.substitute_all(&all.rates, &on_d);
    let place = |s: &Symbol| symbols.iter().position(|v| v == s).expect("Voronets' unknowns are velocities");
    let rates = frame.xi.iter().map(|s| accelerations[place(s)]).collect();
    Equations { unknowns: frame.xi.clone(), frame, velocities, rates, ..all }
}
