// Answers a request from the files of a static export.
import { SearchError } from "../errors.js";
import type { Result, SearchAnswer, SearchRequest, Section } from "../types.js";
import { answerModel, doubted, isDoubted, isRefused } from "./answerable.js";
import { type Curation, curationOf, today } from "./curation.js";
import { type Chunk, Files, type Head } from "./files.js";
import { facetCounts, pageFilter, placeIn, type Versions, versionsOf, withoutTranslations } from "./filter.js";
import { Index } from "./index.js";
import { chunksWith, IN_TEXT } from "./names.js";
import { type Quote, Quoter, short } from "./quote.js";
import { hasPhrase, hasSentence, identifiers, neighbours, pageWeight, type RankedPage, rankPages } from "./rank.js";
import { type Evidence, evidenceOf, excluded, meant, type QueryTerms, queryTerms } from "./terms.js";
import { parseQuery } from "./tokens.js";

const MAX_QUERY = 1000;
const MAX_TOP_K = 100;
const READ = 8; // pages whose best passage is read before they are ordered
const SECTIONS = 3;
const SNIPPET = 240;
const SECTION_SNIPPET = 160;

/** Pages of which texts were read. */
interface ReadPage extends RankedPage {
  texts: ReadonlyMap<number, Chunk>;
}

export async function openIndex(name: string, read: (name: string) => Promise<ArrayBuffer>): Promise<Index> {
  const files = new Files(read);
  return new Index(await files.json<Head>(name), files);
}

/**
 * @param prefix Path of the site on its host, before the addresses of its pages.
 * @throws {SearchError} The request is empty or too long, names an unknown version, or a file cannot be read.
 */
export async function search(index: Index, request: SearchRequest, prefix = ""): Promise<SearchAnswer> {
  const started = performance.now();
  const typed = request.q.normalize("NFC").replace(/[\p{Cc}\s]+/gu, " ").replace(/[\p{Cf}\p{Cs}]/gu, "").trim();
  if (!typed || typed.length > MAX_QUERY) throw new SearchError("INVALID_REQUEST", typed ? `the query has ${typed.length} characters; the limit is ${MAX_QUERY}` : "the query is empty", 400);
  const { head } = index;
  const topK = Math.min(Math.max(request.topK ?? 10, 1), MAX_TOP_K);
  const offset = Math.max(request.offset ?? 0, 0);
  const versions = versionsOf(head.families, request);
  const query = await queryTerms(index, await meant(index, typed));
  const evidence = evidenceOf(index, query);
  const curation = curationOf(head.rules, typed, today());
  const passes = pageFilter(index, request, versions);
  const without = await pagesToExclude(index, typed);
  const isAllowed = (page: number) => passes(page) && !without.has(page) && !curation.isHidden(head.pages.url[page]!);
  const candidates = await withPhrases(index, query, rankPages(index, query, isAllowed, topK + offset));
  const isNamed = candidates.some(({ exact }) => exact > 0);
  const quoter = new Quoter(query);
  const first = isNamed || isEnough(index, evidence) ? await ordering(index, query, quoter, candidates, topK + offset, curation) : [];
  const isFiltered = request.pathPrefix || request.tags?.length || request.filters;
  const model = first[0] && !isFiltered ? answerModel(head.weights, evidence, first[0]) : undefined;
  const isAnswered = first.length > 0 && (isNamed || !isRefused(model, evidence));
  const ordered = isAnswered ? first : [];
  const pinned = pinnedPages(index, curation, ordered, isAllowed);
  const share = saidShare(index, query);
  const pins = withoutTranslations(index, pinned, request, share).size; // results that the owner decided
  const shown = withoutTranslations(index, [...pinned, ...ordered.filter((one) => !pinned.includes(one))], request, share);
  const best = ordered[0];
  const confidence = (page: RankedPage, rank: number) => {
    const sure = rank < pins ? 1 : confidenceOf(index, evidence, rank, page.score / (best!.score || 1), page.exact);
    return rank < pins || !isDoubted(model) ? sure : doubted(sure);
  };
  const page = [...shown.keys()].slice(offset, offset + topK);
  const read = await Promise.all(page.map((one) => withTexts(index, one)));
  const results = read.map((one, at) => ({
    ...resultOf(index, one, quoter, versions, shown.get(page[at]!)!, confidence(one, offset + at), prefix),
    score: Math.min(one.score / Math.max(best?.score ?? 0, 1), 1),
  }));
  const isWeak = best !== undefined && confidence(best, 0) < head.weights.weak;
  return {
    q: typed,
    scope: head.scope,
    groupBy: "page",
    results,
    total: shown.size,
    quality: pins ? "answered" : !isAnswered ? "rejected" : isWeak ? "weak" : "answered",
    ...(request.facets?.length ? { facets: facetCounts(index, [...(isAnswered ? candidates : []), ...pinned].map((one) => one.page), request.facets) } : {}),
    ...(request.explain ? { answerModel: model ?? null } : {}),
    ...(versions.answer ? { versions: versions.answer } : {}),
    meta: {
      timingsMs: { embed: 0, vector: 0, keyword: performance.now() - started, rerank: 0, total: performance.now() - started },
      usedRerank: false,
      modelId: "",
      generation: head.generation,
      publishedAt: head.publishedAt,
      ageSeconds: Math.max((Date.now() - Date.parse(head.publishedAt)) / 1000, 0),
      notes: [],
    },
  };
}

/** The pages with a word that the query excludes, in their title, path or text. */
async function pagesToExclude(index: Index, typed: string): Promise<ReadonlySet<number>> {
  const words = parseQuery((await excluded(index, typed)).map((word) => word.slice(1)).join(" ")).words;
  const forms = words.map((word) => word.stem || word.exact);
  await index.load(forms);
  return new Set(
    forms.flatMap((form) => {
      const pages = index.posting(form)?.pages ?? [];
      const named = pages.filter((_, at) => at % 4 === 0 && (pages[at + 1] || pages[at + 3]));
      return [...named, ...chunksWith(index, [form], IN_TEXT).map((chunk) => index.pageOf[chunk]!)];
    }),
  );
}

/** Which share of the query's words a page has in its title or text. */
function saidShare(index: Index, { words }: QueryTerms): (page: number) => number {
  const said = words.map((word) => [word.exact, word.stem].flatMap((form) => (form && index.posting(form)?.said) || []));
  return (page) => said.filter((sets) => sets.some((pages) => pages.has(page))).length / Math.max(words.length, 1);
}

/** The pages and chunks that have every phrase of the query. */
async function withPhrases(index: Index, { parsed: { phrases } }: QueryTerms, pages: readonly RankedPage[]): Promise<RankedPage[]> {
  if (!phrases.length) return [...pages];
  const read = await Promise.all(pages.map((one) => withTexts(index, one)));
  const named = (page: number, phrase: readonly string[]) => hasPhrase(index.head.pages.title[page]!, phrase);
  return read.flatMap((one) => {
    const chunks = one.chunks.filter(({ chunk }) => {
      const text = one.texts.get(chunk);
      return phrases.every((phrase) => named(one.page, phrase) || (text && (hasPhrase(text[0], phrase) || hasPhrase(text[3], phrase) || text[6].some(([, , title]) => hasPhrase(title, phrase)))));
    });
    return chunks.length ? [{ ...one, chunks }] : [];
  });
}

/** Nonsense gets no answer. */
function isEnough({ head: { weights } }: Index, { share, count, known }: Evidence): boolean {
  return share >= weights.evidence.share || weights.enough.some(([leastKnown, leastCount, leastShare]) => known >= leastKnown && count >= leastCount && share >= leastShare);
}

const MAX_PINS = 20;

/** The pages that the owner puts first: those that the export has and the request allows. */
function pinnedPages({ head, firstChunk }: Index, { pins }: Curation, ordered: readonly RankedPage[], isAllowed: (page: number) => boolean): RankedPage[] {
  const pages = pins.map((url) => head.pages.url.indexOf(url)).filter((page) => page >= 0 && isAllowed(page));
  const chunksOf = (page: number) => Array.from({ length: head.pages.chunks[page]! }, (_, at) => ({ chunk: firstChunk[page]! + at, score: 0 }));
  return pages.slice(0, MAX_PINS).map((page) => ordered.find((one) => one.page === page) ?? { page, score: 0, exact: 0, names: 0, passage: 0, chunks: chunksOf(page) });
}

/** Pages by their score; the texts of the best are read for what only a text tells. */
async function ordering(index: Index, query: QueryTerms, quoter: Quoter, candidates: readonly RankedPage[], count: number, curation: Curation): Promise<RankedPage[]> {
  const sorted = (pages: readonly RankedPage[]) => [...pages].sort((a, b) => b.score - a.score || a.page - b.page);
  const first = sorted(candidates.map((one) => ({ ...one, score: one.score * pageWeight(index, one.page, query.text, curation) })));
  const read = Math.max(READ, count);
  const texts = await Promise.all(first.slice(0, read).map((one) => withTexts(index, one)));
  const better = texts.map((one) => ({ ...one, ...bonuses(index, query, quoter, one, curation) }));
  return [...sorted(better), ...first.slice(read)];
}

async function withTexts(index: Index, page: RankedPage): Promise<ReadPage> {
  const { first, chunks } = await index.texts(page.chunks[0]!.chunk);
  return { ...page, texts: new Map(chunks.map((chunk, at) => [first + at, chunk])) };
}

/** What a page gains by its text: neighbouring words, headings, and names to the letter. */
function bonuses(index: Index, query: QueryTerms, quoter: Quoter, page: ReadPage, curation: Curation): Pick<RankedPage, "score" | "exact" | "passage" | "chunks"> {
  const { weights, pages } = index.head;
  const { alone, among, heading, begunHeading, title, whole } = weights.exact;
  const { names, isAlone } = identifiers(query.text);
  const isTitled = page.exact >= title * whole;
  const name = `${pages.title[page.page]}\n${pages.url[page.page]}`;
  let exact = page.exact;
  let near = 0;
  const chunks = page.chunks.map(({ chunk, score }) => {
    const text = page.texts.get(chunk);
    if (!text) return { chunk, score };
    const content = `${text[3]}\n${text[0]}\n${name}`.toLowerCase();
    const literal = names.filter((one) => content.includes(one)).length / (names.length || 1);
    const own = isTitled ? 0 : (isAlone ? alone : among) * literal + quoter.named(text, heading, begunHeading);
    const said = `${text[3]}\n${text[0]}`;
    const beside = weights.neighbours * neighbours(query.words, said) + (hasSentence(query.parsed, said) ? weights.sentence : 0);
    exact = Math.max(exact, page.exact + own);
    near = Math.max(near, beside);
    return { chunk, score: score + own + beside };
  });
  chunks.sort((a, b) => b.score - a.score || a.chunk - b.chunk);
  return { exact, passage: near, score: page.score + (exact - page.exact + near) * pageWeight(index, page.page, query.text, curation), chunks };
}

function confidenceOf({ head: { weights } }: Index, words: Evidence, rank: number, ratio: number, exact: number): number {
  const features = [1, weights.unknownNear, words.share, words.corrected, Math.log1p(words.asked), Math.log1p(rank), ratio, Math.min(exact, 1)];
  const sum = features.reduce((total, value, at) => total + value * weights.confidence[at]!, 0);
  return Math.round(1000 / (1 + Math.exp(-sum))) / 1000;
}

function resultOf(index: Index, page: ReadPage, quoter: Quoter, versions: Versions, languages: readonly string[], confidence: number, prefix: string): Result {
  const { pages, generation, scope } = index.head;
  const place = placeIn(index, page.page, versions);
  const title = short(pages.title[page.page]!);
  const quoted = page.chunks.flatMap(({ chunk, score }) => {
    const text = page.texts.get(chunk);
    return text ? [{ chunk, text, score, quote: quoter.quote(text, SNIPPET) }] : [];
  });
  const sections = quoted.filter(({ chunk, quote }, at) => index.head.kinds[chunk] !== "0" && quoted.findIndex((one) => one.quote.anchor === quote.anchor) === at);
  const opening = [...sections].sort((a, b) => b.score + b.quote.worth - a.score - a.quote.worth)[0] ?? quoted[0]!;
  const section = ({ text, score }: (typeof quoted)[number]): Section => {
    const quote = quoter.quote(text, SECTION_SNIPPET);
    return { ...linked(prefix + place.address, quote), headingPath: text[5], score, ref: text[7] };
  };
  return {
    url: place.url,
    ...linked(prefix + place.address, opening.quote),
    title,
    sectionTitle: opening.quote.title,
    headingPath: opening.text[5],
    score: page.score,
    confidence,
    routeFile: null,
    scope,
    generation,
    ageSeconds: 0,
    tags: pages.tags[page.page] ?? [],
    language: index.languages[page.page]!,
    modified: pages.modified[page.page] ?? "",
    ...(place.versions.length ? { version: place.versions[0]!, versions: place.versions } : {}),
    ...(languages.length ? { languages } : {}),
    ref: opening.text[7],
    sections: [opening, ...sections.filter((one) => one !== opening)].slice(0, SECTIONS).map(section),
    alike: [],
  };
}

function linked(address: string, { anchor, title, snippet, marks }: Quote): Pick<Section, "href" | "anchor" | "title" | "snippet" | "snippetHtml" | "marks"> {
  const href = anchor ? `${address}#${encodeURIComponent(anchor).replace(/%(24|26|2B|2C|3B|3D|3A|40|2F|3F)/g, decodeURIComponent)}` : address;
  return { href, anchor, title, snippet, snippetHtml: "", marks };
}
