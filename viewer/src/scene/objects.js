// The things of a scene: meshes with their looks, moved by columns of the motion.

import {
  Box3, BufferAttribute, BufferGeometry, CylinderGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial,
  MeshStandardMaterial, PlaneGeometry, Sphere, Vector3,
} from "three";
import { unpack } from "../base64.js";
import { paletteColour } from "../theme.js";
import { bodyMaterial, flatMaterial, glassMaterial, reliefMaterial } from "./materials.js";

/**
 * The geometry of a mesh of the document.
 * @param {any} mesh
 * @returns {{surface: BufferGeometry | null, lines: BufferGeometry | null, half: Vector3, radius: number}}
 */
export function geometry(mesh) {
  const positions = unpack(mesh.positions);
  let surface = null;
  if (positions.length) {
    surface = new BufferGeometry();
    surface.setAttribute("position", new BufferAttribute(positions, 3));
    surface.setAttribute("normal", new BufferAttribute(unpack(mesh.normals), 3));
    surface.setIndex(new BufferAttribute(unpack(mesh.indices), 1));
  }
  let lines = null;
  if (mesh.lines) {
    lines = new BufferGeometry();
    lines.setAttribute("position", new BufferAttribute(unpack(mesh.lines), 3));
  }
  const { half, radius } = extentOf(surface ?? lines);
  return { surface, lines, half, radius };
}

/** How far a shape reaches, which is also noted in it: one way through its points, where three.js goes three times. @param {BufferGeometry | null} shape */
function extentOf(shape) {
  const half = new Vector3(1, 1, 1);
  if (!shape) return { half, radius: 0 };
  const { array } = shape.getAttribute("position");
  const [min, max] = [new Vector3(Infinity, Infinity, Infinity), new Vector3(-Infinity, -Infinity, -Infinity)];
  let squared = 0;
  for (let i = 0; i < array.length; i += 3) {
    const [x, y, z] = [array[i], array[i + 1], array[i + 2]];
    min.set(Math.min(min.x, x), Math.min(min.y, y), Math.min(min.z, z));
    max.set(Math.max(max.x, x), Math.max(max.y, y), Math.max(max.z, z));
    squared = Math.max(squared, x * x + y * y + z * z);
  }
  shape.boundingBox = new Box3(min, max);
  shape.boundingSphere = shape.boundingBox.getBoundingSphere(new Sphere());
  half.set(Math.max(-min.x, max.x), Math.max(-min.y, max.y), Math.max(-min.z, max.z));
  return { half, radius: Math.sqrt(squared) };
}

/**
 * New points for a surface whose parameters changed: normals are averaged over faces, and over vertices that
 * coincide (seams and poles), and keep the side they were on.
 * @param {BufferGeometry} surface
 * @param {Float32Array} points
 */
export function reshape(surface, points) {
  const before = surface.getAttribute("normal").array.slice();
  surface.setAttribute("position", new BufferAttribute(points, 3));
  surface.computeVertexNormals();
  const normals = surface.getAttribute("normal");
  const { array } = normals;
  const twins = (surface.userData.twins ??= firstTwins(points));
  const sums = new Float64Array(array.length);
  twins.forEach((twin, i) => {
    for (let k = 0; k < 3; k += 1) sums[3 * twin + k] += array[3 * i + k];
  });
  let agreement = 0;
  twins.forEach((twin, i) => {
    const [x, y, z] = [sums[3 * twin], sums[3 * twin + 1], sums[3 * twin + 2]];
    const length = Math.hypot(x, y, z) || 1;
    array.set([x / length, y / length, z / length], 3 * i);
    agreement += (x * before[3 * i] + y * before[3 * i + 1] + z * before[3 * i + 2]) / length;
  });
  if (agreement < 0) for (let i = 0; i < array.length; i += 1) array[i] *= -1;
  normals.needsUpdate = true;
  surface.computeBoundingSphere();
}

/** For every vertex the first one at the same place: at seams and poles a surface has several. @param {Float32Array} points */
function firstTwins(points) {
  const size = points.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-30);
  const key = (i) => [0, 1, 2].map((k) => Math.round((points[3 * i + k] / size) * 1e5)).join();
  const first = new Map();
  return Int32Array.from({ length: points.length / 3 }, (_, i) => {
    const at = key(i);
    if (!first.has(at)) first.set(at, i);
    return first.get(at);
  });
}

/** The normal of a flat mesh; null when it is curved. @param {BufferGeometry | null} surface @returns {Vector3 | null} */
function flatNormal(surface) {
  if (!surface) return null;
  const normals = surface.getAttribute("normal");
  const first = new Vector3().fromBufferAttribute(normals, 0);
  for (let i = 1; i < normals.count; i += 1) {
    if (Math.abs(new Vector3().fromBufferAttribute(normals, i).dot(first)) < 0.9999) return null;
  }
  return first;
}

/**
 * The height of flat ground that lies level, at rest, and is much larger than the bodies: it is then drawn without
 * end. Null for all other things.
 * @param {any} object
 * @param {ReturnType<typeof geometry>} shape
 * @param {any} scene
 * @param {import("../motion.js").Motion} motion
 * @param {Vector3 | null} normal
 */
function levelHeight(object, shape, scene, motion, normal) {
  if (object.role !== "ground" || object.scale || !normal || scene.up[2] < 0.999 || object.look === "glass") return null;
  if ([...(object.rotation ?? []), ...(object.position ?? [])].some((column) => motion.varies(column))) return null;
  const row = motion.row(0);
  const turned = object.rotation ? [0, 1, 2].map((i) => normal.dot(new Vector3(...object.rotation.slice(3 * i, 3 * i + 3).map((c) => row[c])))) : normal.toArray();
  const { min, max } = shape.surface.boundingBox;
  if (Math.abs(turned[2]) < 0.9999 || max.distanceTo(min) < 4 * scene.size) return null;
  return (object.position ? row[object.position[2]] : 0) + normal.dot(max) * Math.sign(turned[2]);
}

/** One thing: a group at its position and rotation, in it the mesh with its scale. */
export class Thing {
  /**
   * @param {any} object of the scene
   * @param {ReturnType<typeof geometry>} shape
   * @param {any} scene
   * @param {import("../motion.js").Motion} motion
   * @param {{dark: boolean, cell: number, uniforms: any}} surroundings
   */
  constructor(object, shape, scene, motion, surroundings) {
    this.object = object;
    this.shape = shape;
    this.scene = scene;
    this.group = new Group();
    this.inner = new Group();
    this.group.add(this.inner);
    this.normal = object.role === "ground" || object.role === "wall" ? flatNormal(shape.surface) : null;
    this.height = levelHeight(object, shape, scene, motion, this.normal);
    this.level = this.height !== null;
    // ground that is around what moves
    this.hollow = object.role === "ground" && !this.normal && (object.inside || object.look === "glass");
    /** @type {Mesh | null} */
    this.veil = null;
    this.moves = Boolean(object.rotation || object.position);
    /** @type {Mesh | null} */
    this.mesh = null;
    /** @type {LineSegments | null} */
    this.lines = null;
    this.matrix = new Matrix4();
    this.build(surroundings);
  }

  /** @param {{dark: boolean, cell: number, uniforms: any}} surroundings */
  build(surroundings) {
    const { object, shape } = this;
    const see = object.look === "glass" || object.inside;
    if (this.level) {
      const plane = new PlaneGeometry(1, 1);
      this.mesh = new Mesh(plane, this.material(surroundings));
      this.mesh.position.z = this.height;
      this.mesh.renderOrder = -2;
    } else if (shape.surface && (object.look !== "wire" || !shape.lines)) {
      this.mesh = new Mesh(shape.surface, this.material(surroundings));
      this.mesh.castShadow = object.role === "body" && !see && object.look !== "wire";
      if (this.hollow) {
        this.veil = new Mesh(shape.surface, this.material(surroundings, "back"));
        this.veil.renderOrder = 6;
        this.inner.add(this.veil);
      } else this.mesh.renderOrder = see ? 2 : 0;
    }
    if (this.mesh) {
      this.mesh.receiveShadow = !see || this.hollow;
      this.inner.add(this.mesh);
    }
    if (shape.lines && !this.level) {
      this.lines = new LineSegments(shape.lines, new LineBasicMaterial({ transparent: true, opacity: object.look === "wire" ? 1 : 0.5 }));
      this.inner.add(this.lines);
    }
    this.paint(surroundings);
  }

  /**
   * @param {{dark: boolean, cell: number, uniforms: any}} surroundings
   * @param {"front" | "back"} [part] of ground that is around what moves
   */
  material({ dark, cell, uniforms }, part = "front") {
    const { object, shape } = this;
    const colour = paletteColour(object.colour);
    const half = shape.half;
    if (this.level) return flatMaterial({ cell, dark, uniforms });
    if (object.look === "wire") return new MeshBasicMaterial({ color: colour, wireframe: true });
    const see = object.look === "glass" || object.inside;
    if (this.normal) {
      const first = new Vector3(1, 0, 0).addScaledVector(this.normal, -this.normal.x);
      if (first.lengthSq() < 0.1) first.set(0, 1, 0).addScaledVector(this.normal, -this.normal.y);
      first.normalize();
      return flatMaterial({ cell, dark, see: see || object.role === "wall", uniforms, plane: [first, new Vector3().crossVectors(this.normal, first)] });
    }
    if (object.role === "body" || object.role === "mark") {
      return see ? glassMaterial({ colour, half, dark, inside: object.inside }) : bodyMaterial({ colour, half, checker: object.look === "checker", dark });
    }
    return reliefMaterial({ half, dark, part: this.hollow ? part : object.role === "wall" ? "back" : "all" });
  }

  /** In the colours of the theme. @param {{dark: boolean, cell: number, uniforms: any}} surroundings */
  paint(surroundings) {
    if (this.mesh) {
      /** @type {MeshStandardMaterial} */ (this.mesh.material).dispose();
      this.mesh.material = this.material(surroundings);
    }
    if (this.veil) {
      /** @type {MeshStandardMaterial} */ (this.veil.material).dispose();
      this.veil.material = this.material(surroundings, "back");
    }
    if (this.lines) {
      const quiet = this.object.role === "body" || this.object.role === "mark" ? paletteColour(this.object.colour) : surroundings.dark ? "#77818c" : "#8d8a83";
      const material = /** @type {LineBasicMaterial} */ (this.lines.material);
      material.color.set(this.object.look === "wire" ? quiet : surroundings.dark ? "#e8eaed" : "#20262d");
      material.opacity = this.object.look === "wire" ? 1 : 0.45;
    }
  }

  /** Where the columns put it. @param {ArrayLike<number>} row */
  place(row) {
    if (this.level) return;
    const { rotation, position, scale } = this.object;
    if (rotation) {
      const r = rotation.map((column) => row[column]);
      orthonormal(r);
      this.matrix.set(r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0, 0, 0, 0, 1);
      this.group.quaternion.setFromRotationMatrix(this.matrix);
    }
    if (position) this.group.position.set(row[position[0]], row[position[1]], row[position[2]]);
    if (scale) this.inner.scale.set(...scale.map((column) => row[column] || 1e-9));
  }

  /** How far it reaches from its position. @param {ArrayLike<number>} row */
  reach(row) {
    const { scale } = this.object;
    return this.shape.radius * (scale ? Math.max(...scale.map((column) => Math.abs(row[column]))) : 1);
  }

  dispose() {
    if (this.mesh) {
      /** @type {MeshStandardMaterial} */ (this.mesh.material).dispose();
      if (this.level) this.mesh.geometry.dispose();
    }
    if (this.veil) /** @type {MeshStandardMaterial} */ (this.veil.material).dispose();
    if (this.lines) /** @type {LineBasicMaterial} */ (this.lines.material).dispose();
  }
}

/** Makes the rows of an interpolated rotation orthonormal again. @param {number[]} r */
function orthonormal(r) {
  const a = new Vector3(r[0], r[1], r[2]).normalize();
  const b = new Vector3(r[3], r[4], r[5]);
  b.addScaledVector(a, -a.dot(b)).normalize();
  const c = new Vector3().crossVectors(a, b);
  a.toArray(r, 0);
  b.toArray(r, 3);
  c.toArray(r, 6);
}

/** A rod between two moving points. */
export class Rod {
  /** @param {any} rod of the scene */
  constructor(rod) {
    this.rod = rod;
    this.mesh = new Mesh(
      new CylinderGeometry(rod.radius, rod.radius, 1, 20),
      new MeshStandardMaterial({ roughness: 0.5 }),
    );
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.paint();
  }

  paint() {
    /** @type {MeshStandardMaterial} */ (this.mesh.material).color.set(paletteColour(this.rod.colour));
  }

  /** @param {ArrayLike<number>} row */
  place(row) {
    const from = new Vector3(...this.rod.from.map((column) => row[column]));
    const to = new Vector3(...this.rod.to.map((column) => row[column]));
    const along = to.clone().sub(from);
    const length = along.length();
    this.mesh.visible = length > 1e-12;
    if (!this.mesh.visible) return;
    this.mesh.position.copy(from).addScaledVector(along, 0.5);
    this.mesh.scale.set(1, length, 1);
    this.mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.divideScalar(length));
  }

  dispose() {
    this.mesh.geometry.dispose();
    /** @type {MeshStandardMaterial} */ (this.mesh.material).dispose();
  }
}
