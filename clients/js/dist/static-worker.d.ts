import { openIndex, search } from "./static/search.js";
import { searchSites } from "./static/sites.js";
import type { Origin, SearchRequest } from "./types.js";
export { openIndex, search, searchSites };
/** A site of an export. */
export interface StaticSite {
    /** Address of its first file, below the folder of the export; its other files are beside it. */
    head: string;
    /** Path of the site on its host, before the addresses of its pages. */
    prefix: string;
    /** Absent if the export has one site. */
    origin?: Origin;
}
export interface StaticRequest {
    id: number;
    /** Address of the folder. */
    folder: string;
    sites: readonly StaticSite[];
    /** Of the head of each site, with the first request; null: it could not be loaded. */
    data: readonly (ArrayBuffer | null)[];
    /** null: only open the indexes. */
    request: SearchRequest | null;
}
