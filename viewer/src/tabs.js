// Panels of which one is open, after the pattern for tabs of the ARIA practices.

import { h } from "./dom.js";

/**
 * @typedef {{id: string, title: string, body: HTMLElement, open?: () => void}} Tab
 */

export class Tabs {
  /** @param {string} label @param {Tab[]} tabs */
  constructor(label, tabs) {
    this.tabs = tabs;
    this.buttons = tabs.map((tab, i) => h("button", {
      type: "button", role: "tab", id: `tab-${tab.id}`, "aria-controls": `panel-${tab.id}`,
      onclick: () => this.choose(i), onkeydown: (event) => this.key(event, i),
    }, tab.title));
    this.panels = tabs.map((tab) => h("div", { role: "tabpanel", id: `panel-${tab.id}`, "aria-labelledby": `tab-${tab.id}`, class: "panel", "data-title": tab.title }, tab.body));
    this.element = h("div", { class: "tabs" }, h("div", { role: "tablist", "aria-label": label }, ...this.buttons), ...this.panels);
    this.chosen = 0;
    this.choose(0);
  }

  /** @param {number} chosen */
  choose(chosen) {
    this.chosen = chosen;
    this.buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === chosen));
      button.tabIndex = i === chosen ? 0 : -1;
      this.panels[i].hidden = i !== chosen;
    });
    this.tabs[chosen].open?.();
  }

  /**
   * A count beside the title of a tab, for those who look at another one.
   * @param {string} id
   * @param {number} count 0 for none
   * @param {string} what it counts
   */
  mark(id, count, what) {
    const i = this.tabs.findIndex((tab) => tab.id === id);
    const { title } = this.tabs[i];
    this.buttons[i].replaceChildren(title, ...(count ? [h("span", { class: "tab-mark", "aria-hidden": "true" }, count)] : []));
    if (count) this.buttons[i].setAttribute("aria-label", `${title}, ${what}`);
    else this.buttons[i].removeAttribute("aria-label");
  }

  /** What is open may be about another model now. */
  reopen() {
    this.tabs[this.chosen].open?.();
  }

  /** @param {KeyboardEvent} event @param {number} i */
  key(event, i) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = (i + by + this.tabs.length) % this.tabs.length;
    this.choose(next);
    this.buttons[next].focus();
  }
}
