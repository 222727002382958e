import type { AnswerVersions, SearchRequest } from "../types.js";
import type { Family } from "./files.js";
import type { Index } from "./index.js";
/** The versions of one request. */
export interface Versions {
    /** A page must have one of these labels; empty: all versions. */
    labels: readonly string[];
    /** By label the folder in which links open. */
    folders: ReadonlyMap<string, string>;
    answer?: AnswerVersions;
}
export declare function pageFilter(index: Index, request: SearchRequest, versions: Versions): (page: number) => boolean;
/**
 * The versions that a request means, else the default ones.
 *
 * @throws {SearchError} The site has no version of a name.
 */
export declare function versionsOf(families: readonly Family[], request: SearchRequest): Versions;
/** The URL and the link of a page in the version that was searched, and the versions that say the same. */
export declare function placeIn(index: Index, page: number, versions: Versions): {
    url: string;
    address: string;
    versions: string[];
};
/**
 * Pages without those that are translations of a better one: the visitor's language, then the original, then the best.
 * A page without the query's words hides no page that has them.
 *
 * @param share How much of the query a page says.
 */
export declare function withoutTranslations<T extends {
    page: number;
    score: number;
}>(index: Index, ranked: readonly T[], request: SearchRequest, share: (page: number) => number): Map<T, string[]>;
/** The number of pages by value of each facet. */
export declare function facetCounts(index: Index, pages: readonly number[], names: readonly string[]): Record<string, Record<string, number>>;
