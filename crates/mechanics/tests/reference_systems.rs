//! Constrained systems of every sort, against numbers from an independent derivation.
//!
//! `filetests/reference-systems/NAME.toml` is a system, `NAME.txt` has three of its states: time and energy, for each
//! coordinate its position, velocity, acceleration and the force of the constraints on it, and the multipliers of the
//! constraints in the order of the model, in 40 digits. They were computed elsewhere, by solving for accelerations and
//! multipliers together at each state in 69 digits, and confirmed by Newton's and Euler's equations and by SymPy. Every
//! form that applies has to give the same numbers. `-` stands for a multiplier that is not unique.
//!
//! Not here: motions.

use crate::prelude::*;
use polhode_expr::eval::{Arithmetic, Digits, Real};
use polhode_expr::number::parse_decimal;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

/// Decimal digits of the evaluation.
const DIGITS: usize = 60;
/// What a derived number may differ by, relative to the one in the file, or to 1 where that is 0.
const TOLERANCE: f64 = 1e-30;

/// A state as the file has it.
struct State {
    time: Real,
    energy: Real,
    /// By coordinate: position, velocity, acceleration, force of the constraints.
    coordinates: HashMap<String, [Real; 4]>,
    /// By constraint; `None` where it is not unique.
    multipliers: Vec<Option<Real>>,
}

fn number(text: &str) -> Real {
    let exact = parse_decimal(text).unwrap_or_else(|| panic!("{text} is no number"));
    Digits::decimal(DIGITS).number(&exact)
}

fn states(text: &str) -> Vec<State> {
    let mut states: Vec<State> = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if let Some(head) = line.strip_prefix("state t = ") {
            let (time, energy) = head.split_once(", energy = ").expect("a time and an energy");
            let (coordinates, multipliers) = (HashMap::new(), Vec::new());
            states.push(State { time: number(time), energy: number(energy), coordinates, multipliers });
            continue;
        }
        let state = states.last_mut().expect("a state begins with its time");
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] == "lambda" {
            state.multipliers = words[1..].iter().map(|w| (*w != "-").then(|| number(w))).collect();
        } else {
            let values: Vec<Real> = words[1..].iter().map(|w| number(w)).collect();
            state.coordinates.insert(words[0].to_string(), values.try_into().expect("four numbers"));
        }
    }
    states
}

/// The difference of two numbers, relative to the second where it is not 0.
fn difference(found: &Real, expected: &Real) -> f64 {
    let digits = Digits::decimal(DIGITS);
    let difference = digits.abs(&(found - expected));
    let ratio = if expected == &Real::ZERO { difference } else { difference / digits.abs(expected) };
    ratio.to_f64().value()
}

/// The worst difference of each kind, over all states of one form.
#[derive(Default)]
struct Worst(Vec<(&'static str, f64)>);

impl Worst {
    fn see(&mut self, kind: &'static str, found: &Real, expected: &Real) {
        let d = difference(found, expected);
        match self.0.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, worst)) => *worst = worst.max(d),
            None => self.0.push((kind, d)),
        }
    }

    /// Shows what was found (with `--nocapture`), and asserts that it is small.
    fn report(&self, name: &str, form: &str) {
        let text: Vec<String> = self.0.iter().map(|(kind, d)| format!("{kind} {d:.1e}")).collect();
        println!("{name:26} {form:12} {}", text.join("   "));
        for (kind, d) in &self.0 {
            assert!(*d <= TOLERANCE, "{name}, {form}: {kind} differ by {d:e}");
        }
    }
}

fn check(name: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../filetests/reference-systems");
    let read = |ending: &str| fs::read_to_string(folder.join(format!("{name}.{ending}"))).expect("a file");
    let (model, _) = Model::parse(name, &read("toml"), &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    initial_state(&mut system, &model).unwrap_or_else(|e| panic!("{e}"));
    let states = states(&read("txt"));
    assert_eq!(states.len(), 3, "{name}");

    let digits = Digits::decimal(DIGITS);
    let configuration = system.configuration.clone();
    let (positions, velocities) = (configuration.positions(), configuration.velocities());
    let names: Vec<String> = positions.iter().map(|q| system.graph.name(*q).to_string()).collect();
    let mut parameters = Default::default();
    for p in &model.parameters {
        let value = system.graph.evaluate(&digits, &[p.value], &parameters).expect("a number");
        parameters.insert(p.symbol, value[0].clone());
    }
    let values: Vec<_> = states
        .iter()
        .map(|state| {
            assert_eq!(state.coordinates.len(), names.len(), "{name}");
            assert_eq!(state.multipliers.len(), model.constraints.len(), "{name}");
            let mut values = parameters.clone();
            values.insert(system.time, state.time.clone());
            for (i, coordinate) in names.iter().enumerate() {
                let [q, v, ..] = &state.coordinates[coordinate];
                values.extend([(positions[i], q.clone()), (velocities[i], v.clone())]);
            }
            values
        })
        .collect();

    // The file and the model speak of the same system: constraints, and energy v ∂L/∂v − L.
    let mut roots: Vec<Expr> = model.constraints.iter().map(|c| c.residual).collect();
    roots.extend(model.constraints.iter().filter_map(|c| c.holonomic));
    let lagrangian = system.lagrangian;
    let graph = &mut system.graph;
    let terms: Vec<Expr> = velocities
        .iter()
        .map(|v| {
            let (momentum, v) = (graph.derivative(lagrangian, *v), graph.var(*v));
            graph.mul(momentum, v)
        })
        .collect();
    let twice = graph.sum(terms);
    let energy = graph.sub(twice, lagrangian);
    roots.push(energy);
    let mut worst = Worst::default();
    for (state, values) in states.iter().zip(&values) {
        let mut found = system.graph.evaluate(&digits, &roots, values).expect("numbers");
        worst.see("energy", &found.pop().expect("the energy"), &state.energy);
        found.iter().for_each(|residual| worst.see("constraints", residual, &Real::ZERO));
    }
    worst.report(name, "");

    for form in Form::ALL {
        let equations = match system.equations(form) {
            Ok(equations) => equations,
            Err(reason) => {
                assert!(matches!(form, Form::Chaplygin | Form::Ldap), "{name}: {reason}");
                continue;
            }
        };
        let mut roots = equations.accelerations(&mut system);
        let mut forces = equations.reaction_force.clone();
        forces.extend(equations.reactions.iter().map(|r| r.value));
        roots.extend(equations.in_velocities(&mut system.graph, &configuration, &forces));
        let mut worst = Worst::default();
        for (state, values) in states.iter().zip(&values) {
            let found = system.graph.evaluate(&digits, &roots, values);
            let found = found.unwrap_or_else(|e| panic!("{name}, {form:?}: {e:?}"));
            let (accelerations, forces) = found.split_at(names.len());
            let (forces, multipliers) = forces.split_at(names.len());
            for (i, coordinate) in names.iter().enumerate() {
                let [_, _, acceleration, force] = &state.coordinates[coordinate];
                worst.see("accelerations", &accelerations[i], acceleration);
                worst.see("forces", &forces[i], force);
            }
            for (i, expected) in state.multipliers.iter().enumerate() {
                let Some(expected) = expected else { continue };
                let at = equations.reactions.iter().position(|r| r.constraint == i);
                worst.see("multipliers", &multipliers[at.expect("a multiplier")], expected);
            }
        }
        worst.report(name, form.name());
    }
}

macro_rules! systems {
    ($($system:ident)*) => {
        $(#[test]
        fn $system() {
            check(&stringify!($system).replace('_', "-"));
        })*

        #[test]
        fn no_system_is_forgotten() {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../filetests/reference-systems");
            let paths = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
            let models = paths.filter(|p| p.extension().is_some_and(|e| e == "toml")).count();
            assert_eq!(models, [$(stringify!($system)),*].len());
        }
    };
}

systems! {
    ball_turntable_ft
    charged_particle
    contact_oscillator
    disk_viscous
    gyrostat_free
    hydrodynamic_sleigh
    knife_edge_oscillator
    particle_affine_rheonomic
    particle_free
    penny_incline
    roller_racer
    rotating_wire
    segway_3d_free
    sleigh_incline
    snakeboard_full
    unbalanced_disk
    unicycle_trailers_2
    veselova_free
    wheelset_rigid
}
