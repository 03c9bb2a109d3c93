//! Expressions that (S1) and its report are made of.

use super::{Condition, NotSteady};
use polhode_expr::eval::Digits;
use polhode_expr::{Expr, Graph, Rates, Symbol};
use polhode_geometry::{Piece, Relative};
use polhode_lower::dd;
use polhode_mechanics::{Field, System};
use polhode_model::{Configuration, DIGITS, Factor, Interval, Model};
use polhode_tape::Dd;

/// A point in space whose path is reported.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) position: [Expr; 3],
}

/// Rates of positions in terms of velocities, and the symbols of accelerations.
pub(crate) fn rates_of_symbols(graph: &mut Graph, configuration: &Configuration, time: Symbol) -> Vec<Expr> {
    let motion = configuration.motion(graph, time);
    let zero = graph.zero();
    let mut rates: Vec<Expr> =
        configuration.positions().iter().map(|s| motion.get(s).copied().unwrap_or(zero)).collect();
    for v in configuration.velocities() {
        let a = Configuration::acceleration(graph, *v);
        rates.push(graph.var(a));
    }
    rates
}

/// The quantity that is prescribed, and its value.
pub(super) fn condition(graph: &mut Graph, model: &Model, c: &Condition) -> Result<(Expr, Dd), NotSteady> {
    let single = |graph: &mut Graph, text: &str| -> Result<Expr, NotSteady> {
        let parts = model.formula(graph, text).map_err(NotSteady::Rejected)?;
        match parts[..] {
            [e] => Ok(e),
            _ => Err(NotSteady::NotANumber(text.to_string())),
        }
    };
    let quantity = single(graph, &c.quantity)?;
    let value = match c.value.parse::<Dd>() {
        Ok(value) => value,
        Err(_) => {
            let e = single(graph, &c.value)?;
            let parameters = model.parameter_digits().map_err(|_| NotSteady::NotANumber(c.value.clone()))?;
            let digits = graph.evaluate(&Digits::decimal(DIGITS), &[e], &parameters);
            dd(&digits.map_err(|_| NotSteady::NotANumber(c.value.clone()))?[0])
        }
    };
    Ok((quantity, value))
}

/// C of (S1) but for the unit vectors among the components of y, which have lengths of their own.
pub(crate) fn relations(system: &System, model: &Model, with_velocities: bool) -> Vec<Expr> {
    let mut out: Vec<Expr> = model.holding().filter_map(|c| c.holonomic).collect();
    for contact in &model.contacts {
        let c = &contact.correction;
        out.extend(c.shift);
        out.extend(c.turn.iter().flatten());
        out.extend(c.points.iter().map(|(_, e)| *e));
    }
    // A v + a₀ holds by itself in independent velocities
    if with_velocities {
        out.extend(model.holding().map(|c| c.residual));
    }
    out.retain(|e| !system.graph.is_zero(*e));
    out
}

/// What tells whether bodies touch as they do at the start: det K and tr K of the relative curvature, and ν·ν₁, which is −1 where normals are opposite
/// and 1 where one body is within the other. A torus touches a plane with its inner side as well, as far as equations go.
pub(super) fn signs(system: &mut System, model: &Model) -> Vec<Expr> {
    let known: Vec<Symbol> = system.configuration.positions().iter().chain(&system.parameters).copied().collect();
    let graph = &mut system.graph;
    let mut out = Vec::new();
    for contact in &model.contacts {
        match &contact.relative {
            Relative::Surfaces(c) => out.extend([c.determinant, c.trace]),
            Relative::Edge { curvature, .. } => out.push(*curvature),
        }
        if let Piece::Patch(second) = &contact.sides[1].piece {
            let [first, other] = &contact.sides;
            let mut terms = Vec::new();
            for k in 0..3 {
                let turned = |graph: &mut Graph, rotation: &[[Expr; 3]; 3], v: &[Expr; 3]| {
                    let parts: Vec<Expr> = (0..3).map(|j| graph.mul(rotation[k][j], v[j])).collect();
                    graph.sum(parts)
                };
                let (a, b) =
                    (turned(graph, &first.rotation, &contact.normal), turned(graph, &other.rotation, second.normal()));
                terms.push(graph.mul(a, b));
            }
            out.push(graph.sum(terms));
        }
    }
    // points that are functions of the configuration leave other names in these
    out.retain(|e| graph.free_symbols(&[*e]).iter().all(|s| known.contains(s)));
    out
}

/// Functions on the quotient, to tell motions from each other: symbols, angular velocities in the world, the spin at points of contact,
/// as far as no generator changes them.
pub(super) fn invariants(system: &mut System, lifted: &[Rates]) -> Vec<(String, Expr)> {
    let configuration = system.configuration.clone();
    let graph = &mut system.graph;
    let mut candidates: Vec<(String, Expr)> = Vec::new();
    for s in configuration.positions().iter().chain(configuration.velocities()) {
        candidates.push((graph.name(*s).to_string(), graph.var(*s)));
    }
    candidates.extend(configuration.world_rates(graph));
    for turn in configuration.factors().iter().filter_map(Factor::rotation) {
        for c in configuration.factors().iter().filter(|c| c.is_carried() && c.positions.len() == 3) {
            let e = inner(graph, &c.positions, &turn.omega);
            candidates.push((format!("dot({}, {})", c.name, turn.body), e));
        }
    }
    let mut kept = Vec::new();
    for (name, e) in candidates {
        let changes: Vec<Expr> = lifted.iter().map(|l| system.graph.along(e, l)).collect();
        if changes.into_iter().all(|e| system.is_zero(e)) {
            kept.push((name, e));
        }
    }
    kept
}

fn inner(graph: &mut Graph, a: &[Symbol], b: &[Symbol]) -> Expr {
    let terms: Vec<Expr> = a
        .iter()
        .zip(b)
        .map(|(a, b)| {
            let (a, b) = (graph.var(*a), graph.var(*b));
            graph.mul(a, b)
        })
        .collect();
    graph.sum(terms)
}

/// Points of contact, centres of mass, pairs of coordinates that a symmetry turns into each other, and what is asked for.
pub(super) fn places(
    system: &mut System,
    model: &Model,
    fields: &[Field],
    wished: &[(String, String)],
) -> Result<Vec<Place>, NotSteady> {
    let graph = &mut system.graph;
    let mut out = Vec::new();
    for (name, text) in wished {
        let parts = model.formula(graph, text).map_err(NotSteady::Rejected)?;
        let zero = graph.zero();
        match parts[..] {
            [x, y] => out.push(Place { name: name.clone(), position: [x, y, zero] }),
            [x, y, z] => out.push(Place { name: name.clone(), position: [x, y, z] }),
            _ => return Err(NotSteady::NotAPoint(text.clone())),
        }
    }
    for contact in &model.contacts {
        let side = &contact.sides[0];
        let position = [0, 1, 2].map(|i| {
            let mut terms = vec![side.position[i]];
            terms.extend((0..3).map(|j| graph.mul(side.rotation[i][j], side.point[j])));
            graph.sum(terms)
        });
        let name = if contact.name.is_empty() { "contact".to_string() } else { format!("contact {}", contact.name) };
        out.push(Place { name, position });
    }
    for body in &model.bodies {
        if let [x, y, z] = body.position[..] {
            out.push(Place { name: format!("centre of {}", body.name), position: [x, y, z] });
        }
    }
    let real = |s: Symbol| system.configuration.factors().iter().any(|f| f.line() == Some(s));
    let graph = &mut system.graph;
    let positions = system.configuration.positions().to_vec();
    for (k, x) in positions.iter().enumerate() {
        for y in &positions[k + 1..] {
            let (vx, vy) = (graph.var(*x), graph.var(*y));
            let (mx, my) = (graph.neg(vx), graph.neg(vy));
            let turns = |f: &Field| {
                let (a, b) = (f.rates.get(x).copied(), f.rates.get(y).copied());
                (a, b) == (Some(my), Some(vx)) || (a, b) == (Some(vy), Some(mx))
            };
            if real(*x) && real(*y) && fields.iter().any(turns) {
                let zero = graph.zero();
                let name = format!("({}, {})", graph.name(*x), graph.name(*y));
                out.push(Place { name, position: [vx, vy, zero] });
            }
        }
    }
    Ok(out)
}

/// Which positions are angles.
pub(super) fn angles(system: &System) -> Vec<usize> {
    let mut out = Vec::new();
    let mut at = 0;
    for f in system.configuration.factors() {
        out.extend(f.positions.iter().position(|s| f.angle() == Some(*s)).map(|k| at + k));
        at += f.positions.len();
    }
    out
}

/// The ends of the intervals of coordinates.
pub(super) fn domains(system: &System, model: &Model) -> Vec<(usize, f64, f64)> {
    let values = model.parameter_values().unwrap_or_default();
    let mut out = Vec::new();
    for Interval { coordinate, low, high } in system.configuration.intervals() {
        let ends = (system.graph.evaluate_f64(low, &values), system.graph.evaluate_f64(high, &values));
        let at = system.configuration.positions().iter().position(|s| *s == coordinate);
        if let (Some(at), (Ok(low), Ok(high))) = (at, ends) {
            out.push((at, low, high));
        }
    }
    out
}
