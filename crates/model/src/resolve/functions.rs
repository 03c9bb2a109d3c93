//! The functions that formulas can call.

use super::Resolver;
use super::formula::MAX_ENTRIES;
use super::scope::What;
use super::value::{Shape, Spin, Turn, Value, add, axis_turn, cross, dot, hat, negated, scaled, sub, transposed};
use crate::syntax::{self, ExprKind, Ident};
use polhode_base::Diagnostic;
use polhode_expr::number::{int, ratio};
use polhode_expr::{Expr, Matrix, determinant};

/// Name, number of arguments (fewest, most), how it is called.
const FUNCTIONS: &[(&str, usize, usize, &str)] = &[
    ("sin", 1, 1, "sin(x)"),
    ("cos", 1, 1, "cos(x)"),
    ("tan", 1, 1, "tan(x)"),
    ("asin", 1, 1, "asin(x)"),
    ("acos", 1, 1, "acos(x)"),
    ("atan", 1, 1, "atan(x)"),
    ("atan2", 2, 2, "atan2(y, x)"),
    ("sinh", 1, 1, "sinh(x)"),
    ("cosh", 1, 1, "cosh(x)"),
    ("tanh", 1, 1, "tanh(x)"),
    ("exp", 1, 1, "exp(x)"),
    ("log", 1, 1, "log(x), the natural logarithm"),
    ("ln", 1, 1, "ln(x), the natural logarithm"),
    ("sqrt", 1, 1, "sqrt(x)"),
    ("abs", 1, 1, "abs(x)"),
    ("dot", 2, 2, "dot(a, b) of two vectors"),
    ("cross", 2, 2, "cross(a, b) of two vectors of 3 components"),
    ("norm", 1, 1, "norm(a), the length of a vector"),
    ("norm2", 1, 1, "norm2(a), the square of the length of a vector"),
    ("transpose", 1, 1, "transpose(M)"),
    ("det", 1, 1, "det(M) of a square matrix"),
    ("trace", 1, 1, "trace(M) of a square matrix"),
    ("inverse", 1, 1, "inverse(M) of a square matrix"),
    ("hat", 1, 1, "hat(a), the matrix with hat(a)*b = cross(a, b)"),
    ("outer", 2, 2, "outer(a, b), the matrix of all products"),
    ("identity", 1, 1, "identity(n)"),
    ("diag", 1, MAX_ENTRIES, "diag(a, b, c)"),
    ("Rx", 1, 1, "Rx(angle)"),
    ("Ry", 1, 1, "Ry(angle)"),
    ("Rz", 1, 1, "Rz(angle)"),
    ("rotation", 2, 2, "rotation(axis, angle)"),
    ("quat", 4, 4, "quat(w, x, y, z)"),
    ("dt", 1, 1, "dt(x), the time derivative along the motion"),
    ("angular_velocity", 1, 1, "angular_velocity(R), world components"),
    ("body_angular_velocity", 1, 1, "body_angular_velocity(R), body components"),
    ("velocity_at", 3, 3, "velocity_at(position, R, point)"),
];

/// Doublings of the argument of tanh.
const DOUBLINGS: u32 = 4;

/// Whether formulas have a function of this name.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|f| f.0 == name)
}

/// All function names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|f| f.0)
}

/// How a function is called.
pub(super) fn signature(name: &str) -> &'static str {
    FUNCTIONS.iter().find(|f| f.0 == name).map_or("", |f| f.3)
}

/// What other languages call a function that we have under another name.
pub(super) fn other_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "arcsin" => "asin",
        "arccos" => "acos",
        "arctan" => "atan",
        "arctan2" => "atan2",
        "skew" | "tilde" => "hat",
        "length" | "mag" | "abs2" => "norm",
        "diff" | "ddt" | "der" | "deriv" => "dt",
        "inv" => "inverse",
        "eye" => "identity",
        "tr" => "trace",
        "quaternion" => "quat",
        "rot" | "axis_angle" => "rotation",
        _ => return None,
    })
}

/// The evaluated arguments of a call.
struct Call<'a> {
    name: &'a str,
    whole: &'a syntax::Expr,
    args: &'a [syntax::Expr],
    values: Vec<Value>,
}

impl Resolver<'_> {
    pub(super) fn call(&mut self, whole: &syntax::Expr, function: &Ident, args: &[syntax::Expr]) -> Option<Value> {
        let name: &str = &function.name;
        let open = match self.scope.get(name).map(|b| &b.what) {
            Some(What::Function(f, arity)) => Some((*f, *arity)),
            _ => None,
        };
        let known = FUNCTIONS.iter().find(|f| f.0 == name);
        if open.is_none() && known.is_none() {
            self.unknown_function(name, function.span);
            args.iter().for_each(|a| {
                self.eval(a);
            });
            return None;
        }
        let values: Vec<Option<Value>> = args.iter().map(|a| self.eval(a)).collect();
        let (least, most) = match (open, known) {
            (Some((_, n)), _) => (n, n),
            (_, Some(f)) => (f.1, f.2),
            _ => (0, 0),
        };
        if args.len() < least || args.len() > most {
            let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
            let message = format!("`{name}` takes {}, here are {}", count(least), args.len());
            let mut error = Diagnostic::error("wrong-arguments", message).at(whole.span, "");
            if open.is_none() {
                error = error.help(format!("write {}", signature(name)));
            }
            self.report(error);
            return None;
        }
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let call = Call { name, whole, args, values };
        if let Some((f, n)) = open {
            let scalars: Option<Vec<Expr>> = (0..n).map(|i| self.scalar(&call, i)).collect();
            return Some(Value::Scalar(self.graph.apply(f, scalars?)));
        }
        self.builtin(&call)
    }

    fn builtin(&mut self, c: &Call<'_>) -> Option<Value> {
        Some(match c.name {
            "atan2" => {
                let (y, x) = (self.scalar(c, 0)?, self.scalar(c, 1)?);
                Value::Scalar(self.graph.atan2(y, x))
            }
            "dot" => {
                let (a, b) = self.two_vectors(c)?;
                Value::Scalar(dot(&mut self.graph, &a, &b))
            }
            "cross" => {
                let (a, b) = (self.vector_of(c, 0, Some(3))?, self.vector_of(c, 1, Some(3))?);
                Value::Vector(cross(&mut self.graph, &a, &b))
            }
            "norm" | "norm2" => {
                let a = self.vector_of(c, 0, None)?;
                let square = dot(&mut self.graph, &a, &a);
                Value::Scalar(if c.name == "norm" { self.graph.sqrt(square) } else { square })
            }
            "transpose" => match &c.values[0] {
                Value::Matrix(m, turn) => transposed(&mut self.graph, m, turn),
                _ => return self.wrong_shape(c, 0, "a matrix"),
            },
            "det" | "trace" | "inverse" => return self.square_function(c),
            "hat" => {
                let a = self.vector_of(c, 0, Some(3))?;
                Value::Matrix(hat(&mut self.graph, &a), None)
            }
            "outer" => {
                let (a, b) = (self.vector_of(c, 0, None)?, self.vector_of(c, 1, None)?);
                if a.len() * b.len() > MAX_ENTRIES {
                    return self.wrong_shape(c, 0, "a shorter vector");
                }
                let m = Matrix::from_fn(a.len(), b.len(), |i, j| self.graph.mul(a[i], b[j]));
                Value::Matrix(m, None)
            }
            "identity" => {
                let n = match &c.args[0].kind {
                    ExprKind::Number(n) => n.as_u32().filter(|n| (1..=16).contains(n)),
                    _ => None,
                };
                let Some(n) = n else {
                    return self.wrong_shape(c, 0, "a whole number from 1 to 16");
                };
                let n = n as usize;
                let turn = matches!(n, 2 | 3).then(|| self.no_spin(n));
                Value::Matrix(Matrix::identity(&self.graph, n), turn)
            }
            "diag" => {
                let entries = match &c.values[..] {
                    [Value::Vector(v)] => v.clone(),
                    _ => (0..c.values.len()).map(|i| self.scalar(c, i)).collect::<Option<_>>()?,
                };
                if entries.len() * entries.len() > MAX_ENTRIES {
                    return self.wrong_shape(c, 0, "one of fewer components");
                }
                let mut m = Matrix::zeros(&self.graph, entries.len(), entries.len());
                entries.iter().enumerate().for_each(|(i, e)| m[(i, i)] = *e);
                Value::Matrix(m, None)
            }
            "Rx" | "Ry" | "Rz" => {
                let angle = self.scalar(c, 0)?;
                let axis = match c.name {
                    "Rx" => 0,
                    "Ry" => 1,
                    _ => 2,
                };
                self.turn_about(axis, angle)
            }
            "rotation" => return self.axis_angle(c),
            "quat" => return self.quaternion(c),
            "dt" => return self.time_derivative(&c.values[0], c.whole.span),
            "angular_velocity" | "body_angular_velocity" => {
                let spin = self.spin_of(&c.values[0], &c.args[0])?;
                let components = if c.name == "angular_velocity" { spin.world } else { spin.body };
                match components[..] {
                    [w] => Value::Scalar(w),
                    _ => Value::Vector(components),
                }
            }
            "velocity_at" => return self.velocity_at(c),
            _ => {
                let a = self.scalar(c, 0)?;
                return self.elementary(c, a);
            }
        })
    }

    fn elementary(&mut self, c: &Call<'_>, a: Expr) -> Option<Value> {
        let g = &mut self.graph;
        let negative = |g: &polhode_expr::Graph, e: Expr| g.as_number(e).is_some_and(polhode_expr::number::is_negative);
        Some(Value::Scalar(match c.name {
            "sin" => g.sin(a),
            "cos" => g.cos(a),
            "tan" => g.tan(a),
            "atan" => {
                let one = g.one();
                g.atan2(a, one)
            }
            "asin" | "acos" => {
                // the angle of the point (√(1−x²), x), or of (x, √(1−x²))
                let square = g.powi(a, 2);
                let one = g.one();
                let rest = g.sub(one, square);
                let root = g.sqrt(rest);
                if c.name == "asin" { g.atan2(a, root) } else { g.atan2(root, a) }
            }
            "sinh" | "cosh" => {
                let minus = g.neg(a);
                let (p, m) = (g.exp(a), g.exp(minus));
                let sum = if c.name == "sinh" { g.sub(p, m) } else { g.add(p, m) };
                g.scale(sum, &ratio(1, 2))
            }
            "tanh" => {
                // t = 2/(1 + e⁻²ʸ) − 1 at y = x/16: a switch that was thrown long ago, x → ∞, does not overflow, and for
                // x → −∞ it does so 16 times later. Then tanh 2y = 2t/(1 + t²); each doubling costs a bit near 0.
                let part = g.scale(a, &ratio(-2, 1 << DOUBLINGS));
                let (one, small) = (g.one(), g.exp(part));
                let below = g.add(one, small);
                let inverse = g.powi(below, -1);
                let double = g.scale(inverse, &ratio(2, 1));
                let mut t = g.sub(double, one);
                for _ in 0..DOUBLINGS {
                    let square = g.powi(t, 2);
                    let below = g.add(one, square);
                    let half = g.div(t, below);
                    t = g.scale(half, &ratio(2, 1));
                }
                t
            }
            "exp" => g.exp(a),
            "log" | "ln" => {
                if g.is_zero(a) || negative(g, a) {
                    let message = format!("the logarithm of {} has no value", self.quote(c.args[0].span));
                    self.report(Diagnostic::error("bad-number", message).at(c.whole.span, ""));
                    return None;
                }
                g.log(a)
            }
            "sqrt" => {
                if negative(g, a) {
                    let message = format!("the root of {} has no real value", self.quote(c.args[0].span));
                    self.report(Diagnostic::error("bad-number", message).at(c.whole.span, ""));
                    return None;
                }
                g.sqrt(a)
            }
            _ => {
                // |x| = √(x²)
                let square = g.powi(a, 2);
                g.sqrt(square)
            }
        }))
    }

    fn square_function(&mut self, c: &Call<'_>) -> Option<Value> {
        let (m, turn) = match &c.values[0] {
            Value::Matrix(m, turn) if m.rows() == m.cols() => (m, turn),
            _ => return self.wrong_shape(c, 0, "a square matrix"),
        };
        let n = m.rows();
        if c.name == "trace" {
            let diagonal: Vec<Expr> = (0..n).map(|i| m[(i, i)]).collect();
            return Some(Value::Scalar(self.graph.sum(diagonal)));
        }
        if c.name == "inverse" && turn.is_some() {
            return Some(transposed(&mut self.graph, m, turn));
        }
        if n > 5 {
            return self.wrong_shape(c, 0, "a matrix of at most 5 rows");
        }
        let det = determinant(&mut self.graph, m);
        if c.name == "det" {
            return Some(Value::Scalar(det));
        }
        if self.graph.is_zero(det) {
            let message = format!("{} has no inverse: its determinant is 0", self.subject(&c.args[0]));
            self.report(Diagnostic::error("bad-number", message).at(c.whole.span, ""));
            return None;
        }
        let all: Vec<usize> = (0..n).collect();
        let inverse = Matrix::from_fn(n, n, |i, j| {
            // the cofactor of entry (j, i), over the determinant
            let rows: Vec<usize> = all.iter().copied().filter(|r| *r != j).collect();
            let cols: Vec<usize> = all.iter().copied().filter(|r| *r != i).collect();
            let minor = determinant(&mut self.graph, &m.select(&rows, &cols));
            let cofactor = self.graph.scale(minor, &int(if (i + j) % 2 == 0 { 1 } else { -1 }));
            self.graph.div(cofactor, det)
        });
        Some(Value::Matrix(inverse, None))
    }

    /// A turn that does not move.
    fn no_spin(&self, n: usize) -> Turn {
        let zero = vec![self.graph.zero(); if n == 3 { 3 } else { 1 }];
        Turn { spin: Some(Spin { world: zero.clone(), body: zero }) }
    }

    /// The turn about a coordinate axis.
    pub(super) fn turn_about(&mut self, axis: usize, angle: Expr) -> Value {
        let matrix = axis_turn(&mut self.graph, axis, angle);
        let used = self.graph.free_symbols(&[angle]);
        let spin = (!used.iter().any(|s| self.accelerations.contains(s))).then(|| {
            let mut w = vec![self.graph.zero(); 3];
            w[axis] = self.graph.along(angle, &self.rates);
            Spin { world: w.clone(), body: w }
        });
        Value::Matrix(matrix, Some(Turn { spin }))
    }

    /// Rodrigues' formula: R = 1 + sin a n̂ + (1 − cos a) n̂², n the unit axis.
    fn axis_angle(&mut self, c: &Call<'_>) -> Option<Value> {
        let axis = self.vector_of(c, 0, Some(3))?;
        let angle = self.scalar(c, 1)?;
        let g = &mut self.graph;
        let square = dot(g, &axis, &axis);
        if g.is_zero(square) {
            return self.wrong_shape(c, 0, "a direction, not the zero vector");
        }
        let length = g.sqrt(square);
        let one = g.one();
        let inverse = g.div(one, length);
        let n = scaled(g, inverse, &axis);
        let n_hat = hat(g, &n);
        let n_hat2 = n_hat.mul(g, &n_hat);
        let (s, cos) = (g.sin(angle), g.cos(angle));
        let versine = g.sub(one, cos);
        let unit = Matrix::identity(g, 3);
        let matrix = Matrix::from_fn(3, 3, |i, j| {
            let (a, b) = (g.mul(s, n_hat[(i, j)]), g.mul(versine, n_hat2[(i, j)]));
            g.sum([unit[(i, j)], a, b])
        });
        let moving: Vec<_> = self.rates.keys().copied().collect();
        let fixed = !n.iter().any(|e| self.graph.contains_any(*e, &moving))
            && !self.graph.contains_any(angle, &self.accelerations.clone());
        let spin = fixed.then(|| {
            let rate = self.graph.along(angle, &self.rates);
            let w = scaled(&mut self.graph, rate, &n);
            Spin { world: w.clone(), body: w }
        });
        Some(Value::Matrix(matrix, Some(Turn { spin })))
    }

    /// The rotation of the quaternion q/|q|, with Ω = 2 (w v̇ − ẇ v − v × v̇)/|q|².
    fn quaternion(&mut self, c: &Call<'_>) -> Option<Value> {
        let q: Vec<Expr> = (0..4).map(|i| self.scalar(c, i)).collect::<Option<_>>()?;
        let g = &mut self.graph;
        let square = dot(g, &q, &q);
        if g.is_zero(square) {
            let message = "the quaternion 0 is no rotation";
            self.report(Diagnostic::error("not-a-rotation", message).at(c.whole.span, ""));
            return None;
        }
        // R = 1 + (2/|q|²) (w v̂ + v̂²)
        let two = g.int(2);
        let factor = g.div(two, square);
        let v_hat = hat(g, &q[1..]);
        let v_hat2 = v_hat.mul(g, &v_hat);
        let unit = Matrix::identity(g, 3);
        let matrix = Matrix::from_fn(3, 3, |i, j| {
            let turn = g.mul(q[0], v_hat[(i, j)]);
            let both = g.add(turn, v_hat2[(i, j)]);
            let part = g.mul(factor, both);
            g.add(unit[(i, j)], part)
        });
        let used = self.graph.free_symbols(&q);
        let spin = (!used.iter().any(|s| self.accelerations.contains(s))).then(|| {
            let rates = self.graph.along_all(&q, &self.rates);
            let g = &mut self.graph;
            let (a, b) = (scaled(g, q[0], &rates[1..]), scaled(g, rates[0], &q[1..]));
            let plain = sub(g, &a, &b);
            let turn = cross(g, &q[1..], &rates[1..]);
            let (world, body) = (add(g, &plain, &turn), sub(g, &plain, &turn));
            Spin { world: scaled(g, factor, &world), body: scaled(g, factor, &body) }
        });
        Some(Value::Matrix(matrix, Some(Turn { spin })))
    }

    /// The angular velocity of a rotation matrix, or of an angle in the plane.
    pub(super) fn spin_of(&mut self, value: &Value, tree: &syntax::Expr) -> Option<Spin> {
        match value {
            Value::Scalar(_) => {
                let rate = self.time_derivative(value, tree.span)?.entries().to_vec();
                Some(Spin { world: rate.clone(), body: rate })
            }
            Value::Matrix(_, Some(Turn { spin: Some(spin) })) => {
                self.mentions_motion = true;
                Some(spin.clone())
            }
            Value::Matrix(m, turn) if matches!((m.rows(), m.cols()), (2, 2) | (3, 3)) => {
                if turn.is_none() && !self.is_rotation(m) {
                    self.not_a_rotation(tree);
                    return None;
                }
                let rate = self.time_derivative(value, tree.span)?;
                let Value::Matrix(rate, _) = rate else { return None };
                // ω̂ = Ṙ Rᵀ, Ω̂ = Rᵀ Ṙ
                let g = &mut self.graph;
                let world = rate.mul(g, &m.transpose());
                let body = m.transpose().mul(g, &rate);
                let vee = |w: &Matrix| match w.rows() {
                    3 => vec![w[(2, 1)], w[(0, 2)], w[(1, 0)]],
                    _ => vec![w[(1, 0)]],
                };
                Some(Spin { world: vee(&world), body: vee(&body) })
            }
            other => {
                let message = format!("a rotation is a 3×3 matrix, but {} is {}", self.subject(tree), other.shape());
                self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
                None
            }
        }
    }

    /// Reports a matrix that is no rotation.
    pub(super) fn not_a_rotation(&mut self, tree: &syntax::Expr) {
        let message = format!("{} is not a rotation matrix", self.subject(tree));
        self.report(
            Diagnostic::error("not-a-rotation", message)
                .at(tree.span, "")
                .note("its columns are not three perpendicular unit vectors, or they are left-handed")
                .help("build it from Rx(a), Ry(a), Rz(a), rotation(axis, angle) or quat(w, x, y, z)"),
        );
    }

    /// Whether a matrix is a rotation at the values of the parameters, whatever the motion.
    pub(super) fn is_rotation(&mut self, m: &Matrix) -> bool {
        let entries = self.graph.substitute_all(m.entries(), &self.exact.clone());
        let n = m.rows();
        let rows: Vec<&[Expr]> = entries.chunks(n).collect();
        let g = &mut self.graph;
        let (zero, one) = (g.zero(), g.one());
        for i in 0..n {
            for j in 0..=i {
                let product = dot(g, rows[i], rows[j]);
                if !g.equal(product, if i == j { one } else { zero }).is_equal() {
                    return false;
                }
            }
        }
        if n == 2 {
            let minus = g.neg(rows[1][0]);
            return g.equal(rows[0][0], rows[1][1]).is_equal() && g.equal(rows[0][1], minus).is_equal();
        }
        let third = cross(g, rows[0], rows[1]);
        (0..3).all(|k| g.equal(third[k], rows[2][k]).is_equal())
    }

    /// dt(position) + ω × (point − position).
    fn velocity_at(&mut self, c: &Call<'_>) -> Option<Value> {
        let (position, point) = (self.vector_of(c, 0, None)?, self.vector_of(c, 2, None)?);
        let n = position.len();
        if !matches!(n, 2 | 3) {
            return self.wrong_shape(c, 0, "a vector of 2 or 3 components");
        }
        if point.len() != n {
            return self.wrong_shape(c, 2, &format!("a vector of {n} components, like the position"));
        }
        let spin = self.spin_of(&c.values[1], &c.args[1])?;
        let velocity = self.time_derivative(&c.values[0], c.args[0].span)?;
        let g = &mut self.graph;
        let arm = sub(g, &point, &position);
        let turning = match spin.world[..] {
            [w] => {
                let minus = negated(g, &[w])[0];
                let mut v = vec![g.mul(minus, arm[1]), g.mul(w, arm[0])];
                v.resize(n, g.zero());
                v
            }
            _ if n == 3 => cross(g, &spin.world, &arm),
            _ => return self.wrong_shape(c, 0, "a vector of 3 components, since the rotation is one of space"),
        };
        let g = &mut self.graph;
        Some(Value::Vector(add(g, velocity.entries(), &turning)))
    }

    fn scalar(&mut self, c: &Call<'_>, i: usize) -> Option<Expr> {
        match &c.values[i] {
            Value::Scalar(e) => Some(*e),
            _ => self.wrong_shape(c, i, "a scalar"),
        }
    }

    fn vector_of(&mut self, c: &Call<'_>, i: usize, n: Option<usize>) -> Option<Vec<Expr>> {
        match (&c.values[i], n) {
            (Value::Vector(v), None) => Some(v.clone()),
            (Value::Vector(v), Some(n)) if v.len() == n => Some(v.clone()),
            (_, Some(n)) => self.wrong_shape(c, i, &Shape::Vector(n).to_string()),
            (_, None) => self.wrong_shape(c, i, "a vector"),
        }
    }

    fn two_vectors(&mut self, c: &Call<'_>) -> Option<(Vec<Expr>, Vec<Expr>)> {
        let (a, b) = (self.vector_of(c, 0, None)?, self.vector_of(c, 1, None)?);
        if a.len() != b.len() {
            let message = format!(
                "`{}` takes two vectors of one length, but {} has {} components and {} has {}",
                c.name,
                self.subject(&c.args[0]),
                a.len(),
                self.subject(&c.args[1]),
                b.len()
            );
            self.report(Diagnostic::error("wrong-dimension", message).at(c.whole.span, ""));
            return None;
        }
        Some((a, b))
    }

    /// Reports that argument `i` is not what the function takes.
    fn wrong_shape<T>(&mut self, c: &Call<'_>, i: usize, wanted: &str) -> Option<T> {
        let message =
            format!("`{}` takes {wanted}, but {} is {}", c.name, self.subject(&c.args[i]), c.values[i].shape());
        let mut error = Diagnostic::error("wrong-dimension", message).at(c.args[i].span, "");
        if is_function(c.name) {
            error = error.help(format!("write {}", signature(c.name)));
        }
        self.report(error);
        None
    }
}
