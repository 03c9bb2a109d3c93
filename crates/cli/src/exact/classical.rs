//! Solutions that are formulas in t, where no shape variable governs the motion.

use super::returns::Whole;
use crate::Refusal;
use crate::output::{bold, emit, emit_json, heading};
use crate::run::json::number;
use polhode::exact::particular::{Kind, RigidState, Solution, observed, recognise};
use polhode::mechanics::System;
use polhode::model::Model;
use polhode::tape::{Dd, Scalar};
use serde_json::{Map, Value, json};

/// A time, the state then, and what is reported besides.
type Moment = (Dd, RigidState, Vec<(String, Dd)>);

/// Shows the classical solution of a model, if it has one: false if not.
pub(super) fn shown(model: &Model, times: &[Dd], whole: &Whole, json: bool) -> Result<bool, Refusal> {
    let Ok((mut system, _)) = System::new(model) else { return Ok(false) };
    let Ok(Some(solution)) = recognise(&mut system) else { return Ok(false) };
    let samples: Vec<Moment> =
        times.iter().map(|t| (*t, solution.at(*t), observed(&mut system, &solution, *t).unwrap_or_default())).collect();
    if json {
        emit_json(&document(model, &system, &solution, &samples, whole));
    } else {
        emit(&text(model, &system, &solution, &samples, whole));
    }
    Ok(true)
}

/// Constants with names, and what they mean.
fn constants(solution: &Solution) -> Vec<(&'static str, String, Value)> {
    let mut out: Vec<(&'static str, String, Value)> = Vec::new();
    let mut put = |key: &'static str, title: &str, x: Dd| out.push((key, format!("{title} {}", x.to_f64()), number(x)));
    match &solution.kind {
        Kind::Free(r) | Kind::Poinsot { rotation: r, .. } => {
            if let Some(period) = r.period() {
                put("period", "Ω returns after", period);
            }
        }
        Kind::Circles(c) => {
            put("period", "everything returns after", c.period());
            put("radius", "radius of the circles", c.radius);
            put("reaction", "reaction P(2b) − ½ M b ω₀² =", c.reaction);
            put("mu_required", "friction of at least", c.friction);
        }
        Kind::Meridian(m) => {
            put("period", "it rocks with the period", m.period());
            let [low, high] = m.turning_points();
            put("lowest", "arc on the ground from", low);
            put("highest", "arc on the ground to", high);
        }
        Kind::Ball(b) => {
            put("period", "the angle of the axis returns after", b.period());
            let [low, high] = b.turning_points();
            put("lowest", "n·z from", low);
            put("highest", "n·z to", high);
            let [body, space] = b.advances();
            put("advance_in_body", "the contact goes round the axis by", body);
            put("advance_in_space", "and the precession by", space);
            if let Some(e) = b.elliptic() {
                put("parameter", "n·z by elliptic functions of the parameter m =", e.parameter());
            }
        }
    }
    out
}

fn text(model: &Model, system: &System, solution: &Solution, samples: &[Moment], whole: &Whole) -> String {
    let mut out = heading(model, system);
    out += &format!("\n{}\n", bold(solution.title()));
    constants(solution).iter().for_each(|(_, text, _)| out += &format!("  {text}\n"));
    out += &format!("  put into the equations of motion: {:.1e} is left\n", solution.residual);
    out += &whole.section();
    for (t, state, derived) in samples {
        out += &format!("\n{}\n", bold(&format!("t = {}", t.to_f64())));
        let vector = |v: &[Dd; 3]| v.map(|x| format!("{}", x.to_f64())).join("  ");
        state.rotation.iter().for_each(|row| out += &format!("  R      {}\n", vector(row)));
        let all =
            [("Omega", &state.omega), ("x_O", &state.centre), ("c", &state.contact), ("c1", &state.contact_in_world)];
        all.iter().for_each(|(name, v)| out += &format!("  {name:<6} {}\n", vector(v)));
        derived.iter().for_each(|(name, x)| out += &format!("  {name} = {}\n", x.to_f64()));
    }
    out
}

fn document(model: &Model, system: &System, solution: &Solution, samples: &[Moment], whole: &Whole) -> Value {
    let digits = model.parameter_digits().unwrap_or_default();
    let value = |s| digits.get(s).map_or(Value::Null, |x| number(polhode::lower::dd(x)));
    let parameters: Map<String, Value> =
        system.parameters.iter().map(|s| (system.graph.name(*s).to_string(), value(s))).collect();
    let vector = |v: &[Dd; 3]| json!(v.map(number));
    let contact = !matches!(solution.kind, Kind::Free(_));
    let samples: Vec<Value> = samples
        .iter()
        .enumerate()
        .map(|(i, (t, state, derived))| {
            let r = &state.rotation;
            let world = [0, 1, 2].map(|i| (0..3).fold(Dd::ZERO, |s, j| s + r[i][j] * state.omega[j]));
            let mut values =
                json!({ "R": r.map(|row| row.map(number)), "Omega": vector(&state.omega), "omega": vector(&world) });
            if contact {
                values["x_O"] = vector(&state.centre);
                values["c"] = vector(&state.contact);
                values["c1"] = vector(&state.contact_in_world);
            }
            let derived: Map<String, Value> = derived.iter().map(|(n, x)| (n.clone(), number(*x))).collect();
            let Some(mut sample) = whole.full(i) else {
                return json!({ "t": number(*t), "state": values, "derived": derived });
            };
            // what else a run reports, such as reactions, comes from the motion itself
            if let (Some(whole), Some(formulas)) = (sample["state"].as_object_mut(), values.as_object()) {
                whole.iter_mut().filter_map(|(k, v)| Some((v, formulas.get(k)?))).for_each(|(v, f)| *v = f.clone());
            }
            sample
        })
        .collect();
    let constants: Map<String, Value> = constants(solution).into_iter().map(|(k, _, v)| (k.to_string(), v)).collect();
    json!({
        "model": model.name,
        "parameters": parameters,
        "kind": "classical",
        "solution": solution.title(),
        "constants": constants,
        "residual": solution.residual,
        "returns": whole.document(),
        "samples": samples,
    })
}
