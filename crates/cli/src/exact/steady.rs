//! `polhode exact MODEL --steady`: motions that the symmetry group carries along.

use crate::Refusal;
use crate::output::{bold, dim, emit, emit_json, heading, render};
use crate::run::json::number;
use clap::Args;
use polhode::exact::steady::{Condition, NotSteady, Path, Problem, Shape, SteadyMotion, Wish};
use polhode::mechanics::System;
use polhode::model::{Factor, Model};
use polhode::prelude::print;
use polhode::tape::{Dd, Scalar};
use serde_json::{Map, Value, json};

/// What is asked about steady motions.
#[derive(Debug, Args)]
pub(crate) struct SteadyOptions {
    /// Steady motions with these values, e.g. --steady "theta=1,phi'=3"; any formula may be prescribed
    #[arg(long, value_name = "NAME=EXPR,…", num_args = 0..=1, default_missing_value = "")]
    pub(crate) steady: Option<String>,
    /// Follow the steady motions while one more quantity varies, e.g. --vary "phi'=3..1"
    #[arg(long, value_name = "NAME=A..B", requires = "steady", allow_hyphen_values = true)]
    vary: Option<String>,
    /// At how many values
    #[arg(long, value_name = "N", default_value_t = 11, requires = "vary")]
    steps: usize,
    /// Also the path of this point, e.g. --point "centre=[x, y, 0] + r*spoke" (repeatable)
    #[arg(long, value_name = "NAME=FORMULA", requires = "steady")]
    point: Vec<String>,
}

/// What is prescribed, and what varies.
struct Asked {
    wish: Wish,
    vary: Option<(String, Vec<Dd>)>,
}

pub(crate) fn run(model: &Model, system: &mut System, options: &SteadyOptions, json: bool) -> Result<(), Refusal> {
    let asked = asked(model, options)?;
    let problem = Problem::new(system, &asked.wish).map_err(|why| refusal(model, why))?;
    let branches: Vec<Vec<Option<SteadyMotion>>> = match &asked.vary {
        None => problem.solve().into_iter().map(|m| vec![Some(m)]).collect(),
        Some((name, at)) => problem.table(name, at).map_err(|why| refusal(model, why))?,
    };
    if branches.is_empty() {
        let what = if asked.wish.conditions.is_empty() { "" } else { " with these values" };
        return Err(Refusal::No(format!(
            "no steady motion{what} was found\n  = Newton's method started from the initial state of the model and from states around it; --init starts elsewhere\n"
        )));
    }
    if json {
        let parameters = super::parameters(model, system);
        let mut out = json!({ "model": model.name, "parameters": parameters, "kind": "steady", "generators": problem.generators });
        match &asked.vary {
            None => out["motions"] = branches.iter().flatten().flatten().map(|m| document(&problem, m)).collect(),
            Some((name, at)) => {
                out["varied"] = json!({ "name": name, "values": at.iter().map(|x| number(*x)).collect::<Vec<_>>() });
                let branch = |b: &Vec<Option<SteadyMotion>>| -> Value {
                    b.iter().map(|m| m.as_ref().map_or(Value::Null, |m| document(&problem, m))).collect()
                };
                out["branches"] = branches.iter().map(branch).collect();
            }
        }
        emit_json(&out);
        return Ok(());
    }
    let mut out = heading(model, system);
    out += &format!("\n{}\n", bold("symmetry"));
    if problem.generators.is_empty() {
        out += "  none: steady motions are equilibria\n";
    }
    for (i, text) in problem.generators.iter().enumerate() {
        out += &format!("  {} = {text}\n", name_of(i));
    }
    match &asked.vary {
        None => {
            let count = branches.len();
            for (k, m) in branches.iter().flatten().flatten().enumerate() {
                out += &motion_text(&problem, m, k + 1, count);
            }
        }
        Some((name, at)) => branches.iter().for_each(|b| out += &table_text(&problem, name, at, b)),
    }
    emit(&out);
    Ok(())
}

fn name_of(generator: usize) -> String {
    print::unicode_name(&format!("X{}", generator + 1))
}

/// Splits at commas outside of brackets.
fn pieces(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0i32, 0, Vec::new());
    for (k, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[from..k]);
                from = k + 1;
            }
            _ => {}
        }
    }
    out.push(&text[from..]);
    out.into_iter().map(str::trim).filter(|p| !p.is_empty()).collect()
}

fn asked(model: &Model, options: &SteadyOptions) -> Result<Asked, Refusal> {
    let mut wish = Wish::default();
    let split = |flag: &str, item: &str, form: &str| match item.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err(Refusal::BadInput(format!("error: `{flag} {item}` is not of the form {form}\n"))),
    };
    for item in pieces(options.steady.as_deref().unwrap_or_default()) {
        let (quantity, value) = split("--steady", item, "NAME=EXPR")?;
        wish.conditions.push(Condition { quantity, value });
    }
    for item in &options.point {
        wish.points.push(split("--point", item, "NAME=FORMULA")?);
    }
    let mut vary = None;
    if let Some(text) = &options.vary {
        let (name, range) = split("--vary", text, "NAME=A..B")?;
        let Some((a, b)) = range.split_once("..") else {
            return Err(Refusal::BadInput(format!("error: `--vary {text}` is not of the form NAME=A..B\n")));
        };
        let [a, b] = [a, b].map(|x| crate::run::time(model, "--vary", x.trim()));
        let (a, b) = (a?, b?);
        if options.steps < 2 {
            return Err(Refusal::BadInput("error: --steps takes at least two values\n".into()));
        }
        let last = Dd::from((options.steps - 1) as f64);
        let at = (0..options.steps).map(|k| a + (b - a) * Dd::from(k as f64) / last).collect();
        wish.conditions.retain(|c| c.quantity != name);
        wish.conditions.push(Condition { quantity: name.clone(), value: a.to_string() });
        vary = Some((name, at));
    }
    Ok(Asked { wish, vary })
}

/// The name of the first rotation of a model.
fn rotation(model: &Model) -> Option<String> {
    model.configuration.factors().iter().find_map(Factor::rotation).map(|r| r.name.clone())
}

fn refusal(model: &Model, why: NotSteady) -> Refusal {
    match why {
        NotSteady::Refused(diagnostics) => Refusal::No(render(&diagnostics, &model.source)),
        NotSteady::Rejected(rejected) => {
            let mut said = render(&rejected.diagnostics, &rejected.source);
            let unknown = rejected.diagnostics.iter().any(|d| d.code == "unknown-name");
            if let Some(name) = unknown.then(|| rotation(model)).flatten() {
                said += &format!(
                    "  = `{name}` is a rotation without angles: prescribe its entries, as --steady \"{name}[3,3]=cos(1)\" for the angle 1 between the third axes\n"
                );
            }
            Refusal::BadInput(said)
        }
        NotSteady::NotANumber(_) | NotSteady::NotAPoint(_) | NotSteady::NotPrescribed(_) => {
            Refusal::BadInput(format!("error: {why}\n"))
        }
        why => Refusal::No(format!("there are no steady motions to look for: {why}\n")),
    }
}

/// A double, or zero where only rounding is left.
fn short(x: Dd) -> String {
    let x = x.to_f64();
    if x.abs() < 1e-20 { "0".into() } else { format!("{x}") }
}

fn vector(v: [Dd; 3]) -> String {
    format!("[{}]", v.map(short).join(", "))
}

fn path_text(p: &Path) -> String {
    match &p.shape {
        Shape::Rest => format!("rests at {}", vector(p.position)),
        Shape::Line => format!("goes straight on from {} with {}", vector(p.position), vector(p.velocity)),
        Shape::Circle { radius, centre, rate } => {
            format!("circle of radius {} about {}, angular velocity {}", short(*radius), vector(*centre), vector(*rate))
        }
    }
}

/// Whether a motion that is steady stays so when it is disturbed, for people.
pub(super) fn small(m: &SteadyMotion) -> String {
    let mut out = format!("\n{}\n  {}\n", bold("small disturbances"), stability(m));
    for f in m.spectrum.frequencies() {
        out += &format!("  frequency {} rad per unit of time\n", short(f));
    }
    out
}

pub(super) fn stability(m: &SteadyMotion) -> String {
    let s = &m.spectrum;
    match s.growth() {
        Some(g) => format!("unstable: disturbances grow by e in {}", short(Dd::ONE / g)),
        None if s.zeros > s.explained => "undecided: more eigenvalues vanish than the family explains".into(),
        None if s.eigenvalues.iter().all(|z| z.re.to_f64() < -1e-12) && !s.eigenvalues.is_empty() => {
            "disturbances decay".into()
        }
        None => "stable, to first order".into(),
    }
}

fn named(items: &[(String, Dd)]) -> String {
    items.iter().map(|(n, x)| format!("{n} = {}", short(*x))).collect::<Vec<_>>().join(", ")
}

fn motion_text(problem: &Problem, m: &SteadyMotion, k: usize, count: usize) -> String {
    let of = if count > 1 { format!("steady motion {k} of {count}") } else { "steady motion".to_string() };
    let mut out = format!("\n{}\n", bold(&of));
    let mut line = |title: &str, text: String| {
        if !text.is_empty() {
            // a name that fills its column keeps a gap
            // two blanks at least: that is how readers and reports tell the name from what is said
            out += &format!("  {title:<13} {}{text}\n", if print::display_width(title) >= 13 { " " } else { "" });
        }
    };
    line("quotient", named(&m.invariants));
    let symbols: Vec<(String, Dd)> = problem.symbols.iter().cloned().zip(m.symbols.iter().copied()).collect();
    let rest: Vec<(String, Dd)> =
        symbols.into_iter().filter(|(n, _)| !m.invariants.iter().any(|(i, _)| i == n)).collect();
    line("state", named(&rest));
    let group = m.velocity.iter().enumerate().filter(|(_, x)| x.to_f64().abs() > 1e-20);
    line(
        "group",
        group
            .map(|(i, x)| format!("{} {}", short(*x), name_of(i)))
            .collect::<Vec<_>>()
            .join(" + ")
            .replace("+ -", "− "),
    );
    m.paths.iter().for_each(|p| line(&p.name, path_text(p)));
    line("energy", short(m.energy));
    line("observables", named(&m.observables));
    line("multipliers", named(&m.reactions));
    let dimension = match m.open {
        0 => format!("dimension {}", m.family),
        open => format!("dimension {}, of which {open} are left open: the nearest motion is shown", m.family),
    };
    line("family", dimension);
    line("stability", stability(m));
    line("frequencies", m.spectrum.frequencies().into_iter().map(short).collect::<Vec<_>>().join(", "));
    line("eigenvalues", {
        let mut all: Vec<String> =
            m.spectrum.eigenvalues.iter().map(|z| format!("{} {:+} i", short(z.re), z.im.to_f64())).collect();
        if m.spectrum.zeros > 0 {
            all.push(match m.spectrum.zeros {
                1 => "0".into(),
                n => format!("0 ({n} times)"),
            });
        }
        all.join(", ")
    });
    line("distance", format!("{} from the initial state", short(Dd::from(m.distance))));
    line("residual", format!("{:.1e}", m.residual));
    out
}

/// A number of a table, without the sign of a zero.
fn cell(x: Dd) -> String {
    places(x, 9)
}

fn places(x: Dd, places: usize) -> String {
    let text = format!("{:.places$}", x.to_f64());
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_string(),
        _ => text,
    }
}

fn table_text(problem: &Problem, name: &str, at: &[Dd], branch: &[Option<SteadyMotion>]) -> String {
    let Some(Some(first)) = branch.first() else { return String::new() };
    let names: Vec<&str> = first.invariants.iter().map(|(n, _)| n.as_str()).filter(|n| *n != name).collect();
    let mut head: Vec<String> = vec![name.to_string()];
    head.extend(names.iter().map(|n| n.to_string()));
    head.extend(first.paths.iter().map(|p| format!("radius of {}", p.name)));
    head.extend(["frequencies".to_string(), "stability".to_string()]);
    let mut rows = vec![head];
    for (x, m) in at.iter().zip(branch) {
        let mut row = vec![places(*x, 6)];
        match m {
            None => row.push("no steady motion next to the last".into()),
            Some(m) => {
                let value = |n: &str| m.value(problem, n).map_or(String::new(), cell);
                row.extend(names.iter().map(|n| value(n)));
                row.extend(m.paths.iter().map(|p| p.radius().map_or("∞".to_string(), cell)));
                let frequencies = m.spectrum.frequencies();
                row.push(frequencies.iter().map(|f| cell(*f)).collect::<Vec<_>>().join(" "));
                row.push(match m.spectrum.growth() {
                    Some(g) => format!("unstable, rate {}", cell(g)),
                    None if m.spectrum.stable() => "stable".into(),
                    None => "undecided".to_string(),
                });
            }
        }
        rows.push(row);
    }
    let columns = rows[0].len();
    let width =
        |j: usize| rows.iter().filter(|r| r.len() == columns).map(|r| print::display_width(&r[j])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = format!("\n{}\n", bold("family"));
    for (k, row) in rows.iter().enumerate() {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(c, w)| format!("{}{c}", " ".repeat(w.saturating_sub(print::display_width(c)))));
        let text = format!("  {}\n", cells.collect::<Vec<_>>().join("  "));
        out += &if k == 0 { dim(&text) } else { text };
    }
    out
}

fn object(items: &[(String, Dd)]) -> Map<String, Value> {
    items.iter().map(|(n, x)| (n.clone(), number(*x))).collect()
}

/// What small disturbances do, for programs.
pub(super) fn spectrum(m: &SteadyMotion) -> Value {
    let s = &m.spectrum;
    json!({
        "stable": s.stable(),
        "eigenvalues": s.eigenvalues.iter().map(|z| json!({ "re": number(z.re), "im": number(z.im) })).collect::<Vec<_>>(),
        "zero_eigenvalues": s.zeros,
        "frequencies": s.frequencies().into_iter().map(number).collect::<Vec<_>>(),
        "omega_squared": s.squares().into_iter().map(number).collect::<Vec<_>>(),
        "growth": s.growth().map_or(Value::Null, number),
    })
}

fn document(problem: &Problem, m: &SteadyMotion) -> Value {
    let symbols: Vec<(String, Dd)> = problem.symbols.iter().cloned().zip(m.symbols.iter().copied()).collect();
    let path = |p: &Path| {
        let mut out = json!({ "name": p.name, "position": p.position.map(number), "velocity": p.velocity.map(number) });
        match &p.shape {
            Shape::Rest => out["shape"] = json!("rest"),
            Shape::Line => out["shape"] = json!("line"),
            Shape::Circle { radius, centre, rate } => {
                out["shape"] = json!("circle");
                out["radius"] = number(*radius);
                out["centre"] = json!(centre.map(number));
                out["rate"] = json!(rate.map(number));
            }
        }
        out
    };
    let mut out = json!({
        "state": object(&symbols),
        "quotient": object(&m.invariants),
        "group_velocity": m.velocity.iter().map(|x| number(*x)).collect::<Vec<_>>(),
        "derived": object(&m.observables),
        "energy": number(m.energy),
        "reactions": object(&m.reactions),
        "paths": m.paths.iter().map(path).collect::<Vec<_>>(),
        "family_dimension": m.family,
        "open": m.open,
        "distance": m.distance,
        "residual": m.residual,
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut out, spectrum(m)) {
        all.extend(more);
    }
    out
}
