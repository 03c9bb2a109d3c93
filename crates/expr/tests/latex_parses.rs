//! The LaTeX we write is read by KaTeX in its strict mode.
//!
//! Skipped, with a line that says so, where `tools/katex-check` is not set up: it
//! needs Node and one `npm install --no-package-lock` in its folder.

use polhode_base::random::Random;
use polhode_expr::number::{int, ratio};
use polhode_expr::print::{latex, latex_equations, latex_name, latex_symbol};
use polhode_expr::{Exponent, Expr, Graph, Head, Tree};

/// Formulas of random shape over names of every kind, and names by themselves.
fn formulas() -> Vec<String> {
    let names = [
        "x",
        "theta",
        "theta'",
        "theta''",
        "x'''",
        "x''''",
        "q'''''",
        "I1",
        "phi_R",
        "Omega[1]",
        "Omega[1]'",
        "omega'[3]",
        "R[1,3]",
        "R[10,3]",
        "g[i,j]",
        "lambda_1",
        "p_theta",
        "p_theta1'",
        "I1_R",
        "x_dot",
        "speed",
        "speed'",
        "mass2",
        "r2d2",
        "wheel.R[1,2]",
        "wheel[1].Omega[2]'",
        "θ",
        "Ω₁",
        "_x",
        "x_",
        "a__b",
        "100%",
        "a b",
        "a#b$c&d~e^f\\g{h}i",
        "naïve",
        "車",
        "😀",
        "x̂",
        "'",
        "",
        ".",
        "[1]",
        "a[",
        "Alpha",
        "omicron",
        "ell",
        "a\"b",
        "a'b",
        "a\nb",
        "\u{1}",
    ];
    let mut g = Graph::new();
    let symbols = names.map(|n| g.symbol(n));
    let starred = g.symbol("k");
    g.set_latex(starred, "k^{*}_{\\mathrm{max}}");
    let dotted = g.symbol("k'");
    let indexed = g.symbol("k[2]'");
    let raised = g.symbol("k'''''");
    let broken = g.symbol("broken");
    g.set_latex(broken, "{x");
    let mut out: Vec<String> = names.iter().map(|n| latex_name(n)).collect();
    out.extend([starred, dotted, indexed, raised, broken].iter().map(|s| latex_symbol(&g, *s)));

    let functions = ["f", "profile", "h_1", "psi"].map(|n| g.function(n));
    let mut pool: Vec<Expr> =
        symbols.iter().chain(&[starred, dotted, indexed, raised, broken]).map(|s| g.var(*s)).collect();
    let pi = g.pi();
    pool.extend([pi, g.one(), g.int(-2), g.int(12), g.number(ratio(981, 100)), g.number(ratio(-1, 3))]);
    let mut random = Random::new(1);
    let mut equations = Vec::new();
    for round in 0..1500 {
        let mut pick = |n: usize| random.below(n);
        let (a, b) = (pool[pick(pool.len())], pool[pick(pool.len())]);
        let e = match pick(12) {
            0 => g.add(a, b),
            1 => g.sub(a, b),
            2 | 3 => g.mul(a, b),
            4 => g.div(a, b),
            5 => g.sin(a),
            6 => g.tan(b),
            7 => g.exp(a),
            8 => g.atan2(a, b),
            9 => g.log(a),
            10 => g.pow(a, Exponent::new(pick(9) as i64 - 4, [1, 1, 2, 3][pick(4)]).unwrap_or(Exponent::ONE)),
            _ => {
                let open = match pick(2) {
                    0 => g.apply(functions[pick(4)], vec![a]),
                    _ => g.apply(functions[pick(4)], vec![a, b]),
                };
                let mut e = open;
                for _ in 0..pick(6) {
                    e = g.derivative(e, symbols[pick(8)]);
                }
                if Tree::of_limited(&g, e, 200).is_some() && !g.is_zero(e) { e } else { open }
            }
        };
        let Some(tree) = Tree::of_limited(&g, e, 150) else { continue };
        out.push(latex(&g, &tree));
        if round % 3 == 0 {
            pool.push(e);
        }
        equations.push(tree);
    }
    for five in equations.chunks(5).take(50) {
        let list: Vec<(&str, &Tree)> = five.iter().map(|t| ("\\ddot{x}_{1}", t)).collect();
        out.push(latex_equations(&g, &list));
    }
    // Shapes that the stored form never has.
    let x = Tree::Symbol(symbols[0]);
    let boxed = |t: &Tree| Box::new(t.clone());
    let neg = Tree::Neg(boxed(&x));
    let sum = Tree::Sum(vec![neg.clone(), x.clone(), Tree::Number(int(3))]);
    let sin = Tree::Call(Head::Sin, boxed(&neg));
    for t in [&neg, &sum, &sin] {
        for k in [Exponent::int(2), Exponent::int(-1), Exponent { n: 1, d: 2 }, Exponent { n: -1, d: 3 }] {
            let power = Tree::Power(boxed(t), k);
            out.push(latex(&g, &Tree::Power(boxed(&power), k)));
            out.push(latex(&g, &Tree::Product(vec![power, Tree::Number(ratio(1, 3)), Tree::Neg(boxed(t))])));
        }
    }
    out.extend([Tree::Sum(vec![]), Tree::Product(vec![]), Tree::Neg(boxed(&sum))].iter().map(|t| latex(&g, t)));
    out.push(latex_equations(&g, &[]));
    out
}

#[test]
fn katex_accepts_all() {
    polhode_testing::katex_accepts(&formulas());
}
