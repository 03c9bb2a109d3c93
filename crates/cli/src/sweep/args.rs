//! What can be typed after `polhode sweep`.

use crate::args::Changes;
use crate::settings::{Flags, Motion};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct SweepOptions {
    #[command(subcommand)]
    pub(crate) command: Option<SweepCommand>,
    #[command(flatten)]
    pub(crate) study: StudyOptions,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    #[command(flatten)]
    pub(crate) map: MapOptions,
    /// Threads to use; all cores without it
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SweepCommand {
    /// Write down what a sweep does, to be run in shards
    Plan(Box<PlanOptions>),
    /// Run one shard of a plan; after a kill it goes on where it was
    Run(ShardOptions),
    /// Put the shards of a plan together
    Merge(MergeOptions),
    /// Draw a table that a sweep has written as a map
    Map(DrawOptions),
}

/// What is varied, how, and what is kept.
#[derive(Debug, Args)]
pub(crate) struct StudyOptions {
    /// A model file or the name of a built-in model
    #[arg(value_name = "MODEL", required_unless_present = "file")]
    pub(crate) model: Option<String>,
    /// A sweep file, in place of the model and the flags below
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["model", "vary", "random", "sobol", "seed"])]
    pub(crate) file: Option<PathBuf>,
    /// What to vary: NAME=FROM..TO:N, NAME=FROM..TO:N:log, NAME=[V1,V2,…]; NAME=FROM..TO with --random or --sobol (repeatable)
    #[arg(long, value_name = "NAME=VALUES", allow_hyphen_values = true)]
    pub(crate) vary: Vec<String>,
    /// Fill ranges with so many random points
    #[arg(long, value_name = "N", conflicts_with = "sobol")]
    pub(crate) random: Option<u64>,
    /// Fill ranges with so many points of Sobol's sequence
    #[arg(long, value_name = "N")]
    pub(crate) sobol: Option<u64>,
    /// The seed of the points
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// What to keep of every motion, e.g. --keep "max(theta), reversals(phi'), lyapunov" (repeatable)
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) keep: Vec<String>,
    #[command(flatten)]
    pub(crate) changes: Changes,
    #[command(flatten)]
    pub(crate) settings: Flags<Motion>,
    /// Who runs the motions: side by side, or one after the other; without it, side by side where that can be done
    #[arg(long, value_name = "ENGINE", value_parser = polhode::sweep::EngineKind::NAMES)]
    pub(crate) engine: Option<String>,
}

/// Where the table goes.
#[derive(Debug, Args)]
pub(crate) struct Outputs {
    /// Write the table: FILE.parquet, FILE.csv or FILE.npz (repeatable); MODEL-sweep.parquet without it
    #[arg(short, long = "out", value_name = "FILE")]
    pub(crate) out: Vec<PathBuf>,
}

/// A picture of two axes.
#[derive(Debug, Args)]
pub(crate) struct MapOptions {
    /// Draw a map over two axes: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// The column that the colours of the map show; the first that is kept without it
    #[arg(long, value_name = "COLUMN", visible_alias = "color", allow_hyphen_values = true)]
    pub(crate) colour: Option<String>,
    /// The title of the map
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanOptions {
    #[command(flatten)]
    pub(crate) study: StudyOptions,
    /// Write the plan here
    #[arg(short, long = "out", value_name = "PLAN.toml")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ShardOptions {
    /// The plan
    #[arg(value_name = "PLAN.toml")]
    pub(crate) plan: PathBuf,
    /// Which part of how many, counted from 1
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    pub(crate) shard: String,
    /// The folder of the shards; PLAN.shards without it
    #[arg(short, long = "out", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Threads to use; all cores without it
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MergeOptions {
    /// The plan
    #[arg(value_name = "PLAN.toml")]
    pub(crate) plan: PathBuf,
    /// The folder of the shards; PLAN.shards without it
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    #[command(flatten)]
    pub(crate) map: MapOptions,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DrawOptions {
    /// A Parquet file of a sweep
    #[arg(value_name = "FILE.parquet")]
    pub(crate) table: PathBuf,
    /// Write the map: FILE.svg or FILE.png; beside the table without it
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) columns: Columns,
    /// The title of the map; that of the model without it
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
}

/// What a map of a table shows.
#[derive(Debug, Args)]
pub(crate) struct Columns {
    /// The column that the colours show; the first that is kept without it
    #[arg(long, value_name = "COLUMN", visible_alias = "color", allow_hyphen_values = true)]
    pub(crate) colour: Option<String>,
    /// The horizontal axis; the first that was varied without it
    #[arg(long, value_name = "COLUMN")]
    pub(crate) x: Option<String>,
    /// The vertical axis; the second that was varied without it
    #[arg(long, value_name = "COLUMN")]
    pub(crate) y: Option<String>,
}
