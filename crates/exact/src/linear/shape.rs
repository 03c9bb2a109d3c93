//! The shape variable, what is linear in it, and the energy.
//!
//! The linear systems (L1) are those of `polhode_analysis::noether::ode`: they are read off the equations of motion, and nothing is
//! asked about bodies. With as many w as there are velocities beside ṡ, the quasi-velocities of the equations are functions of
//! (s, ṡ, w), and so is the energy. That it is a function of nothing else is decided exactly.

use super::NotLinear;
use super::levels::{Level, levels};
use super::view::{View, quadratures};
use crate::budget::SIMPLIFIED_NODES;
use polhode_analysis::noether::ode::shape_systems;
use polhode_analysis::noether::{Flow, LinearSystem};
use polhode_expr::{Expr, Graph, Matrix, Reading, Symbol, ZeroTest, determinant, inverse};
use polhode_mechanics::System;
use rustc_hash::FxHashMap;

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
    /// s: a coordinate, the angle θ with cos θ = R_ij, or the distance ρ from an axis.
    pub variable: Symbol,
    /// R_ij in that case.
    pub cosine: Option<Expr>,
    /// s in the positions, where it is no coordinate.
    pub place: Option<Expr>,
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
    let vanishing = levels.iter().filter(|l| l.vanishes).map(|l| (l.symbol, view.system.graph.zero()));
    let named: FxHashMap<Symbol, Expr> = named.into_iter().chain(vanishing.collect::<Vec<_>>()).collect();
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
    let inertia = system.graph.substitute(inertia, &named);
    let (inertia, potential) = (tidy(system, inertia), tidy(system, potential));
    let k = places.len();
    let negative = |system: &mut System, e: Expr| {
        let minus = system.graph.neg(e);
        tidy(system, minus)
    };
    let by_level: FxHashMap<Symbol, Expr> = levels.iter().map(|l| (l.coordinate, l.solved)).collect();
    let on_levels = |system: &mut System, e: Expr| {
        let e = system.graph.substitute(e, &by_level);
        system.graph.substitute(e, &named)
    };
    // (T3): dw/ds = −Aᵀ w
    let mut matrix = Matrix::zeros(&system.graph, k, k);
    for i in 0..k {
        for j in 0..k {
            let e = on_levels(system, linear.matrix[(places[j], places[i])]);
            matrix[(i, j)] = negative(system, e);
        }
    }
    let mut affine = vec![system.graph.zero(); k];
    if let Some(c) = constant {
        for (i, m) in affine.iter_mut().enumerate() {
            let e = on_levels(system, linear.matrix[(c, places[i])]);
            *m = negative(system, e);
        }
    }
    let known =
        |s: &Symbol| *s == linear.variable || system.parameters.contains(s) || levels.iter().any(|l| l.symbol == *s);
    let entries: Vec<Expr> = matrix.entries().iter().copied().chain(affine.iter().copied()).collect();
    if !system.graph.free_symbols(&entries).iter().all(known) {
        return Err(NotLinear::EnergyDependsOnMore { variable: name });
    }
    let speed_definition = speed_of_velocities(system, linear);
    Ok(Shape {
        variable: linear.variable,
        cosine: linear.cosine,
        place: linear.place(system),
        speed,
        speed_definition,
        unknowns,
        matrix,
        affine,
        inertia,
        potential,
        quadratures,
        levels: levels.into_iter().filter(|l| !l.vanishes).map(|l: Level| (l.symbol, l.function)).collect(),
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
    let (function, factor) = linear.followed(system);
    let rate = flow.rates_of(&mut system.graph, &[function])[0];
    system.graph.div(rate, factor)
}

/// ṡ in the velocities of the model.
fn speed_of_velocities(system: &mut System, linear: &LinearSystem) -> Expr {
    let (function, factor) = linear.followed(system);
    let configuration = system.configuration.clone();
    let graph = &mut system.graph;
    let v: Vec<Expr> = configuration.velocities().iter().map(|s| graph.var(*s)).collect();
    let motion = configuration.motion_along(graph, system.time, &v);
    let rate = graph.along(function, &motion);
    graph.div(rate, factor)
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

pub(super) fn tidy(system: &mut System, e: Expr) -> Expr {
    if system.graph.reachable(&[e]).len() > SIMPLIFIED_NODES {
        return e;
    }
    let reading = Reading { parameters: system.parameters.clone() };
    system.graph.simplify(e, &reading)
}
