// The page against the real program: gallery, motions, sliders, mistakes, and an exported file without network.
//
// POLHODE is the program; without it ../target/debug/polhode. Pictures are kept in shots/ to be looked at.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, openPage, SHOTS, SIZES } from "./browser.mjs";

const here = import.meta.dirname;
const program = resolve(process.env.POLHODE ?? join(here, "../../target/debug/polhode"));
const skip = existsSync(program) ? false : `no program at ${program}`;
if (skip) console.log(`SKIPPED: ${skip}`);

/** @type {import("playwright-core").Browser} */
let browser;
let server;
let address;
const folder = mkdtempSync(join(tmpdir(), "polhode-view-"));

/** Starts `polhode view` and waits for its address. @param {string[]} more */
function serve(...more) {
  const child = spawn(program, ["view", "--no-open", "--time-limit", "120", ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const found = new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      const line = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\//.exec(text);
      if (line) done(line[0]);
    });
    child.on("exit", () => fail(new Error(`it ended: ${text}`)));
  });
  return { child, found };
}

/** What `polhode run --json` says at one time. @param {string[]} flags */
function run(model, time, ...flags) {
  const text = execFileSync(program, ["run", model, "--json", "--at", String(time), ...flags], { maxBuffer: 1 << 28 });
  const { t, state, derived } = JSON.parse(text).samples.at(-1);
  assert.equal(t, time);
  const flat = {};
  for (const [name, value] of Object.entries({ ...state, ...derived })) {
    if (typeof value === "number") flat[name] = value;
    else value.forEach((x, i) => (Array.isArray(x) ? x.forEach((y, j) => (flat[`${name}[${i + 1},${j + 1}]`] = y)) : (flat[`${name}[${i + 1}]`] = x)));
  }
  return flat;
}

/** @param {Record<string, number>} page @param {Record<string, number>} program @param {number} tolerance */
function agree(page, own, tolerance) {
  const names = Object.keys(own).filter((name) => name in page);
  assert.ok(names.length > 5, `few names in common: ${names}`);
  for (const name of names) {
    const scale = Math.max(1, Math.abs(own[name]));
    assert.ok(Math.abs(page[name] - own[name]) <= tolerance * scale, `${name}: ${page[name]} in the page, ${own[name]} by the program`);
  }
}

async function open(url, options = {}) {
  const { context, page, problems } = await openPage(browser, { ...SIZES.desktop, ...options });
  await page.goto(url);
  return { context, page, troubles: problems };
}

const ready = (page) => page.waitForFunction(() => window.polhode?.document && (window.polhode.engine || !window.polhode.document.engine), null, { timeout: 120_000 });

async function shot(page, name) {
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${SHOTS}real-${name}.png` });
}

before(async () => {
  if (skip) return;
  browser = await launch();
  server = serve();
  address = await server.found;
});

after(async () => {
  await browser?.close();
  server?.child.kill("SIGINT");
  rmSync(folder, { recursive: true, force: true });
});

test("the gallery leads to a model", { skip }, async () => {
  const { page, context, troubles } = await open(address);
  const card = page.locator('[data-name="rolling-disk"]');
  await card.waitFor();
  await shot(page, "gallery");
  await card.click();
  await ready(page);
  assert.equal(await page.evaluate(() => window.polhode.document.model.name), "rolling-disk");
  assert.deepEqual(troubles, []);
  await context.close();
});

for (const [model, time, start] of [["rolling-disk", 3, "theta'"], ["rattleback", 0.5, "Omega[3]"], ["wheel-in-shell", 0.4, null]]) {
  test(`${model} moves, with the numbers of the program`, { skip }, async () => {
    const { page, context, troubles } = await open(`${address}#/model/${model}`);
    await ready(page);
    const before = await page.evaluate(() => window.polhode.time);
    await page.evaluate(() => window.polhode.play());
    await page.waitForFunction((t) => window.polhode.time > t + 0.05, before, { timeout: 60_000 });
    await page.evaluate(() => window.polhode.pause());
    await shot(page, model);
    agree(await page.evaluate((t) => window.polhode.at(t), time), run(model, time), 1e-9);
    if (start) {
      // another start, computed in the page
      const value = await page.evaluate((name) => window.polhode.document.starts.find((s) => s.name === name).value, start);
      const other = value * 1.25;
      const numbers = await page.evaluate(async ([name, x, t]) => {
        window.polhode.set(name, x);
        return window.polhode.at(t);
      }, [start, other, time]);
      const flag = start === "Omega[3]" ? `Omega=[0,0,${other}]` : `${start}=${other}`;
      agree(numbers, run(model, time, "--init", flag), 1e-9);
    }
    // a parameter
    const numbers = await page.evaluate(async (t) => {
      window.polhode.set("g", 8);
      return window.polhode.at(t);
    }, time);
    const flags = start === "theta'" ? ["--init", "theta'=0.25"] : start ? ["--init", "Omega=[0,0,-6.25]"] : [];
    agree(numbers, run(model, time, "--set", "g=8", ...flags), 1e-9);
    assert.deepEqual(troubles, []);
    await context.close();
  });
}

for (const model of ["rattleback", "ellipsoid-on-plane", "coin-in-funnel", "suslov"]) {
  test(`${model} starts turned, with the numbers of the program`, { skip }, async () => {
    const { page, context, troubles } = await open(`${address}#/model/${model}`);
    await ready(page);
    const { first, second, status, report, values } = await page.evaluate(async () => {
      const { polhode } = window;
      polhode.set("turn y", 0.1);
      const out = { first: await polhode.at(0), second: await polhode.at(1) };
      polhode.seek(0);
      return { ...out, status: polhode.status, report: polhode.motion.report, values: polhode.values() };
    });
    assert.equal(status.kind, "computed", status.text);
    assert.equal(values["R[3,3]"], first["R[3,3]"]);
    const vector = (name) => `[${[1, 2, 3].map((i) => first[`${name}[${i}]`]).join(",")}]`;
    const matrix = `[${[1, 2, 3].map((i) => `[${[1, 2, 3].map((j) => first[`R[${i},${j}]`]).join(",")}]`).join(",")}]`;
    const place = "c1[1]" in first ? ["--init", `c1=${vector("c1")}`] : [];
    const own = run(model, 1, "--init", `R=${matrix}`, ...place);
    agree(second, own, 1e-9);
    assert.ok(report.energy_change < 1e-10 && report.constraint_residual < 1e-10, JSON.stringify(report));
    // reset takes it back
    const untouched = await page.evaluate(async () => {
      window.polhode.set("turn y", 0);
      return [window.polhode.status.kind, await window.polhode.at(1)];
    });
    assert.equal(untouched[0], "recorded");
    agree(untouched[1], run(model, 1), 1e-9);
    assert.deepEqual(troubles, []);
    await context.close();
  });
}

test("a velocity that the file gives follows a turn, where rolling says what it is", { skip }, async () => {
  const { page, context } = await open(`${address}#/model/ball-in-cylinder`);
  await ready(page);
  const { status, report } = await page.evaluate(() => {
    window.polhode.set("turn z", 0.3);
    return { status: window.polhode.status, report: window.polhode.motion.report };
  });
  assert.equal(status.kind, "computed", status.text);
  assert.ok(report.constraint_residual < 1e-10, JSON.stringify(report));
  await context.close();
});

test("a turned start has its sliders, and goes together with what the program places", { skip }, async () => {
  const { page, context } = await open(`${address}#/model/rattleback`);
  await ready(page);
  const row = page.locator('.value:has(input[data-name="turn x"])');
  await page.evaluate(() => window.polhode.set("turn x", 0.1));
  assert.match(await row.textContent(), /rad = 5\.73°/);
  await shot(page, "turned");
  await page.evaluate(() => window.polhode.set("touching[1]", 0.5));
  await page.waitForFunction(() => window.polhode.status.kind === "computed");
  // the fields say where it touches now
  const first = await page.evaluate(() => window.polhode.at(0));
  const said = await page.evaluate(() => [1, 2, 3].map((k) => window.polhode.setting(`touching[${k}]`)));
  said.forEach((x, k) => assert.ok(k === 0 || Math.abs(x - first[`c1[${k + 1}]`]) < 1e-12, `touching ${said}`));
  assert.ok(Math.abs(first["c1[1]"] - 0.5) < 0.1 && first["c[2]"] !== 0, JSON.stringify(first));
  agree(await page.evaluate(() => window.polhode.at(0.7)), runLine(await page.textContent(".command"), 0.7), 1e-9);
  await page.getByRole("button", { name: "Reset" }).first().click();
  assert.equal(await page.evaluate(() => window.polhode.status.kind), "recorded");
  await context.close();
});

test("a parameter that others follow from, and one that moves the start", { skip }, async () => {
  const { page, context } = await open(`${address}#/model/rolling-disk`);
  await ready(page);
  const numbers = await page.evaluate(async () => {
    window.polhode.set("M", 2.5);
    window.polhode.set("r", 0.6);
    return window.polhode.at(2);
  });
  agree(numbers, run("rolling-disk", 2, "--set", "M=2.5", "--set", "r=0.6"), 1e-9);
  await context.close();
  const { page: second, context: other } = await open(`${address}#/model/wheel-in-shell`);
  await ready(second);
  const moved = await second.evaluate(async () => {
    window.polhode.set("shell.Omega[1]", 0.5);
    return window.polhode.at(0.3);
  });
  agree(moved, run("wheel-in-shell", 0.3, "--init", "shell.omega=[0.5,-0.4,0.5]"), 1e-9);
  await other.close();
  const { page: third, context: last } = await open(`${address}#/model/ball-in-paraboloid`);
  await ready(third);
  const lifted = await third.evaluate(async () => {
    window.polhode.set("r", 0.3);
    return window.polhode.at(0.3);
  });
  agree(lifted, run("ball-in-paraboloid", 0.3, "--set", "r=0.3"), 1e-9);
  await last.close();
});

/** Runs a line that the page gives for the terminal, at one time. @param {string} line @param {number} time */
function runLine(line, time) {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map((m) => m[1] ?? m[2]);
  assert.deepEqual(words.slice(0, 2), ["polhode", "run"]);
  return run(words[2], time, ...words.slice(3).filter((word, i, all) => word !== "--until" && all[i - 1] !== "--until"));
}

const CHANGES = [
  ["rolling-disk", { r: 0.8, "psi'": 3.1 }],
  ["rattleback", { "Omega[3]": -4.5, "Omega[1]": 0.1 }],
  ["rattleback", { "turn y": 0.1 }],
  // its file gives the angular velocity in space
  ["ball-in-cylinder", { "turn y": 0.2 }],
  // a line of contact, a shell, one body on another, a velocity that fits what the program places
  ["rod-on-sphere", { "turn z": -0.06 }],
  ["poinsot-on-sphere", { "turn x": -0.12 }],
  ["wheel-in-shell", { "shell.turn z": 0.1 }],
  ["ball-in-cylinder", { W: 1.536, "Omega[2]": -1.7 }],
  ["rattleback", { "touching[1]": 0.4 }],
  ["ball-in-paraboloid", { "touching[1]": 0.6 }],
  ["ball-on-torus", { "touching[3]": 0.3 }],
  ["spherical-pendulum", { x: 0.3 }],
  ["wheel-in-shell", { "shell.Omega[1]": 0.5 }],
];

for (const [model, changes] of CHANGES) {
  test(`${model}: the line for the terminal gives the motion of ${Object.keys(changes).join(", ")}`, { skip }, async () => {
    const { page, context, troubles } = await open(`${address}#/model/${model}`);
    await ready(page);
    const known = await page.evaluate((names) => names.every((n) => window.polhode.setting(n) !== undefined), Object.keys(changes));
    assert.ok(known, `${model} has no ${Object.keys(changes)}`);
    await page.evaluate((all) => Object.entries(all).forEach(([name, value]) => window.polhode.set(name, value)), changes);
    await page.waitForFunction(() => ["computed", "refused"].includes(window.polhode.status.kind));
    assert.equal(await page.evaluate(() => window.polhode.status.kind), "computed", await page.evaluate(() => window.polhode.status.text));
    const line = await page.textContent(".command");
    const numbers = await page.evaluate(() => window.polhode.at(0.3));
    agree(numbers, runLine(line, 0.3), 1e-9);
    // the address brings the same values back
    await page.waitForFunction(() => location.hash.includes("?"));
    const again = await open(page.url());
    await ready(again.page);
    await again.page.waitForFunction(() => window.polhode.status.kind === "computed");
    assert.equal(await again.page.textContent(".command"), line);
    assert.deepEqual([...troubles, ...again.troubles], []);
    await again.context.close();
    await context.close();
  });
}

test("parameters that no body can have are refused, in an exported page as well", { skip }, async () => {
  const file = join(folder, "bicycle.html");
  execFileSync(program, ["export", "bicycle", "--html", file]);
  for (const url of [`${address}#/model/bicycle`, pathToFileURL(file).href]) {
    const { page, context } = await open(url);
    await ready(page);
    const status = (name, value) => page.evaluate(([n, x]) => {
      window.polhode.set(n, x);
      return window.polhode.status;
    }, [name, value]);
    const { kind, text } = await status("IRy", 0.3);
    assert.equal(kind, "refused");
    assert.match(text, /^No body has the inertia of `[^`]+`: each of its principal moments/);
    // what is possible is computed
    assert.equal((await status("IRy", 0.11)).kind, "computed");
    await context.close();
  }
  // a mass below zero, typed
  const disk = join(folder, "disk-of-mass.html");
  execFileSync(program, ["export", "rolling-disk", "--html", disk]);
  const { page, context } = await open(pathToFileURL(disk).href);
  await ready(page);
  await page.fill('input[aria-label="M, number"]', "-1");
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".refusal:visible").textContent(), /M was taken to be positive/);
  await context.close();
});

test("at the instant of an event the page has the numbers of run --at: those before it", { skip }, async () => {
  const { page, context } = await open(`${address}#/model/ball-rough-wall`);
  await ready(page);
  const { time, before, after, exact } = await page.evaluate(async () => {
    const { motion } = window.polhode;
    const i = motion.t.findIndex((t, k) => t === motion.t[k + 1]);
    window.polhode.seek(motion.t[i]);
    const before = window.polhode.values();
    window.polhode.seek(motion.t[i] + 1e-9);
    return { time: motion.t[i], before, after: window.polhode.values(), exact: await window.polhode.at(motion.t[i]) };
  });
  const own = run("ball-rough-wall", time);
  agree(before, own, 1e-9);
  agree(exact, own, 1e-9);
  assert.ok(Object.keys(own).some((name) => Math.abs(after[name] - own[name]) > 0.01), "it jumps");
  await context.close();
});

test("a page that cannot compute has a smooth motion, and says at each slider how to move it", { skip }, async () => {
  const file = join(folder, "tippe-top.html");
  execFileSync(program, ["export", "tippe-top", "--html", file]);
  assert.ok(readFileSync(file, "utf8").length <= 1_500_000);
  const { page, context, troubles } = await open(pathToFileURL(file).href, { offline: true });
  await ready(page);
  // 150 rad/s for four seconds: about 95 turns
  assert.ok((await page.evaluate(() => window.polhode.motion.count)) > 1000);
  const time = 1.2345;
  const shown = await page.evaluate((t) => {
    window.polhode.seek(t);
    return window.polhode.values();
  }, time);
  const own = run("tippe-top", time);
  for (const name of ["R[1,1]", "R[3,3]", "x_O[3]"]) assert.ok(Math.abs(shown[name] - own[name]) < 0.01, `${name}: ${shown[name]} ${own[name]}`);
  const rows = await page.locator(".value:has(input[type=range]) .why").allTextContents();
  assert.ok(rows.length > 5);
  for (const row of rows) assert.match(row, /with polhode view tippe-top it can be moved/);
  assert.equal(await page.locator("input[data-name]:visible").count(), 0);
  assert.deepEqual(troubles, []);
  await context.close();
});

for (const [model, name, value] of [["superegg", "touching[1]", 0.02], ["euler-disk", "a", 0.04], ["ball-in-cylinder", "W", 1.4], ["ball-between-plates", "r", 0.305]]) {
  test(`${model}: the program places the bodies for another ${name}, and the page computes`, { skip }, async () => {
    const { page, context, troubles } = await open(`${address}#/model/${model}`);
    await ready(page);
    const asked = page.waitForResponse((answer) => answer.url().endsWith("api/run"));
    await page.evaluate(([name, value]) => window.polhode.set(name, value), [name, value]);
    const answer = await (await asked).json();
    assert.deepEqual([typeof answer.start, answer.recorded], ["object", undefined], JSON.stringify(answer.diagnostics));
    await page.waitForFunction(() => window.polhode.status.kind !== "asking");
    assert.equal(await page.evaluate(() => window.polhode.status.kind), "computed");
    agree(await page.evaluate(() => window.polhode.at(0.6)), runLine(await page.textContent(".command"), 0.6), 1e-9);
    assert.deepEqual(troubles, []);
    await context.close();
  });
}

test("a point of contact stays on its surface: the other numbers follow", { skip }, async () => {
  const { page, context } = await open(`${address}#/model/ball-in-paraboloid`);
  await ready(page);
  await page.evaluate(() => window.polhode.set("touching[1]", 0.6));
  await page.waitForFunction(() => window.polhode.status.kind === "computed", null, { timeout: 60_000 });
  const z = await page.evaluate(() => window.polhode.setting("touching[3]"));
  assert.ok(Math.abs(z - 0.18) < 1e-12, `z = ${z}`);
  const field = page.locator('input[aria-label="touching[3], number"]');
  assert.equal(await field.inputValue(), "0.18");
  // only what was chosen has a button that takes it back
  const buttons = page.locator("button.reset:visible");
  assert.deepEqual(await buttons.evaluateAll((list) => list.map((b) => b.getAttribute("aria-label"))), ["Reset touching[1] to 1"]);
  await shot(page, "closed");
  await context.close();
});

test("no slider is offered that is refused everywhere", { skip, timeout: 600_000 }, async () => {
  const ask = async (path, body) => (await fetch(address + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).json();
  for (const name of ["ball-in-cylinder", "ball-on-ball", "ball-on-torus", "ellipsoid-circles", "poinsot-on-sphere", "wheel-in-shell"]) {
    const { starts } = await ask("api/model", { name });
    const placed = starts.filter((s) => s.where === "placed" && s.free);
    for (const s of placed) {
      for (const part of [0.1, 0.9]) {
        const value = s.low + part * (s.high - s.low);
        const { recorded, diagnostics } = await ask("api/run", { name, start: { [s.name]: value }, until: 0.01 });
        assert.ok(recorded, `${name}, ${s.name} = ${value}: ${diagnostics?.[0]?.message}`);
      }
    }
  }
});

test("the page opens with what the command line says", { skip }, async () => {
  const own = serve("rattleback", "--set", "g=9.81/2", "--init", "Omega=[0, 0.1, -2*2]", "--until", "pi");
  const { page, context } = await open(await own.found);
  await ready(page);
  assert.deepEqual(await page.evaluate(() => [window.polhode.setting("g"), window.polhode.setting("Omega[3]"), window.polhode.motion.end]), [9.81 / 2, -4, Math.PI]);
  assert.equal(await page.textContent(".command"), `polhode run rattleback --set g=9.81/2 --init "Omega=[0, 0.1, -2*2]" --until ${Math.PI}`);
  await page.evaluate(() => window.polhode.set("Omega[1]", 0.25));
  await page.evaluate(() => window.polhode.set("touching[1]", 0.5));
  await page.waitForFunction(() => window.polhode.status.kind === "computed", null, { timeout: 60_000 });
  const line = await page.textContent(".command");
  assert.match(line, /--init "Omega=\[0\.25, 0\.1, -4\]"/);
  agree(await page.evaluate(() => window.polhode.at(0.3)), runLine(line, 0.3), 1e-9);
  await context.close();
  own.child.kill("SIGINT");
});

test("formulas typed in the page are those of the program", { skip }, async () => {
  const { page, context } = await open(`${address}#/model/rolling-disk`);
  await ready(page);
  const field = page.locator('input[aria-label="r, number"]');
  for (const text of ["2*pi/5", "sqrt(2)/3", "exp(-1)^2 + 1/3", "-(-2)^3/7", "atan2(1, 2)*2^-1", "90*deg"]) {
    await field.fill(text);
    await field.press("Enter");
    const own = JSON.parse(execFileSync(program, ["run", "rolling-disk", "--json", "--at", "0", "--set", `r=${text}`, "--observe", "radius=r"], { maxBuffer: 1 << 28 })).samples.at(-1).derived.radius;
    const here = await page.evaluate(() => window.polhode.setting("r"));
    assert.ok(Math.abs(here - own) <= 1e-15 * Math.abs(own), `${text}: ${here} in the page, ${own} by the program`);
  }
  for (const text of ["2*", "sqrt(-1)", "foo(2)", "1/0", "2x"]) {
    await field.fill(text);
    await field.press("Enter");
    const said = await page.locator(".refusal:visible").textContent();
    assert.throws(() => execFileSync(program, ["run", "rolling-disk", "--set", `r=${text}`], { stdio: "pipe" }), (error) => {
      const first = said.split(": write")[0];
      assert.ok(String(error.stderr).includes(first), `${text}: "${first}" in the page, by the program ${error.stderr}`);
      return true;
    });
  }
  await context.close();
});

test("a slider changes the motion", { skip }, async () => {
  const { page, context } = await open(`${address}#/model/rolling-disk`);
  await ready(page);
  const slider = page.locator('input[type="range"][data-name="g"]');
  const [before, motion] = [await page.evaluate(() => window.polhode.values()), await page.evaluate(() => window.polhode.motion.count)];
  assert.ok(motion > 100 && "theta" in before);
  await slider.evaluate((input) => {
    input.value = String(Number(input.min) * 1.5);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForFunction(() => window.polhode.status.kind === "computed");
  await page.evaluate(() => window.polhode.seek(3));
  const after = await page.evaluate(() => window.polhode.values());
  assert.ok(Number.isFinite(after.theta));
  await context.close();
});

test("a mistake in the text is shown in its place", { skip }, async () => {
  const { page, context } = await open(`${address}#/model/chaplygin-sleigh`);
  await ready(page);
  await page.getByRole("tab", { name: "Text" }).click();
  const area = page.locator("textarea");
  const text = await area.inputValue();
  assert.ok(text.includes("blade"));
  await area.fill(text.replace("I/2*theta'^2", "I/2*thta'^2"));
  const entry = page.locator(".diagnostics li").first();
  await entry.waitFor({ timeout: 60_000 });
  const said = await entry.textContent();
  assert.match(said, /thta/);
  assert.match(said, /theta/);
  await shot(page, "mistake");
  await area.fill(text.replace("theta = 2.0", "theta = 1.0"));
  await page.waitForFunction(() => window.polhode.document.starts.some((s) => s.name === "theta'" && s.value === 1), null, { timeout: 60_000 });
  await context.close();
});

test("a file of one's own", { skip }, async () => {
  const file = join(folder, "mine.toml");
  writeFileSync(file, execFileSync(program, ["show", "chaplygin-sleigh"]));
  const own = serve(file);
  const { page, context } = await open(await own.found);
  await ready(page);
  assert.equal(await page.evaluate(() => window.polhode.document.model.name), "mine");
  await context.close();
  own.child.kill("SIGINT");
});

test("a file with a mistake can be mended", { skip }, async () => {
  const file = join(folder, "wrong.toml");
  const text = String(execFileSync(program, ["show", "chaplygin-sleigh"]));
  writeFileSync(file, text.replace("I/2*theta'^2", "I/2*thta'^2"));
  const own = serve(file);
  const { page, context } = await open(await own.found);
  await page.locator(".diagnostics li").first().waitFor({ timeout: 60_000 });
  await shot(page, "mending");
  const area = page.locator("textarea");
  await area.fill(text);
  await ready(page);
  assert.equal(await page.evaluate(() => window.polhode.document.model.name), "wrong");
  assert.equal(await page.locator("textarea").inputValue(), text);
  await context.close();
  own.child.kill("SIGINT");
});

test("an exported page needs nothing but itself", { skip }, async () => {
  const file = join(folder, "disk.html");
  execFileSync(program, ["export", "rolling-disk", "--html", file]);
  const html = readFileSync(file, "utf8");
  assert.ok(html.length < 1_500_000, `${html.length} bytes`);
  const { page, context, troubles } = await open(pathToFileURL(file).href, { offline: true });
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await ready(page);
  assert.deepEqual(asked.filter((url) => /^https?:/.test(url)), []);
  const numbers = await page.evaluate(async () => {
    window.polhode.set("theta'", 0.4);
    return window.polhode.at(2);
  });
  agree(numbers, run("rolling-disk", 2, "--init", "theta'=0.4"), 1e-9);
  await page.getByRole("tab", { name: "Equations" }).click();
  await page.locator(".katex").first().waitFor();
  await shot(page, "export");
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a report has all its sections", { skip }, async () => {
  const file = join(folder, "report.html");
  execFileSync(program, ["report", "rolling-disk", "--output", file]);
  const { page, context, troubles } = await open(pathToFileURL(file).href, { offline: true });
  await ready(page);
  const titles = await page.locator(".report h2").allTextContents();
  for (const title of ["The model", "The constraints", "Equations of motion", "Symmetry and reduction", "Conserved quantities", "Exact solution", "Steady motions", "Plots", "Events"]) {
    assert.ok(titles.includes(title), `${title} is not among ${titles}`);
  }
  assert.ok((await page.locator(".report .katex").count()) > 10);
  assert.equal(await page.locator(".report .katex-error").count(), 0);
  assert.deepEqual(troubles, []);
  await page.locator("#report-equations").scrollIntoViewIfNeeded();
  await shot(page, "report");
  await context.close();
});

/** What is wrong with a report on paper: formulas beyond the column, letters below 8 points, terminal pictures. */
const onPaper = () => {
  const column = document.querySelector(".report").getBoundingClientRect();
  const words = (element) => element.textContent.trim().slice(0, 60);
  const wide = [...document.querySelectorAll(".report .katex, .report pre, .report table, .report img")]
    .filter((e) => e.getBoundingClientRect().right > column.right + 1)
    .map((e) => `too wide: ${words(e)}`);
  const small = [...document.querySelectorAll(".report p, .report pre, .report td, .report th, .report .katex, .report code, .report h4")]
    .filter((e) => parseFloat(getComputedStyle(e).fontSize) < (8 * 96) / 72 - 0.01)
    .map((e) => `too small: ${getComputedStyle(e).fontSize} ${words(e)}`);
  const dots = /[\u2801-\u28ff]/.test(document.querySelector(".report").textContent) ? ["curves of braille"] : [];
  const left = /nodes|too long to be read/.test(document.querySelector("#report-equations").textContent) ? ["a formula without a formula"] : [];
  return { column: column.width, troubles: [...wide, ...small, ...dots, ...left] };
};

for (const model of ["rolling-disk", "ball-rough-wall"]) {
  test(`the report of ${model} can be printed on A4`, { skip }, async () => {
    const file = join(folder, `${model}.html`);
    execFileSync(program, ["report", model, "--output", file]);
    const { page, context } = await open(`${pathToFileURL(file).href}#print`, { offline: true });
    await ready(page);
    const { column, troubles } = await page.evaluate(onPaper);
    // 182 mm
    assert.ok(Math.abs(column - (182 * 96) / 25.4) < 2, `${column}`);
    assert.deepEqual(troubles, []);
    const pdf = await page.pdf({ path: `${SHOTS}${model}-report.pdf`, format: "A4", preferCSSPageSize: true });
    const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
    assert.ok(pages > 4 && pages < 60, `${pages} pages`);
    await context.close();
  });
}
