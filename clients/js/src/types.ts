/** What the service is asked and answers, as its OpenAPI document has it; see `/docs/api/search` of the documentation. */

export type FilterValue = string | number | boolean;

export interface SearchRequest {
  /** The query, at most 1,000 characters. */
  q: string;
  /** How many results at most, 1 to 100. */
  topK?: number;
  /** How many results to skip; the earlier answers must have had the same `topK`. */
  offset?: number;
  /** `meta.generation` of the first answer, where this asks for further ones. */
  generation?: string;
  scope?: string;
  /** Only this directory: `/docs` holds `/docs` and `/docs/a`. */
  pathPrefix?: string;
  /** Only pages with all of these tags. */
  tags?: readonly string[];
  groupBy?: "page" | "chunk";
  /** `language`, `kind` and the facets of the site's settings; of several values one must be met. */
  filters?: Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
  /** Language of the visitor, such as `de` or `pt-BR`: of translations of one page, the one in it is the result. */
  preferLanguage?: string;
  /**
   * Versions of the documentation: names or aliases, `all`, or the path of a page, which means the version of that page.
   * Default: the newest release.
   */
  version?: string | readonly string[];
  /** Facets whose values are counted. */
  facets?: readonly string[];
  rerank?: boolean;
  explain?: boolean;
  /** true: the sections of a page are quoted too, which costs a fifth more; else they have titles and addresses alone. */
  sectionSnippets?: boolean;
  /** About how many tokens of text the answer may have, 200 to 100,000; the rest follows by `continuationToken`. */
  maxTokens?: number;
  /** `continuationToken` of the answer before. */
  continuationToken?: string;
}

/** Where query words stand in a text: [start, end) in code points, not in UTF-16 units. */
export type Marks = readonly (readonly [number, number])[];

/** Lines of a passage in a file: from 1, the last one included; null if they are not known. */
export interface FileLines {
  file: string | null;
  firstLine: number | null;
  lastLine: number | null;
}

export interface Section {
  href: string;
  anchor: string;
  /** "" for what stands before the first heading. */
  title: string;
  headingPath: readonly string[];
  snippet: string;
  snippetHtml: string;
  marks: Marks;
  score: number;
  /** Lines in the content file; null without the key. A static export has none. */
  source?: FileLines | null;
  /** Lines in the mirror file; null without the key. */
  mirror?: FileLines | null;
  ref: string;
}

export interface AlikePage {
  url: string;
  href: string;
  title: string;
}

/** The site of a result, where a service searches several. */
export interface Origin {
  project: string;
  title: string;
  /** Scheme and host of its pages; "" = those of this page. */
  site: string;
}

export interface Result {
  /** The page, as filters and other requests name it. */
  url: string;
  /** Opens the page on its host, at its best section. */
  href: string;
  anchor: string;
  title: string;
  sectionTitle: string;
  headingPath: readonly string[];
  snippet: string;
  snippetHtml: string;
  marks: Marks;
  /** Higher is better; comparable only within one answer. */
  score: number;
  /** How likely it answers, 0 to 1; comparable between answers. */
  confidence: number;
  routeFile: string | null;
  routeResolution?: "exact" | "best-effort" | "none" | null;
  /** Lines in the content file; null without the key. A static export has none. */
  source?: FileLines | null;
  /** Lines in the mirror file; null without the key. */
  mirror?: FileLines | null;
  scope: string;
  generation: string;
  ageSeconds: number;
  tags: readonly string[];
  language: string;
  modified: string;
  /** Version of the documentation that `href` opens; absent if the page belongs to none. */
  version?: string;
  /** All versions in which the page says the same. */
  versions?: readonly string[];
  /** Languages in which the page matches, that of `href` first; absent if it has no translation that matches. */
  languages?: readonly string[];
  ref: string;
  sections: readonly Section[];
  alike: readonly AlikePage[];
  /** Whether the page's file changed after publishing; null without the key. */
  changedSince?: boolean | null;
  /** The parts of the score, with `explain`. */
  explanation?: Explanation | null;
  /** Absent if the service searches one site. */
  origin?: Origin;
}

/** score = (fused + second + links + depth + exact) x weight, in 0 to 1. */
export interface Explanation {
  cosine: number;
  bm25: number;
  vector: number;
  keyword: number;
  pageBm25: number;
  page: number;
  fused: number;
  second: number;
  links: number;
  depth: number;
  exact: number;
  weight: number;
  /** Part of `exact`: query words in title, path and anchor. */
  names: number;
  /** Part of `exact`: neighbouring words, and words together in one passage. */
  passage: number;
  /** Weight of `vector` in `fused`. */
  vectorShare: number;
  keywordShare: number;
  pageShare: number;
  rerank?: number | null;
  /** Features that are not 0, by falling part of the score. */
  features: readonly FeaturePart[];
}

/** A feature of the ranking and its part of the score; the OpenAPI description of the service explains each name. */
export interface FeaturePart {
  name: string;
  weight: number;
  value: number;
  part: number;
}

/** The model that decides if the site answers the query: the parts of its features add up to `logOdds`. */
export interface AnswerModel {
  logOdds: number;
  rejectedBelow: number;
  weakBelow: number;
  features: readonly FeaturePart[];
}

/** A rule of `curation.toml` that is about the query. */
export interface AppliedRule {
  /** File and line. */
  rule: string;
  effect: "pin" | "hide" | "boost";
  pages: readonly string[];
  /** Pinned pages that are not in the index, or that the filters exclude. */
  unavailable?: readonly string[];
}

export interface Note {
  code: string;
  message: string;
}

export interface AnswerVersions {
  /** Versions that were searched; empty: all. */
  searched: readonly string[];
  default: readonly string[];
  /** All versions, newest first. */
  available: readonly { name: string; title: string; aliases: readonly string[] }[];
}

export interface SearchAnswer {
  /** The query as it was run. */
  q: string;
  scope: string;
  groupBy: "page" | "chunk";
  results: readonly Result[];
  /** How many results there are over all offsets. */
  total: number;
  /** `weak`: nothing fits well; `rejected`: what was found is too weak to be given. */
  quality: "answered" | "weak" | "rejected";
  /** Pages by value, of each facet that was asked for. */
  facets?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Versions of the documentation; absent if the site has none. */
  versions?: AnswerVersions;
  /** Rules of the owner, with `explain` and the key. */
  curation?: readonly AppliedRule[] | null;
  /** With `explain`, the model that decides `quality`; absent if it does not apply to the query. */
  answerModel?: AnswerModel | null;
  /** `maxTokens` ended the answer before `topK`. */
  truncated?: boolean;
  /** Gets the next results; absent if there are none. */
  continuationToken?: string | null;
  meta: {
    timingsMs: { embed: number; vector: number; keyword: number; rerank: number; total: number };
    usedRerank: boolean;
    modelId: string;
    generation: string;
    publishedAt: string;
    ageSeconds: number;
    /** The indexed commit; null without the key or if it is not known. */
    sourceRevision?: string | null;
    notes: readonly Note[];
  };
}
