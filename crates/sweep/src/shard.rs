//! Rows as bytes that survive being cut off anywhere.
//!
//! ```text
//! polhode-shard 1                         a header of lines of text
//! plan <SHA-256 of the plan>
//! rows <first> <end>
//! columns <number>
//! <empty line>
//! block, block, …
//!
//! block = "BLCK"  first row, u64  rows, u32  bytes, u32  payload  SHA-256 of all of this
//! row   = status, u8  t, f64  columns × f64  length, u32  reason in UTF-8
//! ```
//!
//! Numbers are little-endian. Blocks follow each other without a gap in the rows. Whatever follows the last sound block is worth nothing: a process
//! that was killed while it wrote has lost that block and no other.

use crate::row::{Row, Status};
use crate::sha256::sha256;
use std::fmt;
use std::ops::Range;

const TITLE: &str = "polhode-shard 1";
const MARK: &[u8; 4] = b"BLCK";
const HEAD: usize = 4 + 8 + 4 + 4;
const SUM: usize = 32;

/// Which part of a sweep is in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The checksum of the plan.
    pub plan: String,
    /// Its rows.
    pub rows: Range<u64>,
    /// Columns of what is kept.
    pub columns: usize,
}

/// What was found in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Which part it is.
    pub shard: Shard,
    /// Its rows, from the first on, as far as they are sound.
    pub rows: Vec<Row>,
    /// How many bytes are sound.
    pub sound: usize,
}

/// Why bytes are no shard, or shards no whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadShard {
    /// The header is not one.
    Header,
    /// Rows are missing.
    Missing(Vec<Range<u64>>),
    /// Rows are there twice, in these two.
    Overlap(String, String),
    /// It belongs to another plan.
    OtherPlan(String),
    /// It ends too early, or a checksum is wrong.
    Damaged(String),
}

impl fmt::Display for BadShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadShard::Header => f.write_str("it does not begin as a shard does"),
            BadShard::Missing(gaps) => {
                let gaps: Vec<String> = gaps.iter().map(|g| format!("{} … {}", g.start, g.end - 1)).collect();
                write!(f, "samples {} are missing", gaps.join(", "))
            }
            BadShard::Overlap(a, b) => write!(f, "`{a}` and `{b}` have samples in common"),
            BadShard::OtherPlan(name) => write!(f, "`{name}` belongs to another plan"),
            BadShard::Damaged(name) => write!(f, "`{name}` is damaged: a checksum is wrong, or it ends too early"),
        }
    }
}

impl std::error::Error for BadShard {}

impl Shard {
    /// Part `k` of `n`, counted from one, of a sweep of so many samples.
    pub fn part(k: u64, n: u64, samples: u64) -> Range<u64> {
        let cut = |k: u64| (u128::from(samples) * u128::from(k) / u128::from(n)) as u64;
        cut(k - 1)..cut(k)
    }

    /// The beginning of its file.
    pub fn header(&self) -> Vec<u8> {
        let Shard { plan, rows, columns } = self;
        format!("{TITLE}\nplan {plan}\nrows {} {}\ncolumns {columns}\n\n", rows.start, rows.end).into_bytes()
    }

    /// Reads what is sound of a file.
    pub fn read(bytes: &[u8]) -> Result<Found, BadShard> {
        let end = bytes.windows(2).position(|w| w == b"\n\n").ok_or(BadShard::Header)?;
        let text = std::str::from_utf8(&bytes[..end]).map_err(|_| BadShard::Header)?;
        let shard = Shard::from_header(text).ok_or(BadShard::Header)?;
        let (mut rows, mut at) = (Vec::new(), end + 2);
        while let Some((block, next)) = block(&bytes[at..], shard.rows.start + rows.len() as u64, shard.columns) {
            rows.extend(block);
            at += next;
        }
        Ok(Found { shard, rows, sound: at })
    }

    fn from_header(text: &str) -> Option<Shard> {
        let mut lines = text.lines();
        (lines.next()? == TITLE).then_some(())?;
        let plan = lines.next()?.strip_prefix("plan ")?.to_owned();
        let (start, end) = lines.next()?.strip_prefix("rows ")?.split_once(' ')?;
        let columns = lines.next()?.strip_prefix("columns ")?.parse().ok()?;
        let rows = start.parse().ok()?..end.parse().ok()?;
        (rows.start <= rows.end).then_some(Shard { plan, rows, columns })
    }
}

/// Rows as a block.
pub fn encode(first: u64, rows: &[Row]) -> Vec<u8> {
    let mut payload = Vec::new();
    for row in rows {
        payload.push(row.status.number());
        [row.t].iter().chain(&row.values).for_each(|x| payload.extend(x.to_le_bytes()));
        payload.extend((row.reason.len() as u32).to_le_bytes());
        payload.extend(row.reason.as_bytes());
    }
    let mut out = Vec::with_capacity(HEAD + payload.len() + SUM);
    out.extend(MARK);
    out.extend(first.to_le_bytes());
    out.extend((rows.len() as u32).to_le_bytes());
    out.extend((payload.len() as u32).to_le_bytes());
    out.extend(payload);
    let sum = sha256(&out);
    out.extend(sum);
    out
}

/// The rows of the block at the beginning of some bytes, and its length; nothing unless it is sound and begins with the row that is expected.
fn block(bytes: &[u8], expected: u64, columns: usize) -> Option<(Vec<Row>, usize)> {
    let head = bytes.get(..HEAD)?;
    (head.starts_with(MARK)).then_some(())?;
    let first = u64::from_le_bytes(head[4..12].try_into().ok()?);
    let count = u32::from_le_bytes(head[12..16].try_into().ok()?);
    let length = HEAD + u32::from_le_bytes(head[16..20].try_into().ok()?) as usize;
    let sum = bytes.get(length..length + SUM)?;
    (first == expected && sha256(&bytes[..length]) == sum).then_some(())?;
    let mut rest = &bytes[HEAD..length];
    let mut rows = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let status = Status::from_number(take(&mut rest, 1)?[0])?;
        let mut number = || take(&mut rest, 8).and_then(|b| b.try_into().ok()).map(f64::from_le_bytes);
        let t = number()?;
        let values = (0..columns).map(|_| number()).collect::<Option<Vec<f64>>>()?;
        let size = u32::from_le_bytes(take(&mut rest, 4)?.try_into().ok()?) as usize;
        let reason = String::from_utf8(take(&mut rest, size)?.to_vec()).ok()?;
        rows.push(Row { status, reason, t, values });
    }
    rest.is_empty().then_some((rows, length + SUM))
}

fn take<'a>(bytes: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(n)?;
    *bytes = rest;
    Some(taken)
}

/// All rows of a sweep, put together from named parts.
pub fn merge(plan: &str, samples: u64, parts: Vec<(String, Found)>) -> Result<Vec<Row>, BadShard> {
    let mut parts = parts;
    for (name, found) in &parts {
        if found.shard.plan != plan {
            return Err(BadShard::OtherPlan(name.clone()));
        }
        if found.rows.len() as u64 != found.shard.rows.end - found.shard.rows.start {
            return Err(BadShard::Damaged(name.clone()));
        }
    }
    // of more shards than samples some are empty
    parts.retain(|(_, found)| !found.rows.is_empty());
    parts.sort_by_key(|(_, found)| found.shard.rows.start);
    for pair in parts.windows(2) {
        if pair[1].1.shard.rows.start < pair[0].1.shard.rows.end {
            return Err(BadShard::Overlap(pair[0].0.clone(), pair[1].0.clone()));
        }
    }
    let (mut gaps, mut at, mut rows) = (Vec::new(), 0, Vec::new());
    for (_, found) in parts {
        if found.shard.rows.start > at {
            gaps.push(at..found.shard.rows.start);
        }
        at = found.shard.rows.end;
        rows.extend(found.rows);
    }
    if at < samples {
        gaps.push(at..samples);
    }
    if gaps.is_empty() { Ok(rows) } else { Err(BadShard::Missing(gaps)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(k: u64) -> Row {
        match k % 3 {
            0 => Row::refused(format!("because of {k}"), 2),
            _ => Row { status: Status::END, reason: String::new(), t: k as f64, values: vec![0.1 * k as f64, -0.0] },
        }
    }

    fn shard(rows: Range<u64>) -> Shard {
        Shard { plan: "abc".into(), rows, columns: 2 }
    }

    /// NaN is not equal to itself.
    fn shown(rows: &[Row]) -> String {
        format!("{rows:?}")
    }

    #[test]
    fn cut_anywhere_the_sound_blocks_are_left() {
        let rows: Vec<Row> = (10..20).map(row).collect();
        let mut file = shard(10..20).header();
        let mut ends = vec![(file.len(), 0)];
        for (first, part) in [(10, &rows[..4]), (14, &rows[4..5]), (15, &rows[5..])] {
            file.extend(encode(first, part));
            ends.push((file.len(), (first - 10) as usize + part.len()));
        }
        for cut in 0..=file.len() {
            let sound = ends.iter().rev().find(|(end, _)| *end <= cut);
            match (Shard::read(&file[..cut]), sound) {
                (Ok(found), Some((end, count))) => {
                    assert_eq!((found.sound, found.rows.len()), (*end, *count));
                    assert_eq!(shown(&found.rows), shown(&rows[..*count]));
                }
                (Err(BadShard::Header), None) => {}
                other => panic!("cut at {cut}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let rows: Vec<Row> = (0..3).map(row).collect();
        let header = shard(0..3).header();
        let mut file = header.clone();
        file.extend(encode(0, &rows));
        for k in header.len()..file.len() {
            file[k] ^= 0x10;
            assert!(Shard::read(&file).unwrap().rows.is_empty(), "byte {k}");
            file[k] ^= 0x10;
        }
    }

    #[test]
    fn parts_cover_everything_once() {
        for (samples, n) in [(10, 3), (7, 7), (3, 8), (1 << 40, 1000)] {
            let mut at = 0;
            for k in 1..=n {
                let part = Shard::part(k, n, samples);
                assert_eq!(part.start, at);
                at = part.end;
            }
            assert_eq!(at, samples);
        }
    }

    #[test]
    fn wholes_are_checked() {
        let part = |name: &str, range: Range<u64>| {
            let mut bytes = shard(range.clone()).header();
            bytes.extend(encode(range.start, &range.map(row).collect::<Vec<_>>()));
            (name.to_owned(), Shard::read(&bytes).unwrap())
        };
        let all: Vec<Row> = (0..9).map(row).collect();
        let merged = merge("abc", 9, vec![part("b", 4..9), part("a", 0..4)]).unwrap();
        assert_eq!(shown(&merged), shown(&all));
        let told = |parts| merge("abc", 9, parts).unwrap_err().to_string();
        assert_eq!(told(vec![part("b", 4..7)]), "samples 0 … 3, 7 … 8 are missing");
        assert_eq!(told(vec![part("a", 0..5), part("b", 4..9)]), "`a` and `b` have samples in common");
        assert_eq!(merge("abd", 9, vec![part("a", 0..9)]), Err(BadShard::OtherPlan("a".into())));
        let mut cut = part("a", 0..9);
        cut.1.rows.pop();
        assert_eq!(merge("abc", 9, vec![cut]), Err(BadShard::Damaged("a".into())));
    }
}
