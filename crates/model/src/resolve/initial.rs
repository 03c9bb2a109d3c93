//! `[initial]` and `--init`: where the motion starts.
//!
//! Values are constants. World components are turned into those of the base frame at
//! the initial rotation R₀ (the identity where none is given): Ω = R₀ᵀ ω, V = R₀ᵀ ṗ.
//! A flag takes the place of what the file says about the same quantity, in
//! whichever components either is written.

use super::value::{Shape, Value, dot};
use super::{Resolver, list, starting, without_place};
use crate::configuration::{Factor, Kind};
use crate::model::InitialValue;
use crate::syntax::{self, ExprKind, StringLit, Table, ValueKind, normalize_name, parse_expr};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::{Expr, Matrix};

/// How far from a rotation, unit or tangent vector a given one may be.
const SLACK: f64 = 1e-9;

/// The quantities of a factor that can be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// A scalar coordinate, a point of a sphere, the origin of a moved frame.
    Place,
    /// One coordinate of the origin of a frame in the plane.
    Axis(usize),
    /// A rotation: a matrix, or an angle in the plane.
    Turn,
    /// The velocity of the place.
    Slide,
    /// The angular velocity.
    Spin,
}

/// In which axes a vector is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Axes {
    Own,
    World,
}

/// What a name in `[initial]` means.
#[derive(Clone, Copy, Debug)]
struct Target {
    factor: usize,
    part: Part,
    axes: Axes,
    shape: Shape,
}

/// A quantity that was given.
#[derive(Clone, Debug)]
struct Start {
    name: String,
    target: Target,
    value: Value,
    /// The same in doubles.
    numbers: Vec<f64>,
    span: Span,
    flag: Option<String>,
}

/// Which names an inner table of `[initial]` takes.
#[derive(Clone, Copy, PartialEq)]
enum Only {
    Anything,
    Positions,
    Velocities,
}

impl Resolver<'_> {
    pub(super) fn read_initial(&mut self, root: &Table) -> Vec<InitialValue> {
        let mut starts: Vec<Start> = Vec::new();
        let mut rolling = vec![starting::Start::default(); self.rolling.len()];
        for (_, table) in self.sections(root, &["initial"]) {
            for (key, value) in table.iter() {
                if let Some((body, own)) = self.rolling_key(&key.name) {
                    self.rolling_entry(key, &own, value, &mut rolling[body]);
                    continue;
                }
                let body = self.rolling.iter().position(|b| b.name == normalize_name(&key.name));
                match (&value.kind, key.name.as_str()) {
                    (ValueKind::Table(inner), _) if body.is_some() => {
                        body.into_iter().for_each(|b| self.rolling_table(inner, &mut rolling[b]));
                    }
                    (ValueKind::Table(inner), "position") => {
                        self.starts("", inner, Only::Positions, &mut starts);
                    }
                    (ValueKind::Table(inner), "velocity") => {
                        self.starts("", inner, Only::Velocities, &mut starts);
                    }
                    (ValueKind::Table(_), name) if self.starts_no_body(name, key.span) => {}
                    (ValueKind::Table(inner), name) => {
                        self.starts(&format!("{name}."), inner, Only::Anything, &mut starts);
                    }
                    _ => self.start(&key.name, key.span, value, Only::Anything, &mut starts),
                }
            }
        }
        for (name, text) in &self.options.initial {
            match self.rolling_key(name.trim()) {
                Some((body, _)) => self.rolling_flag(name.trim(), text, &mut rolling[body]),
                None => self.flag_start(name, text, &mut starts),
            }
        }
        let factors = self.configuration.factors().to_vec();
        let mut out = Vec::new();
        for (k, factor) in factors.iter().enumerate() {
            let mine: Vec<&Start> = starts.iter().filter(|s| s.target.factor == k).collect();
            self.start_factor(factor, &mine, &mut out);
        }
        self.start_rolling(&rolling, &mut out);
        out
    }

    /// Reports a table `[initial.NAME]` in a model of rolling bodies that belongs to nothing; true if it does not, or if the body it
    /// belongs to has been told what it lacks.
    fn starts_no_body(&mut self, name: &str, span: Span) -> bool {
        let own = normalize_name(name);
        if self.without_surface.iter().any(|b| *b == *own) {
            return true;
        }
        let inside = format!("{own}.");
        let known = |n: &String| *n == *own || n.starts_with(&inside);
        let factor = self.configuration.factors().iter().any(|f| known(&f.name));
        if self.rolling.is_empty() || factor || self.starting_names().iter().any(known) {
            return false;
        }
        let names: Vec<String> = self.rolling.iter().map(|b| b.name.clone()).collect();
        let error = Diagnostic::error("unknown-name", format!("there is no body `{name}` that could start"));
        let error = match closest(&own, names.iter().map(String::as_str)) {
            Some(near) => error.at(span, format!("did you mean `{near}`?")).suggest(span, near.to_owned()),
            None => error.at(span, "").help(format!("the bodies are {}", list(&names))),
        };
        self.report(error);
        true
    }

    /// The entries of an inner table; tables inside are dotted names.
    fn starts(&mut self, prefix: &str, table: &Table, only: Only, starts: &mut Vec<Start>) {
        for (key, value) in self.flattened(table) {
            let name = format!("{prefix}{}", key.name);
            self.start(&name, key.span, value, only, starts);
        }
    }

    fn start(&mut self, name: &str, key: Span, value: &syntax::Value, only: Only, starts: &mut Vec<Start>) {
        let (name, target) = match self.target(name, only) {
            Ok(found) => found,
            Err(error) => {
                let text = error.primary.as_ref().map(|l| l.text.clone()).unwrap_or_default();
                self.report(error.at(key, text));
                return;
            }
        };
        let Some((tree, result)) = self.formula(value) else {
            return;
        };
        let start = Start { name, target, value: result, numbers: Vec::new(), span: tree.span, flag: None };
        self.accept(start, starts);
    }

    fn flag_start(&mut self, name: &str, text: &str, starts: &mut Vec<Start>) {
        let shown = format!("--init {name}={text}");
        let (normal, target) = match self.target(name.trim(), Only::Anything) {
            Ok(found) => found,
            Err(error) => {
                self.report(without_place(*error, &shown));
                return;
            }
        };
        let Some(value) = self.flag_formula("--init", name, text) else {
            return;
        };
        let start =
            Start { name: normal, target, value, numbers: Vec::new(), span: Span::default(), flag: Some(shown) };
        self.accept(start, starts);
    }

    /// Checks shape and constancy, and takes the place of an earlier value.
    fn accept(&mut self, mut start: Start, starts: &mut Vec<Start>) {
        let wanted = start.target.shape;
        if start.value.shape() != wanted {
            let message = format!("`{}` is {wanted}, but this is {}", start.name, start.value.shape());
            self.blame(&start, Diagnostic::error("wrong-dimension", message));
            return;
        }
        let what = format!("the initial value of `{}`", start.name);
        for e in start.value.entries().to_vec() {
            let before = self.found.len();
            let number = self.constant(e, start.span, &what);
            if let Some(shown) = &start.flag {
                for error in self.found.split_off(before) {
                    self.found.push(without_place(error, shown));
                }
            }
            let Some(number) = number else { return };
            start.numbers.push(number);
        }
        let plane = matches!(self.configuration.factors()[start.target.factor].kind, Kind::Se2);
        if plane && start.target.part == Part::Place {
            // g.p is g.x and g.y
            for axis in 0..2 {
                let mut one = start.clone();
                one.target.part = Part::Axis(axis);
                one.value = Value::Scalar(start.value.entries()[axis]);
                one.numbers = vec![start.numbers[axis]];
                self.replace(one, starts);
            }
        } else {
            self.replace(start, starts);
        }
    }

    fn replace(&mut self, start: Start, starts: &mut Vec<Start>) {
        let same = |s: &Start| (s.target.factor, s.target.part) == (start.target.factor, start.target.part);
        match starts.iter().position(same) {
            None => starts.push(start),
            Some(at) if start.flag.is_some() => starts[at] = start,
            Some(at) => {
                let (one, two) = (&starts[at], &start);
                let message = if one.name == two.name {
                    format!("`{}` is given twice", two.name)
                } else {
                    format!("`{}` and `{}` are two values for the same quantity", one.name, two.name)
                };
                self.report(
                    Diagnostic::error("duplicate-value", message)
                        .at(two.span, "given again here")
                        .also(one.span, "first given here"),
                );
            }
        }
    }

    /// Reports a mistake in a value, at its place or under its flag.
    fn blame(&mut self, start: &Start, error: Diagnostic) {
        let error = match &start.flag {
            Some(shown) => without_place(error, shown),
            None => error.at(start.span, ""),
        };
        self.report(error);
    }

    /// What a name stands for, and the name in full; the error has no place yet.
    fn target(&self, name: &str, only: Only) -> Result<(String, Target), Box<Diagnostic>> {
        let parsed = parse_expr(&StringLit::plain(name)).ok();
        let Some(ExprKind::Name(parsed)) = parsed.map(|tree| tree.kind) else {
            return Err(self.no_target(name));
        };
        let (path, primes) = (&*parsed.path, parsed.primes);
        let found = self.find_target(path, primes);
        let is_velocity = |t: &Target| matches!(t.part, Part::Slide | Part::Spin);
        match (only, found) {
            (Only::Anything, Some(t)) => Ok((name.to_owned(), t)),
            (Only::Positions, Some(t)) if !is_velocity(&t) => Ok((name.to_owned(), t)),
            (Only::Positions, Some(_)) => {
                let message = format!("`{name}` is a velocity, but this table is for positions");
                let error = Diagnostic::error("unexpected-velocity", message);
                Err(Box::new(error.help("put it into `velocity = { … }`")))
            }
            (Only::Velocities, Some(t)) if is_velocity(&t) => Ok((name.to_owned(), t)),
            (Only::Velocities, Some(_)) => {
                let primed = format!("{name}'");
                match self.find_target(path, 1) {
                    Some(t) => Ok((primed, t)),
                    None => Err(self.no_target(&primed)),
                }
            }
            _ => Err(self.no_target(name)),
        }
    }

    fn find_target(&self, path: &str, primes: u32) -> Option<Target> {
        let factors = self.configuration.factors();
        let only_rotation = factors.iter().filter(|f| f.kind == Kind::So3).count() == 1;
        factors.iter().enumerate().find_map(|(factor, f)| {
            let rest = match path.strip_prefix(f.name.as_str()) {
                Some("") => "",
                Some(rest) if rest.starts_with('.') => &rest[1..],
                _ if only_rotation && f.kind == Kind::So3 && matches!(path, "Omega" | "omega") => path,
                _ => return None,
            };
            let vector = Shape::Vector(3);
            let (part, axes, shape) = match (&f.kind, rest, primes) {
                (Kind::Real | Kind::Angle | Kind::Interval(..), "", 0) => (Part::Place, Axes::Own, Shape::Scalar),
                (Kind::Real | Kind::Angle | Kind::Interval(..), "", 1) => (Part::Slide, Axes::Own, Shape::Scalar),
                (Kind::So3, "", 0) | (Kind::Se3, "R", 0) => (Part::Turn, Axes::Own, Shape::Matrix(3, 3)),
                (Kind::So3 | Kind::Se3, "Omega", 0) => (Part::Spin, Axes::Own, vector),
                (Kind::So3 | Kind::Se3, "omega", 0) => (Part::Spin, Axes::World, vector),
                (Kind::Se3, "p", 0) | (Kind::S2, "", 0) => (Part::Place, Axes::Own, vector),
                (Kind::Se3, "p", 1) => (Part::Slide, Axes::World, vector),
                (Kind::Se3, "V", 0) | (Kind::S2, "", 1) => (Part::Slide, Axes::Own, vector),
                (Kind::Se2, "x", 0) => (Part::Axis(0), Axes::Own, Shape::Scalar),
                (Kind::Se2, "y", 0) => (Part::Axis(1), Axes::Own, Shape::Scalar),
                (Kind::Se2, "theta", 0) => (Part::Turn, Axes::Own, Shape::Scalar),
                (Kind::Se2, "theta", 1) | (Kind::Se2, "Omega", 0) => (Part::Spin, Axes::Own, Shape::Scalar),
                (Kind::Se2, "p", 0) => (Part::Place, Axes::Own, Shape::Vector(2)),
                (Kind::Se2, "p", 1) => (Part::Slide, Axes::World, Shape::Vector(2)),
                (Kind::Se2, "V", 0) => (Part::Slide, Axes::Own, Shape::Vector(2)),
                _ => return None,
            };
            Some(Target { factor, part, axes, shape })
        })
    }

    /// The names that `[initial]` takes.
    fn starting_names(&self) -> Vec<String> {
        let factors = self.configuration.factors();
        let only_rotation = factors.iter().filter(|f| f.kind == Kind::So3).count() == 1;
        let mut names = Vec::new();
        for f in factors {
            let n = &f.name;
            let parts: &[&str] = match f.kind {
                Kind::So3 if only_rotation => {
                    names.extend([n.clone(), "Omega".to_owned(), "omega".to_owned()]);
                    &[]
                }
                Kind::So3 => &["", ".Omega", ".omega"],
                Kind::Se2 => &[".x", ".y", ".theta", ".p", ".V", ".p'", ".Omega"],
                Kind::Rolling => {
                    names.extend(["touching", "contact", "rotation", "omega", "Omega"].map(str::to_owned));
                    &[]
                }
                Kind::Carried => &[],
                Kind::Se3 => &[".R", ".p", ".V", ".p'", ".Omega", ".omega"],
                _ => &["", "'"],
            };
            names.extend(parts.iter().map(|p| format!("{n}{p}")));
        }
        names
    }

    fn no_target(&self, name: &str) -> Box<Diagnostic> {
        Box::new(self.unknown_quantity(name))
    }

    fn unknown_quantity(&self, name: &str) -> Diagnostic {
        let names = self.starting_names();
        let error = Diagnostic::error("unknown-name", format!("`{name}` is not a position or velocity of the model"));
        if self.scope.get(name).is_some_and(|b| b.what == super::What::Parameter) {
            return error.help(format!("`{name}` is a parameter: set it under [parameters], or by `--set {name}=…`"));
        }
        let base = name.trim_end_matches('\'');
        let factors = self.configuration.factors();
        if let Some(f) = factors.iter().find(|f| base != name && base.split('.').next() == Some(&*f.name)) {
            let n = &f.name;
            let help = match f.kind {
                Kind::So3 => {
                    format!("the velocity of a rotation is `{n}.Omega` (body axes) or `{n}.omega` (world axes)")
                }
                Kind::Se2 => {
                    format!("its velocities are `{n}.p'` (world axes) or `{n}.V` (body axes), and `{n}.Omega`")
                }
                Kind::Se3 => format!(
                    "its velocities are `{n}.p'` or `{n}.V`, and `{n}.omega` or `{n}.Omega` (world and body axes)"
                ),
                _ => format!("its velocity is `{n}'`"),
            };
            return error.help(help);
        }
        match closest(name, names.iter().map(String::as_str)) {
            Some(near) => error.at(Span::default(), format!("did you mean `{near}`?")),
            None => error.help(format!("its positions and velocities are {}", list(&names))),
        }
    }

    /// Checks what was given for one factor and puts it into its symbols.
    fn start_factor(&mut self, factor: &Factor, given: &[&Start], out: &mut Vec<InitialValue>) {
        let find = |part: Part| given.iter().copied().find(|s| s.target.part == part);
        let (x, v) = (&factor.positions, &factor.velocities);
        let mut put = |symbols: &[polhode_expr::Symbol], values: &[Expr], start: &Start| {
            for (symbol, value) in symbols.iter().zip(values) {
                out.push(InitialValue { symbol: *symbol, value: *value, span: start.span });
            }
        };
        let turn = find(Part::Turn);
        if let Some(start) = turn {
            if matches!(factor.kind, Kind::So3 | Kind::Se3) && !is_rotation(&start.numbers) {
                let message = format!("the initial `{}` is not a rotation matrix", start.name);
                let error = Diagnostic::error("not-a-rotation", message)
                    .note("its columns are not three perpendicular unit vectors, or they are left-handed")
                    .help(
                        "write it as a product such as \"Rz(0.3)*Rx(1.1)\", or as quat(w, x, y, z), which is made unit",
                    );
                self.blame(start, error);
                return;
            }
            let at = if factor.kind == Kind::Se2 { &x[2..] } else { &x[..9] };
            put(at, start.value.entries(), start);
        }
        for axis in 0..2 {
            if let Some(start) = find(Part::Axis(axis)) {
                put(&x[axis..=axis], start.value.entries(), start);
            }
        }
        let place = find(Part::Place);
        if let Some(start) = place {
            let values = self.placed(factor, start);
            let Some(values) = values else { return };
            let at = if factor.kind == Kind::Se3 { &x[9..] } else { &x[..] };
            put(at, &values, start);
        }
        if let Some(start) = find(Part::Slide) {
            if factor.kind == Kind::S2 && !self.tangent(start, place) {
                return;
            }
            let own = self.own_axes(factor, start, turn);
            put(&v[..own.len()], &own, start);
        }
        if let Some(start) = find(Part::Spin) {
            let own = self.own_axes(factor, start, turn);
            let at = v.len() - own.len();
            put(&v[at..], &own, start);
        }
    }

    /// Components along the base frame of a vector given in either axes.
    fn own_axes(&mut self, factor: &Factor, start: &Start, turn: Option<&Start>) -> Vec<Expr> {
        let given = start.value.entries();
        let Some(turn) = turn.filter(|_| start.target.axes == Axes::World) else {
            return given.to_vec();
        };
        let e = turn.value.entries();
        let g = &mut self.graph;
        let transposed = if factor.kind == Kind::Se2 {
            let (s, c) = (g.sin(e[0]), g.cos(e[0]));
            let minus = g.neg(s);
            Matrix::from_rows(vec![vec![c, s], vec![minus, c]])
        } else {
            Matrix::from_fn(3, 3, |i, j| e[3 * j + i])
        };
        transposed.mul_vec(g, given)
    }

    /// The position, inside its interval or made a unit vector.
    fn placed(&mut self, factor: &Factor, start: &Start) -> Option<Vec<Expr>> {
        let given = start.value.entries().to_vec();
        match factor.kind {
            Kind::Interval(low, high) => {
                let x = start.numbers[0];
                let end = |e: Expr| self.graph.evaluate_f64(e, &self.values).ok();
                let (a, b) = (end(low)?, end(high)?);
                if a < x && x < b {
                    return Some(given);
                }
                let message = format!("`{}` starts at {x}, outside its interval ({a}, {b})", start.name);
                self.blame(start, Diagnostic::error("outside-interval", message));
                None
            }
            Kind::S2 => {
                let square: f64 = start.numbers.iter().map(|x| x * x).sum();
                if square == 0.0 {
                    let message = format!("`{}` starts as the zero vector, which has no direction", start.name);
                    self.blame(start, Diagnostic::error("not-a-direction", message));
                    return None;
                }
                if (square - 1.0).abs() < 1e-14 {
                    return Some(given);
                }
                let g = &mut self.graph;
                let square = dot(g, &given, &given);
                let length = g.sqrt(square);
                Some(given.iter().map(|e| g.div(*e, length)).collect())
            }
            _ => Some(given),
        }
    }

    /// Whether the velocity of a direction is perpendicular to it.
    fn tangent(&mut self, start: &Start, place: Option<&Start>) -> bool {
        let north = [0.0, 0.0, 1.0];
        let s = place.map_or(&north[..], |p| &p.numbers);
        let v = &start.numbers;
        let size = |a: &[f64]| a.iter().map(|x| x * x).sum::<f64>().sqrt();
        let along: f64 = s.iter().zip(v).map(|(a, b)| a * b).sum();
        if along.abs() <= SLACK * size(s) * size(v) {
            return true;
        }
        let message = format!("the velocity `{}` is not perpendicular to the direction it moves", start.name);
        let error = Diagnostic::error("not-tangent", message)
            .help("a unit vector can only turn: its velocity has no part along it");
        self.blame(start, error);
        false
    }
}

pub(super) fn is_rotation(m: &[f64]) -> bool {
    let row = |i: usize| &m[3 * i..3 * i + 3];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let unit = (0..3).all(|i| (0..3).all(|j| (dot(row(i), row(j)) - if i == j { 1.0 } else { 0.0 }).abs() < SLACK));
    let determinant =
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
    unit && determinant > 0.0
}
