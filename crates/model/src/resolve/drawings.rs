//! `[[draw]]`: what a model looks like, where no surface says so.
//!
//! An entry has one shape, and may have a name, a colour and a look. Lengths and places are formulas as observables are, and may change along
//! the motion; a vector of two components lies in the plane z = 0. A solid is turned by one of
//!
//! ```text
//! rotation   a matrix R, body to world
//! axis       the z axis of the body, a/|a|: R = 1 + ŵ + ŵ²/(1 + a₃), w = e₃ × a, the shortest turn
//! axis, turn the same axis, turned by an angle about it from the horizontal: R = [n, a × n, a] Rz(turn), n = e₃ × a/|e₃ × a|
//! heading    an angle about the vertical, R = Rz(heading)
//! ```
//!
//! The formulas are read into a graph of their own, which is thrown away: see `appearance.rs`.

use super::value::{Value, axis_turn, cross, dot, hat, scaled};
use super::{Resolver, list};
use crate::appearance::{Appearance, ArrowKind, Figure, Look, Outline, Pose, Solid};
use crate::model::{Model, ParseOptions};
use crate::syntax::{self, Key, Table, ValueKind};
use polhode_base::Diagnostic;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Matrix, Symbol};
use polhode_geometry::{Mat3, Vec3, linear};

/// How many colours there are.
const COLOURS: usize = 8;

const COMMON: &[&str] = &["name", "colour", "look"];
const PLACED: &[&str] = &["centre", "rotation", "axis", "turn", "heading"];

/// A shape: what it must have, what it may have, and an example.
struct Form {
    name: &'static str,
    must: &'static [&'static str],
    may: &'static [&'static str],
    placed: bool,
    example: &'static str,
}

const FORMS: &[Form] = &[
    Form {
        name: "ball",
        must: &["radius"],
        may: &[],
        placed: true,
        example: "{ radius = \"r\", centre = \"[x, y, r]\" }",
    },
    Form {
        name: "ellipsoid",
        must: &["axes"],
        may: &[],
        placed: true,
        example: "{ axes = [3, 2, 1], rotation = \"R\" }",
    },
    Form { name: "box", must: &["size"], may: &[], placed: true, example: "{ size = [3, 2, 1], rotation = \"R\" }" },
    Form {
        name: "cylinder",
        must: &["radius", "length"],
        may: &[],
        placed: true,
        example: "{ radius = 0.1, length = 1, axis = [1, 0, 0] }",
    },
    Form {
        name: "disk",
        must: &["radius"],
        may: &["thickness"],
        placed: true,
        example: "{ radius = \"r\", centre = \"centre\", axis = \"axis\", turn = \"psi\" }",
    },
    Form { name: "ring", must: &["radius", "tube"], may: &[], placed: true, example: "{ radius = 1, tube = 0.05 }" },
    Form {
        name: "surface",
        must: &["x", "u", "v"],
        may: &[],
        placed: true,
        example: "{ x = \"[u, v, u*v]\", u = [-1, 1], v = [-1, 1] }",
    },
    Form { name: "plane", must: &[], may: &["size"], placed: true, example: "true" },
    Form {
        name: "rod",
        must: &["from", "to"],
        may: &["radius"],
        placed: false,
        example: "{ from = [0, 0, 0], to = \"[x, y, z]\" }",
    },
    Form {
        name: "arrow",
        must: &["at", "vector"],
        may: &["kind"],
        placed: false,
        example: "{ at = \"[x, y, 0]\", vector = \"[x', y', 0]\", kind = \"velocity\" }",
    },
    Form { name: "point", must: &["at"], may: &[], placed: false, example: "{ at = \"[x, y, z]\" }" },
    Form { name: "trace", must: &["at"], may: &[], placed: false, example: "{ at = \"[x, y, z]\" }" },
];

impl Resolver<'_> {
    /// The tables of the drawings, after a look at what is in them.
    pub(super) fn read_drawings(&mut self, root: &Table) -> Vec<Table> {
        let Some((key, value)) = root.entry("draw") else { return Vec::new() };
        let items = match &value.kind {
            ValueKind::Array(items) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        let kept = self.graph.clone();
        let mut tables = Vec::new();
        let mut out = Appearance::default();
        for item in items {
            let Some(table) = item.as_table() else {
                let message = format!("a drawing is a table, but here it is {}", item.describe());
                let error = Diagnostic::error("unexpected-value", message).at(key.span, "");
                self.report(error.help("begin each with a line [[draw]]"));
                break;
            };
            self.draw(table, &mut out);
            tables.push(table.clone());
        }
        self.graph = kept;
        tables
    }

    /// Adds what an entry draws.
    fn draw(&mut self, table: &Table, out: &mut Appearance) -> Option<()> {
        let shapes: Vec<&str> = FORMS.iter().map(|f| f.name).collect();
        let keys: Vec<&str> = shapes.iter().chain(COMMON).copied().collect();
        let mut sound = true;
        for (key, _) in table.iter() {
            sound &= self.known_key(key, &keys, "a drawing");
        }
        let name = self.text_of(table, "name");
        let look = self.word_of(table, "look", &Look::ALL, Look::name);
        let colour = self.colour(table);
        let said: Vec<(&Key, &syntax::Value)> =
            table.iter().filter(|(k, _)| shapes.contains(&k.name.as_str())).collect();
        let [(key, value)] = said[..] else {
            if sound {
                let message = match said.len() {
                    0 => "this drawing says no shape".to_owned(),
                    n => format!("this drawing says {n} shapes"),
                };
                let help = match said.len() {
                    0 => format!("write one of {}", list(&shapes)),
                    _ => "begin another [[draw]] for each".to_owned(),
                };
                self.report(Diagnostic::error("missing-key", message).at(table.span, "").help(help));
            }
            return None;
        };
        let form = FORMS.iter().find(|f| f.name == key.name)?;
        let outline = self.outline(form, value, out)?;
        if sound {
            out.figures.push(Figure { name, outline, look, colour, span: Some(key.span) });
        }
        Some(())
    }

    /// `colour = 1`.
    fn colour(&mut self, table: &Table) -> Option<usize> {
        let (_, value) = table.entry("colour")?;
        let number = value.as_number().and_then(|d| d.text().parse::<usize>().ok()).filter(|n| *n < COLOURS);
        if number.is_none() {
            let message = format!("a colour is a whole number from 0 to {}", COLOURS - 1);
            self.report(Diagnostic::error("bad-number", message).at(value.span, ""));
        }
        number
    }

    fn outline(&mut self, form: &Form, value: &syntax::Value, out: &mut Appearance) -> Option<Outline> {
        let empty = Table { entries: Vec::new(), span: value.span };
        let inner = match (&value.kind, value.as_bool()) {
            (ValueKind::Table(inner), _) => inner,
            (_, Some(true)) if form.must.is_empty() => &empty,
            _ => {
                let table = if form.must.is_empty() { "`true` or a table" } else { "a table" };
                let message = format!("{} is {table}, but here it is {}", article(form.name), value.describe());
                let error = Diagnostic::error("unexpected-value", message).at(value.span, "");
                self.report(error.help(format!("write {} = {}", form.name, form.example)));
                return None;
            }
        };
        let placing: &[&str] = if form.placed { PLACED } else { &[] };
        let keys: Vec<&str> = [form.must, form.may, placing].concat();
        let mut sound = true;
        for (key, _) in inner.iter() {
            sound &= self.known_key(key, &keys, article(form.name).as_str());
        }
        let missing: Vec<&str> = form.must.iter().filter(|k| inner.get(k).is_none()).copied().collect();
        if !missing.is_empty() {
            // a key that is not known may be a misspelt one
            if sound {
                let message = format!("this {} has no {}", form.name, list(&missing));
                let error = Diagnostic::error("missing-key", message).at(inner.span, "");
                self.report(error.help(format!("write {} = {}", form.name, form.example)));
            }
            return None;
        }
        let pose = match form.placed {
            true => Some(self.drawn_pose(form.name, inner, out)?),
            false => None,
        };
        let outline = match pose {
            Some(pose) => self.placed_outline(form.name, inner, pose, out)?,
            None => self.other_outline(form.name, inner, out)?,
        };
        sound.then_some(outline)
    }

    fn placed_outline(&mut self, name: &str, table: &Table, pose: Pose, out: &mut Appearance) -> Option<Outline> {
        let solid = |solid, scale: Vec3, out: &mut Appearance| {
            let scale = out.put_vector(&scale);
            Some(Outline::Solid { solid, scale, pose })
        };
        match name {
            "ball" => {
                let r = self.drawn_length(table, "radius")?;
                solid(Solid::Ball, [r; 3], out)
            }
            "ellipsoid" => solid(Solid::Ball, self.drawn_vector(table, "axes")?, out),
            "box" => solid(Solid::Box, self.drawn_vector(table, "size")?, out),
            "cylinder" => {
                let r = self.drawn_length(table, "radius")?;
                solid(Solid::Cylinder, [r, r, self.drawn_length(table, "length")?], out)
            }
            "disk" => {
                let r = self.drawn_length(table, "radius")?;
                let half = match table.get("thickness") {
                    Some(_) => {
                        let whole = self.drawn_length(table, "thickness")?;
                        self.graph.scale(whole, &ratio(1, 2))
                    }
                    None => self.graph.scale(r, &ratio(1, 40)),
                };
                solid(Solid::Disk, [r, r, half], out)
            }
            "ring" => {
                let (major, minor) = (self.fixed_length(table, "radius")?.0, self.fixed_length(table, "tube")?.0);
                let g = &mut self.graph;
                let parameters = ["u of a ring", "v of a ring"].map(|n| g.symbol(n));
                let [u, v] = parameters.map(|s| g.var(s));
                let (su, cu, sv, cv) = (g.sin(u), g.cos(u), g.sin(v), g.cos(v));
                let across = g.mul(minor, su);
                let rho = g.add(major, across);
                let x = [g.mul(rho, cv), g.mul(rho, sv), g.mul(minor, cu)];
                let round = [0.0, std::f64::consts::TAU];
                Some(Outline::Surface { parameters, x, u: round, v: round, pose })
            }
            "surface" => {
                let value = table.get("x")?;
                let (parameters, x) = self.in_names(value, ["u", "v"], "a drawn surface")?;
                let x: Vec3 = self.components(&x, value.span, "a drawn surface")?;
                let allowed = |s: &Symbol| parameters.contains(s) || self.parameters.iter().any(|p| p.symbol == *s);
                if let Some(other) = self.graph.free_symbols(&x).into_iter().find(|s| !allowed(s)) {
                    let name = self.graph.name(other);
                    let message =
                        format!("the shape of a drawn surface does not change, so that it cannot contain `{name}`");
                    let help = "use `u`, `v` and parameters; `centre` and `rotation` move it";
                    self.report(Diagnostic::error("not-constant", message).at(value.span, "").help(help));
                    return None;
                }
                let (u, v) = (self.range(table, "u")?, self.range(table, "v")?);
                Some(Outline::Surface { parameters, x, u, v, pose })
            }
            _ => {
                let size = match table.get("size") {
                    Some(_) => Some(self.fixed_length(table, "size")?.1),
                    None => None,
                };
                Some(Outline::Plane { pose, size })
            }
        }
    }

    fn other_outline(&mut self, name: &str, table: &Table, out: &mut Appearance) -> Option<Outline> {
        let mut at = |this: &mut Self, key: &str| {
            let v = this.drawn_vector(table, key)?;
            Some(out.put_vector(&v))
        };
        Some(match name {
            "rod" => {
                let (from, to) = (at(self, "from")?, at(self, "to")?);
                let radius = match table.get("radius") {
                    Some(_) => Some(self.fixed_length(table, "radius")?.1),
                    None => None,
                };
                Outline::Rod { from, to, radius }
            }
            "arrow" => {
                let (at, vector) = (at(self, "at")?, at(self, "vector")?);
                let kind = match table.get("kind") {
                    Some(_) => self.word_of(table, "kind", &ArrowKind::ALL, ArrowKind::name)?,
                    None => ArrowKind::Axis,
                };
                Outline::Arrow { at, vector, kind }
            }
            "point" => Outline::Point { at: at(self, "at")? },
            _ => Outline::Trace { at: at(self, "at")? },
        })
    }

    /// Centre and rotation.
    fn drawn_pose(&mut self, name: &str, table: &Table, out: &mut Appearance) -> Option<Pose> {
        let centre = match table.get("centre") {
            Some(_) => self.drawn_vector(table, "centre")?,
            None => linear::zero(&self.graph),
        };
        let ways: Vec<&Key> = ["rotation", "axis", "heading"].iter().filter_map(|k| Some(table.entry(k)?.0)).collect();
        if let [first, second, ..] = ways[..] {
            let message = format!("this {name} says twice how it is turned");
            let error = Diagnostic::error("unexpected-value", message).at(second.span, "");
            self.report(error.also(first.span, "the first time").help("keep one of `rotation`, `axis` and `heading`"));
            return None;
        }
        if let (Some((turn, _)), None) = (table.entry("turn"), table.get("axis")) {
            let error = Diagnostic::error("missing-key", "`turn` is an angle about an axis, but there is no `axis`");
            self.report(error.at(turn.span, "").help("write the whole rotation, as rotation = \"Rz(psi)\""));
            return None;
        }
        let rotation = match ways.first().map(|k| k.name.as_str()) {
            Some("rotation") => self.drawn_rotation(table)?,
            Some("axis") => self.about_axis(table)?,
            Some(_) => {
                let angle = self.drawn_length(table, "heading")?;
                rows(&axis_turn(&mut self.graph, 2, angle))
            }
            None => linear::identity(&self.graph),
        };
        Some(out.put_pose(&rotation, &centre))
    }

    fn drawn_rotation(&mut self, table: &Table) -> Option<Mat3> {
        let (tree, turn) = self.formula(table.get("rotation")?)?;
        let Value::Matrix(m, mark) = turn else {
            let message = format!("`rotation` is a rotation matrix, but this is {}", turn.shape());
            let help = "write it as \"Rz(phi)*Rx(theta)\", or give an angle as `heading`";
            self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, "").help(help));
            return None;
        };
        if (m.rows(), m.cols()) != (3, 3) || (mark.is_none() && !self.is_rotation(&m)) {
            self.not_a_rotation(&tree);
            return None;
        }
        Some(rows(&m))
    }

    /// The frame with a given z axis, turned about it.
    fn about_axis(&mut self, table: &Table) -> Option<Mat3> {
        let axis = self.drawn_vector(table, "axis")?;
        let turn = match table.get("turn") {
            Some(_) => Some(self.drawn_length(table, "turn")?),
            None => None,
        };
        let g = &mut self.graph;
        let square = dot(g, &axis, &axis);
        let length = g.sqrt(square);
        let inverse = g.powi(length, -1);
        let a = scaled(g, inverse, &axis);
        let up = [g.zero(), g.zero(), g.one()];
        let w = cross(g, &up, &a);
        let m = match turn {
            Some(turn) => {
                let square = dot(g, &w, &w);
                let sine = g.sqrt(square);
                let inverse = g.powi(sine, -1);
                let n = scaled(g, inverse, &w);
                let b = cross(g, &a, &n);
                let frame = Matrix::from_fn(3, 3, |i, j| [&n, &b, &a][j][i]);
                let about = axis_turn(g, 2, turn);
                frame.mul(g, &about)
            }
            None => {
                let one = g.one();
                let below = g.add(one, a[2]);
                let (w, identity) = (hat(g, &w), Matrix::identity(g, 3));
                let second = w.mul(g, &w);
                let entries: Vec<Expr> = (0..9)
                    .map(|k| {
                        let rest = g.div(second.entries()[k], below);
                        g.sum([identity.entries()[k], w.entries()[k], rest])
                    })
                    .collect();
                Matrix::from_fn(3, 3, |i, j| entries[3 * i + j])
            }
        };
        Some(rows(&m))
    }

    /// A scalar that may change along the motion.
    fn drawn_length(&mut self, table: &Table, key: &str) -> Option<Expr> {
        self.scalar_formula(table.get(key)?, &format!("`{key}`"))
    }

    /// A positive constant, and its value.
    fn fixed_length(&mut self, table: &Table, key: &str) -> Option<(Expr, f64)> {
        self.length(table.get(key)?, &format!("`{key}`"))
    }

    /// A vector that may change along the motion; one of two components has height 0.
    fn drawn_vector(&mut self, table: &Table, key: &str) -> Option<Vec3> {
        let (tree, result) = self.formula(table.get(key)?)?;
        match &result {
            Value::Vector(v) if v.len() == 3 => Some([v[0], v[1], v[2]]),
            Value::Vector(v) if v.len() == 2 => Some([v[0], v[1], self.graph.zero()]),
            other => {
                let message = format!("`{key}` is a vector of 2 or 3 components, but this is {}", other.shape());
                self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
                None
            }
        }
    }

    /// `u = [0, 1]`.
    fn range(&mut self, table: &Table, key: &str) -> Option<[f64; 2]> {
        let value = table.get(key)?;
        let what = format!("the range of `{key}`");
        let ends: [Expr; 2] = self.numbers(value, &what)?;
        let [low, high] = ends.map(|e| self.graph.evaluate_f64(e, &self.values).unwrap_or(f64::NAN));
        if low < high {
            return Some([low, high]);
        }
        let message = format!("{what} goes from less to more, but here from {low} to {high}");
        self.report(Diagnostic::error("bad-number", message).at(value.span, ""));
        None
    }
}

/// What the drawings of a model are in a graph that began as a clone of the model's.
pub(crate) fn figures(model: &Model, graph: &mut Graph) -> Appearance {
    let options = ParseOptions::default();
    let mut resolver = Resolver::again(model, &options, graph);
    let mut out = Appearance::default();
    for table in &model.drawings {
        resolver.draw(table, &mut out);
    }
    *graph = std::mem::take(&mut resolver.graph);
    out
}

fn rows(m: &Matrix) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| m[(i, j)]))
}

fn article(name: &str) -> String {
    let vowel = name.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}
