//! `[gravity]` and `[body.NAME]`: rigid bodies and particles, and their Lagrangian.
//!
//! ```text
//! L = Σ ½ m |ṗ|² + ½ Ω·I Ω + m g·p         p mass centre, Ω body axes
//! ```
//!
//! A planar body (two components, or an angle for its rotation) is the same with
//! p = (x, y, 0), R = Rz(angle) and only the moment about z.
//!
//! Mass and inertia are checked at the values of the parameters: a body of ordinary
//! matter has m ≥ 0 and principal moments with I₁ ≤ I₂ + I₃ and so on, because
//! I₂ + I₃ − I₁ = 2∫x₁² dm.

use super::Resolver;
use super::scope::What;
use super::value::{Shape, Value, dot};
use crate::model::Body;
use crate::syntax::{self, Key, Table, ValueKind};
use polhode_base::{Diagnostic, Span};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Matrix};

const BODY_KEYS: &[&str] = &["mass", "inertia", "position", "rotation", "idealised", "about"];
const INERTIA_KEYS: &[&str] = &["principal", "turned"];
/// What formulas can use of a body.
pub(super) const PARTS: [&str; 5] = ["position", "velocity", "rotation", "omega", "Omega"];
const GRAVITY_KEYS: &[&str] = &["g", "vector"];

/// Relative slack of the triangle inequality.
const SLACK: f64 = 1e-9;

/// The acceleration of gravity.
pub(super) struct Gravity {
    pub(super) vector: Vec<Expr>,
    /// Whether the direction was written, and not only the size.
    directed: bool,
    span: Span,
}

/// A body that has been read, and what it adds to the Lagrangian before gravity.
pub(super) struct Shaped {
    pub(super) body: Body,
    pub(super) kinetic: Vec<Expr>,
    /// Whether its position was given in the plane.
    pub(super) planar: bool,
}

/// What the bodies of a model amount to.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) bodies: Vec<Body>,
    /// Their kinetic minus gravitational energy.
    pub(super) energy: Option<Expr>,
    pub(super) span: Option<Span>,
}

/// An inertia tensor, and whether it stands for the moment about z only.
pub(super) struct Inertia {
    pub(super) tensor: Matrix,
    pub(super) planar: bool,
    pub(super) span: Span,
}

/// The rotation of a body.
struct Attitude {
    matrix: Matrix,
    /// Angular velocity: body, world.
    body: Vec<Expr>,
    world: Vec<Expr>,
    planar: bool,
}

impl Resolver<'_> {
    pub(super) fn read_gravity(&mut self, root: &Table) -> Option<Gravity> {
        let mut found = None;
        for (section, table) in self.sections(root, &["gravity"]) {
            for (key, _) in table.iter() {
                self.known_key(key, GRAVITY_KEYS, "[gravity]");
            }
            let zero = self.graph.zero();
            if let Some(value) = table.get("vector") {
                let Some((tree, v)) = self.formula(value) else { continue };
                let vector = match v {
                    Value::Vector(v) if v.len() == 3 => v,
                    Value::Vector(v) if v.len() == 2 => vec![v[0], v[1], zero],
                    other => {
                        let message =
                            format!("gravity is a vector of 2 or 3 components, but this is {}", other.shape());
                        self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
                        continue;
                    }
                };
                if self.resting(&vector, tree.span, "gravity") {
                    found = Some(Gravity { vector, directed: true, span: section.span });
                }
            } else if let Some((key, value)) = table.entry("g") {
                let owned = self.scope.get("g").is_some_and(|b| b.what == What::Parameter && b.span == Some(key.span));
                let size = if owned {
                    self.scope.get("g").and_then(|b| b.value.as_ref()?.scalar())
                } else {
                    self.scalar_formula(value, "`g` in [gravity]")
                };
                let Some(size) = size else { continue };
                if self.resting(&[size], value.span, "gravity") {
                    let down = self.graph.neg(size);
                    found = Some(Gravity { vector: vec![zero, zero, down], directed: false, span: section.span });
                }
            } else {
                self.report(
                    Diagnostic::error("missing-key", "[gravity] says neither `g` nor `vector`")
                        .at(section.span, "")
                        .help("write g = 9.81 (downwards, along -z) or vector = \"[0, -g]\""),
                );
            }
        }
        found
    }

    /// Reports velocities in a quantity that has none; true if there are none.
    pub(super) fn resting(&mut self, entries: &[Expr], span: Span, what: &str) -> bool {
        if !self.no_accelerations(entries, span, what) {
            return false;
        }
        let Some(s) = self.has_velocity(entries) else {
            return true;
        };
        let message = format!("{what} contains the velocity `{}`", self.graph.name(s));
        self.report(Diagnostic::error("unexpected-velocity", message).at(span, ""));
        false
    }

    /// The bodies under gravity, with their energy.
    pub(super) fn under_gravity(&mut self, shaped: Vec<Shaped>, gravity: Option<&Gravity>) -> Bodies {
        let mut out = Bodies { span: shaped.first().map(|s| s.body.span), ..Bodies::default() };
        let mut parts: Vec<Expr> = Vec::new();
        for Shaped { body, kinetic, planar } in shaped {
            parts.extend(kinetic);
            if let Some(gravity) = gravity {
                if planar && !gravity.directed {
                    self.gravity_across(&body.name, gravity);
                }
                let height = dot(&mut self.graph, &gravity.vector, &body.position);
                parts.push(self.graph.mul(body.mass, height));
            }
            out.bodies.push(body);
        }
        if !out.bodies.is_empty() {
            out.energy = Some(self.graph.sum(parts));
        }
        out
    }

    fn gravity_across(&mut self, name: &str, gravity: &Gravity) {
        let message = format!("gravity points along -z, but the body `{name}` moves in the plane of x and y");
        self.report(
            Diagnostic::error("gravity-direction", message)
                .at(gravity.span, "")
                .help("write vector = \"[0, -g]\" for a vertical plane, leave [gravity] out for a horizontal one"),
        );
    }

    /// A section `[body.NAME]`, whose parts formulas call by the normalised `name`.
    pub(super) fn body(&mut self, key: &Key, name: &str, table: &Table) -> Option<Shaped> {
        let shaped = self.shape_body(key, name, table);
        if shaped.is_none() {
            self.body_without_value(key, name);
        }
        shaped
    }

    /// Makes the parts of a body known, so that formulas with them say nothing.
    pub(super) fn body_without_value(&mut self, key: &Key, name: &str) {
        for part in PARTS {
            self.bind(&format!("{name}.{part}"), What::BodyPart, None, Some(key.span));
        }
    }

    fn shape_body(&mut self, key: &Key, name: &str, table: &Table) -> Option<Shaped> {
        if super::rolling::is_rolling(table) {
            return self.rolling_body(key, name, table);
        }
        if self.without_surface.iter().any(|b| b == name) {
            return None;
        }
        let errors = self.found.len();
        for (k, _) in table.iter() {
            self.known_key(k, BODY_KEYS, "a body");
        }
        let idealised = self.truth_of(table, "idealised").unwrap_or(false) || self.idealised;
        let mass = self.body_mass(key, table, idealised);
        let position = table.get("position").map(|v| self.body_position(name, v));
        let attitude = table.get("rotation").map(|v| self.body_rotation(name, v));
        let flat = matches!(&position, Some(Some((_, true)))) || matches!(&attitude, Some(Some(a)) if a.planar);
        let inertia = table.get("inertia").map(|v| self.body_inertia(name, v, flat));
        if position.is_none() && attitude.is_none() {
            let message = format!("the body `{name}` has neither a position nor a rotation");
            self.report(
                Diagnostic::error("missing-key", message)
                    .at(key.span, "")
                    .help("write position = \"[x, y, z]\", and rotation = \"R\" if it turns"),
            );
        }
        if let (Some(_), None) = (&inertia, &attitude) {
            let message = format!("the body `{name}` has an inertia but no rotation");
            self.report(
                Diagnostic::error("missing-key", message)
                    .at(key.span, "")
                    .help("write rotation = \"R\" (a 3×3 matrix) or, in the plane, rotation = \"theta\""),
            );
        }
        if let (None, Some(_)) = (&inertia, &attitude) {
            let message = format!("the body `{name}` has a rotation but no inertia");
            self.report(
                Diagnostic::warning("missing-key", message)
                    .at(key.span, "")
                    .help("its rotation has no energy; add inertia = [I1, I2, I3] unless that is meant"),
            );
        }
        if self.found[errors..].iter().any(|d| d.severity == polhode_base::Severity::Error) {
            return None;
        }
        let mass = mass?;
        let (position, planar) = match position {
            Some(given) => given?,
            None => (vec![self.graph.zero(); 3], false),
        };
        let attitude = match attitude {
            Some(given) => Some(given?),
            None => None,
        };
        let inertia = match inertia {
            Some(given) => Some(given?),
            None => None,
        };
        if let Some(inertia) = &inertia
            && !idealised
            && !inertia.planar
            && !self.possible_inertia(name, inertia)
        {
            return None;
        }
        let (body, kinetic) = self.finish_body(key, name, mass, position, attitude, inertia);
        Some(Shaped { body, kinetic, planar })
    }

    fn finish_body(
        &mut self,
        key: &Key,
        name: &str,
        mass: Expr,
        position: Vec<Expr>,
        attitude: Option<Attitude>,
        inertia: Option<Inertia>,
    ) -> (Body, Vec<Expr>) {
        let velocity = self.graph.along_all(&position, &self.rates);
        let g = &mut self.graph;
        let half = g.number(ratio(1, 2));
        let speed = dot(g, &velocity, &velocity);
        let mut kinetic = vec![g.product([half, mass, speed])];
        if let (Some(attitude), Some(inertia)) = (&attitude, &inertia) {
            let momentum = inertia.tensor.mul_vec(g, &attitude.body);
            let turning = dot(g, &attitude.body, &momentum);
            kinetic.push(g.mul(half, turning));
        }
        let [position_part, velocity_part, rotation_part, world_part, body_part] = PARTS;
        let mut bind = |part: &str, value: Value| {
            self.bind(&format!("{name}.{part}"), What::BodyPart, Some(value), Some(key.span));
        };
        bind(position_part, Value::Vector(position.clone()));
        bind(velocity_part, Value::Vector(velocity));
        if let Some(a) = &attitude {
            let spin = super::value::Spin { world: a.world.clone(), body: a.body.clone() };
            let turn = super::value::Turn { spin: Some(spin) };
            bind(rotation_part, Value::Matrix(a.matrix.clone(), Some(turn)));
            bind(world_part, Value::Vector(a.world.clone()));
            bind(body_part, Value::Vector(a.body.clone()));
        }
        let body = Body {
            name: key.name.clone(),
            mass,
            position,
            rotation: attitude.as_ref().map(|a| a.matrix.entries().to_vec()),
            angular_velocity: attitude.map(|a| a.body),
            inertia: inertia.map(|i| i.tensor.entries().to_vec()),
            span: key.span,
        };
        (body, kinetic)
    }

    pub(super) fn body_mass(&mut self, key: &Key, table: &Table, idealised: bool) -> Option<Expr> {
        let name = &key.name;
        let Some(value) = table.get("mass") else {
            let message = format!("the body `{name}` has no mass");
            self.report(
                Diagnostic::error("missing-key", message)
                    .at(key.span, "")
                    .help("write mass = 1.0, or mass = 0 if only its inertia counts"),
            );
            return None;
        };
        let what = format!("the mass of `{name}`");
        let mass = self.scalar_formula(value, &what)?;
        let number = self.constant(mass, value.span, &what)?;
        if number < 0.0 && !idealised {
            let message = format!("the mass of `{name}` is negative: {number}");
            self.report(
                Diagnostic::error("impossible-mass", message)
                    .at(value.span, "")
                    .help("masses are positive or zero; `idealised = true` switches this check off"),
            );
            return None;
        }
        Some(mass)
    }

    /// The mass centre, lifted to space; and whether it was given in the plane.
    fn body_position(&mut self, name: &str, value: &syntax::Value) -> Option<(Vec<Expr>, bool)> {
        let (tree, position) = self.formula(value)?;
        let (vector, planar) = match position {
            Value::Vector(v) if v.len() == 3 => (v, false),
            Value::Vector(v) if v.len() == 2 => (vec![v[0], v[1], self.graph.zero()], true),
            other => {
                let message =
                    format!("the position of `{name}` is a vector of 2 or 3 components, but this is {}", other.shape());
                self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
                return None;
            }
        };
        self.resting(&vector, tree.span, &format!("the position of `{name}`")).then_some((vector, planar))
    }

    fn body_rotation(&mut self, name: &str, value: &syntax::Value) -> Option<Attitude> {
        let (tree, rotation) = self.formula(value)?;
        if !self.resting(rotation.entries(), tree.span, &format!("the rotation of `{name}`")) {
            return None;
        }
        let spin = self.spin_of(&rotation, &tree)?;
        match rotation {
            Value::Matrix(matrix, _) if matrix.rows() == 3 => {
                Some(Attitude { matrix, body: spin.body, world: spin.world, planar: false })
            }
            Value::Scalar(angle) => {
                let matrix = super::value::axis_turn(&mut self.graph, 2, angle);
                Some(self.planar_attitude(matrix, &spin.body))
            }
            Value::Matrix(m, _) => {
                let mut matrix = Matrix::identity(&self.graph, 3);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    matrix[(i, j)] = m[(i, j)];
                }
                Some(self.planar_attitude(matrix, &spin.body))
            }
            Value::Vector(_) => None, // spin_of has refused it
        }
    }

    fn planar_attitude(&self, matrix: Matrix, rate: &[Expr]) -> Attitude {
        let zero = self.graph.zero();
        let spin = vec![zero, zero, rate[0]];
        Attitude { matrix, body: spin.clone(), world: spin, planar: true }
    }

    pub(super) fn body_inertia(&mut self, name: &str, value: &syntax::Value, flat: bool) -> Option<Inertia> {
        let span = value.span;
        let tensor = match &value.kind {
            ValueKind::Table(table) => self.turned_inertia(name, table, span)?,
            _ => self.formula(value)?.1,
        };
        let what = format!("the inertia of `{name}`");
        for e in tensor.entries().to_vec() {
            self.constant(e, span, &what)?;
        }
        let zero = self.graph.zero();
        let diagonal = |s: &Self, d: [Expr; 3]| {
            let mut m = Matrix::zeros(&s.graph, 3, 3);
            (0..3).for_each(|i| m[(i, i)] = d[i]);
            m
        };
        let (tensor, planar) = match &tensor {
            Value::Scalar(e) if flat => (diagonal(self, [zero, zero, *e]), true),
            Value::Scalar(e) => (diagonal(self, [*e, *e, *e]), false),
            Value::Vector(v) if v.len() == 3 => (diagonal(self, [v[0], v[1], v[2]]), flat),
            Value::Matrix(m, _) if (m.rows(), m.cols()) == (3, 3) => (m.clone(), flat),
            other => {
                let message = format!(
                    "{what} is one number, three principal moments or a 3×3 matrix, but this is {}",
                    other.shape()
                );
                self.report(Diagnostic::error("wrong-dimension", message).at(span, ""));
                return None;
            }
        };
        if planar
            && let Ok(moment) = self.graph.evaluate_f64(tensor[(2, 2)], &self.values)
            && moment < 0.0
            && !self.idealised
        {
            self.impossible(name, span, format!("the moment of inertia of `{name}` is negative: {moment}"));
            return None;
        }
        Some(Inertia { tensor, planar, span })
    }

    /// `{ principal = [a, b, c], turned = "Rz(0.1)" }` is T diag(a, b, c) Tᵀ.
    fn turned_inertia(&mut self, name: &str, table: &Table, span: Span) -> Option<Value> {
        for (key, _) in table.iter() {
            self.known_key(key, INERTIA_KEYS, "an inertia");
        }
        let Some(principal) = table.get("principal") else {
            let message = format!("the inertia of `{name}` says no principal moments");
            self.report(
                Diagnostic::error("missing-key", message)
                    .at(span, "")
                    .help("write inertia = { principal = [I1, I2, I3], turned = \"Rz(0.1)\" }"),
            );
            return None;
        };
        let (tree, moments) = self.formula(principal)?;
        let Value::Vector(moments) = moments else {
            let message = format!("principal moments are three numbers, but this is {}", moments.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
            return None;
        };
        let Some(turned) = table.get("turned") else {
            return Some(Value::Vector(moments));
        };
        let (tree, turn) = self.formula(turned)?;
        let Value::Matrix(t, mark) = turn else {
            let message = format!("`turned` is a rotation matrix, but this is {}", turn.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
            return None;
        };
        if moments.len() != 3 || (t.rows(), t.cols()) != (3, 3) {
            let message = format!(
                "three principal moments are turned by a 3×3 matrix, but here are {} moments and {}",
                moments.len(),
                Shape::Matrix(t.rows(), t.cols())
            );
            self.report(Diagnostic::error("wrong-dimension", message).at(span, ""));
            return None;
        }
        if mark.is_none() && !self.is_rotation(&t) {
            self.not_a_rotation(&tree);
            return None;
        }
        let g = &mut self.graph;
        let tensor = Matrix::from_fn(3, 3, |i, j| {
            let terms: Vec<Expr> = (0..3).map(|k| g.product([t[(i, k)], moments[k], t[(j, k)]])).collect();
            g.sum(terms)
        });
        Some(Value::Matrix(tensor, None))
    }

    /// Checks symmetry, signs and the triangle inequality at the parameter values.
    pub(super) fn possible_inertia(&mut self, name: &str, inertia: &Inertia) -> bool {
        let mut m = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                match self.graph.evaluate_f64(inertia.tensor[(i, j)], &self.values) {
                    Ok(x) => m[i][j] = x,
                    Err(_) => return true, // reported before
                }
            }
        }
        let size = m.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
        let slack = SLACK * size;
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if (m[i][j] - m[j][i]).abs() > slack {
                let message = format!(
                    "the inertia of `{name}` is not symmetric: entry [{},{}] is {} and [{},{}] is {}",
                    i + 1,
                    j + 1,
                    m[i][j],
                    j + 1,
                    i + 1,
                    m[j][i]
                );
                self.impossible(name, inertia.span, message);
                return false;
            }
        }
        let [a, b, c] = principal_moments(m);
        if size == 0.0 {
            self.impossible(name, inertia.span, format!("`{name}` has no inertia: a body that turns has some"));
            return false;
        }
        if a < -slack {
            self.impossible(
                name,
                inertia.span,
                format!("a principal moment of inertia of `{name}` is negative: {}", short(a)),
            );
            return false;
        }
        if c > a + b + slack {
            let message = format!(
                "no body has the inertia of `{name}`: its largest moment {} exceeds the sum of the others, {} + {}",
                short(c),
                short(a),
                short(b)
            );
            self.impossible(name, inertia.span, message);
            return false;
        }
        true
    }

    fn impossible(&mut self, name: &str, span: Span, message: String) {
        self.report(
            Diagnostic::error("impossible-inertia", message)
                .at(span, "")
                .note("an inertia is symmetric, and each of its principal moments lies between 0 and the sum of the other two")
                .help(format!("correct it, or write `idealised = true` in [body.{name}] if it is meant")),
        );
    }
}

/// A number as people read it.
pub(super) fn short(x: f64) -> f64 {
    let text = format!("{x:.6e}");
    text.parse().unwrap_or(x)
}

/// Eigenvalues of a symmetric 3×3 matrix by Jacobi rotations, ascending.
fn principal_moments(mut m: [[f64; 3]; 3]) -> [f64; 3] {
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q].abs() <= f64::MIN_POSITIVE {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = if theta == 0.0 { 1.0 } else { theta.signum() / (theta.abs() + theta.hypot(1.0)) };
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            for k in 0..3 {
                let (a, b) = (m[k][p], m[k][q]);
                m[k][p] = c * a - s * b;
                m[k][q] = s * a + c * b;
            }
            for k in 0..3 {
                let (a, b) = (m[p][k], m[q][k]);
                m[p][k] = c * a - s * b;
                m[q][k] = s * a + c * b;
            }
        }
    }
    let mut moments = [m[0][0], m[1][1], m[2][2]];
    moments.sort_by(f64::total_cmp);
    moments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_turned_tensor() {
        // diag(1, 2, 3) turned by 30° about z
        let (c, s) = (0.75_f64.sqrt(), 0.5);
        let m = [[c * c + 2.0 * s * s, -c * s, 0.0], [-c * s, s * s + 2.0 * c * c, 0.0], [0.0, 0.0, 3.0]];
        for (found, expected) in principal_moments(m).iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14);
        }
    }
}
