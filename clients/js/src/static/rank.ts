// The order of pages, as `searchsocket/search/ranking/` has it, by words alone.
import type { Curation } from "./curation.js";
import type { Index, Posting } from "./index.js";
import { ANYWHERE, chunksWith, namedPages } from "./names.js";
import { type QueryTerms, unique } from "./terms.js";
import { indexText, type ParsedQuery, type QueryWord } from "./tokens.js";
import { isVersion, versionMatch, versionsOfPage, versionsOfQuery } from "./versions.js";

export interface RankedPage {
  page: number;
  score: number;
  /** Of the name, for its confidence. */
  exact: number;
  /** Bonus for its names. */
  names: number;
  /** Bonus for words that are close together; 0 while its text is not read. */
  passage: number;
  /** Best first. */
  chunks: RankedChunk[];
}

export interface RankedChunk {
  chunk: number;
  score: number;
}

/** BM25 of chunks and of whole pages. */
export function scores(index: Index, query: QueryTerms): { chunks: Float64Array; pages: Float64Array } {
  const chunks = new Float64Array(index.chunkCount);
  const pages = new Float64Array(index.pageCount);
  for (const [form, worth] of query.terms) {
    const posting = index.posting(form);
    if (posting) add(index, posting, worth, chunks, pages);
  }
  for (const [forms, worth] of query.wholes) {
    const shared = new Set(chunksWith(index, forms, ANYWHERE));
    const { chunks: all } = index.posting(forms[0]!)!;
    const own = all.filter((_, at) => shared.has(all[at - (at % 4)]!));
    add(index, { pages: [], chunks: own, said: new Set([...shared].map((chunk) => index.pageOf[chunk]!)) }, worth, chunks, pages);
  }
  return { chunks, pages };
}

/** Add the BM25 of one term. Postings are in groups of four: a number and three counts. */
function add(index: Index, { pages, chunks }: Posting, worth: number, chunkScores: Float64Array, pageScores: Float64Array): void {
  const { head, fields, firstChunk, pageOf } = index;
  const [k1, b] = head.weights.bm25;
  const { fields: boosts, page } = head.weights;
  const scored = (name: keyof typeof fields, documents: number, many: number, boost: number) => {
    const idf = boost * worth * Math.log1p((documents - many + 0.5) / (many + 0.5));
    const { lengths, mean } = fields[name];
    return (at: number, count: number) => (idf * count * (k1 + 1)) / (count + k1 * (1 - b + (b * lengths[at]!) / mean));
  };
  const said = new Map<number, number>();
  const own = new Map<number, number>();
  const count = (counts: Map<number, number>, at: number, more: number) => more && counts.set(at, (counts.get(at) ?? 0) + more);
  for (const [column, name] of (["title", "links", "path"] as const).entries()) {
    let many = 0;
    for (let at = 0; at < pages.length; at += 4) if (pages[at + 1 + column]) many += head.pages.chunks[pages[at]!]!;
    const score = scored(name, index.chunkCount, many, boosts[name]);
    for (let at = 0; many && at < pages.length; at += 4) {
      const [number, times] = [pages[at]!, pages[at + 1 + column]!];
      if (!column) count(said, number, times);
      if (times) for (let chunk = firstChunk[number]!; chunk < firstChunk[number + 1]!; chunk++) chunkScores[chunk]! += score(number, times);
    }
  }
  for (const [column, name] of (["body", "headings"] as const).entries()) {
    let many = 0;
    for (let at = 0; at < chunks.length; at += 4) if (chunks[at + 1 + column]) many++;
    const score = scored(name, index.chunkCount, many, boosts[name]);
    for (let at = 0; at < chunks.length; at += 4) {
      const [chunk, times] = [chunks[at]!, chunks[at + 1 + column]!];
      if (times) chunkScores[chunk]! += score(chunk, times);
      if (!column && head.kinds[chunk] !== "0") count(said, pageOf[chunk]!, times);
      if (!column) count(own, pageOf[chunk]!, chunks[at + 3]!);
    }
  }
  const saidScore = scored("said", index.pageCount, said.size, page.said);
  const ownScore = scored("own", index.pageCount, own.size, page.headings);
  for (const [number, times] of said) pageScores[number]! += saidScore(number, times);
  for (const [number, times] of own) pageScores[number]! += ownScore(number, times);
}

/** Which share of the query's words the text of each chunk says, and twice that under headings that say all of them. */
function coverage(index: Index, { words }: QueryTerms): (chunk: number) => number {
  const counts = words.map((word) => {
    const chunks = new Map<number, number>(); // 1: in its text; 2: in a heading
    for (const form of unique([word.exact, word.stem])) {
      const own = (form && index.posting(form)?.chunks) || [];
      for (let at = 0; at < own.length; at += 4) chunks.set(own[at]!, own[at + 2] || own[at + 3] ? 2 : Math.max(chunks.get(own[at]!) ?? 0, 1));
    }
    return chunks;
  });
  return (chunk) => {
    const own = counts.map((count) => count.get(chunk) ?? 0);
    return own.every((count) => count === 2) ? 2 : own.filter(Boolean).length / own.length;
  };
}

/** The best pages by words, names and places; the texts are not read yet. */
export function rankPages(index: Index, query: QueryTerms, isAllowed: (page: number) => boolean, topK: number): RankedPage[] {
  const { weights } = index.head;
  const found = scores(index, query);
  const k = Math.max(weights.candidates, topK * 3);
  const best = (values: Float64Array, isIn: (at: number) => boolean) => {
    const positive = [...values.keys()].filter((at) => values[at]! > 1e-3 && isIn(at));
    return positive.sort((a, b) => values[b]! - values[a]! || a - b);
  };
  const chunks = best(found.chunks, (chunk) => isAllowed(index.pageOf[chunk]!));
  const first = chunks.slice(0, k);
  const others = ofOtherPages(index, chunks, k);
  const candidates = [...first, ...others];
  const named = namedPages(index, query.text);
  const worded = new Set(candidates.map((chunk) => index.pageOf[chunk]!));
  candidates.push(...[...named.keys()].filter((page) => isAllowed(page) && !worded.has(page)).map((page) => index.firstChunk[page]!));
  const bestPages = new Set(best(found.pages, isAllowed).slice(0, k));
  const pageScore = (page: number) => (bestPages.has(page) ? found.pages[page]! : 0);
  const byPage = new Map<number, number[]>();
  for (const chunk of candidates) {
    const page = index.pageOf[chunk]!;
    byPage.set(page, [...(byPage.get(page) ?? []), chunk]);
  }
  const pages = [...byPage.keys()];
  const usual = unique(first.map((chunk) => index.pageOf[chunk]!)); // scores of the others change those of none
  const count = query.words.length;
  const [wordShare, pageShare] = weights.shares[count >= MANY_WORDS ? "many" : "few"];
  const pageScaled = scaled(usual, pageScore);
  const chunkScaled = scaled(first, (chunk) => found.chunks[chunk]!);
  const bestScaled = scaled(usual, (page) => found.chunks[byPage.get(page)![0]!]!);
  const fusedChunk = (chunk: number) => wordShare * chunkScaled(chunk) + pageShare * pageScaled(index.pageOf[chunk]!);
  const called = calling(index, query);
  const covered = coverage(index, query);
  const versioned = versionBonus(index, query, [...named.values()].some((worth) => worth >= weights.exact.whole));
  return pages.map((page) => {
    const chunks = byPage.get(page)!.map((chunk) => ({ chunk, score: fusedChunk(chunk) }));
    const second = chunks.filter(({ chunk }) => index.head.kinds[chunk] !== "0")[1]?.score ?? 0;
    // The first is read: of several, one under a heading that may be the query, or that says more of it.
    const worth = new Map(chunks.map((one) => [one, one.score + COVERAGE * covered(one.chunk)]));
    chunks.sort((one, other) => worth.get(other)! - worth.get(one)! || one.chunk - other.chunk);
    const exact = nameBonus(index, named.get(page) ?? 0);
    const score = wordShare * bestScaled(page) + pageShare * pageScaled(page) + weights.second * second + exact + called(page) + versioned(page, byPage.get(page)!);
    return { page, score: score + index.head.pages.boost[page]!, exact, names: called(page), passage: 0, chunks };
  });
}

/** The bonus of a page for the version of the query in its title or path; with the name of a page, only if it says that. */
function versionBonus(index: Index, query: QueryTerms, isNamed: boolean): (page: number, chunks: readonly number[]) => number {
  const { pages, weights } = index.head;
  const versions = versionsOfQuery(query.text);
  if (!versions.length) return () => 0;
  const rest = query.words.filter(({ exact }) => !isVersion(exact));
  const share = rest.length && (isNamed || rest.length >= MANY_BESIDE) ? coverage(index, { ...query, words: rest }) : () => 1;
  return (page, chunks) => {
    const said = Math.min(1, Math.max(...chunks.map(share)));
    return weights.version * versionMatch(versions, versionsOfPage(pages.title[page]!, pages.url[page]!)) * said * said;
  };
}

const MANY_WORDS = 5;
const MANY_BESIDE = 3; // a version
const COVERAGE = 0.2;
const MAX_CHUNKS = 4; // of a page on average: one more than the sections that are shown

/** The best chunks of further pages, if the first ones are from few: a long page may take the places of all others. */
function ofOtherPages({ pageOf }: Index, chunks: readonly number[], k: number): number[] {
  const pages = new Set(chunks.slice(0, k).map((chunk) => pageOf[chunk]!));
  const counts = new Map<number, number>();
  return chunks.slice(k).filter((chunk) => {
    const page = pageOf[chunk]!;
    const count = counts.get(page) ?? 0;
    if (pages.has(page) || count === MAX_CHUNKS || (!count && pages.size + counts.size >= k / MAX_CHUNKS)) return false;
    return counts.set(page, count + 1);
  });
}

/** Values scaled so that the least of the keys is 0 and the greatest 1, as is a greater value of another key. */
function scaled(keys: readonly number[], value: (key: number) => number): (key: number) => number {
  const values = keys.map(value);
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), 0);
  return (key) => (high <= low ? Math.sign(high) : Math.min(Math.max(value(key) - low, 0) / (high - low), 1));
}

function nameBonus({ head }: Index, named: number): number {
  const { title, begunTitle, whole } = head.weights.exact;
  return named * (named >= whole ? title : begunTitle);
}

/** The bonus of a page for the share of its title and path in the query. */
function calling(index: Index, { parsed, words, text }: QueryTerms): (page: number) => number {
  const asked = new Set(words.map((word) => word.stem || word.exact));
  const all = new Set(indexText(text));
  const { inName, named } = index.head.weights;
  return (page) => {
    const title = new Set(index.titleWords[page]);
    const both = new Set([...title, ...index.pathWords[page]!]);
    const covered = [...asked].filter((word) => both.has(word)).length;
    if (!covered || !parsed.words.length) return 0;
    if (covered < asked.size || !title.size) return (inName * covered) / asked.size;
    return inName + (named * [...title].filter((word) => all.has(word)).length) / title.size;
  };
}

/** The weight of a page by its author, its owner and by what it is: guides come before listings and posts. */
export function pageWeight({ head: { pages, weights } }: Index, page: number, q: string, { factor }: Curation): number {
  const listing = namesIdentifier(q) ? 1 : (pages.listing[page] ?? 1);
  const occasion = new RegExp(weights.asksForOccasion, "i").test(q) ? 1 : (pages.occasion[page] ?? 1);
  return Math.min(Math.max((pages.weight[page] ?? 1) * factor(pages.url[page]!), 0.01), 100) * listing * occasion;
}

const NAME = /^(?=.*[A-Za-z])(?:.*[_$].*|.*::.*|.*[\p{L}\p{N}_]{2}\.[\p{L}\p{N}_]{2}.*|.*\(\).*|.*[a-z][A-Z].*|--.*)$/u;
const EDGES = /^[\t?!,;"'`“”]+|[\t?!,;"'`“”]+$/g;
const MAX_NAMES = 10;

export function namesIdentifier(q: string): boolean {
  return q.split(/\s+/).some((word) => NAME.test(word.replace(EDGES, "")));
}

/** What a query names to the letter, and whether that is all of it. */
export function identifiers(q: string): { names: string[]; isAlone: boolean } {
  const words = q.split(/\s+/).map((word) => word.replace(EDGES, "")).filter(Boolean);
  const isAlone = words.length === 1;
  return { names: unique(words.filter((word) => isAlone || NAME.test(word)).map((word) => word.toLowerCase())).slice(0, MAX_NAMES), isAlone };
}

const BETWEEN = 2; // places: one word may stand between two
const MAX_PAIRS = 8;

const MAX_SENTENCE_WORDS = 3; // without stop words

/** Whether a text has all words of a short question close together, stop words too. */
export function hasSentence({ words }: ParsedQuery, text: string): boolean {
  const count = words.filter(({ isStop }) => !isStop).length;
  if (count < 2 || count > MAX_SENTENCE_WORDS || count === words.length) return false;
  const forms = unique(words.map((word) => word.stem || word.exact));
  const tokens = indexText(text);
  const places = forms.map((form) => tokens.flatMap((token, at) => (token === form ? [at] : [])));
  const [first, ...others] = places.sort((a, b) => a.length - b.length);
  return first!.some((at) => {
    const offsets = others.map((other) => other.reduce((best, place) => (Math.abs(place - at) < Math.abs(best) ? place - at : best), Infinity));
    return Math.max(0, ...offsets) - Math.min(0, ...offsets) <= forms.length;
  });
}

/** Whether the words of a text have a phrase in a row. */
export function hasPhrase(text: string, phrase: readonly string[]): boolean {
  const tokens = indexText(text);
  return tokens.some((_, start) => phrase.every((form, at) => tokens[start + at] === form));
}

/** Which share of the query's neighbouring words stand beside each other in a text. */
export function neighbours(words: readonly QueryWord[], text: string): number {
  const forms = words.map((word) => word.stem || word.exact).slice(0, MAX_PAIRS + 1);
  const tokens = forms.length > 1 ? indexText(text) : [];
  const places = new Map(forms.map((form) => [form, tokens.flatMap((token, at) => (token === form ? [at] : []))]));
  const isNear = (one: string, other: string) => places.get(one)!.some((at) => places.get(other)!.some((to) => to > at && to - at <= BETWEEN));
  const pairs = forms.slice(1).filter((form, at) => isNear(forms[at]!, form));
  return forms.length > 1 ? pairs.length / (forms.length - 1) : 0;
}
