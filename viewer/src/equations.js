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

/** With a capital letter at the beginning. @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Sets formulas that are wider than the paper smaller. @param {HTMLElement} host */
export function fitFormulas(host) {
  for (const line of host.querySelectorAll(".formula-line")) {
    const formulaElement = /** @type {HTMLElement | null} */ (line.querySelector(".formula"));
    if (!formulaElement) continue;
    formulaElement.style.fontSize = "";
    const part = line.clientWidth / line.scrollWidth;
    if (part < 1) formulaElement.style.fontSize = `${Math.max(0.98 * part, 0.3)}em`;
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
  }

  /** The model changed: what is shown is no longer true. */
  build() {
    this.asked = null;
    const own = this.session.document.equations;
    this.own = own ? (Array.isArray(own) ? own : [own]) : [];
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
    const forms = this.own.length > 1 ? this.own.map((e) => ({ id: e.form, title: e.title })) : this.own.length ? [] : equations.forms ?? [];
    const select = h("select", { "aria-label": "Form of the equations", onchange: () => this.choose(select.value) },
      ...forms.map((f) => h("option", { value: f.id, selected: f.id === equations.form }, capital(f.title))));
    const lines = (equations.groups ?? []).flatMap((group) => group.lines);
    this.element.replaceChildren(
      h("div", { class: "status-line" }, forms.length ? select : h("h3", {}, capital(equations.title)), copyButton("Copy LaTeX", () => lines.join("\n"))),
      equations.applies === false ? h("p", { class: "notice" }, equations.why ?? "This form does not apply to the model.") : "",
      ...(equations.groups ?? []).map((group) => h("section", { class: "equation-group" }, group.title && h("h3", {}, capital(group.title)),
        ...group.lines.map((line) => h("div", { class: "formula-line", tabindex: "0", role: "group", "aria-label": "Equation" }, formula(line))))),
    );
  }

  /** @param {string} form */
  choose(form) {
    const own = this.own.find((e) => e.form === form);
    if (own) this.show(own);
    else this.ask(form);
  }
}
