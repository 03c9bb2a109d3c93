//! Where an integral linear in the velocities comes from.
//!
//! f = ⟨p, η⟩ on D for one section η of D: with the mass matrix G_ab = ⟨e_a, e_b⟩ of D,
//!
//! ```text
//! η = (G⁻¹)^ab (∂f/∂ξ^b) e_a.                                                           (O1)
//! ```
//!
//! Three cases, after \[FassoGiacobbeSansonetto2008\]: f is the momentum of a symmetry; η is tangent to the orbits of the symmetries, with coefficients
//! that depend on the position (a gauge momentum); or η is not tangent to them at all.

use super::flow::Flow;
use super::momentum::momentum;
use super::sample::{Parameters, Sampler};
use polhode_expr::field::{Residue, echelon};
use polhode_expr::{Expr, Matrix};
use polhode_mechanics::symmetry::Field;
use polhode_mechanics::system::System;

/// Why a linear integral is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The momentum of a combination of symmetries with constant coefficients: their names. They are admissible, or the
    /// reactions do no work on them all the same.
    Momentum {
        /// The symmetries that take part.
        symmetries: Vec<String>,
        /// Whether the combination is in D.
        admissible: bool,
    },
    /// η is tangent to the orbits of the symmetries, with coefficients that are no constants.
    Gauge,
    /// η leaves the orbits: no symmetry is behind it.
    NoSymmetry,
}

/// The mass matrix of D.
pub(crate) fn mass(system: &mut System, flow: &Flow) -> Matrix {
    let (_, mass) = system.mass_on(&flow.equations);
    let on_d =
        system.configuration.velocities().iter().copied().zip(flow.equations.velocities.iter().copied()).collect();
    mass.map(|e| system.graph.substitute(e, &on_d))
}

/// The origin of a linear integral, given by its restriction to D; `None` when the equations have no values in F_p.
pub(crate) fn origin(
    system: &mut System,
    flow: &Flow,
    mass: &Matrix,
    symmetries: &[Field],
    on_d: Expr,
    sampler: &mut Sampler,
) -> Option<Origin> {
    let parameters = Parameters::random(system, 43);
    let momenta: Vec<Expr> = symmetries.iter().map(|z| momentum(system, z)).collect();
    let momenta = flow.on_d(&mut system.graph, &momenta);
    let columns: Vec<Expr> = momenta.iter().copied().chain([on_d]).collect();
    let rows = sampler.rows(system, &parameters, &columns, columns.len() + 3)?;
    let with_one = rows.into_iter().map(|mut r| {
        r.insert(0, Residue::ONE);
        r
    });
    let relation = echelon(with_one.collect(), columns.len() + 1);
    if let Some(last) = relation.null_space().into_iter().find(|v| v[columns.len()] == Residue::ONE) {
        let used: Vec<usize> = (0..symmetries.len()).filter(|i| !last[i + 1].is_zero()).collect();
        let n = system.configuration.velocities().len();
        let m = system.distribution.rows.len();
        let mut needed: Vec<Expr> = used.iter().flat_map(|i| symmetries[*i].components.clone()).collect();
        system.distribution.rows.iter().for_each(|r| needed.extend(r.a.iter().copied()));
        let values = sampler.rows(system, &parameters, &needed, 2)?;
        let admissible = values.iter().all(|row| {
            let (fields, forms) = row.split_at(used.len() * n);
            (0..m).all(|nu| {
                let along = |i: usize| (0..n).map(|a| forms[nu * n + a] * fields[i * n + a]).sum::<Residue>();
                let total: Residue = (0..used.len()).map(|i| last[used[i] + 1] * along(i)).sum();
                total.is_zero()
            })
        });
        let symmetries = used.iter().map(|i| symmetries[*i].text.clone()).collect();
        return Some(Origin::Momentum { symmetries, admissible });
    }
    let xi = flow.equations.unknowns.clone();
    let slopes: Vec<Expr> = xi.iter().map(|s| system.graph.derivative(on_d, *s)).collect();
    let (k, n) = (xi.len(), system.configuration.velocities().len());
    let frame = &flow.equations.frame.e;
    let mut needed: Vec<Expr> = mass.entries().to_vec();
    needed.extend(slopes);
    needed.extend(frame.entries());
    symmetries.iter().for_each(|z| needed.extend(z.components.iter().copied()));
    let row = sampler.rows(system, &parameters, &needed, 1)?.remove(0);
    let (g, rest) = row.split_at(k * k);
    let (x, rest) = rest.split_at(k);
    let (e, fields) = rest.split_at(n * n);
    let augmented: Vec<Vec<Residue>> =
        (0..k).map(|a| g[a * k..][..k].iter().copied().chain([-x[a]]).collect()).collect();
    let eta = echelon(augmented, k + 1).null_space().into_iter().find(|v| v[k] == Residue::ONE)?;
    let eta: Vec<Residue> = (0..n).map(|i| (0..k).map(|a| e[i * n + a] * eta[a]).sum()).collect();
    let fields: Vec<Vec<Residue>> = fields.chunks(n).map(<[Residue]>::to_vec).collect();
    let rank = |rows: Vec<Vec<Residue>>| echelon(rows, n).pivots.len();
    let spanned = rank(fields.clone());
    Some(if rank(fields.into_iter().chain([eta]).collect()) == spanned { Origin::Gauge } else { Origin::NoSymmetry })
}
