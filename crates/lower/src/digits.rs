//! Multi-precision numbers as double-doubles.

use polhode_expr::eval::{Digits, Real};
use polhode_tape::Dd;

/// The nearest sum of two doubles.
pub fn dd(x: &Real) -> Dd {
    let hi = x.to_f64().value();
    let rest = x.clone() - Digits::decimal(40).double(hi);
    Dd::new(hi, rest.to_f64().value())
}
