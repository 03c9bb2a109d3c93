//! The structure behind Hamilton's equations, as it is shown: brackets, Jacobi's identity, the quotient, the theorems.
//!
//! Functions on M are shown in positions and momenta p_a, as in the Hamilton form; entries of rotations are left out
//! of the tables, where they would be many and say nothing.

use super::distributional::{Distributional, Unsuitable};
use super::lift::NoSymmetry;
use super::reconstruction::Reconstruction;
use super::reduced::Reduced;
use super::theorems::{Check, theorem_1, theorem_2, theorem_3, theorem_5};
use polhode_expr::{Expr, Symbol, print};
use polhode_mechanics::sheet::{Left, Line, Object, Pairing, Section};
use polhode_mechanics::system::System;
use polhode_model::Rotation;
use rustc_hash::FxHashMap;

/// Determinants of ω_H are shown up to this k.
const LARGEST_DETERMINANT: usize = 4;

/// What is shown of (M, H, ω_H, E).
#[derive(Clone, Debug)]
pub struct Structure {
    /// Dimension of M.
    pub dimension: usize,
    /// Rank of H and of the bracket.
    pub rank: usize,
    /// Does Jacobi's identity hold?
    pub jacobi: bool,
    /// Rank of the Jacobiator at a random point.
    pub jacobiator_rank: Option<usize>,
    /// The quotient by the symmetries of the model, when it has any.
    pub quotient: Option<Result<Quotient, NoSymmetry>>,
    /// The theorems of \[CushmanEtAl1995\] by number, with their claims.
    pub theorems: Vec<(u8, Check)>,
    /// The formulas.
    pub sections: Vec<Section>,
}

/// The ranks of a quotient at generic points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotient {
    /// The generators as written.
    pub generators: Vec<String>,
    /// rank V.
    pub rank_v: usize,
    /// dim V ∩ H.
    pub vertical: usize,
    /// dim U.
    pub perpendicular: usize,
    /// dim K.
    pub common: usize,
    /// Is K involutive, as reconstruction by quadratures needs? `None` when it is not known.
    pub involutive: Option<bool>,
    /// dim M̄.
    pub dimension: usize,
    /// rank H̄.
    pub rank_h: usize,
    /// The coordinates of M̄ that were found.
    pub coordinates: Vec<String>,
}

impl Structure {
    /// Looks at a system; its symmetries are those of the model.
    pub fn new(system: &mut System) -> Result<Structure, Unsuitable> {
        let d = Distributional::new(system)?;
        let to_p = d.momentum_chart(system).unwrap_or_default();
        let mut sections = vec![form(system, &d), brackets(system, &d, &to_p)];
        let j = d.jacobiator(system);
        let (jacobi, jacobiator_rank) = (j.vanishes(system), j.rank(system));
        let mut lines = Vec::new();
        let names = momentum_names(system, &d);
        if !jacobi {
            for ((a, b), _) in &j.curvature {
                let components = j.on_positions(system, &d, *a, *b);
                for (q, value) in shown_positions(system, &components) {
                    let left = vec![q, names[*a].clone(), names[*b].clone()];
                    push(system, &mut lines, &to_p, Left::Component(Object::Jacobiator, left), value);
                }
            }
            for ((a, b, c), value) in &j.momenta {
                let left = [a, b, c].map(|i| names[*i].clone()).to_vec();
                push(system, &mut lines, &to_p, Left::Component(Object::Jacobiator, left), *value);
            }
        }
        let title = match (jacobi, jacobiator_rank) {
            (true, _) => "Jacobi's identity holds: the bracket is a Poisson bracket".to_string(),
            (false, Some(rank)) => format!("Jacobi's identity fails: the Jacobiator has rank {rank}"),
            (false, None) => "Jacobi's identity fails".to_string(),
        };
        sections.push(Section { key: "jacobiator", title, lines });
        let mut theorems: Vec<(u8, Check)> = theorem_1(system, &d).into_iter().map(|c| (1, c)).collect();
        theorems.extend(theorem_2(system, &d).into_iter().map(|c| (2, c)));
        let mut out = Structure {
            dimension: d.dimension(system),
            rank: 2 * d.k(),
            jacobi,
            jacobiator_rank,
            quotient: None,
            theorems,
            sections,
        };
        if !system.model.symmetries.is_empty() {
            let reduced = Reduced::new(system, &d);
            out.quotient = Some(reduced.map(|r| out.add_quotient(system, &d, &to_p, &r)));
        }
        // a quotient none of whose coordinates are known still has dimensions
        out.sections.retain(|s| !s.lines.is_empty() || ["jacobiator", "reduced_equations"].contains(&s.key));
        Ok(out)
    }

    /// The claims of a theorem; none when it was not looked at.
    pub fn claims(&self, theorem: u8) -> Vec<Check> {
        self.theorems.iter().filter(|(t, _)| *t == theorem).map(|(_, c)| *c).collect()
    }

    fn add_quotient(&mut self, system: &mut System, d: &Distributional, to_p: &Chart, reduced: &Reduced) -> Quotient {
        self.theorems.extend(theorem_3(system, d, reduced).into_iter().map(|c| (3, c)));
        if let Some(split) = Reconstruction::new(system, d, reduced) {
            self.theorems.extend(theorem_5(system, d, reduced, &split).into_iter().map(|c| (5, c)));
        }
        let out = Quotient {
            generators: reduced.generators.iter().map(|g| g.text.clone()).collect(),
            rank_v: reduced.rank_v,
            vertical: reduced.vertical.len(),
            perpendicular: reduced.perpendicular.len(),
            common: reduced.common.len(),
            involutive: reduced.common_is_involutive(system, d),
            dimension: reduced.dimension,
            rank_h: reduced.rank_h(),
            coordinates: reduced.coordinates.iter().map(|c| c.name.clone()).collect(),
        };
        let mut lines = Vec::new();
        for (c, rate) in reduced.coordinates.iter().zip(reduced.rates(system, d)) {
            let symbol = system.graph.symbol(&format!("{}'", c.name));
            let rate = in_chart(system, to_p, rate);
            lines.push(Line::new(system, Left::Symbol(symbol), rate));
        }
        let title = format!(
            "quotient by {} symmetries: M̄ has dimension {}, H̄ rank {}; V ∩ H has rank {}, U {}, U ∩ V {}{}",
            out.generators.len(),
            out.dimension,
            out.rank_h,
            out.vertical,
            out.perpendicular,
            out.common,
            if out.involutive == Some(false) { " (not involutive)" } else { "" }
        );
        let known = out.coordinates.len();
        let title =
            if known < out.dimension { format!("{title}; {known} of the coordinates are known") } else { title };
        self.sections.push(Section { key: "reduced_equations", title, lines });
        let energy = system.energy();
        let energy = d.on_manifold(&mut system.graph, energy);
        let energy = system.narrowed(energy);
        let energy = in_chart(system, to_p, energy);
        let lines = vec![Line::new(system, Left::Name("Ebar".into()), energy)];
        self.sections.push(Section { key: "reduced_energy", title: "energy, a function on M̄".into(), lines });
        let mut lines = Vec::new();
        if let Some(omega) = &reduced.omega {
            for i in 0..omega.rows() {
                for j in i + 1..omega.cols() {
                    let names = vec![out.coordinates[i].clone(), out.coordinates[j].clone()];
                    push(system, &mut lines, to_p, Left::Component(Object::ReducedForm, names), omega[(i, j)]);
                }
            }
        }
        self.sections.push(Section { key: "reduced_form", title: "reduced form on H̄ = TM̄".into(), lines });
        let degenerate = reduced.degenerate(system);
        let lines = degenerate.into_iter().map(|e| without_sign(system, e)).collect();
        let title = match &reduced.omega {
            Some(_) => "U ∩ V is larger, and the reduced form has no value, where all of these vanish",
            None => "U ∩ V is larger where all of these vanish",
        };
        self.sections.push(Section { key: "degenerate", title: title.into(), lines });
        let lines = reduced.jumps(system).into_iter().map(|e| without_sign(system, e)).collect();
        let title = match &reduced.omega {
            Some(_) => "V ∩ H is larger, H̄ is not TM̄, and the reduced form has no value, where all of these vanish",
            None => "V ∩ H is larger where all of these vanish",
        };
        self.sections.push(Section { key: "jumps", title: title.into(), lines });
        out
    }
}

/// Momentum symbols, and the quasi-velocities in terms of them; empty when there is no such chart.
type Chart = (Vec<Symbol>, FxHashMap<Symbol, Expr>);

fn in_chart(system: &mut System, chart: &Chart, e: Expr) -> Expr {
    system.graph.substitute(e, &chart.1)
}

/// 0 = e, or 0 = −e where that is shorter.
fn without_sign(system: &mut System, e: Expr) -> Line {
    let line = Line::new(system, Left::Zero, e);
    match &line.right {
        Some(tree) if print::ascii(&system.graph, tree).starts_with('-') => {
            let opposite = system.graph.neg(e);
            Line::new(system, Left::Zero, opposite)
        }
        _ => line,
    }
}

/// Adds a line unless its value is zero.
fn push(system: &mut System, lines: &mut Vec<Line>, chart: &Chart, left: Left, value: Expr) {
    if !system.is_zero(value) {
        let value = in_chart(system, chart, value);
        lines.push(Line::new(system, left, value));
    }
}

fn momentum_names(system: &System, d: &Distributional) -> Vec<String> {
    let name = |s: &Symbol| format!("p_{}", system.graph.name(*s).trim_end_matches('\''));
    d.quasi_velocities().iter().map(name).collect()
}

/// The coordinates of the model, without entries of rotations, with their values in a list over all positions.
fn shown_positions(system: &System, values: &[Expr]) -> Vec<(String, Expr)> {
    let turning = system.configuration.factors().iter().filter(|f| f.rotation().is_some());
    let hidden: Vec<Symbol> = turning.flat_map(|f| f.positions.clone()).collect();
    let positions = system.configuration.positions().iter().zip(values);
    let shown = positions.filter(|(s, _)| !hidden.contains(s));
    shown.map(|(s, e)| (system.graph.name(*s).to_string(), *e)).collect()
}

/// The rates of the rotations along a field, as matrices: Σ_j Ω_j R ê_j, with ê_j the matrix of the rotation about the j-th axis.
fn rotations(system: &mut System, field: &[Expr]) -> Vec<(String, Expr)> {
    let mut out = Vec::new();
    let mut at = 0;
    for factor in system.configuration.factors().to_vec() {
        at += factor.velocities.len();
        let Some(Rotation { name, .. }) = factor.rotation() else { continue };
        let spin = at - 3;
        let mut terms = Vec::new();
        for j in 0..3 {
            let generator = system.graph.symbol(&format!("{name}_ê{}", j + 1));
            system.graph.set_latex(generator, &format!("{} \\hat e_{}", print::latex_name(name), j + 1));
            let generator = system.graph.var(generator);
            terms.push(system.graph.mul(field[spin + j], generator));
        }
        out.push((name.clone(), system.graph.sum(terms)));
    }
    out
}

fn form(system: &mut System, d: &Distributional) -> Section {
    let title = format!("M has dimension {}; ω_H has rank {}", d.dimension(system), 2 * d.k());
    let mut lines = Vec::new();
    if d.k() <= LARGEST_DETERMINANT {
        let value = d.determinant(&mut system.graph);
        lines.push(Line::new(system, Left::Component(Object::Determinant, Vec::new()), value));
    }
    Section { key: "form", title, lines }
}

fn brackets(system: &mut System, d: &Distributional, chart: &Chart) -> Section {
    let names = momentum_names(system, d);
    let anchor = system.configuration.anchor(&mut system.graph);
    let frame = anchor.mul(&mut system.graph, &d.equation.frame.e);
    let mut lines = Vec::new();
    for (a, p) in names.iter().enumerate() {
        for (q, value) in shown_positions(system, &frame.col(a)) {
            push(system, &mut lines, chart, Left::Pair(Pairing::Poisson, q, p.clone()), value);
        }
        for (r, value) in rotations(system, &d.equation.frame.e.col(a)) {
            push(system, &mut lines, chart, Left::Pair(Pairing::Poisson, r, p.clone()), value);
        }
    }
    for a in 0..names.len() {
        for b in a + 1..names.len() {
            let value = system.graph.neg(d.gyroscopic[(a, b)]);
            push(system, &mut lines, chart, Left::Pair(Pairing::Poisson, names[a].clone(), names[b].clone()), value);
        }
    }
    let rotates = system.configuration.factors().iter().any(|f| f.rotation().is_some());
    let title = match rotates {
        true => "almost-Poisson brackets that do not vanish (R_ê₁ is R times the matrix of e₁ ×)",
        false => "almost-Poisson brackets that do not vanish",
    };
    Section { key: "brackets", title: title.into(), lines }
}
