//! A solution for people, and its formulas in LaTeX.

use super::{Solution, kind, latex, returns, steady};
use crate::output::{bold, dim, heading, width};
use polhode::exact::linear::{Basis, Course, Motion, State};
use polhode::mechanics::Section;
use polhode::prelude::print;
use polhode::special::ode::{Kind, Place};
use polhode::tape::{Dd, Scalar};

pub(super) fn page(solution: &mut Solution) -> String {
    let mut out = heading(&solution.reduced.model, &solution.reduced.system);
    out += &format!("\n{}\n  {}\n", bold("solution"), kind(solution));
    out += &why(solution);
    let mut long = false;
    for section in &solution.sections {
        let (shown, left_out) = short(solution, section);
        long |= left_out;
        out += &format!("\n{}\n{}", bold(&section.title), shown.text(&solution.reduced.system.graph, width()));
        if section.key == "second_order" {
            out += &singular_points(solution);
        }
    }
    if long {
        let remark =
            format!("formulas of more than {MOST_ROWS} lines are left out: --format latex and --json have them");
        out += &format!("\n  {}\n", dim(&remark));
    }
    out += &motion(solution);
    if let Some(classical) = &solution.classical {
        out += &classical.section();
    }
    out += &whole(solution);
    out + "\n"
}

/// Formulas with more lines are left out.
const MOST_ROWS: usize = 12;

/// The section without formulas that are too long, and whether there were any.
fn short(solution: &Solution, section: &Section) -> (Section, bool) {
    let graph = &solution.reduced.system.graph;
    let mut out = section.clone();
    let mut left_out = false;
    for line in &mut out.lines {
        let rows = line.right.as_ref().map_or(0, |tree| print::equation(graph, "", tree, width()).lines().count());
        if rows > MOST_ROWS {
            line.right = None;
            left_out = true;
        }
    }
    (out, left_out)
}

/// Which hypotheses hold.
fn why(solution: &Solution) -> String {
    let (shape, graph) = (&solution.reduced.shape, &solution.reduced.system.graph);
    let name = print::unicode_symbol(graph, shape.variable);
    let unknowns: Vec<String> = shape.unknowns.iter().map(|u| print::unicode_symbol(graph, u.symbol)).collect();
    let mut out = String::new();
    if let Some(charts) = solution.reduced.charts {
        out += &format!(
            "  coordinates: the parameters of the contact (charts {}, {})\n",
            charts.body.name(),
            charts.ground.name()
        );
    }
    match unknowns.as_slice() {
        [] => return out + &format!("  the energy is constant and a function of {name} and its rate\n"),
        [one] => {
            out += &format!(
                "  the rate of {one} is d{name}/dt times a linear function of it, with coefficients in {name}\n"
            );
        }
        several => {
            out += &format!(
                "  the rates of {} are d{name}/dt times linear functions of them, with coefficients in {name}\n",
                several.join(", ")
            );
        }
    }
    let these = if unknowns.len() == 1 { "this" } else { "these" };
    out + &format!("  the energy is constant and a function of {these}, of {name} and of its rate\n")
}

/// Singular points and exponents at the values of the parameters.
fn singular_points(solution: &Solution) -> String {
    let Some(r) = solution.equation.as_ref().and_then(|e| e.rational.as_ref()) else { return String::new() };
    let z = print::unicode_symbol(&solution.reduced.system.graph, r.symbol);
    let mut out = format!("  {}\n", dim("at the values of the parameters"));
    for p in r.equation.singular_points() {
        let place = match p.place {
            Place::Finite(x) => super::complex(x),
            Place::Infinity => "∞".into(),
        };
        let kind = match p.kind {
            Kind::Ordinary => "ordinary",
            Kind::Apparent => "apparent",
            Kind::Regular { logarithm: true } => "regular, with a logarithm",
            Kind::Regular { logarithm: false } => "regular",
            Kind::Irregular => "irregular",
        };
        let exponents = match p.kind {
            Kind::Irregular => String::new(),
            _ => format!(", exponents {} and {}", super::complex(p.exponents[0]), super::complex(p.exponents[1])),
        };
        out += &format!("  {z} = {place}: {kind}{exponents}\n");
    }
    out
}

/// What is below this is rounding of double-doubles.
const NOISE: f64 = 1e-27;

pub(super) fn digits(x: Dd) -> String {
    let x = x.to_f64();
    if x.abs() < NOISE { "0".into() } else { format!("{x}") }
}

/// Gains below this are rounding of quadratures over a period.
const BACK: f64 = 1e-24;

fn motion(solution: &mut Solution) -> String {
    let graph = &solution.reduced.system.graph;
    let shape = &solution.reduced.shape;
    let name = print::unicode_symbol(graph, shape.variable);
    let motion = match &solution.motion {
        Ok(motion) => motion,
        Err(why) => {
            let mut out = format!("\n{}\n  {why}\n", bold("motion"));
            if let Some(m) = &solution.at_pole {
                out += &format!("  steady there: {}\n", steady::stability(m));
                for f in m.spectrum.frequencies() {
                    out += &format!("  small oscillations have the frequency {} rad per unit of time\n", digits(f));
                }
            }
            return out;
        }
    };
    let mut out = format!("\n{}\n", bold("the motion from the initial state"));
    if let Some(c) = &solution.constants {
        let added = match c.particular.to_f64() {
            0.0 => String::new(),
            _ => format!(" + y₀\n  y₀ = {}: the constant solution", digits(c.particular)),
        };
        out += &format!("  y = {}{added}\n", basis(&c.basis));
        out += &format!("  C₁ = {}\n  C₂ = {}\n", digits(c.values[0]), digits(c.values[1]));
    } else if super::is_solved_by_equation(solution) {
        out +=
            "  no C₁ and C₂: the right side of the equation has no constant solution, or no basis reaches the start\n";
    }
    for (symbol, value) in &motion.levels {
        let letter = print::unicode_symbol(graph, *symbol);
        out += &format!("  {letter} = {}: a function of the position that keeps its value\n", digits(*value));
    }
    out += &format!("  energy {}\n  {name}: {}\n", digits(motion.energy), course(solution, &motion.course));
    if let Some(o) = motion.course.periodic().filter(|o| solution.lasts(o.period)) {
        if matches!(motion.course, Course::Oscillation(_)) {
            out += &format!("  turning points {} and {}\n", digits(o.turning[0]), digits(o.turning[1]));
        }
        let frequency = Dd::PI * Dd::from(2.0) / o.period;
        out += &format!("  period {}, frequency {} rad per unit of time\n", digits(o.period), digits(frequency));
        for (q, gain) in shape.quadratures.iter().zip(&o.advances) {
            let name = print::unicode_name(&q.name);
            // of angles that run there and back rounding is left
            let gain = if gain.to_f64().abs() < BACK { Dd::ZERO } else { *gain };
            let mean = gain / o.period;
            out += &format!("  {name} gains {} in a period, {} on average\n", digits(gain), digits(mean));
        }
    }
    out
}

/// The whole motion where it returns, and the values at the times asked for.
fn whole(solution: &Solution) -> String {
    let mut out = solution.whole.section();
    let (shape, system) = (&solution.reduced.shape, &solution.reduced.system);
    let known = 1 + shape.quadratures.iter().filter(|q| q.position.is_some()).count();
    let positions: usize = system.configuration.factors().iter().map(|f| f.positions.len()).sum();
    if let (true, true, Err(why)) = (out.is_empty(), known < positions, &solution.whole.found) {
        out += &format!(
            "\n{}\n  what is above has values, the other coordinates have none: {why}\n",
            bold("the whole motion")
        );
    }
    if !solution.samples.is_empty() {
        out += &format!("\n{}\n", bold("values"));
    }
    for (i, (t, state)) in solution.samples.iter().enumerate() {
        out += &format!("  t = {t}\n");
        for (name, value) in sampled(solution, i, state.as_ref()) {
            out += &format!("    {} = {}\n", print::unicode_name(&name), digits(value));
        }
    }
    out
}

/// The values at the i-th time: all of them where the motion returns or ends, the reduced ones otherwise.
fn sampled(solution: &Solution, i: usize, state: Option<&State>) -> Vec<(String, Dd)> {
    match (solution.whole.named_values(i), &solution.motion, state) {
        (Some(values), _, _) => values,
        (None, Ok(motion), Some(state)) => named_values(solution, motion, state),
        _ => Vec::new(),
    }
}

/// s, ṡ, w and the quadratures of a state by name.
pub(super) fn named_values(solution: &Solution, motion: &Motion, state: &State) -> Vec<(String, Dd)> {
    let (shape, graph) = (&solution.reduced.shape, &solution.reduced.system.graph);
    let mut out = vec![(graph.name(shape.variable).to_string(), state.s)];
    for ((q, origin), gained) in shape.quadratures.iter().zip(&motion.origins).zip(&state.gained) {
        out.push((q.name.clone(), *origin + *gained));
    }
    out.push((graph.name(shape.speed).to_string(), state.speed));
    for (u, w) in shape.unknowns.iter().zip(&state.w) {
        out.push((graph.name(u.symbol).to_string(), *w));
    }
    let mut lifted = motion.clone();
    for (q, rate) in shape.quadratures.iter().zip(lifted.rates(state)) {
        let name = format!("{}'", q.name);
        if out.iter().all(|(n, _)| *n != name) {
            out.push((name, rate));
        }
    }
    out
}

fn basis(basis: &Basis) -> String {
    match basis {
        Basis::Legendre { second_kind, slope, offset, .. } => {
            let xi = match (slope.to_f64(), offset.to_f64()) {
                (1.0, 0.0) => "z".to_string(),
                (s, o) => format!("{s} z + {o}"),
            };
            if *second_kind {
                format!("C₁ P_ν({xi}) + C₂ Q_ν({xi})")
            } else {
                format!("C₁ P_ν({xi}) + C₂ P_ν(−({xi}))").replace("−(z)", "−z")
            }
        }
        Basis::EvenOdd(_) => "C₁ (even solution, 1 at 0) + C₂ (odd solution, slope 1 at 0)".into(),
        Basis::Frobenius { at, solutions } => {
            let [r1, r2] = solutions.first().exponents().map(super::complex);
            format!(
                "C₁ y₁ + C₂ y₂, Frobenius' solutions at the singular point {}, exponents {r1} and {r2}",
                digits(*at)
            )
        }
        Basis::Start { at, .. } => {
            format!(
                "C₁ (1, slope 0) + C₂ (0, slope 1) at the start {}: C₁ and C₂ are y and its slope there",
                digits(*at)
            )
        }
    }
}

/// What the shape variable does, as long as the motion lasts.
pub(super) fn course(solution: &Solution, course: &Course) -> String {
    match (solution.whole.ending(), course.periodic()) {
        (Some(ending), Some(o)) if !solution.lasts(o.period) => {
            format!("does not come back: the motion ends at t = {}", ending.end_text())
        }
        _ => course_in_words(course),
    }
}

/// What the shape variable does.
pub(super) fn course_in_words(course: &Course) -> String {
    match course {
        Course::Oscillation(o) if o.passes_pole => {
            "oscillates, through a pole of its interval and back: beyond it the angle is counted on".into()
        }
        Course::Oscillation(_) => "oscillates".into(),
        Course::Circulation(_) => "goes round; the other velocities are the same after a turn".into(),
        Course::Steady { frequency_squared, .. } => {
            let f = frequency_squared.to_f64();
            if f > 0.0 {
                format!("steady; small oscillations have the frequency {} rad per unit of time", f.sqrt())
            } else {
                format!("steady; deviations grow with the rate {}", (-f).sqrt())
            }
        }
        Course::Separatrix { toward } => {
            format!("comes to rest at {} after infinite time: a separatrix, no period", digits(*toward))
        }
        Course::ReachesEnd { at } => {
            format!("comes to the end {} of its interval, where the linear equations have a pole", digits(*at))
        }
        Course::Lost { at } => {
            format!("was followed to {} and no farther: no turning point, no period", digits(*at))
        }
        Course::GoesRound => {
            "goes round; the other velocities are not the same after a turn, so that a turn is no period".into()
        }
        Course::Unbounded { upward } => {
            format!("no turning point was found to {} values", if *upward { "larger" } else { "smaller" })
        }
        Course::Unresolved { between, error } => {
            let place = match between {
                Some([a, b]) => format!("oscillates between {} and {}", digits(*a), digits(*b)),
                None => "goes round".into(),
            };
            let left = if *error < 1.0 {
                format!("period and angles are known to {error:.0e} only")
            } else {
                "its period is not known".into()
            };
            format!("{place}, but so near to a separatrix or a pole that {left}: no values from here")
        }
    }
}

/// A page of a paper: formulas, the values of their letters, and what the motion does.
pub(super) fn latex(solution: &mut Solution) -> String {
    let mut out = latex::heading(&kind(solution));
    for section in &solution.sections {
        out += &latex::formula(&section.title, &section.latex(&solution.reduced.system.graph));
        if section.key == "second_order" {
            out += &latex::sentences(singular_points(solution).lines().skip(1));
        }
    }
    if let Some(c) = &solution.constants {
        let (functions, defined) = match &c.basis {
            Basis::Legendre { second_kind, slope, offset, .. } => {
                let xi = match (slope.to_f64(), offset.to_f64()) {
                    (1.0, 0.0) => "z".to_string(),
                    (s, o) => format!("{s} z + {o}"),
                };
                let functions = match (second_kind, xi.as_str()) {
                    (true, _) => format!("C_1 P_\\nu({xi}) + C_2 Q_\\nu({xi})"),
                    (false, "z") => "C_1 P_\\nu(z) + C_2 P_\\nu(-z)".into(),
                    (false, _) => format!("C_1 P_\\nu({xi}) + C_2 P_\\nu(-({xi}))"),
                };
                (functions, degree(solution))
            }
            _ => ("C_1 y_1 + C_2 y_2".into(), None),
        };
        let [c1, c2] = c.values.map(digits);
        let constants = [("y", functions), ("C_1", c1), ("C_2", c2)];
        let rows = constants.into_iter().chain(defined.map(|nu| ("\\nu", nu)));
        let rows: Vec<String> = rows.map(|(letter, value)| format!("{letter} &= {value}")).collect();
        out += &latex::formula("solution", &format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n")));
        if !matches!(c.basis, Basis::Legendre { .. }) {
            out += &latex::sentences([format!("y = {}", basis(&c.basis)).as_str()]);
        }
    }
    // of the page for people, what is not a heading and was not said above
    let said = motion(solution);
    out += &latex::sentences(said.lines().skip(2).filter(|l| {
        let line = l.trim_start();
        !line.starts_with("y = ") && !line.starts_with("C₁ = ") && !line.starts_with("C₂ = ")
    }));
    for (i, (t, state)) in solution.samples.iter().enumerate() {
        out += &returns::latex_values(*t, &sampled(solution, i, state.as_ref()));
    }
    if let Some(classical) = &solution.classical {
        out += &classical.latex();
    }
    latex::undotted(&out)
}

/// The degree of Legendre's equation, typeset.
fn degree(solution: &Solution) -> Option<String> {
    use polhode::special::ode::Recognised;
    match &solution.equation.as_ref()?.rational.as_ref()?.recognised {
        Recognised::Legendre { degree, .. } => Some(super::complex(*degree).replace('−', "-")),
        Recognised::Heun { in_square, .. } | Recognised::Fuchsian { in_square, .. } => match in_square.as_deref()? {
            Recognised::Legendre { degree, .. } => Some(super::complex(*degree).replace('−', "-")),
            _ => None,
        },
        _ => None,
    }
}
