// Light and dark: as the system says until the reader chooses, and the palette of Okabe and Ito, which
// people with any kind of colour vision can tell apart.

const KEY = "polhode-theme";

/** Colours of bodies, arrows and traces by the palette index of a scene; those of the pictures in the gallery. */
const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#b8588f", "#e69f00", "#46a6dc", "#555555", "#d8d4ca"];

/** Those that are too dark on a dark ground, there. */
const ON_DARK = new Map([[0, "#2b8fcc"], [6, "#9aa2ab"]]);

/** The order in which curves of a plot take colours, light and dark. */
const CURVES = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b87d00", "#3a9bd6", "#5b626b", "#8c6d00"],
  dark: ["#56b4e9", "#f2853d", "#2fc79a", "#e39ac2", "#e6b03a", "#8fd0f5", "#aab2bc", "#f0e442"],
};

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
  document.documentElement.dataset.theme = theme();
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
  const i = index % PALETTE.length;
  return (theme() === "dark" && ON_DARK.get(i)) || PALETTE[i];
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
