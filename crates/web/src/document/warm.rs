//! What a worker keeps of a model between two requests: its tapes, and what the equations of the page depend on.
//!
//! Deriving and lowering the equations of a model takes most of the time of an answer, and other numbers do not change them. So the tapes are kept
//! with the text that they were made of ([`Kin`]); where they do not serve, everything is made anew. The answers are the same.
//!
//! A page that has an engine needs less: where the bodies are with the new numbers. It computes the motion from there, if the equations
//! of its engine are those of the new numbers too ([`Looks`]).

use super::recorded::{self, Drawing};
use super::wish::{self, LastRead};
use super::{Mistaken, Prepared, Wish, diagnostics, motion_and_numbers, page_of, prepare, prepare_again};
use polhode::mechanics::initial_state;
use polhode::prelude::{CompileOptions, Compiled, Trajectory};
use polhode::simulate::{Kin, Looks};
use serde_json::{Value, json};
use std::sync::Arc;

/// The tapes of the text that was asked about last.
#[derive(Debug, Default)]
pub struct Warm {
    known: Option<(String, Kin)>,
    engine: Option<(String, Looks)>,
    read: LastRead,
    reused: usize,
}

impl Warm {
    /// The page document, without equations and facts.
    pub fn page_document(&mut self, wish: &Wish) -> Result<Value, Mistaken> {
        let mut prepared = prepare_again(wish, &mut self.read)?;
        let (motion, numbers) = motion_and_numbers(&mut prepared, wish)?;
        self.remember(&prepared, wish, motion.compiled());
        self.engine = Looks::of(&prepared.system).map(|looks| (key(wish), looks));
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
        let looks = Looks::of(&prepared.system);
        let serves = looks.zip(self.looks_of(engine)).is_some_and(|(new, own)| own.are(&new));
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
    fn looks_of(&mut self, engine: &Wish) -> Option<&Looks> {
        let key = key(engine);
        if self.engine.as_ref().is_none_or(|(known, _)| *known != key) {
            self.engine = Some((key, Looks::of(&prepare(engine).ok()?.system)?));
        }
        self.engine.as_ref().map(|(_, looks)| looks)
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
        let Some((_, kin)) = self.known.as_mut().filter(|(text, _)| *text == wish.text) else { return Ok(None) };
        let compiled = match kin.with(&mut prepared.system) {
            Ok(Some(compiled)) => compiled,
            Ok(None) => return Ok(None),
            Err(error) => return Err(recorded::refused(prepared, error)),
        };
        let motion = recorded::solved(prepared, &compiled, wish)?;
        if motion.other_form().is_some() {
            return Ok(None);
        }
        self.reused += 1;
        Ok(Some(recorded::shown(motion)))
    }

    fn remember(&mut self, prepared: &Prepared, wish: &Wish, compiled: &Arc<Compiled>) {
        let options: CompileOptions = recorded::options(&prepared.model, wish, Drawing::Reported);
        // a second form was somebody's second try: the next numbers deserve a first one
        let first = options.form.is_none_or(|form| form == compiled.program.form);
        let kin = Kin::new(&prepared.system, &options, compiled).filter(|_| first);
        self.known = kin.map(|kin| (wish.text.clone(), kin));
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
