//! What can be typed.

use clap::{Args, Parser, Subcommand, ValueEnum};
use polhode::mechanics::Form;
use polhode::prelude::ParseOptions;

/// A workbench for nonholonomic mechanics.
#[derive(Debug, Parser)]
#[command(name = "polhode", version, about, max_term_width = 100)]
#[command(
    after_help = "Start with:  polhode derive rolling-disk\nThen copy a model and change it:  polhode show rolling-disk > mine.toml"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the built-in models
    List(ListOptions),
    /// Print a model file, so that it can be copied and changed
    Show(ShowOptions),
    /// Examine the constraints of a model: rank, redundancy, independent velocities
    Check(CheckOptions),
    /// Derive the equations of motion
    Derive(DeriveOptions),
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowOptions {
    /// A model file or the name of a built-in model
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
}

/// Which model, and what to change in it.
#[derive(Debug, Args)]
pub(crate) struct ModelOptions {
    /// A model file or the name of a built-in model
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// Set a parameter, e.g. --set r=0.5 (repeatable)
    #[arg(long = "set", value_name = "NAME=EXPR")]
    pub(crate) set: Vec<String>,
    /// Set an initial coordinate or velocity, e.g. --init "theta'=0.2" (repeatable)
    #[arg(long = "init", value_name = "NAME=EXPR")]
    pub(crate) init: Vec<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

impl ModelOptions {
    /// The assignments of `--set` and `--init`, split at their equals sign.
    pub(crate) fn parse_options(&self) -> Result<ParseOptions, String> {
        let split = |flag: &str, items: &[String]| -> Result<Vec<(String, String)>, String> {
            items
                .iter()
                .map(|item| match item.split_once('=') {
                    Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                        Ok((name.trim().to_string(), value.trim().to_string()))
                    }
                    _ => Err(format!("error: `{flag} {item}` is not of the form NAME=EXPR\n")),
                })
                .collect()
        };
        Ok(ParseOptions { parameters: split("--set", &self.set)?, initial: split("--init", &self.init)? })
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
}

#[derive(Debug, Args)]
pub(crate) struct DeriveOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// The form of the equations
    #[arg(long, default_value = "voronets", value_name = "FORM")]
    pub(crate) form: FormChoice,
    /// How to print them
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Compare all applicable forms at random states in 50-digit arithmetic
    #[arg(long)]
    pub(crate) verify: bool,
    /// Choose the independent velocities, e.g. --independent "theta',phi',x'"
    #[arg(long, value_name = "V1,V2,…", value_delimiter = ',')]
    pub(crate) independent: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormChoice {
    /// Lagrange–d'Alembert with multipliers
    Multipliers,
    /// Voronets, in independent velocities
    Voronets,
    /// Chaplygin, where the dependent coordinates are cyclic
    Chaplygin,
    /// Hamel, in quasi-velocities
    Hamel,
    /// Hamilton, an almost-Poisson bracket on the constraint space
    Hamilton,
    /// Every form that applies
    All,
}

impl FormChoice {
    pub(crate) fn forms(self) -> Vec<Form> {
        match self {
            FormChoice::Multipliers => vec![Form::Multipliers],
            FormChoice::Voronets => vec![Form::Voronets],
            FormChoice::Chaplygin => vec![Form::Chaplygin],
            FormChoice::Hamel => vec![Form::Hamel],
            FormChoice::Hamilton => vec![Form::Hamilton],
            FormChoice::All => Form::ALL.to_vec(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned Unicode for the terminal
    Text,
    /// LaTeX (amsmath, KaTeX)
    Latex,
    /// A Python function
    Python,
    /// A Rust function
    Rust,
    /// A C99 function
    C,
    /// One JSON document
    Json,
}
