//! The suite of backends, for the reference interpreter.

use polhode_tape::conformance::conformance;
use polhode_tape::reference::Reference;

#[test]
fn reference() {
    conformance(&Reference);
}
