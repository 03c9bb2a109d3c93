//! CRC-32 of zip files: polynomial 0x04C11DB7, bits reversed [ISO 3309; APPNOTE 4.4.7].
//!
//! Eight bytes at a time: table `j` holds the remainder of a byte followed by `j` zero bytes, so
//! that the remainders of eight bytes are looked up side by side and added. A double is eight bytes.

const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut t = [[0_u32; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut r = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            r = if r & 1 == 1 { 0xedb8_8320 ^ (r >> 1) } else { r >> 1 };
            bit += 1;
        }
        t[0][byte] = r;
        byte += 1;
    }
    let mut j = 1;
    while j < 8 {
        let mut byte = 0;
        while byte < 256 {
            let r = t[j - 1][byte];
            t[j][byte] = (r >> 8) ^ t[0][(r & 0xff) as usize];
            byte += 1;
        }
        j += 1;
    }
    t
}

/// A checksum being computed.
pub(crate) struct Crc(u32);

impl Crc {
    pub(crate) fn new() -> Self {
        Self(!0)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for &eight in eights {
            let x = u64::from_le_bytes(eight) ^ u64::from(self.0);
            self.0 = (0..8).fold(0, |r, j| r ^ TABLES[7 - j][(x >> (8 * j)) as usize & 0xff]);
        }
        for &byte in rest {
            self.0 = (self.0 >> 8) ^ TABLES[0][(self.0 as u8 ^ byte) as usize];
        }
    }

    pub(crate) fn value(&self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Crc;

    fn crc(parts: &[&[u8]]) -> u32 {
        let mut crc = Crc::new();
        parts.iter().for_each(|part| crc.add(part));
        crc.value()
    }

    #[test]
    fn check_values_of_the_literature() {
        // The "check" entry of every catalogue of CRCs, and the sentence of the pangram.
        assert_eq!(crc(&[b"123456789"]), 0xcbf4_3926);
        assert_eq!(crc(&[b"The quick brown fox jumps over the lazy dog"]), 0x414f_a339);
        assert_eq!(crc(&[]), 0);
    }

    #[test]
    fn parts_add_up() {
        let text = b"The quick brown fox jumps over the lazy dog";
        for cut in 0..text.len() {
            assert_eq!(crc(&[&text[..cut], &text[cut..]]), 0x414f_a339);
        }
    }
}
