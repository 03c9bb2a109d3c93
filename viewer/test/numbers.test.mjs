// Numbers and names as they are written, ticks of axes, colouring of text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parts, pretty } from "../src/names.js";
import { full, niceStep, parse, short, steady } from "../src/numbers.js";
import { linear, logarithmic } from "../src/plots/axis.js";
import { pieces } from "../src/toml.js";

test("short numbers", () => {
  assert.equal(short(0), "0");
  assert.equal(short(1.5), "1.5");
  assert.equal(short(-2.25), "−2.25");
  assert.equal(short(1 / 3), "0.333333");
  assert.equal(short(1e-5), "10⁻⁵");
  assert.equal(short(-1.25e-12), "−1.25·10⁻¹²");
  assert.equal(short(1234567.8, 4), "1.235·10⁶");
  assert.equal(short(250000), "250000");
  assert.equal(short(NaN), "not a number");
  assert.equal(short(-Infinity), "−∞");
  assert.equal(short(null), "—");
});

test("steady numbers keep their width", () => {
  assert.equal(steady(1), "1.00000");
  assert.equal(steady(-12.3456789), "−12.3457");
  assert.equal(steady(0), "0.00000");
  assert.equal(steady(1.5e-7), "1.500·10⁻⁷");
});

test("all digits read back to the same double", () => {
  for (const x of [0.1, 1 / 3, Math.PI, 1e-300, 123456789.123456789]) assert.equal(Number(full(x)), x);
  assert.equal(full(-0), "0");
});

test("what people type", () => {
  assert.equal(parse(" −1,5 "), -1.5);
  assert.equal(parse("2e-3"), 0.002);
  assert.equal(parse(".5"), 0.5);
  assert.equal(parse("pi"), null);
  assert.equal(parse(""), null);
  assert.equal(parse("1e999"), null);
});

test("nice steps", () => {
  assert.equal(niceStep(10, 5), 2);
  assert.equal(niceStep(0.9, 4), 0.5);
  assert.equal(niceStep(3, 3), 1);
});

test("names become symbols", () => {
  assert.equal(pretty("theta"), "θ");
  assert.equal(pretty("theta'"), "θ\u0307");
  assert.equal(pretty("Omega[1]"), "Ω₁");
  assert.equal(pretty("stone.R[1,3]"), "stone R₁₃");
  assert.equal(pretty("I1"), "I₁");
  assert.equal(pretty("lambda_1"), "λ₁");
  assert.equal(pretty("x_O[1]"), "xO₁");
  assert.equal(pretty("mu_required"), "μ required");
  assert.equal(pretty("normal_force"), "normal force");
  assert.equal(pretty("no slip x"), "no slip x");
  assert.deepEqual(parts("stone.Omega[2]"), { owner: "stone", own: "Ω₂", symbol: true });
  assert.deepEqual(parts("height"), { owner: "", own: "height", symbol: false });
});

test("linear axes", () => {
  const axis = linear(0, 10, { pad: 0 });
  assert.deepEqual(axis.ticks.map((t) => t.text), ["0", "2", "4", "6", "8", "10"]);
  const small = linear(-3e-8, 1e-9);
  assert.equal(small.factor, "×10⁻⁸");
  assert.ok(small.ticks.length >= 2);
  assert.ok(!small.ticks.some((t) => t.text === "−0"));
  const constant = linear(5, 5);
  assert.ok(constant.low < 5 && constant.high > 5);
});

test("logarithmic axes", () => {
  assert.deepEqual(logarithmic(1e-16, 1e-12).ticks.map((t) => t.text), ["10⁻¹⁶", "10⁻¹⁵", "10⁻¹⁴", "10⁻¹³", "10⁻¹²"]);
});

test("colouring", () => {
  const kinds = (line) => pieces(line).map((p) => [line.slice(p.from, p.to), p.kind]);
  assert.deepEqual(kinds("[body.stone]"), [["[body.stone]", "table"]]);
  assert.deepEqual(kinds('mass = 1.0 # "kg"'), [["mass", "key"], ["1.0", "number"], ['# "kg"', "comment"]]);
  assert.deepEqual(kinds('x = "a # b"'), [["x", "key"], ['"a # b"', "string"]]);
});
