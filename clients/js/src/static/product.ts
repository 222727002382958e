// Names of the product in a query: `searchsocket/stores/words/product_names.py` in TypeScript.
import type { Index } from "./index.js";
import { fold, parseQuery, stem } from "./tokens.js";
import { isInNames, namedPages } from "./terms.js";
import { versionOf } from "./versions.js";

const MAX_WORDS = 20;
const MAX_NAME_WORDS = 3;
const COMMON_IN_FRONT = 0.5;
const MIN_PAGES = 10;
const LETTERS = /\p{L}+/gu;
const SUBTITLE = /\s+[|·•—–»:-]\s+|:\s/;
const CAMEL = /(?<=[a-z0-9])(?=[A-Z])/;
const NUMBER = String.raw`v?(\d{1,4}(?:\.\d+){0,2}(?:[-.][a-z]+[-.]?\d+)?)$`;
const VERSION = new RegExp(`^()${NUMBER}`, "i");
const NAME_AND_VERSION = new RegExp(String.raw`^(.*?\p{L})[-@]?${NUMBER}`, "iu");

const lettersOf = (pieces: readonly string[]) => (fold(pieces.join("")).match(LETTERS) ?? []).join("");
const withoutScript = (name: string) => name.replace(/js$/, "");

/** The indexed spellings of a version; without any, those of the version before it, or of those after it. */
export async function sameVersions(index: Index, text: string): Promise<string[]> {
  const numbers = versionOf(text)?.numbers ?? [];
  const begins = numbers.map((_, at) => numbers.slice(0, at + 1).join(".")).reverse();
  await index.load(begins.flatMap((begin) => [begin, `v${begin}`, `${begin}.`, `v${begin}.`]));
  let following: string[] = [];
  for (const begin of begins) {
    const own = [begin, `v${begin}`].filter((form) => index.posting(form));
    const found = [...own, ...index.beginning(`${begin}.`), ...index.beginning(`v${begin}.`)];
    const same = found.filter((form) => versionOf(form)?.numbers.join(".") === begin);
    if (same.length) return same;
    if (!following.length) following = found;
  }
  return following.slice(0, MAX_FOLLOWING);
}

const MAX_FOLLOWING = 12;

/** The text without the names of the product; unchanged if it is a name, or begins one. A number behind them is a version. */
export async function withoutProduct(index: Index, text: string): Promise<string> {
  const pieces = text.split(/\s+/).filter(Boolean);
  if (pieces.length > MAX_WORDS || parseQuery(text).phrases.length) return text;
  const { stopWords, beforeNames, common, exact } = index.head.weights;
  const [stops, before] = [new Set(stopWords.split(" ")), new Set(beforeNames.split(" "))];
  const title = index.head.pages.title[index.head.pages.url.indexOf("/")] ?? "";
  const titleStems = new Set((fold(title).match(LETTERS) ?? []).map(stem));
  const titleWords = title.split(SUBTITLE)[0]!.match(/[\p{L}\p{N}]+/gu)?.flatMap((word) => word.split(CAMEL)) ?? [];
  const names = [titleWords.join(""), ...titleWords, titleWords.map((word) => word[0]).join("")].filter((name) => name.length > 1);
  const spelled = new Set(names.map((name) => withoutScript(fold(name))).filter(Boolean));
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
  const areNames = (some: readonly string[], is: (some: readonly string[]) => boolean) => !some.length || is(some) || some.every((piece) => is([piece]));
  const areInFront = (some: readonly string[]) =>
    areNames(some, isName) ||
    (some.length > 1 && !isInNames(index, stem(fold(some[0]!))) && !before.has(fold(some[0]!)) && areNames(some.slice(1), isProduct));
  const hasProduct = (...ends: (readonly string[])[]) => ends.some((end) => isProduct(end) || end.some((piece) => isProduct([piece])));
  const named = (some: readonly string[]) => Math.max(0, ...namedPages(index, some.join(" ")).values(), isHeading(index, some) ? 1 : 0);

  const marked: string[] = [];
  for (const piece of pieces) {
    const match = VERSION.exec(piece) ?? NAME_AND_VERSION.exec(piece);
    const name = match?.[1] ? [match[1]] : marked.slice(-1);
    if (match && spellsProduct(name) && (await sameVersions(index, match[2]!)).length) marked.splice(marked.length - (match[1] ? 0 : 1), 1, `v${match[2]}`);
    else marked.push(piece);
  }
  const isMarked = marked.join(" ") !== pieces.join(" ");
  const own = Math.max(0, ...namedPages(index, text).values());
  if (own >= (isMarked ? 1 : exact.whole)) return text;

  const size = marked.length;
  const ends: [first: number, last: number][] = [];
  for (let cut = 1; cut <= 2 * MAX_NAME_WORDS; cut++) {
    for (let first = 0; first <= Math.min(cut, MAX_NAME_WORDS); first++) {
      const last = size - cut + first;
      if (last > first && last <= size && size - last <= MAX_NAME_WORDS) ends.push([first, last]);
    }
  }
  for (const [first, last] of ends) {
    const [front, behind] = [marked.slice(0, first), marked.slice(last)];
    if (!hasProduct(front, behind) || !areInFront(front) || !areNames(behind, isName)) continue;
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
  const versions: number[] = [];
  for (const [at, piece] of marked.entries()) if (/^v/i.test(piece) && VERSION.test(piece) && (await sameVersions(index, piece)).length) versions.push(at);
  const products = new Set(
    [...marked.keys()].filter(
      (at) => !versions.includes(at) && words[at]!.length && words[at]!.every(namesProduct) && !isPair(marked.slice(at, at + 2)) && !isPair(marked.slice(Math.max(at - 1, 0), at + 1)),
    ),
  );
  const content = [...marked.keys()].filter((at) => !products.has(at) && (versions.includes(at) || words[at]!.some((word) => word.length > 1)));
  if (!products.size || !content.length) return isMarked ? marked.join(" ") : text;
  const edges = [...marked.keys()].filter((at) => content.includes(at) || /\d/.test(marked[at]!));
  const first = products.has(0) ? edges[0]! : 0;
  const last = products.has(size - 1) ? edges.at(-1)! : size - 1;
  return marked.filter((_, at) => at >= first && at <= last && !products.has(at)).join(" ");
}

/** Whether the only heading of a section has these words and no other. */
function isHeading(index: Index, pieces: readonly string[]): boolean {
  const forms = parseQuery(pieces.join(" ")).words.map((word) => word.stem || word.exact);
  const [first, ...others] = forms.map((form) => {
    const own = index.posting(form)?.chunks ?? [];
    return new Set(own.filter((_, at) => at % 4 === 0 && own[at + 3]));
  });
  return !!first && [...first].some((chunk) => index.fields.own.lengths[chunk] === forms.length && others.every((other) => other.has(chunk)));
}
