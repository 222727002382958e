import type { Part } from "../text.js";

type Properties = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Create an element; attributes that are false, null or undefined are omitted. Children are text or nodes, never HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Properties = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/** An icon of strokes in a square of 24. */
export function icon(path: string): SVGSVGElement {
  const make = (name: string) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const svg = make("svg") as SVGSVGElement;
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = make("path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const ICONS = {
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13m4.8 11.3L20.5 20.5",
  page: "M7 3.5h7l4 4v13H7zM14 3.5v4h4M10 12h5M10 16h5",
  section: "M9.5 4 7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16m0 3.5V12l3 2",
  cross: "M6 6l12 12M18 6 6 18",
  star: "M12 4.2l2.3 4.9 5.2.7-3.8 3.7.9 5.3-4.6-2.5-4.6 2.5.9-5.3-3.8-3.7 5.2-.7z",
} as const;

/** Nodes of a text, with matches in `<mark>`. */
export function marked(parts: readonly Part[]): (Node | string)[] {
  return parts.map(({ text, isMarked }) => (isMarked ? h("mark", { part: "mark" }, text) : text));
}
