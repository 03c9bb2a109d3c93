// Names of a model as mathematics: theta' → θ̇, Omega[1] → Ω₁, stone.R[1,3] → stone R₁₃, I1 → I₁.

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

/**
 * The name as it is written in formulas, in plain Unicode so that it serves in text, canvas and attributes.
 * @param {string} name
 * @returns {string}
 */
export function pretty(name) {
  const dot = name.lastIndexOf(".");
  const owner = dot > 0 ? `${name.slice(0, dot).replace(/_/g, " ")} ` : "";
  const own = dot > 0 ? name.slice(dot + 1) : name;
  const found = /^([A-Za-z]+)(\d*)((?:_[A-Za-z0-9]+)*)((?:\[[^\]]*\])*)('*)((?:\[[^\]]*\])*)$/.exec(own);
  if (!found) return owner + own.replace(/_/g, " ");
  const [, letters, digits, tail, index, primes, later] = found;
  const symbol = GREEK.get(letters) ?? (letters.length <= 2 ? letters : null);
  const inner = [...(index + later).matchAll(/\[([^\]]*)\]/g)].map((m) => m[1].replace(/[,\s]/g, "")).join("");
  if (symbol === null) return owner + letters.replace(/_/g, " ") + digits + tail.replace(/_/g, " ") + lowered(inner) + primes.replace(/'/g, "′");
  const dots = primes.length === 1 ? "\u0307" : primes.length === 2 ? "\u0308" : primes.replace(/'/g, "′");
  const dotted = symbol.length === 1 ? symbol + dots : symbol + primes.replace(/'/g, "′");
  const number = /^_\d+$/.test(tail) ? tail.slice(1) : "";
  // there are no lowered capitals: x_O is written xO
  const short = /^_[A-Za-z]{1,2}$/.test(tail) ? tail.slice(1) : "";
  return owner + dotted + short + lowered(digits + number + inner) + (tail && !number && !short ? ` ${tail.slice(1).replace(/_/g, " ")}` : "");
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
