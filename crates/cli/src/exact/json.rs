//! A solution as one JSON document: see `docs/command-line.md`.

use super::text::{course, named_values};
use super::{Solution, kind, returns, steady};
use crate::derive::json_section;
use crate::run::json::number;
use polhode::exact::linear::{Basis, Course};
use polhode::model::Model;
use polhode::special::Complex;
use polhode::special::ode::{Kind, Place, Recognised};
use polhode::tape::Dd;
use serde_json::{Map, Value, json};

fn complex(z: Complex<Dd>) -> Value {
    let z = super::clean(z);
    if z.is_real() { number(z.re) } else { json!({ "re": number(z.re), "im": number(z.im) }) }
}

pub(super) fn document(model: &Model, solution: &mut Solution) -> Value {
    let (shape, system) = (&solution.reduced.shape, &solution.reduced.system);
    let parameters: Map<String, Value> = (model.parameter_digits().unwrap_or_default().into_iter())
        .map(|(s, x)| (system.graph.name(s).to_string(), number(polhode::lower::dd(&x))))
        .collect();
    let mut out = json!({
        "model": model.name,
        "parameters": parameters,
        "kind": "linear",
        "solution": kind(solution),
        "variable": system.graph.name(shape.variable),
        "unknowns": shape.unknowns.iter().map(|u| system.graph.name(u.symbol)).collect::<Vec<_>>(),
    });
    if let Some(charts) = solution.reduced.charts {
        out["charts"] = json!([charts.body.name(), charts.ground.name()]);
    }
    for section in &solution.sections {
        out[section.key] = json_section(system, section);
    }
    if let Some(r) = solution.equation.as_ref().and_then(|e| e.rational.as_ref()) {
        if super::is_solved_by_equation(solution) {
            out["recognised"] = recognised(&r.recognised);
        }
        out["singular_points"] = r
            .equation
            .singular_points()
            .iter()
            .map(|p| {
                let at = match p.place {
                    Place::Finite(x) => complex(x),
                    Place::Infinity => json!("infinity"),
                };
                let kind = match p.kind {
                    Kind::Ordinary => "ordinary",
                    Kind::Apparent => "apparent",
                    Kind::Regular { logarithm: true } => "logarithmic",
                    Kind::Regular { logarithm: false } => "regular",
                    Kind::Irregular => "irregular",
                };
                json!({ "at": at, "kind": kind, "exponents": p.exponents.map(complex) })
            })
            .collect();
    }
    match &solution.motion {
        Err(why) => {
            out["motion"] = match &solution.at_pole {
                None => json!({ "course": Value::Null, "message": why.to_string() }),
                Some(m) => {
                    let mut entry = steady::spectrum(m);
                    entry["course"] = json!("steady");
                    entry["message"] = json!(format!("{why}; the motion is steady: {}", steady::stability(m)));
                    entry
                }
            }
        }
        Ok(motion) => {
            let mut entry = json!({
                "course": motion.course.name(),
                "message": course(solution, &motion.course),
                "energy": number(motion.energy),
            });
            if !motion.levels.is_empty() {
                let name = |s| system.graph.name(s).to_string();
                entry["levels"] =
                    motion.levels.iter().map(|(s, x)| (name(*s), number(*x))).collect::<Map<_, _>>().into();
            }
            if let Some(ending) = solution.whole.ending() {
                entry["ends"] = returns::end(ending);
            }
            if let Some(o) = motion.course.periodic().filter(|o| solution.lasts(o.period)) {
                if matches!(motion.course, Course::Oscillation(_)) {
                    entry["turning_points"] = json!(o.turning.map(number));
                }
                entry["passes_pole"] = json!(o.passes_pole);
                entry["period"] = number(o.period);
                entry["error"] = json!(o.error);
                entry["frequency"] = number(Dd::PI * Dd::from(2.0) / o.period);
                let gains = shape.quadratures.iter().zip(&o.advances);
                entry["advances"] =
                    gains.map(|(q, gain)| (q.name.clone(), number(*gain))).collect::<Map<_, _>>().into();
            }
            if let Course::Steady { frequency_squared, .. } = &motion.course {
                entry["frequency_squared"] = number(*frequency_squared);
            }
            if let Some(c) = &solution.constants {
                entry["C1"] = number(c.values[0]);
                entry["C2"] = number(c.values[1]);
                entry["basis"] = json!(match &c.basis {
                    Basis::Legendre { second_kind: false, .. } => "P_nu(xi), P_nu(-xi)",
                    Basis::Legendre { .. } => "P_nu(xi), Q_nu(xi)",
                    Basis::EvenOdd(_) => "even, odd",
                    Basis::Frobenius { .. } => "Frobenius",
                    Basis::Start { .. } => "start",
                });
                if let Basis::Frobenius { at, .. } | Basis::Start { at, .. } = &c.basis {
                    entry["basis_at"] = number(*at);
                }
                if c.particular != Dd::default() {
                    entry["constant_solution"] = number(c.particular);
                }
            }
            out["motion"] = entry;
        }
    }
    if let Some(classical) = &solution.classical {
        out["classical"] = classical.entry();
    }
    out["returns"] = solution.whole.document();
    out["samples"] = samples(solution);
    out
}

/// As of a run where the motion returns, with what the quadratures give; only that where it does not.
fn samples(solution: &Solution) -> Value {
    let each = solution.samples.iter().enumerate().map(|(i, (t, state))| {
        let values = solution.motion.as_ref().ok().zip(state.as_ref());
        let reduced = values.map(|(motion, state)| -> Map<String, Value> {
            named_values(solution, motion, state).into_iter().map(|(n, x)| (n, number(x))).collect()
        });
        match solution.whole.full(i) {
            Some(mut sample) => {
                sample["reduced"] = json!(reduced);
                sample
            }
            None => {
                let energy = solution.motion.as_ref().map_or(Value::Null, |m| number(m.energy));
                json!({ "t": number(*t), "state": reduced, "derived": { "energy": energy } })
            }
        }
    });
    each.collect()
}

fn recognised(r: &Recognised<Dd>) -> Value {
    match r {
        Recognised::Elementary => json!({ "equation": "elementary" }),
        Recognised::Legendre { degree, order, .. } => {
            json!({ "equation": "legendre", "degree": complex(*degree), "order": complex(*order) })
        }
        Recognised::Hypergeometric { upper, lower, .. } => {
            json!({ "equation": "hypergeometric", "a": complex(upper[0]), "b": complex(upper[1]), "c": complex(*lower) })
        }
        Recognised::Heun { a, accessory, upper, lower, apparent, in_square, .. } => json!({
            "equation": "heun", "a": complex(*a), "q": complex(*accessory),
            "alpha": complex(upper[0]), "beta": complex(upper[1]),
            "gamma": complex(lower[0]), "delta": complex(lower[1]), "epsilon": complex(lower[2]),
            "apparent": apparent, "in_square": in_square.as_deref().map(recognised),
        }),
        Recognised::Fuchsian { points, apparent, in_square } => json!({
            "equation": "fuchsian", "points": points, "apparent": apparent, "in_square": in_square.as_deref().map(recognised),
        }),
        Recognised::Irregular => json!({ "equation": "irregular" }),
    }
}
