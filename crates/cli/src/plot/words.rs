//! What is to be drawn, read from words: `time theta,x' phase theta theta' track`.

use crate::Refusal;
use crate::run::unknown;
use polhode::sweep::design;

/// A figure or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Panels of curves over time.
    Time(Vec<Vec<String>>),
    /// One quantity against another.
    Phase(String, String),
    /// Tracks of these points; of the points of contact without any.
    Track(Vec<String>),
    /// The curves of contact.
    Curves,
    /// Where g = 0: how it was written, g, and two quantities.
    Section { written: String, surface: String, x: String, y: String },
    /// The model in space.
    Scene,
}

/// The words that begin a figure.
const KINDS: [&str; 6] = ["time", "phase", "track", "curves", "section", "scene"];

impl Wanted {
    /// The word that it begins with.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Wanted::Time(_) => "time",
            Wanted::Phase(..) => "phase",
            Wanted::Track(_) => "track",
            Wanted::Curves => "curves",
            Wanted::Section { .. } => "section",
            Wanted::Scene => "scene",
        }
    }

    /// The quantities that it needs, but for those of tracks.
    pub(super) fn quantities(&self) -> Vec<&str> {
        match self {
            Wanted::Time(panels) => panels.iter().flatten().map(String::as_str).collect(),
            Wanted::Phase(x, y) => vec![x, y],
            Wanted::Section { surface, x, y, .. } => vec![surface, x, y],
            Wanted::Track(points) => points.iter().flat_map(|p| split(p, ',')).collect(),
            Wanted::Curves | Wanted::Scene => Vec::new(),
        }
    }

    /// Whether it can move.
    pub(super) fn moves(&self) -> bool {
        matches!(self, Wanted::Track(_) | Wanted::Curves | Wanted::Scene)
    }
}

/// Splits at a character outside of brackets, without blanks around the parts.
pub(super) fn split(text: &str, at: char) -> Vec<&str> {
    design::split(text, at).into_iter().map(str::trim).collect()
}

fn refused(message: &str, help: &str) -> Refusal {
    Refusal::BadInput(format!("error: {message}\n  = {help}\n"))
}

/// Reads all words.
pub(super) fn read(words: &[String]) -> Result<Vec<Wanted>, Refusal> {
    let mut all = Vec::new();
    let mut rest = words;
    while let Some((kind, after)) = rest.split_first() {
        let taken = match kind.as_str() {
            "time" => 1,
            "phase" => 2,
            "section" => 3,
            "track" => after.iter().position(|w| KINDS.contains(&w.as_str())).unwrap_or(after.len()),
            "curves" | "scene" => 0,
            "map" => {
                return Err(refused(
                    "a map is drawn of a table, without a model",
                    "for example: polhode plot map sweep.parquet",
                ));
            }
            other => return Err(unknown("kind of figure", other, &KINDS)),
        };
        let given = after.get(..taken).ok_or_else(|| match kind.as_str() {
            "time" => refused("`time` of what?", "for example: time \"theta,theta'\""),
            "phase" => refused("a phase portrait has two quantities", "for example: phase theta \"theta'\""),
            _ => refused(
                "a section has a surface and two quantities",
                "for example: section \"theta' = 0\" theta \"phi'\"",
            ),
        })?;
        all.push(match (kind.as_str(), given) {
            ("time", [list]) => Wanted::Time(panels(list)?),
            ("phase", [x, y]) => Wanted::Phase(x.clone(), y.clone()),
            ("section", [condition, x, y]) => {
                let surface = surface(condition)?;
                Wanted::Section { written: condition.trim().to_owned(), surface, x: x.clone(), y: y.clone() }
            }
            ("track", points) => Wanted::Track(points.to_vec()),
            ("scene", _) => Wanted::Scene,
            _ => Wanted::Curves,
        });
        rest = &after[taken..];
    }
    Ok(all)
}

/// `a,b+c`: a panel of a, and one of b and c.
fn panels(list: &str) -> Result<Vec<Vec<String>>, Refusal> {
    let panel = |text: &&str| split(text, '+').into_iter().map(str::to_owned).collect::<Vec<String>>();
    let panels: Vec<Vec<String>> = split(list, ',').iter().map(panel).collect();
    match panels.iter().flatten().any(String::is_empty) {
        true => Err(refused(
            &format!("`time {list}`: a quantity is missing between the separators"),
            "commas separate panels, and + separates curves of one panel; a sum has brackets: (x+y)",
        )),
        false => Ok(panels),
    }
}

/// The function whose zeros are meant: left side minus right side.
fn surface(condition: &str) -> Result<String, Refusal> {
    let help = "for example: section \"theta' = 0\" theta \"phi'\"";
    if condition.contains(['<', '>', '!']) || condition.matches('=').count() > 1 {
        return Err(refused(&format!("`section \"{condition}\"`: a surface is an equation"), help));
    }
    match condition.split_once('=') {
        None => Ok(condition.trim().to_owned()),
        Some((left, right)) if left.trim().is_empty() || right.trim().is_empty() => {
            Err(refused(&format!("`section \"{condition}\"`: one side is missing"), help))
        }
        Some((left, right)) if matches!(right.trim(), "0" | "0.0") => Ok(left.trim().to_owned()),
        Some((left, right)) => Ok(format!("({}) - ({})", left.trim(), right.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Wanted> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        read(&words).unwrap_or_else(|_| panic!("{text} is refused"))
    }

    #[test]
    fn several_figures_follow_each_other() {
        let list = words("time theta,x+y,(x+y) phase theta theta' track c1 x,y track section a=b x y scene curves");
        let kinds: Vec<&str> = list.iter().map(Wanted::kind).collect();
        assert_eq!(kinds, ["time", "phase", "track", "track", "section", "scene", "curves"]);
        let Wanted::Time(panels) = &list[0] else { panic!() };
        assert_eq!(panels[..], [vec!["theta".to_owned()], vec!["x".into(), "y".into()], vec!["(x+y)".into()]]);
        assert_eq!(list[2], Wanted::Track(vec!["c1".into(), "x,y".into()]));
        let Wanted::Section { surface, .. } = &list[4] else { panic!() };
        assert_eq!(surface, "(a) - (b)");
    }
}
