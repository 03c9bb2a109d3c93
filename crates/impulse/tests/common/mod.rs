//! Tables of numbers: `[name]`, then lines `key = numbers`.

use polhode_tape::{Dd, Scalar};

/// One entry of a table.
pub(crate) struct Entry {
    pub(crate) name: String,
    values: Vec<(String, Vec<Dd>)>,
}

impl Entry {
    /// The numbers of a key; none if it is not there.
    pub(crate) fn get<S: Scalar>(&self, key: &str) -> Option<Vec<S>> {
        let found = self.values.iter().find(|(k, _)| k == key)?;
        Some(found.1.iter().map(|x| S::constant(*x)).collect())
    }

    /// The numbers of a key that is there.
    pub(crate) fn numbers<S: Scalar>(&self, key: &str) -> Vec<S> {
        self.get(key).unwrap_or_else(|| panic!("{}: no `{key}`", self.name))
    }

    pub(crate) fn number<S: Scalar>(&self, key: &str) -> S {
        self.numbers(key)[0]
    }
}

pub(crate) fn read(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = vec![];
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            entries.push(Entry { name: name.trim_end_matches(']').to_owned(), values: vec![] });
        } else {
            let (key, numbers) = line.split_once('=').expect("key = numbers");
            let numbers = numbers.split_whitespace().map(|x| x.parse().expect("a number")).collect();
            entries.last_mut().expect("an entry").values.push((key.trim().to_owned(), numbers));
        }
    }
    entries
}

/// Equal within so many units of the precision asked for: 10⁻¹³ in doubles, 10⁻²⁸ in double-doubles, relative to `size`.
pub(crate) fn close<S: Scalar>(a: &[S], b: &[S], size: f64) -> Result<(), String> {
    let bound = if S::EPSILON > 1e-20 { 1e-13 } else { 1e-28 };
    if a.len() != b.len() {
        return Err(format!("{} numbers, {} expected", a.len(), b.len()));
    }
    match a.iter().zip(b).position(|(x, y)| {
        let apart = (*x - *y).to_f64().abs();
        apart.is_nan() || apart > bound * size.max(1.0)
    }) {
        Some(i) => Err(format!("[{i}]: {:?} instead of {:?}", a[i].to_dd(), b[i].to_dd())),
        None => Ok(()),
    }
}

#[allow(unused_macros, reason = "not every test file compares")]
macro_rules! same {
    ($a:expr, $b:expr, $($what:tt)+) => {
        if let Err(error) = common::close(&$a, &$b, 1.0) {
            panic!("{}: {error}", format!($($what)+));
        }
    };
}
#[allow(unused_imports, reason = "not every test file compares")]
pub(crate) use same;
