// The sections of a report, below the page of its model. They are data that the program wrote: text with
// formulas between dollar signs, displayed formulas, tables, preformatted pages of commands, and pictures.

import "./style/report.css";
import { formula, formulaLine, withCode } from "./equations.js";
import { h } from "./dom.js";

/**
 * @typedef {{kind: "heading" | "subheading" | "text" | "latex" | "pre" | "svg", text: string}
 *   | {kind: "table", head: string[], rows: string[][]}} Block
 * @typedef {{id: string, title: string, command: string | null, blocks: Block[]}} Section
 */

/** Texts and tables of so many lines on paper stay on one page, with so many letters to a line. */
const TOGETHER = 30;
const LETTERS = 100;

/** What is short enough to stay on one page. @param {string[]} lines */
const kept = (lines) => (lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS)), 0) <= TOGETHER ? "kept" : "");

/** Text with formulas between dollar signs and commands between backticks. @param {string} text */
function prose(text) {
  return text.split("$").flatMap((part, i) => (i % 2 ? formula(part, false) : withCode(part)));
}

/** A picture of the program, which escapes what it writes; taken in as a picture, so that it is nothing else. @param {string} svg */
function picture(svg) {
  return h("img", { class: "report-plot", alt: "", src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}` });
}

/** @param {Block} block */
function shown(block) {
  switch (block.kind) {
    case "heading":
      return h("h3", {}, ...prose(block.text));
    case "subheading":
      return h("h4", {}, ...prose(block.text));
    case "latex":
      return formulaLine(block.text);
    case "pre":
      return h("pre", { class: kept(block.text.split("\n")) }, block.text);
    case "svg":
      return picture(block.text);
    case "table":
      return block.head.length
        ? h("table", { class: kept(block.rows.map((row) => row.join(" "))) },
          h("thead", {}, h("tr", {}, ...block.head.map((cell) => h("th", { scope: "col" }, cell)))),
          h("tbody", {}, ...block.rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, ...withCode(cell)))))))
        : h("table", { class: `pairs ${kept(block.rows.map((row) => row.join(" ")))}` },
          h("tbody", {}, ...block.rows.map(([name, ...rest]) => h("tr", {}, h("th", { scope: "row" }, name), ...rest.map((cell) => h("td", {}, ...withCode(cell)))))));
    default:
      return h("p", {}, ...prose(block.text));
  }
}

/**
 * All sections, with a list of them in front.
 * @param {Section[]} sections
 */
export function report(sections) {
  return h("div", { class: "report" },
    h("nav", { "aria-label": "Sections" }, h("ol", {}, ...sections.map(({ id, title }) => h("li", {},
      h("button", { type: "button", class: "link", onclick: () => document.getElementById(`report-${id}`)?.scrollIntoView() }, title))))),
    ...sections.map(({ id, title, command, blocks }) => h("section", { id: `report-${id}` },
      h("h2", {}, title),
      command && h("p", { class: "command" }, h("code", {}, command)),
      ...blocks.map(shown))));
}
