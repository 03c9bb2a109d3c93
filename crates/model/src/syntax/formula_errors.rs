//! What a formula's author is told: the errors of the parser, in words.
//!
//! Each says what is wrong at the token in front and what to write instead.

use std::ops::Range;

use polhode_base::{Diagnostic, Span};

use super::SyntaxError;
use super::ast::{CompareOp, Expr, ExprKind};
use super::formula::{MAX_DEPTH, Parser, comparison};
use super::lexer::{Lexeme, Token};

/// Functions whose argument people leave without parentheses, as in `sin x`.
const BARE_FUNCTIONS: [&str; 10] = ["sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "ln"];

/// Units that people write behind numbers.
const UNITS: [&str; 19] =
    ["m", "cm", "mm", "km", "s", "ms", "min", "h", "kg", "g", "N", "Nm", "J", "W", "Hz", "rad", "degrees", "rpm", "Pa"];

impl Parser<'_> {
    /// An error at the token in front.
    pub(super) fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, message).at(self.span(self.here()), "")
    }

    pub(super) fn source_of(&self, expr: &Expr) -> String {
        let text = expr.to_string();
        if text.chars().count() > 20 { "x".to_owned() } else { text }
    }

    pub(super) fn too_deep(&self, span: Span) -> SyntaxError {
        let message = format!("the formula is nested more than {MAX_DEPTH} deep");
        let error =
            Diagnostic::error("formula-too-deep", message).at(span, "").help("give parts of it names under [define]");
        Box::new(error)
    }

    /// A token that cannot follow a complete operand.
    pub(super) fn unexpected(&self) -> SyntaxError {
        let token = self.source(self.here());
        let error = match self.peek() {
            Token::End => self.error("unexpected-token", "the formula ends too early"),
            Token::Number(_) | Token::Name { .. } | Token::OpenParen | Token::OpenBracket => {
                return self.implicit_product();
            }
            Token::Superscript(_) => self.error("missing-operand", format!("nothing to raise by `{token}`")),
            Token::Prime => return self.misplaced_prime(),
            Token::Not => return self.no_negation(),
            Token::Equals => self
                .error("unexpected-equation", "an equation has no place here")
                .help("give only one side, or the difference of both"),
            Token::CloseParen | Token::CloseBracket => self
                .error("unclosed-bracket", format!("this `{token}` closes nothing"))
                .help(format!("remove it, or add the bracket that belongs to it before `{token}`")),
            Token::Comma if self.comma_in_number() => {
                self.error("number-format", "a comma is not a decimal point").help("the decimal point is a dot: `0.5`")
            }
            Token::Comma => self
                .error("unexpected-token", "a comma has no place here")
                .help("write a vector with brackets: `[a, b, c]`"),
            token_kind if comparison(token_kind).is_some() => self
                .error("unexpected-token", format!("`{token}` has no place here"))
                .help("put the comparison in parentheses"),
            _ => self
                .error("unexpected-token", format!("`{token}` has no place here"))
                .help("a formula goes on with `+ - * / ^` after an operand"),
        };
        Box::new(error)
    }

    /// Two operands side by side.
    pub(super) fn implicit_product(&self) -> SyntaxError {
        let previous = self.previous().unwrap_or(0..0);
        let left = match self.source(previous.clone()) {
            ")" => "(…)",
            "]" => "[…]",
            text => text,
        };
        let right = match self.source(self.here()) {
            "(" => "(…)",
            "[" => "[…]",
            text => text,
        };
        let span = self.span(previous.start..self.here().end);
        if BARE_FUNCTIONS.contains(&left) {
            let argument = right.trim_matches(['(', ')']);
            let error = Diagnostic::error("implicit-product", format!("the argument of `{left}` goes in parentheses"));
            let text = format!("{left}({argument})");
            return Box::new(error.at(span, format!("write `{text}`")));
        }
        let error = Diagnostic::error("implicit-product", "a multiplication sign is missing")
            .at(span, format!("write `{left}*{right}`"))
            .suggest(self.span(previous.end..self.here().start), "*");
        let number = left.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        Box::new(match number && UNITS.contains(&right) {
            true => error.help(format!(
                "if `{right}` is meant as a unit: numbers carry none; leave it out, and use one system of units throughout"
            )),
            false => error,
        })
    }

    /// A token where an operand should begin.
    pub(super) fn missing_operand(&self) -> SyntaxError {
        let token = self.source(self.here());
        let after = self.previous().map(|range| self.source(range));
        let error = match self.peek() {
            Token::Prime => return self.misplaced_prime(),
            Token::Not => return self.no_negation(),
            Token::End => {
                let after = after.unwrap_or("");
                // the sign that waits for its operand is easier to see than the end
                let span = self.previous().map_or(self.here(), |range| range.start..self.here().end);
                Diagnostic::error("missing-operand", format!("something is missing after `{after}`"))
                    .at(self.span(span), "the formula ends here")
                    .help(format!("complete the formula or remove `{after}`"))
            }
            Token::CloseParen | Token::CloseBracket | Token::Comma => {
                let message = match after {
                    Some(after) => format!("something is missing between `{after}` and `{token}`"),
                    None => format!("something is missing before `{token}`"),
                };
                self.error("missing-operand", message).help("write a formula there")
            }
            _ => {
                let message = match after {
                    Some(after) => format!("something is missing between `{after}` and `{token}`"),
                    None => format!("something is missing before `{token}`"),
                };
                self.error("missing-operand", message).help(format!("write an operand before `{token}`, or remove it"))
            }
        };
        Box::new(error)
    }

    pub(super) fn no_negation(&self) -> SyntaxError {
        Box::new(
            self.error("unexpected-token", "there is no `not`")
                .help("turn the comparison round: `x >= 0` for `not x < 0`"),
        )
    }

    pub(super) fn not_an_equation(&self, lhs: &Expr) -> SyntaxError {
        let error = Diagnostic::error("expected-equation", "expected an equation `… = …`");
        let error = match &lhs.kind {
            ExprKind::Compare { op: CompareOp::Equal, .. } => {
                let mut signs = self.lexemes.iter().rev();
                let sign = signs.find(|lexeme| lexeme.token == Token::EqualEqual);
                let span = sign.map_or(lhs.span, |lexeme| self.span(lexeme.range.clone()));
                error.at(span, "write a single `=`").suggest(span, "=")
            }
            _ => error.at(lhs.span, "").help(format!("write `{} = 0`, say", self.source_of(lhs))),
        };
        Box::new(error)
    }

    /// A bracket that is not closed where it should be.
    pub(super) fn unclosed(&self, open: Range<usize>, closing: &str) -> SyntaxError {
        let bracket = self.source(open.clone());
        let error = match self.peek() {
            Token::End => Diagnostic::error("unclosed-bracket", format!("this `{bracket}` is never closed"))
                .at(self.span(open), format!("add the `{closing}` that belongs to it")),
            Token::CloseParen | Token::CloseBracket => {
                let found = self.source(self.here());
                Diagnostic::error("unclosed-bracket", format!("expected `{closing}`, found `{found}`"))
                    .at(self.span(self.here()), format!("write `{closing}`"))
                    .also(self.span(open), format!("to close this `{bracket}`"))
                    .suggest(self.span(self.here()), closing)
            }
            _ => return self.unexpected(),
        };
        Box::new(error)
    }

    pub(super) fn rows_without_comma(&self) -> SyntaxError {
        Box::new(
            self.error("missing-comma", "a vector followed by a bracket")
                .help("put a comma between rows, or parentheses around a vector to index it"),
        )
    }

    /// `sin²(x)`.
    pub(super) fn raised_function(&self, function: &Expr, power: &str) -> SyntaxError {
        let function = self.source_of(function);
        let message = "the power goes behind the argument";
        let help = format!("write `{function}(…)^{power}`, or `*` before `(` for a product");
        let span = self.span(self.previous().unwrap_or(0..0));
        Box::new(Diagnostic::error("implicit-product", message).at(span, "").help(help))
    }

    pub(super) fn misplaced_prime(&self) -> SyntaxError {
        let error = self.error("misplaced-prime", "a prime belongs directly behind a name");
        let Some(previous) = self.previous() else {
            return Box::new(error.help("write `x'` for the velocity of `x`"));
        };
        let text = self.source(previous);
        let before = &self.lexemes[self.at - 1].token;
        Box::new(match before {
            Token::CloseParen | Token::CloseBracket => {
                error.help("write `dt(…)` for the time derivative of an expression")
            }
            Token::Number(_) => error.help(format!("`{text}` does not move; remove the prime")),
            Token::Superscript(_) => error.help("put the prime before the power: `x'^2`"),
            Token::Name { .. } => error.help(format!("write `{text}'` without the space")),
            _ => error.help("write `x'` for the velocity of `x`"),
        })
    }

    /// Whether the comma in front stands between two whole numbers, as in `0,5`.
    pub(super) fn comma_in_number(&self) -> bool {
        let number = |lexeme: Option<&Lexeme>| lexeme.is_some_and(|lexeme| matches!(lexeme.token, Token::Number(_)));
        let tight = |a: &Lexeme, b: &Lexeme| a.range.end == b.range.start;
        let before = self.at.checked_sub(1).and_then(|at| self.lexemes.get(at));
        let after = self.lexemes.get(self.at + 1);
        let comma = &self.lexemes[self.at];
        number(before)
            && number(after)
            && before.is_some_and(|before| tight(before, comma))
            && after.is_some_and(|after| tight(comma, after))
    }
}

#[cfg(test)]
mod tests {
    use super::super::literal::StringLit;
    use super::super::{parse_equation, parse_expr, parse_interval};
    use super::*;

    /// Code, source under the carets, and all advice of the error in `text`.
    fn wrong<T: std::fmt::Debug>(
        parser: fn(&StringLit) -> Result<T, SyntaxError>,
        text: &str,
    ) -> (&'static str, String, String) {
        let error = parser(&StringLit::plain(text)).expect_err(text);
        let label = error.primary.clone().expect("a place");
        let help = error.help.clone().unwrap_or_default();
        let advice = format!("{} | {} | {help}", error.message, label.text);
        (error.code, text[label.span.range()].to_owned(), advice)
    }

    #[test]
    fn mistakes_are_answered() {
        for (text, code, part, advice) in [
            ("2x", "implicit-product", "2x", "write `2*x`"),
            ("2 x", "implicit-product", "2 x", "write `2*x`"),
            ("a b", "implicit-product", "a b", "write `a*b`"),
            ("(a+b)(c)", "implicit-product", ")(", "write `(…)*(…)`"),
            ("3(x+1)", "implicit-product", "3(", "write `3*(…)`"),
            ("sin x", "implicit-product", "sin x", "write `sin(x)`"),
            ("sin²(x)", "implicit-product", "²", "write `sin(…)^2`"),
            ("(a*b)'", "misplaced-prime", "'", "dt(…)"),
            ("v[1]'", "misplaced-prime", "'", "dt(…)"),
            ("2'", "misplaced-prime", "'", "does not move"),
            ("x '", "misplaced-prime", "'", "without the space"),
            ("x²'", "misplaced-prime", "'", "before the power"),
            ("'x", "misplaced-prime", "'", "write `x'`"),
            ("f'(x)", "misplaced-prime", "f'", "dt(f(…))"),
            ("a +", "missing-operand", "+", "after `+`"),
            ("a + * b", "missing-operand", "*", "between `+` and `*`"),
            ("* b", "missing-operand", "*", "before `*`"),
            ("()", "missing-operand", ")", "between `(` and `)`"),
            ("f(a,)", "missing-operand", ")", "between `,` and `)`"),
            ("[]", "missing-operand", "[]", "[a, b, c]"),
            ("v[]", "missing-operand", "[]", "v[1]"),
            ("(a + b", "unclosed-bracket", "(", "add the `)`"),
            ("f(a, ", "unclosed-bracket", "(", "add the `)`"),
            ("(a + b]", "unclosed-bracket", "]", "write `)`"),
            ("a + b)", "unclosed-bracket", ")", "closes nothing"),
            ("a = b", "unexpected-equation", "=", "the difference of both"),
            ("0,5", "number-format", ",", "`0.5`"),
            ("(0,5)*x", "unexpected-token", ",", "`0.5`"),
            ("(a, b)", "unexpected-token", ",", "[a, b, c]"),
            ("v[0]", "index-from-one", "0", "first component"),
            ("a < b < c", "chained-comparison", "<", "a < b and b < b"),
            ("not a < b", "unexpected-token", "not", "turn the comparison round"),
            ("[1, 0][2]", "missing-comma", "[", "comma"),
            ("   ", "empty-formula", "   ", "empty"),
        ] {
            let (found, under, said) = wrong(parse_expr, text);
            assert_eq!((found, under.as_str()), (code, part), "{text}");
            assert!(said.contains(advice), "{text}: {said}");
        }
    }

    #[test]
    fn tex_names_are_not_escapes() {
        let literal = StringLit::decode(r#""2*\theta""#, 0).expect("a TOML string");
        let error = parse_expr(&literal).expect_err("a tab and `heta`");
        assert_eq!((error.code, error.span()), ("unexpected-character", Some(Span::new(3, 5))));
        let literal = StringLit::decode(r#""a +\n b""#, 0).expect("a TOML string");
        assert!(parse_expr(&literal).is_ok());
    }

    #[test]
    fn sides_and_ends_are_asked_for() {
        for (text, part, advice) in [
            ("x' + y'", "x' + y'", "write `x' + y' = 0`"),
            ("x' == (y')", "==", "single `=`"),
            ("x' = y' = z'", "=", "one `=`"),
        ] {
            let (code, under, said) = wrong(parse_equation, text);
            assert_eq!((code, under.as_str()), ("expected-equation", part), "{text}");
            assert!(said.contains(advice), "{text}: {said}");
        }
        assert_eq!(wrong(parse_equation, "x' = ").0, "missing-operand");
        assert_eq!(wrong(parse_equation, "2x = 0").0, "implicit-product");
        for text in ["pi", "(0)", "(0, 1", "0, 1"] {
            assert_eq!(wrong(parse_interval, text).0, "expected-interval", "{text}");
        }
    }
}
