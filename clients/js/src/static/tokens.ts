// Words as the index keeps them: `searchsocket/text/words.py` in TypeScript. `tests/golden/static/cases.json` holds both to it.
import { arabicStem, englishStem } from "./stem.js";
import { isVersion } from "./versions.js";

export interface QueryWord {
  exact: string;
  /** "" for an identifier. */
  stem: string;
  parts: readonly string[];
  isStop: boolean;
  pieces: readonly string[];
}

export interface ParsedQuery {
  words: readonly QueryWord[];
  order: readonly QueryWord[];
  isOpen: boolean;
  /** Texts in quotes, as the index has their words. */
  phrases: readonly (readonly string[])[];
  /** The operators of a query without words. */
  signs: readonly string[];
}

const MAX_WORD = 64;
const MAX_PARTS = 32;
const MAX_WORDS = 32;
const COMBINING = "\\u0300-\\u036f\\u0591-\\u05c7\\u064b-\\u065f\\u0900-\\u0dff\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff";
const UNSPACED =
  "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3134f}";
const LETTER = `[\\p{L}\\p{N}_${COMBINING}]`;
const WORD = new RegExp(`(?:--?|[$@#+.]{1,3})?${LETTER}+(?:(?:::|[-.:'’·@$\u200c\u200d])${LETTER}+)*(?:\\+\\+|#)?`, "gu");
// Operators between spaces, as in code, and emoji. Rules, headings and table borders of Markdown are none.
const SIGNS = /^`?(?!#+`?$|-{3,}`?$|\*{2,}`?$|_+`?$|~+`?$|\|+`?$)([!-/:-@[-_{-~]{2,4}|(?:[\u2600-\u26ff\u{1f000}-\u{1faff}]\ufe0f?\u200d?){1,8})`?$/u;
const PHRASE = /"([^"]*)"/g;
const SINGLE_QUOTES = /(?<![\p{L}\p{N}_])[‘‚‹](?=[\p{L}\p{N}_])([^‘’‚‹›"]*[\p{L}\p{N}_])[’‘›](?![\p{L}\p{N}_])/gu;
const EXCLUDED = /(?<!\S)-[\p{L}\p{N}]{2}[\p{L}\p{N}_.+#-]*(?!\S)/gu;
const MAX_CONDITION_WORDS = 20; // in a longer text, quotes and dashes are those of prose
const PIECES = new RegExp(`[\\p{L}\\p{N}${COMBINING}]+`, "gu");
const RUNS = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, "gu");
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]/g;
const CAMEL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const BRACKETS = /\s*[(\[][^()\[\]]*[)\]]\s*$/;
const IN_FRONT = /\s+[-–—|·»>/]\s+/;
const UNFOLDED: Record<string, string> = {
  ß: "ss", ø: "o", ł: "l", đ: "d", ı: "i", æ: "ae", œ: "oe", þ: "th", ð: "d", ة: "ه", ى: "ي", ی: "ي", ک: "ك", "\u0640": "", "·": "", "\u200c": "", "\u200d": "",
}; // prettier-ignore
// Digits of other scripts, by their zero.
const ZEROS = "\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u0f20\u1040\u17e0\u1810";
const DIGITS: Record<string, string> = Object.fromEntries(
  Array.from(ZEROS).flatMap((zero) => Array.from("0123456789", (digit) => [String.fromCharCode(zero.charCodeAt(0) + Number(digit)), digit])),
);
Object.assign(UNFOLDED, DIGITS);
const ASCII = /^[\x00-\x7f]*$/;
const ALPHA = /^\p{L}+$/u;

/** Of the index that is searched: it is written there, so that there is one list. */
let stopWords: ReadonlySet<string> = new Set();
let beforeNames: ReadonlySet<string> = new Set();

export function setStopWords(words: readonly string[], before: readonly string[]): void {
  stopWords = new Set(words);
  beforeNames = new Set(before);
}

/** The parts of a word in scripts without spaces, and those beside them. */
export function runsOf(word: string): { start: number; written: string; isUnspaced: boolean }[] {
  return [...word.matchAll(RUNS)].map((match) => ({ start: match.index, written: match[0], isUnspaced: HAS_UNSPACED.test(match[0]) }));
}

export const hasUnspaced = (text: string) => HAS_UNSPACED.test(text);

const unique = (forms: readonly string[]): string[] => [...new Set(forms)].filter((form) => form);

/** Lower case without diacritics. */
export function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  const bare = word.toLowerCase().normalize("NFKD").replace(MARKS, "");
  return Array.from(bare, (char) => UNFOLDED[char] ?? char).join("").normalize("NFC").replace(/\s+/g, "");
}

export function stem(word: string): string {
  return word < "\u0600" || word > "\u077f" ? englishStem(word) : arabicStem(word);
}

/** All forms of one written word, the exact one first. */
export function wordForms(word: string): string[] {
  if (/^(?:[A-Za-z]?[a-z]+|[A-Z]+|[A-Za-z])$/.test(word)) return word.length <= MAX_WORD ? [stem(word.toLowerCase())] : [];
  if (!ASCII.test(word)) {
    word = word.normalize("NFKC").replace(/\p{Nd}/gu, (digit) => DIGITS[digit] ?? digit);
    if (HAS_UNSPACED.test(word)) return (word.match(RUNS) ?? []).flatMap(unspacedForms);
  }
  return identifierForms(word.replaceAll("’", "'"));
}

function unspacedForms(run: string): string[] {
  if (!HAS_UNSPACED.test(run)) return (run.match(WORD) ?? []).flatMap(wordForms);
  const chars = Array.from(run);
  return chars.map((_, at) => chars.slice(at, at + 2).join("")).slice(0, 4 * MAX_WORD);
}

function identifierForms(word: string): string[] {
  const exact = fold(word);
  const pieces = piecesOf(word);
  if (pieces.length === 1 && pieces[0] === exact && !/\p{N}/u.test(exact)) return exact.length <= MAX_WORD ? [stem(exact)] : [];
  const forms = exact.includes("'")
    ? [stem(exact.replace(/'s$/, "").replaceAll("'", "")), ...pieces.filter((piece) => piece.length > 2).map(stem)]
    : [
        exact,
        exact.replace(/^[-$@#+._]+|[-$@#+._]+$/g, ""),
        exact.replace(/^[-_]+|[-_]+$/g, "").replace(/[-_]/g, ""),
        ...exact.split(".").filter((part) => part.length > 1),
        ...pieces.filter((piece) => piece.length > 1).map(stem),
      ];
  return unique(forms).filter((form) => form.length <= MAX_WORD);
}

function piecesOf(word: string): string[] {
  return (word.match(PIECES) ?? []).flatMap((piece) => piece.split(CAMEL)).map(fold).slice(0, MAX_PARTS);
}

/** The words of a text as the index keeps them, in order. */
export function indexText(text: string): string[] {
  // A piece without words may be an operator.
  return text.split(/\s+/).flatMap((piece) => piece.match(WORD)?.flatMap(wordForms) ?? signsOf(piece));
}

/** The operators and emoji in a text without words. */
function signsOf(text: string): string[] {
  // Variation selectors and joiners change only how an emoji is drawn.
  return text.split(/\s+/).flatMap((piece) => SIGNS.exec(piece)?.[1]?.replace(/[\ufe0f\u200d]/g, "") ?? []);
}

/** Typographic quotes as `"`; an apostrophe stays. */
function withStraightQuotes(text: string): string {
  return text.replace(/[“”„‟«»＂]/g, '"').replace(SINGLE_QUOTES, '"$1"');
}

/** The words that a query excludes, each with its minus; none if nothing else remains of it. */
export function excludedWords(text: string): string[] {
  const words = text.match(EXCLUDED) ?? [];
  const { length } = words.length ? parseQuery(withoutWords(text, words)).order : [];
  return length && length <= MAX_CONDITION_WORDS ? words : [];
}

export function withoutWords(text: string, words: readonly string[]): string {
  return text.split(/\s+/).filter((piece) => !words.includes(piece)).join(" ");
}

export function parseQuery(typed: string): ParsedQuery {
  const text = withStraightQuotes(typed);
  const words = new Map<string, QueryWord>();
  const order: QueryWord[] = [];
  for (const written of text.match(WORD) ?? []) {
    for (const word of queryWords(written)) {
      if (!words.has(word.exact)) words.set(word.exact, word);
      order.push(words.get(word.exact)!);
      if (words.size >= MAX_WORDS) break;
    }
  }
  const signs = words.size ? [] : unique(signsOf(text));
  for (const exact of signs) {
    const word = { exact, stem: "", parts: [], pieces: [], isStop: false };
    words.set(exact, word);
    order.push(word);
  }
  const all = [...words.values()].slice(0, MAX_WORDS);
  const phrases = [...text.matchAll(PHRASE)].map(([, part]) => phraseWords(part!).slice(0, MAX_WORDS)).filter(({ length }) => length);
  return { words: all, order, phrases: order.length > MAX_CONDITION_WORDS ? [] : phrases, signs, isOpen: text !== "" && !' \t\n".?!,;)'.includes(text.at(-1)!) };
}

/** The forms of a text where it is a part of a document: the last character of a run without spaces is no form there. */
function phraseWords(text: string): string[] {
  const forms = indexText(text);
  const last = forms.at(-1) ?? "";
  const isLastOfRun = [...last].length === 1 && HAS_UNSPACED.test(last) && [...(forms.at(-2) ?? "")].slice(1).join("") === last;
  return isLastOfRun ? forms.slice(0, -1) : forms;
}

function queryWords(written: string): QueryWord[] {
  const forms = wordForms(written);
  if (!forms.length) return [];
  const folded = fold(written.normalize("NFKC"));
  const plain = { parts: [], pieces: [], isStop: false };
  if (HAS_UNSPACED.test(folded)) {
    // The last character of a run counts only alone.
    const last = (folded.match(RUNS) ?? []).map((run) => Array.from(run)).flatMap((run) => (run.length > 1 ? run.slice(-1) : []));
    return forms.filter((form) => !last.includes(form)).map((form) => ({ ...plain, exact: form, stem: "" }));
  }
  if (forms.length === 1 && ALPHA.test(folded)) return [{ ...plain, exact: folded, stem: forms[0]!, isStop: stopWords.has(folded) }];
  const isStop = stopWords.has(folded.replaceAll("'", ""));
  return [{ exact: forms[0]!, stem: "", parts: forms.slice(1, MAX_PARTS + 1), isStop, pieces: piecesOf(written) }];
}

/** A title or heading as names are compared. */
export function nameOf(text: string): string {
  return (text.match(WORD) ?? []).map(fold).join(" ") || signsOf(text).join(" ");
}

function gist(text: string): string {
  const stems = nameOf(text).split(" ").filter((word) => word && !stopWords.has(word)).map(stem);
  return stems.length > 1 ? stems.join(" ") : "";
}

const withoutBrackets = (text: string) => text.replace(BRACKETS, "") || text;

/** The names by which a visitor may type this title. */
export function namesOf(text: string): string[] {
  return unique([nameOf(text), nameOf(withoutBrackets(text)), gist(text)]);
}

/** The names that a query may be, the whole of it first. */
export function possibleNames(text: string): string[] {
  const head = withoutBrackets(text);
  const behind = (whole: string) => {
    const match = IN_FRONT.exec(whole);
    return match ? [whole.slice(match.index + match[0].length)] : [];
  };
  const plain = head.split(/\s+/).filter((piece) => !isVersion(piece)).join(" ");
  const parts = [text, head, plain, ...behind(text), ...behind(head)];
  const words = nameOf(text).split(" ");
  const first = words.findIndex((word) => !beforeNames.has(word));
  return unique([...parts.map(nameOf), ...parts.map(gist), first < 0 ? "" : words.slice(first).join(" ")]);
}

/** The name that a query in one piece spells: "quick start" for `quickStart`; "" for several words or a single one. */
export function spelledName(text: string): string {
  const pieces = text.trim().split(/\s+/).length === 1 ? (text.match(PIECES) ?? []).flatMap((piece) => piece.split(CAMEL)) : [];
  return pieces.length > 1 ? nameOf(pieces.join(" ")) : "";
}
