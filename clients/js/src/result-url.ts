import { sentencesOf } from "./text.js";
import type { Marks, Result, Section } from "./types.js";

export interface ResultUrlOptions {
  /** Address of the site, if on another host: `https://docs.example`, also with the base path of all pages. */
  site?: string;
  /** Add a text fragment (`#:~:text=`), with which browsers mark the passage; default true. */
  textFragment?: boolean;
}

type Opening = Pick<Result | Section, "href"> & Partial<Pick<Result | Section, "snippet" | "marks">>;

/** Return the address of a result or section: with its anchor, and a text fragment for the passage. */
export function buildResultUrl(result: Opening, { site = "", textFragment = true }: ResultUrlOptions = {}): string {
  // Only paths are safe: `javascript:`, `//host` and, after a site, `@host` lead elsewhere. Browsers remove tabs and
  // line breaks, so `/\t/host` is `//host`.
  const href = /^\/(?![/\\])\P{Cc}*$/u.test(result.href) ? site.replace(/\/+$/, "") + result.href : "#";
  const fragment = textFragment && result.snippet ? textFragmentOf(result.snippet, result.marks ?? []) : "";
  if (!fragment) return href;
  return `${href}${href.includes("#") ? "" : "#"}:~:text=${fragment}`;
}

const MAX_WORDS = 8;

/**
 * Words around most marks of a snippet, from one sentence: browsers find a phrase only within one block.
 *
 * @param marks In code points of the snippet, as answers have them.
 * @returns "" if nothing is marked.
 */
export function markedPhrase(snippet: string, marks: Marks): string {
  const { words, marked } = bestSentence(snippet, marks);
  let best = { count: 0, text: "" };
  for (const [at, isMarked] of marked.entries()) {
    const count = marked.slice(at, at + MAX_WORDS).filter(Boolean).length;
    if (isMarked && count > best.count) best = { count, text: words.slice(at, at + MAX_WORDS).join(" ") };
  }
  return bare(best.text);
}

/** Return the words of a short sentence; for a long one, the first and last word of the range that is marked. */
function textFragmentOf(snippet: string, marks: Marks): string {
  const { words } = bestSentence(snippet, marks);
  const half = MAX_WORDS / 2;
  const ends = words.length > MAX_WORDS ? [words.slice(0, half), words.slice(-half)] : [words];
  const parts = ends.map((part) => encodePhrase(bare(part.join(" "))));
  return parts.every(Boolean) ? parts.join() : encodePhrase(markedPhrase(snippet, marks));
}

interface Sentence {
  words: readonly string[];
  /** For each word, true if it contains a match. */
  marked: readonly boolean[];
}

/** Return the sentence with most marked words, the first of several; without words if nothing is marked. */
function bestSentence(snippet: string, marks: Marks): Sentence {
  let best: Sentence = { words: [], marked: [] };
  let most = 0;
  let start = 0; // of the line
  for (const line of snippet.split("\n")) {
    for (const [from, to] of sentencesOf(line)) {
      const words = [...line.slice(from, to).matchAll(/[^\s…]+/g)];
      const marked = words.map(({ 0: word, index }) => {
        const first = start + Array.from(line.slice(0, from + index)).length;
        const last = first + Array.from(word).length;
        return marks.some(([a, b]) => a < last && b > first);
      });
      const count = marked.filter(Boolean).length;
      if (count > most) (most = count), (best = { words: words.map(([word]) => word), marked });
    }
    start += Array.from(line).length + 1;
  }
  return best;
}

/** Remove punctuation at both ends: the page may not have it there. */
function bare(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/** `-`, `,` and `&` are special in a text fragment. */
function encodePhrase(phrase: string): string {
  return encodeURIComponent(phrase).replace(/-/g, "%2D").replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
