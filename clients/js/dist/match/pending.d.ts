import type { Result, Section } from "../types.js";
/** The match to show on the next page. */
export interface Match {
    /** `pageOf` of that page. */
    path: string;
    anchor: string;
    /** The words of the passage, from one line; "" if none is marked. */
    phrase: string;
    /** Words of the query, for pages whose text differs from the index. */
    words: readonly string[];
}
/** The match of a result that is about to be opened. */
export declare function matchOf(result: Pick<Result | Section, "href" | "anchor" | "snippet" | "marks">, q: string, site?: string): Match;
/** Return a path without the endings that hosts use for one page: `/a`, `/a/`, `/a.html` and `/a/index.html`. */
export declare function pageOf(path: string): string;
/** Store the match for the next page of this tab. */
export declare function rememberMatch(match: Match): void;
/** Return the stored match. It is not removed: the current page may read it before the next page does. */
export declare function pendingMatch(): Match | null;
export declare function forgetMatch(): void;
