//! What can be typed.

use crate::Refusal;
use crate::settings::{Flags, Motion, Reported};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use polhode::base::SourceFile;
use polhode::model::BadSetting;
use polhode::model::run::assignment;
use polhode::prelude::{Form, ParseOptions, Plan};
use std::path::PathBuf;

/// A workbench for nonholonomic mechanics.
#[derive(Debug, Parser)]
#[command(name = "polhode", version, about, max_term_width = 100)]
#[command(
    after_help = "Start with:  polhode run rolling-disk\nIts equations:  polhode derive rolling-disk\nThen copy a model and change it:  polhode show rolling-disk > mine.toml"
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
    /// Examine the constraints of a model: rank, singular set, holonomic or not, flags, integrals
    Check(CheckOptions),
    /// Derive the equations of motion
    Derive(DeriveOptions),
    /// Reduce by symmetry: group, connection, curvature, reduced equations, reconstruction
    Reduce(ReduceOptions),
    /// Simulate; without a model, list what can be run
    Run(Box<RunOptions>),
    /// Integrals of the motion, symmetries and invariant measure; with --test, decide one candidate
    Conserved(ConservedOptions),
    /// Closed forms and quadratures: which solution a motion has, its formulas, constants and periods, values at any time
    Exact(ExactOptions),
    /// Contact Jacobians, contact kinematics and forces, at the start or along the motion
    Contact(ContactOptions),
    /// Plots and 3-D in the browser; without a model, the gallery
    View(ViewOptions),
    /// Write a page that needs no network, or a 3-D scene
    Export(ExportOptions),
    /// Write everything known about a model on one page
    Report(ReportOptions),
    /// Answer one request of `polhode view`
    #[command(hide = true)]
    ViewWorker(WorkerOptions),
    /// Many motions: grids, lists, random and low-discrepancy samples over parameters and initial values
    Sweep(Box<crate::sweep::args::SweepOptions>),
    /// Figures for a paper: curves over time, phase portraits, tracks, curves of contact, Poincaré sections, scenes, maps
    Plot(Box<crate::plot::args::PlotOptions>),
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
    #[command(flatten)]
    pub(crate) changes: Changes,
}

/// What to change in a model, and how to answer.
#[derive(Debug, Args)]
pub(crate) struct Changes {
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

/// Assignments NAME=EXPR, split at their equals sign.
pub(crate) fn assignments(flag: &str, items: &[String]) -> Result<Vec<(String, String)>, BadSetting> {
    items.iter().map(|item| assignment(flag, item)).collect()
}

impl Changes {
    /// The assignments of `--set` and `--init`.
    pub(crate) fn parse_options(&self) -> Result<ParseOptions, BadSetting> {
        let (parameters, initial) = (assignments("--set", &self.set)?, assignments("--init", &self.init)?);
        Ok(ParseOptions { parameters, initial, ..ParseOptions::default() })
    }
}

/// In which coordinates a rolling body is described.
#[derive(Debug, Args)]
pub(crate) struct Coordinates {
    /// Describe a rolling body by the parameters of its points of contact: u, v, theta, u1, v1
    #[arg(long)]
    pub(crate) neumann: bool,
    /// Their charts on body and ground: standard, polar-x, polar-y, elliptic, revolution; e.g. elliptic,standard
    #[arg(long, value_name = "BODY,GROUND", value_delimiter = ',', num_args = 1, requires = "neumann")]
    pub(crate) charts: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// Also look at this point, e.g. --at "phi=pi/2,x=0"; what is left out stays generic (repeatable)
    #[arg(long, value_name = "NAME=EXPR,…", allow_hyphen_values = true)]
    pub(crate) at: Vec<String>,
    /// Choose the independent velocities, e.g. --independent "theta',phi',x'"
    #[arg(long, value_name = "V1,V2,…", value_delimiter = ',')]
    pub(crate) independent: Vec<String>,
    #[command(flatten)]
    pub(crate) coordinates: Coordinates,
}

#[derive(Debug, Args)]
pub(crate) struct DeriveOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// The form of the equations
    #[arg(long, default_value = Form::Voronets.name(), value_name = "FORM", value_parser = FormChoice::parser())]
    pub(crate) form: FormChoice,
    /// How to print them
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Compare all applicable forms at random states in 50-digit arithmetic
    #[arg(long)]
    pub(crate) verify: bool,
    /// Show the structure behind Hamilton's equations: brackets, Jacobi's identity, the quotient by the symmetries
    #[arg(long)]
    pub(crate) structure: bool,
    /// Choose the independent velocities, e.g. --independent "theta',phi',x'"
    #[arg(long, value_name = "V1,V2,…", value_delimiter = ',')]
    pub(crate) independent: Vec<String>,
    /// For constraints that come and go: the equations of one region only, by its number or its description
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) coordinates: Coordinates,
}

#[derive(Debug, Args)]
pub(crate) struct ReduceOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// The connection: that of the model, or H orthogonal to S in the kinetic energy, or the plainest
    #[arg(long, value_name = "WHICH")]
    pub(crate) connection: Option<ConnectionChoice>,
    /// Take the symmetries that are found, not those of the model
    #[arg(long)]
    pub(crate) found: bool,
    /// How to print it
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    pub(crate) format: PageFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConnectionChoice {
    /// The horizontal fields of the model
    Given,
    /// Orthogonal in the kinetic energy: the nonholonomic connection
    Kinetic,
    /// As it comes out of the constraints
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// Aligned Unicode for the terminal
    Text,
    /// LaTeX (amsmath, KaTeX)
    Latex,
    /// One JSON document
    Json,
}

/// Which motion of a model, and how it is computed.
#[derive(Debug, Args)]
pub(crate) struct MotionOptions {
    #[command(flatten)]
    pub(crate) changes: Changes,
    #[command(flatten)]
    pub(crate) settings: Flags<Motion>,
    #[command(flatten)]
    pub(crate) coordinates: Coordinates,
}

impl MotionOptions {
    /// What decides the motion of a model.
    pub(crate) fn plan(&self, source: SourceFile) -> Result<Plan, Refusal> {
        Ok(Plan {
            source,
            values: self.changes.parse_options()?,
            charts: self.coordinates.chosen()?,
            settings: self.settings.settings()?,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// A model file or the name of a built-in model
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) motion: MotionOptions,
    #[command(flatten)]
    pub(crate) reported: Flags<Reported>,
    /// Write the reported times as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the reported times as Parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) parquet: Option<PathBuf>,
    /// Write the reported times as arrays for NumPy
    #[arg(long, value_name = "FILE")]
    pub(crate) npz: Option<PathBuf>,
    /// Draw the motion: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ConservedOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// Is this function constant? A formula in the names of the model, `energy` and observables (repeatable)
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) test: Vec<String>,
    /// Degree of the coefficient functions that are searched
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=8).map(usize::from))]
    pub(crate) degree: usize,
    /// A coefficient function to search with, instead of the usual ones (repeatable)
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) basis: Vec<String>,
    /// A common factor to try besides the usual ones, e.g. "sqrt(1 + y^2)" (repeatable)
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) weight: Vec<String>,
    /// Put the values of the parameters into the model, for what other values do not have
    #[arg(long)]
    pub(crate) at_values: bool,
    /// Look for integrals quadratic in the velocities too, with coefficients of this degree
    #[arg(long)]
    pub(crate) quadratic: bool,
    /// Let motions propose integrals, to be decided by algebra
    #[arg(long)]
    pub(crate) detect: bool,
    /// Only the invariant measure
    #[arg(long)]
    pub(crate) measure: bool,
    /// Search besides answering --test or --measure
    #[arg(long)]
    pub(crate) search: bool,
    /// How to print the answer
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    pub(crate) format: ConservedFormat,
    #[command(flatten)]
    pub(crate) coordinates: Coordinates,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConservedFormat {
    /// Unicode for the terminal
    Text,
    /// Formulas in LaTeX
    Latex,
    /// One JSON document
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ExactOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// Draw V_eff with its turning points, and the oscillation: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Values at exactly these times; the cost does not grow with them
    #[arg(long, value_name = "T1,T2,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) at: Vec<String>,
    /// How to print it
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    pub(crate) format: PageFormat,
    #[command(flatten)]
    pub(crate) steady: crate::exact::steady::SteadyOptions,
    #[command(flatten)]
    pub(crate) coordinates: Coordinates,
}

#[derive(Debug, Args)]
pub(crate) struct ContactOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    #[command(flatten)]
    pub(crate) settings: Flags<Motion>,
    /// At these times of the motion; without it at the start
    #[arg(long, value_name = "T1,T2,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) at: Vec<String>,
    /// Only the contact with this name (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) contact: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ViewOptions {
    /// A model file or the name of a built-in model
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Listen on this port of 127.0.0.1; without it on any that is free
    #[arg(long, value_name = "P", default_value_t = 0)]
    pub(crate) port: u16,
    /// Only print the address
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Time for one answer, in seconds; what takes longer is ended
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) time_limit: u64,
    /// Memory for one answer, in MB; what needs more is ended
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(64..=1_048_576))]
    pub(crate) memory_limit: u64,
    #[command(flatten)]
    pub(crate) changes: Changes,
    #[command(flatten)]
    pub(crate) settings: Flags<Motion>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerOptions {
    /// Seconds
    #[arg(long)]
    pub(crate) time: u64,
    /// Megabytes
    #[arg(long)]
    pub(crate) memory: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    #[command(flatten)]
    pub(crate) settings: Flags<Motion>,
    /// Write one page with everything in it: FILE.html
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the scene with the motion as an animation, for Blender and others: FILE.glb
    #[arg(long, value_name = "FILE")]
    pub(crate) gltf: Option<PathBuf>,
    /// Time for the motion and for each form of the equations, in seconds; a motion that takes longer ends there
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) time_limit: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ReportOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    #[command(flatten)]
    pub(crate) settings: Flags<Motion>,
    /// Where the page is written: FILE.html; MODEL-report.html without it
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Time for the motion and for each section, in seconds; what takes longer ends there or is left out
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) time_limit: u64,
}

/// The forms to derive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormChoice {
    One(Form),
    /// Every form that applies.
    All,
}

impl FormChoice {
    pub(crate) fn forms(self) -> Vec<Form> {
        match self {
            FormChoice::One(form) => vec![form],
            FormChoice::All => Form::ALL.to_vec(),
        }
    }

    fn parser() -> impl TypedValueParser<Value = FormChoice> {
        let forms = Form::ALL.into_iter().map(|form| PossibleValue::new(form.name()).help(form.title()));
        let all = PossibleValue::new("all").help("Every form that applies");
        PossibleValuesParser::new(forms.chain([all])).map(|name| name.parse().map_or(FormChoice::All, FormChoice::One))
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
