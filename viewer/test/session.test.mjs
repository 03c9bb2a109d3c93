// Questions to the program: at once, one at a time, and after that only the newest.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Motion } from "../src/motion.js";
import { Session } from "../src/session.js";

const pack = (numbers) => ({ f64: Buffer.from(Float64Array.from(numbers).buffer).toString("base64") });
const recorded = (x) => ({ t: pack([0, 1]), values: pack([x, x]), events: [], stop: null, report: {} });
const start = (name, value) => ({ name, value, kind: "position", given: true, free: true, where: "server" });

const model = () => ({
  model: { name: "m", text: "" }, columns: [{ name: "x" }], recorded: recorded(0), until: 1, engine: null,
  parameters: [{ name: "g", value: 9, free: true, where: "server" }],
  starts: [start("touching[1]", 0), start("touching[2]", 5), start("touching[3]", 6), start("other[1]", 7)],
});

/** @type {{body: any, answer: (x: number) => void, gone: boolean}[]} */
let asked = [];

beforeEach(() => {
  asked = [];
  globalThis.fetch = (_path, { body, signal }) => new Promise((done, fail) => {
    const question = { body: JSON.parse(body), gone: false, give: (json) => done({ ok: true, json: async () => json }), answer: (x) => question.give({ recorded: recorded(x), diagnostics: [] }) };
    signal?.addEventListener("abort", () => {
      question.gone = true;
      fail(new DOMException("gone", "AbortError"));
    });
    asked.push(question);
  });
});

const tick = () => new Promise((done) => setTimeout(done, 0));

test("while the program answers, only the newest values wait", async () => {
  const session = new Session(model(), { name: "m" }, true);
  for (const g of [1, 2, 3, 4]) session.set("g", g);
  assert.deepEqual(asked.map((q) => q.body.set.g), [1]);
  asked[0].answer(10);
  await tick();
  assert.deepEqual(asked.map((q) => q.body.set.g), [1, 4]);
  // what came is shown, and it is not the last word
  assert.equal(session.values().x, 10);
  assert.equal(session.status.kind, "asking");
  asked[1].answer(40);
  await session.answered;
  assert.equal(session.values().x, 40);
  assert.equal(session.status.kind, "computed");
  assert.equal(asked.length, 2);
  assert.ok(!asked.some((q) => q.gone), "nobody hung up");
});

test("an answer that comes after a reset is not shown", async () => {
  const session = new Session(model(), { name: "m" }, true);
  session.set("g", 1);
  session.reset();
  assert.ok(asked[0].gone);
  asked[0].answer(10);
  await tick();
  assert.deepEqual([session.status.kind, session.values().x], ["recorded", 0]);
  session.set("g", 2);
  asked[1].answer(20);
  await session.answered;
  assert.deepEqual([session.status.kind, session.values().x], ["computed", 20]);
});

test("where bodies are placed by the program, the page computes from there", async () => {
  const own = { ...model(), starts: [{ ...start("touching[1]", 0), where: "placed" }, { ...start("x", 3), where: "page" }] };
  const session = new Session(own, { name: "m" }, true);
  const tasks = [];
  session.engine = { setParameters: () => new Map(), run: (task) => { tasks.push(task); return { motion: Motion.recorded(recorded(task.positions.get("x"))), follows: new Map() }; } };
  session.set("touching[1]", 1);
  assert.deepEqual([asked[0].body.place, asked[0].body.start], [true, { "touching[1]": 1 }]);
  asked[0].give({ start: { x: 4 }, placed: { "touching[1]": 1 } });
  await session.answered;
  assert.deepEqual([session.status.kind, session.values().x, session.get("x")], ["computed", 4, 4]);
  // where its equations are others, the program has the motion
  session.set("touching[1]", 2);
  asked[1].answer(20);
  await session.answered;
  assert.deepEqual([session.values().x, session.placed], [20, null]);
  // and where the engine breaks down
  session.engine.run = () => { throw new WebAssembly.RuntimeError("unreachable"); };
  session.set("touching[1]", 3);
  asked[2].give({ start: { x: 5 }, placed: {} });
  await tick();
  assert.ok(!asked[3].body.place);
  asked[3].answer(30);
  await session.answered;
  assert.deepEqual([session.status.kind, session.values().x, asked.length], ["computed", 30, 4]);
  session.reset();
  assert.equal(session.get("x"), 3);
});

test("only what was chosen goes to the program: the others may have to follow it", () => {
  const session = new Session(model(), { name: "m" }, true);
  session.set("touching[1]", 1);
  assert.deepEqual(asked[0].body.start, { "touching[1]": 1 });
});

test("the question of the page before its script is asked once", async () => {
  const { server } = await import("../src/api.js");
  const answer = { ok: true, json: async () => ({ ok: true, early: true }) };
  globalThis.polhodeFirst = { body: JSON.stringify({ name: "m" }), answer: Promise.resolve(answer) };
  server.model({ name: "other" });
  assert.equal(asked.length, 1);
  assert.equal((await server.model({ name: "m" })).early, true);
  assert.equal(asked.length, 1);
  server.model({ name: "m" });
  assert.equal(asked.length, 2);
});
