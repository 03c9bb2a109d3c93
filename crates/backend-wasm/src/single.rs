//! One tape alone as a module: what backends are tested with, and what evaluates a formula in a page.

use crate::assembler::Writer;
use crate::elementary::Elementary;
use crate::engine::NotEmitted;
use crate::lower::{Place, lower, places, spill};
use polhode_tape::Tape;

/// The most memory of such a module, in bytes.
const MOST_BYTES: u64 = 1 << 28;

/// A module with the exports `memory` and `evaluate()`.
#[derive(Clone, Debug)]
pub struct Single {
    /// As it is loaded.
    pub bytes: Vec<u8>,
    /// Where the inputs are, doubles side by side: an address in bytes.
    pub inputs: u32,
    /// Where the outputs are.
    pub outputs: u32,
}

impl Single {
    /// Makes the module of a tape.
    pub fn emit(tape: &Tape) -> Result<Single, NotEmitted> {
        let mut w = Writer::new();
        let (inputs, outputs) = (w.room(tape.inputs.len()), w.room(tape.outputs.len()));
        let elementary = Elementary::of(&mut w, std::iter::once(tape));
        let spilled = spill(&mut w, tape);
        let evaluate = w.function(&[], |c, ()| {
            let from: Vec<Place> = places(inputs, tape.inputs.len()).collect();
            let to: Vec<Place> = places(outputs, tape.outputs.len()).collect();
            lower(c, &elementary, tape, spilled, &from, &to);
        });
        w.export("evaluate", evaluate);
        let bytes = w.finish(MOST_BYTES).ok_or(NotEmitted::TooLarge)?;
        Ok(Single { bytes, inputs, outputs })
    }
}
