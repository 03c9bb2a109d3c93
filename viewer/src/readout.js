// The numbers at the time shown. All digits are in the title of each, and what a click copies.

import { copy, copyButton, h, perFrame, quantity } from "./dom.js";
import { full, steady } from "./numbers.js";

const GROUPS = { position: "Positions", velocity: "Velocities", derived: "Derived", reaction: "Reactions", residual: "Residuals of the constraints" };

export class Readout {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.element = h("div", { class: "readout" });
    this.refresh = perFrame(() => this.update());
    /** @type {{cell: HTMLElement, index: number}[]} */
    this.cells = [];
  }

  build() {
    const { columns } = this.session;
    this.cells = [];
    this.when = h("span", { class: "muted" });
    const all = copyButton("Copy all", () => {
      const row = this.session.row();
      return [`t\t${full(this.session.clock.time)}`, ...this.cells.map(({ index }) => `${columns[index].name}\t${full(row[index])}`)].join("\n");
    });
    const sections = Object.entries(GROUPS).map(([group, title]) => {
      const members = columns.map((column, index) => ({ ...column, index })).filter((c) => c.group === group);
      return members.length && this.table(title, members);
    });
    this.hint = h("p", { class: "hint" });
    this.element.replaceChildren(h("div", { class: "status-line" }, this.when, all), this.hint, ...sections.filter(Boolean));
    this.update();
  }

  /** @param {string} title @param {any[]} members */
  table(title, members) {
    const rows = members.map((column) => {
      const cell = h("button", { type: "button", onclick: async () => {
        const done = await copy(full(this.session.row()[column.index]));
        cell.classList.toggle("copied", done);
        setTimeout(() => cell.classList.remove("copied"), 700);
      } });
      this.cells.push({ cell, index: column.index });
      return h("tr", {},
        h("th", { scope: "row" }, quantity(column.name.replace(/^(residual|reaction) /, ""), column)),
        h("td", { class: "about" }, column.about ?? ""),
        h("td", { class: "number" }, cell));
    });
    return h("table", { class: "numbers" }, h("caption", {}, title), h("tbody", {}, ...rows));
  }

  update() {
    // what nobody sees need not be written sixty times a second
    if (!this.element.closest("[hidden]")) this.write();
  }

  write() {
    const row = this.session.row();
    this.when.textContent = `t = ${full(Number(this.session.clock.time.toPrecision(12)))} s`;
    this.hint.textContent = this.session.roughly;
    for (const { cell, index } of this.cells) {
      cell.textContent = steady(row[index]);
      cell.title = `${full(row[index])}: click to copy`;
    }
  }
}
