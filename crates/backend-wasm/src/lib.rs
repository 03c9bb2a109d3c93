//! Tapes as WebAssembly, with the integrator that follows them.
//!
//! ```text
//! tapes of a system ─Parts::emit→ a module of some ten kilobytes ─browser→ motions without a server
//! ```
//!
//! A module imports nothing, and needs of WebAssembly beyond its first version only functions with several results. Its
//! memory holds parameters, states and the rows of a motion ([`Layout`]); its functions evaluate the tapes and integrate them
//! by DOP853 with events, as `polhode-integrate` does. The elementary functions are in the module too, so that every engine
//! computes the same bits, for ordinary arguments those of `polhode-backend-simd`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `engine` | [`Parts`], [`Module`]: a system that moves; its exports |
//! | `engine::memory` | [`Layout`]: where everything is |
//! | `engine::stepping` | a step of DOP853, its dense output |
//! | `engine::events` | zeros of event functions along a step |
//! | `engine::integrate` | the loop around the steps |
//! | `engine::enter` | from positions and velocities to a state |
//! | `single` | [`Single`]: one tape alone |
//! | `lower` | from a tape to a function |
//! | `elementary` | sin, cos, exp, ln, atan2 |
//! | `assembler` | WebAssembly written like formulas |
//!
//! Not here: mechanics, an engine that runs modules, JSON. A tape has inputs, not coordinates.
//!
//! ```
//! use polhode_backend_wasm::Single;
//! use polhode_tape::{Builder, passes};
//!
//! let mut b = Builder::new();
//! let x = b.input("x");
//! let y = b.mul(x, x);
//! b.output("x²", y);
//! let module = Single::emit(&passes::finish(b))?;
//! assert!(module.bytes.starts_with(b"\0asm"));
//! # Ok::<(), polhode_backend_wasm::NotEmitted>(())
//! ```

mod assembler;
mod elementary;
mod engine;
mod lower;
mod single;

pub use engine::{At, Direction, Layout, Module, NotEmitted, Parts, Place, Sizes, Watch};
pub use single::Single;
