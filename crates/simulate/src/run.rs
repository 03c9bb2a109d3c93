//! What a run is asked to do.

pub use polhode_model::{Method, Precision};
use polhode_tape::{Dd, Scalar};
use std::fmt;

/// The relative tolerance of Taylor series when nothing else is said.
pub const DEFAULT_RTOL: f64 = 1e-14;

/// The same for DOP853, whose estimate of the error is less strict.
pub const DOP853_RTOL: f64 = 1e-15;

/// The smallest relative tolerance that doubles can follow. Taylor series with a smaller one run in double-doubles.
pub const SMALLEST_RTOL: f64 = 2.3e-16;

/// The relative tolerance of double-doubles when nothing else is said.
pub const EXTENDED_RTOL: f64 = 1e-31;

/// Steps after which a run ends when nothing else is said.
pub const STEP_LIMIT: u64 = 100_000_000;

/// What a run is asked to do.
///
/// ```
/// use polhode_simulate::Run;
/// let run = Run::until(10.0).at([1.0, 5.0]).rtol(1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Final time. Times are double-doubles, so that 0.1 can mean one tenth in a run of 30 digits.
    pub until: Dd,
    /// Times to report.
    pub at: Vec<Dd>,
    /// How many more times to report, evenly spaced from the start to the end, both included.
    pub samples: usize,
    /// Which integrator.
    pub method: Method,
    /// Relative tolerance of one step.
    pub rtol: Option<f64>,
    /// Absolute tolerance of one step.
    pub atol: Option<f64>,
    /// Step size of the methods with a fixed one.
    pub step: Option<f64>,
    /// Which numbers.
    pub precision: Precision,
    /// Restore the constraints after every step.
    pub project: bool,
    /// Keep the motion between the reported times.
    pub dense: bool,
    /// Give up after this many steps.
    pub step_limit: u64,
    /// Scalars to integrate over time, by name.
    pub integrals: Vec<String>,
}

impl Run {
    /// A run to a final time with everything else as usual.
    pub fn until(t: impl Into<Dd>) -> Run {
        Run {
            until: t.into(),
            at: Vec::new(),
            samples: 0,
            method: Method::Auto,
            rtol: None,
            atol: None,
            step: None,
            precision: Precision::Double,
            project: false,
            dense: true,
            step_limit: STEP_LIMIT,
            integrals: Vec::new(),
        }
    }

    /// Reports these times.
    pub fn at<T: Into<Dd>>(mut self, times: impl IntoIterator<Item = T>) -> Run {
        self.at.extend(times.into_iter().map(Into::into));
        self
    }

    /// Reports this many evenly spaced times.
    pub fn samples(mut self, count: usize) -> Run {
        self.samples = count;
        self
    }

    /// With this integrator.
    pub fn method(mut self, method: Method) -> Run {
        self.method = method;
        self
    }

    /// With this relative tolerance.
    pub fn rtol(mut self, tolerance: f64) -> Run {
        self.rtol = Some(tolerance);
        self
    }

    /// With this absolute tolerance.
    pub fn atol(mut self, tolerance: f64) -> Run {
        self.atol = Some(tolerance);
        self
    }

    /// With this step, for the methods that have a fixed one.
    pub fn step(mut self, step: f64) -> Run {
        self.step = Some(step);
        self
    }

    /// In these numbers.
    pub fn precision(mut self, precision: Precision) -> Run {
        self.precision = precision;
        self
    }

    /// With the constraints restored after every step.
    pub fn project(mut self) -> Run {
        self.project = true;
        self
    }

    /// Integrating this scalar over time, as the length of a curve from its speed: by Gauss's rule of four points on every
    /// step.
    pub fn integrate(mut self, name: &str) -> Run {
        self.integrals.push(name.to_owned());
        self
    }

    /// Keeping only the reported times.
    pub fn sparse(mut self) -> Run {
        self.dense = false;
        self
    }

    /// The numbers: double-doubles where they are asked for, and where doubles cannot follow the tolerance.
    pub fn chosen_precision(&self) -> Precision {
        match self.rtol {
            Some(x) if x < f64::EPSILON && self.chosen_method() == Method::Taylor => Precision::DoubleDouble,
            _ => self.precision,
        }
    }

    /// The integrator, chosen if that is left to us.
    pub fn chosen_method(&self) -> Method {
        match self.method {
            Method::Auto if self.rtol.unwrap_or(DEFAULT_RTOL) > 1e-8 && self.precision == Precision::Double => {
                Method::Dop853
            }
            Method::Auto => Method::Taylor,
            method => method,
        }
    }

    /// All times to report, in the order in which they are reached.
    pub fn times(&self) -> Vec<Dd> {
        let mut times = self.at.clone();
        let n = self.samples;
        let step = if n > 1 { self.until / Dd::from((n - 1) as f64) } else { Dd::ZERO };
        times.extend((0..n).map(|i| if i + 1 == n { self.until } else { step * Dd::from(i as f64) }));
        times.sort_by(|a, b| a.partial_cmp(b).expect("times are numbers"));
        // one tenth and the double nearest to it are one time; what was asked for comes first
        let asked = |t: &Dd| self.at.contains(t);
        times.dedup_by(|b, a| {
            let same = a.to_f64() == b.to_f64();
            if same && asked(b) {
                *a = *b;
            }
            same
        });
        if self.until < Dd::ZERO {
            times.reverse();
        }
        times
    }

    /// What is wrong with the wishes.
    pub(crate) fn check(&self, has_discrete: bool, is_whole: bool) -> Result<(), BadRun> {
        if !self.until.is_finite() {
            return Err(BadRun::Until(self.until.to_f64()));
        }
        let outside = |t: &&Dd| {
            let backwards = (**t > Dd::ZERO && self.until < Dd::ZERO) || (**t < Dd::ZERO && self.until > Dd::ZERO);
            !t.is_finite() || backwards || t.abs() > self.until.abs()
        };
        if let Some(t) = self.at.iter().find(outside) {
            return Err(BadRun::Outside { t: t.to_f64(), until: self.until.to_f64() });
        }
        for x in [self.rtol, self.atol].into_iter().flatten() {
            if !(x > 0.0 && x < 1.0) {
                return Err(BadRun::Tolerance(x));
            }
        }
        let method = self.chosen_method();
        if method == Method::Exact {
            return Err(BadRun::NotIntegrated);
        }
        match self.step {
            None if method.is_fixed_step() => return Err(BadRun::NeedsStep(method)),
            Some(h) if !(h.is_finite() && h > 0.0) => return Err(BadRun::Step(h)),
            Some(_) if !method.is_fixed_step() => return Err(BadRun::NoFixedStep(method)),
            _ => {}
        }
        if self.precision == Precision::DoubleDouble && method != Method::Taylor {
            return Err(BadRun::Precision(method));
        }
        if method == Method::Discrete && !has_discrete {
            return Err(BadRun::NotPrepared);
        }
        if self.project && !is_whole {
            return Err(BadRun::NotLifted);
        }
        Ok(())
    }
}

/// Why a run cannot be started.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BadRun {
    /// The final time is no finite number.
    Until(f64),
    /// A time to report is not between 0 and the final time.
    Outside {
        /// The time.
        t: f64,
        /// The final time.
        until: f64,
    },
    /// A tolerance is not between 0 and 1.
    Tolerance(f64),
    /// The method has a fixed step, and none is given.
    NeedsStep(Method),
    /// A step that is no positive number.
    Step(f64),
    /// The method chooses its steps itself.
    NoFixedStep(Method),
    /// The method does not run in double-doubles.
    Precision(Method),
    /// The discrete equations were not compiled.
    NotPrepared,
    /// An exact motion is solved, and not run.
    NotIntegrated,
    /// Constraints are to be restored, but not all positions are integrated.
    NotLifted,
}

impl BadRun {
    /// What to do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            BadRun::NeedsStep(_) => Some("for example: --step 0.01"),
            BadRun::NoFixedStep(_) => {
                Some("for example: --rtol 1e-12; or a fixed-step method: --method gauss --step 0.01")
            }
            BadRun::Precision(_) => Some("leave --method out, or leave --precision out"),
            BadRun::Outside { .. } => Some("raise --until"),
            BadRun::NotIntegrated => Some("`polhode run --method exact` solves it; leave the method out to integrate"),
            _ => None,
        }
    }
}

impl fmt::Display for BadRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRun::Until(t) => write!(f, "the final time {t} is not a finite number"),
            BadRun::Outside { t, until } => write!(f, "the time {t} is not between 0 and the final time {until}"),
            BadRun::Tolerance(x) => write!(f, "the tolerance {x} is not between 0 and 1"),
            BadRun::NeedsStep(m) => write!(f, "{} has a fixed step: give one, such as step = 0.01", m.title()),
            BadRun::Step(h) => write!(f, "the step {h} is not a positive number"),
            BadRun::NoFixedStep(m) => {
                write!(f, "{} chooses its steps itself: give a tolerance instead of a step", m.title())
            }
            BadRun::Precision(m) => write!(f, "{} runs in doubles only: more digits need Taylor", m.title()),
            BadRun::NotPrepared => {
                f.write_str("the discrete equations were not compiled: set `discrete` in the options")
            }
            BadRun::NotIntegrated => f.write_str("an exact motion is solved and not integrated"),
            BadRun::NotLifted => f.write_str("constraints cannot be restored where not all positions are integrated"),
        }
    }
}

impl std::error::Error for BadRun {}
