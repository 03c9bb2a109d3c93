//! The command line: reads arguments and files, calls the library, prints.

mod args;
mod check;
mod conserved;
mod contact;
mod derive;
mod exact;
mod export;
mod independent;
mod input;
mod list;
mod neumann;
mod output;
mod picture;
mod plot;
mod reduce;
mod report;
mod run;
mod settings;
mod structure;
mod sweep;
mod targets;
mod view;

use args::{Arguments, Command};
use clap::Parser;
use polhode::model::{BadSetting, Rejected};
use polhode::simulate::{BadRun, PlanError};
use std::process::ExitCode;

/// Why a command ends without an answer, ready to be shown.
pub(crate) enum Refusal {
    /// The answer to a question is no: exit status 1.
    No(String),
    /// Bad input: exit status 2.
    BadInput(String),
    /// A run stopped early; what it reached was shown: exit status 3.
    StoppedEarly(String),
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal::BadInput(message)
    }
}

/// The exit status after Ctrl-C, as shells have it: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

impl From<BadSetting> for Refusal {
    fn from(error: BadSetting) -> Refusal {
        match error {
            BadSetting::Rejected(rejected) => (*rejected).into(),
            error => advised(&error, error.help()),
        }
    }
}

impl From<Rejected> for Refusal {
    fn from(rejected: Rejected) -> Refusal {
        Refusal::BadInput(output::render(&rejected.diagnostics, &rejected.source))
    }
}

impl From<BadRun> for Refusal {
    fn from(error: BadRun) -> Refusal {
        advised(&error, error.help().map(str::to_owned))
    }
}

impl From<PlanError> for Refusal {
    fn from(error: PlanError) -> Refusal {
        match error {
            PlanError::Rejected(rejected) => rejected.into(),
            PlanError::Setting(error) => error.into(),
            PlanError::NotCompiled(error) => run::not_compiled(error),
            PlanError::BadRun(error) => error.into(),
        }
    }
}

/// Bad input, with what to do about it.
fn advised(error: &impl std::fmt::Display, help: Option<String>) -> Refusal {
    let help = help.map(|h| format!("  = {h}\n")).unwrap_or_default();
    Refusal::BadInput(format!("error: {error}\n{help}"))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Some shells start programs that ignore Ctrl-C. Commands that keep what they have computed listen by themselves, and a worker of the page has no memory
    // for another thread.
    let listens =
        matches!(arguments.command, Command::Run(_) | Command::Plot(_) | Command::Sweep(_) | Command::View(_));
    if !listens && !matches!(arguments.command, Command::ViewWorker(_)) {
        let _ = ctrlc::set_handler(|| std::process::exit(INTERRUPTED));
    }
    let result = match &arguments.command {
        Command::List(options) => list::list(options),
        Command::Show(options) => list::show(options),
        Command::Check(options) => check::run(options),
        Command::Derive(options) => derive::run(options),
        Command::Reduce(options) => reduce::run(options),
        Command::Run(options) => run::run(options),
        Command::Conserved(options) => conserved::run(options),
        Command::Exact(options) => exact::run(options),
        Command::Contact(options) => contact::run(options),
        Command::View(options) => view::run(options),
        Command::Export(options) => export::run(options),
        Command::Report(options) => report::run(options),
        Command::ViewWorker(options) => view::worker(options),
        Command::Sweep(options) => sweep::run(options),
        Command::Plot(options) => plot::run(options),
    };
    let (code, message) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Refusal::No(message)) => (1, message),
        Err(Refusal::BadInput(message)) => (2, message),
        Err(Refusal::StoppedEarly(message)) => (3, message),
    };
    output::warn(&message);
    ExitCode::from(code)
}
