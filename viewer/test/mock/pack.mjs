// Packs numbers as the program does: base64 of little-endian arrays.

/** @param {ArrayLike<number>} list */
export const f64 = (list) => ({ f64: Buffer.from(Float64Array.from(list).buffer).toString("base64") });
/** @param {ArrayLike<number>} list */
export const f32 = (list) => ({ f32: Buffer.from(Float32Array.from(list).buffer).toString("base64") });
/** @param {ArrayLike<number>} list */
export const u32 = (list) => ({ u32: Buffer.from(Uint32Array.from(list).buffer).toString("base64") });
