import type { SearchRequest } from "./types.js";
/** What to fetch: a GET, which caches keep and which needs no preflight elsewhere; a POST where that would be too long. */
export declare function toFetch(endpoint: string, request: SearchRequest): {
    url: string;
    body: string | null;
};
