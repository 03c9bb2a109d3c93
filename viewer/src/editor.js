// The text of the model: a textarea over a coloured copy of its text, with line numbers and underlines where
// the program has something to say. After a pause, or with Ctrl-Enter, the program reads the text; while it
// has errors the last good motion stays on the screen.

import { keepText } from "./address.js";
import { copyButton, debounce, h } from "./dom.js";
import { server } from "./api.js";
import { pieces } from "./toml.js";

/** How long one may pause while writing, in milliseconds. */
const PAUSE = 700;

export class Editor {
  /**
   * @param {Pick<import("./session.js").Session, "served" | "source" | "document" | "adopt"> & {motion?: any}} session
   *   without a motion as long as the program has not understood any text
   */
  constructor(session) {
    this.session = session;
    this.diagnostics = [];
    this.others = 0;
    this.behind = h("pre", { class: "editor-text", "aria-hidden": "true" });
    this.area = h("textarea", {
      class: "editor-area", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "Text of the model",
      readonly: !session.served,
      oninput: () => this.written(),
      onscroll: () => this.scroll(),
      onkeydown: (event) => this.key(event),
    });
    this.gutter = h("div", { class: "editor-gutter", "aria-hidden": "true" });
    this.message = h("span", { class: "status", role: "status" });
    this.list = h("ol", { class: "diagnostics" });
    this.runButton = h("button", { type: "button", class: "quiet", title: "Ctrl-Enter", onclick: () => this.send() }, "Run");
    this.element = h("div", { class: "editor" },
      h("div", { class: "status-line" }, this.message, h("span", { class: "tools" }, copyButton("Copy", () => this.area.value), session.served ? this.runButton : "")),
      h("div", { class: "editor-frame" }, this.gutter, h("div", { class: "editor-body" }, this.behind, this.area)),
      this.list);
    /** Told how many errors the text has, in words as well. @type {(errors: number, words: string) => void} */
    this.judged = () => {};
    this.later = debounce(() => this.send(), PAUSE);
    this.number = 0;
  }

  /** A document came from elsewhere, or from this text: then the text stays as it is being written. */
  build() {
    const { text } = this.session.document.model;
    if (this.area.value !== text && this.sent !== text) this.area.value = text;
    this.showDiagnostics(this.session.document);
    this.tell();
  }

  /** Whether another text stands here than the one that is on the screen. */
  get isEdited() {
    return this.area.value !== this.session.document.model.text;
  }

  written() {
    // places move with the text; what was underlined is no longer there
    this.diagnostics = [];
    this.colour();
    this.message.textContent = "Edited";
    this.message.dataset.kind = "asking";
    this.later();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.send();
    }
    event.stopPropagation();
    if (event.key === "Escape") this.area.blur();
  }

  async send() {
    if (!this.session.served) return;
    const text = this.area.value;
    this.number += 1;
    const mine = this.number;
    this.message.textContent = "Reading…";
    this.message.dataset.kind = "asking";
    try {
      const name = this.session.source.name ?? this.session.document.model.name;
      keepText(name, text);
      const answer = await server.model({ name, text });
      if (mine !== this.number) return;
      if (answer.ok === false) {
        this.showDiagnostics(answer);
        this.tell();
        return;
      }
      this.sent = text;
      await this.session.adopt(answer, { name, text });
    } catch (error) {
      if (mine !== this.number) return;
      this.message.textContent = error.message;
      this.message.dataset.kind = "refused";
    }
  }

  tell() {
    const errors = this.diagnostics.filter((d) => d.severity === "error").length;
    const warnings = this.diagnostics.length - errors;
    const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}${this.others ? " and more" : ""}`;
    if (!this.session.served) this.message.textContent = "The text this page was made from";
    else if (errors) this.message.textContent = `${count(errors, "error")}${this.session.motion ? ": the last good motion stays on the screen" : ""}`;
    else this.message.textContent = warnings ? count(warnings, "warning") : "Understood";
    this.message.dataset.kind = errors ? "refused" : "computed";
    this.judged(errors, count(errors, "error"));
  }

  /** @param {{diagnostics?: any[], more_diagnostics?: number}} answer the first mistakes, and how many there are besides */
  showDiagnostics({ diagnostics = [], more_diagnostics: others = 0 }) {
    this.diagnostics = diagnostics;
    this.others = others;
    this.colour();
    const more = others ? [h("li", {}, h("p", { class: "note" }, `and ${others} more`))] : [];
    this.list.replaceChildren(...[...diagnostics.map((d) => h("li", { "data-severity": d.severity },
      h("button", { type: "button", class: "link place", onclick: () => this.goTo(d) }, d.line ? `${d.line}:${d.column}` : "—"),
      h("div", {},
        h("p", {}, h("b", {}, `${d.severity}`), d.code ? h("code", {}, d.code) : "", ` ${d.message}`),
        ...(d.notes ?? []).map((note) => h("p", { class: "note" }, note)),
        d.suggestion && h("p", { class: "note suggestion" }, d.suggestion)))), ...more]);
  }

  /** Selects what a diagnostic is about. @param {any} d */
  goTo(d) {
    if (!d.line) return;
    const lines = this.area.value.split("\n");
    const offset = (line, column) => lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + units(lines[line - 1] ?? "", column - 1);
    this.area.focus();
    this.area.setSelectionRange(offset(d.line, d.column), offset(d.end_line ?? d.line, d.end_column ?? d.column + 1));
    const height = Number.parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (d.line - 4) * height);
    this.scroll();
  }

  scroll() {
    this.behind.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    this.gutter.scrollTop = this.area.scrollTop;
  }

  colour() {
    const lines = this.area.value.split("\n");
    this.behind.replaceChildren(...lines.flatMap((line, i) => [...this.line(line, i + 1), "\n"]));
    const marked = new Map(this.diagnostics.map((d) => [d.line, d.severity]));
    this.gutter.replaceChildren(...lines.map((_, i) => h("span", { "data-severity": marked.get(i + 1) }, i + 1)));
    this.area.style.height = "";
    this.scroll();
  }

  /** One line in coloured and underlined spans. @param {string} line @param {number} number */
  line(line, number) {
    const cuts = new Set([0, line.length]);
    const kinds = pieces(line);
    for (const { from, to } of kinds) cuts.add(from).add(to);
    const marks = this.diagnostics.filter((d) => d.line && d.line <= number && (d.end_line ?? d.line) >= number).map((d) => {
      const from = d.line === number ? units(line, d.column - 1) : 0;
      const to = (d.end_line ?? d.line) === number ? units(line, (d.end_column ?? d.column + 1) - 1) : line.length;
      return { from, to: Math.max(to, Math.min(from + 1, line.length)), severity: d.severity };
    });
    for (const { from, to } of marks) cuts.add(from).add(to);
    const places = [...cuts].filter((c) => c <= line.length).sort((a, b) => a - b);
    return places.slice(0, -1).map((from, i) => {
      const kind = kinds.find((p) => p.from <= from && from < p.to)?.kind;
      const mark = marks.find((m) => m.from <= from && from < m.to)?.severity;
      return h("span", { class: [kind && `t-${kind}`, mark && `mark-${mark}`].filter(Boolean).join(" ") || null }, line.slice(from, places[i + 1]));
    });
  }
}

/** Characters to UTF-16 units: diagnostics count the former. @param {string} line @param {number} characters */
function units(line, characters) {
  return [...line].slice(0, Math.max(characters, 0)).join("").length;
}
