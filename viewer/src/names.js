// Names of a model as mathematics: theta' → θ̇, Omega[1] → Ω₁, stone.R[1,3] → stone R₁₃, I1 → I₁, c1[2] → c₁,₂; and LaTeX that the model
// gives for a name, as far as a label can show it: \dot{\varphi}_0 → φ̇₀.

const GREEK = new Map(
  Object.entries({
    alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", zeta: "ζ", eta: "η", theta: "θ", iota: "ι",
    kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", upsilon: "υ",
    phi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π",
    Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
  }),
);

const LOW = new Map([..."0123456789"].map((digit, i) => [digit, String.fromCharCode(0x2080 + i)]));

/** @param {string} text */
const lowered = (text) => [...text].map((c) => LOW.get(c) ?? c).join("");

/** Commands of LaTeX that are one letter or sign. */
const COMMANDS = new Map(
  [...GREEK].map(([name, letter]) => [name, letter]).concat(Object.entries({
    varphi: "φ", phi: "ϕ", varepsilon: "ε", epsilon: "ϵ", vartheta: "ϑ", varrho: "ϱ", varpi: "ϖ", varsigma: "ς", ell: "ℓ", hbar: "ħ", infty: "∞",
    prime: "′", cdot: "·", ast: "∗", star: "⋆", parallel: "∥", perp: "⊥", pm: "±", dagger: "†", circ: "°",
  })),
);

/** Accents, as combining characters. */
const ACCENTS = new Map(Object.entries({ dot: "\u0307", ddot: "\u0308", bar: "\u0304", hat: "\u0302", tilde: "\u0303", vec: "\u20d7" }));

/** Commands whose argument is set upright. */
const UPRIGHT = new Set(["mathrm", "text", "textrm", "operatorname", "mathbf", "mathsf"]);

/**
 * @typedef {{text: string, level: -1 | 0 | 1, upright: boolean}} Piece lowered, on the line, or raised
 */

/**
 * LaTeX as pieces of text; null where it needs more than letters, indices and accents.
 * @param {string} latex
 * @returns {Piece[] | null}
 */
export function pieces(latex) {
  let at = 0;
  /** @param {boolean} one a single argument, rather than a list @param {Pick<Piece, "level" | "upright">} style @returns {Piece[] | null} */
  const read = (one, style) => {
    /** @type {Piece[]} */
    const out = [];
    while (at < latex.length) {
      const c = latex[at];
      if (c === "}") return out;
      at += 1;
      if (/\s/.test(c)) {
        if (style.upright) out.push({ text: " ", ...style });
        continue;
      }
      const found = c === "{" ? group(style) : c === "_" || c === "^" ? index(c, style) : c === "\\" ? command(style) : plain(c, style);
      if (!found) return null;
      out.push(...found);
      if (one) return out;
    }
    return one ? null : out;
  };
  const plain = (c, style) => (/[\p{L}\p{N}+\-*/().,|<>=':]/u.test(c) ? [{ text: c === "'" ? "′" : c, ...style }] : null);
  const group = (style) => {
    const inner = read(false, style);
    if (!inner || latex[at] !== "}") return null;
    at += 1;
    return inner;
  };
  // an index of an index has no place in a label
  const index = (sign, style) => (style.level ? null : read(true, { ...style, level: sign === "_" ? -1 : 1 }));
  const command = (style) => {
    const name = /^(?:[A-Za-z]+|.)/u.exec(latex.slice(at))?.[0] ?? "";
    at += name.length;
    if ([",", ";", "!", ":", " "].includes(name)) return [];
    if (name === "_") return [{ text: "_", ...style }];
    const letter = COMMANDS.get(name);
    if (letter) return [{ text: letter, ...style }];
    const accent = ACCENTS.get(name);
    const inner = accent || UPRIGHT.has(name) ? read(true, accent ? style : { ...style, upright: true }) : null;
    if (!accent || !inner?.length) return inner;
    return [{ ...inner[0], text: inner[0].text + accent }, ...inner.slice(1)];
  };
  const all = read(false, { level: 0, upright: false });
  return all?.length && at === latex.length ? joined(all) : null;
}

/** Neighbours of the same kind together. @param {Piece[]} list */
function joined(list) {
  /** @type {Piece[]} */
  const out = [];
  for (const piece of list) {
    const last = out.at(-1);
    if (last && last.level === piece.level && last.upright === piece.upright) last.text += piece.text;
    else out.push({ ...piece });
  }
  return out;
}

/** Pieces in plain Unicode: digits are lowered and raised, other letters stay on the line. @param {Piece[]} list */
function plainly(list) {
  const raised = (text) => text.replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(d)]).replace("-", "⁻").replace("+", "⁺");
  return list.map(({ text, level }) => (level < 0 ? lowered(text) : level > 0 ? raised(text) : text)).join("");
}

/**
 * The name as it is written in formulas, in plain Unicode so that it serves in text, canvas and attributes.
 * @param {string} name
 * @param {string | null} [latex] that the model gives for it
 * @returns {string}
 */
export function pretty(name, latex) {
  const given = latex ? pieces(latex) : null;
  if (given) return plainly(given);
  const dot = name.lastIndexOf(".");
  const owner = dot > 0 ? `${name.slice(0, dot).replace(/_/g, " ")} ` : "";
  const own = dot > 0 ? name.slice(dot + 1) : name;
  const found = /^([A-Za-z]+)(\d*)((?:_[A-Za-z0-9]+)*)((?:\[[^\]]*\])*)('*)((?:\[[^\]]*\])*)$/.exec(own);
  if (!found) return owner + own.replace(/_/g, " ");
  const [, letters, digits, tail, index, primes, later] = found;
  const symbol = GREEK.get(letters) ?? (letters.length <= 2 ? letters : null);
  const inner = [...(index + later).matchAll(/\[([^\]]*)\]/g)].map((m) => m[1].replace(/[,\s]/g, "")).join("");
  if (symbol === null) return owner + letters + digits + tail.replace(/_/g, " ") + lowered(inner) + primes.replace(/'/g, "′");
  const dots = primes.length === 1 ? "\u0307" : primes.length === 2 ? "\u0308" : primes.replace(/'/g, "′");
  const dotted = symbol.length === 1 ? symbol + dots : symbol + primes.replace(/'/g, "′");
  const number = /^_\d+$/.test(tail) ? tail.slice(1) : "";
  // there are no lowered capitals: x_O is written xO
  const short = /^_[A-Za-z]{1,2}$/.test(tail) ? tail.slice(1) : "";
  // digits of the name and indices are two things: c₁₂ would be c twelve
  const below = [digits + number, inner].filter(Boolean).join(",");
  return owner + dotted + short + lowered(below) + (tail && !number && !short ? ` ${tail.slice(1).replace(/_/g, " ")}` : "");
}

/**
 * A name in its parts: the body it belongs to, the name proper, and whether that is a symbol, to be set in
 * italics, rather than a word.
 * @param {string} name
 * @returns {{owner: string, own: string, symbol: boolean}}
 */
export function parts(name) {
  const dot = name.lastIndexOf(".");
  const [owner, own] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : ["", name];
  const letters = /^[A-Za-z]+/.exec(own)?.[0] ?? "";
  const text = pretty(own);
  return { owner: owner.replace(/_/g, " "), own: text, symbol: !text.includes(" ") && (GREEK.has(letters) || letters.length <= 2) };
}
