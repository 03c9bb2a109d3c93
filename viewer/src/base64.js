// Arrays of numbers in JSON: {"f64": "…"}, {"f32": "…"}, {"u32": "…"}, {"u16": "…"}, base64 of little-endian
// numbers; {"i16": "…"} are numbers between −1 and 1 in parts of 32767.

/**
 * @typedef {{f64?: string, f32?: string, u32?: string, u16?: string, i16?: string}} Packed
 */

/**
 * The bytes of a base64 text.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function bytes(text) {
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) out[i] = binary.charCodeAt(i);
  return out;
}

const KINDS = /** @type {const} */ ([
  ["f64", Float64Array],
  ["f32", Float32Array],
  ["u32", Uint32Array],
  ["u16", Uint16Array],
]);

/**
 * The numbers of a packed array. Every machine a browser runs on is little-endian.
 * @param {Packed} packed
 * @returns {any} a Float64Array, Float32Array, Uint32Array or Uint16Array
 */
export function unpack(packed) {
  for (const [kind, Type] of KINDS) {
    const text = packed[kind];
    if (typeof text === "string") return new Type(bytes(text).buffer);
  }
  if (typeof packed.i16 === "string") return Float32Array.from(new Int16Array(bytes(packed.i16).buffer), (x) => x / 32767);
  throw new TypeError("packed numbers are f64, f32, u32, u16 or i16");
}
