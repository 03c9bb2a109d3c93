//! A reduction as it is shown: sections of lines for text, LaTeX and JSON.

use super::{Poincare, Reduction};
use crate::forms::Equations;
use crate::sheet::{Left, Line, Pairing, Section, readable_tree};
use crate::system::System;
use polhode_expr::{Expr, Matrix, Reading, Symbol, print};

impl Reduction {
    /// Everything that is shown of a reduction, with the equations in its frame.
    pub fn sections(&self, system: &mut System, poincare: &Poincare, equations: &Equations) -> Vec<Section> {
        let reading = Reading { parameters: system.parameters.clone() };
        let mut writer = Writer { system, reading, reduction: self, poincare };
        let sections = vec![
            writer.fields("vertical", "invariant vertical fields, V", "v", &self.vertical),
            writer.fields("admissible", "S = D ∩ V", "s", &self.admissible),
            writer.fields("horizontal", "H, with D = H ⊕ S", "h", &self.horizontal),
            writer.fields("rest", "U, with V = S ⊕ U", "U", &self.rest),
            writer.across(),
            writer.connection(),
            writer.brackets("curvature", "curvature B = −A([h, h])", &poincare.curvature, ("h", "h")),
            writer.brackets("covariant", "covariant derivative [h, v]", &poincare.covariant, ("h", "v")),
            writer.brackets("adjoint", "bracket of the adjoint bundle [v, v]", &poincare.adjoint, ("v", "v")),
            writer.definitions(equations),
            writer.lagrangian(),
            writer.constraint(),
            writer.balance("vertical_equations", "vertical equations (momentum equation)", true),
            writer.balance("horizontal_equations", "horizontal equations", false),
            writer.solved(equations),
            writer.base(),
            writer.reconstruction(),
        ];
        sections.into_iter().filter(|s| !s.lines.is_empty()).collect()
    }
}

struct Writer<'a> {
    system: &'a mut System,
    reading: Reading,
    reduction: &'a Reduction,
    poincare: &'a Poincare,
}

impl Writer<'_> {
    fn line(&mut self, left: Left, value: Expr) -> Line {
        Line { left, right: readable_tree(self.system, &self.reading, value), value, remark: String::new() }
    }

    /// The symbol of a field of the base frame: ∂_x for the velocity x'.
    fn direction(&mut self, velocity: Symbol) -> Symbol {
        let name = self.system.graph.name(velocity).trim_end_matches('\'').to_string();
        let symbol = self.system.graph.symbol(&format!("∂_{name}"));
        self.system.graph.set_latex(symbol, &format!("\\partial_{{{}}}", print::latex_name(&name)));
        symbol
    }

    fn field(&mut self, components: &[Expr]) -> Expr {
        let velocities = self.system.configuration.velocities().to_vec();
        let mut parts = Vec::new();
        for (s, e) in velocities.into_iter().zip(components) {
            if !self.system.is_zero(*e) {
                let direction = self.direction(s);
                let direction = self.system.graph.var(direction);
                parts.push(self.system.graph.mul(*e, direction));
            }
        }
        self.system.graph.sum(parts)
    }

    fn fields(&mut self, key: &'static str, title: &str, letter: &str, fields: &Matrix) -> Section {
        let lines = (0..fields.cols())
            .map(|j| {
                let value = self.field(&fields.col(j));
                self.line(Left::Name(format!("{letter}{}", j + 1)), value)
            })
            .collect();
        Section { key, title: title.into(), lines }
    }

    /// W, unless it only leads out of the configuration space.
    fn across(&mut self) -> Section {
        let forbidden = &self.reduction.forbidden;
        let none = Matrix::zeros(&self.system.graph, forbidden.rows(), 0);
        let shown = if self.reduction.dimension_assumption() { &none } else { forbidden };
        self.fields("forbidden", "directions across D + V", "w", shown)
    }

    fn connection(&mut self) -> Section {
        let forms = self.poincare.connection.clone();
        let lines =
            forms.into_iter().enumerate().map(|(i, e)| self.line(Left::Name(format!("A{}", i + 1)), e)).collect();
        Section {
            key: "connection",
            title: "connection A, on the fields v; the vertical velocities vbar are its values".into(),
            lines,
        }
    }

    /// Brackets written on the fields v.
    fn brackets(
        &mut self,
        key: &'static str,
        title: &str,
        brackets: &[(usize, usize, Vec<Expr>)],
        (a, b): (&str, &str),
    ) -> Section {
        let lines = brackets
            .iter()
            .map(|(i, j, components)| {
                let graph = &mut self.system.graph;
                let parts: Vec<Expr> = components
                    .iter()
                    .enumerate()
                    .map(|(k, e)| {
                        let field = graph.named(&format!("v{}", k + 1));
                        graph.mul(*e, field)
                    })
                    .collect();
                let value = graph.sum(parts);
                let kind = if key == "curvature" { Pairing::Curvature } else { Pairing::Commutator };
                self.line(Left::Pair(kind, format!("{a}{}", i + 1), format!("{b}{}", j + 1)), value)
            })
            .collect();
        Section { key, title: title.into(), lines }
    }

    /// The quasi-velocities along H and S that are no velocities of the model.
    fn definitions(&mut self, equations: &Equations) -> Section {
        let lines = equations.definitions.iter().map(|(s, e)| self.line(Left::Symbol(*s), *e)).collect();
        Section { key: "quasi_velocities", title: "velocities along H and S".into(), lines }
    }

    fn lagrangian(&mut self) -> Section {
        let line = self.line(Left::Name("ell".into()), self.poincare.lagrangian);
        let title = "reduced Lagrangian in all horizontal and vertical velocities";
        Section { key: "reduced_lagrangian", title: title.into(), lines: vec![line] }
    }

    /// v̄ ∈ s̃, where it says something.
    fn constraint(&mut self) -> Section {
        let mut lines = Vec::new();
        for (s, e) in self.poincare.vertical_velocities.clone().into_iter().zip(self.poincare.constraint.clone()) {
            if self.system.graph.as_symbol(e) != Some(s) {
                lines.push(self.line(Left::Symbol(s), e));
            }
        }
        Section { key: "reduced_constraint", title: "vertical velocities on the constraints".into(), lines }
    }

    fn balance(&mut self, key: &'static str, title: &str, vertical: bool) -> Section {
        let equations = if vertical { self.poincare.vertical.clone() } else { self.poincare.horizontal.clone() };
        let lines = equations
            .into_iter()
            .map(|e| {
                let residual = e.residual;
                self.line(Left::Zero, residual)
            })
            .collect();
        Section { key, title: title.into(), lines }
    }

    fn solved(&mut self, equations: &Equations) -> Section {
        let mut lines = Vec::new();
        for (s, e) in equations.unknowns.iter().zip(&equations.rates) {
            let symbol = polhode_model::Configuration::acceleration(&mut self.system.graph, *s);
            lines.push(self.line(Left::Symbol(symbol), *e));
        }
        Section { key: "accelerations", title: "solved, on the constraints".into(), lines }
    }

    /// How functions on the quotient change: by the horizontal velocities alone.
    fn base(&mut self) -> Section {
        let motion = self.motion();
        let mut lines = Vec::new();
        for f in self.reduction.base.clone() {
            let rate = self.system.graph.along(f, &motion);
            let rate = self.system.graph.simplify_small(rate);
            let left = match self.system.graph.as_symbol(f) {
                Some(s) => {
                    let name = format!("{}'", self.system.graph.name(s));
                    if self.system.graph.as_symbol(rate).is_some_and(|r| self.system.graph.name(r) == name) {
                        continue;
                    }
                    Left::Symbol(self.system.graph.symbol(&name))
                }
                None => match readable_tree(self.system, &self.reading, f) {
                    Some(tree) => Left::Rate(Box::new(tree)),
                    None => continue,
                },
            };
            lines.push(self.line(left, rate));
        }
        Section { key: "base", title: "motion of the base".into(), lines }
    }

    /// How the positions that the group moves follow.
    fn reconstruction(&mut self) -> Section {
        let motion = self.motion();
        let moved = super::invariant::moved(&self.reduction.symmetry);
        let mut lines = Vec::new();
        for s in moved {
            let rate = motion.get(&s).copied().unwrap_or(self.system.graph.zero());
            let name = format!("{}'", self.system.graph.name(s));
            if self.system.graph.as_symbol(rate).is_some_and(|r| self.system.graph.name(r) == name) {
                continue;
            }
            let left = Left::Symbol(self.system.graph.symbol(&name));
            lines.push(self.line(left, rate));
        }
        Section { key: "reconstruction", title: "reconstruction".into(), lines }
    }

    fn motion(&mut self) -> polhode_expr::Rates {
        let v = self.reduction.frame.velocities(&mut self.system.graph);
        self.system.configuration.motion_along(&mut self.system.graph, self.system.time, &v)
    }
}
