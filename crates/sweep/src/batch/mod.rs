//! Motions side by side: [`BatchEngine`].
//!
//! Every motion has a lane of a vector, and a lane that is done takes the next one. What is varied is where motions start, and parameters become
//! components of the state that do not change, so that nothing is compiled for a sample. What cannot be done so is left to
//! [`MotionEngine`]: starts that do not fit, motions that may have come to an end before their time (`follow.rs`), steps that fail.
//!
//! A row depends on its sample alone: neither on the lane, nor on its neighbours, nor on how many lanes there are. Machines without fused multiplication
//! and addition round otherwise.

mod follow;
mod lanes;

use crate::budget::STEP_OPERATIONS;
use crate::engine::{Engine, MotionEngine};
use crate::outline::Known;
use crate::row::{Row, Status};
use crate::study::{Base, Study};
use follow::{Crew, Inside, Motion, Rules};
use lanes::{Fast, Fastest, PLACES, Watched};
use polhode_integrate::batch::run_all;
use polhode_integrate::taylor::usual_order;
use polhode_simulate::{Method, Precision, SideBySide};
use polhode_tape::{Kernel, Scalar};
use std::sync::atomic::{AtomicBool, Ordering};

/// Fewer motions go one after the other unless it is asked for: compiling takes as long as some of them.
pub(crate) const FEWEST: u64 = 64;

/// The tapes of motions side by side, or why there are none.
fn tapes(study: &Study) -> Result<SideBySide, &'static str> {
    let Some(Base { rerun, formulas: Some(formulas), outline }) = &study.base else {
        return Err("the model is read again for every motion");
    };
    let run = &study.resolved.run;
    let method = run.chosen_method();
    if !matches!(method, Method::Taylor | Method::Dop853) || run.chosen_precision() != Precision::Double {
        return Err("that is for Taylor series and DOP853 in doubles");
    }
    if run.project {
        return Err("constraints are restored motion by motion");
    }
    if outline.wants_events() || outline.wants_lyapunov() {
        return Err("events and Lyapunov exponents are found motion by motion");
    }
    if method == Method::Dop853 && !outline.watched.is_empty() {
        return Err("between the steps of DOP853 nothing is known, and what is kept needs it");
    }
    let tapes = rerun.side_by_side(&formulas.differs()).ok_or("their constraints may change")?;
    let tolerance = run.tolerance().map_err(|_| "the tolerance is none")?;
    let order = usual_order(tolerance, f64::EPSILON);
    let times = if method == Method::Taylor { order * order / 4 } else { 12 };
    match tapes.field.work() * times <= STEP_OPERATIONS {
        true => Ok(tapes),
        false => Err("the equations are so long that code for them takes longer than motions"),
    }
}

/// Whether motions can go side by side, or why not.
pub(crate) fn fits(study: &Study) -> Result<(), &'static str> {
    tapes(study).map(|_| ())
}

/// Code for motions side by side, which all threads share.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    tapes: SideBySide,
    batch: Watched,
    rules: Rules,
    /// Numbers that are kept at the end: their places, and a function for them.
    places: Vec<usize>,
    last: Fast,
}

impl Template {
    /// `None` unless it [`fits`].
    pub(crate) fn new(study: &Study) -> Option<Template> {
        let (tapes, base) = (tapes(study).ok()?, study.base.as_ref()?);
        let fastest = Fastest::new();
        let run = &study.resolved.run;
        let by_series = run.chosen_method() == Method::Taylor;
        let integrator = fastest.integrator(by_series, &tapes.field, run.tolerance().ok()?, &tapes.units);
        let (watched, places) = (tapes.numbers(&base.outline.watched), base.outline.final_places());
        let look = fastest.ready(&tapes.look);
        let rules = Rules {
            watched: Inside::new(fastest.ready(&watched), &watched, &tapes.units),
            look: Inside::new(look.clone(), &tapes.look, &tapes.units),
            borders: tapes.borders,
            works: tapes.works.clone(),
            end: run.until.to_f64(),
            most_steps: run.step_limit,
        };
        let last = fastest.ready(&tapes.numbers(&places));
        Some(Template { batch: Watched::new(integrator, look), rules, places, last, tapes })
    }
}

/// Runs motions side by side.
pub struct BatchEngine<'s> {
    base: Base,
    template: Template,
    /// For what cannot be done here.
    single: MotionEngine<'s>,
}

impl Engine for BatchEngine<'_> {
    fn run(&mut self, samples: &[Vec<f64>], stop: &AtomicBool, rows: &mut Vec<Row>) {
        let mut motions = Vec::with_capacity(samples.len());
        // the motion of each sample, if it has begun here
        let which: Vec<Option<usize>> = samples
            .iter()
            .map(|sample| {
                let motion = self.motion(sample)?;
                motions.push(motion);
                Some(motions.len() - 1)
            })
            .collect();
        let Template { batch, rules, .. } = &mut self.template;
        run_all(batch, &mut Crew { rules, motions: &mut motions, begun: 0, stop, scratch: Vec::new() });
        let last = self.last_numbers(&motions);
        for (sample, motion) in samples.iter().zip(which) {
            let done = motion.filter(|k| motions[*k].last.is_some());
            let row = match done {
                Some(k) => self.row(&motions[k], &last[k]),
                None if stop.load(Ordering::Relaxed) => return,
                None => {
                    let row = self.single.row(sample, stop);
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    row
                }
            };
            rows.push(row);
        }
    }
}

impl<'s> BatchEngine<'s> {
    pub(crate) fn new(study: &'s Study, template: &Template) -> BatchEngine<'s> {
        let base = study.base.clone().expect("nothing fits without");
        BatchEngine { base, template: template.clone(), single: MotionEngine::new(study) }
    }

    /// The motion of a sample before its first step; `None` if it has to be asked whether there is one.
    fn motion(&mut self, sample: &[f64]) -> Option<Motion> {
        let numbers = self.base.formulas.as_mut()?.numbers(sample);
        let start = self.base.rerun.start(&self.template.tapes, &numbers).ok()?;
        Some(Motion::new(start, self.base.outline.reducer()))
    }

    /// The numbers that are kept at the end of every motion that has one.
    fn last_numbers(&mut self, motions: &[Motion]) -> Vec<Vec<f64>> {
        let kernel = &mut self.template.last;
        let mut numbers = vec![Vec::new(); motions.len()];
        let (mut inputs, mut outputs) = (vec![0.0; kernel.inputs() * PLACES], vec![0.0; kernel.outputs() * PLACES]);
        let done: Vec<usize> = (0..motions.len()).filter(|k| motions[*k].last.is_some()).collect();
        for some in done.chunks(PLACES) {
            for (l, k) in some.iter().enumerate() {
                let Some((t, y)) = &motions[*k].last else { continue };
                std::iter::once(t).chain(y).enumerate().for_each(|(i, x)| inputs[i * PLACES + l] = *x);
            }
            kernel.evaluate(PLACES, &inputs, &mut outputs);
            for (l, k) in some.iter().enumerate() {
                numbers[*k] = outputs.chunks_exact(PLACES).map(|row| row[l]).collect();
            }
        }
        numbers
    }

    fn row(&self, motion: &Motion, last: &[f64]) -> Row {
        let places = &self.template.places;
        let values = self.base.outline.values(&Known {
            number: &|place| places.binary_search(&place).map_or(f64::NAN, |k| last[k]),
            event: &|_| [f64::NAN; 2],
            reducer: &motion.reducer,
            lyapunov: f64::NAN,
            drift: motion.drift,
            steps: motion.steps,
        });
        let t = motion.last.as_ref().map_or(f64::NAN, |(t, _)| *t);
        Row { status: Status::END, reason: String::new(), t, values }
    }
}
