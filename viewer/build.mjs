// Builds crates/web/assets/page.html: one file with the script, the style and the fonts of KaTeX inside.
//
// The same sources give the same bytes: nothing of the clock, the machine or the order of a directory enters.
// `<!--POLHODE-DATA-->` stays in the page; the program puts the data of the page there.

import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const katex = dirname(createRequire(import.meta.url).resolve("katex/dist/katex.min.css"));

/** The faces that equations of motion are set in; script, fraktur and typewriter letters do not occur in them, and italic words are slanted ones. */
const FACES = new Set([
  "KaTeX_AMS-Regular",
  "KaTeX_Caligraphic-Regular",
  "KaTeX_Main-Bold",
  "KaTeX_Main-Regular",
  "KaTeX_Math-Italic",
  "KaTeX_Size1-Regular",
  "KaTeX_Size2-Regular",
  "KaTeX_Size3-Regular",
  "KaTeX_Size4-Regular",
]);

/** The most a page may weigh before data, in bytes. */
const LIMIT = 1.2e6;

const PLACEHOLDER = "<!--POLHODE-DATA-->";

/** KaTeX's style sheet with the faces we need as data, and without the others. */
async function mathStyle() {
  const css = await readFile(join(katex, "katex.min.css"), "utf8");
  const faces = new Map();
  for (const face of FACES) {
    faces.set(face, (await readFile(join(katex, "fonts", `${face}.woff2`))).toString("base64"));
  }
  return css.replace(/@font-face\{[^}]*\}/g, (rule) => {
    const face = /fonts\/([\w-]+)\.woff2/.exec(rule)?.[1];
    if (!face || !faces.has(face)) return "";
    return rule.replace(/src:[^;}]*/, `src:url(data:font/woff2;base64,${faces.get(face)}) format("woff2")`);
  });
}

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: ["src/main.js"],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    write: false,
    outdir: "dist",
  });
  const text = (suffix) => result.outputFiles.find((file) => file.path.endsWith(suffix)).text;
  return { script: text(".js").trim(), style: text(".css").trim() };
}

/** The licences of what is in the page, for its head. */
async function licences() {
  const texts = [];
  for (const name of ["three", "katex"]) {
    const text = await readFile(join(here, "node_modules", name, "LICENSE"), "utf8");
    texts.push(`${name}: ${text.trim().replace(/-{2,}/g, "–")}`);
  }
  return texts.join("\n\n");
}

const { script, style } = await bundle();
const math = await mathStyle();
// a script element ends at the first "</script", wherever it stands
const safe = script.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const frame = await readFile(join(here, "src/page.html"), "utf8");
const notices = await licences();
const page = frame.replace("/*LICENCES*/", () => notices).replace("/*STYLE*/", () => `${math}\n${style}`).replace("/*SCRIPT*/", () => safe);

if (page.split(PLACEHOLDER).length !== 2) throw new Error(`the page must contain ${PLACEHOLDER} exactly once`);
const bytes = Buffer.byteLength(page);
if (bytes > LIMIT) throw new Error(`the page has ${bytes} bytes, more than ${LIMIT}`);
await writeFile(join(here, "../crates/web/assets/page.html"), page);
console.log(`crates/web/assets/page.html: ${bytes} bytes`);
