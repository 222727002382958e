import type { Marks } from "./types.js";
/** A piece of text; `true` marks a match. */
export interface Part {
    text: string;
    isMarked: boolean;
}
/** Split a text at its marks. Insert each piece as text, never as HTML. */
export declare function markedParts(text: string, marks: Marks): Part[];
/** Mark the words of the query in a title, since answers have no marks for it. Long words and the last word also mark words that begin with them. */
export declare function markedWords(text: string, q: string): Part[];
export declare function wordsOf(text: string): string[];
/** Start and end of each sentence, without surrounding spaces; the whole text if the browser cannot split it. */
export declare function sentencesOf(text: string): [start: number, end: number][];
/** Fold case and accents. */
export declare function fold(text: string): string;
