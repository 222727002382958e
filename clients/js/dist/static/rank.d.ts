import type { Curation } from "./curation.js";
import type { Index } from "./index.js";
import { type QueryTerms } from "./terms.js";
import { type ParsedQuery, type QueryWord } from "./tokens.js";
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
export declare function scores(index: Index, query: QueryTerms): {
    chunks: Float64Array;
    pages: Float64Array;
};
/** The best pages by words, names and places; the texts are not read yet. */
export declare function rankPages(index: Index, query: QueryTerms, isAllowed: (page: number) => boolean, topK: number): RankedPage[];
/** The weight of a page by its author, its owner and by what it is: guides come before listings and posts. */
export declare function pageWeight({ head: { pages, weights } }: Index, page: number, q: string, { factor }: Curation): number;
export declare function namesIdentifier(q: string): boolean;
/** What a query names to the letter, and whether that is all of it. */
export declare function identifiers(q: string): {
    names: string[];
    isAlone: boolean;
};
/** Whether a text has all words of a short question close together, stop words too. */
export declare function hasSentence({ words }: ParsedQuery, text: string): boolean;
/** Whether the words of a text have a phrase in a row. */
export declare function hasPhrase(text: string, phrase: readonly string[]): boolean;
/** Which share of the query's neighbouring words stand beside each other in a text. */
export declare function neighbours(words: readonly QueryWord[], text: string): number;
