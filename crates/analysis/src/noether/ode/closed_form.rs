//! What follows from a linear system: single equations whose solution can be written down, and functions of s on positions.

use super::super::budget::SOLUTION_EXPONENT_DEGREE;
use super::LinearSystem;
use super::variable::Variable;
use crate::noether::basis::monomials;
use crate::noether::exponential::{Summand, solution};
use crate::noether::powers::{collect, exponents, factors, product as power_product};
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol};
use polhode_mechanics::system::System;

impl LinearSystem {
    /// Functions at one of the positions with the same s: one rotation for every θ, where the variable is the angle of an entry; one azimuth, and any rotation, where
    /// a pair of coordinates turns; unchanged where the variable is a coordinate.
    pub fn at_example(&self, system: &mut System, functions: &[Expr]) -> Vec<Expr> {
        let mut example = self.on.example(&mut system.graph);
        if self.on.radius().is_some() {
            example.extend(super::some_rotations(system));
        }
        system.graph.substitute_all(functions, &example)
    }

    /// Whether [`LinearSystem::at_example`] says something of one position only.
    pub fn has_example(&self) -> bool {
        !matches!(self.on, Variable::Coordinate(_))
    }

    /// A function of θ or ρ as a function of the position.
    pub fn on_position(&self, system: &mut System, function: Expr) -> Expr {
        match (&self.on, self.cosine) {
            (_, Some(entry)) => without_angle(&mut system.graph, function, self.variable, entry),
            (Variable::Turned { radius, .. }, _) => {
                let rho = self.on.distance(&mut system.graph);
                let put = [(*radius, rho)].into_iter().collect();
                system.graph.substitute(function, &put)
            }
            _ => function,
        }
    }

    /// s in the positions, where it is no coordinate: θ = atan2(√(1 − R_ij²), R_ij), ρ = √(x² + y²).
    pub fn place(&self, system: &mut System) -> Option<Expr> {
        let graph = &mut system.graph;
        match &self.on {
            Variable::Coordinate(_) | Variable::Turned { along: Some(_), .. } => None,
            Variable::Entry { .. } => {
                let entry = self.cosine?;
                let sine = sine_of(graph, entry);
                Some(graph.atan2(sine, entry))
            }
            Variable::Turned { along: None, .. } => Some(self.on.distance(graph)),
        }
    }

    /// A function whose rate is ṡ times the factor that comes with it.
    pub fn followed(&self, system: &mut System) -> (Expr, Expr) {
        let graph = &mut system.graph;
        let s = graph.var(self.variable);
        let factor = match &self.on {
            Variable::Entry { .. } => {
                let sine = graph.sin(s);
                graph.neg(sine)
            }
            Variable::Turned { along: None, .. } => graph.scale(s, &polhode_expr::number::int(2)),
            _ => graph.one(),
        };
        (self.on.expression(graph), factor)
    }

    /// ρ, and the pair (x, y) that turns about the axis.
    pub fn turned(&self) -> Option<(Symbol, [Symbol; 2])> {
        match &self.on {
            Variable::Turned { pair, radius, .. } => Some((*radius, *pair)),
            _ => None,
        }
    }

    /// The rate of the azimuth of that pair, in velocities of the model.
    pub fn azimuth(&self, system: &mut System) -> Option<Expr> {
        let Variable::Turned { pair, vectors, .. } = &self.on else { return None };
        let graph = &mut system.graph;
        let [x, y] = pair.map(|s| graph.var(s));
        let [a, b] = *vectors.first()?;
        let (xb, ya, xx, yy) = (graph.mul(x, b), graph.mul(y, a), graph.powi(x, 2), graph.powi(y, 2));
        let (above, below) = (graph.sub(xb, ya), graph.add(xx, yy));
        Some(graph.div(above, below))
    }

    /// The rotation, row and column of the entry whose angle is the variable.
    pub fn entry(&self) -> Option<([Symbol; 9], usize, usize)> {
        match &self.on {
            Variable::Entry { rotation, row, column, .. } => Some((*rotation, *row, *column)),
            _ => None,
        }
    }

    /// Number of integrals.
    pub fn order(&self) -> usize {
        self.velocities.len()
    }

    /// The equations for one coefficient that arise when all others vanish, where that is possible.
    pub(crate) fn singles(&self, system: &System) -> Vec<LinearSystem> {
        let m = self.order();
        let alone = |j: usize| (0..m).all(|i| i == j || system.graph.is_zero(self.matrix[(i, j)]));
        let single = |j: usize| LinearSystem {
            variable: self.variable,
            cosine: self.cosine,
            on: self.on.clone(),
            velocities: vec![self.velocities[j]],
            matrix: self.matrix.select(&[j], &[j]),
        };
        (0..m).filter(|j| alone(*j)).map(single).collect()
    }

    /// A as a function of the position, without the angle of an entry.
    pub(crate) fn matrix_on_the_position(&self, system: &mut System) -> Matrix {
        let Some(entry) = self.cosine else { return self.matrix.clone() };
        let m = self.order();
        Matrix::from_fn(m, m, |i, j| without_angle(&mut system.graph, self.matrix[(i, j)], self.variable, entry))
    }

    /// What the variable changes by when the positions do; for the angle of an entry θ̇ = −ṡ/√(1 − s²).
    pub(crate) fn variable_along(&self, system: &mut System, rates: &Rates) -> Expr {
        let graph = &mut system.graph;
        let Some(entry) = self.cosine else {
            let s = graph.var(self.variable);
            return graph.along(s, rates);
        };
        let slope = graph.along(entry, rates);
        let sine = sine_of(graph, entry);
        let ratio = graph.div(slope, sine);
        graph.neg(ratio)
    }

    /// The solution of a single equation with an exponential of monomials, where there is one.
    fn exponential(
        &self,
        system: &mut System,
        bases: &[Expr],
        logarithmic: &[Vec<Expr>],
        atoms: [Expr; 3],
    ) -> Option<Expr> {
        let mut summands: Vec<Summand> = bases.iter().map(|b| Summand::Log(*b)).collect();
        let mut columns = logarithmic.to_vec();
        let found = monomials(system, &atoms, SOLUTION_EXPONENT_DEGREE, usize::MAX);
        for f in found.into_iter().skip(1).map(|c| c.function) {
            for f in [f, system.graph.powi(f, -1)] {
                summands.push(Summand::Plain(f));
                columns.push(vec![system.graph.derivative(f, self.variable)]);
            }
        }
        solution(system, &summands, &columns, &[self.matrix[(0, 0)]])
    }

    /// The integral in closed form, if the system is a single equation whose solution is a product of powers and exponentials.
    pub(crate) fn closed_form(&self, system: &mut System) -> Option<Expr> {
        let [w] = self.velocities[..] else { return None };
        let a = self.matrix[(0, 0)];
        if system.graph.is_zero(a) {
            return Some(w);
        }
        let x = system.graph.var(self.variable);
        let (sin, cos) = (system.graph.sin(x), system.graph.cos(x));
        let mut bases = Vec::new();
        let more = factors(system, a, &[self.variable]);
        collect(&mut bases, more);
        collect(&mut bases, vec![x, sin, cos]);
        let graph = &mut system.graph;
        let columns: Vec<Vec<Expr>> = bases
            .iter()
            .map(|b| {
                let slope = graph.derivative(*b, self.variable);
                vec![graph.div(slope, *b)]
            })
            .collect();
        let mut rho = match exponents(system, &columns, &[a]) {
            Some(powers) => power_product(&mut system.graph, &bases, &powers),
            None => self.exponential(system, &bases, &columns, [x, sin, cos])?,
        };
        if let Some(entry) = self.cosine {
            rho = without_angle(&mut system.graph, rho, self.variable, entry);
        }
        Some(system.graph.mul(rho, w))
    }
}

/// cos θ as the entry that it is, sin θ as √(1 − cos²θ).
fn without_angle(graph: &mut Graph, e: Expr, theta: Symbol, entry: Expr) -> Expr {
    let angle = graph.var(theta);
    let (sin, cos) = (graph.sin(angle), graph.cos(angle));
    let sine = sine_of(graph, entry);
    graph.rebuild(&[e], |_, n| if n == sin { Some(sine) } else { (n == cos).then_some(entry) })[0]
}

/// √(1 − s²).
fn sine_of(graph: &mut Graph, cosine: Expr) -> Expr {
    let (one, square) = (graph.one(), graph.powi(cosine, 2));
    let rest = graph.sub(one, square);
    graph.sqrt(rest)
}
