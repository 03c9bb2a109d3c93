//! The value of a formula tree.
//!
//! All parts of a formula are visited even when one of them is wrong, so that two
//! misspelt names give two messages.

use super::Resolver;
use super::scope::What;
use super::value::{Shape, Value, matrix_product};
use crate::syntax::{self, ExprKind, Factor, Term};
use polhode_base::{Diagnostic, Span};
use polhode_expr::number::{Rational, int, parse_decimal};
use polhode_expr::{Exponent, Expr, Matrix, Node};

/// Components a vector or matrix may have.
pub(super) const MAX_ENTRIES: usize = 1024;
/// Machine words that the numerator or denominator of a constant may have.
const MAX_WORDS: usize = 256;
/// The largest power in an expression.
const MAX_EXPONENT: u32 = 10_000;

impl Resolver<'_> {
    /// The value of a formula; `None` after a mistake, which has been reported.
    pub(super) fn eval(&mut self, e: &syntax::Expr) -> Option<Value> {
        let value = match &e.kind {
            ExprKind::Number(decimal) => match parse_decimal(decimal.text()) {
                Some(r) => Value::Scalar(self.graph.number(r)),
                None => {
                    let message = "a number with a power of ten beyond 400 has no use here";
                    self.report(Diagnostic::error("bad-number", message).at(e.span, ""));
                    return None;
                }
            },
            ExprKind::Name(name) => self.lookup(name, e.span)?,
            ExprKind::Neg(inner) => {
                let inner = self.eval(inner)?;
                let entries = inner.entries().to_vec();
                let minus = entries.iter().map(|x| self.graph.neg(*x)).collect();
                inner.with_entries(minus)
            }
            ExprKind::Sum(terms) => self.sum(e, terms)?,
            ExprKind::Product(factors) => self.product(factors)?,
            ExprKind::Power { base, exponent } => self.power(e, base, exponent)?,
            ExprKind::Call { function, args } => self.call(e, function, args)?,
            ExprKind::Index { base, indices } => self.index(e, base, indices)?,
            ExprKind::Vector(components) => self.vector(components)?,
            ExprKind::Compare { .. } | ExprKind::And(_) | ExprKind::Or(_) => {
                let message = "this is a condition, but a quantity is expected";
                self.report(
                    Diagnostic::error("unexpected-condition", message)
                        .at(e.span, "true or false")
                        .help("write a formula without comparisons"),
                );
                return None;
            }
        };
        self.within_limits(value, e.span)
    }

    /// Keeps constants and vectors at sizes that cost nothing.
    fn within_limits(&mut self, value: Value, span: Span) -> Option<Value> {
        let fine = value.entries().len() <= MAX_ENTRIES && value.entries().iter().all(|e| self.is_small(*e));
        if fine {
            return Some(value);
        }
        let message = "this is too large: a constant of thousands of digits, or a huge vector";
        self.report(Diagnostic::error("bad-number", message).at(span, ""));
        None
    }

    /// Whether the constants and exponents of a node are of a reasonable size.
    pub(super) fn is_small(&self, e: Expr) -> bool {
        let small = |r: &Rational| {
            let (_, numerator) = r.numerator().as_sign_words();
            r.denominator().as_words().len().max(numerator.len()) <= MAX_WORDS
        };
        match self.graph.node(e) {
            Node::Number(r) => small(r),
            Node::Sum { constant, terms } => small(constant) && terms.iter().all(|(_, r)| small(r)),
            Node::Product { coefficient, factors } => {
                let short = |k: &Exponent| k.n.unsigned_abs().max(k.d.unsigned_abs()) <= 1 << 20;
                small(coefficient) && factors.iter().all(|(_, k)| short(k))
            }
            _ => true,
        }
    }

    /// The text of a part of a formula, in backquotes and abridged.
    pub(super) fn quote(&self, span: Span) -> String {
        let words: Vec<&str> = self.text.slice(span).split_whitespace().collect();
        let text = words.join(" ");
        if text.chars().count() <= 48 {
            return format!("`{text}`");
        }
        let start: String = text.chars().take(45).collect();
        format!("`{start}…`")
    }

    /// The text of an operand, with the line of its definition when it is a name.
    pub(super) fn operand(&self, e: &syntax::Expr) -> String {
        let quoted = self.quote(e.span);
        let ExprKind::Name(name) = &e.kind else {
            return quoted;
        };
        match self.scope.get(&name.path) {
            Some(b) if b.what == What::Definition => match b.span {
                Some(span) => format!("{quoted}, defined in line {}", self.line(span)),
                None => quoted,
            },
            _ => quoted,
        }
    }

    /// [`Resolver::operand`] as the subject of a sentence.
    pub(super) fn subject(&self, e: &syntax::Expr) -> String {
        let text = self.operand(e);
        match text.split_once(", defined") {
            Some((name, rest)) => format!("{name} (defined{rest})"),
            None => text,
        }
    }

    fn sum(&mut self, whole: &syntax::Expr, terms: &[Term]) -> Option<Value> {
        let values: Vec<Option<Value>> = terms.iter().map(|t| self.eval(&t.expr)).collect();
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let first = values[0].shape();
        if let Some(k) = values.iter().position(|v| v.shape() != first) {
            let term = &terms[k];
            let verb = if term.negative { "subtract" } else { "add" };
            let (before, here) = if k == 1 {
                (self.operand(&terms[0].expr), self.operand(&term.expr))
            } else {
                let span = terms[0].expr.span.to(terms[k - 1].expr.span);
                (self.quote(span), self.operand(&term.expr))
            };
            let second = values[k].shape();
            let message = if term.negative {
                format!("cannot subtract {second} ({here}) from {} ({before})", first.after(second))
            } else {
                format!("cannot {verb} {first} ({before}) and {} ({here})", second.after(first))
            };
            let span = if terms.len() == 2 { whole.span } else { terms[0].expr.span.to(term.expr.span) };
            self.report(
                Diagnostic::error("wrong-dimension", message)
                    .at(span, "")
                    .help("the terms of a sum have the same number of components"),
            );
            return None;
        }
        let signs: Vec<i64> = terms.iter().map(|t| if t.negative { -1 } else { 1 }).collect();
        let entries = (0..values[0].entries().len())
            .map(|k| {
                let items: Vec<(Expr, Rational)> =
                    values.iter().zip(&signs).map(|(v, s)| (v.entries()[k], int(*s))).collect();
                self.graph.linear(items)
            })
            .collect();
        Some(values[0].with_entries(entries))
    }

    fn product(&mut self, factors: &[Factor]) -> Option<Value> {
        let values: Vec<Option<Value>> = factors.iter().map(|f| self.eval(&f.expr)).collect();
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let one = self.graph.one();
        let mut scalar = one;
        // matrices and vectors, in the order written
        let mut others: Vec<usize> = Vec::new();
        for (k, (factor, value)) in factors.iter().zip(&values).enumerate() {
            match (value, factor.divides) {
                (Value::Scalar(e), false) => scalar = self.graph.mul(scalar, *e),
                (Value::Scalar(e), true) => {
                    if self.graph.is_zero(*e) {
                        let message = format!("division by zero: the divisor {} is 0", self.quote(factor.expr.span));
                        self.report(Diagnostic::error("bad-number", message).at(factor.expr.span, ""));
                        return None;
                    }
                    if self.vanishes_for_parameters(*e) {
                        let divisor = self.quote(factor.expr.span);
                        let message = format!("division by zero: {divisor} is 0 for these parameters");
                        let help = "give the parameters in it other values, or write the formula without this division";
                        self.report(Diagnostic::error("bad-number", message).at(factor.expr.span, "0").help(help));
                        return None;
                    }
                    scalar = self.graph.div(scalar, *e);
                }
                (_, false) => others.push(k),
                (other, true) => {
                    let message = format!("cannot divide by {} ({})", other.shape(), self.operand(&factor.expr));
                    let error = Diagnostic::error("wrong-dimension", message).at(factor.expr.span, "");
                    let help = match other {
                        Value::Matrix(..) => "multiply by inverse(…) from the side that is meant",
                        _ => "divide by norm(…) of it, or by one of its components",
                    };
                    self.report(error.help(help));
                    return None;
                }
            }
        }
        self.check_neighbours(factors, &values, &others)?;
        let Some((&last, before)) = others.split_last() else {
            return Some(Value::Scalar(scalar));
        };
        let mut result = values[last].clone();
        for &k in before.iter().rev() {
            let Value::Matrix(a, turn) = &values[k] else {
                return None; // refused by check_neighbours
            };
            result = match &result {
                Value::Vector(v) => Value::Vector(a.mul_vec(&mut self.graph, v)),
                Value::Matrix(b, t) => matrix_product(&mut self.graph, (a, turn), (b, t)),
                Value::Scalar(_) => return None,
            };
        }
        if scalar == one {
            return Some(result);
        }
        let entries = result.entries().to_vec();
        let entries = entries.iter().map(|e| self.graph.mul(scalar, *e)).collect();
        Some(result.with_entries(entries))
    }

    /// Whether an expression contains parameters only, and their values make it zero. Constants say what is wrong with their values themselves.
    fn vanishes_for_parameters(&self, e: Expr) -> bool {
        !self.constants_only && self.graph.evaluate_f64(e, &self.values) == Ok(0.0)
    }

    /// Reports matrices and vectors that cannot stand side by side in a product.
    fn check_neighbours(&mut self, factors: &[Factor], values: &[Value], others: &[usize]) -> Option<()> {
        for pair in others.windows(2) {
            let (left, right) = (&factors[pair[0]].expr, &factors[pair[1]].expr);
            let (a, b) = (values[pair[0]].shape(), values[pair[1]].shape());
            let help = match (a, b) {
                (Shape::Matrix(_, n), Shape::Vector(m) | Shape::Matrix(m, _)) if n == m => continue,
                (Shape::Matrix(..), _) => "a matrix takes as many components as it has columns".to_owned(),
                (Shape::Vector(n), Shape::Vector(m)) if n == m => {
                    let (u, v) = (self.plain(left), self.plain(right));
                    if n == 3 {
                        format!("write dot({u}, {v}) or cross({u}, {v})")
                    } else {
                        format!("write dot({u}, {v})")
                    }
                }
                (Shape::Vector(_), Shape::Matrix(..)) => {
                    let (v, m) = (self.plain(left), self.plain(right));
                    format!("write {m}*{v} or transpose({m})*{v}")
                }
                _ => "the two have different numbers of components".to_owned(),
            };
            let message =
                format!("cannot multiply {a} ({}) by {} ({})", self.operand(left), b.after(a), self.operand(right));
            self.report(Diagnostic::error("wrong-dimension", message).at(left.span.to(right.span), "").help(help));
            return None;
        }
        Some(())
    }

    fn plain(&self, e: &syntax::Expr) -> String {
        self.quote(e.span).trim_matches('`').to_owned()
    }

    fn power(&mut self, whole: &syntax::Expr, base: &syntax::Expr, exponent: &syntax::Expr) -> Option<Value> {
        let (b, k) = (self.eval(base), self.eval(exponent));
        let (b, k) = (b?, k?);
        let Value::Scalar(k) = k else {
            let message = format!("a power is a scalar, but {} is {}", self.subject(exponent), k.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(exponent.span, ""));
            return None;
        };
        let Value::Scalar(b) = b else {
            let message = format!("cannot raise {} ({}) to a power", b.shape(), self.operand(base));
            let text = self.plain(base);
            let help = match b {
                Value::Vector(_) => format!("the square of its length is norm2({text})"),
                _ => format!("write {text}*{text}, transpose({text}) or inverse({text})"),
            };
            self.report(Diagnostic::error("wrong-dimension", message).at(whole.span, "").help(help));
            return None;
        };
        if let Some(r) = self.graph.as_number(k).cloned() {
            let size = Exponent::from_rational(&r)
                .map(|k| k.n.unsigned_abs().max(k.d.unsigned_abs()))
                .filter(|n| *n <= MAX_EXPONENT);
            let heavy = |n: u32| n as usize * self.constant_words(b) > MAX_WORDS * 64;
            if size.is_none_or(heavy) {
                let message = format!("the power {} is too large", self.quote(exponent.span));
                self.report(Diagnostic::error("bad-number", message).at(exponent.span, ""));
                return None;
            }
            if self.graph.is_zero(b) && polhode_expr::number::is_negative(&r) {
                let message = "division by zero: a negative power of 0";
                self.report(Diagnostic::error("bad-number", message).at(whole.span, ""));
                return None;
            }
        }
        Some(Value::Scalar(self.graph.power(b, k)))
    }

    /// Size of the constants that a power would multiply with themselves; 0 for ±1.
    fn constant_words(&self, e: Expr) -> usize {
        let size = |r: &Rational| {
            let unit = r.is_one() || *r == int(-1) || r.is_zero();
            let words = r.denominator().as_words().len() + r.numerator().as_sign_words().1.len();
            if unit { 0 } else { words }
        };
        match self.graph.node(e) {
            Node::Number(r) => size(r),
            Node::Product { coefficient, .. } => size(coefficient),
            Node::Sum { constant, terms } => terms.iter().map(|(_, r)| size(r)).sum::<usize>() + size(constant),
            _ => 0,
        }
    }

    fn index(&mut self, whole: &syntax::Expr, base: &syntax::Expr, indices: &[syntax::Expr]) -> Option<Value> {
        let value = self.eval(base)?;
        let mut at = Vec::with_capacity(indices.len());
        for index in indices {
            let number = match &index.kind {
                ExprKind::Number(decimal) => decimal.as_u32().filter(|n| *n > 0),
                _ => None,
            };
            let Some(number) = number else {
                let message = format!("an index is a whole number from 1, not {}", self.quote(index.span));
                self.report(Diagnostic::error("index-out-of-range", message).at(index.span, ""));
                return None;
            };
            at.push(number as usize);
        }
        let shape = value.shape();
        let inside = |i: usize, n: usize| i >= 1 && i <= n;
        let picked = match (&value, at.as_slice()) {
            (Value::Vector(v), [i]) if inside(*i, v.len()) => Some(Value::Scalar(v[*i - 1])),
            (Value::Matrix(m, _), [i]) if inside(*i, m.rows()) => Some(Value::Vector(m.row(*i - 1).to_vec())),
            (Value::Matrix(m, _), [i, j]) if inside(*i, m.rows()) && inside(*j, m.cols()) => {
                Some(Value::Scalar(m[(*i - 1, *j - 1)]))
            }
            _ => None,
        };
        if picked.is_none() {
            let message = format!("{} is {shape}, so {} does not exist", self.subject(base), self.quote(whole.span));
            let help = match shape {
                Shape::Scalar => "a scalar has no components".to_owned(),
                Shape::Vector(n) => format!("one index from 1 to {n}"),
                Shape::Matrix(r, c) => format!("a row from 1 to {r}, and after a comma a column from 1 to {c}"),
            };
            self.report(Diagnostic::error("index-out-of-range", message).at(whole.span, "").help(help));
        }
        picked
    }

    fn vector(&mut self, components: &[syntax::Expr]) -> Option<Value> {
        let values: Vec<Option<Value>> = components.iter().map(|c| self.eval(c)).collect();
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let first = values[0].shape();
        if let Some(k) = values.iter().position(|v| v.shape() != first) {
            let message = format!(
                "the components of a vector are all scalars, those of a matrix rows of one length: {} is {first}, {} is {}",
                self.subject(&components[0]),
                self.subject(&components[k]),
                values[k].shape(),
            );
            self.report(Diagnostic::error("wrong-dimension", message).at(components[k].span, ""));
            return None;
        }
        match first {
            Shape::Scalar => Some(Value::Vector(values.iter().map(|v| v.entries()[0]).collect())),
            Shape::Vector(_) => {
                let rows = values.iter().map(|v| v.entries().to_vec()).collect();
                Some(Value::Matrix(Matrix::from_rows(rows), None))
            }
            Shape::Matrix(..) => {
                let message =
                    format!("a list of matrices has no meaning here: {} is {first}", self.subject(&components[0]));
                self.report(Diagnostic::error("wrong-dimension", message).at(components[0].span, ""));
                None
            }
        }
    }

    /// d/dt along the motion: positions by the anchor, velocities to accelerations.
    pub(super) fn time_derivative(&mut self, value: &Value, span: Span) -> Option<Value> {
        self.mentions_motion = true;
        let used = self.graph.free_symbols(value.entries());
        if let Some(s) = used.iter().find(|s| self.accelerations.contains(s)) {
            let message =
                format!("the time derivative of the acceleration `{}` is not part of mechanics", self.graph.name(*s));
            self.report(Diagnostic::error("unexpected-acceleration", message).at(span, ""));
            return None;
        }
        let entries = self.graph.along_all(value.entries(), &self.rates);
        Some(value.with_entries(entries))
    }
}
