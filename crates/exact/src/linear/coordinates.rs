//! In which coordinates: those of the model, or, for a body that rolls, the parameters of its points of contact.
//!
//! A body whose point of contact is carried along has no coordinate that tells its inclination; in Neumann's coordinates (u, v, ϑ, u₁, v₁) the
//! shape variable of a body of revolution is the latitude of its own point of contact. Charts whose poles are elsewhere are tried where the motion begins at a
//! pole.

use super::NotLinear;
use super::shape::{self, Shape};
use polhode_analysis::noether::Flow;
use polhode_mechanics::System;
use polhode_model::{ChartChoice, Charts, Factor, Model};

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
    /// The surfaces have no charts of this kind.
    NoChart,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failed::NotLinear(why) => why.fmt(f),
            Failed::NoCoordinates(why) => f.write_str(why),
            Failed::NoChart => f.write_str("there are no such charts"),
        }
    }
}

/// The linear reduction of a model, in its own coordinates or in Neumann's.
pub fn reduce_model(model: &Model) -> Result<Reduced, Vec<Tried>> {
    let carried = model.configuration.factors().iter().any(Factor::is_carried);
    let mut ways: Vec<Option<Charts>> = Vec::new();
    if !model.contacts.is_empty() {
        let choices = [ChartChoice::Standard, ChartChoice::PolarX, ChartChoice::Revolution];
        for body in choices {
            ways.extend(choices.map(|ground| Some(Charts { body, ground })));
        }
    }
    if let Some(why) = changing_energy(model) {
        return Err(vec![Tried { charts: None, why }]);
    }
    // with a carried point the model's own coordinates are a last resort
    ways.insert(if carried { ways.len() } else { 0 }, None);
    let mut tried: Vec<Tried> = Vec::new();
    // which surfaces have their meridians for coordinates: equations of the wrong kind do not change with the poles of the charts
    let meridians = |c: Charts| [c.body, c.ground].map(|c| c == ChartChoice::Revolution);
    let mut hopeless = Vec::new();
    for charts in ways {
        if charts.is_some_and(|c| hopeless.contains(&meridians(c))) {
            continue;
        }
        match reduce_in(model, charts) {
            Ok(reduced) => return Ok(reduced),
            Err(why) => {
                if let (Some(c), Failed::NotLinear(_)) = (charts, &why) {
                    hopeless.push(meridians(c));
                }
                // coordinates do not change what the energy does
                let last = matches!(why, Failed::NotLinear(NotLinear::EnergyChanges));
                // charts that do not exist are no news after the first
                let said = |t: &Tried| t.charts.is_some() == charts.is_some() && t.why.to_string() == why.to_string();
                let chart_missing = matches!(why, Failed::NoChart);
                if !chart_missing && !tried.iter().any(said) {
                    tried.push(Tried { charts, why });
                }
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
            Err(rejected) => {
                let missing = charts != Charts::default() && rejected.diagnostics.iter().all(|d| d.code == "no-chart");
                return Err(if missing {
                    Failed::NoChart
                } else {
                    Failed::NoCoordinates(first(&rejected.diagnostics))
                });
            }
        },
    };
    let mut system = match System::new(&model) {
        Ok((system, _)) => system,
        Err(rejected) => return Err(Failed::NoCoordinates(first(&rejected.diagnostics))),
    };
    let shape = shape::find(&mut system).map_err(Failed::NotLinear)?;
    Ok(Reduced { model, system, shape, charts })
}
