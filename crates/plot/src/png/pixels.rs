//! Pictures of any colours as PNG, and pictures of this crate read again: the feature `png`.
//!
//! Compressed by `miniz_oxide`. Source: \[Adler2003\].
//!
//! Not here: what no picture of this crate has, such as transparency, several chunks of data, and the other filters.

use super::{ABOVE, BEFORE, LETTERS, SIGNATURE, chunk, header};
use crate::colour::Rgb;

/// What a byte of the header says: pixels are red, green and blue.
const RGB: u8 = 2;

/// What the first byte of a row says: the others are as they are.
const PLAIN: u8 = 0;

/// A picture of any colours, with its density in pixels per metre: programs that set pages take its size from it.
pub(crate) fn rgb(width: usize, pixels: &[Rgb], density: u32) -> Vec<u8> {
    let mut out = header(width, pixels.len() / width, RGB);
    let mut data = [density.to_be_bytes(), density.to_be_bytes()].concat();
    data.push(1); // the unit is the metre
    chunk(&mut out, b"pHYs", &data);
    // lines and letters on white: with differences the files were larger
    let rows: Vec<u8> = pixels.chunks_exact(width).flat_map(|row| [&[PLAIN], row.as_flattened()].concat()).collect();
    chunk(&mut out, b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, 6));
    chunk(&mut out, b"IEND", &[]);
    out
}

/// Pixels in rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: usize,
    /// All of them.
    pub pixels: Vec<Rgb>,
}

/// Reads a picture that this crate has written; `None` for others.
pub fn read(file: &[u8]) -> Option<Picture> {
    let mut rest = file.strip_prefix(SIGNATURE)?;
    let (mut width, mut kind, mut palette, mut rows) = (0, 0, Vec::new(), Vec::new());
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        let (name, data) = after.get(..4 + length)?.split_at(4);
        match name {
            b"IHDR" => (width, kind) = (u32::from_be_bytes(*data.first_chunk()?) as usize, *data.get(9)?),
            b"PLTE" => palette = data.as_chunks::<3>().0.to_vec(),
            b"IDAT" => rows = miniz_oxide::inflate::decompress_to_vec_zlib(data).ok()?,
            _ => {}
        }
        rest = after.get(4 + length + 4..)?;
    }
    let step = if kind == RGB { 3 } else { 1 };
    let mut all: Vec<u8> = Vec::new();
    let mut above = vec![0; step * width];
    for filtered in rows.chunks_exact(1 + step * width) {
        let mut row = filtered[1..].to_vec();
        for k in 0..row.len() {
            let less = match filtered[0] {
                ABOVE => above[k],
                BEFORE if k >= step => row[k - step],
                _ => 0,
            };
            row[k] = row[k].wrapping_add(less);
        }
        all.extend(&row);
        above = row;
    }
    let pixels = match kind {
        RGB => all.as_chunks::<3>().0.to_vec(),
        _ => all.iter().map(|k| palette.get(usize::from(*k)).copied()).collect::<Option<_>>()?,
    };
    Some(Picture { width, pixels })
}

/// The bytes that [`base64`] has written in letters.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for part in text.trim_end_matches('=').as_bytes().chunks(4) {
        let digit = |c: &u8| LETTERS.iter().position(|l| l == c).map(|d| d as u32);
        let x = part.iter().try_fold(0, |x, c| Some(x << 6 | digit(c)?))? << (6 * (4 - part.len()));
        out.extend(&x.to_be_bytes()[1..part.len()]);
    }
    Some(out)
}
