// A chart on two canvases: the lower one has axes and whole curves and changes rarely, the upper one has what
// moves with time and pointer.

import { h, perFrame } from "../dom.js";
import { onTheme, styleColour } from "../theme.js";

export class Chart {
  /**
   * @param {HTMLElement} host
   * @param {string} label for those who cannot see it
   */
  constructor(host, label) {
    this.host = host;
    this.below = h("canvas", { class: "chart-canvas", role: "img", "aria-label": label });
    this.above = h("canvas", { class: "chart-canvas chart-above", "aria-hidden": "true" });
    // drawn by the processor: lines are few, and without a graphics card the way over one would take a second
    for (const canvas of [this.below, this.above]) canvas.getContext("2d", { willReadFrequently: true });
    host.classList.add("chart");
    host.append(this.below, this.above);
    this.margin = { left: 46, right: 12, top: 16, bottom: 26 };
    this.redraw = perFrame(() => this.drawAll());
    this.refresh = perFrame(() => this.drawAbove());
    /** @type {{x: number, y: number} | null} */
    this.pointer = null;
    const watcher = new ResizeObserver(() => this.redraw());
    watcher.observe(host);
    this.cleanup = [() => watcher.disconnect(), onTheme(() => this.redraw())];
    this.listen();
  }

  listen() {
    const place = (event) => {
      const box = this.above.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    this.above.addEventListener("pointermove", (event) => {
      this.pointer = place(event);
      if (event.buttons & 1) this.grab(this.pointer);
      this.refresh();
    });
    this.above.addEventListener("pointerleave", () => {
      this.pointer = null;
      this.refresh();
    });
    this.above.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.above.setPointerCapture(event.pointerId);
      this.grab(place(event));
    });
  }

  /** Sizes both canvases to the host and the pixels of the screen. */
  fit() {
    const ratio = devicePixelRatio || 1;
    this.width = this.host.clientWidth;
    this.height = this.host.clientHeight;
    if (!this.width || !this.height) return false;
    for (const canvas of [this.below, this.above]) {
      const [w, d] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
      if (canvas.width !== w || canvas.height !== d) Object.assign(canvas, { width: w, height: d });
      const pen = canvas.getContext("2d");
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, this.width, this.height);
    }
    return true;
  }

  colours() {
    return {
      ink: styleColour("--ink"), quiet: styleColour("--ink-2"), faint: styleColour("--ink-3"),
      line: styleColour("--line"), panel: styleColour("--panel"), accent: styleColour("--accent"),
    };
  }

  drawAll() {
    if (!this.fit()) return;
    this.paint = this.colours();
    this.drawBelow(this.below.getContext("2d"));
    this.drawAbove();
  }

  /** @param {CanvasRenderingContext2D} _pen */
  drawBelow(_pen) {}

  drawAbove() {
    const pen = this.above.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    if (this.paint && !onPaper()) this.drawMoving(pen);
  }

  /** @param {CanvasRenderingContext2D} _pen */
  drawMoving(_pen) {}

  /** Somebody points there with the button down. @param {{x: number, y: number}} _place */
  grab(_place) {}

  /**
   * A frame with ticks.
   * @param {CanvasRenderingContext2D} pen
   * @param {{x: number, y: number, width: number, height: number}} box
   * @param {import("./axis.js").Axis | null} across none: no ticks below
   * @param {import("./axis.js").Axis} up
   */
  axes(pen, box, across, up) {
    const { quiet, line } = this.paint;
    pen.font = FONT;
    pen.lineWidth = 1;
    pen.strokeStyle = line;
    pen.fillStyle = quiet;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const { at, text } of up.ticks) {
      const y = Math.round(scale(at, up, box.y + box.height, box.y)) + 0.5;
      stroke(pen, [[box.x, y], [box.x + box.width, y]]);
      pen.fillText(text, box.x - 7, y);
    }
    if (up.factor) {
      pen.textAlign = "left";
      pen.fillText(up.factor, 4, Math.max(box.y - 7, 7));
    }
    if (!across) return;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const { at, text } of across.ticks) {
      const x = Math.round(scale(at, across, box.x, box.x + box.width)) + 0.5;
      stroke(pen, [[x, box.y], [x, box.y + box.height]]);
      pen.fillText(text, x, box.y + box.height + 7);
    }
    if (across.factor) {
      pen.textAlign = "right";
      pen.fillText(across.factor, box.x + box.width, box.y + box.height + 7);
    }
  }

  /** A note beside the pointer. @param {CanvasRenderingContext2D} pen @param {{x: number, y: number}} at @param {{text: string, colour?: string}[]} lines */
  note(pen, at, lines) {
    pen.font = FONT;
    const width = Math.max(...lines.map(({ text }) => pen.measureText(text).width)) + 28;
    const height = 17 * lines.length + 11;
    const x = at.x + 14 + width > this.width ? Math.max(at.x - 14 - width, 2) : at.x + 14;
    const y = Math.min(Math.max(at.y - height / 2, 2), Math.max(this.height - height - 2, 2));
    pen.fillStyle = this.paint.panel;
    pen.strokeStyle = this.paint.line;
    pen.globalAlpha = 0.96;
    pen.beginPath();
    pen.roundRect(x + 0.5, y + 0.5, width, height, 5);
    pen.fill();
    pen.globalAlpha = 1;
    pen.stroke();
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    lines.forEach(({ text, colour }, i) => {
      const line = y + 14 + 17 * i;
      if (colour) {
        pen.fillStyle = colour;
        pen.fillRect(x + 8, line - 1.5, 9, 3);
      }
      pen.fillStyle = this.paint.ink;
      pen.fillText(text, x + (colour ? 22 : 9), line);
    });
  }

  dispose() {
    for (const action of this.cleanup) action();
  }
}

/** Whether the page is on paper, where nothing moves. */
export const onPaper = () => document.body.classList.contains("paper");

export const FONT = '11.5px ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif';

/** @param {number} value @param {import("./axis.js").Axis} axis @param {number} from @param {number} to */
export function scale(value, axis, from, to) {
  return from + ((value - axis.low) / (axis.high - axis.low)) * (to - from);
}

/** @param {CanvasRenderingContext2D} pen @param {[number, number][]} points */
export function stroke(pen, points) {
  pen.beginPath();
  points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

/** @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {string} colour @param {string} rim */
export function dot(pen, x, y, colour, rim) {
  pen.beginPath();
  pen.arc(x, y, 3.6, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = rim;
  pen.stroke();
}
