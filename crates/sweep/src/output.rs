//! Rows as a table.

use crate::row::{Row, STATUS};
use crate::spec::Spec;
use polhode_table::{Column, Table};
use rustc_hash::FxHashMap;

/// The rows of the samples from the first on: what was varied, `status`, `reason`, `t_end`, what was kept.
///
/// Words are numbers in a table: those of `status` are explained by the notes `status:0`, …, those of `reason` by `reason:1`, … in the order in which they first occur; 0 is
/// none. The same rows give the same table.
pub fn table(spec: &Spec, name: &str, columns: &[String], rows: &[Row]) -> Table {
    let mut table = Table::new(name);
    let samples: Vec<Vec<f64>> = (0..rows.len() as u64).map(|i| spec.design.sample(i)).collect();
    let mut push = |name: String, values: Vec<f64>| {
        let again = format!("{name} (2)");
        if table.push(Column::new(name, values.clone())).is_err() {
            // something varied has the name of something kept
            let _ = table.push(Column::new(again, values));
        }
    };
    for (k, axis) in spec.design.axes().iter().enumerate() {
        push(axis.name.clone(), samples.iter().map(|s| s[k]).collect());
    }
    let mut reasons: Vec<&str> = Vec::new();
    let mut known: FxHashMap<&str, usize> = FxHashMap::default();
    let mut numbers = Vec::with_capacity(rows.len());
    for row in rows {
        let number = match row.reason.as_str() {
            "" => 0,
            reason => *known.entry(reason).or_insert_with(|| {
                reasons.push(reason);
                reasons.len()
            }),
        };
        numbers.push(number as f64);
    }
    push("status".to_owned(), rows.iter().map(|r| f64::from(r.status.number())).collect());
    push("reason".to_owned(), numbers);
    push("t_end".to_owned(), rows.iter().map(|r| r.t).collect());
    for (k, name) in columns.iter().enumerate() {
        push(name.clone(), rows.iter().map(|r| r.values[k]).collect());
    }
    for (k, word) in STATUS.iter().enumerate() {
        if rows.iter().any(|r| usize::from(r.status.number()) == k) {
            table.note(format!("status:{k}"), *word);
        }
    }
    for (k, reason) in reasons.iter().enumerate() {
        table.note(format!("reason:{}", k + 1), *reason);
    }
    let axes: Vec<&str> = spec.design.axes().iter().map(|a| a.name.as_str()).collect();
    table.note("varied", axes.join(", "));
    table.note("seed", spec.design.seed().to_string());
    for (name, value) in spec.set.iter().chain(&spec.init) {
        table.note(name, value);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Axis, Design, Points, Values};
    use crate::row::Status;
    use polhode_model::RunSettings;

    #[test]
    fn words_become_numbers() {
        let axis = Axis { name: "a".into(), values: Values::List(vec![5.0, 6.0, 7.0]) };
        let design = Design::new(vec![axis], Points::None, 0).unwrap();
        let spec = Spec {
            model: "m".into(),
            set: Vec::new(),
            init: Vec::new(),
            design,
            settings: RunSettings::default(),
            engine: None,
            keep: Vec::new(),
        };
        let good = Row { status: Status::END, reason: String::new(), t: 1.0, values: vec![2.0] };
        let rows = [Row::refused("why".into(), 1), good, Row::refused("why".into(), 1)];
        let table = table(&spec, "m", &["final(a)".into()], &rows);
        let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["a", "status", "reason", "t_end", "final(a)"]);
        assert_eq!(table.columns()[1].values, [3.0, 0.0, 3.0]);
        assert_eq!(table.columns()[2].values, [1.0, 0.0, 1.0]);
        let note = |key: &str| table.metadata().iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
        assert_eq!((note("status:3"), note("reason:1")), (Some("refused"), Some("why")));
    }
}
