// Numbers as people read them: few digits in tables and on axes, all digits where they are copied.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** @param {number} exponent */
export function power(exponent) {
  const digits = [...String(Math.abs(exponent))].map((d) => SUPERSCRIPTS[Number(d)]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

/** @param {string} text */
const minus = (text) => text.replace("-", "−");

/**
 * A number with `digits` significant digits; powers of ten are written out when it is very large or small.
 * @param {number | null | undefined} x
 * @param {number} [digits]
 */
export function short(x, digits = 6) {
  if (x === null || x === undefined) return "—";
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e-4 && size < 10 ** Math.max(digits, 6)) {
    const text = x.toPrecision(digits);
    return minus(text.includes("e") ? String(Number(text)) : trim(text));
  }
  const [mantissa, exponent] = x.toExponential(Math.min(digits, 4) - 1).split("e");
  const head = trim(mantissa);
  const tail = power(Number(exponent));
  if (head === "1") return tail;
  if (head === "-1") return `−${tail}`;
  return minus(`${head}·${tail}`);
}

/** Without the zeros that end a decimal fraction. @param {string} text */
function trim(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/**
 * A number in a column that changes with time: always the same number of digits, so that nothing jumps.
 * @param {number} x
 */
export function steady(x) {
  if (!Number.isFinite(x)) return short(x);
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    const [mantissa, exponent] = x.toExponential(3).split("e");
    return minus(`${mantissa}·${power(Number(exponent))}`);
  }
  const whole = Math.max(1, Math.floor(Math.log10(Math.max(size, 1))) + 1);
  return minus(x.toFixed(Math.max(0, 6 - whole)));
}

/** All digits: the shortest text that reads back to the same double. @param {number} x */
export function full(x) {
  return Object.is(x, -0) ? "0" : String(x);
}

/** A unit as it is printed: m/s^2 → m/s², kg*m^2 → kg·m². @param {string} text */
export function unit(text) {
  const raised = (digits) => [...digits].map((d) => (d === "-" ? "⁻" : SUPERSCRIPTS[Number(d)])).join("");
  return text.trim().replace(/\*\*/g, "^").replace(/\^\(?(-?\d+)\)?/g, (_, digits) => raised(digits)).replace(/\s*\*\s*/g, "·");
}

/**
 * A step of 1, 2 or 5 times a power of ten that divides `span` in at most `most` parts.
 * @param {number} span
 * @param {number} most
 */
export function niceStep(span, most) {
  const raw = span / Math.max(most, 1);
  const unit = 10 ** Math.floor(Math.log10(raw));
  for (const factor of [1, 2, 5, 10]) {
    if (factor * unit >= raw * (1 - 1e-9)) return factor * unit;
  }
  return 10 * unit;
}

/** A stretch of time for people. @param {number} milliseconds */
export function duration(milliseconds) {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  return milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
