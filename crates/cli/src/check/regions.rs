//! Regions of constraints that come and go, vanish or become dependent: the regular components, their borders, and the rank on each.

use polhode::analysis::{Report, examine, regularised};
use polhode::base::ids::BorderId;
use polhode::mechanics::System;
use polhode::model::{Constraint, ConstraintSet, Wall};
use polhode::prelude::{Tree, print};
use serde_json::{Value, json};

/// What is told about one region.
struct Part {
    place: String,
    in_force: Vec<String>,
    /// `None` when its constraints contradict each other: then why.
    report: Result<Box<Report>, String>,
}

/// What is told about one border.
struct Edge {
    equation: String,
    /// How the model writes it.
    written: String,
    /// The ranks on it, with their places.
    ranks: Vec<(usize, String)>,
}

/// The regions of a model, and its borders.
pub(super) struct Regions {
    parts: Vec<Part>,
    borders: Vec<Edge>,
    /// What is said about each wall.
    walls: Vec<(String, String)>,
    /// And about constraints that are blows.
    blows: Vec<String>,
}

/// The regions of a system whose constraints are not the same everywhere.
pub(super) fn of(system: &System) -> Option<Regions> {
    let regular = regularised(system).and_then(Result::ok);
    let system = regular.as_ref().unwrap_or(system);
    let model = &system.model;
    if !model.switches() {
        return None;
    }
    let mut parts = Vec::new();
    for region in model.regions() {
        let in_force: Vec<String> = region.active.iter().map(|c| model.constraints[c].name.clone()).collect();
        let report = built(system, &region.active).map(|mut system| {
            let mut report = Box::new(examine(&mut system));
            report.redundant.retain(|name| in_force.contains(name));
            report
        });
        parts.push(Part { place: region.place, in_force, report });
    }
    let borders = (model.borders.ids())
        .map(|k| Edge {
            equation: model.border_equation(k),
            written: model.borders[k].text.clone(),
            ranks: ranks_on(system, k),
        })
        .collect();
    // contacts of bodies that open are walls too, and are described as contacts
    let own = model.walls.iter().filter(|w| model.contacts.iter().all(|c| c.span != w.span));
    let walls = own.map(|w| (w.name.clone(), wall(system, w))).collect();
    let blows = model.constraints.iter().filter_map(|c| blow(system, c)).collect();
    Some(Regions { parts, borders, walls, blows })
}

fn built(system: &System, in_force: &ConstraintSet) -> Result<System, String> {
    system.kinematic_with(in_force).map(|(system, _)| system).map_err(|e| e.to_string())
}

/// The ranks of what is in force on a border, with where that is if there are several.
fn ranks_on(system: &System, border: BorderId) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for region in system.model.on_border(border) {
        let Ok(system) = built(system, &region.active) else { continue };
        let rank = system.distribution.rank() - system.distribution.representation;
        match out.iter_mut().find(|(r, _)| *r == rank) {
            Some((_, place)) => *place += &format!(", or {}", region.place),
            None => out.push((rank, region.place)),
        }
    }
    out.sort_unstable();
    out
}

/// What a wall does, in a few words.
fn wall(system: &System, wall: &Wall) -> String {
    let g = &system.model.graph;
    let text = |e| Tree::of_limited(g, e, 60).map_or_else(|| "…".to_owned(), |t| print::ascii(g, &t));
    let manner = match (wall.slip.len(), wall.friction) {
        (_, Some(mu)) => format!("friction {}", text(mu)),
        (0, None) => "smooth".to_owned(),
        _ => "rough".to_owned(),
    };
    let lasting = if wall.lasting.is_some() { ", contact may last" } else { "" };
    format!("{} where {} = 0: {manner}, restitution {}{lasting}", wall.name, text(wall.gap), text(wall.restitution))
}

/// A constraint that is nothing but a blow, in a few words.
fn blow(system: &System, c: &Constraint) -> Option<String> {
    let e = Tree::of_limited(&system.model.graph, c.restitution?, 60)?;
    Some(format!(
        "{} where its region is entered: a blow with restitution {}",
        c.name,
        print::ascii(&system.model.graph, &e)
    ))
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
    for Edge { equation, written, ranks } in &regions.borders {
        let ranks: Vec<String> = match &ranks[..] {
            [(rank, _)] => vec![format!("rank {rank} there")],
            several => several.iter().map(|(rank, place)| format!("rank {rank} where {place}")).collect(),
        };
        let note = if written == equation { String::new() } else { format!(" ({written})") };
        out.push(("border", format!("{equation}{note}: {}", ranks.join("; "))));
    }
    out.extend(regions.walls.iter().map(|(_, what)| ("wall", what.clone())));
    out.extend(regions.blows.iter().map(|what| ("blow", what.clone())));
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
    document["borders"] = borders
        .map(|Edge { equation, written, ranks }| {
            let numbers: Vec<usize> = ranks.iter().map(|(rank, _)| *rank).collect();
            json!({ "equation": equation, "written": written, "ranks": numbers })
        })
        .collect();
    let walls = regions.walls.iter();
    document["walls"] = walls.map(|(name, what)| json!({ "name": name, "what": what })).collect();
}
