//! The motions of a figure: one, or one for each combination of what is varied.

use super::args::PlotOptions;
use crate::Refusal;
use crate::args::assignments;
use crate::input;
use crate::output::render;
use crate::sweep::{bad_design, number, refused_study};
use polhode::plot::number::short;
use polhode::prelude::*;
use polhode::sweep::{Axis, Design, Keep, Points, Roles, Scale, Spec, Values, roles::value_text};

/// Most motions of one figure.
const DRAWN_MOTIONS: u64 = 2000;

/// One motion: how the model is read, and what is said of it.
pub(super) struct Start {
    pub(super) options: ParseOptions,
    /// The values of what is varied, in the order of [`Starts::names`]; NaN for what is no number.
    pub(super) values: Vec<f64>,
    /// The same as text: `0.5`, `Rz(0.3)`.
    pub(super) texts: Vec<String>,
}

/// All motions.
pub(super) struct Starts {
    /// What is varied.
    pub(super) names: Vec<String>,
    pub(super) list: Vec<Start>,
    /// Whether the values of what is varied first are spaced by factors.
    pub(super) log: bool,
}

impl Starts {
    /// What `--vary` and repeated `--init` ask for.
    pub(super) fn new(options: &PlotOptions, model: &str) -> Result<Starts, Refusal> {
        let changes = &options.motion.changes;
        let set = assignments("--set", &changes.set)?;
        let (init, repeated) = repeated(assignments("--init", &changes.init)?);
        let file = input::source(model)?;
        let (bare, _) = Model::parse(file.name(), file.text(), &ParseOptions::default())
            .map_err(|r| render(&r.diagnostics, &r.source))?;
        let axes: Result<Vec<Axis>, _> =
            options.vary.iter().map(|text| Axis::read(text, &|t| number(&bare, t))).collect();
        let mut axes = axes.map_err(|e| bad_design(&e))?;
        let (varied, names) = (axes.len(), axes.iter().map(|a| a.name.clone()));
        let names: Vec<String> = names.chain(repeated.iter().map(|(name, _)| name.clone())).collect();
        // values that are no numbers go by their place
        let places = |n: usize| Values::List((0..n).map(|k| k as f64).collect());
        axes.extend(repeated.iter().map(|(name, texts)| Axis { name: name.clone(), values: places(texts.len()) }));
        if axes.is_empty() {
            let options = ParseOptions { parameters: set, initial: init, ..ParseOptions::default() };
            let list = vec![Start { options, values: Vec::new(), texts: Vec::new() }];
            return Ok(Starts { names, list, log: false });
        }
        let log = matches!(axes[0].values, Values::Grid { scale: Scale::Log, .. });
        let design = Design::new(axes, Points::None, 0).map_err(|e| bad_design(&e))?;
        if design.len() > DRAWN_MOTIONS {
            return Err(Refusal::BadInput(format!(
                "error: {} motions are more than a figure can show\n  = up to {DRAWN_MOTIONS} are drawn; `polhode sweep` runs more\n",
                design.len()
            )));
        }
        let settings = RunSettings::default();
        let spec = Spec { model: model.to_owned(), set, init, design, settings, engine: None, keep: Keep::usual() };
        let roles = Roles::new(&bare, &file, &spec).map_err(refused_study)?;
        let start = |i: u64| {
            let sample = spec.design.sample(i);
            let text = |(k, x): (usize, &f64)| match k.checked_sub(varied) {
                None => value_text(*x),
                Some(r) => repeated[r].1[*x as usize].clone(),
            };
            let texts: Vec<String> = sample.iter().enumerate().map(text).collect();
            let options = roles.options(&spec, &texts, false);
            let value = |(k, text): (usize, &String)| match k < varied {
                true => sample[k],
                false => number(&bare, text).unwrap_or(f64::NAN),
            };
            let values: Vec<f64> = texts.iter().enumerate().map(value).collect();
            let shown = |(text, x): (&String, &f64)| if x.is_nan() { text.clone() } else { short(*x, 6) };
            let texts = texts.iter().zip(&values).map(shown).collect();
            Start { options, values, texts }
        };
        let list = (0..spec.design.len()).map(start).collect();
        Ok(Starts { names, list, log })
    }

    /// What is varied besides the first, one entry for each combination that there is.
    pub(super) fn others(&self) -> Vec<Vec<String>> {
        let mut all: Vec<Vec<String>> = Vec::new();
        for start in &self.list {
            let own = start.texts.get(1..).unwrap_or_default();
            if !own.is_empty() && !all.iter().any(|known| known == own) {
                all.push(own.to_vec());
            }
        }
        all
    }

    /// Whether colours can stand for the values of what is varied first.
    pub(super) fn coloured(&self) -> bool {
        let mut values = self.list.iter().filter_map(|s| s.values.first());
        let finite = values.clone().all(|x| x.is_finite());
        let first = values.next();
        finite && first.is_some_and(|first| values.any(|x| x != first))
    }
}

/// Initial values that are given once, and those that are given several times with all that was given.
type Repeated = (Vec<(String, String)>, Vec<(String, Vec<String>)>);

fn repeated(all: Vec<(String, String)>) -> Repeated {
    let (mut once, mut several): Repeated = (Vec::new(), Vec::new());
    for (name, value) in &all {
        let count = all.iter().filter(|(n, _)| n == name).count();
        match several.iter_mut().find(|(n, _)| n == name) {
            _ if count == 1 => once.push((name.clone(), value.clone())),
            Some((_, values)) => values.push(value.clone()),
            None => several.push((name.clone(), vec![value.clone()])),
        }
    }
    (once, several)
}
