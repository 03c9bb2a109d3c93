//! `polhode reduce`: symmetry, connection, curvature, reduced equations, reconstruction.

use crate::args::{ConnectionChoice, PageFormat, ReduceOptions};
use crate::derive::json_section;
use crate::output::{bold, dim, emit, emit_json, heading, render, warn, width};
use crate::{Refusal, input};
use polhode::mechanics::{Connection, NotReducible, Reduction, Section, Symmetry, System};
use polhode::model::Model;
use polhode::prelude::print;
use serde_json::{Value, json};

pub(crate) fn run(options: &ReduceOptions) -> Result<(), Refusal> {
    let model = input::model(&options.model.model, &options.model.changes.parse_options()?)?;
    let mut system = input::system(&model)?;
    let found = options.found || model.symmetries.is_empty();
    let connection = match options.connection {
        Some(ConnectionChoice::Given) => Connection::Given,
        Some(ConnectionChoice::Kinetic) => Connection::Kinetic,
        Some(ConnectionChoice::Plain) => Connection::Plain,
        None if model.horizontal.is_empty() || found => Connection::Kinetic,
        None => Connection::Given,
    };
    let reduction = if found {
        system.reduction_by_found(connection)
    } else {
        let symmetry = stated_symmetry(&mut system, &model)?;
        system.reduced_by(symmetry, connection)
    };
    let reduction = reduction.map_err(|why| refusal(why, &model))?;
    let poincare = reduction.poincare(&mut system);
    let equations = reduction.equations(&mut system);
    let sections = reduction.sections(&mut system, &poincare, &equations);
    let format = if options.model.changes.json { PageFormat::Json } else { options.format };
    match format {
        PageFormat::Text => emit(&text(&model, &mut system, &reduction, &sections, found)),
        PageFormat::Latex => emit(&latex(&system, &reduction, &sections)),
        PageFormat::Json => emit_json(&document(&model, &mut system, &reduction, &sections, found)),
    }
    Ok(())
}

fn stated_symmetry(system: &mut System, model: &Model) -> Result<Symmetry, Refusal> {
    system.symmetry().map_err(|diagnostics| Refusal::No(render(&diagnostics, &model.source)))
}

fn refusal(why: NotReducible, model: &Model) -> Refusal {
    if let NotReducible::Refused(diagnostics) = &why {
        return Refusal::No(render(diagnostics, &model.source));
    }
    let help = match why {
        NotReducible::NoSymmetry => "  = write other fields under [symmetry] as generators = [\"…\"]\n",
        NotReducible::NotFree => "  = keep those generators under [symmetry] that are independent of each other\n",
        _ => "",
    };
    Refusal::No(format!("the system is not reduced: {why}\n{help}"))
}

/// The brackets that do not vanish, as `[X1, X2] = X3`.
fn brackets(system: &mut System, symmetry: &Symmetry) -> Vec<String> {
    let g = symmetry.dimension();
    let mut out = Vec::new();
    for i in 0..g {
        for j in i + 1..g {
            let graph = &mut system.graph;
            let parts: Vec<_> = (0..g)
                .map(|k| {
                    let field = graph.named(&format!("X{}", k + 1));
                    graph.mul(symmetry.structure[i][j][k], field)
                })
                .collect();
            let sum = graph.sum(parts);
            if graph.is_zero(sum) {
                continue;
            }
            let tree = graph.readable_or_stored(sum, &polhode::expr::Reading::default(), 100);
            let right = tree.map_or("…".to_string(), |t| print::text(graph, &t));
            let name = |k: usize| print::unicode_name(&format!("X{}", k + 1));
            out.push(format!("[{}, {}] = {right}", name(i), name(j)));
        }
    }
    out
}

/// What kind of reduction it is, in the words of the subject.
fn kind(reduction: &Reduction) -> &'static str {
    let (s, h) = (reduction.admissible.cols(), reduction.horizontal.cols());
    match (s, h) {
        (0, _) => "Chaplygin: S = 0, so D itself is the connection and there is no momentum equation",
        (_, 0) => "vertical: D lies in V, so there are momentum equations only",
        _ if reduction.dimension_assumption() => "general: D = H ⊕ S, and D + V = TQ",
        _ => "general: D = H ⊕ S, but D + V is not TQ, so the constraints bind the base as well",
    }
}

fn connection_name(reduction: &Reduction) -> &'static str {
    match reduction.connection {
        Connection::Given => "from the model",
        Connection::Kinetic if reduction.admissible.cols() == 0 => "the constraints",
        Connection::Kinetic => "H ⊥ S in the kinetic energy",
        Connection::Plain => "as it comes out of the constraints",
    }
}

fn text(model: &Model, system: &mut System, reduction: &Reduction, sections: &[Section], found: bool) -> String {
    let mut out = heading(model, system);
    let symmetry = &reduction.symmetry;
    let title = match (&symmetry.group, found) {
        (_, true) => "symmetries that were found".to_string(),
        (Some(group), _) => format!("symmetry {group}"),
        (None, _) => "symmetry".to_string(),
    };
    out += &format!("\n{}\n", bold(&title));
    for (i, field) in symmetry.fields.iter().enumerate() {
        out += &format!("  {} = {}\n", print::unicode_name(&format!("X{}", i + 1)), field.text);
    }
    let brackets = brackets(system, symmetry);
    if brackets.is_empty() {
        out += &dim("  they commute\n");
    }
    for line in brackets {
        out += &format!("  {line}\n");
    }
    out += &dim("  they leave the Lagrangian, the forces and the constraints alone\n");
    let dimensions = format!(
        "Q {}, group {}, base {}; D {} = H {} + S {}",
        system.configuration.dimension(),
        symmetry.dimension(),
        reduction.base_dimension(),
        reduction.frame.k,
        reduction.horizontal.cols(),
        reduction.admissible.cols()
    );
    out += &format!(
        "\n{}\n  {dimensions}\n  {}\n  connection: {}\n",
        bold("dimensions"),
        kind(reduction),
        connection_name(reduction)
    );
    if reduction.admissible.cols() + reduction.rest.cols() > 0 && reduction.horizontal.cols() > 0 {
        out += &dim(
            "  at generic positions; at special ones S = D ∩ V may be larger (`derive --structure` shows where)\n",
        );
    }
    for section in sections {
        out += &format!("\n{}\n{}", bold(&section.title), section.text(&system.graph, width()));
    }
    if reduction.base.is_empty() && reduction.base_dimension() > 0 {
        out += &format!("\n{}\n  ", bold("motion of the base"));
        out += "along the projections of H; no function of the positions that the group leaves alone was found\n";
    }
    let missing = sections.iter().flat_map(|s| &s.lines).filter(|l| l.right.is_none()).count();
    if missing > 0 {
        let formulas = if missing == 1 { "1 formula is".into() } else { format!("{missing} formulas are") };
        warn(&format!(
            "note: {formulas} too long to be shown; derive --form ldap --format python writes the equations of motion out\n"
        ));
    }
    out + "\n"
}

fn latex(system: &System, reduction: &Reduction, sections: &[Section]) -> String {
    let mut out = String::new();
    for (i, field) in reduction.symmetry.fields.iter().enumerate() {
        out += &format!("% X{} = {}\n", i + 1, field.text);
    }
    for section in sections {
        out += &format!("% {}\n\\[\n{}\n\\]\n", section.title, section.latex(&system.graph));
    }
    out
}

fn document(model: &Model, system: &mut System, reduction: &Reduction, sections: &[Section], found: bool) -> Value {
    let symmetry = &reduction.symmetry;
    let generators: Vec<&str> = symmetry.fields.iter().map(|f| f.text.as_str()).collect();
    let structure: Vec<Vec<Vec<String>>> = symmetry
        .structure
        .iter()
        .map(|rows| rows.iter().map(|row| row.iter().map(|c| system.shown(*c)).collect()).collect())
        .collect();
    let mut out = json!({
        "model": model.name,
        "group": symmetry.group,
        "found": found,
        "generators": generators,
        "structure_constants": structure,
        "abelian": symmetry.is_abelian(&system.graph),
        "dimensions": {
            "configuration": system.configuration.dimension(),
            "group": symmetry.dimension(),
            "base": reduction.base_dimension(),
            "D": reduction.frame.k,
            "H": reduction.horizontal.cols(),
            "S": reduction.admissible.cols(),
        },
        "dimension_assumption": reduction.dimension_assumption(),
        "connection_from": match reduction.connection {
            Connection::Given => "given",
            Connection::Kinetic => "kinetic",
            Connection::Plain => "plain",
        },
        "unknowns": reduction.frame.xi.iter().map(|s| system.graph.name(*s).to_string()).collect::<Vec<_>>(),
    });
    for section in sections {
        out[section.key] = json_section(system, section);
    }
    out
}
