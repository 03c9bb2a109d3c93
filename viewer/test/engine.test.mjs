// The engine in the page: completing velocities, refusing wrong ones, runs and exact times.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, Refused } from "../src/engine.js";
import { shortest, solve } from "../src/linear.js";
import { followed, rotation, turned } from "../src/turns.js";
import { engine as layout, motion, STARTS, VALUES } from "./mock/disk.mjs";

const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not within ${tolerance} of ${b}`);

test("elimination solves square systems", () => {
  const { x, residual, rank } = solve([[2, 1], [1, 3]], [3, 5], 2);
  near(x[0], 0.8, 1e-15);
  near(x[1], 1.4, 1e-15);
  assert.equal(rank, 2);
  assert.ok(residual.every((r) => Math.abs(r) < 1e-15));
});

test("unknowns that are left open are zero, repeated equations do no harm", () => {
  const { x, residual, rank } = solve([[1, 0, 2], [2, 0, 4]], [4, 8], 3);
  assert.equal(rank, 1);
  assert.deepEqual(x, [0, 0, 2]);
  assert.deepEqual(residual, [0, 0]);
});

test("contradictions stay in the residual", () => {
  const { residual, rank } = solve([[1, 1], [1, 1]], [1, 2], 2);
  assert.equal(rank, 1);
  near(Math.max(...residual.map(Math.abs)), 1, 1e-15);
});

test("without unknowns the residual is minus the right side", () => {
  assert.deepEqual(solve([[], []], [1, 0], 0), { x: [], residual: [-1, 0], rank: 0 });
});

test("elimination agrees with products of random matrices", () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647 - 0.5;
  };
  for (let k = 0; k < 50; k += 1) {
    const n = 1 + (k % 9);
    const a = Array.from({ length: n }, () => Array.from({ length: n }, random));
    const truth = Array.from({ length: n }, random);
    const b = a.map((row) => row.reduce((sum, v, j) => sum + v * truth[j], 0));
    const { x, rank } = solve(a, b, n);
    assert.equal(rank, n);
    x.forEach((value, i) => near(value, truth[i], 1e-9));
  }
});

const task = (changes = {}) => ({
  parameters: new Map(Object.entries(VALUES)),
  positions: new Map(["theta", "phi", "psi", "x", "y"].map((name) => [name, STARTS[name]])),
  velocities: new Map(["theta'", "phi'", "psi'"].map((name) => [name, STARTS[name]])),
  until: 10, rtol: 1e-10, atol: 1e-12, count: 601, ...changes,
});

test("velocities that are not given follow from the constraints", async () => {
  const engine = await Engine.load(layout());
  const velocities = engine.enter(task());
  near(velocities.get("x'"), -2.5, 1e-15);
  near(velocities.get("y'"), 0, 1e-15);
});

test("velocities that slip are refused with a sentence", async () => {
  const engine = await Engine.load(layout());
  const slipping = task();
  slipping.velocities.set("x'", 1);
  assert.throws(() => engine.enter(slipping), (error) => error instanceof Refused && /violate constraint 1 by 3\.5/.test(error.message));
});

test("a run has the samples of the recorded motion", async () => {
  const engine = await Engine.load(layout());
  const { motion: made } = engine.run(task());
  const { t, rows } = motion();
  assert.equal(made.count, t.length);
  assert.equal(made.stop.reason, "end");
  near(made.t[300], t[300], 1e-12);
  near(made.column(0)[600], rows[600].theta, 1e-7);
  near(made.column(3)[600], rows[600].x, 1e-7);
});

test("no more samples are asked for than the engine has room for", async () => {
  const engine = await Engine.load(layout());
  assert.equal(engine.run(task({ count: 100000 })).motion.count, 1500);
});

test("an exact time is integrated to, not interpolated", async () => {
  const engine = await Engine.load(layout());
  const row = engine.at(task(), 1.2345);
  const direct = engine.run(task({ until: 1.2345, count: 400 })).motion;
  row.slice(0, 10).forEach((value, i) => near(value, direct.row(399)[i], 1e-9));
});

test("surfaces are sampled with u outside and v inside, closed ones without the last line", () => {
  const memory = { buffer: new ArrayBuffer(256) };
  const point = new Float64Array(memory.buffer, 64, 3);
  const exports = { memory, surface_0: (u, v) => point.set([u, v, new Float64Array(memory.buffer, 0, 1)[0]]) };
  const engine = new Engine({ at: { parameters: 0, point: 64 }, parameters: ["a"], sizes: { parameters: 1 } }, exports);
  const points = engine.surface({ function: 0, nu: 3, nv: 4, u: [0, 1], v: [0, 2], closed: [false, true] }, new Map([["a", 7]]));
  assert.deepEqual([...points.slice(0, 6)], [0, 0, 7, 0, 0.5, 7]);
  assert.deepEqual([...points.slice(-3)], [1, 1.5, 7]);
});

test("a rotation about an axis of space", () => {
  const quarter = rotation([0, 0, 1], Math.PI / 2);
  [0, -1, 0, 1, 0, 0, 0, 0, 1].forEach((x, i) => near(quarter[i], x, 1e-15));
  const any = rotation([2 / 3, -1 / 3, 2 / 3], 0.7);
  for (let i = 0; i < 3; i += 1) {
    for (let j = 0; j < 3; j += 1) {
      const product = [0, 1, 2].reduce((sum, k) => sum + any[3 * i + k] * any[3 * j + k], 0);
      near(product, i === j ? 1 : 0, 1e-15);
    }
  }
  near(any[0] + any[4] + any[8], 1 + 2 * Math.cos(0.7), 1e-15);
  // the axis stays
  [2 / 3, -1 / 3, 2 / 3].forEach((x, i) => near(any[3 * i] * (2 / 3) - any[3 * i + 1] / 3 + any[3 * i + 2] * (2 / 3), x, 1e-15));
});

test("turns are made one after the other, about axes of space", () => {
  const matrix = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const turns = [{ axis: [1, 0, 0], matrix, angle: Math.PI / 2 }, { axis: [0, 0, 1], matrix, angle: Math.PI / 2 }];
  const found = turned([1, 0, 0, 0, 1, 0, 0, 0, 1, 7], turns);
  // e₂ goes to e₃ and stays there, e₃ goes to −e₂ and then to e₁
  [0, 0, 1, 1, 0, 0, 0, 1, 0, 7].forEach((x, i) => near(found[i], x, 1e-15));
});

test("the shortest solution", () => {
  const x = shortest([[1, 1, 0], [2, 2, 0]], [2, 4], 3);
  [1, 1, 0].forEach((value, i) => near(x[i], value, 1e-15));
});

test("a centre follows a turn: an ellipse that stays on a line", () => {
  // the height of the centre of an ellipse with half axes 2 and 1 that touches the line below it
  const off = (p) => [p[9] - Math.hypot(2 * p[6], p[8])];
  const turn = { axis: [0, 1, 0], matrix: [0, 1, 2, 3, 4, 5, 6, 7, 8], angle: 0.6 };
  const found = followed([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 5], [turn], [9], off);
  near(found[9], Math.hypot(2 * Math.sin(0.6), Math.cos(0.6)), 1e-14);
  assert.equal(found[10], 5);
  assert.equal(followed([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 5], [turn], [10], off), null);
});

/** An engine whose steps take so many milliseconds each and whose motion takes so many steps; it spoils its state, as engines do. */
function slowly(perStep, needed) {
  const memory = { buffer: new ArrayBuffer(64) };
  const calls = [];
  const integrate = (_until, _count, _rtol, _atol, steps) => {
    const [time, state] = [new Float64Array(memory.buffer, 0, 1), new Float64Array(memory.buffer, 8, 2)];
    calls.push({ steps, time: time[0], state: [...state] });
    const done = performance.now() + perStep * Math.min(steps, needed);
    while (performance.now() < done);
    time[0] = 9;
    state.fill(9);
    return 16 * 5 + (steps < needed ? 3 : 0);
  };
  const engine = new Engine({ at: { time: 0, state: 8 }, sizes: { state: 2, capacity: 10 } }, { memory, integrate });
  engine.view("state", 2).set([1, 2]);
  return { engine, calls };
}

test("a motion of many steps is begun again with as many as there is time for", () => {
  const { engine, calls } = slowly(0.001, 30_000);
  assert.equal(engine.integrate(task()) & 15, 0);
  assert.equal(calls.length, 2);
  assert.deepEqual(calls.map(({ time, state }) => [time, ...state]), [[0, 1, 2], [0, 1, 2]]);
});

test("a motion that takes longer than it may ends where its time is over", () => {
  const { engine, calls } = slowly(0.01, 1e9);
  const began = performance.now();
  assert.equal(engine.integrate(task({ patience: 200 })) & 15, 3);
  assert.ok(performance.now() - began < 2000);
  assert.ok(calls[1].steps < 40_000);
  // and one that has no time left is not begun again
  const late = slowly(0.02, 1e9);
  assert.equal(late.engine.integrate(task({ patience: 50 })) & 15, 3);
  assert.equal(late.calls.length, 1);
});
