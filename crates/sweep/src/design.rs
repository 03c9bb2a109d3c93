//! Which motions: axes, and the sample with a number.
//!
//! Axes with their own values (grids and lists) form a product, the first one slowest. Axes with a range alone are filled with points, random
//! or of Sobol's sequence: every node of the product has the same points, so that nodes can be compared. Sample i depends on the design, its seed and
//! i alone.

use crate::budget;
use crate::philox;
use crate::sobol::Sobol;
use std::fmt;

/// Distances between values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
}

/// The values of an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// So many, evenly spaced, both ends included.
    Grid {
        /// The first.
        from: f64,
        /// The last.
        to: f64,
        /// How many.
        count: u64,
        /// How they are spaced.
        scale: Scale,
    },
    /// These.
    List(Vec<f64>),
    /// Points between these.
    Range {
        /// The smallest.
        from: f64,
        /// The largest.
        to: f64,
        /// How they are spread.
        scale: Scale,
    },
}

/// What is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// A parameter, an initial value such as `theta'`, or a name used in the formulas of others.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// How axes with a range alone are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Points {
    /// There are none.
    #[default]
    None,
    /// So many random points.
    Random(u64),
    /// So many points of Sobol's sequence.
    Sobol(u64),
}

/// Why there is no such design.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BadDesign {
    /// Nothing is varied.
    Nothing,
    /// An axis is there twice.
    Twice(String),
    /// An axis has no values.
    Empty(String),
    /// An end of an axis is not finite, or both are the same where several values are asked for.
    Ends(String),
    /// Equal ratios from a number to one of another sign, or zero.
    Ratio(String),
    /// A range without points to fill it.
    Unfilled(String),
    /// Points without a range that they fill.
    NoRange,
    /// More ranges than Sobol's sequence has coordinates here.
    TooManyRanges(usize),
    /// More samples than can be counted.
    TooMany,
    /// The text of an axis.
    Text {
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
}

impl fmt::Display for BadDesign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadDesign::Nothing => f.write_str("nothing is varied"),
            BadDesign::Twice(name) => write!(f, "`{name}` is varied twice"),
            BadDesign::Empty(name) => write!(f, "`{name}` has no values"),
            BadDesign::Ends(name) => write!(f, "the values of `{name}` must be finite, and the ends of a range differ"),
            BadDesign::Ratio(name) => {
                write!(
                    f,
                    "the values of `{name}` cannot have equal ratios: both ends must be positive, or both negative"
                )
            }
            BadDesign::Unfilled(name) => write!(f, "`{name}` has a range, and nothing says how many values it has"),
            BadDesign::NoRange => f.write_str("there is no range to be filled with points"),
            BadDesign::TooManyRanges(n) => {
                write!(f, "{n} ranges are more than Sobol's sequence has coordinates here ({})", budget::SOBOL_RANGES)
            }
            BadDesign::TooMany => f.write_str("these are more samples than can be counted"),
            BadDesign::Text { text, why } => write!(f, "`--vary {text}`: {why}"),
        }
    }
}

impl std::error::Error for BadDesign {}

impl Axis {
    /// Reads `NAME=FROM..TO:N`, `NAME=FROM..TO:N:log`, `NAME=[V1,V2,…]`, `NAME=FROM..TO` or `NAME=FROM..TO:log`; `number` evaluates one value.
    pub fn read(text: &str, number: &dyn Fn(&str) -> Result<f64, String>) -> Result<Axis, BadDesign> {
        let bad = |why: &str| BadDesign::Text { text: text.to_owned(), why: why.to_owned() };
        let (name, values) = text.split_once('=').ok_or_else(|| bad("it is not of the form NAME=FROM..TO:N"))?;
        let (name, values) = (name.trim(), values.trim());
        if name.is_empty() {
            return Err(bad("the name is missing"));
        }
        let number = |part: &str| number(part.trim()).map_err(|why| bad(&why));
        let name = name.to_owned();
        if let Some(list) = values.strip_prefix('[') {
            let list = list.strip_suffix(']').ok_or_else(|| bad("the list does not end with `]`"))?;
            let parts = split(list, ',').into_iter().filter(|p| !p.trim().is_empty());
            return Ok(Axis { name, values: Values::List(parts.map(number).collect::<Result<_, _>>()?) });
        }
        let Some((from, rest)) = values.split_once("..") else {
            return Err(bad("write FROM..TO:N for a grid, [V1,V2,…] for a list, FROM..TO for --random and --sobol"));
        };
        let mut parts = rest.split(':').map(str::trim);
        let to = parts.next().unwrap_or_default();
        let (from, to) = (number(from)?, number(to)?);
        let (mut count, mut scale) = (None, Scale::Linear);
        for part in parts {
            match part {
                "log" => scale = Scale::Log,
                _ if count.is_none() && part.parse::<u64>().is_ok() => count = part.parse().ok(),
                _ => return Err(bad(&format!("`{part}` is neither a number of values nor `log`"))),
            }
        }
        let values = match count {
            Some(count) => Values::Grid { from, to, count, scale },
            None => Values::Range { from, to, scale },
        };
        Ok(Axis { name, values })
    }

    /// How many values it has of its own; one for a range.
    pub fn count(&self) -> u64 {
        match &self.values {
            Values::Grid { count, .. } => *count,
            Values::List(list) => list.len() as u64,
            Values::Range { .. } => 1,
        }
    }

    /// Whether points fill it.
    pub fn is_range(&self) -> bool {
        matches!(self.values, Values::Range { .. })
    }

    /// The smallest value it may have.
    pub fn lowest(&self) -> f64 {
        match &self.values {
            Values::Grid { from, to, .. } | Values::Range { from, to, .. } => from.min(*to),
            Values::List(list) => list.iter().copied().fold(f64::INFINITY, f64::min),
        }
    }

    /// Value number `k` of a grid or list, or the one at a fraction `u` of a range.
    fn value(&self, k: u64, u: f64) -> f64 {
        match &self.values {
            // both ends exactly
            Values::Grid { from, count, .. } if *count == 1 || k == 0 => *from,
            Values::Grid { to, count, .. } if k + 1 == *count => *to,
            Values::Grid { from, to, count, scale } => between(*from, *to, k as f64 / (count - 1) as f64, *scale),
            Values::List(list) => list[k as usize],
            Values::Range { from, to, scale } => between(*from, *to, u, *scale),
        }
    }

    fn check(&self) -> Result<(), BadDesign> {
        let name = || self.name.clone();
        if self.count() == 0 {
            return Err(BadDesign::Empty(name()));
        }
        match &self.values {
            Values::List(list) if list.iter().all(|x| x.is_finite()) => Ok(()),
            Values::Grid { from, to, scale, .. } | Values::Range { from, to, scale }
                if from.is_finite() && to.is_finite() && (from != to || self.count() == 1 && !self.is_range()) =>
            {
                match scale {
                    Scale::Log if *from == 0.0 || *to == 0.0 || (*from > 0.0) != (*to > 0.0) => {
                        Err(BadDesign::Ratio(name()))
                    }
                    _ => Ok(()),
                }
            }
            _ => Err(BadDesign::Ends(name())),
        }
    }
}

fn between(from: f64, to: f64, u: f64, scale: Scale) -> f64 {
    match scale {
        // neither way overflows where the ends do not
        Scale::Linear if (to - from).is_finite() => from + (to - from) * u,
        Scale::Linear => from * (1.0 - u) + to * u,
        Scale::Log if (to / from).is_normal() => from * (to / from).powf(u),
        Scale::Log => from.signum() * (from.abs().ln() * (1.0 - u) + to.abs().ln() * u).exp(),
    }
}

/// Splits at a character that is not within brackets.
pub fn split(text: &str, at: char) -> Vec<&str> {
    let mut depth = 0;
    text.split(|c: char| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == at && depth == 0
    })
    .collect()
}

/// All samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    axes: Vec<Axis>,
    points: Points,
    seed: u64,
    sobol: Option<Sobol>,
    nodes: u64,
}

impl Design {
    /// The product of the axes, filled with points where they are ranges.
    pub fn new(axes: Vec<Axis>, points: Points, seed: u64) -> Result<Design, BadDesign> {
        if axes.is_empty() {
            return Err(BadDesign::Nothing);
        }
        for (i, axis) in axes.iter().enumerate() {
            axis.check()?;
            if axes[..i].iter().any(|a| a.name == axis.name) {
                return Err(BadDesign::Twice(axis.name.clone()));
            }
        }
        let ranges = axes.iter().filter(|a| a.is_range()).count();
        match (points, axes.iter().find(|a| a.is_range())) {
            (Points::None, Some(axis)) => return Err(BadDesign::Unfilled(axis.name.clone())),
            (Points::Random(_) | Points::Sobol(_), None) => return Err(BadDesign::NoRange),
            (Points::Random(0) | Points::Sobol(0), Some(axis)) => return Err(BadDesign::Empty(axis.name.clone())),
            (Points::Sobol(_), _) if ranges > budget::SOBOL_RANGES => return Err(BadDesign::TooManyRanges(ranges)),
            _ => {}
        }
        let nodes = axes.iter().try_fold(1u64, |n, a| n.checked_mul(a.count())).ok_or(BadDesign::TooMany)?;
        let sobol = matches!(points, Points::Sobol(_)).then(|| Sobol::new(ranges, seed));
        let design = Design { axes, points, seed, sobol, nodes };
        // doubles count to 2⁵³
        match nodes.checked_mul(design.per_node()) {
            Some(n) if n <= 1 << 53 => Ok(design),
            _ => Err(BadDesign::TooMany),
        }
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How ranges are filled.
    pub fn points(&self) -> Points {
        self.points
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Points at every node of the product.
    fn per_node(&self) -> u64 {
        match self.points {
            Points::None => 1,
            Points::Random(n) | Points::Sobol(n) => n,
        }
    }

    /// Number of samples.
    #[allow(clippy::len_without_is_empty)] // a design has at least one sample
    pub fn len(&self) -> u64 {
        self.nodes * self.per_node()
    }

    /// The values of sample `i`, one for each axis.
    pub fn sample(&self, i: u64) -> Vec<f64> {
        let (mut node, point) = (i / self.per_node(), i % self.per_node());
        let mut places = vec![0; self.axes.len()];
        for (place, axis) in places.iter_mut().zip(&self.axes).rev() {
            *place = node % axis.count();
            node /= axis.count();
        }
        let mut range = 0;
        let value = |(axis, k): (&Axis, u64)| {
            let u = match (axis.is_range(), &self.sobol) {
                (false, _) => 0.0,
                (true, Some(sobol)) => sobol.at(point, range),
                (true, None) => philox::unit(philox::bits(self.seed, 0, point, range as u16)),
            };
            range += usize::from(axis.is_range());
            axis.value(k, u)
        };
        self.axes.iter().zip(places).map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<f64, String> {
        text.parse().map_err(|_| format!("`{text}` is no number"))
    }

    fn axis(text: &str) -> Axis {
        Axis::read(text, &number).unwrap()
    }

    fn design(axes: &[&str], points: Points, seed: u64) -> Result<Design, BadDesign> {
        Design::new(axes.iter().map(|a| axis(a)).collect(), points, seed)
    }

    #[test]
    fn grids_lists_and_their_product() {
        let d = design(&["a=0..1:3", "b=[5,7]"], Points::None, 0).unwrap();
        assert_eq!(d.len(), 6);
        let all: Vec<Vec<f64>> = (0..6).map(|i| d.sample(i)).collect();
        assert_eq!(all, [[0.0, 5.0], [0.0, 7.0], [0.5, 5.0], [0.5, 7.0], [1.0, 5.0], [1.0, 7.0]]);
        let d = design(&["a=1e-2..100:5:log"], Points::None, 0).unwrap();
        let all: Vec<f64> = (0..5).map(|i| d.sample(i)[0]).collect();
        assert_eq!((all[0], all[4]), (1e-2, 100.0));
        assert!((all[2] - 1.0).abs() < 1e-15);
        assert_eq!(design(&["a=-4..-1:3:log"], Points::None, 0).unwrap().sample(1), [-2.0]);
    }

    #[test]
    fn random_samples_depend_on_seed_and_number_alone() {
        let d = design(&["a=2..4", "n=[1,2]", "b=1..100:log"], Points::Random(1000), 5).unwrap();
        assert_eq!(d.len(), 2000);
        assert_eq!(d.sample(17), d.clone().sample(17));
        let (at, again) = (d.sample(17), d.sample(1017));
        assert_eq!((at[0], at[2], at[1], again[1]), (again[0], again[2], 1.0, 2.0), "the same points at every node");
        let other = design(&["a=2..4", "n=[1,2]", "b=1..100:log"], Points::Random(1000), 6).unwrap();
        assert_ne!(at[0], other.sample(17)[0]);
        // the mean of 1000 uniform numbers on (2, 4) is 3 ± 2/√12000, six times that is never seen
        let mean = (0..1000).map(|i| d.sample(i)[0]).sum::<f64>() / 1000.0;
        assert!((mean - 3.0).abs() < 6.0 * 2.0 / 12000f64.sqrt(), "{mean}");
        let mean = (0..1000).map(|i| d.sample(i)[2].log10()).sum::<f64>() / 1000.0;
        assert!((mean - 1.0).abs() < 6.0 * 2.0 / 12000f64.sqrt(), "{mean}");
        assert!((0..1000).map(|i| d.sample(i)).all(|s| (2.0..4.0).contains(&s[0]) && (1.0..100.0).contains(&s[2])));
    }

    /// ∫ Π (1 + (x_d − ½)/d) = 1 in eight dimensions: Sobol's points come closer than random ones.
    #[test]
    fn low_discrepancy_integrates_better() {
        let names: Vec<String> = (0..8).map(|d| format!("x{d}=0..1")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let error = |points| {
            let d = design(&names, points, 1).unwrap();
            let f = |s: Vec<f64>| s.iter().enumerate().map(|(d, x)| 1.0 + (x - 0.5) / (d + 1) as f64).product::<f64>();
            ((0..4096).map(|i| f(d.sample(i))).sum::<f64>() / 4096.0 - 1.0).abs()
        };
        assert!(error(Points::Sobol(4096)) < 1e-4);
        assert!(error(Points::Sobol(4096)) < 0.2 * error(Points::Random(4096)));
    }

    #[test]
    fn mistakes_are_told() {
        let told = |axes: &[&str], points| design(axes, points, 0).unwrap_err().to_string();
        assert_eq!(told(&["a=0..1"], Points::None), "`a` has a range, and nothing says how many values it has");
        assert_eq!(told(&["a=0..1:3"], Points::Sobol(4)), "there is no range to be filled with points");
        assert_eq!(told(&["a=0..1:3", "a=[1]"], Points::None), "`a` is varied twice");
        assert_eq!(told(&["a=[]"], Points::None), "`a` has no values");
        assert!(told(&["a=-1..1:3:log"], Points::None).contains("equal ratios"));
        assert_eq!(told(&["a=0..1:4000000000", "b=0..1:4000000000"], Points::None), BadDesign::TooMany.to_string());
        let read = |text| Axis::read(text, &number).unwrap_err().to_string();
        assert_eq!(read("a=1..2:x"), "`--vary a=1..2:x`: `x` is neither a number of values nor `log`");
        assert_eq!(read("a=q..2:5"), "`--vary a=q..2:5`: `q` is no number");
        assert!(read("a").contains("NAME=FROM..TO:N"));
        assert!(read("a=5").contains("FROM..TO:N"));
    }
}
