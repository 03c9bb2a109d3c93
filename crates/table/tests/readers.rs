//! npz and Parquet files read by NumPy, pyarrow, Polars and DuckDB.
//!
//! They are asked by the script `readers.py` beside this file. How they are
//! found, and what happens where they are not, says `polhode_testing`.

use polhode_base::random::Random;
use polhode_table::{Column, Table};

/// What the reader finds in the file; nothing if it is not installed.
fn read(reader: &str, file: Vec<u8>) -> Option<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers.py");
    polhode_testing::python(&format!("import {reader}"), script, &[reader], file)
}

/// What a reader should find, with the notes if it shows them.
fn expected(table: &Table, notes: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for column in table.columns() {
        let bits: Vec<String> = column.values.iter().map(|x| format!("{:016x}", x.to_bits())).collect();
        lines.push(format!("{}\t{}", column.name, bits.join(" ")));
    }
    if notes {
        let units = table.columns().iter().filter_map(|c| Some(format!("@unit:{}\t{}", c.name, c.unit.as_ref()?)));
        let mut more: Vec<String> = units.collect();
        more.push(format!("@table\t{}", table.name()));
        more.extend(table.metadata().iter().map(|(key, value)| format!("@{key}\t{value}")));
        more.sort();
        lines.extend(more);
    }
    lines.join("\n")
}

fn check(table: &Table) {
    let mut npz = Vec::new();
    table.write_npz(&mut npz).unwrap();
    if let Some(found) = read("numpy", npz) {
        assert_eq!(found, expected(table, true));
    }
    let mut parquet = Vec::new();
    table.write_parquet(&mut parquet).unwrap();
    check_parquet(table, parquet);
}

fn check_parquet(table: &Table, parquet: Vec<u8>) {
    if let Some(found) = read("pyarrow", parquet.clone()) {
        assert_eq!(found, expected(table, true));
    }
    for reader in ["polars", "duckdb"] {
        // DuckDB has no tables without columns.
        if !(reader == "duckdb" && table.columns().is_empty())
            && let Some(found) = read(reader, parquet.clone())
        {
            assert_eq!(found, expected(table, false), "{reader}");
        }
    }
}

#[test]
fn every_bit_arrives() {
    let mut table = Table::new("rolling disk: θ, φ");
    let mut random = Random::new(0);
    let finite: Vec<f64> = (0..3000).map(|_| f64::from_bits(random.bits())).filter(|x| !x.is_nan()).collect();
    let n = finite.len();
    table.push(Column::new("t", (0..n).map(|i| i as f64 / 8.0).collect()).with_unit("s")).unwrap();
    table.push(Column::new("θ'", finite).with_unit("rad/s")).unwrap();
    table.push(Column::new("R[1,3]", vec![-0.0; n])).unwrap();
    let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 5e-324, f64::MAX];
    table.push(Column::new("stone.omega/x \"1\"", (0..n).map(|i| special[i % 6]).collect())).unwrap();
    table.push(Column::new("columns", vec![1.0; n])).unwrap();
    table.note("M", "1.0");
    table.note("Höhe", "drei Zeilen\nMüll \u{1d6fc} \"\\");
    check(&table);
}

#[test]
fn tables_without_rows_or_columns() {
    let mut table = Table::new("");
    check(&table);
    table.push(Column::new("t", vec![])).unwrap();
    check(&table);
}

#[test]
fn as_many_columns_as_need_a_long_list() {
    let mut table = Table::new("wide");
    for j in 0..40 {
        table.push(Column::new(format!("x_{j}"), vec![f64::from(j); 3]).with_unit("m")).unwrap();
    }
    check(&table);
}

/// Two row groups, the second one short, and several pages.
#[test]
fn more_rows_than_a_group() {
    let mut table = Table::new("long");
    table.push(Column::new("i", (0..(1 << 20) + 5).map(f64::from).collect())).unwrap();
    let mut file = Vec::new();
    table.write_parquet(&mut file).unwrap();
    if let Some(found) = read("pyarrow", file) {
        // Not assert_eq: seventeen megabytes of hex are no message.
        assert!(found == expected(&table, true));
    }
}

/// The file that a unit test of the writer expects byte for byte.
#[test]
fn the_committed_file_is_what_it_should_be() {
    let mut table = Table::new("tiny");
    table.push(Column::new("t", vec![0.0, 0.5]).with_unit("s")).unwrap();
    table.push(Column::new("θ'", vec![1.0, f64::NAN])).unwrap();
    table.note("M", "1.0");
    let hex = include_str!("tiny.parquet.hex").replace('\n', "");
    let byte = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).expect("two hexadecimal digits");
    check_parquet(&table, (0..hex.len()).step_by(2).map(byte).collect());
}
