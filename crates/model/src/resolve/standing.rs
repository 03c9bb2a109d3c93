//! Placing one body: as it was given, or by its contact with what stands already.
//!
//! Not here: in which order (`starting`), the searches for points (`placing`).

use super::Resolver;
use super::bodies::short;
use super::placing::{Algebra, Exactly, Found, Look, M, Pose, V, doubles, vector};
use super::starting::{EXACT, Given, Placed, Start};
use crate::contact::{Contact, Owner};
use polhode_base::{Diagnostic, Span};
use polhode_expr::eval::Real;
use polhode_geometry::Boundary;
use polhode_geometry::numeric::{NumericSurface, Regularity};

/// A vector whose tangent part is below this part of its length is along the normal.
const ALONG_NORMAL: f64 = 1e-9;
/// The tangent part of an axis that is far enough from the normal to give a heading; of any two axes one has it.
const FAR: f64 = 0.1;
/// Coordinates of a suggested point below this part of the largest are shown as 0.
const ROUNDED: f64 = 1e-9;
/// A given point nearer to its surface than this, in units of its size, is moved onto it with a warning: what is left of six digits.
const NEARLY_ON: f64 = 1e-6;
/// How far normals may be from opposite, in radians, where everything is given.
const FITTING: f64 = 1e-6;
/// How far boundaries may be apart, in units of their size, where positions are given.
const TOUCHING: f64 = 1e-8;
/// Steps in which a gap is closed: each leaves about the square of what was there.
const CLOSING: usize = 8;

impl Resolver<'_> {
    pub(super) fn place_as_given(
        &mut self,
        exactly: &Exactly,
        body: usize,
        start: &Start,
        placed: &mut Placed,
    ) -> Option<()> {
        let a = Algebra { digits: exactly.digits };
        let rotation = self.given_rotation(exactly, start)?.unwrap_or_else(|| a.identity());
        let position = vector(exactly.values(&self.graph, &start.position.as_ref()?.entries)?);
        let useless = [&start.touching, &start.contact, &start.heading, &start.tangent_body, &start.tangent_ground];
        if let Some(given) = useless.into_iter().flatten().next() {
            let message = format!("`{}` is placed by its position already", self.rolling[body].name);
            let error = Diagnostic::error("duplicate-value", message)
                .help("leave out either `position`, or what says where it touches");
            self.blame_given(given, error);
            return None;
        }
        placed.poses.insert(body, Pose { rotation, position });
        Some(())
    }

    #[allow(clippy::too_many_arguments, reason = "all of them say where one body touches")]
    pub(super) fn place_by_contact(
        &mut self,
        exactly: &Exactly,
        body: usize,
        start: &Start,
        contacts: &[Contact],
        contact: usize,
        mine: usize,
        placed: &mut Placed,
    ) -> Option<()> {
        let (own, other) = (&contacts[contact].sides[mine], &contacts[contact].sides[1 - mine]);
        let base = self.pose(exactly, other, placed)?;
        let (look, ground) = (self.look(own), self.look(other));
        let a = Algebra { digits: exactly.digits };
        // all below is in the axes of the other side
        let back = a.transpose(&base.rotation);
        let turn = self.given_rotation(exactly, start)?.map(|r| a.times(&back, &r));
        let edge = matches!(own.boundary, Boundary::Edge(_));
        if let (true, Some(given)) = (edge, &start.contact) {
            let error = Diagnostic::error("no-contact", "the point of an edge follows from its rotation")
                .help("leave `contact` out and say `rotation`");
            self.blame_given(given, error);
            return None;
        }

        // the point of the body, where it does not depend on the other side
        let mut at = match &start.contact {
            Some(given) if start.by_normal => {
                let v = exactly.values(&self.graph, &given.entries)?;
                let normal = a.unit(&vector(v));
                let found = exactly.with_normal(&self.graph, &look, &normal);
                if found.is_none() {
                    let error = Diagnostic::error("no-contact", "the body has no point with this normal");
                    self.blame_given(given, error);
                    return None;
                }
                found
            }
            Some(given) => Some(self.on_surface(exactly, &look, given, "the body", own.span)?),
            None => None,
        };
        let whose = if other.name == "ground" { "the ground".to_owned() } else { format!("`{}`", other.name) };
        let name = self.rolling[body].name.clone();
        let on_ground = match (&start.touching, &at, &turn) {
            (Some(given), _, _) => self.on_surface(exactly, &ground, given, &whose, other.span)?,
            (None, at, turn) => {
                let normal = match (at, turn) {
                    (Some(at), Some(turn)) => a.negative(&a.apply(turn, &at.normal)),
                    _ => a.apply(&back, &a.axis(2)),
                };
                let Some(found) = exactly.with_normal(&self.graph, &ground, &normal) else {
                    if self.starts_at_pole(&ground, &normal, &whose, other.span) {
                        return None;
                    }
                    let message = format!("no point of {whose} was found where `{name}` could touch it");
                    self.report(
                        Diagnostic::error("no-contact", message)
                            .at(self.rolling[body].span, "")
                            .help("say where it touches: touching = [x, y, z]"),
                    );
                    return None;
                };
                found
            }
        };
        let down = a.negative(&on_ground.normal);
        if at.is_none() {
            let given = turn.clone().unwrap_or_else(|| a.identity());
            let normal = a.apply(&a.transpose(&given), &down);
            at = exactly.with_normal(&self.graph, &look, &normal);
            if at.is_none() && self.starts_at_pole(&look, &normal, &format!("`{name}`"), own.span) {
                return None;
            }
        }
        let Some(at) = at else {
            let message = format!("no point of `{name}` has the normal that touches {whose}");
            let mut error = Diagnostic::error("no-contact", message).at(self.rolling[body].span, "");
            if edge && start.rotation.is_none() {
                error =
                    error.note("without `rotation` it is the identity, and the edge lies flat: all of it would touch");
            }
            self.report(error.help(match edge {
                true => "turn the body: rotation = \"Rx(pi/2 - 0.1)\"",
                false => "turn the body, or say contact = [x, y, z] in body axes",
            }));
            return None;
        };
        let rotation = match (&turn, start.contact.is_some()) {
            (None, true) => self.between_tangents(exactly, start, &at.normal, &on_ground.normal)?,
            (turn, _) => {
                let turn = turn.clone().unwrap_or_else(|| a.identity());
                let normal = a.apply(&turn, &at.normal);
                let gap = a.size(&a.minus(&normal, &down));
                if gap > FITTING {
                    let angle = 2.0 * (gap / 2.0).min(1.0).asin();
                    let message =
                        format!("the normals of `{name}` and {whose} are not opposite: they are off by {angle:.3} rad");
                    let error = Diagnostic::error("no-contact", message)
                        .help("leave `rotation`, `contact` or `touching` out, and it is found");
                    match start.rotation.as_ref() {
                        Some(given) => self.blame_given(given, error),
                        None => self.report(error.at(self.rolling[body].span, "")),
                    }
                    return None;
                }
                a.turned_onto(&normal, &down, &turn)
            }
        };
        let centre = a.minus(&on_ground.point, &a.apply(&rotation, &at.point));
        let position = a.plus(&base.position, &a.apply(&base.rotation, &centre));
        placed.poses.insert(body, Pose { rotation: a.times(&base.rotation, &rotation), position });
        let points = if mine == 0 { [at, on_ground] } else { [on_ground, at] };
        placed.points.insert(contact, points);
        Some(())
    }

    /// Reports a start at a pole of the parameters of a surface; true if it is one.
    pub(super) fn starts_at_pole(&mut self, look: &Look<'_>, normal: &V, whose: &str, span: Span) -> bool {
        let Some([u, v]) = look.surface.as_ref().and_then(|s| s.pole_towards(doubles(normal))) else { return false };
        let message = format!("{whose} would touch at a pole of its parameters, where there is no normal");
        let [u, v] = [u, v].map(|x| (x * 1e6).round() / 1e6 + 0.0);
        self.report(
            Diagnostic::error("not-regular", message)
                .at(span, format!("at about u = {u}, v = {v}"))
                .note("x_u × x_v vanishes there: the parameters have no definite rates, as longitude has none at the poles of a globe")
                .help("start elsewhere, choose parameters with their poles elsewhere, or write the surface by an equation: implicit = \"…\""),
        );
        true
    }

    /// Finds the points of a contact between bodies that stand, and whether they touch.
    pub(super) fn fit_contact(
        &mut self,
        exactly: &Exactly,
        contacts: &[Contact],
        k: usize,
        starts: &[Start],
        placed: &mut Placed,
    ) -> Option<()> {
        if placed.points.contains_key(&k) {
            return Some(());
        }
        let contact = &contacts[k];
        let [first, second] = &contact.sides;
        let poses = [self.pose(exactly, first, placed)?, self.pose(exactly, second, placed)?];
        let looks = [self.look(first), self.look(second)];
        let size = looks.iter().filter_map(|l| l.surface.as_ref()).map(NumericSurface::size).fold(0.0, f64::max);
        if self.starts_open(exactly, contact, placed, TOUCHING * size) {
            return Some(());
        }
        let found = exactly.meeting(&self.graph, [&looks[0], &looks[1]], [&poses[0], &poses[1]]);
        let names = format!("`{}` and `{}`", first.name, second.name);
        let Some(([at, on], gap)) = found.clone() else {
            let message = format!("no point was found where {names} touch");
            self.report(
                Diagnostic::error("no-contact", message)
                    .at(contact.span, "")
                    .help("place the body by `touching` and `rotation`, or check its `position`"),
            );
            return None;
        };
        let a = Algebra { digits: exactly.digits };
        let apart = gap.to_f64().value();
        if apart.abs() > TOUCHING * size {
            let how = if apart > 0.0 { "are apart by" } else { "overlap by" };
            let closed = self.closed(exactly, [&looks[0], &looks[1]], &poses, found, TOUCHING * size);
            let gap = closed.as_ref().map_or(apart.abs(), |p| a.size(&a.minus(p, &poses[0].position)));
            let message = format!("{names} do not touch: they {how} {}", short(gap));
            let mut error = Diagnostic::error("no-contact", message).at(contact.span, "");
            if let (Owner::Body(b), Some(place)) = (first.owner, closed)
                && starts[b].position.is_some()
            {
                let [x, y, z] = doubles(&place).map(short);
                error = error.help(format!("they do with position = [{x}, {y}, {z}] of `{}`", first.name));
            }
            self.report(error);
            return None;
        }
        // the last digits of a position that was given
        if let Owner::Body(b) = first.owner
            && starts[b].position.is_some()
            && apart.abs() > EXACT
            && contacts[..k].iter().all(|c| c.sides.iter().all(|s| s.owner != first.owner))
        {
            let out = a.apply(&poses[1].rotation, &on.normal);
            let pose = placed.poses.get_mut(&b)?;
            pose.position = std::array::from_fn(|i| &pose.position[i] - &out[i] * &gap);
        }
        placed.points.insert(k, [at, on]);
        Some(())
    }

    /// Where the first body touches when it is moved along the normals that are met on the way. One step closes a gap to first order only.
    fn closed(
        &self,
        exactly: &Exactly,
        looks: [&Look<'_>; 2],
        poses: &[Pose; 2],
        found: Option<([Found; 2], Real)>,
        near: f64,
    ) -> Option<V> {
        let a = Algebra { digits: exactly.digits };
        let mut pose = poses[0].clone();
        let mut found = found;
        for _ in 0..CLOSING {
            let ([_, on], gap) = found?;
            let out = a.apply(&poses[1].rotation, &on.normal);
            pose.position = std::array::from_fn(|i| &pose.position[i] - &out[i] * &gap);
            found = exactly.meeting(&self.graph, looks, [&pose, &poses[1]]);
            if found.as_ref().is_some_and(|(_, gap)| gap.to_f64().value().abs() <= near) {
                return Some(pose.position);
            }
        }
        None
    }

    /// The point that was given, checked to lie on the surface and to be smooth there.
    fn on_surface(
        &mut self,
        exactly: &Exactly,
        look: &Look<'_>,
        given: &Given,
        whose: &str,
        place: Span,
    ) -> Option<Found> {
        let point = vector(exactly.values(&self.graph, &given.entries)?);
        let near = doubles(&point);
        let surface = look.surface.as_ref()?;
        let at = match surface.regularity(near) {
            Regularity::Regular(at) => at,
            Regularity::Off { distance } => {
                let nearest = surface.project(near).map(|p| p.point);
                // on the surface to the digits of doubles, so that it is regular or singular, and no more beside it
                let moved = nearest.map(|p| surface.regularity(p));
                // the distance to first order, where no nearest point was found
                let gap =
                    nearest.map_or(distance.abs(), |p| (0..3).map(|i| (p[i] - near[i]).powi(2)).sum::<f64>().sqrt());
                if let (Some(Regularity::Regular(at)), true) = (moved, gap <= NEARLY_ON * surface.size()) {
                    let message =
                        format!("this point is {} beside the surface of {whose}, and is moved onto it", short(gap));
                    let mut warning = Diagnostic::warning("not-on-surface", message)
                        .help(format!("write {}, or a formula, to have it where you want it", pasted(&at.point)));
                    if given.flag.is_none() {
                        warning = warning.also(place, "the surface");
                    }
                    let onto = at.point.map(|x| exactly.digits.double(x));
                    self.blame_given(given, warning);
                    return exactly.at_place(&self.graph, look, &at, &onto);
                }
                let side = if distance > 0.0 { "outside" } else { "inside the material" };
                let message = format!("this point is not on the surface of {whose}: it is {} {side}", short(gap));
                let mut error = Diagnostic::error("not-on-surface", message);
                if given.flag.is_none() {
                    error = error.also(place, "the surface");
                }
                if let Some(p) = nearest {
                    error = error.help(format!("the nearest point of the surface is about {}", pasted(&p)));
                }
                self.blame_given(given, error);
                return None;
            }
            Regularity::Singular => {
                let message = format!(
                    "the surface of {whose} is not smooth at this point: it has no normal or no curvature there"
                );
                self.blame_given(given, Diagnostic::error("not-regular", message));
                return None;
            }
        };
        exactly.at_place(&self.graph, look, &at, &point)
    }

    /// R: ν ↦ −ν₁ and the projected tangents onto each other, turned by the heading about ν₁.
    fn between_tangents(&mut self, exactly: &Exactly, start: &Start, normal: &V, up: &V) -> Option<M> {
        let a = Algebra { digits: exactly.digits };
        let mut legs: Vec<V> = Vec::new();
        for (given, n) in [(&start.tangent_body, normal), (&start.tangent_ground, up)] {
            let tangent = match given {
                Some(given) => vector(exactly.values(&self.graph, &given.entries)?),
                // an axis that is far from the normal
                None if a.size(&a.projected(&a.axis(0), n)) > FAR => a.axis(0),
                None => a.axis(1),
            };
            let along = a.projected(&tangent, n);
            if a.size(&along) < ALONG_NORMAL * a.size(&tangent) || a.size(&tangent) == 0.0 {
                if let Some(given) = given {
                    let error = Diagnostic::error(
                        "not-tangent",
                        "this vector is along the normal, so that it gives no heading",
                    );
                    self.blame_given(given, error);
                }
                return None;
            }
            legs.push(a.unit(&along));
        }
        let (from, mut to) = (legs[0].clone(), legs[1].clone());
        if let Some(given) = &start.heading {
            let angle = exactly.values(&self.graph, &given.entries)?.remove(0);
            let g = &mut self.graph;
            let e = g.number(a.digits.exact(&angle));
            let (s, c) = (g.sin(e), g.cos(e));
            let turn = exactly.values(g, &[s, c])?;
            let side = a.cross(up, &to);
            to = std::array::from_fn(|i| &to[i] * &turn[1] + &side[i] * &turn[0]);
        }
        let (third, image) = (a.cross(normal, &from), a.cross(&to, up));
        Some(std::array::from_fn(|i| {
            std::array::from_fn(|j| &to[i] * &from[j] + &image[i] * &third[j] - &up[i] * &normal[j])
        }))
    }
}

/// A point in ten digits, which is accepted where it is pasted.
fn pasted(p: &[f64; 3]) -> String {
    let size = p.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    let digits = |x: f64| format!("{x:.9e}").parse().unwrap_or(x);
    let [x, y, z] = p.map(|x| if x.abs() < ROUNDED * size { 0.0 } else { digits(x) });
    format!("[{x}, {y}, {z}]")
}
