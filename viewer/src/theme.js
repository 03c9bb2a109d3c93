// Light and dark: as the system says until the reader chooses.

import { CURVES, LAYERS, SCENE } from "./palette.js";

const KEY = "polhode-theme";

const system = matchMedia("(prefers-color-scheme: dark)");

/** @type {Set<() => void>} */
const listeners = new Set();

/** @returns {"light" | "dark" | null} what the reader chose */
function chosen() {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

/** @type {"light" | "dark" | null} */
let choice = chosen();

/** @returns {"light" | "dark"} */
export function theme() {
  if (document.body.classList.contains("paper")) return "light";
  return choice ?? (system.matches ? "dark" : "light");
}

/** Shows the theme, and tells who draws by hand. */
export function applyTheme() {
  const { dataset, style } = document.documentElement;
  dataset.theme = theme();
  CURVES[theme()].forEach((colour, i) => style.setProperty(`--curve-${i}`, colour));
  for (const [layer, colour] of Object.entries(LAYERS[theme()])) style.setProperty(`--ink-${layer}`, colour);
  for (const listener of listeners) listener();
}

export function toggleTheme() {
  choice = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // a page opened from a file may have no storage; the choice then lasts as long as the page
  }
  applyTheme();
}

/** @param {() => void} listener @returns {() => void} forgets the listener */
export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A colour of the palette in the present theme. @param {number} index */
export function paletteColour(index) {
  const list = SCENE[theme()];
  return list[index % list.length];
}

/** The colour of what is drawn of contacts; undefined for other layers. @param {string} layer @returns {string | undefined} */
export function layerColour(layer) {
  return LAYERS[theme()][layer];
}

/** @param {number} i */
export function curveColour(i) {
  const list = CURVES[theme()];
  return list[i % list.length];
}

/** The value of a colour of the style sheet. @param {string} name */
export function styleColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

system.addEventListener("change", applyTheme);
