// Play, pause, step, scrub; the time; speed and loop. Events are marks on the track of the slider.

import { h, icon } from "./dom.js";
import { SPEEDS } from "./clock.js";
import { short } from "./numbers.js";

export class Transport {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    const { clock } = session;
    const button = (name, label, onclick) => h("button", { type: "button", class: "round", "aria-label": label, title: label, onclick }, icon(name));
    this.playButton = h("button", { type: "button", class: "round primary", onclick: () => clock.toggle() });
    this.range = h("input", {
      type: "range", class: "scrub", "aria-label": "Time", min: 0, max: 1, step: "any",
      oninput: () => {
        clock.pause();
        clock.seek(Number(this.range.value));
      },
    });
    this.marks = h("div", { class: "marks" });
    this.readout = h("output", { class: "time", "aria-live": "off" });
    this.loopButton = h("button", { type: "button", class: "round small", "aria-label": "Loop", title: "Loop (L)", onclick: () => clock.toggleLoop() }, icon("loop"));
    this.speed = h("select", { "aria-label": "Speed", title: "Speed ([ and ])", onchange: () => clock.setSpeed(Number(this.speed.value)) },
      ...SPEEDS.map((s) => h("option", { value: s }, `${s}×`)));
    this.element = h("div", { class: "transport", role: "group", "aria-label": "Time" },
      h("div", { class: "buttons" },
        button("start", "To the start (Home)", () => clock.seek(clock.begin)),
        button("back", "One sample back (←)", () => this.step(-1)),
        this.playButton,
        button("forth", "One sample on (→)", () => this.step(1))),
      h("div", { class: "track" }, this.range, this.marks),
      this.readout,
      h("div", { class: "buttons" }, this.speed, this.loopButton));
    clock.addEventListener("state", () => this.state());
    clock.addEventListener("time", () => this.time());
    this.state();
    this.time();
  }

  /** To the neighbouring sample, or further. @param {number} by */
  step(by) {
    const { clock, motion } = this.session;
    clock.pause();
    const i = motion.index(clock.time);
    const between = clock.time > motion.t[i];
    let next = Math.min(Math.max(by < 0 && between ? i + by + 1 : i + by, 0), motion.count - 1);
    // before and after a jump are one time
    while (by > 0 && next < motion.count - 1 && motion.t[next] === clock.time) next += 1;
    clock.seek(motion.t[next]);
  }

  state() {
    const { clock, motion } = this.session;
    const label = clock.playing ? "Pause (space)" : "Play (space)";
    this.playButton.replaceChildren(icon(clock.playing ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
    this.loopButton.setAttribute("aria-pressed", String(clock.loop));
    this.speed.value = String(clock.speed);
    this.range.min = String(clock.begin);
    this.range.max = String(clock.end);
    const span = clock.end - clock.begin || 1;
    this.marks.replaceChildren(...(motion?.events ?? []).slice(0, 200).map((event) =>
      h("i", { title: event.text, style: `left:${(100 * (event.t - clock.begin)) / span}%` })));
    this.time();
  }

  time() {
    const { clock } = this.session;
    const span = clock.end - clock.begin || 1;
    this.range.value = String(clock.time);
    this.range.style.setProperty("--done", `${(100 * (clock.time - clock.begin)) / span}%`);
    this.range.setAttribute("aria-valuetext", `${clock.time.toFixed(2)} seconds`);
    this.readout.replaceChildren(h("b", {}, clock.time.toFixed(3)), h("span", {}, ` / ${short(clock.end, 4)} s`));
  }
}
