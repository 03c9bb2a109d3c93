//! SHA-256, the checksum of plans, models and shards: `sha256sum` gives the same.
//!
//! Source: \[Nist2015\]. The constants are the first digits of the fractional parts of the square roots of the first 8 primes and of the cube roots of
//! the first 64, and are computed from that.

/// The first 32 binary digits of the fractional part of the n-th root of p, n = 2 or 3, by integer search.
const fn fraction(p: u128, n: u32) -> u32 {
    // r = ⌊p^{1/n} 2³²⌋: the largest r with rⁿ ≤ p·2^{32n}; below 2³⁷, so that r³ has at most 111 bits
    let bound = p << (32 * n);
    let (mut low, mut high) = (0u128, 1 << 37);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let power = if n == 2 { middle * middle } else { middle * middle * middle };
        if power <= bound {
            low = middle;
        } else {
            high = middle;
        }
    }
    low as u32
}

const fn constants<const N: usize>(n: u32) -> [u32; N] {
    let (mut out, mut count, mut p) = ([0; N], 0, 2u128);
    while count < N {
        let (mut prime, mut d) = (true, 2);
        while d * d <= p {
            if p % d == 0 {
                prime = false;
            }
            d += 1;
        }
        if prime {
            out[count] = fraction(p, n);
            count += 1;
        }
        p += 1;
    }
    out
}

const START: [u32; 8] = constants(2);
const ROUNDS: [u32; 64] = constants(3);

/// The checksum of some bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut h = START;
    let mut blocks = bytes.chunks_exact(64);
    for block in &mut blocks {
        compress(&mut h, block);
    }
    let mut tail = blocks.remainder().to_vec();
    tail.push(0x80);
    while tail.len() % 64 != 56 {
        tail.push(0);
    }
    tail.extend((8 * bytes.len() as u64).to_be_bytes());
    tail.chunks_exact(64).for_each(|block| compress(&mut h, block));
    let mut out = [0; 32];
    out.chunks_exact_mut(4).zip(h).for_each(|(o, x)| o.copy_from_slice(&x.to_be_bytes()));
    out
}

fn compress(h: &mut [u32; 8], block: &[u8]) {
    let mut w = [0u32; 64];
    for (w, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *w = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for t in 16..64 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ w[t - 15] >> 3;
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
    }
    let mut v = *h;
    for t in 0..64 {
        let [a, b, c, d, e, f, g, last] = v;
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = last.wrapping_add(s1).wrapping_add(choice).wrapping_add(ROUNDS[t]).wrapping_add(w[t]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        v = [t1.wrapping_add(s0.wrapping_add(majority)), a, b, c, d.wrapping_add(t1), e, f, g];
    }
    h.iter_mut().zip(v).for_each(|(h, v)| *h = h.wrapping_add(v));
}

/// The checksum in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    sha256(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the standard, and a million letters a.
    #[test]
    fn known_answers() {
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(
            hex(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        let letters = vec![b'a'; 1_000_000];
        assert_eq!(hex(&letters), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
