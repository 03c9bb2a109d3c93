//! The engine of a page: the equations of a model and an integrator as WebAssembly, with the names of everything in its memory.
//!
//! There is one where motions do not change while they go on: one choice of independent velocities, no constraints that come and go, no walls, no
//! corners in what is prescribed. Parameters that are formulas of others have functions of their own, `derived`, in the order in which they follow
//! from each other, and so have the `conditions` that parameters must satisfy.

use super::{Prepared, conditions, turns};
use crate::base64;
use polhode::expr::{Expr, Graph, Symbol};
use polhode::lower::{NotLowered, lower_functions, state};
use polhode::mechanics::System;
use polhode::model;
use polhode::prelude::Compiled;
use polhode::simulate::{EventKind, Rerun};
use polhode::tape::Tape;
use polhode_backend_wasm::{At, Direction, Module, Parts, Place, Sizes, Watch};
use serde_json::{Value, json};
use std::sync::Arc;

/// Rows of a motion that a page can ask for.
const CAPACITY: usize = 1201;

/// The engine, or why there is none. `surfaces` are the functions of (u, v, parameters) that meshes are computed by.
pub(super) fn of(prepared: &Prepared, compiled: &Arc<Compiled>, surfaces: Vec<Tape>) -> Result<Value, String> {
    if compiled.switches() {
        return Err("constraints of this model come and go, or there is something to run into".into());
    }
    let ends = |kind: &EventKind| matches!(kind, EventKind::Model | EventKind::Domain { .. });
    if compiled.events.iter().any(|e| e.transition || !ends(&e.kind)) {
        return Err("constraints or velocities of this model change on the way".into());
    }
    if compiled.tapes().is_none() {
        return Err("this motion may need other independent velocities on its way".into());
    }
    if Rerun::new(&prepared.system, &prepared.resolved.options, compiled).is_none() {
        return Err("a prescribed motion of this model has corners".into());
    }
    emitted(prepared, compiled, surfaces).map_err(|e| e.to_string())
}

fn emitted(
    prepared: &Prepared,
    compiled: &Arc<Compiled>,
    mut surfaces: Vec<Tape>,
) -> Result<Value, Box<dyn std::error::Error>> {
    let (system, program) = (&prepared.system, &compiled.program);
    let (constraints, holonomic) = constraints(system)?;
    let shown = surfaces.len();
    let derived = derived(&prepared.model, &program.parameters)?;
    let names: Vec<&String> = derived.iter().map(|(name, _)| name).collect();
    surfaces.extend(derived.iter().map(|(_, tape)| tape.clone()));
    let asked = surfaces.len();
    let conditions = conditions::of(&prepared.model, &program.parameters)?;
    surfaces.extend(conditions.iter().map(|(_, tape)| tape.clone()));
    let units = program.positions.units();
    let watched: Vec<Watch> =
        (compiled.events.iter()).map(|e| Watch { terminal: e.terminal, direction: direction(e.direction) }).collect();
    let parts = Parts {
        field: &program.field,
        report: &program.report,
        events: &program.events,
        constraints: &constraints,
        holonomic: &holonomic,
        entry: &program.entry,
        surfaces: &surfaces,
        places: &places(system, compiled),
        units: &units,
        watched: &watched,
        capacity: CAPACITY,
    };
    let Module { bytes, layout } = parts.emit()?;
    let named = |symbols: &[Symbol]| -> Vec<&str> { symbols.iter().map(|s| system.graph.name(*s)).collect() };
    let events: Vec<Value> = (compiled.events.iter())
        .map(|e| json!({ "name": e.name, "terminal": e.terminal, "direction": e.direction.name() }))
        .collect();
    let derived: Vec<Value> =
        names.iter().enumerate().map(|(k, name)| json!({ "name": name, "function": shown + k })).collect();
    let conditions: Vec<Value> =
        conditions.iter().enumerate().map(|(k, (text, _))| json!({ "text": text, "function": asked + k })).collect();
    Ok(json!({
        "wasm": base64::encode(&bytes),
        "state": program.state,
        "parameters": program.parameters,
        "positions": named(system.configuration.positions()),
        "velocities": named(system.configuration.velocities()),
        "followers": turns::followers(system),
        "sizes": sizes(&layout.sizes),
        "at": at(&layout.at),
        "units": units.iter().map(|u| [u.start, u.len()]).collect::<Vec<_>>(),
        "events": events,
        "derived": derived,
        "conditions": conditions,
    }))
}

/// Rows A, a₀, and what vanishes at admissible positions, as functions of (t, positions, parameters).
fn constraints(system: &System) -> Result<(Tape, Tape), NotLowered> {
    let place: Vec<Symbol> = [system.time]
        .into_iter()
        .chain(system.configuration.positions().iter().copied())
        .chain(system.parameters.iter().copied())
        .collect();
    let rows: Vec<Expr> = system.distribution.rows.iter().flat_map(|r| r.a.iter().copied().chain([r.a0])).collect();
    let mut graph = system.graph.clone();
    let holonomic = turns::conditions(&mut graph, system);
    Ok((lower_functions(&graph, &place, &rows)?, lower_functions(&graph, &place, &holonomic)?))
}

/// Parameters that are formulas of others, as functions of (two numbers that do not matter, parameters) with the value in all three outputs: the
/// shape that functions of a page have.
fn derived(model: &model::Model, parameters: &[String]) -> Result<Vec<(String, Tape)>, NotLowered> {
    let mut graph: Graph = model.graph.clone();
    let mut inputs: Vec<Symbol> = ["derived.u", "derived.v"].map(|name| graph.symbol(name)).to_vec();
    inputs.extend(parameters.iter().map(|name| graph.symbol(name)));
    let formulas = model.parameters.iter().filter(|p| !graph.free_symbols(&[p.value]).is_empty());
    let tape =
        |p: &model::Parameter| Ok((graph.name(p.symbol).to_owned(), lower_functions(&graph, &inputs, &[p.value; 3])?));
    formulas.map(tape).collect()
}

/// How positions become components of the state.
fn places(system: &System, compiled: &Compiled) -> Vec<Place> {
    let number = |s: &Symbol| system.configuration.positions().iter().position(|p| p == s).unwrap_or_default();
    let mut out = Vec::new();
    for place in &compiled.program.positions.places {
        match place {
            state::Place::Plain { symbol, .. } => out.push(Place::Copy { from: number(symbol) }),
            state::Place::Direction { vector, .. } => {
                out.extend(vector.iter().map(|s| Place::Copy { from: number(s) }));
            }
            state::Place::Rotation { matrix, .. } => {
                out.push(Place::Quaternion { from: matrix.each_ref().map(number) });
            }
        }
    }
    out
}

fn direction(d: model::Direction) -> Direction {
    match d {
        model::Direction::Rising => Direction::Rising,
        model::Direction::Falling => Direction::Falling,
        model::Direction::Either => Direction::Either,
    }
}

fn sizes(s: &Sizes) -> Value {
    json!({
        "state": s.state, "parameters": s.parameters, "report": s.report, "positions": s.positions,
        "velocities": s.velocities, "constraints": s.constraints, "holonomic": s.holonomic, "events": s.events,
        "capacity": s.capacity, "log": s.log,
    })
}

fn at(a: &At) -> Value {
    json!({
        "time": a.time, "state": a.state, "parameters": a.parameters, "positions": a.positions,
        "velocities": a.velocities, "rows": a.rows, "holonomic": a.holonomic, "entry": a.entry, "rates": a.rates,
        "report": a.report, "point": a.point, "times": a.times, "states": a.states, "reports": a.reports,
        "event_log": a.event_log, "statistics": a.statistics,
    })
}
