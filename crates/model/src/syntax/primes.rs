//! The one liberty our model files take with TOML: bare keys may end in primes.
//!
//! `psi' = 1` says what it means, but TOML reads the prime as the beginning of a
//! string. So before parsing, each prime at the end of a bare key is replaced by a byte that
//! TOML allows there. Nothing moves: the masked text has the same length, spans
//! found in it are spans of the original, and names are read from the original.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Bytes that may stand for a prime; the first that makes no two keys equal is used.
const STAND_INS: &[u8] = b"-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The text with the primes of bare keys replaced; equal in length.
pub(crate) fn mask_primes(text: &str) -> Cow<'_, str> {
    let runs = prime_runs(text.as_bytes());
    if runs.is_empty() {
        return Cow::Borrowed(text);
    }
    let words: HashSet<&str> = bare_words(text).collect();
    let keys: Vec<Range<usize>> = runs.iter().map(|run| key_start(text.as_bytes(), run.start)..run.end).collect();
    let fits = |byte: u8| {
        let mut taken: HashMap<String, &str> = HashMap::new();
        keys.iter().all(|key| {
            let original = &text[key.clone()];
            let masked = original.replace('\'', &char::from(byte).to_string());
            !words.contains(masked.as_str()) && *taken.entry(masked).or_insert(original) == original
        })
    };
    let stand_in = STAND_INS.iter().copied().find(|&byte| fits(byte)).unwrap_or(STAND_INS[0]);
    let mut masked = text.to_owned();
    for run in runs {
        let replacement = char::from(stand_in).to_string().repeat(run.len());
        masked.replace_range(run, &replacement);
    }
    Cow::Owned(masked)
}

/// Whether a byte may stand in a bare key of TOML.
pub(crate) fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// All stretches of bare-key bytes, wherever they stand.
pub(crate) fn bare_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !u8::try_from(c).is_ok_and(is_bare)).filter(|word| !word.is_empty())
}

fn key_start(bytes: &[u8], end: usize) -> usize {
    let back = bytes[..end].iter().rev().take_while(|&&byte| is_bare(byte)).count();
    end - back
}

/// What a bracket in a value has opened.
enum Frame {
    Array,
    InlineTable,
}

/// The runs of primes at the ends of bare keys.
///
/// Follows just enough of TOML to know strings, comments, and whether a key or a
/// value is being read. What is not TOML may give nonsense here, but then it gives
/// an error in the parser as well.
fn prime_runs(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut open: Vec<Frame> = Vec::new();
    let mut in_key = true;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' if open.is_empty() => in_key = true,
            b'#' => {
                at += bytes[at..].iter().take_while(|&&byte| byte != b'\n').count();
                continue;
            }
            b'\'' if in_key && at > 0 && is_bare(bytes[at - 1]) => {
                let len = bytes[at..].iter().take_while(|&&byte| byte == b'\'').count();
                let run = at..at + len;
                if ends_key(&bytes[run.end..]) {
                    at = run.end;
                    runs.push(run);
                } else {
                    at = after_string(bytes, at);
                }
                continue;
            }
            b'\'' | b'"' => {
                at = after_string(bytes, at);
                continue;
            }
            b'[' if !in_key => open.push(Frame::Array),
            b'{' if !in_key => {
                open.push(Frame::InlineTable);
                in_key = true;
            }
            b']' | b'}' => {
                // a header's bracket closes nothing, and is still part of a key
                in_key &= open.pop().is_none();
            }
            b'=' => in_key = false,
            b',' => in_key = matches!(open.last(), Some(Frame::InlineTable)),
            _ => {}
        }
        at += 1;
    }
    runs
}

/// Whether a key can be over where `rest` begins.
fn ends_key(rest: &[u8]) -> bool {
    let next = rest.iter().find(|&&byte| byte != b' ' && byte != b'\t');
    matches!(next, None | Some(b'=' | b'.' | b']' | b',' | b'}' | b'\r' | b'\n'))
}

/// Just past the string that begins at `start`; an unclosed one ends with its line.
fn after_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let escapes = quote == b'"';
    let long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if long { 3 } else { 1 };
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if escapes => at += 1,
            b'\n' if !long => return at,
            _ if byte == quote && !long => return at + 1,
            _ if long && bytes[at..].starts_with(&[quote; 3]) => {
                // up to two quotes may belong to the text just before the closing three
                let len = bytes[at..].iter().take_while(|&&byte| byte == quote).count();
                return at + len.min(5);
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn masks(text: &str, expected: &str) {
        assert_eq!(mask_primes(text), expected);
    }

    #[test]
    fn keys_are_masked() {
        masks("psi' = 1", "psi- = 1");
        masks("a = 1\n  theta''=2\r\n", "a = 1\n  theta--=2\r\n");
        masks("v = { x' = 1, theta' = 0.2 }", "v = { x- = 1, theta- = 0.2 }");
        masks("v = [{ x' = 'a' }, { y'=2 }]\nz' = 1", "v = [{ x- = 'a' }, { y-=2 }]\nz- = 1");
        masks("[initial.x']\ny'.z' = 1", "[initial.x-]\ny-.z- = 1");
        masks("v = {\n x' = 1, # 'n\n y' = 2 }", "v = {\n x- = 1, # 'n\n y- = 2 }");
    }

    #[test]
    fn strings_and_comments_are_left_alone() {
        for text in [
            "x = 'real'",
            "x='real'\ny='real'",
            "g = ['d/dx', 'd/dy']",
            "g = [\n  'd/dx',\n  'd/dy'\n]",
            "# it's x' = 1\na = 1",
            "k = \"x' = r*psi'\"",
            "k = \"\"\"\nx' = 1\n\"\"\"",
            "k = '''\nx' = 1\n'''",
            "k = '''x''''\ny = 1",
            "'quoted' = 1\na.'b' = 2",
            "k = \"\\\"x' = \"",
            "x'y = 1",
        ] {
            assert!(matches!(mask_primes(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn stand_ins_do_not_make_keys_equal() {
        masks("x' = 1\nx- = 2", "x_ = 1\nx- = 2");
        masks("x' = 1\nx- = 2\nx_ = 3", "x0 = 1\nx- = 2\nx_ = 3");
        masks("x'' = 1\nx-' = 2", "x__ = 1\nx-_ = 2");
        // the same key twice stays the same key twice
        masks("x' = 1\nx' = 2", "x- = 1\nx- = 2");
    }
}
