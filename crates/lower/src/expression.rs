//! Expressions to values of a tape.
//!
//! Nodes of the graph become operations one by one. Sums gather terms with coefficients of the
//! same size, products put all negative powers under one division:
//!
//! ```text
//! c₀ + Σ cᵢ tᵢ  →  signed sums per |c|, then one multiplication each
//! c Π fᵢ^eᵢ     →  (c Π fᵢ^{eᵢ>0}) / Π fᵢ^{−eᵢ},   x^{n/2} = x^⌊n/2⌋ √x,   x^{n/d} = exp(n/d · log x)
//! ```

use crate::digits::dd;
use polhode_expr::eval::{Arithmetic, Digits};
use polhode_expr::number::{Rational, int, is_negative};
use polhode_expr::{Exponent, Expr, Function, Graph, Node, Symbol};
use polhode_tape::{Builder, Dd, Op, Tape, Value, passes};
use rustc_hash::FxHashMap;
use std::fmt;

/// Why an expression is no numeric program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotLowered {
    /// A symbol that has no value: its name.
    Unbound(String),
    /// A function that is known by name only.
    OpenFunction(String),
}

impl fmt::Display for NotLowered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotLowered::Unbound(name) => write!(f, "`{name}` has no value along a motion"),
            NotLowered::OpenFunction(name) => {
                write!(f, "the function `{name}` is known by name only, so it cannot be evaluated")
            }
        }
    }
}

impl std::error::Error for NotLowered {}

/// Functions of a few symbols as a tape with these inputs, in this order; no other symbol may occur.
pub fn lower_functions(graph: &Graph, inputs: &[Symbol], outputs: &[Expr]) -> Result<Tape, NotLowered> {
    let mut lowering = Lowering::new(graph);
    for s in inputs {
        lowering.input(*s);
    }
    for (k, e) in outputs.iter().enumerate() {
        let value = lowering.value(*e)?;
        lowering.builder.output(format!("function.{}", k + 1), value);
    }
    Ok(passes::optimise(&passes::finish(lowering.builder)))
}

/// A tape in the making, with the values its symbols and expressions have.
pub(crate) struct Lowering<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) builder: Builder,
    symbols: FxHashMap<Symbol, Value>,
    known: FxHashMap<Expr, Value>,
}

/// A rational with all the digits a tape can hold.
fn rational(r: &Rational) -> Dd {
    dd(&Digits::decimal(40).number(r))
}

impl<'g> Lowering<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Lowering<'g> {
        Lowering { graph, builder: Builder::new(), symbols: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// Declares the next input; it is what the symbol stands for.
    pub(crate) fn input(&mut self, symbol: Symbol) -> Value {
        let value = self.builder.input(self.graph.name(symbol));
        self.bind(symbol, value);
        value
    }

    /// Forgets what symbols stand for; the tape so far is kept.
    pub(crate) fn forget(&mut self) {
        self.symbols.clear();
        self.known.clear();
    }

    /// Says what a symbol stands for. It must not have been used before.
    pub(crate) fn bind(&mut self, symbol: Symbol, value: Value) {
        self.symbols.insert(symbol, value);
    }

    /// What a symbol stands for.
    pub(crate) fn symbol(&self, symbol: Symbol) -> Result<Value, NotLowered> {
        let unbound = || NotLowered::Unbound(self.graph.name(symbol).to_string());
        self.symbols.get(&symbol).copied().ok_or_else(unbound)
    }

    pub(crate) fn values(&mut self, roots: &[Expr]) -> Result<Vec<Value>, NotLowered> {
        roots.iter().map(|e| self.value(*e)).collect()
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, root: Expr) -> Result<Value, NotLowered> {
        let graph = self.graph;
        for e in graph.reachable(&[root]) {
            if self.known.contains_key(&e) {
                continue;
            }
            let value = match graph.node(e) {
                Node::Number(r) => self.builder.constant(rational(r)),
                Node::Pi => self.builder.constant(Dd::PI),
                Node::Symbol(s) => self.symbol(*s)?,
                Node::Sum { constant, terms } => self.sum(constant, terms),
                Node::Product { coefficient, factors } => self.product(coefficient, factors),
                Node::Call(f, a) => {
                    let a = self.known[a];
                    self.builder.emit(match f {
                        Function::Sin => Op::Sin(a),
                        Function::Cos => Op::Cos(a),
                        Function::Exp => Op::Exp(a),
                        Function::Log => Op::Log(a),
                    })
                }
                Node::Atan2(y, x) => self.builder.emit(Op::Atan2(self.known[y], self.known[x])),
                Node::Apply { function, .. } => {
                    return Err(NotLowered::OpenFunction(graph.function_name(*function).to_string()));
                }
            };
            self.known.insert(e, value);
        }
        Ok(self.known[&root])
    }

    fn sum(&mut self, constant: &Rational, terms: &[(Expr, Rational)]) -> Value {
        // One signed sum for each size of the coefficients, in the order of first appearance.
        let mut groups: Vec<(Rational, Vec<(Value, bool)>)> = Vec::new();
        for (e, c) in terms {
            let (minus, size) = if is_negative(c) { (true, -c.clone()) } else { (false, c.clone()) };
            let item = (self.known[e], minus);
            match groups.iter_mut().find(|(r, _)| *r == size) {
                Some((_, items)) => items.push(item),
                None => groups.push((size, vec![item])),
            }
        }
        let mut total = self.builder.constant(rational(constant));
        for (size, mut items) in groups {
            items.sort_by_key(|(_, minus)| *minus);
            let flip = items[0].1; // only negative terms
            let mut part: Option<Value> = None;
            for (v, minus) in items {
                part = Some(match part {
                    None => v,
                    Some(p) if minus != flip => self.builder.sub(p, v),
                    Some(p) => self.builder.add(p, v),
                });
            }
            let part = self.builder.scale(part.expect("groups are not empty"), rational(&size));
            total = if flip { self.builder.sub(total, part) } else { self.builder.add(total, part) };
        }
        total
    }

    fn product(&mut self, coefficient: &Rational, factors: &[(Expr, Exponent)]) -> Value {
        let (mut above, mut below): (Option<Value>, Option<Value>) = (None, None);
        for (e, k) in factors {
            let power = self.power(self.known[e], Exponent { n: k.n.abs(), d: k.d });
            let side = if k.n > 0 { &mut above } else { &mut below };
            *side = Some(match *side {
                None => power,
                Some(p) => self.builder.mul(p, power),
            });
        }
        let top = above.unwrap_or_else(|| self.builder.constant(Dd::ONE));
        let plain = *coefficient == int(1) || *coefficient == int(-1);
        // The coefficient goes where it is folded into a number, else on top.
        let quotient = match below {
            None => top,
            Some(b) if plain || above.is_some() => self.builder.div(top, b),
            Some(b) => {
                let c = self.builder.constant(rational(coefficient));
                return self.builder.div(c, b);
            }
        };
        self.builder.scale(quotient, rational(coefficient))
    }

    /// x^k for k > 0.
    fn power(&mut self, x: Value, k: Exponent) -> Value {
        match k.d {
            1 => self.builder.powi(x, k.n),
            2 => {
                let root = self.builder.emit(Op::Sqrt(x));
                let whole = self.builder.powi(x, k.n / 2);
                self.builder.mul(whole, root)
            }
            _ => {
                let log = self.builder.emit(Op::Log(x));
                let exponent = self.builder.scale(log, rational(&k.to_rational()));
                self.builder.emit(Op::Exp(exponent))
            }
        }
    }
}
