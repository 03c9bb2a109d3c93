// Exported scenes in the loader of three.js: its animation puts bodies where `polhode run` says they are.
//
// POLHODE is the program; without it ../target/debug/polhode.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { AnimationMixer, Box3, Matrix3, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const program = resolve(process.env.POLHODE ?? join(import.meta.dirname, "../../target/debug/polhode"));
const skip = existsSync(program) ? false : `no program at ${program}`;
const folder = mkdtempSync(join(tmpdir(), "polhode-gltf-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Keys are single precision, and between them positions are interpolated. */
const TOLERANCE = 2e-5;

/** Exports a motion and opens it. @param {string} model @param {number} until */
async function opened(model, until) {
  const file = join(folder, `${model}.glb`);
  execFileSync(program, ["export", model, "--gltf", file, "--until", String(until)]);
  const bytes = readFileSync(file);
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const gltf = await new GLTFLoader().parseAsync(data, "");
  const mixer = new AnimationMixer(gltf.scene);
  assert.equal(gltf.animations.length, 1);
  mixer.clipAction(gltf.animations[0]).play();
  return { gltf, mixer, times: gltf.animations[0].tracks[0].times };
}

/** The numbers of a run at some times. @param {string} model @param {number[]} times */
function run(model, times, until) {
  const text = execFileSync(program, ["run", model, "--json", "--until", String(until), "--at", times.join(",")], { maxBuffer: 1 << 28 });
  return JSON.parse(text).samples.map(({ state, derived }) => ({ ...state, ...derived }));
}

/** Some keys of an animation, which begin at 0. @param {ArrayLike<number>} times */
const some = (times) => [0.1, 0.45, 0.8].map((part) => times[Math.round(part * (times.length - 1))]);

const near = (a, b, what) => assert.ok(Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(b)), `${what}: ${a}, not ${b}`);

/** A node of a name, with its matrix in the axes of the model: without the turn that puts y up. */
function placed(gltf, name) {
  const root = gltf.scene.children[0];
  root.quaternion.identity();
  root.updateMatrixWorld(true);
  const node = gltf.scene.getObjectByName(name);
  assert.ok(node, `no node ${name}`);
  return node;
}

for (const { model, body, until, position } of [
  { model: "ellipsoid-on-plane", body: "ellipsoid", until: 3, position: "x_O" },
  { model: "rattleback", body: "stone", until: 2, position: "x_O" },
]) {
  test(`the body of ${model} is where it is in a run`, { skip }, async () => {
    const { gltf, mixer, times } = await opened(model, until);
    const chosen = some(times);
    const rows = run(model, chosen, until);
    for (const [k, t] of chosen.entries()) {
      mixer.setTime(t);
      const node = placed(gltf, body);
      const point = new Vector3().setFromMatrixPosition(node.matrixWorld).toArray();
      rows[k][position].forEach((x, i) => near(point[i], x, `${position}[${i + 1}] at ${t}`));
      // columns of three.js are rows of the matrix that a run reports
      const turned = new Matrix3().setFromMatrix4(node.matrixWorld).transpose().toArray();
      rows[k].R.flat().forEach((x, i) => near(turned[i], x, `R entry ${i} at ${t}`));
    }
  });
}

test("a disk that is drawn is where its coordinates are, with the force on it", { skip }, async () => {
  const { gltf, mixer, times } = await opened("rolling-disk", 3);
  const chosen = some(times);
  const rows = run("rolling-disk", chosen, 3);
  const lengths = [];
  for (const [k, t] of chosen.entries()) {
    mixer.setTime(t);
    const { theta, phi, x, y, force } = rows[k];
    const point = new Vector3().setFromMatrixPosition(placed(gltf, "body").matrixWorld).toArray();
    const centre = [x - Math.cos(theta) * Math.sin(phi), y + Math.cos(theta) * Math.cos(phi), Math.sin(theta)];
    centre.forEach((value, i) => near(point[i], value, `centre[${i + 1}] at ${t}`));
    const arrow = placed(gltf, "force");
    assert.deepEqual(arrow.children.map((child) => child.name.replace(/_\d+$/, "")), ["shaft", "head"]);
    // the shaft is a stick along z of length 1 about its middle
    const ends = [-0.5, 0.5].map((z) => new Vector3(0, 0, z).applyMatrix4(arrow.children[0].matrixWorld));
    [x, y, 0].forEach((value, i) => near(ends[0].getComponent(i), value, `foot[${i + 1}] at ${t}`));
    const along = ends[1].clone().sub(ends[0]).normalize();
    const size = Math.hypot(...force);
    force.forEach((f, i) => near(along.getComponent(i), f / size, `direction[${i + 1}] at ${t}`));
    const tip = new Vector3(0, 0, 0.5).applyMatrix4(arrow.children[1].matrixWorld);
    lengths.push(tip.distanceTo(ends[0]) / size);
  }
  lengths.forEach((scale) => near(scale / lengths[0], 1, "one scale for all forces"));
});

test("glass is blended, and everything has a size", { skip }, async () => {
  const { gltf } = await opened("wheel-in-shell", 1);
  const materials = [];
  gltf.scene.traverse((node) => node.isMesh && materials.push(node.material));
  assert.ok(materials.some((m) => m.transparent && m.opacity < 1), "no glass");
  assert.ok(materials.some((m) => !m.transparent), "nothing but glass");
  const size = new Box3().setFromObject(gltf.scene).getSize(new Vector3()).toArray();
  assert.ok(size.every((x) => Number.isFinite(x) && x > 0), `${size}`);
});
