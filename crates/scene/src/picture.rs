//! Pictures of scenes without a browser: SVG by the painter's algorithm.
//!
//! Faces, pieces of rods and pieces of curves are drawn from the farthest to the nearest, by the depth of their middle. A face has one colour:
//! that of its object in the light of a lamp at the upper left of the eye. Flat ground comes before everything else, with a grid, the shadows of
//! bodies and the curves on it. Frames before the last are paler: a body is seen where it was.
//!
//! Not here: faces that cross each other, which are not cut.

use crate::camera::{Camera, Lens, Seen};
use crate::film::{Film, is_finite, vector};
use crate::mesh::unit;
use crate::pose::Placed;
use crate::scene::{Arrow, COLOURS, GROUND, Object, PALETTE, Role, Scene};
use polhode_geometry::dense::{V, add_scaled, dot, norm};
use polhode_model::{ArrowKind, Look};
use std::fmt::Write;
use std::ops::Range;

/// Around what is drawn.
const MARGIN: f64 = 22.0;

/// Letters of title and subtitle, and the room that they take.
const TITLE: f64 = 17.0;
const SUBTITLE: f64 = 12.5;

/// How much white there is in bodies where they were.
const PALE: f64 = 0.72;

/// Fields of the grid along the longer side of the ground, at most.
const FIELDS: f64 = 12.0;

/// How far back a picture goes, in sizes of the bodies.
const AROUND: f64 = 24.0;

/// A picture that is asked for.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// From where.
    pub camera: Camera,
    /// Which frames of the film, the last one in full colours.
    pub frames: Vec<usize>,
    /// In large letters; may be empty.
    pub title: String,
    /// In small letters below; may be empty.
    pub subtitle: String,
}

impl View {
    /// The frame nearest to a time.
    pub fn at(film: &Film, t: f64) -> View {
        View { frames: vec![film.nearest(t)], ..View::default() }
    }

    /// So many frames, evenly spaced up to the last one.
    pub fn strobe(film: &Film, count: usize) -> View {
        let last = film.len().saturating_sub(1);
        let steps = count.max(2) - 1;
        let frames = if count < 2 { vec![last] } else { (0..=steps).map(|k| last * k / steps).collect() };
        View { frames, ..View::default() }
    }
}

/// Something to paint.
struct Piece {
    depth: f64,
    paint: String,
}

/// A part of flat ground: its corners, and the width of the fields of its grid.
pub(crate) struct Tile {
    pub(crate) corners: [V; 4],
    pub(crate) step: f64,
}

/// A picture in the making.
struct Painter<'a> {
    scene: &'a Scene,
    film: &'a Film,
    /// The frames from which curves are drawn.
    shown: Range<usize>,
    lens: Lens,
    lamp: V,
    /// Which objects have been drawn with the ground.
    lying: Vec<bool>,
    pieces: Vec<Piece>,
}

/// The scene at frames of a film, as SVG.
pub fn picture(scene: &Scene, film: &Film, view: &View) -> String {
    let last = view.frames.last().copied().unwrap_or(0).min(film.len().saturating_sub(1));
    let first = (0..last).rev().find(|k| !is_near(scene, film, *k, last)).map_or(0, |k| k + 1);
    let frames = apart(scene, film, view.frames.iter().copied().filter(|k| (first..=last).contains(k)).collect());
    let shown = first..(last + 1).min(film.len());
    let interest = interest(scene, film, &frames, shown.clone());
    let flat = scene.objects.iter().filter(|o| is_flat(scene, o));
    let tiles: Vec<Tile> = flat.filter_map(|o| tile(scene, o, film, last, &interest)).collect();
    let mut all = interest;
    all.extend(tiles.iter().flat_map(|t| t.corners));
    let headroom = if view.title.is_empty() { 0.0 } else { TITLE + SUBTITLE + 10.0 };
    let page = Camera { height: view.camera.height - headroom, ..view.camera };
    let lens = Lens::new(&page, &scene.up, &all, MARGIN);
    let lamp = unit(&lens.direction([-0.45, 0.75, 0.6])).unwrap_or(scene.up);
    let mut painter = Painter { scene, film, shown, lens, lamp, lying: Vec::new(), pieces: Vec::new() };
    let mut ground = String::new();
    for tile in &tiles {
        ground += &painter.ground(tile);
    }
    ground += &painter.flat_things(&tiles);
    ground += &painter.shadows(&frames, &tiles);
    // on flat ground, where nothing hides them, earlier frames come one after the other, so that bodies do not run into each other
    let flat = scene.objects.iter().all(|o| o.role != Role::Ground || is_flat(scene, o));
    let mut layers: Vec<Vec<Piece>> = Vec::new();
    for (k, frame) in frames.iter().enumerate() {
        let whole = k + 1 == frames.len();
        let pale = if whole { 0.0 } else { PALE - 0.25 * k as f64 / frames.len() as f64 };
        painter.frame(*frame, pale, whole);
        if flat && !whole {
            layers.push(std::mem::take(&mut painter.pieces));
        }
    }
    painter.curves();
    let middle = |layer: &Vec<Piece>| layer.iter().map(|p| p.depth).sum::<f64>() / layer.len().max(1) as f64;
    layers.sort_by(|a, b| middle(b).total_cmp(&middle(a)));
    layers.push(painter.pieces);
    layers.iter_mut().for_each(|layer| layer.sort_by(|a, b| b.depth.total_cmp(&a.depth)));
    let (width, height) = (view.camera.width, view.camera.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"polhode\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(if view.title.is_empty() { "scene" } else { &view.title }));
    out += STYLE;
    let _ = writeln!(out, "<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>");
    if !view.title.is_empty() {
        let y = MARGIN + TITLE - 6.0;
        let _ = writeln!(out, "<text class=\"title\" x=\"{MARGIN}\" y=\"{y}\">{}</text>", escape(&view.title));
        let y = y + SUBTITLE + 6.0;
        let _ = writeln!(out, "<text class=\"subtitle\" x=\"{MARGIN}\" y=\"{y}\">{}</text>", escape(&view.subtitle));
    }
    let _ = writeln!(out, "<g transform=\"translate(0 {headroom})\">");
    out += &ground;
    layers.iter().flatten().for_each(|piece| out += &piece.paint);
    out += "</g>\n</svg>\n";
    out
}

const STYLE: &str = "<style>\n\
.polhode text{font:11px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Liberation Sans',Arial,sans-serif;fill:#222}\n\
.polhode .title{font-size:17px;font-weight:600}\n\
.polhode .subtitle{font-size:12.5px;fill:#666}\n\
.polhode .ground{fill:#fff}\n\
.polhode path{stroke-linejoin:round;stroke-linecap:round}\n\
.polhode .rod{stroke-linecap:butt}\n\
@media (prefers-color-scheme:dark){\n\
.polhode text{fill:#e4e4e4}\n\
.polhode .subtitle{fill:#a0a0a0}\n\
.polhode .ground{fill:#16181d}\n\
}\n\
</style>\n\
<defs><filter id=\"soft\" x=\"-20%\" y=\"-20%\" width=\"140%\" height=\"140%\"><feGaussianBlur stdDeviation=\"3\"/></filter></defs>\n";

/// What has to be in the picture: bodies where they are shown, curves as far as they have been drawn, ground that is no plane.
pub(crate) fn interest(scene: &Scene, film: &Film, frames: &[usize], shown: Range<usize>) -> Vec<V> {
    let mut points = Vec::new();
    for o in scene.objects.iter().filter(|o| !is_flat(scene, o)) {
        let mesh = &scene.meshes[o.mesh];
        let some = mesh.positions.len().div_ceil(400);
        for placed in frames.iter().filter_map(|k| Placed::of(o, &film.frames[*k])) {
            points.extend(mesh.positions.iter().step_by(some).map(|p| placed.point(&p.map(f64::from))));
        }
    }
    if let Some(frame) = frames.last().map(|k| &film.frames[*k]) {
        points.extend(scene.arrows.iter().map(|a| {
            let from = vector(frame, &a.from);
            add_scaled(&from, arrow_scale(scene, film, a, frame), &vector(frame, &a.vector))
        }));
    }
    for frame in &film.frames[shown] {
        points.extend(scene.traces.iter().map(|t| vector(frame, &t.point)));
        for c in &scene.contacts {
            points.extend(Placed::of(&scene.objects[c.other], frame).map(|p| p.point(&vector(frame, &c.on_other))));
        }
    }
    for frame in frames.iter().map(|k| &film.frames[*k]) {
        points.extend(scene.rods.iter().flat_map(|r| [vector(frame, &r.from), vector(frame, &r.to)]));
    }
    points.retain(is_finite);
    points
}

/// Whether everything is about where it is in another frame: pictures do not show where bodies came from long ago.
fn is_near(scene: &Scene, film: &Film, frame: usize, other: usize) -> bool {
    let at = |places: &[usize; 3]| {
        let [a, b] = [frame, other].map(|k| vector(&film.frames[k], places));
        norm(&add_scaled(&a, -1.0, &b)) < AROUND * scene.size
    };
    scene.objects.iter().filter_map(|o| o.position.as_ref()).all(at) && scene.rods.iter().all(|r| at(&r.from))
}

/// The frames in which bodies do not run into where they are in later ones.
fn apart(scene: &Scene, film: &Film, frames: Vec<usize>) -> Vec<usize> {
    let moving = |o: &&Object| o.role != Role::Ground && o.position.is_some() && moves(film, o);
    let bodies: Vec<&Object> = scene.objects.iter().filter(moving).collect();
    let free = |a: usize, b: usize| {
        let at = |k: usize, o: &Object| o.position.map_or([0.0; 3], |p| vector(&film.frames[k], &p));
        bodies.iter().any(|o| norm(&add_scaled(&at(a, o), -1.0, &at(b, o))) > 1.7 * scene.size)
    };
    let mut kept: Vec<usize> = Vec::new();
    for k in frames.into_iter().rev() {
        if kept.iter().all(|other| free(k, *other)) {
            kept.push(k);
        }
    }
    kept.reverse();
    kept
}

/// Whether an object is elsewhere, or turned, at the end of the film.
fn moves(film: &Film, o: &Object) -> bool {
    let ends = [film.frames.first(), film.frames.last()].map(|f| f.and_then(|f| Placed::of(o, f)));
    ends[0] != ends[1]
}

/// Ground that is a plane.
pub(crate) fn is_flat(scene: &Scene, o: &Object) -> bool {
    matches!(o.role, Role::Ground | Role::Wall) && scene.meshes[o.mesh].positions.len() == 4
}

/// The part of a plane below what is seen, a little larger.
pub(crate) fn tile(scene: &Scene, o: &Object, film: &Film, last: usize, interest: &[V]) -> Option<Tile> {
    if o.role == Role::Wall {
        return None;
    }
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
    Some(Tile { corners: [at(u[0], v[0]), at(u[1], v[0]), at(u[1], v[1]), at(u[0], v[1])], step })
}

impl Painter<'_> {
    fn path(&self, points: &[V]) -> String {
        let seen: Vec<Seen> = points.iter().map(|p| self.lens.see(p)).collect();
        path_of(&seen)
    }

    /// A tile of flat ground with a grid of round lengths.
    fn ground(&self, Tile { corners: tile, step }: &Tile) -> String {
        let mut out = format!("<path d=\"{}Z\" fill=\"#f4f2ec\" stroke=\"#ddd9ce\"/>\n", self.path(tile));
        let (a, b) = (add_scaled(&tile[1], -1.0, &tile[0]), add_scaled(&tile[3], -1.0, &tile[0]));
        let mut lines = String::new();
        for (along, across) in [(a, b), (b, a)] {
            let fields = (norm(&along) / step).round() as usize;
            for k in 1..fields {
                let foot = add_scaled(&tile[0], k as f64 / fields as f64, &along);
                lines += &self.path(&[foot, add_scaled(&foot, 1.0, &across)]);
            }
        }
        let _ = writeln!(out, "<path d=\"{lines}\" fill=\"none\" stroke=\"#e2ded3\" stroke-width=\"0.8\"/>");
        out
    }

    /// What bodies take from the light of a lamp above, on the first tile.
    fn shadows(&self, frames: &[usize], tiles: &[Tile]) -> String {
        let Some(Tile { corners: tile, .. }) = tiles.first() else { return String::new() };
        let (a, b) = (add_scaled(&tile[1], -1.0, &tile[0]), add_scaled(&tile[3], -1.0, &tile[0]));
        let Some(normal) = unit(&polhode_geometry::dense::cross(&a, &b)) else { return String::new() };
        let normal = if dot(&normal, &self.scene.up) < 0.0 { normal.map(|x| -x) } else { normal };
        let ray = add_scaled(&self.lamp.map(|x| -0.35 * x), -1.0, &self.scene.up);
        let slope = dot(&ray, &normal);
        if slope > -0.1 {
            return String::new();
        }
        let mut out = String::new();
        for (k, frame) in frames.iter().enumerate() {
            let dark = if k + 1 == frames.len() { 0.16 } else { 0.05 };
            let solid = |o: &&Object| o.role == Role::Body && o.look != Look::Glass && moves(self.film, o);
            for o in self.scene.objects.iter().filter(solid) {
                let Some(placed) = Placed::of(o, &self.film.frames[*frame]) else { continue };
                let mesh = &self.scene.meshes[o.mesh];
                let fallen = mesh.positions.iter().map(|p| placed.point(&p.map(f64::from))).filter_map(|p| {
                    let height = dot(&add_scaled(&p, -1.0, &tile[0]), &normal);
                    (height > -1e-6 * self.scene.size).then(|| self.lens.see(&add_scaled(&p, -height / slope, &ray)))
                });
                let hull = hull(fallen.collect());
                if hull.len() > 2 {
                    let _ = writeln!(
                        out,
                        "<path d=\"{}Z\" fill=\"#000\" fill-opacity=\"{dark}\" filter=\"url(#soft)\"/>",
                        path_of(&hull)
                    );
                }
            }
        }
        out
    }

    /// Things at rest that lie on the ground: a field of felt, a ring.
    fn flat_things(&mut self, tiles: &[Tile]) -> String {
        let Some(frame) = self.film.frames.first() else { return String::new() };
        let scene = self.scene;
        self.lying = scene.objects.iter().map(|o| self.lies(o, tiles)).collect();
        for (k, o) in scene.objects.iter().enumerate() {
            if let (true, Some(placed)) = (self.lying[k], Placed::of(o, frame)) {
                self.object(o, &placed, 0.0);
            }
        }
        self.pieces.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        std::mem::take(&mut self.pieces).into_iter().map(|p| p.paint).collect()
    }

    fn lies(&self, o: &Object, tiles: &[Tile]) -> bool {
        let (Some(Tile { corners, .. }), Some(frame)) = (tiles.first(), self.film.frames.first()) else { return false };
        let (a, b) = (add_scaled(&corners[1], -1.0, &corners[0]), add_scaled(&corners[3], -1.0, &corners[0]));
        let (Some(normal), Some(placed)) = (unit(&polhode_geometry::dense::cross(&a, &b)), Placed::of(o, frame)) else {
            return false;
        };
        let height =
            |p: &[f32; 3]| dot(&add_scaled(&placed.point(&p.map(f64::from)), -1.0, &corners[0]), &normal).abs();
        let low = 0.05 * self.scene.size;
        o.role == Role::Body
            && !moves(self.film, o)
            && self.scene.meshes[o.mesh].positions.iter().all(|p| height(p) < low)
    }

    fn frame(&mut self, frame: usize, pale: f64, whole: bool) {
        let scene = self.scene;
        let numbers = &self.film.frames[frame];
        for (k, o) in scene.objects.iter().enumerate().filter(|(_, o)| !is_flat(scene, o)) {
            if self.lying[k] {
                continue;
            }
            // what is at rest is the same in all frames
            if let (true, Some(placed)) = (whole || moves(self.film, o), Placed::of(o, numbers)) {
                self.object(o, &placed, pale);
            }
        }
        for r in &scene.rods {
            self.rod(&vector(numbers, &r.from), &vector(numbers, &r.to), r.radius, mix(PALETTE[r.colour], pale));
        }
        if whole {
            for a in &scene.arrows {
                self.arrow(a, numbers);
            }
            for c in &scene.contacts {
                let Some(placed) = Placed::of(&scene.objects[c.object], numbers) else { continue };
                let on_body: Vec<V> =
                    self.film.frames[self.shown.clone()].iter().map(|f| placed.point(&vector(f, &c.on_body))).collect();
                self.curve(&on_body, PALETTE[(scene.objects[c.object].colour + 1) % (COLOURS - 1)], 0.08 * scene.size);
            }
        }
    }

    fn object(&mut self, o: &Object, placed: &Placed, pale: f64) {
        let mesh = &self.scene.meshes[o.mesh];
        let points: Vec<V> = mesh.positions.iter().map(|p| placed.point(&p.map(f64::from))).collect();
        let normals: Vec<V> =
            mesh.normals.iter().map(|n| unit(&placed.normal(&n.map(f64::from))).unwrap_or(self.scene.up)).collect();
        let ground = matches!(o.role, Role::Ground | Role::Wall);
        let shell = o.look == Look::Glass || ground && o.inside;
        let lines = o.look == Look::Wire;
        // what touches the ground is in front of it
        let back = match ground {
            true => 0.03,
            false if o.colour == GROUND => 0.08,
            false => 0.0,
        };
        let back = back * self.scene.size;
        let mut k = 0;
        while k < mesh.triangles.len() && !lines {
            let (face, used) = face_at(mesh, k);
            let dark = mesh.dark[k];
            k += used;
            let middle: V =
                std::array::from_fn(|i| face.iter().map(|v| points[*v as usize][i]).sum::<f64>() / face.len() as f64);
            let normal = face.iter().fold([0.0; 3], |s, v| add_scaled(&s, 1.0, &normals[*v as usize]));
            let Some(normal) = unit(&normal) else { continue };
            let towards = self.lens.towards(&middle);
            let facing = dot(&normal, &towards);
            if facing < -0.05 && !shell && !is_open(mesh) {
                continue;
            }
            let normal = if facing < 0.0 { normal.map(|x| -x) } else { normal };
            let base = PALETTE[o.colour % COLOURS];
            let base = match o.look {
                Look::Checker if !dark => mix(base, 0.62),
                _ => base,
            };
            let light = self.light(&normal, &towards);
            let colour = mix(lit(base, light), pale);
            let seen: Vec<Seen> = face.iter().map(|v| self.lens.see(&points[*v as usize])).collect();
            let depth = seen.iter().map(|s| s.depth).sum::<f64>() / seen.len() as f64 + back;
            let paint = if shell {
                let near = if facing > 0.0 { 0.10 } else { 0.22 };
                format!("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"{near}\"/>\n", path_of(&seen), hex(colour))
            } else {
                let colour = hex(colour);
                format!(
                    "<path d=\"{}Z\" fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"0.6\"/>\n",
                    path_of(&seen)
                )
            };
            self.pieces.push(Piece { depth, paint });
        }
        let colour = hex(mix([0x22, 0x26, 0x2b], 0.2 + 0.8 * pale));
        for [a, b] in &mesh.lines {
            let (p, q) = (points[*a as usize], points[*b as usize]);
            let middle: V = std::array::from_fn(|i| (p[i] + q[i]) / 2.0);
            let normal = add_scaled(&normals[*a as usize], 1.0, &normals[*b as usize]);
            if dot(&normal, &self.lens.towards(&middle)) < -0.3 && !lines {
                continue;
            }
            self.segment(&p, &q, &colour, 0.7, 0.015 * self.scene.size);
        }
    }

    /// How bright a face is, and how much of the lamp it mirrors.
    fn light(&self, normal: &V, towards: &V) -> [f64; 2] {
        let diffuse = dot(normal, &self.lamp).max(0.0);
        let half = unit(&add_scaled(&self.lamp, 1.0, towards)).unwrap_or(*towards);
        [0.58 + 0.47 * diffuse, 0.3 * dot(normal, &half).max(0.0).powi(24)]
    }

    fn segment(&mut self, a: &V, b: &V, colour: &str, width: f64, nearer: f64) {
        self.stroke(a, b, &format!("stroke=\"{colour}\" stroke-width=\"{}\"", short(width)), nearer);
    }

    fn stroke(&mut self, a: &V, b: &V, style: &str, nearer: f64) {
        if !is_finite(a) || !is_finite(b) {
            return;
        }
        let seen = [self.lens.see(a), self.lens.see(b)];
        let depth = (seen[0].depth + seen[1].depth) / 2.0 - nearer;
        let paint = format!("<path d=\"{}\" fill=\"none\" {style}/>\n", path_of(&seen));
        self.pieces.push(Piece { depth, paint });
    }

    /// A smooth curve in pieces, so that bodies may hide parts of it.
    fn curve(&mut self, points: &[V], colour: [u8; 3], nearer: f64) {
        let colour = hex(colour);
        let seen: Vec<Option<Seen>> = points.iter().map(|p| is_finite(p).then(|| self.lens.see(p))).collect();
        let mut first = 0;
        while first + 1 < seen.len() {
            let end = (first + 3).min(seen.len() - 1);
            let (mut path, mut depths) = (String::new(), Vec::new());
            for k in first..end {
                let (Some(a), Some(b)) = (seen[k], seen[k + 1]) else { continue };
                let before = k.checked_sub(1).and_then(|k| seen[k]).unwrap_or(a);
                let after = seen.get(k + 2).copied().flatten().unwrap_or(b);
                // the cubic through a and b with the slopes of their neighbours
                let [c, d] = [(a, before, b, 6.0), (b, a, after, -6.0)]
                    .map(|(p, q, r, part)| (p.x + (r.x - q.x) / part, p.y + (r.y - q.y) / part));
                if path.is_empty() {
                    let _ = write!(path, "M{} {}", short(a.x), short(a.y));
                }
                let [c, d, e] = [c, d, (b.x, b.y)].map(|(x, y)| format!("{} {}", short(x), short(y)));
                let _ = write!(path, "C{c} {d} {e}");
                depths.extend([a.depth, b.depth]);
            }
            if !depths.is_empty() {
                let depth = depths.iter().sum::<f64>() / depths.len() as f64 - nearer;
                let paint = format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>\n");
                self.pieces.push(Piece { depth, paint });
            }
            first = end;
        }
    }

    /// Traces, and the curves of contact on the ground.
    fn curves(&mut self) {
        let scene = self.scene;
        let frames = &self.film.frames[self.shown.clone()];
        for t in &scene.traces {
            let points: Vec<V> = frames.iter().map(|f| vector(f, &t.point)).collect();
            self.curve(&points, PALETTE[t.colour % COLOURS], 0.01 * scene.size);
        }
        let Some(now) = frames.last() else { return };
        for c in &scene.contacts {
            let Some(placed) = Placed::of(&scene.objects[c.other], now) else { continue };
            let points: Vec<V> = frames.iter().map(|f| placed.point(&vector(f, &c.on_other))).collect();
            self.curve(&points, PALETTE[(scene.objects[c.object].colour + 1) % (COLOURS - 1)], 0.01 * scene.size);
        }
    }

    /// A rod in pieces that overlap a little, with a lighter line along it.
    fn rod(&mut self, from: &V, to: &V, radius: f64, colour: [u8; 3]) {
        const PIECES: usize = 16;
        let at = |k: f64| std::array::from_fn(|i| from[i] + (to[i] - from[i]) * k / PIECES as f64);
        for k in 0..PIECES {
            let (a, b): (V, V) = (at(k as f64), at((k as f64 + 1.15).min(PIECES as f64)));
            let width = 2.0 * self.lens.size(radius, self.lens.see(&a).depth);
            for (colour, width, nearer) in
                [(lit(colour, [0.75, 0.0]), width, 0.0), (mix(colour, 0.25), 0.5 * width, 0.5 * radius)]
            {
                let style =
                    format!("class=\"rod\" stroke=\"{}\" stroke-width=\"{}\"", hex(colour), short(width.max(1.0)));
                self.stroke(&a, &b, &style, nearer);
            }
        }
    }

    fn arrow(&mut self, arrow: &Arrow, numbers: &[f64]) {
        let (from, v) = (vector(numbers, &arrow.from), vector(numbers, &arrow.vector));
        let length = norm(&v);
        if !is_finite(&from) || !length.is_finite() || length == 0.0 {
            return;
        }
        let scale = arrow_scale(self.scene, self.film, arrow, numbers);
        let to = add_scaled(&from, scale, &v);
        let colour = hex(PALETTE[arrow.colour % COLOURS]);
        const PIECES: usize = 8;
        for k in 0..PIECES {
            let at = |k: usize| add_scaled(&from, scale * k as f64 / PIECES as f64, &v);
            self.segment(&at(k), &at(k + 1), &colour, 2.2, 0.02 * self.scene.size);
        }
        let (a, b) = (self.lens.see(&from), self.lens.see(&to));
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let size = dx.hypot(dy);
        if size > 1.0 {
            let (ux, uy) = (dx / size, dy / size);
            let head = 9.0_f64.min(size);
            let corner =
                |side: f64| (b.x - head * ux + side * 0.4 * head * uy, b.y - head * uy - side * 0.4 * head * ux);
            let ((p, q), (r, s)) = (corner(1.0), corner(-1.0));
            let (tip, tail) = ((b.x + 2.0 * ux, b.y + 2.0 * uy), [p, q, r, s].map(short));
            let paint = format!(
                "<path d=\"M{} {}L{} {}L{} {}Z\" fill=\"{colour}\"/>\n",
                short(tip.0),
                short(tip.1),
                tail[0],
                tail[1],
                tail[2],
                tail[3]
            );
            self.pieces.push(Piece { depth: b.depth - 0.03 * self.scene.size, paint });
        }
    }
}

/// How long arrows are: those of forces and velocities usually as long as bodies are large, and at most three times as long.
fn arrow_scale(scene: &Scene, film: &Film, arrow: &Arrow, frame: &[f64]) -> f64 {
    if arrow.kind == ArrowKind::Axis {
        return 1.0;
    }
    let mut all: Vec<f64> = film.frames.iter().map(|f| norm(&vector(f, &arrow.vector))).collect();
    all.sort_by(f64::total_cmp);
    let usual = all.get(all.len() / 2).copied().unwrap_or(1.0);
    scene.size / usual.max(norm(&vector(frame, &arrow.vector)) / 3.0).max(f64::MIN_POSITIVE)
}

/// The corners of a face, and how many triangles it has: two that share a side and a shade are one.
fn face_at(mesh: &crate::mesh::Mesh, k: usize) -> (Vec<u32>, usize) {
    let first = mesh.triangles[k];
    if let Some(second) = mesh.triangles.get(k + 1).filter(|_| mesh.dark[k] == mesh.dark[k + 1]) {
        if first[0] == second[0] && first[2] == second[1] {
            return (vec![first[0], first[1], first[2], second[2]], 2);
        }
        if first[0] == second[0] && first[1] == second[2] {
            return (vec![first[0], second[1], second[2], first[2]], 2);
        }
    }
    (first.to_vec(), 1)
}

/// Whether a mesh has an edge, so that both its sides are seen: an open grid whose ends are no poles.
pub(crate) fn is_open(mesh: &crate::mesh::Mesh) -> bool {
    let Some(grid) = &mesh.grid else { return false };
    let cells = grid.u.cells() * grid.v.cells();
    let rows = |open: bool, across: usize| if open { 2 * across } else { 0 };
    // a row that shrinks to a point has lost a triangle of every cell
    let lost = 2 * cells - mesh.triangles.len();
    rows(!grid.u.closed, grid.v.cells()) + rows(!grid.v.closed, grid.u.cells()) > lost
}

/// The convex hull of points of the page.
fn hull(mut points: Vec<Seen>) -> Vec<Seen> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let turn = |a: &Seen, b: &Seen, c: &Seen| (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    let half = |points: &mut dyn Iterator<Item = Seen>| {
        let mut out: Vec<Seen> = Vec::new();
        for p in points {
            while out.len() > 1 && turn(&out[out.len() - 2], &out[out.len() - 1], &p) <= 0.0 {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

/// 1, 2 or 5 times a power of ten, not less than a length.
fn round_length(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|x| *x >= length).unwrap_or(length)
}

fn path_of(points: &[Seen]) -> String {
    let mut out = String::new();
    for (k, p) in points.iter().enumerate() {
        let _ = write!(out, "{}{} {}", if k == 0 { 'M' } else { 'L' }, short(p.x), short(p.y));
    }
    out
}

/// A number with one decimal, which is a twentieth of a pixel off at most.
fn short(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A colour with so much white in it.
pub(crate) fn mix(colour: [u8; 3], white: f64) -> [u8; 3] {
    colour.map(|c| (f64::from(c) + (255.0 - f64::from(c)) * white).round().clamp(0.0, 255.0) as u8)
}

fn lit(colour: [u8; 3], [bright, mirrored]: [f64; 2]) -> [u8; 3] {
    colour.map(|c| (f64::from(c) * bright + 255.0 * mirrored).round().clamp(0.0, 255.0) as u8)
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
