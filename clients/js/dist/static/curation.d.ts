export interface Rule {
    effect: "pin" | "hide" | "boost";
    /** Patterns of plain queries. */
    queries: readonly string[];
    /** pin: URLs; hide: patterns of URLs; boost: directories. */
    pages: readonly string[];
    factor: number;
    /** The last day on which it applies; "": always. */
    until: string;
}
/** The rules for one query. */
export interface Curation {
    /** URLs of the pages that come first, in this order. */
    pins: readonly string[];
    isHidden: (url: string) => boolean;
    /** By which the weight of a page is multiplied. */
    factor: (url: string) => number;
}
/** The day in UTC, by which rules end. */
export declare const today: () => string;
export declare const isCurrent: (until: string | undefined, day: string) => boolean;
/** A query as rules compare it. */
export declare function plainQuery(text: string): string;
/** Whether a text matches a pattern, in which `*` is any number of characters. */
export declare function fits(pattern: string, text: string): boolean;
export declare function curationOf(rules: readonly Rule[], q: string, day: string): Curation;
