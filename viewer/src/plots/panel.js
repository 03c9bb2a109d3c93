// The plots below the scene: chosen columns over time, what should stay constant, a phase portrait, the track.

import { h, quantity } from "../dom.js";
import { pretty } from "../names.js";
import { curveColour, layerColour, onTheme, paletteColour } from "../theme.js";
import { InPlane } from "./in-plane.js";
import { OverTime } from "./over-time.js";

const GROUPS = { position: "Positions", velocity: "Velocities", derived: "Derived", reaction: "Reactions" };

/** Most columns one picture can hold. */
const MOST = 8;

export class Plots {
  /** @param {import("../session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.charts = [];
    this.element = h("section", { class: "plots", "aria-label": "Plots" });
    /** @type {string[]} */
    this.chosen = [];
    this.stacked = true;
    /** @type {[string, string]} */
    this.phase = ["", ""];
  }

  /** Makes the cards anew for a document; choices stay when their columns still exist. */
  build() {
    this.dispose();
    const { columns, names } = this.session;
    this.offered = columns.map((column, index) => ({ ...column, index })).filter((column) => GROUPS[column.group]);
    this.chosen = this.chosen.filter((name) => names.has(name));
    if (!this.chosen.length) this.chosen = this.usual();
    if (!this.phase.every((name) => names.has(name))) this.phase = this.usualPhase();
    this.element.replaceChildren(this.coordinates(), this.constancy(), this.portrait());
    const track = this.track();
    if (track) this.element.append(track);
    this.forgetTheme = onTheme(() => this.showTrack());
    this.follow();
  }

  /** The first columns that vary, rotations matrices and quaternions last. */
  usual() {
    const { motion } = this.session;
    const rank = (c) => (c.group === "position" ? 0 : c.group === "velocity" ? 1 : 2) + (/\[\d,\s*\d\]$|(^|\.)q[0-3wxyz]$|\.[wxyz]$/.test(c.name) ? 3 : 0);
    const varied = this.offered.filter((c) => motion.varies(c.index)).sort((a, b) => rank(a) - rank(b));
    return (varied.length ? varied : this.offered).slice(0, 3).map((c) => c.name);
  }

  /** A varying position with its own velocity, or the first two that vary. @returns {[string, string]} */
  usualPhase() {
    const { motion, names } = this.session;
    const varied = this.offered.filter((c) => motion.varies(c.index)).map((c) => c.name);
    const pair = varied.find((name) => names.has(`${name}'`) && varied.includes(`${name}'`));
    if (pair) return [pair, `${pair}'`];
    const usual = this.usual();
    const any = this.offered[0]?.name ?? "";
    return [usual[0] ?? any, usual[1] ?? usual[0] ?? any];
  }

  /** @param {string} title @param {Node[]} tools @param {Node} body @param {string} [kind] */
  card(title, tools, body, kind = "") {
    return h("article", { class: `card plot-card ${kind}` }, h("header", {}, h("h3", {}, title), h("div", { class: "tools" }, ...tools)), body);
  }

  coordinates() {
    const host = h("div", { class: "plot" });
    this.overTime = new OverTime(host, "Chosen columns over time", this.session);
    this.overTime.stacked = this.stacked;
    this.charts.push(this.overTime);
    this.legend = h("div", { class: "legend" });
    const stack = h("button", { type: "button", class: "quiet", "aria-pressed": String(this.stacked), title: "One strip for each", onclick: () => {
      this.stacked = !this.stacked;
      this.overTime.stacked = this.stacked;
      stack.setAttribute("aria-pressed", String(this.stacked));
      this.showCoordinates();
    } }, "Strips");
    const chooser = h("details", { class: "chooser" }, h("summary", {}, "Choose"), this.choices());
    chooser.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && chooser.open) {
        chooser.open = false;
        chooser.querySelector("summary").focus();
        event.stopPropagation();
      }
    });
    this.closeChooser = (event) => {
      if (!chooser.contains(event.target)) chooser.open = false;
    };
    document.addEventListener("pointerdown", this.closeChooser);
    this.host = host;
    return this.card("Over time", [stack, chooser], h("div", {}, this.legend, host), "wide");
  }

  choices() {
    const box = h("div", { class: "choices" });
    for (const [group, title] of Object.entries(GROUPS)) {
      const columns = this.offered.filter((c) => c.group === group);
      if (!columns.length) continue;
      box.append(h("fieldset", {}, h("legend", {}, title), ...columns.map((column) => {
        const input = h("input", { type: "checkbox", checked: this.chosen.includes(column.name), onchange: () => this.choose(column.name, input.checked) });
        return h("label", { title: column.about ? `${column.name}: ${column.about}` : column.name }, input, quantity(column.name, column));
      })));
    }
    return box;
  }

  /** @param {string} name @param {boolean} on */
  choose(name, on) {
    const wanted = new Set(this.chosen);
    if (on) wanted.add(name);
    else wanted.delete(name);
    this.chosen = [...wanted].slice(-MOST);
    this.showCoordinates();
  }

  showCoordinates() {
    const { motion, names, columns } = this.session;
    const chosen = this.chosen.map((name) => columns[names.get(name)]);
    const series = chosen.map((c, i) => ({ label: pretty(c.name, c.latex), colour: () => curveColour(i), values: motion.column(names.get(c.name)) }));
    this.legend.hidden = this.stacked;
    this.legend.replaceChildren(...chosen.map((c, i) => key(`var(--curve-${i % MOST})`, quantity(c.name, c))));
    this.host.style.height = this.overTime.stacked && series.length > 3 ? `${62 * series.length + 40}px` : "";
    this.overTime.show(series);
  }

  constancy() {
    const { document: model, columns } = this.session;
    const energy = typeof model.energy === "number";
    this.residuals = columns.map((c, i) => ({ ...c, index: i })).filter((c) => c.group === "residual");
    const host = h("div", { class: "plot half" });
    this.energyChart = new OverTime(host, "Change of the energy over time", this.session, { least: 1e-16 });
    this.charts.push(this.energyChart);
    this.energyTitle = h("h4", {});
    const parts = energy ? [this.energyTitle, host] : [];
    this.residualChart = null;
    if (this.residuals.length) {
      const below = h("div", { class: "plot half" });
      this.residualChart = new OverTime(below, "Residual of the constraints over time", this.session, { log: true });
      this.charts.push(this.residualChart);
      parts.push(h("h4", {}, "Residual of the constraints"), below);
    } else host.classList.remove("half");
    return this.card("Energy and constraints", [], h("div", { class: "stack" }, ...parts));
  }

  showConstancy() {
    const { motion, document: model } = this.session;
    if (typeof model.energy === "number") {
      this.energyTitle.textContent = motion.work ? "Change of the energy, less the work done" : "Change of the energy from the start";
      this.energyChart.show([{ label: motion.work ? "ΔE − W" : "ΔE", colour: () => curveColour(0), values: motion.books(model.energy) }]);
    }
    this.residualChart?.show(this.residuals.slice(0, MOST).map((c, i) => ({ label: pretty(c.name), colour: () => curveColour(i), values: motion.column(c.index) })));
  }

  portrait() {
    const host = h("div", { class: "plot" });
    this.phaseChart = new InPlane(host, "Phase portrait", this.session);
    this.charts.push(this.phaseChart);
    const select = (which, label) => {
      const element = h("select", { "aria-label": label, onchange: () => {
        this.phase[which] = element.value;
        this.showPhase();
      } }, ...this.offered.map((c) => h("option", { value: c.name, selected: c.name === this.phase[which], title: c.about ?? c.name }, pretty(c.name, c.latex))));
      return element;
    };
    return this.card("Phase", [select(0, "Across"), h("span", { class: "muted" }, "×"), select(1, "Up")], host);
  }

  showPhase() {
    const { fine: motion, names, columns } = this.session;
    const [x, y] = this.phase.map((name) => motion.column(names.get(name) ?? 0));
    const [across, up] = this.phase.map((name) => pretty(name, columns[names.get(name) ?? 0]?.latex));
    this.phaseChart.show([{ x, y, colour: () => curveColour(0), label: "" }], [across, up]);
  }

  /** The curves of contact on what is at rest, and else the paths of the bodies, in the colours of the scene. */
  paths() {
    const { scene } = this.session.document;
    const still = (index) => index === null || index === undefined || !(scene.objects[index].rotation || scene.objects[index].position);
    const contacts = (scene.contacts ?? []).filter((c) => c.on_other && still(c.other)).map((c) => ({ name: "contact on the ground", columns: c.on_other, colour: () => layerColour("ground") }));
    const bodies = scene.objects.filter((o) => o.role === "body" && o.position).map((o) => ({ name: o.name || "body", columns: o.position, colour: () => paletteColour(o.colour ?? 0) }));
    const traces = (scene.traces ?? []).filter((t) => t.frame === null || t.frame === undefined).map((t) => ({ name: t.name || "trace", columns: t.point, colour: () => paletteColour(t.colour ?? 3) }));
    return contacts.length ? contacts : [...bodies, ...traces];
  }

  track() {
    this.trackChart = null;
    if (!this.paths().length) return null;
    const host = h("div", { class: "plot" });
    this.trackChart = new InPlane(host, "Track seen from above", this.session, { equal: true });
    this.charts.push(this.trackChart);
    this.trackKeys = h("div", { class: "legend" });
    return this.card("From above", [this.trackKeys], host);
  }

  showTrack() {
    if (!this.trackChart) return;
    const { fine: motion } = this.session;
    const paths = this.paths().slice(0, MOST);
    this.trackChart.show(
      paths.map((p) => ({ x: motion.column(p.columns[0]), y: motion.column(p.columns[1]), colour: p.colour, label: p.name })),
      ["x", "y"],
    );
    const names = [...new Set(paths.map((p) => p.name))];
    this.trackKeys.replaceChildren(...names.map((name) => key(paths.find((p) => p.name === name).colour(), name)));
  }

  /** Takes a new motion in. */
  follow() {
    this.showCoordinates();
    this.showConstancy();
    this.showPhase();
    this.showTrack();
  }

  /** Everything anew: the theme or the paper changed. */
  redraw() {
    this.showTrack();
    for (const chart of this.charts) chart.redraw();
  }

  /** The time moved. */
  update() {
    for (const chart of this.charts) chart.refresh();
  }

  dispose() {
    for (const chart of this.charts) chart.dispose();
    this.forgetTheme?.();
    if (this.closeChooser) document.removeEventListener("pointerdown", this.closeChooser);
    this.charts = [];
  }
}

/** An entry of a legend. @param {string} colour @param {Node | string} name */
function key(colour, name) {
  return h("span", { class: "key" }, h("i", { style: `--sign:${colour}` }), name);
}
