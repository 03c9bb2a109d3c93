// The values one can change: parameters, starting positions and velocities, and how long to run.
// Those that cannot be changed are shown with the reason.

import { h, icon, perFrame, quantity } from "./dom.js";
import { duration, full, parse, short } from "./numbers.js";
import { isGiven } from "./session.js";

export class Sliders {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.element = h("div", { class: "sliders" });
    /** @type {Map<string, () => void>} */
    this.rows = new Map();
  }

  build() {
    const { document: model } = this.session;
    this.rows.clear();
    const of = (kind) => model.starts.filter((s) => s.kind === kind);
    this.status = h("p", { class: "status", role: "status" });
    this.resetAll = h("button", { type: "button", class: "quiet", onclick: () => this.session.reset() }, icon("reset"), "Reset");
    this.why = h("p", { class: "notice" });
    this.element.replaceChildren(
      h("div", { class: "status-line" }, this.status, this.resetAll),
      this.why,
      this.group("Parameters", model.parameters),
      this.group("Starting orientation", of("turn")),
      this.group("Starting positions", of("position")),
      this.group("Starting velocities", of("velocity")),
      h("section", { class: "values" }, h("h3", {}, "Run"), this.until()),
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

  /** @param {any} value */
  name(value) {
    return h("span", { class: "name" }, quantity(value.name), value.about && h("small", { title: value.about }, value.about));
  }

  /** @param {any} value a free parameter or start */
  row(value) {
    const [low, high] = [value.low ?? (value.value ?? 0) - 1, value.high ?? (value.value ?? 0) + 1];
    const reset = () => this.session.reset(value.name);
    const push = perFrame(() => this.session.set(value.name, rounded(Number(range.value), low, high)));
    const range = h("input", {
      type: "range", min: low, max: high, step: "any", "aria-label": value.about ? `${value.name}, ${value.about}` : value.name, "data-name": value.name,
      oninput: push, ondblclick: reset,
      onkeydown: (event) => this.nudge(event, value, low, high),
    });
    const field = h("input", {
      type: "text", inputmode: "decimal", class: "number", "aria-label": `${value.name}, number`, autocomplete: "off", spellcheck: "false",
      onchange: () => {
        const typed = parse(field.value);
        if (typed === null) update();
        else this.session.set(value.name, typed);
      },
      onfocus: () => field.select(),
    });
    const unit = (value.unit || value.kind === "turn") && h("span", { class: "unit" }, value.unit);
    const row = h("div", { class: "value" }, this.name(value), h("span", { class: "entry" }, field, unit), range);
    const update = () => {
      const now = this.session.get(value.name);
      const given = this.session.starts.has(value.name) || this.session.parameters.has(value.name);
      if (document.activeElement !== field || parse(field.value) !== now) field.value = now === undefined ? "" : trimmed(now);
      field.title = now === undefined ? "" : full(now);
      if (value.kind === "turn") unit.textContent = `rad = ${short(((now ?? 0) * 180) / Math.PI, 3)}°`;
      range.value = String(now ?? low);
      range.style.setProperty("--done", `${Math.min(Math.max((100 * (Number(range.value) - low)) / (high - low), 0), 100)}%`);
      row.classList.toggle("changed", value.kind && !isGiven(value) ? given : now !== value.value);
      row.classList.toggle("follows", !given);
      const why = this.session.fixed(value.name);
      range.disabled = field.disabled = why !== null;
      range.title = why ?? "Double-click to reset";
    };
    this.rows.set(value.name, update);
    return row;
  }

  /** Arrow keys on a slider move by a hundredth of its range; the browser's own step would be the whole of it. */
  nudge(event, value, low, high) {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (this.session.get(value.name) ?? low) + (by * (high - low)) / (event.shiftKey ? 1000 : 100);
    this.session.set(value.name, rounded(Math.min(Math.max(next, low), high), low, high));
  }

  /** @param {any} value */
  fixed(value) {
    const number = h("span", { class: "number" });
    const update = () => {
      const now = this.session.get(value.name);
      number.textContent = now === undefined || now === null ? "" : short(now);
      number.title = now === undefined || now === null ? "" : full(now);
    };
    this.rows.set(value.name, update);
    const reason = value.formula ? h("code", {}, `= ${value.formula}`) : value.about && value.why && h("small", { class: "why" }, value.why);
    return h("div", { class: "value fixed-value" }, this.name({ ...value, about: value.about ?? (value.formula ? null : value.why) }), number, reason);
  }

  until() {
    const field = h("input", {
      type: "text", inputmode: "decimal", class: "number", "aria-label": "until, number", autocomplete: "off",
      onchange: () => {
        const typed = parse(field.value);
        if (typed !== null && typed > 0) this.session.setUntil(typed);
        else update();
      },
    });
    const update = () => {
      field.value = trimmed(this.session.until);
      field.disabled = this.session.frozen !== null;
    };
    this.rows.set("", update);
    return h("div", { class: "value" }, h("span", { class: "name" }, h("span", { class: "word" }, "until"), h("small", {}, "end of the motion")), h("span", { class: "entry" }, field, h("span", { class: "unit" }, "s")));
  }

  /** Shows the present values. */
  settings() {
    for (const update of this.rows.values()) update();
    this.resetAll.hidden = !this.session.isChanged;
    const { frozen, remote, served } = this.session;
    const some = !served && remote.size > 0 ? "Values in grey move the start of the bodies: only the program can place them anew, with polhode view." : null;
    this.why.hidden = frozen === null && some === null;
    this.why.className = frozen ? "notice" : "hint";
    this.why.textContent = frozen ?? some ?? "";
  }

  /** Says how the motion on the screen came about. */
  say() {
    const { status, motion } = this.session;
    const stop = motion.stop && motion.stop.reason !== "end" && motion.stop.text ? ` Ended at t = ${short(motion.stop.t, 5)}: ${motion.stop.text}.` : "";
    const text = {
      recorded: `Computed by the program.${stop}`,
      computed: `${this.session.local ? "Computed in this page" : "Computed by the program"} in ${duration(status.milliseconds)}.${stop}`,
      asking: "Computing…",
      refused: `${status.text} The last motion stays on the screen.`,
    }[status.kind];
    this.status.textContent = text;
    this.status.dataset.kind = status.kind === "recorded" && stop ? "ended" : status.kind;
    this.settings();
  }
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
