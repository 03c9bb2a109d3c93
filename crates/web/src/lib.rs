//! Models in a browser.
//!
//! ```text
//! model text, numbers ─document→ page document (JSON) ─page→ one HTML file
//!                                         └server→ the same page, served, with workers that compute
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`document`] | everything that a page needs of a model, as one JSON value |
//! | [`page`] | the page with its data |
//! | [`server`] | a server on the loopback, and its workers |
//! | [`worker`] | what a worker does |
//! | [`catalogue`](catalogue()) | the built-in models with their pictures |
//!
//! Not here: files, the terminal, opening a browser. Sockets and processes are, and nowhere else.

mod base64;
mod catalogue;
pub mod document;
mod frame;
pub mod page;
pub mod server;
pub mod worker;

pub use catalogue::{Picture, catalogue, picture};
