//! What is looked at once bodies stand: belts, relative curvature, overlaps.

use super::Resolver;
use super::placing::{Algebra, Exactly, Found, doubles, vector};
use super::starting::Placed;
use crate::contact::{Contact, ContactSide};
use polhode_base::Diagnostic;
use polhode_expr::eval::{Doubles, Real};
use polhode_expr::{Expr, Symbol};
use polhode_geometry::numeric::NumericSurface;
use polhode_geometry::{Boundary, Curve, Edge, Piece, Relative, Shape as Form, Surface, dense};
use rustc_hash::FxHashMap;

/// A belt that goes through its surface at more than this part of its speed does not move along it.
const THROUGH: f64 = 1e-9;
/// Relative curvature below this, in units of the trace, is singular.
const SINGULAR: f64 = 1e-9;
/// Relative curvature below this in every direction, in units of the size of the body, is none: the flat ends of a superquadric, which a
/// search for the point with a given normal only comes near to.
const FLAT: f64 = 1e-5;
/// Points of a body that are looked at for overlaps.
const SPREAD: usize = 300;
/// How far they may reach into the other side, in units of the body's size.
const OVERLAP: f64 = 1e-3;

/// Points of a body that are further apart than this, in units of its size, are two.
const ELSEWHERE: f64 = 1e-6;

impl Resolver<'_> {
    /// Reports a belt that would leave its surface, or go through it.
    pub(super) fn belt_stays_on_surface(&mut self, exactly: &Exactly, contact: &Contact) -> Option<()> {
        let side = &contact.sides[1];
        let look = self.look(side);
        let Some([velocity, spin]) = self.touches.iter().find(|t| t.contact.name == contact.name).and_then(|t| t.belt)
        else {
            return Some(());
        };
        let number = |v: &[Expr; 3]| exactly.values(&self.graph, v).map(|v| doubles(&vector(v)));
        let (velocity, spin) = (number(&velocity)?, number(&spin)?);
        for at in look.surface.iter().flat_map(NumericSurface::scattered) {
            let b = dense::add_scaled(&velocity, 1.0, &dense::cross(&spin, &at.point));
            let speed = dense::norm(&velocity) + dense::norm(&spin) * dense::norm(&at.point);
            if dense::dot(&b, &at.normal).abs() > THROUGH * speed {
                let message = format!("the belt of `{}` does not move along its surface", side.name);
                self.report(
                    Diagnostic::error("belt-off-surface", message)
                        .at(side.span, "")
                        .note("a belt moves the material and leaves the surface where it is: a plane along itself, a cylinder or a surface of revolution about its axis")
                        .help("for ground that moves as a whole, write `position` and `rotation` as functions of t"),
                );
                return None;
            }
        }
        Some(())
    }

    /// Warns of a body that reaches into what it touches elsewhere.
    pub(super) fn look_elsewhere(&mut self, exactly: &Exactly, contact: &Contact, placed: &Placed) -> Option<()> {
        let a = Algebra { digits: exactly.digits };
        let [first, second] = &contact.sides;
        let Some(other) = self.numeric(second) else { return Some(()) };
        let (size, points) = match self.numeric(first) {
            Some(body) => (body.size(), body.spread(SPREAD)),
            None => self.around_circle(first)?,
        };
        let poses = [self.pose(exactly, first, placed)?, self.pose(exactly, second, placed)?];
        let back = a.transpose(&poses[1].rotation);
        let turn = a.times(&back, &poses[0].rotation);
        let origin = doubles(&a.apply(&back, &a.minus(&poses[0].position, &poses[1].position)));
        let turn = turn.map(|row| doubles(&row));
        let mut deepest = (-OVERLAP * size, [0.0; 3]);
        for p in points {
            let seen = std::array::from_fn(|i| origin[i] + (0..3).map(|j| turn[i][j] * p[j]).sum::<f64>());
            if let Some((distance, _)) = other.signed_distance(seen)
                && distance < deepest.0
            {
                deepest = (distance, p);
            }
        }
        if deepest.0 < -OVERLAP * size {
            let whose = if second.name == "ground" { "the ground".to_owned() } else { format!("`{}`", second.name) };
            let [x, y, z] = deepest.1.map(|x| (x * 1e3).round() / 1e3);
            let message = format!("`{}` does not fit: it reaches into {whose} away from the contact", first.name);
            self.report(
                Diagnostic::warning("does-not-fit", message)
                    .at(first.span, format!("at about [{x}, {y}, {z}]"))
                    .also(second.span, "which is too small or too narrow there")
                    .note("the equations hold, but a real body would touch elsewhere as well"),
            );
        }
        Some(())
    }

    /// The radius of a rim and points all around it; none of other edges, which may have ends.
    fn around_circle(&self, side: &ContactSide) -> Option<(f64, Vec<[f64; 3]>)> {
        let (Piece::Rim(rim), Boundary::Edge(Edge { curve: Curve::Circle { radius }, .. })) =
            (&side.piece, &side.boundary)
        else {
            return Some((0.0, Vec::new()));
        };
        let size = self.graph.evaluate_f64(*radius, &self.values).ok()?;
        let mut values = self.values.clone();
        let point = |k: usize| {
            values.insert(rim.parameter, k as f64 * std::f64::consts::TAU / SPREAD as f64);
            self.graph.evaluate(&Doubles, &rim.position, &values).ok().map(|p| [p[0], p[1], p[2]])
        };
        Some((size, (0..SPREAD).filter_map(point).collect()))
    }

    /// Reports a relative curvature that is singular, and bodies that do not fit.
    pub(super) fn look_at_curvature(
        &mut self,
        exactly: &Exactly,
        contact: &Contact,
        points: &[Found; 2],
        placed: &Placed,
    ) -> Option<()> {
        let [first, second] = &contact.sides;
        let shape = |side: &ContactSide| match side.boundary {
            Boundary::Surface(Surface { shape, .. }) => Some(shape),
            Boundary::Edge(_) => None,
        };
        if matches!((shape(first), shape(second)), (Some(Form::Cylinder { .. }), Some(Form::Plane))) {
            return Some(()); // along a line, which its two ends stand for
        }
        let mut values = exactly.values.clone();
        for (b, pose) in &placed.poses {
            let body = &self.rolling[*b];
            values.extend(body.positions[..9].iter().copied().zip(pose.rotation.iter().flatten().cloned()));
            values.extend(body.positions[9..].iter().copied().zip(pose.position.iter().cloned()));
        }
        for (side, found) in contact.sides.iter().zip(points) {
            values.extend(side.piece.coordinates().iter().copied().zip(found.coordinates.iter().cloned()));
        }
        let (determinant, trace) = match &contact.relative {
            Relative::Surfaces(c) => (c.determinant, c.trace),
            Relative::Edge { curvature, .. } => (*curvature, *curvature),
        };
        let edge = matches!(first.piece, Piece::Rim(_));
        let size = self.numeric(first).map_or(1.0, |s| s.size());
        let whose = if second.name == "ground" { "the ground".to_owned() } else { format!("`{}`", second.name) };
        let found = self.graph.evaluate(&exactly.digits, &[determinant, trace], &values).ok();
        let found = found.map(|v| [v[0].to_f64().value(), v[1].to_f64().value()]);
        let singular = match found {
            Some([k, _]) if edge => k.abs() <= SINGULAR,
            Some([det, trace]) => det.abs() <= SINGULAR * trace * trace || trace.abs() * size <= FLAT,
            None => true,
        };
        if singular {
            let message = format!("`{}` and {whose} touch along more than a point", first.name);
            self.report(
                Diagnostic::error("singular-contact", message)
                    .at(first.span, "")
                    .also(second.span, "has the opposite curvature in one direction, or no curvature here")
                    .note("then rolling does not determine how the point of contact moves"),
            );
            return None;
        }
        let [det, trace] = found?;
        // an edge has one direction only
        let inverted = if edge { det < 0.0 } else { det > 0.0 && trace < 0.0 };
        if inverted || self.touches_elsewhere(exactly, contact, &points[0], &values) {
            let how = if edge { "" } else { " in every direction" };
            let message = format!("`{}` does not fit into {whose}: it is less curved{how}", first.name);
            self.report(
                Diagnostic::error("does-not-fit", message)
                    .at(first.span, "")
                    .also(second.span, "is smaller than the body, or the material is on the wrong side")
                    .help("make the cavity larger, or leave `inside` out"),
            );
            return None;
        }
        if det < 0.0 {
            let message = format!("`{}` does not fit: near the point of contact it is inside {whose}", first.name);
            self.report(
                Diagnostic::warning("does-not-fit", message)
                    .at(first.span, "")
                    .also(second.span, "is more curved in one direction")
                    .note("the equations hold, but a real body would touch elsewhere as well"),
            );
        }
        Some(())
    }

    /// Whether the formula of a contact gives another point than the one where it was put: a circle that is too large for a cavity
    /// touches, by its farthest point, at the opposite end.
    fn touches_elsewhere(
        &self,
        exactly: &Exactly,
        contact: &Contact,
        at: &Found,
        values: &FxHashMap<Symbol, Real>,
    ) -> bool {
        let Ok(by_formula) = self.graph.evaluate(&exactly.digits, &contact.sides[0].point, values) else {
            return false;
        };
        let (by_formula, put) = (doubles(&vector(by_formula)), doubles(&at.point));
        let apart = (0..3).map(|i| (by_formula[i] - put[i]).powi(2)).sum::<f64>();
        let size = put.iter().map(|x| x * x).sum::<f64>();
        apart > ELSEWHERE * ELSEWHERE * size
    }
}
