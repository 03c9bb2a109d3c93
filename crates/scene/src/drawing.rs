//! A scene as shapes of a figure: for panels beside others, on paper, with curves of contact, and for figures that move.
//!
//! What is in a picture is said by [`crate::stage`], how it is painted by [`crate::paint`]. Curves of contact are black, dashed where bodies hide them.
//!
//! In a figure that moves, bodies are their outlines and those parts of a few lines that are seen, since facets would have to change their order: a line
//! has as many points at all times, and those that are hidden lie where it disappears.

use crate::camera::{Camera, Lens};
use crate::film::{Film, is_finite, vector};
use crate::mesh::{Mesh, unit};
use crate::paint::{BLACK, Line, Painter, WHITE, area, hull, mix, place, stroke, wires};
use crate::parts::{Arrows, Part, Stick, parts};
use crate::pose::Placed;
use crate::scene::{COLOURS, ContactMark, Object, PALETTE, Role, Scene};
use crate::stage::{Reach, Stage, apart, is_flat, moves, since};
use polhode_geometry::dense::{V, add_scaled, cross, dot, norm};
use polhode_model::Look;
use polhode_plot::svg::Shape;

/// How much white there is in bodies where they were.
const PALE: [f64; 2] = [0.6, 0.35];

/// Points of the outline of a body that moves, and of the pieces of its lines.
const OUTLINE: usize = 40;
const PIECE: usize = 5;

/// Widths of curves in figures that move, and of curves of contact.
const THIN: f64 = 0.6;
const THICK: f64 = 1.3;

/// A scene with a camera, of which the size of the page does not matter.
#[derive(Clone, Copy)]
pub struct Drawing<'a> {
    /// What is seen.
    pub scene: &'a Scene,
    /// When.
    pub film: &'a Film,
    /// From where.
    pub camera: Camera,
    /// Whether forces and other vectors are drawn.
    pub arrows: bool,
}

impl Drawing<'_> {
    /// The scene in each of some frames, all on one scale: on one ground where bodies stay near, and otherwise each around them.
    pub fn stills(&self, frames: &[usize]) -> Vec<Vec<Shape>> {
        let arrows = self.vectors();
        let stages = Stage::along(self.scene, self.film, &self.camera, frames, &arrows);
        let still = |(frame, stage): (&usize, &Stage)| self.still(stage, &[*frame], 1.0, &arrows).shapes();
        frames.iter().zip(&stages).map(still).collect()
    }

    /// The frame from which on curves are drawn in the picture of another one.
    pub fn since(&self, frame: usize) -> usize {
        since(self.scene, self.film, &[frame.min(self.film.len().saturating_sub(1))])
    }

    /// Several frames in one picture, the last one in full colours; those in which bodies would run into each other are left out.
    pub fn strobe(&self, frames: &[usize]) -> Vec<Shape> {
        let arrows = self.vectors();
        let frames = apart(self.scene, self.film, frames);
        let stage = self.stage(&frames, Reach::Around, &arrows);
        self.still(&stage, &frames, 1.0, &arrows).shapes()
    }

    /// A body in its own axes with the curve of one of its contacts.
    pub fn on_body(&self, contact: usize) -> Vec<Shape> {
        let mark = &self.scene.contacts[contact];
        self.alone(mark.object, mark, &mark.on_body)
    }

    /// What a contact rolls on with its curve: the ground with the bodies where they are at the end, or the other body in its own axes.
    pub fn on_other(&self, contact: usize) -> Vec<Shape> {
        let mark = &self.scene.contacts[contact];
        if self.scene.objects[mark.other].role == Role::Body {
            return self.alone(mark.other, mark, &mark.on_other);
        }
        let (last, arrows) = (self.film.len().saturating_sub(1), Arrows::of(self.scene, self.film, false));
        let stage = self.stage(&[last], Reach::Whole, &arrows);
        let mut painter = self.still(&stage, &[last], THICK, &arrows);
        if let Some(first) = self.film.frames.iter().map(|f| self.touched(mark, f)).find(is_finite) {
            painter.mark(first, WHITE);
        }
        painter.shapes()
    }

    /// The mean of the points of a contact on its body: the side from which its curve is seen.
    pub fn side_of_curve(&self, contact: usize) -> V {
        let mark = &self.scene.contacts[contact];
        let points: Vec<V> = self.path(mark, &mark.on_body).into_iter().filter(is_finite).collect();
        let sum = points.iter().fold([0.0; 3], |s, p| add_scaled(&s, 1.0, p));
        sum.map(|x| x / points.len().max(1) as f64)
    }

    /// Everything in some frames: what stands still once, the rest as outlines and lines that move.
    pub fn moving(&self, frames: &[usize]) -> Vec<Shape> {
        let arrows = self.vectors();
        let stage = self.stage(frames, Reach::Whole, &arrows);
        let mut painter = self.ground(&stage);
        let last = frames.last().copied().unwrap_or_default();
        self.curves(&mut painter, 0..last + 1, THIN);
        if let Some(numbers) = self.film.frames.get(last) {
            let rests = |p: &Part<'_>| p.object.is_some_and(|k| !moves(self.film, &self.scene.objects[k]));
            parts(self.scene, numbers, &arrows).iter().filter(|p| rests(p)).for_each(|p| painter.part(p, 0.0));
        }
        let mut shapes = painter.shapes();
        let lens = &stage.lens;
        let mut bodies: Vec<(f64, Vec<Shape>)> = Vec::new();
        let moving = |o: &&Object| !is_flat(self.scene, o) && moves(self.film, o);
        for object in self.scene.objects.iter().filter(moving) {
            let poses: Option<Vec<Placed>> = frames.iter().map(|k| Placed::of(object, &self.film.frames[*k])).collect();
            let Some(poses) = poses else { continue };
            let depth = poses.iter().map(|p| lens.see(&p.position).depth).sum::<f64>() / poses.len().max(1) as f64;
            bodies.push((depth, body(lens, object, &self.scene.meshes[object.mesh], &poses)));
        }
        bodies.sort_by(|a, b| b.0.total_cmp(&a.0));
        shapes.extend(bodies.into_iter().flat_map(|b| b.1));
        for rod in &self.scene.rods {
            let end = |frame: usize, places: &[usize; 3]| {
                Some(vector(&self.film.frames[frame], places)).filter(is_finite).map(|p| place(lens, &p))
            };
            let at = |frame: &usize| Some(vec![end(*frame, &rod.from)?, end(*frame, &rod.to)?]);
            let line = |points| stroke(points, PALETTE[rod.colour % COLOURS], 2.0);
            shapes.extend(moved(frames.iter().map(at).collect(), line));
        }
        for arrow in &arrows.list {
            let mut before = None;
            let at = |frame: &usize| {
                let sticks = arrow.sticks(self.scene, &self.film.frames[*frame]);
                before = sticks.map(|s| arrow_line(lens, &s)).or_else(|| before.clone());
                before.clone()
            };
            let line = |points| stroke(points, PALETTE[arrow.colour % COLOURS], 1.0);
            shapes.extend(moved(frames.iter().map(at).collect(), line));
        }
        shapes
    }

    fn vectors(&self) -> Arrows {
        Arrows::of(self.scene, self.film, self.arrows)
    }

    fn stage(&self, frames: &[usize], reach: Reach, arrows: &Arrows) -> Stage {
        Stage::new(self.scene, self.film, &self.camera, frames, reach, arrows)
    }

    /// A painter with the flat ground.
    fn ground<'s>(&self, stage: &'s Stage) -> Painter<'s> {
        let mut painter = Painter::new(&stage.lens, self.scene.size);
        let bodies = self.scene.objects.iter().filter(|o| o.role == Role::Body);
        let poses = self.film.frames.last().into_iter().flat_map(|f| bodies.clone().filter_map(|o| Placed::of(o, f)));
        let about = poses.map(|p| p.position).next();
        for tile in &stage.tiles {
            painter.tile(tile, &about.unwrap_or(add_scaled(&tile.corners[0], 1.0, &tile.normal)));
        }
        painter
    }

    /// Ground, curves up to the last frame, and bodies in all frames.
    fn still<'s>(&self, stage: &'s Stage, frames: &[usize], width: f64, arrows: &Arrows) -> Painter<'s> {
        let mut painter = self.ground(stage);
        let (count, last) = (frames.len(), frames.last().copied().unwrap_or_default());
        for (k, numbers) in frames.iter().filter_map(|k| self.film.frames.get(*k)).enumerate() {
            let whole = k + 1 == count;
            let pale = if whole { 0.0 } else { PALE[0] - PALE[1] * k as f64 / count as f64 };
            for part in parts(self.scene, numbers, arrows) {
                let object = part.object.map(|k| &self.scene.objects[k]);
                if part.object.is_some_and(|k| stage.left_out.contains(&k)) {
                    continue;
                }
                // what is at rest is the same in all frames, and arrows belong to the last one
                if !whole && object.is_none_or(|o| !moves(self.film, o)) {
                    continue;
                }
                let casts = object.is_some_and(|o| o.role == Role::Body && moves(self.film, o));
                if let (true, Some(tile)) = (casts, stage.tiles.first()) {
                    painter.shadow(&part, tile, &self.scene.up);
                }
                painter.part(&part, pale);
            }
        }
        self.curves(&mut painter, stage.first..last + 1, width);
        painter
    }

    /// Traces, and curves of contact on what does not move, in a range of frames.
    fn curves(&self, painter: &mut Painter<'_>, range: std::ops::Range<usize>, width: f64) {
        let range = range.start..range.end.min(self.film.len());
        let frames = &self.film.frames[range];
        for trace in &self.scene.traces {
            let points = frames.iter().map(|f| vector(f, &trace.point)).collect();
            painter.line(Line { points, colour: PALETTE[trace.colour % COLOURS], width, dashed: true, fades: true });
        }
        for contact in self.scene.contacts.iter().filter(|c| self.scene.objects[c.other].role != Role::Body) {
            let points = frames.iter().map(|f| self.touched(contact, f)).collect();
            painter.line(Line { points, colour: BLACK, width, dashed: true, fades: true });
        }
    }

    /// An object in its own axes with a curve on it.
    fn alone(&self, object: usize, contact: &ContactMark, curve: &[usize; 3]) -> Vec<Shape> {
        let part = Part::of(self.scene, object, &self.scene.objects[object], Placed::AT_REST);
        let corners: Vec<V> = part.mesh.triangles.iter().flatten().map(|k| part.mesh.point(*k)).collect();
        let lens = Lens::new(&self.camera, &[0.0, 0.0, 1.0], &corners, 0.0);
        let [low, high] = part.mesh.bounds();
        let mut painter = Painter::new(&lens, norm(&add_scaled(&high, -1.0, &low)) / 2.0);
        painter.part(&part, 0.0);
        let points = self.path(contact, curve);
        let there = || points.iter().copied().filter(is_finite);
        let ends = [there().next(), there().next_back()];
        painter.line(Line { points, colour: BLACK, width: THICK, dashed: true, fades: false });
        for (at, fill) in ends.into_iter().zip([WHITE, BLACK]) {
            at.into_iter().for_each(|at| painter.mark(at, fill));
        }
        painter.shapes()
    }

    /// A point of a contact along the motion, nowhere while nothing touches.
    fn path(&self, contact: &ContactMark, places: &[usize; 3]) -> Vec<V> {
        let at = |frame: &Vec<f64>| if is_closed(contact, frame) { vector(frame, places) } else { NOWHERE };
        self.film.frames.iter().map(at).collect()
    }

    /// The point of the other side of a contact in space, nowhere while nothing touches.
    fn touched(&self, contact: &ContactMark, frame: &[f64]) -> V {
        let placed = Placed::of(&self.scene.objects[contact.other], frame).filter(|_| is_closed(contact, frame));
        placed.map_or(NOWHERE, |p| p.point(&vector(frame, &contact.on_other)))
    }
}

/// Where lines have a gap.
const NOWHERE: V = [f64::NAN; 3];

/// Whether the sides of a contact press on each other.
fn is_closed(contact: &ContactMark, frame: &[f64]) -> bool {
    frame[contact.normal_force] != 0.0
}

/// A shape that moves, if it is somewhere at all times.
fn moved(frames: Option<Vec<Vec<(f64, f64)>>>, shape: impl Fn(Vec<(f64, f64)>) -> Shape) -> Option<Shape> {
    let frames = frames?;
    let first = frames.first()?.clone();
    Some(Shape { frames, ..shape(first) })
}

/// An arrow as one line: to the neck, round the head, and back.
fn arrow_line(lens: &Lens, [shaft, head]: &[Stick; 2]) -> Vec<(f64, f64)> {
    let [a, b, c] = [&shaft.from, &head.from, &head.to].map(|p| place(lens, p));
    let (dx, dy) = (c.0 - b.0, c.1 - b.1);
    let wide = head.radius / norm(&add_scaled(&head.to, -1.0, &head.from)).max(f64::MIN_POSITIVE);
    let side = |s: f64| (b.0 - s * wide * dy, b.1 + s * wide * dx);
    vec![a, b, side(1.0), c, side(-1.0), b]
}

/// A body along poses: its outline, if it is convex, and what is seen of some of its lines.
fn body(lens: &Lens, object: &Object, mesh: &Mesh, poses: &[Placed]) -> Vec<Shape> {
    let colour = PALETTE[object.colour % COLOURS];
    let convex = is_convex(mesh);
    let mut shapes = Vec::new();
    if convex {
        let outline = |placed: &Placed| {
            let points = mesh.positions.iter().map(|p| place(lens, &placed.point(&p.map(f64::from)))).collect();
            around(&hull(points))
        };
        let glass = (object.look == Look::Glass).then_some(0.4);
        let fill = |points| Shape { glass, ..area(points, mix(colour, 0.7), Some((colour, 0.9))) };
        shapes.extend(moved(poses.iter().map(outline).collect(), fill));
    }
    let lines = wires(mesh);
    for line in lines.iter().flat_map(|line| pieces(line)) {
        let at = |placed: &Placed| {
            let points: Vec<V> = line.iter().map(|k| placed.point(&mesh.point(*k))).collect();
            let facing = |(p, k): (&V, &u32)| match unit(&placed.normal(&mesh.normal(*k))) {
                Some(n) if convex => dot(&n, &lens.towards(p)),
                _ => 1.0,
            };
            let facing: Vec<f64> = points.iter().zip(&line).map(facing).collect();
            Some(until_hidden(&points, &facing).iter().map(|p| place(lens, p)).collect())
        };
        let (ink, width) = if object.look == Look::Glass { (mix(colour, 0.4), 0.4) } else { (colour, 0.7) };
        shapes.extend(moved(poses.iter().map(at).collect(), |points| stroke(points, ink, width)));
    }
    shapes
}

/// A line in pieces of a few points, each with the first of the next.
fn pieces(line: &[u32]) -> Vec<Vec<u32>> {
    let starts = (0..line.len().saturating_sub(1)).step_by(PIECE - 1);
    starts.map(|k| line[k..(k + PIECE).min(line.len())].to_vec()).collect()
}

/// As many points of which those that face away lie where the line turns away.
fn until_hidden(points: &[V], facing: &[f64]) -> Vec<V> {
    let best = (0..points.len()).fold(0, |best, k| if facing[k] > facing[best] { k } else { best });
    let mut out = points.to_vec();
    let mut follow = |order: &mut dyn Iterator<Item = usize>| {
        let (mut last, mut end) = (best, None);
        for k in order {
            if end.is_none() && facing[k] <= 0.0 {
                let part = (facing[last] / (facing[last] - facing[k])).clamp(0.0, 1.0);
                let part = if part.is_finite() { part } else { 0.0 };
                end = Some(add_scaled(&points[last], part, &add_scaled(&points[k], -1.0, &points[last])));
            }
            out[k] = end.unwrap_or(points[k]);
            last = k;
        }
    };
    if facing[best] <= 0.0 {
        return vec![points[best]; points.len()];
    }
    follow(&mut (best + 1..points.len()));
    follow(&mut (0..best).rev());
    out
}

/// Points of a convex outline at equal distances along it, from the one on the right of its middle on, so that outlines can be turned into each other; `None` for none.
fn around(hull: &[(f64, f64)]) -> Option<Vec<(f64, f64)>> {
    let height = hull.iter().map(|p| p.1).sum::<f64>() / hull.len() as f64;
    let next = |k: usize| hull[(k + 1) % hull.len()];
    // hulls go counterclockwise: upwards on the right
    let first = (0..hull.len()).find(|k| hull[*k].1 <= height && next(*k).1 > height)?;
    let between = |p: (f64, f64), q: (f64, f64), part: f64| (p.0 + part * (q.0 - p.0), p.1 + part * (q.1 - p.1));
    let start = between(hull[first], next(first), (height - hull[first].1) / (next(first).1 - hull[first].1));
    let mut line = vec![start];
    line.extend((1..=hull.len()).map(|k| hull[(first + k) % hull.len()]));
    line.push(start);
    let lengths: Vec<f64> = line.windows(2).map(|w| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1)).collect();
    let whole: f64 = lengths.iter().sum();
    let (mut side, mut gone) = (0, 0.0);
    let at = |k: usize| {
        let wanted = whole * k as f64 / OUTLINE as f64;
        while side + 1 < lengths.len() && gone + lengths[side] < wanted {
            gone += lengths[side];
            side += 1;
        }
        between(line[side], line[side + 1], ((wanted - gone) / lengths[side].max(f64::MIN_POSITIVE)).clamp(0.0, 1.0))
    };
    Some((0..OUTLINE).map(at).collect())
}

/// Whether all vertices are behind the planes of the triangles; some of both are looked at.
fn is_convex(mesh: &Mesh) -> bool {
    let [low, high] = mesh.bounds();
    let slack = 1e-3 * norm(&add_scaled(&high, -1.0, &low));
    let (triangles, vertices) = (mesh.triangles.len().div_ceil(200).max(1), mesh.triangles.len().div_ceil(300).max(1));
    mesh.triangles.iter().step_by(triangles).all(|t| {
        let [a, b, c] = t.map(|k| mesh.point(k));
        let Some(n) = unit(&cross(&add_scaled(&b, -1.0, &a), &add_scaled(&c, -1.0, &a))) else { return true };
        mesh.triangles.iter().step_by(vertices).all(|v| dot(&n, &add_scaled(&mesh.point(v[0]), -1.0, &a)) < slack)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_they_turn_away() {
        let points: Vec<V> = (0..5).map(|k| [f64::from(k), 0.0, 0.0]).collect();
        let seen = until_hidden(&points, &[-1.0, -0.5, 0.5, 1.0, -1.0]);
        let x: Vec<f64> = seen.iter().map(|p| p[0]).collect();
        assert_eq!(x, [1.5, 1.5, 2.0, 3.0, 3.5]);
        assert_eq!(until_hidden(&points, &[-3.0, -2.0, -1.0, -2.0, -3.0]), vec![points[2]; 5]);
    }

    #[test]
    fn outlines_have_as_many_points() {
        let square = [(1.0, 1.0), (3.0, 1.0), (3.0, 3.0), (1.0, 3.0)];
        let points = around(&square).expect("an outline");
        assert_eq!(points.len(), OUTLINE);
        assert!(points.iter().all(|p| ((p.0 - 2.0).abs().max((p.1 - 2.0).abs()) - 1.0).abs() < 1e-9), "{points:?}");
    }
}
