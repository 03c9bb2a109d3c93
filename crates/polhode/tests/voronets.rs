//! [Voronets1911], (14)–(33): his equations written out from the paper, beside what the program derives.
//!
//! [`Voronets`] and [`Kirchhoff`] below know nothing of frames or brackets. They take the coefficients of a system as
//! the paper has them (a_νi, a_ν, T, Q_s; α_rs, α_r, b_νi, b_ν), given by hand in the model language, and do with
//! partial derivatives what the page says. Every comparison is an exact identity in positions, velocities and time.
//! Formulas whose printed form is wrong are right here, and the printed form is shown to differ.
//!
//! Letters: n independent and k dependent coordinates, q_1 … q_{n+k} in this order; indices count from 0 in code.
//!
//! Not here: chapters I, III and IV (surfaces), which need rolling bodies as such.

mod common;

use common::{Paper, Where, assert_differs, assert_equal, builtin};
use polhode::expr::number::int;
use polhode::expr::{Matrix, Rates};
use polhode::mechanics::{Leg, NotApplicable};
use polhode::model::Configuration;
use polhode::prelude::*;

/// A system as §5 describes it, by hand.
struct Given<'a> {
    text: String,
    letters: &'a [&'a str],
    independent: &'a [&'a str],
    dependent: &'a [&'a str],
    kinetic: &'a str,
    /// Q_s, forces with a potential included.
    forces: &'a [&'a str],
    /// a_νi, one row per ν.
    a: &'a [&'a [&'a str]],
    /// a_ν.
    a0: &'a [&'a str],
}

/// §5 and §7 for one system.
struct Voronets {
    paper: Paper,
    n: usize,
    k: usize,
    /// Coordinates, velocities and accelerations, the independent ones first.
    q: Vec<Symbol>,
    v: Vec<Symbol>,
    w: Vec<Symbol>,
    kinetic: Expr,
    forces: Vec<Expr>,
    a: Vec<Vec<Expr>>,
    a0: Vec<Expr>,
}

impl Voronets {
    fn new(given: &Given) -> Voronets {
        let mut formulas = vec![("T".to_string(), given.kinetic)];
        formulas.extend(given.forces.iter().enumerate().map(|(s, f)| (format!("Q{s}"), *f)));
        for (nu, row) in given.a.iter().enumerate() {
            formulas.extend(row.iter().enumerate().map(|(i, f)| (format!("a{nu},{i}"), *f)));
            formulas.push((format!("a{nu}"), given.a0[nu]));
        }
        let formulas: Vec<(&str, &str)> = formulas.iter().map(|(l, f)| (l.as_str(), *f)).collect();
        let mut paper = Paper::new(&given.text, given.letters, &[], &formulas);
        let names: Vec<&str> = given.independent.iter().chain(given.dependent).copied().collect();
        let v: Vec<Symbol> = names.iter().map(|q| paper.symbol(&format!("{q}'"))).collect();
        let w = v.iter().map(|v| Configuration::acceleration(&mut paper.system.graph, *v)).collect();
        let (n, k) = (given.independent.len(), given.dependent.len());
        let a = (0..k).map(|nu| (0..n).map(|i| paper.value(&format!("a{nu},{i}"))).collect()).collect();
        Voronets {
            n,
            k,
            q: names.iter().map(|q| paper.symbol(q)).collect(),
            v,
            w,
            kinetic: paper.value("T"),
            forces: (0..n + k).map(|s| paper.value(&format!("Q{s}"))).collect(),
            a,
            a0: (0..k).map(|nu| paper.value(&format!("a{nu}"))).collect(),
            paper,
        }
    }

    fn g(&mut self) -> &mut Graph {
        &mut self.paper.system.graph
    }

    fn d(&mut self, e: Expr, s: Symbol) -> Expr {
        self.g().derivative(e, s)
    }

    fn var(&mut self, s: Symbol) -> Expr {
        self.g().var(s)
    }

    /// The velocities of all coordinates, the dependent ones by (14).
    fn velocities(&mut self) -> Vec<Expr> {
        let mut all: Vec<Expr> = (0..self.n).map(|i| self.g().var_of(i)).collect();
        all.clear();
        for i in 0..self.n {
            let v = self.v[i];
            all.push(self.var(v));
        }
        for nu in 0..self.k {
            let (row, a0) = (self.a[nu].clone(), self.a0[nu]);
            let value = dot(self.g(), &row, &all[..row.len()]);
            all.push(self.g().add(value, a0));
        }
        all
    }
}
