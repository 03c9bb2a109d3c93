//! The shape variable, what is linear in it, and the energy.
//!
//! The linear systems (L1) are those of `polhode_mechanics::noether::ode`: they are read off the equations of motion, and nothing is
//! asked about bodies. With as many w as there are velocities beside ṡ, the quasi-velocities of the equations are functions of
//! (s, ṡ, w), and so is the energy. That it is a function of nothing else is decided exactly.

use super::NotLinear;
use polhode_expr::{Expr, Graph, Matrix, Reading, Symbol, ZeroTest, determinant, inverse};
use polhode_mechanics::noether::ode::shape_systems;
use polhode_mechanics::noether::{Flow, LinearSystem};
use polhode_mechanics::{System, doctor};
use polhode_model::Kind;
use rustc_hash::FxHashMap;

/// Formulas with more nodes are not simplified.
const MOST_NODES: usize = 4000;

/// One of the w.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Its letter.
    pub symbol: Symbol,
    /// What it is, in positions and velocities of the model.
    pub definition: Expr,
}

/// An angle or coordinate that follows by a quadrature.
#[derive(Clone, Debug)]
pub struct Quadrature {
    /// Its name.
    pub name: String,
    /// The coordinate, where it is one of the model.
    pub position: Option<Symbol>,
    /// Its rate as a function of s, ṡ and w.
    pub rate: Expr,
}

/// (L1) and (L2) of a system.
#[derive(Clone, Debug)]
pub struct Shape {
    /// s: a coordinate, or the angle θ with cos θ = R_ij.
    pub variable: Symbol,
    /// R_ij in that case.
    pub cosine: Option<Expr>,
    /// ṡ.
    pub speed: Symbol,
    /// ṡ in positions and velocities of the model.
    pub speed_definition: Expr,
    /// w.
    pub unknowns: Vec<Unknown>,
    /// M(s).
    pub matrix: Matrix,
    /// m(s).
    pub affine: Vec<Expr>,
    /// G(s).
    pub inertia: Expr,
    /// V_eff(s, w) = ½ wᵀW w + βᵀw + V.
    pub potential: Expr,
    /// What follows by quadrature.
    pub quadratures: Vec<Quadrature>,
    /// Functions of the position that keep their values, and the letters for these.
    pub levels: Vec<(Symbol, Expr)>,
}

impl Shape {
    /// Whether m vanishes: the linear system is homogeneous.
    pub fn is_homogeneous(&self, graph: &Graph) -> bool {
        self.affine.iter().all(|e| graph.is_zero(*e))
    }

    /// The first of two w that is by itself, while the other depends on it.
    pub fn leader(&self, graph: &Graph) -> Option<&Unknown> {
        let alone = |i: usize, j: usize| graph.is_zero(self.matrix[(i, j)]);
        let first = match (self.unknowns.len() == 2).then(|| (alone(0, 1), alone(1, 0)))? {
            (true, false) => 0,
            (false, true) => 1,
            _ => return None,
        };
        self.unknowns.get(first)
    }

    /// Whether every w is by itself: M is diagonal.
    pub fn is_decoupled(&self, graph: &Graph) -> bool {
        let k = self.unknowns.len();
        (0..k).all(|i| (0..k).all(|j| i == j || graph.is_zero(self.matrix[(i, j)])))
    }
}

/// Looks for the shape variable.
pub(super) fn find(system: &mut System) -> Result<Shape, NotLinear> {
    let flow = Flow::new(system);
    let power = {
        let equations = flow.equations.clone();
        system.power(&equations)
    };
    if !power.is_zero() {
        return Err(NotLinear::EnergyChanges);
    }
    let systems = shape_systems(system, &flow);
    let mut best = NotLinear::NoVariable;
    for linear in &systems {
        match reduce(system, &flow, linear) {
            Ok(shape) => return Ok(shape),
            Err(why) if why.rank() > best.rank() => best = why,
            Err(_) => {}
        }
    }
    Err(best)
}

/// What a motion is in (s, ṡ, w) for one of the linear systems.
fn reduce(system: &mut System, flow: &Flow, linear: &LinearSystem) -> Result<Shape, NotLinear> {
    let xi = flow.equations.unknowns.clone();
    let name = system.graph.name(linear.variable).to_string();
    // the first of the velocities is the number 1
    let one = system.graph.one();
    let all: Vec<usize> = (0..linear.order()).filter(|j| linear.velocities[*j] != one).collect();
    let constant = (0..linear.order()).find(|j| linear.velocities[*j] == one);
    if all.is_empty() && xi.len() > 1 {
        return Err(NotLinear::NoVariable);
    }
    if all.len() + 1 < xi.len() {
        return Err(NotLinear::NotClosed { variable: name, found: all.len() + 1, wanted: xi.len() });
    }
    let places = closed_part(system, flow, linear, &all, xi.len() - 1).ok_or_else(|| NotLinear::NotClosed {
        variable: name.clone(),
        found: 0,
        wanted: xi.len(),
    })?;
    let levels = levels(system, linear);
    let definitions: Vec<Expr> = places.iter().map(|j| linear.velocities[*j]).collect();
    let w_on_d = flow.on_d(&mut system.graph, &definitions);
    let s_on_d = speed_on_d(system, flow, linear);
    let forms: Vec<Expr> = std::iter::once(s_on_d).chain(w_on_d.iter().copied()).collect();

    let (speed, unknowns) = letters(system, linear, &definitions, &w_on_d, &xi);
    let symbols: Vec<Symbol> = std::iter::once(speed).chain(unknowns.iter().map(|u| u.symbol)).collect();
    // what stands for ξ must not be what ξ is called
    let stand_ins: Vec<Symbol> = (0..xi.len()).map(|i| system.graph.symbol(&format!("stand_in[{}]", i + 1))).collect();
    let meant: FxHashMap<Symbol, Expr> = stand_ins.iter().copied().zip(forms.iter().copied()).collect();
    let mut view = View { system, linear, levels: &levels, solved: FxHashMap::default(), meant };
    let forms = view.placed(&forms);
    let graph = &mut view.system.graph;
    let n = xi.len();
    let slopes = Matrix::from_fn(n, n, |i, j| graph.derivative(forms[i], xi[j]));
    let at_rest: FxHashMap<Symbol, Expr> = xi.iter().map(|s| (*s, graph.zero())).collect();
    let rest = graph.substitute_all(&forms, &at_rest);
    let mut zero = ZeroTest::new(&view.system.graph);
    let back = inverse(&mut view.system.graph, &mut zero, &slopes).ok_or_else(|| NotLinear::NotClosed {
        variable: name.clone(),
        found: 0,
        wanted: n,
    })?;
    let graph = &mut view.system.graph;
    let shifted: Vec<Expr> = (0..n)
        .map(|i| {
            let x = graph.var(stand_ins[i]);
            graph.sub(x, rest[i])
        })
        .collect();
    let solution = back.mul_vec(graph, &shifted);
    view.solved = xi.iter().copied().zip(solution).collect();
    let named: FxHashMap<Symbol, Expr> = stand_ins
        .iter()
        .zip(&symbols)
        .map(|(a, b)| {
            let e = view.system.graph.var(*b);
            (*a, e)
        })
        .collect();
    let allowed: Vec<Symbol> = std::iter::once(linear.variable)
        .chain(stand_ins.iter().copied())
        .chain(view.system.parameters.iter().copied())
        .chain(levels.iter().map(|l| l.symbol))
        .collect();

    let energy = view.system.energy();
    let energy = flow.on_d(&mut view.system.graph, &[energy])[0];
    let reduced =
        view.function(energy, &allowed).ok_or_else(|| NotLinear::EnergyDependsOnMore { variable: name.clone() })?;
    let quadratures = quadratures(&mut view, flow, &allowed, &named);

    let graph = &mut system.graph;
    let first = graph.derivative(reduced, stand_ins[0]);
    let inertia = graph.derivative(first, stand_ins[0]);
    let still: FxHashMap<Symbol, Expr> = [(stand_ins[0], graph.zero())].into_iter().collect();
    let coupling = graph.substitute(first, &still);
    if !system.is_zero(coupling) {
        return Err(NotLinear::Coupled { variable: name });
    }
    let potential = system.graph.substitute(reduced, &still);
    let potential = system.graph.substitute(potential, &named);
    let (inertia, potential) = (tidy(system, inertia), tidy(system, potential));
    let k = places.len();
    let negative = |system: &mut System, e: Expr| {
        let minus = system.graph.neg(e);
        tidy(system, minus)
    };
    // (T3): dw/ds = −Aᵀ w
    let mut matrix = Matrix::zeros(&system.graph, k, k);
    for i in 0..k {
        for j in 0..k {
            matrix[(i, j)] = negative(system, linear.matrix[(places[j], places[i])]);
        }
    }
    let affine = (0..k)
        .map(|i| match constant {
            Some(c) => negative(system, linear.matrix[(c, places[i])]),
            None => system.graph.zero(),
        })
        .collect();
    let speed_definition = speed_of_velocities(system, linear);
    Ok(Shape {
        variable: linear.variable,
        cosine: linear.cosine,
        speed,
        speed_definition,
        unknowns,
        matrix,
        affine,
        inertia,
        potential,
        quadratures,
        levels: levels.into_iter().map(|l| (l.symbol, l.function)).collect(),
    })
}

/// As many of the w as there are velocities beside ṡ, independent of it, that obey equations of their own: ṡ itself may be among all of them, where it is constant.
fn closed_part(
    system: &mut System,
    flow: &Flow,
    linear: &LinearSystem,
    all: &[usize],
    count: usize,
) -> Option<Vec<usize>> {
    if all.len() == count {
        return Some(all.to_vec());
    }
    let xi = flow.equations.unknowns.clone();
    let speed = speed_on_d(system, flow, linear);
    let velocities: Vec<Expr> = all.iter().map(|j| linear.velocities[*j]).collect();
    let on_d = flow.on_d(&mut system.graph, &velocities);
    let subsets = (0u32..1 << all.len().min(12)).filter(|m| m.count_ones() as usize == count);
    for mask in subsets {
        let chosen: Vec<usize> = (0..all.len()).filter(|i| mask >> i & 1 == 1).collect();
        // dw_i/ds = −Σ_j A_ji w_j
        let closed = chosen.iter().all(|i| {
            (0..all.len()).all(|j| chosen.contains(&j) || system.graph.is_zero(linear.matrix[(all[j], all[*i])]))
        });
        if !closed {
            continue;
        }
        let forms: Vec<Expr> = std::iter::once(speed).chain(chosen.iter().map(|i| on_d[*i])).collect();
        let slopes = Matrix::from_fn(xi.len(), xi.len(), |i, j| system.graph.derivative(forms[i], xi[j]));
        let determinant = determinant(&mut system.graph, &slopes);
        if !system.is_zero(determinant) {
            return Some(chosen.into_iter().map(|i| all[i]).collect());
        }
    }
    None
}

/// ṡ on D.
fn speed_on_d(system: &mut System, flow: &Flow, linear: &LinearSystem) -> Expr {
    let s = match linear.cosine {
        Some(entry) => entry,
        None => system.graph.var(linear.variable),
    };
    let rate = flow.rates_of(&mut system.graph, &[s])[0];
    if linear.cosine.is_none() {
        return rate;
    }
    // θ̇ = −ṡ/sin θ
    let angle = system.graph.var(linear.variable);
    let sine = system.graph.sin(angle);
    let ratio = system.graph.div(rate, sine);
    system.graph.neg(ratio)
}

/// ṡ in the velocities of the model.
fn speed_of_velocities(system: &mut System, linear: &LinearSystem) -> Expr {
    let configuration = system.configuration.clone();
    let graph = &mut system.graph;
    let v: Vec<Expr> = configuration.velocities().iter().map(|s| graph.var(*s)).collect();
    let motion = configuration.motion_along(graph, system.time, &v);
    let angle = graph.var(linear.variable);
    match linear.cosine {
        None => graph.along(angle, &motion),
        Some(entry) => {
            let rate = graph.along(entry, &motion);
            let sine = graph.sin(angle);
            let ratio = graph.div(rate, sine);
            graph.neg(ratio)
        }
    }
}

/// Letters for ṡ and w: those of the model where they are velocities of its own.
fn letters(
    system: &mut System,
    linear: &LinearSystem,
    definitions: &[Expr],
    on_d: &[Expr],
    xi: &[Symbol],
) -> (Symbol, Vec<Unknown>) {
    let graph = &mut system.graph;
    let name = format!("{}'", graph.name(linear.variable));
    let speed = graph.symbol(&name);
    let mut unknowns = Vec::new();
    for (i, (definition, on_d)) in definitions.iter().zip(on_d).enumerate() {
        let own = graph.as_symbol(*definition).or_else(|| graph.as_symbol(*on_d).filter(|s| xi.contains(s)));
        let symbol = own.unwrap_or_else(|| graph.symbol(&format!("w[{}]", i + 1)));
        unknowns.push(Unknown { symbol, definition: *definition });
    }
    (speed, unknowns)
}

/// A function of the position that keeps its value, solved for a coordinate.
struct Level {
    symbol: Symbol,
    function: Expr,
    coordinate: Symbol,
    solved: Expr,
}

/// Holonomic constraints in disguise, linear in a coordinate with a constant factor: the height of a body that rolls on a plane.
fn levels(system: &mut System, linear: &LinearSystem) -> Vec<Level> {
    let mut out: Vec<Level> = Vec::new();
    let factors = system.configuration.factors().to_vec();
    let free: Vec<Symbol> = (factors.iter())
        .flat_map(|f| match f.kind {
            Kind::Se3 | Kind::Rolling => f.positions[9..].to_vec(),
            Kind::Real => f.positions.clone(),
            _ => Vec::new(),
        })
        .filter(|s| *s != linear.variable)
        .collect();
    for integral in doctor::integrals(system) {
        let graph = &mut system.graph;
        let h = integral.expression;
        let found = free.iter().copied().find(|s| {
            let slope = graph.derivative(h, *s);
            graph.as_number(slope).is_some() && !graph.is_zero(slope)
        });
        let Some(coordinate) = found.filter(|s| out.iter().all(|l| l.coordinate != *s)) else { continue };
        let symbol = graph.symbol(&format!("level[{}]", out.len() + 1));
        let slope = graph.derivative(h, coordinate);
        let at_zero = [(coordinate, graph.zero())].into_iter().collect();
        let rest = graph.substitute(h, &at_zero);
        let value = graph.var(symbol);
        let difference = graph.sub(value, rest);
        let solved = graph.div(difference, slope);
        out.push(Level { symbol, function: h, coordinate, solved });
    }
    out
}

/// Functions on D as functions of (s, ṡ, w).
struct View<'a> {
    system: &'a mut System,
    linear: &'a LinearSystem,
    levels: &'a [Level],
    /// ξ in (s, ṡ, w).
    solved: FxHashMap<Symbol, Expr>,
    /// ṡ and w on D.
    meant: FxHashMap<Symbol, Expr>,
}

impl View<'_> {
    fn on_levels(&mut self, functions: &[Expr]) -> Vec<Expr> {
        let levels: FxHashMap<Symbol, Expr> = self.levels.iter().map(|l| (l.coordinate, l.solved)).collect();
        self.system.graph.substitute_all(functions, &levels)
    }

    /// Without coordinates that levels determine, and at one rotation for every s.
    fn placed(&mut self, functions: &[Expr]) -> Vec<Expr> {
        let on_levels = self.on_levels(functions);
        self.linear.at_example(self.system, &on_levels)
    }

    /// The function, if it is one of the allowed symbols alone.
    fn function(&mut self, e: Expr, allowed: &[Symbol]) -> Option<Expr> {
        let placed = self.placed(&[e])[0];
        let solved = self.system.graph.substitute(placed, &self.solved);
        let short = tidy(self.system, solved);
        let narrow = self.system.narrowed(short);
        let narrow = tidy(self.system, narrow);
        if self.system.graph.free_symbols(&[narrow]).iter().any(|s| !allowed.contains(s)) {
            return None;
        }
        if self.linear.cosine.is_some() {
            // the same at all rotations with this entry
            let back = self.system.graph.substitute(narrow, &self.meant);
            let back = self.linear.on_position(self.system, back);
            let [back, whole] = self.on_levels(&[back, e])[..] else { return None };
            let difference = self.system.graph.sub(back, whole);
            if !self.system.is_zero(difference) {
                return None;
            }
        }
        Some(narrow)
    }
}

/// Coordinates whose rates are functions of (s, ṡ, w); for the angle of an entry R_ij, the turn about axis i of space and the spin about axis j of the body.
fn quadratures(
    view: &mut View<'_>,
    flow: &Flow,
    allowed: &[Symbol],
    named: &FxHashMap<Symbol, Expr>,
) -> Vec<Quadrature> {
    let mut wanted: Vec<(String, Option<Symbol>, Expr)> = Vec::new();
    for f in view.system.configuration.factors().to_vec() {
        if matches!(f.kind, Kind::Real | Kind::Angle | Kind::Interval(..)) && f.positions[0] != view.linear.variable {
            let s = f.positions[0];
            if let Some(rate) = flow.rates.get(&s) {
                wanted.push((f.name.clone(), Some(s), *rate));
            }
        }
    }
    if let Some((rotation, row, column)) = view.linear.entry() {
        let rotations = view.system.configuration.factors().iter().find(|f| f.positions.starts_with(&rotation));
        let omega: Option<Vec<Symbol>> = rotations.map(|f| f.velocities[f.velocities.len() - 3..].to_vec());
        if let Some(omega) = omega {
            let graph = &mut view.system.graph;
            let entry = graph.var(rotation[3 * row + column]);
            let parts: Vec<Expr> = (0..3)
                .filter(|j| *j != column)
                .map(|j| {
                    let (r, v) = (graph.var(rotation[3 * row + j]), graph.var(omega[j]));
                    graph.mul(r, v)
                })
                .collect();
            let sum = graph.sum(parts);
            let (one, square) = (graph.one(), graph.powi(entry, 2));
            let below = graph.sub(one, square);
            let precession = graph.div(sum, below);
            let turned = graph.mul(entry, precession);
            let own = graph.var(omega[column]);
            let spin = graph.sub(own, turned);
            let rates = flow.on_d(graph, &[precession, spin]);
            wanted.push(("precession".into(), None, rates[0]));
            wanted.push(("spin".into(), None, rates[1]));
        }
    }
    let mut out = Vec::new();
    for (name, position, rate) in wanted {
        if let Some(rate) = view.function(rate, allowed) {
            let rate = view.system.graph.substitute(rate, named);
            out.push(Quadrature { name, position, rate });
        }
    }
    out
}

fn tidy(system: &mut System, e: Expr) -> Expr {
    if system.graph.reachable(&[e]).len() > MOST_NODES {
        return e;
    }
    let reading = Reading { parameters: system.parameters.clone() };
    system.graph.simplify(e, &reading)
}
