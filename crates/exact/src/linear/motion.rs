//! The motion from an initial state: turning points, period, frequencies, and the reduced state at any time.
//!
//! V_eff is followed along the solution of (L1) from s₀ to both sides until E − V_eff vanishes. Between two turning points s oscillates (`phase.rs`).
//! What else there is has a name of its own in [`Course`].

use super::continuation::Continuation;
use super::phase::{Local, Phase};
use super::second_order::along_s;
use super::shape::Shape;
use polhode_base::Diagnostics;
use polhode_expr::eval::{Digits, EvalError, Real};
use polhode_expr::{Expr, Symbol};
use polhode_lower::{NotLowered, dd, lower_functions};
use polhode_mechanics::{System, doctor, initial_state};
use polhode_model::{Kind, Model};
use polhode_tape::{Dd, Interpreter, Scalar};
use rustc_hash::FxHashMap;
use std::fmt;

/// Digits of the initial values.
const DIGITS: usize = 45;

/// Places within a step where E − V_eff is looked at.
const LOOKS: usize = 12;

/// Steps of (L1) to one side.
const MOST_STEPS: usize = 400;

/// Oscillations smaller than this, relative to the scale of s, are steady motions as far as double-doubles tell.
const STEADY: f64 = 1e-13;

/// Slopes below this, relative to what they are sums of, are zero but for the rounding of the initial state.
const ROUNDED: f64 = 1e-29;

/// Below this amplitude E − V_eff is an integral of V_eff′ and no difference.
const SMALL: f64 = 1e-2;

/// V_eff counts as touching E, and not crossing it, when it comes this near, relative to its scale.
const TOUCHING: f64 = 1e-22;

/// Why a motion has no initial state or no numbers.
#[derive(Clone, Debug)]
pub enum NoMotion {
    /// The model gives no initial state.
    NoInitialState,
    /// It is wrong.
    Rejected(Diagnostics),
    /// A value does not exist at the initial state.
    Undefined(EvalError),
    /// A function has no numbers.
    NotLowered(NotLowered),
    /// The initial state is where the equations (L1) have a pole.
    SingularStart,
}

impl fmt::Display for NoMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMotion::NoInitialState => f.write_str("the model has no initial state"),
            NoMotion::Rejected(d) => {
                f.write_str(d.iter().next().map_or("the initial state is wrong", |d| d.message.as_str()))
            }
            NoMotion::Undefined(e) => e.fmt(f),
            NoMotion::NotLowered(e) => e.fmt(f),
            NoMotion::SingularStart => f.write_str("the linear equations have a pole at the initial state"),
        }
    }
}

impl std::error::Error for NoMotion {}

/// What s does.
#[derive(Clone, Debug)]
pub enum Course {
    /// It oscillates between two turning points.
    Oscillation(Box<Oscillation>),
    /// It stays where it is.
    Steady {
        /// How far it goes, at most: zero but for rounding.
        amplitude: f64,
        /// The angular frequency of small oscillations, squared; negative where they grow.
        frequency_squared: Dd,
    },
    /// It comes to rest at a maximum of V_eff, in infinite time.
    Separatrix {
        /// Where.
        toward: Dd,
    },
    /// It comes to the end of its interval, where (L1) has a pole.
    ReachesEnd {
        /// Which end.
        at: Dd,
    },
    /// An angle that goes round: the other velocities are not the same after a turn.
    GoesRound,
    /// No turning point was found to one side.
    Unbounded {
        /// To larger values?
        upward: bool,
    },
    /// Turning points were found, but one of them is too near to a separatrix or to a pole for series.
    Unresolved {
        /// The turning points.
        turning: [Dd; 2],
        /// What the last coefficients of the series are, relative to the mean.
        error: f64,
    },
}

impl Course {
    /// A word for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Course::Oscillation(_) => "oscillation",
            Course::Steady { .. } => "steady",
            Course::Separatrix { .. } => "separatrix",
            Course::ReachesEnd { .. } => "reaches-end",
            Course::GoesRound => "goes-round",
            Course::Unbounded { .. } => "unbounded",
            Course::Unresolved { .. } => "unresolved",
        }
    }
}

/// An oscillation of s.
#[derive(Clone, Debug)]
pub struct Oscillation {
    /// The turning points, the smaller first.
    pub turning: [Dd; 2],
    /// The period.
    pub period: Dd,
    /// What every quadrature gains in a period.
    pub advances: Vec<Dd>,
    /// The error of the period that the last coefficients of the series suggest, relative.
    pub error: f64,
    /// Points on half a period that were needed.
    pub points: usize,
    phase: Phase,
    offset: Dd,       // the time since the lower turning point at t = 0
    origins: Vec<Dd>, // the quadratures there
}

/// The reduced state at a time.
#[derive(Clone, Debug)]
pub struct State {
    /// s.
    pub s: Dd,
    /// ṡ.
    pub speed: Dd,
    /// w.
    pub w: Vec<Dd>,
    /// What the quadratures have gained since t = 0.
    pub gained: Vec<Dd>,
}

/// A motion of a [`Shape`].
#[derive(Clone, Debug)]
pub struct Motion {
    /// At t = 0.
    pub start: State,
    /// The values of the coordinates at t = 0 that follow by quadrature; zero for angles that are none of the model.
    pub origins: Vec<Dd>,
    /// E.
    pub energy: Dd,
    /// What s does.
    pub course: Course,
    continuation: Continuation,
    effective: Interpreter<Dd>, // s, w → G, V_eff and its first and second derivative along (L1)
    rates: Interpreter<Dd>,     // s, ṡ, w → rates of the quadratures
}

/// G, V_eff, V_eff′, V_eff″.
struct Effective {
    inertia: Dd,
    value: Dd,
    slope: Dd,
    second: Dd,
}

impl Motion {
    /// The motion of a model from its initial state.
    pub fn new(system: &mut System, model: &Model, shape: &Shape) -> Result<Motion, NoMotion> {
        let initial = match initial_state(system, model) {
            Ok(Some(state)) => state,
            Ok(None) => return Err(NoMotion::NoInitialState),
            Err(rejected) => return Err(NoMotion::Rejected(rejected.diagnostics)),
        };
        let mut values = initial.digits;
        let start = start(system, shape, &mut values)?;
        let numbers = constants(system, shape, &values)?;
        let origins: Vec<Dd> =
            (shape.quadratures.iter()).map(|q| q.position.and_then(|s| values.get(&s)).map_or(Dd::ZERO, dd)).collect();

        let along = along_s(system, shape);
        let graph = &mut system.graph;
        let slope = graph.along(shape.potential, &along);
        let second = graph.along(slope, &along);
        let symbols: Vec<Symbol> =
            std::iter::once(shape.variable).chain(shape.unknowns.iter().map(|u| u.symbol)).collect();
        let mut with_speed = symbols.clone();
        with_speed.insert(1, shape.speed);
        let mut tape = |inputs: &[Symbol], outputs: Vec<Expr>| {
            let outputs = graph.substitute_all(&outputs, &numbers);
            lower_functions(graph, inputs, &outputs).map_err(NoMotion::NotLowered)
        };
        let field = tape(&symbols, shape.unknowns.iter().map(|u| along[&u.symbol]).collect())?;
        let effective = tape(&symbols, vec![shape.inertia, shape.potential, slope, second])?;
        let rates = tape(&with_speed, shape.quadratures.iter().map(|q| q.rate).collect())?;

        let longest = 0.25 * scale(start.s);
        let continuation = Continuation::new(&field, start.s, start.w.clone(), longest);
        let mut motion = Motion {
            origins,
            energy: Dd::ZERO,
            course: Course::GoesRound,
            continuation,
            effective: Interpreter::new(&effective),
            rates: Interpreter::new(&rates),
            start,
        };
        let here = motion.effective(motion.start.s);
        if ![here.inertia, here.value, here.slope].iter().all(|x| x.is_finite()) {
            return Err(NoMotion::SingularStart);
        }
        motion.energy = Dd::from(0.5) * here.inertia * motion.start.speed * motion.start.speed + here.value;
        let ends = ends(system, model, shape)?;
        motion.course = motion.follow(&here, ends);
        Ok(motion)
    }

    fn effective(&mut self, s: Dd) -> Effective {
        let mut inputs = vec![s];
        inputs.extend(self.continuation.at(s));
        let mut out = [Dd::ZERO; 4];
        self.effective.call(&inputs, &mut out);
        Effective { inertia: out[0], value: out[1], slope: out[2], second: out[3] }
    }

    /// V_eff at s, in doubles.
    pub fn potential(&mut self, s: f64) -> f64 {
        self.effective(Dd::from(s)).value.to_f64()
    }

    /// How far w was followed: V_eff is known there.
    pub fn known(&self) -> [f64; 2] {
        [self.continuation.reached(false).to_f64(), self.continuation.reached(true).to_f64()]
    }

    fn follow(&mut self, here: &Effective, ends: Ends) -> Course {
        let s0 = self.start.s;
        let kinetic = Dd::from(0.5) * here.inertia * self.start.speed * self.start.speed;
        // how far a harmonic oscillation would go
        let amplitude = {
            let (k, f, v) = (here.second.to_f64(), here.slope.to_f64(), kinetic.to_f64());
            if k > 0.0 { ((f / k).powi(2) + 2.0 * v / k).sqrt() } else { f64::INFINITY }
        };
        let small = amplitude < SMALL * scale(s0);
        // an angle such as π/2 is a number of 32 digits, and the slope there no exact zero
        let zero = ROUNDED * (here.second.to_f64().abs() * scale(s0) + here.value.to_f64().abs() / scale(s0));
        let at_rest = here.slope.to_f64().abs() <= zero && kinetic.to_f64() == 0.0;
        if amplitude < STEADY * scale(s0) || at_rest {
            let frequency_squared = here.second / here.inertia;
            return Course::Steady { amplitude: if at_rest { 0.0 } else { amplitude }, frequency_squared };
        }
        let depth = kinetic.to_f64().abs().max((here.slope.to_f64() * scale(s0)).abs()).max(1e-300);
        let excess = Excess { start: s0, kinetic, small, depth };
        let mut turning = [s0; 2];
        for upward in [false, true] {
            // at rest on a slope: the start is one of the turning points
            if kinetic == Dd::ZERO && (here.slope.to_f64() > 0.0) == upward {
                continue;
            }
            match self.turning(&excess, upward, &ends) {
                Ok(s) => turning[usize::from(upward)] = s,
                Err(course) => return course,
            }
        }
        self.oscillation(turning)
    }

    /// E − V_eff.
    fn excess(&mut self, of: &Excess, s: Dd) -> Dd {
        if !of.small {
            return self.energy - self.effective(s).value;
        }
        let (middle, half) = ((of.start + s) * Dd::from(0.5), (s - of.start) * Dd::from(0.5));
        let mut sum = Dd::ZERO;
        for (x, weight) in gauss() {
            sum = sum + *weight * (self.effective(middle - half * *x).slope + self.effective(middle + half * *x).slope);
        }
        of.kinetic - sum * half
    }

    /// The first zero of E − V_eff to one side.
    fn turning(&mut self, of: &Excess, upward: bool, ends: &Ends) -> Result<Dd, Course> {
        let end = ends.to(upward, of.start);
        let mut below = of.start;
        for _ in 0..MOST_STEPS {
            let Ok((from, to)) = self.continuation.extend(upward, end) else {
                return Err(ends.course(upward));
            };
            for k in 1..=LOOKS {
                let s = from + (to - from) * Dd::ratio(k as i64, LOOKS as i64);
                let x = self.excess(of, s);
                if !x.is_finite() {
                    return Err(ends.course(upward));
                }
                if x.to_f64() <= 0.0 {
                    return self.refined(of, below, s);
                }
                self.touches(of, below, s)?;
                below = s;
            }
            if to == end {
                return Err(ends.course(upward));
            }
        }
        Err(ends.course(upward))
    }

    /// A minimum of E − V_eff between two places, where it is as good as zero.
    fn touches(&mut self, of: &Excess, from: Dd, to: Dd) -> Result<(), Course> {
        let rising = |m: &mut Motion, s: Dd| m.effective(s).slope.to_f64() * (to - from).to_f64();
        if !(rising(self, from) > 0.0 && rising(self, to) < 0.0) {
            return Ok(());
        }
        // V_eff has a maximum between them
        let (mut low, mut high) = (from, to);
        for _ in 0..110 {
            let middle = (low + high) * Dd::from(0.5);
            if rising(self, middle) > 0.0 { low = middle } else { high = middle }
        }
        let left = self.excess(of, low).to_f64();
        if left.abs() <= TOUCHING * of.depth {
            return Err(Course::Separatrix { toward: low });
        }
        Ok(())
    }

    /// The zero between a place where E − V_eff is positive and one where it is not.
    fn refined(&mut self, of: &Excess, inside: Dd, outside: Dd) -> Result<Dd, Course> {
        let (mut low, mut high) = (inside, outside);
        for _ in 0..60 {
            let middle = (low + high) * Dd::from(0.5);
            if self.excess(of, middle).to_f64() > 0.0 { low = middle } else { high = middle }
        }
        let mut s = low;
        for _ in 0..4 {
            let (x, slope) = (self.excess(of, s), self.effective(s).slope);
            let next = s + x / slope;
            if !next.is_finite() || (next - s).to_f64().abs() > 2.0 * (high - low).to_f64().abs() {
                break;
            }
            s = next;
        }
        // a zero of E − V_eff and of its slope at once is reached in infinite time
        let here = self.effective(s);
        let reach = here.slope.to_f64().powi(2);
        if here.second.to_f64() < 0.0 && reach <= TOUCHING * of.depth * here.second.to_f64().abs() {
            return Err(Course::Separatrix { toward: s });
        }
        Ok(s)
    }

    fn oscillation(&mut self, turning: [Dd; 2]) -> Course {
        let continuation = &self.continuation;
        let (effective, rates) = (&mut self.effective, &mut self.rates);
        let mut local = |s: Dd| {
            let mut inputs = vec![s];
            inputs.extend(continuation.at(s));
            let mut out = [Dd::ZERO; 4];
            effective.call(&inputs, &mut out);
            Local { slope: out[2], inertia: out[0] }
        };
        let count = rates.tape().outputs.len();
        let mut rates = |s: Dd, speed: Dd| {
            let mut inputs = vec![s, speed];
            inputs.extend(continuation.at(s));
            let mut out = vec![Dd::ZERO; count];
            rates.call(&inputs, &mut out);
            out
        };
        let phase = match Phase::new(turning, &mut local, &mut rates) {
            Ok(phase) => phase,
            Err(e) => return Course::Unresolved { turning, error: e.error },
        };
        let chi = phase.angle(self.start.s, self.start.speed.to_f64() >= 0.0);
        let origins = phase.quadratures.iter().map(|q| q.integral(chi)).collect();
        Course::Oscillation(Box::new(Oscillation {
            turning,
            period: phase.period(),
            advances: phase.quadratures.iter().map(|q| q.advance()).collect(),
            error: phase.error,
            points: phase.points,
            offset: phase.time(chi),
            origins,
            phase,
        }))
    }

    /// The reduced state at a time; `None` where s does not oscillate and is not steady.
    pub fn at(&mut self, t: Dd) -> Option<State> {
        match &self.course {
            Course::Steady { .. } => {
                let rates = self.rates_at(self.start.s, self.start.speed, &self.start.w.clone());
                let gained = rates.iter().map(|r| *r * t).collect();
                Some(State { gained, ..self.start.clone() })
            }
            Course::Oscillation(o) => {
                let total = t + o.offset;
                let periods = Dd::from((total / o.period).to_f64().floor());
                let chi = o.phase.angle_at(total - periods * o.period);
                let (s, speed) = o.phase.state(chi);
                let gained = (o.phase.quadratures.iter().zip(&o.origins))
                    .map(|(q, origin)| periods * q.advance() + (q.integral(chi) - *origin))
                    .collect();
                let w = self.continuation.at(s);
                Some(State { s, speed, w, gained })
            }
            _ => None,
        }
    }

    fn rates_at(&mut self, s: Dd, speed: Dd, w: &[Dd]) -> Vec<Dd> {
        let mut inputs = vec![s, speed];
        inputs.extend(w);
        let mut out = vec![Dd::ZERO; self.rates.tape().outputs.len()];
        self.rates.call(&inputs, &mut out);
        out
    }

    /// The rates of the quadratures in a state.
    pub fn rates(&mut self, state: &State) -> Vec<Dd> {
        self.rates_at(state.s, state.speed, &state.w)
    }
}

/// How E − V_eff is computed.
struct Excess {
    start: Dd,
    kinetic: Dd,
    small: bool,
    depth: f64,
}

/// Where s may go.
struct Ends {
    low: Option<Dd>,
    high: Option<Dd>,
    angle: bool,
}

impl Ends {
    fn to(&self, upward: bool, start: Dd) -> Dd {
        let reach = Dd::from(if self.angle { 2.0 * std::f64::consts::PI } else { 1e3 * scale(start) });
        let end = if upward { self.high } else { self.low };
        end.unwrap_or(if upward { start + reach } else { start - reach })
    }

    fn course(&self, upward: bool) -> Course {
        match (if upward { self.high } else { self.low }, self.angle) {
            (Some(at), _) => Course::ReachesEnd { at },
            (None, true) => Course::GoesRound,
            (None, false) => Course::Unbounded { upward },
        }
    }
}

/// The interval of the variable.
fn ends(system: &mut System, model: &Model, shape: &Shape) -> Result<Ends, NoMotion> {
    if shape.cosine.is_some() {
        return Ok(Ends { low: Some(Dd::ZERO), high: Some(Dd::PI), angle: true });
    }
    if shape.place.is_some() {
        return Ok(Ends { low: Some(Dd::ZERO), high: None, angle: false });
    }
    let values = model.parameter_digits().map_err(NoMotion::Undefined)?;
    let arithmetic = Digits::decimal(DIGITS);
    let factor = system.configuration.factors().iter().find(|f| f.positions.contains(&shape.variable));
    Ok(match factor.map(|f| f.kind.clone()) {
        Some(Kind::Interval(low, high)) => {
            let ends = system.graph.evaluate(&arithmetic, &[low, high], &values).map_err(NoMotion::Undefined)?;
            Ends { low: Some(dd(&ends[0])), high: Some(dd(&ends[1])), angle: false }
        }
        Some(Kind::Angle) => Ends { low: None, high: None, angle: true },
        _ => Ends { low: None, high: None, angle: false },
    })
}

fn scale(s: Dd) -> f64 {
    s.to_f64().abs().max(1.0)
}

/// s, ṡ and w at the start; an s that is no coordinate joins the values.
fn start(system: &mut System, shape: &Shape, values: &mut FxHashMap<Symbol, Real>) -> Result<State, NoMotion> {
    let arithmetic = Digits::decimal(DIGITS);
    if let Some(place) = shape.place {
        let value = system.graph.evaluate(&arithmetic, &[place], values).map_err(NoMotion::Undefined)?.remove(0);
        values.insert(shape.variable, value);
    }
    let mut wanted = vec![system.graph.var(shape.variable), shape.speed_definition];
    wanted.extend(shape.unknowns.iter().map(|u| u.definition));
    let found = system.graph.evaluate(&arithmetic, &wanted, values).map_err(NoMotion::Undefined)?;
    let found: Vec<Dd> = found.iter().map(dd).collect();
    let gained = vec![Dd::ZERO; shape.quadratures.len()];
    Ok(State { s: found[0], speed: found[1], w: found[2..].to_vec(), gained })
}

/// Numbers for the parameters and for the levels.
fn constants(
    system: &mut System,
    shape: &Shape,
    values: &FxHashMap<Symbol, Real>,
) -> Result<FxHashMap<Symbol, Expr>, NoMotion> {
    let arithmetic = Digits::decimal(DIGITS);
    let mut out = doctor::parameter_values(system);
    for (symbol, function) in &shape.levels {
        let value = system.graph.evaluate(&arithmetic, &[*function], values).map_err(NoMotion::Undefined)?.remove(0);
        // a level that is zero but for rounding was meant to be zero
        let exact = if value.to_f64().value().abs() < 1e-30 {
            system.graph.zero()
        } else {
            let r = arithmetic.exact(&value);
            system.graph.number(r)
        };
        out.insert(*symbol, exact);
    }
    Ok(out)
}

/// Positive nodes and weights of Gauss and Legendre's rule with 20 points, for double-doubles: the error for an analytic function on
/// a short interval is below their resolution.
fn gauss() -> &'static [(Dd, Dd)] {
    static RULE: std::sync::OnceLock<Vec<(Dd, Dd)>> = std::sync::OnceLock::new();
    RULE.get_or_init(|| {
        let n = 20;
        (0..n / 2)
            .map(|i| {
                let mut x = Dd::from((std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos());
                let mut slope = Dd::ONE;
                for _ in 0..6 {
                    // P_n and P_n′ by recurrence
                    let (mut p, mut before) = (x, Dd::ONE);
                    for k in 2..=n {
                        let k = Dd::from(k as f64);
                        let next = ((k + k - Dd::ONE) * x * p - (k - Dd::ONE) * before) / k;
                        (before, p) = (p, next);
                    }
                    slope = Dd::from(n as f64) * (x * p - before) / (x * x - Dd::ONE);
                    x = x - p / slope;
                }
                let weight = Dd::from(2.0) / ((Dd::ONE - x * x) * slope * slope);
                (x, weight)
            })
            .collect()
    })
}
