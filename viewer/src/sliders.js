// The values one can change: parameters, starting positions and velocities, and how long to run.
// Those that cannot be changed are shown with the reason, and what was typed wrongly with what is wrong with it.

import { command, write } from "./address.js";
import { copyButton, h, icon, perFrame, quantity } from "./dom.js";
import { withCode } from "./equations.js";
import { evaluate, Wrong } from "./formula.js";
import { duration, full, short, unit } from "./numbers.js";
import { isGiven } from "./session.js";

/** Milliseconds after which it is said that the program computes. */
const PATIENCE = 150;

/** Characters for which the field of a number has room. */
const LEAST_WIDTH = 7;

export class Sliders {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.element = h("div", { class: "sliders" });
    /** @type {Map<string, {update: () => void, refuse: (why: string | null) => void}>} */
    this.rows = new Map();
    /** The value that was changed last: what is refused is its doing. @type {string | null} */
    this.last = null;
  }

  build() {
    const { document: model } = this.session;
    this.rows.clear();
    this.last = null;
    const of = (kind) => model.starts.filter((s) => s.kind === kind);
    this.status = h("p", { class: "status", role: "status" });
    this.resetAll = h("button", { type: "button", class: "quiet", title: "All values as in the model", onclick: () => this.session.reset() }, icon("reset"), "Reset");
    this.why = h("p", { class: "notice" });
    this.element.replaceChildren(
      h("div", { class: "status-line" }, this.status, this.resetAll),
      this.why,
      this.group("Parameters", model.parameters),
      this.group("Starting orientation", of("turn")),
      this.group("Starting positions", of("position")),
      this.group("Starting velocities", of("velocity")),
      h("section", { class: "values" }, h("h3", {}, "Run"), this.until()),
      this.elsewhere(),
    );
    this.settings();
    this.say();
  }

  /** @param {string} title @param {any[]} values */
  group(title, values) {
    if (!values.length) return "";
    const free = values.filter((v) => v.free);
    const fixed = values.filter((v) => !v.free);
    const section = h("section", { class: "values" }, h("h3", {}, title), ...free.map((v) => this.row(v)));
    if (fixed.length) {
      const list = h("div", { class: "fixed" }, ...fixed.map((v) => this.fixed(v)));
      section.append(fixed.length > 6 ? h("details", {}, h("summary", {}, `${fixed.length} that cannot be changed here`), list) : list);
    }
    return section;
  }

  /** @param {any} value @param {string | null} [note] beside its name: what it means */
  name(value, note = value.about) {
    return h("span", { class: "name" }, quantity(value.name, value), note && h("small", { title: note }, note));
  }

  /** @param {any} value a free parameter or start */
  row(value) {
    const [low, high] = [value.low ?? (value.value ?? 0) - 1, value.high ?? (value.value ?? 0) + 1];
    const called = value.about ? `${value.name}, ${value.about}` : value.name;
    const push = perFrame(() => this.set(value.name, rounded(Number(range.value), low, high)));
    const range = h("input", {
      type: "range", min: low, max: high, step: "any", "aria-label": called, "data-name": value.name,
      oninput: push, ondblclick: () => this.session.reset(value.name),
      onkeydown: (event) => this.nudge(event, value, low, high),
    });
    const entry = this.field(`${value.name}, number`, (x) => {
      this.inside(value, x);
      this.set(value.name, x);
    }, () => {
      if (this.session.status.kind === "refused" && this.last === value.name) this.session.reset(value.name);
    });
    const shown = h("span", { class: "unit" });
    const back = h("button", { type: "button", class: "reset", onclick: () => this.session.reset(value.name) }, icon("reset"));
    const rests = h("small", { class: "why" });
    const row = h("div", { class: "value" }, this.name(value), h("span", { class: "entry" }, back, entry.field, shown), range, rests, entry.message);
    if (Number.isFinite(value.value)) range.style.setProperty("--model", part(value.value, low, high));
    const update = () => {
      const now = this.session.get(value.name);
      const given = this.session.starts.has(value.name) || this.session.parameters.has(value.name);
      entry.show(now);
      const angle = value.kind === "turn" || value.unit === "rad";
      shown.textContent = unitText(value, angle ? now : null);
      range.value = String(now ?? low);
      range.setAttribute("aria-valuetext", `${short(now)} ${shown.textContent}`.trim());
      range.style.setProperty("--done", `${100 * part(Number(range.value), low, high)}%`);
      const changed = value.kind && !isGiven(value) ? given : now !== value.value;
      const label = Number.isFinite(value.value) ? `Reset ${value.name} to ${short(value.value)}` : `Reset ${value.name}`;
      // what follows another value goes back with that one
      back.hidden = !this.session.isChosen(value.name);
      back.title = label;
      back.setAttribute("aria-label", label);
      row.classList.toggle("changed", Boolean(changed));
      row.classList.toggle("follows", !given);
      const why = this.session.fixed(value.name);
      range.hidden = range.disabled = entry.field.disabled = why !== null;
      rests.hidden = why === null;
      // what holds for all is said at length above them
      if (why !== null) rests.replaceChildren(...withCode(this.session.frozen ? `Fixed in this recording; with \`${this.session.viewing}\` it can be moved.` : why));
      range.title = why ?? (changed ? `In the model: ${short(value.value)}. Double-click or Delete resets it.` : "");
    };
    this.rows.set(value.name, { update, refuse: entry.refuse });
    return row;
  }

  /**
   * A field for a number or a formula, with a place for what is wrong with it.
   * @param {string} label
   * @param {(x: number) => void} take may throw what is wrong
   * @param {() => void} [undo] takes back what was refused
   */
  field(label, take, undo = () => {}) {
    const id = `refusal-${this.rows.size}`;
    const message = h("p", { class: "refusal", id, role: "alert", hidden: true });
    const refuse = (why) => {
      message.hidden = why === null;
      message.textContent = why ?? "";
      field.toggleAttribute("aria-invalid", why !== null);
      if (why === null) field.removeAttribute("aria-describedby");
      else field.setAttribute("aria-describedby", id);
    };
    let wrong = false;
    const field = h("input", {
      type: "text", class: "number", "aria-label": label, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      onchange: () => {
        wrong = false;
        refuse(null);
        try {
          take(evaluate(field.value, (name) => this.session.parameters.get(name)));
        } catch (error) {
          if (!(error instanceof Wrong)) throw error;
          wrong = true;
          refuse(error.message);
        }
      },
      onkeydown: (event) => {
        if (event.key !== "Escape") return;
        wrong = false;
        refuse(null);
        undo();
        this.settings();
      },
      onfocus: () => field.select(),
    });
    const show = (now) => {
      // what is being mended stays
      if (wrong) return;
      field.value = now === undefined || now === null ? "" : trimmed(now);
      // wide enough for all of it
      field.style.width = `calc(${Math.max(LEAST_WIDTH, field.value.length + 1)}ch + 14px)`;
      field.title = now === undefined || now === null ? "" : `${full(now)}: a number or a formula, as 2*pi or sqrt(2)/3`;
    };
    return { field, message, refuse, show };
  }

  /** @param {string} name @param {number} x */
  set(name, x) {
    this.rows.get(this.last ?? "")?.refuse(null);
    this.last = name;
    this.session.set(name, x);
  }

  /** @param {any} value @param {number} x @throws {Wrong} where it must not be, in the words of the program */
  inside(value, x) {
    const [low, high] = value.within ?? [-Infinity, Infinity];
    if (x <= low || x >= high) throw new Wrong(`\`${value.name}\` starts at ${short(x)}, outside its interval (${short(low)}, ${short(high)})`);
  }

  /** Arrow keys on a slider move by a hundredth of its range; the browser's own step would be the whole of it. */
  nudge(event, value, low, high) {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 }[event.key];
    const clear = event.key === "Delete" || event.key === "Backspace";
    if ((!by && !clear) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (clear) {
      this.session.reset(value.name);
      return;
    }
    const next = (this.session.get(value.name) ?? low) + (by * (high - low)) / (event.shiftKey ? 1000 : 100);
    this.set(value.name, rounded(Math.min(Math.max(next, low), high), low, high));
  }

  /** @param {any} value */
  fixed(value) {
    const number = h("span", { class: "number" });
    const update = () => {
      const now = this.session.get(value.name);
      const known = now !== undefined && now !== null;
      number.textContent = known ? `${short(now)} ${unitText(value, null)}`.trim() : "";
      number.title = known ? full(now) : "";
    };
    this.rows.set(value.name, { update, refuse: () => {} });
    const reason = value.formula ? h("code", {}, `= ${value.formula}`) : value.about && value.why && h("small", { class: "why" }, value.why);
    return h("div", { class: "value fixed-value" }, this.name(value, value.about ?? (value.formula ? null : value.why)), number, reason);
  }

  until() {
    const entry = this.field("until, number", (x) => {
      if (!(x > 0)) throw new Wrong("the motion ends after it begins: a time above 0");
      this.last = "";
      this.session.setUntil(x);
    });
    const update = () => {
      entry.show(this.session.until);
      entry.field.disabled = this.session.frozen !== null;
    };
    this.rows.set("", { update, refuse: entry.refuse });
    return h("div", { class: "value" }, h("span", { class: "name" }, h("span", { class: "word" }, "until"), h("small", {}, "end of the motion")),
      h("span", { class: "entry" }, entry.field, h("span", { class: "unit" }, "s")), entry.message);
  }

  /** The present values as a line for the terminal and as an address. */
  elsewhere() {
    this.line = h("code", { class: "command", tabindex: "0", "aria-label": "Command for the terminal" });
    this.copies = h("div", { class: "tools" }, copyButton("Copy command", () => command(this.session)),
      copyButton("Copy link", () => new URL(write(this.session), location.href).href));
    this.edited = h("p", { class: "hint" }, "The text was edited: copy it into a file to run it elsewhere.");
    return h("section", { class: "values elsewhere" }, h("h3", {}, "The same motion elsewhere"), this.line, this.copies, this.edited);
  }

  /** Shows the present values. */
  settings() {
    for (const { update } of this.rows.values()) update();
    this.resetAll.hidden = !this.session.isChanged;
    const { frozen, source } = this.session;
    this.why.hidden = frozen === null;
    this.why.replaceChildren(...withCode(frozen ?? ""));
    this.line.textContent = command(this.session);
    // commands and addresses have values, and no text
    this.line.hidden = this.copies.hidden = Boolean(source.text) || this.session.status.kind === "refused";
    this.edited.hidden = !source.text;
  }

  /** Says how the motion on the screen came about. */
  say() {
    const { status, motion } = this.session;
    const stop = motion.stop && motion.stop.reason !== "end" && motion.stop.text ? ` Ended at t = ${short(motion.stop.t, 5)}: ${motion.stop.text}.` : "";
    const text = {
      recorded: `Computed by the program.${stop}`,
      computed: `Computed ${this.session.local ? "in this page" : this.session.placed ? "in this page, placed by the program" : "by the program"} in ${duration(status.milliseconds)}.${stop}`,
      asking: "Computing…",
      refused: `${status.text} The last motion stays on the screen.`,
    }[status.kind];
    const show = () => {
      this.status.textContent = [text, this.session.roughly].join(" ").trim();
      this.status.dataset.kind = status.kind === "recorded" && stop ? "ended" : status.kind;
    };
    clearTimeout(this.waiting);
    // what is answered at once does not flicker
    if (status.kind === "asking") this.waiting = setTimeout(show, PATIENCE);
    else {
      show();
      if (this.last !== null) this.rows.get(this.last)?.refuse(status.kind === "refused" ? status.text : null);
      this.settings();
    }
  }
}

/** Where a value lies between two others, from 0 to 1. */
function part(x, low, high) {
  return Math.min(Math.max((x - low) / (high - low), 0), 1);
}

/** The unit of a value, and what an angle is in degrees. @param {any} value @param {number | null | undefined} angle */
function unitText(value, angle) {
  const text = value.kind === "turn" ? "rad" : value.unit ? unit(value.unit) : "";
  return typeof angle === "number" ? `${text} = ${short((angle * 180) / Math.PI, 3)}°` : text;
}

/** A value of a slider with no more digits than its range deserves. */
function rounded(x, low, high) {
  const digits = Math.max(0, 3 - Math.floor(Math.log10(high - low)));
  return Number(x.toFixed(Math.min(digits, 15)));
}

/** @param {number} x */
function trimmed(x) {
  const text = full(x);
  return text.length > 9 ? String(Number(x.toPrecision(6))) : text;
}
