//! Configuration spaces: what positions and velocities are, and how they are tied.
//!
//! A configuration space is a product of factors. Each factor brings position symbols
//! (what formulas contain), velocity symbols (components along a *base frame* b_A of
//! vector fields), and their relation:
//!
//! ```text
//! ẋ^i = B^i_A(x) v^A                 the anchor
//! [b_A, b_B] = C^D_AB b_D            the structure constants of the base frame
//! ```
//!
//! | kind | positions | velocities | base frame |
//! | --- | --- | --- | --- |
//! | `real`, `angle`, interval | `x` | `x'` | ∂_x |
//! | `SO(3)` | `R[i,j]`, body to world | `Omega[i]`, body | left-invariant, [b_1,b_2] = b_3 |
//! | `SE(2)` | `g.x g.y g.theta` | `g.V[1] g.V[2] g.Omega`, body | left-invariant, [b_3,b_1] = b_2, [b_3,b_2] = −b_1 |
//! | `SE(3)` | `g.R[i,j] g.p[i]` | `g.V[i] g.Omega[i]`, body | left-invariant |
//! | rolling | `R[i,j] x_O[i]` | `V[i] Omega[i]`, body | that of `SE(3)`; a body in contact, at its centre of mass |
//! | `S2` | `s[i]`, unit vector | `s[i]'` | ∂_i of R³, with the constraint s·ṡ = 0 |
//! | carried | `c[i]` | none | B^i_A(x) of their own: points that the other velocities carry along |
//!
//! Carried positions, such as points of contact, have rates but no velocities; with a moving ground the rates have a
//! part of their own besides, ċ^i = B^i_A v^A + B^i_0(x, t). The fields b_A then need not close
//! under brackets in these components; that is no harm, since no Lagrangian has a momentum there: the frame equation
//! only needs how a field changes along another.
//!
//! So nothing after this file needs to know what a rotation is: the frame equation
//! reads the anchor and the structure constants.

use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Rates, Relation, Symbol};

/// The kind of a factor of the configuration space.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// The real line.
    Real,
    /// The circle.
    Angle,
    /// An open interval, with the ends as expressions in the parameters.
    Interval(Expr, Expr),
    /// Rotations of space.
    So3,
    /// Motions of the plane.
    Se2,
    /// Motions of space.
    Se3,
    /// Motions of space of a body in contact, with the names R, x_O, V, Ω.
    Rolling,
    /// Directions in space.
    S2,
    /// Positions whose rates are linear in the velocities of other factors.
    Carried,
}

impl Kind {
    /// Dimension of the factor.
    pub fn dimension(&self) -> usize {
        match self {
            Kind::Real | Kind::Angle | Kind::Interval(..) => 1,
            Kind::S2 => 2,
            Kind::Carried => 0,
            Kind::So3 | Kind::Se2 => 3,
            Kind::Se3 | Kind::Rolling => 6,
        }
    }

    /// How the kind is written in a model file.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Real => "real",
            Kind::Angle => "angle",
            Kind::Interval(..) => "interval",
            Kind::So3 => "SO(3)",
            Kind::Se2 => "SE(2)",
            Kind::Se3 => "SE(3)",
            Kind::Rolling => "rolling",
            Kind::S2 => "S2",
            Kind::Carried => "carried",
        }
    }
}

/// One factor of the configuration space.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Its name in the model.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its position symbols, matrices row by row.
    pub positions: Vec<Symbol>,
    /// Its velocity symbols.
    pub velocities: Vec<Symbol>,
}

/// A product of factors with its base frame.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    factors: Vec<Factor>,
    positions: Vec<Symbol>,
    velocities: Vec<Symbol>,
    /// Non-zero entries (position, velocity, B) of the anchor.
    anchor: Vec<(usize, usize, Expr)>,
    /// Carried positions with their rates: linear in the velocity symbols, and what is left without velocities.
    carried: Vec<Carried>,
    /// Non-zero structure constants (A, B, D, C^D_AB).
    structure: Vec<(usize, usize, usize, i64)>,
    /// Rows that every velocity satisfies because of the representation (S²).
    representation: Vec<Vec<(usize, Expr)>>,
}

/// The rate of a carried position. It is kept as one expression, which is shorter than the sum over the velocities.
#[derive(Clone, Copy, Debug)]
struct Carried {
    position: usize,
    linear: Expr,
    drift: Expr,
}

/// The Levi-Civita symbol's non-zero entries on indices 0, 1, 2.
const EPSILON: [(usize, usize, usize, i64); 6] =
    [(0, 1, 2, 1), (1, 2, 0, 1), (2, 0, 1, 1), (1, 0, 2, -1), (2, 1, 0, -1), (0, 2, 1, -1)];

impl Configuration {
    /// A space with no factors yet.
    pub fn new() -> Configuration {
        Configuration::default()
    }

    /// Adds a factor. `rotation_velocity` is the name of the angular velocity of an
    /// `SO(3)` or rolling factor: `Omega` when it is the only one, else `R.Omega`; what stands before `Omega` stands
    /// before the other names of a rolling factor too.
    pub fn add(&mut self, graph: &mut Graph, name: &str, kind: Kind, rotation_velocity: &str) {
        let (x0, v0) = (self.positions.len(), self.velocities.len());
        let matrix = |g: &mut Graph, n: &str| -> Vec<Symbol> {
            (0..9).map(|k| g.symbol(&format!("{n}[{},{}]", k / 3 + 1, k % 3 + 1))).collect()
        };
        let vector = |g: &mut Graph, n: &str, tail: &str| -> Vec<Symbol> {
            (1..=3).map(|k| g.symbol(&format!("{n}[{k}]{tail}"))).collect()
        };
        let (positions, velocities) = match kind {
            Kind::Real | Kind::Angle | Kind::Interval(..) => {
                (vec![graph.symbol(name)], vec![graph.symbol(&format!("{name}'"))])
            }
            Kind::So3 => (matrix(graph, name), vector(graph, rotation_velocity, "")),
            Kind::Se2 => (
                ["x", "y", "theta"].map(|c| graph.symbol(&format!("{name}.{c}"))).to_vec(),
                ["V[1]", "V[2]", "Omega"].map(|c| graph.symbol(&format!("{name}.{c}"))).to_vec(),
            ),
            Kind::Se3 => {
                let mut x = matrix(graph, &format!("{name}.R"));
                x.extend(vector(graph, &format!("{name}.p"), ""));
                let mut v = vector(graph, &format!("{name}.V"), "");
                v.extend(vector(graph, &format!("{name}.Omega"), ""));
                (x, v)
            }
            Kind::Rolling => {
                let prefix = rotation_velocity.strip_suffix("Omega").unwrap_or_default();
                let mut x = matrix(graph, &format!("{prefix}R"));
                x.extend(vector(graph, &format!("{prefix}x_O"), ""));
                let mut v = vector(graph, &format!("{prefix}V"), "");
                v.extend(vector(graph, rotation_velocity, ""));
                (x, v)
            }
            Kind::S2 => (vector(graph, name, ""), vector(graph, name, "'")),
            Kind::Carried => (Vec::new(), Vec::new()),
        };
        let one = graph.one();
        match kind {
            Kind::Real | Kind::Angle | Kind::Interval(..) => self.anchor.push((x0, v0, one)),
            Kind::So3 => {
                self.anchor_rotation(graph, &positions, x0, v0);
                self.structure.extend(EPSILON.iter().map(|&(a, b, c, s)| (v0 + a, v0 + b, v0 + c, s)));
                graph.relate(Relation::Rotation(positions.clone().try_into().expect("nine entries")));
            }
            Kind::Se2 => {
                let theta = graph.var(positions[2]);
                let (s, c) = (graph.sin(theta), graph.cos(theta));
                let minus = graph.neg(s);
                self.anchor.extend([
                    (x0, v0, c),
                    (x0, v0 + 1, minus),
                    (x0 + 1, v0, s),
                    (x0 + 1, v0 + 1, c),
                    (x0 + 2, v0 + 2, one),
                ]);
                for (a, b, c, s) in [(2, 0, 1, 1), (0, 2, 1, -1), (2, 1, 0, -1), (1, 2, 0, 1)] {
                    self.structure.push((v0 + a, v0 + b, v0 + c, s));
                }
            }
            Kind::Se3 | Kind::Rolling => {
                self.anchor_rotation(graph, &positions[..9], x0, v0 + 3);
                for i in 0..3 {
                    for j in 0..3 {
                        let r = graph.var(positions[3 * i + j]);
                        self.anchor.push((x0 + 9 + i, v0 + j, r));
                    }
                }
                for &(a, b, c, s) in &EPSILON {
                    self.structure.push((v0 + 3 + a, v0 + 3 + b, v0 + 3 + c, s));
                    // [Ω_a, V_b] = ε_abc V_c and its antisymmetric partner
                    self.structure.push((v0 + 3 + a, v0 + b, v0 + c, s));
                    self.structure.push((v0 + b, v0 + 3 + a, v0 + c, -s));
                }
                graph.relate(Relation::Rotation(positions[..9].to_vec().try_into().expect("nine entries")));
            }
            Kind::S2 => {
                self.anchor.extend((0..3).map(|i| (x0 + i, v0 + i, one)));
                let row = (0..3).map(|i| (v0 + i, graph.var(positions[i]))).collect();
                self.representation.push(row);
                graph.relate(Relation::UnitVector(positions.clone().try_into().expect("three entries")));
            }
            Kind::Carried => {}
        }
        self.positions.extend(&positions);
        self.velocities.extend(&velocities);
        self.factors.push(Factor { name: name.to_string(), kind, positions, velocities });
    }

    /// Adds positions that other velocities carry along: each symbol with its rate, affine in the velocities of this
    /// space.
    pub fn carry(&mut self, graph: &mut Graph, name: &str, points: Vec<(Symbol, Expr)>) {
        let at_rest = self.velocities.iter().map(|v| (*v, graph.zero())).collect();
        let first = self.positions.len();
        for (i, (_, rate)) in points.iter().enumerate() {
            let drift = graph.substitute(*rate, &at_rest);
            let linear = if graph.is_zero(drift) { *rate } else { graph.sub(*rate, drift) };
            self.carried.push(Carried { position: first + i, linear, drift });
        }
        let positions: Vec<Symbol> = points.into_iter().map(|(s, _)| s).collect();
        self.positions.extend(&positions);
        self.factors.push(Factor { name: name.to_string(), kind: Kind::Carried, positions, velocities: Vec::new() });
    }

    /// Ṙ = R Ω̂, that is Ṙ_ij = Σ_k R_ik (Ω × e_j)_k with (Ω × e_j)_k = Σ_a ε_ajk Ω_a.
    fn anchor_rotation(&mut self, graph: &mut Graph, entries: &[Symbol], x0: usize, v0: usize) {
        for i in 0..3 {
            for &(a, j, k, sign) in &EPSILON {
                let r = graph.var(entries[3 * i + k]);
                let value = graph.scale(r, &int(sign));
                self.anchor.push((x0 + 3 * i + j, v0 + a, value));
            }
        }
    }

    /// The factors in the order of the model.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// All position symbols.
    pub fn positions(&self) -> &[Symbol] {
        &self.positions
    }

    /// All velocity symbols v^A.
    pub fn velocities(&self) -> &[Symbol] {
        &self.velocities
    }

    /// Dimension of the space itself (a sphere counts two).
    pub fn dimension(&self) -> usize {
        self.factors.iter().map(|f| f.kind.dimension()).sum()
    }

    /// Non-zero structure constants `(A, B, D, C^D_AB)` of the base frame.
    pub fn structure(&self) -> &[(usize, usize, usize, i64)] {
        &self.structure
    }

    /// Rows (sparse) that all velocities satisfy because of the representation.
    pub fn representation(&self) -> &[Vec<(usize, Expr)>] {
        &self.representation
    }

    /// The anchor as a matrix, positions by velocities.
    pub fn anchor(&self, graph: &mut Graph) -> Matrix {
        let mut m = Matrix::zeros(graph, self.positions.len(), self.velocities.len());
        for &(i, a, e) in &self.anchor {
            m[(i, a)] = e;
        }
        for c in &self.carried {
            for (a, v) in self.velocities.iter().enumerate() {
                m[(c.position, a)] = graph.derivative(c.linear, *v);
            }
        }
        m
    }

    /// The rates of the positions along the vector field Σ v^A b_A.
    pub fn rates_along(&self, graph: &mut Graph, velocities: &[Expr]) -> Rates {
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); self.positions.len()];
        for &(i, a, e) in &self.anchor {
            if !graph.is_zero(velocities[a]) {
                parts[i].push(graph.mul(e, velocities[a]));
            }
        }
        if !self.carried.is_empty() {
            let at = self.velocities.iter().copied().zip(velocities.iter().copied()).collect();
            let linear: Vec<Expr> = self.carried.iter().map(|c| c.linear).collect();
            let rates = graph.substitute_all(&linear, &at);
            self.carried.iter().zip(rates).for_each(|(c, rate)| parts[c.position].push(rate));
        }
        let mut rates = Rates::default();
        for (i, terms) in parts.into_iter().enumerate() {
            if !terms.is_empty() {
                rates.insert(self.positions[i], graph.sum(terms));
            }
        }
        rates
    }

    /// The components on the base frame of a vector field that is given by the rates of the positions; the other way round
    /// than [`Configuration::rates_along`]. Rates of carried positions are not looked at. Rates that do not keep a rotation a
    /// rotation are not those of the components.
    pub fn components_along(&self, graph: &mut Graph, rates: &Rates) -> Vec<Expr> {
        let mut out = Vec::with_capacity(self.velocities.len());
        for factor in &self.factors {
            let x: Vec<Expr> = factor.positions.iter().map(|s| graph.var(*s)).collect();
            let r: Vec<Expr> = factor.positions.iter().map(|s| rates.get(s).copied().unwrap_or(graph.zero())).collect();
            match factor.kind {
                Kind::Real | Kind::Angle | Kind::Interval(..) | Kind::S2 => out.extend(r),
                Kind::So3 => out.extend(angular(graph, &x, &r)),
                Kind::Se2 => {
                    let (s, c) = (graph.sin(x[2]), graph.cos(x[2]));
                    let minus = graph.neg(s);
                    out.push(dot(graph, &[c, s], &r[..2]));
                    out.push(dot(graph, &[minus, c], &r[..2]));
                    out.push(r[2]);
                }
                Kind::Se3 | Kind::Rolling => {
                    for j in 0..3 {
                        out.push(dot(graph, &[x[j], x[3 + j], x[6 + j]], &r[9..]));
                    }
                    out.extend(angular(graph, &x[..9], &r[..9]));
                }
                Kind::Carried => {}
            }
        }
        out
    }

    /// The rates of positions and time along a motion with these velocities.
    pub fn motion_along(&self, graph: &mut Graph, time: Symbol, velocities: &[Expr]) -> Rates {
        let mut rates = self.rates_along(graph, velocities);
        for c in &self.carried {
            if !graph.is_zero(c.drift) {
                let linear = rates.get(&self.positions[c.position]).copied().unwrap_or(graph.zero());
                rates.insert(self.positions[c.position], graph.add(linear, c.drift));
            }
        }
        rates.insert(time, graph.one());
        rates
    }

    /// The rates of positions and time along the motion.
    pub fn motion(&self, graph: &mut Graph, time: Symbol) -> Rates {
        let v: Vec<Expr> = self.velocities.iter().map(|s| graph.var(*s)).collect();
        self.motion_along(graph, time, &v)
    }

    /// The symbol of the derivative of a velocity: `x''`, `Omega[1]'`.
    pub fn acceleration(graph: &mut Graph, velocity: Symbol) -> Symbol {
        let name = format!("{}'", graph.name(velocity));
        graph.symbol(&name)
    }
}

fn dot(graph: &mut Graph, a: &[Expr], b: &[Expr]) -> Expr {
    let products: Vec<Expr> = a.iter().zip(b).map(|(a, b)| graph.mul(*a, *b)).collect();
    graph.sum(products)
}

/// Ω from Ω̂ = Rᵀ Ṙ: the entries (3,2), (1,3), (2,1).
fn angular(graph: &mut Graph, rotation: &[Expr], rates: &[Expr]) -> [Expr; 3] {
    [(2, 1), (0, 2), (1, 0)].map(|(j, k)| {
        let column = |m: &[Expr], j: usize| [m[j], m[3 + j], m[6 + j]];
        dot(graph, &column(rotation, j), &column(rates, k))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bracket_matches_structure(kind: Kind) {
        let mut g = Graph::new();
        let mut q = Configuration::new();
        q.add(&mut g, "g", kind, "Omega");
        let n = q.velocities().len();
        let field = |g: &mut Graph, a: usize| -> Rates {
            let unit: Vec<Expr> = (0..n).map(|k| if k == a { g.one() } else { g.zero() }).collect();
            q.rates_along(g, &unit)
        };
        for a in 0..n {
            for b in 0..n {
                let (fa, fb) = (field(&mut g, a), field(&mut g, b));
                let mut expected: Vec<Expr> = vec![g.zero(); n];
                for &(i, j, k, s) in q.structure() {
                    if (i, j) == (a, b) {
                        expected[k] = g.int(s);
                    }
                }
                let expected = q.rates_along(&mut g, &expected);
                for x in q.positions().to_vec() {
                    let zero = g.zero();
                    let (xa, xb) = (*fa.get(&x).unwrap_or(&zero), *fb.get(&x).unwrap_or(&zero));
                    // [b_a, b_b] x = b_a(b_b x) − b_b(b_a x)
                    let (p, m) = (g.along(xb, &fa), g.along(xa, &fb));
                    let bracket = g.sub(p, m);
                    let want = *expected.get(&x).unwrap_or(&zero);
                    assert!(g.equal(bracket, want).is_equal(), "[{a},{b}] on {}", g.name(x));
                }
            }
        }
    }

    #[test]
    fn structure_constants_are_those_of_the_fields() {
        for kind in [Kind::Real, Kind::So3, Kind::Se2, Kind::Se3, Kind::Rolling, Kind::S2] {
            bracket_matches_structure(kind);
        }
    }

    #[test]
    fn components_come_back_from_rates() {
        for kind in [Kind::Real, Kind::So3, Kind::Se2, Kind::Se3, Kind::Rolling] {
            let mut g = Graph::new();
            let mut q = Configuration::new();
            q.add(&mut g, "g", kind, "Omega");
            let v: Vec<Expr> = q.velocities().to_vec().iter().map(|s| g.var(*s)).collect();
            let rates = q.rates_along(&mut g, &v);
            for (given, found) in v.iter().zip(q.components_along(&mut g, &rates)) {
                assert!(g.equal(*given, found).is_equal());
            }
        }
    }

    #[test]
    fn rotations_stay_rotations() {
        let mut g = Graph::new();
        let mut q = Configuration::new();
        q.add(&mut g, "R", Kind::So3, "Omega");
        let time = g.symbol("t");
        let rates = q.motion(&mut g, time);
        let e: Vec<Expr> = q.positions().iter().map(|s| g.var(*s)).collect();
        let products: Vec<Expr> = (0..3).map(|k| g.mul(e[k], e[3 + k])).collect();
        let rows = g.sum(products);
        let change = g.along(rows, &rates);
        let zero = g.zero();
        assert!(g.equal(change, zero).is_equal());
    }
}
