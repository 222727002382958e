// The index of a static export: pages and lengths in memory, postings and texts as queries need them.
import type { Chunk, Files, Head } from "./files.js";
import { indexText, namesOf, setStopWords } from "./tokens.js";

/** Where a term stands: numbers in groups of four. */
export interface Posting {
  /** Page, and its counts in title, links and path. */
  pages: readonly number[];
  /** Chunk, and its counts in text, headings above it, and headings in it. */
  chunks: readonly number[];
  /** Pages of which title or text contain it. */
  said: ReadonlySet<number>;
}

interface Bucket {
  terms: readonly string[];
  /** Of the postings; the last one is the end. */
  starts: readonly number[];
  bytes: Uint8Array;
}

/** A range of documents and how long each is. */
interface Field {
  lengths: readonly number[];
  mean: number;
}

export class Index {
  readonly firstChunk: readonly number[];
  readonly pageOf: Uint32Array;
  readonly fields: Readonly<Record<"title" | "links" | "path" | "body" | "headings" | "said" | "own", Field>>;
  /** Words of the headings in each chunk. */
  readonly ownHeadings: readonly number[];
  readonly titleWords: readonly (readonly string[])[];
  readonly pathWords: readonly (readonly string[])[];
  readonly languages: readonly string[];
  /** By a name that a visitor may type, the pages of that title. */
  readonly names = new Map<string, number[]>();
  readonly #buckets = new Map<number, Bucket>();
  readonly #postings = new Map<string, Posting>();

  constructor(
    readonly head: Head,
    readonly files: Files,
  ) {
    const { pages, lengths, weights } = head;
    setStopWords(weights.stopWords.split(" "), weights.beforeNames.split(" "));
    let end = 0;
    this.firstChunk = [...pages.chunks.map((count) => (end += count) - count), end];
    this.pageOf = new Uint32Array(end);
    pages.chunks.forEach((_, page) => this.pageOf.fill(page, this.firstChunk[page], this.firstChunk[page + 1]));
    this.titleWords = pages.title.map(indexText);
    this.pathWords = pages.url.map((url) => indexText(url.replaceAll("/", " ")));
    this.languages = pages.language.flatMap(([language, count]) => Array<string>(count).fill(language));
    pages.title.forEach((title, page) => {
      for (const name of namesOf(title)) this.names.set(name, [...(this.names.get(name) ?? []), page]);
    });
    const body = unpackedLengths(lengths.body);
    this.ownHeadings = unpackedLengths(lengths.own);
    const said = this.titleWords.map((words) => words.length);
    const own = said.map(() => 0);
    this.pageOf.forEach((page, chunk) => {
      own[page]! += this.ownHeadings[chunk]!;
      if (head.kinds[chunk] !== "0") said[page]! += body[chunk]!;
    });
    const shared = (of: readonly number[]): Field => field(of, pages.chunks);
    this.fields = {
      title: shared(this.titleWords.map((words) => words.length)),
      links: shared(unpackedLengths(lengths.links)),
      path: shared(this.pathWords.map((words) => words.length)),
      body: field(body),
      headings: field(unpackedLengths(lengths.headings)),
      said: field(said),
      own: field(own),
    };
  }

  get chunkCount(): number {
    return this.pageOf.length;
  }

  get pageCount(): number {
    return this.head.pages.url.length;
  }

  /** Load what `posting` needs for these terms. */
  async load(terms: Iterable<string>): Promise<void> {
    const numbers = new Set([...terms].map((term) => this.#bucketOf(term)));
    await Promise.all([...numbers].map((number) => this.#bucket(number)));
  }

  posting(term: string): Posting | undefined {
    const cached = this.#postings.get(term);
    if (cached) return cached;
    const bucket = this.#buckets.get(this.#bucketOf(term));
    const at = bucket ? lastAtMost(bucket.terms, term) : -1;
    if (!bucket || bucket.terms[at] !== term) return undefined;
    const posting = this.#decoded(bucket.bytes, bucket.starts[at]!);
    this.#postings.set(term, posting);
    return posting;
  }

  /** Loaded terms that begin so, in order. */
  beginning(prefix: string): string[] {
    const terms = this.#buckets.get(this.#bucketOf(prefix))?.terms ?? [];
    return terms.slice(lastAtMost(terms, prefix) + (terms[lastAtMost(terms, prefix)] === prefix ? 0 : 1)).filter((term) => term.startsWith(prefix));
  }

  /** Words as they are typed that begin with this letter, the most frequent first, and their number of chunks. */
  async vocabulary(letter: string): Promise<readonly (readonly [word: string, count: number])[]> {
    const name = this.head.vocabulary[letter >= "a" && letter <= "z" ? letter : ""];
    if (!name) return [];
    const { words, counts } = await this.files.json<{ words: string; counts: string }>(name);
    const numbers = unpackedLengths(counts);
    return words.split("\n").map((word, at) => [word, numbers[at]!] as const).sort((a, b) => b[1] - a[1]);
  }

  /** The texts in the same file as a chunk. */
  async texts(chunk: number): Promise<{ first: number; chunks: readonly Chunk[] }> {
    const { first, files } = this.head.texts;
    const at = lastAtMost(first, chunk);
    return { first: first[at]!, chunks: await this.files.json<readonly Chunk[]>(files[at]!) };
  }

  #bucketOf(term: string): number {
    return Math.max(lastAtMost(this.head.words.first, term), 0);
  }

  async #bucket(number: number): Promise<void> {
    const name = this.head.words.files[number];
    if (name === undefined || this.#buckets.has(number)) return;
    const bytes = await this.files.bytes(name);
    const read = reader(bytes, 0);
    const size = read.next();
    const terms = new TextDecoder().decode(bytes.subarray(read.at, read.at + size)).split("\n");
    read.at += size;
    const sizes = terms.map(() => read.next());
    let start = read.at;
    this.#buckets.set(number, { terms, starts: sizes.map((length) => (start += length) - length), bytes });
  }

  #decoded(bytes: Uint8Array, start: number): Posting {
    const { next } = reader(bytes, start);
    const pages: number[] = [];
    const chunks: number[] = [];
    const said = new Set<number>();
    let page = 0;
    for (let left = next(); left > 0; left--) {
      page += next();
      const counts = next();
      pages.push(page, counts >> 7, counts & 15, (counts >> 4) & 7);
      if (counts >> 7) said.add(page);
    }
    let chunk = 0;
    for (let left = next(); left > 0; left--) {
      const value = next();
      chunk += value >> 2;
      const body = value & 3 ? next() : 1;
      const headings = (value & 3) === 2 ? next() : 0;
      chunks.push(chunk, body, headings >> 3, headings & 7);
      if (body && this.head.kinds[chunk] !== "0") said.add(this.pageOf[chunk]!);
    }
    return { pages, chunks, said };
  }
}

/** @param weights How often each length counts. */
function field(lengths: readonly number[], weights?: readonly number[]): Field {
  let sum = 0;
  let count = 0;
  lengths.forEach((length, at) => ((sum += length * (weights?.[at] ?? 1)), (count += weights?.[at] ?? 1)));
  return { lengths, mean: Math.max(sum / Math.max(count, 1), 1) };
}

/** See `packed_lengths` in `searchsocket/extensions/export/head.py`. */
function unpackedLengths(packed: string): number[] {
  return Array.from(packed, (char) => Math.round(2 ** ((char.charCodeAt(0) - 35) / 6) - 1));
}

/** The place of the last value that is not behind `value`; -1 if there is none. */
function lastAtMost<T extends string | number>(values: readonly T[], value: T): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function reader(bytes: Uint8Array, at: number): { at: number; next: () => number } {
  const state = {
    at,
    next: () => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[state.at++]!;
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) return value;
      }
    },
  };
  return state;
}
