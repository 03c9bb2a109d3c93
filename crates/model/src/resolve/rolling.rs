//! Bodies in contact: `[body.NAME]` with a `surface`, or several.
//!
//! Such a body is a motion of space, (R, x_O) with velocities V, Ω in body axes, about its centre of mass:
//!
//! ```text
//! L = ½ m V·V + ½ Ω·I Ω + κ e·Ω − U
//! ```
//!
//! A gyroscope inside has the momentum κ along e. A free one keeps κ = J ϖ with its absolute spin ϖ, and I is without its
//! moment J about e; one that a motor keeps at the spin s relative to the body adds ½ J (e·Ω + s)², of which the constant is dropped
//! ([Voronets1911, §15] has both).
//!
//! Not here: what it touches (`contacts`), where it starts (`starting`).

use super::Resolver;
use super::bodies::{PARTS, Shaped, short};
use super::scope::What;
use super::surfaces::Bounded;
use super::value::{Spin, Turn, Value, dot};
use crate::configuration::Kind;
use crate::model::Body;
use crate::syntax::{self, Key, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::eval::Digits;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Matrix, Symbol};
use polhode_geometry::inertia::{Solid, superquadric_mass_properties};
use polhode_geometry::numeric::NumericSurface;
use polhode_geometry::{Boundary, Curve, Mat3, NumericMass, Shape, Side, Surface, Vec3, linear};

const BODY_KEYS: &[&str] = &["mass", "inertia", "surface", "surfaces", "gyroscope", "idealised", "about"];
/// A centre of mass farther from the origin than this, in units of the size, is elsewhere: quadrature has ten digits.
const OFF_CENTRE: f64 = 1e-9;
/// Products of inertia below this, per mass and in units of the squared size, are rounding of quadrature.
const NO_PRODUCT: f64 = 1e-12;
/// The words for inertias that follow from a shape.
const HOMOGENEOUS: [&str; 2] = ["solid", "shell"];
const GYROSCOPE_KEYS: &[&str] = &["momentum", "spin", "moment", "axis"];

/// What formulas can use of a rolling body besides the parts of every body.
const OWN_PARTS: [&str; 3] = ["R", "x_O", "V"];

/// A body in contact.
#[derive(Clone, Debug)]
pub(super) struct RollingBody {
    /// Normalised.
    pub(super) name: String,
    pub(super) span: Span,
    /// Its surfaces with their names; one without a name is called like the body.
    pub(super) surfaces: Vec<(Option<String>, Bounded)>,
    /// R, x_O, V and Ω.
    pub(super) rotation: Mat3,
    pub(super) positions: Vec<Symbol>,
    pub(super) velocities: Vec<Symbol>,
}

impl RollingBody {
    pub(super) fn position(&self, g: &mut Graph) -> Vec3 {
        std::array::from_fn(|i| g.var(self.positions[9 + i]))
    }

    pub(super) fn slide(&self, g: &mut Graph) -> Vec3 {
        std::array::from_fn(|i| g.var(self.velocities[i]))
    }

    pub(super) fn spin(&self, g: &mut Graph) -> Vec3 {
        std::array::from_fn(|i| g.var(self.velocities[3 + i]))
    }
}

/// Is this a body that touches something?
pub(super) fn is_rolling(body: &Table) -> bool {
    body.get("surface").is_some() || body.get("surfaces").is_some()
}

/// Is this the word for an inertia that follows from the shape?
pub(super) fn is_homogeneous(inertia: &syntax::Value) -> bool {
    inertia.as_str().is_some_and(|word| HOMOGENEOUS.contains(&word))
}

/// Is there a body with a surface?
pub(super) fn rolls(root: &Table) -> bool {
    bodies(root).any(|(_, table)| is_rolling(table))
}

/// Is there a ground, and a body that says neither with what it touches nor where it is?
pub(super) fn lacks_surface(root: &Table) -> bool {
    root.get("ground").is_some() && bodies(root).any(|(_, t)| is_nowhere(t))
}

fn is_nowhere(body: &Table) -> bool {
    !is_rolling(body) && body.get("position").is_none() && body.get("rotation").is_none()
}

fn bodies(root: &Table) -> impl Iterator<Item = (&Key, &Table)> {
    let sections = ["body", "bodies"].into_iter().filter_map(|n| root.get(n)?.as_table());
    sections.flat_map(Table::iter).filter_map(|(key, body)| Some((key, body.as_table()?)))
}

impl Resolver<'_> {
    /// Adds the bodies with surfaces to the configuration space.
    pub(super) fn read_rolling_bodies(&mut self, root: &Table) {
        let rolling: Vec<(&Key, &Table)> = bodies(root).filter(|(_, t)| is_rolling(t)).collect();
        let alone = rolling.len() == 1;
        if root.get("ground").is_some() {
            for (key, _) in bodies(root).filter(|(_, t)| is_nowhere(t)) {
                let message = format!("the body `{}` has no surface to touch the ground with", key.name);
                self.report(
                    Diagnostic::error("missing-key", message)
                        .at(key.span, "")
                        .help("write surface = { sphere = 0.1 }, or another shape; a body that touches nothing has a position instead"),
                );
                self.without_surface.push(normalize_name(&key.name).into_owned());
                self.broken_contacts = true;
            }
        }
        for (key, table) in rolling {
            self.constants_only = true;
            let surfaces = self.surfaces_of(key, table);
            self.constants_only = false;
            if let Some(surfaces) = surfaces {
                self.add_rolling_body(key, surfaces, alone);
            } else {
                self.rolling_body_without_value(key, alone);
                self.broken_contacts = true;
            }
        }
    }

    /// Makes the names of a body with a wrong surface known, so that formulas with them say nothing.
    fn rolling_body_without_value(&mut self, key: &Key, alone: bool) {
        let name = normalize_name(&key.name).into_owned();
        let short = OWN_PARTS.iter().chain(&PARTS[3..]).chain(&["c", "c1"]);
        let long = OWN_PARTS.iter().chain(&PARTS).map(|part| format!("{name}.{part}"));
        for part in long.chain(short.filter(|_| alone).map(|part| (*part).to_owned())) {
            if self.scope.get(&part).is_none() && self.declared.get(&part).is_none() {
                self.bind(&part, What::Component, None, Some(key.span));
            }
        }
        self.without_surface.push(name);
    }

    fn surfaces_of(&mut self, key: &Key, table: &Table) -> Option<Vec<(Option<String>, Bounded)>> {
        let mut out = Vec::new();
        if let Some(value) = table.get("surface") {
            out.push((None, self.surface(&format!("`{}`", key.name), value)?));
        }
        match table.get("surfaces").map(|v| (v, &v.kind)) {
            Some((_, ValueKind::Table(inner))) => {
                for (name, value) in inner.iter() {
                    let owner = format!("`{}.{}`", key.name, name.name);
                    out.push((Some(name.name.clone()), self.surface(&owner, value)?));
                }
            }
            Some((value, _)) => {
                let message = format!("`surfaces` is a table, but here it is {}", value.describe());
                self.report(
                    Diagnostic::error("unexpected-value", message)
                        .at(value.span, "")
                        .help("write surfaces = { outer = { sphere = 1 }, inner = { sphere = 0.9, inside = true } }"),
                );
                return None;
            }
            None => {}
        }
        Some(out)
    }

    fn add_rolling_body(&mut self, key: &Key, surfaces: Vec<(Option<String>, Bounded)>, alone: bool) {
        let name = normalize_name(&key.name).into_owned();
        let taken = |n: &str| self.configuration.velocities().iter().any(|v| self.graph.name(*v) == n);
        let short = alone && !taken("Omega[1]");
        let prefix = if short { String::new() } else { format!("{name}.") };
        self.configuration.add(&mut self.graph, &name, Kind::Rolling, &prefix);
        let factor = self.configuration.factors().last().cloned().expect("just added");
        let g = &mut self.graph;
        let rotation: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| g.var(factor.positions[3 * i + j])));
        let (positions, velocities) = (factor.positions, factor.velocities);
        let body = RollingBody { name, span: key.span, surfaces, rotation, positions, velocities };
        self.bind_rolling_body(&body, alone);
        self.rolling.push(body);
    }

    /// `R`, `Omega`, `omega`, `x_O`, `V`, where the model does not use these names itself, and all with the name of
    /// the body before them.
    fn bind_rolling_body(&mut self, body: &RollingBody, alone: bool) {
        let g = &mut self.graph;
        let x_o = body.position(g).to_vec();
        let spin = body.spin(g).to_vec();
        let slide = body.slide(g).to_vec();
        let matrix = Matrix::from_fn(3, 3, |i, j| body.rotation[i][j]);
        let world = matrix.mul_vec(g, &spin);
        let velocity = matrix.mul_vec(g, &slide);
        let turn = Value::Matrix(matrix, Some(Turn { spin: Some(Spin { world: world.clone(), body: spin.clone() }) }));
        let [r, x, v] = OWN_PARTS;
        let [position, speed, rotation, omega, big_omega] = PARTS;
        let parts = [
            (r, turn.clone()),
            (x, Value::Vector(x_o.clone())),
            (v, Value::Vector(slide)),
            (omega, Value::Vector(world)),
            (big_omega, Value::Vector(spin)),
        ];
        for (part, value) in parts {
            let long = format!("{}.{part}", body.name);
            self.bind_new(&long, value.clone(), body.span);
            if alone {
                self.bind_new(part, value, body.span);
            }
        }
        for (part, value) in [(position, Value::Vector(x_o)), (speed, Value::Vector(velocity)), (rotation, turn)] {
            self.bind(&format!("{}.{part}", body.name), What::BodyPart, Some(value), Some(body.span));
        }
    }

    /// Binds a name unless the model uses it for something of its own.
    pub(super) fn bind_new(&mut self, name: &str, value: Value, span: Span) {
        if self.scope.get(name).is_none() && self.declared.get(name).is_none() {
            self.bind(name, What::Component, Some(value), Some(span));
        }
    }

    /// What the body adds to the Lagrangian before gravity.
    pub(super) fn rolling_body(&mut self, key: &Key, name: &str, table: &Table) -> Option<Shaped> {
        let mut known = true;
        for (k, _) in table.iter() {
            known &= self.known_key(k, BODY_KEYS, "a body with a surface");
        }
        let idealised = self.truth_of(table, "idealised").unwrap_or(false) || self.idealised;
        let mass = self.body_mass(key, table, idealised);
        let tensor = self.rolling_inertia(key, name, table, mass, idealised);
        let gyroscope = match table.get("gyroscope").map(|v| (v, &v.kind)) {
            Some((_, ValueKind::Table(inner))) => Some(self.gyroscope(name, inner)?),
            Some((value, _)) => {
                let message = format!("a gyroscope is a table, but here it is {}", value.describe());
                self.report(
                    Diagnostic::error("unexpected-value", message)
                        .at(value.span, "")
                        .help("write gyroscope = { momentum = \"kappa\", axis = [0, 0, 1] }"),
                );
                return None;
            }
            None => None,
        };
        let (mass, tensor) = (mass?, tensor?);
        if !idealised && self.graph.evaluate_f64(mass, &self.values) == Ok(0.0) {
            let message = format!("the body `{name}` touches something, but has no mass");
            self.report(
                Diagnostic::error("impossible-mass", message)
                    .at(table.get("mass").map_or(key.span, |v| v.span), "")
                    .help("bodies in contact have mass; `idealised = true` switches this check off"),
            );
            return None;
        }
        let rolling = self.rolling.iter().find(|b| b.name == name).cloned().filter(|_| known)?;
        let g = &mut self.graph;
        let (slide, spin, position) = (rolling.slide(g), rolling.spin(g), rolling.position(g));
        let half = g.number(ratio(1, 2));
        let speed = linear::dot(g, &slide, &slide);
        let momentum = tensor.mul_vec(g, &spin);
        let turning = dot(g, &spin, &momentum);
        let mut kinetic = vec![g.product([half, mass, speed]), g.mul(half, turning)];
        if let Some(Gyroscope { momentum, moment, axis }) = gyroscope {
            let along = linear::dot(g, &axis, &spin);
            kinetic.push(g.mul(momentum, along));
            if let Some(moment) = moment {
                let square = g.powi(along, 2);
                kinetic.push(g.product([half, moment, square]));
            }
        }
        let body = Body {
            name: key.name.clone(),
            mass,
            position: position.to_vec(),
            rotation: Some(rolling.rotation.iter().flatten().copied().collect()),
            angular_velocity: Some(spin.to_vec()),
            inertia: Some(tensor.entries().to_vec()),
            span: key.span,
        };
        Some(Shaped { body, kinetic, planar: false })
    }

    fn rolling_inertia(
        &mut self,
        key: &Key,
        name: &str,
        table: &Table,
        mass: Option<Expr>,
        idealised: bool,
    ) -> Option<Matrix> {
        let Some(value) = table.get("inertia") else {
            let message = format!("the rolling body `{name}` has no inertia");
            self.report(
                Diagnostic::error("missing-key", message)
                    .at(key.span, "")
                    .help("write inertia = [I1, I2, I3], or inertia = \"solid\" for a homogeneous body"),
            );
            return None;
        };
        if let Some(word @ ("solid" | "shell")) = value.as_str() {
            return self.homogeneous(name, word == "solid", mass?, value.span);
        }
        if let Some(word) = value.as_str().map(str::trim)
            && word.chars().all(|c| c.is_alphanumeric() || c == '_')
            && word.starts_with(char::is_alphabetic)
            && self.scope.get(word).is_none()
            && self.declared.get(word).is_none()
        {
            let error = Diagnostic::error("unknown-inertia", format!("`{word}` is no inertia of a body"));
            let error = match closest(word, HOMOGENEOUS) {
                Some(near) => error.at(value.span, format!("did you mean `{near}`?")),
                None => error.at(value.span, ""),
            };
            self.report(error.help("write \"solid\" for a homogeneous body, \"shell\" for one whose mass is in its surface, or inertia = [I1, I2, I3]"));
            return None;
        }
        let inertia = self.body_inertia(name, value, false)?;
        (idealised || self.possible_inertia(name, &inertia)).then_some(inertia.tensor)
    }

    /// The inertia of a homogeneous body or shell, whose centre of mass is the centre of its surface.
    fn homogeneous(&mut self, name: &str, solid: bool, mass: Expr, span: Span) -> Option<Matrix> {
        let rolling = self.rolling.iter().find(|b| b.name == name)?;
        let (_, body) = rolling.surfaces.first()?.clone();
        let shape = match body.boundary {
            Boundary::Surface(s) => Some(s.shape),
            Boundary::Edge(_) => None,
        };
        let rim = match body.boundary {
            Boundary::Edge(e) => match e.curve {
                Curve::Circle { radius } => Some(radius),
                Curve::Given { .. } => None,
            },
            Boundary::Surface(_) => None,
        };
        let kind = match (shape, rim, body.length, solid) {
            (Some(Shape::Sphere { radius }), _, _, true) => Solid::Ball { radius },
            (Some(Shape::Sphere { radius }), _, _, false) => Solid::SphericalShell { radius },
            (Some(Shape::Ellipsoid { a, b, c }), _, _, true) => Solid::Ellipsoid { a, b, c },
            (Some(Shape::Spheroid { a, c }), _, _, true) => Solid::Spheroid { a, c },
            (Some(Shape::Torus { major, minor }), _, _, true) => Solid::Torus { major, minor },
            (Some(Shape::Torus { major, minor }), _, _, false) => Solid::TorusShell { major, minor },
            (Some(Shape::Cylinder { radius }), _, Some(height), true) => Solid::Cylinder { radius, height },
            (Some(Shape::Cylinder { radius }), _, Some(height), false) => Solid::Tube { radius, height },
            (None, Some(radius), _, true) => Solid::Disk { radius },
            (None, Some(radius), _, false) => Solid::Hoop { radius },
            _ => return self.homogeneous_by_quadrature(name, solid, mass, &body, span),
        };
        let values = &self.values;
        let off = body.centre.is_some_and(|c| c.iter().any(|e| self.graph.evaluate_f64(*e, values) != Ok(0.0)));
        let cavity = matches!(body.boundary, Boundary::Surface(s) if s.side == Side::Inside);
        if off || cavity {
            let message = format!("`{name}` is homogeneous, so that its centre of mass is the centre of its surface");
            self.report(
                Diagnostic::error("unknown-inertia", message)
                    .at(span, "")
                    .also(body.span, "but the surface is seen from elsewhere, or has its material outside")
                    .help("leave `centre` and `inside` out, or write inertia = [I1, I2, I3]"),
            );
            return None;
        }
        let g = &mut self.graph;
        let mut tensor = kind.mass_properties(g).inertia;
        if let Some(q) = body.turned {
            tensor = linear::conjugate(g, &q, &tensor);
        }
        Some(Matrix::from_fn(3, 3, |i, j| g.mul(mass, tensor[i][j])))
    }

    /// The inertia of a homogeneous body or shell of another shape, in doubles. Its centre of mass must be the origin.
    fn homogeneous_by_quadrature(
        &mut self,
        name: &str,
        solid: bool,
        mass: Expr,
        body: &Bounded,
        span: Span,
    ) -> Option<Matrix> {
        let values: Vec<(Symbol, f64)> = self.values.iter().map(|(s, x)| (*s, *x)).collect();
        let numeric = match body.boundary {
            Boundary::Surface(s) => NumericSurface::new(&self.graph, &s, &values).ok(),
            Boundary::Edge(_) => None,
        };
        let numeric = numeric.map(|n| body.size.map_or(n.clone(), |size| n.with_size(size)));
        let size = numeric.as_ref().map_or(1.0, NumericSurface::size);
        let found = match body.boundary {
            Boundary::Surface(Surface { shape: Shape::Superquadric { a, b, c, e1, e2 }, placement: None, .. })
                if solid =>
            {
                // its second derivatives may fail on the planes of symmetry, but its moments have a closed form
                let number = |e: Expr| self.graph.evaluate_f64(e, &self.values).unwrap_or(f64::NAN);
                let (measure, [x, y, z]) = superquadric_mass_properties([a, b, c].map(number), number(e1), number(e2));
                let inertia = [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
                Some(NumericMass { measure, centre: [0.0; 3], inertia })
            }
            _ => numeric.and_then(|n| n.homogeneous(!solid)),
        };
        let Some(found) = found else {
            let word = if solid { "solid" } else { "shell" };
            let message = format!("the inertia of `{name}` as a homogeneous {word} is not known");
            let error = Diagnostic::error("unknown-inertia", message)
                .at(span, "")
                .note("it is found for closed smooth surfaces with an equation, all of which is seen from their centre, and for rims and cylinders with a length");
            self.report(error.help("write inertia = [I1, I2, I3]"));
            return None;
        };
        if found.centre.iter().any(|x| x.abs() > OFF_CENTRE * size) {
            let [x, y, z] = found.centre.map(|x| if x.abs() > OFF_CENTRE * size { short(-x) } else { 0.0 });
            let message = format!("`{name}` is homogeneous, but its centre of mass is not the origin of its axes");
            self.report(
                Diagnostic::error("unknown-inertia", message)
                    .at(span, "")
                    .also(body.span, "the centre of mass is elsewhere")
                    .help(format!(
                        "move the surface by [{x}, {y}, {z}]: give it a `centre`, or write inertia = [I1, I2, I3]"
                    )),
            );
            return None;
        }
        let g = &mut self.graph;
        let digits = Digits::decimal(25);
        Some(Matrix::from_fn(3, 3, |i, j| {
            let moment =
                if i != j && found.inertia[i][j].abs() < NO_PRODUCT * size * size { 0.0 } else { found.inertia[i][j] };
            let e = g.number(digits.exact(&digits.double(moment)));
            g.mul(mass, e)
        }))
    }

    fn gyroscope(&mut self, name: &str, table: &Table) -> Option<Gyroscope> {
        for (key, _) in table.iter() {
            self.known_key(key, GYROSCOPE_KEYS, "a gyroscope");
        }
        let number = |me: &mut Self, key: &str| -> Option<Option<Expr>> {
            let Some(value) = table.get(key) else { return Some(None) };
            let what = format!("the {key} of a gyroscope");
            let e = me.scalar_formula(value, &what)?;
            me.constant(e, value.span, &what)?;
            Some(Some(e))
        };
        let (momentum, spin, moment) = (number(self, "momentum")?, number(self, "spin")?, number(self, "moment")?);
        let (momentum, moment) = match (momentum, spin, moment) {
            (Some(momentum), None, None) => (momentum, None),
            (None, Some(spin), Some(moment)) => (self.graph.mul(moment, spin), Some(moment)),
            _ => {
                let message = format!("the gyroscope of `{name}` has either a momentum, or a spin and a moment");
                self.report(
                    Diagnostic::error("missing-key", message)
                        .at(table.span, "")
                        .note("a free gyroscope keeps its momentum; a driven one its spin relative to the body, and `moment` is its moment of inertia about the axis")
                        .help("write momentum = \"kappa\", or spin = \"s\" and moment = \"J\""),
                );
                return None;
            }
        };
        let g = &self.graph;
        let mut axis = [g.zero(), g.zero(), g.one()];
        if let Some(value) = table.get("axis") {
            axis = self.three(value, "the axis of a gyroscope")?;
            let size: f64 =
                axis.iter().filter_map(|e| self.graph.evaluate_f64(*e, &self.values).ok()).map(|x| x * x).sum();
            if size == 0.0 {
                let error = Diagnostic::error("bad-number", "the axis of a gyroscope has no direction: it is 0");
                self.report(error.at(value.span, ""));
                return None;
            }
        }
        let g = &mut self.graph;
        let length = linear::norm(g, &axis);
        let inverse = g.powi(length, -1);
        Some(Gyroscope { momentum, moment, axis: linear::scale(g, inverse, &axis) })
    }
}

/// What a gyroscope adds: κ e·Ω, and ½ J (e·Ω)² if it is driven.
struct Gyroscope {
    momentum: Expr,
    moment: Option<Expr>,
    axis: Vec3,
}
