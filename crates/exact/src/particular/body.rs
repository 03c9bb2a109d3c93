//! A rigid body as the equations have it: mass, inertia, rotor, surfaces, state.

use super::CLOSE;
use super::vector::{add, apply, back, cross};
use polhode_expr::eval::{Arithmetic, Digits, Real};
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Boundary, Shape, Side};
use polhode_lower::dd;
use polhode_mechanics::{InitialState, System};
use polhode_model::{Contact, DIGITS, Factor, Owner};
use polhode_tape::{Dd, Scalar};
use rustc_hash::FxHashMap;

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidState {
    /// Body to world, row by row.
    pub rotation: [[Dd; 3]; 3],
    /// Ω in body axes.
    pub omega: [Dd; 3],
    /// Its rate.
    pub omega_rate: [Dd; 3],
    /// The centre of mass.
    pub centre: [Dd; 3],
    /// The contact from the centre, in body axes.
    pub contact: [Dd; 3],
    /// Its rate.
    pub contact_rate: [Dd; 3],
    /// The contact in the world.
    pub contact_in_world: [Dd; 3],
}

/// A surface that is centred at the origin of its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Face {
    Plane,
    /// The radius, negative for a hollow.
    Sphere(Dd),
    Ellipsoid([Dd; 3]),
    /// About the third axis: half axes across and along it, height of the middle.
    Spheroid([Dd; 3]),
    Other,
}

/// A body that rolls on the ground, or turns about a fixed point, with its initial state.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    pub(super) factor: Factor,
    pub(super) contact: Option<Contact>,
    /// A ball on a plane written with the coordinates of its centre: x and y, and their rates.
    centre: Option<[[Symbol; 2]; 2]>,
    pub(super) mass: Dd,
    pub(super) inertia: [[Dd; 3]; 3],
    /// The linear part of the momentum: a rotor.
    pub(super) rotor: [Dd; 3],
    pub(super) faces: [Face; 2],
    pub(super) start: RigidState,
    /// The force on the centre of mass at the start, world axes.
    pub(super) force: [Dd; 3],
    /// Does the model have any force, wherever it acts?
    pub(super) forced: bool,
    /// The force of the potential on the centre, as formulas.
    push: Vec<Expr>,
}

/// Values of expressions.
struct Values<'a> {
    graph: &'a Graph,
    at: &'a FxHashMap<Symbol, Real>,
}

impl Values<'_> {
    fn get(&self, e: Expr) -> Option<Dd> {
        let values = self.graph.evaluate(&Digits::decimal(DIGITS), &[e], self.at).ok()?;
        Some(dd(&values[0]))
    }

    fn vector(&self, v: &[Expr; 3]) -> Option<[Dd; 3]> {
        Some([self.get(v[0])?, self.get(v[1])?, self.get(v[2])?])
    }
}

impl Rigid {
    /// The only body of a system, if it has one.
    pub(super) fn of(system: &mut System, start: &InitialState) -> Option<Rigid> {
        let model = system.model.clone();
        let moving: Vec<Factor> = system.configuration.factors().iter().filter(|f| !f.is_carried()).cloned().collect();
        let (reals, bodies): (Vec<&Factor>, Vec<&Factor>) = moving.iter().partition(|f| f.line().is_some());
        let [factor] = bodies[..] else { return None };
        let turn = factor.rotation()?;
        let (contact, centre) = match (factor.translation(), &model.contacts[..], &reals[..]) {
            (None, [], []) if model.constraints.is_empty() => (None, None),
            (None, [], [first, second]) if model.constraints.len() == 2 => {
                (None, Some(rolling(system, start, factor, [first, second])?))
            }
            (Some(_), [contact], []) if factor.in_contact() && contact.sides[1].owner == Owner::Ground => {
                (Some(contact.clone()), None)
            }
            _ => return None,
        };
        let omega = turn.omega.to_vec();
        let lagrangian = system.lagrangian;
        let (masses, momenta_at_rest) = (system.mass_matrix(), system.momenta_at_rest());
        let velocities = system.configuration.velocities();
        let place = |s: &Symbol| velocities.iter().position(|v| v == s);
        let columns: Vec<usize> = omega.iter().filter_map(place).collect();
        let moments: Vec<Vec<Expr>> =
            columns.iter().map(|i| columns.iter().map(|j| masses[(*i, *j)]).collect()).collect();
        let linear: Vec<Expr> = columns.iter().map(|i| momenta_at_rest[*i]).collect();
        let along = |s: &Symbol| place(s).map(|i| masses[(i, i)]);
        let graph = &mut system.graph;
        let at_rest: FxHashMap<Symbol, Expr> =
            moving.iter().flat_map(|f| &f.velocities).map(|s| (*s, graph.zero())).collect();
        let (mut mass, mut force) = (graph.zero(), Vec::new());
        let potential = graph.substitute(lagrangian, &at_rest);
        let slopes: Vec<Expr> =
            moving.iter().flat_map(|f| &f.positions).map(|s| graph.derivative(potential, *s)).collect();
        if let Some(shift) = factor.translation() {
            mass = along(&shift.velocity[0])?;
            force = shift.place.map(|s| graph.derivative(potential, s)).to_vec();
        }
        if let Some(found) = &centre {
            mass = along(&found.rates[0])?;
        }
        let other = system.forces.clone();
        let forced = slopes.into_iter().chain(other).any(|e| !system.is_zero(e));
        let values = Values { graph: &system.graph, at: &start.digits };
        let symbol = |s: &Symbol| start.digits.get(s).map(dd);
        let entry = |k: usize| symbol(&factor.positions[k]);
        let row = |i: usize| Some([entry(3 * i)?, entry(3 * i + 1)?, entry(3 * i + 2)?]);
        let rotation = [row(0)?, row(1)?, row(2)?];
        let three = |v: Vec<Option<Dd>>| -> Option<[Dd; 3]> { Some([v[0]?, v[1]?, v[2]?]) };
        let moment = |i: usize| three(moments[i].iter().map(|e| values.get(*e)).collect());
        let mut state = RigidState {
            rotation,
            omega: three(omega.iter().map(symbol).collect())?,
            omega_rate: [Dd::ZERO; 3],
            centre: [Dd::ZERO; 3],
            contact: [Dd::ZERO; 3],
            contact_rate: [Dd::ZERO; 3],
            contact_in_world: [Dd::ZERO; 3],
        };
        let mut faces = [Face::Other; 2];
        if let Some(contact) = &contact {
            state.centre = three(factor.positions[9..].iter().map(symbol).collect())?;
            state.contact = values.vector(&contact.sides[0].point)?;
            state.contact_in_world = add(state.centre, apply(&rotation, state.contact));
            faces = [face(&values, &contact.sides[0].boundary)?, face(&values, &contact.sides[1].boundary)?];
        }
        if let Some(found) = &centre {
            state.centre = [symbol(&found.symbols[0])?, symbol(&found.symbols[1])?, found.radius];
            state.contact = back(&rotation, [Dd::ZERO, Dd::ZERO, -found.radius]);
            state.contact_in_world = [state.centre[0], state.centre[1], Dd::ZERO];
            faces = [Face::Sphere(found.radius), Face::Plane];
        }
        Some(Rigid {
            mass: values.get(mass)?,
            inertia: [moment(0)?, moment(1)?, moment(2)?],
            rotor: three(linear.iter().map(|e| values.get(*e)).collect())?,
            force: if force.is_empty() {
                [Dd::ZERO; 3]
            } else {
                three(force.iter().map(|e| values.get(*e)).collect())?
            },
            start: state,
            forced,
            push: force,
            faces,
            factor: factor.clone(),
            contact,
            centre: centre.map(|c| [c.symbols, c.rates]),
        })
    }

    /// Does it turn about a fixed point, without touching anything?
    pub(super) fn is_free(&self) -> bool {
        self.contact.is_none() && self.centre.is_none()
    }

    /// Does any force act on the body in this state? The centre of a body that turns as if it were free rests, so that the contact has to balance the force on it.
    pub(super) fn is_pushed(&self, system: &System, start: &InitialState, state: &RigidState) -> bool {
        if !self.forced {
            return false;
        }
        let Some((symbols, _)) = self.symbols(system, state) else { return true };
        let digits = Digits::decimal(DIGITS);
        let mut at = start.digits.clone();
        let configuration = &system.configuration;
        for (s, x) in configuration.positions().iter().chain(configuration.velocities()).zip(symbols) {
            at.insert(*s, digits.add(&digits.double(x.hi()), &digits.double(x.lo())));
        }
        let values = Values { graph: &system.graph, at: &at };
        let acts = |e: &Expr| values.get(*e).is_none_or(|x| x.to_f64().abs() > CLOSE);
        self.push.iter().chain(&system.forces).any(acts)
    }

    /// The principal moments, if the axes are principal ones.
    pub(super) fn principal(&self) -> Option<[Dd; 3]> {
        let i = &self.inertia;
        let diagonal = (0..3).all(|a| (0..3).all(|b| a == b || i[a][b] == Dd::ZERO));
        diagonal.then(|| [i[0][0], i[1][1], i[2][2]])
    }

    /// Positions and velocities of the model and their rates, in the order of its symbols; `None` where it has others than those of
    /// the body and of points of contact in space.
    pub(super) fn symbols(&self, system: &System, state: &RigidState) -> Option<(Vec<Dd>, Vec<Dd>)> {
        let velocity = cross(state.contact, state.omega);
        let acceleration = add(cross(state.contact_rate, state.omega), cross(state.contact, state.omega_rate));
        let contact_in_world_rate = apply(&state.rotation, state.contact_rate);
        let mut out = (Vec::new(), Vec::new());
        for s in system.configuration.positions() {
            let (value, rate) = match self.factor.positions.iter().position(|p| p == s) {
                Some(k) if k < 9 => {
                    let row = state.rotation[k / 3];
                    // Ṙ = R Ω̂: row × Ω
                    (row[k % 3], cross(row, state.omega)[k % 3])
                }
                Some(k) => (state.centre[k - 9], apply(&state.rotation, velocity)[k - 9]),
                None if self.centre.is_some() => {
                    let k = self.centre.and_then(|[x, _]| x.iter().position(|p| p == s))?;
                    (state.centre[k], apply(&state.rotation, velocity)[k])
                }
                None => {
                    let [first, second] = &self.contact.as_ref()?.sides;
                    let at = |side: &polhode_model::ContactSide| side.piece.coordinates().iter().position(|c| c == s);
                    match (at(first), at(second)) {
                        (Some(k), _) if first.piece.coordinates().len() == 3 => {
                            (state.contact[k], state.contact_rate[k])
                        }
                        (None, Some(k)) if second.piece.coordinates().len() == 3 => {
                            (state.contact_in_world[k], contact_in_world_rate[k])
                        }
                        _ => return None,
                    }
                }
            };
            out.0.push(value);
            out.1.push(rate);
        }
        let n = self.factor.velocities.len();
        for s in system.configuration.velocities() {
            if let Some(k) = self.centre.and_then(|[_, rates]| rates.iter().position(|v| v == s)) {
                // in space: V̇ and Ω × V
                let all = add(acceleration, cross(state.omega, velocity));
                out.0.push(apply(&state.rotation, velocity)[k]);
                out.1.push(apply(&state.rotation, all)[k]);
                continue;
            }
            let k = self.factor.velocities.iter().position(|v| v == s)?;
            let (value, rate) = match n - k {
                4.. => (velocity[k], acceleration[k]),
                left => (state.omega[3 - left], state.omega_rate[3 - left]),
            };
            out.0.push(value);
            out.1.push(rate);
        }
        Some(out)
    }
}

/// A ball on the plane z = 0 without slipping, as constraints say it.
struct Rolls {
    /// x, y.
    symbols: [Symbol; 2],
    rates: [Symbol; 2],
    radius: Dd,
}

/// Do two constraints say ẋ = r ω₂, ẏ = −r ω₁ of two coordinates? Looked at where the system starts; solutions are put into the equations later.
fn rolling(system: &mut System, start: &InitialState, body: &Factor, reals: [&Factor; 2]) -> Option<Rolls> {
    let columns: Vec<Symbol> = reals.iter().map(|f| f.velocities[0]).chain(body.velocities.iter().copied()).collect();
    let rows: Vec<Expr> = system.constraints.iter().map(|c| c.residual).collect();
    let graph = &mut system.graph;
    let slopes: Vec<Vec<Expr>> =
        rows.iter().map(|row| columns.iter().map(|s| graph.derivative(*row, *s)).collect()).collect();
    let values = Values { graph: &system.graph, at: &start.digits };
    let mut a = [[Dd::ZERO; 5]; 2];
    for (i, row) in slopes.iter().enumerate() {
        for (j, e) in row.iter().enumerate() {
            a[i][j] = values.get(*e)?;
        }
    }
    let determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if determinant == Dd::ZERO {
        return None;
    }
    // the rates of the two coordinates as functions of Ω, and of ω in space
    let solved = |i: usize, j: usize| match i {
        0 => -((a[1][1] * a[0][j] - a[0][1] * a[1][j]) / determinant),
        _ => -((a[0][0] * a[1][j] - a[1][0] * a[0][j]) / determinant),
    };
    let entry = |k: usize| start.digits.get(&body.positions[k]).map(dd);
    let mut world = [[Dd::ZERO; 3]; 2];
    for (i, row) in world.iter_mut().enumerate() {
        for (k, x) in row.iter_mut().enumerate() {
            *x = (0..3).try_fold(Dd::ZERO, |s, j| Some(s + entry(3 * k + j)? * solved(i, 2 + j)))?;
        }
    }
    let near = |a: Dd, b: Dd| (a - b).to_f64().abs() < CLOSE * (1.0 + b.to_f64().abs());
    [[0, 1], [1, 0]].into_iter().find_map(|[x, y]| {
        let radius = world[x][1];
        let wanted = [[Dd::ZERO, radius, Dd::ZERO], [-radius, Dd::ZERO, Dd::ZERO]];
        let same = (0..3).all(|k| near(world[x][k], wanted[0][k]) && near(world[y][k], wanted[1][k]));
        let order = [reals[x], reals[y]];
        (same && radius > Dd::ZERO).then(|| Rolls {
            symbols: order.map(|f| f.positions[0]),
            rates: order.map(|f| f.velocities[0]),
            radius,
        })
    })
}

fn face(values: &Values<'_>, boundary: &Boundary) -> Option<Face> {
    let Boundary::Surface(s) = boundary else { return Some(Face::Other) };
    let mut height = Dd::ZERO;
    if let Some(p) = &s.placement {
        let rows = [values.vector(&p.rotation[0])?, values.vector(&p.rotation[1])?, values.vector(&p.rotation[2])?];
        let identity = (0..9).all(|k| rows[k / 3][k % 3] == if k % 4 == 0 { Dd::ONE } else { Dd::ZERO });
        let shift = values.vector(&p.translation)?;
        if !identity || shift[0] != Dd::ZERO || shift[1] != Dd::ZERO {
            return Some(Face::Other);
        }
        height = shift[2];
    }
    let (middle, outside) = (height == Dd::ZERO, s.side == Side::Outside);
    Some(match s.shape {
        Shape::Plane if middle && outside => Face::Plane,
        Shape::Sphere { radius } if middle => {
            let radius = values.get(radius)?;
            Face::Sphere(if outside { radius } else { -radius })
        }
        Shape::Sphere { radius } if outside => {
            let radius = values.get(radius)?;
            Face::Spheroid([radius, radius, height])
        }
        Shape::Ellipsoid { a, b, c } if middle && outside => Face::Ellipsoid(values.vector(&[a, b, c])?),
        Shape::Spheroid { a, c } if outside => Face::Spheroid([values.get(a)?, values.get(c)?, height]),
        _ => Face::Other,
    })
}
