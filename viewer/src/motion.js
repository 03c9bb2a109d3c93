// A motion: samples of all columns at increasing times, the events on the way and how it ended.
//
// At the times of the samples the numbers are the samples; between them they are cubic (Hermite, slopes from
// the neighbours), or linear beside an event, where a velocity may jump.

import { unpack } from "./base64.js";

/**
 * @typedef {{t: number, name: string, kind: string, text: string}} Happening
 * @typedef {{reason: string, t: number, text: string}} Stop
 */

export class Motion {
  /**
   * @param {Float64Array} t
   * @param {Float64Array} values row-major, one row per time
   * @param {{events?: Happening[], stop?: Stop | null, report?: Record<string, any>, work?: Float64Array | null}} [about]
   *   the work is what was done until each sample, by which the energy changes
   */
  constructor(t, values, { events = [], stop = null, report = {}, work = null } = {}) {
    this.t = t;
    this.values = values;
    this.width = t.length ? values.length / t.length : 0;
    this.events = events;
    this.stop = stop;
    this.report = report;
    this.work = work;
    /** @type {Map<number, Float64Array>} */
    this.columns = new Map();
  }

  /** The motion in the form of a page document. @param {any} recorded */
  static recorded(recorded) {
    return Motion.forward(unpack(recorded.t), unpack(recorded.values), { ...recorded, work: recorded.work ? unpack(recorded.work) : null });
  }

  /**
   * A motion that may have been run backwards: it is turned round.
   * @param {Float64Array} t
   * @param {Float64Array} values
   * @param {object} about as for the constructor
   */
  static forward(t, values, about) {
    if (t.length > 1 && t[t.length - 1] < t[0]) {
      const width = values.length / t.length;
      const rows = Array.from(t, (_, i) => values.slice(i * width, (i + 1) * width)).reverse();
      t.reverse();
      rows.forEach((row, i) => values.set(row, i * width));
      about.work?.reverse();
    }
    return new Motion(t, values, about);
  }

  get count() {
    return this.t.length;
  }

  get begin() {
    return this.count ? this.t[0] : 0;
  }

  get end() {
    return this.count ? this.t[this.count - 1] : 0;
  }

  /** The last sample not after `time`. @param {number} time */
  index(time) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** All samples of one column. @param {number} column */
  column(column) {
    let found = this.columns.get(column);
    if (!found) {
      found = new Float64Array(this.count);
      for (let i = 0; i < this.count; i += 1) found[i] = this.values[i * this.width + column];
      this.columns.set(column, found);
    }
    return found;
  }

  /** @param {number} i */
  row(i) {
    return this.values.subarray(i * this.width, (i + 1) * this.width);
  }

  /**
   * All columns at `time`.
   * @param {number} time
   * @param {Float64Array} [out]
   */
  at(time, out = new Float64Array(this.width)) {
    if (!this.count) return out;
    const i = this.index(time);
    if (i === this.count - 1 || time <= this.t[i]) {
      out.set(this.row(i));
      return out;
    }
    const { t, values, width } = this;
    const step = t[i + 1] - t[i];
    const s = (time - t[i]) / step;
    const smooth = !this.events.some((e) => e.t >= t[Math.max(i - 1, 0)] && e.t <= t[Math.min(i + 2, this.count - 1)]);
    const [before, after] = [Math.max(i - 1, 0), Math.min(i + 2, this.count - 1)];
    const [b0, b1] = [s * s * (3 - 2 * s), s * (1 - s) * step];
    for (let j = 0; j < width; j += 1) {
      const y0 = values[i * width + j];
      const y1 = values[(i + 1) * width + j];
      if (!smooth) {
        out[j] = y0 + s * (y1 - y0);
        continue;
      }
      const d0 = (y1 - values[before * width + j]) / (t[i + 1] - t[before]);
      const d1 = (values[after * width + j] - y0) / (t[after] - t[i]);
      out[j] = y0 + (y1 - y0) * b0 + b1 * ((1 - s) * d0 - s * d1);
    }
    return out;
  }

  /**
   * The same motion with at least `count` samples, for curves without corners.
   * @param {number} count
   * @returns {Motion}
   */
  refined(count) {
    const parts = Math.ceil(count / Math.max(this.count, 1));
    if (parts < 2 || this.count < 2) return this;
    const times = [];
    for (let i = 0; i + 1 < this.count; i += 1) {
      for (let k = 0; k < parts; k += 1) times.push(this.t[i] + (k / parts) * (this.t[i + 1] - this.t[i]));
    }
    times.push(this.end);
    const values = new Float64Array(times.length * this.width);
    times.forEach((time, i) => this.at(time, values.subarray(i * this.width, (i + 1) * this.width)));
    const { events, stop, report } = this;
    return new Motion(Float64Array.from(times), values, { events, stop, report });
  }

  /**
   * Least and greatest finite value of a column.
   * @param {number} column
   * @returns {[number, number]}
   */
  range(column) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of this.column(column)) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return low <= high ? [low, high] : [0, 0];
  }

  /**
   * By how much the energy and the work done disagree at each sample, from the first.
   * @param {number} column of the energy
   */
  books(column) {
    const energy = this.column(column);
    // a motion that ran backwards begins with its last sample
    const from = this.work ? this.work.findIndex((w) => w === 0) : 0;
    const first = energy[Math.max(from, 0)];
    return energy.map((e, i) => e - first - (this.work ? this.work[i] : 0));
  }

  /**
   * Where a column is least and greatest: as the program found it on the way, or the tops of parabolas through samples.
   * @param {number} column
   * @returns {{low: number, lowAt: number, high: number, highAt: number}}
   */
  extremes(column) {
    const known = this.report.ranges?.[column];
    if (known) return { low: known[0], lowAt: known[1], high: known[2], highAt: known[3] };
    const [low, lowAt] = this.top(column, -1);
    const [high, highAt] = this.top(column, 1);
    return { low: -low, lowAt, high, highAt };
  }

  /** The greatest value of a column times a sign, and where it is. @param {number} column @param {1 | -1} sign */
  top(column, sign) {
    const values = this.column(column);
    const best = values.reduce((at, x, i) => (Number.isFinite(x) && (at < 0 || sign * x > sign * values[at]) ? i : at), -1);
    if (best < 0) return [0, 0];
    const plain = [sign * values[best], this.t[best]];
    if (best === 0 || best === this.count - 1) return plain;
    const [a, b] = [this.t[best - 1] - this.t[best], this.t[best + 1] - this.t[best]];
    const [p, q] = [(values[best - 1] - values[best]) / a, (values[best + 1] - values[best]) / b];
    const bend = (q - p) / (b - a);
    const slope = p - bend * a;
    const at = -slope / (2 * bend);
    const jumps = this.events.some((e) => e.t >= this.t[best - 1] && e.t <= this.t[best + 1]);
    if (jumps || !(at > a && at < b)) return plain;
    return [sign * (values[best] + at * (slope + bend * at)), this.t[best] + at];
  }

  /** Whether the column changes by more than rounding. @param {number} column */
  varies(column) {
    const [low, high] = this.range(column);
    return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high), 1e-9);
  }
}
