//! Reads back the Parquet files that are written here: required DOUBLE columns, PLAIN, uncompressed.
//!
//! Other files are refused with the reason. Nothing in a file is trusted: whatever does not fit is damage.

use crate::{Column, Table};
use std::fmt;

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no Parquet file, or cut off, or changed.
    Damaged,
    /// It has something that this reader does not know: columns of other types, compression.
    Foreign(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Damaged => f.write_str("it is no Parquet file, or it is damaged"),
            ReadError::Foreign(what) => write!(f, "it has {what}, which is not read here"),
        }
    }
}

impl std::error::Error for ReadError {}

/// A value of the compact protocol of Thrift.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Number(i64),
    Bytes(Vec<u8>),
    List(Vec<Item>),
    Struct(Vec<(i64, Item)>),
    /// Truth values and doubles, which are not looked at.
    Other,
}

/// Structures within structures: Parquet has five.
const DEEPEST: usize = 16;

impl Item {
    fn field(&self, id: i64) -> Option<&Item> {
        match self {
            Item::Struct(fields) => fields.iter().find(|(k, _)| *k == id).map(|(_, v)| v),
            _ => None,
        }
    }

    fn number(&self, id: i64) -> Result<i64, ReadError> {
        match self.field(id) {
            Some(Item::Number(n)) => Ok(*n),
            _ => Err(ReadError::Damaged),
        }
    }

    fn text(&self, id: i64) -> Result<String, ReadError> {
        match self.field(id) {
            Some(Item::Bytes(bytes)) => String::from_utf8(bytes.clone()).map_err(|_| ReadError::Damaged),
            _ => Err(ReadError::Damaged),
        }
    }

    fn list(&self, id: i64) -> &[Item] {
        match self.field(id) {
            Some(Item::List(list)) => list,
            _ => &[],
        }
    }
}

/// Reads values one after the other.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut x = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            x |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(x);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let x = self.varint()?;
        Some((x >> 1) as i64 ^ -((x & 1) as i64))
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Item> {
        Some(match kind {
            1 | 2 => Item::Other,
            3 => {
                self.byte()?;
                Item::Other
            }
            4..=6 => Item::Number(self.zigzag()?),
            7 => {
                self.at += 8;
                Item::Other
            }
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let end = self.at.checked_add(length)?;
                let bytes = self.bytes.get(self.at..end)?.to_vec();
                self.at = end;
                Item::Bytes(bytes)
            }
            9 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // every entry takes a byte at least
                (count <= self.bytes.len() as u64).then_some(())?;
                Item::List((0..count).map(|_| self.value(head & 15, depth)).collect::<Option<_>>()?)
            }
            12 => self.fields(depth + 1)?,
            _ => return None,
        })
    }

    fn fields(&mut self, depth: usize) -> Option<Item> {
        (depth <= DEEPEST).then_some(())?;
        let (mut fields, mut id) = (Vec::new(), 0i64);
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(Item::Struct(fields));
            }
            id = if head >> 4 == 0 { self.zigzag()? } else { id.checked_add(i64::from(head >> 4))? };
            fields.push((id, self.value(head & 15, depth)?));
        }
    }
}

fn structure(bytes: &[u8]) -> Result<(Item, usize), ReadError> {
    let mut reader = Reader { bytes, at: 0 };
    let item = reader.fields(0).ok_or(ReadError::Damaged)?;
    Ok((item, reader.at))
}

impl Table {
    /// Reads a file that [`Table::write_parquet`] has written: columns, units, notes, to the last bit.
    pub fn read_parquet(bytes: &[u8]) -> Result<Table, ReadError> {
        let damaged = || ReadError::Damaged;
        let n = bytes.len();
        if n < 12 || !bytes.starts_with(b"PAR1") || !bytes.ends_with(b"PAR1") {
            return Err(ReadError::Damaged);
        }
        let length = u32::from_le_bytes(bytes[n - 8..n - 4].try_into().map_err(|_| damaged())?) as usize;
        let start = (n - 8).checked_sub(length).ok_or_else(damaged)?;
        let (footer, _) = structure(&bytes[start..n - 8])?;
        let mut names = Vec::new();
        for element in footer.list(2).iter().skip(1) {
            let name = element.text(4)?;
            if element.number(1) != Ok(5) || element.number(3) != Ok(0) {
                return Err(ReadError::Foreign(format!("the column `{name}` that is not of numbers alone")));
            }
            names.push(name);
        }
        let rows = usize::try_from(footer.number(3)?).map_err(|_| damaged())?;
        let mut columns = vec![Vec::new(); names.len()];
        for group in footer.list(4) {
            let chunks = group.list(1);
            if chunks.len() != columns.len() {
                return Err(ReadError::Damaged);
            }
            for (chunk, column) in chunks.iter().zip(&mut columns) {
                read_chunk(bytes, chunk.field(3).ok_or_else(damaged)?, column)?;
            }
        }
        if columns.iter().any(|c| c.len() != rows) {
            return Err(ReadError::Damaged);
        }
        let mut notes = Vec::new();
        for note in footer.list(5) {
            notes.push((note.text(1)?, note.text(2)?));
        }
        let take = |key: &str| notes.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone());
        let mut table = Table::new(take("table").unwrap_or_default());
        for (name, values) in names.into_iter().zip(columns) {
            let unit = take(&format!("unit:{name}"));
            table.push(Column { name, unit, values }).map_err(|_| damaged())?;
        }
        for (key, value) in notes.into_iter().filter(|(k, _)| k != "table" && !k.starts_with("unit:")) {
            table.note(key, value);
        }
        Ok(table)
    }
}

/// Appends the values of a column chunk.
fn read_chunk(bytes: &[u8], about: &Item, column: &mut Vec<f64>) -> Result<(), ReadError> {
    if about.number(4)? != 0 {
        return Err(ReadError::Foreign("compressed columns".to_owned()));
    }
    let place = |n: i64| usize::try_from(n).map_err(|_| ReadError::Damaged);
    let (mut at, count) = (place(about.number(9)?)?, place(about.number(5)?)?);
    let end = column.len().checked_add(count).ok_or(ReadError::Damaged)?;
    while column.len() < end {
        let (header, length) = structure(bytes.get(at..).ok_or(ReadError::Damaged)?)?;
        let page = header.field(5).ok_or_else(|| ReadError::Foreign("pages of another version".to_owned()))?;
        if page.number(2)? != 0 {
            return Err(ReadError::Foreign("encoded columns".to_owned()));
        }
        let values = place(page.number(1)?)?;
        let size = place(header.number(3)?)?;
        let data = at.checked_add(length).and_then(|a| bytes.get(a..a.checked_add(size)?)).ok_or(ReadError::Damaged)?;
        if values == 0 || Some(size) != values.checked_mul(8) || values > end - column.len() {
            return Err(ReadError::Damaged);
        }
        column.extend(data.as_chunks::<8>().0.iter().map(|x| f64::from_le_bytes(*x)));
        at += length + size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: usize) -> (Table, Vec<u8>) {
        let mut table = Table::new("name");
        table.push(Column::new("a", (0..rows).map(|k| 0.1 * k as f64).collect()).with_unit("s")).unwrap();
        table.push(Column::new("θ'", (0..rows).map(|k| -(k as f64)).collect())).unwrap();
        table.note("M", "1.0");
        let mut bytes = Vec::new();
        table.write_parquet(&mut bytes).unwrap();
        (table, bytes)
    }

    #[test]
    fn tables_read_back() {
        // more rows than a page has
        for rows in [0, 1, 7, 300_000] {
            let (table, bytes) = file(rows);
            assert_eq!(Table::read_parquet(&bytes).unwrap(), table);
        }
    }

    /// Cut off or changed anywhere: an error or another table, never a panic.
    #[test]
    fn damage_is_survived() {
        let (_, bytes) = file(5);
        for cut in 0..bytes.len() {
            assert!(Table::read_parquet(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        for k in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[k] ^= 1 << bit;
                let _ = Table::read_parquet(&changed);
            }
        }
    }
}
