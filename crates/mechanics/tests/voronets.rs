//! [Voronets1911], (14)–(20): his equations written out from the paper, beside what the program derives.
//!
//! [`Voronets`] knows nothing of frames and brackets. It takes the coefficients of a system as the paper has them
//! (a_νi, a_ν, T, Q_s), given by hand in the model language, and does with partial derivatives what the page says. Every comparison is an exact identity in positions, velocities and time.
//! Where the printed form is wrong the corrected one is compared, and the printed one is shown to differ.
//!
//! Letters: n independent and k dependent coordinates, q_1 … q_{n+k} in this order; indices count from 0 in the code.
//!
//! Not here: quasi-velocities (`voronets_quasi.rs`); chapters I, III and IV, which need surfaces that roll.

use crate::papers;

use crate::prelude::*;
use papers::{Paper, assert_differs, assert_equal, builtin, dot};
use polhode_expr::Rates;
use polhode_mechanics::{Leg, NotApplicable};
use polhode_model::Configuration;

// ---------------------------------------------------------------------------------------------------------------
// §§5–7: independent velocities
// ---------------------------------------------------------------------------------------------------------------

/// A system as §5 describes it, by hand.
struct Given<'a> {
    name: &'a str,
    text: String,
    letters: &'a [&'a str],
    independent: &'a [&'a str],
    dependent: &'a [&'a str],
    kinetic: &'a str,
    /// Q_s, those of a potential included.
    forces: &'a [&'a str],
    /// a_νi, one row for each ν.
    a: &'a [&'a [&'a str]],
    /// a_ν.
    a0: &'a [&'a str],
    /// Other formulas of the system.
    more: &'a [(&'a str, &'a str)],
}

/// The formulas of §§5–7 for one system.
struct Voronets {
    name: String,
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
        let mut formulas: Vec<(String, &str)> = given.more.iter().map(|(l, f)| (l.to_string(), *f)).collect();
        formulas.push(("T".to_string(), given.kinetic));
        formulas.extend(given.forces.iter().enumerate().map(|(s, f)| (format!("Q {s}"), *f)));
        for (nu, row) in given.a.iter().enumerate() {
            formulas.extend(row.iter().enumerate().map(|(i, f)| (format!("a {nu} {i}"), *f)));
            formulas.push((format!("a {nu}"), given.a0[nu]));
        }
        let formulas: Vec<(&str, &str)> = formulas.iter().map(|(l, f)| (l.as_str(), *f)).collect();
        let mut paper = Paper::new(&given.text, given.letters, &[], &formulas);
        let names: Vec<&str> = given.independent.iter().chain(given.dependent).copied().collect();
        let v: Vec<Symbol> = names.iter().map(|q| paper.symbol(&format!("{q}'"))).collect();
        let (n, k) = (given.independent.len(), given.dependent.len());
        Voronets {
            name: given.name.to_string(),
            n,
            k,
            q: names.iter().map(|q| paper.symbol(q)).collect(),
            w: v.iter().map(|v| Configuration::acceleration(&mut paper.system.graph, *v)).collect(),
            v,
            kinetic: paper.value("T"),
            forces: (0..n + k).map(|s| paper.value(&format!("Q {s}"))).collect(),
            a: (0..k).map(|nu| (0..n).map(|i| paper.value(&format!("a {nu} {i}"))).collect()).collect(),
            a0: (0..k).map(|nu| paper.value(&format!("a {nu}"))).collect(),
            paper,
        }
    }

    fn g(&mut self) -> &mut Graph {
        &mut self.paper.system.graph
    }

    fn d(&mut self, e: Expr, s: Symbol) -> Expr {
        self.g().derivative(e, s)
    }

    /// (14): all velocities in terms of the independent ones.
    fn velocities(&mut self) -> Vec<Expr> {
        let (n, v, a, a0) = (self.n, self.v.clone(), self.a.clone(), self.a0.clone());
        let g = self.g();
        let mut all: Vec<Expr> = v[..n].iter().map(|s| g.var(*s)).collect();
        for (row, a0) in a.iter().zip(a0) {
            let linear = dot(g, row, &all);
            all.push(g.add(linear, a0));
        }
        all
    }

    /// A function of all velocities as one of the independent velocities.
    fn on_constraints(&mut self, e: Expr) -> Expr {
        let map: Rates = self.v.clone().into_iter().zip(self.velocities()).collect();
        self.g().substitute(e, &map)
    }

    /// Θ.
    fn theta(&mut self) -> Expr {
        self.on_constraints(self.kinetic)
    }

    /// ∂T/∂q̇_s, and ∂T/∂q_s, on the constraints.
    fn on_constraints_d(&mut self, e: Expr, s: Symbol) -> Expr {
        let d = self.d(e, s);
        self.on_constraints(d)
    }

    /// K_ν.
    fn impulse(&mut self, nu: usize) -> Expr {
        self.on_constraints_d(self.kinetic, self.v[self.n + nu])
    }

    /// Q_s on the constraints.
    fn force(&mut self, s: usize) -> Expr {
        self.on_constraints(self.forces[s])
    }

    /// d/dt of a function of t, q and the independent velocities, with accelerations as symbols.
    fn ddt(&mut self, e: Expr) -> Expr {
        let mut rates: Rates = self.q.clone().into_iter().zip(self.velocities()).collect();
        let (time, n, v, w) = (self.paper.system.time, self.n, self.v.clone(), self.w.clone());
        let g = self.g();
        rates.insert(time, g.one());
        rates.extend(v[..n].iter().zip(&w).map(|(v, w)| (*v, g.var(*w))));
        g.along(e, &rates)
    }

    /// ∂f/∂q_j + Σ_μ a_μj ∂f/∂q_{n+μ}.
    fn carried(&mut self, f: Expr, j: usize) -> Expr {
        let mut parts = vec![self.d(f, self.q[j])];
        for mu in 0..self.k {
            let d = self.d(f, self.q[self.n + mu]);
            let a = self.a[mu][j];
            parts.push(self.g().mul(a, d));
        }
        self.g().sum(parts)
    }

    /// ∂f/∂t + Σ_μ a_μ ∂f/∂q_{n+μ}.
    fn carried_by_time(&mut self, f: Expr) -> Expr {
        let mut parts = vec![self.d(f, self.paper.system.time)];
        for mu in 0..self.k {
            let d = self.d(f, self.q[self.n + mu]);
            let a = self.a0[mu];
            parts.push(self.g().mul(a, d));
        }
        self.g().sum(parts)
    }

    /// (15): A_ij^(ν).
    fn curl(&mut self, nu: usize, i: usize, j: usize) -> Expr {
        let plus = self.carried(self.a[nu][i], j);
        let minus = self.carried(self.a[nu][j], i);
        self.g().sub(plus, minus)
    }

    /// (15): A_i^(ν).
    fn curl_of_time(&mut self, nu: usize, i: usize) -> Expr {
        let plus = self.carried_by_time(self.a[nu][i]);
        let minus = self.carried(self.a0[nu], i);
        self.g().sub(plus, minus)
    }

    /// (17), right side: the Lagrangian part Θ_{q_i} + Q_i + Σ_ν a_νi (Θ_{q_{n+ν}} + Q_{n+ν}) …
    fn lagrangian_part(&mut self, i: usize) -> Expr {
        let theta = self.theta();
        let mut parts = vec![self.d(theta, self.q[i]), self.force(i)];
        for nu in 0..self.k {
            let (d, force) = (self.d(theta, self.q[self.n + nu]), self.force(self.n + nu));
            let a = self.a[nu][i];
            let both = self.g().add(d, force);
            parts.push(self.g().mul(a, both));
        }
        self.g().sum(parts)
    }

    /// … and the part Σ_ν K_ν (Σ_j A_ij^(ν) q̇_j + A_i^(ν)).
    fn impulse_part(&mut self, i: usize) -> Expr {
        let mut parts = Vec::new();
        for nu in 0..self.k {
            let impulse = self.impulse(nu);
            let rate = self.difference(nu, i);
            parts.push(self.g().mul(impulse, rate));
        }
        self.g().sum(parts)
    }

    /// Σ_j A_ij^(ν) q̇_j + A_i^(ν).
    fn difference(&mut self, nu: usize, i: usize) -> Expr {
        let mut parts = vec![self.curl_of_time(nu, i)];
        for j in 0..self.n {
            let (curl, v) = (self.curl(nu, i, j), self.v[j]);
            let v = self.g().var(v);
            parts.push(self.g().mul(curl, v));
        }
        self.g().sum(parts)
    }

    /// Where the equation of q̇_i stands in equations of the program.
    fn equation(&self, equations: &Equations, i: usize) -> usize {
        equations.unknowns.iter().position(|u| *u == self.v[i]).expect("an independent velocity")
    }

    /// Where q̇_s stands among the velocities of the model.
    fn place(&self, s: usize) -> usize {
        self.paper.system.configuration.velocities().iter().position(|v| *v == self.v[s]).expect("a velocity")
    }

    fn derive(&mut self, form: Form) -> Equations {
        self.paper.system.equations(form).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn same(&mut self, a: Expr, b: Expr, label: &str) {
        let label = format!("{}: {label}", self.name);
        assert_equal(self.g(), a, b, &label);
    }

    /// The independent accelerations of the program, for q̈_i.
    fn solved(&mut self, equations: &Equations) -> Rates {
        (0..self.n).map(|i| (self.w[i], equations.rates[self.equation(equations, i)])).collect()
    }
}

/// The rolling disk with viscous resistance to every coordinate.
fn disk() -> Voronets {
    let resistance =
        "[forces]\ntheta = \"-c1*theta'\"\nphi = \"-c2*phi'\"\npsi = \"-c3*psi'\"\nx = \"-c4*x'\"\ny = \"-c5*y'\"\n";
    Voronets::new(&Given {
        name: "disk",
        text: format!("{}\n{resistance}", builtin("rolling-disk")),
        letters: &["c1", "c2", "c3", "c4", "c5"],
        independent: &["theta", "phi", "psi"],
        dependent: &["x", "y"],
        kinetic: "M/2*((x' + r*sin(theta)*sin(phi)*theta' - r*cos(theta)*cos(phi)*phi')^2 \
                  + (y' - r*sin(theta)*cos(phi)*theta' - r*cos(theta)*sin(phi)*phi')^2 + r^2*cos(theta)^2*theta'^2) \
                  + I1/2*(theta'^2 + phi'^2*sin(theta)^2) + I3/2*(psi' + phi'*cos(theta))^2",
        forces: &["-M*g*r*cos(theta) - c1*theta'", "-c2*phi'", "-c3*psi'", "-c4*x'", "-c5*y'"],
        a: &[&["0", "0", "-r*cos(phi)"], &["0", "0", "-r*sin(phi)"]],
        a0: &["0", "0"],
        more: &[],
    })
}

/// A particle seen from a turning frame, on planes that move: everything depends on time.
fn particle() -> Voronets {
    let text = r#"
        [parameters]
        m = 1.2
        kappa = 0.6
        mu = 0.1
        b = 0.4
        c = 0.3
        nu = 1.5
        W = 0.2
        [coordinates]
        x = "real"
        y = "real"
        z = "real"
        [lagrangian]
        kinetic   = "m/2*((x' - W*y)^2 + (y' + W*x)^2 + (1 + cos(t)^2)*z'^2)"
        potential = "kappa/2*(x^2 + y^2 + z^2) + mu*x*z*cos(t)"
        [forces]
        z = "-c*z'"
        [constraints]
        plane = "z' = (y + b*sin(nu*t))*x' + c*cos(t)"
    "#;
    Voronets::new(&Given {
        name: "rheonomic particle",
        text: text.to_string(),
        letters: &[],
        independent: &["x", "y"],
        dependent: &["z"],
        kinetic: "m/2*((x' - W*y)^2 + (y' + W*x)^2 + (1 + cos(t)^2)*z'^2)",
        forces: &["-kappa*x - mu*z*cos(t)", "-kappa*y", "-kappa*z - mu*x*cos(t) - c*z'"],
        a: &[&["y + b*sin(nu*t)", "0"]],
        a0: &["c*cos(t)"],
        more: &[],
    })
}

/// The knife edge on an incline, solved for the velocity downhill: its coordinate is not cyclic.
fn knife_edge() -> Voronets {
    Voronets::new(&Given {
        name: "knife edge",
        text: format!("independent = [\"y'\", \"theta'\"]\n{}", builtin("knife-edge")),
        letters: &[],
        independent: &["y", "theta"],
        dependent: &["x"],
        kinetic: "m/2*(x'^2 + y'^2) + J/2*theta'^2",
        forces: &["0", "0", "m*g*sin(alpha)"],
        a: &[&["cos(theta)/sin(theta)", "0"]],
        a0: &["0"],
        more: &[],
    })
}

/// Two constraints whose coefficients contain the dependent coordinates and the time.
fn two_constraints() -> Voronets {
    let text = r#"
        [parameters]
        m = 1.1
        kappa = 0.7
        c = 0.2
        [coordinates]
        u = "real"
        v = "real"
        w = "real"
        y = "real"
        z = "real"
        [lagrangian]
        kinetic   = "m/2*(u'^2 + v'^2 + w'^2 + y'^2 + z'^2) + (y*u' + z' + t*v')^2/2"
        potential = "kappa*u*y*z"
        [forces]
        u = "-c*y'"
        z = "-c*z*z'"
        [constraints]
        first  = "y' = z*u' + w*y*v' + y*t"
        second = "z' = y*u' + u*z*w' + u + z"
    "#;
    Voronets::new(&Given {
        name: "two constraints",
        text: text.to_string(),
        letters: &[],
        independent: &["u", "v", "w"],
        dependent: &["y", "z"],
        kinetic: "m/2*(u'^2 + v'^2 + w'^2 + y'^2 + z'^2) + (y*u' + z' + t*v')^2/2",
        forces: &["-kappa*y*z - c*y'", "0", "0", "-kappa*u*z", "-kappa*u*y - c*z*z'"],
        a: &[&["z", "w*y", "0"], &["y", "0", "u*z"]],
        a0: &["y*t", "u + z"],
        more: &[],
    })
}

/// Three independent coordinates, each tied to the two others by the constraint.
fn three_pairs() -> Voronets {
    let text = r#"
        [parameters]
        m = 1.5
        kappa = 0.7
        [coordinates]
        u = "real"
        v = "real"
        w = "real"
        z = "real"
        [lagrangian]
        kinetic   = "m/2*(u'^2 + v'^2 + w'^2 + z'^2)"
        potential = "kappa*u*v*w"
        [constraints]
        twist = "z' = v*u' + w*v' + u*w'"
    "#;
    Voronets::new(&Given {
        name: "three pairs",
        text: text.to_string(),
        letters: &[],
        independent: &["u", "v", "w"],
        dependent: &["z"],
        kinetic: "m/2*(u'^2 + v'^2 + w'^2 + z'^2)",
        forces: &["-kappa*v*w", "-kappa*u*w", "-kappa*u*v", "0"],
        a: &[&["v", "w", "u"]],
        a0: &["0"],
        more: &[],
    })
}

fn all() -> Vec<Voronets> {
    vec![disk(), particle(), knife_edge(), two_constraints(), three_pairs()]
}

/// (14): the constraints solved for the dependent velocities.
#[test]
fn eq_14_constraints_solved() {
    for mut s in all() {
        let e = s.paper.system.distribution.elimination.clone();
        assert_eq!((e.free.len(), e.pivots.len()), (s.n, s.k), "{}", s.name);
        for nu in 0..s.k {
            let row = e.pivots.iter().position(|p| *p == s.place(s.n + nu)).expect("a dependent velocity");
            for i in 0..s.n {
                let column = e.free.iter().position(|f| *f == s.place(i)).expect("an independent velocity");
                s.same(e.solution[(row, column)], s.a[nu][i], &format!("(14), a_{nu}{i}"));
            }
            s.same(e.solution[(row, s.n)], s.a0[nu], &format!("(14), a_{nu}"));
        }
    }
}

/// (15): A_ij and A_i are the brackets [e_j, e_i] and [e_0, e_i] of the frame, which have no other components.
#[test]
fn eq_15_integrability_conditions() {
    for mut s in all() {
        let frame = s.paper.system.voronets_frame();
        let (configuration, time) = (s.paper.system.configuration.clone(), s.paper.system.time);
        let pivots = s.paper.system.distribution.elimination.pivots.clone();
        let field = |s: &Voronets, i: usize| frame.xi.iter().position(|x| *x == s.v[i]).expect("a field");
        for i in 0..s.n {
            let e_i = Leg::Field(field(&s, i));
            let legs: Vec<Option<usize>> = (0..s.n).filter(|j| *j != i).map(Some).chain([None]).collect();
            for j in legs {
                let e_j = j.map_or(Leg::Drift, |j| Leg::Field(field(&s, j)));
                let bracket = frame.bracket(s.g(), &configuration, time, e_j, e_i);
                let zero = s.g().zero();
                for along in 0..s.n {
                    s.same(bracket[along], zero, "(15), no component along D");
                }
                for nu in 0..s.k {
                    let expected = match j {
                        Some(j) => s.curl(nu, i, j),
                        None => s.curl_of_time(nu, i),
                    };
                    let at = pivots.iter().position(|p| *p == s.place(s.n + nu)).expect("a dependent velocity");
                    s.same(bracket[s.n + at], expected, &format!("(15), ν = {nu}, i = {i}, j = {j:?}"));
                }
            }
        }
    }
}

/// (16): the equations with multipliers, for all velocities; the printed λ_k in the first line is λ_ν.
#[test]
fn eq_16_multipliers() {
    for mut s in all() {
        let equations = s.derive(Form::Multipliers);
        let order: Vec<usize> = (0..s.n + s.k).map(|i| s.place(i)).collect();
        let accelerations: Rates = (0..s.n + s.k).map(|i| (s.w[i], equations.rates[order[i]])).collect();
        let lambda: Vec<Expr> = (0..s.k).map(|nu| equations.reaction_force[order[s.n + nu]]).collect();
        for i in 0..s.n + s.k {
            let momentum = s.d(s.kinetic, s.v[i]);
            let left = s.paper.rate(momentum);
            let left = s.g().substitute(left, &accelerations);
            let (push, force) = (s.d(s.kinetic, s.q[i]), s.forces[i]);
            let reaction = |s: &mut Voronets, lambda: &[Expr]| {
                if i >= s.n {
                    return lambda[i - s.n];
                }
                let column: Vec<Expr> = s.a.iter().map(|row| row[i]).collect();
                let sum = dot(s.g(), lambda, &column);
                s.g().neg(sum)
            };
            let constraint = reaction(&mut s, &lambda);
            let right = s.g().sum([push, force, constraint]);
            s.same(left, right, &format!("(16), coordinate {i}"));
            s.same(equations.reaction_force[order[i]], constraint, &format!("(16), reaction on {i}"));
            if s.name == "two constraints" && i == 0 {
                let printed = reaction(&mut s, &[lambda[1], lambda[1]]);
                assert_differs(s.g(), printed, constraint, "(16) with λ_k as printed");
            }
        }
    }
}

/// §5, the unnumbered lines between (16) and (17): Θ_{q̇_i}, Θ_{q_s}, and the equations without multipliers. The last
/// is printed with ∂Θ/∂q_i for ∂T/∂q_i, and the second with ∂a_νi/∂q_n q_i for ∂a_νi/∂q_s q̇_i.
#[test]
fn section_5_lines_before_17() {
    for mut s in all() {
        let theta = s.theta();
        let equations = s.derive(Form::Voronets);
        let solved = s.solved(&equations);
        let impulses: Vec<Expr> = (0..s.k).map(|nu| s.impulse(nu)).collect();
        let mut printed_line_holds = true;
        for i in 0..s.n {
            let column: Vec<Expr> = s.a.iter().map(|row| row[i]).collect();
            let momentum = s.d(theta, s.v[i]);
            let (own, others) = (s.on_constraints_d(s.kinetic, s.v[i]), dot(s.g(), &column, &impulses));
            let expected = s.g().add(own, others);
            s.same(momentum, expected, "∂Θ/∂q̇_i");

            let left = s.ddt(momentum);
            let mut parts = vec![s.force(i)];
            for nu in 0..s.k {
                let (push, force) = (s.on_constraints_d(s.kinetic, s.q[s.n + nu]), s.force(s.n + nu));
                let both = s.g().add(push, force);
                parts.push(s.g().mul(column[nu], both));
                let rate = s.ddt(column[nu]);
                parts.push(s.g().mul(rate, impulses[nu]));
            }
            let rest = s.g().sum(parts);
            let (corrected, printed) = (s.on_constraints_d(s.kinetic, s.q[i]), s.d(theta, s.q[i]));
            let (corrected, printed) = (s.g().add(corrected, rest), s.g().add(printed, rest));
            let left = s.g().substitute(left, &solved);
            s.same(left, corrected, &format!("the line before (17), i = {i}"));
            printed_line_holds &= s.g().equal(left, printed).is_equal();
        }
        // It holds as printed where no coefficient depends on an independent coordinate, which is never the case here.
        assert!(!printed_line_holds, "{}: the line before (17) as printed", s.name);

        let mut literal_holds = true;
        for at in 0..s.n + s.k {
            let change = |s: &mut Voronets, by: Symbol, factors: &[Symbol]| {
                let mut parts = vec![s.on_constraints_d(s.kinetic, s.q[at])];
                for nu in 0..s.k {
                    let mut inner = vec![s.d(s.a0[nu], s.q[at])];
                    for i in 0..s.n {
                        let d = s.d(s.a[nu][i], by);
                        let factor = s.g().var(factors[i]);
                        inner.push(s.g().mul(d, factor));
                    }
                    let inner = s.g().sum(inner);
                    parts.push(s.g().mul(impulses[nu], inner));
                }
                s.g().sum(parts)
            };
            let (by, v, q, last) = (s.q[at], s.v.clone(), s.q.clone(), s.q[s.n - 1]);
            let expected = change(&mut s, by, &v);
            let actual = s.d(theta, by);
            s.same(actual, expected, &format!("∂Θ/∂q_{at}"));
            let literal = change(&mut s, last, &q);
            literal_holds &= s.g().equal(actual, literal).is_equal();
        }
        assert!(!literal_holds, "{}: ∂Θ/∂q_s as printed", s.name);
    }
}

/// (17): momentum, Lagrangian part, impulse part and accelerations of the Voronets form, each against the paper.
#[test]
fn eq_17_voronets_equations() {
    for mut s in all() {
        let equations = s.derive(Form::Voronets);
        let solved = s.solved(&equations);
        let theta = s.theta();
        for i in 0..s.n {
            let balance = equations.balance[s.equation(&equations, i)].clone();
            let momentum = s.d(theta, s.v[i]);
            s.same(balance.momentum, momentum, "(17), Θ_{q̇_i}");
            let (lagrangian, impulse) = (s.lagrangian_part(i), s.impulse_part(i));
            let force = s.g().add(balance.lagrangian, balance.force);
            s.same(force, lagrangian, &format!("(17), Lagrangian part, i = {i}"));
            s.same(balance.bracket, impulse, &format!("(17), impulse part, i = {i}"));
            let left = s.ddt(momentum);
            let left = s.g().substitute(left, &solved);
            let right = s.g().add(lagrangian, impulse);
            s.same(left, right, &format!("(17) with the accelerations of the program, i = {i}"));
        }
        for nu in 0..s.k {
            let name = format!("K_{}", s.paper.system.graph.name(s.q[s.n + nu]));
            let named = equations.named.iter().find(|x| x.name == name).unwrap_or_else(|| panic!("no {name}")).value;
            let impulse = s.impulse(nu);
            s.same(named, impulse, &name);
        }
    }
}

/// (17) needs its last sum: without the impulses K_ν the equations are different ones, in every system here.
#[test]
fn eq_17_impulses_matter() {
    for mut s in all() {
        let zero = s.g().zero();
        let parts: Vec<Expr> = (0..s.n).map(|i| s.impulse_part(i)).collect();
        assert!(parts.iter().any(|p| !s.g().equal(*p, zero).is_equal()), "{}", s.name);
    }
}

/// A point in space, up to its potential.
const POINT: &str = r#"
        [parameters]
        m = 1.0
        kappa = 0.5
        c = 0.3
        [coordinates]
        x = "real"
        y = "real"
        z = "real"
        [lagrangian]
        kinetic   = "m/2*(x'^2 + y'^2 + z'^2)"
"#;

/// The point with what makes it one of §5: z depends on x and y.
const GIVEN_POINT: Given = Given {
    name: "",
    text: String::new(),
    letters: &[],
    independent: &["x", "y"],
    dependent: &["z"],
    kinetic: "m/2*(x'^2 + y'^2 + z'^2)",
    forces: &[],
    a: &[],
    a0: &[],
    more: &[],
};

/// §6: integrable constraints give Lagrange's equations.
#[test]
fn section_6_integrable_constraints() {
    let text = format!(
        r#"{POINT}
        potential = "kappa*x*z^2"
        [constraints]
        surface = "z' = (2*x + y*t)*x' + x*t*y' + x*y + c*cos(t)"
    "#
    );
    let mut s = Voronets::new(&Given {
        name: "surface",
        text,
        forces: &["-kappa*z^2", "0", "-2*kappa*x*z"],
        a: &[&["2*x + y*t", "x*t"]],
        a0: &["x*y + c*cos(t)"],
        more: &[("zeta", "x^2 + x*y*t + c*sin(t)")],
        ..GIVEN_POINT
    });
    let equations = s.derive(Form::Voronets);
    let zero = s.g().zero();
    for i in 0..2 {
        let curl = s.curl(0, i, 1 - i);
        s.same(curl, zero, "A_ij");
        let curl = s.curl_of_time(0, i);
        s.same(curl, zero, "A_i");
        s.same(equations.balance[i].bracket, zero, "no impulse part");
    }
    // Lagrange's equations of Λ(t, x, y, x', y') = L at z = ζ(t, x, y).
    let (solved, lagrangian, zeta) = (s.solved(&equations), s.paper.system.lagrangian, s.paper.value("zeta"));
    let speed = s.ddt(zeta);
    let on_surface = Rates::from_iter([(s.q[2], zeta), (s.v[2], speed)]);
    let lagrangian = s.g().substitute(lagrangian, &on_surface);
    for i in 0..2 {
        let momentum = s.d(lagrangian, s.v[i]);
        let (left, right) = (s.ddt(momentum), s.d(lagrangian, s.q[i]));
        let left = s.g().substitute(left, &solved);
        let left = s.g().substitute(left, &on_surface);
        s.same(left, right, "Lagrange's equations");
    }
}

/// §6: with cyclic q_{n+ν} the brackets lose their sums over μ, and (17) closes on q_1 … q_n, rheonomic or not.
#[test]
fn section_6_cyclic_coordinates() {
    let text = format!(
        r#"{POINT}
        potential = "kappa*x*y^2"
        [forces]
        z = "-c*z'"
        [constraints]
        line = "z' = y*cos(t)*x' + x*t*y' + x*y*t^2"
    "#
    );
    let mut s = Voronets::new(&Given {
        name: "cyclic and rheonomic",
        text,
        forces: &["-kappa*y^2", "-2*kappa*x*y", "-c*z'"],
        a: &[&["y*cos(t)", "x*t"]],
        a0: &["x*y*t^2"],
        ..GIVEN_POINT
    });
    let (x, y, time) = (s.q[0], s.q[1], s.paper.system.time);
    for (i, j, q_i, q_j) in [(0, 1, x, y), (1, 0, y, x)] {
        let (plus, minus) = (s.d(s.a[0][i], q_j), s.d(s.a[0][j], q_i));
        let (expected, actual) = (s.g().sub(plus, minus), s.curl(0, i, j));
        s.same(actual, expected, "A_ij of §6");
        let (plus, minus) = (s.d(s.a[0][i], time), s.d(s.a0[0], q_i));
        let (expected, actual) = (s.g().sub(plus, minus), s.curl_of_time(0, i));
        s.same(actual, expected, "A_i of §6");
    }
    let z = s.q[2];
    for form in [Form::Voronets, Form::Chaplygin] {
        let equations = s.derive(form);
        let solved = s.solved(&equations);
        for i in 0..2 {
            let rate = equations.rates[i];
            assert!(!s.paper.system.graph.contains_any(rate, &[z]), "x and y move by themselves");
            let theta = s.theta();
            let momentum = s.d(theta, s.v[i]);
            let left = s.ddt(momentum);
            let left = s.g().substitute(left, &solved);
            let (lagrangian, impulse) = (s.lagrangian_part(i), s.impulse_part(i));
            let right = s.g().add(lagrangian, impulse);
            s.same(left, right, "(17) of a cyclic system");
        }
    }
}

/// §6, Chaplygin's equations: with the sum over ν and j they are those of the program; the printed sum over ν alone,
/// with whatever j, is wrong as soon as n > 2.
#[test]
fn section_6_chaplygin_equations() {
    for mut s in [disk(), three_pairs()] {
        let equations = s.derive(Form::Chaplygin);
        let solved = s.solved(&equations);
        let theta = s.theta();
        let mut wrong_for = vec![Vec::new(); s.n];
        for i in 0..s.n {
            let balance = equations.balance[s.equation(&equations, i)].clone();
            let mut parts = vec![s.d(theta, s.q[i]), s.force(i)];
            for nu in 0..s.k {
                let (a, force) = (s.a[nu][i], s.force(s.n + nu));
                parts.push(s.g().mul(a, force));
            }
            let plain = s.g().sum(parts);
            let terms: Vec<Expr> = (0..s.n)
                .map(|j| {
                    let mut sum_over_nu = Vec::new();
                    for nu in 0..s.k {
                        let (plus, minus) = (s.d(s.a[nu][i], s.q[j]), s.d(s.a[nu][j], s.q[i]));
                        let (impulse, v) = (s.impulse(nu), s.v[j]);
                        let (curl, v) = (s.g().sub(plus, minus), s.g().var(v));
                        sum_over_nu.push(s.g().product([impulse, curl, v]));
                    }
                    s.g().sum(sum_over_nu)
                })
                .collect();
            let double = s.g().sum(terms.iter().copied());
            s.same(balance.bracket, double, "Chaplygin's double sum");
            let momentum = s.d(theta, s.v[i]);
            let left = s.ddt(momentum);
            let left = s.g().substitute(left, &solved);
            let right = s.g().add(plain, double);
            s.same(left, right, "Chaplygin's equation");
            for (j, single) in terms.into_iter().enumerate() {
                let printed = s.g().add(plain, single);
                if !s.g().equal(left, printed).is_equal() {
                    wrong_for[j].push(i);
                }
            }
        }
        // No j is right for all equations of the disk; for three pairs none is right for any.
        assert!(wrong_for.iter().all(|equations| !equations.is_empty()), "{}: {wrong_for:?}", s.name);
        if s.name == "three pairs" {
            assert!(wrong_for.iter().all(|equations| equations.len() == s.n), "{wrong_for:?}");
        }
    }
}

/// §6: where the hypotheses of Chaplygin's equations fail, the program says which.
#[test]
fn section_6_chaplygin_refused() {
    let refused = |mut s: Voronets| s.paper.system.equations(Form::Chaplygin).unwrap_err();
    let not_cyclic = |coordinate: &str, place| NotApplicable::NotCyclic { coordinate: coordinate.to_string(), place };
    assert_eq!(refused(knife_edge()), not_cyclic("x", "the Lagrangian"));
    assert_eq!(refused(knife_edge()).to_string(), "the Lagrangian contains the dependent coordinate x");
    assert_eq!(refused(particle()), not_cyclic("z", "the Lagrangian"));
    assert_eq!(refused(two_constraints()), not_cyclic("y", "the constraint coefficients"));
    let refused = |text: &str| {
        let mut paper = Paper::new(text, &[], &[], &[]);
        paper.system.equations(Form::Chaplygin).unwrap_err()
    };
    let base = "[parameters]\nm = 1\n[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n\
                [lagrangian]\nkinetic = \"m/2*(x'^2 + y'^2 + z'^2)\"\n";
    assert_eq!(refused(base), NotApplicable::NoConstraints);
    let coefficients = format!("{base}[constraints]\nc = \"z' = y*z*x'\"\n");
    assert_eq!(refused(&coefficients), not_cyclic("z", "the constraint coefficients"));
    let forces = format!("{base}[constraints]\nc = \"z' = y*x'\"\n[forces]\nx = \"-z\"\n");
    assert_eq!(refused(&forces), not_cyclic("z", "the forces"));
    let suslov = refused(builtin("suslov"));
    assert!(matches!(suslov, NotApplicable::NotACoordinate(_)), "{suslov}");
}

/// §6, Ferrers' theorem: A_ij = 0 for one i makes that equation Lagrangian, provided the dependent coordinates are cyclic
/// in Θ too, which the statement leaves out.
#[test]
fn section_6_ferrers() {
    let mut s = disk();
    let equations = s.derive(Form::Voronets);
    let (zero, theta) = (s.g().zero(), s.theta());
    for nu in 0..s.k {
        for j in 1..s.n {
            let curl = s.curl(nu, 0, j);
            s.same(curl, zero, "A_θj");
        }
    }
    let balance = equations.balance[s.equation(&equations, 0)].clone();
    s.same(balance.bracket, zero, "the equation of θ has no impulses");
    let (push, force) = (s.d(theta, s.q[0]), s.force(0));
    let (expected, actual) = (s.g().add(push, force), s.g().add(balance.lagrangian, balance.force));
    s.same(actual, expected, "the equation of θ is Lagrangian");

    let text = "[parameters]\nm = 1\n[coordinates]\nx = \"real\"\nz = \"real\"\n\
                [lagrangian]\nkinetic = \"m/2*(1 + z^2)*(x'^2 + z'^2)\"\n[constraints]\nc = \"z' = x'\"\n";
    let mut s = Voronets::new(&Given {
        name: "not cyclic",
        text: text.to_string(),
        letters: &[],
        independent: &["x"],
        dependent: &["z"],
        kinetic: "m/2*(1 + z^2)*(x'^2 + z'^2)",
        forces: &["0", "0"],
        a: &[&["1"]],
        a0: &["0"],
        more: &[],
    });
    let equations = s.derive(Form::Voronets);
    let theta = s.theta();
    let (push, zero) = (s.d(theta, s.q[0]), s.g().zero());
    s.same(equations.balance[0].bracket, zero, "no impulses");
    assert_differs(s.g(), equations.balance[0].lagrangian, push, "Θ_x alone");
}

/// (18), (19), (20): both integrals, varied with (19) and integrated by parts, give (17). The differences
/// d/dt δq_{n+ν} − δq̇_{n+ν} of §7 are Σ_i (Σ_j A_ij^(ν) q̇_j + A_i^(ν)) δq_i.
#[test]
fn eq_18_19_20_variational_formulas() {
    for mut s in all() {
        let (n, k, theta) = (s.n, s.k, s.theta());
        let v_all = s.velocities();
        let names: Vec<String> = s.q.iter().map(|q| s.paper.system.graph.name(*q).to_string()).collect();
        let delta: Vec<Symbol> = names[..n].iter().map(|q| s.g().symbol(&format!("delta_{q}"))).collect();
        let delta_dot: Vec<Symbol> = names[..n].iter().map(|q| s.g().symbol(&format!("delta_{q}'"))).collect();
        let dq: Vec<Expr> = delta.iter().map(|d| s.g().var(*d)).collect();
        let dv: Vec<Expr> = delta_dot.iter().map(|d| s.g().var(*d)).collect();
        // (19), and d/dt δq_{n+ν}
        let mut dq_all = dq.clone();
        let mut dv_all = dv.clone();
        for nu in 0..k {
            let row = s.a[nu].clone();
            dq_all.push(dot(s.g(), &row, &dq));
            let rates: Vec<Expr> = row.iter().map(|a| s.ddt(*a)).collect();
            let (own, rest) = (dot(s.g(), &row, &dv), dot(s.g(), &rates, &dq));
            dv_all.push(s.g().add(own, rest));
        }
        let on_paths: Rates = s.q.iter().chain(&s.v).copied().zip(dq_all.iter().chain(&dv_all).copied()).collect();
        let impulses: Vec<Expr> = (0..k).map(|nu| s.impulse(nu)).collect();
        let forces: Vec<Expr> = (0..n + k).map(|r| s.force(r)).collect();
        let work = dot(s.g(), &forces, &dq_all);

        // (18): all δq̇ = d/dt δq, so the varied curve violates (14)
        let mut parts = vec![s.g().along(theta, &on_paths), work];
        // (20): (14) is varied, so δq̇_{n+ν} ≠ d/dt δq_{n+ν}
        let mut varied = on_paths.clone();
        let mut commutators = Vec::new();
        for nu in 0..k {
            let change = s.g().along(v_all[n + nu], &on_paths);
            let difference = s.g().sub(dv_all[n + nu], change);
            varied.insert(s.v[n + nu], change);
            let coefficients: Vec<Expr> = (0..n).map(|i| s.difference(nu, i)).collect();
            let expected = dot(s.g(), &coefficients, &dq);
            s.same(difference, expected, "§7, d/dt δq − δq̇");
            commutators.push(difference);
        }
        let impulse_work = dot(s.g(), &impulses, &commutators);
        parts.push(impulse_work);
        let eq_18 = s.g().sum(parts);
        let kinetic = s.kinetic;
        let change = s.g().along(kinetic, &varied);
        let change = s.on_constraints(change);
        let eq_20 = s.g().sum([change, work, impulse_work]);

        for (integrand, name) in [(eq_18, "(18)"), (eq_20, "(20)")] {
            for i in 0..n {
                let (momentum, force) = (s.d(integrand, delta_dot[i]), s.d(integrand, delta[i]));
                let expected = s.d(theta, s.v[i]);
                s.same(momentum, expected, &format!("{name}, coefficient of δq̇_{i}"));
                let (lagrangian, impulse) = (s.lagrangian_part(i), s.impulse_part(i));
                let expected = s.g().add(lagrangian, impulse);
                s.same(force, expected, &format!("{name}, coefficient of δq_{i}"));
            }
        }
    }
}
