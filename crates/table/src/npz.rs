//! NumPy archives: one `.npy` array per column, in a zip file without compression.
//!
//! An array is the magic `\x93NUMPY`, version 1.0, a header that is a Python dictionary padded to a
//! multiple of 64 bytes, and the data [numpy.lib.format]. The zip has a local header before each
//! entry, a central directory and its end record [APPNOTE 4.3], all dates 1980-01-01.
//!
//! The key of a column is its name, with `_` for characters that cannot be in file names, and a
//! number behind it where two columns would share one. Two more arrays of text say what is what:
//!
//! ```text
//! columns    (n, 3)   key, name, unit ('' if it has none), in order
//! metadata   (m, 2)   key, value; the first is ('table', name of the table)
//! ```
//!
//! Not here: zip64, hence nothing above 4 GiB.

use crate::Table;
use crate::crc::Crc;
use std::io::{self, Write};

/// Keys of the two arrays that are no columns.
const RESERVED: [&str; 2] = ["columns", "metadata"];

/// 1980-01-01 as zip files count days: day 1 in the five low bits, month 1 in the next four.
const DATE: u16 = 1 | 1 << 5;

/// Names are UTF-8 [APPNOTE 4.4.4, bit 11].
const FLAGS: u16 = 1 << 11;

impl Table {
    /// Writes an archive that `numpy.load` opens without pickle.
    ///
    /// Fails with [`io::ErrorKind::InvalidInput`], before anything is written, if the archive would
    /// have more than 4 GiB or 65 535 arrays.
    pub fn write_npz(&self, out: &mut impl Write) -> io::Result<()> {
        let keys = keys(self.columns.iter().map(|column| column.name.as_str()));
        let listing = self.columns.iter().zip(&keys);
        let listing = listing.flat_map(|(c, key)| [key, c.name.as_str(), c.unit.as_deref().unwrap_or("")]);
        let notes = self.metadata.iter().flat_map(|(key, value)| [key.as_str(), value.as_str()]);
        let listing: Vec<&str> = listing.collect();
        let notes: Vec<&str> = ["table", self.name.as_str()].into_iter().chain(notes).collect();

        let mut entries: Vec<Entry> = Vec::with_capacity(keys.len() + 2);
        for (column, key) in self.columns.iter().zip(&keys) {
            let header = npy_header("<f8", &format!("({},)", column.values.len()));
            entries.push(Entry { name: format!("{key}.npy"), header, data: Data::Doubles(&column.values) });
        }
        entries.push(text("columns", &listing, 3));
        entries.push(text("metadata", &notes, 2));
        zip(&entries, out)
    }
}

/// Different file names for the columns.
fn keys<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for name in names {
        let safe = |c: char| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c };
        let mut wish: String = name.chars().map(safe).collect();
        if let Some(stem) = wish.strip_suffix(".npy") {
            wish = format!("{stem}_npy"); // numpy takes both `x` and `x.npy` for the file `x.npy`
        }
        if wish.is_empty() || wish.starts_with('.') {
            wish.insert(0, '_');
        }
        let taken = |key: &String| RESERVED.contains(&key.as_str()) || keys.contains(key);
        let numbered = (2..).map(|i| format!("{wish}_{i}"));
        let key = std::iter::once(wish.clone()).chain(numbered).find(|key| !taken(key));
        keys.push(key.expect("there are more numbers than keys"));
    }
    keys
}

struct Entry<'a> {
    name: String,
    header: Vec<u8>,
    data: Data<'a>,
}

enum Data<'a> {
    Doubles(&'a [f64]),
    Bytes(Vec<u8>),
}

impl Entry<'_> {
    fn size(&self) -> usize {
        let data = match &self.data {
            Data::Doubles(values) => 8 * values.len(),
            Data::Bytes(bytes) => bytes.len(),
        };
        self.header.len() + data
    }

    /// Hands over the content piece by piece.
    fn content(&self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        take(&self.header)?;
        match &self.data {
            Data::Bytes(bytes) => take(bytes),
            Data::Doubles(values) => {
                let mut buffer = [0; 4096];
                for chunk in values.chunks(buffer.len() / 8) {
                    for (bytes, x) in buffer.chunks_exact_mut(8).zip(chunk) {
                        bytes.copy_from_slice(&x.to_le_bytes());
                    }
                    take(&buffer[..8 * chunk.len()])?;
                }
                Ok(())
            }
        }
    }
}

/// Magic, version, length and dictionary; 64 bytes are numpy's own alignment.
fn npy_header(descr: &str, shape: &str) -> Vec<u8> {
    let mut dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let head = 10;
    while (head + dictionary.len() + 1) % 64 != 0 {
        dictionary.push(' ');
    }
    dictionary.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((dictionary.len() as u16).to_le_bytes());
    header.extend(dictionary.as_bytes());
    header
}

/// An array of text, `width` entries in a row: UTF-32, each entry filled with zeros to the longest.
fn text<'a>(key: &str, entries: &[&str], width: usize) -> Entry<'a> {
    let longest = entries.iter().map(|entry| entry.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = Vec::with_capacity(4 * longest * entries.len());
    for entry in entries {
        let filled = entry.chars().chain(std::iter::repeat('\0')).take(longest);
        bytes.extend(filled.flat_map(|c| u32::from(c).to_le_bytes()));
    }
    let header = npy_header(&format!("<U{longest}"), &format!("({}, {width})", entries.len() / width));
    Entry { name: format!("{key}.npy"), header, data: Data::Bytes(bytes) }
}

fn zip(entries: &[Entry], out: &mut impl Write) -> io::Result<()> {
    const LOCAL: usize = 30;
    const CENTRAL: usize = 46;
    let total: usize = entries.iter().map(|e| LOCAL + CENTRAL + 2 * e.name.len() + e.size()).sum();
    let fits = total < u32::MAX as usize
        && entries.len() < usize::from(u16::MAX)
        && entries.iter().all(|e| e.name.len() < usize::from(u16::MAX));
    if !fits {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too large for an npz file: more than 4 GiB"));
    }

    let mut directory = Vec::new();
    let mut offset = 0;
    for entry in entries {
        let mut crc = Crc::new();
        entry.content(|bytes| {
            crc.add(bytes);
            Ok(())
        })?;
        let size = entry.size() as u32;
        // What the local header and the central directory have in common.
        let mut common = Vec::with_capacity(26);
        for short in [20, FLAGS, 0, 0, DATE] {
            common.extend(short.to_le_bytes());
        }
        for long in [crc.value(), size, size] {
            common.extend(long.to_le_bytes());
        }
        common.extend((entry.name.len() as u16).to_le_bytes());
        common.extend(0_u16.to_le_bytes());

        out.write_all(b"PK\x03\x04")?;
        out.write_all(&common)?;
        out.write_all(entry.name.as_bytes())?;
        entry.content(|bytes| out.write_all(bytes))?;

        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 10]); // comment length, disk, attributes
        directory.extend((offset as u32).to_le_bytes());
        directory.extend(entry.name.as_bytes());
        offset += LOCAL + entry.name.len() + entry.size();
    }
    out.write_all(&directory)?;
    out.write_all(b"PK\x05\x06\0\0\0\0")?;
    let count = (entries.len() as u16).to_le_bytes();
    out.write_all(&[count, count].concat())?;
    out.write_all(&(directory.len() as u32).to_le_bytes())?;
    out.write_all(&(offset as u32).to_le_bytes())?;
    out.write_all(&[0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn keys_are_safe_and_different() {
        let names = ["t", "theta'", "a/b", "a:b", "R[1,3]", "columns", "", "x", "x.npy", "..", "a_b"];
        let expected = ["t", "theta'", "a_b", "a_b_2", "R[1,3]", "columns_2", "_", "x", "x_npy", "_..", "a_b_3"];
        assert_eq!(keys(names.into_iter()), expected);
    }

    #[test]
    fn headers_are_aligned() {
        for shape in ["(0,)", "(123456789,)", "(7, 3)"] {
            let header = npy_header("<f8", shape);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(u16::from_le_bytes([header[8], header[9]]) as usize + 10, header.len());
            assert_eq!(header.last(), Some(&b'\n'));
        }
    }

    /// The zip read back from its end: every number in it is used, none is trusted.
    #[test]
    fn offsets_sizes_and_checksums_agree() {
        let mut table = Table::new("t");
        table.push(Column::new("θ", (0..1500).map(f64::from).collect())).unwrap();
        table.push(Column::new("b", vec![0.5; 1500])).unwrap();
        let mut z = Vec::new();
        table.write_npz(&mut z).unwrap();
        let short = |at: usize| u16::from_le_bytes([z[at], z[at + 1]]) as usize;
        let long = |at: usize| u32::from_le_bytes(z[at..at + 4].try_into().unwrap()) as usize;

        let end = z.len() - 22;
        assert_eq!(&z[end..end + 4], b"PK\x05\x06");
        assert_eq!((short(end + 8), short(end + 10)), (4, 4));
        let mut at = long(end + 16);
        assert_eq!(at + long(end + 12), end);
        let mut local = 0;
        for name in ["θ.npy", "b.npy", "columns.npy", "metadata.npy"] {
            assert_eq!(&z[at..at + 4], b"PK\x01\x02");
            assert_eq!(&z[at + 46..at + 46 + short(at + 28)], name.as_bytes());
            assert_eq!(long(at + 42), local);
            assert_eq!(&z[local..local + 4], b"PK\x03\x04");
            assert_eq!(z[local + 4..local + 30], z[at + 6..at + 32]);
            let start = local + 30 + short(local + 26);
            let content = &z[start..start + long(at + 24)];
            assert_eq!(&content[..6], b"\x93NUMPY");
            let mut crc = Crc::new();
            crc.add(content);
            assert_eq!(crc.value() as usize, long(at + 16));
            local = start + content.len();
            at += 46 + short(at + 28);
        }
        assert_eq!(at, end);
        assert_eq!(local, long(end + 16));
    }
}
