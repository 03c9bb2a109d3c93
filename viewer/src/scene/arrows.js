// Arrows: forces and velocities in proportion to a large one of the motion, axes at a fixed length.

import { niceStep, short } from "../numbers.js";
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, Vector3 } from "three";

const UP = new Vector3(0, 1, 0);

/** The units of what arrows show; a velocity may be one of turning. */
const UNITS = { force: " N" };

export class Arrow {
  /**
   * @param {{from: (row: ArrayLike<number>) => Vector3, vector: number[], kind: string}} arrow
   * @param {number} size of the bodies
   */
  constructor({ from, vector, kind }, size) {
    this.from = from;
    this.columns = vector;
    this.kind = kind;
    this.size = size;
    this.scale = 1;
    const thick = 0.013 * size;
    this.head = 5.2 * thick;
    this.group = new Group();
    this.material = new MeshStandardMaterial({ roughness: 0.45 });
    this.shaft = new Mesh(new CylinderGeometry(thick, thick, 1, 16), this.material);
    this.tip = new Mesh(new ConeGeometry(2.4 * thick, this.head, 20), this.material);
    // what a body hides of an arrow shines through
    this.veil = new MeshBasicMaterial({ transparent: true, opacity: 0.22, depthTest: false, depthWrite: false });
    for (const part of [this.shaft, this.tip]) {
      part.castShadow = kind !== "axis";
      const twin = new Mesh(part.geometry, this.veil);
      twin.renderOrder = 5;
      part.add(twin);
      this.group.add(part);
    }
  }

  /** @param {string} colour */
  paint(colour) {
    this.material.color.set(colour);
    this.veil.color.set(colour);
  }

  /**
   * A large length of the motion: nine tenths of it have shorter arrows.
   * @param {import("../motion.js").Motion} motion
   */
  large(motion) {
    const [x, y, z] = this.columns.map((column) => motion.column(column));
    const lengths = Array.from(x, (_, i) => Math.hypot(x[i], y[i], z[i])).filter((l) => Number.isFinite(l) && l > 0).sort((a, b) => a - b);
    return lengths[Math.floor(0.9 * lengths.length)] ?? 0;
  }

  /** Chooses the scale: a large arrow is somewhat shorter than the body. @param {number} large */
  fit(large) {
    this.scale = large ? (0.85 * this.size) / large : 0;
  }

  /** What lengths mean: "10 N = 0.5 m"; empty for an axis, whose length means nothing. */
  scaleText() {
    if (this.kind === "axis" || !this.scale) return "";
    const value = niceStep(0.5 * this.size / this.scale, 1);
    return `${short(value, 3)}${UNITS[this.kind] ?? ""} = ${short(value * this.scale, 2)} m`;
  }

  /** @param {ArrayLike<number>} row */
  place(row) {
    const vector = new Vector3(...this.columns.map((column) => row[column]));
    const raw = vector.length();
    const length = this.kind === "axis" ? 1.5 * this.size : Math.min(raw * this.scale, 1.3 * this.size);
    const from = this.from(row);
    this.group.visible = raw > 0 && length > 0.02 * this.size && Number.isFinite(raw + from.x + from.y + from.z);
    if (!this.group.visible) return;
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(UP, vector.divideScalar(raw));
    const head = Math.min(this.head, 0.6 * length);
    this.tip.scale.setScalar(head / this.head);
    this.tip.position.y = length - head / 2;
    this.shaft.scale.y = length - head;
    this.shaft.position.y = (length - head) / 2;
  }

  dispose() {
    this.shaft.geometry.dispose();
    this.tip.geometry.dispose();
    this.material.dispose();
    this.veil.dispose();
  }
}
