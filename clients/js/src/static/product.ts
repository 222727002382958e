// Names of the product in a query: `searchsocket/stores/words/product_names.py` in TypeScript, but for those of a vendor.
import type { Index } from "./index.js";
import { chunksWith, IN_HEADING, namedPages } from "./names.js";
import { fold, parseQuery, stem } from "./tokens.js";
import { versionOf } from "./versions.js";

const MAX_WORDS = 20;
const MAX_NAME_WORDS = 3;
const COMMON_IN_FRONT = 0.5;
const MIN_PAGES = 10;
const LETTERS = /\p{L}+/gu;
const NUMBER = String.raw`v?(\d{1,4}(?:\.\d+){0,2}(?:[-.][a-z]+[-.]?\d+)?)$`;
const VERSION = new RegExp(`^()${NUMBER}`, "i");
const NAME_AND_VERSION = new RegExp(String.raw`^(.*?\p{L})[-@]?${NUMBER}`, "iu");

const lettersOf = (pieces: readonly string[]) => (fold(pieces.join("")).match(LETTERS) ?? []).join("");
const withoutScript = (name: string) => name.replace(/js$/, "");

/** The indexed spellings of a version; without any, those of the version before it. */
export async function sameVersions(index: Index, text: string): Promise<string[]> {
  const numbers = versionOf(text)?.numbers ?? [];
  const begins = numbers.map((_, at) => numbers.slice(0, at + 1).join(".")).reverse();
  await index.load(begins.flatMap((begin) => [begin, `v${begin}`, `${begin}.`, `v${begin}.`]));
  for (const begin of begins) {
    const own = [begin, `v${begin}`].filter((form) => index.posting(form));
    const found = [...own, ...index.beginning(`${begin}.`), ...index.beginning(`v${begin}.`)];
    const same = found.filter((form) => versionOf(form)?.numbers.join(".") === begin);
    if (same.length) return same;
  }
  return [];
}

/** The text without the names of the product; unchanged if it is a name, or begins one. A number behind them is a version. */
export async function withoutProduct(index: Index, text: string): Promise<string> {
  const pieces = text.split(/\s+/).filter(Boolean);
  if (pieces.length > MAX_WORDS || parseQuery(text).phrases.length) return text;
  const { stopWords, beforeNames, common, exact } = index.head.weights;
  const [stops, before] = [new Set(stopWords.split(" ")), new Set(beforeNames.split(" "))];
  const titleStems = new Set(index.titleWords[index.head.pages.url.indexOf("/")] ?? []);
  const spelled = new Set(index.head.product);
  const ownWords = (piece: string) => (fold(piece).match(LETTERS) ?? []).filter((word) => !stops.has(word));
  await index.load(pieces.flatMap((piece) => [...ownWords(piece), withoutScript(lettersOf([piece]))]).flatMap((word) => [word, stem(word)]));

  const share = (word: string) =>
    index.pageCount < MIN_PAGES ? 0 : Math.max(...[word, stem(word)].map((form) => index.posting(form)?.said.size ?? 0)) / index.pageCount;
  const namesProduct = (word: string) => word !== "" && !stops.has(word) && share(word) > (titleStems.has(stem(word)) ? common[1] : common[0]);
  const spellsProduct = (some: readonly string[]) => spelled.has(withoutScript(lettersOf(some)));
  const isProduct = (some: readonly string[]) => spellsProduct(some) || (some.length === 1 && namesProduct(withoutScript(lettersOf(some))));
  const isName = (some: readonly string[]) => {
    const name = lettersOf(some);
    return isProduct(some) || (some.length === 1 && name.length > 1 && !before.has(name) && share(name) > COMMON_IN_FRONT);
  };
  const areNames = (some: readonly string[], is: (some: readonly string[]) => boolean) => is(some) || some.every((piece) => is([piece]));
  const hasProduct = (end: readonly string[]) => isProduct(end) || end.some((piece) => isProduct([piece]));
  const named = (some: readonly string[]) => Math.max(0, ...namedPages(index, some.join(" ")).values(), isHeading(index, some) ? 1 : 0);

  const marked: string[] = [];
  for (const piece of pieces) {
    const match = VERSION.exec(piece) ?? NAME_AND_VERSION.exec(piece);
    const name = match?.[1] ? [match[1]] : marked.slice(-1);
    if (match && spellsProduct(name) && (await sameVersions(index, match[2]!)).length) marked.splice(marked.length - (match[1] ? 0 : 1), 1, `v${match[2]}`);
    else marked.push(piece);
  }
  const isMarked = marked.join(" ") !== pieces.join(" ");
  const own = named(pieces);
  if (own >= (isMarked ? 1 : exact.whole)) return text;

  const size = marked.length;
  const counts = [...Array(MAX_NAME_WORDS + 1).keys()];
  const ends = counts.flatMap((first) => counts.map((cut) => [first, size - cut] as const)).filter(([first, last]) => last > first);
  ends.sort((a, b) => a[0] - a[1] - b[0] + b[1]);
  for (const [first, last] of ends) {
    const [front, behind] = [marked.slice(0, first), marked.slice(last)];
    if (![front, behind].some(hasProduct) || !areNames(front, isName) || !areNames(behind, isName)) continue;
    const plain = marked.slice(first, last);
    while (plain.length && last < size && stops.has(fold(plain.at(-1)!))) plain.pop(); // "slots in Vue"
    while (plain.length && first && stops.has(fold(plain[0]!))) plain.shift(); // "Vue with slots"
    for (const [rest, least] of [[marked.slice(first, last), 1], [plain, exact.whole]] as const) {
      if (rest.length && !areNames(rest, isProduct) && named(rest) >= least) return rest.join(" ");
    }
  }
  if (!isMarked && own) return text;

  const isPair = (pair: readonly string[]) => pair.length > 1 && named(pair) >= 1;
  const words = marked.map((piece) => ownWords(piece.replace(/['’]s$/, "")));
  const isMarkedAt = await Promise.all(marked.map(async (piece) => /^v/i.test(piece) && VERSION.test(piece) && (await sameVersions(index, piece)).length > 0));
  const places = [...marked.keys()];
  const products = new Set(
    places.filter((at) => !isMarkedAt[at] && words[at]!.length && words[at]!.every(namesProduct) && !isPair(marked.slice(at, at + 2)) && !isPair(marked.slice(Math.max(at - 1, 0), at + 1))),
  );
  const content = places.filter((at) => !products.has(at) && (isMarkedAt[at] || words[at]!.some((word) => word.length > 1)));
  if (!products.size || !content.length) return isMarked ? marked.join(" ") : text;
  const edges = places.filter((at) => content.includes(at) || /\d/.test(marked[at]!));
  const first = products.has(0) ? edges[0]! : 0;
  const last = products.has(size - 1) ? edges.at(-1)! : size - 1;
  return marked.filter((_, at) => at >= first && at <= last && !products.has(at)).join(" ");
}

/** Whether the only heading of a section has these words and no other. */
export function isHeading(index: Index, pieces: readonly string[]): boolean {
  const forms = parseQuery(pieces.join(" ")).words.map((word) => word.stem || word.exact);
  return chunksWith(index, forms, IN_HEADING).some((chunk) => index.ownHeadings[chunk] === forms.length);
}
