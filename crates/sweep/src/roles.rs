//! What the names of the axes are: parameters, initial values, or names that other formulas use.

use crate::spec::Spec;
use crate::study::{StudyError, unknown};
use polhode_base::SourceFile;
use polhode_model::syntax::normalize_name;
use polhode_model::{Model, ParseOptions};

/// What the name of an axis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A parameter of the model.
    Parameter,
    /// An initial value.
    Initial,
    /// A name in the formulas of other parameters and initial values.
    Introduced,
}

/// What the names of all axes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles(Vec<Role>);

/// A number as a formula, with all its digits.
pub fn value_text(x: f64) -> String {
    format!("{x:e}")
}

/// The parameter that stands for the initial value of an axis.
pub(crate) fn stand_in(axis: usize) -> String {
    format!("varied_{}", axis + 1)
}

impl Roles {
    /// Of the axes of a sweep over a model.
    pub fn new(bare: &Model, source: &SourceFile, spec: &Spec) -> Result<Roles, StudyError> {
        let axes = spec.design.axes();
        let roles = axes.iter().map(|axis| role(bare, source, spec, &axis.name));
        Ok(Roles(roles.collect::<Result<_, _>>()?))
    }

    /// Whether a parameter of the model is varied.
    pub(crate) fn vary_parameters(&self) -> bool {
        self.0.contains(&Role::Parameter)
    }

    /// Which axes are parameters of the model.
    pub(crate) fn is_parameter(&self) -> impl Iterator<Item = bool> {
        self.0.iter().map(|r| *r == Role::Parameter)
    }

    /// How the model is read with these values. With `formulas`, initial values become parameters.
    pub fn options(&self, spec: &Spec, values: &[String], formulas: bool) -> ParseOptions {
        let mut options =
            ParseOptions { parameters: spec.set.clone(), initial: spec.init.clone(), ..ParseOptions::default() };
        for (k, ((axis, role), value)) in spec.design.axes().iter().zip(&self.0).zip(values).enumerate() {
            match role {
                Role::Parameter => options.parameters.push((axis.name.clone(), value.clone())),
                Role::Introduced => options.introduced.push((axis.name.clone(), value.clone())),
                Role::Initial if formulas => {
                    options.introduced.push((stand_in(k), value.clone()));
                    options.initial.push((axis.name.clone(), stand_in(k)));
                }
                Role::Initial => options.initial.push((axis.name.clone(), value.clone())),
            }
        }
        options
    }

    /// The parameter that has the value of an axis, when initial values are parameters.
    pub(crate) fn symbol_name(&self, spec: &Spec, axis: usize) -> String {
        match self.0[axis] {
            Role::Initial => stand_in(axis),
            Role::Parameter | Role::Introduced => normalize_name(&spec.design.axes()[axis].name).into_owned(),
        }
    }
}

fn role(bare: &Model, source: &SourceFile, spec: &Spec, name: &str) -> Result<Role, StudyError> {
    let normal = normalize_name(name);
    if bare.parameter(&normal).is_some() {
        return Ok(Role::Parameter);
    }
    // the model itself knows best what can be an initial value
    let initial = ParseOptions { initial: vec![(name.to_owned(), "1/2".to_owned())], ..ParseOptions::default() };
    match Model::from_source(source.clone(), &initial) {
        Ok(_) => return Ok(Role::Initial),
        Err(r) if r.diagnostics.iter().any(|d| d.code == "wrong-dimension") => {
            return Err(StudyError::NotScalar(name.to_owned()));
        }
        Err(r) if r.diagnostics.iter().all(|d| d.code != "unknown-name") => return Ok(Role::Initial),
        Err(_) => {}
    }
    let uses = spec.set.iter().chain(&spec.init).any(|(_, formula)| mentions(formula, &normal));
    let taken = bare.graph.find_symbol(&normal).is_some() || bare.definitions.iter().any(|(n, _)| *n == *normal);
    if uses && !taken {
        return Ok(Role::Introduced);
    }
    let g = &bare.graph;
    let mut names: Vec<&str> = bare.parameters.iter().map(|p| g.name(p.symbol)).collect();
    for f in bare.configuration.factors() {
        let scalars = f.positions.len() == 1;
        names.extend(f.positions.iter().chain(&f.velocities).filter(|_| scalars).map(|s| g.name(*s)));
    }
    Err(unknown("parameter or initial value", name, &names))
}

/// Whether a formula contains a name.
fn mentions(formula: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    formula.split(|c: char| !part(c)).any(|word| normalize_name(word) == name)
}
