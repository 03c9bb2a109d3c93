//! What a worker keeps of a model between two requests: its tapes, and what the equations of the page depend on.
//!
//! Deriving and lowering the equations of a model takes most of the time of an answer, and other numbers do not change them. So the tapes are kept
//! with the text that they were made of ([`Rerun`]); where they do not serve, everything is made anew. The answers are the same.
//!
//! A page that has an engine needs less: where the bodies are with the new numbers. It computes the motion from there, if the equations
//! of its engine are those of the new numbers too ([`Likeness`]).

use super::recorded::{self, Drawing};
use super::wish::{self, LastRead};
use super::{Mistaken, Prepared, Wish, diagnostics, motion_and_numbers, page_of, prepare, prepare_again};
use polhode::mechanics::initial_state;
use polhode::prelude::{Compiled, Trajectory};
use polhode::simulate::{Likeness, PlanError, Rerun};
use serde_json::{Value, json};
use std::sync::Arc;

/// The tapes of the text that was asked about last.
#[derive(Debug, Default)]
pub struct Warm {
    known: Option<(Value, Rerun)>,
    engine: Option<(String, Likeness)>,
    read: LastRead,
    reused: usize,
}

impl Warm {
    /// The page document, without equations and facts.
    pub fn page_document(&mut self, wish: &Wish) -> Result<Value, Mistaken> {
        let mut prepared = prepare_again(wish, &mut self.read)?;
        let (motion, numbers) = motion_and_numbers(&mut prepared, wish)?;
        self.remember(&prepared, wish, motion.compiled());
        self.engine = Likeness::of(&prepared.system).map(|likeness| (key(wish), likeness));
        Ok(page_of(prepared, motion, numbers, wish).0)
    }

    /// Only the motion, with what is said about it.
    pub fn recorded_document(&mut self, wish: &Wish) -> Result<Value, Mistaken> {
        let prepared = prepare_again(wish, &mut self.read)?;
        self.recorded(prepared, wish)
    }

    /// The start alone, for a page whose engine is that of another wish with the same text; the motion where it has other equations.
    pub fn placed_document(&mut self, wish: &Wish, engine: &Wish) -> Result<Value, Mistaken> {
        let mut prepared = prepare_again(wish, &mut self.read)?;
        let likeness = Likeness::of(&prepared.system);
        let serves = likeness.zip(self.likeness_of(engine)).is_some_and(|(new, own)| own.serves(&new));
        let model = prepared.model.clone();
        let Some(state) = initial_state(&mut prepared.system, &model)?.filter(|_| serves) else {
            return self.recorded(prepared, wish);
        };
        let configuration = &prepared.system.configuration;
        let names = configuration.positions().iter().chain(configuration.velocities());
        let start = names.map(|s| (prepared.system.graph.name(*s).to_owned(), json!(state.values[s])));
        Ok(answered(&prepared, "start", Value::Object(start.collect())))
    }

    /// What the equations of an engine depend on.
    fn likeness_of(&mut self, engine: &Wish) -> Option<&Likeness> {
        let key = key(engine);
        if self.engine.as_ref().is_none_or(|(known, _)| *known != key) {
            self.engine = Some((key, Likeness::of(&prepare(engine).ok()?.system)?));
        }
        self.engine.as_ref().map(|(_, likeness)| likeness)
    }

    fn recorded(&mut self, mut prepared: Prepared, wish: &Wish) -> Result<Value, Mistaken> {
        let motion = match self.again(&mut prepared, wish)? {
            Some(motion) => motion,
            None => {
                let motion = recorded::run(&mut prepared, wish, Drawing::Reported)?;
                self.remember(&prepared, wish, motion.compiled());
                motion
            }
        };
        Ok(answered(&prepared, "recorded", recorded::document(&motion, wish)))
    }

    /// How many motions used tapes that were there.
    pub fn reused(&self) -> usize {
        self.reused
    }

    /// The motion in the tapes that are known; `None` where they do not serve, or fail where others might not.
    fn again(&mut self, prepared: &mut Prepared, wish: &Wish) -> Result<Option<Trajectory>, Mistaken> {
        let key = wish.tapes();
        let Some((_, rerun)) = self.known.as_mut().filter(|(known, _)| *known == key) else { return Ok(None) };
        let compiled = match rerun.read(&mut prepared.system) {
            Ok(Ok(compiled)) => compiled,
            Ok(Err(_unfit)) => return Ok(None),
            Err(error) => return Err(recorded::refused(prepared, error.into())),
        };
        let solved = recorded::solved(&prepared.resolved.run, &compiled, wish).map_err(PlanError::from);
        let motion = solved.map_err(|error| recorded::refused(prepared, error))?;
        if motion.other_form().is_some() {
            return Ok(None);
        }
        self.reused += 1;
        Ok(Some(recorded::shown(motion)))
    }

    fn remember(&mut self, prepared: &Prepared, wish: &Wish, compiled: &Arc<Compiled>) {
        let options = &prepared.resolved.options;
        // a second form was somebody's second try: the next numbers deserve a first one
        let first = options.form.is_none_or(|form| form == compiled.program.form);
        let rerun = Rerun::new(&prepared.system, options, compiled).filter(|_| first);
        self.known = rerun.map(|rerun| (wish.tapes(), rerun));
    }
}

/// What two pages have in common that have the same engine.
fn key(wish: &Wish) -> String {
    json!([wish.text, wish.given()]).to_string()
}

/// An answer with what is said about every model.
fn answered(prepared: &Prepared, key: &str, what: Value) -> Value {
    json!({
        key: what,
        "placed": wish::components(&prepared.placed),
        "diagnostics": diagnostics::list(&prepared.found, &prepared.model.source),
        "more_diagnostics": diagnostics::more(&prepared.found),
    })
}
