// Reads the data of the page, follows the address, and offers `window.polhode` to scripts and tests.
//
// Addresses: #/ the gallery, #/model/NAME a model, #/model/NAME?r=0.5 with other values, #/edited/NAME its text as the reader left it,
// #print the model on paper.

import "./style/base.css";
import "./style/model.css";
import "./style/gallery.css";
import "./style/paper.css";
import { apply, read } from "./address.js";
import { server, ServerError } from "./api.js";
import { h, icon } from "./dom.js";
import { Editor } from "./editor.js";
import { Gallery } from "./gallery.js";
import { showKeys, takesText } from "./keys.js";
import { Page } from "./page.js";
import { report } from "./report.js";
import { prepareStage, rehearse } from "./scene/stage.js";
import { Session } from "./session.js";
import { similar } from "./similar.js";
import { applyTheme, onTheme, theme, toggleTheme } from "./theme.js";

/** Milliseconds after which a model is worth preparing for. */
const PATIENCE = 60;

/** @returns {any} */
function readData() {
  const element = document.getElementById("polhode-data");
  return element ? JSON.parse(element.textContent ?? "null") : { mode: "served", start: "gallery" };
}

/** The status of an answer about a model that there is not. */
const UNKNOWN = 404;

class App {
  /** @param {any} data @param {HTMLElement} host */
  constructor(data, host) {
    this.data = data;
    this.served = data.mode === "served";
    this.documents = data.documents ?? (data.document ? [data.document] : []);
    this.content = h("div", { class: "content" });
    this.home = h("a", { class: "brand", href: "#/" }, brand(), h("span", {}, "Polhode"));
    const themeButton = h("button", { type: "button", class: "round small", onclick: toggleTheme });
    const showTheme = () => {
      const label = theme() === "dark" ? "Light (T)" : "Dark (T)";
      themeButton.replaceChildren(icon(theme() === "dark" ? "sun" : "moon"));
      themeButton.title = label;
      themeButton.setAttribute("aria-label", label);
    };
    onTheme(showTheme);
    showTheme();
    const keys = h("button", { type: "button", class: "round small", "aria-label": "Keys (?)", title: "Keys (?)", onclick: showKeys }, "?");
    host.append(h("div", { class: "bar" }, this.home, h("div", { class: "buttons" }, themeButton, keys)), this.content);
    /** @type {Page | null} */
    this.page = null;
    /** @type {Session | null} */
    this.session = null;
    this.turn = 0;
    window.addEventListener("hashchange", () => (this.ready = this.route()));
    window.addEventListener("keydown", (event) => this.key(event));
    this.ready = this.route();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
    if (event.key === "?") showKeys();
    else if (event.key === "t" || event.key === "T") toggleTheme();
    else if ((event.key === "g" || event.key === "G") && this.hasGallery) location.hash = "#/";
    else if (event.key === "/" && this.gallery?.element.isConnected) {
      event.preventDefault();
      this.gallery.search.focus();
    }
  }

  get hasGallery() {
    return this.served || this.documents.length > 1;
  }

  async route() {
    this.turn += 1;
    const mine = this.turn;
    const { hash } = location;
    const wanted = read(hash);
    try {
      const name = wanted ? wanted.name : this.first(hash);
      if (name === null) await this.showGallery(mine);
      else await this.showModel({ name, text: wanted?.text }, mine, wanted?.values ?? null);
    } catch (error) {
      if (mine !== this.turn) return;
      if (error instanceof ServerError && error.status === UNKNOWN) await this.missing(wanted?.name ?? "", mine);
      else this.fail(error);
    }
  }

  /** What an address without a model shows: null is the gallery. @param {string} hash */
  first(hash) {
    if (!this.hasGallery) return this.documents[0]?.model.name ?? null;
    if (hash === "#/" || this.documents.length > 1) return null;
    const { start } = this.data;
    return start && start !== "gallery" ? start : null;
  }

  async showGallery(mine) {
    document.title = "Polhode";
    this.leave();
    this.gallery ??= new Gallery(this.served ? await server.catalogue() : this.documents.map((d) => d.model));
    if (mine !== this.turn) return;
    this.content.replaceChildren(this.gallery.element);
  }

  /** @param {{name: string, text?: string}} source @param {number} mine @param {Map<string, number> | null} values other than those of the model */
  async showModel(source, mine, values) {
    const { name, text } = source;
    if (this.shown === name && this.session?.source.text === text && this.page?.element.isConnected && !this.page.editor.isEdited) {
      if (values) apply(this.session, values);
      return;
    }
    const own = this.documents.find((d) => d.model.name === name);
    if (!own && !this.served) throw new ServerError("", UNKNOWN);
    this.leave();
    if (!own) this.content.replaceChildren(h("p", { class: "waiting", role: "status" }, "Deriving and computing…"));
    const asked = own ? null : server.model(source);
    if (asked) makeReady(asked);
    const answer = own ?? (await asked);
    if (mine !== this.turn) return;
    if (answer.ok === false) {
      this.refuse(answer, name);
      return;
    }
    this.open(answer, source);
    if (text !== undefined) this.page.showText();
    await this.session.ready;
    if (values?.size && mine === this.turn) apply(this.session, values);
  }

  /** @param {any} model @param {{name?: string, text?: string}} source */
  open(model, source) {
    this.shown = source.name;
    this.session = new Session(model, source, this.served);
    this.page = new Page(this.session);
    this.content.replaceChildren(this.page.element);
    this.page.start();
    document.body.classList.toggle("has-report", Boolean(this.data.sections));
    if (this.data.sections) this.content.append(report(this.data.sections));
  }

  /** A model that the program cannot read: its text to be mended, and what is wrong with it. @param {any} answer @param {string} name */
  refuse(answer, name) {
    const adopt = (model, source) => {
      this.open(model, source);
      this.page.showText();
    };
    const editor = new Editor({ served: this.served, source: { name }, document: answer, adopt });
    document.title = `${answer.model.name} · Polhode`;
    this.content.replaceChildren(h("main", { class: "waiting mending" },
      h("h1", {}, answer.model.name), h("p", {}, "The program cannot read this model."), editor.element));
    editor.build();
  }

  /** @param {Error} error */
  fail(error) {
    this.content.replaceChildren(h("main", { class: "waiting" }, h("p", { class: "notice", role: "alert" }, error.message),
      h("button", { type: "button", class: "quiet", onclick: () => this.route() }, "Try again")));
  }

  /** An address with a name that no model has: names that are like it, and all others. @param {string} name @param {number} mine */
  async missing(name, mine) {
    const all = this.served ? await server.catalogue().catch(() => []) : this.documents.map((d) => d.model);
    if (mine !== this.turn) return;
    this.leave();
    document.title = "Polhode";
    const link = (model) => h("a", { href: `#/model/${encodeURIComponent(model)}` }, model);
    const near = similar(name, all.map((model) => model.name));
    this.content.replaceChildren(h("main", { class: "waiting" },
      h("p", { class: "notice", role: "alert" }, `${this.served ? "There is" : "This page has"} no model “${name}”.`),
      near.length && h("p", {}, "Did you mean ", ...near.flatMap((model, i) => [i ? " or " : "", link(model)]), "?"),
      h("p", {}, h("a", { href: "#/" }, this.hasGallery ? "All models" : "The model of this page"))));
  }

  leave() {
    this.page?.dispose();
    this.page = null;
    this.session = null;
  }
}

/** Makes ready to draw while the program computes, more so if that takes its time. @param {Promise<any>} answer */
function makeReady(answer) {
  let waiting = true;
  const end = () => (waiting = false);
  answer.then(end, end);
  prepareStage();
  setTimeout(() => waiting && rehearse(() => waiting), PATIENCE);
}

/** The sign of the program: an ellipsoid with a polhode. */
function brand() {
  const holder = h("span", { class: "mark" });
  holder.innerHTML = '<svg viewBox="0 0 32 32" aria-hidden="true"><ellipse cx="16" cy="16" rx="13" ry="9"/><path d="M16 7c5 3 5 15 0 18M16 7c-5 3-5 15 0 18"/></svg>';
  return holder;
}

applyTheme();
const app = new App(readData(), /** @type {HTMLElement} */ (document.getElementById("app")));

Object.defineProperty(window, "polhode", {
  value: {
    get document() {
      return app.session?.document ?? null;
    },
    get engine() {
      return app.session?.engine ?? null;
    },
    get time() {
      return app.session?.clock.time ?? 0;
    },
    get motion() {
      return app.session?.motion ?? null;
    },
    get status() {
      return app.session?.status ?? null;
    },
    /** Where the camera stands; null without a scene. */
    get camera() {
      return app.page?.stage?.view.camera.position.toArray() ?? null;
    },
    values: () => app.session?.values() ?? {},
    seek: (time) => app.session?.clock.seek(time),
    play: () => app.session?.clock.play(),
    pause: () => app.session?.clock.pause(),
    simulate: () => app.session?.simulate(),
    set: (name, value) => app.session?.set(name, value),
    setting: (name) => app.session?.get(name),
    at: (time) => app.session?.at(time),
    /** Until the program has answered about the present values. */
    get answered() {
      return app.session?.answered ?? Promise.resolve();
    },
    get ready() {
      return app.ready;
    },
  },
});
