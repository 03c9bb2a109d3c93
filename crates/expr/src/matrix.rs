//! Small matrices of expressions, and linear solves that stay factored.
//!
//! A solve multiplies nothing out: intermediate results are shared nodes, so the
//! solution of an n×n system costs O(n³) nodes however large its entries are.
//! Which pivots vanish identically is decided by [`ZeroTest`], at a point of F_p.
//!
//! ```text
//! symmetric, positive definite:   A = L D Lᵀ,  no pivoting               (solve_ldl)
//! symmetric, two or three rows:   A⁻¹ = adj(A)/det A                     (solve_cofactors)
//! general:                        Gauss–Jordan, the simplest pivot first (Elimination)
//! ```

use crate::equal::{FieldPoint, NoValue};
use crate::graph::{Expr, Graph, Node};
use crate::number::int;
use crate::roots::{RootPoint, Sign};

/// A matrix of expressions, stored by rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    entries: Vec<Expr>,
}

impl Matrix {
    /// The matrix whose entry (i, j) is `f(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> Expr) -> Matrix {
        let entries = (0..rows * cols).map(|k| f(k / cols.max(1), k % cols.max(1))).collect();
        Matrix { rows, cols, entries }
    }

    /// A matrix of zeros.
    pub fn zeros(graph: &Graph, rows: usize, cols: usize) -> Matrix {
        Matrix::from_fn(rows, cols, |_, _| graph.zero())
    }

    /// The identity.
    pub fn identity(graph: &Graph, n: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| if i == j { graph.one() } else { graph.zero() })
    }

    /// A matrix with the given rows, which must have equal lengths.
    pub fn from_rows(rows: Vec<Vec<Expr>>) -> Matrix {
        let cols = rows.first().map_or(0, Vec::len);
        assert!(rows.iter().all(|r| r.len() == cols), "rows of one matrix have one length");
        Matrix { rows: rows.len(), cols, entries: rows.into_iter().flatten().collect() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[Expr] {
        &self.entries[i * self.cols..(i + 1) * self.cols]
    }

    /// One column.
    pub fn col(&self, j: usize) -> Vec<Expr> {
        (0..self.rows).map(|i| self[(i, j)]).collect()
    }

    /// All entries, row by row.
    pub fn entries(&self) -> &[Expr] {
        &self.entries
    }

    /// The transpose.
    pub fn transpose(&self) -> Matrix {
        Matrix::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// Applies `f` to every entry.
    pub fn map(&self, mut f: impl FnMut(Expr) -> Expr) -> Matrix {
        Matrix { entries: self.entries.iter().map(|e| f(*e)).collect(), ..*self }
    }

    /// The product `self · other`.
    pub fn mul(&self, graph: &mut Graph, other: &Matrix) -> Matrix {
        assert_eq!(self.cols, other.rows, "inner dimensions agree");
        Matrix::from_fn(self.rows, other.cols, |i, j| {
            let products: Vec<Expr> = (0..self.cols).map(|k| graph.mul(self[(i, k)], other[(k, j)])).collect();
            graph.sum(products)
        })
    }

    /// The product with a column vector.
    pub fn mul_vec(&self, graph: &mut Graph, v: &[Expr]) -> Vec<Expr> {
        let column = Matrix { rows: v.len(), cols: 1, entries: v.to_vec() };
        self.mul(graph, &column).entries
    }

    /// The rows and columns picked by index.
    pub fn select(&self, rows: &[usize], cols: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), cols.len(), |i, j| self[(rows[i], cols[j])])
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = Expr;
    fn index(&self, (i, j): (usize, usize)) -> &Expr {
        assert!(i < self.rows && j < self.cols, "index ({i}, {j}) in a {}×{} matrix", self.rows, self.cols);
        &self.entries[i * self.cols + j]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Expr {
        assert!(i < self.rows && j < self.cols, "index ({i}, {j}) in a {}×{} matrix", self.rows, self.cols);
        &mut self.entries[i * self.cols + j]
    }
}

/// A quick test for "identically zero": the value at a fixed random point of F_p, with square roots as algebraic elements over it.
///
/// What this cannot tell (other functions, roots with tied signs) is left to [`Graph::decide_zero`].
#[derive(Clone, Debug)]
pub struct ZeroTest {
    point: FieldPoint,
    rooted: RootPoint,
}

impl ZeroTest {
    /// A test for expressions of this graph.
    pub fn new(graph: &Graph) -> ZeroTest {
        ZeroTest { point: FieldPoint::new(graph, SEED), rooted: RootPoint::new(graph, SEED) }
    }

    /// Is the expression zero as a function?
    pub fn is_zero(&mut self, graph: &mut Graph, e: Expr) -> bool {
        match graph.node(e) {
            Node::Number(r) => return r.is_zero(),
            Node::Symbol(_) | Node::Pi => return false,
            _ => {}
        }
        match self.point.value(graph, e) {
            Ok(v) => return v.is_zero(),
            Err(NoValue::Unlucky) => return graph.decide_zero(e).is_equal(),
            Err(NoValue::Outside) => {}
        }
        if self.rooted.is_full() {
            // letters of earlier expressions, which this one need not contain
            self.rooted = RootPoint::new(graph, SEED);
        }
        match self.rooted.sign(graph, e) {
            Sign::Zero(_) => true,
            Sign::NotZero => false,
            Sign::Unclear(_) => graph.decide_zero(e).is_equal(),
        }
    }
}

/// Where the points of [`ZeroTest`] come from.
const SEED: u64 = 0x0070_6f6c_686f_6465;

/// The outcome of Gauss–Jordan elimination on `A x = b`.
#[derive(Clone, Debug)]
pub struct Elimination {
    /// Independent rows, in the order in which they were used.
    pub rows: Vec<usize>,
    /// The pivot column of each of these rows.
    pub pivots: Vec<usize>,
    /// The columns without a pivot: the free unknowns.
    pub free: Vec<usize>,
    /// `x_pivot = Σ_free coefficient · x_free + Σ_k inhomogeneous`: one row per pivot,
    /// first the free columns, then the columns of `b`.
    pub solution: Matrix,
    /// Rows that are combinations of the independent ones.
    pub dependent: Vec<usize>,
    /// For each dependent row, what is left of its right-hand sides: zero everywhere
    /// when the row is redundant, not zero when it contradicts the others.
    pub remainders: Vec<Vec<Expr>>,
    /// For each dependent row, its expansion in the independent rows (same order as `rows`).
    pub combinations: Vec<Vec<Expr>>,
}

/// Solves `A x = b` as far as it determines `x`.
///
/// Rows are used in reading order, so that a row is called dependent when it follows
/// from the ones before it. In each row the pivot is the admissible column of least
/// `cost(column, entry)`; `usize::MAX` excludes a column.
pub fn eliminate(
    graph: &mut Graph,
    zero: &mut ZeroTest,
    a: &Matrix,
    b: &Matrix,
    cost: impl Fn(&Graph, usize, Expr) -> usize,
) -> Elimination {
    let (m, n, extra) = (a.rows(), a.cols(), b.cols());
    // Working rows: [A | b | how the row was combined from the given ones].
    let mut work: Vec<Vec<Expr>> = (0..m)
        .map(|i| {
            let unit = (0..m).map(|k| if k == i { graph.one() } else { graph.zero() });
            a.row(i).iter().copied().chain(b.row(i).iter().copied()).chain(unit).collect()
        })
        .collect();
    let (mut rows, mut pivots, mut dependent) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..m {
        for (&r, &p) in rows.iter().zip(&pivots) {
            clear(graph, zero, &mut work, i, r, p);
        }
        let candidates: Vec<usize> = (0..n).filter(|j| !zero.is_zero(graph, work[i][*j])).collect();
        let priced = candidates.into_iter().map(|j| (cost(graph, j, work[i][j]), j));
        let choice = priced.filter(|(c, _)| *c != usize::MAX).min();
        let Some((_, p)) = choice else {
            dependent.push(i);
            continue;
        };
        let inverse = graph.powi(work[i][p], -1);
        for j in 0..work[i].len() {
            work[i][j] = if j == p { graph.one() } else { scaled(graph, zero, work[i][j], inverse) };
        }
        for &r in &rows {
            clear(graph, zero, &mut work, r, i, p);
        }
        rows.push(i);
        pivots.push(p);
    }
    let free: Vec<usize> = (0..n).filter(|j| !pivots.contains(j)).collect();
    let solution = Matrix::from_fn(rows.len(), free.len() + extra, |k, j| {
        let row = &work[rows[k]];
        if j < free.len() { graph.neg(row[free[j]]) } else { row[n + j - free.len()] }
    });
    let remainders = dependent.iter().map(|&i| work[i][n..n + extra].to_vec()).collect();
    let combinations =
        dependent.iter().map(|&i| rows.iter().map(|&r| graph.neg(work[i][n + extra + r])).collect()).collect();
    Elimination { rows, pivots, free, solution, dependent, remainders, combinations }
}

fn scaled(graph: &mut Graph, zero: &mut ZeroTest, e: Expr, factor: Expr) -> Expr {
    let product = graph.mul(e, factor);
    tidy(graph, zero, product)
}

/// row[i] −= row[i][p] · row[r], where row[r][p] = 1.
fn clear(graph: &mut Graph, zero: &mut ZeroTest, work: &mut [Vec<Expr>], i: usize, r: usize, p: usize) {
    let factor = work[i][p];
    if graph.is_zero(factor) {
        return;
    }
    for j in 0..work[i].len() {
        if graph.is_zero(work[r][j]) {
            continue;
        }
        let step = graph.mul(factor, work[r][j]);
        let difference = graph.sub(work[i][j], step);
        work[i][j] = tidy(graph, zero, difference);
    }
}

/// Zero as a function becomes the number 0; small expressions are simplified.
fn tidy(graph: &mut Graph, zero: &mut ZeroTest, e: Expr) -> Expr {
    if zero.is_zero(graph, e) { graph.zero() } else { graph.simplify_small(e) }
}

/// Blocks larger than this are inverted by elimination rather than by cofactors.
const LARGEST_ADJUGATE: usize = 5;

/// The inverse of a square matrix; `None` when it is singular.
///
/// Entries that are numbers serve as pivots first. What remains is inverted as adjugate over
/// determinant, so that the inverse is undefined only where the matrix is singular, and not
/// also where some pivot happens to vanish.
pub fn inverse(graph: &mut Graph, zero: &mut ZeroTest, a: &Matrix) -> Option<Matrix> {
    let n = a.rows();
    let mut work: Vec<Vec<Expr>> = (0..n)
        .map(|i| {
            let unit = (0..n).map(|k| if k == i { graph.one() } else { graph.zero() });
            a.row(i).iter().copied().chain(unit).collect()
        })
        .collect();
    let (mut rows, mut cols): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
    let mut pivots = Vec::new();
    while let Some((i, j)) = number_pivot(graph, &work, &rows, &cols) {
        let scale = graph.powi(work[i][j], -1);
        for c in 0..2 * n {
            work[i][c] = scaled(graph, zero, work[i][c], scale);
        }
        for r in (0..n).filter(|r| *r != i) {
            clear(graph, zero, &mut work, r, i, j);
        }
        rows.retain(|r| *r != i);
        cols.retain(|c| *c != j);
        pivots.push((i, j));
    }
    let block = Matrix::from_fn(rows.len(), cols.len(), |i, j| work[rows[i]][cols[j]]);
    let rest = if rows.len() > LARGEST_ADJUGATE {
        by_elimination(graph, zero, &block)?
    } else {
        by_cofactors(graph, zero, &block)?
    };
    let mut out = Matrix::zeros(graph, n, n);
    for (k, &j) in cols.iter().enumerate() {
        for c in 0..n {
            let parts: Vec<Expr> =
                rows.iter().enumerate().map(|(i, r)| graph.mul(rest[(k, i)], work[*r][n + c])).collect();
            let entry = graph.sum(parts);
            out[(j, c)] = tidy(graph, zero, entry);
        }
    }
    for &(i, j) in &pivots {
        for c in 0..n {
            let mut items = vec![(work[i][n + c], int(1))];
            for &k in &cols {
                items.push((graph.mul(work[i][k], out[(k, c)]), int(-1)));
            }
            let entry = graph.linear(items);
            out[(j, c)] = tidy(graph, zero, entry);
        }
    }
    Some(out)
}

/// A non-zero number among the entries of the open rows and columns.
fn number_pivot(graph: &Graph, work: &[Vec<Expr>], rows: &[usize], cols: &[usize]) -> Option<(usize, usize)> {
    let entries = rows.iter().flat_map(|i| cols.iter().map(move |j| (*i, *j)));
    let is_pivot = |e: Expr| graph.as_number(e).is_some_and(|r| !r.is_zero());
    let filled = |i: usize| cols.iter().filter(|j| !graph.is_zero(work[i][**j])).count();
    entries.filter(|(i, j)| is_pivot(work[*i][*j])).min_by_key(|(i, _)| filled(*i))
}

/// Adjugate over determinant.
fn by_cofactors(graph: &mut Graph, zero: &mut ZeroTest, a: &Matrix) -> Option<Matrix> {
    let n = a.rows();
    if n == 0 {
        return Some(a.clone());
    }
    let det = determinant(graph, a);
    if zero.is_zero(graph, det) {
        return None;
    }
    let det = graph.simplify_within(det, 600, 300);
    let inverse = graph.powi(det, -1);
    Some(Matrix::from_fn(n, n, |i, j| {
        let (keep_rows, keep_cols): (Vec<usize>, Vec<usize>) =
            ((0..n).filter(|r| *r != j).collect(), (0..n).filter(|c| *c != i).collect());
        let minor = determinant(graph, &a.select(&keep_rows, &keep_cols));
        let minor = graph.simplify_within(minor, 400, 150);
        let signed = graph.scale(minor, &int(if (i + j) % 2 == 0 { 1 } else { -1 }));
        graph.mul(signed, inverse)
    }))
}

fn by_elimination(graph: &mut Graph, zero: &mut ZeroTest, a: &Matrix) -> Option<Matrix> {
    let n = a.rows();
    let identity = Matrix::identity(graph, n);
    let size = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let solved = eliminate(graph, zero, a, &identity, size);
    if solved.rows.len() < n {
        return None;
    }
    let mut out = Matrix::zeros(graph, n, n);
    for (i, &p) in solved.pivots.iter().enumerate() {
        for j in 0..n {
            out[(p, j)] = solved.solution[(i, j)];
        }
    }
    Some(out)
}

/// Solves `A x = b` for symmetric positive definite `A` by A = L D Lᵀ on the graph.
/// `b` has one column per right-hand side.
pub fn solve_ldl(graph: &mut Graph, a: &Matrix, b: &Matrix) -> Matrix {
    let n = a.rows();
    let mut l = Matrix::identity(graph, n);
    let mut d = vec![graph.zero(); n];
    for j in 0..n {
        // d_j = a_jj − Σ l_jk² d_k,   l_ij = (a_ij − Σ l_ik l_jk d_k)/d_j
        let known = |graph: &mut Graph, l: &Matrix, d: &[Expr], i: usize| {
            let mut items = vec![(a[(i, j)], int(1))];
            for k in 0..j {
                items.push((graph.product([l[(i, k)], l[(j, k)], d[k]]), int(-1)));
            }
            graph.linear(items)
        };
        d[j] = known(graph, &l, &d, j);
        let inverse = graph.powi(d[j], -1);
        for i in j + 1..n {
            let numerator = known(graph, &l, &d, i);
            l[(i, j)] = graph.mul(numerator, inverse);
        }
    }
    let mut x = b.clone();
    for c in 0..b.cols() {
        for i in 0..n {
            let items: Vec<_> =
                (0..i).map(|k| (graph.mul(l[(i, k)], x[(k, c)]), int(-1))).chain([(x[(i, c)], int(1))]).collect();
            x[(i, c)] = graph.linear(items);
        }
        for i in 0..n {
            x[(i, c)] = graph.div(x[(i, c)], d[i]);
        }
        for i in (0..n).rev() {
            let items: Vec<_> =
                (i + 1..n).map(|k| (graph.mul(l[(k, i)], x[(k, c)]), int(-1))).chain([(x[(i, c)], int(1))]).collect();
            x[(i, c)] = graph.linear(items);
        }
    }
    x
}

/// Solves `A x = b` by A = L U on the graph, without pivoting: for `A` whose leading minors do not vanish. Also the diagonal of U,
/// the ratios of these minors.
pub fn solve_lu(graph: &mut Graph, a: &Matrix, b: &Matrix) -> (Matrix, Vec<Expr>) {
    let n = a.rows();
    let (mut u, mut x) = (a.clone(), b.clone());
    for j in 0..n {
        let inverse = graph.powi(u[(j, j)], -1);
        for i in j + 1..n {
            let factor = graph.mul(u[(i, j)], inverse);
            for c in j + 1..n {
                let step = graph.mul(factor, u[(j, c)]);
                u[(i, c)] = graph.sub(u[(i, c)], step);
            }
            for c in 0..b.cols() {
                let step = graph.mul(factor, x[(j, c)]);
                x[(i, c)] = graph.sub(x[(i, c)], step);
            }
        }
    }
    let pivots: Vec<Expr> = (0..n).map(|j| u[(j, j)]).collect();
    for c in 0..b.cols() {
        for i in (0..n).rev() {
            let items: Vec<_> =
                (i + 1..n).map(|k| (graph.mul(u[(i, k)], x[(k, c)]), int(-1))).chain([(x[(i, c)], int(1))]).collect();
            let rest = graph.linear(items);
            x[(i, c)] = graph.div(rest, pivots[i]);
        }
    }
    (x, pivots)
}

/// Solves `A x = b` for symmetric regular `A` by cofactors, x = adj(A) b / det A. For two or three unknowns that is about
/// as much work as L D Lᵀ, with one division instead of one after the other.
pub fn solve_cofactors(graph: &mut Graph, a: &Matrix, b: &[Expr]) -> Vec<Expr> {
    let n = a.rows();
    let cofactors = Matrix::from_fn(n, n, |i, j| {
        let others = |k: usize| (0..n).filter(|m| *m != k).collect::<Vec<_>>();
        let minor = determinant(graph, &a.select(&others(i), &others(j)));
        graph.scale(minor, &int(if (i + j) % 2 == 0 { 1 } else { -1 }))
    });
    let terms: Vec<_> = (0..n).map(|j| (graph.mul(a[(0, j)], cofactors[(0, j)]), int(1))).collect();
    let determinant = graph.linear(terms);
    let inverse = graph.powi(determinant, -1);
    cofactors.mul_vec(graph, b).into_iter().map(|x| graph.mul(x, inverse)).collect()
}

/// The determinant by expansion along the sparsest row (for matrices up to a few rows).
pub fn determinant(graph: &mut Graph, a: &Matrix) -> Expr {
    let n = a.rows();
    assert_eq!(n, a.cols(), "a determinant needs a square matrix");
    if n == 0 {
        return graph.one();
    }
    let zeros = |i: usize| a.row(i).iter().filter(|e| graph.is_zero(**e)).count();
    let i = (0..n).max_by_key(|i| zeros(*i)).unwrap_or(0);
    let rest: Vec<usize> = (0..n).filter(|k| *k != i).collect();
    let mut items = Vec::new();
    for j in 0..n {
        if graph.is_zero(a[(i, j)]) {
            continue;
        }
        let cols: Vec<usize> = (0..n).filter(|k| *k != j).collect();
        let minor = determinant(graph, &a.select(&rest, &cols));
        items.push((graph.mul(a[(i, j)], minor), int(if (i + j) % 2 == 0 { 1 } else { -1 })));
    }
    graph.linear(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_preference(graph: &Graph, _: usize, e: Expr) -> usize {
        graph.reachable(&[e]).len()
    }

    #[test]
    fn ldl_solves_a_symbolic_system() {
        let mut g = Graph::new();
        let (a, b, c) = (g.named("a"), g.named("b"), g.named("c"));
        let m = Matrix::from_rows(vec![vec![a, b], vec![b, c]]);
        let (x, y) = (g.named("x"), g.named("y"));
        let rhs = m.mul_vec(&mut g, &[x, y]);
        let rhs = Matrix::from_fn(2, 1, |i, _| rhs[i]);
        let solved = solve_ldl(&mut g, &m, &rhs);
        assert!(g.equal(solved[(0, 0)], x).is_equal());
        assert!(g.equal(solved[(1, 0)], y).is_equal());
    }

    #[test]
    fn cofactors_solve_symbolic_systems() {
        let mut g = Graph::new();
        let names = ["a", "b", "c", "d", "e", "f"].map(|n| g.named(n));
        let at = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
        let unknowns = ["x", "y", "z"].map(|n| g.named(n));
        for n in 1..=3 {
            let m = Matrix::from_fn(n, n, |i, j| names[at[i][j]]);
            let rhs = m.mul_vec(&mut g, &unknowns[..n]);
            let solved = solve_cofactors(&mut g, &m, &rhs);
            assert!(solved.iter().zip(unknowns).all(|(s, x)| g.equal(*s, x).is_equal()), "{n} rows");
        }
    }

    #[test]
    fn elimination_names_dependent_rows_and_their_combination() {
        let mut g = Graph::new();
        let t = g.named("t");
        let (s, c) = (g.sin(t), g.cos(t));
        let (one, zero_e) = (g.one(), g.zero());
        let (s2, c2) = (g.powi(s, 2), g.powi(c, 2));
        let pythagoras = g.add(s2, c2);
        let a = Matrix::from_rows(vec![vec![pythagoras, one, zero_e], vec![one, one, zero_e], vec![s, c, one]]);
        let b = Matrix::zeros(&g, 3, 1);
        let mut zero = ZeroTest::new(&g);
        let out = eliminate(&mut g, &mut zero, &a, &b, no_preference);
        assert_eq!(out.dependent, [1]);
        assert_eq!(out.rows, [0, 2]);
        let first = out.combinations[0][0];
        assert!(g.equal(first, one).is_equal());
    }

    #[test]
    fn contradictions_leave_a_remainder() {
        let mut g = Graph::new();
        let (one, two, three) = (g.one(), g.int(2), g.int(3));
        let a = Matrix::from_rows(vec![vec![one, one], vec![two, two]]);
        let b = Matrix::from_rows(vec![vec![one], vec![three]]);
        let mut zero = ZeroTest::new(&g);
        let out = eliminate(&mut g, &mut zero, &a, &b, no_preference);
        assert_eq!(out.dependent, [1]);
        assert_eq!(out.remainders[0][0], one);
    }

    /// [[c, s, x], [−s, c, 0], [0, 0, 1]] is regular everywhere, and so is its inverse.
    #[test]
    fn inverses_have_no_denominators_of_their_own() {
        let mut g = Graph::new();
        let (t, x) = (g.named("t"), g.named("x"));
        let (s, c) = (g.sin(t), g.cos(t));
        let (m, o, i) = (g.neg(s), g.zero(), g.one());
        let a = Matrix::from_rows(vec![vec![c, s, x], vec![m, c, o], vec![o, o, i]]);
        let mut zero = ZeroTest::new(&g);
        let b = inverse(&mut g, &mut zero, &a).unwrap();
        let product = a.mul(&mut g, &b);
        for k in 0..9 {
            let expected = if k % 4 == 0 { i } else { o };
            assert!(g.equal(product.entries()[k], expected).is_equal());
        }
        let at = [(g.as_symbol(t).unwrap(), 0.0), (g.as_symbol(x).unwrap(), 0.5)].into_iter().collect();
        for e in b.entries() {
            assert!(g.evaluate_f64(*e, &at).is_ok());
        }
        let singular = Matrix::from_rows(vec![vec![c, c], vec![s, s]]);
        assert!(inverse(&mut g, &mut zero, &singular).is_none());
    }

    #[test]
    fn determinant_of_a_rotation() {
        let mut g = Graph::new();
        let t = g.named("t");
        let (s, c) = (g.sin(t), g.cos(t));
        let m = g.neg(s);
        let a = Matrix::from_rows(vec![vec![c, m], vec![s, c]]);
        let d = determinant(&mut g, &a);
        let one = g.one();
        assert!(g.equal(d, one).is_equal());
    }
}
