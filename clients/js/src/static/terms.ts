// A query taken apart, as `searchsocket/stores/words/keywords.py` and `evidence.py` do it.
import { isCurrent, today } from "./curation.js";
import type { Index } from "./index.js";
import { ANYWHERE, chunksWith, IN_HEADING, namedPages } from "./names.js";
import { isHeading, sameVersions, withoutProduct } from "./product.js";
import { excludedWords, hasUnspaced, nameOf, type ParsedQuery, parseQuery, type QueryWord, stem, withoutWords, wordForms } from "./tokens.js";
import { isNumber, sameVersion, variantsOf } from "./variants.js";
import { isVersion, versionOf } from "./versions.js";

export type Forms = readonly string[];
export type Term = readonly [form: string, worth: number];

export interface QueryTerms {
  text: string;
  parsed: ParsedQuery;
  words: readonly QueryWord[];
  terms: Term[];
  /** Synonyms and spellings of several words. */
  wholes: (readonly [forms: Forms, worth: number])[];
  /** With other spellings. */
  synonyms: Map<string, readonly Forms[]>;
  completions: readonly string[];
  unknown: QueryWord[];
  /** By unknown word the words that it may be a typo of. */
  nearest: ReadonlyMap<string, readonly string[]>;
}

/** What the pages say of a query. */
export interface Evidence {
  share: number;
  count: number;
  known: number;
  /** With the words that are typos of known ones. */
  corrected: number;
  asked: number;
}

const MAX_CORRECTED = 4;
const MAX_NEAREST = 3;
const MAX_PAIRS = 64; // of characters, that a query of one character finds

export const unique = <T>(values: Iterable<T>): T[] => [...new Set(values)];
const indexedForms = (words: readonly string[]) => unique(words.flatMap((word) => [word, stem(word)]));

export async function queryTerms(index: Index, text: string): Promise<QueryTerms> {
  const { terms: worths } = index.head.weights;
  const parsed = parseQuery(text);
  const plain = parsed.words.filter((word) => !word.isStop);
  const words = plain.length ? plain : parsed.words;
  const synonyms: Map<string, readonly Forms[]> = synonymsOf(index, parsed.order);
  const variants = variantsOf(parsed);
  const joined = joinedForms(parsed.order);
  const ownForms = words.flatMap((word) => [word.exact, word.stem, ...word.parts]);
  await index.load([...ownForms, ...joined, ...[...synonyms.values(), ...variants.values()].flat(2)].filter(Boolean));
  const isIndexed = (form: string) => !!index.posting(form);
  const found: QueryTerms = { text, parsed, words, terms: [], wholes: [], synonyms, completions: [], unknown: [], nearest: new Map() };
  for (const word of words) {
    const isPlain = !!word.stem;
    const worth = isPlain ? 1 : worths.identifier;
    const forms = unique([word.exact, word.stem]).filter(Boolean);
    const others = (synonyms.get(word.exact) ?? []).filter((one) => one.every(isIndexed)).map((one) => [one, worths.synonym * worth] as const);
    const isOpen = parsed.isOpen && word === parsed.words.at(-1);
    if (isOpen) found.completions = await completionsOf(index, word);
    const own = [
      ...forms.map((form): Term => [form, worth]),
      ...(isOpen ? found.completions.filter((form) => !forms.includes(form)) : []).map((form): Term => [form, worths.prefix]),
      ...word.parts.filter((part) => !forms.includes(part)).map((part): Term => [part, worths.part]),
    ].filter(([form]) => isIndexed(form));
    found.terms.push(...own);
    const isWhole = isPlain ? own.length > 0 : isIndexed(word.exact);
    const isSpelled = (one: Forms) => (!isWhole || (one.length === 1 && one[0] === sameVersion(word.exact))) && hasAll(index, one);
    const variant = (variants.get(word.exact) ?? []).filter(isSpelled);
    const spelled = isVersion(word.exact) ? await withVersions(index, word.exact, variant) : variant;
    if (word.exact.length === 1 && hasUnspaced(word.exact)) spelled.push(...index.beginning(word.exact).slice(0, MAX_PAIRS).map((pair) => [pair]));
    others.push(...spelled.map((one) => [one, worth] as const));
    if (spelled.length) synonyms.set(word.exact, [...(synonyms.get(word.exact) ?? []), ...spelled]);
    for (const [one, boost] of others) {
      if (one.length === 1) found.terms.push([one[0]!, boost]);
      else found.wholes.push([one, boost]);
    }
    if (!others.length && !isWhole) found.unknown.push(word);
  }
  await correct(index, found);
  found.terms.push(...joined.filter(isIndexed).map((form): Term => [form, worths.joined]));
  return found;
}

/** The spellings of a word, and the indexed ones of the version that it is; those of others only without any. */
async function withVersions(index: Index, text: string, spelled: readonly Forms[]): Promise<Forms[]> {
  const forms = await sameVersions(index, text);
  const isSame = forms.length > 0 && versionOf(forms[0]!)?.numbers.join() === versionOf(text)?.numbers.join();
  const added = isSame || !spelled.length ? forms.filter((form) => form !== text).map((form) => [form]) : [];
  return distinct([...spelled, ...added]);
}

/** Whether a chunk has all of the forms. */
function hasAll(index: Index, forms: Forms): boolean {
  return chunksWith(index, forms, ANYWHERE).length > 0 || (forms.length === 1 && !!index.posting(forms[0]!));
}

/** Add what unknown words may be typos of. */
async function correct(index: Index, query: QueryTerms): Promise<void> {
  const { typo, identifier } = index.head.weights.terms;
  const nearest = new Map<string, readonly string[]>();
  for (const word of worthCorrecting(query.unknown)) {
    const whole = await nearestWords(index, word.exact);
    nearest.set(word.exact, whole);
    let terms = indexedForms(whole).map((form): Term => [form, typo * (word.stem ? 1 : identifier)]);
    if (!terms.length) {
      for (const piece of word.pieces.filter(allowedEdits)) {
        await index.load([stem(piece)]);
        if (!index.posting(stem(piece))) terms = [...terms, ...indexedForms(await nearestWords(index, piece)).map((form): Term => [form, typo])];
      }
    }
    await index.load(terms.map(([form]) => form));
    query.terms.push(...terms.filter(([form]) => index.posting(form)));
  }
  query.nearest = nearest;
}

/** Frequent terms that begin with a word; of a word that is no stem, by the words as they are typed. */
async function completionsOf(index: Index, word: QueryWord): Promise<string[]> {
  const most = index.head.weights.terms.completions;
  if (word.exact.length < 2) return [];
  const frequent = index.beginning(word.exact).sort((a, b) => size(index, b) - size(index, a)).slice(0, most);
  if (frequent.length || index.posting(word.stem || word.exact)) return frequent;
  const words = await index.vocabulary(word.exact[0]!);
  const forms = indexedForms(words.filter(([one]) => one.startsWith(word.exact)).slice(0, most).map(([one]) => one));
  await index.load(forms);
  return forms;
}

const size = (index: Index, term: string) => index.posting(term)!.chunks.length;

function joinedForms(order: readonly QueryWord[]): string[] {
  return unique(order.slice(1).flatMap((word, at) => (word.stem && order[at]!.stem ? [stem(order[at]!.exact + word.exact)] : [])));
}

function synonymsOf({ head }: Index, order: readonly QueryWord[]): Map<string, Forms[]> {
  const keys = order.map((word) => word.stem || word.exact);
  const found = new Map<string, Forms[]>();
  const day = today();
  for (const [typed, others, until] of head.synonyms) {
    if (!isCurrent(until, day)) continue;
    for (let start = 0; start + typed.length <= keys.length; start++) {
      if (!typed.every((form, at) => keys[start + at] === form)) continue;
      for (const { exact } of order.slice(start, start + typed.length)) found.set(exact, distinct([...(found.get(exact) ?? []), ...others]));
    }
  }
  return found;
}

/** Each once: a group that ends on a day may repeat one of the settings. */
function distinct(forms: readonly Forms[]): Forms[] {
  return [...new Map(forms.map((one) => [one.join(" "), one])).values()];
}

function worthCorrecting(unknown: readonly QueryWord[]): QueryWord[] {
  return unknown.filter((word) => allowedEdits(word.exact)).sort((a, b) => b.exact.length - a.exact.length).slice(0, MAX_CORRECTED);
}

async function nearestWords(index: Index, word: string): Promise<string[]> {
  return nearest(word, (await index.vocabulary(word[0]!)).map(([one]) => one));
}

/** The first words of a vocabulary that are fewest edits away. */
export function nearest(word: string, vocabulary: readonly string[]): string[] {
  const digits = (text: string) => text.replace(/\D+/g, ""); // another digit is no typo
  for (let edits = 1; edits <= allowedEdits(word); edits++) {
    const found = vocabulary.filter((one) => Math.abs(one.length - word.length) <= edits && one[0] === word[0] && within(word, one, edits) && digits(one) === digits(word));
    if (found.length) return found.slice(0, MAX_NEAREST);
  }
  return vocabulary.filter((one) => hasOtherEnding(word, one)).slice(0, MAX_NEAREST);
}

// Endings of the forms of one word where words are not stemmed: German, Romance and Slavic languages.
const ENDINGS = new Set(
  (" e en em er ern es n nen s x i o a ao oes aes m ns l is ux" + " а я ы и у ю е о ь й ой ей ом ем ов ев ам ям ами ями ах ях ия ии ию ие").split(" "),
);
const SHARED_CHARS = 4; // at the beginning of two forms of one word; one more if one of them has no ending

function hasOtherEnding(word: string, other: string): boolean {
  let shared = 0;
  while (shared < word.length && shared < other.length && word[shared] === other[shared]) shared++;
  for (let at = shared; at >= SHARED_CHARS; at--) {
    const endings = [word.slice(at), other.slice(at)];
    if (at >= SHARED_CHARS + Number(endings.includes("")) && endings.every((ending) => ENDINGS.has(ending))) return true;
  }
  return false;
}

export function allowedEdits(word: string): number {
  return word.length < 4 || !/\p{L}/u.test(word) ? 0 : word.length < 8 ? 1 : 2;
}

/** Whether so many insertions, deletions, replacements or swaps of neighbours turn one word into the other. */
export function within(one: string, other: string, edits: number): boolean {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  const [a, b] = [one.slice(at), other.slice(at)];
  if (!a || !b || edits === 0) return a.length + b.length <= edits;
  return (
    within(a.slice(1), b.slice(1), edits - 1) ||
    within(a.slice(1), b, edits - 1) ||
    within(a, b.slice(1), edits - 1) ||
    (a[0] === b[1] && a[1] === b[0] && within(a.slice(2), b.slice(2), edits - 1))
  );
}

function isLikelyTypo(typed: string, word: string): boolean {
  if (hasOtherEnding(typed, word)) return true;
  if (!within(typed, word, 1)) return false;
  const letters = (text: string) => [...text].sort().join("");
  const isDoubled = [...typed].some((letter, at) => at > 0 && letter === typed[at - 1] && typed.slice(0, at) + typed.slice(at + 1) === word);
  return typed.length >= 8 || word.length > typed.length || isDoubled || letters(typed) === letters(word);
}

/** The query as it was meant: a title or heading of which it is a typo, and without the product's name. */
export async function meant(index: Index, text: string): Promise<string> {
  const positive = withoutWords(text, await excluded(index, text));
  const query = await queryTerms(index, positive);
  const isWrong = query.unknown.length && !namedPages(index, positive).size;
  return withoutProduct(index, isWrong ? await nearestName(index, query) : positive);
}

/** The words that a query excludes, each with its minus. A flag that documents have is none: `-race`. */
export async function excluded(index: Index, text: string): Promise<string[]> {
  const words = excludedWords(text);
  await index.load(words.flatMap(wordForms));
  return words.filter((word) => !index.posting(wordForms(word)[0] ?? ""));
}

async function nearestName(index: Index, { text, parsed, nearest: near, completions }: QueryTerms): Promise<string> {
  const name = nameOf(text);
  const title = name && nearest(name, [...index.names.keys()])[0];
  const words = parsed.words.map(({ exact }) => near.get(exact)?.[0] ?? exact);
  await index.load(words.flatMap(wordForms));
  return title || (!completions.length && isHeading(index, words) ? words.join(" ") : text);
}

/** Whether a title or heading has the word. */
function isInNames(index: Index, form: string): boolean {
  return chunksWith(index, [form], IN_HEADING).length > 0 || !!index.posting(form)?.pages.some((count, at) => at % 4 === 1 && count > 0);
}

/** Which share of the query pages say, by which nonsense is refused. */
export function evidenceOf(index: Index, query: QueryTerms): Evidence {
  const limits = index.head.weights.evidence;
  const with_ = (forms: Forms): ReadonlySet<number> => {
    const sets = forms.map((form) => index.posting(form)?.said ?? new Set<number>());
    return sets.length === 1 ? sets[0]! : new Set([...sets[0]!].filter((page) => sets.every((set) => set.has(page))));
  };
  const isHeld = (forms: Forms) => forms.length > 0 && with_(forms).size > 0;
  const written = query.words.filter((word) => word.exact.length > 1 || word.exact > "\x7f");
  const words = written.length ? written : query.words;
  const isOpen = (word: QueryWord) => query.parsed.isOpen && word === query.parsed.words.at(-1);
  const held = new Map<QueryWord, readonly Forms[]>(
    words.map((word) => {
      const own = [word.exact, word.stem].filter(Boolean).map((form) => [form]);
      const sure = [...own, ...(query.synonyms.get(word.exact) ?? [])].filter(isHeld);
      if (sure.length || word.exact.length < limits.prefix) return [word, sure] as const;
      const more = [...(isOpen(word) ? query.completions : []), ...(word.pieces.length ? indexedForms(query.nearest.get(word.exact) ?? []) : [])];
      return [word, more.map((form) => [form]).filter(isHeld)] as const;
    }),
  );
  const ending = words.length === 2 && words[1]!.stem ? words[1]! : undefined; // "basic au" becomes "basic auth"
  if (ending && !held.get(ending)!.length && ending.exact.length < limits.prefix && isOpen(ending)) held.delete(ending);
  const isAlone = ![...held.values()].some((forms) => forms.length);
  const guessed = (word: QueryWord): Forms[] => {
    if (word.parts.length && isHeld(word.parts)) return [word.parts];
    const isShort = word.exact.length < limits.typo; // some word is near any few letters
    const near = (query.nearest.get(word.exact) ?? []).filter(
      (one) => (!(isAlone || isShort) || isLikelyTypo(word.exact, one)) && (!isShort || isInNames(index, stem(one))),
    );
    return indexedForms(near).map((form) => [form]).filter(isHeld);
  };
  const scores = new Map<number, readonly [worth: number, count: number]>();
  let total = 0;
  let known = 0;
  let corrected = 0;
  for (const [word, sure] of held) {
    let forms = sure.length ? [...sure] : guessed(word);
    let part = 1;
    if (sure.length || (forms.length && word.parts.length)) known++;
    const most = Math.max(0, ...forms.map((one) => with_(one).size));
    const rarity = Math.log1p((index.pageCount - most + 0.5) / (most + 0.5));
    if (!forms.length) {
      forms = word.parts.filter((one) => one.length >= limits.part && /^\p{L}+$/u.test(one)).map((one) => [one]).filter(isHeld);
      if (forms.length) known++, (part = forms.length / word.parts.length);
    }
    if (forms.length) corrected++;
    // A page about Node answers a query for a version of it that the site does not name.
    total += forms.length || isAlone || !isNumber(word) ? rarity : 0;
    for (const page of unique(forms.flatMap((one) => [...with_(one)]))) {
      const [worth, count] = scores.get(page) ?? [0, 0];
      scores.set(page, [worth + rarity * part, count + 1]);
    }
  }
  const [share, count] = [0, 1].map((at) => [...scores.values()].reduce((most, one) => Math.max(most, one[at]!), 0));
  return { share: total ? Math.min(share! / total, 1) : 0, count: count!, known: words.length ? known / words.length : 0, corrected: words.length ? corrected / words.length : 0, asked: words.length };
}
