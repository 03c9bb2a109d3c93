//! From equations of motion to tapes.
