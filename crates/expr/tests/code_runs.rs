//! The source code we write is compiled and run, and compared with the slow way.
//!
//! A language whose compiler is not installed is skipped with a line that says so.

use polhode_expr::number::{int, ratio, to_f64};
use polhode_expr::print::{Language, code};
use polhode_expr::{Exponent, Expr, Function, Graph, Node, Symbol};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The open functions of the test: f(u) = 1 + u², h(u, v) = u v².
fn open(name: &str, args: &[f64], orders: &[u8]) -> f64 {
    match (name, orders) {
        ("f", [0]) => 1.0 + args[0] * args[0],
        ("f", [1]) => 2.0 * args[0],
        ("h", [0, 0]) => args[0] * args[1] * args[1],
        ("h", [1, 0]) => args[1] * args[1],
        ("h", [0, 1]) => 2.0 * args[0] * args[1],
        other => panic!("{other:?}"),
    }
}

fn evaluate(g: &Graph, e: Expr, at: &HashMap<Symbol, f64>) -> f64 {
    let mut value: HashMap<Expr, f64> = HashMap::new();
    for n in g.reachable(&[e]) {
        let v = match g.node(n) {
            Node::Number(r) => to_f64(r),
            Node::Pi => std::f64::consts::PI,
            Node::Symbol(s) => at[s],
            Node::Sum { constant, terms } => {
                to_f64(constant) + terms.iter().map(|(t, r)| to_f64(r) * value[t]).sum::<f64>()
            }
            Node::Product { coefficient, factors } => {
                to_f64(coefficient)
                    * factors.iter().map(|(b, k)| value[b].powf(k.n as f64 / k.d as f64)).product::<f64>()
            }
            Node::Call(Function::Sin, a) => value[a].sin(),
            Node::Call(Function::Cos, a) => value[a].cos(),
            Node::Call(Function::Exp, a) => value[a].exp(),
            Node::Call(Function::Log, a) => value[a].ln(),
            Node::Atan2(y, x) => value[y].atan2(value[x]),
            Node::Apply { function, args, orders } => {
                open(g.function_name(*function), &args.iter().map(|a| value[a]).collect::<Vec<_>>(), orders)
            }
        };
        value.insert(n, v);
    }
    value[&e]
}

/// Expressions that use every construct, and names that get in the way.
struct Sample {
    graph: Graph,
    inputs: Vec<Symbol>,
    values: Vec<f64>,
    outputs: Vec<(String, Expr)>,
}

fn sample() -> Sample {
    let mut g = Graph::new();
    let names = [
        "theta", "theta'", "R[1,3]", "lambda", "None", "unix", "out", "x_dot", "x'", "sin", "pi", "t1", "θ̂", "self",
        "unused",
    ];
    let inputs: Vec<Symbol> = names.iter().map(|n| g.symbol(n)).collect();
    let values: Vec<f64> = (0..names.len()).map(|i| 0.3 + 0.21 * i as f64).collect();
    let v: Vec<Expr> = inputs.iter().map(|s| g.var(*s)).collect();
    let mut outputs: Vec<(String, Expr)> = Vec::new();
    let mut push = |name: &str, e: Expr| outputs.push((name.to_string(), e));

    let (s, c) = (g.sin(v[0]), g.cos(v[0]));
    let d = g.linear([(v[2], int(2)), (v[3], ratio(1, 3)), (s, ratio(-7, 5))]);
    let root = g.sqrt(d);
    let cubed = g.pow(d, Exponent { n: -3, d: 2 });
    let fifth = g.powi(c, 5);
    let inverse = g.powi(d, -2);
    push("theta''", root);
    let a = g.product([cubed, fifth, v[1], v[4]]);
    let a = g.scale(a, &ratio(-2, 3));
    push("theta''", a);
    let b = g.product([inverse, s, v[5], root]);
    push("for", b);
    let angle = g.sub(v[6], v[7]);
    let (s2, c2) = (g.sin(angle), g.cos(angle));
    let turned = g.atan2(s2, c2);
    push("angle", turned);
    let pi = g.pi();
    let e = g.linear([(pi, ratio(1, 7)), (s2, int(-1)), (g.one(), ratio(981, 100))]);
    let e = g.exp(e);
    let l = g.log(v[8]);
    let e = g.product([e, l, v[9], v[10], v[11], v[12], v[13]]);
    push("e", e);
    let odd = g.pow(v[1], Exponent { n: 2, d: 3 });
    push("odd", odd);
    let two = g.int(2);
    let two = g.sqrt(two);
    push("root two", two);
    let (f, h) = (g.function("f"), g.function("h"));
    let fx = g.apply(f, vec![angle]);
    let hx = g.apply(h, vec![v[0], s]);
    let slope = g.derivative(fx, inputs[6]);
    let slope2 = g.derivative(hx, inputs[0]);
    push("open", fx);
    push("two arguments", hx);
    push("slope", slope);
    push("slope2", slope2);
    push("constant", g.zero());
    let minus = g.number(ratio(-22, 7));
    push("minus", minus);
    let huge = g.int(10);
    let huge = g.powi(huge, 300);
    let small = g.powi(huge, -1);
    let tiny = g.mul(small, v[0]);
    push("tiny", tiny);
    push("input", v[3]);
    let ninth = g.powi(v[1], 9);
    let ninth_again = g.mul(ninth, v[0]);
    push("ninth", ninth);
    push("ninth again", ninth_again);
    let mut deep = v[0];
    for i in 0..300 {
        let s = g.linear([(deep, ratio(1, 2)), (v[1 + i % 8], ratio(1, 3))]);
        deep = if i % 11 == 0 { g.cos(s) } else { g.mul(s, v[2]) };
    }
    push("deep", deep);
    let many: Vec<(Expr, _)> = (0..500i64)
        .map(|i| {
            let k = g.int(i + 2);
            let k = g.mul(k, v[(i % 5) as usize]);
            (g.sin(k), ratio(i % 3 - 1, i + 1))
        })
        .collect();
    let wide = g.linear(many);
    push("wide", wide);
    Sample { graph: g, inputs, values, outputs }
}

impl Sample {
    fn code(&self, language: Language) -> String {
        let inputs: Vec<(Symbol, &str)> = self.inputs.iter().map(|s| (*s, "a number \\ \"quoted\" */")).collect();
        let outputs: Vec<(&str, Expr)> = self.outputs.iter().map(|(n, e)| (n.as_str(), *e)).collect();
        code(&self.graph, language, "sample", &inputs, &outputs, "Every construct.\nSecond line \\")
    }

    /// The numbers passed in.
    fn arguments(&self) -> String {
        self.values.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(", ")
    }

    fn compare(&self, language: &str, output: Output) {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{language}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let got: Vec<f64> = text.split_whitespace().map(|w| w.parse().expect("a number")).collect();
        assert_eq!(got.len(), self.outputs.len(), "{language}");
        let at = self.inputs.iter().copied().zip(self.values.iter().copied()).collect();
        for ((name, e), got) in self.outputs.iter().zip(got) {
            let expected = evaluate(&self.graph, *e, &at);
            assert!(expected.is_finite(), "{name}");
            let error = (got - expected).abs();
            assert!(error <= 1e-12 * expected.abs().max(1e-290), "{language}, {name}: {got} instead of {expected}");
        }
    }
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("polhode-code-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a temporary file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        polhode_testing::skip(&format!("{program} is not installed"));
    }
    found
}

fn run(program: &Path) -> Output {
    Command::new(program).output().expect("the program that was just compiled")
}

#[test]
fn python() {
    if !installed("python3") {
        return;
    }
    let sample = sample();
    let folder = Folder::new("python");
    // The functions come in the order in which the graph holds them.
    let script = folder.write(
        "sample.py",
        &format!(
            "{}\n\nopen_functions = dict(f=lambda u: 1 + u*u, h=lambda u, v: u*v*v, f_d_1=lambda u: 2*u, h_d_0_1=lambda u, v: 2*u*v,\n    h_d_1_0=lambda u, v: v*v)\nfor value in sample({}, **open_functions):\n    print(repr(value))\n",
            sample.code(Language::Python),
            sample.arguments()
        ),
    );
    let output = Command::new("python3").arg("-W").arg("error").arg(script).output().expect("python3 runs");
    sample.compare("Python", output);
}

/// Names of the functions passed in, in the order of the parameters.
fn open_functions(code: &str) -> Vec<&'static str> {
    let mut found: Vec<(usize, &'static str)> = ["f", "h", "f_d_1", "h_d_0_1", "h_d_1_0"]
        .into_iter()
        .filter_map(|n| {
            let at = code.find(&format!("(*{n})")).or_else(|| code.find(&format!("{n}: impl")))?;
            Some((at, n))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, n)| n).collect()
}

#[test]
fn c() {
    if !installed("cc") {
        return;
    }
    let sample = sample();
    let folder = Folder::new("c");
    let code = sample.code(Language::C);
    let source = folder.write(
        "sample.c",
        &format!(
            "#include <stdio.h>\n{code}
static double f(double u) {{ return 1 + u*u; }}
static double h(double u, double v) {{ return u*v*v; }}
static double f_d_1(double u) {{ return 2*u; }}
static double h_d_0_1(double u, double v) {{ return 2*u*v; }}
static double h_d_1_0(double u, double v) {{ (void)u; return v*v; }}
int main(void) {{
    (void)f; (void)h; (void)f_d_1; (void)h_d_0_1; (void)h_d_1_0;
    double out[{n}];
    sample({}, {}, out);
    for (int i = 0; i < {n}; i++) printf(\"%.17g\\n\", out[i]);
    return 0;
}}\n",
            sample.arguments(),
            open_functions(&code).join(", "),
            n = sample.outputs.len()
        ),
    );
    let program = folder.0.join("sample");
    let flags = ["-std=c99", "-pedantic-errors", "-Wall", "-Werror", "-O1", "-o"];
    let built = Command::new("cc").args(flags).arg(&program).arg(source).arg("-lm").output().expect("cc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    sample.compare("C", run(&program));
}

#[test]
fn rust() {
    if !installed("rustc") {
        return;
    }
    let sample = sample();
    let folder = Folder::new("rust");
    let code = sample.code(Language::Rust);
    let source = folder.write(
        "sample.rs",
        &format!(
            "{code}
fn main() {{
    let f = |u: f64| 1.0 + u*u;
    let h = |u: f64, v: f64| u*v*v;
    let f_d_1 = |u: f64| 2.0*u;
    let h_d_0_1 = |u: f64, v: f64| 2.0*u*v;
    let h_d_1_0 = |_: f64, v: f64| v*v;
    let _ = (f, h, f_d_1, h_d_0_1, h_d_1_0);
    for value in sample({}, {}) {{
        println!(\"{{value:?}}\");
    }}
}}\n",
            sample.arguments(),
            open_functions(&code).join(", ")
        ),
    );
    let program = folder.0.join("sample");
    let built =
        Command::new("rustc").args(["--edition", "2024", "-D", "warnings", "-o"]).arg(&program).arg(source).output();
    let built = built.expect("rustc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    sample.compare("Rust", run(&program));
}
