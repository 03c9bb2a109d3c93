//! Equations of motion as LaTeX, section by section.

use super::Prepared;
use polhode::mechanics::{Form, Section, Sheet, System};
use polhode::prelude::{Graph, print};
use serde_json::{Value, json};

/// Equations with longer right sides than this many characters are too long to be typeset in a page.
const LONGEST: usize = 6_000;

/// One form of a model, or why it does not apply. Where constraints come and go there is a group of sections for each region.
pub(super) fn of(prepared: &mut Prepared, form: Form) -> Value {
    let regions = if prepared.model.switches() { prepared.model.regions() } else { Vec::new() };
    if regions.len() < 2 {
        return match sections(&mut prepared.system, form) {
            Ok(groups) => document(form, groups, None),
            Err(why) => none(form, &why),
        };
    }
    let (mut groups, mut last) = (Vec::new(), None);
    for region in regions {
        let part = prepared.model.with_active(&region.active);
        let found = match System::new(&part) {
            Ok((mut system, _)) => sections(&mut system, form),
            Err(_) => Err("its constraints contradict each other there".to_owned()),
        };
        match found {
            Ok(own) => {
                groups.extend(own.into_iter().map(|(title, lines)| (format!("{}: {title}", region.place), lines)))
            }
            Err(why) => last = Some(why),
        }
    }
    let why = if groups.is_empty() { last } else { None };
    document(form, groups, why)
}

/// A form without equations.
pub(super) fn none(form: Form, why: &str) -> Value {
    document(form, Vec::new(), Some(why.to_owned()))
}

fn document(form: Form, groups: Vec<(String, Vec<String>)>, why: Option<String>) -> Value {
    let groups: Vec<Value> =
        groups.into_iter().map(|(title, lines)| json!({ "title": title, "lines": lines })).collect();
    json!({
        "form": form.name(),
        "title": form.title(),
        "groups": groups,
        "applies": why.is_none(),
        "why": why,
        "forms": Form::ALL.iter().map(|f| json!({ "id": f.name(), "title": f.title() })).collect::<Vec<_>>(),
    })
}

/// The titles and lines of a form.
fn sections(system: &mut System, form: Form) -> Result<Vec<(String, Vec<String>)>, String> {
    let equations = system.equations(form).map_err(|why| why.to_string())?;
    let sheet = Sheet::new(system, &equations);
    Ok(sheet.sections.iter().map(|s| (s.title.clone(), lines(&system.graph, s))).collect())
}

/// One equation for each line.
pub(crate) fn lines(graph: &Graph, section: &Section) -> Vec<String> {
    let shown = |left: &str, right: Option<String>, nodes: usize| match right.filter(|r| r.len() <= LONGEST) {
        Some(right) => format!("{left} = {right}"),
        None => format!("{left} = \\text{{({nodes} nodes, too long to be read)}}"),
    };
    let line = |l: &polhode::mechanics::sheet::Line| {
        let right = l.right.as_ref().map(|tree| print::latex(graph, tree));
        shown(&l.left.latex(graph), right, graph.reachable(&[l.value]).len())
    };
    section.lines.iter().map(line).collect()
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
    fn constraints_that_come_and_go_have_equations_for_each_region() {
        let found = of_model("ball-smooth-rough", Form::Multipliers);
        let titles: Vec<&str> =
            found["groups"].as_array().unwrap().iter().map(|g| g["title"].as_str().unwrap()).collect();
        assert!(titles.iter().any(|t| t.starts_with("x > 0")), "{titles:?}");
    }
}
