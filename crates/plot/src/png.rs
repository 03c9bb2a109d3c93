//! Pictures of a few colours as PNG.
//!
//! One byte for each pixel, a palette, no compression: deflate has blocks that are stored as they are. Source: \[PNG2003\], with the formats of RFC 1950 and 1951.

use crate::colour::Rgb;

/// Bytes of a stored block.
const BLOCK: usize = 65_535;

/// A picture whose pixels are indices into a palette of at most 256 colours, rows from the top.
///
/// # Panics
/// If there are more colours, none, or not width × height pixels.
pub fn indexed(width: usize, height: usize, palette: &[Rgb], pixels: &[u8]) -> Vec<u8> {
    assert!((1..=256).contains(&palette.len()) && pixels.len() == width * height && !pixels.is_empty());
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    header.extend([8, 3, 0, 0, 0]); // bits, palette, deflate, filters, no interlace
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"PLTE", &palette.concat());
    let rows: Vec<u8> = pixels.chunks_exact(width).flat_map(|row| std::iter::once(&0).chain(row)).copied().collect();
    chunk(&mut out, b"IDAT", &zlib(&rows));
    chunk(&mut out, b"IEND", &[]);
    out
}

/// Bytes in letters that can stand in a text.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let count = data.len().div_ceil(BLOCK);
    for (k, block) in data.chunks(BLOCK).enumerate() {
        out.push(u8::from(k + 1 == count));
        let length = block.len() as u16;
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
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
        assert_eq!(zlib(b"Wikipedia")[16..], [0x11, 0xe6, 0x03, 0x98]);
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
        // one stored block: two rows, each with its filter before it
        let data = picture.windows(4).position(|w| w == b"IDAT").unwrap() + 4;
        assert_eq!(picture[data..data + 15], [0x78, 1, 1, 8, 0, 0xf7, 0xff, 0, 0, 1, 0, 0, 1, 0, 1]);
    }
}
