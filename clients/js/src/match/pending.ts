import { buildResultUrl, markedPhrase } from "../result-url.js";
import { wordsOf } from "../text.js";
import type { Result, Section } from "../types.js";

/** What to look for on the page that opens. */
export interface Match {
  /** `pageOf` that page. */
  path: string;
  anchor: string;
  /** The words of the passage, from one line; "" where none is marked. */
  phrase: string;
  /** Of the query, for pages that say it in another way than the index holds it. */
  words: readonly string[];
}

const KEY = "searchsocket-match";
const MAX_AGE_MS = 30_000; // a page that opens later was not opened by the search

/** The match of a result that is about to be opened. */
export function matchOf(result: Pick<Result | Section, "href" | "anchor" | "snippet" | "marks">, q: string, site = ""): Match {
  const { pathname } = new URL(buildResultUrl(result, { site, textFragment: false }), location.href);
  return { path: pageOf(pathname), anchor: result.anchor, phrase: markedPhrase(result.snippet, result.marks), words: wordsOf(q) };
}

/** A path without the ways in which hosts end the address of one page: `/a`, `/a/`, `/a.html` and `/a/index.html`. */
export function pageOf(path: string): string {
  return path.replace(/\/+$/, "").replace(/\.html?$/, "").replace(/\/index$/, "");
}

/** Keep it for the next page of this tab. */
export function rememberMatch(match: Match): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...match, at: Date.now() }));
  } catch {
    // A tab that may keep nothing opens the page at its section.
  }
}

/** What was kept, until it is forgotten: the page that is left may ask before the one that opens. */
export function pendingMatch(): Match | null {
  try {
    const { path, anchor, phrase, words, at } = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Match & { at: number };
    if (!(Date.now() - at < MAX_AGE_MS)) return null;
    return { path: String(path), anchor: String(anchor), phrase: String(phrase), words: words.map(String) };
  } catch {
    return null; // nothing was kept, or by something else
  }
}

export function forgetMatch(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}
