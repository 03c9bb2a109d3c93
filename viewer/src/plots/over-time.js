// Columns against time: one frame for all, or one strip each. The pointer seeks; events are dotted lines.

import { short } from "../numbers.js";
import { linear, logarithmic } from "./axis.js";
import { Chart, dot, FONT, scale, stroke } from "./chart.js";

/** Pixels that dotted lines of events are apart on the average, and the height of ticks where they would be nearer. */
const APART = 8;
const TICK = 5;

/** What a logarithmic axis shows of zero. */
const FLOOR = 1e-17;

/**
 * @typedef {{label: string, colour: () => string, values: Float64Array}} Series
 */

export class OverTime extends Chart {
  /**
   * @param {HTMLElement} host
   * @param {string} label
   * @param {import("../session.js").Session} session
   * @param {{log?: boolean, least?: number}} [options]
   */
  constructor(host, label, session, { log = false, least = 0 } = {}) {
    super(host, label);
    this.session = session;
    this.log = log;
    this.least = least;
    this.stacked = false;
    /** @type {Series[]} */
    this.series = [];
  }

  /** @param {Series[]} series */
  show(series) {
    this.series = series;
    this.redraw();
  }

  /** @returns {{box: {x: number, y: number, width: number, height: number}, axis: any, series: Series[]}[]} */
  strips() {
    const { left, right: least, top, bottom } = this.margin;
    const right = this.stacked ? this.labelRoom() : least;
    const inner = { x: left, width: this.width - left - right };
    const groups = this.stacked ? this.series.map((s) => [s]) : [this.series];
    const gap = 14;
    const height = (this.height - top - bottom - gap * (groups.length - 1)) / Math.max(groups.length, 1);
    return groups.map((series, i) => ({
      box: { ...inner, y: top + i * (height + gap), height },
      axis: this.axisOf(series, Math.max(3, Math.floor(height / 30))),
      series,
    }));
  }

  /** The room that names beside the strips take. */
  labelRoom() {
    const pen = this.below.getContext("2d");
    pen.font = FONT;
    return 16 + Math.max(0, ...this.series.map(({ label }) => pen.measureText(label).width));
  }

  /** @param {Series[]} series @param {number} most */
  axisOf(series, most) {
    let [low, high] = [Infinity, -Infinity];
    for (const { values } of series) {
      for (const raw of values) {
        const value = this.log ? Math.max(Math.abs(raw), FLOOR) : raw;
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (low > high) [low, high] = this.log ? [FLOOR, 1] : [0, 1];
    return this.log ? logarithmic(low, high, most) : linear(low, high, { most, least: this.least });
  }

  /** @param {number} value */
  level(value) {
    return this.log ? Math.log10(Math.max(Math.abs(value), FLOOR)) : value;
  }

  /** @param {CanvasRenderingContext2D} pen */
  drawBelow(pen) {
    const { motion } = this.session;
    this.across = linear(motion.begin, motion.end, { pad: 0, most: Math.max(2, Math.floor(this.width / 80)) });
    this.parts = this.strips();
    this.parts.forEach(({ box, axis, series }, i) => {
      const last = i === this.parts.length - 1;
      this.axes(pen, box, last ? this.across : null, axis);
      if (last) {
        pen.textAlign = "left";
        pen.textBaseline = "top";
        pen.fillText("t, s", 4, box.y + box.height + 7);
      }
      pen.save();
      pen.beginPath();
      pen.rect(box.x, box.y - 2, box.width, box.height + 4);
      pen.clip();
      this.drawEvents(pen, box);
      for (const s of series) this.drawSeries(pen, box, axis, s);
      pen.restore();
      if (this.stacked) {
        pen.font = FONT;
        pen.textAlign = "left";
        pen.textBaseline = "middle";
        pen.fillStyle = series[0].colour();
        pen.fillText(series[0].label, box.x + box.width + 8, box.y + box.height / 2);
      }
    });
  }

  drawEvents(pen, box) {
    const { events } = this.session.motion;
    pen.strokeStyle = this.paint.faint;
    pen.setLineDash([2, 3]);
    // many would hide the curves: then they are ticks at the top
    const height = events.length * APART > box.width ? TICK : box.height;
    for (const { t } of events) {
      const x = Math.round(scale(t, this.across, box.x, box.x + box.width)) + 0.5;
      stroke(pen, [[x, box.y], [x, box.y + height]]);
    }
    pen.setLineDash([]);
  }

  /** A curve; where samples are denser than pixels, the least and greatest of each pixel. */
  drawSeries(pen, box, axis, { values, colour }) {
    const { t } = this.session.motion;
    pen.strokeStyle = colour();
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    const y = (value) => scale(this.level(value), axis, box.y + box.height, box.y);
    let down = false;
    let pixel = -1;
    let [low, high] = [0, 0];
    for (let i = 0; i < t.length; i += 1) {
      const x = scale(t[i], this.across, box.x, box.x + box.width);
      if (!Number.isFinite(values[i])) {
        down = false;
        continue;
      }
      const here = y(values[i]);
      if (t.length > 3 * box.width && down && Math.floor(x) === pixel) {
        if (here < low || here > high) pen.lineTo(x, here);
        [low, high] = [Math.min(low, here), Math.max(high, here)];
        continue;
      }
      if (down) pen.lineTo(x, here);
      else pen.moveTo(x, here);
      down = true;
      pixel = Math.floor(x);
      [low, high] = [here, here];
    }
    pen.stroke();
  }

  /** @param {CanvasRenderingContext2D} pen */
  drawMoving(pen) {
    const { motion, clock } = this.session;
    if (!this.parts || !motion.count) return;
    const first = this.parts[0].box;
    const last = this.parts.at(-1).box;
    const x = scale(clock.time, this.across, first.x, first.x + first.width);
    pen.strokeStyle = this.paint.ink;
    pen.lineWidth = 1;
    stroke(pen, [[x, first.y - 4], [x, last.y + last.height + 3]]);
    for (const { box, axis, series } of this.parts) {
      for (const s of series) {
        const value = this.valueAt(s, clock.time);
        if (Number.isFinite(value)) dot(pen, x, scale(this.level(value), axis, box.y + box.height, box.y), s.colour(), this.paint.panel);
      }
    }
    if (this.pointer) this.drawHover(pen, first, last);
  }

  drawHover(pen, first, last) {
    const time = this.timeAt(this.pointer.x);
    if (time === null) return;
    const x = scale(time, this.across, first.x, first.x + first.width);
    pen.strokeStyle = this.paint.faint;
    pen.lineWidth = 1;
    stroke(pen, [[x, first.y], [x, last.y + last.height]]);
    const near = this.session.motion.events.find((e) => Math.abs(scale(e.t, this.across, first.x, first.x + first.width) - x) < 4);
    this.note(pen, { x, y: this.pointer.y }, [
      { text: `t = ${short(time, 4)}` },
      ...this.series.map((s) => ({ text: `${s.label}  ${short(this.valueAt(s, time), 5)}`, colour: s.colour() })),
      ...(near ? [{ text: near.text }] : []),
    ]);
  }

  /** @param {Series} series @param {number} time */
  valueAt({ values }, time) {
    const { motion } = this.session;
    const i = motion.index(time);
    if (i >= motion.count - 1 || time <= motion.t[i]) return values[i];
    const s = (time - motion.t[i]) / (motion.t[i + 1] - motion.t[i]);
    return values[i] + s * (values[i + 1] - values[i]);
  }

  /** @param {number} x */
  timeAt(x) {
    if (!this.parts?.length) return null;
    const { box } = this.parts[0];
    const s = Math.min(Math.max((x - box.x) / box.width, 0), 1);
    return this.across.low + s * (this.across.high - this.across.low);
  }

  /** @param {{x: number, y: number}} place */
  grab({ x }) {
    const time = this.timeAt(x);
    if (time !== null) this.session.clock.seek(time);
  }
}
