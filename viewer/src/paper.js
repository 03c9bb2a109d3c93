// On paper (printing, or the address #print): everything one below the other, in light colours, the scene as a
// picture.

import { applyTheme } from "./theme.js";

/**
 * @param {{prepare: () => void, restore: () => void}} page what is on the screen
 * @returns {() => void} stops listening
 */
export function onPaper(page) {
  const asked = () => location.hash === "#print";
  const enter = () => {
    if (document.body.classList.contains("paper")) return;
    document.body.classList.add("paper");
    applyTheme();
    page.prepare();
  };
  const leave = () => {
    if (asked() || !document.body.classList.contains("paper")) return;
    document.body.classList.remove("paper");
    applyTheme();
    page.restore();
  };
  window.addEventListener("beforeprint", enter);
  window.addEventListener("afterprint", leave);
  if (asked()) enter();
  return () => {
    window.removeEventListener("beforeprint", enter);
    window.removeEventListener("afterprint", leave);
    document.body.classList.remove("paper");
  };
}
