//! Contacts as roboticists ask for them: Jacobians, and how the point of contact moves.
//!
//! For every contact of a model, as functions of positions q, velocities v and time:
//!
//! ```text
//! u = J v + j₀ = 0                   no slip: the material of the first side against that of the second
//! u̇ = J v̇ + (J̇ v + j̇₀) = 0          the same for accelerations
//! ċ = C v + C₀,   c̈ = C v̇ + (Ċ v + Ċ₀)     the point of contact over each side, and in the world
//! ```
//!
//! with the normal row apart, the curvatures of both sides, the force, and Montana's equations ([`montana`]). All of it is derived once and
//! becomes one tape; a state then costs microseconds. Velocities that slide are welcome, as long as the contact stays closed (ν·u = 0).
//!
//! ```
//! use polhode_mechanics::System;
//! use polhode_model::{Model, ParseOptions};
//! use polhode_simulate::contact::ContactKinematics;
//! use polhode_simulate::{Compile, Run};
//!
//! let text = r#"
//! [gravity]
//! g = 9.81
//! [body.stone]
//! mass    = 1
//! surface = { ellipsoid = [0.2, 0.03, 0.02] }
//! inertia = "solid"
//! [ground]
//! surface = "plane"
//! [initial.stone]
//! rotation = "Rx(0.1)"
//! omega    = [0.1, 0.2, -5]
//! "#;
//! let (model, _) = Model::parse("stone.toml", text, &ParseOptions::default())?;
//! let (mut system, _) = System::new(&model)?;
//! let motion = system.compile()?.solve(&Run::until(1.0))?;
//!
//! let mut kinematics = ContactKinematics::new(&mut system)?;
//! let now = kinematics.at_sample(&motion.at(0.5).expect("within the run"));
//! let contact = &now.contacts[0];
//! let (slip, rate) = (&contact.slip, &contact.rate);
//! for i in 0..3 {
//!     assert!(slip.value[i].abs() < 1e-12);                              // u = 0
//!     assert!(slip.derivative(&now.accelerations)[i].abs() < 1e-10);     // J v̇ + J̇ v = 0
//! }
//! // the point moves in the tangent plane, and Montana says the same
//! let arc: f64 = rate.value.iter().map(|x| x * x).sum::<f64>().sqrt();
//! let [a, b] = contact.montana().rates[0];
//! assert!((arc - a.hypot(b)).abs() < 1e-12 * arc);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: \[Montana1988\]; [Voronets1911, §§4, 8], without charts.
//!
//! Not here: which contacts there are, and what opens or closes them.

mod formulas;
pub mod montana;
mod state;

use crate::compile::CompileError;
use crate::sample::Sample;
use crate::solve::prepare;
pub use montana::{Gauss, Montana};
use polhode_base::ids::Id;
use polhode_expr::Symbol;
use polhode_geometry::{Patch, Piece};
use polhode_lower::state::Positions;
use polhode_lower::{Watched, dd, lower};
use polhode_mechanics::{Form, System};
use polhode_model::{Configuration, Contact};
use polhode_tape::{Dd, Kernel, passes};
use rustc_hash::FxHashMap;
use state::Reader;
pub use state::{Affine, AffineRow, ChartPoint, ContactState, Force, Relative, SideState, Touching};
use std::fmt;

/// All contacts at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    /// Time.
    pub t: f64,
    /// v̇ of the motion, in the order of the velocities.
    pub accelerations: Vec<f64>,
    /// The contacts in the order of the model.
    pub contacts: Vec<ContactState>,
}

/// The contacts of a system as functions of its state.
pub struct ContactKinematics {
    velocities: Vec<String>,
    places: Positions,
    /// Where the symbols of positions are in a list of all.
    order: FxHashMap<Symbol, usize>,
    kernel: Box<dyn Kernel>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    now: Contacts,
}

impl fmt::Debug for ContactKinematics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContactKinematics").field("velocities", &self.velocities).field("now", &self.now).finish()
    }
}

impl ContactKinematics {
    /// Derives and compiles the contacts of a system; a model without any has an empty list.
    pub fn new(system: &mut System) -> Result<ContactKinematics, CompileError> {
        let model = system.model.clone();
        let velocities = system.configuration.velocities().to_vec();
        let n = velocities.len();
        let motion = formulas::motion(system);
        let mut wanted = Vec::new();
        for v in &velocities {
            let symbol = Configuration::acceleration(&mut system.graph, *v);
            wanted.push(system.graph.var(symbol));
        }
        for contact in &model.contacts {
            wanted.extend(formulas::formulas(system, contact, &motion));
        }
        let observables = wanted.into_iter().map(|e| (String::new(), e)).collect();
        let equations =
            system.equations(Form::Multipliers).map_err(|why| CompileError::NotApplicable(Form::Multipliers, why))?;
        let program = lower(system, &equations, &Watched { observables, ..Watched::default() })?;
        let places: Vec<usize> = program.layout.observables.clone().collect();
        let digits = model.parameter_digits().unwrap_or_default();
        let value = |s| digits.get(s).map_or(Dd::from(f64::NAN), dd);
        let parameters: Vec<Dd> = system.parameters.iter().map(value).collect();
        let tape = program.fixed(&passes::select(&program.report, &places), &parameters);
        let unique = determined(system);
        let contacts = model.contacts.iter().zip(unique).map(|(c, unique)| empty(c, unique, n)).collect();
        Ok(ContactKinematics {
            velocities: velocities.iter().map(|s| system.graph.name(*s).to_owned()).collect(),
            places: program.positions.clone(),
            order: system.configuration.positions().iter().enumerate().map(|(i, s)| (*s, i)).collect(),
            inputs: vec![0.0; tape.inputs.len()],
            outputs: vec![0.0; tape.outputs.len()],
            kernel: prepare(&tape),
            now: Contacts { t: 0.0, accelerations: vec![0.0; n], contacts },
        })
    }

    /// The names of the velocities, one for each column of a Jacobian: `V[1]`, `Omega[1]`, … of the model.
    pub fn velocities(&self) -> &[String] {
        &self.velocities
    }

    /// The contacts at a time, positions and velocities, both in the order of the configuration space of the system, rotations as
    /// matrices row by row.
    ///
    /// # Panics
    ///
    /// If there are not as many numbers as the system has symbols.
    pub fn at(&mut self, t: f64, positions: &[f64], velocities: &[f64]) -> &Contacts {
        assert_eq!((positions.len(), velocities.len()), (self.order.len(), self.velocities.len()), "one number each");
        let components = self.places.components(|s| positions[self.order[&s]]);
        // what is left are the works, on which nothing here depends
        self.inputs[0] = t;
        let state = components.iter().chain(velocities);
        self.inputs[1..].iter_mut().zip(state).for_each(|(x, y)| *x = *y);
        self.kernel.evaluate(1, &self.inputs, &mut self.outputs);
        let mut numbers = Reader::new(&self.outputs);
        self.now.t = t;
        self.now.accelerations.copy_from_slice(numbers.slice(velocities.len()));
        self.now.contacts.iter_mut().for_each(|contact| contact.read(&mut numbers));
        &self.now
    }

    /// The contacts at a sample of a motion of the same system.
    pub fn at_sample(&mut self, sample: &Sample) -> &Contacts {
        let layout = &sample.compiled.program.layout;
        let numbers = |places: std::ops::Range<usize>| places.map(|i| sample.number(i)).collect::<Vec<f64>>();
        let (positions, velocities) = (numbers(layout.positions.clone()), numbers(layout.velocities.clone()));
        self.at(sample.t(), &positions, &velocities)
    }
}

/// A contact without numbers.
fn empty(contact: &Contact, unique: bool, n: usize) -> ContactState {
    let side = |i: usize| {
        let side = &contact.sides[i];
        let edge = matches!(side.piece, Piece::Rim(_));
        SideState::new(&side.name, edge, matches!(side.piece, Piece::Patch(Patch::Chart(_))))
    };
    ContactState::new(&contact.name, contact.frictionless, unique, [side(0), side(1)], n)
}

/// For each contact, whether the constraints determine its force.
fn determined(system: &mut System) -> Vec<bool> {
    let model = system.model.clone();
    let idle = system.idle_multipliers();
    let free = |system: &mut System, c: &Contact| {
        idle.iter().any(|n| { c.constraints }.any(|i| !system.is_zero(n[i.index()])))
    };
    model.contacts.iter().map(|c| !free(system, c)).collect()
}
