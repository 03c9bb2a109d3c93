//! Lanes that are looked at after every step, whichever integrator they have and however wide the vectors are.

use polhode_backend_native::Native;
use polhode_backend_simd::{Simd, SimdKernel};
use polhode_integrate::batch::{LaneSet, Lanes, Progress};
use polhode_integrate::{Dop853Batch, TaylorBatch, Tolerance, Unit};
use polhode_simulate::compilers::{Code, Compiler, Compilers};
use polhode_tape::{Backend, Interpreter, Kernel, Tape};
use std::convert::Infallible;
use std::fmt;

/// Lanes where the machine has no vectors of eight doubles.
const FEW: usize = 4;
const MANY: usize = 8;

/// Places of a step that are looked at together.
pub(super) const PLACES: usize = 8;

/// A tape made ready by the fastest means there is: machine code, with fused products on x86-64, or an interpreter.
#[derive(Debug)]
pub(super) enum Fast {
    Code(Code),
    Simd(Box<Tape>, SimdKernel),
    Plain(Interpreter<f64>),
}

impl Clone for Fast {
    fn clone(&self) -> Fast {
        match self {
            Fast::Code(code) => Fast::Code(code.clone()),
            Fast::Simd(tape, _) => interpreted(tape),
            Fast::Plain(interpreter) => Fast::Plain(interpreter.clone()),
        }
    }
}

fn interpreted(tape: &Tape) -> Fast {
    match Simd::new().prepare(tape) {
        Ok(kernel) => Fast::Simd(Box::new(tape.clone()), kernel),
        Err(_too_large) => Fast::Plain(Interpreter::new(tape)),
    }
}

impl Kernel for Fast {
    fn inputs(&self) -> usize {
        match self {
            Fast::Code(k) => k.inputs(),
            Fast::Simd(_, k) => k.inputs(),
            Fast::Plain(k) => k.inputs(),
        }
    }

    fn outputs(&self) -> usize {
        match self {
            Fast::Code(k) => k.outputs(),
            Fast::Simd(_, k) => k.outputs(),
            Fast::Plain(k) => k.outputs(),
        }
    }

    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        match self {
            Fast::Code(k) => k.evaluate(lanes, inputs, outputs),
            Fast::Simd(_, k) => k.evaluate(lanes, inputs, outputs),
            Fast::Plain(k) => k.evaluate(lanes, inputs, outputs),
        }
    }
}

/// The fastest means there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fastest(Compilers);

impl Fastest {
    pub(super) fn new() -> Fastest {
        Fastest(Compilers::new(Native::new().and_then(|n| n.packed().contracted()).ok()))
    }

    /// A tape made ready.
    pub(super) fn ready(self, tape: &Tape) -> Fast {
        match self.0.compile(tape) {
            Some(code) => Fast::Code(code),
            None => interpreted(tape),
        }
    }

    /// An integrator of as many motions as vectors have lanes.
    pub(super) fn integrator(
        self,
        by_series: bool,
        field: &Tape,
        tolerance: Tolerance,
        units: &[Unit],
    ) -> Box<dyn Dense> {
        let few = matches!(self.0.first(), Some(Compiler::Native(native)) if native.lanes() < MANY);
        let never = |e: Infallible| match e {};
        let made: Result<Box<dyn Dense>, Infallible> = match (by_series, few) {
            (true, false) => TaylorBatch::<Fast, MANY>::new(&self, field, tolerance, units).map(|b| Box::new(b) as _),
            (true, true) => TaylorBatch::<Fast, FEW>::new(&self, field, tolerance, units).map(|b| Box::new(b) as _),
            (false, false) => Dop853Batch::<Fast, MANY>::new(&self, field, tolerance, units).map(|b| Box::new(b) as _),
            (false, true) => Dop853Batch::<Fast, FEW>::new(&self, field, tolerance, units).map(|b| Box::new(b) as _),
        };
        made.unwrap_or_else(never)
    }
}

impl Backend for Fastest {
    type Kernel = Fast;
    type Error = Infallible;

    fn name(&self) -> String {
        self.0.first().map_or_else(|| Simd::new().name(), |compiler| compiler.name())
    }

    fn prepare(&self, tape: &Tape) -> Result<Fast, Infallible> {
        Ok(self.ready(tape))
    }
}

/// An integrator of several motions, of whose last step more than its end may be known.
pub(super) trait Dense: Lanes + fmt::Debug + Send + Sync {
    /// A copy, which shares the code.
    fn copy(&self) -> Box<dyn Dense>;

    /// When the last step of a lane began, and component i at times within it; nothing if that is not known.
    fn began(&self, _lane: usize) -> Option<f64> {
        None
    }

    /// Rows t, y in the middle of the last steps.
    fn middle(&mut self, rows: &mut [f64]);

    /// Component i at times within the last step of a lane.
    fn at_eight(&self, _lane: usize, _times: &[f64; PLACES], _i: usize) -> [f64; PLACES] {
        [f64::NAN; PLACES]
    }
}

impl<const L: usize> Dense for TaylorBatch<Fast, L> {
    fn copy(&self) -> Box<dyn Dense> {
        Box::new(self.clone())
    }

    fn began(&self, lane: usize) -> Option<f64> {
        Some(self.before(lane))
    }

    fn middle(&mut self, rows: &mut [f64]) {
        TaylorBatch::middle(self, rows);
    }

    fn at_eight(&self, lane: usize, times: &[f64; PLACES], i: usize) -> [f64; PLACES] {
        TaylorBatch::at_eight(self, lane, times, i)
    }
}

impl<const L: usize> Dense for Dop853Batch<Fast, L> {
    fn copy(&self) -> Box<dyn Dense> {
        Box::new(self.clone())
    }

    fn middle(&mut self, rows: &mut [f64]) {
        Dop853Batch::middle(self, rows);
    }
}

/// Lanes and the values of some functions at both ends of their last steps and in the middle.
#[derive(Debug)]
pub(super) struct Watched {
    lanes: Box<dyn Dense>,
    look: Fast,
    /// Rows t, y: component by component, lane by lane.
    now: Vec<f64>,
    values: Vec<f64>,
    before: Vec<f64>,
    /// Rows t, y in the middle, and values there.
    half: Vec<f64>,
    middle: Vec<f64>,
    state: Vec<f64>,
}

impl Clone for Watched {
    fn clone(&self) -> Watched {
        Watched::new(self.lanes.copy(), self.look.clone())
    }
}

impl Watched {
    pub(super) fn new(lanes: Box<dyn Dense>, look: Fast) -> Watched {
        let (count, n, m) = (lanes.lanes(), lanes.dimension(), look.outputs());
        Watched {
            now: vec![0.0; count * (n + 1)],
            values: vec![0.0; count * m],
            before: vec![0.0; count * m],
            half: vec![0.0; count * (n + 1)],
            middle: vec![0.0; count * m],
            state: vec![0.0; n],
            lanes,
            look,
        }
    }

    pub(super) fn dense(&self) -> &dyn Dense {
        &*self.lanes
    }

    /// Component i of a lane.
    pub(super) fn component(&self, lane: usize, i: usize) -> f64 {
        self.now[(1 + i) * self.lanes.lanes() + lane]
    }

    /// Function k of a lane before and after its last step.
    pub(super) fn ends(&self, lane: usize, k: usize) -> [f64; 2] {
        let at = k * self.lanes.lanes() + lane;
        [self.before[at], self.values[at]]
    }

    /// The same in the middle of the step.
    pub(super) fn middle(&self, lane: usize, k: usize) -> f64 {
        self.middle[k * self.lanes.lanes() + lane]
    }

    fn put(&mut self, lane: usize, t: f64) {
        let count = self.lanes.lanes();
        self.now[lane] = t;
        self.state.iter().enumerate().for_each(|(i, y)| self.now[(1 + i) * count + lane] = *y);
    }
}

impl Lanes for Watched {
    fn lanes(&self) -> usize {
        self.lanes.lanes()
    }

    fn dimension(&self) -> usize {
        self.lanes.dimension()
    }

    fn begin(&mut self, lane: usize, t: f64, y: &[f64], end: f64) {
        self.lanes.begin(lane, t, y, end);
        self.state.copy_from_slice(y);
        self.put(lane, t);
        let point: Vec<f64> = std::iter::once(t).chain(y.iter().copied()).collect();
        let mut values = vec![0.0; self.look.outputs()];
        self.look.evaluate(1, &point, &mut values);
        let count = self.lanes.lanes();
        values.iter().enumerate().for_each(|(k, x)| self.values[k * count + lane] = *x);
    }

    fn clear(&mut self, lane: usize) {
        self.lanes.clear(lane);
    }

    fn step(&mut self) -> LaneSet {
        let over = self.lanes.step();
        let count = self.lanes.lanes();
        for lane in 0..count {
            self.lanes.state(lane, &mut self.state);
            self.put(lane, self.lanes.time(lane));
        }
        std::mem::swap(&mut self.before, &mut self.values);
        self.look.evaluate(count, &self.now, &mut self.values);
        self.lanes.middle(&mut self.half);
        self.look.evaluate(count, &self.half, &mut self.middle);
        over
    }

    fn progress(&self, lane: usize) -> Progress {
        self.lanes.progress(lane)
    }

    fn time(&self, lane: usize) -> f64 {
        self.lanes.time(lane)
    }

    fn state(&self, lane: usize, y: &mut [f64]) {
        self.lanes.state(lane, y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_backend_native::Level;
    use polhode_integrate::StepError;
    use polhode_integrate::batch::{Motions, run_all};
    use polhode_tape::{Builder, Dd, Op, passes};

    /// A pendulum with its frequency squared behind the state: ẋ = v, v̇ = −k sin x, k̇ = 0.
    fn pendulum() -> Tape {
        let mut b = Builder::new();
        let [_, x, v, k] = ["t", "x", "v", "k"].map(|name| b.input(name));
        let sine = b.emit(Op::Sin(x));
        let force = b.mul(k, sine);
        let rate = b.neg(force);
        let zero = b.constant(Dd::ZERO);
        for (name, value) in [("x'", v), ("v'", rate), ("k'", zero)] {
            b.output(name, value);
        }
        passes::finish(b)
    }

    struct Swings(Vec<[f64; 3]>, usize, Vec<Vec<f64>>);

    impl Motions<Watched> for Swings {
        fn next(&mut self, y: &mut [f64]) -> Option<(f64, f64)> {
            y.copy_from_slice(self.0.get(self.1)?);
            self.1 += 1;
            Some((0.0, 10.0))
        }

        fn ended(&mut self, motion: usize, _t: f64, y: &[f64], outcome: Result<(), StepError>) {
            outcome.expect("a pendulum swings on");
            self.2[motion] = y.to_vec();
        }
    }

    fn swings(by: Fastest, series: bool) -> Vec<Vec<f64>> {
        let tolerance = Tolerance { relative: 1e-12, absolute: 1e-12 };
        let field = pendulum();
        let mut batch = Watched::new(by.integrator(series, &field, tolerance, &[]), by.ready(&field));
        let starts: Vec<[f64; 3]> =
            (0..29).map(|i| f64::from(i) / 29.0).map(|u| [3.0 * u, 1.0 - u, 1.0 + 4.0 * u]).collect();
        let mut all = Swings(starts.clone(), 0, vec![Vec::new(); starts.len()]);
        run_all(&mut batch, &mut all);
        all.2
    }

    #[test]
    fn neither_the_width_of_vectors_nor_the_interpreter_matters() {
        for series in [true, false] {
            let plain = swings(Fastest(Compilers::none()), series);
            // without contraction the bits are those of the interpreter
            assert_eq!(swings(Fastest(Compilers::new(None)), series), plain);
            // where the machine has both, eight lanes and four give the same bits
            let made: Vec<_> = [Level::Avx512, Level::Avx2]
                .into_iter()
                .filter_map(|level| Native::with(level).and_then(|n| n.packed().contracted()).ok())
                .map(|native| swings(Fastest(Compilers::new(Some(native))), series))
                .collect();
            assert!(made.windows(2).all(|w| w[0] == w[1]));
            for (a, b) in made.iter().flat_map(|m| m.iter().zip(&plain)) {
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} and {b:?}");
            }
        }
    }
}
