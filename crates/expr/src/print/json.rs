//! Trees as JSON, for other programs.
//!
//! ```text
//! {"op":"*","args":["981/100",{"symbol":"theta'"},{"op":"^","args":[{"symbol":"r"},2]}]}
//! ```
//!
//! An integer that every reader of doubles keeps exactly is a JSON number, any other
//! rational a string `"n/d"`. π is `{"constant":"pi"}`. The operations are `+`, `neg`,
//! `*`, `/`, `^`, `sin`, `cos`, `tan`, `exp`, `log`, `atan2` and `apply`, which also
//! has the `function` and the `orders` of its derivatives.

use crate::graph::Graph;
use crate::number::{Rational, as_i64};
use crate::print::names::name_of;
use crate::tree::{Head, Tree};
use polhode_base::quoted;

/// The tree as one JSON value on one line.
pub fn json(graph: &Graph, tree: &Tree) -> String {
    let mut out = String::new();
    write(graph, tree, &mut out);
    out
}

fn write(graph: &Graph, tree: &Tree, out: &mut String) {
    let name = match tree {
        Tree::Number(r) => return write_number(r, out),
        Tree::Pi => return *out += r#"{"constant":"pi"}"#,
        Tree::Symbol(s) => {
            *out += r#"{"symbol":"#;
            *out += &quoted(name_of(graph, *s));
            return out.push('}');
        }
        Tree::Sum(_) => "+",
        Tree::Neg(_) => "neg",
        Tree::Product(_) => "*",
        Tree::Quotient(..) => "/",
        Tree::Power(..) => "^",
        Tree::Call(Head::Sin, _) => "sin",
        Tree::Call(Head::Cos, _) => "cos",
        Tree::Call(Head::Tan, _) => "tan",
        Tree::Call(Head::Exp, _) => "exp",
        Tree::Call(Head::Log, _) => "log",
        Tree::Atan2(..) => "atan2",
        Tree::Apply(..) => "apply",
    };
    *out += &format!(r#"{{"op":"{name}""#);
    if let Tree::Apply(f, _, orders) = tree {
        *out += r#","function":"#;
        *out += &quoted(graph.functions.get(f.0 as usize).map_or("…", |n| n.as_str()));
        let orders: Vec<String> = orders.iter().map(u8::to_string).collect();
        *out += &format!(r#","orders":[{}]"#, orders.join(","));
    }
    *out += r#","args":["#;
    let args: Vec<&Tree> = match tree {
        Tree::Sum(items) | Tree::Product(items) | Tree::Apply(_, items, _) => items.iter().collect(),
        Tree::Neg(a) | Tree::Power(a, _) | Tree::Call(_, a) => vec![a],
        Tree::Quotient(a, b) | Tree::Atan2(a, b) => vec![a, b],
        Tree::Number(_) | Tree::Pi | Tree::Symbol(_) => vec![],
    };
    for (i, a) in args.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write(graph, a, out);
    }
    if let Tree::Power(_, k) = tree {
        out.push(',');
        write_number(&k.to_rational(), out);
    }
    *out += "]}";
}

fn write_number(r: &Rational, out: &mut String) {
    match as_i64(r) {
        Some(n) if n.unsigned_abs() <= 1 << 53 => *out += &n.to_string(),
        _ => *out += &format!("\"{r}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Exponent;
    use crate::number::{int, ratio};

    #[test]
    fn values() {
        let mut g = Graph::new();
        let [x, odd] = ["theta'", "a\"\\\u{1}é"].map(|n| g.named(n));
        let s = g.linear([(x, ratio(981, 100)), (odd, int(-1))]);
        assert_eq!(
            json(&g, &Tree::of(&g, s)),
            r#"{"op":"+","args":[{"op":"*","args":["981/100",{"symbol":"theta'"}]},{"op":"neg","args":[{"symbol":"a\"\\\u0001é"}]}]}"#
        );
        let p = g.pow(x, Exponent { n: -3, d: 2 });
        assert_eq!(
            json(&g, &Tree::of(&g, p)),
            r#"{"op":"/","args":[1,{"op":"^","args":[{"symbol":"theta'"},"3/2"]}]}"#
        );
        let f = g.function("f");
        let pi = g.pi();
        let a = g.apply(f, vec![pi, x]);
        assert_eq!(
            json(&g, &Tree::of(&g, a)),
            r#"{"op":"apply","function":"f","orders":[0,0],"args":[{"constant":"pi"},{"symbol":"theta'"}]}"#
        );
        let big = Tree::Number(int(i64::MAX));
        assert_eq!(json(&g, &big), "\"9223372036854775807\"");
    }
}
