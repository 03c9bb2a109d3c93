// How long `polhode view` takes: from the command to the first frame, and from a slider to the new motion, for every model that computes in
// the page.
//
//   cargo build --release && (cd viewer && npm ci) && node bench/view.mjs [MODEL …]
//
// Prints a table; nothing is asserted.

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

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });

/** @param {string[]} flags */
async function serve(...flags) {
  const child = spawn(program, ["view", "--no-open", "--time-limit", "60", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
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

/** Milliseconds until the browser has drawn what is there. */
const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))));

const list = await serve();
const catalogue = await (await fetch(`${list.address}api/catalogue`)).json();
list.child.kill();
const names = process.argv.slice(2).length ? process.argv.slice(2) : catalogue.map((m) => m.name);

console.log("| model | first frame | slider, in the page | slider, by the program |\n| --- | --- | --- | --- |");
for (const name of names) {
  const began = performance.now();
  const { child, address } = await serve(name);
  const page = await browser.newPage();
  await page.goto(address);
  try {
    await page.waitForFunction(() => window.polhode?.document && (window.polhode.engine || !window.polhode.document.engine), null, { timeout: 60_000 });
    await page.evaluate(drawn);
    const first = performance.now() - began;
    const times = await page.evaluate(async (rounds) => {
      const { document: model } = window.polhode;
      const all = [...model.starts, ...model.parameters].filter((v) => v.free);
      const measure = async (value) => {
        if (!value) return null;
        const out = [];
        for (let k = 1; k <= rounds; k += 1) {
          window.polhode.set(value.name, value.value + (k / (100 * rounds)) * (value.high - value.low));
          while (window.polhode.status.kind === "asking") await new Promise((done) => setTimeout(done, 5));
          await new Promise((done) => setTimeout(done, 250));
          while (window.polhode.status.kind === "asking") await new Promise((done) => setTimeout(done, 5));
          if (window.polhode.status.kind === "computed") out.push(window.polhode.status.milliseconds);
        }
        return out.length ? out : null;
      };
      const own = window.polhode.engine ? await measure(all.find((v) => v.where === "page")) : null;
      const other = await measure(all.find((v) => !window.polhode.engine || v.where === "server"));
      return [own, other];
    }, ROUNDS);
    const [own, other] = times.map((t) => (t ? median(t) : null));
    console.log(`| ${name} | ${ms(first)} | ${ms(own)} | ${ms(other)} |`);
  } catch (error) {
    console.log(`| ${name} | ${error.message.split("\n")[0]} | | |`);
  }
  await page.close();
  child.kill();
}
await browser.close();
