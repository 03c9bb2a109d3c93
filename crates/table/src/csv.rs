//! Comma-separated values [RFC 4180], with `\n` at the ends of lines.
//!
//! Numbers have the fewest digits that read back to the same double, and always a point or an
//! exponent. Readers guess the type of a column from its first rows: given a column that begins with
//! many `0`, Polars stops at the first `0.5` and DuckDB rounds it. What is not a number is `NaN`,
//! `inf`, `-inf`, which NumPy, pandas, Polars and DuckDB understand.
//!
//! Units and notes are left out: there is no place for them that every reader skips.

use crate::Table;
use std::io::{self, Write};

impl Table {
    /// Writes a line of names and a line for each row.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let mut line = String::new();
        for (j, column) in self.columns.iter().enumerate() {
            separate(&mut line, j);
            push_name(&mut line, &column.name);
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
        for i in 0..self.rows() {
            line.clear();
            for (j, column) in self.columns.iter().enumerate() {
                use std::fmt::Write;
                separate(&mut line, j);
                write!(line, "{:?}", column.values[i]).expect("a String takes everything");
            }
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
        Ok(())
    }
}

fn separate(line: &mut String, j: usize) {
    if j > 0 {
        line.push(',');
    }
}

/// A name, in quotes where RFC 4180 asks for them, and where it is empty: a lone empty field would
/// look like an empty line.
fn push_name(line: &mut String, name: &str) {
    if !name.is_empty() && !name.contains([',', '"', '\n', '\r']) {
        line.push_str(name);
        return;
    }
    line.push('"');
    for c in name.chars() {
        if c == '"' {
            line.push('"');
        }
        line.push(c);
    }
    line.push('"');
}

#[cfg(test)]
mod tests {
    use crate::{Column, Table};
    use polhode_base::random::Random;

    fn csv(table: &Table) -> String {
        let mut out = Vec::new();
        table.write_csv(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_are_quoted_when_they_must_be() {
        let mut table = Table::new("");
        for name in ["θ", "R[1,3]", "say \"x\"", "two\nlines", "", "with space"] {
            table.push(Column::new(name, vec![])).unwrap();
        }
        assert_eq!(csv(&table), "θ,\"R[1,3]\",\"say \"\"x\"\"\",\"two\nlines\",\"\",with space\n");
    }

    #[test]
    fn numbers_are_short_and_keep_their_type() {
        let values = [0.0, -0.0, 1.0, 0.1, 1.0 / 3.0, 1e22, 1e-7, f64::MAX, 5e-324, f64::NAN, f64::NEG_INFINITY];
        let mut table = Table::new("");
        table.push(Column::new("x", values.to_vec())).unwrap();
        let expected =
            "x\n0.0\n-0.0\n1.0\n0.1\n0.3333333333333333\n1e22\n1e-7\n1.7976931348623157e308\n5e-324\nNaN\n-inf\n";
        assert_eq!(csv(&table), expected);
    }

    #[test]
    fn doubles_read_back_to_the_same_bits() {
        // All bit patterns: every exponent, subnormals, both signs.
        let mut random = Random::new(0);
        let values: Vec<f64> = (0..20_000).map(|_| f64::from_bits(random.bits())).filter(|x| !x.is_nan()).collect();
        let mut table = Table::new("");
        table.push(Column::new("x", values.clone())).unwrap();
        let text = csv(&table);
        let mut lines = text.lines().skip(1);
        for x in values {
            let read: f64 = lines.next().unwrap().parse().unwrap();
            assert_eq!(read.to_bits(), x.to_bits());
        }
        assert_eq!(lines.next(), None);
    }
}
