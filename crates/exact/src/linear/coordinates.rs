//! In which coordinates: those of the model, or, for a body that rolls, the parameters of its points of contact.
//!
//! A body whose point of contact is carried along has no coordinate that tells its inclination; in Neumann's coordinates (u, v, ϑ, u₁, v₁) the
//! shape variable of a body of revolution is the latitude of its own point of contact. Charts whose poles are elsewhere are tried where the motion begins at a
//! pole.

use super::NotLinear;
use super::shape::{self, Shape};
use polhode_mechanics::System;
use polhode_mechanics::noether::Flow;
use polhode_model::{ChartChoice, Charts, Kind, Model};

/// A system with its linear reduction.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The model, in the coordinates that serve.
    pub model: Model,
    /// Its system.
    pub system: System,
    /// The reduction.
    pub shape: Shape,
    /// The charts of body and ground, where the coordinates are Neumann's.
    pub charts: Option<Charts>,
}

/// Coordinates that do not serve.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The charts of body and ground, where the coordinates were Neumann's.
    pub charts: Option<Charts>,
    /// Why not.
    pub why: Failed,
}

/// Why coordinates do not serve.
#[derive(Clone, Debug)]
pub enum Failed {
    /// The equations are not of this kind.
    NotLinear(NotLinear),
    /// The motion begins at a pole of the charts, or the body has none: in one line.
    NoCoordinates(String),
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failed::NotLinear(why) => why.fmt(f),
            Failed::NoCoordinates(why) => f.write_str(why),
        }
    }
}

/// The linear reduction of a model, in its own coordinates or in Neumann's.
pub fn reduce_model(model: &Model) -> Result<Reduced, Vec<Tried>> {
    let carried = model.configuration.factors().iter().any(|f| f.kind == Kind::Carried);
    let mut ways: Vec<Option<Charts>> = Vec::new();
    if !model.contacts.is_empty() {
        use ChartChoice::{PolarX, Standard};
        for (body, ground) in [(Standard, Standard), (Standard, PolarX), (PolarX, Standard), (PolarX, PolarX)] {
            ways.push(Some(Charts { body, ground }));
        }
    }
    if let Some(why) = changing_energy(model) {
        return Err(vec![Tried { charts: None, why }]);
    }
    // with a carried point the model's own coordinates are a last resort
    ways.insert(if carried { ways.len() } else { 0 }, None);
    let mut tried: Vec<Tried> = Vec::new();
    let mut hopeless = false;
    for charts in ways {
        if hopeless && charts.is_some() {
            continue;
        }
        match reduce_in(model, charts) {
            Ok(reduced) => return Ok(reduced),
            Err(why) => {
                // equations of the wrong kind do not change with the poles of the charts, nor a changing energy with coordinates
                hopeless |= charts.is_some() && matches!(why, Failed::NotLinear(_));
                let last = matches!(why, Failed::NotLinear(NotLinear::EnergyChanges));
                tried.push(Tried { charts, why });
                if last {
                    break;
                }
            }
        }
    }
    Err(tried)
}

/// What is wrong with the energy, whatever the coordinates.
fn changing_energy(model: &Model) -> Option<Failed> {
    let (mut system, _) = System::new(model).ok()?;
    let flow = Flow::new(&mut system);
    let power = system.power(&flow.equations);
    (!power.is_zero()).then_some(Failed::NotLinear(NotLinear::EnergyChanges))
}

fn reduce_in(model: &Model, charts: Option<Charts>) -> Result<Reduced, Failed> {
    let first = |d: &polhode_base::Diagnostics| d.iter().next().map_or(String::new(), |d| d.message.clone());
    let model = match charts {
        None => model.clone(),
        Some(charts) => match model.in_neumann_coordinates(charts) {
            Ok((changed, warnings)) if changed.initial.is_empty() && !model.initial.is_empty() => {
                return Err(Failed::NoCoordinates(first(&warnings)));
            }
            Ok((changed, _)) => changed,
            Err(rejected) => return Err(Failed::NoCoordinates(first(&rejected.diagnostics))),
        },
    };
    let mut system = match System::new(&model) {
        Ok((system, _)) => system,
        Err(rejected) => return Err(Failed::NoCoordinates(first(&rejected.diagnostics))),
    };
    let shape = shape::find(&mut system).map_err(Failed::NotLinear)?;
    Ok(Reduced { model, system, shape, charts })
}
