import { buildResultUrl, markedPhrase } from "../result-url.js";
import { wordsOf } from "../text.js";
import type { Result, Section } from "../types.js";

/** The match to show on the next page. */
export interface Match {
  /** `pageOf` of that page. */
  path: string;
  anchor: string;
  /** The words of the passage, from one line; "" if none is marked. */
  phrase: string;
  /** Words of the query, for pages whose text differs from the index. */
  words: readonly string[];
}

const KEY = "searchsocket-match";
const MAX_AGE_MS = 30_000; // a page that opens later is not from the search

/** The match of a result that is about to be opened. */
export function matchOf(result: Pick<Result | Section, "href" | "anchor" | "snippet" | "marks">, q: string, site = ""): Match {
  const { pathname } = new URL(buildResultUrl(result, { site, textFragment: false }), location.href);
  return { path: pageOf(pathname), anchor: result.anchor, phrase: markedPhrase(result.snippet, result.marks), words: wordsOf(q) };
}

/** Return a path without the endings that hosts use for one page: `/a`, `/a/`, `/a.html` and `/a/index.html`. */
export function pageOf(path: string): string {
  return path.replace(/\/+$/, "").replace(/\.html?$/, "").replace(/\/index$/, "");
}

/** Store the match for the next page of this tab. */
export function rememberMatch(match: Match): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...match, at: Date.now() }));
  } catch {
    // Without storage, the page opens at its section.
  }
}

/** Return the stored match. It is not removed: the current page may read it before the next page does. */
export function pendingMatch(): Match | null {
  try {
    const { path, anchor, phrase, words, at } = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Match & { at: number };
    if (!(Date.now() - at < MAX_AGE_MS)) return null;
    return { path: String(path), anchor: String(anchor), phrase: String(phrase), words: words.map(String) };
  } catch {
    return null; // nothing is stored, or not by us
  }
}

export function forgetMatch(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // No storage.
  }
}
