import type { SearchRequest } from "./types.js";
/** Return the request: a GET, which is cacheable and needs no preflight; a POST if that would be too long. */
export declare function toFetch(endpoint: string, request: SearchRequest): {
    url: string;
    body: string | null;
};
