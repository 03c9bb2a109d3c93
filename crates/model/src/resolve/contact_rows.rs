//! What contacts contribute to a model: rows of no slip, reports, events.
//!
//! With u the slip of `touching`, u = 0 is three rows. The multipliers of these rows are the force on
//! the first side in its axes. A contact that closes a loop, as the second of a ball between two plates, has the rows Gᵀu instead, in the axes of the
//! second side, or of the world where that is ground: one of its rows then tends to follow from the others, and in these axes it is the same one
//! all the time, also where the ground turns. So have the other contacts of its first side with the ground: of two parallel plates the rows
//! along the normal are then the same, and not only equal by way of Rᵀ R = 1, which an elimination does not see. A frictionless contact keeps only −ν·u = 0, with the normal force as multiplier.
//! One that changes during a run (`changing`) has both kinds of rows, and of these a part in force.

use super::Resolver;
use super::changing;
use super::scope::What;
use super::seams::seams;
use super::value::Value;
use crate::contact::{Changes, Contact, ContactSide, Owner, SLIDES};
use crate::model::{Action, Body, Cause, Constraint, Direction, Event};
use crate::switching::{Condition, Friction};
use crate::syntax::normalize_name;
use polhode_base::ids::{ConstraintId, ContactId, Id, IdRange};
use polhode_expr::number::{Rational, int, ratio};
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Boundary, Mat3, Piece, Relative, Shape, Side, Surface, linear};

/// A normal force is known to one part in this of the whole force; see [`Contact::slack`] for edges that lie nearly flat.
const ROUNDING: i64 = 500_000_000_000;
/// An edge at an angle below one part in this against what it touches lies flat: three quarters of the digits of its force are lost by then.
const LYING: i64 = 1_000_000;

/// What is known of a contact once the equations are there.
pub(super) const OBSERVED: [&str; 10] = [
    "slip",
    "force",
    "normal_force",
    "mu_required",
    "polhode_speed",
    "herpolhode_speed",
    "polhode_velocity",
    "herpolhode_velocity",
    "polhode_curvature",
    "herpolhode_curvature",
];

/// A row before it is numbered.
struct Row {
    name: String,
    residual: Expr,
    when: Option<Condition>,
    friction: Option<Friction>,
}

impl Resolver<'_> {
    /// The rows of the contacts, once the rates of the positions are known.
    pub(super) fn contact_constraints(&mut self) -> Vec<Constraint> {
        let mut out = Vec::new();
        for k in 0..self.touches.len() {
            let touch = self.touches[k].clone();
            let contact = &touch.contact;
            let rate = match touch.known {
                true => {
                    let moved = self.graph.along_all(&contact.sides[0].point, &self.rates);
                    [moved[0], moved[1], moved[2]]
                }
                false => contact.rate,
            };
            let g = &mut self.graph;
            let before = self.touches[..k].iter().map(|t| &t.contact);
            let axes = match (touch.second_axes, contact.sides[1].owner) {
                (false, _) => contact.sides[0].rotation,
                (true, Owner::Body(_)) => contact.sides[1].rotation,
                (true, Owner::Ground) => match before.rev().find(|c| same_plane(c, contact)) {
                    Some(other) => along_plane(g, other, contact),
                    None => linear::identity(g),
                },
            };
            let manners = self.manners_of(&touch);
            let g = &mut self.graph;
            let sticks = manners.sticks();
            let mut rows: Vec<Row> = Vec::new();
            let normal = match touch.second_axes {
                true => {
                    let world = linear::mat_vec(g, &contact.sides[0].rotation, &contact.normal);
                    linear::mat_vec(g, &linear::transpose(&axes), &world)
                }
                false => contact.normal,
            };
            if !contact.frictionless {
                let slip = match touch.second_axes {
                    true => {
                        let world = linear::mat_vec(g, &contact.sides[0].rotation, &contact.slip);
                        linear::mat_vec(g, &linear::transpose(&axes), &world)
                    }
                    false => contact.slip,
                };
                let when = manners.closed_and(sticks.clone());
                rows.extend((0..3).map(|i| Row {
                    name: contact.title(&format!("no slip {}", i + 1)),
                    residual: slip[i],
                    when: when.clone(),
                    friction: None,
                }));
            }
            if contact.frictionless || sticks.is_some() {
                let apart = linear::dot(g, &contact.normal, &contact.slip);
                let when = manners.closed_and(manners.slides());
                let friction = manners.rolls.and(contact.friction).map(|mu| changing::friction(g, contact, mu));
                rows.push(Row { name: contact.title("touching"), residual: g.neg(apart), when, friction });
                if let Some(smooth) = manners.smooth() {
                    let (name, when) = (contact.title("touching without friction"), manners.closed_and(Some(smooth)));
                    rows.push(Row { name, residual: g.neg(apart), when, friction: None });
                }
            }
            let first = out.len();
            let multipliers: Vec<Symbol> =
                (0..rows.len()).map(|i| g.symbol(&format!("multiplier.{}", first + i + 1))).collect();
            let pull: Vec<Expr> = multipliers.iter().map(|s| g.var(*s)).collect();
            let (mut force, mut normal_force) = (linear::zero(g), g.zero());
            if let [x, y, z, ..] = pull[..] {
                force = linear::mat_vec(g, &axes, &[x, y, z]);
                let own = linear::mat_vec(g, &linear::transpose(&contact.sides[0].rotation), &force);
                let own = if touch.second_axes { own } else { [x, y, z] };
                let out = linear::dot(g, &touch.facing, &own);
                normal_force = g.neg(out);
            }
            let count = if contact.frictionless { 0 } else { 3 };
            let no_slip = IdRange::new(first, first + count);
            let [touching, smooth] =
                [count, count + 1].map(|i| (i < rows.len()).then_some(ConstraintId::new(first + i)));
            for (row, push) in rows.iter().zip(&pull).skip(count) {
                let own = changing::sliding_force(g, contact, row.friction.as_ref(), *push);
                let world = linear::mat_vec(g, &contact.sides[0].rotation, &own);
                force = linear::add(g, &force, &world);
                normal_force = g.add(normal_force, *push);
                self.accelerations.extend(row.friction.iter().flat_map(|f| f.direction.clone()));
            }
            self.multipliers.extend(multipliers.iter().copied());
            self.accelerations.extend(multipliers);
            let span = contact.span;
            out.extend(rows.into_iter().map(|Row { name, residual, when, friction }| {
                let row = Constraint::new(name, residual, span);
                Constraint { when, friction, ..row }
            }));
            let contact = &mut self.touches[k].contact;
            contact.rate = rate;
            contact.constraints = IdRange::new(first, out.len());
            contact.force = force;
            contact.normal_force = normal_force;
            if manners.closed.is_some() || manners.sticks().is_some() {
                let g = &mut self.graph;
                let slack = contact.slack(g);
                contact.changes = Some(Changes {
                    closed: manners.closed,
                    gap: touch.gap.filter(|_| manners.closed.is_some()),
                    restitution: touch.manner.opens.unwrap_or(g.zero()),
                    rolls: manners.rolls,
                    rough: manners.rough,
                    no_slip,
                    touching: touching.filter(|_| !contact.frictionless),
                    smooth,
                    normal,
                    margin: manners.rolls.and_then(|_| contact.margin(g, ratio(SLIDES + 1, SLIDES))),
                    slipping: manners.rolls.map(|_| changing::slipping(g, contact)),
                    push: g.add(normal_force, slack),
                });
            }
        }
        out
    }

    /// `c`, `c1`, `force`, `normal_force` and `mu_required` of each contact.
    pub(super) fn contact_reports(&mut self) -> Vec<(String, Expr)> {
        let mut out = Vec::new();
        for touch in self.touches.clone() {
            let contact = &touch.contact;
            let moved = self.graph.along_all(&contact.sides[1].point, &self.rates);
            let rates = [contact.rate, [moved[0], moved[1], moved[2]]];
            let bent = rates.map(|r| self.graph.along_all(&r, &self.rates));
            let g = &mut self.graph;
            let speeds = rates.map(|r| linear::norm(g, &r));
            let curvatures: [Expr; 2] = std::array::from_fn(|i| {
                let across = linear::cross(g, &rates[i], &[bent[i][0], bent[i][1], bent[i][2]]);
                let (across, cube) = (linear::norm(g, &across), g.powi(speeds[i], 3));
                g.div(across, cube)
            });
            let mut parts = vec![
                ("c", Value::Vector(contact.sides[0].point.to_vec())),
                ("c1", Value::Vector(contact.sides[1].point.to_vec())),
                ("force", Value::Vector(contact.force.to_vec())),
                ("normal_force", Value::Scalar(contact.normal_force)),
                ("polhode_speed", Value::Scalar(speeds[0])),
                ("herpolhode_speed", Value::Scalar(speeds[1])),
            ];
            if !contact.frictionless {
                let (square, normal) = (contact.friction_squared(g), g.powi(contact.normal_force, 2));
                let ratio = g.div(square, normal);
                parts.push(("mu_required", Value::Scalar(g.sqrt(ratio))));
            }
            for (name, value) in &parts {
                let stem = contact.part(name);
                if contact.carried.iter().any(|s| self.graph.name(*s) == format!("{stem}[1]")) {
                    continue;
                }
                out.extend(value.entries().iter().enumerate().map(|(i, e)| (format!("{stem}{}", value.suffix(i)), *e)));
            }
            let more = [
                ("slip", Value::Vector(contact.slip.to_vec())),
                ("polhode_velocity", Value::Vector(rates[0].to_vec())),
                ("herpolhode_velocity", Value::Vector(rates[1].to_vec())),
                ("polhode_curvature", Value::Scalar(curvatures[0])),
                ("herpolhode_curvature", Value::Scalar(curvatures[1])),
                ("relative_curvature", Value::Scalar(contact.relative.determinant())),
            ];
            for (name, value) in parts.into_iter().chain(more) {
                let long = contact.part(name);
                if self.scope.get(&long).is_none() {
                    self.bind(&long, What::BodyPart, Some(value), Some(contact.span));
                }
            }
        }
        out
    }

    /// The contacts, with the indices of their bodies in the model.
    pub(super) fn finished_contacts(&mut self, bodies: &[Body]) -> Vec<Contact> {
        let rolling = std::mem::take(&mut self.rolling);
        let index = |b: usize| bodies.iter().position(|x| normalize_name(&x.name) == rolling[b].name);
        let mut out: Vec<Contact> = std::mem::take(&mut self.touches).into_iter().map(|t| t.contact).collect();
        for side in out.iter_mut().flat_map(|c| &mut c.sides) {
            if let Owner::Body(b) = side.owner {
                side.owner = Owner::Body(index(b).unwrap_or(b));
            }
        }
        out
    }

    /// Where a body would lift off or slip, and where the relative curvature is singular or becomes indefinite.
    pub(super) fn contact_events(&mut self) -> Vec<Event> {
        let mut out = Vec::new();
        for (k, touch) in self.touches.clone().into_iter().enumerate() {
            let contact = &touch.contact;
            let who = if contact.name.is_empty() { &contact.sides[0].name } else { &contact.name };
            let mut event = |cause: Cause, name: String, function: Expr, direction: Direction| {
                // beyond a pole the parameters mean nothing, and of an edge that lies flat no point is the one that touches
                let action = Action::Record;
                let (cause, contact, span) = (Some(cause), Some(ContactId::new(k)), contact.span);
                let mut event = Event { name, function, direction, action, cause, sets: Vec::new(), contact, span };
                let asked = touch.manner.stop_at.iter().any(|c| event.cause == Some(*c));
                if event.is_final() || event.cause == Some(Cause::RollsOff) || asked {
                    event.action = Action::Stop;
                }
                out.push(event);
            };
            // first, so that it is found before what it would make of the forces
            for (side, function) in &touch.poles {
                let name = format!("`{side}` touches at a pole of its parameters");
                event(Cause::SingularChart, name, *function, Direction::Falling);
            }
            for (side, function) in &touch.ends {
                event(Cause::RollsOff, format!("{who} reaches an end of `{side}`"), *function, Direction::Falling);
            }
            let g = &mut self.graph;
            let slack = contact.slack(g);
            let stops = |cause: Cause| touch.manner.stop_at.contains(&cause);
            let changes = contact.changes.as_ref();
            if !contact.bilateral && (changes.is_none_or(|c| c.closed.is_none()) || stops(Cause::LiftOff)) {
                let margin = g.add(contact.normal_force, slack);
                event(Cause::LiftOff, format!("{who} would lift off"), margin, Direction::Falling);
            }
            let g = &mut self.graph;
            if let Some(margin) = contact.margin(g, int(1))
                && (changes.is_none_or(|c| c.rolls.is_none()) || stops(Cause::Slip))
            {
                event(Cause::Slip, format!("{who} would slip"), margin, Direction::Falling);
            }
            for (name, function) in seams(&mut self.graph, &self.values, contact) {
                event(Cause::SingularCurvature, name, function, Direction::Falling);
            }
            let g = &mut self.graph;
            let plane = matches!(contact.sides[1].boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
            let singular = match contact.name.is_empty() {
                true => "singular relative curvature".to_owned(),
                false => format!("{who}: singular relative curvature"),
            };
            match contact.flatness(g) {
                Some(flatness) if plane => {
                    let square = g.powi(flatness, 2);
                    let limit = g.number(ratio(1, LYING * LYING));
                    let margin = g.sub(square, limit);
                    event(Cause::LiesFlat, format!("{who} lies flat"), margin, Direction::Falling);
                }
                // beyond it the edge would be on the wrong side, and a formula for its point gives that at the other end
                Some(flatness) => {
                    let limit = g.number(ratio(1, LYING));
                    let margin = g.sub(flatness, limit);
                    event(Cause::SingularCurvature, singular, margin, Direction::Falling);
                }
                None if !always_convex(contact) => {
                    let determinant = contact.relative.determinant();
                    event(Cause::SingularCurvature, singular, determinant, Direction::Either);
                    let name = format!("{who} reaches into what it touches");
                    event(Cause::IndefiniteCurvature, name, determinant, Direction::Falling);
                }
                None => {}
            }
        }
        out
    }
}

/// Both sides are planes or outsides of balls and ellipsoids: then the relative curvature is positive everywhere.
fn always_convex(contact: &Contact) -> bool {
    contact.sides.iter().all(|side| match side.boundary {
        Boundary::Surface(s) => {
            s.side == Side::Outside
                && matches!(
                    s.shape,
                    Shape::Plane | Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Spheroid { .. }
                )
        }
        Boundary::Edge(_) => false,
    }) || is_line(contact)
}

/// Whether this is an end of a line along which a cylinder touches a plane.
pub(super) fn is_line(contact: &Contact) -> bool {
    let shape = |side: &ContactSide| match side.boundary {
        Boundary::Surface(s) => Some(s.shape),
        Boundary::Edge(_) => None,
    };
    matches!((shape(&contact.sides[0]), shape(&contact.sides[1])), (Some(Shape::Cylinder { .. }), Some(Shape::Plane)))
}

/// Whether two contacts are of the same body on the same plane, as of a cone that lies on its rim and its tip.
fn same_plane(a: &Contact, b: &Contact) -> bool {
    let plane = |c: &Contact| matches!(c.sides[1].boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
    let ground = |c: &Contact| c.sides[1].owner == Owner::Ground;
    plane(a)
        && plane(b)
        && ground(a)
        && ground(b)
        && a.sides[1].name == b.sides[1].name
        && a.sides[0].owner == b.sides[0].owner
}

/// Axes n × e, n, e as columns, with n the normal of a plane and e along it from one point of contact to the other: of no slip at the second
/// point the part along e follows from that at the first, wherever e has turned to.
fn along_plane(g: &mut Graph, first: &Contact, second: &Contact) -> Mat3 {
    let (body, ground) = (&second.sides[0], &second.sides[1]);
    let own = linear::sub(g, &body.point, &first.sides[0].point);
    let e = linear::mat_vec(g, &body.rotation, &own);
    let length = linear::norm(g, &e);
    let inverse = g.powi(length, -1);
    let e = linear::scale(g, inverse, &e);
    let up = match &ground.piece {
        Piece::Patch(p) => *p.normal(),
        Piece::Rim(r) => r.tangent,
    };
    let up = linear::mat_vec(g, &ground.rotation, &up);
    let across = linear::cross(g, &up, &e);
    linear::transpose(&[across, up, e])
}

impl Contact {
    /// `no slip 1`, with the name of the contact before it.
    fn title(&self, text: &str) -> String {
        if self.name.is_empty() { text.to_owned() } else { format!("{}: {text}", self.name) }
    }

    /// k/κ of an edge of curvature κ: the sine of its angle against a plane it touches, zero where it lies flat.
    fn flatness(&self, g: &mut Graph) -> Option<Expr> {
        let Relative::Edge { curvature, .. } = self.relative else { return None };
        let (Piece::Rim(rim), Boundary::Edge(edge)) = (&self.sides[0].piece, &self.sides[0].boundary) else {
            return None;
        };
        let rim = match self.carried.contains(&rim.parameter) {
            true => **rim,
            false => edge.rim_through(g, rim.parameter, &self.sides[0].point).unwrap_or(**rim),
        };
        let own = linear::norm(g, &rim.curvature_vector);
        Some(g.div(curvature, own))
    }

    /// How far rounding may take the normal force: a force without normal part is not one that changes its sign with every rounding.
    ///
    /// An edge at a small angle s against what it touches turns rounding ε of R into ε/s of c, its velocity w/k into one more factor, and
    /// its acceleration, which the force contains, into a third: ε/s³.
    fn slack(&self, g: &mut Graph) -> Expr {
        let whole = linear::norm(g, &self.force);
        let slack = g.scale(whole, &ratio(1, ROUNDING));
        let Some(flatness) = self.flatness(g) else { return slack };
        let square = g.powi(flatness, 2);
        let size = g.sqrt(square);
        let more = g.powi(size, -3);
        g.mul(slack, more)
    }

    /// What is left of friction, (xμN)² − F² for x times its limit; `None` where no coefficient is given.
    fn margin(&self, g: &mut Graph, times: Rational) -> Option<Expr> {
        let limit = g.mul(self.friction?, self.normal_force);
        let limit = g.scale(limit, &times);
        let limit = g.powi(limit, 2);
        let square = self.friction_squared(g);
        let margin = g.sub(limit, square);
        // of an edge that lies nearly flat friction is as uncertain as the normal force
        Some(match self.flatness(g) {
            Some(_) => {
                let whole = linear::norm(g, &self.force);
                let slack = self.slack(g);
                let slack = g.mul(whole, slack);
                g.add(margin, slack)
            }
            None => margin,
        })
    }

    /// The square of the friction, F − N n with n = −R ν.
    fn friction_squared(&self, g: &mut Graph) -> Expr {
        let out = linear::mat_vec(g, &self.sides[0].rotation, &self.normal);
        let along = linear::scale(g, self.normal_force, &out);
        let friction = linear::add(g, &self.force, &along);
        linear::dot(g, &friction, &friction)
    }
}
