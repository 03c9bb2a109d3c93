//! Vector fields on the configuration space and what they do to velocities, forms and functions.
//!
//! A field X is known by the rates of the positions, and by its components on the base frame. It may depend on time. With
//! [X, b_B] = M^A_B b_A its flow changes the components of a velocity by
//!
//! ```text
//! δv^A = −M^A_B v^B + ∂X^A/∂t                                                                (L1)
//! ```
//!
//! and the Lie derivative of a form α = α_A β^A (a row of constraints, a force) has the components
//!
//! ```text
//! (L_X α)_B = X(α_B) − α_A M^A_B.                                                            (L2)
//! ```

use crate::system::System;
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol};
use polhode_model::{Configuration, Generator};

/// A vector field.
#[derive(Clone, Debug)]
pub struct Field {
    /// As written, or as it would be written.
    pub text: String,
    /// The rates of the positions.
    pub rates: Rates,
    /// Its components on the base frame.
    pub components: Vec<Expr>,
    /// M: column B holds the components of [X, b_B].
    pub mixing: Matrix,
    /// ∂X^A/∂t: what the flow adds to velocities.
    pub boost: Vec<Expr>,
    /// What the rates of carried positions (points of contact) change by along the field: zero for a symmetry.
    pub dragged: Vec<Expr>,
}

impl Field {
    /// The field with these rates; `None` when they leave the configuration space, such as a rate of R that is not R Ω̂.
    pub fn new(system: &mut System, text: &str, rates: Rates) -> Option<Field> {
        let configuration = system.configuration.clone();
        let components = configuration.components_along(&mut system.graph, &rates);
        let back = configuration.rates_along(&mut system.graph, &components);
        for factor in configuration.factors().iter().filter(|f| !f.velocities.is_empty()) {
            for s in &factor.positions {
                let zero = system.graph.zero();
                let (given, kept) = (rates.get(s).copied().unwrap_or(zero), back.get(s).copied().unwrap_or(zero));
                let difference = system.graph.sub(given, kept);
                if !system.is_zero(difference) {
                    return None;
                }
            }
        }
        let time = system.time;
        let graph = &mut system.graph;
        let components: Vec<Expr> = components.into_iter().map(|e| graph.simplify_small(e)).collect();
        let (mixing, mut dragged) = mixing(graph, &configuration, &rates);
        let boost: Vec<Expr> = components.iter().map(|e| graph.derivative(*e, time)).collect();
        let along = configuration.rates_along(graph, &boost);
        for s in carried(&configuration) {
            let zero = graph.zero();
            let given = graph.derivative(rates.get(&s).copied().unwrap_or(zero), time);
            dragged.push(graph.sub(given, along.get(&s).copied().unwrap_or(zero)));
        }
        Some(Field { text: text.to_string(), rates, components, mixing, boost, dragged })
    }

    /// Does the field change with time?
    pub fn depends_on_time(&self, graph: &Graph) -> bool {
        self.boost.iter().any(|e| !graph.is_zero(*e))
    }

    /// A field of the model.
    pub fn of(system: &mut System, generator: &Generator) -> Option<Field> {
        Field::new(system, &generator.text, generator.rates.iter().copied().collect())
    }

    /// X^(1): the rates of positions and velocities along the flow, (L1).
    pub fn lifted(&self, graph: &mut Graph, configuration: &Configuration) -> Rates {
        let mut rates = self.rates.clone();
        let v: Vec<Expr> = configuration.velocities().iter().map(|s| graph.var(*s)).collect();
        for (a, s) in configuration.velocities().iter().enumerate() {
            let mut items: Vec<_> = (0..v.len()).map(|b| (graph.mul(self.mixing[(a, b)], v[b]), int(-1))).collect();
            items.push((self.boost[a], int(1)));
            let change = graph.linear(items);
            if !graph.is_zero(change) {
                rates.insert(*s, change);
            }
        }
        rates
    }

    /// (L2) for a form whose components may contain velocities.
    pub fn lie_derivative(&self, graph: &mut Graph, configuration: &Configuration, form: &[Expr]) -> Vec<Expr> {
        let lifted = self.lifted(graph, configuration);
        let change = graph.along_all(form, &lifted);
        (0..form.len())
            .map(|b| {
                let mut items = vec![(change[b], int(1))];
                items.extend((0..form.len()).map(|a| (graph.mul(form[a], self.mixing[(a, b)]), int(-1))));
                graph.linear(items)
            })
            .collect()
    }
}

/// Positions without velocities of their own: points of contact.
fn carried(configuration: &Configuration) -> Vec<Symbol> {
    let carried = configuration.factors().iter().filter(|f| f.is_carried());
    carried.flat_map(|f| f.positions.iter().copied()).collect()
}

/// The components of [X, b_B] for all fields of the base frame, and what is left of it on carried positions.
fn mixing(graph: &mut Graph, configuration: &Configuration, rates: &Rates) -> (Matrix, Vec<Expr>) {
    let n = configuration.velocities().len();
    let mut out = Matrix::zeros(graph, n, n);
    let mut dragged = Vec::new();
    let carried = carried(configuration);
    for b in 0..n {
        let unit: Vec<Expr> = (0..n).map(|k| if k == b { graph.one() } else { graph.zero() }).collect();
        let field = configuration.rates_along(graph, &unit);
        let bracket = bracket(graph, configuration, rates, &field);
        for (a, e) in configuration.components_along(graph, &bracket).into_iter().enumerate() {
            out[(a, b)] = graph.simplify_small(e);
        }
        if !carried.is_empty() {
            let along = configuration.rates_along(graph, &out.col(b));
            let zero = graph.zero();
            for s in &carried {
                let (given, wanted) = (*bracket.get(s).unwrap_or(&zero), *along.get(s).unwrap_or(&zero));
                dragged.push(graph.sub(given, wanted));
            }
        }
    }
    (out, dragged)
}

/// [X, Y] from the rates of the positions: X(Y^i) − Y(X^i).
pub(crate) fn bracket(graph: &mut Graph, configuration: &Configuration, x: &Rates, y: &Rates) -> Rates {
    let zero = graph.zero();
    let get = |rates: &Rates| -> Vec<Expr> {
        configuration.positions().iter().map(|s| rates.get(s).copied().unwrap_or(zero)).collect()
    };
    let (of_x, of_y) = (get(x), get(y));
    let (plus, minus) = (graph.along_all(&of_y, x), graph.along_all(&of_x, y));
    let mut out = Rates::default();
    for (i, s) in configuration.positions().iter().enumerate() {
        let rate = graph.sub(plus[i], minus[i]);
        if !graph.is_zero(rate) {
            out.insert(*s, rate);
        }
    }
    out
}
