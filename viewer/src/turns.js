// Other orientations of the start: rotations are turned about axes of space, and what is tied to them follows.
//
// The positions that follow, such as the centre of a rolling body and its point of contact, are zeros of the
// engine's `holonomic`; Newton's method with the shortest steps finds them, the turn being made little by little.

import { shortest } from "./linear.js";

/** The largest turn that is made at once, in radians, and the smallest that is tried before the page gives up. */
const LARGEST = 0.05;
const SMALLEST = 1e-4;

/** Steps of Newton's method for each part of a turn. */
const STEPS = 12;

/** Residuals at which an iteration has ended, and at which one that goes no further may be believed. */
const CLOSED = 1e-14;
const BELIEVED = 1e-11;

/** The step of differences, as a part of the largest coordinate. */
const STEP = 1e-6;

/**
 * @typedef {object} Turn
 * @property {number[]} axis a unit vector
 * @property {number[]} matrix the places of the nine entries of the rotation among the positions, by rows
 * @property {number} angle in radians
 */

/**
 * exp(φ â), by Rodrigues' formula: cos φ + sin φ â + (1 − cos φ) a aᵀ.
 * @param {number[]} axis a unit vector
 * @param {number} angle
 * @returns {number[]} nine entries, by rows
 */
export function rotation([a, b, c], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  // 1 − cos φ without cancellation
  const rest = 2 * Math.sin(angle / 2) ** 2;
  return [
    cos + rest * a * a, rest * a * b - sin * c, rest * a * c + sin * b,
    rest * b * a + sin * c, cos + rest * b * b, rest * b * c - sin * a,
    rest * c * a - sin * b, rest * c * b + sin * a, cos + rest * c * c,
  ];
}

/**
 * R ← exp(angle · axis) R for each turn, one after the other.
 * @param {number[]} positions
 * @param {Turn[]} turns
 * @param {number} part of the angles
 * @returns {number[]} other positions
 */
export function turned(positions, turns, part = 1) {
  const out = [...positions];
  for (const { axis, matrix, angle } of turns) {
    const by = rotation(axis, part * angle);
    const old = matrix.map((k) => out[k]);
    matrix.forEach((k, i) => {
      const [row, column] = [Math.floor(i / 3), i % 3];
      out[k] = by[3 * row] * old[column] + by[3 * row + 1] * old[3 + column] + by[3 * row + 2] * old[6 + column];
    });
  }
  return out;
}

/**
 * Positions that satisfy `off(positions) = 0`, from near ones.
 * @param {number[]} positions
 * @param {number[]} open the places of those that may be changed
 * @param {(positions: number[]) => number[]} off
 * @returns {number[] | null} null where there are none to be found
 */
export function settled(positions, open, off) {
  let [at, residual] = [positions, off(positions)];
  let worst = largest(residual);
  const size = largest(open.map((k) => at[k])) || 1;
  for (let step = 0; step < STEPS && worst > CLOSED; step += 1) {
    if (!Number.isFinite(worst)) return null;
    const slopes = open.map((k) => {
      const beside = (step) => off(at.map((x, i) => (i === k ? x + step : x)));
      const [more, less] = [beside(STEP * size), beside(-STEP * size)];
      return more.map((x, i) => (x - less[i]) / (2 * STEP * size));
    });
    const rows = residual.map((_, i) => slopes.map((slope) => slope[i]));
    const change = shortest(rows, residual.map((x) => -x), open.length);
    const next = [...at];
    open.forEach((k, j) => (next[k] += change[j]));
    const [then, left] = [off(next), worst];
    worst = largest(then);
    // rounding: it goes no further
    if (left <= BELIEVED && !(worst < left)) return at;
    [at, residual] = [next, then];
  }
  return worst <= BELIEVED ? at : null;
}

/**
 * The start after its turns, with everything that follows them.
 * @param {number[]} positions an admissible start
 * @param {Turn[]} turns
 * @param {number[]} open the places of the positions that follow
 * @param {(positions: number[]) => number[]} off
 * @returns {number[] | null} null where no positions follow
 */
export function followed(positions, turns, open, off) {
  const whole = Math.max(...turns.map((turn) => Math.abs(turn.angle)));
  if (!off(positions).length) return turned(positions, turns);
  let [done, part, at] = [0, Math.min(1, LARGEST / whole), positions];
  while (done < 1) {
    const goal = Math.min(1, done + part);
    const start = turned(positions, turns, goal);
    for (const k of open) start[k] = at[k];
    const next = settled(start, open, off);
    if (next) {
      [done, at] = [goal, next];
    } else {
      part /= 4;
      if (part * whole < SMALLEST) return null;
    }
  }
  return at;
}

/** @param {number[]} list */
function largest(list) {
  return list.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : Infinity), 0);
}
