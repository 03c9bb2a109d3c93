// One model on the screen: its document, what the reader changed, and the motion that follows.
//
// With unchanged values the motion is the recorded one, computed by the program. Changes are computed by the
// engine in the page; without one, or when a value needs the program (`where` is "server": the start of the motion
// depends on it), a served page asks the program, and a page alone says why it cannot.

import { Clock } from "./clock.js";
import { Engine, Refused } from "./engine.js";
import { Motion } from "./motion.js";
import { server } from "./api.js";

/** Samples of a motion computed in the page: enough for smooth curves, few enough to follow a slider. */
const SAMPLES = 1201;

/** A recorded motion with fewer samples than this is computed again where there is an engine. */
const FEW = 400;

/** How long the page waits for the next change before it asks the program, in milliseconds. */
const PATIENCE = 180;

/**
 * Events: "document" when the model changed, "motion" when the motion did, "settings" when a value did,
 * "status" when there is something else to say.
 */
export class Session extends EventTarget {
  /**
   * @param {any} document an accepted page document
   * @param {{name?: string, text?: string}} source how to ask the server for it
   * @param {boolean} served whether there is a server to ask
   */
  constructor(document, source, served) {
    super();
    this.served = served;
    this.clock = new Clock();
    /** @type {Engine | null} */
    this.engine = null;
    this.status = { kind: "recorded", text: "", milliseconds: 0 };
    /** @type {AbortController | null} */
    this.asking = null;
    this.timer = 0;
    this.ready = this.take(document, source);
  }

  /**
   * Shows another document: the edited model.
   * @param {any} document
   * @param {{name?: string, text?: string}} source
   */
  adopt(document, source) {
    this.ready = this.take(document, source);
    return this.ready;
  }

  /**
   * Takes a document in; the time and what is drawn stay when they still make sense.
   * @param {any} document
   * @param {{name?: string, text?: string}} source
   */
  async take(document, source) {
    this.asking?.abort();
    this.document = document;
    this.source = source;
    this.columns = document.columns;
    this.names = new Map(this.columns.map((column, i) => [column.name, i]));
    this.recorded = Motion.recorded(document.recorded);
    this.parameters = new Map(document.parameters.map((p) => [p.name, p.value]));
    /** @type {Map<string, number>} starts the reader or the model gives; velocities that follow are not in it */
    this.starts = new Map(document.starts.filter(isGiven).map((s) => [s.name, s.value]));
    this.until = document.until;
    /** @type {Map<string, number>} what follows from other values; empty where that is not known */
    this.follows = followers(document);
    this.remote = new Set([...document.parameters, ...document.starts].filter((v) => v.where === "server").map((v) => v.name));
    this.engine = null;
    this.engineWhy = document.engine_why ?? null;
    this.show(this.recorded, { kind: "recorded", text: "", milliseconds: 0 });
    this.tell("document");
    if (!document.engine) return;
    const loaded = await Engine.load(document.engine).catch((error) => {
      this.engineWhy = `This browser could not load the model's engine (${error.message}).`;
      return null;
    });
    if (this.document !== document) return;
    this.engine = loaded;
    this.tell("engine");
    // a page that is sent around keeps few samples; the engine has the others
    if (loaded && !this.served && this.recorded.count < FEW) this.compute();
  }

  /** Why no value can be changed here; null when some can. @returns {string | null} */
  get frozen() {
    if (this.engine || this.served || this.document.engine) return null;
    const why = this.engineWhy ? `: ${this.engineWhy}` : "";
    return `This page shows a recorded motion and cannot compute another${why}. polhode view can.`;
  }

  /** Why one value cannot be changed here. @param {string} name @returns {string | null} */
  fixed(name) {
    if (this.frozen) return this.frozen;
    return !this.served && this.remote.has(name) ? "Only the program can place the bodies anew; polhode view can change this." : null;
  }

  /** A value as it is now; undefined when it follows from others and nobody computed it. @param {string} name */
  get(name) {
    const formula = this.document.parameters.some((p) => p.name === name && p.formula);
    if (formula) return this.follows.get(name);
    // what follows a turn
    const tied = this.loose.has(name) || this.document.starts.some((s) => s.name === name && !s.free);
    if (tied && this.follows.has(name)) return this.follows.get(name);
    // given values give way to those that the reader chose
    if (this.starts.has(name) && this.follows.has(name) && !(name in this.changes().start)) return this.follows.get(name);
    return this.parameters.get(name) ?? this.starts.get(name) ?? this.follows.get(name);
  }

  /**
   * Changes a parameter or a start and computes the motion anew.
   * @param {string} name
   * @param {number} value
   */
  set(name, value) {
    if (this.parameters.has(name)) this.parameters.set(name, value);
    else if (this.document.starts.some((s) => s.name === name)) this.starts.set(name, value);
    else throw new RangeError(`${name} is no parameter and no start of this model`);
    this.changed();
  }

  /** @param {number} until */
  setUntil(until) {
    this.until = until;
    this.changed();
  }

  /** Takes a change back. @param {string} [name] one name, or everything */
  reset(name) {
    for (const p of this.document.parameters) if (!name || p.name === name) this.parameters.set(p.name, p.value);
    for (const s of this.document.starts) {
      if (name && s.name !== name) continue;
      if (isGiven(s)) this.starts.set(s.name, s.value);
      else this.starts.delete(s.name);
    }
    if (!name) this.until = this.document.until;
    this.changed();
  }

  /** What differs from the document. */
  changes() {
    const set = Object.fromEntries(this.document.parameters.filter((p) => this.parameters.get(p.name) !== p.value).map((p) => [p.name, this.parameters.get(p.name)]));
    const start = Object.fromEntries(
      this.document.starts
        .filter((s) => this.starts.has(s.name) && this.starts.get(s.name) !== (isGiven(s) ? s.value : undefined))
        .map((s) => [s.name, this.starts.get(s.name)]),
    );
    const until = this.until === this.document.until ? undefined : this.until;
    return { set, start, until };
  }

  get isChanged() {
    const { set, start, until } = this.changes();
    return Object.keys(set).length + Object.keys(start).length > 0 || until !== undefined;
  }

  changed() {
    this.tell("settings");
    // an answer to an earlier question must not come after this one
    this.asking?.abort();
    clearTimeout(this.timer);
    if (!this.isChanged) {
      this.follows = followers(this.document);
      this.show(this.recorded, { kind: "recorded", text: "", milliseconds: 0 });
      return;
    }
    if (this.local) this.compute();
    else this.ask();
  }

  /** Whether the page itself can compute the present values. */
  get local() {
    const { set, start } = this.changes();
    return this.engine !== null && ![...Object.keys(set), ...Object.keys(start)].some((name) => this.remote.has(name)) && !this.otherSign();
  }

  /** A parameter whose sign is not the one that the equations were derived with; undefined when there is none. @returns {string | undefined} */
  otherSign() {
    return this.document.parameters.find((p) => p.value > 0 && !(this.parameters.get(p.name) > 0))?.name;
  }

  /** The velocities that follow because a body is turned, though they are given. @returns {Set<string>} */
  get loose() {
    return new Set(this.document.starts.filter((s) => s.kind === "turn" && this.starts.get(s.name)).flatMap((s) => s.loose ?? []));
  }

  /** Whether the start is turned: that is done in the page alone. */
  get turned() {
    return this.document.starts.some((s) => s.kind === "turn" && this.starts.get(s.name));
  }

  /** Positions that may follow others which the reader chose: those that could be chosen and were not. @returns {Set<string>} */
  following() {
    const { start } = this.changes();
    return new Set(this.document.starts.filter((s) => s.kind === "position" && s.free && s.where !== "server" && !(s.name in start)).map((s) => s.name));
  }

  /** Why the program cannot be asked for the present values; null when it can. @returns {string | null} */
  get aside() {
    if (!this.turned) return null;
    const { set, start } = this.changes();
    const others = Object.keys({ ...set, ...start }).filter((name) => this.remote.has(name));
    const who = others.length ? `, and ${others.join(", ")} can be changed by the program alone` : "";
    return `The start is turned by this page${who}: reset the one or the other.`;
  }

  /** Computes the present values anew, also when nothing is changed. */
  async simulate() {
    await this.ready;
    if (this.local) this.compute();
    else await this.ask(0);
    return this.status;
  }

  /** @returns {import("./engine.js").Task} */
  task() {
    const { loose } = this;
    const kind = (which) => new Map(this.document.starts.filter((s) => s.kind === which && this.starts.has(s.name) && !loose.has(s.name)).map((s) => [s.name, this.starts.get(s.name)]));
    return {
      parameters: this.parameters,
      positions: kind("position"),
      velocities: kind("velocity"),
      held: new Set(Object.keys(this.changes().start)),
      open: this.following(),
      turns: this.document.starts.filter((s) => s.kind === "turn").map((s) => ({ axis: s.axis, matrix: s.matrix, angle: this.starts.get(s.name) ?? 0 })),
      until: this.until,
      rtol: this.document.rtol,
      atol: this.document.atol,
      count: SAMPLES,
    };
  }

  compute() {
    const engine = /** @type {Engine} */ (this.engine);
    const began = performance.now();
    try {
      const { motion, follows } = engine.run(this.task());
      this.follows = follows;
      // what is too long for the page may not be for the program
      if (this.served && motion.stop?.reason === "too-many-steps" && !this.turned) this.ask();
      else this.show(this.judged(motion), { kind: "computed", text: "", milliseconds: performance.now() - began });
    } catch (error) {
      if (!(error instanceof Refused || error instanceof WebAssembly.RuntimeError)) throw error;
      // an engine that breaks down is no answer; the program may have one
      if (this.served && !(error instanceof Refused)) this.ask();
      else this.say({ kind: "refused", text: error.message, milliseconds: performance.now() - began });
    }
  }

  /** A motion of the engine with the figures that the program gives for its own. @param {Motion} motion */
  judged(motion) {
    const { energy } = this.document;
    if (typeof energy === "number" && motion.count) {
      const column = motion.column(energy);
      motion.report.energy_change = column[column.length - 1] - column[0];
    }
    const residuals = this.columns.map((c, i) => [c, i]).filter(([c]) => c.group === "residual");
    if (residuals.length) {
      motion.report.constraint_residual = Math.max(...residuals.map(([, i]) => Math.max(...motion.range(i).map(Math.abs))));
    }
    return motion;
  }

  /** Asks the program, a moment after the last change. @param {number} [wait] */
  ask(wait = PATIENCE) {
    clearTimeout(this.timer);
    if (!this.served) {
      const changed = Object.keys({ ...this.changes().set, ...this.changes().start });
      const sign = this.otherSign();
      const why = changed.map((name) => this.fixed(name)).find((text) => text !== null) ?? (sign && `${sign} was taken to be positive when the equations were derived.`);
      this.say({ kind: "refused", text: why ?? "The engine of this page is still loading.", milliseconds: 0 });
      return Promise.resolve();
    }
    if (this.aside) {
      this.say({ kind: "refused", text: this.aside, milliseconds: 0 });
      return Promise.resolve();
    }
    return new Promise((done) => {
      this.timer = setTimeout(() => this.fetch().then(done), wait);
    });
  }

  async fetch() {
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    const began = performance.now();
    this.say({ kind: "asking", text: "", milliseconds: 0 });
    try {
      const answer = await server.run({ ...this.source, ...this.changes() }, asking.signal);
      const milliseconds = performance.now() - began;
      const error = answer.diagnostics?.find((d) => d.severity === "error");
      if (!answer.recorded) this.say({ kind: "refused", text: error?.message ?? "The program refused these values.", milliseconds });
      else {
        const motion = Motion.recorded(answer.recorded);
        // what the program made of the start is in the first sample
        const first = this.named(motion.row(0));
        this.follows = new Map(this.document.starts.filter((s) => s.name in first).map((s) => [s.name, first[s.name]]));
        this.show(motion, { kind: "computed", text: "", milliseconds });
      }
    } catch (error) {
      if (error.name !== "AbortError") this.say({ kind: "refused", text: error.message, milliseconds: 0 });
    }
  }

  /** @param {Motion} motion @param {{kind: string, text: string, milliseconds: number}} status */
  show(motion, status) {
    this.motion = motion;
    this.fine = motion.refined(SAMPLES);
    this.clock.setRange(motion.begin, motion.end);
    this.say(status);
    this.tell("motion");
  }

  /** @param {{kind: string, text: string, milliseconds: number}} status */
  say(status) {
    this.status = status;
    this.tell("status");
  }

  /** The columns at the time shown. */
  row() {
    return this.motion.at(this.clock.time);
  }

  /** @returns {Record<string, number>} the columns at the time shown, by name */
  values() {
    return this.named(this.row());
  }

  /** @param {ArrayLike<number>} row */
  named(row) {
    return Object.fromEntries(this.columns.map((column, i) => [column.name, row[i]]));
  }

  /**
   * The columns at exactly `time`: integrated to there, not interpolated.
   * @param {number} time
   */
  async at(time) {
    await this.ready;
    if (this.local) return this.named(this.engine.at(this.task(), time));
    if (!this.served) throw new Refused(this.frozen ?? "The engine of this page is still loading.");
    if (this.aside) throw new Refused(this.aside);
    const answer = await server.run({ ...this.source, ...this.changes(), until: time });
    const motion = Motion.recorded(answer.recorded);
    return this.named(motion.row(motion.index(time)));
  }

  /** @param {string} what */
  tell(what) {
    this.dispatchEvent(new Event(what));
  }
}

/** Whether a start is given by the model, rather than following from the constraints. @param {any} start */
export function isGiven(start) {
  return start.value !== null && (start.given || start.kind === "position");
}

/** What follows in the recorded motion: velocities that are not given, parameters that are formulas. @param {any} document */
function followers(document) {
  const velocities = document.starts.filter((s) => !isGiven(s) && s.value !== null);
  const formulas = document.parameters.filter((p) => p.formula);
  return new Map([...velocities, ...formulas].map((v) => [v.name, v.value]));
}
