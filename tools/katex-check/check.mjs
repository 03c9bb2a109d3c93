// Says whether KaTeX, in its strict mode, accepts formulas.
//
//   npm install --no-package-lock     once, in this folder
//   … | node check.mjs                one formula per line, as a JSON string
//
// A JSON string may contain line breaks as \n, so formulas of several lines are
// one line of input. Empty lines are ignored. Prints what fails and why; exits
// with 1 when something did, with 2 when KaTeX is not installed.

import { createInterface } from "node:readline";

let katex;
try {
  ({ default: katex } = await import("katex"));
} catch {
  console.error("katex-check: KaTeX is missing; run `npm install --no-package-lock` in this folder");
  process.exit(2);
}

let checked = 0;
let failed = 0;

function report(line, formula, reason) {
  failed += 1;
  console.log(`line ${line}: ${reason}\n  ${formula}`);
}

let line = 0;
for await (const text of createInterface({ input: process.stdin })) {
  line += 1;
  if (text.trim() === "") continue;
  checked += 1;
  let formula;
  try {
    formula = JSON.parse(text);
  } catch (error) {
    report(line, text, `not a JSON string: ${error.message}`);
    continue;
  }
  if (typeof formula !== "string") {
    report(line, text, "not a JSON string");
    continue;
  }
  try {
    katex.renderToString(formula, { displayMode: true, strict: "error", throwOnError: true, trust: false });
  } catch (error) {
    report(line, formula, error.message);
  }
}

console.log(`${checked} formulas checked, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
