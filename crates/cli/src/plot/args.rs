//! What can be typed after `polhode plot`.

use crate::args::MotionOptions;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use polhode::model::Direction;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "What can be drawn:
  time LIST                quantities over time: `theta,x'` in panels, `x+y` in one panel, (x+y) a sum
  phase X Y                one quantity against another
  track [POINT…]           the points of contact seen from above, or a vector such as x_O, or a pair `x,y`
  curves                   the curves of contact on the body and on the ground
  section \"X = Y\" X Y      where motions cross a surface, e.g. section \"theta' = 0\" phi \"phi'\"
  scene                    the model in space, at the times of --at
  map FILE.parquet         a sweep over two axes, as `polhode sweep map`
Quantities are names of the model and of what a run reports, and formulas in them.
Several of them make a figure of several panels, or with as many --output a figure each.")]
pub(crate) struct PlotOptions {
    #[command(subcommand)]
    pub(crate) command: Option<PlotCommand>,
    /// A model file or the name of a built-in model
    #[arg(value_name = "MODEL", required = true)]
    pub(crate) model: Option<String>,
    /// What to draw: time LIST, phase X Y, track, curves, section "X = Y" X Y, scene
    #[arg(value_name = "WHAT", required = true)]
    pub(crate) words: Vec<String>,
    /// Write the figure: FILE.svg or FILE.png; MODEL-WHAT.svg without it (repeatable, one for each figure)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// Draw several motions: NAME=FROM..TO:N, NAME=FROM..TO:N:log, NAME=[V1,V2,…]; also --init NAME=… several times (repeatable)
    #[arg(long, value_name = "NAME=VALUES", allow_hyphen_values = true)]
    pub(crate) vary: Vec<String>,
    #[command(flatten)]
    pub(crate) page: Page,
    #[command(flatten)]
    pub(crate) motion: MotionOptions,
    /// Which crossings of a section count
    #[arg(long, value_name = "WHICH", default_value = Direction::Rising.name(), value_parser = direction())]
    pub(crate) direction: Direction,
    /// Write the points of a section as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Mark the time on tracks, every so often
    #[arg(long, value_name = "T")]
    pub(crate) ticks: Option<String>,
    /// The times of a scene
    #[arg(long, value_name = "T1,T2,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) at: Vec<String>,
    /// From where curves and scenes are seen: degrees about the vertical, from the x axis
    #[arg(long, value_name = "DEGREES", default_value_t = -60.0, allow_negative_numbers = true)]
    pub(crate) azimuth: f64,
    /// The same above the horizon
    #[arg(long, value_name = "DEGREES", default_value_t = 25.0, allow_negative_numbers = true)]
    pub(crate) elevation: f64,
    /// Scenes without the arrows of forces, velocities and axes
    #[arg(long)]
    pub(crate) no_arrows: bool,
    /// A figure that moves, in browsers: of tracks, curves and scenes
    #[arg(long)]
    pub(crate) animate: bool,
}

/// How a figure looks.
#[derive(Debug, Args)]
pub(crate) struct Page {
    /// For a journal, without ground, grid and title; or for a screen
    #[arg(long, value_name = "STYLE", default_value = "paper")]
    pub(crate) style: StyleChoice,
    /// Width on paper: 85mm (a column), 170mm (a page), 12cm, 5in
    #[arg(long, value_name = "LENGTH", default_value = "85mm")]
    pub(crate) width: String,
    /// The title of the figure
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StyleChoice {
    /// As in a journal
    Paper,
    /// As `polhode run --plot`
    Screen,
}

/// The directions of events; all crossings may be called `both`.
fn direction() -> impl TypedValueParser<Value = Direction> {
    let value = |d: Direction| match d {
        Direction::Rising => PossibleValue::new(d.name()).help("From below: the left side becomes the larger one"),
        Direction::Falling => PossibleValue::new(d.name()).help("From above"),
        Direction::Either => PossibleValue::new(d.name()).alias("both").help("All"),
    };
    let named = |name: String| Direction::ALL.into_iter().find(|d| d.name() == name).unwrap_or(Direction::Either);
    PossibleValuesParser::new(Direction::ALL.map(value)).map(named)
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlotCommand {
    /// Draw a table that a sweep has written as a map
    Map(TableOptions),
}

#[derive(Debug, Args)]
pub(crate) struct TableOptions {
    /// A Parquet file of a sweep
    #[arg(value_name = "FILE.parquet")]
    pub(crate) table: PathBuf,
    /// Write the map: FILE.svg or FILE.png; beside the table without it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) columns: crate::sweep::args::Columns,
    #[command(flatten)]
    pub(crate) page: Page,
}
