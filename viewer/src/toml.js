// Light colouring of model texts: tables, keys, strings, numbers, comments. No parser: a wrong text is
// coloured too, and the program says what is wrong with it.

/**
 * @typedef {{from: number, to: number, kind: string}} Piece in characters of the line
 */

const PATTERN = /(#.*$)|("""|'''|"(?:\\.|[^"\\])*"?|'[^']*'?)|(^\s*\[\[?[^\]]*\]?\]?)|([A-Za-z0-9_.-]+)(?=\s*=)|\b(true|false)\b|([+-]?\b\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?\b)/g;

const KINDS = ["comment", "string", "table", "key", "boolean", "number"];

/**
 * The coloured pieces of one line, in order and apart.
 * @param {string} line
 * @returns {Piece[]}
 */
export function pieces(line) {
  const found = [];
  for (const match of line.matchAll(PATTERN)) {
    const which = match.slice(1).findIndex((group) => group !== undefined);
    found.push({ from: match.index, to: match.index + match[0].length, kind: KINDS[which] });
  }
  return found;
}
