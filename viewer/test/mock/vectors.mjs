// Vectors of three numbers and matrices of three rows, for the mock models.

export const add = (a, b) => a.map((x, i) => x + b[i]);
export const times = (s, a) => a.map((x) => s * x);
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const apply = (m, a) => m.map((row) => dot(row, a));
export const transpose = (m) => m[0].map((_, j) => m.map((row) => row[j]));
export const unit = (a) => times(1 / Math.hypot(...a), a);

/** Solves m x = b by Cramer's rule. */
export function solve3(m, b) {
  const columns = transpose(m);
  const det = (c) => dot(c[0], cross(c[1], c[2]));
  return columns.map((_, j) => det(columns.map((column, k) => (k === j ? b : column))) / det(columns));
}

/** Classical Runge–Kutta steps of y' = f(y). */
export function rk4(f, y, h) {
  const k1 = f(y);
  const k2 = f(y.map((x, i) => x + (h / 2) * k1[i]));
  const k3 = f(y.map((x, i) => x + (h / 2) * k2[i]));
  const k4 = f(y.map((x, i) => x + h * k3[i]));
  return y.map((x, i) => x + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
}
