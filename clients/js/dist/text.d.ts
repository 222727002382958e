import type { Marks } from "./types.js";
/** A piece of a text, and whether it is a match. */
export interface Part {
    text: string;
    isMarked: boolean;
}
/** A text cut at its marks. Put each piece into the page as text, never as HTML. */
export declare function markedParts(text: string, marks: Marks): Part[];
/** A title with the words of the query marked, for which answers have no marks: longer words and the last one mark words that begin with them. */
export declare function markedWords(text: string, q: string): Part[];
export declare function wordsOf(text: string): string[];
/** Where the sentences of a text start and end, without the spaces around them; all of it where the browser cannot tell. */
export declare function sentencesOf(text: string): [start: number, end: number][];
/** Without case and accents. */
export declare function fold(text: string): string;
