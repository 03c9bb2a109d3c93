// The page of one model: scene, transport and plots on one side, the panels on the other.

import { write } from "./address.js";
import { debounce, h, icon } from "./dom.js";
import { Editor } from "./editor.js";
import { EquationsPanel, fitFormulas, unfitFormulas } from "./equations.js";
import { FactsPanel } from "./facts.js";
import { takesText } from "./keys.js";
import { short } from "./numbers.js";
import { onPaper } from "./paper.js";
import { Plots } from "./plots/panel.js";
import { Readout } from "./readout.js";
import { Sliders } from "./sliders.js";
import { Stage } from "./scene/stage.js";
import { VIEWS } from "./scene/view.js";
import { Tabs } from "./tabs.js";
import { onTheme } from "./theme.js";
import { Transport } from "./transport.js";

/** How long values rest before the address follows them, in milliseconds: browsers let it change only so often. */
const SETTLED = 250;

export class Page {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.transport = new Transport(session);
    this.sliders = new Sliders(session);
    this.readout = new Readout(session);
    this.equations = new EquationsPanel(session);
    this.facts = new FactsPanel(session);
    this.editor = new Editor(session);
    this.plots = new Plots(session);
    this.tabs = new Tabs("Panels", [
      { id: "values", title: "Values", body: this.sliders.element },
      { id: "numbers", title: "Numbers", body: this.readout.element, open: () => this.readout.update() },
      { id: "equations", title: "Equations", body: this.equations.element, open: () => this.equations.open() },
      { id: "facts", title: "Facts", body: this.facts.element, open: () => this.facts.open() },
      { id: "text", title: "Text", body: this.editor.element },
    ]);
    this.editor.judged = (errors, words) => this.tabs.mark("text", errors, words);
    this.title = h("h1", {});
    this.reference = h("p", { class: "reference" });
    this.stageHost = h("div", { class: "stage-host" });
    this.overlay = h("div", { class: "overlay" });
    this.legend = h("div", { class: "scene-legend" });
    this.square = h("p", { class: "scene-square" });
    this.nothing = h("p", { class: "scene-nothing", hidden: true });
    this.element = h("main", { class: "model" },
      h("div", { class: "left" },
        h("header", { class: "model-head" }, this.title, this.reference),
        h("section", { class: "stage", "aria-label": "Scene" }, this.stageHost, this.overlay, this.legend, this.square, this.nothing),
        this.transport.element,
        this.plots.element),
      h("aside", { class: "right" }, this.tabs.element));
    this.cleanup = [];
  }

  /** Starts to draw; the element must be in the document. */
  start() {
    const { session } = this;
    this.stage = this.makeStage();
    this.buildAll();
    const on = (target, what, action) => {
      target.addEventListener(what, action);
      this.cleanup.push(() => target.removeEventListener(what, action));
    };
    on(session, "document", () => this.buildAll());
    on(session, "motion", () => this.follow());
    on(session, "settings", () => this.sliders.settings());
    on(session, "settings", debounce(() => this.keepAddress(), SETTLED));
    on(session, "status", () => this.sliders.say());
    on(session, "engine", () => this.sliders.settings());
    on(session.clock, "time", () => {
      this.stage?.update();
      this.plots.update();
      this.readout.refresh();
    });
    on(window, "keydown", (event) => this.key(event));
    this.cleanup.push(onTheme(() => this.stage && this.buildOverlay()));
    this.cleanup.push(onPaper({ prepare: () => this.toPaper(), restore: () => this.fromPaper() }));
  }

  /** The scene, or a sentence when the browser has no WebGL. */
  makeStage() {
    try {
      return new Stage(this.stageHost, this.session);
    } catch (error) {
      this.stageHost.replaceChildren(h("div", { class: "no-scene" },
        h("p", {}, "This browser shows no three-dimensional graphics: WebGL is missing or switched off."),
        h("p", { class: "muted" }, "Plots, numbers and equations work all the same."),
        h("p", { class: "muted" }, error.message)));
      return null;
    }
  }

  buildAll() {
    const { model } = this.session.document;
    this.title.textContent = model.title || model.name;
    this.reference.textContent = model.reference ?? "";
    document.title = `${model.title || model.name} · Polhode`;
    // its shaders are translated while the rest is built
    this.stage?.build();
    for (const part of [this.sliders, this.readout, this.equations, this.facts, this.editor, this.plots]) part.build();
    this.transport.state();
    if (this.stage) {
      const before = this.shown === model.name && this.stage.view.whole;
      this.stage.follow();
      if (!before) this.stage.view.look("oblique");
      this.shown = model.name;
      this.buildOverlay();
    }
    this.tabs.reopen();
  }

  /** Opens the text, to be edited further. */
  showText() {
    this.tabs.choose(this.tabs.tabs.findIndex((tab) => tab.id === "text"));
    this.editor.area.focus();
  }

  /** The address keeps the values, so that one can come back to them; an edited text has an address of its own. */
  keepAddress() {
    const { isChanged, source } = this.session;
    if (!this.element.isConnected || source.text || !(isChanged || location.hash.includes("?"))) return;
    const address = write(this.session);
    // the reader may be on the way to another model
    const here = location.hash.split("?")[0];
    if (here && here !== address.split("?")[0]) return;
    history.replaceState(null, "", address);
  }

  follow() {
    if (this.session.motion.width !== this.session.columns.length) return;
    this.stage?.follow();
    this.plots.follow();
    this.facts.follow();
    this.readout.refresh();
    this.transport.state();
    if (this.stage) this.buildLegend();
  }

  buildOverlay() {
    const { view } = this.stage;
    const small = (name, label, onclick) => h("button", { type: "button", class: "round small", "aria-label": label, title: label, onclick }, icon(name));
    this.followButton = small("follow", "Follow the body (F)", () => this.toggleFollow());
    this.followButton.setAttribute("aria-pressed", String(view.following));
    const views = h("select", { "aria-label": "View", title: "View (1 2 3 4)", onchange: () => view.look(views.value) },
      ...Object.entries(VIEWS).map(([id, { label }]) => h("option", { value: id }, label)));
    views.value = view.name;
    this.views = views;
    this.overlay.replaceChildren(views, this.followButton, small("fit", "Show everything (R)", () => this.fit()));
    const { why_empty: empty } = this.session.document.scene;
    this.nothing.hidden = !empty;
    this.nothing.textContent = empty ? `Nothing to see: ${empty}` : "";
    const side = this.stage.square();
    this.square.textContent = side === null ? "" : `squares of ${short(side)} m`;
    this.buildLegend();
  }

  /** What curves and arrows mean, in their colours, with the scale of arrows; a click hides them. */
  buildLegend() {
    const layers = this.stage.layers();
    const said = JSON.stringify([layers, [...this.stage.off]]);
    if (this.legend.dataset.said === said) return;
    this.legend.dataset.said = said;
    this.legend.replaceChildren(...layers.map(({ id, label, colour, scale }) => {
      const button = h("button", { type: "button", "aria-pressed": String(!this.stage.off.has(id)), onclick: () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        this.stage.showLayer(id, on);
      } }, h("i", { class: "sign", style: `background:${colour}` }), label, scale && h("small", { title: "The scale of the arrows; very long ones are cut off" }, scale));
      return button;
    }));
  }

  toggleFollow() {
    this.followButton.setAttribute("aria-pressed", String(this.stage.view.toggleFollow()));
  }

  fit() {
    this.stage.view.following = false;
    this.look(this.stage.view.name);
  }

  /** @param {string} name */
  look(name) {
    this.stage.view.look(name);
    this.views.value = name;
    this.followButton.setAttribute("aria-pressed", String(this.stage.view.following));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.target) || document.querySelector("dialog[open]")) return;
    const { clock } = this.session;
    const onButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLElement && event.target.tagName === "SUMMARY";
    const inTabs = event.target instanceof HTMLElement && event.target.getAttribute("role") === "tab";
    const many = event.shiftKey ? 20 : 1;
    const actions = {
      " ": () => !onButton && (clock.toggle(), true),
      ArrowLeft: () => !inTabs && (this.transport.step(-many), true),
      ArrowRight: () => !inTabs && (this.transport.step(many), true),
      Home: () => (clock.seek(clock.begin), true),
      End: () => (clock.seek(clock.end), true),
      "[": () => (clock.changeSpeed(-1), true),
      "]": () => (clock.changeSpeed(1), true),
      l: () => (clock.toggleLoop(), true),
      ...(this.stage ? this.sceneKeys() : {}),
    };
    if (actions[event.key.length === 1 ? event.key.toLowerCase() : event.key]?.()) event.preventDefault();
  }

  sceneKeys() {
    const { view } = this.stage;
    const turn = (around, over, nearer) => () => (view.turn(around, over, nearer), true);
    return {
      f: () => (this.toggleFollow(), true),
      r: () => (this.fit(), true),
      ...Object.fromEntries(Object.keys(VIEWS).map((name, i) => [String(i + 1), () => (this.look(name), true)])),
      j: turn(-0.12, 0), k: turn(0.12, 0), i: turn(0, -0.1), m: turn(0, 0.1),
      "+": turn(0, 0, 0.88), "=": turn(0, 0, 0.88), "-": turn(0, 0, 1.14),
    };
  }

  toPaper() {
    this.readout.write();
    this.plots.redraw();
    fitFormulas(document.body);
    if (!this.stage) return;
    // at the end all curves are drawn
    const { clock } = this.session;
    this.before = clock.time;
    clock.pause();
    clock.seek(clock.end);
    this.stage.update();
    this.print = h("img", { class: "scene-print", alt: "The scene", src: this.stage.picture() });
    this.stageHost.append(this.print);
  }

  fromPaper() {
    this.plots.redraw();
    unfitFormulas(document.body);
    this.print?.remove();
    if (this.before !== undefined) this.session.clock.seek(this.before);
    this.before = undefined;
  }

  dispose() {
    this.session.clock.pause();
    for (const action of this.cleanup) action();
    this.plots.dispose();
    this.stage?.dispose();
  }
}
