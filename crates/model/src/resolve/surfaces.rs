//! Surfaces of bodies and of the ground: `surface = "plane"` or `{ ellipsoid = [a, b, c], centre = …, … }`.
//!
//! Lengths are formulas in the parameters. `centre` and `turned` place the surface, x ↦ Q x + t; `inside = true` puts
//! the material around it. A `rim` or `edge` is a sharp edge instead: a circle by its radius, or a closed curve in s of period 2π.

use super::scope::What;
use super::value::Value;
use super::{Resolver, list};
use crate::syntax::{self, Key, Table, ValueKind};
use polhode_base::{Diagnostic, Span, closest};
use polhode_expr::{Expr, Symbol};
use polhode_geometry::{Boundary, Curve, Edge, Placement, Profile, Shape, Surface, linear};

const SHAPES: &[&str] = &[
    "plane",
    "sphere",
    "ellipsoid",
    "spheroid",
    "torus",
    "cylinder",
    "cone",
    "paraboloid",
    "superquadric",
    "revolution",
    "parametric",
    "implicit",
    "rim",
    "edge",
];
const PLACING: &[&str] = &["centre", "turned", "inside", "size", "domain", "length"];
const PROFILE_KEYS: &[&str] = &["radius", "curve"];

/// A surface of the model.
#[derive(Clone, Debug)]
pub(super) struct Bounded {
    pub(super) boundary: Boundary,
    /// Where it stands off its own axes.
    pub(super) centre: Option<[Expr; 3]>,
    pub(super) turned: Option<[[Expr; 3]; 3]>,
    /// About how large it is, where its lengths do not say so.
    pub(super) size: Option<f64>,
    /// Where its parameters lie, if they are not angles.
    pub(super) domain: Option<[[f64; 2]; 2]>,
    /// The length of a cylinder, which touches along a line.
    pub(super) length: Option<Expr>,
    pub(super) span: Span,
}

/// A surface, or an edge.
enum Outline {
    Shape(Shape),
    Curve(Curve),
}

impl Resolver<'_> {
    /// The surface under a key; `owner` is `the body "stone"` or `the ground`.
    pub(super) fn surface(&mut self, owner: &str, value: &syntax::Value) -> Option<Bounded> {
        let span = value.span;
        let plain = |surface| {
            let boundary = Boundary::Surface(surface);
            Some(Bounded { boundary, centre: None, turned: None, size: None, domain: None, length: None, span })
        };
        match &value.kind {
            ValueKind::String(literal) => match literal.text().trim() {
                "plane" => plain(Surface::from(Shape::Plane)),
                "sphere" => {
                    let radius = self.graph.one();
                    plain(Surface::from(Shape::Sphere { radius }))
                }
                name if SHAPES.contains(&name) => {
                    let message = format!("the {name} of {owner} has no lengths");
                    let help = format!("write surface = {{ {} }}", example(name));
                    self.report(Diagnostic::error("missing-key", message).at(span, "").help(help));
                    None
                }
                name => {
                    let near = closest(name, SHAPES.iter().copied()).map(str::to_owned);
                    self.unknown_shape(owner, name, near.as_deref(), span)
                }
            },
            ValueKind::Table(table) => self.surface_table(owner, table, span),
            _ => {
                let message =
                    format!("the surface of {owner} is a name or a table, but here it is {}", value.describe());
                self.report(
                    Diagnostic::error("unexpected-value", message)
                        .at(span, "")
                        .help("write surface = \"plane\" or surface = { sphere = 0.5 }"),
                );
                None
            }
        }
    }

    fn unknown_shape(&mut self, owner: &str, name: &str, near: Option<&str>, span: Span) -> Option<Bounded> {
        let error = Diagnostic::error("unknown-surface", format!("the surface of {owner} is no known shape: `{name}`"));
        let error = match near {
            Some(near) => error.at(span, format!("did you mean `{near}`?")),
            None => error.at(span, ""),
        };
        self.report(error.help(format!("known are {}", list(SHAPES))));
        None
    }

    fn surface_table(&mut self, owner: &str, table: &Table, span: Span) -> Option<Bounded> {
        let mut known = true;
        let keys: Vec<&str> = SHAPES.iter().chain(PLACING).copied().collect();
        for (key, _) in table.iter() {
            known &= self.known_key(key, &keys, "a surface");
        }
        let shapes: Vec<(&Key, &syntax::Value)> =
            table.iter().filter(|(k, _)| SHAPES.contains(&k.name.as_str())).collect();
        let [(key, value)] = shapes[..] else {
            if known {
                let message = match shapes.len() {
                    0 => format!("the surface of {owner} says no shape"),
                    _ => format!("the surface of {owner} says {} shapes", shapes.len()),
                };
                self.report(
                    Diagnostic::error("missing-key", message)
                        .at(span, "")
                        .help("write one, as in surface = { ellipsoid = [2, 1.5, 1] }"),
                );
            }
            return None;
        };
        let outline = match key.name.as_str() {
            "rim" | "edge" => self.edge(owner, &key.name, value).map(Outline::Curve),
            _ => self.shape(owner, &key.name, value).map(Outline::Shape),
        };
        let centre = match table.get("centre") {
            Some(value) => Some(self.three(value, "the centre of a surface")?),
            None => None,
        };
        let turned = match table.get("turned") {
            Some(value) => Some(self.turn(value)?),
            None => None,
        };
        let inside = self.truth_of(table, "inside").unwrap_or(false);
        let size = match table.get("size") {
            Some(value) => Some(self.length(value, "the size of a surface")?.1),
            None => None,
        };
        let domain = match table.get("domain") {
            Some(value) => Some(self.domain(value)?),
            None => None,
        };
        let length = match table.entry("length") {
            Some((_, value)) if key.name == "cylinder" => Some(self.length(value, "the length of a cylinder")?.0),
            Some((length, _)) => {
                let error = Diagnostic::error("unknown-key", "only a cylinder has a `length`").at(length.span, "");
                self.report(error);
                return None;
            }
            None => None,
        };
        let placement = (centre.is_some() || turned.is_some()).then(|| {
            let g = &self.graph;
            let (rotation, translation) = (turned.unwrap_or(linear::identity(g)), centre.unwrap_or(linear::zero(g)));
            Placement { rotation, translation }
        });
        let boundary = match outline? {
            Outline::Curve(_) if inside => {
                let (key, _) = table.entry("inside")?;
                self.report(Diagnostic::error("unknown-key", "an edge has no inside").at(key.span, ""));
                return None;
            }
            Outline::Curve(curve) => Boundary::Edge(Edge { curve, placement }),
            Outline::Shape(shape) => {
                let surface = Surface { placement, ..Surface::from(shape) };
                Boundary::Surface(if inside { surface.inside() } else { surface })
            }
        };
        known.then_some(Bounded { boundary, centre, turned, size, domain, length, span })
    }

    fn edge(&mut self, owner: &str, name: &str, value: &syntax::Value) -> Option<Curve> {
        let what = format!("the {name} of {owner}");
        if name == "rim" {
            return Some(Curve::Circle { radius: self.length(value, &what)?.0 });
        }
        let ([parameter], x) = self.in_names(value, ["s"], &what)?;
        Some(Curve::Given { parameter, x: self.components(&x, value.span, &what)? })
    }

    /// `[[u from, u to], [v from, v to]]`.
    fn domain(&mut self, value: &syntax::Value) -> Option<[[f64; 2]; 2]> {
        let (tree, result) = self.formula(value)?;
        let Value::Matrix(m, _) = &result else {
            let message = format!("a domain is [[u from, u to], [v from, v to]], but this is {}", result.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
            return None;
        };
        let ends: Vec<f64> =
            m.entries().to_vec().into_iter().map(|e| self.constant(e, tree.span, "a domain")).collect::<Option<_>>()?;
        match ends[..] {
            [a, b, c, d] if m.cols() == 2 && a < b && c < d => Some([[a, b], [c, d]]),
            _ => {
                let message = "a domain is [[u from, u to], [v from, v to]], each from less to more";
                self.report(Diagnostic::error("bad-number", message).at(tree.span, ""));
                None
            }
        }
    }

    fn shape(&mut self, owner: &str, name: &str, value: &syntax::Value) -> Option<Shape> {
        let what = format!("the {name} of {owner}");
        Some(match name {
            "plane" => Shape::Plane,
            "sphere" => Shape::Sphere { radius: self.length(value, &what)?.0 },
            "cylinder" => Shape::Cylinder { radius: self.length(value, &what)?.0 },
            "cone" => {
                let (half_angle, number) = self.length(value, &what)?;
                if number >= std::f64::consts::FRAC_PI_2 {
                    let message = format!("{what} opens by {number} from its axis, but it must be less than pi/2");
                    self.report(Diagnostic::error("bad-number", message).at(value.span, ""));
                    return None;
                }
                Shape::Cone { half_angle }
            }
            "ellipsoid" => {
                let [a, b, c] = self.lengths(value, &what)?;
                Shape::Ellipsoid { a, b, c }
            }
            "spheroid" => {
                let [a, c] = self.lengths(value, &what)?;
                Shape::Spheroid { a, c }
            }
            "torus" => {
                let [major, minor] = self.lengths(value, &what)?;
                Shape::Torus { major, minor }
            }
            "paraboloid" => {
                let [a, b] = self.numbers(value, &what)?;
                Shape::Paraboloid { a, b }
            }
            "superquadric" => {
                let [a, b, c, e1, e2] = self.lengths(value, &what)?;
                for (e, name, places) in [(e1, "e1", "z = 0"), (e2, "e2", "x = 0 and at y = 0")] {
                    if self.graph.evaluate_f64(e, &self.values).is_ok_and(|e| e > 1.0) {
                        let message = format!("with {name} > 1 this superquadric has infinite curvature at {places}");
                        let warning = Diagnostic::warning("not-regular", message).at(value.span, "");
                        self.report(warning.note("a run ends where it touches there"));
                    }
                }
                Shape::Superquadric { a, b, c, e1, e2 }
            }
            "revolution" => Shape::Revolution(self.profile(&what, value)?),
            "parametric" => {
                let (parameters, x) = self.in_names(value, ["u", "v"], &what)?;
                let x = self.components(&x, value.span, &what)?;
                Shape::Parametric { parameters, x }
            }
            _ => {
                let (at, f) = self.in_names(value, ["x", "y", "z"], &what)?;
                match f {
                    Value::Scalar(f) => Shape::Implicit { at, f },
                    other => {
                        let message = format!("{what} is a scalar f(x, y, z), but this is {}", other.shape());
                        self.report(Diagnostic::error("wrong-dimension", message).at(value.span, ""));
                        return None;
                    }
                }
            }
        })
    }

    fn profile(&mut self, what: &str, value: &syntax::Value) -> Option<Profile> {
        let ValueKind::Table(table) = &value.kind else {
            let message = format!("{what} is a table, but here it is {}", value.describe());
            let help = "write revolution = { radius = \"formula in z\" } or { curve = [\"rho(s)\", \"z(s)\"] }";
            self.report(Diagnostic::error("unexpected-value", message).at(value.span, "").help(help));
            return None;
        };
        for (key, _) in table.iter() {
            self.known_key(key, PROFILE_KEYS, "a surface of revolution");
        }
        if let Some(value) = table.get("radius") {
            let ([z], rho) = self.in_names(value, ["z"], what)?;
            let Value::Scalar(rho) = rho else {
                let message = format!("the radius of {what} is a scalar, but this is {}", rho.shape());
                self.report(Diagnostic::error("wrong-dimension", message).at(value.span, ""));
                return None;
            };
            return Some(Profile::Radius { z, rho });
        }
        let Some(value) = table.get("curve") else {
            let message = format!("{what} has no profile");
            let help = "write revolution = { radius = \"formula in z\" } or { curve = [\"rho(s)\", \"z(s)\"] }";
            self.report(Diagnostic::error("missing-key", message).at(value.span, "").help(help));
            return None;
        };
        let ([s], curve) = self.in_names(value, ["s"], what)?;
        let [rho, z] = self.components(&curve, value.span, what)?;
        Some(Profile::Curve { s, rho, z })
    }

    /// A formula in names of its own besides the parameters.
    pub(super) fn in_names<const N: usize>(
        &mut self,
        value: &syntax::Value,
        names: [&str; N],
        what: &str,
    ) -> Option<([Symbol; N], Value)> {
        let outer = self.scope.clone();
        let symbols = names.map(|n| self.graph.symbol(&format!("{n} of {what}")));
        for (name, symbol) in names.iter().zip(symbols) {
            let e = self.graph.var(symbol);
            self.bind(name, What::Parameter, Some(Value::Scalar(e)), Some(value.span));
        }
        let result = self.formula(value);
        self.scope = outer;
        Some((symbols, result?.1))
    }

    pub(super) fn components<const N: usize>(&mut self, value: &Value, span: Span, what: &str) -> Option<[Expr; N]> {
        if let Value::Vector(v) = value
            && let Ok(v) = <[Expr; N]>::try_from(v.as_slice())
        {
            return Some(v);
        }
        let message = format!("{what} has {N} components, but this is {}", value.shape());
        self.report(Diagnostic::error("wrong-dimension", message).at(span, ""));
        None
    }

    /// N constants.
    pub(super) fn numbers<const N: usize>(&mut self, value: &syntax::Value, what: &str) -> Option<[Expr; N]> {
        let (tree, result) = self.formula(value)?;
        let v = self.components(&result, tree.span, what)?;
        for e in v {
            self.constant(e, tree.span, what)?;
        }
        Some(v)
    }

    /// N positive constants.
    fn lengths<const N: usize>(&mut self, value: &syntax::Value, what: &str) -> Option<[Expr; N]> {
        let v: [Expr; N] = self.numbers(value, what)?;
        for e in v {
            let number = self.graph.evaluate_f64(e, &self.values).unwrap_or(1.0);
            self.positive_length(number, value.span, what)?;
        }
        Some(v)
    }

    pub(super) fn length(&mut self, value: &syntax::Value, what: &str) -> Option<(Expr, f64)> {
        let e = self.scalar_formula(value, what)?;
        let number = self.constant(e, value.span, what)?;
        self.positive_length(number, value.span, what)?;
        Some((e, number))
    }

    fn positive_length(&mut self, number: f64, span: Span, what: &str) -> Option<()> {
        if number > 0.0 {
            return Some(());
        }
        let message = format!("{what} needs positive lengths, but one is {number}");
        self.report(Diagnostic::error("bad-number", message).at(span, ""));
        None
    }

    /// A constant vector of space.
    pub(super) fn three(&mut self, value: &syntax::Value, what: &str) -> Option<[Expr; 3]> {
        self.numbers(value, what)
    }

    /// A constant rotation.
    pub(super) fn turn(&mut self, value: &syntax::Value) -> Option<[[Expr; 3]; 3]> {
        let (tree, turn) = self.formula(value)?;
        let Value::Matrix(m, mark) = turn else {
            let message = format!("`turned` is a rotation matrix, but this is {}", turn.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
            return None;
        };
        if (m.rows(), m.cols()) != (3, 3) || (mark.is_none() && !self.is_rotation(&m)) {
            self.not_a_rotation(&tree);
            return None;
        }
        for e in m.entries().to_vec() {
            self.constant(e, tree.span, "`turned`")?;
        }
        Some(std::array::from_fn(|i| std::array::from_fn(|j| m[(i, j)])))
    }
}

fn example(name: &str) -> &'static str {
    match name {
        "ellipsoid" => "ellipsoid = [2, 1.5, 1]",
        "spheroid" => "spheroid = [1, 1.5]",
        "torus" => "torus = [1, 0.25]",
        "cylinder" => "cylinder = 0.5",
        "cone" => "cone = \"pi/6\"",
        "paraboloid" => "paraboloid = [1, 1]",
        "superquadric" => "superquadric = [1, 1, 1, 0.5, 0.5]",
        "revolution" => "revolution = { radius = \"1 + z^2\" }",
        "parametric" => "parametric = [\"cos(u)\", \"sin(u)\", \"v\"]",
        "rim" => "rim = 0.5",
        "edge" => "edge = [\"2*cos(s)\", \"sin(s)\", \"0\"]",
        _ => "implicit = \"x^2 + y^2 + z^4 - 1\"",
    }
}
