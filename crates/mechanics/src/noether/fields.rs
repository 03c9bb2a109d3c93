//! Symmetries: vector fields on the configuration space that keep the Lagrangian and the constraints.
//!
//! A field Z = ζ^A b_A moves positions by ζ and velocities by its lift,
//!
//! ```text
//! δv^D = dζ^D/dt + C^D_AB v^A ζ^B,                                                      (S1)
//! ```
//!
//! and is a symmetry when δL = 0 and the constraint rows, so moved, still vanish on D. Those that the model declares are looked at one by
//! one; besides, all combinations with constant coefficients of the fields that everybody thinks of (along coordinates, turns of the plane
//! of two coordinates, turns and shifts of bodies in space and in the body) are searched, which is linear algebra.
//!
//! A symmetry has the momentum J = ⟨∂L/∂v, Z⟩. It is constant when Z is admissible, that is in D; otherwise it may be or not:
//!
//! ```text
//! dJ/dt = λ_ν ⟨A_ν, Z⟩ + forces.                                                        (S2)
//! ```

use super::flow::Flow;
use super::sample::{Parameters, Sampler};
use crate::system::System;
use polhode_expr::field::{echelon, rational};
use polhode_expr::number::{Rational, as_i64, int, is_negative};
use polhode_expr::{Expr, Rates, Symbol};
use polhode_model::{Factor, Generator, Kind};

/// Points beyond the number of unknowns.
const SPARE: usize = 4;

/// Real coordinates that are turned in pairs; with more, only neighbours are.
const MOST_PAIRED: usize = 4;

/// A vector field with a name.
#[derive(Clone, Debug)]
pub struct Field {
    /// How it is written.
    pub name: String,
    /// ζ^A.
    pub components: Vec<Expr>,
    /// The rates of the positions.
    rates: Rates,
    /// Whether the model declares it.
    pub declared: bool,
}

impl Field {
    fn from_components(system: &mut System, name: String, components: Vec<Expr>) -> Field {
        let configuration = system.configuration.clone();
        let rates = configuration.rates_along(&mut system.graph, &components);
        Field { name, components, rates, declared: false }
    }

    /// The field of a generator, with its components on the base frame.
    pub fn declared(system: &mut System, generator: &Generator) -> Field {
        let zero = system.graph.zero();
        let rate = |s: &Symbol| generator.rates.iter().find(|(t, _)| t == s).map_or(zero, |(_, e)| *e);
        let mut components = Vec::new();
        for f in system.configuration.factors().to_vec() {
            let rates: Vec<Expr> = f.positions.iter().map(rate).collect();
            components.extend(on_base_frame(system, &f, &rates));
        }
        let rates = generator.rates.iter().copied().collect();
        Field { name: generator.text.clone(), components, rates, declared: true }
    }

    /// J = ⟨∂L/∂v, Z⟩.
    pub fn momentum(&self, system: &mut System) -> Expr {
        let velocities = system.configuration.velocities().to_vec();
        let graph = &mut system.graph;
        let parts: Vec<Expr> = velocities
            .iter()
            .zip(&self.components)
            .filter(|(_, z)| !graph.is_zero(**z))
            .map(|(v, z)| (*v, *z))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(v, z)| {
                let p = graph.derivative(system.lagrangian, v);
                graph.mul(p, z)
            })
            .collect();
        graph.sum(parts)
    }

    /// Is the field in D?
    pub fn is_admissible(&self, system: &mut System) -> bool {
        let rows = system.distribution.rows.clone();
        rows.iter().all(|row| {
            let parts: Vec<Expr> = row.a.iter().zip(&self.components).map(|(a, z)| system.graph.mul(*a, *z)).collect();
            let along = system.graph.sum(parts);
            system.is_zero(along)
        })
    }

    /// δL and δ of all constraint rows on D: what vanishes for a symmetry.
    fn changes(&self, system: &mut System, flow: &Flow) -> Vec<Expr> {
        let configuration = system.configuration.clone();
        let velocities = configuration.velocities();
        let graph = &mut system.graph;
        let motion = configuration.motion(graph, system.time);
        let slopes = graph.along_all(&self.components, &motion);
        let mut parts: Vec<Vec<(Expr, Rational)>> = slopes.into_iter().map(|s| vec![(s, int(1))]).collect();
        for &(a, b, d, c) in configuration.structure() {
            if !graph.is_zero(self.components[b]) {
                let v = graph.var(velocities[a]);
                parts[d].push((graph.mul(v, self.components[b]), int(c)));
            }
        }
        let mut rates = self.rates.clone();
        for (v, p) in velocities.iter().zip(parts) {
            let lift = graph.linear(p);
            rates.insert(*v, lift);
        }
        let residuals: Vec<Expr> = (system.distribution.rows.iter())
            .map(|row| {
                let mut parts: Vec<Expr> = Vec::new();
                for (a, v) in row.a.iter().zip(velocities) {
                    let v = graph.var(*v);
                    parts.push(graph.mul(*a, v));
                }
                parts.push(row.a0);
                graph.sum(parts)
            })
            .collect();
        let change = graph.along(system.lagrangian, &rates);
        let moved = graph.along_all(&residuals, &rates);
        let moved = flow.on_d(graph, &moved);
        std::iter::once(change).chain(moved).collect()
    }

    /// Does the field keep L and D?
    pub fn is_symmetry(&self, system: &mut System, flow: &Flow) -> bool {
        let changes = self.changes(system, flow);
        changes.into_iter().all(|e| system.is_zero(e))
    }
}

/// The components on the base frame of a field that changes the positions of a factor at these rates.
fn on_base_frame(system: &mut System, factor: &Factor, rates: &[Expr]) -> Vec<Expr> {
    let graph = &mut system.graph;
    let x: Vec<Expr> = factor.positions.iter().map(|s| graph.var(*s)).collect();
    // Ω̂ = Rᵀ Ṙ, so that Ω₁ = (Rᵀ Ṙ)₃₂ and so on
    let mut turning = |x: &[Expr], rates: &[Expr]| -> Vec<Expr> {
        [(2, 1), (0, 2), (1, 0)]
            .iter()
            .map(|(i, j)| {
                let parts: Vec<Expr> = (0..3).map(|k| graph.mul(x[3 * k + i], rates[3 * k + j])).collect();
                let sum = graph.sum(parts);
                graph.simplify_small(sum)
            })
            .collect()
    };
    match factor.kind {
        Kind::Real | Kind::Angle | Kind::Interval(..) | Kind::S2 => rates.to_vec(),
        Kind::Carried => Vec::new(),
        Kind::So3 => turning(&x, rates),
        Kind::Se2 => {
            let (s, c) = (graph.sin(x[2]), graph.cos(x[2]));
            let (a, b) = (graph.mul(c, rates[0]), graph.mul(s, rates[1]));
            let (d, e) = (graph.mul(c, rates[1]), graph.mul(s, rates[0]));
            vec![graph.add(a, b), graph.sub(d, e), rates[2]]
        }
        Kind::Se3 | Kind::Rolling => {
            let spin = turning(&x[..9], &rates[..9]);
            let shift = (0..3).map(|j| {
                let parts: Vec<Expr> = (0..3).map(|i| graph.mul(x[3 * i + j], rates[9 + i])).collect();
                graph.sum(parts)
            });
            shift.collect::<Vec<_>>().into_iter().chain(spin).collect()
        }
    }
}

/// The fields that everybody thinks of.
fn usual(system: &mut System) -> Vec<Field> {
    let configuration = system.configuration.clone();
    let n = configuration.velocities().len();
    let zero = system.graph.zero();
    let one = system.graph.one();
    let mut out: Vec<(String, Vec<Expr>)> = Vec::new();
    let mut reals: Vec<(usize, Symbol)> = Vec::new();
    let mut first = 0;
    for f in configuration.factors() {
        let unit = |parts: &[(usize, Expr)]| {
            let mut c = vec![zero; n];
            parts.iter().for_each(|(i, e)| c[first + i] = *e);
            c
        };
        let graph = &mut system.graph;
        let x: Vec<Expr> = f.positions.iter().map(|s| graph.var(*s)).collect();
        match f.kind {
            Kind::Real | Kind::Angle | Kind::Interval(..) => {
                out.push((format!("d/d{}", f.name), unit(&[(0, one)])));
                if matches!(f.kind, Kind::Real) {
                    reals.push((first, f.positions[0]));
                }
            }
            Kind::Se2 => {
                let (s, c) = (graph.sin(x[2]), graph.cos(x[2]));
                let minus = graph.neg(s);
                out.push((format!("d/d{}.x", f.name), unit(&[(0, c), (1, minus)])));
                out.push((format!("d/d{}.y", f.name), unit(&[(0, s), (1, c)])));
                out.push((format!("turn of {} about itself", f.name), unit(&[(2, one)])));
            }
            Kind::S2 => {
                for i in 0..3 {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    let minus = graph.neg(x[k]);
                    out.push((format!("turn of {} about e{}", f.name, i + 1), unit(&[(j, minus), (k, x[j])])));
                }
            }
            Kind::So3 | Kind::Se3 | Kind::Rolling => {
                let spin = if f.kind == Kind::So3 { 0 } else { 3 };
                for i in 0..3 {
                    let row: Vec<(usize, Expr)> = (0..3).map(|j| (spin + j, x[3 * i + j])).collect();
                    out.push((format!("turn of {} about e{} in space", f.name, i + 1), unit(&row)));
                }
                for i in 0..3 {
                    out.push((format!("turn of {} about its own e{}", f.name, i + 1), unit(&[(spin + i, one)])));
                }
                if spin == 3 {
                    for i in 0..3 {
                        let row: Vec<(usize, Expr)> = (0..3).map(|j| (j, x[3 * i + j])).collect();
                        out.push((format!("shift of {} along e{}", f.name, i + 1), unit(&row)));
                    }
                    for i in 0..3 {
                        // e_i × p in body components: Σ_l R_lj (e_i × p)_l
                        let (l, m) = ((i + 1) % 3, (i + 2) % 3);
                        let row: Vec<(usize, Expr)> = (0..3)
                            .map(|j| {
                                let (a, b) = (graph.mul(x[3 * m + j], x[9 + l]), graph.mul(x[3 * l + j], x[9 + m]));
                                (j, graph.sub(a, b))
                            })
                            .collect();
                        out.push((format!("circling of {} about e{}", f.name, i + 1), unit(&row)));
                    }
                }
            }
            Kind::Carried => {}
        }
        first += f.velocities.len();
    }
    for (at, (i, x)) in reals.iter().enumerate() {
        for (j, y) in reals.iter().skip(at + 1).take(if reals.len() > MOST_PAIRED { 1 } else { reals.len() }) {
            let graph = &mut system.graph;
            let name = format!("{}*d/d{} - {}*d/d{}", graph.name(*x), graph.name(*y), graph.name(*y), graph.name(*x));
            let (ex, ey) = (graph.var(*x), graph.var(*y));
            let mut c = vec![zero; n];
            c[*i] = graph.neg(ey);
            c[*j] = ex;
            out.push((name, c));
        }
    }
    out.into_iter().map(|(name, c)| Field::from_components(system, name, c)).collect()
}

/// Symmetries among the combinations of the usual fields with constant coefficients, the simplest first. None are looked for
/// where points of contact are carried: what a motion of space does to them is not in the model.
pub(crate) fn found(system: &mut System, flow: &Flow) -> Vec<Field> {
    if system.configuration.factors().iter().any(|f| f.kind == Kind::Carried) {
        return Vec::new();
    }
    let fields = usual(system);
    if fields.is_empty() {
        return Vec::new();
    }
    let changes: Vec<Vec<Expr>> = fields.iter().map(|f| f.changes(system, flow)).collect();
    let all: Vec<Expr> = changes.iter().flatten().copied().collect();
    let parameters = Parameters::random(system, 31);
    let Some(rows) = Sampler::new(7).rows(system, &parameters, &all, fields.len() + SPARE) else { return Vec::new() };
    let conditions = changes[0].len();
    let matrix = rows.iter().flat_map(|row| {
        (0..conditions).map(move |c| row.iter().skip(c).step_by(conditions).copied().collect::<Vec<u64>>())
    });
    let null = echelon(matrix.collect(), fields.len()).null_space();
    null.iter().filter_map(|v| combination(system, &fields, v)).collect()
}

/// Σ κ_i Z_i for rational κ.
fn combination(system: &mut System, fields: &[Field], kappa: &[u64]) -> Option<Field> {
    let mut name = String::new();
    let mut parts: Vec<(usize, Rational)> = Vec::new();
    for (i, k) in kappa.iter().enumerate().filter(|(_, k)| **k != 0) {
        parts.push((i, rational(*k, 1000)?));
    }
    if parts.first().is_some_and(|(_, r)| is_negative(r)) {
        parts.iter_mut().for_each(|(_, r)| *r = -r.clone());
    }
    for (i, r) in &parts {
        let sign = if is_negative(r) { "-" } else { "+" };
        let size = if is_negative(r) { -r.clone() } else { r.clone() };
        let factor = if as_i64(&size) == Some(1) { String::new() } else { format!("{size}*") };
        let inner = if fields[*i].name.contains(" - ") && (sign == "-" || !factor.is_empty()) {
            format!("({})", fields[*i].name)
        } else {
            fields[*i].name.clone()
        };
        match (name.is_empty(), sign) {
            (true, _) => name += &format!("{factor}{inner}"),
            (false, sign) => name += &format!(" {sign} {factor}{inner}"),
        }
    }
    let n = fields[0].components.len();
    let components = (0..n)
        .map(|a| {
            let items: Vec<_> = parts.iter().map(|(i, r)| (fields[*i].components[a], r.clone())).collect();
            system.graph.linear(items)
        })
        .collect();
    Some(Field::from_components(system, name, components))
}
