// The keys of the page, and the list of them.

import { h } from "./dom.js";

const LIST = [
  ["Space", "play and pause"],
  ["← →", "one sample back or on; with Shift, twenty"],
  ["Home End", "to the start or the end"],
  ["[ ]", "slower, faster"],
  ["L", "loop"],
  ["F", "follow the body"],
  ["R", "show everything"],
  ["1 2 3 4", "oblique, from above, from the front, from the side"],
  ["I J K M", "turn the camera"],
  ["+ −", "nearer, farther"],
  ["Delete", "reset the slider in focus, as a double click does"],
  ["T", "light and dark"],
  ["/", "search, in the gallery"],
  ["G", "gallery"],
  ["Ctrl Enter", "run the text, in the editor"],
  ["Esc", "leave the editor or close a list"],
  ["?", "this list"],
];

/** Opens the list of keys. */
export function showKeys() {
  if (document.querySelector("dialog.keys")) return;
  const dialog = h("dialog", { class: "keys", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("dl", {}, ...LIST.flatMap(([keys, text]) => [h("dt", {}, ...keys.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, text)])),
    h("form", { method: "dialog" }, h("button", { class: "quiet" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Whether the element takes keys itself. @param {EventTarget | null} target */
export function takesText(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(range|checkbox|button)$/.test(target.type)));
}
