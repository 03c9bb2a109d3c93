// Shaders before there is a scene.
//
// Graphics translate a shader when something is first drawn with it, which takes a tenth of a second and more for each where the processor draws. While
// the program still computes, a stand-in is drawn, unseen, with what almost every scene has: a body, level ground, a curve of
// contact, an arrow, a dot, shadows. The scene then finds these shaders ready, as the materials are the same.

import { Group, Mesh, MeshBasicMaterial, PerspectiveCamera, PlaneGeometry, Scene, SphereGeometry, Vector3 } from "three";
import { Arrow } from "./arrows.js";
import { Curve } from "./curves.js";
import { bodyMaterial, flatMaterial } from "./materials.js";

/** A motion of one point, along x. */
const ALONG = { count: 2, column: (/** @type {number} */ k) => (k === 0 ? [0, 1] : [0, 0]) };

/** Its place at a time. */
const ROW = [1, 0, 0];

export class Rehearsal {
  /** @param {{sky: any, sun: any, fill: any, lamp: any}} lights as many as a scene has: shaders depend on it */
  constructor({ sky, sun, fill, lamp }) {
    this.world = new Scene();
    this.camera = new PerspectiveCamera();
    this.camera.position.set(0, -9, 3);
    this.camera.lookAt(0, 0, 0);
    this.world.add(sky, sun, sun.target, fill, fill.target, lamp, lamp.target, this.camera);
    this.sun = sun;
    const look = { colour: "#808080", half: new Vector3(1, 1, 1), dark: false };
    const uniforms = { uFocus: { value: new Vector3() }, uReach: { value: 10 } };
    const body = new Mesh(new SphereGeometry(1, 8, 6), bodyMaterial({ ...look, checker: true }));
    body.castShadow = true;
    body.receiveShadow = true;
    const ground = new Mesh(new PlaneGeometry(9, 9), flatMaterial({ cell: 1, dark: false, uniforms }));
    ground.receiveShadow = true;
    const dot = new Mesh(new SphereGeometry(0.1, 8, 6), new MeshBasicMaterial());
    this.meshes = [body, ground, dot];
    this.curve = new Curve([0, 1, 2], { width: 3, hidden: true });
    this.curve.follow(/** @type {any} */ (ALONG));
    this.curve.grow(1);
    this.arrow = new Arrow({ from: () => new Vector3(), vector: [0, 1, 2], kind: "force" }, 1);
    this.arrow.fit(1);
    this.arrow.place(ROW);
    this.world.add(new Group().add(...this.meshes, this.curve.group, this.arrow.group));
  }

  /**
   * Translates, and draws when that is done: only then a processor knows its own code.
   * @param {import("three").WebGLRenderer} renderer
   * @param {() => boolean} wanted
   */
  begin(renderer, wanted) {
    renderer.compileAsync(this.world, this.camera).then(() => {
      if (!this.disposed && wanted()) renderer.render(this.world, this.camera);
    }, () => {});
  }

  dispose() {
    this.disposed = true;
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.curve.dispose();
    this.arrow.dispose();
    this.sun.dispose();
  }
}
