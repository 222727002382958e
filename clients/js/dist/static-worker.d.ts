import { openIndex, search } from "./static/search.js";
import type { SearchRequest } from "./types.js";
export { openIndex, search };
export { curationOf } from "./static/curation.js";
export { nearest } from "./static/terms.js";
export { indexText, namesOf, parseQuery, possibleNames, setStopWords, stem } from "./static/tokens.js";
export interface StaticRequest {
    id: number;
    /** Address of the folder, and the head in it. */
    folder: string;
    head: string;
    /** Of the head, with the first request. */
    data: ArrayBuffer | null;
    /** null: only open the index. */
    request: SearchRequest | null;
}
