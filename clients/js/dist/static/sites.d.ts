import type { Origin, SearchAnswer, SearchRequest } from "../types.js";
/** Answers the requests of one site. */
export interface Site {
    origin: Origin;
    search: (request: SearchRequest) => Promise<SearchAnswer>;
}
/** @throws {SearchError} No site has an answer. */
export declare function searchSites(sites: readonly Site[], request: SearchRequest): Promise<SearchAnswer>;
