//! Source code of a function, with the sharing of the graph kept.
//!
//! A node that is used more than once becomes a variable, as does every sine,
//! cosine, root and other function that costs something; sine and cosine of one
//! angle stand together, so that compilers can fuse them. Everything else is
//! written where it is used, as long as it stays short.
//!
//! Numbers are doubles. A rational that no double holds is written as a quotient of
//! two that are exact, `1.0/3.0`; roots of negative numbers and divisions by zero do
//! what the language does with them.
//!
//! Not here: speed beyond what a compiler makes of this. The tape is for that.

use crate::graph::{Exponent, Expr, Function, Graph, NamedFunction, Node, Symbol};
use crate::number::{Rational, int, is_negative, to_f64};
use crate::print::names::{Scope, name_of};
use dashu_int::ops::PowerOfTwo;
use dashu_int::{IBig, UBig};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A language in which [`code`] can write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Python 3 with its module `math`.
    Python,
    /// C99.
    C,
    /// Rust, without dependencies.
    Rust,
}

impl Language {
    /// Words that cannot name a variable, or that the code itself needs.
    pub(super) fn reserved(self) -> &'static [&'static str] {
        match self {
            Language::Python => &PYTHON_WORDS,
            Language::C => &C_WORDS,
            Language::Rust => &RUST_WORDS,
        }
    }
}

#[rustfmt::skip]
const PYTHON_WORDS: [&str; 47] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    "atan2", "cos", "exp", "inf", "log", "math", "pi", "pow", "sin", "sqrt",
];

/// The words of C and C++, and macros that `<math.h>` or the compiler may define.
#[rustfmt::skip]
const C_WORDS: [&str; 119] = [
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr",
    "continue", "decltype", "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern",
    "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "nullptr", "operator", "or", "private", "protected", "public", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typeid",
    "typename", "typeof", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
    "atan2", "cos", "exp", "log", "out", "pow", "sin", "sqrt",
    "linux", "unix", "main", "errno", "signgam", "math_errhandling", "thread_local", "static_assert",
    "INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL", "FP_NAN", "FP_INFINITE", "FP_ZERO", "FP_SUBNORMAL",
    "FP_NORMAL", "FP_FAST_FMA", "FP_ILOGB0", "FP_ILOGBNAN", "MATH_ERRNO", "MATH_ERREXCEPT", "DOMAIN", "SING",
    "OVERFLOW", "UNDERFLOW", "TLOSS", "PLOSS", "MAXFLOAT", "M_E", "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_PI",
    "M_PI_2", "M_PI_4", "M_1_PI", "M_2_PI",
];

#[rustfmt::skip]
const RUST_WORDS: [&str; 58] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match",
    "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    "None", "Some", "Ok", "Err", "main", "std",
];

/// A function of `inputs` that computes `outputs`, as source text.
///
/// Inputs are symbols with a comment, outputs expressions with a name. Symbols that
/// occur in the outputs but not among the inputs are added behind them, and so are
/// functions known by name only, as functions to be passed in.
pub fn code(
    graph: &Graph,
    language: Language,
    function: &str,
    inputs: &[(Symbol, &str)],
    outputs: &[(&str, Expr)],
    doc: &str,
) -> String {
    let mut scope = Scope::new(language);
    let function = scope.claim(function);
    let roots: Vec<Expr> = outputs.iter().map(|(_, e)| *e).collect();
    let order = graph.reachable(&roots);
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut symbols: FxHashMap<Symbol, String> = FxHashMap::default();
    let added = graph.free_symbols(&roots);
    for (s, comment) in inputs.iter().copied().chain(added.into_iter().map(|s| (s, ""))) {
        if symbols.contains_key(&s) {
            continue;
        }
        let name = scope.claim(name_of(graph, s));
        symbols.insert(s, name.clone());
        parameters.push(Parameter { name, arity: None, comment: one_line(comment) });
    }
    let mut functions: BTreeMap<(NamedFunction, usize, Vec<u8>), String> = BTreeMap::new();
    for e in &order {
        if let Node::Apply { function, args, orders } = graph.node(*e) {
            let key = (*function, args.len(), orders.to_vec());
            if functions.contains_key(&key) {
                continue;
            }
            let base = graph.functions.get(function.0 as usize).map_or("f", |n| n.as_str());
            let derived = orders.iter().any(|k| *k > 0);
            let suffix: String = orders.iter().filter(|_| derived).map(|k| format!("_{k}")).collect();
            let name = scope.claim(&if derived { format!("{base}_d{suffix}") } else { base.to_string() });
            let comment = match derived {
                true => format!("{base}, differentiated {orders:?} times in its arguments"),
                false => String::new(),
            };
            functions.insert(key, name.clone());
            parameters.push(Parameter { name, arity: Some(args.len()), comment });
        }
    }
    let results: Vec<(String, &str)> = outputs.iter().map(|(name, _)| (scope.claim(name), *name)).collect();
    let mut writer = Writer {
        graph,
        language,
        scope,
        symbols,
        functions,
        uses: FxHashMap::default(),
        power_uses: FxHashMap::default(),
        waves: FxHashMap::default(),
        variables: FxHashMap::default(),
        powers: FxHashMap::default(),
        inline: FxHashMap::default(),
        imports: BTreeSet::new(),
        body: Vec::new(),
    };
    writer.count(&order, &roots);
    for e in order {
        writer.visit(e);
    }
    for (i, e) in roots.iter().enumerate() {
        let value = writer.operand(*e).code;
        let line = match language {
            Language::Python => statement(language, &format!("{} = ", results[i].0), &value, ""),
            Language::C => statement(language, &format!("out[{i}] = "), &value, ";"),
            Language::Rust => statement(language, &format!("let {} = ", results[i].0), &value, ";"),
        };
        writer.body.push(line);
    }
    let page = Page { function, parameters, results, doc: doc.lines().map(one_line).collect() };
    match language {
        Language::Python => page.python(&writer),
        Language::C => page.c(&writer),
        Language::Rust => page.rust(&writer),
    }
}

/// An argument of the written function: a number, or a function of `arity` numbers.
struct Parameter {
    name: String,
    arity: Option<usize>,
    comment: String,
}

/// How tightly a piece of code holds together.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Sum,
    Product,
    Atom,
}

/// The code of an expression that is still to be put somewhere.
#[derive(Clone)]
struct Piece {
    code: String,
    binding: Binding,
    nesting: usize,
}

impl Piece {
    fn atom(code: impl Into<String>) -> Piece {
        Piece { code: code.into(), binding: Binding::Atom, nesting: 0 }
    }

    /// The code, in parentheses unless it binds at least this tightly.
    fn at(&self, place: Binding) -> String {
        if self.binding >= place { self.code.clone() } else { format!("({})", self.code) }
    }

    /// Can it be written twice, or take a method call?
    fn is_name(&self) -> bool {
        self.code.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && self.code.starts_with(|c: char| !c.is_ascii_digit())
    }
}

/// Longer expressions are given a name, for people and for compilers' stacks.
const LONGEST_INLINE: usize = 200;
/// Deeper parentheses are given a name too.
const DEEPEST_INLINE: usize = 12;
/// Operands that are written into one statement.
const MOST_OPERANDS: usize = 40;

struct Writer<'a> {
    graph: &'a Graph,
    language: Language,
    scope: Scope,
    symbols: FxHashMap<Symbol, String>,
    functions: BTreeMap<(NamedFunction, usize, Vec<u8>), String>,
    uses: FxHashMap<Expr, usize>,
    power_uses: FxHashMap<(Expr, u32, i32), usize>, // base, |numerator|, denominator
    waves: FxHashMap<Expr, [Option<Expr>; 2]>,      // sine and cosine of an argument
    variables: FxHashMap<Expr, String>,
    powers: FxHashMap<(Expr, u32, i32), String>,
    inline: FxHashMap<Expr, Piece>,
    imports: BTreeSet<&'static str>,
    body: Vec<String>,
}

impl Writer<'_> {
    /// Counts how often each node and each power will be written.
    fn count(&mut self, order: &[Expr], roots: &[Expr]) {
        for e in roots {
            *self.uses.entry(*e).or_default() += 1;
        }
        for e in order {
            match self.graph.node(*e) {
                Node::Product { factors, .. } => {
                    for (b, k) in factors.iter() {
                        *self.uses.entry(*b).or_default() +=
                            if k.d == 1 { k.n.unsigned_abs().min(2) as usize } else { 1 };
                        *self.power_uses.entry((*b, k.n.unsigned_abs(), k.d)).or_default() += 1;
                    }
                }
                node => {
                    if let Node::Call(f @ (Function::Sin | Function::Cos), a) = node {
                        self.waves.entry(*a).or_default()[(*f == Function::Cos) as usize] = Some(*e);
                    }
                    self.graph.for_each_operand(*e, |o| *self.uses.entry(o).or_default() += 1);
                }
            }
        }
    }

    /// Writes a node whose operands have been visited.
    fn visit(&mut self, e: Expr) {
        if self.variables.contains_key(&e) || matches!(self.graph.node(e), Node::Number(_) | Node::Pi | Node::Symbol(_))
        {
            return;
        }
        match self.graph.node(e) {
            Node::Call(Function::Sin | Function::Cos, a) => {
                for wave in self.waves.get(a).copied().unwrap_or_default().into_iter().flatten() {
                    self.store_call(wave);
                }
                return;
            }
            Node::Call(..) => return self.store_call(e),
            _ => {}
        }
        let piece = match self.graph.node(e) {
            Node::Sum { constant, terms } => self.sum(constant, terms),
            Node::Product { coefficient, factors } => self.product(coefficient, factors),
            Node::Atan2(y, x) => {
                let (y, x) = (self.operand(*y), self.operand(*x));
                self.imports.insert("atan2");
                Piece::atom(match self.language {
                    Language::Rust if y.is_name() => format!("{}.atan2({})", y.code, x.code),
                    Language::Rust => format!("f64::atan2({}, {})", y.code, x.code),
                    _ => format!("atan2({}, {})", y.code, x.code),
                })
            }
            Node::Apply { function, args, orders } => {
                let name = self.functions[&(*function, args.len(), orders.to_vec())].clone();
                let args: Vec<String> = args.iter().map(|a| self.operand(*a).code).collect();
                Piece::atom(format!("{name}({})", args.join(", ")))
            }
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Call(..) => return,
        };
        let costly = matches!(self.graph.node(e), Node::Atan2(..) | Node::Apply { .. });
        let shared = self.uses.get(&e).is_some_and(|n| *n > 1);
        if costly || shared || piece.nesting > DEEPEST_INLINE || piece.code.len() > LONGEST_INLINE {
            let name = self.scope.temporary();
            self.define(&name, &piece.code);
            self.variables.insert(e, name);
        } else {
            self.inline.insert(e, piece);
        }
    }

    /// Gives sin, cos, exp or log of something a variable, `sin_theta` where it can.
    fn store_call(&mut self, e: Expr) {
        let Node::Call(f, a) = *self.graph.node(e) else { return };
        if self.variables.contains_key(&e) {
            return;
        }
        let function = match f {
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Exp => "exp",
            Function::Log => "log",
        };
        let name = match self.graph.as_symbol(a).and_then(|s| self.symbols.get(&s)) {
            Some(argument) => self.scope.claim(&format!("{function}_{argument}")),
            None => self.scope.temporary(),
        };
        let argument = self.operand(a);
        let value = self.call(function, &argument);
        self.define(&name, &value);
        self.variables.insert(e, name);
    }

    fn call(&mut self, function: &'static str, a: &Piece) -> String {
        self.imports.insert(function);
        match (self.language, function) {
            (Language::Rust, "log") if a.is_name() => format!("{}.ln()", a.code),
            (Language::Rust, "log") => format!("f64::ln({})", a.code),
            (Language::Rust, _) if a.is_name() => format!("{}.{function}()", a.code),
            (Language::Rust, _) => format!("f64::{function}({})", a.code),
            _ => format!("{function}({})", a.code),
        }
    }

    fn define(&mut self, name: &str, value: &str) {
        let (lead, end) = match self.language {
            Language::Python => (format!("{name} = "), ""),
            Language::C => (format!("const double {name} = "), ";"),
            Language::Rust => (format!("let {name} = "), ";"),
        };
        self.body.push(statement(self.language, &lead, value, end));
    }

    /// The code that stands for a node that has been visited.
    fn operand(&mut self, e: Expr) -> Piece {
        if let Some(name) = self.variables.get(&e) {
            return Piece::atom(name.clone());
        }
        match self.graph.node(e) {
            Node::Number(r) => self.number(r),
            Node::Symbol(s) => Piece::atom(self.symbols.get(s).cloned().unwrap_or_default()),
            Node::Pi => match self.language {
                Language::Python => {
                    self.imports.insert("pi");
                    Piece::atom("pi")
                }
                Language::C => Piece::atom("3.141592653589793"),
                Language::Rust => Piece::atom("std::f64::consts::PI"),
            },
            _ => self.inline.remove(&e).expect("operands are visited before what uses them, and counted"),
        }
    }

    /// A rational as doubles: exact where that is possible.
    fn number(&mut self, r: &Rational) -> Piece {
        let negative = is_negative(r);
        let size = if negative { -r.clone() } else { r.clone() };
        let piece = match (exact(&size), parts(&size)) {
            (Some(literal), _) => Piece::atom(literal),
            (None, Some((n, d))) => Piece { code: format!("{n}/{d}"), binding: Binding::Product, nesting: 0 },
            (None, None) => Piece::atom(self.nearest(&size)),
        };
        if negative { Piece { code: format!("-{}", piece.code), binding: Binding::Sum, ..piece } } else { piece }
    }

    /// The nearest double of a number whose parts are too long to be exact.
    fn nearest(&mut self, r: &Rational) -> String {
        let value = to_f64(r);
        if value.is_finite() {
            return format!("{value:e}");
        }
        match self.language {
            Language::Python => {
                self.imports.insert("inf");
                "inf".to_string()
            }
            Language::C => "INFINITY".to_string(),
            Language::Rust => "f64::INFINITY".to_string(),
        }
    }

    fn sum(&mut self, constant: &Rational, terms: &[(Expr, Rational)]) -> Piece {
        let mut summands: Vec<(bool, String)> = Vec::new();
        let mut nesting = 0;
        for (t, r) in terms {
            let piece = self.scaled(*t, r);
            nesting = nesting.max(piece.nesting);
            match piece.code.strip_prefix('-') {
                Some(rest) => summands.push((true, rest.to_string())),
                None => summands.push((false, piece.code)),
            }
        }
        if !constant.is_zero() {
            let size = if is_negative(constant) { -constant.clone() } else { constant.clone() };
            summands.push((is_negative(constant), self.number(&size).code));
        }
        if let Some(at) = summands.iter().position(|(negative, _)| !negative) {
            summands[..=at].rotate_right(1);
        }
        let mut code = String::new();
        for (i, (negative, summand)) in summands.iter().enumerate() {
            if i > 0 && i % MOST_OPERANDS == 0 {
                let name = self.scope.temporary();
                self.define(&name, &code);
                code = name;
            }
            code += match (code.is_empty(), negative) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            code += summand;
        }
        Piece { code, binding: Binding::Sum, nesting: nesting + 1 }
    }

    /// `r · t`, with the minus sign in front when `r < 0`.
    fn scaled(&mut self, t: Expr, r: &Rational) -> Piece {
        let piece = self.operand(t);
        let nesting = piece.nesting;
        let size = if is_negative(r) { -r.clone() } else { r.clone() };
        let factor = piece.at(Binding::Product);
        // 1/x scaled by 4 is 4/x.
        let times = |n: &str| match factor.strip_prefix("1.0/") {
            Some(divisor) => format!("{n}/{divisor}"),
            None => format!("{n}*{factor}"),
        };
        let code = match (size.is_one(), exact(&size), parts(&size)) {
            (true, ..) => factor,
            (_, Some(literal), _) => times(&literal),
            (_, None, Some((n, d))) if n == "1.0" => format!("{factor}/{d}"),
            (_, None, Some((n, d))) => format!("{}/{d}", times(&n)),
            (_, None, None) => times(&self.nearest(&size)),
        };
        // Unary minus binds to the first factor only, which has the same value.
        let code = if is_negative(r) { format!("-{code}") } else { code };
        Piece { code, binding: Binding::Product, nesting: nesting + 1 }
    }

    fn product(&mut self, coefficient: &Rational, factors: &[(Expr, Exponent)]) -> Piece {
        let negative = is_negative(coefficient);
        let size = if negative { -coefficient.clone() } else { coefficient.clone() };
        let (mut over, mut under) = (Vec::new(), Vec::new());
        match (size.is_one(), exact(&size), parts(&size)) {
            (true, ..) => {}
            (_, Some(literal), _) => over.push(literal),
            (_, None, Some((n, d))) => {
                over.extend((n != "1.0").then_some(n));
                under.push(d);
            }
            (_, None, None) => over.push(self.nearest(&size)),
        }
        let mut nesting = 0;
        for (b, k) in factors {
            let deep = self.power(*b, *k, if k.n > 0 { &mut over } else { &mut under });
            nesting = nesting.max(deep);
        }
        let mut code = if over.is_empty() { "1.0".to_string() } else { self.chain(&over) };
        match under.len() {
            0 => {}
            1 => code = format!("{code}/{}", under[0]),
            _ => code = format!("{code}/({})", self.chain(&under)),
        }
        let binding = if negative {
            code.insert(0, '-');
            Binding::Sum
        } else {
            Binding::Product
        };
        Piece { code, binding, nesting: nesting + 1 }
    }

    /// Factors joined by `*`, in several statements when there are many.
    fn chain(&mut self, factors: &[String]) -> String {
        let mut code = String::new();
        for (i, factor) in factors.iter().enumerate() {
            if i > 0 && i % MOST_OPERANDS == 0 {
                let name = self.scope.temporary();
                self.define(&name, &code);
                code = name;
            }
            if !code.is_empty() {
                code.push('*');
            }
            code += factor;
        }
        code
    }

    /// Adds the factors of `b^|k|` to a list; returns how deep their code is nested.
    fn power(&mut self, b: Expr, k: Exponent, list: &mut Vec<String>) -> usize {
        let n = k.n.unsigned_abs();
        let key = (b, n, k.d);
        if let Some(name) = self.powers.get(&key) {
            list.push(name.clone());
            return 0;
        }
        let base = self.operand(b);
        if k.d == 1 && n <= 3 {
            list.extend(std::iter::repeat_n(base.at(Binding::Atom), n as usize));
            return base.nesting;
        }
        let value = if (n, k.d) == (1, 2) {
            self.call("sqrt", &base)
        } else {
            let exponent = match self.number(&(int(n as i64) / int(k.d as i64))) {
                Piece { code, .. } if k.d == 1 && self.language != Language::C => {
                    code.trim_end_matches(".0").to_string()
                }
                piece => piece.code,
            };
            match self.language {
                Language::Python if k.d == 1 => format!("{}**{exponent}", base.at(Binding::Atom)),
                Language::Python | Language::C => {
                    self.imports.insert("pow");
                    format!("pow({}, {exponent})", base.code)
                }
                Language::Rust if k.d == 1 && i32::try_from(n).is_ok() => {
                    format!("f64::powi({}, {exponent})", base.code)
                }
                Language::Rust if k.d == 1 => format!("f64::powf({}, {exponent}.0)", base.code),
                Language::Rust => format!("f64::powf({}, {exponent})", base.code),
            }
        };
        if k.d > 1 || self.power_uses.get(&key).is_some_and(|n| *n > 1) {
            let name = self.scope.temporary();
            self.define(&name, &value);
            list.push(name.clone());
            self.powers.insert(key, name);
            return 0;
        }
        list.push(value);
        base.nesting
    }
}

/// A non-negative rational as a literal, when a double holds it exactly.
fn exact(r: &Rational) -> Option<String> {
    let limit = UBig::from(1u64 << 53);
    let dyadic = r.denominator() <= &UBig::from(1u32 << 20) && r.denominator().is_power_of_two();
    (dyadic && r.numerator() <= &IBig::from(limit)).then(|| format!("{:?}", to_f64(r)))
}

/// Numerator and denominator as literals, when doubles hold both exactly.
fn parts(r: &Rational) -> Option<(String, String)> {
    let n = exact(&Rational::from(r.numerator().clone()))?;
    let d = exact(&Rational::from(r.denominator().clone()))?;
    Some((n, d))
}

/// One line of a comment: no line breaks, nothing that would join it to the next.
fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.trim_end_matches(['\\', ' ', '/']).to_string()
}

/// `lead value end`, broken before + and − where it is long.
fn statement(language: Language, lead: &str, value: &str, end: &str) -> String {
    const WIDTH: usize = 100;
    let whole = format!("    {lead}{value}{end}");
    if whole.len() <= WIDTH {
        return whole;
    }
    let (open, close) = if language == Language::Python { ("(", ")") } else { ("", "") };
    let mut out = format!("    {lead}{open}");
    let mut column = out.len();
    let mut rest = value;
    let mut first = true;
    while !rest.is_empty() {
        let next = rest.char_indices().skip(1).find(|(i, c)| *c == ' ' && rest[i + 1..].starts_with(['+', '-']));
        let (word, tail) = rest.split_at(next.map_or(rest.len(), |(i, _)| i));
        if !first && column + word.len() > WIDTH {
            out += "\n       ";
            column = 7;
        }
        out += word;
        column += word.len();
        first = false;
        rest = tail;
    }
    out + close + end
}

/// What stands around the statements.
struct Page<'a> {
    function: String,
    parameters: Vec<Parameter>,
    results: Vec<(String, &'a str)>,
    doc: Vec<String>,
}

impl Page<'_> {
    /// The description: what it is, what goes in, what comes out.
    fn description(&self) -> Vec<String> {
        let mut lines = self.doc.clone();
        let commented: Vec<&Parameter> = self.parameters.iter().filter(|p| !p.comment.is_empty()).collect();
        if !commented.is_empty() {
            lines.extend((!lines.is_empty()).then(String::new));
            lines.extend(commented.iter().map(|p| format!("{}: {}", p.name, p.comment)));
        }
        lines
    }

    /// `open(a, b, c)`, on several lines when they are many.
    fn signature(&self, open: &str, parameters: Vec<String>, close: &str) -> String {
        let whole = format!("{open}{}{close}", parameters.join(", "));
        if whole.len() <= 100 {
            return whole;
        }
        let mut lines = vec![String::from("   ")];
        for p in parameters {
            if lines.last().is_some_and(|l| l.len() > 3 && l.len() + p.len() > 98) {
                lines.push(String::from("   "));
            }
            if let Some(line) = lines.last_mut() {
                *line += &format!(" {p},");
            }
        }
        format!("{open}\n{}\n{close}", lines.join("\n"))
    }

    fn python(&self, writer: &Writer<'_>) -> String {
        let mut out = String::new();
        if !writer.imports.is_empty() {
            let names: Vec<&str> = writer.imports.iter().copied().collect();
            out += &format!("from math import {}\n\n\n", names.join(", "));
        }
        let names = self.parameters.iter().map(|p| p.name.clone()).collect();
        out += &self.signature(&format!("def {}(", self.function), names, "):");
        let mut lines = self.description();
        lines.extend((!lines.is_empty()).then(String::new));
        let results: Vec<&str> = self.results.iter().map(|(name, _)| name.as_str()).collect();
        lines.push(format!("Returns the tuple ({}).", results.join(", ")));
        lines.push(String::new());
        lines.push("Arguments are plain floats. For arrays, import the same functions from numpy".to_string());
        lines.push("(where pow is power and atan2 is arctan2).".to_string());
        let text = lines.iter().map(|l| format!("    {l}").trim_end().to_string()).collect::<Vec<_>>().join("\n");
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        out += &format!("\n    \"\"\"\n{text}\n    \"\"\"\n");
        out += &writer.body.iter().map(|l| format!("{l}\n")).collect::<String>();
        let tuple = if results.len() == 1 { format!("({},)", results[0]) } else { format!("({})", results.join(", ")) };
        out + &format!("    return {tuple}\n")
    }

    fn c(&self, writer: &Writer<'_>) -> String {
        let mut out = String::from("#include <math.h>\n\n");
        let mut lines = self.description();
        lines.extend((!lines.is_empty()).then(String::new));
        lines.extend(self.results.iter().enumerate().map(|(i, (_, name))| format!("out[{i}]: {}", one_line(name))));
        out += &lines.iter().map(|l| format!("// {l}").trim_end().to_string() + "\n").collect::<String>();
        let mut parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|p| match p.arity {
                None => format!("double {}", p.name),
                Some(0) => format!("double (*{})(void)", p.name),
                Some(n) => format!("double (*{})({})", p.name, vec!["double"; n].join(", ")),
            })
            .collect();
        parameters.push("double out[]".to_string());
        let signature = self.signature(&format!("void {}(", self.function), parameters, ")");
        out += &signature.replace(",\n)", "\n)");
        out += "\n{\n";
        out += &writer.body.iter().map(|l| format!("{l}\n")).collect::<String>();
        if self.results.is_empty() {
            out += "    (void)out;\n";
        }
        out + "}\n"
    }

    fn rust(&self, writer: &Writer<'_>) -> String {
        let mut out: String =
            self.description().iter().map(|l| format!("/// {l}").trim_end().to_string() + "\n").collect();
        out += "#[allow(non_snake_case, unused_variables)] // the names are those of the model\n";
        out += "#[allow(clippy::all)] // written by a program\n";
        let parameters = self
            .parameters
            .iter()
            .map(|p| match p.arity {
                None => format!("{}: f64", p.name),
                Some(n) => format!("{}: impl Fn({}) -> f64", p.name, vec!["f64"; n].join(", ")),
            })
            .collect();
        let close = format!(") -> [f64; {}]", self.results.len());
        out += &self.signature(&format!("pub fn {}(", self.function), parameters, &close);
        out += " {\n";
        out += &writer.body.iter().map(|l| format!("{l}\n")).collect::<String>();
        let results: Vec<&str> = self.results.iter().map(|(name, _)| name.as_str()).collect();
        out + &format!("    [{}]\n}}\n", results.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::ratio;

    #[test]
    fn sharing_becomes_variables() {
        let mut g = Graph::new();
        let [m, r, theta] = ["M", "r", "theta"].map(|n| g.named(n));
        let rate = g.named("theta'");
        let (s, c) = (g.sin(theta), g.cos(theta));
        let r2 = g.powi(r, 2);
        let mr2 = g.scale(r2, &ratio(1, 3));
        let d = g.add(m, mr2);
        let over = g.product([s, rate]);
        let a = g.div(over, d);
        let a = g.neg(a);
        let b = g.div(c, d);
        let inputs: Vec<(Symbol, &str)> =
            [(theta, "angle"), (rate, ""), (m, "mass"), (r, "")].map(|(e, t)| (g.as_symbol(e).unwrap(), t)).to_vec();
        let outputs = [("theta''", a), ("b", b)];
        let shown = code(&g, Language::Rust, "disk", &inputs, &outputs, "The disk.");
        assert_eq!(
            shown,
            "/// The disk.
///
/// theta: angle
/// M: mass
#[allow(non_snake_case, unused_variables)] // the names are those of the model
#[allow(clippy::all)] // written by a program
pub fn disk(theta: f64, theta_dot: f64, M: f64, r: f64) -> [f64; 2] {
    let sin_theta = theta.sin();
    let cos_theta = theta.cos();
    let t1 = 3.0*M + r*r;
    let theta_ddot = -3.0*theta_dot*sin_theta/t1;
    let b = 3.0*cos_theta/t1;
    [theta_ddot, b]
}
"
        );
        let shown = code(&g, Language::Python, "disk", &inputs, &outputs, "");
        assert!(shown.starts_with("from math import cos, sin\n\n\ndef disk(theta, theta_dot, M, r):\n"), "{shown}");
        assert!(shown.ends_with("    return (theta_ddot, b)\n"), "{shown}");
        let shown = code(&g, Language::C, "disk", &inputs, &outputs, "The disk.");
        assert!(
            shown.contains("void disk(double theta, double theta_dot, double M, double r, double out[])\n{\n"),
            "{shown}"
        );
        assert!(shown.contains("    out[1] = 3.0*cos_theta/t1;\n"), "{shown}");
    }

    #[test]
    fn deep_and_wide_graphs() {
        let mut g = Graph::new();
        let x = g.named("x");
        let one = g.one();
        let mut e = x;
        for i in 0..20_000 {
            let s = g.add(e, one);
            e = if i % 7 == 0 { g.sin(s) } else { g.mul(s, x) };
        }
        let wide: Vec<Expr> = (0..1000).map(|i| g.named(&format!("q{i}"))).collect();
        let sum = g.sum(wide);
        for language in [Language::Python, Language::C, Language::Rust] {
            let shown = code(&g, language, "f", &[], &[("deep", e), ("wide", sum)], "");
            assert!(shown.lines().all(|l| l.len() < 20_000));
        }
    }

    #[test]
    fn empty_and_odd_requests() {
        let mut g = Graph::new();
        let x = g.named("lambda");
        let zero = g.zero();
        let q = g.div(x, zero);
        for language in [Language::Python, Language::C, Language::Rust] {
            code(&g, language, "", &[], &[], "");
            code(&g, language, "for", &[], &[("x", x), ("x", x), ("", q)], "\"\"\" \\ */ \n\u{0}\\");
        }
    }
}
