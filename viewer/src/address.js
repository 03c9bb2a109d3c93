// The values of a page elsewhere: as an address that brings them back, and as a line for the command line.
//
// An address is #/model/NAME?r=0.5&theta'=0.2&until=5. A page that is sent around reads it as the served one does.

import { full } from "./numbers.js";

/** The name of the end of the motion in an address. */
const UNTIL = "until";

/**
 * What an address asks for; null where it names no model.
 * @param {string} hash
 * @returns {{name: string, values: Map<string, number>} | null}
 */
export function read(hash) {
  const found = /^#\/model\/([^?]+)(?:\?(.*))?$/.exec(hash);
  if (!found) return null;
  const values = new Map([...new URLSearchParams(found[2] ?? "")].map(([name, text]) => [name, text.trim() ? Number(text) : NaN]));
  for (const [name, value] of values) if (!Number.isFinite(value)) values.delete(name);
  return { name: decoded(found[1]), values };
}

/** The name in an address; one that is no proper text stands for itself. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of the present values. @param {import("./session.js").Session} session */
export function write(session) {
  const { set, start, until } = session.changes();
  const entries = Object.entries({ ...set, ...start, ...(until === undefined ? {} : { [UNTIL]: until }) });
  const values = entries.map(([name, value]) => `${encodeURIComponent(name)}=${full(value)}`).join("&");
  const name = session.source.name ?? session.document.model.name;
  return `#/model/${encodeURIComponent(name)}${values ? `?${values}` : ""}`;
}

/** Gives a session the values of an address. @param {import("./session.js").Session} session @param {Map<string, number>} values */
export function apply(session, values) {
  const until = values.get(UNTIL);
  const others = [...values].filter(([name]) => name !== UNTIL || session.parameters.has(name));
  session.setAll(new Map(others), until !== undefined && until > 0 && !session.parameters.has(UNTIL) ? until : undefined);
}

/** The vector that a number is a component of, with its place: Omega[3] → Omega, 3; s[1]' → s', 1. @param {string} name */
function component(name) {
  const found = /^(.*)\[([123])\]('*)$/.exec(name);
  return found && { stem: found[1] + found[3], at: (k) => `${found[1]}[${k}]${found[3]}` };
}

/** @param {number[]} list */
const vector = (list) => `[${list.map(full).join(", ")}]`;

/**
 * Initial values as --init takes them: whole vectors, also those that follow what the reader chose.
 * @param {import("./session.js").Session} session
 * @returns {[string, string][]}
 */
function starts(session) {
  const { document: model } = session;
  const { start } = session.changes();
  const moved = (s) => s.name in start || (s.given && s.value !== null && session.get(s.name) !== s.value);
  const out = new Map();
  for (const s of model.starts.filter((s) => s.kind !== "turn" && s.free && moved(s))) {
    const part = component(s.name);
    if (!part) out.set(s.name, full(session.get(s.name)));
    else out.set(part.stem, vector([1, 2, 3].map((k) => session.get(part.at(k)) ?? 0)));
  }
  for (const [name, text] of turnedMatrices(session)) out.set(name, text);
  return [...out];
}

/** The rotations that are turned, the points of contact that went along, and the angular velocities, which a file may give in space. @param {import("./session.js").Session} session */
function turnedMatrices(session) {
  const { document: model } = session;
  const first = session.named(session.motion.row(0));
  const turned = model.starts.filter((s) => s.kind === "turn" && session.starts.get(s.name));
  const out = new Map();
  for (const { matrix } of turned) {
    const stem = model.starts[matrix[0]].name.replace(/\[1,\s*1\]$/, "");
    const entries = matrix.map((k) => first[model.starts[k].name]);
    out.set(stem, `[${[0, 3, 6].map((i) => vector(entries.slice(i, i + 3))).join(", ")}]`);
    for (const along of ["c1", "Omega"].map((name) => stem.replace(/[^.]*$/, name))) {
      if (`${along}[1]` in first) out.set(along, vector([1, 2, 3].map((k) => first[`${along}[${k}]`])));
    }
  }
  return out;
}

/** As a shell takes it. @param {string} word */
const quoted = (word) => (/^[\w.,=+/-]+$/.test(word) ? word : `"${word.replace(/(["\\$`])/g, "\\$1")}"`);

/** The line for the terminal that gives the motion of the present values. @param {import("./session.js").Session} session */
export function command(session) {
  const { document: model } = session;
  const given = { set: [], init: [], until: null, ...model.given };
  const { set, until } = session.changes();
  const end = until ?? given.until;
  const words = [
    "polhode", "run", model.model.argument ?? model.model.name,
    ...flags("--set", new Map([...given.set, ...Object.entries(set).map(([name, value]) => [name, full(value)])])),
    ...flags("--init", new Map([...given.init, ...starts(session)])),
    ...(typeof end === "number" ? ["--until", full(end)] : []),
  ];
  return words.map(quoted).join(" ");
}

/** @param {string} flag @param {Map<string, string>} values */
const flags = (flag, values) => [...values].flatMap(([name, text]) => [flag, `${name}=${text}`]);
