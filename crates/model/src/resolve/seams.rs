//! Where superquadrics have no regular curvature.
//!
//! With exponents 2/e in the equation, the curvature across a coordinate plane goes as |x|^(2/e − 2) near it:
//!
//! ```text
//! e > 1    infinite: n ~ |x|^(2/e − 1), so that x(n) has no bounded rate and ẋ = f(x) no bounded derivative
//! e < 1    zero: on a plane K is singular
//! ```
//!
//! x and y belong to e₂, z to e₁; so do the poles x = y = 0. Integrators come to such a place in ever smaller steps, so that the run ends
//! when the point of contact is within one part in [`NEAR`] of it.

use crate::contact::Contact;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Boundary, Shape, Surface, linear};
use rustc_hash::FxHashMap;

/// The run ends this part of the half axis before a seam. There n is 10⁻⁹ to a power below 1 away from it, and so is time.
const NEAR: i64 = 1_000_000_000;

/// What is wrong with a seam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seam {
    /// Its curvature is infinite.
    Sharp,
    /// It has none.
    Flat,
}

impl Seam {
    fn of(e: f64) -> Option<Seam> {
        match e {
            _ if e > 1.0 => Some(Seam::Sharp),
            _ if e < 1.0 => Some(Seam::Flat),
            _ => None,
        }
    }

    /// The name of the event at a place such as `x = 0`.
    fn name(self, side: &str, place: &str) -> String {
        let how = match self {
            Seam::Sharp => "infinite",
            Seam::Flat => "zero",
        };
        format!("singular relative curvature: `{side}` touches at {place}, where its curvature is {how}")
    }
}

/// The seams of both sides: names of events, and functions that fall through zero there.
pub(super) fn seams(g: &mut Graph, values: &FxHashMap<Symbol, f64>, contact: &Contact) -> Vec<(String, Expr)> {
    let plane = |k: usize| matches!(contact.sides[k].boundary, Boundary::Surface(Surface { shape: Shape::Plane, .. }));
    let mut out = Vec::new();
    for (k, side) in contact.sides.iter().enumerate() {
        let Boundary::Surface(Surface { shape: Shape::Superquadric { a, b, c, e1, e2 }, placement, .. }) =
            side.boundary
        else {
            continue;
        };
        let [meridian, parallel] = [e1, e2].map(|e| g.evaluate_f64(e, values).ok().and_then(Seam::of));
        let own = match placement {
            Some(p) => {
                let moved = linear::sub(g, &side.point, &p.translation);
                linear::mat_vec(g, &linear::transpose(&p.rotation), &moved)
            }
            None => side.point,
        };
        let [x, y, z]: [Expr; 3] = std::array::from_fn(|i| {
            let part = g.div(own[i], [a, b, c][i]);
            g.powi(part, 2)
        });
        let across = g.add(x, y);
        let places =
            [(parallel, "x = 0", x), (parallel, "y = 0", y), (meridian, "z = 0", z), (meridian, "x = y = 0", across)];
        for (seam, place, square) in places {
            let Some(seam) = seam.filter(|s| *s == Seam::Sharp || plane(1 - k)) else { continue };
            let limit = g.number(ratio(1, NEAR));
            let limit = g.powi(limit, 2);
            out.push((seam.name(&side.name, place), g.sub(square, limit)));
        }
    }
    out
}
