import type { SearchAnswer } from "../types.js";
/**
 * Complete a query: with titles that begin with it, else with words of titles that begin with its
 * last word, if that is not a word yet.
 *
 * @returns At most `limit`, without the query itself.
 */
export declare function completions(q: string, answer: SearchAnswer, limit?: number): string[];
