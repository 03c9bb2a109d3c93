//! Model text as trees: TOML with formulas in its strings.
//!
//! ```text
//! bytes ─decode_source→ SourceFile ─parse_document→ Table ─parse_expr, …→ Expr
//! ```
//!
//! Every node carries its [`Span`] in the *model file*, also inside strings with
//! escapes, so that a later stage can point at the letter it means. Numbers stay
//! exact decimals ([`Decimal`]); nothing here passes through floating point.
//!
//! Mistakes are [`Diagnostic`]s under these names: `not-utf8`, `toml-syntax`,
//! `duplicate-key` (the file); `unexpected-character`, `number-format`,
//! `misplaced-prime`, `implicit-product`, `missing-operand`, `missing-comma`,
//! `unexpected-token`, `unclosed-bracket`, `empty-formula`, `formula-too-deep`,
//! `index-from-one`, `chained-comparison`, `unexpected-equation`,
//! `expected-equation`, `expected-interval`, `not-a-vector-field`,
//! `not-a-formula` (a formula).
//!
//! Not here: what a name stands for, and how many components it has.
//!
//! [`Span`]: polhode_base::Span
//! [`Diagnostic`]: polhode_base::Diagnostic

mod ast;
mod decimal;
mod formula;
mod formula_errors;
mod lexer;
mod literal;
mod name;
mod primes;
mod print;
#[cfg(test)]
mod properties;
mod toml;
mod toml_errors;

use polhode_base::Diagnostic;

pub use ast::{CompareOp, Equation, Expr, ExprKind, Factor, FieldTerm, Ident, Interval, Name, Term, VectorField};
pub use decimal::{Decimal, DecimalError, Scientific};
pub use formula::{MAX_DEPTH, parse_equation, parse_expr, parse_interval, parse_vector_field};
pub use literal::{OffsetMap, StringLit};
pub use name::normalize_name;
pub use toml::{Document, Key, Table, Value, ValueKind, decode_source, parse_document};

/// Why a formula could not be read: one error, ready to be shown.
pub type SyntaxError = Box<Diagnostic>;
