// A page document from a function that gives the columns at a time.

import { f64 } from "./pack.mjs";

/**
 * @param {object} model
 * @param {{t: number[], rows: Record<string, number>[], groups: Record<string, string[]>, rest: object}} computed
 */
export function pageDocument(model, { t, rows, groups, rest }) {
  const { scene, energy = "energy", events = [], stop = null, said, ...others } = rest;
  const columns = Object.entries(groups).flatMap(([group, names]) => names.map((name) => ({ name, group, about: null, ...said?.[name] })));
  const index = (name) => {
    const found = columns.findIndex((c) => c.name === name);
    if (found < 0) throw new Error(`no column ${name}`);
    return found;
  };
  const values = rows.flatMap((row) => columns.map((c) => row[c.name]));
  const e = rows.map((row) => row[energy]);
  return {
    format: 1,
    ok: true,
    model,
    diagnostics: [],
    summary: "",
    parameters: [],
    starts: [],
    until: t.at(-1),
    rtol: 1e-10,
    atol: 1e-12,
    columns,
    energy: index(energy),
    recorded: {
      count: t.length,
      t: f64(t),
      values: f64(values),
      events,
      stop: stop ?? { reason: "end", t: t.at(-1), text: "" },
      report: { energy_change: Math.max(...e.map((x) => Math.abs(x - e[0]))), constraint_residual: 0, steps: t.length, method: "Runge–Kutta of the mock" },
    },
    engine: null,
    engine_why: null,
    scene: scene(index),
    equations: null,
    facts: null,
    ...others,
  };
}

/** Names of the nine entries of a rotation. */
export const rotationNames = (body) => [1, 2, 3].flatMap((i) => [1, 2, 3].map((j) => `${body}.R[${i},${j}]`));

/** Names of three components. */
export const vectorNames = (name) => [1, 2, 3].map((i) => `${name}[${i}]`);

/** Entries of a row from names and numbers. */
export const entries = (names, numbers) => Object.fromEntries(names.map((name, i) => [name, numbers[i]]));
