// What is shown of a result: the section that answers, and a passage with the query's words marked.
import type { Chunk } from "./files.js";
import type { QueryTerms } from "./terms.js";
import { fold, namesOf, parseQuery, possibleNames, runsOf, stem, wordForms } from "./tokens.js";

interface Mark {
  start: number;
  end: number;
  word: string;
}

export interface Quote {
  anchor: string;
  title: string;
  snippet: string;
  marks: [number, number][];
  /** How well the heading and the passage say the query: by this sections of one page are compared. */
  worth: number;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const APOSTROPHE = /\p{L}{1,32}['’]\p{L}{1,32}/gu;
const MIN_PREFIX = 3;
const HEADING = 0.5;
const PASSAGE = 0.1;
const MAX_TITLE = 120;

/** The words of one query, ready to be marked in texts. */
export class Quoter {
  readonly #whole = new Map<string, string>();
  readonly #parts = new Map<string, string>();
  readonly #literals: readonly string[];
  readonly #prefix: string;
  readonly #names: ReadonlySet<string>;
  readonly #telling: ReadonlyMap<string, string>;

  constructor(query: QueryTerms) {
    for (const word of query.words) {
      for (const form of [word.exact, word.stem]) if (form) this.#whole.set(form, word.exact);
      for (const part of word.parts) this.#parts.set(part, word.exact);
      for (const forms of query.synonyms.get(word.exact) ?? []) if (forms.length === 1) this.#parts.set(forms[0]!, word.exact);
      for (const near of query.nearest.get(word.exact) ?? []) for (const form of wordForms(near)) this.#whole.set(form, word.exact);
    }
    const written = query.text.split(/\s+/).map((word) => word.replace(/^["'`.,;:!?()]+|["'`.,;:!?()]+$/g, ""));
    const literals = written.filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^[\p{L}\p{N}]+$/u.test(word)).map((word) => word.toLowerCase());
    this.#literals = literals.length ? literals : query.parsed.signs;
    const last = fold(query.text.match(WORD)?.at(-1) ?? "");
    this.#prefix = query.parsed.isOpen && last.length >= MIN_PREFIX ? last : "";
    this.#names = new Set(possibleNames(query.text));
    this.#telling = telling(query.text);
  }

  /** The bonus of a chunk with a heading that is the query, or that begins with it. */
  named({ 3: title, 6: openings }: Chunk, whole: number, beginning: number): number {
    const [typed = ""] = this.#names;
    const bonus = (name: string) => (this.#names.has(name) ? whole : typed.length > 1 && name.startsWith(typed) ? beginning : 0);
    return Math.max(0, ...[title, ...openings.map((opening) => opening[2])].flatMap(namesOf).map(bonus));
  }

  marks(text: string): Mark[] {
    const marks: Mark[] = [];
    const parts: Mark[] = [];
    const lower = text.toLowerCase();
    for (const literal of lower.length === text.length ? this.#literals : []) {
      for (let at = lower.indexOf(literal); at >= 0; at = lower.indexOf(literal, at + literal.length)) {
        marks.push({ start: at, end: at + literal.length, word: literal });
      }
    }
    const mark = (start: number, written: string, forms: readonly string[]) => {
      const at = { start, end: start + written.length };
      for (const form of forms) {
        const whole = this.#whole.get(form);
        const part = this.#parts.get(form);
        if (whole) marks.push({ ...at, word: whole });
        else if (part) parts.push({ ...at, word: part });
      }
    };
    for (const match of text.matchAll(WORD)) {
      for (const { start, written, isUnspaced } of runsOf(match[0])) {
        const at = match.index + start;
        if (!isUnspaced) mark(at, written, written.length <= 64 ? wordForms(written) : []);
        else for (let place = 0; place < written.length; place++) for (const size of [2, 1]) mark(at + place, written.slice(place, place + size), [fold(written.slice(place, place + size))]);
      }
    }
    // Of `doctor’s`, `doctor` is marked.
    for (const match of text.matchAll(APOSTROPHE)) if (!/s$/i.test(match[0])) mark(match.index, match[0], wordForms(match[0]).slice(0, 1));
    if (!marks.length && !parts.length && this.#prefix) {
      for (const match of text.matchAll(WORD)) {
        if (fold(match[0]).startsWith(this.#prefix)) marks.push({ start: match.index, end: match.index + match[0].length, word: this.#prefix });
      }
    }
    const marked = new Set(marks.map(({ word }) => word));
    return merged([...marks, ...parts.filter(({ word }) => !marked.has(word))]);
  }

  quote([text, units, kinds, title, anchor, , openings]: Chunk, maxChars: number): Quote {
    const starts: number[] = [];
    units.reduce((start, size) => (starts.push(start), start + size), 0);
    const sections = [{ start: 0, anchor, title }, ...openings.map(([start, own, name]) => ({ start, anchor: own, title: name }))];
    const called = sections.findIndex((section) => namesOf(section.title).some((name) => this.#names.has(name)));
    const all = this.marks(text);
    const endOf = (at: number) => sections[at + 1]?.start ?? text.length;
    const marks = called < 0 ? all : all.filter(({ start, end }) => start >= sections[called]!.start && end <= endOf(called));
    const [from, to] = windowOf(text, starts, kinds, marks, maxChars, called < 0 ? 0 : sections[called]!.start);
    const shown = all.filter(({ start, end }) => start >= from && end <= to);
    const wordsIn = (at: number) => shown.filter(({ start }) => start >= sections[at]!.start && start < endOf(at)).map(({ word }) => word);
    const rank = sections.map((section, at) => {
      const own = wordsIn(at);
      const names = at ? [] : this.marks(section.title).map(({ word }) => word);
      const isShown = section.start < to && endOf(at) > from;
      return isShown ? new Set([...own, ...names]).size * 1000 + own.length : -1;
    });
    const best = all.length ? rank : sections.map(({ title: own }) => this.#about(own)); // a heading is no part of the text
    const opened = sections[called < 0 ? best.indexOf(Math.max(...best)) : called]!;
    return { anchor: opened.anchor, title: short(opened.title), ...excerpt(text, from, to, starts, kinds, shown), worth: this.#worth(opened.title, shown) };
  }

  #worth(heading: string, marks: readonly Mark[]): number {
    const about = this.#about(heading);
    if (!about) return 0;
    const own = new Set([...telling(heading).keys(), ...partsOf(heading)]);
    const marked = new Set(marks.map(({ word }) => word));
    const covered = [...this.#telling].filter(([form, word]) => own.has(form) || marked.has(word)).length;
    return HEADING * about + (PASSAGE * covered) / this.#telling.size;
  }

  /** The share of the query in a heading times the share of the heading in the query; also by parts between dots and hyphens. */
  #about(heading: string): number {
    const [whole, parts] = [telling(heading), partsOf(heading)];
    const both = [...this.#telling.keys()].filter((form) => whole.has(form) || parts.has(form));
    if (!both.length) return 0;
    const length = both.every((form) => whole.has(form)) ? whole.size : Math.max(whole.size, parts.size);
    return both.length ** 2 / (this.#telling.size * length);
  }
}

/** Stems of the parts of dotted and hyphened names. */
function partsOf(heading: string): Set<string> {
  const names = [...telling(heading).values()].filter((exact) => /[-.:]/.test(exact));
  return new Set(names.flatMap((name) => name.split(/[-.:]+/).filter((part) => part.length > 1).map(stem)));
}

/** Stems of the words of a text that are neither stop words nor numbers, with the words. */
function telling(text: string): Map<string, string> {
  const words = parseQuery(text).words.filter((word) => !word.isStop && /\p{L}/u.test(word.exact));
  return new Map(words.map((word) => [word.stem || word.exact, word.exact]));
}

/** The range of a text that shows the most query words, in sentences before lists, code and headings. */
function windowOf(text: string, starts: readonly number[], kinds: string, marks: readonly Mark[], maxChars: number, floor: number): [number, number] {
  if (text.length <= maxChars) return [0, text.length];
  const rank = (unit: number) => ({ p: 3, l: 3, t: 2, f: 1, c: 1 })[kinds[unit]!] ?? 0;
  const unitAt = (at: number) => starts.findLastIndex((start) => start <= at);
  let from = starts.find((start, unit) => start >= floor && rank(unit) > 1) ?? floor;
  let most = -1;
  for (const mark of marks) {
    const unit = unitAt(mark.start);
    const isInside = mark.end - starts[unit]! > maxChars; // of a sentence that is too long
    const start = isInside ? (text.lastIndexOf(" ", mark.start - 40) + 1 || mark.start) : starts[unit]!;
    const shown = marks.filter((one) => one.start >= start && one.end <= start + maxChars);
    const answering = shown.filter((one) => rank(unitAt(one.start)) > 1);
    const words = (some: readonly Mark[]) => new Set(some.map(({ word }) => word)).size;
    const score = 10 * (words(shown) + words(answering)) + rank(unit) - (isInside ? 10 : 0);
    if (score > most) [most, from] = [score, start];
  }
  while (kinds[unitAt(from)] === "h" && starts[unitAt(from) + 1] !== undefined) from = starts[unitAt(from) + 1]!;
  const limit = from + maxChars;
  if (limit >= text.length) return [from, text.length];
  const end = starts.findLast((start) => start > from + maxChars / 2 && start <= limit);
  const space = text.lastIndexOf(" ", limit);
  return [from, end ?? (space > from + maxChars / 2 ? space : limit)];
}

/** The passage as the service quotes it: prose on one line, a line per item or line of code, and its marks in code points. */
function excerpt(text: string, from: number, to: number, starts: readonly number[], kinds: string, marks: readonly Mark[]): { snippet: string; marks: [number, number][] } {
  const passage = text.slice(from, to).trimEnd();
  const before = from && !/[\n.!?:]\s*$/.test(text.slice(0, from)) ? "…" : "";
  const after = to < text.length && !/[.!?:]$/.test(passage) ? "…" : "";
  let at = from;
  const lines = passage.split("\n").map((line) => {
    const start = at;
    at += line.length + 1;
    return { start, line, kind: kinds[starts.findLastIndex((unit) => unit <= start)], indent: 0 };
  });
  lines.forEach((line, number) => {
    if (line.kind !== "c" || lines[number - 1]?.kind === "c") return;
    const end = lines.findIndex((one, other) => other > number && one.kind !== "c");
    const run = lines.slice(number, end < 0 ? undefined : end);
    const indent = Math.min(...run.map((one) => one.line.length - one.line.trimStart().length)); // that all lines share
    for (const one of run) one.indent = indent;
  });
  let snippet = before;
  const offsets = lines.map(({ line, kind, indent }, number) => {
    if (number) snippet += kind === "p" && lines[number - 1]!.kind === "p" ? " " : "\n";
    const offset = snippet.length;
    snippet += line.slice(indent);
    return offset;
  });
  const point = (place: number) => {
    const number = lines.findLastIndex(({ start }) => start <= place);
    return Array.from(snippet.slice(0, offsets[number]! + Math.max(place - lines[number]!.start - lines[number]!.indent, 0))).length;
  };
  return { snippet: snippet + after, marks: marks.map(({ start, end }) => [point(start), point(end)]) };
}

function merged(marks: Mark[]): Mark[] {
  const found: Mark[] = [];
  for (const mark of marks.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1);
    if (last && mark.start < last.end) last.end = Math.max(last.end, mark.end);
    else found.push({ ...mark });
  }
  return found;
}

export function short(title: string): string {
  if (title.length <= MAX_TITLE) return title;
  const space = title.lastIndexOf(" ", MAX_TITLE);
  return `${title.slice(0, space > MAX_TITLE / 2 ? space : MAX_TITLE - 1)}…`;
}
