//! Formulas as the tests write them, apart from the graph that is tested.
//!
//! A [`Formula`] is built into a graph by its constructors, evaluated by its own few
//! lines, and rewritten into another formula for the same function.

use polhode_base::random::Random;
use polhode_expr::number::ratio;
use polhode_expr::{Exponent, Expr, Graph, Symbol};

/// The names of the symbols; sines are taken of the first two.
pub(crate) const NAMES: [&str; 4] = ["x", "y", "a", "b"];

/// A formula over [`NAMES`].
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    /// n/d
    Number(i32, i32),
    Pi,
    Symbol(usize),
    Add(Box<Formula>, Box<Formula>),
    Sub(Box<Formula>, Box<Formula>),
    Mul(Box<Formula>, Box<Formula>),
    Div(Box<Formula>, Box<Formula>),
    /// A power n/d
    Power(Box<Formula>, i32, i32),
    /// sin (true) or cos of k₁ x + k₂ y
    Turn(bool, [i32; 2]),
    Sin(Box<Formula>),
    Cos(Box<Formula>),
    Tan(Box<Formula>),
    Exp(Box<Formula>),
    Log(Box<Formula>),
    Atan2(Box<Formula>, Box<Formula>),
    /// f(u), known by name only
    F(Box<Formula>),
    /// h(u, v), known by name only
    H(Box<Formula>, Box<Formula>),
}

use Formula::*;

pub(crate) fn number(n: i32) -> Formula {
    Number(n, 1)
}

pub(crate) fn add(a: Formula, b: Formula) -> Formula {
    Add(Box::new(a), Box::new(b))
}

pub(crate) fn sub(a: Formula, b: Formula) -> Formula {
    Sub(Box::new(a), Box::new(b))
}

pub(crate) fn mul(a: Formula, b: Formula) -> Formula {
    Mul(Box::new(a), Box::new(b))
}

pub(crate) fn div(a: Formula, b: Formula) -> Formula {
    Div(Box::new(a), Box::new(b))
}

pub(crate) fn power(a: Formula, n: i32, d: i32) -> Formula {
    Power(Box::new(a), n, d)
}

/// The symbols of [`NAMES`] in a graph.
pub(crate) fn symbols(g: &mut Graph) -> [Symbol; 4] {
    NAMES.map(|name| g.symbol(name))
}

impl Formula {
    /// The formula in a graph, through the public constructors.
    pub(crate) fn build(&self, g: &mut Graph) -> Expr {
        let two = |g: &mut Graph, a: &Formula, b: &Formula| (a.build(g), b.build(g));
        match self {
            Number(n, d) => g.number(ratio((*n).into(), (*d).into())),
            Pi => g.pi(),
            Symbol(i) => g.named(NAMES[*i]),
            Add(a, b) => {
                let (a, b) = two(g, a, b);
                g.add(a, b)
            }
            Sub(a, b) => {
                let (a, b) = two(g, a, b);
                g.sub(a, b)
            }
            Mul(a, b) => {
                let (a, b) = two(g, a, b);
                g.mul(a, b)
            }
            Div(a, b) => {
                let (a, b) = two(g, a, b);
                g.div(a, b)
            }
            Power(a, n, d) => {
                let a = a.build(g);
                let k = Exponent::new((*n).into(), (*d).into()).expect("small");
                g.pow(a, k)
            }
            Turn(sine, k) => {
                let (x, y) = (g.named(NAMES[0]), g.named(NAMES[1]));
                let angle = g.linear([(x, ratio(k[0].into(), 1)), (y, ratio(k[1].into(), 1))]);
                if *sine { g.sin(angle) } else { g.cos(angle) }
            }
            Sin(a) => {
                let a = a.build(g);
                g.sin(a)
            }
            Cos(a) => {
                let a = a.build(g);
                g.cos(a)
            }
            Tan(a) => {
                let a = a.build(g);
                g.tan(a)
            }
            Exp(a) => {
                let a = a.build(g);
                g.exp(a)
            }
            Log(a) => {
                let a = a.build(g);
                g.log(a)
            }
            Atan2(a, b) => {
                let (a, b) = two(g, a, b);
                g.atan2(a, b)
            }
            F(a) => {
                let (f, a) = (g.function("f"), a.build(g));
                g.apply(f, vec![a])
            }
            H(a, b) => {
                let h = g.function("h");
                let (a, b) = two(g, a, b);
                g.apply(h, vec![a, b])
            }
        }
    }

    /// A random rational function of symbols and of sines and cosines of whole angles.
    pub(crate) fn random(random: &mut Random, depth: u32) -> Formula {
        let mut below = |n: u64| random.bits() % n;
        if depth == 0 || below(6) == 0 {
            return match below(5) {
                0 => number(below(7) as i32 - 3),
                1 | 2 => Symbol(below(4) as usize),
                _ => Turn(below(2) == 0, angle(&mut below)),
            };
        }
        let kind = below(10);
        let exponent = [2, 3, -1, -2][below(4) as usize];
        let a = Formula::random(random, depth - 1);
        match kind {
            0 => return power(a, exponent, 1),
            1 => return mul(Number(1, 6), a),
            _ => {}
        }
        let b = Formula::random(random, depth - 1);
        match kind {
            2 | 3 => add(a, b),
            4 | 5 => sub(a, b),
            6..=8 => mul(a, b),
            _ => div(a, b),
        }
    }

    /// The formula with the first sine in it made a cosine or the reverse, or else its negative.
    pub(crate) fn respelled(&self) -> Formula {
        fn first(f: &Formula) -> Option<Formula> {
            let two = |a: &Formula, b: &Formula, join: fn(Formula, Formula) -> Formula| match first(a) {
                Some(a) => Some(join(a, b.clone())),
                None => first(b).map(|b| join(a.clone(), b)),
            };
            match f {
                Turn(sine, k) => Some(Turn(!sine, *k)),
                Add(a, b) => two(a, b, add),
                Sub(a, b) => two(a, b, sub),
                Mul(a, b) => two(a, b, mul),
                Div(a, b) => two(a, b, div),
                Power(a, n, d) => first(a).map(|a| power(a, *n, *d)),
                _ => None,
            }
        }
        first(self).unwrap_or_else(|| sub(number(0), self.clone()))
    }

    /// The same function written differently; `choices` says where and how.
    pub(crate) fn rewritten(&self, choices: &mut impl FnMut() -> u8) -> Formula {
        let same = match self {
            Add(a, b) => add(a.rewritten(choices), b.rewritten(choices)),
            Sub(a, b) => sub(a.rewritten(choices), b.rewritten(choices)),
            Mul(a, b) => mul(a.rewritten(choices), b.rewritten(choices)),
            Div(a, b) => div(a.rewritten(choices), b.rewritten(choices)),
            Power(a, n, d) => power(a.rewritten(choices), *n, *d),
            other => other.clone(),
        };
        let c = choices();
        let parameter = Symbol(2 + usize::from(c >> 7));
        let theta = [[1, 0], [0, 1], [1, 1], [2, -1]][usize::from(c >> 5 & 3)];
        let turn = |sine: bool, n: i32| power(Turn(sine, theta), n, 1);
        match (c & 31, same) {
            // sin(α + β) = sin α cos β + cos α sin β, cos(α + β) = cos α cos β − sin α sin β
            (0..=11, Turn(sine, k)) if k != theta => {
                let rest = [k[0] - theta[0], k[1] - theta[1]];
                let (p, q) = (mul(Turn(sine, theta), Turn(false, rest)), mul(Turn(!sine, theta), Turn(true, rest)));
                if sine { add(p, q) } else { sub(p, q) }
            }
            // cos² = 1 − sin² and back
            (0..=15, Power(base, 2, 1)) if matches!(*base, Turn(..)) => match *base {
                Turn(sine, k) => sub(number(1), power(Turn(!sine, k), 2, 1)),
                _ => unreachable!("just matched"),
            },
            // · (sin² + cos²)
            (16 | 17, e) => mul(e, add(turn(true, 2), turn(false, 2))),
            // · (1 − cos²)/sin²
            (18, e) => div(mul(e, sub(number(1), turn(false, 2))), turn(true, 2)),
            // (e p + e q)/(p + q)
            (19, e) => div(
                add(mul(e.clone(), parameter.clone()), mul(e, Turn(true, theta))),
                add(parameter, Turn(true, theta)),
            ),
            // (e p − e q)/(p − q), p − q = cos θ − 1
            (20, e) => div(sub(mul(e.clone(), turn(false, 1)), e), sub(turn(false, 1), number(1))),
            // + (p + q)² − p² − 2 p q − q²
            (21, e) => {
                let q = Turn(false, theta);
                let square = power(add(parameter.clone(), q.clone()), 2, 1);
                let parts =
                    add(add(power(parameter.clone(), 2, 1), power(q.clone(), 2, 1)), mul(number(2), mul(parameter, q)));
                add(e, sub(square, parts))
            }
            // e tan θ / tan θ
            (22, e) => mul(div(mul(e, turn(true, 1)), turn(false, 1)), div(turn(false, 1), turn(true, 1))),
            (_, e) => e,
        }
    }
}

fn angle(below: &mut impl FnMut(u64) -> u64) -> [i32; 2] {
    [[1, 0], [0, 1], [1, 1], [1, -1], [2, 0], [0, 2], [2, 1], [3, 0], [1, -2]][below(9) as usize]
}
