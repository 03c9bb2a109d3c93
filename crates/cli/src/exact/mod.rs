//! `polhode exact`: which solution a motion has, its formulas, constants, period and frequencies, and its values at any time.

mod classical;
mod integrals;
mod json;
mod latex;
mod picture;
mod returns;
pub(crate) mod steady;
mod text;

use crate::args::{ExactOptions, PageFormat};
use crate::output::{emit, emit_json};
use crate::picture::Format;
use crate::run::files::draw;
use crate::run::json::number;
use crate::run::time;
use crate::targets::{self, Target};
use crate::{Refusal, input, neumann};
use polhode::exact::linear::{
    Constants, Motion, NoMotion, Reduced, SecondOrder, State, Tried, reduce_model, riccati, second_order,
};
use polhode::exact::returns::NoReturn;
use polhode::exact::steady::{Problem, SteadyMotion, Wish};
use polhode::mechanics::{Section, System};
use polhode::model::Model;
use polhode::tape::Dd;
use serde_json::{Map, Value};
use std::path::Path;

/// Everything that is shown of a solution.
struct Solution {
    reduced: Reduced,
    equation: Option<SecondOrder>,
    motion: Result<Motion, NoMotion>,
    constants: Option<Constants>,
    sections: Vec<Section>,
    /// The times asked for, and the reduced states there where they are known.
    samples: Vec<(Dd, Option<State>)>,
    /// The whole motion.
    whole: returns::Whole,
    /// A motion that stays at a pole of the shape variable.
    at_pole: Option<SteadyMotion>,
    /// Formulas in t.
    classical: Option<classical::Classical>,
}

impl Solution {
    /// Whether the motion goes on for as long as a period.
    fn lasts(&self, period: Dd) -> bool {
        self.whole.ending().is_none_or(|ending| ending.end() >= period)
    }
}

pub(crate) fn run(options: &ExactOptions) -> Result<(), Refusal> {
    let model = input::model(&options.model.model, &options.model.changes.parse_options()?)?;
    let model = neumann::model(model, &options.coordinates)?;
    let json = options.model.changes.json || options.format == PageFormat::Json;
    if options.steady.steady.is_some() {
        let unfit = [
            ("--plot", options.plot.is_some()),
            ("--at", !options.at.is_empty()),
            ("--format latex", options.format == PageFormat::Latex),
        ];
        if let Some((flag, _)) = unfit.iter().find(|(_, given)| *given) {
            return Err(Refusal::BadInput(format!(
                "error: --steady looks for steady motions, and {flag} says nothing about them\n  = leave {flag} out, or --steady\n"
            )));
        }
        return steady::run(&model, &mut input::system(&model)?, &options.steady, json);
    }
    if let Some(path) = options.plot.as_deref() {
        targets::check(&[Target::new("--plot", path, "svg")], &[Path::new(&options.model.model)])?;
        Format::of("--plot", path)?;
    }
    let times: Vec<Dd> = options.at.iter().map(|t| time(&model, "--at", t)).collect::<Result<_, _>>()?;
    let format = if json { PageFormat::Json } else { options.format };
    let (system, whole) = returns::found(&model, &times)?;
    if let Err(why @ NoReturn::Switches) = &whole.found {
        return Err(Refusal::No(format!(
            "{why}, and no formula leads across a jump\n  = `polhode run` integrates the motion\n"
        )));
    }
    let classical = classical::found(&model);
    let (mut reduced, classical) = match (reduce_model(&model), classical) {
        (Ok(reduced), classical) => (reduced, classical),
        (Err(_), Some(solution)) => {
            options.plot.as_deref().map_or(Ok(()), |path| solution.draw(&model, path))?;
            let steady = steady_here(&model, &whole)?;
            solution.show(&model, &times, &whole, steady.as_ref(), format);
            return Ok(());
        }
        (Err(tried), None) => {
            if options.plot.is_some() {
                return Err(Refusal::No("there is no oscillation to draw\n".into()));
            }
            return unsolved(&model, system, &tried, &whole, &times, format);
        }
    };
    let (system, shape) = (&mut reduced.system, &reduced.shape);
    let equation = second_order(system, shape);
    let ratio = riccati(system, shape);
    let sections = shape.sections(system, equation.as_ref(), ratio.as_ref());
    let mut motion = Motion::new(system, &reduced.model, shape);
    let constants = match (&equation, &motion) {
        (Some(e), Ok(m)) => Constants::new(system, shape, e, &m.start),
        _ => None,
    };
    let samples = samples(&times, &mut motion, &whole)?;
    let at_pole = steady_at_pole(&model, &motion, &whole)?;
    let mut solution = Solution { reduced, equation, motion, constants, sections, samples, whole, at_pole, classical };
    if let Some(path) = &options.plot {
        match picture::svg(&mut solution) {
            Some(svg) => draw(path, svg)?,
            None => return Err(Refusal::No("there is no oscillation and no full turn to draw\n".into())),
        }
    }
    match format {
        PageFormat::Text => emit(&text::page(&mut solution)),
        PageFormat::Latex => emit(&text::latex(&mut solution)),
        PageFormat::Json => emit_json(&json::document(&model, &mut solution)),
    }
    Ok(())
}

/// Reduced states, as far as they are known. There must be values at every time, reduced ones or those of the whole motion.
fn samples(
    times: &[Dd],
    motion: &mut Result<Motion, NoMotion>,
    whole: &returns::Whole,
) -> Result<Vec<(Dd, Option<State>)>, Refusal> {
    let mut out = Vec::new();
    for t in times {
        let (state, why) = match motion {
            Err(why) => (None, why.to_string()),
            Ok(motion) => (motion.at(*t), text::course_in_words(&motion.course)),
        };
        if state.is_none() && !whole.is_known() {
            return Err(Refusal::No(format!(
                "there are no values at t = {t}: {why}\n  = `polhode run` integrates the motion\n"
            )));
        }
        out.push((*t, state));
    }
    Ok(out)
}

/// A body exactly on its axis: the shape variable says nothing there, but the motion may be a steady one.
fn steady_at_pole(
    model: &Model,
    motion: &Result<Motion, NoMotion>,
    whole: &returns::Whole,
) -> Result<Option<SteadyMotion>, Refusal> {
    match motion {
        Err(NoMotion::AtEnd { .. }) => steady_here(model, whole),
        _ => Ok(None),
    }
}

/// Farther from the initial state, as a part of it, a steady motion is another one.
const HERE: f64 = 1e-15;

/// The steady motion at the initial state, with what small disturbances do to it.
fn steady_here(model: &Model, whole: &returns::Whole) -> Result<Option<SteadyMotion>, Refusal> {
    if !whole.found.as_ref().is_ok_and(|m| m.is_steady()) {
        return Ok(None);
    }
    // the search begins at the initial state, which is steady
    let found = Problem::new(&mut input::system(model)?, &Wish::default()).map(|p| p.solve().into_iter().next());
    Ok(found.ok().flatten().filter(|m| m.distance <= HERE))
}

/// A model without formulas: a return, integrals that are enough for quadratures, or what was tried.
fn unsolved(
    model: &Model,
    mut system: System,
    tried: &[Tried],
    whole: &returns::Whole,
    times: &[Dd],
    format: PageFormat,
) -> Result<(), Refusal> {
    let known = integrals::found(model, &mut system, whole);
    match &whole.found {
        Err(why) if !whole.is_known() => match known.filter(|k| k.are_enough()) {
            Some(known) if times.is_empty() => known.show(model, &system, why, &reasons(tried), format),
            Some(_) => {
                let message = "there is no formula in t, so there are no values: leave --at out for the integrals";
                return Err(Refusal::No(format!(
                    "{message}\n  any time at once: {why}\n  = `polhode run` integrates\n"
                )));
            }
            None => return Err(refusal(model, tried, why)),
        },
        _ => {
            let steady = steady_here(model, whole)?;
            returns::show(model, &system, whole, times, format, &reasons(tried), (known.as_ref(), steady.as_ref()));
        }
    }
    Ok(())
}

/// Why there are no linear equations, for each kind of coordinates.
fn reasons(tried: &[Tried]) -> Vec<String> {
    let place = |t: &Tried| match t.charts {
        None => "in the coordinates of the model".to_string(),
        Some(c) => format!("in the parameters of the contact (charts {}, {})", c.body.name(), c.ground.name()),
    };
    tried.iter().map(|t| format!("{}: {}", place(t), t.why)).collect()
}

fn refusal(model: &Model, tried: &[Tried], why: &NoReturn) -> Refusal {
    let mut out = format!("no exact solution of `{}` was found\n", model.name);
    reasons(tried).iter().for_each(|line| out += &format!("  {line}\n"));
    out += &format!("  any time at once: {why}\n");
    out += "  = tried: a coordinate, the distance from an axis, or the angle of an entry of a rotation, in which all other velocities obey linear equations; classical solutions; a return up to a symmetry\n";
    Refusal::No(out + "  = `polhode conserved` shows what is constant; `polhode run` integrates\n")
}

/// Whether it is the equation of second order that solves the linear ones, and not one unknown after the other.
fn is_solved_by_equation(solution: &Solution) -> bool {
    let (shape, graph) = (&solution.reduced.shape, &solution.reduced.system.graph);
    solution.equation.is_some() && !shape.is_decoupled(graph) && shape.leader(graph).is_none()
}

/// What follows from the linear equations, in words.
fn kind(solution: &Solution) -> String {
    use polhode::special::ode::Recognised;
    let shape = &solution.reduced.shape;
    let graph = &solution.reduced.system.graph;
    let k = shape.unknowns.len();
    if k == 0 {
        return "one degree of freedom: a quadrature".into();
    }
    if shape.is_decoupled(graph) {
        return "every unknown by itself: exponentials of integrals".into();
    }
    if let Some(leader) = shape.leader(graph) {
        let name = polhode::prelude::print::unicode_symbol(graph, leader.symbol);
        return format!("{name} by itself: the exponential of an integral; the other unknown follows by one more");
    }
    let Some(equation) = &solution.equation else {
        return format!("{k} linear equations of first order, without a name: Taylor series");
    };
    let Some(rational) = &equation.rational else {
        return "no variable was found in which the equation is rational and of second order at these values: general, by Taylor series".into();
    };
    named(&rational.recognised).unwrap_or_else(|| match &rational.recognised {
        Recognised::Irregular => "an equation with an irregular singular point: Taylor series".into(),
        _ => "general".into(),
    })
}

/// The name of an equation.
fn named(recognised: &polhode::special::ode::Recognised<Dd>) -> Option<String> {
    use polhode::special::ode::Recognised;
    Some(match recognised {
        Recognised::Elementary => {
            "elementary: powers and logarithms, as there are at most two singular points up to powers".into()
        }
        Recognised::Legendre { degree, order, .. } => {
            let order = if *order == Default::default() {
                String::new()
            } else {
                format!(", order {}, up to powers", complex(*order))
            };
            format!("Legendre's equation, degree ν = {}{order}", complex(*degree))
        }
        Recognised::Hypergeometric { upper, lower, .. } => format!(
            "the hypergeometric equation, a = {}, b = {}, c = {}",
            complex(upper[0]),
            complex(upper[1]),
            complex(*lower)
        ),
        Recognised::Heun { apparent, in_square, .. } => match in_square.as_deref().and_then(named) {
            Some(inner) => format!("{inner}, in the square of the variable"),
            None if *apparent > 0 => format!("Heun's equation with an apparent singular point ({apparent} of 4)"),
            None => "Heun's equation, four singular points".into(),
        },
        Recognised::Fuchsian { points, apparent, in_square } => match in_square.as_deref().and_then(named) {
            Some(inner) => format!("{inner}, in the square of the variable"),
            None if *apparent > 0 => format!("{points} regular singular points, {apparent} of them apparent"),
            None => format!("{points} regular singular points: Frobenius' series"),
        },
        Recognised::Irregular => return None,
    })
}

/// Exponents and parameters of an equation are numbers that were solved for: without the last digits, where nothing else speaks for them.
fn clean(z: polhode::special::Complex<Dd>) -> polhode::special::Complex<Dd> {
    let part = |x: Dd| if x.lo().abs() <= 1e-28 * x.hi().abs().max(1.0) { Dd::from(x.hi()) } else { x };
    polhode::special::Complex { re: part(z.re), im: part(z.im) }
}

fn complex(z: polhode::special::Complex<Dd>) -> String {
    use polhode::tape::Scalar;
    let (re, im) = (z.re.to_f64(), z.im.to_f64());
    match (re, im) {
        (_, 0.0) => format!("{re}"),
        _ if im < 0.0 => format!("{re} − {} i", -im),
        _ => format!("{re} + {im} i"),
    }
}

/// The parameters and their values, for programs.
fn parameters(model: &Model, system: &System) -> Map<String, Value> {
    let digits = model.parameter_digits().unwrap_or_default();
    let value = |s| digits.get(s).map_or(Value::Null, |x| number(polhode::lower::dd(x)));
    system.parameters.iter().map(|s| (system.graph.name(*s).to_string(), value(s))).collect()
}
