//! Where what is kept is found in a compiled system, and how it becomes numbers.

use crate::keep::{Keep, Of};
use crate::reduce::{Follow, Reducer};
use crate::study::Study;
use polhode_simulate::{Compiled, Group};

/// Where one item comes from; nothing if this system does not have it.
#[derive(Clone, Debug)]
enum Source {
    Missing,
    /// A number of the sample at the end, by its place.
    Final(usize),
    /// What a reducer follows, by its index.
    Followed(usize),
    /// The same for largest and smallest value.
    Range(usize, usize),
    Event(String),
    Lyapunov,
    Drift,
    Steps,
}

/// What is known of a motion at its end.
pub(crate) struct Known<'a> {
    /// A number of the sample at the end, by its place.
    pub(crate) number: &'a dyn Fn(usize) -> f64,
    /// How often an event happened, and when first.
    pub(crate) event: &'a dyn Fn(&str) -> [f64; 2],
    pub(crate) reducer: &'a Reducer,
    pub(crate) lyapunov: f64,
    pub(crate) drift: f64,
    pub(crate) steps: u64,
}

/// Where everything that is kept is found.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// The numbers that are looked at during the motion.
    pub(crate) watched: Vec<usize>,
    follow: Vec<(usize, Follow)>,
    items: Vec<(Keep, Source)>,
}

impl Outline {
    /// In one compiled system.
    pub(crate) fn new(study: &Study, compiled: &Compiled) -> Outline {
        let mut outline = Outline { watched: Vec::new(), follow: Vec::new(), items: Vec::new() };
        for item in &study.keep {
            let source = match item {
                Keep::Of(of, formula) => match place(study, compiled, formula) {
                    None => Source::Missing,
                    Some(place) => outline.source(*of, place),
                },
                Keep::Event(name) => Source::Event(name.clone()),
                Keep::Lyapunov => Source::Lyapunov,
                Keep::Drift => Source::Drift,
                Keep::Steps => Source::Steps,
                Keep::Final | Keep::Events => unreachable!("written out when the study was made"),
            };
            outline.items.push((item.clone(), source));
        }
        outline
    }

    fn source(&mut self, of: Of, place: usize) -> Source {
        match of {
            Of::Final => Source::Final(place),
            Of::Max => Source::Followed(self.followed(place, Follow::largest())),
            Of::Min => Source::Followed(self.followed(place, Follow::smallest())),
            Of::Range => {
                let low = self.followed(place, Follow::smallest());
                Source::Range(low, self.followed(place, Follow::largest()))
            }
            Of::Crossings | Of::Period => Source::Followed(self.followed(place, Follow::signs(0.0))),
            Of::Reversals(level) => Source::Followed(self.followed(place, Follow::signs(level))),
        }
    }

    /// The index of what is followed; the same is followed once.
    fn followed(&mut self, place: usize, follow: Follow) -> usize {
        let k = self.watched.iter().position(|p| *p == place).unwrap_or_else(|| {
            self.watched.push(place);
            self.watched.len() - 1
        });
        // fresh ones differ in kind alone, but for the times that are not numbers yet
        let same = |(j, f): &(usize, Follow)| *j == k && format!("{f:?}") == format!("{follow:?}");
        self.follow.iter().position(same).unwrap_or_else(|| {
            self.follow.push((k, follow));
            self.follow.len() - 1
        })
    }

    /// Who looks on.
    pub(crate) fn reducer(&self) -> Reducer {
        Reducer::new(self.follow.clone(), self.watched.len())
    }

    /// Whether the Lyapunov exponent is asked for.
    pub(crate) fn wants_lyapunov(&self) -> bool {
        self.items.iter().any(|(_, s)| matches!(s, Source::Lyapunov))
    }

    /// Whether the events of motions are asked for.
    pub(crate) fn wants_events(&self) -> bool {
        self.items.iter().any(|(_, s)| matches!(s, Source::Event(_)))
    }

    /// The numbers that are kept as they are at the end, each once.
    pub(crate) fn final_places(&self) -> Vec<usize> {
        let mut places: Vec<usize> =
            self.items.iter().filter_map(|(_, s)| if let Source::Final(p) = s { Some(*p) } else { None }).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The numbers of a motion.
    pub(crate) fn values(&self, known: &Known<'_>) -> Vec<f64> {
        let reducer = known.reducer;
        let mut out = Vec::new();
        for (item, source) in &self.items {
            match source {
                Source::Missing => out.extend(item.columns().iter().map(|_| f64::NAN)),
                Source::Final(place) => out.push((known.number)(*place)),
                Source::Followed(k) => match (&reducer.follow[*k].1, item) {
                    (Follow::Extreme { sign, best, t, .. }, _) => {
                        // a motion without a step has its start alone, which was not looked at
                        out.extend(if t.is_nan() { [f64::NAN; 2] } else { [sign * best, *t] });
                    }
                    (Follow::Signs(s), Keep::Of(Of::Period, _)) => out.push(s.period()),
                    (Follow::Signs(s), Keep::Of(Of::Crossings, _)) => out.extend([s.count as f64, s.first, s.last]),
                    (Follow::Signs(s), _) => out.extend([s.count as f64, s.first]),
                },
                Source::Range(low, high) => {
                    let best = |k: usize| match &reducer.follow[k].1 {
                        Follow::Extreme { sign, best, .. } if best.is_finite() => sign * best,
                        _ => f64::NAN,
                    };
                    out.push(best(*high) - best(*low));
                }
                Source::Event(name) => out.extend((known.event)(name)),
                Source::Lyapunov => out.push(known.lyapunov),
                Source::Drift => out.push(known.drift),
                Source::Steps => out.push(known.steps as f64),
            }
        }
        out
    }
}

/// The place of a variable or kept formula among the numbers of a sample.
fn place(study: &Study, compiled: &Compiled, formula: &str) -> Option<usize> {
    let kept = study.observables.iter().find(|(_, f)| f == formula);
    let name = kept.map_or(formula, |(name, _)| name);
    compiled.variables.iter().filter(|v| v.group != Group::Residual).find_map(|v| {
        let k = v.titles().iter().position(|c| c == name)?;
        Some(v.numbers.start + k)
    })
}
