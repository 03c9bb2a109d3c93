// A motion: samples of all columns at increasing times, the events on the way and how it ended.
//
// At the times of the samples the numbers are the samples; between them they are cubic (Hermite, with the slopes of parabolas through three
// neighbours). At an event a velocity may jump or a curve have a corner: nothing is smoothed across it, and slopes there are those of its own
// side. A jump has two samples of one time, before and after it; at that time itself the numbers are those before it, as `polhode run --at` has them.

import { unpack } from "./base64.js";

/**
 * @typedef {{t: number, name: string, kind: string, text: string}} Happening
 * @typedef {{reason: string, t: number, text: string}} Stop
 */

/** The part of what a column changes by which samples may miss a cubic through others. */
const FAR = 0.2;

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
    /** @type {{corner: Uint8Array, gap: Uint8Array} | null} */
    this.broken = null;
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

  /** The last sample not after `time`; of two at that time, before and after a jump, the one before. @param {number} time */
  index(time) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= time) low = middle;
      else high = middle - 1;
    }
    while (low > 0 && this.t[low - 1] === time) low -= 1;
    return low;
  }

  /** Samples at which there may be a corner, and steps to the next sample that are no smooth motion: of no length, or with an event inside. */
  breaks() {
    if (this.broken) return this.broken;
    const [corner, gap] = [new Uint8Array(this.count), new Uint8Array(this.count)];
    for (let i = 0; i < this.count; i += 1) gap[i] = Number(!(this.t[i + 1] > this.t[i]));
    for (const { t } of this.events) {
      const i = this.index(t);
      if (t === this.t[i]) corner[i] = 1;
      else if (t > this.t[i]) gap[i] = 1;
    }
    this.broken = { corner, gap };
    return this.broken;
  }

  /**
   * The slope at one end of step i is (1 − w) δᵢ + w δₖ, that of a parabola through three samples: k is the step across that end, or beside a
   * corner the one on the other side.
   * @param {number} i
   * @param {0 | 1} end
   * @returns {[number, number]} k and w
   */
  parabola(i, end) {
    const { corner, gap } = this.breaks();
    const long = (k) => this.t[k + 1] - this.t[k];
    const smooth = (k) => k >= 0 && k < this.count - 1 && !gap[k] && !corner[Math.max(i, k)];
    const [across, along] = end ? [i + 1, i - 1] : [i - 1, i + 1];
    if (smooth(across)) return [across, long(i) / (long(i) + long(across))];
    return smooth(along) ? [along, -long(i) / (long(i) + long(along))] : [i, 0];
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
    return this.between(i, (time - this.t[i]) / (this.t[i + 1] - this.t[i]), out);
  }

  /**
   * All columns in step i.
   * @param {number} i
   * @param {number} s from 0 at sample i to 1 at the next
   * @param {Float64Array} out
   */
  between(i, s, out) {
    const shape = this.shape(i);
    for (let j = 0; j < this.width; j += 1) out[j] = this.value(shape, s, j);
    return out;
  }

  /** What is the same for all columns in step i: the steps its end slopes come from, with weights and relative lengths. @param {number} i */
  shape(i) {
    const long = (k) => this.t[k + 1] - this.t[k];
    const [[p, v], [q, w]] = [this.parabola(i, 0), this.parabola(i, 1)];
    const straight = this.breaks().gap[i];
    return { i, p, q, v: straight ? 0 : v, w: straight ? 0 : w, first: v && long(i) / long(p), last: w && long(i) / long(q) };
  }

  /** One column in a step. @param {ReturnType<Motion["shape"]>} shape @param {number} s @param {number} j */
  value(shape, s, j) {
    return bent(this.values, this.width, j, shape, s);
  }

  /**
   * The same motion with at least `count` samples, for curves without corners.
   * @param {number} count
   * @returns {Motion}
   */
  refined(count) {
    const parts = Math.ceil(count / Math.max(this.count, 1));
    return parts < 2 || this.count < 2 ? this : new Refined(this, parts);
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

  /**
   * Whether samples are too far apart to tell what is between them: the cubic through every second one misses those between by a good part
   * of what the column changes.
   * @param {number[]} columns
   */
  isSparse(columns) {
    const { corner, gap } = this.breaks();
    const smooth = (i) => [-3, -2, -1, 0, 1, 2].every((k) => !gap[i + k] && !corner[i + k]);
    return columns.some((j) => {
      const [x, [low, high]] = [this.column(j), this.range(j)];
      const far = (i) => Math.abs(x[i] - (9 * (x[i - 1] + x[i + 1]) - x[i - 3] - x[i + 3]) / 16) > FAR * (high - low);
      for (let i = 3; i + 3 < this.count; i += 1) if (far(i) && smooth(i)) return true;
      return false;
    });
  }

  /** Whether the column changes by more than rounding. @param {number} column */
  varies(column) {
    const [low, high] = this.range(column);
    return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high), 1e-9);
  }
}

/**
 * A number between two of its samples, which stand in a list with `stride` from one to the next: the cubic with the slopes at both ends.
 * @param {Float64Array} list
 * @param {number} stride
 * @param {number} first sample, its place in the list
 * @param {ReturnType<Motion["shape"]>} shape
 * @param {number} s
 */
function bent(list, stride, first, shape, s) {
  const { i, p, q, v, w } = shape;
  const at = first + i * stride;
  const own = list[at + stride] - list[at];
  // by how much slopes times the length of the step differ from the straight line
  const d0 = v && v * (shape.first * (list[first + (p + 1) * stride] - list[first + p * stride]) - own);
  const d1 = w && w * (shape.last * (list[first + (q + 1) * stride] - list[first + q * stride]) - own);
  return list[at] + s * own + s * (1 - s) * ((1 - s) * d0 - s * d1);
}

/** A motion with samples between its own; their columns are computed when somebody wants them. */
class Refined extends Motion {
  /** @param {Motion} motion @param {number} parts of each step */
  constructor(motion, parts) {
    const { gap } = motion.breaks();
    const most = motion.count * parts;
    const [steps, inside, times] = [new Int32Array(most), new Float64Array(most), new Float64Array(most)];
    let count = 0;
    for (let i = 0; i < motion.count; i += 1) {
      for (let k = 0; k < (gap[i] ? 1 : parts); k += 1, count += 1) {
        [steps[count], inside[count]] = [i, k / parts];
        times[count] = motion.t[i] + (k && (k / parts) * (motion.t[i + 1] - motion.t[i]));
      }
    }
    const { events, stop, report } = motion;
    super(times.subarray(0, count), new Float64Array(0), { events, stop, report });
    this.whole = motion;
    /** Where samples are: the step, and how far in it. */
    this.steps = steps;
    this.inside = inside;
    this.shapes = Array.from({ length: motion.count }, (_, i) => (gap[i] ? null : motion.shape(i)));
    this.width = motion.width;
  }

  /** @param {number} j */
  column(j) {
    let found = this.columns.get(j);
    if (!found) {
      const { steps, inside, shapes } = this;
      const given = this.whole.column(j);
      found = new Float64Array(this.count);
      for (let k = 0; k < this.count; k += 1) found[k] = inside[k] ? bent(given, 1, 0, shapes[steps[k]], inside[k]) : given[steps[k]];
      this.columns.set(j, found);
    }
    return found;
  }

  /** @param {number} k */
  row(k) {
    const [i, s] = [this.steps[k], this.inside[k]];
    return s ? this.whole.between(i, s, new Float64Array(this.width)) : this.whole.row(i);
  }
}
