import type { Index } from "./index.js";
import { type ParsedQuery, type QueryWord } from "./tokens.js";
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
export declare const unique: <T>(values: Iterable<T>) => T[];
export declare function queryTerms(index: Index, text: string): Promise<QueryTerms>;
/** The first words of a vocabulary that are fewest edits away. */
export declare function nearest(word: string, vocabulary: readonly string[]): string[];
export declare function allowedEdits(word: string): number;
/** Whether so many insertions, deletions, replacements or swaps of neighbours turn one word into the other. */
export declare function within(one: string, other: string, edits: number): boolean;
/** The query as it was meant: a title or heading of which it is a typo, and without the product's name. */
export declare function meant(index: Index, text: string): Promise<string>;
/** The words that a query excludes, each with its minus. A flag that documents have is none: `-race`. */
export declare function excluded(index: Index, text: string): Promise<string[]>;
/** Which share of the query pages say, by which nonsense is refused. */
export declare function evidenceOf(index: Index, query: QueryTerms): Evidence;
