//! Identities that hold for all expressions, on random ones.
//!
//! Each property compares the graph with something that does not use it: dual numbers
//! on the formula, a parser of a few lines, or a second way to the same function. The
//! random choices are fixed; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` give others.

use crate::common;

use common::{Formula, add, div, mul, number, power, sub, symbols};
use polhode_expr::number::{Rational, int, parse_decimal, ratio, to_f64};
use polhode_expr::print::ascii;
use polhode_expr::{
    AngleBasis, Evidence, Exponent, Expr, Fraction, Function, Graph, Matrix, Node, NotCanonical, Rates, Reading, Ring,
    Symbol, Tree, Verdict, ZeroTest, determinant, eliminate, solve_ldl,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rustc_hash::FxHashMap;

fn config(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1779);
    }
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    config.max_global_rejects = 10 * config.cases;
    config
}

fn leaf() -> impl Strategy<Value = Formula> {
    prop_oneof![
        (-6..=6i32, 1..=4i32).prop_map(|(n, d)| Formula::Number(n, d)),
        Just(Formula::Pi),
        (0..4usize).prop_map(Formula::Symbol),
        (0..4usize).prop_map(Formula::Symbol),
        (any::<bool>(), turn()).prop_map(|(sine, k)| Formula::Turn(sine, k)),
    ]
}

fn turn() -> impl Strategy<Value = [i32; 2]> {
    [-3..=3i32, -2..=2i32]
}

/// Everything the graph can hold.
fn formula() -> impl Strategy<Value = Formula> {
    leaf().prop_recursive(5, 24, 2, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        // 1 + u² keeps most roots and logarithms real.
        let above_one = inner.clone().prop_map(|u| Box::new(add(number(1), power(u, 2, 1))));
        prop_oneof![
            3 => two().prop_map(|(a, b)| Formula::Add(a, b)),
            2 => two().prop_map(|(a, b)| Formula::Sub(a, b)),
            4 => two().prop_map(|(a, b)| Formula::Mul(a, b)),
            2 => two().prop_map(|(a, b)| Formula::Div(a, b)),
            2 => (one.clone(), -3..=4i32).prop_map(|(a, n)| Formula::Power(a, n, 1)),
            1 => (one.clone(), -3..=5i32, 2..=4i32).prop_map(|(a, n, d)| Formula::Power(a, n, d)),
            1 => (above_one.clone(), -3..=3i32).prop_map(|(a, n)| Formula::Power(a, n, 2)),
            1 => one.clone().prop_map(Formula::Sin),
            1 => one.clone().prop_map(Formula::Cos),
            1 => one.clone().prop_map(Formula::Tan),
            1 => one.clone().prop_map(Formula::Exp),
            1 => one.clone().prop_map(Formula::Log),
            1 => above_one.prop_map(Formula::Log),
            1 => two().prop_map(|(a, b)| Formula::Atan2(a, b)),
            1 => one.prop_map(Formula::F),
            1 => two().prop_map(|(a, b)| Formula::H(a, b)),
        ]
    })
}

/// Rational functions of symbols and of sines and cosines of whole angles.
fn rational(size: u32) -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        (-4..=4i32).prop_map(number),
        (0..4usize).prop_map(Formula::Symbol),
        (any::<bool>(), turn()).prop_map(|(sine, k)| Formula::Turn(sine, k)),
    ];
    leaf.prop_recursive(4, size, 2, |inner| {
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            2 => two().prop_map(|(a, b)| add(a, b)),
            2 => two().prop_map(|(a, b)| sub(a, b)),
            3 => two().prop_map(|(a, b)| mul(a, b)),
            2 => two().prop_map(|(a, b)| div(a, b)),
            1 => (inner.clone(), -2..=3i32).prop_map(|(a, n)| power(a, n, 1)),
        ]
    })
}

/// A dual number: value and derivative.
#[derive(Clone, Copy, Debug)]
struct Dual(f64, f64);

/// Values a formula passes through are kept where doubles can be compared.
fn kept(d: Dual) -> Option<Dual> {
    (d.0.abs() < 1e3 && d.1.abs() < 1e5).then_some(d)
}

/// f(u) = u³ + sin u, h(u, v) = u² v + cos v, differentiated `orders` times (up to once).
fn open(name: &str, args: &[f64], orders: &[u8]) -> f64 {
    match (name, orders, args) {
        ("f", [0], [u]) => u.powi(3) + u.sin(),
        ("f", [1], [u]) => 3.0 * u * u + u.cos(),
        ("h", [0, 0], [u, v]) => u * u * v + v.cos(),
        ("h", [1, 0], [u, v]) => 2.0 * u * v,
        ("h", [0, 1], [u, v]) => u * u - v.sin(),
        other => panic!("{other:?}"),
    }
}

/// The formula and its derivative where symbol i has the value and rate `at[i]`.
fn dual(formula: &Formula, at: &[Dual; 4]) -> Option<Dual> {
    use Formula::*;
    let away = |v: f64| v.abs() > 1e-2;
    let out = match formula {
        Number(n, d) => Dual(*n as f64 / *d as f64, 0.0),
        Pi => Dual(std::f64::consts::PI, 0.0),
        Symbol(i) => at[*i],
        Add(a, b) => {
            let (a, b) = (dual(a, at)?, dual(b, at)?);
            Dual(a.0 + b.0, a.1 + b.1)
        }
        Sub(a, b) => {
            let (a, b) = (dual(a, at)?, dual(b, at)?);
            Dual(a.0 - b.0, a.1 - b.1)
        }
        Mul(a, b) => {
            let (a, b) = (dual(a, at)?, dual(b, at)?);
            Dual(a.0 * b.0, a.0 * b.1 + a.1 * b.0)
        }
        Div(a, b) => {
            let (a, b) = (dual(a, at)?, dual(b, at)?);
            away(b.0).then_some(())?;
            Dual(a.0 / b.0, (a.1 * b.0 - a.0 * b.1) / (b.0 * b.0))
        }
        Power(a, n, d) => {
            let (a, whole) = (dual(a, at)?, n % d == 0);
            (away(a.0) && (whole || a.0 > 0.0)).then_some(())?;
            let k = *n as f64 / *d as f64;
            let power = |k: f64| if whole { a.0.powi(k as i32) } else { a.0.powf(k) };
            Dual(power(k), k * power(k - 1.0) * a.1)
        }
        Turn(sine, [k, l]) => {
            let (k, l) = (*k as f64, *l as f64);
            let angle = k * at[0].0 + l * at[1].0;
            let rate = k * at[0].1 + l * at[1].1;
            if *sine { Dual(angle.sin(), angle.cos() * rate) } else { Dual(angle.cos(), -angle.sin() * rate) }
        }
        Sin(a) => {
            let a = dual(a, at)?;
            Dual(a.0.sin(), a.0.cos() * a.1)
        }
        Cos(a) => {
            let a = dual(a, at)?;
            Dual(a.0.cos(), -a.0.sin() * a.1)
        }
        Tan(a) => {
            let a = dual(a, at)?;
            away(a.0.cos()).then_some(())?;
            Dual(a.0.tan(), a.1 / a.0.cos().powi(2))
        }
        Exp(a) => {
            let a = dual(a, at)?;
            Dual(a.0.exp(), a.0.exp() * a.1)
        }
        Log(a) => {
            let a = dual(a, at)?;
            (a.0 > 1e-2).then_some(())?;
            Dual(a.0.ln(), a.1 / a.0)
        }
        Atan2(y, x) => {
            let (y, x) = (dual(y, at)?, dual(x, at)?);
            let square = y.0 * y.0 + x.0 * x.0;
            // Away from the origin and from the jump.
            (away(square) && (away(y.0) || x.0 > 0.0)).then_some(())?;
            Dual(y.0.atan2(x.0), (x.0 * y.1 - y.0 * x.1) / square)
        }
        F(u) => {
            let u = dual(u, at)?;
            Dual(open("f", &[u.0], &[0]), open("f", &[u.0], &[1]) * u.1)
        }
        H(u, v) => {
            let (u, v) = (dual(u, at)?, dual(v, at)?);
            let args = [u.0, v.0];
            let slope = open("h", &args, &[1, 0]) * u.1 + open("h", &args, &[0, 1]) * v.1;
            Dual(open("h", &args, &[0, 0]), slope)
        }
    };
    kept(out)
}

/// The value of an expression, open functions filled in.
fn value(g: &Graph, e: Expr, at: &FxHashMap<Symbol, f64>) -> f64 {
    let mut values: FxHashMap<Expr, f64> = FxHashMap::default();
    for n in g.reachable(&[e]) {
        let v = match g.node(n) {
            Node::Number(r) => to_f64(r),
            Node::Pi => std::f64::consts::PI,
            Node::Symbol(s) => at[s],
            Node::Sum { constant, terms } => {
                to_f64(constant) + terms.iter().map(|(t, r)| to_f64(r) * values[t]).sum::<f64>()
            }
            Node::Product { coefficient, factors } => {
                let power = |b: Expr, k: Exponent| match k.is_int() {
                    true => values[&b].powi(k.n),
                    false => values[&b].powf(k.n as f64 / k.d as f64),
                };
                to_f64(coefficient) * factors.iter().map(|(b, k)| power(*b, *k)).product::<f64>()
            }
            Node::Call(Function::Sin, a) => values[a].sin(),
            Node::Call(Function::Cos, a) => values[a].cos(),
            Node::Call(Function::Exp, a) => values[a].exp(),
            Node::Call(Function::Log, a) => values[a].ln(),
            Node::Atan2(y, x) => values[y].atan2(values[x]),
            Node::Apply { function, args, orders } => {
                open(g.function_name(*function), &args.iter().map(|a| values[a]).collect::<Vec<_>>(), orders)
            }
        };
        values.insert(n, v);
    }
    values[&e]
}

fn points() -> impl Strategy<Value = Vec<[f64; 4]>> {
    prop::collection::vec([0.2..1.6f64, -1.4..1.4f64, 0.3..2.0f64, 0.3..2.0f64], 6)
}

fn bind(s: &[Symbol; 4], at: &[f64; 4]) -> FxHashMap<Symbol, f64> {
    s.iter().copied().zip(*at).collect()
}

fn close(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-7 * (1.0 + scale.abs())
}

proptest! {
    #![proptest_config(config(300))]

    /// The stored form has the value of the formula, its derivative that of dual numbers.
    #[test]
    fn values_and_derivatives_are_those_of_dual_numbers(formula in formula(), points in points(), which in 0..4usize) {
        let mut g = Graph::new();
        let s = symbols(&mut g);
        let e = formula.build(&mut g);
        let d = g.derivative(e, s[which]);
        for at in &points {
            let start = std::array::from_fn(|i| Dual(at[i], f64::from(i == which)));
            let Some(Dual(v, dv)) = dual(&formula, &start) else { continue };
            let map = bind(&s, at);
            let (stored, slope) = (value(&g, e, &map), value(&g, d, &map));
            prop_assert!(close(stored, v, v), "value {stored} and not {v} at {at:?}");
            prop_assert!(close(slope, dv, dv), "derivative {slope} and not {dv} at {at:?}");
            if let Ok(x) = g.evaluate_f64(e, &map) {
                prop_assert!(close(x, v, v), "evaluate gives {x} and not {v} at {at:?}");
            }
        }
    }

    /// Substituting and evaluating commute; simultaneous substitution is what it says.
    #[test]
    fn substitutions_compose(formula in formula(), inner in rational(6), points in points()) {
        let mut g = Graph::new();
        let s = symbols(&mut g);
        let [x, y] = [s[0], s[1]].map(|s| g.var(s));
        let (e, a) = (formula.build(&mut g), inner.build(&mut g));
        let by = |pairs: &[(Symbol, Expr)]| FxHashMap::from_iter(pairs.iter().copied());

        prop_assert_eq!(g.substitute(e, &by(&[(s[0], x), (s[1], y)])), e, "x for x");
        let swapped = g.substitute(e, &by(&[(s[0], y), (s[1], x)]));
        prop_assert_eq!(g.substitute(swapped, &by(&[(s[0], y), (s[1], x)])), e, "swapped twice");

        // e[x ← a][y ← c] = e[x ← a[y ← c], y ← c] for a constant c, and a value for both
        let c = g.number(ratio(5, 7));
        let one = g.substitute(e, &by(&[(s[0], a)]));
        let after = g.substitute(one, &by(&[(s[1], c)]));
        let fixed = g.substitute(a, &by(&[(s[1], c)]));
        let together = g.substitute(e, &by(&[(s[0], fixed), (s[1], c)]));
        for at in &points {
            let mut at = *at;
            at[1] = 5.0 / 7.0;
            let Some(Dual(v, _)) = dual(&inner, &at.map(|v| Dual(v, 0.0))) else { continue };
            let Some(Dual(expected, _)) = dual(&formula, &[v, at[1], at[2], at[3]].map(|v| Dual(v, 0.0))) else {
                continue;
            };
            let map = bind(&s, &at);
            for form in [after, together] {
                let got = value(&g, form, &map);
                prop_assert!(close(got, expected, expected), "{got} and not {expected}");
            }
        }
    }

    /// Forms of one expression are never called different, and a small change is seen.
    #[test]
    fn forms_are_equal_and_changes_are_not(formula in formula()) {
        let mut g = Graph::new();
        symbols(&mut g);
        let e = formula.build(&mut g);
        let mut forms = vec![("small", g.simplify_small(e)), ("simplified", g.simplify(e, &Reading::default()))];
        forms.extend(g.expand(e, 500).map(|f| ("expanded", f)));
        forms.extend(g.canonical(e).ok().map(|f| ("canonical", f)));
        let step = g.named("x");
        let step = g.scale(step, &ratio(1, 1_000_000_007));
        for (name, form) in forms {
            let verdict = g.equal(e, form);
            prop_assert!(!matches!(verdict, Verdict::Different(_)), "{name} {verdict:?}: {}", shown(&g, form));
            let other = g.add(form, step);
            prop_assert!(!g.equal(e, other).is_equal(), "{name} and a little more");
        }
    }

    /// What is printed for model files reads back to the expression that was printed.
    #[test]
    fn ascii_reads_back(formula in formula()) {
        let mut g = Graph::new();
        symbols(&mut g);
        let e = formula.build(&mut g);
        let mut trees = vec![Tree::of(&g, e)];
        trees.extend(g.readable(e, &Reading::default()));
        for tree in trees {
            let text = ascii(&g, &tree);
            let expected = tree.to_expr(&mut g);
            let back = Parser { text: text.as_bytes(), at: 0 }.whole(&mut g);
            prop_assert!(
                back == expected || g.equal(back, expected).is_equal(),
                "{text} reads as {}", shown(&g, back)
            );
        }
    }

    /// d(ab)/dt = ȧ b + a ḃ, and second derivatives exist.
    #[test]
    fn total_time_derivatives_obey_the_product_rule(a in formula(), b in formula()) {
        let mut g = Graph::new();
        let s = symbols(&mut g);
        let mut rates = Rates::default();
        for s in s {
            let mut name = g.name(s).to_string();
            let mut of = s;
            for _ in 0..2 {
                name.push('\'');
                rates.insert(of, g.named(&name));
                of = g.symbol(&name);
            }
        }
        let (a, b) = (a.build(&mut g), b.build(&mut g));
        let ab = g.mul(a, b);
        let [da, db, dab] = [a, b, ab].map(|e| g.along(e, &rates));
        let (p, q) = (g.mul(da, b), g.mul(a, db));
        let expected = g.add(p, q);
        let verdict = g.equal(dab, expected);
        prop_assert!(!matches!(verdict, Verdict::Different(_)), "{verdict:?}");
        g.along(dab, &rates);
    }
}

proptest! {
    #![proptest_config(config(250))]

    /// Rational functions of sines and cosines: all forms are proved equal, by exact evidence.
    #[test]
    fn rational_forms_are_proved_equal(formula in rational(16)) {
        let mut g = Graph::new();
        symbols(&mut g);
        let e = formula.build(&mut g);
        let Ok(canonical) = g.canonical(e) else { return Ok(()) };
        let tree = g.readable(e, &Reading::default()).expect("canonical form exists");
        let readable = tree.to_expr(&mut g);
        let small = g.simplify_small(e);
        for form in [canonical, readable, small].into_iter().chain(g.expand(e, 500)) {
            let verdict = g.equal(e, form);
            prop_assert!(
                matches!(verdict, Verdict::Equal(Evidence::PrimeField { error, .. }) if error <= 1e-18),
                "{verdict:?} for {}", shown(&g, form)
            );
        }
        prop_assert_eq!(g.canonical(canonical), Ok(canonical), "canonical form of the canonical form");
        prop_assert_eq!(g.canonical(readable), Ok(canonical), "canonical form of the readable form");
        let stored = Tree::of(&g, canonical);
        prop_assert!(
            tree.operations() <= stored.operations(),
            "{} is longer than {}", ascii(&g, &tree), ascii(&g, &stored)
        );
        let step = g.named("y");
        let step = g.scale(step, &ratio(1, 1_000_000_007));
        let other = g.add(readable, step);
        let verdict = g.equal(e, other);
        prop_assert!(matches!(verdict, Verdict::Different(Evidence::PrimeField { .. })), "{verdict:?}");
        prop_assert_ne!(g.canonical(other), Ok(canonical));
    }

    /// Two writings of one rational function of sines and cosines have one canonical node.
    #[test]
    fn canonical_form_is_unique(formula in rational(8), choices in prop::collection::vec(any::<u8>(), 60)) {
        let mut next = choices.iter().copied().chain(std::iter::repeat(31));
        let other = formula.rewritten(&mut || next.next().unwrap_or(31));
        let mut g = Graph::new();
        symbols(&mut g);
        let (a, b) = (formula.build(&mut g), other.build(&mut g));
        if let (Ok(p), Ok(q)) = (g.canonical(a), g.canonical(b)) {
            prop_assert_eq!(p, q, "{} and {}", shown(&g, p), shown(&g, q));
            if let Some(expanded) = g.expand(b, 300) && let Ok(q) = g.canonical(expanded) {
                prop_assert_eq!(p, q, "{} and {}", shown(&g, p), shown(&g, q));
            }
        }
    }
}

/// The rest of a text in model syntax; only what `ascii` writes.
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn whole(mut self, g: &mut Graph) -> Expr {
        let e = self.sum(g);
        assert_eq!(self.at, self.text.len(), "nothing is left of {:?}", std::str::from_utf8(self.text));
        e
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.text[self.at..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    fn sum(&mut self, g: &mut Graph) -> Expr {
        let negative = self.eat("-");
        let mut total = self.product(g);
        if negative {
            total = g.neg(total);
        }
        loop {
            if self.eat(" + ") {
                let t = self.product(g);
                total = g.add(total, t);
            } else if self.eat(" - ") {
                let t = self.product(g);
                total = g.sub(total, t);
            } else {
                return total;
            }
        }
    }

    fn product(&mut self, g: &mut Graph) -> Expr {
        let mut total = self.power(g);
        loop {
            if self.eat("*") {
                let f = self.power(g);
                total = g.mul(total, f);
            } else if self.eat("/") {
                let f = self.power(g);
                total = g.div(total, f);
            } else {
                return total;
            }
        }
    }

    fn power(&mut self, g: &mut Graph) -> Expr {
        let base = self.atom(g);
        if !self.eat("^") {
            return base;
        }
        let exponent = if self.eat("(") {
            let inside = self.sum(g);
            assert!(self.eat(")"));
            inside
        } else {
            self.atom(g)
        };
        g.power(base, exponent)
    }

    fn take(&mut self, good: impl Fn(u8) -> bool) -> String {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|c| good(*c)) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.at]).into_owned()
    }

    fn atom(&mut self, g: &mut Graph) -> Expr {
        if self.eat("(") {
            let e = self.sum(g);
            assert!(self.eat(")"), "closed");
            return e;
        }
        let digits = self.take(|c| c.is_ascii_digit() || c == b'.');
        if !digits.is_empty() {
            return g.number(parse_decimal(&digits).expect("a number"));
        }
        let name = self.take(|c| c.is_ascii_alphanumeric() || c == b'_');
        if !self.eat("(") {
            return if name == "pi" { g.pi() } else { g.named(&name) };
        }
        let mut args = vec![self.sum(g)];
        while self.eat(", ") {
            args.push(self.sum(g));
        }
        assert!(self.eat(")"), "closed");
        match (name.as_str(), &args[..]) {
            ("sin", [a]) => g.sin(*a),
            ("cos", [a]) => g.cos(*a),
            ("tan", [a]) => g.tan(*a),
            ("exp", [a]) => g.exp(*a),
            ("log", [a]) => g.log(*a),
            ("sqrt", [a]) => g.sqrt(*a),
            ("atan2", [y, x]) => g.atan2(*y, *x),
            (_, _) => {
                let f = g.function(&name);
                g.apply(f, args)
            }
        }
    }
}

fn shown(g: &Graph, e: Expr) -> String {
    Tree::of_limited(g, e, 2000).map_or_else(|| "something long".to_string(), |t| ascii(g, &t))
}

/// Small random numbers and formulas for the entries of matrices.
fn entries(count: usize) -> impl Strategy<Value = Vec<Formula>> {
    prop::collection::vec(rational(3).prop_filter("defined", |f| f.build(&mut Graph::new()).index() > 0), count)
}

fn simplest(g: &Graph, _: usize, e: Expr) -> usize {
    g.reachable(&[e]).len()
}

fn is_zero(g: &mut Graph, e: Expr) -> bool {
    g.decide_zero(e).is_equal()
}

/// Is the entry defined at all? Random formulas may divide by zero.
fn defined(g: &mut Graph, entries: &[Expr]) -> bool {
    entries.iter().all(|e| g.decide_zero(*e) != Verdict::Undecided)
}

proptest! {
    #![proptest_config(config(60))]

    /// A = BᵀB + diag(m): all solvers give the x with A x = b.
    #[test]
    fn solvers_leave_no_residual(n in 1..=3usize, list in entries(12)) {
        let mut g = Graph::new();
        symbols(&mut g);
        let built: Vec<Expr> = list.iter().map(|f| f.build(&mut g)).collect();
        prop_assume!(defined(&mut g, &built));
        let half = Matrix::from_fn(n, n, |i, j| built[3 * i + j]);
        let square = half.transpose().mul(&mut g, &half);
        let masses: Vec<Expr> = (0..n).map(|i| g.named(&format!("m{i}"))).collect();
        let mut a = square;
        for i in 0..n {
            a[(i, i)] = g.add(a[(i, i)], masses[i]);
        }
        let b = Matrix::from_fn(n, 1, |i, _| built[9 + i]);

        let x = solve_ldl(&mut g, &a, &b);
        let ax = a.mul(&mut g, &x);
        for i in 0..n {
            let residual = g.sub(ax[(i, 0)], b[(i, 0)]);
            prop_assert!(is_zero(&mut g, residual), "L D Lᵀ");
        }

        let mut zero = ZeroTest::new(&g);
        let out = eliminate(&mut g, &mut zero, &a, &b, simplest);
        prop_assert_eq!(out.rows.len(), n, "full rank");
        prop_assert!(out.free.is_empty() && out.dependent.is_empty());
        for (k, p) in out.pivots.iter().enumerate() {
            prop_assert!(g.equal(out.solution[(k, 0)], x[(*p, 0)]).is_equal(), "elimination");
        }

        let all: Vec<Expr> = a.entries().iter().chain(b.entries()).chain(x.entries()).copied().collect();
        let mut by_ring = || -> Result<_, NotCanonical> {
            let mut ring = Ring::new(&mut g, &all, AngleBasis::Symbols, 200)?;
            let fractions = ring.fractions(&mut g, &all)?;
            let rows: Vec<Vec<Fraction>> = fractions[..n * n].chunks(n).map(<[_]>::to_vec).collect();
            let solved = ring.solve(&rows, &fractions[n * n..n * n + n])?;
            let Some(solved) = solved else { return Ok(None) };
            let mut pairs = Vec::new();
            for (u, v) in solved.iter().zip(&fractions[n * n + n..]) {
                pairs.push((u.normal(&ring)?, v.normal(&ring)?));
            }
            Ok(Some(pairs))
        };
        match by_ring() {
            Ok(Some(pairs)) => {
                for (u, v) in pairs {
                    prop_assert_eq!(u, v, "fractions");
                }
            }
            Ok(None) => prop_assert!(false, "the ring calls a regular matrix singular"),
            Err(_) => {}
        }
    }

    /// Rows that are combinations of earlier ones are found, with the right coefficients.
    #[test]
    fn dependent_rows_are_found(
        list in entries(16),
        plan in prop::collection::vec((any::<bool>(), [-2..=2i32, -2..=2i32, -2..=2i32]), 2..=5),
    ) {
        let mut g = Graph::new();
        symbols(&mut g);
        let built: Vec<Expr> = list.iter().map(|f| f.build(&mut g)).collect();
        prop_assume!(defined(&mut g, &built));
        // Independent rows have an unknown of their own in a column of their own.
        let (n, mut rows, mut right): (_, Vec<Vec<Expr>>, Vec<Vec<Expr>>) = (5, Vec::new(), Vec::new());
        let (mut fresh, mut dependent): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for (i, (combine, k)) in plan.iter().enumerate() {
            if fresh.len() == 3 || (*combine && !fresh.is_empty()) {
                let s = g.sin(built[i]);
                let factors: Vec<Expr> = k.iter().map(|k| g.scale(s, &int((*k).into()))).collect();
                let mix = |g: &mut Graph, list: &[Vec<Expr>], j: usize| {
                    let items: Vec<Expr> = fresh.iter().zip(&factors).map(|(r, f)| g.mul(list[*r][j], *f)).collect();
                    let sum = g.sum(items);
                    g.expand(sum, 400).unwrap_or(sum)
                };
                rows.push((0..n).map(|j| mix(&mut g, &rows, j)).collect());
                right.push(vec![mix(&mut g, &right, 0)]);
                dependent.push(i);
            } else {
                let own = g.named(&format!("w{i}"));
                let mut row: Vec<Expr> = (0..n).map(|j| built[(5 * i + 3 * j) % 16]).collect();
                row[fresh.len()] = g.add(row[fresh.len()], own);
                rows.push(row);
                right.push(vec![built[(7 * i) % 16]]);
                fresh.push(i);
            }
        }
        let (a, b) = (Matrix::from_rows(rows), Matrix::from_rows(right));
        let mut zero = ZeroTest::new(&g);
        let out = eliminate(&mut g, &mut zero, &a, &b, simplest);
        prop_assert_eq!(&out.rows, &fresh);
        prop_assert_eq!(&out.dependent, &dependent);
        prop_assert_eq!(out.pivots.len() + out.free.len(), n);

        // x_pivot = Σ solution · x_free + rest solves every row, whatever the free unknowns are.
        let free: Vec<Expr> = (0..out.free.len()).map(|i| g.named(&format!("z{i}"))).collect();
        let mut x = vec![g.zero(); n];
        for (f, z) in out.free.iter().zip(&free) {
            x[*f] = *z;
        }
        for (k, p) in out.pivots.iter().enumerate() {
            let items: Vec<Expr> = free
                .iter()
                .enumerate()
                .map(|(j, z)| g.mul(out.solution[(k, j)], *z))
                .chain([out.solution[(k, free.len())]])
                .collect();
            x[*p] = g.sum(items);
        }
        let ax = a.mul_vec(&mut g, &x);
        for i in 0..a.rows() {
            let residual = g.sub(ax[i], b[(i, 0)]);
            prop_assert!(is_zero(&mut g, residual), "row {i}");
        }
        for (d, (combination, remainder)) in dependent.iter().zip(out.combinations.iter().zip(&out.remainders)) {
            prop_assert!(is_zero(&mut g, remainder[0]), "redundant, no contradiction");
            for j in 0..n {
                let items: Vec<Expr> = combination.iter().zip(&out.rows).map(|(c, r)| g.mul(*c, a[(*r, j)])).collect();
                let sum = g.sum(items);
                prop_assert!(g.equal(sum, a[(*d, j)]).is_equal(), "combination of row {d}");
            }
        }
    }

    /// det(AB) = det A det B, and det A is the product of the pivots of A = L D Lᵀ.
    #[test]
    fn determinants_multiply(n in 1..=3usize, list in entries(18)) {
        let mut g = Graph::new();
        symbols(&mut g);
        let built: Vec<Expr> = list.iter().map(|f| f.build(&mut g)).collect();
        prop_assume!(defined(&mut g, &built));
        let a = Matrix::from_fn(n, n, |i, j| built[3 * i + j]);
        let b = Matrix::from_fn(n, n, |i, j| built[9 + 3 * i + j]);
        let ab = a.mul(&mut g, &b);
        let [x, y, z] = [&a, &b, &ab].map(|m| determinant(&mut g, m));
        let product = g.mul(x, y);
        prop_assert!(g.equal(product, z).is_equal());
    }
}

/// Zeros that hide in the argument of a function are seen through.
#[test]
fn equality_looks_into_arguments() {
    let mut g = Graph::new();
    let (x, y, one) = (g.named("x"), g.named("y"), g.one());
    let (s, c) = (g.sin(x), g.cos(x));
    let (s2, c2) = (g.powi(s, 2), g.powi(c, 2));
    let unit = g.add(s2, c2);
    let hidden = g.log(unit);
    assert!(g.decide_zero(hidden).is_equal(), "log(sin² + cos²) = 0");
    let step = g.scale(y, &Rational::from_parts(1.into(), 10u64.pow(15).into()));
    let other = g.add(unit, step);
    let near = g.log(other);
    assert!(matches!(g.decide_zero(near), Verdict::Different(_)), "a small number is no zero");

    let f = g.function("f");
    let (a, b) = (g.apply(f, vec![unit]), g.apply(f, vec![one]));
    assert!(g.equal(a, b).is_equal(), "f(sin² + cos²) = f(1)");
    let c = g.apply(f, vec![x]);
    assert!(matches!(g.equal(b, c), Verdict::Different(_)), "f(1) ≠ f(x)");
    let root = g.sqrt(y);
    let (a, b) = (g.apply(f, vec![root]), g.apply(f, vec![y]));
    assert!(!g.equal(a, b).is_equal(), "f(√y) ≠ f(y)");
}

/// High powers are what they say, also where comparison is numeric.
#[test]
fn high_powers_are_not_cut_off() {
    let mut g = Graph::new();
    let x = g.named("x");
    let root = g.log(x);
    let [p, q] = [20_000, 20_001].map(|n| {
        let power = g.powi(x, n);
        g.mul(power, root)
    });
    assert!(matches!(g.equal(p, q), Verdict::Different(_)));
    let huge = g.powi(x, 100_000_000);
    let wild = g.sin(huge);
    let wild = g.mul(wild, root);
    let one = g.one();
    assert_ne!(g.equal(wild, one), g.equal(p, p), "no digits of sin(x^100000000) are known");
}

/// Roots of polynomials in sines, and roots inside roots, reduce to one form.
#[test]
fn roots_reduce_in_the_order_of_their_definition() {
    let mut g = Graph::new();
    let (x, one) = (g.named("x"), g.one());
    let s = g.sin(x);
    let inner = g.add(s, one);
    let w = g.sqrt(inner); // w² = 1 + s
    // (s w + 1)(w − 1) = s + s² − s w + w − 1, with s² = 1 − c²
    let sw = g.mul(s, w);
    let (p, q) = (g.add(sw, one), g.sub(w, one));
    let product = g.mul(p, q);
    let c = g.cos(x);
    let c2 = g.powi(c, 2);
    let by_hand = g.linear([(s, int(1)), (sw, int(-1)), (w, int(1)), (c2, int(-1))]);
    let (a, b) = (g.canonical(product).unwrap(), g.canonical(by_hand).unwrap());
    assert_eq!(a, b);
    let zero = g.sub(product, by_hand);
    assert_eq!(g.canonical(zero), Ok(g.zero()));

    // 1/(w + s): the denominator of the canonical form is free of w and of s.
    let sum = g.add(w, s);
    let inverse = g.powi(sum, -1);
    let form = g.canonical(inverse).unwrap();
    assert!(g.equal(form, inverse).is_equal());
    let Node::Product { factors, .. } = g.node(form).clone() else { panic!("{}", shown(&g, form)) };
    let under = factors.iter().filter(|(_, k)| k.n < 0);
    for (e, _) in under {
        let inside = g.reachable(&[*e]);
        assert!(!inside.contains(&s) && !inside.contains(&w), "{}", shown(&g, form));
    }
}

/// Roots that depend on each other never turn a number into a division by zero.
#[test]
fn dependent_roots_are_not_inverted_into_nonsense() {
    let mut g = Graph::new();
    let (two, eight, x, y) = (g.int(2), g.int(8), g.named("x"), g.named("y"));
    let (p, q) = (g.sqrt(two), g.sqrt(eight));
    let q = g.scale(q, &ratio(1, 2));
    let numbers = g.add(p, q);
    let (rx, ry, xy) = (g.sqrt(x), g.sqrt(y), g.mul(x, y));
    let (separate, together) = (g.mul(rx, ry), g.sqrt(xy));
    let letters = g.add(separate, together);
    for e in [numbers, letters] {
        let inverse = g.powi(e, -1);
        if let Ok(form) = g.canonical(inverse) {
            assert!(g.equal(form, inverse).is_equal(), "{}", shown(&g, form));
        }
        let simple = g.simplify(inverse, &Reading::default());
        assert!(g.equal(simple, inverse).is_equal(), "{}", shown(&g, simple));
    }
}
