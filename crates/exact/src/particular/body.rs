//! A rigid body as the equations have it: mass, inertia, rotor, surfaces, state.

use super::vector::{add, apply, cross};
use polhode_expr::eval::{Digits, Real};
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Boundary, Shape, Side};
use polhode_lower::dd;
use polhode_mechanics::{InitialState, System};
use polhode_model::{Contact, DIGITS, Factor, Kind, Owner};
use polhode_tape::Dd;
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
    pub(super) mass: Dd,
    pub(super) inertia: [[Dd; 3]; 3],
    /// The linear part of the momentum: a rotor.
    pub(super) rotor: [Dd; 3],
    pub(super) faces: [Face; 2],
    pub(super) start: RigidState,
    /// The force on the centre of mass at the start, world axes.
    pub(super) force: [Dd; 3],
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
        let moving: Vec<Factor> =
            system.configuration.factors().iter().filter(|f| f.kind != Kind::Carried).cloned().collect();
        let [factor] = &moving[..] else { return None };
        let contact = match (&factor.kind, &model.contacts[..]) {
            (Kind::So3, []) if model.constraints.is_empty() => None,
            (Kind::Rolling, [contact]) if contact.sides[1].owner == Owner::Ground => Some(contact.clone()),
            _ => return None,
        };
        let omega = factor.velocities[factor.velocities.len() - 3..].to_vec();
        let lagrangian = system.lagrangian;
        let graph = &mut system.graph;
        let momenta: Vec<Expr> = omega.iter().map(|s| graph.derivative(lagrangian, *s)).collect();
        let moments: Vec<Vec<Expr>> =
            momenta.iter().map(|p| omega.iter().map(|s| graph.derivative(*p, *s)).collect()).collect();
        let at_rest: FxHashMap<Symbol, Expr> = factor.velocities.iter().map(|s| (*s, graph.zero())).collect();
        let linear: Vec<Expr> = momenta.iter().map(|p| graph.substitute(*p, &at_rest)).collect();
        let (mut mass, mut force) = (graph.zero(), Vec::new());
        if factor.kind == Kind::Rolling {
            let p = graph.derivative(lagrangian, factor.velocities[0]);
            mass = graph.derivative(p, factor.velocities[0]);
            let potential = graph.substitute(lagrangian, &at_rest);
            force = factor.positions[9..].iter().map(|s| graph.derivative(potential, *s)).collect();
        }
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
            faces,
            factor: factor.clone(),
            contact,
        })
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
