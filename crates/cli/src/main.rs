//! The command line: reads arguments and files, calls the library, prints.

mod args;
mod check;
mod derive;
mod input;
mod list;
mod output;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

/// Exit status when the answer to a question is no.
const NO: u8 = 1;
/// Exit status for bad input.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::List(options) => list::list(options),
        Command::Show(options) => list::show(options),
        Command::Check(options) => check::run(options),
        Command::Derive(options) => derive::run(options),
    };
    match result {
        Ok(code) => code,
        Err(message) => {
            eprint!("{message}");
            ExitCode::from(BAD_INPUT)
        }
    }
}
