// A browser for the tests: Chromium with software graphics. Shared with the tests of the real program.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const SHOTS = fileURLToPath(new URL("./shots/", import.meta.url));
mkdirSync(SHOTS, { recursive: true });

/** Starts the browser; CHROMIUM names another than the system's. @param {{webgl?: boolean}} [options] */
export function launch({ webgl = true } = {}) {
  const graphics = webgl ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] : ["--disable-gpu", "--disable-3d-apis"];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...graphics, "--no-sandbox"] });
}

export const SIZES = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
};

/**
 * A page that remembers what went wrong in it.
 * @param {import("playwright-core").Browser} browser
 * @param {object} [options] of the context
 */
export async function openPage(browser, options = SIZES.desktop) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  return { context, page, problems };
}

/** Waits until a model is on the screen and drawn. @param {import("playwright-core").Page} page */
export async function settled(page) {
  await page.waitForSelector(".model h1");
  await page.evaluate(async () => {
    await window.polhode.ready;
    for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
  });
}
