//! Columns of numbers as CSV, npz and Parquet.
//!
//! A [`Table`] is a list of named columns of doubles, all of the same length, with notes beside
//! them. It is written to anything that is [`std::io::Write`]:
//!
//! | writer | for | what arrives |
//! | --- | --- | --- |
//! | [`Table::write_csv`] | spreadsheets, everything else | names and numbers |
//! | [`Table::write_npz`] | NumPy | names, units, numbers, notes |
//! | [`Table::write_parquet`] | pandas, Polars, DuckDB, Spark | names, units, numbers, notes |
//!
//! Every writer keeps every double to the last bit (CSV all but the payload of a NaN), and the same
//! table gives the same bytes on every machine: no clock, no name of a host.
//!
//! ```
//! use polhode_table::{Column, Table};
//!
//! let mut table = Table::new("rolling-disk");
//! table.push(Column::new("t", vec![0.0, 0.5]).with_unit("s"))?;
//! table.push(Column::new("theta", vec![1.0, 0.1 + 0.2]).with_unit("rad"))?;
//! let mut text = Vec::new();
//! table.write_csv(&mut text)?;
//! assert_eq!(String::from_utf8(text)?, "t,theta\n0.0,1.0\n0.5,0.30000000000000004\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Table::read_parquet`] reads back what was written here. Not here: other files, compression, integer and text columns.

mod crc;
mod csv;
mod npz;
mod parquet;
mod read;
mod thrift;

pub use read::ReadError;
use std::fmt;

/// One quantity, sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it is called, in any script.
    pub name: String,
    /// The unit of the values, if they have one.
    pub unit: Option<String>,
    /// The samples; NaN where there is none.
    pub values: Vec<f64>,
}

impl Column {
    /// A column without a unit.
    pub fn new(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self { name: name.into(), unit: None, values }
    }

    /// The same column with a unit.
    #[must_use]
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }
}

/// Columns of the same length with different names, and notes about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    name: String,
    columns: Vec<Column>,
    metadata: Vec<(String, String)>,
}

/// Why a column does not fit into a [`Table`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The column is shorter or longer than the ones before it.
    Length {
        /// Name of the column.
        column: String,
        /// Rows of the table.
        expected: usize,
        /// Rows of the column.
        found: usize,
    },
    /// There is a column of this name already.
    Duplicate {
        /// The name.
        column: String,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { column, expected, found } => {
                write!(f, "column `{column}` has {found} rows, the table has {expected}")
            }
            Self::Duplicate { column } => write!(f, "there is already a column `{column}`"),
        }
    }
}

impl std::error::Error for TableError {}

impl Table {
    /// A table without columns.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), columns: Vec::new(), metadata: Vec::new() }
    }

    /// Appends a column.
    pub fn push(&mut self, column: Column) -> Result<(), TableError> {
        if self.columns.iter().any(|other| other.name == column.name) {
            return Err(TableError::Duplicate { column: column.name });
        }
        if !self.columns.is_empty() && column.values.len() != self.rows() {
            return Err(TableError::Length { expected: self.rows(), found: column.values.len(), column: column.name });
        }
        self.columns.push(column);
        Ok(())
    }

    /// Notes something about the whole table; the same key again replaces the note.
    pub fn note(&mut self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), value.into());
        match self.metadata.iter_mut().find(|(known, _)| *known == key) {
            Some(entry) => entry.1 = value,
            None => self.metadata.push((key, value)),
        }
    }

    /// What the table is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns in the order in which they came.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The notes in the order in which they came.
    pub fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }

    /// Number of rows; none without columns.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_one_length_and_different_names() {
        let mut table = Table::new("t");
        table.push(Column::new("a", vec![1.0, 2.0])).unwrap();
        let short = table.push(Column::new("b", vec![1.0])).unwrap_err();
        assert_eq!(short.to_string(), "column `b` has 1 rows, the table has 2");
        let again = table.push(Column::new("a", vec![3.0, 4.0])).unwrap_err();
        assert_eq!(again.to_string(), "there is already a column `a`");
        assert_eq!((table.columns().len(), table.rows()), (1, 2));
    }

    #[test]
    fn a_note_is_replaced_in_its_place() {
        let mut table = Table::new("t");
        table.note("a", "1");
        table.note("b", "2");
        table.note("a", "3");
        assert_eq!(table.metadata(), [("a".into(), "3".into()), ("b".into(), "2".into())]);
    }
}
