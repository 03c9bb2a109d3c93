//! The motion from an initial state: turning points, period, frequencies, and the reduced state at any time.
//!
//! V_eff is followed along the solution of (L1) from s₀ to both sides until E − V_eff vanishes. Between two turning points s oscillates (`phase.rs`).
//! What else there is has a name of its own in [`Course`].

mod course;
mod excess;
mod open;
mod start;
mod turning;

use super::continuation::{Continuation, End};
use super::phase::{Local, Phase};
use super::second_order::along_s;
use super::shape::Shape;
pub use course::{Course, NoMotion, Oscillation, State};
use excess::Excess;
use open::Open;
use polhode_expr::{Expr, Symbol};
use polhode_lower::{dd, lower_functions};
use polhode_mechanics::{System, initial_state};
use polhode_model::Model;
use polhode_tape::{Dd, Interpreter, Scalar};
use start::{Ends, constants, ends, start};

/// Digits of the initial values.
const DIGITS: usize = 45;

/// Oscillations smaller than this, relative to the scale of s, are steady motions as far as double-doubles tell.
const STEADY: f64 = 1e-13;

/// Slopes below this, relative to what they are sums of, are zero but for the rounding of the initial state.
const ROUNDED: f64 = 1e-29;

/// w counts as the same after a turn when it is to this, relative to its size.
const SAME: f64 = 1e-24;

/// w is known up to a pole when it was followed as near to it as this: points of the series are never nearer.
const AT_END: f64 = 1e-12;

/// A motion of a [`Shape`].
#[derive(Clone, Debug)]
pub struct Motion {
    /// At t = 0.
    pub start: State,
    /// The values of the coordinates at t = 0 that follow by quadrature; zero for angles that are none of the model.
    pub origins: Vec<Dd>,
    /// E.
    pub energy: Dd,
    /// The values of the [levels](Shape::levels).
    pub levels: Vec<(Symbol, Dd)>,
    /// What s does.
    pub course: Course,
    continuation: Continuation,
    excess: Excess,
    reach: Reach,
    open: Option<Open>,         // an s that goes away
    effective: Interpreter<Dd>, // s, w → G, V_eff and its first and second derivative along (L1)
    rates: Interpreter<Dd>,     // s, ṡ, w → rates of the quadratures
}

/// How s is brought to where w was followed.
#[derive(Clone, Copy, Debug)]
enum Reach {
    /// It is there.
    Plain,
    /// By full turns, to those from here on.
    Turns(Dd),
    /// By reflection at 0 and π, where w is even.
    Poles,
}

impl Reach {
    /// The place, and whether it is a mirror image.
    fn of(self, s: Dd) -> (Dd, bool) {
        let turn = Dd::PI * Dd::from(2.0);
        let rest = |x: Dd| x - turn * Dd::from((x / turn).to_f64().floor());
        match self {
            Reach::Plain => (s, false),
            Reach::Turns(base) => (base + rest(s - base), false),
            Reach::Poles => {
                let s = rest(s);
                if s > Dd::PI { (turn - s, true) } else { (s, false) }
            }
        }
    }
}

/// G, V_eff, V_eff′, V_eff″.
struct Effective {
    inertia: Dd,
    value: Dd,
    slope: Dd,
    second: Dd,
}

impl Effective {
    fn new(functions: &mut Interpreter<Dd>, inputs: &[Dd]) -> Effective {
        let mut out = [Dd::ZERO; 4];
        functions.call(inputs, &mut out);
        Effective { inertia: out[0], value: out[1], slope: out[2], second: out[3] }
    }
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
        let ends = ends(system, model, shape)?;
        let start = start(system, shape, &ends, &mut values)?;
        let (numbers, levels) = constants(system, shape, &values)?;
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
        let distance = graph.symbol("ln_distance");
        let near: Vec<Symbol> = std::iter::once(distance).chain(symbols[1..].iter().copied()).collect();
        let field: Vec<Expr> = shape.unknowns.iter().map(|u| along[&u.symbol]).collect();
        let by_distance = ends.by_distance(graph, shape.variable, distance, &field);
        let mut tape = |inputs: &[Symbol], outputs: Vec<Expr>| {
            let outputs = graph.substitute_all(&outputs, &numbers);
            lower_functions(graph, inputs, &outputs).map_err(NoMotion::NotLowered)
        };
        let field = tape(&symbols, field)?;
        let [at_low, at_high] = by_distance;
        let mut end = |at: Option<Dd>, rates: Option<Vec<Expr>>| match (at, rates) {
            (Some(at), Some(rates)) => Ok(Some(End { at, tape: tape(&near, rates)? })),
            _ => Ok(None),
        };
        let poles = [end(ends.low, at_low)?, end(ends.high, at_high)?];
        let effective = tape(&symbols, vec![shape.inertia, shape.potential, slope, second])?;
        let rates = tape(&with_speed, shape.quadratures.iter().map(|q| q.rate).collect())?;

        if let Some(at) = ends.at(start.s) {
            return Err(NoMotion::AtEnd { variable: system.graph.name(shape.variable).to_string(), at });
        }
        let mut effective = Interpreter::new(&effective);
        let mut inputs = vec![start.s];
        inputs.extend(&start.w);
        let here = Effective::new(&mut effective, &inputs);
        if ![here.inertia, here.value, here.slope].iter().all(|x| x.is_finite()) {
            return Err(NoMotion::SingularStart);
        }
        let kinetic = Dd::from(0.5) * here.inertia * start.speed * start.speed;
        let longest = 0.25 * scale(start.s);
        let even = shape.cosine.is_some() && is_even(system, shape);
        let mut motion = Motion {
            origins,
            energy: kinetic + here.value,
            levels,
            course: Course::GoesRound,
            continuation: Continuation::new(&field, poles, start.s, start.w.clone(), longest),
            excess: Excess::new(kinetic),
            reach: Reach::Plain,
            open: None,
            effective,
            rates: Interpreter::new(&rates),
            start,
        };
        motion.course = motion.follow(&here, kinetic, &ends, even);
        Ok(motion)
    }

    fn effective(&mut self, s: Dd) -> Effective {
        let (s, mirrored) = self.reach.of(s);
        let mut inputs = vec![s];
        inputs.extend(self.continuation.at(s));
        let mut here = Effective::new(&mut self.effective, &inputs);
        if mirrored {
            here.slope = -here.slope;
        }
        here
    }

    fn local(&mut self, s: Dd) -> Local {
        let here = self.effective(s);
        let (excess, noise) = self.excess_and_noise(s);
        Local { slope: here.slope, inertia: here.inertia, excess, noise }
    }

    /// V_eff at s, in doubles.
    pub fn potential(&mut self, s: f64) -> f64 {
        self.effective(Dd::from(s)).value.to_f64()
    }

    /// How far w is known, and V_eff with it: as far as it was followed, mirror images and further turns included.
    pub fn known(&self) -> [f64; 2] {
        let [low, high] = [false, true].map(|upward| self.continuation.reached(upward).to_f64());
        match self.reach {
            Reach::Plain => [low, high],
            Reach::Turns(_) => [f64::NEG_INFINITY, f64::INFINITY],
            Reach::Poles => {
                let pi = std::f64::consts::PI;
                [if low < AT_END { -high } else { low }, if high > pi - AT_END { 2.0 * pi - low } else { high }]
            }
        }
    }

    fn follow(&mut self, here: &Effective, kinetic: Dd, ends: &Ends, even: bool) -> Course {
        let s0 = self.start.s;
        // how far a harmonic oscillation would go
        let amplitude = {
            let (k, f, v) = (here.second.to_f64(), here.slope.to_f64(), kinetic.to_f64());
            if k > 0.0 { ((f / k).powi(2) + 2.0 * v / k).sqrt() } else { f64::INFINITY }
        };
        // an angle such as π/2 is a number of 32 digits, and the slope there no exact zero
        let zero = ROUNDED * (here.second.to_f64().abs() * scale(s0) + here.value.to_f64().abs() / scale(s0));
        let at_rest = here.slope.to_f64().abs() <= zero && kinetic.to_f64() == 0.0;
        if amplitude < STEADY * ends.room(s0) || at_rest {
            let frequency_squared = here.second / here.inertia;
            return Course::Steady { amplitude: if at_rest { 0.0 } else { amplitude }, frequency_squared };
        }
        let resting = kinetic == Dd::ZERO;
        let forward = if resting { here.slope.to_f64() < 0.0 } else { self.start.speed.to_f64() > 0.0 };
        let mut turning = [s0; 2];
        let mut passes = [false; 2];
        let mut unseen = 0.0f64;
        // what lies ahead comes first
        for upward in [forward, !forward] {
            // at rest on a slope: the start is one of the turning points
            if resting && upward != forward {
                continue;
            }
            match self.turning(upward, ends) {
                Ok(s) => turning[usize::from(upward)] = s,
                Err(Course::ReachesEnd { at }) if even && self.came_to(at, upward) => {
                    passes[usize::from(upward)] = true;
                    unseen = unseen.max(self.unseen_wall(at, upward, ends.room(s0)));
                }
                Err(Course::GoesRound) if self.same_after_a_turn(upward) => {
                    self.reach = Reach::Turns(if upward { s0 } else { self.continuation.reached(false) });
                    return self.circulation(false);
                }
                Err(course) => {
                    if let Course::Unbounded { upward } = course {
                        // what lies behind is looked at when there is a turning point ahead
                        let ahead = turning[usize::from(forward)];
                        let turning = (resting || upward != forward).then_some(if resting { s0 } else { ahead });
                        self.open = Some(Open { turning, upward });
                    }
                    return course;
                }
            }
        }
        let whole = Dd::PI * Dd::from(2.0);
        let mut walls = self.walls(ends, turning);
        if passes != [false; 2] {
            self.reach = Reach::Poles;
            walls = [None; 2];
        }
        match passes {
            [true, true] => return self.circulation(true).blurred(unseen),
            [true, false] => turning[0] = -turning[1],
            [false, true] => turning[1] = whole - turning[0],
            [false, false] => {}
        }
        self.oscillation(turning, walls).blurred(unseen)
    }

    /// Places next to an oscillation where V_eff has poles: the ends of the interval, and 0 or π for an angle that has them there.
    fn walls(&mut self, ends: &Ends, [a, b]: [Dd; 2]) -> [Option<Dd>; 2] {
        if !ends.angle || ends.low.is_some() {
            return [ends.low, ends.high];
        }
        let half_turns = |s: Dd, up: bool| {
            let n = (s / Dd::PI).to_f64();
            Dd::PI * Dd::from(if up { n.ceil() } else { n.floor() })
        };
        let pole = |m: &mut Motion, at: Dd, side: f64| {
            let mut slope_at = |distance: f64| {
                let mut inputs = vec![at + Dd::from(side * distance)];
                inputs.extend(&m.start.w);
                Effective::new(&mut m.effective, &inputs).slope.to_f64().abs()
            };
            // as 1/σ³ or 1/σ², and not as a constant
            let far = slope_at(1e-6);
            (slope_at(1e-12) > 1e6 * far && far > 0.0).then_some(at)
        };
        [pole(self, half_turns(a, false), 1.0), pole(self, half_turns(b, true), -1.0)]
    }

    /// Whether w was followed as far as an end.
    fn came_to(&self, end: Dd, upward: bool) -> bool {
        (self.continuation.reached(upward) - end).to_f64().abs() <= AT_END
    }

    /// Whether w has come back, a full turn to one side.
    fn same_after_a_turn(&self, upward: bool) -> bool {
        let turned = self.continuation.at(self.continuation.reached(upward));
        let size = self.start.w.iter().fold(f64::MIN_POSITIVE, |m, w| m.max(w.to_f64().abs()));
        self.start.w.iter().zip(turned).all(|(a, b)| (*a - b).to_f64().abs() <= SAME * size)
    }

    fn oscillation(&mut self, turning: [Dd; 2], walls: [Option<Dd>; 2]) -> Course {
        let (mut first, mut second) = (self.clone(), self.clone());
        let mut rates = |s: Dd, speed: Dd| second.rates_at(s, speed);
        match Phase::between(turning, walls, self.start.s, &mut |s| first.local(s), &mut rates) {
            Ok(phase) => Course::Oscillation(Box::new(self.period_of(phase, turning))),
            Err(e) => Course::Unresolved { between: Some(turning), error: e.error },
        }
    }

    /// A full turn.
    fn circulation(&mut self, poles: bool) -> Course {
        let (start, upward) = (self.start.s, self.start.speed.to_f64() >= 0.0);
        let (mut first, mut second) = (self.clone(), self.clone());
        let mut rates = |s: Dd, speed: Dd| second.rates_at(s, speed);
        match Phase::round(start, upward, &mut |s| first.local(s), &mut rates) {
            Ok(phase) => {
                let turn = Dd::PI * Dd::from(2.0);
                let found = self.period_of(phase, if upward { [start, start + turn] } else { [start - turn, start] });
                Course::Circulation(Box::new(Oscillation { passes_pole: poles, ..found }))
            }
            Err(e) => Course::Unresolved { between: None, error: e.error },
        }
    }

    fn period_of(&self, phase: Phase, turning: [Dd; 2]) -> Oscillation {
        let chi = phase.angle(self.start.s, self.start.speed.to_f64() >= 0.0);
        Oscillation {
            turning,
            passes_pole: matches!(self.reach, Reach::Poles),
            period: phase.period(),
            advances: phase.quadratures.iter().map(|q| q.advance()).collect(),
            error: phase.error,
            points: phase.points,
            offset: phase.time(chi),
            origins: phase.quadratures.iter().map(|q| q.integral(chi)).collect(),
            phase,
        }
    }

    /// The reduced state at a time; `None` where s does not oscillate, is not steady and does not go away without end.
    pub fn at(&mut self, t: Dd) -> Option<State> {
        match &self.course {
            Course::Steady { .. } => {
                let rates = self.rates_at(self.start.s, self.start.speed);
                let gained = rates.iter().map(|r| *r * t).collect();
                Some(State { gained, ..self.start.clone() })
            }
            Course::Oscillation(o) | Course::Circulation(o) => {
                let total = t + o.offset;
                let periods = Dd::from((total / o.period).to_f64().floor());
                let chi = o.phase.angle_at(total - periods * o.period);
                let (s, speed) = o.phase.state(chi);
                // an angle that goes round is counted on
                let turned = if matches!(self.course, Course::Circulation(_)) {
                    periods * (o.turning[1] - o.turning[0])
                } else {
                    Dd::ZERO
                };
                let turned = if speed.to_f64() < 0.0 { -turned } else { turned };
                let gained = (o.phase.quadratures.iter().zip(&o.origins))
                    .map(|(q, origin)| periods * q.advance() + (q.integral(chi) - *origin))
                    .collect();
                let w = self.continuation.at(self.reach.of(s).0);
                Some(State { s: s + turned, speed, w, gained })
            }
            _ => self.open.and_then(|open| self.open_at(open, t)),
        }
    }

    /// The rates of the quadratures at (s, ṡ), with w as it is at s.
    fn rates_at(&mut self, s: Dd, speed: Dd) -> Vec<Dd> {
        let (s, mirrored) = self.reach.of(s);
        let mut inputs = vec![s, if mirrored { -speed } else { speed }];
        inputs.extend(self.continuation.at(s));
        let mut out = vec![Dd::ZERO; self.rates.tape().outputs.len()];
        self.rates.call(&inputs, &mut out);
        out
    }

    /// The rates of the quadratures in a state.
    pub fn rates(&mut self, state: &State) -> Vec<Dd> {
        self.rates_at(state.s, state.speed)
    }
}

fn scale(s: Dd) -> f64 {
    s.to_f64().abs().max(1.0)
}

/// Whether G and V_eff are even in θ and M is odd, so that a solution that is regular at θ = 0 or π goes on as its mirror image. For a body
/// with an edge V_eff has a sin θ, and they are not.
fn is_even(system: &mut System, shape: &Shape) -> bool {
    let graph = &mut system.graph;
    let theta = graph.var(shape.variable);
    let sine = graph.sin(theta);
    let minus = graph.neg(sine);
    let entries = shape.matrix.entries().iter().chain(&shape.affine).copied();
    let functions: Vec<Expr> = [shape.inertia, shape.potential].into_iter().chain(entries).collect();
    let mirrored = graph.rebuild(&functions, |_, n| (n == sine).then_some(minus));
    functions.iter().zip(mirrored).enumerate().all(|(k, (f, m))| {
        let difference = if k < 2 { system.graph.sub(*f, m) } else { system.graph.add(*f, m) };
        system.is_zero(difference)
    })
}
