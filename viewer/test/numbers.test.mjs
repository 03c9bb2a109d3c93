// Numbers and names as they are written, ticks of axes, colouring of text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluate, Wrong } from "../src/formula.js";
import { parts, pieces as written, pretty } from "../src/names.js";
import { full, niceStep, short, steady, unit } from "../src/numbers.js";
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
  assert.equal(evaluate(" −1,5 "), -1.5);
  assert.equal(evaluate("2e-3"), 0.002);
  assert.equal(evaluate(".5"), 0.5);
  assert.equal(evaluate("2*pi"), 2 * Math.PI);
  assert.equal(evaluate("sqrt(2)/3"), Math.sqrt(2) / 3);
  assert.equal(evaluate("-2^2"), -4);
  assert.equal(evaluate("2^3^2"), 512);
  assert.equal(evaluate("-(1 - 3)*10^-2"), 0.02);
  assert.equal(evaluate("90*deg"), Math.PI / 2);
  assert.equal(evaluate("atan2(1, -1)"), 0.75 * Math.PI);
  assert.equal(evaluate("2·10**3"), 2000);
  assert.equal(evaluate("M*g/2", (name) => ({ M: 2, g: 9.81 })[name]), 9.81);
});

test("what is wrong with a formula", () => {
  const why = (text) => {
    try {
      return evaluate(text);
    } catch (error) {
      assert.ok(error instanceof Wrong, `${text}: ${error.stack}`);
      return error.message;
    }
  };
  assert.equal(why(""), "the formula is empty");
  assert.equal(why("2*"), "something is missing after `*`");
  assert.equal(why("*2"), "something is missing before `*`");
  assert.equal(why("(2 + )"), "something is missing between `+` and `)`");
  assert.equal(why("2x"), "a multiplication sign is missing: write `2*x`");
  assert.equal(why("1/(2 - 2)"), "division by zero: the divisor `(2 - 2)` is 0");
  assert.equal(why("sqrt(1 - 3)"), "the root of `1 - 3` has no real value");
  assert.equal(why("foo(2)"), "there is no function `foo`");
  assert.equal(why("sin"), "a function needs its arguments: sin(x)");
  assert.equal(why("sin 2"), "the argument of `sin` goes in parentheses: write `sin(2)`");
  assert.equal(why("atan2(1)"), "`atan2` takes two arguments, not 1");
  assert.equal(why("abc"), "unknown name `abc`: not a parameter");
  assert.equal(why("1,5 + 2"), "a comma is not a decimal point: the decimal point is a dot: `0.5`");
  assert.equal(why("(1"), "a `)` is missing");
  assert.equal(why("1)"), "this `)` closes nothing");
  assert.equal(why("1e999"), "`1e999` has no finite value");
  assert.equal(why("3 $"), "`$` has no place in a formula");
});

test("units are printed", () => {
  assert.equal(unit("m/s^2"), "m/s²");
  assert.equal(unit("kg*m^2"), "kg·m²");
  assert.equal(unit("s^-1"), "s⁻¹");
  assert.equal(unit("N*m/rad"), "N·m/rad");
});

test("LaTeX of a model in labels", () => {
  assert.equal(pretty("phi", "\\varphi"), "φ");
  assert.equal(pretty("phi'", "\\dot{\\varphi}"), "φ\u0307");
  assert.equal(pretty("r", "r_0"), "r₀");
  assert.equal(pretty("I1", "I_{12}"), "I₁₂");
  assert.equal(pretty("k", "k^{2}"), "k²");
  assert.deepEqual(written("r_{\\mathrm{max}}"), [{ text: "r", level: 0, upright: false }, { text: "max", level: -1, upright: true }]);
  // what needs more than a line of letters is named as the model names it
  for (const latex of ["\\frac{a}{b}", "a_{b_c}", "{x", "x}", "\\sqrt{2}", "", "\\dot"]) assert.equal(pretty("omega", latex), "ω", latex);
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
  // c twelve would be c₁₂
  assert.equal(pretty("c1[2]"), "c₁,₂");
  assert.equal(pretty("lambda_1[2]'"), "λ\u0307₁,₂");
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
