// Curves that grow with time: the polhode on the body, the herpolhode on the ground, traces of points.
// The whole curve is drawn faintly, the part up to now strongly; what a body hides of it is a thin line.

import { BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

export class Curve {
  /**
   * @param {number[]} columns three of the motion
   * @param {{width: number, hidden: boolean}} style hidden: also seen, faintly, through what is before it
   */
  constructor(columns, { width, hidden }) {
    this.columns = columns;
    this.group = new Group();
    this.geometry = new LineGeometry();
    this.whole = new LineGeometry();
    const line = (geometry, options, order) => {
      const made = new Line2(geometry, new LineMaterial({ linewidth: width, ...options }));
      made.frustumCulled = false;
      made.renderOrder = order;
      this.group.add(made);
      return made;
    };
    this.faint = line(this.whole, { linewidth: 0.55 * width }, 1);
    this.strong = line(this.geometry, { polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -40 }, 3);
    this.through = null;
    if (hidden) {
      this.through = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.35, depthTest: false, depthWrite: false }));
      this.through.frustumCulled = false;
      this.through.renderOrder = 4;
      this.group.add(this.through);
    }
  }

  /**
   * The faint part is mixed with the colour behind it rather than transparent: segments overlap at their ends.
   * @param {string} colour
   * @param {string} behind
   */
  paint(colour, behind) {
    this.strong.material.color.set(colour);
    this.through?.material.color.set(colour);
    this.faint.material.color.copy(new Color(colour).lerp(new Color(behind), 0.62));
  }

  /** @param {import("../motion.js").Motion} motion */
  follow(motion) {
    const points = [];
    const [x, y, z] = this.columns.map((column) => motion.column(column));
    for (let i = 0; i < motion.count; i += 1) {
      if (Number.isFinite(x[i] + y[i] + z[i])) points.push(x[i], y[i], z[i]);
      else if (points.length) points.push(...points.slice(-3));
      else points.push(0, 0, 0);
    }
    while (points.length < 6) points.push(...(points.length ? points.slice(-3) : [0, 0, 0]));
    for (const geometry of [this.geometry, this.whole]) {
      geometry.dispose();
      geometry.setPositions(points);
    }
    this.segments = points.length / 3 - 1;
    if (this.through) this.through.geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  }

  /** @param {number} index of the last sample that is past */
  grow(index) {
    this.geometry.instanceCount = Math.min(index, this.segments);
    this.strong.visible = index > 0;
    this.through?.geometry.setDrawRange(0, index + 1);
  }

  dispose() {
    for (const part of [this.faint, this.strong, this.through]) part?.material.dispose();
    this.geometry.dispose();
    this.whole.dispose();
    this.through?.geometry.dispose();
  }
}
