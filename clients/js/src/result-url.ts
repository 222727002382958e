import type { Marks, Result, Section } from "./types.js";

export interface ResultUrlOptions {
  /** Where the site is, if elsewhere: `https://docs.example`, also with a path that all pages lie below. */
  site?: string;
  /** Whether browsers shall show the passage by themselves (`#:~:text=`); default true. */
  textFragment?: boolean;
}

type Opening = Pick<Result | Section, "href"> & Partial<Pick<Result | Section, "snippet" | "marks">>;

/** The address that opens a result or one of its sections: at its anchor, and with a text fragment at the passage that was found. */
export function buildResultUrl(result: Opening, { site = "", textFragment = true }: ResultUrlOptions = {}): string {
  // Only a path opens: `javascript:`, `//host` and, behind a site, `@host` would lead elsewhere.
  const href = /^\/(?![/\\])/.test(result.href) ? site.replace(/\/+$/, "") + result.href : "#";
  const phrase = textFragment && result.snippet ? markedPhrase(result.snippet, result.marks ?? []) : "";
  if (!phrase) return href;
  return `${href}${href.includes("#") ? "" : "#"}:~:text=${encodePhrase(phrase)}`;
}

const MAX_WORDS = 8;

/**
 * The words around the most marks of a snippet, from one line: a browser finds a phrase only inside of one block.
 *
 * @param marks In code points of the snippet, as answers have them.
 * @returns "" where nothing is marked.
 */
export function markedPhrase(snippet: string, marks: Marks): string {
  const points = Array.from(snippet);
  let best = { count: 0, text: "" };
  let start = 0;
  for (const line of snippet.split("\n")) {
    const end = start + Array.from(line).length;
    const inside = marks.filter(([from, to]) => from >= start && to <= end);
    const words = [...wordsOf(points, start, end)];
    for (const [from] of inside) {
      const first = words.findIndex(([, to]) => to > from);
      if (first < 0) continue;
      const window = words.slice(first, first + MAX_WORDS);
      const until = window.at(-1)![1];
      const count = inside.filter(([a, b]) => a >= from && b <= until).length;
      if (count > best.count) best = { count, text: points.slice(window[0]![0], until).join("") };
    }
    start = end + 1;
  }
  return best.text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/** Where runs without spaces lie. */
function* wordsOf(points: readonly string[], start: number, end: number): Generator<[number, number]> {
  let first = -1;
  for (let at = start; at <= end; at++) {
    const isSpace = at === end || /\s|…/.test(points[at]!);
    if (!isSpace && first < 0) first = at;
    if (isSpace && first >= 0) yield [first, at];
    if (isSpace) first = -1;
  }
}

/** `-`, `,` and `&` mean something in a text fragment. */
function encodePhrase(phrase: string): string {
  return encodeURIComponent(phrase).replace(/-/g, "%2D").replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
