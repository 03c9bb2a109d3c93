//! `polhode derive`: equations of motion in a chosen form.

use crate::args::{DeriveOptions, FormChoice, Format};
use crate::independent::{Chosen, choose_independent, good_quasi_velocities};
use crate::output::{bold, dim, emit, emit_json, heading, render, warn, width};
use crate::{Refusal, input, neumann, structure};
use polhode::mechanics::{Form, Section, Sheet, System, Verification, initial_state, verify};
use polhode::model::{Model, Region};
use polhode::prelude::{Equations, print};
use serde_json::{Value, json};

/// Random states of `--verify`.
const STATES: usize = 10;

/// What helps when formulas are too long to be shown.
const TOO_LONG: &str = "\nSome formulas are too long to read. Shorter ones often come from --form multipliers, or from other\n\
    velocities: for a rotation R put w1 = \"omega[1]\", w2 = \"omega[2]\", w3 = \"omega[3]\" under\n\
    [quasi_velocities] and use --form hamel.\n";

/// Forms that agree to this many digits (of 50) are called equal.
const AGREEMENT: f64 = 1e-45;

pub(crate) fn run(options: &DeriveOptions) -> Result<(), Refusal> {
    let model = input::model(&options.model.model, &options.model.changes.parse_options()?)?;
    let mut model = neumann::model(model, &options.coordinates)?;
    let chosen = choose_independent(&mut model, &options.independent)?;
    let mut system = input::system(&model)?;
    if chosen == Chosen::Combinations {
        good_quasi_velocities(&mut system)?;
    }
    if let Err(rejected) = initial_state(&mut system, &model) {
        return Err(render(&rejected.diagnostics, &rejected.source).into());
    }
    let regions = if model.switches() { model.regions() } else { Vec::new() };
    match (&options.region, regions.len()) {
        (None, 0 | 1) => {
            let document = show(&model, &mut system, options, chosen)?;
            document.iter().for_each(emit_json);
            Ok(())
        }
        (region, _) => by_region(&model, &regions, region.as_deref(), options, chosen),
    }
}

/// The equations of each region, or of the one that was asked for.
fn by_region(
    model: &Model,
    regions: &[Region],
    wanted: Option<&str>,
    options: &DeriveOptions,
    chosen: Chosen,
) -> Result<(), Refusal> {
    let named = |k: usize| wanted.is_none_or(|c| c.trim() == (k + 1).to_string() || c.trim() == regions[k].place);
    let shown: Vec<usize> = (0..regions.len()).filter(|k| named(*k)).collect();
    if shown.is_empty() {
        let known: Vec<String> = regions.iter().enumerate().map(|(k, r)| format!("{}: {}", k + 1, r.place)).collect();
        let known = if known.is_empty() { "there are none".to_owned() } else { known.join("; ") };
        return Err(format!(
            "error: `{}` is no region of this model\n  = its regions: {known}\n",
            wanted.unwrap_or("")
        )
        .into());
    }
    let mut documents = Vec::new();
    for k in shown {
        let region = &regions[k];
        let mut part = model.clone();
        part.name = format!("{}-{}", model.name, k + 1);
        part.in_force = region.active.clone();
        let mut system = input::system(&part)?;
        let in_force: Vec<&str> = region.active.iter().map(|c| model.constraints[c].name.as_str()).collect();
        if options.format == Format::Text && !options.model.changes.json {
            let names = if in_force.is_empty() { "no constraints".to_owned() } else { in_force.join(", ") };
            emit(&format!("{}\n", bold(&format!("══ region {}: {} ({names}) ══", k + 1, region.place))));
        }
        if let Some(mut document) = show(&part, &mut system, options, chosen)? {
            document["region"] = json!({ "number": k + 1, "place": region.place, "in_force": in_force });
            documents.push(document);
        }
    }
    if !documents.is_empty() {
        emit_json(&json!({ "model": model.name, "title": model.title, "regions": documents }));
    }
    Ok(())
}

/// Prints the equations of a system, or gives them as a document.
fn show(model: &Model, system: &mut System, options: &DeriveOptions, chosen: Chosen) -> Result<Option<Value>, Refusal> {
    let (forms, left_out) = derive(system, options, chosen)?;
    let verification = if options.verify { Some(verified(system)?) } else { None };
    let used = forms.iter().map(|f| f.form).chain(verification.iter().flat_map(|v| v.forms.clone()));
    let found = if used.into_iter().any(|f| f == Form::Ldap) { found_symmetries(system) } else { Vec::new() };
    let format = if options.model.changes.json { Format::Json } else { options.format };
    let structure = if options.structure { Some(structure::of(system, format)?) } else { None };
    let charts = options.coordinates.neumann.then(|| neumann::charts_of(model, system));
    let mut answer = None;
    match format {
        Format::Text => {
            let shown = structure.as_ref().map(|s| structure::text(system, s)).unwrap_or_default();
            let note = if found.is_empty() { String::new() } else { dim(&format!("{}\n\n", found_note(&found))) };
            emit(&(text(model, system, &forms, &left_out, charts.as_ref()) + &note + &shown));
        }
        Format::Latex => forms.iter().enumerate().for_each(|(i, f)| {
            let mut sheet = Sheet::new(system, f);
            sheet.sections.splice(0..0, charts.clone().filter(|_| i == 0));
            let last = structure.iter().filter(|_| i + 1 == forms.len());
            sheet.sections.extend(last.flat_map(|s| s.sections.iter().filter(|s| !s.lines.is_empty()).cloned()));
            emit(&format!("% {}\n{}", f.form.title(), sheet.latex(&system.graph)));
            if sheet.not_shown() > 0 {
                let n = sheet.not_shown();
                warn(&format!(
                    "warning: {n} formulas are too long to be written in LaTeX; --format python, c or rust has them\n"
                ));
            }
        }),
        Format::Python => code(system, model, &forms, print::Language::Python),
        Format::Rust => code(system, model, &forms, print::Language::Rust),
        Format::C => code(system, model, &forms, print::Language::C),
        Format::Json => {
            let mut document = document(model, system, &forms, &left_out, verification.as_ref());
            if let Some(section) = &charts {
                document[section.key] = json_section(system, section);
            }
            if !found.is_empty() {
                document["symmetries_found"] = json!(found);
            }
            if let Some(s) = &structure {
                document["structure"] = structure::document(system, s);
            }
            answer = Some(document);
        }
    }
    if !found.is_empty() && matches!(format, Format::Latex | Format::Python | Format::Rust | Format::C) {
        warn(&format!("note: {}\n", found_note(&found)));
    }
    match &verification {
        Some(v) => {
            let line = verification_line(v);
            if format == Format::Text {
                emit(&format!("{line}\n"))
            } else {
                warn(&format!("{line}\n"))
            }
            if v.agrees(AGREEMENT) { Ok(answer) } else { Err(Refusal::No(String::new())) }
        }
        None => Ok(answer),
    }
}

/// The generators that the Lagrange–d'Alembert–Poincaré form takes when the model states none.
fn found_symmetries(system: &mut System) -> Vec<String> {
    if !system.model.symmetries.is_empty() {
        return Vec::new();
    }
    let reduction = system.reduction_or_found();
    reduction.map_or_else(|_| Vec::new(), |r| r.symmetry.fields.into_iter().map(|f| f.text).collect())
}

fn found_note(found: &[String]) -> String {
    format!("the model states no symmetry; {} is by those that were found: {}", Form::Ldap.title(), found.join(", "))
}

type LeftOut = Vec<(Form, String)>;

fn derive(system: &mut System, options: &DeriveOptions, chosen: Chosen) -> Result<(Vec<Equations>, LeftOut), Refusal> {
    let (mut forms, mut left_out) = (Vec::new(), Vec::new());
    let wanted = match (options.form, chosen) {
        // Voronets' equations are in velocities of the model; in combinations of them they are Hamel's
        (FormChoice::One(Form::Voronets), Chosen::Combinations) => vec![Form::Hamel],
        (form, _) => form.forms(),
    };
    for form in wanted {
        match system.equations(form) {
            Ok(equations) => forms.push(equations),
            Err(reason) if options.form == FormChoice::All => left_out.push((form, reason.to_string())),
            Err(reason) => {
                return Err(Refusal::No(format!(
                    "the {} form does not apply: {reason}\n  = the forms multipliers and voronets always do\n",
                    form.title()
                )));
            }
        }
    }
    Ok((forms, left_out))
}

fn verified(system: &mut System) -> Result<Verification, String> {
    verify(system, STATES).map_err(|_| "error: no random state was found at which all forms are defined\n".to_string())
}

fn verification_line(v: &Verification) -> String {
    let names = v.forms.iter().map(|f| f.title()).collect::<Vec<_>>().join(", ");
    let verdict = if v.agrees(AGREEMENT) { "agree" } else { "DO NOT agree" };
    let mut line = format!(
        "verified: {names} {verdict} ({} random states, 50 digits, largest difference {:.0e} in accelerations, {:.0e} in reactions)",
        v.states, v.accelerations, v.reactions
    );
    for (form, reason) in &v.left_out {
        line += &format!("\n  {} does not apply: {reason}", form.title());
    }
    line
}

fn text(
    model: &Model,
    system: &mut System,
    forms: &[Equations],
    left_out: &LeftOut,
    charts: Option<&Section>,
) -> String {
    let mut out = heading(model, system);
    if let Some(section) = charts {
        out += &format!("\n{}\n{}", bold(&section.title), section.text(&system.graph, width()));
    }
    for equations in forms {
        let sheet = Sheet::new(system, equations);
        if forms.len() > 1 {
            out += &format!("\n{}\n", bold(&format!("── {} ──", sheet.form.title())));
        }
        for section in &sheet.sections {
            out += &format!("\n{}\n{}", bold(&section.title), section.text(&system.graph, width()));
        }
        if sheet.not_shown() > 0 {
            out += &dim(TOO_LONG);
        }
    }
    for (form, reason) in left_out {
        out += &dim(&format!("\n{} does not apply: {reason}\n", form.title()));
    }
    out + "\n"
}

fn code(system: &mut System, model: &Model, forms: &[Equations], language: print::Language) {
    for equations in forms {
        let name = print::identifier(&model.name.replace('-', "_"));
        let name = if forms.len() > 1 { format!("{name}_{}", equations.form.name()) } else { name };
        emit(&(Sheet::code(system, equations, language, &name) + "\n"));
    }
}

fn document(
    model: &Model,
    system: &mut System,
    forms: &[Equations],
    left_out: &LeftOut,
    verification: Option<&Verification>,
) -> Value {
    let names = |system: &System, symbols: &[polhode::expr::Symbol]| -> Vec<String> {
        symbols.iter().map(|s| system.graph.name(*s).to_string()).collect()
    };
    let mut out = Vec::new();
    for equations in forms {
        let sheet = Sheet::new(system, equations);
        let mut entry = serde_json::Map::new();
        entry.insert("form".into(), json!(sheet.form.name()));
        entry.insert("unknowns".into(), json!(names(system, &equations.unknowns)));
        for section in &sheet.sections {
            entry.insert(section.key.into(), json_section(system, section));
        }
        entry.insert("graph_nodes".into(), json!(sheet.nodes));
        out.push(Value::Object(entry));
    }
    let mut document = json!({
        "model": model.name,
        "title": model.title,
        "parameters": names(system, &system.parameters),
        "positions": names(system, system.configuration.positions()),
        "velocities": names(system, system.configuration.velocities()),
        "degrees_of_freedom": system.degrees_of_freedom(),
        "equations": out,
    });
    if !left_out.is_empty() {
        document["not_applicable"] = left_out.iter().map(|(f, r)| json!({ "form": f.name(), "reason": r })).collect();
    }
    if let Some(v) = verification {
        document["verification"] = json!({
            "forms": v.forms.iter().map(|f| f.name()).collect::<Vec<_>>(),
            "states": v.states,
            "digits": polhode::mechanics::verify::DIGITS,
            "largest_difference": { "accelerations": v.accelerations, "reactions": v.reactions },
            "agree": v.agrees(AGREEMENT),
        });
    }
    document
}

pub(crate) fn json_section(system: &System, section: &Section) -> Value {
    let graph = &system.graph;
    section
        .lines
        .iter()
        .map(|line| {
            let mut entry = json!({ "left": line.left.plain(graph), "left_latex": line.left.latex(graph) });
            if !line.remark.is_empty() {
                entry["constraint"] = json!(line.remark.trim_matches('"'));
            }
            match &line.right {
                Some(tree) => {
                    entry["right"] = json!(print::ascii(graph, tree));
                    entry["right_latex"] = json!(print::latex(graph, tree));
                    entry["operations"] = json!(tree.operations());
                    entry["tree"] = serde_json::from_str(&print::json(graph, tree)).unwrap_or(Value::Null);
                }
                None => entry["graph_nodes"] = json!(graph.reachable(&[line.value]).len()),
            }
            entry
        })
        .collect()
}
