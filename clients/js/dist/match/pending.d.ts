import type { Result, Section } from "../types.js";
/** What to look for on the page that opens. */
export interface Match {
    /** `pageOf` that page. */
    path: string;
    anchor: string;
    /** The words of the passage, from one line; "" where none is marked. */
    phrase: string;
    /** Of the query, for pages that say it in another way than the index holds it. */
    words: readonly string[];
}
/** The match of a result that is about to be opened. */
export declare function matchOf(result: Pick<Result | Section, "href" | "anchor" | "snippet" | "marks">, q: string, site?: string): Match;
/** A path without the ways in which hosts end the address of one page: `/a`, `/a/`, `/a.html` and `/a/index.html`. */
export declare function pageOf(path: string): string;
/** Keep it for the next page of this tab. */
export declare function rememberMatch(match: Match): void;
/** What was kept, until it is forgotten: the page that is left may ask before the one that opens. */
export declare function pendingMatch(): Match | null;
export declare function forgetMatch(): void;
