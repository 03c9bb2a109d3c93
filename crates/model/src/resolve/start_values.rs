//! The initial values of bodies that have been placed. What was given exactly is kept.

use super::Resolver;
use super::placing::{Algebra, Exactly, V, vector};
use super::starting::{EXACT, Given, Placed, Start};
use crate::contact::{Contact, Owner};
use crate::model::InitialValue;
use polhode_base::Span;
use polhode_expr::Symbol;
use polhode_expr::eval::Real;

impl Resolver<'_> {
    pub(super) fn put_bodies(
        &mut self,
        exactly: &Exactly,
        starts: &[Start],
        contacts: &[Contact],
        placed: &Placed,
        out: &mut Vec<InitialValue>,
    ) -> Option<()> {
        let a = Algebra { digits: exactly.digits };
        for (b, start) in starts.iter().enumerate() {
            let body = self.rolling[b].clone();
            let pose = &placed.poses[&b];
            let span = start.spin.as_ref().or(start.touching.as_ref()).map_or(body.span, |g| g.span);
            let flat: Vec<Real> = pose.rotation.iter().flatten().cloned().collect();
            self.put(exactly, &body.positions[..9], &flat, start.rotation.as_ref(), span, out);
            self.put(exactly, &body.positions[9..], &pose.position, start.position.as_ref(), span, out);
            let back = a.transpose(&pose.rotation);
            let own_axes = |given: &Given, world: bool| {
                let v = vector(exactly.values(&self.graph, &given.entries)?);
                Some(if world { a.apply(&back, &v) } else { v })
            };
            let spin = match &start.spin {
                Some(given) => Some(own_axes(given, start.world)?),
                None => None,
            };
            let velocity = match &start.velocity {
                Some(given) => {
                    let v = own_axes(given, !start.own_velocity)?;
                    Some(self.along_surface(exactly, b, v, spin.as_ref(), contacts, placed)?)
                }
                None => None,
            };
            for (given, value, world, symbols) in [
                (&start.velocity, velocity, !start.own_velocity, &body.velocities[..3]),
                (&start.spin, spin, start.world, &body.velocities[3..]),
            ] {
                if let (Some(given), Some(value)) = (given, value) {
                    self.put(exactly, symbols, &value, Some(given).filter(|_| !world), given.span, out);
                }
            }
        }
        for (k, contact) in contacts.iter().enumerate() {
            let body = match contact.sides[0].owner {
                Owner::Body(b) => b,
                Owner::Ground => continue,
            };
            let start = &starts[body];
            let Some(points) = placed.points.get(&k) else { continue };
            for (side, found) in contact.sides.iter().zip(points) {
                let symbols = side.piece.coordinates().to_vec();
                if symbols.iter().all(|s| contact.carried.contains(s)) {
                    let given = start.contact.as_ref().filter(|_| !start.by_normal && symbols.len() == 3);
                    self.put(exactly, &symbols, &found.coordinates, given, contact.span, out);
                }
            }
        }
        Some(())
    }

    /// The velocity of a body whose only contact slides, and with ground, without what would lift it off or press it in: that part
    /// follows from the contact. In body axes.
    fn along_surface(
        &self,
        exactly: &Exactly,
        body: usize,
        v: V,
        spin: Option<&V>,
        contacts: &[Contact],
        placed: &Placed,
    ) -> Option<V> {
        let a = Algebra { digits: exactly.digits };
        let touches = |c: &&Contact| c.sides.iter().any(|s| s.owner == Owner::Body(body));
        let mine: Vec<(usize, &Contact)> = contacts.iter().enumerate().filter(|(_, c)| touches(c)).collect();
        let [(k, contact)] = mine[..] else { return Some(v) };
        let opens = contact.changes.as_ref().is_some_and(|c| c.closed.is_some());
        let slides = contact.frictionless || contact.may_slide() && spin.is_some();
        if opens || !slides || contact.sides[1].owner != Owner::Ground {
            return Some(v);
        }
        let Some([at, on]) = placed.points.get(&k) else { return Some(v) };
        let ground = &contact.sides[1];
        let pose = self.pose(exactly, ground, placed)?;
        let moving = vector(exactly.values(&self.graph, &ground.velocity)?);
        let turning = vector(exactly.values(&self.graph, &ground.spin)?);
        let under = a.plus(&moving, &a.cross(&turning, &on.point));
        let under = a.apply(&a.transpose(&placed.poses[&body].rotation), &a.apply(&pose.rotation, &under));
        let zero = a.minus(&v, &v);
        let there = a.plus(&v, &a.cross(spin.unwrap_or(&zero), &at.point));
        let lift = a.dot(&a.minus(&there, &under), &at.normal);
        Some(std::array::from_fn(|i| &v[i] - &lift * &at.normal[i]))
    }

    /// Initial values, as they were given if that is the same.
    fn put(
        &mut self,
        exactly: &Exactly,
        symbols: &[Symbol],
        numbers: &[Real],
        given: Option<&Given>,
        span: Span,
        out: &mut Vec<InitialValue>,
    ) {
        let given = given.and_then(|g| Some((g.entries.clone(), exactly.values(&self.graph, &g.entries)?)));
        for (i, (symbol, number)) in symbols.iter().zip(numbers).enumerate() {
            let kept = given.as_ref().and_then(|(entries, values)| {
                let gap = exactly.digits.abs(&(&values[i] - number)).to_f64().value();
                (gap < EXACT).then(|| entries[i])
            });
            let value = kept.unwrap_or_else(|| self.graph.number(exactly.digits.exact(number)));
            out.push(InitialValue { symbol: *symbol, value, span });
        }
    }
}
