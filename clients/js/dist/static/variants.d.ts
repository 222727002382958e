import { type ParsedQuery, type QueryWord } from "./tokens.js";
type Forms = readonly string[];
/** By exact form. They count only for a word that no document has, except the same version with or without its `v`. */
export declare function variantsOf({ words, order }: ParsedQuery): Map<string, Forms[]>;
/** The same version without its `v`, or with one; "" if the word is none. */
export declare function sameVersion(exact: string): string;
export declare function isNumber(word: QueryWord): boolean;
export {};
