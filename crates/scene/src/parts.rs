//! Everything in a frame as meshes that stand somewhere: objects, rods, and arrows with a shaft and a head.
//!
//! ```text
//! rod      (ρ x, ρ y, ℓ z) turned from z to b − a, about (a + b)/2         with the stick x² + y² ≤ 1, |z| ≤ ½
//! arrow    a stick and a cone, together as long as s |v|;    s |v| = 0.85 size for nine tenths of a motion, at most 1.3 size
//! ```
//!
//! An arrow that is an axis has its true length, s = 1. The forces of contacts are arrows of the same kind.

use crate::film::{Film, is_finite, vector};
use crate::mesh::{Mesh, unit};
use crate::pose::Placed;
use crate::scene::{COLOURS, Object, PALETTE, Role, Scene};
use crate::solids;
use crate::stage::is_flat;
use polhode_geometry::dense::{V, add_scaled, cross, norm};
use polhode_model::{ArrowKind, Look};
use polhode_plot::colour::Rgb;

/// Radius of the shaft of an arrow, and radius and length of its head, in sizes of the bodies.
const SHAFT: f64 = 0.022;
const HEAD: [f64; 2] = [0.062, 0.17];

/// The part of an arrow that its head takes at most.
const MOST_HEAD: f64 = 0.6;

/// How long large arrows are, and arrows at most, in sizes of the bodies; and what counts as large.
const LARGE: f64 = 0.85;
const LONGEST: f64 = 1.3;
const QUANTILE: f64 = 0.9;

/// The colour of forces of contacts.
const FORCE: usize = 1;

/// A mesh that stands somewhere.
pub(crate) struct Part<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) placed: Placed,
    pub(crate) colour: Rgb,
    pub(crate) look: Look,
    pub(crate) role: Role,
    /// Whether its material is around it.
    pub(crate) inside: bool,
    /// The object that it is; rods and arrows are none.
    pub(crate) object: Option<usize>,
    /// Whether it shines through what hides it: forces begin where bodies touch.
    pub(crate) shines: bool,
}

/// Something straight between two points, with a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stick {
    pub(crate) from: V,
    pub(crate) to: V,
    pub(crate) radius: f64,
}

impl Stick {
    /// Where a stick of radius 1 along z, of length 1 about the origin, has to stand.
    fn placed(&self) -> Option<Placed> {
        let along = add_scaled(&self.to, -1.0, &self.from);
        let z = unit(&along)?;
        let other = if z[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let x = unit(&cross(&other, &z))?;
        let y = cross(&z, &x);
        let rotation = std::array::from_fn(|i| [x[i], y[i], z[i]]);
        let position = std::array::from_fn(|i| (self.from[i] + self.to[i]) / 2.0);
        is_finite(&position).then_some(Placed { rotation, position, scale: [self.radius, self.radius, norm(&along)] })
    }
}

/// Where an arrow begins.
enum Foot {
    /// At a point of space.
    At([usize; 3]),
    /// At a point of an object.
    On(usize, [usize; 3]),
}

/// An arrow of a scene with its scale along a film.
pub(crate) struct ScaledArrow {
    pub(crate) name: String,
    pub(crate) colour: usize,
    foot: Foot,
    vector: [usize; 3],
    scale: f64,
    longest: f64,
    size: f64,
}

impl ScaledArrow {
    /// Shaft and head in a frame, if there is an arrow.
    pub(crate) fn sticks(&self, scene: &Scene, frame: &[f64]) -> Option<[Stick; 2]> {
        let from = match &self.foot {
            Foot::At(places) => vector(frame, places),
            Foot::On(object, places) => Placed::of(&scene.objects[*object], frame)?.point(&vector(frame, places)),
        };
        let v = vector(frame, &self.vector);
        let direction = unit(&v).filter(|_| is_finite(&from))?;
        let length = (self.scale * norm(&v)).min(self.longest);
        let head = (HEAD[1] * self.size).min(MOST_HEAD * length);
        let thin = head / (HEAD[1] * self.size);
        let (neck, tip) = (add_scaled(&from, length - head, &direction), add_scaled(&from, length, &direction));
        let shaft = Stick { from, to: neck, radius: SHAFT * self.size * thin };
        (length > 0.0).then_some([shaft, Stick { from: neck, to: tip, radius: HEAD[0] * self.size * thin }])
    }
}

/// The arrows of a scene along a film, and the meshes of sticks.
pub(crate) struct Arrows {
    pub(crate) list: Vec<ScaledArrow>,
    pub(crate) stick: Mesh,
    pub(crate) cone: Mesh,
}

impl Arrows {
    /// Those that are drawn and those of contacts, or none.
    pub(crate) fn of(scene: &Scene, film: &Film, wanted: bool) -> Arrows {
        let drawn = scene.arrows.iter().map(|a| (a.name.clone(), a.colour, Foot::At(a.from), a.vector, a.kind));
        let forces = scene.contacts.iter().map(|c| {
            let name = format!("force {}", c.name).trim().to_owned();
            (name, FORCE, Foot::On(c.object, c.on_body), c.force, ArrowKind::Force)
        });
        let size = scene.size;
        let scaled = |(name, colour, foot, vector, kind)| {
            let (scale, longest) = match kind {
                ArrowKind::Axis => (1.0, f64::INFINITY),
                ArrowKind::Force | ArrowKind::Velocity => (LARGE * size / large(film, &vector), LONGEST * size),
            };
            ScaledArrow { name, colour, foot, vector, scale, longest, size }
        };
        let list = if wanted { drawn.chain(forces).map(scaled).collect() } else { Vec::new() };
        Arrows { list, stick: solids::stick(), cone: solids::cone() }
    }
}

/// The length that nine tenths of the vectors along a film do not have.
fn large(film: &Film, places: &[usize; 3]) -> f64 {
    let lengths = film.frames.iter().map(|f| norm(&vector(f, places)));
    let mut lengths: Vec<f64> = lengths.filter(|x| x.is_finite() && *x > 0.0).collect();
    lengths.sort_by(f64::total_cmp);
    let place = (QUANTILE * lengths.len() as f64) as usize;
    lengths.get(place.min(lengths.len().saturating_sub(1))).copied().unwrap_or(1.0)
}

/// Everything in a frame but flat ground.
pub(crate) fn parts<'a>(scene: &'a Scene, frame: &[f64], arrows: &'a Arrows) -> Vec<Part<'a>> {
    let mut all = Vec::new();
    for (k, object) in scene.objects.iter().enumerate().filter(|(_, o)| !is_flat(scene, o)) {
        all.extend(Placed::of(object, frame).map(|placed| Part::of(scene, k, object, placed)));
    }
    let thin = |mesh: &'a Mesh, stick: Stick, colour: usize, shines: bool| {
        let colour = PALETTE[colour % COLOURS];
        let placed = stick.placed()?;
        Some(Part { mesh, placed, colour, look: Look::Solid, role: Role::Mark, inside: false, object: None, shines })
    };
    for rod in &scene.rods {
        let stick = Stick { from: vector(frame, &rod.from), to: vector(frame, &rod.to), radius: rod.radius };
        all.extend(thin(&arrows.stick, stick, rod.colour, false));
    }
    for arrow in &arrows.list {
        if let Some([shaft, head]) = arrow.sticks(scene, frame) {
            all.extend(thin(&arrows.stick, shaft, arrow.colour, true));
            all.extend(thin(&arrows.cone, head, arrow.colour, true));
        }
    }
    all
}

impl<'a> Part<'a> {
    /// An object where it stands.
    pub(crate) fn of(scene: &'a Scene, k: usize, object: &Object, placed: Placed) -> Part<'a> {
        let (colour, look, role) = (PALETTE[object.colour % COLOURS], object.look, object.role);
        let (mesh, inside) = (&scene.meshes[object.mesh], object.inside);
        Part { mesh, placed, colour, look, role, inside, object: Some(k), shines: false }
    }
}
