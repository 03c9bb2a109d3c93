//! Special functions.

mod ball;
pub mod carlson;
mod complex;
pub mod elliptic;
pub mod gamma;
pub mod hypergeometric;
pub mod legendre;
mod wide;

pub use complex::Complex;
