import type { SearchAnswer, SearchRequest } from "../types.js";
import { Index } from "./index.js";
export declare function openIndex(name: string, read: (name: string) => Promise<ArrayBuffer>): Promise<Index>;
/**
 * @param prefix Path of the site on its host, before the addresses of its pages.
 * @throws {SearchError} The request is empty or too long, names an unknown version, or a file cannot be read.
 */
export declare function search(index: Index, request: SearchRequest, prefix?: string): Promise<SearchAnswer>;
