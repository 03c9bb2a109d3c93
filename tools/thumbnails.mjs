// Makes the pictures of the gallery: crates/web/assets/thumbnails/NAME.webp, one for each built-in model, from its page; and docs/view.png, a whole page.
//
//   cargo build --release && (cd viewer && npm ci) && node tools/thumbnails.mjs [MODEL …]
//   node tools/thumbnails.mjs --page                     the whole page alone
//
// Pictures are part of the program by being there; build it again afterwards.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const { chromium } = createRequire(join(here, "../viewer/package.json"))("playwright-core");
const program = resolve(process.env.POLHODE ?? join(here, "../target/release/polhode"));
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const folder = join(here, "../crates/web/assets/thumbnails");
if (!existsSync(program) || !existsSync(executablePath)) {
  console.error(`needs ${program} and ${executablePath}`);
  process.exit(2);
}

/** Pixels of a picture, and of the scene it is made from. */
const [WIDTH, HEIGHT] = [480, 300];

/** The moment that is shown, as a part of the motion; MOMENT is another one. */
const MOMENT = Number(process.env.MOMENT ?? 0.3);

const server = spawn(program, ["view", "--no-open", "--time-limit", "120"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((done) => {
  let text = "";
  server.stdout.on("data", (bytes) => {
    text += bytes;
    const found = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\//.exec(text);
    if (found) done(found[0]);
  });
});
const wishes = process.argv.slice(2);
const names = wishes[0] === "--page" ? [] : wishes.length ? wishes : (await (await fetch(`${address}api/catalogue`)).json()).map((m) => m.name);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] });
const workshop = await browser.newPage();
mkdirSync(folder, { recursive: true });

for (const name of names) {
  const page = await browser.newPage({ viewport: { width: 1500, height: 1000 }, colorScheme: "light" });
  await page.goto(`${address}#/model/${encodeURIComponent(name)}`);
  await page.waitForFunction(() => window.polhode?.document, null, { timeout: 120_000 });
  await page.addStyleTag({ content: `.overlay, .scene-legend, .scene-square { display: none !important } .stage, .stage-host { width: ${2 * WIDTH}px !important; height: ${2 * HEIGHT}px !important; max-width: none !important; border: 0 !important; border-radius: 0 !important }` });
  await page.evaluate((part) => window.polhode.seek(window.polhode.motion.end * part), MOMENT);
  await page.waitForTimeout(700);
  const png = await page.locator(".stage").screenshot();
  const webp = await workshop.evaluate(async ([source, width, height]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    return canvas.toDataURL("image/webp", 0.8).split(",")[1];
  }, [png.toString("base64"), WIDTH, HEIGHT]);
  const bytes = Buffer.from(webp, "base64");
  writeFileSync(join(folder, `${name}.webp`), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
  await page.close();
}
if (!wishes.length || wishes[0] === "--page") {
  const page = await browser.newPage({ viewport: { width: 1360, height: 860 }, colorScheme: "light" });
  await page.goto(`${address}#/model/ellipsoid-on-plane`);
  await page.waitForFunction(() => window.polhode?.document, null, { timeout: 120_000 });
  await page.evaluate(() => window.polhode.seek(6.2));
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(here, "../docs/view.png") });
}
await browser.close();
server.kill("SIGINT");
