//! What is evaluated of a contact, as expressions.
//!
//! Vectors f that are affine in the velocities v come as f, ∂f/∂v, f at v = 0, and ḟ at v̇ = 0. The order is that in which
//! [`ContactState::read`](super::state::ContactState::read) takes the numbers.
//!
//! Rates hold for sliding states too. A model lets the carried point of a contact without slip move at the rate that belongs to u = 0; with
//! any other slip u it is
//!
//! ```text
//! ċ = ċ(u = 0) − K⁻¹ S₂ u,     ċ₁ = Gᵀ(ċ + u) + b
//! ```
//!
//! (polhode-geometry, `meeting`), and the derivatives follow a motion in which it moves so.

use polhode_expr::{Expr, Graph, Rates, Symbol};
use polhode_geometry::{Boundary, Mat3, Patch, Piece, Rim, Vec3, linear};
use polhode_mechanics::System;
use polhode_model::{Contact, ContactSide};

/// G: the axes of the second side, seen from the first.
fn turn(g: &mut Graph, contact: &Contact) -> Mat3 {
    let [first, second] = &contact.sides;
    linear::mat_mul(g, &linear::transpose(&first.rotation), &second.rotation)
}

/// The shape operator of a surface at the contact, in its own axes.
fn shape(g: &mut Graph, side: &ContactSide) -> Option<Mat3> {
    let Piece::Patch(patch) = &side.piece else { return None };
    Some(match patch {
        Patch::Chart(chart) => chart.shape,
        Patch::Implicit(p) => {
            let at = p.coordinates.into_iter().zip(side.point).collect();
            p.shape.map(|row| {
                let row = g.substitute_all(&row, &at);
                [row[0], row[1], row[2]]
            })
        }
    })
}

/// An edge at the contact.
fn rim(g: &mut Graph, side: &ContactSide, carried: &[Symbol]) -> Option<Rim> {
    let (Piece::Rim(rim), Boundary::Edge(edge)) = (&side.piece, &side.boundary) else { return None };
    if carried.contains(&rim.parameter) {
        return Some(**rim);
    }
    Some(edge.rim_through(g, rim.parameter, &side.point).unwrap_or(**rim))
}

/// ċ for any slip.
fn rate(g: &mut Graph, contact: &Contact) -> Vec3 {
    if contact.carried.is_empty() || contact.may_slide() {
        return contact.rate;
    }
    let Some(own) = shape(g, &contact.sides[1]) else { return contact.rate };
    let turn = turn(g, contact);
    let seen = linear::conjugate(g, &turn, &own);
    let dragged = linear::mat_vec(g, &seen, &contact.slip);
    let less = contact.relative.velocity(g, &dragged);
    linear::sub(g, &contact.rate, &less)
}

/// ċ₁ = Gᵀ(ċ + u) + b.
fn second_rate(g: &mut Graph, contact: &Contact, rate: &Vec3) -> Vec3 {
    let over = linear::add(g, rate, &contact.slip);
    let turn = turn(g, contact);
    let back = linear::mat_vec(g, &linear::transpose(&turn), &over);
    linear::add(g, &back, &contact.sides[1].belt)
}

/// The rates of positions and time for velocities that keep the contacts, sliding or not.
pub(super) fn motion(system: &mut System) -> Rates {
    let mut motion = system.configuration.motion(&mut system.graph, system.time);
    let model = system.model.clone();
    let g = &mut system.graph;
    for contact in model.contacts.iter().filter(|c| !c.carried.is_empty() && !c.may_slide()) {
        let [first, second] = &contact.sides;
        let own = rate(g, contact);
        let other = second_rate(g, contact, &own);
        for (side, velocity) in [(first, own), (second, other)] {
            let rates = side.piece.rates(g, &velocity);
            let moved = side.piece.coordinates().iter().copied().zip(rates);
            motion.extend(moved.filter(|(s, _)| contact.carried.contains(s)));
        }
    }
    motion
}

/// The expressions of a contact.
pub(super) fn formulas(system: &mut System, contact: &Contact, motion: &Rates) -> Vec<Expr> {
    let velocities = system.configuration.velocities().to_vec();
    let g = &mut system.graph;
    let mut out = Vec::new();
    for side in &contact.sides {
        out.extend(side.rotation.iter().flatten());
        for v in [side.position, side.point, side.velocity, side.spin, side.belt] {
            out.extend(v);
        }
        match (shape(g, side), rim(g, side, &contact.carried)) {
            (Some(shape), _) => out.extend(shape.iter().flatten()),
            (None, Some(rim)) => out.extend(rim.tangent.iter().chain(&rim.curvature_vector)),
            (None, None) => {}
        }
        if let Piece::Patch(Patch::Chart(chart)) = &side.piece {
            out.extend(chart.parameters.map(|s| g.var(s)));
            out.extend(chart.frame[0]);
            out.extend(chart.frame_matrix(g).iter().flatten());
            out.extend(chart.connection(g));
        }
    }
    out.extend(contact.normal);
    out.extend(g.along_all(&contact.normal, motion));
    let own = rate(g, contact);
    let other = second_rate(g, contact, &own);
    let first = &contact.sides[0];
    let turning = linear::cross(g, &first.spin, &first.point);
    let material = linear::add(g, &first.velocity, &turning);
    let moving = linear::add(g, &material, &own);
    for f in [contact.slip, own, other, moving] {
        affine(g, &mut out, &f, &velocities, motion);
    }
    out.extend(contact.force);
    out.push(contact.normal_force);
    out
}

/// f, ∂f/∂v row by row, f at v = 0, ḟ at v̇ = 0.
fn affine(g: &mut Graph, out: &mut Vec<Expr>, f: &Vec3, velocities: &[Symbol], motion: &Rates) {
    out.extend(f);
    for e in f {
        out.extend(velocities.iter().map(|v| g.derivative(*e, *v)));
    }
    let at_rest = velocities.iter().map(|v| (*v, g.zero())).collect();
    out.extend(g.substitute_all(f, &at_rest));
    out.extend(g.along_all(f, motion));
}
