import type { Marks, Result, Section } from "./types.js";
export interface ResultUrlOptions {
    /** Address of the site, if on another host: `https://docs.example`, also with the base path of all pages. */
    site?: string;
    /** Add a text fragment (`#:~:text=`), with which browsers mark the passage; default true. */
    textFragment?: boolean;
}
type Opening = Pick<Result | Section, "href"> & Partial<Pick<Result | Section, "snippet" | "marks">>;
/** Return the address of a result or section: with its anchor, and a text fragment for the passage. */
export declare function buildResultUrl(result: Opening, { site, textFragment }?: ResultUrlOptions): string;
/**
 * Words around most marks of a snippet, from one sentence: browsers find a phrase only within one block.
 *
 * @param marks In code points of the snippet, as answers have them.
 * @returns "" if nothing is marked.
 */
export declare function markedPhrase(snippet: string, marks: Marks): string;
export {};
