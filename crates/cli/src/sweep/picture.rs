//! Maps of sweeps over two axes.

use super::args::{Columns, DrawOptions, MapOptions};
use super::files;
use crate::Refusal;
use crate::output::emit;
use crate::picture::{Format, readable};
use crate::targets::{self, Target};
use polhode::base::closest;
use polhode::plot::svg::map::{Cells, Map, MapAxis, Spacing};
use polhode::plot::svg::{Axis, Look};
use polhode::sweep::{Keep, Of, Spec, Study};
use polhode::table::{Column, Table};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Differences and ratios of the values of a grid agree to this.
const EVEN: f64 = 1e-9;

/// Lists of more values are no axis with a label for each.
const LISTED: usize = 40;

/// A map to be written.
pub(super) struct Picture {
    path: PathBuf,
    colour: String,
    title: Option<String>,
}

/// The item that a column belongs to.
fn item_of(column: &str) -> Option<Keep> {
    let inner = |word: &str| column.strip_prefix(word)?.strip_suffix(')');
    for (word, of) in
        [("t_max(", Of::Max), ("t_min(", Of::Min), ("t_first(", Of::Crossings), ("t_last(", Of::Crossings)]
    {
        if let Some(x) = inner(word) {
            return Some(Keep::Of(of, x.to_owned()));
        }
    }
    if let Some(name) = inner("t_event(").or_else(|| inner("count(")) {
        return Some(Keep::Event(name.to_owned()));
    }
    match column.strip_prefix("t_reversal(") {
        Some(rest) => Keep::read(&format!("reversals({rest}")).ok(),
        None => Keep::read(column).ok(),
    }
}

/// What the colours show is kept, even if nobody said so.
pub(super) fn keep_colour(options: &MapOptions, spec: &mut Spec) -> Result<(), Refusal> {
    let Some(colour) = options.colour.as_ref().filter(|_| options.map.is_some()) else { return Ok(()) };
    if matches!(colour.as_str(), "status" | "reason" | "t_end") {
        return Ok(());
    }
    let item = item_of(colour).ok_or_else(|| format!("error: `--colour {colour}` is nothing that can be kept\n"))?;
    if !spec.keep.contains(&item) {
        spec.keep.push(item);
    }
    Ok(())
}

/// Can the map be drawn? Better known before a long sweep than after it.
pub(super) fn check(options: &MapOptions, study: &Study) -> Result<Option<Picture>, Refusal> {
    let Some(path) = &options.map else { return Ok(None) };
    Format::of("--map", path)?;
    let axes = study.spec.design.axes();
    let wide: Vec<&str> = axes.iter().filter(|a| a.is_range() || a.count() > 1).map(|a| a.name.as_str()).collect();
    if wide.len() != 2 {
        return Err(Refusal::BadInput(format!(
            "error: a map has two axes, but {} are varied{}\n  = vary two, or write the table and draw parts of it\n",
            wide.len(),
            if wide.is_empty() { String::new() } else { format!(": {}", wide.join(", ")) }
        )));
    }
    let columns: Vec<&str> = study.columns().iter().map(String::as_str).collect();
    let colour = column_of(options.colour.as_deref(), &columns)?;
    Ok(Some(Picture { path: path.clone(), colour, title: options.title.clone() }))
}

/// The column that colours show.
fn column_of(asked: Option<&str>, columns: &[&str]) -> Result<String, Refusal> {
    let Some(asked) = asked else {
        return Ok(columns.first().map_or("status", |c| c).to_owned());
    };
    if matches!(asked, "status" | "reason" | "t_end") || columns.contains(&asked) {
        return Ok(asked.to_owned());
    }
    let first = item_of(asked).and_then(|item| item.columns().into_iter().next());
    if let Some(column) = first.filter(|c| columns.contains(&c.as_str())) {
        return Ok(column);
    }
    let help = match closest(asked, columns.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", columns.join(", ")),
    };
    Err(Refusal::BadInput(format!("error: there is no column `{asked}`\n  = {help}\n")))
}

impl Picture {
    /// Draws it; the name of the file.
    pub(super) fn write(&self, title: &str, table: &Table) -> Result<String, Refusal> {
        let varied = note(table, "varied").unwrap_or_default();
        let wide = |name: &&str| {
            let values = table.columns().iter().find(|c| c.name == **name).map(|c| &c.values);
            values.is_some_and(|v| v.iter().any(|x| *x != v[0]))
        };
        let mut names = varied.split(", ").filter(wide);
        let (Some(x), Some(y)) = (names.next(), names.next()) else {
            return Err(Refusal::BadInput("error: too few motions are done to draw a map\n".to_owned()));
        };
        let map = map(table, x, y, &self.colour, self.title.as_deref().unwrap_or(title))?;
        save("--map", &self.path, &map)?;
        Ok(self.path.display().to_string())
    }
}

fn note<'a>(table: &'a Table, key: &str) -> Option<&'a str> {
    table.metadata().iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
}

fn save(option: &str, path: &Path, map: &Map) -> Result<(), Refusal> {
    let bytes = Format::of(option, path)?.bytes_for(map.svg(), map.look)?;
    files::whole(path, |file| file.write_all(&bytes))
}

/// `polhode sweep map`.
pub(super) fn draw(options: &DrawOptions) -> Result<(), Refusal> {
    draw_table(("--map", &options.map), &options.table, &options.columns, options.title.clone(), Look::Screen)
}

/// The map of a table in a file. Without a title it has that of the model, but on paper none.
pub(crate) fn draw_table(
    (option, file): (&str, &Option<PathBuf>),
    path: &Path,
    chosen: &Columns,
    title: Option<String>,
    look: Look,
) -> Result<(), Refusal> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|e| format!("error: cannot read `{name}`: {e}\n"))?;
    let table = Table::read_parquet(&bytes).map_err(|e| format!("error: cannot read `{name}`: {e}\n"))?;
    let read = path;
    let path = file.clone().unwrap_or_else(|| path.with_extension("svg"));
    targets::check(&[Target::new(option, &path, "svg")], &[read])?;
    let columns: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
    let varied: Vec<&str> = note(&table, "varied").unwrap_or_default().split(", ").collect();
    let axis = |asked: &Option<String>, k: usize| -> Result<String, Refusal> {
        match asked {
            Some(name) => column_of(Some(name), &columns),
            None => varied.get(k).map(|n| (*n).to_owned()).ok_or_else(|| {
                Refusal::BadInput(format!(
                    "error: only `{}` was varied, but a map has two axes\n  = choose columns: --x NAME --y NAME\n",
                    varied.join(", ")
                ))
            }),
        }
    };
    let (x, y) = (axis(&chosen.x, 0)?, axis(&chosen.y, 1)?);
    let kept: Vec<&str> = columns.iter().copied().skip_while(|c| *c != "t_end").skip(1).collect();
    let colour = match &chosen.colour {
        Some(colour) => column_of(Some(colour), &columns)?,
        None => kept.first().map_or("status", |c| c).to_owned(),
    };
    let title = match (title, look) {
        (Some(title), _) => title,
        (None, Look::Screen) => note(&table, "title").unwrap_or(table.name()).to_owned(),
        (None, Look::Paper { .. }) => String::new(),
    };
    save(option, &path, &Map { look, ..map(&table, &x, &y, &colour, &title)? })?;
    emit(&format!("wrote {}\n", path.display()));
    Ok(())
}

/// The map of one column over two others.
fn map(table: &Table, x: &str, y: &str, colour: &str, title: &str) -> Result<Map, Refusal> {
    let column = |name: &str| -> Result<&Column, Refusal> {
        let found = table.columns().iter().find(|c| c.name == name);
        found.ok_or_else(|| Refusal::BadInput(format!("error: there is no column `{name}`\n")))
    };
    let (xs, ys, values) = (&column(x)?.values, &column(y)?.values, &column(colour)?.values);
    let (ux, uy) = (different(xs), different(ys));
    if ux.is_empty() || uy.is_empty() {
        return Err(Refusal::BadInput("error: an axis of the map has no values\n".to_owned()));
    }
    let axis = |name: &str, values: Vec<f64>, spacing| MapAxis { axis: Axis::new(readable(name), ""), values, spacing };
    let (spaced_x, spaced_y) = (spacing(&ux), spacing(&uy));
    let is_grid = ux.len().saturating_mul(uy.len()) == xs.len();
    let (x, y, cells) = match (spaced_x, spaced_y) {
        (Some(sx), Some(sy)) if is_grid => {
            let mut grid = vec![f64::NAN; xs.len()];
            let place = |list: &[f64], v: f64| list.partition_point(|u| *u < v);
            for ((a, b), v) in xs.iter().zip(ys).zip(values) {
                grid[place(&uy, *b) * ux.len() + place(&ux, *a)] = *v;
            }
            (axis(x, ux, sx), axis(y, uy, sy), Cells::Grid(grid))
        }
        _ => {
            let ends = |list: &[f64]| vec![list[0], list[list.len() - 1]];
            let points = xs.iter().zip(ys).zip(values).map(|((a, b), v)| (*a, *b, *v)).collect();
            let wide = |list: &[f64]| match list[0] > 0.0 && list[list.len() - 1] > 100.0 * list[0] {
                true => Spacing::Log,
                false => Spacing::Linear,
            };
            let (wx, wy) = (wide(&ux), wide(&uy));
            (axis(x, ends(&ux), wx), axis(y, ends(&uy), wy), Cells::Points(points))
        }
    };
    let words = match colour {
        "status" | "reason" => {
            let prefix = format!("{colour}:");
            let word =
                |(key, value): &(String, String)| Some((key.strip_prefix(&prefix)?.parse().ok()?, value.clone()));
            let mut words: Vec<(f64, String)> = table.metadata().iter().filter_map(word).collect();
            words.push((0.0, if colour == "status" { "end".to_owned() } else { "none".to_owned() }));
            words
        }
        _ => Vec::new(),
    };
    let quantity = Axis::new(readable(colour), "");
    Ok(Map { title: title.to_owned(), subtitle: String::new(), x, y, quantity, cells, words, look: Look::Screen })
}

/// The values in order, each once.
fn different(values: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// How the values of a grid follow each other; nothing if they are no grid.
fn spacing(values: &[f64]) -> Option<Spacing> {
    let n = values.len();
    if n < 3 {
        return Some(if n == 2 { Spacing::List } else { Spacing::Linear });
    }
    let (first, last) = (values[0], values[n - 1]);
    let size = first.abs().max(last.abs());
    let even = |of: &dyn Fn(f64) -> f64| {
        let (a, b) = (of(first), of(last));
        let at = |k: usize| a + (b - a) * k as f64 / (n - 1) as f64;
        values.iter().enumerate().all(|(k, x)| (of(*x) - at(k)).abs() <= EVEN * (b - a).abs().max(EVEN * size))
    };
    if even(&|x| x) {
        Some(Spacing::Linear)
    } else if first * last > 0.0 && even(&|x: f64| x.abs().ln()) {
        Some(Spacing::Log)
    } else {
        (n <= LISTED).then_some(Spacing::List)
    }
}
