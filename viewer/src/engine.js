// The model's own WebAssembly, written by the program: no imports, all its state in its exported memory.
//
// To start a motion it is given the parameters, the positions and the velocities somebody chose; the velocities
// that nobody chose follow from the constraints A v + a₀ = 0 at that place; `enter` makes the state of them and
// `integrate` carries it on (Dormand–Prince 8(5,3) with dense output).

import { bytes } from "./base64.js";
import { shortest, solve } from "./linear.js";
import { Motion } from "./motion.js";
import { pretty } from "./names.js";
import { short } from "./numbers.js";
import { followed, settled } from "./turns.js";

/** Relative residual above which chosen velocities contradict a constraint, and parameters a condition: that of the program. */
const TOLERANCE = 1e-9;

/** Steps of a first try, which takes some hundredths of a second at most; it also tells how long a step takes. */
const FIRST_STEPS = 4000;

/** Steps after which the page gives up, however fast they are. */
const MOST_STEPS = 200_000;

/** Milliseconds that a motion may take unless the task says otherwise: as long as that the page does not answer. */
const PATIENCE = 2000;

const ENDINGS = [
  { reason: "end", text: "" },
  { reason: "step-too-small", text: "the step became too small: something singular is near" },
  { reason: "not-finite", text: "a number ceased to be finite" },
  { reason: "too-many-steps", text: "it takes longer than a page may compute" },
  { reason: "event", text: "a terminal event" },
];

/** What a start or a setting is refused with: a sentence for the reader. */
export class Refused extends Error {}

/**
 * @typedef {object} Task
 * @property {Map<string, number>} parameters values by name
 * @property {Map<string, number>} positions
 * @property {Map<string, number>} velocities only those that are given
 * @property {Set<string>} [held] positions and velocities that the reader chose: where they and others cannot all be, the others follow
 * @property {Set<string>} [open] positions that may follow
 * @property {import("./turns.js").Turn[]} [turns] of the rotations among the positions; what is tied to them follows
 * @property {number} until
 * @property {number} rtol
 * @property {number} atol
 * @property {number} count samples wanted
 * @property {number} [patience] milliseconds that it may take
 */

export class Engine {
  /**
   * @param {any} layout "engine" of the page document
   * @param {any} exports of its WebAssembly
   */
  constructor(layout, exports) {
    this.layout = layout;
    this.exports = exports;
  }

  /** @param {any} layout */
  static async load(layout) {
    const { instance } = await WebAssembly.instantiate(bytes(layout.wasm), {});
    return new Engine(layout, instance.exports);
  }

  /**
   * Doubles in the engine's memory; the view is made anew each time because memory may have grown.
   * @param {string} where a name of `at`
   * @param {number} length
   */
  view(where, length) {
    return new Float64Array(this.exports.memory.buffer, this.layout.at[where], length);
  }

  /**
   * Puts parameters into memory, and those that are formulas of others as they follow, in their order.
   * @param {Map<string, number>} values
   * @returns {Map<string, number>} those that follow
   */
  setParameters(values) {
    const { parameters, sizes, derived } = this.layout;
    const put = (name, value) => {
      const i = parameters.indexOf(name);
      if (i >= 0 && value !== undefined) this.view("parameters", sizes.parameters)[i] = value;
    };
    for (const name of parameters) put(name, values.get(name));
    return new Map((derived ?? []).map(({ name, function: k }) => {
      this.exports[`surface_${k}`](0, 0);
      const value = this.view("point", 1)[0];
      put(name, value);
      return [name, value];
    }));
  }

  /**
   * Refuses parameters that no body can have: those in memory must leave e₁, e₂, e₃ of every condition without a negative one, but for rounding.
   * @throws {Refused}
   */
  judge() {
    for (const { text, function: k } of this.layout.conditions ?? []) {
      this.exports[`surface_${k}`](0, 0);
      const [a, b, c] = this.view("point", 3);
      if (!(a >= 0 && b >= -TOLERANCE * a * a && c >= -TOLERANCE * a * a * a)) throw new Refused(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
    }
  }

  /**
   * Velocities that obey the constraints: the given ones, and the others as they follow.
   * Parameters, time and positions must be in memory.
   * @param {Map<string, number>} given
   * @param {Set<string>} held those among them that the reader chose
   * @returns {number[]}
   */
  complete(given, held) {
    const { velocities, sizes } = this.layout;
    const n = sizes.velocities;
    const known = velocities.map((name) => given.get(name));
    const values = known.map((value) => value ?? 0);
    if (!sizes.constraints) return values;
    this.exports.constraints();
    const flat = this.view("rows", sizes.constraints * (n + 1));
    const rows = Array.from({ length: sizes.constraints }, (_, i) => [...flat.subarray(i * (n + 1), (i + 1) * (n + 1))]);
    if (rows.flat().some((x) => !Number.isFinite(x))) {
      throw new Refused("A constraint has no finite coefficients at this position; choose another one.");
    }
    const open = velocities.map((_, j) => j).filter((j) => known[j] === undefined);
    const a = rows.map((row) => open.map((j) => row[j]));
    const b = rows.map((row) => -row[n] - known.reduce((sum, value, j) => sum + (value === undefined ? 0 : row[j] * value), 0));
    const { x, residual } = solve(a, b, open.length);
    const scale = Math.max(1, ...b.map(Math.abs));
    const worst = residual.reduce((best, r, i) => (Math.abs(r) > Math.abs(residual[best]) ? i : best), 0);
    if (Math.abs(residual[worst]) > TOLERANCE * scale) {
      const near = this.nearest(rows, values, held);
      if (near) return near;
      const blamed = velocities.filter((_, j) => known[j] !== undefined && Math.abs(rows[worst][j]) > 1e-12).map(pretty);
      const who = blamed.length ? ` (${blamed.join(", ")})` : "";
      throw new Refused(`These velocities${who} violate constraint ${worst + 1} by ${short(Math.abs(residual[worst]), 3)}.`);
    }
    open.forEach((j, i) => (values[j] = x[i]));
    return values;
  }

  /**
   * Velocities near the given ones that obey the constraints: those that the reader chose stay.
   * @param {number[][]} rows
   * @param {number[]} values
   * @param {Set<string>} held
   * @returns {number[] | null} null where there are none, or nothing was chosen
   */
  nearest(rows, values, held) {
    const { velocities } = this.layout;
    const n = velocities.length;
    const open = velocities.map((_, j) => j).filter((j) => !held.has(velocities[j]));
    if (open.length === n) return null;
    const off = (v) => rows.map((row) => v.reduce((sum, x, j) => sum + row[j] * x, row[n]));
    const before = off(values);
    const change = shortest(rows.map((row) => open.map((j) => row[j])), before.map((x) => -x), open.length);
    const out = [...values];
    open.forEach((j, i) => (out[j] += change[i]));
    const scale = Math.max(1, ...before.map(Math.abs));
    return off(out).every((x) => Math.abs(x) <= TOLERANCE * scale) ? out : null;
  }

  /**
   * Puts the start of a motion into memory.
   * @param {Task} task
   * @returns {Map<string, number>} what follows: all velocities, parameters that are formulas, and after a turn the positions
   */
  enter(task) {
    const { positions, velocities, sizes, units } = this.layout;
    const formulas = this.setParameters(task.parameters);
    this.judge();
    this.view("time", 1)[0] = 0;
    let place = positions.map((name) => task.positions.get(name) ?? 0);
    let moved = new Map();
    const off = this.off(place);
    if (off.length) {
      const scale = Math.max(1, ...place.map(Math.abs));
      const worst = Math.max(...off.map((x) => (Number.isFinite(x) ? Math.abs(x) : Infinity)));
      if (worst > 1e-8 * scale) {
        const open = positions.map((_, k) => k).filter((k) => task.open?.has(positions[k]));
        const near = open.length ? settled(place, open, (there) => this.off(there)) : null;
        if (!near) throw new Refused(`A constraint does not hold at these positions: it is off by ${short(worst, 3)}.`);
        place = near;
        moved = new Map(positions.map((name, k) => [name, near[k]]));
        this.off(place);
      }
    }
    moved = new Map([...moved, ...this.turn(place, task.turns ?? [])]);
    const all = this.complete(task.velocities, task.held ?? new Set());
    this.view("velocities", sizes.velocities).set(all);
    this.exports.enter();
    const state = this.view("state", sizes.state);
    if (!state.every(Number.isFinite)) throw new Refused("There is no finite state with these values.");
    for (const [start, length] of units ?? []) {
      const part = state.subarray(start, start + length);
      const norm = Math.hypot(...part);
      if (Math.abs(norm - 1) > 1e-12) part.forEach((x, i) => (part[i] = x / norm));
    }
    return new Map([...formulas, ...moved, ...velocities.map((name, i) => [name, all[i]])]);
  }

  /**
   * What vanishes at admissible positions; the positions stay in memory.
   * @param {number[]} place
   * @returns {number[]}
   */
  off(place) {
    const { at, sizes } = this.layout;
    this.view("positions", sizes.positions).set(place);
    if (!sizes.holonomic || at.holonomic === undefined) return [];
    this.exports.holonomic();
    return [...this.view("holonomic", sizes.holonomic)];
  }

  /**
   * Turns the start that is in memory.
   * @param {number[]} place
   * @param {import("./turns.js").Turn[]} turns
   * @returns {Map<string, number>} the positions, where they are others now
   */
  turn(place, turns) {
    const real = turns.filter((turn) => turn.angle !== 0);
    if (!real.length) return new Map();
    const { positions, followers } = this.layout;
    const found = followed(place, real, followers ?? [], (there) => this.off(there));
    if (!found) throw new Refused("Turned as far as this, the bodies do not touch as they have to; choose a smaller turn.");
    this.off(found);
    return new Map(positions.map((name, i) => [name, found[i]]));
  }

  /**
   * The motion that follows from a start.
   * @param {Task} task
   * @returns {{motion: Motion, follows: Map<string, number>}}
   */
  run(task) {
    const { sizes, events } = this.layout;
    const follows = this.enter(task);
    const code = this.integrate(task);
    const rows = code >> 4;
    const ending = ENDINGS[code & 15];
    if (rows < 1) throw new Refused(`Nothing could be computed: ${ending.text}.`);
    const t = this.view("times", rows).slice();
    const values = this.view("reports", rows * sizes.report).slice();
    const work = this.works(rows);
    const log = this.log();
    const last = log.at(-1);
    const text = ending.reason === "event" && last ? `the event "${events[last.index].name}" ends the motion` : ending.text;
    const [steps, rejected, evaluations] = this.view("statistics", 3);
    const motion = Motion.forward(t, values, {
      events: log.map(({ index, t: time }) => ({
        t: time,
        name: events[index].name,
        kind: events[index].terminal ? "terminal" : "crossing",
        text: events[index].name,
      })),
      stop: { reason: ending.reason, t: t[rows - 1], text },
      report: { steps, rejected, evaluations, method: "DOP853 in this page" },
      work,
    });
    return { motion, follows };
  }

  /**
   * Carries the state in memory on, for as long as there is time: nothing can stop the engine once it runs, so a motion that is not done after
   * some steps is begun again with as many as there is time for.
   * @param {Task} task
   * @returns {number} rows · 16 + ending
   */
  integrate(task) {
    const { sizes } = this.layout;
    const count = Math.max(2, Math.min(task.count, sizes.capacity));
    const start = this.view("state", sizes.state).slice();
    const began = performance.now();
    const go = (steps) => this.exports.integrate(task.until, count, task.rtol, task.atol, steps);
    const first = go(FIRST_STEPS);
    if (ENDINGS[first & 15].reason !== "too-many-steps") return first;
    const spent = Math.max(performance.now() - began, 1);
    const left = Math.min(MOST_STEPS, Math.floor((FIRST_STEPS * ((task.patience ?? PATIENCE) - spent)) / spent));
    if (left <= FIRST_STEPS) return first;
    this.view("time", 1)[0] = 0;
    this.view("state", sizes.state).set(start);
    return go(left);
  }

  /** The work done until each row of the last motion, where the state keeps books of it. @param {number} rows */
  works(rows) {
    const { sizes, state } = this.layout;
    const places = (state ?? []).map((name, k) => (name.startsWith("work.") ? k : -1)).filter((k) => k >= 0);
    if (!places.length) return null;
    const states = this.view("states", rows * sizes.state);
    return Float64Array.from({ length: rows }, (_, i) => places.reduce((sum, k) => sum + states[i * sizes.state + k], 0));
  }

  /** The events of the last run. */
  log() {
    const { sizes, at } = this.layout;
    if (!sizes.events || at.event_log === undefined) return [];
    const number = this.view("event_log", 1)[0];
    const flat = this.view("event_log", 1 + 3 * number);
    return Array.from({ length: number }, (_, i) => ({ index: flat[1 + 3 * i], t: flat[2 + 3 * i], direction: flat[3 + 3 * i] }));
  }

  /**
   * All columns at exactly `time`.
   * @param {Task} task
   * @param {number} time
   */
  at(task, time) {
    const { motion } = this.run({ ...task, until: time, count: 2 });
    return motion.row(motion.index(time));
  }

  /**
   * The points of a surface on its grid, with the parameters of a task.
   * @param {{function: number, nu: number, nv: number, u: [number, number], v: [number, number], closed: [boolean, boolean]}} surface
   * @param {Map<string, number>} parameters
   * @returns {Float32Array}
   */
  surface({ function: k, nu, nv, u, v, closed }, parameters) {
    this.setParameters(parameters);
    const at = /** @type {(u: number, v: number) => void} */ (this.exports[`surface_${k}`]);
    const out = new Float32Array(3 * nu * nv);
    const parts = [nu - (closed[0] ? 0 : 1), nv - (closed[1] ? 0 : 1)];
    for (let i = 0; i < nu; i += 1) {
      for (let j = 0; j < nv; j += 1) {
        at(u[0] + ((u[1] - u[0]) * i) / parts[0], v[0] + ((v[1] - v[0]) * j) / parts[1]);
        out.set(this.view("point", 3), 3 * (i * nv + j));
      }
    }
    return out;
  }
}
