//! From a model and a motion to a scene.
//!
//! Bodies come first, since their size decides how much of the ground is drawn.

use crate::film::{Film, is_finite, matrix, vector};
use crate::functions::Functions;
use crate::mesh::{Mesh, Ruler};
use crate::pose::Placed;
use crate::scene::{Arrow, COLOURS, ContactMark, GROUND, Object, Rod, Role, Scene, Trace};
use crate::solids;
use crate::surfaces::{Reach, drawn, side_meshes};
use polhode_geometry::dense::{V, add_scaled, mat_vec, norm, transpose};
use polhode_geometry::{Boundary, Shape, Side, Surface};
use polhode_model::{
    Appearance, Contact, ContactSide, Figure, Look, Model, Outline, Owner, Pose, SideAppearance, Solid,
};
use polhode_simulate::Compiled;

/// The ground is drawn as far beyond the motion as this many sizes of the bodies.
const MARGIN: f64 = 4.0;

/// Radius of a point that is marked, and of a rod without one, in sizes of the bodies.
const POINT: f64 = 0.08;
const ROD: f64 = 0.03;

/// How large something without a size is, in parts of what its motion covers.
const PART: f64 = 0.3;

impl Scene {
    /// What a model looks like along a motion. The system must have been compiled with `drawing: true`; the film decides how much of an
    /// infinite surface is there.
    pub fn of(model: &Model, compiled: &Compiled, film: &Film) -> Scene {
        let mut functions = Functions::new(model, compiled);
        let appearance = model.appearance(&mut functions.graph);
        let up = up(model, &functions);
        if compiled.drawn.len() < appearance.numbers.len() {
            let why = "the system was compiled without its drawing".to_owned();
            return Scene { up, empty_reason: Some(why), ..Scene::default() };
        }
        let scene = Scene { up, ..Scene::default() };
        let mut builder = Builder { model, functions, columns: &compiled.drawn, film, scene, sides: Vec::new() };
        builder.bodies(&appearance);
        builder.solids(&appearance);
        builder.set_size(&appearance);
        builder.grounds(&appearance);
        builder.thin_figures(&appearance);
        builder.contacts(&appearance);
        let mut scene = builder.scene;
        let seen = scene.objects.iter().any(|o| !matches!(o.role, Role::Ground | Role::Wall));
        if !seen && scene.rods.is_empty() && scene.traces.is_empty() && scene.arrows.is_empty() {
            scene.empty_reason = Some(
                "nothing says what this looks like: it has no bodies with surfaces, no [[draw]], and no coordinates x and y"
                    .to_owned(),
            );
        }
        scene
    }
}

/// Against gravity where there is some, otherwise along z.
fn up(model: &Model, functions: &Functions) -> V {
    let gravity = model.gravity.as_ref().and_then(|g| functions.vector(&[g[0], g[1], g[2]]));
    let up = gravity.and_then(|g| crate::mesh::unit(&g));
    up.map_or([0.0, 0.0, 1.0], |g| g.map(|x| 0.0 - x))
}

struct Builder<'a> {
    model: &'a Model,
    functions: Functions,
    columns: &'a [usize],
    film: &'a Film,
    scene: Scene,
    /// Sides that have an object: owner, name, object.
    sides: Vec<(Owner, String, usize)>,
}

impl Builder<'_> {
    fn column(&self, place: usize) -> usize {
        self.columns[place]
    }

    fn columns<const N: usize>(&self, places: &[usize; N]) -> [usize; N] {
        places.map(|p| self.columns[p])
    }

    /// A point along the motion.
    fn path(&self, places: &[usize; 3]) -> Vec<V> {
        let columns = self.columns(places);
        self.film.frames.iter().map(|frame| vector(frame, &columns)).filter(is_finite).collect()
    }

    /// The bodies of contacts.
    fn bodies(&mut self, appearance: &Appearance) {
        let model = self.model;
        for (contact, drawn) in model.contacts.iter().zip(&appearance.contacts) {
            for (side, seen) in contact.sides.iter().zip(&drawn.sides) {
                if let Owner::Body(body) = side.owner {
                    self.side(side, seen, body % GROUND, appearance);
                }
            }
        }
    }

    /// The ground of contacts, and planes that are drawn.
    fn grounds(&mut self, appearance: &Appearance) {
        let model = self.model;
        for (contact, drawn) in model.contacts.iter().zip(&appearance.contacts) {
            for (side, seen) in contact.sides.iter().zip(&drawn.sides) {
                if side.owner == Owner::Ground {
                    self.side(side, seen, GROUND, appearance);
                }
            }
        }
        for figure in &appearance.figures {
            if let Outline::Plane { pose, size } = figure.outline {
                self.plane(figure, &pose, size, appearance);
            }
        }
    }

    /// The points where a side is touched along the motion, by all contacts it has.
    fn touched(&self, side: &ContactSide, appearance: &Appearance) -> Vec<V> {
        let mut points = Vec::new();
        for (contact, drawn) in self.model.contacts.iter().zip(&appearance.contacts) {
            for (other, seen) in contact.sides.iter().zip(&drawn.sides) {
                if (other.owner, &other.name) == (side.owner, &side.name) {
                    points.extend(self.path(&seen.point));
                }
            }
        }
        points
    }

    fn side(&mut self, side: &ContactSide, seen: &SideAppearance, colour: usize, appearance: &Appearance) {
        if self.sides.iter().any(|(owner, name, _)| (owner, name) == (&side.owner, &side.name)) {
            return;
        }
        let reach = Reach { points: self.touched(side, appearance), margin: MARGIN * self.scene.size };
        let meshes = side_meshes(&mut self.functions, side, seen.standing, &reach);
        let (role, look, inside) = self.manner(side, &meshes);
        for (k, mesh) in meshes.into_iter().enumerate() {
            if k == 0 {
                self.sides.push((side.owner, side.name.clone(), self.scene.objects.len()));
            }
            let mesh = self.put_mesh(mesh);
            let pose = seen.pose.map(|p| (self.columns(&p.rotation), self.columns(&p.position)));
            self.scene.objects.push(Object {
                name: side.name.clone(),
                role,
                mesh,
                rotation: pose.map(|p| p.0),
                position: pose.map(|p| p.1),
                scale: None,
                look,
                colour,
                inside,
            });
        }
    }

    /// Hollow bodies, and ground around or above bodies, are transparent; other bodies show how they turn.
    fn manner(&self, side: &ContactSide, meshes: &[Mesh]) -> (Role, Look, bool) {
        let inside = |s: &ContactSide| {
            let hollow = matches!(s.boundary, Boundary::Surface(Surface { side: Side::Inside, .. }));
            let flat = matches!(s.boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
            hollow && !flat
        };
        if let Owner::Body(body) = side.owner {
            let sides = self.model.contacts.iter().flat_map(|c| &c.sides);
            let hollow = sides.filter(|s| s.owner == Owner::Body(body)).any(inside);
            return (Role::Body, if hollow { Look::Glass } else { Look::Checker }, inside(side));
        }
        let flat = matches!(side.boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
        let hangs = meshes
            .first()
            .and_then(|m| m.normals.first())
            .is_some_and(|n| n.iter().zip(&self.scene.up).map(|(a, b)| f64::from(*a) * b).sum::<f64>() < -0.5);
        match (flat, hangs) {
            (true, true) => (Role::Wall, Look::Glass, false),
            (true, false) => (Role::Ground, Look::Solid, false),
            _ => (Role::Ground, if inside(side) { Look::Glass } else { Look::Solid }, inside(side)),
        }
    }

    fn put_mesh(&mut self, mesh: Mesh) -> usize {
        let same = self.scene.meshes.iter().position(|m| *m == mesh);
        same.unwrap_or_else(|| {
            self.scene.meshes.push(mesh);
            self.scene.meshes.len() - 1
        })
    }

    /// Solids and surfaces that are drawn.
    fn solids(&mut self, appearance: &Appearance) {
        for figure in &appearance.figures {
            let (mesh, scale, pose) = match &figure.outline {
                Outline::Solid { solid, scale, pose } => (Some(solids::solid(*solid)), Some(*scale), *pose),
                Outline::Surface { parameters, x, u, v, pose } => {
                    (drawn(&mut self.functions, *parameters, *x, *u, *v), None, *pose)
                }
                _ => continue,
            };
            let Some(mesh) = mesh else { continue };
            let look = match figure.outline {
                Outline::Solid { solid: Solid::Ball | Solid::Disk, .. } => Look::Checker,
                _ => Look::Solid,
            };
            let (mesh, colour) = (self.put_mesh(mesh), self.colour(figure));
            let object = Object {
                name: self.name(figure, "body"),
                role: Role::Body,
                mesh,
                rotation: Some(self.columns(&pose.rotation)),
                position: Some(self.columns(&pose.position)),
                scale: scale.map(|s| self.columns(&s)),
                look: figure.look.unwrap_or(look),
                colour,
                inside: false,
            };
            self.scene.objects.push(object);
        }
    }

    fn colour(&self, figure: &Figure) -> usize {
        figure.colour.unwrap_or(0) % COLOURS
    }

    fn name(&self, figure: &Figure, otherwise: &str) -> String {
        figure.name.clone().unwrap_or_else(|| otherwise.to_owned())
    }

    /// How large bodies are: half the longest side of those that move as they are stretched in the first frame, and half of rods; or else a part of
    /// what the motion covers.
    fn set_size(&mut self, appearance: &Appearance) {
        let (first, last) = (self.film.frames.first(), self.film.frames.last());
        // walls and the like that are drawn do not count
        let moves = |o: &&Object| match (first, last) {
            (Some(a), Some(b)) => Placed::of(o, a) != Placed::of(o, b),
            _ => true,
        };
        let stretched = |o: &Object| {
            let [low, high] = self.scene.meshes[o.mesh].bounds();
            let scale = o.scale.zip(first).map_or([1.0; 3], |(s, frame)| vector(frame, &s));
            (0..3).map(|k| (high[k] - low[k]) * scale[k] / 2.0).fold(0.0, f64::max)
        };
        let sizes = self.scene.objects.iter().filter(moves).map(stretched);
        let mut size = sizes.filter(|x| x.is_finite()).fold(0.0, f64::max);
        for figure in &appearance.figures {
            if let Outline::Rod { from, to, .. } = figure.outline
                && let (Some(a), Some(b)) = (self.path(&from).first(), self.path(&to).first())
            {
                size = size.max(norm(&add_scaled(a, -1.0, b)) / 2.0);
            }
        }
        let points = self.covered(appearance);
        let range =
            |k: usize| points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], p| [a.min(p[k]), b.max(p[k])]);
        let half = (0..3).map(range).map(|[a, b]| (b - a) / 2.0).filter(|x| x.is_finite()).fold(0.0, f64::max);
        if size <= 0.0 {
            size = if half > 0.0 { PART * half } else { 1.0 };
        }
        self.scene.size = size;
        self.scene.extent = half + MARGIN * size;
    }

    /// Everything that moves, along the motion.
    fn covered(&self, appearance: &Appearance) -> Vec<V> {
        let mut points = Vec::new();
        for drawn in &appearance.contacts {
            for side in &drawn.sides {
                if let Some(pose) = side.pose {
                    points.extend(self.path(&pose.position));
                }
            }
        }
        for figure in &appearance.figures {
            match &figure.outline {
                Outline::Solid { pose, .. } | Outline::Surface { pose, .. } => points.extend(self.path(&pose.position)),
                Outline::Rod { from, to, .. } => points.extend(self.path(from).into_iter().chain(self.path(to))),
                Outline::Arrow { at, .. } | Outline::Point { at } | Outline::Trace { at } => {
                    points.extend(self.path(at))
                }
                Outline::Plane { .. } => {}
            }
        }
        points
    }

    fn plane(&mut self, figure: &Figure, pose: &Pose, size: Option<f64>, appearance: &Appearance) {
        let (rotation, position) = (self.columns(&pose.rotation), self.columns(&pose.position));
        let placed = self.film.frames.first().map(|frame| (matrix(frame, &rotation), vector(frame, &position)));
        let Some((turned, moved)) = placed else { return };
        let back = transpose(&turned);
        let points: Vec<V> =
            self.covered(appearance).iter().map(|p| mat_vec(&back, &add_scaled(p, -1.0, &moved))).collect();
        let range =
            |k: usize| points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], p| [a.min(p[k]), b.max(p[k])]);
        let [x, y] = [range(0), range(1)].map(|r| if r[0] > r[1] { [0.0; 2] } else { r });
        let half = match size {
            Some(size) => size,
            None => (x[1] - x[0]).max(y[1] - y[0]) / 2.0 + MARGIN * self.scene.size,
        };
        let half = if half > 0.0 { half } else { 1.0 };
        let middle = |r: [f64; 2]| if size.is_some() { 0.0 } else { (r[0] + r[1]) / 2.0 };
        let ruler = |r: [f64; 2]| Ruler::open(middle(r) - half, middle(r) + half, 2);
        let mesh =
            Mesh::on_grid(ruler(x), ruler(y), 1.0, [1, 1], |u, v| [[u, v, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let object = Object {
            name: self.name(figure, "ground"),
            role: Role::Ground,
            mesh: self.put_mesh(mesh),
            rotation: Some(rotation),
            position: Some(position),
            scale: None,
            look: figure.look.unwrap_or(Look::Solid),
            colour: figure.colour.unwrap_or(GROUND) % COLOURS,
            inside: false,
        };
        self.scene.objects.push(object);
    }

    /// Rods, arrows, points and traces.
    fn thin_figures(&mut self, appearance: &Appearance) {
        for figure in &appearance.figures {
            let colour = self.colour(figure);
            match figure.outline {
                Outline::Rod { from, to, radius } => {
                    let radius = radius.unwrap_or(ROD * self.scene.size);
                    self.scene.rods.push(Rod { from: self.columns(&from), to: self.columns(&to), radius, colour });
                }
                Outline::Arrow { at, vector, kind } => {
                    let (name, from) = (self.name(figure, kind.name()), self.columns(&at));
                    self.scene.arrows.push(Arrow { name, from, vector: self.columns(&vector), kind, colour });
                }
                Outline::Trace { at } => {
                    let (name, point) = (self.name(figure, "trace"), self.columns(&at));
                    self.scene.traces.push(Trace { name, point, colour });
                }
                Outline::Point { at } => {
                    let mesh = self.put_mesh(solids::ball(POINT * self.scene.size));
                    let object = Object {
                        name: self.name(figure, "point"),
                        role: Role::Mark,
                        mesh,
                        rotation: None,
                        position: Some(self.columns(&at)),
                        scale: None,
                        look: figure.look.unwrap_or(Look::Solid),
                        colour,
                        inside: false,
                    };
                    self.scene.objects.push(object);
                }
                Outline::Solid { .. } | Outline::Surface { .. } | Outline::Plane { .. } => {}
            }
        }
    }

    /// Contacts whose sides both have an object.
    fn contacts(&mut self, appearance: &Appearance) {
        let model = self.model;
        for (contact, drawn) in model.contacts.iter().zip(&appearance.contacts) {
            let Contact { name, sides, .. } = contact;
            let object = |side: &ContactSide| {
                self.sides.iter().find(|(owner, name, _)| (owner, name) == (&side.owner, &side.name)).map(|s| s.2)
            };
            let (Some(object), Some(other)) = (object(&sides[0]), object(&sides[1])) else { continue };
            let mark = ContactMark {
                name: name.clone(),
                object,
                other,
                on_body: self.columns(&drawn.sides[0].point),
                on_other: self.columns(&drawn.sides[1].point),
                force: self.columns(&drawn.force),
                normal_force: self.column(drawn.normal_force),
                mu_required: drawn.mu_required.map(|p| self.column(p)),
            };
            self.scene.contacts.push(mark);
        }
    }
}
