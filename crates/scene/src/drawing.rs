//! A scene as shapes of a figure: for panels beside others, on paper, with curves of contact, and for figures that move.
//!
//! Camera, poses and ground are those of [`picture()`](crate::picture()). Faces are painted from far to near, those of fine grids in larger cells, so that the file stays small; what faces away on a closed mesh is left
//! out. Curves on a body are thin and pale on its far side, and all curves are the paler the farther away they are.
//!
//! In a figure that moves bodies are drawn by their lines, since faces would have to change their order.

use crate::camera::{Camera, Lens};
use crate::film::{Film, is_finite, vector};
use crate::mesh::{Mesh, unit};
use crate::picture::{Tile, interest, is_flat, is_open, mix, tile};
use crate::pose::Placed;
use crate::scene::{COLOURS, Object, PALETTE, Role, Scene};
use polhode_geometry::dense::{V, add_scaled, cross, dot, norm};
use polhode_model::Look;
use polhode_plot::colour::Rgb;
use polhode_plot::svg::{FACE_EDGE, Shape};

/// Most faces along each parameter of a grid.
const FACES: usize = 40;

/// Lines across a parameter of a grid that is open, twice as many where it closes, and points on each, in figures that move.
const LINES: usize = 4;
const LINE_POINTS: usize = 14;

/// Pieces of a curve, each with its own colour.
const PIECES: usize = 120;

/// How much nearer lines and curves are than the faces that they lie on, in sizes of the bodies.
const LINES_NEARER: f64 = 0.1;
const CURVES_NEARER: f64 = 0.02;

/// How pale bodies are, and the most that distance takes from the colour of a curve.
const PALE: f64 = 0.38;
const FAR: f64 = 0.5;

const WHITE: Rgb = [255; 3];
const BLACK: Rgb = [0; 3];
const GREY: Rgb = [0x90; 3];
const FLOOR: Rgb = [0xf4, 0xf2, 0xec];
const FLOOR_LINES: Rgb = [0xd8, 0xd4, 0xca];

/// A scene with a camera, of which the size of the page does not matter.
#[derive(Clone, Copy)]
pub struct Drawing<'a> {
    /// What is seen.
    pub scene: &'a Scene,
    /// When.
    pub film: &'a Film,
    /// From where.
    pub camera: Camera,
}

/// A face or a line that waits to be painted.
struct Stroke {
    depth: f64,
    shape: Shape,
}

/// What bodies are put on: flat ground, and other ground that waits to be painted with them.
struct Stage {
    lens: Lens,
    shapes: Vec<Shape>,
    strokes: Vec<Stroke>,
}

/// From far to near.
fn painted(mut strokes: Vec<Stroke>) -> impl Iterator<Item = Shape> {
    strokes.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    strokes.into_iter().map(|s| s.shape)
}

fn line(points: Vec<(f64, f64)>, colour: Rgb, width: f64) -> Shape {
    Shape { points, line: Some((colour, width)), ..Shape::default() }
}

/// Where a point is in the figure, whose second axis goes up.
fn place(lens: &Lens, p: &V) -> (f64, f64) {
    let seen = lens.see(p);
    (seen.x, -seen.y)
}

impl Drawing<'_> {
    /// The whole scene in a frame: ground, curves, bodies, rods.
    pub fn whole(&self, frame: usize) -> Vec<Shape> {
        let Stage { lens, mut shapes, mut strokes } = self.stage(&[frame], frame);
        strokes.extend(self.traces(&lens, frame, 1.0));
        strokes.extend(self.bodies(&lens, frame));
        shapes.extend(painted(strokes));
        shapes
    }

    /// A body in its own axes with the curve of one of its contacts.
    pub fn on_body(&self, contact: usize) -> Vec<Shape> {
        let mark = &self.scene.contacts[contact];
        let object = &self.scene.objects[mark.object];
        let mesh = &self.scene.meshes[object.mesh];
        let corners: Vec<V> = mesh.triangles.iter().flatten().map(|k| mesh.point(*k)).collect();
        let lens = Lens::new(&self.camera, &[0.0, 0.0, 1.0], &corners, 0.0);
        let mut shapes: Vec<Shape> = painted(self.faces(&lens, object, &Placed::AT_REST)).collect();
        let points = self.path(&mark.on_body);
        let seen: Vec<bool> =
            points.iter().map(|p| dot(&nearest_normal(mesh, p), &lens.towards(p)) > 0.0 || is_open(mesh)).collect();
        for near in [false, true] {
            let (colour, width) = if near { (BLACK, 1.3) } else { (GREY, 0.5) };
            for run in runs(&points, &seen, near) {
                shapes.extend(painted(curve(&lens, &run, colour, width, 0.0)));
            }
        }
        shapes.extend(ends(&lens, &points, &seen));
        shapes
    }

    /// What a contact rolls on with its curve: the ground with the bodies where they are at the end, or the other body in its own axes.
    pub fn on_other(&self, contact: usize) -> Vec<Shape> {
        let mark = &self.scene.contacts[contact];
        let other = &self.scene.objects[mark.other];
        let points = self.path(&mark.on_other);
        if other.role == Role::Body {
            let mesh = &self.scene.meshes[other.mesh];
            let corners: Vec<V> = mesh.triangles.iter().flatten().map(|k| mesh.point(*k)).collect();
            let lens = Lens::new(&self.camera, &[0.0, 0.0, 1.0], &corners, 0.0);
            let mut shapes: Vec<Shape> = painted(self.faces(&lens, other, &Placed::AT_REST)).collect();
            shapes.extend(painted(curve(&lens, &points, BLACK, 1.3, 0.0)));
            return shapes;
        }
        let last = self.film.len().saturating_sub(1);
        let Stage { lens, mut shapes, mut strokes } = self.stage(&[last], last);
        strokes.extend(self.traces(&lens, last, 1.3));
        strokes.extend(self.bodies(&lens, last));
        let points = self.in_world(mark.other, &mark.on_other);
        if let (Some(first), Some(shape)) = (points.first(), ends(&lens, &points, &[]).into_iter().next()) {
            let depth = lens.see(first).depth - 2.0 * CURVES_NEARER * self.scene.size;
            strokes.push(Stroke { depth, shape });
        }
        shapes.extend(painted(strokes));
        shapes
    }

    /// The mean of the points of a contact on its body: the side from which its curve is seen.
    pub fn side_of_curve(&self, contact: usize) -> V {
        let points = self.path(&self.scene.contacts[contact].on_body);
        let sum = points.iter().fold([0.0; 3], |s, p| add_scaled(&s, 1.0, p));
        sum.map(|x| x / points.len().max(1) as f64)
    }

    /// Everything in some frames: what stands still once, bodies as lines that move.
    pub fn moving(&self, frames: &[usize]) -> Vec<Shape> {
        let last = frames.last().copied().unwrap_or_default();
        let Stage { lens, mut shapes, mut strokes } = self.stage(frames, last);
        strokes.extend(self.traces(&lens, last, 0.6));
        shapes.extend(painted(strokes));
        for object in self.scene.objects.iter().filter(|o| matches!(o.role, Role::Body | Role::Mark)) {
            let colour = mix(PALETTE[object.colour % COLOURS], 0.0);
            for points in lines(&self.scene.meshes[object.mesh]) {
                let at = |frame: &usize| {
                    let placed = Placed::of(object, &self.film.frames[*frame])?;
                    Some(points.iter().map(|p| place(&lens, &placed.point(p))).collect())
                };
                shapes.extend(moved(frames.iter().map(at).collect(), colour, 0.8));
            }
        }
        for rod in &self.scene.rods {
            let end = |frame: usize, places: &[usize; 3]| {
                Some(vector(&self.film.frames[frame], places)).filter(is_finite).map(|p| place(&lens, &p))
            };
            let at = |frame: &usize| Some(vec![end(*frame, &rod.from)?, end(*frame, &rod.to)?]);
            shapes.extend(moved(frames.iter().map(at).collect(), PALETTE[rod.colour % COLOURS], 2.0));
        }
        shapes
    }

    /// A lens that sees what there is in some frames, and the ground.
    fn stage(&self, frames: &[usize], last: usize) -> Stage {
        let (scene, film) = (self.scene, self.film);
        let mut all = interest(scene, film, frames, 0..(last + 1).min(film.len()));
        let flat = scene.objects.iter().filter(|o| is_flat(scene, o));
        let tiles: Vec<Tile> = flat.filter_map(|o| tile(scene, o, film, last, &all)).collect();
        all.extend(tiles.iter().flat_map(|t| t.corners));
        let lens = Lens::new(&self.camera, &scene.up, &all, 0.0);
        let shapes: Vec<Shape> = tiles.iter().flat_map(|tile| floor(&lens, tile)).collect();
        let round = scene.objects.iter().filter(|o| o.role == Role::Ground && !is_flat(scene, o));
        let placed = round.filter_map(|o| Some((o, Placed::of(o, film.frames.get(last)?)?)));
        let strokes = placed.flat_map(|(o, placed)| self.faces(&lens, o, &placed)).collect();
        Stage { lens, shapes, strokes }
    }

    /// Traces and curves of contact on what does not move, up to a frame.
    fn traces(&self, lens: &Lens, last: usize, width: f64) -> Vec<Stroke> {
        let nearer = CURVES_NEARER * self.scene.size;
        let until = |points: Vec<V>| points.into_iter().take(last + 1).collect::<Vec<V>>();
        let traces = self.scene.traces.iter().map(|t| (self.path(&t.point), PALETTE[t.colour % COLOURS]));
        let ground = self.scene.contacts.iter().filter(|c| self.scene.objects[c.other].role != Role::Body);
        let contacts = ground.map(|c| (self.in_world(c.other, &c.on_other), BLACK));
        traces.chain(contacts).flat_map(|(points, colour)| curve(lens, &until(points), colour, width, nearer)).collect()
    }

    /// Bodies, marks and rods in a frame.
    fn bodies(&self, lens: &Lens, frame: usize) -> Vec<Stroke> {
        let Some(numbers) = self.film.frames.get(frame) else { return Vec::new() };
        let mut strokes = Vec::new();
        for object in self.scene.objects.iter().filter(|o| matches!(o.role, Role::Body | Role::Mark)) {
            if let Some(placed) = Placed::of(object, numbers) {
                strokes.extend(self.faces(lens, object, &placed));
            }
        }
        for rod in &self.scene.rods {
            let (a, b) = (vector(numbers, &rod.from), vector(numbers, &rod.to));
            if is_finite(&a) && is_finite(&b) {
                let depth = (lens.see(&a).depth + lens.see(&b).depth) / 2.0;
                let shape = line(vec![place(lens, &a), place(lens, &b)], PALETTE[rod.colour % COLOURS], 2.0);
                strokes.push(Stroke { depth, shape });
            }
        }
        strokes
    }

    /// A point along the motion.
    fn path(&self, places: &[usize; 3]) -> Vec<V> {
        self.film.frames.iter().map(|frame| vector(frame, places)).filter(is_finite).collect()
    }

    /// The same in space, of a point that is given in the axes of an object.
    fn in_world(&self, object: usize, places: &[usize; 3]) -> Vec<V> {
        let object = &self.scene.objects[object];
        let at = |frame: &Vec<f64>| Some(Placed::of(object, frame)?.point(&vector(frame, places)));
        self.film.frames.iter().filter_map(at).filter(is_finite).collect()
    }

    /// The faces of an object, shaded, and its lines.
    fn faces(&self, lens: &Lens, object: &Object, placed: &Placed) -> Vec<Stroke> {
        let mesh = &self.scene.meshes[object.mesh];
        let positions: Vec<V> = (0..mesh.positions.len()).map(|k| placed.point(&mesh.point(k as u32))).collect();
        let lamp = unit(&lens.direction([-0.45, 0.75, 0.6])).unwrap_or(self.scene.up);
        let ground = object.role == Role::Ground;
        let one_sided = !is_open(mesh) || ground;
        let base = mix(PALETTE[object.colour % COLOURS], if ground { 0.5 } else { PALE });
        let mut strokes = Vec::new();
        for (corners, dark) in polygons(mesh) {
            let points: Vec<V> = corners.iter().map(|k| positions[*k as usize]).collect();
            let middle: V = std::array::from_fn(|i| points.iter().map(|p| p[i]).sum::<f64>() / points.len() as f64);
            let Some(normal) = unit(&area(&points)).filter(|_| is_finite(&middle)) else { continue };
            let facing = dot(&normal, &lens.towards(&middle));
            if one_sided && facing <= 0.0 {
                continue;
            }
            let normal = normal.map(|x| x * facing.signum());
            let base = if object.look == Look::Checker && !dark { mix(base, 0.5) } else { base };
            let bright = 0.7 + 0.34 * dot(&normal, &lamp).max(0.0);
            let fill = base.map(|c| (f64::from(c) * bright).round().clamp(0.0, 255.0) as u8);
            let outline = points.iter().map(|p| place(lens, p)).collect();
            let shape = Shape { points: outline, fill: Some(fill), line: Some((fill, FACE_EDGE)), frames: Vec::new() };
            strokes.push(Stroke { depth: lens.see(&middle).depth, shape });
        }
        let nearer = LINES_NEARER * self.scene.size;
        for [a, b] in &mesh.lines {
            let (p, q) = (&positions[*a as usize], &positions[*b as usize]);
            let normal = placed.normal(&add_scaled(&mesh.normal(*a), 1.0, &mesh.normal(*b)));
            if dot(&normal, &lens.towards(p)) < 0.0 {
                continue;
            }
            let depth = (lens.see(p).depth + lens.see(q).depth) / 2.0 - nearer;
            strokes.push(Stroke { depth, shape: line(vec![place(lens, p), place(lens, q)], [0x40; 3], 0.4) });
        }
        strokes
    }
}

/// A tile of flat ground with a grid of round lengths.
fn floor(lens: &Lens, Tile { corners: tile, step }: &Tile) -> Vec<Shape> {
    let outline = tile.iter().map(|p| place(lens, p)).collect();
    let mut shapes =
        vec![Shape { points: outline, fill: Some(FLOOR), line: Some((FLOOR_LINES, 0.5)), frames: Vec::new() }];
    let (a, b) = (add_scaled(&tile[1], -1.0, &tile[0]), add_scaled(&tile[3], -1.0, &tile[0]));
    for (along, across) in [(a, b), (b, a)] {
        let length = norm(&along);
        for k in 1..(length / step).ceil() as u32 {
            let foot = add_scaled(&tile[0], f64::from(k) * step / length, &along);
            let other = add_scaled(&foot, 1.0, &across);
            shapes.push(line(vec![place(lens, &foot), place(lens, &other)], FLOOR_LINES, 0.35));
        }
    }
    shapes
}

/// A curve in pieces, the farther away the paler.
fn curve(lens: &Lens, points: &[V], colour: Rgb, width: f64, nearer: f64) -> Vec<Stroke> {
    let depths: Vec<f64> = points.iter().map(|p| lens.see(p).depth).collect();
    let (low, high) = depths.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), d| (a.min(*d), b.max(*d)));
    let every = points.len().div_ceil(PIECES).max(1);
    let starts = (0..points.len().saturating_sub(1)).step_by(every);
    let piece = |start: usize| {
        let far = if high > low { (depths[start] - low) / (high - low) } else { 0.0 };
        let piece = &points[start..(start + every + 1).min(points.len())];
        let shape = line(piece.iter().map(|p| place(lens, p)).collect(), mix(colour, FAR * far), width);
        Stroke { depth: depths[start] - nearer, shape }
    };
    starts.map(piece).collect()
}

/// A ring at the start of a curve and a disk at its end; where `seen` says which points are seen, only then.
fn ends(lens: &Lens, points: &[V], seen: &[bool]) -> Vec<Shape> {
    let (width, _) = lens.page();
    let dot = |p: &V, fill: Rgb| {
        let (x, y) = place(lens, p);
        let corner = |k: i32| {
            let (s, c) = (f64::from(k) * std::f64::consts::TAU / 24.0).sin_cos();
            (x + 0.01 * width * c, y + 0.01 * width * s)
        };
        let points = (0..24).map(corner).collect();
        Shape { points, fill: Some(fill), line: Some((BLACK, 0.9)), frames: Vec::new() }
    };
    let is_seen = |k: usize| seen.get(k).copied().unwrap_or(true);
    let first = points.first().filter(|_| is_seen(0)).map(|p| dot(p, WHITE));
    let last = points.last().filter(|_| is_seen(points.len() - 1)).map(|p| dot(p, BLACK));
    first.into_iter().chain(last).collect()
}

/// A line that moves, if it is somewhere at all times.
fn moved(frames: Option<Vec<Vec<(f64, f64)>>>, colour: Rgb, width: f64) -> Option<Shape> {
    let frames = frames?;
    Some(Shape { frames: frames.clone(), ..line(frames.into_iter().next()?, colour, width) })
}

/// Stretches of points that are seen, or that are not, each with the point after it.
fn runs(points: &[V], seen: &[bool], wanted: bool) -> Vec<Vec<V>> {
    let mut out: Vec<Vec<V>> = Vec::new();
    let mut goes_on = false;
    for (p, seen) in points.iter().zip(seen) {
        match (out.last_mut().filter(|_| goes_on), *seen == wanted) {
            (Some(run), _) => run.push(*p),
            (None, true) => out.push(vec![*p]),
            (None, false) => {}
        }
        goes_on = *seen == wanted;
    }
    out
}

/// The normal at the vertex nearest to a point.
fn nearest_normal(mesh: &Mesh, p: &V) -> V {
    let distance = |k: &u32| {
        let d = add_scaled(&mesh.point(*k), -1.0, p);
        dot(&d, &d)
    };
    let nearest = (0..mesh.positions.len() as u32).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or([0.0, 0.0, 1.0], |k| mesh.normal(k))
}

/// ½ Σ pᵢ × pᵢ₊₁, with points counted from the first.
fn area(points: &[V]) -> V {
    let local: Vec<V> = points.iter().map(|p| add_scaled(p, -1.0, &points[0])).collect();
    let next = local.iter().skip(1).chain(local.first());
    local.iter().zip(next).fold([0.0; 3], |s, (p, q)| add_scaled(&s, 0.5, &cross(p, q)))
}

/// The faces of a mesh, and whether they have the darker shade: of a fine grid those of a coarser one, otherwise its triangles.
fn polygons(mesh: &Mesh) -> Vec<(Vec<u32>, bool)> {
    let triangles = || mesh.triangles.iter().zip(mesh.dark.iter().chain(std::iter::repeat(&false)));
    let Some(grid) = mesh.grid.as_ref().filter(|g| g.u.count * g.v.count == mesh.positions.len()) else {
        return triangles().map(|(t, dark)| (t.to_vec(), *dark)).collect();
    };
    let (nu, nv) = (grid.u.count, grid.v.count);
    // the shade of a cell is that of a triangle at one of its corners
    let mut shades = vec![false; nu * nv];
    for (t, dark) in triangles() {
        shades[t[0] as usize] |= *dark;
    }
    let vertex = |i: usize, j: usize| ((i % nu) * nv + j % nv) as u32;
    let cuts = |cells: usize| {
        let mut cuts: Vec<usize> = (0..cells).step_by(cells.div_ceil(FACES).max(1)).collect();
        cuts.push(cells);
        cuts
    };
    let (us, vs) = (cuts(grid.u.cells()), cuts(grid.v.cells()));
    let mut out = Vec::new();
    for i in us.windows(2) {
        for j in vs.windows(2) {
            let mut corners = vec![vertex(i[0], j[0]), vertex(i[1], j[0]), vertex(i[1], j[1]), vertex(i[0], j[1])];
            if grid.side < 0.0 {
                corners.reverse();
            }
            out.push((corners, shades[vertex((i[0] + i[1]) / 2, (j[0] + j[1]) / 2) as usize]));
        }
    }
    out
}

/// A few lines that show the shape of a mesh: of a grid its parameter lines, otherwise its own lines, or else some of its triangles.
fn lines(mesh: &Mesh) -> Vec<Vec<V>> {
    let Some(grid) = mesh.grid.as_ref().filter(|g| g.u.count * g.v.count == mesh.positions.len()) else {
        let every = mesh.triangles.len().div_ceil(60).max(1);
        let triangle = |t: &[u32; 3]| [t[0], t[1], t[2], t[0]].map(|k| mesh.point(k)).to_vec();
        return match mesh.lines.is_empty() {
            false => mesh.lines.iter().map(|l| l.iter().map(|k| mesh.point(*k)).collect()).collect(),
            true => mesh.triangles.iter().step_by(every).map(triangle).collect(),
        };
    };
    let (nu, nv) = (grid.u.count, grid.v.count);
    let [low, high] = mesh.bounds();
    let least = 1e-9 * norm(&add_scaled(&high, -1.0, &low));
    let at = |i: usize, j: usize| mesh.point(((i % nu) * nv + j % nv) as u32);
    let spread = |cells: usize, count: usize| (0..count).map(move |k| cells * k / (count - 1).max(1));
    let mut out = Vec::new();
    for (along_u, across, along) in [(true, &grid.v, &grid.u), (false, &grid.u, &grid.v)] {
        let fixed: Vec<usize> = match across.closed {
            true => (0..2 * LINES).map(|k| across.cells() * k / (2 * LINES)).collect(),
            false => spread(across.cells(), LINES + 2).collect(),
        };
        for f in fixed {
            let points = spread(along.cells(), LINE_POINTS + 1);
            let line: Vec<V> = points.map(|k| if along_u { at(k, f) } else { at(f, k) }).collect();
            // rows that shrink to a point are no lines
            let length: f64 = line.windows(2).map(|w| norm(&add_scaled(&w[1], -1.0, &w[0]))).sum();
            if length > least {
                out.push(line);
            }
        }
    }
    out
}
