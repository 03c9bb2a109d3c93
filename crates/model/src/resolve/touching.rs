//! Two sides that touch: the point, the normal, the slip, and how the point moves.
//!
//! In the axes of the first side, with G and d the rotation and the origin of the second (polhode-geometry, `meeting`), and b the velocity of the
//! second side's material in its own axes, as of a belt, the slip is
//!
//! ```text
//! u = V + Ω × c − G (V₁ + Ω₁ × c₁ + b)                c₁ = Gᵀ(c − d)
//! ```
//!
//! The point c is a function of the configuration where a formula is known; otherwise it is carried along,
//!
//! ```text
//! K ċ = ν × (Ω − G Ω₁) − S₂ w,     w = u + G b
//! ```
//!
//! A cylinder on a plane touches along a line, and counts as two contacts at the ends of its length.
//!
//! Source: [Voronets1911, §§4, 8], without charts, and with motions of the second side.

use super::Resolver;
use super::contact_rows::is_line;
use super::contacts::{Candidate, Manner, Touch};
use super::surfaces::Bounded;
use super::value::Value;
use crate::contact::{Contact, ContactSide, Correction, Owner};
use polhode_base::ids::IdRange;
use polhode_base::{Diagnostic, Span};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Boundary, Known, Mat3, Patch, Piece, Relative, Shape, Side, Stand, Surface, Vec3, linear};

impl Resolver<'_> {
    pub(super) fn add_contact(&mut self, name: &str, span: Span, first: Candidate, second: Candidate, manner: Manner) {
        let g = &mut self.graph;
        let stand = stand_of(g, &first, &second);
        let known = Known::of(g, &first.bounded.boundary, &second.bounded.boundary, &stand);
        let plane = |b: &Bounded| matches!(b.boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
        if let (Boundary::Surface(Surface { shape: Shape::Cone { .. }, .. }), true) =
            (first.bounded.boundary, plane(&second.bounded))
        {
            let message = "a cone touches a plane along a line from its tip, and such a contact is not supported";
            self.report(
                Diagnostic::error("singular-contact", message)
                    .at(first.bounded.span, "")
                    .note("rolling in a point would leave it free to tip over the line")
                    .help("let it touch with the rim of its base and with a small ball at its tip, each in a contact of its own: surfaces = { base = { rim = 0.5, centre = [0, 0, 1] }, tip = { sphere = 0.01 } }"),
            );
            return;
        }
        let cylinder =
            |b: &Bounded| matches!(b.boundary, Boundary::Surface(Surface { shape: Shape::Cylinder { .. }, .. }));
        if !(cylinder(&first.bounded) && plane(&second.bounded)) {
            self.add_point_contact(name, span, first, second, manner, known);
            return;
        }
        let (Some(length), Some(known)) = (first.bounded.length, known) else {
            let message = "a cylinder touches a plane along a line, but it has no length";
            self.report(
                Diagnostic::error("singular-contact", message)
                    .at(first.bounded.span, "")
                    .help("write surface = { cylinder = 0.5, length = 1 }: it then touches at both ends of a line"),
            );
            return;
        };
        let g = &mut self.graph;
        let Boundary::Surface(Surface { placement, .. }) = first.bounded.boundary else { return };
        let axis = [g.zero(), g.zero(), g.one()];
        let axis = placement.map_or(axis, |p| linear::mat_vec(g, &p.rotation, &axis));
        for (end, sign) in [("1", 1), ("2", -1)] {
            let g = &mut self.graph;
            let half = g.scale(length, &ratio(sign, 2));
            let step = linear::scale(g, half, &axis);
            let point = linear::add(g, &known.point, &step);
            let out = linear::dot(g, &known.normal, &step);
            let known = Known { point, gap: g.sub(known.gap, out), ..known };
            let name = if name.is_empty() { format!("end_{end}") } else { format!("{name}_{end}") };
            self.add_point_contact(&name, span, first.clone(), second.clone(), manner.clone(), Some(known));
        }
    }

    fn add_point_contact(
        &mut self,
        name: &str,
        span: Span,
        first: Candidate,
        second: Candidate,
        manner: Manner,
        known: Option<Known>,
    ) {
        let part = |n: &str| if name.is_empty() { n.to_owned() } else { format!("{name}.{n}") };
        let g = &mut self.graph;
        let stand = stand_of(g, &first, &second);
        let names = |g: &mut Graph, n: &str| {
            let at = [1, 2, 3].map(|i| g.symbol(&format!("{}[{i}]", part(n))));
            let parameters = [1, 2].map(|i| g.symbol(&format!("{}.uv[{i}]", part(n))));
            (at, parameters)
        };
        let (at, parameters) = names(g, "c");
        let (at1, parameters1) = names(g, "c1");
        let Ok(piece) = first.bounded.boundary.piece(g, at, parameters) else { return };
        let Ok(piece1) = second.bounded.boundary.piece(g, at1, parameters1) else { return };
        let Piece::Patch(patch1) = &piece1 else { return };
        let point = known.map_or(*piece.position(), |k| k.point);
        let by_chart = matches!(patch1, Patch::Chart(_));
        let point1 = if by_chart && known.is_none() { *patch1.position() } else { stand.back(g, &point) };
        // the boundaries where they touch
        let piece_here = match known {
            Some(_) => at_point(g, &first.bounded.boundary, &piece, &point),
            None => piece.clone(),
        };
        let normal1 =
            if by_chart { *patch1.normal() } else { at_coordinates(g, patch1.coordinates(), &point1, patch1.normal()) };
        let seen = linear::mat_vec(g, &stand.rotation, &normal1);
        let normal = match (&known, &piece_here) {
            (Some(k), _) => k.normal,
            (None, Piece::Patch(p)) => *p.normal(),
            (None, Piece::Rim(_)) => linear::neg(g, &seen),
        };
        let shape1 = seen_shape(g, &second.bounded.boundary, patch1, &point1, by_chart, &stand.rotation, &normal);
        let relative = Relative::new(g, &piece_here, normal, &shape1);
        let material = |g: &mut Graph, side: &Candidate, at: &Vec3| {
            let turning = linear::cross(g, &side.spin, at);
            linear::add(g, &side.velocity, &turning)
        };
        let moving = second.belt;
        let belt = match moving {
            Some([velocity, spin]) => {
                let turning = linear::cross(g, &spin, &point1);
                linear::add(g, &velocity, &turning)
            }
            None => linear::zero(g),
        };
        let (own, other) = (material(g, &first, &point), material(g, &second, &point1));
        let other = linear::mat_vec(g, &stand.rotation, &other);
        let over_axes = linear::sub(g, &own, &other);
        let seen_belt = linear::mat_vec(g, &stand.rotation, &belt);
        let slip = linear::sub(g, &over_axes, &seen_belt);
        let mut carried = Vec::new();
        let mut rate = linear::zero(g);
        if known.is_none() {
            let spin = linear::mat_vec(g, &stand.rotation, &second.spin);
            let spin = linear::sub(g, &first.spin, &spin);
            let turning = linear::cross(g, &normal, &spin);
            let slides = manner.frictionless || manner.slides || manner.smooth.is_some();
            let sliding = if slides { over_axes } else { seen_belt };
            let dragged = linear::mat_vec(g, &shape1, &sliding);
            let w = linear::sub(g, &turning, &dragged);
            rate = relative.velocity(g, &w);
            let rates = piece.rates(g, &rate);
            let plain = matches!(&piece, Piece::Patch(Patch::Implicit(_)));
            let coordinates = piece.coordinates().to_vec();
            let factor = part(if plain { "c" } else { "c.uv" });
            let points = coordinates.iter().copied().zip(rates).collect();
            self.configuration.carry(&mut self.graph, &factor, points);
            carried.extend(coordinates);
            if by_chart {
                let g = &mut self.graph;
                let over = linear::add(g, &rate, &sliding);
                let back = linear::mat_vec(g, &linear::transpose(&stand.rotation), &over);
                let rates = patch1.rates(g, &back);
                let points = parameters1.into_iter().zip(rates).collect();
                self.configuration.carry(&mut self.graph, &part("c1.uv"), points);
                carried.extend(parameters1);
            }
        }
        let correction = match known {
            Some(k) => Correction { shift: k.shift, turn: None, points: Vec::new() },
            None => correction(&mut self.graph, &piece, patch1, &stand, &point, &normal, &seen),
        };
        let mut ends = Vec::new();
        for (side, at) in [(&first, &point), (&second, &point1)] {
            let line =
                matches!(first.bounded.boundary, Boundary::Surface(Surface { shape: Shape::Cylinder { .. }, .. }))
                    && matches!(second.bounded.boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
            if let (Some(length), Boundary::Surface(Surface { placement, .. }), false) =
                (side.bounded.length, side.bounded.boundary, line)
            {
                let g = &mut self.graph;
                let own = placement.map_or(*at, |p| p.back(g, at));
                let (half, along) = (g.powi(length, 2), g.powi(own[2], 2));
                let half = g.scale(half, &ratio(1, 4));
                ends.push((side.name.clone(), g.sub(half, along)));
            }
        }
        let zero = self.graph.zero();
        let contact = Contact {
            name: name.to_owned(),
            sides: [first.at(piece, point, linear::zero(&self.graph)), second.at(piece1, point1, belt)],
            normal,
            slip,
            rate,
            relative,
            carried,
            correction,
            frictionless: manner.frictionless,
            bilateral: manner.bilateral,
            friction: manner.friction,
            changes: None,
            constraints: IdRange::new(0, 0),
            force: [zero; 3],
            normal_force: zero,
            span,
        };
        for (n, value) in [("c", point), ("c1", point1)] {
            self.bind_new(&part(n), Value::Vector(value.to_vec()), span);
        }
        let facing = match contact.sides[0].piece {
            Piece::Patch(Patch::Chart(_)) => linear::neg(&mut self.graph, &seen),
            _ => normal,
        };
        let poles = poles(&mut self.graph, &contact, &stand, &facing);
        let second_axes = self.closes_loop(&contact) && !is_line(&contact);
        if second_axes {
            for touch in self.touches.iter_mut().filter(|t| !is_line(&t.contact)) {
                let [a, b] = &touch.contact.sides;
                touch.second_axes |= a.owner == contact.sides[0].owner && b.owner == Owner::Ground;
            }
        }
        self.touches.push(Touch {
            contact,
            known: known.is_some(),
            second_axes,
            facing,
            poles,
            ends,
            belt: moving,
            gap: known.map(|k| k.gap),
            manner,
        });
    }

    /// Whether the two sides of a contact are tied to each other by earlier contacts.
    fn closes_loop(&self, contact: &Contact) -> bool {
        let reach = |from: Owner| {
            let mut seen = vec![from];
            let mut k = 0;
            while k < seen.len() {
                for other in self.touches.iter().map(|t| &t.contact.sides) {
                    let owners = [other[0].owner, other[1].owner];
                    if let Some(i) = owners.iter().position(|o| *o == seen[k])
                        && !seen.contains(&owners[1 - i])
                    {
                        seen.push(owners[1 - i]);
                    }
                }
                k += 1;
            }
            seen
        };
        reach(contact.sides[0].owner).contains(&contact.sides[1].owner)
    }
}

/// n·(x_u × x_v) of the sides that are charts, with the normal n of the other side: positive, and zero at a pole of the parameters. An edge
/// has no normal of its own, so that |x_u × x_v| has to do.
fn poles(g: &mut Graph, contact: &Contact, stand: &Stand, facing: &Vec3) -> Vec<(String, Expr)> {
    let mut out = Vec::new();
    for (k, side) in contact.sides.iter().enumerate() {
        let Piece::Patch(Patch::Chart(chart)) = &side.piece else { continue };
        if !chart.parameters.iter().all(|s| contact.carried.contains(s)) {
            continue;
        }
        let function = match (k, &contact.sides[0].piece) {
            (1, Piece::Rim(_)) => chart.area,
            (0, _) => {
                let across = linear::cross(g, &chart.tangents[0], &chart.tangents[1]);
                linear::dot(g, facing, &across)
            }
            _ => {
                let back = linear::mat_vec(g, &linear::transpose(&stand.rotation), &contact.normal);
                let across = linear::cross(g, &chart.tangents[0], &chart.tangents[1]);
                let along = linear::dot(g, &back, &across);
                g.neg(along)
            }
        };
        out.push((side.name.clone(), function));
    }
    out
}

/// How the second stands, seen from the first.
fn stand_of(g: &mut Graph, first: &Candidate, second: &Candidate) -> Stand {
    let back = linear::transpose(&first.rotation);
    let rotation = linear::mat_mul(g, &back, &second.rotation);
    let apart = linear::sub(g, &second.position, &first.position);
    Stand { rotation, origin: linear::mat_vec(g, &back, &apart) }
}

/// Expressions in the coordinates of a point, at this point.
fn at_coordinates<const N: usize>(
    g: &mut Graph,
    coordinates: &[Symbol],
    point: &Vec3,
    entries: &[Expr; N],
) -> [Expr; N] {
    let at = coordinates.iter().copied().zip(*point).collect();
    let moved = g.substitute_all(entries, &at);
    std::array::from_fn(|i| moved[i])
}

/// The first boundary at a known point.
fn at_point(g: &mut Graph, boundary: &Boundary, piece: &Piece, point: &Vec3) -> Piece {
    match piece {
        Piece::Patch(Patch::Implicit(p)) => {
            let mut here = p.as_ref().clone();
            here.normal = at_coordinates(g, &p.coordinates, point, &p.normal);
            here.shape = std::array::from_fn(|i| at_coordinates(g, &p.coordinates, point, &p.shape[i]));
            here.position = *point;
            Piece::Patch(Patch::Implicit(Box::new(here)))
        }
        Piece::Rim(r) => match boundary {
            Boundary::Edge(edge) => Piece::Rim(Box::new(edge.rim_through(g, r.parameter, point).unwrap_or(**r))),
            Boundary::Surface(_) => piece.clone(),
        },
        other => other.clone(),
    }
}

/// How a contact with carried points is closed: c ↦ c − ν f/|∇f|, then the first side turned by ν × (−G ν₁) about it and moved by
/// −G ν₁ f₁/|∇f₁|; the parameters of charts follow the nearest point.
fn correction(
    g: &mut Graph,
    piece: &Piece,
    patch1: &Patch,
    stand: &Stand,
    point: &Vec3,
    normal: &Vec3,
    seen: &Vec3,
) -> Correction {
    let mut points = Vec::new();
    if let Piece::Patch(Patch::Implicit(p)) = piece {
        let off = g.div(p.f, p.gradient_norm);
        let off = g.neg(off);
        let step = linear::scale(g, off, normal);
        points.extend(p.coordinates.into_iter().zip(step));
    }
    let point1 = stand.back(g, point);
    let gap = match patch1 {
        Patch::Implicit(p) => {
            let off = g.div(p.f, p.gradient_norm);
            at_coordinates(g, &p.coordinates, &point1, &[off])[0]
        }
        Patch::Chart(p) => {
            let apart = linear::sub(g, &point1, &p.position);
            let rates = p.rates(g, &apart);
            points.extend(p.parameters.into_iter().zip(rates));
            linear::dot(g, &apart, &p.normal)
        }
    };
    let back = g.neg(gap);
    let shift = linear::scale(g, back, seen);
    let turn = match piece {
        Piece::Patch(_) => {
            let across = linear::cross(g, normal, seen);
            Some(linear::neg(g, &across))
        }
        Piece::Rim(_) => None,
    };
    Correction { shift, turn, points }
}

/// G S₁ Gᵀ at the contact; of a sphere it is ±(1 − ννᵀ)/r in any axes.
fn seen_shape(
    g: &mut Graph,
    boundary: &Boundary,
    patch: &Patch,
    point: &Vec3,
    by_chart: bool,
    rotation: &Mat3,
    normal: &Vec3,
) -> Mat3 {
    if let Boundary::Surface(Surface { shape: Shape::Sphere { radius }, side, .. }) = boundary {
        let k = g.powi(*radius, -1);
        let k = if *side == Side::Inside { g.neg(k) } else { k };
        return std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let product = g.mul(normal[i], normal[j]);
                let one = if i == j { g.one() } else { g.zero() };
                let tangent = g.sub(one, product);
                g.mul(k, tangent)
            })
        });
    }
    let own: Mat3 = if by_chart {
        *patch.shape()
    } else {
        std::array::from_fn(|i| at_coordinates(g, patch.coordinates(), point, &patch.shape()[i]))
    };
    linear::conjugate(g, rotation, &own)
}

impl Candidate {
    fn at(self, piece: Piece, point: Vec3, belt: Vec3) -> ContactSide {
        ContactSide {
            owner: self.owner,
            name: self.name,
            boundary: self.bounded.boundary,
            size: self.bounded.size,
            domain: self.bounded.domain,
            length: self.bounded.length,
            piece,
            point,
            rotation: self.rotation,
            position: self.position,
            velocity: self.velocity,
            spin: self.spin,
            belt,
            span: self.bounded.span,
        }
    }
}
