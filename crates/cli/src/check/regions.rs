//! Regions of constraints that come and go, vanish or become dependent: the regular components, their borders, and the rank on each.

use polhode::mechanics::{Report, System, examine, regularised};
use polhode::model::{Model, Sides};
use serde_json::{Value, json};

/// What is told about one region.
struct Part {
    place: String,
    in_force: Vec<String>,
    /// `None` when its constraints contradict each other: then why.
    report: Result<Box<Report>, String>,
}

/// The regions of a model, and its borders.
pub(super) struct Regions {
    parts: Vec<Part>,
    /// Each border as an equation, how the model writes it, and the ranks on it.
    borders: Vec<(String, String, Vec<usize>)>,
}

/// The regions of a system whose constraints are not the same everywhere.
pub(super) fn of(system: &System) -> Option<Regions> {
    let model = regularised(system).unwrap_or_else(|| (*system.model).clone());
    if !model.switches() {
        return None;
    }
    let names = |active: &[bool]| -> Vec<String> {
        model.written.iter().zip(active).filter(|(_, on)| **on).map(|(c, _)| c.name.clone()).collect()
    };
    let mut parts = Vec::new();
    for region in model.regions() {
        let report = built(&model, &region.active).map(|mut system| Box::new(examine(&mut system)));
        parts.push(Part { place: region.place, in_force: names(&region.active), report });
    }
    let borders = (0..model.borders.len())
        .map(|k| (model.border_equation(k), model.borders[k].text.clone(), ranks_on(&model, k)))
        .collect();
    Some(Regions { parts, borders })
}

fn built(model: &Model, active: &[bool]) -> Result<System, String> {
    let part = model.with_active(active);
    System::kinematic(&part).map(|(system, _)| system).map_err(|e| e.to_string())
}

/// The ranks of what is in force on a border, over the sides of the others.
fn ranks_on(model: &Model, border: usize) -> Vec<usize> {
    let (borders, latches) = (model.borders.len(), model.latches.len());
    let mut seen: Vec<Vec<bool>> = Vec::new();
    let mut out = Vec::new();
    for k in 0..1usize << (borders + latches) {
        let mut sides = Sides {
            borders: (0..borders).map(|b| if k >> b & 1 == 1 { 1 } else { -1 }).collect(),
            latches: (0..latches).map(|l| k >> (borders + l) & 1 == 1).collect(),
        };
        sides.borders[border] = 0;
        let active = model.active(&sides);
        if seen.contains(&active) {
            continue;
        }
        if let Ok(system) = built(model, &active) {
            let rank = system.distribution.rank() - system.distribution.representation;
            if !out.contains(&rank) {
                out.push(rank);
            }
        }
        seen.push(active);
    }
    out.sort_unstable();
    out
}

/// Lines of the page.
pub(super) fn lines(regions: &Option<Regions>) -> Vec<(&'static str, String)> {
    let Some(regions) = regions else { return Vec::new() };
    let mut out = Vec::new();
    for part in &regions.parts {
        let names = match part.in_force.len() {
            0 => "no constraints".to_owned(),
            _ => part.in_force.join(", "),
        };
        let what = match &part.report {
            Err(why) => format!("contradictory: {}", why.lines().next().unwrap_or_default()),
            Ok(r) => {
                let class = r.verdict().map_or("not decided", |v| v.classification.name());
                let redundant = match r.redundant.len() {
                    0 => String::new(),
                    _ => format!(", redundant: {}", r.redundant.join(", ")),
                };
                let class = if r.rank == 0 { String::new() } else { format!(", {class}") };
                format!("rank {}{class}{redundant}", r.rank)
            }
        };
        out.push(("region", format!("{}: {names}; {what}", part.place)));
    }
    for (equation, written, ranks) in &regions.borders {
        let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
        let note = if written == equation { String::new() } else { format!(" ({written})") };
        out.push(("border", format!("{equation}{note}: rank {} there", ranks.join(" or "))));
    }
    out
}

/// Adds the regions to a document.
pub(super) fn document(regions: &Option<Regions>, document: &mut Value) {
    let Some(regions) = regions else { return };
    let each = regions.parts.iter().map(|part| match &part.report {
        Ok(r) => json!({
            "place": part.place,
            "in_force": part.in_force,
            "consistent": true,
            "rank": r.rank,
            "degrees_of_freedom": r.degrees_of_freedom,
            "redundant": r.redundant,
            "classification": r.verdict().map(|v| v.classification.name()),
        }),
        Err(why) => json!({ "place": part.place, "in_force": part.in_force, "consistent": false, "reason": why }),
    });
    document["regions"] = each.collect();
    let borders = regions.borders.iter();
    document["borders"] =
        borders.map(|(e, written, ranks)| json!({ "equation": e, "written": written, "ranks": ranks })).collect();
}
