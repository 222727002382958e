import type { Chunk, Files, Head } from "./files.js";
/** Where a term stands: numbers in groups of four. */
export interface Posting {
    /** Page, and its counts in title, links and path. */
    pages: readonly number[];
    /** Chunk, and its counts in text, headings above it, and headings in it. */
    chunks: readonly number[];
    /** Pages of which title or text contain it. */
    said: ReadonlySet<number>;
}
/** A range of documents and how long each is. */
interface Field {
    lengths: readonly number[];
    mean: number;
}
export declare class Index {
    #private;
    readonly head: Head;
    readonly files: Files;
    readonly firstChunk: readonly number[];
    readonly pageOf: Uint32Array;
    readonly fields: Readonly<Record<"title" | "links" | "path" | "body" | "headings" | "said" | "own", Field>>;
    /** Words of the headings in each chunk. */
    readonly ownHeadings: readonly number[];
    readonly titleWords: readonly (readonly string[])[];
    readonly pathWords: readonly (readonly string[])[];
    readonly languages: readonly string[];
    /** By a name that a visitor may type, the pages of that title. */
    readonly names: Map<string, number[]>;
    constructor(head: Head, files: Files);
    get chunkCount(): number;
    get pageCount(): number;
    /** Load what `posting` needs for these terms. */
    load(terms: Iterable<string>): Promise<void>;
    posting(term: string): Posting | undefined;
    /** Loaded terms that begin so, in order. */
    beginning(prefix: string): string[];
    /** Words as they are typed that begin with this letter, the most frequent first, and their number of chunks. */
    vocabulary(letter: string): Promise<readonly (readonly [word: string, count: number])[]>;
    /** The texts in the same file as a chunk. */
    texts(chunk: number): Promise<{
        first: number;
        chunks: readonly Chunk[];
    }>;
}
export {};
