import type { Marks, Result, Section } from "./types.js";
export interface ResultUrlOptions {
    /** Where the site is, if elsewhere: `https://docs.example`, also with a path that all pages lie below. */
    site?: string;
    /** Whether browsers shall show the passage by themselves (`#:~:text=`); default true. */
    textFragment?: boolean;
}
type Opening = Pick<Result | Section, "href"> & Partial<Pick<Result | Section, "snippet" | "marks">>;
/** The address that opens a result or one of its sections: at its anchor, and with a text fragment at the passage that was found. */
export declare function buildResultUrl(result: Opening, { site, textFragment }?: ResultUrlOptions): string;
/**
 * The words around the most marks of a snippet, from one sentence: a browser finds a phrase only inside of one block.
 *
 * @param marks In code points of the snippet, as answers have them.
 * @returns "" where nothing is marked.
 */
export declare function markedPhrase(snippet: string, marks: Marks): string;
export {};
