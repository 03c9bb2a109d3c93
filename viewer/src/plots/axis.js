// Axes: where ticks stand and how they are written.

import { niceStep, power } from "../numbers.js";

/**
 * @typedef {{low: number, high: number, ticks: {at: number, text: string}[], factor: string, log: boolean}} Axis
 */

/**
 * A linear axis that holds `low` … `high`; a common power of ten is taken out of very large and small numbers.
 * @param {number} low
 * @param {number} high
 * @param {{most?: number, pad?: number, least?: number}} [options] least: the smallest span worth showing
 * @returns {Axis}
 */
export function linear(low, high, { most = 5, pad = 0.06, least = 0 } = {}) {
  if (!(high - low > least)) {
    const room = Math.max(least, Math.abs(low) * 0.05, Math.abs(low) > 0 ? 0 : 1) / 2;
    [low, high] = [(low + high) / 2 - room, (low + high) / 2 + room];
  }
  const room = (high - low) * pad;
  [low, high] = [low - room, high + room];
  let step = niceStep(high - low, most);
  // one tick alone gives no scale
  if (Math.floor(high / step) - Math.ceil(low / step) < 1) step = niceStep(high - low, most + 2);
  const size = Math.max(Math.abs(low), Math.abs(high));
  const exponent = Math.floor(Math.log10(size));
  const shift = exponent >= 5 || exponent < -3 ? exponent : 0;
  const digits = Math.max(0, shift - Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) {
    const at = k * step;
    ticks.push({ at, text: (at / 10 ** shift).toFixed(Math.min(digits, 8)).replace("-", "−").replace(/^−(0(\.0+)?)$/, "$1") });
  }
  return { low, high, ticks, factor: shift ? `×${power(shift)}` : "", log: false };
}

/**
 * A logarithmic axis, in powers of ten.
 * @param {number} low positive
 * @param {number} high
 * @param {number} [most]
 * @returns {Axis}
 */
export function logarithmic(low, high, most = 5) {
  const from = Math.floor(Math.log10(low));
  const to = Math.max(Math.ceil(Math.log10(high)), from + 1);
  const step = Math.max(1, Math.ceil((to - from) / most));
  const ticks = [];
  for (let k = from; k <= to; k += step) ticks.push({ at: k, text: power(k) });
  return { low: from - 0.15, high: to + 0.15, ticks, factor: "", log: true };
}
