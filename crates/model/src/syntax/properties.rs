//! Properties of the whole layer: nothing panics, places are places, and what is
//! printed reads back.

use std::sync::Arc;

use polhode_base::{Diagnostics, SourceFile, Span, Style};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const MODEL: &str = r#"title = "Disk rolling on a horizontal plane"
[parameters]
M  = 1.0               # mass, kg
g  = 9.81
I1 = "M*r^2/4"
[coordinates]
theta = "(0, pi)"
phi   = 'angle'
[define]
axis   = "[sin(theta)*sin(phi), -sin(theta)*cos(φ), cos(theta)]"
centre = """
  [x, y, 0] \
  + r*spoke"""
[lagrangian]
kinetic = "M/2*norm2(dt(centre)) + I3/2*(psi' + phi'*cos(theta))^2"
[constraints]
"no slip x" = "x' = -r*cos(phi)*psi'"
[symmetry]
generators = ["d/dpsi", 'x*d/dy - y*d/dx']
[initial]
position = { theta = 1.0, phi = 0, x' = -1e-3 }
psi' = 2.5
"#;

fn is_place(span: Span, file: &SourceFile) -> bool {
    let (start, end) = (span.start as usize, span.end as usize);
    let text = file.text();
    start <= end && end <= text.len() && text.is_char_boundary(start) && text.is_char_boundary(end)
}

fn check_diagnostics(diagnostics: &Diagnostics, file: &SourceFile) {
    for diagnostic in diagnostics {
        let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
        for span in labels.map(|label| label.span).chain(diagnostic.suggestion.iter().map(|s| s.span)) {
            assert!(is_place(span, file), "{diagnostic:?}");
        }
        assert!(diagnostic.primary.is_some(), "{diagnostic:?}");
        diagnostic.render(file, Style::Colour);
    }
}

fn check_expr(expr: &Expr, file: &SourceFile) {
    assert!(is_place(expr.span, file), "{expr:?}");
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Name(_) => {}
        ExprKind::Neg(inner) => check_expr(inner, file),
        ExprKind::Sum(terms) => terms.iter().for_each(|term| check_expr(&term.expr, file)),
        ExprKind::Product(list) => list.iter().for_each(|factor| check_expr(&factor.expr, file)),
        ExprKind::Power { base: a, exponent: b } | ExprKind::Compare { left: a, right: b, .. } => {
            check_expr(a, file);
            check_expr(b, file);
        }
        ExprKind::Call { function, args } => {
            assert!(is_place(function.span, file));
            args.iter().for_each(|arg| check_expr(arg, file));
        }
        ExprKind::Index { base, indices } => {
            check_expr(base, file);
            indices.iter().for_each(|index| check_expr(index, file));
        }
        ExprKind::Vector(list) | ExprKind::And(list) | ExprKind::Or(list) => {
            list.iter().for_each(|each| check_expr(each, file));
        }
    }
}

/// Reads a string in every way there is, and checks all places.
fn check_formula(literal: &StringLit, file: &SourceFile) {
    let mut errors = Vec::new();
    match parse_expr(literal) {
        Ok(expr) => {
            check_expr(&expr, file);
            let printed = expr.to_string();
            let again = parse_expr(&StringLit::plain(&printed)).expect("what is printed is a formula");
            assert!(expr.same_as(&again), "{printed}");
        }
        Err(error) => errors.push(*error),
    }
    match parse_equation(literal) {
        Ok(equation) => {
            check_expr(&equation.lhs, file);
            check_expr(&equation.rhs, file);
            assert!(is_place(equation.span, file));
        }
        Err(error) => errors.push(*error),
    }
    match parse_vector_field(literal) {
        Ok(field) => {
            for term in &field.terms {
                check_expr(&term.coefficient, file);
                assert!(is_place(term.direction.span, file));
            }
            let printed = field.to_string();
            let again = parse_vector_field(&StringLit::plain(&printed)).expect("a field");
            assert!(field.same_as(&again), "{printed}");
        }
        Err(error) => errors.push(*error),
    }
    match parse_interval(literal) {
        Ok(interval) => {
            check_expr(&interval.lower, file);
            check_expr(&interval.upper, file);
        }
        Err(error) => errors.push(*error),
    }
    check_diagnostics(&errors.into_iter().collect(), file);
}

fn check_value(value: &Value, file: &SourceFile) {
    assert!(is_place(value.span, file), "{value:?}");
    match &value.kind {
        ValueKind::String(literal) => check_formula(literal, file),
        ValueKind::Array(items) => items.iter().for_each(|item| check_value(item, file)),
        ValueKind::Table(table) => check_table(table, file),
        _ => {}
    }
    if let Err(error) = value.to_expr() {
        check_diagnostics(&Diagnostics::from(*error), file);
    }
}

fn check_table(table: &Table, file: &SourceFile) {
    assert!(is_place(table.span, file), "{table:?}");
    for (key, value) in table.iter() {
        assert!(is_place(key.span, file), "{key:?}");
        check_value(value, file);
    }
}

fn check_document(text: &str) {
    let file = SourceFile::new("m.toml", text);
    let document = parse_document(&file);
    check_table(&document.root, &file);
    check_diagnostics(&document.diagnostics, &file);
}

#[test]
fn the_model_itself_is_fine() {
    let file = SourceFile::new("m.toml", MODEL);
    let document = parse_document(&file);
    assert!(document.diagnostics.is_empty(), "{}", document.diagnostics.render(&file, Style::Plain));
    check_document(MODEL);
    check_document(&MODEL.replace('\n', "\r\n"));
}

/// Our decoding of strings agrees with that of the TOML parser.
fn check_decoding(body: &str, quotes: &str) {
    let text = format!("k = {quotes}{body}{quotes}\n");
    let Ok(document) = toml_edit::Document::parse(text.clone()) else {
        return;
    };
    let Some(expected) = document.as_table().get("k").and_then(|item| item.as_str()) else {
        return;
    };
    let file = SourceFile::new("m.toml", &text);
    let ours = parse_document(&file);
    assert_eq!(ours.root.get("k").and_then(Value::as_str), Some(expected), "{text:?}");
}

fn node(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["x", "theta", "wheel\\.R", "I[0-9]", "d", "e1", "_a"].prop_map(|name| name)
}

fn formula() -> impl Strategy<Value = Expr> {
    let number = "(0|[1-9][0-9]{0,2})(\\.[0-9]{1,3})?(e-?[0-9]{1,2})?"
        .prop_map(|text| node(ExprKind::Number(Decimal::parse(&text).expect("a decimal"))));
    let named = (name(), 0u32..3).prop_map(|(path, primes)| node(ExprKind::Name(Name { path: path.into(), primes })));
    let leaf = prop_oneof![number, named];
    leaf.prop_recursive(6, 60, 4, |inner| {
        let several = || vec(inner.clone(), 2..4);
        let signed = || vec((any::<bool>(), inner.clone()), 2..4);
        let op = prop_oneof![
            Just(CompareOp::Less),
            Just(CompareOp::LessEqual),
            Just(CompareOp::Greater),
            Just(CompareOp::GreaterEqual),
            Just(CompareOp::Equal),
        ];
        prop_oneof![
            inner.clone().prop_map(|a| node(ExprKind::Neg(Arc::new(a)))),
            signed().prop_map(|list| {
                let terms = list.into_iter().enumerate();
                let terms = terms.map(|(i, (sign, expr))| Term { negative: sign && i > 0, expr });
                node(ExprKind::Sum(terms.collect()))
            }),
            signed().prop_map(|list| {
                let factors = list.into_iter().enumerate();
                let factors = factors.map(|(i, (sign, expr))| Factor { divides: sign && i > 0, expr });
                node(ExprKind::Product(factors.collect()))
            }),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| { node(ExprKind::Power { base: Arc::new(a), exponent: Arc::new(b) }) }),
            (name(), vec(inner.clone(), 0..3)).prop_map(|(name, args)| {
                let function = Ident { name: name.into(), span: Span::default() };
                node(ExprKind::Call { function, args: args.into() })
            }),
            (inner.clone(), 1i64..4).prop_map(|(a, index)| {
                let index = node(ExprKind::Number(Decimal::from(index)));
                node(ExprKind::Index { base: Arc::new(a), indices: [index].into() })
            }),
            several().prop_map(|list| node(ExprKind::Vector(list.into()))),
            (op, inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| { node(ExprKind::Compare { op, left: Arc::new(a), right: Arc::new(b) }) }),
            several().prop_map(|list| node(ExprKind::And(list.into()))),
            several().prop_map(|list| node(ExprKind::Or(list.into()))),
        ]
    })
}

/// One change of a text: bytes removed and something put in their place.
fn mutate(text: &str, edits: &[(usize, usize, String)]) -> String {
    let mut text = text.to_owned();
    for (at, len, insertion) in edits {
        let file = SourceFile::new("", &text);
        let start = file.floor_char_boundary(at % (text.len() + 1));
        let end = file.ceil_char_boundary(start + len);
        text.replace_range(start..end, insertion);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_can_be_a_document(text in ".{0,80}") {
        check_document(&text);
    }

    #[test]
    fn any_toml_like_text_can_be_a_document(
        text in "([a-cθ]|[\\[\\]{}=,.#'\"\\\\ \t\r\n]|'''|\"\"\"|x'|x' = 1\n|\\[a\\]\n|1\\.5|d = ){0,40}",
    ) {
        check_document(&text);
    }

    #[test]
    fn any_text_can_be_a_formula(text in ".{0,60}") {
        let file = SourceFile::new("f", &text);
        check_formula(&StringLit::plain(file.text()), &file);
    }

    #[test]
    fn any_formula_like_text_can_be_a_formula(
        text in "([a-dxθ]|d/dx|[-+*/^()\\[\\],'=<>² ]|[0-9.]|sin| and | or |e-){0,30}",
    ) {
        check_formula(&StringLit::plain(&text), &SourceFile::new("f", &text));
    }

    #[test]
    fn models_with_mistakes_are_answered(
        edits in vec((any::<usize>(), 0usize..6, "[-+*/^()\\[\\]{}=,.#'\"\\\\ \nxθ2]{0,4}"), 1..4),
    ) {
        check_document(&mutate(MODEL, &edits));
    }

    #[test]
    fn printed_formulas_read_back(expr in formula()) {
        let printed = expr.to_string();
        let again = parse_expr(&StringLit::plain(&printed)).expect("what is printed is a formula");
        prop_assert!(expr.same_as(&again), "{printed}\n{again}");
    }

    #[test]
    fn strings_are_decoded_like_toml(
        body in "([a-cθ ']|\\\\[nt\"\\\\e]|\\\\u03b8|\\\\x41|\\\\\r?\n +|\r?\n){0,12}",
    ) {
        for quotes in ["\"", "'", "\"\"\"", "'''"] {
            check_decoding(&body, quotes);
        }
    }
}
