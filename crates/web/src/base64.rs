//! Numbers in bulk: base64 of little-endian arrays.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in the standard alphabet, with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - group.len()));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k)) as usize & 63];
            out.push(if k <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// `{"f64": "…"}`.
pub(crate) fn doubles(numbers: impl IntoIterator<Item = f64>) -> serde_json::Value {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(f64::to_le_bytes).collect();
    serde_json::json!({ "f64": encode(&bytes) })
}

/// `{"f32": "…"}`.
pub(crate) fn floats(numbers: impl IntoIterator<Item = f32>) -> serde_json::Value {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
    serde_json::json!({ "f32": encode(&bytes) })
}

/// `{"u16": "…"}` where all of them are so small, or `{"u32": "…"}`.
pub(crate) fn words(numbers: impl IntoIterator<Item = u32>) -> serde_json::Value {
    let numbers: Vec<u32> = numbers.into_iter().collect();
    match numbers.iter().map(|n| u16::try_from(*n)).collect::<Result<Vec<u16>, _>>() {
        Ok(short) => {
            let bytes: Vec<u8> = short.into_iter().flat_map(u16::to_le_bytes).collect();
            serde_json::json!({ "u16": encode(&bytes) })
        }
        Err(_) => {
            let bytes: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
            serde_json::json!({ "u32": encode(&bytes) })
        }
    }
}

/// `{"i16": "…"}`: numbers between −1 and 1 in parts of 32767, as exact as directions of light need to be.
pub(crate) fn parts(numbers: impl IntoIterator<Item = f32>) -> serde_json::Value {
    let part = |x: f32| (x.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16;
    let bytes: Vec<u8> = numbers.into_iter().flat_map(|x| part(x).to_le_bytes()).collect();
    serde_json::json!({ "i16": encode(&bytes) })
}

/// The bytes of a text in the standard alphabet.
#[cfg(test)]
pub(crate) fn decode(text: &str) -> Vec<u8> {
    let letter = |c: u8| LETTERS.iter().position(|l| *l == c).unwrap_or_default() as u32;
    let mut out = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let kept = group.iter().filter(|c| **c != b'=').count() - 1;
        let word = group.iter().fold(0u32, |w, c| w << 6 | letter(*c));
        out.extend(&word.to_be_bytes()[1..1 + kept]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_rfc_4648() {
        let known = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (n, text) in known.iter().enumerate() {
            assert_eq!(encode(&b"foobar"[..n]), *text);
        }
        assert_eq!(encode(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn small_numbers_are_short() {
        assert_eq!(words([1, 2]), serde_json::json!({ "u16": "AQACAA==" }));
        assert_eq!(words([65536]), serde_json::json!({ "u32": "AAABAA==" }));
        assert_eq!(parts([1.0, -1.0]), serde_json::json!({ "i16": "/38BgA==" }));
    }

    #[test]
    fn doubles_are_little_endian() {
        assert_eq!(doubles([1.0]), serde_json::json!({ "f64": "AAAAAAAA8D8=" }));
    }
}
