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
//! reads the anchor and the structure constants. Who shows positions, starts them or integrates them asks a [`Factor`] what it has
//! ([`Factor::rotation`], [`Factor::direction`], [`Factor::angle`], …). Which kind it is, the language alone knows.

use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Rates, Relation, Symbol};

/// The kind of a factor of the configuration space.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
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

/// A rotation of space among the positions of a factor, with its angular velocity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The name of the matrix: `R`, `g.R`.
    pub name: String,
    /// Its entries from body to world, row by row.
    pub matrix: [Symbol; 9],
    /// The name of the angular velocity in body axes: `Omega`, `R.Omega`.
    pub body: String,
    /// Its components.
    pub omega: [Symbol; 3],
    /// The name of the angular velocity ω = R Ω in the axes of the world: `omega`, `R.omega`.
    pub world: String,
}

/// A place in space among the positions of a factor that has a rotation too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The name of the place: `g.p`, `x_O`.
    pub name: String,
    /// Its components in the world.
    pub place: [Symbol; 3],
    /// The name of its velocity in body axes: `g.V`, `V`.
    pub body: String,
    /// Its components.
    pub velocity: [Symbol; 3],
}

/// A motion of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneMotion {
    /// The place, in the axes of the plane.
    pub place: [Symbol; 2],
    /// By how much it is turned.
    pub angle: Symbol,
    /// The velocity of the place, in body axes.
    pub velocity: [Symbol; 2],
    /// The rate of the angle.
    pub spin: Symbol,
}

/// A coordinate between two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The coordinate.
    pub coordinate: Symbol,
    /// The lower end, in the parameters.
    pub low: Expr,
    /// The upper end.
    pub high: Expr,
}

/// One factor of the configuration space.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Its name in the model.
    pub name: String,
    pub(crate) kind: Kind,
    /// Its position symbols, matrices row by row.
    pub positions: Vec<Symbol>,
    /// Its velocity symbols.
    pub velocities: Vec<Symbol>,
    rotation: Option<Rotation>,
    translation: Option<Translation>,
}

/// Some of the symbols of a factor, as many as its kind has.
fn take<const N: usize>(symbols: &[Symbol], first: usize) -> [Symbol; N] {
    symbols[first..first + N].try_into().expect("as many as there are")
}

impl Rotation {
    /// What stands before the names of its velocities.
    pub(crate) fn prefix(&self) -> &str {
        self.body.strip_suffix("Omega").unwrap_or_default()
    }
}

impl Factor {
    /// Its rotation of space, if it has one: the first nine positions, and the last three velocities.
    pub fn rotation(&self) -> Option<&Rotation> {
        self.rotation.as_ref()
    }

    /// The place of a body that also turns: the last three positions, and the first three velocities.
    pub fn translation(&self) -> Option<&Translation> {
        self.translation.as_ref()
    }

    /// The factor as a motion of the plane, if it is one.
    pub fn plane_motion(&self) -> Option<PlaneMotion> {
        (self.kind == Kind::Se2).then(|| PlaneMotion {
            place: take(&self.positions, 0),
            angle: self.positions[2],
            velocity: take(&self.velocities, 0),
            spin: self.velocities[2],
        })
    }

    /// Its components, if it is a unit vector.
    pub fn direction(&self) -> Option<[Symbol; 3]> {
        (self.kind == Kind::S2).then(|| take(&self.positions, 0))
    }

    /// Its only coordinate, if it is a line, a circle or an interval: the velocity is its rate.
    pub fn coordinate(&self) -> Option<Symbol> {
        matches!(self.kind, Kind::Real | Kind::Angle | Kind::Interval(..)).then(|| self.positions[0])
    }

    /// Its coordinate, if it is the whole line.
    pub fn line(&self) -> Option<Symbol> {
        (self.kind == Kind::Real).then(|| self.positions[0])
    }

    /// The position that is the same again after a full turn, if there is one.
    pub fn angle(&self) -> Option<Symbol> {
        match self.kind {
            Kind::Angle => Some(self.positions[0]),
            Kind::Se2 => Some(self.positions[2]),
            _ => None,
        }
    }

    /// The velocities that are angular: the rate of an angle, or Ω.
    pub fn angular_velocities(&self) -> &[Symbol] {
        let count = usize::from(self.angle().is_some()) + self.rotation.as_ref().map_or(0, |r| r.omega.len());
        &self.velocities[self.velocities.len() - count..]
    }

    /// Its coordinate with the ends it stays between, if it has them.
    pub fn interval(&self) -> Option<Interval> {
        match self.kind {
            Kind::Interval(low, high) => Some(Interval { coordinate: self.positions[0], low, high }),
            _ => None,
        }
    }

    /// Are its positions carried along by the velocities of other factors?
    pub fn is_carried(&self) -> bool {
        self.kind == Kind::Carried
    }

    /// Is it the motion of a body in contact?
    pub fn in_contact(&self) -> bool {
        self.kind == Kind::Rolling
    }

    /// Positions that are tied to each other: the entries of a rotation or the components of a direction, in rows of three that are unit vectors.
    pub fn tied(&self) -> &[Symbol] {
        if self.direction().is_some() { &self.positions } else { &self.positions[..self.entries()] }
    }

    /// The positions that are not tied to each other.
    pub fn untied(&self) -> &[Symbol] {
        &self.positions[self.tied().len()..]
    }

    /// The positions but for the entries of a rotation.
    pub fn besides_rotation(&self) -> &[Symbol] {
        &self.positions[self.entries()..]
    }

    /// How many positions are entries of a rotation.
    fn entries(&self) -> usize {
        self.rotation.as_ref().map_or(0, |r| r.matrix.len())
    }

    /// One place of the factor: zero, the identity, the third axis. There is none in an interval, nor for points that are carried.
    pub fn origin(&self) -> Option<Vec<i64>> {
        match self.kind {
            Kind::Interval(..) | Kind::Carried => None,
            Kind::S2 => Some(vec![0, 0, 1]),
            _ => Some((0..self.positions.len()).map(|k| i64::from(k < self.entries() && k % 4 == 0)).collect()),
        }
    }
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

    /// Adds a factor. `prefix` stands before the names of the velocities of an `SO(3)` factor and before all names of a rolling one: nothing
    /// when it is the only one (`Omega`), else its own name (`R.Omega`).
    pub(crate) fn add(&mut self, graph: &mut Graph, name: &str, kind: Kind, prefix: &str) {
        let (x0, v0) = (self.positions.len(), self.velocities.len());
        let matrix = |g: &mut Graph, n: &str| -> Vec<Symbol> {
            (0..9).map(|k| g.symbol(&format!("{n}[{},{}]", k / 3 + 1, k % 3 + 1))).collect()
        };
        let vector = |g: &mut Graph, n: &str, tail: &str| -> Vec<Symbol> {
            (1..=3).map(|k| g.symbol(&format!("{n}[{k}]{tail}"))).collect()
        };
        let prefix = match kind {
            Kind::Se3 => format!("{name}."),
            _ => prefix.to_owned(),
        };
        let [body, world, slide] = ["Omega", "omega", "V"].map(|part| format!("{prefix}{part}"));
        let (rotation, place) = match kind {
            Kind::So3 => (name.to_owned(), String::new()),
            Kind::Rolling => (format!("{prefix}R"), format!("{prefix}x_O")),
            _ => (format!("{prefix}R"), format!("{prefix}p")),
        };
        let (positions, velocities) = match kind {
            Kind::Real | Kind::Angle | Kind::Interval(..) => {
                (vec![graph.symbol(name)], vec![graph.symbol(&format!("{name}'"))])
            }
            Kind::So3 => (matrix(graph, &rotation), vector(graph, &body, "")),
            Kind::Se2 => (
                ["x", "y", "theta"].map(|c| graph.symbol(&format!("{name}.{c}"))).to_vec(),
                ["V[1]", "V[2]", "Omega"].map(|c| graph.symbol(&format!("{name}.{c}"))).to_vec(),
            ),
            Kind::Se3 | Kind::Rolling => {
                let mut x = matrix(graph, &rotation);
                x.extend(vector(graph, &place, ""));
                let mut v = vector(graph, &slide, "");
                v.extend(vector(graph, &body, ""));
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
        let turns = matches!(kind, Kind::So3 | Kind::Se3 | Kind::Rolling);
        let rotation = turns.then(|| {
            let omega = take(&velocities, velocities.len() - 3);
            Rotation { name: rotation, matrix: take(&positions, 0), body, omega, world }
        });
        let translation = matches!(kind, Kind::Se3 | Kind::Rolling).then(|| Translation {
            name: place,
            place: take(&positions, 9),
            body: slide,
            velocity: take(&velocities, 0),
        });
        self.factors.push(Factor { name: name.to_string(), kind, positions, velocities, rotation, translation });
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
        let (kind, velocities) = (Kind::Carried, Vec::new());
        let name = name.to_string();
        self.factors.push(Factor { name, kind, positions, velocities, rotation: None, translation: None });
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

    /// The coordinates that stay in an interval.
    pub fn intervals(&self) -> impl Iterator<Item = Interval> {
        self.factors.iter().filter_map(Factor::interval)
    }

    /// The coordinate whose rate this velocity is; there is none for components of an angular velocity and the like.
    pub fn coordinate_of(&self, velocity: Symbol) -> Option<Symbol> {
        self.factors.iter().find(|f| f.velocities.contains(&velocity))?.coordinate()
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
        self.velocities.len() - self.representation.len()
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

    /// ω = R Ω for every rotation, by components with their names: `omega[1]`, `R.omega[2]`.
    pub fn world_rates(&self, graph: &mut Graph) -> Vec<(String, Expr)> {
        let mut out = Vec::new();
        for turn in self.factors.iter().filter_map(Factor::rotation) {
            let omega = turn.omega.map(|s| graph.var(s));
            for (i, row) in turn.matrix.chunks(3).enumerate() {
                let row: Vec<Expr> = row.iter().map(|s| graph.var(*s)).collect();
                out.push((format!("{}[{}]", turn.world, i + 1), dot(graph, &row, &omega)));
            }
        }
        out
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
        q.add(&mut g, "g", kind, "");
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
            q.add(&mut g, "g", kind, "");
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
        q.add(&mut g, "R", Kind::So3, "");
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
