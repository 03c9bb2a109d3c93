//! The syntax of model files: plain ASCII that reads back to the same expression.
//!
//! ```text
//! -M*g*r*cos(theta)/(I1 + M*r^2)      (x^2 + y^2)^(3/2)      sqrt(2)
//! ```
//!
//! `^` binds more tightly than a sign, `*` and `/` group to the left; nothing here
//! depends on more than that. A decimal such as `9.81` stands for the exact rational. A derivative of an open function is `f'(u)` for one
//! argument, `D[1,0](f)(u, v)` for several.

use crate::graph::Graph;
use crate::print::names::name_of;
use crate::tree::{Head, Tree, is_decimal, number_text};

/// The tree in model syntax. Numbers are exact, names are those of the model.
pub fn ascii(graph: &Graph, tree: &Tree) -> String {
    let mut out = String::new();
    write(graph, tree, Level::Sum, &mut out);
    out
}

/// What the place where a tree stands can hold without parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Sum,
    Product,
    Factor,
    Atom,
}

fn level(tree: &Tree) -> Level {
    match tree {
        Tree::Sum(items) if !items.is_empty() => Level::Sum,
        Tree::Neg(_) => Level::Sum,
        Tree::Product(items) if !items.is_empty() => Level::Product,
        Tree::Quotient(..) => Level::Product,
        Tree::Number(r) if !r.is_int() && !is_decimal(r) => Level::Product,
        Tree::Power(_, k) if (k.n, k.d) != (1, 2) => Level::Factor,
        _ => Level::Atom,
    }
}

fn write(graph: &Graph, tree: &Tree, place: Level, out: &mut String) {
    if level(tree) < place {
        out.push('(');
        write(graph, tree, Level::Sum, out);
        out.push(')');
        return;
    }
    let call = |name: &str, args: &[&Tree], out: &mut String| {
        *out += name;
        out.push('(');
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                *out += ", ";
            }
            write(graph, a, Level::Sum, out);
        }
        out.push(')');
    };
    match tree {
        Tree::Number(r) => *out += &number_text(r),
        Tree::Pi => *out += "pi",
        Tree::Symbol(s) => *out += name_of(graph, *s),
        Tree::Sum(items) => {
            for (i, t) in items.iter().enumerate() {
                match t {
                    Tree::Neg(inner) => {
                        *out += if i == 0 { "-" } else { " - " };
                        write(graph, inner, Level::Product, out);
                    }
                    t => {
                        *out += if i == 0 { "" } else { " + " };
                        write(graph, t, Level::Product, out);
                    }
                }
            }
            if items.is_empty() {
                out.push('0');
            }
        }
        Tree::Neg(inner) => {
            out.push('-');
            write(graph, inner, Level::Product, out);
        }
        Tree::Product(items) => {
            for (i, t) in items.iter().enumerate() {
                if i > 0 {
                    out.push('*');
                }
                write(graph, t, Level::Factor, out);
            }
            if items.is_empty() {
                out.push('1');
            }
        }
        Tree::Quotient(over, under) => {
            let chained = matches!(**over, Tree::Product(_));
            write(graph, over, if chained { Level::Product } else { Level::Factor }, out);
            out.push('/');
            write(graph, under, Level::Factor, out);
        }
        Tree::Power(base, k) if (k.n, k.d) == (1, 2) => call("sqrt", &[base], out),
        Tree::Power(base, k) => {
            write(graph, base, Level::Atom, out);
            *out += &match (k.is_int(), k.n >= 0) {
                (true, true) => format!("^{}", k.n),
                (true, false) => format!("^({})", k.n),
                (false, _) => format!("^({}/{})", k.n, k.d),
            };
        }
        Tree::Call(head, a) => {
            let name = match head {
                Head::Sin => "sin",
                Head::Cos => "cos",
                Head::Tan => "tan",
                Head::Exp => "exp",
                Head::Log => "log",
            };
            call(name, &[a], out);
        }
        Tree::Atan2(y, x) => call("atan2", &[y, x], out),
        Tree::Apply(f, args, orders) => {
            let name = graph.functions.get(f.0 as usize).map_or("…", |n| n.as_str());
            let name = match orders[..] {
                [k] => name.to_string() + &"'".repeat(k as usize),
                _ if orders.iter().all(|k| *k == 0) => name.to_string(),
                _ => {
                    let orders: Vec<String> = orders.iter().map(u8::to_string).collect();
                    format!("D[{}]({name})", orders.join(","))
                }
            };
            call(&name, &args.iter().collect::<Vec<_>>(), out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Exponent, Expr};
    use crate::number::{int, parse_decimal, ratio};

    /// Reads model syntax straight into the graph, to see that nothing was lost.
    struct Reader<'a> {
        rest: &'a str,
        g: &'a mut Graph,
    }

    impl Reader<'_> {
        fn eat(&mut self, c: char) -> bool {
            self.rest = self.rest.trim_start();
            let found = self.rest.strip_prefix(c);
            self.rest = found.unwrap_or(self.rest);
            found.is_some()
        }

        fn sum(&mut self) -> Expr {
            let mut acc = if self.eat('-') {
                let t = self.product();
                self.g.neg(t)
            } else {
                self.product()
            };
            loop {
                if self.eat('+') {
                    let t = self.product();
                    acc = self.g.add(acc, t);
                } else if self.eat('-') {
                    let t = self.product();
                    acc = self.g.sub(acc, t);
                } else {
                    return acc;
                }
            }
        }

        fn product(&mut self) -> Expr {
            let mut acc = self.power();
            loop {
                if self.eat('*') {
                    let t = self.power();
                    acc = self.g.mul(acc, t);
                } else if self.eat('/') {
                    let t = self.power();
                    acc = self.g.div(acc, t);
                } else {
                    return acc;
                }
            }
        }

        fn power(&mut self) -> Expr {
            let base = self.atom();
            if self.eat('^') {
                let k = self.atom();
                return self.g.power(base, k);
            }
            base
        }

        fn atom(&mut self) -> Expr {
            if self.eat('(') {
                let e = self.sum();
                assert!(self.eat(')'), "{}", self.rest);
                return e;
            }
            let word = |c: char| !(c.is_alphanumeric() || "_'[].".contains(c));
            let (token, rest) = self.rest.split_at(self.rest.find(word).unwrap_or(self.rest.len()));
            self.rest = rest;
            if let Some(r) = parse_decimal(token) {
                return self.g.number(r);
            }
            if !self.eat('(') {
                return if token == "pi" { self.g.pi() } else { self.g.named(token) };
            }
            let mut args = vec![self.sum()];
            while self.eat(',') {
                args.push(self.sum());
            }
            assert!(self.eat(')'), "{}", self.rest);
            match token {
                "sin" => self.g.sin(args[0]),
                "cos" => self.g.cos(args[0]),
                "tan" => self.g.tan(args[0]),
                "exp" => self.g.exp(args[0]),
                "log" => self.g.log(args[0]),
                "sqrt" => self.g.sqrt(args[0]),
                "atan2" => self.g.atan2(args[0], args[1]),
                name => {
                    let f = self.g.function(name);
                    self.g.apply(f, args)
                }
            }
        }
    }

    #[test]
    fn reads_back() {
        let mut g = Graph::new();
        let pi = g.pi();
        let mut pool: Vec<Expr> = ["x", "theta'", "Omega[1]", "wheel.y"].map(|n| g.named(n)).to_vec();
        pool.extend([pi, g.one(), g.number(ratio(981, 100)), g.int(-2), g.number(ratio(-1, 3))]);
        let f = g.function("f");
        let mut state = 7u64;
        for round in 0..2000 {
            let mut pick = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) as usize
            };
            let (a, b) = (pool[pick() % pool.len()], pool[pick() % pool.len()]);
            let e = match pick() % 9 {
                0 => g.add(a, b),
                1 => g.sub(a, b),
                2 | 3 => g.mul(a, b),
                4 => g.div(a, b),
                5 => g.sin(a),
                6 => g.tan(b),
                7 => g.pow(a, Exponent::new(pick() as i64 % 7 - 3, [1, 1, 2, 3][pick() % 4]).unwrap()),
                _ => g.apply(f, vec![a]),
            };
            // 0⁻² and (√2)³ are stored as they are, but read back as 1/0 and 2 √2.
            let odd = |b: &Expr, k: &Exponent| g.as_number(*b).is_some() && (k.n < 0 || k.n >= k.d);
            let folds = |n: &Expr| match g.node(*n) {
                crate::Node::Product { factors, .. } => factors.iter().any(|(b, k)| odd(b, k)),
                _ => false,
            };
            if g.reachable(&[e]).iter().any(folds) {
                continue;
            }
            let Some(tree) = Tree::of_limited(&g, e, 200) else { continue };
            let text = ascii(&g, &tree);
            assert_eq!(tree.to_expr(&mut g), e, "{text} {:?}", g.node(e));
            let mut reader = Reader { rest: &text, g: &mut g };
            let back = reader.sum();
            assert_eq!(reader.rest, "", "{text}");
            assert_eq!(back, e, "{text} became {}", ascii(&g, &Tree::of(&g, back)));
            if round % 3 == 0 {
                pool.push(e);
            }
        }
    }

    #[test]
    fn examples() {
        let mut g = Graph::new();
        let [m, grav, r, theta, i1] = ["M", "g", "r", "theta", "I1"].map(|n| g.named(n));
        let c = g.cos(theta);
        let r2 = g.powi(r, 2);
        let d = g.linear([(i1, int(1)), (r2, ratio(1, 2))]);
        let e = g.product([m, grav, r, c]);
        let q = g.div(e, d);
        let q = g.neg(q);
        assert_eq!(ascii(&g, &Tree::of(&g, q)), "-2*M*g*r*cos(theta)/(2*I1 + r^2)");
        let p = g.pow(d, Exponent { n: -3, d: 2 });
        assert_eq!(ascii(&g, &Tree::of(&g, p)), "1/(I1 + r^2/2)^(3/2)");
        let f = g.function("h");
        let e = g.intern(crate::Node::Apply { function: f, args: Box::from([r, m]), orders: Box::from([1, 0]) });
        assert_eq!(ascii(&g, &Tree::of(&g, e)), "D[1,0](h)(r, M)");
    }
}
