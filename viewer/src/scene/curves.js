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
    const [x, y, z] = this.columns.map((column) => motion.column(column));
    // a line has two points at least, and stays where it was where there is none
    const points = new Float32Array(3 * Math.max(motion.count, 2));
    for (let [i, at] = [0, 0]; at < points.length; i += 1, at += 3) {
      if (i < motion.count && Number.isFinite(x[i] + y[i] + z[i])) points.set([x[i], y[i], z[i]], at);
      else if (at) points.copyWithin(at, at - 3, at);
    }
    for (const geometry of [this.geometry, this.whole]) {
      geometry.dispose();
      geometry.setPositions(points);
    }
    this.segments = points.length / 3 - 1;
    if (this.through) this.through.geometry.setAttribute("position", new BufferAttribute(points, 3));
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
