//! The page of `polhode conserved`.

use super::{Page, Tested, Volume};
use crate::output::{bold, dim};
use polhode::analysis::noether::search::readable;
use polhode::analysis::noether::{Conserved, Family, Flow, Ground, Integral, Kind, Measure, Momentum, Origin, Outcome};
use polhode::expr::{Evidence, Expr, Tree};
use polhode::mechanics::System;
use polhode::plot::number::short;
use polhode::prelude::print;
use polhode::simulate::detective::Detection;

/// Momenta with a longer rate are only said not to be constant.
const LONGEST_RATE: usize = 45;

/// Formulas in one of two writings.
struct Writer<'a> {
    system: &'a mut System,
    latex: bool,
}

impl Writer<'_> {
    fn tree(&self, tree: Option<&Tree>) -> String {
        match tree {
            Some(tree) if self.latex => print::latex(&self.system.graph, tree),
            Some(tree) => print::text(&self.system.graph, tree),
            None => "… (too long to show)".to_string(),
        }
    }

    fn expression(&mut self, e: Expr) -> String {
        let tree = readable(self.system, e);
        self.tree(tree.as_ref())
    }

    fn name(&self, symbol: polhode::expr::Symbol) -> String {
        match self.latex {
            true => print::latex_symbol(&self.system.graph, symbol),
            false => print::unicode_symbol(&self.system.graph, symbol),
        }
    }
}

pub(super) fn page(system: &mut System, flow: &Flow, page: &Page, latex: bool) -> String {
    let mut out = String::new();
    let mut w = Writer { system, latex };
    if page.at_values {
        out += &values(&mut w);
    }
    if w.system.model.switches() {
        out += "\nconstraints come and go, or there is something to run into: this is for the region of the start, between jumps\n";
    }
    for t in &page.tests {
        out += &tested(&w, t);
    }
    if let Some(c) = &page.conserved {
        out += &conserved(&mut w, c, page.degree);
    }
    if let Some(v) = &page.measure {
        out += &measure(&mut w, flow, v);
    }
    if let Some(d) = &page.detected {
        out += &detected(&mut w, d);
    }
    out += &quasi_velocities(&mut w, flow, page);
    if page.conserved.is_some() {
        out += &dim(
            "\n  a search is as large as its space: --degree N, --basis EXPR, --weight EXPR, --at-values, --quadratic; --test EXPR decides one candidate\n",
        );
    }
    out
}

/// The numbers that were put in for parameters.
fn values(w: &mut Writer) -> String {
    let parameters = w.system.model.parameters.clone();
    let rational = parameters.iter().filter(|p| w.system.graph.as_number(p.value).is_some());
    let (names, numbers): (Vec<_>, Vec<_>) = rational.map(|p| (p.symbol, p.value)).unzip();
    let shown: Vec<String> =
        names.into_iter().zip(numbers).map(|(s, e)| format!("{} = {}", w.name(s), w.expression(e))).collect();
    if shown.is_empty() { String::new() } else { dim(&format!("  at the values {}\n", shown.join(", "))) }
}

fn label(t: &Tested) -> String {
    match t.component {
        Some(i) => format!("component {i} of {}", t.text),
        None => t.text.clone(),
    }
}

/// What standard error says when a function is not constant.
pub(super) fn refusal(t: &Tested) -> String {
    let verdict = match t.answer.outcome {
        Outcome::Undecided | Outcome::OffContact if t.watched.is_none() => "could not be decided",
        _ if t.here.is_some() => "is not constant for parameters in general; at the values of the model it is",
        _ => "is not constant",
    };
    format!("{} {verdict}\n", label(t))
}

fn tested(w: &Writer, t: &Tested) -> String {
    let name = bold(&label(t));
    let start = t.rate_at_start.map_or(String::new(), |x| format!("; {} where the model starts", short(x, 6)));
    let rate = |head: &str| format!("    {head} = {}{start}\n", w.tree(t.rate.as_ref()));
    let head = if w.latex { "\\frac{d}{dt}" } else { "d/dt" };
    match t.answer.outcome {
        Outcome::Constant(ground) => format!("\n  {name} is constant: {}\n", proof(ground)),
        Outcome::Trivial => format!("\n  {name} is constant, but trivially: it is the same number for all states\n"),
        Outcome::Changes(ground) => {
            let general = if t.here.is_some() { " for parameters in general" } else { "" };
            let here = match t.here {
                Some(Outcome::Trivial) => {
                    "  at the values of the model it is constant, but trivially: the same number for all states\n"
                }
                Some(_) => "  at the values of the model it is constant: --at-values puts these in\n",
                None => "",
            };
            format!("\n  {name} is not constant{general}: {}\n{}{here}", proof(ground), rate(head))
        }
        Outcome::OffContact | Outcome::Undecided => {
            let why = match t.answer.outcome {
                Outcome::OffContact => "algebra cannot tell, since the point of contact is known by its rate alone",
                _ => "algebra cannot tell",
            };
            let seen = match t.watched {
                Some(x) if x.looks_constant() => {
                    format!(
                        "looks constant: it changes by {:.0e} of itself on {} motions; no proof, {why}",
                        x.change, x.motions
                    )
                }
                Some(x) => {
                    format!("is not constant: it changes by {:.0e} of itself on {} motions", x.change, x.motions)
                }
                None => format!("is undecided: {why}, and no motion could be followed"),
            };
            format!("\n  {name} {seen}\n")
        }
    }
}

fn proof(ground: Ground) -> String {
    let evidence = |e: Evidence| match e {
        Evidence::PrimeField { error, .. } if error > 0.0 => format!("decided exactly, error below {error:.0e}"),
        Evidence::PrimeField { .. } => "decided exactly".to_string(),
        Evidence::MultiPrecision { digits, points } => format!("{digits} digits at {points} random states"),
    };
    match ground {
        Ground::Everywhere(e) => evidence(e),
        Ground::ByFormulas(e) => {
            format!("{}, with the parameters that the model gives as formulas of others put in", evidence(e))
        }
        Ground::AtValues(e) => format!("{}, for these values of the parameters only", evidence(e)),
        Ground::Surface { points } => format!("doubles at {points} points of the holonomic constraints"),
    }
}

fn conserved(w: &mut Writer, c: &Conserved, asked: usize) -> String {
    let mut out = format!("\n{}\n", bold("integrals"));
    if c.integrals.is_empty() && c.systems.is_empty() {
        out += "  none found\n";
    }
    for i in &c.integrals {
        let formula = w.tree(i.tree.as_ref());
        out += &format!("  {formula}\n{}", dim(&format!("      {}\n", what(i))));
    }
    for f in &c.systems {
        out += &family(w, f);
    }
    if let Some(rate) = c.energy_rate {
        let tree = readable(w.system, rate).filter(|t| t.operations() <= LONGEST_RATE);
        let rate = tree.map_or(String::new(), |t| format!(": dE/dt = {}", w.tree(Some(&t))));
        let moving = c.integrals.iter().any(|i| i.kind == Kind::MovingEnergy);
        let instead = if moving { "; the moving energy above is" } else { "" };
        out += &format!("  the energy is not constant{instead}{rate}\n");
    }
    if !c.searched {
        out += "  the equations contain functions that the search cannot handle (logarithms, angles of vectors): only symmetries and the energy were looked at\n";
    } else {
        out += &dim(&format!("  searched: coefficient functions of {}\n", degree(c.degree, asked)));
    }
    if c.special > 0 {
        let functions = if c.special == 1 { "one more function is" } else { "more functions are" };
        out += &format!("  at the values of the parameters {functions} constant: --at-values\n");
    }
    if let Some(q) = c.quadratic {
        out += &dim(&format!(
            "  searched: integrals quadratic in the velocities, coefficients of {}; functions of the others are not listed\n",
            degree(q.degree, asked)
        ));
        if q.unwritten > 0 {
            out += &format!(
                "  {} more quadratic functions are constant, and too long to be written down: they may be functions of the others\n",
                q.unwritten
            );
        }
    }
    if w.system.model.contacts.iter().any(|c| !c.carried.is_empty()) {
        out += "  integrals that hold only where the bodies touch are not seen here, since the point of contact is known by its rate alone: try --neumann\n";
    }
    out += &symmetries(w, &c.momenta);
    out
}

/// What was searched, and why no more.
fn degree(reached: usize, asked: usize) -> String {
    match reached < asked {
        true => format!(
            "degree {reached} in the coordinates; those of degree {asked} are too many: --basis EXPR names a few"
        ),
        false => format!("degree {reached} in the coordinates"),
    }
}

fn what(i: &Integral) -> String {
    let mut parts = Vec::new();
    parts.push(match (&i.kind, &i.origin) {
        (Kind::Energy, _) => "energy".to_string(),
        (Kind::MovingEnergy, _) => "moving energy".to_string(),
        (Kind::Quadratic, _) => "quadratic in the velocities".to_string(),
        (Kind::Position, _) => "a function of the position: a holonomic constraint".to_string(),
        (_, Some(Origin::Momentum { symmetries, admissible: true })) => {
            format!("momentum of the admissible symmetry {}", symmetries.join(", "))
        }
        (_, Some(Origin::Momentum { symmetries, admissible: false })) => {
            format!(
                "momentum of {}, which the constraints do not admit: the reactions do no work on it",
                symmetries.join(", ")
            )
        }
        (_, Some(Origin::Gauge)) => {
            "gauge momentum: along symmetries, with coefficients that depend on the position".to_string()
        }
        (_, Some(Origin::NoSymmetry)) => "linear in the velocities; from no symmetry".to_string(),
        (_, None) => "linear in the velocities".to_string(),
    });
    if i.kind == Kind::LinearByEquation {
        parts.push("its coefficient solves a linear differential equation".to_string());
    }
    if !i.independent {
        parts.push("a function of those above".to_string());
    }
    let ground = match i.answer.outcome {
        Outcome::Constant(Ground::Everywhere(Evidence::PrimeField { .. })) => None,
        Outcome::Constant(ground) => Some(proof(ground)),
        _ => None,
    };
    parts.extend(ground);
    parts.join("; ")
}

fn family(w: &mut Writer, f: &Family) -> String {
    let (s, new) = (&f.system, f.new);
    let n = s.order();
    let variable = w.name(s.variable);
    let count = ["no integral", "one integral", "two integrals", "three integrals", "four integrals"].get(new).copied();
    let count = count.map_or_else(|| format!("{new} integrals"), str::to_string);
    let more = if new < n { " more" } else { "" };
    // a model may have a c_1 of its own
    let graph = &mut w.system.graph;
    let letter =
        ["c", "k", "gamma"].into_iter().find(|l| graph.find_symbol(&format!("{l}_1")).is_none()).unwrap_or("C");
    let c: Vec<Expr> = (1..=n).map(|i| graph.named(&format!("{letter}_{i}"))).collect();
    let sum = |w: &mut Writer, factors: &[Expr]| {
        let graph = &mut w.system.graph;
        let parts: Vec<Expr> = factors.iter().zip(&c).map(|(a, c)| graph.mul(*a, *c)).collect();
        let total = graph.sum(parts);
        w.expression(total)
    };
    let mut out = format!("  {}\n", sum(w, &s.velocities));
    let origin = match f.gauge {
        true => "gauge momenta: along symmetries, with coefficients that solve",
        false => "linear in the velocities and from no symmetry, with coefficients that solve",
    };
    let following = match new - f.independent.min(new) {
        0 => String::new(),
        all if all == new => ", functions of those above".to_string(),
        1 => " (one a function of the others and of those above)".to_string(),
        some => format!(" ({some} of them functions of the others and of those above)"),
    };
    out += &dim(&format!("      {count}{more}{following}, {origin}\n"));
    if let Some(e) = s.cosine {
        let e = w.expression(e);
        out += &match w.latex {
            true => format!("      \\cos {variable} = {e}\n"),
            false => format!("      cos {variable} = {e}\n"),
        };
    }
    for (i, c) in c.iter().enumerate() {
        let (left, right) = (w.expression(*c), sum(w, s.matrix.row(i)));
        out += &format!("      d{left}/d{variable} = {right}\n");
    }
    out
}

fn symmetries(w: &mut Writer, momenta: &[Momentum]) -> String {
    if momenta.is_empty() {
        return format!("\n{}\n  none found\n", bold("symmetries"));
    }
    let mut out = format!("\n{}\n", bold("symmetries"));
    for m in momenta {
        let declared = if m.declared { "" } else { " (not declared in the model)" };
        out += &format!("  {}{declared}\n", m.field.text);
        let formula = w.tree(m.tree.as_ref());
        let rate = match &m.rate_tree {
            Some(tree) if tree.operations() <= LONGEST_RATE => format!(": dJ/dt = {}", w.tree(Some(tree))),
            _ => String::new(),
        };
        let verdict = match (m.symmetry, m.answer.is_integral(), m.admissible) {
            _ if m.answer.outcome == Outcome::Trivial => {
                "the constraints leave its momentum one value: constant, but trivially, and no integral".to_string()
            }
            (false, false, _) => format!("no symmetry of Lagrangian and constraints, and no integral{rate}"),
            (false, true, _) => "no symmetry of Lagrangian and constraints, yet its momentum is constant".to_string(),
            (true, true, true) => "admissible: its momentum is constant".to_string(),
            (true, true, false) => "the constraints do not admit it, yet its momentum is constant".to_string(),
            (true, false, true) => format!("admissible, but forces change its momentum{rate}"),
            (true, false, false) => {
                format!("a symmetry without an integral, since the constraints do not admit it{rate}")
            }
        };
        out += &format!("      J = {formula}\n      {verdict}\n");
    }
    out
}

/// What the quasi-velocities are that the page contains: in the volume of the measure, or in a rate.
fn quasi_velocities(w: &mut Writer, flow: &Flow, page: &Page) -> String {
    let volume = page.measure.as_ref().is_some_and(|v| v.shown().has_density());
    let mut rates: Vec<Expr> = page.conserved.iter().filter_map(|c| c.energy_rate).collect();
    let momenta = page.conserved.iter().flat_map(|c| &c.momenta).filter(|m| m.rate_tree.is_some());
    let tested = page.tests.iter().filter(|t| t.rate.is_some()).map(|t| t.answer.rate);
    for rate in momenta.map(|m| m.answer.rate).chain(tested) {
        rates.push(flow.shown(w.system, rate));
    }
    let mut lines = Vec::new();
    for (s, e) in &flow.equations.definitions {
        if volume || rates.iter().any(|r| w.system.graph.contains_any(*r, &[*s])) {
            lines.push(format!("  {} = {}\n", w.name(*s), w.expression(*e)));
        }
    }
    if lines.is_empty() { String::new() } else { format!("\n{}\n{}", bold("quasi-velocities"), lines.concat()) }
}

fn measure(w: &mut Writer, flow: &Flow, v: &Volume) -> String {
    let mut out = format!("\n{}\n", bold("invariant measure"));
    let unknowns: Vec<String> = flow.equations.unknowns.iter().map(|s| format!("d{}", w.name(*s))).collect();
    let volume = format!("dq {}", unknowns.join(" "));
    out += &verdict(w, &v.found, &volume);
    let mut here = None;
    if let Some((e, found)) = &v.exception {
        let zeros: Vec<String> = e.zeros.iter().map(|z| format!("{} = 0", w.expression(*z))).collect();
        if !zeros.is_empty() {
            out += &format!("  it does vanish where {}\n", zeros.join(" or "));
        }
        here = found.as_ref();
    }
    if let Some(m) = here {
        out +=
            &format!("  it vanishes at the values of the model, for which (--at-values):\n{}", verdict(w, m, &volume));
    }
    if v.shown().has_density() {
        let sphere = w.system.configuration.factors().iter().any(|f| f.direction().is_some());
        let area = if sphere { ", for unit vectors the area" } else { "" };
        out += &dim(&format!("  dq: the volume of the coordinates, for rotations the invariant one{area}\n"));
    }
    if let Some(n) = v.multiplier {
        let n = w.expression(n);
        out += &match n.as_str() {
            "1" => "  Chaplygin's equations are Lagrangian as they are: the reducing multiplier is 1\n".to_string(),
            _ => format!(
                "  Chaplygin's reducing multiplier N = {n}: in the time τ, dτ = N dt, the motion is Hamiltonian\n"
            ),
        };
    }
    out
}

fn verdict(w: &mut Writer, m: &Measure, volume: &str) -> String {
    match m {
        Measure::Density { constant: true, .. } => format!("  {volume} itself is invariant\n"),
        Measure::Density { density, local, .. } => {
            let density = w.expression(*density);
            let near = if *local { ", near every point: it is no function on the circles of its angles" } else { "" };
            format!("  density {density} with respect to {volume}{near}\n")
        }
        Measure::Closed { slopes } => {
            let parts: Vec<String> = slopes.iter().map(|e| w.expression(*e)).collect();
            format!(
                "  there is one near every point, with respect to {volume}; the derivatives of its logarithm along the frame are\n    {}\n  and no product of powers and exponentials of the coordinates, the determinants and the denominators has them\n",
                parts.join("\n    ")
            )
        }
        Measure::Shrinks { rate } => {
            let rate = w.expression(*rate);
            format!("  none with a density of the position: volume changes even at rest, at the rate {rate}\n")
        }
        Measure::Obstruction { difference } => {
            let difference = w.expression(*difference);
            format!(
                "  none with a smooth density of the position: the conditions along the constraints and their brackets contradict each other, by\n    {difference}\n  which would have to vanish\n"
            )
        }
        Measure::NotAffine => "  not decided: the divergence is not affine in the velocities\n".to_string(),
        Measure::Carried => "  not decided: points of contact are carried along, so that the positions are no coordinates; --neumann may help\n".to_string(),
        Measure::Singular => {
            "  not decided: the values of the parameters make a denominator of these equations zero\n".to_string()
        }
        Measure::Undecided => "  not decided: too large\n".to_string(),
    }
}

fn detected(w: &mut Writer, d: &Detection) -> String {
    let mut out =
        format!("\n{}\n", bold(&format!("proposed by {} motions, from {} functions", d.motions, d.candidates)));
    for p in d.proposals.iter().filter(|p| !p.follows) {
        let formula = w.expression(p.function);
        let verdict = match p.answer.outcome {
            Outcome::Constant(ground) => format!("constant: {}", proof(ground)),
            Outcome::Trivial => "the same number for all states".to_string(),
            Outcome::Changes(_) => "refused: not constant on all motions".to_string(),
            Outcome::OffContact => {
                "constant on these motions; algebra cannot tell where contact is carried along".to_string()
            }
            Outcome::Undecided => "constant on these motions; algebra cannot tell".to_string(),
        };
        out += &format!("  {formula}\n{}", dim(&format!("      {verdict}\n")));
    }
    let of_the_energy = match (d.known, d.energy) {
        (true, _) => "the integrals of the search and ",
        (false, true) => "the energy and ",
        (false, false) => "",
    };
    match d.proposals.iter().filter(|p| p.follows).count() {
        _ if d.discoveries() == 0 && d.known => out += "  nothing beyond the integrals of the search\n",
        _ if d.discoveries() == 0 => out += if d.energy { "  nothing beyond the energy\n" } else { "  no integral\n" },
        0 => {}
        n => out += &dim(&format!("  and {n} more that are functions of {of_the_energy}those above\n")),
    }
    if d.unnamed > 0 {
        let functions = if d.unnamed == 1 { "function looks" } else { "functions look" };
        out += &dim(&format!(
            "  {} more {functions} constant on these motions, with coefficients that are no short fractions; nothing is proved about that\n",
            d.unnamed
        ));
    }
    out
}
