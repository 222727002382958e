// The files of a static export, as `searchsocket/extensions/export/` writes them.
import { SearchError } from "../errors.js";
import type { Rule } from "./curation.js";

export interface Head {
  generation: string;
  scope: string;
  publishedAt: string;
  weights: Weights;
  synonyms: readonly (readonly [typed: readonly string[], others: readonly (readonly string[])[], until?: string])[];
  /** Spellings of the product's name. */
  product: readonly string[];
  /** Of the owner. */
  rules: readonly Rule[];
  families: readonly Family[];
  pages: {
    url: readonly string[];
    title: readonly string[];
    /** Sum of the boosts of each page. */
    boost: readonly number[];
    chunks: readonly number[];
    language: readonly (readonly [language: string, pages: number])[];
  } & Record<"address" | "modified", Readonly<Record<number, string>>> &
    Record<"tags" | "facets", Readonly<Record<number, readonly string[]>>> &
    Record<"weight" | "listing" | "occasion", Readonly<Record<number, number>>>;
  /** "0" for each chunk that is the summary of its page. */
  kinds: string;
  lengths: Readonly<Record<"links" | "own" | "body" | "headings", string>>;
  words: Listed<string>;
  texts: Listed<number>;
  vocabulary: Readonly<Record<string, string>>;
}

export interface Weights {
  bm25: readonly [k1: number, b: number];
  fields: Readonly<Record<"title" | "headings" | "links" | "path" | "body", number>>;
  page: Readonly<Record<"said" | "headings", number>>;
  terms: Readonly<Record<"identifier" | "part" | "prefix" | "typo" | "synonym" | "joined" | "completions", number>>;
  common: readonly [word: number, name: number];
  shares: Readonly<Record<"few" | "many", readonly [words: number, page: number]>>;
  exact: Readonly<Record<"alone" | "title" | "heading" | "begunTitle" | "begunHeading" | "among" | "nearly" | "whole", number>>;
  evidence: Readonly<Record<"share" | "prefix" | "part" | "typo", number>>;
  confidence: readonly [constant: number, near: number, share: number, known: number, asked: number, rank: number, score: number, exact: number];
  /** Shares of the words that are known, their number on one page, and their share there. */
  enough: readonly (readonly [known: number, count: number, share: number])[];
  candidates: number;
  neighbours: number;
  sentence: number;
  /** Of the titles that a query begins, the shortest first. */
  begun: readonly number[];
  second: number;
  inName: number;
  named: number;
  version: number;
  answer: Readonly<{ rejectedBelow: number; weakBelow: number; features: readonly Readonly<{ name: string; weight: number }>[] }>;
  unknownNear: number;
  weak: number;
  asksForOccasion: string;
  stopWords: string;
  beforeNames: string;
}

export interface Family {
  parent: string;
  default: string;
  versions: readonly { name: string; folder: string; title: string; aliases: Readonly<Record<string, string>> }[];
}

interface Listed<T> {
  first: readonly T[];
  files: readonly string[];
}

/** A chunk as results quote it; sizes count UTF-16 units. */
export type Chunk = [
  text: string,
  units: readonly number[],
  kinds: string,
  title: string,
  anchor: string,
  headingPath: readonly string[],
  openings: readonly (readonly [start: number, anchor: string, title: string])[],
  ref: string,
];

const MAX_FILES = 500; // in memory

/** Reads each file once. */
export class Files {
  readonly #loading = new Map<string, Promise<unknown>>();

  /** @param read Gives the bytes of a file of the folder. */
  constructor(readonly read: (name: string) => Promise<ArrayBuffer>) {}

  bytes(name: string): Promise<Uint8Array> {
    return this.#once(name, async () => new Uint8Array(await unpacked(await this.read(name))));
  }

  json<T>(name: string): Promise<T> {
    return this.#once(name, async () => JSON.parse(new TextDecoder().decode(await unpacked(await this.read(name)))) as T);
  }

  #once<T>(name: string, load: () => Promise<T>): Promise<T> {
    const loading = (this.#loading.get(name) as Promise<T> | undefined) ?? load();
    this.#loading.delete(name);
    this.#loading.set(name, loading);
    loading.catch(() => this.#loading.delete(name)); // it may be there the next time
    for (const oldest of this.#loading.keys()) {
      if (this.#loading.size <= MAX_FILES) break;
      this.#loading.delete(oldest);
    }
    return loading;
  }
}

async function unpacked(data: ArrayBuffer): Promise<ArrayBuffer> {
  const [first, second] = new Uint8Array(data);
  if (first !== 0x1f || second !== 0x8b) return data; // the server unpacked it
  return new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** Reads files below an address. */
export async function fetched(url: URL | string, cache: RequestCache = "default"): Promise<ArrayBuffer> {
  let response: Response;
  try {
    response = await fetch(url, { cache });
  } catch {
    throw new SearchError("UNREACHABLE", `${url} cannot be reached`);
  }
  if (!response.ok) throw new SearchError("UNREACHABLE", `${url} answered with status ${response.status}`, response.status);
  return response.arrayBuffer();
}
