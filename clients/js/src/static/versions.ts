// Versions in queries, titles and paths: `searchsocket/text/versions.py` in TypeScript.

export interface Version {
  /** Without zeros at the end. */
  numbers: readonly string[];
  preview: string;
  /** A single number, which may be none. */
  isBare: boolean;
}

const START = String.raw`(?:(?<![\p{L}\p{N}.])|(?<=\p{L}{3}))(v?)`;
const PREVIEW = String.raw`(?:[-.]?([a-z]+[-.]?\d+))?(?![\p{L}\p{N}]|\.\d)`;
const IN_TEXT = new RegExp(String.raw`${START}(\d{1,4}(?:\.\d{1,4}){0,2})${PREVIEW}`, "giu");
const IN_PATH = new RegExp(String.raw`${START}(\d{1,4}(?:[.-]\d{1,4}){0,2})${PREVIEW}`, "giu");
const WHOLE = new RegExp(`^${IN_TEXT.source}$`, "iu");
const [BARE, NEXT, OTHER] = [0.6, 0.4, -0.3];

/** The version that a word is, in any spelling. */
export function versionOf(word: string): Version | undefined {
  const match = /\d/.test(word) ? WHOLE.exec(word) : null;
  return match ? made(match) : undefined;
}

/** Whether a word of a query is a version: a number with a `v` or a dot. Others may count something. */
export const isVersion = (word: string) => versionOf(word)?.isBare === false;

export const versionsOfQuery = (q: string) => found(IN_TEXT, q).filter(({ isBare }) => !isBare);

export function versionsOfPage(title: string, url: string): Version[] {
  const name = url.replace(/\/+$/, "").replace(/^.*\//, "").replace(/^(?:19|20)\d\d-\d\d-\d\d-/, "");
  return [...found(IN_TEXT, title), ...found(IN_PATH, name)];
}

const found = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(made);

function made([, sign, digits, preview]: RegExpMatchArray): Version {
  const numbers = digits!.split(/[.-]/).map((part) => part.replace(/^0+(?=\d)/, ""));
  const isBare = !sign && numbers.length === 1;
  while (numbers.length > 1 && numbers.at(-1) === "0") numbers.pop();
  return { numbers, preview: (preview ?? "").toLowerCase().replace(/[.-]/g, ""), isBare };
}

/** How well a page's versions match those of a query: 1 for the same, 0 without any, below 0 for another one; the mean of several. */
export function versionMatch(query: readonly Version[], page: readonly Version[]): number {
  if (!query.length || !page.length) return 0;
  return query.reduce((sum, one) => sum + Math.max(...page.map((other) => match(one, other))), 0) / query.length;
}

function match(query: Version, page: Version): number {
  const [one, other] = [query.numbers, page.numbers];
  const least = Math.min(one.length, other.length);
  if (one.slice(0, least).join() !== other.slice(0, least).join()) return OTHER;
  const sure = page.isBare ? BARE : 1;
  if (one.length === other.length) return sure * (query.preview === page.preview ? 1 : NEXT);
  return sure * NEXT * (1 + (least < one.length ? least / one.length : 0));
}
