//! Time of one evaluation of a right-hand side, for every evaluator.
//!
//! `cargo bench -p polhode-backend-native`. The tapes are those of the built-in models of the same
//! names, with the parameters of their files. Each number is the minimum over many repetitions.

mod measure;

use measure::{row, tables};
use polhode_backend_native::{Level, Native};

fn main() {
    tables(|tape| {
        for level in Level::ALL {
            match Native::with(level) {
                Ok(native) => {
                    row(&native.single(), tape);
                    row(&native, tape);
                    if let Ok(contracted) = native.contracted() {
                        row(&contracted, tape);
                    }
                }
                Err(e) => println!("{e}"),
            }
        }
    });
}
