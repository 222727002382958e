// Names of pages in a query.
import type { Index } from "./index.js";
import { possibleNames, spelledName } from "./tokens.js";

export const ANYWHERE = 0;
export const IN_TEXT = 1;
export const IN_HEADING = 3;

/** The chunks that have all of the terms: anywhere, in their text, or in the headings in it. */
export function chunksWith(index: Index, forms: readonly string[], column: number): number[] {
  const [first = [], ...others] = forms.map((form) => (index.posting(form)?.chunks ?? []).filter((_, at, own) => at % 4 === 0 && (!column || own[at + column])));
  const sets = others.map((other) => new Set(other));
  return first.filter((chunk) => sets.every((set) => set.has(chunk)));
}

/** Pages by how far the query is their title: all of it, nearly, or its beginning. */
export function namedPages(index: Index, text: string, least = 0): Map<number, number> {
  const { nearly } = index.head.weights.exact;
  const names = possibleNames(text);
  const pages = new Map<number, number>();
  const put = (name: string, worth: number) => {
    for (const page of index.names.get(name) ?? []) if (worth >= least) pages.set(page, Math.max(pages.get(page) ?? 0, worth));
  };
  names.forEach((name, at) => put(name, at ? nearly : 1));
  const begun = names[0] ?? "";
  // An identifier that is a title or in a heading is not read as the words that it consists of.
  const isNamed = index.names.has(begun) || chunksWith(index, [begun], IN_HEADING).length > 0;
  if (!isNamed) put(spelledName(text), nearly);
  if (begun.length >= 2 && !/\s$/.test(text)) {
    // The order does not depend on what is typed, so that a title stays while more letters follow. Of the names of a page
    // the longest counts: the others lack stop words and endings, so they may differ from what is typed later.
    const longer = [...index.names.keys()].filter((name) => name.startsWith(begun)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    const longest = new Map(longer.flatMap((name) => index.names.get(name)!.map((page) => [page, name] as const)));
    const distinct = new Set(longest.values());
    const places = new Map(longer.filter((name) => distinct.has(name)).map((name, at) => [name, at] as const));
    for (const [page, name] of longest) {
      const worth = index.head.weights.begun[places.get(name)!] ?? 0;
      if (worth && worth >= least) pages.set(page, Math.max(pages.get(page) ?? 0, worth));
    }
  }
  const address = text.includes("/") && !/\s/.test(text.trim()) ? addressOf(text.trim()) : "";
  const page = address ? index.head.pages.url.indexOf(address) : -1;
  if (page >= 0) pages.set(page, 1);
  return pages;
}

function addressOf(text: string): string {
  const path = text.replace(/[?#].*$/, "").replace(/^[A-Za-z][\w+.-]*:\/\/[^/]*/, "");
  return `/${path.replace(/(?:(?:^|\/)index)?\.html?$/, "").replace(/^\/+|\/+$/g, "")}`;
}
