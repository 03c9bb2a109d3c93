// The camera: where it stands to see the motion whole, the views one can choose, and following a body.

import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Directions from which one looks, in a frame whose third axis is up. */
export const VIEWS = {
  oblique: { label: "Oblique", from: [0.62, -1, 0.52] },
  above: { label: "From above", from: [0, -0.001, 1] },
  front: { label: "From the front", from: [0, -1, 0.06] },
  side: { label: "From the side", from: [1, 0, 0.06] },
};

/** A track longer than this many body sizes is not fitted whole: the camera follows the body instead. */
const FAR = 14;

/** The same where the ground has a shape of its own, which says where the body is. */
const FAR_ON_RELIEF = 40;

export class View {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => void} changed
   */
  constructor(canvas, changed) {
    this.camera = new PerspectiveCamera(32, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", changed);
    this.changed = changed;
    this.following = false;
    this.anchor = new Vector3();
    this.centre = new Vector3();
    this.radius = 1;
    this.size = 1;
    this.name = "oblique";
  }

  /** @param {number[]} up */
  setUp(up) {
    this.camera.up.set(up[0], up[1], up[2]).normalize();
    // the controls keep the turn from the camera's up to their own axis from when they were made
    const { domElement } = this.controls;
    this.controls.dispose();
    const controls = new OrbitControls(this.camera, domElement);
    controls.enableDamping = this.controls.enableDamping;
    controls.dampingFactor = this.controls.dampingFactor;
    controls.addEventListener("change", this.changed);
    this.controls = controls;
  }

  /**
   * What there is to see.
   * @param {{balls: number[][], reach: number, relief: boolean, anchor: Vector3, size: number}} bounds balls: x, y, z, radius each
   */
  setBounds({ balls, reach, relief, anchor, size }) {
    this.size = size;
    this.whole = balls;
    this.far = reach > (relief ? FAR_ON_RELIEF : FAR) * size;
    this.go(anchor);
  }

  /** Looks from one of the views, at everything or at the body when the track is too long. @param {string} [name] */
  look(name = this.name) {
    this.name = name;
    if (this.far) this.following = true;
    const close = this.far || this.following;
    const balls = close ? [[...this.anchor.toArray(), 2.2 * this.size]] : this.whole;
    const [right, ahead, up] = this.axes();
    const [x, y, z] = VIEWS[name].from;
    const from = new Vector3().addScaledVector(right, x).addScaledVector(ahead, y).addScaledVector(up, z).normalize();
    const { centre, distance } = this.fit(balls, from);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(from, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.changed();
  }

  /**
   * Where to look and how far from, so that all balls are in the picture with some margin.
   * @param {number[][]} balls
   * @param {Vector3} from direction to the camera
   */
  fit(balls, from) {
    const tall = Math.tan((this.camera.fov * Math.PI) / 360) / 1.14;
    const wide = tall * this.camera.aspect;
    const side = new Vector3().crossVectors(this.camera.up, from).normalize();
    const axes = [side, new Vector3().crossVectors(from, side), from];
    const seen = balls.map(([x, y, z, r]) => [...axes.map((axis) => axis.dot(new Vector3(x, y, z))), r]);
    const middle = axes.map((_, k) => (Math.min(...seen.map((b) => b[k] - b[3])) + Math.max(...seen.map((b) => b[k] + b[3]))) / 2);
    const distance = Math.max(...seen.map(([x, y, z, r]) =>
      z - middle[2] + Math.max((Math.abs(x - middle[0]) + r) / wide, (Math.abs(y - middle[1]) + r) / tall)));
    const centre = new Vector3();
    axes.forEach((axis, k) => centre.addScaledVector(axis, middle[k]));
    return { centre, distance };
  }

  /** @returns {[Vector3, Vector3, Vector3]} right, ahead and up of the scene */
  axes() {
    const up = this.camera.up.clone();
    const right = Math.abs(up.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    right.addScaledVector(up, -up.dot(right)).normalize();
    return [right, new Vector3().crossVectors(up, right), up];
  }

  /** The body went to `anchor`; the camera goes along when it follows. @param {Vector3} anchor */
  go(anchor) {
    if (this.following) {
      const moved = anchor.clone().sub(this.anchor);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
    }
    this.anchor.copy(anchor);
  }

  toggleFollow() {
    this.following = !this.following;
    if (this.following) {
      const moved = this.anchor.clone().sub(this.controls.target);
      this.camera.position.add(moved);
      this.controls.target.copy(this.anchor);
    }
    this.changed();
    return this.following;
  }

  /**
   * Turns about the target and moves nearer or farther, for the keyboard.
   * @param {number} around
   * @param {number} over
   * @param {number} [nearer]
   */
  turn(around, over, nearer = 1) {
    const { target } = this.controls;
    const arm = this.camera.position.clone().sub(target);
    const up = this.camera.up;
    arm.applyAxisAngle(up, around);
    const side = new Vector3().crossVectors(up, arm).normalize();
    const tilted = arm.clone().applyAxisAngle(side, over);
    const height = tilted.angleTo(up);
    if (height > 0.02 && height < Math.PI - 0.02) arm.copy(tilted);
    this.camera.position.copy(target).addScaledVector(arm, nearer);
    this.controls.update();
    this.changed();
  }

  dispose() {
    this.controls.dispose();
  }
}
