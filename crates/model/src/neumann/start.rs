//! The initial state in the new coordinates, in many digits.
//!
//! The points of contact c and c₁ are known from the model. Their parameters are found in doubles and then by Newton's method,
//! δu = xᵘ·(c − x), δv = xᵛ·(c − x); the angle is
//!
//! ```text
//! ϑ = atan2(−R e₁·e₁₁, R e₁·e₂₁)
//! ```
//!
//! With w = V + Ω × c, the velocity of the material at the contact on e₁ and e₂ (zero when rolling), (9) and (11) are solved by
//!
//! ```text
//! A ξ̇ = (B + Q B₁ Q)⁻¹ (J⁻¹ (σ, τ) − Q B₁ Q w),    A₁ ξ̇₁ = Q (A ξ̇ + w),    ϑ̇ = −n − Γ ξ̇ − Γ₁ ξ̇₁
//! ```

use super::Change;
use super::charts::Cover;
use crate::contact::Contact;
use crate::model::{DIGITS, InitialValue, Model};
use polhode_base::Diagnostic;
use polhode_expr::eval::{Arithmetic, Digits, Real};
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Chart, Mat3, Vec3, linear};
use rustc_hash::FxHashMap;

/// Digits of the iterations.
const WORKING: usize = DIGITS + 5;
/// Newton's steps: the digits double each time.
const STEPS: usize = 7;
/// At a pole H is this small in units of E + G.
const POLE: f64 = 1e-7;

type Point = [Real; 3];

/// Everything that has a value at the start, in doubles; the parameters at least.
pub(super) fn values(model: &Model) -> FxHashMap<Symbol, f64> {
    let mut out = model.parameter_values().unwrap_or_default();
    for item in &model.initial {
        if let Ok(x) = model.graph.evaluate_f64(item.value, &out) {
            out.insert(item.symbol, x);
        }
    }
    out
}

/// Everything that has a value at the start, in working digits.
fn digits_of(model: &Model) -> Option<FxHashMap<Symbol, Real>> {
    let digits = Digits::decimal(WORKING);
    let mut out = FxHashMap::default();
    out.insert(model.time, digits.number(&int(0)));
    let parameters = model.parameters.iter().map(|p| (p.symbol, p.value));
    for (symbol, value) in parameters.chain(model.initial.iter().map(|i| (i.symbol, i.value))) {
        let x = model.graph.evaluate(&digits, &[value], &out).ok()?.remove(0);
        out.insert(symbol, x);
    }
    Some(out)
}

/// The points of contact at the start, in the axes of the body and in the world.
pub(super) fn points(model: &Model, contact: &Contact) -> Option<[Point; 2]> {
    if model.initial.is_empty() {
        return None;
    }
    let values = digits_of(model)?;
    let digits = Digits::decimal(WORKING);
    let ground = &contact.sides[1];
    let mut g = model.graph.clone();
    let seen = linear::mat_vec(&mut g, &ground.rotation, &ground.point);
    let world = linear::add(&mut g, &seen, &ground.position);
    let at = |e: &Vec3| -> Option<Point> { g.evaluate(&digits, e, &values).ok()?.try_into().ok() };
    Some([at(&contact.sides[0].point)?, at(&world)?])
}

pub(super) fn doubles(p: &Point) -> [f64; 3] {
    std::array::from_fn(|i| p[i].to_f64().value())
}

/// The initial values of the new coordinates and of what else the model has; none if it has none. A warning where they do not exist.
pub(super) fn initial(
    model: &Model,
    contact: &Contact,
    g: &mut Graph,
    change: &Change<'_>,
    covers: &[Cover; 2],
) -> Result<Vec<InitialValue>, Box<Diagnostic>> {
    let (Some(points), Some(mut values)) = (points(model, contact), digits_of(model)) else { return Ok(Vec::new()) };
    let rolling = model.configuration.factors().iter().find(|f| f.in_contact());
    let Some(rolling) = rolling else { return Ok(Vec::new()) };
    let rough = super::start::values(model);
    let charts = [&change.neumann.body, &change.neumann.ground];
    for k in 0..2 {
        let near = covers[k].parameters_of(g, &contact.sides[k], &rough, doubles(&points[k]));
        let found = near.and_then(|uv| refined(g, charts[k], &values, uv, &points[k]));
        let Some(found) = found else { return Err(Box::new(pole(contact, k))) };
        values.extend(charts[k].parameters.into_iter().zip(found));
    }
    // ϑ
    let rotation: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| g.var(rolling.positions[3 * i + j])));
    let image = linear::mat_vec(g, &rotation, &change.neumann.body.frame[0]);
    let [p, q] = change.neumann.ground.frame.map(|e| linear::dot(g, &image, &e));
    let minus = g.neg(p);
    let angle = g.atan2(minus, q);
    let theta = change.names.symbols[2];
    let digits = Digits::decimal(WORKING);
    let evaluate = |g: &Graph, e: &[Expr], at: &FxHashMap<Symbol, Real>| g.evaluate(&digits, e, at).ok();
    let Some(found) = evaluate(g, &[angle], &values) else { return Err(Box::new(pole(contact, 0))) };
    values.insert(theta, found[0].clone());

    let span = model.initial.iter().find(|i| rolling.positions.contains(&i.symbol)).map_or(contact.span, |i| i.span);
    let mut out: Vec<InitialValue> = Vec::new();
    for symbol in change.names.symbols {
        let value = g.number(digits.exact(&values[&symbol]));
        out.push(InitialValue { symbol, value, span });
    }
    if let Some((rates, known)) = velocities(g, contact, change, &values) {
        let Some(numbers) = evaluate(g, &rates, &values) else { return Err(Box::new(pole(contact, 0))) };
        for (symbol, x) in change.rates.into_iter().zip(numbers).take(known) {
            let value = g.number(digits.exact(&x));
            out.push(InitialValue { symbol, value, span });
        }
    }
    let others =
        |s: &Symbol| change.configuration.positions().contains(s) || change.configuration.velocities().contains(s);
    out.extend(model.initial.iter().filter(|i| others(&i.symbol)).cloned());
    Ok(out)
}

/// Newton's method of the module head; `None` at a pole.
fn refined(
    g: &Graph,
    chart: &Chart,
    known: &FxHashMap<Symbol, Real>,
    near: [f64; 2],
    point: &Point,
) -> Option<[Real; 2]> {
    let digits = Digits::decimal(WORKING);
    let roots: Vec<Expr> = chart.position.iter().chain(chart.dual.iter().flatten()).copied().collect();
    let mut at = near.map(|x| digits.double(x));
    let mut values = known.clone();
    for step in 0..=STEPS {
        values.extend(chart.parameters.into_iter().zip(at.clone()));
        if step == 0 {
            let sizes = g.evaluate(&digits, &[chart.area, chart.first[0], chart.first[2]], &values).ok()?;
            let [area, e, h] = [0, 1, 2].map(|i| sizes[i].to_f64().value());
            // √E may be negative, as on the far side of a profile curve that crosses the axis
            if area.is_nan() || area.abs() <= POLE * (e + h) {
                return None;
            }
        }
        let found = g.evaluate(&digits, &roots, &values).ok()?;
        let apart: Vec<Real> = (0..3).map(|i| &point[i] - &found[i]).collect();
        let along = |k: usize| (0..3).fold(digits.number(&int(0)), |s, i| s + &found[k + i] * &apart[i]);
        at = [&at[0] + along(3), &at[1] + along(6)];
    }
    Some(at)
}

fn pole(contact: &Contact, side: usize) -> Diagnostic {
    let (whose, other) = match side {
        0 => (format!("`{}`", contact.sides[0].name), "--charts polar-x,standard"),
        _ => ("the ground".to_owned(), "--charts standard,polar-x"),
    };
    let message = format!("the motion starts at a pole of the chart of {whose}, or outside of the chart");
    Diagnostic::warning("pole-of-chart", message)
        .at(contact.sides[side].span, "")
        .note("the equations hold elsewhere, but the initial state has no coordinates")
        .help(format!("start elsewhere; on a sphere or an ellipsoid, {other} puts the poles elsewhere"))
}

/// The five rates, and how many of them are to be given: the last two follow from rolling.
fn velocities(
    g: &mut Graph,
    contact: &Contact,
    change: &Change<'_>,
    values: &FxHashMap<Symbol, Real>,
) -> Option<([Expr; 5], usize)> {
    let [slide, spin] = change.old;
    let given = |symbols: &[Symbol; 3]| symbols.iter().all(|s| values.contains_key(s));
    let neumann = &change.neumann;
    let body = &neumann.body;
    let (c, nu) = (body.position, body.normal);
    let (v, omega) = (slide.map(|s| g.var(s)), spin.map(|s| g.var(s)));
    // what is left out and not determined is zero, as in the model without charts
    let largest = |g: &Graph, e: &Vec3| -> Option<usize> {
        let sizes = g.evaluate(&Digits::decimal(WORKING), e, values).ok()?;
        let size = |i: &usize| sizes[*i].to_f64().value().abs();
        (0..3).max_by(|i, j| size(i).total_cmp(&size(j)))
    };
    // e x = −rest for the component of x with the largest coefficient
    let single = |g: &mut Graph, e: Vec3, rest: Expr| -> Option<Vec3> {
        let k = largest(g, &e)?;
        let mut out = linear::zero(g);
        let x = g.div(rest, e[k]);
        out[k] = g.neg(x);
        Some(out)
    };
    let (v, omega, known) = match (given(&slide), given(&spin), contact.frictionless) {
        (false, false, _) => return None,
        (true, true, _) => (v, omega, 5),
        (false, true, false) => (linear::cross(g, &c, &omega), omega, 3),
        (false, true, true) => {
            let moved = linear::cross(g, &omega, &c);
            let along = linear::dot(g, &nu, &moved);
            (single(g, nu, along)?, omega, 5)
        }
        (true, false, false) => {
            // Ω × c = −V with Ω_k = 0
            let k = largest(g, &c)?;
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let mut omega = linear::zero(g);
            let x = g.div(v[j], c[k]);
            (omega[i], omega[j]) = (x, g.div(v[i], c[k]));
            omega[j] = g.neg(omega[j]);
            (v, omega, 5)
        }
        (true, false, true) => {
            let lever = linear::cross(g, &c, &nu);
            let along = linear::dot(g, &nu, &v);
            (v, single(g, lever, along)?, 5)
        }
    };
    let turning = linear::cross(g, &omega, &c);
    let material = linear::add(g, &v, &turning);
    let w = body.frame.map(|e| linear::dot(g, &material, &e));
    let [sigma, tau] = body.frame.map(|e| linear::dot(g, &omega, &e));
    let n = linear::dot(g, &omega, &nu);
    // (B + Q B₁ Q) A ξ̇ = J⁻¹ (σ, τ) − Q B₁ Q w
    let own = body.second_in_frame(g);
    let seen: [[Expr; 2]; 2] =
        std::array::from_fn(|i| std::array::from_fn(|j| g.sub(neumann.curvature[i][j], own[i][j])));
    let dragged = linear::mat_vec(g, &seen, &w);
    let minus = g.neg(sigma);
    let right = linear::sub(g, &[tau, minus], &dragged);
    let inverse = linear::inverse2(g, &neumann.curvature);
    let moved = linear::mat_vec(g, &inverse, &right);
    let back = body.frame_inverse(g);
    let [du, dv] = linear::mat_vec(g, &back, &moved);
    let over = linear::add(g, &moved, &w);
    let over = linear::mat_vec(g, &neumann.q, &over);
    let back = neumann.ground.frame_inverse(g);
    let [du1, dv1] = linear::mat_vec(g, &back, &over);
    // n = −ϑ̇ − Γ ξ̇ − Γ₁ ξ̇₁
    let (gamma, gamma1) = (body.connection(g), neumann.ground.connection(g));
    let (p, q) = (linear::dot(g, &gamma, &[du, dv]), linear::dot(g, &gamma1, &[du1, dv1]));
    let sum = g.sum([n, p, q]);
    Some(([du, dv, g.neg(sum), du1, dv1], known))
}
