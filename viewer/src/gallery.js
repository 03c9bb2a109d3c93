// The built-in models, to look through and to search.

import { h } from "./dom.js";

/** A picture for a model that has none: an ellipsoid. */
function emblem() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 160 100");
  svg.setAttribute("class", "emblem");
  svg.setAttribute("aria-hidden", "true");
  const meridians = [14, 30].map((w) => `M80 22a${w} 28 0 1 0 0 56a${w} 28 0 1 0 0-56`);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M36 50a44 28 0 1 0 88 0a44 28 0 1 0-88 0${meridians.join("")}M36 50h88`);
  svg.append(path);
  return svg;
}

/** @param {any} model */
function card(model) {
  const picture = model.picture ? h("img", { src: model.picture, alt: "", loading: "lazy", decoding: "async" }) : emblem();
  return h("a", { class: "model-card", href: `#/model/${encodeURIComponent(model.name)}`, "data-name": model.name },
    h("div", { class: "picture" }, picture),
    h("h2", {}, model.title),
    model.fact && h("p", { class: "fact" }, model.fact),
    h("p", { class: "reference" }, model.reference ?? ""));
}

/** @param {any} model */
const searched = (model) => plain([model.name, model.title, model.reference, model.fact].join(" "));

/** Without accents and capitals. @param {string} text */
const plain = (text) => text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase();

export class Gallery {
  /** @param {any[]} models */
  constructor(models) {
    this.entries = models.map((model) => ({ element: card(model), text: searched(model) }));
    this.count = h("span", { class: "muted", role: "status" });
    this.search = h("input", {
      type: "search", placeholder: "Search: disk, Chaplygin, 1982 …", "aria-label": "Search the models", autocomplete: "off", spellcheck: "false",
      oninput: () => this.filter(),
      onkeydown: (event) => {
        const first = this.visible()[0];
        if (!first) return;
        if (event.key === "ArrowDown") {
          event.preventDefault();
          first.focus();
        } else if (event.key === "Enter") location.hash = first.getAttribute("href");
      },
    });
    this.grid = h("div", { class: "models", onkeydown: (event) => this.move(event) }, ...this.entries.map((e) => e.element));
    this.none = h("p", { class: "muted none", hidden: true }, "No model has all of these words.");
    this.element = h("main", { class: "gallery" },
      h("header", { class: "gallery-head" },
        h("h1", {}, "Bodies that roll without slipping"),
        h("p", { class: "lead" }, "Choose a model to see it move, change its numbers, read its equations, and rewrite it."),
        h("div", { class: "search" }, this.search, this.count)),
      this.grid, this.none);
    this.filter();
  }

  visible() {
    return this.entries.filter((e) => !e.element.hidden).map((e) => e.element);
  }

  filter() {
    const words = plain(this.search.value).split(/\s+/).filter(Boolean);
    for (const { element, text } of this.entries) element.hidden = !words.every((word) => text.includes(word));
    const shown = this.visible().length;
    this.count.textContent = shown === this.entries.length ? `${shown} models` : `${shown} of ${this.entries.length}`;
    this.none.hidden = shown > 0;
  }

  /** Arrow keys go from card to card. @param {KeyboardEvent} event */
  move(event) {
    const cards = this.visible();
    const at = cards.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (at < 0) return;
    const across = cards.filter((c) => c.offsetTop === cards[0].offsetTop).length;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across }[event.key];
    if (!by) return;
    event.preventDefault();
    if (at + by < 0 && event.key === "ArrowUp") this.search.focus();
    else cards[Math.min(Math.max(at + by, 0), cards.length - 1)].focus();
  }
}
