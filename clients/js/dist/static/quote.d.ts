import type { Chunk } from "./files.js";
import type { QueryTerms } from "./terms.js";
interface Mark {
    start: number;
    end: number;
    word: string;
}
export interface Quote {
    anchor: string;
    title: string;
    snippet: string;
    marks: [number, number][];
    /** How well the heading and the passage say the query: by this sections of one page are compared. */
    worth: number;
}
/** The words of one query, ready to be marked in texts. */
export declare class Quoter {
    #private;
    constructor(query: QueryTerms);
    /** Whether a heading of a chunk is called like the query. */
    names(chunk: Chunk): boolean;
    marks(text: string): Mark[];
    quote([text, units, kinds, title, anchor, , openings]: Chunk, maxChars: number): Quote;
}
export declare function short(title: string): string;
export {};
