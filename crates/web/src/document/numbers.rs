//! Parameters and initial values: what a page can change, from where to where, and who computes then.
//!
//! A number is free when a slider may move it. `where` says who answers: the `page` with its engine if nothing but the equations depends on the number.
//! A parameter that enters the initial state, as the radius of a ball enters the height of its centre, moves the start along with it, and
//! the placement of bodies is not part of an engine: they are `placed` by the server, and the page goes on from there. Where a value stands in the
//! equations themselves the `server` computes the motion too.
//!
//! Entries of rotations, of unit vectors and of points of contact are tied to each other and are not free one by one. Rotations are turned as
//! a whole (`turns`). What the model file says about the start of a rolling body (`touching`, `position`, `omega`, …) is free through the server;
//! points of contact stay on their surface (`closing`), and what can only contradict a contact is not free.

use super::comments::Comments;
use super::wish::Wish;
use super::{Mistaken, Prepared, closing, turns};
use polhode::base::Span;
use polhode::expr::{Expr, Symbol};
use polhode::mechanics::{InitialState, System, initial_state};
use polhode::model::syntax::{ValueKind, parse_document};
use polhode::model::{Contact, Factor, Interval, Model, Owner, ParseOptions};
use polhode_geometry::numeric::NumericSurface;
use serde_json::{Value, json};
use std::f64::consts::PI;

/// Sliders of parameters go from this part of the value to that multiple.
const LEAST: f64 = 0.2;
const GREATEST: f64 = 3.0;

/// Sliders of initial values that are not zero go this many times as far as the value, to both sides.
const REACH: f64 = 2.0;

/// A step away from the ends of an open interval, as a part of it.
const INSIDE: f64 = 1e-3;

/// A parameter is moved by this part to see whether the start depends on it.
const NUDGE: f64 = 1e-3;

/// Why a parameter of a body that touches cannot be changed.
const CONTRADICTED: &str = "with another value nothing would touch as the file says it";

/// Smaller changes of an initial value are rounding.
const SAME: f64 = 1e-13;

/// The lists of the document.
pub(super) struct Numbers {
    pub(super) parameters: Vec<Value>,
    pub(super) starts: Vec<Value>,
    state: Option<InitialState>,
}

impl Numbers {
    /// Velocities that the file gives in other components (`omega`, `velocity`) are the same quantities as those of the state: two sliders for
    /// one thing would contradict each other.
    pub(super) fn keep_one_of_each_velocity(&mut self) {
        self.starts.retain(|s| s["where"] != "placed" || s["kind"] != "velocity");
    }

    /// Puts the turns of rotations after the positions.
    pub(super) fn add_turns(&mut self, prepared: &Prepared) {
        let Some(state) = &self.state else { return };
        let positions = prepared.system.configuration.positions().len();
        self.starts.splice(positions..positions, turns::of(&prepared.system, state));
    }
}

/// The numbers of a model.
pub(super) fn of(prepared: &mut Prepared, wish: &Wish) -> Result<Numbers, Mistaken> {
    let Prepared { model, system, .. } = prepared;
    let state = initial_state(system, model)?;
    let moves = moved_starts(model, wish);
    Ok(Numbers {
        parameters: parameters(model, system, &moves),
        starts: state.as_ref().map(|s| starts(model, system, s, wish)).unwrap_or_default(),
        state,
    })
}

/// A position or velocity that is smaller is a zero that was computed in [`polhode::model::DIGITS`] digits.
const NOTHING: f64 = 1e-40;

/// From where to where a parameter may go: around its value, with its sign.
fn range_of_parameter(value: f64) -> (f64, f64) {
    match value {
        0.0 => (-1.0, 1.0),
        x if x > 0.0 => (LEAST * x, GREATEST * x),
        x => (GREATEST * x, LEAST * x),
    }
}

fn parameters(model: &Model, system: &System, moves: &Moves) -> Vec<Value> {
    let comments = Comments::of(&model.source);
    let values = model.parameter_values().unwrap_or_default();
    let list = model.parameters.iter().filter(|p| p.span != Span::default());
    list.map(|p| {
        let name = model.graph.name(p.symbol);
        let value = values.get(&p.symbol).copied().unwrap_or(f64::NAN);
        let (low, high) = range_of_parameter(value);
        let others: Vec<&str> = used_by(model, p.value).into_iter().map(|s| model.graph.name(s)).collect();
        let formula = (!others.is_empty()).then(|| formula_text(model, name)).flatten();
        let why = match others.is_empty() {
            false => Some(format!("follows from {}", others.join(", "))),
            true => moves.contradicted.contains(&p.symbol).then(|| CONTRADICTED.to_owned()),
        };
        let settled = system.settled.contains(&p.symbol);
        let answered_by = match (settled, moves.start.contains(&p.symbol)) {
            (true, _) => "server",
            (false, true) => "placed",
            (false, false) => "page",
        };
        json!({
            "name": name,
            "value": number(value),
            "about": comments.about(name),
            "latex": comments.latex(name),
            "unit": p.unit,
            "formula": formula,
            "free": why.is_none() && value.is_finite(),
            "why": why,
            "low": number(low),
            "high": number(high),
            "where": answered_by,
        })
    })
    .collect()
}

/// The parameters in a formula.
fn used_by(model: &Model, e: Expr) -> Vec<Symbol> {
    let free = model.graph.free_symbols(&[e]);
    model.parameters.iter().map(|p| p.symbol).filter(|s| free.contains(s)).collect()
}

/// The formula of a parameter as it is written.
fn formula_text(model: &Model, name: &str) -> Option<String> {
    let document = parse_document(&model.source);
    let value = document.root.get("parameters")?.as_table()?.get(name)?;
    let value = value.as_table().and_then(|t| t.get("value")).unwrap_or(value);
    value.as_str().map(str::to_owned)
}

/// A number of the document; there is no other way to write that it has no value.
fn number(x: f64) -> Value {
    serde_json::Number::from_f64(x).map_or(Value::Null, Value::Number)
}

/// What other values of parameters do.
struct Moves {
    /// Those on which the start depends.
    start: Vec<Symbol>,
    /// Those with which nothing touches any more as the file says it.
    contradicted: Vec<Symbol>,
}

/// The parameters on which the start depends. In formulas they are seen; where bodies are placed, the model is asked again with other numbers.
fn moved_starts(model: &Model, wish: &Wish) -> Moves {
    let mut out: Vec<Symbol> = model.initial.iter().flat_map(|i| used_by(model, i.value)).collect();
    // formulas contain earlier parameters only
    for p in model.parameters.iter().rev() {
        if out.contains(&p.symbol) {
            out.extend(used_by(model, p.value));
        }
    }
    if model.contacts.is_empty() {
        return Moves { start: out, contradicted: Vec::new() };
    }
    let mut contradicted = Vec::new();
    let values = model.parameter_values().unwrap_or_default();
    let start = |model: &Model| -> Option<Vec<f64>> {
        let values = model.parameter_values().ok()?;
        model.initial.iter().map(|i| model.graph.evaluate_f64(i.value, &values).ok()).collect()
    };
    let own = start(model);
    for p in model.parameters.iter().filter(|p| used_by(model, p.value).is_empty()) {
        let Some(x) = values.get(&p.symbol) else { continue };
        let read = |by: f64| {
            let mut set = wish.set.clone();
            set.retain(|(n, _)| n != model.graph.name(p.symbol));
            let other = if *x == 0.0 { by } else { x * (1.0 + by) };
            set.push((model.graph.name(p.symbol).to_owned(), other.to_string()));
            let options = ParseOptions { parameters: set, ..ParseOptions::default() };
            Model::parse(&wish.file, &wish.text, &options).ok()
        };
        let other = read(NUDGE);
        if other.is_none() && read(-NUDGE).is_none() {
            contradicted.push(p.symbol);
        }
        let moved = other.and_then(|(m, _)| start(&m));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= SAME * (1.0 + a.abs());
        let same = match (&own, &moved) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(near),
            _ => false,
        };
        if !same {
            out.push(p.symbol);
        }
    }
    Moves { start: out, contradicted }
}

/// Positions, then velocities, in the order of the system; then what the file says about rolling bodies.
fn starts(model: &Model, system: &System, state: &InitialState, wish: &Wish) -> Vec<Value> {
    let comments = Comments::of(&model.source);
    let values = |s: &Symbol| match state.values.get(s).copied().unwrap_or(f64::NAN) {
        x if x.abs() < NOTHING => 0.0,
        x => x,
    };
    let given = |s: &Symbol| model.initial.iter().any(|i| i.symbol == *s);
    let mut out = Vec::new();
    for factor in system.configuration.factors() {
        for s in &factor.positions {
            let (x, name) = (values(s), system.graph.name(*s));
            let ((low, high), why) = position_range(system, state, factor, *s, x);
            out.push(json!({
                "name": name, "value": number(x), "kind": "position", "given": given(s),
                "about": comments.about(name), "latex": comments.latex(name), "unit": (factor.angle() == Some(*s)).then_some("rad"),
                "within": interval(system, state, factor).map(|ends| ends.map(number)),
                "free": why.is_none(), "why": why, "low": number(low), "high": number(high), "where": "page",
            }));
        }
    }
    let independent = system.independent_velocities();
    let dependent_given = system.dependent_velocities().iter().any(given);
    for factor in system.configuration.factors() {
        for s in &factor.velocities {
            let (x, name) = (values(s), system.graph.name(*s));
            // what is not given follows from the constraints, unless nothing else says what it is
            let open = given(s) || independent.contains(s) && !dependent_given && !is_slide(factor, *s);
            let why = match factor.direction() {
                Some(_) => Some("its components are tied to each other by the unit vector"),
                None => (!open).then_some("follows from the constraints"),
            };
            let (low, high) = velocity_range(x);
            out.push(json!({
                "name": name, "value": number(x), "kind": "velocity", "given": given(s),
                "about": comments.about(name), "latex": comments.latex(name), "unit": factor.angular_velocities().contains(s).then_some("rad/s"),
                "free": why.is_none(), "why": why, "low": number(low), "high": number(high), "where": "page",
            }));
        }
    }
    let known: Vec<String> =
        system.configuration.velocities().iter().map(|s| system.graph.name(*s).to_owned()).collect();
    for start in given_starts(model) {
        let place = Place::new(model, state, wish, &start);
        for (k, x) in start.values.iter().enumerate() {
            let name = if start.values.len() == 1 { start.name.clone() } else { format!("{}[{}]", start.name, k + 1) };
            if known.contains(&name) {
                continue;
            }
            let ends = if start.velocity { velocity_range(*x) } else { place_range(&start.name, *x) };
            let ((low, high), why) = place.range(k, ends);
            out.push(json!({
                "name": name, "value": number(*x), "kind": if start.velocity { "velocity" } else { "position" },
                "given": true, "about": start.about(), "free": why.is_none(), "why": why,
                "low": number(low), "high": number(high), "where": "placed",
            }));
        }
    }
    out
}

/// A start of a rolling body that says where it is, and what would contradict it elsewhere.
struct Place<'a> {
    model: &'a Model,
    state: &'a InitialState,
    wish: &'a Wish,
    start: &'a GivenStart,
    surface: Option<NumericSurface>,
    /// Whether a point of contact may lie elsewhere, as far as other contacts and a given orientation are concerned.
    elsewhere: bool,
}

impl<'a> Place<'a> {
    fn new(model: &'a Model, state: &'a InitialState, wish: &'a Wish, start: &'a GivenStart) -> Place<'a> {
        let surface = closing::surface_of(model, start);
        let mut place = Place { model, state, wish, start, surface, elsewhere: true };
        if let (Some(surface), Some(at)) = (&place.surface, start.vector())
            && (model.contacts.len() > 1 || start.turned)
        {
            let near = |k: usize| closing::moved(surface, at, k, at[k] + NUDGE * surface.size());
            place.elsewhere = (0..3).find_map(near).is_none_or(|at| place.is_accepted(at));
        }
        place
    }

    /// The range of one number, or why it is not free.
    fn range(&self, k: usize, ends: (f64, f64)) -> ((f64, f64), Option<&'static str>) {
        let apart = Some("elsewhere it would not touch as it has to");
        let Some(at) = self.start.vector() else { return (ends, None) };
        if let Some(surface) = &self.surface {
            let (low, high) = closing::reach(surface, at, k, ends);
            let why = match high - low > NUDGE * (ends.1 - ends.0) {
                true => apart.filter(|_| !self.elsewhere),
                false => Some("it lies on a surface, and follows from the other two"),
            };
            return ((low, high), why);
        }
        let mut other = at;
        other[k] += NUDGE * (ends.1 - ends.0);
        let fits = !self.start.places() || !self.is_held(k) && self.is_accepted(other);
        (ends, apart.filter(|_| !fits))
    }

    /// Whether a contact of the body opens or overlaps where it moves along this axis, to first order.
    fn is_held(&self, k: usize) -> bool {
        let value = |e: Expr| self.model.graph.evaluate_f64(e, &self.state.values).unwrap_or(0.0);
        let mine = |c: &&Contact| c.sides.iter().any(|s| s.owner == Owner::Body(self.start.body));
        let closed = self.model.contacts.iter().filter(mine).filter(|c| c.is_closed(&self.model.in_force));
        let mut normals =
            closed.map(|c| (0..3).map(|j| value(c.sides[0].rotation[k][j]) * value(c.normal[j])).sum::<f64>());
        normals.any(|n| n.abs() > NUDGE)
    }

    /// Whether the program takes the start with this vector.
    fn is_accepted(&self, at: [f64; 3]) -> bool {
        // nothing can be contradicted where nothing touches
        if self.model.contacts.is_empty() {
            return true;
        }
        let text = at.map(|x| x.to_string()).join(", ");
        let mut initial: Vec<(String, String)> = self.wish.start.clone();
        initial.retain(|(name, _)| *name != self.start.name);
        initial.push((self.start.name.clone(), format!("[{text}]")));
        let options = ParseOptions { parameters: self.wish.set.clone(), initial, ..ParseOptions::default() };
        let Ok((model, _)) = Model::parse(&self.wish.file, &self.wish.text, &options) else { return false };
        // its velocities have to roll there too
        System::new(&model).is_ok_and(|(mut system, _)| initial_state(&mut system, &model).is_ok())
    }
}

/// The ends of the interval that a position has to lie in, where both are finite.
fn interval(system: &System, state: &InitialState, factor: &Factor) -> Option<[f64; 2]> {
    let Interval { low, high, .. } = factor.interval()?;
    let end = |e: Expr| system.graph.evaluate_f64(e, &state.values).ok().filter(|x| x.is_finite());
    Some([end(low)?, end(high)?])
}

/// The velocity of the centre of a body in contact: its point of contact decides about it.
fn is_slide(factor: &Factor, velocity: Symbol) -> bool {
    factor.in_contact() && factor.translation().is_some_and(|t| t.velocity.contains(&velocity))
}

/// From where to where a position may go, or why it is not free.
fn position_range(
    system: &System,
    state: &InitialState,
    factor: &Factor,
    position: Symbol,
    x: f64,
) -> ((f64, f64), Option<&'static str>) {
    let real = (x - x.abs().max(1.0), x + x.abs().max(1.0));
    if factor.angle() == Some(position) {
        return ((-PI, PI), None);
    }
    if let Some(Interval { low, high, .. }) = factor.interval() {
        let end = |e: Expr| system.graph.evaluate_f64(e, &state.values).unwrap_or(f64::NAN);
        let (low, high) = (end(low), end(high));
        // an end may be infinite
        let low = if low.is_finite() { low } else { real.0 };
        let high = if high.is_finite() { high } else { real.1 };
        let step = INSIDE * (high - low);
        return ((low + step, high - step), None);
    }
    let why = if factor.direction().is_some() {
        Some("a component of a unit vector")
    } else if factor.tied().contains(&position) {
        Some("an entry of a rotation")
    } else if factor.in_contact() {
        Some("follows from where the body touches")
    } else {
        factor.is_carried().then_some("a point of contact: it follows from how the body lies")
    };
    (real, why)
}

/// Velocities may turn round.
fn velocity_range(x: f64) -> (f64, f64) {
    let far = if x == 0.0 { 1.0 } else { REACH * x.abs() };
    (-far, far)
}

fn place_range(name: &str, x: f64) -> (f64, f64) {
    match name.ends_with("heading") {
        true => (-PI, PI),
        false => {
            let far = if x == 0.0 { 1.0 } else { x.abs() };
            (x - far, x + far)
        }
    }
}

/// A start of a rolling body as its file gives it.
pub(super) struct GivenStart {
    /// As `--init` calls it.
    pub(super) name: String,
    /// As the table of its body calls it.
    pub(super) key: String,
    /// The body, among those of the model.
    pub(super) body: usize,
    /// Whether the file also says how the body is turned.
    turned: bool,
    /// Three components, or one.
    pub(super) values: Vec<f64>,
    velocity: bool,
}

impl GivenStart {
    /// Its three components.
    pub(super) fn vector(&self) -> Option<[f64; 3]> {
        self.values.as_slice().try_into().ok()
    }

    /// Whether it says where a body is.
    fn places(&self) -> bool {
        matches!(self.key.as_str(), "position" | "x_O")
    }

    fn about(&self) -> Option<&'static str> {
        Some(match self.name.rsplit('.').next()? {
            "touching" | "c1" => "where it touches the other side",
            "contact" | "c" => "where it is touched, in its own axes",
            "position" | "x_O" => "its centre of mass",
            "heading" => "turned about the normal",
            "omega" => "angular velocity in the axes of the world",
            "velocity" => "velocity of its centre of mass",
            _ => return None,
        })
    }
}

/// Keys of `[initial.BODY]` that are numbers, and whether they are velocities.
const KEYS: [(&str, bool); 11] = [
    ("touching", false),
    ("c1", false),
    ("contact", false),
    ("c", false),
    ("position", false),
    ("x_O", false),
    ("heading", false),
    ("omega", true),
    ("Omega", true),
    ("velocity", true),
    ("V", true),
];

/// What `[initial.BODY]` gives of rolling bodies in numbers.
pub(super) fn given_starts(model: &Model) -> Vec<GivenStart> {
    let rolling = model.configuration.factors().iter().filter(|f| f.in_contact()).count();
    let document = parse_document(&model.source);
    let tables = document.root.get("initial").and_then(|v| v.as_table());
    let mut out = Vec::new();
    if rolling == 0 {
        return out;
    }
    for (body, value) in tables.into_iter().flat_map(|t| t.iter()) {
        let (Some(table), Some(number)) = (value.as_table(), model.bodies.iter().position(|b| b.name == body.name))
        else {
            continue;
        };
        for (key, value) in table.iter() {
            let Some((_, velocity)) = KEYS.iter().find(|(k, _)| *k == key.name) else { continue };
            if matches!(value.kind, ValueKind::Table(_)) {
                continue;
            }
            let name = if rolling == 1 { key.name.clone() } else { format!("{}.{}", body.name, key.name) };
            let written = model.source.slice(value.span).replace(['"', '\''], "");
            let values = evaluated(model, &written).filter(|v| v.len() == 3 || key.name == "heading" && v.len() == 1);
            let (key, body, velocity) = (key.name.clone(), number, *velocity);
            let turned = ["rotation", "R"].iter().any(|k| table.get(k).is_some());
            out.extend(values.map(|values| GivenStart { name, key, body, turned, values, velocity }));
        }
    }
    out
}

/// A formula in the parameters.
pub(super) fn evaluated(model: &Model, text: &str) -> Option<Vec<f64>> {
    let mut graph = model.graph.clone();
    let entries = model.formula(&mut graph, text).ok()?;
    let values = model.parameter_values().ok()?;
    entries.into_iter().map(|e| graph.evaluate_f64(e, &values).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::prepare;

    fn numbers_of(name: &str) -> Numbers {
        let wish = Wish::new(&format!("{name}.toml"), polhode::builtin::find(name).unwrap().text);
        of(&mut prepare(&wish).unwrap(), &wish).unwrap()
    }

    fn find<'a>(list: &'a [Value], name: &str) -> &'a Value {
        list.iter().find(|p| p["name"] == name).unwrap_or_else(|| panic!("no {name} in {list:?}"))
    }

    #[test]
    fn parameters_say_what_they_are() {
        let found = numbers_of("rolling-disk");
        let names: Vec<&str> = found.parameters.iter().map(|p| p["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["M", "r", "g", "I1", "I3"]);
        let (mass, inertia) = (find(&found.parameters, "M"), find(&found.parameters, "I1"));
        assert_eq!((&mass["about"], &mass["free"]), (&json!("mass"), &json!(true)));
        assert_eq!((mass["low"].as_f64(), mass["high"].as_f64()), (Some(0.2), Some(3.0)));
        assert_eq!((&inertia["formula"], &inertia["free"]), (&json!("M*r^2/4"), &json!(false)));
        assert_eq!(inertia["why"], "follows from M, r");
        assert_eq!((&mass["where"], &inertia["where"]), (&json!("page"), &json!("page")));
    }

    #[test]
    fn starts_are_in_the_order_of_the_system() {
        let found = numbers_of("rolling-disk");
        let names: Vec<&str> = found.starts.iter().map(|p| p["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["theta", "phi", "psi", "x", "y", "theta'", "phi'", "psi'", "x'", "y'"]);
        let theta = find(&found.starts, "theta");
        assert!(theta["low"].as_f64().unwrap() > 0.0 && theta["high"].as_f64().unwrap() < PI);
        assert_eq!(find(&found.starts, "phi")["high"].as_f64(), Some(PI));
        let slip = find(&found.starts, "x'");
        assert_eq!((&slip["free"], &slip["given"]), (&json!(false), &json!(false)));
        assert_eq!(slip["value"].as_f64(), Some(-2.5));
    }

    #[test]
    fn rolling_bodies_turn_freely_and_are_placed_by_the_server() {
        let found = numbers_of("rattleback");
        assert_eq!(find(&found.starts, "Omega[3]")["free"], true);
        assert_eq!(find(&found.starts, "Omega[3]")["where"], "page");
        assert_eq!(find(&found.starts, "R[1,1]")["free"], false);
        assert_eq!(find(&found.starts, "V[1]")["free"], false);
        let place = find(&found.starts, "touching[2]");
        assert_eq!((&place["free"], &place["where"]), (&json!(true), &json!("placed")));
        assert_eq!(find(&found.starts, "touching[3]")["free"], false);
    }

    #[test]
    fn a_place_that_would_not_touch_is_not_offered() {
        let found = numbers_of("wheel-in-shell");
        let place = find(&found.starts, "wheel.position[3]");
        assert_eq!(
            (&place["free"], &place["why"]),
            (&json!(false), &json!("elsewhere it would not touch as it has to"))
        );
    }

    #[test]
    fn angles_and_intervals_say_so() {
        let found = numbers_of("rolling-disk");
        let units = ["phi", "phi'", "x", "x'"].map(|n| find(&found.starts, n)["unit"].clone());
        assert_eq!(units, [json!("rad"), json!("rad/s"), Value::Null, Value::Null]);
        assert_eq!(find(&found.starts, "theta")["within"], json!([0.0, PI]));
        assert_eq!(find(&found.starts, "theta'")["about"], "rate of: axis against the vertical");
        assert_eq!(find(&numbers_of("rattleback").starts, "Omega[3]")["unit"], "rad/s");
    }

    #[test]
    fn a_radius_moves_the_start_with_it() {
        let found = numbers_of("wheel-in-shell");
        assert_eq!(find(&found.parameters, "a")["where"], "placed");
        assert_eq!(find(&found.parameters, "g")["where"], "page");
    }

    #[test]
    fn ranges_keep_signs() {
        assert_eq!(range_of_parameter(-1.0), (-3.0, -0.2));
        assert_eq!(range_of_parameter(0.0), (-1.0, 1.0));
        assert_eq!(velocity_range(-5.0), (-10.0, 10.0));
    }
}
