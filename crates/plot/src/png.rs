//! Pictures of a few colours as PNG.
//!
//! One byte for each pixel and a palette. Every row is written as its differences from the row above, or from pixel to pixel where that row is another one, so
//! that cells become zeros; deflate with its fixed code then has runs of one byte as its only matches. Source: \[Adler2003\], with the formats of RFC 1950 and 1951.

#[cfg(feature = "png")]
mod pixels;

use crate::colour::Rgb;
#[cfg(feature = "png")]
pub use pixels::{Picture, read};
#[cfg(feature = "png")]
pub(crate) use pixels::{from_base64, rgb};

/// A picture whose pixels are indices into a palette of at most 256 colours, rows from the top.
///
/// # Panics
/// If there are more colours, none, or not width × height pixels.
pub fn indexed(width: usize, height: usize, palette: &[Rgb], pixels: &[u8]) -> Vec<u8> {
    assert!((1..=256).contains(&palette.len()) && pixels.len() == width * height && !pixels.is_empty());
    let mut out = header(width, height, PALETTE);
    chunk(&mut out, b"PLTE", &palette.concat());
    let mut rows = Vec::with_capacity(pixels.len() + height);
    let mut above: &[u8] = &[];
    for row in pixels.chunks_exact(width) {
        if row == above {
            rows.push(ABOVE);
            rows.extend(row.iter().map(|_| 0));
        } else {
            rows.push(BEFORE);
            rows.extend(row.iter().enumerate().map(|(k, x)| if k == 0 { *x } else { x.wrapping_sub(row[k - 1]) }));
        }
        above = row;
    }
    chunk(&mut out, b"IDAT", &zlib(&rows));
    chunk(&mut out, b"IEND", &[]);
    out
}

/// What a byte of the header says: pixels are indices into a palette.
const PALETTE: u8 = 3;

/// What the first byte of a row says about the others: differences from the pixel before, or from the row above.
const BEFORE: u8 = 1;
const ABOVE: u8 = 2;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

fn header(width: usize, height: usize, kind: u8) -> Vec<u8> {
    let mut out = SIGNATURE.to_vec();
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    header.extend([8, kind, 0, 0, 0]); // bits, kind of pixels, deflate, filters, no interlace
    chunk(&mut out, b"IHDR", &header);
    out
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in letters that can stand in a text.
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let x = part.iter().enumerate().fold(0, |x, (i, b)| x | u32::from(*b) << (16 - 8 * i));
        for k in 0..4 {
            out.push(if k <= part.len() { LETTERS[(x >> (18 - 6 * k)) as usize & 63] as char } else { '=' });
        }
    }
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(kind);
    out.extend(data);
    let sum = crc(&out[start..]);
    out.extend(sum.to_be_bytes());
}

/// Bits, the lowest of a byte first.
struct Bits {
    out: Vec<u8>,
    used: u32,
}

impl Bits {
    /// A code of so many bits, its highest bit first.
    fn code(&mut self, code: u32, length: u32) {
        for k in (0..length).rev() {
            if self.used.is_multiple_of(8) {
                self.out.push(0);
            }
            let last = self.out.len() - 1;
            self.out[last] |= ((code >> k & 1) as u8) << (self.used % 8);
            self.used += 1;
        }
    }

    /// The fixed code of a byte.
    fn byte(&mut self, x: u8) {
        match u32::from(x) {
            x @ 0..144 => self.code(0x30 + x, 8),
            x => self.code(0x190 + x - 144, 9),
        }
    }

    /// The byte before so many times again, 3 to 10 or 258.
    fn again(&mut self, times: usize) {
        match times {
            258 => self.code(0xc5, 8),
            times => self.code(times as u32 - 2, 7),
        }
        self.code(0, 5); // distance one
    }
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut bits = Bits { out: vec![0x78, 0x01], used: 0 };
    bits.code(1, 1); // the last block
    bits.code(2, 2); // with the fixed code: 01, lowest bit first
    for run in data.chunk_by(|a, b| a == b) {
        bits.byte(run[0]);
        let mut rest = run.len() - 1;
        while rest > 0 {
            let times = match rest {
                258.. => 258,
                3.. => rest.min(10),
                _ => 1,
            };
            if times == 1 {
                bits.byte(run[0])
            } else {
                bits.again(times)
            }
            rest -= times;
        }
    }
    bits.code(0, 7);
    let mut out = bits.out;
    let (a, b) = data.iter().fold((1u32, 0u32), |(a, b), x| {
        let a = (a + u32::from(*x)) % 65_521;
        (a, (b + a) % 65_521)
    });
    out.extend((b << 16 | a).to_be_bytes());
    out
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |r, byte| {
        (0..8).fold(r ^ u32::from(*byte), |r, _| if r & 1 == 1 { 0xedb8_8320 ^ (r >> 1) } else { r >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_the_literature() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        // "Wikipedia" has the Adler sum 0x11e60398
        assert!(zlib(b"Wikipedia").ends_with(&[0x11, 0xe6, 0x03, 0x98]));
    }

    /// Bytes that zlib reads as five letters a.
    #[test]
    fn a_run_by_hand() {
        // 1, 01 | 'a' = 0x91: 10010001 | again 4: 0000010, 00000 | end: 0000000
        assert_eq!(zlib(b"aaaaa"), [0x78, 0x01, 0x4b, 0x04, 0x01, 0x00, 0x05, 0xb4, 0x01, 0xe6]);
    }

    /// A slow inflate for the fixed code, to read everything back.
    fn inflate(bytes: &[u8]) -> Vec<u8> {
        let mut at = 16 + 3;
        let mut bit = |n: usize| {
            (0..n).fold(0u32, |x, _| {
                let b = bytes[at / 8] >> (at % 8) & 1;
                at += 1;
                x << 1 | u32::from(b)
            })
        };
        let mut out: Vec<u8> = Vec::new();
        loop {
            let seven = bit(7);
            let symbol = if seven <= 0x17 {
                256 + seven
            } else {
                let eight = seven << 1 | bit(1);
                match eight {
                    0x30..=0xbf => eight - 0x30,
                    0xc0..=0xc7 => 280 + eight - 0xc0,
                    _ => 144 + (eight << 1 | bit(1)) - 0x190,
                }
            };
            match symbol {
                0..256 => out.push(symbol as u8),
                256 => return out,
                _ => {
                    let times = if symbol == 285 { 258 } else { symbol - 254 };
                    assert_eq!(bit(5), 0);
                    (0..times).for_each(|_| out.push(out[out.len() - 1]));
                }
            }
        }
    }

    #[test]
    fn everything_reads_back() {
        for n in [0, 1, 2, 3, 4, 10, 11, 12, 13, 258, 259, 260, 261, 262, 1000] {
            let mut data = vec![7; n];
            data.extend([200, 200, 143, 144, 255, 0]);
            assert_eq!(inflate(&zlib(&data)), data, "{n}");
        }
    }

    /// The examples of RFC 4648.
    #[test]
    fn letters() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|t| base64(t.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn a_picture_has_its_parts() {
        let picture = indexed(3, 2, &[[0, 0, 0], [255, 0, 0]], &[0, 1, 0, 1, 0, 1]);
        assert_eq!(&picture[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(picture[16..24], [0, 0, 0, 3, 0, 0, 0, 2]);
        let data = picture.windows(4).position(|w| w == b"IDAT").unwrap() + 4;
        assert_eq!(inflate(&picture[data..]), [1, 0, 1, 255, 1, 1, 255, 1]);
        // a row that is repeated costs nothing but its filter
        let picture = indexed(3, 2, &[[0, 0, 0], [255, 0, 0]], &[0, 1, 0, 0, 1, 0]);
        assert_eq!(inflate(&picture[data..]), [1, 0, 1, 255, 2, 0, 0, 0]);
    }
}
