//! The painter: everything in space is facets and lines, and a depth buffer says what of them is seen.
//!
//! ```text
//! page, from below:   floor and shadows · far walls of glass · facets from far to near · near walls of glass · arrows, as glass · hidden lines, dashed · lines
//! ```
//!
//! A facet has one colour, that of its part in the light of a lamp at the upper left of the eye, and edges of the same colour, which close the gaps to its neighbours.
//! Facets across which the light changes are cut into smaller ones that bulge to the normals at their corners \[BoubekeurAlexa2008\]:
//!
//! ```text
//! p* = p − ¾ Σ wᵢ ((p − pᵢ)·nᵢ) nᵢ,        p = Σ wᵢ pᵢ
//! ```
//!
//! Outlines are where n·(e − x) = 0 with the eye e. Ground around bodies is opaque where it is behind them, and glass where it is before them.

use crate::camera::{Lens, Seen};
use crate::depth::DepthBuffer;
use crate::film::is_finite;
use crate::mesh::{Mesh, unit};
use crate::parts::Part;
use crate::scene::Role;
use crate::stage::Tile;
use polhode_geometry::dense::{V, add_scaled, cross, dot, norm};
use polhode_model::Look;
use polhode_plot::colour::Rgb;
use polhode_plot::svg::{FACE_EDGE, Shape};
use rustc_hash::FxHashMap;

/// How much white there is in bodies, in ground, and in the lighter of two shades.
const BODY_WHITE: f64 = 0.38;
const GROUND_WHITE: f64 = 0.5;
const LIGHTER: f64 = 0.5;

/// Light that is everywhere, and that of the lamp.
const LIGHT: [f64; 2] = [0.7, 0.34];

/// The most that a colour may change across a facet, half of it where the facet is longer than some length on the page; how often one is cut at most along each side,
/// and the length below which it is left alone.
const STEP: f64 = 5.0;
const LONG: f64 = 14.0;
const CUTS: f64 = 4.0;
const SHORT: f64 = 6.0;

/// How much of what is behind it a wall of glass takes, on the far side and on the near one.
const FAR_GLASS: f64 = 0.3;
const NEAR_GLASS: f64 = 0.13;
const SHADOW: f64 = 0.1;
const VEIL: f64 = 0.4;

/// Colours of glass are so far apart that many facets share one.
const GLASS_STEP: u8 = 6;

/// How much farther away ground counts, and how far lines are lifted from what they lie on, in sizes of the bodies.
const GROUND_BACK: f64 = 0.03;
const LIFT: f64 = 0.035;

/// Distance of the places where a line is looked at, and the length below which nothing becomes hidden or seen, on the page.
const LOOK: f64 = 2.0;
const SPECK: f64 = 9.0;

/// The cosine of the largest turn of a line that is no corner.
const ROUND_TURN: f64 = 0.9;

/// The most that distance takes from the colour of a curve, and in how many steps.
const FADE: f64 = 0.5;
const FADES: f64 = 5.0;

/// Widths of outlines, of the lines of meshes, and of hidden lines, in those of curves.
const OUTLINE: f64 = 0.45;
const INK: f64 = 0.4;
const HIDDEN: f64 = 0.55;

/// The radius of a mark, in widths of the page.
const MARK: f64 = 0.01;

pub(crate) const WHITE: Rgb = [255; 3];
pub(crate) const BLACK: Rgb = [0; 3];
const DARK: Rgb = [0x40; 3];
const FLOOR: Rgb = [0xf4, 0xf2, 0xec];
const FLOOR_LINES: Rgb = [0xd8, 0xd4, 0xca];

/// Where a facet comes on the page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wall {
    Opaque,
    FarGlass,
    NearGlass,
}

struct Facet {
    corners: Vec<V>,
    depth: f64,
    fill: Rgb,
    wall: Wall,
    shines: bool,
}

/// How much of what is behind it a layer of the page covers, if it is glass, and which facets belong to it.
type Layer<'f> = (Option<f64>, &'f dyn Fn(&Facet) -> bool);

/// A line in space.
pub(crate) struct Line {
    pub(crate) points: Vec<V>,
    pub(crate) colour: Rgb,
    /// In widths of curves.
    pub(crate) width: f64,
    /// Whether it is dashed where it is hidden, and not left out.
    pub(crate) dashed: bool,
    /// Whether it is the paler the farther away it is.
    pub(crate) fades: bool,
}

/// A picture in the making.
pub(crate) struct Painter<'a> {
    lens: &'a Lens,
    /// About how large bodies are.
    size: f64,
    lamp: V,
    floor: Vec<Shape>,
    facets: Vec<Facet>,
    ceiling: Vec<Shape>,
    lines: Vec<Line>,
    marks: Vec<(V, Rgb)>,
}

/// A colour with so much white in it.
pub(crate) fn mix(colour: Rgb, white: f64) -> Rgb {
    colour.map(|c| (f64::from(c) + (255.0 - f64::from(c)) * white).round().clamp(0.0, 255.0) as u8)
}

fn lit(colour: Rgb, bright: f64) -> Rgb {
    colour.map(|c| (f64::from(c) * bright).round().clamp(0.0, 255.0) as u8)
}

/// Where a point is in the figure, whose second axis goes up.
pub(crate) fn place(lens: &Lens, p: &V) -> (f64, f64) {
    let seen = lens.see(p);
    (seen.x, -seen.y)
}

pub(crate) fn stroke(points: Vec<(f64, f64)>, colour: Rgb, width: f64) -> Shape {
    Shape { points, line: Some((colour, width)), ..Shape::default() }
}

pub(crate) fn area(points: Vec<(f64, f64)>, fill: Rgb, line: Option<(Rgb, f64)>) -> Shape {
    Shape { points, fill: Some(fill), line, ..Shape::default() }
}

impl<'a> Painter<'a> {
    pub(crate) fn new(lens: &'a Lens, size: f64) -> Painter<'a> {
        let lamp = unit(&lens.direction([-0.45, 0.75, 0.6])).unwrap_or([0.0, 0.0, 1.0]);
        let (floor, facets, ceiling, lines, marks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Painter { lens, size, lamp, floor, facets, ceiling, lines, marks }
    }

    pub(crate) fn line(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// A small disk at a point, if that is seen.
    pub(crate) fn mark(&mut self, at: V, fill: Rgb) {
        self.marks.push((at, fill));
    }

    fn on_page(&self, points: &[V]) -> Vec<(f64, f64)> {
        points.iter().map(|p| place(self.lens, p)).collect()
    }

    /// Flat ground with a grid of round lengths; glass, where what is seen lies behind it.
    pub(crate) fn tile(&mut self, tile: &Tile, about: &V) {
        let height = |p: &V| dot(&add_scaled(p, -1.0, &tile.corners[0]), &tile.normal);
        let before = height(about) * dot(&self.lens.towards(&tile.corners[0]), &tile.normal) < 0.0;
        let (a, b) = (
            add_scaled(&tile.corners[1], -1.0, &tile.corners[0]),
            add_scaled(&tile.corners[3], -1.0, &tile.corners[0]),
        );
        let mut grid = Vec::new();
        for (along, across) in [(a, b), (b, a)] {
            let fields = (norm(&along) / tile.step).round() as usize;
            for k in 1..fields {
                let foot = add_scaled(&tile.corners[0], k as f64 / fields as f64, &along);
                grid.push(stroke(self.on_page(&[foot, add_scaled(&foot, 1.0, &across)]), FLOOR_LINES, 0.35));
            }
        }
        let outline = area(self.on_page(&tile.corners), FLOOR, Some((FLOOR_LINES, 0.5)));
        match before {
            false => self.floor.extend(std::iter::once(outline).chain(grid)),
            true => {
                self.ceiling.push(Shape { glass: Some(2.0 * NEAR_GLASS), ..outline });
                self.ceiling.extend(grid);
            }
        }
    }

    /// What a part takes from the light of a lamp above, on a tile: the hull of its points.
    pub(crate) fn shadow(&mut self, part: &Part<'_>, tile: &Tile, up: &V) {
        let ray = add_scaled(&self.lamp.map(|x| -0.35 * x), -1.0, up);
        let slope = dot(&ray, &tile.normal);
        if slope > -0.1 || part.look == Look::Glass {
            return;
        }
        let points = part.mesh.positions.iter().map(|p| part.placed.point(&p.map(f64::from)));
        let fallen = points.filter_map(|p| {
            let height = dot(&add_scaled(&p, -1.0, &tile.corners[0]), &tile.normal);
            (height > -1e-6 * self.size).then(|| place(self.lens, &add_scaled(&p, -height / slope, &ray)))
        });
        let hull = hull(fallen.collect());
        if hull.len() > 2 {
            self.floor.push(Shape { glass: Some(SHADOW), ..area(hull, BLACK, None) });
        }
    }

    /// The facets, outlines and lines of a part, with so much white in its colours.
    pub(crate) fn part(&mut self, part: &Part<'_>, pale: f64) {
        let mesh = part.mesh;
        let points: Vec<V> = (0..mesh.positions.len()).map(|k| part.placed.point(&mesh.point(k as u32))).collect();
        let up = [0.0, 0.0, 1.0];
        let normal = |k: usize| unit(&part.placed.normal(&mesh.normal(k as u32))).unwrap_or(up);
        let normals: Vec<V> = (0..mesh.positions.len()).map(normal).collect();
        let dark = mix(lit(part.colour, 0.45), pale);
        let thin =
            |points: Vec<V>, colour: Rgb, width: f64| Line { points, colour, width, dashed: false, fades: false };
        if part.look == Look::Wire {
            let wires = wires(mesh).into_iter().map(|line| line.iter().map(|k| points[*k as usize]).collect());
            self.lines.extend(wires.map(|line| thin(line, mix(part.colour, pale), 2.0 * INK)));
            return;
        }
        self.facets(part, pale, &points, &normals);
        let outlines = outlines(mesh, &points, &normals, self.lens).into_iter().chain(rims(mesh, &points));
        self.lines.extend(outlines.map(|line| thin(line, dark, OUTLINE)));
        for chain in chains(&mesh.lines) {
            let facing = |k: &u32| dot(&normals[*k as usize], &self.lens.towards(&points[*k as usize])) > -0.05;
            for run in chain.split(|k| !facing(k)).filter(|run| run.len() > 1) {
                let line = run.iter().map(|k| points[*k as usize]).collect();
                self.lines.push(thin(line, mix(DARK, pale), INK));
            }
        }
    }

    fn facets(&mut self, part: &Part<'_>, pale: f64, points: &[V], normals: &[V]) {
        let ground = matches!(part.role, Role::Ground | Role::Wall);
        let glass = part.look == Look::Glass || ground && part.inside;
        let one_sided = !is_open(part.mesh) || ground;
        let white = match part.role {
            _ if glass && !ground => 0.0,
            Role::Ground | Role::Wall => GROUND_WHITE,
            Role::Body => BODY_WHITE,
            Role::Mark => 0.0,
        };
        let base = mix(part.colour, white);
        let back = if ground { GROUND_BACK * self.size } else { 0.0 };
        for (corners, dark) in polygons(part.mesh, strides(part, self.lens)) {
            let at: Vec<(V, V)> = corners.iter().map(|k| (points[*k as usize], normals[*k as usize])).collect();
            let middle = mean(at.iter().map(|c| &c.0));
            let outline: Vec<V> = at.iter().map(|c| c.0).collect();
            let Some(normal) = unit(&vector_area(&outline)).filter(|_| is_finite(&middle)) else { continue };
            let facing = dot(&normal, &self.lens.towards(&middle));
            let wall = match (glass, (facing > 0.0) != part.inside) {
                (false, _) if facing <= 0.0 && one_sided => continue,
                (false, _) => Wall::Opaque,
                (true, true) => Wall::NearGlass,
                (true, false) if ground => Wall::Opaque,
                (true, false) => Wall::FarGlass,
            };
            let base = if part.look == Look::Checker && !dark { mix(base, LIGHTER) } else { base };
            let bright = |n: &V| LIGHT[0] + LIGHT[1] * (facing.signum() * dot(n, &self.lamp)).max(0.0);
            let most = f64::from(base.iter().copied().max().unwrap_or_default());
            let lights = at.iter().map(|c| most * bright(&c.1));
            let change = lights.clone().fold(f64::NEG_INFINITY, f64::max) - lights.fold(f64::INFINITY, f64::min);
            let long = longest(&outline.iter().map(|p| self.lens.see(p)).collect::<Vec<_>>());
            let step = if long > LONG { STEP / 2.0 } else { STEP };
            let cuts =
                if wall == Wall::Opaque { (change / step).ceil().min(long / SHORT).clamp(1.0, CUTS) } else { 1.0 };
            for (corners, normal) in cut(&at, cuts as usize) {
                let depth = self.lens.see(&mean(corners.iter())).depth + back;
                let fill = mix(lit(base, bright(&normal)), pale);
                let fill = if wall == Wall::Opaque { fill } else { fill.map(|c| c / GLASS_STEP * GLASS_STEP) };
                self.facets.push(Facet { corners, depth, fill, wall, shines: part.shines });
            }
        }
    }

    /// The page.
    pub(crate) fn shapes(mut self) -> Vec<Shape> {
        let mut buffer = DepthBuffer::new(self.lens.page());
        for facet in self.facets.iter().filter(|f| f.wall == Wall::Opaque) {
            buffer.put(&facet.corners.iter().map(|p| self.lens.see(p)).collect::<Vec<_>>());
        }
        self.facets.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        let mut shapes = std::mem::take(&mut self.floor);
        let behind = |f: &Facet| buffer.hides(&self.lens.see(&mean(f.corners.iter())), 0.0);
        let layers: [Layer<'_>; 4] = [
            (Some(FAR_GLASS), &|f| f.wall == Wall::FarGlass),
            (None, &|f| f.wall == Wall::Opaque),
            (Some(NEAR_GLASS), &|f| f.wall == Wall::NearGlass && !behind(f)),
            (Some(VEIL), &|f| f.shines),
        ];
        for (glass, belongs) in layers {
            let mut layer: Vec<&Facet> = self.facets.iter().filter(|f| belongs(f)).collect();
            // walls are thin, and so is their light: the order of their facets does not matter
            if layer.iter().all(|f| f.wall != Wall::Opaque) {
                layer.sort_by_key(|f| f.fill);
            }
            shapes.extend(layer.into_iter().map(|f| {
                let face = area(counterclockwise(self.on_page(&f.corners)), f.fill, Some((f.fill, FACE_EDGE)));
                Shape { glass, ..face }
            }));
        }
        shapes.append(&mut self.ceiling);
        let mut strokes: Vec<(f64, Shape)> = Vec::new();
        for line in &self.lines {
            for run in self.runs(line, &buffer) {
                if run.hidden && line.dashed {
                    let colour = mix(line.colour, FADE);
                    shapes
                        .push(Shape { dashed: true, ..stroke(self.on_page(&run.points), colour, HIDDEN * line.width) });
                } else if !run.hidden {
                    let shape = stroke(self.on_page(&run.points), mix(line.colour, run.pale), line.width);
                    strokes.push((self.lens.see(&mean(run.points.iter())).depth, shape));
                }
            }
        }
        strokes.sort_by(|a, b| b.0.total_cmp(&a.0));
        shapes.extend(strokes.into_iter().map(|s| s.1));
        let lift = 2.0 * LIFT * self.size;
        for (at, fill) in self.marks.iter().filter(|(p, _)| is_finite(p) && !buffer.hides(&self.lens.see(p), lift)) {
            let (x, y) = place(self.lens, at);
            let radius = MARK * self.lens.page().0;
            let corner = |k: i32| {
                let (s, c) = (f64::from(k) * std::f64::consts::TAU / 24.0).sin_cos();
                (x + radius * c, y + radius * s)
            };
            shapes.push(area((0..24).map(corner).collect(), *fill, Some((BLACK, 0.9))));
        }
        shapes
    }

    /// The stretches of a line that are seen or hidden, each with one paleness.
    fn runs(&self, line: &Line, buffer: &DepthBuffer) -> Vec<Run> {
        let lift = LIFT * self.size;
        let mut out = Vec::new();
        for points in line.points.split(|p| !is_finite(p)).filter(|points| points.len() > 1) {
            let points = self.closer(points);
            let seen: Vec<Seen> = points.iter().map(|p| self.lens.see(p)).collect();
            let mut hidden: Vec<bool> = seen.iter().map(|s| buffer.hides(s, lift)).collect();
            without_specks(&mut hidden, &seen);
            let depths = || seen.iter().map(|s| s.depth);
            let (near, far) = (depths().fold(f64::INFINITY, f64::min), depths().fold(f64::NEG_INFINITY, f64::max));
            let fades = line.fades && far - near > 0.1 * self.size;
            let level = |d: f64| if fades { ((d - near) / (far - near) * FADES).round() as u32 } else { 0 };
            let mut state = None;
            for (k, p) in points.iter().enumerate() {
                let now = (hidden[k], if hidden[k] { 0 } else { level(seen[k].depth) });
                if state == Some(now) {
                    run_on(&mut out, p);
                    continue;
                }
                // the piece between belongs to the one before
                if state.is_some() {
                    run_on(&mut out, p);
                }
                out.push(Run { points: vec![*p], hidden: now.0, pale: FADE * f64::from(now.1) / FADES });
                state = Some(now);
            }
        }
        out.retain(|run| run.points.len() > 1);
        out
    }

    /// The same line with points so close on the page that nothing is missed between them, and round where it turns little.
    fn closer(&self, points: &[V]) -> Vec<V> {
        let last = points.len() - 1;
        let closed = last > 2 && points[0] == points[last];
        let mut out = vec![points[0]];
        for k in 0..last {
            let (a, b) = (points[k], points[k + 1]);
            let length = longest(&[self.lens.see(&a), self.lens.see(&b)]);
            let pieces = (length / LOOK).ceil().clamp(1.0, 400.0) as usize;
            let before = if k > 0 { Some(points[k - 1]) } else { closed.then(|| points[last - 1]) };
            let after = if k + 1 < last { Some(points[k + 2]) } else { closed.then(|| points[1]) };
            let slopes = [slope(before, &a, &b).unwrap_or(add_scaled(&b, -1.0, &a)), {
                let back = after.and_then(|after| slope(Some(after), &b, &a));
                back.map_or(add_scaled(&b, -1.0, &a), |s| s.map(|x| -x))
            }];
            out.extend((1..=pieces).map(|j| hermite(&a, &b, &slopes, j as f64 / pieces as f64)));
        }
        out
    }
}

/// The slope at the beginning of a piece from a to b, as long as it is, if the line hardly turns there: the direction between the neighbours.
fn slope(before: Option<V>, a: &V, b: &V) -> Option<V> {
    let (here, there) = (add_scaled(b, -1.0, a), add_scaled(a, -1.0, &before?));
    let (u, v) = (unit(&here)?, unit(&there)?);
    let middle = unit(&add_scaled(&u, 1.0, &v)).filter(|_| dot(&u, &v) > ROUND_TURN)?;
    Some(middle.map(|x| x * norm(&here)))
}

/// The cubic from a to b with these slopes.
fn hermite(a: &V, b: &V, slopes: &[V; 2], s: f64) -> V {
    if s >= 1.0 {
        return *b;
    }
    let (p, q) = (s * s * (3.0 - 2.0 * s), 1.0 - s);
    std::array::from_fn(|k| a[k] + p * (b[k] - a[k]) + s * q * (q * slopes[0][k] - s * slopes[1][k]))
}

/// A stretch of a line.
struct Run {
    points: Vec<V>,
    hidden: bool,
    pale: f64,
}

fn run_on(runs: &mut [Run], p: &V) {
    if let Some(run) = runs.last_mut() {
        run.points.push(*p);
    }
}

/// Short stretches are what their neighbours are.
fn without_specks(hidden: &mut [bool], seen: &[Seen]) {
    let mut begin = 0;
    while begin < hidden.len() {
        let end = (begin..hidden.len()).find(|k| hidden[*k] != hidden[begin]).unwrap_or(hidden.len());
        let length: f64 = seen[begin..end].windows(2).map(longest).sum();
        if length < SPECK && begin > 0 && end < hidden.len() {
            let other = !hidden[begin];
            hidden[begin..end].fill(other);
        }
        begin = end;
    }
}

/// The longest side of a polygon on the page.
fn longest(corners: &[Seen]) -> f64 {
    let next = corners.iter().skip(1).chain(corners.first());
    corners.iter().zip(next).map(|(p, q)| (p.x - q.x).hypot(p.y - q.y)).fold(0.0, f64::max)
}

fn mean<'p>(points: impl ExactSizeIterator<Item = &'p V>) -> V {
    let count = points.len().max(1) as f64;
    points.fold([0.0; 3], |s, p| add_scaled(&s, 1.0 / count, p))
}

/// The same outline, the other way round if need be: areas that lie over each other in one path shall not make holes.
fn counterclockwise(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let next = points.iter().skip(1).chain(points.first());
    let double: f64 = points.iter().zip(next).map(|(p, q)| p.0 * q.1 - q.0 * p.1).sum();
    if double < 0.0 {
        points.reverse();
    }
    points
}

/// ½ Σ pᵢ × pᵢ₊₁, with points counted from the first.
fn vector_area(points: &[V]) -> V {
    let local: Vec<V> = points.iter().map(|p| add_scaled(p, -1.0, &points[0])).collect();
    let next = local.iter().skip(1).chain(local.first());
    local.iter().zip(next).fold([0.0; 3], |s, (p, q)| add_scaled(&s, 0.5, &cross(p, q)))
}

/// A facet cut n times along each side: the corners of the pieces, and the normal of each.
fn cut(at: &[(V, V)], n: usize) -> Vec<(Vec<V>, V)> {
    let blend = |w: &[f64]| w.iter().zip(at).fold([0.0; 3], |s, (w, (_, normal))| add_scaled(&s, *w, normal));
    let bulge = |w: &[f64]| {
        let p = w.iter().zip(at).fold([0.0; 3], |s, (w, (p, _))| add_scaled(&s, *w, p));
        let off = |(p0, n0): &(V, V)| dot(&add_scaled(&p, -1.0, p0), n0);
        w.iter().zip(at).fold(p, |s, (w, c)| add_scaled(&s, -0.75 * w * off(c), &c.1))
    };
    let piece = |weights: &[Vec<f64>]| {
        let middle: Vec<f64> =
            (0..at.len()).map(|k| weights.iter().map(|w| w[k]).sum::<f64>() / weights.len() as f64).collect();
        let normal = unit(&blend(&middle)).unwrap_or(at[0].1);
        (weights.iter().map(|w| bulge(w)).collect(), normal)
    };
    let part = |k: usize| k as f64 / n as f64;
    let mut out = Vec::new();
    if let [_, _, _, _] = at {
        let w = |i: usize, j: usize| {
            let (s, t) = (part(i), part(j));
            vec![(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t]
        };
        for i in 0..n {
            out.extend((0..n).map(|j| piece(&[w(i, j), w(i + 1, j), w(i + 1, j + 1), w(i, j + 1)])));
        }
    } else {
        let w = |i: usize, j: usize| vec![1.0 - part(i + j), part(i), part(j)];
        for i in 0..n {
            for j in 0..n - i {
                out.push(piece(&[w(i, j), w(i + 1, j), w(i, j + 1)]));
                if i + j + 1 < n {
                    out.push(piece(&[w(i + 1, j), w(i + 1, j + 1), w(i, j + 1)]));
                }
            }
        }
    }
    out
}

/// Whether a mesh has an edge, so that both its sides are seen: an open grid whose ends are no poles.
fn is_open(mesh: &Mesh) -> bool {
    let Some(grid) = &mesh.rows else { return false };
    let cells = grid.u.cells() * grid.v.cells();
    let rows = |open: bool, across: usize| if open { 2 * across } else { 0 };
    // a row that shrinks to a point has lost a triangle of every cell
    let lost = 2 * cells - mesh.triangles.len();
    rows(!grid.u.closed, grid.v.cells()) + rows(!grid.v.closed, grid.u.cells()) > lost
}

/// How many cells of a grid are one facet along each parameter: small bodies need no more facets than are seen.
fn strides(part: &Part<'_>, lens: &Lens) -> [usize; 2] {
    let Some(grid) = &part.mesh.rows else { return [1; 2] };
    let [low, high] = part.mesh.bounds();
    let middle = part.placed.point(&std::array::from_fn(|k| (low[k] + high[k]) / 2.0));
    let across = lens.size(norm(&add_scaled(&high, -1.0, &low)), lens.see(&middle).depth);
    [&grid.u, &grid.v].map(|ruler| {
        let cell = 1.5 * across / ruler.cells() as f64;
        [4, 2].into_iter().find(|k| *k as f64 * cell <= SHORT && ruler.cells() % k == 0).unwrap_or(1)
    })
}

/// The facets of a mesh, and whether they have the darker shade: of a grid its cells or larger ones, otherwise triangles, of which two with a common side are one.
fn polygons(mesh: &Mesh, strides: [usize; 2]) -> Vec<(Vec<u32>, bool)> {
    let dark = |k: usize| mesh.dark.get(k).copied().unwrap_or(false);
    let mut out = Vec::new();
    let grid = mesh.rows.as_ref().filter(|_| strides != [1; 2]);
    let Some(grid) = grid else {
        let mut k = 0;
        while k < mesh.triangles.len() {
            let (corners, used) = face_at(mesh, k);
            out.push((corners, dark(k)));
            k += used;
        }
        return out;
    };
    let (nu, nv) = (grid.u.count, grid.v.count);
    // the shade of a cell is that of a triangle at one of its corners
    let mut shades = vec![false; nu * nv];
    for (k, t) in mesh.triangles.iter().enumerate() {
        shades[t[0] as usize] |= dark(k);
    }
    let vertex = |i: usize, j: usize| ((i % nu) * nv + j % nv) as u32;
    for i in (0..grid.u.cells()).step_by(strides[0]) {
        for j in (0..grid.v.cells()).step_by(strides[1]) {
            let (k, l) = (i + strides[0], j + strides[1]);
            let mut corners = vec![vertex(i, j), vertex(k, j), vertex(k, l), vertex(i, l)];
            if grid.side < 0.0 {
                corners.reverse();
            }
            out.push((corners, shades[vertex((i + k) / 2, (j + l) / 2) as usize]));
        }
    }
    out
}

/// The corners of a facet, and how many triangles it has: two that share a side and a shade are one.
fn face_at(mesh: &Mesh, k: usize) -> (Vec<u32>, usize) {
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

/// Where the surface turns away from the eye: the zeros of n·(e − x), straight on every triangle.
fn outlines(mesh: &Mesh, points: &[V], normals: &[V], lens: &Lens) -> Vec<Vec<V>> {
    let facing: Vec<f64> = points.iter().zip(normals).map(|(p, n)| dot(n, &lens.towards(p))).collect();
    let mut places: FxHashMap<[u32; 2], V> = FxHashMap::default();
    let mut pieces: Vec<[[u32; 2]; 2]> = Vec::new();
    for t in &mesh.triangles {
        let mut ends = Vec::new();
        for k in 0..3 {
            let (a, b) = (t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3]));
            let (f, g) = (facing[a as usize], facing[b as usize]);
            if (f > 0.0) != (g > 0.0) {
                let along = add_scaled(&points[b as usize], -1.0, &points[a as usize]);
                places.insert([a, b], add_scaled(&points[a as usize], f / (f - g), &along));
                ends.push([a, b]);
            }
        }
        if let [a, b] = ends[..] {
            pieces.push([a, b]);
        }
    }
    joined(&pieces).into_iter().map(|line| line.iter().map(|k| places[k]).collect()).collect()
}

/// The edges that belong to one triangle only; vertices in the same place are the same.
fn rims(mesh: &Mesh, points: &[V]) -> Vec<Vec<V>> {
    if !is_open(mesh) {
        return Vec::new();
    }
    let [low, high] = mesh.bounds();
    let least = 1e-5 * norm(&add_scaled(&high, -1.0, &low)).max(f64::MIN_POSITIVE);
    let key = |k: u32| mesh.point(k).map(|x| (x / least).round() as i64);
    let mut edges: FxHashMap<[[i64; 3]; 2], (usize, [u32; 2])> = FxHashMap::default();
    for t in &mesh.triangles {
        for k in 0..3 {
            let mut ends = [t[k], t[(k + 1) % 3]].map(|v| (key(v), v));
            ends.sort_unstable();
            edges.entry([ends[0].0, ends[1].0]).or_insert((0, [ends[0].1, ends[1].1])).0 += 1;
        }
    }
    let mut single: Vec<[u32; 2]> = edges.values().filter(|e| e.0 == 1).map(|e| e.1).collect();
    single.sort_unstable();
    joined(&single).into_iter().map(|line| line.iter().map(|k| points[*k as usize]).collect()).collect()
}

/// Pieces with two ends each, put together to lines.
fn joined<K: Copy + Eq + std::hash::Hash>(pieces: &[[K; 2]]) -> Vec<Vec<K>> {
    let mut at: FxHashMap<K, Vec<usize>> = FxHashMap::default();
    for (k, piece) in pieces.iter().enumerate() {
        piece.iter().for_each(|end| at.entry(*end).or_default().push(k));
    }
    let mut used = vec![false; pieces.len()];
    let follow = |line: &mut Vec<K>, used: &mut Vec<bool>| {
        while let Some(end) = line.last().copied()
            && let Some(k) = at[&end].iter().copied().find(|k| !used[*k])
        {
            used[k] = true;
            line.push(if pieces[k][0] == end { pieces[k][1] } else { pieces[k][0] });
        }
    };
    let mut lines = Vec::new();
    for k in 0..pieces.len() {
        if used[k] {
            continue;
        }
        used[k] = true;
        let mut line = pieces[k].to_vec();
        follow(&mut line, &mut used);
        line.reverse();
        follow(&mut line, &mut used);
        lines.push(line);
    }
    lines
}

/// Edges that follow each other in a list, as lines.
fn chains(edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = Vec::new();
    for [a, b] in edges {
        match out.last_mut().filter(|line| line.last() == Some(a)) {
            Some(line) => line.push(*b),
            None => out.push(vec![*a, *b]),
        }
    }
    out
}

/// Lines across a parameter of a grid that is open, twice as many where it closes, and points on each.
const LINES: usize = 4;
const LINE_POINTS: usize = 14;

/// A few lines that show the shape of a mesh: of a grid its parameter lines, otherwise its own lines, or else some of its triangles.
pub(crate) fn wires(mesh: &Mesh) -> Vec<Vec<u32>> {
    let Some(grid) = &mesh.rows else {
        let every = mesh.triangles.len().div_ceil(60).max(1);
        return match mesh.lines.is_empty() {
            false => chains(&mesh.lines),
            true => mesh.triangles.iter().step_by(every).map(|t| vec![t[0], t[1], t[2], t[0]]).collect(),
        };
    };
    let (nu, nv) = (grid.u.count, grid.v.count);
    let [low, high] = mesh.bounds();
    let least = 1e-9 * norm(&add_scaled(&high, -1.0, &low));
    let at = |i: usize, j: usize| ((i % nu) * nv + j % nv) as u32;
    let spread = |cells: usize, count: usize| (0..count).map(move |k| cells * k / (count - 1).max(1));
    let mut out = Vec::new();
    for (along_u, across, along) in [(true, grid.v, grid.u), (false, grid.u, grid.v)] {
        let fixed: Vec<usize> = match across.closed {
            true => (0..2 * LINES).map(|k| across.cells() * k / (2 * LINES)).collect(),
            false => spread(across.cells(), LINES + 2).collect(),
        };
        for f in fixed {
            let points = spread(along.cells(), LINE_POINTS + 1);
            let line: Vec<u32> = points.map(|k| if along_u { at(k, f) } else { at(f, k) }).collect();
            // rows that shrink to a point are no lines
            let length: f64 =
                line.windows(2).map(|w| norm(&add_scaled(&mesh.point(w[1]), -1.0, &mesh.point(w[0])))).sum();
            if length > least {
                out.push(line);
            }
        }
    }
    out
}

/// The convex hull of points of the page.
pub(crate) fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let turn = |a: &(f64, f64), b: &(f64, f64), c: &(f64, f64)| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    let half = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut out: Vec<(f64, f64)> = Vec::new();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::pose::Placed;
    use crate::solids;

    fn ball(mesh: &Mesh) -> Part<'_> {
        let (placed, colour) = (Placed::AT_REST, [0, 0x72, 0xb2]);
        Part { mesh, placed, colour, look: Look::Checker, role: Role::Body, inside: false, object: None, shines: false }
    }

    fn lens() -> Lens {
        let corners = [[-1.0; 3], [1.0; 3]];
        Lens::new(&Camera::default(), &[0.0, 0.0, 1.0], &corners, 0.0)
    }

    /// A circle of some latitude on the unit ball, which lies outside of the facets.
    fn circle(height: f64) -> Line {
        let radius = (1.0 - height * height).sqrt();
        let at = |k: i32| {
            let (s, c) = (f64::from(k) * std::f64::consts::TAU / 180.0).sin_cos();
            [radius * c, radius * s, height]
        };
        Line { points: (0..=180).map(at).collect(), colour: BLACK, width: 1.0, dashed: true, fades: false }
    }

    /// How much of a line is seen and how much is dashed, in points of its page.
    fn lengths(line: Line, mesh: Option<&Mesh>) -> [f64; 2] {
        let lens = lens();
        let mut painter = Painter::new(&lens, 1.0);
        if let Some(mesh) = mesh {
            painter.part(&ball(mesh), 0.0);
        }
        painter.line(line);
        let shapes = painter.shapes();
        [false, true].map(|dashed| {
            let own = shapes.iter().filter(|s| s.fill.is_none() && s.dashed == dashed);
            let own = own.filter(|s| s.line.is_some_and(|l| l.0 == if dashed { mix(BLACK, FADE) } else { BLACK }));
            let length = |w: &[(f64, f64)]| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1);
            own.flat_map(|s| s.points.windows(2).map(length)).sum()
        })
    }

    #[test]
    fn a_curve_on_a_ball_is_seen_on_its_near_side_and_dashed_on_the_other() {
        let mesh = solids::ball(1.0);
        let [whole, none] = lengths(circle(0.9), None);
        assert!(whole > 0.0 && none == 0.0);
        // seen from an elevation of 0.45 the circle of latitude asin 0.97 is seen all round, that of −asin 0.97 not at all
        let [seen, hidden] = lengths(circle(0.97), Some(&mesh));
        assert!(seen > 0.0 && hidden == 0.0, "{seen} {hidden}");
        let [seen, hidden] = lengths(circle(-0.97), Some(&mesh));
        assert!(seen == 0.0 && hidden > 0.0, "{seen} {hidden}");
        // the equator is half and half
        let [seen, hidden] = lengths(circle(0.0), Some(&mesh));
        assert!((seen / (seen + hidden) - 0.5).abs() < 0.12, "{seen} {hidden}");
    }

    #[test]
    fn cut_facets_bulge_to_the_surface() {
        let corner = |a: f64, b: f64| {
            let p = unit(&[a, b, 1.0]).unwrap_or_default();
            (p, p)
        };
        let flat = [corner(-0.3, -0.3), corner(0.3, -0.3), corner(0.3, 0.3), corner(-0.3, 0.3)];
        for pieces in [cut(&flat, 4), cut(&flat[..3], 4)] {
            assert_eq!(pieces.len(), 16);
            for (corners, normal) in pieces {
                assert!((norm(&normal) - 1.0).abs() < 1e-12 && corners.iter().all(|p| (norm(p) - 1.0).abs() < 0.03));
            }
        }
        let middle = mean(flat.iter().map(|c| &c.0));
        assert!(norm(&middle) < 0.93, "the facet itself is flat");
    }

    #[test]
    fn polygons_of_circles_are_round_and_corners_stay() {
        let lens = lens();
        let painter = Painter::new(&lens, 1.0);
        let ring = |count: i32| -> Vec<V> {
            let at = |k: i32| (f64::from(k) * std::f64::consts::TAU / f64::from(count)).sin_cos();
            (0..=count).map(|k| at(k % count)).map(|(s, c)| [c, s, 0.0]).collect()
        };
        let off = |points: &[V]| points.iter().map(|p| (norm(p) - 1.0).abs()).fold(0.0, f64::max);
        let [coarse, fine] = [24, 64].map(|n| off(&painter.closer(&ring(n))));
        assert!(coarse < 2e-4 && fine < 4e-6, "{coarse} {fine}, where chords are off by 9e-3 and 1e-3");
        let square = painter.closer(&ring(4));
        assert!(square.iter().all(|p| (p[0].abs() + p[1].abs() - 1.0).abs() < 1e-12), "straight sides");
    }

    #[test]
    fn pieces_become_lines() {
        let lines = joined(&[[1, 2], [4, 3], [2, 3], [7, 8]]);
        assert_eq!(lines.len(), 2);
        assert!(lines[0] == [1, 2, 3, 4] || lines[0] == [4, 3, 2, 1], "{lines:?}");
    }

    #[test]
    fn short_stretches_do_not_count() {
        let seen: Vec<Seen> = (0..30).map(|k| Seen { x: f64::from(k), y: 0.0, depth: 1.0 }).collect();
        let mut hidden = vec![false; 30];
        hidden[4..9].fill(true);
        hidden[19..30].fill(true);
        without_specks(&mut hidden, &seen);
        assert!(!hidden[6] && hidden[20]);
    }
}
