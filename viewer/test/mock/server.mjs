// Stands for the program: serves the page with the mock models, after the same paths.

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import * as disk from "./disk.mjs";
import { f64 } from "./pack.mjs";
import * as ellipsoid from "./ellipsoid.mjs";
import * as shell from "./shell.mjs";

export const TOKEN = "0123456789abcdef";

const MODELS = { "rolling-disk": disk, "ellipsoid-on-plane": ellipsoid, "wheel-in-shell": shell };

/** The page with data in it, as the program writes it. @param {any} data */
export function pageWith(data) {
  const page = readFileSync(new URL("../../../crates/web/assets/page.html", import.meta.url), "utf8");
  const json = JSON.stringify(data).replace(/</g, "\\u003c");
  return page.replace("<!--POLHODE-DATA-->", () => `<script type="application/json" id="polhode-data">${json}</script>`);
}

/** A picture of the sort the program makes for the gallery. */
function picture(name) {
  const hue = { "rolling-disk": "#0072b2", "ellipsoid-on-plane": "#009e73", "wheel-in-shell": "#56b4e9" }[name];
  return `data:image/svg+xml;utf8,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 100"><ellipse cx="80" cy="78" rx="44" ry="7" fill="#0002"/><circle cx="80" cy="48" r="30" fill="${hue}"/></svg>`)}`;
}

/** The titles of all built-in models, so that the gallery has its true size. */
export function catalogue() {
  const names = readdirSync(new URL("../../../models/", import.meta.url)).filter((f) => f.endsWith(".toml") && f !== "Cargo.toml").map((f) => f.slice(0, -5)).sort();
  return names.map((name) => {
    const text = readFileSync(new URL(`../../../models/${name}.toml`, import.meta.url), "utf8");
    const field = (key) => new RegExp(`^${key}\\s*=\\s*"((?:[^"\\\\]|\\\\.)*)"`, "m").exec(text)?.[1] ?? null;
    return { name, title: field("title"), reference: field("reference"), fact: field("fact"), picture: MODELS[name] ? picture(name) : null };
  });
}

const EQUATIONS = {
  voronets: ["\\ddot\\theta = -\\frac{M g r \\cos\\theta + \\dot\\varphi \\sin\\theta \\left(\\left(I_3 + M r^2\\right)\\left(\\dot\\psi + \\dot\\varphi \\cos\\theta\\right) - I_1 \\dot\\varphi \\cos\\theta\\right)}{I_1 + M r^2}", "\\ddot\\varphi = \\frac{\\dot\\theta \\left(I_3 \\dot\\psi + \\left(I_3 - 2 I_1\\right) \\dot\\varphi \\cos\\theta\\right)}{I_1 \\sin\\theta}"],
  multipliers: ["M \\ddot x = \\lambda_1", "M \\ddot y = \\lambda_2"],
};

export function equations(form = "voronets") {
  return {
    form, title: form === "voronets" ? "Voronets" : "Multipliers", applies: true, why: null,
    forms: [{ id: "multipliers", title: "Lagrange multipliers" }, { id: "voronets", title: "Voronets" }],
    groups: [
      { title: "Equations of motion", lines: EQUATIONS[form] ?? [] },
      { title: "Constraints", lines: ["\\dot x = -r \\cos\\varphi\\, \\dot\\psi", "\\dot y = -r \\sin\\varphi\\, \\dot\\psi"] },
    ],
  };
}

export const FACTS = {
  conserved: [{ latex: "E = T + V", text: "energy", why: "nothing depends on time" }],
  symmetry: "SO(2)×R², 3 dimensions",
  check: [{ label: "forms", text: "multipliers, Voronets, Chaplygin agree" }],
  friction: null,
};

/** What the program would say to a text: an unknown name is the one mistake the mock knows. */
function judge(text) {
  const at = text.indexOf("thta");
  if (at < 0) return [];
  const before = text.slice(0, at).split("\n");
  const [line, column] = [before.length, [...before.at(-1)].length + 1];
  return [{ severity: "error", code: "unknown-name", message: "`thta` is not a coordinate, parameter or definition", notes: ["names are those of [coordinates], [parameters] and [define]"], suggestion: "did you mean `theta`?", line, column, end_line: line, end_column: column + 4 }];
}

const ANSWERS = {
  model({ name, text }) {
    if (text !== undefined) {
      const diagnostics = judge(text);
      return diagnostics.length ? { format: 1, ok: false, model: { name: "text", text }, diagnostics } : disk.document({ text });
    }
    return MODELS[name]?.document() ?? null;
  },
  run({ name, set, start, until }) {
    if (name !== "rolling-disk" && name !== undefined) return { recorded: MODELS[name].document().recorded, diagnostics: [] };
    const { t, rows } = disk.motion({ set, start, until });
    const columns = Object.values(disk.GROUPS).flat();
    return { diagnostics: [], recorded: { count: t.length, t: f64(t), values: f64(rows.flatMap((row) => columns.map((c) => row[c]))), events: [], stop: { reason: "end", t: t.at(-1), text: "" }, report: {} } };
  },
  equations: ({ form }) => equations(form),
  facts: () => FACTS,
};

/** @param {{port?: number, start?: string}} [options] */
export async function serve({ port = 0, start = "gallery" } = {}) {
  const server = createServer(async (request, response) => {
    const path = request.url.split("?")[0];
    const send = (status, type, body) => response.writeHead(status, { "content-type": type }).end(body);
    const json = (status, value) => send(status, "application/json", JSON.stringify(value));
    if (!path.startsWith(`/${TOKEN}/`)) return json(404, { error: "there is nothing here" });
    const rest = path.slice(TOKEN.length + 2);
    if (rest === "") return send(200, "text/html; charset=utf-8", pageWith({ mode: "served", start }));
    if (rest === "api/catalogue") return json(200, catalogue());
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = ANSWERS[rest.replace(/^api\//, "")]?.(JSON.parse(body || "{}"));
    return answer ? json(200, answer) : json(404, { error: "there is no such model" });
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/${TOKEN}/`, close: () => server.close() };
}
