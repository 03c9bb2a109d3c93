//! [Voronets1911], (21)–(33): quasi-velocities and the rolling body, written out from the paper beside what the
//! program derives.
//!
//! [`Quasi`] knows nothing of frames and brackets. It takes the coefficients of a system as §8 has them (α_rs, α_r, b_νi,
//! b_ν, T, Q_s), given by hand in the model language, and does with partial derivatives what the page says. Every comparison
//! is an exact identity in positions, velocities and time.
//!
//! Not here: (14)–(20) (`voronets.rs`); chapters I, III and IV, which need surfaces that roll.

use crate::papers;

use crate::prelude::*;
use papers::{Paper, Where, assert_equal, builtin, dot};
use polhode_expr::Rates;
use polhode_expr::number::int;
use polhode_mechanics::Leg;

// ---------------------------------------------------------------------------------------------------------------
// §8: linear functions of the velocities
// ---------------------------------------------------------------------------------------------------------------

/// A system as §8 describes it, by hand: q̇ = α p + α_0, p = β (q̇ − α_0), p_{n+ν} = b p + b_ν.
struct QuasiGiven<'a> {
    name: &'a str,
    coordinates: &'a [&'a str],
    kinetic: &'a str,
    /// Q_s.
    forces: &'a [&'a str],
    alpha: &'a [&'a [&'a str]],
    alpha0: &'a [&'a str],
    beta: &'a [&'a [&'a str]],
    b: &'a [&'a [&'a str]],
    b0: &'a [&'a str],
}

/// The formulas of §8 for one system.
struct Quasi {
    name: String,
    paper: Paper,
    n: usize,
    k: usize,
    q: Vec<Symbol>,
    v: Vec<Symbol>,
    p: Vec<Symbol>,
    kinetic: Expr,
    forces: Vec<Expr>,
    alpha: Vec<Vec<Expr>>,
    alpha0: Vec<Expr>,
    beta: Vec<Vec<Expr>>,
    b: Vec<Vec<Expr>>,
    b0: Vec<Expr>,
}

impl Quasi {
    /// With its constraints (24), or free of them with all p as quasi-velocities.
    fn new<'a>(given: &QuasiGiven<'a>, constrained: bool) -> Quasi {
        let total = given.coordinates.len();
        let (k, n) = (given.b.len(), total - given.b.len());
        let sum = |row: &[&str], factor: &dyn Fn(usize) -> String, rest: &str| {
            let terms: Vec<String> = row.iter().enumerate().map(|(i, c)| format!("({c})*{}", factor(i))).collect();
            format!("{} + ({rest})", terms.join(" + "))
        };
        let relative = |r: usize| format!("({}' - ({}))", given.coordinates[r], given.alpha0[r]);
        let mut text = String::from("[coordinates]\n");
        given.coordinates.iter().for_each(|q| text += &format!("{q} = \"real\"\n"));
        text += "[define]\n";
        (0..total).for_each(|s| text += &format!("P{} = \"{}\"\n", s + 1, sum(given.beta[s], &relative, "0")));
        text += &format!("[lagrangian]\nkinetic = \"{}\"\n[forces]\n", given.kinetic);
        given.coordinates.iter().zip(given.forces).for_each(|(q, f)| text += &format!("{q} = \"{f}\"\n"));
        if constrained {
            text += "[constraints]\n";
            let factor = |i: usize| format!("P{}", i + 1);
            (0..k).for_each(|nu| {
                text += &format!("c{nu} = \"P{} = {}\"\n", n + nu + 1, sum(given.b[nu], &factor, given.b0[nu]))
            });
        }
        text += "[quasi_velocities]\n";
        (1..=if constrained { n } else { total }).for_each(|s| text += &format!("p{s} = \"P{s}\"\n"));

        let mut formulas = vec![("T".to_string(), given.kinetic)];
        let mut add = |name: &str, rows: &[&'a [&'a str]]| {
            for (r, row) in rows.iter().enumerate() {
                formulas.extend(row.iter().enumerate().map(|(s, f)| (format!("{name} {r} {s}"), *f)));
            }
        };
        add("Q", &[given.forces]);
        add("alpha", given.alpha);
        add("alpha0", &[given.alpha0]);
        add("beta", given.beta);
        add("b", given.b);
        add("b0", &[given.b0]);
        let formulas: Vec<(&str, &str)> = formulas.iter().map(|(l, f)| (l.as_str(), *f)).collect();
        let mut paper = Paper::new(&text, &[], &[], &formulas);
        let matrix = |name: &str, rows: usize, cols: usize| -> Vec<Vec<Expr>> {
            (0..rows).map(|r| (0..cols).map(|s| paper.value(&format!("{name} {r} {s}"))).collect()).collect()
        };
        Quasi {
            name: given.name.to_string(),
            n,
            k,
            q: given.coordinates.iter().map(|q| paper.symbol(q)).collect(),
            v: given.coordinates.iter().map(|q| paper.symbol(&format!("{q}'"))).collect(),
            kinetic: paper.value("T"),
            forces: matrix("Q", 1, total).remove(0),
            alpha: matrix("alpha", total, total),
            alpha0: matrix("alpha0", 1, total).remove(0),
            beta: matrix("beta", total, total),
            b: matrix("b", k, n),
            b0: matrix("b0", 1, k).remove(0),
            p: (1..=total).map(|s| paper.system.graph.symbol(&format!("p{s}"))).collect(),
            paper,
        }
    }

    fn total(&self) -> usize {
        self.n + self.k
    }

    fn g(&mut self) -> &mut Graph {
        &mut self.paper.system.graph
    }

    fn d(&mut self, e: Expr, s: Symbol) -> Expr {
        self.g().derivative(e, s)
    }

    fn same(&mut self, a: Expr, b: Expr, label: &str) {
        let label = format!("{}: {label}", self.name);
        assert_equal(self.g(), a, b, &label);
    }

    /// (21): the velocities in terms of p.
    fn velocities(&mut self) -> Vec<Expr> {
        let (alpha, alpha0, p) = (self.alpha.clone(), self.alpha0.clone(), self.p.clone());
        let g = self.g();
        let p: Vec<Expr> = p.iter().map(|s| g.var(*s)).collect();
        alpha
            .iter()
            .zip(alpha0)
            .map(|(row, a0)| {
                let linear = dot(g, row, &p);
                g.add(linear, a0)
            })
            .collect()
    }

    /// p in terms of the velocities.
    fn quasi_velocities(&mut self) -> Vec<Expr> {
        let (beta, alpha0, v) = (self.beta.clone(), self.alpha0.clone(), self.v.clone());
        let g = self.g();
        let relative: Vec<Expr> = v
            .iter()
            .zip(alpha0)
            .map(|(v, a)| {
                let v = g.var(*v);
                g.sub(v, a)
            })
            .collect();
        beta.iter().map(|row| dot(g, row, &relative)).collect()
    }

    /// A function of the velocities as one of p.
    fn in_p(&mut self, e: Expr) -> Expr {
        let map: Rates = self.v.clone().into_iter().zip(self.velocities()).collect();
        self.g().substitute(e, &map)
    }

    /// A function of p as one of the velocities.
    fn in_v(&mut self, e: Expr) -> Expr {
        let map: Rates = self.p.clone().into_iter().zip(self.quasi_velocities()).collect();
        self.g().substitute(e, &map)
    }

    /// (24): p_{n+ν} in terms of the others.
    fn bound(&mut self, nu: usize) -> Expr {
        let (row, b0, p) = (self.b[nu].clone(), self.b0[nu], self.p.clone());
        let g = self.g();
        let p: Vec<Expr> = p.iter().map(|s| g.var(*s)).collect();
        let linear = dot(g, &row, &p);
        g.add(linear, b0)
    }

    /// A function of p on the constraints (24).
    fn on_constraints(&mut self, e: Expr) -> Expr {
        let map: Rates = (0..self.k).map(|nu| (self.p[self.n + nu], self.bound(nu))).collect();
        self.g().substitute(e, &map)
    }

    /// d/dt of a function of t and q, in terms of p.
    fn ddt(&mut self, e: Expr) -> Expr {
        let mut rates: Rates = self.q.clone().into_iter().zip(self.velocities()).collect();
        let time = self.paper.system.time;
        let g = self.g();
        rates.insert(time, g.one());
        g.along(e, &rates)
    }

    /// P_sr of (23), in terms of p:
    /// Σ_b { Σ_a [∂_b β_sa (q̇_a − α_a) − ∂_a β_sb q̇_a − β_sa ∂_b α_a] − ∂_t β_sb } α_br.
    fn big_p(&mut self, s: usize, r: usize) -> Expr {
        let v = self.velocities();
        let mut out = Vec::new();
        for b in 0..self.total() {
            let mut inner = Vec::new();
            for a in 0..self.total() {
                let (alpha0, beta) = (self.alpha0[a], self.beta[s][a]);
                let d = self.d(beta, self.q[b]);
                let relative = self.g().sub(v[a], alpha0);
                inner.push((self.g().mul(d, relative), int(1)));
                let d = self.d(self.beta[s][b], self.q[a]);
                inner.push((self.g().mul(d, v[a]), int(-1)));
                let d = self.d(alpha0, self.q[b]);
                inner.push((self.g().mul(beta, d), int(-1)));
            }
            inner.push((self.d(self.beta[s][b], self.paper.system.time), int(-1)));
            let inner = self.g().linear(inner);
            let alpha = self.alpha[b][r];
            out.push(self.g().mul(inner, alpha));
        }
        self.g().sum(out)
    }

    /// The right side of (26) as it is written out in equations: d/dt Θ_{p_i} = …
    fn rhs_26(&mut self, i: usize) -> Expr {
        let (n, k, total) = (self.n, self.k, self.total());
        let full = self.in_p(self.kinetic);
        let theta = self.on_constraints(full);
        let barred = |x: &mut Quasi, entry: &dyn Fn(&mut Quasi, usize) -> Expr| {
            let mut parts = vec![entry(x, i)];
            for mu in 0..k {
                let (value, b) = (entry(x, n + mu), x.b[mu][i]);
                parts.push(x.g().mul(value, b));
            }
            let sum = x.g().sum(parts);
            x.on_constraints(sum)
        };
        let alpha: Vec<Expr> = (0..total).map(|r| barred(self, &move |x, s| x.alpha[r][s])).collect();
        let big_p: Vec<Expr> = (0..total).map(|s| barred(self, &move |x, r| x.big_p(s, r))).collect();
        let mut parts = Vec::new();
        for r in 0..total {
            let force = self.in_p(self.forces[r]);
            let (push, force) = (self.d(theta, self.q[r]), self.on_constraints(force));
            let both = self.g().add(push, force);
            parts.push(self.g().mul(alpha[r], both));
        }
        for j in 0..n {
            let momentum = self.d(theta, self.p[j]);
            parts.push(self.g().mul(momentum, big_p[j]));
        }
        for nu in 0..k {
            let impulse = self.d(full, self.p[n + nu]);
            let impulse = self.on_constraints(impulse);
            let rate = self.ddt(self.b[nu][i]);
            let mut inner = vec![(self.on_constraints(rate), int(1)), (big_p[n + nu], int(1))];
            for j in 0..n {
                let b = self.b[nu][j];
                inner.push((self.g().mul(b, big_p[j]), int(-1)));
            }
            let bound = self.bound(nu);
            for r in 0..total {
                let d = self.d(bound, self.q[r]);
                inner.push((self.g().mul(alpha[r], d), int(-1)));
            }
            let inner = self.g().linear(inner);
            parts.push(self.g().mul(impulse, inner));
        }
        self.g().sum(parts)
    }
}

/// Axes that turn with t, and a constraint that contains everything.
const TURNING: QuasiGiven = QuasiGiven {
    name: "turning axes",
    coordinates: &["x", "y", "z"],
    kinetic: "(x'^2 + 2*y'^2 + 3*z'^2)/2 + (x'*z + y')^2/2",
    forces: &["-x - z*x'", "y*z", "-y'"],
    alpha: &[&["cos(t)", "-sin(t)", "0"], &["sin(t)", "cos(t)", "0"], &["x", "0", "1 + y^2"]],
    alpha0: &["y", "x*t", "cos(t)"],
    beta: &[
        &["cos(t)", "sin(t)", "0"],
        &["-sin(t)", "cos(t)", "0"],
        &["-x*cos(t)/(1 + y^2)", "-x*sin(t)/(1 + y^2)", "1/(1 + y^2)"],
    ],
    b: &[&["z + t", "x*y"]],
    b0: &["y*sin(t)"],
};

/// Two constraints.
const PAIR: QuasiGiven = QuasiGiven {
    name: "pair",
    coordinates: &["x", "y", "z", "s"],
    kinetic: "(x'^2 + y'^2 + 2*z'^2 + 3*s'^2)/2 + (z*x' + s')^2/2",
    forces: &["-x*s", "-y'", "x - z'", "0"],
    alpha: &[&["1", "z", "0", "0"], &["0", "1", "0", "0"], &["x", "0", "1", "0"], &["0", "y", "0", "1"]],
    alpha0: &["0", "t", "0", "s"],
    beta: &[&["1", "-z", "0", "0"], &["0", "1", "0", "0"], &["-x", "x*z", "1", "0"], &["0", "-y", "0", "1"]],
    b: &[&["s", "t"], &["x", "z*s"]],
    b0: &["z", "cos(t)"],
};

/// Forward, turning and lateral speed of a blade: the constraint is p_3 = 0.
const BLADE: QuasiGiven = QuasiGiven {
    name: "blade",
    coordinates: &["x", "y", "h"],
    kinetic: "(x' - sin(h)*h'/3)^2 + (y' + cos(h)*h'/3)^2 + h'^2",
    forces: &["1", "0", "-h'"],
    alpha: &[&["cos(h)", "0", "-sin(h)"], &["sin(h)", "0", "cos(h)"], &["0", "1", "0"]],
    alpha0: &["0", "0", "0"],
    beta: &[&["cos(h)", "sin(h)", "0"], &["0", "0", "1"], &["-sin(h)", "cos(h)", "0"]],
    b: &[&["0", "0"]],
    b0: &["0"],
};

const QUASI: [&QuasiGiven; 3] = [&TURNING, &PAIR, &BLADE];

/// (21), (22), (23): β inverts α, the variation of p has the stated form, and P_sr is Σ_j c_jr^s p_j (with p_0 = 1) in
/// the structure functions of the program.
#[test]
fn eq_21_22_23_quasi_velocities() {
    for given in QUASI {
        let mut s = Quasi::new(given, false);
        let total = s.total();
        let p = s.quasi_velocities();
        for (r, value) in p.iter().enumerate() {
            let (value, symbol) = (s.in_p(*value), s.p[r]);
            let symbol = s.g().var(symbol);
            s.same(value, symbol, "(21)");
        }
        // p′ = β δq, that is (22); δp − dp′/dt with δq̇ = d/dt δq
        let delta: Vec<Symbol> = (0..total).map(|r| s.g().symbol(&format!("delta_{r}"))).collect();
        let delta_dot: Vec<Symbol> = (0..total).map(|r| s.g().symbol(&format!("delta_{r}'"))).collect();
        let dq: Vec<Expr> = delta.iter().map(|d| s.g().var(*d)).collect();
        let dv: Vec<Expr> = delta_dot.iter().map(|d| s.g().var(*d)).collect();
        let varied: Rates = s.q.iter().chain(&s.v).copied().zip(dq.iter().chain(&dv).copied()).collect();
        let mut motion: Rates = delta.iter().copied().zip(dv.iter().copied()).collect();
        for r in 0..total {
            let v = s.v[r];
            let v = s.g().var(v);
            motion.insert(s.q[r], v);
        }
        motion.insert(s.paper.system.time, s.g().one());
        let beta = s.beta.clone();
        let p_prime: Vec<Expr> = beta.iter().map(|row| dot(s.g(), row, &dq)).collect();
        for i in 0..total {
            let (change, rate) = (s.g().along(p[i], &varied), s.g().along(p_prime[i], &motion));
            let left = s.g().sub(change, rate);
            let row: Vec<Expr> = (0..total)
                .map(|r| {
                    let entry = s.big_p(i, r);
                    s.in_v(entry)
                })
                .collect();
            let right = dot(s.g(), &row, &p_prime);
            s.same(left, right, "(23)");
        }
        let frame = s.paper.system.hamel_frame().expect("quasi-velocities");
        for i in 0..total {
            for r in 0..total {
                let expected = s.big_p(i, r);
                let actual = of_the_program(&mut s.paper.system, &frame, i, r);
                s.same(actual, expected, &format!("P_{i}{r}"));
            }
        }
    }
}

/// Σ_j c_jr^s ξ^j over the drift and the fields of D: what P_sr of (23) is in a frame of the program.
fn of_the_program(system: &mut System, frame: &Frame, s: usize, r: usize) -> Expr {
    let (configuration, time) = (system.configuration.clone(), system.time);
    let mut parts = Vec::new();
    for j in frame.moving_legs().into_iter().filter(|j| *j != Leg::Field(r)) {
        let c = frame.bracket(&mut system.graph, &configuration, time, j, Leg::Field(r))[s];
        let xi = frame.xi_of(&mut system.graph, j);
        parts.push(system.graph.mul(c, xi));
    }
    system.graph.sum(parts)
}

/// (24), (25): the equations in p with multipliers, from the accelerations and reactions of the multiplier form; and
/// without constraints, term by term, as Hamel's form.
#[test]
fn eq_24_25_multipliers_in_quasi_velocities() {
    for given in QUASI {
        let mut s = Quasi::new(given, true);
        let (n, k, total) = (s.n, s.k, s.total());
        let equations = s.paper.derive(Form::Multipliers);
        let full = s.in_p(s.kinetic);
        let reaction = |s: &mut Quasi, i: usize| {
            let column: Vec<Expr> = s.alpha.iter().map(|row| row[i]).collect();
            dot(s.g(), &column, &equations.reaction_force)
        };
        let lambda: Vec<Expr> = (0..k).map(|nu| reaction(&mut s, n + nu)).collect();
        for i in 0..total {
            let momentum = s.d(full, s.p[i]);
            let momentum = s.in_v(momentum);
            let left = s.paper.rate(momentum);
            let right = rhs_25(&mut s, full, i);
            let right = s.in_v(right);
            let constraint = if i < n {
                let column: Vec<Expr> = s.b.iter().map(|row| row[i]).collect();
                let sum = dot(s.g(), &lambda, &column);
                s.g().neg(sum)
            } else {
                lambda[i - n]
            };
            let own = reaction(&mut s, i);
            s.same(own, constraint, "(25), the reaction has the components −λ b, λ");
            let right = s.g().add(right, constraint);
            s.paper.same(Where::OnMotion, &format!("{}: (25), equation {i}", given.name), left, right);
        }
        for nu in 0..k {
            let (bound, symbol) = (s.bound(nu), s.p[n + nu]);
            let residual = s.g().var(symbol);
            let residual = s.g().sub(residual, bound);
            let (residual, zero) = (s.in_v(residual), s.g().zero());
            s.paper.same(Where::OnConstraints, "(24)", residual, zero);
        }

        let mut s = Quasi::new(given, false);
        let equations = s.paper.derive(Form::Hamel);
        let full = s.in_p(s.kinetic);
        for i in 0..total {
            let balance = equations.balance[i].clone();
            let momentum = s.d(full, s.p[i]);
            s.same(balance.momentum, momentum, "(25) without constraints, momentum");
            let right = rhs_25(&mut s, full, i);
            let actual = s.g().sum([balance.lagrangian, balance.bracket, balance.force]);
            s.same(actual, right, "(25) without constraints");
        }
    }
}

/// Σ_r α_ri (∂T/∂q_r + Q_r) + Σ_r ∂T/∂p_r P_ri.
fn rhs_25(s: &mut Quasi, full: Expr, i: usize) -> Expr {
    let mut parts = Vec::new();
    for r in 0..s.total() {
        let (push, force, alpha) = (s.d(full, s.q[r]), s.in_p(s.forces[r]), s.alpha[r][i]);
        let both = s.g().add(push, force);
        parts.push(s.g().mul(alpha, both));
        let (momentum, entry) = (s.d(full, s.p[r]), s.big_p(r, i));
        parts.push(s.g().mul(momentum, entry));
    }
    s.g().sum(parts)
}

/// (26), (27): the integral varied with (27), (22) and (23) and integrated by parts; the equations that come out of it;
/// and Hamel's form of the program. All three agree.
#[test]
fn eq_26_27_hamel_equations() {
    for given in QUASI {
        let mut s = Quasi::new(given, true);
        let (n, k, total) = (s.n, s.k, s.total());
        let equations = s.paper.derive(Form::Hamel);
        assert_eq!(equations.unknowns, s.p[..n], "{}", given.name);
        let full = s.in_p(s.kinetic);
        let theta = s.on_constraints(full);

        // p′, dp′/dt; p′_{n+ν} by (27)
        let prime: Vec<Symbol> = (0..n).map(|i| s.g().symbol(&format!("prime_{i}"))).collect();
        let prime_dot: Vec<Symbol> = (0..n).map(|i| s.g().symbol(&format!("prime_{i}'"))).collect();
        let mut p_prime: Vec<Expr> = prime.iter().map(|x| s.g().var(*x)).collect();
        let mut rate: Vec<Expr> = prime_dot.iter().map(|x| s.g().var(*x)).collect();
        for nu in 0..k {
            let row = s.b[nu].clone();
            let rates: Vec<Expr> = row.iter().map(|b| s.ddt(*b)).collect();
            let (own, rest) = (dot(s.g(), &row, &rate), dot(s.g(), &rates, &p_prime));
            let bound = dot(s.g(), &row, &p_prime);
            p_prime.push(bound);
            rate.push(s.g().add(own, rest));
        }
        // (22) and (23)
        let alpha = s.alpha.clone();
        let dq: Vec<Expr> = alpha.iter().map(|row| dot(s.g(), row, &p_prime)).collect();
        let dp: Vec<Expr> = (0..total)
            .map(|i| {
                let row: Vec<Expr> = (0..total).map(|r| s.big_p(i, r)).collect();
                let sum = dot(s.g(), &row, &p_prime);
                s.g().add(rate[i], sum)
            })
            .collect();
        let varied: Rates =
            s.q.iter().copied().zip(dq.iter().copied()).chain(s.p.iter().copied().zip(dp.iter().copied())).collect();
        let mut parts = vec![s.g().along(theta, &varied)];
        for r in 0..total {
            let force = s.in_p(s.forces[r]);
            parts.push(s.g().mul(force, dq[r]));
        }
        for nu in 0..k {
            let (impulse, bound) = (s.d(full, s.p[n + nu]), s.bound(nu));
            let change = s.g().along(bound, &varied);
            let relative = s.g().sub(dp[n + nu], change);
            parts.push(s.g().mul(impulse, relative));
        }
        let integrand = s.g().sum(parts);
        let integrand = s.on_constraints(integrand);

        let solved: Rates = s.p[..n].iter().copied().zip(equations.rates.iter().copied()).collect();
        for i in 0..n {
            let balance = equations.balance[i].clone();
            let momentum = s.d(theta, s.p[i]);
            s.same(balance.momentum, momentum, "(26), Θ_{p_i}");
            let coefficient = s.d(integrand, prime_dot[i]);
            s.same(coefficient, momentum, "(26), coefficient of dp′/dt");
            let (written_out, coefficient) = (s.rhs_26(i), s.d(integrand, prime[i]));
            s.same(coefficient, written_out, "(26), coefficient of p′");
            let program = s.g().sum([balance.lagrangian, balance.bracket, balance.force]);
            s.same(program, written_out, "(26), right side of Hamel's form");
            // solved for dp/dt
            let slow = s.ddt(momentum);
            let (slow, fast) = (s.on_constraints(slow), s.g().along(momentum, &solved));
            let left = s.g().add(slow, fast);
            s.same(left, written_out, "(26) with the rates of the program");
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------
// §9: rigid bodies
// ---------------------------------------------------------------------------------------------------------------

/// A rigid body in the letters of §9: Euler angles with R = Rz(ψ) Ry(φ) Rz(θ), velocity of O in body axes.
const EULER: &str = r#"
    [parameters]
    M = 1.4
    A = 1.0
    B = 1.5
    C = 2.0
    [coordinates]
    a = "real"
    b = "real"
    c = "real"
    phi = "(0, pi)"
    psi = "angle"
    theta = "angle"
    [define]
    R = "Rz(psi)*Ry(phi)*Rz(theta)"
    W = "transpose(R)*[a', b', c']"
    P = "phi'*sin(theta) - psi'*sin(phi)*cos(theta)"
    Q = "phi'*cos(theta) + psi'*sin(phi)*sin(theta)"
    S = "theta' + psi'*cos(phi)"
    [lagrangian]
    kinetic = "M/2*norm2(W) + (A*P^2 + B*Q^2 + C*S^2)/2"
    [quasi_velocities]
    k = "W[1]"
    l = "W[2]"
    m = "W[3]"
    p = "P"
    q = "Q"
    r = "S"
"#;

/// §9, p, q, r: the components of the angular velocity on body axes. (30) in them gives Euler's equations.
#[test]
fn section_9_euler_equations() {
    let mut paper = Paper::new(EULER, &[], &[], &[("rates", "[P, Q, S] = body_angular_velocity(R)")]);
    paper.holds(Where::Everywhere, "rates");
    let equations = paper.derive(Form::Hamel);
    let g = &mut paper.system.graph;
    let expected = [
        ("k", ["M", "l", "r", "M", "q", "m", "M"]),
        ("l", ["M", "m", "p", "M", "r", "k", "M"]),
        ("m", ["M", "k", "q", "M", "p", "l", "M"]),
        ("p", ["B", "q", "r", "C", "q", "r", "A"]),
        ("q", ["C", "r", "p", "A", "r", "p", "B"]),
        ("r", ["A", "p", "q", "B", "p", "q", "C"]),
    ];
    // x' = (a b c − d e f)/g
    for (i, (name, letters)) in expected.into_iter().enumerate() {
        let [a, b, c, d, e, f, h] = letters.map(|x| g.named(x));
        let (plus, minus) = (g.product([a, b, c]), g.product([d, e, f]));
        let difference = g.sub(plus, minus);
        let value = g.div(difference, h);
        assert_eq!(g.name(equations.unknowns[i]), name);
        assert_equal(g, equations.rates[i], value, &format!("d{name}/dt"));
    }
}

/// (28): δk − dk′/dt = l r′ − r l′ + q m′ − m q′ and δp − dp′/dt = q r′ − r q′, with their cyclic companions, as structure
/// functions: in Euler angles, on SO(3) and on SE(3) without any.
#[test]
fn eq_28_variations_of_a_rigid_body() {
    let check = |system: &mut System, frame: &Frame, spin: usize, speed: Option<usize>, label: &str| {
        let g = &mut system.graph;
        let xi: Vec<Expr> = frame.xi.iter().map(|x| g.var(*x)).collect();
        let zero = g.zero();
        // (Ω × e_r)_s
        let cross = |g: &mut Graph, first: usize, s: usize, r: usize| match (3 + s - r) % 3 {
            0 => zero,
            1 => xi[first + 3 - s - r],
            _ => g.neg(xi[first + 3 - s - r]),
        };
        for s in 0..3 {
            for r in 0..3 {
                let expected = cross(&mut system.graph, spin, s, r);
                let actual = of_the_program(system, frame, spin + s, spin + r);
                assert_equal(&mut system.graph, actual, expected, &format!("{label}: (28), Ω, {s}{r}"));
                let Some(speed) = speed else { continue };
                let actual = of_the_program(system, frame, speed + s, speed + r);
                assert_equal(&mut system.graph, actual, expected, &format!("{label}: (28), Ω × w′, {s}{r}"));
                let expected = cross(&mut system.graph, speed, s, r);
                let actual = of_the_program(system, frame, speed + s, spin + r);
                assert_equal(&mut system.graph, actual, expected, &format!("{label}: (28), w × Ω′, {s}{r}"));
                let actual = of_the_program(system, frame, spin + s, speed + r);
                assert_equal(&mut system.graph, actual, zero, &format!("{label}: (28), no w′ in δΩ, {s}{r}"));
            }
        }
    };
    let mut paper = Paper::new(EULER, &[], &[], &[]);
    let frame = paper.system.hamel_frame().expect("quasi-velocities");
    check(&mut paper.system, &frame, 3, Some(0), "Euler angles");

    let mut paper =
        Paper::new(builtin("free-rigid-body"), &[], &[], &[("Euler", "I1*Omega'[1] = (I2 - I3)*Omega[2]*Omega[3]")]);
    let frame = Frame::base(&paper.system.graph, &paper.system.configuration);
    check(&mut paper.system, &frame, 0, None, "SO(3)");
    for form in [Form::Multipliers, Form::Voronets, Form::Hamel, Form::Hamilton] {
        paper.derive(form);
        paper.holds(Where::OnMotion, "Euler");
    }

    let text = "[coordinates]\nG = \"SE(3)\"\n[lagrangian]\nkinetic = \"norm2(G.V) + norm2(G.Omega)\"\n";
    let mut paper = Paper::new(text, &[], &[], &[]);
    let frame = Frame::base(&paper.system.graph, &paper.system.configuration);
    check(&mut paper.system, &frame, 3, Some(0), "SE(3)");
}

/// A heavy paraboloid on a plane; the contact point X, Y, Z in body axes is where the normal is vertical.
const PARABOLOID: &str = r#"
[parameters]
M = 1.4
A = 1.0
B = 1.5
C = 2.0
N = 9.81
kappa = 0.8
h = 0.7
[coordinates]
G = "SE(3)"
[define]
up = "transpose(G.R)*[0, 0, 1]"
X = "-up[1]/(kappa*up[3])"
Y = "-up[2]/(kappa*up[3])"
Z = "kappa/2*(X^2 + Y^2) - h"
p = "G.Omega[1]"
q = "G.Omega[2]"
r = "G.Omega[3]"
[lagrangian]
kinetic   = "M/2*norm2(G.V) + (A*p^2 + B*q^2 + C*r^2)/2"
potential = "-M*N*dot([X, Y, Z], up)"
[constraints]
rolling = "G.V = cross([X, Y, Z], G.Omega)"
"#;

/// (29)–(33): a heavy paraboloid rolls on a plane. Constraints, Θ, K_ν and the frame are those of the paper, and the
/// variation of (33) with (28), by parts, is the Voronets form on SE(3).
#[test]
fn eq_29_to_33_rolling_body() {
    let formulas = [
        ("(29)", "G.V = [Y*r - Z*q, Z*p - X*r, X*q - Y*p]"),
        ("Theta", "M/2*((X^2 + Y^2 + Z^2)*(p^2 + q^2 + r^2) - (X*p + Y*q + Z*r)^2) + (A*p^2 + B*q^2 + C*r^2)/2"),
        ("U", "M*N*dot([X, Y, Z], up)"),
        ("K", "[M*(Y*r - Z*q), M*(Z*p - X*r), M*(X*q - Y*p)] = 0"),
        ("(32)", "[Y*e3 - Z*e2, Z*e1 - X*e3, X*e2 - Y*e1] = 0"),
        ("contact", "[X, Y, Z] = 0"),
        (
            "(33)",
            "M*(dot([X, Y, Z], dt([X, Y, Z]))*dot([p, q, r], [e1, e2, e3]) \
             - dot([X, Y, Z], [e1, e2, e3])*dot(dt([X, Y, Z]), [p, q, r])) \
             - M*((X*dX + Y*dY + Z*dZ)*(p^2 + q^2 + r^2) - (X*p + Y*q + Z*r)*(p*dX + q*dY + r*dZ))",
        ),
    ];
    let mut paper = Paper::new(PARABOLOID, &["e1", "e2", "e3", "dX", "dY", "dZ"], &[], &formulas);
    paper.holds(Where::OnConstraints, "(29)");
    let equations = paper.derive(Form::Voronets);
    let (theta, force_function) = (paper.value("Theta"), paper.value("U"));
    let lagrangian = equations.named.iter().find(|x| x.name == "Theta").expect("Θ").value;
    let sum = paper.system.graph.add(theta, force_function);
    assert_equal(&mut paper.system.graph, lagrangian, sum, "(30), (31): Θ + U");
    let impulses: Vec<Expr> = equations.named.iter().filter(|x| x.name.starts_with("K_")).map(|x| x.value).collect();
    assert_eq!(impulses.len(), 3);
    for (actual, expected) in impulses.iter().zip(paper.left("K")) {
        assert_equal(&mut paper.system.graph, *actual, expected, "(31): K_ν");
    }

    // (32): the virtual velocities of D, in body components; e1 … e3 stand for p′, q′, r′
    let eta: Vec<Symbol> = ["e1", "e2", "e3"].map(|e| paper.symbol(e)).to_vec();
    let eta_dot: Vec<Symbol> = (1..=3).map(|i| paper.system.graph.symbol(&format!("e{i}'"))).collect();
    let turns: Vec<Expr> = eta.iter().map(|e| paper.system.graph.var(*e)).collect();
    let spin: Vec<Symbol> = (1..=3).map(|i| paper.symbol(&format!("G.Omega[{i}]"))).collect();
    let virtual_velocity: Vec<Expr> = paper.left("(32)").into_iter().chain(turns.iter().copied()).collect();
    for (i, turn) in spin.iter().enumerate() {
        let at = equations.frame.xi.iter().position(|x| x == turn).expect("Ω is independent");
        for a in 0..6 {
            let expected = paper.system.graph.derivative(virtual_velocity[a], eta[i]);
            let actual = equations.frame.e[(a, at)];
            assert_equal(&mut paper.system.graph, actual, expected, "(32)");
        }
    }

    // (33)
    let contact = paper.left("contact");
    let rest = paper.value("(33)");
    let g = &mut paper.system.graph;
    let displaced = paper.system.configuration.rates_along(g, &virtual_velocity);
    let shifts = g.along_all(&contact, &displaced);
    let mut varied = displaced.clone();
    let omega: Vec<Expr> = spin.iter().map(|s| g.var(*s)).collect();
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (plus, minus) = (g.mul(omega[j], turns[k]), g.mul(omega[k], turns[j]));
        let turned = g.sub(plus, minus);
        let rate = g.var(eta_dot[i]);
        varied.insert(spin[i], g.add(rate, turned));
    }
    let letters: Rates = ["dX", "dY", "dZ"].iter().map(|d| g.find_symbol(d).expect("a letter")).zip(shifts).collect();
    let rest = g.substitute(rest, &letters);
    let change = g.along(sum, &varied);
    let integrand = g.add(change, rest);
    for (i, turn) in spin.iter().enumerate() {
        let at = equations.unknowns.iter().position(|x| x == turn).expect("Ω is independent");
        let balance = equations.balance[at].clone();
        let momentum = paper.system.graph.derivative(integrand, eta_dot[i]);
        paper.same(Where::OnConstraints, "(33), coefficient of dη/dt", balance.momentum, momentum);
        let force = paper.system.graph.derivative(integrand, eta[i]);
        let right = paper.system.graph.sum([balance.lagrangian, balance.bracket, balance.force]);
        paper.same(Where::OnConstraints, "(33), coefficient of η", right, force);
    }
}
