import { sentencesOf } from "./text.js";
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
  // Only a path opens: `javascript:`, `//host` and, behind a site, `@host` would lead elsewhere. Browsers remove tabs and
  // line breaks, so `/\t/host` is `//host`.
  const href = /^\/(?![/\\])\P{Cc}*$/u.test(result.href) ? site.replace(/\/+$/, "") + result.href : "#";
  const fragment = textFragment && result.snippet ? textFragmentOf(result.snippet, result.marks ?? []) : "";
  if (!fragment) return href;
  return `${href}${href.includes("#") ? "" : "#"}:~:text=${fragment}`;
}

const MAX_WORDS = 8;

/**
 * The words around the most marks of a snippet, from one sentence: a browser finds a phrase only inside of one block.
 *
 * @param marks In code points of the snippet, as answers have them.
 * @returns "" where nothing is marked.
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

/** The sentence with the most marks: its words, or of a long one the first and the last, between which all is marked. */
function textFragmentOf(snippet: string, marks: Marks): string {
  const { words } = bestSentence(snippet, marks);
  const half = MAX_WORDS / 2;
  const ends = words.length > MAX_WORDS ? [words.slice(0, half), words.slice(-half)] : [words];
  const parts = ends.map((part) => encodePhrase(bare(part.join(" "))));
  return parts.every(Boolean) ? parts.join() : encodePhrase(markedPhrase(snippet, marks));
}

interface Sentence {
  words: readonly string[];
  /** Whether each word is, or has in it, a match. */
  marked: readonly boolean[];
}

/** The sentence of a snippet that has the most marked words, the first of several; without words where nothing is marked. */
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

/** Without signs at its ends: whether a page has them there is not known. */
function bare(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/** `-`, `,` and `&` mean something in a text fragment. */
function encodePhrase(phrase: string): string {
  return encodeURIComponent(phrase).replace(/-/g, "%2D").replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
