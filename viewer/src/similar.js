// Names that somebody may have meant: those that share most of their pairs of letters.

/** Names with less in common than this part of their pairs are others. */
const ALIKE = 0.4;

/** How many are offered. */
const MOST = 3;

/** Neighbouring letters, with the ends of the word. @param {string} word @returns {string[]} */
function pairs(word) {
  const text = ` ${word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `;
  return Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2));
}

/** Dice's coefficient 2 |A ∩ B| / (|A| + |B|), from 0 to 1. @param {string[]} a @param {string[]} b */
function alike(a, b) {
  const left = [...b];
  const common = a.filter((pair) => {
    const at = left.indexOf(pair);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return (2 * common.length) / (a.length + b.length);
}

/**
 * The names most like a word, the best first.
 * @param {string} word
 * @param {string[]} names
 * @returns {string[]}
 */
export function similar(word, names) {
  const mine = pairs(word);
  return names.map((name) => ({ name, score: alike(mine, pairs(name)) }))
    .filter(({ score }) => score >= ALIKE)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ name }) => name);
}
