// The colours of curves, arrows and bodies, light and dark: the first ones are those of Okabe and Ito. Any two curves are
// told apart by people with any kind of colour vision, and all of them from the ground they are drawn on; a test keeps it so.

/** The order in which curves of a plot take colours. */
export const CURVES = {
  light: ["#0072b2", "#d55e00", "#009e73", "#a63679", "#605200", "#4a94ff", "#1c333c", "#07049f"],
  dark: ["#56b4e9", "#f2853d", "#c2f9c5", "#d60d99", "#f1f63c", "#6370ef", "#c5c9d0", "#916a3b"],
};

/** What is drawn of contacts, in the scene and in plots. */
export const LAYERS = {
  light: { body: "#e69f00", ground: "#0072b2", force: "#d55e00" },
  dark: { body: "#f0b73c", ground: "#56b4e9", force: "#f2853d" },
};

/** Colours of bodies, arrows and traces by the palette index of a scene; those of the pictures in the gallery. */
export const SCENE = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b8588f", "#e69f00", "#46a6dc", "#555555", "#d8d4ca"],
  // some are too dark on a dark ground
  dark: ["#2b8fcc", "#d55e00", "#009e73", "#b8588f", "#e69f00", "#46a6dc", "#9aa2ab", "#d8d4ca"],
};
