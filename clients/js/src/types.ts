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
}

/** Where query words stand in a text: [start, end) in code points, not in UTF-16 units. */
export type Marks = readonly (readonly [number, number])[];

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
  /** Absent if the service searches one site. */
  origin?: Origin;
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
  meta: {
    timingsMs: { embed: number; vector: number; keyword: number; rerank: number; total: number };
    usedRerank: boolean;
    modelId: string;
    generation: string;
    publishedAt: string;
    ageSeconds: number;
    notes: readonly Note[];
  };
}
