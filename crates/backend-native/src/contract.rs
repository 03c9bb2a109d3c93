//! Products that are added without being rounded first, where that is wished.
//!
//! ```text
//! a b + c,   a b − c,   c − a b:      one rounding instead of two
//! ```
//!
//! A product is contracted when a sum or difference is all that reads it. Of two such products in
//! one sum the later is taken: the other is there by then.

use polhode_tape::{Op, Tape, Value};

/// For every operation the product that is contracted with it.
#[derive(Clone, Debug)]
pub(crate) struct Contractions {
    product: Vec<Option<Value>>,
    absorbed: Vec<bool>,
}

impl Contractions {
    /// As many as there are.
    pub(crate) fn all(tape: &Tape) -> Contractions {
        let uses = tape.uses();
        let is_private = |a: &Value| uses[a.index()] == 1 && matches!(tape.ops[a.index()], Op::Mul(..));
        let product = |op: &Op| match op {
            Op::Add(a, b) | Op::Sub(a, b) => [*a, *b].into_iter().filter(is_private).max(),
            _ => None,
        };
        let product: Vec<Option<Value>> = tape.ops.iter().map(product).collect();
        let mut absorbed = vec![false; tape.ops.len()];
        product.iter().flatten().for_each(|a| absorbed[a.index()] = true);
        Contractions { product, absorbed }
    }

    /// None.
    pub(crate) fn none(tape: &Tape) -> Contractions {
        Contractions { product: vec![None; tape.ops.len()], absorbed: vec![false; tape.ops.len()] }
    }

    /// The product that is contracted with operation k.
    pub(crate) fn product_of(&self, k: usize) -> Option<Value> {
        self.product[k]
    }

    /// Is operation k contracted with its reader?
    pub(crate) fn absorbs(&self, k: usize) -> bool {
        self.absorbed[k]
    }
}
