//! A body that rolls: `[body.NAME]` with a `surface`, on the surface of `[ground]`.
//!
//! The body is a motion of space, (R, x_O) with velocities V, Ω in body axes, and two carried points: where it touches in
//! body axes, c, and on the ground, c₁. With K V_c = ν × Ω (polhode-geometry, `contact`)
//!
//! ```text
//! L = ½ m V·V + ½ Ω·I Ω + κ e·Ω − U,     V = c × Ω,     ċ = V_c,  ċ₁ = R V_c
//! ```
//!
//! and the frame equation does the rest. The multipliers of V = c × Ω are the force of the ground in body axes, so that
//! with p = ∂L/∂V
//!
//! ```text
//! λ = ṗ + Ω × p − Rᵀ ∂L/∂x_O − Q_V
//! ```
//!
//! Source: [Voronets1911, §§4, 8], without charts.
//!
//! Not here: where the body starts (`starting`), several bodies, moving ground.

use super::bodies::{PARTS, Shaped};
use super::scope::What;
use super::surfaces::Bounded;
use super::value::{Spin, Turn, Value, cross, dot};
use super::{Resolver, list};
use crate::configuration::Kind;
use crate::model::{Action, Body, Constraint, Direction, Event};
use crate::syntax::{Key, Table, ValueKind, normalize_name};
use polhode_base::{Diagnostic, Span};
use polhode_expr::number::{int, ratio};
use polhode_expr::{Expr, Matrix, Symbol};
use polhode_geometry::inertia::Solid;
use polhode_geometry::{Contact, Mat3, Patch, Shape, Side, Surface, Vec3, linear};

const BODY_KEYS: &[&str] = &["mass", "inertia", "surface", "gyroscope", "idealised", "about"];
const GROUND_KEYS: &[&str] = &["surface", "bilateral", "about"];
const GYROSCOPE_KEYS: &[&str] = &["momentum", "axis"];

/// What formulas can use of a rolling body besides the parts of every body.
const OWN_PARTS: [&str; 4] = ["R", "x_O", "c", "c1"];

/// The rolling body of a model.
#[derive(Clone, Debug)]
pub(super) struct Rolling {
    /// Normalised.
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) body: Bounded,
    pub(super) ground: Bounded,
    pub(super) body_patch: Patch,
    pub(super) ground_patch: Patch,
    pub(super) contact: Contact,
    /// The points of contact.
    pub(super) c: [Symbol; 3],
    pub(super) c1: [Symbol; 3],
    /// R, x_O, V and Ω.
    pub(super) rotation: Mat3,
    pub(super) positions: Vec<Symbol>,
    pub(super) velocities: Vec<Symbol>,
    /// Whether the ground holds the body, so that it cannot lift off.
    bilateral: bool,
    /// The normal force, once it is known.
    normal_force: Option<Expr>,
}

/// Is there a body with a surface?
pub(super) fn rolls(root: &Table) -> bool {
    bodies(root).any(|(_, table)| table.get("surface").is_some())
}

fn bodies(root: &Table) -> impl Iterator<Item = (&Key, &Table)> {
    let sections = ["body", "bodies"].into_iter().filter_map(|n| root.get(n)?.as_table());
    sections.flat_map(Table::iter).filter_map(|(key, body)| Some((key, body.as_table()?)))
}

impl Resolver<'_> {
    /// Adds the rolling body to the configuration space.
    pub(super) fn read_rolling(&mut self, root: &Table) {
        let rolling: Vec<(&Key, &Table)> = bodies(root).filter(|(_, t)| t.get("surface").is_some()).collect();
        let grounds = self.sections(root, &["ground"]);
        if let [_, (second, _), ..] = rolling[..] {
            let names: Vec<&str> = rolling.iter().map(|(k, _)| k.name.as_str()).collect();
            let message = format!("{} have surfaces, but only one body can roll so far", list(&names));
            self.report(Diagnostic::error("several-rolling-bodies", message).at(second.span, ""));
            return;
        }
        let Some((key, table)) = rolling.first() else {
            if let Some((ground, _)) = grounds.first() {
                let message = "there is a ground, but no body has a surface to touch it with";
                self.report(
                    Diagnostic::error("missing-key", message)
                        .at(ground.span, "")
                        .help("write surface = { sphere = 0.1 } in a [body.NAME]"),
                );
            }
            return;
        };
        self.constants_only = true;
        let value = table.get("surface").expect("rolling bodies have one");
        let body = self.surface(&format!("`{}`", key.name), value);
        let ground = match grounds.first() {
            Some((section, table)) => {
                for (key, _) in table.iter() {
                    self.known_key(key, GROUND_KEYS, "[ground]");
                }
                match table.get("surface") {
                    Some(value) => self.surface("the ground", value),
                    None => {
                        let error = Diagnostic::error("missing-key", "the ground has no surface");
                        self.report(error.at(section.span, "").help("write surface = \"plane\""));
                        None
                    }
                }
            }
            None => {
                let message = format!("the body `{}` has a surface, but there is no ground to roll on", key.name);
                self.report(
                    Diagnostic::error("missing-section", message)
                        .at(key.span, "")
                        .help("add a section [ground] with surface = \"plane\""),
                );
                None
            }
        };
        self.constants_only = false;
        let bilateral = grounds.first().and_then(|(_, table)| self.truth_of(table, "bilateral")).unwrap_or(false);
        if let (Some(body), Some(ground)) = (body, ground) {
            self.add_rolling(key, body, ground, bilateral);
        }
    }

    fn add_rolling(&mut self, key: &Key, body: Bounded, ground: Bounded, bilateral: bool) {
        let name = normalize_name(&key.name).into_owned();
        let taken = |n: &str| self.configuration.velocities().iter().any(|v| self.graph.name(*v) == n);
        let spin = if taken("Omega[1]") { format!("{name}.Omega") } else { "Omega".to_owned() };
        self.configuration.add(&mut self.graph, &name, Kind::Rolling, &spin);
        let factor = self.configuration.factors().last().cloned().expect("just added");
        let g = &mut self.graph;
        let symbols = |g: &mut polhode_expr::Graph, n: &str| [1, 2, 3].map(|i| g.symbol(&format!("{n}[{i}]")));
        let (c, c1) = (symbols(g, "c"), symbols(g, "c1"));
        let parameters = |g: &mut polhode_expr::Graph, n: &str| [1, 2].map(|i| g.symbol(&format!("{n}.uv[{i}]")));
        let (uv, uv1) = (parameters(g, "c"), parameters(g, "c1"));
        let rotation: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| g.var(factor.positions[3 * i + j])));
        let patches = (body.surface.patch(g, c, uv), ground.surface.patch(g, c1, uv1));
        let (Ok(body_patch), Ok(ground_patch)) = patches else { return };
        let seen = match sphere_curvature(g, &ground.surface) {
            Some(k) => {
                let n = *body_patch.normal();
                let projector: Mat3 = std::array::from_fn(|i| {
                    std::array::from_fn(|j| {
                        let product = g.mul(n[i], n[j]);
                        let one = if i == j { g.one() } else { g.zero() };
                        g.sub(one, product)
                    })
                });
                linear::mat_scale(g, k, &projector)
            }
            None => linear::conjugate(g, &linear::transpose(&rotation), ground_patch.shape()),
        };
        let contact = Contact::from_operators(g, *body_patch.normal(), body_patch.shape(), &seen);
        let omega = &factor.velocities[3..];
        let columns: Vec<Vec3> = (0..3)
            .map(|j| {
                let unit = std::array::from_fn(|i| if i == j { g.one() } else { g.zero() });
                contact.velocity(g, &unit)
            })
            .collect();
        let world: Vec<Vec3> = columns.iter().map(|v| linear::mat_vec(g, &rotation, v)).collect();
        let mut carry = |name: &str, symbols: &[Symbol], columns: &[Vec<Expr>]| {
            let rate = |i: usize| (0..3).map(|j| (omega[j], columns[j][i])).collect();
            let points = symbols.iter().enumerate().map(|(i, s)| (*s, rate(i))).collect();
            self.configuration.carry(name, points);
        };
        let plain = |v: &[Vec3]| v.iter().map(|x| x.to_vec()).collect::<Vec<_>>();
        carry("c", &c, &plain(&columns));
        carry("c1", &c1, &plain(&world));
        for (name, patch, symbols, columns) in
            [("c.uv", &body_patch, uv, &columns), ("c1.uv", &ground_patch, uv1, &world)]
        {
            if matches!(patch, Patch::Chart(_)) {
                let rates: Vec<Vec<Expr>> = columns.iter().map(|v| patch.rates(g, v)).collect();
                carry(name, &symbols, &rates);
            }
        }
        let rolling = Rolling {
            name,
            span: key.span,
            body,
            ground,
            body_patch,
            ground_patch,
            contact,
            c,
            c1,
            rotation,
            positions: factor.positions,
            velocities: factor.velocities,
            bilateral,
            normal_force: None,
        };
        self.bind_rolling(&rolling);
        self.rolling = Some(rolling);
    }

    /// `R`, `Omega`, `omega`, `x_O`, `c`, `c1`, where the model does not use these names itself, and all with the name of
    /// the body before them.
    fn bind_rolling(&mut self, rolling: &Rolling) {
        let g = &mut self.graph;
        let x_o: Vec<Expr> = rolling.positions[9..].iter().map(|s| g.var(*s)).collect();
        let body: Vec<Expr> = rolling.velocities[3..].iter().map(|s| g.var(*s)).collect();
        let matrix = Matrix::from_fn(3, 3, |i, j| rolling.rotation[i][j]);
        let world = matrix.mul_vec(g, &body);
        let slide: Vec<Expr> = rolling.velocities[..3].iter().map(|s| g.var(*s)).collect();
        let velocity = matrix.mul_vec(g, &slide);
        let turn = Value::Matrix(matrix, Some(Turn { spin: Some(Spin { world: world.clone(), body: body.clone() }) }));
        let points = [rolling.c, rolling.c1].map(|p| Value::Vector(p.map(|s| g.var(s)).to_vec()));
        let [r, x, c, c1] = OWN_PARTS;
        let [position, speed, rotation, omega, big_omega] = PARTS;
        let [at, at_ground] = points;
        let parts = [
            (r, turn.clone()),
            (x, Value::Vector(x_o.clone())),
            (c, at),
            (c1, at_ground),
            (omega, Value::Vector(world)),
            (big_omega, Value::Vector(body)),
        ];
        for (part, value) in parts {
            let long = format!("{}.{part}", rolling.name);
            for name in [part, &long] {
                if self.scope.get(name).is_none() {
                    self.bind(name, What::Component, Some(value.clone()), Some(rolling.span));
                }
            }
        }
        for (part, value) in [(position, Value::Vector(x_o)), (speed, Value::Vector(velocity)), (rotation, turn)] {
            self.bind(&format!("{}.{part}", rolling.name), What::BodyPart, Some(value), Some(rolling.span));
        }
    }

    /// What the body adds to the Lagrangian before gravity.
    pub(super) fn rolling_body(&mut self, key: &Key, name: &str, table: &Table) -> Option<Shaped> {
        let mut known = true;
        for (k, _) in table.iter() {
            known &= self.known_key(k, BODY_KEYS, "a rolling body");
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
        let rolling = self.rolling.clone().filter(|_| known)?;
        let g = &mut self.graph;
        let vector = |g: &mut polhode_expr::Graph, s: &[Symbol]| s.iter().map(|s| g.var(*s)).collect::<Vec<Expr>>();
        let (slide, spin) = (vector(g, &rolling.velocities[..3]), vector(g, &rolling.velocities[3..]));
        let position = vector(g, &rolling.positions[9..]);
        let half = g.number(ratio(1, 2));
        let speed = dot(g, &slide, &slide);
        let momentum = tensor.mul_vec(g, &spin);
        let turning = dot(g, &spin, &momentum);
        let mut kinetic = vec![g.product([half, mass, speed]), g.mul(half, turning)];
        if let Some(axis) = gyroscope {
            kinetic.push(dot(g, &axis, &spin));
        }
        let body = Body {
            name: key.name.clone(),
            mass,
            position,
            rotation: Some(rolling.rotation.iter().flatten().copied().collect()),
            angular_velocity: Some(spin),
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
        let inertia = self.body_inertia(name, value, false)?;
        (idealised || self.possible_inertia(name, &inertia)).then_some(inertia.tensor)
    }

    /// The inertia of a homogeneous body or shell, whose centre of mass is the centre of its surface.
    fn homogeneous(&mut self, name: &str, solid: bool, mass: Expr, span: Span) -> Option<Matrix> {
        let body = self.rolling.as_ref()?.body.clone();
        let kind = match (body.surface.shape, solid) {
            (Shape::Sphere { radius }, true) => Solid::Ball { radius },
            (Shape::Sphere { radius }, false) => Solid::SphericalShell { radius },
            (Shape::Ellipsoid { a, b, c }, true) => Solid::Ellipsoid { a, b, c },
            (Shape::Spheroid { a, c }, true) => Solid::Spheroid { a, c },
            (Shape::Torus { major, minor }, true) => Solid::Torus { major, minor },
            (Shape::Torus { major, minor }, false) => Solid::TorusShell { major, minor },
            _ => {
                let word = if solid { "solid" } else { "shell" };
                let known = if solid { "sphere, ellipsoid, spheroid and torus" } else { "sphere and torus" };
                let message = format!("the inertia of `{name}` as a homogeneous {word} is not known");
                let error = Diagnostic::error("unknown-inertia", message).at(span, "");
                self.report(error.help(format!("it is for {known}; otherwise write inertia = [I1, I2, I3]")));
                return None;
            }
        };
        let values = &self.values;
        let off = body.centre.is_some_and(|c| c.iter().any(|e| self.graph.evaluate_f64(*e, values) != Ok(0.0)));
        if off || body.surface.side == Side::Inside {
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

    /// κ e.
    fn gyroscope(&mut self, name: &str, table: &Table) -> Option<Vec<Expr>> {
        for (key, _) in table.iter() {
            self.known_key(key, GYROSCOPE_KEYS, "a gyroscope");
        }
        let Some(value) = table.get("momentum") else {
            let message = format!("the gyroscope of `{name}` has no momentum");
            self.report(
                Diagnostic::error("missing-key", message).at(table.span, "").help("write momentum = \"kappa\""),
            );
            return None;
        };
        let momentum = self.scalar_formula(value, "the momentum of a gyroscope")?;
        self.constant(momentum, value.span, "the momentum of a gyroscope")?;
        let g = &self.graph;
        let mut axis = [g.zero(), g.zero(), g.one()];
        if let Some(value) = table.get("axis") {
            axis = self.three(value, "the axis of a gyroscope")?;
        }
        let g = &mut self.graph;
        let length = linear::norm(g, &axis);
        let size = g.div(momentum, length);
        Some(axis.iter().map(|e| g.mul(size, *e)).collect())
    }

    /// V = c × Ω.
    pub(super) fn no_slip(&mut self) -> Vec<Constraint> {
        let Some(rolling) = &self.rolling else { return Vec::new() };
        let g = &mut self.graph;
        let c: Vec<Expr> = rolling.c.iter().map(|s| g.var(*s)).collect();
        let spin: Vec<Expr> = rolling.velocities[3..].iter().map(|s| g.var(*s)).collect();
        let slide = cross(g, &c, &spin);
        let constraint = |i: usize| {
            let v = g.var(rolling.velocities[i]);
            let residual = g.sub(v, slide[i]);
            Constraint { name: format!("no slip {}", i + 1), residual, holonomic: None, span: rolling.span }
        };
        (0..3).map(constraint).collect()
    }

    /// `force`, `normal_force` and `mu_required`.
    pub(super) fn contact_force(&mut self, lagrangian: Option<Expr>, forces: &[(Symbol, Expr)]) -> Vec<(String, Expr)> {
        let (Some(rolling), Some(lagrangian)) = (self.rolling.clone(), lagrangian) else { return Vec::new() };
        let rates = self.rates.clone();
        let g = &mut self.graph;
        let p: Vec<Expr> = rolling.velocities[..3].iter().map(|v| g.derivative(lagrangian, *v)).collect();
        let change = g.along_all(&p, &rates);
        let spin: Vec<Expr> = rolling.velocities[3..].iter().map(|s| g.var(*s)).collect();
        let turned = cross(g, &spin, &p);
        let pull: Vec3 = std::array::from_fn(|i| g.derivative(lagrangian, rolling.positions[9 + i]));
        let pull = linear::mat_vec(g, &linear::transpose(&rolling.rotation), &pull);
        let body: Vec3 = std::array::from_fn(|i| {
            let applied = forces.iter().find(|(s, _)| *s == rolling.velocities[i]).map(|(_, e)| *e);
            let mut terms = vec![(change[i], int(1)), (turned[i], int(1)), (pull[i], int(-1))];
            terms.extend(applied.map(|e| (e, int(-1))));
            g.linear(terms)
        });
        let force = linear::mat_vec(g, &rolling.rotation, &body);
        let up = *rolling.ground_patch.normal();
        let normal = linear::dot(g, &force, &up);
        let along = linear::scale(g, normal, &up);
        let tangent = linear::sub(g, &force, &along);
        let friction = linear::norm(g, &tangent);
        let ratio = g.div(friction, normal);
        let span = Some(rolling.span);
        for (name, value) in [
            ("force", Value::Vector(force.to_vec())),
            ("normal_force", Value::Scalar(normal)),
            ("mu_required", Value::Scalar(ratio)),
        ] {
            if self.scope.get(name).is_none() {
                self.bind(name, What::BodyPart, Some(value), span);
            }
        }
        if let Some(rolling) = &mut self.rolling {
            rolling.normal_force = Some(normal);
        }
        let mut out: Vec<(String, Expr)> = (0..3).map(|i| (format!("force[{}]", i + 1), force[i])).collect();
        out.extend([("normal_force".to_owned(), normal), ("mu_required".to_owned(), ratio)]);
        out
    }

    /// Where the body would lift off, and where the relative curvature is singular.
    pub(super) fn contact_events(&mut self) -> Vec<Event> {
        let Some(rolling) = &self.rolling else { return Vec::new() };
        let event = |name: String, function: Expr| Event {
            name,
            function,
            direction: Direction::Falling,
            action: Action::Record,
            span: rolling.span,
        };
        let mut out = Vec::new();
        if let Some(normal) = rolling.normal_force.filter(|_| !rolling.bilateral) {
            out.push(event(format!("{} would lift off", rolling.name), normal));
        }
        out.push(event("singular relative curvature".to_owned(), rolling.contact.determinant));
        out
    }
}

/// The curvature of a sphere, whose shape operator is the same in all directions.
fn sphere_curvature(g: &mut polhode_expr::Graph, surface: &Surface) -> Option<Expr> {
    let Shape::Sphere { radius } = surface.shape else { return None };
    let k = g.powi(radius, -1);
    Some(if surface.side == Side::Inside { g.neg(k) } else { k })
}
