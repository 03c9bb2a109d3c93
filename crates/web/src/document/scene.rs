//! A scene as a page draws it: meshes in bulk, everything else by its columns.

use super::coarse::{VERTICES, coarse};
use crate::base64::{floats, parts, words};
use polhode::prelude::{Model, Trajectory};
use polhode::scene::{self, Film, Mesh, Scene};
use polhode::tape::{Tape, passes};
use serde_json::{Value, json};

/// The scene of a motion, and the functions of (u, v, parameters) behind its meshes.
pub(super) fn of(model: &Model, motion: &Trajectory) -> (Value, Vec<Tape>) {
    let compiled = motion.compiled();
    let film = Film::of(compiled, &motion.samples);
    let scene = Scene::of(model, compiled, &film);
    let rest = Rest { depends: passes::dependencies(&compiled.program.report), first: film.frames.first() };
    let mut tapes = Vec::new();
    let meshes: Vec<Value> = scene.meshes.iter().map(|m| mesh(&coarse(m, VERTICES), &mut tapes)).collect();
    let objects: Vec<Value> = (scene.objects.iter())
        .map(|o| {
            let rotation = o.rotation.filter(|r| !rest.has(r, &IDENTITY));
            let position = o.position.filter(|p| !rest.has(p, &[0.0; 3]));
            json!({
                "name": o.name, "role": o.role.name(), "mesh": o.mesh, "rotation": rotation, "position": position,
                "scale": o.scale, "look": o.look.name(), "colour": o.colour, "inside": o.inside,
            })
        })
        .collect();
    let contacts: Vec<Value> = (scene.contacts.iter())
        .map(|c| {
            json!({
                "name": c.name, "object": c.object, "other": c.other, "on_body": c.on_body, "on_other": c.on_other,
                "force": c.force, "normal_force": c.normal_force, "mu_required": c.mu_required,
            })
        })
        .collect();
    let arrows: Vec<Value> = (scene.arrows.iter())
        .map(|a| {
            json!({ "name": a.name, "from": a.from, "vector": a.vector, "kind": a.kind.name(), "colour": a.colour })
        })
        .collect();
    let traces: Vec<Value> = (scene.traces.iter())
        .map(|t| json!({ "name": t.name, "point": t.point, "frame": Value::Null, "colour": t.colour }))
        .collect();
    let rods: Vec<Value> = (scene.rods.iter())
        .map(|r| json!({ "from": r.from, "to": r.to, "radius": r.radius, "colour": r.colour }))
        .collect();
    let document = json!({
        "up": scene.up, "size": scene.size, "extent": scene.extent, "meshes": meshes, "objects": objects,
        "contacts": contacts, "arrows": arrows, "traces": traces, "rods": rods, "why_empty": scene.empty_reason,
    });
    (document, tapes)
}

/// Only the meshes, of at most so many vertices each where that can be chosen.
pub(super) fn meshes(model: &Model, motion: &Trajectory, most: usize) -> Value {
    let compiled = motion.compiled();
    let scene = Scene::of(model, compiled, &Film::of(compiled, &motion.samples));
    let mut tapes = Vec::new();
    scene.meshes.iter().map(|m| mesh(&coarse(m, most), &mut tapes)).collect()
}

/// The entries of a rotation that does not turn.
const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Which columns are always the same number: what has no pose of its own can be drawn as ground without end.
struct Rest<'a> {
    /// The inputs that each column depends on.
    depends: Vec<Vec<usize>>,
    first: Option<&'a Vec<f64>>,
}

impl Rest<'_> {
    fn has(&self, columns: &[usize], values: &[f64]) -> bool {
        let Some(first) = self.first else { return false };
        columns.iter().zip(values).all(|(k, x)| self.depends[*k].is_empty() && first[*k] == *x)
    }
}

/// The scene as a glTF file, with the motion as an animation.
pub(super) fn gltf(model: &Model, motion: &Trajectory) -> Option<Vec<u8>> {
    let compiled = motion.compiled();
    let film = Film::of(compiled, &motion.samples);
    let scene = Scene::of(model, compiled, &film);
    scene.empty_reason.is_none().then(|| scene::gltf(&scene, &film))
}

fn mesh(m: &Mesh, tapes: &mut Vec<Tape>) -> Value {
    let lines = (!m.lines.is_empty()).then(|| {
        let ends = m.lines.iter().flatten().map(|k| m.positions[*k as usize]);
        floats(ends.flatten())
    });
    // what depends on nothing that can be changed stays as it is
    let surface = m.grid.as_ref().filter(|g| !g.depends.is_empty()).map(|g| {
        tapes.push(g.tape.clone());
        json!({
            "function": tapes.len() - 1, "nu": g.u.count, "nv": g.v.count, "u": [g.u.from, g.u.to],
            "v": [g.v.from, g.v.to], "closed": [g.u.closed, g.v.closed], "depends": g.depends,
        })
    });
    json!({
        "positions": floats(m.positions.iter().flatten().copied()),
        "normals": parts(m.normals.iter().flatten().copied()),
        "indices": words(m.triangles.iter().flatten().copied()),
        "lines": lines,
        "surface": surface,
    })
}
