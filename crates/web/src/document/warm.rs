//! What a worker keeps of a model between two requests: its tapes.
//!
//! Deriving and lowering the equations of a model takes most of the time of an answer, and other numbers do not change them. So the tapes are kept
//! with the text that they were made of ([`Kin`]); where they do not serve, everything is made anew. The answers are the same.

use super::recorded::{self, Drawing};
use super::wish::{self, LastRead};
use super::{Mistaken, Prepared, Wish, diagnostics, page_of, prepare_again};
use polhode::prelude::{CompileOptions, Compiled, Trajectory};
use polhode::simulate::Kin;
use serde_json::{Value, json};
use std::sync::Arc;

/// The tapes of the text that was asked about last.
#[derive(Debug, Default)]
pub struct Warm {
    known: Option<(String, Kin)>,
    read: LastRead,
    reused: usize,
}

impl Warm {
    /// The page document, without equations and facts.
    pub fn page_document(&mut self, wish: &Wish) -> Result<Value, Mistaken> {
        let mut prepared = prepare_again(wish, &mut self.read)?;
        let motion = recorded::run(&mut prepared, wish, Drawing::Reported)?;
        self.remember(&prepared, wish, motion.compiled());
        page_of(prepared, motion, wish).map(|(document, _)| document)
    }

    /// Only the motion, with what is said about it.
    pub fn recorded_document(&mut self, wish: &Wish) -> Result<Value, Mistaken> {
        let mut prepared = prepare_again(wish, &mut self.read)?;
        let motion = match self.again(&mut prepared, wish)? {
            Some(motion) => motion,
            None => {
                let motion = recorded::run(&mut prepared, wish, Drawing::Reported)?;
                self.remember(&prepared, wish, motion.compiled());
                motion
            }
        };
        Ok(json!({
            "recorded": recorded::document(&motion, wish),
            "placed": wish::components(&prepared.placed),
            "diagnostics": diagnostics::list(&prepared.found, &prepared.model.source),
            "more_diagnostics": diagnostics::more(&prepared.found),
        }))
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
