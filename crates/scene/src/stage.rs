//! What is in a picture: how far back curves go, which part of flat ground there is, and the lens that sees all of it.

use crate::camera::{Camera, Lens};
use crate::film::{Film, is_finite, vector};
use crate::mesh::unit;
use crate::parts::{Arrows, parts};
use crate::pose::Placed;
use crate::scene::{Object, Role, Scene};
use polhode_geometry::dense::{V, add_scaled, cross, dot, norm};
use std::ops::Range;

/// Fields of the grid along the longer side of the ground, at most.
const FIELDS: f64 = 12.0;

/// How far back a picture of bodies goes, in their sizes: farther, and they would be too small to be seen.
const AROUND: f64 = 14.0;

/// Vertices of a mesh that are looked at to see how large it is.
const LOOKED_AT: usize = 400;

/// A part of flat ground: its corners, its normal, and the width of the fields of its grid.
pub(crate) struct Tile {
    pub(crate) corners: [V; 4],
    pub(crate) normal: V,
    pub(crate) step: f64,
}

/// A lens and the flat ground before it.
pub(crate) struct Stage {
    pub(crate) lens: Lens,
    pub(crate) tiles: Vec<Tile>,
    /// The first frame from which curves are drawn.
    pub(crate) first: usize,
}

/// How much of the motion is seen.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Reach {
    /// All of it.
    Whole,
    /// What lies around the bodies.
    Around,
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
        let last = frames.iter().copied().max().unwrap_or_default().min(film.len().saturating_sub(1));
        let earliest = frames.iter().copied().min().unwrap_or_default().min(last);
        let far = |k: &usize| !is_near(scene, film, *k, earliest);
        let flat = scene.objects.iter().all(|o| o.role != Role::Ground || is_flat(scene, o));
        let first = match reach {
            // other ground is there as a whole
            _ if !flat => 0,
            Reach::Whole => 0,
            Reach::Around => (0..earliest).rev().find(far).map_or(0, |k| k + 1),
        };
        let interest = interest(scene, film, frames, first..(last + 1).min(film.len()), arrows);
        let flat = scene.objects.iter().filter(|o| is_flat(scene, o));
        let tiles: Vec<Tile> = flat.filter_map(|o| tile(scene, o, film, last, &interest)).collect();
        let mut all = interest;
        all.extend(tiles.iter().flat_map(|t| t.corners));
        Stage { lens: Lens::new(camera, &scene.up, &all, 0.0), tiles, first }
    }
}

/// What has to be in the picture: bodies, rods and arrows where they are shown, curves, ground that is no plane.
fn interest(scene: &Scene, film: &Film, frames: &[usize], shown: Range<usize>, arrows: &Arrows) -> Vec<V> {
    let mut points = Vec::new();
    for frame in frames.iter().filter_map(|k| film.frames.get(*k)) {
        for part in parts(scene, frame, arrows) {
            let some = part.mesh.positions.len().div_ceil(LOOKED_AT).max(1);
            points.extend(part.mesh.positions.iter().step_by(some).map(|p| part.placed.point(&p.map(f64::from))));
        }
    }
    for frame in &film.frames[shown] {
        points.extend(scene.traces.iter().map(|t| vector(frame, &t.point)));
        for c in &scene.contacts {
            points.extend(Placed::of(&scene.objects[c.other], frame).map(|p| p.point(&vector(frame, &c.on_other))));
        }
    }
    points.retain(is_finite);
    points
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

/// The part of a plane below what is seen, a little larger.
fn tile(scene: &Scene, o: &Object, film: &Film, last: usize, interest: &[V]) -> Option<Tile> {
    let placed = Placed::of(o, film.frames.get(last)?)?;
    let mesh = &scene.meshes[o.mesh];
    let corners: [V; 4] = std::array::from_fn(|k| placed.point(&mesh.point(k as u32)));
    let axes = [add_scaled(&corners[2], -1.0, &corners[0]), add_scaled(&corners[1], -1.0, &corners[0])];
    let axes = [unit(&axes[0])?, unit(&axes[1])?];
    let range = |a: &V| {
        let along = interest.iter().map(|p| dot(&add_scaled(p, -1.0, &corners[0]), a));
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    };
    let more = 0.4 * scene.size;
    let ranges = axes.map(|a| range(&a)).map(|[a, b]| [a - more, b + more]);
    let step = round_length(ranges.iter().map(|[a, b]| b - a).fold(0.0, f64::max) / FIELDS);
    let [u, v] = ranges.map(|[a, b]| [(a / step).floor() * step, (b / step).ceil() * step]);
    let at = |p: f64, q: f64| add_scaled(&add_scaled(&corners[0], p, &axes[0]), q, &axes[1]);
    let finite = ranges.iter().flatten().all(|x| x.is_finite());
    let normal = unit(&cross(&axes[0], &axes[1])).filter(|_| finite)?;
    let normal = if dot(&normal, &scene.up) < 0.0 { normal.map(|x| -x) } else { normal };
    Some(Tile { corners: [at(u[0], v[0]), at(u[1], v[0]), at(u[1], v[1]), at(u[0], v[1])], normal, step })
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
