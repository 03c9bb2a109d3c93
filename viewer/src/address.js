// The values of a page elsewhere: as an address that brings them back, and as a line for the command line.
//
// An address is #/model/NAME?r=0.5&theta'=0.2&until=5. A page that is sent around reads it as the served one does. That of an edited text is
// #/edited/NAME; the text itself is kept by the history of the browser, so that Back and Forward find it, and a new load of the page.

import { full } from "./numbers.js";

/** The name of the end of the motion in an address. */
const UNTIL = "until";

/**
 * What an address asks for; null where it names no model.
 * @param {string} hash
 * @returns {{name: string, values: Map<string, number>, text?: string} | null} with the text of the model where it was edited
 */
export function read(hash) {
  const found = /^#\/(model|edited)\/([^?]+)(?:\?(.*))?$/.exec(hash);
  if (!found) return null;
  const values = new Map([...new URLSearchParams(found[3] ?? "")].map(([name, text]) => [name, text.trim() ? Number(text) : NaN]));
  for (const [name, value] of values) if (!Number.isFinite(value)) values.delete(name);
  const text = found[1] === "edited" ? history.state?.text : undefined;
  return { name: decoded(found[2]), values, ...(text === undefined ? {} : { text }) };
}

/** Gives a text that is being edited a place in the history, beside the model that it was. @param {string} name @param {string} text */
export function keepText(name, text) {
  const address = `#/edited/${encodeURIComponent(name)}`;
  if (location.hash === address) history.replaceState({ text }, "", address);
  else history.pushState({ text }, "", address);
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
  if (!session.turned) return [...out];
  for (const [name, text] of places(session)) {
    // a rotation with the origin or the points of contact says where a body is, and nothing else may
    if (/(^|\.)(x_O|c1)$/.test(name)) for (const other of ["touching", "contact", "position"]) out.delete(name.replace(/\w+$/, other));
    out.set(name, text);
  }
  return [...out];
}

/**
 * Where all bodies are at the start: rotations, the points of contact of a single one or else origins, and angular velocities, which a file may
 * give in space. One body may be placed by another, so those that are not turned are among them.
 * @param {import("./session.js").Session} session
 */
function places(session) {
  const { document: model } = session;
  const first = session.named(session.motion.row(0));
  const out = new Map();
  for (const { matrix } of model.starts.filter((s) => s.kind === "turn")) {
    const stem = model.starts[matrix[0]].name.replace(/\[1,\s*1\]$/, "");
    const entries = matrix.map((k) => first[model.starts[k].name]);
    out.set(stem, `[${[0, 3, 6].map((i) => vector(entries.slice(i, i + 3))).join(", ")}]`);
    const beside = (name) => stem.replace(/[^.]*$/, name);
    // along a line of contact only the point of the body says where
    const where = !(`${beside("c1")}[1]` in first) ? ["x_O"] : session.entries.has(`${beside("contact")}[1]`) ? ["c1", "c"] : ["c1"];
    for (const along of [...where, "Omega"].map(beside)) {
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
  const given = { set: [], init: [], until: null, flags: [], ...model.given };
  const { set, until } = session.changes();
  const end = until ?? given.until;
  const words = [
    "polhode", "run", model.model.argument ?? model.model.name,
    ...flags("--set", new Map([...given.set, ...Object.entries(set).map(([name, value]) => [name, full(value)])])),
    ...flags("--init", new Map([...given.init, ...starts(session)])),
    ...(typeof end === "number" ? ["--until", full(end)] : []),
    ...given.flags,
  ];
  return words.map(quoted).join(" ");
}

/** @param {string} flag @param {Map<string, string>} values */
const flags = (flag, values) => [...values].flatMap(([name, text]) => [flag, `${name}=${text}`]);
