// Linear equations at one state, solved as the program solves them.

/** A pivot smaller than this times the largest coefficient counts as zero. */
const NEGLIGIBLE = 1e-11;

/**
 * Solves `a x = b` by Gauss–Jordan elimination with full pivoting. Unknowns that the equations leave open are
 * 0; equations without a pivot show in the residual. The choices of pivots are those of the program, so that
 * the page completes velocities to the same ones.
 * @param {number[][]} a rows
 * @param {number[]} b
 * @param {number} n number of unknowns
 * @returns {{x: number[], residual: number[], rank: number}} residual: a x − b
 */
export function solve(a, b, n) {
  const m = a.length;
  const scale = Math.max(Number.MIN_VALUE, ...a.flat().map(Math.abs));
  const work = a.map((row, i) => [...row, b[i]]);
  const used = new Array(n).fill(false);
  /** @type {[number, number][]} */
  const pivots = [];
  for (let step = 0; step < Math.min(m, n); step += 1) {
    let [best, p, q] = [-1, -1, -1];
    for (let i = step; i < m; i += 1) {
      for (let j = 0; j < n; j += 1) {
        if (!used[j] && Math.abs(work[i][j]) >= best) [best, p, q] = [Math.abs(work[i][j]), i, j];
      }
    }
    if (p < 0 || best < NEGLIGIBLE * scale) break;
    [work[step], work[p]] = [work[p], work[step]];
    const pivot = work[step];
    for (let i = 0; i < m; i += 1) {
      if (i === step || work[i][q] === 0) continue;
      const factor = work[i][q] / pivot[q];
      work[i] = work[i].map((value, j) => value - factor * pivot[j]);
      work[i][q] = 0;
    }
    used[q] = true;
    pivots.push([step, q]);
  }
  const x = new Array(n).fill(0);
  for (const [i, j] of pivots) x[j] = work[i][n] / work[i][j];
  const residual = a.map((row, i) => row.reduce((sum, value, j) => sum + value * x[j], 0) - b[i]);
  return { x, residual, rank: pivots.length };
}

/**
 * The shortest x with `a x = b`: x = aᵀ y with a aᵀ y = b. Equations that follow from others do no harm.
 * @param {number[][]} a rows
 * @param {number[]} b
 * @param {number} n number of unknowns
 * @returns {number[]}
 */
export function shortest(a, b, n) {
  const square = a.map((row) => a.map((other) => row.reduce((sum, value, j) => sum + value * other[j], 0)));
  const { x: y } = solve(square, b, a.length);
  return Array.from({ length: n }, (_, j) => a.reduce((sum, row, i) => sum + row[j] * y[i], 0));
}
