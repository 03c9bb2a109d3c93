//! Divided differences on three nodes: values near common zeros without cancellation.
//!
//! A function is kept as f(a), f(b), f(c), f\[a,b\], f\[b,c\], f\[a,b,c\]. Products obey
//!
//! ```text
//! (fg)[a,b] = f(a) g[a,b] + f[a,b] g(b),     (fg)[a,b,c] = f(a) g[a,b,c] + f[a,b] g[b,c] + f[a,b,c] g(c),        (V1)
//! ```
//!
//! and roots follow from f = h². Where P vanishes at a and b, P\[a,b,c\] = P(c)/((c − a)(c − b)) keeps all digits as c comes near to them.

use polhode_tape::{Dd, Scalar};
use std::ops::{Add, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Divided {
    pub(super) at: [Dd; 3],
    first: [Dd; 2],
    pub(super) second: Dd,
}

impl Divided {
    pub(super) fn constant(x: Dd) -> Divided {
        Divided { at: [x; 3], first: [Dd::ZERO; 2], second: Dd::ZERO }
    }

    /// The identity on the nodes.
    pub(super) fn variable(nodes: [Dd; 3]) -> Divided {
        Divided { at: nodes, first: [Dd::ONE; 2], second: Dd::ZERO }
    }

    pub(super) fn scale(self, x: Dd) -> Divided {
        Divided { at: self.at.map(|a| a * x), first: self.first.map(|a| a * x), second: self.second * x }
    }

    pub(super) fn sqrt(self) -> Divided {
        let at = self.at.map(|x| x.sqrt());
        let first = [self.first[0] / (at[0] + at[1]), self.first[1] / (at[1] + at[2])];
        Divided { at, first, second: (self.second - first[0] * first[1]) / (at[0] + at[2]) }
    }

    pub(super) fn recip(self) -> Divided {
        let at = self.at.map(|x| Dd::ONE / x);
        let first = [-(self.first[0] * at[0] * at[1]), -(self.first[1] * at[1] * at[2])];
        Divided { at, first, second: -((self.first[0] * first[1] + self.second * at[2]) * at[0]) }
    }
}

impl Add for Divided {
    type Output = Divided;
    fn add(self, o: Divided) -> Divided {
        Divided {
            at: [0, 1, 2].map(|i| self.at[i] + o.at[i]),
            first: [0, 1].map(|i| self.first[i] + o.first[i]),
            second: self.second + o.second,
        }
    }
}

impl Neg for Divided {
    type Output = Divided;
    fn neg(self) -> Divided {
        self.scale(-Dd::ONE)
    }
}

impl Sub for Divided {
    type Output = Divided;
    fn sub(self, o: Divided) -> Divided {
        self + -o
    }
}

impl Mul for Divided {
    type Output = Divided;
    fn mul(self, o: Divided) -> Divided {
        Divided {
            at: [0, 1, 2].map(|i| self.at[i] * o.at[i]),
            first: [0, 1].map(|i| self.at[i] * o.first[i] + self.first[i] * o.at[i + 1]),
            second: self.at[0] * o.second + self.first[0] * o.first[1] + self.second * o.at[2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_a_function() {
        let nodes = [0.3, 0.8, 1.7].map(Dd::from);
        let x = Divided::variable(nodes);
        let f = (Divided::constant(Dd::ONE) + x * x).sqrt().recip() * (x - x * x.scale(Dd::from(0.25)));
        let plain = |x: Dd| (x - x * x * Dd::from(0.25)) / (Dd::ONE + x * x).sqrt();
        let [a, b, c] = nodes;
        let first = |p: Dd, q: Dd| (plain(q) - plain(p)) / (q - p);
        let second = (first(b, c) - first(a, b)) / (c - a);
        assert!((f.at[2] - plain(c)).to_f64().abs() < 1e-30);
        assert!((f.second - second).to_f64().abs() < 1e-29, "{} {second}", f.second);
    }
}
