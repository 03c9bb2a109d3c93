// Elements in one expression: h("button", { class: "quiet", onclick }, "Play").

import { parts, pieces } from "./names.js";

/**
 * Makes an element. Properties that begin with `on` are listeners; `class`, `style`, `aria-…`, `data-…`
 * and the like become attributes; true makes an empty attribute, false, null and undefined none.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(node));
  return element;
}

/** @param {any} child */
function node(child) {
  return child instanceof Node ? child : String(child);
}

const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.500z",
  start: "M6 5h2.200v14H6zM19 5v14L9 12z",
  back: "M15.5 5v14L7 12z",
  forth: "M8.5 5v14L17 12z",
  loop: "M7 7h9.500l-2-2L16 3.5 20.5 8 16 12.5 14.5 11l2-2H9v3H7zM17 17H7.500l2 2L8 20.5 3.5 16 8 11.5 9.5 13l-2 2H15v-3h2z",
  sun: "M12 7.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM11 2h2v3h-2zM11 19h2v3h-2zM2 11h3v2H2zM19 11h3v2h-3zM4.2 5.600l1.4-1.4 2.100 2.100-1.4 1.400zM16.3 17.700l1.4-1.4 2.100 2.100-1.4 1.400zM4.2 18.400l2.100-2.100 1.4 1.4-2.100 2.100zM16.3 6.300l2.100-2.100 1.4 1.4-2.100 2.100z",
  moon: "M20 14.300A8.5 8.5 0 0 1 9.7 4a8.5 8.5 0 1 0 10.3 10.300z",
  follow: "M12 8.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM11 2h2v4h-2zM11 18h2v4h-2zM2 11h4v2H2zM18 11h4v2h-4z",
  fit: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  copy: "M8 3h11v13h-2V5H8zM5 7h10v14H5zM7 9v10h6V9z",
  reset: "M12 5V2L7 6.5 12 11V7.500a5 5 0 1 1-5 5H4.500A7.5 7.5 0 1 0 12 5z",
};

/**
 * A small picture for a button.
 * @param {keyof typeof ICONS} name
 */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * The name of a quantity, set as mathematics: as the model writes it, or as its name says.
 * @param {string} name
 * @param {{latex?: string | null, about?: string | null}} [said] about it by the model
 */
export function quantity(name, { latex = null, about = null } = {}) {
  const title = about ? `${name}: ${about}` : name;
  const given = latex ? pieces(latex) : null;
  if (given) {
    return h("span", { class: "quantity", title }, h("span", { class: "symbol" }, ...given.map(({ text, level, upright }) =>
      h(level < 0 ? "sub" : level > 0 ? "sup" : "span", { class: upright ? "upright" : null }, ...dotted(text)))));
  }
  const { owner, own, symbol } = parts(name);
  return h("span", { class: "quantity", title }, owner && h("span", { class: "owner" }, owner), h("span", { class: symbol ? "symbol" : "word" }, ...dotted(own)));
}

/** Letters with combining dots as elements that carry the dots. @param {string} text */
function dotted(text) {
  const found = /^(.)([\u0307\u0308])(.*)$/u.exec(text);
  if (!found) return [text];
  return [h("span", { class: "dotted", "data-dots": found[2] === "\u0307" ? "·" : "··", "data-tall": /[A-ZΑ-Ωbdfhkltβδζθλξφψ]/.test(found[1]) }, found[1]), found[3]];
}

/**
 * Puts text on the clipboard, also where the asynchronous interface is missing (pages opened from a file).
 * @param {string} text
 * @returns {Promise<boolean>}
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "off-screen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/**
 * A button that copies what `text` gives, and says so for a moment.
 * @param {string} label
 * @param {() => string} text
 */
export function copyButton(label, text) {
  const caption = h("span", {}, label);
  const button = h("button", { type: "button", class: "quiet", onclick: async () => {
    caption.textContent = (await copy(text())) ? "Copied" : "Could not copy";
    setTimeout(() => (caption.textContent = label), 1400);
  } }, icon("copy"), caption);
  return button;
}

/**
 * Runs `action` once, `wait` milliseconds after the last call.
 * @param {(...args: any[]) => void} action
 * @param {number} wait
 */
export function debounce(action, wait) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), wait);
  };
}

/**
 * Runs `action` at most once per frame of the screen.
 * @param {() => void} action
 */
export function perFrame(action) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      action();
    });
  };
}
