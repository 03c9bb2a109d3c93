// Colours that everybody can tell apart, on both grounds.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CURVES, LAYERS } from "../src/palette.js";
import { contrast, distance, KINDS, lab } from "./colour.mjs";

/** The smallest ΔE₀₀ of two curves: a difference that is seen at once, also of thin lines. */
const APART = 11;

/** The contrast that WCAG 2.2 asks for parts of a picture. */
const AGAINST_GROUND = 3;

const css = readFileSync(new URL("../src/style/base.css", import.meta.url), "utf8");
const [light, dark] = [...css.matchAll(/--panel: (#[0-9a-f]{6})/g)].map((m) => m[1]);

test("the distance is that of the published examples", () => {
  // among the test data of [Sharma2005]
  const pairs = [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425], [[50, 0, 0], [50, -1, 2], 2.3669],
    [[50, 2.5, 0], [58, 24, 15], 19.4535], [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ];
  for (const [one, other, expected] of pairs) assert.equal(distance(one, other).toFixed(4), expected.toFixed(4));
});

for (const [theme, ground] of [["light", light], ["dark", dark]]) {
  test(`curves are told apart by everybody, ${theme}`, () => {
    const list = CURVES[theme];
    for (const kind of KINDS) {
      const seen = list.map((colour) => lab(colour, kind));
      for (let i = 0; i < list.length; i += 1) {
        for (let j = 0; j < i; j += 1) {
          const apart = distance(seen[i], seen[j]);
          assert.ok(apart >= APART, `${list[j]} and ${list[i]} with ${kind}: ΔE ${apart.toFixed(1)}`);
        }
      }
    }
  });

  test(`curves stand out from their ground, ${theme}`, () => {
    for (const colour of CURVES[theme]) assert.ok(contrast(colour, ground) >= AGAINST_GROUND, `${colour}: ${contrast(colour, ground)}`);
  });

  test(`the curves of contact are told apart by everybody, ${theme}`, () => {
    const { body, ground: other, force } = LAYERS[theme];
    for (const kind of KINDS) {
      for (const [a, b] of [[body, other], [other, force]]) {
        assert.ok(distance(lab(a, kind), lab(b, kind)) >= APART, `${a} and ${b} with ${kind}`);
      }
    }
  });
}
