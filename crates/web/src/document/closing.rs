//! Points of contact that stay on their surface.
//!
//! A file says where a rolling body touches by three numbers, `touching = [x, y, z]`, and a slider moves one of them. The point then leaves the
//! surface f = 0 that it has to be on, and the numbers that were not chosen follow by Newton's method with the shortest steps,
//!
//! ```text
//! δ_k = −f ∂_k f / Σ_j (∂_j f)²,        k, j over the numbers that were not chosen.
//! ```
//!
//! Where this sum vanishes nothing can follow: the top of a sphere has no neighbour that is lower with the same x and y to begin from, and a floor has one height.
//!
//! Not here: other orientations (`turns`), which the page closes itself.

use super::numbers::GivenStart;
use polhode::expr::Symbol;
use polhode::model::{Model, Owner};
use polhode_geometry::Boundary;
use polhode_geometry::numeric::NumericSurface;

/// Steps of Newton's method.
const ITERATIONS: usize = 40;

/// Distance from a surface, in units of its size, of a point that is on it.
const CLOSED: f64 = 1e-15;

/// The same for the point that a file gives in decimals, which the program moves onto the surface.
const NEAR: f64 = 1e-2;

/// Squares of a slope below this lead nowhere.
const FLAT: f64 = 1e-8;

/// Places that are looked at on the way to the end of a range, and halvings between two of them.
const WALK: u32 = 64;
const HALVINGS: usize = 20;

/// The part of the way to the last place that is gone.
const INSIDE: f64 = 0.99;

/// The surface that a start is a point of: what is touched, or what touches. `None` for other starts, and for surfaces without an equation.
pub(super) fn surface_of(model: &Model, start: &GivenStart) -> Option<NumericSurface> {
    let own = match start.key.as_str() {
        "contact" | "c" => true,
        "touching" | "c1" => false,
        _ => return None,
    };
    let at = start.vector()?;
    let values: Vec<(Symbol, f64)> = model.parameter_values().ok()?.into_iter().collect();
    let pairs = model.contacts.iter().map(|c| &c.sides).flat_map(|[a, b]| [(a, b), (b, a)]);
    let mine = pairs.filter(|(side, _)| side.owner == Owner::Body(start.body));
    let surfaces = mine.filter_map(|(side, other)| match if own { &side.boundary } else { &other.boundary } {
        Boundary::Surface(surface) => NumericSurface::new(&model.graph, surface, &values).ok(),
        Boundary::Edge(_) => None,
    });
    // a body with several contacts says of one where it touches
    surfaces.into_iter().find(|s| s.signed_distance(at).is_some_and(|(d, _)| d.abs() <= NEAR * s.size()))
}

/// The point of the surface that has these coordinates where they are held, and others near them where they are not.
pub(super) fn onto(surface: &NumericSurface, mut point: [f64; 3], held: [bool; 3]) -> Option<[f64; 3]> {
    for _ in 0..ITERATIONS {
        let (distance, normal) = surface.signed_distance(point)?;
        if distance.abs() <= CLOSED * surface.size() {
            return Some(point);
        }
        let open = || (0..3).filter(|k| !held[*k]);
        let slope: f64 = open().map(|k| normal[k] * normal[k]).sum();
        if slope < FLAT {
            return None;
        }
        let before = point;
        open().for_each(|k| point[k] -= distance * normal[k] / slope);
        if point == before {
            // rounding: it goes no further
            return Some(point);
        }
    }
    let near = surface.signed_distance(point)?.0.abs() <= 1e3 * CLOSED * surface.size();
    near.then_some(point)
}

/// The point with another number in one place, the others following.
pub(super) fn moved(surface: &NumericSurface, point: [f64; 3], k: usize, x: f64) -> Option<[f64; 3]> {
    let mut other = point;
    other[k] = x;
    onto(surface, other, std::array::from_fn(|i| i == k))
}

/// How far one number of a point may be changed between two others, the others following: to the first place where they no longer do.
pub(super) fn reach(surface: &NumericSurface, point: [f64; 3], k: usize, ends: (f64, f64)) -> (f64, f64) {
    let towards = |end: f64| {
        let at = |part: f64| point[k] + part * (end - point[k]);
        let closes = |part: f64| moved(surface, point, k, at(part)).is_some();
        let steps = (1..=WALK).map(|i| f64::from(i) / f64::from(WALK));
        let Some(first) = steps.into_iter().find(|part| !closes(*part)) else { return end };
        let (mut good, mut bad) = (first - 1.0 / f64::from(WALK), first);
        for _ in 0..HALVINGS {
            let middle = (good + bad) / 2.0;
            if closes(middle) { good = middle } else { bad = middle }
        }
        // a slider that ends where nothing is near any more would end in a refusal
        at(good * INSIDE)
    };
    (towards(ends.0), towards(ends.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::numbers::given_starts;
    use polhode::model::ParseOptions;

    fn surface(name: &str) -> (NumericSurface, [f64; 3]) {
        let text = polhode::builtin::find(name).unwrap().text;
        let (model, _) = Model::parse(name, text, &ParseOptions::default()).unwrap();
        let start = given_starts(&model).into_iter().find(|s| s.key == "touching").unwrap();
        (surface_of(&model, &start).unwrap(), start.vector().unwrap())
    }

    #[test]
    fn what_was_not_chosen_follows() {
        let (bowl, at) = surface("ball-in-paraboloid");
        let [x, y, z] = onto(&bowl, [0.6, at[1], at[2]], [true, false, false]).unwrap();
        assert_eq!((x, y), (0.6, 0.0));
        assert!((z - 0.18).abs() < 1e-14, "z = {z}");
        let [x, _, z] = onto(&bowl, [at[0], at[1], 0.32], [false, false, true]).unwrap();
        assert!((x - 0.8).abs() < 1e-14 && z == 0.32, "x = {x}");
    }

    #[test]
    fn a_floor_has_one_height_and_a_sphere_one_top() {
        let moves = |(surface, at): &(NumericSurface, [f64; 3])| {
            [0, 1, 2].map(|k| moved(surface, *at, k, at[k] + 0.01).is_some())
        };
        assert_eq!(moves(&surface("rattleback")), [true, true, false]);
        assert_eq!(moves(&surface("ellipsoid-on-sphere")), [true, true, false]);
        assert_eq!(moves(&surface("ball-on-torus")), [true, true, true]);
    }

    #[test]
    fn a_range_ends_where_the_surface_does() {
        let (torus, at) = surface("ball-on-torus");
        // the tube of radius 1/2 about the circle of radius 2: below z = 1/2, and at z = 2/5 between 1.7 and 2.3 from the axis
        let (low, high) = reach(&torus, at, 2, (0.0, 0.8));
        assert!(low == 0.0 && high > 0.49 && high < 0.5, "{low} … {high}");
        let (floor, at) = surface("rattleback");
        assert_eq!(reach(&floor, at, 0, (-1.0, 1.0)), (-1.0, 1.0));
    }
}
