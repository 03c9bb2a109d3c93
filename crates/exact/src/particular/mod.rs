//! Particular and classical solutions: motions that have formulas in t, with the conditions under which they are motions.
//!
//! | solution | recognised by | formula |
//! | --- | --- | --- |
//! | [`FreeRotation`] | a body about a fixed point without forces | (E1), (E2): Jacobi's functions, Π |
//! | Poinsot's motion on a sphere \[Voronets1911, §12\] | a contact that follows ω and pushes nothing | the same |
//! | [`CircularSections`] \[Voronets1911, §17\] | equal ellipsoids that touch along circular sections | (K1) |
//! | [`Meridian`] \[Voronets1911, §17\] | bodies of revolution whose axes stay in one plane, rocking | (M1), arcs by E(β), t by a quadrature |
//! | [`BallMotion`]: Bobylev, Joukovski \[Voronets1911, §15\], the symmetric ball \[CendraLacombaReartes2001\] | a ball with an axis on a plane, a homogeneous one on a sphere | (B1)–(B5), quadratures; x(t) by elliptic functions where A = C |
//!
//! [`recognise`] looks at the data of a system and at its initial state, never at names, and puts every candidate into the equations of motion: what is returned satisfies them to
//! [`CLOSE`] at several times.

mod ball;
mod body;
mod circles;
mod divided;
mod formulas;
mod integrals;
mod letters;
mod meridian;
mod quartic;
mod residual;
mod rotation;
mod series;
pub(crate) mod vector;

pub use ball::{Ball, BallMotion, Ground, NotSolved};
pub use body::RigidState;
pub use circles::CircularSections;
pub use formulas::Formula;
pub use integrals::{Count, Held, Integrals, integrals};
pub use letters::Letter;
pub use meridian::Meridian;
pub use quartic::Elliptic;
pub use rotation::{FreeRotation, Turned};

use crate::steady::NotSteady;
use body::{Face, Rigid};
use polhode_mechanics::{InitialState, System, initial_state};
use polhode_tape::{Dd, Scalar};
use residual::Test;
use vector::{add, cross, dot, scale};

/// Residuals of a solution in the equations of motion, of terms of size one.
pub const CLOSE: f64 = 1e-22;

/// When candidates are put into the equations.
const TIMES: [f64; 4] = [0.0, 0.3, 1.7, 6.1];

/// Which solution it is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A body that turns freely about a fixed point.
    Free(FreeRotation),
    /// A body that rolls on a surface as if it were free: c = μ Ω/Ω².
    Poinsot {
        /// The rotation.
        rotation: FreeRotation,
        /// μ.
        reach: Dd,
    },
    /// Equal ellipsoids along circular sections.
    Circles(CircularSections),
    /// A ball with an axis.
    Ball(Box<BallMotion>),
    /// Rocking along meridians.
    Meridian(Box<Meridian>),
}

/// A motion with a formula.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Solution {
    /// Which.
    pub kind: Kind,
    /// What is left of the equations of motion when it is put into them.
    pub residual: f64,
    centre: [Dd; 3],
    body: Rigid,
    /// Does a force act on the body along it?
    pushed: bool,
}

impl Solution {
    /// Its name.
    pub fn title(&self) -> &'static str {
        match &self.kind {
            Kind::Free(r) if r.is_permanent() => "permanent rotation about a principal axis",
            Kind::Free(_) if self.pushed => "rotation as if there were no force, by Jacobi's functions",
            Kind::Free(_) => "free rotation, by Jacobi's functions",
            Kind::Poinsot { .. } if self.pushed => {
                "Poinsot's motion: the contact balances the force on the centre, and the body turns as if it were free"
            }
            Kind::Poinsot { .. } => "Poinsot's motion: the contact exerts no force",
            Kind::Circles(_) => "equal ellipsoids, contact along circular sections",
            Kind::Ball(b) if b.elliptic().is_some() => "a ball with an axis, by elliptic functions and quadratures",
            Kind::Ball(_) => "a ball with an axis, by quadratures",
            Kind::Meridian(_) => "rocking along meridians, by a quadrature",
        }
    }

    /// Its formulas.
    pub fn formulas(&self) -> Vec<Formula> {
        formulas::of(&self.kind)
    }

    /// The values of the letters in them.
    pub fn letters(&self) -> Vec<Letter> {
        letters::of(&self.kind)
    }

    /// The state at time t.
    pub fn at(&self, t: Dd) -> RigidState {
        state(&self.kind, self.centre, t)
    }

    /// Positions and velocities at time t, in the order of the symbols of the system.
    pub fn symbols_at(&self, system: &System, t: Dd) -> Option<Vec<Dd>> {
        self.body.symbols(system, &self.at(t)).map(|(values, _)| values)
    }
}

fn state(kind: &Kind, centre: [Dd; 3], t: Dd) -> RigidState {
    let (rotation, reach) = match kind {
        Kind::Circles(c) => return c.at(t),
        Kind::Ball(b) => return b.at(t),
        Kind::Meridian(m) => return m.at(t),
        Kind::Free(r) => (r, None),
        Kind::Poinsot { rotation, reach } => (rotation, Some(*reach)),
    };
    let now = rotation.at(t);
    let omega_rate = rotation.acceleration(now.omega);
    let zero = [Dd::ZERO; 3];
    let (mut contact, mut contact_rate) = (zero, zero);
    if let Some(reach) = reach {
        let square = dot(now.omega, now.omega);
        contact = scale(reach / square, now.omega);
        let shrink = -(Dd::from(2.0) * dot(now.omega, omega_rate) / square);
        contact_rate = add(scale(reach / square, omega_rate), scale(shrink, contact));
    }
    RigidState {
        rotation: now.rotation,
        omega: now.omega,
        omega_rate,
        centre,
        contact,
        contact_rate,
        contact_in_world: add(centre, vector::apply(&now.rotation, contact)),
    }
}

/// The solution from the initial state of a system, if it is one that is known here.
pub fn recognise(system: &mut System) -> Result<Option<Solution>, NotSteady> {
    let model = system.model.clone();
    // a formula holds until the first jump
    if model.switches() {
        return Ok(None);
    }
    let start = initial_state(system, &model).map_err(NotSteady::Rejected)?.ok_or(NotSteady::NoInitialState)?;
    let Some(body) = Rigid::of(system, &start) else { return Ok(None) };
    let test = Test::new(system, &start)?;
    for kind in candidates(&body) {
        if let Some(residual) = tried(system, &body, &test, &kind) {
            return Ok(Some(found(system, &start, body, kind, residual)));
        }
    }
    let rocking = body.contact.as_ref().and_then(|_| Meridian::of(system, &body, &test));
    if let Some(kind) = rocking.map(|m| Kind::Meridian(Box::new(m)))
        && let Some(residual) = tried(system, &body, &test, &kind)
    {
        return Ok(Some(found(system, &start, body, kind, residual)));
    }
    Ok(None)
}

fn found(system: &System, start: &InitialState, body: Rigid, kind: Kind, residual: f64) -> Solution {
    let centre = body.start.centre;
    let pushed = TIMES.iter().any(|t| body.is_pushed(system, start, &state(&kind, centre, Dd::from(*t))));
    Solution { kind, residual, centre, body, pushed }
}

/// What the model reports along a solution: forces of contact, friction that is needed; nothing where a value is 0/0, as the friction that no force needs.
pub fn observed(system: &mut System, solution: &Solution, t: Dd) -> Result<Vec<(String, Option<Dd>)>, NotSteady> {
    let model = system.model.clone();
    let start: InitialState =
        initial_state(system, &model).map_err(NotSteady::Rejected)?.ok_or(NotSteady::NoInitialState)?;
    let test = Test::new(system, &start)?;
    Ok(solution.symbols_at(system, t).map(|s| test.observables(&s)).unwrap_or_default())
}

/// The residual, if the candidate starts where the system does and satisfies its equations.
fn tried(system: &System, body: &Rigid, test: &Test, kind: &Kind) -> Option<f64> {
    let first = state(kind, body.start.centre, Dd::ZERO);
    let near = |a: [Dd; 3], b: [Dd; 3]| (0..3).all(|i| (a[i] - b[i]).to_f64().abs() < CLOSE);
    let begins = near(first.omega, body.start.omega)
        && near(first.contact, body.start.contact)
        && (0..3).all(|i| near(first.rotation[i], body.start.rotation[i]));
    if !begins {
        return None;
    }
    let mut largest = 0.0f64;
    for t in TIMES {
        let mut now = state(kind, body.start.centre, Dd::from(t));
        if let Kind::Meridian(m) = kind {
            // Ω̇ along the normal of the plane follows from the energy: what is tested is that nothing leaves the plane
            let (values, _) = body.symbols(system, &now)?;
            let rates = test.rates(&values);
            let last: [Dd; 3] = rates[rates.len() - 3..].try_into().ok()?;
            largest = largest.max(meridian::off_plane(last, m.normal()));
            now.omega_rate = last;
        }
        let (values, rates) = body.symbols(system, &now)?;
        largest = largest.max(test.residual(&values, &rates));
    }
    (largest <= CLOSE).then_some(largest)
}

fn candidates(body: &Rigid) -> Vec<Kind> {
    let mut out = Vec::new();
    let start = &body.start;
    let Some(moments) = body.principal() else { return out };
    let no_rotor = body.rotor.iter().all(|x| *x == Dd::ZERO);
    let rotation = FreeRotation::new(moments, start.omega, start.rotation);
    // a body that turns about one axis for ever says nothing about its forces: one that is heavy, upright, is a steady motion like others, and may be unstable
    if no_rotor && !(body.forced && rotation.is_permanent()) {
        match body.is_free() {
            true => out.push(Kind::Free(rotation)),
            false => {
                // ω along the contact
                let square = dot(start.omega, start.omega);
                let beside = cross(start.omega, start.contact);
                let size = (square * dot(start.contact, start.contact)).to_f64();
                if size > 0.0 && dot(beside, beside).to_f64() <= CLOSE * CLOSE * size {
                    out.push(Kind::Poinsot { rotation, reach: dot(start.omega, start.contact) });
                }
            }
        }
    }
    out.extend(CircularSections::of(body).map(Kind::Circles));
    let zero = Dd::ZERO;
    let axial = [2, 0, 1].into_iter().find_map(|k| {
        let [i, j] = [(k + 1) % 3, (k + 2) % 3];
        let symmetric = moments[i] == moments[j] && body.rotor[i] == zero && body.rotor[j] == zero;
        let axis = [0, 1, 2].map(|i| if i == k { Dd::ONE } else { zero });
        symmetric.then_some((axis, moments[i], moments[k], body.rotor[k]))
    });
    // every axis of a homogeneous ball is one of symmetry: that of the rotor
    let tilted = || {
        let along = dot(body.rotor, body.rotor).sqrt();
        (moments[0] == moments[1] && moments[1] == moments[2])
            .then(|| (vector::unit(body.rotor), moments[0], moments[0], along))
    };
    if let ([Face::Sphere(radius), ground], Some((axis, across, along, rotor))) = (body.faces, axial.or_else(tilted)) {
        let ground = match ground {
            Face::Plane => Some(Ground::Plane),
            Face::Sphere(r) => Some(Ground::Sphere(r)),
            _ => None,
        };
        if let Some(ground) = ground.filter(|_| radius > zero) {
            let ball = Ball { ground, mass: body.mass, radius, across, along, rotor };
            let motion = BallMotion::about(axis, ball, start.rotation, start.omega, start.centre);
            out.extend(motion.ok().map(|m| Kind::Ball(Box::new(m))));
        }
    }
    out
}
