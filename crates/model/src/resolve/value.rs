//! What a formula stands for: a scalar, a vector or a matrix of expressions.
//!
//! Matrices that are rotations by construction (`Rz(a)`, a coordinate on SO(3), products
//! and transposes of such) carry their angular velocity along, put together by
//!
//! ```text
//! ω(AB) = ω(A) + A ω(B)        Ω(AB) = Bᵀ Ω(A) + Ω(B)        ω(Aᵀ) = −Ω(A)
//! ```
//!
//! so that the kinetic energy of a body with Euler angles comes out as short as it is
//! written by hand, and no sin² + cos² has to be found again.

use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix};
use std::fmt;

/// The value of a formula.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Scalar(Expr),
    Vector(Vec<Expr>),
    Matrix(Matrix, Option<Turn>),
}

/// Marks a matrix that is a rotation by construction.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// Its angular velocity; `None` where it has to be found from the derivative.
    pub(crate) spin: Option<Spin>,
}

/// An angular velocity: three components, or one for turns of the plane.
#[derive(Clone, Debug)]
pub(crate) struct Spin {
    pub(crate) world: Vec<Expr>,
    pub(crate) body: Vec<Expr>,
}

/// The size of a [`Value`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Scalar,
    Vector(usize),
    Matrix(usize, usize),
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Scalar => f.write_str("a scalar"),
            Shape::Vector(1) => f.write_str("a vector of 1 component"),
            Shape::Vector(n) => write!(f, "a vector of {n} components"),
            Shape::Matrix(r, c) => write!(f, "a {r}×{c} matrix"),
        }
    }
}

impl Shape {
    /// The shape beside another one: `a vector of 2 components … and one of 3`.
    pub(crate) fn after(self, first: Shape) -> String {
        match (first, self) {
            (Shape::Vector(_), Shape::Vector(n)) => format!("one of {n}"),
            (Shape::Matrix(..), Shape::Matrix(r, c)) => format!("one of {r}×{c}"),
            _ => self.to_string(),
        }
    }
}

impl Value {
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Value::Scalar(_) => Shape::Scalar,
            Value::Vector(v) => Shape::Vector(v.len()),
            Value::Matrix(m, _) => Shape::Matrix(m.rows(), m.cols()),
        }
    }

    /// All components, matrices row by row.
    pub(crate) fn entries(&self) -> &[Expr] {
        match self {
            Value::Scalar(e) => std::slice::from_ref(e),
            Value::Vector(v) => v,
            Value::Matrix(m, _) => m.entries(),
        }
    }

    /// A value of the same shape with other components; a rotation is forgotten.
    pub(crate) fn with_entries(&self, entries: Vec<Expr>) -> Value {
        match self {
            Value::Scalar(_) => Value::Scalar(entries[0]),
            Value::Vector(_) => Value::Vector(entries),
            Value::Matrix(m, _) => {
                let cols = m.cols();
                let matrix = Matrix::from_fn(m.rows(), cols, |i, j| entries[i * cols + j]);
                Value::Matrix(matrix, None)
            }
        }
    }

    pub(crate) fn scalar(&self) -> Option<Expr> {
        match self {
            Value::Scalar(e) => Some(*e),
            _ => None,
        }
    }

    /// The suffix of component number `k`: `[2]`, `[1,3]`, or nothing for a scalar.
    pub(crate) fn suffix(&self, k: usize) -> String {
        match self {
            Value::Scalar(_) => String::new(),
            Value::Vector(_) => format!("[{}]", k + 1),
            Value::Matrix(m, _) => {
                let cols = m.cols().max(1);
                format!("[{},{}]", k / cols + 1, k % cols + 1)
            }
        }
    }
}

/// a · b.
pub(crate) fn dot(g: &mut Graph, a: &[Expr], b: &[Expr]) -> Expr {
    let products: Vec<Expr> = a.iter().zip(b).map(|(x, y)| g.mul(*x, *y)).collect();
    g.sum(products)
}

/// a × b of two vectors of three components.
pub(crate) fn cross(g: &mut Graph, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    [(1, 2), (2, 0), (0, 1)]
        .into_iter()
        .map(|(i, j)| {
            let (p, m) = (g.mul(a[i], b[j]), g.mul(a[j], b[i]));
            g.sub(p, m)
        })
        .collect()
}

/// a + b, component by component.
pub(crate) fn add(g: &mut Graph, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    a.iter().zip(b).map(|(x, y)| g.add(*x, *y)).collect()
}

/// a − b, component by component.
pub(crate) fn sub(g: &mut Graph, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    a.iter().zip(b).map(|(x, y)| g.sub(*x, *y)).collect()
}

/// k a, component by component.
pub(crate) fn scaled(g: &mut Graph, k: Expr, a: &[Expr]) -> Vec<Expr> {
    a.iter().map(|x| g.mul(k, *x)).collect()
}

/// −a, component by component.
pub(crate) fn negated(g: &mut Graph, a: &[Expr]) -> Vec<Expr> {
    a.iter().map(|x| g.scale(*x, &int(-1))).collect()
}

/// The matrix with â b = a × b.
pub(crate) fn hat(g: &mut Graph, a: &[Expr]) -> Matrix {
    let n = negated(g, a);
    let o = g.zero();
    Matrix::from_rows(vec![vec![o, n[2], a[1]], vec![a[2], o, n[0]], vec![n[1], a[0], o]])
}

/// The turn by `angle` about axis 0, 1 or 2, right-handed.
pub(crate) fn axis_turn(g: &mut Graph, axis: usize, angle: Expr) -> Matrix {
    let (s, c) = (g.sin(angle), g.cos(angle));
    let minus = g.neg(s);
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut m = Matrix::identity(g, 3);
    m[(i, i)] = c;
    m[(j, j)] = c;
    m[(i, j)] = minus;
    m[(j, i)] = s;
    m
}

/// The product of two matrices, with the angular velocity of a product of turns.
pub(crate) fn matrix_product(g: &mut Graph, a: (&Matrix, &Option<Turn>), b: (&Matrix, &Option<Turn>)) -> Value {
    let product = a.0.mul(g, b.0);
    let turn = match (a.1, b.1) {
        (Some(x), Some(y)) => {
            let spin = match (&x.spin, &y.spin) {
                (Some(x), Some(y)) if a.0.rows() == 3 => {
                    let carried = a.0.mul_vec(g, &y.world);
                    let seen = b.0.transpose().mul_vec(g, &x.body);
                    Some(Spin { world: add(g, &x.world, &carried), body: add(g, &seen, &y.body) })
                }
                (Some(x), Some(y)) => {
                    let sum = add(g, &x.world, &y.world);
                    Some(Spin { world: sum.clone(), body: sum })
                }
                _ => None,
            };
            Some(Turn { spin })
        }
        _ => None,
    };
    Value::Matrix(product, turn)
}

/// The transpose, with ω(Aᵀ) = −Ω(A).
pub(crate) fn transposed(g: &mut Graph, m: &Matrix, turn: &Option<Turn>) -> Value {
    let turn = turn.as_ref().map(|t| Turn {
        spin: t.spin.as_ref().map(|s| Spin { world: negated(g, &s.body), body: negated(g, &s.world) }),
    });
    Value::Matrix(m.transpose(), turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_read_like_prose() {
        assert_eq!(Shape::Vector(2).to_string(), "a vector of 2 components");
        assert_eq!(Shape::Vector(3).after(Shape::Vector(2)), "one of 3");
        assert_eq!(Shape::Matrix(2, 3).after(Shape::Scalar), "a 2×3 matrix");
    }

    #[test]
    fn turns_are_right_handed() {
        let mut g = Graph::new();
        let quarter = {
            let pi = g.pi();
            g.scale(pi, &polhode_expr::number::ratio(1, 2))
        };
        let (one, zero) = (g.one(), g.zero());
        for axis in 0..3 {
            let m = axis_turn(&mut g, axis, quarter);
            let mut e = vec![zero; 3];
            e[(axis + 1) % 3] = one;
            let image = m.mul_vec(&mut g, &e);
            assert_eq!(image[(axis + 2) % 3], one, "axis {axis}");
        }
    }

    #[test]
    fn hat_is_the_cross_product() {
        let mut g = Graph::new();
        let a: Vec<Expr> = ["a", "b", "c"].iter().map(|n| g.named(n)).collect();
        let b: Vec<Expr> = ["x", "y", "z"].iter().map(|n| g.named(n)).collect();
        let left = hat(&mut g, &a).mul_vec(&mut g, &b);
        assert_eq!(left, cross(&mut g, &a, &b));
    }
}
