//! What is in a picture: how far back curves go, which part of flat ground there is, and the lens that sees all of it.
//!
//! ```text
//! together    |x_k − x_j| < 14 sizes for all frames k, j that are shown:    one lens and one ground for all
//! apart       a lens and a ground for each, moved by what is left of x_k − x_0 across the normals of all planes: one scale
//! curves      from the last time on since which |x − x_k| < 14 sizes for all k of a lens
//! ```
//!
//! Ground that is no plane is there as a whole, with all curves.

use crate::camera::{Camera, Lens};
use crate::film::{Film, is_finite, vector};
use crate::mesh::{Mesh, unit};
use crate::parts::{Arrows, parts};
use crate::pose::Placed;
use crate::scene::{Object, Role, Scene};
use polhode_geometry::dense::{V, add_scaled, cross, dot, norm};

/// Fields of the grid along the longer side of the ground, at most.
const FIELDS: f64 = 12.0;

/// How far back a picture of bodies goes, in their sizes: farther, and they would be too small to be seen.
const AROUND: f64 = 14.0;

/// Vertices of a mesh that are looked at to see how large it is.
const LOOKED_AT: usize = 400;

/// A part of flat ground: its corners, its normal, and the width of the fields of its grid.
#[derive(Clone)]
pub(crate) struct Tile {
    pub(crate) corners: [V; 4],
    pub(crate) normal: V,
    pub(crate) step: f64,
}

/// A lens and the flat ground before it.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) lens: Lens,
    pub(crate) tiles: Vec<Tile>,
    /// The first frame from which curves are drawn.
    pub(crate) first: usize,
    /// Objects at rest that are too far away to be in the picture.
    pub(crate) left_out: Vec<usize>,
}

/// How much of the motion is seen.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Reach {
    /// All of it.
    Whole,
    /// What lies around the bodies.
    Around,
}

/// Frames that are seen from one place, the first one from which curves are drawn, and how far that place has gone.
struct Shot {
    frames: Vec<usize>,
    first: usize,
    moved: V,
    left_out: Vec<usize>,
}

impl Stage {
    /// A lens that sees bodies in all of these frames, and the curves up to the last of them: one scale and one ground for all.
    pub(crate) fn new(
        scene: &Scene,
        film: &Film,
        camera: &Camera,
        frames: &[usize],
        reach: Reach,
        arrows: &Arrows,
    ) -> Stage {
        let shot = Shot::of(scene, film, frames, reach, [0.0; 3]);
        let (lens, tiles) = room(scene, film, camera, std::slice::from_ref(&shot), arrows);
        Stage { lens, tiles, first: shot.first, left_out: shot.left_out }
    }

    /// A stage for each frame, all on one scale: the same one where bodies stay near, and otherwise one that goes with them along the ground, so that they are seen.
    pub(crate) fn along(scene: &Scene, film: &Film, camera: &Camera, frames: &[usize], arrows: &Arrows) -> Vec<Stage> {
        let frames: Vec<usize> = frames.iter().map(|k| (*k).min(film.len().saturating_sub(1))).collect();
        let near = film.is_empty() || frames.iter().all(|a| frames.iter().all(|b| is_near(scene, film, *a, *b)));
        if near || !stands_on_flat_ground(scene) {
            let stage = Stage::new(scene, film, camera, &frames, Reach::Around, arrows);
            return vec![stage; frames.len()];
        }
        let normals: Vec<V> = flat_ground(scene, film, frames[0]).map(|plane| plane.normal).collect();
        let start = middle(scene, film, frames[0]);
        let shot = |k: &usize| {
            let gone = add_scaled(&middle(scene, film, *k), -1.0, &start);
            Shot::of(scene, film, &[*k], Reach::Around, across(gone, &normals))
        };
        let shots: Vec<Shot> = frames.iter().map(shot).collect();
        let (lens, tiles) = room(scene, film, camera, &shots, arrows);
        let stage = |shot: Shot| {
            let moved = |tile: &Tile| Tile { corners: tile.corners.map(|p| add_scaled(&p, 1.0, &shot.moved)), ..*tile };
            let tiles = tiles.iter().map(moved).collect();
            Stage { lens: lens.moved(&shot.moved), tiles, first: shot.first, left_out: shot.left_out }
        };
        shots.into_iter().map(stage).collect()
    }
}

/// A lens and ground with room for what is seen in any of some shots, before they have gone anywhere.
fn room(scene: &Scene, film: &Film, camera: &Camera, shots: &[Shot], arrows: &Arrows) -> (Lens, Vec<Tile>) {
    let mut seen = Vec::new();
    for shot in shots {
        seen.extend(shot.interest(scene, film, arrows).iter().map(|p| add_scaled(p, -1.0, &shot.moved)));
    }
    let last = shots.iter().flat_map(|s| &s.frames).copied().max().unwrap_or_default();
    let tiles: Vec<Tile> = flat_ground(scene, film, last).filter_map(|p| p.tile(scene, &seen)).collect();
    seen.extend(tiles.iter().flat_map(|t| t.corners));
    (Lens::new(camera, &scene.up, &seen, 0.0), tiles)
}

/// The first frame from which on everything is near where it is in each of these.
pub(crate) fn since(scene: &Scene, film: &Film, frames: &[usize]) -> usize {
    let earliest = frames.iter().copied().min().unwrap_or_default();
    let far = |k: &usize| frames.iter().any(|frame| !is_near(scene, film, *k, *frame));
    (0..earliest).rev().find(far).map_or(0, |k| k + 1)
}

impl Shot {
    fn of(scene: &Scene, film: &Film, frames: &[usize], reach: Reach, moved: V) -> Shot {
        let frames: Vec<usize> = frames.iter().map(|k| (*k).min(film.len().saturating_sub(1))).collect();
        // other ground is there as a whole
        if reach == Reach::Whole || film.is_empty() || !stands_on_flat_ground(scene) {
            return Shot { frames, first: 0, moved, left_out: Vec::new() };
        }
        let first = since(scene, film, &frames);
        let middles: Vec<V> = frames.iter().map(|k| middle(scene, film, *k)).collect();
        let is_away = |o: &Object| {
            let Some(placed) = film.frames.first().and_then(|f| Placed::of(o, f)) else { return false };
            let far = |p: &V| middles.iter().all(|m| norm(&add_scaled(p, -1.0, m)) > AROUND * scene.size);
            o.role != Role::Ground && !moves(film, o) && some_points(&scene.meshes[o.mesh], &placed).all(|p| far(&p))
        };
        let left_out = (0..scene.objects.len()).filter(|k| is_away(&scene.objects[*k])).collect();
        Shot { frames, first, moved, left_out }
    }

    /// What has to be in the picture: bodies, rods and arrows where they are shown, curves, ground that is no plane.
    fn interest(&self, scene: &Scene, film: &Film, arrows: &Arrows) -> Vec<V> {
        let mut points = Vec::new();
        for frame in self.frames.iter().filter_map(|k| film.frames.get(*k)) {
            for part in parts(scene, frame, arrows) {
                if part.object.is_none_or(|k| !self.left_out.contains(&k)) {
                    points.extend(some_points(part.mesh, &part.placed));
                }
            }
        }
        let end = self.frames.iter().copied().max().map_or(0, |last| last + 1).min(film.len());
        for frame in &film.frames[self.first.min(end)..end] {
            points.extend(scene.traces.iter().map(|t| vector(frame, &t.point)));
            for c in &scene.contacts {
                let placed = Placed::of(&scene.objects[c.other], frame);
                points.extend(placed.map(|p| p.point(&vector(frame, &c.on_other))));
            }
        }
        points.retain(is_finite);
        points
    }
}

/// Some vertices of a mesh where it stands.
fn some_points(mesh: &Mesh, placed: &Placed) -> impl Iterator<Item = V> {
    let some = mesh.positions.len().div_ceil(LOOKED_AT).max(1);
    mesh.positions.iter().step_by(some).map(|p| placed.point(&p.map(f64::from)))
}

/// Whether no ground is curved.
fn stands_on_flat_ground(scene: &Scene) -> bool {
    scene.objects.iter().all(|o| o.role != Role::Ground || is_flat(scene, o))
}

/// The middle of what moves, in a frame.
fn middle(scene: &Scene, film: &Film, frame: usize) -> V {
    let Some(numbers) = film.frames.get(frame) else { return [0.0; 3] };
    let bodies = scene.objects.iter().filter(|o| moves(film, o)).filter_map(|o| o.position);
    let places = bodies.chain(scene.rods.iter().map(|r| r.from)).chain(scene.traces.iter().map(|t| t.point));
    let points: Vec<V> = places.map(|p| vector(numbers, &p)).filter(is_finite).collect();
    let sum = points.iter().fold([0.0; 3], |sum, p| add_scaled(&sum, 1.0, p));
    sum.map(|x| x / points.len().max(1) as f64)
}

/// What is left of a vector across all of these directions.
fn across(v: V, directions: &[V]) -> V {
    let mut basis: Vec<V> = Vec::new();
    let less = |v: V, basis: &[V]| basis.iter().fold(v, |v, n| add_scaled(&v, -dot(&v, n), n));
    for n in directions {
        let rest = less(*n, &basis);
        // parallel planes say nothing new
        basis.extend(unit(&rest).filter(|_| norm(&rest) > 1e-6));
    }
    less(v, &basis)
}

/// Whether everything is about where it is in another frame.
fn is_near(scene: &Scene, film: &Film, frame: usize, other: usize) -> bool {
    let at = |places: &[usize; 3]| {
        let [a, b] = [frame, other].map(|k| vector(&film.frames[k], places));
        norm(&add_scaled(&a, -1.0, &b)) < AROUND * scene.size
    };
    let traces = || scene.traces.iter().all(|t| at(&t.point));
    scene.objects.iter().filter_map(|o| o.position.as_ref()).all(at)
        && scene.rods.iter().all(|r| at(&r.from))
        && traces()
}

/// Whether an object is elsewhere, or turned, at the end of the film.
pub(crate) fn moves(film: &Film, o: &Object) -> bool {
    let ends = [film.frames.first(), film.frames.last()].map(|f| f.and_then(|f| Placed::of(o, f)));
    ends[0] != ends[1]
}

/// Ground that is a plane.
pub(crate) fn is_flat(scene: &Scene, o: &Object) -> bool {
    matches!(o.role, Role::Ground | Role::Wall) && scene.meshes[o.mesh].positions.len() == 4
}

/// A plane: a corner of it, two directions in it, and its normal, up where it has an upper side.
struct Plane {
    corner: V,
    axes: [V; 2],
    normal: V,
}

/// The planes of a scene as they are in a frame.
fn flat_ground<'a>(scene: &'a Scene, film: &'a Film, frame: usize) -> impl Iterator<Item = Plane> {
    let flat = scene.objects.iter().filter(|o| is_flat(scene, o));
    flat.filter_map(move |o| {
        let placed = Placed::of(o, film.frames.get(frame)?)?;
        let mesh = &scene.meshes[o.mesh];
        let [corner, b, a] = [0, 1, 2].map(|k| placed.point(&mesh.point(k)));
        let axes = [unit(&add_scaled(&a, -1.0, &corner))?, unit(&add_scaled(&b, -1.0, &corner))?];
        let normal = unit(&cross(&axes[0], &axes[1]))?;
        let normal = if dot(&normal, &scene.up) < 0.0 { normal.map(|x| -x) } else { normal };
        Some(Plane { corner, axes, normal })
    })
}

impl Plane {
    /// The part of it below what is seen, a little larger.
    fn tile(&self, scene: &Scene, seen: &[V]) -> Option<Tile> {
        let range = |a: &V| {
            let along = seen.iter().map(|p| dot(&add_scaled(p, -1.0, &self.corner), a));
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let more = 0.4 * scene.size;
        let ranges = self.axes.map(|a| range(&a)).map(|[a, b]| [a - more, b + more]);
        let step = round_length(ranges.iter().map(|[a, b]| b - a).fold(0.0, f64::max) / FIELDS);
        let [u, v] = ranges.map(|[a, b]| [(a / step).floor() * step, (b / step).ceil() * step]);
        let at = |p: f64, q: f64| add_scaled(&add_scaled(&self.corner, p, &self.axes[0]), q, &self.axes[1]);
        let corners = [at(u[0], v[0]), at(u[1], v[0]), at(u[1], v[1]), at(u[0], v[1])];
        corners.iter().all(is_finite).then_some(Tile { corners, normal: self.normal, step })
    }
}

/// 1, 2 or 5 times a power of ten, not less than a length.
fn round_length(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|x| *x >= length).unwrap_or(length)
}

/// The frames in which bodies do not run into where they are in later ones.
pub(crate) fn apart(scene: &Scene, film: &Film, frames: &[usize]) -> Vec<usize> {
    let moving = |o: &&Object| o.role != Role::Ground && o.position.is_some() && moves(film, o);
    let bodies: Vec<&Object> = scene.objects.iter().filter(moving).collect();
    let free = |a: usize, b: usize| {
        let at = |k: usize, o: &Object| o.position.map_or([0.0; 3], |p| vector(&film.frames[k], &p));
        bodies.iter().any(|o| norm(&add_scaled(&at(a, o), -1.0, &at(b, o))) > 1.7 * scene.size)
    };
    let mut kept: Vec<usize> = Vec::new();
    for k in frames.iter().copied().rev() {
        if kept.iter().all(|other| free(k, *other)) {
            kept.push(k);
        }
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solids;
    use polhode_model::Look;

    /// A ball of radius 1 that goes along x, one unit in a frame, past a post at the start.
    fn travelling(frames: usize) -> (Scene, Film) {
        let object = |position| Object {
            name: String::new(),
            role: Role::Body,
            mesh: 0,
            rotation: None,
            position: Some(position),
            scale: None,
            look: Look::Solid,
            colour: 0,
            inside: false,
        };
        let scene = Scene {
            up: [0.0, 0.0, 1.0],
            size: 1.0,
            meshes: vec![solids::ball(1.0)],
            objects: vec![object([0, 1, 2]), object([1, 1, 1])],
            ..Scene::default()
        };
        let rows = (0..frames).map(|k| vec![k as f64, 0.0, 1.0]).collect();
        (scene, Film { times: (0..frames).map(|k| k as f64).collect(), frames: rows })
    }

    fn stages(frames: &[usize]) -> (Vec<Stage>, Vec<f64>) {
        let (scene, film) = travelling(101);
        let (camera, arrows) = (Camera::default(), Arrows::of(&scene, &film, false));
        let stages = Stage::along(&scene, &film, &camera, frames, &arrows);
        let place = |k: usize| vector(&film.frames[k], &[0, 1, 2]);
        let sizes = frames.iter().zip(&stages).map(|(k, s)| s.lens.size(1.0, s.lens.see(&place(*k)).depth)).collect();
        (stages, sizes)
    }

    #[test]
    fn bodies_that_travel_far_are_seen_on_one_scale() {
        let (stages, sizes) = stages(&[0, 50, 100]);
        for size in &sizes {
            assert!((size - sizes[0]).abs() < 1e-9, "{sizes:?}");
            assert!(2.0 * size > 0.08 * Camera::default().width, "a diameter of {size} is a speck");
        }
        assert_eq!(stages[1].first, 50 - (AROUND as usize - 1), "curves go back as far as 14 sizes");
        assert_eq!(stages.iter().map(|s| s.left_out.len()).collect::<Vec<_>>(), [0, 1, 1], "the post is far away then");
    }

    #[test]
    fn bodies_that_stay_near_have_one_ground() {
        let (stages, sizes) = stages(&[0, 6, 12]);
        let see = |s: &Stage| s.lens.see(&[3.0, 0.0, 0.0]);
        assert_eq!(see(&stages[0]), see(&stages[2]));
        assert!(sizes.iter().all(|size| 2.0 * size > 0.08 * Camera::default().width), "{sizes:?}");
    }

    #[test]
    fn directions_of_planes_are_taken_away_once() {
        let up = [0.0, 0.0, 1.0];
        assert_eq!(across([3.0, 2.0, 1.0], &[up, up.map(|x| -x)]), [3.0, 2.0, 0.0]);
        assert_eq!(across([3.0, 2.0, 1.0], &[up, [1.0, 0.0, 0.0]]), [0.0, 2.0, 0.0]);
    }
}
