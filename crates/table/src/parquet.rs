//! Parquet: required DOUBLE columns, PLAIN, uncompressed, data pages of version 1.
//!
//! ```text
//! PAR1  row group 0: column 0: page, page, …; column 1: …  row group 1: …  footer  length  PAR1
//! ```
//!
//! A page is a Thrift header and the values in eight bytes each, least first; a required column of a
//! flat schema has neither definition nor repetition levels. The footer is the struct `FileMetaData`.
//! Field numbers and enumerations are those of `parquet.thrift` [parquet-format].
//!
//! Statistics are left out of a column chunk that has a NaN: readers differ in where they order it,
//! and would skip chunks that they should read. The smallest value 0 is written as −0 and the largest
//! as +0, as the format asks.
//!
//! The name of the table is the note `table`, units are the notes `unit:<column>`.
//!
//! Not here: compression, encodings, nulls, indices.

use crate::thrift::{self, Struct, Type, nested};
use crate::{Column, Table};
use std::io::{self, Write};

/// Rows that a reader may have to hold at once.
const ROWS_PER_GROUP: usize = 1 << 20;
/// 1 MiB, the customary size of a page.
const VALUES_PER_PAGE: usize = 1 << 17;

const MAGIC: &[u8] = b"PAR1";
// Enumerations of parquet.thrift.
const DOUBLE: i32 = 5;
const REQUIRED: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const UNCOMPRESSED: i32 = 0;
const DATA_PAGE: i32 = 0;

/// The values of one column in one row group.
struct Chunk<'a> {
    column: &'a Column,
    offset: usize,
    size: usize,
    rows: usize,
    bounds: Option<(f64, f64)>,
}

impl Table {
    /// Writes a file for pyarrow, pandas, Polars, DuckDB, Spark.
    pub fn write_parquet(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_parquet_in(out, ROWS_PER_GROUP, VALUES_PER_PAGE)
    }

    fn write_parquet_in(&self, out: &mut impl Write, per_group: usize, per_page: usize) -> io::Result<()> {
        out.write_all(MAGIC)?;
        let mut offset = MAGIC.len();
        let mut groups: Vec<Vec<Chunk>> = Vec::new();
        let mut page = Vec::new();
        for start in (0..self.rows()).step_by(per_group) {
            let end = self.rows().min(start + per_group);
            let mut chunks = Vec::with_capacity(self.columns.len());
            for column in &self.columns {
                let values = &column.values[start..end];
                let mut size = 0;
                for part in values.chunks(per_page) {
                    page.clear();
                    page_header(&mut page, part.len());
                    page.extend(part.iter().flat_map(|x| x.to_le_bytes()));
                    out.write_all(&page)?;
                    size += page.len();
                }
                chunks.push(Chunk { column, offset, size, rows: values.len(), bounds: bounds(values) });
                offset += size;
            }
            groups.push(chunks);
        }
        let mut footer = Vec::new();
        nested(&mut footer, |s| self.file_metadata(s, &groups));
        out.write_all(&footer)?;
        let length = u32::try_from(footer.len())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "too many columns for a Parquet file"))?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(MAGIC)
    }

    fn file_metadata(&self, s: &mut Struct, groups: &[Vec<Chunk>]) {
        s.i32(1, 1); // version
        let schema: Vec<Option<&Column>> = std::iter::once(None).chain(self.columns.iter().map(Some)).collect();
        s.list(2, Type::Struct, &schema, |out, column| {
            nested(out, |s| match column {
                None => {
                    s.binary(4, b"schema");
                    s.i32(5, self.columns.len() as i32);
                }
                Some(column) => {
                    s.i32(1, DOUBLE);
                    s.i32(3, REQUIRED);
                    s.binary(4, column.name.as_bytes());
                }
            });
        });
        s.i64(3, self.rows() as i64);
        s.list(4, Type::Struct, groups, |out, chunks| {
            nested(out, |s| {
                s.list(1, Type::Struct, chunks, |out, chunk| nested(out, |s| chunk.write(s)));
                let bytes: usize = chunks.iter().map(|chunk| chunk.size).sum();
                s.i64(2, bytes as i64);
                s.i64(3, chunks.first().map_or(0, |chunk| chunk.rows) as i64);
            });
        });
        let units = self.columns.iter().filter_map(|c| Some((format!("unit:{}", c.name), c.unit.clone()?)));
        let notes: Vec<(String, String)> =
            [("table".into(), self.name.clone())].into_iter().chain(units).chain(self.metadata.clone()).collect();
        s.list(5, Type::Struct, &notes, |out, (key, value)| {
            nested(out, |s| {
                s.binary(1, key.as_bytes());
                s.binary(2, value.as_bytes());
            });
        });
        s.binary(6, b"polhode");
        // Every column is ordered as its type is; without this, readers ignore the statistics.
        s.list(7, Type::Struct, &self.columns, |out, _| nested(out, |s| s.nested(1, |_| ())));
    }
}

impl Chunk<'_> {
    /// The struct `ColumnChunk`.
    fn write(&self, s: &mut Struct) {
        s.i64(2, self.offset as i64);
        s.nested(3, |s| {
            s.i32(1, DOUBLE);
            s.list(2, Type::I32, &[PLAIN, RLE], |out, &encoding| thrift::int(out, encoding.into()));
            s.list(3, Type::Binary, &[&self.column.name], |out, name| thrift::binary(out, name.as_bytes()));
            s.i32(4, UNCOMPRESSED);
            s.i64(5, self.rows as i64);
            s.i64(6, self.size as i64);
            s.i64(7, self.size as i64);
            s.i64(9, self.offset as i64);
            if let Some((min, max)) = self.bounds {
                s.nested(12, |s| {
                    s.i64(3, 0); // nulls
                    s.binary(5, &max.to_le_bytes());
                    s.binary(6, &min.to_le_bytes());
                });
            }
        });
    }
}

/// The struct `PageHeader`.
fn page_header(out: &mut Vec<u8>, values: usize) {
    nested(out, |s| {
        s.i32(1, DATA_PAGE);
        s.i32(2, 8 * values as i32);
        s.i32(3, 8 * values as i32);
        s.nested(5, |s| {
            s.i32(1, values as i32);
            s.i32(2, PLAIN);
            s.i32(3, RLE);
            s.i32(4, RLE);
        });
    });
}

fn bounds(values: &[f64]) -> Option<(f64, f64)> {
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for &x in values {
        if x.is_nan() {
            return None;
        }
        min = min.min(x);
        max = max.max(x);
    }
    if min == 0.0 {
        min = -0.0;
    }
    if max == 0.0 {
        max = 0.0;
    }
    (!values.is_empty()).then_some((min, max))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.chunks(32).map(|line| line.iter().map(|b| format!("{b:02x}")).collect::<String>() + "\n").collect()
    }

    /// Two rows of two columns and one note. pyarrow, DuckDB and Polars have read these bytes.
    #[test]
    fn a_small_file_byte_for_byte() {
        let mut table = Table::new("tiny");
        table.push(Column::new("t", vec![0.0, 0.5]).with_unit("s")).unwrap();
        table.push(Column::new("θ'", vec![1.0, f64::NAN])).unwrap();
        table.note("M", "1.0");
        let mut file = Vec::new();
        table.write_parquet(&mut file).unwrap();
        assert_eq!(hex(&file), include_str!("../tests/tiny.parquet.hex"));
    }

    #[test]
    fn bounds_order_zeros_and_refuse_nan() {
        assert_eq!(bounds(&[2.0, -1.0]), Some((-1.0, 2.0)));
        let bits = |x: Option<(f64, f64)>| x.map(|(a, b)| (a.to_bits(), b.to_bits()));
        assert_eq!(bits(bounds(&[0.0])), bits(Some((-0.0, 0.0))));
        assert_eq!(bits(bounds(&[-0.0])), bits(Some((-0.0, 0.0))));
        assert_eq!(bounds(&[1.0, f64::NAN]), None);
        assert_eq!(bounds(&[]), None);
    }

    /// Groups and pages follow each other without a gap, and nothing but their number changes.
    #[test]
    fn values_lie_in_groups_then_columns_then_pages() {
        let mut table = Table::new("");
        table.push(Column::new("a", (0..7).map(f64::from).collect())).unwrap();
        table.push(Column::new("b", (10..17).map(f64::from).collect())).unwrap();
        let mut file = Vec::new();
        table.write_parquet_in(&mut file, 5, 2).unwrap();
        let mut at = 4;
        let a: [&[f64]; 3] = [&[0.0, 1.0], &[2.0, 3.0], &[4.0]];
        let b: [&[f64]; 3] = [&[10.0, 11.0], &[12.0, 13.0], &[14.0]];
        for page in a.into_iter().chain(b).chain([&[5.0, 6.0][..], &[15.0, 16.0]]) {
            let mut expected = Vec::new();
            page_header(&mut expected, page.len());
            expected.extend(page.iter().flat_map(|x| x.to_le_bytes()));
            assert_eq!(file[at..at + expected.len()], expected);
            at += expected.len();
        }
        let length = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().unwrap());
        assert_eq!(at + length as usize + 8, file.len());
    }
}
