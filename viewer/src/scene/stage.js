// The three-dimensional scene: things, curves, arrows and light, drawn when something changed.

import {
  DirectionalLight, Group, HemisphereLight, Mesh, MeshBasicMaterial, PCFShadowMap, Scene, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
import { h, perFrame } from "../dom.js";
import { niceStep } from "../numbers.js";
import { layerColour, onTheme, paletteColour, theme } from "../theme.js";
import { Arrow } from "./arrows.js";
import { Curve } from "./curves.js";
import { geometry, reshape, Rod, Thing } from "./objects.js";
import { Rehearsal } from "./rehearsal.js";
import { View } from "./view.js";

/** Pixels of a picture for paper to a pixel of the page. */
const ON_PAPER = 2;

/** What the reader can switch off, besides arrows and traces that have names of their own. */
const LAYERS = {
  body: "contact on the body",
  ground: "contact on the ground",
  force: "contact force",
};

/** Who draws where there is no graphics card. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether the processor draws. @param {WebGLRenderer} renderer */
function drawsSlowly(renderer) {
  const gl = renderer.getContext();
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  return SOFTWARE.test(String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER)));
}

/** @typedef {{canvas: HTMLCanvasElement, renderer: WebGLRenderer, slow: boolean, rehearsal: Rehearsal | null}} Easel */

/** @returns {Easel} */
function makeEasel() {
  const canvas = h("canvas", { class: "stage-canvas", tabindex: "0", role: "img", "aria-label": "The motion in three dimensions" });
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, powerPreference: "high-performance" });
  // looking for mistakes in shaders waits for every single one of them
  renderer.debug.checkShaderErrors = false;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  return { canvas, renderer, slow: drawsSlowly(renderer), rehearsal: null };
}

/** @type {Easel | null} one that waits for its scene */
let prepared = null;

/** Makes ready to draw while there is nothing else to do: graphics take a tenth of a second and more to begin. */
export function prepareStage() {
  try {
    prepared ??= makeEasel();
  } catch {
    // the stage tries again and says why it cannot
  }
}

/** Has the shaders of most scenes translated. @param {() => boolean} wanted whether there is still time for it */
export function rehearse(wanted) {
  if (!prepared || prepared.rehearsal) return;
  prepared.rehearsal = new Rehearsal(lights(prepared.slow));
  prepared.rehearsal.begin(prepared.renderer, wanted);
}

/** The light of a scene; the lamp is beside the eye, so that no side one looks at is black. @param {boolean} slow */
function lights(slow) {
  const sky = new HemisphereLight(0xffffff, 0xe6e6e4, 1.5);
  const sun = new DirectionalLight(0xfffdfa, 2);
  sun.castShadow = true;
  sun.shadow.mapSize.setScalar(slow ? 512 : 1024);
  sun.shadow.radius = 5;
  sun.shadow.intensity = 0.6;
  sun.shadow.bias = -0.0006;
  sun.shadow.normalBias = 0.01;
  const fill = new DirectionalLight(0xdfeaff, 0.55);
  const lamp = new DirectionalLight(0xffffff, 0.7);
  lamp.position.set(0.3, 0.4, 1);
  return { sky, sun, fill, lamp };
}

export class Stage {
  /**
   * @param {HTMLElement} host
   * @param {import("../session.js").Session} session
   */
  constructor(host, session) {
    this.session = session;
    const { canvas, renderer, slow, rehearsal } = prepared ?? makeEasel();
    prepared = null;
    this.canvas = canvas;
    this.renderer = renderer;
    this.rehearsal = rehearsal;
    host.append(this.canvas);
    this.slow = slow;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.slow ? 1 : 2));
    this.ask = perFrame(() => this.draw());
    this.world = new Scene();
    this.root = new Group();
    this.world.add(this.root);
    this.view = new View(this.canvas, this.ask);
    this.light();
    this.uniforms = { uFocus: { value: new Vector3() }, uReach: { value: 10 } };
    /** @type {Set<string>} */
    this.off = new Set();
    this.clear();
    this.cleanup = [onTheme(() => this.paint())];
    const watcher = new ResizeObserver(() => this.resize(host));
    watcher.observe(host);
    this.cleanup.push(() => watcher.disconnect());
    this.resize(host);
  }

  light() {
    const { sky, sun, fill, lamp } = lights(this.slow);
    Object.assign(this, { sky, sun, fill });
    this.world.add(sky, sun, sun.target, fill, this.view.camera);
    this.view.camera.add(lamp, lamp.target);
  }

  clear() {
    for (const part of [...(this.things ?? []), ...(this.rods ?? []), ...(this.curves ?? []).map((c) => c.curve), ...(this.arrows ?? []).map((a) => a.arrow)]) part.dispose();
    for (const shape of this.shapes ?? []) {
      shape.surface?.dispose();
      shape.lines?.dispose();
    }
    this.root.clear();
    this.shapes = [];
    this.things = [];
    this.rods = [];
    /** @type {{curve: Curve, layer: string}[]} */
    this.curves = [];
    /** @type {{arrow: Arrow, layer: string}[]} */
    this.arrows = [];
    this.dots = [];
  }

  /** Builds the scene of a document. */
  build() {
    this.clear();
    const { scene } = this.session.document;
    this.description = scene;
    this.size = scene.size || 1;
    this.view.setUp(scene.up);
    this.shapes = scene.meshes.map(geometry);
    this.shapesBefore = new Map();
    const surroundings = this.surroundings();
    this.things = scene.objects.map((object) => new Thing(object, this.shapes[object.mesh], scene, this.session.motion, surroundings));
    this.rods = (scene.rods ?? []).map((rod) => new Rod(rod));
    for (const part of [...this.things.map((t) => t.group), ...this.rods.map((r) => r.mesh)]) this.root.add(part);
    for (const contact of scene.contacts ?? []) this.buildContact(contact);
    this.named = [];
    for (const { name, from, vector, kind, colour = 6 } of scene.arrows ?? []) {
      const layer = this.nameLayer(`arrow ${name} ${kind} ${colour}`, name || kind, colour);
      this.addArrow({ from: (row) => new Vector3(...from.map((column) => row[column])), vector, kind }, layer);
    }
    for (const { name, point, frame, colour = 3 } of scene.traces ?? []) {
      const layer = this.nameLayer(`trace ${name} ${colour}`, name || "trace", colour);
      this.addCurve(point, typeof frame === "number" ? this.things[frame].group : this.root, layer, 2.2);
    }
    this.paint();
    // all shaders are translated side by side, while the page goes on; drawing would wait for one after the other
    this.renderer.compile(this.world, this.view.camera);
    // what the scene has of the rehearsed shaders is its own now
    this.rehearsal?.dispose();
    this.rehearsal = null;
  }

  /** @param {string} id @param {string} label @param {number} colour of the palette */
  nameLayer(id, label, colour) {
    if (!this.named.some((layer) => layer.id === id)) this.named.push({ id, label, colour });
    return id;
  }

  /** The colour of a layer in the present theme. @param {string} layer */
  ink(layer) {
    return layerColour(layer) ?? paletteColour(this.named.find(({ id }) => id === layer)?.colour ?? 6);
  }

  /** @param {any} contact */
  buildContact(contact) {
    const body = this.things[contact.object];
    const other = typeof contact.other === "number" ? this.things[contact.other] : null;
    if (contact.on_body) this.addCurve(contact.on_body, body.group, "body", 3.2);
    if (contact.on_other) this.addCurve(contact.on_other, other?.moves ? other.group : this.root, "ground", 3.2);
    if (contact.force && contact.on_body) {
      const from = (row) => body.group.localToWorld(new Vector3(...contact.on_body.map((column) => row[column])));
      this.addArrow({ from, vector: contact.force, kind: "force" }, "force");
    }
    if (contact.on_body) {
      const dot = new Mesh(new SphereGeometry(0.03 * this.size, 16, 12), new MeshBasicMaterial());
      body.group.add(dot);
      this.dots.push({ dot, columns: contact.on_body });
    }
  }

  addCurve(columns, home, layer, width) {
    const curve = new Curve(columns, { width, hidden: layer === "body" });
    home.add(curve.group);
    this.curves.push({ curve, layer });
  }

  addArrow(description, layer) {
    const arrow = new Arrow(description, this.size);
    this.root.add(arrow.group);
    this.arrows.push({ arrow, layer });
  }

  /** The kinds of curves and arrows there are. */
  layers() {
    const there = new Set([...this.curves, ...this.arrows].map(({ layer }) => layer));
    return Object.entries(LAYERS).filter(([id]) => there.has(id))
      .map(([id, label]) => ({ id, label: id === "ground" && this.mutual() ? "contact on the other" : label, colour: `var(--ink-${id})` }))
      .concat(this.named.map((layer) => ({ ...layer, colour: paletteColour(layer.colour) })))
      .map((layer) => ({ ...layer, scale: this.arrows.find((a) => a.layer === layer.id)?.arrow.scaleText() ?? "" }));
  }

  /** Whether bodies roll on bodies. */
  mutual() {
    return (this.description.contacts ?? []).some((c) => this.things[c.other]?.object.role === "body");
  }

  /** The side of a square of level ground; none when there is no such ground. */
  square() {
    return this.things.some((thing) => thing.normal) ? this.surroundings().cell : null;
  }

  /** @param {string} layer @param {boolean} on */
  showLayer(layer, on) {
    if (on) this.off.delete(layer);
    else this.off.add(layer);
    this.update();
  }

  surroundings() {
    return { dark: theme() === "dark", cell: niceStep(0.9 * this.size, 1), uniforms: this.uniforms };
  }

  /** In the colours of the theme. */
  paint() {
    const dark = theme() === "dark";
    this.sky.intensity = dark ? 1.3 : 1.75;
    this.sun.intensity = dark ? 1.7 : 1.3;
    const surroundings = this.surroundings();
    for (const thing of this.things) thing.paint(surroundings);
    for (const rod of this.rods) rod.paint();
    for (const { curve, layer } of this.curves) curve.paint(this.ink(layer), dark ? "#2b323a" : "#efede8");
    for (const { arrow, layer } of this.arrows) arrow.paint(this.ink(layer));
    for (const { dot } of this.dots) dot.material.color.set(dark ? "#ffffff" : "#14181d");
    this.ask();
  }

  /** Takes a new motion in: curves, scales of arrows, and shapes that depend on parameters. */
  follow() {
    const { motion, fine } = this.session;
    for (const { curve } of this.curves) curve.follow(fine);
    // arrows of one kind have one scale
    for (const { arrow, layer } of this.arrows) {
      arrow.fit(Math.max(...this.arrows.filter((a) => a.layer === layer).map((a) => a.arrow.large(motion))));
    }
    this.reshape();
    this.measure();
    this.update();
  }

  /** Recomputes the surfaces whose parameters changed. */
  reshape() {
    const { engine, parameters } = this.session;
    this.description.meshes.forEach((mesh, i) => {
      const { surface, lines } = this.shapes[i];
      if (!mesh.surface?.depends?.length || !surface) return;
      const key = mesh.surface.depends.map((name) => parameters.get(name)).join();
      const first = mesh.surface.depends.map((name) => this.session.document.parameters.find((p) => p.name === name)?.value).join();
      if (key === (this.shapesBefore.get(i) ?? first) || !engine) return;
      this.shapesBefore.set(i, key);
      reshape(surface, engine.surface(mesh.surface, parameters));
      for (const thing of this.things) if (this.shapes[thing.object.mesh].lines === lines && thing.lines) thing.lines.visible = key === first;
    });
  }

  /** What the motion covers: the bodies with their sizes at every sample, and the curves on the ground. */
  measure() {
    const { motion } = this.session;
    /** @type {number[][]} */
    const balls = [];
    const include = (...ball) => {
      if (ball.every(Number.isFinite)) balls.push(ball);
    };
    const step = Math.max(1, Math.floor(motion.count / 300));
    const bodies = this.things.filter((t) => t.object.role === "body");
    for (let i = 0; i < motion.count; i += step) {
      const row = motion.row(i);
      for (const body of bodies) {
        const [x, y, z] = (body.object.position ?? []).map((column) => row[column]);
        include(x ?? 0, y ?? 0, z ?? 0, body.reach(row));
      }
      for (const rod of this.rods) {
        for (const end of [rod.rod.from, rod.rod.to]) include(row[end[0]], row[end[1]], row[end[2]], rod.rod.radius);
      }
      for (const { curve, layer } of this.curves) {
        if (layer !== "body" && curve.group.parent === this.root) include(...curve.columns.map((column) => row[column]), 0);
      }
    }
    for (const thing of this.things) {
      // curved ground belongs to the picture; level ground and walls have no end
      if (thing.object.role !== "ground" || thing.level || thing.moves || thing.shape.radius > 6 * this.size) continue;
      include(0, 0, 0, thing.reach(motion.row(0)));
    }
    if (!balls.length) balls.push([0, 0, 0, this.size]);
    const anchor = this.anchor(motion.at(this.session.clock.time));
    const middle = [0, 1, 2].map((k) => balls.reduce((sum, ball) => sum + ball[k], 0) / balls.length);
    this.reach = Math.max(...balls.map(([x, y, z, r]) => Math.hypot(x - middle[0], y - middle[1], z - middle[2]) + r), this.size);
    const relief = this.things.some((thing) => thing.object.role === "ground" && !thing.normal);
    this.view.setBounds({ balls, reach: this.reach, relief, anchor, size: this.size });
  }

  /** Where the camera looks when it follows: the middle of the bodies. @param {ArrayLike<number>} row */
  anchor(row) {
    const bodies = this.things.filter((t) => t.object.role === "body" && t.object.position);
    const middle = new Vector3();
    for (const body of bodies) middle.add(new Vector3(...body.object.position.map((column) => row[column])));
    if (bodies.length) middle.divideScalar(bodies.length);
    return Number.isFinite(middle.x + middle.y + middle.z) ? middle : new Vector3();
  }

  /** Shows the time of the clock. */
  update() {
    const { motion, fine, clock } = this.session;
    const row = motion.at(clock.time);
    for (const part of [...this.things, ...this.rods]) part.place(row);
    this.root.updateMatrixWorld(true);
    const index = fine.index(clock.time);
    for (const { curve, layer } of this.curves) {
      curve.group.visible = !this.off.has(layer);
      curve.grow(index);
    }
    for (const { arrow, layer } of this.arrows) {
      arrow.place(row);
      if (this.off.has(layer)) arrow.group.visible = false;
    }
    for (const { dot, columns } of this.dots) dot.position.set(...columns.map((column) => row[column]));
    this.view.go(this.anchor(row));
    this.ask();
  }

  /** The sun and the end of the ground go with what one looks at. */
  surround() {
    const { target } = this.view.controls;
    const distance = this.view.camera.position.distanceTo(target);
    const [right, ahead, up] = this.view.axes();
    const focus = this.view.anchor;
    const half = Math.min(Math.max(1.3 * distance * Math.tan((this.view.camera.fov * Math.PI) / 360), 2 * this.size), 9 * this.size);
    const from = new Vector3().addScaledVector(right, -0.45).addScaledVector(ahead, -0.35).addScaledVector(up, 1).normalize();
    const camera = this.sun.shadow.camera;
    this.sun.position.copy(focus).addScaledVector(from, 12 * half);
    this.sun.target.position.copy(focus);
    if (camera.right !== half) {
      Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: half, far: 30 * half });
      camera.updateProjectionMatrix();
    }
    this.fill.position.copy(focus).addScaledVector(right, 5 * half).addScaledVector(ahead, -3 * half).addScaledVector(up, 2 * half);
    this.fill.target = this.sun.target;
    this.uniforms.uFocus.value.copy(target);
    this.uniforms.uReach.value = Math.max(1.7 * distance, 1.6 * (this.reach ?? 1), 4 * this.size);
    for (const thing of this.things) {
      if (!thing.level || !thing.mesh) continue;
      const wide = 2.1 * this.uniforms.uReach.value;
      thing.mesh.scale.set(wide, wide, 1);
      thing.mesh.position.x = target.x;
      thing.mesh.position.y = target.y;
    }
  }

  draw() {
    if (this.view.controls.enableDamping && this.view.controls.update()) this.ask();
    this.surround();
    this.renderer.render(this.world, this.view.camera);
  }

  /** @param {HTMLElement} host */
  resize(host) {
    const { clientWidth: width, clientHeight: height } = host;
    // another size, even the same one again, empties the picture
    if (!width || !height || (width === this.width && height === this.height)) return;
    Object.assign(this, { width, height });
    this.renderer.setSize(width, height, false);
    const first = this.aspect === undefined;
    this.view.camera.aspect = width / height;
    this.view.camera.updateProjectionMatrix();
    if (!first && Math.abs(this.aspect - width / height) > 0.3 && this.view.whole) this.view.look();
    this.aspect = width / height;
    this.ask();
  }

  /** The picture as it is now, for paper. */
  picture() {
    this.surround();
    const ratio = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(Math.max(ratio, ON_PAPER));
    this.renderer.render(this.world, this.view.camera);
    const picture = this.canvas.toDataURL("image/png");
    this.renderer.setPixelRatio(ratio);
    this.ask();
    return picture;
  }

  dispose() {
    for (const action of this.cleanup) action();
    this.clear();
    this.rehearsal?.dispose();
    this.view.dispose();
    this.renderer.dispose();
  }
}
