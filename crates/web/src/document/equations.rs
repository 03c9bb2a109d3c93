//! Equations of motion as LaTeX, section by section.
//!
//! Equations that are wider than a page go over several rows. Those that are too long to be read at all are written by means of abbreviations; a
//! form that would need too many of them is shown without its longest equations, and says how to get these.

use super::Prepared;
use polhode::mechanics::{Form, Section, Sheet, System};
use polhode::prelude::{Graph, print};
use serde_json::{Value, json};

/// Most abbreviations of one form.
const MOST_ABBREVIATIONS: usize = 60;

/// What is shown of a form in one region.
struct Shown {
    /// Titles and lines.
    groups: Vec<(String, Vec<String>)>,
    /// Equations that are not shown.
    left_out: usize,
}

/// One form of a model, or why it does not apply. Where constraints come and go there is a group of sections for each region.
pub(super) fn of(prepared: &mut Prepared, form: Form) -> Value {
    let regions = if prepared.model.switches() { prepared.model.regions() } else { Vec::new() };
    if regions.len() < 2 {
        return match shown(&mut prepared.system, form) {
            Ok(shown) => document(form, shown, &prepared.argument),
            Err(why) => none(form, &why),
        };
    }
    let (mut all, mut last) = (Shown { groups: Vec::new(), left_out: 0 }, None);
    for region in regions {
        let found = match prepared.system.with(&region.active) {
            Ok((mut system, _)) => shown(&mut system, form),
            Err(_) => Err("its constraints contradict each other there".to_owned()),
        };
        match found {
            Ok(own) => {
                let placed = own.groups.into_iter().map(|(title, lines)| (format!("{}: {title}", region.place), lines));
                all.groups.extend(placed);
                all.left_out += own.left_out;
            }
            Err(why) => last = Some(why),
        }
    }
    match last {
        Some(why) if all.groups.is_empty() => none(form, &why),
        _ => document(form, all, &prepared.argument),
    }
}

/// A form without equations.
pub(super) fn none(form: Form, why: &str) -> Value {
    let nothing = document(form, Shown { groups: Vec::new(), left_out: 0 }, "");
    let Value::Object(mut out) = nothing else { return nothing };
    out.extend([("applies".to_owned(), json!(false)), ("why".to_owned(), json!(why))]);
    Value::Object(out)
}

fn document(form: Form, shown: Shown, model: &str) -> Value {
    let groups: Vec<Value> =
        shown.groups.into_iter().map(|(title, lines)| json!({ "title": title, "lines": lines })).collect();
    let note = (shown.left_out > 0).then(|| {
        let equations =
            if shown.left_out == 1 { "one equation is".into() } else { format!("{} equations are", shown.left_out) };
        let command = format!("polhode derive {model} --form {} --format python", form.name());
        format!("{equations} too long to be printed; `{command}` writes the accelerations and reactions as a program")
    });
    json!({
        "form": form.name(),
        "title": form.title(),
        "groups": groups,
        "note": note,
        "applies": true,
        "why": Value::Null,
        "forms": Form::ALL.iter().map(|f| json!({ "id": f.name(), "title": f.title() })).collect::<Vec<_>>(),
    })
}

/// The titles and lines of a form.
fn shown(system: &mut System, form: Form) -> Result<Shown, String> {
    let equations = system.equations(form).map_err(|why| why.to_string())?;
    let mut sheet = Sheet::new(system, &equations);
    let left_out = sheet.abbreviate(system, MOST_ABBREVIATIONS);
    let groups = sheet.sections.iter().map(|s| (s.title.clone(), lines(&system.graph, s))).collect();
    Ok(Shown { groups, left_out })
}

/// One equation for each line; those wider than a page of A4 have several rows.
fn lines(graph: &Graph, section: &Section) -> Vec<String> {
    let line = |rows: Vec<String>| match &rows[..] {
        [one] => one.clone(),
        rows => print::rows_environment(rows),
    };
    section.lines.iter().map(|l| line(l.latex_rows(graph))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Wish, prepare};

    fn of_model(name: &str, form: Form) -> Value {
        let wish = Wish::new(&format!("{name}.toml"), polhode::builtin::find(name).unwrap().text);
        of(&mut prepare(&wish).unwrap(), form)
    }

    #[test]
    fn a_form_that_applies_has_lines() {
        let found = of_model("rolling-disk", Form::Voronets);
        assert_eq!((&found["applies"], &found["title"]), (&json!(true), &json!("Voronets")));
        let lines: Vec<&str> = (found["groups"].as_array().unwrap().iter())
            .flat_map(|g| g["lines"].as_array().unwrap())
            .map(|l| l.as_str().unwrap())
            .collect();
        assert!(lines.iter().any(|l| l.starts_with("\\ddot{\\theta} = ")), "{lines:?}");
        assert_eq!(found["forms"].as_array().unwrap().len(), 6);
    }

    #[test]
    fn a_form_that_does_not_says_why() {
        let found = of_model("free-rigid-body", Form::Chaplygin);
        assert_eq!(found["applies"], false);
        assert!(found["why"].as_str().unwrap().len() > 5);
    }

    #[test]
    fn long_equations_are_abbreviated_and_no_line_is_without_a_formula() {
        let found = of_model("rattleback", Form::Multipliers);
        let groups = found["groups"].as_array().unwrap();
        let titles: Vec<&str> = groups.iter().map(|g| g["title"].as_str().unwrap()).collect();
        assert!(titles.contains(&"abbreviations") && titles.contains(&"accelerations"), "{titles:?}");
        let all = found.to_string();
        assert!(!all.contains("nodes"), "{all}");
        assert_eq!(found["note"], Value::Null);
    }

    #[test]
    fn a_form_that_is_too_long_says_once_how_to_get_it() {
        let found = of_model("bicycle", Form::Hamilton);
        let note = found["note"].as_str().unwrap();
        assert!(note.contains("`polhode derive bicycle --form hamilton --format python`"), "{note}");
        assert!(!found["groups"].to_string().contains("nodes"));
    }

    #[test]
    fn constraints_that_come_and_go_have_equations_for_each_region() {
        let found = of_model("ball-smooth-rough", Form::Multipliers);
        let titles: Vec<&str> =
            found["groups"].as_array().unwrap().iter().map(|g| g["title"].as_str().unwrap()).collect();
        assert!(titles.iter().any(|t| t.starts_with("x > 0")), "{titles:?}");
        let lines = found["groups"].as_array().unwrap().iter().flat_map(|g| g["lines"].as_array().unwrap());
        assert!(lines.into_iter().all(|l| l != "0 = 0"), "constraints that are not in force are left out");
    }
}
