// What is known of the model and of the motion on the screen: summary, conserved quantities, friction, events.

import { formula } from "./equations.js";
import { h } from "./dom.js";
import { server } from "./api.js";
import { short } from "./numbers.js";

/** The part of the greatest normal force below which no friction is asked for, and a force that is rounding. */
const PRESSED = 1e-6;
const WEIGHTLESS = 1e-9;

export class FactsPanel {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.motionPart = h("div", {});
    this.modelPart = h("div", {});
    this.element = h("div", { class: "facts" }, this.motionPart, this.modelPart);
    this.asked = false;
  }

  build() {
    this.asked = false;
    const { facts } = this.session.document;
    this.modelPart.replaceChildren();
    if (facts) this.show(facts);
    this.follow();
  }

  /** The reader looks. */
  async open() {
    if (this.asked || this.session.document.facts || !this.session.served) return;
    this.asked = true;
    const { document: model } = this.session;
    this.modelPart.replaceChildren(h("p", { class: "muted" }, "Looking for conserved quantities…"));
    try {
      const facts = await server.facts(this.session.source);
      if (this.session.document === model) this.show(facts);
    } catch (error) {
      if (this.session.document !== model) return;
      this.asked = false;
      this.modelPart.replaceChildren(h("p", { class: "notice" }, error.message));
    }
  }

  /** What belongs to the motion on the screen. */
  follow() {
    const { motion, document: model } = this.session;
    const { report } = motion;
    const entries = [];
    const add = (label, text) => text && entries.push(h("dt", {}, label), h("dd", {}, text));
    if (typeof report.energy_change === "number") add("Energy", `changed by ${short(report.energy_change, 3)}`);
    if (typeof report.constraint_residual === "number") add("Constraints", `residual at most ${short(report.constraint_residual, 3)}`);
    for (const contact of model.scene.contacts ?? []) {
      if (typeof contact.normal_force === "number") {
        const [low, high] = motion.range(contact.normal_force);
        add(contact.name ? `Normal force, ${contact.name}` : "Normal force", `${short(low, 4)} … ${short(high, 4)}${low < 0 ? ": a loose body would lift off" : ""}`);
      }
      if (typeof contact.mu_required === "number") {
        const column = motion.column(contact.mu_required);
        // where nothing presses the bodies together the quotient of forces says nothing
        const presses = typeof contact.normal_force === "number" ? motion.column(contact.normal_force) : null;
        const least = presses ? PRESSED * presses.reduce((most, n) => Math.max(most, Math.abs(n)), WEIGHTLESS / PRESSED) : 0;
        const at = column.reduce((best, mu, i) => ((!presses || presses[i] > least) && (best < 0 || mu > column[best]) ? i : best), -1);
        if (at >= 0) entries.push(h("dt", {}, contact.name ? `Friction, ${contact.name}` : "Friction"), h("dd", {}, `needs μ ≥ ${short(column[at], 4)} `,
          this.jump(motion.t[at], `at t = ${short(motion.t[at], 4)}`)));
      }
    }
    if (report.method) add("Method", `${report.method}${report.steps ? `, ${report.steps.toLocaleString("en")} steps` : ""}`);
    if (motion.stop?.text && motion.stop.reason !== "end") add("End", `t = ${short(motion.stop.t, 5)}: ${motion.stop.text}`);
    const events = motion.events.length
      ? h("ol", { class: "events" }, ...motion.events.slice(0, 300).map((event) => h("li", {}, this.jump(event.t, `t = ${short(event.t, 6)}`), h("span", {}, event.text || event.name))))
      : h("p", { class: "muted" }, "None on the way.");
    this.motionPart.replaceChildren(
      h("section", {}, h("p", { class: "summary" }, model.summary ?? ""), model.model.fact && h("p", { class: "fact" }, model.model.fact)),
      h("section", {}, h("h3", {}, "This motion"), h("dl", {}, ...entries)),
      h("section", {}, h("h3", {}, "Events"), events),
    );
  }

  /** A button that goes to a time. @param {number} time @param {string} text */
  jump(time, text) {
    return h("button", { type: "button", class: "link", onclick: () => {
      this.session.clock.pause();
      this.session.clock.seek(time);
    } }, text);
  }

  /** @param {any} facts */
  show(facts) {
    const conserved = facts.conserved ?? [];
    this.modelPart.replaceChildren(
      h("section", {}, h("h3", {}, "Conserved"), conserved.length
        ? h("ul", { class: "conserved" }, ...conserved.map((c) => h("li", {}, h("div", { class: "formula-line", tabindex: "0" }, c.latex ? formula(c.latex) : c.text), c.why && h("small", {}, c.why))))
        : h("p", { class: "muted" }, "No conserved quantity was found.")),
      facts.symmetry ? h("section", {}, h("h3", {}, "Symmetry"), h("p", {}, facts.symmetry)) : "",
      facts.friction ? h("section", {}, h("h3", {}, "Friction"), h("p", {}, facts.friction)) : "",
      facts.check?.length ? h("section", {}, h("h3", {}, "Checks"), h("dl", {}, ...facts.check.flatMap((c) => [h("dt", {}, c.label), h("dd", {}, c.text)]))) : "",
    );
  }
}
