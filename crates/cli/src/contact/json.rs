//! Contacts as one JSON document: see `docs/command-line.md`.

use super::Finished;
use crate::run::json::{number, state};
use polhode::simulate::contact::{Affine, AffineRow, ContactState, Contacts, Gauss, Relative, SideState, Touching};
use serde_json::{Map, Value, json};

/// Rows of numbers; what is not finite is `null`.
fn rows<R: AsRef<[f64]>>(rows: &[R]) -> Value {
    rows.iter().map(|row| json!(row.as_ref())).collect()
}

fn affine(f: &Affine) -> Value {
    json!({ "value": f.value, "J": rows(&f.jacobian), "rest": f.rest, "drift": f.drift })
}

fn affine_row(f: &AffineRow) -> Value {
    json!({ "value": f.value, "J": f.jacobian, "rest": f.rest, "drift": f.drift })
}

fn side(s: &SideState, g: &Gauss) -> Value {
    let mut out = json!({
        "name": s.name,
        "rotation": rows(&s.rotation),
        "position": s.position,
        "point": s.point,
        "normal": s.normal,
        "velocity": s.velocity,
        "Omega": s.spin,
        "belt": s.belt,
    });
    match &s.touching {
        Touching::Surface { operator, principal, .. } => {
            out["shape_operator"] = rows(operator);
            out["principal_curvatures"] = json!(principal.curvatures);
            out["principal_directions"] = rows(&principal.directions);
        }
        Touching::Edge { tangent, curvature_vector } => {
            out["tangent"] = json!(tangent);
            out["curvature_vector"] = json!(curvature_vector);
        }
    }
    out["frame"] = rows(&g.frame);
    out["metric_form"] = rows(&g.metric);
    out["curvature_form"] = g.curvature.map_or(Value::Null, |k| rows(&k));
    out["torsion_form"] = json!(g.torsion);
    out["parameters"] = json!(g.parameters);
    out
}

fn relative(r: &Relative) -> Value {
    match r {
        Relative::Surfaces { operator, principal } => json!({
            "operator": rows(operator),
            "principal_curvatures": principal.curvatures,
            "principal_directions": rows(&principal.directions),
            "determinant": r.determinant(),
        }),
        Relative::Edge { curvature } => json!({ "curvature": curvature, "determinant": r.determinant() }),
    }
}

fn contact(c: &ContactState, accelerations: &[f64]) -> Value {
    let m = c.montana();
    let tangential: Vec<Value> = m.sides[0].frame.iter().map(|t| affine_row(&c.slip.along(t))).collect();
    json!({
        "name": c.name,
        "between": [c.sides[0].name, c.sides[1].name],
        "frictionless": c.frictionless,
        "point": c.point,
        "normal": c.normal,
        "slip": {
            "world": affine(&c.slip_world),
            "first": affine(&c.slip),
            "tangential": tangential,
        },
        "opening": affine_row(&c.opening),
        "omega": c.omega,
        "c_rate": affine(&c.rate),
        "c1_rate": affine(&c.second_rate),
        "point_velocity": affine(&c.point_velocity),
        "normal_rate": c.normal_rate,
        "c_acceleration": c.rate.derivative(accelerations),
        "c1_acceleration": c.second_rate.derivative(accelerations),
        "point_acceleration": c.point_velocity.derivative(accelerations),
        "first": side(&c.sides[0], &m.sides[0]),
        "second": side(&c.sides[1], &m.sides[1]),
        "relative_curvature": relative(&c.relative),
        "montana": {
            "psi": m.angle,
            "R_psi": rows(&m.turn),
            "K_o_seen": rows(&m.seen),
            "v": m.velocity,
            "omega": m.omega,
            "u_f_rate": m.rates[0],
            "u_o_rate": m.rates[1],
            "psi_rate": m.angle_rate,
        },
        "force": {
            "world": c.force.world,
            "normal": c.force.normal,
            "friction": c.force.friction,
            "mu_required": c.force.mu_required,
            "unique": c.force.unique,
        },
    })
}

/// The document.
pub(super) fn document(finished: &Finished) -> Value {
    let motion = &finished.motion;
    let compiled = motion.compiled();
    let parameters: Map<String, Value> = compiled.parameters.iter().map(|(n, x)| (n.clone(), number(*x))).collect();
    let samples = finished.instants.iter().map(|(sample, now): &(_, Contacts)| {
        let named = finished.velocities.iter().zip(&now.accelerations);
        let accelerations: Map<String, Value> = named.map(|(n, a)| (format!("{n}'"), json!(a))).collect();
        json!({
            "t": number(sample.time()),
            "state": state(sample, &compiled.variables),
            "accelerations": accelerations,
            "contacts": now.contacts.iter().map(|c| contact(c, &now.accelerations)).collect::<Vec<_>>(),
        })
    });
    let stop = &motion.report.stop;
    json!({
        "model": finished.model.name,
        "parameters": parameters,
        "velocities": finished.velocities,
        "samples": samples.collect::<Vec<_>>(),
        "report": { "stop": { "reason": stop.name(), "t": motion.report.t, "message": stop.to_string() } },
    })
}
