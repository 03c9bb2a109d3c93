// One model on the screen: its document, what the reader changed, and the motion that follows.
//
// With unchanged values the motion is the recorded one, computed by the program. Changes are computed by the
// engine in the page. Where the start of the motion depends on a value (`where` is "placed"), a served page asks the
// program where the bodies are then, and computes from there; without an engine, or when a value stands in the equations
// (`where` is "server"), it asks for the whole motion. A page alone says why it cannot.

import { Clock } from "./clock.js";
import { Engine, Refused } from "./engine.js";
import { Motion } from "./motion.js";
import { short } from "./numbers.js";
import { server } from "./api.js";

/** Samples of a motion computed in the page: enough for smooth curves, few enough to follow a slider. */
const SAMPLES = 1201;

/** Points of curves in space and in planes. */
const FINE = 2401;

/** A recorded motion with fewer samples than this is computed again where there is an engine. */
const FEW = 400;

/** Milliseconds that a motion may take in the page where the program can take it over. */
const PATIENCE = 300;

/** Milliseconds without a change after which the program is asked about parameters, and the part of a motion that it then computes. */
const REST = 250;
const SOON = 1e-6;

/** Milliseconds without an answer after which values are redrawn all the same. */
const LATE = 100;

/** Where a start of a rolling body is told along the motion. */
const TOLD = { touching: "c1", contact: "c", position: "x_O" };

/** What the program says about parameters that no body can have. */
const IMPOSSIBLE = new Set(["impossible-inertia", "impossible-mass", "bad-number", "kinetic-energy-not-positive"]);

/**
 * Events: "document" when the model changed, "motion" when the motion did, "settings" when a value did, or the program answered about it,
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
    /** @type {AbortController | null} the question that the program is answering */
    this.asking = null;
    /** Whether values changed since it was asked. */
    this.stale = false;
    /** Whether the program is asked for the motion although the page could compute it. */
    this.whole = false;
    /** @type {Map<string, number> | null} where the program put the bodies for the present values */
    this.placed = null;
    /** @type {Promise<void>} until there is nothing more to ask */
    this.answered = Promise.resolve();
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
    this.dismiss();
    this.document = document;
    this.source = source;
    this.columns = document.columns;
    this.names = new Map(this.columns.map((column, i) => [column.name, i]));
    this.recorded = Motion.recorded(document.recorded);
    /** @type {Map<string, any>} parameters and starts of the document; these have a kind */
    this.entries = new Map([...document.starts, ...document.parameters].map((v) => [v.name, v]));
    this.parameters = new Map(document.parameters.map((p) => [p.name, p.value]));
    /** @type {Map<string, number>} starts the reader or the model gives; velocities that follow are not in it */
    this.starts = new Map(document.starts.filter(isGiven).map((s) => [s.name, s.value]));
    this.until = document.until;
    /** @type {Map<string, number>} what follows from other values; empty where that is not known */
    this.follows = followers(document);
    const answered = (...by) => new Set([...document.parameters, ...document.starts].filter((v) => by.includes(v.where)).map((v) => v.name));
    /** @type {Set<string>} values that need the program, and those of them that need it for the motion */
    this.remote = answered("placed", "server");
    this.elsewhere = answered("server");
    this.told = told(document, this.names, this.recorded);
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
    return `This page shows a recorded motion and cannot compute another${why}. \`${this.viewing}\` has it with sliders.`;
  }

  /** Why one value cannot be changed here. @param {string} name @returns {string | null} */
  fixed(name) {
    if (this.frozen) return this.frozen;
    return !this.served && this.remote.has(name) ? `The start of the bodies follows from it, and only the program can place them: \`${this.viewing}\` has it as a slider.` : null;
  }

  /** The command that shows the model with a program behind it. */
  get viewing() {
    const { argument, name } = this.document.model;
    return `polhode view ${argument ?? name}`;
  }

  /** A value as it is now; undefined when it follows from others and nobody computed it. @param {string} name */
  get(name) {
    const entry = this.entries.get(name);
    if (entry?.formula) return this.follows.get(name);
    // what follows a turn
    const tied = this.loose.has(name) || (entry?.kind && !entry.free);
    if (tied && this.follows.has(name)) return this.follows.get(name);
    // given values give way to those that the reader chose
    if (this.starts.has(name) && this.follows.has(name) && !this.isChosen(name)) return this.follows.get(name);
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

  /**
   * These values and else those of the model; names that it has not, or that follow from others, are left out.
   * @param {Map<string, number>} values
   * @param {number} [until]
   */
  setAll(values, until = this.document.until) {
    this.restore();
    for (const [name, value] of values) {
      if (this.document.parameters.some((p) => p.name === name && p.free !== false)) this.parameters.set(name, value);
      else if (this.document.starts.some((s) => s.name === name && s.free !== false)) this.starts.set(name, value);
    }
    this.until = until;
    this.changed();
  }

  /** @param {number} until */
  setUntil(until) {
    this.until = until;
    this.changed();
  }

  /** Takes a change back and computes the motion anew. @param {string} [name] one name, or everything */
  reset(name) {
    this.restore(name);
    this.changed();
  }

  /** @param {string} [name] one name, or everything */
  restore(name) {
    for (const p of this.document.parameters) if (!name || p.name === name) this.parameters.set(p.name, p.value);
    for (const s of this.document.starts) {
      if (name && s.name !== name) continue;
      if (isGiven(s)) this.starts.set(s.name, s.value);
      else this.starts.delete(s.name);
    }
    if (!name) this.until = this.document.until;
  }

  /** Whether the reader changed a value. @param {string} name */
  isChosen(name) {
    const entry = this.entries.get(name);
    if (!entry?.kind) return entry !== undefined && this.parameters.get(name) !== entry.value;
    return this.starts.has(name) && this.starts.get(name) !== (isGiven(entry) ? entry.value : undefined);
  }

  /** What differs from the document. */
  changes() {
    const chosen = (list, values) => Object.fromEntries(list.filter((v) => this.isChosen(v.name)).map((v) => [v.name, values.get(v.name)]));
    const [set, start] = [chosen(this.document.parameters, this.parameters), chosen(this.document.starts, this.starts)];
    const until = this.until === this.document.until ? undefined : this.until;
    return { set, start, until };
  }

  get isChanged() {
    const { set, start, until } = this.changes();
    return Object.keys(set).length + Object.keys(start).length > 0 || until !== undefined;
  }

  changed() {
    // a page that asks redraws its values with the answer: it comes sooner on a machine that has less to draw
    if (!this.served || this.local || !this.isChanged) this.tell("settings");
    if (!this.isChanged) {
      this.dismiss();
      this.follows = followers(this.document);
      this.show(this.recorded, { kind: "recorded", text: "", milliseconds: 0 });
      return;
    }
    if (this.local) {
      this.dismiss();
      this.compute();
    } else this.ask();
  }

  /** An answer to an earlier question must not come after what the page shows now. */
  dismiss() {
    this.asking?.abort();
    this.asking = null;
    this.stale = false;
    this.placed = null;
  }

  /** Whether the page itself can compute the present values. */
  get local() {
    return this.computes(this.remote);
  }

  /** Whether it can once the program has placed the bodies. */
  get placeable() {
    return this.served && this.computes(this.elsewhere);
  }

  /** Whether there is an engine for the present values, none of these being changed. @param {Set<string>} others */
  computes(others) {
    const { set, start } = this.changes();
    return this.engine !== null && !Object.keys({ ...set, ...start }).some((name) => others.has(name)) && !this.otherSign();
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
    if (!this.turned || (this.placeable && !this.whole)) return null;
    const { set, start } = this.changes();
    const others = Object.keys({ ...set, ...start }).filter((name) => this.elsewhere.has(name));
    const who = others.length ? `, and ${others.join(", ")} can be changed by the program alone` : "";
    return `The start is turned by this page${who}: reset the one or the other.`;
  }

  /** Computes the present values anew, also when nothing is changed. */
  async simulate() {
    await this.ready;
    if (this.local) this.compute();
    else await this.ask();
    return this.status;
  }

  /** @returns {import("./engine.js").Task} */
  task() {
    const { loose } = this;
    const given = (which) => this.document.starts.filter((s) => s.kind === which && this.starts.has(s.name) && !loose.has(s.name));
    // velocities that the reader chose are the page's to fit in
    const value = (which, name) => (which === "velocity" && this.isChosen(name) ? undefined : this.placed?.get(name)) ?? this.starts.get(name);
    const kind = (which) => new Map(given(which).map(({ name }) => [name, value(which, name)]));
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
      patience: this.served ? PATIENCE : undefined,
    };
  }

  /** @param {number} [began] since when the reader waits */
  compute(began = performance.now()) {
    const engine = /** @type {Engine} */ (this.engine);
    try {
      const { motion, follows } = engine.run(this.task());
      this.follows = new Map([...(this.placed ?? []), ...follows]);
      if (this.turned) this.tellPlaces(motion);
      // what is too long for the page may not be for the program
      if (this.served && motion.stop?.reason === "too-many-steps" && !this.turned) this.ask(true);
      else {
        this.show(this.judged(motion), { kind: this.stale ? "asking" : "computed", text: "", milliseconds: performance.now() - began });
        this.confirm();
      }
    } catch (error) {
      if (!(error instanceof Refused || error instanceof WebAssembly.RuntimeError)) throw error;
      // an engine that breaks down is no answer; the program may have one
      if (this.served && !(error instanceof Refused)) this.ask(true);
      else this.say({ kind: "refused", text: error.message, milliseconds: performance.now() - began });
    }
  }

  /** What the file says about the start of a body, as it is after a turn. @param {Motion} motion */
  tellPlaces(motion) {
    const first = motion.row(0);
    for (const [name, column] of this.told) this.follows.set(name, first[column]);
  }

  /** Asks the program, when the hand rests, whether there can be a body with the parameters that the page computed with. */
  async confirm() {
    const { set } = this.changes();
    // who places bodies looks at them
    if (!this.served || this.placed || !Object.keys(set).length) return;
    const asked = JSON.stringify(set);
    const still = () => this.status.kind === "computed" && JSON.stringify(this.changes().set) === asked;
    await new Promise((done) => setTimeout(done, REST));
    if (!still()) return;
    // a program that does not answer has no objection
    const answer = await server.run({ ...this.source, set, until: SOON * this.until }).catch(() => null);
    const error = answer?.diagnostics?.find((d) => IMPOSSIBLE.has(d.code));
    if (error && still()) this.say({ kind: "refused", text: error.message, milliseconds: 0 });
  }

  /** A motion of the engine with the figures that the program gives for its own. @param {Motion} motion */
  judged(motion) {
    const { energy } = this.document;
    if (typeof energy === "number" && motion.count) {
      const column = motion.column(energy);
      motion.report.energy_change = column[column.length - 1] - column[0];
      motion.report.energy_error = motion.books(energy).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    }
    const residuals = this.columns.map((c, i) => [c, i]).filter(([c]) => c.group === "residual");
    if (residuals.length) {
      motion.report.constraint_residual = Math.max(...residuals.map(([, i]) => Math.max(...motion.range(i).map(Math.abs))));
    }
    return motion;
  }

  /**
   * Asks the program: at once, or when it has answered the question before, and then for the values of that moment.
   * @param {boolean} [whole] for the motion, though the page could compute it
   * @returns {Promise<void>} until it has nothing more to answer
   */
  ask(whole = false) {
    this.whole = whole;
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
    if (this.asking) this.stale = true;
    else this.answered = this.converse();
    return this.answered;
  }

  /** Asks until the answer is about the present values. */
  async converse() {
    const asking = new AbortController();
    this.asking = asking;
    this.say({ kind: "asking", text: "", milliseconds: 0 });
    do {
      this.stale = false;
      await this.fetch(asking);
    } while (this.asking === asking && this.stale);
    if (this.asking === asking) this.asking = null;
  }

  /** What the program is told of the changes: it turns nothing, and where it only places bodies, velocities are the page's. @param {boolean} place */
  wishes(place) {
    const { set, start, until } = this.changes();
    const told = ([name]) => !["turn", ...(place ? ["velocity"] : [])].includes(this.entries.get(name).kind);
    return { set, start: Object.fromEntries(Object.entries(start).filter(told)), until };
  }

  /** @param {AbortController} asking */
  async fetch(asking) {
    const began = performance.now();
    const place = this.placeable && !this.whole;
    const late = setTimeout(() => this.tell("settings"), LATE);
    try {
      const answer = await server.run({ ...this.source, ...this.wishes(place), ...(place ? { place } : {}) }, asking.signal);
      if (this.asking !== asking) return;
      this.tell("settings");
      const milliseconds = performance.now() - began;
      this.placed = null;
      if (answer.start) {
        this.placed = new Map([...Object.entries(answer.start), ...Object.entries(answer.placed)]);
        this.compute(began);
        return;
      }
      if (!answer.recorded) this.say({ kind: "refused", text: refusal(answer), milliseconds });
      else {
        const motion = Motion.recorded(answer.recorded);
        // what the program made of the start is in the first sample
        const first = this.named(motion.row(0));
        const formulas = this.engine?.setParameters(this.parameters) ?? [];
        this.follows = new Map([...formulas, ...this.document.starts.filter((s) => s.name in first).map((s) => [s.name, first[s.name]])]);
        for (const [name, value] of Object.entries(answer.placed ?? {})) this.follows.set(name, value);
        this.show(motion, { kind: this.stale ? "asking" : "computed", text: "", milliseconds });
      }
    } catch (error) {
      if (error.name === "AbortError" || this.asking !== asking) return;
      this.placed = null;
      this.say({ kind: "refused", text: error.message, milliseconds: 0 });
    } finally {
      clearTimeout(late);
    }
  }

  /** @param {Motion} motion @param {{kind: string, text: string, milliseconds: number}} status */
  show(motion, status) {
    this.motion = motion;
    this.fine = motion.refined(FINE);
    this.sparse = motion.isSparse(this.columns.flatMap((c, i) => (c.group === "position" || c.group === "velocity" ? [i] : [])));
    this.clock.setRange(motion.begin, motion.end);
    this.say(status);
    this.tell("motion");
  }

  /** @param {{kind: string, text: string, milliseconds: number}} status */
  say(status) {
    this.status = status;
    this.tell("status");
  }

  /** What to say of a motion whose samples are too far apart; empty for others. */
  get roughly() {
    const { motion } = this;
    return this.sparse ? `Samples are ${short((motion.end - motion.begin) / (motion.count - 1), 3)} s apart, too far to tell what is between them: let it run for a shorter time.` : "";
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
    await this.answered;
    if (this.local || this.placed) return this.named(this.engine.at(this.task(), time));
    if (!this.served) throw new Refused(this.frozen ?? "The engine of this page is still loading.");
    if (this.aside) throw new Refused(this.aside);
    const answer = await server.run({ ...this.source, ...this.changes(), until: time });
    if (!answer.recorded) throw new Refused(refusal(answer));
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

/** Why the program has no motion. @param {any} answer @returns {string} */
function refusal(answer) {
  return answer.diagnostics?.find((d) => d.severity === "error")?.message ?? "The program refused these values.";
}

/**
 * The columns that say along the motion what the file says about the start of a body, as far as they agree with it there.
 * @param {any} document @param {Map<string, number>} columns @param {Motion} recorded
 * @returns {Map<string, number>}
 */
function told(document, columns, recorded) {
  const first = recorded.row(0);
  const pairs = document.starts.filter((s) => s.where === "placed").map((s) => {
    const [, prefix, stem, rest] = /^(.*\.)?(\w+)(\[\d\])$/.exec(s.name) ?? [];
    const column = columns.get(`${prefix ?? ""}${TOLD[stem]}${rest}`);
    return column !== undefined && Math.abs(first[column] - s.value) <= 1e-9 * Math.max(1, Math.abs(s.value)) ? [s.name, column] : null;
  });
  return new Map(pairs.filter((pair) => pair !== null));
}

/** What follows in the recorded motion: velocities that are not given, parameters that are formulas. @param {any} document */
function followers(document) {
  const velocities = document.starts.filter((s) => !isGiven(s) && s.value !== null);
  const formulas = document.parameters.filter((p) => p.formula);
  return new Map([...velocities, ...formulas].map((v) => [v.name, v.value]));
}
