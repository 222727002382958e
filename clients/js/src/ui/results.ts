import type { Words } from "../labels/words.js";
import { buildResultUrl } from "../result-url.js";
import { markedParts, markedWords } from "../text.js";
import type { Result, SearchAnswer, Section } from "../types.js";
import { h, icon, ICONS, marked } from "./dom.js";
import { readable } from "./filters.js";

const SECTIONS = 3; // without the section that the result opens
const ALIKE = 3;

/** Target of an option. */
export interface Opening {
  result: Result;
  /** The target on its page: the result itself, or one of its sections. */
  at: Result | Section;
}

/** Return the address of a result, on its site's host or on that of the element. */
export function siteOf({ origin }: Result, site: string): string {
  return origin && /^https?:\/\/[^/]/i.test(origin.site) ? origin.site : site;
}

/** Render pages as groups of a listbox with sections as options. Each option is a link; several sites have headings. */
export function resultGroups(answer: SearchAnswer, meant: string, words: Words, ownSite: string, openings: WeakMap<Element, Opening>): HTMLElement[] {
  const projects = [...new Set(answer.results.map(({ origin }) => origin?.project))]; // the best site first
  return projects.flatMap((project) => {
    const results = answer.results.filter(({ origin }) => origin?.project === project);
    const title = results[0]?.origin?.title;
    const heading = title ? [h("div", { part: "heading", class: "heading", role: "presentation", "aria-hidden": "true" }, title)] : [];
    return [...heading, ...pageGroups(results, `${answer.q} ${meant}`, words, ownSite, openings)];
  });
}

/** @param q The words to mark: as typed, and corrected. */
function pageGroups(results: readonly Result[], q: string, words: Words, ownSite: string, openings: WeakMap<Element, Opening>): HTMLElement[] {
  return results.map((result) => {
    const site = siteOf(result, ownSite);
    const name = result.title || result.url;
    const marks = markedParts(result.snippet, result.marks).flatMap(({ text, isMarked }) => (isMarked ? text : []));
    const titled = (text: string) => marked(markedWords(text, [...marks, q].join(" "))); // other forms and corrections too
    const group = h("div", { role: "group", part: "page", class: "page", "aria-label": result.origin ? `${name}, ${result.origin.title}` : name });
    const option = (at: Result | Section, kind: "result" | "section", ...children: (Node | string)[]) => {
      const made = h("a", { role: "option", part: kind, class: kind, href: buildResultUrl(at, { site }), tabindex: -1 }, ...children);
      openings.set(made, { result, at });
      group.append(made);
    };
    const title = result.title || result.url;
    const section = result.sectionTitle && result.sectionTitle !== title ? result.sectionTitle : "";
    option(
      result,
      "result",
      icon(ICONS.page),
      h(
        "span",
        { part: "title", class: "title", dir: "auto" },
        ...titled(title),
        ...(section ? [h("span", { class: "in" }, " › ", ...titled(section))] : []),
      ),
      h("span", { part: "path", class: "path" }, h("bdi", {}, breadcrumbs(result))), // aligned with the title
      snippetOf(result),
    );
    const others = result.sections.filter((one) => one.anchor !== result.anchor).slice(0, SECTIONS);
    for (const one of others) {
      option(
        one,
        "section",
        icon(ICONS.section),
        h("span", { part: "title", class: "title", dir: "auto" }, ...titled(one.title || title)),
        snippetOf(one),
      );
    }
    if (result.alike.length) {
      const named = result.alike.slice(0, ALIKE).map((page) => page.title || page.url);
      group.append(h("div", { class: "alike", role: "presentation" }, `${words.counted(words.labels.alike, result.alike.length)}: ${named.join(", ")}`));
    }
    return group;
  });
}

/** Render the passage of a result; list items, rows and code keep their lines. */
function snippetOf({ snippet, marks }: Result | Section): HTMLElement {
  return h("span", { part: "snippet", class: snippet.includes("\n") ? "snippet lines" : "snippet", dir: "auto" }, ...marked(markedParts(snippet, marks)));
}

/** Breadcrumbs of a page from its directories. */
function breadcrumbs({ url, headingPath, anchor }: Result): string {
  const directories = url.split("/").slice(1, -1).map(readable);
  return [...directories, ...(anchor ? headingPath.slice(1, -1) : [])].join(" / ") || url;
}
