//! Vectors and small matrices of expressions.
//!
//! Sizes are part of the type, nothing is multiplied out, and inverses are adjugate over
//! determinant, so that they are undefined only where the matrix is singular.

use polhode_expr::number::{int, ratio};
use polhode_expr::{Expr, Graph};

/// A vector in space.
pub type Vec3 = [Expr; 3];
/// A 3×3 matrix, row by row.
pub type Mat3 = [[Expr; 3]; 3];
/// A vector in a tangent plane, or a pair of parameters.
pub type Vec2 = [Expr; 2];
/// A 2×2 matrix, row by row.
pub type Mat2 = [[Expr; 2]; 2];

/// Expressions larger than this are left as they were built.
const TIDY_NODES: usize = 250;
/// Polynomials on the way to a canonical form are given up beyond this many terms.
const TIDY_TERMS: usize = 120;

/// A shorter equal expression, where the canonical form finds one quickly: E of a sphere is r².
pub(crate) fn tidy(g: &mut Graph, e: Expr) -> Expr {
    g.simplify_within(e, TIDY_NODES, TIDY_TERMS)
}

/// [`tidy`] on each entry.
pub(crate) fn tidy_all<const N: usize>(g: &mut Graph, v: [Expr; N]) -> [Expr; N] {
    v.map(|e| tidy(g, e))
}

/// The zero vector.
pub fn zero<const N: usize>(g: &Graph) -> [Expr; N] {
    [g.zero(); N]
}

/// The identity matrix.
pub fn identity<const N: usize>(g: &Graph) -> [[Expr; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { g.one() } else { g.zero() }))
}

/// a + b.
pub fn add<const N: usize>(g: &mut Graph, a: &[Expr; N], b: &[Expr; N]) -> [Expr; N] {
    std::array::from_fn(|i| g.add(a[i], b[i]))
}

/// a − b.
pub fn sub<const N: usize>(g: &mut Graph, a: &[Expr; N], b: &[Expr; N]) -> [Expr; N] {
    std::array::from_fn(|i| g.sub(a[i], b[i]))
}

/// −a.
pub fn neg<const N: usize>(g: &mut Graph, a: &[Expr; N]) -> [Expr; N] {
    a.map(|x| g.neg(x))
}

/// s a.
pub fn scale<const N: usize>(g: &mut Graph, s: Expr, a: &[Expr; N]) -> [Expr; N] {
    a.map(|x| g.mul(s, x))
}

/// a · b.
pub fn dot<const N: usize>(g: &mut Graph, a: &[Expr; N], b: &[Expr; N]) -> Expr {
    let products: Vec<Expr> = a.iter().zip(b).map(|(x, y)| g.mul(*x, *y)).collect();
    g.sum(products)
}

/// |a|.
pub fn norm<const N: usize>(g: &mut Graph, a: &[Expr; N]) -> Expr {
    let square = dot(g, a, a);
    g.sqrt(square)
}

/// Σ cᵢ aᵢ.
pub fn combine<const N: usize, const K: usize>(g: &mut Graph, c: &[Expr; K], a: &[[Expr; N]; K]) -> [Expr; N] {
    std::array::from_fn(|i| {
        let column = std::array::from_fn(|k| a[k][i]);
        dot(g, c, &column)
    })
}

/// a × b.
pub fn cross(g: &mut Graph, a: &Vec3, b: &Vec3) -> Vec3 {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        minor(g, [a[j], a[k]], [b[j], b[k]])
    })
}

/// a₀ b₁ − a₁ b₀.
fn minor(g: &mut Graph, a: Vec2, b: Vec2) -> Expr {
    let (p, q) = (g.mul(a[0], b[1]), g.mul(a[1], b[0]));
    g.sub(p, q)
}

/// a bᵀ.
pub fn outer<const N: usize>(g: &mut Graph, a: &[Expr; N], b: &[Expr; N]) -> [[Expr; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| g.mul(a[i], b[j])))
}

/// mᵀ.
pub fn transpose<const N: usize>(m: &[[Expr; N]; N]) -> [[Expr; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

/// m v.
pub fn mat_vec<const N: usize>(g: &mut Graph, m: &[[Expr; N]; N], v: &[Expr; N]) -> [Expr; N] {
    std::array::from_fn(|i| dot(g, &m[i], v))
}

/// a b.
pub fn mat_mul<const N: usize>(g: &mut Graph, a: &[[Expr; N]; N], b: &[[Expr; N]; N]) -> [[Expr; N]; N] {
    let columns = transpose(b);
    std::array::from_fn(|i| std::array::from_fn(|j| dot(g, &a[i], &columns[j])))
}

/// a + b.
pub fn mat_add<const N: usize>(g: &mut Graph, a: &[[Expr; N]; N], b: &[[Expr; N]; N]) -> [[Expr; N]; N] {
    std::array::from_fn(|i| add(g, &a[i], &b[i]))
}

/// s m.
pub fn mat_scale<const N: usize>(g: &mut Graph, s: Expr, m: &[[Expr; N]; N]) -> [[Expr; N]; N] {
    std::array::from_fn(|i| scale(g, s, &m[i]))
}

/// q m qᵀ: the operator m carried along by the rotation q.
pub fn conjugate<const N: usize>(g: &mut Graph, q: &[[Expr; N]; N], m: &[[Expr; N]; N]) -> [[Expr; N]; N] {
    let half = mat_mul(g, q, m);
    mat_mul(g, &half, &transpose(q))
}

/// tr m.
pub fn trace<const N: usize>(g: &mut Graph, m: &[[Expr; N]; N]) -> Expr {
    g.sum((0..N).map(|i| m[i][i]).collect::<Vec<_>>())
}

/// The sum of the principal 2×2 minors, ½((tr m)² − tr m²): for an operator of a tangent plane,
/// written as a 3×3 matrix, its determinant there.
pub fn second_invariant(g: &mut Graph, m: &Mat3) -> Expr {
    let minors: Vec<Expr> = (0..3)
        .map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            minor(g, [m[j][j], m[j][k]], [m[k][j], m[k][k]])
        })
        .collect();
    g.sum(minors)
}

/// det m for 2×2.
pub fn det2(g: &mut Graph, m: &Mat2) -> Expr {
    minor(g, m[0], m[1])
}

/// m⁻¹ for 2×2.
pub fn inverse2(g: &mut Graph, m: &Mat2) -> Mat2 {
    let det = det2(g, m);
    let factor = g.powi(det, -1);
    let (b, c) = (g.neg(m[0][1]), g.neg(m[1][0]));
    mat_scale(g, factor, &[[m[1][1], b], [c, m[0][0]]])
}

/// det m for 3×3.
pub fn det3(g: &mut Graph, m: &Mat3) -> Expr {
    let normal = cross(g, &m[1], &m[2]);
    dot(g, &m[0], &normal)
}

/// m⁻¹ for 3×3: the columns of the adjugate are the cross products of the rows.
pub fn inverse3(g: &mut Graph, m: &Mat3) -> Mat3 {
    let det = det3(g, m);
    let factor = g.powi(det, -1);
    let columns = [cross(g, &m[1], &m[2]), cross(g, &m[2], &m[0]), cross(g, &m[0], &m[1])];
    mat_scale(g, factor, &transpose(&columns))
}

/// n/d times an expression.
pub(crate) fn fraction(g: &mut Graph, e: Expr, n: i64, d: i64) -> Expr {
    g.scale(e, &ratio(n, d))
}

/// Σ n e over pairs of an integer and an expression.
pub(crate) fn integer_sum<const N: usize>(g: &mut Graph, items: [(i64, Expr); N]) -> Expr {
    g.linear(items.map(|(n, e)| (e, int(n))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols<const N: usize>(g: &mut Graph, name: &str) -> [Expr; N] {
        std::array::from_fn(|i| g.named(&format!("{name}{i}")))
    }

    #[test]
    fn inverses_are_inverses() {
        let mut g = Graph::new();
        let m: Mat3 = [symbols(&mut g, "a"), symbols(&mut g, "b"), symbols(&mut g, "c")];
        let inverse = inverse3(&mut g, &m);
        let product = mat_mul(&mut g, &m, &inverse);
        let one = identity::<3>(&g);
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            assert!(g.equal(product[i][j], one[i][j]).is_equal());
        }
        let m: Mat2 = [symbols(&mut g, "a"), symbols(&mut g, "b")];
        let inverse = inverse2(&mut g, &m);
        let product = mat_mul(&mut g, &inverse, &m);
        let one = identity::<2>(&g);
        for (i, j) in (0..4).map(|k| (k / 2, k % 2)) {
            assert!(g.equal(product[i][j], one[i][j]).is_equal());
        }
    }

    #[test]
    fn second_invariant_from_traces() {
        let mut g = Graph::new();
        let m: Mat3 = [symbols(&mut g, "a"), symbols(&mut g, "b"), symbols(&mut g, "c")];
        let square = mat_mul(&mut g, &m, &m);
        let (t, tt) = (trace(&mut g, &m), trace(&mut g, &square));
        let t2 = g.powi(t, 2);
        let difference = g.sub(t2, tt);
        let wanted = fraction(&mut g, difference, 1, 2);
        let got = second_invariant(&mut g, &m);
        assert!(g.equal(got, wanted).is_equal());
    }

    #[test]
    fn cross_product_is_right_handed() {
        let mut g = Graph::new();
        let e = identity::<3>(&g);
        assert_eq!(cross(&mut g, &e[0], &e[1]), e[2]);
        assert_eq!(cross(&mut g, &e[2], &e[0]), e[1]);
    }
}
