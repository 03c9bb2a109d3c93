//! Solutions that are formulas in t: alone, or beside those of a shape variable.

use super::latex::{formula as latex_formula, heading as latex_heading, words as latex_words};
use super::returns::Whole;
use super::steady;
use super::text::digits;
use crate::Refusal;
use crate::args::PageFormat;
use crate::output::{bold, emit, emit_json, heading, width};
use crate::run::files::draw;
use crate::run::json::number;
use polhode::exact::particular::{Ground, Kind, Letter, RigidState, Solution, observed, recognise};
use polhode::exact::steady::SteadyMotion;
use polhode::mechanics::System;
use polhode::model::Model;
use polhode::plot::svg::{Curve, Figure, Panel};
use polhode::prelude::print;
use polhode::tape::{Dd, Scalar};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Points of a curve in documents and pictures.
const POINTS: usize = 241;

/// A time, the state then, and what is reported besides.
type Moment = (Dd, RigidState, Vec<(String, Option<Dd>)>);

/// A solution with its system.
pub(super) struct Classical {
    system: System,
    solution: Solution,
}

/// The classical solution of a model, if it has one.
pub(super) fn found(model: &Model) -> Option<Classical> {
    let (mut system, _) = System::new(model).ok()?;
    let solution = recognise(&mut system).ok()??;
    Some(Classical { system, solution })
}

impl Classical {
    /// Shows it as the solution of a model.
    pub(super) fn show(
        mut self,
        model: &Model,
        times: &[Dd],
        whole: &Whole,
        steady: Option<&SteadyMotion>,
        format: PageFormat,
    ) {
        let (system, solution) = (&mut self.system, &self.solution);
        let samples: Vec<Moment> =
            times.iter().map(|t| (*t, solution.at(*t), observed(system, solution, *t).unwrap_or_default())).collect();
        match format {
            PageFormat::Json => emit_json(&self.document(model, &samples, whole, steady)),
            PageFormat::Text => emit(&self.text(model, &samples, whole, steady)),
            PageFormat::Latex => emit(&self.latex()),
        }
    }

    /// Its name, formulas and constants, for people.
    pub(super) fn section(&self) -> String {
        let mut out = format!("\n{}\n", bold(self.solution.title()));
        for f in self.solution.formulas() {
            out += &format!("  {}\n      {}\n", f.title, f.text);
        }
        let letters: Vec<String> =
            self.solution.letters().iter().map(|l| format!("{} = {}", l.text, of_letter(l))).collect();
        out += &lines_of(&letters);
        constants(&self.solution).iter().for_each(|(_, text, _)| out += &format!("  {text}\n"));
        out + &format!("  put into the equations of motion: {:.1e} is left\n", self.solution.residual)
    }

    /// Its formulas, typeset.
    pub(super) fn latex(&self) -> String {
        let mut out = latex_heading(self.solution.title());
        for f in self.solution.formulas() {
            out += &latex_formula(f.title, f.latex);
        }
        let rows: Vec<String> =
            self.solution.letters().iter().map(|l| format!("{} &= {}", l.latex, of_letter(l))).collect();
        if !rows.is_empty() {
            out += &latex_formula("with", &format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n")));
        }
        let rest: Vec<String> = constants(&self.solution).into_iter().map(|(_, text, _)| latex_words(&text)).collect();
        out + &rest.iter().map(|text| format!("\\noindent {text}.\n\n")).collect::<String>()
    }

    /// The same for programs.
    pub(super) fn entry(&self) -> Value {
        let solution = &self.solution;
        let letters = solution.letters().into_iter().map(|l| {
            let value = match &l.values[..] {
                [x] => number(*x),
                all => all.iter().map(|x| number(*x)).collect(),
            };
            (l.key.to_string(), value)
        });
        let constants: Map<String, Value> =
            letters.chain(constants(solution).into_iter().map(|(k, _, v)| (k.to_string(), v))).collect();
        let mut out = json!({
            "solution": solution.title(),
            "formulas": solution.formulas().iter().map(|f| json!({ "title": f.title, "text": f.text, "latex": f.latex })).collect::<Vec<_>>(),
            "constants": constants,
            "residual": solution.residual,
        });
        if let Kind::Ball(b) = &solution.kind {
            out["integrals"] =
                b.integrals().iter().map(|(n, x)| (n.to_string(), number(*x))).collect::<Map<_, _>>().into();
            if let Some(curve) = b.curve(POINTS) {
                out["curve"] = json!({
                    "windings": b.windings(),
                    "points": curve.iter().map(|z| json!(z.map(|x| x.to_f64()))).collect::<Vec<_>>(),
                });
            }
        }
        out
    }

    /// Draws it: the closed curve of an axis, Ω over a period.
    pub(super) fn draw(&self, model: &Model, path: &Path) -> Result<(), Refusal> {
        let Some(period) = period(&self.solution) else {
            return Err(Refusal::No("there is no period to draw\n".into()));
        };
        let mut figure = Figure::new(if model.title.is_empty() { &model.name } else { &model.title });
        figure.subtitle = model.reference.clone();
        let times = (0..POINTS).map(|k| period * Dd::from(k as f64) / Dd::from((POINTS - 1) as f64));
        let states: Vec<(f64, RigidState)> = times.map(|t| (t.to_f64(), self.solution.at(t))).collect();
        if let Kind::Ball(b) = &self.solution.kind
            && let Some(curve) = b.curve(POINTS)
        {
            let seen = |i: usize, j: usize| curve.iter().map(|z| (z[i].to_f64(), z[j].to_f64())).collect();
            let around = (0..POINTS).map(|k| (std::f64::consts::TAU * k as f64 / (POINTS - 1) as f64).sin_cos());
            let outline = Curve::new("S²", around.map(|(sin, cos)| (cos, sin)).collect());
            let views = [("z₁, the axis on S² from above", "z₂", 1), ("z₁, the axis on S² from the side", "z₃", 2)];
            for (x, y, j) in views {
                figure.panels.push(Panel::track(
                    (x, ""),
                    (y, ""),
                    vec![Curve::new("axis", seen(0, j)), outline.clone()],
                ));
            }
        }
        let each = |i: usize| states.iter().map(|(t, s)| (*t, s.omega[i].to_f64())).collect();
        let curves = ["Ω₁", "Ω₂", "Ω₃"].iter().enumerate().map(|(i, name)| Curve::new(*name, each(i)));
        figure.panels.push(Panel::time("Ω", "", curves.collect()));
        draw(path, figure.svg())
    }
}

/// The value of a letter.
fn of_letter(letter: &Letter) -> String {
    match &letter.values[..] {
        [x] => digits(*x),
        all => format!("({})", all.iter().map(|x| digits(*x)).collect::<Vec<_>>().join(", ")),
    }
}

/// Short items side by side, as many as a line takes.
fn lines_of(items: &[String]) -> String {
    let mut out = String::new();
    let mut used = 0;
    for item in items {
        let long = print::display_width(item);
        if used > 0 && used + 2 + long <= width() {
            out += &format!(", {item}");
            used += 2 + long;
            continue;
        }
        out += &format!("{}  {item}", if used > 0 { "\n" } else { "" });
        used = 2 + long;
    }
    if used > 0 { out + "\n" } else { out }
}

/// After which time Ω returns.
fn period(solution: &Solution) -> Option<Dd> {
    match &solution.kind {
        Kind::Free(r) | Kind::Poinsot { rotation: r, .. } => r.period(),
        Kind::Circles(c) => Some(c.period()),
        Kind::Meridian(m) => Some(m.period()),
        Kind::Ball(b) => Some(b.period()),
    }
}

/// Constants with names, and what they mean.
fn constants(solution: &Solution) -> Vec<(&'static str, String, Value)> {
    let mut out: Vec<(&'static str, String, Value)> = Vec::new();
    let mut put = |key: &'static str, title: &str, x: Dd| out.push((key, format!("{title} {}", digits(x)), number(x)));
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
            put("advance_in_body", "in a period the contact goes round the axis by", body);
            let about = match b.ground() {
                Ground::Plane => "in a period the axis goes round n, which points down, by",
                Ground::Sphere(_) => "in a period the contact goes round G by",
            };
            put("advance_in_space", about, space);
            for (name, x) in b.integrals() {
                let title = match name {
                    "G1" => "G₁ =",
                    "G2" => "G₂ =",
                    "G3" => "G₃ =",
                    "u_sqrt_Delta" => "u √Δ =",
                    "spin" => "z·ω + M r² κ x²/(2 A (A + M r²)) =",
                    other => &format!("{other} ="),
                };
                put(name, title, x);
            }
            if let Some(e) = b.elliptic() {
                put("parameter", "x = n·z by elliptic functions of the parameter m =", e.parameter());
            }
            if let Some(windings) = b.windings() {
                let text = match windings.abs() {
                    0 => "the axis does not go round the vertical".to_string(),
                    1 => "in a period the axis goes once round the vertical".to_string(),
                    n => format!("in a period the axis goes {n} times round the vertical"),
                };
                out.push(("windings", text, json!(windings)));
            }
            let kept = b.kept();
            let text = format!("computed again from R and Ω at other times the integrals differ by at most {kept:.1e}");
            out.push(("integrals_kept", text, json!(kept)));
        }
    }
    out
}

impl Classical {
    fn text(&self, model: &Model, samples: &[Moment], whole: &Whole, steady: Option<&SteadyMotion>) -> String {
        let mut out = heading(model, &self.system) + &self.section();
        out += &whole.section();
        out += &steady.map(steady::small).unwrap_or_default();
        for (t, state, derived) in samples {
            out += &format!("\n{}\n", bold(&format!("t = {}", t.to_f64())));
            let vector = |v: &[Dd; 3]| v.map(|x| format!("{}", x.to_f64())).join("  ");
            state.rotation.iter().for_each(|row| out += &format!("  R      {}\n", vector(row)));
            let all = [
                ("Omega", &state.omega),
                ("x_O", &state.centre),
                ("c", &state.contact),
                ("c1", &state.contact_in_world),
            ];
            all.iter().for_each(|(name, v)| out += &format!("  {name:<6} {}\n", vector(v)));
            for (name, x) in derived {
                out += &match x {
                    Some(x) => format!("  {name} = {}\n", x.to_f64()),
                    None => format!("  {name} is 0/0\n"),
                };
            }
        }
        out
    }

    fn document(&self, model: &Model, samples: &[Moment], whole: &Whole, steady: Option<&SteadyMotion>) -> Value {
        let (system, solution) = (&self.system, &self.solution);
        let parameters = super::parameters(model, system);
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
            let derived: Map<String, Value> =
                derived.iter().map(|(n, x)| (n.clone(), x.map_or(Value::Null, number))).collect();
            let Some(mut sample) = whole.full(i) else {
                return json!({ "t": number(*t), "state": values, "derived": derived });
            };
            // what else a run reports, such as reactions, comes from the motion itself
            if let (Some(whole), Some(formulas)) = (sample["state"].as_object_mut(), values.as_object()) {
                whole.iter_mut().filter_map(|(k, v)| Some((v, formulas.get(k)?))).for_each(|(v, f)| *v = f.clone());
            }
            if let Some(whole) = sample["derived"].as_object_mut() {
                whole.iter_mut().filter_map(|(k, v)| Some((v, derived.get(k)?))).for_each(|(v, f)| *v = f.clone());
            }
            sample
        })
        .collect();
        let mut out = json!({ "model": model.name, "parameters": parameters, "kind": "classical" });
        if let (Some(all), Value::Object(own)) = (out.as_object_mut(), self.entry()) {
            all.extend(own);
        }
        out["returns"] = whole.document();
        if let Some(m) = steady {
            out["small_disturbances"] = steady::spectrum(m);
        }
        out["samples"] = samples.into();
        out
    }
}
