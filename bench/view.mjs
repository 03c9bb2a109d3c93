// How long `polhode view` takes: from the command to the first frame, and from a slider to the new motion, for every kind of slider.
//
//   cargo build --release && (cd viewer && npm ci) && node bench/view.mjs [MODEL …]
//
// First frame: from spawning the program until two animation frames after the page has its document and its engine and has built everything (scene,
// plots, sliders), and the graphics have drawn the scene: a pixel of it is read, which waits for that. Chromium runs already, has shown one page of another model, which
// is closed again, and has an empty tab; it draws in software (SwiftShader). Sliders: from the change of a value until the
// page, which has nothing else to do any more, has the new motion and scene and plots have been told, the transfer from the program included, the next frame not; the median of several, each made a fifth of a second after the scene of the one before is drawn. A model
// has up to three kinds: values that the page computes alone, parameters and starts for which it asks the program. Each of them is measured with its
// first value that the model accepts.
//
// Prints a table; nothing is asserted. With --cold the start of the browser is measured too, which has then drawn nothing before.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const { chromium } = createRequire(join(here, "../viewer/package.json"))("playwright-core");
const program = resolve(process.env.POLHODE ?? join(here, "../target/release/polhode"));
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(program) || !existsSync(executablePath)) {
  console.error(`needs ${program} and ${executablePath}`);
  process.exit(2);
}

/** Repetitions of a change; the median is shown. */
const ROUNDS = 7;

/** Milliseconds between a scene that is drawn and the next change: until the processes of the browser rest. */
const REST = 200;

/** The model that a browser shows before any is measured. */
const WARM_UP = "rolling-disk";

const flags = process.argv.slice(2).filter((a) => a.startsWith("--"));
const wanted = process.argv.slice(2).filter((a) => !a.startsWith("--"));
const cold = flags.includes("--cold");
const launch = () => chromium.launch({ executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] });

/** @param {string[]} more */
async function serve(...more) {
  const child = spawn(program, ["view", "--no-open", "--time-limit", "60", ...more], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const bytes of child.stdout) {
    text += bytes;
    const found = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\//.exec(text);
    if (found) return { child, address: found[0] };
  }
  throw new Error("no address");
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const ms = (x) => (x === null ? "—" : `${x < 10 ? x.toFixed(1) : x.toFixed(0)} ms`);

/** Gives a page `drawn()`: two frames from now, when the graphics have drawn them. */
function offerDrawn() {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  window.drawn = async () => {
    await frame();
    await frame();
    const gl = document.querySelector("canvas.stage-canvas")?.getContext("webgl2");
    gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  };
}

/** Waits for the first frame, in the page. */
async function firstFrame() {
  const there = () => window.polhode?.document && (window.polhode.engine || !window.polhode.document.engine);
  while (!there()) await new Promise((done) => setTimeout(done, 5));
  await window.drawn();
}

/** Milliseconds from a change to its motion, in the page: one list for each kind of value. */
async function sliders([rounds, rest]) {
  const { document: model, engine } = window.polhode;
  const free = (list) => list.filter((v) => v.free && v.kind !== "turn");
  const remote = (v) => !engine || v.where !== "page";
  const kinds = [
    free([...model.starts, ...model.parameters]).filter((v) => !remote(v)),
    free(model.parameters).filter(remote),
    free(model.starts).filter(remote),
  ];
  const settle = async () => {
    await window.polhode.answered;
    return window.polhode.status.kind === "computed";
  };
  const change = async (value, part) => {
    const began = performance.now();
    window.polhode.set(value.name, value.value + part * (value.high - value.low));
    return (await settle()) ? performance.now() - began : null;
  };
  const measure = async (values) => {
    for (const value of values) {
      const out = [];
      for (let k = 0; k <= rounds; k += 1) {
        const time = await change(value, (k + 1) / (100 * rounds));
        // the first one warms up
        if (k && time !== null) out.push(time);
        await window.drawn();
        await new Promise((done) => setTimeout(done, rest));
      }
      window.polhode.set(value.name, value.value);
      await settle();
      if (out.length) return { name: value.name, times: out };
    }
    return null;
  };
  const all = [];
  for (const values of kinds) all.push(await measure(values));
  return all;
}

/** An empty tab. */
async function opened(browser) {
  const page = await browser.newPage();
  await page.addInitScript(offerDrawn);
  const asked = new Set();
  page.on("request", (request) => asked.add(request));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => asked.delete(request));
  /** When the program has answered everything: facts and equations are found out after the first frame. */
  page.answered = async () => {
    do await page.waitForTimeout(REST);
    while (asked.size);
  };
  return page;
}

/** A page of a model before those that are measured. */
async function warmUp(browser) {
  const page = await opened(browser);
  const { child, address } = await serve(WARM_UP);
  await page.goto(address, { waitUntil: "commit" });
  await page.evaluate(firstFrame);
  await page.close();
  child.kill();
}

const list = await serve();
const catalogue = await (await fetch(`${list.address}api/catalogue`)).json();
list.child.kill();
const names = wanted.length ? wanted : catalogue.map((m) => m.name);
let browser = cold ? null : await launch();
if (browser) await warmUp(browser);

console.log("| model | first frame | slider, in the page | parameter, by the program | start, by the program |\n| --- | --- | --- | --- | --- |");
for (const name of names) {
  let page = cold ? null : await opened(browser);
  const began = performance.now();
  const { child, address } = await serve(name);
  browser ??= await launch();
  page ??= await opened(browser);
  try {
    await page.goto(address, { waitUntil: "commit" });
    await page.evaluate(firstFrame);
    const first = performance.now() - began;
    await page.answered();
    const times = await page.evaluate(sliders, [ROUNDS, REST]);
    const cells = times.map((found) => (found ? `${ms(median(found.times))} (${found.name})` : "—"));
    console.log(`| ${name} | ${ms(first)} | ${cells.join(" | ")} |`);
  } catch (error) {
    console.log(`| ${name} | ${error.message.split("\n")[0]} | | | |`);
  }
  await page.close();
  child.kill();
  if (cold) {
    await browser.close();
    browser = null;
  }
}
await browser?.close();
