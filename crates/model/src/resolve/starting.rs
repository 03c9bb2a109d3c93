//! `[initial.NAME]` of a rolling body: where it touches, how it is turned, how it moves.
//!
//! A contact has five degrees of freedom, and people fix them in different ways:
//!
//! | given | found |
//! | --- | --- |
//! | `rotation`, `touching` | the point of the body whose normal is −Rᵀν₁ |
//! | `contact`, `touching`, `tangent_body`, `tangent_ground`, `heading` | R: ν ↦ −ν₁, projected tangents onto each other, turned about ν₁ |
//! | `contact`, `rotation` | the point of the ground with normal −Rν |
//! | all three of `contact`, `touching`, `rotation` | nothing: they must fit |
//!
//! Without `touching` the ground is touched where its normal is upwards. Points are found in doubles and then by Newton's
//! method in [`WORKING`] digits,
//!
//! ```text
//! δ − ν f/|∇f|,     (S + ννᵀ) δ = P m/(m·ν)         for the normal m
//! ```
//!
//! so that f(c) = 0, f₁(c₁) = 0 and Rν = −ν₁ hold to as many digits as a run can ask for. What was given exactly is kept.

use super::bodies::short;
use super::rolling::Rolling;
use super::surfaces::Bounded;
use super::value::{Shape, Value};
use super::{Resolver, without_place};
use crate::model::InitialValue;
use crate::syntax::{self, Key, Table, ValueKind};
use polhode_base::{Diagnostic, Span};
use polhode_expr::eval::{Arithmetic, Digits, Real};
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::Patch;
use polhode_geometry::numeric::{NumericSurface, Regularity, SurfacePoint};
use rustc_hash::FxHashMap;

/// Digits of the iterations; five more than those of the initial state.
const WORKING: usize = 60;
/// Iterations from doubles: the digits double each time.
const ITERATIONS: usize = 6;
/// What was given is kept if it is exact to this.
const EXACT: f64 = 1e-45;
/// How far normals may be from opposite, in radians, where everything is given.
const FITTING: f64 = 1e-6;
/// Relative curvature below this, in units of the trace, is singular.
const SINGULAR: f64 = 1e-9;

const KEYS: &[&str] =
    &["touching", "c1", "contact", "c", "rotation", "R", "tangent_body", "tangent_ground", "heading", "omega", "Omega"];

/// A quantity that was given.
#[derive(Clone, Debug)]
struct Given {
    entries: Vec<Expr>,
    span: Span,
    flag: Option<String>,
}

/// What was given for the body.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    any: bool,
    touching: Option<Given>,
    contact: Option<Given>,
    /// `contact = { normal = … }`: by its normal instead of its place.
    by_normal: bool,
    rotation: Option<Given>,
    tangent_body: Option<Given>,
    tangent_ground: Option<Given>,
    heading: Option<Given>,
    spin: Option<Given>,
    /// Whether the spin is in world axes.
    world: bool,
}

type V = [Real; 3];
type M = [V; 3];

impl Resolver<'_> {
    /// Whether a key of `[initial]` or a flag is about the rolling body; its name without the body's.
    pub(super) fn rolling_key(&self, name: &str) -> Option<String> {
        let rolling = self.rolling.as_ref()?;
        let own = name.strip_prefix(rolling.name.as_str()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
        let clash =
            own == name && self.configuration.factors().iter().any(|f| f.name == own && !f.velocities.is_empty());
        (KEYS.contains(&own) && !clash).then(|| own.to_owned())
    }

    /// `[initial.NAME]`.
    pub(super) fn rolling_table(&mut self, table: &Table, start: &mut Start) {
        start.any = true;
        for (key, value) in table.iter() {
            if self.known_key(key, KEYS, "the start of a rolling body") {
                self.rolling_entry(key, &key.name, value, start);
            }
        }
    }

    pub(super) fn rolling_entry(&mut self, key: &Key, name: &str, value: &syntax::Value, start: &mut Start) {
        start.any = true;
        let mut value = value;
        if let ("contact" | "c", ValueKind::Table(table)) = (name, &value.kind) {
            for (key, _) in table.iter() {
                self.known_key(key, &["normal"], "a contact");
            }
            let Some(normal) = table.get("normal") else {
                let error = Diagnostic::error("missing-key", "this contact says neither a point nor a normal");
                self.report(
                    error.at(key.span, "").help("write contact = [x, y, z] or contact = { normal = [x, y, z] }"),
                );
                return;
            };
            value = normal;
            start.by_normal = true;
        }
        let Some((tree, result)) = self.formula(value) else { return };
        self.rolling_value(name, result, tree.span, None, start);
    }

    /// A flag takes the place of what the file says, also in other words.
    pub(super) fn rolling_flag(&mut self, name: &str, text: &str, start: &mut Start) {
        start.any = true;
        let shown = format!("--init {name}={text}");
        let Some(value) = self.flag_formula("--init", name, text) else { return };
        let own = self.rolling_key(name).unwrap_or_default();
        let from_file = |g: &Option<Given>| g.as_ref().is_some_and(|g| g.flag.is_none());
        if matches!(own.as_str(), "R" | "rotation") {
            if from_file(&start.contact) {
                start.contact = None;
            }
            (start.tangent_body, start.tangent_ground, start.heading) = (None, None, None);
        }
        if matches!(own.as_str(), "c" | "contact") {
            start.by_normal = false;
            if from_file(&start.rotation) {
                start.rotation = None;
            }
        }
        self.rolling_value(&own, value, Span::default(), Some(shown), start);
    }

    fn rolling_value(&mut self, name: &str, value: Value, span: Span, flag: Option<String>, start: &mut Start) {
        let wanted = match name {
            "rotation" | "R" => Shape::Matrix(3, 3),
            "heading" => Shape::Scalar,
            _ => Shape::Vector(3),
        };
        let given = Given { entries: value.entries().to_vec(), span, flag };
        if value.shape() != wanted {
            let message = format!("`{name}` is {wanted}, but this is {}", value.shape());
            self.blame_given(&given, Diagnostic::error("wrong-dimension", message));
            return;
        }
        let what = format!("the initial value of `{name}`");
        let before = self.found.len();
        let constant = given.entries.iter().all(|e| self.constant(*e, span, &what).is_some());
        if let Some(shown) = &given.flag {
            for error in self.found.split_off(before) {
                self.found.push(without_place(error, shown));
            }
        }
        if !constant {
            return;
        }
        let place = match name {
            "touching" | "c1" => &mut start.touching,
            "contact" | "c" => &mut start.contact,
            "rotation" | "R" => &mut start.rotation,
            "tangent_body" => &mut start.tangent_body,
            "tangent_ground" => &mut start.tangent_ground,
            "heading" => &mut start.heading,
            _ => {
                start.world = name == "omega";
                &mut start.spin
            }
        };
        if let (Some(first), None) = (&*place, &given.flag) {
            let error =
                Diagnostic::error("duplicate-value", format!("`{name}` is given twice, perhaps in other words"))
                    .at(span, "given again here")
                    .also(first.span, "first given here");
            self.report(error);
            return;
        }
        *place = Some(given);
    }

    fn blame_given(&mut self, given: &Given, error: Diagnostic) {
        let error = match &given.flag {
            Some(shown) => without_place(error, shown),
            None => error.at(given.span, ""),
        };
        self.report(error);
    }

    /// The initial values of the rolling body.
    pub(super) fn start_rolling(&mut self, start: &Start, out: &mut Vec<InitialValue>) {
        let Some(rolling) = self.rolling.clone().filter(|_| start.any) else { return };
        // the sections before have been told what is wrong with them
        if self.parameters.iter().any(|p| !self.values.get(&p.symbol).is_some_and(|x| x.is_finite())) {
            return;
        }
        if let Some(given) = &start.rotation {
            let numbers: Vec<f64> =
                given.entries.iter().filter_map(|e| self.graph.evaluate_f64(*e, &self.values).ok()).collect();
            if numbers.len() == 9 && !super::initial::is_rotation(&numbers) {
                let error = Diagnostic::error("not-a-rotation", "the initial rotation is not a rotation matrix")
                    .note("its columns are not three perpendicular unit vectors, or they are left-handed")
                    .help(
                        "write it as a product such as \"Rz(0.3)*Rx(1.1)\", or as quat(w, x, y, z), which is made unit",
                    );
                self.blame_given(given, error);
                return;
            }
        }
        self.place_rolling(&rolling, start, out);
    }

    fn place_rolling(&mut self, rolling: &Rolling, start: &Start, out: &mut Vec<InitialValue>) -> Option<()> {
        let exactly = self.exactly()?;
        let body = self.numeric(&rolling.body)?;
        let ground = self.numeric(&rolling.ground)?;
        let turn: Option<M> = match &start.rotation {
            Some(given) => {
                let v = exactly.values(&self.graph, &given.entries)?;
                Some(std::array::from_fn(|i| std::array::from_fn(|j| v[3 * i + j].clone())))
            }
            None => None,
        };
        let a = Algebra { digits: exactly.digits };

        // the point of the body, where it does not depend on the ground
        let mut at = match &start.contact {
            Some(given) if start.by_normal => {
                let v = exactly.values(&self.graph, &given.entries)?;
                let normal = a.unit(&vector(v));
                let found = self.with_normal(&exactly, &rolling.body_patch, &body, &normal);
                if found.is_none() {
                    let error = Diagnostic::error("no-contact", "the body has no point with this normal");
                    self.blame_given(given, error);
                    return None;
                }
                found
            }
            Some(given) => {
                Some(self.on_surface(&exactly, &rolling.body_patch, &body, given, "the body", rolling.body.span)?)
            }
            None => None,
        };
        let on_ground = match (&start.touching, &at, &turn) {
            (Some(given), _, _) => {
                self.on_surface(&exactly, &rolling.ground_patch, &ground, given, "the ground", rolling.ground.span)?
            }
            (None, at, turn) => {
                let normal = match (at, turn) {
                    (Some(at), Some(turn)) => a.negative(&a.apply(turn, &at.normal)),
                    _ => [0, 0, 1].map(|k| a.digits.number(&int(k))),
                };
                let Some(found) = self.with_normal(&exactly, &rolling.ground_patch, &ground, &normal) else {
                    let message = format!("no point of the ground was found where `{}` could touch it", rolling.name);
                    self.report(
                        Diagnostic::error("no-contact", message)
                            .at(rolling.span, "")
                            .help("say where it touches: touching = [x, y, z]"),
                    );
                    return None;
                };
                found
            }
        };
        let down = a.negative(&on_ground.normal);
        if at.is_none() {
            let given = turn.clone().unwrap_or_else(|| a.identity());
            let normal = a.apply(&a.transpose(&given), &down);
            at = self.with_normal(&exactly, &rolling.body_patch, &body, &normal);
        }
        let Some(at) = at else {
            let message = format!("no point of `{}` has the normal that touches the ground", rolling.name);
            self.report(
                Diagnostic::error("no-contact", message)
                    .at(rolling.span, "")
                    .help("turn the body, or say contact = [x, y, z] in body axes"),
            );
            return None;
        };
        let rotation = match (&turn, start.contact.is_some()) {
            (None, true) => self.between_tangents(&exactly, start, &at.normal, &on_ground.normal)?,
            (turn, _) => {
                let turn = turn.clone().unwrap_or_else(|| a.identity());
                let normal = a.apply(&turn, &at.normal);
                let gap = a.size(&a.minus(&normal, &down));
                if gap > FITTING {
                    let message =
                        format!("the normals of body and ground are not opposite: they are off by {gap:.3} rad");
                    let error = Diagnostic::error("no-contact", message)
                        .help("leave `rotation`, `contact` or `touching` out, and it is found");
                    match start.rotation.as_ref() {
                        Some(given) => self.blame_given(given, error),
                        None => self.report(error.at(rolling.span, "")),
                    }
                    return None;
                }
                a.turned_onto(&normal, &down, &turn)
            }
        };
        self.look_at_curvature(rolling, &exactly, &at, &on_ground, &rotation)?;

        let centre = a.minus(&on_ground.point, &a.apply(&rotation, &at.point));
        let spin: V = match &start.spin {
            Some(given) => {
                let v = vector(exactly.values(&self.graph, &given.entries)?);
                if start.world { a.apply(&a.transpose(&rotation), &v) } else { v }
            }
            None => [0, 0, 0].map(|k| a.digits.number(&int(k))),
        };
        let span = start.spin.as_ref().or(start.touching.as_ref()).map_or(rolling.span, |g| g.span);
        let flat: Vec<Real> = rotation.iter().flatten().cloned().collect();
        let exact_spin = start.spin.as_ref().filter(|_| !start.world);
        let mut put = |symbols: &[Symbol], numbers: &[Real], given: Option<&Given>| {
            let given = given.map(|g| (g.entries.clone(), exactly.values(&self.graph, &g.entries)));
            for (i, (symbol, number)) in symbols.iter().zip(numbers).enumerate() {
                let kept = match &given {
                    Some((entries, Some(values))) => {
                        let gap = a.digits.abs(&(&values[i] - number)).to_f64().value();
                        (gap < EXACT).then(|| entries[i])
                    }
                    _ => None,
                };
                let value = kept.unwrap_or_else(|| self.graph.number(a.digits.exact(number)));
                out.push(InitialValue { symbol: *symbol, value, span });
            }
        };
        put(&rolling.positions[..9], &flat, start.rotation.as_ref());
        put(&rolling.positions[9..], &centre, None);
        put(&rolling.c, &at.point, start.contact.as_ref().filter(|_| !start.by_normal));
        put(&rolling.c1, &on_ground.point, start.touching.as_ref());
        put(&rolling.velocities[3..], &spin, exact_spin);
        for (patch, found) in [(&rolling.body_patch, &at), (&rolling.ground_patch, &on_ground)] {
            if let Patch::Chart(chart) = patch {
                put(&chart.parameters, &found.coordinates, None);
            }
        }
        Some(())
    }

    /// The parameters in working digits.
    fn exactly(&self) -> Option<Exactly> {
        let digits = Digits::decimal(WORKING);
        let mut values = FxHashMap::default();
        for p in &self.parameters {
            let v = self.graph.evaluate(&digits, &[p.value], &values).ok()?.remove(0);
            values.insert(p.symbol, v);
        }
        Some(Exactly { digits, values })
    }

    fn numeric(&self, bounded: &Bounded) -> Option<NumericSurface> {
        let values: Vec<(Symbol, f64)> = self.values.iter().map(|(s, x)| (*s, *x)).collect();
        let surface = NumericSurface::new(&self.graph, &bounded.surface, &values).ok()?;
        Some(match bounded.size {
            Some(size) => surface.with_size(size),
            None => surface,
        })
    }

    /// The point that was given, checked to lie on the surface and to be smooth there.
    fn on_surface(
        &mut self,
        exactly: &Exactly,
        patch: &Patch,
        surface: &NumericSurface,
        given: &Given,
        whose: &str,
        place: Span,
    ) -> Option<Found> {
        let point = vector(exactly.values(&self.graph, &given.entries)?);
        let near = doubles(&point);
        let at = match surface.regularity(near) {
            Regularity::Regular(at) => at,
            Regularity::Off { distance } => {
                let nearest = surface.project(near).map(|p| p.point);
                // the distance to first order, where no nearest point was found
                let gap =
                    nearest.map_or(distance.abs(), |p| (0..3).map(|i| (p[i] - near[i]).powi(2)).sum::<f64>().sqrt());
                let side = if distance > 0.0 { "outside" } else { "inside the material" };
                let message = format!("this point is not on the surface of {whose}: it is {} {side}", short(gap));
                let mut error = Diagnostic::error("not-on-surface", message);
                if given.flag.is_none() {
                    error = error.also(place, "the surface");
                }
                if let Some(p) = nearest {
                    let size = p.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
                    let [x, y, z] = p.map(|x| if x.abs() < 1e-9 * size { 0.0 } else { short(x) });
                    error = error.help(format!("the nearest point of the surface is about [{x}, {y}, {z}]"));
                }
                self.blame_given(given, error);
                return None;
            }
            Regularity::Singular => {
                let message = format!(
                    "the surface of {whose} is not smooth at this point: it has no normal or no curvature there"
                );
                self.blame_given(given, Diagnostic::error("not-regular", message));
                return None;
            }
        };
        let goal = Goal::Point(point.clone());
        exactly.refined(&self.graph, patch, start_of(&at, patch, Some(&point), exactly), &goal)
    }

    /// The point with this normal that reaches farthest along it.
    fn with_normal(&self, exactly: &Exactly, patch: &Patch, surface: &NumericSurface, normal: &V) -> Option<Found> {
        let m = doubles(normal);
        let reach = |p: &SurfacePoint| -> f64 { (0..3).map(|i| p.point[i] * m[i]).sum() };
        let found = surface.points_with_normal(m);
        let at = found.into_iter().max_by(|p, q| reach(p).total_cmp(&reach(q)))?;
        if matches!(surface.regularity(at.point), Regularity::Singular) {
            return None;
        }
        exactly.refined(&self.graph, patch, start_of(&at, patch, None, exactly), &Goal::Normal(normal.clone()))
    }

    /// R: ν ↦ −ν₁ and the projected tangents onto each other, turned by the heading about ν₁.
    fn between_tangents(&mut self, exactly: &Exactly, start: &Start, normal: &V, up: &V) -> Option<M> {
        let a = Algebra { digits: exactly.digits };
        let mut legs: Vec<V> = Vec::new();
        for (given, n) in [(&start.tangent_body, normal), (&start.tangent_ground, up)] {
            let tangent = match given {
                Some(given) => vector(exactly.values(&self.graph, &given.entries)?),
                // an axis that is far from the normal
                None if a.size(&a.projected(&a.axis(0), n)) > 0.1 => a.axis(0),
                None => a.axis(1),
            };
            let along = a.projected(&tangent, n);
            if a.size(&along) < 1e-9 * a.size(&tangent) || a.size(&tangent) == 0.0 {
                if let Some(given) = given {
                    let error = Diagnostic::error(
                        "not-tangent",
                        "this vector is along the normal, so that it gives no heading",
                    );
                    self.blame_given(given, error);
                }
                return None;
            }
            legs.push(a.unit(&along));
        }
        let (from, mut to) = (legs[0].clone(), legs[1].clone());
        if let Some(given) = &start.heading {
            let angle = exactly.values(&self.graph, &given.entries)?.remove(0);
            let g = &mut self.graph;
            let e = g.number(a.digits.exact(&angle));
            let (s, c) = (g.sin(e), g.cos(e));
            let turn = exactly.values(g, &[s, c])?;
            let side = a.cross(up, &to);
            to = std::array::from_fn(|i| &to[i] * &turn[1] + &side[i] * &turn[0]);
        }
        let (third, image) = (a.cross(normal, &from), a.cross(&to, up));
        Some(std::array::from_fn(|i| {
            std::array::from_fn(|j| &to[i] * &from[j] + &image[i] * &third[j] - &up[i] * &normal[j])
        }))
    }

    /// Reports a relative curvature that is singular, and warns where the body would interpenetrate the ground.
    fn look_at_curvature(
        &mut self,
        rolling: &Rolling,
        exactly: &Exactly,
        at: &Found,
        on_ground: &Found,
        rotation: &M,
    ) -> Option<()> {
        let mut values = exactly.values.clone();
        for (patch, found) in [(&rolling.body_patch, at), (&rolling.ground_patch, on_ground)] {
            values.extend(patch.coordinates().iter().copied().zip(found.coordinates.iter().cloned()));
        }
        values.extend(rolling.positions[..9].iter().copied().zip(rotation.iter().flatten().cloned()));
        let roots = [rolling.contact.determinant, rolling.contact.trace];
        let found = self.graph.evaluate(&exactly.digits, &roots, &values).ok();
        let Some([det, trace]) = found.map(|v| [v[0].to_f64().value(), v[1].to_f64().value()]) else {
            let message = format!("the curvature of `{}` or of the ground has no value where they touch", rolling.name);
            self.report(Diagnostic::error("not-regular", message).at(rolling.span, ""));
            return None;
        };
        if det.abs() <= SINGULAR * trace * trace {
            let message = format!("`{}` and the ground touch along more than a point", rolling.name);
            self.report(
                Diagnostic::error("singular-contact", message)
                    .at(rolling.body.span, "")
                    .also(rolling.ground.span, "has the opposite curvature in one direction")
                    .note("then rolling does not determine how the point of contact moves"),
            );
            return None;
        }
        if det < 0.0 || trace < 0.0 {
            let message = format!("`{}` does not fit: near the point of contact it is inside the ground", rolling.name);
            self.report(
                Diagnostic::warning("does-not-fit", message)
                    .at(rolling.body.span, "")
                    .also(rolling.ground.span, "is more curved in one direction")
                    .note("the equations hold, but a real body would touch elsewhere as well"),
            );
        }
        Some(())
    }
}

/// The numbers of a model in working digits.
struct Exactly {
    digits: Digits,
    values: FxHashMap<Symbol, Real>,
}

/// What an iteration looks for.
enum Goal {
    Point(V),
    Normal(V),
}

/// A point of a surface in working digits.
struct Found {
    /// c or (u, v).
    coordinates: Vec<Real>,
    point: V,
    normal: V,
}

impl Exactly {
    fn values(&self, g: &Graph, entries: &[Expr]) -> Option<Vec<Real>> {
        g.evaluate(&self.digits, entries, &self.values).ok()
    }

    /// Newton's method of the module head.
    fn refined(&self, g: &Graph, patch: &Patch, mut coordinates: Vec<Real>, goal: &Goal) -> Option<Found> {
        let a = Algebra { digits: self.digits };
        let mut roots: Vec<Expr> = patch.position().iter().chain(patch.normal()).copied().collect();
        roots.extend(patch.shape().iter().flatten());
        match patch {
            Patch::Implicit(p) => roots.extend([p.f, p.gradient_norm]),
            Patch::Chart(p) => roots.extend(p.dual.iter().flatten()),
        }
        let mut values = self.values.clone();
        let mut step = 0;
        loop {
            values.extend(patch.coordinates().iter().copied().zip(coordinates.iter().cloned()));
            let found = g.evaluate(&self.digits, &roots, &values).ok()?;
            let part = |k: usize| vector(found[k..k + 3].to_vec());
            let (point, normal) = (part(0), part(3));
            if step == ITERATIONS {
                return Some(Found { coordinates, point, normal });
            }
            step += 1;
            let tangent = match goal {
                Goal::Point(p) => a.minus(p, &point),
                Goal::Normal(m) => {
                    let along = a.dot(m, &normal);
                    if along <= Real::ZERO {
                        return None;
                    }
                    let rest = a.projected(m, &normal).map(|x| x / &along);
                    let matrix: M = std::array::from_fn(|i| {
                        std::array::from_fn(|j| &found[6 + 3 * i + j] + &normal[i] * &normal[j])
                    });
                    a.solved(matrix, rest)
                }
            };
            coordinates = match patch {
                Patch::Implicit(_) => {
                    let down = &found[15] / &found[16];
                    let tangent = match goal {
                        Goal::Point(_) => [0, 0, 0].map(|k| self.digits.number(&int(k))),
                        Goal::Normal(_) => tangent,
                    };
                    (0..3).map(|i| &point[i] + &tangent[i] - &down * &normal[i]).collect()
                }
                Patch::Chart(_) => (0..2).map(|k| &coordinates[k] + a.dot(&part(15 + 3 * k), &tangent)).collect(),
            };
        }
    }
}

/// The coordinates from which an iteration starts.
fn start_of(at: &SurfacePoint, patch: &Patch, exact: Option<&V>, exactly: &Exactly) -> Vec<Real> {
    match (patch, at.parameters, exact) {
        (Patch::Chart(_), Some(parameters), _) => parameters.iter().map(|x| exactly.digits.double(*x)).collect(),
        (_, _, Some(point)) => point.to_vec(),
        _ => at.point.iter().map(|x| exactly.digits.double(*x)).collect(),
    }
}

fn vector(v: Vec<Real>) -> V {
    <[Real; 3]>::try_from(v).unwrap_or_default()
}

fn doubles(v: &V) -> [f64; 3] {
    std::array::from_fn(|i| v[i].to_f64().value())
}

/// Vectors in working digits.
struct Algebra {
    digits: Digits,
}

impl Algebra {
    fn dot(&self, a: &V, b: &V) -> Real {
        &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
    }
    fn cross(&self, a: &V, b: &V) -> V {
        [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &a[i] * &b[j] - &a[j] * &b[i])
    }
    fn minus(&self, a: &V, b: &V) -> V {
        std::array::from_fn(|i| &a[i] - &b[i])
    }
    fn negative(&self, a: &V) -> V {
        std::array::from_fn(|i| -a[i].clone())
    }
    fn size(&self, a: &V) -> f64 {
        self.dot(a, a).to_f64().value().sqrt()
    }
    fn unit(&self, a: &V) -> V {
        let square = self.dot(a, a);
        let length = if square > Real::ZERO { square.sqrt() } else { self.digits.number(&int(1)) };
        std::array::from_fn(|i| &a[i] / &length)
    }
    /// a without its part along the unit vector n.
    fn projected(&self, a: &V, n: &V) -> V {
        let along = self.dot(a, n);
        std::array::from_fn(|i| &a[i] - &along * &n[i])
    }
    fn axis(&self, k: usize) -> V {
        std::array::from_fn(|i| self.digits.number(&int(i64::from(i == k))))
    }
    fn identity(&self) -> M {
        std::array::from_fn(|i| self.axis(i))
    }
    fn transpose(&self, m: &M) -> M {
        std::array::from_fn(|i| std::array::from_fn(|j| m[j][i].clone()))
    }
    fn apply(&self, m: &M, v: &V) -> V {
        std::array::from_fn(|i| self.dot(&m[i], v))
    }
    /// The least rotation that takes the unit vector a to b, after R: 1 + w× + w×²/(1 + a·b) with w = a × b.
    fn turned_onto(&self, a: &V, b: &V, r: &M) -> M {
        let w = self.cross(a, b);
        let scale = self.digits.number(&int(1)) + self.dot(a, b);
        let columns = self.transpose(r);
        let turned: M = std::array::from_fn(|k| {
            let once = self.cross(&w, &columns[k]);
            let twice = self.cross(&w, &once);
            std::array::from_fn(|i| &columns[k][i] + &once[i] + &twice[i] / &scale)
        });
        self.transpose(&turned)
    }
    /// A solution of m x = b by elimination with full pivoting; unknowns that nothing determines are 0.
    fn solved(&self, mut m: M, mut b: V) -> V {
        let zero = self.digits.number(&int(0));
        let size = |x: &Real| x.to_f64().value().abs();
        let mut order = [0, 1, 2];
        let mut largest = 0.0;
        let mut rank = 3;
        for k in 0..3 {
            let places = (k..3).flat_map(|i| (k..3).map(move |j| (i, j)));
            let (i, j) = places.max_by(|p, q| size(&m[p.0][p.1]).total_cmp(&size(&m[q.0][q.1]))).unwrap_or((k, k));
            largest = f64::max(largest, size(&m[i][j]));
            if size(&m[i][j]) <= 1e-12 * largest {
                rank = k;
                break;
            }
            m.swap(k, i);
            b.swap(k, i);
            m.iter_mut().for_each(|row| row.swap(k, j));
            order.swap(k, j);
            for i in k + 1..3 {
                let factor = &m[i][k] / &m[k][k];
                for j in k..3 {
                    m[i][j] = &m[i][j] - &factor * &m[k][j];
                }
                b[i] = &b[i] - &factor * &b[k];
            }
        }
        let mut x = [zero.clone(), zero.clone(), zero];
        for k in (0..rank).rev() {
            let mut sum = b[k].clone();
            for j in k + 1..rank {
                sum -= &m[k][j] * &x[order[j]];
            }
            x[order[k]] = sum / &m[k][k];
        }
        x
    }
}
