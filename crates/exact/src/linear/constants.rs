//! C₁ and C₂: the solution of the second-order equation in the basis that its name suggests.
//!
//! ```text
//! Legendre's equation of degree ν:      y = C₁ P_ν(ξ) + C₂ P_ν(−ξ)          ν no integer; otherwise P_ν and Q_ν
//! an equation even in z, z = 0 ordinary: y = C₁ (1 + …) + C₂ (z + …)         the even and the odd solution
//! a real singular point, real exponents: y = C₁ y₁ + C₂ y₂                   Frobenius' solutions at the nearest one
//! other equations:                      y = C₁ (1 + …) + C₂ ((z − z₀) + …)  C₁ = y and C₂ = dy/dz at the start z₀
//! ```
//!
//! Where z = 0 is an apparent singular point of an even equation, both solutions are even and there is no odd one. A right side that is a multiple of p₀ has
//! a constant y for a particular solution, which is added.
//!
//! They are the two linear integrals of the motion: y and y′ at the initial state determine them, linearly in the velocities.

use super::motion::State;
use super::second_order::{InRational, SecondOrder, branches};
use super::shape::Shape;
use polhode_expr::eval::Digits;
use polhode_expr::{Reading, Symbol};
use polhode_lower::{dd, lower_functions};
use polhode_mechanics::System;
use polhode_mechanics::rank::parameter_values;
use polhode_model::DIGITS;
use polhode_special::Complex;
use polhode_special::legendre::{legendre_p, legendre_p_derivative, legendre_q, legendre_q_derivative};
use polhode_special::ode::{Equation, Place, Recognised, Solutions};
use polhode_tape::{Dd, Interpreter, Scalar};

/// Which solutions C₁ and C₂ multiply.
#[derive(Clone, Debug)]
pub enum Basis {
    /// P_ν(ξ) and P_ν(−ξ) with ξ = `slope` z + `offset`; Q_ν(ξ) in the place of the second where ν is an integer.
    Legendre {
        /// ν.
        degree: Complex<Dd>,
        /// Whether the second solution is Q_ν.
        second_kind: bool,
        /// ξ = slope z + offset.
        slope: Dd,
        /// The same.
        offset: Dd,
    },
    /// The even and the odd solution at z = 0, on its positive side.
    EvenOdd(Box<Solutions<Dd>>),
    /// Frobenius' solutions at a singular point: y₁ belongs to the larger exponent.
    Frobenius {
        /// Where.
        at: Dd,
        /// Both.
        solutions: Box<Solutions<Dd>>,
    },
    /// The solutions with y = 1, y′ = 0 and with y = 0, y′ = 1 at the start.
    Start {
        /// Where.
        at: Dd,
        /// Both, for larger and for smaller z.
        solutions: Box<[Solutions<Dd>; 2]>,
    },
}

/// C₁ and C₂ with their basis.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The basis.
    pub basis: Basis,
    /// C₁ and C₂.
    pub values: [Dd; 2],
    /// A constant solution of the equation with its right side, which is added; 0 for a homogeneous equation.
    pub particular: Dd,
}

impl Basis {
    /// Both solutions and their derivatives by z.
    pub fn at(&self, z: Dd) -> [[Dd; 2]; 2] {
        match self {
            Basis::Legendre { degree, second_kind, slope, offset } => {
                let x = *slope * z + *offset;
                let (p, dp) = (legendre_p(*degree, x).re, legendre_p_derivative(*degree, x).re);
                let (q, dq) = if *second_kind {
                    (legendre_q(*degree, x).re, legendre_q_derivative(*degree, x).re)
                } else {
                    (legendre_p(*degree, -x).re, -legendre_p_derivative(*degree, -x).re)
                };
                [[p, dp * *slope], [q, dq * *slope]]
            }
            Basis::EvenOdd(solutions) => {
                let v = solutions.evaluate(z.abs());
                let (even, odd) = ([v.y[1].re, v.dy[1].re], [v.y[0].re, v.dy[0].re]);
                if z < Dd::ZERO { [[even[0], -even[1]], [-odd[0], odd[1]]] } else { [even, odd] }
            }
            Basis::Frobenius { solutions, .. } => {
                let v = solutions.evaluate(z);
                [[v.y[0].re, v.dy[0].re], [v.y[1].re, v.dy[1].re]]
            }
            Basis::Start { at, solutions } => {
                // downward the second solution begins with t = −(z − z₀)
                let (v, sign) =
                    if z < *at { (solutions[1].evaluate(z), -Dd::ONE) } else { (solutions[0].evaluate(z), Dd::ONE) };
                [[v.y[1].re, v.dy[1].re], [v.y[0].re * sign, v.dy[0].re * sign]]
            }
        }
    }
}

impl Constants {
    /// y and dy/dz.
    pub fn unknown(&self, z: Dd) -> [Dd; 2] {
        let [a, b] = self.basis.at(z);
        let [y, slope] = [0, 1].map(|k| self.values[0] * a[k] + self.values[1] * b[k]);
        [y + self.particular, slope]
    }

    /// Those of a state, for a homogeneous equation or one with a constant solution; `None` where the basis does not reach there.
    pub fn new(system: &mut System, shape: &Shape, equation: &SecondOrder, state: &State) -> Option<Constants> {
        let rational = equation.rational.as_ref()?;
        let particular = particular(system, rational)?;
        let [y, slope] = unknown_at(system, shape, equation, state)?;
        let (z, dz) = rational.variable.at(state.s);
        let (y, dy) = (y - particular, slope / dz);
        [known_basis, start_basis].iter().find_map(|basis| {
            let basis = basis(rational, z)?;
            let [a, b] = basis.at(z);
            let wronskian = a[0] * b[1] - b[0] * a[1];
            let values = [(y * b[1] - dy * b[0]) / wronskian, (a[0] * dy - a[1] * y) / wronskian];
            values.iter().all(|c| c.is_finite()).then_some(Constants { basis, values, particular })
        })
    }
}

/// y with p₀ y = p₂F/z′², where that is a number.
fn particular(system: &mut System, rational: &InRational) -> Option<Dd> {
    let right = rational.right?;
    if system.graph.is_zero(right) {
        return Some(Dd::ZERO);
    }
    let [.., p0] = rational.polynomials;
    if system.graph.is_zero(p0) {
        return None;
    }
    let ratio = system.graph.div(right, p0);
    let reading = Reading { parameters: system.parameters.clone() };
    let ratio = system.graph.simplify(ratio, &reading);
    let values = system.model.parameter_digits().ok()?;
    if system.graph.free_symbols(&[ratio]).iter().any(|s| !values.contains_key(s)) {
        return None;
    }
    let value = system.graph.evaluate(&Digits::decimal(DIGITS), &[ratio], &values).ok()?.remove(0);
    Some(dd(&value))
}

/// y and dy/ds in a state.
fn unknown_at(system: &mut System, shape: &Shape, equation: &SecondOrder, state: &State) -> Option<[Dd; 2]> {
    let along = super::second_order::along_s(system, shape);
    let slope = system.graph.along(equation.unknown, &along);
    let numbers = parameter_values(system);
    let both = system.graph.substitute_all(&[equation.unknown, slope], &numbers);
    let symbols: Vec<Symbol> = std::iter::once(shape.variable).chain(shape.unknowns.iter().map(|u| u.symbol)).collect();
    let tape = lower_functions(&system.graph, &symbols, &both).ok()?;
    let mut inputs = vec![state.s];
    inputs.extend(&state.w);
    let mut out = [Dd::ZERO; 2];
    Interpreter::new(&tape).call(&inputs, &mut out);
    Some(out)
}

/// Legendre functions, the even and the odd solution, or those of a singular point.
fn known_basis(rational: &InRational, z: Dd) -> Option<Basis> {
    if let Recognised::Legendre { degree, order, map } = &rational.recognised
        && *order == Complex::default()
        && map.pole == Place::Infinity
        && rational.is_plain()
        && let (Place::Finite(one), Place::Finite(minus)) = (map.zero, map.one)
        && one.is_real()
        && minus.is_real()
    {
        // ξ = 1 at the point that goes to 0, −1 at the one that goes to 1
        let slope = Dd::from(2.0) / (one.re - minus.re);
        let offset = Dd::ONE - slope * one.re;
        let x = slope * z + offset;
        let integer = degree.is_real() && degree.re.to_f64().fract() == 0.0;
        if x.to_f64().abs() < 1.0 {
            return Some(Basis::Legendre { degree: *degree, second_kind: integer, slope, offset });
        }
    }
    let equation = &rational.equation;
    let singular = real_singular_points(equation);
    let past = |from: Dd| z + (z - from);
    // an even equation has the singular points x and −x
    let reach = singular.iter().map(|(x, _)| x.abs()).min_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
    let zero = Place::Finite(Complex::default());
    let ordinary = equation.singular_points().iter().all(|p| p.place != zero);
    if ordinary && equation.in_square().is_some() && reach.is_none_or(|r| r > z.abs()) {
        let end = reach.unwrap_or(Dd::ONE + Dd::from(2.0) * z.abs());
        let solutions = equation.solve(Dd::ZERO, end).ok()?;
        return Some(Basis::EvenOdd(Box::new(solutions)));
    }
    let (at, real) = nearest(&singular, |x| x != z, z)?;
    if !real {
        return None;
    }
    let end = nearest_beyond(&singular, at, z).unwrap_or_else(|| past(at));
    let solutions = equation.solve(at, end).ok()?;
    Some(Basis::Frobenius { at, solutions: Box::new(solutions) })
}

/// The solutions that y and y′ at the start multiply.
fn start_basis(rational: &InRational, z: Dd) -> Option<Basis> {
    let equation = &rational.equation;
    let singular = real_singular_points(equation);
    let solved = |upward: bool| {
        let end = nearest(&singular, |x| if upward { x > z } else { x < z }, z).map(|(x, _)| x);
        let far = Dd::ONE + Dd::from(2.0) * z.abs();
        let far = if upward { z + far } else { z - far };
        // not to an irregular point itself
        let ends = end.map_or([far; 2], |end| [end, (z + end) * Dd::from(0.5)]);
        ends.iter().find_map(|end| equation.solve(z, *end).ok())
    };
    let both = [solved(true)?, solved(false)?];
    let exponents = both[0].first().exponents();
    let ordinary = exponents[0] == Complex::from(Dd::ONE) && exponents[1] == Complex::default();
    ordinary.then(|| Basis::Start { at: z, solutions: Box::new(both) })
}

/// The real points where solutions branch, and whether the exponents are real.
fn real_singular_points(equation: &Equation<Dd>) -> Vec<(Dd, bool)> {
    (equation.singular_points().iter())
        .filter(|p| branches(p.kind))
        .filter_map(|p| match p.place {
            Place::Finite(x) if x.is_real() => Some((x.re, p.exponents.iter().all(|r| r.is_real()))),
            _ => None,
        })
        .collect()
}

fn nearest(singular: &[(Dd, bool)], allowed: impl Fn(Dd) -> bool, z: Dd) -> Option<(Dd, bool)> {
    let distance = |x: &(Dd, bool)| (x.0 - z).abs().to_f64();
    singular.iter().copied().filter(|x| allowed(x.0)).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// The singular point on the other side of z from `from`.
fn nearest_beyond(singular: &[(Dd, bool)], from: Dd, z: Dd) -> Option<Dd> {
    nearest(singular, |x| if z > from { x > z } else { x < z }, z).map(|(x, _)| x)
}
