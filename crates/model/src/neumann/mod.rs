//! A rolling body in Neumann's coordinates: the parameters (u, v) of the point of contact on the body, those (u₁, v₁) on the
//! ground, and the angle ϑ between the two.
//!
//! A body and a ground in contact at one point are an ordinary model in five coordinates. With the frames e₁, e₂, n of the two
//! charts, A, B, Γ and Q of `polhode_geometry`, ξ = (u, v) and r = (r₁, r₂, ε) the point of contact in the frame of the body,
//!
//! ```text
//! R e₁ = −sin ϑ e₁₁ + cos ϑ e₂₁,   R e₂ = cos ϑ e₁₁ + sin ϑ e₂₁,   R n = −n₁,     x_O = x₁ − R x
//! (σ, τ) = J (B A ξ̇ + Q B₁ A₁ ξ̇₁),   n = −ϑ̇ − Γ ξ̇ − Γ₁ ξ̇₁                                     (9)
//! V = Q A₁ ξ̇₁ − A ξ̇ + r × (σ, τ, n)                                                            (11)
//! A₁ ξ̇₁ = Q A ξ̇                                                                                (12)
//! ```
//!
//! Whatever the model says in R, x_O, V and Ω is put into these: the Lagrangian, the forces ⟨F, b_A⟩ by the chain rule, further
//! constraints, observables, events. Of the three rows of no slip the one along the normal holds by construction, the other two
//! are (12), and their multipliers are the friction along e₁₁ and e₂₁. The whole force is that of the equation of V,
//!
//! ```text
//! f = d/dt ∂L/∂V + Ω × ∂L/∂V − Rᵀ ∂L/∂x_O − F_V                                                (N1)
//! ```
//!
//! The form of Voronets is then (57), that of Hamel in u̇, v̇ and n is (40) on a sphere and a plane, and that of Hamilton (45).
//!
//! Source: [Voronets1911, §§1, 4, 10, 13, 16], after C. Neumann; signs and any regular chart: `docs/theory/rolling.md`.
//!
//! Not here: several contacts, edges, ground that moves. The chart-free model has none of these limits, and no poles.

mod charts;
mod roots;
mod start;

use crate::configuration::{Configuration, Kind, Rotation, Translation};
use crate::contact::{Contact, ContactSide, Correction, Owner};
use crate::model::{Body, Constraint, Event, Model, QuasiVelocity, Rejected};
pub use charts::{ChartChoice, Charts};
use charts::{Cover, Known};
use polhode_base::ids::{IdRange, IdVec};
use polhode_base::{Diagnostic, Diagnostics};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Boundary, Mat3, NeumannContact, Relative, Surface, Vec2, Vec3, linear};
use rustc_hash::FxHashMap;

/// Expressions larger than this are not simplified on the way.
const TIDY_NODES: usize = 250;
/// Nor are those whose polynomials have more terms.
const TIDY_TERMS: usize = 120;

impl Model {
    /// The same body and ground in Neumann's coordinates `u`, `v`, `theta`, `u1`, `v1`, with the two constraints of rolling.
    ///
    /// The names have that of the body before them where the model uses them for something of its own. The initial state comes
    /// along, in many digits; where it lies at a pole of a chart, a warning says so, and the new model has none. What was
    /// written about symmetries and independent velocities is left out.
    ///
    /// ```
    /// use polhode_model::{Charts, Model, ParseOptions};
    ///
    /// let text = r#"
    /// [gravity]
    /// g = 1
    /// [body.tyre]
    /// mass    = 1
    /// surface = { torus = [1, 0.25] }
    /// inertia = [0.6, 0.6, 1]
    /// [ground]
    /// surface = "plane"
    /// "#;
    /// let (tyre, _) = Model::parse("tyre.toml", text, &ParseOptions::default())?;
    /// let (tyre, _) = tyre.in_neumann_coordinates(Charts::default())?;
    /// let names: Vec<&str> = tyre.configuration.positions().iter().map(|s| tyre.graph.name(*s)).collect();
    /// assert_eq!(names, ["u", "v", "theta", "u1", "v1"]);
    /// assert_eq!(tyre.constraints.len(), 2);
    /// # Ok::<(), polhode_model::Rejected>(())
    /// ```
    pub fn in_neumann_coordinates(&self, charts: Charts) -> Result<(Model, Diagnostics), Rejected> {
        convert(self, charts)
            .map_err(|diagnostic| Rejected { source: self.source.clone(), diagnostics: (*diagnostic).into() })
    }
}

fn convert(model: &Model, charts: Charts) -> Result<(Model, Diagnostics), Box<Diagnostic>> {
    let contact = the_contact(model)?;
    let values = start::values(model);
    let points = start::points(model, contact);
    let mut g = model.graph.clone();
    let g = &mut g;
    let names = Names::new(model, contact, g);
    let mut covers = Vec::new();
    for (k, choice) in [charts.body, charts.ground].into_iter().enumerate() {
        let side = &contact.sides[k];
        let surface = seen_in_place(g, side)?;
        let known = Known { values: &values, start: points.as_ref().map(|p| start::doubles(&p[k])) };
        covers.push(Cover::new(g, side, surface, choice, names.parameters(k), &known)?);
    }
    let covers: [Cover; 2] = covers.try_into().ok().expect("two sides");
    let change = Change::new(model, contact, g, &names, &covers);
    let mut warnings = Diagnostics::new();
    let initial = match start::initial(model, contact, g, &change, &covers) {
        Ok(initial) => initial,
        Err(warning) => {
            warnings.push(*warning);
            Vec::new()
        }
    };
    Ok((change.model(model, contact, g, initial), warnings))
}

/// The only contact of the only body, with ground that stands.
fn the_contact(model: &Model) -> Result<&Contact, Box<Diagnostic>> {
    let refuse = |message: &str| Diagnostic::error("no-neumann-coordinates", message);
    let [contact] = &model.contacts[..] else {
        return Err(Box::new(match model.contacts.first() {
            None => refuse("Neumann's coordinates are those of a body in contact, but nothing touches in this model")
                .help("give a body a surface, and add [ground]"),
            Some(second) => refuse("Neumann's coordinates are for one contact, but this model has several")
                .at(second.span, "one of them"),
        }));
    };
    let bodies = model.configuration.factors().iter().filter(|f| f.in_contact()).count();
    let [body, ground] = &contact.sides;
    if ground.owner != Owner::Ground || bodies != 1 {
        return Err(Box::new(refuse("Neumann's coordinates are for one body on the ground").at(contact.span, "")));
    }
    if let Boundary::Edge(_) = body.boundary {
        let message = "this body touches with an edge, and Neumann's coordinates are for two surfaces";
        return Err(Box::new(refuse(message).at(body.span, "")));
    }
    let g = &model.graph;
    let resting = [ground.velocity, ground.spin, ground.belt].iter().flatten().all(|e| g.is_zero(*e));
    let turning = ground.rotation.iter().flatten().chain(&ground.position);
    if !resting || turning.copied().any(|e| g.contains_any(e, &[model.time])) {
        let message = "the ground moves, and Neumann's coordinates are for ground at rest";
        return Err(Box::new(refuse(message).at(ground.span, "")));
    }
    Ok(contact)
}

/// The surface of a side in the axes of the body, or of the world.
fn seen_in_place(g: &mut Graph, side: &ContactSide) -> Result<Surface, Box<Diagnostic>> {
    let Boundary::Surface(surface) = side.boundary else {
        let message = "this is an edge, and Neumann's coordinates are for two surfaces";
        return Err(Box::new(Diagnostic::error("no-neumann-coordinates", message).at(side.span, "")));
    };
    let here = side.rotation == linear::identity(g) && side.position.iter().all(|e| g.is_zero(*e));
    Ok(match side.owner {
        Owner::Ground if !here => surface.placed(g, side.rotation, side.position),
        _ => surface,
    })
}

/// The symbols of u, v, ϑ, u₁, v₁, and of n.
struct Names {
    coordinates: [String; 5],
    symbols: [Symbol; 5],
    spin: String,
}

impl Names {
    fn new(model: &Model, contact: &Contact, g: &mut Graph) -> Names {
        let wanted = ["u", "v", "theta", "u1", "v1"];
        let taken = |n: &str| model.scope.get(n).is_some();
        let prefix =
            if wanted.iter().any(|n| taken(n)) { format!("{}.", contact.sides[0].name) } else { String::new() };
        let coordinates = wanted.map(|n| format!("{prefix}{n}"));
        let symbols = [0, 1, 2, 3, 4].map(|i| g.symbol(&coordinates[i]));
        if prefix.is_empty() {
            g.set_latex(symbols[2], "\\vartheta");
        }
        let spin = if taken("n") { format!("{}.n", contact.sides[0].name) } else { "n".to_owned() };
        Names { coordinates, symbols, spin }
    }

    /// Those of one of the two charts.
    fn parameters(&self, side: usize) -> [Symbol; 2] {
        [self.symbols[3 * side], self.symbols[3 * side + 1]]
    }
}

/// What becomes of the quantities of a rolling body.
struct Change<'n> {
    names: &'n Names,
    neumann: NeumannContact,
    configuration: Configuration,
    /// u̇, v̇, ϑ̇, u̇₁, v̇₁.
    rates: [Symbol; 5],
    /// The old positions, velocities, accelerations and multipliers in the new symbols.
    map: FxHashMap<Symbol, Expr>,
    /// V and Ω of the old model.
    old: [[Symbol; 3]; 2],
    /// V and Ω on e₁, e₂, n.
    in_frame: [Vec3; 2],
    /// What stands for the multipliers of the new constraints.
    multipliers: Vec<Symbol>,
}

impl<'n> Change<'n> {
    fn new(model: &Model, contact: &Contact, g: &mut Graph, names: &'n Names, covers: &[Cover; 2]) -> Change<'n> {
        let theta = g.var(names.symbols[2]);
        let neumann = NeumannContact::new(g, covers[0].chart.clone(), covers[1].chart.clone(), theta);
        let configuration = configuration(model, g, names, covers);
        let rates = [0, 1, 2, 3, 4].map(|i| g.symbol(&format!("{}'", names.coordinates[i])));
        let [du, dv, dt, du1, dv1] = rates.map(|s| g.var(s));

        // (9) and (11)
        let spin = neumann.angular_velocity_of(g, &[du, dv], dt, &[du1, dv1]);
        let spin = spin.map(|e| tidy(g, e));
        let r = arm(g, &neumann);
        let slip = slip(g, &neumann, &[du, dv], &[du1, dv1]);
        let turned = linear::cross(g, &r, &spin);
        let speed = [g.add(slip[0], turned[0]), g.add(slip[1], turned[1]), turned[2]];
        let speed = speed.map(|e| tidy(g, e));
        let axes = [neumann.body.frame[0], neumann.body.frame[1], neumann.body.normal];
        let in_frame = [speed, spin];
        let in_body = in_frame.map(|v| linear::combine(g, &v, &axes));

        // positions
        let rotation = neumann.rotation(g);
        let images = images(g, &neumann);
        let seen = linear::combine(g, &r, &images);
        let centre = linear::sub(g, &neumann.ground.position, &seen);
        let centre = centre.map(|e| tidy(g, e));
        let (turn, shift) = motion_of_the_body(model);
        let old = [shift.velocity, turn.omega];
        let mut map: FxHashMap<Symbol, Expr> = turn.matrix.into_iter().zip(flat(&rotation)).collect();
        map.extend(shift.place.into_iter().zip(centre));
        for (k, chart) in [&neumann.body, &neumann.ground].into_iter().enumerate() {
            let coordinates = contact.sides[k].piece.coordinates();
            if coordinates.iter().all(|s| contact.carried.contains(s)) {
                let here: Vec<Expr> = match coordinates.len() {
                    3 => chart.position.to_vec(),
                    _ => names.parameters(k).iter().map(|s| g.var(*s)).collect(),
                };
                map.extend(coordinates.iter().copied().zip(here));
            }
        }
        // velocities, and their rates along the motion
        let motion = motion(g, model, &configuration);
        for (symbols, values) in old.iter().zip(&in_body) {
            let changes = g.along_all(values, &motion);
            for i in 0..3 {
                let acceleration = Configuration::acceleration(g, symbols[i]);
                map.extend([(symbols[i], values[i]), (acceleration, changes[i])]);
            }
        }
        let multipliers = Vec::new();
        let mut change = Change { names, neumann, configuration, rates, map, old, in_frame, multipliers };
        change.put_multipliers(model, contact, g);
        change
    }

    /// (N1): what the multipliers of the contact are, which were three or one.
    fn put_multipliers(&mut self, model: &Model, contact: &Contact, g: &mut Graph) {
        let Some(lagrangian) = model.lagrangian else { return };
        let all = model.constraints_in(&model.in_force);
        let further: Vec<&Constraint> = all.iter().skip(contact.constraints.len()).collect();
        let own = if contact.frictionless { 0 } else { 2 };
        self.multipliers = (0..own + further.len()).map(|i| g.symbol(&format!("reaction.{}", i + 1))).collect();
        let [slide, spin] = self.old;
        let momenta = slide.map(|s| g.derivative(lagrangian, s));
        let omega = spin.map(|s| g.var(s));
        let turning = linear::cross(g, &omega, &momenta);
        let (turn, shift) = motion_of_the_body(model);
        let pull: Vec3 = shift.place.map(|x| g.derivative(lagrangian, x));
        let rotation: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| g.var(turn.matrix[3 * i + j])));
        let seen = linear::mat_vec(g, &linear::transpose(&rotation), &pull);
        let mut rest = linear::sub(g, &turning, &seen);
        for (i, s) in slide.iter().enumerate() {
            let applied: Vec<Expr> = model.forces.iter().filter(|(v, _)| v == s).map(|(_, f)| *f).collect();
            let applied = g.sum(applied);
            rest[i] = g.sub(rest[i], applied);
            for (k, c) in further.iter().enumerate() {
                let slope = g.derivative(c.residual, *s);
                let share = g.var(self.multipliers[own + k]);
                let part = g.mul(slope, share);
                rest[i] = g.sub(rest[i], part);
            }
        }
        let momenta = self.put(g, &momenta);
        let rest = self.put(g, &rest);
        let motion = motion(g, model, &self.configuration);
        let changes = g.along_all(&momenta, &motion);
        let force: Vec3 = std::array::from_fn(|i| g.add(changes[i], rest[i]));
        let old = &model.multipliers;
        match contact.frictionless {
            false => self.map.extend(old.iter().copied().zip(force)),
            true => {
                let normal = self.put(g, &contact.normal);
                let along = linear::dot(g, &[normal[0], normal[1], normal[2]], &force);
                let push = g.neg(along);
                self.map.extend(old.first().map(|s| (*s, push)));
            }
        }
    }

    fn put(&self, g: &mut Graph, entries: &[Expr]) -> Vec<Expr> {
        g.substitute_all(entries, &self.map)
    }

    fn put_one(&self, g: &mut Graph, e: Expr) -> Expr {
        g.substitute(e, &self.map)
    }

    fn put_vector(&self, g: &mut Graph, v: &Vec3) -> Vec3 {
        let moved = self.put(g, v);
        std::array::from_fn(|i| moved[i])
    }

    /// The Lagrangian. The squares of V and Ω are those of their components on e₁, e₂, n, which are shorter than those in body axes.
    fn lagrangian(&self, g: &mut Graph, lagrangian: Expr) -> Expr {
        let mut rest = lagrangian;
        let mut squares = Vec::new();
        for (symbols, frame) in self.old.iter().zip(&self.in_frame) {
            let Some((without, m)) = split_square(g, rest, symbols) else { continue };
            let square = linear::dot(g, frame, frame);
            let half = g.scale(m, &ratio(1, 2));
            squares.push(g.mul(half, square));
            rest = without;
        }
        let rest = self.put_one(g, rest);
        squares.push(rest);
        g.sum(squares)
    }

    /// ⟨F, ∂_q⟩ = Σ ⟨F, b_A⟩ ∂v^A/∂q̇.
    fn forces(&self, model: &Model, g: &mut Graph) -> Vec<(Symbol, Expr)> {
        let mut out = Vec::new();
        for (symbol, f) in &model.forces {
            let f = self.put_one(g, *f);
            let Some(velocity) = self.map.get(symbol).copied() else {
                out.push((*symbol, f));
                continue;
            };
            for rate in self.rates {
                let slope = g.derivative(velocity, rate);
                let part = g.mul(f, slope);
                if !g.is_zero(part) {
                    out.push((rate, part));
                }
            }
        }
        out
    }

    /// The rows (12).
    fn rows(&self, g: &mut Graph) -> [Expr; 2] {
        let [du, dv, _, du1, dv1] = self.rates.map(|s| g.var(s));
        let (a, a1) = (self.neumann.body.frame_matrix(g), self.neumann.ground.frame_matrix(g));
        let moved = linear::mat_vec(g, &a, &[du, dv]);
        let seen = linear::mat_vec(g, &self.neumann.q, &moved);
        let own = linear::mat_vec(g, &a1, &[du1, dv1]);
        linear::sub(g, &own, &seen)
    }

    /// u̇, v̇ and n, in which the equations on a sphere and a plane are (40).
    fn quasi_velocities(&self, contact: &Contact, g: &mut Graph) -> Vec<QuasiVelocity> {
        let [du, dv, dt, ..] = self.rates.map(|s| g.var(s));
        let n = linear::dot(g, &self.neumann.spin_row, &[du, dv]);
        let n = g.sub(n, dt);
        let spin = g.symbol(&self.names.spin);
        let span = contact.span;
        [(self.rates[0], du), (self.rates[1], dv), (spin, n)]
            .map(|(symbol, definition)| QuasiVelocity { symbol, definition, span })
            .to_vec()
    }

    /// The model in the new coordinates.
    fn model(self, model: &Model, contact: &Contact, g: &mut Graph, initial: Vec<crate::model::InitialValue>) -> Model {
        let lagrangian = model.lagrangian.map(|l| self.lagrangian(g, l));
        let forces = self.forces(model, g);
        let span = contact.span;
        let mut constraints: Vec<Constraint> = Vec::new();
        if !contact.frictionless {
            let titles = ["no slip u1", "no slip v1"];
            let rows = self.rows(g).into_iter().zip(titles);
            constraints.extend(rows.map(|(residual, name)| Constraint::new(name.to_owned(), residual, span)));
        }
        let own = constraints.len();
        for c in model.constraints_in(&model.in_force).iter().skip(contact.constraints.len()) {
            let residual = self.put_one(g, c.residual);
            let holonomic = c.holonomic.map(|h| self.put_one(g, h));
            constraints.push(Constraint { residual, holonomic, ..c.clone() });
        }
        let velocities = self.configuration.velocities().to_vec();
        let plain = own == constraints.len() && own == 2;
        let independent = plain.then(|| velocities.iter().copied().filter(|v| !self.rates[3..].contains(v)).collect());
        let mut quasi_velocities: Vec<QuasiVelocity> = model
            .quasi_velocities
            .iter()
            .map(|q| QuasiVelocity { definition: self.put_one(g, q.definition), ..q.clone() })
            .collect();
        if quasi_velocities.is_empty() && plain && velocities.len() == 5 {
            quasi_velocities = self.quasi_velocities(contact, g);
        }
        let observables = self.observables(model, contact, g);
        let events =
            model.events.iter().map(|e| Event { function: self.put_one(g, e.function), ..e.clone() }).collect();
        let bodies = model.bodies.iter().map(|b| self.body(g, b)).collect();
        let contacts = vec![self.contact(g, contact, own)].into();
        let mut definitions = self.definitions(contact, g);
        definitions.extend(model.definitions.iter().map(|(n, e)| (n.clone(), self.put(g, e))));
        let mut scope = model.scope.rewritten(&mut |e: &[Expr]| self.put(g, e));
        for (name, symbol) in self.names.coordinates.iter().zip(self.names.symbols) {
            scope.declare_coordinate(name, g.var(symbol));
        }
        Model {
            graph: std::mem::take(g),
            configuration: self.configuration,
            lagrangian,
            forces,
            in_force: constraints.iter().map(|_| true).collect(),
            constraints: constraints.into(),
            borders: IdVec::new(),
            latches: IdVec::new(),
            walls: IdVec::new(),
            contacts,
            multipliers: self.multipliers,
            independent,
            independent_span: None,
            quasi_velocities,
            symmetries: Vec::new(),
            horizontal: Vec::new(),
            symmetry_group: None,
            initial,
            observables,
            definitions,
            bodies,
            events,
            scope,
            ..model.clone()
        }
    }

    /// For display: the points of contact (x, y, z) and (x₁, y₁, z₁), E, F, G of both charts, B + Q B₁ Q with the entries Δ, Δ′, Δ″ of (56), and σ, τ, n.
    fn definitions(&self, contact: &Contact, g: &mut Graph) -> Vec<(String, Vec<Expr>)> {
        let charts = [&self.neumann.body, &self.neumann.ground];
        let mut out = Vec::new();
        for (chart, names) in charts.into_iter().zip([["x", "y", "z"], ["x1", "y1", "z1"]]) {
            out.extend(names.into_iter().zip(chart.position).map(|(n, e)| (n.to_owned(), vec![e])));
        }
        for (chart, end) in charts.into_iter().zip(["", "_1"]) {
            for (letter, e) in ["E", "F", "G"].into_iter().zip(chart.first) {
                if g.as_number(e).is_none() {
                    out.push((format!("{letter}{end}"), vec![e]));
                }
            }
        }
        let [[d, d1], [_, d2]] = self.neumann.curvature;
        for (name, e) in [("Delta_uu", d), ("Delta_uv", d1), ("Delta_vv", d2)] {
            let e = tidy(g, e);
            if !g.is_zero(e) {
                out.push((name.to_owned(), vec![e]));
            }
        }
        let spin = match contact.frictionless {
            true => self.in_frame[1],
            false => {
                let [du, dv, dt, ..] = self.rates.map(|s| g.var(s));
                self.neumann.angular_velocity(g, &[du, dv], dt)
            }
        };
        out.extend(["sigma", "tau", "n"].into_iter().zip(spin).map(|(n, e)| (n.to_owned(), vec![e])));
        out
    }

    /// What was positions and velocities comes first.
    fn observables(&self, model: &Model, contact: &Contact, g: &mut Graph) -> Vec<(String, Expr)> {
        let (turn, shift) = motion_of_the_body(model);
        let mut out: Vec<(String, Expr)> = Vec::new();
        for s in turn.matrix.iter().chain(&shift.place).chain(&turn.omega) {
            out.push((g.name(*s).to_owned(), self.map[s]));
        }
        let rotation: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| self.map[&turn.matrix[3 * i + j]]));
        let spin: Vec3 = turn.omega.map(|s| self.map[&s]);
        let world = linear::mat_vec(g, &rotation, &spin);
        out.extend((0..3).map(|i| (format!("{}[{}]", turn.world, i + 1), world[i])));
        for (stem, point) in ["c", "c1"].into_iter().zip([&contact.sides[0].point, &contact.sides[1].point]) {
            let stem = contact.part(stem);
            let here = self.put_vector(g, point);
            out.extend((0..3).map(|i| (format!("{stem}[{}]", i + 1), here[i])));
        }
        out.retain(|(n, _)| !model.observables.iter().any(|(m, _)| m == n));
        for (n, e) in &model.observables {
            out.push((n.clone(), self.put_one(g, *e)));
        }
        out
    }

    fn body(&self, g: &mut Graph, body: &Body) -> Body {
        Body {
            position: self.put(g, &body.position),
            rotation: body.rotation.as_ref().map(|r| self.put(g, r)),
            angular_velocity: body.angular_velocity.as_ref().map(|w| self.put(g, w)),
            ..body.clone()
        }
    }

    fn contact(&self, g: &mut Graph, contact: &Contact, rows: usize) -> Contact {
        let mut side = |s: &ContactSide| ContactSide {
            point: self.put_vector(g, &s.point),
            rotation: s.rotation.map(|row| self.put_vector(g, &row)),
            position: self.put_vector(g, &s.position),
            velocity: self.put_vector(g, &s.velocity),
            spin: self.put_vector(g, &s.spin),
            ..s.clone()
        };
        let sides = [side(&contact.sides[0]), side(&contact.sides[1])];
        let relative = match &contact.relative {
            Relative::Surfaces(c) => Relative::Surfaces(polhode_geometry::Contact {
                normal: self.put_vector(g, &c.normal),
                curvature: c.curvature.map(|row| self.put_vector(g, &row)),
                trace: self.put_one(g, c.trace),
                determinant: self.put_one(g, c.determinant),
            }),
            edge => *edge,
        };
        Contact {
            sides,
            normal: self.put_vector(g, &contact.normal),
            slip: self.put_vector(g, &contact.slip),
            rate: self.put_vector(g, &contact.rate),
            relative,
            carried: Vec::new(),
            // in these coordinates the contact is closed by construction
            correction: Correction { shift: linear::zero(g), turn: None, points: Vec::new() },
            friction: contact.friction,
            constraints: IdRange::new(0, rows),
            force: self.put_vector(g, &contact.force),
            normal_force: self.put_one(g, contact.normal_force),
            ..contact.clone()
        }
    }
}

fn tidy(g: &mut Graph, e: Expr) -> Expr {
    g.simplify_within(e, TIDY_NODES, TIDY_TERMS)
}

fn flat(m: &Mat3) -> Vec<Expr> {
    m.iter().flatten().copied().collect()
}

/// (r₁, r₂, ε): the point of contact in the frame of the body.
fn arm(g: &mut Graph, neumann: &NeumannContact) -> Vec3 {
    let body = &neumann.body;
    [body.frame[0], body.frame[1], body.normal].map(|e| {
        let along = linear::dot(g, &body.position, &e);
        tidy(g, along)
    })
}

/// R e₁, R e₂, R n.
fn images(g: &mut Graph, neumann: &NeumannContact) -> [Vec3; 3] {
    let [p, q] = neumann.q.map(|row| linear::combine(g, &row, &neumann.ground.frame));
    [p, q, linear::neg(g, &neumann.ground.normal)]
}

/// Q A₁ ξ̇₁ − A ξ̇: the velocity of the body's material at the contact, on e₁ and e₂.
fn slip(g: &mut Graph, neumann: &NeumannContact, rates: &Vec2, ground: &Vec2) -> Vec2 {
    let (a, a1) = (neumann.body.frame_matrix(g), neumann.ground.frame_matrix(g));
    let (own, other) = (linear::mat_vec(g, &a, rates), linear::mat_vec(g, &a1, ground));
    let seen = linear::mat_vec(g, &neumann.q, &other);
    linear::sub(g, &seen, &own)
}

/// How the body in contact turns and moves.
fn motion_of_the_body(model: &Model) -> (&Rotation, &Translation) {
    let body = model.configuration.factors().iter().find(|f| f.in_contact());
    body.and_then(|f| f.rotation().zip(f.translation())).expect("there is one")
}

/// The five coordinates where the body was, and the other factors as they were.
fn configuration(model: &Model, g: &mut Graph, names: &Names, covers: &[Cover; 2]) -> Configuration {
    let mut out = Configuration::new();
    for f in model.configuration.factors() {
        match f.kind {
            Kind::Rolling => {
                let [[u, v], [u1, v1]] = [covers[0].kinds.clone(), covers[1].kinds.clone()];
                for (name, kind) in names.coordinates.iter().zip([u, v, Kind::Angle, u1, v1]) {
                    out.add(g, name, kind, "");
                }
            }
            Kind::Carried => {}
            _ => {
                out.add(g, &f.name, f.kind.clone(), f.rotation().map_or("", Rotation::prefix));
            }
        }
    }
    out
}

/// The rates of positions, velocities and time along the motion.
fn motion(g: &mut Graph, model: &Model, configuration: &Configuration) -> polhode_expr::Rates {
    let mut out = configuration.motion(g, model.time);
    for v in configuration.velocities() {
        let a = Configuration::acceleration(g, *v);
        out.insert(*v, g.var(a));
    }
    out
}

/// Takes ½ m |w|² out of an expression that is of second degree in w: what is left, and m. Of an anisotropic square
/// ½ w·H w with H₁₁ = H₂₂ or the like, this is what two equal moments have in common.
fn split_square(g: &mut Graph, e: Expr, w: &[Symbol; 3]) -> Option<(Expr, Expr)> {
    let at_rest: FxHashMap<Symbol, Expr> = w.iter().map(|s| (*s, g.zero())).collect();
    let slopes = w.map(|s| g.derivative(e, s));
    let hessian: Mat3 = slopes.map(|p| w.map(|s| g.derivative(p, s)));
    if hessian.iter().flatten().any(|h| g.contains_any(*h, w)) {
        return None;
    }
    let pairs = [(0, 1), (1, 2), (2, 0)];
    let (i, _) = pairs.into_iter().find(|(i, j)| hessian[*i][*i] == hessian[*j][*j])?;
    let m = hessian[i][i];
    let vars = w.map(|s| g.var(s));
    let mut parts = vec![g.substitute(e, &at_rest)];
    for i in 0..3 {
        let slope = g.substitute(slopes[i], &at_rest);
        parts.push(g.mul(slope, vars[i]));
        for j in 0..3 {
            let h = if i == j { g.sub(hessian[i][i], m) } else { hessian[i][j] };
            let product = g.product([h, vars[i], vars[j]]);
            parts.push(g.scale(product, &ratio(1, 2)));
        }
    }
    Some((g.sum(parts), m))
}
