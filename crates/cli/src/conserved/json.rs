//! The document of `polhode conserved --json`.

use super::{Page, Tested};
use polhode::analysis::noether::search::readable;
use polhode::analysis::noether::{Conserved, Family, Flow, Ground, Integral, Kind, Measure, Momentum, Origin, Outcome};
use polhode::expr::{Evidence, Expr, Tree};
use polhode::mechanics::System;
use polhode::prelude::{Model, print};
use serde_json::{Value, json};

fn formula(system: &System, tree: Option<&Tree>) -> Value {
    match tree {
        Some(t) => json!({ "text": print::ascii(&system.graph, t), "latex": print::latex(&system.graph, t) }),
        None => Value::Null,
    }
}

fn expression(system: &mut System, e: Expr) -> Value {
    let tree = readable(system, e);
    formula(system, tree.as_ref())
}

pub(super) fn document(model: &Model, system: &mut System, flow: &Flow, page: &Page) -> Value {
    let mut out = json!({ "model": model.name, "title": model.title });
    let mut quasi_velocities = serde_json::Map::new();
    for (s, e) in &flow.equations.definitions {
        quasi_velocities.insert(system.graph.name(*s).to_string(), expression(system, *e));
    }
    if page.at_values {
        out["at_values"] = json!(true);
    }
    if model.switches() {
        out["between_jumps"] = json!(true);
    }
    out["quasi_velocities"] = Value::Object(quasi_velocities);
    if !page.tests.is_empty() {
        out["tests"] = page.tests.iter().map(|t| tested(system, t)).collect();
    }
    if let Some(c) = &page.conserved {
        conserved(system, c, &mut out);
    }
    if let Some(v) = &page.measure {
        out["measure"] = measure(system, &v.found);
        out["measure"]["at_values"] = json!(v.at_values);
        let volume: Vec<&str> = flow.equations.unknowns.iter().map(|s| system.graph.name(*s)).collect();
        out["measure"]["velocities"] = json!(volume);
        if let Some((e, here)) = &v.exception {
            out["measure"]["vanishes_where_zero"] = e.zeros.iter().map(|z| expression(system, *z)).collect();
            out["measure"]["at_the_values_of_the_model"] = here.as_ref().map_or(Value::Null, |m| measure(system, m));
        }
        out["reducing_multiplier"] = v.multiplier.map_or(Value::Null, |n| expression(system, n));
    }
    if let Some(d) = &page.detected {
        let proposals: Vec<Value> = (d.proposals.iter())
            .map(|p| json!({ "function": expression(system, p.function), "constant": p.answer.is_integral(), "follows": p.follows, "verdict": verdict(p.answer.outcome) }))
            .collect();
        out["detected"] = json!({ "motions": d.motions, "candidates": d.candidates, "proposals": proposals, "unnamed": d.unnamed, "discoveries": d.discoveries() });
    }
    out
}

fn verdict(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Constant(_) => "constant",
        Outcome::Trivial => "trivial",
        Outcome::Changes(_) => "changes",
        Outcome::OffContact | Outcome::Undecided => "undecided",
    }
}

fn evidence(outcome: Outcome) -> Value {
    let exact = |e: Evidence| match e {
        Evidence::PrimeField { points, error } => json!({ "kind": "prime-field", "points": points, "error": error }),
        Evidence::MultiPrecision { digits, points } => {
            json!({ "kind": "multi-precision", "digits": digits, "points": points })
        }
    };
    match outcome {
        Outcome::Constant(g) | Outcome::Changes(g) => match g {
            Ground::Everywhere(e) => exact(e),
            Ground::ByFormulas(e) => {
                let mut out = exact(e);
                out["formulas_of_parameters"] = json!(true);
                out
            }
            Ground::AtValues(e) => {
                let mut out = exact(e);
                out["at_values"] = json!(true);
                out
            }
            Ground::Surface { points } => json!({ "kind": "surface", "points": points }),
        },
        _ => Value::Null,
    }
}

fn tested(system: &System, t: &Tested) -> Value {
    let mut out = json!({
        "function": t.text,
        "constant": t.is_constant(),
        "verdict": verdict(t.answer.outcome),
        "evidence": evidence(t.answer.outcome),
    });
    if matches!(t.answer.outcome, Outcome::Changes(_)) {
        out["constant_at_values"] = json!(t.here.is_some());
    }
    if let Some(i) = t.component {
        out["component"] = json!(i);
    }
    if t.rate.is_some() {
        out["rate"] = formula(system, t.rate.as_ref());
    }
    if let Some(x) = t.rate_at_start {
        out["rate_at_start"] = json!(x);
    }
    if let Some(w) = t.watched {
        out["motions"] = json!({ "count": w.motions, "change": w.change });
    }
    out
}

fn conserved(system: &mut System, c: &Conserved, out: &mut Value) {
    out["integrals"] = c.integrals.iter().map(|i| integral(system, i)).collect();
    out["linear_systems"] = c.systems.iter().map(|f| family(system, f)).collect();
    out["symmetries"] = c.momenta.iter().map(|m| symmetry(system, m)).collect();
    out["degree"] = json!(c.degree);
    out["searched"] = json!(c.searched);
    out["more_at_values"] = json!(c.special);
    if let Some(q) = c.quadratic {
        out["quadratic"] = json!({ "degree": q.degree, "unwritten": q.unwritten });
    }
    if let Some(rate) = c.energy_rate {
        out["energy_rate"] = expression(system, rate);
    }
}

fn integral(system: &System, i: &Integral) -> Value {
    let kind = match i.kind {
        Kind::Energy => "energy",
        Kind::MovingEnergy => "moving-energy",
        Kind::Position => "position",
        Kind::Linear | Kind::LinearByEquation => "linear",
        Kind::Quadratic => "quadratic",
    };
    let mut out = json!({
        "kind": kind,
        "formula": formula(system, i.tree.as_ref()),
        "independent": i.independent,
        "evidence": evidence(i.answer.outcome),
    });
    out["origin"] = match &i.origin {
        Some(Origin::Momentum { symmetries, admissible }) => {
            json!({ "kind": "momentum", "symmetries": symmetries, "admissible": admissible })
        }
        Some(Origin::Gauge) => json!({ "kind": "gauge" }),
        Some(Origin::NoSymmetry) => json!({ "kind": "none" }),
        None => Value::Null,
    };
    out
}

fn family(system: &mut System, f: &Family) -> Value {
    let s = &f.system;
    let cosine = s.cosine.map_or(Value::Null, |e| expression(system, e));
    let n = s.order();
    let velocities: Vec<Value> = s.velocities.iter().map(|v| expression(system, *v)).collect();
    let matrix: Vec<Vec<Value>> =
        (0..n).map(|i| (0..n).map(|j| expression(system, s.matrix[(i, j)])).collect()).collect();
    json!({
        "variable": system.graph.name(s.variable),
        "cosine_of_variable": cosine,
        "velocities": velocities,
        "matrix": matrix,
        "order": n,
        "new_integrals": f.new,
        "independent_integrals": f.independent,
        "origin": if f.gauge { "gauge" } else { "none" },
    })
}

fn symmetry(system: &System, m: &Momentum) -> Value {
    json!({
        "field": m.field.text,
        "declared": m.declared,
        "symmetry": m.symmetry,
        "admissible": m.admissible,
        "momentum": formula(system, m.tree.as_ref()),
        "constant": m.answer.is_integral() || m.answer.outcome == Outcome::Trivial,
        "verdict": verdict(m.answer.outcome),
        "rate": formula(system, m.rate_tree.as_ref()),
    })
}

fn measure(system: &mut System, m: &Measure) -> Value {
    match m {
        Measure::Density { density, local, .. } => {
            json!({ "exists": true, "density": expression(system, *density), "local": local })
        }
        Measure::Closed { slopes } => {
            let slopes: Vec<Value> = slopes.iter().map(|e| expression(system, *e)).collect();
            json!({ "exists": true, "density": null, "logarithmic_slopes": slopes })
        }
        Measure::Shrinks { rate } => json!({ "exists": false, "rate_at_rest": expression(system, *rate) }),
        Measure::Obstruction { difference } => {
            json!({ "exists": false, "obstruction": expression(system, *difference) })
        }
        Measure::NotAffine => json!({ "exists": null, "reason": "the divergence is not affine in the velocities" }),
        Measure::Carried => json!({ "exists": null, "reason": "points of contact are carried along" }),
        Measure::Singular => json!({ "exists": null, "reason": "the values make a denominator zero" }),
        Measure::Undecided => json!({ "exists": null, "reason": "too large" }),
    }
}
