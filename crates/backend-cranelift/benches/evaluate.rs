//! Time of one evaluation of a right-hand side, beside the interpreters and machine code for x86-64.
//! The baseline of the vectorised interpreter is what other processors have: two doubles at a time.
//!
//! `cargo bench -p polhode-backend-cranelift`. The tapes are those of the built-in models of the same
//! names, with the parameters of their files. Each number is the minimum over many repetitions.

#[path = "../../backend-native/benches/measure/mod.rs"]
mod measure;

use measure::{row, tables};
use polhode_backend_cranelift::Cranelift;
use polhode_backend_native::Native;
use polhode_backend_simd::{Level, Simd};

fn main() {
    tables(|tape| {
        row(&Simd::with(Level::Baseline).expect("every machine has it"), tape);
        match Cranelift::new() {
            Ok(cranelift) => row(&cranelift, tape),
            Err(e) => println!("{e}"),
        }
        match Native::new() {
            Ok(native) => row(&native, tape),
            Err(e) => println!("{e}"),
        }
    });
}
