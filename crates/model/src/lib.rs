//! Model files: from text to a tree with names and dimensions resolved.

pub mod syntax;
