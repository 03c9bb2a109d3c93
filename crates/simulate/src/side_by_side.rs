//! The tapes of many motions of one system that go side by side.
//!
//! Their states have one more component for each parameter that differs between them, with the rate 0, so that one piece of
//! code serves all of them:
//!
//! ```text
//! (t, y, p) → (ẏ, 0)
//! ```

use crate::compile::EventKind;
use crate::recorder::hopeless;
use crate::rerun::{Numbers, Rerun, Unfit};
use crate::run::{BadRun, DEFAULT_RTOL, DOP853_RTOL, Method, Run, SMALLEST_RTOL};
use polhode_integrate::{Tolerance, Unit};
use polhode_lower::Program;
use polhode_tape::{Builder, Dd, Scalar, Tape, Value, passes};

/// The tapes of motions that differ in where they start and in some of the parameters: inputs t, the state, and these parameters.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// The rates of the state and of the parameters.
    pub field: Tape,
    /// Functions that have one sign as long as a motion neither ends nor comes to where its frame fails; behind them the
    /// energy.
    pub look: Tape,
    /// How many of these there are before the energy.
    pub borders: usize,
    /// Parts of the state that are unit vectors.
    pub units: Vec<Unit>,
    /// The works done, as components of the state.
    pub works: Vec<usize>,
    report: Tape,
    /// The parameters behind the state, by their places.
    behind: Vec<usize>,
}

impl SideBySide {
    /// The numbers of the report at these places.
    pub fn numbers(&self, places: &[usize]) -> Tape {
        passes::optimise(&passes::select(&self.report, places))
    }
}

impl Rerun {
    /// The tapes of motions whose parameters differ where it is said; `None` if such motions have to be followed one by one, since they
    /// may change while they go on.
    pub fn side_by_side(&self, differs: &[bool]) -> Option<SideBySide> {
        let compiled = &self.current;
        let ends = |kind: &EventKind| matches!(kind, EventKind::Model | EventKind::Domain { .. });
        if compiled.events.iter().any(|e| e.transition || e.cause.is_some() || !ends(&e.kind)) {
            return None;
        }
        let places = differs.iter().zip(self.used_parameters()).enumerate();
        let behind: Vec<usize> =
            places.filter(|(_, (differs, (used, _)))| **differs && *used).map(|(k, _)| k).collect();
        let program = &compiled.program;
        let fixed = |tape: &Tape| passes::optimise(&self.fixed(program, tape, &behind));
        let mut b = Builder::new();
        let field = fixed(&program.field);
        let inputs: Vec<Value> = field.inputs.iter().map(|name| b.input(name.clone())).collect();
        let rates = passes::repeat(&field, &mut b, &inputs);
        field.outputs.iter().zip(rates).for_each(|(o, rate)| b.output(o.name.clone(), rate));
        for k in &behind {
            let zero = b.constant(Dd::ZERO);
            b.output(format!("{}'", program.parameters[*k]), zero);
        }
        let field = passes::finish(b);

        let mut b = Builder::new();
        let inputs: Vec<Value> = field.inputs.iter().map(|name| b.input(name.clone())).collect();
        let events = passes::repeat(&fixed(&program.events), &mut b, &inputs);
        let mut borders = 0;
        for (value, _) in events.into_iter().zip(&compiled.events).filter(|(_, info)| info.terminal) {
            borders += 1;
            b.output(format!("border.{borders}"), value);
        }
        let chart = &compiled.charts[compiled.place.chart];
        if !chart.weights.is_empty() {
            let entries = passes::repeat(&fixed(&program.frame), &mut b, &inputs);
            let mut rest = b.constant(Dd::from(hopeless::<f64>() - chart.constant));
            for (entry, weight) in entries.into_iter().zip(&chart.weights) {
                let (square, weight) = (b.mul(entry, entry), b.constant(Dd::from(*weight)));
                let part = b.mul(square, weight);
                rest = b.sub(rest, part);
            }
            borders += 1;
            b.output(format!("border.{borders}"), rest);
        }
        let report = fixed(&program.report);
        let energy = passes::repeat(&passes::select(&report, &[program.layout.energy]), &mut b, &inputs);
        b.output("energy", energy[0]);
        Some(SideBySide {
            field,
            look: passes::finish(b),
            borders,
            units: program.positions.units(),
            works: program.works.iter().map(|(k, _)| *k).collect(),
            report,
            behind,
        })
    }

    /// The tape with all parameters fixed but those that differ.
    fn fixed(&self, program: &Program, tape: &Tape, behind: &[usize]) -> Tape {
        let first = tape.inputs.len() - program.parameters.len();
        let same = self.used_parameters().enumerate().filter(|(k, _)| !behind.contains(k));
        passes::fix(tape, &same.map(|(k, (_, x))| (first + k, x)).collect::<Vec<_>>())
    }

    /// Where a motion starts, with its parameters behind the state.
    pub fn start(&mut self, side_by_side: &SideBySide, numbers: &Numbers) -> Result<Vec<f64>, Unfit> {
        let (start, _) = self.start_of(numbers)?;
        let parameters = side_by_side.behind.iter().map(|k| numbers.parameters[*k]);
        Ok(start.into_iter().chain(parameters).map(|x| x.to_f64()).collect())
    }
}

impl Run {
    /// The tolerance of one step of Taylor series and DOP853 in doubles.
    pub fn tolerance(&self) -> Result<Tolerance, BadRun> {
        self.check(false, true)?;
        let usual = if self.chosen_method() == Method::Dop853 { DOP853_RTOL } else { DEFAULT_RTOL };
        let relative = self.rtol.unwrap_or(usual).max(SMALLEST_RTOL);
        Ok(Tolerance { relative, absolute: self.atol.unwrap_or(relative) })
    }
}
