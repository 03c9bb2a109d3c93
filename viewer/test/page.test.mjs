// The page in a browser: gallery, a model, playing, sliders, the editor, and a page alone without a network.
// Pictures are kept in shots/ to be looked at.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, openPage, settled, SHOTS, SIZES } from "./browser.mjs";
import * as disk from "./mock/disk.mjs";
import { document as ellipsoid } from "./mock/ellipsoid.mjs";
import { f64 } from "./mock/pack.mjs";
import { equations, FACTS, pageWith, serve } from "./mock/server.mjs";

let browser;
let server;
const folder = mkdtempSync(join(tmpdir(), "polhode-page-"));

before(async () => {
  [browser, server] = await Promise.all([launch(), serve()]);
});

after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** A page that must end without problems. */
async function visit(address, options, body) {
  const { context, page, problems } = await openPage(browser, options);
  try {
    await page.goto(address);
    await body(page, context);
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

const values = (page) => page.evaluate(() => window.polhode.values());
const visible = (page, selector) => page.locator(`${selector}:visible`).count();

test("gallery: search, keys, a card leads to its model", async () => {
  await visit(server.address, SIZES.desktop, async (page) => {
    await page.waitForSelector(".model-card");
    const all = await visible(page, ".model-card");
    assert.ok(all > 40);
    await page.screenshot({ path: `${SHOTS}gallery-light.png` });
    await page.keyboard.press("/");
    await page.keyboard.type("diaz disk");
    const some = await visible(page, ".model-card");
    assert.ok(some >= 1 && some < 5, `${some} cards`);
    await page.fill("input[type=search]", "rolling-disk cendra");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.match(page.url(), /#\/model\/rolling-disk/);
    assert.equal(await page.textContent(".model h1"), "Disk rolling on a horizontal plane");
    await page.keyboard.press("g");
    await page.waitForSelector(".gallery");
  });
});

test("model: paused at the start, space plays, arrows step, samples are exact", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    assert.equal(await page.evaluate(() => window.polhode.time), 0);
    assert.equal((await values(page)).theta, 1);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => window.polhode.time > 0.15);
    await page.keyboard.press("Space");
    const stopped = await page.evaluate(() => window.polhode.time);
    await page.waitForTimeout(150);
    assert.equal(await page.evaluate(() => window.polhode.time), stopped);
    await page.evaluate(() => window.polhode.seek(window.polhode.motion.t[240]));
    const { rows } = disk.motion();
    assert.equal((await values(page)).phi, rows[240].phi);
    await page.keyboard.press("ArrowRight");
    assert.equal((await values(page)).phi, rows[241].phi);
    await page.keyboard.press("Home");
    assert.equal(await page.evaluate(() => window.polhode.time), 0);
    await page.evaluate(() => window.polhode.seek(4));
    await page.screenshot({ path: `${SHOTS}model-light.png` });
  });
});

test("model: something is drawn, and playing changes it", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    const stage = page.locator(".stage-canvas");
    const first = await stage.screenshot();
    await page.evaluate(() => window.polhode.seek(2));
    await page.waitForTimeout(200);
    const second = await stage.screenshot();
    assert.ok(!first.equals(second));
    const plot = page.locator(".plot-card canvas").first();
    const filled = await plot.evaluate((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((x) => x > 0));
    assert.ok(filled);
  });
});

test("while the program computes, shaders are translated that the scene then draws with", async () => {
  const { context, page, problems } = await openPage(browser);
  let release;
  const held = new Promise((done) => (release = done));
  try {
    // programs by their numbers: how many there are, and which draw
    await page.addInitScript(() => {
      const gl = WebGL2RenderingContext.prototype;
      const { linkProgram, useProgram, drawElements } = gl;
      const numbers = new Map();
      let current = -1;
      Object.assign(window, { linked: numbers, drawn: new Set() });
      gl.linkProgram = function (program) {
        numbers.set(program, numbers.size);
        linkProgram.call(this, program);
      };
      gl.useProgram = function (program) {
        current = numbers.get(program) ?? -1;
        useProgram.call(this, program);
      };
      gl.drawElements = function (...how) {
        window.drawn.add(current);
        drawElements.apply(this, how);
      };
    });
    await page.route("**/api/model", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.address}#/model/rolling-disk`);
    await page.waitForFunction(() => window.drawn.size > 0);
    const rehearsed = await page.evaluate(() => {
      window.drawn.clear();
      return window.linked.size;
    });
    assert.equal(await visible(page, ".model h1"), 0);
    release();
    await settled(page);
    const drawn = await page.evaluate(() => [...window.drawn]);
    assert.ok(drawn.filter((n) => n < rehearsed).length >= 2, `${drawn} of ${rehearsed}`);
    assert.deepEqual(problems, []);
  } finally {
    release();
    await context.close();
  }
});

test("sliders compute in the page, at once; a double click takes it back", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    const slider = page.locator('input[type=range][data-name="r"]');
    await slider.focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press("ArrowRight");
    const r = await page.evaluate(() => Number(document.querySelector('input[data-name="r"]').value));
    assert.ok(Math.abs(r - 1.09) < 1e-9, `r = ${r}`);
    assert.match(await page.textContent(".sliders .status"), /^Computed in this page in [\d.]+ m?s\.$/);
    await page.evaluate(() => window.polhode.seek(window.polhode.motion.end));
    const { rows } = disk.motion({ set: { r } });
    const now = await values(page);
    assert.ok(Math.abs(now.theta - rows.at(-1).theta) < 1e-6);
    await page.screenshot({ path: `${SHOTS}slider.png` });
    await slider.dblclick();
    assert.match(await page.textContent(".sliders .status"), /^Computed by the program/);
    assert.equal((await values(page)).theta, disk.motion().rows.at(-1).theta);
  });
});

test("numbers typed, velocities that follow, and refusals", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    await page.fill('input[aria-label="psi\', number"]', "4");
    await page.keyboard.press("Enter");
    assert.equal((await values(page))["x'"], -4);
    assert.match(await page.textContent('.fixed-value:has([title="x\'"]) .number'), /−4/);
    await page.evaluate(() => window.polhode.set("x'", 1));
    assert.match(await page.textContent(".sliders .status"), /violate constraint 1 by 5/);
    assert.equal((await values(page))["x'"], -4);
  });
});

const field = (page, name) => page.locator(`input[aria-label="${name}, number"]`);
const rowOf = (page, name) => page.locator(`.value:has(input[data-name="${name}"])`);

test("numbers may be formulas; what is wrong is said in place, and the text stays to be mended", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    const r = field(page, "r");
    for (const [text, value] of [["sqrt(2)/3", Math.SQRT2 / 3], ["0,75", 0.75], ["M/2", 0.5], ["1e0", 1]]) {
      await r.fill(text);
      await r.press("Enter");
      assert.equal(await page.evaluate(() => window.polhode.setting("r")), value, text);
    }
    await r.fill("2*");
    await r.press("Tab");
    const said = rowOf(page, "r").locator(".refusal");
    assert.equal(await said.textContent(), "something is missing after `*`");
    assert.equal(await r.inputValue(), "2*");
    assert.equal(await r.getAttribute("aria-describedby"), await said.getAttribute("id"));
    await page.screenshot({ path: `${SHOTS}refused.png` });
    await r.press("Escape");
    assert.equal(await r.inputValue(), "1");
    assert.ok(await said.isHidden());
    const theta = field(page, "theta");
    await theta.fill("4");
    await theta.press("Enter");
    assert.equal(await rowOf(page, "theta").locator(".refusal").textContent(), "`theta` starts at 4, outside its interval (0, 3.14159)");
    await theta.fill("0.5");
    await theta.press("Enter");
    assert.ok(await rowOf(page, "theta").locator(".refusal").isHidden());
    assert.equal((await values(page)).theta, 0.5);
    const until = field(page, "until");
    await until.fill("-1");
    await until.press("Enter");
    assert.match(await page.locator(".refusal:visible").textContent(), /a time above 0/);
    await until.fill("2*pi");
    await until.press("Enter");
    assert.equal(await page.evaluate(() => window.polhode.motion.end), 2 * Math.PI);
  });
});

test("names as the model writes them, with what they mean and their units", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    assert.equal(await rowOf(page, "phi").locator(".symbol sub.upright").textContent(), "h");
    assert.equal(await rowOf(page, "phi").locator(".name small").textContent(), "heading");
    assert.equal(await rowOf(page, "phi").locator(".unit").textContent(), "rad = 0°");
    assert.equal(await rowOf(page, "g").locator(".unit").textContent(), "m/s²");
    assert.ok(await page.locator('.plot-card option[value="phi"]', { hasText: "φh" }).count());
    await page.click(".plot-card button:has-text('Strips')");
    assert.equal(await page.locator(".legend .key:has([title^='phi:']) sub").textContent(), "h");
    await page.click("#tab-numbers");
    assert.match(await page.locator("table.numbers tr", { has: page.locator("[title^='phi:']") }).textContent(), /φh.*heading/);
  });
});

test("a changed value is marked, and goes back with its button, with Delete, and with all others", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    const [row, slider] = [rowOf(page, "r"), page.locator('input[type=range][data-name="r"]')];
    const marked = () => row.evaluate((element) => element.classList.contains("changed"));
    const button = row.locator("button.reset");
    assert.ok(!(await marked()) && (await button.isHidden()));
    const change = async () => {
      await slider.focus();
      await page.keyboard.press("ArrowRight");
      assert.ok(await marked());
    };
    await change();
    assert.equal(await button.getAttribute("aria-label"), "Reset r to 1");
    await button.click();
    assert.ok(!(await marked()));
    await change();
    await page.keyboard.press("Delete");
    assert.ok(!(await marked()));
    await change();
    await page.evaluate(() => window.polhode.set("M", 2));
    await page.click(".sliders button.quiet:has-text('Reset')");
    assert.equal(await page.locator(".value.changed").count(), 0);
    assert.equal(await page.evaluate(() => window.polhode.status.kind), "recorded");
  });
});

test("a slider keeps time and camera; a camera that follows stays with the body", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    await page.evaluate(() => window.polhode.seek(3.3));
    await page.keyboard.press("k");
    const state = () => page.evaluate(() => ({ time: window.polhode.time, camera: window.polhode.camera, values: window.polhode.values() }));
    const before = await state();
    await page.evaluate(() => window.polhode.set("r", 0.7));
    const after = await state();
    assert.equal(after.time, 3.3);
    after.camera.forEach((x, k) => assert.ok(Math.abs(x - before.camera[k]) < 1e-9));
    assert.notEqual(after.values.x, before.values.x);
    await page.keyboard.press("f");
    const near = await state();
    await page.evaluate(() => window.polhode.set("r", 1.2));
    const far = await state();
    const centre = (s) => [1, 2, 3].map((k) => s.values[`disk.centre[${k}]`]);
    centre(far).forEach((x, k) => assert.ok(Math.abs(far.camera[k] - near.camera[k] - (x - centre(near)[k])) < 1e-9));
  });
});

test("the address keeps the values, and the command says them", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page, context) => {
    await settled(page);
    assert.equal(await page.textContent(".command"), "polhode run rolling-disk");
    await page.evaluate(() => {
      window.polhode.set("r", 0.8);
      window.polhode.set("psi'", 4);
    });
    await field(page, "until").fill("5");
    await field(page, "until").press("Enter");
    assert.equal(await page.textContent(".command"), "polhode run rolling-disk --set r=0.8 --init \"psi'=4\" --until 5");
    await page.waitForFunction(() => location.hash.includes("until=5"));
    const other = await context.newPage();
    await other.goto(page.url());
    await settled(other);
    assert.equal(await other.evaluate(() => window.polhode.setting("r")), 0.8);
    assert.equal((await values(other))["psi'"], 4);
    assert.equal(await other.evaluate(() => window.polhode.motion.end), 5);
    // another address of the same model, in the same page
    await other.evaluate(() => (location.hash = "#/model/rolling-disk?M=2&nothing=1"));
    await other.waitForFunction(() => window.polhode.setting("M") === 2);
    assert.equal(await other.evaluate(() => window.polhode.setting("r")), 1);
    await page.click(".sliders button.quiet:has-text('Reset')");
    await page.waitForFunction(() => location.hash === "#/model/rolling-disk");
  });
});

test("plots and scene have one colour for one thing, and arrows a scale", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    const colour = (locator, property) => locator.evaluate((element, what) => getComputedStyle(element)[what], property);
    const inScene = page.locator(".scene-legend button", { hasText: "contact on the ground" }).locator("i");
    const inPlot = page.locator(".plot-card .key", { hasText: "contact on the ground" }).locator("i");
    for (const _ of ["light", "dark"]) {
      assert.equal(await colour(inScene, "backgroundColor"), await colour(inPlot, "backgroundColor"));
      await page.keyboard.press("t");
    }
    const scale = page.locator(".scene-legend button", { hasText: "contact force" }).locator("small");
    assert.match(await scale.textContent(), /^[\d.]+ N = [\d.]+ m$/);
    const before = await scale.textContent();
    await page.evaluate(() => window.polhode.set("M", 5));
    assert.notEqual(await scale.textContent(), before);
  });
});

test("exact times are integrated to", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    const [there, sample] = await page.evaluate(async () => {
      const { motion } = window.polhode;
      window.polhode.seek(motion.t[123]);
      return [await window.polhode.at(motion.t[123]), window.polhode.values()];
    });
    for (const name of ["theta", "phi", "x", "y"]) assert.ok(Math.abs(there[name] - sample[name]) < 1e-8, name);
  });
});

test("without an engine the program is asked", async () => {
  await visit(`${server.address}#/model/ellipsoid-on-plane`, { ...SIZES.desktop, colorScheme: "dark" }, async (page) => {
    await settled(page);
    assert.equal(await page.evaluate(() => window.polhode.engine), null);
    const asked = page.waitForRequest((request) => request.url().endsWith("api/run"));
    await page.evaluate(() => window.polhode.set("g", 5));
    assert.deepEqual(JSON.parse((await asked).postData()), { name: "ellipsoid-on-plane", set: { g: 5 }, start: {} });
    await page.waitForFunction(() => window.polhode.status.kind === "computed");
    await page.evaluate(() => window.polhode.seek(9));
    await page.screenshot({ path: `${SHOTS}model-dark.png` });
  });
});

test("editor: a mistake is underlined and the motion stays; mended, it is understood", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    await page.click("#tab-text");
    const text = await page.inputValue(".editor-area");
    assert.match(text, /^title/);
    await page.fill(".editor-area", text.replace("dt(axis)", "dt(thta)"));
    await page.waitForSelector(".diagnostics li");
    assert.equal(await page.textContent(".diagnostics .place"), "26:52");
    assert.match(await page.textContent(".diagnostics li"), /`thta` is not a coordinate.*did you mean `theta`\?/s);
    assert.equal(await page.textContent(".mark-error"), "thta");
    assert.equal((await values(page)).theta, 1);
    await page.screenshot({ path: `${SHOTS}editor.png` });
    await page.click(".diagnostics .place");
    const chosen = await page.evaluate(() => {
      const area = document.querySelector(".editor-area");
      return area.value.slice(area.selectionStart, area.selectionEnd);
    });
    assert.equal(chosen, "thta");
    await page.keyboard.type("axis");
    await page.keyboard.press("Control+Enter");
    await page.waitForFunction(() => document.querySelector(".editor .status").textContent === "Understood");
    assert.equal(await page.inputValue(".editor-area"), text);
  });
});

test("tabs stay where they are, whichever is open", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    const tabs = ["values", "numbers", "equations", "facts", "text"];
    const places = () => Promise.all(tabs.map(async (tab) => JSON.stringify(await page.locator(`#tab-${tab}`).boundingBox())));
    const before = await places();
    for (const tab of tabs) {
      await page.click(`#tab-${tab}`);
      await page.waitForTimeout(60);
      assert.deepEqual(await places(), before, tab);
    }
  });
});

test("a mistake in the text is told on its tab", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    await page.click("#tab-text");
    assert.equal(await page.getAttribute("#tab-text", "aria-label"), null);
    const text = await page.inputValue(".editor-area");
    await page.fill(".editor-area", text.replace("dt(axis)", "dt(thta)"));
    await page.waitForSelector(".diagnostics li");
    await page.click("#tab-values");
    assert.equal(await page.getAttribute("#tab-text", "aria-label"), "Text, 1 error");
    assert.equal(await page.textContent("#tab-text .tab-mark"), "1");
    await page.screenshot({ path: `${SHOTS}mistake-elsewhere.png` });
    await page.click("#tab-text");
    await page.fill(".editor-area", text);
    await page.waitForFunction(() => document.querySelector(".editor .status").textContent === "Understood");
    assert.equal(await visible(page, ".tab-mark"), 0);
    assert.equal(await page.getAttribute("#tab-text", "aria-label"), null);
  });
});

test("the address of a model opens it also while another text of it is shown, and Back brings that text", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    await page.click("#tab-text");
    const text = await page.inputValue(".editor-area");
    const other = `# mine\n${text}`;
    const understood = () => page.waitForFunction(() => document.querySelector(".editor .status")?.textContent === "Understood");
    await page.fill(".editor-area", other);
    await page.waitForFunction(() => location.hash === "#/edited/rolling-disk");
    await understood();
    await page.evaluate(() => (location.hash = "#/model/rolling-disk"));
    await page.waitForFunction((x) => document.querySelector(".editor-area")?.value === x, text);
    await page.goBack();
    await page.waitForFunction((x) => document.querySelector(".editor-area")?.value === x, other);
    await settled(page);
    assert.ok(await page.isVisible(".editor-area"));
    // also when the page is loaded anew, and when the text has a mistake
    await page.reload();
    await settled(page);
    assert.equal(await page.inputValue(".editor-area"), other);
    await page.fill(".editor-area", other.replace("dt(axis)", "dt(thta)"));
    await page.waitForSelector(".diagnostics li");
    await page.evaluate(() => (location.hash = "#/"));
    await page.waitForSelector(".model-card");
    await page.goBack();
    await page.waitForSelector(".mending .diagnostics li");
    assert.match(await page.inputValue(".editor-area"), /^# mine[^]*dt\(thta\)/);
  });
});

test("a name that no model has: similar ones and the gallery are offered", async () => {
  const { context, page } = await openPage(browser, SIZES.desktop);
  await page.goto(`${server.address}#/model/roling-dsk`);
  await page.waitForSelector(".waiting .notice");
  assert.equal(await page.textContent(".waiting .notice"), "There is no model “roling-dsk”.");
  assert.equal(await page.locator(".waiting a").first().textContent(), "rolling-disk");
  assert.equal(await visible(page, ".waiting button"), 0);
  await page.screenshot({ path: `${SHOTS}unknown.png` });
  await page.click(".waiting a:has-text('All models')");
  await page.waitForSelector(".model-card");
  await page.goBack();
  await page.locator(".waiting a").first().click();
  await settled(page);
  assert.equal(await page.evaluate(() => window.polhode.document.model.name), "rolling-disk");
  await context.close();
});

test("steps go over a jump", async () => {
  const made = ellipsoid();
  made.recorded = { ...made.recorded, count: 4, t: f64([0, 1, 1, 2]), values: f64([0, 1, 2, 3].flatMap((k) => made.columns.map(() => k))), events: [{ t: 1, name: "hit", kind: "impact", text: "hit" }] };
  await visit(alone("jump.html", { mode: "alone", documents: [made] }), SIZES.desktop, async (page) => {
    await settled(page);
    const name = made.columns[0].name;
    const seen = [];
    for (let i = 0; i < 3; i += 1) {
      seen.push([await page.evaluate(() => window.polhode.time), (await values(page))[name]]);
      await page.keyboard.press("ArrowRight");
    }
    assert.deepEqual(seen, [[0, 0], [1, 1], [2, 3]]);
  });
});

test("equations are typeset and their form can be chosen", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    await page.click("#tab-equations");
    await page.waitForSelector(".formula .katex");
    await page.selectOption('select[aria-label="Form of the equations"]', "multipliers");
    await page.waitForFunction(() => document.querySelector(".equations").textContent.includes("λ"));
    await page.screenshot({ path: `${SHOTS}equations.png` });
    await page.click("#tab-facts");
    await page.waitForSelector(".conserved .katex");
    await page.click(".events .link");
    assert.equal(await page.evaluate(() => window.polhode.time), 3.2);
    await page.screenshot({ path: `${SHOTS}facts.png` });
  });
});

test("theme, list of keys, reader's choice of theme", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    await page.keyboard.press("t");
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.reload();
    await settled(page);
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  });
});

test("on a phone nothing is wider than the screen", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.phone, async (page) => {
    await settled(page);
    for (const tab of ["values", "numbers", "equations", "facts", "text"]) {
      await page.click(`#tab-${tab}`);
      await page.waitForTimeout(150);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, tab);
    }
    await page.screenshot({ path: `${SHOTS}phone.png` });
    await page.goto(`${server.address}#/`);
    await page.waitForSelector(".model-card");
    await page.screenshot({ path: `${SHOTS}phone-gallery.png` });
  });
});

for (const [width, colorScheme] of [[360, "light"], [360, "dark"], [768, "light"], [1400, "dark"]]) {
  test(`at ${width} pixels, ${colorScheme}: every tab is there whole`, async () => {
    await visit(`${server.address}#/model/rolling-disk`, { viewport: { width, height: 800 }, colorScheme }, async (page) => {
      await settled(page);
      for (const tab of ["values", "numbers", "equations", "facts", "text"]) {
        await page.click(`#tab-${tab}`);
        const box = await page.locator(`#tab-${tab}`).boundingBox();
        const list = await page.locator("[role=tablist]").evaluate((element) => [element.scrollWidth, element.clientWidth]);
        assert.ok(box.x >= 0 && box.x + box.width <= width, tab);
        assert.ok(list[0] <= list[1], `${tab}: ${list}`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, tab);
      }
      await page.screenshot({ path: `${SHOTS}at-${width}-${colorScheme}.png` });
      await page.goto(`${server.address}#/`);
      await page.waitForSelector(".model-card");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    });
  });
}

test("every control is reached with the keyboard, has a name, and shows that it is in focus", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.desktop, async (page) => {
    await settled(page);
    await page.evaluate(() => window.polhode.set("r", 0.8));
    const controls = await page.evaluate(() => {
      const seen = [...document.querySelectorAll("button, input, select, textarea, summary, a[href], canvas[tabindex]")].filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0);
      seen.forEach((element, i) => (element.dataset.control = String(i)));
      return seen.length;
    });
    const reached = new Map();
    for (let i = 0; i < 2 * controls + 20 && reached.size < controls; i += 1) {
      await page.keyboard.press("Tab");
      const found = await page.evaluate(() => {
        const element = /** @type {HTMLElement} */ (document.activeElement);
        const name = element.getAttribute("aria-label") || element.textContent.trim() || element.title;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return { id: element.dataset.control, name, ring: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1, what: element.outerHTML.slice(0, 120) };
      });
      if (found.id === undefined) continue;
      assert.ok(found.name, `no name: ${found.what}`);
      assert.ok(found.ring, `no ring: ${found.what}`);
      reached.set(found.id, found.name);
    }
    assert.equal(reached.size, controls);
    await page.keyboard.press("?");
    assert.ok((await page.locator("dialog.keys dt").count()) > 14);
  });
});

test("fingers move sliders and the camera", async () => {
  await visit(`${server.address}#/model/rolling-disk`, SIZES.phone, async (page, context) => {
    await settled(page);
    const touch = await context.newCDPSession(page);
    const swipe = async ([x0, y0], [x1, y1]) => {
      const send = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
      await send("touchStart", [[x0, y0]]);
      for (let i = 1; i <= 8; i += 1) await send("touchMove", [[x0 + ((x1 - x0) * i) / 8, y0 + ((y1 - y0) * i) / 8]]);
      await send("touchEnd", []);
      await page.waitForTimeout(150);
    };
    const before = await page.evaluate(() => window.polhode.camera);
    const stage = await page.locator(".stage-canvas").boundingBox();
    const middle = [stage.x + stage.width / 2, stage.y + stage.height / 2];
    await swipe(middle, [middle[0] + 80, middle[1]]);
    assert.notDeepEqual(await page.evaluate(() => window.polhode.camera), before);
    const slider = page.locator('input[type=range][data-name="r"]');
    await slider.scrollIntoViewIfNeeded();
    const box = await slider.boundingBox();
    const at = (part) => [box.x + 8 + (box.width - 16) * part, box.y + box.height / 2];
    await swipe(at((1 - 0.2) / 1.8), at(0.8));
    const r = await page.evaluate(() => window.polhode.setting("r"));
    assert.ok(Math.abs(r - (0.2 + 0.8 * 1.8)) < 0.08, `r = ${r}`);
  });
});

test("who wants no motion gets none but the body's", async () => {
  await visit(`${server.address}#/model/rolling-disk`, { ...SIZES.desktop, reducedMotion: "reduce" }, async (page) => {
    await settled(page);
    const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((e) => {
      const { transitionDuration, transitionProperty, animationName } = getComputedStyle(e);
      return (transitionProperty !== "none" && Number.parseFloat(transitionDuration) > 0) || animationName !== "none";
    }).length);
    assert.equal(moving, 0);
    assert.equal(await page.evaluate(() => window.polhode.time), 0);
    // the camera stops where the hand does
    const stage = await page.locator(".stage-canvas").boundingBox();
    await page.mouse.move(stage.x + 200, stage.y + 200);
    await page.mouse.down();
    await page.mouse.move(stage.x + 300, stage.y + 220);
    await page.mouse.up();
    await page.waitForTimeout(100);
    const still = await page.evaluate(() => window.polhode.camera);
    await page.waitForTimeout(300);
    assert.deepEqual(await page.evaluate(() => window.polhode.camera), still);
  });
});

const alone = (name, data) => {
  const path = join(folder, name);
  writeFileSync(path, pageWith(data));
  return pathToFileURL(path).href;
};

test("alone, from a file, without a network: everything but the server", async () => {
  const made = { ...disk.document(), equations: [equations("voronets"), equations("multipliers")], facts: FACTS };
  const address = alone("alone.html", { mode: "alone", documents: [made] });
  const { context, page, problems } = await openPage(browser, SIZES.desktop);
  await context.setOffline(true);
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  await settled(page);
  await page.evaluate(() => window.polhode.set("theta'", 1));
  assert.equal(await page.evaluate(() => window.polhode.status.kind), "computed");
  await page.click("#tab-equations");
  assert.ok((await page.locator(".formula .katex").count()) >= 4);
  await page.click("#tab-text");
  assert.ok(await page.locator(".editor-area").evaluate((area) => area.readOnly));
  await page.screenshot({ path: `${SHOTS}alone.png` });
  assert.deepEqual(requests.filter((url) => !url.startsWith("data:") && url !== address), []);
  assert.deepEqual(problems, []);
  await context.close();
});

test("alone, without an engine: sliders say why they rest", async () => {
  await visit(alone("still.html", { mode: "alone", documents: [ellipsoid()] }), SIZES.desktop, async (page) => {
    await settled(page);
    assert.ok(await page.locator('input[data-name="g"]').isDisabled());
    assert.match(await page.textContent(".sliders .notice"), /cannot compute another: the charts of this model change.* polhode view ellipsoid-on-plane has it with sliders/);
    const row = rowOf(page, "g");
    assert.ok(await row.locator("input[type=range]").isHidden());
    assert.equal(await row.locator(".why").textContent(), "Fixed in this recording; with polhode view ellipsoid-on-plane it can be moved.");
    await page.screenshot({ path: `${SHOTS}still.png` });
  });
});

test("alone, several models: a gallery of them", async () => {
  await visit(alone("several.html", { mode: "alone", documents: [disk.document(), ellipsoid()] }), SIZES.desktop, async (page) => {
    await page.waitForSelector(".model-card");
    assert.equal(await visible(page, ".model-card"), 2);
    await page.click('.model-card[data-name="ellipsoid-on-plane"]');
    await settled(page);
    assert.equal(await page.evaluate(() => window.polhode.document.model.name), "ellipsoid-on-plane");
  });
});

test("on paper everything is shown, on A4", async () => {
  const made = { ...disk.document(), equations: equations(), facts: FACTS };
  await visit(`${alone("paper.html", { mode: "alone", documents: [made] })}#print`, SIZES.desktop, async (page) => {
    await settled(page);
    assert.equal(await visible(page, "[role=tabpanel]"), 5);
    assert.equal(await visible(page, ".transport"), 0);
    assert.equal(await visible(page, ".scene-print"), 1);
    const pdf = await page.pdf({ path: `${SHOTS}paper.pdf`, preferCSSPageSize: true });
    assert.ok(pdf.length > 20000);
  });
});

test("without WebGL a sentence stands for the scene, and the rest works", async () => {
  const plain = await launch({ webgl: false });
  try {
    const { page } = await openPage(plain, SIZES.desktop);
    await page.goto(`${server.address}#/model/rolling-disk`);
    await page.waitForSelector(".no-scene");
    await page.evaluate(() => window.polhode.ready);
    assert.match(await page.textContent(".no-scene"), /WebGL is missing/);
    await page.keyboard.press("ArrowRight");
    assert.ok((await page.evaluate(() => window.polhode.time)) > 0);
    await page.evaluate(() => window.polhode.set("r", 0.8));
    assert.equal(await page.evaluate(() => window.polhode.status.kind), "computed");
  } finally {
    await plain.close();
  }
});

test("the page is one file within its limit and names no other address", () => {
  const page = readFileSync(new URL("../../crates/web/assets/page.html", import.meta.url), "utf8");
  assert.ok(Buffer.byteLength(page) <= 1.2e6);
  assert.equal(page.split("<!--POLHODE-DATA-->").length, 2);
  assert.doesNotMatch(page, /<(?:script|link|img)[^>]+(?:src|href)="https?:/);
});
