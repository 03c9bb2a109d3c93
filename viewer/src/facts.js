// What is known of the model and of the motion on the screen: summary, conserved quantities, friction, events.

import { formulaLine, withCode } from "./equations.js";
import { h } from "./dom.js";
import { server } from "./api.js";
import { short } from "./numbers.js";

/** A normal force that is smaller than the greatest one by this is none. */
const NO_FORCE = 1e-9;

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
    if (typeof report.energy_change === "number") {
      const work = motion.work && motion.work[Math.abs(motion.work[0]) > 0 ? 0 : motion.count - 1];
      const books = typeof report.energy_error === "number" ? `; books closed to ${short(report.energy_error, 3)}` : "";
      add("Energy", typeof work === "number" ? `changed by ${short(report.energy_change, 4)}, work done ${short(work, 4)}${books}` : `changed by ${short(report.energy_change, 3)}`);
    }
    if (typeof report.constraint_residual === "number") add("Constraints", `residual at most ${short(report.constraint_residual, 3)}`);
    for (const contact of model.scene.contacts ?? []) {
      const force = typeof contact.normal_force === "number" ? motion.extremes(contact.normal_force) : null;
      const named = (what) => (contact.name ? `${what}, ${contact.name}` : what);
      if (force) add(named("Normal force"), `${short(force.low, 4)} … ${short(force.high, 4)}${force.low < 0 ? ": a loose body would lift off" : ""}`);
      if (typeof contact.mu_required !== "number") continue;
      const friction = motion.extremes(contact.mu_required);
      // where nothing presses the bodies together there is no bound to the friction that is needed
      if (force && force.low <= NO_FORCE * Math.abs(force.high)) add(named("Friction"), "no bound: the normal force vanishes on the way");
      else entries.push(h("dt", {}, named("Friction")), h("dd", {}, `needs μ ≥ ${short(friction.high, 4)} `, this.jump(friction.highAt, `at t = ${short(friction.highAt, 4)}`)));
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
        ? h("ul", { class: "conserved" }, ...conserved.map((c) => h("li", {}, c.latex ? formulaLine(c.latex, { tabindex: "0" }) : c.text, c.why && h("small", {}, c.why))))
        : h("p", { class: "muted" }, "No conserved quantity was found."),
      facts.conserved_complete === false ? h("p", { class: "muted" }, ...withCode(`The search ended with its time; \`polhode conserved ${this.session.document.model.name}\` goes on.`)) : ""),
      facts.symmetry ? h("section", {}, h("h3", {}, "Symmetry"), h("p", {}, facts.symmetry)) : "",
      facts.friction ? h("section", {}, h("h3", {}, "Friction"), h("p", {}, facts.friction)) : "",
      facts.check?.length ? h("section", {}, h("h3", {}, "Checks"), h("dl", {}, ...facts.check.flatMap((c) => [h("dt", {}, c.label), h("dd", {}, c.text)]))) : "",
    );
  }
}
