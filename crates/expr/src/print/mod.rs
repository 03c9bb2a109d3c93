//! Printers: the same expression for people, papers and programs.
//!
//! | function | for | example |
//! | --- | --- | --- |
//! | [`text`] | one line of Unicode | `−M g r cos θ` |
//! | [`equation`], [`equations`] | the terminal, with fraction bars | see `layout.rs` |
//! | [`ascii`] | model files, reads back exactly | `-M*g*r*cos(theta)` |
//! | [`latex`], [`latex_equations`] | papers and web pages | `-M g r \cos\theta` |
//! | [`json`] | other programs | `{"op":"neg","args":[…]}` |
//! | [`code`] | Python, C and Rust, sharing kept | `t1 = cos(theta)` |
//!
//! All but [`code`] print a [`Tree`](crate::Tree) as it stands; the order of terms is
//! decided where the tree is made. [`code`] reads the graph itself, because there
//! sharing matters and beauty does not.

mod ascii;
mod block;
mod code;
mod json;
mod latex;
mod layout;
mod names;
mod text;

pub use ascii::ascii;
pub use code::{Language, code};
pub use json::json;
pub use latex::{latex, latex_equations};
pub use layout::{equation, equations};
pub use block::display_width;
pub use names::{identifier, latex_name, latex_symbol, unicode_name, unicode_symbol};
pub use text::text;
