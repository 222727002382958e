import type { Words } from "../labels/words.js";
import { h, icon, ICONS } from "./dom.js";

/** Recent searches as options; Delete or the cross removes one. */
export function recentOptions(queries: readonly string[], { labels }: Words): HTMLElement[] {
  if (!queries.length) return [];
  const options = queries.map((q) =>
    h(
      "div",
      { role: "option", part: "recent", class: "recent", "data-recent": q, "aria-keyshortcuts": "Delete" },
      icon(ICONS.clock),
      h("span", { class: "title", dir: "auto" }, q),
      h("span", { class: "remove", "data-remove": true, title: labels.remove, "aria-hidden": "true" }, icon(ICONS.cross)),
    ),
  );
  return [h("div", { role: "group", class: "page", "aria-label": labels.recent }, ...options)];
}
