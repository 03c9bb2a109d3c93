// The equations of motion, typeset, in the form one chooses.

import katex from "katex";
import { copyButton, h } from "./dom.js";
import { server } from "./api.js";

/**
 * A formula as an element; LaTeX that cannot be set is shown as it is.
 * @param {string} latex
 * @param {boolean} [display]
 */
export function formula(latex, display = true) {
  const element = h(display ? "div" : "span", { class: display ? "formula" : "formula-inline" });
  try {
    katex.render(latex, element, { displayMode: display, throwOnError: true, output: "htmlAndMathml", strict: "ignore" });
  } catch {
    element.replaceChildren(h("code", {}, latex));
  }
  return element;
}

/** Rows of an environment that stay together on one page. */
const TOGETHER = 10;

/**
 * A formula on a line of its own. One of many rows is set row by row, because an environment cannot go over the end of a page.
 * @param {string} latex
 * @param {object} [attributes]
 */
export function formulaLine(latex, attributes = {}) {
  const inner = /^\\begin\{aligned\}\n([^]*)\n\\end\{aligned\}$/.exec(latex)?.[1] ?? "";
  const rows = inner.split(" \\\\\n");
  const parts = rows.length > TOGETHER && rows.every((row) => row.startsWith("&") && !row.includes("\\begin")) ? rows.map((row) => row.slice(1)) : [latex];
  return h("div", { class: parts.length > 1 ? "formula-line long" : "formula-line", ...attributes }, ...parts.map((part) => formula(part)));
}

/** Text with commands between backticks. @param {string} text */
export function withCode(text) {
  return text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

/** With a capital letter at the beginning. @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Letters of a formula on paper are not smaller than this, in pixels: 8 points. */
const SMALLEST = (8 * 96) / 72;

/** Sets formulas that are a little wider than the paper smaller; lines that are much wider are broken where they are written. @param {HTMLElement} host */
export function fitFormulas(host) {
  for (const line of host.querySelectorAll(".formula-line")) {
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (line.querySelectorAll(".formula"))) {
      element.style.fontSize = "";
      const set = element.querySelector(".katex");
      const part = set ? line.clientWidth / set.getBoundingClientRect().width : 1;
      if (part < 1) element.style.fontSize = `${Math.max(0.99 * part, SMALLEST / parseFloat(getComputedStyle(set).fontSize))}em`;
    }
  }
}

/** Formulas as on the screen again. @param {HTMLElement} host */
export function unfitFormulas(host) {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (host.querySelectorAll(".formula"))) element.style.fontSize = "";
}

export class EquationsPanel {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.element = h("div", { class: "equations" });
    /** @type {string | null} */
    this.form = null;
    this.asked = null;
    /** Forms that are known not to apply. @type {Set<string>} */
    this.refused = new Set();
  }

  /** The model changed: what is shown is no longer true. */
  build() {
    this.asked = null;
    const own = this.session.document.equations;
    this.own = own ? (Array.isArray(own) ? own : [own]) : [];
    this.refused = new Set(this.own.filter((e) => e.applies === false).map((e) => e.form));
    if (this.own.length) this.show(this.own.find((e) => e.form === this.form) ?? this.own[0]);
    else if (!this.session.served) this.element.replaceChildren(h("p", { class: "notice" }, "This page was made without the equations."));
    else this.element.replaceChildren(h("p", { class: "muted" }, "…"));
  }

  /** The reader looks: asks for them when that was not done yet. */
  async open() {
    if (this.own.length || !this.session.served || this.asked) return;
    await this.ask(this.form);
  }

  /** @param {string | null} form */
  async ask(form) {
    const { document: model } = this.session;
    this.asked = { model, form };
    const mine = this.asked;
    this.element.setAttribute("aria-busy", "true");
    if (!this.element.querySelector(".formula")) this.element.replaceChildren(h("p", { class: "muted" }, "Deriving…"));
    try {
      const equations = await server.equations({ ...this.session.source, ...(form ? { form } : {}) });
      if (this.asked === mine) this.show(equations);
    } catch (error) {
      if (this.asked === mine) {
        this.element.replaceChildren(h("p", { class: "notice" }, error.message),
          h("button", { type: "button", class: "quiet", onclick: () => this.ask(form) }, "Try again"));
      }
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  /** @param {any} equations */
  show(equations) {
    this.form = equations.form;
    if (equations.applies === false) this.refused.add(equations.form);
    const forms = this.own.length > 1 ? this.own.map((e) => ({ id: e.form, title: e.title })) : this.own.length ? [] : equations.forms ?? [];
    const select = h("select", { "aria-label": "Form of the equations", onchange: () => this.choose(select.value) },
      ...forms.map((f) => h("option", { value: f.id, selected: f.id === equations.form }, capital(f.title) + (this.refused.has(f.id) ? " (does not apply)" : ""))));
    const lines = (equations.groups ?? []).flatMap((group) => group.lines);
    this.element.replaceChildren(
      h("div", { class: "status-line" }, forms.length ? select : h("h3", {}, capital(equations.title)), copyButton("Copy LaTeX", () => lines.join("\n"))),
      equations.applies === false ? h("p", { class: "notice" }, equations.why ? `This form does not apply, because ${equations.why}.` : "This form does not apply to the model.") : "",
      equations.note ? h("p", { class: "muted" }, ...withCode(`${capital(equations.note)}.`)) : "",
      ...(equations.groups ?? []).map((group) => h("section", { class: "equation-group" }, group.title && h("h3", {}, capital(group.title)),
        ...group.lines.map((line) => formulaLine(line, { tabindex: "0", role: "group", "aria-label": "Equation" })))),
    );
  }

  /** @param {string} form */
  choose(form) {
    const own = this.own.find((e) => e.form === form);
    if (own) this.show(own);
    else this.ask(form);
  }
}
