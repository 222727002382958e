import type { Index } from "./index.js";
/** Pages by how far the query is their title: all of it, nearly, or its beginning. */
export declare function namedPages(index: Index, text: string, least?: number): Map<number, number>;
