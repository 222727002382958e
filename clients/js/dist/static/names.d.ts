import type { Index } from "./index.js";
export declare const ANYWHERE = 0;
export declare const IN_TEXT = 1;
export declare const IN_HEADING = 3;
/** The chunks that have all of the terms: anywhere, in their text, or in the headings in it. */
export declare function chunksWith(index: Index, forms: readonly string[], column: number): number[];
/** Pages by how far the query is their title: all of it, nearly, or its beginning. */
export declare function namedPages(index: Index, text: string, least?: number): Map<number, number>;
