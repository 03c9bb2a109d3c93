//! Random programs of graph operations: nothing panics, nothing runs away.
//!
//! The bytes of a program drive a small stack machine over the public constructors,
//! with exponents and numbers as large as they come, division by zero and all. Every
//! printer, canonical and readable form, equality, evaluation and derivative is then
//! asked for, on a thread with the usual 2 MiB of stack, and timed.

use polhode_base::random::Random;
use polhode_expr::eval::{Digits, Doubles};
use polhode_expr::number::{Rational, int, parse_decimal, ratio};
use polhode_expr::print::{Language, ascii, code, equation, json, latex, text};
use polhode_expr::{Exponent, Expr, Graph, Matrix, Reading, Symbol, Tree, ZeroTest, eliminate, solve_ldl};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// What one call may take, in processor time.
const LIMIT: Duration = Duration::from_secs(1);

/// Printed forms are asked for up to this many nodes.
const NODES: usize = 5_000;

const NAMES: [&str; 5] = ["x", "theta", "theta'", "M", "R[1,2]"];

/// Processor time of this thread, where the system tells; a loaded machine is not our fault.
fn clock() -> Duration {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.as_deref().and_then(|s| s.split_whitespace().next()).and_then(|n| n.parse().ok());
    match nanoseconds {
        Some(n) => Duration::from_nanos(n),
        None => {
            static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            START.get_or_init(Instant::now).elapsed()
        }
    }
}

/// Runs something on a thread with a stack of 2 MiB.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn timed<T>(what: &str, program: &str, work: impl FnOnce() -> T) -> T {
    let start = clock();
    let out = work();
    let spent = clock() - start;
    assert!(spent <= LIMIT, "{what} took {spent:?} after {program}");
    out
}

/// One of the numbers programs use.
fn constant(byte: u8) -> Rational {
    match byte % 16 {
        0 => int(0),
        1 => int(i64::MIN),
        2 => int(i64::MAX),
        3 => parse_decimal("1e300").expect("a number"),
        4 => parse_decimal("1e-300").expect("a number"),
        5 => ratio(-1, i64::MAX),
        6 => ratio(981, 100),
        7 => ratio(1, 600),
        8 => int(2),
        9 => int(-1),
        10 => int(1 << 61) - int(1),
        11 => Rational::from_parts(1.into(), ((1u64 << 61) - 1).into()),
        n => ratio(i64::from(byte) - 100, i64::from(n)),
    }
}

fn exponent(byte: u8) -> Exponent {
    let choices = [
        (2, 1),
        (3, 1),
        (-1, 1),
        (-2, 1),
        (1, 2),
        (-1, 2),
        (3, 2),
        (1, 3),
        (-5, 4),
        (127, 1),
        (5000, 1),
        (-4097, 1),
        (i32::MAX, 1),
        (i32::MIN, 1),
        (i32::MAX, 2),
        (i32::MIN, i32::MAX),
    ];
    // Mostly small ones.
    let (n, d) = choices[usize::from(if byte < 200 { byte % 9 } else { byte % 16 })];
    Exponent::new(n.into(), d.into()).expect("it fits")
}

/// The stack machine. Each operation is two bytes, the second one its operand.
fn execute(g: &mut Graph, program: &[u8]) -> Vec<Expr> {
    let mut stack: Vec<Expr> = vec![g.named(NAMES[0])];
    for pair in program.chunks_exact(2) {
        let (mut op, k) = (pair[0] % 26, pair[1]);
        let top = *stack.last().expect("never empty");
        if matches!(op, 20 | 21) && g.reachable(&stack).len() > 300 {
            op = 0; // e(e(x)) is twice as long, and so on: that is what was asked for
        }
        let below = stack[usize::from(k) % stack.len()];
        let name = NAMES[usize::from(k) % NAMES.len()];
        let out = match op {
            0 | 1 => g.named(name),
            2 => g.number(constant(k)),
            3 => g.pi(),
            4 | 5 => g.add(below, top),
            6 => g.sub(below, top),
            7 | 8 => g.mul(below, top),
            9 => g.div(below, top),
            10 => g.neg(top),
            11 | 12 => g.pow(top, exponent(k)),
            13 => g.sin(top),
            14 => g.cos(top),
            15 => g.tan(top),
            16 => g.exp(top),
            17 => g.log(top),
            18 => g.atan2(below, top),
            19 => {
                let f = g.function(if k < 128 { "f" } else { "V" });
                g.apply(f, vec![below, top])
            }
            20 => {
                let s = g.symbol(name);
                g.derivative(top, s)
            }
            21 => {
                let s = g.symbol(name);
                g.substitute(below, &FxHashMap::from_iter([(s, top)]))
            }
            22 => g.power(top, below),
            23 => g.scale(top, &constant(k)),
            24 => {
                // A whole multiple of an angle, and some turns more.
                let pi = g.pi();
                let angle = g.linear([(top, int(i64::from(k) - 120)), (pi, ratio(i64::from(k), 4))]);
                g.sin(angle)
            }
            _ => g.simplify_small(top),
        };
        stack.push(out);
        if stack.len() > 12 {
            stack.remove(usize::from(k) % 12);
        }
    }
    stack
}

/// Everything that can be asked about an expression.
fn examine(g: &mut Graph, e: Expr, program: &str) {
    let s: Vec<Symbol> = NAMES.map(|n| g.symbol(n)).to_vec();
    let reading = Reading { parameters: vec![s[3]] };
    let mut trees = Vec::new();
    trees.extend(timed("the tree", program, || Tree::of_limited(g, e, NODES)));
    trees.extend(timed("the readable form", program, || g.readable_or_stored(e, &reading, NODES)));
    for tree in &trees {
        timed("text", program, || text(g, tree));
        timed("ascii", program, || ascii(g, tree));
        timed("latex", program, || latex(g, tree));
        timed("json", program, || json(g, tree));
        timed("the layout", program, || equation(g, "x''", tree, 80));
        timed("the expression of a tree", program, || tree.to_expr(g));
    }
    for language in [Language::Python, Language::C, Language::Rust] {
        timed("code", program, || code(g, language, "f", &[(s[0], "an input")], &[("e", e)], "doc"));
    }
    let canonical = timed("the canonical form", program, || g.canonical(e));
    timed("simplification", program, || g.simplify_small(e));
    timed("expansion", program, || g.expand(e, 200));
    timed("the primitive vector", program, || g.primitive_vector(&[e, g.one()]));
    let d = timed("the derivative", program, || g.derivative(e, s[1]));
    timed("equality", program, || g.equal(e, d));
    if let Ok(form) = canonical {
        timed("equality of forms", program, || g.equal(e, form));
    }
    let at: FxHashMap<Symbol, f64> = s.iter().copied().zip([0.7, -1.2, 0.4, 2.5, 0.0]).collect();
    let _ = timed("evaluation", program, || g.evaluate(&Doubles, &[e, d], &at));
    let digits = Digits::decimal(20);
    let at = at.iter().map(|(s, v)| (*s, digits.double(*v))).collect();
    let _ = timed("evaluation in digits", program, || g.evaluate(&digits, &[e], &at));
}

fn run(program: Vec<u8>) {
    let described = format!("{program:?}");
    on_a_small_stack(move || {
        let mut g = Graph::new();
        let stack = timed("building", &described, || execute(&mut g, &program));
        let n = stack.len();
        for e in [stack[n - 1], stack[n / 2]] {
            examine(&mut g, e, &described);
        }
        let a = Matrix::from_fn(2, 2, |i, j| stack[(i + j) % n]);
        let b = Matrix::from_fn(2, 1, |i, _| stack[(i + 3) % n]);
        timed("L D Lᵀ", &described, || solve_ldl(&mut g, &a, &b));
        if program.len() < 40 {
            let mut zero = ZeroTest::new(&g);
            eliminate(&mut g, &mut zero, &a, &b, |g, _, e| g.reachable(&[e]).len());
        }
    });
}

fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
    (0..count).map(|_| (random.bits() >> 24) as u8).collect()
}

/// How many programs of each kind; `POLHODE_FUZZ` multiplies it, for a long look.
fn rounds(n: u64) -> std::ops::Range<u64> {
    let factor = std::env::var("POLHODE_FUZZ").ok().and_then(|f| f.parse().ok()).unwrap_or(1);
    0..n * factor
}

#[test]
fn short_programs() {
    for seed in rounds(250) {
        let mut random = Random::new(seed);
        let length = 2 * (3 + random.bits() as usize % 12);
        run(bytes(&mut random, length));
    }
}

#[test]
fn long_programs() {
    for seed in rounds(40) {
        run(bytes(&mut Random::new(1_000_000 + seed), 400));
    }
}

/// A few operations over and over: whatever can double does so a hundred times.
#[test]
fn repeated_programs() {
    for seed in rounds(60) {
        let mut random = Random::new(2_000_000 + seed);
        let length = 2 * (1 + random.bits() as usize % 4);
        let once = bytes(&mut random, length);
        run(once.repeat(100));
    }
}

/// Ten thousand operations one inside the other; one thousand where each is a longer product.
#[test]
fn deep_nesting() {
    type Step = fn(&mut Graph, Expr, Expr) -> Expr;
    let steps: [(&str, usize, Step); 9] = [
        ("sine", 10_000, |g, e, _| g.sin(e)),
        ("root", 10_000, |g, e, x| {
            let s = g.add(e, x);
            g.sqrt(s)
        }),
        ("continued fraction", 10_000, |g, e, x| {
            let s = g.add(e, x);
            g.powi(s, -1)
        }),
        ("Horner", 10_000, |g, e, x| {
            let one = g.one();
            let s = g.add(e, one);
            g.mul(s, x)
        }),
        ("tower", 10_000, |g, e, x| g.power(x, e)),
        ("open function", 10_000, |g, e, x| {
            let f = g.function("f");
            g.apply(f, vec![x, e])
        }),
        ("shared square", 10_000, |g, e, x| {
            let s = g.add(e, x);
            let c = g.cos(e);
            g.mul(s, c)
        }),
        ("angle", 10_000, |g, e, x| {
            let s = g.atan2(e, x);
            g.tan(s)
        }),
        ("logistic map", 1_000, |g, e, x| {
            let one = g.one();
            let rest = g.sub(one, e);
            g.product([x, e, rest])
        }),
    ];
    for (name, depth, step) in steps {
        on_a_small_stack(move || {
            let mut g = Graph::new();
            let x = g.named(NAMES[0]);
            let mut e = g.named(NAMES[1]);
            timed("building", name, || {
                for _ in 0..depth {
                    e = step(&mut g, e, x);
                }
            });
            examine(&mut g, e, name);
        });
    }
}

#[test]
fn given_program() {
    let Ok(text) = std::env::var("POLHODE_PROGRAM") else { return };
    run(text.split(',').map(|b| b.trim().parse().unwrap()).collect());
}
