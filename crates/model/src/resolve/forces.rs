//! `[forces]`: generalised forces by the power they do.
//!
//! A force `f` that is paired with a velocity w(q, v), linear in v, has the power f·w and so
//! the components
//!
//! ```text
//! ⟨F, b_A⟩ = Σᵢ fᵢ ∂wᵢ/∂v^A.
//! ```
//!
//! This one rule covers `theta = "…"` (w = θ̇), torques in body axes (w = Ω) and world axes
//! (w = RΩ), forces at a point (`point_forces`), and forces along quasi-velocities.

use super::Resolver;
use super::rolling::RollingBody;
use super::scope::What;
use super::value::Value;
use crate::syntax::{ExprKind, Key, StringLit, Table, parse_expr};
use polhode_base::{Diagnostic, Span};
use polhode_expr::number::int;
use polhode_expr::{Expr, Symbol};

impl Resolver<'_> {
    pub(super) fn read_forces(&mut self, root: &Table) -> Vec<(Symbol, Expr)> {
        let n = self.configuration.velocities().len();
        let mut terms: Vec<Vec<Expr>> = vec![Vec::new(); n];
        for (_, table) in self.sections(root, &["forces"]) {
            for (key, value) in self.flattened(table) {
                let Some((tree, force)) = self.formula(value) else {
                    continue;
                };
                if !self.no_accelerations(force.entries(), tree.span, "a force") {
                    continue;
                }
                if key.name == "dissipation" {
                    self.dissipation(&force, tree.span, &mut terms);
                } else if let Some(velocity) = self.paired_velocity(&key) {
                    self.paired(&force, &velocity, tree.span, &key.name, &mut terms);
                }
            }
        }
        self.read_point_forces(root, &mut terms);
        let velocities = self.configuration.velocities().to_vec();
        let mut out = Vec::new();
        for (s, parts) in velocities.into_iter().zip(terms) {
            let total = self.graph.sum(parts);
            if !self.graph.is_zero(total) {
                out.push((s, total));
            }
        }
        out
    }

    /// F_A = −∂(dissipation)/∂v^A, Rayleigh's rule.
    fn dissipation(&mut self, value: &Value, span: Span, terms: &mut [Vec<Expr>]) {
        let Value::Scalar(e) = value else {
            let message = format!("a dissipation function is a scalar, but this is {}", value.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(span, ""));
            return;
        };
        if self.has_velocity(&[*e]).is_none() {
            let message = "the dissipation function contains no velocity, so it gives no force";
            self.report(
                Diagnostic::error("no-velocity", message)
                    .at(span, "")
                    .help("write, say, dissipation = \"c/2*x'^2\" for the force -c*x'"),
            );
            return;
        }
        for (a, s) in self.configuration.velocities().to_vec().into_iter().enumerate() {
            let slope = self.graph.derivative(*e, s);
            terms[a].push(self.graph.scale(slope, &int(-1)));
        }
    }

    /// The velocity that the force under this key is paired with.
    fn paired_velocity(&mut self, key: &Key) -> Option<Value> {
        let tree = match parse_expr(&StringLit::plain(&key.name)) {
            Ok(tree) => tree,
            Err(_) => return self.not_a_velocity(key),
        };
        let (mut name, index) = match &tree.kind {
            ExprKind::Name(name) => (name.clone(), None),
            ExprKind::Index { base, indices } => match (&base.kind, &indices[..]) {
                (ExprKind::Name(name), [i]) => match &i.kind {
                    ExprKind::Number(k) => (name.clone(), k.as_u32()),
                    _ => return self.not_a_velocity(key),
                },
                _ => return self.not_a_velocity(key),
            },
            _ => return self.not_a_velocity(key),
        };
        let Some(binding) = self.scope.get(&name.path).cloned() else {
            return self.not_a_velocity(key);
        };
        let fits = matches!(
            binding.what,
            What::Coordinate | What::Component | What::QuasiVelocity | What::Definition | What::BodyPart
        );
        let rotation = matches!(&binding.value, Some(Value::Matrix(..)));
        if !fits || rotation || name.primes > 1 {
            return self.not_a_velocity(key);
        }
        if name.primes == 0 && !binding.moving {
            name.primes = 1;
        }
        let value = self.lookup(&name, key.span)?;
        match (value, index) {
            (Value::Vector(v), Some(k)) if k >= 1 && (k as usize) <= v.len() => Some(Value::Scalar(v[k as usize - 1])),
            (value, None) => Some(value),
            _ => self.not_a_velocity(key),
        }
    }

    fn not_a_velocity<T>(&mut self, key: &Key) -> Option<T> {
        let name = &key.name;
        let mut known: Vec<String> = Vec::new();
        for (n, what) in self.scope.names().filter_map(|n| Some((n, self.scope.get(n)?))) {
            let short = |b: &RollingBody| n.strip_prefix(b.name.as_str()).is_some_and(|rest| rest.starts_with('.'));
            if let [only] = &self.rolling[..]
                && short(only)
            {
                continue; // its parts are known by their short names as well
            }
            let scalar = what.what == What::Coordinate && !matches!(what.value, Some(Value::Matrix(..)));
            let centre = self.rolling.iter().any(|b| n == "x_O" || n == format!("{}.x_O", b.name));
            if scalar || (what.what == What::Component && (what.moving || centre)) {
                known.push(n.to_owned());
            }
        }
        known.push("dissipation".to_owned());
        let error = Diagnostic::error(
            "not-a-velocity",
            format!("`{name}` is no velocity or coordinate that a force could be paired with"),
        );
        let error = match polhode_base::closest(name, known.iter().map(String::as_str)) {
            Some(near) => error.at(key.span, format!("did you mean `{near}`?")),
            None => error.at(key.span, ""),
        };
        self.report(error.help(format!("forces belong to {}", super::list(&known))));
        None
    }

    /// Adds the components of a force paired with a velocity.
    pub(super) fn paired(&mut self, force: &Value, velocity: &Value, span: Span, name: &str, terms: &mut [Vec<Expr>]) {
        if force.shape() != velocity.shape() {
            let message = format!(
                "the force on `{name}` has the shape of its velocity, {}, but this is {}",
                velocity.shape(),
                force.shape()
            );
            self.report(Diagnostic::error("wrong-dimension", message).at(span, ""));
            return;
        }
        for (a, s) in self.configuration.velocities().to_vec().into_iter().enumerate() {
            for (f, w) in force.entries().iter().zip(velocity.entries()) {
                let slope = self.graph.derivative(*w, s);
                if !self.graph.is_zero(slope) {
                    terms[a].push(self.graph.mul(*f, slope));
                }
            }
        }
    }
}
