// Two columns against each other: a phase portrait, or the track on the ground with equal scales.

import { short } from "../numbers.js";
import { linear } from "./axis.js";
import { Chart, dot, FONT, onPaper, scale } from "./chart.js";

/**
 * @typedef {{x: Float64Array, y: Float64Array, colour: () => string, label: string}} Track
 */

export class InPlane extends Chart {
  /**
   * @param {HTMLElement} host
   * @param {string} label
   * @param {import("../session.js").Session} session
   * @param {{equal?: boolean}} [options] equal: the same scale both ways
   */
  constructor(host, label, session, { equal = false } = {}) {
    super(host, label);
    this.session = session;
    this.equal = equal;
    /** @type {Track[]} */
    this.tracks = [];
    this.names = ["", ""];
    this.margin = { left: 50, right: 12, top: 20, bottom: 38 };
  }

  /** @param {Track[]} tracks @param {[string, string]} names of the axes */
  show(tracks, names) {
    this.tracks = tracks;
    this.names = names;
    this.redraw();
  }

  /** @param {CanvasRenderingContext2D} pen */
  drawBelow(pen) {
    const { left, right, top, bottom } = this.margin;
    this.box = { x: left, y: top, width: this.width - left - right, height: this.height - top - bottom };
    let [x0, x1] = bounds(this.tracks.map((track) => track.x));
    let [y0, y1] = bounds(this.tracks.map((track) => track.y));
    if (this.equal) {
      const unit = Math.max((x1 - x0) / this.box.width, (y1 - y0) / this.box.height, 1e-9 / this.box.width);
      const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
      [x0, x1] = [cx - (unit * this.box.width) / 2, cx + (unit * this.box.width) / 2];
      [y0, y1] = [cy - (unit * this.box.height) / 2, cy + (unit * this.box.height) / 2];
    }
    this.across = linear(x0, x1, { most: Math.max(2, Math.floor(this.box.width / 70)) });
    this.up = linear(y0, y1, { most: Math.max(2, Math.floor(this.box.height / 38)) });
    this.axes(pen, this.box, this.across, this.up);
    pen.font = FONT;
    pen.fillStyle = this.paint.ink;
    pen.textAlign = "center";
    pen.textBaseline = "bottom";
    pen.fillText(this.names[0], this.box.x + this.box.width / 2, this.height - 1);
    pen.textAlign = "left";
    pen.textBaseline = "top";
    pen.fillText(this.names[1], this.box.x + 2, 2);
    pen.globalAlpha = onPaper() ? 1 : 0.3;
    for (const track of this.tracks) this.trace(pen, track, this.session.fine.count, 1.2);
    pen.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} pen @param {Track} track @param {number} count @param {number} width */
  trace(pen, { x, y, colour }, count, width) {
    pen.strokeStyle = colour();
    pen.lineWidth = width;
    pen.lineJoin = "round";
    pen.beginPath();
    let down = false;
    for (let i = 0; i < count; i += 1) {
      const [px, py] = this.place(x[i], y[i]);
      if (!Number.isFinite(px + py)) down = false;
      else if (down) pen.lineTo(px, py);
      else {
        pen.moveTo(px, py);
        down = true;
      }
    }
    pen.stroke();
  }

  /** @param {number} x @param {number} y */
  place(x, y) {
    const { box } = this;
    return [scale(x, this.across, box.x, box.x + box.width), scale(y, this.up, box.y + box.height, box.y)];
  }

  /** @param {CanvasRenderingContext2D} pen */
  drawMoving(pen) {
    const { fine: motion, clock } = this.session;
    if (!this.across || !motion.count) return;
    const i = motion.index(clock.time);
    const s = i < motion.count - 1 && clock.time > motion.t[i] ? (clock.time - motion.t[i]) / (motion.t[i + 1] - motion.t[i]) : 0;
    for (const track of this.tracks) {
      this.trace(pen, track, i + 1, 1.8);
      const between = (values) => values[i] + (s ? s * (values[i + 1] - values[i]) : 0);
      const [px, py] = this.place(between(track.x), between(track.y));
      if (Number.isFinite(px + py)) dot(pen, px, py, track.colour(), this.paint.panel);
    }
    const near = this.pointer && this.nearest(this.pointer);
    if (near) {
      const { track, index } = near;
      const [px, py] = this.place(track.x[index], track.y[index]);
      dot(pen, px, py, this.paint.ink, this.paint.panel);
      this.note(pen, { x: px, y: py }, [
        { text: `t = ${short(motion.t[index], 4)}` },
        { text: `${this.names[0]}  ${short(track.x[index], 5)}` },
        { text: `${this.names[1]}  ${short(track.y[index], 5)}` },
      ]);
    }
  }

  /** The sample drawn nearest to a place, within reach of a finger. @param {{x: number, y: number}} place */
  nearest({ x, y }) {
    let best = { distance: 24, track: null, index: 0 };
    for (const track of this.tracks) {
      for (let index = 0; index < track.x.length; index += 1) {
        const [px, py] = this.place(track.x[index], track.y[index]);
        const distance = Math.hypot(px - x, py - y);
        if (distance < best.distance) best = { distance, track, index };
      }
    }
    return best.track ? best : null;
  }

  /** @param {{x: number, y: number}} place */
  grab(place) {
    const near = this.across && this.nearest(place);
    if (near) this.session.clock.seek(this.session.fine.t[near.index]);
  }
}

/** @param {Float64Array[]} lists @returns {[number, number]} */
function bounds(lists) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists) {
    for (const value of list) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return low <= high ? [low, high] : [0, 1];
}
