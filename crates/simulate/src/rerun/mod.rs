//! A compiled system rerun with new parameter values and starts, without recompiling.
//!
//! The tapes of a [`Program`] have the parameters as inputs, so that the equations of a system are those of all systems that differ from it in numbers
//! alone. New numbers come from one of two sources, and go the same way:
//!
//! ```text
//! another reading of the text ─initial state───────────────→ start, parameters ┐
//! numbers, or formulas on a tape ([`Formulas`]) ─completed──→ start, parameters ┴─admitted→ tapes fixed at the parameters → Compiled
//! ```
//!
//! The motion is that of a new compilation, digit by digit. What a new compilation might decide otherwise is refused, so that it can be asked itself:
//! expressions that are others, parameters of another sign than was assumed, values that stand in the equations, starts in another mode or outside the
//! admissible positions and velocities, a mass matrix that is not positive. Systems with several charts, discrete equations, reduced runs and corners in
//! what is prescribed are never rerun.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `likeness` | whether another reading has the same equations |
//! | `starts` | numbers completed to the start of a motion |
//! | `formulas` | numbers as functions of a few of them |

mod formulas;
mod likeness;
mod starts;

pub use formulas::Formulas;
pub use likeness::Likeness;

use crate::chart::Charts;
use crate::compile::{CompileError, CompileOptions, Compiled, first_state};
use likeness::{fingerprint, same};
use polhode_base::Span;
use polhode_expr::eval::Digits;
use polhode_expr::{Expr, Symbol};
use polhode_lower::{Program, dd};
use polhode_mechanics::{Inconsistent, System, initial_state_with};
use polhode_model::{DIGITS, Model, Sides};
use polhode_tape::{Dd, Scalar, passes};
use starts::Starts;
use std::fmt;
use std::sync::Arc;

/// The numbers of one motion, in the order of the symbols of the system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    /// Of every parameter.
    pub parameters: Vec<Dd>,
    /// Of every position symbol.
    pub positions: Vec<Dd>,
    /// Of the velocity symbols that are given.
    pub velocities: Vec<Option<Dd>>,
}

/// Why numbers do not fit the system as it was compiled: it has to be asked itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// The equations may be others.
    Equations,
    /// A number is not finite.
    NotFinite,
    /// A parameter has not the sign that was assumed.
    Sign,
    /// A parameter has another value than the one that stands in the equations.
    Settled,
    /// A position is outside its interval or violates a constraint.
    Position,
    /// The velocities violate a constraint.
    Velocity,
    /// The mass matrix is not positive.
    Mass,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfit::Equations => "the equations may be others",
            Unfit::NotFinite => "a number is not finite",
            Unfit::Sign => "a parameter has not the sign that was assumed",
            Unfit::Settled => "a parameter has another value than the one that stands in the equations",
            Unfit::Position => "the position is not admissible",
            Unfit::Velocity => "the velocity is not admissible",
            Unfit::Mass => "the mass matrix is not positive",
        })
    }
}

impl std::error::Error for Unfit {}

/// What is assumed about a parameter.
#[derive(Clone, Debug)]
struct Assumed {
    /// It is positive.
    positive: bool,
    /// Its value stands in the equations.
    settled: bool,
    /// The tapes depend on it; if not, it is about the start alone.
    used: bool,
}

/// A compiled system that can be rerun.
#[derive(Clone, Debug)]
pub struct Rerun {
    pub(crate) current: Arc<Compiled>,
    inconsistent: Inconsistent,
    likeness: Likeness,
    parameters: Vec<Dd>,
    assumed: Vec<Assumed>,
    names: [Vec<String>; 3],
    /// Only where starts can be completed without the text.
    starts: Option<Starts>,
}

impl Rerun {
    /// Of a system that was compiled with these options, for other readings of its text; `None` if its tapes serve nobody else.
    pub fn new(system: &System, options: &CompileOptions, compiled: &Arc<Compiled>) -> Option<Rerun> {
        // a model that does not switch and is run as if it did was rewritten where its constraints degenerate
        let rewritten = compiled.switches() != system.model.switches();
        let charts = compiled.switches() || compiled.has_one_chart();
        if rewritten || !charts || compiled.discrete.is_some() || compiled.driving.is_some() || compiled.corners.any() {
            return None;
        }
        let model = &system.model;
        let values = model.parameter_values().ok()?;
        // nothing is assumed about parameters that were introduced, which stand nowhere in the text
        let written = |p: &Symbol| model.parameters.iter().any(|q| q.symbol == *p && q.span != Span::default());
        // of other modes than that of the start it is not known
        let used = if compiled.switches() { vec![true; system.parameters.len()] } else { used(&compiled.program) };
        let assume = |(p, used): (&Symbol, bool)| Assumed {
            positive: values[p] > 0.0 && written(p),
            settled: system.settled.contains(p),
            used,
        };
        let names = |symbols: &[Symbol]| symbols.iter().map(|s| system.graph.name(*s).to_owned()).collect();
        Some(Rerun {
            current: compiled.clone(),
            inconsistent: options.inconsistent,
            likeness: Likeness::of(system)?,
            parameters: compiled.parameters.iter().map(|(_, x)| *x).collect(),
            assumed: system.parameters.iter().zip(used).map(assume).collect(),
            names: [
                names(&system.parameters),
                names(system.configuration.positions()),
                names(system.configuration.velocities()),
            ],
            starts: None,
        })
    }

    /// Also for numbers without a text; `None` if nothing but the text can say where a motion starts.
    pub fn for_numbers(self, system: &mut System) -> Option<Rerun> {
        let starts = Starts::new(system, &self.current)?;
        Some(Rerun { starts: Some(starts), ..self })
    }

    /// The system as it is compiled now.
    pub fn current(&self) -> &Arc<Compiled> {
        &self.current
    }

    /// The system with the numbers of another reading of its text. Mistakes in them are found as in a new compilation.
    pub fn read(&mut self, system: &mut System) -> Result<Result<Arc<Compiled>, Unfit>, CompileError> {
        if !Likeness::of(system).is_some_and(|other| self.likeness.serves(&other)) {
            return Ok(Err(Unfit::Equations));
        }
        let mut model = (*system.model).clone();
        let sides = model.sides_at_start();
        let model = Arc::new(model);
        let start = initial_state_with(system, &model, self.inconsistent)?.ok_or(CompileError::NoInitialState)?;
        let value = |s: Symbol| dd(&start.digits[&s]);
        let parameters: Vec<Dd> = system.parameters.iter().map(|s| value(*s)).collect();
        let changed = match self.admit(&parameters) {
            Ok(changed) => changed,
            Err(unfit) => return Ok(Err(unfit)),
        };
        if let Some(s) = &self.current.switching
            && s.places.get(&model.active(&sides)) != Some(&self.current.place.mode)
        {
            return Ok(Err(Unfit::Equations));
        }
        let state = first_state(system, &self.current.program, &value, &parameters)?;
        Ok(Ok(self.put(state, &parameters, changed, Some((model, sides)))))
    }

    /// The system with these numbers.
    pub fn with(&mut self, numbers: &Numbers) -> Result<Arc<Compiled>, Unfit> {
        let (start, changed) = self.start_of(numbers)?;
        Ok(self.put(start, &numbers.parameters, changed, None))
    }

    /// The numbers of a model that was read again, if its equations are the same up to them.
    pub fn numbers(&self, model: &mut Model) -> Option<Numbers> {
        if model.switches() || !same(&fingerprint(model), &self.likeness.fingerprint) {
            return None;
        }
        let arithmetic = Digits::decimal(DIGITS);
        let mut digits = model.parameter_digits().ok()?;
        let given: Vec<(Symbol, Expr)> = model.initial.iter().map(|i| (i.symbol, i.value)).collect();
        let positions = model.initial_positions();
        for (symbol, e) in positions.into_iter().chain(given.iter().copied()) {
            let x = model.graph.evaluate(&arithmetic, &[e], &digits).ok()?.remove(0);
            digits.insert(symbol, x);
        }
        let number = |name: &String| digits.get(&model.graph.find_symbol(name)?).map(dd);
        let is_given = |name: &String| given.iter().any(|(s, _)| Some(*s) == model.graph.find_symbol(name));
        let [parameters, positions, velocities] = &self.names;
        Some(Numbers {
            parameters: parameters.iter().map(number).collect::<Option<_>>()?,
            positions: positions.iter().map(number).collect::<Option<_>>()?,
            velocities: velocities.iter().map(|v| number(v).filter(|_| is_given(v))).collect(),
        })
    }

    /// The start of a motion with these numbers, and whether tapes have to be fixed again for it.
    pub(crate) fn start_of(&mut self, numbers: &Numbers) -> Result<(Vec<Dd>, bool), Unfit> {
        let changed = self.admit(&numbers.parameters)?;
        let starts = self.starts.as_mut().ok_or(Unfit::Equations)?;
        Ok((starts.state(&self.current.program, numbers, changed)?, changed))
    }

    /// Whether the equations allow these parameters, and whether tapes have to be fixed again for them.
    fn admit(&self, parameters: &[Dd]) -> Result<bool, Unfit> {
        let mut changed = false;
        for ((new, old), assumed) in parameters.iter().zip(&self.parameters).zip(&self.assumed) {
            if assumed.positive && new.to_f64() <= 0.0 {
                return Err(Unfit::Sign);
            }
            let differs = assumed.used && new != old;
            if assumed.settled && differs {
                return Err(Unfit::Settled);
            }
            changed |= differs;
        }
        Ok(changed)
    }

    /// Puts the start and the parameters of a motion in.
    fn put(
        &mut self,
        start: Vec<Dd>,
        parameters: &[Dd],
        changed: bool,
        reading: Option<(Arc<Model>, Sides)>,
    ) -> Arc<Compiled> {
        // no motion holds on to the system any more, unless it was kept: then there are two
        let c = Arc::make_mut(&mut self.current);
        c.start = start;
        c.parameters.iter_mut().zip(parameters).for_each(|((_, old), new)| *old = *new);
        if changed {
            let chart = c.charts[c.place.chart].refixed(&c.program, parameters);
            let charts = Charts::with_room(c.charts.len());
            charts.fill(c.place.chart, chart);
            c.charts = charts;
            self.parameters.copy_from_slice(parameters);
        }
        if let (Some(s), Some((model, sides))) = (&mut c.switching, reading) {
            s.renumber(&c.program, model, sides, parameters.to_vec(), changed);
        }
        self.current.clone()
    }

    /// Which parameters the tapes depend on, and the values of all.
    pub(crate) fn used_parameters(&self) -> impl Iterator<Item = (bool, Dd)> {
        self.assumed.iter().map(|a| a.used).zip(self.parameters.iter().copied())
    }
}

/// Which parameters the tapes of a program depend on.
fn used(program: &Program) -> Vec<bool> {
    let mut used = vec![false; program.parameters.len()];
    let tapes = [&program.field, &program.report, &program.events, &program.restore, &program.frame, &program.entry];
    for tape in tapes {
        let first = tape.inputs.len() - used.len();
        for input in passes::dependencies(tape).into_iter().flatten().filter(|i| *i >= first) {
            used[input - first] = true;
        }
    }
    used
}
