//! Trees back to formula text.
//!
//! What is printed reads back to the same tree, and parentheses are only where the
//! tree or the eye needs them: `a - (b - c)`, but also `x^(-2)` and `a*(-b)`, which
//! the parser would understand without.

use std::fmt::{self, Display, Formatter, Write as _};

use super::ast::{CompareOp, Equation, Expr, ExprKind, FieldTerm, Interval, Name, VectorField};

// How tightly each form holds together; the numbers only need their order.
const OR: u8 = 1;
const AND: u8 = 2;
const COMPARE: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const NEG: u8 = 6;
const POWER: u8 = 7;
const ATOM: u8 = 8;

fn tightness(expr: &Expr) -> u8 {
    match expr.kind {
        ExprKind::Or(_) => OR,
        ExprKind::And(_) => AND,
        ExprKind::Compare { .. } => COMPARE,
        ExprKind::Sum(_) => SUM,
        ExprKind::Product(_) => PRODUCT,
        ExprKind::Neg(_) => NEG,
        ExprKind::Power { .. } => POWER,
        _ => ATOM,
    }
}

/// Whether the printed form begins with a minus sign.
fn leads_with_minus(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Neg(_) => true,
        ExprKind::Product(factors) => leads_with_minus(&factors[0].expr),
        _ => false,
    }
}

fn parenthesised(f: &mut Formatter<'_>, expr: &Expr) -> fmt::Result {
    write!(f, "({expr})")
}

/// Prints `expr`, in parentheses if it holds together less tightly than `least`.
fn at_least(f: &mut Formatter<'_>, least: u8, expr: &Expr) -> fmt::Result {
    if tightness(expr) < least { parenthesised(f, expr) } else { write!(f, "{expr}") }
}

/// The same for an operand after an operator, which must not begin with a minus.
fn operand(f: &mut Formatter<'_>, least: u8, expr: &Expr) -> fmt::Result {
    if leads_with_minus(expr) { parenthesised(f, expr) } else { at_least(f, least, expr) }
}

fn separated(f: &mut Formatter<'_>, exprs: &[Expr], least: u8, between: &str) -> fmt::Result {
    for (i, expr) in exprs.iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        at_least(f, least, expr)?;
    }
    Ok(())
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Number(number) => write!(f, "{number}"),
            ExprKind::Name(name) => write!(f, "{name}"),
            ExprKind::Neg(inner) => {
                f.write_char('-')?;
                at_least(f, POWER, inner)
            }
            ExprKind::Sum(terms) => {
                for (i, term) in terms.iter().enumerate() {
                    if i == 0 {
                        at_least(f, PRODUCT, &term.expr)?;
                        continue;
                    }
                    f.write_str(if term.negative { " - " } else { " + " })?;
                    operand(f, PRODUCT, &term.expr)?;
                }
                Ok(())
            }
            ExprKind::Product(factors) => {
                for (i, factor) in factors.iter().enumerate() {
                    if i == 0 {
                        at_least(f, NEG, &factor.expr)?;
                        continue;
                    }
                    f.write_char(if factor.divides { '/' } else { '*' })?;
                    operand(f, NEG, &factor.expr)?;
                }
                Ok(())
            }
            ExprKind::Power { base, exponent } => {
                at_least(f, ATOM, base)?;
                f.write_char('^')?;
                at_least(f, POWER, exponent)
            }
            ExprKind::Call { function, args } => {
                write!(f, "{}(", function.name)?;
                separated(f, args, OR, ", ")?;
                f.write_char(')')
            }
            ExprKind::Index { base, indices } => {
                match base.kind {
                    ExprKind::Name(_) | ExprKind::Call { .. } | ExprKind::Index { .. } => {
                        write!(f, "{base}")?;
                    }
                    _ => parenthesised(f, base)?,
                }
                f.write_char('[')?;
                separated(f, indices, OR, ", ")?;
                f.write_char(']')
            }
            ExprKind::Vector(components) => {
                f.write_char('[')?;
                separated(f, components, OR, ", ")?;
                f.write_char(']')
            }
            ExprKind::Compare { op, left, right } => {
                at_least(f, SUM, left)?;
                write!(f, " {op} ")?;
                at_least(f, SUM, right)
            }
            ExprKind::And(conditions) => separated(f, conditions, COMPARE, " and "),
            ExprKind::Or(conditions) => separated(f, conditions, AND, " or "),
        }
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        (0..self.primes).try_for_each(|_| f.write_char('\''))
    }
}

impl Display for CompareOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CompareOp::Less => "<",
            CompareOp::LessEqual => "<=",
            CompareOp::Greater => ">",
            CompareOp::GreaterEqual => ">=",
            CompareOp::Equal => "==",
        })
    }
}

impl Display for Equation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.lhs, self.rhs)
    }
}

impl Display for Interval {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let open = if self.lower_closed { '[' } else { '(' };
        let close = if self.upper_closed { ']' } else { ')' };
        write!(f, "{open}{}, {}{close}", self.lower, self.upper)
    }
}

impl Display for VectorField {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, FieldTerm { coefficient, direction }) in self.terms.iter().enumerate() {
            let (negative, size) = match &coefficient.kind {
                ExprKind::Neg(size) => (true, size.as_ref()),
                _ => (false, coefficient),
            };
            f.write_str(match (i, negative) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            let is_one = matches!(&size.kind, ExprKind::Number(n) if n.text() == "1");
            if !is_one {
                operand(f, PRODUCT, size)?;
                f.write_char('*')?;
            }
            write!(f, "d/d{}", direction.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::literal::StringLit;
    use super::super::{parse_equation, parse_expr, parse_interval, parse_vector_field};

    fn printed(text: &str) -> String {
        parse_expr(&StringLit::plain(text)).expect("a formula").to_string()
    }

    #[test]
    fn parentheses_are_few() {
        for (text, expected) in [
            ("(a + b) - c", "(a + b) - c"),
            ("a - (b - c)", "a - (b - c)"),
            ("(a*b) + ((c))", "a*b + c"),
            ("-(a^2)", "-a^2"),
            ("(-a)^2", "(-a)^2"),
            ("a^(b^c)", "a^b^c"),
            ("(a^b)^c", "(a^b)^c"),
            ("x^-2", "x^(-2)"),
            ("a*-b", "a*(-b)"),
            ("(-a)*b", "-a*b"),
            ("-(a*b)", "-(a*b)"),
            ("a/(b*c)", "a/(b*c)"),
            ("a + -b*c", "a + (-b*c)"),
            ("--x", "-(-x)"),
            ("(a+b)[1]", "(a + b)[1]"),
            ("([a,b])[1]", "([a, b])[1]"),
            ("a<b and (c<d or e>=f)", "a < b and (c < d or e >= f)"),
            ("[[1,0],[0,1]]*wheel.R'", "[[1, 0], [0, 1]]*wheel.R'"),
            ("1e-3*f()", "1e-3*f()"),
        ] {
            assert_eq!(printed(text), expected);
        }
    }

    #[test]
    fn equations_fields_and_intervals() {
        let equation = parse_equation(&StringLit::plain("x'=-r*cos(phi)*psi'"));
        assert_eq!(equation.expect("an equation").to_string(), "x' = -r*cos(phi)*psi'");
        let interval = parse_interval(&StringLit::plain("[0,2*pi)"));
        assert_eq!(interval.expect("an interval").to_string(), "[0, 2*pi)");
        for (text, expected) in [
            ("x*d/dy-y*d/dx+d/dphi", "x*d/dy - y*d/dx + d/dphi"),
            ("-d/dx", "-d/dx"),
            ("-(a+b)/2*d/dx", "-(a + b)/2*d/dx"),
            ("d/dx/2", "1/2*d/dx"),
        ] {
            let field = parse_vector_field(&StringLit::plain(text)).expect("a field");
            assert_eq!(field.to_string(), expected);
        }
    }
}
