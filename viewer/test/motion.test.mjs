// Samples and what is between them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unpack } from "../src/base64.js";
import { Motion } from "../src/motion.js";
import { f32, f64, u32 } from "./mock/pack.mjs";

const times = Array.from({ length: 101 }, (_, i) => i / 10);
const wave = new Motion(Float64Array.from(times), Float64Array.from(times.flatMap((t) => [Math.sin(t), t])));

test("packed numbers come back bit by bit", () => {
  const list = [0, -0, 1 / 3, 1e300, 5e-324, -Infinity];
  assert.deepEqual([...unpack(f64(list))], list);
  assert.deepEqual([...unpack(f32([1.5, -2]))], [1.5, -2]);
  assert.deepEqual([...unpack(u32([0, 4294967295]))], [0, 4294967295]);
  assert.throws(() => unpack({}), TypeError);
});

test("at a sample the numbers are the sample", () => {
  for (const i of [0, 1, 50, 100]) assert.deepEqual([...wave.at(wave.t[i])], [...wave.row(i)]);
});

test("between samples the numbers are smooth and near", () => {
  for (let t = 0.35; t < 9.7; t += 0.1) {
    const [sine, time] = wave.at(t);
    assert.ok(Math.abs(sine - Math.sin(t)) < 2e-5);
    assert.ok(Math.abs(time - t) < 1e-12);
  }
});

test("outside, the first and the last sample hold", () => {
  assert.deepEqual([...wave.at(-1)], [...wave.row(0)]);
  assert.deepEqual([...wave.at(99)], [...wave.row(100)]);
});

test("beside an event nothing overshoots", () => {
  const jump = new Motion(Float64Array.from([0, 1, 2, 3]), Float64Array.from([0, 0, 1, 1]), { events: [{ t: 1.5, name: "", kind: "", text: "" }] });
  assert.deepEqual([0.5, 1.25, 2.5].map((t) => jump.at(t)[0]), [0, 0.25, 1]);
});

test("refined, a motion keeps its samples and gains others", () => {
  const fine = wave.refined(350);
  assert.equal(fine.count, 401);
  assert.deepEqual([...fine.row(40)], [...wave.row(10)]);
  assert.ok(Math.abs(fine.row(42)[0] - Math.sin(1.05)) < 1e-4);
  assert.equal(wave.refined(50), wave);
});

test("a motion that was run backwards is turned round", () => {
  const back = Motion.recorded({ t: f64([0, -1, -2]), values: f64([1, 2, 3, 4, 5, 6]) });
  assert.deepEqual([...back.t], [-2, -1, 0]);
  assert.deepEqual([...back.row(2)], [1, 2]);
});

test("ranges skip what is not finite, and constants do not vary", () => {
  const motion = new Motion(Float64Array.from([0, 1, 2]), Float64Array.from([1, 5, NaN, 5, 3, 5 + 1e-13]));
  assert.deepEqual(motion.range(0), [1, 3]);
  assert.equal(motion.varies(0), true);
  assert.equal(motion.varies(1), false);
});

test("a motion that was run backwards is turned round", () => {
  const motion = Motion.forward(Float64Array.of(0, -1, -2), Float64Array.of(10, 11, 12), {});
  assert.deepEqual([...motion.t], [-2, -1, 0]);
  assert.deepEqual([...motion.column(0)], [12, 11, 10]);
  assert.deepEqual([...motion.row(motion.index(-2))], [12]);
});

test("extremes are those of the program, or the tops of parabolas through samples", () => {
  const found = wave.extremes(0);
  assert.ok(Math.abs(found.high - 1) < 1e-6 && Math.abs(Math.sin(found.highAt) - 1) < 1e-6, JSON.stringify(found));
  assert.ok(Math.abs(found.low + 1) < 1e-6 && found.lowAt > 4.6 && found.lowAt < 4.8, JSON.stringify(found));
  assert.equal(wave.extremes(1).high, 10);
  const told = new Motion(wave.t, wave.values, { report: { ranges: [[-1, 4.7, 1, 1.57]] } });
  assert.deepEqual(told.extremes(0), { low: -1, lowAt: 4.7, high: 1, highAt: 1.57 });
});

test("beside an event an extreme is a sample", () => {
  const kick = new Motion(Float64Array.from([0, 1, 2]), Float64Array.from([0, 1, 0.9]), { events: [{ t: 1.5, name: "", kind: "", text: "" }] });
  assert.deepEqual([kick.extremes(0).high, kick.extremes(0).highAt], [1, 1]);
});

test("energy less work is what the books say, forwards and backwards", () => {
  const [t, energy, work] = [[0, 1, 2], [5, 4, 2], [0, -1, -3]].map((list) => Float64Array.from(list));
  assert.deepEqual([...new Motion(t, energy, { work }).books(0)], [0, 0, 0]);
  assert.deepEqual([...new Motion(t, energy).books(0)], [0, -1, -3]);
  const back = Motion.forward(Float64Array.from([0, -1, -2]), Float64Array.from([5, 4, 2]), { work: Float64Array.from([0, -1, -3]) });
  assert.deepEqual([[...back.t], [...back.books(0)]], [[-2, -1, 0], [0, 0, 0]]);
});

test("beside a corner the curve is as smooth as elsewhere, and its tangents are those of its own side", () => {
  // |sin t| has a corner at π, with a sample there as the program gives one at every event
  const t = [...Array.from({ length: 13 }, (_, i) => (i * Math.PI) / 12), ...Array.from({ length: 7 }, (_, i) => Math.PI + ((i + 1) * Math.PI) / 12)];
  const about = { events: [{ t: Math.PI, name: "", kind: "", text: "" }] };
  const bounce = new Motion(Float64Array.from(t), Float64Array.from(t.map((x) => Math.abs(Math.sin(x)))), about);
  for (let x = 0.05; x < 4.9; x += 0.03) assert.ok(Math.abs(bounce.at(x)[0] - Math.abs(Math.sin(x))) < 1.5e-3, `${x}: ${bounce.at(x)[0]}`);
});

test("uneven samples: parabolas are exact", () => {
  const t = [0, 0.1, 0.5, 0.6, 1.5, 2];
  const motion = new Motion(Float64Array.from(t), Float64Array.from(t.map((x) => x * x - x)));
  for (const x of [0.05, 0.3, 0.55, 1, 1.9]) assert.ok(Math.abs(motion.at(x)[0] - (x * x - x)) < 1e-14);
});

test("at a jump the numbers are those before it, and just later those after it; curves keep both", () => {
  const t = [0, 1, 2, 2, 3, 4];
  const jump = new Motion(Float64Array.from(t), Float64Array.from([0, 1, 2, -2, -1, 0]), { events: [{ t: 2, name: "", kind: "", text: "" }] });
  assert.equal(jump.at(2)[0], 2);
  assert.equal(jump.row(jump.index(2))[0], 2);
  assert.ok(Math.abs(jump.at(2 + 1e-9)[0] + 2) < 1e-8);
  assert.ok(Math.abs(jump.at(2 - 1e-9)[0] - 2) < 1e-8);
  const fine = jump.refined(24);
  const at = [...fine.t].flatMap((x, i) => (x === 2 ? [fine.row(i)[0]] : []));
  assert.deepEqual(at, [2, -2]);
});
