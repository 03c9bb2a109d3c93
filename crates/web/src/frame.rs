//! Texts between the server and its workers, one after the other in a pipe.
//!
//! ```text
//! length in decimal, newline, that many bytes
//! ```

use std::io::{self, BufRead, Read, Write};

/// The next text; `None` at the end, and for what is no text of at most so many bytes.
pub(crate) fn read(input: &mut impl BufRead, most: u64) -> Option<String> {
    let mut head = String::new();
    input.take(24).read_line(&mut head).ok()?;
    let length: u64 = head.strip_suffix('\n')?.parse().ok()?;
    let mut bytes = Vec::new();
    input.take(length.min(most)).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok().filter(|text| text.len() as u64 == length)
}

/// Writes one text.
pub(crate) fn write(output: &mut impl Write, text: &str) -> io::Result<()> {
    output.write_all(format!("{}\n", text.len()).as_bytes())?;
    output.write_all(text.as_bytes())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_one_by_one() {
        let mut pipe = Vec::new();
        for text in ["first\nline", "", "θ"] {
            write(&mut pipe, text).unwrap();
        }
        let mut input = &pipe[..];
        let mut next = || read(&mut input, 100);
        assert_eq!(
            [next(), next(), next(), next()].map(|t| t.unwrap_or("end".into())),
            ["first\nline", "", "θ", "end"]
        );
    }

    #[test]
    fn what_is_no_text_ends_the_conversation() {
        let all: [(&[u8], u64); 5] = [(b"x\nabc", 9), (b"5\nabc", 9), (b"3\nabc", 2), (b"2\n\xff\xfe", 9), (b"12", 9)];
        for (mut bytes, most) in all {
            assert_eq!(read(&mut bytes, most), None);
        }
    }
}
