//! Motions without charts, and what formulas say along them.
//!
//! A [`Motion`] is a rolling body as Polhode knows it: a rotation R, a spin Ω, the points of contact c and c₁ as vectors, and
//! the frame equation for Ω̇. It contains no parameter of a surface, no angle ϑ and no formula of the paper. It is
//! integrated in 31 digits. A quantity of the paper, say u, is a function of (R, c, c₁), given as an expression;
//! its rates u̇, ü, … are the exact derivatives of that expression along
//!
//! ```text
//! Ṙ = R Ω̂,   ċ = V,   ċ₁ = R V,   Ω̇ = frame equation
//! ```
//!
//! and nothing is differenced. [`Motion::letter`] gives a name to a quantity together with its rates, so that a formula of
//! the paper can be written in u, v, u̇, … as if they were variables, differentiated partially, and then
//! evaluated in 45 digits at the states of the motion.

use super::algebra::{V, X, letter, put, with};
use crate::prelude::*;
use polhode_expr::Rates;
use polhode_expr::eval::{Arithmetic, Digits, EvalError, Real};
use polhode_tape::{Dd, Scalar};
use std::sync::{Arc, Mutex, OnceLock};

/// Digits of the evaluation.
const DIGITS: usize = 45;
/// An equation holds when its sides agree so well, relative to the larger one and to 1.
const ZERO: f64 = 1e-26;
/// An equation fails when its sides are so far apart at one state at least.
const FAR: f64 = 1e-3;
/// A quantity that is to be compared has at least this size at one state at least, or the comparison says nothing.
const SIZE: f64 = 1e-4;

/// A rolling body in motion.
pub(crate) struct Motion {
    rates: Rates,
    states: Vec<Vec<(Symbol, Real)>>,
    digits: Digits,
    /// The rows of R, body to world.
    rotation: [V; 3],
    /// The point of contact in body axes.
    pub(crate) c: V,
    /// The point of contact in the world.
    pub(crate) c1: V,
    /// The centre of mass in the world.
    pub(crate) centre: V,
    /// The angular velocity in body axes.
    pub(crate) omega: V,
    /// The rates of the angular velocity in body axes.
    pub(crate) omega_rate: V,
    /// The force of the ground on the body in body axes.
    pub(crate) reaction: V,
    drawn: u64,
}

/// A model that has been derived and integrated.
struct Solved {
    graph: Graph,
    rates: Rates,
    velocities: Vec<Symbol>,
    accelerations: Vec<Expr>,
    forces: Vec<Expr>,
    states: Vec<Vec<(Symbol, Real)>>,
    /// The points of contact in body and world.
    points: [[Expr; 3]; 2],
}

/// What the tests of a file have solved, by text and times: most of them look at the same motions.
type Known = Mutex<Vec<(String, Vec<f64>, Arc<OnceLock<Solved>>)>>;

fn solved(text: &str, times: &[f64]) -> Arc<OnceLock<Solved>> {
    static KNOWN: Known = Mutex::new(Vec::new());
    let cell = {
        let mut known = KNOWN.lock().expect("no test fails here");
        let found = known.iter().find(|(t, at, _)| t == text && at == times).map(|k| k.2.clone());
        found.unwrap_or_else(|| {
            let cell = Arc::new(OnceLock::new());
            known.push((text.to_string(), times.to_vec(), cell.clone()));
            cell
        })
    };
    cell.get_or_init(|| Solved::new(text, times));
    cell
}

impl Solved {
    fn new(text: &str, times: &[f64]) -> Solved {
        let (model, _) =
            Model::parse("body.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
        let digits = Digits::decimal(DIGITS);
        let start = initial_state(&mut system, &model).unwrap_or_else(|e| panic!("{e}")).expect("an initial state");
        let start: Vec<(Symbol, Real)> =
            start.digits.iter().map(|(s, x)| (*s, digits.number(&digits.exact(x)))).collect();

        let equations = system.equations(Form::Hamel).unwrap_or_else(|e| panic!("{e}"));
        let accelerations = equations.accelerations(&mut system);
        let configuration = system.configuration.clone();
        let forces = equations.in_velocities(&mut system.graph, &configuration, &equations.reaction_force);
        let velocities = configuration.velocities().to_vec();
        let mut rates = configuration.motion(&mut system.graph, system.time);
        rates.extend(velocities.iter().copied().zip(accelerations.iter().copied()));

        let later: Vec<f64> = times.iter().copied().filter(|t| *t != 0.0).collect();
        let mut states = if later.len() < times.len() { vec![start.clone()] } else { Vec::new() };
        if !later.is_empty() {
            let end = later.iter().copied().fold(0.0, f64::max);
            let run = Run::until(end).at(later.iter().copied()).sparse().precision(Precision::DoubleDouble);
            let solution = system.compile().unwrap_or_else(|e| panic!("{e}")).solve(&run).expect("sound");
            assert_eq!(solution.samples.len(), later.len(), "{:?}", solution.report.stop);
            let real = |x: Dd| digits.double(x.to_f64()) + digits.double((x - Dd::from(x.to_f64())).to_f64());
            for sample in &solution.samples {
                let value =
                    |s: &Symbol, before: &Real| sample.get_digits(system.graph.name(*s)).map_or(before.clone(), real);
                states.push(start.iter().map(|(s, x)| (*s, value(s, x))).collect());
            }
        }
        let points = model.contacts[..][0].sides.each_ref().map(|side| side.point);
        Solved { graph: system.graph, rates, velocities, accelerations, forces, states, points }
    }
}

impl Motion {
    /// The motion of a model at some times. Time 0 is the initial state itself, in all digits.
    pub(crate) fn new(text: &str, times: &[f64]) -> Motion {
        let cell = solved(text, times);
        let Solved { graph, rates, velocities, accelerations, forces, states, points } = cell.get().expect("solved");
        put(graph.clone());
        let [c, c1] = points.map(|p| V(p.map(X::new)));
        let omega = V::named("Omega");
        let place = |name: &str| {
            let symbol = letter(name).symbol();
            velocities.iter().position(|v| *v == symbol).unwrap_or_else(|| panic!("no velocity {name}"))
        };
        let vector = |name: &str, from: &[Expr]| V([1, 2, 3].map(|i| X::new(from[place(&format!("{name}[{i}]"))])));
        let mut motion = Motion {
            rates: rates.clone(),
            states: states.clone(),
            digits: Digits::decimal(DIGITS),
            rotation: [1, 2, 3].map(|i| V([1, 2, 3].map(|j| letter(&format!("R[{i},{j}]"))))),
            c,
            c1,
            centre: V::named("x_O"),
            omega,
            omega_rate: vector("Omega", accelerations),
            reaction: vector("V", forces),
            drawn: 0,
        };
        // The velocity of the centre follows from the others.
        let speed = motion.evaluate(&c.cross(omega).0);
        let symbols = V::named("V").0.map(X::symbol);
        for (state, values) in motion.states.iter_mut().zip(speed) {
            state.retain(|(s, _)| !symbols.contains(s));
            state.extend(symbols.into_iter().zip(values));
        }
        motion
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// R v.
    pub(crate) fn world(&self, v: V) -> V {
        V(self.rotation.map(|row| row.dot(v)))
    }

    /// Rᵀ v.
    pub(crate) fn body(&self, v: V) -> V {
        let [p, q, r] = self.rotation;
        v[0] * p + v[1] * q + v[2] * r
    }

    /// d/dt.
    pub(crate) fn rate(&self, x: X) -> X {
        X::new(with(|g| g.along(x.expr(), &self.rates)))
    }

    /// d/dt, entry by entry.
    pub(crate) fn rate_of(&self, v: V) -> V {
        v.map(|x| self.rate(x))
    }

    /// A name for a quantity and its rates up to an order: u, u', u'', … A rate of higher order has no value, and a formula
    /// that needs it cannot be evaluated.
    pub(crate) fn letter(&mut self, name: &str, quantity: X, order: usize) -> X {
        let mut derivatives = vec![quantity];
        for k in 0..order {
            derivatives.push(self.rate(derivatives[k]));
        }
        let symbols: Vec<X> = (0..=order + 1).map(|k| letter(&format!("{name}{}", "'".repeat(k)))).collect();
        for (state, values) in self.evaluate(&derivatives).into_iter().enumerate() {
            let known = &mut self.states[state];
            known.extend(symbols.iter().map(|s| s.symbol()).zip(values));
        }
        for pair in symbols.windows(2) {
            self.rates.insert(pair[0].symbol(), pair[1].expr());
        }
        // the rate of the last one that has a value has none, and its own rate is itself, not zero
        let last = symbols[order + 1];
        self.rates.insert(last.symbol(), last.expr());
        symbols[0]
    }

    /// A constant, at each state +1 or −1 as the quantity is positive or negative there.
    pub(crate) fn sign(&mut self, name: &str, quantity: X) -> X {
        let symbol = letter(name).symbol();
        for (state, x) in self.values(quantity).into_iter().enumerate() {
            let sign = if x > Real::ZERO { 1.0 } else { -1.0 };
            let value = self.digits.double(sign);
            self.states[state].push((symbol, value));
        }
        letter(name)
    }

    /// A quantity that may have any value: another one at each state.
    pub(crate) fn free(&mut self, name: &str) -> X {
        let symbol = letter(name).symbol();
        for state in &mut self.states {
            // multiples of the golden ratio, between ±1 and not near 0
            self.drawn += 1;
            let x = 2.0 * (self.drawn as f64 * 0.618_033_988_749_895).fract() - 1.0;
            state.push((symbol, self.digits.double(x + 0.2 * x.signum())));
        }
        self.rates.insert(symbol, letter(&format!("rate of {name}")).expr());
        letter(name)
    }

    /// The values of some quantities, state by state.
    fn evaluate(&self, quantities: &[X]) -> Vec<Vec<Real>> {
        let roots: Vec<Expr> = quantities.iter().map(|x| x.expr()).collect();
        let at = |state: &Vec<(Symbol, Real)>| {
            let map = state.iter().cloned().collect();
            with(|g| {
                g.evaluate(&self.digits, &roots, &map).unwrap_or_else(|e| match e {
                    EvalError::Unbound(s) => panic!("no value of {}", g.name(s)),
                    e => panic!("{e}"),
                })
            })
        };
        self.states.iter().map(at).collect()
    }

    /// The values at all states.
    pub(crate) fn values(&self, x: X) -> Vec<Real> {
        self.evaluate(&[x]).into_iter().map(|mut v| v.swap_remove(0)).collect()
    }

    /// The values at all states in doubles.
    pub(crate) fn doubles(&self, x: X) -> Vec<f64> {
        self.values(x).iter().map(|x| x.to_f64().value()).collect()
    }

    /// The value at the first state as a decimal.
    pub(crate) fn text(&self, x: X) -> String {
        let value = self.values(x).swap_remove(0).with_base_and_precision::<10>(DIGITS + 5).value();
        format!("{value:.DIGITS$}")
    }

    /// For each pair, at the worst state each: |a − b| relative to the larger one and to 1, and the larger one.
    fn compare(&self, pairs: &[(X, X)]) -> Vec<(f64, f64)> {
        let all: Vec<X> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let mut out = vec![(0f64, 0f64); pairs.len()];
        for values in self.evaluate(&all) {
            for (i, (error, size)) in out.iter_mut().enumerate() {
                let (a, b) = (&values[2 * i], &values[2 * i + 1]);
                let difference = (a - b).to_f64().value().abs();
                let larger = a.to_f64().value().abs().max(b.to_f64().value().abs());
                *error = error.max(difference / larger.max(1.0));
                *size = size.max(larger);
            }
        }
        out
    }

    /// Two sides of an equation that holds.
    #[track_caller]
    pub(crate) fn holds(&self, label: &str, a: X, b: X) {
        let (error, size) = self.compare(&[(a, b)])[0];
        assert!(error < ZERO, "{label}: off by {error:e}");
        assert!(size > SIZE, "{label}: both sides are zero, which says nothing");
    }

    /// [`Motion::holds`] for vectors.
    #[track_caller]
    pub(crate) fn hold(&self, label: &str, a: V, b: V) {
        let parts = self.compare(&[0, 1, 2].map(|i| (a[i], b[i])));
        for (i, (error, _)) in parts.iter().enumerate() {
            assert!(*error < ZERO, "{label}, {}: off by {error:e}", i + 1);
        }
        assert!(parts.iter().any(|p| p.1 > SIZE), "{label}: both sides are zero, which says nothing");
    }

    /// Two sides of an equation that does not hold, such as a misprinted one.
    #[track_caller]
    pub(crate) fn fails(&self, label: &str, a: X, b: X) {
        let (error, _) = self.compare(&[(a, b)])[0];
        assert!(error > FAR, "{label} should not hold, but is off by {error:e} only");
    }

    /// A quantity that is zero.
    #[track_caller]
    pub(crate) fn vanishes(&self, label: &str, a: X) {
        let (error, _) = self.compare(&[(a, X::from(0))])[0];
        assert!(error < ZERO, "{label}: {error:e} instead of 0");
    }

    /// A quantity that has the same value at all states.
    #[track_caller]
    pub(crate) fn constant(&self, label: &str, a: X) {
        let spread = self.spread(a);
        assert!(spread < ZERO, "{label} varies by {spread:e}");
    }

    /// A quantity that has different values at different states.
    #[track_caller]
    pub(crate) fn varies(&self, label: &str, a: X) {
        let spread = self.spread(a);
        assert!(spread > FAR, "{label} varies by {spread:e} only");
    }

    fn spread(&self, a: X) -> f64 {
        assert!(self.len() > 1, "one state does not vary");
        let values = self.values(a);
        let first = values[0].to_f64().value().abs().max(1.0);
        values.iter().map(|x| (x - &values[0]).to_f64().value().abs() / first).fold(0.0, f64::max)
    }
}
