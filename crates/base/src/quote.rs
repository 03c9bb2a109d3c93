//! Strings as JSON and TOML write them, for crates without a JSON library.
//!
//! Not here: strings of shells and of source code.

use std::fmt::Write;

/// The text between quotation marks. Quotation marks, backslashes and control characters are escaped, by the escapes that JSON and TOML
/// have in common.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_to_be_escaped_is() {
        assert_eq!(quoted("θ' \"1\"\\\n\u{7f}\u{85}"), r#""θ' \"1\"\\\u000a\u007f\u0085""#);
    }
}
