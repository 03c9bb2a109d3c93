//! Formula text to trees: a precedence-climbing (Pratt) parser.
//!
//! ```text
//! or < and < comparison < + - < * / < unary - < ^ < call, index, ², '
//! ```
//!
//! `^` groups to the right and holds more tightly than a minus in front, so
//! `-a^2` is `-(a^2)`. There is no product without a sign: `2 x` is an error that
//! shows `2*x`, because `f (x)` and `x'(t)` could not be told from products
//! otherwise.
//!
//! Nesting is limited to [`MAX_DEPTH`] in the text and in the tree, so no input
//! exhausts the stack, here or in a stage that walks the tree.

use std::ops::Range;
use std::sync::Arc;

use polhode_base::{Diagnostic, Span};

use super::SyntaxError;
use super::ast::{CompareOp, Equation, Expr, ExprKind, Factor, FieldTerm, Ident, Interval, Name, Term, VectorField};
use super::lexer::{Lexeme, Token, lex};
use super::literal::StringLit;

/// The deepest accepted nesting of a formula.
pub const MAX_DEPTH: usize = 256;

// How tightly operators hold their operands.
const OR: u8 = 1;
const AND: u8 = 2;
const COMPARE: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const POWER: u8 = 7; // unary minus sits between, at 6

/// Reads a formula or a condition.
pub fn parse_expr(literal: &StringLit) -> Result<Expr, SyntaxError> {
    let mut parser = Parser::new(literal)?;
    let node = parser.expression()?;
    parser.expect_end()?;
    Ok(node.expr)
}

/// Reads `lhs = rhs`.
pub fn parse_equation(literal: &StringLit) -> Result<Equation, SyntaxError> {
    let mut parser = Parser::new(literal)?;
    let lhs = parser.expression()?;
    if *parser.peek() == Token::End {
        return Err(parser.not_an_equation(&lhs.expr));
    }
    if *parser.peek() != Token::Equals {
        return Err(parser.unexpected());
    }
    parser.advance();
    let rhs = parser.expression()?;
    if *parser.peek() == Token::Equals {
        let message = "an equation has one `=`";
        return Err(Box::new(
            parser.error("expected-equation", message).help("write a constraint of its own for each equation"),
        ));
    }
    parser.expect_end()?;
    Ok(Equation { span: lhs.outer.to(rhs.outer), lhs: lhs.expr, rhs: rhs.expr })
}

/// Reads an interval such as `(0, pi)`; `[` and `]` include the end.
pub fn parse_interval(literal: &StringLit) -> Result<Interval, SyntaxError> {
    let mut parser = Parser::new(literal)?;
    let expected = |parser: &Parser<'_>| {
        Box::new(
            parser
                .error("expected-interval", "expected an interval")
                .help("write `(0, pi)`, with `[` or `]` where the end belongs to it"),
        )
    };
    let first = parser.here();
    let lower_closed = match parser.peek() {
        Token::OpenParen => false,
        Token::OpenBracket => true,
        _ => return Err(expected(&parser)),
    };
    parser.advance();
    let lower = parser.expression()?.expr;
    if *parser.peek() != Token::Comma {
        return Err(expected(&parser));
    }
    parser.advance();
    let upper = parser.expression()?.expr;
    let upper_closed = match parser.peek() {
        Token::CloseParen => false,
        Token::CloseBracket => true,
        _ => return Err(expected(&parser)),
    };
    let last = parser.advance();
    parser.expect_end()?;
    let span = parser.span(first.start..last.end);
    Ok(Interval { lower, upper, lower_closed, upper_closed, span })
}

/// Reads a vector field such as `x*d/dy - y*d/dx + d/dphi`.
///
/// Each term is a product with exactly one factor `d/dNAME` (or `∂/∂NAME`).
pub fn parse_vector_field(literal: &StringLit) -> Result<VectorField, SyntaxError> {
    let mut parser = Parser::new(literal)?;
    let mut terms: Vec<FieldTerm> = Vec::new();
    let start = parser.here().start;
    loop {
        let negative = match parser.peek() {
            Token::Plus => Some(false),
            Token::Minus => Some(true),
            Token::End if !terms.is_empty() => break,
            _ if terms.is_empty() => None,
            _ => return Err(parser.unexpected()),
        };
        let sign = negative.map(|_| parser.advance());
        let term = parser.field_term(negative == Some(true), sign)?;
        terms.push(term);
    }
    let end = parser.previous().map_or(start, |range| range.end);
    Ok(VectorField { terms, span: parser.span(start..end) })
}

/// A tree under construction.
struct Node {
    expr: Expr,
    height: usize,
    outer: Span, // with enclosing parentheses, for the spans of larger trees
}

pub(super) struct Parser<'a> {
    literal: &'a StringLit,
    pub(super) lexemes: Vec<Lexeme>, // ends with Token::End
    pub(super) at: usize,            // never past the last lexeme
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(literal: &'a StringLit) -> Result<Self, SyntaxError> {
        if let Some(range) = literal.control_before_letter() {
            let message = "a backslash in \"…\" begins an escape, not the name of a letter";
            let error = Diagnostic::error("unexpected-character", message)
                .at(literal.span_of(range), "")
                .help("names are spelled out or Greek: `theta` or `θ`, not `\\theta`");
            return Err(Box::new(error));
        }
        let lexemes = lex(literal)?;
        if lexemes.len() == 1 {
            let error = Diagnostic::error("empty-formula", "the formula is empty")
                .at(literal.span(), "")
                .help("write a formula between the quotes, or leave the entry out");
            return Err(Box::new(error));
        }
        Ok(Self { literal, lexemes, at: 0, depth: 0 })
    }

    pub(super) fn peek(&self) -> &Token {
        &self.lexemes[self.at].token
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        let last = self.lexemes.len() - 1;
        &self.lexemes[(self.at + ahead).min(last)].token
    }

    /// The decoded bytes of the token in front.
    pub(super) fn here(&self) -> Range<usize> {
        self.lexemes[self.at].range.clone()
    }

    pub(super) fn previous(&self) -> Option<Range<usize>> {
        let lexeme = self.lexemes.get(self.at.checked_sub(1)?)?;
        Some(lexeme.range.clone())
    }

    /// Steps over one token and returns its bytes; stays on the last.
    fn advance(&mut self) -> Range<usize> {
        let range = self.here();
        self.at = (self.at + 1).min(self.lexemes.len() - 1);
        range
    }

    pub(super) fn span(&self, range: Range<usize>) -> Span {
        self.literal.span_of(range)
    }

    pub(super) fn source(&self, range: Range<usize>) -> &'a str {
        &self.literal.text()[range]
    }

    /// A tree one level above children of the given height.
    fn node(&self, kind: ExprKind, span: Span, below: usize) -> Result<Node, SyntaxError> {
        if below >= MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(Node { expr: Expr::new(kind, span), height: below + 1, outer: span })
    }

    fn expression(&mut self) -> Result<Node, SyntaxError> {
        self.climb(OR)
    }

    /// Reads as far as operators hold at least as tightly as `least`.
    fn climb(&mut self, least: u8) -> Result<Node, SyntaxError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(self.span(self.here())));
        }
        self.depth += 1;
        let mut node = self.prefix()?;
        loop {
            node = match self.peek() {
                Token::Caret if POWER >= least => {
                    self.advance();
                    let exponent = self.climb(POWER)?;
                    self.power(node, exponent)?
                }
                Token::Star | Token::Slash if PRODUCT >= least => self.product(node)?,
                Token::Plus | Token::Minus if SUM >= least => self.sum(node)?,
                token if COMPARE >= least && comparison(token).is_some() => self.compare(node)?,
                Token::And if AND >= least => self.conditions(node, AND)?,
                Token::Or if OR >= least => self.conditions(node, OR)?,
                _ => break,
            };
        }
        self.depth -= 1;
        Ok(node)
    }

    fn power(&self, base: Node, exponent: Node) -> Result<Node, SyntaxError> {
        let span = base.outer.to(exponent.outer);
        let below = base.height.max(exponent.height);
        let (base, exponent) = (Arc::new(base.expr), Arc::new(exponent.expr));
        self.node(ExprKind::Power { base, exponent }, span, below)
    }

    fn product(&mut self, first: Node) -> Result<Node, SyntaxError> {
        let mut below = first.height;
        let mut span = first.outer;
        let mut factors = vec![Factor { divides: false, expr: first.expr }];
        while let Token::Star | Token::Slash = self.peek() {
            let divides = *self.peek() == Token::Slash;
            self.advance();
            let factor = self.climb(PRODUCT + 1)?;
            below = below.max(factor.height);
            span = span.to(factor.outer);
            factors.push(Factor { divides, expr: factor.expr });
        }
        self.node(ExprKind::Product(factors.into()), span, below)
    }

    fn sum(&mut self, first: Node) -> Result<Node, SyntaxError> {
        let mut below = first.height;
        let mut span = first.outer;
        let mut terms = vec![Term { negative: false, expr: first.expr }];
        while let Token::Plus | Token::Minus = self.peek() {
            let negative = *self.peek() == Token::Minus;
            self.advance();
            let term = self.climb(SUM + 1)?;
            below = below.max(term.height);
            span = span.to(term.outer);
            terms.push(Term { negative, expr: term.expr });
        }
        self.node(ExprKind::Sum(terms.into()), span, below)
    }

    fn compare(&mut self, left: Node) -> Result<Node, SyntaxError> {
        let Some(op) = comparison(self.peek()) else {
            return Ok(left);
        };
        self.advance();
        let right = self.climb(COMPARE + 1)?;
        if comparison(self.peek()).is_some() {
            let middle = self.source_of(&right.expr);
            return Err(Box::new(
                self.error("chained-comparison", "comparisons cannot be chained")
                    .help(format!("write `a < {middle} and {middle} < b` for `a < {middle} < b`")),
            ));
        }
        let span = left.outer.to(right.outer);
        let below = left.height.max(right.height);
        let (left, right) = (Arc::new(left.expr), Arc::new(right.expr));
        self.node(ExprKind::Compare { op, left, right }, span, below)
    }

    /// `a and b and c` for `level` AND, `a or b or c` for OR.
    fn conditions(&mut self, first: Node, level: u8) -> Result<Node, SyntaxError> {
        let joint = if level == AND { Token::And } else { Token::Or };
        let mut below = first.height;
        let mut span = first.outer;
        let mut list = vec![first.expr];
        while *self.peek() == joint {
            self.advance();
            let next = self.climb(level + 1)?;
            below = below.max(next.height);
            span = span.to(next.outer);
            list.push(next.expr);
        }
        let kind = if level == AND { ExprKind::And } else { ExprKind::Or };
        self.node(kind(list.into()), span, below)
    }

    /// An operand with the signs before it and the indices and powers after it.
    fn prefix(&mut self) -> Result<Node, SyntaxError> {
        let node = match self.peek().clone() {
            Token::Minus => {
                let sign = self.advance();
                let inner = self.climb(POWER)?;
                let span = self.span(sign).to(inner.outer);
                return self.node(ExprKind::Neg(Arc::new(inner.expr)), span, inner.height);
            }
            Token::Plus => {
                self.advance();
                return self.climb(POWER);
            }
            Token::Number(number) => {
                let range = self.advance();
                self.node(ExprKind::Number(number), self.span(range), 0)?
            }
            Token::Name { path, primes } => self.name_or_call(path, primes)?,
            Token::OpenParen => self.parenthesis()?,
            Token::OpenBracket => {
                let (components, below, range) = self.list(Token::CloseBracket)?;
                let span = self.span(range.clone());
                if components.is_empty() {
                    let error = Diagnostic::error("missing-operand", "a vector has components")
                        .at(span, "")
                        .help("write them between the brackets: `[a, b, c]`");
                    return Err(Box::new(error));
                }
                if *self.peek() == Token::OpenBracket {
                    return Err(self.rows_without_comma());
                }
                self.node(ExprKind::Vector(components.into()), span, below)?
            }
            _ => return Err(self.missing_operand()),
        };
        self.postfix(node)
    }

    fn name_or_call(&mut self, path: Arc<str>, primes: u32) -> Result<Node, SyntaxError> {
        let range = self.advance();
        let span = self.span(range.clone());
        if *self.peek() != Token::OpenParen {
            return self.node(ExprKind::Name(Name { path, primes }), span, 0);
        }
        if primes > 0 {
            let message = "a prime marks a velocity, it does not differentiate a function";
            let error = Diagnostic::error("misplaced-prime", message)
                .at(span, "")
                .help(format!("write `dt({path}(…))` for the time derivative, `*` before `(` for a product"));
            return Err(Box::new(error));
        }
        let (args, below, list) = self.list(Token::CloseParen)?;
        let function = Ident { name: path, span };
        let span = self.span(range.start..list.end);
        self.node(ExprKind::Call { function, args: args.into() }, span, below)
    }

    fn parenthesis(&mut self) -> Result<Node, SyntaxError> {
        let open = self.advance();
        let inner = self.expression()?;
        match self.peek() {
            Token::CloseParen => {
                let close = self.advance();
                let outer = self.span(open.start..close.end);
                Ok(Node { outer, ..inner })
            }
            Token::Comma => {
                let help = if self.comma_in_number() {
                    "the decimal point is a dot: `0.5`"
                } else {
                    "write a vector with brackets: `[a, b, c]`"
                };
                let error = self.error("unexpected-token", "a comma has no place in parentheses");
                Err(Box::new(error.help(help)))
            }
            _ => Err(self.unclosed(open, ")")),
        }
    }

    /// Expressions between commas up to `close`, the height of the highest, and the
    /// bytes of it all; the token in front is the opening bracket.
    fn list(&mut self, close: Token) -> Result<(Vec<Expr>, usize, Range<usize>), SyntaxError> {
        let open = self.advance();
        let closing = if close == Token::CloseParen { ")" } else { "]" };
        let mut items = Vec::new();
        let mut below = 0;
        if *self.peek() == close {
            let end = self.advance().end;
            return Ok((items, below, open.start..end));
        }
        loop {
            if *self.peek() == Token::End {
                return Err(self.unclosed(open, closing));
            }
            let item = self.expression()?;
            below = below.max(item.height);
            items.push(item.expr);
            if *self.peek() == Token::Comma {
                self.advance();
            } else if *self.peek() == close {
                let end = self.advance().end;
                return Ok((items, below, open.start..end));
            } else {
                return Err(self.unclosed(open, closing));
            }
        }
    }

    /// Indices and raised digits after an operand.
    fn postfix(&mut self, mut node: Node) -> Result<Node, SyntaxError> {
        loop {
            node = match self.peek().clone() {
                Token::OpenBracket => self.index(node)?,
                Token::Superscript(digits) => {
                    let range = self.advance();
                    let span = self.span(range);
                    let number = self.node(ExprKind::Number(digits.abs()), span, 0)?;
                    let exponent = if digits.is_negative() {
                        self.node(ExprKind::Neg(Arc::new(number.expr)), span, number.height)?
                    } else {
                        number
                    };
                    if *self.peek() == Token::OpenParen {
                        return Err(self.raised_function(&node.expr, &digits.to_string()));
                    }
                    self.power(node, exponent)?
                }
                Token::Prime => return Err(self.misplaced_prime()),
                _ => return Ok(node),
            };
        }
    }

    fn index(&mut self, base: Node) -> Result<Node, SyntaxError> {
        let (indices, below, range) = self.list(Token::CloseBracket)?;
        let brackets = self.span(range);
        if indices.is_empty() {
            let error = Diagnostic::error("missing-operand", "an index is missing")
                .at(brackets, "")
                .help("write which component: `v[1]` is the first");
            return Err(Box::new(error));
        }
        for index in &indices {
            let zero = match &index.kind {
                ExprKind::Number(number) => number.as_u32() == Some(0),
                ExprKind::Neg(_) => true,
                _ => false,
            };
            if zero {
                let error = Diagnostic::error("index-from-one", "indices count from 1")
                    .at(index.span, "")
                    .help("`v[1]` is the first component, `R[1, 3]` the last of the first row");
                return Err(Box::new(error));
            }
        }
        let span = base.outer.to(brackets);
        let below = below.max(base.height);
        let base = Arc::new(base.expr);
        self.node(ExprKind::Index { base, indices: indices.into() }, span, below)
    }

    /// One term of a vector field; `sign` is the token before it, if any.
    fn field_term(&mut self, negative: bool, sign: Option<Range<usize>>) -> Result<FieldTerm, SyntaxError> {
        let start = self.here().start;
        let mut direction: Option<Ident> = None;
        let mut factors: Vec<Factor> = Vec::new();
        let mut factors_span: Option<Span> = None;
        let mut below = 0;
        let mut divides = false;
        loop {
            if let Some(ident) = self.derivation()? {
                if divides || direction.is_some() {
                    let message = "a term of a vector field has one `d/d…`, as a factor";
                    let error = Diagnostic::error("not-a-vector-field", message)
                        .at(ident.span, "")
                        .help("write a sum such as `x*d/dy - y*d/dx`");
                    return Err(Box::new(error));
                }
                direction = Some(ident);
            } else {
                let factor = self.climb(PRODUCT + 1)?;
                below = below.max(factor.height);
                let outer = factor.outer;
                factors_span = Some(factors_span.map_or(outer, |span| span.to(outer)));
                factors.push(Factor { divides, expr: factor.expr });
            }
            match self.peek() {
                Token::Star => divides = false,
                Token::Slash => divides = true,
                Token::End | Token::Plus | Token::Minus => break,
                _ => return Err(self.unexpected()),
            }
            self.advance();
        }
        let end = self.previous().map_or(start, |range| range.end);
        let Some(direction) = direction else {
            let message = "this term has no direction `d/d…`";
            let error = Diagnostic::error("not-a-vector-field", message)
                .at(self.span(start..end), "")
                .help("multiply out: each term is a coefficient times `d/dx`, say");
            return Err(Box::new(error));
        };
        let span = factors_span.unwrap_or(direction.span);
        if factors.first().is_none_or(|first| first.divides) {
            factors.insert(0, Factor { divides: false, expr: Expr::one(direction.span) });
        }
        let mut node = if factors.len() == 1 {
            Node { expr: factors.swap_remove(0).expr, height: below.max(1), outer: span }
        } else {
            self.node(ExprKind::Product(factors.into()), span, below.max(1))?
        };
        if negative {
            let span = sign.map_or(span, |sign| self.span(sign).to(span));
            node = self.node(ExprKind::Neg(Arc::new(node.expr)), span, node.height)?;
        }
        Ok(FieldTerm { coefficient: node.expr, direction })
    }

    /// `d/dNAME` in front, if that is what is there.
    fn derivation(&mut self) -> Result<Option<Ident>, SyntaxError> {
        let is_d = |token: &Token| matches!(token, Token::Name { path, primes: 0 } if path.as_ref() == "d");
        if !is_d(self.peek()) || *self.peek_at(1) != Token::Slash {
            return Ok(None);
        }
        let Token::Name { path, primes } = self.peek_at(2).clone() else {
            return Ok(None);
        };
        let Some(name) = path.strip_prefix('d').filter(|name| is_name(name)) else {
            return Ok(None);
        };
        let start = self.advance().start;
        self.advance();
        let end = self.advance().end;
        let span = self.span(start..end);
        if primes > 0 {
            let message = "vector fields move coordinates, not velocities";
            let error = Diagnostic::error("not-a-vector-field", message)
                .at(span, "")
                .help(format!("write `d/d{name}`; velocities follow"));
            return Err(Box::new(error));
        }
        Ok(Some(Ident { name: name.into(), span }))
    }

    fn expect_end(&self) -> Result<(), SyntaxError> {
        if *self.peek() == Token::End { Ok(()) } else { Err(self.unexpected()) }
    }
}

/// Whether what follows the `d` of `dNAME` can itself be a name.
fn is_name(name: &str) -> bool {
    name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
}

pub(super) fn comparison(token: &Token) -> Option<CompareOp> {
    match token {
        Token::Less => Some(CompareOp::Less),
        Token::LessEqual => Some(CompareOp::LessEqual),
        Token::Greater => Some(CompareOp::Greater),
        Token::GreaterEqual => Some(CompareOp::GreaterEqual),
        Token::EqualEqual => Some(CompareOp::Equal),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Expr {
        parse_expr(&StringLit::plain(text)).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    fn same(a: &str, b: &str) {
        assert!(parse(a).same_as(&parse(b)), "{a} and {b}");
    }

    fn differ(a: &str, b: &str) {
        assert!(!parse(a).same_as(&parse(b)), "{a} and {b}");
    }

    #[test]
    fn precedence() {
        same("-a^2", "-(a^2)");
        differ("-a^2", "(-a)^2");
        same("a^b^c", "a^(b^c)");
        same("a^-b^c", "a^(-(b^c))");
        same("-a*b", "(-a)*b");
        same("a + b*c^d", "a + (b*(c^d))");
        same("a < b + c and d < e or f < g", "((a < (b + c)) and (d < e)) or (f < g)");
        same("2*x'^2", "2*((x')^2)");
        same("x²*y³", "x^2*y^3");
        same("-x²", "-(x^2)");
        same("2^x²", "2^(x^2)");
        same("x⁻¹", "x^(-1)");
        same("+a", "a");
        differ("a - (b - c)", "a - b - c");
        differ("a/(b*c)", "a/b*c");
    }

    #[test]
    fn chains_are_lists() {
        let ExprKind::Sum(terms) = parse("a - b*c + d").kind else { panic!("a sum") };
        let signs: Vec<bool> = terms.iter().map(|term| term.negative).collect();
        assert_eq!(signs, [false, true, false]);
        let ExprKind::Product(factors) = parse("a/b*c").kind else { panic!("a product") };
        let divisors: Vec<bool> = factors.iter().map(|factor| factor.divides).collect();
        assert_eq!(divisors, [false, true, false]);
    }

    #[test]
    fn spans_cover_what_was_written() {
        let text = "M/2*norm2(dt(centre)) + I1/2*(ψ' + v[1])^2";
        let ExprKind::Sum(terms) = parse(text).kind else { panic!("a sum") };
        assert_eq!(&text[terms[0].expr.span.range()], "M/2*norm2(dt(centre))");
        let ExprKind::Product(factors) = &terms[1].expr.kind else { panic!("a product") };
        let ExprKind::Power { base, .. } = &factors[2].expr.kind else { panic!("a power") };
        assert_eq!(&text[base.span.range()], "ψ' + v[1]");
        assert_eq!(&text[factors[2].expr.span.range()], "(ψ' + v[1])^2");
        assert_eq!(&text[terms[1].expr.span.range()], "I1/2*(ψ' + v[1])^2");
    }

    #[test]
    fn calls_indices_vectors() {
        same("quat(w, x, y, z)", "quat ( w , x,y,z )");
        same("R[1,3]", "R [1, 3]");
        assert!(matches!(parse("x'[2]").kind, ExprKind::Index { .. }));
        assert!(matches!(parse("f()").kind, ExprKind::Call { .. }));
        let ExprKind::Vector(rows) = parse("[[1, 0], [0, 1]]").kind else { panic!("a vector") };
        assert_eq!(rows.len(), 2);
        let name = Name { path: "wheel.theta".into(), primes: 2 };
        assert_eq!(parse("wheel.θ''").kind, ExprKind::Name(name));
    }

    #[test]
    fn equations() {
        let equation = parse_equation(&StringLit::plain("x' = r*psi'")).expect("an equation");
        assert!(equation.lhs.same_as(&parse("x'")) && equation.rhs.same_as(&parse("r*psi'")));
        assert_eq!(equation.span, Span::new(0, 11));
    }

    #[test]
    fn vector_fields() {
        let field = parse_vector_field(&StringLit::plain("x*d/dy - y*∂/∂x + d/dφ")).expect("a vector field");
        let directions: Vec<&str> = field.terms.iter().map(|term| term.direction.name.as_ref()).collect();
        assert_eq!(directions, ["y", "x", "phi"]);
        assert!(field.terms[1].coefficient.same_as(&parse("-y")));
        assert!(field.terms[2].coefficient.same_as(&parse("1")));
        for (text, part) in [
            ("x", "x"),
            ("x*d/dy + 2", "2"),
            ("d/dx*d/dy", "d/dy"),
            ("1/d/dx*d/dy", "d/dx"),
            ("d/dx'", "d/dx'"),
            ("d/d1", ""),
        ] {
            let error = parse_vector_field(&StringLit::plain(text)).expect_err(text);
            if !part.is_empty() {
                assert_eq!(error.code, "not-a-vector-field", "{text}");
                assert_eq!(&text[error.span().expect("a place").range()], part, "{text}");
            }
        }
    }

    #[test]
    fn intervals() {
        let interval = parse_interval(&StringLit::plain("(0, pi]")).expect("an interval");
        assert!(!interval.lower_closed && interval.upper_closed);
        assert!(interval.upper.same_as(&parse("pi")));
    }

    #[test]
    fn no_depth_overflows() {
        for (open, close) in [("(", ")"), ("-", ""), ("f(", ")"), ("[", "]"), ("2^", ""), ("x*(", ")")] {
            let text = format!("{}x{}", open.repeat(20_000), close.repeat(20_000));
            let error = parse_expr(&StringLit::plain(&text)).expect_err(open);
            assert_eq!(error.code, "formula-too-deep");
        }
        // high trees from flat text
        for text in [format!("x{}", "[1]".repeat(20_000)), format!("x{}", "² ".repeat(20_000))] {
            let error = parse_expr(&StringLit::plain(&text)).expect_err("a high tree");
            assert_eq!(error.code, "formula-too-deep");
        }
        let deep = format!("{}x{}", "(".repeat(200), ")".repeat(200));
        parse(&deep);
    }

    #[test]
    fn long_is_not_deep() {
        let sum = parse(&vec!["x*y/z"; 20_000].join(" + "));
        assert!(matches!(&sum.kind, ExprKind::Sum(terms) if terms.len() == 20_000));
        assert!(sum.same_as(&parse(&sum.to_string())));
    }
}
