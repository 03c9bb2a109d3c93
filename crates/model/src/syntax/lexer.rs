//! Formula text cut into tokens.
//!
//! ASCII is the reference spelling; what people paste from papers (`×`, `·`, `−`,
//! `²`, `≤`, `θ`, `q̇`) is accepted as well. A character without a meaning is an
//! error that names the spelling that has one.

use std::ops::Range;
use std::sync::Arc;

use polhode_base::Diagnostic;

use super::SyntaxError;
use super::decimal::{Decimal, DecimalError};
use super::literal::StringLit;
use super::name::{continues_name, normalize_name, primes, starts_name, subscript, superscript};

/// A token and the decoded bytes it was read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) range: Range<usize>,
}

/// The words of the formula language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Number(Decimal),
    Name {
        path: Arc<str>,
        primes: u32,
    },
    /// `²`, `⁻¹`: digits, possibly with a minus sign.
    Superscript(Decimal),
    /// A prime that does not directly follow a name.
    Prime,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Comma,
    Equals,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    EqualEqual,
    And,
    Or,
    Not,
    /// The end of the formula.
    End,
}

/// Cuts a formula into tokens; the last one is always [`Token::End`].
pub(crate) fn lex(literal: &StringLit) -> Result<Vec<Lexeme>, SyntaxError> {
    let mut lexer = Lexer { literal, text: literal.text(), at: 0 };
    let mut lexemes = Vec::new();
    loop {
        let lexeme = lexer.next()?;
        let done = lexeme.token == Token::End;
        lexemes.push(lexeme);
        if done {
            return Ok(lexemes);
        }
    }
}

struct Lexer<'a> {
    literal: &'a StringLit,
    text: &'a str,
    at: usize, // always on a character boundary
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    /// Advances over the characters for which `wanted` holds and returns them.
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn next(&mut self) -> Result<Lexeme, SyntaxError> {
        self.take_while(char::is_whitespace);
        let start = self.at;
        let token = match self.peek() {
            None => Token::End,
            Some(c) if c.is_ascii_digit() => self.number()?,
            Some('.') if self.peek_second().is_some_and(|c| c.is_ascii_digit()) => {
                return Err(self.number_without_zero());
            }
            Some(c) if starts_name(c) => self.name(),
            Some(c) if superscript(c).is_some() || c == '⁻' => self.superscript()?,
            Some(c) if primes(c).is_some() => {
                self.at += c.len_utf8();
                Token::Prime
            }
            Some(c) => self.operator(c)?,
        };
        Ok(Lexeme { token, range: start..self.at })
    }

    fn number(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        let digit = |c: char| c.is_ascii_digit();
        self.take_while(digit);
        if self.peek() == Some('.') {
            let point = self.at;
            self.at += 1;
            if self.take_while(digit).is_empty() {
                let whole = &self.text[start..point];
                return Err(self.error(
                    "number-format",
                    start..point + 1,
                    "a digit is missing after the decimal point",
                    format!("write `{whole}` or `{whole}.0`"),
                ));
            }
        }
        let mantissa_end = self.at;
        if matches!(self.peek(), Some('e' | 'E')) {
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            if self.take_while(digit).is_empty() {
                self.at = mantissa_end; // a name that begins with e; the parser objects
            }
        }
        if self.peek() == Some('_') && self.peek_second().is_some_and(digit) {
            self.take_while(|c| c.is_ascii_digit() || c == '_');
            let plain = self.text[start..self.at].replace('_', "");
            return Err(self.error(
                "number-format",
                start..self.at,
                "digits cannot be grouped by `_` in a formula",
                format!("write `{plain}`"),
            ));
        }
        let text = &self.text[start..self.at];
        Decimal::parse(text).map(Token::Number).map_err(|wrong| {
            let advice = match wrong {
                DecimalError::Malformed => "write numbers as `1`, `0.25` or `1e-3`",
                DecimalError::OutOfRange => "numbers have up to 1000 digits and powers of ten up to 1000",
            };
            self.error("number-format", start..self.at, wrong.to_string(), advice)
        })
    }

    fn number_without_zero(&mut self) -> SyntaxError {
        let start = self.at;
        self.at += 1;
        self.take_while(|c| c.is_ascii_digit());
        let text = &self.text[start..self.at];
        self.error(
            "number-format",
            start..self.at,
            "a number does not begin with its decimal point",
            format!("write `0{text}`"),
        )
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        self.take_while(continues_name);
        while self.peek() == Some('.') && self.peek_second().is_some_and(starts_name) {
            self.at += 1;
            self.take_while(continues_name);
        }
        let path = normalize_name(&self.text[start..self.at]);
        let mut count = 0u32;
        while let Some((mark, c)) = self.peek().and_then(|c| Some((primes(c)?, c))) {
            count = count.saturating_add(mark);
            self.at += c.len_utf8();
        }
        match (path.as_ref(), count) {
            ("and", 0) => Token::And,
            ("or", 0) => Token::Or,
            ("not", 0) => Token::Not,
            (path, primes) => Token::Name { path: path.into(), primes },
        }
    }

    fn superscript(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        let mut digits = String::new();
        if self.peek() == Some('⁻') {
            self.at += '⁻'.len_utf8();
            digits.push('-');
        }
        digits.extend(self.take_while(|c| superscript(c).is_some()).chars().filter_map(superscript));
        Decimal::parse(&digits).map(Token::Superscript).map_err(|_| {
            self.error(
                "unexpected-character",
                start..self.at,
                "this superscript is not a number",
                "write powers as `x^2` or `x²`",
            )
        })
    }

    fn operator(&mut self, c: char) -> Result<Token, SyntaxError> {
        let start = self.at;
        let second = self.peek_second();
        let (token, len) = match (c, second) {
            ('*', Some('*')) => (Token::Caret, 2),
            ('<', Some('=')) => (Token::LessEqual, 2),
            ('>', Some('=')) => (Token::GreaterEqual, 2),
            ('=', Some('=')) => (Token::EqualEqual, 2),
            ('=', _) => (Token::Equals, 1),
            ('<', _) => (Token::Less, 1),
            ('>', _) => (Token::Greater, 1),
            ('≤', _) => (Token::LessEqual, c.len_utf8()),
            ('≥', _) => (Token::GreaterEqual, c.len_utf8()),
            ('+', _) => (Token::Plus, 1),
            ('-' | '−' | '–', _) => (Token::Minus, c.len_utf8()),
            ('*' | '×' | '·' | '⋅' | '∗', _) => (Token::Star, c.len_utf8()),
            ('/' | '÷' | '∕', _) => (Token::Slash, c.len_utf8()),
            ('^', _) => (Token::Caret, 1),
            ('(', _) => (Token::OpenParen, 1),
            (')', _) => (Token::CloseParen, 1),
            ('[', _) => (Token::OpenBracket, 1),
            (']', _) => (Token::CloseBracket, 1),
            (',', _) => (Token::Comma, 1),
            ('∧', _) => (Token::And, c.len_utf8()),
            ('∨', _) => (Token::Or, c.len_utf8()),
            // `∂/∂x` reads like `d/dx`
            ('∂', _) => return Ok(self.partial()),
            _ => return Err(self.unexpected(c, second)),
        };
        self.at = start + len;
        Ok(token)
    }

    /// `∂` or `∂x` as the name `d` or `dx`.
    fn partial(&mut self) -> Token {
        self.at += '∂'.len_utf8();
        let rest = self.take_while(|c| continues_name(c) || c == '.');
        Token::Name { path: format!("d{}", normalize_name(rest)).into(), primes: 0 }
    }

    /// A character that has no meaning in a formula, and the one that was meant.
    fn unexpected(&self, c: char, second: Option<char>) -> SyntaxError {
        let mut len = c.len_utf8();
        let help = match (c, second) {
            ('&', Some('&')) | ('|', Some('|')) => {
                len = 2;
                format!("write `{}`", if c == '&' { "and" } else { "or" })
            }
            ('&', _) => "write `and`".to_owned(),
            ('|', _) => "write `abs(x)` for |x|, `norm(v)` for the length of a vector, `or` for a choice".to_owned(),
            ('!', Some('=')) => {
                len = 2;
                "there is no `!=`; write `x < a or x > a`".to_owned()
            }
            ('≠', _) => "there is no `≠`; write `x < a or x > a`".to_owned(),
            ('!', _) => "turn the comparison round instead of negating it".to_owned(),
            (';', _) => "rows of a matrix are vectors: `[[a, b], [c, d]]`".to_owned(),
            ('{' | '}', _) => "group with parentheses `( )`".to_owned(),
            ('\\', _) => "names are spelled out or Greek: `theta` or `θ`, not `\\theta`".to_owned(),
            ('@', _) => "a matrix product is written with `*`".to_owned(),
            ('%', _) => "write the fraction: 5 % is `0.05`".to_owned(),
            ('°', _) => "write `30*deg`".to_owned(),
            ('√', _) => "write `sqrt(x)`".to_owned(),
            ('∞', _) => "write `inf`".to_owned(),
            ('½', _) => "write `1/2`".to_owned(),
            (':', _) => "write `=`".to_owned(),
            ('.', _) => "a dot stands inside numbers (`0.5`) and qualified names (`wheel.R`)".to_owned(),
            ('"' | '“' | '”', _) => "formulas do not contain quotation marks".to_owned(),
            ('#', _) => "a comment goes after the closing quote".to_owned(),
            (c, _) if subscript(c).is_some() => "a subscript belongs to a name: `I₁`".to_owned(),
            (c, _) => match dotted(c) {
                Some((letter, mark)) => format!("write `{letter}{mark}` for a velocity"),
                None if c.is_alphabetic() => "names are made of Latin and Greek letters, digits and `_`".to_owned(),
                None => "formulas use `+ - * / ^ ( ) [ ] ,` and names".to_owned(),
            },
        };
        let shown = &self.rest()[..len];
        let message = if c.is_ascii_graphic() || c.is_alphanumeric() {
            format!("`{shown}` has no meaning in a formula")
        } else {
            format!("`{shown}` (U+{:04X}) has no meaning in a formula", c as u32)
        };
        self.error("unexpected-character", self.at..self.at + len, message, help)
    }

    fn error(
        &self,
        code: &'static str,
        range: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> SyntaxError {
        let span = self.literal.span_of(range);
        Box::new(Diagnostic::error(code, message).at(span, "").help(help))
    }
}

/// Letter and primes of a letter with its dots built in, such as `ẋ`.
fn dotted(c: char) -> Option<(char, &'static str)> {
    Some(match c {
        'ẋ' => ('x', "'"),
        'ẏ' => ('y', "'"),
        'ż' => ('z', "'"),
        'ẍ' => ('x', "''"),
        'ÿ' => ('y', "''"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let lexemes = lex(&StringLit::plain(text)).expect("tokens");
        lexemes.into_iter().map(|lexeme| lexeme.token).collect()
    }

    fn name(path: &str, primes: u32) -> Token {
        Token::Name { path: path.into(), primes }
    }

    fn number(text: &str) -> Token {
        Token::Number(Decimal::parse(text).expect("a decimal"))
    }

    #[test]
    fn both_spellings_give_the_same_tokens() {
        for (paper, ascii) in [
            ("a×b·c", "a*b*c"),
            ("a − b", "a - b"),
            ("θ″", "theta''"),
            ("ψ\u{307}", "psi'"),
            ("I₁", "I1"),
            ("a ≤ b", "a <= b"),
            ("∂/∂θ", "d/dtheta"),
            ("a**b", "a^b"),
        ] {
            assert_eq!(tokens(paper), tokens(ascii), "{paper}");
        }
    }

    #[test]
    fn numbers_and_names() {
        assert_eq!(tokens("1e-3"), [number("1e-3"), Token::End]);
        assert_eq!(tokens("2e"), [number("2"), name("e", 0), Token::End]);
        assert_eq!(tokens("wheel.R'"), [name("wheel.R", 1), Token::End]);
        assert_eq!(tokens("x ''"), [name("x", 0), Token::Prime, Token::Prime, Token::End]);
        assert_eq!(tokens("android and or1"), [name("android", 0), Token::And, name("or1", 0), Token::End]);
        assert_eq!(tokens("x⁻¹²"), [name("x", 0), Token::Superscript(Decimal::from(-12)), Token::End]);
    }

    #[test]
    fn wrong_characters_are_answered() {
        for (text, part, advice) in [
            ("a && b", "&&", "write `and`"),
            ("|x|", "|", "abs(x)"),
            (r"\theta", r"\", "theta"),
            ("1.", "1.", "`1.0`"),
            (".5*x", ".5", "`0.5`"),
            ("1_000", "1_000", "`1000`"),
            ("ẋ", "ẋ", "`x'`"),
            ("30°", "°", "30*deg"),
            ("[a; b]", ";", "[[a, b], [c, d]]"),
            ("straße", "ß", "Latin and Greek"),
            ("1e5000", "1e5000", "powers of ten"),
            ("x⁻", "⁻", "x^2"),
        ] {
            let error = lex(&StringLit::plain(text)).expect_err(text);
            let span = error.span().expect("a place");
            assert_eq!(&text[span.range()], part, "{text}");
            let help = error.help.as_deref().unwrap_or("");
            assert!(help.contains(advice), "{text}: {help}");
        }
    }
}
