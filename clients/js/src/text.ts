import type { Marks } from "./types.js";

/** A piece of text; `true` marks a match. */
export interface Part {
  text: string;
  isMarked: boolean;
}

/** Split a text at its marks. Insert each piece as text, never as HTML. */
export function markedParts(text: string, marks: Marks): Part[] {
  const points = Array.from(text); // marks count code points
  const parts: Part[] = [];
  let at = 0;
  const push = (until: number, isMarked: boolean) => {
    if (until > at) parts.push({ text: points.slice(at, until).join(""), isMarked });
    at = Math.max(at, until);
  };
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    push(Math.min(start, points.length), false);
    push(Math.min(end, points.length), true);
  }
  push(points.length, false);
  return parts;
}

const MIN_BEGINNING = 4; // letters; "the" does not begin "theme"

/** Mark the words of the query in a title, since answers have no marks for it. Long words and the last word also mark words that begin with them. */
export function markedWords(text: string, q: string): Part[] {
  const words = wordsOf(q).map(fold).filter((word) => word.length > 1);
  const beginnings = words.filter((word, at) => word.length >= MIN_BEGINNING || at === words.length - 1);
  const parts: Part[] = [];
  for (const [piece] of text.matchAll(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]+/gu)) {
    const folded = fold(piece);
    const isMarked = words.includes(folded) || beginnings.some((word) => folded.startsWith(word));
    const last = parts.at(-1);
    if (last && last.isMarked === isMarked) last.text += piece;
    else parts.push({ text: piece, isMarked });
  }
  return parts;
}

export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

const sentences = globalThis.Intl?.Segmenter && new Intl.Segmenter(undefined, { granularity: "sentence" });
const ABBREVIATED = /(?:^|[^\p{L}])(?:e\.g|i\.e|vs|cf|etc|no|fig)\.\s*$/iu;

/** Start and end of each sentence, without surrounding spaces; the whole text if the browser cannot split it. */
export function sentencesOf(text: string): [start: number, end: number][] {
  const found: [number, number][] = [];
  let start = 0;
  for (const { segment, index } of sentences?.segment(text) ?? [{ segment: text, index: 0 }]) {
    const end = index + segment.length;
    if (end < text.length && ABBREVIATED.test(segment)) continue; // the sentence goes on
    const piece = text.slice(start, end);
    const trimmed = piece.trim();
    const at = start + piece.indexOf(trimmed);
    if (trimmed) found.push([at, at + trimmed.length]);
    start = end;
  }
  return found;
}

/** Fold case and accents. */
export function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase();
}
