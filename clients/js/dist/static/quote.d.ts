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
    /** The bonus of a chunk with a heading that is the query, or that begins with it. */
    named({ 3: title, 6: openings }: Chunk, whole: number, beginning: number): number;
    marks(text: string): Mark[];
    quote([text, units, kinds, title, anchor, , openings]: Chunk, maxChars: number): Quote;
}
export declare function short(title: string): string;
export {};
